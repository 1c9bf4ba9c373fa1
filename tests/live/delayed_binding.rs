//! Worlds in which the real controller manager, the real scheduler and the real external provisioners act together. The
//! drivers of the provisioners are made up: they create volumes, fail, or have too little storage. Every end of a pod,
//! a claim or a volume must be one of the ends that `predict --pods` says before.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits until nothing moves, says how much it saw, and fails by panicking"
)]

use super::api::Api;
use super::ends::{Key, key, key_of, shown, state};
use super::plane::{DRIVERS, Plane};
use super::scheduling::{clear, is_message};
use super::worlds::{World, recorded};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use xtask::line::Line;

/// How many worlds are tested, and on how many control planes at the same time. Most of the time is spent waiting.
const WORLDS: usize = 150;
const PLANES: usize = 5;

/// The environment variable with the ids of the worlds to test, separated by commas.
const ONLY: &str = "PVCTL_WORLDS";

/// A world counts as settled after nothing has changed for this time. The controllers, the scheduler and the
/// provisioners try again after one second.
const QUIET: Duration = Duration::from_secs(3);

/// The quiet time of a second run. On a busy machine, a component may need longer until it acts. So a world counts as
/// wrong only if it also has a wrong end in the second run. The wrong ends of each run are printed.
const LONG_QUIET: Duration = Duration::from_secs(10);

/// The longest time to settle, besides the quiet time. A world that needs more time is in a cycle that never ends.
const PATIENCE: Duration = Duration::from_secs(12);

/// The largest number of worlds that may be in a cycle that never ends.
const MOST_RESTLESS: usize = 15;

/// The longest time until the controllers, the scheduler and the provisioners run.
const START: Duration = Duration::from_mins(1);

