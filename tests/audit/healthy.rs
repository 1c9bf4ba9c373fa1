//! The diagnosis of healthy objects, and the words of every diagnosis.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::audit::cases::cases;
use crate::audit::rules::{FOLDER, Header, header, read};
use crate::predict::properties::{check, some_rules};
use crate::support::files;
use crate::support::worlds::{Cluster, worlds};
use proptest::prelude::*;
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{AuditSettings, Diagnoser, Diagnosis, Severity, State, Who, diagnose, rules};
use pvctl::engines::simulation;
use pvctl::model::{Kind, ObjectId, ObjectKey, TypedId};
use pvctl::simulate::Settings;
use pvctl::snapshot::{Parts, Snapshot};

/// The namespace of the healthy objects around each case.
const HEALTHY: &str = "healthy";

/// Returns whether the object is healthy: an object in the namespace of the healthy objects, or a volume whose claimRef
/// names a claim in that namespace.
fn is_healthy(snapshot: &Snapshot, object: &ObjectKey) -> bool {
    match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolume(id)) => {
            snapshot.volume(id).claim_ref.as_ref().is_some_and(|named| named.namespace == HEALTHY)
        }
        _ => object.namespace == HEALTHY,
    }
}

/// The kinds that have a diagnosis, but no prediction.
const OTHERS: [Kind; 8] = [
    Kind::StorageClass,
    Kind::Pod,
    Kind::StatefulSet,
    Kind::Deployment,
    Kind::ReplicaSet,
    Kind::DaemonSet,
    Kind::Job,
    Kind::Node,
];

/// Makes the diagnosis of every volume, claim, class, pod, workload and node.
fn diagnoses(parts: Parts, behavior: &KubernetesBehavior, mut each: impl FnMut(&Snapshot, &Diagnosis, bool)) {
    let snapshot = Snapshot::new(parts);
    let simulation = simulation(&snapshot, Settings::new(behavior.clone()), 1);
    let settings =
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() };
    let findings = diagnose(&simulation, settings, 1);
    let diagnoser = Diagnoser::new(&simulation, &findings);
    for target in simulation.targets().filter(|target| target.kind != Kind::Pod) {
        let changes = simulation.predict(target).changes();
        each(&snapshot, &diagnoser.of(&snapshot.key(target)), changes);
    }
    for kind in OTHERS {
        let count = u32::try_from(snapshot.count(kind)).unwrap();
        for at in 0..count {
            each(&snapshot, &diagnoser.of(&snapshot.key(ObjectId { kind, at })), false);
        }
    }
}

/// Returns what is wrong with the words of a diagnosis.
fn contradiction(diagnosis: &Diagnosis, changes: bool) -> Option<String> {
    let words = format!("{} {}", diagnosis.headline, diagnosis.details.join(" "));
    let is_problem = diagnosis.state.is_problem();
    let wrong = if diagnosis.root.is_some() && !is_problem {
        "the diagnosis has a cause, but its state is no problem"
    } else if changes && diagnosis.root.is_none() && words.contains("You have to act") {
        "the object will change by itself, but the words say that a person has to act"
    } else if !is_problem && diagnosis.actor.who != Who::User && words.contains("You have to act") {
        "nothing is wrong, but the words say that a person has to act"
    } else if matches!(diagnosis.state, State::Stuck | State::Broken)
        && !matches!(diagnosis.actor.who, Who::User | Who::Controller)
    {
        "the object is stuck or broken, but neither the user nor a controller has to act"
    } else if !is_problem && (words.contains("stuck") || words.contains("error")) {
        "nothing is wrong, but the words mention an error or say \"stuck\""
    } else {
        return None;
    };
    Some(format!("{wrong}: {diagnosis:#?}"))
}

#[test]
fn healthy_objects_are_well_or_wait() {
    let mut counted = [0, 0];
    for (path, _) in cases() {
        diagnoses(read(&path, &Header::default()), &KubernetesBehavior::default(), |snapshot, diagnosis, _| {
            if !is_healthy(snapshot, &diagnosis.object) {
                return;
            }
            let waits = match diagnosis.state {
                State::Well => 0,
                State::Waiting => 1,
                _ => unreachable!("{path}: {diagnosis:#?}"),
            };
            counted[waits] += 1;
            assert_eq!(contradiction(diagnosis, false), None, "{path}");
        });
    }
    assert!(counted[0] > 100 && counted[1] > 20, "{counted:?}");
}

/// These are healthy: a Multi-Attach error that has ended, early warnings of the scheduler, completed Jobs, and a
/// rolling update in progress. `audit` must report no warning about such clusters, and `explain` must say about each
/// object that it is well or waits.
#[test]
fn healthy_pods_and_workloads_are_well_or_wait() {
    let mut counted = [0, 0];
    for (path, bytes) in files("tests/healthy", "yaml") {
        let header = header(&String::from_utf8_lossy(&bytes));
        let parts = read(&path, &header);
        let snapshot = Snapshot::new(parts.clone());
        let simulation = simulation(&snapshot, Settings::new(header.rules()), 1);
        let findings = diagnose(&simulation, AuditSettings::everything(), 1);
        let warnings: Vec<_> = findings.listed.iter().filter(|one| one.severity != Severity::Info).collect();
        assert!(warnings.is_empty(), "{path}: {warnings:#?}");
        diagnoses(parts, &header.rules(), |_, diagnosis, _| {
            let waits = match diagnosis.state {
                State::Well => 0,
                State::Waiting => 1,
                _ => unreachable!("{path}: {diagnosis:#?}"),
            };
            counted[waits] += 1;
            assert_eq!(contradiction(diagnosis, false), None, "{path}");
        });
    }
    assert!(counted[0] >= 20 && counted[1] > 3, "{counted:?}");
}

#[test]
fn the_words_of_a_diagnosis_do_not_contradict_its_state() {
    for (path, bytes) in files(FOLDER, "yaml") {
        let header = header(&String::from_utf8_lossy(&bytes));
        diagnoses(read(&path, &header), &header.rules(), |_, diagnosis, changes| {
            assert_eq!(contradiction(diagnosis, changes), None, "{path}");
        });
    }
    check(1500, (worlds(3, 3), some_rules()), |(Cluster(parts), behavior)| {
        let mut wrong = Vec::new();
        diagnoses(parts, &behavior, |_, diagnosis, changes| wrong.extend(contradiction(diagnosis, changes)));
        prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    });
}
