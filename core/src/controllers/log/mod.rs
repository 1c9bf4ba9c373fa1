//! What components write to their logs: the messages as upstream words them, each with the leaves at which it is
//! written. Each component defines its messages in its own folder.

mod line;
mod named;
mod pattern;
mod reading;

pub use line::{LogLine, lines};
pub use named::Named;
pub use reading::{FoundLine, LogReading, LoggedSync, UnknownLine, identify, read_log};

use super::Branch;
use crate::world::{LogEntry, LogLevel, LogValue};
use pattern::{captures, fill, fixed};

/// The message with which components log each event that they record. Upstream: `StartStructuredLogging`,
/// `k8s.io/client-go/tools/record`, 1.36.
pub const EVENT: &str = "Event occurred";

/// A message that a component writes to its log at `-v=5` or below.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The message as upstream words it. `{}` stands for a text that differs from entry to entry. `{KEY}` does so, too.
    /// Such a text is read like the value of this key.
    pub text: &'static str,
    /// The level.
    pub level: LogLevel,
    /// The keys in upstream's order. An error has the key `err` first.
    pub keys: &'static [&'static str],
    /// What the values of some keys are, in the form of `text`. Other entries with the same text are other messages.
    pub with: &'static [(&'static str, &'static str)],
    /// Upstream's function that writes the message.
    pub function: &'static str,
    /// The position among the messages with which a sync begins, from 1. It is 0 for a message with which no sync
    /// begins. A sync begins with the smallest of these positions. If the level of the log leaves out its message, the
    /// sync begins with the next one.
    pub begins: u8,
    /// Whether each sync that ends at one of the leaves writes this message, or another message of the same function
    /// with this property.
    pub always: bool,
    /// Whether the message is the last one of its sync.
    pub last: bool,
    /// Whether the message is written in a sync that passes the leaf.
    pub at: fn(Branch) -> bool,
}

impl Message {
    /// Returns an entry with this message. The values are in the order of the keys.
    pub fn entry<const N: usize>(&self, values: [LogValue; N]) -> LogEntry {
        self.about("", values)
    }

    /// Returns an entry with this message, with `text` in place of the first `{}`.
    pub fn about<const N: usize>(&self, text: &str, values: [LogValue; N]) -> LogEntry {
        let values = self.keys.iter().copied().zip(values).collect();
        LogEntry { level: self.level, message: fill(self.text, text), values }
    }

    /// Returns whether an entry has this message.
    pub fn is(&self, line: &LogLine) -> bool {
        let fits = |(key, pattern): &(&'static str, &'static str)| {
            line.value(key).is_some_and(|value| captures(pattern, value).is_some())
        };
        captures(self.text, &line.message).is_some() && self.with.iter().all(fits)
    }

    /// Returns the keys of an entry of this message with their values. The texts that the message itself has for keys
    /// come last.
    fn values<'l>(&self, line: &'l LogLine) -> Vec<(&'l str, &'l str)> {
        let mut values: Vec<(&str, &str)> =
            line.values.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        values.extend(captures(self.text, &line.message).unwrap_or_default());
        for (key, pattern) in self.with {
            values.extend(line.value(key).and_then(|value| captures(pattern, value)).unwrap_or_default());
        }
        values
    }

    /// Returns how many bytes of an entry the message determines.
    fn weight(&self) -> usize {
        fixed(self.text) + self.with.iter().map(|(_, pattern)| fixed(pattern)).sum::<usize>()
    }

    /// Returns the leaves at which the message is written.
    pub fn leaves(&self) -> impl Iterator<Item = Branch> {
        Branch::all().filter(|leaf| (self.at)(*leaf))
    }
}

/// What one component logs.
#[derive(Debug)]
pub struct Log {
    /// The name of the component.
    pub component: &'static str,
    /// The files of upstream that log, without their folders.
    pub files: &'static [&'static str],
    /// The messages, in lists for parts of the component, in the order of upstream's functions.
    pub messages: &'static [&'static [&'static Message]],
    /// Whether a sync ends at the leaf. Each sync ends at exactly one such leaf.
    pub ends: fn(Branch) -> bool,
    /// Returns what keys with these values name. A value of a claim is `NAMESPACE/NAME`.
    pub names: fn(&[(&str, &str)]) -> Vec<Named>,
}

/// Returns the value of a property of a message. The properties are `begins N`, `always` and `last`.
macro_rules! flag {
    (begins begins $place:literal) => {
        $place
    };
    (begins $($other:tt)*) => {
        0
    };
    (always always) => {
        true
    };
    (last last) => {
        true
    };
    ($name:ident $($other:tt)*) => {
        false
    };
}
pub(super) use flag;

/// Defines the messages of a component. Each function of upstream has a list of messages: a name, the level, a property
/// in parentheses if the message has one, the text, the keys, and the leaves at which the message is written. A key may
/// have a value, with which other entries with the same text are told apart. `MESSAGES` is the list of all.
macro_rules! messages {
    ($($function:literal {
        $($name:ident: $level:ident $(($($flag:tt)+))?, $text:expr,
            [$($key:literal $(= $wanted:expr)?),*],
            $at:pat $(if $guard:expr)?,)+
    })+) => {
        $($(
            #[doc = concat!("Upstream: `", $function, "`.")]
            pub(super) const $name: $crate::controllers::log::Message = $crate::controllers::log::Message {
                text: $text,
                level: $crate::world::LogLevel::$level,
                keys: &[$($key),*],
                with: &[$($(($key, $wanted),)?)*],
                function: $function,
                begins: $crate::controllers::log::flag!(begins $($($flag)+)?),
                always: $crate::controllers::log::flag!(always $($($flag)+)?),
                last: $crate::controllers::log::flag!(last $($($flag)+)?),
                at: |leaf| matches!(leaf, $at $(if $guard)?),
            };
        )+)+

        /// All messages.
        pub(super) const MESSAGES: &[&$crate::controllers::log::Message] = &[$($(&$name,)+)+];
    };
}
pub(super) use messages;
