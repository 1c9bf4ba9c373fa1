//! Reading from files.
#![expect(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests write the files that they read")]

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use pvctl::model::{Kind, Timestamp};
use pvctl::snapshot::decode::{Item, decode};
use pvctl::snapshot::{Absence, CoverageState, Parts, Snapshot};
use pvctl::source::files::{Fault, each_raw_with, read_with};
use pvctl::source::{FileOptions, Loaded, Scope, SourceError};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use tempfile::TempDir;

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
    assert!(objects > 420, "{objects} objects");
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

fn fault(input: impl AsRef<[u8]>) -> SourceError {
    load(input).unwrap_err()
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

/// The names of all objects, in the order in which they were read.
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

const BOTH: [&str; 2] = ["pv/a", "pvc/db/b"];

#[test]
fn every_form_of_json_gives_the_same_objects() {
    let (a, b) = (volume("a"), claim("db", "b"));
    let list = json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [a, b]});
    let kubectl = format!(
        "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n{},\n{}\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {{}}\n}}\n",
        serde_json::to_string_pretty(&a).unwrap(),
        serde_json::to_string_pretty(&b).unwrap()
    );
    let forms = [
        list.to_string(),
        serde_json::to_string_pretty(&list).unwrap(),
        kubectl.clone(),
        kubectl.replace('\n', "\r\n"),
        format!("{a}{b}"),
        format!("{a}\n{b}\n"),
        format!("[{a}, {b}]"),
        format!("{}\n\n{}", serde_json::to_string_pretty(&a).unwrap(), serde_json::to_string_pretty(&b).unwrap()),
        format!(
            "{{\"kind\":\"PersistentVolumeList\",\"apiVersion\":\"v1\",\"items\":[{}]}}{b}",
            without_kind(volume("a"))
        ),
        format!(
            "{{\"apiVersion\":\"v1\",\"items\":[{}],\"kind\":\"PersistentVolumeList\"}}{b}",
            without_kind(volume("a"))
        ),
        format!("\u{feff}{list}"),
        format!("{{\"items\":[],\"kind\":\"List\",\"apiVersion\":\"v1\"}} {a} [] {b}"),
    ];
    for form in forms {
        let loaded = load(&form).unwrap();
        assert_eq!(names(&loaded.parts), BOTH, "{form}");
        assert_eq!(loaded.parts.issues, [], "{form}");
        assert_eq!(loaded.report.objects, 2);
        assert_eq!(loaded.report.bytes, form.len() as u64);
        assert_eq!(names(&load(gzip(&form)).unwrap().parts), BOTH, "compressed: {form}");
    }
}

#[test]
fn every_form_of_yaml_gives_the_same_objects() {
    let a = "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\nspec:\n  capacity: {storage: 1Gi}\n";
    let b = "kind: PersistentVolumeClaim\napiVersion: v1\nmetadata:\n  name: b\n  namespace: db\n";
    let indented = |text: &str| {
        text.lines().enumerate().fold(String::new(), |mut out, (nth, line)| {
            let _ = writeln!(out, "{}{line}", if nth == 0 { "- " } else { "  " });
            out
        })
    };
    let typed = "apiVersion: v1\nitems:\n- metadata:\n    name: a\nkind: PersistentVolumeList\n";
    let forms = [
        format!("{a}---\n{b}"),
        format!("# a comment\n---\n{a}---\n---\n# nothing\n---\n{b}...\n"),
        format!(
            "apiVersion: v1\nitems:\n{}{}kind: List\nmetadata:\n  resourceVersion: \"\"\n",
            indented(a),
            indented(b)
        ),
        format!("{typed}---\n{b}"),
        format!("\u{feff}{a}---\n{b}"),
        format!("{a}---\n{b}").replace('\n', "\r\n"),
    ];
    for form in forms {
        let loaded = load(&form).unwrap();
        assert_eq!(names(&loaded.parts), BOTH, "{form}");
        assert_eq!(loaded.parts.issues, [], "{form}");
        assert_eq!(names(&load(gzip(&form)).unwrap().parts), BOTH, "compressed: {form}");
    }
}

