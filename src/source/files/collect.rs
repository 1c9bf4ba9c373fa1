//! Decodes batches on all cores and collects the results in the order of the input.

use super::super::statement::Statement;
use super::batch::{Batch, Expect, Passed, Sink};
use super::error::{Fault, SourceError};
use super::layout::Covers;
use crate::model::{Kind, List, ObjectKey, Objects, Str, Timestamp};
use crate::snapshot::decode::{self, Failure, size};
use crate::snapshot::{DecodeIssue, Item};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

/// The result of decoding one batch.
#[derive(Default)]
pub(super) struct DecodedBatch {
    decoded: Decoded,
    /// The items without a kind, in a list that states its kind after its items.
    unnamed: Vec<(Vec<u8>, u64)>,
    origin: Arc<str>,
    error: Option<SourceError>,
    /// The buffer of the batch, which can be used again.
    buffer: Vec<u8>,
}

/// The decoded objects and the issues.
#[derive(Default)]
pub(super) struct Decoded {
    pub(super) objects: Objects,
    pub(super) issues: Vec<DecodeIssue>,
    /// The times at which the requested objects were changed last.
    pub(super) changed: Vec<(ObjectKey, Timestamp)>,
    /// The number of objects of other kinds, by kind.
    pub(super) skipped: BTreeMap<Str, u64>,
    /// The objects of the kinds in [`DecodeOptions::of_systems`].
    pub(super) of_systems: Vec<Value>,
}

impl Decoded {
    fn append(&mut self, other: &mut Self) {
        self.objects.append(std::mem::take(&mut other.objects));
        self.issues.append(&mut other.issues);
        self.changed.append(&mut other.changed);
        self.of_systems.append(&mut other.of_systems);
        for (kind, count) in std::mem::take(&mut other.skipped) {
            *self.skipped.entry(kind).or_default() += count;
        }
    }

    /// Records the time of the last change of the object, if it is the requested one.
    fn note_change(&mut self, item: &Item, json: &[u8], asked: &(Kind, String)) {
        if let Some((mut key, time)) = decode::change_of(item, json, asked) {
            if key.kind.namespaced() && key.namespace.is_empty() {
                key.namespace = DEFAULT_NAMESPACE;
            }
            self.changed.push((key, time));
        }
    }

    fn add(&mut self, item: Item) {
        match item {
            Item::Object(mut object) => {
                let is_named = !object.kind().namespaced() || !object.meta().namespace.is_empty();
                if !is_named {
                    object.meta_mut().namespace = DEFAULT_NAMESPACE;
                }
                self.objects.push(object);
            }
            Item::Skipped(kind) => *self.skipped.entry(kind).or_default() += 1,
        }
    }
}

/// The namespace of a manifest that does not state a namespace. kubectl uses the same default.
const DEFAULT_NAMESPACE: Str = Str::const_new("default");

/// What is read from each object in addition to what decisions need.
#[derive(Clone, Copy)]
pub(super) struct DecodeOptions<'a> {
    /// The kind and name of the object whose time of last change is needed.
    pub(super) last_change_of: Option<&'a (Kind, String)>,
    /// The kinds of [`Kind::SURROUNDING`] that are read.
    pub(super) surroundings: &'a [Kind],
    /// The kinds of objects that storage systems define and that are kept as JSON.
    pub(super) of_systems: &'a [String],
}

