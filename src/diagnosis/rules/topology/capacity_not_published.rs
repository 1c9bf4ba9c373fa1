//! This rule reports a class whose driver requires capacity checks by the scheduler but publishes no capacity.

use super::{is_usable, made_outside, may_be_unread, registered, waiting, waits_for_a_node};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{AnnotationKey, CsiDriver, Kind, PersistentVolumeClaim, StorageCapacity, StorageClass};

pub(super) static RULE: Rule = Rule {
    id: "capacity-not-published",
    title: "nobody publishes how much storage the driver of the class has",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod, Kind::CsiDriver, Kind::CsiNode, Kind::CsiStorageCapacity],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "Pods with new claims of the class stay Pending, and the scheduler says that nodes `did not have enough \
               free storage`. The storage has plenty.",
        why: "The driver's CSIDriver object says `storageCapacity: true`. Then, for a class with WaitForFirstConsumer, \
              the scheduler selects a node only if a CSIStorageCapacity object of that class includes this node and is \
              large enough for the claim. If there is no such object, the scheduler refuses every node, even if there \
              is enough storage. The driver's provisioner creates the objects if it was started with \
              `--enable-capacity` and may write them in its namespace, and if the driver answers `GetCapacity`.",
        confirm: "kubectl get csidriver DRIVER -o jsonpath='{.spec.storageCapacity}'\n\
                  kubectl get csistoragecapacities -A\n\
                  kubectl get sc NAME -o jsonpath='{.provisioner} {.volumeBindingMode}'",
        repair: "Read the log of the driver's provisioner: it reports missing permissions and errors of `GetCapacity`. \
                 Start the provisioner with `--enable-capacity`, and set the environment variables with its namespace \
                 and its pod name. If the driver should not publish its capacity, set `storageCapacity: false` in its \
                 CSIDriver. This field can be changed. Then the scheduler does not check the capacity.",
        prevention: "Install the CSIDriver object and the provisioner from the same release of the driver.",
        hazard: "With `storageCapacity: false`, the scheduler can select nodes whose storage is full. Then the \
                 provisioner has to remove the selected node from the claim, and the scheduler selects again. No data \
                 are changed.",
        sources: &[
            "hasEnoughCapacity, volumebinding of kube-scheduler, Kubernetes 1.36 (S9)",
            "https://kubernetes.io/docs/concepts/storage/storage-capacity/",
            "https://kubernetes-csi.github.io/docs/storage-capacity-tracking.html",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    if !class.waits_for_first_consumer() || !made_outside(case, class) {
        return None;
    }
    // The scheduler looks for a CSIDriver with exactly this name. The in-tree name of a migrated plugin has none.
    let around = case.snapshot();
    let waits = |claim: &PersistentVolumeClaim| {
        !claim.meta.annotations.has(AnnotationKey::SelectedNode) && waits_for_a_node(case, claim)
    };
    let Some(driver) = around.find::<CsiDriver>("", &class.provisioner) else {
        // If CSIDrivers were not read, the CSIDriver of this class may exist, and its setting may be the reason why
        // claims wait.
        if may_be_unread(case, Kind::CsiDriver, "") && waiting(case, class, waits).is_some() {
            case.lacks(Kind::CsiDriver, "", &class.provisioner);
        }
        return None;
    };
    if !driver.storage_capacity || case.is_young(class.meta.created) || case.is_young(driver.meta.created) {
        return None;
    }
    let own = || around.all::<StorageCapacity>().iter().filter(|capacity| capacity.class_name == class.meta.name);
    if own().any(is_usable) || !case.knows_all(Kind::CsiStorageCapacity, "") {
        return None;
    }
    let waiting = waiting(case, class, waits);
    let fact = match own().count() {
        0 => "no CSIStorageCapacity exists for this class".to_owned(),
        count => format!("none of the {count} CSIStorageCapacity objects of this class states a size and nodes"),
    };
    let consequence = match &waiting {
        Some(waiting) => {
            format!("{}. Events report too little free storage, but nobody has measured it", waiting.words())
        }
        None => "the scheduler will report too little free storage for pods with new claims of the class".to_owned(),
    };
    let name = driver.meta.name.as_str();
    let found = Detection::new(format!(
        "the scheduler refuses every node for {}, because {fact}. Driver {name} has storageCapacity: true; \
         {consequence}",
        mention(&case.object())
    ));
    let severity = match &waiting {
        Some(_) => Severity::Error,
        None if registered(case, name) => Severity::Warning,
        // If no node has registered the driver, there is no capacity to publish.
        None => Severity::Info,
    };
    let found = found
        .severity(severity)
        .evidence(&key(Kind::CsiDriver, "", name), "spec.storageCapacity", "true")
        .evidence(&case.object(), "volumeBindingMode", "WaitForFirstConsumer")
        .evidence(&case.object(), "provisioner", name);
    let found = match &waiting {
        Some(waiting) => waiting.shown_in(found),
        None => found,
    };
    Some(
        found
            .remedy(kubectl(
                "get csistoragecapacities -A",
                "see which classes and namespaces have CSIStorageCapacity objects",
            ))
            .remedy(by_hand(format!(
                "find in the log of the provisioner of {name} why it publishes no capacity: it needs \
                 --enable-capacity, its namespace, and the permission to write csistoragecapacities"
            )))
            .remedy(kubectl(
                format!(
                    "patch csidriver {} --type=merge -p '{{\"spec\":{{\"storageCapacity\":false}}}}'",
                    quoted(name)
                ),
                "if the driver should not publish its capacity: turn off the capacity check of the scheduler",
            )),
    )
}
