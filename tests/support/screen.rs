//! The program in a terminal. The test reads what the terminal shows, and presses keys.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test waits for the program, and fails by panicking"
)]

use crate::support::BINARY;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use std::io::{Read as _, Write as _};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The keys other than letters.
pub(crate) const DOWN: &str = "\x1b[B";
pub(crate) const UP: &str = "\x1b[A";
pub(crate) const ENTER: &str = "\r";
pub(crate) const ESCAPE: &str = "\x1b";
pub(crate) const CTRL_C: &str = "\x03";

/// The longest time to wait for a text or for the end of the program.
const PATIENCE: Duration = Duration::from_mins(3);

/// A terminal in which the program runs.
pub(crate) struct Screen {
    pty: Arc<Pty>,
    child: Child,
    shown: Arc<Mutex<Vec<u8>>>,
    /// The thread that reads what is shown. It ends when the program has ended and everything was read.
    reader: JoinHandle<()>,
    /// The position in the shown words after the last expected text.
    read: usize,
    _home: TempDir,
}

impl Screen {
    /// Starts the program in a terminal of this width. The program gets these environment variables and those that it
    /// needs.
    pub(crate) fn start(columns: u16, variables: &[(&str, &str)], arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(50, columns)).unwrap();
        let command = Command::new(BINARY).args(arguments).env_clear().current_dir(home.path());
        let command = command.env("HOME", home.path()).env("TERM", "xterm-256color").env("PATH", "/usr/bin:/bin");
        let child = command.envs(variables.iter().copied()).spawn(pts).unwrap();
        let (pty, shown) = (Arc::new(pty), Arc::<Mutex<Vec<u8>>>::default());
        let (reads, writes_down) = (Arc::clone(&pty), Arc::clone(&shown));
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Once the program has ended, reads fail.
            while let Ok(length @ 1..) = (&*reads).read(&mut buffer) {
                writes_down.lock().unwrap().extend_from_slice(&buffer[..length]);
            }
        });
        Self { pty, child, shown, reader, read: 0, _home: home }
    }

    /// Waits until this text is shown after all earlier expected texts. Lines may break between words.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) {
        let begin = Instant::now();
        loop {
            let words = plain(&self.shown.lock().unwrap());
            let new = words.get(self.read..).unwrap_or_default();
            if let Some(at) = new.find(text) {
                self.read += at + text.len();
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "{text:?} was not shown in time; this was shown: {new}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys.
    pub(crate) fn press(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end of the program. Returns the exit code, and everything that was shown, with its escape
    /// sequences.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > PATIENCE {
                self.child.kill().unwrap();
            }
            thread::sleep(Duration::from_millis(20));
        };
        // The reader gets the last output of the program a moment later, and then ends.
        while !self.reader.is_finished() && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(20));
        }
        let shown = self.shown.lock().unwrap();
        (status.code(), String::from_utf8_lossy(&shown).into_owned())
    }
}

/// Returns only the words, without escape sequences, separated by single blanks.
pub(crate) fn plain(shown: &[u8]) -> String {
    let text = String::from_utf8_lossy(shown);
    let mut letters = String::new();
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        if letter != '\x1b' {
            letters.push(letter);
        } else if rest.next() == Some('[') {
            // An escape sequence ends with its first letter.
            _ = rest.find(char::is_ascii_alphabetic);
        }
    }
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}
