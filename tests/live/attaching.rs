//! Worlds in which the real attach/detach controller acts. The test acts in place of the attachers: some attach and
//! detach, some fail, and some do nothing. Every end of a volume's attachments must be one of the ends that
//! `predict --attachments` says before, and the controller must record the events that follow from these ends.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits until nothing moves, says how much it saw, and fails by panicking"
)]

use super::api::{Api, path};
use super::plane::Plane;
use super::scheduling::clear;
use super::worlds::{World, recorded};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use xtask::line::Line;

/// How many worlds are tested, and on how many control planes at the same time. Most of the time is spent waiting.
const WORLDS: usize = 100;
const PLANES: usize = 4;

/// The environment variable with the ids of the worlds to test, separated by commas.
const ONLY: &str = "PVCTL_WORLDS";

/// A world counts as settled after nothing has changed for this time. The controller checks every two seconds whether
/// volumes are still attached.
const QUIET: Duration = Duration::from_secs(5);

/// The quiet time of a second run. A world counts as wrong only if it also has a wrong end in the second run.
const LONG_QUIET: Duration = Duration::from_secs(12);

/// The longest time to settle, besides the quiet time.
const PATIENCE: Duration = Duration::from_secs(15);

/// The longest time until the controller runs.
const START: Duration = Duration::from_mins(1);

/// The flags of kube-controller-manager. A detachment by force would take six minutes.
const FLAGS: [(&str, &str); 2] =
    [("disable-force-detach-on-timeout", "true"), ("attach-detach-reconcile-sync-period", "2s")];

/// The prefix of the finalizer of an attacher.
const FINALIZER: &str = "external-attacher/";

/// How many worlds and volumes were compared.
#[derive(Debug, Default)]
struct Tally {
    worlds: usize,
    /// The worlds that the API server does not store.
    refused: usize,
    /// The worlds that never settle.
    restless: usize,
    volumes: usize,
    /// The volumes whose ends are not predicted, because too many are possible.
    unknown: usize,
    changed: usize,
    several: usize,
    /// The events that were expected and found.
    blocked: usize,
    succeeded: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.worlds += other.worlds;
        self.refused += other.refused;
        self.restless += other.restless;
        self.volumes += other.volumes;
        self.unknown += other.unknown;
        self.changed += other.changed;
        self.several += other.several;
        self.blocked += other.blocked;
        self.succeeded += other.succeeded;
    }
}

/// What the attacher of a driver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attacher {
    Works,
    Fails,
    Absent,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns what the attacher of the driver does in this world.
fn attacher(line: &Line, driver: &str) -> Attacher {
    let letters = line.id.bytes().chain(driver.bytes());
    match letters.map(usize::from).sum::<usize>() % 5 {
        0 => Attacher::Fails,
        1 => Attacher::Absent,
        _ => Attacher::Works,
    }
}

/// Returns whether the attacher asks its driver. To attach a volume, the volume must not be in deletion, and the driver
/// must be registered on the node. To detach one, the id of the node must be known.
fn can_attach(record: &Value, volumes: &[Value], nodes: &[Value]) -> bool {
    let is_named = |object: &&Value, name: &Value| object["metadata"]["name"] == *name;
    let spec = &record["spec"];
    let node = nodes.iter().find(|node| is_named(node, &spec["nodeName"]));
    let drivers = node.and_then(|node| node["spec"]["drivers"].as_array());
    let is_registered = drivers.into_iter().flatten().any(|driver| driver["name"] == spec["attacher"]);
    let volume = volumes.iter().find(|volume| is_named(volume, &spec["source"]["persistentVolumeName"]));
    if record["metadata"]["deletionTimestamp"].is_null() {
        let is_deleted = |volume: &Value| !volume["metadata"]["deletionTimestamp"].is_null();
        is_registered && volume.is_some_and(|volume| !is_deleted(volume))
    } else {
        let is_known = !record["metadata"]["annotations"]["csi.alpha.kubernetes.io/node-id"].is_null();
        (is_registered || is_known) && volume.is_some()
    }
}

