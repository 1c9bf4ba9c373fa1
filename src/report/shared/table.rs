//! Tables in kubectl's form. A small table is laid out as a whole. A large table is streamed with fixed widths.
//!
//! No cell is cut, because people copy names and commands. If a terminal is too narrow for a row, the sentences of the
//! row are wrapped or printed below it. Other columns may also be printed below the row. A command is always one
//! unbroken line.

use super::wrap::wrap;
use crate::text::{sanitize, width};
use colored::Colorize as _;
use comfy_table::{ContentArrangement, presets};
use std::convert::Infallible;

/// A table with more rows than this is streamed.
const LARGE: usize = 10_000;
/// The number of rows that decide the column widths of a streamed table.
const SAMPLE: usize = 1_000;
/// The largest width of a column in a streamed table. A longer cell moves the cells after it to the right.
const WIDEST: usize = 80;
const GAP: usize = 3;
/// The column whose cells are sentences, and (in the next constant) the smallest width in which they are printed next
/// to the other columns.
const PROSE: &str = "WHY";
const PROSE_MIN: usize = 30;
/// The column whose cells are commands to be copied, and the beginning of such a command.
const COMMAND: &str = "TRY";
const COMMAND_START: &str = "kubectl ";
/// The values for a narrow terminal: the number of spaces between columns, the smallest width of a column, and the
/// indentation of the text below a row.
const NARROW_GAP: usize = 2;
const NARROWEST: usize = 8;
const INDENT: usize = 4;
/// The order for a narrow terminal. The columns of `PINNED` stay on the line of their row, like the first column. The
/// columns of `FIRST_BELOW` are moved below the row first. After them, the widest columns are moved first.
const PINNED: [&str; 4] = ["NAME", "SEVERITY", "DATA", "VERDICT"];
const FIRST_BELOW: [&str; 3] = ["AFFECTS", "CAUSE", "BINDING"];
const NOTHING: &str = "<none>";

/// Rows of text with the names of their columns.
#[derive(Clone, Debug)]
pub struct Table {
    headers: Vec<&'static str>,
    rows: Vec<Row>,
}

/// The cells of one row.
#[derive(Clone, Debug)]
struct Row {
    cells: Vec<String>,
    /// Whether the row stays on one line, even if some of its columns have no room there.
    is_short: bool,
}

/// How a table is printed.
#[derive(Clone, Copy, Debug)]
pub struct TableStyle {
    /// The width of the terminal in columns. The value is `None` if nothing is wrapped.
    pub width: Option<usize>,
    /// Whether the names of the columns are printed.
    pub headers: bool,
}

/// The order in which the rows of a table are printed, and the style.
#[derive(Clone, Copy, Debug)]
pub struct TableView<'a> {
    /// The column by which the rows are sorted. The value is `None` if the table keeps its own order.
    pub sort_by: Option<&'a str>,
    /// The style of the table.
    pub style: TableStyle,
}

/// Returns the number by which a cell is sorted: the number in the cell, the age in seconds (for a cell such as
/// `2d13h`), or the rank of the severity. The worst severity has the smallest rank. The result is `None` for any other
/// cell.
fn measure(cell: &str) -> Option<f64> {
    const SEVERITIES: [(&str, f64); 3] = [("error", 0.0), ("warning", 1.0), ("info", 2.0)];
    if let Some((_, rank)) = SEVERITIES.iter().find(|(word, _)| *word == cell) {
        return Some(*rank);
    }
    if let Ok(number) = cell.parse() {
        return Some(number);
    }
    let mut seconds = 0.0;
    let mut rest = cell;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).filter(|end| *end > 0)?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit = rest[digits..].chars().next()?;
        seconds += number
            * match unit {
                's' => 1.0,
                'm' => 60.0,
                'h' => 3_600.0,
                'd' => 86_400.0,
                'y' => 31_536_000.0,
                _ => return None,
            };
        rest = &rest[digits + unit.len_utf8()..];
    }
    (!cell.is_empty()).then_some(seconds)
}

