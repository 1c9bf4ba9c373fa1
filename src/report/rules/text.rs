//! The catalogue as text for people: a table, or pages.

use super::page::page;
use crate::diagnosis::Rule;
use crate::report::shared::table::{Table, TableStyle};
use crate::report::shared::wrap::wrap;

/// Returns the table with one line for each rule, or the pages of the rules.
pub(super) fn text(rules: &[&'static Rule], pages: bool, columns: Option<usize>) -> String {
    if !pages {
        return table(rules).text(TableStyle { width: columns, headers: true });
    }
    let mut text = String::new();
    for rule in rules {
        for line in page(rule).lines() {
            text.push_str(&wrap(line, columns, 0));
            text.push('\n');
        }
    }
    text
}

fn table(rules: &[&'static Rule]) -> Table {
    let mut table = Table::new(vec!["ID", "OBJECT", "SEVERITY", "DATA", "WHY"]);
    for rule in rules {
        let cells = [rule.id, rule.detect.kind().short(), rule.severity.as_str(), rule.risk.as_str(), rule.title];
        table.row(cells.map(str::to_owned).to_vec());
    }
    table
}
