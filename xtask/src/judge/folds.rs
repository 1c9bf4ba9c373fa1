//! Compares folded decisions with the single decisions that they represent, and checks which decisions an answer lists.

use super::{Judged, Verdict, binder, differ};
use crate::line::{Case, Object};
use anyhow::Result;
use pvctl::controllers::CONTROLLERS;
use pvctl::engines::simulation;
use pvctl::model::{ObjectId, PersistentVolumeClaim, Resource};
use pvctl::report::prediction::StateOut;
use pvctl::simulate::Budget;
use pvctl::simulate::decide::decide_folded;
use pvctl::simulate::{Component, DecidedBy, Decision, Decisions, Limit, Outcome, OutcomeSet, Prediction, Settings};
use pvctl::snapshot::Snapshot;
use pvctl::world::{Effect, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The largest limit of decisions that is tried.
const MOST: usize = 4;

/// Checks that under each limit the folded decisions represent the first single decisions.
pub(super) fn compare_folds(
    case: &Case,
    part: &str,
    (world, settings, target): (&World<'_>, &Settings<'_>, ObjectId),
    decisions: &Decisions<'_>,
    verdict: &mut Verdict,
) {
    if decisions.listed.len() < 2 {
        return;
    }
    let snapshot = world.snapshot();
    let all: Vec<String> = decisions.listed.iter().map(|decision| picked(snapshot, decision)).collect();
    for limit in 1..=MOST {
        let settings = Settings { decisions: Limit::AtMost(limit), ..settings.clone() };
        let folded = decide_folded(world, &settings, target);
        let stood_for: Vec<String> = folded.listed.iter().flat_map(|one| standing_for(snapshot, one, None)).collect();
        let first = &all[..limit.min(all.len())];
        same(&format!("{part}: folded at most {limit}"), &case.object, first, &stood_for, verdict);
    }
}

impl Judged<'_> {
    /// Checks which decisions of an object `predict` lists: the first ones, but at least one of each controller.
    pub(super) fn compare_listed(&self, verdict: &mut Verdict) -> Result<()> {
        let settings = Settings { controllers: CONTROLLERS.to_vec(), budget: Budget::NONE, ..binder(self.behavior) };
        let mut of_limit = BTreeMap::new();
        for case in self.line.decisions.iter().filter(|case| case.decisions.len() > 1) {
            let target = super::target(self.snapshot, &case.object)?;
            for limit in 0..=MOST {
                let simulation = of_limit.entry(limit).or_insert_with(|| {
                    simulation(self.snapshot, Settings { decisions: Limit::AtMost(limit), ..settings.clone() }, 1)
                });
                let plain = simulation.predict(target);
                let listed: Vec<&Decision<'_>> = plain.decisions.listed.iter().collect();
                let first_of = |place: usize| place == 0 || listed[place - 1].controller != listed[place].controller;
                let first: Vec<String> = (0..listed.len())
                    .filter(|place| *place < limit || first_of(*place))
                    .map(|place| picked(self.snapshot, listed[place]))
                    .collect();
                let told = |prediction: &Prediction<'_>| -> Vec<String> {
                    let listed = prediction.listed_decisions();
                    listed.flat_map(|(one, others)| standing_for(self.snapshot, one, Some(others))).collect()
                };
                let part = format!("predict, at most {limit}");
                same(&part, &case.object, &first, &told(&plain), verdict);
                let folded = simulation.predict_folded(target);
                same(&format!("{part}, folded"), &case.object, &first, &told(&folded), verdict);
                let count = |prediction: &Prediction<'_>| vec![prediction.decisions.count.to_string()];
                same(&format!("{part}, count"), &case.object, &count(&plain), &count(&folded), verdict);
            }
        }
        Ok(())
    }

    /// Checks that a limit hides no sort of ends: for each sort that no listed end has, exactly one other end is
    /// available.
    pub(super) fn compare_sorts(
        object: &Object,
        full: &OutcomeSet,
        limited: &OutcomeSet,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let sort = |end: &Outcome| -> Result<String> {
            let end = serde_json::to_value(StateOut::of_outcome(end))?;
            let field = |name: &str| end[name].clone();
            Ok(json!(["phase", "gone", "terminating", "finalizers", "data", "unsettled"].map(field)).to_string())
        };
        let every: BTreeSet<String> = full.listed.iter().map(sort).collect::<Result<_>>()?;
        let sorts: Vec<String> = limited.representatives().map(sort).collect::<Result<_>>()?;
        let (told, others) = sorts.split_at(limited.listed.len());
        let told: BTreeSet<&String> = told.iter().collect();
        let new: BTreeSet<&String> = others.iter().filter(|sort| !told.contains(sort)).collect();
        same("settle: one of each sort", object, &[new.len().to_string()], &[others.len().to_string()], verdict);
        differ("settle: every sort", object, &every, &sorts.iter().cloned().collect(), verdict);
        Ok(())
    }

    /// Checks the field `decidedBy` of the prediction, which states what decides between several ends.
    ///
    /// If a claim has several decisions now, equal volumes decide. The order of syncs decides as well, except for a
    /// single claim that chooses among Available volumes: its ends are the volumes that it can choose now.
    pub(super) fn compare_decided_by(
        &self,
        prediction: &Prediction<'_>,
        component: &Component,
        (object, ends, failing): (&Object, u64, u64),
        verdict: &mut Verdict,
    ) {
        if ends < 2 && prediction.decided_by.is_empty() {
            return;
        }
        let said: Vec<&str> = prediction.decided_by.iter().map(|by: &DecidedBy| by.as_str()).collect();
        let mut world = World::new(self.snapshot);
        let settings = binder(self.behavior);
        let all = Settings { controllers: CONTROLLERS.to_vec(), ..settings.clone() };
        let made = component.objects.iter().flat_map(|id| pvctl::controllers::made(self.snapshot, &all, *id));
        let claims: Vec<PersistentVolumeClaim> = made.filter_map(Resource::of).collect();
        let new: Vec<ObjectId> = claims.into_iter().map(|claim| world.add(Arc::new(claim), None).into()).collect();
        let choices = |target: ObjectId| pvctl::simulate::decide::decide(&world, &settings, target).listed.len();
        let claims: Vec<ObjectId> = component.of::<PersistentVolumeClaim>().map(ObjectId::from).chain(new).collect();
        let ties = claims.iter().any(|claim| choices(*claim) > 1);
        let objects = component.objects.iter().map(|target| {
            let key = self.snapshot.key(*target);
            Object {
                kind: key.kind.as_str().to_owned(),
                namespace: key.namespace.to_string(),
                name: key.name.to_string(),
            }
        });
        let items: Vec<&Value> = objects.filter_map(|object| self.recorded(&object)).collect();
        let as_made = items.iter().all(|item| {
            let phase = item["status"]["phase"].as_str().unwrap_or("Pending");
            item["metadata"]["deletionTimestamp"].is_null()
                && item["spec"]["claimRef"].is_null()
                && (phase == "Available" || item["kind"] != "PersistentVolume")
        });
        let alone = ties && claims.len() == 1 && as_made;
        let mut expected = Vec::new();
        let ends = ends.saturating_sub(failing);
        if ends > 1 && ties {
            expected.push("equalCandidates");
        }
        if ends > 1 && !alone {
            expected.push("orderOfSyncs");
        }
        if failing > 0 {
            expected.push("simultaneousRecycling");
        }
        let text = |words: &[&str]| BTreeSet::from([words.join(" ")]);
        differ("settle: decided by", object, &text(&expected), &text(&said), verdict);
        if let ([claim], true, "PersistentVolumeClaim") = (claims.as_slice(), alone, object.kind.as_str()) {
            let number = |number: u64| BTreeSet::from([format!("{number} ends of one claim alone")]);
            differ("settle: decided by", object, &number(ends), &number(choices(*claim) as u64), verdict);
        }
    }
}

