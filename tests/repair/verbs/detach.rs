//! `detach` and `reschedule`, as people type them: what has to be stated before a volume is detached, and what happens
//! if the cluster changes before the deletion.

use super::{bound, cluster, refused, run, waiting, with};
use crate::project::schema::{assert_valid, validator};
use crate::support::api::{ApiServer, Seen, Store, Who};
use crate::support::faults::{At, Fault};
use serde_json::{Value, json};

/// The path of the list of pods that is read right before the deletion.
const PODS: &str = "/api/v1/namespaces/db/pods";

/// Returns a bound volume, and its attachment to a node that does not exist.
pub(super) fn attached() -> Vec<Value> {
    bound("db", "data", "disk").into_iter().chain([attachment("uid-attachment")]).collect()
}

fn attachment(uid: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": {"name": "csi-5f1c", "uid": uid, "resourceVersion": "20",
            "annotations": {"csi.alpha.kubernetes.io/node-id": "i-1"},
            "finalizers": ["external-attacher/d-example-com"]},
        "spec": {"attacher": "d.example.com", "nodeName": "node-gone", "source": {"persistentVolumeName": "disk"}},
        "status": {"attached": true}
    })
}

fn node(ready: &str, taints: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-gone", "uid": "uid-node", "resourceVersion": "21"},
        "spec": {"taints": taints}, "status": {"conditions": [{"type": "Ready", "status": ready}]}
    })
}

/// Returns a claim that waits for a node that does not exist.
pub(super) fn selected() -> Value {
    let mut claim = waiting("late");
    claim["metadata"]["annotations"] = json!({"volume.kubernetes.io/selected-node": "node-gone"});
    claim
}

fn is_there(fake: &ApiServer) -> bool {
    fake.object("VolumeAttachment", "csi-5f1c").is_some()
}

/// Nothing is deleted before somebody has stated that the machine is off, by its name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_volume_is_detached_only_after_a_statement() {
    let fake = cluster(attached()).await;
    let ended = refused(&fake, 6, &["detach", "va/csi-5f1c"]).await;
    assert!(ended.stdout.contains("delete volumeattachment/csi-5f1c"), "{}", ended.stdout);
    assert!(ended.stdout.contains("no object shows whether the machine of node node-gone is off"), "{}", ended.stdout);
    assert!(ended.stdout.contains("this step cannot be undone"), "{}", ended.stdout);
    let ended = refused(&fake, 6, &["detach", "va/csi-5f1c", "--yes"]).await;
    assert!(ended.stderr.contains("--confirm node-gone"), "{}", ended.stderr);
    let ended = refused(&fake, 6, &["detach", "va/csi-5f1c", "--yes", "--confirm", "csi-5f1c"]).await;
    assert!(ended.stderr.contains("the typed name is not node-gone"), "{}", ended.stderr);
    let ended = refused(&fake, 2, &["detach", "va/csi-5f1c", "--yes", "--machine-off", "node-1"]).await;
    assert!(ended.stderr.contains("--machine-off names node node-1"), "{}", ended.stderr);
    let ended = refused(&fake, 2, &["detach", "pv/disk"]).await;
    assert!(ended.stderr.contains("the object must be volumeattachment/NAME"), "{}", ended.stderr);
    let ended = refused(&fake, 2, &["detach", "va/csi-5f1d", "--yes"]).await;
    assert!(ended.stderr.contains("csi-5f1c?"), "{}", ended.stderr);
    assert!(is_there(&fake));
    let ended = refused(&fake, 0, &["detach", "volumeattachment", "csi-5f1c", "--dry-run=server"]).await;
    assert!(ended.stderr.contains("the API server accepts steps 1 in a dry run"), "{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_detached_volume_is_not_detached_twice_and_does_not_come_back() {
    for words in [&["--confirm", "node-gone"][..], &["--machine-off", "node-gone"]] {
        let fake = cluster(attached()).await;
        let state = tempfile::tempdir().unwrap();
        let words = [&["detach", "va/csi-5f1c", "--yes"], words].concat();
        let ended = with(&fake, state.path(), "", &words).await;
        assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("Done: volume disk is being detached from node node-gone"), "{}", ended.stdout);
        assert!(!is_there(&fake));
        let writes = fake.writes();
        assert_eq!((writes.len(), writes[0].method.as_str()), (1, "DELETE"), "{writes:?}");
        assert_eq!(writes[0].body["preconditions"], json!({"uid": "uid-attachment", "resourceVersion": "20"}));
        let again = with(&fake, state.path(), "", &words).await;
        assert_eq!(again.code, Some(0), "{}{}", again.stdout, again.stderr);
        assert!(again.stdout.contains("VolumeAttachment csi-5f1c is gone"), "{}{}", again.stdout, again.stderr);
        let back = with(&fake, state.path(), "", &["undo", "--yes"]).await;
        assert_eq!(back.code, Some(6), "{}{}", back.stdout, back.stderr);
        assert!(back.stderr.contains("cannot be undone: a deletion cannot be taken back"), "{}", back.stderr);
        assert_eq!(fake.writes().len(), 1);
    }
}

