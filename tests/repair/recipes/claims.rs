//! These tests are about recipes for claims: people delete claims, create them again, or edit them.

use super::{recreate, restore, step, terminating};
use crate::repair::plans::{World, bound, changes, claim, class, moving, namespace, of, pod, released, volume};
use pvctl::repair::{ApiRequest, Change, Expect, Proposed, Request, Setting, claim_key};
use serde_json::{Value, json};

/// Recipe 7: the deletion of a claim cannot be undone. A new claim gets the volume after the old claim is gone.
#[test]
fn r7_a_deletion_is_waited_for() {
    let mut objects = bound();
    objects[1] = terminating(objects[1].clone());
    let plan = World::new(objects).accepted(&restore());
    assert_eq!(
        changes(&plan),
        [
            "pv/pv-1: policy Retain",
            "wait",
            "wait",
            "pv/pv-1: claimRef db/data",
            "pvc/data -n db: create, volume \"pv-1\""
        ]
    );
    let waits: Vec<String> = plan.steps.iter().filter_map(|step| Some(step.wait.as_ref()?.to_string())).collect();
    assert_eq!(waits, WAITS_OF_R7);
    let writes = plan.steps.iter().filter_map(|step| step.write.as_ref());
    assert!(writes.into_iter().all(|write| write.uid != "c-data"), "{plan:#?}");
}

/// What the repair of recipe 7 waits for, in order.
const WAITS_OF_R7: [&str; 4] = [
    "claim db/data is gone",
    "volume pv-1 is Released",
    "volume pv-1 is Available",
    "claim db/data and volume pv-1 are bound to each other",
];

/// Recipe 13: a person copies a claim with `get -o yaml` and `apply`. A new claim does not get the fields that belong
/// only to the old claim.
#[test]
fn r13_a_new_claim_has_no_annotations_of_the_old_binding() {
    let mut objects = bound();
    for (key, value) in [
        ("volume.kubernetes.io/selected-node", "node-1"),
        ("volume.kubernetes.io/storage-provisioner", "disk.csi.example.com"),
        ("kubectl.kubernetes.io/last-applied-configuration", "{}"),
        ("example.com/team", "shop"),
    ] {
        objects[1]["metadata"]["annotations"][key] = value.into();
    }
    objects[1]["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "apps/v1", "kind": "StatefulSet", "name": "gone", "uid": "dead" }]);
    let plan = World::new(objects).accepted(&moving());
    let Some(Change::Create { manifest }) = step(&plan, |change| matches!(change, Change::Create { .. }))
        .and_then(|step| step.write.as_ref())
        .map(|write| &write.change)
    else {
        panic!()
    };
    assert_eq!(
        manifest["metadata"],
        json!({
            "name": "data", "namespace": "new", "labels": { "app": "shop" },
            "annotations": { "example.com/team": "shop", "pvctl.dev/plan": plan.id },
        })
    );
    assert!(manifest.get("status").is_none());
    assert!(plan.notes.iter().any(|note| note.contains("StatefulSet gone")), "{:?}", plan.notes);
}

/// Recipes 15 and 21: a person removes the annotations of a binding, or replaces a bound claim by force. The verb
/// `recreate` refuses a claim that is or was bound.
#[test]
fn r15_r21_a_bound_claim_is_not_recreated() {
    assert_eq!(World::new(bound()).refusal(&recreate()).by, "bound");
    let lost = vec![volume("pv-1", "Available", of("db", "data", "")), claim("db", "data", "pv-1", "Lost")];
    assert_eq!(World::new(lost).refusal(&recreate()).by, "bound");
}

/// Recipe 15: a claim was bound, but it does not name its volume any more. The repair restores the name, and keeps the
/// annotations of the binding.
#[test]
fn r15_a_claim_without_its_volume_name_gets_it_again() {
    let objects =
        vec![volume("pv-1", "Bound", of("db", "data", "c-data")), claim("db", "data", "", "Lost"), class("fast")];
    let plan = World::new(objects).accepted(&restore());
    assert_eq!(changes(&plan), ["pvc/data -n db: volumeName pv-1"]);
}

/// Recipe 16: a person writes `storageClassName: ""` for a volume that has a class. In a plan the new claim has the
/// class of its volume.
#[test]
fn r16_a_restored_claim_has_the_class_of_its_volume() {
    let plan = World::new(released()).accepted(&restore());
    let Some(Change::Create { manifest }) = plan.steps[1].write.as_ref().map(|write| &write.change) else { panic!() };
    assert_eq!(
        manifest["spec"],
        json!({
            "volumeName": "pv-1", "storageClassName": "fast", "volumeMode": "Filesystem", "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": "1Gi" } },
        })
    );
}

