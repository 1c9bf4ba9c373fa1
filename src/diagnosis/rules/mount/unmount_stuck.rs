//! This rule reports a pod that has ended and is kept because its node does not finish unmounting its volumes.

use super::affects;
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::nfs::Export;
use crate::diagnosis::pod::facts::used_claims;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Pod};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "unmount-stuck",
    title: "the node does not finish unmounting the volumes of a pod that has ended",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Node],
    hinders: &[Act::Delete],
    repairs: &[],
    page: Page {
        seen: "The pod stays Terminating although all its containers have ended. Its claims, and perhaps its namespace, \
               stay Terminating with it.",
        why: "The kubelet deletes a pod only after it has unmounted the pod's volumes. It cannot unmount a volume whose \
              server is gone or does not answer, whose driver does not run on the node, or that a process on the node \
              still uses.",
        confirm: "kubectl get pod NAME -n NAMESPACE -o yaml\n\
                  kubectl describe node NODE\n\
                  kubectl debug node/NODE -it --image=busybox -- chroot /host mount",
        repair: "Let the server or the driver answer again. The kubelet then continues by itself. If the server will \
                 never be back, move the other pods away and restart the node: the restart removes the mount.",
        prevention: "Delete the pods that use a share before its server. Uninstall a driver only after the last pod \
                     that uses it has ended.",
        hazard: "Deleting the pod by force removes only the object. The mount stays on the node, and the volume may be \
                 used twice.",
        sources: &[
            "PodResourcesAreReclaimed, SyncTerminatedPod: pkg/kubelet, Kubernetes 1.36",
            "rook/rook#6327",
            "kubernetes/kubernetes#51835",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    let deleted = pod.meta.deleted?;
    // The deletion timestamp includes the grace period of the containers.
    let lasted = case.seconds_since(Some(deleted)).filter(|lasted| *lasted >= PATIENCE)?;
    if !pod.terminated() || !pod.meta.finalizers.is_empty() {
        return None;
    }
    // The kubelet of a node that is not ready deletes no pods at all.
    let node = case.snapshot().node(&pod.node_name).filter(|node| !node.is_not_ready())?;
    let used = used_claims(pod).next();
    let exports = Export::all(case, pod);
    let (what, server) = match (exports.first(), used) {
        (Some(export), _) => {
            (export.words(case.snapshot(), pod), format!(". NFS server {} probably does not answer", export.server))
        }
        (None, Some(used)) => (used.volume_words(case.snapshot(), pod), String::new()),
        (None, None) => return None,
    };
    let name = &node.meta.name;
    let found = Detection::new(format!(
        "node {name} has not finished unmounting {what}. No container of the pod runs, and the pod should have been \
         deleted {} ago{server}",
        human_age(lasted)
    ))
    .since(Some(deleted))
    .moment(&case.object(), "metadata.deletionTimestamp", Some(deleted))
    .evidence(&case.object(), "status.phase", pod.phase.as_str())
    .evidence(&case.object(), "spec.nodeName", name.as_str());
    let found = match exports.first() {
        Some(export) => {
            let (object, field) = export.field(&case.object());
            found.evidence(&object, field, export.server).remedy(by_hand(format!(
                "bring NFS server {} back at the same address; or move the other pods away and restart node {name}: \
                 the restart removes the mount",
                export.server
            )))
        }
        None => found.remedy(by_hand(format!(
            "see whether the driver runs on node {name}, and what still uses the volume there; if nothing helps, move \
             the other pods away and restart the node: the restart removes every mount"
        ))),
    };
    let found = found.remedy(describe(&key(Kind::Node, "", name), "see whether the kubelet reports errors"));
    Some(affects(found, pod, used))
}
