//! This rule reports a volume that is being deleted while a claim is bound to it.

use super::{driver_of, listed};
use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, migrated_to};
use crate::controllers::persistent_volume::reclaim::{is_guarded, leaves_storage_behind};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::mention::{elsewhere, mention};
use crate::diagnosis::remedy::{by_hand, retain, save_volume};
use crate::diagnosis::{Act, Case, Detect, Detection, Holder, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "pv-terminating-bound",
    title: "the volume is being deleted while a claim is bound to it",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[Act::Delete],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "`kubectl get pv` shows Terminating, `kubectl get pvc` shows the claim as Bound, and the application \
               runs. In the YAML the volume has a deletionTimestamp and its phase is still Bound.",
        why: "Somebody deleted the PersistentVolume. pv-protection keeps an object whose phase is Bound, so that the \
              deletion waits for the claim, and nothing takes a deletionTimestamp back. Meanwhile attachers refuse to \
              attach the volume to another node: pods that move do not start. When the claim goes, the volume goes \
              too, and the reclaim policy decides on the storage.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.deletionTimestamp} {.status.phase} \
                  {.metadata.finalizers}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.persistentVolumeReclaimPolicy} {.spec.claimRef}'",
        repair: "It takes a planned outage. Set policy Retain and look that it is set. Save the volume's manifest with \
                 its source and handle, and the claim's. Stop the pods and delete the claim. As soon as the volume's \
                 object is gone, create it again: same name and source, policy Retain, a `spec.claimRef` with \
                 namespace and name alone. Then create the claim with `spec.volumeName`, and start the pods.",
        prevention: "Delete claims and not volumes; the volume follows by its policy. Keep the right to delete \
                     PersistentVolumes from those who do not need it.",
        hazard: "Deleting the claim before the policy is Retain destroys the data where a deletion finalizer is on the \
                 volume. Removing the finalizers by hand makes the claim Lost under running pods. A second object for \
                 the same handle under another name lets two claims write to one disk.",
        sources: &[
            "pvprotection processPV, Kubernetes 1.36 (X10)",
            "syncVolume, Kubernetes 1.36 (V10)",
            "external-attacher csi_handler.go",
            "kubernetes.io/blog, 2024-08-16: prevent PersistentVolume leaks when deleting out of order",
            "kubernetes/kubernetes#107214",
            "kubernetes/kubernetes#85465",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if !volume.terminating() || case.volume_branch()? != VolumeBranch::VolumeBound {
        return None;
    }
    let Holder::Lives(claim) = case.holder(volume) else { return None };
    let fate = data_fate(case.behavior(), volume);
    let leaves_storage_behind = leaves_storage_behind(case.behavior(), volume);
    let destroys = fate != DataFate::Kept && !leaves_storage_behind;
    // The ends are only read if the claim is being deleted. Otherwise no other object matters.
    let mut risk = if destroys { Risk::Possible } else { Risk::None };
    if claim.terminating()
        && let Some(ends) = case.ends()
    {
        // Nothing keeps the claim. Claim and volume will both be deleted as requested.
        if ends.representatives().all(|end| end.phase() != "Bound") {
            return None;
        }
        if destroys && ends.representatives().any(|end| end.phase() != "Bound") {
            risk = Risk::Imminent;
        }
    }
    let policy = volume.reclaim_policy.as_str();
    let afterwards = match fate {
        DataFate::HandedToDriver | DataFate::Destroyed if leaves_storage_behind => {
            format!("the storage of the volume is left behind in spite of policy {policy}")
        }
        DataFate::Kept => format!("the storage of the volume stays (policy {policy})"),
        DataFate::HandedToDriver => {
            format!("{} deletes the data of the volume (policy {policy})", driver_of(case, volume))
        }
        DataFate::Destroyed if is_guarded(volume) => format!("the data of the volume are deleted (policy {policy})"),
        DataFate::Destroyed => format!("the data of the volume may be deleted (policy {policy})"),
        DataFate::Scrubbed => format!("the data of the volume may be scrubbed (policy {policy})"),
    };
    let attached = is_attached_by_driver(case, volume);
    let meanwhile = if attached { ". Until then no other node may attach the volume" } else { "" };
    let owner = claim.key();
    let message = format!(
        "{}{} stays only until {} is deleted. When that claim is deleted, {afterwards}. The deletion cannot be \
         undone{meanwhile}",
        mention(&case.object()),
        elsewhere(&case.object(), " is being deleted and"),
        mention(&key_of_claim(&claim.meta))
    );
    // Where nothing deletes the storage, the manifest is what can be lost.
    let (keep, keep_later) = if leaves_storage_behind { (None, retain(volume)) } else { (retain(volume), None) };
    let found = Detection::new(message)
        .severity(if attached || destroys { Severity::Error } else { Severity::Warning })
        .risk(risk)
        .since(volume.meta.deleted)
        .moment(&case.object(), "metadata.deletionTimestamp", volume.meta.deleted)
        .evidence(&case.object(), "metadata.finalizers", listed(&volume.meta))
        .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
        .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", policy)
        .evidence(&key_of_claim(&claim.meta), "spec.volumeName", claim.volume_name.as_str())
        .remedies(keep)
        .remedy(save_volume(volume, "its source is needed to create it again"))
        .remedies(keep_later)
        .remedy(by_hand(format!(
            "in a planned outage: 1. set policy Retain; 2. scale down the StatefulSet or Deployment that uses the \
             claim; 3. delete claim {owner}; 4. when the volume is gone, create it again with the same source, policy \
             Retain and a claimRef to {owner} without a uid; 5. create the claim with spec.volumeName {}",
            volume.meta.name
        )));
    Some(if claim.terminating() { found.follows_from(key_of_claim(&claim.meta), Act::Delete) } else { found })
}

/// Returns whether a driver has to attach the volume to a node, as far as the volume tells. Some CSI drivers do not
/// need this.
fn is_attached_by_driver(case: &Case<'_>, volume: &PersistentVolume) -> bool {
    match &volume.source.kind {
        SourceKind::Csi => true,
        SourceKind::Other(_) => migrated_to(case.behavior(), volume).is_some(),
        SourceKind::HostPath | SourceKind::Nfs | SourceKind::Local | SourceKind::None => false,
    }
}
