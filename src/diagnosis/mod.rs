//! The diagnosis: what is wrong with the objects, and what the root is. Rules examine every object together with its
//! prediction. Their findings are ordered by cause and consequence.
//!
//! A rule sees one object at a time through a [`Case`]. It reports what is wrong, with which evidence, and which other
//! object is to blame. The module [`graph`] relates findings to each other, and the module `report` shows them.

mod around;
pub mod attaching;
pub mod case;
pub mod facts;
mod finding;
pub mod graph;
mod members;
pub mod mention;
pub mod misfit;
mod neighbours;
pub mod nfs;
pub mod node;
mod object;
mod partners;
mod placement;
pub mod pod;
mod prospect;
pub mod reason;
pub mod remedy;
mod rule;
pub mod rules;
pub mod shared_volumes;
mod subject;
pub mod suppression;
mod survey;
pub mod unread;

pub use around::{asked_provisioner, meant_class};
pub use case::{Case, Holder, Unread};
pub use finding::{Detection, Evidence, Finding, Remedy, Risk, Severity};
pub use graph::Role;
pub use members::Member;
pub use neighbours::diagnose_with_neighbours;
pub use object::{
    Actor, Advice, DataProspect, Diagnoser, Diagnosis, Expansion, Fate, Growth, Link, Modification, Provisioner, Root,
    Said, State, Who, is_default, noun,
};
pub use partners::Partners;

pub use prospect::{Prospect, prospects};
pub use rule::{Act, Page, Repair, Rule};
pub use subject::{Detect, DetectFn, Subject};
pub use suppression::{Suppressed, Suppression, matches_glob};
pub use survey::Survey;

use crate::model::{Kind, ObjectId, ObjectKey, Str};
use crate::parallel::in_parallel;
use crate::simulate::Simulation;
use crate::snapshot::{CoverageState, Snapshot};
use case::Memo;
use shared_volumes::Providers;
use std::collections::{BTreeMap, BTreeSet};
use suppression::suppressed;

/// The number of objects that one thread processes at a time.
const BATCH: usize = 64;

/// The kinds of objects that rules examine only because of shared volumes.
const OF_SHARED_VOLUMES: [Kind; 4] = [Kind::Service, Kind::Endpoints, Kind::EndpointSlice, Kind::Deployment];

/// Everything that rules report about the objects.
#[derive(Debug, Default)]
pub struct Findings {
    /// The findings in the order of objects. The findings of one object are ordered from worst to mildest.
    pub listed: Vec<Finding>,
    /// The rules that could not be evaluated for some objects, each with the reads whose results were missing, in
    /// order.
    pub unjudged: BTreeMap<&'static str, BTreeSet<Unread>>,
}

impl Findings {
    /// Returns the indexes of the findings that concern the selected objects: findings on these objects, findings that
    /// affect these objects, and the causes of all these findings. Affected objects that are not selected are removed
    /// from the findings.
    pub fn narrow(&mut self, own: &dyn Fn(&ObjectKey) -> bool) -> BTreeSet<usize> {
        graph::narrow(&mut self.listed, own)
    }
}

/// The settings of an audit: its rules, suppressions and scope.
#[derive(Clone, Copy)]
pub struct AuditSettings<'a> {
    /// The rules. If findings are equally bad, the finding of the earlier rule comes first.
    pub rules: &'a [&'static Rule],
    /// The suppressions: findings that are known and accepted.
    pub suppressions: &'a [Suppression],
    /// Whether an object is in the scope of the audit. If a rule cannot be evaluated for an object outside of the
    /// scope, this is not reported.
    pub scope: &'a (dyn Fn(&ObjectKey) -> bool + Sync),
    /// The systems that serve shared volumes.
    pub providers: &'a Providers,
}

impl AuditSettings<'_> {
    /// Returns the settings of an audit of everything: all rules, no suppressions, all objects.
    pub fn everything() -> Self {
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() }
    }
}

/// Applies the rules to every object, on the given number of threads. The result has the order of the objects and does
/// not depend on the number of threads.
pub fn diagnose(simulation: &Simulation<'_>, scrutiny: AuditSettings<'_>, threads: usize) -> Findings {
    diagnose_named(simulation, scrutiny, &|_| false, threads)
}

