//! The zones and regions of volumes. Upstream: `volumezone`, 1.36.

use super::SchedulerReason;
use super::reads::Reads;
use super::verdict::{Plugin, Reason, Status};
use crate::model::{Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, label};
use std::collections::BTreeSet;

/// The labels of volumes and nodes, each with the label of a node that takes the place of a missing one.
const LABELS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
];

/// A label of a volume that a node has to fit.
#[derive(Clone, Debug)]
pub(super) struct Topology<'s> {
    key: &'static str,
    instead: &'static str,
    values: BTreeSet<&'s str>,
}

/// Returns the labels of the volumes that the pod's claims name. Ephemeral volumes do not count.
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
        for (key, instead) in LABELS {
            let values = label(&volume.meta.labels, key).map(|value| value.split("__").map(str::trim));
            // A value with an empty part is ignored.
            if let Some(values) = values.filter(|values| values.clone().all(|value| !value.is_empty())) {
                found.push(Topology { key, instead, values: values.collect() });
            }
        }
    }
    Ok(found)
}

/// A node without any of the labels passes.
pub(super) fn filter(topologies: &[Topology<'_>], node: &Node) -> Option<Status> {
    let labels = &node.meta.labels;
    let fits = |topology: &Topology<'_>| {
        let found = label(labels, topology.key).or_else(|| label(labels, topology.instead));
        found.is_some_and(|value| topology.values.contains(value))
    };
    let has_any = LABELS.iter().any(|(key, _)| label(labels, key).is_some());
    (has_any && !topologies.iter().all(fits)).then(|| {
        let reason = Reason::of(SchedulerReason::NodeZoneConflict, "node(s) had no available volume zone");
        Status::unresolvable(Plugin::VolumeZone, reason)
    })
}
