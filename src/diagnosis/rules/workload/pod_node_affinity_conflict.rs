//! This rule reports a pod if one of its volumes can be used only on nodes that do not exist, or if no node can use all
//! of its volumes.

use super::is_unscheduled;
use crate::controllers::persistent_volume::reclaim::migrated_to;
use crate::controllers::scheduler::{NodeVerdicts, Reason, SchedulerReason, Scheduling, Verdict, is_in_zone};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::facts::node_selector_text;
use crate::diagnosis::mention::volume_of;
use crate::diagnosis::placement::PLACEMENT_READS;
use crate::diagnosis::pod::facts::{bound, unschedulable};
use crate::diagnosis::remedy::{by_hand, kubectl};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{
    Kind, Node, NodeOperator, NodeRequirement, NodeSelector, NodeSelectorTerm, PersistentVolume, Pod, Str, label,
};
use crate::text::truncate;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "pod-node-affinity-conflict",
    title: "no node can use the volumes of the pod",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &PLACEMENT_READS,
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending although its claims are Bound. The scheduler says `node(s) had volume node affinity \
               conflict`, or that nodes did not match the node affinity of the PersistentVolume.",
        why: "A volume states in `spec.nodeAffinity` on which nodes it can be used: one machine for a local volume, one \
              zone for most disks of a cloud. If no node fits any more, or two volumes of the pod fit on no common \
              node, the scheduler cannot place the pod.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nodeAffinity}'\n\
                  kubectl get nodes --show-labels\n\
                  kubectl describe pod NAME -n NAMESPACE",
        repair: "Make a node available that fits: start the machine, give the node its label, or add a node in the \
                 zone. The data of a local volume are only on its machine. If that machine will not run again, restore \
                 the data. Or, if the application has other copies, delete the claim and the pod, so that both are \
                 created again. One pod cannot use two volumes in different zones: copy the data of one volume into \
                 the zone of the other.",
        prevention: "Use classes with the binding mode WaitForFirstConsumer, so that all volumes of a pod are created \
                     where the pod can run. Run nodes in each zone that has volumes.",
        hazard: "If you delete the claim and the policy is Delete, the data are deleted. The data of a local volume \
                 are only on its machine.",
        sources: &[
            "VolumeBinding.Filter, FindPodVolumes: kube-scheduler 1.36",
            "kubernetes/kubernetes#104709",
            "kubernetes/kubernetes#119967",
        ],
    },
    detect: Detect::Pod(detect),
};

/// The reasons by which the scheduler says that a volume cannot be used on a node: the text since 1.34, and the older
/// text.
const AFFINITY: [&str; 2] = ["didn't match PersistentVolume's node affinity", "had volume node affinity conflict"];

/// If the scheduler states one of these reasons, this rule does not use its message: the reason can disappear without a
/// change, or it concerns the state of the volume's nodes and not where the pod may run.
const OTHERS: [&str; 6] =
    ["Insufficient", "Too many pods", "max volume count", "free ports", "unschedulable", "topology spread"];

/// The labels of a volume that state its zone or region.
const ZONES: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
];

/// The largest number of nodes that the message names.
const MOST_NODES: usize = 3;

/// The label that identifies the node in the node affinity of a volume that only one node can use.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// A bound volume of the pod that can be used only on some nodes. A volume with a node affinity and with zone labels is
/// listed twice.
struct Tied<'a> {
    volume: &'a PersistentVolume,
    place: Place<'a>,
    namespace: &'a str,
    claim: &'a str,
}

/// What says on which nodes a volume can be used.
enum Place<'a> {
    /// The node affinity.
    Affinity(&'a NodeSelector),
    /// The zone and region labels, as requirements.
    Labels(NodeSelector),
}

