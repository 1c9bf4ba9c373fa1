//! Worlds that the real controller manager settles. Every end must be one of the ends that were predicted before.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits until nothing moves, says how much it saw, and fails by panicking"
)]

use super::api::Api;
use super::plane::Plane;
use super::worlds::{RECORDINGS, World, is_default, recorded, stands_alone};
use pvctl::model::Object;
use pvctl::report::prediction::StateOut;
use pvctl::snapshot::{Item, decode};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often each world is settled.
const TIMES: usize = 3;

/// A world counts as settled after nothing has changed for this time, which is four resyncs.
const QUIET: Duration = Duration::from_secs(4);

/// The longest time to settle. If a world needs more time, it never settles.
const PATIENCE: Duration = Duration::from_mins(2);

pub(super) type Key = (String, String, String);

pub(super) fn key(object: &Value) -> Key {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&object["kind"]), text(&object["metadata"]["namespace"]), text(&object["metadata"]["name"]))
}

/// Returns the volumes and claims that are stored now.
pub(super) async fn stored(api: &Api) -> BTreeMap<Key, Value> {
    let mut all = api.list("PersistentVolume").await;
    all.extend(api.list("PersistentVolumeClaim").await);
    all.into_iter().map(|object| (key(&object), object)).collect()
}

/// Waits until nothing changes any more, and returns the volumes and claims.
pub(super) async fn settled(api: &Api, plane: &Plane) -> BTreeMap<Key, Value> {
    let begin = Instant::now();
    while !plane.log("kube-controller-manager").contains("Caches are synced") {
        assert!(
            begin.elapsed() < PATIENCE,
            "the controllers must start in time: {}",
            plane.log("kube-controller-manager")
        );
        thread::sleep(Duration::from_millis(100));
    }
    let (mut last, mut since) = (stored(api).await, Instant::now());
    while since.elapsed() < QUIET {
        thread::sleep(Duration::from_millis(250));
        let now = stored(api).await;
        if now != last {
            (last, since) = (now, Instant::now());
        }
        assert!(begin.elapsed() < PATIENCE, "the objects must stop changing in time");
    }
    last
}

/// Returns the state of an object in the form of an outcome.
pub(super) fn state(object: Option<&Value>) -> Value {
    let Some(object) = object else { return json!({"gone": true}) };
    let text = serde_json::to_string(object).unwrap();
    let state = match decode::decode(text.as_bytes(), "the cluster").unwrap() {
        Item::Object(Object::PersistentVolume(volume)) => serde_json::to_value(StateOut::of_volume(&volume)),
        Item::Object(Object::PersistentVolumeClaim(claim)) => serde_json::to_value(StateOut::of_claim(&claim)),
        other => panic!("the object must be a volume or a claim: {other:?}"),
    };
    state.unwrap()
}

/// The controllers that are started in these tests.
const CONTROLLERS: &str = "*,-ephemeral-volume-controller";

/// Returns the prediction for every object: its outcomes, and whether the set is exact. Parts of an outcome that no
/// stored object shows are left out.
pub(super) fn predicted(plane: &Plane) -> BTreeMap<Key, (Vec<Value>, bool)> {
    let run = plane.pvctl(&["predict", "-A", "-o", "json", "--outcomes", "all", "--controllers", CONTROLLERS]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let items = answer["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            assert_eq!((&item["assumed"], &item["unknown"]), (&Value::Null, &Value::Null), "{item}");
            (
                key_of(&item["object"]),
                (item["outcomes"].as_array().unwrap().iter().map(shown).collect(), item["exact"] == true),
            )
        })
        .collect()
}

/// Returns the key of an object that an answer names.
pub(super) fn key_of(named: &Value) -> Key {
    key(&json!({"kind": named["kind"], "metadata": {"namespace": named["namespace"], "name": named["name"]}}))
}

/// Returns the parts of an outcome that stored objects show.
pub(super) fn shown(outcome: &Value) -> Value {
    let mut outcome = outcome.clone();
    for field in ["data", "unsettled", "created"] {
        outcome.as_object_mut().unwrap().remove(field);
    }
    outcome
}

/// How many objects reached an end, and how many of these differ from their initial state.
#[derive(Debug, Default)]
struct Tally {
    worlds: usize,
    refused: BTreeMap<u16, usize>,
    objects: usize,
    changed: usize,
    several: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.worlds += other.worlds;
        self.objects += other.objects;
        self.changed += other.changed;
        self.several += other.several;
        for (code, times) in other.refused {
            *self.refused.entry(code).or_default() += times;
        }
    }
}

