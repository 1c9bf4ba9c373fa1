//! Compares the engines that find ends. Each engine is run with settings that no recording has. The ends of the real
//! controllers must be in every set. An end that one engine finds must be in the set of a less precise engine.

use super::ends::{ends_of, object_of, settling};
use super::{Judged, Verdict, binder, differ, snapshot_of, target};
use crate::line::{Ends, Object, Settle};
use anyhow::{Context as _, Result};
use pvctl::controllers::{self, Budget, Controller, KubernetesBehavior, SyncContext};
use pvctl::engines::settle;
use pvctl::model::{Held, HeldObject, ObjectId, PersistentVolume, PersistentVolumeClaim, Pod, TypedId};
use pvctl::simulate::component::{Component, components};
use pvctl::simulate::explore::{Explored, Step, explore, schedule};
use pvctl::simulate::{Outcome, Settings, Settled};
use pvctl::world::{Answers, ApiRefusal, Cached, Choices, ControllerState, ObjectRef, OperationState, World};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Of the worlds with few objects, one in `SHARE` is compared, because these worlds are similar.
const SHARE: u64 = 3;

/// The largest number of objects in a world with few objects.
const FEW: usize = 12;

/// The limit of states of an additional exploration. Explorations that need more states are left out. Some explorations
/// may use a multiple of the limit.
const STATES: usize = 60;

/// The largest number of objects in a component that is explored with other settings.
const MOST_OBJECTS: usize = 10;

/// The largest number of objects in a component that is explored at all.
const EXPLORED: usize = 32;

/// Returns a running operation that no sync started. It has only one effect: the exploration follows every order.
fn of_nobody() -> (String, OperationState) {
    ("of-nobody".to_owned(), OperationState::Running)
}

/// A component and the real answers for its objects.
struct Part<'a> {
    component: &'a Component,
    objects: Vec<ObjectId>,
    answers: Vec<&'a Ends>,
    /// Whether the world has no other component.
    is_all: bool,
}

/// Sets of ends, one for each object.
type Sets = Vec<Vec<Outcome>>;

