//! Pods with generic ephemeral volumes and the claims that are created for them, tested through the command line.

#![expect(clippy::unwrap_used, clippy::panic, reason = "an answer that cannot be read fails the test")]

use crate::support::Run;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Returns a free volume.
fn volume(name: &str) -> String {
    format!(
        r#"---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: {name}, uid: u-{name}, resourceVersion: "1", finalizers: [kubernetes.io/pv-protection]}}
spec:
  capacity: {{storage: 5Gi}}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  volumeMode: Filesystem
  storageClassName: ""
  nfs: {{server: a, path: /x}}
status: {{phase: Available}}
"#
    )
}

/// Returns a pod with one ephemeral volume, `scratch`.
fn pod(name: &str) -> String {
    format!(
        r#"---
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: db, uid: u-{name}, resourceVersion: "2"}}
spec:
  volumes:
  - name: scratch
    ephemeral:
      volumeClaimTemplate:
        metadata: {{labels: {{app: x}}, annotations: {{example.com/token: s3cret}}}}
        spec: {{accessModes: [ReadWriteOnce], storageClassName: "", volumeMode: Filesystem, resources: {{requests: {{storage: 5Gi}}}}}}
status: {{phase: Pending}}
"#
    )
}

fn predicted(objects: &str, arguments: &[&str]) -> Value {
    let all = [&["predict", "-o", "json", "-f", "-", "--assume-complete"], arguments].concat();
    let run = Run::new(&all).stdin(objects.as_bytes()).finish();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn item<'a>(document: &'a Value, name: &str) -> &'a Value {
    let mut items = document["items"].as_array().unwrap().iter();
    items.find(|item| item["object"]["name"] == name).unwrap_or_else(|| panic!("no item {name}"))
}

/// The pod has decisions, but no outcomes. The claim does not exist yet. Both the claim and the volume have outcomes.
#[test]
fn a_claim_that_will_be_made_is_predicted() {
    let objects = volume("vol") + &pod("web") + &pod("idle").replace("ephemeral", "emptyDir");
    let document = predicted(&objects, &[]);
    let web = item(&document, "web");
    assert_eq!(web["recorded"], json!({"phase": "Pending"}));
    assert_eq!(web.get("outcomes"), None);
    let decision = &web["decisions"][0];
    assert_eq!(decision["controller"], "ephemeral-volume-controller");
    assert_eq!(decision["branch"], "PodVolumesHandled");
    let sent = &decision["writes"][0]["object"];
    assert_eq!(
        sent["metadata"],
        json!({
            "name": "web-scratch", "labels": {"app": "x"}, "annotations": {"example.com/token": "s3cret"},
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "u-web",
                "controller": true, "blockOwnerDeletion": true,
            }],
        })
    );
    assert_eq!(document["items"].as_array().unwrap().len(), 2, "a pod without an ephemeral volume must not be an item");
    let created = document["created"].as_array().unwrap();
    assert_eq!(created.len(), 1);
    assert_eq!(
        created[0]["object"],
        json!({"kind": "PersistentVolumeClaim", "namespace": "db", "name": "web-scratch"})
    );
    assert_eq!(created[0]["outcomes"], json!([{"phase": "Bound", "volumeName": "vol", "created": true}]));
    assert_eq!(
        item(&document, "vol")["outcomes"],
        json!([{"phase": "Bound", "claimRef": {"namespace": "db", "name": "web-scratch", "uid": "<uid>"}}])
    );
    let without = predicted(&objects, &["--controllers", "*,-ephemeral-volume"]);
    assert_eq!(without.get("created"), None);
    assert_eq!(item(&without, "vol")["outcomes"], json!([{"phase": "Available"}]));
}

