//! This rule reports a volume that is being deleted and that the attacher's finalizer keeps.

use super::IN_TREE_FINALIZER;
use super::{ATTACHER_PREFIX, held_by_attachments, listed, stays_with, take_away, unheld_leaf, unheld_since};
use crate::diagnosis::facts::DRIVER_FINALIZER;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::lease::is_attacher_of;
use crate::model::{Kind, PersistentVolume, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "pv-terminating-attacher",
    title: "the attacher's finalizer keeps the volume from being deleted",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::VolumeAttachment],
    hinders: &[Act::Delete],
    repairs: &[],
    page: Page {
        seen: "The volume is Terminating for minutes, no claim has it, and its only remaining finalizer is \
               `external-attacher/DRIVER`.",
        why: "The attacher of the driver keeps the volume as long as some VolumeAttachment names it, because the \
              attacher needs the PersistentVolume to detach the storage. If there is such a VolumeAttachment, \
              detaching has not ended or fails. If there is none, nobody removes the finalizer: the attacher is gone, \
              has no permission to write volumes, or is so old that it ignores volumes of migrated in-tree plugins.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.finalizers} {.status.phase}'\n\
                  kubectl get volumeattachments",
        repair: "If a VolumeAttachment names the volume, find out why it is not detached: its status has the error. If \
                 no VolumeAttachment names it, run the driver's attacher in a current version. Remove this one \
                 finalizer only if the driver will not run again and the storage system shows that the disk is \
                 attached to no machine.",
        prevention: "Uninstall a driver only after its volumes are detached and gone.",
        hazard: "Without the PersistentVolume, a VolumeAttachment can never be detached, and the disk stays attached \
                 to its node.",
        sources: &[
            "external-attacher csi_handler.go",
            "kubernetes-csi/external-attacher#66",
            "kubernetes-csi/external-attacher#217",
            "kubernetes/kubernetes#77258",
            "kubernetes/kubernetes#69697",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let is_attachers = |finalizer: &str| finalizer.starts_with(ATTACHER_PREFIX);
    let finalizers = &volume.meta.finalizers;
    let finalizer = finalizers.iter().find(|finalizer| is_attachers(finalizer)).filter(|_| volume.terminating())?;
    unheld_leaf(case, volume)?;
    // If the storage still has to be deleted, another rule reports the volume.
    let deletes = |finalizer: &str| finalizer == DRIVER_FINALIZER || finalizer == IN_TREE_FINALIZER;
    if !stays_with(case, is_attachers) || stays_with(case, deletes) {
        return None;
    }
    let attacher = finalizer.trim_start_matches(ATTACHER_PREFIX);
    // In the finalizer, a hyphen replaces every character that is neither a letter nor a digit.
    let stated = Some(volume.source.detail.as_str())
        .filter(|driver| volume.source.kind == SourceKind::Csi && is_attacher_of(attacher, driver));
    let (name, driver) = (&volume.meta.name, stated.unwrap_or(attacher));
    let named = format!("{{.items[?(@.spec.source.persistentVolumeName==\"{name}\")].metadata.name}}");
    // The step is left out where it is known that there is no VolumeAttachment.
    let has_none = case.snapshot().attachments_of(name).next().is_none() && case.knows_all(Kind::VolumeAttachment, "");
    let look = (!has_none).then(|| {
        kubectl(
            format!("get volumeattachments -o jsonpath={}", quoted(&named)),
            "see which VolumeAttachment names the volume: it must be deleted first, and its status says what fails",
        )
    });
    Some(
        held_by_attachments(
            Detection::new(if has_none {
                format!(
                    "the attacher of {driver} has not removed finalizer {finalizer}, although no VolumeAttachment names \
                     {}. The attacher does not run, or does not have the permissions that it needs. No data are \
                     affected",
                    mention(&case.object())
                )
            } else {
                format!(
                    "finalizer {finalizer} blocks the deletion of {} until no VolumeAttachment names it. If none \
                     names it now, the attacher of {driver} does not run or does not have the permissions that it \
                     needs. No data are affected",
                    mention(&case.object())
                )
            }),
            case,
            volume,
        )
        .since(unheld_since(volume))
        .evidence(&case.object(), "metadata.finalizers", listed(&volume.meta))
        .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
        .remedies(look)
        .remedy(by_hand(format!("if no VolumeAttachment names the volume, run the attacher of {driver} again, in a current version")))
        .remedies(take_away(
            volume,
            finalizer,
            "as the last resort, if the driver will not run again and the storage system shows that the disk is \
             attached nowhere: remove only this finalizer",
        )),
    )
}
