//! The answers of several clusters to one request, as data.

use crate::error::Error;
use crate::report::prediction::PredictionList;
use serde::Serialize;
use std::ops::AddAssign;

/// The whole document. It is written piece by piece, with the same fields in the same order.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextList<'a> {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `ContextList`.
    pub kind: &'static str,
    /// One item for each context, in the order in which the user named them.
    pub items: Vec<ContextOut<'a>>,
    /// The numbers for all contexts together.
    pub summary: SummaryOut,
}

/// The answer for one context, or the reason why there is none.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextOut<'a> {
    /// The name of the context.
    pub context: &'a str,
    /// The exit code that the verb would have for this cluster alone.
    pub exit_code: u8,
    /// Why there is no answer. The field is absent if there is an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorOut<'a>>,
    /// The numbers of objects. The field is absent if there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The same document as for a single cluster. The field is absent if there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<PredictionList<'a>>,
}

/// A failure, in words for people.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorOut<'a> {
    /// What could not be done.
    pub message: &'a str,
    /// The causes, the immediate one first.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub causes: &'a [String],
    /// What the user can do.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub hints: &'a [String],
}

/// The numbers of objects in scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// The number of volumes.
    pub volumes: usize,
    /// The number of claims.
    pub claims: usize,
    /// The number of volumes, claims and pods that may change.
    pub changes: usize,
    /// The number of volumes, claims and pods that could not be judged completely.
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

/// The numbers for all contexts together.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryOut {
    /// The number of contexts that were asked.
    pub contexts: usize,
    /// The number of contexts that gave no answer.
    pub failed: usize,
    /// The numbers of objects in the contexts that gave an answer.
    #[serde(flatten)]
    pub counts: Counts,
}

/// The answer of one cluster, already encoded.
#[derive(Debug)]
pub struct Section {
    /// The name of the context.
    pub context: String,
    /// The exit code that the verb would have for this cluster alone.
    pub exit_code: u8,
    /// Whether a part of the answer could not be judged.
    pub partial: bool,
    /// The numbers of objects and the encoded answer, or the reason why there is no answer.
    pub answer: Result<(Counts, Vec<u8>), Error>,
}

impl SummaryOut {
    /// Adds the numbers of another context.
    pub(super) fn add(&mut self, section: &Section) {
        self.contexts += 1;
        match &section.answer {
            Ok((counts, _)) => self.counts += *counts,
            Err(_) => self.failed += 1,
        }
    }
}
