//! Reads a piece of a log: which component wrote each entry, in which of its functions, and at which leaves. The
//! entries of one sync are put together, because together they tell the leaf at which the sync ended.

use super::{EVENT, Log, LogLine, Message, Named, lines};
use crate::controllers::{Branch, LOGS};
use crate::model::{Kind, Str};
use crate::world::ObjectRef;
use std::collections::BTreeMap;

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
    /// The objects that the entry names, in the order in which it names them.
    pub objects: Vec<ObjectRef>,
    /// The unique names of volumes in the entry, if no entry of the log tells their PersistentVolumes.
    pub volumes: Vec<Str>,
    /// The uids of pods in the entry, if no entry of the log tells their names.
    pub pod_uids: Vec<Str>,
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
        let same = log.messages.iter().copied().flatten().filter(|message| message.is(line));
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
    // So is a message that says more than another one.
    let most = found.iter().map(|(_, message)| message.weight()).max();
    found.retain(|(_, message)| Some(message.weight()) == most);
    found
}

/// Several components write some messages. A log is usually of one process, so the component is taken that writes most
/// of the other entries.
fn of_one_component(entries: &mut [(LogLine, Vec<(&'static Log, &'static Message)>)]) {
    let mut certain: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, found) in &*entries {
        if let Some((first, _)) = found.first()
            && found.iter().all(|(log, _)| is(log, first))
        {
            *certain.entry(first.component).or_default() += 1;
        }
    }
    for (_, found) in entries {
        let number = |log: &Log| certain.get(log.component).copied().unwrap_or_default();
        let most = found.iter().map(|(log, _)| number(log)).max();
        let likely = found.iter().find(|(log, _)| Some(number(log)) == most).map(|(log, _)| *log);
        found.retain(|(log, _)| likely.is_some_and(|likely| is(log, likely)));
    }
}

/// What entries tell about the names in other entries.
#[derive(Debug, Default)]
struct Links {
    /// The PersistentVolumes, by the unique names of the volumes.
    volumes: BTreeMap<Str, ObjectRef>,
    /// The pods, by their uids.
    pods: BTreeMap<Str, ObjectRef>,
}

impl Links {
    /// An entry that names one volume in two ways says that both are the same. So does one that names one pod in two
    /// ways.
    fn learn(&mut self, named: &[Named]) {
        let only = |kind: Kind| {
            let mut objects = named.iter().filter_map(|named| match named {
                Named::Object(object) if object.kind == kind => Some(object),
                _ => None,
            });
            objects.next().filter(|_| objects.next().is_none()).cloned()
        };
        let mut volumes = named.iter().filter_map(|named| match named {
            Named::Volume(name) => Some(name),
            _ => None,
        });
        if let (Some(name), None, Some(object)) = (volumes.next(), volumes.next(), only(Kind::PersistentVolume)) {
            self.volumes.insert(name.clone(), object);
        }
        let mut pods = named.iter().filter_map(|named| match named {
            Named::PodUid(uid) => Some(uid),
            _ => None,
        });
        if let (Some(uid), None, Some(object)) = (pods.next(), pods.next(), only(Kind::Pod)) {
            self.pods.insert(uid.clone(), object);
        }
    }
}

/// Reads a piece of a log.
pub fn read_log(text: &str) -> LogReading {
    let mut reading = LogReading::default();
    let mut entries = Vec::new();
    for line in lines(text) {
        match line {
            Ok(line) => {
                let found = identify(&line);
                if found.is_empty() {
                    reading.unknown.push(UnknownLine { number: line.number, file: Some(line.file) });
                } else {
                    entries.push((line, found));
                }
            }
            Err(number) => reading.unknown.push(UnknownLine { number, file: None }),
        }
    }
    of_one_component(&mut entries);
    let mut links = Links::default();
    for (line, found) in entries {
        reading.take(line, &found, &mut links);
    }
    for sync in &mut reading.syncs {
        sync.settle();
        for line in &mut sync.lines {
            line.link(&links);
        }
    }
    reading
}

impl FoundLine {
    /// Replaces names by the objects that other entries tell.
    fn link(&mut self, links: &Links) {
        let mut known = Vec::new();
        self.volumes.retain(|name| links.volumes.get(name).map(|object| known.push(object.clone())).is_none());
        self.pod_uids.retain(|uid| links.pods.get(uid).map(|object| known.push(object.clone())).is_none());
        for object in known {
            if !self.objects.contains(&object) {
                self.objects.push(object);
            }
        }
    }
}

/// Returns the leaves of a message at which a sync ends.
fn ends(log: &Log, message: &Message) -> Vec<Branch> {
    message.leaves().filter(|leaf| (log.ends)(*leaf)).collect()
}

impl LogReading {
    /// Adds an entry to the sync to which it belongs, or to a new one.
    fn take(&mut self, line: LogLine, found: &[(&'static Log, &'static Message)], links: &mut Links) {
        let Some((log, message)) = found.first().copied() else { return };
        let values = message.values(&line);
        let about = if message.text == EVENT { Named::about(&values) } else { None };
        let all: Vec<Named> = about.into_iter().chain((log.names)(&values)).collect();
        links.learn(&all);
        let (mut named, mut volumes, mut pod_uids) = (Vec::new(), Vec::new(), Vec::new());
        for one in all {
            match one {
                Named::Object(object) if !named.contains(&object) => named.push(object),
                Named::Volume(name) if !volumes.contains(&name) => volumes.push(name),
                Named::PodUid(uid) if !pod_uids.contains(&uid) => pod_uids.push(uid),
                Named::Object(_) | Named::Volume(_) | Named::PodUid(_) => {}
            }
        }
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
            objects: named.clone(),
            volumes,
            pod_uids,
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
        let always = self.log.messages.iter().copied().flatten().filter(|message| message.always && (message.at)(leaf));
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