/// Returns the controller of a decision, and the volume that the decision chooses. The decision updates this volume.
fn picked(snapshot: &Snapshot, decision: &Decision<'_>) -> String {
    let volume = decision.record.effects.iter().find_map(|effect| match effect {
        Effect::Write(write) => {
            let object = write.body.object();
            (object.kind() == pvctl::model::Kind::PersistentVolume).then(|| object.meta().name.to_string())
        }
        _ => None,
    });
    let chosen = decision.alike.as_ref().map(|alike| snapshot.meta(alike.chosen).name.to_string());
    format!("{} {}", decision.controller.name, chosen.or(volume).unwrap_or_default())
}

/// Returns the decisions that this one represents, beginning with itself. `others` is the number of other decisions to
/// return. `None` means all of them.
fn standing_for(snapshot: &Snapshot, decision: &Decision<'_>, others: Option<usize>) -> Vec<String> {
    let alike = decision.alike.iter().flat_map(|alike| &alike.others);
    let name = |id: &ObjectId| format!("{} {}", decision.controller.name, snapshot.meta(*id).name);
    // If the decision represents fewer decisions than `others` says, empty names are added. The comparison then finds a
    // difference.
    let more = others.map_or(0, |others| others.saturating_sub(alike.clone().count()));
    let others = others.unwrap_or(usize::MAX);
    std::iter::once(picked(snapshot, decision))
        .chain(alike.take(others).map(name))
        .chain(std::iter::repeat_n(String::new(), more.min(MOST)))
        .collect()
}

fn same(part: &str, object: &Object, real: &[String], predicted: &[String], verdict: &mut Verdict) {
    let text = |names: &[String]| BTreeSet::from([names.join(", ")]);
    differ(part, object, &text(real), &text(predicted), verdict);
}