/// Lets the controllers settle the stored objects, and compares the end of every object with the earlier prediction.
async fn settle(plane: &mut Plane, api: &Api, tally: &mut Tally) -> Vec<String> {
    let before = stored(api).await;
    let predicted = predicted(plane);
    plane.start_controllers();
    let after = settled(api, plane).await;
    plane.stop_controllers();
    let mut wrong = Vec::new();
    for (key, recorded) in &before {
        let (outcomes, exact) = predicted.get(key).expect("every stored object must have a prediction");
        let end = state(after.get(key));
        tally.objects += 1;
        tally.changed += usize::from(end != state(Some(recorded)));
        tally.several += usize::from(outcomes.len() > 1);
        if !outcomes.contains(&end) {
            wrong.push(format!("{key:?} (exact: {exact}) ends {end}, of {outcomes:?}; it was {recorded}"));
        }
    }
    wrong
}

/// Removes everything from the cluster that worlds can contain.
pub(super) async fn clear(api: &Api) {
    for kind in ["PersistentVolumeClaim", "PersistentVolume", "Pod", "Node", "StorageClass", "VolumeAttributesClass"] {
        api.clear(kind).await;
    }
}

/// How many worlds are in one cluster at the same time.
const AT_ONCE: usize = 260;

/// Many worlds share one cluster, each with its own namespaces, classes and names.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn many_worlds_at_once_end_as_predicted() {
    let scratch = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut plane = Plane::without_admission();
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let lines: Vec<_> = RECORDINGS.iter().flat_map(|file| recorded(file)).filter(|line| !stands_alone(line)).collect();
    for time in 0..TIMES {
        let api = runtime.block_on(Api::of(&plane));
        tally.worlds = 0;
        for (place, line) in lines.iter().enumerate() {
            if tally.worlds >= AT_ONCE {
                break;
            }
            let world = World::new(line, &format!("w{place}t{time}"), &scratch.path().to_string_lossy());
            match runtime.block_on(world.load(&api)) {
                Ok(()) => tally.worlds += 1,
                Err(refused) => *tally.refused.entry(refused.code).or_default() += 1,
            }
        }
        wrong.extend(runtime.block_on(settle(&mut plane, &api, &mut tally)));
        runtime.block_on(clear(&api));
    }
    eprintln!("{tally:?}");
    assert!(wrong.is_empty(), "{} wrong ends: {}", wrong.len(), wrong.join("\n"));
    assert!(tally.worlds == AT_ONCE, "{tally:?}");
    assert!(tally.changed > 0 && tally.several > 0, "{tally:?}");
}

/// How many worlds are settled alone, and on how many control planes at the same time. Most of the time is spent
/// waiting.
const ALONE: usize = 66;
const PLANES: usize = 3;

/// Each world has a cluster of its own, because other worlds would change its ends. It has claims without a class and
/// any number of default classes, or volumes that are recycled.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn worlds_alone_end_as_predicted() {
    let lines: Vec<_> = RECORDINGS.iter().flat_map(|file| recorded(file)).filter(stands_alone).collect();
    let defaults = |line: &xtask::line::Line| line.world.items.iter().filter(|item| is_default(item)).count();
    // Worlds with no, one and several default classes are chosen in turn, as long as there are any.
    let mut sorts: Vec<Vec<_>> = vec![Vec::new(); 3];
    for line in &lines {
        sorts[defaults(line).min(2)].push(line);
    }
    let chosen: Vec<_> =
        (0..lines.len()).flat_map(|place| sorts.iter().filter_map(move |sort| sort.get(place))).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Tally::default(), [0; 3], Vec::new())));
    let work = || {
        let scratch = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut plane = Plane::without_admission();
        let api = runtime.block_on(Api::of(&plane));
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(line) = chosen.get(place) else { return };
            if done.lock().unwrap().0.worlds >= ALONE {
                return;
            }
            let (mut tally, mut wrong) = (Tally::default(), Vec::new());
            for _ in 0..TIMES {
                let world = World::new(line, "x", &scratch.path().to_string_lossy());
                let loaded = runtime.block_on(world.load(&api));
                if let Err(refused) = &loaded {
                    *tally.refused.entry(refused.code).or_default() += 1;
                } else {
                    wrong.extend(runtime.block_on(settle(&mut plane, &api, &mut tally)));
                }
                runtime.block_on(clear(&api));
                if loaded.is_err() {
                    break;
                }
                tally.worlds = 1;
            }
            let mut done = done.lock().unwrap();
            done.1[defaults(line).min(2)] += tally.worlds;
            done.0.add(tally);
            done.2.extend(wrong.into_iter().map(|wrong| format!("{}: {wrong}", line.id)));
        }
    };
    thread::scope(|scope| {
        for _ in 0..PLANES {
            scope.spawn(work);
        }
    });
    let (tally, defaults, wrong) = done.into_inner().unwrap();
    eprintln!("{tally:?}, by number of default classes {defaults:?}");
    assert!(wrong.is_empty(), "{} wrong ends: {}", wrong.len(), wrong.join("\n"));
    assert!(tally.worlds >= 60 && defaults.iter().all(|worlds| *worlds > 0), "{tally:?} {defaults:?}");
    assert!(tally.changed > 0 && tally.several > 0, "{tally:?}");
}
