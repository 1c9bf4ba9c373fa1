//! Tests of `pvctl::diagnosis::pod::scheduling`.

use pvctl::diagnosis::pod::Recorded;
use pvctl::model::Str;

fn recorded(said: &str, now: &[&str], fitting: Option<&str>) -> (bool, String) {
    let messages = now.iter().map(ToString::to_string).collect();
    let recorded = Recorded::new(said, None, &messages, fitting.map(Str::from).as_ref());
    (recorded.agrees, recorded.change)
}

/// The recorded messages are those of real schedulers, with the part about preemption.
#[test]
fn what_has_changed_since_a_message_is_said() {
    let before = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to \
                  deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
    let changed = |text: &str| (false, format!("Something has changed since then: {text}"));
    assert_eq!(
        recorded(before, &["0/2 nodes are available: 2 Insufficient cpu."], None),
        changed("3 nodes before and 2 now, \"node(s) had untolerated taint(s)\" no longer applies")
    );
    assert_eq!(
        recorded(before, &["0/3 nodes are available: 3 Insufficient cpu."], None),
        changed(
            "\"Insufficient cpu\" 2 times before and 3 now, \"node(s) had untolerated taint(s)\" no longer applies"
        )
    );
    assert_eq!(recorded(before, &[], Some("n1")), changed("now the pod can run on a node, such as n1"));
}

#[test]
fn a_message_that_says_the_same_is_no_change() {
    // The order of volumes decides which of the messages is given.
    let messages = ["0/1 nodes are available: 1 Insufficient cpu.", "0/1 nodes are available: 1 Too many pods."];
    assert_eq!(
        recorded("0/1 nodes are available: 1 Too many pods. preemption: 0/1.", &messages, None),
        (true, String::new())
    );
    // Kubernetes 1.30 uses other words for these reasons.
    let old = "0/3 nodes are available: 1 node(s) had untolerated taint {a: b}, 1 node(s) had untolerated taint {c: }, 1 \
               node(s) had volume node affinity conflict. preemption: 0/3 nodes are available: 3 Preemption is not \
               helpful for scheduling.";
    let new = "0/3 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 2 node(s) had \
               untolerated taint(s).";
    assert_eq!(recorded(old, &[new], None), (true, String::new()));
    // A message about another step says nothing about the nodes.
    let binding = "running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded";
    assert_eq!(recorded(binding, &[], Some("n1")), (false, String::new()));
    // A message of an event that is cut off cannot be compared.
    let long = format!("0/3 nodes are available: {}", "1 node(s) had untolerated taint(s), ".repeat(40));
    assert_eq!(recorded(&long, &[new], None), (false, String::new()));
}
