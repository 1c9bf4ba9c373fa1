//! The entries that a component writes to its log.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// How important an entry is: an error, or information from a level on. The numbers are those of the flag `-v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// An error. It is always logged.
    Error,
    /// A warning. It is always logged.
    Warning,
    /// Information that is always logged.
    Info0,
    /// Information that is logged from `-v=1` on.
    Info1,
    /// Information that is logged from `-v=2` on.
    Info2,
    /// Information that is logged from `-v=3` on.
    Info3,
    /// Information that is logged from `-v=4` on.
    Info4,
    /// Information that is logged from `-v=5` on.
    Info5,
}

impl LogLevel {
    /// Returns the smallest value of the flag `-v` with which an entry is logged.
    pub fn verbosity(self) -> u8 {
        match self {
            Self::Error | Self::Warning | Self::Info0 => 0,
            Self::Info1 => 1,
            Self::Info2 => 2,
            Self::Info3 => 3,
            Self::Info4 => 4,
            Self::Info5 => 5,
        }
    }

    /// Returns the letter with which klog's text format begins an entry of this level.
    pub fn letter(self) -> char {
        match self {
            Self::Error => 'E',
            Self::Warning => 'W',
            Self::Info0 | Self::Info1 | Self::Info2 | Self::Info3 | Self::Info4 | Self::Info5 => 'I',
        }
    }
}

/// The value of a key of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogValue {
    /// A text, a name or an error.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

impl<T: Into<String>> From<T> for LogValue {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// An entry of a log, with the values of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The level.
    pub level: LogLevel,
    /// The message, as upstream words it.
    pub message: Cow<'static, str>,
    /// The keys with their values, in upstream's order.
    pub values: Vec<(&'static str, LogValue)>,
}

/// Writes the entry in klog's text format, without the header, which has the time, the process and the place in the
/// code. Upstream: `KVFormat`, `k8s.io/klog/v2/internal/serialize`, 2.140.
impl fmt::Display for LogEntry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&quoted(&self.message))?;
        for (key, value) in &self.values {
            match value {
                LogValue::Text(text) if text.contains('\n') => {
                    write!(out, " {key}=<")?;
                    for line in text.split('\n') {
                        write!(out, "\n\t{line}")?;
                    }
                    out.write_str("\n >")?;
                }
                LogValue::Text(text) => write!(out, " {key}={}", quoted(text))?,
                LogValue::List(texts) => {
                    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
                    write!(out, " {key}=[{}]", texts.join(","))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the text in quotes, as Go's `strconv.Quote` writes it. Characters that Go does not print are recognized as
/// Rust's `char::escape_debug` recognizes them.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\'' => quoted.push('\''),
            other if other.escape_debug().len() == 1 => quoted.push(other),
            // Writing to a String cannot fail.
            other => match u32::from(other) {
                code @ ..0x80 => _ = write!(quoted, "\\x{code:02x}"),
                code @ 0x80..0x1_0000 => _ = write!(quoted, "\\u{code:04x}"),
                code => _ = write!(quoted, "\\U{code:08x}"),
            },
        }
    }
    quoted.push('"');
    quoted
}
