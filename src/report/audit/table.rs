//! Findings as a table.

use super::listing::{Audited, worst_first};
use crate::diagnosis::reason::counted;
use crate::diagnosis::{Finding, Findings};
use crate::model::ObjectKey;
use crate::report::shared::table::{Table, TableView};
use crate::text::human_age;

/// Returns the columns of the table.
pub(super) fn columns(all: bool, wide: bool) -> Vec<&'static str> {
    let mut columns = vec!["NAMESPACE", "NAME", "SEVERITY", "DATA", "RULE"];
    columns.extend([if all { "CAUSE" } else { "AFFECTS" }, "WHY", "AGE"]);
    // This column is the last one, so no other column has to be aligned after a long command.
    if wide {
        columns.push("TRY");
    }
    columns
}

/// Writes the table. A table without rows is not written.
pub(super) fn write<E>(
    audited: &Audited<'_>,
    all: bool,
    wide: bool,
    view: TableView<'_>,
    print: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut table = table(audited, all, wide);
    if let Some(column) = view.sort_by {
        table.sort_by(column);
    }
    if table.is_empty() { Ok(()) } else { table.render(view.style, print) }
}

/// Returns the table. With `all` it has every finding with its causes. Otherwise it has the roots, and for each of them
/// the objects that it affects. The worst findings are first.
fn table(audited: &Audited<'_>, all: bool, wide: bool) -> Table {
    let Audited { snapshot, findings, .. } = *audited;
    let mut table = Table::new(columns(all, wide));
    for finding in worst_first(audited, all) {
        let relation = if all { cause(findings, finding) } else { affected(finding) };
        let age = match (snapshot.now(), finding.since) {
            (Some(now), Some(since)) => human_age(now.seconds_since(since)),
            _ => "<unknown>".to_owned(),
        };
        let ObjectKey { kind, namespace, name } = &finding.object;
        let mut row = vec![
            namespace.to_string(),
            format!("{}/{name}", kind.short()),
            finding.severity.as_str().to_owned(),
            finding.risk.as_str().to_owned(),
            finding.rule.id.to_owned(),
            relation,
            finding.message.clone(),
            age,
        ];
        if wide {
            let first = finding.remedies.first();
            row.push(
                first
                    .map(|remedy| if remedy.command.is_empty() { &remedy.does } else { &remedy.command })
                    .cloned()
                    .unwrap_or_default(),
            );
        }
        table.row(row);
    }
    table
}

/// Returns the other objects that a root affects. A single object is named. If there are several objects, the result is
/// their number.
pub(super) fn affected(finding: &Finding) -> String {
    match finding.role.affected_objects.as_slice() {
        [] => String::new(),
        [one] => one.to_string(),
        several => counted(several.len(), "object"),
    }
}

/// Returns the findings from which a finding follows.
fn cause(findings: &Findings, finding: &Finding) -> String {
    let cause = |place: &usize| {
        let cause = &findings.listed[*place];
        format!("{} ({})", cause.object, cause.rule.id)
    };
    finding.role.caused_by.iter().map(cause).collect::<Vec<_>>().join(", ")
}
