//! The exact engine, for components of few objects: every state that any order of syncs can reach, and of those the
//! ones that are reached again and again however things go on.

use super::decide::{Target, run};
use super::failures::{astray, starts_astray};
use super::outcome::Outcome;
use super::state::{State, Variants};
use crate::controllers::persistent_volume::sameness::{private_claim_step, private_volume_step, same_or_gone};
use crate::controllers::persistent_volume::{DESTROYED, SCRUBBING};
use crate::controllers::settings::Settings;
use crate::controllers::{Budget, Controller, Rules, Sync};
use crate::model::Str;
use crate::snapshot::{Snapshot, VolumeId};
use crate::world::{Answers, Choices, ControllerState, ObjectRef, World};
use rustc_hash::FxHashMap;

/// Where at most six claims and six volumes can influence each other, the answer is to be exact: such a component may
/// meet ten times as many states.
fn of_component(budget: Budget, objects: &[Target]) -> usize {
    let claims = objects.iter().filter(|target| matches!(target, Target::Claim(_))).count();
    let small = claims <= 6 && objects.len() - claims <= 6;
    if small { budget.states.saturating_mul(10) } else { budget.states }
}

/// What exploring a component found.
#[derive(Clone, Debug)]
pub struct Explored {
    /// For each object of the component, in order: its outcomes, sorted.
    pub outcomes: Vec<(Target, Vec<Outcome>)>,
    /// The joint end states, where there are at most [`JOINT_LIMIT`]: for each, the outcomes in the objects' order.
    pub worlds: Option<Vec<Vec<Outcome>>>,
    /// How many states were met.
    pub states: usize,
}

/// Above so many joint end states they are not listed.
pub const JOINT_LIMIT: usize = 8;

/// One sync of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who syncs.
    pub controller: Controller,
    /// What is synced.
    pub object: ObjectRef,
    /// The volume that its search takes, where several are equally good.
    pub volume: Option<Str>,
}

/// Explores a component; nothing where the budget does not suffice. With `failures`, writes may be refused, the
/// controller may stop inside a sync, and its caches may lag.
pub fn explore<'s>(snapshot: &'s Snapshot, settings: &Settings<'s>, objects: &[Target]) -> Option<Explored> {
    let search = Search::through(snapshot, settings, objects)?;
    let ends = bottom_components(&search.edges);
    Some(search.outcomes(&ends))
}

/// A schedule that leads a component from the recorded world to an end that is wanted: the syncs that are made, one
/// after the other, with caches in step between them. `wanted` gets the joint outcomes of the objects, in their order.
/// Where an end goes round, the schedule leads to one of the states on the round.
///
/// Nothing where no such end is reached, where the budget does not suffice, and where failures, lagging caches or
/// answers are asked for, which no list of syncs can tell.
pub fn schedule<'s>(
    snapshot: &'s Snapshot,
    settings: &Settings<'s>,
    objects: &[Target],
    wanted: impl Fn(&[Outcome]) -> bool,
) -> Option<Vec<Step>> {
    if settings.failures || starts_astray(settings) {
        return None;
    }
    let search = Search::through(snapshot, settings, objects)?;
    let (end, _) = bottom_components(&search.edges)
        .into_iter()
        .find(|(number, unsettled)| search.joints(*number, *unsettled).iter().any(|joint| wanted(joint)))?;
    Some(search.steps_to(end))
}

/// How a state was reached first.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: usize,
    controller: Controller,
    target: Target,
    picked: Option<VolumeId>,
}

/// A state that a sync leads to.
struct Reached {
    state: State,
    /// Nobody else can see the step.
    private: bool,
    /// The volume that the sync's search took, where it had several.
    picked: Option<VolumeId>,
}

struct Search<'a, 's> {
    settings: &'a Settings<'s>,
    objects: Vec<Target>,
    variants: Variants<'s>,
    numbers: FxHashMap<State, usize>,
    states: Vec<State>,
    /// For each state how it was reached first; nothing for the recorded one, and where something went wrong.
    ways: Vec<Option<Way>>,
    /// Where syncs without a failure lead: the ends are those of a world in which no more failures happen.
    edges: Vec<Vec<usize>>,
    /// Syncs may run under other circumstances than the ordinary ones.
    astray: bool,
    /// No volume that is there or may be created lacks its capacity.
    capacities_stated: bool,
}

impl<'a, 's> Search<'a, 's> {
    /// All states of a component; nothing where the budget does not suffice.
    fn through(snapshot: &'s Snapshot, settings: &'a Settings<'s>, objects: &[Target]) -> Option<Self> {
        let limit = of_component(settings.budget, objects);
        let mut search = Self {
            settings,
            objects: objects.to_vec(),
            variants: Variants::new(snapshot),
            numbers: FxHashMap::default(),
            states: Vec::new(),
            ways: Vec::new(),
            edges: Vec::new(),
            astray: settings.failures || starts_astray(settings),
            capacities_stated: objects.iter().all(|target| match target {
                Target::Volume(id) => snapshot.volume(*id).storage().is_some(),
                Target::Claim(id) => !settings.rules.hostpath_provisioning || snapshot.claim(*id).request.is_some(),
            }),
        };
        search.visit(Box::default(), None);
        let mut next = 0;
        while next < search.states.len() {
            if search.states.len() > limit {
                return None;
            }
            search.expand(next);
            next += 1;
        }
        Some(search)
    }

