//! This rule reports a VolumeAttachment whose volume the driver fails to detach.

use super::{Obstacle, PATIENCE, age, give_up, is_refusal, lacks_volume, lasts, volume_words, with_error, with_state};
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::Kind;
use crate::model::surroundings::VolumeAttachment;

pub(super) static RULE: Rule = Rule {
    id: "va-detach-error-backend",
    title: "the driver fails to detach the volume",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::Node, Kind::PersistentVolume],
    hinders: &[Act::Detach],
    repairs: &[],
    page: Page {
        seen: "A VolumeAttachment is Terminating for minutes, and `status.detachError` holds an error of the driver. \
               Pods that need the volume on another node stay in ContainerCreating.",
        why: "The attacher calls the driver again and again, with growing pauses, until the call succeeds; only then \
              it removes its finalizer. The storage system may be unreachable, refuse the driver's credentials, or \
              report that the disk is in use. Some drivers also report an error if the disk or the machine is already \
              gone, and then never succeed.",
        confirm: "kubectl get volumeattachment NAME -o jsonpath='{.metadata.deletionTimestamp} {.status.detachError}'\n\
                  kubectl get pods -A | grep -i csi",
        repair: "Correct what the error names: wrong credentials, a fault of the network, or a mount that is left on \
                 the node. If the storage system does not know the disk any more, a newer driver may accept this as \
                 success. Remove the attacher's finalizer from the VolumeAttachment only if the storage system shows \
                 that the disk is not attached to the machine of that node.",
        prevention: "Keep the driver up to date. Keep its credentials valid as long as disks are attached.",
        hazard: "If you remove the finalizer without a proof that the disk is detached, the disk can be attached to a \
                 second node while the first node still writes.",
        sources: &[
            "syncDetach, csiDetach, saveDetachError, external-attacher 4.12",
            "piraeusdatastore/linstor-csi#52",
            "kubernetes/kubernetes#69697",
        ],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let deleted = attachment.meta.deleted?;
    let error = attachment.detach_error.as_ref().filter(|error| !is_refusal(error))?;
    if !lasts(case, Some(deleted), PATIENCE) {
        return None;
    }
    let node = &attachment.node_name;
    if lacks_volume(case, attachment) || case.lacks(Kind::Node, "", node) {
        return None;
    }
    let (driver, volume) = (&attachment.attacher, volume_words(attachment));
    let (why, first) = match Obstacle::of(&error.message) {
        Obstacle::Dependents | Obstacle::Other => ("", "see in the driver's log and at the storage system what fails"),
        Obstacle::Denied => (
            ". The driver seems to have no permission",
            "restore the driver's credentials and permissions at the storage system; then the driver tries again",
        ),
        Obstacle::InUse => (
            ". The disk seems to be in use",
            "find what still uses the disk on the node, such as a mount that is left; then the driver tries again",
        ),
        Obstacle::Unreachable => (
            ". The storage system seems not to answer",
            "let the driver reach the storage system; then the driver tries again",
        ),
        Obstacle::Unknown => (
            ". The disk or the node seems to be gone already, and the driver reports this as an error",
            "see at the storage system whether the disk and the machine are still there; a newer driver may \
             accept that they are gone",
        ),
    };
    let message = format!(
        "driver {driver} has not been able to detach {volume} from node {node} for {}{why}. Until this succeeds, only \
         the storage keeps the volume from a second node",
        age(case, Some(deleted))
    );
    Some(
        with_error(with_state(Detection::new(message), attachment), attachment)
            .since(Some(deleted))
            .evidence(
                &case.object(),
                "status.detachError.time",
                error.time.map(|moment| moment.to_string()).unwrap_or_default(),
            )
            .remedy(describe(&case.object(), "read the whole error"))
            .remedy(by_hand(first))
            .remedies(give_up(
                attachment,
                format!(
                    "as the last resort, once the storage system shows that the disk is not attached to the \
                     machine of node {}: give up the detachment by {driver} and remove its finalizer",
                    attachment.node_name
                ),
            )),
    )
}