impl Table {
    /// Returns an empty table with these columns.
    pub fn new(headers: Vec<&'static str>) -> Self {
        Self { headers, rows: Vec::new() }
    }

    /// Adds a row. Control characters are made visible. An empty cell is shown as `<none>`.
    pub fn row(&mut self, cells: Vec<String>) {
        self.push(cells, false);
    }

    /// Adds a row that is one line in a narrow terminal. The columns that have no room on this line say nothing new and
    /// are left out. See [`Self::leaves_out`].
    pub fn short_row(&mut self, cells: Vec<String>) {
        self.push(cells, true);
    }

    fn push(&mut self, cells: Vec<String>, is_short: bool) {
        let shown = |cell: String| if cell.is_empty() { NOTHING.to_owned() } else { sanitize(&cell).into_owned() };
        self.rows.push(Row { cells: cells.into_iter().map(shown).collect(), is_short });
    }

    /// Returns whether a row is printed without some of its columns, because the terminal is too narrow.
    pub fn leaves_out(&self, style: TableStyle) -> bool {
        let layout = self.chosen(style);
        matches!(layout, Layout::Below { .. }) && self.rows.iter().any(|row| row.is_short)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the names of the columns.
    pub fn headers(&self) -> &[&'static str] {
        &self.headers
    }

    /// Sorts the rows by the column with that name. Equal rows keep their order. Numbers, ages and severities are
    /// compared by their values. Returns false if there is no such column.
    pub fn sort_by(&mut self, column: &str) -> bool {
        let Some(at) = self.headers.iter().position(|header| header.eq_ignore_ascii_case(column)) else {
            return false;
        };
        self.rows.sort_by(|a, b| match (measure(&a.cells[at]), measure(&b.cells[at])) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => a.cells[at].cmp(&b.cells[at]),
        });
        true
    }

    /// Returns the complete text.
    pub fn text(&self, style: TableStyle) -> String {
        let mut text = String::new();
        let Ok(()) = self.render(style, |part| -> Result<(), Infallible> {
            text.push_str(part);
            Ok(())
        });
        text
    }

    /// Passes the text to `write`, part by part.
    ///
    /// # Errors
    /// Returns the error of `write`.
    pub fn render<E>(&self, style: TableStyle, mut write: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let layout = self.chosen(style);
        if self.rows.len() <= LARGE { write(&self.whole(style, &layout)) } else { self.stream(style, &layout, write) }
    }

    /// Returns the layout in which the table is printed.
    fn chosen(&self, style: TableStyle) -> Layout {
        if self.rows.len() <= LARGE {
            return self.layout(style, usize::MAX, self.rows.len());
        }
        match (self.layout(style, WIDEST, SAMPLE), style.width) {
            (Layout::Beside(_), Some(columns)) => self.below(self.widths(WIDEST, SAMPLE, style.headers), columns),
            (layout, _) => layout,
        }
    }

    /// Chooses the layout by the first `rows` rows. Each column is treated as at most `most` wide.
    fn layout(&self, style: TableStyle, most: usize, rows: usize) -> Layout {
        let natural = self.widths(most, rows, style.headers);
        let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let prose = self.place(PROSE);
        let (Some(columns), Some(prose)) = (style.width, prose) else { return Layout::Lines(natural) };
        if total(&natural) <= columns {
            return Layout::Lines(natural);
        }
        let command = self.place(COMMAND);
        let beside: Vec<usize> = (0..natural.len()).filter(|at| Some(*at) != command).map(|at| natural[at]).collect();
        let room = (columns + natural[prose]).saturating_sub(total(&beside));
        if room >= PROSE_MIN.min(natural[prose]) {
            return Layout::Beside(room);
        }
        self.below(natural, columns)
    }

