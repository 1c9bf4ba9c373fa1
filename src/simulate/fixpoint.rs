//! The sound engine for everything else: the possible states of each object, grown until nothing is added.
//!
//! Objects that are alike in all that decides form a group, of which two stand for all: the one that is looked at, and
//! another one. A sync is the controllers' own code, run in a world that holds the synced object in one of its states
//! and at most one partner in one of its own; a claim that searches is run against each volume that it could find, and
//! against none unless some volume that fits is always there.
//!
//! Where every world settles, a state is kept as an end only if each object that it touches has an end that goes with
//! it: a free volume and a claim that would take it are no ends together. No end is missed; some that are listed may
//! not be possible.

use super::component::{Component, is_permanent, may_search};
use super::decide::{Limit, Settings, Target, memory_of, run};
use super::outcome::{Outcome, OutcomeSet, cut, most};
use super::state::{same_claim, same_volume};
use crate::controllers::persistent_volume::binding::is_volume_bound_to_claim;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::controllers::persistent_volume::plugins::delete_host_path;
use crate::controllers::{Controller, Sync};
use crate::model::{AnnotationKey, BindingMode, ClaimKey, PersistentVolume, PersistentVolumeClaim, Quantity, Str};
use crate::snapshot::{ClaimId, Snapshot, VolumeId};
use crate::world::{Answers, ApiError, Cached, Choices, ControllerState, Effect, Held, World};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Two members stand for a group: the one that is looked at, and another one.
const REPRESENTATIVES: usize = 2;

/// Above so many pairs of groups, a claim's and a volume's, sizes no longer tell groups apart.
const MOST_PAIRS: usize = 10_000;

/// The outcomes of each object of a component: of the volumes, and of the claims.
pub(super) fn fixpoint(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    component: &Component,
) -> (Vec<OutcomeSet>, Vec<OutcomeSet>) {
    let groups = Groups::new(snapshot, settings, component);
    let mut growth = Growth::new(snapshot, settings, &groups, component);
    while growth.grow() {}
    let ends = if growth.settles() { growth.consistent_ends() } else { growth.possible_ends() };
    let mut sets = Sets { growth: &growth, ends: &ends, ladders: FxHashMap::default(), known: FxHashMap::default() };
    let volumes = component.volumes.iter().map(|id| sets.of(Target::Volume(*id))).collect();
    let claims = component.claims.iter().map(|id| sets.of(Target::Claim(*id))).collect();
    (volumes, claims)
}

/// A possible state of an object.
#[derive(Clone, Debug)]
enum ObjectState {
    Volume(Option<Arc<PersistentVolume>>),
    Claim(Option<Arc<PersistentVolumeClaim>>),
}

impl ObjectState {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Volume(None), Self::Volume(None)) | (Self::Claim(None), Self::Claim(None)) => true,
            (Self::Volume(Some(a)), Self::Volume(Some(b))) => Arc::ptr_eq(a, b) || same_volume(a, b),
            (Self::Claim(Some(a)), Self::Claim(Some(b))) => Arc::ptr_eq(a, b) || same_claim(a, b),
            _ => false,
        }
    }

    fn volume(&self) -> Option<&PersistentVolume> {
        match self {
            Self::Volume(volume) => volume.as_deref(),
            Self::Claim(_) => None,
        }
    }

    fn claim(&self) -> Option<&PersistentVolumeClaim> {
        match self {
            Self::Claim(claim) => claim.as_deref(),
            Self::Volume(_) => None,
        }
    }
}

/// The groups of alike objects of a component.
struct Groups {
    members: Vec<Vec<Target>>,
    of: FxHashMap<Target, usize>,
    /// Members of one group may differ in size; a volume's representatives are its largest ones, a claim's those that
    /// ask least, so that they can do whatever any two members can.
    sizes_differ: bool,
}

impl Groups {
    fn new(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Self {
        let exact = Self::by(snapshot, settings, component, true);
        let volumes = exact.members.iter().filter(|members| matches!(members.first(), Some(Target::Volume(_)))).count();
        if volumes.saturating_mul(exact.members.len() - volumes) <= MOST_PAIRS {
            return exact;
        }
        Self::by(snapshot, settings, component, false)
    }

    fn by(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component, by_size: bool) -> Self {
        let selectors = Selectors::new(snapshot, component);
        let mut members: Vec<Vec<Target>> = Vec::new();
        let mut by_text: FxHashMap<String, usize> = FxHashMap::default();
        let mut of = FxHashMap::default();
        for target in component.objects() {
            let group = if let Some(text) = identity_free(snapshot, settings, &selectors, target, by_size) { *by_text.entry(text).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            }) } else {
                members.push(Vec::new());
                members.len() - 1
            };
            members[group].push(target);
            of.insert(target, group);
        }
        if !by_size {
            for members in &mut members {
                members.sort_by(|a, b| {
                    let order = size_of(snapshot, *a).compare(&size_of(snapshot, *b));
                    if matches!(a, Target::Volume(_)) { order.reverse() } else { order }.then(a.cmp(b))
                });
            }
        }
        Self { members, of, sizes_differ: !by_size }
    }

    fn of(&self, target: Target) -> Option<usize> {
        self.of.get(&target).copied()
    }
}