/// The in-tree plugins of the recorded worlds, and the drivers that replace them.
const REPLACED: [(&str, &str); 2] =
    [("kubernetes.io/aws-ebs", "ebs.csi.aws.com"), ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io")];

/// The arguments of the prediction. The controllers are those that are started.
const ASKED: [&str; 11] = [
    "predict",
    "-A",
    "--pods",
    "--actors",
    "scheduler,drivers",
    "--controllers",
    "*,-ephemeral-volume-controller",
    "--outcomes",
    "all",
    "-o",
    "json",
];

const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// How many worlds and objects were compared.
#[derive(Debug, Default)]
struct Tally {
    worlds: usize,
    /// The worlds that the API server does not store.
    refused: usize,
    /// The worlds that never settle.
    restless: usize,
    /// The objects without a predicted end, because there are too many states.
    unknown: usize,
    objects: usize,
    changed: usize,
    several: usize,
    /// The pods that got a node, the pods that no node fits, and the pods that wait for their volumes.
    placed: usize,
    unschedulable: usize,
    waiting: usize,
    /// The volumes that drivers created.
    created: usize,
    /// The worlds in which a driver has too little storage for a node.
    rejected: usize,
    /// The components whose joint ends were compared.
    joint: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.worlds += other.worlds;
        self.refused += other.refused;
        self.restless += other.restless;
        self.unknown += other.unknown;
        self.objects += other.objects;
        self.changed += other.changed;
        self.several += other.several;
        self.placed += other.placed;
        self.unschedulable += other.unschedulable;
        self.waiting += other.waiting;
        self.created += other.created;
        self.rejected += other.rejected;
        self.joint += other.joint;
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the stored volumes, claims and pods.
async fn stored(api: &Api) -> BTreeMap<Key, Value> {
    let mut all = Vec::new();
    for kind in ["PersistentVolume", "PersistentVolumeClaim", "Pod"] {
        all.extend(api.list(kind).await);
    }
    all.into_iter().map(|object| (key(&object), object)).collect()
}

/// Returns the reason and the message of the condition `PodScheduled` of a pod if its status is False. Otherwise
/// returns `None`.
fn rejection(pod: &Value) -> Option<(&str, &str)> {
    let conditions = pod["status"]["conditions"].as_array()?;
    let condition = conditions.iter().find(|condition| condition["type"] == "PodScheduled")?;
    (condition["status"] == "False").then(|| (text(&condition["reason"]), text(&condition["message"])))
}

/// Returns what a test compares to see whether an object has changed.
fn essence(object: &Value) -> Value {
    match text(&object["kind"]) {
        "Pod" => json!([object["spec"]["nodeName"], rejection(object), object["metadata"]["deletionTimestamp"]]),
        // A provisioner can remove the selected node from a claim before anybody reads it. Only the resourceVersion
        // shows this.
        _ => json!([
            object["metadata"]["resourceVersion"],
            object["metadata"]["annotations"],
            object["spec"],
            object["status"]
        ]),
    }
}

/// Acts in place of kubelet: sets the phase of each Pending pod that has a node to Running.
async fn run_pods(api: &Api, all: &BTreeMap<Key, Value>) {
    for pod in all.values().filter(|object| object["kind"] == "Pod" && object["status"]["phase"] == "Pending") {
        if !text(&pod["spec"]["nodeName"]).is_empty() {
            let mut pod = pod.clone();
            pod["status"]["phase"] = "Running".into();
            // Another component may have written the pod at the same time. Then a later call sets the phase.
            _ = api.replace_status(&pod).await;
        }
    }
}

/// Waits until nothing changes any more, or until the longest time has passed. Returns the objects, and whether they
/// settled.
async fn settled(api: &Api, plane: &Plane, quiet: Duration) -> (BTreeMap<Key, Value>, bool) {
    let begin = Instant::now();
    let is_running = |plane: &Plane| {
        plane.log("kube-controller-manager").contains("Caches are synced")
            && plane.log(DRIVERS).contains("the drivers are running")
    };
    while !is_running(plane) {
        assert!(begin.elapsed() < START, "{}\n{}", plane.log("kube-controller-manager"), plane.log(DRIVERS));
        thread::sleep(Duration::from_millis(100));
    }
    let begin = Instant::now();
    let essences = |all: &BTreeMap<Key, Value>| -> BTreeMap<Key, Value> {
        all.iter().map(|(key, object)| (key.clone(), essence(object))).collect()
    };
    let mut last = stored(api).await;
    let mut since = Instant::now();
    while since.elapsed() < quiet && begin.elapsed() < PATIENCE + quiet {
        run_pods(api, &last).await;
        thread::sleep(Duration::from_millis(100));
        let now = stored(api).await;
        if essences(&now) != essences(&last) {
            since = Instant::now();
        }
        last = now;
    }
    (last, since.elapsed() >= quiet)
}

/// Returns the claims that a pod uses.
fn claims_of<'v>(pod: &Value, all: &'v BTreeMap<Key, Value>) -> Vec<&'v Value> {
    let namespace = text(&pod["metadata"]["namespace"]);
    let name = |volume: &Value| match &volume["persistentVolumeClaim"]["claimName"] {
        Value::String(name) => Some(name.clone()),
        _ if volume["ephemeral"].is_object() => {
            Some(format!("{}-{}", text(&pod["metadata"]["name"]), text(&volume["name"])))
        }
        _ => None,
    };
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    let keys = volumes.filter_map(name).map(|name| ("PersistentVolumeClaim".to_owned(), namespace.to_owned(), name));
    keys.filter_map(|key| all.get(&key)).collect()
}

/// Returns whether the stored object is in this predicted end.
fn is_in(end: &Value, key: &Key, all: &BTreeMap<Key, Value>) -> bool {
    let object = all.get(key);
    let Some(pod) = object.filter(|_| key.0 == "Pod") else { return shown(end) == state(object) };
    let node = text(&pod["spec"]["nodeName"]);
    if !end["node"].is_null() || !node.is_empty() {
        return end["node"] == node;
    }
    if end["unschedulable"] == true {
        // The scheduler writes nothing about a pod with scheduling gates.
        let is_gated = !pod["spec"]["schedulingGates"].as_array().is_none_or(Vec::is_empty);
        return match rejection(pod) {
            Some((_, message)) => is_message(text(&end["message"]), message),
            None => is_gated || end["message"].is_null(),
        };
    }
    // No field of the pod says that the scheduler waits. But the claims that it waits for have a selected node or a
    // reserved volume.
    let waited_for = &end["waitsForVolumesOn"];
    if end["unsettled"] == true && rejection(pod).is_some_and(|(reason, _)| reason == "SchedulerError") {
        // The provisioner has rejected the node, and the scheduler tries again soon.
        return !waited_for.is_null();
    }
    let selects = |claim: &Value| claim["metadata"]["annotations"][SELECTED_NODE] == *waited_for;
    let is_reserved = |claim: &Value| {
        let is_of = |named: &Value| {
            named["name"] == claim["metadata"]["name"] && named["namespace"] == claim["metadata"]["namespace"]
        };
        all.values().any(|volume| is_of(&volume["spec"]["claimRef"]))
    };
    let mut open = claims_of(pod, all).into_iter().filter(|claim| claim["status"]["phase"] != "Bound");
    !waited_for.is_null() && open.any(|claim| selects(claim) || is_reserved(claim))
}

