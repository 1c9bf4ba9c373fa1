//! The involved objects of the safety model: the objects of the plan, the objects that are tied to them by a name, and
//! the possible claims.

use super::plan::Plan;
use super::write::{Change, Seen, Write};
use crate::controllers::KubernetesBehavior;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::model::{
    AccessModeSet, ClaimPhase, ClaimStatus, Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Quantity,
    StorageClass, Str, VolumePhase,
};
use crate::snapshot::{ClaimId, CoverageState, Snapshot, VolumeId};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The namespace of a stranger. No namespace can have this name.
pub(super) const STRANGER: &str = "<stranger>";

/// The maximum number of claims that are added for one reason: they name a volume of the plan, or they wait for a
/// volume that the plan frees.
const MAX_CLAIMS: usize = 4;

/// Returns the claims that are allowed to have a volume: the claim that the volume already names, and the claims to
/// which the plan gives it (`for_claims`).
pub(super) fn allowed(plan: &Plan, volume: &PersistentVolume) -> BTreeSet<(Str, Str)> {
    let meant = plan.volumes.iter().filter(|carried| carried.volume == volume.meta.name);
    let named = volume.claim_ref.iter().map(|named| (named.namespace.clone(), named.name.clone()));
    meant.flat_map(|carried| carried.for_claims.iter().cloned()).chain(named).collect()
}

/// Returns whether some involved objects are tied to the plan only indirectly.
pub fn is_wider(snapshot: &Snapshot, plan: &Plan) -> bool {
    let size = |indirect| {
        let involved = InvolvedObjects::reaching(snapshot, plan, indirect);
        (involved.volumes.len(), involved.claims.len())
    };
    size(true) != size(false)
}

/// The involved objects.
pub struct InvolvedObjects {
    pub(super) volumes: Vec<VolumeId>,
    pub(super) claims: Vec<ClaimId>,
    /// The names of claims that the plan writes or waits for.
    pub(super) awaited: BTreeSet<(Str, Str)>,
}

impl InvolvedObjects {
    pub(super) fn of(snapshot: &Snapshot, plan: &Plan) -> Self {
        let mut volumes: BTreeSet<VolumeId> = BTreeSet::new();
        let mut claims: BTreeSet<ClaimId> = BTreeSet::new();
        let mut awaited = BTreeSet::new();
        for object in plan.objects() {
            match object.kind {
                Kind::PersistentVolume => volumes.extend(snapshot.volume_id(&object.name)),
                Kind::PersistentVolumeClaim => {
                    claims.extend(snapshot.claim_id(&object.namespace, &object.name));
                    awaited.insert((object.namespace, object.name));
                }
                _ => {}
            }
        }
        for carried in &plan.volumes {
            awaited.extend(carried.for_claims.iter().cloned());
        }
        for (namespace, name) in &awaited {
            claims.extend(snapshot.claim_id(namespace, name));
            volumes.extend(volumes_naming_claim(snapshot, namespace, name));
        }
        for id in &volumes {
            let volume = snapshot.volume(*id);
            claims.extend(snapshot.claims_naming(&volume.meta.name).iter().take(MAX_CLAIMS));
            if let Some(named) = &volume.claim_ref {
                claims.extend(snapshot.claim_id(&named.namespace, &named.name));
            }
        }
        let frees = plan.writes().any(|write| matches!(write.change, Change::SetClaimRef { to: None, .. }));
        if frees {
            let class = |id: &VolumeId| snapshot.volume(*id).class().to_owned();
            let classes: BTreeSet<String> = volumes.iter().map(class).collect();
            let waiting = (0u32..).map(ClaimId::new).zip(snapshot.claims()).filter(|(_, claim)| {
                claim.volume_name.is_empty()
                    && claim.status.phase == ClaimPhase::Pending
                    && classes.contains(claim.class())
            });
            claims.extend(waiting.map(|(id, _)| id).take(MAX_CLAIMS));
        }
        claims.extend(owned(snapshot, plan));
        // Volumes that these claims name, or that name these claims, decide what happens to the claims.
        for id in &claims {
            let claim = snapshot.claim(*id);
            volumes.extend(snapshot.volume_id(&claim.volume_name));
            volumes.extend(volumes_naming_claim(snapshot, &claim.meta.namespace, &claim.meta.name));
        }
        // The claims that these volumes name are added. Otherwise the volumes would seem to be free.
        let named = volumes.iter().filter_map(|id| snapshot.volume(*id).claim_ref.as_ref());
        claims.extend(named.filter_map(|named| snapshot.claim_id(&named.namespace, &named.name)));
        Self { volumes: volumes.into_iter().collect(), claims: claims.into_iter().collect(), awaited }
    }

