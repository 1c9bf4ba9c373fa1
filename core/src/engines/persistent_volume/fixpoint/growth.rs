//! Finds the possible states of each object, beginning with the recorded state. Each step is one sync of an object in
//! one of its states. The world of the sync has at most one other object, in one of its states.

use super::ObjectState;
use super::groups::Groups;
use crate::controllers::SyncContext;
use crate::controllers::persistent_volume::BOUND_KINDS;
use crate::controllers::persistent_volume::binding::is_volume_bound_to_claim;
use crate::controllers::persistent_volume::links::{is_permanent, may_search};
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::controllers::settings::Settings;
use crate::model::{
    AnnotationKey, BindingMode, ClaimKey, Held, Kind, ObjectId, PersistentVolume, PersistentVolumeClaim, Quantity, Str,
    TypedId,
};
use crate::simulate::Component;
use crate::simulate::decide::run;
use crate::simulate::failures::with_failures;
use crate::snapshot::{Snapshot, VolumeId};
use crate::world::{Answers, Choices, ControllerState, World};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of members that represent a group: the examined object, and another one.
const REPRESENTATIVES: usize = 2;

/// A member that represents its group, with its possible states.
pub(super) struct GroupMember {
    pub(super) target: ObjectId,
    pub(super) states: Vec<ObjectState>,
    /// The numbers of the states of a volume without a `claimRef`. `held` has the numbers of the states with a
    /// `claimRef`, by the claim that the `claimRef` names.
    free: Vec<usize>,
    held: FxHashMap<ClaimKey, Vec<usize>>,
}

impl GroupMember {
    fn new(target: ObjectId) -> Self {
        Self { target, states: Vec::new(), free: Vec::new(), held: FxHashMap::default() }
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

/// The other object in the world of a sync: its place, and the number of its state. The value is `None` if there is no
/// other object.
pub(super) type Partner = Option<(usize, usize)>;

pub(super) struct Growth<'a, 's> {
    pub(super) snapshot: &'s Snapshot,
    pub(super) settings: &'a Settings<'s>,
    pub(super) groups: &'a Groups,
    pub(super) objects: Vec<GroupMember>,
    pub(super) places: FxHashMap<ObjectId, usize>,
    /// The volumes that a sync created, by name.
    created: BTreeMap<Str, ObjectId>,
    /// Volumes that the controllers never delete, one for each set of access modes. They may be outside the component.
    /// They are needed only for claims whose search is invalid.
    permanent: Vec<VolumeId>,
    done: FxHashSet<(usize, usize, Partner)>,
    /// Whether syncs may also run with failures, lagging caches or scripted answers.
    may_fail: bool,
}

/// What the sync of a volume sees of the claim that its `claimRef` names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimSeen {
    Gone,
    NamesNone,
    NamesThis,
    NamesOther,
}

impl<'a, 's> Growth<'a, 's> {
    pub(super) fn new(
        snapshot: &'s Snapshot,
        settings: &'a Settings<'s>,
        groups: &'a Groups,
        component: &Component,
    ) -> Self {
        let mut objects = Vec::new();
        let mut places = FxHashMap::default();
        for target in groups.members.iter().flat_map(|members| members.iter().take(REPRESENTATIVES)) {
            let recorded = match target.typed() {
                TypedId::PersistentVolume(id) => ObjectState::Volume(Some(Arc::new(snapshot.volume(id).clone()))),
                TypedId::PersistentVolumeClaim(id) => ObjectState::Claim(Some(Arc::new(snapshot.claim(id).clone()))),
                _ => continue,
            };
            places.insert(*target, objects.len());
            let mut object = GroupMember::new(*target);
            object.add(recorded);
            objects.push(object);
        }
        let unusable = component.of().any(|id| {
            let claim = snapshot.claim(id);
            may_search(claim) && Query::new(&settings.behavior, claim, false).is_err()
        });
        let mut permanent: Vec<VolumeId> = Vec::new();
        if unusable {
            let mut sets = Vec::new();
            for (id, volume) in (0..).map(VolumeId::new).zip(snapshot.volumes()) {
                if is_permanent(volume) && !sets.contains(&volume.access_modes.set()) {
                    sets.push(volume.access_modes.set());
                    permanent.push(id);
                }
            }
        }
        let (created, done) = (BTreeMap::new(), FxHashSet::default());
        let may_fail = settings.may_be_interrupted();
        Self { snapshot, settings, groups, objects, places, created, permanent, done, may_fail }
    }

