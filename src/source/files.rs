//! Reads objects from files, directories and standard input.
//!
//! The formats are JSON and YAML, plain or compressed with gzip: single objects, lists, typed lists, several documents
//! in one file, and directories, such as those of `kubectl cluster-info dump` and `oc adm must-gather`. JSON is cut
//! into objects while it is read, and the objects are decoded on all cores. So no file is held in memory as a whole.

mod batch;
mod collect;
mod cut;
mod error;
pub mod input;
mod layout;
pub mod yaml;

pub use error::{Fault, Place, SourceError};

use super::archive::ArchivedObject;
use super::statement::Statement;
use crate::model::{Kind, Objects, Str, Timestamp};
use crate::snapshot::decode::{self, DecodeIssue};
use crate::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts};
use batch::{Batch, Expect, Passed, Sink};
use collect::{Collector, DecodeOptions, Decoded, Workers};
use cut::Cutter;
use input::Format;
use layout::Covers;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};

/// The name of standard input in messages.
const STDIN: &str = "standard input";

/// A kind, in all namespaces or in one namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The kind.
    pub kind: Kind,
    /// The namespace. The value is `None` for all namespaces.
    pub namespace: Option<String>,
}

/// The inputs, and how they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Files and directories in the order in which they are read; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Whether all directories below the given directories are also read.
    pub recursive: bool,
    /// The kinds that the user declares to be complete in the input. An empty list means all kinds.
    pub assume_complete: Option<Vec<Scope>>,
    /// The kinds that the user declares to be incomplete in the input.
    pub partial: Vec<Scope>,
    /// The time for which ages are computed. If it is not given, it is the newest time in the input.
    pub now: Option<Timestamp>,
    /// Whether an object that cannot be decoded is a fatal error.
    pub strict: bool,
    /// The kinds of [`Kind::SURROUNDING`] that are read. The other kinds are skipped.
    pub surroundings: Vec<Kind>,
    /// The kind and name of the volume or claim whose time of last change is needed.
    pub last_change_of: Option<(Kind, String)>,
    /// The kinds of objects that storage systems define and that are needed. Objects of all other kinds are skipped.
    pub of_systems: Vec<String>,
}

/// The numbers of files, bytes and objects that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of files that were read, including standard input.
    pub files: u64,
    /// The number of files in directories that were skipped because of their name or their position in a dump.
    pub skipped_files: u64,
    /// The number of bytes that were read, before decompression.
    pub bytes: u64,
    /// The number of decoded objects of the kinds in [`Kind::ALL`].
    pub objects: u64,
    /// The number of skipped objects of other kinds, by kind.
    pub skipped: BTreeMap<Str, u64>,
}

/// The objects of the input, and the numbers of what was read.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The objects, ready to become a snapshot.
    pub parts: Parts,
    /// The numbers of what was read.
    pub report: Report,
    /// The minor version of Kubernetes that the input states for its cluster.
    pub kubernetes: Option<u32>,
}

/// The objects of the input for a snapshot, in no particular order.
#[derive(Debug, Default)]
pub struct Archived {
    /// The objects, redacted.
    pub objects: Vec<ArchivedObject>,
    /// The objects that could not be decoded. They are kept in the snapshot, as for a cluster, because the reader of
    /// the snapshot has to know about them.
    pub issues: Vec<DecodeIssue>,
    /// The other facts about the reading.
    pub statement: Statement,
}

/// A function that takes the kind of an object, its JSON and the name of its input.
pub type EachRaw<'a> = dyn FnMut(Kind, &[u8], &str) -> ControlFlow<()> + 'a;

/// Reads all inputs.
///
/// Claims and pods without a namespace are assumed to be in `default`, as in kubectl.
///
/// # Errors
///
/// Returns an error if an input cannot be read in full, is not well-formed, or is too large. It is the first error in
/// the order of the input.
pub fn read(options: &FileOptions) -> Result<Loaded, SourceError> {
    read_with(options, &mut stdin())
}

