//! This rule reports a claim whose volume still does not have the requested attributes after some time.

use super::{driver_of, modification, modification_error, requested_attributes};
use crate::controllers::resizer::ModifyStage;
use crate::controllers::resizing::true_condition;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim, VolumeAttributesClass};
use crate::text::truncate;

pub(super) static RULE: Rule = Rule {
    id: "vac-pending",
    title: "the volume does not get the requested attributes",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::VolumeAttributesClass],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound, and `spec.volumeAttributesClassName` differs from \
               `status.currentVolumeAttributesClassName`.",
        why: "The driver's resizer changes the volume. It does nothing if the class belongs to another driver, if the \
              driver cannot modify volumes, or if the resizer does not run. If the storage system answers with an \
              error, the resizer tries again and again.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.status.modifyVolumeStatus}'\n\
                  kubectl get vac CLASS -o jsonpath='{.driverName}'\n\
                  kubectl describe pvc NAME -n NAMESPACE",
        repair: "Use a class of the volume's driver. If the class is right, run the resizer of the driver, and remove \
                 the cause that its message names. The change then continues by itself.",
        prevention: "Give a class a name that says for which driver it is.",
        hazard: "None: the volume keeps the attributes that it has.",
        sources: &[
            "modify_controller, external-resizer",
            "https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let wanted = requested_attributes(claim)?;
    let class = case.snapshot().find::<VolumeAttributesClass>("", wanted)?;
    let stage = ModifyStage::of(claim);
    if stage == Some(ModifyStage::Infeasible) {
        return None;
    }
    let volume = case.volume(&claim.volume_name)?;
    let driver = driver_of(case, volume).unwrap_or_default();
    let has = claim.status.current_attributes_class.as_deref().unwrap_or_default();
    let told = |found: Detection| {
        found
            .evidence(&case.object(), "spec.volumeAttributesClassName", wanted)
            .evidence(&case.object(), "status.currentVolumeAttributesClassName", has)
            .evidence(&case.object(), "status.modifyVolumeStatus.status", modification(claim))
            .evidence(&key(Kind::VolumeAttributesClass, "", wanted), "driverName", class.driver.as_str())
    };
    if class.driver != driver {
        let of = if driver.is_empty() { "no CSI driver".to_owned() } else { format!("driver {driver}") };
        let found = Detection::new(format!(
            "{} requests VolumeAttributesClass {wanted} for driver {}, and {} has {of}, so nobody changes the volume",
            mention(&case.object()),
            class.driver,
            mention(&volume_key(&volume.meta.name))
        ));
        let found = told(found).evidence(&volume_key(&volume.meta.name), "spec.csi.driver", driver);
        return Some(found.remedy(by_hand("set spec.volumeAttributesClassName of the claim to a class of its driver")));
    }
    let since = true_condition(claim, "ModifyingVolume").or(modification_error(claim)).and_then(|one| one.since);
    let is_early = case.may_heal(since)?;
    // A change that may go on is ended first, even if the claim names another class by now.
    let tried = stage.map_or(wanted, |stage| stage.target(claim));
    let what = match (modification_error(claim), stage) {
        (Some(error), _) => {
            format!(
                "driver {driver} fails to change its volume to class {tried}: \"{}\"",
                truncate(&error.message, 200)
            )
        }
        (None, None | Some(ModifyStage::Requested)) => {
            format!("no resizer of driver {driver} has begun to change its volume to class {wanted}")
        }
        (None, _) => format!("driver {driver} has not finished changing its volume to class {tried}"),
    };
    Some(
        told(Detection::new(what).since(since).early_if(is_early))
            .remedy(describe(&case.object(), "see what the resizer of the driver says"))
            .remedy(by_hand(format!(
                "see whether the resizer of {driver} runs (usually a container csi-resizer beside its provisioner)"
            ))),
    )
}