impl<'a> Tied<'a> {
    /// Returns what ties the volumes of the pod to nodes.
    fn of_pod(case: &Case<'a>, pod: &'a Pod) -> Vec<Self> {
        let mut tied = Vec::new();
        for name in pod.claim_names() {
            let Some((claim, volume)) = bound(case.snapshot(), &pod.meta.namespace, name) else { continue };
            // For a migrated volume, the scheduler evaluates the node affinity that the driver would have written.
            if migrated_to(case.behavior(), volume).is_some() {
                continue;
            }
            let one = |place| Tied { volume, place, namespace: &pod.meta.namespace, claim: &claim.meta.name };
            tied.extend(volume.node_affinity.as_deref().map(|affinity| one(Place::Affinity(affinity))));
            // The plugin VolumeZone ignores ephemeral volumes.
            let labels = of_labels(volume).filter(|_| pod.named_claims().any(|named| named == name));
            tied.extend(labels.map(|labels| one(Place::Labels(labels))));
        }
        tied
    }

    fn words(&self) -> String {
        volume_of(&claim_key(self.namespace, self.claim), &self.volume.meta.name)
    }

    fn fits(&self, node: &Node) -> bool {
        match &self.place {
            Place::Affinity(affinity) => affinity.matches(&node.meta.labels),
            Place::Labels(_) => is_in_zone(self.volume, node),
        }
    }

    fn selector(&self) -> &NodeSelector {
        match &self.place {
            Place::Affinity(affinity) => affinity,
            Place::Labels(labels) => labels,
        }
    }
}

/// Returns the zone and region labels of the volume as requirements. Returns None if the volume has no such label.
/// Upstream: `VolumeZone`, `LabelZonesToSet`, 1.36.
fn of_labels(volume: &PersistentVolume) -> Option<NodeSelector> {
    let requirement = |key: &&str| {
        let values = label(&volume.meta.labels, key)?.split("__").map(str::trim).filter(|value| !value.is_empty());
        let values: Box<[Str]> = values.map(Str::from).collect();
        (!values.is_empty()).then(|| NodeRequirement { key: Str::from(*key), operator: NodeOperator::In, values })
    };
    let expressions: Box<[NodeRequirement]> = ZONES.iter().filter_map(requirement).collect();
    let term = NodeSelectorTerm { expressions, ..NodeSelectorTerm::default() };
    (!term.expressions.is_empty()).then(|| NodeSelector { terms: [term].into() })
}

