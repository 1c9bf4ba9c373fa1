//! Plans that have a volume detached from a node whose machine is off. Expected values are those of `docs/REPAIR.md`
//! and `docs/controllers/attach-detach.md`.

use super::{World, attachment, bound, changes, claim, complete, done, of, pod, volume};
use pvctl::model::Kind;
use pvctl::repair::{
    ApiRequest, Manifests, Plan, Proposed, Receipts, Recheck, Rejected, Request, attachment_key, review, undo,
};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use serde_json::{Value, json};

/// The name of the volume in the status of nodes.
const MOUNTED: &str = "kubernetes.io/csi/disk.csi.example.com^handle-pv-1";

fn detach(machine_off: Option<&str>) -> Request {
    Request::Detach { attachment: "va".into(), machine_off: machine_off.map(Into::into) }
}

/// Returns the attachment of volume pv-1 to node-1, with the finalizer of the attacher.
fn attached() -> Value {
    let mut attached = attachment("pv-1");
    attached["metadata"]["finalizers"] = json!(["external-attacher/disk-csi-example-com"]);
    attached["metadata"]["resourceVersion"] = "30".into();
    attached["metadata"]["annotations"] = json!({ "csi.alpha.kubernetes.io/node-id": "i-1" });
    attached["status"] = json!({ "attached": true });
    attached
}

/// Returns node-1. `ready` is the status of its condition Ready; without a value, the node does not have the condition.
fn node(ready: Option<&str>) -> Value {
    let mut node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": "node-1", "uid": "n-1",
            "annotations": { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
        },
        "status": {},
    });
    if let Some(ready) = ready {
        node["status"]["conditions"] = json!([{ "type": "Ready", "status": ready }]);
    }
    node
}

fn out_of_service(mut node: Value) -> Value {
    node["spec"]["taints"] =
        json!([{ "key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute" }]);
    node
}

fn mounting(mut node: Value) -> Value {
    node["status"]["volumesInUse"] = json!([MOUNTED]);
    node
}

/// Returns a world in which the volume of a bound claim is attached.
fn world(more: impl IntoIterator<Item = Value>) -> World {
    World::new([bound(), vec![attached()]].concat().into_iter().chain(more).collect())
}

fn refused(more: impl IntoIterator<Item = Value>) -> (&'static str, String) {
    let refusal = world(more).refusal(&detach(None));
    (refusal.by, refusal.message)
}

/// Only this attachment is deleted: the request has its uid and its version. The person types the name of the node.
#[test]
fn a_volume_is_detached_from_a_node_that_is_gone() {
    let plan = world([]).accepted(&detach(None));
    assert_eq!(changes(&plan), ["volumeattachment/va: delete"]);
    assert_eq!(plan.type_name.as_deref(), Some("node-1"));
    assert_eq!(plan.saves, [attachment_key("va")]);
    assert!(plan.judgement.is_some() && !plan.is_safe());
    assert!(plan.steps[0].wait.is_none(), "no simulated controller detaches a disk");
    assert_eq!(plan.steps[0].expects[0].states, ["being deleted", "gone"]);
    let write = plan.steps[0].write.as_ref().unwrap();
    let Some(ApiRequest { method, path, body, .. }) = write.request(Some(&attached()), false) else { panic!() };
    assert_eq!((method, path.as_str()), ("DELETE", "/apis/storage.k8s.io/v1/volumeattachments/va"));
    assert_eq!(body["preconditions"], json!({ "uid": "a", "resourceVersion": "30" }));
    assert!(body.get("gracePeriodSeconds").is_none());
}

/// The statement that the machine is off replaces the typed name, but only for this node.
#[test]
fn the_statement_must_name_the_node() {
    let plan = world([]).accepted(&detach(Some("node-1")));
    assert_eq!(plan.type_name, None);
    assert!(plan.judgement.is_some(), "`fix --yes` must not detach a volume");
    let refusal = world([]).refusal(&detach(Some("node-2")));
    let said = "--machine-off names node node-2, but va attaches its volume to node node-1";
    assert_eq!((refusal.by, refusal.message.as_str()), ("usage", said));
}

/// The taint says that the machine is off, also if the node still lists the volume as mounted.
#[test]
fn the_taint_is_a_statement_as_well() {
    for node in [out_of_service(node(Some("Unknown"))), mounting(out_of_service(node(Some("False"))))] {
        let plan = world([node]).accepted(&detach(None));
        assert_eq!((plan.type_name.as_deref(), plan.judgement.as_deref()), (None, None));
    }
}