    /// Returns the involved objects. If `indirect` is true, objects that are tied to the others indirectly are
    /// included.
    pub fn reaching(snapshot: &Snapshot, plan: &Plan, indirect: bool) -> Self {
        let mut involved = Self::of(snapshot, plan);
        if indirect {
            involved.widen(snapshot);
        }
        involved
    }

    /// Adds free volumes for each claim that the plan creates or to which it gives a class, and that names no volume.
    /// The controller may choose one of these volumes for the claim.
    ///
    /// Returns the claims whose volume cannot be predicted. This is so if not all volumes and classes were read, if the
    /// plan does not state the class, or if there is not enough `room` for all possible volumes.
    pub(super) fn add_free_volumes(
        &mut self,
        snapshot: &Snapshot,
        behavior: &KubernetesBehavior,
        plan: &Plan,
        room: usize,
    ) -> BTreeSet<ObjectKey> {
        let mut open = BTreeSet::new();
        let is_read = |kind| snapshot.coverage().state(kind, "") == CoverageState::Complete;
        let all_read = is_read(Kind::PersistentVolume) && is_read(Kind::StorageClass);
        for write in plan.writes().filter(|write| write.asks_for_any_volume()) {
            // The API server may give the claim the default class.
            let states_class = match &write.change {
                Change::Create { manifest } => manifest["spec"]["storageClassName"].is_string(),
                _ => true,
            };
            if !all_read || !states_class {
                open.insert(write.object.clone());
                continue;
            }
            for id in free_for(snapshot, behavior, write) {
                if self.volumes.contains(&id) {
                    continue;
                }
                if self.volumes.len() < room {
                    self.volumes.push(id);
                } else {
                    open.insert(write.object.clone());
                }
            }
        }
        self.volumes.sort_unstable();
        open
    }

    /// Adds all objects that are tied to an involved object by a name. This is repeated until no object is added.
    fn widen(&mut self, snapshot: &Snapshot) {
        let mut volumes: BTreeSet<VolumeId> = self.volumes.iter().copied().collect();
        let mut claims: BTreeSet<ClaimId> = self.claims.iter().copied().collect();
        loop {
            let before = volumes.len() + claims.len();
            for id in &volumes {
                let volume = snapshot.volume(*id);
                claims.extend(snapshot.claims_naming(&volume.meta.name));
                claims.extend(
                    volume.claim_ref.as_ref().and_then(|named| snapshot.claim_id(&named.namespace, &named.name)),
                );
            }
            for id in &claims {
                let claim = snapshot.claim(*id);
                volumes.extend(snapshot.volume_id(&claim.volume_name));
                volumes.extend(snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name));
            }
            if volumes.len() + claims.len() == before {
                break;
            }
        }
        self.volumes = volumes.into_iter().collect();
        self.claims = claims.into_iter().collect();
    }

    /// Returns the claims that somebody may create. For each carried volume, these are two claims of a stranger that
    /// match the volume: one names the volume, and the other does not. For each name that the plan writes or waits for,
    /// there is a claim without a volume, as a StatefulSet creates it, and a claim that names the volume.
    pub(super) fn possible_claims(&self, snapshot: &Snapshot, plan: &Plan) -> Vec<Arc<PersistentVolumeClaim>> {
        let mut possible_claims: Vec<Arc<PersistentVolumeClaim>> = Vec::new();
        let carried = |id: &&VolumeId| {
            let name = &snapshot.volume(**id).meta.name;
            plan.volumes.iter().any(|carried| carried.volume == *name)
        };
        for id in self.volumes.iter().filter(carried) {
            let volume = snapshot.volume(*id);
            possible_claims.push(Arc::new(fitting(volume, STRANGER, &volume.meta.name, Some(&volume.meta.name))));
            possible_claims.push(Arc::new(fitting(volume, STRANGER, &volume.meta.name, None)));
            for (namespace, name) in &self.awaited {
                for named in [None, Some(volume.meta.name.as_str())] {
                    let possible_claim = fitting(volume, namespace, name, named);
                    if !possible_claims.iter().any(|known| **known == possible_claim) {
                        possible_claims.push(Arc::new(possible_claim));
                    }
                }
            }
        }
        possible_claims
    }
}

