//! The zones and regions of volumes. Upstream: `volumezone`, 1.36.

use super::SchedulerReason;
use super::reads::Reads;
use super::verdict::{Plugin, Reason, Status};
use crate::model::{Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, label};
use std::collections::BTreeSet;

/// The labels for zones and regions. A node has to have the first label of a pair with the value of the volume. If the
/// node does not have this label, its second label is compared.
const LABELS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
];

/// A zone label or region label of a volume. A node has to have one of the values of the volume.
#[derive(Clone, Debug)]
pub(super) struct Topology<'s> {
    key: &'static str,
    instead: &'static str,
    values: BTreeSet<&'s str>,
}

impl Topology<'_> {
    fn fits(&self, node: &Node) -> bool {
        let labels = &node.meta.labels;
        let found = label(labels, self.key).or_else(|| label(labels, self.instead));
        found.is_some_and(|value| self.values.contains(value))
    }
}

/// Returns the first zone or region label of the volume that the node does not match.
pub(super) fn unfit_label(volume: &PersistentVolume, node: &Node) -> Option<&'static str> {
    topologies(volume).find(|topology| !topology.fits(node)).map(|topology| topology.key)
}

/// Returns whether the labels of the volume state a zone or a region.
pub(super) fn states_zone(volume: &PersistentVolume) -> bool {
    topologies(volume).next().is_some()
}

/// Returns whether the plugin rejects the node because of the labels of the volume.
pub(super) fn rejects(volume: &PersistentVolume, node: &Node) -> bool {
    has_any_label(node) && unfit_label(volume, node).is_some()
}

/// Returns whether the node has a label for its zone or region. A node without any such label passes.
fn has_any_label(node: &Node) -> bool {
    LABELS.iter().any(|(key, _)| label(&node.meta.labels, key).is_some())
}

/// Returns the zone and region labels of the volumes that the claims of the pod name. Ephemeral volumes are ignored.
///
/// # Errors
/// Returns the status with which `PreFilter` rejects the pod.
pub(super) fn pre_filter<'s>(reads: &mut Reads<'s>, pod: &Pod) -> Result<Vec<Topology<'s>>, Status> {
    let reject = |text: String| {
        Status::unresolvable(Plugin::VolumeZone, Reason::of(SchedulerReason::PodClaimWithoutVolumeOrClass, text))
    };
    let mut found = Vec::new();
    let mut volumes: Vec<_> = pod.claims.iter().collect();
    volumes.sort_by_key(|volume| volume.place);
    for volume in volumes {
        let name = volume.claim.as_str();
        let Some(claim) = reads.find::<PersistentVolumeClaim>(&pod.meta.namespace, name) else {
            return Err(reject(format!("persistentvolumeclaim {name:?} not found")));
        };
        if claim.volume_name.is_empty() {
            let class = claim.class();
            if class.is_empty() {
                return Err(reject("PersistentVolumeClaim had no pv name and storageClass name".to_owned()));
            }
            let Some(class) = reads.find::<StorageClass>("", class) else {
                return Err(reject(format!("storageclass.storage.k8s.io {class:?} not found")));
            };
            if !class.waits_for_first_consumer() {
                return Err(reject("PersistentVolume had no name".to_owned()));
            }
            continue;
        }
        let name = claim.volume_name.as_str();
        let Some(volume) = reads.find::<PersistentVolume>("", name) else {
            return Err(reject(format!("persistentvolume {name:?} not found")));
        };
        found.extend(topologies(volume));
    }
    Ok(found)
}

/// Returns the zones and regions that the labels of a volume state.
fn topologies(volume: &PersistentVolume) -> impl Iterator<Item = Topology<'_>> {
    LABELS.into_iter().filter_map(|(key, instead)| {
        let values = label(&volume.meta.labels, key)?.split("__").map(str::trim);
        // A value with an empty part is ignored.
        let is_valid = values.clone().all(|value| !value.is_empty());
        is_valid.then(|| Topology { key, instead, values: values.collect() })
    })
}

/// Rejects a node that does not match every zone and region label of the volumes. A node without any such label passes.
/// Upstream: `Filter` of `volumezone`, 1.36.
pub(super) fn filter(topologies: &[Topology<'_>], node: &Node) -> Option<Status> {
    (has_any_label(node) && !topologies.iter().all(|topology| topology.fits(node))).then(|| {
        let reason = Reason::of(SchedulerReason::NodeZoneConflict, "node(s) had no available volume zone");
        Status::unresolvable(Plugin::VolumeZone, reason)
    })
}