impl Judged<'_> {
    /// Compares the engines on all components of the line, if the line is selected.
    pub(super) fn compare_engines(&self, verdict: &mut Verdict) -> Result<()> {
        let is_compared = |real: &&Settle| !super::ends::rejected(real);
        let Some(real) = self.line.settle.as_ref().filter(is_compared) else { return Ok(()) };
        if super::pods::with_scheduler(real) {
            return self.explore_with_scheduler(real, verdict);
        }
        if real.objects.len() <= FEW && !self.number().is_multiple_of(SHARE) {
            return Ok(());
        }
        let settings = settling(self.behavior, real)?;
        // In a component with pods, controllers create objects for the pods. The engines for volumes and claims do not
        // know these objects.
        let knows = |component: &&Component| component.of::<Pod>().len() == 0;
        for component in components(self.snapshot, &settings).iter().filter(knows) {
            let part = self.part(component, real)?;
            let cheap = Settings { budget: Budget { states: 4 * STATES }, ..settings.clone() };
            let small = part.objects.len() <= EXPLORED;
            let found = small.then(|| explore(self.snapshot, &cheap, &part.objects)).flatten();
            if let Some(explored) = &found {
                verdict.engines.states += explored.states;
                self.compare_budget(&part, &settings, explored, verdict);
                self.follow(&part, &settings, explored, verdict);
                if part.objects.len() <= MOST_OBJECTS && explored.states <= 10 * STATES {
                    self.compare_in_full(&part, &settings, explored, verdict);
                    self.compare_with_failures(&part, &settings, explored, verdict)?;
                }
            }
            self.compare_failing(&part, &settings, found.as_ref(), verdict)?;
        }
        Ok(())
    }

    /// Counts the states that the explorations visit if kube-scheduler takes part. The numbers show if a hint of the
    /// scheduler about steps that nobody observes is lost. The exploration of every order shows if a hint is wrong.
    fn explore_with_scheduler(&self, real: &Settle, verdict: &mut Verdict) -> Result<()> {
        let settings = settling(self.behavior, real)?;
        for component in components(self.snapshot, &settings) {
            let cheap = Settings { budget: Budget { states: STATES }, ..settings.clone() };
            let Some(explored) = explore(self.snapshot, &cheap, &component.objects) else { continue };
            verdict.engines.states += explored.states;
            let mut all = Settings { budget: Budget { states: 4 * STATES }, ..settings.clone() };
            all.controller.operations.push(of_nobody());
            let Some(full) = explore(self.snapshot, &all, &component.objects) else { continue };
            verdict.engines.in_full += 1;
            verdict.engines.states_in_full += full.states;
            for ((id, full), (_, reduced)) in full.outcomes.iter().zip(&explored.outcomes) {
                let text = |ends: &[Outcome]| ends.iter().map(|end| format!("{end:?}")).collect();
                let object = object_of(&self.snapshot.key(*id));
                differ("pods: every order", &object, &text(full), &text(reduced), verdict);
            }
        }
        Ok(())
    }

    fn part<'a>(&self, component: &'a Component, real: &'a Settle) -> Result<Part<'a>> {
        let objects = component.objects.clone();
        let answer = |object: &ObjectId| {
            let mut all = real.objects.iter();
            let found = all.find(|answer| target(self.snapshot, &answer.object).ok() == Some(*object));
            found.context("an object whose ends were not recorded")
        };
        let answers = objects.iter().map(answer).collect::<Result<_>>()?;
        let is_all = real.objects.len() == objects.len();
        Ok(Part { component, objects, answers, is_all })
    }

    /// Returns whether these objects are a component with these settings as well. With some settings, more objects
    /// influence each other.
    fn is_whole(&self, part: &Part<'_>, settings: &Settings<'_>) -> bool {
        components(self.snapshot, settings).iter().any(|component| component.objects == part.objects)
    }

    /// Compares the budget: the exploration succeeds with exactly the states that it needs, and fails with fewer.
    fn compare_budget(&self, part: &Part<'_>, settings: &Settings<'_>, explored: &Explored, verdict: &mut Verdict) {
        let claims = part.component.of::<PersistentVolumeClaim>().len();
        let tenfold = if claims <= 6 && part.objects.len() - claims <= 6 { 10 } else { 1 };
        if explored.states > 2000 {
            return;
        }
        let states = |states: usize| {
            let settings = Settings { budget: Budget { states }, ..settings.clone() };
            explore(self.snapshot, &settings, &part.objects).map_or(0, |again| again.states)
        };
        let told = [states(explored.states.div_ceil(tenfold)), states((explored.states - 1) / tenfold)];
        let wanted = [explored.states, 0].map(|states| states.to_string());
        differ_in_order("settle: budget", part.answers[0], &wanted, &told.map(|states| states.to_string()), verdict);
    }

    /// Compares the exploration with one that follows every order. If no other sync can observe a step, the exploration
    /// follows only this step. This saves states and must lose no end.
    fn compare_in_full(&self, part: &Part<'_>, settings: &Settings<'_>, explored: &Explored, verdict: &mut Verdict) {
        let mut all = Settings { budget: Budget { states: 10 * STATES }, ..settings.clone() };
        all.controller.operations.push(of_nobody());
        if let Some(full) = explore(self.snapshot, &all, &part.objects) {
            verdict.engines.in_full += 1;
            verdict.engines.states_in_full += full.states;
            for ((answer, (_, full)), (_, reduced)) in part.answers.iter().zip(&full.outcomes).zip(&explored.outcomes) {
                let text = |ends: &[Outcome]| ends.iter().map(|end| format!("{end:?}")).collect();
                differ("settle: every order", &answer.object, &text(full), &text(reduced), verdict);
            }
        }
    }

    /// Compares the sets with failures. They must contain at least the ends of the real controllers.
    fn compare_failing(
        &self,
        part: &Part<'_>,
        settings: &Settings<'_>,
        calm: Option<&Explored>,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let failing = Settings { failures: true, budget: Budget::NONE, ..settings.clone() };
        if !self.is_whole(part, &failing) {
            return Ok(());
        }
        let settled = settle(self.snapshot, &failing, part.component);
        let grown: Sets = listed(settled);
        verdict.engines.listed_failing += grown.iter().map(Vec::len).sum::<usize>();
        real_in("settle: failures without exploring", part, &grown, true, verdict)?;
        if let Some(calm) = calm {
            sets_in("settle: failures add ends", part, &sets(calm), &grown, verdict);
            let coarse = settle(self.snapshot, &Settings { failures: false, ..failing }, part.component);
            let coarse: Sets = listed(coarse);
            sets_in("settle: explored, and not found otherwise", part, &sets(calm), &coarse, verdict);
        }
        let failing = Settings { failures: true, budget: Budget { states: STATES }, ..settings.clone() };
        if part.objects.len() <= MOST_OBJECTS
            && calm.is_some_and(|calm| calm.states <= 10 * STATES)
            && let Some(explored) = explore(self.snapshot, &failing, &part.objects)
        {
            verdict.engines.failing += 1;
            verdict.engines.states_failing += explored.states;
            real_in("settle: failures", part, &sets(&explored), true, verdict)?;
            sets_in("settle: failures, and not found otherwise", part, &sets(&explored), &grown, verdict);
            if schedule(self.snapshot, &failing, &part.objects, |_| true).is_some() {
                differ_in_order("settle: failures in a schedule", part.answers[0], &[], &[String::new()], verdict);
            }
        }
        Ok(())
    }

    /// Compares explorations that begin with a stale cache, an operation in backoff, or refused requests. Every end
    /// that is possible without these circumstances must still be possible.
    fn compare_with_failures(
        &self,
        part: &Part<'_>,
        settings: &Settings<'_>,
        calm: &Explored,
        verdict: &mut Verdict,
    ) -> Result<()> {
        for (what, controller, answers) in self.circumstances(part) {
            let name = |how: &str| format!("settle: {what}{how}");
            if controller.in_step_with_all() && answers == Answers::default() {
                continue;
            }
            let with_failures = Settings { controller, answers, budget: Budget { states: STATES }, ..settings.clone() };
            if !self.is_whole(part, &with_failures) {
                continue;
            }
            let without = Settings { budget: Budget::NONE, ..with_failures.clone() };
            let settled = settle(self.snapshot, &without, part.component);
            let grown: Sets = listed(settled);
            verdict.engines.listed_with_failures += grown.iter().map(Vec::len).sum::<usize>();
            real_in(&name(", without exploring"), part, &grown, false, verdict)?;
            sets_in(&name(" adds ends"), part, &sets(calm), &grown, verdict);
            let settled = settle(self.snapshot, &with_failures, part.component);
            let ends: Sets = listed(settled);
            real_in(&name(""), part, &ends, false, verdict)?;
            if let Some(explored) = explore(self.snapshot, &with_failures, &part.objects) {
                verdict.engines.with_failures += 1;
                verdict.engines.states_with_failures += explored.states;
                // With a stale cache a claim may take a volume of another component.
                if part.is_all {
                    sets_in(&name(", explored and not found otherwise"), part, &sets(&explored), &grown, verdict);
                }
                if ends != sets(&explored) {
                    let differs = [format!("{ends:?}")];
                    differ_in_order(&name(", settled"), part.answers[0], &[], &differs, verdict);
                }
            }
            if schedule(self.snapshot, &with_failures, &part.objects, |_| true).is_some() {
                differ_in_order(&name(" in a schedule"), part.answers[0], &[], &[String::new()], verdict);
            }
        }
        Ok(())
    }

    /// Returns the states in which an exploration begins, each with a name.
    fn circumstances(&self, part: &Part<'_>) -> Vec<(&'static str, ControllerState<'static>, Answers)> {
        let (volumes, claims) =
            (|| part.component.of::<PersistentVolume>(), || part.component.of::<PersistentVolumeClaim>());
        let calm = Answers::default;
        let mut unseen = ControllerState::in_step();
        for id in volumes() {
            unseen.lag(id, Cached::Unseen);
        }
        let mut informed = ControllerState::in_step();
        for id in claims() {
            informed.lag(id, Cached::InformerOnly);
        }
        // The volumes as they were before the controller bound anything.
        let mut stale = ControllerState::in_step();
        for id in volumes() {
            let mut volume = self.snapshot.volume(id).clone();
            volume.claim_ref = None;
            stale.lag_behind(id, Held::Written(Arc::new(volume)));
        }
        let mut running = ControllerState::in_step();
        let mut run = |name: String| running.operations.push((name, OperationState::Backoff));
        for id in volumes() {
            let meta = &self.snapshot.volume(id).meta;
            run(format!("delete-{}[{}]", meta.name, meta.uid));
            run(format!("recycle-{}[{}]", meta.name, meta.uid));
        }
        for id in claims() {
            let meta = &self.snapshot.claim(id).meta;
            run(format!("provision-{}/{}[{}]", meta.namespace, meta.name, meta.uid));
        }
        let refused = Answers { refuse_from: Some((1, ApiRefusal::Conflict)), ..Answers::default() };
        vec![
            ("volumes that nobody saw", unseen, calm()),
            ("claims that only the informer saw", informed, calm()),
            ("volumes as they were", stale, calm()),
            ("operations that failed", running, calm()),
            ("writes that are refused", ControllerState::in_step(), refused),
        ]
    }

    /// Finds a schedule for every joint end, or for every end of every object, and runs the syncs of the schedule.
    fn follow(&self, part: &Part<'_>, settings: &Settings<'_>, explored: &Explored, verdict: &mut Verdict) {
        if explored.states > 10 * STATES {
            return;
        }
        let wanted: Vec<Vec<(usize, &Outcome)>> = if let Some(worlds) = &explored.worlds {
            worlds.iter().map(|world| world.iter().enumerate().collect()).collect()
        } else {
            let ends = explored.outcomes.iter().enumerate();
            ends.flat_map(|(place, (_, ends))| ends.iter().map(move |end| vec![(place, end)])).collect()
        };
        for ends in wanted {
            let is_wanted = |joint: &[Outcome]| ends.iter().all(|(place, end)| joint[*place] == **end);
            let told = schedule(self.snapshot, settings, &part.objects, is_wanted);
            let leads_there = told.as_ref().is_some_and(|steps| {
                verdict.engines.steps += steps.len();
                let end = self.after(settings, steps);
                end.is_some_and(|world| {
                    ends.iter().all(|(place, end)| can_be(&world, settings, part.objects[*place], end))
                        && part.objects.iter().all(|object| stays(&world, settings, *object, &part.objects))
                })
            });
            verdict.engines.followed += 1;
            if !leads_there {
                let answer = part.answers[ends.first().map_or(0, |(place, _)| *place)];
                differ_in_order("schedule", answer, &[], &[format!("{ends:?} by {told:?}")], verdict);
            }
        }
    }

    /// Returns the world after these syncs, or `None` if one of them cannot be run as the schedule says.
    fn after(&self, settings: &Settings<'_>, steps: &[Step]) -> Option<World<'_>> {
        let mut world = World::new(self.snapshot);
        for step in steps {
            let is_named = |id: &ObjectId| {
                let named = |object: HeldObject<'_>| ObjectRef::of(id.kind, object.meta()) == step.object;
                world.object(*id).is_some_and(named)
            };
            let target = targets(&world).into_iter().find(is_named)?;
            let mut choices = Some(Choices::first());
            world = loop {
                let (after, met) = sync(&world, settings, step.controller, target, choices?)?;
                let picked =
                    met.only_search().and_then(|(id, _)| after.object(id)).map(|volume| volume.meta().name.clone());
                if step.picked.is_none() || picked == step.picked {
                    break after;
                }
                choices = met.next();
            };
        }
        Some(world)
    }
}

