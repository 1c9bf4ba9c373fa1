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
        why: "Somebody deleted the PersistentVolume. pv-protection keeps a volume whose phase is Bound. So the \
              deletion waits for the claim, and it cannot be undone. Until then, attachers refuse to attach the volume \
              to another node, so pods that move do not start. When the claim is deleted, the volume is deleted, too, \
              and the reclaim policy decides about the storage.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.deletionTimestamp} {.status.phase} \
                  {.metadata.finalizers}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.persistentVolumeReclaimPolicy} {.spec.claimRef}'",
        repair: "A planned outage is needed. Set policy Retain, and check that it is set. Save the manifest of the \
                 volume with its source and handle, and the manifest of the claim. Stop the pods, and delete the \
                 claim. As soon as the PersistentVolume is gone, create it again with the same name and source, with \
                 policy Retain, and with a `spec.claimRef` that has only a namespace and a name. Then create the claim \
                 with `spec.volumeName`, and start the pods.",
        prevention: "Delete claims, and not volumes: with policy Delete, a volume is deleted after its claim. Give the \
                     permission to delete PersistentVolumes only to people who need it.",
        hazard: "If you delete the claim before the policy is Retain, and the volume has a deletion finalizer, the \
                 data are destroyed. If you remove the finalizers by hand, the claim becomes Lost while pods use it. \
                 If you create a second PersistentVolume with the same handle and another name, two claims can write \
                 to one disk.",
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
    let meanwhile = if attached { ". Until then the volume cannot be attached to another node" } else { "" };
    let owner = claim.key();
    let message = format!(
        "{}{} stays only until {} is deleted. When that claim is deleted, {afterwards}. The deletion cannot be \
         undone{meanwhile}",
        mention(&case.object()),
        elsewhere(&case.object(), " is being deleted and"),
        mention(&key_of_claim(&claim.meta))
    );
    // If nothing deletes the storage, only the manifest can be lost. Then saving the manifest comes first.
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

/// Returns whether a driver has to attach the volume to a node, as far as the volume shows. Some CSI drivers do not
/// need this.
fn is_attached_by_driver(case: &Case<'_>, volume: &PersistentVolume) -> bool {
    match &volume.source.kind {
        SourceKind::Csi => true,
        SourceKind::Other(_) => migrated_to(case.behavior(), volume).is_some(),
        SourceKind::HostPath | SourceKind::Nfs | SourceKind::Local | SourceKind::None => false,
    }
}