/// A volume's capacity, a claim's request.
fn size_of(snapshot: &Snapshot, target: Target) -> Quantity {
    match target {
        Target::Volume(id) => snapshot.volume(id).storage().copied(),
        Target::Claim(id) => snapshot.claim(id).request,
    }
    .unwrap_or(Quantity::ZERO)
}

/// The claims with different selectors, one for each selector: of a volume's labels only what these say of them counts.
struct Selectors(Vec<ClaimId>);

impl Selectors {
    fn new(snapshot: &Snapshot, component: &Component) -> Self {
        let mut different: Vec<ClaimId> = Vec::new();
        for id in &component.claims {
            let selector = &snapshot.claim(*id).selector;
            if selector.is_some() && !different.iter().any(|known| snapshot.claim(*known).selector == *selector) {
                different.push(*id);
            }
        }
        Self(different)
    }

    fn verdicts(&self, snapshot: &Snapshot, volume: &PersistentVolume) -> String {
        let matches = |id: &ClaimId| {
            let compiled = snapshot.claim(*id).selector.as_ref().and_then(|selector| selector.compile().ok());
            compiled.is_some_and(|selector| selector.matches(&volume.meta.labels))
        };
        self.0.iter().map(|id| if matches(id) { '1' } else { '0' }).collect()
    }
}

/// All that decides about an object whose identity nobody refers to, as text; nothing where somebody does.
fn identity_free(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    selectors: &Selectors,
    target: Target,
    by_size: bool,
) -> Option<String> {
    let lags = match target {
        Target::Volume(id) => settings.controller.cached_volume(id).is_some(),
        Target::Claim(id) => settings.controller.cached_claim(id).is_some(),
    };
    if lags || !settings.controller.operations.is_empty() {
        return None;
    }
    match target {
        Target::Volume(id) => {
            let volume = snapshot.volume(id);
            let alone = volume.claim_ref.is_some() || !snapshot.claims_naming(&volume.meta.name).is_empty();
            (!alone).then(|| {
                format!(
                    "v {:?} {:?} {:?} {:?} {:?} {:?} {:?} {}",
                    Snapshot::group_key(volume),
                    volume.storage().map(|size| if by_size { size.to_string() } else { String::new() }),
                    volume.status.phase,
                    (volume.meta.deleted.is_some(), volume.meta.deletion_grace_seconds),
                    volume.meta.finalizers,
                    volume.meta.annotations,
                    (&volume.reclaim_policy, &volume.source.kind, delete_host_path(volume).is_ok()),
                    selectors.verdicts(snapshot, volume)
                )
            })
        }
        Target::Claim(id) => {
            let claim = snapshot.claim(id);
            let alone = !claim.volume_name.is_empty()
                || settings.rules.hostpath_provisioning
                || !snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).is_empty()
                // Only a claim that is being deleted can vanish, and only then pods decide anything.
                || (claim.terminating()
                    && snapshot.pods_of(&claim.meta.namespace, &claim.meta.name).next().is_some());
            (!alone).then(|| {
                format!(
                    "c {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    claim.class_name,
                    claim.mode(),
                    claim.attributes_class,
                    claim.request.map(|request| if by_size { request.to_string() } else { String::new() }),
                    claim.access_modes,
                    claim.selector,
                    claim.status.phase,
                    claim.meta.annotations,
                    claim.meta.finalizers,
                    (claim.meta.deleted.is_some(), claim.meta.deletion_grace_seconds, claim.data_source)
                )
            })
        }
    }
}

/// An object that stands for its group, with its possible states, and from which state some sync led to which.
struct Standing {
    target: Target,
    states: Vec<ObjectState>,
    steps: Vec<(usize, usize)>,
    /// The states of a volume without a claimRef, and those with one by the claim that it names.
    free: Vec<usize>,
    held: FxHashMap<ClaimKey, Vec<usize>>,
}

impl Standing {
    fn new(target: Target) -> Self {
        let (states, steps, free, held) = (Vec::new(), Vec::new(), Vec::new(), FxHashMap::default());
        Self { target, states, steps, free, held }
    }

    fn add(&mut self, state: ObjectState) {
        let number = self.states.len();
        if let Some(volume) = state.volume() {
            match &volume.claim_ref {
                None => self.free.push(number),
                Some(named) => self.held.entry(named.claim_key()).or_default().push(number),
            }
        }
        self.states.push(state);
    }
}

/// Who else is in the world of a sync: an object by its place, in one of its states.
type Partner = Option<(usize, usize)>;

