//! The safety model: the small world in which a plan is tried. It holds only the objects that the plan writes and the
//! objects that could interfere.
//!
//! The moves of everybody except the plan and the controllers are in the module `actors`.
//!
//! A [`State`] is a short list of numbers, so that many states can be compared. Versions of an object with the same
//! deciding fields get the same number. They are called one variant.

use super::guards::keeps;
use super::identity::VolumeIdentity;
use super::involved::{InvolvedObjects, STRANGER, allowed};
use super::plan::{Plan, Recheck};
use super::write::Seen;
use crate::controllers::persistent_volume::{BOUND_KINDS, DESTROYED, SCRUBBING};
use crate::model::{
    ClaimPhase, Held, Kind, ObjectId, ObjectKey, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, Str, TypedId,
    VolumePhase,
};
use crate::simulate::{Settings, Stepped, stepped};
use crate::snapshot::{ClaimId, Coverage, Parts, Snapshot, VolumeId};
use crate::world::{Mark, World};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest numbers of volumes and claims in a safety model. A state has a fixed size and has to be small.
pub(super) const VOLUMES: usize = 8;
const CLAIMS: usize = 16;

/// A state of the safety model. It has the number of the variant of each volume and each claim. The number is 0 if the
/// object does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) objects: Objects,
    /// For each volume, what has happened to its data.
    pub(super) fates: [DataState; VOLUMES],
    /// The position of the plan: twice the number of completed steps, plus one while it waits.
    pub(super) position: u8,
}

/// The numbers of the variants of all objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Objects {
    volumes: [u8; VOLUMES],
    pub(super) claims: [u8; CLAIMS],
}

/// The operations that were begun on the data of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct DataState {
    /// Whether a driver may have begun to delete the volume. The driver continues, no matter what is written
    /// afterwards.
    pub(super) doomed: bool,
    /// Whether the data are deleted.
    pub(super) destroyed: bool,
    /// Whether a recycler pod that erases the data was started.
    pub(super) scrubbed: bool,
    /// Whether the volume is gone and another volume has its name.
    pub(super) anew: bool,
    /// Whether the plan mistook that other volume for its own volume.
    pub(super) mistaken: bool,
}

/// The safety model: the objects, with their variants.
pub struct SafetyModel<'a> {
    pub(super) snapshot: Snapshot,
    pub(super) settings: Settings<'a>,
    volumes: Vec<Vec<Arc<PersistentVolume>>>,
    claims: Vec<Vec<Arc<PersistentVolumeClaim>>>,
    /// The claims that somebody may create, each with its place.
    pub(super) possible_claims: Vec<(usize, Arc<PersistentVolumeClaim>)>,
    /// The places of the volumes whose manifests somebody applies with a policy other than Retain.
    pub(super) applied: Vec<usize>,
    /// The places of the volumes that the plan carries.
    pub(super) carried: Vec<usize>,
    /// For each volume, the claims that may have it.
    allowed: Vec<BTreeSet<(Str, Str)>>,
    pub(super) initial: State,
    /// The results of the syncs of an object. The key is the basis of the sync.
    known: FxHashMap<Basis, Arc<Vec<SyncResult>>>,
    /// Whether an object has more variants than can be numbered. In this case the search proves nothing.
    is_full: bool,
}

/// The result of a sync: whether nothing went wrong, and what the sync changed.
pub(super) type SyncResult = (bool, Vec<Delta>);

/// The basis of a sync: all changing facts on which the result of the sync depends. The sync of a claim may read every
/// volume, but no other claim. The sync of a volume reads the claim that the volume names. With an outdated cache, it
/// may read the claim that the volume named at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Basis {
    target: ObjectId,
    /// The variant of the object itself.
    own: u8,
    volumes: [u8; VOLUMES],
    claims: [u8; 2],
    /// Whether failures are explored.
    failures: bool,
}

