//! What a repair promises if others write to the same objects. During the repair people apply manifests, change a
//! policy, or replace a volume. Admission changes or denies requests of the repair.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test waits, and fails by panicking")]

use crate::live::site::{PV, Place, Site, text};
use crate::support::Finished;
use serde_json::{Value, json};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_repair_holds_against_those_who_write_the_same_objects() {
    let mut site = Site::start();
    applied_with_kubectl(&site);
    applied_on_the_server(&site);
    applied_with_a_claim_ref(&site);
    the_policy_is_changed(&mut site);
    the_volume_goes(&mut site);
    a_repair_of_a_replaced_volume_is_not_continued(&mut site);
    a_volume_is_replaced_during_a_run(&mut site);
    admission_changes_a_request(&site);
    admission_denies_what_comes_later(&site);
}

const MOVE: [&str; 2] = ["move", "pvc/data"];

/// Returns the manifest of a volume that a person applies, with this policy and this claim.
fn source(place: &Place<'_>, policy: &str, claim: Option<&str>) -> Vec<u8> {
    let name = place.of("a");
    let mut manifest = json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": place.name,
            "persistentVolumeReclaimPolicy": policy,
            "csi": {"driver": "driver.example.com", "volumeHandle": name},
        },
    });
    if let Some(claim) = claim {
        manifest["spec"]["claimRef"] = json!({"namespace": place.name, "name": claim});
    }
    manifest.to_string().into_bytes()
}

fn apply(place: &Place<'_>, words: &[&str], manifest: &[u8]) {
    let done = place.site.plane.kubectl_with(&[&["apply", "-f", "-"], words].concat(), manifest);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
}

fn moved_to(to: &str) -> [&str; 4] {
    [MOVE[0], MOVE[1], "--to-namespace", to]
}

/// `kubectl apply` records the applied manifest in an annotation.
fn applied_with_kubectl(site: &Site) {
    let place = Place::new(site, "applied");
    place.namespace("applied-to");
    apply(&place, &[], &source(&place, "Delete", None));
    place.bind("data", "a", "Delete");
    let said = place.again(&moved_to("applied-to"), 6);
    assert!(said.contains("is applied by kubectl apply") && said.contains("with policy Delete"), "{said}");
    assert!(said.contains("set persistentVolumeReclaimPolicy to Retain in the source"), "{said}");
    // The applied manifest decides, not the stored object.
    place.repair(&["retain", "pv/applied-a"], 0);
    place.again(&moved_to("applied-to"), 6);
    apply(&place, &[], &source(&place, "Retain", None));
    place.repair(&moved_to("applied-to"), 0);
    place.volume_is("a", "Bound, Retain, of applied-to/data");
    place.unharmed(&["a"], &[("applied", "data"), ("applied-to", "data")]);
}

/// Server-side apply records in the managed fields which fields a manager applies.
fn applied_on_the_server(site: &Site) {
    let place = Place::new(site, "served");
    place.namespace("served-to");
    let words = ["--server-side", "--field-manager", "storage-sync"];
    apply(&place, &words, &source(&place, "Delete", None));
    place.bind("data", "a", "Delete");
    let said = place.again(&moved_to("served-to"), 6);
    assert!(said.contains("field manager storage-sync (server-side apply), with policy Delete"), "{said}");
    // After another writer has set the field, the managed fields do not say any more who applies this field. But the
    // manager may still set the field again.
    place.repair(&["retain", "pv/served-a"], 0);
    let said = place.again(&moved_to("served-to"), 6);
    assert!(said.contains("perhaps with another policy than Retain"), "{said}");
    apply(&place, &words, &source(&place, "Retain", None));
    place.repair(&moved_to("served-to"), 0);
    place.unharmed(&["a"], &[("served", "data"), ("served-to", "data")]);
}

/// The next apply would set the claimRef of the volume back to its former claim.
fn applied_with_a_claim_ref(site: &Site) {
    let place = Place::new(site, "pointed");
    place.namespace("pointed-to");
    apply(&place, &[], &source(&place, "Retain", Some("data")));
    place.claim_in("pointed", "data");
    place.volume_is("a", "Bound, Retain, of pointed/data");
    place.claim_is("data", "Bound, pointed-a");
    let said = place.repair(&moved_to("pointed-to"), 0);
    assert!(said.contains("with a claimRef that names claim pointed/data"), "{said}");
    place.unharmed(&["a"], &[("pointed", "data"), ("pointed-to", "data")]);
}

