//! The volumes of a node: the volumes that its pods use, the volumes that no other node can use, and the limits of
//! drivers.

use super::pod::facts::bound;
use crate::controllers::KubernetesBehavior;
use crate::controllers::scheduler::{DriverUse, Scheduler, fits_node, is_tied, nodes_of_volume};
use crate::model::{CsiNode, Kind, Node, PersistentVolume, Pod, Str};
use crate::snapshot::{Absence, Snapshot};
use std::collections::BTreeMap;

/// The kinds that say which volumes a node has.
const READ: [Kind; 5] =
    [Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod, Kind::Node, Kind::VolumeAttachment];

/// The volumes of a node.
#[derive(Clone, Debug)]
pub struct NodeVolumes<'s> {
    /// The volumes that pods on the node use, and those that can be used on no other node, sorted by name.
    pub volumes: Vec<NodeVolume<'s>>,
    /// The volumes that count for the limits, by driver.
    pub drivers: Vec<DriverUse<'s>>,
    /// The kinds of which not all objects were read. Then volumes may be missing here.
    pub unread: Vec<Kind>,
    /// Whether the limits of the node are known.
    pub knows_limits: bool,
}

/// A volume of a node.
#[derive(Clone, Debug)]
pub struct NodeVolume<'s> {
    /// The volume.
    pub volume: &'s PersistentVolume,
    /// The namespace and name of its claim, if it has one.
    pub claim: Option<(Str, Str)>,
    /// The pods on the node that use it.
    pub pods: Vec<&'s Pod>,
    /// The pods without a node that use it.
    pub waiting: Vec<&'s Pod>,
    /// The number of other nodes on which it can be used.
    pub other_nodes: usize,
}

impl<'s> NodeVolumes<'s> {
    /// Finds the volumes of a node.
    pub fn of(snapshot: &'s Snapshot, behavior: &'s KubernetesBehavior, node: &'s Node) -> Self {
        let name = &node.meta.name;
        let mut used: BTreeMap<&str, Vec<&Pod>> = BTreeMap::new();
        let mut awaited: BTreeMap<&str, Vec<&Pod>> = BTreeMap::new();
        for pod in snapshot.pods().iter().filter(|pod| !pod.terminated()) {
            let users = match pod.node_name.as_str() {
                "" => &mut awaited,
                node if node == name.as_str() => &mut used,
                _ => continue,
            };
            for claim in pod.claim_names() {
                if let Some((_, volume)) = bound(snapshot, &pod.meta.namespace, claim) {
                    users.entry(&volume.meta.name).or_default().push(pod);
                }
            }
        }
        let of_node = |volume: &'s PersistentVolume| {
            let pods = used.get(volume.meta.name.as_str()).cloned().unwrap_or_default();
            // A volume without a node affinity and without the label of a zone can be used everywhere.
            if pods.is_empty() && !is_tied(volume) {
                return None;
            }
            let mut others = nodes_of_volume(snapshot, volume).filter(|other| other.meta.name != *name).peekable();
            // For most volumes, one of the first other nodes fits. Then not all nodes are tested.
            if pods.is_empty() && (!fits_node(snapshot, volume, node) || others.peek().is_some()) {
                return None;
            }
            let claim = volume.claim_ref.as_ref().map(|named| (named.namespace.clone(), named.name.clone()));
            let waiting = awaited.get(volume.meta.name.as_str()).cloned().unwrap_or_default();
            Some(NodeVolume { volume, claim, pods, waiting, other_nodes: others.count() })
        };
        let coverage = snapshot.coverage();
        let is_unread = |kind: &Kind| matches!(coverage.absence(*kind, ""), Absence::Unknown(_));
        let csi_node: Option<&CsiNode> = snapshot.find("", name);
        let of_csi_node = coverage.absence_of(Kind::CsiNode, "", name);
        Self {
            volumes: snapshot.volumes().iter().filter_map(of_node).collect(),
            drivers: Scheduler::new(snapshot, behavior).driver_uses(node),
            unread: READ.into_iter().filter(is_unread).collect(),
            knows_limits: csi_node.is_some() || of_csi_node == Absence::Certain,
        }
    }
}
