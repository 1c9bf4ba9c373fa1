//! This rule reports a claim that should be restored from a VolumeSnapshot that is not ready.

use super::{content_of, create_again, has_waited, snapshot_failure, snapshot_of, stage};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim};
use crate::text::capitalized;

pub(super) static RULE: Rule = Rule {
    id: "ds-snapshot-not-ready",
    title: "the snapshot that is the data source is not ready",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::VolumeSnapshot, Kind::VolumeSnapshotContent],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. An event `ProvisioningFailed` says that the snapshot is not ready. The column \
               READYTOUSE of the VolumeSnapshot is false or empty.",
        why: "The driver's provisioner makes a volume only from a snapshot with `status.readyToUse: true`. The \
              snapshot controller binds the VolumeSnapshot to a VolumeSnapshotContent; the sidecar csi-snapshotter of \
              the driver then takes the snapshot and reports when it is ready. A large snapshot takes a long time. If \
              the controller or the sidecar does not run, nothing happens, and there is no event.",
        confirm: "kubectl get volumesnapshot SNAPSHOT -n NAMESPACE -o yaml\n\
                  kubectl get volumesnapshotcontents\n\
                  kubectl get pods -A | grep -i snapshot",
        repair: "Wait while the storage copies the data. If the VolumeSnapshot has no content, run the snapshot \
                 controller. If the content has no handle, run the sidecar csi-snapshotter of the driver. Then a \
                 volume is provisioned for the claim by itself.",
        prevention: "Wait until a snapshot is ready before claims use it. Install the snapshot controller once in a \
                     cluster.",
        hazard: "A claim that is created again without a data source gets an empty volume.",
        sources: &[
            "getSnapshotSource, external-provisioner",
            "vmware-tanzu/velero-plugin-for-csi#1",
            "https://kubernetes.io/docs/concepts/storage/volume-snapshots/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let snapshot = snapshot_of(case, claim)?;
    let is_ready = snapshot.ready == Some(true) && snapshot.meta.deleted.is_none();
    if is_ready || snapshot_failure(case, snapshot).is_some() {
        return None;
    }
    let stage = stage(case)?;
    let source_words = part_of(&case.object(), "the data source");
    let (name, namespace) = (snapshot.meta.name.as_str(), snapshot.meta.namespace.as_str());
    let source = key(Kind::VolumeSnapshot, namespace, name);
    let content_name = snapshot.bound_content.as_str();
    let content = content_of(case, snapshot);
    let start = format!("{source_words}, VolumeSnapshot {name}, is not ready to use");
    let found = if snapshot.meta.deleted.is_some() {
        Detection::new(format!("{source_words}, VolumeSnapshot {name}, is being deleted"))
            .moment(&source, "metadata.deletionTimestamp", snapshot.meta.deleted)
            .follows_from(source.clone(), Act::Delete)
            .remedies(create_again(claim, "from another VolumeSnapshot"))
    } else if content_name.is_empty() {
        Detection::new(format!("{start}. The snapshot controller has made no VolumeSnapshotContent for it"))
            .evidence(&source, "status.boundVolumeSnapshotContentName", "")
            .remedy(describe(&source, "see whether the snapshot controller has written an event"))
            .remedy(by_hand("run the snapshot controller, once in the cluster; then the snapshot is created"))
    } else if content.is_none() && case.lacks(Kind::VolumeSnapshotContent, "", content_name) {
        Detection::new(format!("{start}, because its VolumeSnapshotContent {content_name} does not exist"))
            .evidence(&key(Kind::VolumeSnapshotContent, "", content_name), "metadata.name", "")
            .remedies(create_again(claim, "from another VolumeSnapshot"))
    } else {
        let driver =
            content.map_or_else(|| "the driver".to_owned(), |content| format!("driver {}", content.driver.as_str()));
        Detection::new(format!("{start}. {} has not reported that the snapshot can be used", capitalized(&driver)))
            .evidence(&source, "status.readyToUse", if snapshot.ready.is_some() { "false" } else { "" })
            .remedy(describe(&source, "see what the snapshot controller and the driver say"))
            .remedy(by_hand(format!(
                "wait while the storage copies the data, or see whether the sidecar csi-snapshotter of {driver} runs"
            )))
    };
    // A snapshot of a large volume takes a long time, so only an old snapshot is reported as an error.
    let is_recent = case.lasts(snapshot.meta.created).is_none() || !has_waited(case, claim, stage);
    Some(found.info_if(is_recent).since(snapshot.meta.created))
}
