//! The catalogue of rules: as a table, as pages, and as data.

use super::machine::API_VERSION;
use super::table::Table;
use crate::diagnosis::{Page, Rule};
use serde::Serialize;
use std::fmt::Write as _;

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

/// One line for each rule.
pub fn table(rules: &[&'static Rule]) -> Table {
    let mut table = Table::new(vec!["ID", "OBJECT", "SEVERITY", "DATA", "WHY"]);
    for rule in rules {
        let cells = [rule.id, rule.detect.kind().short(), rule.severity.as_str(), rule.risk.as_str(), rule.title];
        table.row(cells.map(str::to_owned).to_vec());
    }
    table
}

/// The page of a rule as Markdown.
pub fn page(rule: &Rule) -> String {
    let Page { seen, why, confirm, repair, prevention, hazard, sources } = &rule.page;
    let mut text = format!("# {}\n\n{}.\n\n", rule.id, capital(rule.title));
    let reads: Vec<&str> = rule.reads.iter().map(|kind| kind.resource()).collect();
    _ = writeln!(
        text,
        "Severity {}, risk to data: {}. It looks at {}{}.\n",
        rule.severity.as_str(),
        rule.risk.as_str(),
        rule.detect.kind().resource(),
        if reads.is_empty() { String::new() } else { format!(", and needs {}", reads.join(", ")) },
    );
    let mut section = |heading: &str, body: &str| {
        if !body.is_empty() {
            _ = writeln!(text, "## {heading}\n\n{body}\n");
        }
    };
    section("What is seen", seen);
    section("Why", why);
    // Indented, it is code in Markdown and plain in a terminal.
    let commands: Vec<String> = confirm.lines().map(|line| format!("    {line}")).collect();
    section("Confirm it", &commands.join("\n"));
    section("Repair", repair);
    section("Prevention", prevention);
    section("Hazard", hazard);
    section("Sources", &sources.iter().map(|source| format!("- {source}")).collect::<Vec<_>>().join("\n"));
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// The overview of all pages as Markdown.
pub fn overview(rules: &[&'static Rule]) -> String {
    let mut text = "# Rules\n\nWhat `kubectl pvctl audit` looks for. `kubectl pvctl rules ID` prints a page.\n\n\
                    | rule | object | severity | risk to data | what |\n| --- | --- | --- | --- | --- |\n"
        .to_owned();
    for rule in rules {
        let (id, object) = (rule.id, rule.detect.kind().as_str());
        let (severity, risk, title) = (rule.severity.as_str(), rule.risk.as_str(), rule.title);
        _ = writeln!(text, "| [{id}]({id}.md) | {object} | {severity} | {risk} | {title} |");
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
