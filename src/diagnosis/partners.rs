//! The objects that belong to a volume, a claim or a pod.

use super::case::{claim_key, key_of_claim, volume_key};
use super::key;
use crate::model::{ClaimPhase, Kind, ObjectId, ObjectKey, PersistentVolume, PersistentVolumeClaim, Str, TypedId};
use crate::snapshot::Snapshot;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Finds the objects that belong to volumes, claims and pods.
#[derive(Debug)]
pub struct Partners<'s> {
    snapshot: &'s Snapshot,
    /// For each uid, the volumes that have this uid in their `claimRef`.
    with_uid: FxHashMap<&'s str, Vec<&'s PersistentVolume>>,
}

impl<'s> Partners<'s> {
    /// Prepares the look-up by uid.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        let mut with_uid: FxHashMap<&str, Vec<&PersistentVolume>> = FxHashMap::default();
        for volume in snapshot.volumes() {
            if let Some(named) = volume.claim_ref.as_ref().filter(|named| !named.uid.is_empty()) {
                with_uid.entry(&named.uid).or_default().push(volume);
            }
        }
        Self { snapshot, with_uid }
    }

    /// Returns the objects that belong to this object. For a claim, these are the volume that it names, and the volumes
    /// whose `claimRef` has its name or its uid. For a volume, these are the claim that it names, and the claims that
    /// name it. For a pod, these are the claims that it waits for. The attachments of all these volumes belong to the
    /// object, too.
    pub fn of(&self, object: &ObjectKey) -> BTreeSet<ObjectKey> {
        let snapshot = self.snapshot;
        let mut partners: BTreeSet<ObjectKey> = match snapshot.object_id(object).map(ObjectId::typed) {
            Some(TypedId::PersistentVolumeClaim(id)) => {
                let claim = snapshot.claim(id);
                let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter();
                let naming = naming.map(|id| snapshot.volume(*id));
                let with_uid = self.with_uid.get(claim.meta.uid.as_str()).into_iter().flatten().copied();
                let named = snapshot.volume_id(&claim.volume_name).map(|id| snapshot.volume(id));
                naming.chain(with_uid).chain(named).map(|volume| volume_key(&volume.meta.name)).collect()
            }
            Some(TypedId::PersistentVolume(id)) => {
                let volume = snapshot.volume(id);
                let named = volume.claim_ref.iter().map(|named| claim_key(&named.namespace, &named.name));
                let naming = snapshot.claims_naming(&volume.meta.name).iter();
                named.chain(naming.map(|id| key_of_claim(&snapshot.claim(*id).meta))).collect()
            }
            // The claims that the pod waits for.
            Some(TypedId::Pod(id)) => {
                let pod = snapshot.get(id);
                let is_open = |claim: &&PersistentVolumeClaim| claim.status.phase != ClaimPhase::Bound;
                let waits = |name: &Str| {
                    let claim = snapshot.claim(snapshot.claim_id(&pod.meta.namespace, name)?);
                    Some(claim).filter(is_open).map(|claim| key_of_claim(&claim.meta))
                };
                if pod.terminated() { BTreeSet::new() } else { pod.claim_names().filter_map(waits).collect() }
            }
            _ => BTreeSet::new(),
        };
        let volumes = partners.iter().chain([object]).filter(|key| key.kind == Kind::PersistentVolume);
        let attachments = volumes.flat_map(|volume| snapshot.attachments_of(&volume.name));
        let attachments: Vec<ObjectKey> =
            attachments.map(|attachment| key(Kind::VolumeAttachment, "", &attachment.meta.name)).collect();
        partners.extend(attachments);
        partners
    }
}
