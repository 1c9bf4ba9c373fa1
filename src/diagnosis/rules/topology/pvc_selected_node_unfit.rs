//! This rule reports a claim whose pod can no longer be scheduled to the selected node.

use super::{
    Chosen, SELECTED_NODE, chosen, driver_of, is_asked_for, may_be_unread, registered, room, stays_with_its_driver,
    topologies, unplaced, unselect,
};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity, key};
use crate::model::surroundings::StorageCapacity;
use crate::model::{
    CsiDriver, CsiNode, Kind, LabelSelector, Node, ObjectKey, PersistentVolumeClaim, Quantity, StorageClass, Str,
    Taint, Timestamp, label,
};
use crate::text::human_age;

/// The number of seconds for which the scheduler waits until the volume is bound, after it has selected the node.
/// Upstream: `BindTimeoutSeconds`, 1.36.
const BIND_TIMEOUT: i64 = 600;

/// The taints that Kubernetes puts on a node that does not answer. Pods do not tolerate them when they are scheduled.
const LIFELESS: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

pub(super) static RULE: Rule = Rule {
    id: "pvc-selected-node-unfit",
    title: "the claim's pod cannot run on the selected node",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[
        Kind::PersistentVolume,
        Kind::PersistentVolumeClaim,
        Kind::StorageClass,
        Kind::Pod,
        Kind::Node,
        Kind::CsiDriver,
        Kind::CsiNode,
        Kind::CsiStorageCapacity,
    ],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending with events `ExternalProvisioning`. Its pod is Pending, too: the scheduler says \
               that one node is unschedulable, not ready or without storage, and that all others have no volume to \
               bind.",
        why: "The scheduler wrote a node to the claim (annotation `volume.kubernetes.io/selected-node`) and waited ten \
              minutes for the volume. As long as the claim has the annotation, the scheduler refuses every other node \
              for the pod. Now it refuses the selected node, too: the node was cordoned, does not answer, is no longer \
              allowed by the class, or has too little free storage. Only the driver's provisioner removes the \
              annotation, after the driver has answered that it cannot create the volume there. It has not removed the \
              annotation.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations}'\n\
                  kubectl get node NODE -o jsonpath='{.spec}'\n\
                  kubectl get csistoragecapacities -A\n\
                  kubectl describe pod POD -n NAMESPACE",
        repair: "If the node will be used again, uncordon or repair it. Otherwise, check in the driver's events and \
                 log that no volume is being created for that node, and remove the annotation. Then the scheduler \
                 selects another node the next time that it tries to schedule the pod.",
        prevention: "Let drivers publish their capacity, so that the scheduler does not select full nodes. Drain nodes \
                     only when no claim waits for a volume there.",
        hazard: "If the driver is just creating a volume for the old node, this volume may remain in the storage \
                 system, and nothing deletes it. No existing data are changed.",
        sources: &[
            "FindPodVolumes, checkVolumeProvisions, volumebinding of kube-scheduler, Kubernetes 1.36 (S8, S9)",
            "VolumeBinding PreBind, Kubernetes 1.36 (S18 to S20)",
            "NodeUnschedulable, TaintToleration, Kubernetes 1.36",
        ],
    },
    detect: Detect::Claim(detect),
};

/// The reason why the scheduler refuses the node.
struct NodeRefusal {
    /// The reason as words that follow the name of the node, such as `is cordoned`.
    words: String,
    /// The object whose field proves it.
    object: ObjectKey,
    field: &'static str,
    value: String,
    way: Option<Remedy>,
}

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let Chosen { node, class } = chosen(case, claim)?;
    let created = claim.meta.created?;
    let waits = |since: Timestamp| case.seconds_since(Some(since)).filter(|waited| *waited >= BIND_TIMEOUT);
    let known_since = class.meta.created.map_or(created, |class| class.max(created));
    waits(known_since)?;
    let name = node.meta.name.as_str();
    // Another rule reports a node that has not registered the driver.
    let csi_node = case.snapshot().find::<CsiNode>("", name);
    let driver = driver_of(case, class);
    if csi_node.is_some_and(|csi_node| csi_node.driver(driver).is_none()) && registered(case, driver) {
        return None;
    }
    let of_itself = refused(node, class);
    let pod = unplaced(case, claim).filter(|pod| pod.meta.created.is_some()).min_by_key(|pod| pod.meta.created);
    let Some(pod) = pod else {
        // A pod that was not read may wait for that node. The call of `knows_all` records that pods were not read.
        if may_be_unread(case, Kind::Pod, &claim.meta.namespace)
            && is_asked_for(case, claim)
            && (of_itself.is_some() || full(case, claim, node, class).is_some())
        {
            case.knows_all(Kind::Pod, &claim.meta.namespace);
        }
        return None;
    };
    let asked = pod.meta.created.map_or(known_since, |pod| pod.max(known_since));
    let waited = waits(asked)?;
    let of_storage = of_itself.is_none();
    let NodeRefusal { words, object, field, value, way } = of_itself.or_else(|| full(case, claim, node, class))?;
    if !stays_with_its_driver(case, claim)? || (of_storage && !case.knows_all(Kind::CsiStorageCapacity, "")) {
        return None;
    }
    let found = Detection::new(format!(
        "node {name}, which is selected for {}, {words}. The scheduler selects no other node for pod {} while the annotation \
         volume.kubernetes.io/selected-node exists. The claim has waited {}, and no data are at risk",
        mention(&case.object()),
        pod.meta.name,
        human_age(waited)
    ));
    let pod_key = key(Kind::Pod, &pod.meta.namespace, &pod.meta.name);
    Some(
        found
            .since(Some(asked))
            .evidence(&case.object(), SELECTED_NODE, name)
            .evidence(&object, field, value)
            .evidence(&pod_key, "spec.nodeName", "")
            .remedies(way)
            .remedy(describe(
                &case.object(),
                format!("see whether {driver} is still provisioning a volume for that node"),
            ))
            .remedy(unselect(
                claim,
                name,
                "if no volume is being provisioned for that node, let the scheduler choose another node",
            )),
    )
}

