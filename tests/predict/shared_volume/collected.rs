//! What other components do with the objects later, and what a snapshot with gaps says.

use super::{claim, endpoints, service, snapshot, volume, with, world};
use pvctl::controllers::shared_volume::{CollectionBranch, SharedVolume, Stored, collect};
use pvctl::model::{EndpointSlice, Kind};
use pvctl::snapshot::Coverage;
use pvctl::world::View;
use serde_json::{Value, json};

fn slice(owner: &str) -> Value {
    json!({
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "endpoints": [],
        "metadata": {
            "namespace": "bar", "name": "baz-service-x", "labels": {"kubernetes.io/service-name": "baz-service"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Endpoints", "name": "baz-service", "uid": owner}],
        },
    })
}

fn collected(objects: &[Value], has_controller: bool) -> [Option<&'static str>; 3] {
    let snapshot = snapshot(objects);
    let view = View::Snapshot(&snapshot);
    let (stored, _) = Stored::of(view, &SharedVolume::of(&volume(Some("10.0.0.5:25710"), "")).unwrap());
    let made = collect(view, &stored, view.all::<EndpointSlice>(), has_controller);
    let of_slice = made.slices.first().map(|(_, leaf)| leaf.id());
    [made.service.map(CollectionBranch::id), made.endpoints.map(CollectionBranch::id), of_slice]
}

#[test]
fn other_components_collect_what_the_controller_leaves() {
    let owners = "/metadata/ownerReferences";
    let stale = with(service(), "/metadata/ownerReferences/0/uid", json!("other"));
    let selector = with(service(), "/spec/selector", json!({"app": "nfs"}));
    let foreign = [{ json!({"apiVersion": "longhorn.io/v1beta2", "kind": "ShareManager", "name": "m", "uid": "M"}) }];
    for (objects, has_controller, wanted) in [
        (vec![claim(), service(), endpoints(), slice("E")], true, [Some("SG1"), Some("SG4"), Some("SG8")]),
        (vec![claim(), selector, endpoints()], true, [Some("SG1"), Some("SG7"), None]),
        (vec![with(service(), owners, json!([])), endpoints()], true, [Some("SG2"), Some("SG4"), None]),
        // The claim is gone, or is another one of the same name.
        (vec![service(), endpoints(), slice("E")], true, [Some("SG3"), Some("SG5"), Some("SG9")]),
        (vec![claim(), stale.clone(), endpoints()], true, [Some("SG3"), Some("SG5"), None]),
        (vec![stale, endpoints(), slice("E")], false, [Some("SG3"), Some("SG6"), Some("SG8")]),
        (vec![claim(), endpoints(), slice("E")], true, [None, Some("SG5"), Some("SG9")]),
        (vec![claim(), service(), endpoints(), slice("old")], true, [Some("SG1"), Some("SG4"), Some("SG9")]),
        (vec![claim(), slice("E")], true, [None, None, Some("SG9")]),
        // Owners of other kinds are not looked up.
        (vec![with(service(), owners, json!(foreign))], true, [Some("SG1"), None, None]),
    ] {
        assert_eq!(collected(&objects, has_controller), wanted, "{objects:?}");
    }
}

#[test]
fn an_object_that_may_exist_is_a_doubt() {
    let shared = SharedVolume::of(&volume(Some("10.0.0.5:25710"), "")).unwrap();
    let whole = snapshot(&[]);
    let gaps = world(&[claim()], Coverage::default());
    let doubts = |snapshot| Stored::of(View::Snapshot(snapshot), &shared).1.into_keys().collect::<Vec<_>>();
    assert_eq!(doubts(&gaps), [Kind::Service, Kind::Endpoints]);
    assert!(!doubts(&whole).contains(&Kind::PersistentVolumeClaim));
    // The owner of the Service may exist.
    let gaps = world(&[service()], Coverage::default());
    let view = View::Snapshot(&gaps);
    let made = collect(view, &Stored::of(view, &shared).0, [], true);
    assert_eq!(made.service.map(CollectionBranch::id), Some("SG3"));
    assert_eq!(made.doubts.into_keys().collect::<Vec<_>>(), [Kind::PersistentVolumeClaim]);
}