fn csi_node(name: &str, id: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": { "name": name, "uid": name },
        "spec": { "drivers": [{ "name": "disk.csi.example.com", "nodeID": id }] },
    })
}

/// The driver knows a machine by its id, and not by the name of the node. So a machine that runs under another name, or
/// another machine under the same name, keeps the attachment.
#[test]
fn the_machine_is_known_by_its_id() {
    let (by, said) = refused([csi_node("node-9", "i-1")]);
    assert_eq!((by, said.contains("node node-9 has the same machine, i-1")), ("renamed", true), "{said}");
    let (by, said) = refused([out_of_service(node(Some("Unknown"))), csi_node("node-1", "i-2")]);
    assert_eq!((by, said.contains("attaches the volume to machine i-1")), ("replaced", true), "{said}");
    // The node itself comes first, also if the old machine has another name now.
    let (by, said) =
        refused([out_of_service(node(Some("Unknown"))), csi_node("node-0", "i-1"), csi_node("node-1", "i-2")]);
    assert_eq!((by, said.contains("node node-1 is machine i-2 now")), ("replaced", true), "{said}");
    // Another machine says nothing about this one.
    let plan = world([out_of_service(node(Some("Unknown"))), csi_node("node-1", "i-1"), csi_node("node-2", "i-2")]);
    assert_eq!(plan.accepted(&detach(None)).type_name, None);
}

/// Without the id of the machine, or without the finalizer of the driver's own attacher, a person has to judge, also if
/// the node has the taint.
#[test]
fn a_doubt_needs_the_statement_in_spite_of_the_taint() {
    let with = |change: fn(&mut Value)| {
        let mut attached = attached();
        change(&mut attached);
        World::new([bound(), vec![attached, out_of_service(node(Some("Unknown")))]].concat()).accepted(&detach(None))
    };
    let unknown = with(|attached| attached["metadata"]["annotations"] = json!({}));
    let kept_by_nobody = with(|attached| attached["metadata"]["finalizers"] = json!([]));
    let kept_by_another = with(|attached| attached["metadata"]["finalizers"] = json!(["external-attacher/other"]));
    for (plan, why) in [
        (unknown, "it cannot be seen which machine"),
        (kept_by_nobody, "has no finalizer on the attachment"),
        (kept_by_another, "has no finalizer on the attachment"),
    ] {
        assert_eq!(plan.type_name.as_deref(), Some("node-1"));
        assert!(plan.judgement.as_ref().is_some_and(|said| said.contains(why)), "{:?}", plan.judgement);
    }
}

/// A node that does not answer needs the typed name, and must not list the volume as mounted.
#[test]
fn a_node_that_does_not_answer_needs_the_statement() {
    let plan = world([node(Some("Unknown"))]).accepted(&detach(None));
    assert_eq!(plan.type_name.as_deref(), Some("node-1"));
    let (by, said) = refused([mounting(node(Some("Unknown")))]);
    assert_eq!(by, "mounted");
    assert!(said.starts_with("node node-1 lists the volume in status.volumesInUse"), "{said}");
}

#[test]
fn a_machine_that_may_run_keeps_its_volumes() {
    for node in [node(Some("True")), out_of_service(node(Some("True"))), mounting(node(Some("True")))] {
        let (by, said) = refused([node]);
        assert_eq!((by, said.starts_with("node node-1 is ready")), ("ready", true), "{said}");
    }
    // A kubelet that reports that it is not ready runs on this machine.
    let (by, said) = refused([node(Some("False"))]);
    assert_eq!((by, said.contains("its kubelet answers: its machine runs")), ("ready", true), "{said}");
    let (by, said) = refused([node(None)]);
    assert_eq!((by, said.contains("does not say whether it is ready")), ("ready", true), "{said}");
}

/// A pod that has not terminated needs the volume, even if its node is gone. A pod that has terminated does not.
#[test]
fn pods_on_the_node_keep_the_volume() {
    let (by, said) = refused([pod("db", "shop-0", "data")]);
    assert_eq!((by, said.as_str()), ("needed", "pods on node node-1 need volume pv-1: db/shop-0"));
    let mut elsewhere = pod("db", "shop-0", "data");
    elsewhere["spec"]["nodeName"] = "node-2".into();
    let mut ended = pod("db", "shop-1", "data");
    ended["status"]["phase"] = "Succeeded".into();
    world([elsewhere, ended]).accepted(&detach(None));
}