    /// Returns the layout for a narrow terminal. The columns that fit stay on the line of the row. The other columns
    /// are printed below it.
    fn below(&self, mut widths: Vec<usize>, columns: usize) -> Layout {
        let (prose, command) = (self.place(PROSE), self.place(COMMAND));
        let stays = |at: usize| at == 0 || PINNED.contains(&self.headers[at]);
        let mut shown: Vec<usize> = (0..widths.len()).filter(|at| Some(*at) != prose && Some(*at) != command).collect();
        let excess = |shown: &[usize], widths: &[usize]| {
            let gaps = NARROW_GAP * shown.len().saturating_sub(1);
            (shown.iter().map(|at| widths[*at]).sum::<usize>() + gaps).saturating_sub(columns)
        };
        while excess(&shown, &widths) > 0 {
            let first = FIRST_BELOW.iter().filter_map(|name| self.place(name)).find(|at| shown.contains(at));
            let widest = || shown.iter().copied().filter(|at| !stays(*at)).max_by_key(|at| widths[*at]);
            let Some(leaving) = first.or_else(widest) else { break };
            shown.retain(|at| *at != leaving);
        }
        let over = excess(&shown, &widths);
        if let Some(widest) = shown.iter().copied().max_by_key(|at| widths[*at]) {
            widths[widest] = widths[widest].saturating_sub(over).max(NARROWEST);
        }
        Layout::Below { widths, shown, columns }
    }

    fn place(&self, column: &str) -> Option<usize> {
        self.headers.iter().position(|header| *header == column)
    }

    /// Returns the natural width of each column in the first `rows` rows, at most `most`.
    fn widths(&self, most: usize, rows: usize, headers: bool) -> Vec<usize> {
        (0..self.headers.len())
            .map(|at| {
                let cells = self.rows.iter().take(rows).map(|row| width(&row.cells[at]));
                let header = if headers { width(self.headers[at]) } else { 0 };
                cells.chain([header]).max().unwrap_or(0).min(most)
            })
            .collect()
    }

    /// Returns the complete text. In a row, only sentences may have several lines. A command that does not fit is
    /// printed below its row.
    fn whole(&self, style: TableStyle, layout: &Layout) -> String {
        let (prose, command) = (self.place(PROSE), self.place(COMMAND));
        let (room, below) = match layout {
            Layout::Lines(_) => (None, None),
            Layout::Beside(room) => (Some(*room), command),
            Layout::Below { .. } => {
                let mut text = if style.headers { self.header(layout) } else { String::new() };
                text.extend(self.rows.iter().map(|row| self.line(row, layout)));
                return text;
            }
        };
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let beside = |at: &usize| Some(*at) != below;
        if style.headers {
            table.set_header((0..self.headers.len()).filter(beside).map(|at| self.headers[at]));
        }
        let mut heights = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let mut height = 1;
            let cells = (0..row.cells.len()).filter(beside).map(|at| match room {
                Some(room) if Some(at) == prose => {
                    let wrapped = wrap(&row.cells[at], Some(room), 0);
                    height = wrapped.lines().count();
                    wrapped
                }
                _ => painted(self.headers[at], &row.cells[at]),
            });
            table.add_row(cells.collect::<Vec<_>>());
            heights.push(height);
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, u16::try_from(GAP).unwrap_or(1)));
        }
        let mut text = String::new();
        let mut lines = table.lines();
        let mut take = |count: usize, text: &mut String| {
            for line in lines.by_ref().take(count) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        };
        take(usize::from(style.headers), &mut text);
        for (row, height) in self.rows.iter().zip(heights) {
            take(height, &mut text);
            if let Some(command) = below {
                push_below(&mut text, &row.cells[command], style.width);
            }
        }
        text
    }

    fn stream<E>(
        &self,
        style: TableStyle,
        layout: &Layout,
        mut write: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        if style.headers {
            write(&self.header(layout))?;
        }
        self.rows.iter().try_for_each(|row| write(&self.line(row, layout)))
    }

    /// Returns the line with the names of the columns, which are padded like the cells below them.
    fn header(&self, layout: &Layout) -> String {
        let (shown, widths, gap) = layout.cells(self.headers.len());
        let cells = shown.iter().map(|at| (widths[*at], width(self.headers[*at]), self.headers[*at].to_owned()));
        aligned(cells, gap, layout.hangs())
    }

    /// Returns one row: its line, and the cells that are printed below it.
    fn line(&self, row: &Row, layout: &Layout) -> String {
        let is_short = row.is_short;
        let row = &row.cells;
        let (shown, widths, gap) = layout.cells(row.len());
        let cells = shown.iter().map(|at| (widths[*at], width(&row[*at]), painted(self.headers[*at], &row[*at])));
        let mut text = aligned(cells, gap, layout.hangs());
        let Layout::Below { columns, .. } = layout else { return text };
        if is_short {
            return text;
        }
        let (prose, command) = (self.place(PROSE), self.place(COMMAND));
        let mut line = String::new();
        for at in (0..row.len()).filter(|at| !shown.contains(at) && Some(*at) != prose && Some(*at) != command) {
            if row[at] == NOTHING {
                continue;
            }
            let part = format!("{} {}", self.headers[at], row[at]);
            if !line.is_empty() && INDENT + width(&line) + NARROW_GAP + width(&part) > *columns {
                push_below(&mut text, &line, Some(*columns));
                line.clear();
            }
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(&part);
        }
        for below in [Some(line.as_str()), prose.map(|at| row[at].as_str()), command.map(|at| row[at].as_str())] {
            push_below(&mut text, below.unwrap_or_default(), Some(*columns));
        }
        text
    }
}