    fn visit(&mut self, state: State, way: Option<Way>) -> usize {
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

    /// All states that one sync leads to. A step that nobody else can see is taken at once and alone: all orders
    /// lead through it.
    fn expand(&mut self, number: usize) {
        let world = self.variants.world_of(&self.states[number].clone());
        let mut successors: Vec<(State, Way)> = Vec::new();
        let mut failed: Vec<State> = Vec::new();
        for target in self.objects_in(&world) {
            for controller in &self.settings.controllers {
                let reached = self.syncs(&world, *controller, target, &mut failed);
                let way = |picked| Way { from: number, controller: *controller, target, picked };
                if let [Reached { state, private: true, picked }] = reached.as_slice()
                    && !self.astray
                {
                    let to = self.visit(state.clone(), Some(way(*picked)));
                    self.edges[number] = vec![to];
                    return;
                }
                successors.extend(reached.into_iter().map(|Reached { state, picked, .. }| (state, way(picked))));
            }
        }
        let mut edges: Vec<usize> = successors.into_iter().map(|(state, way)| self.visit(state, Some(way))).collect();
        edges.sort_unstable();
        edges.dedup();
        self.edges[number] = edges;
        for state in failed {
            self.visit(state, None);
        }
    }

    /// The syncs that led to a state first, from the recorded one on.
    fn steps_to(&self, number: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut way = self.ways[number];
        while let Some(Way { from, controller, target, picked }) = way {
            let world = self.variants.world_of(&self.states[from]);
            let volume = |id: VolumeId| world.get(id).map(|volume| ObjectRef::to(&*volume));
            let object = match target {
                Target::Volume(id) => volume(id),
                Target::Claim(id) => world.get(id).map(|claim| ObjectRef::to(&*claim)),
            };
            // A sync of an object that is not there reaches nothing, so that it is on no way.
            steps.extend(object.map(|object| Step {
                controller,
                object,
                volume: picked.and_then(volume).map(|volume| volume.name),
            }));
            way = self.ways[from];
        }
        steps.reverse();
        steps
    }

    /// The component's objects, with volumes that were created since.
    fn objects_in(&self, world: &World<'s>) -> Vec<Target> {
        let created = world.created().map(|(id, _)| Target::Volume(id));
        self.objects.iter().copied().chain(created).collect()
    }

    /// The states other than this one that a sync leads to; those that it leads to under other circumstances than the
    /// ordinary ones are added to `failed`.
    fn syncs(
        &mut self,
        world: &World<'s>,
        controller: Controller,
        target: Target,
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
            let sync = Sync::new(&mut after, &mut memory, &answers, script);
            let Some((_, met)) = run(sync, &self.settings.rules, controller, target) else { break };
            runs += 1;
            choices = met.next();
            let state = self.variants.state_of(&after);
            if state != here {
                let private = is_private(&self.settings.rules, world, &after, target, self.capacities_stated);
                // A sync searches once at most.
                let picked = met.only_search().and_then(|(picked, _)| picked.of());
                reached.push(Reached { state, private, picked });
            }
        }
        if runs > 1 {
            for one in &mut reached {
                one.private = false;
            }
        }
        if self.astray {
            let worlds = astray(world, self.settings, controller, target);
            failed.extend(worlds.iter().map(|after| self.variants.state_of(after)));
        }
        reached
    }

    /// Each object's outcomes in an end state: two where a pod may have scrubbed a volume or not.
    fn ends_in(&self, number: usize, unsettled: bool) -> Vec<Vec<Outcome>> {
        let rules = &self.settings.rules;
        let world = self.variants.world_of(&self.states[number]);
        let ends = self.objects.iter().map(|target| match target {
            Target::Claim(id) => vec![Outcome::of_claim(world.get(*id).as_deref(), unsettled)],
            Target::Volume(id) => {
                let destroyed = world.has_mark((*id).into(), DESTROYED);
                let end = Outcome::of_volume(rules, world.get(*id).as_deref(), destroyed, unsettled);
                end.with_scrubbing(world.has_mark((*id).into(), SCRUBBING))
            }
        });
        ends.collect()
    }

