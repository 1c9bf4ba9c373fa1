//! This rule reports a claim that is being deleted while a snapshot of it is being taken.

use super::{SNAPSHOT_FINALIZER, aftermath, being_deleted, subject};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-terminating-snapshot-source",
    title: "a snapshot keeps the claim from being deleted",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Delete],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The claim is Terminating for minutes, and `snapshot.storage.kubernetes.io/pvc-as-source-protection` is \
               among its finalizers.",
        why: "While a VolumeSnapshot of a claim is being taken, the snapshot controller keeps the claim, until the \
              VolumeSnapshot is ready to use or gone. If it never becomes ready, or if the snapshot controller or its \
              custom resource definitions were removed, nobody removes the finalizer.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.finalizers}'\n\
                  kubectl get volumesnapshots -n NAMESPACE\n\
                  kubectl describe volumesnapshots -n NAMESPACE",
        repair: "Find the VolumeSnapshot that names the claim as its source and is not ready. Let it become ready, or \
                 delete it. If the snapshot controller is gone, install it again. Remove this one finalizer only if \
                 the snapshot controller will never run again.",
        prevention: "Delete claims after their snapshots are ready, and uninstall the snapshot controller last.",
        hazard: "If the source is deleted before the snapshot is complete, the snapshot is useless. When the claim is \
                 deleted, the policy of its volume decides about the data: with policy Delete, perhaps no copy is \
                 left.",
        sources: &[
            "external-snapshotter pkg/utils/util.go",
            "pvcprotection processPVC, Kubernetes 1.36 (X6)",
            "kubernetes-csi/external-provisioner#1507",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !claim.terminating() || !claim.meta.has_finalizer(SNAPSHOT_FINALIZER) {
        return None;
    }
    let after = aftermath(case, claim);
    // It is normal that a snapshot needs time. This is reported only if data will be destroyed with the claim.
    let is_recent = case.lasts(claim.meta.deleted).is_none();
    if is_recent && after.risk == Risk::None {
        return None;
    }
    let message = format!(
        "{} waits until finalizer {SNAPSHOT_FINALIZER}, set for a VolumeSnapshot, is removed. A VolumeSnapshot of the \
         claim is not ready, or nobody removes the finalizer. Once the finalizer is removed, the claim is deleted{}",
        subject(case),
        after.words
    );
    let found = being_deleted(message, case, claim).info_if(is_recent);
    Some(
        after
            .told(found)
            .remedy(kubectl(
                format!("get volumesnapshots -n {}", quoted(&claim.meta.namespace)),
                format!("see which snapshot of {} is not ready", claim.meta.name),
            ))
            .remedy(by_hand(
                "let that snapshot become ready or delete it, and check that the snapshot controller runs; then that \
                 controller removes the finalizer",
            )),
    )
}