/// Returns why the pod cannot be scheduled to the node, because of the state of the node or because of the class.
fn refused(node: &Node, class: &StorageClass) -> Option<NodeRefusal> {
    let (name, object) = (&node.meta.name, key(Kind::Node, "", &node.meta.name));
    if node.unschedulable {
        let command = format!("uncordon {}", quoted(name));
        return Some(NodeRefusal {
            words: "is cordoned".to_owned(),
            object,
            field: "spec.unschedulable",
            value: "true".to_owned(),
            way: Some(kubectl(command, "if pods may run on this node again: uncordon it")),
        });
    }
    let lifeless = |taint: &&Taint| LIFELESS.contains(&taint.key.as_str()) && taint.effect == "NoSchedule";
    if let Some(taint) = node.taints.iter().find(lifeless) {
        return Some(NodeRefusal {
            words: format!("does not answer (taint {})", taint.key),
            object,
            field: "spec.taints",
            value: format!("{}:{}", taint.key, taint.effect),
            way: Some(kubectl(format!("describe node {}", quoted(name)), "see how long it has not answered, and why")),
        });
    }
    if !class.allows(&node.meta.labels) {
        let wanted = topologies(class);
        return Some(NodeRefusal {
            words: format!("is not allowed by class \"{}\" ({wanted})", class.meta.name),
            object: key(Kind::StorageClass, "", &class.meta.name),
            field: "allowedTopologies",
            value: wanted,
            way: None,
        });
    }
    None
}

/// Returns a refusal if the driver has too little storage for the claim on that node. Upstream: `hasEnoughCapacity`,
/// scheduler, 1.36.
fn full(case: &Case<'_>, claim: &PersistentVolumeClaim, node: &Node, class: &StorageClass) -> Option<NodeRefusal> {
    let around = case.snapshot();
    let driver = around.find::<CsiDriver>("", &class.provisioner).filter(|driver| driver.storage_capacity)?;
    let wanted = claim.requested()?;
    let mut is_known = false;
    let mut largest: Option<(&StorageCapacity, &Quantity)> = None;
    // A driver may publish one CSIStorageCapacity for each pair of node and class.
    for one in around.all::<StorageCapacity>().iter().filter(|one| one.class_name == class.meta.name) {
        let (Some(topology), Some(size)) = (&one.topology, room(one)) else { continue };
        is_known = true;
        let is_smaller = largest.is_some_and(|(_, most)| size.compare(most).is_lt());
        if is_smaller || !reaches(topology, node) {
            continue;
        }
        if size.compare(&wanted).is_ge() {
            return None;
        }
        largest = Some((one, size));
    }
    // If the class has no usable CSIStorageCapacity at all, nothing is known about any node.
    if !is_known {
        return None;
    }
    let there = largest.map_or_else(|| "nothing".to_owned(), |(_, size)| size.to_string());
    let (object, field, value) = match largest {
        Some((one, size)) => {
            let field = if one.maximum.is_some() { "maximumVolumeSize" } else { "capacity" };
            (key(Kind::CsiStorageCapacity, &one.meta.namespace, &one.meta.name), field, size.to_string())
        }
        None => (key(Kind::CsiDriver, "", &driver.meta.name), "spec.storageCapacity", "true".to_owned()),
    };
    Some(NodeRefusal {
        words: format!(
            "has too little storage: {} offers {there} there, but the claim requests {wanted}",
            driver.meta.name
        ),
        object,
        field,
        value,
        way: Some(kubectl("get csistoragecapacities -A", "see how much storage there is elsewhere")),
    })
}

/// Returns whether the topology includes the node. Most topologies belong to other nodes. Comparing the plain labels
/// first excludes these topologies quickly.
fn reaches(topology: &LabelSelector, node: &Node) -> bool {
    let has = |(key, value): &(Str, Str)| label(&node.meta.labels, key).is_some_and(|has| has == value.as_str());
    topology.match_labels.iter().all(has)
        && topology.compile().is_ok_and(|selector| selector.matches(&node.meta.labels))
}
