//! This rule reports a class whose provisioner is a plugin that Kubernetes does not have.

use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::is_open;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, NO_PROVISIONER, PersistentVolumeClaim, StorageClass};

/// The in-tree plugins that provisioned volumes and were removed. They are not migrated to a CSI driver.
const REMOVED: [&str; 8] = [
    "kubernetes.io/cephfs",
    "kubernetes.io/flocker",
    "kubernetes.io/glusterfs",
    "kubernetes.io/photon-pd",
    "kubernetes.io/quobyte",
    "kubernetes.io/rbd",
    "kubernetes.io/scaleio",
    "kubernetes.io/storageos",
];

pub(super) static RULE: Rule = Rule {
    id: "sc-intree-removed",
    title: "Kubernetes does not have the class's provisioner",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[Act::Provision],
    repairs: &[],
    page: Page {
        seen: "The class exists, but its claims stay Pending. Their event `ProvisioningFailed` says that no volume \
               plugin matched the name.",
        why: "If the name of a provisioner begins with `kubernetes.io/`, it means a plugin of kube-controller-manager. \
              The plugins for GlusterFS, Ceph RBD, Quobyte, StorageOS and others were removed over the years, \
              `kubernetes.io/nfs` never provisioned volumes, and a misspelt name has the same effect. For only seven \
              of these names, a CSI driver does the work instead.",
        confirm: "kubectl get sc NAME -o jsonpath='{.provisioner}'\nkubectl get pvc -A",
        repair: "Install the CSI driver of the storage system, create a class with its name as provisioner, and create \
                 the waiting claims again with that class. The provisioner of a class cannot be changed.",
        prevention: "Before an upgrade, read which plugins the new release of Kubernetes removes, and migrate their \
                     volumes.",
        hazard: "Volumes of a removed type can neither be mounted nor deleted by this version: data on them have to be \
                 reached in another way. Deleting the waiting claims loses nothing.",
        sources: &[
            "findProvisionablePlugin, Kubernetes 1.36 (C11)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#types-of-persistent-volumes",
            "kubernetes/examples#178",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    let provisioner = class.provisioner.as_str();
    let Provider::Nobody(text) = find_provisionable_plugin(case.behavior(), class) else { return None };
    if provisioner == NO_PROVISIONER {
        return None;
    }
    let version = case.behavior().version;
    let what = if REMOVED.contains(&provisioner) {
        format!("is no longer a plugin of Kubernetes {version}")
    } else if provisioner == "kubernetes.io/nfs" {
        "has never provisioned volumes".to_owned()
    } else {
        format!("is no plugin of Kubernetes {version}. Perhaps its name is misspelt")
    };
    // Few classes have this problem, so one pass over all claims for each of them is acceptable.
    let is_waiting = |claim: &&PersistentVolumeClaim| claim.class() == class.meta.name && is_open(claim);
    let mut waiting = case.snapshot().claims().iter().filter(is_waiting);
    let first = waiting.next();
    let more = waiting.count();
    let claims = match first {
        None => "Its claims stay Pending unless volumes are created for them".to_owned(),
        Some(claim) if more == 0 => format!("Claim {} gets a volume only if somebody creates one", claim.key()),
        Some(claim) => format!("Claim {} and {more} more get volumes only if somebody creates them", claim.key()),
    };
    let found = Detection::new(format!(
        "{} {what}. {claims} (event \"{text}\")",
        part_of(&case.object(), &format!("provisioner {provisioner}"))
    ))
    .severity(if first.is_some() { Severity::Error } else { Severity::Warning })
    .evidence(&case.object(), "provisioner", provisioner);
    let found = match first {
        Some(claim) => found.evidence(&key_of_claim(&claim.meta), "status.phase", claim.status.phase.as_str()),
        None => found,
    };
    Some(
        found
            .remedy(by_hand(
                "install the CSI driver of the storage system, create a class with its name as provisioner, and create \
                 the waiting claims again with that class",
            ))
            .remedy(kubectl(
                format!("get sc {} -o yaml", quoted(&class.meta.name)),
                "copy the other fields of the class into a new one; its provisioner cannot be changed",
            )),
    )
}
