//! This rule reports a claim whose driver was asked for a volume some time ago.

use super::{asked_since, driver_of, selected_node};
use crate::controllers::{Branch, ClaimBranch, ProvisionStep};
use crate::diagnosis::case::class_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::rules::provisioning::refusal;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::lease::names_of_provisioner;
use crate::model::{Kind, PersistentVolumeClaim};
use crate::text::human_age;

/// The longest time, in seconds, that a pod usually waits for a node.
const LONG: i64 = 3_600;

pub(super) static RULE: Rule = Rule {
    id: "pvc-provisioner-silent",
    title: "the driver has not made the volume yet",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::Node, Kind::Event],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending for minutes. Its events `ExternalProvisioning` repeat, and come from the \
               controller, which only says that it waits.",
        why: "For a class with a provisioner, the controller only writes the name of the provisioner into the claim. A \
              component of that driver has to provision the volume. Kubernetes does not know whether this component \
              runs. Perhaps it does not work: it is not installed, has crashed, uses another name, or lacks \
              permissions. Or it works, but the storage system refuses the request. Then its own event \
              `ProvisioningFailed` says why.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations}'\n\
                  kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get csidriver DRIVER\n\
                  kubectl get lease -A\n\
                  kubectl get pods -A",
        repair: "The claim needs no change. Search for events of the driver: they say why the storage is not created. \
                 If there are none, find its provisioner (a Deployment of the driver, usually with a container \
                 `csi-provisioner`), and read its log. Install or repair it: then the claim continues by itself. If \
                 the class names a wrong driver, create the class again with the right driver, and then create the \
                 claim again.",
        prevention: "Monitor the Leases of drivers. Remove the classes of a driver together with the driver.",
        hazard: "Do not delete the claim while the driver may be provisioning its volume. Otherwise the volume is left \
                 over in the storage system. If you create a volume for this claim by hand, let its `claimRef` name \
                 the claim. When the driver runs again, it may provision a second volume.",
        sources: &[
            "provisionClaimOperationExternal, Kubernetes 1.36 (C12, PE4)",
            "kubernetes-sigs/nfs-subdir-external-provisioner#25",
            "kubernetes-csi/csi-driver-nfs#682",
            "justmeandopensource/kubernetes#52",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    // Another rule reports claims with a selector.
    if claim.selector.is_some() || case.waiting_branch(claim)? != ClaimBranch::UnboundClaimProvisionExternal {
        return None;
    }
    let class = case.class(claim.class())?;
    let since = asked_since(case, claim, class);
    let waited = case.lasts(since)?;
    // No object states when the node was selected. A pod may have waited for a long time and may have got its node just
    // now.
    let is_unclear = class.waits_for_first_consumer() && waited < LONG;
    let asked = Branch::ProvisionStep(ProvisionStep::ExternalProvisionerAlreadyRequested);
    let is_asked = case.decision()?.record.steps.contains(&asked);
    // Provisioners give the volume this name. If such a volume exists, the driver has made it, and something else
    // prevents the binding.
    let is_made = case.volume(&format!("pvc-{}", claim.meta.uid)).is_some();
    if !is_asked || is_made || case.always_ends("Bound")? || waits_for_a_node_that_is_gone(case, claim) {
        return None;
    }
    // The last error of the driver is more useful than the fact that the volume does not exist.
    if refusal(case, claim).is_some() {
        return None;
    }
    let driver = driver_of(case, class);
    let copies = match claim.source() {
        Some(source) => {
            format!(". The claim has data source {} {}; copying can take time", source.kind, source.name)
        }
        None if claim.data_source => ". The claim has a data source, and copying can take time".to_owned(),
        None => String::new(),
    };
    let found = Detection::new(format!(
        "driver {driver} has not provisioned a volume for {} for {}. Kubernetes only asks the driver and does not know \
         whether it runs. The driver's events on the claim, its Lease and its log show this{copies}",
        mention(&case.object()),
        human_age(waited)
    ));
    let annotation = "metadata.annotations[volume.kubernetes.io/storage-provisioner]";
    let mut looks = vec![
        by_hand(format!(
            "read the log of the provisioner of {driver}: it says why it provisions no volume, or shows that it does not run"
        )),
        describe(&case.object(), format!("see whether {driver} has written an event: if so, it runs")),
    ];
    // A name with a slash is not the name of a CSI driver. The name of a Lease is made from the name of the driver. A
    // provisioner of a CSI driver replaces several characters in this name, and any other provisioner replaces only
    // slashes.
    let mut leases = names_of_provisioner(driver);
    if driver.contains('/') {
        leases.reverse();
    } else {
        looks.push(kubectl(format!("get csidriver {}", quoted(driver)), "see whether the driver is installed"));
    }
    if let Some(lease) = leases.first() {
        let lease = quoted(&format!("metadata.name={lease}"));
        looks.push(kubectl(
            format!("get lease -A --field-selector {lease} -o yaml"),
            "see whether the provisioner runs: if so, renewTime is only seconds old; not every provisioner has such a \
             Lease",
        ));
    }
    Some(
        found
            .info_if(is_unclear)
            .since(since)
            .follows_from(class_key(&class.meta.name), Act::Provision)
            .evidence(&case.object(), annotation, driver)
            .evidence(&class_key(&class.meta.name), "provisioner", class.provisioner.as_str())
            .remedies(looks),
    )
}

/// Returns whether the volume should be provisioned for a node that does not exist. Another rule reports this.
fn waits_for_a_node_that_is_gone(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    selected_node(claim).is_some_and(|node| case.lacks(Kind::Node, "", node))
}