/// Recipe 19: a person deletes a claim for which a volume is being provisioned. The verbs that would delete such a
/// claim refuse to do so.
#[test]
fn r19_a_claim_that_is_being_provisioned_is_not_deleted() {
    let mut pending = claim("db", "data", "", "Pending");
    pending["metadata"]["annotations"] = json!({ "volume.kubernetes.io/storage-provisioner": "disk.csi.example.com" });
    let driver = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": { "name": "disk.csi.example.com", "uid": "d" },
        "spec": {},
    });
    let free = volume("pv-2", "Available", Value::Null);
    let world = World::new(vec![pending, class("fast"), driver, free]);
    let rebind =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    for request in [recreate(), rebind] {
        let refusal = world.refusal(&request);
        assert_eq!(refusal.by, "provisioner", "{request:?}");
        assert!(refusal.message.starts_with("disk.csi.example.com has been asked for a volume for claim db/data"));
    }
}

/// Recipe 19: if the provisioner does not run any more, the person states this with a flag. Each verb that refuses such
/// a claim has this flag.
#[test]
fn r19_a_provisioner_that_is_stopped_keeps_no_claim_from_its_volume() {
    let mut pending = claim("db", "data", "", "Pending");
    pending["metadata"]["annotations"] = json!({ "volume.kubernetes.io/storage-provisioner": "disk.csi.example.com" });
    let mut objects = released();
    objects.extend([pending, volume("pv-2", "Available", Value::Null)]);
    let world = World::new(objects);
    let restore = |provisioner_stopped| Request::Restore {
        namespace: "db".into(),
        name: "data".into(),
        from: None,
        provisioner_stopped,
    };
    let rebind = |provisioner_stopped| Request::Rebind {
        namespace: "db".into(),
        name: "data".into(),
        to: "pv-2".into(),
        provisioner_stopped,
    };
    for request in [restore(false), rebind(false)] {
        let refusal = world.refusal(&request);
        assert_eq!(refusal.by, "provisioner", "{request:?}");
        let hint = "--provisioner-stopped states that the provisioner is stopped, so it is not creating a volume";
        assert!(refusal.hints.iter().any(|said| said == hint), "{refusal:?}");
    }
    for (request, volume) in [(restore(true), "pv-1"), (rebind(true), "pv-2")] {
        let plan = world.plan(&request);
        let named = Change::NameVolume { volume: volume.into() };
        assert!(step(&plan, |change| *change == named).is_some(), "{plan:#?}");
    }
    // A plan of an earlier version does not have the field of this flag.
    let old = json!({ "verb": "rebind", "namespace": "db", "name": "data", "to": "pv-2" });
    assert_eq!(serde_json::from_value::<Request>(old).ok(), Some(rebind(false)));
}

/// Recipe 20: a person removes the selected node again and again. The verb removes it only if the node does not exist.
#[test]
fn r20_a_node_that_is_there_stays_selected() {
    let mut pending = claim("db", "data", "", "Pending");
    pending["metadata"]["annotations"] = json!({ "volume.kubernetes.io/selected-node": "node-1" });
    let request = Request::Reschedule { namespace: "db".into(), name: "data".into() };
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "node-1", "uid": "n-1" } });
    assert_eq!(World::new(vec![pending.clone(), node]).refusal(&request).by, "node");
    let plan = World::new(vec![pending]).accepted(&request);
    let write = plan.steps[0].write.as_ref().unwrap_or_else(|| panic!());
    assert!(
        write.expect.contains(&Expect::Annotation {
            key: "volume.kubernetes.io/selected-node".into(),
            is: Some("node-1".into())
        })
    );
    assert!(matches!(World::new(vec![claim("db", "data", "", "Pending")]).propose(&request), Proposed::Nothing(_)));
}

