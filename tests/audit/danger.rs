//! No volume loses its data without a finding. If a possible outcome of a volume destroys its data, `audit` must name
//! the volume and say that its data are in danger.

use crate::audit::rules::{FOLDER, header, read};
use crate::predict::properties::{check, some_rules};
use crate::support::files;
use crate::support::worlds::{Cluster, worlds};
use proptest::prelude::*;
use pvctl::controllers::persistent_volume::reclaim::DataFate;
use pvctl::controllers::{Branch, DeleteStep, KubernetesBehavior};
use pvctl::diagnosis::attaching::Attachments;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{
    AuditSettings, Diagnoser, Finding, Findings, Risk, Severity, diagnose, diagnose_with_neighbours, rules,
};
use pvctl::engines::simulation;
use pvctl::model::{Kind, ObjectId, PersistentVolume, ReclaimPolicy, TypedId, VolumePhase};
use pvctl::simulate::{Limit, Outcome, OutcomeSet, Settings, Simulation};
use pvctl::snapshot::{Snapshot, VolumeId};
use std::sync::Arc;

/// The finalizers with which an external provisioner or the controller keeps a volume until its storage is deleted.
const DELETION_FINALIZERS: [&str; 2] =
    ["external-provisioner.volume.kubernetes.io/finalizer", "kubernetes.io/pv-controller"];

/// Returns whether an outcome destroys the data. A driver deletes neither a volume that is Failed, nor a volume that is
/// being deleted and has none of these finalizers. Before 1.36, and without the gate `HonorPVReclaimPolicy`, the
/// controller deletes no storage of a volume that is being deleted.
fn destroys(behavior: &KubernetesBehavior, volume: &PersistentVolume, end: &Outcome) -> bool {
    let is_guarded = volume.meta.finalizers.iter().any(|finalizer| DELETION_FINALIZERS.contains(&finalizer.as_str()));
    let (data, is_failed) = match end {
        Outcome::Volume { data, phase, .. } => (*data, *phase == VolumePhase::Failed),
        Outcome::Gone { data, .. } => (*data, false),
        Outcome::Claim { .. } | Outcome::Pod { .. } => (None, false),
    };
    match data {
        None | Some(DataFate::Kept) => false,
        Some(DataFate::HandedToDriver) => !is_failed && (!volume.terminating() || is_guarded),
        Some(DataFate::Destroyed) => !(volume.terminating() && behavior.skip_delete_when_terminating),
        Some(DataFate::Scrubbed) => true,
    }
}

fn tells_of(finding: &Finding, volume: &PersistentVolume) -> bool {
    let is_it =
        |object: &pvctl::model::ObjectKey| object.kind == Kind::PersistentVolume && object.name == volume.meta.name;
    finding.risk == Risk::Imminent
        && (is_it(&finding.object) || finding.evidence.iter().any(|evidence| is_it(&evidence.object)))
}

/// Returns the pages of `explain` that should mention the danger, but do not. The danger should be mentioned on the
/// pages of the volume, of the claims that name it, and of the claim whose uid is in its claimRef.
fn silent_pages(simulation: &Simulation<'_>, volume: &PersistentVolume) -> Vec<String> {
    let snapshot = simulation.snapshot();
    let has_it = |target: &ObjectId| match target.typed() {
        TypedId::PersistentVolume(id) => snapshot.volume(id).meta.name == volume.meta.name,
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            let named = volume.claim_ref.as_ref().map(|named| named.uid.as_str()).filter(|uid| !uid.is_empty());
            claim.volume_name == volume.meta.name || named == Some(claim.meta.uid.as_str())
        }
        _ => false,
    };
    let words = |target: ObjectId| {
        let object = snapshot.key(target);
        let findings = diagnose_with_neighbours(
            simulation,
            &object,
            rules::all(),
            Arc::new(Attachments::of(simulation)),
            Providers::built_in(),
        );
        let diagnosis = Diagnoser::new(simulation, &findings).of(&object);
        format!("{} {}", diagnosis.headline, diagnosis.details.join(" "))
    };
    let targets = simulation.targets().filter(has_it);
    targets.map(words).filter(|words| !words.contains("Danger: ")).collect()
}

