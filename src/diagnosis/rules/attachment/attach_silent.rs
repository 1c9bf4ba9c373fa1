//! This rule reports a VolumeAttachment that no attacher acts on.

use super::{
    LONGEST_CALL, PATIENCE, age, attachers_finalizer, lacks_volume, lasts, refused_for_deletion, volume_words,
    with_state,
};
use crate::diagnosis::remedy::{by_hand, describe, kubectl};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::Kind;
use crate::model::surroundings::VolumeAttachment;
use crate::snapshot::Absence;

pub(super) static RULE: Rule = Rule {
    id: "attach-silent",
    title: "no attacher acts on the attachment",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::Node, Kind::CsiDriver],
    hinders: &[Act::Detach],
    repairs: &[],
    page: Page {
        seen: "A VolumeAttachment has `attached: false` and no error for minutes, or is Terminating without an error. \
               The pod that needs the volume stays in ContainerCreating, and its event speaks of a timeout while \
               waiting for the attachment. The attacher seems to be still working.",
        why: "kube-controller-manager only creates and deletes the VolumeAttachment. The attacher of the driver that \
              the VolumeAttachment names has to act. Within seconds it adds its finalizer or writes an error. If there \
              is neither, this attacher does not run, uses the name of another driver, or has no permission to read or \
              write VolumeAttachments. The VolumeAttachments of an uninstalled driver look the same.",
        confirm: "kubectl get volumeattachment NAME -o yaml\n\
                  kubectl get csidrivers\n\
                  kubectl get leases -A | grep external-attacher\n\
                  kubectl get pods -A | grep -i csi",
        repair: "Run the controller of the driver with its attacher. The attacher then continues by itself. Compare \
                 the name of the driver with `spec.attacher`. If the attacher runs, its log says which permissions are \
                 missing. If the volumes of the driver need no attachment, its CSIDriver has to state `attachRequired: \
                 false`.",
        prevention: "Uninstall a driver only after its volumes are detached and gone.",
        hazard: "Waiting does no harm. If you remove the finalizer of a VolumeAttachment while the driver does not \
                 run, the disk stays attached to its node.",
        sources: &[
            "Attach, waitForVolumeAttachmentWithLister, pkg/volume/csi, Kubernetes 1.36",
            "syncVA, csiAttach, csiDetach, external-attacher 4.12",
        ],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let deleted = attachment.meta.deleted;
    let since = deleted.or(attachment.meta.created);
    if attachment.attacher.is_empty() || !lasts(case, since, PATIENCE) {
        return None;
    }
    let is_taken = attachers_finalizer(attachment).is_some();
    let is_silent = if deleted.is_some() {
        // Without the attacher's finalizer, the attacher does not delay the deletion of the attachment.
        is_taken && attachment.detach_error.is_none()
    } else {
        !is_taken && !attachment.attached && attachment.attach_error.is_none()
    };
    if !is_silent || refused_for_deletion(case, attachment).is_some() {
        return None;
    }
    let driver_gone = lacks_driver(case, &attachment.attacher);
    if deleted.is_some() {
        // A driver may work for a long time. If the driver is gone, there is nothing to wait for.
        if !driver_gone && !lasts(case, deleted, LONGEST_CALL) {
            return None;
        }
        if case.lacks(Kind::Node, "", &attachment.node_name) || lacks_volume(case, attachment) {
            return None;
        }
    }
    let (driver, node, volume) = (&attachment.attacher, &attachment.node_name, volume_words(attachment));
    let reason = if driver_gone {
        format!("there is no CSIDriver {driver}, so that driver was probably removed")
    } else {
        "it does not run, has another name, or does not have the permissions that it needs".to_owned()
    };
    let lasted = age(case, since);
    let message = if deleted.is_some() {
        format!(
            "the attacher of {driver} does not detach {volume} from node {node}. The VolumeAttachment was deleted \
             {lasted} ago, and the attacher has written no error: {reason}. Until the VolumeAttachment is gone, the \
             volume is treated as attached"
        )
    } else {
        format!(
            "the attacher of {driver} does not attach {volume} to node {node}. The attacher has not changed the \
             VolumeAttachment for {lasted} and has written no error: {reason}"
        )
    };
    let found = with_state(Detection::new(message), attachment)
        .since(since)
        .evidence(&case.object(), "spec.attacher", driver.as_str())
        .evidence(&case.object(), "metadata.finalizers", attachment.meta.finalizers.join(", "));
    let found =
        if driver_gone { found.evidence(&key(Kind::CsiDriver, "", driver), "metadata.name", "") } else { found };
    Some(
        found
            .remedy(describe(&case.object(), "check whether the VolumeAttachment has changed since then"))
            .remedy(kubectl("get csidrivers", format!("see whether {driver} is installed, and under which name")))
            .remedy(by_hand(format!(
                "run the controller of {driver} with its attacher: then it continues; if it runs already, \
                 its log says which permissions are missing"
            ))),
    )
}

/// Returns whether it is certain that no CSIDriver of this name exists. The answer changes only the words of the
/// finding and the duration that is tolerated.
fn lacks_driver(case: &Case<'_>, driver: &str) -> bool {
    let absence = case.snapshot().coverage().absence_of(Kind::CsiDriver, "", driver);
    absence == Absence::Certain && case.lacks(Kind::CsiDriver, "", driver)
}
