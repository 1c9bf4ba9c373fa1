//! The journal of a run, on disk. It records what a repair is about to do and what it has done. Each record is a line
//! of JSON. A line is written and synced before the action that it announces.
//!
//! A journal holds complete objects, which may contain credentials. So only its owner may read it, and it is never
//! printed completely.
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a journal is a file")]

mod disk;

use super::error::{StopKind, Stopped};
use super::record::Record;
use crate::model::{ObjectKey, Timestamp};
use crate::repair::{Done, Origin, Plan, StableHash, Step, Undo};
use disk::{cannot, lock, make_dir, ours, owner_only, private, sync_dir};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of the format. A journal of another version is refused.
const VERSION: u32 = 2;
/// The extension of the file names of journals.
const ENDING: &str = "jsonl";

/// A request that was sent, or was about to be sent.
#[derive(Clone)]
pub(super) struct SentRequest {
    /// The object before the request, if it existed.
    pub(super) before: Option<Value>,
}

/// The progress of a step.
#[derive(Clone, Default)]
struct Progress {
    /// A request that is in doubt.
    doubt: Option<SentRequest>,
    /// The object after the step, and whether the object already was in the state that the step wants.
    done: Option<(Option<Value>, bool)>,
    /// Whether the API server has stored something else than was sent. Such a step is not done, but can be undone.
    altered: bool,
    waited: bool,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The journal has no record of an end: the run is still active, or it was interrupted.
    Open,
    /// The run stopped before the plan was complete.
    Stopped {
        /// The reason, in a sentence without a full stop.
        why: String,
        /// Whether something of the plan was written, or may have been written.
        written: bool,
    },
    /// Something was written, and then the volume was gone or another volume had its name. The plan can neither be
    /// continued nor undone.
    Lost {
        /// The reason, in a sentence without a full stop.
        why: String,
    },
    /// The plan is complete.
    Finished,
}

/// The content of a journal.
#[derive(Clone)]
pub struct Entry {
    /// The id of the journal.
    pub id: String,
    /// The plan.
    pub plan: Plan,
    /// The cluster of the run.
    pub origin: Origin,
    /// The time at which the journal was begun.
    pub at: String,
    /// How the last run ended.
    pub end: End,
    saved: Vec<(ObjectKey, Value)>,
    steps: BTreeMap<u32, Progress>,
    /// Whether Retain was set again on a volume that the plan keeps.
    kept: bool,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Entry").field("id", &self.id).field("end", &self.end).finish_non_exhaustive()
    }
}

impl Entry {
    fn new(id: String, plan: Plan, origin: Origin, at: String) -> Self {
        Self { id, plan, origin, at, end: End::Open, saved: Vec::new(), steps: BTreeMap::new(), kept: false }
    }

    /// Returns the objects as they were before the first write. They may contain credentials.
    pub fn saved(&self) -> &[(ObjectKey, Value)] {
        &self.saved
    }

    /// Returns the steps that were carried out, in order. [`crate::repair::undo`] undoes them.
    pub fn done(&self) -> Vec<Done> {
        let done = |step: &Step| {
            let progress = self.steps.get(&step.id)?;
            match (&step.write, &progress.done) {
                (Some(_), Some((after, was_so))) => {
                    Some(Done { step: step.clone(), after: after.clone(), was_so: *was_so })
                }
                (None, _) if progress.waited => Some(Done { step: step.clone(), after: None, was_so: false }),
                (Some(_), None) | (None, _) => None,
            }
        };
        self.plan.steps.iter().filter_map(done).collect()
    }

