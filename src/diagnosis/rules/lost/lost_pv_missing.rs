//! This rule reports a claim with a completed binding whose volume does not exist.

use crate::controllers::ClaimBranch;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, save_claim};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "lost-pv-missing",
    title: "the claim's volume does not exist",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Lost, or will be Lost: VOLUME is filled, CAPACITY is 0, and an event `ClaimLost` says that \
               the data on the volume are lost. Pods that run keep their mounts; new pods do not start.",
        why: "The binding was completed (annotation `pv.kubernetes.io/bind-completed`), and `spec.volumeName` names a \
              PersistentVolume that does not exist. Somebody removed its finalizers and deleted it, or it was not \
              restored together with the claims, or it was reclaimed. The controller does not check the storage, so \
              the event can be wrong: with policy Retain the storage still exists, and often with another policy, too.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeName}'\nkubectl get pv VOLUME",
        repair: "Nothing has to be deleted. Find the storage that belonged to the claim, by the volume's old manifest, \
                 a backup, or the storage system. Create a PersistentVolume with the name in `spec.volumeName` of the \
                 claim. Give it that storage, policy Retain, the class, the volume mode and the access modes of the \
                 claim, at least the size of the claim, and a `spec.claimRef` with the namespace, the name and the uid \
                 of the claim. The next sync makes both Bound. If the storage is gone, save the claim's manifest, \
                 delete the claim and create it again, empty or from a backup.",
        prevention: "Do not remove finalizers from volumes. Restore volumes before claims. Set policy Retain for \
                     important data.",
        hazard: "With a wrong handle, the application gets the disk of somebody else. If you create the claim again \
                 while the storage still exists, the application starts on an empty disk.",
        sources: &["syncBoundClaim, Kubernetes 1.36 (C24)", "kubernetes/kubernetes#60298"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || case.claim_branch()? != ClaimBranch::BoundClaimVolumeMissing {
        return None;
    }
    let (name, namespace, volume) = (&claim.meta.name, &claim.meta.namespace, &claim.volume_name);
    let unchecked = if case.has_event("ClaimLost") {
        "The event says that the data are lost, but no controller has checked this"
    } else {
        "No controller checks whether the data are lost"
    };
    let found = Detection::new(format!(
        "{} does not exist. {unchecked}. The storage may still exist",
        part_of(&case.object(), &format!("volume {volume}"))
    ));
    Some(
        found
            .evidence(&case.object(), "spec.volumeName", volume.as_str())
            .evidence(&case.object(), "metadata.annotations[pv.kubernetes.io/bind-completed]", "present")
            .remedy(save_claim(claim, "save the manifest of the claim, with its uid"))
            .remedy(by_hand(format!(
                "find the storage, and create the PersistentVolume {volume} for it, with policy Retain and a claimRef to \
                 {namespace}/{name} with uid {}",
                claim.meta.uid
            ))),
    )
}
