//! This rule reports a VolumeSnapshot that is being deleted and still has the finalizer for restores, although no claim
//! is being restored from it.

use crate::diagnosis::remedy::{kubectl, quoted, remove_finalizer};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{ClaimPhase, Kind, PersistentVolumeClaim, VolumeSnapshot};

/// The finalizer by which the snapshot controller keeps a snapshot while a claim is restored from it.
const IN_USE: &str = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";

pub(super) static RULE: Rule = Rule {
    id: "snap-finalizer-orphan",
    title: "a finalizer keeps a snapshot from which nothing is restored",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Delete],
    repairs: &[],
    page: Page {
        seen: "The VolumeSnapshot, and perhaps its namespace, stays Terminating. The finalizer \
               `snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection` is still there.",
        why: "The snapshot controller keeps a snapshot while a claim is restored from it. It removes the finalizer \
              when no claim in phase Pending has the snapshot as its data source. The finalizer stays if the \
              controller does not run or was removed.",
        confirm: "kubectl get volumesnapshot NAME -n NAMESPACE -o jsonpath='{.metadata.finalizers}'\n\
                  kubectl get pvc -n NAMESPACE -o custom-columns=NAME:.metadata.name,PHASE:.status.phase,\
                  SOURCE:.spec.dataSource.name",
        repair: "Make sure that the snapshot controller runs. It removes the finalizer by itself. Remove this one \
                 finalizer by hand only if the snapshot controller will never run again.",
        prevention: "Delete all snapshots before you remove the snapshot controller.",
        hazard: "If a restore is still running, it fails. `deletionPolicy` of the VolumeSnapshotContent says whether \
                 the snapshot in the storage is deleted.",
        sources: &["isVolumeBeingCreatedFromSnapshot, external-snapshotter"],
    },
    detect: Detect::VolumeSnapshot(detect),
};

fn detect(case: &Case<'_>, snapshot: &VolumeSnapshot) -> Option<Detection> {
    case.lasts(snapshot.meta.deleted).filter(|_| snapshot.meta.has_finalizer(IN_USE))?;
    let namespace = snapshot.meta.namespace.as_str();
    // Upstream keeps the finalizer while a claim in phase Pending has this snapshot as its data source.
    let restores = |claim: &&PersistentVolumeClaim| {
        claim.status.phase == ClaimPhase::Pending
            && claim.source().is_some_and(|source| source.kind == "VolumeSnapshot" && source.name == snapshot.meta.name)
    };
    let is_used = case.snapshot().claims_in(namespace).iter().any(|claim| restores(&claim));
    if is_used || !case.knows_all(Kind::PersistentVolumeClaim, namespace) {
        return None;
    }
    let found = Detection::new(format!(
        "it waits until finalizer {IN_USE} is removed, although no claim is being restored from it. The snapshot \
         controller, which removes the finalizer, probably does not run"
    ))
    .moment(&case.object(), "metadata.deletionTimestamp", snapshot.meta.deleted)
    .evidence(&case.object(), "metadata.finalizers", IN_USE)
    .remedy(kubectl(
        "get pods -A -l app.kubernetes.io/name=snapshot-controller",
        "see whether the snapshot controller runs; if it runs, it removes the finalizer",
    ));
    let target = format!("volumesnapshot {} -n {}", quoted(&snapshot.meta.name), quoted(namespace));
    let removes = "only if the snapshot controller will never run again and nothing is being restored: remove the \
                   finalizer";
    Some(found.remedies(remove_finalizer(&target, &snapshot.meta, IN_USE, removes)))
}
