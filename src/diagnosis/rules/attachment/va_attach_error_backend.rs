//! This rule reports a volume that its driver fails to attach.

use super::attach_backend_missing::is_storage_missing;
use super::csi_driver_not_on_node::missing_driver;
use super::{
    Obstacle, age, is_refusal, lacks_volume, refused_for_deletion, volume_of, volume_words, with_error, with_state,
};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::pod::facts::{is_starting, pod_key};
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::Kind;
use crate::model::surroundings::VolumeAttachment;
use crate::text::shorten;

pub(super) static RULE: Rule = Rule {
    id: "va-attach-error-backend",
    title: "the driver fails to attach the volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::Node, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "A pod stays in ContainerCreating. `status.attachError` of the VolumeAttachment holds an error of the \
               driver, and the event `FailedAttachVolume` repeats it.",
        why: "The attacher calls the driver again and again, with growing pauses, until the call succeeds. The storage \
              system may refuse the driver's credentials, report that the disk is in use on another machine, or not \
              answer.",
        confirm: "kubectl get volumeattachment NAME -o jsonpath='{.status.attachError}'\n\
                  kubectl get pods -A | grep -i csi",
        repair: "Correct what the error names: missing rights, a machine that still uses the disk, or a fault of the \
                 network. Then the attacher succeeds by itself.",
        prevention: "Give the driver's controller the rights that its documents list. Do not attach disks of this \
                     driver by hand or with another tool.",
        hazard: "A disk that is in use on another machine may only be detached there when nothing on that machine \
                 writes to it.",
        sources: &["csiAttach, saveAttachError: external-attacher 4.12", "kubernetes-csi/external-attacher#215"],
    },
    detect: Detect::Attachment(detect),
};

/// The words with which drivers say that no more disks can be attached to a machine. Another rule reports this problem.
pub(super) const LIMIT_WORDS: [&str; 6] = [
    "resourceexhausted",
    "maximum number of",
    "max number of",
    "limit exceeded",
    "exceeds the limit",
    "attachmentlimit",
];

/// Returns whether the driver says that no more disks can be attached to the machine.
pub(super) fn is_about_limit(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    LIMIT_WORDS.iter().any(|words| message.contains(words))
}

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let error = attachment.attach_error.as_ref().filter(|error| !is_refusal(error) && !attachment.attached)?;
    // Other rules report these errors on the pod.
    if attachment.meta.deleted.is_some() || is_about_limit(&error.message) || missing_driver(&error.message).is_some() {
        return None;
    }
    case.lasts(attachment.meta.created)?;
    let node = &attachment.node_name;
    if lacks_volume(case, attachment)
        || case.lacks(Kind::Node, "", node)
        || refused_for_deletion(case, attachment).is_some()
    {
        return None;
    }
    let (driver, volume) = (&attachment.attacher, volume_words(attachment));
    let cannot = format!("driver {driver} cannot attach {volume} to node {node}");
    let (fact, first) = match Obstacle::of(&error.message) {
        // Another rule reports storage that does not exist.
        Obstacle::Unknown if volume_of(case, attachment).is_some() && is_storage_missing(&error.message, node) => {
            return None;
        }
        Obstacle::Dependents | Obstacle::Other | Obstacle::Unknown => {
            (cannot, "see in the log of the driver's controller, and at the storage system, what fails".to_owned())
        }
        Obstacle::Denied => (
            format!("driver {driver} has no permission to attach {volume} to node {node}"),
            format!(
                "give {driver} its permissions at the storage system: the role or the credentials of its controller"
            ),
        ),
        Obstacle::InUse => (
            {
                let others = case.snapshot().nodes().iter().map(|node| node.meta.name.as_str());
                let mut others = others.filter(|other| !other.is_empty() && other != node);
                let user = others.find(|other| error.message.split(['/', '\'', '"', ' ']).any(|word| word == *other));
                let place = user.map_or_else(|| "another machine".to_owned(), |user| format!("node {user}"));
                format!("the disk of {volume} is in use on {place}, so it cannot be attached to node {node}")
            },
            "find the machine that has the disk, which the message or the storage system names; when nothing there \
             writes to the disk any more, drain that machine or detach the disk from it"
                .to_owned(),
        ),
        Obstacle::Unreachable => (
            format!("the storage system does not answer driver {driver}, so {volume} is not attached to node {node}"),
            format!("let the controller of {driver} reach the storage system again"),
        ),
    };
    let found = with_state(
        Detection::new(format!("{fact}. The message of the driver: {}", shorten(&error.message, 200))),
        attachment,
    )
    .since(attachment.meta.created)
    .remedy(by_hand(first))
    .remedy(describe(
        &case.object(),
        format!("read the whole error; attaching has failed for {}", age(case, attachment.meta.created)),
    ));
    let mut found = with_error(found, attachment);
    if let Some(volume) = volume_of(case, attachment) {
        found = found.affects(volume_key(&volume.meta.name));
        if let Some(claim) = &volume.claim_ref {
            found = found.affects(claim_key(&claim.namespace, &claim.name));
            let users = case.snapshot().pods_of(&claim.namespace, &claim.name);
            let waiting = users.filter(|pod| is_starting(pod) && pod.node_name == *node);
            found = waiting.fold(found, |found, pod| found.affects(pod_key(pod)));
        }
    }
    Some(found)
}
