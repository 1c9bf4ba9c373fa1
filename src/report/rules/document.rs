//! The catalogue of rules as data.

use crate::diagnosis::{Page, Rule};
use crate::report::shared::machine::API_VERSION;
use serde::Serialize;

/// The whole document.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RuleList {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `RuleList`.
    pub kind: &'static str,
    /// The rules in the order in which they speak for an object.
    pub items: Vec<RuleOut>,
}

/// One rule.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RuleOut {
    /// Its id, stable for ever.
    pub id: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// The kind of object that it looks at.
    pub object: &'static str,
    /// The highest severity that it reports.
    pub severity: &'static str,
    /// The highest risk to data that it reports.
    pub risk: &'static str,
    /// The resources on whose reading it rests, besides the object's own.
    pub reads: Vec<&'static str>,
    /// What is seen with kubectl.
    pub seen: &'static str,
    /// Why it happens.
    pub why: &'static str,
    /// How to confirm it by hand: commands.
    pub confirm: Vec<&'static str>,
    /// How it is repaired, the safest way first.
    pub repair: &'static str,
    /// How it is kept from happening again.
    pub prevention: &'static str,
    /// What can go wrong with the data.
    pub hazard: &'static str,
    /// Where the facts are from.
    pub sources: &'static [&'static str],
}

impl RuleList {
    /// These rules.
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
