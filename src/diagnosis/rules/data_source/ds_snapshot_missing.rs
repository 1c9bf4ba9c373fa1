//! This rule reports a claim that should be restored from a VolumeSnapshot that does not exist.

use super::{create_again, failure, has_waited, snapshot_of, snapshot_source, stage, told};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim, VolumeSnapshotContent};

pub(super) static RULE: Rule = Rule {
    id: "ds-snapshot-missing",
    title: "the snapshot that is the data source does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[
        Kind::PersistentVolume,
        Kind::StorageClass,
        Kind::Pod,
        Kind::Event,
        Kind::VolumeSnapshot,
        Kind::VolumeSnapshotContent,
    ],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. An event `ProvisioningFailed` says that a handle for the data source cannot be \
               read, because the VolumeSnapshot is not found.",
        why: "The driver's provisioner reads the VolumeSnapshot in the claim's namespace before it makes the volume. \
              The name is misspelt, the VolumeSnapshot is in another namespace, or it was deleted. If it was deleted \
              with `deletionPolicy: Retain`, its VolumeSnapshotContent and the snapshot in the storage still exist.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.dataSource}'\n\
                  kubectl get volumesnapshots -n NAMESPACE\n\
                  kubectl get volumesnapshotcontents",
        repair: "If a VolumeSnapshotContent still exists, read `status.snapshotHandle` of it, and set its \
                 `deletionPolicy` to Retain. Create a second VolumeSnapshotContent with the same driver, with this \
                 handle in `spec.source.snapshotHandle`, and with the namespace and name of the VolumeSnapshot in \
                 `spec.volumeSnapshotRef`, without a uid. Then create the VolumeSnapshot, with the second content in \
                 `spec.source.volumeSnapshotContentName`. The first content cannot be used again. If the \
                 claim names the wrong VolumeSnapshot, create the claim again: the data source of a claim cannot be \
                 changed.",
        prevention: "Restore VolumeSnapshots before the claims that use them, and in the same namespace.",
        hazard: "A claim that is created again without a data source gets an empty volume.",
        sources: &[
            "getSnapshotSource, external-provisioner",
            "velero-io/velero#2708",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#volume-snapshot-and-restore-volume-from-snapshot-support",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let name = snapshot_source(claim)?;
    let namespace = &claim.meta.namespace;
    if snapshot_of(case, claim).is_some() {
        return None;
    }
    let stage = stage(case)?;
    if !case.lacks(Kind::VolumeSnapshot, namespace, name) {
        return None;
    }
    let source_words = part_of(&case.object(), "the data source");
    let contents = case.snapshot().all::<VolumeSnapshotContent>().iter();
    let left = contents
        .filter(|content| content.snapshot.namespace == *namespace && content.snapshot.name == name)
        .find(|content| content.meta.deleted.is_none());
    let trace = match left {
        Some(content) => {
            format!(". VolumeSnapshotContent {} still exists and names that VolumeSnapshot", content.meta.name)
        }
        None => String::new(),
    };
    let source = key(Kind::VolumeSnapshot, namespace, name);
    let found = Detection::new(format!(
        "{source_words}, VolumeSnapshot {name}, does not exist in namespace {namespace}, so no driver makes its \
         volume{trace}"
    ))
    .info_if(!has_waited(case, claim, stage))
    .evidence(&source, "metadata.name", "");
    let found = match left {
        Some(content) => found
            .evidence(
                &key(Kind::VolumeSnapshotContent, "", &content.meta.name),
                "spec.deletionPolicy",
                content.deletion_policy.as_str(),
            )
            .remedy(by_hand(format!(
                "create VolumeSnapshot {namespace}/{name} from the snapshot that VolumeSnapshotContent {} describes; \
                 this needs a second VolumeSnapshotContent with the same snapshotHandle",
                content.meta.name
            ))),
        None => found,
    };
    let found = match failure(case, claim) {
        Some(event) => found.evidence(&case.object(), "event", told(event)),
        None => found,
    };
    Some(
        found
            .remedy(kubectl(
                format!("get volumesnapshots -n {}", quoted(namespace)),
                format!("see whether the VolumeSnapshot has another name than {name}"),
            ))
            .remedies(create_again(claim, "with a VolumeSnapshot that exists; or create the VolumeSnapshot")),
    )
}
