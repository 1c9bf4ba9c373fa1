//! Functions for text from a cluster or a file: they make it safe for a terminal, measure it, cut it and pad it, and
//! find the nearest known name for a mistyped word.
//!
//! Credentials are not hidden here. The code that reads an object decides what may be kept of the object.

use std::borrow::Cow;
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The character that replaces the text that was cut off.
const CUT: char = '…';

/// Returns the text as one line, with escapes such as `\n`, `\t`, `\x1b` and `\u{202e}` in place of unsafe characters.
/// A character is unsafe if it could move the cursor, change colours, or reorder or hide other characters.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        push_safe(&mut safe, character);
    }
    Cow::Owned(safe)
}

/// Returns the JSON with an escape for every character that [`sanitize`] would escape. Outside of strings, the only
/// such characters in JSON are line breaks and tabs, which this function keeps. Inside of strings, JSON itself already
/// escapes the characters below U+0020.
pub fn escape_json(json: &[u8]) -> Cow<'_, [u8]> {
    const DEL: u8 = 0x7f;
    if json.iter().all(|byte| *byte < DEL) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in String::from_utf8_lossy(json).chars() {
        if character < char::from(DEL) || !is_unsafe(character) {
            escaped.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    Cow::Owned(escaped.into_bytes())
}

fn push_safe(safe: &mut String, character: char) {
    if !is_unsafe(character) {
        safe.push(character);
        return;
    }
    match character {
        '\n' => safe.push_str("\\n"),
        '\r' => safe.push_str("\\r"),
        '\t' => safe.push_str("\\t"),
        // Writing to a String cannot fail.
        other if other.is_ascii() => _ = write!(safe, "\\x{:02x}", u32::from(other)),
        other => _ = write!(safe, "\\u{{{:x}}}", u32::from(other)),
    }
}

/// Returns whether a terminal would act on the character, or would not show the character at all.
fn is_unsafe(character: char) -> bool {
    // `is_control` covers the control characters below U+0020, DEL, and those from U+0080 to U+009F.
    character.is_control()
        || matches!(
            character,
            '\u{ad}'                     // soft hyphen
            | '\u{34f}'                  // combining grapheme joiner
            | '\u{61c}'                  // Arabic letter mark
            | '\u{115f}'..='\u{1160}'    // Hangul fillers
            | '\u{17b4}'..='\u{17b5}'    // Khmer inherent vowels
            | '\u{180b}'..='\u{180f}'    // Mongolian selectors and vowel separator
            | '\u{200b}'..='\u{200f}'    // zero-width spaces and joiners, direction marks
            | '\u{2028}'..='\u{202e}'    // line and paragraph separators, bidirectional embeddings and overrides
            | '\u{2060}'..='\u{206f}'    // word joiner, invisible operators, bidirectional isolates
            | '\u{3164}'                 // Hangul filler
            | '\u{feff}'                 // byte order mark
            | '\u{ffa0}'                 // halfwidth Hangul filler
            | '\u{fff9}'..='\u{fffb}'    // interlinear annotations
            | '\u{e0000}'..='\u{e0fff}'  // tags and variation selectors supplement
        )
}

/// Returns the number of terminal columns that the text takes. The caller has passed the text through [`sanitize`].
pub fn width(text: &str) -> usize {
    text.width()
}

/// Cuts the text to at most `columns` terminal columns. If something was cut, the result ends with `…`. The result is
/// empty if `columns` is 0.
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let mut used = 0;
    let mut cut = String::new();
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > room {
            break;
        }
        cut.push(character);
    }
    cut.push(CUT);
    Cow::Owned(cut)
}

/// Makes one line of the text, and cuts out the middle of the line if the line has more than `columns` characters. The
/// result has `…` in place of the middle. The end stays, because an error message often states the reason at its end.
pub fn shorten(text: &str, columns: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = line.chars().count();
    if length <= columns {
        return line;
    }
    let room = columns.saturating_sub(1);
    let start = room / 3;
    let begin: String = line.chars().take(start).collect();
    let end: String = line.chars().skip(length - (room - start)).collect();
    format!("{}{CUT}{}", begin.trim_end(), end.trim_start())
}

/// Appends blanks to the text up to `columns` terminal columns. Longer text stays as it is.
pub fn pad(text: &str, columns: usize) -> Cow<'_, str> {
    match columns.checked_sub(width(text)) {
        None | Some(0) => Cow::Borrowed(text),
        Some(missing) => Cow::Owned(format!("{text}{:missing$}", "")),
    }
}

/// Returns the text with a capital letter at its beginning.
pub fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Formats a duration in seconds as kubectl's AGE column prints it: `90s`, `5m`, `3d4h`, `2y10d`. A time that is up to
/// one second in the future is printed as `0s`, and any later time as `<invalid>` (`duration.HumanDuration`,
/// apimachinery 0.36).
pub fn human_age(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    // Prints the larger unit, and the rest in the smaller unit unless the rest is zero.
    let two = |large: i64, unit: char, rest: i64, smaller: char| {
        if rest == 0 { format!("{large}{unit}") } else { format!("{large}{unit}{rest}{smaller}") }
    };
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => two(seconds / MINUTE, 'm', seconds % MINUTE, 's'),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => two(seconds / HOUR, 'h', seconds % HOUR / MINUTE, 'm'),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => two(seconds / DAY, 'd', seconds % DAY / HOUR, 'h'),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => two(seconds / YEAR, 'y', seconds % YEAR / DAY, 'd'),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Returns the candidates that a person may have meant by `word`, at most `limit` of them, nearest first. The
/// candidates that differ from `word` by a few typing errors come before those that begin with `word`. Candidates that
/// are equally near keep their order.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let wanted: Vec<char> = word.chars().collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let allowed = (wanted.len() / 3).clamp(1, 3);
    let mut scored: Vec<(usize, &'a str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            typing_errors(&wanted, candidate, allowed)
                .or_else(|| candidate.starts_with(word).then_some(allowed + 1))
                .map(|errors| (errors, candidate))
        })
        .collect();
    scored.sort_by_key(|&(errors, _)| errors);
    scored.truncate(limit);
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Counts the insertions, deletions, replacements and swaps of neighbours between the two words. Upper and lower case
/// are equal, except in swaps. The result is `None` if the count exceeds `allowed`.
fn typing_errors(wanted: &[char], candidate: &str, allowed: usize) -> Option<usize> {
    let other: Vec<char> = candidate.chars().take(wanted.len() + allowed + 1).collect();
    if other.len().abs_diff(wanted.len()) > allowed {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, &left) in wanted.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, right) in other.iter().enumerate() {
            let replaced = above[column] + usize::from(!left.eq_ignore_ascii_case(right));
            let mut best = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && left == other[column - 1] && wanted[row - 1] == *right {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().filter(|&errors| errors <= allowed)
}
