//! Which command audit offers for an attachment that has to end: the verb `detach` if the machine of the node may be
//! off and nothing there needs the volume, and otherwise a command that a person has to check.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test reads a fixture and fails by panicking")]

use super::rules::FOLDER;
use crate::support::{Run, root};
use pvctl::model::Kind;
use std::fs;

const DETACH: &str = "kubectl pvctl detach va/";
const BY_HAND: &str = "kubectl delete --raw";

/// Returns the fixture of a rule.
fn fixture(rule: &str) -> String {
    fs::read_to_string(root().join(FOLDER).join(rule).join("fires.yaml")).expect("a fixture")
}

/// Returns the text with a replacement. The text must have what is replaced.
fn with(text: &str, from: &str, to: &str) -> String {
    let replaced = text.replacen(from, to, 1);
    assert!(replaced != text, "{from}");
    replaced
}

/// Returns whether the findings of a rule offer the verb, and whether they offer the command of kubectl.
fn offers(text: &str, rule: &str) -> (bool, bool) {
    let kinds = Kind::listed().map(Kind::resource).collect::<Vec<_>>().join(",");
    let complete = format!("--assume-complete={kinds}");
    let words = ["audit", "-f", "-", "-A", "--all", &complete, "--rules", rule, "-o", "json", "--exit-zero"];
    let run = Run::new(&words).stdin(text.as_bytes()).finish();
    assert!(run.stdout.contains(rule), "{}{}", run.stdout, run.stderr);
    (run.stdout.contains(DETACH), run.stdout.contains(BY_HAND))
}

/// As long as nobody has requested the detachment, the verb requests it.
#[test]
fn the_verb_detaches_from_a_node_that_is_gone() {
    let rule = "va-node-gone";
    let text = fixture(rule);
    assert_eq!(offers(&text, rule), (false, false), "the deletion is requested already");
    let begin = text.find("  detachError:\n").expect("an error");
    let end = begin + text[begin..].find("---").expect("the end of the object");
    let text = format!("{}{}", &text[..begin], &text[end..]);
    let text = with(&text, "  deletionTimestamp: \"2026-03-02T09:00:00Z\"\n  deletionGracePeriodSeconds: 0\n", "");
    assert_eq!(offers(&text, rule), (true, false));
}

/// A node that is ready is not detached from by the verb, and neither is a node that lists the volume as mounted.
#[test]
fn the_verb_is_for_nodes_that_may_be_off() {
    let rule = "va-stale-no-pod";
    let text = fixture(rule);
    assert_eq!(offers(&text, rule), (false, true));
    let ready = "    status: \"True\"\n    reason: KubeletReady\n";
    let silent = "    status: Unknown\n    reason: NodeStatusUnknown\n";
    assert_eq!(offers(&with(&text, ready, silent), rule), (true, false));
    let handle = "0001-0009-rook-ceph-0000000000000001-41b8f9d0";
    let mounted = format!("{silent}  volumesInUse:\n  - kubernetes.io/csi/rbd.csi.ceph.com^{handle}\n");
    assert_eq!(offers(&with(&text, ready, &mounted), rule), (false, true));
    let shut_down = "spec:\n  taints:\n  - key: node.kubernetes.io/out-of-service\n    effect: NoExecute\n  podCIDR";
    let shut_down = with(&with(&text, ready, &mounted), "spec:\n  podCIDR", shut_down);
    assert_eq!(offers(&shut_down, rule), (true, false));
}

/// The taint has all volumes of a node detached. The verb is for a single volume that nothing there uses any more.
#[test]
fn the_verb_detaches_a_single_volume_of_a_node_that_does_not_answer() {
    let rule = "node-shutdown-fencing";
    let text = fixture(rule);
    assert_eq!(offers(&text, rule), (false, false));
    let handle = "kubernetes.io/csi/driver.harvesterhci.io^pvc-c06ba806-a857-5c2a-bd3b-72d84ba777ad";
    let unmounted = with(&text, &format!("  volumesInUse:\n  - {handle}\n"), "");
    assert_eq!(offers(&unmounted, rule), (false, false), "a pod on the node needs the volume");
    let left = with(&unmounted, "  nodeName: guest-2\n  restartPolicy", "  nodeName: guest-3\n  restartPolicy");
    assert_eq!(offers(&left, rule), (true, false));
}
