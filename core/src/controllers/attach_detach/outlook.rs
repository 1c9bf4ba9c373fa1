//! Questions about what the controller has in its memory, and about what its next loop does.

use super::volume::volumes_of;
use super::{AttachBranch, AttachDetach, AttachState, AttachableVolume, DetachBranch, Flags, Moment, PodName};
use crate::model::{CsiNode, Node, PersistentVolume, Pod, Str, VolumeAttachment};
use crate::world::{Choices, View};
use std::collections::BTreeSet;

impl AttachDetach {
    /// Returns a controller that has just been started and has seen each node once more. A snapshot does not show the
    /// memory of the real controller. This one knows the least.
    pub fn restarted(view: View<'_>, flags: Flags, now: Moment) -> Self {
        let mut controller = Self::start(view, flags, now, &mut Choices::default(), &mut Vec::new());
        controller.see_nodes(view);
        controller
    }

    /// Returns a controller that remembers what it did itself. It attached each volume whose VolumeAttachment has the
    /// name that it gives, to a node that it manages. A node that is gone stays in its memory as long as pods on it
    /// need volumes.
    #[must_use]
    pub fn with_attached(mut self, view: View<'_>) -> Self {
        for attachment in view.all::<VolumeAttachment>() {
            let (name, node) = (&attachment.meta.name, &attachment.node_name);
            let is_managed = self.manages(node) || view.find::<Node>("", node).is_none();
            if attachment.attached
                && attachment.meta.deleted.is_none()
                && is_managed
                && let Some(volume) = view.find::<PersistentVolume>("", &attachment.volume_name)
                && let Some(volume) = self.volume(view, volume, node)
                && volume.attachment_name_on(node).as_ref() == Some(name)
            {
                self.actual.set_attached(&volume.unique_name(), Some(volume), node);
            }
        }
        let is_on_gone_node = |pod: &&Pod| !pod.node_name.is_empty() && view.find::<Node>("", &pod.node_name).is_none();
        for pod in view.all::<Pod>().filter(|pod| !pod.terminated()).filter(is_on_gone_node) {
            if !self.volumes_of(view, pod).is_empty() {
                self.desired.add_node(&pod.node_name);
                self.pod_changed(view, pod, &mut Vec::new());
            }
        }
        self.see_nodes(view);
        self
    }

    fn see_nodes(&mut self, view: View<'_>) {
        for node in view.all::<Node>() {
            self.node_changed(node, false, &mut Vec::new());
        }
    }

    /// Returns the volume as the controller attaches it to the node. The value is `None` if no plugin has to attach it.
    pub fn volume(&self, view: View<'_>, volume: &PersistentVolume, node: &str) -> Option<AttachableVolume> {
        let csi_node: Option<&CsiNode> = view.find("", node);
        let volume = AttachableVolume::of(volume, |plugin| self.flags.migration.has_on(plugin, csi_node))?;
        volume.needs_attaching(view).then_some(volume)
    }

    /// Returns the volumes of a pod that have to be attached to its node, also those without a claim.
    pub fn volumes_of(&self, view: View<'_>, pod: &Pod) -> Vec<AttachableVolume> {
        volumes_of(view, pod, self.flags.migration)
    }

    /// Returns whether the controller attaches volumes to the node. If it does not, the kubelet of the node does.
    pub fn manages(&self, node: &str) -> bool {
        self.desired.has_node(node)
    }

    /// Returns the unique names of the volumes that are wanted on the node, or that are or may be attached to it.
    pub fn volumes_on(&self, node: &str) -> BTreeSet<Str> {
        self.desired.on(node).chain(self.actual.on(node)).cloned().collect()
    }

    /// Returns the pods on the node that need the volume.
    pub fn pods_with(&self, volume: &str, node: &str) -> Vec<PodName> {
        self.desired.get(volume, node).map(|wanted| wanted.pods.values().cloned().collect()).unwrap_or_default()
    }

    /// Returns the volume, if a pod on the node needs it or if it is or may be attached to some node.
    pub fn known(&self, volume: &str, node: &str) -> Option<&AttachableVolume> {
        let wanted = self.desired.get(volume, node).map(|wanted| &wanted.volume);
        wanted.or_else(|| self.actual.volume(volume))
    }

    /// Returns whether the volume is attached to the node.
    pub fn attach_state(&self, volume: &str, node: &str) -> AttachState {
        self.actual.state(volume, node)
    }

    /// Returns the other nodes to which the volume is or may be attached.
    pub fn other_nodes(&self, volume: &str, node: &str) -> Vec<Str> {
        self.actual.all_nodes_of(volume).filter(|other| *other != node).cloned().collect()
    }

    /// Returns what the next loop does if a pod on the node needs the volume.
    pub fn if_needed(&self, volume: &AttachableVolume, node: &str, now: Moment) -> AttachBranch {
        self.attach_branch(&volume.unique_name(), node, volume, now)
    }

    /// Returns what the next loop does if no pod on the node needs the volume.
    pub fn if_not_needed(&self, view: View<'_>, volume: &str, node: &str, now: Moment) -> DetachBranch {
        self.detach_branch(&self.entry((volume.into(), node.into())), view, now)
    }
}

impl AttachableVolume {
    /// Returns the name of the VolumeAttachment of the volume on a node. The value is `None` if the plugin uses no
    /// VolumeAttachments.
    pub fn attachment_name_on(&self, node: &str) -> Option<Str> {
        self.attachment_on(node).map(|(name, _)| name)
    }
}