#[test]
fn yaml_means_what_kubectl_makes_of_it() {
    let loaded = load(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\n  creationTimestamp: 2026-06-01T10:00:00Z\n  \
         annotations: {pv.kubernetes.io/bound-by-controller: \"yes\", 1: x, true: y}\n  labels: &l {a: b}\nspec:\n  \
         capacity:\n    storage: 1073741824\n  accessModes: [ReadWriteOnce]\n  volumeMode: null\n  claimRef: ~\n",
    )
    .unwrap();
    assert_eq!(loaded.parts.issues, []);
    let volume = &loaded.parts.objects.volumes[0];
    assert_eq!(volume.meta.created, Timestamp::parse("2026-06-01T10:00:00Z"));
    assert_eq!(volume.storage().unwrap().to_string(), "1073741824");
    assert_eq!((&volume.volume_mode, &volume.claim_ref), (&None, &None));
    // kubectl refuses the bare word too: YAML 1.1 makes it a truth value, and annotations hold strings.
    let bare = load("apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\n  annotations: {pv.kubernetes.io/bound-by-controller: yes}\n")
        .unwrap();
    assert_eq!(bare.parts.issues[0].value, "true");
}

#[test]
fn other_kinds_are_counted() {
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}});
    let loaded = load(format!(
        "{event}{event}{{\"kind\":\"EventList\",\"apiVersion\":\"v1\",\"items\":[{{}},{{}}]}}\
         {{\"apiVersion\":\"v1\",\"items\":[{{\"metadata\":{{}}}}],\"kind\":\"ServiceList\"}}{}",
        volume("a")
    ))
    .unwrap();
    let skipped: Vec<(&str, u64)> = loaded.report.skipped.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(skipped, [("Event", 4), ("Service", 1)]);
    assert_eq!(names(&loaded.parts), ["pv/a"]);
}

#[test]
fn an_object_without_a_kind_is_an_issue_and_the_rest_is_read() {
    let loaded = load(format!("{{\"items\":[{{\"a\":1}},{},7],\"kind\":\"List\"}}", volume("a"))).unwrap();
    assert_eq!(names(&loaded.parts), ["pv/a"]);
    assert_eq!(loaded.parts.issues.len(), 2);
    assert!(load("{}").unwrap().parts.issues[0].reason.contains("kind"));
}

#[test]
fn a_claim_without_a_namespace_is_in_the_default_one() {
    let loaded = load(r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"}}"#).unwrap();
    assert_eq!(names(&loaded.parts), ["pvc/default/c"]);
}

#[test]
fn broken_json_is_told_with_its_byte() {
    let good = volume("a").to_string();
    let cases: Vec<(Vec<u8>, usize)> = vec![
        (format!("{good} garbage").into(), good.len() + 1),
        (format!("{good}]").into(), good.len()),
        (format!("{good}\0").into(), good.len()),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":1},]}".to_vec(), 32),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":1}{}]}".to_vec(), 31),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":tru}]}".to_vec(), 32),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":\"\xff\"}]}".to_vec(), 30),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":]}]}".to_vec(), 29),
        (b"{\"kind\":\"List\",\"items\":[]\n,\"metadata\":{]}}".to_vec(), 39),
        (b"{\"metadata\":{]}, \"kind\":\"List\",\"items\":[]}".to_vec(), 13),
        (b"{\"kind\":\"Event\" \"a\":1}".to_vec(), 16),
        (b"{\"a\":nul}".to_vec(), 8),
        (b"[1 2]".to_vec(), 3),
    ];
    for (input, place) in cases {
        let error = fault(&input);
        let shown = String::from_utf8_lossy(&input).into_owned();
        assert!(matches!(error.fault, Fault::Syntax(_)), "{shown}: {error}");
        let byte = usize::try_from(error.place.byte.unwrap()).unwrap();
        assert!(byte.abs_diff(place) <= 1, "{shown}: {error}");
        assert!(error.to_string().starts_with("standard input, byte "), "{error}");
    }
}

