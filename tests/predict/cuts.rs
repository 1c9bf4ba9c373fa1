//! Partial input. If kinds or namespaces of a world are hidden, the program must not give a wrong answer as if it were
//! certain. Every answer that differs from the answer about the full world must have `assumed` or `unknown`.
#![expect(clippy::unwrap_used, reason = "a prediction that cannot be written is a failed test")]

use crate::predict::properties::check;
use crate::support::worlds::{Cluster, worlds};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use pvctl::controllers::{Controller, KubernetesBehavior};
use pvctl::engines::simulation;
use pvctl::model::{Kind, Resource, Str};
use pvctl::report::prediction::DecisionOut;
use pvctl::simulate::{Assumed, Limit, Outcome, Prediction, Settings};
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Parts, Snapshot};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use xtask::judge::misnamed;

/// A part of a world that is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    kind: Kind,
    /// The namespace in which the kind is hidden, or `None` for all namespaces.
    namespace: Option<&'static str>,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All,
    /// The one object at this index, modulo the number of objects.
    One(usize),
    /// All volumes except those that claims name. The named volumes are read one by one.
    Unnamed,
}

const NAMESPACES: [&str; 2] = ["ns", "other"];

fn cuts() -> impl Strategy<Value = Vec<Cut>> {
    let mut all: Vec<Cut> = Kind::ALL.into_iter().map(|kind| Cut { kind, namespace: None, part: Part::All }).collect();
    for namespace in NAMESPACES.map(Some) {
        for kind in [Kind::PersistentVolumeClaim, Kind::Pod] {
            all.extend([Part::All, Part::One(0), Part::One(1)].map(|part| Cut { kind, namespace, part }));
        }
    }
    let volumes = [Part::One(0), Part::One(1), Part::One(2), Part::Unnamed];
    all.extend(volumes.map(|part| Cut { kind: Kind::PersistentVolume, namespace: None, part }));
    all.push(Cut { kind: Kind::StorageClass, namespace: None, part: Part::One(0) });
    proptest::sample::subsequence(all, 1..4)
}

/// Removes the hidden objects of one kind.
fn hide<T: Resource>(objects: &mut Vec<T>, cuts: &[Cut], named: &BTreeSet<Str>) {
    for cut in cuts.iter().filter(|cut| cut.kind == T::KIND) {
        let meant = |object: &T| cut.namespace.is_none_or(|hidden| object.meta().namespace == hidden);
        let number = objects.iter().filter(|object| meant(object)).count();
        let mut place = 0;
        objects.retain(|object| {
            if !meant(object) {
                return true;
            }
            place += 1;
            match cut.part {
                Part::All => false,
                Part::One(one) => place - 1 != one % number,
                Part::Unnamed => named.contains(&object.meta().name),
            }
        });
    }
}

/// Returns the world without the hidden parts. Its coverage says what is hidden.
fn cut(parts: &Parts, cuts: &[Cut], state: CoverageState) -> Parts {
    let mut left = parts.clone();
    let named: BTreeSet<Str> = parts.objects.claims.iter().map(|claim| claim.volume_name.clone()).collect();
    let objects = &mut left.objects;
    hide(&mut objects.volumes, cuts, &named);
    hide(&mut objects.claims, cuts, &named);
    hide(&mut objects.classes, cuts, &named);
    hide(&mut objects.pods, cuts, &named);
    hide(&mut objects.nodes, cuts, &named);
    let there = |name: &Str| name.is_empty() || parts.objects.volumes.iter().any(|volume| volume.meta.name == *name);
    let absent: BTreeSet<Str> = named.iter().filter(|name| !there(name)).cloned().collect();
    left.coverage = Coverage::complete();
    let mut set = |kind: Kind, namespace: Option<&str>, state: CoverageState| {
        let namespace = namespace.map(Str::from);
        let one_by_one = cuts.iter().any(|cut| cut.kind == kind && cut.part == Part::Unnamed);
        let absent = if one_by_one { absent.clone() } else { BTreeSet::new() };
        left.coverage.set(CoverageEntry { absent, ..CoverageEntry::new(kind, namespace, state) });
    };
    for cut in cuts {
        set(cut.kind, None, state);
        if cut.namespace.is_some() {
            let hidden = |seen: &str| cuts.iter().any(|other| (other.kind, other.namespace) == (cut.kind, Some(seen)));
            for seen in NAMESPACES.into_iter().filter(|seen| !hidden(seen)) {
                set(cut.kind, Some(seen), CoverageState::Complete);
            }
        }
    }
    for Cut { kind, .. } in cuts.iter().filter(|cut| cut.namespace.is_none()) {
        for namespace in NAMESPACES.into_iter().filter(|_| kind.namespaced()) {
            set(*kind, Some(namespace), state);
        }
    }
    left
}