struct Growth<'a, 's> {
    snapshot: &'s Snapshot,
    settings: &'a Settings<'s>,
    groups: &'a Groups,
    objects: Vec<Standing>,
    places: FxHashMap<Target, usize>,
    /// Volumes that exist only since some sync, by name.
    created: BTreeMap<Str, Target>,
    /// For searches that cannot be used: a volume outside the component that is always there, for some access modes.
    permanent: Vec<VolumeId>,
    done: FxHashSet<(usize, usize, Partner)>,
}

/// What the sync of a volume sees of the claim that its claimRef names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClaimSeen {
    Gone,
    NamesNone,
    NamesThis,
    NamesOther,
}

impl<'a, 's> Growth<'a, 's> {
    fn new(snapshot: &'s Snapshot, settings: &'a Settings<'s>, groups: &'a Groups, component: &Component) -> Self {
        let mut objects = Vec::new();
        let mut places = FxHashMap::default();
        for target in groups.members.iter().flat_map(|members| members.iter().take(REPRESENTATIVES)) {
            let recorded = match target {
                Target::Volume(id) => ObjectState::Volume(Some(Arc::new(snapshot.volume(*id).clone()))),
                Target::Claim(id) => ObjectState::Claim(Some(Arc::new(snapshot.claim(*id).clone()))),
            };
            places.insert(*target, objects.len());
            let mut object = Standing::new(*target);
            object.add(recorded);
            objects.push(object);
        }
        let unusable = component.claims.iter().any(|id| {
            let claim = snapshot.claim(*id);
            may_search(claim) && Query::new(&settings.rules, claim, false).is_err()
        });
        let mut permanent: Vec<VolumeId> = Vec::new();
        if unusable {
            let mut sets = Vec::new();
            for (id, volume) in (0..).map(VolumeId).zip(snapshot.volumes()) {
                if is_permanent(volume) && !sets.contains(&volume.access_modes.set()) {
                    sets.push(volume.access_modes.set());
                    permanent.push(id);
                }
            }
        }
        let (created, done) = (BTreeMap::new(), FxHashSet::default());
        Self { snapshot, settings, groups, objects, places, created, permanent, done }
    }

    /// Whether every world comes to rest once no more failures happen. The controllers by themselves never undo what they
    /// did; where writes are refused or caches lag for good, they may.
    fn settles(&self) -> bool {
        let memory = &self.settings.controller;
        self.settings.answers == Answers::default()
            && memory.volumes.is_empty()
            && memory.claims.is_empty()
            && memory.operations.is_empty()
    }

    /// One round over all states; whether anything was added.
    fn grow(&mut self) -> bool {
        let mut grown = false;
        for place in 0..self.objects.len() {
            for number in 0..self.objects[place].states.len() {
                for partner in self.partners(place, number) {
                    if self.done.insert((place, number, partner)) {
                        grown |= self.step(place, number, partner);
                    }
                }
            }
        }
        grown
    }

    /// One sync in a world of two; whether it led to a new state.
    fn step(&mut self, place: usize, number: usize, partner: Partner) -> bool {
        let mut grown = false;
        for after in self.syncs(place, number, partner, self.settings.failures) {
            for (target, state) in self.changes(&after) {
                let at = match self.places.get(&target) {
                    Some(at) => *at,
                    // A volume outside the component stands in the world only for its access modes.
                    None if self.created.values().all(|created| *created != target) => continue,
                    None => {
                        self.places.insert(target, self.objects.len());
                        self.objects.push(Standing::new(target));
                        self.objects.len() - 1
                    }
                };
                let object = &mut self.objects[at];
                let reached = object.states.iter().position(|known| known.same(&state)).unwrap_or_else(|| {
                    object.add(state);
                    grown = true;
                    object.states.len() - 1
                });
                let from =
                    if at == place { Some(number) } else { partner.filter(|(other, _)| *other == at).map(|p| p.1) };
                if let Some(from) = from
                    && from != reached
                    && !object.steps.contains(&(from, reached))
                {
                    object.steps.push((from, reached));
                }
            }
        }
        grown
    }

    /// Everything in a focused world, as states. A volume that the sync created gets an id by its claim.
    fn changes(&mut self, world: &World<'s>) -> Vec<(Target, ObjectState)> {
        let recorded = self.snapshot.volumes().len();
        let mut all = Vec::new();
        for (id, volume) in world.changed_volumes() {
            let mut target = Target::Volume(*id);
            if let Some(volume) = volume.as_ref().filter(|_| id.0 as usize >= recorded) {
                let next = u32::try_from(recorded + self.created.len()).unwrap_or(u32::MAX);
                target = *self.created.entry(volume.meta.name.clone()).or_insert(Target::Volume(VolumeId(next)));
            }
            all.push((target, ObjectState::Volume(volume.clone())));
        }
        let claims = world.changed_claims().iter();
        all.extend(claims.map(|(id, claim)| (Target::Claim(*id), ObjectState::Claim(claim.clone()))));
        all
    }