/// Does the same as [`read`], with another standard input.
///
/// # Errors
///
/// Returns the same errors as [`read`].
pub fn read_with(options: &FileOptions, stdin: &mut dyn Read) -> Result<Loaded, SourceError> {
    let (inputs, skipped_files) = inputs(options)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let window = cores * 2 + 1;
    let (jobs, waiting) = mpsc::sync_channel(window);
    let (done, outcomes) = mpsc::sync_channel(window);
    let waiting = Mutex::new(waiting);
    let mut report = Report { skipped_files, ..Report::default() };
    let asked = DecodeOptions {
        last_change_of: options.last_change_of.as_ref(),
        surroundings: &options.surroundings,
        of_systems: &options.of_systems,
    };
    let collected = std::thread::scope(|scope| {
        for _ in 0..cores {
            let (waiting, done) = (&waiting, done.clone());
            scope.spawn(move || collect::work(waiting, &done, asked));
        }
        drop(done);
        let workers = Workers { jobs, outcomes, window: window as u64 };
        let mut collector = Collector::new(workers, options.strict, asked);
        for input in &inputs {
            collector.covers = input.covers.clone();
            let read = read_input(input, stdin, &mut collector);
            // The objects before the failure have to be decoded first, because one of them may have the first error.
            collector.drain()?;
            report.bytes += read?;
            report.files += 1;
            collector.record_lists(false);
            if let Covers::Kind(kind, namespace) = &input.covers {
                collector.complete.push((*kind, namespace.clone()));
            }
        }
        let Collector { decoded, complete, stated, held, .. } = collector;
        Ok((decoded, Known { complete, held, stated: Statement::of_all(&stated), passed: Vec::new() }))
    });
    let (decoded, known) = collected.map_err(|error| with_line(error, &inputs))?;
    let lists = decoded.objects.lists();
    report.objects = Kind::ALL.iter().map(|kind| lists[*kind as usize].length() as u64).sum();
    let Decoded { objects, issues, changed, skipped, of_systems } = decoded;
    report.skipped = skipped;
    let coverage = known.coverage(&issues, options);
    let stated = options.now.or(known.stated.now);
    let (now, now_is_stated) = (stated.or_else(|| newest(&objects)), stated.is_some());
    let deleted = Vec::new();
    let parts = Parts { objects, coverage, now, now_is_stated, issues, changed, deleted, of_systems };
    Ok(Loaded { parts, report, kubernetes: known.stated.kubernetes })
}

/// Reads all inputs for a snapshot. The result has the same objects as [`read`], but redacted. It also has everything
/// else that `read` would find out about them.
///
/// # Errors
///
/// Returns the same errors as [`read`]. An object whose kind cannot be read is a fatal error here.
pub fn archive(options: &FileOptions) -> Result<Archived, SourceError> {
    archive_with(options, &mut stdin())
}

/// Does the same as [`archive`], with another standard input.
///
/// # Errors
///
/// Returns the same errors as [`archive`].
pub fn archive_with(options: &FileOptions, stdin: &mut dyn Read) -> Result<Archived, SourceError> {
    let (mut objects, mut issues) = (Vec::new(), Vec::new());
    let known = raw(options, stdin, &mut |kind, json, origin| {
        issues.extend(decode::decode_as(kind, json, origin).err());
        objects.extend(ArchivedObject::new(kind, json));
        ControlFlow::Continue(())
    })?;
    issues.extend_from_slice(&known.passed);
    let statement = Statement {
        coverage: known.coverage(&issues, options),
        // The newest time in the objects is not stored, because it is not the time of a reading. A reader of the
        // snapshot finds it in the objects again.
        now: options.now.or(known.stated.now),
        kubernetes: known.stated.kubernetes,
    };
    Ok(Archived { objects, issues, statement })
}

/// Passes each object of the kinds that are read, and the Lease of kube-controller-manager, to `each` as JSON.
///
/// The objects are passed in the order of the input, until `each` breaks. If a list states its kind after its items,
/// items without a kind are passed at the end of the list. The bytes are well-formed JSON: either bytes of the input,
/// or JSON made from YAML.
///
/// # Errors
///
/// Returns the same errors as [`read`]. An object whose kind cannot be read, or that is too large to be held, is a
/// fatal error here.
pub fn each_raw(options: &FileOptions, each: &mut EachRaw<'_>) -> Result<(), SourceError> {
    each_raw_with(options, &mut stdin(), each)
}

/// Does the same as [`each_raw`], with another standard input.
///
/// # Errors
///
/// Returns the same errors as [`each_raw`].
pub fn each_raw_with(options: &FileOptions, stdin: &mut dyn Read, each: &mut EachRaw<'_>) -> Result<(), SourceError> {
    match raw(options, stdin, each)?.passed.into_iter().next() {
        Some(issue) => Err(SourceError::new(issue.origin.clone(), Fault::Undecodable(Box::new(issue)))),
        None => Ok(()),
    }
}

