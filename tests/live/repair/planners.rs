//! What planners and findings promise, on the real controllers. The tests check in which cases `undo` restores a
//! policy, what the program says about the end of a reservation, which finding reports the reservation later, and which
//! verbs the findings propose.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::live::api::path;
use crate::live::site::{PV, PVC, Place, Site, text};
use http::Method;
use serde_json::{Value, json};

/// A time long ago.
const PAST: &str = "2026-01-10T08:00:00Z";
/// A time before [`PAST`].
const FORMERLY: &str = "2026-01-09T08:00:00Z";

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn undo_restores_a_policy_only_for_the_same_claim() {
    let site = Site::start();

    // The same claim still has the volume.
    let place = Place::new(&site, "same");
    place.bound("data", "a", "Delete");
    place.repair(&["retain", "pv/same-a"], 0);
    place.repair(&["undo"], 0);
    place.volume_is("a", "Bound, Delete, of same/data");

    // Another claim has the volume: one of the same name with another uid, or one with another name.
    for (name, claim) in [("anew", "data"), ("other", "next")] {
        let place = Place::new(&site, name);
        place.bound("data", "a", "Delete");
        place.repair(&["retain", &format!("pv/{name}-a")], 0);
        site.delete(PVC, name, "data");
        place.volume_is("a", &format!("Released, Retain, of the former {name}/data"));
        free(&place, "a");
        place.bind(claim, "a", "Retain");
        refused(&place, claim, &format!("claim {name}/data with uid "));
    }

    // No claim had the volume: it was Released, or Available.
    let place = Place::new(&site, "left");
    place.left("data", "a", "Delete");
    place.repair(&["retain", "pv/left-a"], 0);
    free(&place, "a");
    place.bind("data", "a", "Retain");
    refused(&place, "data", "claim left/data with uid ");
    let place = Place::new(&site, "free");
    place.volume("a", "Delete");
    place.repair(&["retain", "pv/free-a"], 0);
    place.bind("data", "a", "Retain");
    refused(&place, "data", "no claim had it");
}

/// Removes the `claimRef` of a volume.
fn free(place: &Place<'_>, volume: &str) {
    place.site.edit(PV, "", &place.of(volume), |volume| volume["spec"]["claimRef"] = Value::Null);
    place.volume_is(volume, "Available, Retain, of nobody");
}

