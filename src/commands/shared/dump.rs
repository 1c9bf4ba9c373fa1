//! Files in place of a cluster. A repair is planned for the objects in the files, and nothing is written.

use crate::error::Error;
use crate::execute::{Journal, Observer, Options, PlanCompletion, ResolvedDoubt, StopKind, Stopped};
use crate::model::{Kind, Lease, ObjectKey, Timestamp};
use crate::ops::gather::{Gathered, Question, from_files};
use crate::ops::{Reader, Writer};
use crate::repair::{Confirmed, Manifests, Origin, Plan, Receipts, Sameness};
use crate::snapshot::Parts;
use crate::source::{FileOptions, FoundLeases, Loaded, Needs, files, manifests};
use crate::terminal::Terminal;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The maximum number of bytes of standard input that are kept. It is twice the size of the largest answer that is
/// accepted from an API server.
const LARGEST_STDIN: usize = 768 << 20;

/// Files that are read like a cluster.
pub(in crate::commands) struct Dump<'a> {
    namespace: &'a str,
    options: FileOptions,
    terminal: &'a Terminal,
    /// The content of standard input. It is kept, because standard input can be read only once, but a plan reads the
    /// objects several times.
    stdin: Mutex<Stdin>,
}

#[derive(Default)]
struct Stdin {
    kept: Vec<u8>,
    is_read: bool,
}

impl<'a> Dump<'a> {
    /// Creates the access to the files. Claims without a namespace are looked up in `namespace`.
    pub(in crate::commands) fn new(namespace: &'a str, options: FileOptions, terminal: &'a Terminal) -> Self {
        Self { namespace, options, terminal, stdin: Mutex::default() }
    }

    /// Calls `read` with standard input. Each call gets the same content.
    fn with_stdin<T>(&self, read: impl FnOnce(&mut dyn Read) -> T) -> T {
        self.terminal.progress().step("reading", 0);
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        if stdin.is_read || !self.options.paths.iter().any(|path| path == Path::new("-")) {
            return read(&mut stdin.kept.as_slice());
        }
        stdin.is_read = true;
        read(&mut Keeping(&mut stdin.kept))
    }

    fn load(&self, options: &FileOptions) -> Result<Loaded, Error> {
        Ok(self.with_stdin(|stdin| files::read_with(options, stdin))?)
    }
}

/// A reader of standard input that keeps everything that it reads.
struct Keeping<'a>(&'a mut Vec<u8>);

impl Read for Keeping<'_> {
    #[expect(clippy::disallowed_methods, reason = "the reader of files reads standard input through this type")]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = io::stdin().read(buffer)?;
        if self.0.len() + count > LARGEST_STDIN {
            return Err(io::Error::other(
                "a plan can use at most 768 MiB of standard input: give the name of a file instead",
            ));
        }
        self.0.extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}

impl Reader for Dump<'_> {
    fn namespace(&self) -> &str {
        self.namespace
    }

    async fn origin(&self) -> Result<Origin, Error> {
        Ok(Origin::default())
    }

    async fn minor(&self) -> Result<u32, Error> {
        let stated = self.load(&self.options)?.kubernetes;
        stated.ok_or_else(|| Error::unreadable("the files do not state the version of their cluster"))
    }

    async fn gather(&self, question: Question<'_>) -> Result<Gathered, Error> {
        from_files(self.load(&question.of_files(self.options.clone()))?, question)
    }

    async fn read(&self, needs: Needs<'_>) -> Result<Parts, Error> {
        let surroundings = needs.surroundings.to_vec();
        Ok(self.load(&FileOptions { surroundings, ..self.options.clone() })?.parts)
    }

    async fn controller_lease(&self) -> Option<(Lease, Timestamp)> {
        // A Lease in the files says nothing about the present. It is read together with the other objects.
        None
    }

    async fn leases_named(&self, names: &[String]) -> FoundLeases {
        FoundLeases { leases: Vec::new(), unread: names.to_vec(), read_at: Timestamp(0) }
    }

    async fn pause(&self, _time: Duration) {}
}

impl Writer for Dump<'_> {
    async fn manifests(&self, keys: &[ObjectKey]) -> Result<Manifests, Stopped> {
        let options = FileOptions { surroundings: Kind::SURROUNDING.to_vec(), ..self.options.clone() };
        let found = self.with_stdin(|stdin| manifests(&options, stdin, keys));
        let found = found.map_err(|error| stopped(StopKind::Unreadable, error.message()))?;
        let mut manifests = Manifests::default();
        for (key, manifest) in found {
            manifests.add(key, manifest);
        }
        Ok(manifests)
    }

    async fn receipts(&self, _plan: &Plan) -> Result<Receipts, Stopped> {
        Ok(Receipts::of_nobody())
    }

    async fn recognise(&self, _journal: &mut Journal, _sameness: Sameness) -> Result<(), Stopped> {
        Err(never_written())
    }

    async fn resolve_doubt(&self, _journal: &mut Journal) -> Result<ResolvedDoubt, Stopped> {
        Err(never_written())
    }

    async fn execute(
        &self,
        _confirmed: Confirmed,
        _journal: &mut Journal,
        _options: &Options,
        _observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped> {
        Err(never_written())
    }

    async fn resume(
        &self,
        _confirmed: Confirmed,
        _journal: &mut Journal,
        _options: &Options,
        _observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped> {
        Err(never_written())
    }
}

fn never_written() -> Stopped {
    stopped(StopKind::Refused, "a plan from files is not carried out: nothing was written".to_owned())
}

fn stopped(kind: StopKind, message: String) -> Stopped {
    Stopped { kind, written: false, volume_lost: false, message, causes: Vec::new(), hints: Vec::new() }
}
