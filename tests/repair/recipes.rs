//! The recipes that people find when a volume is stuck and that lose data: each is refused, or done in a safe form. The
//! numbers are those of `docs/REPAIR.md`.
#![expect(clippy::panic, reason = "a plan that is missing is a failed test")]

use crate::repair::plans::{
    World, attachment, bound, changes, claim, class, complete, moving, namespace, of, pod, released, volume,
};
use crate::support::text;
use pvctl::model::Kind;
use pvctl::repair::{
    ApiRequest, Change, Expect, Plan, Proposed, Recheck, Recipient, Request, Setting, Step, claim_key, volume_key,
};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use serde_json::{Value, json};

fn release(to: Recipient) -> Request {
    Request::Release { volume: "pv-1".into(), to }
}

fn unbind(to: Recipient) -> Request {
    Request::Unbind { volume: "pv-1".into(), to }
}

fn unfinalize_claim(finalizer: &str, protected: bool) -> Request {
    Request::Unfinalize { object: claim_key("db", "data"), finalizer: finalizer.into(), protected }
}

fn unfinalize_volume(finalizer: &str, protected: bool) -> Request {
    Request::Unfinalize { object: volume_key("pv-1"), finalizer: finalizer.into(), protected }
}

fn restore() -> Request {
    Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false }
}

fn recreate() -> Request {
    let set = vec![Setting::Class("fast".into()), Setting::Size("2Gi".into())];
    Request::Recreate { namespace: "db".into(), name: "data".into(), set, provisioner_stopped: false }
}

fn terminating(mut object: Value) -> Value {
    object["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    object
}

fn with_policy(mut objects: Vec<Value>, policy: &str) -> Vec<Value> {
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
    objects
}

fn step(plan: &Plan, is: impl Fn(&Change) -> bool) -> Option<&Step> {
    plan.steps.iter().find(|step| step.write.as_ref().is_some_and(|write| is(&write.change)))
}

fn position(plan: &Plan, is: impl Fn(&Change) -> bool) -> usize {
    plan.steps
        .iter()
        .position(|step| step.write.as_ref().is_some_and(|write| is(&write.change)))
        .unwrap_or_else(|| panic!("{plan:#?}"))
}

/// R1: `finalizers: null` on a claim that goes nowhere.
#[test]
fn r1_no_claim_loses_its_protection_while_a_pod_uses_it() {
    let mut objects = bound();
    objects[1] = terminating(objects[1].clone());
    objects.push(pod("db", "shop-0", "data"));
    let world = World::new(objects);
    let protection = "kubernetes.io/pvc-protection";
    assert_eq!(world.refusal(&unfinalize_claim(protection, false)).by, "protected");
    let refusal = world.refusal(&unfinalize_claim(protection, true));
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        ("unused", "pods use claim db/data: shop-0; stop what runs them first")
    );
}

/// R1, R2: a finalizer goes alone, by its place in the list, and only on the version that was read.
#[test]
fn r1_r2_one_finalizer_goes_and_never_the_list() {
    let mut pv = terminating(volume("pv-1", "Released", of("db", "data", "c-gone")));
    pv["metadata"]["finalizers"] = json!(["example.com/a", "example.com/b"]);
    let world = World::new(vec![pv.clone()]);
    let plan = world.accepted(&unfinalize_volume("example.com/b", false));
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
    let write = plan.steps[0].write.as_ref().unwrap_or_else(|| panic!());
    let Some(ApiRequest { method, content_type, body, .. }) = write.request(Some(&pv), false) else { panic!() };
    assert_eq!((method, content_type), ("PATCH", "application/json-patch+json"));
    assert_eq!(
        body,
        json!([
            { "op": "test", "path": "/metadata/uid", "value": "v-pv-1" },
            { "op": "test", "path": "/metadata/resourceVersion", "value": "10" },
            { "op": "test", "path": "/metadata/finalizers/1", "value": "example.com/b" },
            { "op": "remove", "path": "/metadata/finalizers/1" },
        ])
    );
}

/// R2, R11: what keeps a volume attached.
#[test]
fn r2_r11_attachment_finalizers_stay() {
    let mut pv = terminating(volume("pv-1", "Released", of("db", "data", "c-gone")));
    pv["metadata"]["finalizers"] = json!(["external-attacher/disk-csi-example-com"]);
    let world = World::new(vec![pv, attachment("pv-1")]);
    let finalizer = "external-attacher/disk-csi-example-com";
    assert_eq!(world.refusal(&unfinalize_volume(finalizer, false)).by, "protected");
    assert_eq!(world.refusal(&unfinalize_volume(finalizer, true)).by, "detached");
}