/// Checks that the undo is refused and changes nothing. The answer must say who has the volume and who had it before.
fn refused(place: &Place<'_>, claim: &str, before: &str) {
    let said = flat(&place.again(&["undo"], 6));
    let uid = place.site.get(PVC, &place.name, claim).unwrap()["metadata"]["uid"].clone();
    for words in [
        format!("volume {}-a keeps policy Retain", place.name),
        format!("It has the volume now, with uid {}", uid.as_str().unwrap()),
        before.to_owned(),
    ] {
        assert!(said.contains(&words), "{words}: {said}");
    }
    place.volume_is("a", &format!("Bound, Retain, of {0}/{claim}", place.name));
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_reservation_ends_and_is_found_in_a_strange_namespace() {
    let site = Site::start();
    let place = Place::new(&site, "tenant");
    place.left("data", "a", "Retain");
    place.rest();
    site.store("Namespace", "", "tenant", |object| object["metadata"]["creationTimestamp"] = FORMERLY.into());
    site.store(PV, "", "tenant-a", |object| object["metadata"]["creationTimestamp"] = PAST.into());
    // The namespace is older than the volume. So the volume is reserved, and the answer says how the reservation ends.
    let said = flat(&place.repair(&["fix", "pv/tenant-a"], 0));
    let end = "the reservation lasts until such a claim exists; `undo` ends it";
    assert!(said.contains(end), "{said}");
    place.volume_is("a", "Available, Retain, for tenant/data");
    assert_eq!(strange(&place), None);
    // The reservation is undone. Now the namespace is being deleted, so `fix --yes` does not reserve the volume again.
    place.repair(&["undo"], 0);
    place.volume_is("a", "Released, Retain, of the former tenant/data");
    send(&site, Method::DELETE, &path("Namespace", "", "tenant"), None);
    let said = flat(&place.again(&["fix", "pv/tenant-a"], 1));
    assert!(said.contains("left: pv-released-retain on pv/tenant-a"), "{said}");
    place.repair(&["release", "pv/tenant-a"], 0);
    place.volume_is("a", "Available, Retain, for tenant/data");
    // A finding reports the reservation if the namespace does not exist. It also reports the reservation if another
    // tenant has created the namespace again.
    let mut namespace = site.get("Namespace", "", "tenant").unwrap();
    namespace["spec"]["finalizers"] = json!([]);
    send(&site, Method::PUT, "/api/v1/namespaces/tenant/finalize", Some(&namespace));
    let gone = strange(&place).unwrap();
    assert!(gone.contains("namespace tenant does not exist"), "{gone}");
    place.namespace("tenant");
    let anew = strange(&place).unwrap();
    assert!(anew.contains("namespace tenant was created after the volume"), "{anew}");
    // The command in the finding ends the reservation.
    place.repair(&["unbind", "pv/tenant-a", "--reserve-for", "default/kept"], 0);
    place.volume_is("a", "Available, Retain, for default/kept");
    place.unharmed(&["a"], &[("tenant", "data")]);
}

/// Returns the message of the finding about a reservation for a namespace that is gone or was created again. Returns
/// `None` if there is no such finding.
fn strange(place: &Place<'_>) -> Option<String> {
    let run = place.site.plane.pvctl(&["audit", "-A", "-o", "json", "--exit-zero"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| {
        text(finding, "/id") == "pv-reserved-namespace-anew" && text(finding, "/object/name") == place.of("a")
    })?;
    assert_eq!((text(found, "/severity"), text(found, "/risk")), ("warning", "possible"));
    assert!(text(found, "/remedies/0/does").contains("kubectl pvctl unbind pv/tenant-a"), "{found}");
    Some(text(found, "/message").to_owned())
}

fn send(site: &Site, method: Method, path: &str, body: Option<&Value>) {
    let sent = site.runtime.block_on(site.api.send(method, path, body));
    assert!(sent.is_ok(), "{sent:?}");
}

fn flat(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_repair_without_alternatives_needs_no_choice() {
    let mut site = Site::start();

    // A sync tool copied the annotation of the binding, but not the name of the volume.
    let place = Place::new(&site, "noname");
    let mut claim = place.manifest("noname", "data");
    claim["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
    let uid = site.put(&claim)["metadata"]["uid"].clone();
    place.claim_is("data", "Lost, ");
    site.put(&json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": "noname-a"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "noname",
            "persistentVolumeReclaimPolicy": "Delete",
            "csi": {"driver": "driver.example.com", "volumeHandle": "noname-a"},
            "claimRef": {"apiVersion": "v1", "kind": PVC, "namespace": "noname", "name": "data", "uid": uid},
        },
    }));
    let wide = site.plane.pvctl(&["audit", "-n", "noname", "-o", "wide", "--exit-zero"]).stdout;
    assert!(wide.contains("kubectl pvctl restore pvc/data -n noname") && !wide.contains("--type=json"), "{wide}");
    let said = flat(&place.repair(&["fix", "pvc/data"], 0));
    assert!(said.contains("names volume noname-a again; the volume names the claim by its uid"), "{said}");
    assert!(!said.contains("will not get"), "{said}");
    place.claim_is("data", "Bound, noname-a");
    place.volume_is("a", "Bound, Retain, of noname/data");
    place.again(&["fix", "pvc/data"], 0);
    place.unharmed(&["a"], &[("noname", "data")]);

    // The controller stopped after it had chosen a volume for a claim. The claim now has another volume.
    let place = Place::new(&site, "half");
    place.bound("data", "a", "Retain");
    place.volume("b", "Delete");
    let uid = site.get(PVC, "half", "data").unwrap()["metadata"]["uid"].clone();
    let journals = place.keep();
    site.stop_controllers();
    let place = Place::kept(&site, "half", journals);
    site.edit(PV, "", "half-b", |volume| {
        volume["metadata"]["annotations"] = json!({"pv.kubernetes.io/bound-by-controller": "yes"});
        volume["spec"]["claimRef"] =
            json!({"apiVersion": "v1", "kind": PVC, "namespace": "half", "name": "data", "uid": uid});
    });
    place.volume_is("b", "Available, Delete, of half/data");
    place.repair(&["unbind", "pv/half-b"], 0);
    place.volume_is("b", "Available, Delete, of nobody");
    assert!(site.get(PV, "", "half-b").unwrap()["metadata"]["annotations"].is_null());
    place.again(&["unbind", "pv/half-b"], 0);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_finding_on_a_named_object_is_reported_at_once_with_its_verb() {
    let site = Site::start();

    // The node that was selected for a claim does not exist. The claim is only seconds old.
    let place = Place::of_class(&site, "nodeless", "driver.example.com", "WaitForFirstConsumer");
    let mut claim = place.manifest("nodeless", "data");
    claim["metadata"]["annotations"] = json!({"volume.kubernetes.io/selected-node": "gone"});
    site.put(&claim);
    let asked = || site.get(PVC, "nodeless", "data").unwrap();
    Site::until("the driver is asked for a volume", || {
        asked()["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"].is_string()
    });
    let said = flat(&place.again(&["fix", "pvc/data"], 1));
    assert!(said.contains("pvc-selected-node-gone on pvc/data -n nodeless"), "{said}");
    assert!(said.contains("reschedule: "), "{said}");
    let explained = place.site.plane.pvctl(&["explain", "pvc/data", "-n", "nodeless"]);
    let said = flat(&(explained.stdout + &explained.stderr));
    assert!(said.contains("Node gone does not exist"), "{said}");
    assert!(said.contains("kubectl pvctl fix pvc/data -n nodeless proposes a repair"), "{said}");
    // `audit` reports nothing yet, because nobody named this claim.
    let audited = site.plane.pvctl(&["audit", "-n", "nodeless", "-o", "json", "--exit-zero"]).stdout;
    assert!(!audited.contains("pvc-selected-node-gone"), "{audited}");

    // The name of the class is misspelt.
    let place = Place::new(&site, "standard");
    let mut claim = place.manifest("standard", "data");
    claim["spec"]["storageClassName"] = json!("standart");
    site.put(&claim);
    place.claim_is("data", "Pending, ");
    let said = flat(&place.again(&["fix", "pvc/data"], 1));
    assert!(said.contains("recreate: claim standard/data is replaced, with class standard"), "{said}");
    place.volume("a", "Retain");
    place.repair(&["recreate", "pvc/data", "--set", "class=standard"], 0);
    place.claim_is("data", "Bound, standard-a");

    // A driver may be creating a volume for the claim that was created again. So `restore` refuses, and `audit` offers
    // no command.
    let place = Place::of_class(&site, "driven", "driver.example.com", "Immediate");
    place.claim_in("driven", "data");
    let mut volume = json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": "driven-a"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "driven",
            "persistentVolumeReclaimPolicy": "Retain",
            "csi": {"driver": "driver.example.com", "volumeHandle": "driven-a"},
            "claimRef": {"apiVersion": "v1", "kind": PVC, "namespace": "driven", "name": "data"},
        },
    });
    volume["spec"]["claimRef"]["uid"] = json!("5d93bf78-bc1d-4977-b341-fde73cc60842");
    site.put(&volume);
    place.volume_is("a", "Released, Retain, of the former driven/data");
    let asked = || site.get(PVC, "driven", "data").unwrap();
    Site::until("the driver is asked for a volume", || {
        asked()["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"].is_string()
    });
    let refused = flat(&place.again(&["restore", "pvc/data"], 6));
    assert!(refused.contains("--provisioner-stopped"), "{refused}");
    let report: Value =
        serde_json::from_str(&site.plane.pvctl(&["audit", "-A", "-o", "json", "--exit-zero"]).stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| text(finding, "/id") == "pv-released-claim-recreated").unwrap();
    let ways = found["remedies"].as_array().unwrap();
    assert!(ways.iter().all(|way| text(way, "/command").is_empty()), "{ways:?}");
    assert!(
        text(&ways[0], "/does").contains("kubectl pvctl restore pvc/data -n driven --provisioner-stopped"),
        "{ways:?}"
    );
}