/// Compares the ends of all objects, and the joint ends of all components, with the prediction.
fn compare(
    predicted: &Value,
    before: &BTreeMap<Key, Value>,
    after: &BTreeMap<Key, Value>,
    tally: &mut Tally,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let list = |field: &str| predicted[field].as_array().cloned().unwrap_or_default();
    let (mut known, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for item in list("items").iter().chain(&list("created")) {
        let key = key_of(&item["object"]);
        known.insert(key.clone());
        let Some(outcomes) = item["outcomes"].as_array() else {
            tally.unknown += 1;
            unknown.insert(key);
            continue;
        };
        tally.objects += 1;
        tally.several += usize::from(outcomes.len() > 1);
        tally.changed += usize::from(before.get(&key).map(essence) != after.get(&key).map(essence));
        tally.created += usize::from(!before.contains_key(&key) && after.contains_key(&key));
        let Some(end) = outcomes.iter().find(|end| is_in(end, &key, after)) else {
            let said = |object: Option<&Value>| object.map(|object| essence(object).to_string());
            let ends = Value::from(outcomes.clone());
            wrong.push(format!(
                "{key:?} ends {:?}, of {ends}; it was {:?}",
                said(after.get(&key)),
                said(before.get(&key))
            ));
            continue;
        };
        if key.0 == "Pod" {
            tally.placed += usize::from(!end["node"].is_null());
            tally.unschedulable += usize::from(end["unschedulable"] == true);
            tally.waiting += usize::from(!end["waitsForVolumesOn"].is_null());
        }
    }
    // Nothing is said about the volume that a driver creates for a claim whose end is unknown.
    let is_unknown = |volume: &Value| {
        let claim = &volume["spec"]["claimRef"];
        let name = |field: &str| text(&claim[field]).to_owned();
        unknown.contains(&("PersistentVolumeClaim".to_owned(), name("namespace"), name("name")))
    };
    for (key, object) in after.iter().filter(|(key, object)| !known.contains(*key) && !is_unknown(object)) {
        if key.0 != "Pod" {
            wrong.push(format!("{key:?} is not in the prediction: {}", essence(object)));
        }
    }
    for component in list("worlds") {
        // In a cycle of states, the objects are not read at the same moment. So their joint state is not compared.
        if component["states"].to_string().contains("\"unsettled\":true") {
            continue;
        }
        let states = component["states"].as_array().cloned().unwrap_or_default();
        tally.joint += 1;
        let holds = |state: &Value| {
            state.as_array().unwrap().iter().all(|each| is_in(&each["state"], &key_of(&each["object"]), after))
        };
        if wrong.is_empty() && !states.iter().any(holds) {
            wrong.push(format!(
                "no joint end of {} is what is stored: {states:?}\nof {after:?}",
                component["component"]
            ));
        }
    }
    wrong
}

/// Returns the drivers that the classes of a world name. For some in-tree plugins these are the drivers that replace
/// them. The other in-tree plugins are left out.
fn drivers(line: &Line) -> Vec<&str> {
    let classes = line.world.items.iter().filter(|item| item["kind"] == "StorageClass");
    let named: BTreeSet<&str> = classes.map(|class| text(&class["provisioner"])).collect();
    let replaced = |name: &str| REPLACED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new);
    let drivers = named.into_iter().map(|name| replaced(name).unwrap_or(name));
    let drivers: BTreeSet<&str> = drivers.filter(|name| !name.starts_with("kubernetes.io/")).collect();
    drivers.into_iter().collect()
}

