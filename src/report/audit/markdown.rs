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
fn cell(value: &str) -> String {
    let sane = sanitize(value);
    let mut safe = String::with_capacity(sane.len());
    for (at, letter) in sane.char_indices() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // Mentions, issues and links are recognized after the markup was processed. At that time there are no
            // backslashes.
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

/// Prints a name as inline code. The delimiter has more backquotes than any sequence of backquotes in the name. So the
/// name cannot end the code.
fn code(value: &str) -> String {
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
fn code_cell(value: &str) -> String {
    code(value).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::{cell, code, code_cell};

    #[test]
    fn text_stays_text() {
        for (given, expected) in [
            ("a|b", "a\\|b"),
            ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
            ("@team/x and me@x", "@&#8203;team/x and me@&#8203;x"),
            ("see #1", "see #&#8203;1"),
            ("http://x", "http:&#8203;//x"),
            ("WWW.x", "WWW&#8203;.x"),
            ("a`b*c_d[e](f)~g$", "a\\`b\\*c\\_d\\[e\\](f)\\~g\\$"),
            ("a\nb\\", "a\\\\nb\\\\"),
            ("- a", "\\- a"),
            ("12. a", "12\\. a"),
            ("1Gi. a-b", "1Gi. a-b"),
        ] {
            assert_eq!(cell(given), expected);
        }
    }

    #[test]
    fn code_ends_where_it_is_meant_to() {
        for (given, expected) in [
            ("pv/a", "`pv/a`"),
            ("a`b", "``a`b``"),
            ("``a", "``` ``a ```"),
            (" a", "`  a `"),
            ("", "` `"),
            ("@me|\n", "`@me|\\n`"),
        ] {
            assert_eq!(code(given), expected);
        }
        assert_eq!(code_cell("a|b"), "`a\\|b`");
    }
}
