//! What was found, with the plans that repair it.

use super::plan::{Plan, Proposed};
use super::request::Request;
use crate::diagnosis::{Finding, Remedy, Severity};
use crate::model::ObjectKey;

/// What was found, and what repairs it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rule that found it.
    pub id: &'static str,
    /// The object on which it was found.
    pub object: ObjectKey,
    /// How bad it is.
    pub severity: Severity,
    /// Data go because somebody asked for that: only who says so again keeps them.
    pub is_asked_for: bool,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Plans on the world as it was read, the safest first.
    pub repairs: Vec<Plan>,
    /// Why there is none, where some verb says so.
    pub obstacles: Vec<String>,
    /// What else can be done, in words.
    pub by_hand: Vec<String>,
}

/// A rule, and the object on which it found something.
pub type FindingKey = (&'static str, ObjectKey);

impl Case {
    /// A finding, and what was proposed for each of the requests that repair it.
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

    /// What was found, and where.
    pub fn key(&self) -> FindingKey {
        (self.id, self.object.clone())
    }
}

/// What else can be done, in words, with the command where it is one of ours.
fn in_words(remedy: &Remedy) -> String {
    let Remedy { verb, command, does } = remedy;
    if verb.is_empty() || *verb == "kubectl" { does.clone() } else { format!("{does}: `{command}`") }
}