/// Starts a move that waits for the deletion of its claim, because the controllers are stopped.
fn moving(site: &mut Site, name: &str) -> (TempDir, thread::JoinHandle<Finished>) {
    let place = Place::new(site, name);
    let to = format!("{name}-to");
    place.namespace(&to);
    place.bound("data", "a", "Delete");
    let journals = place.keep();
    site.stop_controllers();
    let place = Place::kept(site, name, journals);
    let run = place.apart(&moved_to(&to));
    place.claim_is("data", &format!("Bound, {name}-a, going"));
    place.volume_is("a", &format!("Bound, Retain, of {name}/data"));
    (place.keep(), run)
}

/// While the claim is being deleted, a person sets policy Delete on its volume again.
fn the_policy_is_changed(site: &mut Site) {
    let (journals, run) = moving(site, "kept");
    site.edit(PV, "", "kept-a", |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete"));
    let done = run.join().unwrap();
    let said = done.stdout + &done.stderr;
    assert_eq!(done.code, Some(5), "{said}");
    assert!(said.contains("set policy Delete on volume kept-a") && said.contains("Retain is set again"), "{said}");
    site.start_controllers();
    let place = Place::kept(site, "kept", journals);
    place.volume_is("a", "Released, Retain, of the former kept/data");
    place.repair(&["apply", "--continue"], 0);
    place.volume_is("a", "Bound, Retain, of kept-to/data");
    place.unharmed(&["a"], &[("kept", "data"), ("kept-to", "data")]);
}

/// While the claim is being deleted, its volume is deleted. The repair can neither be continued nor undone, and the
/// program proposes neither.
fn the_volume_goes(site: &mut Site) {
    let (journals, run) = moving(site, "lost");
    site.delete(PV, "", "lost-a");
    site.edit(PV, "", "lost-a", |volume| volume["metadata"]["finalizers"] = json!([]));
    let done = run.join().unwrap();
    let said = done.stdout + &done.stderr;
    assert_eq!(done.code, Some(5), "{said}");
    assert!(said.contains("volume lost-a is gone"), "{said}");
    assert!(said.contains("can neither be continued nor undone"), "{said}");
    assert!(!said.contains("apply --continue") && !said.contains("pvctl undo"), "{said}");
    site.start_controllers();
    drop(journals);
}

/// Replaces the volume by another one of the same name, which is reserved for the same claim.
fn replace(place: &Place<'_>, claim: &str) {
    let name = place.of("a");
    place.site.delete(PV, "", &name);
    if place.site.get(PV, "", &name).is_some() {
        place.site.edit(PV, "", &name, |volume| volume["metadata"]["finalizers"] = json!([]));
    }
    place.site.put(&json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": place.name,
            "persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": place.name, "name": claim},
            "csi": {"driver": "driver.example.com", "volumeHandle": "somebody-elses"},
        },
    }));
}

/// A repair waits for a controller that is stopped. Before the repair is continued, its volume is replaced.
fn a_repair_of_a_replaced_volume_is_not_continued(site: &mut Site) {
    let place = Place::new(site, "replaced");
    place.left("data", "a", "Retain");
    let journals = place.keep();
    site.stop_controllers();
    let place = Place::kept(site, "replaced", journals);
    let words = ["release", "pv/replaced-a", "--reserve-for", "replaced/new", "--yes", "--timeout", "2s"];
    assert_eq!(place.run(&words).code, Some(5));
    replace(&place, "new");
    let journals = place.keep();
    site.start_controllers();
    let place = Place::kept(site, "replaced", journals);
    place.volume_is("a", "Available, Retain, for replaced/new");
    for words in [["apply", "--continue"].as_slice(), &["undo"]] {
        let done = place.run(&[words, &["--yes"]].concat());
        let said = done.stdout + &done.stderr;
        // After a journal has recorded that its volume is lost, it does not block other repairs.
        let is_known = words == ["undo"];
        assert_eq!(done.code, Some(if is_known { 2 } else { 5 }), "{words:?} {said}");
        assert!((is_known || said.contains("replaced-a")) && !said.contains("Done: "), "{said}");
    }
    place.volume_is("a", "Available, Retain, for replaced/new");
}

/// A volume is replaced during a single run of a repair.
fn a_volume_is_replaced_during_a_run(site: &mut Site) {
    let place = Place::new(site, "swapped");
    place.left("data", "a", "Retain");
    let journals = place.keep();
    site.stop_controllers();
    let place = Place::kept(site, "swapped", journals);
    let run = place.apart(&["release", "pv/swapped-a", "--reserve-for", "swapped/new"]);
    place.volume_is("a", "Released, Retain, for swapped/new");
    thread::sleep(Duration::from_millis(200));
    replace(&place, "new");
    let journals = place.keep();
    site.start_controllers();
    let done = run.join().unwrap();
    let said = done.stdout + &done.stderr;
    assert_eq!(done.code, Some(5), "{said}");
    assert!(said.contains("swapped-a") && !said.contains("Done: "), "{said}");
    drop(journals);
}