/// If a component is too large to be explored, its sets of outcomes are not exact. This world has more pods than
/// volumes. So each claim may get any volume, or none.
#[test]
fn the_outcomes_of_too_many_pods_are_not_exact() {
    let mut objects = String::new();
    for number in 0..20 {
        write!(objects, "{}{}", volume(&format!("vol-{number:02}")), pod(&format!("web-{number:02}"))).unwrap();
    }
    objects += &pod("one-too-many");
    let document = predicted(&objects, &["--outcomes", "all"]);
    let created = document["created"].as_array().unwrap();
    assert_eq!(created.len(), 21);
    for claim in created {
        let outcomes = claim["outcomes"].as_array().unwrap();
        let bound = outcomes.iter().filter(|end| end["phase"] == "Bound").count();
        assert_eq!(bound, 20, "{claim}");
        assert!(outcomes.contains(&json!({"phase": "Pending", "created": true})), "{claim}");
        assert_eq!(claim["exact"], false);
    }
    assert_eq!(
        item(&document, "vol-07")["outcomeCount"],
        22,
        "the volume may get each claim, or none, or none because no claim was created yet"
    );
}

/// The table has a row for the pod, without an outcome.
#[test]
fn the_table_says_what_becomes_of_the_pod() {
    let foreign = r#"---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: taken-scratch, namespace: db, uid: c1, resourceVersion: "3"}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 50Gi}}}
status: {phase: Pending}
"#;
    let objects = volume("vol") + &pod("web") + &pod("taken") + foreign;
    let run = Run::new(&["predict", "-f", "-", "--assume-complete"]).env("COLUMNS", "900").stdin(objects.as_bytes());
    let shown = run.finish().stdout;
    let row = |start: &str| {
        let line = shown.lines().find(|line| line.contains(start)).unwrap_or_else(|| panic!("no {start} in\n{shown}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(
        row("pod/web").starts_with("db pod/web Pending <none> <none> claim web-scratch is created for it"),
        "{shown}"
    );
    assert!(
        row("pod/taken").starts_with(
            "db pod/taken Pending <none> <none> claim taken-scratch exists but was not created for this pod, so the \
             volume of the pod has no claim"
        ),
        "{shown}"
    );
}

/// kubectl creates an object without a namespace in `default`. The claim of the pod is then in `default` as well.
#[test]
fn a_pod_manifest_without_namespace_gets_its_claim_in_the_default_one() {
    let reserved = volume("vol").replace("  nfs:", "  claimRef: {namespace: default, name: web-scratch}\n  nfs:");
    let document = predicted(&(reserved + &pod("web").replace(", namespace: db", "")), &[]);
    assert_eq!(document["created"][0]["object"]["namespace"], "default");
    assert_eq!(item(&document, "vol")["outcomes"][0]["phase"], "Bound");
}

/// Upstream: the admission plugin `NamespaceLifecycle` refuses to create an object in a namespace that is being
/// deleted.
#[test]
fn nothing_is_created_in_a_namespace_that_is_being_deleted() {
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: db, uid: u-db, \
                     deletionTimestamp: \"2026-01-01T00:00:00Z\"}\nstatus: {phase: Terminating}\n";
    let document = predicted(&(volume("vol") + &pod("web") + namespace), &[]);
    assert_eq!(document.get("created"), None, "{document:#}");
    assert_eq!(item(&document, "vol")["outcomes"], json!([{"phase": "Available"}]));
    assert_eq!(
        item(&document, "web")["decisions"][0]["writes"][0]["refused"],
        "persistentvolumeclaims \"web-scratch\" is forbidden: unable to create new content in namespace db because it \
         is being terminated"
    );
}

/// A claim may be created for a pod that could not be read. So the end of the volume is only assumed, even if the pods
/// of only one namespace could not be read.
#[test]
fn pods_of_one_namespace_that_could_not_be_read_are_a_doubt() {
    let run = Run::new(&["predict", "-o", "json", "-f", "-", "--partial", "pods/db"])
        .stdin(volume("vol").as_bytes())
        .finish();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let assumed = item(&document, "vol")["assumed"].as_array().unwrap();
    assert!(assumed.iter().any(|assumed| assumed["resource"] == "pods"), "{assumed:?}");
}

/// A claim that is created counts as a change, even if no existing object changes.
#[test]
fn a_claim_that_will_be_made_is_a_change() {
    let run = Run::new(&["predict", "-f", "-", "--assume-complete", "--changed", "--exit-code"])
        .stdin(pod("web").as_bytes())
        .finish();
    assert!(run.stdout.contains("pod/web"), "{}", run.stdout);
    assert_eq!(run.code, Some(1));
}
