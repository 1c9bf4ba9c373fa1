//! This rule reports a claim and a volume with different volume modes, Filesystem and Block.

use super::{Difference, recreate, refused};
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-volumemode",
    title: "claim and volume have different volume modes",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending and the volume Available. If the claim names the volume, an event `VolumeMismatch` \
               says incompatible volumeMode; otherwise no event says which field differs.",
        why: "A pod uses a volume either as a mounted file system or as a raw device. `spec.volumeMode` of the claim \
              and of the volume have to be equal. If the field is missing, the mode is Filesystem.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeMode}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.volumeMode}'",
        repair: "Find out what is on the device. Neither mode can be changed. Create the claim again with the mode of \
                 the volume. Or set policy Retain, and create the volume again with the mode of the claim.",
        prevention: "If a raw device is needed, state `volumeMode: Block` in the claim and in the volume.",
        hazard: "If a device has no file system and is used with mode Filesystem, it is formatted. Data that an \
                 application wrote to the raw device are lost.",
        sources: &[
            "checkVolumeSatisfyClaim, Kubernetes 1.36 (C18f)",
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M4)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding-block-volumes",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let leaf = Some(ClaimBranch::UnboundClaimVolumeMismatchMode);
    let refused = refused(case, claim, CandidateVerdict::CandidateVolumeMode, leaf)?;
    let (has, wants) = (&refused.misfit.has, &refused.misfit.wants);
    let difference = Difference {
        has: &format!("has volume mode {has}"),
        wants: &format!("requests {wants}"),
        advice: "A volume mode cannot be changed: create the claim or the volume again",
    };
    let found = refused.found_for_want_of_a_provisioner(case, claim, difference);
    let how = format!("with volumeMode {has}, if its pods can use that");
    Some(found.remedy(recreate(claim, &how)).remedy(by_hand(format!(
        "if the storage is empty, set policy Retain on volume {} and create that volume again with volumeMode \
         {wants}",
        refused.volume.meta.name
    ))))
}
