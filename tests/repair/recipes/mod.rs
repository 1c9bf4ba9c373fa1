//! The recipes that people find when a volume is stuck. These recipes lose data. pvctl refuses each recipe, or does it
//! in a safe form. The numbers are those of `docs/REPAIR.md`.
#![expect(clippy::panic, reason = "a plan that is missing is a failed test")]

mod claims;
mod finalizers;
mod volumes;

use crate::repair::plans::{World, attachment, bound, claim, moving, of, released, volume};
use crate::support::{files, text};
use pvctl::model::Kind;
use pvctl::repair::{Change, Plan, Proposed, Recipient, Request, Setting, Step, claim_key, volume_key};
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

/// Every recipe has a row in the documentation, and a test in this folder.
#[test]
fn every_recipe_is_explained_and_tested() {
    let explained = text("docs/REPAIR.md");
    let files = files("tests/repair/recipes", "rs");
    let tested: String = files.iter().map(|(_, source)| String::from_utf8_lossy(source)).collect();
    let names: Vec<&str> = tested.lines().filter_map(|line| line.strip_prefix("fn ")?.split('(').next()).collect();
    for number in 1..=24 {
        assert!(explained.contains(&format!("\n| {number} | ")), "docs/REPAIR.md must have a row for recipe {number}");
        let word = format!("r{number}");
        assert!(
            names.iter().any(|name| name.split('_').any(|part| part == word)),
            "recipe {number} must have a test with r{number} in its name"
        );
    }
}

/// Recipes 7, 9, 12, 14, 15, 17, 18, 22 and 24. No plan deletes a volume, a pod or a namespace. No plan writes a node,
/// a StorageClass, a status or a capacity, or forces anything. Of the annotations of a binding, a plan writes only
/// bound-by-controller.
#[test]
fn no_plan_writes_what_must_not_be_written() {
    let mut lost = vec![volume("pv-1", "Available", of("db", "data", "")), claim("db", "data", "pv-1", "Lost")];
    lost.push(volume("pv-2", "Available", Value::Null));
    let mut two = bound();
    two.push(volume("pv-2", "Available", Value::Null));
    let mut anew = released();
    anew.push(claim("db", "data", "", "Pending"));
    let attached = || [bound(), vec![attachment("pv-1")]].concat();
    let served = crate::repair::plans::reconnect::missing();
    let worlds = [bound(), released(), with_policy(released(), "Delete"), lost, two, anew, attached(), served];
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
            Request::Detach { attachment: "va".into(), machine_off: None },
            Request::Reconnect { volume: "pv-1".into(), address: None, server: None },
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
                        let detaches = matches!(plan.request, Request::Detach { .. });
                        let only = if detaches { Kind::VolumeAttachment } else { Kind::PersistentVolumeClaim };
                        assert_eq!(kind, only);
                        let body = request.unwrap_or_else(|| panic!()).body;
                        assert_eq!(body["preconditions"]["uid"], write.uid.as_str());
                        assert_eq!(body["preconditions"]["resourceVersion"], "10");
                        assert!(body.get("gracePeriodSeconds").is_none());
                    }
                    (Change::Create { manifest }, kind) => {
                        assert_eq!(kind, Kind::PersistentVolumeClaim);
                        assert!(manifest.get("status").is_none());
                    }
                    (Change::CreateService { .. }, kind) => {
                        assert_eq!(kind, Kind::Service);
                        let body = request.unwrap_or_else(|| panic!()).body;
                        let fields: Vec<&String> =
                            body["spec"].as_object().into_iter().flatten().map(|(field, _)| field).collect();
                        assert_eq!(fields, ["clusterIP", "ports", "selector", "type"]);
                        assert!(body.get("status").is_none());
                    }
                    (_, kind) => {
                        let body = request.unwrap_or_else(|| panic!()).body;
                        assert_eq!(body["metadata"]["uid"], write.uid.as_str());
                        assert_eq!(body["metadata"]["resourceVersion"], "10");
                        assert!(body.get("status").is_none());
                        let allowed: &[&str] = match kind {
                            Kind::PersistentVolume => &["persistentVolumeReclaimPolicy", "claimRef"],
                            Kind::PersistentVolumeClaim => &["volumeName", "storageClassName"],
                            other => panic!("no plan may write a {other}"),
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
    assert!(plans > 15, "the test is too weak: it checked only {plans} plans");
}
