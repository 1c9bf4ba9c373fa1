//! Reads a piece of a log: which component wrote each entry, in which of its functions, and at which leaves. The
//! entries of one sync are put together, because together they tell the leaf at which the sync ended.

use super::{Log, LogLine, Message, lines};
use crate::controllers::{Branch, LOGS};
use crate::model::Kind;
use crate::world::ObjectRef;

/// What a piece of a log says.
#[derive(Clone, Debug, Default)]
pub struct LogReading {
    /// The syncs, in the order of their first entries. An entry that belongs to no sync is alone.
    pub syncs: Vec<LoggedSync>,
    /// The entries whose messages no modelled component writes, and the lines that are no entries.
    pub unknown: Vec<UnknownLine>,
    /// The places of the syncs to which further entries may belong, one for each component and kind: a worker handles
    /// one object of its kind after another. The sync with the latest entry is the last one.
    open: Vec<usize>,
}

/// The entries of one sync.
#[derive(Clone, Debug)]
pub struct LoggedSync {
    /// What the component of the sync logs.
    pub log: &'static Log,
    /// The object of the sync. It is `None` if no entry names it.
    pub object: Option<ObjectRef>,
    /// The leaves at which the sync may have ended. There is one if the entries tell the leaf.
    pub ends: Vec<Branch>,
    /// The entries, in their order.
    pub lines: Vec<FoundLine>,
    /// The objects that the entries name.
    named: Vec<ObjectRef>,
    /// Whether all entries of the sync are known.
    is_complete: bool,
}

/// An entry whose message a modelled component writes.
#[derive(Clone, Debug)]
pub struct FoundLine {
    /// The number of its line, counted from 1.
    pub number: usize,
    /// The time as the log has it. It is empty if the entry has no time.
    pub time: String,
    /// The messages that the entry can be. Upstream writes some messages in several places.
    pub messages: Vec<&'static Message>,
    /// The object that the entry names first.
    pub object: Option<ObjectRef>,
    /// The leaves of the steps at which the message is written. A leaf at which a sync ends is not among them. It is
    /// empty if the message can also be written without such a step.
    pub steps: Vec<Branch>,
}

impl FoundLine {
    /// Returns upstream's functions that write the message.
    pub fn functions(&self) -> Vec<&'static str> {
        let mut functions: Vec<&'static str> = self.messages.iter().map(|message| message.function).collect();
        functions.dedup();
        functions
    }
}

/// A line whose message no modelled component writes. Its text is not kept, because it may have secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLine {
    /// The number of the line, counted from 1.
    pub number: usize,
    /// The file of the code that wrote the line. It is `None` if the line is not an entry of a log.
    pub file: Option<String>,
}

/// Returns the messages that an entry can be, with the logs in which they are. A component whose file the entry names
/// is preferred, then the component that the key `logger` names.
pub fn identify(line: &LogLine) -> Vec<(&'static Log, &'static Message)> {
    let mut found: Vec<(&'static Log, &'static Message)> = Vec::new();
    for log in LOGS {
        let same = log.messages.iter().filter(|message| message.is(&line.message));
        found.extend(same.map(|message| (log, *message)));
    }
    let logger = line.value("logger");
    for is_better in [(&|log: &Log| log.files.contains(&line.file.as_str())) as &dyn Fn(&Log) -> bool, &|log: &Log| {
        logger == Some(log.component)
    }] {
        if found.iter().any(|(log, _)| is_better(log)) {
            found.retain(|(log, _)| is_better(log));
        }
    }
    // A message without keys that the entry lacks is preferred to one with such keys.
    let lacks = |message: &Message| message.keys.iter().filter(|key| line.value(key).is_none()).count();
    let fewest = found.iter().map(|(_, message)| lacks(message)).min();
    found.retain(|(_, message)| Some(lacks(message)) == fewest);
    found
}

/// Reads a piece of a log.
pub fn read_log(text: &str) -> LogReading {
    let mut reading = LogReading::default();
    for line in lines(text) {
        let line = match line {
            Ok(line) => line,
            Err(number) => {
                reading.unknown.push(UnknownLine { number, file: None });
                continue;
            }
        };
        match identify(&line).as_slice() {
            [] => reading.unknown.push(UnknownLine { number: line.number, file: Some(line.file) }),
            found => reading.take(line, found),
        }
    }
    for sync in &mut reading.syncs {
        sync.settle();
    }
    reading
}

/// Returns the leaves of a message at which a sync ends.
fn ends(log: &Log, message: &Message) -> Vec<Branch> {
    message.leaves().filter(|leaf| (log.ends)(*leaf)).collect()
}

