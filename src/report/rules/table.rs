//! The catalogue as a table.

use crate::diagnosis::Rule;
use crate::report::shared::table::Table;

/// One line for each rule.
pub fn table(rules: &[&'static Rule]) -> Table {
    let mut table = Table::new(vec!["ID", "OBJECT", "SEVERITY", "DATA", "WHY"]);
    for rule in rules {
        let cells = [rule.id, rule.detect.kind().short(), rule.severity.as_str(), rule.risk.as_str(), rule.title];
        table.row(cells.map(str::to_owned).to_vec());
    }
    table
}