/// With the taint nothing has to be typed. A node that is Ready keeps its volume.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_node_decides_what_has_to_be_stated() {
    let taint = json!([{"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}]);
    let fake = cluster(attached().into_iter().chain([node("True", &taint)])).await;
    let ended = refused(&fake, 6, &["detach", "va/csi-5f1c", "--yes", "--machine-off", "node-gone"]).await;
    assert!(ended.stderr.contains("node node-gone is ready: its machine runs"), "{}", ended.stderr);
    fake.replace(node("Unknown", &taint));
    let ended = run(&fake, &["detach", "va/csi-5f1c", "--yes"]).await;
    assert_eq!((ended.code, is_there(&fake)), (Some(0), false), "{}{}", ended.stdout, ended.stderr);
}

/// What somebody does at a request.
type Act = fn(&mut Store, &[Seen]);

fn node_returns(store: &mut Store, _: &[Seen]) {
    store.hold(node("True", &json!([])));
}

fn pod_comes(store: &mut Store, _: &[Seen]) {
    store.hold(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "db", "name": "web-0", "uid": "p"},
        "spec": {"nodeName": "node-gone", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]},
        "status": {"phase": "Running"}
    }));
}

fn machine_comes_back(store: &mut Store, _: &[Seen]) {
    store.hold(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "node-9", "uid": "n-9"},
        "spec": {"drivers": [{"name": "d.example.com", "nodeID": "i-1", "topologyKeys": []}]}
    }));
}

fn volume_is_another(store: &mut Store, _: &[Seen]) {
    let volume = bound("db", "data", "disk").into_iter().find(|object| object["kind"] == "PersistentVolume");
    let mut other = volume.unwrap();
    other["metadata"]["uid"] = "another".into();
    store.hold(other);
}

fn attached_again(store: &mut Store, _: &[Seen]) {
    store.hold(attachment("uid-another"));
}

fn manager_was_first(store: &mut Store, _: &[Seen]) {
    let mut going = attachment("uid-attachment");
    going["metadata"]["resourceVersion"] = "22".into();
    going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    store.hold(going);
}

