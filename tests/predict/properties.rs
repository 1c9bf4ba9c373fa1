//! Properties that hold for every world, tested on small worlds with many unusual objects.
//!
//! The default number of cases takes seconds. `PROPTEST_CASES=N` multiplies the number of cases by N.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a property that cannot be evaluated is a failed test")]

mod sets;

use crate::support::worlds::{Cluster, contended, worlds};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use pvctl::controllers::Budget;
use pvctl::controllers::persistent_volume::matching::{Fit, Query};
use pvctl::controllers::persistent_volume::{DESTROYED, SCRUBBING};
use pvctl::controllers::{
    Branch, ClaimBranch, Controller, KubeVersion, KubernetesBehavior, SyncContext, persistent_volume,
};
use pvctl::engines::settle;
use pvctl::model::{
    AnnotationKey, BindingMode, HeldObject, ObjectId, PersistentVolume, PersistentVolumeClaim, Quantity,
    ResourceVersion, Str, TypedId,
};
use pvctl::simulate::component::components;
use pvctl::simulate::explore::explore;
use pvctl::simulate::{Limit, Outcome, Settings, decide};
use pvctl::snapshot::{ClaimId, Parts, Snapshot, VolumeId};
use pvctl::world::{Choices, ControllerState, Effect, World, WriteBody};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Checks a property on this number of worlds. Every run uses the same worlds.
#[expect(clippy::disallowed_methods, reason = "whoever runs the tests chooses how many cases are tried")]
pub(crate) fn check<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value) -> TestCaseResult) {
    let factor: u32 = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let config = ProptestConfig {
        cases: cases.saturating_mul(factor),
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&strategy, property) {
        panic!("{error}");
    }
}

fn all_outcomes<'s>(behavior: KubernetesBehavior) -> Settings<'s> {
    Settings { decisions: Limit::All, outcomes: Limit::All, ..Settings::new(behavior) }
}

/// Returns the behaviors of all modelled versions, and of some combinations of flags and gates.
fn all_rules() -> Vec<KubernetesBehavior> {
    let mut all: Vec<KubernetesBehavior> = KubeVersion::all().map(KubernetesBehavior::of).collect();
    let mut hostpath = KubernetesBehavior::default();
    hostpath.set_flag("enable-hostpath-provisioner", "true").unwrap();
    hostpath.set_gate("PersistentVolumeClaimUnusedSinceTime", true).unwrap();
    let mut historical = KubernetesBehavior::of(KubeVersion::HISTORICAL);
    historical.set_flag("enable-hostpath-provisioner", "true").unwrap();
    all.extend([hostpath, historical]);
    all
}

pub(crate) fn some_rules() -> impl Strategy<Value = KubernetesBehavior> {
    prop_oneof![2 => Just(KubernetesBehavior::default()), 1 => proptest::sample::select(all_rules())]
}

type Ends = BTreeMap<ObjectId, BTreeSet<Outcome>>;

/// Returns the predicted outcomes of each object, and whether all of them are exact.
fn predicted(snapshot: &Snapshot, settings: &Settings<'_>) -> (Ends, bool) {
    let (mut ends, mut exact) = (Ends::new(), true);
    for component in components(snapshot, settings) {
        let settled = settle(snapshot, settings, &component);
        let sets: Vec<_> = settled.sets.iter().collect();
        assert_eq!(sets.len(), component.objects.len());
        for (target, set) in component.objects.into_iter().zip(sets) {
            assert_eq!(set.count, set.listed.len() as u64);
            exact &= set.exact;
            ends.insert(target, set.listed.iter().cloned().collect());
        }
    }
    (ends, exact)
}

/// Returns the same ends without the flag `unsettled`.
fn calm(ends: Ends) -> Ends {
    let calm = |mut outcome: Outcome| {
        outcome.settle();
        outcome
    };
    ends.into_iter().map(|(target, set)| (target, set.into_iter().map(calm).collect())).collect()
}

fn targets(world: &World<'_>) -> Vec<ObjectId> {
    let volumes = world.places::<PersistentVolume>().into_iter().map(ObjectId::from);
    volumes.chain(world.places::<PersistentVolumeClaim>().into_iter().map(ObjectId::from)).collect()
}

