//! `match` and the outcomes of a claim must agree. An existing volume is an outcome of an unbound claim exactly if
//! `match` says that the claim may get the volume now or later. If the claim may get the volume only later, `match`
//! says what has to happen first.
#![expect(clippy::panic, reason = "a property that cannot be evaluated is a failed test")]

use super::properties::{check, some_rules};
use crate::support::worlds::{Cluster, contended, worlds};
use proptest::prelude::*;
use pvctl::controllers::persistent_volume::match_claim;
use pvctl::controllers::{CONTROLLERS, KubernetesBehavior};
use pvctl::diagnosis::facts::is_unbound;
use pvctl::diagnosis::prospects;
use pvctl::engines::simulation;
use pvctl::report::match_table::{MatchTable, Matched};
use pvctl::report::shared::machine::Model;
use pvctl::simulate::{Limit, Outcome, Settings};
use pvctl::snapshot::{ClaimId, Parts, Snapshot};
use std::cell::Cell;
use std::collections::BTreeSet;

/// Compares the rows of each unbound claim with the outcomes of the claim. Returns the differences, and the numbers of
/// volumes that claims get now and later.
fn compare(parts: Parts, behavior: &KubernetesBehavior) -> (Vec<String>, [usize; 2]) {
    let snapshot = Snapshot::new(parts);
    let settings = Settings { outcomes: Limit::All, ..Settings::new(behavior.clone()) };
    let simulation = simulation(&snapshot, settings, 1);
    let model = Model::new(behavior, &CONTROLLERS, "assumed");
    let (mut differences, mut counts) = (Vec::new(), [0, 0]);
    for id in (0u32..).map(ClaimId::new).take(snapshot.claims().len()) {
        let claim = snapshot.claim(id);
        let candidates = match_claim(&snapshot, behavior, claim);
        let Some(ends) = simulation.predict(id).outcomes.filter(|_| is_unbound(claim)) else { continue };
        let Ok(listed) = &candidates else { continue };
        let Some(prospects) = prospects(&simulation, id, listed) else { panic!("the outcomes must be known") };
        let table = MatchTable::new(Matched {
            snapshot: &snapshot,
            model: &model,
            claim,
            candidates: &candidates,
            planned: false,
            default_class: None,
            prospects: Some(&prospects),
            node: None,
        });
        let gets: BTreeSet<&str> = ends
            .listed
            .iter()
            .filter_map(|end| match end {
                Outcome::Claim { volume_name, .. } if snapshot.volume_id(volume_name).is_some() => {
                    Some(volume_name.as_str())
                }
                _ => None,
            })
            .collect();
        let marked: BTreeSet<&str> =
            table.items.iter().filter(|row| row.when.is_some()).map(|row| row.object.name).collect();
        if gets != marked {
            differences.push(format!("{} gets {gets:?}, and match marks {marked:?}", claim.key()));
        }
        for row in &table.items {
            // The answer is "now" exactly for the volumes that the controller may choose now. Only for a volume that
            // the claim may get later, the row says what has to happen first.
            let is_now = row.when == Some("now");
            if is_now != table.chosen.contains(&row.object.name) || (row.when == Some("later")) != row.first.is_some() {
                differences.push(format!("{}: {row:?}", claim.key()));
            }
            counts[usize::from(!is_now)] += usize::from(row.when.is_some());
        }
    }
    (differences, counts)
}

#[test]
fn match_marks_the_volumes_that_a_claim_may_get() {
    for contended_worlds in [false, true] {
        let counts = Cell::new([0, 0]);
        let property = |(Cluster(parts), rules): (Cluster, KubernetesBehavior)| {
            let (differences, [now, later]) = compare(parts, &rules);
            let before = counts.get();
            counts.set([before[0] + now, before[1] + later]);
            prop_assert!(differences.is_empty(), "{differences:?}");
            Ok(())
        };
        if contended_worlds {
            check(500, (contended(4, 3), some_rules()), property);
        } else {
            check(1500, (worlds(3, 3), some_rules()), property);
        }
        let [now, later] = counts.get();
        assert!(now > 50 && later > 50, "the test is too weak: claims get {now} volumes now and {later} later");
    }
}
