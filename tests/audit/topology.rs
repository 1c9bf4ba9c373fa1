//! Rules about topologies: cases that their fixtures do not have.

use crate::support::{Run, text};
use serde_json::Value;

/// The API server does not check the values of `allowedTopologies`. So `audit` must name an impossible value.
#[test]
fn a_value_that_no_label_can_have_is_named() {
    let fires = text("tests/audit/sc-allowed-topologies-impossible/fires.yaml");
    let world = fires.replace("    - default\n", "    - default zone\n");
    assert_ne!(world, fires);
    let run = Run::new(&["audit", "-A", "-f", "-", "-o", "json"]).stdin(world.as_bytes()).finish();
    let audit: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let findings = audit["findings"].as_array().into_iter().flatten();
    let mut of_rule = findings.filter(|finding| finding["id"] == "sc-allowed-topologies-impossible");
    let message = of_rule.next().map(|finding| finding["message"].to_string()).unwrap_or_default();
    let said = "allow value \\\"default zone\\\" of key topology.kubernetes.io/zone, which no label can have";
    assert!(message.contains(said), "{}{message}", run.stderr);
}
