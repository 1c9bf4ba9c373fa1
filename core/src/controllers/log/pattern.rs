//! The texts of messages as patterns: `{}` and `{KEY}` stand for texts that differ from entry to entry.

use std::borrow::Cow;

/// A part of a pattern.
enum Part<'p> {
    Fixed(&'p str),
    /// The key of a text that differs. It is empty if the text has no key.
    Differs(&'p str),
}

/// Returns the parts of a pattern.
fn parts(pattern: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let hole = holes(rest).next();
        let (part, after) = match hole {
            Some((0, end)) => (Part::Differs(&rest[1..end - 1]), end),
            Some((begin, _)) => (Part::Fixed(&rest[..begin]), begin),
            None => (Part::Fixed(rest), rest.len()),
        };
        rest = &rest[after..];
        Some(part)
    })
}

/// Returns where the texts that differ begin and end. Braces around anything but a key are a part of the message.
fn holes(pattern: &str) -> impl Iterator<Item = (usize, usize)> {
    pattern.match_indices('{').filter_map(|(begin, _)| {
        let length = pattern[begin + 1..].find('}')?;
        let is_key = pattern[begin + 1..][..length].bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_key.then_some((begin, begin + length + 2))
    })
}

/// Returns the texts that a message has in place of `{KEY}`, with their keys, if the message fits the pattern. Each
/// text but the last one is as short as possible.
pub(super) fn captures<'t>(pattern: &'static str, message: &'t str) -> Option<Vec<(&'static str, &'t str)>> {
    // Most patterns do not fit, and this is the fastest way to see it.
    let head = pattern.find('{').unwrap_or(pattern.len());
    if !message.starts_with(&pattern[..head]) || head == pattern.len() && head != message.len() {
        return None;
    }
    let mut found = Vec::new();
    let mut rest = message;
    let mut open: Option<&'static str> = None;
    let mut parts = parts(pattern).peekable();
    while let Some(part) = parts.next() {
        match part {
            Part::Differs(key) => open = Some(key),
            Part::Fixed(fixed) => {
                let at = match open {
                    None => rest.starts_with(fixed).then_some(0)?,
                    Some(_) if parts.peek().is_none() => rest.ends_with(fixed).then(|| rest.len() - fixed.len())?,
                    Some(_) => rest.find(fixed)?,
                };
                if let Some(key) = open.take().filter(|key| !key.is_empty()) {
                    found.push((key, &rest[..at]));
                }
                rest = &rest[at + fixed.len()..];
            }
        }
    }
    match open {
        Some("") => {}
        Some(key) => found.push((key, rest)),
        None if rest.is_empty() => {}
        None => return None,
    }
    Some(found)
}

/// Returns the pattern with a text in the place of the first text that differs.
pub(super) fn fill(pattern: &'static str, text: &str) -> Cow<'static, str> {
    match holes(pattern).next() {
        Some((begin, end)) => Cow::Owned(format!("{}{text}{}", &pattern[..begin], &pattern[end..])),
        None => Cow::Borrowed(pattern),
    }
}

/// Returns how many bytes of the pattern are the same in each entry.
pub(super) fn fixed(pattern: &str) -> usize {
    pattern.len() - holes(pattern).map(|(begin, end)| end - begin).sum::<usize>()
}
