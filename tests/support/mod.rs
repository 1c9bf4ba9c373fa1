//! Helpers that the tests share. They read the files of the project. They run the program without the environment
//! variables of the person who runs the tests.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    reason = "tests start processes, read the project's files, and fail by panicking"
)]

pub(crate) mod api;
pub(crate) mod faults;
pub(crate) mod screen;
pub(crate) mod worlds;

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The path of the program as cargo built it for the tests.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_kubectl-pvctl");

/// Returns the project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// One run of the program. Its environment has only what is set here: an empty home, 80 columns, no colour.
#[derive(Debug)]
#[must_use = "a run does nothing until `finish`"]
pub(crate) struct Run {
    command: Command,
    input: Vec<u8>,
    home: tempfile::TempDir,
}

/// The result of a run.
#[derive(Debug)]
#[must_use = "look at what came out"]
pub(crate) struct Finished {
    /// The text on stdout.
    pub(crate) stdout: String,
    /// The text on stderr.
    pub(crate) stderr: String,
    /// The exit code, or `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
}

impl Run {
    /// Returns a run of our program with these arguments.
    pub(crate) fn new(arguments: &[&str]) -> Self {
        Self::of(BINARY.as_ref(), arguments)
    }

    /// Returns a run of another program with these arguments.
    pub(crate) fn of(program: &Path, arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir(home.path());
        command.env("HOME", home.path()).env("COLUMNS", "80").env("NO_COLOR", "1").env("PATH", "/usr/bin:/bin");
        Self { command, input: Vec::new(), home }
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the working directory, which is otherwise the empty home.
    pub(crate) fn current_dir(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Sets the input on stdin.
    pub(crate) fn stdin(mut self, input: &[u8]) -> Self {
        self.input = input.to_vec();
        self
    }

    /// Returns the command and its home, for a test that acts while the program runs.
    pub(crate) fn into_command(self) -> (Command, tempfile::TempDir) {
        (self.command, self.home)
    }

    /// Starts the program, waits for its end, and returns the result.
    pub(crate) fn finish(mut self) -> Finished {
        let streams = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        let input = self.input;
        let writer = std::thread::spawn(move || {
            // A program that does not read its stdin may close it.
            _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().expect("the program ends");
        writer.join().expect("the writer ends");
        drop(self.home);
        Finished {
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
            code: output.status.code(),
        }
    }
}

#[cfg(unix)]
#[test]
fn a_run_gets_what_it_is_given_and_nothing_else() {
    let run = Run::of(Path::new("/bin/sh"), &["-c", "cat; env; exit 7"]).stdin(b"given\n").env("ADDED", "yes").finish();
    assert_eq!(run.code, Some(7), "{}", run.stderr);
    let (first, variables) = run.stdout.split_once('\n').expect("several lines");
    assert_eq!(first, "given");
    // Shells set the last three variables by themselves.
    let known = ["HOME", "COLUMNS", "NO_COLOR", "PATH", "ADDED", "PWD", "_", "SHLVL"];
    for variable in variables.lines() {
        let name = variable.split('=').next().unwrap_or_default();
        assert!(known.contains(&name), "the program must not get this variable: {variable}");
    }
}

/// Returns every file below a folder of the project whose name ends in `.extension`, or every file if `extension` is
/// empty. Each has its path from the project's folder, with `/`, and its bytes. They are sorted by path.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(folder)];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if extension.is_empty() || path.extension().is_some_and(|found| found == extension) {
                found.push((project_path(&path), fs::read(&path).expect("a readable file")));
            }
        }
    }
    found.sort();
    found
}

fn project_path(path: &Path) -> String {
    let inside = path.strip_prefix(root()).expect("a path inside the project");
    let parts: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    parts.join("/")
}

/// Returns the content of a text file of the project.
pub(crate) fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Compares the files of a folder with the generated files. The contents must be the same, and there must be no other
/// files. With `UPDATE=1` in the environment, the folder is written first.
pub(crate) fn assert_generated(folder: &str, expected: &[(String, Vec<u8>)]) {
    let directory: PathBuf = root().join(folder);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(&directory).expect("the folder can be made");
        for (path, _) in files(folder, "") {
            if !expected.iter().any(|(name, _)| path == format!("{folder}/{name}")) {
                fs::remove_file(root().join(path)).expect("the old file can go");
            }
        }
        // The files are written in place, so that their modes do not change.
        for (name, content) in expected {
            fs::write(directory.join(name), content).expect("the file can be written");
        }
    }
    let present = files(folder, "");
    let names = |list: &[(String, Vec<u8>)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let mut wanted: Vec<(String, Vec<u8>)> =
        expected.iter().map(|(name, content)| (format!("{folder}/{name}"), content.clone())).collect();
    wanted.sort();
    let way_out = "run `UPDATE=1 cargo test --locked generated` and commit the result";
    assert_eq!(names(&present), names(&wanted), "the folder must have exactly the generated files: {way_out}");
    for ((name, is), (_, should)) in present.iter().zip(&wanted) {
        assert!(is == should, "{name} is not up to date: {way_out}");
    }
}

/// A port of 127.0.0.1 that refuses connections. It stays reserved as long as the value lives, so that no server of
/// another test gets it.
#[derive(Debug)]
pub(crate) struct RefusingPort {
    _bound: tokio::net::TcpSocket,
    /// The address, with the port.
    pub(crate) address: SocketAddr,
}

impl RefusingPort {
    /// Reserves a port. A socket that is bound and does not listen refuses connections.
    pub(crate) fn new() -> Self {
        let bound = tokio::net::TcpSocket::new_v4().expect("a socket");
        bound.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let address = bound.local_addr().expect("a bound socket has an address");
        Self { _bound: bound, address }
    }
}
