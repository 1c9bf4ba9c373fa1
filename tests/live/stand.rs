//! The common part of tests that run their own servers. It has the runtime of the servers, the record of their
//! requests, a folder of files, and placeholders for values that differ in each run. When [`TestServers`] is dropped,
//! the servers end.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "the test makes files, looks at how long a run takes, and fails by panicking"
)]

use super::recorder::{Names, Recorder, Sent};
use crate::support::{Finished, Run};
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

pub(super) struct TestServers {
    runtime: Runtime,
    recorder: Recorder,
    folder: tempfile::TempDir,
    places: Vec<(&'static str, String)>,
}

impl TestServers {
    pub(super) fn new() -> Self {
        Self {
            runtime: Runtime::new().unwrap(),
            recorder: Recorder::default(),
            folder: tempfile::tempdir().unwrap(),
            places: Vec::new(),
        }
    }

    /// Runs a future on the runtime of the servers.
    pub(super) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Starts a server that records its requests; see [`Recorder::listen`].
    pub(super) fn listen(
        &self,
        name: &'static str,
        address: &str,
        acceptor: Option<TlsAcceptor>,
        names: Names,
    ) -> SocketAddr {
        self.runtime.block_on(self.recorder.listen(name, address, acceptor, names))
    }

    /// Returns the path of the folder.
    pub(super) fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into the folder, and returns its path.
    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes an executable script into the folder.
    #[cfg(unix)]
    pub(super) fn write_program(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.write(name, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Defines a placeholder: `name` in a text stands for `meant`.
    pub(super) fn name(&mut self, name: &'static str, meant: String) {
        self.places.push((name, meant));
    }

    /// Replaces the placeholders in a text.
    pub(super) fn fill(&self, text: &str) -> String {
        self.places.iter().fold(text.to_owned(), |text, (name, meant)| text.replace(name, meant))
    }

    /// Runs a program to its end. Returns its result, what the servers recorded, and how long it took.
    pub(super) fn run(&self, run: Run) -> (Finished, Sent, Duration) {
        self.recorder.take();
        let begin = Instant::now();
        let finished = run.finish();
        (finished, self.recorder.take(), begin.elapsed())
    }
}

/// Returns a kubeconfig with one context.
pub(super) fn kubeconfig(cluster: &Value, user: &Value) -> String {
    let content = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "c", "user": user}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
    });
    content.to_string()
}
