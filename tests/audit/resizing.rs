//! What audit and explain say about a volume that is not expanded or not changed.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test reads a fixture and fails by panicking")]

use super::rules::FOLDER;
use crate::support::{Run, root};
use serde_json::{Value, json};
use std::fs;

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

/// The kubelet expands a volume only for a pod that may write to it. Upstream: `nodeExpandVolume`, 1.36.
#[test]
fn a_pod_that_only_reads_does_not_expand_the_volume() {
    let path = root().join(FOLDER).join("resize-fs-pending/fires.yaml");
    let text = fs::read_to_string(path).expect("a fixture");
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
