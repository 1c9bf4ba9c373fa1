//! Compares the reasons why a claim does not get a volume: every test that the volume fails, and the message about a
//! volume that the claim names. This module also compares planned claims.

use super::{Judged, Verdict, differ, target};
use crate::line::Case;
use anyhow::Result;
use pvctl::controllers::CandidateVerdict;
use pvctl::controllers::persistent_volume::matching::{Fit, Query};
use pvctl::controllers::persistent_volume::{Search, match_claim, planned};
use pvctl::model::{AccessModes, Amount, PersistentVolumeClaim, Str, VolumePhase};
use serde_json::Value;
use std::collections::BTreeSet;

/// The messages of the real controller for a volume that the claim names and that does not fit.
const NAMED: [(&str, CandidateVerdict); 8] = [
    ("is marked for deletion", CandidateVerdict::CandidateDeleting),
    ("requested PV is too small", CandidateVerdict::CandidateTooSmall),
    ("storageClassName does not match", CandidateVerdict::CandidateClass),
    ("volumeAttributesClassName does not match", CandidateVerdict::CandidateAttributesClass),
    ("volumeAttributesClassName is not supported", CandidateVerdict::CandidateAttributesClass),
    ("incompatible volumeMode", CandidateVerdict::CandidateVolumeMode),
    ("incompatible accessMode", CandidateVerdict::CandidateAccessModes),
    ("already bound to a different claim", CandidateVerdict::CandidateClaimedByOther),
];

