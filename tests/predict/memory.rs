//! The flags that state what the controller has in its memory: older versions of objects, and operations that run or
//! wait for another try. The expected answers are recordings of the real controller.
#![expect(clippy::unwrap_used, reason = "a recording that cannot be read is a failed test")]
#![expect(clippy::disallowed_methods, reason = "older versions are given in files")]

use crate::support::{Run, root};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use xtask::corpus;
use xtask::line::Case;

/// The number of cases of each kind that are compared.
const CASES: usize = 25;

/// Returns whether the flags can state all circumstances of the case.
fn can_be_stated(case: &Case, world: &[Value]) -> bool {
    let exists = |copy: &xtask::line::Cached| {
        world.iter().any(|item| {
            item["kind"] == copy.object.kind.as_str()
                && item["metadata"]["name"] == copy.object.name.as_str()
                && item["metadata"]["namespace"].as_str().unwrap_or_default() == copy.object.namespace
        })
    };
    let is_stated = |copy: &xtask::line::Cached| {
        let is_stated = match copy.how.as_str() {
            "stale" | "unseen" => exists(copy),
            how => how == "deleted",
        };
        is_stated && copy.object.kind.starts_with("PersistentVolume")
    };
    !case.protection
        && case.runs > 0
        && case.refuse.is_none()
        && case.fail_read.is_none()
        && case.recycler.is_none()
        && case.cached.iter().all(is_stated)
}

/// Returns the writes and operations of a decision, without those fields of the JSON output that the recording does not
/// have. If `queues` is true, the objects that the decision puts on a queue follow.
fn essence(decision: &Value, queues: bool) -> String {
    let operations = decision["operations"].as_array().into_iter().flatten();
    let operations: Vec<Value> = operations.map(|one| json!([one["name"], one["state"]])).collect();
    // The patch of a refused write changes nothing. The recording computes this patch against another version: the one
    // in the API.
    let mut writes = decision["writes"].as_array().cloned().unwrap_or_default();
    for write in writes.iter_mut().filter(|write| write.get("refused").is_some()) {
        write["patch"] = Value::Null;
    }
    let queued = decision["enqueues"].as_array().filter(|_| queues).cloned().unwrap_or_default();
    json!([writes, operations, queued]).to_string()
}

/// Returns whether the controller still has an object in its cache that was deleted. Only then the recording has
/// queues.
fn has_deletion(case: &Case) -> bool {
    case.cached.iter().any(|copy| copy.how == "deleted")
}