impl<'a> SafetyModel<'a> {
    /// Returns the safety model of a plan, with the recorded state of all participants. Returns `None` if there are too
    /// many participants, or if the plan has too many steps.
    pub fn new(
        snapshot: &'a Snapshot,
        settings: &Settings<'a>,
        plan: &Plan,
        involved: &InvolvedObjects,
    ) -> Option<Self> {
        let mut parts = Parts { coverage: Coverage::complete(), now: snapshot.now(), ..Parts::default() };
        parts.objects.classes = snapshot.classes().to_vec();
        parts.objects.volumes = involved.volumes.iter().map(|id| snapshot.volume(*id).clone()).collect();
        parts.objects.claims = involved.claims.iter().map(|id| snapshot.claim(*id).clone()).collect();
        for claim in &parts.objects.claims {
            parts.objects.pods.extend(snapshot.pods_of(&claim.meta.namespace, &claim.meta.name).cloned());
        }
        let real: BTreeSet<(Str, Str)> =
            parts.objects.claims.iter().map(|claim| (claim.meta.namespace.clone(), claim.meta.name.clone())).collect();
        let possible_claims = involved.possible_claims(snapshot, plan);
        for possible_claim in &possible_claims {
            let key = (possible_claim.meta.namespace.clone(), possible_claim.meta.name.clone());
            if !real.contains(&key) && !parts.objects.claims.iter().any(|claim| claim.key() == possible_claim.key()) {
                parts.objects.claims.push((**possible_claim).clone());
            }
        }
        for name in involved.awaited.iter().filter(|name| !real.contains(*name)) {
            if !parts.objects.claims.iter().any(|claim| claim.meta.namespace == name.0 && claim.meta.name == name.1) {
                let mut placeholder = PersistentVolumeClaim::default();
                (placeholder.meta.namespace, placeholder.meta.name) = name.clone();
                placeholder.meta.uid = "<nobody>".into();
                parts.objects.claims.push(placeholder);
            }
        }
        if parts.objects.volumes.len() > VOLUMES
            || parts.objects.claims.len() > CLAIMS
            || plan.steps.len() > usize::from(u8::MAX / 2)
        {
            return None;
        }
        let model = Snapshot::new(parts);
        let allowed = model.volumes().iter().map(|volume| allowed(plan, volume)).collect();
        let place = |possible_claim: &PersistentVolumeClaim| {
            model.claim_id(&possible_claim.meta.namespace, &possible_claim.meta.name).map(|id| id.0 as usize)
        };
        let possible_claims = possible_claims
            .into_iter()
            .filter_map(|possible_claim| Some((place(&possible_claim)?, possible_claim)))
            .collect();
        let volumes: Vec<Vec<Arc<PersistentVolume>>> =
            model.volumes().iter().map(|volume| vec![Arc::new(volume.clone())]).collect();
        let claims: Vec<Vec<Arc<PersistentVolumeClaim>>> =
            model.claims().iter().map(|claim| vec![Arc::new(claim.clone())]).collect();
        let there = |claim: &PersistentVolumeClaim| {
            u8::from(real.contains(&(claim.meta.namespace.clone(), claim.meta.name.clone())))
        };
        let mut initial = State { objects: Objects::default(), fates: [DataState::default(); VOLUMES], position: 0 };
        for (place, _) in volumes.iter().enumerate() {
            initial.objects.volumes[place] = 1;
        }
        for (place, claim) in model.claims().iter().enumerate() {
            initial.objects.claims[place] = there(claim);
        }
        let settings = Settings { failures: false, tracing: false, ..settings.clone() };
        let mut made = Self {
            snapshot: model,
            settings,
            volumes,
            claims,
            possible_claims,
            applied: Vec::new(),
            carried: Vec::new(),
            allowed,
            initial,
            known: FxHashMap::default(),
            is_full: false,
        };
        made.doom(&mut initial);
        made.initial = initial;
        Some(made)
    }

    /// Returns whether an object had too many variants. Then different states could look the same.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the recorded state.
    pub(super) fn initial(&self) -> State {
        self.initial
    }

    /// Returns the volume at a place, if it exists.
    pub(super) fn volume(&self, state: &State, place: usize) -> Option<&Arc<PersistentVolume>> {
        self.volumes[place].get(usize::from(*state.objects.volumes.get(place)?).checked_sub(1)?)
    }

