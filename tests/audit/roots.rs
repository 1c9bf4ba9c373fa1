//! A root explains its consequences. If all roots of a finding are mended, the finding disappears, or its evidence does
//! not name the mended objects any more.

mod mends;

use crate::audit::rules::{FOLDER, Header, header, read};
use crate::predict::properties::{check, some_rules};
use crate::support::files;
use crate::support::worlds::{Cluster, worlds};
use mends::{MENDS, Mend};
use proptest::prelude::*;
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{AuditSettings, Finding, diagnose, rules};
use pvctl::engines::simulation;
use pvctl::model::ObjectKey;
use pvctl::simulate::Settings;
use pvctl::snapshot::{Parts, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// The only rule whose finding is resolved by a remedy of its root. Its root is not mended in this test.
const SETTLED: &str = "pv-released-retain";

fn found(parts: &Parts, behavior_of: &KubernetesBehavior) -> Vec<Finding> {
    let snapshot = Snapshot::new(parts.clone());
    let simulation = simulation(&snapshot, Settings::new(behavior_of.clone()), 1);
    diagnose(
        &simulation,
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() },
        1,
    )
    .listed
}

fn speaks_of(finding: &Finding, object: &ObjectKey) -> bool {
    finding.evidence.iter().any(|evidence| evidence.object == *object)
}

/// What was checked, and which findings stay although their roots were mended.
#[derive(Default)]
struct Looked {
    /// The number of mended consequences, by rule.
    mended: BTreeMap<&'static str, usize>,
    false_roots: Vec<String>,
}

/// Mends all roots of each finding, one finding after the other, diagnoses the cluster again, and records the findings
/// that stay.
fn mend_roots(parts: &Parts, behavior_of: &KubernetesBehavior, looked: &mut Looked) {
    let before = found(parts, behavior_of);
    for finding in &before {
        let causes: Vec<&Finding> = finding.role.caused_by.iter().map(|place| &before[*place]).collect();
        // The pods of servers are not started in a simulation, so such a pod is never ready afterwards.
        if finding.rule.id.starts_with("shared-") {
            continue;
        }
        // A remedy of the root resolves findings of this rule. So a remedy must name the volume.
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
            looked.false_roots.push(format!(
                "{} is still found after these roots were mended: {}",
                finding.fingerprint(),
                from.join(", ")
            ));
        }
    }
}

#[test]
fn consequences_disappear_with_their_root_in_fixtures_and_cases() {
    let mut looked = Looked::default();
    for (path, bytes) in files(FOLDER, "yaml") {
        let header = header(&String::from_utf8_lossy(&bytes));
        mend_roots(&read(&path, &header), &header.rules(), &mut looked);
    }
    for (path, _) in files("tests/cases", "yaml") {
        mend_roots(&read(&path, &Header::default()), &KubernetesBehavior::default(), &mut looked);
    }
    assert!(looked.false_roots.is_empty(), "{}", looked.false_roots.join("\n"));
    assert!(looked.mended.len() > 12, "the test is too weak: only these rules had consequences: {:?}", looked.mended);
}

#[test]
fn consequences_disappear_with_their_root_in_random_worlds() {
    let all = std::cell::RefCell::new(BTreeMap::<&str, usize>::new());
    check(2500, (worlds(3, 3), some_rules()), |(Cluster(parts), rules)| {
        let mut looked = Looked::default();
        mend_roots(&parts, &rules, &mut looked);
        for (rule, count) in looked.mended {
            *all.borrow_mut().entry(rule).or_default() += count;
        }
        prop_assert!(looked.false_roots.is_empty(), "{:?}", looked.false_roots);
        Ok(())
    });
    let mended: usize = all.borrow().values().sum();
    assert!(
        mended > 200,
        "the test is too weak: the roots of only {mended} consequences were mended: {:?}",
        all.borrow()
    );
}

/// `MENDS` has each rule that hinders an act, either with a function that mends its root, or with the reason why no
/// function can.
#[test]
fn every_rule_that_can_be_a_root_is_mended_or_says_why_not() {
    let stated: BTreeSet<&str> = MENDS.iter().map(|(id, _)| *id).collect();
    let hinder: BTreeSet<&str> =
        rules::all().iter().filter(|rule| !rule.hinders.is_empty()).map(|rule| rule.id).collect();
    assert_eq!(stated, hinder);
    assert_eq!(stated.len(), MENDS.len(), "MENDS has a rule more than once");
    for (id, mend) in MENDS {
        if let Mend::Outside(why) = mend {
            assert!(why.len() > 20, "{id} has no reason");
        }
    }
}