/// Passes each object to `each`, and returns what is known about all of them.
fn raw(options: &FileOptions, stdin: &mut dyn Read, each: &mut EachRaw<'_>) -> Result<Known, SourceError> {
    let (inputs, _) = inputs(options)?;
    let mut raw = Raw {
        each,
        unnamed: Vec::new(),
        stopped: false,
        covers: Covers::Nothing,
        known: Known::default(),
        stated: Vec::new(),
        recent: BTreeSet::new(),
    };
    for input in &inputs {
        raw.covers = input.covers.clone();
        let read = read_input(input, stdin, &mut raw);
        if raw.stopped {
            break;
        }
        read.map_err(|error| with_line(error, &inputs))?;
        raw.known.held.append(&mut raw.recent);
        if let Covers::Kind(kind, namespace) = &input.covers {
            raw.known.complete.push((*kind, namespace.clone()));
        }
    }
    raw.known.stated = Statement::of_all(&raw.stated);
    Ok(raw.known)
}

/// Passes objects to `each` without decoding them.
struct Raw<'a> {
    each: &'a mut EachRaw<'a>,
    unnamed: Vec<(Vec<u8>, Arc<str>)>,
    stopped: bool,
    /// What the current file contains completely.
    covers: Covers,
    known: Known,
    /// The statements of the lists that were read.
    stated: Vec<Statement>,
    /// The kinds and namespaces of the objects since the last list.
    recent: BTreeSet<(Kind, Option<Str>)>,
}

impl Raw<'_> {
    fn hand(&mut self, kind: Kind, json: &[u8], origin: &str) -> Result<(), SourceError> {
        // Only one Lease is read, and only Events about volumes and claims.
        let of_few = matches!(kind, Kind::Lease | Kind::Event);
        if of_few && matches!(decode::read(Some(kind), json, origin), Ok(Item::Skipped(_))) {
            return Ok(());
        }
        // An object that cannot be decoded makes its kind partial. In this case it does not matter which namespace is
        // recorded here.
        if kind != Kind::Lease {
            let namespace = kind.namespaced().then(|| namespace_of(json));
            self.recent.insert((kind, namespace));
        }
        if (self.each)(kind, json, origin).is_break() {
            self.stopped = true;
            // This error only ends the reading. The caller sees in the field `stopped` that it is no failure.
            return Err(SourceError::new(origin, Fault::Truncated));
        }
        Ok(())
    }
}

impl Sink for Raw<'_> {
    fn batch(&mut self, batch: Batch) -> Result<Vec<u8>, SourceError> {
        let Batch { bytes, items, base, expect, origin, passed } = batch;
        for item in items {
            let place = base + item.start as u64;
            let json = &bytes[item];
            if let Err(decode::Failure::Syntax { offset, reason }) = decode::check(json) {
                return Err(SourceError::at_byte(&*origin, Fault::Syntax(reason), place + offset as u64));
            }
            let kind = match &expect {
                Expect::Typed(kind) => Some(*kind),
                Expect::Unneeded(_) => None,
                Expect::Stated | Expect::Later => match decode::header(json, &origin) {
                    Ok(header) => header.known(),
                    Err(decode::Failure::Issue(issue)) if expect == Expect::Later && issue.value.is_empty() => {
                        self.unnamed.push((json.to_vec(), Arc::clone(&origin)));
                        None
                    }
                    Err(decode::Failure::Issue(issue)) => {
                        return Err(SourceError::new(&*origin, Fault::Undecodable(issue)));
                    }
                    Err(decode::Failure::Syntax { offset, reason }) => {
                        return Err(SourceError::at_byte(&*origin, Fault::Syntax(reason), place + offset as u64));
                    }
                },
            };
            if let Some(kind) = kind {
                self.hand(kind, json, &origin)?;
            }
        }
        if let Some(Passed { named, size }) = passed {
            self.known.passed.extend(collect::judge(&expect, named, size, &origin, &Kind::SURROUNDING).err());
        }
        Ok(bytes)
    }

    fn list_begin(&mut self) -> Result<(), SourceError> {
        self.known.held.append(&mut self.recent);
        Ok(())
    }

    fn list_end(&mut self, expect: &Expect, stated: Option<Statement>) -> Result<(), SourceError> {
        for (json, origin) in std::mem::take(&mut self.unnamed) {
            match expect {
                Expect::Typed(kind) => self.hand(*kind, &json, &origin)?,
                Expect::Unneeded(_) => {}
                Expect::Stated | Expect::Later => {
                    let batch = Batch::of_one(json, 0, Expect::Stated, origin);
                    self.batch(batch)?;
                }
            }
        }
        self.known.complete.extend(self.covers.of_list(expect));
        let mut recent = std::mem::take(&mut self.recent);
        if stated.is_none() {
            self.known.held.append(&mut recent);
        }
        self.stated.extend(stated);
        Ok(())
    }
}