    fn world(&self, place: usize, number: usize, partner: Partner) -> World<'s> {
        let mut world = World::focused(self.snapshot);
        put(&mut world, self.objects[place].target, &self.objects[place].states[number]);
        if let Some((other, state)) = partner {
            put(&mut world, self.objects[other].target, &self.objects[other].states[state]);
        }
        if let Some(claim) = self.objects[place].states[number].claim()
            && may_search(claim)
            && let Some(id) = self.permanent_for(claim)
        {
            // It is met only by a search that cannot be used: in all others it is in the component, or does not fit.
            if world.volume(id).is_none() && self.query(claim).is_none() {
                world.set_volume(id, Some(Arc::new(self.snapshot.volume(id).clone())));
            }
        }
        world
    }

    fn permanent_for(&self, claim: &PersistentVolumeClaim) -> Option<VolumeId> {
        let has_modes =
            |id: &&VolumeId| self.snapshot.volume(**id).access_modes.set().contains_all(&claim.access_modes);
        self.permanent.iter().find(has_modes).copied()
    }

    /// The worlds after one sync of every controller, for every choice.
    fn syncs(&self, place: usize, number: usize, partner: Partner, failures: bool) -> Vec<World<'s>> {
        let before = self.world(place, number, partner);
        let target = self.objects[place].target;
        let mut worlds = Vec::new();
        for controller in &self.settings.controllers {
            let memory = memory_of(*controller, &self.settings.controller);
            self.runs(&before, *controller, target, &memory, failures, &mut worlds);
            if failures {
                for lagging in self.lagging(&before, &memory) {
                    self.runs(&before, *controller, target, &lagging, false, &mut worlds);
                }
            }
        }
        worlds
    }

    /// The worlds after one sync of one controller, for every choice; with `cuts`, also those where a write is refused
    /// or the controller stops before it.
    fn runs(
        &self,
        before: &World<'s>,
        controller: Controller,
        target: Target,
        memory: &ControllerState<'s>,
        cuts: bool,
        worlds: &mut Vec<World<'s>>,
    ) {
        let rules = &self.settings.rules;
        let mut choices = Some(Choices::first());
        while let Some(script) = choices {
            let mut after = before.clone();
            let mut own = memory.clone();
            let sync = Sync::new(&mut after, &mut own, &self.settings.answers, script);
            let Some((decision, met)) = run(sync, rules, controller, target) else { break };
            worlds.push(after);
            let writes = decision.record.effects.iter().filter(|effect| matches!(effect, Effect::Write(_))).count();
            for write in (1..=if cuts { writes } else { 0 }).filter_map(|write| u32::try_from(write).ok()) {
                let refused = Answers {
                    refuse: Some((write, ApiError::Other("refused".to_owned()))),
                    ..self.settings.answers.clone()
                };
                for (answers, crash) in [(&self.settings.answers, Some(write)), (&refused, None)] {
                    let mut after = before.clone();
                    let mut own = memory.clone();
                    let sync = Sync::new(&mut after, &mut own, answers, met.repeat()).crashing_before(crash);
                    run(sync, rules, controller, target);
                    worlds.push(after);
                }
            }
            choices = met.next();
        }
    }

    /// The controller's memory with one of the objects as it was recorded.
    fn lagging(&self, world: &World<'s>, memory: &ControllerState<'s>) -> Vec<ControllerState<'s>> {
        let recorded = self.snapshot.volumes().len();
        let mut all = Vec::new();
        for (id, _) in world.changed_volumes().iter().filter(|(id, _)| (id.0 as usize) < recorded) {
            let mut lagging = memory.clone();
            lagging.volumes.push((*id, Cached::Stale(Held::Base(self.snapshot.volume(*id)))));
            all.push(lagging);
        }
        for (id, _) in world.changed_claims() {
            let mut lagging = memory.clone();
            lagging.claims.push((*id, Cached::Stale(Held::Base(self.snapshot.claim(*id)))));
            all.push(lagging);
        }
        all
    }

    /// The place of the claim that a volume's claimRef names, if there is one.
    fn claim_of(&self, volume: &PersistentVolume) -> Option<usize> {
        let named = volume.claim_ref.as_ref()?;
        let id = self.snapshot.claim_id(&named.namespace, &named.name)?;
        self.places.get(&Target::Claim(id)).copied()
    }

    /// The place of the volume that a claim names, if there is one.
    fn volume_of(&self, claim: &PersistentVolumeClaim) -> Option<usize> {
        let recorded = self.snapshot.volume_id(&claim.volume_name).map(Target::Volume);
        let target = recorded.or_else(|| self.created.get(&claim.volume_name).copied())?;
        self.places.get(&target).copied()
    }

    /// With whom a sync of the object in that state has to be looked at.
    fn partners(&self, place: usize, number: usize) -> Vec<Partner> {
        let state = &self.objects[place].states[number];
        match state {
            ObjectState::Volume(None) | ObjectState::Claim(None) => Vec::new(),
            ObjectState::Volume(Some(volume)) => match self.claim_of(volume) {
                None => vec![None],
                Some(claim) => {
                    let states = self.objects[claim].states.iter().enumerate();
                    if self.settings.failures {
                        return states.map(|(number, _)| Some((claim, number))).collect();
                    }
                    let mut seen: Vec<ClaimSeen> = Vec::new();
                    let mut partners = Vec::new();
                    for (number, state) in states {
                        let sees = claim_seen(volume, state);
                        if !seen.contains(&sees) {
                            seen.push(sees);
                            partners.push(Some((claim, number)));
                        }
                    }
                    partners
                }
            },
            ObjectState::Claim(Some(claim)) if may_search(claim) => self.candidates(claim),
            ObjectState::Claim(Some(claim)) => match self.volume_of(claim) {
                None => vec![None],
                Some(volume) => {
                    let mut taken = false;
                    let states = self.objects[volume].states.iter().enumerate();
                    let once = |(number, state): (usize, &ObjectState)| {
                        let is_taken = state.volume().is_some_and(|volume| is_taken(volume, claim));
                        let again = is_taken && taken && !self.settings.failures;
                        taken |= is_taken;
                        (!again).then_some(Some((volume, number)))
                    };
                    states.filter_map(once).collect()
                }
            },
        }
    }

    /// The search of a claim, if it can be used.
    fn query<'c>(&self, claim: &'c PersistentVolumeClaim) -> Option<Query<'c>> {
        let rules = &self.settings.rules;
        let selected = rules.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode);
        let class = self.snapshot.class(claim.class());
        let delays = |mode: &BindingMode| *mode == BindingMode::WaitForFirstConsumer;
        let delay = !selected && class.is_some_and(|class| class.binding_mode.as_ref().is_some_and(delays));
        Query::new(rules, claim, delay).ok()
    }

    /// The volumes that a searching claim may find, each in a state in which it fits; and nobody, unless some volume
    /// fits in all of its states. Volumes that are always beaten by such a one are left out.
    fn candidates(&self, claim: &PersistentVolumeClaim) -> Vec<Partner> {
        let volumes = || self.objects.iter().enumerate().filter(|(_, o)| matches!(o.target, Target::Volume(_)));
        let has_modes = |volume: &PersistentVolume| volume.access_modes.set().contains_all(&claim.access_modes);
        let Some(query) = self.query(claim) else {
            // The search fails as such where any volume has the access modes, and else finds nothing.
            let any = volumes().find_map(|(place, object)| {
                let number = object.states.iter().position(|state| state.volume().is_some_and(has_modes))?;
                Some(Some((place, number)))
            });
            return [None].into_iter().chain(any).collect();
        };
        let fits = |volume: &PersistentVolume| {
            (volume.claim_ref.is_none() || is_volume_bound_to_claim(volume, claim))
                && has_modes(volume)
                && !matches!(query.fit(volume), Fit::No(_))
        };
        // What an always available volume beats: later tiers, and in its own group larger sizes.
        let always: Vec<&PersistentVolume> = if self.groups.sizes_differ || self.settings.failures {
            Vec::new()
        } else {
            volumes()
                .filter(|(_, object)| object.states.iter().all(|state| state.volume().is_some_and(fits)))
                .filter_map(|(_, object)| object.states.first().and_then(ObjectState::volume))
                .collect()
        };
        let size = |volume: &PersistentVolume| volume.storage().copied().unwrap_or(Quantity::ZERO);
        let beaten = |volume: &PersistentVolume| {
            always.iter().any(|rival| {
                let (rival_set, set) = (rival.access_modes.set(), volume.access_modes.set());
                rival_set.len() < set.len()
                    || (rival_set == set
                        && match (query.fit(rival), query.fit(volume)) {
                            (Fit::Reserved, Fit::Free) => true,
                            (Fit::Free, Fit::Free) => size(rival).compare(&size(volume)).is_lt(),
                            _ => false,
                        })
            })
        };
        let key = claim.key();
        let mut partners: Vec<Partner> = Vec::new();
        if always.is_empty() {
            partners.push(None);
        }
        for (place, object) in volumes() {
            // With a cache that lags, a claim may go for what a volume was.
            if self.settings.failures && object.states[0].volume().is_some_and(fits) {
                partners.extend((0..object.states.len()).map(|number| Some((place, number))));
                continue;
            }
            let held = object.held.get(&key).into_iter().flatten();
            let open = object.free.iter().chain(held).copied();
            let can_be_had = |number: &usize| {
                object.states[*number].volume().is_some_and(|volume| fits(volume) && !beaten(volume))
            };
            partners.extend(open.filter(can_be_had).map(|number| Some((place, number))));
        }
        partners
    }

    /// Whether a sync of the object leaves both as they are, for every choice.
    fn leaves(&self, place: usize, number: usize, partner: Partner, partner_too: bool) -> bool {
        let target = self.objects[place].target;
        self.syncs(place, number, partner, false).iter().all(|after| {
            let volumes = after.changed_volumes().iter().all(|(id, volume)| {
                let changed = Target::Volume(*id);
                let is = ObjectState::Volume(volume.clone());
                self.was(changed, place, number, partner).map_or(changed != target, |was| was.same(&is))
                    || (changed != target && !partner_too)
            });
            let claims = after.changed_claims().iter().all(|(id, claim)| {
                let changed = Target::Claim(*id);
                let is = ObjectState::Claim(claim.clone());
                self.was(changed, place, number, partner).map_or(changed != target, |was| was.same(&is))
                    || (changed != target && !partner_too)
            });
            volumes && claims
        })
    }

    fn was(&self, changed: Target, place: usize, number: usize, partner: Partner) -> Option<&ObjectState> {
        if changed == self.objects[place].target {
            return Some(&self.objects[place].states[number]);
        }
        let (other, state) = partner.filter(|(other, _)| self.objects[*other].target == changed)?;
        Some(&self.objects[other].states[state])
    }

    /// The states in which each object can stay, where worlds may go round: some partner leaves it as it is, or it
    /// comes round to it again. Each with whether it goes round.
    fn possible_ends(&self) -> Ends {
        let mut ends = Vec::new();
        for (place, object) in self.objects.iter().enumerate() {
            let mut kept = Vec::new();
            for (number, state) in object.states.iter().enumerate() {
                let gone = matches!(state, ObjectState::Volume(None) | ObjectState::Claim(None));
                if on_cycle(number, &object.steps) {
                    kept.push((number, true));
                }
                let rests = || self.partners(place, number).into_iter().any(|p| self.leaves(place, number, p, false));
                if gone || rests() {
                    kept.push((number, false));
                }
            }
            ends.push(kept);
        }
        ends
    }

    /// The states in which each object can stay, where all worlds settle: the largest sets in which every state leaves
    /// itself as it is, and goes together with some end of each object that it touches.
    fn consistent_ends(&self) -> Ends {
        let mut kept: Vec<Vec<bool>> = self.objects.iter().map(|object| vec![true; object.states.len()]).collect();
        let stands: Vec<Vec<Stands>> = (0..self.objects.len())
            .map(|place| (0..self.objects[place].states.len()).map(|number| self.stands(place, number)).collect())
            .collect();
        let mut searching: Vec<usize> = Vec::new();
        let mut naming: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (place, object) in self.objects.iter().enumerate() {
            let Some(claim) = object.states.first().and_then(ObjectState::claim) else { continue };
            if may_search(claim) {
                searching.push(place);
            } else if let Some(volume) = self.volume_of(claim) {
                naming.entry(volume).or_default().push(place);
            }
        }
        loop {
            let mut dropped = false;
            for (place, object) in self.objects.iter().enumerate() {
                for (number, state) in object.states.iter().enumerate() {
                    if !kept[place][number] {
                        continue;
                    }
                    let stays = match &stands[place][number] {
                        Stands::Never => false,
                        Stands::Alone => true,
                        Stands::With(partner, states) => states.iter().any(|state| kept[*partner][*state]),
                    };
                    let goes_together = || match state {
                        ObjectState::Volume(Some(volume)) => {
                            let free = volume.claim_ref.is_none();
                            let searching = searching.iter().filter(|_| free && !self.groups.sizes_differ);
                            let naming = naming.get(&place).into_iter().flatten();
                            searching.chain(naming).all(|claim| {
                                let ends = kept[*claim].iter().enumerate().filter(|(_, kept)| **kept);
                                let mut ends = ends.map(|(end, _)| end);
                                ends.any(|end| self.compatible(&stands, (*claim, end), (place, number)))
                            })
                        }
                        ObjectState::Claim(Some(claim)) if may_search(claim) && !self.groups.sizes_differ => {
                            self.query(claim).is_none()
                                || self.objects.iter().enumerate().all(|(other, object)| {
                                    matches!(object.target, Target::Claim(_))
                                        || kept[other].iter().enumerate().any(|(end, kept)| {
                                            *kept && self.compatible(&stands, (place, number), (other, end))
                                        })
                                })
                        }
                        _ => true,
                    };
                    if !stays || !goes_together() {
                        kept[place][number] = false;
                        dropped = true;
                    }
                }
            }
            if !dropped {
                break;
            }
        }
        let numbers = |kept: Vec<bool>| (0..kept.len()).filter(|number| kept[*number]).map(|n| (n, false)).collect();
        kept.into_iter().map(numbers).collect()
    }

    /// Whether a claim and a volume in these states can both be at rest in one world.
    fn compatible(&self, stands: &[Vec<Stands>], (claim, at): (usize, usize), (volume, to): (usize, usize)) -> bool {
        let Some(claim_is) = self.objects[claim].states[at].claim() else { return true };
        let Some(volume_is) = self.objects[volume].states[to].volume() else { return true };
        if may_search(claim_is) {
            let open = volume_is.claim_ref.is_none() || is_volume_bound_to_claim(volume_is, claim_is);
            return !open
                || !volume_is.access_modes.set().contains_all(&claim_is.access_modes)
                || self.query(claim_is).is_none_or(|query| matches!(query.fit(volume_is), Fit::No(_)));
        }
        match &stands[claim][at] {
            Stands::With(partner, states) if *partner == volume => states.contains(&to),
            Stands::Never => false,
            Stands::With(..) | Stands::Alone => true,
        }
    }

    /// With which states of the object that it names a state leaves itself, and that object, as they are.
    fn stands(&self, place: usize, number: usize) -> Stands {
        let alone = |stays: bool| if stays { Stands::Alone } else { Stands::Never };
        let object = &self.objects[place];
        let partner = match &object.states[number] {
            ObjectState::Volume(None) | ObjectState::Claim(None) => return Stands::Alone,
            ObjectState::Volume(Some(volume)) => self.claim_of(volume),
            ObjectState::Claim(Some(claim)) if may_search(claim) => {
                if self.query(claim).is_some() {
                    return alone(self.leaves(place, number, None, true));
                }
                let partners = self.candidates(claim);
                return alone(partners.into_iter().any(|partner| self.leaves(place, number, partner, true)));
            }
            ObjectState::Claim(Some(claim)) => self.volume_of(claim),
        };
        let Some(partner) = partner else { return alone(self.leaves(place, number, None, true)) };
        let mut seen: Vec<(ClaimSeen, bool)> = Vec::new();
        let mut taken = None;
        let mut states = Vec::new();
        for (other, state) in self.objects[partner].states.iter().enumerate() {
            let leaves = || self.leaves(place, number, Some((partner, other)), true);
            let stays = match &object.states[number] {
                ObjectState::Volume(Some(volume)) => {
                    let sees = claim_seen(volume, state);
                    if let Some((_, stays)) = seen.iter().find(|(known, _)| *known == sees) { *stays } else {
                        let stays = leaves();
                        seen.push((sees, stays));
                        stays
                    }
                }
                ObjectState::Claim(Some(claim)) if state.volume().is_some_and(|volume| is_taken(volume, claim)) => {
                    *taken.get_or_insert_with(leaves)
                }
                _ => leaves(),
            };
            if stays {
                states.push(other);
            }
        }
        Stands::With(partner, states)
    }
}

