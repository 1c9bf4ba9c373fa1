//! How the verbs that repair behave towards the person who types them, on the real controllers. They do not wait for a
//! goal that is already reached. A second run writes nothing and ends with 0. Flags may be in any position.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test looks at the clock, and fails by panicking"
)]

use crate::live::site::{PV, PVC, Place, Site};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn retain_waits_for_nobody_and_knows_the_volume_of_a_claim() {
    let mut site = Site::start();
    let place = Place::new(&site, "kept");
    place.bound("data", "a", "Delete");
    // The command names the volume by its claim.
    place.repair(&["retain", "pvc/data"], 0);
    place.volume_is("a", "Bound, Retain, of kept/data");
    assert!(place.again(&["retain", "pvc", "data"], 0).starts_with("Nothing to do: "));
    place.repair(&["undo"], 0);
    place.volume_is("a", "Bound, Delete, of kept/data");
    place.claim_in("kept", "waits");
    place.claim_is("waits", "Pending, ");
    assert!(place.again(&["retain", "pvc/waits"], 6).contains("has no volume yet"));
    place.again(&["retain", "pvc/nobody"], 2);
    // No controller runs. The claim of the volume is deleted, and a controller would have to act.
    place.volume("b", "Delete");
    let journals = place.keep();
    site.stop_controllers();
    let place = Place::kept(&site, "kept", journals);
    site.edit(PVC, "kept", "data", |claim| claim["metadata"]["finalizers"] = json!([]));
    site.delete(PVC, "kept", "data");
    let begin = Instant::now();
    place.repair(&["retain", "pv/kept-a"], 0);
    assert!(begin.elapsed() < Duration::from_secs(12), "the run must not wait, but took {:?}", begin.elapsed());
    place.volume_is("a", "Bound, Retain, of the former kept/data");
    assert!(place.again(&["retain", "pv/kept-a"], 0).starts_with("Nothing to do: "));
    // The binder began a binding, and stopped before the claim named the volume.
    let uid = site.get(PVC, "kept", "waits").unwrap()["metadata"]["uid"].clone();
    site.edit(PV, "", "kept-b", |volume| {
        volume["spec"]["claimRef"] =
            json!({"apiVersion": "v1", "kind": PVC, "namespace": "kept", "name": "waits", "uid": uid});
    });
    place.repair(&["retain", "pvc/waits"], 0);
    place.volume_is("b", "Available, Retain, of kept/waits");
    place.unharmed(&["a", "b"], &[("kept", "data"), ("kept", "waits")]);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_goal_that_is_already_reached_needs_no_repair() {
    let site = Site::start();
    let nothing = |place: &Place<'_>, words: &[&str]| {
        let said = place.again(words, 0);
        assert!(said.starts_with("Nothing to do: "), "{words:?}: {said}");
    };

    let place = Place::new(&site, "offered");
    place.left("old", "a", "Retain");
    let words = ["release", "pv/offered-a", "--reserve-for", "offered/new"];
    place.repair(&words, 0);
    nothing(&place, &words);
    place.claim_in("offered", "new");
    place.claim_is("new", "Bound, offered-a");
    nothing(&place, &words);
    place.again(&["release", "pv/offered-a", "--reserve-for", "offered/other"], 6);
    // The volume is released for its last claim. This claim is then created and gets the volume.
    place.left("same", "b", "Retain");
    place.repair(&["release", "pv/offered-b"], 0);
    nothing(&place, &["release", "pv/offered-b"]);
    place.claim_in("offered", "same");
    place.claim_is("same", "Bound, offered-b");
    nothing(&place, &["release", "pv/offered-b"]);
    place.unharmed(&["a", "b"], &[("offered", "old"), ("offered", "new"), ("offered", "same")]);

    let place = Place::new(&site, "half");
    place.volume("a", "Retain");
    site.edit(PV, "", "half-a", |volume| volume["spec"]["claimRef"] = json!({"namespace": "half", "name": "dta"}));
    place.claim_in("half", "data");
    place.claim_is("data", "Pending, ");
    let words = ["unbind", "pv/half-a", "--reserve-for", "half/data"];
    place.repair(&words, 0);
    place.claim_is("data", "Bound, half-a");
    nothing(&place, &words);
    place.unharmed(&["a"], &[("half", "data")]);

    let place = Place::new(&site, "class");
    place.volume("a", "Retain");
    let mut wrong = place.manifest("class", "data");
    wrong["spec"]["storageClassName"] = json!("clas");
    site.put(&wrong);
    place.claim_is("data", "Pending, ");
    place.repair(&["recreate", "pvc/data", "--set", "storageClassName=class"], 0);
    place.claim_is("data", "Bound, class-a");
    nothing(&place, &["recreate", "pvc/data", "--set", "class=class"]);
    place.claim_in("class", "dta");
    place.claim_is("dta", "Pending, ");
    let words = ["recreate", "pvc/dta", "--set", "name=late", "--set", "size=512Mi"];
    place.repair(&words, 0);
    nothing(&place, &words);
    place.unharmed(&["a"], &[("class", "data")]);

    let place = Place::new(&site, "moves");
    place.namespace("moved");
    place.bound("data", "a", "Delete");
    let words = ["move", "pvc/data", "--to-namespace", "moved"];
    place.repair(&words, 0);
    nothing(&place, &words);
    place.repair(&["undo"], 0);
    place.claim_is("data", "Bound, moves-a");
    // Here flags are between the words.
    let words = ["rename", "pvc/data", "--timeout", "50s", "archive"];
    place.repair(&words, 0);
    place.claim_is("archive", "Bound, moves-a");
    nothing(&place, &words);
    place.again(&["rename", "pvc/dta", "archive"], 2);
    site.delete(PVC, "moves", "archive");
    place.claim_is("archive", "gone");
    place.again(&words, 2);
    place.unharmed(&["a"], &[("moves", "data"), ("moved", "data"), ("moves", "archive")]);

    let place = Place::new(&site, "gets");
    place.left("copy", "a", "Retain");
    place.claim_in("gets", "data");
    place.claim_is("data", "Pending, ");
    let words = ["rebind", "pvc", "--to", "pv/gets-a", "data"];
    place.repair(&words, 0);
    nothing(&place, &words);
    site.delete(PVC, "gets", "data");
    place.volume_is("a", "Released, Retain, of the former gets/data");
    place.repair(&["restore", "pvc/data"], 0);
    nothing(&place, &["restore", "pvc/data", "--from", "pv/gets-a"]);
    site.delete(PVC, "gets", "data");
    place.volume_is("a", "Released, Retain, of the former gets/data");
    let words = ["reclaim", "pv/gets-a", "--delete", "--confirm", "gets-a"];
    place.repair(&words, 0);
    nothing(&place, &words);
    site.edit(PV, "", "gets-a", |volume| {
        volume["metadata"]["finalizers"] = json!(["external-provisioner.volume.kubernetes.io/finalizer"]);
    });
    site.delete(PV, "", "gets-a");
    place.volume_is("a", "Released, Delete, of the former gets/data, going");
    nothing(&place, &words);
    site.edit(PV, "", "gets-a", |volume| volume["metadata"]["finalizers"] = json!([]));
    place.volume_is("a", "gone");
    nothing(&place, &words);

    let place = Place::new(&site, "held");
    place.bound("data", "a", "Delete");
    site.edit(PVC, "held", "data", |claim| {
        claim["metadata"]["finalizers"].as_array_mut().unwrap().push(json!("example.com/backup"));
    });
    site.delete(PVC, "held", "data");
    let words = ["unfinalize", "pvc/data", "--confirm", "data", "example.com/backup"];
    place.repair(&words, 0);
    place.claim_is("data", "gone");
    nothing(&place, &words);
    place.again(&["unfinalize", "pvc/data", "--confirm", "data", "example.com/other"], 2);
    place.volume_is("a", "Released, Retain, of the former held/data");
    place.unharmed(&["a"], &[("held", "data")]);
}

