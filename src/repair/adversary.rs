//! The search for an order of moves in which a plan loses data.
//!
//! The search tries every order in which the moves of others can come between the steps of the plan:
//! - Controllers sync objects. Their caches may lag, their reads and writes may fail, and they may stop before a write.
//! - As soon as a driver may delete the data of a volume, it may delete them in any later state. It does so even if the
//!   volume has another policy by then.
//! - The scheduler reserves any free volume that fits, for an unbound claim whose class waits for the first consumer.
//! - The garbage collector deletes a claim if its owners are other claims, and all of them are gone.
//! - Strangers, StatefulSets and tools that apply manifests create claims, also with the name that the plan waits for.
//!   Tools that apply manifests also set policy Delete on a volume again. In a second exploration, claims are deleted
//!   as well.
//! - Somebody deletes volumes of the plan and creates other volumes with the same names.
//!
//! The plan may also stop after any step: the search explores the plan up to each of its steps.
//!
//! The plan is not blamed for harm that the same actors can do without it. So the exploration is repeated without the
//! plan, and only harm that the plan adds counts. A plan is also refused if the search exceeds a limit, because then
//! nothing is proved.

use super::detachment::Detachment;
use super::involved::InvolvedObjects;
use super::plan::{GivenUp, Plan, Step};
use super::reconnection::Reconnection;
use super::safety_model::{SafetyModel, State};
use super::situation::Situation;
use super::wait::{Wait, Waited};
use super::write::{Change, Expect};
use crate::model::{ObjectId, ObjectKey, Str};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A harm that can happen to a volume.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Harm {
    /// The data of the volume are deleted.
    DataDeleted,
    /// A recycler pod erases the data of the volume.
    DataErased,
    /// The object of the volume is gone, but the data are kept.
    ObjectGone,
    /// A claim that was not intended has the volume: its namespace and name.
    Taken(Str, Str),
    /// The claim that had the volume is Lost: its namespace and name.
    ClaimLost(Str, Str),
    /// The plan treats another volume as its own volume, because somebody created the other volume with the same name.
    Mistaken,
    /// The plan has the volume detached from this node, although the node may use it.
    DetachedInUse(Str),
    /// The plan deletes another attachment of the volume to this node than the one that was reviewed.
    DetachedAnew(Str),
    /// The plan leads the clients of the volume to a server that may not have the volume.
    Misled(Str),
    /// The plan deletes the Service that clients of the volume use, or another Service than the reviewed one.
    CutOff(Str),
}

impl Harm {
    fn is_given_up(&self, given_up: &[GivenUp]) -> bool {
        match self {
            Self::ClaimLost(..) => given_up.contains(&GivenUp::Claim) || given_up.contains(&GivenUp::Data),
            Self::DataDeleted | Self::DataErased => given_up.contains(&GivenUp::Data),
            Self::ObjectGone => given_up.contains(&GivenUp::Object) || given_up.contains(&GivenUp::Data),
            Self::Taken(..) => given_up.contains(&GivenUp::Privacy),
            Self::Mistaken | Self::DetachedInUse(_) | Self::DetachedAnew(_) | Self::Misled(_) | Self::CutOff(_) => {
                false
            }
        }
    }

    pub(super) fn describe(&self, volume: &str) -> String {
        match self {
            Self::DataDeleted => format!("the data of volume {volume} are deleted"),
            Self::DataErased => format!("the data of volume {volume} are erased by a recycler"),
            Self::ObjectGone => {
                format!("volume {volume} is gone, and no object in the cluster names its storage any more")
            }
            Self::Taken(namespace, _) if namespace == super::involved::STRANGER => {
                format!("volume {volume} is bound to a stranger's claim")
            }
            Self::Taken(namespace, name) => format!("volume {volume} is bound to claim {namespace}/{name}"),
            Self::ClaimLost(namespace, name) => {
                format!("claim {namespace}/{name}, which had volume {volume}, is Lost")
            }
            Self::Mistaken => format!("another volume is mistaken for {volume}, because it has the same name"),
            Self::DetachedInUse(node) => format!("volume {volume} is detached from node {node}, which may use it"),
            Self::DetachedAnew(node) => {
                format!("volume {volume} was attached to node {node} again, and is detached from it")
            }
            Self::Misled(service) => {
                format!("Service {service} leads the clients of volume {volume} to a server that may not have it")
            }
            Self::CutOff(service) => format!("clients of volume {volume} lose Service {service}"),
        }
    }
}