/// The answers about one object: the decisions of each controller, and the outcomes of the object.
struct Answers {
    decisions: BTreeMap<Controller, BTreeSet<String>>,
    outcomes: Option<BTreeSet<Outcome>>,
}

fn answers(prediction: &Prediction<'_>) -> Answers {
    let mut decisions: BTreeMap<Controller, BTreeSet<String>> = BTreeMap::new();
    for decision in &prediction.decisions.listed {
        let text = serde_json::to_string(&DecisionOut::new(decision)).unwrap();
        decisions.entry(decision.controller).or_default().insert(text);
    }
    let outcomes = prediction.outcomes.as_ref().map(|set| set.listed.iter().cloned().collect());
    Answers { decisions, outcomes }
}

fn all<'s>() -> Settings<'s> {
    Settings { decisions: Limit::All, outcomes: Limit::All, ..Settings::new(KubernetesBehavior::default()) }
}

/// Fails if a wrong answer is not marked as uncertain. Counts the objects that have a wrong answer.
fn no_confident_wrong_answer(
    world: &Cluster,
    cuts: &[Cut],
    state: CoverageState,
    doubted: &Cell<u32>,
) -> TestCaseResult {
    let full = Snapshot::new(Parts { coverage: Coverage::complete(), ..world.0.clone() });
    if misnamed(&full) {
        return Ok(());
    }
    let partial = Snapshot::new(cut(&world.0, cuts, state));
    let (known, guessed) = (simulation(&full, all(), 1), simulation(&partial, all(), 1));
    for target in guessed.targets() {
        let key = partial.key(target);
        let same = full.object_id(&key).unwrap();
        let prediction = guessed.predict(target);
        // A doubt about another namespace is not about the hidden part. So it does not make the answer uncertain.
        let is_cut = |need: &Assumed| {
            let hides = |namespace: Option<&str>| {
                need.namespace.is_empty() || namespace.is_none_or(|hidden| need.namespace == hidden)
            };
            cuts.iter().any(|cut| need.kind == cut.kind && hides(cut.namespace))
        };
        let assumed = prediction.assumed.iter().any(is_cut);
        let (known, guessed) = (answers(&known.predict(same)), answers(&prediction));
        let said = |field: &str, controller: Option<Controller>| {
            prediction.unknown.iter().any(|unknown| unknown.field == field && unknown.controller == controller)
        };
        let mut wrong = false;
        for (controller, decisions) in &known.decisions {
            let right = guessed.decisions.get(controller) == Some(decisions);
            wrong |= !right;
            prop_assert!(
                right || assumed || said("decisions", Some(*controller)),
                "{key}, {controller:?}, without {cuts:?}: {:?}\nin full: {decisions:?}",
                guessed.decisions.get(controller)
            );
        }
        let right = guessed.outcomes == known.outcomes;
        wrong |= !right;
        prop_assert!(
            right || assumed || guessed.outcomes.is_none() && said("outcomes", None),
            "{key} without {cuts:?} ends in {:?}\nin full: {:?}",
            guessed.outcomes,
            known.outcomes
        );
        doubted.set(doubted.get() + u32::from(wrong));
    }
    Ok(())
}

#[test]
fn a_hidden_part_never_yields_a_confident_wrong_answer() {
    let states = [
        CoverageState::Assumed,
        CoverageState::Failed,
        CoverageState::Forbidden,
        CoverageState::NotNeeded,
        CoverageState::NotServed,
        CoverageState::Partial,
    ];
    let doubted = Cell::new(0);
    check(400, (worlds(3, 3), cuts(), proptest::sample::select(states.to_vec())), |(world, cuts, state)| {
        no_confident_wrong_answer(&world, &cuts, state, &doubted)
    });
    assert!(
        doubted.get() > 100,
        "the test is too weak: only {} objects had an answer that differed from the answer about the full world",
        doubted.get()
    );
}
