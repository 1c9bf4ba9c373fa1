//! What audit and explain say about a volume that is not expanded or not changed.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test reads a fixture and fails by panicking")]

use super::rules::FOLDER;
use crate::support::{Run, root};
use serde_json::{Value, json};
use std::fs;

fn fixture(rule: &str) -> String {
    fs::read_to_string(root().join(FOLDER).join(rule).join("fires.yaml")).expect("a fixture")
}

/// The document has the stages of the claim on its own page and on the page of a pod that uses it.
#[test]
fn the_stages_of_a_claim_are_data_on_its_page_and_on_that_of_its_pod() {
    let changes = |rule: &str, object: &str, namespace: &str| {
        let path = root().join(FOLDER).join(rule).join("fires.yaml");
        let path = path.to_str().expect("text");
        let run = Run::new(&["explain", object, "-n", namespace, "-f", path, "-o", "json"]).finish();
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        document["diagnosis"]["volumeChanges"].clone()
    };
    let expansion = json!([{
        "claim": {"kind": "PersistentVolumeClaim", "namespace": "milvus", "name": "data-milvus-0"},
        "expansion": {"stage": "nodePending", "target": "6Gi", "targetIsCounted": false},
    }]);
    assert_eq!(changes("resize-fs-pending", "pvc/data-milvus-0", "milvus"), expansion);
    assert_eq!(changes("resize-fs-pending", "pod/milvus-0", "milvus"), expansion);
    let modification = json!([{
        "claim": {"kind": "PersistentVolumeClaim", "namespace": "lab", "name": "data"},
        "modification": {"stage": "infeasible", "target": "gold"},
    }]);
    assert_eq!(changes("vac-infeasible", "pod/db", "lab"), modification);
    assert_eq!(changes("vac-infeasible", "pv/pvc-2", "lab"), Value::Null);
}

/// A pod that has ended does not wait for a larger volume.
#[test]
fn a_pod_that_has_ended_has_no_problem() {
    let text = fixture("resize-fs-pending");
    let state = |text: &str| {
        let run = Run::new(&["explain", "pod/milvus-0", "-n", "milvus", "-f", "-", "-o", "json"]);
        let document: Value = serde_json::from_str(&run.stdin(text.as_bytes()).finish().stdout).expect("a document");
        document["diagnosis"]["state"].clone()
    };
    assert_eq!(state(&text), "atRisk");
    let ended = text.replace("  phase: Running\n", "  phase: Succeeded\n");
    assert!(ended != text);
    assert_eq!(state(&ended), "well");
}

/// Only a pod that may write to the volume, and that has mounted it, makes its node expand it. If a pod has the claim
/// twice, the last volume decides. Upstream: `checkVolumeFSResize` and `AddPodToVolume`, 1.36.
#[test]
fn the_node_of_a_pod_that_may_write_is_named() {
    let text = fixture("resize-fs-pending");
    let documents: Vec<&str> = text.split("---\n").collect();
    let pod = documents.iter().find(|one| one.contains("kind: Pod\n")).expect("a pod");
    let others: String = documents.iter().filter(|one| one != &pod).flat_map(|one| [*one, "---\n"]).collect();
    let claim = "      claimName: data-milvus-0\n";
    let reader = pod
        .replace("milvus-0\n  namespace", "a-reader\n  namespace")
        .replace("node-1", "node-2")
        .replace(claim, &format!("{claim}      readOnly: true\n"));
    assert!(reader.contains("a-reader") && reader.contains("node-2") && reader.contains("readOnly"), "{reader}");
    let told = |objects: String| {
        let arguments =
            ["audit", "-f", "-", "-A", "--all", "--rules", "resize-fs-pending", "--exit-zero", "-o", "json"];
        let document: Value =
            serde_json::from_str(&Run::new(&arguments).stdin(objects.as_bytes()).finish().stdout).expect("JSON");
        document["findings"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    let both = told(format!("{others}{reader}---\n{pod}"));
    assert!(both.contains("Node node-1, where pod milvus-0 uses the volume"), "{both}");
    let waiting = pod.replace("  phase: Running\n", "  phase: Pending\n").replace("      running:", "      waiting:");
    assert!(waiting != *pod);
    let message = told(format!("{others}{waiting}"));
    assert!(message.contains("when it mounts the volume for pod milvus-0, and has not mounted it yet"), "{message}");
}

/// The kubelet expands a volume only for a pod that may write to it. Upstream: `nodeExpandVolume`, 1.36.
#[test]
fn a_pod_that_only_reads_does_not_expand_the_volume() {
    let text = fixture("resize-fs-pending");
    let told = |text: &str| {
        let run =
            Run::new(&["audit", "-f", "-", "-A", "--all", "--rules", "resize-fs-pending", "--exit-zero", "-o", "json"]);
        run.stdin(text.as_bytes()).finish().stdout
    };
    let (writing, reading) = ("has not expanded it", "does not expand it for a pod that has readOnly: true");
    let first = told(&text);
    assert!(first.contains(writing) && !first.contains(reading), "{first}");
    let claim = "      claimName: data-milvus-0\n";
    let only_read = text.replace(claim, &format!("{claim}      readOnly: true\n"));
    assert!(only_read != text, "{claim}");
    let second = told(&only_read);
    assert!(second.contains(reading) && second.contains("without readOnly"), "{second}");
}
