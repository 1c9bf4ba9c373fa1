//! Exact exploration of components with few objects. It visits every state that any order of syncs can reach. The ends
//! are the states in which the component stays, and the states that it visits again and again in a cycle.

use super::created::keys_of_made;
use super::decide::run;
use super::failures::with_failures;
use super::settle::Settled;
use super::state::{State, Variants, same_or_gone};
use crate::controllers::{self, Budget, Controller, Limit, Outcome, OutcomeSet, Settings, SyncContext, spec};
use crate::model::{Kind, ObjectId, ObjectKey, Str};
use crate::snapshot::Snapshot;
use crate::world::{Answers, Changed, Choices, ControllerState, ObjectRef, World};
use rustc_hash::FxHashMap;

/// Returns the limit of states for a component. A component with at most six objects of each kind may have ten times as
/// many states, because its answer should be exact.
fn of_component(budget: Budget, objects: &[ObjectId]) -> usize {
    let few = |kind: Kind| objects.iter().filter(|id| id.kind == kind).count() <= 6;
    if objects.iter().all(|id| few(id.kind)) { budget.states.saturating_mul(10) } else { budget.states }
}

/// The result of exploring a component.
#[derive(Clone, Debug)]
pub struct Explored {
    /// For each object of the component, in order: its outcomes, sorted. The list is empty for objects of kinds without
    /// ends.
    pub outcomes: Vec<(ObjectId, Vec<Outcome>)>,
    /// For each object that controllers may create and that does not exist yet, in order: its outcomes, sorted.
    pub created: Vec<(ObjectKey, Vec<Outcome>)>,
    /// The joint outcomes, if there are at most [`JOINT_LIMIT`]. Each holds the outcomes of the objects with ends, in
    /// their order, and then the outcomes of the objects that may be created.
    pub worlds: Option<Vec<Vec<Outcome>>>,
    /// The number of states that were visited.
    pub states: usize,
}

impl Explored {
    /// Converts the outcomes to sets, which are exact.
    pub(super) fn settled(self, snapshot: &Snapshot, settings: &Settings<'_>) -> Settled {
        let limit = settings.outcomes;
        let set = |ends: Vec<Outcome>| OutcomeSet::of(ends, true, limit);
        let wide = |id: ObjectId, ends: &[Outcome], limit: Limit| {
            let by = |controller: &Controller| (controller.widen)(snapshot, &settings.behavior, id, ends, limit);
            settings.controllers.iter().find_map(by)
        };
        let (mut sets, mut wider, mut place) = (Vec::with_capacity(self.outcomes.len()), Vec::new(), 0);
        for (id, ends) in self.outcomes {
            let few = ends.len();
            let all = wide(id, &ends, limit).unwrap_or_else(|| set(ends));
            if all.count > few as u64 {
                wider.push((place, id));
            }
            place += usize::from(few > 0);
            sets.push(all);
        }
        let worlds = match wider.as_slice() {
            [] => self.worlds,
            // Each joint outcome represents several joint outcomes: one for each end of this object.
            [(place, id)] => self.worlds.map(|worlds| widened(worlds, *place, |end| wide(*id, end, Limit::All))),
            // It is not known which ends of these objects are possible together.
            _ => None,
        };
        Settled {
            sets,
            created: self.created.into_iter().map(|(key, ends)| (key, set(ends))).collect(),
            worlds: worlds.filter(|worlds| worlds.len() <= JOINT_LIMIT),
        }
    }
}

/// Replaces each joint outcome by several joint outcomes: one for each end of the object at this place.
fn widened(
    worlds: Vec<Vec<Outcome>>,
    place: usize,
    wide: impl Fn(&[Outcome]) -> Option<OutcomeSet>,
) -> Vec<Vec<Outcome>> {
    let mut all = Vec::new();
    for world in worlds {
        let set = world.get(place).and_then(|end| wide(std::slice::from_ref(end)));
        let ends = set.map(|set| set.listed.to_vec()).unwrap_or_default();
        // If there are more joint outcomes than the limit, none is listed. So one more than the limit is enough here.
        all.extend(ends.into_iter().take(JOINT_LIMIT + 1).map(|end| {
            let mut world = world.clone();
            world[place] = end;
            world
        }));
    }
    all.sort();
    all
}

