//! Finds the path of the field at a byte offset in the JSON of an object.

use std::fmt::Write as _;

/// The largest number of characters of a value that a message repeats.
const SHOWN: usize = 60;

/// The field at a byte offset, and its value in short form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) field: String,
    pub(super) value: String,
}

/// An open object or list.
struct Open<'a> {
    list: bool,
    /// The number of elements before the current one in the list.
    index: usize,
    /// The current key of the object, with its escapes.
    key: Option<&'a str>,
    /// Whether the next string of the object is a key.
    key_next: bool,
    /// Whether a token other than white space followed since the container was opened.
    started: bool,
}

/// Returns the field of the innermost value that contains the byte at `offset` of valid JSON.
pub(super) fn at(json: &str, offset: usize) -> Place {
    let bytes = json.as_bytes();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut cursor = 0;
    while cursor < bytes.len() {
        let start = cursor;
        cursor += match bytes[cursor] {
            b'"' => string_length(&bytes[cursor..]),
            byte if scalar(byte) => bytes[cursor..].iter().take_while(|byte| scalar(**byte)).count(),
            _ => 1,
        };
        let token = &json[start..cursor];
        let reached = cursor > offset;
        if bytes[start].is_ascii_whitespace() {
            match open.split_last() {
                // The parser had begun to read the container before it refused the container.
                Some((innermost, outer)) if reached && !innermost.started => {
                    return Place { field: path(outer), value: compound(innermost.list) };
                }
                Some(_) if reached => break,
                _ => continue,
            }
        }
        if let Some(innermost) = open.last_mut() {
            innermost.started = true;
        }
        match bytes[start] {
            b'{' | b'[' => {
                let list = bytes[start] == b'[';
                if reached {
                    return Place { field: path(&open), value: compound(list) };
                }
                open.push(Open { list, index: 0, key: None, key_next: !list, started: false });
            }
            b'}' | b']' => {
                let list = open.pop().is_some_and(|closed| closed.list);
                if reached {
                    return Place { field: path(&open), value: compound(list) };
                }
            }
            b',' => {
                if let Some(innermost) = open.last_mut() {
                    innermost.index += 1;
                    innermost.key_next = !innermost.list;
                }
            }
            b'"' if open.last().is_some_and(|innermost| innermost.key_next) => {
                if let Some(innermost) = open.last_mut() {
                    innermost.key = Some(token.get(1..token.len().saturating_sub(1)).unwrap_or_default());
                    innermost.key_next = false;
                }
                if reached {
                    return Place { field: path(&open), value: String::new() };
                }
            }
            byte if reached && (byte == b'"' || scalar(byte)) => {
                let field = path(&open);
                // If the field `annotations` is a string, the string could contain all annotations, so it is not shown.
                let value = if field.ends_with("annotations") { String::new() } else { shorten(token) };
                return Place { field, value };
            }
            _ => {}
        }
    }
    Place { field: path(&open), value: String::new() }
}

fn scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Returns the length of the string at the beginning of the bytes, including its quotes.
fn string_length(bytes: &[u8]) -> usize {
    let mut end = 1;
    while end < bytes.len() {
        match bytes[end] {
            b'"' => return end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    bytes.len()
}

fn path(open: &[Open<'_>]) -> String {
    let mut path = String::new();
    for container in open {
        if container.list {
            let _ = write!(path, "[{}]", container.index);
        } else if let Some(key) = container.key {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(key);
        }
    }
    path
}

fn compound(list: bool) -> String {
    if list { "a list".to_owned() } else { "an object".to_owned() }
}

fn shorten(token: &str) -> String {
    let mut cut = token.char_indices().skip(SHOWN);
    match cut.next() {
        Some((end, _)) => format!("{}…", &token[..end]),
        None => token.to_owned(),
    }
}