/// Why the nodes on which the volumes can be used do not take the pod.
enum Refused<'a> {
    /// The last message of the scheduler.
    Said(&'a str),
    /// What the scheduler decides now: the nodes, each with the reasons.
    Now(Vec<(&'a Node, String)>),
}

/// Returns why the nodes on which all volumes can be used do not take the pod, as the scheduler decides now. Returns
/// None if no node is rejected only because of a volume: then other reasons keep the pod from running. Also returns
/// None if only limits of drivers reject these nodes, because another rule reports this.
fn refused_now<'a>(nodes: &'a [Node], tied: &[Tied<'_>], now: &Scheduling) -> Option<Vec<(&'a Node, String)>> {
    let is_about_place = |reason: &Reason| {
        matches!(reason.leaf, Some(SchedulerReason::NodeBoundVolumeAffinity | SchedulerReason::NodeZoneConflict))
    };
    let is_only_place = |verdict: &Verdict| {
        let reasons = &verdict.status.reasons;
        !reasons.is_empty() && reasons.iter().all(is_about_place)
    };
    if !now.nodes().iter().any(|node| node.verdicts.iter().all(is_only_place)) {
        return None;
    }
    let refused = |node: &'a Node| {
        // The verdicts are sorted by the names of the nodes.
        let place = now.nodes().binary_search_by(|one| one.node.cmp(&node.meta.name)).ok()?;
        let reasons = now.nodes()[place].verdicts.iter().flat_map(|verdict| &verdict.status.reasons);
        if reasons.clone().any(is_about_place) {
            return None;
        }
        let reasons: BTreeSet<&str> = reasons.map(|reason| &*reason.text).collect();
        Some((node, Vec::from_iter(reasons).join(", ")))
    };
    let usable = nodes.iter().filter(|node| tied.iter().all(|one| one.fits(node)));
    let refused: Vec<(&Node, String)> = usable.filter_map(refused).collect();
    (!refused.iter().all(|(_, why)| why.contains("max volume count"))).then_some(refused)
}

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_unscheduled(pod) || pod.gated {
        return None;
    }
    let (snapshot, namespace) = (case.snapshot(), &pod.meta.namespace);
    let tied = Tied::of_pod(case, pod);
    let nodes = snapshot.nodes();
    if tied.is_empty() || nodes.is_empty() {
        return None;
    }
    let said = unschedulable(snapshot, pod);
    // If some node fits all volumes, only the scheduler decides whether such a node takes the pod. Its decision now
    // takes precedence over its last message.
    let is_told = |message: &&str| {
        AFFINITY.iter().any(|text| message.contains(text)) && !OTHERS.iter().any(|text| message.contains(text))
    };
    let refused = match case.scheduling(pod) {
        Some(now) if now.candidates().any(NodeVerdicts::fits) => return None,
        Some(now) if now.is_rejected() => refused_now(nodes, &tied, &now).map(Refused::Now),
        Some(_) | None => said.map(|(message, _)| message).filter(is_told).map(Refused::Said),
    };
    let some_fits = nodes.iter().any(|node| tied.iter().all(|one| one.fits(node)));
    if (some_fits && refused.is_none()) || (!some_fits && !case.knows_all(Kind::Node, "")) {
        return None;
    }
    let since = said.and_then(|(_, since)| since).or(pod.meta.created);
    let is_early = case.may_heal(since)?;
    let alone = tied.iter().find(|one| !nodes.iter().any(|node| one.fits(node)));
    let mut found = match (alone, refused) {
        (Some(one), _) => without_node(case, one),
        (None, Some(refused)) if some_fits => {
            let reach = |one: &&Tied<'_>| nodes.iter().filter(|node| one.fits(node)).count();
            with_other_nodes(tied.iter().min_by_key(reach)?, &refused)
        }
        (None, _) => apart(&tied, nodes)?,
    }
    .early_if(is_early)
    .since(since)
    .evidence(&case.object(), "spec.nodeName", "");
    for (place, one) in tied.iter().enumerate() {
        let name = &one.volume.meta.name;
        let field = match one.place {
            Place::Affinity(_) => "spec.nodeAffinity.required",
            Place::Labels(_) => "metadata.labels",
        };
        found = found.evidence(&volume_key(name), field, node_selector_text(one.selector()));
        if tied[..place].iter().all(|other| other.claim != one.claim) {
            found = found
                .follows_from(volume_key(name), Act::Reach)
                .follows_from(claim_key(namespace, one.claim), Act::Schedule)
                .affects(claim_key(namespace, one.claim))
                .affects(volume_key(name));
        }
    }
    Some(
        found.remedy(kubectl(
            "get nodes --show-labels",
            "compare the labels of the nodes with what the volume requires",
        )),
    )
}

/// Returns the detection for a volume that fits only on nodes that refuse the pod for other reasons.
fn with_other_nodes(one: &Tied<'_>, refused: &Refused<'_>) -> Detection {
    let wanted = node_selector_text(one.selector());
    let compare = by_hand(format!(
        "let the pod run on a node with {wanted}: compare the nodeSelector, affinity, tolerations and requests of the \
         pod with these nodes"
    ));
    let lead = format!("{} requires a node with {wanted}, but no such node fits the pod", one.words());
    let nodes = match refused {
        Refused::Said(said) => {
            let said = truncate(said.trim_end_matches('.'), 300);
            return Detection::new(format!("{lead}. The scheduler says: \"{said}\"")).remedy(compare);
        }
        Refused::Now(nodes) => nodes,
    };
    let shown: Vec<String> =
        nodes.iter().take(MOST_NODES).map(|(node, why)| format!("{}: {why}", node.meta.name)).collect();
    let more = match nodes.len().saturating_sub(MOST_NODES) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let found = Detection::new(format!("{lead} ({}{more})", shown.join("; ")));
    let cordoned = nodes.iter().find(|(node, why)| why.contains("unschedulable") && !node.is_not_ready());
    let silent = nodes.iter().find(|(node, _)| node.is_not_ready());
    match (cordoned, silent) {
        (Some((node, _)), _) => {
            let name = &node.meta.name;
            let found = found.evidence(&key(Kind::Node, "", name), "spec.unschedulable", "true");
            found.remedy(kubectl(format!("uncordon {name}"), format!("let pods run on node {name}, if it is well")))
        }
        (None, Some((node, _))) => found.remedy(by_hand(format!(
            "repair node {}, which is not ready: the pod can run there when the kubelet of the node answers again",
            node.meta.name
        ))),
        (None, None) => found.remedy(compare),
    }
}