/// If the cluster changes between the agreement and the deletion, nothing is deleted. This holds also for an attachment
/// of the same name, which the person has not seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_deleted_after_the_cluster_has_changed() {
    let cases: [(Act, &str); 5] = [
        (machine_comes_back, "node node-9 has machine i-1"),
        (node_returns, "node node-gone is ready"),
        (pod_comes, "pods on node node-gone need volume disk"),
        (attached_again, "uid-another"),
        (manager_was_first, "is being deleted already"),
    ];
    let volume: (Act, &str) = (volume_is_another, "its uid is another");
    let cases = cases.map(|case| (PODS, case)).into_iter().chain([("/api/v1/persistentvolumes/disk", volume)]);
    for (path, (act, said)) in cases {
        let fake = cluster(attached()).await;
        fake.incident(At::Path(path, 1), Who::Action(act), Fault::None);
        let state = tempfile::tempdir().unwrap();
        let words = ["detach", "va/csi-5f1c", "--yes", "--confirm", "node-gone"];
        let ended = with(&fake, state.path(), "", &words).await;
        assert_eq!(ended.code, Some(4), "{said}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
        assert!(is_there(&fake), "{said}");
    }
}

/// The plan as data follows its schema, and `apply` carries out the plan in a file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plan_can_be_kept_in_a_file() {
    let fake = cluster(attached()).await;
    let printed = refused(&fake, 0, &["detach", "va/csi-5f1c", "-o", "json"]).await;
    let plan: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_valid(&validator("Plan"), &plan, "detach -o json");
    assert_eq!(plan["typeName"], "node-gone");
    assert_eq!(plan["steps"][0]["write"]["resource"], "volumeattachments");
    assert_eq!(plan["steps"][0]["preconditions"]["uid"], "uid-attachment");
    let state = tempfile::tempdir().unwrap();
    let ended = with(&fake, state.path(), &printed.stdout, &["apply", "-", "--yes"]).await;
    assert_eq!((ended.code, is_there(&fake)), (Some(6), true), "{}{}", ended.stdout, ended.stderr);
    let words = ["apply", "-", "--yes", "--confirm", "node-gone"];
    let ended = with(&fake, state.path(), &printed.stdout, &words).await;
    assert_eq!((ended.code, is_there(&fake)), (Some(0), false), "{}{}", ended.stdout, ended.stderr);
}

/// A volume that was made for the claim, under any name, will be bound to it. The node is read again before the write.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_is_kept_for_a_provisioner_that_may_act() {
    let words = ["reschedule", "pvc/late", "-n", "db", "--yes"];
    let uid = selected()["metadata"]["uid"].clone();
    let mut made = bound("db", "late", "made").into_iter().find(|object| object["kind"] == "PersistentVolume").unwrap();
    made["spec"]["claimRef"]["uid"] = uid;
    made["status"]["phase"] = "Available".into();
    let ended = refused(&cluster([selected(), made]).await, 6, &words).await;
    assert!(ended.stderr.contains("volume made was made for claim db/late"), "{}", ended.stderr);
    let fake = cluster([selected()]).await;
    fake.incident(At::Path("/api/v1/nodes/node-gone", 1), Who::Action(node_returns), Fault::None);
    let state = tempfile::tempdir().unwrap();
    let ended = with(&fake, state.path(), "", &words).await;
    assert!(fake.writes().is_empty(), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(4), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("node node-gone exists"), "{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_is_given_back_to_the_scheduler() {
    let fake = cluster([selected()]).await;
    let state = tempfile::tempdir().unwrap();
    let words = ["reschedule", "pvc/late", "-n", "db", "--yes"];
    let ended = with(&fake, state.path(), "", &words).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let annotation = || {
        let claim = fake.object("PersistentVolumeClaim", "late").unwrap();
        claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"].clone()
    };
    assert_eq!(annotation(), Value::Null);
    let again = with(&fake, state.path(), "", &words).await;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stdout.contains("no node is selected for claim db/late"), "{}", again.stdout);
    let back = with(&fake, state.path(), "", &["undo", "--yes"]).await;
    assert_eq!((back.code, annotation()), (Some(0), json!("node-gone")), "{}{}", back.stdout, back.stderr);
    fake.hold([node("True", &json!([]))]);
    let ended = with(&fake, state.path(), "", &words).await;
    assert_eq!(ended.code, Some(6), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("node node-gone, which is selected for claim db/late, exists"), "{}", ended.stderr);
}
