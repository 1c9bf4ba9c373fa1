//! A root explains its consequences. If the roots of a finding are mended, the finding goes away, or its evidence no
//! longer names the mended objects.

mod mends;

use crate::audit::rules::{FOLDER, Header, header, read};
use crate::predict::properties::{check, some_rules};
use crate::support::files;
use crate::support::worlds::{Cluster, worlds};
use mends::{MENDS, Mend};
use proptest::prelude::*;
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::{AuditSettings, Finding, diagnose, rules};
use pvctl::engines::simulation;
use pvctl::model::ObjectKey;
use pvctl::simulate::Settings;
use pvctl::snapshot::{Parts, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// The only rule with findings that a remedy of their root resolves.
const SETTLED: &str = "pv-released-retain";

fn found(parts: &Parts, behavior_of: &KubernetesBehavior) -> Vec<Finding> {
    let snapshot = Snapshot::new(parts.clone());
    let simulation = simulation(&snapshot, Settings::new(behavior_of.clone()), 1);
    diagnose(&simulation, AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true }, 1).listed
}

fn speaks_of(finding: &Finding, object: &ObjectKey) -> bool {
    finding.evidence.iter().any(|evidence| evidence.object == *object)
}

/// What was checked, and which findings stay although their roots are mended.
#[derive(Default)]
struct Looked {
    /// The number of mended consequences, by rule.
    mended: BTreeMap<&'static str, usize>,
    false_roots: Vec<String>,
}

/// Mends all roots of each finding, one finding after the other, and diagnoses the cluster again.
fn look(parts: &Parts, behavior_of: &KubernetesBehavior, looked: &mut Looked) {
    let before = found(parts, behavior_of);
    for finding in &before {
        let causes: Vec<&Finding> = finding.role.caused_by.iter().map(|place| &before[*place]).collect();
        // A remedy of the root must name the volume, because the remedy is what resolves the finding.
        if finding.rule.id == SETTLED {
            let name = &finding.object.name;
            let deals = |cause: &&Finding| {
                cause.remedies.iter().any(|way| way.command.contains(&**name) || way.does.contains(&**name))
            };
            looked.false_roots.extend(
                causes.iter().filter(|cause| !deals(cause)).map(|cause| format!("{name}: {}", cause.fingerprint())),
            );
            continue;
        }
        let mends = causes.iter().map(|cause| match MENDS.iter().find(|(id, _)| *id == cause.rule.id) {
            Some((_, Mend::Do(mend))) => Some((*mend, &cause.object)),
            _ => None,
        });
        // A root that cannot be mended in a simulation is listed in `MENDS` with the reason.
        let Some(mends) = mends.collect::<Option<Vec<_>>>().filter(|mends| !mends.is_empty()) else { continue };
        let mut mended = parts.clone();
        for (mend, object) in mends {
            mend(&mut mended, object);
        }
        let stays = found(&mended, behavior_of).into_iter().any(|after| {
            let is_same = after.rule.id == finding.rule.id && after.object == finding.object;
            let of_others =
                causes.iter().all(|cause| speaks_of(finding, &cause.object) && !speaks_of(&after, &cause.object));
            is_same && !of_others
        });
        *looked.mended.entry(finding.rule.id).or_default() += 1;
        if stays {
            let from: Vec<_> = causes.iter().map(|cause| cause.fingerprint()).collect();
            looked.false_roots.push(format!("{} stays without {}", finding.fingerprint(), from.join(", ")));
        }
    }
}

#[test]
fn consequences_disappear_with_their_root_in_fixtures_and_cases() {
    let mut looked = Looked::default();
    for (path, bytes) in files(FOLDER, "yaml") {
        let header = header(&String::from_utf8_lossy(&bytes));
        look(&read(&path, &header), &header.rules(), &mut looked);
    }
    for (path, _) in files("tests/cases", "yaml") {
        look(&read(&path, &Header::default()), &KubernetesBehavior::default(), &mut looked);
    }
    assert!(looked.false_roots.is_empty(), "{}", looked.false_roots.join("\n"));
    assert!(looked.mended.len() > 12, "only {:?} follow from anything", looked.mended);
}

#[test]
fn consequences_disappear_with_their_root_in_random_worlds() {
    let all = std::cell::RefCell::new(BTreeMap::<&str, usize>::new());
    check(2500, (worlds(3, 3), some_rules()), |(Cluster(parts), rules)| {
        let mut looked = Looked::default();
        look(&parts, &rules, &mut looked);
        for (rule, count) in looked.mended {
            *all.borrow_mut().entry(rule).or_default() += count;
        }
        prop_assert!(looked.false_roots.is_empty(), "{:?}", looked.false_roots);
        Ok(())
    });
    let mended: usize = all.borrow().values().sum();
    assert!(mended > 200, "only {mended} consequences were mended: {:?}", all.borrow());
}

/// Each rule that hinders an act is in `MENDS`, either with a mend or with the reason why it has none.
#[test]
fn every_rule_that_can_be_a_root_is_mended_or_says_why_not() {
    let stated: BTreeSet<&str> = MENDS.iter().map(|(id, _)| *id).collect();
    let hinder: BTreeSet<&str> =
        rules::all().iter().filter(|rule| !rule.hinders.is_empty()).map(|rule| rule.id).collect();
    assert_eq!(stated, hinder);
    assert_eq!(stated.len(), MENDS.len(), "each is stated once");
    for (id, mend) in MENDS {
        if let Mend::Outside(why) = mend {
            assert!(why.len() > 20, "{id} has no reason");
        }
    }
}
