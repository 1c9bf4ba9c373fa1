//! The desired state: which volumes should be attached to which nodes, and for which pods. Upstream:
//! `cache/desired_state_of_world.go`, 1.36.

use super::ends::Names;
use super::{AttachableVolume, PodName, VolumeOnNode};
use crate::model::{Pod, Str};
use std::collections::BTreeMap;

/// The volumes of each node that the controller manages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Desired {
    nodes: BTreeMap<Str, BTreeMap<Str, Wanted>>,
}

/// A volume that should be attached to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The volume as it was when the first pod on the node needed it.
    pub(super) volume: AttachableVolume,
    /// The pods on the node that use the volume, by uid.
    pub(super) pods: BTreeMap<Str, PodName>,
    /// Whether the controller has reported that the volume is attached to another node.
    pub(super) reported: bool,
}

impl Desired {
    /// Returns what is wanted of this volume on these nodes alone, without names. One pod stands for all.
    pub(super) fn only(&self, names: &Names) -> Self {
        let of_node = |(node, number): (&Str, &Str)| {
            let wanted = self.nodes.get(node)?.get(names.volume())?;
            let pods = BTreeMap::from([(Str::default(), PodName::default())]);
            let wanted = Wanted { volume: wanted.volume.without_names(), pods, reported: wanted.reported };
            Some((number.clone(), BTreeMap::from([(names.unique(), wanted)])))
        };
        Self { nodes: names.nodes().filter_map(of_node).collect() }
    }

    /// Manages a node. Upstream: `AddNode`, 1.36.
    pub(super) fn add_node(&mut self, node: &str) {
        if !self.nodes.contains_key(node) {
            self.nodes.insert(node.into(), BTreeMap::new());
        }
    }

    /// Manages a node no longer, unless volumes should be attached to it. Upstream: `DeleteNode`, 1.36.
    pub(super) fn delete_node(&mut self, node: &str) {
        if self.nodes.get(node).is_some_and(BTreeMap::is_empty) {
            self.nodes.remove(node);
        }
    }

    /// Returns whether the controller manages the node.
    pub(super) fn has_node(&self, node: &str) -> bool {
        self.nodes.contains_key(node)
    }

    /// Adds a volume of a pod. Upstream: `AddPod`, 1.36.
    pub(super) fn add(&mut self, pod: &Pod, volume: AttachableVolume) {
        let Some(volumes) = self.nodes.get_mut(&pod.node_name) else { return };
        let wanted = volumes.entry(volume.unique_name()).or_insert_with(|| Wanted {
            volume,
            pods: BTreeMap::new(),
            reported: false,
        });
        let name = PodName { namespace: pod.meta.namespace.clone(), name: pod.meta.name.clone() };
        wanted.pods.entry(pod.meta.uid.clone()).or_insert(name);
    }

    /// Removes a volume of a pod. Upstream: `DeletePod`, 1.36.
    pub(super) fn remove(&mut self, uid: &str, volume: &str, node: &str) {
        let Some(volumes) = self.nodes.get_mut(node) else { return };
        let Some(wanted) = volumes.get_mut(volume) else { return };
        if wanted.pods.remove(uid).is_some() && wanted.pods.is_empty() {
            volumes.remove(volume);
        }
    }

    /// Returns what should be attached, by volume and node.
    pub(super) fn all(&self) -> impl Iterator<Item = (VolumeOnNode, &Wanted)> {
        self.nodes.iter().flat_map(|(node, volumes)| {
            volumes.iter().map(move |(volume, wanted)| ((volume.clone(), node.clone()), wanted))
        })
    }

    /// Returns the volumes that should be attached to the node.
    pub(super) fn on(&self, node: &str) -> impl Iterator<Item = &Str> {
        self.nodes.get(node).into_iter().flat_map(BTreeMap::keys)
    }

    /// Returns the volume on the node, if it should be attached there. Upstream: `VolumeExists`, 1.36.
    pub(super) fn get(&self, volume: &str, node: &str) -> Option<&Wanted> {
        self.nodes.get(node)?.get(volume)
    }

    /// Records that the controller has reported that the volume is attached to another node. Upstream:
    /// `SetMultiAttachError`, 1.36.
    pub(super) fn set_reported(&mut self, volume: &str, node: &str) {
        if let Some(wanted) = self.nodes.get_mut(node).and_then(|volumes| volumes.get_mut(volume)) {
            wanted.reported = true;
        }
    }

    /// Returns the volumes that should be attached for each pod, by the uid of the pod.
    pub(super) fn by_pod(&self) -> BTreeMap<Str, (PodName, Vec<VolumeOnNode>)> {
        let mut pods: BTreeMap<Str, (PodName, Vec<VolumeOnNode>)> = BTreeMap::new();
        for (at, wanted) in self.all() {
            for (uid, name) in &wanted.pods {
                pods.entry(uid.clone()).or_insert_with(|| (name.clone(), Vec::new())).1.push(at.clone());
            }
        }
        pods
    }
}