/// Returns the detection for a volume that fits on no node.
fn without_node(case: &Case<'_>, one: &Tied<'_>) -> Detection {
    let (name, claim) = (&one.volume.meta.name, one.claim);
    if let Place::Labels(labels) = &one.place {
        let wanted = node_selector_text(labels);
        return Detection::new(format!(
            "no node matches the zone labels of {}: {wanted}. Volume {name} can be used only on such nodes",
            one.words()
        ))
        .remedy(by_hand(format!(
            "add a node with {wanted}; or, if the labels of volume {name} are wrong, correct them, which is allowed"
        )));
    }
    let requirements = one.selector().terms.iter().flat_map(|term| &term.expressions);
    let hosts = requirements.filter(|one| one.key == HOSTNAME && one.operator == NodeOperator::In);
    let hosts: Vec<&Str> = hosts.flat_map(|one| &one.values).collect();
    let exists = |host: &Str| {
        case.snapshot()
            .nodes()
            .iter()
            .any(|node| node.meta.name == *host || label(&node.meta.labels, HOSTNAME) == Some(host.as_str()))
    };
    let gone = match hosts.as_slice() {
        [only] if !exists(only) => Some(*only),
        _ => None,
    };
    if let Some(host) = gone {
        return Detection::new(format!(
            "{} is on node {host}, which does not exist. Volume {name} can be used only on that node, and its data are \
             on that machine",
            one.words()
        ))
        .remedy(by_hand(format!(
            "start node {host} again; if its machine will not run again and the application has other copies of the \
             data, delete the claim {claim} and the pod, if their owner creates both again"
        )));
    }
    let wanted = node_selector_text(one.selector());
    Detection::new(format!(
        "no node matches the node affinity of {}: {wanted}. Volume {name} can be used only on such nodes",
        one.words()
    ))
    .remedy(by_hand(format!(
        "add a node with {wanted}. If the storage can be reached from another node, such as NFS or a SAN, add these labels \
         to that node; a disk of a cloud cannot be used in another zone, whatever the labels say"
    )))
}

/// Returns the detection for two volumes that fit on no common node.
fn apart(tied: &[Tied<'_>], nodes: &[Node]) -> Option<Detection> {
    let share = |left: &Tied<'_>, right: &Tied<'_>| nodes.iter().any(|node| left.fits(node) && right.fits(node));
    let (left, right) = tied
        .iter()
        .enumerate()
        .find_map(|(place, left)| Some((left, tied[place + 1..].iter().find(|right| !share(left, right))?)))?;
    let [first, second] = [left, right].map(|one| node_selector_text(one.selector()));
    let message = match place(left.selector()).zip(place(right.selector())) {
        Some((first_place, second_place)) => format!(
            "{} is in {first_place} and {} in {second_place}, so no node fits. The first requires {first}, \
             the second {second}",
            left.words(),
            right.words()
        ),
        None => format!(
            "no node can use both {} and {}. The first requires {first}, the second {second}",
            left.words(),
            right.words()
        ),
    };
    Some(Detection::new(message).remedy(by_hand(format!(
        "copy the data of claim {} into a new claim of a class with the binding mode WaitForFirstConsumer, so that its \
         volume is provisioned where the volume of claim {} is, and use the new claim in the pod",
        right.claim, left.claim
    ))))
}

/// Returns the only place in which the volume can be used, if its affinity states exactly one place.
fn place(affinity: &NodeSelector) -> Option<&str> {
    let [term] = &*affinity.terms else { return None };
    let mut places = term.expressions.iter().filter(|one| one.operator == NodeOperator::In && one.values.len() == 1);
    let only = places.next().filter(|_| term.expressions.len() == 1)?;
    only.values.first().map(Str::as_str)
}
