//! Tests of `pvctl_core::simulate::explore`.
#![expect(clippy::panic, reason = "a test fails by panicking")]

use pvctl_core::controllers::KubernetesBehavior;
use pvctl_core::controllers::persistent_volume::CONTROLLER;
use pvctl_core::simulate::component::components;
use pvctl_core::simulate::explore::schedule;
use pvctl_core::simulate::{Outcome, Settings};
use pvctl_core::snapshot::{Coverage, Item, Parts, Snapshot, decode};
use serde_json::{Value, json};

fn world(items: &[Value]) -> Snapshot {
    let mut parts = Parts { coverage: Coverage::complete(), ..Parts::default() };
    for item in items {
        match decode::decode(item.to_string().as_bytes(), "test.json") {
            Ok(Item::Object(object)) => parts.objects.push(object),
            other => panic!("{other:?}"),
        }
    }
    Snapshot::new(parts)
}

fn volume(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "uid": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}, "status": {"phase": "Available"}})
}

fn claim(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "db", "uid": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": ""},
        "status": {"phase": "Pending"}})
}

/// The order of syncs decides which claim stays without a volume. A search decides between equal volumes.
#[test]
fn a_schedule_names_the_syncs_and_what_a_search_takes() {
    let snapshot = world(&[volume("pv-1"), volume("pv-2"), claim("c1"), claim("c2"), claim("c3")]);
    let controllers = vec![CONTROLLER];
    let settings = Settings { controllers, ..Settings::new(KubernetesBehavior::default()) };
    let all = components(&snapshot, &settings);
    let [component] = all.as_slice() else { panic!("{all:?}") };
    let bound = |outcome: &Outcome, name: &str| outcome.phase() == "Bound" && outcome.binding() == name;
    let told = |wanted: &dyn Fn(&[Outcome]) -> bool, settings: &Settings<'_>| {
        let steps = schedule(&snapshot, settings, &component.objects, wanted)?;
        let steps = steps.into_iter().map(|step| {
            assert_eq!(step.controller, CONTROLLER);
            format!("{} {}", step.object.name, step.picked.unwrap_or_default())
        });
        Some(steps.collect::<Vec<_>>())
    };
    // Outcomes of volumes come first. When only one volume is left, there is nothing to pick.
    let end = |ends: &[Outcome]| bound(&ends[4], "pv-2") && bound(&ends[2], "pv-1");
    let steps = told(&end, &settings).unwrap_or_default();
    assert!(steps == ["c3 pv-2", "c1 "] || steps == ["c1 pv-1", "c3 "], "{steps:?}");
    let all_bound = |ends: &[Outcome]| ends[2..].iter().all(|end| end.phase() == "Bound");
    assert_eq!(told(&all_bound, &settings), None, "there are only two volumes");
    let recorded = world(&[volume("pv-1")]);
    let alone = components(&recorded, &settings)[0].objects.clone();
    assert_eq!(schedule(&recorded, &settings, &alone, |_| true), Some(Vec::new()));
    let failing = Settings { failures: true, ..settings };
    assert_eq!(told(&end, &failing), None, "a list of syncs cannot state what fails");
}