    /// Runs one round over all states. Returns whether a state was added.
    pub(super) fn grow(&mut self) -> bool {
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

    /// Runs one sync in a world of at most two objects. Returns whether it led to a new state.
    fn step(&mut self, place: usize, number: usize, partner: Partner) -> bool {
        let mut grown = false;
        for after in self.syncs(place, number, partner, self.may_fail) {
            for (target, state) in self.changes(&after) {
                let at = match self.places.get(&target) {
                    Some(at) => *at,
                    // A volume outside the component is in the world only for its access modes.
                    None if self.created.values().all(|created| *created != target) => continue,
                    None => {
                        self.places.insert(target, self.objects.len());
                        self.objects.push(GroupMember::new(target));
                        self.objects.len() - 1
                    }
                };
                let object = &mut self.objects[at];
                if !object.states.iter().any(|known| known.same(&state)) {
                    object.add(state);
                    grown = true;
                }
            }
        }
        grown
    }

    /// Returns all changes of a focused world, as states. A volume that the sync created gets an id that depends on its
    /// name. The name follows from its claim.
    fn changes(&mut self, world: &World<'s>) -> Vec<(ObjectId, ObjectState)> {
        let recorded = self.snapshot.volumes().len();
        let mut all = Vec::new();
        for (id, volume) in world.changed_of::<PersistentVolume>() {
            let mut target = ObjectId::from(id);
            if let Some(volume) = volume.filter(|_| id.0 as usize >= recorded) {
                let next = u32::try_from(recorded + self.created.len()).unwrap_or(u32::MAX);
                target = *self.created.entry(volume.meta.name.clone()).or_insert(VolumeId::new(next).into());
            }
            all.push((target, ObjectState::Volume(volume.map(Held::to_arc))));
        }
        let claims = world.changed_of();
        all.extend(claims.map(|(id, claim)| (ObjectId::from(id), ObjectState::Claim(claim.map(Held::to_arc)))));
        all
    }

    fn world(&self, place: usize, number: usize, partner: Partner) -> World<'s> {
        let mut world = World::focused(self.snapshot, &BOUND_KINDS);
        put(&mut world, self.objects[place].target, &self.objects[place].states[number]);
        if let Some((other, state)) = partner {
            put(&mut world, self.objects[other].target, &self.objects[other].states[state]);
        }
        if let Some(claim) = self.objects[place].states[number].claim()
            && may_search(claim)
            && let Some(id) = self.permanent_for(claim)
        {
            // Only an invalid search needs this volume. For all other searches, the volume is in the component or does
            // not fit.
            if world.get(id).is_none() && self.query(claim).is_none() {
                world.set(id, Some(Arc::new(self.snapshot.volume(id).clone())));
            }
        }
        world
    }

    fn permanent_for(&self, claim: &PersistentVolumeClaim) -> Option<VolumeId> {
        let has_modes =
            |id: &&VolumeId| self.snapshot.volume(**id).access_modes.set().contains_all(&claim.access_modes);
        self.permanent.iter().find(has_modes).copied()
    }

    /// Returns the worlds after one sync of every controller, for every choice. With `others`, the function adds syncs
    /// with failures, lagging caches or scripted answers.
    pub(super) fn syncs(&self, place: usize, number: usize, partner: Partner, others: bool) -> Vec<World<'s>> {
        let before = self.world(place, number, partner);
        let target = self.objects[place].target;
        let answers = Answers::default();
        let mut worlds = Vec::new();
        for controller in &self.settings.controllers {
            let mut choices = Some(Choices::first());
            while let Some(script) = choices {
                let (mut after, mut memory) = (before.clone(), ControllerState::in_step());
                let sync = SyncContext::new(&mut after, &mut memory, &answers, script);
                let Some((_, met)) = run(sync, &self.settings.behavior, *controller, target) else { break };
                worlds.push(after);
                choices = met.next();
            }
            if others {
                worlds.extend(with_failures(&before, self.settings, *controller, target));
            }
        }
        worlds
    }

    /// Returns the place of the claim that the `claimRef` of a volume names, if there is one.
    pub(super) fn claim_of(&self, volume: &PersistentVolume) -> Option<usize> {
        let named = volume.claim_ref.as_ref()?;
        let id = self.snapshot.claim_id(&named.namespace, &named.name)?;
        self.places.get(&id.into()).copied()
    }

    /// Returns the place of the volume that a claim names, if there is one.
    pub(super) fn volume_of(&self, claim: &PersistentVolumeClaim) -> Option<usize> {
        let recorded = self.snapshot.volume_id(&claim.volume_name).map(ObjectId::from);
        let target = recorded.or_else(|| self.created.get(&claim.volume_name).copied())?;
        self.places.get(&target).copied()
    }

    /// Returns whether a sync created the object. At an end, such an object may be absent.
    pub(super) fn is_created(&self, place: usize) -> bool {
        self.snapshot.object(self.objects[place].target).is_none()
    }

