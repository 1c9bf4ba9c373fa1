//! This rule reports a claim that is Lost and will become Bound again by itself.

use crate::controllers::ClaimBranch;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{ClaimPhase, Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "lost-heals-itself",
    title: "the claim is Lost and will be Bound again",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Lost, although its volume exists and names the claim, or names no claim.",
        why: "The phase Lost is not final. The controller syncs a Lost claim again at every resync (every 15 s by \
              default). It binds the claim as soon as the volume exists and its `spec.claimRef` has the claim's uid or \
              is missing.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -w",
        repair: "Wait for the next resync. If nothing happens, check whether kube-controller-manager runs.",
        prevention: "No prevention is needed.",
        hazard: "No repair is needed. If you delete the claim now, the volume can become Released, and with policy \
                 Delete its data are deleted.",
        sources: &["syncBoundClaim, Kubernetes 1.36 (C25, C26)"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || claim.status.phase != ClaimPhase::Lost {
        return None;
    }
    let heals = match case.claim_branch()? {
        ClaimBranch::BoundClaimVolumeUnbound => "has no claimRef",
        ClaimBranch::BoundClaimVolumeOurs => "exists and names the claim",
        _ => return None,
    };
    if !case.always_ends("Bound")? {
        return None;
    }
    let name = &claim.volume_name;
    let found =
        Detection::new(format!("{} {heals}. The next sync makes the claim Bound again", mention(&volume_key(name))));
    Some(found.evidence(&case.object(), "status.phase", claim.status.phase.as_str()).evidence(
        &volume_key(name),
        "spec.claimRef.uid",
        claim_uid(case, name),
    ))
}

/// Returns the uid in the `claimRef` of the volume, or an empty text if there is none.
fn claim_uid(case: &Case<'_>, volume: &str) -> String {
    let named = case.volume(volume).and_then(|volume| volume.claim_ref.as_ref());
    named.map(|named| named.uid.to_string()).unwrap_or_default()
}
