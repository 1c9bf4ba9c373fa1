//! Look-ups for some kinds: short functions that find objects by name, and functions that find them by other
//! properties.

use super::index::group_key;
use super::{CandidateGroup, GroupKey};
use crate::model::surroundings::{Event, LimitRange, Namespace, ResourceQuota, StatefulSet, VolumeAttachment};
use crate::model::{
    Id, Lease, Node, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Str, Timestamp,
};
use crate::snapshot::Snapshot;

/// The place of a volume.
pub type VolumeId = Id<PersistentVolume>;

/// The place of a claim.
pub type ClaimId = Id<PersistentVolumeClaim>;

impl Snapshot {
    /// Returns all volumes, sorted by name.
    pub fn volumes(&self) -> &[PersistentVolume] {
        self.all()
    }

    /// Returns all claims, sorted by namespace and name.
    pub fn claims(&self) -> &[PersistentVolumeClaim] {
        self.all()
    }

    /// Returns the claims of a namespace, sorted by name.
    pub fn claims_in(&self, namespace: &str) -> &[PersistentVolumeClaim] {
        self.in_namespace(namespace)
    }

    /// Returns the StatefulSets that create a claim of this name, now or when they are scaled up.
    pub fn sets_making<'a>(&'a self, namespace: &str, claim: &'a str) -> impl Iterator<Item = &'a StatefulSet> {
        self.in_namespace::<StatefulSet>(namespace).iter().filter(move |set| set.makes(claim))
    }

    /// Returns all classes, sorted by name.
    pub fn classes(&self) -> &[StorageClass] {
        self.all()
    }

    /// Returns all pods, sorted by namespace and name.
    pub fn pods(&self) -> &[Pod] {
        self.all()
    }

    /// Returns all nodes, sorted by name.
    pub fn nodes(&self) -> &[Node] {
        self.all()
    }

    /// Returns the Lease of kube-controller-manager, if the input has it.
    pub fn lease(&self) -> Option<&Lease> {
        self.find(Lease::MANAGER_NAMESPACE, Lease::MANAGER_NAME)
    }

    /// Returns the volume with this id.
    pub fn volume(&self, id: VolumeId) -> &PersistentVolume {
        self.get(id)
    }

    /// Returns the claim with this id.
    pub fn claim(&self, id: ClaimId) -> &PersistentVolumeClaim {
        self.get(id)
    }

    /// Returns the id of the volume of this name.
    pub fn volume_id(&self, name: &str) -> Option<VolumeId> {
        self.id("", name)
    }

    /// Returns the id of the claim of this name.
    pub fn claim_id(&self, namespace: &str, name: &str) -> Option<ClaimId> {
        self.id(namespace, name)
    }

    /// Returns the class of this name.
    pub fn class(&self, name: &str) -> Option<&StorageClass> {
        self.find("", name)
    }

    /// Returns the pod of this name.
    pub fn pod(&self, namespace: &str, name: &str) -> Option<&Pod> {
        self.find(namespace, name)
    }

    /// Returns the deletion timestamp of a namespace. The value is `None` if the namespace is not being deleted, or if
    /// the snapshot does not have the namespace.
    pub fn namespace_deletion(&self, name: &str) -> Option<Timestamp> {
        self.find::<Namespace>("", name)?.meta.deleted
    }

    /// Returns the node of this name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.find("", name)
    }

    /// Returns the pods that refer to a claim of this name, sorted by name.
    pub fn pods_of<'a>(&'a self, namespace: &str, claim: &str) -> impl Iterator<Item = &'a Pod> + use<'a> {
        self.pod_ids_of(namespace, claim).iter().map(|id| self.get(*id))
    }

    /// Returns the places of the pods that refer to a claim of this name, sorted by the pods' names.
    pub fn pod_ids_of(&self, namespace: &str, claim: &str) -> &[Id<Pod>] {
        self.index.pods_of(namespace, claim)
    }

    /// Returns the volumes whose `claimRef` names this claim, with or without a uid, sorted by name.
    pub fn volumes_naming(&self, namespace: &str, claim: &str) -> &[VolumeId] {
        self.index.volumes_naming(self.volumes(), namespace, claim)
    }

    /// Returns the claims whose `spec.volumeName` is this name, sorted by namespace and name.
    pub fn claims_naming(&self, volume: &str) -> &[ClaimId] {
        self.index.claims_naming(self.claims(), volume)
    }

    /// Returns the groups of volumes without a `claimRef`. The volumes of a group are equal in everything that matching
    /// compares, except the size, the labels, the phase and the deletion.
    pub fn candidate_groups(&self) -> &[CandidateGroup] {
        self.index.groups()
    }

    /// Returns the key of the group in which a volume would be if it had no `claimRef`.
    pub fn group_key(volume: &PersistentVolume) -> GroupKey {
        group_key(volume)
    }

    /// Returns the group with this key, if any volume is in it.
    pub fn candidate_group(&self, key: &GroupKey) -> Option<&CandidateGroup> {
        self.index.group(key)
    }

    /// Returns the VolumeAttachments of this volume, sorted by name.
    pub fn attachments_of<'s>(&'s self, volume: &str) -> impl Iterator<Item = &'s VolumeAttachment> + use<'s> {
        let all = self.all::<VolumeAttachment>();
        self.index.attachments_of(all, volume).iter().map(|at| &all[*at as usize])
    }

    /// Returns the Events about the object with this name and uid, newest first. Events about an earlier object of the
    /// same name are left out. Events without a uid are included, because they may be about this object.
    pub fn events_about<'s>(&'s self, object: &ObjectKey, uid: &str) -> impl Iterator<Item = &'s Event> + use<'s> {
        let uid = Str::from(uid);
        let all = self.all::<Event>();
        let about = self.index.events_about(all, object).iter().map(|at| &all[*at as usize]);
        about.filter(move |event| event.uid.is_empty() || event.uid == uid)
    }

    /// Returns the ResourceQuotas of a namespace.
    pub fn quotas_of<'s>(&'s self, namespace: &'s str) -> impl Iterator<Item = &'s ResourceQuota> {
        self.all::<ResourceQuota>().iter().filter(move |quota| quota.meta.namespace == namespace)
    }

    /// Returns the LimitRanges of a namespace.
    pub fn limit_ranges_of<'s>(&'s self, namespace: &'s str) -> impl Iterator<Item = &'s LimitRange> {
        self.all::<LimitRange>().iter().filter(move |range| range.meta.namespace == namespace)
    }
}
