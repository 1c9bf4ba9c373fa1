//! The sentences for many situations, compared word for word.

#![expect(clippy::needless_pass_by_value, reason = "literal JSON is passed by value")]

use crate::manifests::{
    bound_pv, bound_pvc, claim_ref, deleted, pod, pv, pvc, sc, simulate, target, with, world, world_without,
};
use pvctl::controllers::{Branch, ClaimBranch, KubernetesBehavior, VolumeBranch, persistent_volume, pvc_protection};
use pvctl::diagnosis::reason::why;
use pvctl::engines::simulation;
use pvctl::model::{Kind, TypedId};
use pvctl::simulate::Settings;
use pvctl::snapshot::Snapshot;
use serde_json::{Value, json};

fn said(snapshot: &Snapshot, object: &str) -> String {
    let simulation = simulate(snapshot);
    why(&simulation, &simulation.predict(target(snapshot, object)))
}

fn spec(fields: Value) -> Value {
    json!({ "spec": fields })
}

fn class(name: &str) -> Value {
    spec(json!({ "storageClassName": name }))
}

fn released(name: &str, policy: &str) -> Value {
    let volume = with(pv(name), claim_ref("data", "uid-old"));
    with(volume, json!({ "spec": { "persistentVolumeReclaimPolicy": policy }, "status": { "phase": "Released" } }))
}

fn csi(driver: &str) -> Value {
    spec(json!({ "nfs": null, "csi": { "driver": driver, "volumeHandle": "h" } }))
}

