//! Tests of `explain`: the first lines, which must answer the questions that people ask, the advice, the bindings, the
//! divergence and the document.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::needless_pass_by_value, reason = "literal JSON is handed over")]

mod divergence;
mod driver;
mod recycling;

use crate::manifests::{
    bound_pv, bound_pvc, claim_ref, deleted, parts, pod, pv, pvc, sc, simulate, target, with, world, world_without,
};
use pvctl::controllers::{CONTROLLERS, KubernetesBehavior};
use pvctl::diagnosis::attaching::Attachments;
use pvctl::diagnosis::case::class_key;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{diagnose_with_neighbours, rules};
use pvctl::engines::simulation;
use pvctl::model::Kind;
use pvctl::report::explanation::{Explanation, ExplanationInput};
use pvctl::report::shared::machine::Model;
use pvctl::simulate::Settings;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Snapshot};
use pvctl::text::width;
use serde_json::{Value, json};
use std::sync::Arc;

fn model() -> Model {
    Model::new(&KubernetesBehavior::default(), &CONTROLLERS, "assumed")
}

/// Passes the explanation of an object to a test.
pub(super) fn explained<T>(snapshot: &Snapshot, object: &str, test: impl FnOnce(&Explanation<'_>) -> T) -> T {
    colored::control::set_override(false);
    let simulation =
        simulation(snapshot, Settings { tracing: true, ..Settings::new(KubernetesBehavior::default()) }, 1);
    let class = object.strip_prefix("sc/");
    let key = class.map_or_else(|| snapshot.key(target(snapshot, object)), class_key);
    let attachments = Arc::new(Attachments::of(&simulation));
    let (shared, model, from_files, providers) = (Arc::clone(&attachments), model(), false, Providers::built_in());
    let (found, simulation) =
        (diagnose_with_neighbours(&simulation, &key, rules::all(), shared, providers), &simulation);
    let asked = ExplanationInput { simulation, findings: &found, attachments, model, from_files, providers };
    if let Some(class) = class {
        return test(&Explanation::of_class(asked, snapshot.class(class).unwrap()));
    }
    test(&Explanation::of_object(asked, &simulation.predict(target(snapshot, object))))
}

fn headline(objects: &[Value], object: &str) -> String {
    explained(&world(objects), object, |explanation| {
        let details = explanation.diagnosis.details.iter();
        [&explanation.headline].into_iter().chain(details).map(String::as_str).collect::<Vec<_>>().join(" ")
    })
}

pub(super) fn spec(object: Value, fields: Value) -> Value {
    with(object, json!({ "spec": fields }))
}

fn csi(volume: Value, policy: &str) -> Value {
    spec(
        volume,
        json!({
            "nfs": null, "csi": { "driver": "x.example.com", "volumeHandle": "h" },
            "persistentVolumeReclaimPolicy": policy,
        }),
    )
}

/// Each first line must answer the questions that people ask. Who holds the object, and does the holder exist? Which
/// field differs? Who has to act? Are the data lost? What is deleted together with the object?
#[test]
fn the_first_line_answers_what_people_ask() {
    let local = |object| spec(object, json!({ "storageClassName": "local" }));
    let late = || sc("local", "kubernetes.io/no-provisioner", true);
    let cases: Vec<(Vec<Value>, &str, &str)> = vec![
        (
            vec![pvc("data"), pv("a")],
            "pvc/data",
            "Claim db/data is Pending and will be Bound to volume a, which is free and fits.",
        ),
        (
            vec![pvc("data"), spec(pv("a"), json!({ "capacity": { "storage": "5Gi" } }))],
            "pvc/data",
            "Claim db/data is Pending: the closest free volume a has 5Gi, but this claim requests 10Gi. No free volume \
             fits. A volume may be larger than the request, but never smaller.",
        ),
        // Volume a does not fit for three reasons. Volume b would fit, but it is reserved for another claim, so the
        // text names only b.
        (
            vec![
                pvc("data"),
                spec(
                    pv("a"),
                    json!({ "capacity": { "storage": "5Gi" }, "storageClassName": "slow", "volumeMode": "Block" }),
                ),
                with(spec(pv("b"), json!({ "capacity": { "storage": "50Gi" } })), claim_ref("other", "")),
            ],
            "pvc/data",
            "Claim db/data is Pending: the only volume without a class that would fit this claim is taken. Volume b \
             (db/other) is reserved for a claim that does not exist. No driver provisions volumes without a class.",
        ),
        // Volume a has neither the requested access mode nor the requested size. The text names no volume.
        (
            vec![
                spec(pvc("data"), json!({ "accessModes": ["ReadWriteMany"] })),
                spec(pv("a"), json!({ "capacity": { "storage": "5Gi" } })),
            ],
            "pvc/data",
            "Claim db/data is Pending: its storageClassName is \"\", no volume without a class fits, and nobody \
             provisions one.",
        ),
        // The text names the volume that is reserved for the claim, and not the volume without a claim.
        (
            vec![
                pvc("data"),
                spec(pv("a"), json!({ "storageClassName": "slow" })),
                with(spec(pv("b"), json!({ "capacity": { "storage": "5Gi" } })), claim_ref("data", "")),
            ],
            "pvc/data",
            "Claim db/data is Pending: the reserved volume b does not fit this claim: capacity 5Gi < requested 10Gi. \
             Waiting does not help, and the claim gets no other volume.",
        ),
        (
            vec![spec(pvc("data"), json!({ "storageClassName": "fasd" })), sc("fast", "x.example.com", false)],
            "pvc/data",
            "Claim db/data is Pending: its class \"fasd\" does not exist. Perhaps class \"fast\" is meant. No driver \
             is asked for a volume, and no volume of that class fits.",
        ),
        (
            vec![local(pvc("data")), late()],
            "pvc/data",
            "Claim db/data is Pending, as is normal until a pod uses it: class \"local\" binds claims only then. \
             Nothing is wrong: the scheduler selects a node for the pod, and then the claim is bound.",
        ),
        (
            vec![spec(pvc("data"), json!({ "storageClassName": "fast" })), sc("fast", "x.example.com", false)],
            "pvc/data",
            "Claim db/data is Pending: it waits for x.example.com to provision a volume. That driver has to create the \
             volume: Kubernetes itself only asks for it. If no volume appears, check whether the driver runs.",
        ),
        (
            vec![bound_pvc("data", "a")],
            "pvc/data",
            "Claim db/data is Bound, but its volume a does not exist. No controller checks whether the data are lost. \
             The storage may still exist.",
        ),
        (
            vec![
                with(bound_pvc("data", "a"), json!({ "status": { "phase": "Lost" } })),
                with(pv("a"), claim_ref("data", "")),
            ],
            "pvc/data",
            "Claim db/data is Lost: spec.claimRef of its volume a has no uid. So the controller treats it as the \
             volume of another claim. No data are lost. With the uid of the claim in spec.claimRef, both are Bound \
             again.",
        ),
        (
            vec![
                with(bound_pvc("data", "a"), json!({ "status": { "phase": "Lost" } })),
                csi(with(pv("a"), claim_ref("data", "uid-old")), "Delete"),
            ],
            "pvc/data",
            "Claim db/data is Lost: it was created again, and spec.claimRef of its volume a has the old uid. Danger: \
             Policy Delete destroys its data, unless the policy is set to Retain in time. The earlier claim of the \
             same name is gone, so the controller releases the volume. Danger: the earlier claim db/data of its volume \
             a is gone (a new claim has that name). With policy Delete, x.example.com deletes its data, unless the \
             policy is set to Retain in time. The next sync makes the volume Released.",
        ),
        (
            vec![
                with(bound_pvc("data", "a"), deleted()),
                csi(bound_pv("a", "data"), "Delete"),
                pod("web-0", "data", "node-1"),
            ],
            "pvc/data",
            "Claim db/data is being deleted: it waits for pod web-0 (Running), which still uses it. Danger: After \
             that, the claim is deleted, and x.example.com deletes volume a with its data (policy Delete). The \
             deletion cannot be undone. Pods are deleted as well, because their node does not exist.",
        ),
        // The deletion has begun, so the sentence does not say "if".
        (
            vec![
                with(bound_pvc("data", "a"), deleted()),
                csi(bound_pv("a", "data"), "Delete"),
                pod("web-0", "data", "node-1"),
            ],
            "pv/a",
            "Volume a is Bound, but its claim db/data is being deleted and waits for pod web-0 (Running), which still \
             uses it. Danger: After that, the claim is deleted, and x.example.com deletes volume a with its data \
             (policy Delete). The deletion cannot be undone. Pods are deleted as well, because their node does not \
             exist.",
        ),
        (
            vec![with(bound_pvc("data", "a"), deleted()), bound_pv("a", "data")],
            "pv/a",
            "Volume a is Bound and will be Released: claim db/data is being deleted. When the claim is gone, volume a \
             is Released and its data stay (policy Retain).",
        ),
        (
            vec![spec(pvc("data"), json!({ "volumeName": "a" })), bound_pv("a", "logs"), bound_pvc("logs", "a")],
            "pvc/data",
            "Claim db/data is Pending: it names volume a, which belongs to the existing claim db/logs.",
        ),
        (
            vec![bound_pv("a", "data"), bound_pvc("data", "a")],
            "pv/a",
            "Volume a is Bound to claim db/data. If the claim is deleted, volume a is Released and its data stay \
             (policy Retain).",
        ),
        (
            vec![with(with(pv("a"), claim_ref("data", "uid-old")), json!({ "status": { "phase": "Released" } }))],
            "pv/a",
            "Volume a is Released: its claim db/data is gone, and so is namespace db. Policy Retain keeps the data. To \
             use the data, reserve the volume for a claim; to give them up, delete the volume and then the storage.",
        ),
        (
            vec![csi(with(bound_pv("a", "data"), deleted()), "Delete"), bound_pvc("data", "a")],
            "pv/a",
            "Volume a is being deleted: it stays only until its claim db/data is deleted. When that claim is deleted, \
             the storage of the volume is left behind in spite of policy Delete. The deletion cannot be undone. Until \
             then the volume cannot be attached to another node.",
        ),
        // A CSI driver serves the in-tree type of the volume. The driver is not installed, so the text names the
        // driver.
        (
            vec![
                spec(
                    with(
                        bound_pv("a", "data"),
                        json!({ "metadata": {
                            "annotations": { "pv.kubernetes.io/provisioned-by": "kubernetes.io/aws-ebs" },
                        } }),
                    ),
                    json!({
                        "nfs": null, "awsElasticBlockStore": { "volumeID": "v" },
                        "persistentVolumeReclaimPolicy": "Delete",
                    }),
                ),
                bound_pvc("data", "a"),
            ],
            "pv/a",
            "Volume a is Bound, but CSI driver ebs.csi.aws.com, which serves type awsElasticBlockStore in Kubernetes \
             1.36, is not installed. No pod can mount it, and nobody deletes or expands it.",
        ),
        // A failed recycling is tried again in every sync.
        (
            vec![spec(
                with(with(pv("a"), claim_ref("data", "uid-old")), json!({ "status": { "phase": "Failed" } })),
                json!({ "persistentVolumeReclaimPolicy": "Recycle" }),
            )],
            "pv/a",
            "Volume a is Failed: the recycler failed to scrub the data of this volume (policy Recycle). Danger: Every \
             sync tries again, and the data are deleted when a sync succeeds. No message says why.",
        ),
        (
            vec![
                bound_pv("a", "data"),
                bound_pvc("data", "a"),
                with(
                    bound_pv("b", "data"),
                    json!({ "metadata": { "annotations": { "pv.kubernetes.io/bound-by-controller": "yes" } } }),
                ),
                pvc("logs"),
            ],
            "pv/b",
            "Volume b is Bound, but it also has the uid of claim db/data and becomes free, with its data. \
             Claim db/data uses volume a.",
        ),
        // The volume is reserved for the other claim, without a uid. The other claim exists.
        (
            vec![
                with(bound_pvc("data", "a"), json!({ "status": { "phase": "Lost" } })),
                with(pv("a"), claim_ref("logs", "")),
                spec(pvc("logs"), json!({ "accessModes": ["ReadWriteMany"] })),
            ],
            "pvc/data",
            "Claim db/data is Lost: it names volume a, which is reserved for claim db/logs (it exists). Claim data is \
             probably a copy of another one. No data are lost.",
        ),
        (
            vec![with(
                spec(
                    pv("a"),
                    json!({
                        "nfs": null, "hostPath": { "path": "/tmp/a" }, "persistentVolumeReclaimPolicy": "Delete",
                    }),
                ),
                with(deleted(), json!({ "metadata": { "finalizers": ["x.example.com/keep"] } })),
            )],
            "pv/a",
            "Volume a is being deleted: it is kept by finalizer x.example.com/keep. No claim has the volume, so \
             nothing deletes its storage.",
        ),
        (
            vec![
                with(
                    spec(
                        bound_pv("a", "data"),
                        json!({
                            "nfs": null, "hostPath": { "path": "/tmp/a" }, "persistentVolumeReclaimPolicy": "Delete",
                        }),
                    ),
                    deleted(),
                ),
                bound_pvc("data", "a"),
            ],
            "pv/a",
            "Volume a is being deleted: it stays only until its claim db/data is deleted. Danger: When that claim is \
             deleted, the data of the volume may be deleted (policy Delete). The deletion cannot be undone.",
        ),
        (
            vec![late()],
            "sc/local",
            "Class local: it provisions no volumes, so people create them by hand. Claims stay Pending until a pod \
             uses them, which is normal.",
        ),
        (
            vec![sc("hp", "kubernetes.io/host-path", false)],
            "sc/hp",
            "Class hp: it provisions no volumes: kubernetes.io/host-path is off by default (flag \
             --enable-hostpath-provisioner). Claims are bound as soon as there is a volume for them.",
        ),
        (
            vec![with(
                sc("std", "kubernetes.io/aws-ebs", false),
                json!({ "metadata": { "annotations": { "storageclass.kubernetes.io/is-default-class": "true" } } }),
            )],
            "sc/std",
            "Class std: driver ebs.csi.aws.com provisions its volumes (for kubernetes.io/aws-ebs). Claims are bound as \
             soon as there is a volume for them. When a claim is deleted, its volume and the data are deleted, too \
             (policy Delete). It is the default class: claims that state no class get it. Note: driver ebs.csi.aws.com \
             of this class is not installed.",
        ),
    ];
    let wrong: Vec<String> = cases
        .into_iter()
        .filter_map(|(objects, object, expected)| {
            let said = headline(&objects, object);
            (said != expected).then(|| format!("{object}:\n  expected {expected}\n  said     {said}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_binding_is_held_against_the_other_side() {
    let objects = [bound_pvc("data", "a"), with(pv("a"), claim_ref("data", "uid-old"))];
    explained(&world(&objects), "pvc/data", |explanation| {
        let binding = explanation.binding.as_ref().unwrap();
        let verdict = |field: &str| {
            let mut fields = binding.claim.iter().chain(&binding.volume);
            let found = fields.find(|entry| entry.field == field).unwrap();
            (found.verdict, found.value.as_str(), found.wanted.as_deref())
        };
        assert_eq!(verdict("spec.volumeName"), ("ok", "a", None));
        assert_eq!(verdict("spec.claimRef"), ("ok", "db/data", None));
        assert_eq!(verdict("spec.claimRef.uid"), ("mismatch", "uid-old", Some("uid-data")));
    });
    explained(&world(&[pvc("data")]), "pvc/data", |explanation| assert!(explanation.binding.is_none()));
}

#[test]
fn the_field_that_decided_has_both_values() {
    let small = spec(pv("a"), json!({ "capacity": { "storage": "5Gi" } }));
    let snapshot = world(&[spec(pvc("data"), json!({ "volumeName": "a" })), small]);
    explained(&snapshot, "pvc/data", |explanation| {
        let last: Vec<(&str, &str, &str)> = explanation
            .evidence
            .iter()
            .rev()
            .take(2)
            .map(|entry| (entry.object.as_str(), entry.field, entry.value.as_str()))
            .collect();
        assert_eq!(
            last,
            [("pvc/data", "spec.resources.requests.storage", "10Gi"), ("pv/a", "spec.capacity.storage", "5Gi")]
        );
        assert_eq!(
            explanation.events_to_come[0].message,
            "Cannot bind to requested volume \"a\": requested PV is too small"
        );
        assert_eq!(explanation.next[0].who, "you");
    });
}

#[test]
fn no_line_is_wider_than_the_terminal_and_nothing_controls_it() {
    let hostile = "数据\u{1b}[2J";
    let objects = [
        with(pvc("data"), json!({ "spec": { "storageClassName": hostile } })),
        with(pv("a"), json!({ "spec": { "storageClassName": "slow" } })),
        bound_pv("b", "logs"),
        pod("web-0", "data", ""),
    ];
    let snapshot = world(&objects);
    for object in ["pvc/data", "pv/a", "pv/b"] {
        explained(&snapshot, object, |explanation| {
            for columns in [80, 100, 132] {
                let text = explanation.text(Some(columns), true);
                for line in text.lines() {
                    assert!(width(line) <= columns, "{columns}: {line}");
                    assert!(!line.chars().any(char::is_control), "{line:?}");
                }
                assert!(text.contains("Decision") && text.contains("Next") && text.contains("Events to come"));
            }
        });
    }
}

#[test]
fn the_document_has_the_promised_fields() {
    let snapshot = world(&[pvc("data"), pv("a"), pod("web-0", "data", "")]);
    let document = explained(&snapshot, "pvc/data", |explanation| serde_json::to_value(explanation).unwrap());
    assert_eq!(document["apiVersion"], "pvctl.dev/v1");
    assert_eq!(document["kind"], "Explanation");
    assert_eq!(document["object"]["name"], "data");
    assert_eq!(document["prediction"]["outcomes"][0]["volumeName"], "a");
    assert_eq!(document["candidates"][0]["verdict"], "CandidateChosen");
    assert_eq!(
        document["usedBy"][0],
        json!({
            "object": { "kind": "Pod", "namespace": "db", "name": "web-0", "uid": "uid-web-0" },
            "terminated": false, "keepsClaim": false,
        })
    );
    assert!(
        document.get("divergence").is_some(),
        "the document must have `divergence`, because the phase is Pending and Bound is predicted"
    );
    let class = world(&[sc("fast", "x.example.com", false)]);
    let document = explained(&class, "sc/fast", |explanation| serde_json::to_value(explanation).unwrap());
    assert_eq!(document["class"]["provisionerKind"], "external");
    assert_eq!(simulate(&class).targets().count(), 0);
}

/// If a volume is reserved for a name without a uid, the claim of that name decides who has to act.
#[test]
fn a_reservation_asks_for_what_is_missing() {
    let next = |objects: &[Value]| {
        explained(&world(objects), "pv/a", |explanation| {
            explanation.next.iter().map(|next| format!("{}: {}", next.who, next.what)).collect::<Vec<_>>()
        })
    };
    let reserved = || with(pv("a"), claim_ref("data", ""));
    let nowhere = || with(reserved(), json!({ "spec": { "claimRef": { "namespace": null } } }));
    assert_eq!(
        next(&[nowhere()]),
        ["you: set spec.claimRef.namespace, or remove spec.claimRef if any claim may get the data"]
    );
    assert_eq!(
        next(&[nowhere(), spec(pvc("data"), json!({ "volumeName": "a" }))]),
        ["you: set spec.claimRef.namespace to db; without it, the claimRef names no claim"]
    );
    assert_eq!(next(&[reserved()]), ["you: create the claim for which the volume is reserved"]);
    assert!(
        next(&[reserved(), pvc("data")]).is_empty(),
        "nobody has to act, because the claim gets the volume by itself"
    );
    assert_eq!(
        next(&[reserved(), bound_pvc("data", "a")]),
        ["you: put the claim's uid into spec.claimRef.uid: a claim with the annotation bind-completed becomes \
             Lost if the claimRef has no uid"]
    );
    assert_eq!(
        next(&[reserved(), bound_pvc("data", "b"), bound_pv("b", "data")]),
        [
            "you: reserve the volume for another claim, or delete it if nobody needs its data: its claim names another volume"
        ]
    );
}

/// The advice for a claim must not lead to another state that needs a repair. It must not take a volume away from a
/// claim that uses it.
#[test]
fn advice_for_claims_leads_out() {
    let what =
        |objects: &[Value]| explained(&world(objects), "pvc/data", |explanation| explanation.next[0].what.clone());
    // If a claim was bound before, the controller does not accept a claimRef without a uid.
    assert_eq!(
        what(&[bound_pvc("data", "a")]),
        "create the PersistentVolume again, without a claimRef or with one that has this claim's uid"
    );
    assert_eq!(
        what(&[spec(pvc("data"), json!({ "volumeName": "a" })), bound_pv("a", "logs"), bound_pvc("logs", "a")]),
        "recreate the claim with another volume, or free volume a if claim db/logs no longer needs it"
    );
    let cleared = || spec(bound_pvc("data", "a"), json!({ "volumeName": null }));
    assert_eq!(what(&[cleared(), bound_pv("a", "data")]), "set spec.volumeName of the claim back to a");
    assert_eq!(
        what(&[cleared(), with(pv("a"), claim_ref("data", "uid-old"))]),
        "set spec.volumeName of the claim back to its volume, which must have no claimRef or one with this claim's uid"
    );
    for uid in ["", "uid-old"] {
        assert_eq!(
            what(&[bound_pvc("data", "a"), with(pv("a"), claim_ref("data", uid))]),
            "set spec.claimRef.uid of a to uid-data, the uid of this claim"
        );
    }
    assert_eq!(
        what(&[bound_pvc("data", "a"), bound_pv("a", "logs"), bound_pvc("logs", "a")]),
        "recreate the claim with another volume, or set spec.claimRef of a to db/data with uid uid-data if claim db/logs \
         no longer needs it"
    );
    let named = || spec(pvc("data"), json!({ "volumeName": "a" }));
    assert_eq!(
        what(&[named(), with(pv("a"), claim_ref("data", "uid-old"))]),
        "remove spec.claimRef.uid of a (the uid of an earlier claim of this name), or recreate the claim with another \
         volume"
    );
    let nowhere =
        |name| with(with(pv("a"), claim_ref(name, "")), json!({ "spec": { "claimRef": { "namespace": null } } }));
    assert_eq!(
        what(&[named(), nowhere("data")]),
        "set spec.claimRef.namespace of a to db, or recreate the claim with another volume"
    );
    assert_eq!(
        what(&[named(), nowhere("logs")]),
        "remove spec.claimRef of a (it names no claim that can exist), or recreate the claim with another volume"
    );
    // Both ways to change the claimRef must lead to a binding.
    for claim_ref in [claim_ref("data", ""), claim_ref("data", "uid-data")] {
        let said = headline(&[named(), with(pv("a"), claim_ref)], "pvc/data");
        assert!(said.contains("will be Bound to volume a"), "{said}");
    }
    // A class can be set on a claim that states no class. The empty class cannot be changed.
    assert_eq!(
        what(&[spec(pvc("data"), json!({ "storageClassName": null }))]),
        "create a PersistentVolume that fits, set the claim's storageClassName, or make a class the default class"
    );
    assert_eq!(what(&[pvc("data")]), "create a PersistentVolume that fits, or recreate the claim with a class");
}

/// A uid that only an API server can assign must be a placeholder wherever it is shown.
#[test]
fn values_that_a_server_would_assign_are_placeholders() {
    let planned = with(bound_pvc("data", "a"), json!({ "metadata": { "uid": null } }));
    let snapshot = world(&[planned, with(pv("a"), claim_ref("data", "uid-old"))]);
    explained(&snapshot, "pvc/data", |explanation| {
        let uids: Vec<&str> = explanation
            .evidence
            .iter()
            .filter(|entry| entry.field == "metadata.uid")
            .map(|entry| entry.value.as_str())
            .collect();
        assert_eq!(uids, ["<uid>"]);
    });
    let planned = with(pvc("data"), json!({ "metadata": { "uid": null }, "spec": { "storageClassName": "fast" } }));
    let snapshot = world(&[planned, sc("fast", "x.example.com", false)]);
    explained(&snapshot, "pvc/data", |explanation| {
        let document = serde_json::to_value(explanation).unwrap();
        let operation = &document["prediction"]["decisions"][0]["operations"][0];
        assert_eq!(operation["name"], "provision-db/data[<uid>]");
    });
}

/// If `usedBy` is absent, `unknown` must say which reading is missing, with the names that documents print.
#[test]
fn pods_that_could_not_be_read_are_no_absent_users() {
    let used_by = |snapshot: &Snapshot, object: &str| {
        explained(snapshot, object, |explanation| {
            let document = serde_json::to_value(explanation).unwrap();
            let text = explanation.text(None, false);
            let (_, section) = text.split_once("\nUsed by\n").unwrap();
            (document["usedBy"].clone(), document["unknown"].clone(), section.lines().next().unwrap().to_owned())
        })
    };
    let needs = json!({ "verb": "list", "resource": "pods", "namespace": "db" });
    let unknown = json!([{ "field": "usedBy", "needs": needs, "reason": "forbidden" }]);
    let objects = [bound_pvc("data", "a"), bound_pv("a", "data"), pv("free")];
    let hidden = world_without(Kind::Pod, &objects);
    for object in ["pvc/data", "pv/a"] {
        let line = "  unknown: you have no permission to list pods in namespace db".to_owned();
        assert_eq!(used_by(&hidden, object), (Value::Null, unknown.clone(), line), "{object}");
    }
    // A volume without a claim has no pods, no matter whether the pods were read.
    let nobody = (json!([]), Value::Null, "  no pod uses it".to_owned());
    assert_eq!(used_by(&hidden, "pv/free"), nobody);
    assert_eq!(used_by(&world(&objects), "pvc/data"), nobody);
    let of = |state| {
        let mut parts = parts(&objects);
        parts.coverage = Coverage::default();
        let (kind, namespace) = (Kind::Pod, Some("db".into()));
        parts.coverage.set(CoverageEntry::new(kind, namespace, state));
        used_by(&Snapshot::new(parts), "pv/a")
    };
    assert_eq!(
        of(CoverageState::Assumed),
        (
            json!([]),
            Value::Null,
            "  no pod uses it, as far as the input shows: it holds no pods of namespace db".to_owned()
        )
    );
    assert_eq!(of(CoverageState::Failed).2, "  unknown: reading the pods of namespace db failed");
    assert_eq!(of(CoverageState::Partial).2, "  unknown: not all pods of namespace db were read");
    assert_eq!(of(CoverageState::NotNeeded).2, "  unknown: the pods of namespace db were not read");
}
