//! This rule reports a class whose CSI driver is not installed in the cluster.

use super::{Waiting, driver_of, is_asked_for, made_outside, registered, waiting};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{AnnotationKey, CsiDriver, CsiNode, Kind, PersistentVolumeClaim, StorageClass};
use crate::snapshot::Absence;
use crate::text::nearest;

pub(super) static RULE: Rule = Rule {
    id: "sc-provisioner-absent",
    title: "the class's driver is not installed",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[
        Kind::PersistentVolume,
        Kind::PersistentVolumeClaim,
        Kind::Pod,
        Kind::CsiDriver,
        Kind::CsiNode,
        Kind::Event,
    ],
    hinders: &[Act::Schedule, Act::Provision],
    repairs: &[],
    page: Page {
        seen: "The class exists, and may be the default class. Its claims stay Pending with events \
               `ExternalProvisioning`, which say that a driver or an administrator has to create the volume. No event \
               says that there is no such driver.",
        why: "Kubernetes does not check the `provisioner` of a class. The controller writes this name to the claim and \
              waits for the provisioner with this name. A CSI driver can be seen in two objects: a CSIDriver object \
              that is installed with it, and an entry in the CSINode of every node where it runs. Here neither exists. \
              Some vendors create a class for a driver that the administrator has to install. And for in-tree plugins \
              such as `kubernetes.io/aws-ebs`, a CSI driver now does the work. A provisioner that is no CSI driver \
              needs neither object. So this rule examines only names that only CSI drivers have.",
        confirm: "kubectl get sc NAME -o jsonpath='{.provisioner}'\n\
                  kubectl get csidrivers\n\
                  kubectl get csinodes -o custom-columns='NODE:.metadata.name,DRIVERS:.spec.drivers[*].name'\n\
                  kubectl get pods -A",
        repair: "Install the driver: then waiting claims get their volumes. If the name is misspelt, or another driver \
                 is meant, create a class with the right name (the provisioner of a class cannot be changed), and \
                 create the waiting claims again with that class. If nobody should use the class, delete it, or at \
                 least remove its annotation `storageclass.kubernetes.io/is-default-class`.",
        prevention: "Install a driver before its classes, and remove its classes together with it.",
        hazard: "If you delete a class, no volume changes. If you delete a claim that never had a volume, no data are \
                 lost. While the driver is not installed, its existing volumes can neither be mounted nor deleted. \
                 Their data remain in the storage system.",
        sources: &[
            "provisionClaimOperationExternal, setClaimProvisioner, Kubernetes 1.36 (C12, PE3)",
            "https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration",
            "https://kubernetes-csi.github.io/docs/csi-driver-object.html",
            "awslabs/cdk-eks-blueprints#561",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    let driver = driver_of(case, class);
    if !made_outside(case, class) || !is_csi_name(driver) || class.meta.deleted.is_some() {
        return None;
    }
    let around = case.snapshot();
    if around.find::<CsiDriver>("", driver).is_some() || registered(case, driver) {
        return None;
    }
    // If a provisioner has begun to work on a claim, the provisioner exists.
    let waiting = waiting(case, class, |claim| is_asked_for(case, claim) && !has_begun(case, claim));
    // In a virtual cluster, drivers are not visible and provision volumes nevertheless.
    let is_used = case.survey().taken(&class.meta.name).next().is_some();
    if waiting.is_none() && is_used {
        return None;
    }
    if !case.lacks(Kind::CsiDriver, "", driver) || !case.knows_all(Kind::CsiNode, "") {
        return None;
    }
    // Volumes that were not read may prove that the driver is used, or may be those that the claims wait for.
    let is_unused = !is_used && case.knows_all(Kind::PersistentVolume, "");
    if waiting.is_none() && !is_unused {
        return None;
    }
    let is_migrated = driver != class.provisioner;
    let replaced = if is_migrated {
        ". Kubernetes sends requests for the provisioner of the class to this driver (CSI migration)"
    } else {
        ""
    };
    let meaning = match &waiting {
        Some(waiting) => format!("{} for a volume that nobody makes", waiting.words()),
        None => "a new claim of the class gets no volume".to_owned(),
    };
    let registered =
        around.all::<CsiNode>().iter().flat_map(|node| node.drivers.iter().map(|driver| driver.name.as_str()));
    let known = around.all::<CsiDriver>().iter().map(|driver| driver.meta.name.as_str()).chain(registered);
    // The name of a migrated plugin is not a typing error.
    let similar = if is_migrated { None } else { nearest(driver, known, 1).first().copied() };
    let similar = similar.map(|name| format!(". Perhaps driver {name}, which exists, is meant"));
    let found = Detection::new(format!(
        "driver {driver} of {} is not installed. No such CSIDriver exists, and no node has registered it; \
         {meaning}{replaced}{}",
        mention(&case.object()),
        similar.unwrap_or_default()
    ));
    let found = found
        .severity(severity(case, class, waiting, is_unused))
        .evidence(&case.object(), "provisioner", class.provisioner.as_str())
        .evidence(&key(Kind::CsiDriver, "", driver), "metadata.name", "does not exist");
    let found = match waiting {
        Some(Waiting { first, .. }) => {
            let annotation = first.meta.annotations.get(AnnotationKey::StorageProvisioner).unwrap_or_default();
            found.evidence(
                &key_of_claim(&first.meta),
                "metadata.annotations[volume.kubernetes.io/storage-provisioner]",
                annotation,
            )
        }
        None => found,
    };
    Some(
        found
            .remedy(kubectl("get csidrivers", "list the installed drivers"))
            .remedy(by_hand(format!("install {driver}: then waiting claims get their volumes")))
            .remedy(kubectl(
                format!("get sc {} -o yaml", quoted(&class.meta.name)),
                "if another driver is meant, copy the class into a new class with that provisioner, and create the \
                 waiting claims again with the new class",
            )),
    )
}

/// Returns a severity that depends on how certain the problem is and on whether claims wait. The driver that replaces a
/// migrated plugin is always a CSI driver. A name with the part `csi` is also the name of a CSI driver.
fn severity(case: &Case<'_>, class: &StorageClass, waiting: Option<Waiting<'_>>, is_unused: bool) -> Severity {
    let driver = driver_of(case, class);
    let says_csi = driver != class.provisioner || driver.split('.').any(|part| part == "csi");
    let has_csi_nodes = !case.snapshot().all::<CsiNode>().is_empty();
    // Most files have no events. The absence of a provisioner's event is then not certain enough for an error.
    let coverage = case.snapshot().coverage();
    let hears =
        |claim: &PersistentVolumeClaim| coverage.absence(Kind::Event, &claim.meta.namespace) == Absence::Certain;
    match waiting {
        None => Severity::Info,
        Some(waiting) if says_csi && has_csi_nodes && is_unused && hears(waiting.first) => Severity::Error,
        Some(_) => Severity::Warning,
    }
}

/// Returns whether the name is almost certainly the name of a CSI driver. CSI drivers have domain names, and other
/// provisioners have names with a slash.
fn is_csi_name(name: &str) -> bool {
    name.contains('.') && !name.contains('/')
}

/// Returns whether a provisioner has reported that it works on the claim. Only provisioners outside of
/// kube-controller-manager report this event.
fn has_begun(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    let mut events = case.snapshot().events_about(&key_of_claim(&claim.meta), &claim.meta.uid);
    events.any(|event| event.reason == "Provisioning")
}