/// One of two findings is repaired. A guard refuses the other repair. In the second run that finding is still left.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn fix_leaves_what_a_guard_refuses_each_time() {
    let site = Site::start();
    let place = Place::new(&site, "left");
    place.bound("one", "a", "Retain");
    place.bound("two", "b", "Retain");
    for volume in ["left-a", "left-b"] {
        site.edit(PV, "", volume, |volume| {
            volume["spec"]["claimRef"].as_object_mut().unwrap().remove("uid");
        });
    }
    place.claim_is("one", "Lost, left-a");
    place.claim_is("two", "Lost, left-b");
    // This volume has the storage of volume `left-b`. So a repair of claim `two` is refused: two claims could write to
    // the same data.
    place.volume_on("c", "Retain", "csi", &json!({"driver": "driver.example.com", "volumeHandle": "left-b"}));
    let words = ["fix", "pvc/one", "pvc/two", "--only", "lost-*"];
    let said = place.repair(&words, 1);
    assert!(said.contains("1 finding repaired, 1 left"), "{said}");
    place.claim_is("one", "Bound, left-a");
    for _ in 0..2 {
        let said = place.again(&words, 1);
        assert!(said.contains("0 findings repaired, 1 left"), "{said}");
    }
    place.claim_is("two", "Lost, left-b");
    place.unharmed(&["a", "b"], &[("left", "one"), ("left", "two")]);
}
