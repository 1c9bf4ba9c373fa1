//! The cluster changes between two requests of one reading, at every position. No answer may report a Lost claim or a
//! Released volume that never existed.
#![expect(clippy::expect_used, clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by panicking")]

use super::api::Api;
use super::plane::Plane;
use super::proxy::{Proxy, nothing};
use super::sound::{self, create};
use crate::support::Run;
use crate::support::faults::Fault;
use serde_json::{Value, json};
use std::sync::Arc;

/// The class name of all objects of this test. There is no class of this name.
const CLASS: &str = "torn";

fn volume(name: &str, claim: Option<(&str, &Value)>) -> Value {
    sound::volume(name, CLASS, claim.map(|(name, uid)| ("default", name, uid)))
}

fn claim(name: &str, volume: &str) -> Value {
    sound::claim("default", name, CLASS, volume)
}

/// Creates a claim and a volume that are bound to each other.
async fn pair(api: &Api, name: &str) {
    let stored = create(api, &claim(name, &format!("pv-{name}")), "Bound").await;
    create(api, &volume(&format!("pv-{name}"), Some((name, &stored["metadata"]["uid"]))), "Bound").await;
}

async fn part(api: &Api, name: &str) {
    for object in [claim(name, ""), volume(&format!("pv-{name}"), None)] {
        api.delete(&object).await.expect("it is there");
    }
}

/// A change of the cluster that happens completely between two requests.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A bound pair is created.
    Appears,
    /// A bound pair is deleted.
    Goes,
    /// A bound pair is deleted, and another pair with the same names is created.
    Anew,
    /// A waiting claim is bound to a volume that was available.
    Binds,
}

const CHANGES: [Change; 4] = [Change::Appears, Change::Goes, Change::Anew, Change::Binds];

async fn prepare(api: &Api, change: Change) {
    pair(api, "steady").await;
    match change {
        Change::Appears => {}
        Change::Goes | Change::Anew => pair(api, "moving").await,
        Change::Binds => {
            create(api, &claim("moving", ""), "Pending").await;
            create(api, &volume("pv-moving", None), "Available").await;
        }
    }
}

async fn act(api: &Api, change: Change) {
    match change {
        Change::Appears => pair(api, "moving").await,
        Change::Goes => part(api, "moving").await,
        Change::Anew => {
            part(api, "moving").await;
            pair(api, "moving").await;
        }
        Change::Binds => {
            let mut free = api.get("/api/v1/persistentvolumes/pv-moving").await.unwrap();
            let mut waiting = api.get("/api/v1/namespaces/default/persistentvolumeclaims/moving").await.unwrap();
            free["spec"]["claimRef"] = json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "moving",
                "uid": waiting["metadata"]["uid"], "resourceVersion": waiting["metadata"]["resourceVersion"],
            });
            free["metadata"]["annotations"] = json!({"pv.kubernetes.io/bound-by-controller": "yes"});
            let mut free = api.replace(&free).await.unwrap();
            free["status"] = json!({"phase": "Bound"});
            api.replace_status(&free).await.unwrap();
            waiting["spec"]["volumeName"] = "pv-moving".into();
            waiting["metadata"]["annotations"] =
                json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"});
            let mut waiting = api.replace(&waiting).await.unwrap();
            waiting["status"] =
                json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
            api.replace_status(&waiting).await.unwrap();
        }
    }
}

/// Returns those predicted ends that a healthy pair never has.
fn alarms(answer: &Value) -> Vec<String> {
    let items = answer["items"].as_array().unwrap();
    items
        .iter()
        .flat_map(|item| {
            let outcomes = item["outcomes"].as_array().cloned().unwrap_or_default();
            outcomes.into_iter().map(move |outcome| (item["object"]["name"].clone(), outcome))
        })
        .filter(|(_, outcome)| outcome["phase"] == "Lost" || outcome["phase"] == "Released")
        .map(|(name, outcome)| format!("{name} {outcome}"))
        .collect()
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn no_change_between_two_requests_makes_a_false_alarm() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let plane = Plane::without_admission();
    let api = runtime.block_on(Api::of(&plane));
    let (mut runs, mut places) = (0, 0);
    for change in CHANGES {
        for chunk in ["500", "1"] {
            // The change happens before each request of the reading in turn, and once after the last request.
            for place in 0.. {
                runtime.block_on(prepare(&api, change));
                let acting = api.clone();
                let proxy = runtime.block_on(Proxy::start(
                    api.client(),
                    Arc::new(|_, _| Fault::None),
                    Arc::new(move |number| {
                        let api = acting.clone();
                        Box::pin(async move {
                            if number == place {
                                act(&api, change).await;
                            }
                        })
                    }),
                    nothing(),
                ));
                let arguments = ["predict", "-A", "-o", "json", "--server", &proxy.url(), "--chunk-size", chunk];
                let run = Run::new(&arguments).finish();
                assert_eq!(run.code, Some(0), "{change:?} before request {place}: {}", run.stderr);
                let answer: Value = serde_json::from_str(&run.stdout).unwrap();
                let found = alarms(&answer);
                assert!(found.is_empty(), "{change:?} before request {place} of {:?}: {found:?}", proxy.seen());
                assert!(!answer["items"].as_array().unwrap().is_empty());
                runs += 1;
                for kind in ["PersistentVolumeClaim", "PersistentVolume"] {
                    runtime.block_on(api.clear(kind));
                }
                places = places.max(place);
                if place >= proxy.seen().len() {
                    break;
                }
            }
        }
    }
    eprintln!("{runs} readings, at most {places} requests each");
    assert!(runs > 40, "{runs}");
}