    /// Returns the claim at a place, if it exists.
    pub(super) fn claim(&self, state: &State, place: usize) -> Option<&Arc<PersistentVolumeClaim>> {
        self.claims[place].get(usize::from(*state.objects.claims.get(place)?).checked_sub(1)?)
    }

    /// Returns the places of all volumes.
    pub(super) fn volume_places(&self) -> std::ops::Range<usize> {
        0..self.volumes.len()
    }

    /// Returns the places of all claims.
    pub(super) fn claim_places(&self) -> std::ops::Range<usize> {
        0..self.claims.len()
    }

    /// Returns the name of the volume at a place.
    pub(super) fn volume_name(&self, place: usize) -> &Str {
        &self.snapshot.volumes()[place].meta.name
    }

    /// Returns the object of this key, as it is in a state. Returns `None` if it does not exist there, or if it is
    /// neither a volume nor a claim.
    pub(super) fn seen(&self, state: &State, object: &ObjectKey) -> Option<Seen> {
        match object.kind {
            Kind::PersistentVolume => {
                let place = self.snapshot.volume_id(&object.name)?.0 as usize;
                self.volume(state, place).cloned().map(Seen::Volume)
            }
            Kind::PersistentVolumeClaim => {
                let place = self.snapshot.claim_id(&object.namespace, &object.name)?.0 as usize;
                self.claim(state, place).cloned().map(Seen::Claim)
            }
            _ => None,
        }
    }

    /// Returns the same state with another version of the object, or without it.
    pub(super) fn with(&mut self, state: &State, object: &ObjectKey, seen: Option<Seen>) -> State {
        let mut after = *state;
        match (object.kind, seen) {
            (Kind::PersistentVolume, seen) => {
                let Some(id) = self.snapshot.volume_id(&object.name) else { return after };
                let volume = match seen {
                    Some(Seen::Volume(volume)) => Some(volume),
                    _ => None,
                };
                self.set_volume(&mut after, id.0 as usize, volume);
            }
            (_, seen) => {
                let Some(id) = self.snapshot.claim_id(&object.namespace, &object.name) else { return after };
                let claim = match seen {
                    Some(Seen::Claim(claim)) => Some(claim),
                    _ => None,
                };
                self.set_claim(&mut after, id.0 as usize, claim);
            }
        }
        self.doom(&mut after);
        after
    }

    pub(super) fn set_volume(&mut self, state: &mut State, place: usize, volume: Option<Arc<PersistentVolume>>) {
        let Some(variants) = self.volumes.get_mut(place) else { return };
        state.objects.volumes[place] =
            volume.map_or(0, |volume| variant(variants, volume, same_volume, &mut self.is_full));
    }

    pub(super) fn set_claim(&mut self, state: &mut State, place: usize, claim: Option<Arc<PersistentVolumeClaim>>) {
        let Some(variants) = self.claims.get_mut(place) else { return };
        state.objects.claims[place] = claim.map_or(0, |claim| variant(variants, claim, same_claim, &mut self.is_full));
    }

