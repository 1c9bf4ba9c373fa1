//! The fixtures of `audit` are realistic. An API server accepts every object as the fixture states it. The program has
//! the same findings about the cluster as about the file. If a fixture is declared to be at rest, the real controllers
//! change nothing in it.
#![expect(clippy::expect_used, clippy::print_stderr, reason = "a test says how much it saw, and fails")]

use super::ends::{key, settled, stored};
use super::plane::Plane;
use super::site::text;
use super::stored::{Cluster, PAST, named};
use super::worlds::is_default;
use crate::support::{Finished, Run, files, root};
use pvctl::model::{Kind, Timestamp};
use pvctl::source::{FileOptions, files as source_files};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::str;

/// The second audit of the same cluster has a `--now` that is this many seconds later. At that time, no object is
/// young.
const LATER: i64 = 300;

/// A fixture: what its file states for these tests, and its objects.
pub(super) struct Fixture {
    pub(super) path: String,
    pub(super) flags: Vec<String>,
    /// Whether the controllers leave all objects unchanged.
    pub(super) at_rest: bool,
    /// The feature gate of the API server that the fixture needs. It is off by default. Without it the API server drops
    /// the fields that the fixture is about.
    pub(super) gate: Option<String>,
    /// The reason why a present API server refuses an object that older API servers have stored.
    refused: Option<String>,
    pub(super) objects: Vec<Value>,
}

pub(super) fn fixtures() -> Vec<Fixture> {
    let read = |(path, bytes): (String, Vec<u8>)| {
        let text = str::from_utf8(&bytes).expect("UTF-8");
        let header = || text.lines().map_while(|line| line.strip_prefix("# "));
        let flags = header().find_map(|line| line.strip_prefix("flags: ")).unwrap_or_default();
        Fixture {
            flags: flags.split_whitespace().map(str::to_owned).collect(),
            at_rest: header().any(|line| line == "at rest"),
            gate: header().find_map(|line| line.strip_prefix("gate: ")).map(str::to_owned),
            refused: header().find_map(|line| line.strip_prefix("refused by create: ")).map(str::to_owned),
            objects: serde_yaml::from_slice_multiple(&bytes).expect("objects"),
            path,
        }
    };
    files("tests/audit", "yaml").into_iter().map(read).collect()
}

impl Cluster {
    /// Stores all objects of a fixture through the API, and then adds their uids and past times in etcd. If the API
    /// refuses an object, it is stored in etcd. Returns the refusals, and the differences between the given and the
    /// stored objects.
    pub(super) async fn load(&mut self, fixture: &Fixture) -> (Vec<String>, Vec<String>) {
        let (mut refusals, mut faults) = (Vec::new(), Vec::new());
        self.ensure_namespaces(&fixture.objects).await;
        let (first, then): (Vec<&Value>, Vec<&Value>) =
            fixture.objects.iter().partition(|object| object["kind"] == "Namespace");
        for object in first.iter().chain(&then) {
            if let Err(refused) = self.create(object).await {
                refusals.push(refused.message);
            }
        }
        for object in then.into_iter().chain(first) {
            match self.finish(object).await {
                Ok(mut stored) => {
                    for given in PAST {
                        if let Some(value) = object["metadata"].get(given) {
                            stored["metadata"][given] = value.clone();
                        }
                    }
                    let name = format!("{} {}", text(object, "/kind"), text(object, "/metadata/name"));
                    lost(object, &stored, &format!("the given {name}"), &mut faults);
                    // A fixture leaves out the fields of pods and nodes that no rule reads.
                    if WHOLE.contains(&text(object, "/kind")) {
                        let mut more = stored.clone();
                        more["metadata"] = json!({});
                        lost(&more, object, &format!("the stored {name}"), &mut faults);
                    }
                    self.put(&stored).await;
                }
                Err(refused) => {
                    refusals.push(refused.message);
                    self.put(object).await;
                }
            }
        }
        (refusals, faults)
    }
}

/// The kinds whose objects a fixture holds with all fields that an API server stores.
const WHOLE: [&str; 3] = ["PersistentVolume", "PersistentVolumeClaim", "StorageClass"];

