//! This rule reports a claim whose only fitting volume is being deleted.

use super::{Difference, misfit_words, recreate, refused, reserved_volumes};
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::has_uid;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-pv-being-deleted",
    title: "the volume that the claim could have is being deleted",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending; its volume shows Terminating. If the claim names the volume, an event \
               `VolumeMismatch` says that it is marked for deletion.",
        why: "Somebody deleted the PersistentVolume, and a finalizer still keeps it. A deletion cannot be undone, so \
              the controller binds no claim to such a volume: the search for a volume ignores it, and a claim that \
              names it is refused.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.deletionTimestamp} {.metadata.finalizers}'\n\
                  kubectl describe pv VOLUME",
        repair: "Set the policy of the volume to Retain, so that its storage is kept. Save its manifest. When the \
                 object is gone, create it again under the same name for the same storage, without uid and deletion \
                 timestamp and with a `claimRef` to this claim.",
        prevention: "Do not delete volumes in order to reset them. Set policy Retain for volumes with important data.",
        hazard: "If you wait until the volume is gone, its storage may be gone as well. If you remove its finalizers \
                 by hand, the storage stays without an object in the cluster, or stays attached to a node.",
        sources: &[
            "checkVolumeSatisfyClaim, Kubernetes 1.36 (C18a)",
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M6)",
            "kubernetes/kubernetes#85465",
        ],
    },
    detect: Detect::Claim(detect),
};

/// What a deletion means for a volume.
const UNDOABLE: &str = "A deletion cannot be undone, so the controller binds this volume to no claim any more";

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let verdict = CandidateVerdict::CandidateDeleting;
    let leaf = Some(ClaimBranch::UnboundClaimVolumeMismatchDeleting);
    let (found, volume) = match refused(case, claim, verdict, leaf) {
        Some(refused) => {
            let difference = Difference { has: "is being deleted", wants: "", advice: UNDOABLE };
            let mut found = refused.found_for_want_of_a_provisioner(case, claim, difference);
            let going = volume_key(&refused.volume.meta.name);
            let (me, volume) = (mention(&case.object()), mention(&going));
            found.message = if refused.is_named {
                let state = elsewhere(&going, ", which is being deleted,");
                format!("{me} names {volume}{state} and can never be bound to it. {UNDOABLE}")
            } else {
                format!("the closest free volume {} is being deleted. No free volume fits. {UNDOABLE}", going.name)
            };
            (found, refused.volume)
        }
        None => reserved(case, claim)?,
    };
    let kept = data_fate(case.behavior(), volume) == DataFate::Kept;
    let key = volume_key(&volume.meta.name);
    // Deleting a claim whose uid is in the volume's `claimRef` releases the volume.
    let other = (!has_uid(volume)).then(|| recreate(claim, "with another volume, if the data are not needed"));
    Some(
        found
            .risk(if kept { Risk::None } else { Risk::Possible })
            .since(volume.meta.deleted)
            .evidence(&key, "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str())
            .remedies(retain(volume))
            .remedy(describe(&key, "see what still keeps the volume"))
            .remedy(by_hand(format!(
                "save the manifest of volume {}; once the volume is gone, create it again for the same storage, with a \
                 claimRef to {}",
                volume.meta.name,
                claim.key()
            )))
            .remedies(other)
            .follows_from(key, Act::Delete),
    )
}

/// Returns the volume that is reserved for the claim and would fit if it were not being deleted. Also returns the
/// detection about this volume.
fn reserved<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<(Detection, &'a PersistentVolume)> {
    if !claim.volume_name.is_empty() || case.unbound_branch(claim)? == ClaimBranch::UnboundClaimVolumeFound {
        return None;
    }
    let query = Query::new(case.behavior(), claim, false).ok()?;
    let volume =
        reserved_volumes(case, claim).find(|volume| query.misfits(volume) == [CandidateVerdict::CandidateDeleting])?;
    let (name, words) = (&volume.meta.name, misfit_words(volume, claim, CandidateVerdict::CandidateDeleting)?);
    let (reserved, me) = (mention(&volume_key(name)), mention(&case.object()));
    let found = Detection::new(format!("{reserved} is reserved for {me}, but {words}. {UNDOABLE}"));
    Some((found.moment(&volume_key(name), "metadata.deletionTimestamp", volume.meta.deleted), volume))
}
