//! The answer as a table, which has more columns with `-o wide`.

use super::document::{MatchRow, MatchTable};
use crate::diagnosis::misfit::{claim_name, modes};
use crate::report::shared::table::{Table, TableView};
use crate::report::shared::wrap::wrap;
use crate::snapshot::Snapshot;
use crate::text::{sanitize, width};

const NARROW: [&str; 7] = ["VOLUME", "CAPACITY", "MODES", "CLASS", "PHASE", "VERDICT", "WHY"];
const WIDE: [&str; 10] =
    ["VOLUME", "CAPACITY", "MODES", "CLASS", "VOLUMEMODE", "PHASE", "CLAIM", "VERDICT", "TEST", "WHY"];

/// The smallest width of the column WHY, in terminal columns.
const ROOM_FOR_WHY: usize = 30;
/// The number of spaces between two columns.
const GAP: usize = 3;
/// The columns that are left out in a narrow terminal, in the order in which they are left out.
const DISPENSABLE: [&str; 4] = ["PHASE", "CLASS", "MODES", "CAPACITY"];

impl MatchTable<'_> {
    /// Returns the table with its rows in the order for people, or sorted by the column `sort_by`.
    ///
    /// In a narrow terminal some columns are left out, and the line after the table says which. If the value of such a
    /// column decides, the column WHY names it.
    pub fn table(&self, wide: bool, sort_by: Option<&str>, columns: Option<usize>) -> (Table, Option<String>) {
        let mut ranked = self.ranked();
        if sort_by.is_some_and(|column| column.eq_ignore_ascii_case("capacity")) {
            ranked.sort_by(|a, b| a.size().compare(&b.size()));
        }
        let by_text = sort_by.filter(|column| !column.eq_ignore_ascii_case("capacity"));
        let place = |column: &str| self::columns(wide).iter().position(|name| name.eq_ignore_ascii_case(column));
        if let Some(at) = by_text.and_then(place) {
            ranked.sort_by_cached_key(|row| row.cells(wide).swap_remove(at));
        }
        rows_table(&ranked, wide, columns)
    }
}

/// Returns the names of the columns.
pub(super) fn columns(wide: bool) -> &'static [&'static str] {
    if wide { &WIDE } else { &NARROW }
}

/// Prints the sentences and the table. If the names of the columns are left out, the sentences are also left out.
pub(super) fn write<E>(
    answer: &MatchTable<'_>,
    snapshot: &Snapshot,
    view: TableView<'_>,
    wide: bool,
    mut print: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let TableView { sort_by, style } = view;
    let (table, left_out) = answer.table(wide, sort_by, style.width);
    if style.headers {
        for line in answer.summary(snapshot) {
            print(&format!("{}\n", wrap(&line, style.width, 0)))?;
        }
        if !table.is_empty() {
            print("\n")?;
        }
    }
    if table.is_empty() {
        return Ok(());
    }
    table.render(style, &mut print)?;
    match left_out {
        Some(said) if style.headers => print(&format!("\n{}\n", wrap(&said, style.width, 0))),
        Some(_) | None => Ok(()),
    }
}

impl MatchRow<'_> {
    fn cells(&self, wide: bool) -> Vec<String> {
        let volume = self.volume;
        let phase = if volume.terminating() { "Terminating" } else { volume.status.phase.as_str() };
        let mut cells = vec![
            volume.meta.name.to_string(),
            self.capacity.clone().unwrap_or_else(|| "<unset>".to_owned()),
            modes(&volume.access_modes),
            volume.class().to_owned(),
        ];
        if wide {
            cells.push(volume.mode().as_str().to_owned());
        }
        cells.push(phase.to_owned());
        if wide {
            cells.push(volume.claim_ref.as_ref().map(claim_name).unwrap_or_default());
        }
        cells.push(self.word.to_owned());
        if wide {
            cells.push(self.on_node.as_ref().map_or(self.verdict, |on_node| on_node.verdict).to_owned());
        }
        cells.push(self.on_node.as_ref().map_or(&self.why, |on_node| &on_node.why).clone());
        cells
    }
}

/// Returns a table of these rows, and a line that names the columns that are left out because the terminal is too
/// narrow.
pub(in crate::report) fn rows_table(
    rows: &[&MatchRow<'_>],
    wide: bool,
    columns: Option<usize>,
) -> (Table, Option<String>) {
    let names: &[&'static str] = if wide { &WIDE } else { &NARROW };
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.cells(wide)).collect();
    let mut kept: Vec<usize> = (0..names.len()).collect();
    if let Some(columns) = columns {
        let widest = |at: usize| cells.iter().map(|row| width(&sanitize(&row[at]))).max().unwrap_or(0);
        let widths: Vec<usize> = (0..names.len()).map(|at| widest(at).max(width(names[at])) + GAP).collect();
        for name in DISPENSABLE {
            let last = kept.len() - 1;
            let used: usize = kept[..last].iter().map(|at| widths[*at]).sum();
            if used + ROOM_FOR_WHY.min(widths[names.len() - 1]) <= columns {
                break;
            }
            kept.retain(|at| names[*at] != name);
        }
    }
    let mut table = Table::new(kept.iter().map(|at| names[*at]).collect());
    for row in cells {
        table.row(row.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, cell)| cell).collect());
    }
    let gone: Vec<&str> = (0..names.len()).filter(|at| !kept.contains(at)).map(|at| names[at]).collect();
    let said = (!gone.is_empty() && !rows.is_empty())
        .then(|| format!("no room for {}; a wider terminal, or `| cat`, shows all columns", gone.join(", ")));
    (table, said)
}