/// Adds to `faults` the paths at which the stored value differs from the given one. The stored object may have
/// additional fields.
fn lost(given: &Value, stored: &Value, place: &str, faults: &mut Vec<String>) {
    match (given, stored) {
        (Value::Object(given), Value::Object(stored)) => {
            for (field, value) in given {
                lost(value, stored.get(field).unwrap_or(&Value::Null), &format!("{place}.{field}"), faults);
            }
        }
        (Value::Array(given), Value::Array(stored)) if given.len() == stored.len() => {
            for (number, (given, stored)) in given.iter().zip(stored).enumerate() {
                lost(given, stored, &format!("{place}[{number}]"), faults);
            }
        }
        _ if given == stored => {}
        _ => faults.push(format!("{place}: {given} and not {stored}")),
    }
}

/// Returns the findings of an audit. Resource versions are removed from commands, because nobody can choose them.
fn findings(run: &Finished) -> Vec<Value> {
    const VERSION: &str = r#""path":"/metadata/resourceVersion","value":""#;
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{:?}: {}", run.code, run.stderr);
    let mut report: Value = serde_json::from_str(&run.stdout).expect("a report");
    each_text(&mut report, &mut |text| {
        let parts = text.split(VERSION).enumerate();
        let parts = parts
            .map(|(at, part)| if at == 0 { part } else { part.trim_start_matches(|one: char| one.is_ascii_digit()) });
        *text = parts.collect::<Vec<_>>().join(VERSION);
    });
    report["findings"].as_array().expect("findings").clone()
}

/// Returns the newest time in a file, from which ages in the file count.
pub(super) fn newest(fixture: &Fixture) -> Timestamp {
    let options = FileOptions {
        paths: vec![root().join(&fixture.path)],
        surroundings: Kind::SURROUNDING.to_vec(),
        ..FileOptions::default()
    };
    source_files::read(&options).expect("a fixture").parts.now.expect("a time")
}

/// Returns the findings of the first list that are not in the second one.
fn only<'a>(one: &'a [Value], other: &[Value]) -> Vec<&'a Value> {
    one.iter().filter(|finding| !other.contains(finding)).collect()
}

/// Returns the fingerprints of the findings, which state the rule and the object.
fn in_short(findings: &[Value]) -> BTreeSet<&str> {
    findings.iter().map(|finding| text(finding, "/fingerprint")).collect()
}

