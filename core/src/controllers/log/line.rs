//! Reads the lines of a log: klog's text format, and the JSON format of `k8s.io/component-base`. A line may have a
//! prefix, such as the name of a pod or the time of the journal.

use serde_json::Value;
use std::borrow::Cow;

/// One entry of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The number of its first line, counted from 1.
    pub number: usize,
    /// The time as the log has it. It is empty if the entry has no time.
    pub time: String,
    /// The file of the code that wrote the entry, without its folder.
    pub file: String,
    /// The message.
    pub message: String,
    /// The keys with their values.
    pub values: Vec<(String, String)>,
}

impl LogLine {
    /// Returns the value of a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// Returns the entries of a log. An entry whose values have several lines is one entry. A line that is not an entry is
/// returned as an `Err` with its number. Empty lines are left out.
pub fn lines(text: &str) -> impl Iterator<Item = Result<LogLine, usize>> {
    let mut rest = text.lines().enumerate().map(|(at, line)| (at + 1, line)).peekable();
    std::iter::from_fn(move || {
        loop {
            let (number, line) = rest.next()?;
            if line.trim().is_empty() {
                continue;
            }
            let mut whole = Cow::Borrowed(line);
            // A value with several lines begins with `key=<`. Its lines begin with a tab, and a line ` >` ends it.
            if line.ends_with("=<") && header(line).is_some() {
                while let Some((_, next)) = rest.next_if(|(_, next)| next.starts_with('\t') || next.starts_with(" >")) {
                    let owned = whole.to_mut();
                    owned.push('\n');
                    owned.push_str(next);
                }
            }
            return Some(parse(number, &whole).ok_or(number));
        }
    })
}

fn parse(number: usize, text: &str) -> Option<LogLine> {
    if text.trim_start().starts_with('{')
        && let Some(line) = from_json(number, text, 1)
    {
        return Some(line);
    }
    let Some(Header { time, file, after }) = header(text) else { return from_json(number, text, 1) };
    let (message, values) = structured(after);
    Some(LogLine { number, time, file: file.to_owned(), message, values })
}

/// The header of an entry in klog's text format, and what follows it.
struct Header<'t> {
    time: String,
    file: &'t str,
    after: &'t str,
}

/// Finds the header `I1128 03:09:15.123456       1 file.go:243] ` of an entry. The severity and the date may be
/// missing, and anything may come before the header.
fn header(text: &str) -> Option<Header<'_>> {
    const END: &str = ".go:";
    let mut from = 0;
    loop {
        let place = from + text.get(from..)?.find(END)?;
        from = place + END.len();
        let Some((line, after)) = text[from..].split_once("] ") else { continue };
        if line.is_empty() || !line.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let mut words = text[..place].rsplit([' ', '\t']).filter(|word| !word.is_empty());
        let (Some(name), Some(process), Some(clock)) = (words.next(), words.next(), words.next()) else { continue };
        if !process.bytes().all(|byte| byte.is_ascii_digit()) || !is_clock(clock) {
            continue;
        }
        let day = words.next().filter(|day| is_day(day)).map_or_else(String::new, |day| format!("{day} "));
        let file = &text[place - name.len()..from - 1];
        return Some(Header { time: format!("{day}{clock}"), file, after });
    }
}

/// Returns whether the text is a time of day such as `03:09:15.123456`.
fn is_clock(text: &str) -> bool {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = seconds.split(':').collect();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(|part| part.len() == 2 && digits(part)) && digits(fraction)
}

/// Returns whether the text is a severity with a month and a day, such as `I1128`.
fn is_day(text: &str) -> bool {
    let mut letters = text.bytes();
    matches!(letters.next(), Some(b'I' | b'W' | b'E' | b'F'))
        && text.len() == 5
        && letters.all(|byte| byte.is_ascii_digit())
}

/// Returns the message in quotes and the keys with their values. A text without quotes is a message without keys.
fn structured(text: &str) -> (String, Vec<(String, String)>) {
    let Some((message, mut rest)) = unquoted(text) else { return (text.trim_end().to_owned(), Vec::new()) };
    let mut values = Vec::new();
    while let Some((key, after)) = rest.trim_start().split_once('=') {
        let (value, next) = value(after);
        values.push((key.to_owned(), value));
        rest = next;
    }
    (message, values)
}

/// Returns the value at the beginning of the text, and what follows it.
fn value(text: &str) -> (String, &str) {
    if let Some((value, rest)) = unquoted(text) {
        return (value, rest);
    }
    if let Some(lines) = text.strip_prefix("<\n") {
        let (value, rest) = lines.split_once("\n >").unwrap_or((lines, ""));
        let lines: Vec<&str> = value.split('\n').map(|line| line.strip_prefix('\t').unwrap_or(line)).collect();
        return (lines.join("\n"), rest);
    }
    let (mut depth, mut inside, mut escaped) = (0_usize, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            '[' | '{' if !inside => depth += 1,
            ']' | '}' if !inside => depth = depth.saturating_sub(1),
            ' ' if !inside && depth == 0 => return (text[..at].to_owned(), &text[at..]),
            _ => {}
        }
    }
    (text.to_owned(), "")
}

/// Returns the text that Go's `strconv.Quote` has quoted at the beginning of the text, and what follows it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut result = String::new();
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((result, &inner[at + 1..])),
            '\\' => {
                let (at, escape) = letters.next()?;
                let simple = match escape {
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\u{b}',
                    other => other,
                };
                let hex = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => {
                        result.push(simple);
                        continue;
                    }
                };
                let code = inner.get(at + 1..at + 1 + hex).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                result.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                if code.is_some() {
                    letters.nth(hex - 1);
                }
            }
            other => result.push(other),
        }
    }
    None
}

/// Reads an entry in JSON. The field `log` of the logs of container runtimes has another entry, which is read `deeper`
/// times.
fn from_json(number: usize, text: &str, deeper: u8) -> Option<LogLine> {
    let begin = text.find('{')?;
    let Value::Object(mut fields) = serde_json::from_str(&text[begin..]).ok()? else { return None };
    if let Some(Value::String(inner)) = fields.get("log") {
        let inner = inner.trim_end_matches('\n');
        return match header(inner) {
            Some(_) => parse(number, inner),
            None => from_json(number, inner, deeper.checked_sub(1)?),
        };
    }
    let Some(Value::String(message)) = fields.remove("msg") else { return None };
    let caller = fields.remove("caller").map(plain).unwrap_or_default();
    let file = caller.rsplit('/').next().unwrap_or_default().split(':').next().unwrap_or_default().to_owned();
    let time = fields.remove("ts").map(plain).unwrap_or_default();
    let values = fields.into_iter().map(|(key, value)| (key, plain(value))).collect();
    Some(LogLine { number, time, file, message, values })
}

/// Returns a value as text. An object with a name is written as `NAMESPACE/NAME`.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Object(fields) if fields.contains_key("name") => {
            let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default();
            let separator = if text("namespace").is_empty() { "" } else { "/" };
            format!("{}{separator}{}", text("namespace"), text("name"))
        }
        other => other.to_string(),
    }
}
