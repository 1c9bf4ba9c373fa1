//! This rule reports a volume that every claim can get although the volume had a claim before.

use super::{PATIENCE, with_storage};
use crate::controllers::VolumeBranch;
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::{is_bound, provisioner};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, restore};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{
    AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, SourceKind, VolumePhase,
};
use crate::simulate::{Outcome, OutcomeSet};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "pv-available-with-data",
    title: "free for every claim, although it had a claim before",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is Available, and the column CLAIM is empty. But the volume is not new: it was provisioned \
               for a claim, or it was Bound before.",
        why: "Somebody removed the whole `spec.claimRef`. Many web pages recommend this for a Released volume. Then \
              the next claim that fits, in any namespace, can get the volume with its data. A provisioner \
              creates a volume only for a claim. The only exception is the provisioner of local volumes, so pvctl \
              ignores its annotation. The controller removes its own annotation when it makes a volume free. So an \
              annotation of another provisioner or of the controller shows that the volume had a claim.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.annotations} {.spec.claimRef}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.metadata.creationTimestamp} {.status.lastPhaseTransitionTime}'",
        repair: "Find out which claim the data belong to, and reserve the volume for it: write its namespace and name \
                 into `spec.claimRef`. If the claim is already bound to this volume, write its uid as well: without \
                 the uid, the claim becomes Lost. If nobody needs the data, erase them.",
        prevention: "To reserve a released volume for a claim, remove only the uid from its `claimRef`.",
        hazard: "The application of the next claim that fits can read the old data, or it formats the volume and \
                 destroys them. If the class has binding mode Immediate, this claim gets the volume even without a \
                 pod.",
        sources: &[
            "syncVolume, unbindVolume, Kubernetes 1.36 (V2, U1)",
            "kubernetes/kubernetes#48609",
            "velero-io/velero#3007",
        ],
    },
    detect: Detect::Volume(detect),
};

/// A sign that a volume without a `claimRef` had a claim before.
pub(super) struct Trace {
    /// The sign in words, as a sentence without a full stop.
    words: String,
    /// The field that has the sign.
    field: &'static str,
    value: String,
    /// Whether the sign has no other possible cause.
    is_proof: bool,
}

/// Returns the clearest sign that the volume had a claim. Returns None for a volume that has a `claimRef`.
pub(super) fn trace(volume: &PersistentVolume) -> Option<Trace> {
    if volume.claim_ref.is_some() {
        return None;
    }
    // Provisioners of local volumes write this annotation to volumes that they discover. At first, no claim has these
    // volumes.
    if let Some(provisioner) = provisioner(volume).filter(|_| volume.source.kind != SourceKind::Local) {
        return Some(Trace {
            words: format!("{provisioner} provisioned the volume for a claim"),
            field: "metadata.annotations[pv.kubernetes.io/provisioned-by]",
            value: provisioner.to_owned(),
            is_proof: true,
        });
    }
    if let Some(value) = volume.meta.annotations.get(AnnotationKey::BoundByController) {
        return Some(Trace {
            words: "The controller had bound it to a claim".to_owned(),
            field: "metadata.annotations[pv.kubernetes.io/bound-by-controller]",
            value: value.to_owned(),
            is_proof: true,
        });
    }
    let phase = &volume.status.phase;
    if matches!(phase, VolumePhase::Bound | VolumePhase::Released | VolumePhase::Failed) {
        return Some(Trace {
            words: format!("Its recorded phase is {}", phase.as_str()),
            field: "status.phase",
            value: phase.as_str().to_owned(),
            is_proof: true,
        });
    }
    // A recycled volume becomes Available a second time and is empty.
    if *phase != VolumePhase::Available || volume.reclaim_policy == ReclaimPolicy::Recycle {
        return None;
    }
    let changed = volume.status.last_phase_transition?;
    let lasted = changed.seconds_since(volume.meta.created?);
    (lasted > PATIENCE).then(|| Trace {
        words: format!("It became Available {} after it was created", human_age(lasted)),
        field: "status.lastPhaseTransitionTime",
        value: changed.to_string(),
        is_proof: false,
    })
}

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.terminating() {
        return None;
    }
    let Trace { words, field, value, is_proof } = trace(volume)?;
    if case.volume_branch()? != VolumeBranch::VolumeUnclaimed {
        return None;
    }
    let owner = owner(case, volume);
    if owner.is_some_and(|owner| is_taken_back(case, owner)) {
        return None;
    }
    let (danger, ways) = match owner {
        Some(owner) => (
            format!(
                "Claim {} says that it is bound to this volume, but another claim that fits can get it first",
                owner.key()
            ),
            vec![restore(
                case.snapshot(),
                owner,
                format!("give the volume back to {}; nothing is deleted", owner.key()),
            )],
        ),
        None => (
            "The next claim that fits, of any namespace, gets these data".to_owned(),
            vec![by_hand(
                "find out which claim the data belong to, and reserve the volume for that claim: write its namespace \
                 and name into spec.claimRef before another claim gets the volume",
            )],
        ),
    };
    let found =
        Detection::new(format!("{} may have the data of another claim. {words}. {danger}", mention(&case.object())));
    let mut found = with_storage(found, case, volume)
        .severity(if is_proof { Severity::Warning } else { Severity::Info })
        .since(volume.status.last_phase_transition)
        .evidence(&case.object(), "spec.claimRef", "")
        .evidence(&case.object(), field, value);
    if let Some(owner) = owner {
        found = found.evidence(&key_of_claim(&owner.meta), "spec.volumeName", owner.volume_name.as_str());
    }
    Some(found.remedies(ways))
}

/// Returns the claim that is still bound to the volume by its own fields.
fn owner<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Option<&'a PersistentVolumeClaim> {
    let snapshot = case.snapshot();
    let mut claims = snapshot.claims_naming(&volume.meta.name).iter().map(|id| snapshot.claim(*id));
    claims.find(|claim| is_bound(claim) && !claim.terminating())
}

/// Returns whether this claim has the volume at the only possible end.
fn is_taken_back(case: &Case<'_>, owner: &PersistentVolumeClaim) -> bool {
    let only = case.ends().and_then(OutcomeSet::only);
    let Some(Outcome::Volume { phase: VolumePhase::Bound, claim_ref: Some((_, _, uid)), .. }) = only else {
        return false;
    };
    *uid == owner.meta.uid
}
