//! The catalogue of rules as data.

use crate::diagnosis::{Page, Rule};
use crate::report::shared::machine::API_VERSION;
use serde::Serialize;

/// The whole document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RuleList {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `RuleList`.
    pub kind: &'static str,
    /// The rules in the order of the catalogue. If an object has several equally bad findings, the finding of the
    /// earlier rule is first.
    pub items: Vec<RuleOut>,
}

/// One rule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RuleOut {
    /// The id of the rule, which never changes.
    pub id: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// The kind of object that the rule examines.
    pub object: &'static str,
    /// The highest severity that the rule reports.
    pub severity: &'static str,
    /// The highest risk to data that the rule reports.
    pub risk: &'static str,
    /// The resources that the rule reads besides the object itself.
    pub reads: Vec<&'static str>,
    /// What kubectl shows.
    pub seen: &'static str,
    /// Why the problem happens.
    pub why: &'static str,
    /// The commands that confirm the finding by hand.
    pub confirm: Vec<&'static str>,
    /// How the cause is repaired, the safest way first.
    pub repair: &'static str,
    /// How the finding is prevented.
    pub prevention: &'static str,
    /// What can go wrong with the data.
    pub hazard: &'static str,
    /// The sources of the facts.
    pub sources: &'static [&'static str],
}

impl RuleList {
    /// Returns the document with these rules.
    pub fn new(rules: &[&'static Rule]) -> Self {
        let of = |rule: &&'static Rule| {
            let Page { seen, why, confirm, repair, prevention, hazard, sources } = &rule.page;
            RuleOut {
                id: rule.id,
                title: rule.title,
                object: rule.detect.kind().as_str(),
                severity: rule.severity.as_str(),
                risk: rule.risk.as_str(),
                reads: rule.reads.iter().map(|kind| kind.resource()).collect(),
                seen,
                why,
                confirm: confirm.lines().collect(),
                repair,
                prevention,
                hazard,
                sources,
            }
        };
        Self { api_version: API_VERSION, kind: "RuleList", items: rules.iter().map(of).collect() }
    }
}