impl LogReading {
    /// Adds an entry to the sync to which it belongs, or to a new one.
    fn take(&mut self, line: LogLine, found: &[(&'static Log, &'static Message)]) {
        let Some((log, message)) = found.first().copied() else { return };
        let named: Vec<ObjectRef> = line.values.iter().filter_map(|(key, value)| (log.names)(key, value)).collect();
        let mut wanted: Vec<Branch> = Vec::new();
        for leaf in found.iter().flat_map(|(log, message)| ends(log, message)) {
            if !wanted.contains(&leaf) {
                wanted.push(leaf);
            }
        }
        let entry = FoundLine {
            number: line.number,
            time: line.time,
            messages: found.iter().map(|(_, message)| *message).collect(),
            object: named.first().cloned(),
            steps: Vec::new(),
        };
        let place = self.sync_of(log, message, &named, &wanted);
        if let Some((at, sync)) = place.and_then(|at| Some((at, self.syncs.get_mut(at)?))) {
            sync.narrow(&wanted);
            sync.lines.push(entry);
            sync.named.extend(named);
            sync.is_complete |= message.last;
            self.open.retain(|open| *open != at);
            self.open.push(at);
            return;
        }
        let object = named.first().cloned().filter(|_| message.begins > 0);
        if let Some(object) = &object {
            let syncs = &mut self.syncs;
            self.open.retain(|at| match syncs.get_mut(*at) {
                Some(sync) if is(sync.log, log) && sync.is_of_kind(object.kind) => {
                    sync.is_complete = true;
                    false
                }
                other => other.is_some(),
            });
            self.open.push(self.syncs.len());
        }
        let lines = vec![entry];
        self.syncs.push(LoggedSync { log, object, ends: wanted, lines, named, is_complete: message.last });
    }

    /// Returns the place of the sync to which an entry belongs. It is the sync of the component with the latest entry
    /// that names an object of this entry, or else with the latest entry at all, if it can end at the leaves of the
    /// entry.
    fn sync_of(&self, log: &Log, message: &Message, named: &[ObjectRef], wanted: &[Branch]) -> Option<usize> {
        let fits = |sync: &LoggedSync| {
            let is_of = sync.object.as_ref().is_some_and(|object| named.first() == Some(object));
            let begun = sync.lines.iter().flat_map(|line| &line.messages).map(|message| message.begins).max();
            let begun = begun.unwrap_or_default();
            is(sync.log, log)
                && (message.begins == 0 || is_of && begun < message.begins)
                && (wanted.is_empty() || wanted.iter().any(|leaf| sync.ends.contains(leaf)))
        };
        let is_named = |sync: &LoggedSync| sync.named.iter().any(|object| named.contains(object));
        let fitting: Vec<usize> =
            self.open.iter().rev().copied().filter(|at| self.syncs.get(*at).is_some_and(fits)).collect();
        let named = fitting.iter().copied().find(|at| self.syncs.get(*at).is_some_and(is_named));
        named.or(fitting.first().copied())
    }
}

/// Returns whether two logs are of the same component.
fn is(log: &Log, other: &Log) -> bool {
    log.component == other.component
}

impl LoggedSync {
    /// Returns whether a sync that ends at the leaf can lack the messages that these entries lack: each function that
    /// always writes a message at the leaf has written one, unless the log leaves out messages of this level.
    fn can_end_at(&self, leaf: Branch) -> bool {
        let written = |function: &str| {
            let messages = self.lines.iter().flat_map(|line| &line.messages);
            messages.into_iter().any(|message| message.always && message.function == function && (message.at)(leaf))
        };
        let level = self.lines.iter().flat_map(|line| &line.messages).map(|message| message.level).max();
        let always = self.log.messages.iter().filter(|message| message.always && (message.at)(leaf));
        let mut shown = always.filter(|message| Some(message.level) <= level);
        shown.all(|message| written(message.function))
    }

    /// Decides at which leaves the sync may have ended, which message each entry is, and at which steps it is written,
    /// when all entries of the sync are known.
    fn settle(&mut self) {
        let begins_first = self.lines.first().is_some_and(|line| line.messages.iter().any(|found| found.begins == 1));
        if self.is_complete && begins_first {
            let possible: Vec<Branch> = self.ends.iter().copied().filter(|leaf| self.can_end_at(*leaf)).collect();
            if !possible.is_empty() {
                self.ends = possible;
            }
        }
        for line in &mut self.lines {
            let fits = |message: &Message| {
                let mut wanted = message.leaves().filter(|leaf| (self.log.ends)(*leaf)).peekable();
                wanted.peek().is_none() || wanted.any(|leaf| self.ends.contains(&leaf))
            };
            if line.messages.iter().any(|message| fits(message)) {
                line.messages.retain(|message| fits(message));
            }
            let steps_of = |message: &Message| -> Vec<Branch> {
                message.leaves().filter(|leaf| !(self.log.ends)(*leaf)).collect()
            };
            let all: Vec<Vec<Branch>> = line.messages.iter().map(|message| steps_of(message)).collect();
            if all.iter().all(|steps| !steps.is_empty()) {
                for leaf in all.into_iter().flatten() {
                    if !line.steps.contains(&leaf) {
                        line.steps.push(leaf);
                    }
                }
            }
        }
    }

    fn is_of_kind(&self, kind: Kind) -> bool {
        self.object.as_ref().is_some_and(|object| object.kind == kind)
    }

    /// Leaves out the ends at which an entry is not written.
    fn narrow(&mut self, wanted: &[Branch]) {
        if self.ends.is_empty() {
            self.ends = wanted.to_vec();
        } else if !wanted.is_empty() {
            self.ends.retain(|leaf| wanted.contains(leaf));
        }
    }
}
