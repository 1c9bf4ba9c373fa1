//! `fix` with what each repairable rule finds, on the real controllers: afterwards it is not found any more or does no
//! harm, nothing is lost, and a second time nothing is written.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "the test waits for controllers, says how much it saw, and fails by panicking"
)]

use super::api::path;
use super::ends::stored;
use super::fixtures::{Cluster, Fixture, fixtures};
use super::site::{PV, PVC, text};
use crate::support::Finished;
use pvctl::repair::repairable;
use serde_json::Value;
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

/// What of a finding is left to a person, since no repair of it is safe: it gives up data or an object that is kept, or
/// has to be chosen, or cannot be taken back.
const LEFT: [&str; 9] = [
    // Which volume it had is not known.
    "lost-volumename-empty",
    // One of two volumes of the same storage has to be chosen.
    "pv-duplicate-backing",
    // What was asked for is that the data go.
    "pv-failed-delete",
    "pv-failed-no-deleter-static",
    // Who gets the data is a choice.
    "pv-released-retain",
    // A finalizer that is taken off does not come back.
    "pv-terminating-provisioner-finalizer",
    "pvc-terminating-completed-pod",
    "pvc-terminating-unknown-finalizer",
    // The scheduler chooses anew, and nobody can tell it the former node.
    "pvc-selected-node-gone",
];

/// What the controllers repair before anybody looks.
const HEALED: [&str; 1] = ["pv-released-but-claim-alive"];

/// How the findings of a rule ended.
#[derive(Default)]
struct Ended {
    repairs: usize,
    is_left: bool,
}

/// A kind, a namespace and a name.
type Key = (String, String, String);

/// The volumes and claims of a moment.
type Stored = BTreeMap<Key, Value>;

