//! This rule reports a claim that asks another driver for its volume than its class names.

use super::driver_of;
use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::plugins::migrated_driver;
use crate::diagnosis::case::class_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe, look_at_manager};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-provisioner-name-drift",
    title: "the claim asks another driver than its class names",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending, and its annotation `volume.kubernetes.io/storage-provisioner` names another \
               driver than its class does.",
        why: "The class was deleted and created again with another provisioner, or the claim was restored with the \
              annotations of another cluster. A provisioner handles only claims whose class names it. So the driver in \
              the annotation ignores the claim, and the driver of the class waits for the annotation. The controller \
              writes the right name with its next sync, within seconds. If it has not done so, it does not sync this \
              claim.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations}'\n\
                  kubectl get sc CLASS -o jsonpath='{.provisioner} {.metadata.creationTimestamp}'\n\
                  kubectl get lease kube-controller-manager -n kube-system",
        repair: "Find out why kube-controller-manager does not run, or has no permission to write claims. If it runs \
                 and nothing changes, create the claim again: it has no volume that could be lost.",
        prevention: "If you create a class with another provisioner, give it another name.",
        hazard: "The driver in the annotation may have created storage for this claim before the class was replaced. \
                 When the driver of the class creates a volume, that storage is left over.",
        sources: &[
            "setClaimProvisioner, Kubernetes 1.36 (PE3)",
            "shouldProvision, sig-storage-lib-external-provisioner",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let asked = claim.meta.annotations.get(AnnotationKey::StorageProvisioner)?;
    let class = case.class(claim.class())?;
    let driver = driver_of(case, class);
    // Drivers also accept the name of the in-tree plugin that they replaced.
    let is_meant = asked == driver || migrated_driver(case.behavior(), asked) == Some(driver);
    if is_meant || case.waiting_branch(claim)? != ClaimBranch::UnboundClaimProvisionExternal {
        return None;
    }
    // The next sync corrects this, and the controller needs only seconds for it.
    let since = claim.meta.created.max(class.meta.created);
    let waited = case.lasts(since)?;
    if case.always_ends("Bound")? {
        return None;
    }
    let name = &class.meta.name;
    let found = Detection::new(format!(
        "{} asks driver {asked} for a volume, but its class \"{name}\" names driver {driver}. So neither of them \
         provisions one. The controller corrects this within seconds, but has not done so for {}: kube-controller-manager does \
         not sync this claim",
        mention(&case.object()),
        crate::text::human_age(waited)
    ));
    let annotation = "metadata.annotations[volume.kubernetes.io/storage-provisioner]";
    Some(
        found
            .since(since)
            .evidence(&case.object(), annotation, asked)
            .evidence(&class_key(name), "provisioner", class.provisioner.as_str())
            .remedy(look_at_manager(
                "see whether kube-controller-manager runs: if it does, renewTime is only seconds old",
            ))
            .remedy(describe(&case.object(), "see which events the claim has, and how old they are"))
            .remedy(by_hand(
                "if kube-controller-manager runs and nothing changes, delete the claim, which has no volume, and \
                 create it again",
            )),
    )
}