#[test]
fn the_line_is_told_for_a_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a.json");
    let text = serde_json::to_string_pretty(&json!({"kind": "List", "items": [volume("a")]})).unwrap();
    let line = text.lines().position(|line| line.contains("1Gi")).unwrap() + 1;
    let broken = text.replace("\"1Gi\"", "1Gi");
    for bytes in [broken.clone().into_bytes(), gzip(&broken)] {
        fs::write(&path, bytes).unwrap();
        let error = load_path(&path).unwrap_err();
        assert_eq!(error.place.line, Some(line as u64), "{error}");
        assert!(error.message().contains(&format!(", line {line} (byte ")), "{error}");
    }
}

#[test]
fn broken_yaml_is_told_with_its_line() {
    for (input, line) in [
        ("kind: List\nitems: [\n", 3),
        ("kind: A\nkind: B\n", 2),
        ("kind: A\nmetadata:\n\tname: x\n", 3),
        ("kind: \"A\nmetadata: {}\n", 1),
        ("kind: *nowhere\n", 1),
    ] {
        let error = fault(input);
        assert!(matches!(error.fault, Fault::Syntax(_)), "{input}: {error}");
        assert!(error.place.line.unwrap().abs_diff(line) <= 1, "{input}: {error}");
        assert!(!error.message().contains('\n'), "{error}");
    }
}

#[test]
fn what_is_not_text_is_told_clearly() {
    assert_eq!(fault("").fault, Fault::Empty);
    assert_eq!(fault(" \n\t\n").fault, Fault::Empty);
    assert_eq!(fault(gzip("")).fault, Fault::Empty);
    assert_eq!(fault(b"\x7fELF\x02\x01\x01\0\0\0\0").fault, Fault::Binary);
    assert_eq!(fault(gzip(gzip("{}"))).fault, Fault::Binary);
    let utf16: Vec<u8> = "\u{feff}{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(fault(&utf16).fault, Fault::Encoding("UTF-16"));
    assert_eq!(fault(&utf16[2..]).fault, Fault::Encoding("UTF-16"));
    assert!(fault(&utf16).to_string().contains("UTF-8"));
    assert_eq!(fault("just words").fault, Fault::NotObjects("a text"));
    assert_eq!(fault("12").fault, Fault::NotObjects("a number"));
    assert!(matches!(fault(b"kind: \xff\xfe\n").fault, Fault::Syntax(_) | Fault::Unreadable(_)));
}

#[test]
fn a_truncated_input_is_never_taken_for_a_whole_one() {
    let list = json!({"apiVersion": "v1", "items": [volume("a"), claim("db", "b")], "kind": "List"}).to_string();
    for end in 1..list.len() {
        let error = fault(&list.as_bytes()[..end]);
        assert!(matches!(error.fault, Fault::Truncated | Fault::Syntax(_)), "{end}: {error}");
    }
    let packed = gzip(&list);
    for end in 20..packed.len() {
        let error = fault(&packed[..end]);
        assert!(matches!(error.fault, Fault::Truncated | Fault::Syntax(_)), "{end}: {error}");
    }
}

#[test]
fn the_first_fault_in_the_order_of_the_input_is_told() {
    let mut input = String::from("{\"kind\":\"List\",\"items\":[{\"kind\":nul}");
    for nth in 0..20_000 {
        let _ = write!(input, ",{}", volume(&format!("v{nth}")));
    }
    input.push_str(",}");
    for _ in 0..5 {
        assert!(fault(&input).place.byte.unwrap() < 40);
    }
}

#[test]
fn hostile_input_ends_in_a_clear_error() {
    let deep = format!("{{\"kind\":\"List\",\"items\":[{{\"a\":{}", "[".repeat(10_000));
    assert!(matches!(fault(deep).fault, Fault::TooDeep(_)));
    let deep = format!("{{\"a\":{}1{}}}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    assert!(matches!(fault(deep).fault, Fault::TooDeep(_)));
    assert!(matches!(fault(format!("a: {}", "[".repeat(10_000))).fault, Fault::Syntax(_)));
    let steps: String = (1..30).fold("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned(), |mut bomb, nth| {
        let before = format!("*a{}", nth - 1);
        let _ = writeln!(bomb, "a{nth}: &a{nth} [{}]", vec![before; 10].join(","));
        bomb
    });
    assert!(matches!(fault(steps).fault, Fault::Syntax(_)));
}

