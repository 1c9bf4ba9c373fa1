//! Broken clusters that do not change by themselves, each with the repair that is requested.

use super::services::{SERVERS, service};
use super::store::Store;
use super::worlds::{bound_to, claim, cluster, named, terminating, volume};
use pvctl::model::ObjectKey;
use pvctl::repair::{Recipient, Request, Setting};
use serde_json::{Value, json};

/// A broken cluster, and the requested repair.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) store: Store,
    pub(crate) request: Request,
}

/// The volume of most scenarios.
const DISK: &str = "disk";

/// The attachment of the volume to a node that does not exist, and the name of that node.
pub(crate) const ATTACHMENT: &str = "csi-5f1c";
pub(crate) const GONE: &str = "node-gone";

fn world(objects: impl IntoIterator<Item = Value>) -> Store {
    let mut store = cluster();
    for object in objects {
        store.seed(object);
    }
    store
}

/// Returns a volume and the claim that has it.
fn bound(policy: &str) -> [Value; 2] {
    let mut holder = bound_to(claim("db", "data", "Bound"), DISK);
    holder["metadata"]["annotations"]["example.com/team"] = "shop".into();
    [named(volume(DISK, policy, "Bound"), "db", "data", "uid-data"), holder]
}

/// Returns a volume whose claim is gone.
fn released() -> Value {
    named(volume(DISK, "Retain", "Released"), "db", "data", "uid-gone")
}

/// Returns a claim that was bound to the volume and is Lost.
fn lost() -> Value {
    let mut lost = bound_to(claim("db", "data", "Lost"), DISK);
    lost["status"] = json!({ "phase": "Lost" });
    lost
}

/// Returns a cluster with a volume, its claim, and another volume.
fn bound_and(spare: Value) -> Store {
    world(bound("Delete").into_iter().chain([spare]))
}

fn without_class(mut claim: Value) -> Value {
    if let Some(spec) = claim["spec"].as_object_mut() {
        spec.remove("storageClassName");
    }
    claim
}

fn asking(mut claim: Value, size: &str) -> Value {
    claim["spec"]["resources"]["requests"]["storage"] = size.into();
    claim
}

fn kept_by(mut object: Value, finalizer: &str) -> Value {
    object["metadata"]["finalizers"] = json!([finalizer]);
    terminating(object)
}

/// Returns a claim that waits for a node that no longer exists, and its class.
fn selected() -> [Value; 2] {
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": "late" },
        "provisioner": "csi.example.com", "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer",
    });
    let mut waiting = claim("db", "data", "Pending");
    waiting["spec"]["storageClassName"] = "late".into();
    waiting["metadata"]["annotations"] = json!({
        "volume.kubernetes.io/selected-node": "node-gone",
        "volume.kubernetes.io/storage-provisioner": "csi.example.com",
        "volume.beta.kubernetes.io/storage-provisioner": "csi.example.com",
    });
    [class, waiting]
}

/// Returns a bound volume, and its attachment to a node that does not exist.
fn attached_to_gone() -> Vec<Value> {
    let attachment = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": {
            "name": ATTACHMENT, "uid": "uid-attachment", "finalizers": ["external-attacher/csi-example-com"],
        },
        "spec": { "attacher": "csi.example.com", "nodeName": GONE, "source": { "persistentVolumeName": DISK } },
        "status": { "attached": true },
    });
    bound("Delete").into_iter().chain([attachment]).collect()
}

/// Returns a bound volume that a server in the cluster serves, the server, and another Service of the cluster. The
/// volume records an address that no Service has.
fn served() -> Vec<Value> {
    let [mut disk, holder] = bound("Delete");
    disk["metadata"]["labels"] = json!({ "openebs.io/cas-type": "nfs-kernel" });
    disk["spec"]["nfs"] = json!({ "server": "10.96.0.7", "path": "/" });
    if let Some(spec) = disk["spec"].as_object_mut() {
        spec.remove("csi");
    }
    let server = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "namespace": SERVERS, "name": "nfs-server", "uid": "uid-server",
            "labels": { "openebs.io/nfs-server": format!("nfs-{DISK}") },
        },
        "spec": { "nodeName": "node-1" },
        "status": { "phase": "Running" },
    });
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": SERVERS }, "status": { "phase": "Active" },
    });
    let other = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": { "namespace": "default", "name": "kubernetes", "uid": "uid-kubernetes" },
        "spec": {
            "type": "ClusterIP", "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"],
            "ports": [{ "name": "https", "protocol": "TCP", "port": 443, "targetPort": 6443 }],
        },
    });
    vec![disk, holder, namespace, server, other]
}

/// Returns the Service that the server got after its first Service was deleted.
fn served_anew() -> Value {
    let mut anew = service(DISK);
    anew["metadata"]["uid"] = "uid-anew".into();
    anew["spec"]["type"] = "ClusterIP".into();
    anew["spec"]["clusterIP"] = "10.96.1.20".into();
    anew["spec"]["clusterIPs"] = json!(["10.96.1.20"]);
    anew
}

fn reconnecting() -> Request {
    Request::Reconnect { volume: DISK.into(), address: None, server: None }
}

fn detaching() -> Request {
    Request::Detach { attachment: ATTACHMENT.into(), machine_off: None }
}