/// Runs one sync with these choices. The sync may crash before a write. Returns the world after the sync, the choices,
/// and the number of writes. Returns `None` if the controller does not sync the object.
fn sync<'s>(
    world: &World<'s>,
    settings: &Settings<'s>,
    (controller, target): (Controller, ObjectId),
    script: Choices,
    crash: Option<u32>,
) -> Option<(World<'s>, Choices, u32)> {
    let mut after = world.clone();
    let mut memory = ControllerState::in_step();
    let mut sync: SyncContext<'_, 's> =
        SyncContext::new(&mut after, &mut memory, &settings.answers, script).crashing_before(crash).traced(true);
    controller.syncs.contains(&target.kind).then_some(())?;
    (controller.sync)(&mut sync, &settings.behavior, target)?;
    let (record, met) = sync.finish();
    let writes = record.effects.iter().filter(|effect| matches!(effect, Effect::Write(_))).count();
    Some((after, met, u32::try_from(writes).unwrap()))
}

/// A world without versions, times and messages, so that two worlds can be compared.
type Plain = (Vec<(VolumeId, Option<PersistentVolume>)>, Vec<(ClaimId, Option<PersistentVolumeClaim>)>);

fn plain(world: &World<'_>) -> Plain {
    let mut volumes = Vec::new();
    let mut claims = Vec::new();
    for target in targets(world) {
        match target.typed() {
            TypedId::PersistentVolume(id) => volumes.push((
                id,
                world.get(id).map(|volume| {
                    let mut volume = (*volume).clone();
                    volume.meta.resource_version = ResourceVersion::default();
                    volume.meta.deletion_grace_seconds = volume.meta.deleted.and(Some(0));
                    volume.status.message = Str::default();
                    if let Some(claim_ref) = &mut volume.claim_ref {
                        claim_ref.resource_version = Str::default();
                    }
                    volume
                }),
            )),
            TypedId::PersistentVolumeClaim(id) => claims.push((
                id,
                world.get(id).map(|claim| {
                    let mut claim = (*claim).clone();
                    claim.meta.resource_version = ResourceVersion::default();
                    claim
                }),
            )),
            other => panic!("{other:?} must be a volume or a claim"),
        }
    }
    (volumes, claims)
}

/// Returns all possible results of one sync.
fn runs<'s>(world: &World<'s>, settings: &Settings<'s>, at: (Controller, ObjectId)) -> Vec<(World<'s>, u32, Choices)> {
    let mut found = Vec::new();
    let mut script = Some(Choices::first());
    while let Some(choices) = script {
        let Some((after, met, writes)) = sync(world, settings, at, choices, None) else { break };
        script = met.next();
        found.push((after, writes, met));
    }
    found
}

fn everyone(world: &World<'_>, settings: &Settings<'_>) -> Vec<(Controller, ObjectId)> {
    let pairs = |target| settings.controllers.iter().map(move |controller| (*controller, target));
    targets(world).into_iter().flat_map(pairs).collect()
}

/// Returns the outcome of each object in a world.
fn end_of(world: &World<'_>, settings: &Settings<'_>, unsettled: bool) -> Vec<(ObjectId, Outcome)> {
    let snapshot = world.snapshot();
    targets(world)
        .into_iter()
        .filter_map(|target| match target.typed() {
            TypedId::PersistentVolume(id) => snapshot.volumes().get(id.0 as usize).map(|_| {
                let (volume, destroyed) = (world.get(id), world.has_mark(id.into(), DESTROYED));
                (target, Outcome::of_volume(&settings.behavior, volume.as_deref(), destroyed, unsettled))
            }),
            TypedId::PersistentVolumeClaim(id) => {
                Some((target, Outcome::of_claim(world.get(id).as_deref(), unsettled)))
            }
            _ => None,
        })
        .collect()
}