/// The numbers of the states that are ends, for each object, each with whether it goes round.
type Ends = Vec<Vec<(usize, bool)>>;

/// Whether a state leaves itself as it is.
enum Stands {
    /// In no world.
    Never,
    /// Whatever the object is that it names, if it names any.
    Alone,
    /// With that object in one of these states.
    With(usize, Vec<usize>),
}

fn claim_seen(volume: &PersistentVolume, claim: &ObjectState) -> ClaimSeen {
    match claim.claim() {
        None => ClaimSeen::Gone,
        Some(claim) if claim.volume_name.is_empty() => ClaimSeen::NamesNone,
        Some(claim) if claim.volume_name == volume.meta.name => ClaimSeen::NamesThis,
        Some(_) => ClaimSeen::NamesOther,
    }
}

/// Whether the volume belongs to another claim by all that a claim that names it looks at.
fn is_taken(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    volume.claim_ref.as_ref().is_some_and(|named| named.uid != claim.meta.uid)
        && !is_volume_bound_to_claim(volume, claim)
}

fn put(world: &mut World<'_>, target: Target, state: &ObjectState) {
    match (target, state) {
        (Target::Volume(id), ObjectState::Volume(volume)) => world.set_volume(id, volume.clone()),
        (Target::Claim(id), ObjectState::Claim(claim)) => world.set_claim(id, claim.clone()),
        _ => {}
    }
}