fn moving(to_namespace: &str, to_name: &str, restore_policy: bool) -> Request {
    Request::Move {
        namespace: "db".into(),
        name: "data".into(),
        to_namespace: to_namespace.into(),
        to_name: to_name.into(),
        restore_policy,
    }
}

fn restoring(from: Option<&str>) -> Request {
    Request::Restore {
        namespace: "db".into(),
        name: "data".into(),
        from: from.map(Into::into),
        provisioner_stopped: false,
    }
}

fn recreating(set: Vec<Setting>) -> Request {
    Request::Recreate { namespace: "db".into(), name: "data".into(), set, provisioner_stopped: false }
}

fn rebinding(to: &str) -> Request {
    Request::Rebind { namespace: "db".into(), name: "data".into(), to: to.into(), provisioner_stopped: false }
}

fn unfinalizing(object: ObjectKey) -> Request {
    Request::Unfinalize { object, finalizer: "example.com/keep".into(), protected: false }
}

fn releasing(to: Recipient) -> Request {
    Request::Release { volume: DISK.into(), to }
}

fn to_claim(namespace: &str, name: &str) -> Recipient {
    Recipient::Claim { namespace: namespace.into(), name: name.into() }
}

/// Returns all scenarios.
pub(crate) fn all() -> Vec<Scenario> {
    let reserved = || named(volume(DISK, "Retain", "Available"), "db", "typo", "");
    let scenario = |name, store, request| Scenario { name, store, request };
    vec![
        scenario("retain", world(bound("Delete")), Request::Retain { volume: DISK.into() }),
        scenario("release", world([released()]), releasing(Recipient::LastClaim)),
        scenario("release-other", world([released()]), releasing(to_claim("app", "data"))),
        scenario(
            "release-waiting",
            world([released(), claim("app", "data", "Pending")]),
            releasing(to_claim("app", "data")),
        ),
        scenario("release-anyone", world([released()]), releasing(Recipient::Anyone)),
        scenario("unbind", world([reserved()]), Request::Unbind { volume: DISK.into(), to: to_claim("db", "data") }),
        scenario("unbind-anyone", world([reserved()]), Request::Unbind { volume: DISK.into(), to: Recipient::Anyone }),
        scenario("reclaim", world([released()]), Request::Reclaim { volume: DISK.into(), delete: true }),
        scenario(
            "recreate",
            world([
                named(volume(DISK, "Retain", "Available"), "db", "data", ""),
                asking(claim("db", "data", "Pending"), "100Gi"),
            ]),
            recreating(vec![Setting::Size("10Gi".into())]),
        ),
        scenario(
            "recreate-delete",
            world([
                named(volume(DISK, "Delete", "Available"), "db", "data", ""),
                asking(claim("db", "data", "Pending"), "100Gi"),
            ]),
            recreating(vec![Setting::Size("10Gi".into())]),
        ),
        scenario(
            "recreate-class",
            world([without_class(claim("db", "data", "Pending"))]),
            recreating(vec![Setting::Class("static".into())]),
        ),
        scenario("restore-lost", world([released(), lost()]), restoring(None)),
        scenario(
            "restore-lost-delete",
            world([named(volume(DISK, "Delete", "Available"), "db", "data", ""), lost()]),
            restoring(None),
        ),
        scenario("restore-deleted", world([released()]), restoring(None)),
        scenario("restore-recreated", world([released(), claim("db", "data", "Pending")]), restoring(None)),
        scenario(
            "restore-naming",
            world([released(), {
                let mut naming = claim("db", "data", "Pending");
                naming["spec"]["volumeName"] = DISK.into();
                naming
            }]),
            restoring(None),
        ),
        scenario(
            "rebind-unbound",
            world([
                named(volume("spare", "Retain", "Released"), "app", "old", "uid-old"),
                claim("db", "data", "Pending"),
            ]),
            rebinding("spare"),
        ),
        scenario(
            "rebind-bound",
            bound_and(named(volume("spare", "Retain", "Released"), "db", "older", "uid-older")),
            rebinding("spare"),
        ),
        scenario(
            "rebind-spare-delete",
            bound_and(named(volume("spare", "Delete", "Available"), "db", "older", "")),
            rebinding("spare"),
        ),
        scenario("move", world(bound("Delete")), moving("app", "data", false)),
        scenario("move-back-to-delete", world(bound("Delete")), moving("app", "data", true)),
        scenario("move-retained", world(bound("Retain")), moving("app", "data", false)),
        scenario("rename", world(bound("Delete")), moving("db", "renamed", false)),
        scenario(
            "unfinalize-volume",
            world([kept_by(released(), "example.com/keep")]),
            unfinalizing(super::store::volume(DISK)),
        ),
        scenario(
            "unfinalize-claim",
            {
                let [disk, data] = bound("Delete");
                world([disk, kept_by(data, "example.com/keep")])
            },
            unfinalizing(super::store::claim("db", "data")),
        ),
        scenario("detach", world(attached_to_gone()), detaching()),
        scenario("reconnect", world(served()), reconnecting()),
        scenario("reconnect-alias", world(served().into_iter().chain([served_anew()])), reconnecting()),
        scenario("reschedule", world(selected()), Request::Reschedule { namespace: "db".into(), name: "data".into() }),
    ]
}