/// Returns the differences between the audit of the cluster that holds a fixture and the audit of its file.
fn misjudged(cluster: &Cluster, fixture: &Fixture) -> Vec<String> {
    let mut arguments = vec!["audit", "-o", "json", "--exit-zero"];
    arguments.extend(fixture.flags.iter().map(String::as_str));
    // The cluster has only the objects of the fixture, and the program reads all objects of the cluster. So the file is
    // declared complete, too.
    let kinds: Vec<&str> = Kind::listed().map(Kind::resource).collect();
    let complete = format!("--assume-complete={}", kinds.join(","));
    // `complete` includes the namespaces, but a fixture rarely contains them. So the namespaces of the cluster are
    // another input file.
    let there = cluster.plane.kubectl_with(&["get", "namespaces", "-o", "name"], b"").stdout;
    let own: Vec<&str> = named(&fixture.objects, "Namespace").collect();
    let names = there.lines().filter_map(|line| line.strip_prefix("namespace/")).filter(|name| !own.contains(name));
    let bare = |name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let others = json!({"apiVersion": "v1", "kind": "List", "items": names.map(bare).collect::<Vec<_>>()}).to_string();
    let of_file = |more: &[&str]| {
        let arguments = [&arguments[..], &[&complete, "-f", &fixture.path, "-f", "-"], more].concat();
        findings(&Run::new(&arguments).current_dir(root()).stdin(others.as_bytes()).finish())
    };
    let newest = newest(fixture);
    let mut wrong = Vec::new();
    for later in [0, LATER] {
        let moment = Timestamp(newest.0 + later).to_string();
        let read = findings(&cluster.plane.pvctl(&[&arguments[..], &["-A", "--now", &moment]].concat()));
        let stated = of_file(&["--now", &moment]);
        let [more, less] = [only(&read, &stated), only(&stated, &read)].map(|some| json!(some));
        if read != stated {
            wrong.push(format!("only the cluster shows {more} and only the file {less}"));
        }
        // The newest time of the file as `--now` may change the severities, but not which findings there are.
        let unstated = of_file(&[]);
        if later == 0 && in_short(&stated) != in_short(&unstated) {
            let (with, without) = (json!(stated), json!(unstated));
            wrong.push(format!("with --now {moment} its file shows {with}, without --now {without}"));
        }
    }
    wrong
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn fixtures_are_what_an_api_server_stores() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut cluster = runtime.block_on(Cluster::start());
    let mut wrong = Vec::new();
    let fixtures: Vec<Fixture> = fixtures().into_iter().filter(|fixture| fixture.gate.is_none()).collect();
    for fixture in &fixtures {
        let (refusals, mut faults) = runtime.block_on(cluster.load(fixture));
        if fixture.refused.is_some() == refusals.is_empty() {
            faults.push(format!("said to be refused: {:?}; refused: {refusals:?}", fixture.refused));
        }
        faults.extend(misjudged(&cluster, fixture));
        wrong.extend(faults.into_iter().map(|fault| format!("{}: {fault}", fixture.path)));
        runtime.block_on(cluster.clear(&fixture.objects));
    }
    let refused = fixtures.iter().filter(|fixture| fixture.refused.is_some()).count();
    eprintln!("{} fixtures, {refused} of them with an object that the API refuses", fixtures.len());
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the objects of a fixture with names and uids that no other fixture has. The names of namespaces, of classes,
/// and of objects without a namespace are changed. The folders that the deleter of hostPath volumes removes are below
/// `scratch`.
pub(super) fn renamed(fixture: &Fixture, number: usize, scratch: &str) -> Vec<Value> {
    let mut objects = fixture.objects.clone();
    // CSIDrivers are left out. Their names cannot be changed, because controllers write the names of drivers into other
    // objects. The controllers of this test do not read CSIDrivers.
    objects.retain(|object| object["kind"] != "CSIDriver");
    let mut names = BTreeSet::new();
    let mut uids = BTreeMap::new();
    for object in &objects {
        let own = if text(object, "/metadata/namespace").is_empty() { "/metadata/name" } else { "/metadata/namespace" };
        let class = "/metadata/annotations/volume.beta.kubernetes.io~1storage-class";
        for place in [own, "/spec/storageClassName", class, "/spec/volumeName", "/spec/claimRef/namespace"] {
            names.insert(text(object, place).to_owned());
        }
        let uid = format!("{number:08x}-0000-4000-8000-{:012x}", uids.len());
        uids.insert(text(object, "/metadata/uid").to_owned(), uid);
    }
    names.remove("");
    uids.remove("");
    for object in &mut objects {
        each_text(object, &mut |text| {
            if names.contains(text) {
                *text = format!("{text}-f{number}");
            } else if let Some(uid) = uids.get(text) {
                text.clone_from(uid);
            }
        });
        if let Some(path) = object.pointer_mut("/spec/hostPath/path")
            && let Some(inside) = path.as_str().and_then(|path| path.strip_prefix("/tmp/"))
        {
            *path = format!("{scratch}/{inside}").into();
        }
    }
    objects
}

fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text(value, change)),
        Value::Object(fields) => fields.values_mut().for_each(|value| each_text(value, change)),
        _ => {}
    }
}

/// How a fixture can affect other fixtures in the same cluster, although its names are unique.
#[derive(Clone, Copy, Default)]
struct SearchReach {
    /// Whether it has a volume without a class that any claim may take.
    offers: bool,
    /// Whether it has a claim that may take such a volume.
    looks: bool,
    /// Whether it has a claim that would take a default class.
    is_open: bool,
    /// Whether it has a default class.
    has_default: bool,
    /// Whether it has a volume that is recycled. All recyclers share one template for their pod.
    recycles: bool,
}

impl SearchReach {
    fn of(objects: &[Value]) -> Self {
        let mut reach = Self::default();
        for object in objects {
            let annotated = text(object, "/metadata/annotations/volume.beta.kubernetes.io~1storage-class");
            let classless = annotated.is_empty() && text(object, "/spec/storageClassName").is_empty();
            match text(object, "/kind") {
                "PersistentVolume" => {
                    reach.offers |= classless && object["spec"]["claimRef"].is_null();
                    reach.recycles |= object["spec"]["persistentVolumeReclaimPolicy"] == "Recycle";
                }
                "PersistentVolumeClaim" if classless && text(object, "/spec/volumeName").is_empty() => {
                    reach.looks = true;
                    reach.is_open |= object["spec"]["storageClassName"].is_null();
                }
                "StorageClass" => reach.has_default |= is_default(object),
                _ => {}
            }
        }
        reach
    }

    fn touches(self, other: Self) -> bool {
        let one_way = |one: Self, other: Self| {
            (one.offers && other.looks) || (one.has_default && (other.is_open || other.has_default))
        };
        one_way(self, other) || one_way(other, self) || (self.recycles && other.recycles)
    }
}

