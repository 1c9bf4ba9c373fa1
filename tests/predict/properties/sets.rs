//! How many outcomes of a prediction are listed and counted, and whether they are exact.

use super::{all_outcomes, all_rules, check, predicted, some_rules, targets};
use crate::support::worlds::{Cluster, contended, free_volume, waiting_claim, worlds};
use proptest::prelude::*;
use pvctl::controllers::{Budget, KubernetesBehavior};
use pvctl::engines::{settle, simulation};
use pvctl::model::{AccessMode, AccessModes, Objects};
use pvctl::simulate::component::components;
use pvctl::simulate::{Joint, Outcome, Settings, decide};
use pvctl::snapshot::{Parts, Snapshot};
use pvctl::world::World;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn no_world_makes_any_version_panic() {
    check(25, worlds(4, 4), |Cluster(parts)| {
        let snapshot = Snapshot::new(parts);
        for behavior in all_rules() {
            for failures in [false, true] {
                let settings = Settings {
                    tracing: true,
                    failures,
                    budget: Budget { states: 12 },
                    ..Settings::new(behavior.clone())
                };
                let world = World::new(&snapshot);
                for target in targets(&world) {
                    let decisions = decide::decide(&world, &settings, target);
                    prop_assert!(decisions.count >= decisions.listed.len() as u64);
                    prop_assert!(!decisions.listed.is_empty());
                }
                for component in components(&snapshot, &settings) {
                    let settled = settle(&snapshot, &settings, &component);
                    prop_assert!(settled.sets.iter().all(|set| set.count > 0));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn lists_of_outcomes_keep_to_their_limit_and_count_all() {
    let volumes = (0..40).map(|number| free_volume(format!("v{number:02}"), "1Gi", "")).collect::<Vec<_>>();
    let claims = (0..40).map(|number| waiting_claim(format!("c{number:02}"), "ns", "1Gi", "")).collect::<Vec<_>>();
    // The search groups volumes by access modes, and visits one group after the other. If there is a second group, the
    // set of outcomes is not exact.
    let mut odd = free_volume("odd".to_owned(), "1Gi", "");
    odd.access_modes = AccessModes(Arc::new([AccessMode::ReadWriteOnce, AccessMode::ReadWriteMany]));
    for odd in [None, Some(odd)] {
        let is_exact = odd.is_none();
        let volumes: Vec<_> = volumes.iter().cloned().chain(odd).collect();
        let objects = Objects { volumes, claims: claims.clone(), ..Objects::default() };
        let snapshot = Snapshot::new(Parts { objects, ..Parts::default() });
        let settings = Settings::new(KubernetesBehavior::default());
        let all = components(&snapshot, &settings);
        assert_eq!(all.len(), 1);
        let settled = settle(&snapshot, &settings, &all[0]);
        for set in &settled.sets {
            assert_eq!(set.listed.len(), 16);
            assert!(set.count >= 40, "{}", set.count);
            assert_eq!(set.exact, is_exact);
        }
        let [.., one, other] = settled.sets.as_slice() else { panic!("the world must have two claims") };
        assert!(Arc::ptr_eq(&one.listed, &other.listed));
    }
}

#[test]
fn joint_states_are_known_wherever_every_object_has_one_outcome() {
    let found = RefCell::new((0, 0));
    let strategy = prop_oneof![2 => worlds(4, 4).boxed(), 1 => contended(12, 12).boxed()];
    check(300, (strategy, some_rules(), any::<bool>()), |(Cluster(parts), behavior, explored)| {
        let snapshot = Snapshot::new(parts);
        let budget = Budget { states: if explored { 3000 } else { 0 } };
        let simulation = simulation(&snapshot, Settings { budget, ..all_outcomes(behavior) }, 1);
        for (number, component) in (1..).zip(components(&snapshot, simulation.settings())) {
            let single = component.objects.iter().all(|target| {
                let set = simulation.outcomes(*target);
                set.exact && set.count == 1
            });
            let Some(Joint { objects, states, .. }) = simulation.joint(number) else {
                prop_assert!(
                    !single,
                    "every object of {component:?} has one outcome, but the joint outcomes are unknown"
                );
                continue;
            };
            prop_assert_eq!(&*objects, &component.objects[..]);
            prop_assert_eq!(single, states.len() == 1);
            for (place, target) in objects.iter().enumerate() {
                let met: BTreeSet<&Outcome> = states.iter().map(|state| state[place]).collect();
                prop_assert_eq!(met, simulation.outcomes(*target).listed.iter().collect::<BTreeSet<_>>());
            }
            let mut found = found.borrow_mut();
            found.0 += usize::from(single && objects.len() > 1);
            found.1 += usize::from(!single);
        }
        Ok(())
    });
    let (single, several) = found.into_inner();
    assert!(
        single > 20 && several > 10,
        "the test is too weak: {single} components with one joint outcome, {several} with several"
    );
}

/// If at most six volumes and six claims can influence each other, the answer must be exact.
#[test]
fn six_by_six_is_always_exact() {
    let strategy = prop_oneof![worlds(6, 6).boxed(), contended(6, 6).boxed()];
    check(60, (strategy, some_rules()), |(Cluster(parts), behavior)| {
        let snapshot = Snapshot::new(parts);
        let (_, exact) = predicted(&snapshot, &all_outcomes(behavior));
        prop_assert!(exact);
        Ok(())
    });
}
