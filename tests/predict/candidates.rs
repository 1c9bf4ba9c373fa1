//! The verdict of `match` on each volume must agree with the decision of the controller. The worlds are random and have
//! many unusual objects.

#![expect(clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::unwrap_used, reason = "a property that cannot be evaluated is a failed test")]

use crate::support::worlds::{Cluster, worlds};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use pvctl::controllers::persistent_volume::match_claim;
use pvctl::controllers::{Branch, CandidateVerdict, ClaimBranch, KubeVersion, KubernetesBehavior, persistent_volume};
use pvctl::model::{AnnotationKey, HeldObject, ObjectId};
use pvctl::simulate::{Limit, Settings, decide};
use pvctl::snapshot::{ClaimId, Snapshot};
use pvctl::world::{Effect, World, WriteBody};
use std::collections::BTreeSet;

/// Returns the volume of the first update in a decision: the decision updates this volume, or a claim that names it.
/// Returns `None` if the decision updates no volume and no claim.
fn chosen(decision: &pvctl::simulate::Decision<'_>) -> Option<String> {
    decision.record.effects.iter().find_map(|effect| match effect {
        Effect::Write(write) => match &write.body {
            WriteBody::Update { after: HeldObject::PersistentVolume(volume), .. } => Some(volume.meta.name.to_string()),
            WriteBody::Update { after: HeldObject::PersistentVolumeClaim(claim), .. } => {
                Some(claim.volume_name.to_string())
            }
            _ => None,
        },
        _ => None,
    })
}

#[test]
fn the_candidates_that_may_be_chosen_are_those_that_decisions_choose() {
    let config = ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let strategy = (worlds(4, 3), prop_oneof![Just(36u32), Just(30), Just(28), Just(14)]);
    let (mut found, mut refused) = (0u32, 0u32);
    let found_ref = std::cell::RefCell::new((&mut found, &mut refused));
    let result = runner.run(&strategy, |(Cluster(parts), minor)| {
        let snapshot = Snapshot::new(parts);
        let behavior = KubernetesBehavior::of(KubeVersion::modelled(minor).unwrap());
        let settings = Settings {
            controllers: vec![persistent_volume::CONTROLLER],
            decisions: Limit::All,
            ..Settings::new(behavior.clone())
        };
        let world = World::new(&snapshot);
        for id in (0..u32::try_from(snapshot.claims().len()).unwrap()).map(ClaimId::new) {
            let claim = snapshot.claim(id);
            if claim.meta.annotations.has(AnnotationKey::BindCompleted) {
                continue;
            }
            let decisions = decide::decide(&world, &settings, ObjectId::from(id));
            let branches: BTreeSet<Branch> = decisions.listed.iter().map(|decision| decision.branch).collect();
            let binds = [
                ClaimBranch::UnboundClaimVolumeFound,
                ClaimBranch::UnboundClaimNamedVolumeFree,
                ClaimBranch::UnboundClaimNamedVolumeReserved,
            ];
            let decided: BTreeSet<String> = decisions
                .listed
                .iter()
                .filter(|decision| binds.iter().any(|branch| decision.branch == Branch::from(*branch)))
                .filter_map(chosen)
                .collect();
            if let Ok(candidates) = match_claim(&snapshot, &behavior, claim) {
                let said: BTreeSet<String> = candidates
                    .listed
                    .iter()
                    .filter(|candidate| candidate.may_be_chosen())
                    .map(|candidate| snapshot.volume(candidate.volume).meta.name.to_string())
                    .collect();
                prop_assert_eq!(&said, &decided, "of {} by {:?}", claim.key(), branches);
                *found_ref.borrow_mut().0 += u32::from(!said.is_empty());
                let none_free = candidates.listed.iter().all(|candidate| {
                    candidate.may_be_chosen() || candidate.verdict != CandidateVerdict::CandidateNotSmaller
                });
                prop_assert!(none_free || !said.is_empty(), "a volume fits, but none may be chosen");
            } else {
                let fails = [ClaimBranch::UnboundClaimMatchFailed, ClaimBranch::UnboundClaimBindingModeUnset];
                prop_assert!(branches.iter().all(|branch| fails.iter().any(|fail| *branch == Branch::from(*fail))));
                *found_ref.borrow_mut().1 += 1;
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(
        found > 100 && refused > 0,
        "the worlds are too simple: {found} claims may get a volume, and the search failed for {refused} claims"
    );
}