/// Returns the answer of the program to a case of a recording.
fn answer(world: &[Value], case: &Case, older: &std::path::Path) -> BTreeSet<String> {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": world});
    let resource = |kind: &str| if kind == "PersistentVolume" { "pv" } else { "pvc" };
    let mut arguments: Vec<String> = vec!["predict".into()];
    arguments.push(format!("{}/{}", resource(&case.object.kind), case.object.name));
    if !case.object.namespace.is_empty() {
        arguments.extend(["-n".into(), case.object.namespace.clone()]);
    }
    let controllers = "persistentvolume-binder-controller";
    let fixed = ["-f", "-", "--assume-complete", "-o", "json", "--decisions", "all", "--controllers", controllers];
    arguments.extend(fixed.map(String::from));
    arguments.extend(case.running.iter().flat_map(|name| ["--running".to_owned(), name.clone()]));
    // The flags also accept a name without the uid.
    let short = |name: &String| name.split('[').next().unwrap().to_owned();
    arguments.extend(case.backing_off.iter().flat_map(|name| ["--backoff".to_owned(), short(name)]));
    let (unseen, stale): (Vec<_>, Vec<_>) = case.cached.iter().partition(|copy| copy.how == "unseen");
    for copy in unseen {
        let object = &copy.object;
        let names = [object.namespace.as_str(), object.name.as_str()];
        let name = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join("/");
        arguments.extend(["--unseen".to_owned(), format!("{}/{name}", resource(&object.kind))]);
    }
    if !stale.is_empty() {
        let copies: Vec<&Value> = stale.iter().filter_map(|copy| copy.copy.as_ref()).collect();
        let text = json!({"apiVersion": "v1", "kind": "List", "items": copies}).to_string();
        std::fs::write(older, &text).unwrap();
        arguments.extend(["--stale".to_owned(), older.display().to_string()]);
    }
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = Run::new(&words).stdin(list.to_string().as_bytes()).finish();
    assert!(matches!(run.code, Some(0 | 1)), "{words:?}: {:?} {}", run.code, run.stderr);
    let said: Value = serde_json::from_str(&run.stdout).unwrap();
    said["items"][0]["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|decision| essence(decision, has_deletion(case)))
        .collect()
}

#[test]
fn the_flags_state_what_the_real_controller_had_in_its_memory() {
    let recordings = corpus::files(&root().join("tests/conformance")).unwrap();
    let is_wanted = |path: &&std::path::PathBuf| path.ends_with("decisions-1.36.3.jsonl.gz");
    let recording = recordings.iter().find(is_wanted).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let older = folder.path().join("older.json");
    // The numbers of compared cases with older versions, with running operations, and with operations that wait for
    // another try.
    let mut compared = [0; 3];
    for line in corpus::lines(recording).unwrap() {
        let line = line.unwrap();
        for case in line.cases.iter().filter(|case| can_be_stated(case, &line.world.items)) {
            let sorts = [
                case.cached.iter().any(|copy| copy.how == "stale"),
                !case.running.is_empty(),
                !case.backing_off.is_empty(),
            ];
            if !sorts.iter().zip(&compared).any(|(is_sort, compared)| *is_sort && *compared < CASES) {
                continue;
            }
            let recorded: BTreeSet<String> =
                case.decisions.iter().map(|decision| essence(decision, has_deletion(case))).collect();
            assert_eq!(answer(&line.world.items, case, &older), recorded, "{}: {}", line.id, json!(case));
            for (is_sort, compared) in sorts.iter().zip(&mut compared) {
                *compared += usize::from(*is_sort);
            }
        }
    }
    assert!(compared.iter().all(|compared| *compared >= CASES), "{compared:?}");
}

/// If a file of `--stale` has an object that does not exist, the controller has not handled its deletion yet.
#[test]
fn deletions_that_the_controller_has_not_handled_can_be_stated() {
    let recording = corpus::files(&root().join("tests/conformance")).unwrap();
    let recording = recording.iter().find(|path| path.ends_with("handmade-1.36.3.jsonl.gz")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let older = folder.path().join("older.json");
    let (mut compared, mut queued) = (0, 0);
    for line in corpus::lines(recording).unwrap() {
        let line = line.unwrap();
        for case in line.cases.iter().filter(|case| has_deletion(case) && can_be_stated(case, &line.world.items)) {
            let recorded: BTreeSet<String> = case.decisions.iter().map(|decision| essence(decision, true)).collect();
            assert_eq!(answer(&line.world.items, case, &older), recorded, "{}: {}", line.id, json!(case));
            compared += 1;
            queued += usize::from(case.decisions.iter().any(|decision| decision.get("enqueues").is_some()));
        }
    }
    assert!(compared >= 16 && queued >= 5, "{compared} cases, {queued} of them with queues");
}

/// The error names the mistake in a flag, and nothing is predicted.
#[test]
fn an_impossible_memory_is_a_usage_error() {
    let world = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: vol, uid: v1}\n";
    let refused = |flags: &[&str], words: &str| {
        let all = [&["predict", "-f", "-"], flags].concat();
        let run = Run::new(&all).stdin(world.as_bytes()).finish();
        assert!(matches!(run.code, Some(2 | 3)), "{flags:?}");
        assert!(run.stderr.contains(words) && run.stdout.is_empty(), "{flags:?}: {}", run.stderr);
    };
    refused(&["--running", "delete-gone"], "there is no gone in what was read");
    refused(&["--running", "delete-vol[v2]"], "vol has uid v1");
    refused(&["--backoff", "provision-data"], "the namespace of the claim is missing");
    refused(&["--backoff", "attach-vol"], "this is not an operation");
    refused(&["--running", "delete-vol", "--backoff", "delete-vol[v1]"], "named twice");
    let folder = tempfile::tempdir().unwrap();
    let older = folder.path().join("older.yaml");
    let path = older.display().to_string();
    refused(&["--stale", &path], "older.yaml");
    std::fs::write(&older, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: other}\n").unwrap();
    refused(&["--stale", &path, "--partial=pv"], "pv/other: it is unknown whether this object was deleted");
    refused(&["--unseen", "pv/other", "--stale", &path], "one version of an object");
    let run = Run::new(&["audit", "-f", "-", "--stale", &path]).stdin(world.as_bytes()).finish();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("--stale pv/other: there is no such object in what was read"), "{}", run.stderr);
    std::fs::write(&older, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n").unwrap();
    refused(&["--stale", &path], "no pv and no pvc");
    std::fs::write(&older, world).unwrap();
    refused(&["--stale", &path, "--unseen", "pv/vol"], "one version of an object");
}