    /// Returns the plan with only the steps that are not complete yet, with their ids. A step whose write was carried
    /// out but whose wait is not over becomes a step that only waits.
    pub fn remaining(&self) -> Plan {
        let left = |step: &Step| {
            let progress = self.steps.get(&step.id).cloned().unwrap_or_default();
            let written = step.write.is_none() || (progress.done.is_some() && !progress.altered);
            let waited = step.wait.is_none() || progress.waited;
            match (written, waited) {
                (true, true) => None,
                (true, false) if step.write.is_some() => {
                    Some(Step { write: None, recheck: Vec::new(), undo: Undo::Nothing, ..step.clone() })
                }
                (true | false, _) => Some(step.clone()),
            }
        };
        let steps = self.plan.steps.iter().filter_map(left).collect();
        Plan { steps, ..self.plan.clone() }
    }

    /// Returns the step whose request is in doubt.
    pub fn in_doubt(&self) -> Option<&Step> {
        self.plan.steps.iter().find(|step| self.doubt(step.id).is_some())
    }

    /// Returns whether something was written, or may have been written.
    pub fn written(&self) -> bool {
        let is_written =
            |progress: &Progress| progress.doubt.is_some() || progress.done.as_ref().is_some_and(|(_, was_so)| !was_so);
        self.kept || self.steps.values().any(is_written)
    }

    /// Returns the request of a step, if it is in doubt.
    pub(super) fn doubt(&self, step: u32) -> Option<&SentRequest> {
        self.steps.get(&step)?.doubt.as_ref()
    }

    /// Returns the object after a step.
    pub(super) fn after(&self, step: u32) -> Option<&Value> {
        self.steps.get(&step)?.done.as_ref()?.0.as_ref()
    }

    /// Returns whether no step has begun yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.steps.is_empty()
    }

    fn take(&mut self, record: Record) -> Result<(), String> {
        self.end = End::Open;
        match record {
            Record::Header { .. } => return Err("a second header".to_owned()),
            Record::Saved { object, manifest } => self.saved.push((object, manifest)),
            Record::Intent { step, before, .. } => self.progress(step)?.doubt = Some(SentRequest { before }),
            Record::Done { step, after, was_so } => {
                let progress = self.progress(step)?;
                progress.doubt = None;
                progress.altered = false;
                progress.done = Some((after, was_so));
            }
            Record::Altered { step, after, .. } => {
                let progress = self.progress(step)?;
                progress.doubt = None;
                progress.altered = true;
                progress.done = Some((Some(after), false));
            }
            Record::Refused { step, .. } => self.progress(step)?.doubt = None,
            Record::Waited { step } => self.progress(step)?.waited = true,
            Record::Kept { .. } => self.kept = true,
            Record::Stopped { why, written } => self.end = End::Stopped { why, written },
            Record::Lost { why } => self.end = End::Lost { why },
            Record::Finished {} => self.end = End::Finished,
        }
        Ok(())
    }

    fn progress(&mut self, step: u32) -> Result<&mut Progress, String> {
        if self.plan.steps.iter().any(|known| known.id == step) {
            Ok(self.steps.entry(step).or_default())
        } else {
            Err(format!("the plan has no step {step}"))
        }
    }
}

/// A journal in a list.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The id of the journal.
    pub id: String,
    /// The content of the journal, or why it cannot be read.
    pub entry: Result<Entry, Unread>,
}

/// The reason why a file in the folder of journals cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The reason, in a sentence without a full stop.
    pub why: String,
    /// Whether the file is not a journal: it has neither the name nor the first line of a journal. Then no run has
    /// recorded its writes in this file.
    pub foreign: bool,
}

impl std::fmt::Display for Unread {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.why)
    }
}

/// An open journal. A lock prevents other runs from writing to it.
pub struct Journal {
    entry: Entry,
    path: PathBuf,
    /// The open file. The value is `None` for a rehearsal, which creates no file. It is also `None` after a failed
    /// write, because the last line may be incomplete.
    file: Option<File>,
    rehearsal: bool,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Journal").field("path", &self.path).field("entry", &self.entry).finish_non_exhaustive()
    }
}

