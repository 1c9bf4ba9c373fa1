//! What components write to their logs: the messages as upstream words them, each with the leaves at which it is
//! written. Each component defines its messages in its own folder.

mod line;
mod reading;

pub use line::{LogLine, lines};
pub use reading::{FoundLine, LogReading, LoggedSync, UnknownLine, identify, read_log};

use super::Branch;
use crate::world::{LogEntry, LogLevel, LogValue, ObjectRef};
use std::borrow::Cow;

/// A message that a component writes to its log at `-v=5` or below.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The message as upstream words it. `{}` stands for a text that differs from entry to entry.
    pub text: &'static str,
    /// The level.
    pub level: LogLevel,
    /// The keys in upstream's order. An error has the key `err` first.
    pub keys: &'static [&'static str],
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

    /// Returns an entry with this message, with `text` in place of `{}`.
    pub fn about<const N: usize>(&self, text: &str, values: [LogValue; N]) -> LogEntry {
        let message = match self.text.split_once("{}") {
            Some((before, after)) => Cow::Owned(format!("{before}{text}{after}")),
            None => Cow::Borrowed(self.text),
        };
        LogEntry { level: self.level, message, values: self.keys.iter().copied().zip(values).collect() }
    }

    /// Returns whether a message of a log is this one.
    pub fn is(&self, message: &str) -> bool {
        match self.text.split_once("{}") {
            Some((before, after)) => {
                message.len() >= before.len() + after.len() && message.starts_with(before) && message.ends_with(after)
            }
            None => self.text == message,
        }
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
    /// The messages, in the order of upstream's functions.
    pub messages: &'static [&'static Message],
    /// Whether a sync ends at the leaf. Each sync ends at exactly one such leaf.
    pub ends: fn(Branch) -> bool,
    /// Returns the object that a key with this value names. A value of a claim is `NAMESPACE/NAME`.
    pub names: fn(&str, &str) -> Option<ObjectRef>,
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
/// in parentheses if the message has one, the text, the keys, and the leaves at which the message is written.
/// `MESSAGES` is the list of all.
macro_rules! messages {
    ($($function:literal {
        $($name:ident: $level:ident $(($($flag:tt)+))?, $text:literal, [$($key:literal),*],
            $at:pat $(if $guard:expr)?,)+
    })+) => {
        $($(
            #[doc = concat!("Upstream: `", $function, "`.")]
            pub(super) const $name: $crate::controllers::log::Message = $crate::controllers::log::Message {
                text: $text,
                level: $crate::world::LogLevel::$level,
                keys: &[$($key),*],
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
