//! Reading objects from files.
#![expect(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests write the files that they read")]

mod broken;
mod folders;
mod forms;

use flate2::Compression;
use flate2::write::GzEncoder;
use forms::BOTH;
use proptest::prelude::*;
use pvctl::model::{Kind, Timestamp};
use pvctl::snapshot::decode::{Item, decode};
use pvctl::snapshot::{Absence, CoverageState, Parts};
use pvctl::source::files::{Fault, each_raw_with, read_with};
use pvctl::source::{FileOptions, Loaded, Scope, SourceError};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

#[derive(serde::Deserialize)]
struct Recorded<'a> {
    id: String,
    #[serde(borrow)]
    world: World<'a>,
}

#[derive(serde::Deserialize)]
struct World<'a> {
    #[serde(borrow)]
    items: Vec<&'a serde_json::value::RawValue>,
}

#[test]
fn every_object_of_the_recorded_worlds_decodes() {
    let (mut worlds, mut objects) = (0, 0);
    for file in ["given-decisions-1.36.3.jsonl.gz", "given-outcomes-1.36.3.jsonl.gz"] {
        let path = format!("{}/tests/conformance/{file}", env!("CARGO_MANIFEST_DIR"));
        let lines = BufReader::new(flate2::read::GzDecoder::new(File::open(path).unwrap())).lines();
        for line in lines {
            let line = line.unwrap();
            let recorded: Recorded<'_> = serde_json::from_str(&line).unwrap();
            worlds += 1;
            for object in recorded.world.items {
                let item = decode(object.get().as_bytes(), &recorded.id);
                assert!(matches!(&item, Ok(item) if !matches!(item, Item::Skipped(_))), "{item:?}");
                objects += 1;
            }
        }
    }
    assert_eq!(worlds, 420);
    assert!(objects > 420, "the recordings must have more than 420 objects, not {objects}");
}

fn options() -> FileOptions {
    FileOptions { paths: vec!["-".into()], ..FileOptions::default() }
}

fn load(input: impl AsRef<[u8]>) -> Result<Loaded, SourceError> {
    read_with(&options(), &mut input.as_ref())
}

fn load_path(path: &Path) -> Result<Loaded, SourceError> {
    let options = FileOptions { paths: vec![path.to_owned()], ..FileOptions::default() };
    read_with(&options, &mut std::io::empty())
}

fn volume(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "PersistentVolume",
           "metadata": {"name": name, "creationTimestamp": "2026-06-01T10:00:00Z", "labels": {"text": "a \"{[ \\ é"}},
           "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "nfs": {"path": "/", "server": "s"}},
           "status": {"phase": "Bound", "lastPhaseTransitionTime": "2026-06-03T10:00:00Z"}})
}

fn claim(namespace: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": namespace},
           "spec": {"resources": {"requests": {"storage": "1Gi"}}}})
}

fn without_kind(mut object: Value) -> Value {
    let fields = object.as_object_mut().unwrap();
    fields.remove("kind");
    fields.remove("apiVersion");
    object
}

/// Returns the names of all objects, kind by kind, in the order in which they were read.
fn names(parts: &Parts) -> Vec<String> {
    let volumes = parts.objects.volumes.iter().map(|volume| format!("pv/{}", volume.meta.name));
    let claims = parts.objects.claims.iter().map(|claim| format!("pvc/{}/{}", claim.meta.namespace, claim.meta.name));
    let classes = parts.objects.classes.iter().map(|class| format!("sc/{}", class.meta.name));
    let pods = parts.objects.pods.iter().map(|pod| format!("pod/{}/{}", pod.meta.namespace, pod.meta.name));
    let nodes = parts.objects.nodes.iter().map(|node| format!("node/{}", node.meta.name));
    volumes.chain(claims).chain(classes).chain(pods).chain(nodes).collect()
}

