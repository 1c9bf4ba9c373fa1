//! What the real controllers did, replayed: `tests/conformance/README.md` says how it was recorded.
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "what cannot be read fails the test")]

use crate::support::root;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use xtask::corpus;
use xtask::judge::{Verdict, judge};
use xtask::line::Line;

fn recorded(wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let files = corpus::files(&root().join("tests/conformance")).unwrap();
    files.into_iter().filter(|path| wanted(&path.file_name().unwrap().to_string_lossy())).collect()
}

/// Judges all lines of a file, on all cores.
fn replay(path: &Path) -> Verdict {
    let rules = corpus::rules_of(path).unwrap();
    let lines: Vec<Line> = corpus::lines(path).unwrap().map(Result::unwrap).collect();
    assert!(!lines.is_empty(), "{} is empty", path.display());
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut all = Verdict::default();
    thread::scope(|scope| {
        let work = || {
            let mut own = Verdict::default();
            while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut verdict = judge(line, &rules).unwrap_or_else(|error| panic!("{}: {error:#}", line.id));
                for difference in &mut verdict.differences {
                    difference.part = format!("{}, {}", line.id, difference.part);
                }
                own.add(verdict);
            }
            own
        };
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            all.add(worker.join().unwrap());
        }
    });
    all
}

fn assert_equal(files: &[PathBuf]) -> Verdict {
    let mut all = Verdict::default();
    for path in files {
        let verdict = replay(path);
        assert!(
            verdict.differences.is_empty(),
            "{}: {} differences\n{}",
            path.display(),
            verdict.differences.len(),
            verdict.differences.iter().map(ToString::to_string).collect::<String>()
        );
        all.add(verdict);
    }
    all
}

#[test]
fn every_recorded_decision_is_predicted() {
    let all = assert_equal(&recorded(|name| !name.starts_with("outcomes")));
    assert!(all.decisions > 1500, "only {} sets of decisions were compared", all.decisions);
}

#[test]
fn every_recorded_end_state_is_predicted() {
    let all = assert_equal(&recorded(|name| name.starts_with("outcomes")));
    assert!(all.ends > 500, "only {} sets of end states were compared", all.ends);
    assert_eq!(all.exact, all.ends, "small components are explored exactly");
    eprintln!("{} sets of end states, {} members, of which {} were seen", all.ends, all.members, all.seen);
}

#[test]
fn all_recordings_together_stay_small() {
    let bytes: u64 = recorded(|_| true).iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(bytes < 6 << 20, "{bytes} bytes are recorded");
}