/// A stream that is never in memory as a whole.
struct Endless {
    start: &'static [u8],
    left: u64,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if !self.start.is_empty() {
            return self.start.read(buffer);
        }
        let count = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        buffer[..count].fill(b'9');
        self.left -= count as u64;
        Ok(count)
    }
}

#[test]
fn an_object_beyond_all_measure_is_refused_in_bounded_memory() {
    for start in [
        &b"{\"kind\":\"PersistentVolume\",\"spec\":{\"capacity\":{\"storage\":\""[..],
        b"{\"kind\":\"List\",\"items\":[{\"x\":\"",
        b"{\"kind\":\"List\",\"items\":[",
        b"{\"",
    ] {
        let mut input = Endless { start, left: 1 << 30 };
        let error = read_with(&options(), &mut input).unwrap_err();
        assert!(matches!(error.fault, Fault::TooLarge(_)), "{error}");
        assert!(input.left > 900 << 20, "{} bytes are left", input.left);
    }
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
    assert!(input.len() > 2 << 20, "more than two pieces");
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

fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn a_directory_is_read_in_the_order_of_names_and_below_when_asked() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    write(root, "b.json", volume("b").to_string());
    write(root, "a.yaml", "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\n");
    write(root, "c.yml.gz", gzip("apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: c}\n"));
    write(root, "notes.txt", "not read");
    write(root, "x/d.json", volume("d").to_string());
    let flat = load_path(root).unwrap();
    assert_eq!(names(&flat.parts), ["pv/a", "pv/b", "pv/c"]);
    assert_eq!((flat.report.files, flat.report.skipped_files), (3, 1));
    let deep = FileOptions { paths: vec![root.to_owned()], recursive: true, ..FileOptions::default() };
    let deep = read_with(&deep, &mut std::io::empty()).unwrap();
    assert_eq!(names(&deep.parts), ["pv/a", "pv/b", "pv/c", "pv/d"]);
    let error = load_path(&root.join("x/none")).unwrap_err();
    assert!(error.message().contains("x/none: cannot be read: "), "{error}");
    fs::create_dir(root.join("empty")).unwrap();
    assert_eq!(load_path(&root.join("empty")).unwrap_err().fault, Fault::NoFiles);
}

#[test]
fn a_cluster_info_dump_says_what_it_holds_in_full() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    let list = |kind: &str, items: &[Value]| json!({"kind": kind, "apiVersion": "v1", "metadata": {}, "items": items});
    let pod = json!({"metadata": {"name": "p", "namespace": "db"}, "spec": {"containers": []}});
    write(root, "nodes.json", list("NodeList", &[json!({"metadata": {"name": "n1"}})]).to_string());
    write(root, "db/pods.json", list("PodList", &[pod]).to_string());
    write(root, "db/events.json", list("EventList", &[json!({})]).to_string());
    write(root, "db/p/logs.txt", "a line");
    write(root, "web/pods.json", list("PodList", &[]).to_string());
    let loaded = load_path(root).unwrap();
    assert_eq!(names(&loaded.parts), ["pod/db/p", "node/n1"]);
    assert_eq!((loaded.report.files, loaded.report.skipped_files), (4, 1));
    let coverage = &loaded.parts.coverage;
    assert_eq!(coverage.absence(Kind::Pod, "db"), Absence::Certain);
    assert_eq!(coverage.absence(Kind::Pod, "web"), Absence::Certain, "its list was read and is empty");
    assert_eq!(coverage.absence(Kind::Pod, "other"), Absence::Assumed);
    assert_eq!(coverage.absence(Kind::PersistentVolumeClaim, "db"), Absence::Assumed);
}