/// R2: the object goes only when the data are kept, and where they are is known afterwards.
#[test]
fn r2_a_volume_without_finalizers_leaves_its_data_and_its_address() {
    let mut pv = terminating(volume("pv-1", "Released", of("db", "data", "c-gone")));
    pv["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    pv["metadata"]["finalizers"] = json!(["external-provisioner.volume.kubernetes.io/finalizer"]);
    let finalizer = "external-provisioner.volume.kubernetes.io/finalizer";
    let plan = World::new(vec![pv]).accepted(&unfinalize_volume(finalizer, false));
    assert_eq!(changes(&plan), ["pv/pv-1: policy Retain".to_owned(), format!("pv/pv-1: without {finalizer}")]);
    assert_eq!(plan.saves, [volume_key("pv-1")]);
    let address = "the storage stays where it is: csi disk.csi.example.com handle-pv-1; only the journal knows it then";
    assert!(plan.notes.iter().any(|note| note == address), "{:?}", plan.notes);
}

/// R2: the claim of a volume whose object goes would be Lost.
#[test]
fn r2_the_volume_of_a_live_claim_keeps_its_protection() {
    let mut objects = bound();
    objects[0] = terminating(objects[0].clone());
    let world = World::new(objects);
    let protection = "kubernetes.io/pv-protection";
    assert_eq!(world.refusal(&unfinalize_volume(protection, false)).by, "protected");
    let refusal = world.refusal(&unfinalize_volume(protection, true));
    assert_eq!(refusal.by, "held");
    assert!(refusal.message.contains("claim db/data"), "{refusal:?}");
}

/// R3: `claimRef: null` on a Released volume.
#[test]
fn r3_a_released_volume_is_reserved_and_freed_only_by_name() {
    // A claim of another namespace waits, and would get the volume with all that is on it.
    let mut objects = released();
    objects.push(claim("new", "stranger", "", "Pending"));
    let world = World::new(objects);
    let plan = world.accepted(&release(Recipient::LastClaim));
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data"]);
    assert_eq!(plan.steps[0].expects[0].object, volume_key("pv-1"));
    assert_eq!(plan.steps[0].expects[0].states, ["Available, Retain, reserved for db/data"]);
    let reviewed = world.review(&release(Recipient::Anyone)).unwrap_or_else(|_| panic!());
    let plan = reviewed.plan();
    assert_eq!(changes(plan), ["pv/pv-1: no claimRef"]);
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
    assert!(!plan.is_safe());
    let thief = reviewed.guards().iter().find(|guard| guard.id == "thief").unwrap_or_else(|| panic!());
    assert_eq!(thief.looked_at, "volume pv-1: claim new/stranger gets it, with all that is on it");
    assert!(reviewed.confirm(None).is_err(), "nobody typed the name");
}

/// R4, R6: `claimRef: null`, or without its uid, while the claim lives.
#[test]
fn r4_r6_the_volume_of_a_live_claim_is_not_taken() {
    let world = World::new(bound());
    for to in [Recipient::LastClaim, Recipient::Anyone] {
        for request in [release(to.clone()), unbind(to)] {
            let refusal = world.refusal(&request);
            assert_eq!(refusal.by, "held", "{request:?}");
            assert!(refusal.hints.iter().any(|hint| hint.contains("pvctl move")), "{refusal:?}");
        }
    }
}

/// R5: `claimRef: null` on a volume that is being deleted.
#[test]
fn r5_a_terminating_volume_is_not_freed() {
    let world = World::new(vec![terminating(released()[0].clone())]);
    assert_eq!(world.refusal(&release(Recipient::LastClaim)).by, "deletion");
    let mut objects = bound();
    objects[0] = terminating(objects[0].clone());
    let world = World::new(objects);
    for request in [moving(), release(Recipient::Anyone), unbind(Recipient::Anyone), unbind(Recipient::LastClaim)] {
        let refusal = world.refusal(&request);
        assert_eq!(refusal.by, "deletion", "{request:?}");
        assert!(refusal.hints.iter().any(|hint| hint.contains("pvctl retain pv/pv-1")), "{refusal:?}");
    }
}

/// R7: the deletion of a claim cannot be taken back: a new one gets the volume when the old one is gone.
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

/// What the repair of R7 waits for, in order.
const WAITS_OF_R7: [&str; 4] = [
    "claim db/data is gone",
    "volume pv-1 is Released",
    "volume pv-1 is Available",
    "claim db/data and volume pv-1 are bound to each other",
];

/// R8: the claim goes while the policy is Delete.
#[test]
fn r8_no_claim_goes_before_its_volume_is_kept() {
    let plan = World::new(bound()).accepted(&moving());
    let retain = position(&plan, |change| matches!(change, Change::SetReclaimPolicy { to } if to == "Retain"));
    let delete = position(&plan, |change| matches!(change, Change::Delete));
    assert!(retain < delete);
    let kept = plan.steps[delete].recheck.iter().find_map(|recheck| match recheck {
        Recheck::Retained { volume } => Some(volume.clone()),
        _ => None,
    });
    let Some(kept) = kept else { panic!("its policy is not read again") };
    assert_eq!((kept.name().as_str(), kept.uid().as_str()), ("pv-1", "v-pv-1"));
    // The list of all volumes may take long: who uses the claim is looked at after it.
    assert_eq!(
        plan.steps[delete].recheck,
        [
            Recheck::AllRetained { namespace: "db".into(), name: "data".into() },
            Recheck::Unused { namespace: "db".into(), name: "data".into() },
            Recheck::Detached { volume: "pv-1".into() },
            Recheck::Retained { volume: kept },
        ]
    );
}

/// R10: policy Delete for many volumes at once.
#[test]
fn r10_data_are_handed_to_deletion_one_by_one_and_by_name() {
    let world = World::new(released());
    let request = Request::Reclaim { volume: "pv-1".into(), delete: true };
    let plan = world.accepted(&request);
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
    assert!(!plan.is_safe());
    let reviewed = world.review(&request).unwrap_or_else(|_| panic!());
    let reviewed =
        reviewed.confirm(None).map(drop).map_err(|back| *back).err().unwrap_or_else(|| panic!("without a name"));
    let reviewed =
        reviewed.confirm(Some("pv-2")).map(drop).map_err(|back| *back).err().unwrap_or_else(|| panic!("another name"));
    assert!(reviewed.confirm(Some("pv-1")).is_ok());
    assert!(matches!(world.propose(&Request::Reclaim { volume: "pv-1".into(), delete: false }), Proposed::Nothing(_)));
}

/// R13: `get -o yaml | apply`: what belongs to the old claim alone does not go into the new one.
#[test]
fn r13_a_new_claim_carries_no_marks_of_the_old_one() {
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

/// R15, R21: the marks of a binding taken off, or a bound claim replaced by force.
#[test]
fn r15_r21_a_bound_claim_is_not_recreated() {
    assert_eq!(World::new(bound()).refusal(&recreate()).by, "bound");
    let lost = vec![volume("pv-1", "Available", of("db", "data", "")), claim("db", "data", "pv-1", "Lost")];
    assert_eq!(World::new(lost).refusal(&recreate()).by, "bound");
}

/// R15: the claim that was bound and names no volume any more gets it again; the marks of its binding stay.
#[test]
fn r15_a_claim_without_its_volume_name_gets_it_again() {
    let objects =
        vec![volume("pv-1", "Bound", of("db", "data", "c-data")), claim("db", "data", "", "Lost"), class("fast")];
    let plan = World::new(objects).accepted(&restore());
    assert_eq!(changes(&plan), ["pvc/data -n db: volumeName pv-1"]);
}

/// R16: `storageClassName: ""` for a volume that has a class.
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

/// R19: a claim whose volume is being made.
#[test]
fn r19_a_claim_at_which_a_provisioner_works_stays() {
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

/// R19: where the provisioner is gone for good, the person says so to each verb that waits for it.
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
        let hint = "--provisioner-stopped says that you have made sure that it is not at work on this claim";
        assert!(refusal.hints.iter().any(|said| said == hint), "{refusal:?}");
    }
    for (request, volume) in [(restore(true), "pv-1"), (rebind(true), "pv-2")] {
        let plan = world.plan(&request);
        let named = Change::NameVolume { volume: volume.into() };
        assert!(step(&plan, |change| *change == named).is_some(), "{plan:#?}");
    }
    // A plan that was written down before says nothing of it.
    let old = json!({ "verb": "rebind", "namespace": "db", "name": "data", "to": "pv-2" });
    assert_eq!(serde_json::from_value::<Request>(old).ok(), Some(rebind(false)));
}

/// R20: the selected node taken off again and again.
#[test]
fn r20_a_node_that_is_there_stays_selected() {
    let mut pending = claim("db", "data", "", "Pending");
    pending["metadata"]["annotations"] = json!({ "volume.kubernetes.io/selected-node": "node-1" });
    let request = Request::Unselect { namespace: "db".into(), name: "data".into() };
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

/// R23: a volume with policy Recycle that is repaired and then erased.
#[test]
fn r23_recycle_is_set_to_retain_first() {
    let nfs = |phase: &str| {
        let mut objects = with_policy(released(), "Recycle");
        objects[0]["spec"].as_object_mut().unwrap_or_else(|| panic!()).remove("csi");
        objects[0]["spec"]["nfs"] = json!({ "server": "files.example.com", "path": "/a" });
        objects[0]["status"]["phase"] = phase.into();
        objects
    };
    let plan = World::new(nfs("Failed")).accepted(&release(Recipient::LastClaim));
    assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
    let recycler = pod("default", "recycler-for-pv-1", "none");
    // It goes on when the policy has become Retain.
    for policy in ["Recycle", "Retain"] {
        let mut objects = with_policy(nfs("Released"), policy);
        objects.push(recycler.clone());
        let refusal = World::new(objects).refusal(&release(Recipient::LastClaim));
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "recycler",
                "pod default/recycler-for-pv-1 is erasing volume pv-1, or has done so: wait until it is gone, and look \
                 at the data"
            ),
            "{policy}"
        );
    }
    // Somebody has taken the uid out of the claimRef, so that the volume is Available while it is erased.
    let restore =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    for policy in ["Recycle", "Retain"] {
        let mut objects = with_policy(nfs("Available"), policy);
        objects[0]["spec"]["claimRef"] = of("db", "data", "");
        objects.push(recycler.clone());
        assert_eq!(World::new(objects).refusal(&restore).by, "recycler", "{policy}");
    }
    // Where the pods there were not listed, it is asked for right before the write.
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::Pod, Some("default".into()), CoverageState::Forbidden));
    let plan = World::with(with_policy(nfs("Released"), "Retain"), coverage).accepted(&release(Recipient::LastClaim));
    assert!(plan.steps[0].recheck.contains(&Recheck::NotRecycled { volume: "pv-1".into() }), "{plan:#?}");
}

