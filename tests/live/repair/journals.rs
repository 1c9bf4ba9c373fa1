//! Journals of another cluster at the same address, and of the same cluster at another address. Also journals of a
//! volume that was created again, and of repairs that never began.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test waits, and fails by panicking")]

use crate::live::proxy::Proxy;
use crate::live::site::{PV, PVC, Place, Site};
use crate::support::screen::{CTRL_C, plain};
use crate::support::{Finished, Run};
use http::Request;
use kube::Client;
use kube::client::Body;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// The question after a plan.
const QUESTION: &str = "Carry out this plan?";

/// Returns a client of the cluster that is currently at the address.
fn either(current: &Arc<Mutex<Client>>) -> Client {
    let current = Arc::clone(current);
    let pass = move |request: Request<Body>| {
        let client = current.lock().unwrap().clone();
        async move { client.send(request).await }
    };
    Client::new(tower::service_fn(pass), "default")
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_journal_belongs_to_its_cluster_and_not_to_an_address() {
    let mut site = Site::start();
    let fresh = Site::start();
    let place = Place::new(&site, "tied");
    place.namespace("tied-to");
    place.bound("data", "a", "Delete");
    let current = Arc::new(Mutex::new(site.api.client()));
    let proxy = fresh.runtime.block_on(async { Proxy::passing(either(&current)).await });
    let journals = place.keep();
    let directory = journals.path().to_string_lossy().into_owned();
    let through = |words: &[&str]| -> Finished {
        let (url, fixed) = (proxy.url(), ["-n", "tied", "--yes", "--journal", &directory]);
        Run::new(&[words, &fixed, &["--server", &url]].concat()).finish()
    };
    site.stop_controllers();
    let stopped = through(&["move", "pvc/data", "--to-namespace", "tied-to", "--timeout", "3s"]);
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);

    // Now a new cluster is at the address. It has a volume of the same name that belongs to somebody else.
    let strange = Place::new(&fresh, "tied");
    strange.namespace("tied-to");
    fresh.put(&json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": "tied-a"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "tied",
            "persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": "tied-to", "name": "data"},
            "csi": {"driver": "driver.example.com", "volumeHandle": "of-a-stranger"},
        },
    }));
    strange.volume_is("a", "Available, Retain, for tied-to/data");
    let id = std::fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    let id = id.file_stem().unwrap().to_string_lossy().into_owned();
    *current.lock().unwrap() = fresh.api.client();
    let before = strange.rest();
    for words in [&["apply", "--continue"][..], &["apply", "--continue", &id], &["undo"], &["undo", &id]] {
        let refused = through(words);
        let said = refused.stderr.replace("\n  ", " ");
        assert_eq!(refused.code, Some(6), "{words:?}: {}{said}", refused.stdout);
        for site in [&site, &fresh] {
            let uid = site.get("Namespace", "", "kube-system").unwrap()["metadata"]["uid"].as_str().unwrap().to_owned();
            assert!(said.contains(&format!("at {} with uid {uid}", proxy.url())), "{words:?}: {said}");
        }
    }
    assert_eq!(strange.rest(), before);
    assert_eq!(fresh.pvc("tied-to", "data"), "gone");

    // The first cluster now has another address. The repair is continued there, and undone through the proxy.
    site.start_controllers();
    let place = Place::kept(&site, "tied", journals);
    place.claim_is("data", "gone");
    place.repair(&["apply", "--continue"], 0);
    place.claim_of_is("tied-to", "data", "Bound, tied-a");
    *current.lock().unwrap() = site.api.client();
    let back = through(&["undo"]);
    assert_eq!(back.code, Some(0), "{}{}", back.stdout, back.stderr);
    place.claim_is("data", "Bound, tied-a");
    place.volume_is("a", "Bound, Delete, of tied/data");
    place.unharmed(&["a"], &[("tied", "data"), ("tied-to", "data")]);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_volume_that_was_created_again_is_not_the_volume_of_a_journal() {
    let mut site = Site::start();
    let place = Place::new(&site, "anew");
    place.left("data", "a", "Retain");
    let journals = place.keep();
    site.stop_controllers();
    let place = Place::kept(&site, "anew", journals);
    let stopped = place.run(&["release", "pv/anew-a", "--reserve-for", "anew/next", "--yes", "--timeout", "3s"]);
    assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
    site.edit(PV, "", "anew-a", |volume| volume["metadata"]["finalizers"] = json!([]));
    site.delete(PV, "", "anew-a");
    site.put(&json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": "anew-a"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "anew",
            "persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": "anew", "name": "next"},
            "csi": {"driver": "driver.example.com", "volumeHandle": "of-a-stranger"},
        },
    }));
    let journals = place.keep();
    site.start_controllers();
    let place = Place::kept(&site, "anew", journals);
    place.volume_is("a", "Available, Retain, for anew/next");
    let said = place.again(&["apply", "--continue"], 5).replace("\n  ", " ");
    assert!(said.contains("pv/anew-a is not the object that the repair was about"), "{said}");
    assert!(said.contains("can neither be continued nor undone"), "{said}");
    // After that, the journal does not block other repairs.
    for words in [&["apply", "--continue"][..], &["undo"]] {
        let said = place.again(words, 2).replace("\n  ", " ");
        assert!(said.contains("no journal of "), "{said}");
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_repair_that_never_began_blocks_no_other_repair() {
    let mut site = Site::start();
    let names = ["undone", "broken", "restored"];
    let journals = names.map(|name| {
        let place = Place::new(&site, name);
        place.namespace(&format!("{name}-to"));
        place.bound("data", "a", "Delete");
        place.rest();
        place.keep()
    });
    site.stop_controllers();
    let mut places: Vec<Place<'_>> =
        names.iter().zip(journals).map(|(name, journals)| Place::kept(&site, name, journals)).collect();
    for place in &places[..2] {
        let to = format!("{}-to", place.name);
        let stopped = place.run(&["move", "pvc/data", "--to-namespace", &to, "--yes", "--timeout", "3s"]);
        assert_eq!(stopped.code, Some(5), "{}{}", stopped.stdout, stopped.stderr);
        place.claim_is("data", &format!("Bound, {}-a, going", place.name));
    }
    site.delete(PVC, "restored", "data");
    places[2].claim_is("data", "Bound, restored-a, going");

    // If an undo is interrupted while it waits, it has written nothing.
    let mut broken = places[1].screen(&["undo"]);
    broken.until(QUESTION);
    broken.press("y\r");
    broken.until("step 1 of");
    broken.press(CTRL_C);
    let (code, shown) = broken.end();
    let shown = plain(shown.as_bytes());
    assert!(code == Some(130) && shown.contains("interrupted: nothing was written"), "{code:?}: {shown}");

    // The claims are deleted while the program asks the person.
    let mut undone = places[0].screen(&["undo"]);
    let mut restored = places[2].screen(&["restore", "pvc/data"]);
    undone.until(QUESTION);
    restored.until(QUESTION);
    let journals: Vec<_> = places.drain(..).map(Place::keep).collect();
    drop(places);
    site.start_controllers();
    let places: Vec<Place<'_>> =
        names.iter().zip(journals).map(|(name, journals)| Place::kept(&site, name, journals)).collect();
    for place in &places {
        place.claim_is("data", "gone");
    }
    for screen in [undone, restored] {
        screen.press("y\r");
        let (code, shown) = screen.end();
        assert_eq!(code, Some(0), "{}", plain(shown.as_bytes()));
    }
    places[0].claim_is("data", "Bound, undone-a");
    places[0].volume_is("a", "Bound, Delete, of undone/data");
    places[0].again(&["apply", "--continue"], 2);
    places[2].claim_is("data", "Bound, restored-a");
    places[2].volume_is("a", "Bound, Retain, of restored/data");
    // The move is continued, not the undo.
    places[1].repair(&["apply", "--continue"], 0);
    places[1].claim_of_is("broken-to", "data", "Bound, broken-a");
    for (place, name) in places.iter().zip(names) {
        place.unharmed(&["a"], &[(name, "data"), (&format!("{name}-to"), "data")]);
    }
}
