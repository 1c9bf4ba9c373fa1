//! Decodes batches on all cores and puts the results together in the order of the input.

use super::super::statement::Statement;
use super::batch::{Batch, Expect, Passed, Sink};
use super::error::{Fault, SourceError};
use super::layout::Covers;
use crate::model::{Kind, List, ObjectKey, Objects, Str, Timestamp};
use crate::snapshot::decode::{self, Failure, size};
use crate::snapshot::{DecodeIssue, Item};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

/// What the decoding of one batch gave.
#[derive(Default)]
pub(super) struct DecodedBatch {
    decoded: Decoded,
    /// Items that state no kind, in a list whose kind comes later.
    unnamed: Vec<(Vec<u8>, u64)>,
    origin: Arc<str>,
    error: Option<SourceError>,
    /// The batch's buffer, to be used again.
    buffer: Vec<u8>,
}

/// What was decoded.
#[derive(Default)]
pub(super) struct Decoded {
    pub(super) objects: Objects,
    pub(super) issues: Vec<DecodeIssue>,
    /// When the objects in question were written last.
    pub(super) changed: Vec<(ObjectKey, Timestamp)>,
    /// How many objects of other kinds there were, by kind.
    pub(super) skipped: BTreeMap<Str, u64>,
}

impl Decoded {
    fn append(&mut self, other: &mut Self) {
        self.objects.append(std::mem::take(&mut other.objects));
        self.issues.append(&mut other.issues);
        self.changed.append(&mut other.changed);
        for (kind, count) in std::mem::take(&mut other.skipped) {
            *self.skipped.entry(kind).or_default() += count;
        }
    }

    /// Notes when the object was written last, if it is the one of which that is asked.
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

/// A manifest may leave the namespace to kubectl, which takes this one unless told otherwise.
const DEFAULT_NAMESPACE: Str = Str::const_new("default");

/// What is asked of each object besides what decisions read.
#[derive(Clone, Copy)]
pub(super) struct DecodeOptions<'a> {
    /// The kind and name of the object of which it is asked when it was written last.
    pub(super) last_change_of: Option<&'a (Kind, String)>,
    /// The kinds of [`Kind::SURROUNDING`] that are read.
    pub(super) surroundings: &'a [Kind],
}

/// Decodes one batch, and looks when the named object was written last.
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

/// What becomes of an item that is too large to be decoded.
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

/// Where batches wait for a worker, and their outcomes for us.
pub(super) struct Workers {
    pub(super) jobs: SyncSender<(u64, Batch)>,
    pub(super) outcomes: Receiver<(u64, DecodedBatch)>,
    /// How many batches may be under way at once.
    pub(super) window: u64,
}

/// One worker: decodes until there is nothing more to come.
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

/// Is sent when it is dropped, so that nobody waits for a worker that panicked.
struct Answer<'a> {
    number: u64,
    outcome: DecodedBatch,
    outcomes: &'a SyncSender<(u64, DecodedBatch)>,
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        // Nobody listens any more after an error, and then nobody misses it.
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
    /// The first error in the order of the input: nothing after it counts.
    failed: Option<SourceError>,
    /// What the file that is being read covers.
    pub(super) covers: Covers,
    /// What the files of a dump hold in full.
    pub(super) complete: Vec<(Kind, Option<String>)>,
    /// What lists say of themselves.
    pub(super) stated: Vec<Statement>,
    /// Of which kinds, and in which namespaces, there are objects in input that says nothing of itself.
    pub(super) held: BTreeSet<(Kind, Option<Str>)>,
    /// How many objects of each kind were looked at for that.
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

    /// Waits until everything that was sent is in.
    ///
    /// # Errors
    ///
    /// The first one in the order of the input.
    pub(super) fn drain(&mut self) -> Result<(), SourceError> {
        while self.failed.is_none() && self.taken < self.sent {
            self.take()?;
        }
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// The objects that came since the last call are of an input that says how complete it is, or of one that does not.
    pub(super) fn look(&mut self, stated: bool) {
        let lists = self.decoded.objects.lists();
        let before = std::mem::replace(&mut self.looked_at, lists.map(List::length));
        if stated {
            return;
        }
        for kind in Kind::listed() {
            let list = lists[kind as usize];
            let mut last = None;
            for meta in (before[kind as usize]..list.length()).map(|at| list.meta(at)) {
                // Most objects stand beside others of their namespace.
                if last != Some(&meta.namespace) {
                    last = Some(&meta.namespace);
                    self.held.insert((kind, kind.namespaced().then(|| meta.namespace.clone())));
                }
            }
        }
    }

    /// Takes one outcome, and puts in what is next in the order of the input.
    fn take(&mut self) -> Result<(), SourceError> {
        let Ok((number, outcome)) = self.workers.outcomes.recv() else {
            // A worker ends before its time only by panicking, which the scope of the threads passes on.
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

    /// Puts in what is next.
    fn put(&mut self, mut outcome: DecodedBatch) -> Result<(), SourceError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let issue = outcome.decoded.issues.first().filter(|_| self.strict);
        let undecodable =
            issue.map(|issue| SourceError::new(issue.origin.clone(), Fault::Undecodable(Box::new(issue.clone()))));
        // A batch ends at its first error, so an object that could not be decoded comes before it.
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
        self.look(false);
        Ok(())
    }

    fn list_end(&mut self, expect: &Expect, stated: Option<Statement>) -> Result<(), SourceError> {
        self.complete.extend(self.covers.of_list(expect));
        self.drain()?;
        for (json, place, origin) in std::mem::take(&mut self.unnamed) {
            let batch = Batch::of_one(json, place, expect.clone(), origin);
            self.put(decode_batch(batch, self.asked))?;
        }
        self.look(stated.is_some());
        self.stated.extend(stated);
        Ok(())
    }
}