/// R9: a Bound volume is deleted "to reset it". No verb deletes a volume; whoever asks for its end hears who holds it.
#[test]
fn r9_a_bound_volume_is_not_handed_to_deletion() {
    let refusal = World::new(bound()).refusal(&Request::Reclaim { volume: "pv-1".into(), delete: true });
    assert_eq!(refusal.by, "held");
    assert!(refusal.message.contains("claim db/data"), "{refusal:?}");
}

/// R11: a volume that is still at a node is not handed on, whoever else waits for it.
#[test]
fn r11_an_attached_volume_does_not_change_hands() {
    let mut objects = bound();
    objects.push(attachment("pv-1"));
    let refusal = World::new(objects).refusal(&moving());
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        ("detached", "VolumeAttachments keep volume pv-1 at node-1; they go when no pod uses it")
    );
}

/// R12: a pod that is being deleted on a node that does not answer may still write.
#[test]
fn r12_a_pod_that_is_being_deleted_uses_its_claim_until_it_is_gone() {
    let mut objects = bound();
    objects.push(terminating(pod("db", "shop-0", "data")));
    let refusal = World::new(objects).refusal(&moving());
    assert_eq!(refusal.by, "unused");
    assert!(refusal.message.contains("shop-0"), "{refusal:?}");
}

