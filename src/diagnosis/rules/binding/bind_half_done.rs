//! This rule reports a binding that was begun and has not been completed for a while.

use crate::controllers::{Branch, CandidateVerdict, ClaimBranch};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::{has_uid_of, is_bound};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{ClaimPhase, Kind, PersistentVolume, PersistentVolumeClaim, Timestamp};
use crate::snapshot::printed;
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "bind-half-done",
    title: "a binding was begun and is not completed",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The volume shows the claim under CLAIM, and may be Bound; the claim is Pending, with or without VOLUME. \
               This has been so for minutes.",
        why: "A binding consists of four writes, first to the volume and then to the claim. If the controller stops \
              between two writes, or if a write is refused, the next sync continues the binding. A resync happens \
              every 15 s by default. If the binding is not completed for minutes, kube-controller-manager does not \
              run, or has no permission to write.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef.uid}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.uid} {.spec.volumeName}'\n\
                  kubectl get lease kube-controller-manager -n kube-system",
        repair: "Change nothing on these objects. Make sure that kube-controller-manager runs and may write. Then it \
                 completes the binding.",
        prevention: "Monitor kube-controller-manager, and the admission webhooks for volumes and claims.",
        hazard: "If you complete the binding by hand, your writes collide with those of the controller. If you delete \
                 the claim now, the volume becomes Released, and its reclaim policy decides about the data.",
        sources: &["bind, Kubernetes 1.36 (B1 to B4)", "syncVolume, Kubernetes 1.36 (V8, V9)"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || matches!(claim.status.phase, ClaimPhase::Bound | ClaimPhase::Lost) {
        return None;
    }
    let volume = begun(case, claim)?;
    let reserved_at = volume.status.last_phase_transition.or(volume.meta.created);
    let since: Option<Timestamp> = claim.meta.created.max(reserved_at);
    let passed = case.lasts(since)?;
    let reserved = Branch::CandidateVerdict(CandidateVerdict::CandidateReserved);
    match case.claim_branch()? {
        ClaimBranch::UnboundClaimNamedVolumeReserved | ClaimBranch::BoundClaimVolumeOurs => {}
        ClaimBranch::UnboundClaimVolumeFound if case.decision()?.record.steps.contains(&reserved) => {}
        _ => return None,
    }
    let name = &volume.meta.name;
    let missing = if claim.volume_name.is_empty() {
        "the claim has not named that volume"
    } else if is_bound(claim) {
        "the phase of the claim has not become Bound"
    } else {
        "the claim lacks the annotation of a completed binding"
    };
    let completed = "The next sync completes the binding: check whether kube-controller-manager runs";
    let found = Detection::new(format!(
        "kube-controller-manager has not finished binding {} to {} for {}. The volume has the uid of the claim in \
         spec.claimRef, but {missing}. {completed}",
        mention(&case.object()),
        mention(&volume_key(name)),
        human_age(passed)
    ));
    let watch = format!("get pvc {} -n {} -w", quoted(&claim.meta.name), quoted(&claim.meta.namespace));
    Some(
        found
            .since(since)
            .evidence(&volume_key(name), "spec.claimRef.uid", printed(&claim.meta.uid))
            .evidence(&case.object(), "spec.volumeName", claim.volume_name.as_str())
            .evidence(&case.object(), "status.phase", claim.status.phase.as_str())
            .remedy(by_hand("check that kube-controller-manager runs and has the rights to write volumes and claims"))
            .remedy(kubectl(watch, "wait for the next resync; write nothing by hand")),
    )
}

/// Returns the volume whose `claimRef` has the claim's uid. If the claim names a volume, only that volume is
/// considered.
fn begun<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    let is_ours = |volume: &&PersistentVolume| has_uid_of(volume, claim);
    if claim.volume_name.is_empty() {
        let naming = case.snapshot().volumes_naming(&claim.meta.namespace, &claim.meta.name);
        case.volumes(naming).find(is_ours)
    } else {
        case.volume(&claim.volume_name).filter(is_ours)
    }
}
