//! This rule reports a volume that will be deleted while its storage remains.

use super::{driver_of, listed};
use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::reclaim::leaves_storage_behind;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::{claim_name, shown};
use crate::diagnosis::remedy::{by_hand, save_volume};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "pv-terminating-leak",
    title: "the storage is left behind when the volume is deleted",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Delete],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The volume is Terminating and Bound, its policy is Delete, and it has no finalizer of a provisioner. \
               Usually `kubernetes.io/pv-protection` is its only finalizer.",
        why: "The storage is deleted after the claim, and a finalizer has to keep the PersistentVolume until this is \
              done. Here there is no such finalizer: provisioners before 5.0.1, and Kubernetes before 1.31, set none, \
              and no finalizer can be added to an object that is being deleted. A provisioner ignores a volume that is \
              being deleted and does not have its finalizer. So the PersistentVolume is removed, and the disk stays.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.finalizers} {.spec.persistentVolumeReclaimPolicy}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.csi.driver} {.spec.csi.volumeHandle}'",
        repair: "If the data are needed, only save the manifest of the volume. If not, write down the handle, and \
                 delete the disk in the storage system once the PersistentVolume is gone.",
        prevention: "Use external-provisioner 5.0.1 or later with Kubernetes 1.31 or later. Delete claims, and not \
                     volumes.",
        hazard: "When the PersistentVolume is gone, no object names the disk. The disk still costs money, and later \
                 nobody can find out whose data it has.",
        sources: &[
            "shouldDelete, sig-storage-lib-external-provisioner",
            "deleteVolumeOperation, Kubernetes 1.30 (DO5)",
            "kubernetes.io/blog, 2024-08-16: prevent PersistentVolume leaks when deleting out of order",
            "kubernetes-csi/external-provisioner#546",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    // If the claim no longer keeps the volume, it is unknown whether the storage was already deleted.
    if !volume.terminating()
        || !leaves_storage_behind(case.behavior(), volume)
        || case.volume_branch()? != VolumeBranch::VolumeBound
    {
        return None;
    }
    let named = volume.claim_ref.as_ref()?;
    let handle = shown(&volume.source.handle);
    let storage =
        if volume.source.kind == SourceKind::Csi { format!("storage {handle}") } else { "storage".to_owned() };
    let why = if data_fate(case.behavior(), volume) == DataFate::HandedToDriver {
        format!("no finalizer makes the deletion wait for {}", driver_of(case, volume))
    } else {
        "kube-controller-manager ignores volumes that are being deleted (gate HonorPVReclaimPolicy is off)".to_owned()
    };
    let found = Detection::new(format!(
        "{} will be left behind, although the policy is Delete. The reason: {why}. When claim {} is deleted, the volume \
         is deleted, and nobody deletes the storage",
        part_of(&case.object(), &storage),
        claim_name(named)
    ))
    .since(volume.meta.deleted)
    .evidence(&case.object(), "metadata.finalizers", listed(&volume.meta))
    .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str());
    let found = if volume.source.kind == SourceKind::Csi {
        found.evidence(&case.object(), "spec.csi.volumeHandle", volume.source.handle.as_str())
    } else {
        found
    };
    Some(
        found
            .remedy(save_volume(volume, "later no other object says which storage it was"))
            .remedy(by_hand("if nobody needs the data, delete the storage by its handle once the volume is gone")),
    )
}
