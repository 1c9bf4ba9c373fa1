//! This rule reports an in-tree volume that a CSI driver has made.

use super::super::resize::driver_of_field;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolume, ReclaimPolicy, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "migration-provisioned-by-csi-on-intree",
    title: "only the CSI driver can delete this in-tree volume",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::CsiDriver],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "There is nothing to see. The volume has an in-tree source, such as `cinder`, and its annotation \
               `pv.kubernetes.io/provisioned-by` names a CSI driver.",
        why: "The class names the in-tree plugin. Since the migration, the CSI driver does the work of this plugin. \
              Some versions of the provisioner wrote the name of the driver into the annotation, and not the name of \
              the plugin. The PersistentVolume controller then waits for that driver, whether migration is on or off.",
        confirm: "kubectl get pv NAME -o jsonpath='{.metadata.annotations}{\"\\n\"}{.spec}'\n\
                  kubectl get csidriver DRIVER",
        repair: "Keep the driver installed as long as such volumes exist.",
        prevention: "Use classes that name the CSI driver.",
        hazard: "Without the driver, the PersistentVolume is never deleted, or it is deleted and its disk stays.",
        sources: &["kubernetes-csi/external-provisioner#576", "deleteVolumeOperation, Kubernetes 1.36 (DO3)"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let SourceKind::Other(field) = &volume.source.kind else { return None };
    let maker = volume.meta.annotations.get(AnnotationKey::ProvisionedBy)?;
    let driver = driver_of_field(case, field).filter(|driver| *driver == maker)?;
    if volume.terminating() || volume.reclaim_policy != ReclaimPolicy::Delete {
        return None;
    }
    let found = Detection::new(format!(
        "it is of the in-tree type {field}, and CSI driver {driver} has made it, so only that driver can delete its \
         disk"
    ));
    Some(
        found
            .evidence(&case.object(), "metadata.annotations[pv.kubernetes.io/provisioned-by]", maker)
            .evidence(&case.object(), "spec", field.as_str())
            .remedy(by_hand(format!("keep the driver {driver} installed as long as this volume exists")))
            .remedy(kubectl(format!("get csidriver {}", quoted(driver)), "see whether the driver is installed")),
    )
}