/// A case: its description, the objects, the object that is explained, and the expected sentence.
type Case = (&'static str, Vec<Value>, &'static str, &'static str);

/// Each sentence was compared with `docs/controllers/`, leaf by leaf.
fn claims() -> Vec<Case> {
    let names = |volume: &str| with(pvc("data"), spec(json!({ "volumeName": volume })));
    vec![
        ("C4", vec![pvc("data"), pv("a")], "pvc/data", "matches a"),
        ("C4, a tie", vec![pvc("data"), pv("a"), pv("b")], "pvc/data", "matches a or b (equal)"),
        (
            "C4, a tie of three",
            vec![pvc("data"), pv("a"), pv("b"), pv("c")],
            "pvc/data",
            "matches a or 2 others (equal)",
        ),
        (
            "C4, contended",
            vec![pvc("data"), pvc("logs"), pv("a")],
            "pvc/data",
            "matches a; the order of syncs decides (2 claims, 1 volume)",
        ),
        ("C4, reserved", vec![pvc("data"), with(pv("a"), claim_ref("data", ""))], "pvc/data", "a is reserved for it"),
        (
            "C16, while the volume is not yet Available",
            vec![pvc("data"), with(pv("a"), json!({ "status": { "phase": "Pending" } }))],
            "pvc/data",
            "gets a as soon as the volume is Available",
        ),
        (
            "C5",
            vec![
                with(pvc("data"), spec(json!({ "storageClassName": null }))),
                with(
                    sc("std", "x.example.com", false),
                    json!({ "metadata": { "annotations": { "storageclass.kubernetes.io/is-default-class": "true" } } }),
                ),
            ],
            "pvc/data",
            "gets default class \"std\"",
        ),
        (
            "C7",
            vec![with(pvc("data"), class("local")), sc("local", "kubernetes.io/no-provisioner", true)],
            "pvc/data",
            "waits for a pod that uses it (normal for class \"local\")",
        ),
        (
            "C7, with a pod that no scheduler placed",
            vec![
                with(pvc("data"), class("local")),
                sc("local", "kubernetes.io/no-provisioner", true),
                pod("web-0", "data", "node-1"),
            ],
            "pvc/data",
            "pod web-0 got its node without the scheduler, so nobody binds the claim",
        ),
        (
            "C8",
            vec![
                with(pvc("data"), class("local")),
                sc("local", "kubernetes.io/no-provisioner", true),
                pod("web-0", "data", ""),
            ],
            "pvc/data",
            "waits for the scheduler to place pod web-0",
        ),
        (
            "C10",
            vec![with(pvc("data"), class("fast"))],
            "pvc/data",
            "no volume fits, and class \"fast\" does not exist",
        ),
        (
            "C11",
            vec![with(pvc("data"), class("local")), sc("local", "kubernetes.io/no-provisioner", false)],
            "pvc/data",
            "no volume fits, and class \"local\" provisions none (kubernetes.io/no-provisioner)",
        ),
        (
            "C12",
            vec![with(pvc("data"), class("ebs")), sc("ebs", "ebs.csi.aws.com", false)],
            "pvc/data",
            "waits for ebs.csi.aws.com to provision a volume",
        ),
        (
            "C12, under its in-tree name",
            vec![with(pvc("data"), class("ebs")), sc("ebs", "kubernetes.io/aws-ebs", false)],
            "pvc/data",
            "waits for ebs.csi.aws.com to provision a volume",
        ),
        (
            "C12, after the scheduler",
            vec![
                with(
                    with(pvc("data"), class("ebs")),
                    json!({ "metadata": { "annotations": { "volume.kubernetes.io/selected-node": "node-1" } } }),
                ),
                sc("ebs", "ebs.csi.aws.com", true),
            ],
            "pvc/data",
            "waits for ebs.csi.aws.com to provision a volume for node node-1",
        ),
        (
            "C13, PI6",
            vec![with(pvc("data"), class("hp")), sc("hp", "kubernetes.io/host-path", false)],
            "pvc/data",
            "no volume fits, and kubernetes.io/host-path is switched off",
        ),
        ("C16", vec![pvc("data")], "pvc/data", "no volume fits, and the claim has no class"),
        ("C17", vec![names("a")], "pvc/data", "volume a does not exist"),
        ("C18a", vec![names("a"), with(pv("a"), deleted())], "pvc/data", "a is being deleted"),
        (
            "C18b",
            vec![names("a"), with(pv("a"), spec(json!({ "capacity": { "storage": "5Gi" } })))],
            "pvc/data",
            "a has capacity 5Gi < requested 10Gi",
        ),
        ("C18c", vec![names("a"), with(pv("a"), class("slow"))], "pvc/data", "a has class \"slow\", wanted none"),
        (
            "C18f",
            vec![names("a"), with(pv("a"), spec(json!({ "volumeMode": "Block" })))],
            "pvc/data",
            "a has volume mode Block != Filesystem",
        ),
        (
            "C18g",
            vec![with(names("a"), spec(json!({ "accessModes": ["ReadWriteOnce", "ReadWriteMany"] }))), pv("a")],
            "pvc/data",
            "a lacks RWX",
        ),
        ("C19", vec![names("a"), pv("a")], "pvc/data", "names a, which is free and fits"),
        (
            "C21",
            vec![names("a"), bound_pv("a", "logs"), bound_pvc("logs", "a")],
            "pvc/data",
            "a belongs to db/logs, which is bound to it",
        ),
        (
            "C21, of a claim of the same name",
            vec![names("a"), released("a", "Retain")],
            "pvc/data",
            "a belongs to an earlier claim of this name",
        ),
        (
            "C23",
            vec![with(bound_pvc("data", "a"), spec(json!({ "volumeName": null })))],
            "pvc/data",
            "was bound, but names no volume any more",
        ),
        ("C24", vec![bound_pvc("data", "a")], "pvc/data", "the volume a is gone"),
        (
            "C25",
            vec![bound_pvc("data", "a"), with(pv("a"), json!({ "status": { "phase": "Bound" } }))],
            "pvc/data",
            "the claimRef of a is missing, and the controller writes it again",
        ),
        ("C26", vec![bound_pvc("data", "a"), bound_pv("a", "data")], "pvc/data", "bound to a"),
        (
            "C26, to a volume that is being deleted",
            vec![bound_pvc("data", "a"), with(bound_pv("a", "data"), deleted())],
            "pvc/data",
            "bound to a, which is being deleted",
        ),
        (
            "C27, without a uid",
            vec![bound_pvc("data", "a"), with(pv("a"), claim_ref("data", ""))],
            "pvc/data",
            "the claimRef of a has lost the claim's uid",
        ),
        (
            "C27, of another claim",
            vec![bound_pvc("data", "a"), bound_pv("a", "logs"), bound_pvc("logs", "a")],
            "pvc/data",
            "a belongs to db/logs, which is bound to it",
        ),
        (
            "X3",
            vec![
                with(bound_pvc("data", "a"), deleted()),
                bound_pv("a", "data"),
                pod("web-0", "data", "node-1"),
                pod("web-1", "data", "node-1"),
            ],
            "pvc/data",
            "is being deleted; kept by pod web-0 (and 1 more pod), which uses it",
        ),
        (
            "X6",
            vec![with(bound_pvc("data", "a"), deleted()), bound_pv("a", "data")],
            "pvc/data",
            "is being deleted; nothing keeps it",
        ),
        (
            "X6, with a finalizer of somebody else",
            vec![with(
                with(pvc("data"), deleted()),
                json!({ "metadata": { "finalizers": ["kubernetes.io/pvc-protection", "x.example.com/keep"] } }),
            )],
            "pvc/data",
            "is being deleted; kept by finalizer x.example.com/keep",
        ),
    ]
}

fn volumes() -> Vec<Case> {
    vec![
        ("V2", vec![pv("a")], "pv/a", "free"),
        ("V2, with a claim that matches", vec![pv("a"), pvc("data")], "pv/a", "free, and db/data gets it"),
        (
            "V3, without a claim",
            vec![with(pv("a"), claim_ref("data", ""))],
            "pv/a",
            "reserved for db/data, which does not exist",
        ),
        (
            "V3, with a claim that fits",
            vec![with(pv("a"), claim_ref("data", "")), pvc("data")],
            "pv/a",
            "reserved for db/data, which gets it",
        ),
        (
            "V3, with a claim that does not fit",
            vec![
                with(pv("a"), claim_ref("data", "")),
                with(pvc("data"), spec(json!({ "resources": { "requests": { "storage": "20Gi" } } }))),
            ],
            "pv/a",
            "reserved for db/data, but capacity 10Gi < requested 20Gi",
        ),
        (
            "V3, with a claim that has another",
            vec![with(pv("a"), claim_ref("data", "")), bound_pvc("data", "b"), bound_pv("b", "data")],
            "pv/a",
            "reserved for db/data, which has b",
        ),
        ("V5, R2", vec![released("a", "Retain")], "pv/a", "its claim db/data is gone; policy Retain keeps the data"),
        (
            "V5, R1",
            vec![with(
                released("a", "Delete"),
                json!({ "metadata": { "annotations": {
                    "pv.kubernetes.io/provisioned-by": "kubernetes.io/aws-ebs",
                    "pv.kubernetes.io/migrated-to": "ebs.csi.aws.com",
                } } }),
            )],
            "pv/a",
            "its claim db/data is gone; policy Delete: ebs.csi.aws.com has to delete the volume",
        ),
        (
            "V5, DO3",
            vec![with(released("a", "Delete"), csi("x.example.com"))],
            "pv/a",
            "its claim db/data is gone; policy Delete: x.example.com has to delete the volume",
        ),
        (
            "V5, DO1",
            vec![released("a", "Delete")],
            "pv/a",
            "its claim db/data is gone; policy Delete, but nothing can delete its storage",
        ),
        (
            "V5, RO3",
            vec![with(released("a", "Recycle"), json!({})), pod("web-0", "data", "node-1")],
            "pv/a",
            "its claim db/data is gone; policy Recycle: waits for pods db/web-0 to end",
        ),
        (
            "V6",
            vec![released("a", "Retain"), pvc("data")],
            "pv/a",
            "its claim is gone (db/data is a new one); policy Retain keeps the data",
        ),
        (
            "V7",
            vec![
                with(with(pv("a"), claim_ref("data", "uid-data")), spec(json!({ "volumeMode": "Block" }))),
                pvc("data"),
            ],
            "pv/a",
            "volume mode Block, but db/data wants Filesystem",
        ),
        (
            "V9",
            vec![with(pv("a"), claim_ref("data", "uid-data")), pvc("data")],
            "pv/a",
            "the controller binds its claim db/data to it",
        ),
        ("V10", vec![bound_pv("a", "data"), bound_pvc("data", "a")], "pv/a", "bound to db/data"),
        (
            "V10, of a claim that is being deleted",
            vec![bound_pv("a", "data"), with(bound_pvc("data", "a"), deleted()), pod("web-0", "data", "node-1")],
            "pv/a",
            "bound to db/data, which is being deleted",
        ),
        (
            "V11",
            vec![
                with(
                    with(bound_pv("a", "data"), csi("x.example.com")),
                    json!({
                        "metadata": { "annotations": { "pv.kubernetes.io/provisioned-by": "x.example.com" } },
                        "spec": { "persistentVolumeReclaimPolicy": "Delete" },
                    }),
                ),
                bound_pvc("data", "b"),
                bound_pv("b", "data"),
            ],
            "pv/a",
            "surplus: db/data has b; policy Delete: x.example.com has to delete the volume",
        ),
        (
            "V12",
            vec![
                with(
                    bound_pv("a", "data"),
                    json!({ "metadata": { "annotations": { "pv.kubernetes.io/bound-by-controller": "yes" } } }),
                ),
                bound_pvc("data", "b"),
                bound_pv("b", "data"),
            ],
            "pv/a",
            "becomes free: db/data has b",
        ),
        (
            "V13",
            vec![bound_pv("a", "data"), bound_pvc("data", "b"), bound_pv("b", "data")],
            "pv/a",
            "stays reserved for db/data, which has b",
        ),
        (
            "X10",
            vec![with(bound_pv("a", "data"), deleted()), bound_pvc("data", "a")],
            "pv/a",
            "is being deleted; kept while it is Bound to db/data",
        ),
        ("X11", vec![with(pv("a"), deleted())], "pv/a", "is being deleted; nothing keeps it"),
    ]
}

#[test]
fn each_situation_has_its_sentence() {
    let wrong: Vec<String> = claims()
        .into_iter()
        .chain(volumes())
        .filter_map(|(situation, objects, object, expected)| {
            let said = said(&world(&objects), object);
            (said != expected).then(|| format!("{situation}:\n  expected {expected}\n  said     {said}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_read_is_named() {
    let late = vec![with(pvc("data"), class("local")), sc("local", "kubernetes.io/no-provisioner", true)];
    assert_eq!(
        said(&world_without(Kind::Pod, &late), "pvc/data"),
        "it is unknown what comes next (you have no permission to list pods in namespace db)"
    );
    let alone = [released("a", "Retain")];
    let hidden = world_without(Kind::PersistentVolumeClaim, &alone);
    assert_eq!(
        said(&hidden, "pv/a"),
        "it is unknown whether claim db/data exists (you have no permission to list persistentvolumeclaims in namespace db)"
    );
}

#[test]
fn protection_is_reported_without_the_persistent_volume_controller() {
    let snapshot = world(&[with(pvc("data"), json!({ "metadata": { "finalizers": [] } }))]);
    let settings =
        Settings { controllers: vec![pvc_protection::CONTROLLER], ..Settings::new(KubernetesBehavior::default()) };
    let simulation = simulation(&snapshot, settings, 1);
    let said = why(&simulation, &simulation.predict(target(&snapshot, "pvc/data")));
    assert_eq!(said, "gets finalizer kubernetes.io/pvc-protection; the PersistentVolume controller does not take part");
}

/// Every leaf has a sentence. This includes the leaves that are reached only with a stale cache or a refused request.
/// Control characters in names are never printed on a terminal.
#[test]
fn every_leaf_has_a_sentence_of_plain_characters() {
    let hostile = "a\u{1b}[2J\nb";
    let claim =
        with(bound_pvc(hostile, hostile), json!({ "spec": { "storageClassName": hostile, "accessModes": [hostile] } }));
    let volume = with(
        pv(hostile),
        json!({ "spec": { "claimRef": { "namespace": "db", "name": hostile, "uid": "u" }, "storageClassName": "x" } }),
    );
    for objects in [vec![claim.clone(), volume.clone()], vec![claim, pv("other")], vec![volume, pvc("other")]] {
        let snapshot = world(&objects);
        let simulation = simulate(&snapshot);
        for target in simulation.targets() {
            let prediction = simulation.predict(target);
            let leaves: Vec<Branch> = match target.typed() {
                TypedId::PersistentVolumeClaim(_) => ClaimBranch::ALL.iter().map(|leaf| Branch::from(*leaf)).collect(),
                TypedId::PersistentVolume(_) => VolumeBranch::ALL.iter().map(|leaf| Branch::from(*leaf)).collect(),
                _ => Vec::new(),
            };
            for leaf in leaves {
                let mut forced = prediction.clone();
                for decision in &mut forced.decisions.listed {
                    if decision.controller == persistent_volume::CONTROLLER {
                        decision.branch = leaf;
                    }
                }
                let said = why(&simulation, &forced);
                assert!(!said.trim().is_empty(), "{leaf:?} says nothing");
                assert!(!said.chars().any(char::is_control), "{leaf:?} says {said:?}");
                assert!(!said.ends_with('.'), "{leaf:?} ends with a stop: {said}");
            }
        }
    }
}
