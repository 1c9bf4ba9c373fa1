//! Findings as Markdown, for a pull request or a wiki: a table of the roots, and below it the evidence and the remedies
//! of each root.

use super::listing::{Audited, worst_first};
use super::table::affected;
use super::words::summary_words;
use crate::text::sanitize;
use std::fmt::Write as _;

/// A space without width. It separates characters that would otherwise become a mention or a link.
const UNSEEN: &str = "&#8203;";

/// Prints the Markdown page.
pub(super) fn markdown(audited: &Audited<'_>, all: bool) -> String {
    let mut page = format!("# kubectl pvctl audit\n\n{}\n", cell(&summary_words(audited, all)));
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
            code_cell(&finding.object.to_string()),
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

/// Escapes text so that it contains no markup and does not end the cell of the table.
pub fn cell(value: &str) -> String {
    let sane = sanitize(value);
    let mut safe = String::with_capacity(sane.len());
    for (at, letter) in sane.char_indices() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // Mentions, issues and links are recognized after the markup was processed. At that time the backslashes
            // are gone.
            '@' | '#' => {
                safe.push(letter);
                safe.push_str(UNSEEN);
            }
            ':' if sane[at..].starts_with("://") => {
                safe.push(letter);
                safe.push_str(UNSEEN);
            }
            '.' if sane[..at].to_ascii_lowercase().ends_with("www") => {
                safe.push_str(UNSEEN);
                safe.push(letter);
            }
            // At the beginning of a line these characters start a list or a heading.
            '-' | '+' | '=' | '.' | ')' if sane[..at].bytes().all(|byte| byte.is_ascii_digit()) => {
                safe.push('\\');
                safe.push(letter);
            }
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '$' => {
                safe.push('\\');
                safe.push(letter);
            }
            other => safe.push(other),
        }
    }
    safe
}

/// Returns a name as inline code. The delimiter has more backquotes than any sequence of backquotes in the name, so the
/// name cannot end the code.
pub fn code(value: &str) -> String {
    let safe = sanitize(value);
    if safe.is_empty() {
        return "` `".to_owned();
    }
    let longest = safe.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Markdown removes one space at each end of inline code.
    let blank = if safe.starts_with(['`', ' ']) || safe.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{blank}{safe}{blank}{fence}")
}

/// Does the same as [`code`] for a cell of a table. Markdown looks for the end of a cell before it looks for code.
pub fn code_cell(value: &str) -> String {
    code(value).replace('|', "\\|")
}