/// The largest number of joint outcomes that is listed. If there are more, none is listed.
pub const JOINT_LIMIT: usize = 8;

/// One sync of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The controller that syncs.
    pub controller: Controller,
    /// The object that is synced.
    pub object: ObjectRef,
    /// The name of the object that the search of this sync takes, if several objects are equally good.
    pub picked: Option<Str>,
    /// The names of the objects that the controller remembers about the object after this sync.
    pub remembered: Vec<Str>,
    /// Whether this step is not a sync: the controller stops waiting for something that did not happen.
    pub gives_up: bool,
}

/// Explores a component. Returns `None` if the budget does not suffice. With `failures`, writes may be refused, the
/// controller may stop inside a sync, and its caches may lag.
pub fn explore<'s>(snapshot: &'s Snapshot, settings: &Settings<'s>, objects: &[ObjectId]) -> Option<Explored> {
    let search = Search::through(snapshot, settings, objects)?;
    let ends = search.ends();
    Some(search.outcomes(&ends))
}

/// Finds a schedule that leads a component from the recorded world to a wanted end. The schedule lists the syncs one
/// after the other, and the caches are in step between them. `wanted` gets a joint outcome: the outcomes of the objects
/// with ends, in their order, and then the outcomes of the objects that may be created. If the end is a cycle of
/// states, the schedule leads to one state of the cycle.
///
/// The result is `None` if no such end is reached, or if the budget does not suffice. It is also `None` if the settings
/// ask for failures, lagging caches or scripted answers, because a list of syncs cannot express these.
pub fn schedule<'s>(
    snapshot: &'s Snapshot,
    settings: &Settings<'s>,
    objects: &[ObjectId],
    wanted: impl Fn(&[Outcome]) -> bool,
) -> Option<Vec<Step>> {
    if settings.failures || !settings.starts_in_step() {
        return None;
    }
    let search = Search::through(snapshot, settings, objects)?;
    let (end, _) = search
        .ends()
        .into_iter()
        .find(|(number, unsettled)| search.joints(*number, *unsettled).iter().any(|joint| wanted(joint)))?;
    search.steps_to(end)
}

/// The sync by which a state was reached first.
#[derive(Clone, Copy, Debug)]
struct FirstPath {
    from: usize,
    controller: Controller,
    object: ObjectId,
    picked: Option<ObjectId>,
    gives_up: bool,
}

/// A state that a sync leads to.
struct Reached {
    state: State,
    /// Whether no other sync can observe this step.
    hidden: bool,
    /// The object that the search of the sync took, if it found several.
    picked: Option<ObjectId>,
}

struct Search<'a, 's> {
    settings: &'a Settings<'s>,
    objects: Vec<ObjectId>,
    /// The keys of the objects that may be created and do not exist yet.
    created: Vec<ObjectKey>,
    variants: Variants<'s>,
    numbers: FxHashMap<State, usize>,
    states: Vec<State>,
    /// For each state, the sync that reached it first, or the controller that stopped waiting. The value is `None` for
    /// the recorded state, and for states after a failure.
    ways: Vec<Option<FirstPath>>,
    /// For each state, the states that syncs without a failure lead to. Ends are computed from these edges only,
    /// because failures do not last.
    edges: Vec<Vec<usize>>,
    /// Whether syncs may also run with failures, lagging caches or scripted answers.
    may_fail: bool,
    /// The number of objects that the syncs have read so far, for controllers whose syncs read many objects.
    effort: usize,
    /// The effort after which the exploration ends.
    most_effort: usize,
}

/// The largest effort of an exploration, as a multiple of its limit of states.
const EFFORT_OF_STATE: usize = 200;

