//! Tables as kubectl prints them. Small ones are laid out as a whole; large ones are streamed with fixed widths.

use crate::text::{pad, sanitize, truncate, width};
use comfy_table::{ContentArrangement, presets};

/// Above so many rows a table is not laid out as a whole.
const LARGE: usize = 10_000;
/// So many rows decide the widths of a table that is streamed.
const SAMPLE: usize = 1_000;
/// The widest a column of a streamed table gets.
const WIDEST: usize = 80;
const GAP: usize = 3;

/// Rows of text under the names of their columns.
#[derive(Clone, Debug)]
pub struct Table {
    headers: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// How a table is printed.
#[derive(Clone, Copy, Debug)]
pub struct TableStyle {
    /// The columns of the terminal; none where nothing is wrapped.
    pub width: Option<usize>,
    /// Whether the names of the columns are printed.
    pub headers: bool,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(headers: Vec<&'static str>) -> Self {
        Self { headers, rows: Vec::new() }
    }

    /// Adds a row. Control characters of any origin are made visible; an empty cell is shown as `<none>`.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(
            cells
                .into_iter()
                .map(|cell| if cell.is_empty() { "<none>".to_owned() } else { sanitize(&cell).into_owned() })
                .collect(),
        );
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The names of the columns.
    pub fn headers(&self) -> &[&'static str] {
        &self.headers
    }

    /// Sorts by the column of that name, keeping equal rows in order; false where there is no such column. Cells that
    /// are numbers are compared as numbers.
    pub fn sort_by(&mut self, column: &str) -> bool {
        let Some(at) = self.headers.iter().position(|header| header.eq_ignore_ascii_case(column)) else {
            return false;
        };
        self.rows.sort_by(|a, b| match (a[at].parse::<f64>(), b[at].parse::<f64>()) {
            (Ok(a), Ok(b)) => a.total_cmp(&b),
            _ => a[at].cmp(&b[at]),
        });
        true
    }

    /// The text, part by part, each handed to `write`.
    ///
    /// # Errors
    /// What `write` answers.
    pub fn render<E>(&self, style: TableStyle, mut write: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        if self.rows.len() <= LARGE { write(&self.laid_out(style)) } else { self.stream(style, write) }
    }

    fn laid_out(&self, style: TableStyle) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        if style.headers {
            table.set_header(self.headers.iter().copied());
        }
        table.add_rows(self.rows.iter());
        if let Some(width) = style.width.and_then(|width| u16::try_from(width).ok()) {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        } else {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 3));
        }
        let mut text = String::new();
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn stream<E>(&self, style: TableStyle, mut write: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let widths: Vec<usize> = (0..self.headers.len())
            .map(|at| {
                let cells = self.rows.iter().take(SAMPLE).map(|row| width(&row[at]));
                cells.chain([width(self.headers[at])]).max().unwrap_or(0).min(WIDEST)
            })
            .collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for (cell, width) in cells.zip(&widths) {
                line.push_str(&pad(&truncate(cell, *width), width + GAP));
            }
            let end = line.trim_end().len();
            line.truncate(end);
            line.push('\n');
            line
        };
        if style.headers {
            write(&line(&mut self.headers.iter().copied()))?;
        }
        for row in &self.rows {
            write(&line(&mut row.iter().map(String::as_str)))?;
        }
        Ok(())
    }
}