/// Whether a walk from that state can come back to it.
fn on_cycle(start: usize, steps: &[(usize, usize)]) -> bool {
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut work: Vec<usize> = vec![start];
    while let Some(state) = work.pop() {
        for (_, to) in steps.iter().filter(|(from, _)| *from == state) {
            if *to == start {
                return true;
            }
            if seen.insert(*to) {
                work.push(*to);
            }
        }
    }
    false
}

/// The members of a group by size, with the first ones by name among all from each size on.
struct Ladder {
    sizes: Vec<Quantity>,
    first: Vec<Vec<Target>>,
}

/// The sets of outcomes, one for all members of a group that have the same size.
struct Sets<'g, 'a, 's> {
    growth: &'g Growth<'a, 's>,
    ends: &'g Ends,
    ladders: FxHashMap<usize, Ladder>,
    known: FxHashMap<(usize, Quantity), OutcomeSet>,
}

impl Sets<'_, '_, '_> {
    fn of(&mut self, target: Target) -> OutcomeSet {
        let group = self.growth.groups.of(target).unwrap_or_default();
        let size = size_of(self.growth.snapshot, target);
        if let Some(known) = self.known.get(&(group, size)) {
            return known.clone();
        }
        let set = self.build(target, group, &size);
        self.known.insert((group, size), set.clone());
        set
    }

    fn build(&mut self, target: Target, group: usize, size: &Quantity) -> OutcomeSet {
        let growth = self.growth;
        let standing = growth.groups.members[group][0];
        let place = growth.places.get(&standing).copied().unwrap_or_default();
        let limit = growth.settings.outcomes;
        let mut kinds: Vec<(Outcome, Option<usize>)> = self.ends[place]
            .iter()
            .map(|(number, unsettled)| self.kind_of(target, &growth.objects[place].states[*number], *unsettled))
            .collect();
        kinds.sort();
        kinds.dedup();
        let mut count = 0u64;
        let mut listed: Vec<Outcome> = Vec::new();
        for (outcome, partners) in kinds {
            match partners {
                None => {
                    count += 1;
                    listed.push(outcome);
                }
                Some(partners) => {
                    let (members, names) = self.members(partners, target, size, limit);
                    count += members;
                    listed.extend(names.into_iter().map(|name| named(growth.snapshot, &outcome, name)));
                }
            }
        }
        OutcomeSet { listed: Arc::from(cut(listed, limit)), count, exact: false }
    }

    /// What a state means: the outcome, and the group in which any member may take the place of the named object; its
    /// own name is left out then.
    fn kind_of(&self, target: Target, state: &ObjectState, unsettled: bool) -> (Outcome, Option<usize>) {
        let (snapshot, groups) = (self.growth.snapshot, self.growth.groups);
        let several = |group: &usize| groups.members[*group].len() > 1;
        match (target, state) {
            (Target::Volume(id), ObjectState::Volume(volume)) => {
                let recorded = Some(snapshot.volume(id));
                let outcome = Outcome::of_volume(&self.growth.settings.rules, recorded, volume.as_deref(), unsettled);
                let claim = volume.as_ref().and_then(|volume| volume.claim_ref.as_ref()).and_then(|named| {
                    let id = snapshot.claim_id(&named.namespace, &named.name)?;
                    (snapshot.claim(id).meta.uid == named.uid).then_some(Target::Claim(id))
                });
                match claim.and_then(|claim| groups.of(claim)).filter(several) {
                    Some(group) => (outcome.with_claim(<(Str, Str, Str)>::default()), Some(group)),
                    None => (outcome, None),
                }
            }
            (_, ObjectState::Claim(claim)) => {
                let outcome = Outcome::of_claim(claim.as_deref(), unsettled);
                let volume = claim.as_ref().and_then(|claim| snapshot.volume_id(&claim.volume_name));
                match volume.and_then(|id| groups.of(Target::Volume(id))).filter(several) {
                    Some(group) => (outcome.with_volume(Str::const_new("?")), Some(group)),
                    None => (outcome, None),
                }
            }
            (Target::Claim(_), ObjectState::Volume(_)) => (Outcome::of_claim(None, unsettled), None),
        }
    }

    /// How many members of a group can be the partner of an object of that size, and the first ones by name.
    fn members(&mut self, group: usize, of: Target, size: &Quantity, limit: Limit) -> (u64, Vec<Target>) {
        let (snapshot, groups) = (self.growth.snapshot, self.growth.groups);
        let members = &groups.members[group];
        if !groups.sizes_differ {
            return (members.len() as u64, members.iter().copied().take(most(limit)).collect());
        }
        let ladder = self.ladders.entry(group).or_insert_with(|| {
            let mut first: Vec<Vec<Target>> = Vec::with_capacity(members.len());
            for member in members {
                let mut names = first.last().cloned().unwrap_or_default();
                if let Err(free) = names.binary_search(member) {
                    names.insert(free, *member);
                }
                names.truncate(most(limit));
                first.push(names);
            }
            Ladder { sizes: members.iter().map(|member| size_of(snapshot, *member)).collect(), first }
        });
        // Volumes stand from the largest down, claims from the one that asks least up.
        let fitting = ladder.sizes.partition_point(|other| match of {
            Target::Claim(_) => size.compare(other).is_le(),
            Target::Volume(_) => other.compare(size).is_le(),
        });
        let names = fitting.checked_sub(1).map(|last| ladder.first[last].clone()).unwrap_or_default();
        (fitting as u64, names)
    }
}

/// The same end with that partner.
fn named(snapshot: &Snapshot, outcome: &Outcome, partner: Target) -> Outcome {
    match partner {
        Target::Volume(id) => outcome.clone().with_volume(snapshot.volume(id).meta.name.clone()),
        Target::Claim(id) => {
            let meta = &snapshot.claim(id).meta;
            outcome.clone().with_claim((meta.namespace.clone(), meta.name.clone(), meta.uid.clone()))
        }
    }
}
