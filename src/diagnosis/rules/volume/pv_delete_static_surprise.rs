//! This rule reports a volume that was created by hand and whose storage will be deleted after its claim.

use super::{claim_is_gone, recorded_released, with_storage};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::facts::{DRIVER_FINALIZER, is_complete, provisioner};
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::retain;
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "pv-delete-static-surprise",
    title: "created by a person, with policy Delete",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "Nothing unusual: the volume is Bound or Available, and its RECLAIM POLICY is Delete. The annotation \
               `pv.kubernetes.io/provisioned-by` is missing.",
        why: "The volume is a CSI volume. A person created it, for a disk, share or bucket that existed before. Up to \
              Kubernetes 1.29, policy Delete deleted nothing for such a CSI volume: the volume only became Failed. \
              Therefore, many manifests state policy Delete, although nobody wants the deletion. Since Kubernetes \
              1.30, kube-controller-manager leaves the deletion of static CSI volumes to their driver. Current \
              provisioners delete the storage of every Released volume of their driver that has policy Delete, also \
              if a person created the volume. If the finalizer of a provisioner is on the volume, the provisioner will delete the storage.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.annotations} {.metadata.finalizers}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.persistentVolumeReclaimPolicy} {.spec.csi.driver} \
                  {.spec.csi.volumeHandle}'",
        repair: "Set the policy to Retain, unless you want the storage to be deleted with the claim. The policy can be \
                 changed at any time while the claim exists.",
        prevention: "State Retain in manifests of volumes that are created by a person.",
        hazard: "If the claim or its namespace is deleted, the storage itself is deleted, with all data that others \
                 have on the same share or bucket.",
        sources: &[
            "findDeletablePlugin, Kubernetes 1.36 (DO3)",
            "kubernetes-sigs/sig-storage-lib-external-provisioner#129",
            "kubernetes/enhancements#3552",
            "kubernetes/kubernetes#125767",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let hand_made = volume.source.kind == SourceKind::Csi && provisioner(volume).is_none();
    if !hand_made || volume.reclaim_policy != ReclaimPolicy::Delete || volume.terminating() || recorded_released(volume)
    {
        return None;
    }
    if data_fate(case.behavior(), volume) != DataFate::HandedToDriver {
        return None;
    }
    // If the claim is already gone, other rules report the volume.
    if case.volume_branch().is_some_and(claim_is_gone) {
        return None;
    }
    let driver = &volume.source.detail;
    let claim = match volume.claim_ref.as_ref().filter(|named| is_complete(named)) {
        Some(named) => format!("claim {}", claim_name(named)),
        None => "a claim that has it".to_owned(),
    };
    let marked = volume.meta.has_finalizer(DRIVER_FINALIZER);
    let who = if marked {
        format!("{driver}, whose finalizer is on the volume,")
    } else {
        format!("{driver} (in a current version)")
    };
    let found = Detection::new(format!(
        "{} was statically provisioned, and policy Delete deletes its storage with the claim. When {claim} is deleted, \
         {who} deletes storage {}. The volume has no annotation of a provisioner",
        mention(&case.object()),
        volume.source.handle
    ));
    let found = with_storage(found, case, volume)
        .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str())
        .evidence(&case.object(), "spec.csi.driver", driver.as_str())
        .evidence(&case.object(), "metadata.annotations[pv.kubernetes.io/provisioned-by]", "");
    let found = if marked { found.evidence(&case.object(), "metadata.finalizers", DRIVER_FINALIZER) } else { found };
    Some(found.remedies(retain(volume)))
}