/// One file, or standard input.
struct Named {
    path: Option<PathBuf>,
    origin: Arc<str>,
    covers: Covers,
}

/// Returns the files that the options name, and the number of skipped files.
#[expect(clippy::disallowed_methods, reason = "this module distinguishes files from directories")]
fn inputs(options: &FileOptions) -> Result<(Vec<Named>, u64), SourceError> {
    let mut inputs: Vec<Named> = Vec::new();
    let mut skipped = 0;
    for path in &options.paths {
        if path.as_os_str() == "-" {
            if inputs.iter().any(|input| input.path.is_none()) {
                return Err(SourceError::new(STDIN, Fault::StdinTwice));
            }
            inputs.push(Named { path: None, origin: STDIN.into(), covers: Covers::Nothing });
            continue;
        }
        let unreadable = |error: io::Error| input::read_error(&path.display().to_string(), &error, 0);
        let named = |path: PathBuf, covers| {
            let origin = path.display().to_string().into();
            Named { path: Some(path), origin, covers }
        };
        if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
            let (found, others) = layout::find(path, options.recursive, &options.surroundings)?;
            skipped += others;
            inputs.extend(found.into_iter().map(|found| named(found.path, found.covers)));
        } else {
            inputs.push(named(path.clone(), Covers::Nothing));
        }
    }
    Ok((inputs, skipped))
}

/// Cuts one input into batches for the sink. Returns the number of its bytes.
fn read_input(named: &Named, stdin: &mut dyn Read, sink: &mut dyn Sink) -> Result<u64, SourceError> {
    let origin = &named.origin;
    let raw: Box<dyn Read + '_> = match &named.path {
        Some(path) => Box::new(open(path).map_err(|error| input::read_error(origin, &error, 0))?),
        None => Box::new(stdin),
    };
    let mut input = input::prepare(origin, raw, input::LARGEST_EXPANSION)?;
    match input.format {
        Format::Json => {
            Cutter::new(&mut input.reader, sink, Arc::clone(origin), input.skipped).run()?;
        }
        Format::Yaml => yaml_documents(&mut input.reader, sink, origin)?,
    }
    Ok(input.bytes.get())
}

fn yaml_documents(reader: &mut dyn Read, sink: &mut dyn Sink, origin: &Arc<str>) -> Result<(), SourceError> {
    let read = yaml::documents(reader, |json| {
        if let Some(found) = not_an_object(&json) {
            return Err(SourceError::new(&**origin, Fault::NotObjects(found)));
        }
        Cutter::new(&mut json.as_slice(), sink, Arc::clone(origin), 0).run().map_err(|error| {
            // A position in JSON that was made from YAML would be useless to the user.
            SourceError { place: Place::default(), ..error }
        })
    });
    read.unwrap_or_else(|error| {
        let place = Place { byte: None, line: error.line, column: error.column };
        Err(SourceError { path: origin.to_string(), fault: Fault::Syntax(error.reason), place })
    })
}

/// Returns a description of the JSON value, if the value cannot contain an object.
fn not_an_object(json: &[u8]) -> Option<&'static str> {
    match json.first() {
        Some(b'{' | b'[') => None,
        Some(b'"') => Some("a text"),
        Some(b't' | b'f') => Some("true or false"),
        _ => Some("a number"),
    }
}

#[expect(clippy::disallowed_types, reason = "this module opens files")]
fn open(path: &Path) -> io::Result<std::fs::File> {
    std::fs::File::open(path)
}

#[expect(clippy::disallowed_methods, reason = "this module reads standard input")]
fn stdin() -> impl Read {
    io::stdin()
}

/// Adds the line to the position of an error that has only a byte, if the file can be read again.
#[expect(clippy::disallowed_methods, reason = "only a regular file can be read twice")]
fn with_line(mut error: SourceError, inputs: &[Named]) -> SourceError {
    let Some(byte) = error.place.byte else { return error };
    let Some(path) = inputs.iter().find(|input| *input.origin == *error.path).and_then(|input| input.path.as_ref())
    else {
        return error;
    };
    if std::fs::metadata(path).is_ok_and(|file| file.is_file()) {
        error.place.line = line_of(path, &error.path, byte);
    }
    error
}

fn line_of(path: &Path, origin: &str, byte: u64) -> Option<u64> {
    let input = input::prepare(origin, open(path).ok()?, input::LARGEST_EXPANSION).ok()?;
    let mut reader = input.reader.take(byte.saturating_sub(input.skipped));
    let mut chunk = vec![0; 1 << 16];
    let mut lines = 1;
    loop {
        match reader.read(&mut chunk) {
            Ok(0) | Err(_) => return Some(lines),
            Ok(count) => lines += memchr::memchr_iter(b'\n', &chunk[..count]).count() as u64,
        }
    }
}