/// Another volume with the same handle is the same disk for the controller. Its pods count as well.
#[test]
fn pods_that_use_the_disk_by_another_volume_count() {
    let mut twin = volume("pv-2", "Bound", of("new", "twin", "c-twin"));
    twin["spec"]["csi"]["volumeHandle"] = "handle-pv-1".into();
    let (by, said) = refused([twin, pod("new", "other-0", "twin")]);
    assert_eq!((by, said.as_str()), ("needed", "pods on node node-1 need volume pv-1: new/other-0"));
}

/// An attachment that is being deleted is not deleted again. The message says what is awaited.
#[test]
fn an_attachment_that_is_being_deleted_waits_for_its_driver() {
    let mut going = attached();
    going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    let refusal = World::new([bound(), vec![going]].concat()).refusal(&detach(None));
    assert_eq!(refusal.by, "deletion");
    let said = "va is being deleted already: driver disk.csi.example.com has to detach volume pv-1 from node node-1";
    assert_eq!(refusal.message, said);
}

#[test]
fn what_is_unknown_is_not_detached() {
    for (kind, by) in [
        (Kind::Node, "unknown"),
        (Kind::Pod, "unknown"),
        (Kind::PersistentVolume, "needed"),
        // A claim that could not be read may name the volume, and pods on the node may use this claim.
        (Kind::PersistentVolumeClaim, "unknown"),
    ] {
        let mut coverage = complete();
        coverage.set(CoverageEntry::new(kind, None, CoverageState::Forbidden));
        let world = World::with([bound(), vec![attached()]].concat(), coverage);
        assert_eq!(world.refusal(&detach(None)).by, by, "{kind}");
    }
    let inline = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": { "name": "va", "uid": "a" },
        "spec": { "attacher": "disk.csi.example.com", "nodeName": "node-1", "source": { "inlineVolumeSpec": {} } },
    });
    assert_eq!(World::new(vec![inline]).refusal(&detach(None)).by, "inline");
    assert_eq!(World::new(vec![attached()]).refusal(&detach(None)).by, "missing");
}

/// Without the finalizer of an attacher, nobody detaches the disk before the attachment is gone.
#[test]
fn an_attachment_without_an_attacher_is_gone_at_once() {
    let mut bare = attached();
    bare["metadata"]["finalizers"] = json!([]);
    let reviewed = World::new([bound(), vec![bare]].concat()).review(&detach(None)).unwrap();
    let guard = reviewed.guards().iter().find(|guard| guard.id == "attacher").unwrap();
    assert!(guard.looked_at.contains("no finalizer of an attacher"), "{guard:?}");
    assert_eq!(reviewed.plan().steps[0].expects[0].states, ["gone"]);
}

/// Reviews a plan from which one recheck was removed.
fn without(plan: &Plan, removed: impl Fn(&Recheck) -> bool) -> Box<Rejected> {
    let world = world([]);
    let mut plan = plan.clone();
    plan.steps[0].recheck.retain(|recheck| !removed(recheck));
    let manifests = Manifests::default();
    let receipts = Receipts::granted(&plan);
    review(&world.situation(&manifests), plan, &receipts).unwrap_err()
}

/// The adversary lets the machine run again, or schedules a pod there. Each recheck is necessary.
#[test]
fn the_adversary_finds_a_plan_that_looks_away() {
    let plan = world([]).accepted(&detach(None));
    let rejected = without(&plan, |recheck| matches!(recheck, Recheck::MachineOff { .. }));
    assert_eq!(rejected.refusal.by, "adversary");
    let moves = rejected.interleaving.unwrap().moves;
    assert_eq!(moves.last().unwrap(), "volume pv-1 is detached from node node-1, which may use it");
    let rejected = without(&plan, |recheck| matches!(recheck, Recheck::NotNeeded { .. }));
    assert_eq!(rejected.refusal.by, "adversary");
    let moves = rejected.interleaving.unwrap().moves;
    assert!(moves.contains(&"a pod that needs volume pv-1 gets node node-1".to_owned()), "{moves:?}");
}

/// A plan from a file must ask for the name of the node, or its request must state that the machine is off.
#[test]
fn a_plan_that_asks_for_nothing_is_refused() {
    let world = world([]);
    let mut plan = world.accepted(&detach(None));
    plan.type_name = None;
    let manifests = Manifests::default();
    let receipts = Receipts::granted(&plan);
    let rejected = review(&world.situation(&manifests), plan, &receipts).unwrap_err();
    let said = "the plan does not match its request: it does not require that the name node-1 is typed";
    assert_eq!(rejected.refusal.message, said);
}

