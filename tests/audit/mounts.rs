//! Which cause `audit` reports for a mount failure of a pod.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test reads a fixture and fails by panicking")]

use super::rules::FOLDER;
use crate::support::{Run, root};
use std::fs;

/// Returns the fixture of a rule.
fn fixture(rule: &str) -> String {
    fs::read_to_string(root().join(FOLDER).join(rule).join("fires.yaml")).expect("a fixture")
}

/// Returns the messages of the findings of a rule.
fn messages(text: &str, rule: &str) -> String {
    let words = ["audit", "-f", "-", "-A", "--all", "--assume-complete", "--rules", rule, "-o", "wide"];
    Run::new(&words).stdin(text.as_bytes()).finish().stdout
}

/// Two volumes of a pod use one claim. The volume before them uses another claim.
#[test]
fn a_claim_that_is_mounted_twice_is_found_behind_another_volume() {
    let rule = "mount-same-claim-twice";
    let text = fixture(rule);
    let other = "  volumes:\n  - name: other\n    persistentVolumeClaim:\n      claimName: other\n  - name: my-pvc\n";
    let behind = text.replace("  volumes:\n  - name: my-pvc\n", other);
    assert!(text != behind);
    for text in [text, behind] {
        let said = messages(&text, rule);
        assert!(said.contains("my-pvc-2"), "{said}");
    }
}

/// mount prints the same words for many causes. Only the type of the file system says more.
#[test]
fn the_general_error_of_mount_is_not_one_cause() {
    let text = fixture("mount-failed");
    let begin = text.find("'fsck' found errors").expect("the message of the event");
    let end = begin + text[begin..].find("\"\n").expect("the end of the message");
    let general = "wrong fs type, bad option, bad superblock on /dev/vde, missing codepage or helper program";
    for (kind, expected) in [("xfs", "same file system UUID"), ("nfs", "helper"), ("ext4", "cannot be mounted on node")]
    {
        let message = format!("mount failed: Mounting arguments: -t {kind} /dev/vde /mnt Output: {general}");
        let text = format!("{}{message}{}", &text[..begin], &text[end..]);
        let said = messages(&text, "mount-failed");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected), "{kind}: {said}");
    }
}

/// A driver that is missing on the node is not a missing Secret, whatever the name of the volume is.
#[test]
fn a_missing_driver_is_no_missing_secret() {
    let text = fixture("mount-secret-missing");
    let said = messages(&text, "mount-secret-missing");
    assert!(!said.is_empty(), "the fixture must have the finding");
    let driver = "driver name secrets-store.csi.k8s.io not found in the list of registered CSI drivers";
    let message = format!("message: 'MountVolume.SetUp failed for volume \"my-secret\" : kubernetes.io/csi: {driver}'");
    let lines = text.lines().map(|line| if line.starts_with("message: ") { message.as_str() } else { line });
    let other = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(messages(&other, "mount-secret-missing"), "");
}
