//! Pods that the real scheduler schedules. It must write what was predicted: the message of the condition, the node of
//! the pod, or the volumes and claims that it prepares for a node.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits for the scheduler, says how much it saw, and fails by panicking"
)]

use super::api::{Api, Refused, path};
use super::plane::Plane;
use super::worlds::{World, recorded};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use xtask::line::Line;

/// How many worlds are tested, and on how many control planes at the same time. Most of the time is spent waiting.
const WORLDS: usize = 150;
const PLANES: usize = 3;

/// The longest time until the caches of the scheduler have what was stored.
const LAG: Duration = Duration::from_millis(300);

/// The longest time that the scheduler needs for a pod, and the time without a change after which its writes count as
/// complete.
const PATIENCE: Duration = Duration::from_secs(20);
const QUIET: Duration = Duration::from_millis(400);

/// How long the test watches a pod about which the scheduler may write nothing.
const SILENCE: Duration = Duration::from_secs(3);

/// The gate that keeps a pod out of the queue until all other objects are stored.
const GATE: &str = "example.com/everything-is-stored";

/// The kinds of which a world can have objects.
const KINDS: [&str; 11] = [
    "Pod",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "VolumeAttachment",
    "CSIStorageCapacity",
    "CSINode",
    "CSIDriver",
    "Node",
    "StorageClass",
    "VolumeAttributesClass",
    "Namespace",
];

/// States that the file has all objects of these kinds, even if it has no object of a kind.
const COMPLETE: &str = "--assume-complete=persistentvolumes,persistentvolumeclaims,storageclasses,pods,nodes,namespaces,\
                        csinodes,csidrivers,csistoragecapacities,volumeattachments";

/// The error if the scheduler writes a claim twice in one cycle because the pod mounts it twice. In the next cycle the
/// node is already selected.
const TWICE: &str = "running PreBind plugin \"VolumeBinding\": Operation cannot be fulfilled on persistentvolumeclaims";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns whether the scheduler must find a node for the pod.
fn is_waiting(item: &Value) -> bool {
    let gates = item["spec"]["schedulingGates"].as_array().map_or(0, Vec::len);
    item["kind"] == "Pod"
        && item["spec"]["nodeName"].is_null()
        && item["metadata"]["deletionTimestamp"].is_null()
        && !["Succeeded", "Failed"].contains(&item["status"]["phase"].as_str().unwrap_or_default())
        && gates == 0
        && ["", "default-scheduler"].contains(&item["spec"]["schedulerName"].as_str().unwrap_or_default())
}

/// Returns the world without its waiting pods, and one of these pods. With several pods their order would matter.
/// Returns `None` if no pod waits.
fn with_one_pod(line: &Line, place: usize) -> Option<(Line, Value)> {
    let waiting: Vec<&Value> = line.world.items.iter().filter(|item| is_waiting(item)).collect();
    let chosen = (*waiting.get(place % waiting.len().max(1))?).clone();
    let mut line = line.clone();
    line.world.items.retain(|item| !is_waiting(item));
    Some((line, chosen))
}

/// What the scheduler has written about the pod.
#[derive(Clone, Debug, PartialEq)]
struct Written {
    /// The node of the pod.
    node: String,
    /// The reason and the message of its condition, unless they are about the gate.
    condition: Option<(String, String)>,
    /// The volumes that were reserved, each with its claim.
    reserved: BTreeMap<String, String>,
    /// The claims for which a node was selected, each with the node.
    selected: BTreeMap<String, String>,
}

async fn written(api: &Api, pod: &str, before: &BTreeMap<String, String>) -> Written {
    let pod = api.get(pod).await.expect("the pod is there");
    let conditions = pod["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let condition = conditions.iter().find(|condition| condition["type"] == "PodScheduled");
    let condition = condition.filter(|condition| condition["status"] == "False");
    let condition = condition.map(|condition| (text(&condition["reason"]), text(&condition["message"])));
    let (reserved, selected) = marks(api).await;
    let changed =
        |all: BTreeMap<String, String>| all.into_iter().filter(|(name, _)| !before.contains_key(name)).collect();
    Written {
        node: text(&pod["spec"]["nodeName"]),
        condition: condition.filter(|(reason, _)| reason != "SchedulingGated"),
        reserved: changed(reserved),
        selected: changed(selected),
    }
}

/// Returns the reserved volumes with their claims, and the claims with their selected nodes.
async fn marks(api: &Api) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let volumes = api.list("PersistentVolume").await;
    let reserved =
        volumes.iter().map(|volume| (text(&volume["metadata"]["name"]), text(&volume["spec"]["claimRef"]["name"])));
    let claims = api.list("PersistentVolumeClaim").await;
    let selected = claims.iter().map(|claim| {
        let node = &claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"];
        (text(&claim["metadata"]["name"]), text(node))
    });
    let set = |(_, value): &(String, String)| !value.is_empty();
    (reserved.filter(set).collect(), selected.filter(set).collect())
}

