//! This rule reports a volume with policy Delete whose storage nobody deletes. Either no plugin can delete the storage,
//! or the driver ignores the volume because the volume is Failed.

use super::{ReclaimObstacle, called, released, said, trouble, ways_back, with_state, with_storage};
use crate::diagnosis::facts::provisioner;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, save_volume};
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy, SourceKind, VolumePhase};

pub(super) static RULE: Rule = Rule {
    id: "pv-failed-no-deleter-static",
    title: "policy Delete, and nobody deletes the storage",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[Repair::Release],
    page: Page {
        seen: "The volume is Failed, or becomes Failed, with policy Delete. `status.message` and an event \
               `VolumeFailedDelete` say that no volume plugin, or no deletable volume plugin, matched.",
        why: "Its claim is gone, and the controller searches for a plugin that can delete the storage. It has such a \
              plugin only for hostPath. It has no such plugin for nfs, local, iscsi, fc and the in-tree types that \
              were removed, and a volume that was created by a person has no annotation with a provisioner. Up to \
              Kubernetes 1.29, static CSI volumes became Failed, too. They stay Failed after an upgrade, because the \
              drivers' provisioners delete only Released volumes. Nothing has been deleted.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.status.message}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.metadata.annotations} {.spec.persistentVolumeReclaimPolicy}'",
        repair: "Set the policy to Retain. If a claim should have the data, reserve the volume for this claim: this \
                 also ends phase Failed. If nobody needs the data, write down where the storage is, delete the \
                 PersistentVolume, and then delete the storage by hand. If the driver runs, it removes its finalizer \
                 when the policy is Retain.",
        prevention: "Use Retain for volumes that are created by a person, and for types without a driver.",
        hazard: "If a CSI volume leaves phase Failed with policy Delete, the driver can delete the storage. For \
                 example, a claim gets the volume and is deleted later. If you delete the PersistentVolume, no object \
                 says where the storage is.",
        sources: &[
            "deleteVolumeOperation, Kubernetes 1.36 (DO1)",
            "findDeletablePlugin, Kubernetes 1.36",
            "shouldDelete, sig-storage-lib-external-provisioner",
            "kubernetes/kubernetes#77250",
            "kubernetes/kubernetes#125767",
            "kubernetes-retired/external-storage#779",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.reclaim_policy != ReclaimPolicy::Delete {
        return None;
    }
    let gone = released(case, volume)?;
    let storage = part_of(&case.object(), "the storage");
    let (message, risk) = match trouble(case, volume, gone)? {
        ReclaimObstacle::NoDeleter => {
            let kind = volume.source.kind.as_str();
            let outcome =
                if volume.status.phase == VolumePhase::Failed { "" } else { ", so the volume becomes Failed" };
            let who = match provisioner(volume) {
                Some(provisioner) => format!(
                    "nobody can delete {storage}, because provisioner {provisioner} is no longer part of Kubernetes"
                ),
                None if volume.source.kind == SourceKind::Csi => {
                    format!(
                        "Kubernetes before 1.30 cannot delete {storage}, because the volume was statically provisioned. \
                         Since 1.30, the driver deletes such volumes"
                    )
                }
                None => {
                    format!(
                        "Kubernetes cannot delete {storage}, which is of type {kind}. The volume was statically \
                         provisioned"
                    )
                }
            };
            (format!("{who}. The claim is gone, and the policy is Delete{outcome}. The data stay"), Risk::None)
        }
        ReclaimObstacle::PassedOver(driver) => {
            let message = format!(
                "{} deletes only volumes in phase Released, so policy Delete has no effect on {}. The data stay as \
                 long as the volume is Failed. {}",
                called(driver),
                mention(&case.object()),
                said(volume)
            );
            (message, Risk::Possible)
        }
        ReclaimObstacle::DeleteFails
        | ReclaimObstacle::DeleteRetried
        | ReclaimObstacle::NoRecycler
        | ReclaimObstacle::RecycleRetried
        | ReclaimObstacle::RecycleHangs(_)
        | ReclaimObstacle::RecycleWaits(_) => return None,
    };
    Some(
        with_state(with_storage(Detection::new(message), case, volume), case, volume)
            .risk(risk)
            .since(volume.status.last_phase_transition)
            .evidence(&case.object(), "status.message", volume.status.message.as_str())
            .evidence(
                &case.object(),
                "metadata.annotations[pv.kubernetes.io/provisioned-by]",
                provisioner(volume).unwrap_or_default(),
            )
            .remedies(ways_back(case, volume))
            .remedy(save_volume(volume, "only this manifest says where the storage is"))
            .remedy(by_hand("if nobody needs the data, delete the volume, and then its storage by hand")),
    )
}