/// Returns whether the object can be at this end in a world.
fn can_be(world: &World<'_>, settings: &Settings<'_>, target: ObjectId, end: &Outcome) -> bool {
    let ends = |unsettled| controllers::ends(settings, world, target, unsettled);
    let mut ends = [false, true].into_iter().flat_map(ends);
    ends.any(|is| is == *end)
}

/// Returns whether a sync of this object with first choices leaves all objects of the component at their ends.
fn stays(world: &World<'_>, settings: &Settings<'_>, object: ObjectId, objects: &[ObjectId]) -> bool {
    settings.controllers.iter().all(|controller| {
        let Some((after, _)) = sync(world, settings, *controller, object, Choices::first()) else { return true };
        let is = |world: &World<'_>, object: ObjectId| match object.typed() {
            TypedId::PersistentVolume(id) => {
                Some(Outcome::of_volume(&settings.behavior, world.get(id).as_deref(), false, false))
            }
            TypedId::PersistentVolumeClaim(id) => Some(Outcome::of_claim(world.get(id).as_deref(), false)),
            _ => None,
        };
        objects.iter().all(|object| is(world, *object) == is(&after, *object))
    })
}

/// Returns all volumes and claims of a world, including those that were created in it.
fn targets(world: &World<'_>) -> Vec<ObjectId> {
    let volumes = world.places::<PersistentVolume>().into_iter().map(ObjectId::from);
    volumes.chain(world.places::<PersistentVolumeClaim>().into_iter().map(ObjectId::from)).collect()
}