/// How a row is laid out in the terminal.
#[derive(Debug)]
enum Layout {
    /// Each row is one line, with columns of these widths.
    Lines(Vec<usize>),
    /// Each row has its sentences next to the other columns, wrapped to this width. A command that does not fit is
    /// printed below its row.
    Beside(usize),
    /// Each row has the columns `shown` on its line and the other columns below it.
    Below { widths: Vec<usize>, shown: Vec<usize>, columns: usize },
}

impl Layout {
    /// Returns the columns on the line of a row that has `count` columns, their widths, and the number of spaces
    /// between them.
    fn cells(&self, count: usize) -> (Vec<usize>, &[usize], usize) {
        match self {
            Self::Lines(widths) => ((0..count).collect(), widths, GAP),
            Self::Beside(_) => (Vec::new(), &[], GAP),
            Self::Below { widths, shown, .. } => (shown.clone(), widths, NARROW_GAP),
        }
    }

    /// Returns whether the cells after a cell that is too long continue on a new line.
    fn hangs(&self) -> bool {
        matches!(self, Self::Below { .. })
    }
}

/// Returns a line of cells. Each cell is given with the width of its column and its own width.
fn aligned(cells: impl Iterator<Item = (usize, usize, String)>, gap: usize, hangs: bool) -> String {
    let mut text = String::new();
    let (mut start, mut used) = (0, 0);
    for (column, size, cell) in cells {
        if start > 0 {
            if hangs && used + gap > start {
                text.push('\n');
                used = 0;
            }
            let blanks = start.saturating_sub(used).max(if used == 0 { 0 } else { gap });
            text.extend(std::iter::repeat_n(' ', blanks));
            used += blanks;
        }
        text.push_str(&cell);
        used += size;
        start += column + gap;
    }
    text.push('\n');
    text
}

/// Adds a text below the line of a row. A command is not wrapped, but other text is.
fn push_below(text: &mut String, below: &str, columns: Option<usize>) {
    if below.is_empty() || below == NOTHING {
        return;
    }
    let fits = columns.is_none_or(|columns| INDENT + width(below) <= columns);
    let indented = format!("{:INDENT$}{below}", "");
    // A text that fits is not wrapped, because wrapping would change its spaces.
    let whole = fits || below.starts_with(COMMAND_START);
    text.push_str(&if whole { indented } else { wrap(&indented, columns, INDENT) });
    text.push('\n');
}

/// Returns the cell in the colour of its meaning, if colour is enabled.
fn painted(column: &str, cell: &str) -> String {
    match (column, cell) {
        ("SEVERITY", "error") | ("DATA", "imminent") => cell.red().to_string(),
        ("SEVERITY", "warning") => cell.yellow().to_string(),
        _ => cell.to_owned(),
    }
}