/// An order of moves in which a plan does harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interleaving {
    /// The volume that is harmed.
    pub volume: Str,
    /// The harm.
    pub harm: Harm,
    /// The moves, in order, one sentence each. The last sentence is the harm.
    pub moves: Vec<String>,
}

/// The result of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No interleaving adds any harm.
    Safe {
        /// The number of states that were explored.
        states: usize,
    },
    /// An interleaving adds harm.
    Harmful(Interleaving),
    /// The search exceeds a limit: there are too many states, volumes, claims, steps, or variants of an object.
    TooMany,
}

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct SearchReach {
    /// The largest number of states of one exploration.
    pub states: usize,
    /// Whether caches of controllers may be outdated, reads and writes of controllers may fail, and controllers may
    /// stop before a write.
    pub failures: bool,
    /// Whether the search also includes objects that are connected with the objects of the plan only through other
    /// objects. The number of objects between them does not matter.
    pub everyone: bool,
}

impl SearchReach {
    /// The limits of a review.
    pub const REVIEW: Self = Self { states: 400_000, failures: true, everyone: false };
}

/// Searches for an interleaving in which the plan adds harm.
pub fn judge(situation: &Situation<'_>, plan: &Plan, reach: SearchReach) -> Verdict {
    // A plan that deletes an attachment writes no volume and no claim.
    if let Some(detachment) = Detachment::of(plan) {
        return detachment.judge();
    }
    // Neither does a plan that creates or deletes a Service.
    if let Some(reconnection) = Reconnection::of(plan) {
        return reconnection.judge();
    }
    let mut states = 0;
    let involved = InvolvedObjects::reaching(situation.snapshot, plan, reach.everyone);
    let Some(mut model) = SafetyModel::new(situation.snapshot, &situation.settings, plan, &involved) else {
        return Verdict::TooMany;
    };
    model.appear(situation.manifests, plan);
    for deletes in [false, true] {
        let steps = if deletes { before_policies(plan) } else { &plan.steps };
        let Some(with) = Exploration::run(&mut model, steps, deletes, reach, None) else {
            return Verdict::TooMany;
        };
        states += with.states.len();
        let mut found = with.harms.clone();
        found.retain(|(place, harm), _| {
            let carried = plan.volumes.iter().find(|carried| carried.volume == *model.volume_name(*place));
            !harm.is_given_up(carried.map_or(&[][..], |carried| carried.given_up.as_slice()))
        });
        if found.is_empty() {
            continue;
        }
        let Some(without) = Exploration::run(&mut model, &[], deletes, reach, Some(&found)) else {
            return Verdict::TooMany;
        };
        states += without.states.len();
        found.retain(|harm, _| !without.harms.contains_key(harm));
        if let Some(((place, harm), state)) = found.into_iter().next() {
            let name = model.volume_name(place);
            let mut moves: Vec<String> =
                with.moves_to(state).iter().map(|step| step.describe(&model, &plan.steps)).collect();
            moves.push(harm.describe(name));
            return Verdict::Harmful(Interleaving { volume: name.clone(), harm, moves });
        }
    }
    Verdict::Safe { states }
}

/// Returns the steps of the plan without those last steps that only restore the former policy of bound volumes. If
/// somebody deletes a claim after these last steps, its data are deleted, as they would have been without the repair.
fn before_policies(plan: &Plan) -> &[Step] {
    let gives_back = |step: &Step| {
        step.write.as_ref().is_some_and(|write| {
            let is_bound = |expect: &Expect| matches!(expect, Expect::VolumePhase { any_of } if *any_of == ["Bound"]);
            matches!(&write.change, Change::SetReclaimPolicy { to } if to == "Delete")
                && write.expect.iter().any(is_bound)
        })
    };
    let end = plan.steps.iter().rposition(|step| !gives_back(step)).map_or(0, |last| last + 1);
    plan.steps.get(..end).unwrap_or_default()
}

/// For each volume (by its place) and each harm to it, the number of the first state in which the harm has happened.
type Harms = BTreeMap<(usize, Harm), usize>;

/// The states that the actors can reach.
pub struct Exploration {
    /// The states. The first one is the recorded state.
    pub states: Vec<State>,
    /// For each state except the first, the number of the state before it and the move between them.
    pub ways: Vec<Option<(usize, Move)>>,
    harms: Harms,
}