/// Returns what is missing in the findings about volumes that can lose their data, and the number of these volumes. A
/// volume needs an imminent finding, and the first remedy of `data-about-to-go` must keep the data.
fn missing_warnings(snapshot: &Snapshot, behavior: &KubernetesBehavior) -> (Vec<String>, usize) {
    let settings = Settings { outcomes: Limit::All, ..Settings::new(behavior.clone()) };
    let simulation = simulation(snapshot, settings, 1);
    let scrutiny =
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() };
    let Findings { listed: findings, .. } = diagnose(&simulation, scrutiny, 1);
    let (mut silent, mut looked) = (Vec::new(), 0);
    for (id, volume) in (0u32..).map(VolumeId::new).zip(snapshot.volumes()) {
        let prediction = simulation.predict(ObjectId::from(id));
        let mut ends = prediction.outcomes.iter().flat_map(OutcomeSet::representatives);
        // A claim may be bound to the volume in the end although its driver was told to delete the storage.
        let is_handed_over = || {
            let steps = prediction.decisions.listed.iter().flat_map(|decision| &decision.record.steps);
            let hands_over = |step: &Branch| *step == Branch::DeleteStep(DeleteStep::DeleteExternal);
            volume.status.phase != VolumePhase::Failed && !volume.terminating() && steps.into_iter().any(hands_over)
        };
        if !ends.any(|end| destroys(behavior, volume, end)) && !is_handed_over() {
            continue;
        }
        looked += 1;
        let name = &volume.meta.name;
        let told: Vec<&Finding> = findings.iter().filter(|finding| tells_of(finding, volume)).collect();
        if told.is_empty() {
            silent.push(format!("no finding warns about volume {name}"));
        }
        let pages = silent_pages(&simulation, volume).into_iter();
        silent.extend(pages.map(|page| format!("a page about volume {name} does not mention the danger: {page}")));
        for finding in told.iter().filter(|finding| finding.rule.id == "data-about-to-go") {
            let keeps = finding.remedies.first().is_some_and(|remedy| remedy.verb == "retain");
            if finding.assumed.is_empty() && volume.reclaim_policy != ReclaimPolicy::Retain && !keeps {
                silent.push(format!("the first remedy does not keep volume {name}"));
            }
            if finding.severity == Severity::Warning && finding.assumed.is_empty() {
                silent.push(format!("the finding on volume {name} is a warning, but must be an error or information"));
            }
        }
    }
    (silent, looked)
}

#[test]
fn no_data_go_in_random_worlds_without_a_word() {
    let looked = std::cell::Cell::new(0);
    check(2500, (worlds(3, 3), some_rules()), |(Cluster(parts), rules)| {
        let (silent, some) = missing_warnings(&Snapshot::new(parts), &rules);
        looked.set(looked.get() + some);
        prop_assert!(silent.is_empty(), "{silent:?}");
        Ok(())
    });
    assert!(looked.get() > 100, "the test is too weak: only {} volumes can lose their data", looked.get());
}

#[test]
fn no_data_go_in_a_fixture_without_a_word() {
    let (mut silent, mut looked) = (Vec::new(), 0);
    for (path, bytes) in files(FOLDER, "yaml") {
        let text = String::from_utf8_lossy(&bytes);
        let header = header(&text);
        let (some, of) = missing_warnings(&Snapshot::new(read(&path, &header)), &header.rules());
        silent.extend(some.into_iter().map(|why| format!("{path}: {why}")));
        looked += of;
    }
    assert!(looked > 10, "the test is too weak: only {looked} volumes can lose their data");
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
