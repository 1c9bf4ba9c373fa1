//! `reconnect`, as people type it: the Service is created with the address that the clients use, or nothing is written.

use super::{bound, cluster, refused, run, with};
use crate::support::api::{ApiServer, Seen, Store, Who, claim_key};
use crate::support::faults::{At, Fault};
use serde_json::{Value, json};

/// Returns a volume whose server runs and whose Service is missing, its claim, the server, and another Service.
pub(super) fn served() -> Vec<Value> {
    let [mut disk, holder] = bound("db", "data", "disk");
    disk["metadata"]["labels"] = json!({"openebs.io/cas-type": "nfs-kernel"});
    disk["spec"]["nfs"] = json!({"server": "10.96.0.7", "path": "/"});
    disk["spec"].as_object_mut().unwrap().remove("csi");
    let server = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "openebs", "name": "server", "uid": "uid-server", "resourceVersion": "31",
            "labels": {"openebs.io/nfs-server": "nfs-disk"}},
        "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}
    });
    let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "uid": name, "resourceVersion": "1"}});
    vec![
        disk,
        holder,
        server,
        namespace("openebs"),
        namespace("default"),
        service("default", "kubernetes", "10.96.0.1"),
    ]
}

fn service(namespace: &str, name: &str, address: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": namespace, "name": name, "uid": format!("uid-{name}"), "resourceVersion": "32"},
        "spec": {"type": "ClusterIP", "clusterIP": address, "clusterIPs": [address],
            "selector": {"openebs.io/nfs-server": name}, "ports": [{"name": "nfs", "port": 2049, "protocol": "TCP"}]}
    })
}

fn address_of(fake: &ApiServer, name: &str) -> Option<String> {
    let found = fake.object("Service", name)?;
    found["spec"]["clusterIP"].as_str().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_is_created_once_and_taken_back() {
    let fake = cluster(served()).await;
    let state = tempfile::tempdir().unwrap();
    let shown = refused(&fake, 0, &["reconnect", "pv/disk", "--dry-run=server", "--diff"]).await;
    assert!(shown.stdout.contains("create svc/nfs-disk -n openebs with address 10.96.0.7"), "{}", shown.stdout);
    assert!(shown.stdout.contains("+ spec.clusterIP: 10.96.0.7"), "{}", shown.stdout);
    assert!(shown.stderr.contains("the API server accepts steps 1 in a dry run"), "{}", shown.stderr);
    let ended = with(&fake, state.path(), "", &["reconnect", "pvc/data", "-n", "db", "--yes"]).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("svc/nfs-disk -n openebs is at address 10.96.0.7"), "{}", ended.stdout);
    assert_eq!(address_of(&fake, "nfs-disk").as_deref(), Some("10.96.0.7"));
    let writes = fake.writes();
    assert_eq!((writes.len(), writes[0].method.as_str()), (1, "POST"), "{writes:?}");
    let again = with(&fake, state.path(), "", &["reconnect", "pv/disk", "--yes"]).await;
    assert_eq!(again.code, Some(0), "{}{}", again.stdout, again.stderr);
    assert!(again.stdout.contains("has address 10.96.0.7"), "{}{}", again.stdout, again.stderr);
    // Clients that use the address would lose their server.
    fake.replace(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "db", "name": "web-0", "uid": "p", "resourceVersion": "40"},
        "spec": {"nodeName": "node-1", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]},
        "status": {"phase": "Running"}
    }));
    let back = with(&fake, state.path(), "", &["undo", "--yes"]).await;
    assert_eq!(back.code, Some(6), "{}{}", back.stdout, back.stderr);
    assert!(
        back.stderr.contains("the clients of address 10.96.0.7 would lose their server: pod db/web-0"),
        "{}",
        back.stderr
    );
    fake.remove("Pod", "web-0");
    let back = with(&fake, state.path(), "", &["undo", "--yes"]).await;
    assert_eq!(back.code, Some(0), "{}{}", back.stdout, back.stderr);
    assert_eq!(address_of(&fake, "nfs-disk"), None);
    let writes = fake.writes();
    assert_eq!((writes.len(), writes[1].method.as_str()), (2, "DELETE"), "{writes:?}");
    assert!(writes[1].body["preconditions"]["uid"].is_string(), "{writes:?}");
    assert!(writes[1].body["preconditions"]["resourceVersion"].is_string(), "{writes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_so_is_refused() {
    let fake = cluster(served()).await;
    let ended = refused(&fake, 2, &["reconnect", "pv/disk", "--address", "10.96.0.300", "--yes"]).await;
    assert!(ended.stderr.contains("--address: \"10.96.0.300\" is not an IP address"), "{}", ended.stderr);
    let ended = refused(&fake, 2, &["reconnect", "pv/disk", "--service", "server", "--yes"]).await;
    assert!(ended.stderr.contains("--service: \"server\" is not NAMESPACE/NAME"), "{}", ended.stderr);
    let ended = refused(&fake, 2, &["reconnect", "va/disk", "--yes"]).await;
    assert!(ended.stderr.contains("the object must be"), "{}", ended.stderr);
    fake.replace(service("default", "kubernetes", "10.96.0.7"));
    let ended = refused(&fake, 6, &["reconnect", "pv/disk", "--yes"]).await;
    assert!(ended.stderr.contains("Service default/kubernetes has address 10.96.0.7"), "{}", ended.stderr);
    assert!(fake.writes().is_empty());
}

/// What somebody does at a request.
type Act = fn(&mut Store, &[Seen]);

fn taken(store: &mut Store, _: &[Seen]) {
    store.hold(service("db", "taker", "10.96.0.7"));
}

fn created(store: &mut Store, _: &[Seen]) {
    store.hold(service("openebs", "nfs-disk", "10.96.0.50"));
}

fn claim_goes(store: &mut Store, _: &[Seen]) {
    store.put(&claim_key("db", "data"), None, "gitops");
}

/// If the cluster changes right before the Service is created, nothing is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_before_the_creation_stops_it() {
    let cases: [(Act, &str); 3] = [
        (taken, "Service db/taker has address 10.96.0.7"),
        (created, "an object with that name exists already"),
        (claim_goes, "pvc/data -n db does not exist any more"),
    ];
    for (act, said) in cases {
        let fake = cluster(served()).await;
        // The first two requests after the questions about rights are those of the review.
        fake.incident(At::AfterQuestions { questions: 5, number: 3 }, Who::Action(act), Fault::None);
        let ended = run(&fake, &["reconnect", "pv/disk", "--yes"]).await;
        assert!(matches!(ended.code, Some(4 | 6)), "{said}: {:?} {}{}", ended.code, ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
        assert!(fake.writes().is_empty(), "{said}: {:?}", fake.writes());
    }
}
