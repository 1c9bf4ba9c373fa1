//! Tests of `pvctl::ops::repair::ending`.

use pvctl::ops::repair::ending::missed;

/// A claim that accepts any volume may get one that was not predicted. Every other object must be as predicted.
#[test]
fn a_state_that_was_not_predicted_is_a_surprise() {
    let judged = |is: &str, states: &[&str], takes_any: bool| {
        let states: Vec<String> = states.iter().map(|&state| state.to_owned()).collect();
        missed(is, &states, takes_any).unwrap_or_default()
    };
    let named = "Bound, volume pv-1";
    assert_eq!(judged(named, &[named], false), "");
    assert_eq!(judged("Pending, volume pv-1", &[named], false), named);
    assert_eq!(judged("Pending", &["Lost", named], true), format!("Lost or {named}"));
    // A driver provisions a volume for the claim.
    assert_eq!(judged(named, &["Pending"], true), "");
    assert_eq!(judged(named, &["Pending"], false), "Pending");
    assert_eq!(judged("Bound, volume pv-2", &[named], true), named);
    // The prediction leaves open which volume the claim gets.
    assert_eq!(judged("Pending", &[], true), "");
    assert_eq!(judged(named, &[], true), "");
    for is in ["not there", "Lost, volume pv-1", "Pending, being deleted", "Bound, volume pv-1, being deleted"] {
        assert_eq!(judged(is, &[], true), "Pending or Bound", "{is}");
        assert_eq!(judged(is, &["Pending"], true), "Pending", "{is}");
        assert_eq!(judged(is, &[], false), "", "{is}");
    }
}
