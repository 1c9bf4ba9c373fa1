//! What the real controllers did, replayed: `tests/conformance/README.md` says how it was recorded.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be read fails the test")]

use crate::support::root;
use serde_json::{Value, json};
use std::path::PathBuf;
use xtask::corpus;
use xtask::judge::{Verdict, judge};
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
    let counts = assert_equal(&recorded(|name| !name.starts_with("outcomes"))).counts;
    assert!(counts.decisions > 3000, "only {counts} were compared");
    // What the API server refuses to store is left out; that must stay the exception.
    assert!(counts.refused * 50 < counts.decisions, "{counts}");
}

#[test]
fn every_recorded_end_state_is_predicted() {
    let counts = assert_equal(&recorded(|name| name.starts_with("outcomes"))).counts;
    assert!(counts.ends > 500, "only {counts} were compared");
    assert_eq!(counts.exact, counts.ends, "small components are explored exactly");
    assert!(counts.refused * 20 < counts.ends, "{counts}");
    // The recordings are samples, in which a rare end can be missing.
    assert!((counts.members - counts.seen) * 100 < counts.members, "{counts}");
}

/// The judge sees each kind of difference.
#[test]
fn a_wrong_answer_is_a_difference() {
    let changed = |path: &str, pointer: &str, value: Value| {
        let file = recorded(|name| name.starts_with(path)).remove(0);
        let rules = corpus::rules_of(&file).unwrap();
        for line in corpus::lines(&file).unwrap() {
            let mut line = line.unwrap();
            let whole = judge(&line, &rules).unwrap();
            let mut answers = serde_json::to_value(&line).unwrap();
            let Some(place) = answers.pointer_mut(pointer) else { continue };
            if whole.counts.refused > 0 || *place == value {
                continue;
            }
            *place = value;
            line = serde_json::from_value(answers).unwrap();
            let found = judge(&line, &rules).unwrap().differences;
            assert_eq!(found.len(), 1, "{}: {pointer}", line.id);
            return;
        }
        panic!("no line of {path} has {pointer}");
    };
    changed("decisions-1.36", "/decisions/0/decisions/0/writes/0/patch", json!({"spec": {"volumeName": "other"}}));
    changed("decisions-1.36", "/decisions/0/decisions/0/writes/0/seq", json!(2));
    changed("decisions-1.36", "/decisions/0/decisions/0/writes/0/name", json!("other"));
    changed("decisions-1.36", "/decisions/1/decisions/0/events/0/message", json!("something else"));
    changed("decisions-1.36", "/decisions/1/decisions/0/operations/0/state", json!("backoff"));
    changed("decisions-1.36", "/protections/0/decisions/0/writes/0/patch", json!({"metadata": {"finalizers": ["a"]}}));
    changed("outcomes-1.36", "/settle/objects/0/ends/0/phase", json!("Lost in time"));
}

#[test]
fn all_recordings_together_stay_small() {
    let bytes: u64 = recorded(|_| true).iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(bytes < 6 << 20, "{bytes} bytes are recorded");
}