impl Journal {
    /// Creates a journal that begins with the plan.
    ///
    /// # Errors
    /// Returns an error if the directory or the file cannot be created.
    pub fn create(dir: &Path, plan: &Plan, origin: impl Into<Origin>, now: Timestamp) -> Result<Self, Stopped> {
        let origin = origin.into();
        let at = now.to_string();
        let time: String = at.chars().filter(|character| !matches!(character, '-' | ':')).collect();
        let base = format!("{time}-{}", plan.id);
        check_id(&base)?;
        make_dir(dir).map_err(|error| cannot("be created", dir, &error))?;
        private(dir)?;
        // The number shows which of several journals from the same second is the newest.
        let first = numbers_of(dir, &time).max().map_or(1, |last| last.saturating_add(1));
        for number in first..first.saturating_add(1000) {
            let id = if number == 1 { base.clone() } else { format!("{base}-{number}") };
            let path = file_of(dir, &id);
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            owner_only(&mut options);
            let file = match options.open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(cannot("be created", &path, &error)),
            };
            lock(&file, &path)?;
            let entry = Entry::new(id.clone(), plan.clone(), origin.clone(), at.clone());
            let mut journal = Self { entry, path, file: Some(file), rehearsal: false };
            let digest = digest_of(plan).map_err(|problem| unusable(&journal.path, &problem))?;
            let plan = Box::new(plan.clone());
            let Origin { server, uid } = origin;
            let header = Record::Header { version: VERSION, id, plan, digest, server, cluster: uid, at };
            let begun = journal.write(&header);
            let begun = begun.and_then(|()| sync_dir(dir).map_err(|error| cannot("be synced", dir, &error)));
            if begun.is_err() {
                // If the file cannot be removed either, it has no complete line. Lists leave out such a file.
                let _ = std::fs::remove_file(&journal.path);
            }
            return begun.map(|()| journal);
        }
        Err(Stopped::refused(format!("the journal directory {} has a thousand journals {base}", dir.display())))
    }

    /// Returns a journal for a rehearsal, in which the server only tries the writes. No file is created.
    pub fn rehearsal(plan: &Plan) -> Self {
        let entry = Entry::new(String::new(), plan.clone(), Origin::default(), String::new());
        Self { entry, path: PathBuf::new(), file: None, rehearsal: true }
    }

    /// Opens a journal to continue it.
    ///
    /// # Errors
    /// Returns an error if the journal does not exist, if somebody else may have written it, if another run uses it, or
    /// if a line cannot be parsed.
    pub fn open(dir: &Path, id: &str) -> Result<Self, Stopped> {
        check_id(id)?;
        let path = file_of(dir, id);
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        let mut file = opened.map_err(|error| missing(dir, id, &path, &error))?;
        ours(dir, &path, &file)?;
        lock(&file, &path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| cannot("be read", &path, &error))?;
        let (entry, whole) = parse(&bytes).map_err(|problem| unusable(&path, &problem))?;
        // Bytes after the last complete line were never a complete record, so no request was sent because of them. If
        // there are no such bytes, the file is not changed. Then its modification time stays the time of its last line.
        let is_torn = usize::try_from(whole) != Ok(bytes.len());
        let cut = if is_torn { file.set_len(whole) } else { Ok(()) };
        cut.and_then(|()| file.seek(SeekFrom::End(0))).map_err(|error| cannot("be written", &path, &error))?;
        Ok(Self { entry, path, file: Some(file), rehearsal: false })
    }

    /// Reads a journal without locking it.
    ///
    /// # Errors
    /// Returns an error if the journal does not exist, or if a line cannot be parsed.
    pub fn read(dir: &Path, id: &str) -> Result<Entry, Stopped> {
        check_id(id)?;
        let path = file_of(dir, id);
        let bytes = std::fs::read(&path).map_err(|error| missing(dir, id, &path, &error))?;
        Ok(parse(&bytes).map_err(|problem| unusable(&path, &problem))?.0)
    }

    /// Returns all journals of a directory, newest first. If a journal cannot be read, the reason is returned instead.
    /// A file without a complete line is left out, because its run has written nothing to the cluster.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read. A directory that does not exist has no journals.
    pub fn list(dir: &Path) -> Result<Vec<Summary>, Stopped> {
        let failed = |error: &std::io::Error| {
            Stopped::unreadable(format!("cannot read the journals in {}", dir.display())).cause(error.to_string())
        };
        let files = match std::fs::read_dir(dir) {
            Ok(files) => files,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&error)),
        };
        let mut all = Vec::new();
        for file in files {
            let path = file.map_err(|error| failed(&error))?.path();
            let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if path.extension().is_some_and(|ending| ending == ENDING) {
                let entry = std::fs::read(&path).map_err(|error| error.to_string());
                if entry.as_ref().is_ok_and(|bytes| !bytes.contains(&b'\n')) {
                    continue;
                }
                let begins = entry.as_ref().is_ok_and(|bytes| is_journal(bytes));
                let entry = entry.and_then(|bytes| Ok(parse(&bytes)?.0));
                let entry = entry.map_err(|why| Unread { why, foreign: !begins && !is_named_so(id) });
                all.push(Summary { id: id.to_owned(), entry });
            }
        }
        all.sort_by(|one, other| order(&other.id).cmp(&order(&one.id)));
        Ok(all)
    }

    /// Returns the content of the journal.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the id of the journal.
    pub fn id(&self) -> &str {
        &self.entry.id
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how long ago the last line was written. The result is None if the operating system does not know the
    /// time.
    pub fn age(&self) -> Option<Duration> {
        self.file.as_ref()?.metadata().ok()?.modified().ok()?.elapsed().ok()
    }

    pub(super) fn is_rehearsal(&self) -> bool {
        self.rehearsal
    }

    /// Records that the plan is complete, if no step remains and no run has recorded this.
    pub(super) fn close(&mut self) -> Result<(), Stopped> {
        if self.entry.end == End::Finished || !self.entry.remaining().steps.is_empty() {
            return Ok(());
        }
        self.add(Record::Finished {})
    }

    /// Adds a record. After a failed write, no further record is added, because the last line may be incomplete.
    pub(super) fn add(&mut self, record: Record) -> Result<(), Stopped> {
        if !self.rehearsal {
            self.write(&record)?;
        }
        self.entry.take(record).map_err(|problem| unusable(&self.path, &problem))
    }

    fn write(&mut self, record: &Record) -> Result<(), Stopped> {
        let failed = |error: &dyn std::fmt::Display| {
            Stopped::refused(format!("the journal {} cannot be written", self.path.display())).cause(error.to_string())
        };
        let Some(mut file) = self.file.take() else { return Err(failed(&"an earlier line could not be written")) };
        let mut line = serde_json::to_vec(record).map_err(|error| failed(&error))?;
        line.push(b'\n');
        file.write_all(&line).and_then(|()| file.sync_data()).map_err(|error| failed(&error))?;
        self.file = Some(file);
        Ok(())
    }
}