fn gzip(input: impl AsRef<[u8]>) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(input.as_ref()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_large_list_is_read_in_order() {
    let mut input = String::from("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n");
    for nth in 0..9000 {
        let comma = if nth == 0 { "" } else { ",\n" };
        let object = if nth % 2 == 0 { volume(&format!("v{nth:05}")) } else { claim("db", &format!("c{nth:05}")) };
        let _ = write!(input, "{comma}{}", serde_json::to_string_pretty(&object).unwrap());
    }
    input.push_str("\n    ],\n    \"kind\": \"List\"\n}\n");
    assert!(input.len() > 2 << 20, "the input must be larger than two pieces of the reader");
    let loaded = load(&input).unwrap();
    let read = names(&loaded.parts);
    assert_eq!(read.len(), 9000);
    let mut sorted = read.clone();
    sorted.sort();
    assert_eq!(read, sorted);
    assert_eq!(names(&load(gzip(&input)).unwrap().parts), read);
}

#[test]
fn an_issue_is_reported_or_fatal() {
    let mut broken = claim("db", "c");
    broken["spec"]["accessModes"] = json!("ReadWriteOnce");
    let input = format!("{}{broken}{}", volume("a"), claim("web", "d"));
    let loaded = load(&input).unwrap();
    assert_eq!(names(&loaded.parts), ["pv/a", "pvc/web/d"]);
    assert_eq!(loaded.parts.issues[0].field, "spec.accessModes");
    assert_eq!(loaded.parts.coverage.state(Kind::PersistentVolumeClaim, "db"), CoverageState::Partial);
    assert_eq!(loaded.parts.coverage.state(Kind::PersistentVolumeClaim, "web"), CoverageState::Complete);
    let strict = FileOptions { strict: true, ..options() };
    let error = read_with(&strict, &mut input.as_bytes()).unwrap_err();
    assert!(matches!(&error.fault, Fault::Undecodable(issue) if issue.name == "c"));
    assert!(error.message().contains("PersistentVolumeClaim db/c: spec.accessModes"), "{error}");
}

#[test]
fn absence_is_certain_only_for_what_the_input_holds() {
    let input = format!("{}{}", volume("a"), claim("db", "c"));
    let scope = |kind, namespace: Option<&str>| Scope { kind, namespace: namespace.map(str::to_owned) };
    let coverage = |changed: FileOptions| read_with(&changed, &mut input.as_bytes()).unwrap().parts.coverage;
    let plain = coverage(options());
    assert_eq!(plain.absence(Kind::PersistentVolume, ""), Absence::Certain);
    assert_eq!(plain.absence(Kind::PersistentVolumeClaim, "db"), Absence::Certain);
    assert_eq!(plain.absence(Kind::PersistentVolumeClaim, "web"), Absence::Assumed);
    assert_eq!(plain.absence(Kind::StorageClass, ""), Absence::Assumed);
    assert_eq!(plain.absence(Kind::Pod, "db"), Absence::Assumed);
    let all = coverage(FileOptions { assume_complete: Some(Vec::new()), ..options() });
    for kind in Kind::ALL {
        assert_eq!(all.absence(kind, "web"), Absence::Certain, "{kind}");
    }
    let some = vec![scope(Kind::Pod, Some("db")), scope(Kind::StorageClass, None)];
    let some = coverage(FileOptions { assume_complete: Some(some), ..options() });
    assert_eq!(some.absence(Kind::Pod, "db"), Absence::Certain);
    assert_eq!(some.absence(Kind::Pod, "web"), Absence::Assumed);
    assert_eq!(some.absence(Kind::StorageClass, ""), Absence::Certain);
    let unknown = Absence::Unknown(CoverageState::Partial);
    let partial = vec![scope(Kind::PersistentVolumeClaim, None), scope(Kind::Pod, Some("db"))];
    let partial = coverage(FileOptions { partial, ..options() });
    assert_eq!(partial.absence(Kind::PersistentVolumeClaim, "db"), unknown);
    assert_eq!(partial.absence(Kind::PersistentVolumeClaim, "web"), unknown);
    assert_eq!(partial.absence(Kind::Pod, "db"), unknown);
    assert_eq!(partial.absence(Kind::Pod, "web"), Absence::Assumed);
}

#[test]
fn now_is_the_newest_moment_unless_given() {
    let input = volume("a").to_string();
    assert_eq!(load(&input).unwrap().parts.now, Timestamp::parse("2026-06-03T10:00:00Z"));
    let given = FileOptions { now: Some(Timestamp(5)), ..options() };
    assert_eq!(read_with(&given, &mut input.as_bytes()).unwrap().parts.now, Some(Timestamp(5)));
    assert_eq!(load(claim("a", "b").to_string()).unwrap().parts.now, None);
}

#[test]
fn raw_objects_come_in_the_order_of_the_input() {
    let collect = |input: &str, stop_after: usize| {
        let mut seen = Vec::new();
        each_raw_with(&options(), &mut input.as_bytes(), &mut |kind, json, origin| {
            assert_eq!(origin, "standard input");
            let name = serde_json::from_slice::<Value>(json).unwrap()["metadata"]["name"].clone();
            seen.push((kind, name.as_str().unwrap().to_owned()));
            if seen.len() == stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map(|()| seen)
    };
    let late = format!(
        "{{\"items\":[{}],\"kind\":\"PersistentVolumeList\",\"apiVersion\":\"v1\"}}",
        without_kind(volume("z"))
    );
    let input = format!("{}{{\"apiVersion\":\"v1\",\"kind\":\"Event\"}}{late}{}", claim("db", "b"), volume("a"));
    let all = [
        (Kind::PersistentVolumeClaim, "b".to_owned()),
        (Kind::PersistentVolume, "z".to_owned()),
        (Kind::PersistentVolume, "a".to_owned()),
    ];
    assert_eq!(collect(&input, 9).unwrap(), all);
    assert_eq!(collect(&input, 2).unwrap(), all[..2]);
    let yaml = "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\n";
    assert_eq!(collect(yaml, 9).unwrap(), all[2..]);
    assert!(collect(&input[..input.len() - 1], 9).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = load(&bytes);
        let _ = decode(&bytes, "x");
    }

    #[test]
    fn arbitrary_text_like_json_never_panics(text in r#"[\[\]{}",: \\a0\n-]{0,60}"#) {
        let _ = load(&text);
        let _ = load(format!("{{\"items\":[{text}],\"kind\":\"PersistentVolumeList\"}}"));
        let _ = decode(text.as_bytes(), "x");
    }

    #[test]
    fn a_valid_file_that_was_damaged_gives_an_error_or_objects(
        at in 0_usize..2000, length in 0_usize..40, with in r#"[\[\]{}",:\\ 0]{0,3}"#
    ) {
        let list = json!({"apiVersion": "v1", "items": [volume("a"), claim("db", "b")], "kind": "List"}).to_string();
        let start = (at % list.len()..=list.len()).find(|at| list.is_char_boundary(*at)).unwrap();
        let end = ((start + length).min(list.len())..=list.len()).find(|at| list.is_char_boundary(*at)).unwrap();
        let damaged = format!("{}{with}{}", &list[..start], &list[end..]);
        let valid = damaged.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(&damaged).is_ok();
        match load(&damaged) {
            Ok(_) => prop_assert!(valid || damaged.starts_with(|first| first != '{' && first != '['), "{damaged}"),
            Err(error) => prop_assert!(
                !valid || !damaged.starts_with('{') || matches!(error.fault, Fault::Empty),
                "{damaged}: {error}"
            ),
        }
    }

    #[test]
    fn a_file_in_pieces_gives_the_same_objects_or_an_error(cut in 0_usize..2000) {
        let list = json!({"apiVersion": "v1", "items": [volume("a"), claim("db", "b")], "kind": "List"}).to_string();
        let cut = (cut % list.len()..=list.len()).find(|at| list.is_char_boundary(*at)).unwrap();
        let (head, tail) = list.as_bytes().split_at(cut);
        let whole = read_with(&options(), &mut head.chain(tail)).unwrap();
        prop_assert_eq!(names(&whole.parts), BOTH);
        for piece in [head, tail] {
            if let Ok(loaded) = load(piece) {
                prop_assert!(loaded.report.objects <= 2 && piece.len() == list.len(), "{}", String::from_utf8_lossy(piece));
            }
        }
    }
}