    /// The joint outcomes in an end state; every outcome of every object is in one of them.
    fn joints(&self, number: usize, unsettled: bool) -> Vec<Vec<Outcome>> {
        let mut joints = vec![Vec::with_capacity(self.objects.len())];
        for ends in self.ends_in(number, unsettled) {
            // More joint states than are listed need not be told apart any more.
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
        let mut outcomes: Vec<(Target, Vec<Outcome>)> =
            self.objects.iter().map(|target| (*target, Vec::new())).collect();
        let mut worlds: Vec<Vec<Outcome>> = Vec::new();
        for (number, unsettled) in ends {
            for joint in self.joints(*number, *unsettled) {
                for ((_, outcomes), outcome) in outcomes.iter_mut().zip(&joint) {
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
        Explored { outcomes, worlds: (worlds.len() <= JOINT_LIMIT).then_some(worlds), states: self.states.len() }
    }
}

/// Whether only the synced object changed, in a way that nobody else can see.
fn is_private(rules: &Rules, before: &World<'_>, after: &World<'_>, target: Target, capacities_stated: bool) -> bool {
    let others_same = after
        .changed()
        .iter()
        .all(|(id, is)| *id == target.object() || same_or_gone(before.object(*id).as_ref(), is.as_ref()));
    others_same
        && match target {
            Target::Volume(id) => match (before.get(id), after.get(id)) {
                (Some(was), Some(is)) => private_volume_step(before.snapshot(), &was, &is),
                _ => false,
            },
            Target::Claim(id) => match (before.get(id), after.get(id)) {
                (Some(was), Some(is)) => private_claim_step(rules, &was, &is, capacities_stated),
                _ => false,
            },
        }
}

/// The states of the strongly connected components that nothing leads out of, each with whether its component has more
/// than one state. Tarjan's algorithm, without recursion.
fn bottom_components(edges: &[Vec<usize>]) -> Vec<(usize, bool)> {
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
    let mut ends: Vec<(usize, bool)> = members
        .iter()
        .enumerate()
        .filter(|(number, states)| {
            states.iter().all(|state| edges[*state].iter().all(|next| component[*next] == *number))
        })
        .flat_map(|(_, states)| states.iter().map(move |state| (*state, states.len() > 1)))
        .collect();
    ends.sort_unstable();
    ends
}

#[cfg(test)]
#[expect(clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::{Outcome, Settings, schedule};
    use crate::controllers::{Controller, Rules};
    use crate::simulate::component::components;
    use crate::snapshot::{Coverage, Item, Parts, Snapshot, decode};
    use serde_json::{Value, json};

    fn world(items: &[Value]) -> Snapshot {
        let mut parts = Parts { coverage: Coverage::complete(), ..Parts::default() };
        for item in items {
            match decode::decode(item.to_string().as_bytes(), "test.json") {
                Ok(Item::Object(object)) => parts.objects.push(object),
                other => panic!("{other:?}"),
            }
        }
        Snapshot::new(parts)
    }

    fn volume(name: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "uid": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}, "status": {"phase": "Available"}})
    }

    fn claim(name: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "db", "uid": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                "storageClassName": ""},
            "status": {"phase": "Pending"}})
    }

    /// Who syncs first decides which claim stays without a volume, and a search decides between equal volumes.
    #[test]
    fn a_schedule_names_the_syncs_and_what_a_search_takes() {
        let snapshot = world(&[volume("pv-1"), volume("pv-2"), claim("c1"), claim("c2"), claim("c3")]);
        let controllers = vec![Controller::PersistentVolumeBinder];
        let settings = Settings { controllers, ..Settings::new(Rules::default()) };
        let all = components(&snapshot, &settings);
        let [component] = all.as_slice() else { panic!("{all:?}") };
        let bound = |outcome: &Outcome, name: &str| outcome.phase() == "Bound" && outcome.binding() == name;
        let told = |wanted: &dyn Fn(&[Outcome]) -> bool, settings: &Settings<'_>| {
            let steps = schedule(&snapshot, settings, &component.targets(), wanted)?;
            let steps = steps.into_iter().map(|step| {
                assert_eq!(step.controller, Controller::PersistentVolumeBinder);
                format!("{} {}", step.object.name, step.volume.unwrap_or_default())
            });
            Some(steps.collect::<Vec<_>>())
        };
        // Volumes come first. When one volume is left, nothing is picked.
        let end = |ends: &[Outcome]| bound(&ends[4], "pv-2") && bound(&ends[2], "pv-1");
        let steps = told(&end, &settings).unwrap_or_default();
        assert!(steps == ["c3 pv-2", "c1 "] || steps == ["c1 pv-1", "c3 "], "{steps:?}");
        let all_bound = |ends: &[Outcome]| ends[2..].iter().all(|end| end.phase() == "Bound");
        assert_eq!(told(&all_bound, &settings), None, "there are only two volumes");
        let recorded = world(&[volume("pv-1")]);
        let alone = components(&recorded, &settings)[0].targets();
        assert_eq!(schedule(&recorded, &settings, &alone, |_| true), Some(Vec::new()));
        let failing = Settings { failures: true, ..settings };
        assert_eq!(told(&end, &failing), None, "no list of syncs tells what fails");
    }
}