/// Applies the rules to every object, on the given number of threads. For objects that somebody named, problems that
/// may still end by themselves are also reported.
pub fn diagnose_named(
    simulation: &Simulation<'_>,
    scrutiny: AuditSettings<'_>,
    named: &(dyn Fn(&ObjectKey) -> bool + Sync),
    threads: usize,
) -> Findings {
    let survey = Survey::of(simulation, true, scrutiny.providers);
    let subjects = Subject::all(simulation.snapshot());
    let batches: Vec<&[Subject<'_>]> = subjects.chunks(BATCH).collect();
    let looked = in_parallel(threads, batches.len(), |number| {
        let mut some = Findings::default();
        for subject in batches[number] {
            apply_rules(simulation, &survey, *subject, scrutiny, named, &mut some);
        }
        some
    });
    let mut findings = Findings::default();
    for some in looked {
        findings.listed.extend(some.listed);
        for (rule, missing) in some.unjudged {
            let known = findings.unjudged.entry(rule).or_default();
            known.extend(missing);
        }
    }
    // A rule that is only about the objects of shared volumes has nothing to judge if there is no such volume.
    let needs_volumes = |rule: &&&Rule| OF_SHARED_VOLUMES.contains(&rule.detect.kind());
    let shares = survey.has_shared_volume();
    for rule in scrutiny.rules.iter().filter(|rule| shares || !needs_volumes(rule)) {
        let missing: Vec<Unread> = unseen(simulation.snapshot(), rule.detect.kind(), scrutiny).collect();
        if !missing.is_empty() {
            findings.unjudged.entry(rule.id).or_default().extend(missing);
        }
    }
    rules::drop_general_findings(&mut findings.listed);
    graph::follow(&mut findings.listed);
    findings
}

/// Applies the given rules to one object that somebody named. The result has no causes, because no other object is
/// diagnosed.
pub fn diagnose_one(
    simulation: &Simulation<'_>,
    target: ObjectId,
    rules: &[&'static Rule],
    providers: &Providers,
) -> Vec<Finding> {
    let snapshot = simulation.snapshot();
    let Some(subject) = Subject::of(snapshot, target) else { return Vec::new() };
    let scrutiny = AuditSettings { rules, suppressions: &[], scope: &|_| true, providers };
    let mut findings = Findings::default();
    apply_rules(
        simulation,
        &Survey::of(simulation, false, scrutiny.providers),
        subject,
        scrutiny,
        &|_| true,
        &mut findings,
    );
    rules::drop_general_findings(&mut findings.listed);
    findings.listed
}

/// Returns the reads that are incomplete for a kind. The rules may not know all objects of this kind. Namespaces
/// outside of the scope are ignored. A kind is treated as complete if it did not need to be read, or if its
/// completeness is assumed.
fn unseen<'s>(snapshot: &'s Snapshot, kind: Kind, scrutiny: AuditSettings<'s>) -> impl Iterator<Item = Unread> + 's {
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

/// Applies every rule that is about this kind of object.
fn apply_rules(
    simulation: &Simulation<'_>,
    survey: &Survey<'_>,
    subject: Subject<'_>,
    scrutiny: AuditSettings<'_>,
    named: &(dyn Fn(&ObjectKey) -> bool + Sync),
    findings: &mut Findings,
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
        let (assumed, missing) = case.assumptions();
        match answer {
            Some(answer) => {
                let mut finding = Finding::new(rule, place, key.clone(), meta, answer, assumed, simulation.snapshot());
                finding.suppressed = suppressed(scrutiny.suppressions, simulation.snapshot().now(), &finding, meta);
                found.push(finding);
            }
            None if missing.is_empty() || !(scrutiny.scope)(&key) => {}
            None => findings.unjudged.entry(rule.id).or_default().extend(missing),
        }
    }
    found.sort_by_key(Finding::rank);
    findings.listed.extend(found);
}

/// Returns the key of the object with this kind, namespace and name.
pub fn key(kind: Kind, namespace: &str, name: &str) -> ObjectKey {
    ObjectKey { kind, namespace: Str::from(namespace), name: Str::from(name) }
}
