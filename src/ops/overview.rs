//! The command line without a verb: the problems in a namespace, the worst first.

use super::gather::{Evidence, Gathered, Question, ReadOptions};
use super::scope::belongs_to;
use crate::diagnosis::{AuditSettings, Diagnoser, Diagnosis, State, diagnose_named, rules};
use crate::engines::simulation;
use crate::error::Error;
use crate::model::Kind;
use crate::report::overview::{Overview, Problem};

/// Returns the question to a source: everything that an audit reads.
pub fn question<'a>(read: &'a ReadOptions, surroundings: &'a [Kind]) -> Question<'a> {
    Question { evidence: Evidence::of_rules(rules::all(), surroundings), ..read.question() }
}

/// Diagnoses the volumes and claims in scope, and calls `show` with those that have a problem.
///
/// # Errors
/// Returns an error if a flag cannot be used, or if `show` fails.
pub fn overview(
    read: &ReadOptions,
    gathered: &Gathered,
    show: impl FnOnce(&Overview<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let snapshot = &gathered.snapshot;
    let settings = gathered.modelled.settings(snapshot, &read.model, false)?;
    let simulation = simulation(snapshot, settings, gathered.threads);
    let findings = diagnose_named(
        &simulation,
        AuditSettings { providers: &gathered.providers, ..AuditSettings::everything() },
        &|_| false,
        gathered.threads,
    );
    let diagnoser = Diagnoser::new(&simulation, &findings);
    let namespace = gathered.namespace.as_deref();
    let kinds = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];
    let in_scope = simulation
        .targets()
        .filter(|target| kinds.contains(&target.kind))
        .filter(|target| namespace.is_none_or(|namespace| belongs_to(&simulation, *target, namespace)));
    let mut examined = [0, 0];
    let mut found: Vec<Diagnosis> = Vec::new();
    for target in in_scope {
        examined[usize::from(target.kind == Kind::PersistentVolumeClaim)] += 1;
        found.push(diagnoser.of(&snapshot.key(target)));
    }
    found.retain(|diagnosis| diagnosis.state.is_problem());
    // People ask about claims, so a claim represents its volume.
    found.sort_by_key(|one| (badness(one.state), one.object.kind != Kind::PersistentVolumeClaim, one.object.clone()));
    let mut problems: Vec<Problem> = Vec::new();
    for diagnosis in found {
        let is_same = |problem: &&mut Problem| match (&problem.first.root, &diagnosis.root) {
            (Some(one), Some(other)) => one.object == other.object && one.rule.id == other.rule.id,
            _ => false,
        };
        match problems.iter_mut().find(is_same) {
            Some(problem) => problem.others += 1,
            None => problems.push(Problem { first: diagnosis, others: 0 }),
        }
    }
    show(&Overview { namespace, examined, problems })
}

/// Returns the sort key of a state: data in danger first, and then what cannot be used.
fn badness(state: State) -> u8 {
    match state {
        State::AtRisk => 0,
        State::Broken => 1,
        State::Stuck => 2,
        State::Unknown | State::Waiting | State::Well => 3,
    }
}