/// Runs one sync with caches in step.
fn sync<'s>(
    world: &World<'s>,
    settings: &Settings<'_>,
    controller: Controller,
    target: ObjectId,
    script: Choices,
) -> Option<(World<'s>, Choices)> {
    let (mut after, mut memory, answers) = (world.clone(), ControllerState::in_step(), Answers::default());
    let mut sync: SyncContext<'_, 's> = SyncContext::new(&mut after, &mut memory, &answers, script);
    (controller.sync)(&mut sync, &settings.behavior, target)?;
    let (_, met) = sync.finish();
    Some((after, met))
}

fn listed(settled: Settled) -> Sets {
    settled.sets.into_iter().map(|set| set.listed.to_vec()).collect()
}

fn sets(explored: &Explored) -> Sets {
    explored.outcomes.iter().map(|(_, ends)| ends.clone()).collect()
}

/// Checks that the ends of the real controllers are in the sets. With `faults`, the function also checks their ends
/// after failures.
fn real_in(what: &str, part: &Part<'_>, sets: &Sets, faults: bool, verdict: &mut Verdict) -> Result<()> {
    for (answer, set) in part.answers.iter().zip(sets) {
        let predicted = ends_of(set)?;
        let others = answer.fault_ends.iter().chain(&answer.race_ends).filter(|_| faults);
        let seen: BTreeSet<String> = answer.ends.iter().chain(others).map(ToString::to_string).collect();
        differ(what, &answer.object, &seen, &seen.intersection(&predicted).cloned().collect(), verdict);
    }
    Ok(())
}

