//! What is wrong, and its root: rules look at every object with what is predicted of it, and what they find is put in
//! order of cause and consequence.
//!
//! A rule sees one object at a time through a [`Case`]; it says what it found, on what evidence, and which other object
//! is to blame. Everything that concerns several findings is [`graph`]'s, and how findings are shown is the business of
//! `report`.

mod around;
pub mod case;
pub mod facts;
mod finding;
mod graph;
pub mod misfit;
pub mod remedy;
mod rule;
pub mod rules;
mod subject;
mod suppression;
mod survey;

pub use around::{asked_provisioner, meant_class};
pub use case::{Case, Holder, Unread};
pub use finding::{Detection, Evidence, Finding, Remedy, Risk, Severity};
pub use graph::Role;

pub use rule::{Act, Page, Repair, Rule};
pub use subject::{Detect, DetectFn, Subject};
pub use suppression::{Suppressed, Suppression, matches_glob};
pub use survey::Survey;

use crate::model::{Kind, ObjectId, ObjectKey, Str};
use crate::parallel::in_parallel;
use crate::simulate::Simulation;
use crate::snapshot::{CoverageState, Snapshot};
use case::Memo;
use std::collections::{BTreeMap, BTreeSet};
use suppression::suppressed;

/// How many objects are looked at together.
const BATCH: usize = 64;

/// What is wrong with a world.
#[derive(Debug, Default)]
pub struct Diagnosis {
    /// What was found: by object, and of each object the worst first.
    pub findings: Vec<Finding>,
    /// The rules that could not be judged somewhere, each with the readings that were missing, in order.
    pub unjudged: BTreeMap<&'static str, BTreeSet<Unread>>,
}

impl Diagnosis {
    /// The places of the findings that concern those objects alone: on them, or to blame for what is found on them.
    /// What the findings affect elsewhere is left out of them.
    pub fn narrow(&mut self, own: &dyn Fn(&ObjectKey) -> bool) -> BTreeSet<usize> {
        graph::narrow(&mut self.findings, own)
    }
}

/// With what an audit looks.
#[derive(Clone, Copy)]
pub struct Scrutiny<'a> {
    /// The rules, in the order in which they speak for an object.
    pub rules: &'a [&'static Rule],
    /// What is known already and kept back.
    pub suppressions: &'a [Suppression],
    /// Whether anybody wants to hear of that object: what cannot be judged elsewhere does not matter.
    pub scope: &'a (dyn Fn(&ObjectKey) -> bool + Sync),
}

/// Looks at every object, on as many threads as asked for. Objects are in the order of listings; the answer does not
/// depend on the number of threads.
pub fn diagnose(simulation: &Simulation<'_>, scrutiny: Scrutiny<'_>, threads: usize) -> Diagnosis {
    diagnose_named(simulation, scrutiny, &|_| false, threads)
}

/// The same, where somebody named some objects: of these it is also told what may still come right by itself.
pub fn diagnose_named(
    simulation: &Simulation<'_>,
    scrutiny: Scrutiny<'_>,
    named: &(dyn Fn(&ObjectKey) -> bool + Sync),
    threads: usize,
) -> Diagnosis {
    let survey = Survey::of(simulation.snapshot());
    let subjects = Subject::all(simulation.snapshot());
    let batches: Vec<&[Subject<'_>]> = subjects.chunks(BATCH).collect();
    let looked = in_parallel(threads, batches.len(), |number| {
        let mut some = Diagnosis::default();
        for subject in batches[number] {
            apply_rules(simulation, &survey, *subject, scrutiny, named, &mut some);
        }
        some
    });
    let mut diagnosis = Diagnosis::default();
    for some in looked {
        diagnosis.findings.extend(some.findings);
        for (rule, missing) in some.unjudged {
            let known = diagnosis.unjudged.entry(rule).or_default();
            known.extend(missing);
        }
    }
    for rule in scrutiny.rules {
        let missing: Vec<Unread> = unseen(simulation.snapshot(), rule.detect.kind(), scrutiny).collect();
        if !missing.is_empty() {
            diagnosis.unjudged.entry(rule.id).or_default().extend(missing);
        }
    }
    rules::give_way(&mut diagnosis.findings);
    graph::follow(&mut diagnosis.findings);
    diagnosis
}

/// What those rules find on one object that somebody named, without what it follows from. Nothing else is looked at.
pub fn diagnose_one(simulation: &Simulation<'_>, target: ObjectId, rules: &[&'static Rule]) -> Vec<Finding> {
    let snapshot = simulation.snapshot();
    let Some(subject) = Subject::of(snapshot, target) else { return Vec::new() };
    let scrutiny = Scrutiny { rules, suppressions: &[], scope: &|_| true };
    let mut diagnosis = Diagnosis::default();
    apply_rules(simulation, &Survey::of(snapshot), subject, scrutiny, &|_| true, &mut diagnosis);
    rules::give_way(&mut diagnosis.findings);
    diagnosis.findings
}