    /// Marks the volumes whose data a driver may begin to delete. The driver continues even if the policy changes
    /// afterwards.
    pub(super) fn doom(&self, state: &mut State) {
        for place in self.volume_places() {
            let deletable = self.volume(state, place).is_some_and(|volume| {
                volume.reclaim_policy == ReclaimPolicy::Delete
                    && (volume.terminating() && volume.status.phase != VolumePhase::Bound
                        || matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed))
            });
            state.fates[place].doomed |= deletable && !state.fates[place].anew;
        }
    }

    fn world<'w>(&'w self, state: &State) -> World<'w> {
        let mut world = World::focused(&self.snapshot, &BOUND_KINDS);
        for (id, place) in (0u32..).zip(self.volume_places()) {
            world.set(VolumeId::new(id), self.volume(state, place).cloned());
        }
        for (id, place) in (0u32..).zip(self.claim_places()) {
            world.set(ClaimId::new(id), self.claim(state, place).cloned());
        }
        world
    }

    /// Returns the possible next syncs: the synced object, whether nothing goes wrong, and the state after the sync. If
    /// `failures` is true, caches may be outdated, reads and writes may fail, and controllers may stop before a write.
    pub fn syncs(&mut self, state: &State, failures: bool) -> Vec<(ObjectId, bool, State)> {
        let mut all: Vec<(ObjectId, bool, State)> = Vec::new();
        for target in self.targets(state) {
            let basis = self.basis(state, target, failures);
            let known = if let Some(known) = self.known.get(&basis) {
                Arc::clone(known)
            } else {
                let found = Arc::new(self.explore(state, target, failures));
                self.known.insert(basis, Arc::clone(&found));
                found
            };
            for (ordinary, deltas) in known.iter() {
                let mut after = *state;
                for delta in deltas {
                    match *delta {
                        Delta::Volume(place, variant) => after.objects.volumes[place] = variant,
                        Delta::Claim(place, variant) => after.objects.claims[place] = variant,
                        Delta::Destroyed(place) => after.fates[place].destroyed = true,
                        Delta::Scrubbed(place) => after.fates[place].scrubbed = true,
                    }
                }
                self.doom(&mut after);
                if after != *state {
                    all.push((target, *ordinary, after));
                }
            }
        }
        all
    }

    /// Removes the results of all syncs, so that the syncs are explored again.
    pub fn forget_syncs(&mut self) {
        self.known.clear();
    }

    fn basis(&self, state: &State, target: ObjectId, failures: bool) -> Basis {
        let mut basis = Basis { target, own: 0, volumes: [0; VOLUMES], claims: [0; 2], failures };
        match target.typed() {
            TypedId::PersistentVolumeClaim(id) => {
                basis.own = state.objects.claims[id.0 as usize];
                basis.volumes = state.objects.volumes;
            }
            TypedId::PersistentVolume(id) => {
                let place = id.0 as usize;
                basis.own = state.objects.volumes[place];
                for (slot, moment) in basis.claims.iter_mut().zip([state, &self.initial]) {
                    let named = self.volume(moment, place).and_then(|volume| volume.claim_ref.as_ref());
                    let claim = named.and_then(|named| self.snapshot.claim_id(&named.namespace, &named.name));
                    *slot = claim.map_or(0, |id| state.objects.claims[id.0 as usize]);
                }
            }
            _ => {}
        }
        basis
    }

    /// Returns what the syncs of an object may change. The result is valid for every state with the same basis.
    fn explore(&mut self, state: &State, target: ObjectId, failures: bool) -> Vec<SyncResult> {
        let mut outcomes: Vec<(bool, Vec<Overlay>)> = Vec::new();
        {
            let model = &*self;
            let world = model.world(state);
            let earlier = failures.then(|| model.world(&model.initial));
            for Stepped { world: after, ordinary } in stepped(&world, earlier.as_ref(), &model.settings, target) {
                let changes = Overlay::between(&world, &after);
                if !changes.is_empty() {
                    outcomes.push((ordinary, changes));
                }
            }
        }
        let mut all: Vec<SyncResult> = Vec::new();
        for (ordinary, changes) in outcomes {
            let mut deltas = Vec::with_capacity(changes.len());
            for change in changes {
                let delta = match change {
                    Overlay::Volume(place, volume) => {
                        let known = &mut self.volumes[place];
                        let variant = volume.map_or(0, |volume| variant(known, volume, same_volume, &mut self.is_full));
                        (variant != state.objects.volumes[place]).then_some(Delta::Volume(place, variant))
                    }
                    Overlay::Claim(place, claim) => {
                        let known = &mut self.claims[place];
                        let variant = claim.map_or(0, |claim| variant(known, claim, same_claim, &mut self.is_full));
                        (variant != state.objects.claims[place]).then_some(Delta::Claim(place, variant))
                    }
                    Overlay::Destroyed(place) => Some(Delta::Destroyed(place)),
                    Overlay::Scrubbed(place) => Some(Delta::Scrubbed(place)),
                };
                deltas.extend(delta);
            }
            if !deltas.is_empty() && !all.iter().any(|(_, same)| *same == deltas) {
                all.push((ordinary, deltas));
            }
        }
        all
    }

    fn targets(&self, state: &State) -> Vec<ObjectId> {
        let volumes = (0u32..).zip(self.volume_places()).filter(|(_, place)| state.objects.volumes[*place] != 0);
        let claims = (0u32..).zip(self.claim_places()).filter(|(_, place)| state.objects.claims[*place] != 0);
        let volumes = volumes.map(|(id, _)| ObjectId::from(VolumeId::new(id)));
        volumes.chain(claims.map(|(id, _)| ObjectId::from(ClaimId::new(id)))).collect()
    }

    /// Returns the key of the object.
    pub(super) fn key_of(&self, target: ObjectId) -> ObjectKey {
        self.snapshot.key(target)
    }

    /// Returns the claim at a place, in words.
    pub(super) fn claim_name(&self, place: usize) -> String {
        self.snapshot.claims()[place].key().to_string()
    }

    /// Returns the possible claim with this number, in words.
    pub(super) fn possible_claim(&self, possible_claim: usize) -> String {
        let claim = &self.possible_claims[possible_claim].1;
        let whose = if claim.meta.namespace == STRANGER {
            "a stranger's claim".to_owned()
        } else {
            format!("claim {}", claim.key())
        };
        if claim.volume_name.is_empty() { whose } else { format!("{whose} that names volume {}", claim.volume_name) }
    }

    /// Returns whether a recheck holds in the safety model. Pods and attachments do not change in this model.
    pub(super) fn recheck(&self, state: &State, recheck: &Recheck) -> bool {
        let named = |wanted: &VolumeIdentity| {
            let id = self.snapshot.volume_id(wanted.name())?;
            self.volume(state, id.0 as usize).filter(|found| wanted.differs(found).is_none())
        };
        match recheck {
            Recheck::Retained { volume } => {
                named(volume).is_some_and(|volume| volume.reclaim_policy == ReclaimPolicy::Retain)
            }
            Recheck::AllRetained { namespace, name } => {
                let claim = self.snapshot.claim_id(namespace, name).and_then(|id| self.claim(state, id.0 as usize));
                let volumes = self.volume_places().filter_map(|place| self.volume(state, place));
                let there = |volume: &PersistentVolume| {
                    let named = volume.claim_ref.as_ref()?;
                    let id = self.snapshot.claim_id(&named.namespace, &named.name)?;
                    self.claim(state, id.0 as usize).map(Arc::as_ref)
                };
                claim.is_none_or(|claim| volumes.into_iter().all(|volume| keeps(volume, claim, there(volume))))
            }
            Recheck::Lives { namespace, name, volume } => {
                let claim = self.snapshot.claim_id(namespace, name).and_then(|id| self.claim(state, id.0 as usize));
                let holder = named(volume).and_then(|volume| volume.claim_ref.as_ref()).map(|named| &named.uid);
                claim.is_some_and(|claim| !claim.terminating() && holder == Some(&claim.meta.uid))
            }
            Recheck::Reserved { volume, namespace, name } => {
                named(volume).is_some_and(|volume| volume.is_reserved_for(namespace, name))
            }
            Recheck::Unused { .. }
            | Recheck::Unmounted { .. }
            | Recheck::Detached { .. }
            | Recheck::NotRecycled { .. }
            | Recheck::NotNeeded { .. }
            | Recheck::OneMachine { .. }
            | Recheck::Unprovisioned { .. }
            | Recheck::MachineOff { .. }
            | Recheck::AddressFree { .. }
            | Recheck::SameServer { .. }
            | Recheck::NoClients { .. } => true,
        }
    }

    /// Returns the claim that the volume named at the start, bound or not, if that claim is Lost now.
    pub(super) fn lost(&self, state: &State, place: usize) -> Option<(Str, Str)> {
        let had = self.volume(&self.initial, place)?.claim_ref.as_ref()?;
        let claim = self.snapshot.claim_id(&had.namespace, &had.name)?.0 as usize;
        let (then, now) = (self.claim(&self.initial, claim)?, self.claim(state, claim)?);
        let fell = then.meta.uid == now.meta.uid
            && then.meta.uid == had.uid
            && then.status.phase != ClaimPhase::Lost
            && now.status.phase == ClaimPhase::Lost;
        fell.then(|| (had.namespace.clone(), had.name.clone()))
    }

    /// Returns the claim that has the volume, if this claim may not have it.
    pub(super) fn taker(&self, state: &State, place: usize) -> Option<(Str, Str)> {
        let named = self.volume(state, place)?.claim_ref.as_ref().filter(|named| !named.uid.is_empty())?;
        let taker = (named.namespace.clone(), named.name.clone());
        (!self.allowed[place].contains(&taker)).then_some(taker)
    }
}

