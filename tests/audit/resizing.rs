//! What audit says about a volume that a node has not expanded.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test reads a fixture and fails by panicking")]

use super::rules::FOLDER;
use crate::support::{Run, root};
use std::fs;

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