/// Parses the complete lines. Returns the content, and the length of the complete lines in bytes.
fn parse(bytes: &[u8]) -> Result<(Entry, u64), String> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut entry: Option<Entry> = None;
    for (number, line) in bytes[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
        let at = |problem: String| format!("line {}: {problem}", number + 1);
        let Some(entry) = &mut entry else {
            entry = Some(first(line).map_err(at)?);
            continue;
        };
        let record: Record = serde_json::from_slice(line).map_err(|error| at(error.to_string()))?;
        entry.take(record).map_err(at)?;
    }
    let entry = entry.ok_or("it has no complete line, so nothing was written to the cluster")?;
    Ok((entry, u64::try_from(whole).unwrap_or(u64::MAX)))
}

fn first(line: &[u8]) -> Result<Entry, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if value["record"] != "header" {
        return Err("a journal begins with a header".to_owned());
    }
    if value["version"] != VERSION {
        return Err(format!("version {} of journals is not known here, only version {VERSION}", value["version"]));
    }
    match serde_json::from_value(value).map_err(|error| error.to_string())? {
        Record::Header { plan, digest, .. } if digest_of(&plan)? != digest => {
            Err("the plan is not the one that was agreed to: somebody has edited it".to_owned())
        }
        Record::Header { id, plan, server, cluster, at, .. } => {
            Ok(Entry::new(id, *plan, Origin { server, uid: cluster }, at))
        }
        _ => Err("a journal begins with a header".to_owned()),
    }
}

