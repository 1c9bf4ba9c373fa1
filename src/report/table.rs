//! Tables as kubectl prints them. Small ones are laid out as a whole; large ones are streamed with fixed widths.

use super::wrap::wrap;
use crate::text::{pad, sanitize, truncate, width};
use comfy_table::{ContentArrangement, presets};

/// Above so many rows a table is not laid out as a whole.
const LARGE: usize = 10_000;
/// So many rows decide the widths of a table that is streamed.
const SAMPLE: usize = 1_000;
/// The widest a column of a streamed table gets.
const WIDEST: usize = 80;
const GAP: usize = 3;
/// The column whose cells are sentences, and the least width in which they are set beside the others.
const PROSE: &str = "WHY";
const PROSE_MIN: usize = 30;
/// Between columns, and the narrowest column, where the terminal is narrow.
const NARROW_GAP: usize = 2;
const NARROWEST: usize = 8;
const INDENT: usize = 4;

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

/// What a cell measures: a number, an age such as `2d13h` in seconds, or a severity, the worst least.
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

    /// Sorts by the column of that name, keeping equal rows in order; false where there is no such column. Numbers,
    /// ages and severities are compared as what they are.
    pub fn sort_by(&mut self, column: &str) -> bool {
        let Some(at) = self.headers.iter().position(|header| header.eq_ignore_ascii_case(column)) else {
            return false;
        };
        self.rows.sort_by(|a, b| match (measure(&a[at]), measure(&b[at])) {
            (Some(a), Some(b)) => a.total_cmp(&b),
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
        let natural = self.widths(usize::MAX, self.rows.len(), style.headers);
        let total: usize = natural.iter().sum::<usize>() + GAP * natural.len().saturating_sub(1);
        let prose = self.headers.iter().position(|header| *header == PROSE);
        match (style.width, prose) {
            (Some(columns), Some(prose)) if total > columns => {
                let room = (columns + natural[prose]).saturating_sub(total);
                if room >= PROSE_MIN { self.wrapped(style, prose, room) } else { self.stacked(style, prose, columns) }
            }
            _ => self.wrapped(style, usize::MAX, 0),
        }
    }

    /// The natural width of each column, over that many rows.
    fn widths(&self, most: usize, rows: usize, headers: bool) -> Vec<usize> {
        (0..self.headers.len())
            .map(|at| {
                let cells = self.rows.iter().take(rows).map(|row| width(&row[at]));
                let header = if headers { width(self.headers[at]) } else { 0 };
                cells.chain([header]).max().unwrap_or(0).min(most)
            })
            .collect()
    }

    /// One line for each row; only the cells of the prose column may take several, of that many columns.
    fn wrapped(&self, style: TableStyle, prose: usize, room: usize) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        if style.headers {
            table.set_header(self.headers.iter().copied());
        }
        table.add_rows(self.rows.iter().map(|row| {
            let cell =
                |(at, cell): (usize, &String)| if at == prose { wrap(cell, Some(room), 0) } else { cell.clone() };
            row.iter().enumerate().map(cell).collect::<Vec<_>>()
        }));
        for column in table.column_iter_mut() {
            column.set_padding((0, u16::try_from(GAP).unwrap_or(1)));
        }
        let mut text = String::new();
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// For narrow terminals: the prose stands below its row, indented; of the others the widest cells are cut.
    fn stacked(&self, style: TableStyle, prose: usize, columns: usize) -> String {
        let mut widths = self.widths(usize::MAX, self.rows.len(), style.headers);
        widths[prose] = 0;
        let gaps = NARROW_GAP * widths.len().saturating_sub(2);
        while widths.iter().sum::<usize>() + gaps > columns {
            match widths.iter_mut().max().filter(|widest| **widest > NARROWEST) {
                Some(widest) => *widest -= 1,
                None => break,
            }
        }
        let mut text = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = &str>, below: Option<&str>| {
            let mut line = String::new();
            for (at, (cell, width)) in cells.zip(&widths).enumerate() {
                if at != prose {
                    line.push_str(&pad(&truncate(cell, *width), width + NARROW_GAP));
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
            if let Some(prose) = below {
                let indented = format!("{:INDENT$}{prose}", "");
                text.push_str(&wrap(&indented, Some(columns), INDENT));
                text.push('\n');
            }
        };
        if style.headers {
            line(&mut self.headers.iter().copied(), None);
        }
        for row in &self.rows {
            line(&mut row.iter().map(String::as_str), Some(&row[prose]));
        }
        text
    }

    fn stream<E>(&self, style: TableStyle, mut write: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let widths = self.widths(WIDEST, SAMPLE, style.headers);
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

#[cfg(test)]
mod tests {
    use super::{Table, TableStyle};
    use crate::text::width;

    fn table() -> Table {
        let mut table = Table::new(vec!["NAME", "BINDING", "WHY", "AGE"]);
        table.row(vec![
            "pv/\u{6570}\u{636e}".into(),
            String::new(),
            "its claim is gone and nothing else keeps it".into(),
            "3d".into(),
        ]);
        table.row(vec!["pv/x\u{1b}[2J".into(), "db/data-0".into(), "bound to db/data-0".into(), "4d".into()]);
        table
    }

    fn text(columns: Option<usize>) -> String {
        let mut text = String::new();
        let style = TableStyle { width: columns, headers: true };
        let done: Result<(), ()> = table().render(style, |part| {
            text.push_str(part);
            Ok(())
        });
        assert_eq!(done, Ok(()));
        text
    }

    #[test]
    fn without_a_width_every_row_is_one_line() {
        assert_eq!(
            text(None),
            "NAME          BINDING     WHY                                           AGE\n\
             pv/\u{6570}\u{636e}       <none>      its claim is gone and nothing else keeps it   3d\n\
             pv/x\\x1b[2J   db/data-0   bound to db/data-0                            4d\n"
        );
    }

    #[test]
    fn sentences_are_wrapped_where_there_is_room_and_stand_below_where_there_is_none() {
        assert_eq!(
            text(Some(70)),
            "NAME          BINDING     WHY                                  AGE\n\
             pv/\u{6570}\u{636e}       <none>      its claim is gone and nothing else   3d\n                          keeps it\n\
             pv/x\\x1b[2J   db/data-0   bound to db/data-0                   4d\n"
        );
        assert_eq!(
            text(Some(30)),
            "NAME         BINDING    AGE\n\
             pv/\u{6570}\u{636e}      <none>     3d\n    its claim is gone and\n    nothing else keeps it\n\
             pv/x\\x1b[2J  db/data-0  4d\n    bound to db/data-0\n"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for columns in [20, 24, 30, 40, 60, 80] {
            for line in text(Some(columns)).lines() {
                assert!(width(line) <= columns.max(28), "{columns}: {line:?}");
            }
        }
    }
}