/// Returns the volumes that name the claim. A volume is left out if it is Released or Failed, no claim of this name has
/// the uid in its claimRef, and no claim names it. As long as its claimRef stays, no claim can get such a volume.
fn volumes_naming_claim(snapshot: &Snapshot, namespace: &str, name: &str) -> impl Iterator<Item = VolumeId> {
    let uid = snapshot.claim_id(namespace, name).map(|id| snapshot.claim(id).meta.uid.clone());
    snapshot.volumes_naming(namespace, name).iter().copied().filter(move |id| {
        let volume = snapshot.volume(*id);
        let ended = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed);
        let of_another =
            volume.claim_ref.as_ref().is_some_and(|named| !named.uid.is_empty() && Some(&named.uid) != uid.as_ref());
        !(ended && of_another && snapshot.claims_naming(&volume.meta.name).is_empty())
    })
}

/// Returns the free volumes that the controller may choose for the claim after a write. They pass the tests of
/// [`Query`] and have the fewest access modes. For each set of access modes, only the smallest volumes are returned.
fn free_for(snapshot: &Snapshot, behavior: &KubernetesBehavior, write: &Write) -> Vec<VolumeId> {
    let id = snapshot.claim_id(&write.object.namespace, &write.object.name);
    let current = id.map(|id| Seen::Claim(Arc::new(snapshot.claim(id).clone())));
    let Some(Seen::Claim(claim)) = write.apply(current.as_ref()) else { return Vec::new() };
    if !claim.volume_name.is_empty() {
        return Vec::new();
    }
    let delays = snapshot.class(claim.class()).is_some_and(StorageClass::waits_for_first_consumer);
    let Ok(query) = Query::new(behavior, &claim, delays) else { return Vec::new() };
    let mut groups: BTreeMap<(u32, AccessModeSet), (Quantity, Vec<VolumeId>)> = BTreeMap::new();
    for (id, volume) in (0u32..).map(VolumeId::new).zip(snapshot.volumes()) {
        let modes = volume.access_modes.set();
        if !modes.contains_all(&claim.access_modes) || query.fit(volume) != Fit::Free {
            continue;
        }
        let size = volume.storage().copied().unwrap_or(Quantity::ZERO);
        let (smallest, volumes) = groups.entry((modes.len(), modes)).or_insert_with(|| (size, Vec::new()));
        match size.compare(smallest) {
            Ordering::Less => (*smallest, *volumes) = (size, vec![id]),
            Ordering::Equal => volumes.push(id),
            Ordering::Greater => {}
        }
    }
    let fewest = groups.keys().next().map(|(modes, _)| *modes);
    let first = groups.into_iter().filter(|((modes, _), _)| Some(*modes) == fewest);
    first.flat_map(|(_, (_, volumes))| volumes).collect()
}

/// Returns the claims that the garbage collector deletes after the plan has deleted their owners. This includes claims
/// that are owned by one of these claims.
fn owned(snapshot: &Snapshot, plan: &Plan) -> BTreeSet<ClaimId> {
    let mut gone: BTreeSet<&str> = BTreeSet::new();
    for step in &plan.steps {
        if let Some(write) = &step.write
            && matches!(write.change, Change::Delete)
            && let Some(id) = snapshot.claim_id(&write.object.namespace, &write.object.name)
        {
            gone.insert(&snapshot.claim(id).meta.uid);
        }
    }
    let mut owned = BTreeSet::new();
    while !gone.is_empty() {
        let follows = |claim: &PersistentVolumeClaim| claim.owners().iter().any(|owner| gone.contains(&*owner.uid));
        let found = (0u32..).map(ClaimId::new).zip(snapshot.claims()).filter(|(_, claim)| follows(claim));
        let fresh: Vec<ClaimId> = found.map(|(id, _)| id).filter(|id| owned.insert(*id)).collect();
        gone = fresh.iter().map(|id| &*snapshot.claim(*id).meta.uid).collect();
    }
    owned
}

/// Returns a claim that matches the volume.
fn fitting(volume: &PersistentVolume, namespace: &str, name: &str, names: Option<&str>) -> PersistentVolumeClaim {
    let mut claim = PersistentVolumeClaim {
        request: volume.stated_storage().cloned(),
        access_modes: volume.access_modes.clone(),
        class_name: Some(volume.class().into()),
        attributes_class: volume.attributes_class.clone(),
        volume_mode: Some(volume.mode()),
        volume_name: names.unwrap_or_default().into(),
        status: ClaimStatus { phase: ClaimPhase::Pending, ..ClaimStatus::default() },
        ..PersistentVolumeClaim::default()
    };
    claim.meta.namespace = namespace.into();
    claim.meta.name = name.into();
    claim.meta.uid = format!("<other {namespace}/{name}>").into();
    claim
}