impl Exploration {
    /// Explores all states that the actors can reach, or stops when all harms in `sought` have occurred. Returns `None`
    /// if there are too many states, or too many variants of an object.
    pub fn run(
        model: &mut SafetyModel<'_>,
        steps: &[Step],
        deletes: bool,
        reach: SearchReach,
        sought: Option<&Harms>,
    ) -> Option<Self> {
        let mut search = Self { states: Vec::new(), ways: Vec::new(), harms: BTreeMap::new() };
        let mut numbers: FxHashMap<State, usize> = FxHashMap::default();
        search.visit(model, &mut numbers, model.initial(), None);
        let mut next = 0;
        while next < search.states.len() {
            if sought.is_some_and(|sought| sought.keys().all(|harm| search.harms.contains_key(harm))) {
                break;
            }
            if search.states.len() > reach.states || model.is_full() {
                return None;
            }
            let state = search.states[next];
            let mut moves: Vec<(Move, State)> = Vec::new();
            moves.extend(plan_move(model, steps, &state));
            // After a volume was replaced, the search looks only for a mistake of the plan. Moves of others and
            // failures have no effect on whether the plan makes this mistake.
            let is_anew = state.fates.iter().any(|fate| fate.anew);
            for (target, ordinary, after) in model.syncs(&state, reach.failures && !is_anew) {
                moves.push((Move::Sync(target, ordinary), after));
            }
            if !is_anew {
                moves.extend(Self::others(model, &state, deletes));
            }
            if !deletes {
                let makings = model.makings(&state, &looked_at(steps, &state)).into_iter();
                moves.extend(makings.map(|(place, after)| (Move::Making(place), after)));
            }
            for (label, after) in moves {
                search.visit(model, &mut numbers, after, Some((next, label)));
            }
            next += 1;
        }
        Some(search)
    }

    /// Returns the possible next moves of all actors except the controllers, the plan, and the person who replaces
    /// volumes ([`Move::Making`]).
    fn others(model: &mut SafetyModel<'_>, state: &State, deletes: bool) -> Vec<(Move, State)> {
        let mut moves: Vec<(Move, State)> = Vec::new();
        for (place, after) in model.drivers(state) {
            moves.push((Move::Driver(place), after));
        }
        moves.extend(
            model.creations(state).into_iter().map(|(possible_claim, after)| (Move::Creation(possible_claim), after)),
        );
        for ((volume, claim), after) in model.reservations(state) {
            moves.push((Move::Reservation { volume, claim }, after));
        }
        moves.extend(model.applications(state).into_iter().map(|(place, after)| (Move::Application(place), after)));
        moves.extend(model.collections(state).into_iter().map(|(place, after)| (Move::Collection(place), after)));
        if deletes {
            let deletions = model.deletions(state).into_iter();
            moves.extend(deletions.map(|(place, after)| (Move::Deletion(place), after)));
        }
        moves
    }

    fn visit(
        &mut self,
        model: &SafetyModel<'_>,
        numbers: &mut FxHashMap<State, usize>,
        state: State,
        way: Option<(usize, Move)>,
    ) {
        if numbers.contains_key(&state) {
            return;
        }
        let number = self.states.len();
        for place in model.volume_places() {
            let fate = state.fates[place];
            let gone = model.volume(&state, place).is_none() && !fate.destroyed;
            let taker = model.taker(&state, place);
            let lost = model.lost(&state, place);
            // The plan is not blamed for harm to the volume that replaced its own volume.
            if fate.anew {
                if fate.mistaken {
                    self.harms.entry((place, Harm::Mistaken)).or_insert(number);
                }
                continue;
            }
            let harms = [
                fate.destroyed.then_some(Harm::DataDeleted),
                fate.scrubbed.then_some(Harm::DataErased),
                gone.then_some(Harm::ObjectGone),
                taker.map(|(namespace, name)| Harm::Taken(namespace, name)),
                lost.map(|(namespace, name)| Harm::ClaimLost(namespace, name)),
            ];
            for harm in harms.into_iter().flatten() {
                self.harms.entry((place, harm)).or_insert(number);
            }
        }
        numbers.insert(state, number);
        self.states.push(state);
        self.ways.push(way);
    }

    fn moves_to(&self, state: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut at = state;
        while let Some((from, step)) = &self.ways[at] {
            moves.push(*step);
            at = *from;
        }
        moves.reverse();
        moves
    }
}