/// Creates a policy and its binding, and waits until the policy is in force. This takes the API server some seconds.
fn admission(site: &Site, policy: &Value, acts: impl Fn() -> bool) {
    let name = text(policy, "/metadata/name");
    let mut binding = json!({
        "apiVersion": policy["apiVersion"], "kind": format!("{}Binding", text(policy, "/kind")),
        "metadata": {"name": name}, "spec": {"policyName": name},
    });
    if policy["kind"] == "ValidatingAdmissionPolicy" {
        binding["spec"]["validationActions"] = json!(["Deny"]);
    }
    for object in [policy, &binding] {
        let made = site.plane.kubectl_with(&["create", "-f", "-"], object.to_string().as_bytes());
        assert_eq!(made.code, Some(0), "{}", made.stderr);
    }
    Site::until("admission acts", acts);
}

/// Returns the match constraints of an admission policy for updates of the volumes of one class.
fn volumes_of(class: &str, condition: &str) -> Value {
    json!({
        "matchConstraints": {"resourceRules": [{
            "apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["persistentvolumes"],
        }]},
        "matchConditions": [{
            "name": "those", "expression": format!("object.spec.storageClassName == '{class}' && {condition}"),
        }],
        "failurePolicy": "Fail",
    })
}

/// Admission changes Retain to Delete. The program reports this before anything is written. If the dry run does not
/// show the change, the program reports it after the write.
fn admission_changes_a_request(site: &Site) {
    let place = Place::new(site, "changed");
    place.bound("data", "a", "Delete");
    let with = |name: &str, condition: &str| {
        let mut spec = volumes_of("changed", condition);
        spec["reinvocationPolicy"] = json!("Never");
        spec["mutations"] = json!([{
            "patchType": "ApplyConfiguration",
            "applyConfiguration": {
                "expression": "Object{spec: Object.spec{persistentVolumeReclaimPolicy: 'Delete'}}",
            },
        }]);
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy",
            "metadata": {"name": name}, "spec": spec,
        })
    };
    let policy_after = |dry: &str| {
        let words = ["patch", "pv", "changed-a", "--patch-file=/dev/stdin", "-o", "json", dry];
        let patch = br#"{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}"#;
        let done = site.plane.kubectl_with(&words, patch);
        let patched: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
        text(&patched, "/spec/persistentVolumeReclaimPolicy").to_owned()
    };
    admission(site, &with("changed-unseen", "!(has(request.dryRun) && request.dryRun)"), || {
        policy_after("--dry-run=none") == "Delete"
    });
    let said = place.repair(&["retain", "pv/changed-a"], 5);
    assert!(said.contains("does not store what was sent") && said.contains("is Delete, but"), "{said}");
    assert!(said.contains("mutating admission changes it"), "{said}");
    assert!(!said.contains("Done: "), "{said}");
    // The journal does not record the step as done.
    let history = place.run(&["history"]).stdout;
    assert!(!history.contains("done"), "{history}");
    admission(site, &with("changed-always", "true"), || policy_after("--dry-run=server") == "Delete");
    let said = place.again(&["retain", "pv/changed-a"], 6);
    assert!(said.contains("mutating admission would change it"), "{said}");
    let moved = place.again(&["rename", "pvc/data", "other"], 6);
    assert!(moved.contains("mutating admission would change it"), "{moved}");
    place.unharmed(&["a"], &[("changed", "data")]);
}

/// Admission denies the request of a later step, so the repair does not begin.
fn admission_denies_what_comes_later(site: &Site) {
    let place = Place::new(site, "denied");
    place.bound("data", "a", "Delete");
    let mut spec = volumes_of("denied", "has(object.spec.claimRef)");
    spec["validations"] = json!([{"expression": "has(object.spec.claimRef.uid)", "message": "a claimRef needs a uid"}]);
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "denied"}, "spec": spec,
    });
    let probe = br#"{"spec":{"claimRef":{"uid":null}}}"#;
    admission(site, &policy, || {
        let words = ["patch", "pv", "denied-a", "--type=merge", "--patch-file=/dev/stdin", "--dry-run=server"];
        site.plane.kubectl_with(&words, probe).code != Some(0)
    });
    let said = place.again(&["rename", "pvc/data", "other"], 6);
    assert!(said.contains("a claimRef needs a uid"), "{said}");
    place.claim_is("data", "Bound, denied-a");
    place.volume_is("a", "Bound, Delete, of denied/data");
    place.unharmed(&["a"], &[("denied", "data")]);
}
