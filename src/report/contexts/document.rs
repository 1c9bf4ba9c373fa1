//! The answers of several clusters to one question, as data.

use crate::error::Error;
use crate::report::prediction::PredictionList;
use serde::Serialize;
use std::ops::AddAssign;

/// The whole document. It is written piece by piece, with the same fields in the same order.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextList<'a> {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `ContextList`.
    pub kind: &'static str,
    /// One item for each context, in the order in which they were asked for.
    pub items: Vec<ContextOut<'a>>,
    /// All of them together.
    pub summary: SummaryOut,
}

/// What came of one context.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextOut<'a> {
    /// The name of the context.
    pub context: &'a str,
    /// The exit code that the verb would have for this cluster alone.
    pub exit_code: u8,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorOut<'a>>,
    /// How much there is; absent without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The answer, as for one cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<PredictionList<'a>>,
}

/// A failure, as people are told of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorOut<'a> {
    /// What could not be done.
    pub message: &'a str,
    /// Why, the nearest reason first.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub causes: &'a [String],
    /// What can be done.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub hints: &'a [String],
}

/// How many objects of each sort are in scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// Volumes.
    pub volumes: usize,
    /// Claims.
    pub claims: usize,
    /// Those of both that will change.
    pub changes: usize,
    /// Those of both of which a part could not be judged.
    pub unknown: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.volumes += other.volumes;
        self.claims += other.claims;
        self.changes += other.changes;
        self.unknown += other.unknown;
    }
}

/// All contexts together.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryOut {
    /// How many contexts were asked.
    pub contexts: usize,
    /// How many of them gave no answer.
    pub failed: usize,
    /// How much there is in those that did.
    #[serde(flatten)]
    pub counts: Counts,
}

/// The answer of one cluster, already written.
#[derive(Debug)]
pub struct Section {
    /// The name of the context.
    pub context: String,
    /// The exit code that the verb would have for this cluster alone.
    pub exit_code: u8,
    /// Whether something of the answer could not be judged.
    pub partial: bool,
    /// How much there is and the answer itself, or why there is none.
    pub answer: Result<(Counts, Vec<u8>), Error>,
}

impl SummaryOut {
    /// Counts another context.
    pub(super) fn add(&mut self, section: &Section) {
        self.contexts += 1;
        match &section.answer {
            Ok((counts, _)) => self.counts += *counts,
            Err(_) => self.failed += 1,
        }
    }
}
