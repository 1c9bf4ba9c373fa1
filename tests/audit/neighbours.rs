//! `explain` diagnoses only the object and its neighbours, `audit` diagnoses all objects. Both must find the same
//! findings on the object, and the same root for the worst of them.

use crate::audit::rules::{FOLDER, Header, header, read};
use crate::predict::properties::{check, some_rules};
use crate::support::files;
use crate::support::worlds::{Cluster, worlds};
use proptest::prelude::*;
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::attaching::Attachments;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{
    AuditSettings, Diagnoser, Diagnosis, Finding, Findings, diagnose_named, diagnose_with_neighbours, key, rules,
};
use pvctl::engines::simulation;
use pvctl::model::{Kind, ObjectKey};
use pvctl::simulate::Settings;
use pvctl::snapshot::{Parts, Snapshot};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the findings on an object, and the root of the worst of them.
fn findings_on(findings: &Findings, object: &ObjectKey) -> (Vec<String>, Option<Finding>) {
    let on_it: Vec<&Finding> = findings.listed.iter().filter(|finding| finding.object == *object).collect();
    let root = on_it.first().map(|worst| findings.listed[worst.role.root].clone());
    (on_it.into_iter().map(Finding::fingerprint).collect(), root)
}

/// Returns all texts of a diagnosis.
fn in_words(diagnosis: &Diagnosis) -> Vec<String> {
    let Diagnosis { state, headline, details, root, chain, actor, remedies, data, since, .. } = diagnosis;
    let root = root.as_ref().map(|root| (root.rule.id, root.object.to_string(), root.evidence.clone()));
    let mut words = vec![headline.clone(), format!("{state:?} {root:?} {chain:?} {actor:?} {data:?} {since:?}")];
    words.extend(details.iter().cloned());
    words.extend(remedies.iter().map(|one| format!("{one:?}")));
    words
}

/// Compares the two diagnoses of every object that has a finding, and of every volume, claim and pod. Returns the
/// differences, and the number of objects whose root is on another object.
fn compare(parts: &Parts, behavior: &KubernetesBehavior) -> (Vec<String>, usize) {
    let snapshot = Snapshot::new(parts.clone());
    let simulation = simulation(&snapshot, Settings::new(behavior.clone()), 1);
    let settings =
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() };
    // This audit names all objects. So it finds on each object what an audit of only this object finds. If an audit
    // names an object, this changes only findings on this object that are information.
    let whole = diagnose_named(&simulation, settings, &|_| true, 1);
    let diagnoser = Diagnoser::new(&simulation, &whole);
    let with_findings = whole.listed.iter().map(|finding| finding.object.clone());
    let pods = snapshot.pods().iter().map(|pod| key(Kind::Pod, &pod.meta.namespace, &pod.meta.name));
    let objects: BTreeSet<ObjectKey> =
        with_findings.chain(simulation.targets().map(|target| snapshot.key(target))).chain(pods).collect();
    let (mut differences, mut elsewhere) = (Vec::new(), 0);
    for object in objects {
        let around = diagnose_with_neighbours(
            &simulation,
            &object,
            rules::all(),
            Arc::new(Attachments::of(&simulation)),
            Providers::built_in(),
        );
        let (all, root) = findings_on(&whole, &object);
        let (near, near_root) = findings_on(&around, &object);
        elsewhere += usize::from(root.as_ref().is_some_and(|root| root.object != object));
        let said = |root: &Option<Finding>| root.as_ref().map(|root| (root.fingerprint(), root.message.clone()));
        if all != near || said(&root) != said(&near_root) {
            differences.push(format!("{object}: {near:?} from {near_root:?}, not {all:?} from {root:?}"));
        }
        let (one, other) =
            (in_words(&diagnoser.of(&object)), in_words(&Diagnoser::new(&simulation, &around).of(&object)));
        if one != other {
            differences.push(format!("{object}: explain says {other:#?}, audit says {one:#?}"));
        }
    }
    (differences, elsewhere)
}

#[test]
fn neighbours_show_the_root_in_fixtures_and_cases() {
    let (mut wrong, mut elsewhere) = (Vec::new(), 0);
    let fixtures =
        files(FOLDER, "yaml").into_iter().map(|(path, bytes)| (path, header(&String::from_utf8_lossy(&bytes))));
    let cases = files("tests/cases", "yaml").into_iter().map(|(path, _)| (path, Header::default()));
    for (path, header) in fixtures.chain(cases) {
        let (differences, some) = compare(&read(&path, &header), &header.rules());
        wrong.extend(differences.into_iter().map(|difference| format!("{path}: {difference}")));
        elsewhere += some;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(elsewhere > 50, "the test is too weak: only {elsewhere} objects have their root on another object");
}

#[test]
fn neighbours_show_the_root_in_random_worlds() {
    let elsewhere = std::cell::Cell::new(0);
    check(2500, (worlds(3, 3), some_rules()), |(Cluster(parts), behavior)| {
        let (differences, some) = compare(&parts, &behavior);
        elsewhere.set(elsewhere.get() + some);
        prop_assert!(differences.is_empty(), "{differences:?}");
        Ok(())
    });
    assert!(
        elsewhere.get() > 100,
        "the test is too weak: only {} objects have their root on another object",
        elsewhere.get()
    );
}