/// How many pods got each answer.
#[derive(Debug, Default)]
struct Tally {
    worlds: usize,
    refused: BTreeMap<u16, usize>,
    rejected: usize,
    before_filter: usize,
    placed: usize,
    reserved: usize,
    selected: usize,
    several: usize,
    silent: usize,
    twice: usize,
}

/// Returns whether the pod has several volumes of one claim.
fn mounts_twice(pod: &Value) -> bool {
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    let claims: Vec<&Value> = volumes.map(|volume| &volume["persistentVolumeClaim"]["claimName"]).collect();
    let named = || claims.iter().filter(|claim| !claim.is_null());
    named().count() > named().map(ToString::to_string).collect::<BTreeSet<_>>().len()
}

/// Returns whether the scheduler has written this message. After it, the scheduler may have written more, such as the
/// result of the preemption.
pub(super) fn is_message(said: &str, written: &str) -> bool {
    let rest = written.strip_prefix(said);
    rest.is_some_and(|rest| rest.is_empty() || rest.contains("preemption:") || rest.starts_with(' '))
}

/// Returns how the prediction differs from what the scheduler wrote, if it does.
fn difference(predicted: &Value, written: &Written, tally: &mut Tally) -> Option<String> {
    let wrong = |why: &str| Some(format!("{why}: {written:?}\nof {predicted}"));
    let alternatives = predicted["alternatives"].as_array().cloned().unwrap_or_default();
    let messages = alternatives.iter().map(|other| &other["message"]).chain([&predicted["message"]]);
    let messages: BTreeSet<&str> = messages.filter_map(Value::as_str).collect();
    tally.several += usize::from(messages.len() > 1);
    if let Some((reason, message)) = &written.condition {
        tally.rejected += 1;
        tally.before_filter += usize::from(predicted["stage"] == "preFilter");
        if predicted["conditionReason"] != *reason || !messages.iter().any(|said| is_message(said, message)) {
            return wrong("another message");
        }
        return None;
    }
    let nodes: Vec<&Value> =
        predicted["nodes"].as_array().into_iter().flatten().filter(|node| node["canFit"] == true).collect();
    if nodes.is_empty() {
        return wrong("no node should fit");
    }
    tally.placed += usize::from(!written.node.is_empty());
    tally.reserved += usize::from(!written.reserved.is_empty());
    tally.selected += usize::from(!written.selected.is_empty());
    let agrees = |node: &&&Value| {
        let name = text(&node["name"]);
        let empty = Vec::new();
        let bind = node["bind"].as_array().unwrap_or(&empty);
        let provision: BTreeSet<String> = node["provision"].as_array().into_iter().flatten().map(text).collect();
        let may_bind = |volume: &str, claim: &str| {
            bind.iter().any(|each| {
                each["claim"] == claim && each["volumes"].as_array().is_some_and(|all| all.contains(&json!(volume)))
            })
        };
        (written.node.is_empty() || written.node == name)
            && written.reserved.iter().all(|(volume, claim)| may_bind(volume, claim))
            && written.selected.iter().all(|(claim, selected)| *selected == name && provision.contains(claim))
    };
    if !nodes.iter().any(|node| agrees(&node)) {
        return wrong("no node has this answer");
    }
    None
}

/// Returns whether the scheduler may wait and write nothing. This is so if, for some node, all volumes are already
/// reserved and all claims already have a selected node. No controller binds the claims.
fn can_be_silent(predicted: &Value, before: &BTreeMap<String, String>) -> bool {
    let is_done = |node: &Value| {
        let bind =
            node["bind"].as_array().into_iter().flatten().filter_map(|each| each["volumes"].as_array()).flatten();
        let provision = node["provision"].as_array().into_iter().flatten();
        let mut all = bind.chain(provision).peekable();
        all.peek().is_some() && all.all(|name| before.contains_key(&text(name)))
    };
    predicted["nodes"].as_array().into_iter().flatten().any(|node| node["canFit"] == true && is_done(node))
}

/// Removes everything from the cluster that a world can have. Namespaces stay.
pub(super) async fn clear(api: &Api) {
    for kind in KINDS.into_iter().filter(|kind| *kind != "Namespace") {
        api.clear(kind).await;
    }
}

