//! This rule reports a volume whose storage the driver does not find when it attaches the volume.

use super::{Obstacle, volume_of, with_error, with_state};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::mention::mention;
use crate::diagnosis::pod::facts::{is_starting, pod_key};
use crate::diagnosis::remedy::{by_hand, save_volume};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::Kind;
use crate::model::surroundings::VolumeAttachment;
use crate::text::truncate;

pub(super) static RULE: Rule = Rule {
    id: "attach-backend-missing",
    title: "the storage of the volume does not exist",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::Node, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound, and its pod stays in ContainerCreating. `status.attachError` of the \
               VolumeAttachment, and the event `FailedAttachVolume`, say that the disk is not found.",
        why: "The PersistentVolume only names the storage. If somebody deletes the disk in the storage system, or the \
              cluster is restored to an older state, the objects in the cluster still name the disk. No controller \
              checks whether it exists.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.csi.volumeHandle}'\n\
                  kubectl get volumeattachments -o yaml",
        repair: "Look for the disk in the storage system: under this handle, in other zones and accounts, and in its \
                 trash. If it is gone, create a new disk from a snapshot or a backup, and a new volume and a new claim \
                 for this disk. A bound claim cannot get another volume.",
        prevention: "Delete disks only by deleting claims. Take backups of the data, and not only of the objects.",
        hazard: "An empty disk that is made under the same handle hides the loss. If you delete the claim and the \
                 policy is Delete, the PersistentVolume is deleted, too. No other object names the handle.",
        sources: &["csiAttach, external-attacher 4.12", "kubernetes/kubernetes#69697"],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let error = attachment.attach_error.as_ref().filter(|_| !attachment.attached)?;
    if attachment.meta.deleted.is_some() || !is_storage_missing(&error.message, &attachment.node_name) {
        return None;
    }
    if case.lacks(Kind::Node, "", &attachment.node_name) {
        return None;
    }
    let volume = volume_of(case, attachment)?;
    let claim = volume.claim_ref.as_ref()?;
    let (name, driver) = (&volume.meta.name, &attachment.attacher);
    let handle = match volume.source.handle.as_str() {
        "" => String::new(),
        handle => format!(" {handle}"),
    };
    let found = with_state(
        Detection::new(format!(
            "disk{handle} of {} does not exist, says driver {driver}. Its message: {}",
            mention(&volume_key(name)),
            truncate(&error.message, 160)
        )),
        attachment,
    );
    let users = case.snapshot().pods_of(&claim.namespace, &claim.name);
    let waiting = users.filter(|pod| is_starting(pod) && pod.node_name == attachment.node_name);
    let found = waiting.fold(found, |found, pod| found.affects(pod_key(pod)));
    Some(
        with_error(found, attachment)
            .since(attachment.meta.created)
            .evidence(&volume_key(name), "spec.csi.volumeHandle", volume.source.handle.as_str())
            .affects(volume_key(name))
            .affects(claim_key(&claim.namespace, &claim.name))
            .remedy(by_hand(format!(
                "look for the disk{handle} in the storage system; if it is gone, create a new disk and a new volume \
                 from a snapshot or a backup"
            )))
            .remedy(save_volume(volume, "it is the only object that names the disk")),
    )
}

/// Returns whether the driver says that the storage does not exist. A similar message can say that the node does not
/// exist.
pub(super) fn is_storage_missing(message: &str, node: &str) -> bool {
    Obstacle::of(message) == Obstacle::Unknown && !names_node(message, node)
}

/// Returns whether the message is about the node or about another object that the attacher reads, and not about the
/// storage.
fn names_node(message: &str, node: &str) -> bool {
    const OTHERS: [&str; 9] = [
        "secret",
        "csinode",
        "node not found",
        "instance not found",
        "node id",
        "invalidinstanceid",
        "/instances/",
        "virtualmachine",
        "vm not found",
    ];
    let message = message.to_ascii_lowercase();
    OTHERS.iter().any(|words| message.contains(words))
        || (!node.is_empty() && message.contains(&node.to_ascii_lowercase()))
}