/// Returns the ends of all states that can be reached by any order of syncs, without shortcuts. Returns `None` if there
/// are more than `most` states.
fn naive<'s>(snapshot: &'s Snapshot, settings: &Settings<'s>, most: usize) -> Option<Ends> {
    let start = World::new(snapshot);
    let mut known: Vec<Plain> = vec![plain(&start)];
    let mut by_text: BTreeMap<String, usize> = BTreeMap::new();
    by_text.insert(format!("{:?}", known[0]), 0);
    let mut states = vec![start];
    let mut edges: Vec<BTreeSet<usize>> = Vec::new();
    let mut scrubbing: BTreeSet<ObjectId> = BTreeSet::new();
    while edges.len() < states.len() {
        let world = states[edges.len()].clone();
        let mut next = BTreeSet::new();
        for at in everyone(&world, settings) {
            for (after, ..) in runs(&world, settings, at) {
                scrubbing.extend(after.marked(SCRUBBING));
                let is = plain(&after);
                if is == known[edges.len()] {
                    continue;
                }
                let number = *by_text.entry(format!("{is:?}")).or_insert(known.len());
                if number == known.len() {
                    known.push(is);
                    states.push(after);
                }
                next.insert(number);
            }
        }
        if states.len() > most {
            return None;
        }
        edges.push(next);
    }
    // A state is final if it can be reached again from every state that it leads to.
    let reach = |from: usize| {
        let mut seen = BTreeSet::new();
        let mut work = vec![from];
        while let Some(state) = work.pop() {
            work.extend(edges[state].iter().filter(|next| seen.insert(**next)).copied());
        }
        seen
    };
    let mut ends = Ends::new();
    let mut leads_to: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for state in 0..states.len() {
        let quiet = edges[state].is_empty();
        let last = quiet || {
            let reached = leads_to.entry(state).or_insert_with(|| reach(state)).clone();
            reached.contains(&state) && reached.iter().all(|other| reach(*other).contains(&state))
        };
        if last {
            for (target, outcome) in end_of(&states[state], settings, !quiet) {
                // The pod that scrubs a volume continues after the object of the volume was deleted, and may fail.
                let scrubbing = scrubbing.contains(&target);
                ends.entry(target).or_default().extend(outcome.with_scrubbing(scrubbing));
            }
        }
    }
    Some(ends)
}

/// A source of pseudo-random numbers. The same seed gives the same numbers, so that a failing case can be repeated.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % (limit.max(1) as u64)).unwrap()
    }
}

/// Syncs objects in an arbitrary order until no sync changes anything. Up to `cuts` syncs stop before one of their
/// writes. Returns the world at the end, or `None` if syncs still change it after many rounds.
fn walk<'s>(
    snapshot: &'s Snapshot,
    settings: &Settings<'s>,
    dice: &mut SeededRandom,
    cuts: usize,
) -> Option<World<'s>> {
    let mut world = World::new(snapshot);
    let mut cuts = cuts;
    for _ in 0..400 {
        let mut moves: Vec<((Controller, ObjectId), World<'s>, u32, Choices)> = Vec::new();
        let here = plain(&world);
        for at in everyone(&world, settings) {
            for (after, writes, met) in runs(&world, settings, at) {
                if plain(&after) != here {
                    moves.push((at, after, writes, met));
                }
            }
        }
        if moves.is_empty() {
            return Some(world);
        }
        let (at, after, writes, met) = moves.swap_remove(dice.below(moves.len()));
        if cuts > 0 && dice.below(2) == 0 {
            cuts -= 1;
            let crash = u32::try_from(dice.below(writes as usize)).unwrap() + 1;
            world = sync(&world, settings, at, met.repeat(), Some(crash)).unwrap().0;
        } else {
            world = after;
        }
    }
    None
}

fn inside(found: &World<'_>, settings: &Settings<'_>, ends: &Ends) -> TestCaseResult {
    for (target, outcome) in end_of(found, settings, false) {
        prop_assert!(
            ends[&target].contains(&outcome),
            "{target:?} ended as {outcome:?}, but only these outcomes were predicted: {:#?}",
            ends[&target]
        );
    }
    Ok(())
}

fn shuffle<T>(objects: &mut [T], dice: &mut SeededRandom) {
    for last in (1..objects.len()).rev() {
        objects.swap(last, dice.below(last + 1));
    }
}

