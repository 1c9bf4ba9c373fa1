//! What the real controllers did, replayed: `tests/conformance/README.md` says how it was recorded.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "what cannot be read fails the test")]

use crate::support::root;
use std::path::PathBuf;
use xtask::corpus;
use xtask::judge::Verdict;
use xtask::replay::replay;

fn recorded(wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let files = corpus::files(&root().join("tests/conformance")).unwrap();
    files.into_iter().filter(|path| wanted(&path.file_name().unwrap().to_string_lossy())).collect()
}

fn assert_equal(files: &[PathBuf]) -> Verdict {
    let mut all = Verdict::default();
    for path in files {
        let verdict = replay(path).unwrap();
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
