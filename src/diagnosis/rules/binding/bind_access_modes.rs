//! This rule reports a claim that requests an access mode that the volume does not have.

use super::{Difference, recreate, refused};
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::misfit::missing_modes;
use crate::diagnosis::remedy::patch_volume;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AccessMode, Kind, PersistentVolumeClaim};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "bind-access-modes",
    title: "the volume does not have every access mode that the claim requests",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. If it names the volume, an event `VolumeMismatch` says incompatible accessMode; \
               otherwise no event says which field differs.",
        why: "`spec.accessModes` of the volume has to list every access mode that the claim requests. The modes are \
              compared as words: ReadWriteMany does not include ReadWriteOnce, although it permits more.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.accessModes}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.accessModes}'",
        repair: "Create the claim again with a mode that the volume has. Or add the mode to the volume, if its storage \
                 can be used in that way. The list of a volume can be changed.",
        prevention: "State in a volume all modes that its storage supports.",
        hazard: "If you add ReadWriteMany to a disk that only one node may mount, two nodes can write to one file \
                 system. ReadWriteOncePod cannot be combined with another mode.",
        sources: &[
            "checkVolumeSatisfyClaim, Kubernetes 1.36 (C18g)",
            "allPossibleMatchingAccessModes, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
            "https://gist.github.com/gitumarkk/7fcaf56677bfe682423d97f051a01816",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let leaf = Some(ClaimBranch::UnboundClaimVolumeMismatchAccessMode);
    let refused = refused(case, claim, CandidateVerdict::CandidateAccessModes, leaf)?;
    let volume = refused.volume;
    let missing = missing_modes(&volume.access_modes, &claim.access_modes).join(",");
    let has = format!("has access modes {}", refused.misfit.has);
    let wants = format!("requests {}", refused.misfit.wants);
    let advice = format!("The spec.accessModes of the volume must contain {missing}: no access mode includes another");
    let found =
        refused.found_for_want_of_a_provisioner(case, claim, Difference { has: &has, wants: &wants, advice: &advice });
    let offered: Vec<&str> = volume.access_modes.0.iter().map(AccessMode::as_str).collect();
    let how = match offered.as_slice() {
        [only] => format!("with access mode {only}"),
        several => format!("with access modes among {}", several.join(", ")),
    };
    let found = found.remedy(recreate(claim, &how));
    let lacking = || claim.access_modes.0.iter().filter(|mode| !volume.access_modes.0.contains(mode));
    // ReadWriteOncePod must be the only mode and so cannot be added. A mode that Kubernetes does not know cannot be
    // added to any volume.
    let is_addable = |mode: &AccessMode| match mode {
        AccessMode::ReadWriteOnce | AccessMode::ReadOnlyMany | AccessMode::ReadWriteMany => true,
        AccessMode::ReadWriteOncePod | AccessMode::Other(_) => false,
    };
    let has_lonely = volume.access_modes.0.contains(&AccessMode::ReadWriteOncePod);
    if has_lonely || !lacking().all(is_addable) {
        return Some(found);
    }
    let before = json!({ "op": "test", "path": "/spec/accessModes", "value": offered });
    let added = lacking().map(|mode| json!({ "op": "add", "path": "/spec/accessModes/-", "value": mode.as_str() }));
    let steps = std::iter::once(before).chain(added);
    let does = format!("add {missing} to the volume, but only if its storage can really be used in that way");
    Some(found.remedy(patch_volume(volume, steps.collect(), does)))
}