/// Decodes one batch, and finds the time of the last change of the requested object.
fn decode_batch(batch: Batch, asked: DecodeOptions<'_>) -> DecodedBatch {
    let Batch { bytes, items, base, expect, origin, passed } = batch;
    let mut decoded = Decoded::default();
    let mut unnamed = Vec::new();
    let mut error = None;
    for item in items {
        let place = base + item.start as u64;
        let json = &bytes[item];
        let kind = match &expect {
            Expect::Typed(kind) => Some(*kind),
            _ => None,
        };
        let read = if let Expect::Unneeded(kind) = &expect {
            decode::check(json).map(|()| Item::Skipped(kind.clone()))
        } else {
            decode::read_some(kind, json, &origin, asked.surroundings)
        };
        match read {
            Ok(Item::Skipped(kind)) if asked.of_systems.iter().any(|wanted| *wanted == kind) => {
                decoded.of_systems.extend(serde_json::from_slice(json).ok());
            }
            Ok(item) => {
                if let Some(object) = asked.last_change_of {
                    decoded.note_change(&item, json, object);
                }
                decoded.add(item);
            }
            Err(Failure::Issue(issue)) if expect == Expect::Later && issue.kind.is_empty() => {
                unnamed.push((json.to_vec(), place));
            }
            Err(Failure::Issue(issue)) => decoded.issues.push(*issue),
            Err(Failure::Syntax { offset, reason }) => {
                let fault = Fault::Syntax(reason);
                error = Some(SourceError::at_byte(&*origin, fault, place + offset as u64));
                break;
            }
        }
    }
    if let Some(Passed { named, size }) = passed {
        match judge(&expect, named, size, &origin, asked.surroundings) {
            Ok(item) => decoded.add(item),
            Err(issue) => decoded.issues.push(issue),
        }
    }
    DecodedBatch { decoded, unnamed, origin, error, buffer: bytes }
}

/// Returns the result for an item that is too large to be decoded: skipped or an issue.
#[expect(clippy::result_large_err, reason = "an issue is rare, and its callers keep it")]
pub(super) fn judge(
    expect: &Expect,
    named: size::Named,
    bytes: u64,
    origin: &str,
    surroundings: &[Kind],
) -> Result<Item, DecodeIssue> {
    match expect {
        Expect::Unneeded(kind) => Ok(Item::Skipped(kind.clone())),
        Expect::Typed(kind) => size::judge(Some(*kind), named, bytes, origin, surroundings),
        Expect::Stated | Expect::Later => size::judge(None, named, bytes, origin, surroundings),
    }
}

/// The channels to the workers, and from the workers to the collector.
pub(super) struct Workers {
    pub(super) jobs: SyncSender<(u64, Batch)>,
    pub(super) outcomes: Receiver<(u64, DecodedBatch)>,
    /// The largest number of batches that may be under way at the same time.
    pub(super) window: u64,
}

/// Runs one worker, which decodes batches until there are no more.
pub(super) fn work(
    jobs: &Mutex<Receiver<(u64, Batch)>>,
    outcomes: &SyncSender<(u64, DecodedBatch)>,
    asked: DecodeOptions<'_>,
) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, batch)) = job else { return };
        let mut answer = Answer { number, outcome: DecodedBatch::default(), outcomes };
        answer.outcome = decode_batch(batch, asked);
    }
}

/// The answer of a worker. It is sent when it is dropped, so the collector also gets an answer if the worker panicked.
struct Answer<'a> {
    number: u64,
    outcome: DecodedBatch,
    outcomes: &'a SyncSender<(u64, DecodedBatch)>,
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        // After an error the collector may be gone. Then nobody needs the answer.
        let _ = self.outcomes.send((self.number, std::mem::take(&mut self.outcome)));
    }
}

/// Collects what the workers decode.
pub(super) struct Collector<'a> {
    workers: Workers,
    sent: u64,
    taken: u64,
    early: BTreeMap<u64, DecodedBatch>,
    buffers: Vec<Vec<u8>>,
    unnamed: Vec<(Vec<u8>, u64, Arc<str>)>,
    /// Whether an object that cannot be decoded is fatal.
    strict: bool,
    asked: DecodeOptions<'a>,
    /// The first error in the order of the input. Results after this error are ignored.
    failed: Option<SourceError>,
    /// What the current file contains completely.
    pub(super) covers: Covers,
    /// The kinds and namespaces that files of a dump contain completely.
    pub(super) complete: Vec<(Kind, Option<String>)>,
    /// The statements of the lists that were read.
    pub(super) stated: Vec<Statement>,
    /// The kinds and namespaces of the objects in inputs that contain no statement.
    pub(super) held: BTreeSet<(Kind, Option<Str>)>,
    /// The number of objects of each kind at the last call of `record_lists`.
    looked_at: [usize; Kind::COUNT],
    pub(super) decoded: Decoded,
}

