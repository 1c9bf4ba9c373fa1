//! Look-ups by other properties than the name. Each look-up is a vector of places, sorted by the property.

use super::{ClaimId, VolumeId};
use crate::model::surroundings::{Event, VolumeAttachment};
use crate::model::{
    AccessModeSet, Id, ObjectKey, Objects, PersistentVolume, PersistentVolumeClaim, Pod, Quantity, Str, VolumeMode,
    VolumePhase,
};
use crate::snapshot::index::{both, equal_range, ids};
use std::cmp::Ordering;

/// The properties that all volumes of a group share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupKey {
    /// The effective class. It is empty if the volumes have no class.
    pub class: Str,
    /// The volume mode.
    pub mode: VolumeMode,
    /// The attributes class. It is empty if the volumes have no attributes class.
    pub attributes_class: Str,
    /// The access modes.
    pub access_modes: AccessModeSet,
}

/// A group of volumes without a `claimRef`. For matching, they differ only in size, labels, phase and deletion.
#[derive(Debug)]
pub struct CandidateGroup {
    /// The properties that the volumes share.
    pub key: GroupKey,
    /// The volumes, sorted by capacity and then by name.
    pub members: Vec<VolumeId>,
    /// The volumes of the group that are Available and not being deleted, in the same order.
    pub free: Vec<VolumeId>,
}

/// The places of objects, sorted by the object that each of them names. For example, claims are sorted by their volume.
#[derive(Debug)]
pub(in crate::snapshot) struct Index {
    volumes_by_ref: Vec<VolumeId>,
    claims_by_volume: Vec<ClaimId>,
    pods_by_claim: Vec<(Str, Str, u32)>,
    pod_places: Vec<Id<Pod>>,
    groups: Vec<CandidateGroup>,
    attachments_by_volume: Vec<u32>,
    events_by_object: Vec<u32>,
}

impl Index {
    pub(in crate::snapshot) fn new(objects: &Objects) -> Self {
        let Objects { volumes, claims, pods, attachments, events, .. } = objects;
        let of_volumes = || {
            let mut by_ref: Vec<VolumeId> =
                ids(volumes.len()).map(VolumeId::new).filter(|id| volumes[id.0 as usize].claim_ref.is_some()).collect();
            by_ref.sort_by(|a, b| {
                reference(&volumes[a.0 as usize]).cmp(&reference(&volumes[b.0 as usize])).then(a.cmp(b))
            });
            (by_ref, groups(volumes))
        };
        let of_claims = || {
            let mut by_volume: Vec<ClaimId> = ids(claims.len())
                .map(ClaimId::new)
                .filter(|id| !claims[id.0 as usize].volume_name.is_empty())
                .collect();
            by_volume
                .sort_by(|a, b| claims[a.0 as usize].volume_name.cmp(&claims[b.0 as usize].volume_name).then(a.cmp(b)));
            by_volume
        };
        let ((volumes_by_ref, groups), claims_by_volume) = both(volumes.len() + claims.len(), of_volumes, of_claims);
        let mut pods_by_claim = Vec::new();
        for (place, pod) in ids(pods.len()).zip(pods) {
            for claim in pod.claim_names() {
                pods_by_claim.push((pod.meta.namespace.clone(), claim.clone(), place));
            }
        }
        pods_by_claim.sort();
        pods_by_claim.dedup();
        let pod_places = pods_by_claim.iter().map(|(_, _, place)| Id::new(*place)).collect();
        let mut attachments_by_volume: Vec<u32> = ids(attachments.len()).collect();
        attachments_by_volume.sort_by_key(|at| &attachments[*at as usize].volume_name);
        let mut events_by_object: Vec<u32> = ids(events.len()).collect();
        events_by_object.sort_by(|a, b| {
            let (a, b) = (&events[*a as usize], &events[*b as usize]);
            a.about.cmp(&b.about).then(b.last_seen.cmp(&a.last_seen))
        });
        Self {
            volumes_by_ref,
            claims_by_volume,
            pods_by_claim,
            pod_places,
            groups,
            attachments_by_volume,
            events_by_object,
        }
    }

    pub(super) fn volumes_naming(&self, volumes: &[PersistentVolume], namespace: &str, claim: &str) -> &[VolumeId] {
        equal_range(&self.volumes_by_ref, |id| reference(&volumes[id.0 as usize]).cmp(&(namespace, claim)))
    }

    pub(super) fn claims_naming(&self, claims: &[PersistentVolumeClaim], volume: &str) -> &[ClaimId] {
        equal_range(&self.claims_by_volume, |id| claims[id.0 as usize].volume_name.as_str().cmp(volume))
    }

    pub(super) fn pods_of(&self, namespace: &str, claim: &str) -> &[Id<Pod>] {
        let compare = |(ns, name, _): &(Str, Str, u32)| (ns.as_str(), name.as_str()).cmp(&(namespace, claim));
        let start = self.pods_by_claim.partition_point(|entry| compare(entry) == Ordering::Less);
        let length = equal_range(&self.pods_by_claim[start..], compare).len();
        &self.pod_places[start..start + length]
    }

    pub(super) fn attachments_of(&self, attachments: &[VolumeAttachment], volume: &str) -> &[u32] {
        equal_range(&self.attachments_by_volume, |at| attachments[*at as usize].volume_name.as_str().cmp(volume))
    }

    pub(super) fn events_about(&self, events: &[Event], object: &ObjectKey) -> &[u32] {
        equal_range(&self.events_by_object, |at| events[*at as usize].about.cmp(object))
    }

    pub(super) fn groups(&self) -> &[CandidateGroup] {
        &self.groups
    }

    pub(super) fn group(&self, key: &GroupKey) -> Option<&CandidateGroup> {
        self.groups.binary_search_by(|group| group.key.cmp(key)).ok().map(|found| &self.groups[found])
    }
}

/// Returns the key of the group in which a volume would be if it had no `claimRef`.
pub(super) fn group_key(volume: &PersistentVolume) -> GroupKey {
    GroupKey {
        class: volume.class().into(),
        mode: volume.mode(),
        attributes_class: volume.attributes_class().into(),
        access_modes: volume.access_modes.set(),
    }
}

fn reference(volume: &PersistentVolume) -> (&str, &str) {
    volume.claim_ref.as_ref().map_or(("", ""), |claim| (claim.namespace.as_str(), claim.name.as_str()))
}

fn groups(volumes: &[PersistentVolume]) -> Vec<CandidateGroup> {
    let mut keyed: Vec<(GroupKey, VolumeId)> = ids(volumes.len())
        .map(VolumeId::new)
        .filter(|id| volumes[id.0 as usize].claim_ref.is_none())
        .map(|id| (group_key(&volumes[id.0 as usize]), id))
        .collect();
    let size = |id: VolumeId| volumes[id.0 as usize].storage().copied().unwrap_or(Quantity::ZERO);
    keyed.sort_by(|(a_key, a), (b_key, b)| {
        a_key.cmp(b_key).then_with(|| size(*a).compare(&size(*b))).then_with(|| a.cmp(b))
    });
    let mut groups: Vec<CandidateGroup> = Vec::new();
    for (key, id) in keyed {
        match groups.last_mut() {
            Some(group) if group.key == key => group.members.push(id),
            _ => groups.push(CandidateGroup { key, members: vec![id], free: Vec::new() }),
        }
    }
    let is_free = |id: &VolumeId| {
        let volume = &volumes[id.0 as usize];
        volume.status.phase == VolumePhase::Available && !volume.terminating()
    };
    for group in &mut groups {
        group.free = group.members.iter().copied().filter(is_free).collect();
    }
    groups
}
