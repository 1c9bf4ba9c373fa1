//! Explanations of volumes that are recycled at the same time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::{explained, spec};
use crate::manifests::{bound_pv, bound_pvc, pod, with, world};
use serde_json::{Value, json};

/// All recyclings of one plugin change the same pod template. So if several recyclings run at the same time, each can
/// fail, and the explanation warns about this. Upstream: `Recycle` (`pkg/volume/nfs`, `pkg/volume/hostpath`), 1.36.
#[test]
fn recycling_several_volumes_at_once_is_warned_of() {
    let released = |name: &str, claim: &str, fields: Value| {
        let volume = with(bound_pv(name, claim), json!({ "status": { "phase": "Released" } }));
        spec(spec(volume, json!({ "persistentVolumeReclaimPolicy": "Recycle" })), fields)
    };
    let host_path = json!({ "nfs": null, "hostPath": { "path": "/srv/d" } });
    let objects = [
        released("a", "of-a", json!({})),
        released("b", "of-b", json!({})),
        // These volumes are not counted. They have another plugin, another reclaim policy, a pod that uses the claim,
        // or an existing claim.
        released("c", "of-c", host_path),
        released("d", "of-d", json!({ "persistentVolumeReclaimPolicy": "Retain" })),
        released("e", "of-e", json!({})),
        pod("web-0", "of-e", "node-1"),
        with(released("f", "of-f", json!({})), json!({ "status": { "phase": "Bound" } })),
        bound_pvc("of-f", "f"),
    ];
    let of = |objects: &[Value], object: &str| {
        explained(&world(objects), object, |explanation| {
            let document = serde_json::to_value(explanation).unwrap();
            let prediction = &document["prediction"];
            let ends = prediction["outcomes"].as_array().unwrap().iter();
            let mut phases: Vec<String> = ends.map(|end| end["phase"].as_str().unwrap().to_owned()).collect();
            phases.sort();
            let warning = explanation
                .diagnosis
                .details
                .iter()
                .find_map(|detail| detail.split_once("Beware: "))
                .map(|(_, warning)| warning.to_owned());
            let why = prediction["decidedBy"].clone();
            let mixed_up = explanation.text(None, false).contains("Several volumes are recycled at the same time, and");
            (phases.join(" "), prediction["exact"] == true, why, warning, mixed_up)
        })
    };
    let alone = ("Released".to_owned(), true, Value::Null, None, false);
    let warning = "another volume is recycled at the same time, and the controller can confuse the recycler pods. So \
                   this volume may become Failed, or Available with its old data.";
    let crowded =
        ("Failed Released".to_owned(), false, json!(["simultaneousRecycling"]), Some(warning.to_owned()), true);
    for (object, expected) in [("pv/a", &crowded), ("pv/b", &crowded), ("pv/c", &alone), ("pv/e", &alone)] {
        assert_eq!(of(&objects, object), *expected, "{object}");
    }
    assert_eq!(of(&objects, "pv/f").0, "Bound");
    assert_eq!(of(&objects[1..], "pv/b"), alone);
    let three = [&objects[..], &[released("g", "of-g", json!({}))]].concat();
    assert!(of(&three, "pv/a").3.unwrap().starts_with("2 other volumes are recycled"));
    // A failed recycling is tried again in each sync, and the volume stays Failed.
    let failed = with(released("a", "of-a", json!({})), json!({ "status": { "phase": "Failed" } }));
    let with_failed = [failed, objects[1].clone()];
    assert_eq!(of(&with_failed, "pv/a").0, "Failed");
    assert_eq!(of(&with_failed, "pv/b"), crowded);
}

/// A pod with the name of the recycler pod already exists. The controller that created the pod waits for it. If the
/// controller was started again later, it deletes the pod, no matter what the result of the pod was. This sync fails,
/// and a later one can succeed. Upstream: `recycleVolumeOperation` and
/// `internalRecycleVolumeByWatchingPodUntilCompletion` (`pkg/volume/util/recyclerclient`), 1.36.
#[test]
fn a_recyclers_pod_that_is_there_already_may_be_in_the_way() {
    let released = with(bound_pv("a", "of-a"), json!({ "status": { "phase": "Released" } }));
    let recycled = |fields: Value| spec(released.clone(), fields);
    let of = |volume: &Value, pod: &Value| {
        explained(&world(&[volume.clone(), pod.clone()]), "pv/a", |explanation| {
            let document = serde_json::to_value(explanation).unwrap();
            let prediction = &document["prediction"];
            let ends = prediction["outcomes"].as_array().unwrap().iter();
            let mut phases: Vec<String> = ends.map(|end| end["phase"].as_str().unwrap().to_owned()).collect();
            phases.sort();
            let decisions = prediction["decisions"].as_array().unwrap().iter();
            let steps: Vec<String> = decisions.map(|decision| decision["steps"].to_string()).collect();
            let is_told = steps.iter().any(|steps| steps.contains("ReclaimRunning"))
                && steps.iter().any(|steps| steps.contains("RecycleFailed"));
            let events = explanation.text(None, false).contains("old recycler pod found, will retry later");
            (phases.join(" "), prediction["decidedBy"].clone(), is_told, events)
        })
    };
    let recycler = |name: &str, namespace: &str| {
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": name, "namespace": namespace, "uid": "u-recycler" },
            "spec": { "containers": [{ "name": "pv-recycler", "image": "scrub" }] },
            "status": { "phase": "Succeeded" },
        })
    };
    let volume = recycled(json!({ "persistentVolumeReclaimPolicy": "Recycle" }));
    let own = recycler("recycler-for-a", "default");
    assert_eq!(of(&volume, &own), ("Failed Released".to_owned(), json!(["recyclerPod"]), true, true));
    for other in [recycler("recycler-for-b", "default"), recycler("recycler-for-a", "elsewhere")] {
        assert_eq!(of(&volume, &other), ("Released".to_owned(), Value::Null, false, false));
    }
    let kept = recycled(json!({ "persistentVolumeReclaimPolicy": "Retain" }));
    assert_eq!(of(&kept, &own), ("Released".to_owned(), Value::Null, false, false));
}