/// R14: a phase is not written: the field is that decides it.
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

/// R17: a volume that is too small is not made to look larger: the claim asks for what it has.
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

/// R18: one claim gets the class that it lacks; which class is the default stays as it is.
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

/// R22: no claim is made in a namespace that is going.
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

/// R24: what a class says now is not what its volumes have: their own policy counts.
#[test]
fn r24_the_policy_of_the_volume_counts_and_not_that_of_its_class() {
    let mut objects = bound();
    objects[2]["reclaimPolicy"] = "Retain".into();
    let plan = World::new(objects).accepted(&moving());
    assert_eq!(position(&plan, |change| matches!(change, Change::SetReclaimPolicy { to } if to == "Retain")), 0);
    let kept = World::new(with_policy(bound(), "Retain")).accepted(&moving());
    assert!(step(&kept, |change| matches!(change, Change::SetReclaimPolicy { .. })).is_none(), "{kept:#?}");
}

/// Every recipe has a row in the documentation and a test of its own here.
#[test]
fn every_recipe_is_explained_and_tested() {
    let explained = text("docs/REPAIR.md");
    let tested = text("tests/repair/recipes.rs");
    let names: Vec<&str> = tested.lines().filter_map(|line| line.strip_prefix("fn ")?.split('(').next()).collect();
    for number in 1..=24 {
        assert!(explained.contains(&format!("\n| R{number} | ")), "docs/REPAIR.md does not explain R{number}");
        let word = format!("r{number}");
        assert!(names.iter().any(|name| name.split('_').any(|part| part == word)), "no test is named after R{number}");
    }
}