impl<'a, 's> Search<'a, 's> {
    /// Visits all states of a component. Returns `None` if the budget does not suffice.
    fn through(snapshot: &'s Snapshot, settings: &'a Settings<'s>, objects: &[ObjectId]) -> Option<Self> {
        let limit = of_component(settings.budget, objects);
        let made = keys_of_made(snapshot, settings, objects).into_iter();
        let created = made.filter(|key| snapshot.object_id(key).is_none()).collect();
        let mut search = Self {
            settings,
            objects: objects.to_vec(),
            created,
            variants: Variants::new(snapshot, &settings.controllers),
            numbers: FxHashMap::default(),
            states: Vec::new(),
            ways: Vec::new(),
            edges: Vec::new(),
            may_fail: settings.may_be_interrupted(),
            effort: 0,
            most_effort: limit.saturating_mul(EFFORT_OF_STATE),
        };
        search.visit(Box::default(), None);
        let mut next = 0;
        while next < search.states.len() {
            if search.states.len() > limit || search.effort > search.most_effort {
                return None;
            }
            search.expand(next);
            next += 1;
        }
        (search.effort <= search.most_effort).then_some(search)
    }

    fn visit(&mut self, state: State, way: Option<FirstPath>) -> usize {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.ways.push(way);
        self.edges.push(Vec::new());
        number
    }

    /// Visits all states that one sync leads to. If no other sync can observe a step, only this step is followed,
    /// because every order of syncs contains this step.
    fn expand(&mut self, number: usize) {
        let world = self.variants.world_of(&self.states[number].clone());
        let mut successors: Vec<(State, FirstPath)> = Vec::new();
        let mut failed: Vec<State> = Vec::new();
        for object in self.objects_in(&world) {
            for controller in &self.settings.controllers {
                let reached = self.syncs(&world, *controller, object, &mut failed);
                let way = |picked| FirstPath { from: number, controller: *controller, object, picked, gives_up: false };
                if let [Reached { state, hidden: true, picked }] = reached.as_slice()
                    && !self.may_fail
                {
                    let to = self.visit(state.clone(), Some(way(*picked)));
                    self.edges[number] = vec![to];
                    return;
                }
                successors.extend(reached.into_iter().map(|Reached { state, picked, .. }| (state, way(picked))));
            }
        }
        let mut edges: Vec<usize> = successors.into_iter().map(|(state, way)| self.visit(state, Some(way))).collect();
        if edges.is_empty() {
            let given_up = self.given_up(&world, number).into_iter();
            edges = given_up.map(|(state, way)| self.visit(state, Some(way))).collect();
        }
        edges.sort_unstable();
        edges.dedup();
        self.edges[number] = edges;
        for state in failed {
            self.visit(state, None);
        }
    }

    /// Returns the states that follow if a controller stops waiting for something that did not happen.
    fn given_up(&mut self, world: &World<'s>, from: usize) -> Vec<(State, FirstPath)> {
        let mut states = Vec::new();
        for object in self.objects_in(world) {
            for controller in self.settings.controllers.iter().copied() {
                let way = FirstPath { from, controller, object, picked: None, gives_up: true };
                let after = (controller.gives_up)(world, object);
                states.extend(after.map(|after| (self.variants.state_of(&after), way)));
            }
        }
        states
    }

    /// Returns the states in which the component ends. The boolean says whether the state belongs to a cycle of states
    /// that is never left. It is false for a cycle in which controllers only remember and forget something, because no
    /// object of the API changes there.
    fn ends(&self) -> Vec<(usize, bool)> {
        let mut ends = Vec::new();
        for states in bottom_components(&self.edges) {
            let shown = |state: &usize| self.variants.shown(&self.states[*state]);
            let first = states.first().map(shown);
            let unsettled = states.iter().any(|state| Some(shown(state)) != first);
            ends.extend(states.into_iter().map(|state| (state, unsettled)));
        }
        ends.sort_unstable();
        ends
    }

