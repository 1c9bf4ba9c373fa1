//! Findings as Markdown, for a pull request or a wiki: a table of the roots, and below it what shows each and what to
//! do.

use super::{Audited, affected, summary_words, worst_first};
use crate::text::sanitize;
use std::fmt::Write as _;

/// The page.
pub fn markdown(audited: &Audited<'_>, all: bool) -> String {
    let mut page = format!("# kubectl pvctl audit\n\n{}\n", cell(&summary_words(audited)));
    let listed = worst_first(audited, all);
    if listed.is_empty() {
        return page;
    }
    page.push_str("\n| severity | object | rule | affects | why |\n| --- | --- | --- | --- | --- |\n");
    for finding in &listed {
        _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            finding.severity.as_str(),
            code(&finding.object.to_string()),
            finding.rule.id,
            cell(&affected(finding)),
            cell(&finding.message)
        );
    }
    for finding in &listed {
        _ = writeln!(
            page,
            "\n## {} on {}\n\n{}.\n",
            finding.rule.id,
            code(&finding.object.to_string()),
            cell(&finding.message)
        );
        for evidence in &finding.evidence {
            _ = writeln!(
                page,
                "- {} {}: {}",
                code(&evidence.object.to_string()),
                code(evidence.field),
                code(&evidence.value)
            );
        }
        for remedy in &finding.remedies {
            if remedy.command.is_empty() {
                _ = writeln!(page, "\n{}.", cell(&remedy.does));
            } else {
                _ = writeln!(page, "\n{}:\n\n    {}", cell(&remedy.does), sanitize(&remedy.command));
            }
        }
    }
    page
}

/// Text that nothing in it can turn into something else: neither markup nor a table's end.
fn cell(value: &str) -> String {
    let mut safe = String::with_capacity(value.len());
    for letter in sanitize(value).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' | '@' => {
                safe.push('\\');
                safe.push(letter);
            }
            other => safe.push(other),
        }
    }
    safe
}

/// A name as code; a table's end stays text in it.
fn code(value: &str) -> String {
    let safe = sanitize(value).replace('`', "'").replace('|', "\\|");
    format!("`{safe}`")
}