#[test]
fn predictions_do_not_depend_on_the_order_of_the_input() {
    let strategy = (worlds(4, 4), any::<u64>());
    check(100, strategy, |(Cluster(parts), seed)| {
        let mut dice = SeededRandom(seed);
        let mut shuffled = parts.clone();
        shuffle(&mut shuffled.objects.volumes, &mut dice);
        shuffle(&mut shuffled.objects.claims, &mut dice);
        shuffle(&mut shuffled.objects.classes, &mut dice);
        shuffle(&mut shuffled.objects.pods, &mut dice);
        let settings = || Settings {
            tracing: true,
            budget: Budget { states: 300 },
            ..Settings::new(KubernetesBehavior::default())
        };
        let view = |parts: Parts| {
            let snapshot = Snapshot::new(parts);
            let settings = settings();
            let world = World::new(&snapshot);
            let decisions: Vec<String> = targets(&world)
                .into_iter()
                .map(|target| format!("{:?}", decide::decide(&world, &settings, target).listed))
                .collect();
            let settled: Vec<String> = components(&snapshot, &settings)
                .iter()
                .map(|component| format!("{component:?} {:?}", settle(&snapshot, &settings, component)))
                .collect();
            (decisions, settled)
        };
        let first = view(parts.clone());
        prop_assert_eq!(&first, &view(parts));
        prop_assert_eq!(first, view(shuffled));
        Ok(())
    });
}

#[test]
fn exploring_misses_no_order_of_syncs_and_invents_none() {
    let compared = RefCell::new((0, 0));
    check(350, (worlds(3, 3), some_rules()), |(Cluster(parts), behavior)| {
        let snapshot = Snapshot::new(parts);
        let settings = all_outcomes(behavior);
        let Some(naive) = naive(&snapshot, &settings, 400) else {
            compared.borrow_mut().1 += 1;
            return Ok(());
        };
        compared.borrow_mut().0 += 1;
        let (ends, exact) = predicted(&snapshot, &settings);
        prop_assert!(exact);
        if components(&snapshot, &settings).len() == 1 {
            prop_assert_eq!(&naive, &ends);
        }
        prop_assert_eq!(calm(naive), calm(ends));
        Ok(())
    });
    let (compared, skipped) = compared.into_inner();
    assert!(
        compared > 3 * skipped,
        "the test is too weak: {compared} worlds were compared, {skipped} worlds were too large"
    );
}

#[test]
fn arbitrary_schedules_end_inside_the_prediction() {
    check(150, (worlds(4, 4), some_rules(), any::<u64>()), |(Cluster(parts), behavior, seed)| {
        let snapshot = Snapshot::new(parts);
        let settings = all_outcomes(behavior);
        let (ends, _) = predicted(&snapshot, &settings);
        prop_assert!(ends.values().all(|set| !set.is_empty()), "an object has no outcome: {ends:#?}");
        let mut dice = SeededRandom(seed);
        for _ in 0..3 {
            match walk(&snapshot, &settings, &mut dice, 0) {
                Some(found) => inside(&found, &settings, &ends)?,
                None => prop_assert!(
                    ends.values().flatten().any(Outcome::is_unsettled),
                    "the schedule does not settle, but no outcome is unsettled: {ends:#?}"
                ),
            }
        }
        Ok(())
    });
}

#[test]
fn a_sync_that_is_cut_short_ends_inside_the_prediction_with_failures() {
    check(40, (worlds(3, 3), some_rules(), any::<u64>(), any::<bool>()), |(Cluster(parts), behavior, seed, roomy)| {
        let snapshot = Snapshot::new(parts);
        let budget = if roomy { 1500 } else { 0 };
        let settings = Settings { failures: true, budget: Budget { states: budget }, ..all_outcomes(behavior) };
        let ends = calm(predicted(&snapshot, &settings).0);
        let mut dice = SeededRandom(seed);
        for _ in 0..3 {
            if let Some(found) = walk(&snapshot, &settings, &mut dice, 4) {
                inside(&found, &settings, &ends)?;
            }
        }
        Ok(())
    });
}

