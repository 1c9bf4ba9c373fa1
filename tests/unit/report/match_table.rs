//! Verdicts and reasons of candidates, compared word for word.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::manifests::{bound_pv, claim_ref, deleted, pv, pvc, sc, with, world};
use pvctl::controllers::persistent_volume::{match_claim, planned};
use pvctl::controllers::{CONTROLLERS, KubernetesBehavior};
use pvctl::model::PersistentVolumeClaim;
use pvctl::report::match_table::{MatchRow, MatchTable, Matched};
use pvctl::report::shared::machine::Model;
use pvctl::report::shared::table::TableStyle;
use pvctl::snapshot::{Snapshot, decode};
use serde_json::{Value, json};

fn model() -> Model {
    Model::new(&KubernetesBehavior::default(), &CONTROLLERS, "assumed")
}

fn table_of(snapshot: &Snapshot, claim: &PersistentVolumeClaim) -> Vec<(String, String, String)> {
    let (model, candidates) = (model(), match_claim(snapshot, &KubernetesBehavior::default(), claim));
    let table = MatchTable::new(Matched {
        snapshot,
        model: &model,
        claim,
        candidates: &candidates,
        planned: false,
        default_class: None,
        prospects: None,
        node: None,
    });
    let row = |row: &&MatchRow<'_>| (row.object.name.to_owned(), row.word.to_owned(), row.why.clone());
    table.ranked().iter().map(row).collect()
}

fn spec(object: Value, fields: &Value) -> Value {
    with(object, json!({ "spec": fields }))
}

#[track_caller]
fn check(claim: Value, volumes: Vec<Value>, expected: &[[&str; 3]]) {
    let mut objects = volumes;
    objects.push(claim);
    let snapshot = world(&objects);
    let found = table_of(&snapshot, &snapshot.claims()[0]);
    let found: Vec<[&str; 3]> =
        found.iter().map(|(name, word, why)| [name.as_str(), word.as_str(), why.as_str()]).collect();
    assert_eq!(found, expected);
}

#[test]
fn each_volume_has_its_reason_with_both_values() {
    let claim =
        spec(pvc("data"), &json!({ "storageClassName": "fast", "selector": { "matchLabels": { "disk": "ssd" } } }));
    let fast = |name: &str, labels: Value| {
        with(spec(pv(name), &json!({ "storageClassName": "fast" })), json!({ "metadata": { "labels": labels } }))
    };
    let ssd = |name: &str| fast(name, json!({ "disk": "ssd" }));
    check(
        claim,
        vec![
            ssd("a"),
            spec(ssd("b"), &json!({ "storageClassName": "slow" })),
            fast("c", json!({ "disk": "hdd" })),
            fast("d", json!({})),
            with(ssd("e"), json!({ "status": { "phase": "Released" } })),
            with(ssd("f"), deleted()),
            spec(ssd("g"), &json!({ "volumeMode": "Block" })),
            spec(ssd("h"), &json!({ "capacity": { "storage": "5Gi" } })),
            spec(ssd("i"), &json!({ "accessModes": ["ReadOnlyMany"] })),
            bound_pv("j", "logs"),
            spec(ssd("k"), &json!({ "capacity": { "storage": "20Gi" } })),
            spec(ssd("l"), &json!({ "accessModes": ["ReadWriteOnce", "ReadOnlyMany"] })),
            spec(ssd("m"), &json!({ "volumeAttributesClassName": "gold" })),
        ],
        &[
            ["a", "chosen", "fits best: fewest access modes, then smallest"],
            ["k", "fits", "fits, but 20Gi > 10Gi of a"],
            ["l", "fits", "fits, but not reached: a volume with fewer access modes comes first"],
            ["e", "no", "phase Released, not Available"],
            ["f", "no", "is being deleted"],
            ["h", "no", "capacity 5Gi < requested 10Gi"],
            ["i", "no", "lacks RWO"],
            ["g", "no", "volume mode Block != Filesystem"],
            ["m", "no", "attributes class \"gold\", wanted none"],
            ["c", "no", "selector disk=ssd, but the label is \"hdd\""],
            ["d", "no", "selector disk=ssd, but there is no such label"],
            ["b", "no", "class \"slow\" != \"fast\""],
            ["j", "no", "claimed by db/logs"],
        ],
    );
}

