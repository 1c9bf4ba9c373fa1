//! This rule reports a volume whose storage the controller itself should delete and cannot.

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
        why: "The claim is gone, and a plugin inside kube-controller-manager is to delete the storage. For hostPath \
              this means removing the directory on the machine where kube-controller-manager runs, and only below some \
              `/tmp/`: any other path is refused. Older releases also have plugins for RBD and Portworx, whose storage \
              system can refuse. The volume stays Failed while the controller tries again and again; neither the \
              message nor the event is renewed.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.status.message}'\n\
                  kubectl describe pv VOLUME",
        repair: "Set the policy to Retain, which ends the attempts. Then either reserve the volume for a claim that \
                 should have its data, which also takes it out of Failed, or delete its storage yourself and the \
                 volume after it. Phase and message stay as they are until one of the two.",
        prevention: "Use Retain for volumes that are created by a person. hostPath is for tests on a single node.",
        hazard: "When what is in the way disappears, the next attempt succeeds, and says nothing. For hostPath the \
                 directory that goes is the one on the controller's machine, not the one where the pod ran.",
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
                "policy Delete removes hostPath directories only below /tmp/, and that of {} is {path}. Every sync tries \
                 it and is refused. Its claim is gone, and the data stay",
                mention(&case.object())
            );
            (message, true)
        }
        ReclaimObstacle::DeleteFails => {
            let message = format!(
                "the controller fails to delete {}. {}. Its claim is gone, and the data stay",
                part_of(&case.object(), "the storage"),
                said(volume)
            );
            (message, true)
        }
        ReclaimObstacle::DeleteRetried => {
            let message = format!(
                "the controller failed to delete {}. Every sync tries it again, and the data are deleted when \
                 that succeeds. {}. Its claim is gone",
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
            .remedy(describe(&case.object(), "see its events"))
            .remedy(by_hand("if nobody needs the data, delete the storage yourself, and then the volume")),
    )
}