/// A difference between two worlds.
enum Overlay {
    Volume(usize, Option<Arc<PersistentVolume>>),
    Claim(usize, Option<Arc<PersistentVolumeClaim>>),
    Destroyed(usize),
    Scrubbed(usize),
}

impl Overlay {
    /// Returns what a sync changed. The two worlds share all objects that were not written.
    fn between(before: &World<'_>, after: &World<'_>) -> Vec<Self> {
        let staged = before.snapshot().volumes().len();
        let mut changes = Vec::new();
        for ((_, then), (id, now)) in before.changed_of::<PersistentVolume>().zip(after.changed_of()) {
            if !is_same(then, now) {
                changes.push(Self::Volume(id.0 as usize, now.map(Held::to_arc)));
            }
        }
        for ((_, then), (id, now)) in before.changed_of::<PersistentVolumeClaim>().zip(after.changed_of()) {
            if !is_same(then, now) {
                changes.push(Self::Claim(id.0 as usize, now.map(Held::to_arc)));
            }
        }
        let new = |mark: Mark| -> Vec<usize> {
            let fresh = after.marked(mark).filter(|id| !before.has_mark(*id, mark) && (id.at as usize) < staged);
            fresh.map(|id| id.at as usize).collect()
        };
        changes.extend(new(DESTROYED).into_iter().map(Self::Destroyed));
        changes.extend(new(SCRUBBING).into_iter().map(Self::Scrubbed));
        changes
    }
}