/// What is stored once nothing has moved for two resyncs.
fn resting(cluster: &Cluster, runtime: &tokio::runtime::Runtime) -> Stored {
    let (mut last, mut since) = (runtime.block_on(stored(&cluster.api)), Instant::now());
    while since.elapsed() < Duration::from_millis(2_500) {
        thread::sleep(Duration::from_millis(250));
        let now = runtime.block_on(stored(&cluster.api));
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    last
}

/// Starts the controllers, and waits until they have read everything.
fn start(cluster: &mut Cluster) {
    cluster.plane.start_controllers();
    let begin = Instant::now();
    while !cluster.plane.log("kube-controller-manager").contains("Caches are synced") {
        assert!(begin.elapsed() < Duration::from_mins(1), "the controllers do not start");
        thread::sleep(Duration::from_millis(100));
    }
}

fn versions(stored: &Stored) -> BTreeMap<&Key, &str> {
    stored.iter().map(|(key, object)| (key, text(object, "/metadata/resourceVersion"))).collect()
}

/// The namespaces are older than what is in them, so that nobody need ask whose data these are.
async fn age(cluster: &mut Cluster, fixture: &Fixture) {
    for object in &fixture.objects {
        let name = text(object, "/metadata/namespace");
        if let Ok(mut namespace) = cluster.api.get(&path("Namespace", "", name)).await
            && !name.is_empty()
        {
            namespace["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z".into();
            cluster.put(&namespace).await;
        }
    }
}

/// What a rule finds in the cluster: the objects.
fn found(cluster: &Cluster, rule: &str) -> Vec<Value> {
    let run = cluster.plane.pvctl(&["audit", "-A", "-o", "json", "--exit-zero"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("a report");
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.filter(|finding| text(finding, "/id") == rule).map(|finding| finding["object"].clone()).collect()
}

/// What was lost between two moments: a volume went that was not on its way, or became a stranger's, or a claim went.
fn lost(before: &Stored, after: &Stored) -> Vec<String> {
    let mut lost = Vec::new();
    for (key, object) in before {
        let going = object["metadata"]["deletionTimestamp"].is_string();
        match after.get(key) {
            None if going => {}
            Some(now) if text(now, "/metadata/uid") == text(object, "/metadata/uid") => {
                let whose = |object: &Value| {
                    let named = |place| text(object, place).to_owned();
                    (named("/spec/claimRef/namespace"), named("/spec/claimRef/name"))
                };
                let is_new = key.0 == PV && whose(now) != whose(object);
                let meant =
                    |(namespace, name): (String, String)| before.contains_key(&(PVC.to_owned(), namespace, name));
                if is_new && !meant(whose(now)) {
                    lost.push(format!("{key:?} is of {:?} now", whose(now)));
                }
            }
            _ => lost.push(format!("{key:?} is gone")),
        }
    }
    lost
}

/// Whether every volume is kept that the finding is about.
fn is_kept(stored: &Stored) -> bool {
    let policies = stored.iter().filter(|(key, _)| key.0 == PV);
    policies.map(|(_, volume)| text(volume, "/spec/persistentVolumeReclaimPolicy")).all(|policy| policy == "Retain")
}

/// Repairs the object of a finding, by its name where it may be named.
fn fix(cluster: &Cluster, rule: &str, object: &Value, journals: &str) -> Finished {
    let (kind, namespace, name) = (text(object, "/kind"), text(object, "/namespace"), text(object, "/name"));
    let named = match kind {
        PV => format!("pv/{name}"),
        PVC => format!("pvc/{name}"),
        _ => String::new(),
    };
    let mut words = vec!["fix", "--yes", "--timeout", "30s", "--journal", journals];
    if named.is_empty() {
        words.extend(["--all", "-A", "--only", rule]);
    } else {
        words.push(&named);
        if !namespace.is_empty() {
            words.extend(["-n", namespace]);
        }
    }
    cluster.plane.pvctl(&words)
}

/// What is wrong with the repairs of what a fixture shows.
fn faults(cluster: &Cluster, runtime: &tokio::runtime::Runtime, rule: &str, ended: &mut Ended) -> Vec<String> {
    let mut wrong = Vec::new();
    let journals = tempfile::tempdir().expect("a folder");
    let journals = journals.path().to_string_lossy();
    let before = resting(cluster, runtime);
    let objects = found(cluster, rule);
    if objects.is_empty() != HEALED.contains(&rule) {
        wrong.push(format!("{rule}: {} findings when the controllers have come to rest", objects.len()));
    }
    for object in objects {
        let run = fix(cluster, rule, &object, &journals);
        let said = format!("{}{}", run.stdout, run.stderr);
        if !matches!(run.code, Some(0 | 1)) {
            wrong.push(format!("{rule}: fix ended with {:?}: {said}", run.code));
            continue;
        }
        let after = resting(cluster, runtime);
        wrong.extend(lost(&before, &after).into_iter().map(|what| format!("{rule}: {what}: {said}")));
        let written = std::fs::read_dir(&*journals).map_or(0, Iterator::count);
        let still = found(cluster, rule).contains(&object);
        let is_left = run.code == Some(1) && run.stderr.contains(&format!("left: {rule} on "));
        if still && !is_kept(&after) && !is_left {
            wrong.push(format!("{rule}: it is still found, and a volume is not kept: {said}"));
        }
        let how = if is_left {
            "left to a person"
        } else if still {
            "harmless"
        } else {
            "not found any more"
        };
        eprintln!("{rule}: exit {:?}, {written} repairs, {how}", run.code);
        ended.repairs += written;
        ended.is_left |= is_left;
        let again = fix(cluster, rule, &object, &journals);
        let later = resting(cluster, runtime);
        let journals = std::fs::read_dir(&*journals).map_or(0, Iterator::count);
        if versions(&later) != versions(&after) || journals != written {
            wrong.push(format!("{rule}: the second time writes: {}{}", again.stdout, again.stderr));
        }
        if !matches!(again.code, Some(0 | 1)) {
            wrong.push(format!("{rule}: the second time ended with {:?}: {}", again.code, again.stderr));
        }
    }
    wrong
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --locked -- --ignored live"]
fn what_each_repairable_rule_finds_is_fixed() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut cluster = runtime.block_on(Cluster::start());
    let all: Vec<Fixture> = fixtures();
    let (mut wrong, mut repairs, mut tried, mut left) = (Vec::new(), 0, 0, Vec::new());
    for rule in repairable() {
        let path = format!("tests/audit/{rule}/fires.yaml");
        let Some(fixture) = all.iter().find(|fixture| fixture.path == path) else {
            wrong.push(format!("there is no {path}"));
            continue;
        };
        runtime.block_on(cluster.load(fixture));
        runtime.block_on(age(&mut cluster, fixture));
        start(&mut cluster);
        let mut ended = Ended::default();
        wrong.extend(faults(&cluster, &runtime, rule, &mut ended));
        if ended.is_left {
            left.push(rule);
        } else if ended.repairs == 0 && !HEALED.contains(&rule) {
            wrong.push(format!("{rule}: nothing is repaired, and nothing is left"));
        }
        repairs += ended.repairs;
        cluster.plane.stop_controllers();
        runtime.block_on(cluster.clear(&fixture.objects));
        tried += 1;
    }
    eprintln!("{tried} rules, {repairs} repairs");
    left.sort_unstable();
    let mut meant = LEFT;
    meant.sort_unstable();
    assert_eq!(left, meant, "other rules than these are left to a person");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}
