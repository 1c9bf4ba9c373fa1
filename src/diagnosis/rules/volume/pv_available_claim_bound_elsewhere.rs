//! This rule reports a volume that is reserved for a claim that has another volume.

use super::with_storage;
use crate::controllers::VolumeBranch;
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::is_bound;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::{Case, Detect, Detection, Holder, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "pv-available-claim-bound-elsewhere",
    title: "reserved for a claim that has another volume",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is Available, and the column CLAIM shows a claim. This claim is Bound to another volume, or \
               waits for another volume.",
        why: "`spec.claimRef` reserves the volume for the claim, but `spec.volumeName` of the claim names another \
              volume, and this field can never be changed. For example, two volumes were reserved for one claim, and \
              the controller bound the other volume. Or a volume without `claimRef` and \
              with fewer access modes matched, and the controller tests such volumes first. Or the volume was created again from its manifest after the claim had \
              got another volume. The controller makes such a volume Available and \
              does not remove the reservation, so no other claim can get the volume.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeName} {.status.phase}'",
        repair: "Find out which of the two volumes has the right data. If the other volume has them, this volume is \
                 not needed: erase it and remove the `claimRef`, or reserve it for another claim. If this volume has \
                 them, create the claim again, with the name of this volume in `spec.volumeName`: set both volumes to \
                 Retain, stop the pods, delete the claim, and create it.",
        prevention: "Set both fields: write the name of the volume into `spec.volumeName` of the claim, and the \
                     claim's namespace and name into `claimRef` of the volume.",
        hazard: "If the claim is deleted and created again, it may get this volume, and the application starts with \
                 old data. If you remove the `claimRef`, every claim that fits, in any namespace, can get the data on \
                 the volume.",
        sources: &["syncVolume, Kubernetes 1.36 (V3, V13)", "FindMatchingVolume, Kubernetes 1.36 (M7)"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let named = volume.claim_ref.as_ref()?;
    if volume.terminating() {
        return None;
    }
    let branch = case.volume_branch()?;
    if !matches!(branch, VolumeBranch::VolumeReserved | VolumeBranch::VolumeSurplusUnbindUser) {
        return None;
    }
    let claim = match case.holder(volume) {
        Holder::ReservedFor(claim) | Holder::Lives(claim) => claim,
        Holder::Nobody | Holder::ReservedForMissing | Holder::Replaced(_) | Holder::Gone | Holder::Unknown => {
            return None;
        }
    };
    let other = &claim.volume_name;
    if other.is_empty() || *other == volume.meta.name {
        return None;
    }
    let name = claim_name(named);
    let has = if is_bound(claim) { "is bound to" } else { "names" };
    let now = if branch == VolumeBranch::VolumeReserved { "" } else { "after the next sync, " };
    let me = mention(&case.object());
    let found = Detection::new(format!(
        "{now}{me} is reserved for {}, which {has} volume {other}. No other claim can get the reserved volume. If that \
         claim is created again, it may get the data on volume {}",
        mention(&key_of_claim(&claim.meta)),
        volume.meta.name
    ));
    Some(
        with_storage(found, case, volume)
            .evidence(&case.object(), "spec.claimRef", name.as_str())
            .evidence(&case.object(), "spec.claimRef.uid", named.uid.as_str())
            .evidence(&key_of_claim(&claim.meta), "spec.volumeName", other.as_str())
            .evidence(&key_of_claim(&claim.meta), "status.phase", claim.status.phase.as_str())
            .remedies(retain(volume))
            .remedy(by_hand(format!(
                "find out whether volume {} or volume {other} has the right data",
                volume.meta.name
            )))
            .remedy(by_hand(
                "if this volume is not needed, delete its data and remove spec.claimRef: then every claim that fits, \
                 in any namespace, can get it",
            )),
    )
}
