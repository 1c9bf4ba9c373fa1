//! This rule reports a volume whose deletion waits until kube-controller-manager deletes the storage.

use super::{IN_TREE_FINALIZER, listed, stays_with, unheld_leaf};
use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::plugins::{
    IN_TREE_PREFIX, Plugin, Provider, delete_host_path, find_deletable_plugin, migrated_driver, remote_deleter,
};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::shown;
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolume, ReclaimPolicy};

pub(super) static RULE: Rule = Rule {
    id: "pv-terminating-intree-finalizer",
    title: "the volume waits for kube-controller-manager to delete its storage",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Delete],
    repairs: &[],
    page: Page {
        seen: "The volume is Terminating, often with phase Failed, and `kubernetes.io/pv-controller` is among its \
               finalizers. Or the volume is Terminating and Bound although its claim is gone, and \
               kube-controller-manager logs that no new finalizer can be added.",
        why: "kube-controller-manager adds this finalizer to volumes of its own plugins that have policy Delete. It \
              removes the finalizer when the plugin has deleted the storage, when the policy becomes Retain or \
              Recycle, or when the plugin is migrated to CSI. If this version does not have the plugin any more, or if \
              the deletion fails, the finalizer stays. If the finalizer is missing, each sync first tries to add it. \
              For an object that is being deleted, the API server refuses this, and the sync ends.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.finalizers} {.metadata.annotations}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.status.phase} {.status.message} \
                  {.spec.persistentVolumeReclaimPolicy}'",
        repair: "Set policy Retain. If the annotation `pv.kubernetes.io/provisioned-by` names an in-tree plugin, the \
                 next sync removes the finalizer, and the PersistentVolume is deleted. The storage stays, and you have \
                 to delete it yourself. Without that annotation, remove the finalizer by hand: only this finalizer, \
                 and not the whole list.",
        prevention: "Set policy Retain on volumes of plugins that an upgrade of Kubernetes removes, before the \
                     upgrade.",
        hazard: "The storage is left behind: write down its handle before the PersistentVolume is gone.",
        sources: &[
            "modifyDeletionFinalizers, Kubernetes 1.36 (V1)",
            "findDeletablePlugin and deleteVolumeOperation, Kubernetes 1.36 (DO1, DO6)",
            "kubernetes.io/blog, 2024-08-16: prevent PersistentVolume leaks when deleting out of order",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if !volume.terminating() {
        return None;
    }
    let message = if volume.meta.has_finalizer(IN_TREE_FINALIZER) {
        kept(case, volume)?
    } else {
        finalizer_missing(case, volume)?
    };
    let provisioner = volume.meta.annotations.get(AnnotationKey::ProvisionedBy).unwrap_or_default();
    let found = Detection::new(message)
        .since(volume.meta.deleted)
        .evidence(&case.object(), "metadata.finalizers", listed(&volume.meta))
        .evidence(&case.object(), "metadata.annotations[pv.kubernetes.io/provisioned-by]", provisioner)
        .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str());
    Some(if drops_at_retain(case, provisioner) {
        found.remedies(retain(volume)).remedy(by_hand(
            "then Kubernetes deletes the volume; its storage stays, and you can delete it if nobody needs the data",
        ))
    } else {
        found.remedies(retain(volume)).remedy(by_hand(format!(
            "make sure that you know which storage it is, and that nobody waits for its deletion; then remove only the \
             finalizer {IN_TREE_FINALIZER}"
        )))
    })
}

/// Returns why the volume's finalizer remains.
fn kept(case: &Case<'_>, volume: &PersistentVolume) -> Option<String> {
    unheld_leaf(case, volume)?;
    if !stays_with(case, |finalizer| finalizer == IN_TREE_FINALIZER) {
        return None;
    }
    let provisioner = volume.meta.annotations.get(AnnotationKey::ProvisionedBy).unwrap_or_default();
    let deletion = part_of(&case.object(), "the deletion");
    if !drops_at_retain(case, provisioner) {
        return Some(if case.behavior().deletion_finalizers {
            format!(
                "finalizer {IN_TREE_FINALIZER} blocks {deletion}, because annotation {} names {}. \
                 kube-controller-manager removes this finalizer only from volumes of its own plugins",
                AnnotationKey::ProvisionedBy.as_str(),
                shown(provisioner)
            )
        } else {
            format!(
                "finalizer {IN_TREE_FINALIZER} blocks {deletion}, and Kubernetes {} removes no such finalizer while \
                 gate HonorPVReclaimPolicy is off",
                case.behavior().version
            )
        });
    }
    let reason = match find_deletable_plugin(case.behavior(), volume) {
        Provider::Nobody(text) => text,
        Provider::InTree(Plugin::HostPath) => delete_host_path(volume).err()?,
        Provider::InTree(Plugin::Remote(name)) => match remote_deleter(name, volume) {
            Ok(()) => format!("{name} has not done it"),
            Err(text) => text,
        },
        Provider::External => return None,
    };
    Some(format!(
        "kube-controller-manager cannot delete {} (policy {}). The reason: {reason}. With policy Retain, the volume is \
         deleted and its storage stays",
        part_of(&case.object(), "the storage"),
        volume.reclaim_policy.as_str()
    ))
}

/// Returns what happens to a volume without the finalizer. Each sync tries to add the finalizer and fails.
fn finalizer_missing(case: &Case<'_>, volume: &PersistentVolume) -> Option<String> {
    let provisioner = volume.meta.annotations.get(AnnotationKey::ProvisionedBy)?;
    if volume.reclaim_policy != ReclaimPolicy::Delete || !drops_at_retain(case, provisioner) {
        return None;
    }
    if case.volume_branch()? != VolumeBranch::VolumeMigrationUpdateFailed {
        return None;
    }
    Some(format!(
        "each sync fails, because finalizer {IN_TREE_FINALIZER} cannot be added during the deletion. So the volume \
         stays {}. With policy Retain the controller continues, and the storage stays",
        shown(volume.status.phase.as_str())
    ))
}

/// Returns whether the controller removes the finalizer from the volume when the policy becomes Retain.
fn drops_at_retain(case: &Case<'_>, provisioner: &str) -> bool {
    case.behavior().deletion_finalizers
        && provisioner.starts_with(IN_TREE_PREFIX)
        && migrated_driver(case.behavior(), provisioner).is_none()
}
