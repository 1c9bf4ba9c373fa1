//! Several volumes that the real controller recycles at the same time. Their pods would erase the volumes. There is no
//! kubelet, so the test writes the results of these pods.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits until nothing moves, says how much it saw, and fails by panicking"
)]

use super::api::Api;
use super::ends::{clear, predicted, state, stored};
use super::plane::Plane;
use super::sound::{create, volume};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

/// How many volumes each plugin has.
const VOLUMES: usize = 6;
/// How long a round lasts. The resync period is one second, so a round has many resyncs.
const ROUND: Duration = Duration::from_secs(14);

/// What happens to the recycler pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pods {
    /// No pod runs.
    Wait,
    /// All pods succeed.
    Succeed,
    /// All pods fail.
    Fail,
    /// The pods of every second volume fail.
    Differ,
    /// No pod runs, and the controller is started a second time.
    WaitTwice,
    /// Before the controller is started, one pod for each volume exists. No pod runs.
    Left,
    /// Before the controller is started, one pod for each volume exists and has succeeded.
    LeftSucceeded,
}

const ROUNDS: [Pods; 7] =
    [Pods::Wait, Pods::Succeed, Pods::Fail, Pods::Differ, Pods::WaitTwice, Pods::Left, Pods::LeftSucceeded];

impl Pods {
    fn are_there(self) -> bool {
        matches!(self, Self::Left | Self::LeftSucceeded)
    }
}

/// Creates the recycler pod that an earlier controller left.
async fn leave_pod(api: &Api, volume: &str, source: &str, how: Pods) {
    let storage = recycled(volume, source)["spec"][source].clone();
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": format!("recycler-for-{volume}"), "namespace": "default" },
        "spec": {
            "restartPolicy": "Never",
            "containers": [{ "name": "pv-recycler", "image": "scrub" }],
            "volumes": [{ "name": "vol", source: storage }],
        },
    });
    let mut stored = api.create(&pod).await.unwrap();
    if how == Pods::LeftSucceeded {
        stored["status"]["phase"] = "Succeeded".into();
        api.replace_status(&stored).await.unwrap();
    }
}

/// Returns the folder of a volume that is recycled.
fn folder(name: &str) -> String {
    format!("/srv/{name}")
}

fn recycled(name: &str, source: &str) -> Value {
    let uid = json!("90d00000-0000-4000-8000-000000000000");
    let mut volume = volume(name, "recycled", Some(("default", &format!("claim-{name}"), &uid)));
    volume["metadata"]["annotations"] = json!({"pv.kubernetes.io/bound-by-controller": "yes"});
    volume["spec"]["persistentVolumeReclaimPolicy"] = "Recycle".into();
    volume["spec"].as_object_mut().unwrap().remove("csi");
    volume["spec"][source] = if source == "nfs" {
        json!({"server": "nfs.example.com", "path": folder(name)})
    } else {
        json!({"path": folder(name)})
    };
    volume
}

/// What the test has seen of the pods.
#[derive(Debug, Default)]
struct Seen {
    pods: BTreeSet<String>,
    /// The pods that would have erased another volume than the one in the pod's name.
    mixed_up: BTreeSet<String>,
    /// The volumes whose storage some successful pod would have erased.
    erased: BTreeSet<String>,
    /// The volumes whose own pods failed.
    failed: BTreeSet<String>,
}

/// Records the pods that exist. Ends them if pods run in this round.
async fn run_pods(api: &Api, how: Pods, seen: &mut Seen) {
    for mut pod in api.list("Pod").await {
        let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
        let of = name.strip_prefix("recycler-for-").unwrap().to_owned();
        let source = &pod["spec"]["volumes"][0];
        let path = [&source["nfs"]["path"], &source["hostPath"]["path"]].into_iter().find_map(Value::as_str).unwrap();
        let erases = path.trim_start_matches("/srv/").to_owned();
        if seen.pods.insert(pod["metadata"]["uid"].to_string()) && erases != of {
            seen.mixed_up.insert(format!("{of} erases {erases}"));
        }
        let ended = pod["status"]["phase"] != "Pending";
        let fails = how == Pods::Fail || (how == Pods::Differ && of.ends_with(['1', '3', '5']));
        if ended || matches!(how, Pods::Wait | Pods::WaitTwice) || how.are_there() {
            continue;
        }
        pod["status"] =
            if fails { json!({"phase": "Failed", "message": "no such folder"}) } else { json!({"phase": "Succeeded"}) };
        // The controller may already have deleted the pod.
        if api.replace_status(&pod).await.is_ok() {
            if fails {
                seen.failed.insert(of)
            } else {
                seen.erased.insert(erases)
            };
        }
    }
}