#[test]
fn the_engines_without_exploration_stay_close_above_the_exact_sets() {
    // The values are: exact outcomes, listed outcomes, the sum of the ratios of all objects, and the number of objects.
    let sums = RefCell::new((0u64, 0u64, 0f64, 0u64));
    check(400, (worlds(4, 4), some_rules()), |(Cluster(parts), behavior)| {
        let snapshot = Snapshot::new(parts);
        let settings = all_outcomes(behavior);
        let (exact, is_exact) = predicted(&snapshot, &settings);
        if !is_exact {
            return Ok(());
        }
        let without = Settings { budget: Budget { states: 0 }, ..settings };
        let (wide, _) = predicted(&snapshot, &without);
        let (exact, wide) = (calm(exact), calm(wide));
        for (target, ends) in &exact {
            prop_assert!(
                ends.is_subset(&wide[target]),
                "{target:?}: these outcomes are possible, but not listed: {:#?}\nthese are listed: {:#?}",
                ends.difference(&wide[target]).collect::<Vec<_>>(),
                wide[target]
            );
            let mut sums = sums.borrow_mut();
            sums.0 += ends.len() as u64;
            sums.1 += wide[target].len() as u64;
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let ratio = wide[target].len() as f64 / ends.len() as f64;
            sums.2 += ratio;
            sums.3 += 1;
        }
        Ok(())
    });
    let (exact, wide, ratios, objects) = sums.into_inner();
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let (ratio, mean) = (wide as f64 / exact as f64, ratios / objects as f64);
    #[expect(clippy::print_stderr, reason = "the figure is wanted in the test's output")]
    {
        eprintln!(
            "{objects} objects: all sets together are {ratio:.3} times as large as the exact sets, and a set is {mean:.3} times as large on average"
        );
    }
    assert!(
        ratio <= 1.5 && mean <= 1.5,
        "all sets together are {ratio:.3} times as large as the exact sets, and a set is {mean:.3} times as large on average"
    );
}

#[test]
fn the_engine_for_free_volumes_and_waiting_claims_is_exact() {
    let strategy =
        prop_oneof![6 => contended(3, 3).boxed(), 3 => contended(4, 4).boxed(), 1 => contended(5, 5).boxed()];
    let nested = RefCell::new(0);
    check(40, strategy, |Cluster(parts)| {
        let snapshot = Snapshot::new(parts);
        let controllers = vec![persistent_volume::CONTROLLER];
        let settings =
            Settings { controllers, budget: Budget { states: 200_000 }, ..all_outcomes(KubernetesBehavior::default()) };
        let without = Settings { budget: Budget { states: 0 }, ..settings.clone() };
        for component in components(&snapshot, &settings) {
            let explored = explore(&snapshot, &settings, &component.objects).unwrap();
            let (solved, again) = (settle(&snapshot, &without, &component), settle(&snapshot, &settings, &component));
            let worlds: Option<Vec<Vec<&Outcome>>> =
                explored.worlds.as_ref().map(|worlds| worlds.iter().map(|world| world.iter().collect()).collect());
            prop_assert_eq!(worlds, again.joint());
            for (sets, exact) in [(&solved, component.of::<PersistentVolume>().len() > 0), (&again, true)] {
                for ((_, ends), set) in explored.outcomes.iter().zip(&sets.sets) {
                    prop_assert_eq!(ends.as_slice(), &*set.listed);
                    prop_assert_eq!(set.exact, exact);
                }
            }
            *nested.borrow_mut() += usize::from(component.of::<PersistentVolume>().len() > 0);
        }
        Ok(())
    });
    assert!(nested.into_inner() > 10, "the test is too weak: the engine was used for only a few components");
}