    /// Returns the syncs that first led to a state, beginning at the recorded state. Returns None if syncs alone do not
    /// lead to it.
    fn steps_to(&self, number: usize) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut at = number;
        while at != 0 {
            let FirstPath { from, controller, object, picked, gives_up } = self.ways[at]?;
            let after = self.variants.world_of(&self.states[at]);
            let memory = after.memory_of(object).into_iter().flat_map(|memory| memory.iter());
            let remembered = memory.filter_map(|id| after.object(*id)).map(|object| object.meta().name.clone());
            let world = self.variants.world_of(&self.states[from]);
            let named = |id: ObjectId| world.object(id).map(|object| ObjectRef::of(id.kind, object.meta()));
            // A sync of an object that does not exist reaches no state, so such a sync is in no schedule.
            steps.extend(named(object).map(|object| Step {
                controller,
                object,
                picked: picked.and_then(named).map(|picked| picked.name),
                remembered: remembered.collect(),
                gives_up,
            }));
            at = from;
        }
        steps.reverse();
        Some(steps)
    }

    /// Returns the component's objects, and the objects that were created since.
    fn objects_in(&self, world: &World<'s>) -> Vec<ObjectId> {
        let created = world.changed().iter().map(|(id, _)| *id).filter(|id| world.snapshot().object(*id).is_none());
        self.objects.iter().copied().chain(created).collect()
    }

    /// Returns the states to which an ordinary sync leads, except the current state. The states to which a sync with
    /// failures, lagging caches or scripted answers leads are added to `failed`.
    fn syncs(
        &mut self,
        world: &World<'s>,
        controller: Controller,
        object: ObjectId,
        failed: &mut Vec<State>,
    ) -> Vec<Reached> {
        let here = self.variants.state_of(world);
        let mut reached: Vec<Reached> = Vec::new();
        let mut runs = 0u32;
        let answers = Answers::default();
        let mut choices = Some(Choices::first());
        while let Some(script) = choices {
            let mut after = world.clone();
            let mut memory = ControllerState::in_step();
            let sync = SyncContext::new(&mut after, &mut memory, &answers, script);
            let Some((_, met)) = run(sync, &self.settings.behavior, controller, object) else { break };
            runs += 1;
            self.effort += (controller.effort)(world.snapshot(), &self.settings.behavior);
            if self.effort > self.most_effort {
                break;
            }
            choices = met.next();
            let state = self.variants.state_of(&after);
            if state != here {
                let hidden = self.is_hidden(world, &after, object);
                // A sync searches at most once.
                let picked = met.only_search().map(|(picked, _)| picked);
                reached.push(Reached { state, hidden, picked });
            }
        }
        if runs > 1 {
            for one in &mut reached {
                one.hidden = false;
            }
        }
        if self.may_fail {
            let worlds = with_failures(world, self.settings, controller, object);
            failed.extend(worlds.iter().map(|after| self.variants.state_of(after)));
        }
        reached
    }

    /// Returns whether the step changed only the synced object, in a way that no other sync can observe.
    fn is_hidden(&self, before: &World<'s>, after: &World<'s>, object: ObjectId) -> bool {
        let controllers = &self.settings.controllers;
        let same = |(id, is): &Changed<'s>| {
            *id == object || same_or_gone(controllers, before.object(*id).as_ref(), is.as_ref())
        };
        let (Some(was), Some(is)) = (before.object(object), after.object(object)) else { return false };
        let step = spec::Step {
            settings: self.settings,
            snapshot: before.snapshot(),
            component: &self.objects,
            before: &was,
            after: &is,
        };
        after.changed().iter().all(same) && controllers.iter().all(|controller| (controller.is_hidden)(&step))
    }

    /// Returns the outcomes in an end state, for each object that has ends and for each object that may be created. An
    /// object has several outcomes if no object of the API shows which of them is reached.
    fn ends_in(&self, number: usize, unsettled: bool) -> Vec<Vec<Outcome>> {
        let world = self.variants.world_of(&self.states[number]);
        let ends = |id: ObjectId| controllers::ends(self.settings, &world, id, unsettled);
        let created = |key: &ObjectKey| {
            let is_it = |(id, object): &&Changed<'s>| {
                object.as_ref().is_some_and(|object| ObjectKey::of(id.kind, object.meta()) == *key)
            };
            let found = world.changed().iter().find(is_it);
            found.map_or_else(|| vec![Outcome::Gone { data: None, unsettled }], |(id, _)| ends(*id))
        };
        let recorded = self.objects.iter().map(|id| ends(*id)).filter(|ends| !ends.is_empty());
        recorded.chain(self.created.iter().map(created)).collect()
    }

    /// Returns the joint outcomes in an end state. Every outcome of every object is in at least one of them.
    fn joints(&self, number: usize, unsettled: bool) -> Vec<Vec<Outcome>> {
        let mut joints = vec![Vec::with_capacity(self.objects.len())];
        for ends in self.ends_in(number, unsettled) {
            // If there are more joint outcomes than the list may have, only some of them are combined with the further
            // outcomes.
            let others: Vec<Vec<Outcome>> = joints.iter().take(JOINT_LIMIT + 1).cloned().collect();
            for joint in &mut joints {
                joint.extend(ends.first().cloned());
            }
            for end in ends.iter().skip(1) {
                joints.extend(others.iter().map(|joint| [joint.as_slice(), std::slice::from_ref(end)].concat()));
            }
        }
        joints
    }

    fn outcomes(&self, ends: &[(usize, bool)]) -> Explored {
        let recorded = self.variants.world_of(&[]);
        let has_ends = |id: &&ObjectId| controllers::has_ends(self.settings, &recorded, **id);
        let with_ends: Vec<ObjectId> = self.objects.iter().filter(has_ends).copied().collect();
        let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); with_ends.len() + self.created.len()];
        let mut worlds: Vec<Vec<Outcome>> = Vec::new();
        for (number, unsettled) in ends {
            for joint in self.joints(*number, *unsettled) {
                for (outcomes, outcome) in outcomes.iter_mut().zip(&joint) {
                    if let Err(free) = outcomes.binary_search(outcome) {
                        outcomes.insert(free, outcome.clone());
                    }
                }
                if worlds.len() <= JOINT_LIMIT && !worlds.contains(&joint) {
                    worlds.push(joint);
                }
            }
        }
        worlds.sort();
        let of_created = outcomes.split_off(with_ends.len());
        let mut of_recorded = with_ends.iter().zip(outcomes).peekable();
        let outcomes = self.objects.iter().map(|id| {
            let own = of_recorded.next_if(|(with_ends, _)| *with_ends == id);
            (*id, own.map(|(_, outcomes)| outcomes).unwrap_or_default())
        });
        let outcomes = outcomes.collect();
        let created = self.created.iter().cloned().zip(of_created).collect();
        Explored {
            outcomes,
            created,
            worlds: (worlds.len() <= JOINT_LIMIT).then_some(worlds),
            states: self.states.len(),
        }
    }
}