    /// Returns the other objects, each in one of its states, with which a sync of the object in this state has to be
    /// run.
    pub(super) fn partners(&self, place: usize, number: usize) -> Vec<Partner> {
        let state = &self.objects[place].states[number];
        match state {
            ObjectState::Volume(None) | ObjectState::Claim(None) => Vec::new(),
            ObjectState::Volume(Some(volume)) => match self.claim_of(volume) {
                None => vec![None],
                Some(claim) => {
                    let states = self.objects[claim].states.iter().enumerate();
                    if self.may_fail {
                        return states.map(|(number, _)| Some((claim, number))).collect();
                    }
                    let mut seen: Vec<ClaimSeen> = Vec::new();
                    let mut partners = Vec::new();
                    for (number, state) in states {
                        let view = claim_seen(volume, state);
                        if !seen.contains(&view) {
                            seen.push(view);
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
                        let again = is_taken && taken && !self.may_fail;
                        taken |= is_taken;
                        (!again).then_some(Some((volume, number)))
                    };
                    let absent = self.is_created(volume).then_some(None);
                    states.filter_map(once).chain(absent).collect()
                }
            },
        }
    }

    /// Returns the search of a claim. The result is `None` if the search is invalid.
    pub(super) fn query<'c>(&self, claim: &'c PersistentVolumeClaim) -> Option<Query<'c>> {
        let behavior = &self.settings.behavior;
        let selected = behavior.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode);
        let class = self.snapshot.class(claim.class());
        let delays = |mode: &BindingMode| *mode == BindingMode::WaitForFirstConsumer;
        let delay = !selected && class.is_some_and(|class| class.binding_mode.as_ref().is_some_and(delays));
        Query::new(behavior, claim, delay).ok()
    }

    /// Returns the volumes that a searching claim may find, each in a state in which it fits. If some volume fits in
    /// all of its states, volumes that the search always ranks behind this volume are left out. If there is no such
    /// volume, the result includes `None`, because the claim may find nothing.
    pub(super) fn candidates(&self, claim: &PersistentVolumeClaim) -> Vec<Partner> {
        let volumes = || self.objects.iter().enumerate().filter(|(_, o)| o.target.kind == Kind::PersistentVolume);
        let has_modes = |volume: &PersistentVolume| volume.access_modes.set().contains_all(&claim.access_modes);
        let Some(query) = self.query(claim) else {
            // The search returns an error if any volume has the access modes, and otherwise finds nothing.
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
        // A volume that fits in all of its states is chosen before every volume with more access modes. It is also
        // chosen before larger volumes with the same access modes, and before free volumes if it is reserved.
        let always: Vec<&PersistentVolume> = if self.groups.sizes_differ || self.may_fail {
            Vec::new()
        } else {
            volumes()
                .filter(|(place, _)| !self.is_created(*place))
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
            // With a lagging cache, a sync of a claim may try to bind an older version of a volume.
            let lags = self.settings.controller.cached(object.target).is_some();
            if self.may_fail && (lags || object.states[0].volume().is_some_and(fits)) {
                partners.extend((0..object.states.len()).map(|number| Some((place, number))));
                continue;
            }
            let held = object.held.get(&key).into_iter().flatten();
            let open = object.free.iter().chain(held).copied();
            let can_be_had =
                |number: &usize| object.states[*number].volume().is_some_and(|volume| fits(volume) && !beaten(volume));
            partners.extend(open.filter(can_be_had).map(|number| Some((place, number))));
        }
        partners
    }
}

pub(super) fn claim_seen(volume: &PersistentVolume, claim: &ObjectState) -> ClaimSeen {
    match claim.claim() {
        None => ClaimSeen::Gone,
        Some(claim) if claim.volume_name.is_empty() => ClaimSeen::NamesNone,
        Some(claim) if claim.volume_name == volume.meta.name => ClaimSeen::NamesThis,
        Some(_) => ClaimSeen::NamesOther,
    }
}

/// Returns whether the volume belongs to another claim, as a sync of this claim sees it. Only the `claimRef` decides.
pub(super) fn is_taken(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    volume.claim_ref.as_ref().is_some_and(|named| named.uid != claim.meta.uid)
        && !is_volume_bound_to_claim(volume, claim)
}

fn put(world: &mut World<'_>, target: ObjectId, state: &ObjectState) {
    match (target.typed(), state) {
        (TypedId::PersistentVolume(id), ObjectState::Volume(volume)) => world.set(id, volume.clone()),
        (TypedId::PersistentVolumeClaim(id), ObjectState::Claim(claim)) => world.set(id, claim.clone()),
        _ => {}
    }
}
