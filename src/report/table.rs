//! Tables as kubectl prints them, fitted to the terminal.

use crate::text::{sanitize, width};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

/// The narrowest last column beside which the others keep their full width.
const NARROWEST_LAST: usize = 24;
/// The blanks between columns.
const GAP: u16 = 3;

/// A table without lines; the last column takes the rest of the terminal and is broken between words where it has to.
/// Without a width nothing is broken. Texts are made safe for a terminal here.
pub fn table(headers: Option<&[&str]>, rows: &[Vec<String>], columns: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut widths: Vec<usize> = headers.unwrap_or_default().iter().map(|header| width(header)).collect();
    if let Some(headers) = headers {
        table.set_header(headers.iter().copied());
    }
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| sanitize(cell).into_owned()).collect();
        for (place, cell) in cells.iter().enumerate() {
            match widths.get_mut(place) {
                Some(widest) => *widest = (*widest).max(width(cell)),
                None => widths.push(width(cell)),
            }
        }
        table.add_row(cells);
    }
    if rows.is_empty() && headers.is_none() {
        return String::new();
    }
    let fixed: usize = widths.iter().rev().skip(1).map(|column| column + usize::from(GAP)).sum();
    if let Some(columns) = columns {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(columns).unwrap_or(u16::MAX));
    }
    let room_for_all = columns.is_none_or(|columns| columns >= fixed + NARROWEST_LAST);
    let last = widths.len().saturating_sub(1);
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if place == last { 0 } else { GAP }));
        if room_for_all && place != last {
            let content = u16::try_from(widths[place]).unwrap_or(u16::MAX).saturating_add(GAP);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(content)));
        }
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    text
}

/// A text broken between words into lines of at most so many terminal columns; lines after the first are indented.
/// A word that is longer than a line stays whole. Without a width there is one line.
pub fn wrap(text: &str, columns: Option<usize>, indent: usize) -> String {
    let safe = sanitize(text);
    let Some(columns) = columns else { return safe.into_owned() };
    let mut wrapped = String::with_capacity(safe.len() + 16);
    let leading = safe.len() - safe.trim_start_matches(' ').len();
    wrapped.push_str(&safe[..leading]);
    let (mut used, mut start) = (leading, true);
    for word in safe.split(' ').filter(|word| !word.is_empty()) {
        let size = width(word);
        if !start && used + 1 + size > columns {
            wrapped.push('\n');
            wrapped.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if !start {
            wrapped.push(' ');
            used += 1;
        }
        wrapped.push_str(word);
        used += size;
        start = false;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::{table, wrap};

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        vec![row(["a", "10Gi", "fits"]), row(["数据", "5Gi", "capacity 5Gi < requested 10Gi, which is too small"])]
    }

    #[test]
    fn without_a_width_nothing_is_broken() {
        let text = table(Some(&["VOLUME", "CAPACITY", "WHY"]), &rows(), None);
        assert_eq!(
            text,
            "VOLUME   CAPACITY   WHY\n\
             a        10Gi       fits\n\
             数据     5Gi        capacity 5Gi < requested 10Gi, which is too small\n"
        );
    }

    #[test]
    fn the_last_column_is_broken_between_words() {
        let text = table(Some(&["VOLUME", "CAPACITY", "WHY"]), &rows(), Some(49));
        assert_eq!(
            text,
            "VOLUME   CAPACITY   WHY\n\
             a        10Gi       fits\n\
             数据     5Gi        capacity 5Gi < requested\n\
             \x20                   10Gi, which is too small\n"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for columns in 30..90 {
            for line in table(Some(&["VOLUME", "CAPACITY", "WHY"]), &rows(), Some(columns)).lines() {
                assert!(crate::text::width(line) <= columns, "{columns}: {line:?}");
            }
        }
    }

    #[test]
    fn lines_are_broken_between_words_and_indented() {
        assert_eq!(wrap("one two three four", Some(9), 2), "one two\n  three\n  four");
        assert_eq!(wrap("  - one two three", Some(10), 4), "  - one\n    two\n    three");
        assert_eq!(wrap("数据 数据 数据", Some(9), 0), "数据 数据\n数据");
        assert_eq!(wrap("a\u{1b}[1m", Some(80), 0), "a\\x1b[1m");
        assert_eq!(wrap("one two", None, 0), "one two");
    }
}
