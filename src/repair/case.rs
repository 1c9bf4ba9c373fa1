//! A finding, with the plans that repair it.

use super::plan::{Plan, Proposed};
use super::request::Request;
use crate::diagnosis::{Finding, Remedy, Severity};
use crate::model::ObjectKey;

/// A finding, and the plans that repair it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The id of the rule that made the finding.
    pub id: &'static str,
    /// The object that the finding is about.
    pub object: ObjectKey,
    /// The severity of the finding.
    pub severity: Severity,
    /// Whether the finding is about data that are deleted because a person asked for it. A run of `fix` that makes only
    /// safe repairs skips such a finding.
    pub is_asked_for: bool,
    /// The problem, in a sentence.
    pub message: String,
    /// The plans for the snapshot as it was read. The plans that are safe come first.
    pub repairs: Vec<Plan>,
    /// The reasons why some requests have no plan.
    pub obstacles: Vec<String>,
    /// The remedies of the finding, in words.
    pub by_hand: Vec<String>,
}

/// The id of a rule, and the object of its finding.
pub type FindingKey = (&'static str, ObjectKey);

impl Case {
    /// Makes a case from a finding and the proposal for each request that repairs it.
    pub fn new(finding: &Finding, proposed: Vec<(Request, Proposed)>) -> Self {
        let mut case = Self {
            id: finding.rule.id,
            object: finding.object.clone(),
            severity: finding.severity,
            is_asked_for: finding.is_asked_for(),
            message: finding.message.clone(),
            repairs: Vec::new(),
            obstacles: Vec::new(),
            by_hand: finding.remedies.iter().map(in_words).collect(),
        };
        for (request, proposed) in proposed {
            match proposed {
                Proposed::Plan(plan) => case.repairs.push(*plan),
                Proposed::Nothing(_) => {}
                Proposed::Refused(refusal) => case.obstacles.push(format!("{}: {}", request.verb(), refusal.message)),
            }
        }
        case.repairs.sort_by_key(|plan| !plan.is_safe());
        case
    }

    /// Returns the id of the rule and the object.
    pub fn key(&self) -> FindingKey {
        (self.id, self.object.clone())
    }
}

/// Returns a remedy in words. The text has the command if it is a command of this program.
fn in_words(remedy: &Remedy) -> String {
    let Remedy { verb, command, does } = remedy;
    if verb.is_empty() || *verb == "kubectl" { does.clone() } else { format!("{does}: `{command}`") }
}