fn is_same<T>(then: Option<&Held<'_, T>>, now: Option<&Held<'_, T>>) -> bool {
    match (then, now) {
        (Some(then), Some(now)) => then.is(now),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// A difference between two states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Delta {
    /// The volume at this place has another variant.
    Volume(usize, u8),
    /// The claim at this place has another variant.
    Claim(usize, u8),
    /// The data of the volume at this place are deleted.
    Destroyed(usize),
    /// The data of the volume at this place are being erased.
    Scrubbed(usize),
}

/// Returns the number of a variant, from 1.
fn variant<T>(known: &mut Vec<Arc<T>>, object: Arc<T>, same: impl Fn(&T, &T) -> bool, is_full: &mut bool) -> u8 {
    let at = known.iter().position(|one| Arc::ptr_eq(one, &object) || same(one, &object)).unwrap_or_else(|| {
        known.push(object);
        known.len() - 1
    });
    u8::try_from(at + 1).unwrap_or_else(|_| {
        *is_full = true;
        u8::MAX
    })
}

fn same_volume(a: &PersistentVolume, b: &PersistentVolume) -> bool {
    let same_ref = match (&a.claim_ref, &b.claim_ref) {
        (Some(a), Some(b)) => a.namespace == b.namespace && a.name == b.name && a.uid == b.uid,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    same_ref
        && a.meta.uid == b.meta.uid
        && a.reclaim_policy == b.reclaim_policy
        && a.status.phase == b.status.phase
        && a.terminating() == b.terminating()
        && a.meta.finalizers == b.meta.finalizers
        && a.meta.annotations == b.meta.annotations
}

fn same_claim(a: &PersistentVolumeClaim, b: &PersistentVolumeClaim) -> bool {
    a.meta.uid == b.meta.uid
        && a.volume_name == b.volume_name
        && a.class_name == b.class_name
        && a.status.phase == b.status.phase
        && a.terminating() == b.terminating()
        && a.meta.finalizers == b.meta.finalizers
        && a.meta.annotations == b.meta.annotations
}