/// Runs one round with these volumes. Returns the ends that were not predicted, and a summary.
async fn round(plane: &mut Plane, api: &Api, how: Pods, volumes: &[(String, &str)]) -> (Vec<String>, String) {
    for (name, source) in volumes {
        create(api, &recycled(name, source), "Released").await;
        if how.are_there() {
            leave_pod(api, name, source, how).await;
        }
    }
    let predicted = predicted(plane);
    let mut seen = Seen::default();
    let starts = if how == Pods::WaitTwice { 2 } else { 1 };
    for _ in 0..starts {
        plane.start_controllers();
        let begin = Instant::now();
        while begin.elapsed() < ROUND {
            run_pods(api, how, &mut seen).await;
            thread::sleep(Duration::from_millis(100));
        }
        plane.stop_controllers();
    }
    let (mut wrong, mut phases) = (Vec::new(), BTreeMap::<String, usize>::new());
    let mut unerased = Vec::new();
    for (name, _) in volumes {
        let object = stored(api).await.into_iter().find(|(_, object)| object["metadata"]["name"] == name.as_str());
        let (key, object) = object.unwrap();
        let end = state(Some(&object));
        let phase = end["phase"].as_str().unwrap().to_owned();
        // The prediction does not include pods that run. After such a pod, the volume is Available again, or Failed.
        let is_erased = !seen.erased.is_empty() || (how == Pods::LeftSucceeded && volumes.len() > 1);
        let freed = phase == "Available" && is_erased;
        let acted = freed || (phase == "Failed" && seen.failed.contains(name));
        if freed && !seen.erased.contains(name) {
            unerased.push(name.clone());
        }
        if !acted && !predicted[&key].0.contains(&end) {
            wrong.push(format!("{how:?}: {name} ends {end}, of {:?}", predicted[&key].0));
        }
        *phases.entry(phase).or_default() += 1;
    }
    let said = format!(
        "{how:?} with {}: {phases:?}, {} pods, mixed up {:?}, offered again unerased {unerased:?}",
        volumes.len(),
        seen.pods.len(),
        seen.mixed_up
    );
    (wrong, said)
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn volumes_that_are_recycled_at_once_end_as_predicted() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut plane = Plane::without_admission();
    let api = runtime.block_on(Api::of(&plane));
    let mut wrong = Vec::new();
    let mut failed = 0;
    for how in ROUNDS {
        let many: Vec<(String, &str)> = ["nfs", "hostPath"]
            .into_iter()
            .flat_map(|source| (0..VOLUMES).map(move |number| (format!("{}-{number}", source.to_lowercase()), source)))
            .collect();
        // If there is a single volume, no other recycling interferes with its recycling.
        let groups = if how == Pods::WaitTwice { vec![&many[..]] } else { vec![&many[..], &many[..1]] };
        for volumes in groups {
            let (more, said) = runtime.block_on(round(&mut plane, &api, how, volumes));
            eprintln!("{said}");
            failed += usize::from(said.contains("Failed"));
            wrong.extend(more);
            if volumes.len() > 1 {
                // Before anything happens, `explain` of one volume must warn about the others.
                runtime.block_on(clear(&api));
                for (name, source) in volumes {
                    runtime.block_on(create(&api, &recycled(name, source), "Released"));
                }
                let said = plane.pvctl(&["explain", "pv/nfs-0"]).stdout;
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(said.contains("Beware: 5 other volumes are recycled at the same time"), "{said}");
            }
            runtime.block_on(clear(&api));
        }
    }
    assert!(wrong.is_empty(), "{} wrong ends: {}", wrong.len(), wrong.join("\n"));
    assert!(failed > 0);
}