/// Returns the newest time in the objects. The renewal time of the Lease is ignored, because otherwise the Lease would
/// always seem fresh. Times that only `explain` reads are ignored, so that all commands have the same time.
fn newest(objects: &Objects) -> Option<Timestamp> {
    let lists = objects.lists();
    let metas = lists.iter().flat_map(|list| (0..list.length()).map(|at| list.meta(at)));
    let changed = objects.volumes.iter().filter_map(|volume| volume.status.last_phase_transition);
    let seen = objects.events.iter().filter_map(|event| event.last_seen);
    metas.filter_map(|meta| meta.created.max(meta.deleted)).chain(changed).chain(seen).max()
}

/// What is known about an input besides its objects.
#[derive(Default)]
struct Known {
    /// The kinds and namespaces that files of a dump contain completely.
    complete: Vec<(Kind, Option<String>)>,
    /// The kinds and namespaces of the objects in inputs that contain no statement.
    held: BTreeSet<(Kind, Option<Str>)>,
    /// The merged statement of the snapshots.
    stated: Statement,
    /// The objects that were not passed on, because they are too large.
    passed: Vec<DecodeIssue>,
}

impl Known {
    /// Returns the coverage of the input.
    ///
    /// A kind is complete only in three cases: the input has objects of that kind, a dump or a snapshot says that the
    /// kind is complete, or the user declared it. But an object that could not be decoded always makes its kind
    /// partial.
    fn coverage(&self, issues: &[DecodeIssue], options: &FileOptions) -> Coverage {
        let mut coverage = Coverage::default();
        for kind in Kind::ALL {
            coverage.set(CoverageEntry::new(kind, None, CoverageState::Assumed));
        }
        for kind in &options.surroundings {
            // An input has these kinds only if somebody added them on purpose. So an input without them does not prove
            // that the cluster has none.
            let reason = Some("the input holds none of them".to_owned());
            let entry = CoverageEntry::new(*kind, None, CoverageState::Partial);
            coverage.set(CoverageEntry { reason, ..entry });
        }
        for (kind, namespace) in &self.held {
            // If a snapshot says that it does not have all objects of a kind, a file with more objects does not make
            // the kind complete.
            let place = namespace.as_deref().unwrap_or_default();
            if self.stated.coverage.state(*kind, place) == CoverageState::Assumed {
                coverage.set(CoverageEntry::new(*kind, namespace.clone(), CoverageState::Complete));
            }
        }
        let alone = self.held.is_empty() && self.complete.is_empty();
        let is_asked = |kind: Kind| kind.is_asked(&options.surroundings);
        for entry in self.stated.coverage.entries().iter().filter(|entry| is_asked(entry.kind)) {
            // An object that a snapshot did not find by its name may exist in newer files.
            let absent = if alone { entry.absent.clone() } else { BTreeSet::new() };
            coverage.set(CoverageEntry { absent, ..entry.clone() });
        }
        let mut full = |kind: Kind, namespace: Option<&str>| {
            let (namespace, state) = (namespace.map(Str::new), CoverageState::Complete);
            if namespace.is_none() {
                coverage.forget(kind, |state| state != CoverageState::Complete);
            }
            coverage.set(CoverageEntry::new(kind, namespace, state));
        };
        for (kind, namespace) in self.complete.iter().filter(|(kind, _)| is_asked(*kind)) {
            full(*kind, namespace.as_deref());
        }
        match options.assume_complete.as_deref() {
            Some([]) => Kind::ALL.into_iter().for_each(|kind| full(kind, None)),
            Some(scopes) => scopes.iter().for_each(|scope| full(scope.kind, scope.namespace.as_deref())),
            None => {}
        }
        for scope in &options.partial {
            coverage.set_partial(
                scope.kind,
                scope.namespace.as_deref().map(Str::new),
                "declared to be partial".to_owned(),
            );
        }
        coverage.doubt(issues);
        coverage
    }
}

/// Returns the namespace that an object states, otherwise `default`.
fn namespace_of(json: &[u8]) -> Str {
    #[derive(serde::Deserialize)]
    struct Object {
        #[serde(default)]
        metadata: Metadata,
    }
    #[derive(Default, serde::Deserialize)]
    struct Metadata {
        #[serde(default)]
        namespace: Str,
    }
    let found = serde_json::from_slice::<Object>(json).map(|object| object.metadata.namespace).unwrap_or_default();
    if found.is_empty() { Str::const_new("default") } else { found }
}
