//! Findings as workflow commands, which GitHub Actions shows as annotations.

use super::listing::{Audited, worst_first};
use crate::diagnosis::Severity;
use crate::text::sanitize;
use std::fmt::Write as _;

/// Prints one line for each finding that is listed for people.
pub(super) fn github(audited: &Audited<'_>, all: bool) -> String {
    let mut lines = String::new();
    for finding in worst_first(audited, all) {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let title = property(&format!("{} {}", finding.object, finding.rule.id));
        let message = data(&format!("{}: {}", finding.object, finding.message));
        _ = writeln!(lines, "::{command} title={title}::{message}");
    }
    lines
}

/// Escapes the message of a workflow command. The message is the part after the second `::`.
fn data(value: &str) -> String {
    sanitize(value).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a workflow command.
fn property(value: &str) -> String {
    data(value).replace(':', "%3A").replace(',', "%2C")
}