/// Returns an object without the fields that every write changes.
fn content(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("resourceVersion");
        metadata.remove("managedFields");
    }
    object
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_controllers_change_nothing_in_fixtures_at_rest() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let scratch = tempfile::tempdir().expect("a folder");
    let mut cluster = runtime.block_on(Cluster::start());
    let fixtures: Vec<Fixture> = fixtures().into_iter().filter(|fixture| fixture.gate.is_none()).collect();
    // A fixture with flags is about another version of the controllers. So it is left out.
    let judged = fixtures.iter().enumerate().filter(|(_, fixture)| fixture.flags.is_empty());
    let mut batches: Vec<Vec<(usize, &Fixture, SearchReach)>> = Vec::new();
    for (number, fixture) in judged {
        let reach = SearchReach::of(&fixture.objects);
        let free = |batch: &&mut Vec<(_, _, SearchReach)>| !batch.iter().any(|(_, _, other)| reach.touches(*other));
        match batches.iter_mut().find(free) {
            Some(batch) => batch.push((number, fixture, reach)),
            None => batches.push(vec![(number, fixture, reach)]),
        }
    }
    let (mut wrong, mut at_rest) = (Vec::new(), 0);
    for batch in &batches {
        let mut of = BTreeMap::new();
        runtime.block_on(async {
            for (number, fixture, _) in batch {
                let objects = renamed(fixture, *number, &scratch.path().to_string_lossy());
                cluster.ensure_namespaces(&objects).await;
                for object in objects {
                    cluster.put(&object).await;
                    of.insert(key(&object), *fixture);
                }
            }
        });
        let before = runtime.block_on(stored(&cluster.api));
        cluster.plane.start_controllers();
        let mut after = runtime.block_on(settled(&cluster.api, &cluster.plane));
        cluster.plane.stop_controllers();
        let mut changes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (key, object) in before {
            let path = &of[&key].path;
            let (object, after) = (content(object), after.remove(&key).map_or(Value::Null, content));
            let mut differences = Vec::new();
            lost(&object, &after, &format!("before, {}", key.2), &mut differences);
            lost(&after, &object, &format!("afterwards, {}", key.2), &mut differences);
            changes.entry(path).or_default().extend(differences);
        }
        assert!(after.is_empty(), "nobody must create objects: {:?}", after.keys());
        // While a pod erases a volume, only the pod shows that the volume is being recycled.
        for pod in runtime.block_on(cluster.api.list("Pod")) {
            if let Some(volume) = text(&pod, "/metadata/name").strip_prefix("recycler-for-") {
                let path = &of[&("PersistentVolume".to_owned(), String::new(), volume.to_owned())].path;
                changes.entry(path).or_default().push(format!("{volume} is recycled"));
            }
        }
        for (_, fixture, _) in batch {
            let changes = changes.remove(fixture.path.as_str()).unwrap_or_default();
            at_rest += usize::from(fixture.at_rest);
            if fixture.at_rest != changes.is_empty() {
                let said = if fixture.at_rest { "is" } else { "is not" };
                wrong.push(format!("{}: it {said} said to be at rest, and changes in {changes:?}", fixture.path));
            }
        }
        runtime.block_on(cluster.clear(&[]));
    }
    eprintln!("{at_rest} of {} fixtures are at rest; {} starts of the controllers", fixtures.len(), batches.len());
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// The offered command for a VolumeAttachment deletes only this attachment. It does not delete a later attachment of
/// the same name.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn an_attachment_is_deleted_only_if_it_is_still_the_same() {
    let plane = Plane::without_admission();
    let attachment = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "csi-1"},
        "spec": {"attacher": "d", "nodeName": "gone", "source": {"persistentVolumeName": "pv"}},
    });
    let made = plane.kubectl_with(&["create", "-f", "-"], attachment.to_string().as_bytes());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let stored = plane.kubectl_with(&["get", "volumeattachment", "csi-1", "-o", "json"], b"").stdout;
    let stored: Value = serde_json::from_str(&stored).expect("an attachment");
    let body =
        |uid: &str| json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}}).to_string();
    let path = "/apis/storage.k8s.io/v1/volumeattachments/csi-1";
    let delete = |uid: &str| plane.kubectl_with(&["delete", "--raw", path, "-f", "-"], body(uid).as_bytes());
    let other = delete("00000000-0000-4000-8000-000000000000");
    assert!(other.code != Some(0) && other.stderr.contains("the UID in the precondition"), "{}", other.stderr);
    let same = delete(text(&stored, "/metadata/uid"));
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert_eq!(plane.kubectl_with(&["get", "volumeattachments", "-o", "name"], b"").stdout, "");
}
