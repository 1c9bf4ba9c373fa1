//! Compares searches for a volume: the answers of `FindMatchingVolume`, and the volumes that real decisions name.

use super::decisions::refused_by_validation;
use super::{Judged, Verdict, differ, target};
use anyhow::{Result, bail};
use pvctl::controllers::CandidateVerdict;
use pvctl::controllers::persistent_volume::candidates::delays_binding;
use pvctl::controllers::persistent_volume::matching::{Fit, Query};
use pvctl::controllers::persistent_volume::{Candidate, Candidates, match_claim};
use pvctl::model::{AnnotationKey, PersistentVolume, PersistentVolumeClaim, Quantity};
use pvctl::snapshot::{Snapshot, VolumeId};
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Judged<'_> {
    /// Compares the searches without a node. These are the searches of the controller. A search of the scheduler is not
    /// compared here.
    pub(super) fn compare_matches(&self, verdict: &mut Verdict) -> Result<()> {
        for (place, answer) in self.line.matches.iter().enumerate() {
            if !answer.node.is_empty() {
                continue;
            }
            let Some(id) = target(self.snapshot, &answer.claim)?.of::<PersistentVolumeClaim>() else {
                bail!("only claims are matched")
            };
            let claim = self.snapshot.claim(id);
            let text = |name: &str| json!(name).to_string();
            let error = |error: &str| BTreeSet::from([json!({ "error": error }).to_string()]);
            let real: BTreeSet<String> = if answer.error.is_empty() {
                answer.chosen.iter().map(|name| text(name)).collect()
            } else {
                error(&answer.error)
            };
            let predicted = match Query::new(self.behavior, claim, answer.delayed) {
                Ok(query) => {
                    found(self.snapshot, &query, &answer.excluded).into_iter().map(|name| text(&name)).collect()
                }
                Err(why) => error(&why),
            };
            verdict.counts.matches += 1;
            differ(&format!("matches[{place}]"), &answer.claim, &real, &predicted, verdict);
            // The verb `match` itself finds out whether binding is delayed.
            let Ok(delayed) = delays_binding(self.snapshot, self.behavior, claim) else { continue };
            if answer.delayed && !delayed {
                continue;
            }
            let part = format!("matches[{place}]: candidates");
            let has_modes =
                |id: VolumeId| self.snapshot.volume(id).access_modes.set().contains_all(&claim.access_modes);
            match match_claim(self.snapshot, self.behavior, claim) {
                Err(why) => differ(&part, &answer.claim, &real, &error(&why), verdict),
                // The controller searches only among volumes with the modes of the claim. The first of these volumes
                // causes the error.
                Ok(candidates) if !answer.error.is_empty() => {
                    let reached = candidates.listed.iter().any(|candidate| has_modes(candidate.volume));
                    if reached {
                        differ(&part, &answer.claim, &real, &BTreeSet::new(), verdict);
                    }
                }
                Ok(candidates) => {
                    let fit = fitting(self.snapshot, &candidates, answer.delayed, delayed);
                    let excluded = |name: &&str| answer.excluded.iter().any(|other| other == name);
                    let fit: BTreeSet<String> =
                        fit.into_iter().filter(|name| !excluded(name)).map(str::to_owned).collect();
                    let chosen = |name: &&String| self.snapshot.volume_id(name).is_some_and(has_modes);
                    let real: BTreeSet<String> = answer.chosen.iter().filter(chosen).cloned().collect();
                    let none = answer.chosen.iter().all(String::is_empty);
                    // A volume that is chosen has to fit. If no volume is chosen, none may fit.
                    let said = if none { fit } else { real.intersection(&fit).cloned().collect() };
                    verdict.counts.chosen += usize::from(none || !real.is_empty());
                    differ(&part, &answer.claim, &real, &said, verdict);
                }
            }
        }
        self.compare_choices(verdict)
    }

    /// Compares the volumes to which the real controller binds a claim, according to the writes of its decisions.
    fn compare_choices(&self, verdict: &mut Verdict) -> Result<()> {
        for (place, case) in self.line.decisions.iter().enumerate() {
            let Some(id) = target(self.snapshot, &case.object)?.of::<PersistentVolumeClaim>() else { continue };
            if case.decisions.is_empty() || case.decisions.iter().any(refused_by_validation) {
                continue;
            }
            let claim = self.snapshot.claim(id);
            // The controller searches no volume for a claim whose binding is completed.
            if claim.meta.annotations.has(AnnotationKey::BindCompleted) {
                continue;
            }
            let part = format!("decisions[{place}]: candidates");
            let error = |error: &str| BTreeSet::from([json!({ "error": error }).to_string()]);
            let predicted: BTreeSet<String> = match match_claim(self.snapshot, self.behavior, claim) {
                Err(why) => error(&why),
                Ok(candidates) => {
                    let chosen = candidates.listed.iter().filter(|candidate| candidate.may_be_chosen());
                    let chosen: BTreeSet<String> =
                        chosen.map(|candidate| self.snapshot.volume(candidate.volume).meta.name.to_string()).collect();
                    if chosen.is_empty() { [String::new()].into() } else { chosen }
                }
            };
            let wants = |why: &str| predicted == error(why);
            let real: BTreeSet<String> = case
                .decisions
                .iter()
                .map(|decision| {
                    let failed =
                        decision["error"].as_str().and_then(|error| error.split_once("error finding PV for claim "));
                    match failed.and_then(|(_, rest)| rest.split_once(": ")) {
                        Some((_, why)) if wants(why) => error(why).into_iter().next().unwrap_or_default(),
                        _ => bound_to(decision, &claim.volume_name),
                    }
                })
                .collect();
            verdict.counts.chosen += 1;
            differ(&part, &case.object, &real, &predicted, verdict);
        }
        Ok(())
    }
}