impl Judged<'_> {
    /// Compares the failed tests, the named volume and the planned claim, for every claim of the line.
    pub(super) fn compare_searches(&self, verdict: &mut Verdict) -> Result<()> {
        for answer in &self.line.matches {
            if let Some(id) = target(self.snapshot, &answer.claim)?.of::<PersistentVolumeClaim>() {
                self.compare_misfits(self.snapshot.claim(id), verdict);
            }
        }
        for case in &self.line.decisions {
            if let Some(id) = target(self.snapshot, &case.object)?.of::<PersistentVolumeClaim>() {
                let claim = self.snapshot.claim(id);
                self.compare_misfits(claim, verdict);
                self.compare_named(case, claim, verdict);
                self.compare_planned(case, claim, verdict);
            }
        }
        Ok(())
    }

    /// Compares the tests that a volume fails. To find all of them, the search is repeated. Each time, the volume or
    /// the claim is changed so that the volume passes the last failed test. Another function compares the first failed
    /// test with `FindMatchingVolume`.
    fn compare_misfits(&self, claim: &PersistentVolumeClaim, verdict: &mut Verdict) {
        let Ok(query) = Query::new(self.behavior, claim, false) else { return };
        let object = crate::line::Object {
            kind: "PersistentVolumeClaim".to_owned(),
            namespace: claim.meta.namespace.to_string(),
            name: claim.meta.name.to_string(),
        };
        for volume in self.snapshot.volumes() {
            let mut met = Vec::new();
            let (mut mended, mut wanting) = (volume.clone(), claim.clone());
            while let Ok(query) = Query::new(self.behavior, &wanting, false)
                && let Fit::No(why) = query.fit(&mended)
                && !met.contains(&why)
            {
                met.push(why);
                let changes = wanting.attributes_class.clone().filter(|_| self.behavior.attributes_class);
                match why {
                    CandidateVerdict::CandidateClaimedByOther => mended.claim_ref = None,
                    CandidateVerdict::CandidateTooSmall => mended.capacity = storage(&wanting),
                    CandidateVerdict::CandidateVolumeMode => mended.volume_mode = Some(wanting.mode()),
                    CandidateVerdict::CandidateAttributesClass => mended.attributes_class = changes,
                    CandidateVerdict::CandidateDeleting => mended.meta.deleted = None,
                    CandidateVerdict::CandidatePhase => mended.status.phase = VolumePhase::Available,
                    CandidateVerdict::CandidateSelector => wanting.selector = None,
                    CandidateVerdict::CandidateClass => mended.class_name = Str::from(wanting.class()),
                    _ => break,
                }
            }
            if !has_modes(&volume.access_modes, &claim.access_modes) {
                met.push(CandidateVerdict::CandidateAccessModes);
            }
            let said = query.misfits(volume);
            let text = |verdicts: &[CandidateVerdict]| {
                let names: Vec<&str> = verdicts.iter().map(|verdict| verdict.name()).collect();
                BTreeSet::from([format!("{}: {}", volume.meta.name, names.join(" "))])
            };
            differ("misfits", &object, &text(&met), &text(&said), verdict);
        }
    }

    /// Compares the message about the volume that a claim names with the event of the real controller.
    fn compare_named(&self, case: &Case, claim: &PersistentVolumeClaim, verdict: &mut Verdict) {
        let [done] = case.decisions.as_slice() else { return };
        let events = done["events"].as_array().into_iter().flatten();
        let messages: Vec<&str> = events.filter_map(|event| event["message"].as_str()).collect();
        let Some((_, real)) = NAMED.iter().find(|(words, _)| messages.iter().any(|said| said.contains(words))) else {
            return;
        };
        let text = |verdict: CandidateVerdict| BTreeSet::from([verdict.name().to_owned()]);
        let said = match match_claim(self.snapshot, self.behavior, claim) {
            Ok(candidates) => match (candidates.listed.as_slice(), candidates.search) {
                ([candidate], Search::Named) => text(candidate.verdict),
                _ => BTreeSet::new(),
            },
            Err(_) => BTreeSet::new(),
        };
        differ("the named volume", &case.object, &text(*real), &said, verdict);
    }

    /// Compares planned claims. A claim that no controller has changed yet is stored as it was planned. A planned claim
    /// without a class gets the class that the real controller gives to such a claim: the newest default class.
    fn compare_planned(&self, case: &Case, claim: &PersistentVolumeClaim, verdict: &mut Verdict) {
        let mut new = claim.clone();
        new.meta.uid = Str::default();
        new.status = pvctl::model::ClaimStatus::default();
        if claim.mode() == pvctl::model::VolumeMode::Filesystem {
            new.volume_mode = None;
        }
        let made = planned(self.snapshot, new);
        let mut as_planned = made.claim;
        as_planned.meta.uid.clone_from(&claim.meta.uid);
        as_planned.class_name.clone_from(&claim.class_name);
        let untouched = self.line.world.items.iter().any(|item| {
            item["kind"] == "PersistentVolumeClaim"
                && item["metadata"]["name"] == claim.meta.name.as_str()
                && item["metadata"]["namespace"] == claim.meta.namespace.as_str()
                && item["status"] == serde_json::json!({"phase": "Pending"})
        });
        let text = |claim: &PersistentVolumeClaim| BTreeSet::from([format!("{claim:?}")]);
        if untouched {
            differ("planned", &case.object, &text(claim), &text(&as_planned), verdict);
        }
        let assigned = case.decisions.iter().find_map(|done| {
            let writes = done["writes"].as_array().into_iter().flatten();
            let mut classes = writes.filter_map(|write| write.pointer("/patch/spec/storageClassName"));
            classes.find_map(Value::as_str).map(str::to_owned)
        });
        let text = |class: Option<String>| BTreeSet::from([class.unwrap_or_default()]);
        let planned = made.default_class.map(|class| class.to_string());
        if assigned.is_some() || claim.has_class() {
            differ("the planned class", &case.object, &text(assigned), &text(planned), verdict);
        }
    }
}

fn has_modes(has: &AccessModes, wanted: &AccessModes) -> bool {
    wanted.0.iter().all(|mode| has.0.contains(mode))
}

/// Returns the capacity that equals the request of the claim.
fn storage(claim: &PersistentVolumeClaim) -> std::sync::Arc<[(Str, Amount)]> {
    claim.request.iter().map(|request| (Str::from("storage"), request.clone())).collect()
}
