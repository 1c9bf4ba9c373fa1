//! This rule reports a volume of a migrated type whose CSI driver is not installed.

use crate::diagnosis::remedy::{by_hand, kubectl, quoted, retain};
use crate::diagnosis::rules::resize::driver_of;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{AnnotationKey, CsiDriver, CsiNode, Kind, PersistentVolume, ReclaimPolicy, SourceKind, VolumePhase};

pub(super) static RULE: Rule = Rule {
    id: "migration-annotation-orphan",
    title: "the CSI driver that replaced the volume's plugin is not installed",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::CsiDriver, Kind::CsiNode],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is of an in-tree type such as `awsElasticBlockStore`, and has the annotation \
               `pv.kubernetes.io/migrated-to`. Pods that use it stay in ContainerCreating. Once the volume is \
               Released, it stays Released.",
        why: "The code for these types was removed from Kubernetes. The CSI driver of the same storage does the work \
              for such a volume instead. kube-controller-manager leaves provisioning, expansion and deletion to that \
              driver, too. Here no CSIDriver of that name exists, and no node has registered it.",
        confirm: "kubectl get pv VOLUME -o yaml\n\
                  kubectl get csidrivers\n\
                  kubectl get csinodes -o custom-columns='NODE:.metadata.name,DRIVERS:.spec.drivers[*].name'",
        repair: "Install the driver that the annotation names: then the volume can be used as before. If the claim is \
                 gone and the data have to be kept, set policy Retain first. If the storage does not exist any more, \
                 delete the claim and the volume.",
        prevention: "Install the CSI drivers before an upgrade to a version without the plugins, and before volumes \
                     are restored into another cluster.",
        hazard: "Deletions are only delayed: once the driver runs, it deletes released volumes with policy Delete. \
                 Editing the annotation has no effect, because the controller writes it again.",
        sources: &[
            "updateMigrationAnnotations, reclaimVolume, Kubernetes 1.36 (R1)",
            "IsMigratable, csi-translation-lib 0.36",
            "kubernetes/kubernetes#75146",
            "kubernetes/kubernetes#79043",
            "kubernetes-sigs/vsphere-csi-driver#2286",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let SourceKind::Other(field) = &volume.source.kind else { return None };
    let driver = driver_of(case, volume).filter(|_| !volume.terminating())?;
    let snapshot = case.snapshot();
    let is_registered = || snapshot.all::<CsiNode>().iter().any(|node| node.driver(driver).is_some());
    if snapshot.find::<CsiDriver>("", driver).is_some() || is_registered() {
        return None;
    }
    if !case.lacks(Kind::CsiDriver, "", driver) || !case.knows_all(Kind::CsiNode, "") {
        return None;
    }
    let waits_for_deletion =
        volume.reclaim_policy == ReclaimPolicy::Delete && volume.status.phase == VolumePhase::Released;
    let (severity, risk, what) = if waits_for_deletion {
        let what = "Nobody deletes the volume (policy Delete) until that driver is installed. Then its data are \
                    deleted at once";
        (Severity::Error, Risk::Possible, what)
    } else if volume.status.phase == VolumePhase::Bound {
        (Severity::Error, Risk::None, "No pod can mount it, and nobody deletes or expands it")
    } else {
        (Severity::Warning, Risk::None, "No pod could mount it, and nobody deletes it")
    };
    let found = Detection::new(format!(
        "CSI driver {driver}, which serves type {field} in Kubernetes {}, is not installed. {what}",
        case.behavior().version
    ))
    .severity(severity)
    .risk(risk)
    .evidence(
        &case.object(),
        "metadata.annotations[pv.kubernetes.io/migrated-to]",
        volume.meta.annotations.get(AnnotationKey::MigratedTo).unwrap_or_default(),
    )
    .evidence(&case.object(), "spec", field.as_str())
    .evidence(&key(Kind::CsiDriver, "", driver), "metadata.name", "");
    let (found, then) = if waits_for_deletion {
        let then = "it then deletes the data at once, unless the policy is set to Retain before";
        (found.remedies(retain(volume)), then)
    } else {
        (found, "the volume itself needs no change")
    };
    Some(
        found
            .remedy(kubectl(format!("get csidriver {}", quoted(driver)), "see whether the driver is installed"))
            .remedy(by_hand(format!("install CSI driver {driver}, with its components on the nodes; {then}"))),
    )
}