/// Acts in place of the attachers, once.
async fn attach(api: &Api, line: &Line) {
    let (volumes, nodes) = (api.list("PersistentVolume").await, api.list("CSINode").await);
    for mut record in api.list("VolumeAttachment").await {
        let does = match attacher(line, text(&record["spec"]["attacher"])) {
            Attacher::Works if !can_attach(&record, &volumes, &nodes) => Attacher::Fails,
            other => other,
        };
        let is_deleted = !record["metadata"]["deletionTimestamp"].is_null();
        let finalizers = record["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        let is_kept = finalizers.iter().any(|name| text(name).starts_with(FINALIZER));
        let has_work = if is_deleted { is_kept } else { record["status"]["attached"] != true };
        if does == Attacher::Absent || !has_work {
            continue;
        }
        // The controller may write the object at the same time. Then a later call does the same.
        if does == Attacher::Fails {
            let field = if is_deleted { "detachError" } else { "attachError" };
            if record["status"][field].is_null() {
                record["status"][field] = json!({"time": "2026-11-27T10:00:00Z", "message": "no room"});
                record["status"]["attached"] = json!(record["status"]["attached"] == true);
                _ = api.replace_status(&record).await;
            }
        } else if is_deleted {
            record["metadata"]["finalizers"] =
                finalizers.into_iter().filter(|name| !text(name).starts_with(FINALIZER)).collect();
            _ = api.replace(&record).await;
        } else {
            if !is_kept {
                let own = format!("{FINALIZER}{}", text(&record["spec"]["attacher"]).replace('.', "-"));
                record["metadata"]["finalizers"] = finalizers.into_iter().chain([json!(own)]).collect();
                let Ok(stored) = api.replace(&record).await else { continue };
                record["metadata"] = stored["metadata"].clone();
            }
            record["status"] = json!({"attached": true});
            _ = api.replace_status(&record).await;
        }
    }
}

/// Returns the VolumeAttachments by name, and what the status of each node lists as attached.
async fn stored(api: &Api) -> (BTreeMap<String, Value>, BTreeMap<String, BTreeSet<String>>) {
    let name = |object: &Value| text(&object["metadata"]["name"]).to_owned();
    let failed =
        |record: &Value| !record["status"]["attachError"].is_null() || !record["status"]["detachError"].is_null();
    let records = api.list("VolumeAttachment").await.into_iter().map(|record| {
        let mut state = json!({
            "name": name(&record), "node": record["spec"]["nodeName"], "attached": record["status"]["attached"] == true,
        });
        if !record["metadata"]["deletionTimestamp"].is_null() {
            state["deleting"] = json!(true);
        }
        if failed(&record) {
            state["failed"] = json!(true);
        }
        state["volume"] = record["spec"]["source"]["persistentVolumeName"].clone();
        (name(&record), state)
    });
    let records = records.collect();
    let nodes = api.list("Node").await.into_iter().map(|node| {
        let listed = node["status"]["volumesAttached"].as_array().cloned().unwrap_or_default();
        (name(&node), listed.iter().map(|entry| text(&entry["name"]).to_owned()).collect())
    });
    (records, nodes.collect())
}

/// Writes each node once more, as a kubelet does. The controller then learns what the node has mounted.
async fn beat(api: &Api) {
    for node in api.list("Node").await {
        let patch = json!({"metadata": {"annotations": {"example.com/heartbeat": "1"}}});
        let place = path("Node", "", text(&node["metadata"]["name"]));
        _ = api.patch(&place, "application/merge-patch+json", &patch).await;
    }
}

/// Waits until nothing changes any more, or until the longest time has passed. Returns whether the world settled.
async fn settle(api: &Api, plane: &Plane, line: &Line, quiet: Duration) -> bool {
    let begin = Instant::now();
    while !plane.log("kube-controller-manager").contains("Caches are synced") {
        assert!(begin.elapsed() < START, "{}", plane.log("kube-controller-manager"));
        thread::sleep(Duration::from_millis(100));
    }
    beat(api).await;
    let begin = Instant::now();
    let (mut last, mut since) = (stored(api).await, Instant::now());
    while since.elapsed() < quiet && begin.elapsed() < PATIENCE + quiet {
        attach(api, line).await;
        thread::sleep(Duration::from_millis(100));
        let now = stored(api).await;
        if now != last {
            since = Instant::now();
        }
        last = now;
    }
    since.elapsed() >= quiet
}

/// Returns the messages of the events of this reason about the pods, by the uid of the pod.
async fn events(api: &Api, reason: &str) -> BTreeMap<String, Vec<String>> {
    let mut messages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in api.list("Event").await.into_iter().filter(|event| event["reason"] == reason) {
        let about = text(&event["involvedObject"]["uid"]).to_owned();
        messages.entry(about).or_default().push(text(&event["message"]).to_owned());
    }
    messages
}

/// Compares the end of each volume with the prediction.
fn compare(
    predicted: &Value,
    before: &(BTreeMap<String, Value>, BTreeMap<String, BTreeSet<String>>),
    after: &(BTreeMap<String, Value>, BTreeMap<String, BTreeSet<String>>),
    tally: &mut Tally,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut unknown: Vec<&Value> = Vec::new();
    for entry in predicted["attachments"].as_array().unwrap() {
        let nodes: BTreeSet<&str> = entry["nodes"].as_array().unwrap().iter().map(text).collect();
        let outcomes = entry["outcomes"].as_array();
        let all = outcomes.into_iter().flatten().chain([&entry["recorded"]]);
        let names: BTreeSet<&str> =
            all.flat_map(|end| end["attachments"].as_array().unwrap()).map(|record| text(&record["name"])).collect();
        known.extend(names.iter().map(|name| (*name).to_owned()));
        let Some(outcomes) = outcomes else {
            tally.unknown += 1;
            unknown.push(entry);
            continue;
        };
        let end = |(records, listing): &(BTreeMap<String, Value>, BTreeMap<String, BTreeSet<String>>)| {
            let is_it = |record: &&Value| {
                let is_of_volume = !entry["volume"].is_null() && record["volume"] == entry["volume"];
                names.contains(text(&record["name"])) || (is_of_volume && nodes.contains(text(&record["node"])))
            };
            let state = |record: &Value| {
                let mut state = record.clone();
                _ = state.as_object_mut().unwrap().remove("volume");
                state
            };
            let listed = listing.iter().filter(|(_, volumes)| volumes.contains(text(&entry["uniqueName"])));
            let listed: Vec<&String> =
                listed.map(|(node, _)| node).filter(|node| nodes.contains(node.as_str())).collect();
            json!({
                "attachments": records.values().filter(is_it).map(state).collect::<Vec<Value>>(), "listedOn": listed,
            })
        };
        let (was, is) = (end(before), end(after));
        tally.volumes += 1;
        tally.several += usize::from(outcomes.len() > 1);
        tally.changed += usize::from(was != is);
        if !outcomes.contains(&is) {
            wrong.push(format!("{entry:#} ends {is}; it was {was}"));
        }
    }
    // Nothing is said about the VolumeAttachments of a volume whose ends are unknown.
    let is_open = |record: &Value| {
        unknown.iter().any(|entry| {
            let nodes = entry["nodes"].as_array().unwrap();
            nodes.contains(&record["node"]) && (record["volume"].is_null() || record["volume"] == entry["volume"])
        })
    };
    let new = after
        .0
        .iter()
        .filter(|(name, record)| !before.0.contains_key(*name) && !known.contains(*name) && !is_open(record));
    wrong.extend(new.map(|(name, _)| format!("{name} is not in the prediction")));
    wrong
}

/// Compares the events with the ends: a pod whose volume is attached elsewhere, and a volume that was attached.
async fn compare_events(
    api: &Api,
    plane: &Plane,
    before: &BTreeMap<String, Value>,
    after: &BTreeMap<String, Value>,
    tally: &mut Tally,
) -> Vec<String> {
    let (failed, succeeded) = (events(api, "FailedAttachVolume").await, events(api, "SuccessfulAttachVolume").await);
    let mut wrong = Vec::new();
    for pod in api.list("Pod").await {
        let (namespace, name) = (text(&pod["metadata"]["namespace"]), text(&pod["metadata"]["name"]));
        let uid = text(&pod["metadata"]["uid"]);
        let flags = FLAGS.map(|(flag, value)| format!("--controller-flag={flag}={value}"));
        let object = format!("pod/{name}");
        let run = plane.pvctl(&["explain", &object, "-n", namespace, "-o", "json", &flags[0], &flags[1]]);
        let explained: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        for one in explained["attachments"].as_array().into_iter().flatten() {
            let leaves: Vec<&str> = one["leaves"].as_array().unwrap().iter().map(|leaf| text(&leaf["name"])).collect();
            let has = |all: &BTreeMap<String, Vec<String>>, start: &str| {
                all.get(uid).is_some_and(|messages| messages.iter().any(|message| message.starts_with(start)))
            };
            let volume = text(&one["volume"]);
            if leaves == ["AttachBlocked"] {
                tally.blocked += 1;
                if !has(&failed, &format!("Multi-Attach error for volume \"{volume}\"")) {
                    wrong.push(format!("no event says that {volume} of pod {namespace}/{name} is attached elsewhere"));
                }
            }
            let attached = text(&one["attachment"]);
            if leaves == ["AttachDone"] && after.contains_key(attached) && !before.contains_key(attached) {
                tally.succeeded += 1;
                if !has(&succeeded, &format!("AttachVolume.Attach succeeded for volume \"{volume}\"")) {
                    wrong.push(format!("no event says that {volume} was attached for pod {namespace}/{name}"));
                }
            }
        }
    }
    wrong
}

/// Predicts the ends of the stored world, lets everybody act, and compares.
async fn act(plane: &mut Plane, api: &Api, line: &Line, quiet: Duration, tally: &mut Tally) -> Vec<String> {
    let before = stored(api).await;
    let flags = FLAGS.map(|(flag, value)| format!("--controller-flag={flag}={value}"));
    let run = plane.pvctl(&["predict", "-A", "--attachments", "-o", "json", &flags[0], &flags[1]]);
    assert!(matches!(run.code, Some(0 | 3)), "{}\n{}", run.stderr, run.stdout);
    let predicted: Value = serde_json::from_str(&run.stdout).unwrap();
    plane.start_attaching(&FLAGS);
    let is_settled = settle(api, plane, line, quiet).await;
    let after = stored(api).await;
    tally.worlds += 1;
    tally.restless += usize::from(!is_settled);
    let mut wrong = compare(&predicted, &before, &after, tally);
    if wrong.is_empty() && is_settled {
        wrong = compare_events(api, plane, &before.0, &after.0, tally).await;
    }
    plane.stop_controllers();
    wrong
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn attachments_end_where_the_controller_leads_them() {
    let mut lines = recorded("attaching-1.36.3.jsonl.gz");
    let only = std::env::var(ONLY).unwrap_or_default();
    if !only.is_empty() {
        lines.retain(|line| only.split(',').any(|id| line.id == id));
    }
    // The controller writes the node of a name that it does not know twenty times in each second.
    lines.retain(|line| !line.tags.iter().any(|tag| tag == "unknown-name"));
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Tally::default(), Vec::new())));
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut plane = Plane::without_admission();
        let api = runtime.block_on(Api::of(&plane));
        loop {
            let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            if done.lock().unwrap().0.worlds >= WORLDS {
                return;
            }
            let (mut tally, mut wrong) = (Tally::default(), Vec::new());
            for quiet in [QUIET, LONG_QUIET] {
                tally = Tally::default();
                match runtime.block_on(World::alone(line).load(&api)) {
                    Ok(()) => wrong = runtime.block_on(act(&mut plane, &api, line, quiet, &mut tally)),
                    Err(refused) => {
                        assert!(matches!(refused.code, 409 | 422), "{}: {refused:?}", line.id);
                        tally.refused += 1;
                    }
                }
                runtime.block_on(clear(&api));
                if wrong.is_empty() {
                    break;
                }
                eprintln!("{} after {quiet:?}: {}", line.id, wrong.join("\n"));
            }
            let mut done = done.lock().unwrap();
            done.0.add(&tally);
            done.1.extend(wrong.into_iter().map(|wrong| format!("{}: {wrong}", line.id)));
        }
    };
    thread::scope(|scope| {
        for _ in 0..PLANES {
            scope.spawn(work);
        }
    });
    let (tally, wrong) = done.into_inner().unwrap();
    eprintln!("{tally:?}");
    assert!(wrong.is_empty(), "{} wrong ends:\n{}", wrong.len(), wrong.join("\n"));
    if only.is_empty() {
        assert!(tally.worlds >= WORLDS, "too few worlds: {tally:?}");
        assert!(tally.volumes > 100 && tally.changed > 30 && tally.several > 20, "the worlds are too weak: {tally:?}");
        assert!(tally.blocked >= 3 && tally.succeeded > 10, "too few events were compared: {tally:?}");
        assert!(tally.restless <= 10 && tally.unknown <= 10, "too little was compared: {tally:?}");
    }
}
