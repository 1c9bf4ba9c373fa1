//! This rule reports a released volume whose storage the driver fails to delete.

use super::{Obstacle, PATIENCE, SHOWN, awaits_deletion, deletion_failure};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::surroundings::Event;
use crate::model::{Kind, PersistentVolume, SourceKind};
use crate::text::{human_age, truncate};

pub(super) static RULE: Rule = Rule {
    id: "pv-released-delete-backend-error",
    title: "the driver fails to delete the storage",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::VolumeAttachment, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume stays Released with policy Delete. It has events `VolumeFailedDelete` of its driver.",
        why: "The claim is gone, and the provisioner calls the driver to delete the storage, again and again with \
              growing pauses. The storage system refuses: the disk is in use outside of Kubernetes, snapshots or \
              clones depend on it, the credentials do not suffice, or the storage system does not answer.",
        confirm: "kubectl get events -A --field-selector \
                  involvedObject.kind=PersistentVolume,involvedObject.name=VOLUME\n\
                  kubectl get pv VOLUME -o jsonpath='{.status.phase} {.spec.persistentVolumeReclaimPolicy}'",
        repair: "If you need the data, set the policy to Retain now: this ends the attempts. Otherwise remove, in the \
                 storage system, the obstacle that the event names. Then the next attempt succeeds.",
        prevention: "If the storage system requires it, delete snapshots and clones before the volume from which they \
                     were made. Keep the credentials of the driver valid as long as it has volumes.",
        hazard: "When the obstacle is gone, the driver deletes the storage, and nobody is asked again. If you delete \
                 the volume and remove its finalizers, the storage stays, and no object in the cluster names it.",
        sources: &[
            "deleteVolumeOperation, shouldDelete, sig-storage-lib-external-provisioner 13",
            "Delete, external-provisioner",
            "kubernetes-sigs/vsphere-csi-driver#217",
            "kubernetes-sigs/vsphere-csi-driver#2286",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let Some(event) = deletion_failure(case, volume) else {
        if awaits_deletion(case, volume, PATIENCE).is_some() {
            // The API server stores events about objects without a namespace in the namespace `default`.
            case.knows_all(Kind::Event, "default");
        }
        return None;
    };
    // If the volume is attached, another rule reports that. If it is no longer attached, the next attempt may succeed.
    if is_attached(event) || case.snapshot().attachments_of(&volume.meta.name).next().is_some() {
        return None;
    }
    let lasted = awaits_deletion(case, volume, PATIENCE)?;
    let (why, first) = match Obstacle::of(&event.message) {
        Obstacle::InUse => (
            ", because something still uses the storage",
            "find at the storage system what uses it, such as a machine outside of the cluster",
        ),
        Obstacle::Dependents => (
            ", because snapshots or clones seem to depend on it",
            "find its snapshots and clones at the storage system, and decide whether to delete them",
        ),
        Obstacle::Denied => (
            ", because the driver seems to have no permission",
            "restore the driver's credentials and permissions at the \
                                                          storage system",
        ),
        Obstacle::Unreachable => {
            (", because the storage system seems not to answer", "let the driver reach the storage system again")
        }
        Obstacle::Unknown => (
            ", because something that the driver needs seems to be gone",
            "see at the storage system whether the storage is still there; if it is gone, set policy Retain and delete \
             the volume",
        ),
        Obstacle::Other => (", as its event says", "see in the event and in the driver's log what fails"),
    };
    let message = format!(
        "the driver has failed to delete {}{why}. The volume has been Released for {}, with policy Delete. Once the \
         deletion succeeds, the data are gone",
        part_of(&case.object(), "the storage"),
        human_age(lasted)
    );
    let found = Detection::new(message)
        .since(volume.status.last_phase_transition)
        .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
        .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str());
    let found = if volume.source.kind == SourceKind::Csi {
        found.evidence(&case.object(), "spec.csi.volumeHandle", volume.source.handle.as_str())
    } else {
        found
    };
    let object = key(Kind::Event, &event.meta.namespace, &event.meta.name);
    Some(
        found
            .evidence(&object, "message", truncate(&event.message, SHOWN))
            .evidence(&object, "lastTimestamp", event.last_seen.map(|moment| moment.to_string()).unwrap_or_default())
            .remedies(retain(volume))
            .remedy(describe(&case.object(), "read the whole event"))
            .remedy(by_hand(format!("if nobody needs the data, {first}; then the next attempt succeeds"))),
    )
}

/// Returns whether the provisioner refused the deletion because it saw an attachment. Upstream: `canDeleteVolume`,
/// external-provisioner.
fn is_attached(event: &Event) -> bool {
    event.message.contains("is still attached to node")
}
