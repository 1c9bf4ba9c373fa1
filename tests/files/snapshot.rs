//! `snapshot` of files contains all objects that were read. Nothing is printed before the whole input was decoded.
#![expect(clippy::disallowed_types, reason = "the recorded worlds are read from a file")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Run, files, root};
use pvctl::snapshot::Snapshot;
use pvctl::source::files::{archive_with, read_with};
use pvctl::source::{FileOptions, Loaded, archive};
use serde_json::Value;
use std::io::{BufRead, BufReader};

fn examples() -> Vec<String> {
    let found = ["json", "yaml"].into_iter().flat_map(|extension| files("examples", extension));
    let found: Vec<String> = found.map(|(path, _)| path).collect();
    assert!(found.len() > 10, "{found:?}");
    found
}

#[test]
fn the_prediction_of_a_snapshot_is_that_of_its_source() {
    for example in examples() {
        let predict = |file: &str, input: &[u8]| {
            let run = Run::new(&["predict", "-f", file, "-o", "json"]).current_dir(root()).stdin(input).finish();
            assert_eq!(run.code, Some(0), "{example}: {}", run.stderr);
            assert!(run.stdout.contains("\"PredictionList\""), "{example}");
            run.stdout
        };
        let expected = predict(&example, b"");
        for format in ["json", "yaml"] {
            let run = Run::new(&["snapshot", "-f", &example, "-o", format]).current_dir(root()).finish();
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{example}");
            assert!(
                predict("-", run.stdout.as_bytes()) == expected,
                "{example}: the snapshot as {format} has another prediction"
            );
        }
    }
}

#[test]
fn a_snapshot_of_a_snapshot_is_the_same_file() {
    let first = Run::new(&["snapshot", "-f", "examples"]).current_dir(root()).finish();
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let second = Run::new(&["snapshot", "-f", "-"]).stdin(first.stdout.as_bytes()).finish();
    assert!(second.stdout == first.stdout && second.code == Some(0), "{}", second.stderr);
}

fn stdin() -> FileOptions {
    FileOptions { paths: vec!["-".into()], ..FileOptions::default() }
}

fn load(input: &[u8]) -> Loaded {
    read_with(&stdin(), &mut &*input).unwrap()
}

/// Returns everything that decisions can read, as text.
fn content(loaded: Loaded) -> String {
    let snapshot = Snapshot::new(loaded.parts);
    format!(
        "{:?}",
        (
            (snapshot.volumes(), snapshot.claims(), snapshot.classes(), snapshot.pods(), snapshot.nodes()),
            (snapshot.coverage(), snapshot.now(), snapshot.issues())
        )
    )
}

#[test]
fn every_recorded_world_comes_back_from_its_snapshot() {
    let mut worlds = 0;
    for file in ["given-decisions-1.36.3.jsonl.gz", "given-outcomes-1.36.3.jsonl.gz"] {
        let file = std::fs::File::open(root().join("tests/conformance").join(file)).unwrap();
        for line in BufReader::new(flate2::read::GzDecoder::new(file)).lines() {
            let recorded: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let world = recorded["world"].to_string();
            let archived = archive_with(&stdin(), &mut world.as_bytes()).unwrap();
            let mut objects = archived.objects;
            assert_eq!(objects.len(), recorded["world"]["items"].as_array().unwrap().len());
            archive::order(&mut objects);
            let mut written = Vec::new();
            archive::write(&objects, &archived.statement, &mut written).unwrap();
            assert_eq!(content(load(&written)), content(load(world.as_bytes())), "{}", recorded["id"]);
            worlds += 1;
        }
    }
    assert_eq!(worlds, 420);
}

#[test]
fn an_unreadable_input_leaves_stdout_empty() {
    let volume = r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"a"}}"#;
    let syntax =
        format!(r#"{{"apiVersion":"v1","kind":"List","items":[{volume},{{"kind":"PersistentVolume","a":tru}}]}}"#);
    let typed = r#"{"apiVersion":"v1","kind":"PersistentVolumeList","items":[{"metadata":{"name":"a"},"a":01}]}"#;
    for input in [&volume[..volume.len() - 1], &syntax, typed] {
        let run = Run::new(&["snapshot", "-f", "-"]).stdin(input.as_bytes()).finish();
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{input}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: standard input, "), "{}", run.stderr);
    }
}

#[test]
fn an_undecodable_object_is_kept_with_a_warning_or_is_fatal() {
    let world = r#"{"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"bad"},"spec":{"capacity":{"storage":"ten"}}},
        {"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"good"}}]}"#;
    let run = Run::new(&["snapshot", "-f", "-"]).stdin(world.as_bytes()).finish();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.starts_with("warning: standard input: PersistentVolume bad cannot be decoded: "),
        "{}",
        run.stderr
    );
    let list: Value = serde_json::from_str(&run.stdout).unwrap();
    let names: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["bad", "good"]);
    assert_eq!(
        content(load(run.stdout.as_bytes())),
        content(load(world.as_bytes())),
        "the snapshot must also keep the object that cannot be decoded"
    );
    let strict = Run::new(&["snapshot", "--strict", "-f", "-"]).stdin(world.as_bytes()).finish();
    assert_eq!((strict.code, strict.stdout.as_str()), (Some(3), ""));
    assert!(strict.stderr.starts_with("error: "), "{}", strict.stderr);
}