/// Returns the volume to which the sync of a claim binds the claim. It is the volume that the sync updates, or the one
/// that it writes into the claim. The name is empty if the sync does not bind the claim.
fn bound_to(decision: &Value, named: &str) -> String {
    for write in decision["writes"].as_array().into_iter().flatten().filter(|write| write["verb"] == "update") {
        if write["resource"] == "persistentvolumes" {
            return write["name"].as_str().unwrap_or_default().to_owned();
        }
        if write.pointer("/patch/metadata/annotations/pv.kubernetes.io~1bind-completed").is_some() {
            let volume = write.pointer("/patch/spec/volumeName").and_then(Value::as_str);
            return volume.unwrap_or(named).to_owned();
        }
    }
    String::new()
}

/// Returns the volumes that fit according to matching, whether they are chosen or not. `asked` says whether the search
/// is for delayed binding. `delayed` says whether the binding of the claim is delayed.
fn fitting<'s>(snapshot: &'s Snapshot, candidates: &Candidates, asked: bool, delayed: bool) -> BTreeSet<&'s str> {
    let verdict = |candidate: &Candidate| match candidate.without_delay {
        Some(verdict) if !asked && delayed => verdict,
        _ => candidate.verdict,
    };
    let fits = |candidate: &&Candidate| {
        matches!(
            verdict(candidate),
            CandidateVerdict::CandidateChosen
                | CandidateVerdict::CandidateReserved
                | CandidateVerdict::CandidateNotSmaller
        )
    };
    candidates
        .listed
        .iter()
        .filter(fits)
        .map(|candidate| snapshot.volume(candidate.volume).meta.name.as_str())
        .collect()
}

/// Returns the volumes that a search of all volumes can find. These are the volumes that are reserved for the claim. If
/// there are none, the function returns the smallest free volumes that fit. If no volume fits, it returns one empty
/// name.
fn found(snapshot: &Snapshot, query: &Query<'_>, excluded: &[String]) -> Vec<String> {
    let left = || snapshot.volumes().iter().filter(|volume| !excluded.iter().any(|name| *name == volume.meta.name));
    let fitting = |wanted: Fit| left().filter(move |volume| query.fit(volume) == wanted);
    let mut names: Vec<String> = fitting(Fit::Reserved).map(|volume| volume.meta.name.to_string()).collect();
    if names.is_empty() {
        let size = |volume: &PersistentVolume| volume.storage().copied().unwrap_or(Quantity::ZERO);
        if let Some(smallest) = fitting(Fit::Free).map(size).min_by(Quantity::compare) {
            names = fitting(Fit::Free)
                .filter(|volume| size(volume).compare(&smallest).is_eq())
                .map(|volume| volume.meta.name.to_string())
                .collect();
        }
    }
    if names.is_empty() {
        names.push(String::new());
    }
    names
}