/// Returns the strongly connected components that no edge leaves, each with its states. The algorithm is Tarjan's,
/// without recursion.
fn bottom_components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut index = vec![UNSEEN; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut component = vec![UNSEEN; edges.len()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut stack: Vec<usize> = Vec::new();
    let mut counter = 0;
    for root in 0..edges.len() {
        if index[root] != UNSEEN {
            continue;
        }
        let mut work: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                index[node] = counter;
                low[node] = counter;
                counter += 1;
                stack.push(node);
            }
            if let Some(next) = edges[node].get(edge) {
                work.push((node, edge + 1));
                if index[*next] == UNSEEN {
                    work.push((*next, 0));
                } else if component[*next] == UNSEEN {
                    low[node] = low[node].min(index[*next]);
                }
                continue;
            }
            if low[node] == index[node] {
                let at = stack.iter().rposition(|member| *member == node).unwrap_or(0);
                let found = stack.split_off(at);
                for member in &found {
                    component[*member] = members.len();
                }
                members.push(found);
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    let is_bottom = |number: usize, states: &[usize]| {
        states.iter().all(|state| edges[*state].iter().all(|next| component[*next] == number))
    };
    let bottom = members.into_iter().enumerate().filter(|(number, states)| is_bottom(*number, states));
    bottom.map(|(_, states)| states).collect()
}
