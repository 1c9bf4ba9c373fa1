//! This rule reports a claim that should be restored from a VolumeSnapshot whose creation fails.

use super::{create_again, snapshot_failure, snapshot_of, stage};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim, VolumeSnapshotClass};
use crate::text::truncate;

pub(super) static RULE: Rule = Rule {
    id: "ds-snapshot-error",
    title: "the snapshot that is the data source could not be taken",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[
        Kind::PersistentVolume,
        Kind::StorageClass,
        Kind::Pod,
        Kind::VolumeSnapshot,
        Kind::VolumeSnapshotContent,
        Kind::VolumeSnapshotClass,
    ],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. An event `ProvisioningFailed` says that the snapshot is not ready. The \
               VolumeSnapshot has `status.error`.",
        why: "The snapshot controller, or the driver, could not take the snapshot: its class does not exist, its \
              source claim is missing or not Bound, or the storage system refuses it. The driver's provisioner makes \
              no volume from a snapshot that is not ready.",
        confirm: "kubectl get volumesnapshot SNAPSHOT -n NAMESPACE -o jsonpath='{.status}'\n\
                  kubectl describe volumesnapshot SNAPSHOT -n NAMESPACE\n\
                  kubectl get volumesnapshotclasses",
        repair: "Remove the cause that the error names. The snapshot controller tries again by itself. When the \
                 snapshot is ready, a volume is provisioned for the claim. If the VolumeSnapshot names a wrong class \
                 and has no VolumeSnapshotContent yet, change `spec.volumeSnapshotClassName`, or create the class. Do \
                 not delete a VolumeSnapshot that has a VolumeSnapshotContent: with deletionPolicy Delete, this \
                 deletes the stored snapshot.",
        prevention: "Create one default VolumeSnapshotClass for each driver, and wait until a snapshot is ready before \
                     claims use it.",
        hazard: "A snapshot that is taken later has the data of that later time.",
        sources: &[
            "updateSnapshotErrorStatusWithEvent, external-snapshotter",
            "kubernetes/minikube#10139",
            "gluster/gluster-csi-driver#114",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    const LONG: usize = 160;
    let snapshot = snapshot_of(case, claim).filter(|snapshot| snapshot.ready != Some(true))?;
    let (holder, error) = snapshot_failure(case, snapshot)?;
    stage(case)?;
    let source_words = part_of(&case.object(), "the data source");
    let name = snapshot.meta.name.as_str();
    let source = key(Kind::VolumeSnapshot, &snapshot.meta.namespace, name);
    // The snapshot controller names the class that it does not find.
    let is_named = |class: &str| error.message.contains(class) && error.message.contains("not found");
    let class = snapshot.class_name.as_deref().filter(|class| {
        case.snapshot().find::<VolumeSnapshotClass>("", class).is_none()
            && (is_named(class) || case.lacks(Kind::VolumeSnapshotClass, "", class))
    });
    let found = match class {
        Some(class) => Detection::new(format!(
            "{source_words}, VolumeSnapshot {name}, cannot become ready, because VolumeSnapshotClass {class} does not \
             exist"
        ))
        .evidence(&source, "spec.volumeSnapshotClassName", class)
        .remedy(by_hand(format!(
            "create VolumeSnapshotClass {class} for the driver of the claim; then the snapshot is created"
        ))),
        None => Detection::new(format!(
            "{source_words}, VolumeSnapshot {name}, cannot become ready. Its error: {}",
            truncate(&error.message, LONG)
        )),
    };
    Some(
        found
            .since(error.time)
            .evidence(&holder, "status.error.message", error.message.as_str())
            .remedy(describe(&source, "read the whole error and the events of the snapshot"))
            .remedy(by_hand("remove the cause that the error names; then the snapshot controller tries again"))
            .remedies(create_again(claim, "from a snapshot that is ready")),
    )
}