/// Recipe 12: a pod that is being deleted on a node that does not answer may still write.
#[test]
fn r12_a_pod_that_is_being_deleted_uses_its_claim_until_it_is_gone() {
    let mut objects = bound();
    objects.push(terminating(pod("db", "shop-0", "data")));
    let refusal = World::new(objects).refusal(&moving());
    assert_eq!(refusal.by, "unused");
    assert!(refusal.message.contains("shop-0"), "{refusal:?}");
}

/// Recipe 14: the repair does not write the phase. It writes the field from which the phase follows.
#[test]
fn r14_a_lost_phase_is_repaired_by_the_field_that_decides_it() {
    let lost = vec![volume("pv-1", "Available", of("db", "data", "")), claim("db", "data", "pv-1", "Lost")];
    let world = World::new(lost.clone());
    let plan = world.accepted(&restore());
    assert_eq!(plan.steps.len(), 1);
    let write = plan.steps[0].write.as_ref().unwrap_or_else(|| panic!());
    let Some(ApiRequest { path, body, .. }) = write.request(Some(&lost[0]), false) else { panic!() };
    assert_eq!(path, "/api/v1/persistentvolumes/pv-1?fieldManager=kubectl-pvctl");
    assert_eq!(body["spec"]["claimRef"]["uid"], "c-data");
    assert!(body.get("status").is_none(), "{body}");
}

/// Recipe 17: a person raises the capacity of a volume that is too small. No plan changes the capacity. The new claim
/// requests what the volume has.
#[test]
fn r17_a_new_claim_asks_for_no_more_than_its_volume_has() {
    let mut objects = bound();
    objects[0]["spec"]["capacity"]["storage"] = "4Gi".into();
    objects[1]["spec"]["resources"]["requests"]["storage"] = "4Gi".into();
    objects.push(volume("pv-2", "Available", Value::Null));
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    let plan = World::new(objects).accepted(&request);
    let Some(Change::Create { manifest }) = step(&plan, |change| matches!(change, Change::Create { .. }))
        .and_then(|step| step.write.as_ref())
        .map(|write| &write.change)
    else {
        panic!()
    };
    assert_eq!(manifest["spec"]["resources"]["requests"]["storage"], "1Gi");
    assert!(plan.notes.iter().any(|note| note.contains("was 4Gi and is 1Gi")), "{:?}", plan.notes);
}

/// Recipe 18: the class is set only on the claim that has no class. The default class does not change.
#[test]
fn r18_a_missing_class_is_set_on_the_claim_alone() {
    let mut pending = claim("db", "data", "", "Pending");
    let spec = pending["spec"].as_object_mut().unwrap_or_else(|| panic!());
    spec.remove("storageClassName");
    let request = Request::Recreate {
        namespace: "db".into(),
        name: "data".into(),
        set: vec![Setting::Class("fast".into())],
        provisioner_stopped: false,
    };
    let plan = World::new(vec![pending, class("fast")]).accepted(&request);
    let writes: Vec<_> = plan.steps.iter().filter_map(|step| step.write.as_ref()).collect();
    assert_eq!(writes.len(), 1);
    assert_eq!(writes[0].object, claim_key("db", "data"));
    assert_eq!(writes[0].change, Change::SetClass { class: "fast".into() });
}

/// Recipe 22: no claim is created in a namespace that is being deleted.
#[test]
fn r22_a_namespace_that_is_being_deleted_gets_no_claim() {
    let request = Request::Move {
        namespace: "db".into(),
        name: "data".into(),
        to_namespace: "going".into(),
        to_name: "data".into(),
        restore_policy: false,
    };
    let mut objects = bound();
    objects.push(terminating(namespace("going")));
    let refusal = World::new(objects).refusal(&request);
    assert_eq!((refusal.by, refusal.message.as_str()), ("namespace", "namespace going is being deleted"));
}