/// R7, R9, R12, R14, R15, R17, R18, R22, R24: no plan deletes a volume, a pod or a namespace, writes a class, a status,
/// a capacity or the marks of a binding, or forces anything.
#[test]
fn no_plan_writes_what_must_not_be_written() {
    let mut lost = vec![volume("pv-1", "Available", of("db", "data", "")), claim("db", "data", "pv-1", "Lost")];
    lost.push(volume("pv-2", "Available", Value::Null));
    let mut two = bound();
    two.push(volume("pv-2", "Available", Value::Null));
    let mut anew = released();
    anew.push(claim("db", "data", "", "Pending"));
    let worlds = [bound(), released(), with_policy(released(), "Delete"), lost, two, anew];
    let mut plans = 0;
    for objects in worlds {
        let world = World::new(objects);
        for request in [
            Request::Retain { volume: "pv-1".into() },
            release(Recipient::LastClaim),
            release(Recipient::Anyone),
            unbind(Recipient::Anyone),
            Request::Reclaim { volume: "pv-1".into(), delete: true },
            recreate(),
            restore(),
            Request::Rebind {
                namespace: "db".into(),
                name: "data".into(),
                to: "pv-2".into(),
                provisioner_stopped: false,
            },
            moving(),
        ] {
            if !world.snapshot.claims().iter().any(|claim| claim.meta.name == "data")
                && matches!(request, Request::Recreate { .. } | Request::Rebind { .. } | Request::Move { .. })
            {
                continue;
            }
            let Proposed::Plan(plan) = world.propose(&request) else { continue };
            plans += 1;
            for write in plan.steps.iter().filter_map(|step| step.write.as_ref()) {
                let object = json!({ "metadata": { "resourceVersion": "10", "finalizers": [] } });
                let request = write.request(Some(&object), false);
                match (&write.change, write.object.kind) {
                    (Change::Delete, kind) => {
                        assert_eq!(kind, Kind::PersistentVolumeClaim);
                        let body = request.unwrap_or_else(|| panic!()).body;
                        assert_eq!(body["preconditions"]["uid"], write.uid.as_str());
                        assert_eq!(body["preconditions"]["resourceVersion"], "10");
                        assert!(body.get("gracePeriodSeconds").is_none());
                    }
                    (Change::Create { manifest }, kind) => {
                        assert_eq!(kind, Kind::PersistentVolumeClaim);
                        assert!(manifest.get("status").is_none());
                    }
                    (_, kind) => {
                        let body = request.unwrap_or_else(|| panic!()).body;
                        assert_eq!(body["metadata"]["uid"], write.uid.as_str());
                        assert_eq!(body["metadata"]["resourceVersion"], "10");
                        assert!(body.get("status").is_none());
                        let allowed: &[&str] = match kind {
                            Kind::PersistentVolume => &["persistentVolumeReclaimPolicy", "claimRef"],
                            Kind::PersistentVolumeClaim => &["volumeName", "storageClassName"],
                            other => panic!("a plan writes a {other}"),
                        };
                        let spec = body["spec"].as_object().into_iter().flatten();
                        assert!(spec.clone().all(|(field, _)| allowed.contains(&field.as_str())), "{body}");
                        let annotations = body["metadata"]["annotations"].as_object().into_iter().flatten();
                        for (key, _) in annotations {
                            assert_eq!(key, "pv.kubernetes.io/bound-by-controller", "{body}");
                        }
                    }
                }
            }
        }
    }
    assert!(plans > 15, "only {plans} plans were looked at");
}
