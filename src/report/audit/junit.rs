//! Findings as `JUnit` XML, in the form that Jenkins and `GitLab` read.
//!
//! There is one test for each rule that found nothing, and one test for each finding that is not suppressed. The test
//! of a finding fails if the finding changes the exit code.

use super::listing::{Audited, open, unread};
use crate::diagnosis::{Finding, Rule};
use crate::text::sanitize;
use std::fmt::Write as _;

/// Prints the document. `rules` are the rules that were applied. `fails` says which findings change the exit code.
pub(super) fn junit(audited: &Audited<'_>, rules: &[&'static Rule], fails: impl Fn(&Finding) -> bool) -> String {
    let Audited { findings, shown, .. } = *audited;
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped) = (0, 0, 0);
    for rule in rules {
        let class = format!("pvctl.{}", rule.detect.kind().resource());
        let mut found = open(shown).filter(|finding| finding.rule.id == rule.id).peekable();
        if found.peek().is_none() {
            tests += 1;
            let name = attribute(rule.id);
            if let Some(missing) = findings.unjudged.get(rule.id) {
                skipped += 1;
                let read = unread(missing);
                let why = attribute(&format!("some objects could not be judged, because not all {read} were read"));
                _ = writeln!(
                    cases,
                    "    <testcase name=\"{name}\" classname=\"{class}\" time=\"0\">\n      <skipped message=\"{why}\"/>\n    </testcase>"
                );
            } else {
                _ = writeln!(cases, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"0\"/>");
            }
        }
        for finding in found {
            tests += 1;
            let name = attribute(&format!("{}: {}", rule.id, finding.object));
            let (message, details) =
                (attribute(&format!("{}: {}", finding.object, finding.message)), text(&details(finding)));
            let body = if fails(finding) {
                failures += 1;
                let severity = finding.severity.as_str();
                format!("<failure message=\"{message}\" type=\"{severity}\">{details}</failure>")
            } else {
                format!("<system-out>{}\n{details}</system-out>", text(&finding.message))
            };
            _ = writeln!(
                cases,
                "    <testcase name=\"{name}\" classname=\"{class}\" time=\"0\">\n      {body}\n    </testcase>"
            );
        }
    }
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"");
    let outer = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"0\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kubectl pvctl audit\" {outer}>\n  \
         <testsuite name=\"kubectl pvctl audit\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

/// Returns the evidence and the remedies of a finding, one on each line.
fn details(finding: &Finding) -> String {
    let mut lines: Vec<String> = finding
        .evidence
        .iter()
        .map(|evidence| format!("{} {} = {}", evidence.object, evidence.field, evidence.value))
        .collect();
    lines.extend(finding.remedies.iter().map(|remedy| {
        if remedy.command.is_empty() { remedy.does.clone() } else { format!("{}  # {}", remedy.command, remedy.does) }
    }));
    lines.join("\n")
}

/// Escapes the value of an XML attribute.
fn attribute(value: &str) -> String {
    escaped(&sanitize(value), true)
}

/// Escapes the text of an XML element. Line breaks are kept.
fn text(value: &str) -> String {
    value.lines().map(|line| escaped(&sanitize(line), false)).collect::<Vec<_>>().join("\n")
}

fn escaped(value: &str, quoted: bool) -> String {
    let mut safe = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' if quoted => safe.push_str("&quot;"),
            // XML 1.0 forbids these characters, even as character references.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}
