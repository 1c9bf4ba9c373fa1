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
        seen: "The volume is Terminating and Bound, its policy is Delete, and among its finalizers there is none of a \
               provisioner, mostly `kubernetes.io/pv-protection` alone.",
        why: "Storage is deleted when a claim lets its volume go, and by somebody who keeps the volume's object until \
              that is done. Here nobody keeps it: provisioners before 5.0.1, and Kubernetes before 1.31, set no \
              deletion finalizer, and none can be added to an object that is being deleted. A provisioner ignores a \
              volume that is being deleted and does not have its finalizer. So the object is removed and the disk \
              stays.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.finalizers} {.spec.persistentVolumeReclaimPolicy}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.csi.driver} {.spec.csi.volumeHandle}'",
        repair: "If the data are wanted, nothing is wrong with that; save the volume's manifest. If not, write the \
                 handle down and delete the disk in the storage system once the object is gone.",
        prevention: "Use an external-provisioner from 5.0.1 on with Kubernetes from 1.31 on, and delete claims, not \
                     volumes.",
        hazard: "With the object the name of the disk is forgotten: it costs money, and whoever cleans up later cannot \
                 tell whose data it holds.",
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
    // If the claim no longer keeps the volume, nobody can know whether the storage was already deleted.
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
            .remedy(save_volume(volume, "later nothing else says which storage it was"))
            .remedy(by_hand("if nobody needs the data, delete the storage by its handle once the volume is gone")),
    )
}