/// A move of an actor.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    /// The plan carries out the write of the step at this index, or begins its wait.
    Step(usize),
    /// The plan continues after the step at this index.
    GoesOn(usize),
    /// A controller syncs an object. If the boolean is true, nothing goes wrong. Otherwise the cache of the controller
    /// is outdated, a read or write fails, or the controller stops before a write.
    Sync(ObjectId, bool),
    /// A driver deletes the storage of the volume at this place.
    Driver(usize),
    /// Somebody creates the possible claim with this number.
    Creation(usize),
    /// The scheduler reserves a volume for a claim.
    Reservation {
        /// The place of the volume.
        volume: usize,
        /// The place of the claim.
        claim: usize,
    },
    /// The garbage collector deletes the claim at this place, because its owners are gone.
    Collection(usize),
    /// Somebody deletes the claim at this place.
    Deletion(usize),
    /// Somebody applies the manifest of the volume at this place again.
    Application(usize),
    /// Somebody deletes the volume at this place, and creates another volume with the same name.
    Making(usize),
}

impl Move {
    fn describe(self, model: &SafetyModel<'_>, steps: &[Step]) -> String {
        let step = |place: usize| steps.get(place).map_or((0, ""), |step| (step.id, step.why.as_str()));
        match self {
            Self::Step(place) => format!("pvctl: step {}, {}", step(place).0, step(place).1),
            Self::GoesOn(place) => format!("pvctl continues after step {}", step(place).0),
            Self::Sync(target, ordinary) => {
                let how =
                    if ordinary { "" } else { ", with an outdated cache, a failed request, or a stop before a write" };
                format!("the controller syncs {}{how}", model.key_of(target))
            }
            Self::Driver(place) => format!("the driver deletes the storage of volume {}", model.volume_name(place)),
            Self::Creation(possible_claim) => format!("somebody creates {}", model.possible_claim(possible_claim)),
            Self::Reservation { volume, claim } => {
                format!("the scheduler reserves volume {} for {}", model.volume_name(volume), model.claim_name(claim))
            }
            Self::Collection(place) => {
                format!("the garbage collector deletes {}, whose owner is gone", model.claim_name(place))
            }
            Self::Deletion(place) => format!("somebody deletes {}", model.claim_name(place)),
            Self::Application(place) => {
                format!("somebody applies volume {} again, with policy Delete", model.volume_name(place))
            }
            Self::Making(place) => {
                format!(
                    "somebody deletes volume {0} and creates another volume with the name {0}",
                    model.volume_name(place)
                )
            }
        }
    }
}

/// Returns the objects that the next move of the plan writes, or for whose state it waits. Objects that only a recheck
/// reads are left out.
fn looked_at(steps: &[Step], state: &State) -> Vec<ObjectKey> {
    let Some(step) = steps.get(usize::from(state.position / 2)) else { return Vec::new() };
    if state.position % 2 == 1 {
        return step.wait.as_ref().map(Wait::objects).unwrap_or_default();
    }
    step.write.iter().map(|write| write.object.clone()).collect()
}

/// Returns the next move of the plan in a state: a write, or the continuation after a wait. Returns `None` if the plan
/// has ended, stops there, or still waits.
pub(super) fn plan_move(model: &mut SafetyModel<'_>, steps: &[Step], state: &State) -> Option<(Move, State)> {
    let place = usize::from(state.position / 2);
    let step = steps.get(place)?;
    if state.position % 2 == 1 {
        let met = step.wait.as_ref().is_none_or(|wait| is_met(model, state, wait));
        let mut after = *state;
        after.position += 1;
        model.mistake(&mut after, &step.wait.as_ref().map(Wait::objects).unwrap_or_default());
        return met.then_some((Move::GoesOn(place), after));
    }
    let Some(write) = &step.write else {
        let mut after = *state;
        after.position += 1;
        return Some((Move::Step(place), after));
    };
    let seen = model.seen(state, &write.object);
    let mut after = if write.is_so_already(seen.as_ref()) {
        *state
    } else {
        if write.obstacle(seen.as_ref()).is_some() || !step.recheck.iter().all(|recheck| model.recheck(state, recheck))
        {
            return None;
        }
        let written = write.apply(seen.as_ref());
        model.with(state, &write.object, written)
    };
    after.position += 1;
    model.mistake(&mut after, std::slice::from_ref(&write.object));
    Some((Move::Step(place), after))
}

pub(super) fn is_met(model: &SafetyModel<'_>, state: &State, wait: &Wait) -> bool {
    let objects = wait.objects();
    let mut claim = None;
    let mut volume = None;
    for object in &objects {
        match model.seen(state, object) {
            Some(super::write::Seen::Volume(seen)) => volume = Some(seen),
            Some(super::write::Seen::Claim(seen)) => claim = Some(seen),
            Some(super::write::Seen::Attachment(_) | super::write::Seen::Service(_)) | None => {}
        }
    }
    wait.judge(claim.as_deref(), volume.as_deref()) == Waited::Met
}
