//! Tests of `pvctl_core::controllers::outcome`.

use pvctl_core::controllers::{Limit, Outcome, OutcomeSet};
use pvctl_core::model::{ClaimPhase, Str, VolumePhase};

/// A limit hides bindings, but no phase, no deletion and no other property of an outcome.
#[test]
fn every_sort_of_end_is_at_hand_under_any_limit() {
    let bound = |number: usize| Outcome::Claim {
        phase: ClaimPhase::Bound,
        volume_name: Str::from(format!("pv-{number:02}")),
        terminating: None,
        unsettled: false,
        created: false,
    };
    let gone = Outcome::Gone { data: None, unsettled: false };
    let mut ends: Vec<Outcome> = (0..40).map(bound).collect();
    ends.extend([gone.clone(), Outcome::bound_claim(None)]);
    let set = OutcomeSet::of(ends, true, Limit::AtMost(3));
    assert_eq!((set.count, &*set.listed), (42, &[Outcome::bound_claim(None), bound(0), bound(1)][..]));
    assert_eq!(set.representatives().skip(3).collect::<Vec<_>>(), [&gone]);
    let reserved = Outcome::Volume {
        phase: VolumePhase::Available,
        claim_ref: None,
        terminating: Some(Vec::new()),
        data: None,
        unsettled: false,
    };
    let set = OutcomeSet::of(vec![Outcome::plain_volume(None), reserved], true, Limit::AtMost(1));
    assert_eq!(set.representatives().count(), 2, "one is being deleted and one is not");
}