/// Returns whether a pod without a node uses a claim without a volume, and a driver creates that volume only after a
/// node is selected.
fn asks_drivers(line: &Line) -> bool {
    let of = |kind: &'static str| line.world.items.iter().filter(move |item| item["kind"] == kind);
    let delays = |claim: &Value| {
        of("StorageClass").any(|class| {
            class["metadata"]["name"] == claim["spec"]["storageClassName"]
                && class["volumeBindingMode"] == "WaitForFirstConsumer"
                && class["provisioner"] != "kubernetes.io/no-provisioner"
        })
    };
    let waits = |pod: &Value, claim: &Value| {
        let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
        let mut names = volumes.map(|volume| &volume["persistentVolumeClaim"]["claimName"]);
        pod["metadata"]["namespace"] == claim["metadata"]["namespace"]
            && names.any(|name| *name == claim["metadata"]["name"])
    };
    let open = || of("PersistentVolumeClaim").filter(|claim| claim["spec"]["volumeName"].is_null() && delays(claim));
    of("Pod").filter(|pod| pod["spec"]["nodeName"].is_null()).any(|pod| open().any(|claim| waits(pod, claim)))
}

/// Returns the seed of the drivers of a world: the number at the end of its id, or 0.
fn seed(line: &Line) -> usize {
    line.id.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Predicts the ends of the stored world, lets everybody act, and compares.
async fn act(plane: &mut Plane, api: &Api, line: &Line, quiet: Duration, tally: &mut Tally) -> Vec<String> {
    let before = stored(api).await;
    let run = plane.pvctl(&ASKED);
    assert!(matches!(run.code, Some(0 | 3)), "{}\n{}", run.stderr, run.stdout);
    let predicted: Value = serde_json::from_str(&run.stdout).unwrap();
    plane.start_controllers();
    plane.start_hasty_scheduler();
    let drivers = drivers(line);
    plane.start_drivers(if drivers.is_empty() { &["csi.example.com"] } else { &drivers }, seed(line));
    let (mut after, mut is_settled) = settled(api, plane, quiet).await;
    let is_unplaced = |object: &Value| object["kind"] == "Pod" && text(&object["spec"]["nodeName"]).is_empty();
    if is_settled && after.values().any(is_unplaced) {
        // The scheduler tries some pods again only after five minutes. A new scheduler tries all pods at once.
        plane.stop("kube-scheduler");
        plane.start_hasty_scheduler();
        (after, is_settled) = settled(api, plane, quiet).await;
    }
    tally.rejected += usize::from(plane.log(DRIVERS).contains("the driver has too little storage"));
    for component in ["kube-controller-manager", "kube-scheduler", DRIVERS] {
        plane.stop(component);
    }
    tally.worlds += 1;
    tally.restless += usize::from(!is_settled);
    compare(&predicted, &before, &after, tally)
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn worlds_end_where_the_scheduler_and_the_drivers_lead_them() {
    let mut lines = recorded("pods-1.36.3.jsonl.gz");
    // The worlds in which drivers act come first.
    lines.sort_by_key(|line| !asks_drivers(line));
    let only = std::env::var(ONLY).unwrap_or_default();
    if !only.is_empty() {
        lines.retain(|line| only.split(',').any(|id| line.id == id));
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Tally::default(), Vec::new())));
    let work = || {
        let scratch = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut plane = Plane::without_admission();
        let api = runtime.block_on(Api::of(&plane));
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(line) = lines.get(place) else { return };
            if done.lock().unwrap().0.worlds >= WORLDS {
                return;
            }
            let (mut tally, mut wrong) = (Tally::default(), Vec::new());
            for quiet in [QUIET, LONG_QUIET] {
                tally = Tally::default();
                let world = World::new(line, "x", &scratch.path().to_string_lossy());
                match runtime.block_on(world.load(&api)) {
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
    assert!(wrong.is_empty(), "{} wrong ends: {}", wrong.len(), wrong.join("\n"));
    assert!(!only.is_empty() || tally.worlds >= WORLDS, "{tally:?}");
    let each = [tally.placed, tally.unschedulable, tally.waiting, tally.created, tally.rejected, tally.joint];
    assert!(tally.restless <= MOST_RESTLESS && tally.unknown * 20 <= tally.objects, "{tally:?}");
    assert!(!only.is_empty() || each.iter().all(|number| *number >= 5), "{tally:?}");
}