/// Loads a world, lets the scheduler handle the pod, and compares.
async fn compare_world(
    api: &Api,
    plane: &Plane,
    line: &Line,
    pod: &Value,
    folder: &str,
    tally: &mut Tally,
) -> Result<Option<String>, Refused> {
    World::alone(line).load(api).await?;
    let mut pod = pod.clone();
    for given in ["uid", "resourceVersion", "creationTimestamp"] {
        pod["metadata"].as_object_mut().expect("an object's metadata").remove(given);
    }
    pod.as_object_mut().expect("an object").remove("status");
    pod["spec"]["schedulingGates"] = json!([{"name": GATE}]);
    let namespace = text(&pod["metadata"]["namespace"]);
    let own = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
    if let Err(refused) = api.create(&own).await
        && refused.code != 409
    {
        return Err(refused);
    }
    let stored = api.create(&pod).await?;
    let name = text(&stored["metadata"]["name"]);

    let mut items = Vec::new();
    for kind in KINDS {
        items.extend(api.list(kind).await);
    }
    for item in items.iter_mut().filter(|item| item["metadata"]["uid"] == stored["metadata"]["uid"]) {
        item["spec"].as_object_mut().expect("a specification").remove("schedulingGates");
    }
    let file = format!("{folder}/world.json");
    fs::write(&file, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
    let asked = ["explain", &format!("pod/{name}"), "-n", &namespace, "-f", &file, "-o", "json", COMPLETE];
    let run = plane.pvctl(&asked);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();

    let (mut before, selected) = marks(api).await;
    before.extend(selected);
    thread::sleep(LAG);
    let path = path("Pod", &namespace, &name);
    let without = json!({"spec": {"schedulingGates": []}});
    api.patch(&path, "application/merge-patch+json", &without).await?;
    let begin = Instant::now();
    let (mut last, mut since) = (written(api, &path, &before).await, Instant::now());
    let nothing = |written: &Written| {
        written.node.is_empty()
            && written.condition.is_none()
            && written.reserved.is_empty()
            && written.selected.is_empty()
    };
    let scheduling = &answer["scheduling"];
    let patience = if can_be_silent(scheduling, &before) { SILENCE } else { PATIENCE };
    while nothing(&last) || since.elapsed() < QUIET {
        if begin.elapsed() >= patience {
            let silent = nothing(&last) && patience == SILENCE;
            tally.worlds += 1;
            tally.silent += 1;
            return Ok((!silent).then(|| format!("the scheduler does not come to rest: {last:?}\nof {scheduling}")));
        }
        thread::sleep(Duration::from_millis(50));
        let now = written(api, &path, &before).await;
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    tally.worlds += 1;
    if mounts_twice(&pod) && last.condition.as_ref().is_some_and(|(_, message)| message.starts_with(TWICE)) {
        tally.twice += 1;
        last.condition = None;
    }
    Ok(difference(scheduling, &last, tally))
}

/// Only the scheduler runs. So the world stays as it was when it was predicted.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_scheduler_writes_what_is_predicted() {
    let mut lines = recorded("scheduling-handmade-1.36.3.jsonl.gz");
    lines.extend(recorded("scheduling-1.36.3.jsonl.gz"));
    // The scheduler can delete pods of lower priority. Then the world does not stay as it was.
    lines.retain(|line| !line.id.contains("preemption:"));
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Tally::default(), Vec::new())));
    let work = || {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut plane = Plane::without_admission();
        plane.start_scheduler();
        let api = runtime.block_on(Api::of(&plane));
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(line) = lines.get(place) else { return };
            if done.lock().unwrap().0.worlds >= WORLDS {
                return;
            }
            let Some((line, pod)) = with_one_pod(line, place) else { continue };
            let mut tally = Tally::default();
            let scratch = folder.path().to_string_lossy();
            let compared = runtime.block_on(compare_world(&api, &plane, &line, &pod, &scratch, &mut tally));
            runtime.block_on(clear(&api));
            let mut done = done.lock().unwrap();
            match compared {
                Ok(wrong) => done.1.extend(wrong.map(|wrong| format!("{}: {wrong}", line.id))),
                Err(refused) => *done.0.refused.entry(refused.code).or_default() += 1,
            }
            done.0.add(&tally);
        }
    };
    thread::scope(|scope| {
        for _ in 0..PLANES {
            scope.spawn(work);
        }
    });
    let (tally, wrong) = done.into_inner().unwrap();
    eprintln!("{tally:?}");
    assert!(wrong.is_empty(), "{} wrong answers: {}", wrong.len(), wrong.join("\n"));
    assert!(tally.worlds >= WORLDS, "{tally:?}");
    let each = [tally.rejected, tally.before_filter, tally.placed, tally.reserved, tally.selected];
    assert!(each.iter().all(|number| *number >= 5), "{tally:?}");
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.worlds += other.worlds;
        self.rejected += other.rejected;
        self.before_filter += other.before_filter;
        self.placed += other.placed;
        self.reserved += other.reserved;
        self.selected += other.selected;
        self.several += other.several;
        self.silent += other.silent;
        self.twice += other.twice;
    }
}
