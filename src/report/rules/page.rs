//! The pages of rules as Markdown.

use crate::diagnosis::{Page, Rule};
use crate::text::capitalized;
use std::fmt::Write as _;

/// Returns the page of a rule as Markdown.
pub fn page(rule: &Rule) -> String {
    let Page { seen, why, confirm, repair, prevention, hazard, sources } = &rule.page;
    let mut text = format!("# {}\n\n{}.\n\n", rule.id, capitalized(rule.title));
    let reads: Vec<&str> = rule.reads.iter().map(|kind| kind.resource()).collect();
    _ = writeln!(
        text,
        "Severity: {}. Risk to data: {}. The rule examines {}.{}\n",
        rule.severity.as_str(),
        rule.risk.as_str(),
        rule.detect.kind().resource(),
        if reads.is_empty() { String::new() } else { format!(" It also reads {}.", reads.join(", ")) },
    );
    let mut section = |heading: &str, body: &str| {
        if !body.is_empty() {
            _ = writeln!(text, "## {heading}\n\n{body}\n");
        }
    };
    section("What is seen", seen);
    section("Why", why);
    // Indented text is code in Markdown and is readable in a terminal.
    let commands: Vec<String> = confirm.lines().map(|line| format!("    {line}")).collect();
    section("Confirm it", &commands.join("\n"));
    section("Repair", repair);
    section("Prevention", prevention);
    section("Hazard", hazard);
    section("Sources", &sources.iter().map(|source| format!("- {source}")).collect::<Vec<_>>().join("\n"));
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Returns the overview of all pages as Markdown.
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
