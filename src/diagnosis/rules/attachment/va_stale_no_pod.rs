//! This rule reports a volume that stays attached to a node on which no pod uses it.

use super::{Overdue, detach, overdue, pods_of, unused_severity, volume_of, with_state};
use crate::diagnosis::attaching::is_silent;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{self, by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{Kind, PersistentVolume};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "va-stale-no-pod",
    title: "the volume stays attached where no pod uses it",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod, Kind::Node],
    hinders: &[Act::Detach],
    repairs: &[],
    page: Page {
        seen: "A VolumeAttachment is `attached: true` and nobody deletes it, although no pod on that node uses the \
               volume. Pods on other nodes stay in ContainerCreating with a Multi-Attach error, or a Released volume \
               is not deleted.",
        why: "kube-controller-manager deletes the VolumeAttachment when no pod on the node needs the volume and the \
              node no longer lists it in `status.volumesInUse`. For a healthy node, it waits for this without a limit: \
              if the kubelet cannot undo a mount, the volume stays attached. For a node that is not ready, it waits \
              for six minutes. kube-controller-manager can also have missed the change, or not run. For a short time \
              after a pod has ended, such an attachment is normal. So this rule reports it only after another pod has \
              waited for ten minutes, or after the claim has been gone for ten minutes.",
        confirm: "kubectl get volumeattachment NAME -o yaml\n\
                  kubectl get node NODE -o jsonpath='{.status.volumesInUse}'\n\
                  kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
        repair: "Check whether the node lists the volume as in use. If it does, remove the mount that is left on the \
                 node: the kubelet's log names it, and a restart of the kubelet often helps. If it does not, restart \
                 kube-controller-manager. If the machine is off, use `kubectl pvctl detach`. Delete \
                 the VolumeAttachment by hand only if the volume is not mounted on the node.",
        prevention: "Do not delete pods with `--force`: their mounts may stay behind.",
        hazard: "A process that belongs to no pod may still write to the disk. Detaching a mounted disk corrupts its \
                 file system.",
        sources: &[
            "reconcile, attach/detach controller, Kubernetes 1.36",
            "verifyVolumeIsSafeToDetach, operationexecutor, Kubernetes 1.36",
            "kubernetes/kubernetes#97230",
            "longhorn/longhorn#5345",
        ],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    if !attachment.attached || attachment.meta.deleted.is_some() || attachment.node_name.is_empty() {
        return None;
    }
    let volume = volume_of(case, attachment)?;
    let (name, node) = (&volume.meta.name, &attachment.node_name);
    let late = overdue(case, volume, node)?;
    // The volume may still be mounted for a pod that has ended.
    if pods_of(case, volume).iter().any(|pod| pod.node_name == *node) {
        return None;
    }
    if !case.survey().attachments().pods_with_storage_of(volume, node).is_empty() {
        return None;
    }
    let knows_pods = volume.claim_ref.as_ref().is_none_or(|named| case.knows_all(Kind::Pod, &named.namespace));
    if !knows_pods || case.lacks(Kind::Node, "", node) {
        return None;
    }
    let taints = case.snapshot().node(node).map(|node| node.taints.as_ref()).unwrap_or_default();
    let unwell = |key: &str| key.ends_with("/unreachable") || key.ends_with("/not-ready");
    let unwell = taints.iter().find(|taint| unwell(&taint.key));
    let state = if unwell.is_some() { ", which does not answer" } else { "" };
    let words = mention(&volume_key(name));
    let (message, severity, since) = match late {
        Overdue::Awaited(pod) => (
            format!(
                "{words} stays attached to node {node}{state}, where no pod uses it. Pod {}/{} waits for that \
                 volume on node {}. Nobody has begun to detach it",
                pod.meta.namespace, pod.meta.name, pod.node_name
            ),
            // No object states when the last pod on this node ended, or when the other pod was scheduled.
            if unwell.is_some() { Severity::Error } else { Severity::Warning },
            pod.meta.created,
        ),
        Overdue::Unused(seconds) => (
            format!(
                "{words} stays attached to node {node}{state}, where no pod uses it. The volume has been {} for \
                 {}. Nobody has begun to detach it",
                volume.status.phase.as_str(),
                human_age(seconds)
            ),
            unused_severity(volume),
            volume.status.last_phase_transition,
        ),
    };
    let mut found = with_state(Detection::new(message), attachment).severity(severity).since(since).evidence(
        &volume_key(name),
        "status.phase",
        volume.status.phase.as_str(),
    );
    if let Overdue::Awaited(pod) = late {
        let pod_key = key(Kind::Pod, &pod.meta.namespace, &pod.meta.name);
        found = found.evidence(&pod_key, "spec.nodeName", pod.node_name.as_str());
    }
    if let Some(taint) = unwell {
        found = found.evidence(&key(Kind::Node, "", node), "spec.taints", taint.key.as_str());
    }
    let detaches = |does: &str| detach(attachment, does);
    if is_unmounted(case, volume, node) {
        return Some(found.remedy(detaches(
            "delete the VolumeAttachment: then the driver detaches the volume, which is not mounted there \
             (status.volumesInUse of the node does not list it)",
        )));
    }
    if may_be_off(case, volume, node) {
        return Some(found.remedy(remedy::detach(
            attachment,
            format!(
                "if the machine of {node} is certainly off: let the driver detach the volume; if it still runs, data \
                 can be destroyed"
            ),
        )));
    }
    Some(
        found
            .remedy(kubectl(
                format!("get node {} -o jsonpath='{{.status.volumesInUse}}'", quoted(node)),
                "see whether the node still has the volume mounted: as long as the volume is mounted, it is not \
                 detached",
            ))
            .remedy(by_hand(format!(
                "if the volume is still mounted, remove the mount on {node} that the kubelet's log names; if the \
                 machine does not answer, make sure that it is off"
            )))
            .remedy(detaches("once you know that the volume is not mounted on that node: let the driver detach it")),
    )
}

/// Returns whether the verb `detach` detaches the volume if a person states that the machine is off: the node does
/// not answer and does not list the volume as mounted, or an administrator has stated that it is shut down.
fn may_be_off(case: &Case<'_>, volume: &PersistentVolume, node: &str) -> bool {
    let Some(node) = case.snapshot().node(node) else { return false };
    let is_unmounted = || case.survey().attachments().is_mounted(node, volume) == Some(false);
    !node.is_ready() && node.is_out_of_service() || is_silent(node) && is_unmounted()
}

/// Returns whether the kubelet of the node reports that it does not use the volume. A kubelet that does not answer
/// reports nothing.
fn is_unmounted(case: &Case<'_>, volume: &PersistentVolume, node: &str) -> bool {
    let Some(node) = case.snapshot().node(node) else { return false };
    node.is_ready() && case.survey().attachments().is_mounted(node, volume) == Some(false)
}
