//! Each verb that repairs, on the real controllers. Each state is caused as in practice. The test checks the final
//! state, the state after the undo, and that a second run writes nothing.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test writes plan files, acts while the program waits, and fails by panicking"
)]

use crate::live::site::{PV, PVC, Place, Site, text};
use serde_json::{Value, json};

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn volumes_are_kept_offered_and_handed_over() {
    let mut site = Site::start();
    retain(&site);
    release(&site);
    release_of_failed(&site);
    reclaim(&site);
    unbind(&mut site);
}

fn retain(site: &Site) {
    let place = Place::new(site, "retain");
    place.bound("data", "a", "Delete");
    let volume = "pv/retain-a";
    place.repair(&["retain", volume], 0);
    place.volume_is("a", "Bound, Retain, of retain/data");
    assert!(place.again(&["retain", volume], 0).starts_with("Nothing to do: "));
    place.repair(&["undo"], 0);
    place.volume_is("a", "Bound, Delete, of retain/data");
    place.again(&["undo"], 2);
    place.repair(&["retain", volume], 0);
    site.delete(PVC, "retain", "data");
    place.volume_is("a", "Released, Retain, of the former retain/data");
    place.unharmed(&["a"], &[("retain", "data")]);
}

fn release(site: &Site) {
    let place = Place::new(site, "release");
    place.left("data", "a", "Retain");
    place.repair(&["release", "pv/release-a"], 0);
    place.volume_is("a", "Available, Retain, for release/data");
    assert!(place.again(&["release", "pv/release-a"], 0).starts_with("Nothing to do: "));
    place.repair(&["undo"], 0);
    place.volume_is("a", "Released, Retain, of the former release/data");
    // Only a claim with the name of its last claim gets the volume.
    place.repair(&["release", "pv/release-a"], 0);
    place.claim_in("release", "other");
    place.claim_in("release", "data");
    place.claim_is("data", "Bound, release-a");
    place.claim_is("other", "Pending, ");
    assert!(place.again(&["undo"], 6).contains("has got volume release-a in the meantime"));
    site.delete(PVC, "release", "other");
    place.unharmed(&["a"], &[("release", "data")]);

    place.left("data2", "b", "Retain");
    place.repair(&["release", "pv/release-b", "--reserve-for", "release/new"], 0);
    place.volume_is("b", "Available, Retain, for release/new");
    place.repair(&["undo"], 0);
    place.volume_is("b", "Released, Retain, of the former release/data2");
    place.repair(&["release", "pv/release-b", "--reserve-for", "release/new"], 0);
    place.claim_in("release", "new");
    place.claim_is("new", "Bound, release-b");
    place.again(&["release", "pv/release-b", "--reserve-for", "release/new"], 0);
    place.unharmed(&["b"], &[("release", "data2"), ("release", "new")]);

    place.left("data3", "c", "Retain");
    let refused = place.again(&["release", "pv/release-c", "--to-anyone"], 6);
    assert!(refused.contains("--confirm release-c"), "{refused}");
    place.repair(&["release", "pv/release-c", "--to-anyone", "--confirm", "release-c"], 0);
    place.volume_is("c", "Available, Retain, of nobody");
    place.repair(&["undo"], 0);
    place.volume_is("c", "Released, Retain, of the former release/data3");
    place.repair(&["release", "pv/release-c", "--to-anyone", "--confirm", "release-c"], 0);
    place.claim_in("release", "whoever");
    place.claim_is("whoever", "Bound, release-c");
    place.unharmed(&["c"], &[("release", "data3"), ("release", "whoever")]);
}

/// The volume has policy Delete and no deleter, so it is Failed. The repair sets policy Retain before any other write.
fn release_of_failed(site: &Site) {
    let place = Place::new(site, "failed");
    place.volume_on("a", "Delete", "nfs", &json!({"server": "nfs.example.com", "path": "/a"}));
    place.bind("data", "a", "Delete");
    site.delete(PVC, "failed", "data");
    place.volume_is("a", "Failed, Delete, of the former failed/data");
    place.repair(&["release", "pv/failed-a"], 0);
    place.volume_is("a", "Available, Retain, for failed/data");
    let undone = place.repair(&["undo"], 0);
    assert!(undone.contains("keeps policy Retain"), "{undone}");
    place.volume_is("a", "Released, Retain, of the former failed/data");
    place.unharmed(&["a"], &[("failed", "data")]);
}