/// Returns the volumes that the search may choose, computed only from `docs/controllers/matching.md`. The search visits
/// groups of access modes that contain the requested modes. The groups with the fewest modes are first. In the first
/// group with a result the search takes a reserved volume, or else the smallest one.
fn scanned(snapshot: &Snapshot, query: &Query<'_>, claim: &PersistentVolumeClaim) -> BTreeSet<Str> {
    let size = |volume: &PersistentVolume| volume.storage().copied().unwrap_or(Quantity::ZERO);
    let mut buckets: BTreeMap<(u32, usize), Vec<&PersistentVolume>> = BTreeMap::new();
    for volume in snapshot.volumes() {
        let set = volume.access_modes.set();
        if set.contains_all(&claim.access_modes) {
            buckets.entry((set.len(), set.index())).or_default().push(volume);
        }
    }
    let mut found = BTreeSet::new();
    let mut tier = None;
    for ((modes, _), volumes) in buckets {
        if tier.is_some_and(|tier| tier < modes) {
            break;
        }
        let fits = |wanted: Fit| volumes.iter().filter(move |volume| query.fit(volume) == wanted);
        let reserved: Vec<&&PersistentVolume> = fits(Fit::Reserved).collect();
        let smallest = fits(Fit::Free).map(|volume| size(volume)).min_by(Quantity::compare);
        let chosen: Vec<&&PersistentVolume> = match smallest {
            _ if !reserved.is_empty() => reserved,
            Some(smallest) => fits(Fit::Free).filter(|volume| size(volume).compare(&smallest).is_eq()).collect(),
            None => Vec::new(),
        };
        if !chosen.is_empty() {
            tier = Some(modes);
            found.extend(chosen.into_iter().map(|volume| volume.meta.name.clone()));
        }
    }
    found
}

#[test]
fn the_indexed_search_finds_what_a_scan_of_all_volumes_finds() {
    let searches = RefCell::new((0, 0));
    check(1500, (worlds(4, 2), some_rules()), |(Cluster(parts), behavior)| {
        let snapshot = Snapshot::new(parts);
        let settings = Settings { controllers: vec![persistent_volume::CONTROLLER], ..all_outcomes(behavior) };
        let world = World::new(&snapshot);
        for (number, claim) in (0..).zip(snapshot.claims()) {
            let decisions = decide::decide(&world, &settings, ObjectId::from(ClaimId::new(number))).listed;
            let Some(first) = decisions.first() else { continue };
            let looked = claim.volume_name.is_empty()
                && !claim.meta.annotations.has(AnnotationKey::BindCompleted)
                && first.branch != Branch::ClaimBranch(ClaimBranch::UnboundClaimMatchFailed);
            if !looked {
                continue;
            }
            let selected =
                settings.behavior.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode);
            let delay = !selected
                && snapshot
                    .class(claim.class())
                    .is_some_and(|class| class.binding_mode == Some(BindingMode::WaitForFirstConsumer));
            let Ok(query) = Query::new(&settings.behavior, claim, delay) else {
                // A search for such a claim ends without an error only if no bucket of access modes fits.
                prop_assert!(
                    snapshot.volumes().iter().all(|v| !v.access_modes.set().contains_all(&claim.access_modes))
                );
                continue;
            };
            let expected = scanned(&snapshot, &query, claim);
            let chosen: BTreeSet<Str> = decisions
                .iter()
                .filter(|decision| decision.branch == Branch::ClaimBranch(ClaimBranch::UnboundClaimVolumeFound))
                .filter_map(|decision| {
                    decision.record.effects.iter().rev().find_map(|effect| match effect {
                        Effect::Write(write) => match &write.body {
                            WriteBody::Update { after: HeldObject::PersistentVolumeClaim(claim), .. }
                                if !claim.volume_name.is_empty() =>
                            {
                                Some(claim.volume_name.clone())
                            }
                            WriteBody::Update { after: HeldObject::PersistentVolume(volume), .. } => {
                                Some(volume.meta.name.clone())
                            }
                            _ => None,
                        },
                        _ => None,
                    })
                })
                .collect();
            let mut searches = searches.borrow_mut();
            searches.0 += 1;
            searches.1 += usize::from(!expected.is_empty());
            prop_assert_eq!(chosen, expected);
        }
        Ok(())
    });
    let (searches, successes) = searches.into_inner();
    assert!(searches > 300 && successes > 100, "the test is too weak: {searches} searches, {successes} with a result");
}