/// Where objects of that kind may be that nobody saw, so that no rule looks at them. Of kinds that are only read where
/// some decision asks for them nothing else is looked at.
fn unseen<'s>(snapshot: &'s Snapshot, kind: Kind, scrutiny: Scrutiny<'s>) -> impl Iterator<Item = Unread> + 's {
    let entries = snapshot.coverage().entries().iter().filter(move |entry| entry.kind == kind);
    let lacks = move |state: CoverageState| match state {
        CoverageState::Complete | CoverageState::Assumed | CoverageState::NotNeeded => false,
        CoverageState::Partial | CoverageState::Forbidden | CoverageState::NotServed | CoverageState::Failed => true,
    };
    let here = move |namespace: &Str| (scrutiny.scope)(&key(kind, namespace, ""));
    entries.filter(move |entry| lacks(entry.state) && entry.namespace.as_ref().is_none_or(here)).map(move |entry| {
        Unread { kind, namespace: entry.namespace.clone().unwrap_or_default(), state: entry.state.as_str() }
    })
}

/// Asks every rule that is about such an object.
fn apply_rules(
    simulation: &Simulation<'_>,
    survey: &Survey<'_>,
    subject: Subject<'_>,
    scrutiny: Scrutiny<'_>,
    named: &(dyn Fn(&ObjectKey) -> bool + Sync),
    diagnosis: &mut Diagnosis,
) {
    let target = subject.target();
    let prediction = target.map(|target| simulation.predict_folded(target));
    let memo = Memo::default();
    let mut found: Vec<Finding> = Vec::new();
    let meta = subject.meta();
    let key = ObjectKey { kind: subject.kind(), namespace: meta.namespace.clone(), name: meta.name.clone() };
    let is_named = named(&key);
    for (place, rule) in (0u32..).zip(scrutiny.rules) {
        if !rule.detect.is_about(subject) {
            continue;
        }
        let case = Case::new(simulation, prediction.as_ref(), survey, &memo, subject, is_named);
        let answer = rule.detect.ask(&case, subject);
        let (assumed, missing) = case.rested_on();
        match answer {
            Some(answer) => {
                let mut finding = Finding::new(rule, place, key.clone(), meta, answer, assumed);
                finding.suppressed = suppressed(scrutiny.suppressions, simulation.snapshot().now(), &finding, meta);
                found.push(finding);
            }
            None if missing.is_empty() || !(scrutiny.scope)(&key) => {}
            None => diagnosis.unjudged.entry(rule.id).or_default().extend(missing),
        }
    }
    found.sort_by_key(Finding::rank);
    diagnosis.findings.extend(found);
}

/// The key of an object of that kind and name.
pub fn key(kind: Kind, namespace: &str, name: &str) -> ObjectKey {
    ObjectKey { kind, namespace: Str::from(namespace), name: Str::from(name) }
}
