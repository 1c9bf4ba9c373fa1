//! Partial input: the same worlds with kinds or namespaces cut out never yield a confident wrong answer. Every answer
//! that differs from the full world's carries `assumed` or `unknown`.
#![expect(clippy::unwrap_used, reason = "a prediction that cannot be written is a failed test")]

use crate::properties::check;
use crate::worlds::{Cluster, worlds};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use pvctl::controllers::{Controller, Rules};
use pvctl::model::{Kind, ObjectMeta, Str};
use pvctl::report::decision::DecisionOut;
use pvctl::simulate::{Assumed, Limit, Outcome, Prediction, Settings, Simulation, Target, key_of};
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Parts, Snapshot};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use xtask::judge::misnamed;

/// A kind, everywhere or in one namespace.
type Cut = (Kind, Option<&'static str>);

const NAMESPACES: [&str; 2] = ["ns", "other"];

fn cuts() -> impl Strategy<Value = Vec<Cut>> {
    let mut all: Vec<Cut> = Kind::ALL.into_iter().map(|kind| (kind, None)).collect();
    for namespace in NAMESPACES {
        all.extend([(Kind::PersistentVolumeClaim, Some(namespace)), (Kind::Pod, Some(namespace))]);
    }
    proptest::sample::subsequence(all, 1..4)
}

/// What is left of a world when these parts of it cannot be seen, and that they cannot.
fn cut(parts: &Parts, cuts: &[Cut], state: CoverageState) -> Parts {
    let hidden = |kind: Kind, meta: &ObjectMeta| {
        cuts.iter().any(|(cut, namespace)| *cut == kind && namespace.is_none_or(|hidden| meta.namespace == hidden))
    };
    let mut left = parts.clone();
    left.volumes.retain(|object| !hidden(Kind::PersistentVolume, &object.meta));
    left.claims.retain(|object| !hidden(Kind::PersistentVolumeClaim, &object.meta));
    left.classes.retain(|object| !hidden(Kind::StorageClass, &object.meta));
    left.pods.retain(|object| !hidden(Kind::Pod, &object.meta));
    left.nodes.retain(|object| !hidden(Kind::Node, &object.meta));
    left.coverage = Coverage::complete();
    let mut set = |kind: Kind, namespace: Option<&str>, state: CoverageState| {
        let namespace = namespace.map(Str::from);
        left.coverage.set(CoverageEntry { kind, namespace, state, resource_version: None, reason: None });
    };
    for (kind, namespace) in cuts {
        set(*kind, None, state);
        if namespace.is_some() {
            for seen in NAMESPACES.into_iter().filter(|seen| !cuts.contains(&(*kind, Some(seen)))) {
                set(*kind, Some(seen), CoverageState::Complete);
            }
        }
    }
    for (kind, _) in cuts.iter().filter(|(_, namespace)| namespace.is_none()) {
        for namespace in NAMESPACES.into_iter().filter(|_| kind.namespaced()) {
            set(*kind, Some(namespace), state);
        }
    }
    left
}

/// The answers to one object: what each controller does now, and where the object ends.
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
    Settings { decisions: Limit::All, outcomes: Limit::All, ..Settings::new(Rules::default()) }
}

/// Fails for a wrong answer that is not doubted; counts the wrong ones that are.
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
    let (known, guessed) = (Simulation::new(&full, all(), 1), Simulation::new(&partial, all(), 1));
    for target in guessed.targets() {
        let key = key_of(&partial, target);
        let same = match target {
            Target::Volume(_) => Target::Volume(full.volume_id(&key.name).unwrap()),
            Target::Claim(_) => Target::Claim(full.claim_id(&key.namespace, &key.name).unwrap()),
        };
        let prediction = guessed.predict(target);
        // A doubt about another namespace is none about what is hidden.
        let is_cut = |need: &Assumed| {
            let hides = |namespace: Option<&str>| {
                need.namespace.is_empty() || namespace.is_none_or(|hidden| need.namespace == hidden)
            };
            cuts.iter().any(|(kind, namespace)| need.kind == *kind && hides(*namespace))
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
    assert!(doubted.get() > 100, "only {} answers would have been different", doubted.get());
}
