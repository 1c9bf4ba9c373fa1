//! This rule reports a VolumeAttachment whose attacher cannot write its result.

use super::{
    LONGEST_CALL, PATIENCE, age, attachers_finalizer, is_refusal, lasts, refused_for_deletion, volume_words,
    with_error, with_state,
};
use crate::diagnosis::remedy::{by_hand, describe, kubectl};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::Kind;
use crate::model::surroundings::VolumeAttachment;

pub(super) static RULE: Rule = Rule {
    id: "attacher-refused",
    title: "the attacher has no permission to write its result",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Detach],
    repairs: &[],
    page: Page {
        seen: "A VolumeAttachment stays `attached: false` although the storage system shows the disk on the node, or \
               stays Terminating although the disk is detached. It has the attacher's finalizer. Its error, if there \
               is one, says `forbidden`. In most cases only the log of the attacher says this.",
        why: "The attacher first puts its finalizer on the VolumeAttachment, then calls the driver, and then writes \
              the result to `volumeattachments/status`. Each of these writes needs its own permission. If the API \
              server refuses to write the status, nobody sees success or failure, and every attempt calls the driver \
              again. If the API server refuses a finalizer on the VolumeAttachment or on the PersistentVolume, the \
              error says what could not be saved. If the driver never answers, the VolumeAttachment looks the same as \
              if the status were refused.",
        confirm: "kubectl get volumeattachment NAME -o yaml\n\
                  kubectl auth can-i patch volumeattachments/status --as=system:serviceaccount:NAMESPACE:ACCOUNT\n\
                  kubectl auth can-i patch volumeattachments --as=system:serviceaccount:NAMESPACE:ACCOUNT\n\
                  kubectl auth can-i patch persistentvolumes --as=system:serviceaccount:NAMESPACE:ACCOUNT",
        repair: "Give the attacher's service account the rights that its version asks for: `patch` on \
                 volumeattachments, volumeattachments/status and persistentvolumes. The attacher then tries again by \
                 itself. If it already has these rights, check its log, and check whether a call to the driver hangs.",
        prevention: "Install the RBAC rules that belong to the installed version of the sidecar.",
        hazard: "Waiting loses no data. If you remove the finalizer, the disk stays attached, but Kubernetes treats it \
                 as detached.",
        sources: &[
            "syncAttach, csiAttach, saveAttachError, markAsAttached, markAsDetached, external-attacher 4.12",
            "deploy/kubernetes/rbac.yaml, external-attacher 4.12",
        ],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let deleted = attachment.meta.deleted;
    let since = deleted.or(attachment.meta.created);
    if !lasts(case, since, PATIENCE) {
        return None;
    }
    let (driver, node, volume) = (&attachment.attacher, &attachment.node_name, volume_words(attachment));
    let error = if deleted.is_some() { &attachment.detach_error } else { &attachment.attach_error };
    let (message, severity) = match error {
        Some(error) if is_refusal(error) && (deleted.is_some() || !attachment.attached) => {
            let state = if deleted.is_some() { "detached from" } else { "attached to" };
            (
                format!(
                    "RBAC forbids the attacher of {driver} to update the VolumeAttachment of {volume} on node {node}. So \
                     nobody records that the volume is {state} that node. The API server has refused this for {}. \
                     Nothing is wrong with the storage",
                    age(case, since)
                ),
                Severity::Error,
            )
        }
        Some(_) => return None,
        None => {
            let began = attachers_finalizer(attachment).is_some();
            if !began || attachment.attached || deleted.is_some() || !lasts(case, since, LONGEST_CALL) {
                return None;
            }
            (
                format!(
                    "the attacher of {driver} began to attach {volume} to node {node} and has reported no result for \
                     {}. It has no permission to write volumeattachments/status, its driver hangs, or it stopped",
                    age(case, since)
                ),
                Severity::Warning,
            )
        }
    };
    if refused_for_deletion(case, attachment).is_some() {
        return None;
    }
    Some(
        with_error(with_state(Detection::new(message), attachment), attachment)
            .severity(severity)
            .since(since)
            .evidence(&case.object(), "metadata.finalizers", attachment.meta.finalizers.join(", "))
            .remedy(describe(&case.object(), "read its status"))
            .remedy(by_hand(format!(
                "see in the log of the attacher of {driver} what is forbidden, and give its service account patch on \
                 volumeattachments, volumeattachments/status and persistentvolumes; then it continues"
            )))
            .remedy(kubectl("get clusterroles,clusterrolebindings", "find the roles of the attacher")),
    )
}