/// Checks that every end of the `narrow` sets is in the `wide` sets, whether it belongs to a cycle or not.
fn sets_in(what: &str, part: &Part<'_>, narrow: &Sets, wide: &Sets, verdict: &mut Verdict) {
    for ((answer, narrow), wide) in part.answers.iter().zip(narrow).zip(wide) {
        let text = |ends: &[Outcome]| -> BTreeSet<String> {
            ends.iter().map(|end| format!("{end:?}").replace("unsettled: true", "unsettled: false")).collect()
        };
        let (narrow, wide) = (text(narrow), text(wide));
        differ(what, &answer.object, &narrow, &narrow.intersection(&wide).cloned().collect(), verdict);
    }
}

fn differ_in_order(what: &str, answer: &Ends, wanted: &[String], told: &[String], verdict: &mut Verdict) {
    let numbered = |all: &[String]| all.iter().enumerate().map(|(place, one)| format!("{place}: {one}")).collect();
    differ(what, &answer.object, &numbered(wanted), &numbered(told), verdict);
}

/// Compares two engines on the large common case with 101 sizes. The other engine has to find all ends of the exact
/// engine, and no claim may get a volume that is too small.
///
/// # Errors
/// Returns an error if the world is invalid.
pub fn hundred_sizes() -> Result<Verdict> {
    let sizes = 1..=101;
    let items = sizes.flat_map(|size| {
        let (name, size) = (format!("{size:03}"), format!("{size}Gi"));
        let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "uid": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}}, "status": {"phase": "Available"}});
        let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "db", "uid": format!("of-{name}")},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}},
                "storageClassName": ""}, "status": {"phase": "Pending"}});
        [volume, claim]
    });
    let snapshot = snapshot_of(&items.collect::<Vec<_>>())?;
    let settings = binder(&KubernetesBehavior::default());
    // A refusal that no sync reaches has only one effect: the exact engines are not used.
    let never = Answers { refuse_from: Some((1000, ApiRefusal::Conflict)), ..Answers::default() };
    let growing = Settings { answers: never, budget: Budget::NONE, ..settings.clone() };
    let mut verdict = Verdict::default();
    for component in &components(&snapshot, &settings) {
        let exact = listed(settle(&snapshot, &settings, component));
        let grown = listed(settle(&snapshot, &growing, component));
        verdict.engines.listed_large += grown.iter().map(Vec::len).sum::<usize>();
        for ((object, exact), grown) in component.objects.iter().zip(exact).zip(grown) {
            let key = snapshot.key(*object);
            let (kind, namespace, name) = (key.kind.to_string(), key.namespace.to_string(), key.name.to_string());
            let object = Object { kind, namespace, name };
            let missing: BTreeSet<String> =
                exact.iter().filter(|end| !grown.contains(end)).map(|end| format!("{end:?}")).collect();
            differ("a hundred sizes", &object, &missing, &BTreeSet::new(), &mut verdict);
            let is_too_small = |end: &&Outcome| {
                matches!(end, Outcome::Claim { volume_name, .. }
                    if !volume_name.is_empty() && volume_name.as_str() < object.name.as_str())
            };
            let too_small = grown.iter().filter(is_too_small).map(|end| format!("{end:?}")).collect();
            differ("a hundred sizes: too small", &object, &BTreeSet::new(), &too_small, &mut verdict);
        }
    }
    Ok(verdict)
}