/// Returns a hash of a plan. The hash shows whether somebody has edited the plan in the file.
fn digest_of(plan: &Plan) -> Result<String, String> {
    let text = serde_json::to_string(plan).map_err(|error| error.to_string())?;
    Ok(StableHash::default().with(&text).hex())
}

/// Returns whether the first line is the header of a journal. The version of the journal does not matter.
fn is_journal(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<Value>(line).is_ok_and(|value| value["record"] == "header")
}

/// Returns whether a name has the form of a journal's name. If such a file is damaged, its run may have written
/// something.
fn is_named_so(id: &str) -> bool {
    let mut parts = id.split('-');
    let time = parts.next().unwrap_or_default();
    let verb = parts.next().unwrap_or_default();
    let hash = parts.next().unwrap_or_default();
    let is_time = time.ends_with('Z') && time.contains('T') && time.starts_with(|first: char| first.is_ascii_digit());
    let is_verb = !verb.is_empty() && verb.bytes().all(|byte| byte.is_ascii_lowercase());
    is_time && is_verb && hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn file_of(dir: &Path, id: &str) -> PathBuf {
    dir.join(format!("{id}.{ENDING}"))
}

/// Checks that an id can only name a file in the directory, and not a file elsewhere.
fn check_id(id: &str) -> Result<(), Stopped> {
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if plain && !id.is_empty() && id.len() <= 200 {
        return Ok(());
    }
    Err(Stopped::new(StopKind::NoJournal, format!("{id:?} is not the id of a journal"))
        .hint("kubectl pvctl history lists the journals"))
}

fn missing(dir: &Path, id: &str, path: &Path, error: &std::io::Error) -> Stopped {
    if error.kind() == ErrorKind::NotFound {
        return Stopped::new(StopKind::NoJournal, format!("there is no journal {id} in {}", dir.display()))
            .hint("kubectl pvctl history lists the journals; --journal names another directory");
    }
    cannot("be opened", path, error)
}

fn unusable(path: &Path, problem: &str) -> Stopped {
    Stopped::unreadable(format!("the journal {} is not understood", path.display())).cause(problem.to_owned())
}

/// Returns the time at which a journal was begun, its number among the journals from that second, and its whole id. The
/// id of a journal is `TIME-PLAN` or `TIME-PLAN-NUMBER`, and the id of a plan is `VERB-HASH`.
fn order(id: &str) -> (&str, u32, &str) {
    let mut parts = id.split('-');
    let time = parts.next().unwrap_or_default();
    (time, parts.nth(2).and_then(|number| number.parse().ok()).unwrap_or(1), id)
}

/// Returns the numbers of the journals that were begun in one second.
fn numbers_of(dir: &Path, time: &str) -> impl Iterator<Item = u32> {
    // Even if the directory cannot be read, no name is used twice: a file is created only if no file with its name
    // exists.
    std::fs::read_dir(dir).into_iter().flatten().flatten().filter_map(move |file| {
        let path = file.path();
        let (begun, number, _) = order(path.file_stem()?.to_str()?);
        (begun == time && path.extension().is_some_and(|ending| ending == ENDING)).then_some(number)
    })
}