#[test]
fn a_deleted_attachment_does_not_come_back() {
    let world = world([]);
    let plan = world.accepted(&detach(None));
    let manifests = Manifests::default();
    let back = undo(&world.situation(&manifests), "journal", false, &plan, &done(&plan.steps));
    let Proposed::Refused(refusal) = back else { panic!("{back:?}") };
    assert_eq!(refusal.by, "undo");
    assert!(refusal.message.contains("a deletion cannot be taken back"), "{refusal:?}");
}

/// The name of an attachment is a hash of the disk, the driver and the node. If the volume was created again with
/// another handle, nobody looks at the disk of the attachment.
#[test]
fn an_attachment_of_another_disk_is_kept() {
    let hash = pvctl::controllers::attach_detach::attachment_name;
    let with = |name: &str, driver: &str| {
        let mut attached = attached();
        attached["metadata"]["name"] = json!(name);
        attached["spec"]["attacher"] = json!(driver);
        World::new([bound(), vec![attached]].concat())
    };
    let detach = |name: &str| Request::Detach { attachment: name.into(), machine_off: None };
    let own = hash("handle-pv-1", "disk.csi.example.com", "node-1");
    with(&own, "disk.csi.example.com").accepted(&detach(&own));
    let old = hash("handle-old", "disk.csi.example.com", "node-1");
    let refusal = with(&old, "disk.csi.example.com").refusal(&detach(&old));
    assert_eq!((refusal.by, refusal.message.contains("another handle")), ("disk", true), "{}", refusal.message);
    let refusal = with("va", "other.csi.example.com").refusal(&detach("va"));
    assert_eq!((refusal.by, refusal.message.contains("other.csi.example.com")), ("disk", true), "{}", refusal.message);
}

/// A claim can name a volume that names another claim. Its pods may still have the disk mounted.
#[test]
fn the_pods_of_every_claim_that_names_the_volume_count() {
    let mut objects = bound();
    objects.extend([claim("db", "other", "pv-1", "Lost"), pod("db", "user", "other"), attached()]);
    let refusal = World::new(objects).refusal(&detach(None));
    assert_eq!((refusal.by, refusal.message.as_str()), ("needed", "pods on node node-1 need volume pv-1: db/user"));
}

/// The statement that the machine is off does not say which machine the driver detaches the disk from.
#[test]
fn an_unknown_machine_needs_the_typed_name_in_spite_of_the_statement() {
    let mut unknown = attached();
    unknown["metadata"]["annotations"] = json!({});
    let plan = World::new([bound(), vec![unknown]].concat()).accepted(&detach(Some("node-1")));
    assert_eq!(plan.type_name.as_deref(), Some("node-1"));
    let judgement = plan.judgement.unwrap();
    assert!(judgement.contains("whether the machine of node node-1 is off"), "{judgement}");
    assert!(judgement.contains("which machine node node-1 is"), "{judgement}");
}

/// A node without the condition Ready is not ready, so the taint is a statement. Without the taint, nothing is said.
#[test]
fn a_node_without_the_condition_ready_needs_the_taint() {
    let plan = world([out_of_service(node(None))]).accepted(&detach(None));
    assert_eq!((plan.type_name.as_deref(), plan.judgement.as_deref()), (None, None));
    assert_eq!(refused([node(None)]).0, "ready");
}

/// Without the check of the machine, the adversary lets the machine run under another name.
#[test]
fn a_machine_under_another_name_is_noticed() {
    let plan = world([out_of_service(node(Some("Unknown")))]).accepted(&detach(None));
    let last = |recheck: &Recheck| matches!(recheck, Recheck::OneMachine { .. });
    assert!(plan.steps[0].recheck.iter().any(last));
    let world = world([out_of_service(node(Some("Unknown")))]);
    let mut plan = plan;
    plan.steps[0].recheck.retain(|recheck| !last(recheck));
    let manifests = Manifests::default();
    let receipts = Receipts::granted(&plan);
    let rejected = review(&world.situation(&manifests), plan, &receipts).unwrap_err();
    let said = "the plan does not match its request: it does not require that the name node-1 is typed";
    assert_eq!(rejected.refusal.message, said);
}