impl<'a> Collector<'a> {
    pub(super) fn new(workers: Workers, strict: bool, asked: DecodeOptions<'a>) -> Self {
        Self {
            workers,
            sent: 0,
            taken: 0,
            early: BTreeMap::new(),
            buffers: Vec::new(),
            unnamed: Vec::new(),
            strict,
            asked,
            failed: None,
            covers: Covers::Nothing,
            complete: Vec::new(),
            stated: Vec::new(),
            held: BTreeSet::new(),
            looked_at: [0; Kind::COUNT],
            decoded: Decoded::default(),
        }
    }

    /// Waits until all batches that were sent are decoded and collected.
    ///
    /// # Errors
    ///
    /// Returns the first error in the order of the input.
    pub(super) fn drain(&mut self) -> Result<(), SourceError> {
        while self.failed.is_none() && self.taken < self.sent {
            self.take()?;
        }
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// Records the kinds and namespaces of the objects since the last call. If `stated` is true, the input of these
    /// objects has a statement, and nothing is recorded.
    pub(super) fn record_lists(&mut self, stated: bool) {
        let lists = self.decoded.objects.lists();
        let before = std::mem::replace(&mut self.looked_at, lists.map(List::length));
        if stated {
            return;
        }
        for kind in Kind::listed() {
            let list = lists[kind as usize];
            let mut last = None;
            for meta in (before[kind as usize]..list.length()).map(|at| list.meta(at)) {
                // Most objects have the same namespace as the object before.
                if last != Some(&meta.namespace) {
                    last = Some(&meta.namespace);
                    self.held.insert((kind, kind.namespaced().then(|| meta.namespace.clone())));
                }
            }
        }
    }

    /// Receives one result. Collects the results that are next in the order of the input.
    fn take(&mut self) -> Result<(), SourceError> {
        let Ok((number, outcome)) = self.workers.outcomes.recv() else {
            // A worker ends early only by a panic. The scope of the threads passes the panic on.
            self.taken = self.sent;
            return Ok(());
        };
        self.early.insert(number, outcome);
        while let Some(outcome) = self.early.remove(&self.taken) {
            self.taken += 1;
            self.put(outcome)?;
        }
        Ok(())
    }

    /// Collects the result that is next in the order of the input.
    fn put(&mut self, mut outcome: DecodedBatch) -> Result<(), SourceError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let issue = outcome.decoded.issues.first().filter(|_| self.strict);
        let undecodable =
            issue.map(|issue| SourceError::new(issue.origin.clone(), Fault::Undecodable(Box::new(issue.clone()))));
        // A batch ends at its first error. So an object that could not be decoded is before this error.
        if let Some(error) = undecodable.or(outcome.error) {
            self.failed = Some(error.clone());
            return Err(error);
        }
        self.decoded.append(&mut outcome.decoded);
        let origin = outcome.origin;
        self.unnamed.extend(outcome.unnamed.into_iter().map(|(json, place)| (json, place, Arc::clone(&origin))));
        self.buffers.push(outcome.buffer);
        Ok(())
    }
}

impl Sink for Collector<'_> {
    fn batch(&mut self, batch: Batch) -> Result<Vec<u8>, SourceError> {
        while self.sent - self.taken >= self.workers.window {
            self.take()?;
        }
        if self.workers.jobs.send((self.sent, batch)).is_ok() {
            self.sent += 1;
        }
        Ok(self.buffers.pop().unwrap_or_default())
    }

    fn list_begin(&mut self) -> Result<(), SourceError> {
        self.drain()?;
        self.record_lists(false);
        Ok(())
    }

    fn list_end(&mut self, expect: &Expect, stated: Option<Statement>) -> Result<(), SourceError> {
        self.complete.extend(self.covers.of_list(expect));
        self.drain()?;
        for (json, place, origin) in std::mem::take(&mut self.unnamed) {
            let batch = Batch::of_one(json, place, expect.clone(), origin);
            self.put(decode_batch(batch, self.asked))?;
        }
        self.record_lists(stated.is_some());
        self.stated.extend(stated);
        Ok(())
    }
}