#[test]
fn a_must_gather_says_what_it_holds_in_full() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    let image = "quay-io-sha256-1";
    let yaml = |kind: &str, version: &str, name: &str| {
        format!("---\napiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {name}\n")
    };
    let scoped = format!("{image}/cluster-scoped-resources");
    write(root, &format!("{scoped}/core/persistentvolumes/a.yaml"), yaml("PersistentVolume", "v1", "a"));
    write(
        root,
        &format!("{scoped}/storage.k8s.io/storageclasses/fast.yaml"),
        yaml("StorageClass", "storage.k8s.io/v1", "fast"),
    );
    write(root, &format!("{scoped}/config.openshift.io/nodes/x.yaml"), "not: read: at all");
    write(
        root,
        &format!("{image}/namespaces/db/core/persistentvolumeclaims.yaml"),
        "apiVersion: v1\nitems:\n- metadata:\n    name: b\n    namespace: db\nkind: PersistentVolumeClaimList\n",
    );
    write(root, &format!("{image}/namespaces/db/core/pods.yaml"), "apiVersion: v1\nitems: []\nkind: PodList\n");
    write(root, &format!("{image}/namespaces/db/core/events.yaml"), "broken: [");
    write(root, &format!("{image}/namespaces/db/pods/p/p.yaml"), "broken: [");
    let loaded = load_path(root).unwrap();
    assert_eq!(names(&loaded.parts), ["pv/a", "pvc/db/b", "sc/fast"]);
    assert_eq!((loaded.report.files, loaded.report.skipped_files), (4, 3));
    let coverage = &loaded.parts.coverage;
    for (kind, namespace) in
        [(Kind::PersistentVolume, ""), (Kind::StorageClass, ""), (Kind::PersistentVolumeClaim, "db"), (Kind::Pod, "db")]
    {
        assert_eq!(coverage.absence(kind, namespace), Absence::Certain, "{kind}");
    }
    assert_eq!(coverage.absence(Kind::Node, ""), Absence::Assumed);
}

/// Nobody puts these in by chance: that there are none of a kind says nothing, that there are some says that these are
/// all. Who does not ask for them does not even parse them.
#[test]
fn what_stands_around_is_read_where_it_is_asked_for() {
    let node = json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"}});
    let event = |namespace: &str, kind: &str| {
        json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": namespace},
            "involvedObject": {"kind": kind, "namespace": namespace, "name": "x"}})
    };
    let claims = event("db", "PersistentVolumeClaim");
    let input = [node, claims, event("web", "Pod")].map(|object| object.to_string()).concat();
    let read = |surroundings| read_with(&FileOptions { surroundings, ..options() }, &mut input.as_bytes()).unwrap();
    let asked = read(true);
    let count = |parts: &Parts| parts.objects.lists().iter().map(|list| list.length()).sum::<usize>();
    assert_eq!((asked.parts.objects.csi_nodes.len(), asked.parts.objects.events.len(), count(&asked.parts)), (1, 1, 2));
    let coverage = &asked.parts.coverage;
    assert_eq!(coverage.absence(Kind::CsiNode, ""), Absence::Certain);
    assert_eq!(coverage.absence(Kind::Event, "db"), Absence::Certain);
    for kind in [Kind::Event, Kind::Namespace] {
        assert_eq!(coverage.absence(kind, "web"), Absence::Unknown(CoverageState::Partial), "{kind}");
    }
    let plain = read(false).parts;
    assert_eq!(count(&plain), 0);
    assert!(Kind::SURROUNDING.iter().all(|kind| plain.coverage.entry(*kind, None).is_none()));
}

#[test]
fn several_inputs_are_one_world_whatever_their_order() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    write(root, "a.json", volume("a").to_string());
    write(root, "b.json", format!("{}{}", volume("b"), claim("db", "c")));
    let paths = [root.join("a.json"), root.join("b.json"), "-".into()];
    let world = |order: [usize; 3]| {
        let paths = order.iter().map(|nth| paths[*nth].clone()).collect();
        let options = FileOptions { paths, ..FileOptions::default() };
        let loaded = read_with(&options, &mut claim("web", "d").to_string().as_bytes()).unwrap();
        let snapshot = Snapshot::new(loaded.parts);
        (snapshot.volumes().to_vec(), snapshot.claims().to_vec(), snapshot.coverage().clone(), snapshot.now())
    };
    assert_eq!(world([0, 1, 2]), world([2, 1, 0]));
    let twice = FileOptions { paths: vec!["-".into(), "-".into()], ..FileOptions::default() };
    assert_eq!(read_with(&twice, &mut std::io::empty()).unwrap_err().fault, Fault::StdinTwice);
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
