//! This rule reports a claim with a completed binding that names no volume.

use crate::controllers::ClaimBranch;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::has_uid_of;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, restore};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolumeClaim};
use crate::snapshot::printed;

pub(super) static RULE: Rule = Rule {
    id: "lost-volumename-empty",
    title: "the claim says that it is bound, but it names no volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[Repair::Restore],
    page: Page {
        seen: "The claim is Lost and VOLUME is empty; an event `ClaimLost` says that the bound claim has lost its \
               reference to a volume.",
        why: "The claim has the annotation `pv.kubernetes.io/bind-completed`, but no `spec.volumeName`. A template, a \
              tool that copies objects, or a restore has copied the annotation.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations} {.spec.volumeName}'\n\
                  kubectl get pv -o wide",
        repair: "If a volume's `spec.claimRef` has this claim's uid, `kubectl pvctl restore pvc/NAME -n NAMESPACE` \
                 writes that volume's name into `spec.volumeName`. This is possible only as long as the field is \
                 empty. The next sync makes both Bound. No other volume is possible, so `fix --yes` also does this. \
                 Otherwise remove the annotations `pv.kubernetes.io/bind-completed` and \
                 `pv.kubernetes.io/bound-by-controller`. Then the controller treats the claim as a new claim.",
        prevention: "Leave the annotations `pv.kubernetes.io/*` out of templates.",
        hazard: "Without the annotation, the claim can get any volume that fits, or a new and empty volume.",
        sources: &["syncBoundClaim, Kubernetes 1.36 (C23)", "rancher/k3k#786"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || case.claim_branch()? != ClaimBranch::BoundClaimVolumeNameCleared {
        return None;
    }
    let (name, namespace) = (&claim.meta.name, &claim.meta.namespace);
    let ids = case.snapshot().volumes_naming(namespace, name);
    let ours = case.volumes(ids).find(|volume| has_uid_of(volume, claim));
    let object = case.object();
    let marked = |found: Detection| {
        found.evidence(&object, "metadata.annotations[pv.kubernetes.io/bind-completed]", "present").evidence(
            &object,
            "spec.volumeName",
            "",
        )
    };
    let Some(volume) = ours else {
        // Only if all volumes are known is it certain that none of them has the uid.
        let none = case.knows_all(Kind::PersistentVolume, "");
        let rest = if none { ". No volume has the uid of the claim" } else { "" };
        // The annotation with the name of a provisioner shows that the controller asked a driver for a volume. Some
        // drivers check only the phase of the claim, and make a volume for a Lost claim again and again.
        let annotations = &claim.meta.annotations;
        let driver = [AnnotationKey::StorageProvisioner, AnnotationKey::BetaStorageProvisioner]
            .into_iter()
            .find_map(|key| annotations.get(key))
            .filter(|driver| !driver.is_empty());
        let (touched, leftovers) = match driver {
            Some(driver) => (
                format!(
                    "No controller deletes data because of this. But {driver} was asked for a volume, which may be \
                     left in the storage system"
                ),
                Some(by_hand(format!(
                    "look in the storage system for volumes that {driver} made for this claim: their names usually \
                     contain its uid, {}",
                    printed(&claim.meta.uid)
                ))),
            ),
            None => ("No controller changed data because of this".to_owned(), None),
        };
        return Some(
            marked(Detection::new(format!(
                "{} has annotation pv.kubernetes.io/bind-completed, but its spec.volumeName is empty{rest}. {touched}",
                mention(&object)
            )))
            .remedy(by_hand(
                "find out which volume has the data of the claim; if there is none, remove the annotations \
                 pv.kubernetes.io/bind-completed and pv.kubernetes.io/bound-by-controller",
            ))
            .remedies(leftovers),
        );
    };
    let message = format!(
        "{} has annotation pv.kubernetes.io/bind-completed, but its spec.volumeName is empty. Volume {} has the uid of \
         the claim in spec.claimRef. With the name of that volume in spec.volumeName, both are Bound again",
        mention(&object),
        volume.meta.name
    );
    Some(
        marked(Detection::new(message))
            .evidence(&volume_key(&volume.meta.name), "spec.claimRef.uid", claim.meta.uid.as_str())
            .remedy(restore(
                case.snapshot(),
                claim,
                format!("give the claim its volume {} back; nothing is deleted", volume.meta.name),
            )),
    )
}
