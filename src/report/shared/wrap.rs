//! Wraps text into lines.

use crate::text::{sanitize, width};

/// Breaks a text between words into lines of at most `columns` terminal columns. Lines after the first are indented. A
/// word that is longer than a line is not broken. Without a width the text stays one line.
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