#[test]
fn equal_ones_are_tied_and_a_reservation_goes_first() {
    check(
        pvc("data"),
        vec![pv("a"), pv("b")],
        &[["a", "tied", "fits; one of 2 that may be taken"], ["b", "tied", "fits; one of 2 that may be taken"]],
    );
    let large = spec(with(pv("b"), claim_ref("data", "")), &json!({ "capacity": { "storage": "1Ti" } }));
    check(
        pvc("data"),
        vec![pv("a"), large],
        &[["b", "chosen", "reserved for this claim"], ["a", "fits", "fits, but b is reserved for this claim"]],
    );
}

#[test]
fn a_late_class_leaves_the_choice_to_the_scheduler() {
    let local = json!({ "storageClassName": "local" });
    check(
        spec(pvc("data"), &local),
        vec![spec(pv("a"), &local), pv("b"), sc("local", "kubernetes.io/no-provisioner", true)],
        &[
            ["a", "scheduler", "fits; the scheduler chooses when a pod uses the claim"],
            ["b", "no", "no class, wanted \"local\""],
        ],
    );
}

#[test]
fn a_claim_that_names_its_volume_looks_at_no_other() {
    check(
        spec(pvc("data"), &json!({ "volumeName": "b" })),
        vec![pv("a"), spec(pv("b"), &json!({ "capacity": { "storage": "5Gi" } }))],
        &[["b", "no", "capacity 5Gi < requested 10Gi"]],
    );
}

#[test]
fn a_planned_claim_gets_the_newest_default_class() {
    let default = |name: &str, created: &str| {
        with(
            sc(name, "x.example.com", false),
            json!({ "metadata": {
                "creationTimestamp": created,
                "annotations": { "storageclass.kubernetes.io/is-default-class": "true" },
            } }),
        )
    };
    let snapshot = world(&[
        default("new", "2026-02-01T00:00:00Z"),
        default("old", "2026-01-01T00:00:00Z"),
        spec(pv("a"), &json!({ "storageClassName": "new" })),
    ]);
    let manifest = spec(pvc("data"), &json!({ "storageClassName": null }));
    let claim = decode::decode(manifest.to_string().as_bytes(), "a test").unwrap().of().unwrap();
    let planned = planned(&snapshot, claim);
    assert_eq!(planned.default_class.as_deref(), Some("new"));
    let (model, candidates) = (model(), match_claim(&snapshot, &KubernetesBehavior::default(), &planned.claim));
    let table = MatchTable::new(Matched {
        snapshot: &snapshot,
        model: &model,
        claim: &planned.claim,
        candidates: &candidates,
        planned: true,
        default_class: planned.default_class.as_deref(),
        prospects: None,
        node: None,
    });
    assert_eq!(
        table.summary(&snapshot),
        [
            "The planned claim db/data asks for 10Gi, ReadWriteOnce, class \"new\": a is chosen.",
            "It states no class, so admission would give it the default class \"new\".",
        ]
    );
    assert_eq!(
        table.table(false, None, None).0.text(TableStyle { width: None, headers: true }),
        "VOLUME   CAPACITY   MODES   CLASS   PHASE       VERDICT   WHY\n\
         a        10Gi       RWO     new     Available   chosen    fits\n"
    );
    // In a narrow terminal the output says which columns are missing.
    let (narrow, said) = table.table(false, None, Some(40));
    assert_eq!(said.unwrap(), "no room for MODES, CLASS, PHASE; a wider terminal, or `| cat`, shows all columns");
    assert_eq!(narrow.headers(), ["VOLUME", "CAPACITY", "VERDICT", "WHY"]);
    assert_eq!(table.table(false, None, Some(200)).1, None);
}
