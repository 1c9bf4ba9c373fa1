//! From findings to repairs. In the fixture of each repairable rule, the stated repairs are proposed, and the review of
//! each plan has the stated result.
#![expect(clippy::unwrap_used, reason = "fixtures are files, and tests fail by panicking")]

use crate::audit::rules::{FOLDER, header, read};
use crate::support::text;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{AuditSettings, diagnose, rules};
use pvctl::engines::simulation;
use pvctl::model::ObjectKey;
use pvctl::repair::{Manifests, Proposed, Receipts, Situation, propose, reads, repairs, review};
use pvctl::simulate::Settings;
use pvctl::snapshot::Snapshot;
use serde_json::Value;

/// Returns the proposed repairs of the findings of a rule in its own fixture, each with the result of its review.
fn outcome(id: &str) -> Vec<String> {
    let path = format!("{FOLDER}/{id}/fires.yaml");
    let source = text(&path);
    let header = header(&source);
    let snapshot = Snapshot::new(read(&path, &header));
    let objects: Vec<Value> =
        source.split("\n---").filter_map(|document| serde_yaml::from_str(document).ok()).collect();
    let simulation = simulation(&snapshot, Settings::new(header.rules()), 1);
    let scrutiny =
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() };
    let findings = diagnose(&simulation, scrutiny, 1);
    let mut outcomes = Vec::new();
    for finding in findings.listed.iter().filter(|finding| finding.rule.id == id) {
        let none = Manifests::default();
        let situation = Situation {
            snapshot: &snapshot,
            settings: simulation.settings().clone(),
            manifests: &none,
            providers: Providers::built_in(),
        };
        for request in repairs(&situation, finding) {
            let manifests = manifests(&objects, &reads(&snapshot, &request, Providers::built_in()));
            let situation = Situation { manifests: &manifests, ..situation.clone() };
            let came = match propose(&situation, &request) {
                Proposed::Nothing(_) => "nothing to do".to_owned(),
                Proposed::Refused(refusal) => format!("refused by {}", refusal.by),
                Proposed::Plan(plan) => match review(&situation, (*plan).clone(), &Receipts::granted(&plan)) {
                    Ok(reviewed) if reviewed.plan().is_safe() => "safe".to_owned(),
                    Ok(_) => "to be confirmed".to_owned(),
                    Err(rejected) => format!("refused by {}: {}", rejected.refusal.by, rejected.refusal.message),
                },
            };
            outcomes.push(format!("{}: {came}", request.verb()));
        }
    }
    outcomes
}

fn manifests(objects: &[Value], keys: &[ObjectKey]) -> Manifests {
    let mut manifests = Manifests::default();
    for key in keys {
        let is = |object: &&Value| {
            object["kind"] == key.kind.as_str()
                && object["metadata"]["name"] == key.name.as_str()
                && object["metadata"]["namespace"].as_str().unwrap_or_default() == key.namespace
        };
        manifests.add(key.clone(), objects.iter().find(is).unwrap().clone());
    }
    manifests
}

/// The proposed repairs in the fixture of each rule, with the result of the review. If the volumes already have policy
/// Retain, `retain` is not proposed. A person has to confirm a plan in these cases:
///
/// - The plan writes a volume name into a claim. This cannot be undone, and another volume could get that name.
/// - The plan reserves a volume for a claim name, and nobody knows whether the namespace is as old as the data.
/// - The plan creates a claim again.
/// - The plan removes the selected node of a claim.
/// - A driver may delete the object of the volume.
const EXPECTED: [(&str, &[&str]); 33] = [
    ("bind-claimref-no-namespace", &["unbind: to be confirmed"]),
    ("bind-named-pv-stale-uid", &["restore: to be confirmed", "restore: to be confirmed"]),
    ("bind-two-pvs-one-claim", &["retain: safe"]),
    ("claim-owned-cascade", &["retain: safe"]),
    ("data-about-to-go", &["retain: safe"]),
    ("lost-claimref-other-uid", &["restore: safe"]),
    ("lost-claimref-uid-cleared", &["restore: safe"]),
    ("lost-volumename-empty", &["restore: safe"]),
    ("ns-terminating-pvc", &["retain: safe"]),
    ("pv-delete-static-surprise", &["retain: safe"]),
    ("pv-duplicate-backing", &["retain: safe"]),
    ("pv-failed-delete", &["release: to be confirmed"]),
    ("pv-failed-no-deleter-static", &["release: to be confirmed"]),
    ("pv-failed-recycle", &["retain: safe"]),
    ("pv-recycle-policy", &["retain: safe"]),
    ("pv-released-but-claim-alive", &["restore: nothing to do", "retain: safe"]),
    ("pv-released-claim-recreated", &["restore: to be confirmed"]),
    ("pv-released-delete-no-deleter", &["retain: safe"]),
    ("pv-released-retain", &["release: to be confirmed"]),
    ("pv-terminating-bound", &["retain: safe"]),
    ("pv-terminating-leak", &["retain: safe"]),
    ("pv-terminating-provisioner-finalizer", &["retain: to be confirmed"]),
    ("pv-unknown-policy", &["retain: safe"]),
    ("pvc-class-not-found", &["recreate: to be confirmed"]),
    ("pvc-selected-node-gone", &["reschedule: to be confirmed"]),
    ("pvc-terminating-completed-pod", &[]),
    ("pvc-terminating-in-use", &["retain: safe"]),
    ("pvc-terminating-snapshot-source", &["retain: safe"]),
    ("pvc-terminating-unknown-finalizer", &[]),
    // A server with a name or without a recorded address, and a server that nothing shows, need an argument.
    ("shared-pv-address-dangling", &["reconnect: refused by server"]),
    ("shared-pv-address-mismatch", &["reconnect: safe"]),
    ("shared-service-missing", &["reconnect: refused by address"]),
    ("sts-retention-delete", &["retain: safe", "retain: safe"]),
];

#[test]
fn each_repairable_rule_has_a_repair_in_its_fixture() {
    let mut faults = Vec::new();
    for id in rules::repairable().map(|rule| rule.id) {
        let outcomes = outcome(id);
        let expected = EXPECTED.iter().find(|(known, _)| *known == id).map(|(_, expected)| *expected);
        if expected.is_none_or(|expected| outcomes != expected) {
            faults.push(format!("(\"{id}\", &{outcomes:?}),"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
