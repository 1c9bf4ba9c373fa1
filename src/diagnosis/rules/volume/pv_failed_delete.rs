//! This rule reports a volume whose storage the controller itself should delete but cannot delete.

use super::{ReclaimObstacle, released, said, trouble, ways_back, with_state, with_storage};
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "pv-failed-delete",
    title: "the controller cannot delete the storage",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[Repair::Release],
    page: Page {
        seen: "The volume is Failed, with policy Delete, a text in `status.message`, and an event \
               `VolumeFailedDelete`.",
        why: "The claim is gone, and a plugin inside kube-controller-manager has to delete the storage. For hostPath, \
              the plugin removes the directory on the machine where kube-controller-manager runs, and only if the path \
              contains `/tmp/`. It refuses every other path. Older releases also have plugins for RBD and Portworx, \
              whose storage system can refuse. The volume stays Failed, and the controller tries again and again. It \
              renews neither the message nor the event.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.status.message}'\n\
                  kubectl describe pv VOLUME",
        repair: "Set the policy to Retain: this ends the attempts. If a claim should have the data, reserve the volume \
                 for this claim: this also ends phase Failed. Otherwise delete the storage yourself, and then the \
                 volume. Until then the phase and the message do not change.",
        prevention: "Use Retain for volumes that are created by a person. Use hostPath only for tests on a single \
                     node.",
        hazard: "When the cause of the failure disappears, the next attempt deletes the data, and nothing reports \
                 this. For hostPath, it deletes the directory on the machine of the controller, not the directory on \
                 the node of the pod.",
        sources: &[
            "deleteVolumeOperation, Kubernetes 1.36 (DO6)",
            "hostPathDeleter.Delete, Kubernetes 1.36",
            "kubernetes/kubernetes#92023",
            "kubernetes/kubernetes#43138",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.reclaim_policy != ReclaimPolicy::Delete {
        return None;
    }
    let gone = released(case, volume)?;
    let (message, kept) = match trouble(case, volume, gone)? {
        ReclaimObstacle::DeleteFails if volume.source.kind == SourceKind::HostPath => {
            let path = &volume.source.detail;
            let message = format!(
                "policy Delete removes hostPath directories only below /tmp/, and the path of {} is {path}. Every sync \
                 tries to remove it and fails. The claim is gone, and the data stay",
                mention(&case.object())
            );
            (message, true)
        }
        ReclaimObstacle::DeleteFails => {
            let message = format!(
                "the controller fails to delete {}. {}. The claim is gone, and the data stay",
                part_of(&case.object(), "the storage"),
                said(volume)
            );
            (message, true)
        }
        ReclaimObstacle::DeleteRetried => {
            let message = format!(
                "the controller failed to delete {}. Every sync tries again, and the data are deleted when a sync \
                 succeeds. {}. The claim is gone",
                part_of(&case.object(), "the storage"),
                said(volume)
            );
            (message, false)
        }
        ReclaimObstacle::NoDeleter
        | ReclaimObstacle::PassedOver(_)
        | ReclaimObstacle::NoRecycler
        | ReclaimObstacle::RecycleRetried
        | ReclaimObstacle::RecycleHangs(_)
        | ReclaimObstacle::RecycleWaits(_) => return None,
    };
    Some(
        with_state(with_storage(Detection::new(message), case, volume), case, volume)
            .risk(if kept { Risk::None } else { Risk::Imminent })
            .since(volume.status.last_phase_transition)
            .evidence(&case.object(), "status.message", volume.status.message.as_str())
            .remedies(ways_back(case, volume))
            .remedy(describe(&case.object(), "see the events of the volume"))
            .remedy(by_hand("if nobody needs the data, delete the storage yourself, and then the volume")),
    )
}