fn reclaim(site: &Site) {
    let place = Place::new(site, "reclaim");
    place.left("data", "a", "Retain");
    assert!(place.again(&["reclaim", "pv/reclaim-a"], 0).starts_with("Nothing to do: "));
    place.again(&["reclaim", "pv/reclaim-a", "--delete"], 6);
    place.again(&["reclaim", "pv/reclaim-a", "--delete", "--confirm", "reclaim-b"], 6);
    place.repair(&["reclaim", "pv/reclaim-a", "--delete", "--confirm", "reclaim-a"], 0);
    // No driver runs. So nobody deletes the volume.
    place.volume_is("a", "Released, Delete, of the former reclaim/data");
    place.again(&["reclaim", "pv/reclaim-a", "--delete", "--confirm", "reclaim-a"], 0);
    assert!(place.again(&["undo"], 6).contains("a deletion that has begun cannot be stopped"));
    place.unharmed(&["a"], &[("reclaim", "data")]);
}

fn unbind(site: &mut Site) {
    let place = Place::new(site, "unbind");
    // The volume was reserved for a misspelt claim name.
    place.volume("a", "Retain");
    site.edit(PV, "", "unbind-a", |volume| {
        volume["spec"]["claimRef"] = json!({"namespace": "unbind", "name": "dta"});
    });
    place.claim_in("unbind", "data");
    place.volume_is("a", "Available, Retain, for unbind/dta");
    place.claim_is("data", "Pending, ");
    assert!(place.again(&["unbind", "pv/unbind-a"], 0).starts_with("Nothing to do: "));
    place.repair(&["unbind", "pv/unbind-a", "--reserve-for", "unbind/data"], 0);
    place.claim_is("data", "Bound, unbind-a");
    place.again(&["unbind", "pv/unbind-a", "--reserve-for", "unbind/data"], 0);
    assert!(place.again(&["undo"], 6).contains("unbind"));
    place.volume_is("a", "Bound, Retain, of unbind/data");
    place.unharmed(&["a"], &[("unbind", "data")]);

    // The controller stops in the middle of a binding. Before it runs again, the claim is created again.
    place.volume("b", "Retain");
    site.edit(PV, "", "unbind-b", |volume| {
        volume["spec"]["claimRef"] = json!({"namespace": "unbind", "name": "nobody"});
    });
    place.claim_in("unbind", "half");
    place.claim_is("half", "Pending, ");
    let uid = site.get(PVC, "unbind", "half").unwrap()["metadata"]["uid"].clone();
    let journals = place.keep();
    site.stop_controllers();
    site.edit(PV, "", "unbind-b", |volume| {
        volume["spec"]["claimRef"] =
            json!({"apiVersion": "v1", "kind": PVC, "namespace": "unbind", "name": "half", "uid": uid});
        volume["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"] = "yes".into();
    });
    site.edit(PVC, "unbind", "half", |claim| claim["metadata"]["finalizers"] = json!([]));
    site.delete(PVC, "unbind", "half");
    let place = Place::kept(site, "unbind", journals);
    place.claim_in("unbind", "half");
    // The claimRef is removed in the same way as the controller does it. The binding that would follow needs the
    // controller.
    place.repair(&["unbind", "pv/unbind-b"], 1);
    place.volume_is("b", "Available, Retain, of nobody");
    let journals = place.keep();
    site.start_controllers();
    let place = Place::kept(site, "unbind", journals);
    place.claim_is("half", "Bound, unbind-b");
    place.unharmed(&["b"], &[("unbind", "half")]);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn claims_get_their_volumes_back() {
    let mut site = Site::start();
    // The volume was applied again without the uid of its claim, or it was restored from a backup with the uid of an
    // older claim.
    for (name, uid, phase) in
        [("cleared", None, "Available"), ("other", Some("90d00000-0000-4000-8000-00000000000d"), "Released")]
    {
        let place = Place::new(&site, name);
        place.bound("data", "a", "Retain");
        site.edit(PV, "", &place.of("a"), |volume| volume["spec"]["claimRef"]["uid"] = json!(uid));
        place.claim_is("data", &format!("Lost, {name}-a"));
        let whose = if uid.is_some() { "of the former" } else { "for" };
        let broken = format!("{phase}, Retain, {whose} {name}/data");
        place.volume_is("a", &broken);
        place.repair(&["restore", "pvc/data"], 0);
        place.claim_is("data", &format!("Bound, {name}-a"));
        place.volume_is("a", &format!("Bound, Retain, of {name}/data"));
        assert!(place.again(&["restore", "pvc/data"], 0).starts_with("Nothing to do: "));
        place.repair(&["undo"], 0);
        place.claim_is("data", &format!("Lost, {name}-a"));
        place.volume_is("a", &broken);
        // `fix` finds the same repair.
        place.repair(&["fix", "pvc/data"], 0);
        place.claim_is("data", &format!("Bound, {name}-a"));
        place.again(&["fix", "pvc/data"], 0);
        place.again(&["fix", &format!("pv/{name}-a")], 0);
        place.unharmed(&["a"], &[(name, "data")]);
    }

    // The claim was deleted.
    for (name, policy) in [("deleted", "Retain"), ("deleted-too", "Delete")] {
        let place = Place::new(&site, name);
        place.left("data", "a", policy);
        place.repair(&["restore", "pvc/data"], 0);
        place.claim_is("data", &format!("Bound, {name}-a"));
        place.volume_is("a", &format!("Bound, Retain, of {name}/data"));
        place.again(&["restore", "pvc/data"], 0);
        place.repair(&["undo"], 0);
        place.claim_is("data", "gone");
        place.volume_is("a", &format!("Released, Retain, of the former {name}/data"));
        place.unharmed(&["a"], &[(name, "data")]);
    }

    // The claim was deleted and created again.
    let place = Place::new(&site, "anew");
    place.left("data", "a", "Retain");
    place.claim_in("anew", "data");
    place.volume_is("a", "Released, Retain, of the former anew/data");
    place.claim_is("data", "Pending, ");
    let uid = site.get(PVC, "anew", "data").unwrap()["metadata"]["uid"].clone();
    place.repair(&["restore", "pvc/data"], 0);
    place.claim_is("data", "Bound, anew-a");
    assert_eq!(site.get(PVC, "anew", "data").unwrap()["metadata"]["uid"], uid, "the claim must be the same");
    place.again(&["restore", "pvc/data"], 0);
    place.again(&["undo"], 6);
    place.claim_is("data", "Bound, anew-a");
    place.unharmed(&["a"], &[("anew", "data")]);

    // The claim is being deleted, and a finalizer of another owner keeps it.
    let place = Place::new(&site, "kept");
    place.bound("data", "a", "Delete");
    site.edit(PVC, "kept", "data", |claim| {
        claim["metadata"]["finalizers"].as_array_mut().unwrap().push(json!("example.com/backup"));
    });
    site.delete(PVC, "kept", "data");
    let refused = place.again(&["restore", "pvc/data"], 6);
    assert!(refused.contains("would wait until claim kept/data is gone, and this never happens"), "{refused}");
    place.unharmed(&["a"], &[("kept", "data")]);

    // A pod uses the claim. When the pod is gone, the controllers are late.
    let place = Place::new(&site, "going");
    place.bound("data", "a", "Delete");
    place.pod("user", "data");
    site.delete(PVC, "going", "data");
    place.claim_is("data", "Bound, going-a, going");
    let refused = place.again(&["restore", "pvc/data"], 6);
    assert!(refused.contains("pods use claim going/data: user"), "{refused}");
    let journals = place.keep();
    site.stop_controllers();
    let place = Place::kept(&site, "going", journals);
    site.delete("Pod", "going", "user");
    let run = place.apart(&["restore", "pvc/data"]);
    place.volume_is("a", "Bound, Retain, of going/data");
    place.claim_is("data", "Bound, going-a, going");
    let journals = place.keep();
    site.start_controllers();
    let place = Place::kept(&site, "going", journals);
    let done = run.join().unwrap();
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    place.claim_is("data", "Bound, going-a");
    place.volume_is("a", "Bound, Retain, of going/data");
    place.again(&["restore", "pvc/data"], 0);
    place.repair(&["undo"], 0);
    place.claim_is("data", "gone");
    place.volume_is("a", "Released, Retain, of the former going/data");
    place.unharmed(&["a"], &[("going", "data")]);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn claims_are_replaced_and_get_other_volumes() {
    let site = Site::start();
    // A claim without a volume gets a volume that another claim had.
    let place = Place::new(&site, "waits");
    place.left("old", "a", "Retain");
    place.claim_in("waits", "data");
    place.claim_is("data", "Pending, ");
    place.repair(&["rebind", "pvc/data", "--to", "pv/waits-a"], 0);
    place.claim_is("data", "Bound, waits-a");
    assert!(place.again(&["rebind", "pvc/data", "--to", "pv/waits-a"], 0).starts_with("Nothing to do: "));
    place.again(&["undo"], 6);
    place.unharmed(&["a"], &[("waits", "old"), ("waits", "data")]);

    // A claim with a volume gets an older copy of that volume.
    let place = Place::new(&site, "has");
    place.left("copy", "b", "Retain");
    place.bound("data", "a", "Delete");
    place.repair(&["rebind", "pvc/data", "--to", "pv/has-b"], 0);
    place.claim_is("data", "Bound, has-b");
    place.volume_is("b", "Bound, Retain, of has/data");
    place.volume_is("a", "Released, Retain, of the former has/data");
    place.again(&["rebind", "pvc/data", "--to", "pv/has-b"], 0);
    place.repair(&["undo"], 0);
    place.claim_is("data", "Bound, has-a");
    place.volume_is("a", "Bound, Delete, of has/data");
    place.volume_is("b", "Released, Retain, of the former has/copy");
    place.unharmed(&["a", "b"], &[("has", "data"), ("has", "copy")]);

    // The class of the claim does not exist.
    let place = Place::new(&site, "class");
    place.volume("a", "Retain");
    let mut wrong = place.manifest("class", "data");
    wrong["spec"]["storageClassName"] = json!("clas");
    wrong["metadata"]["labels"] = json!({"app": "shop"});
    site.put(&wrong);
    place.claim_is("data", "Pending, ");
    place.repair(&["recreate", "pvc/data", "--set", "class=class"], 0);
    place.claim_is("data", "Bound, class-a");
    assert_eq!(text(&site.get(PVC, "class", "data").unwrap(), "/metadata/labels/app"), "shop");
    place.again(&["recreate", "pvc/data", "--set", "class=class"], 0);
    place.repair(&["undo"], 0);
    place.claim_is("data", "Pending, ");
    assert_eq!(text(&site.get(PVC, "class", "data").unwrap(), "/spec/storageClassName"), "clas");
    place.volume_is("a", "Released, Retain, of the former class/data");
    place.unharmed(&["a"], &[("class", "data")]);

    // The name of the claim is misspelt. The undo must not lose the volume that the new claim got.
    let place = Place::new(&site, "typo");
    place.claim_in("typo", "dta");
    place.claim_is("dta", "Pending, ");
    place.repair(&["recreate", "pvc/dta", "--set", "name=data", "--set", "size=512Mi"], 0);
    place.claim_is("dta", "gone");
    place.claim_is("data", "Pending, ");
    place.again(&["recreate", "pvc/dta", "--set", "name=data", "--set", "size=512Mi"], 0);
    place.offer("a", "Delete");
    place.claim_is("data", "Bound, typo-a");
    let refused = place.again(&["undo"], 6);
    assert!(refused.contains("the policy of volume typo-a is Delete"), "{refused}");
    place.unharmed(&["a"], &[("typo", "data")]);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn volumes_change_hands() {
    let site = Site::start();
    let place = Place::new(&site, "move");
    place.namespace("moved");
    place.bound("data", "a", "Delete");
    let to = ["move", "pvc/data", "--to-namespace", "moved"];
    place.repair(&to, 0);
    place.claim_is("data", "gone");
    place.claim_of_is("moved", "data", "Bound, move-a");
    place.volume_is("a", "Bound, Retain, of moved/data");
    place.again(&to, 0);
    place.repair(&["undo"], 0);
    place.claim_of_is("moved", "data", "gone");
    place.claim_is("data", "Bound, move-a");
    place.volume_is("a", "Bound, Delete, of move/data");
    place.again(&["undo"], 2);
    // The claim is moved again and gets another name. Its volume gets its policy back.
    let to = ["move", "pvc/data", "--to-namespace", "moved", "--name", "archive", "--restore-policy"];
    place.repair(&to, 0);
    place.claim_of_is("moved", "archive", "Bound, move-a");
    place.volume_is("a", "Bound, Delete, of moved/archive");
    place.repair(&["undo"], 0);
    place.claim_of_is("moved", "archive", "gone");
    place.claim_is("data", "Bound, move-a");
    place.volume_is("a", "Bound, Delete, of move/data");
    place.unharmed(&["a"], &[("move", "data"), ("moved", "data"), ("moved", "archive")]);

    let place = Place::new(&site, "rename");
    place.bound("data", "a", "Retain");
    place.pod("user", "data");
    assert!(place.again(&["rename", "pvc/data", "archive"], 6).contains("pods use claim rename/data: user"));
    site.delete("Pod", "rename", "user");
    place.repair(&["rename", "pvc/data", "archive"], 0);
    place.claim_is("data", "gone");
    place.claim_is("archive", "Bound, rename-a");
    place.again(&["rename", "pvc/data", "archive"], 0);
    place.repair(&["undo"], 0);
    place.claim_is("archive", "gone");
    place.claim_is("data", "Bound, rename-a");
    place.volume_is("a", "Bound, Retain, of rename/data");
    place.unharmed(&["a"], &[("rename", "data"), ("rename", "archive")]);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn finalizers_whose_owner_is_gone_are_taken_off() {
    const FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";
    let site = Site::start();
    let place = Place::new(&site, "stuck");
    place.bound("data", "a", "Delete");
    site.edit(PVC, "stuck", "data", |claim| {
        claim["metadata"]["finalizers"].as_array_mut().unwrap().push(json!("example.com/backup"));
    });
    let words = ["unfinalize", "pvc/data", "example.com/backup"];
    place.again(&words, 6);
    site.delete(PVC, "stuck", "data");
    place.claim_is("data", "Bound, stuck-a, going");
    let protected = place.again(&["unfinalize", "pvc/data", "kubernetes.io/pvc-protection"], 0);
    assert!(protected.contains("does not have finalizer"), "{protected}");
    place.again(&words, 6);
    place.repair(&[&words[..], &["--confirm", "data"]].concat(), 0);
    place.claim_is("data", "gone");
    place.volume_is("a", "Released, Retain, of the former stuck/data");
    place.again(&[&words[..], &["--confirm", "data"]].concat(), 0);
    place.again(&["undo"], 6);
    place.unharmed(&["a"], &[("stuck", "data")]);

    // The provisioner of a volume is gone. The object of the volume is deleted. The journal records the storage.
    place.left("data2", "b", "Retain");
    site.edit(PV, "", "stuck-b", |volume| {
        volume["metadata"]["finalizers"].as_array_mut().unwrap().push(json!(FINALIZER));
    });
    site.delete(PV, "", "stuck-b");
    place.volume_is("b", "Released, Retain, of the former stuck/data2, going");
    let words = ["unfinalize", "pv/stuck-b", FINALIZER];
    place.again(&words, 6);
    assert_ne!(site.pv("stuck-b"), "gone");
    place.repair(&[&words[..], &["--confirm", "stuck-b"]].concat(), 0);
    place.volume_is("b", "gone");
    place.again(&[&words[..], &["--confirm", "stuck-b"]].concat(), 0);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn plans_come_from_files_and_journals() {
    let mut site = Site::start();
    let place = Place::new(&site, "file");
    place.left("data", "a", "Retain");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("plan.yaml");
    let plan = place.run(&["release", "pv/file-a", "-o", "yaml"]);
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    std::fs::write(&file, &plan.stdout).unwrap();
    let file = file.to_string_lossy().into_owned();
    place.repair(&["apply", &file], 0);
    place.volume_is("a", "Available, Retain, for file/data");
    assert!(place.again(&["apply", &file], 0).starts_with("Nothing to do: "));
    place.repair(&["undo"], 0);
    place.volume_is("a", "Released, Retain, of the former file/data");
    // The cluster is again in the state of the plan.
    place.repair(&["apply", &file], 0);
    place.volume_is("a", "Available, Retain, for file/data");
    place.again(&["apply", "--continue"], 2);
    place.unharmed(&["a"], &[("file", "data")]);
    drop(place);

    // Without controllers the repair makes no progress. After they run again, the repair is continued or undone.
    for (name, back) in [("stops", false), ("returns", true)] {
        let place = Place::new(&site, name);
        let to = format!("{name}-new");
        place.namespace(&to);
        place.bound("data", "a", "Delete");
        let journals = place.keep();
        site.stop_controllers();
        let place = Place::kept(&site, name, journals);
        let stopped = place.run(&["move", "pvc/data", "--to-namespace", &to, "--yes", "--timeout", "3s"]);
        assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
        assert!(stopped.stderr.contains("apply --continue") && stopped.stderr.contains("undo"), "{}", stopped.stderr);
        place.volume_is("a", &format!("Bound, Retain, of {name}/data"));
        place.claim_is("data", &format!("Bound, {name}-a, going"));
        let shown = history(&place);
        assert_eq!(
            (shown["items"][0]["state"].clone(), shown["items"][0]["step"].clone()),
            (json!("stopped"), json!(2))
        );
        let journals = place.keep();
        site.start_controllers();
        let place = Place::kept(&site, name, journals);
        place.claim_is("data", "gone");
        if back {
            place.repair(&["undo"], 0);
            place.claim_is("data", &format!("Bound, {name}-a"));
            place.volume_is("a", &format!("Bound, Delete, of {name}/data"));
        } else {
            place.repair(&["apply", "--continue"], 0);
            place.claim_of_is(&to, "data", &format!("Bound, {name}-a"));
            place.volume_is("a", &format!("Bound, Retain, of {to}/data"));
            place.again(&["apply", "--continue"], 2);
            place.repair(&["undo"], 0);
            place.claim_of_is(&to, "data", "gone");
            place.claim_is("data", &format!("Bound, {name}-a"));
            place.volume_is("a", &format!("Bound, Delete, of {name}/data"));
        }
        place.unharmed(&["a"], &[(name, "data"), (&to, "data")]);
        let shown = history(&place);
        let states: Vec<&str> = shown["items"].as_array().unwrap().iter().map(|item| text(item, "/state")).collect();
        assert_eq!(states, if back { ["finished", "stopped"] } else { ["finished", "finished"] });
        assert_eq!(shown["items"][1]["takenBackBy"], shown["items"][0]["id"]);
        let id = text(&shown["items"][1], "/id");
        let steps = place.run(&["history", id]);
        assert!(
            steps.code == Some(0) && steps.stdout.contains(&format!("{name}-a")),
            "{}{}",
            steps.stdout,
            steps.stderr
        );
    }
}

fn history(place: &Place<'_>) -> Value {
    let shown = place.run(&["history", "-o", "json"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    serde_json::from_str(&shown.stdout).unwrap()
}
