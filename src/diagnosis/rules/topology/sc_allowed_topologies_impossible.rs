//! This rule reports a class whose allowed topologies match no node, or no topology that its driver reports.

use super::{driver_of, is_asked_for, made_outside, registered, term_words, topologies, waiting, waits_for_a_node};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::class::TopologyTerm;
use crate::model::surroundings::CsiNode;
use crate::model::{Kind, PersistentVolumeClaim, StorageClass, Str, label};

pub(super) static RULE: Rule = Rule {
    id: "sc-allowed-topologies-impossible",
    title: "the allowed topologies of the class match no node or driver",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod, Kind::Node, Kind::CsiNode, Kind::Event],
    hinders: &[Act::Schedule, Act::Provision],
    repairs: &[],
    page: Page {
        seen: "Claims of the class stay Pending. Either the scheduler selects no node for their pods, and says that \
               nodes have no volume to bind. Or events `ProvisioningFailed` of the driver report a topology that is \
               not among the allowed or required topologies.",
        why: "`allowedTopologies` must fit both the labels of the nodes and the keys of the driver, and Kubernetes \
              checks neither when the class is created. The scheduler selects a node only if the labels of the node \
              satisfy all requirements of one term. Then the driver's provisioner searches for the same keys in the \
              keys that the driver reports for a node (`topologyKeys` in CSINode). Labels that the nodes have but that \
              the driver does not report are not found. For example, a zone without nodes fails the first check, and a \
              zone label that the driver does not report fails the second check.",
        confirm: "kubectl get sc NAME -o jsonpath='{.allowedTopologies}'\n\
                  kubectl get nodes --show-labels\n\
                  kubectl get csinodes -o yaml",
        repair: "Correct `allowedTopologies` of the class. The field can be changed. Remove it, if volumes may be \
                 created everywhere. Use the keys that the driver reports. If a claim already has a node that does not \
                 fit, remove its annotation `volume.kubernetes.io/selected-node`, too.",
        prevention: "Copy the key from a CSINode, and the values from the labels of its node. If you change the zones \
                     of the cluster, change the classes, too.",
        hazard: "If you add labels to nodes only to satisfy the class, other workloads may be scheduled to other \
                 nodes, and volumes may be created in a zone that does not contain the node. No existing volume is \
                 changed.",
        sources: &[
            "checkVolumeProvisions, MatchTopologySelectorTerms, Kubernetes 1.36 (S8)",
            "GenerateAccessibilityRequirements, kubernetes-csi/external-provisioner",
            "ValidateStorageClassUpdate, Kubernetes 1.36",
            "rook/rook#16092",
            "kubernetes-csi/external-provisioner#611",
        ],
    },
    detect: Detect::Class(detect),
};

/// The reason why the class allows no volume.
enum Contradiction<'a> {
    /// No node satisfies the allowed topologies.
    NoNode,
    /// No node satisfies the allowed topologies, and no node has this label at all.
    NoSuchLabel(&'a Str),
    /// No node satisfies the allowed topologies. For the key in the first text, they state the value in the second
    /// text, and no label can have this value.
    NoLabelValue(&'a Str, &'a Str),
    /// The driver does not report this key. It reports the keys in the text.
    NotReported(&'a Str, String),
    /// The driver reports no key at all, and its own event says that it finds no topology.
    NothingReported(&'a Str),
}

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    if class.allowed_topologies.is_empty() || !made_outside(case, class) || class.meta.deleted.is_some() {
        return None;
    }
    let trouble = trouble(case, class)?;
    let late = class.waits_for_first_consumer();
    let waiting =
        waiting(case, class, |claim| if late { waits_for_a_node(case, claim) } else { is_asked_for(case, claim) });
    let (driver, wanted) = (driver_of(case, class), topologies(class));
    let (me, keys) = (mention(&case.object()), part_of(&case.object(), "allowedTopologies"));
    let fact = match &trouble {
        Contradiction::NoNode => {
            format!("{me} allows only nodes with {wanted}, and no node has these labels")
        }
        Contradiction::NoSuchLabel(key) => {
            format!("{me} allows only nodes with {wanted}, and no node has a label {key} at all")
        }
        Contradiction::NoLabelValue(key, value) => {
            format!("{keys} allow value \"{value}\" of key {key}, which no label can have")
        }
        Contradiction::NotReported(wrong, reported) => {
            format!("{keys} use key {wrong}, but driver {driver} reports only {reported}")
        }
        Contradiction::NothingReported(wrong) => format!(
            "{keys} use key {wrong}, but driver {driver} reports no topology for any node. The \
             topologyKeys of the driver are empty"
        ),
    };
    let consequence = match (&trouble, late) {
        (Contradiction::NoNode | Contradiction::NoSuchLabel(_) | Contradiction::NoLabelValue(..), true) => {
            "The scheduler places no pods with new claims of the class"
        }
        (Contradiction::NoNode | Contradiction::NoSuchLabel(_) | Contradiction::NoLabelValue(..), false) => {
            "The driver of the class creates volumes that no pod can use, or refuses to create them"
        }
        (Contradiction::NotReported(..) | Contradiction::NothingReported(_), true) => {
            "The driver's provisioner refuses every node"
        }
        (Contradiction::NotReported(..) | Contradiction::NothingReported(_), false) => {
            "The driver gets requests for topologies that it does not know"
        }
    };
    let (severity, who) = match (&waiting, &trouble) {
        (Some(waiting), _) if late => (Severity::Error, format!("; {}", waiting.words())),
        (Some(waiting), _) => (Severity::Warning, format!("; {}", waiting.words())),
        // A node may be added when a pod needs it.
        (None, Contradiction::NoNode) => (Severity::Info, ", as long as no such node joins".to_owned()),
        // A driver adds its labels to a node when it registers there.
        (None, Contradiction::NoSuchLabel(_)) if !registered(case, driver) => {
            (Severity::Info, ", as long as no such node joins".to_owned())
        }
        (
            None,
            Contradiction::NoSuchLabel(_)
            | Contradiction::NoLabelValue(..)
            | Contradiction::NotReported(..)
            | Contradiction::NothingReported(_),
        ) => (Severity::Warning, String::new()),
    };
    let found = Detection::new(format!("{fact}. {consequence}{who}")).severity(severity).evidence(
        &case.object(),
        "allowedTopologies",
        wanted,
    );
    let found = with_proof(found, case, class, &trouble);
    let found = match &waiting {
        Some(waiting) => waiting.shown_in(found),
        None => found,
    };
    let keys: Vec<&str> = class.allowed_topologies.iter().flat_map(|term| term.iter().map(|(key, _)| &**key)).collect();
    let labels = keys.iter().take(3).fold(String::new(), |labels, key| labels + " -L " + &quoted(key));
    let first = match trouble {
        Contradiction::NoNode | Contradiction::NoSuchLabel(_) | Contradiction::NoLabelValue(..) => {
            kubectl(format!("get nodes{labels}"), "see which values of these labels nodes have")
        }
        Contradiction::NotReported(..) | Contradiction::NothingReported(_) => {
            kubectl("get csinodes -o yaml", format!("see which topologyKeys {driver} has on which node"))
        }
    };
    let correct = by_hand(match trouble {
        Contradiction::NothingReported(_) => {
            "remove allowedTopologies from the class, or turn on topology in the driver so that it reports keys"
        }
        _ => {
            "correct allowedTopologies of the class, which can be changed: use keys that the driver reports and values \
             that nodes have"
        }
    });
    Some(found.remedy(correct).remedy(first))
}

fn trouble<'c>(case: &Case<'_>, class: &'c StorageClass) -> Option<Contradiction<'c>> {
    let nodes = case.snapshot().nodes();
    if nodes.is_empty() {
        // If nodes were not read, they may have any labels.
        case.knows_all(Kind::Node, "");
        return None;
    }
    if !nodes.iter().any(|node| class.allows(&node.meta.labels)) {
        if !case.knows_all(Kind::Node, "") {
            return None;
        }
        if let Some((key, value)) = class.value_of_no_label() {
            return Some(Contradiction::NoLabelValue(key, value));
        }
        let is_unknown = |key: &Str| nodes.iter().all(|node| label(&node.meta.labels, key).is_none());
        let unknown_of = |term: &'c TopologyTerm| term.iter().map(|(key, _)| key).find(|key| is_unknown(key));
        let mut unknown = class.allowed_topologies.iter().map(unknown_of);
        // If nodes have all labels of one term, a node that satisfies this term may be added later.
        let first = unknown.next().flatten();
        let all = unknown.all(|key| key.is_some());
        return Some(first.filter(|_| all).map_or(Contradiction::NoNode, Contradiction::NoSuchLabel));
    }
    // Keys of migrated in-tree classes are translated for the CSI driver, so they are not compared.
    let driver = driver_of(case, class);
    if driver != class.provisioner {
        return None;
    }
    let entries = case.snapshot().all::<CsiNode>().iter().filter_map(|node| node.driver(driver));
    // If a driver reports no keys, its provisioner usually ignores topologies.
    let reported: Vec<&[Str]> = entries.map(|entry| &*entry.topology_keys).filter(|keys| !keys.is_empty()).collect();
    let missing =
        |keys: &[Str], term: &'c [(Str, Box<[Str]>)]| term.iter().map(|(key, _)| key).find(|key| !keys.contains(key));
    let terms = || class.allowed_topologies.iter().filter(|term| !term.is_empty());
    if reported.iter().any(|keys| terms().any(|term| missing(keys, term).is_none())) {
        return None;
    }
    let keys = reported.first();
    if !case.knows_all(Kind::CsiNode, "") {
        return None;
    }
    // A driver that no node has registered yet may still report the right keys. Only the driver's own event says
    // whether a driver without keys uses topologies.
    if keys.is_none() && !(registered(case, driver) && reports_no_topology(case, class)) {
        return None;
    }
    let Some(keys) = keys else {
        return terms().flat_map(|term| term.iter()).next().map(|(key, _)| Contradiction::NothingReported(key));
    };
    let wrong = terms().find_map(|term| missing(keys, term))?;
    Some(Contradiction::NotReported(wrong, keys.join(", ")))
}

/// Returns whether the driver has reported, since the class was created, that it finds no topology for a claim of the
/// class.
fn reports_no_topology(case: &Case<'_>, class: &StorageClass) -> bool {
    let around = case.snapshot();
    let told = |claim: &PersistentVolumeClaim| {
        around.events_about(&key_of_claim(&claim.meta), &claim.meta.uid).any(|event| {
            event.reason == "ProvisioningFailed"
                && event.last_seen >= class.meta.created
                && event.message.contains("topolog")
        })
    };
    waiting(case, class, |claim| told(claim) && is_asked_for(case, claim)).is_some()
}

/// Adds the labels of a node, or the topology keys of the driver, as evidence.
fn with_proof(found: Detection, case: &Case<'_>, class: &StorageClass, trouble: &Contradiction<'_>) -> Detection {
    match trouble {
        Contradiction::NoNode | Contradiction::NoSuchLabel(_) => {
            let Some(node) = case.snapshot().nodes().first() else { return found };
            let term = class.allowed_topologies.iter().find(|term| !term.is_empty());
            let Some(term) = term else { return found };
            let differs = |(key, values): &&(Str, Box<[Str]>)| {
                label(&node.meta.labels, key).is_none_or(|has| !values.iter().any(|value| value == has))
            };
            let Some((wrong, _)) = term.iter().find(differs) else { return found };
            let has = label(&node.meta.labels, wrong).map_or_else(
                || format!("no {wrong}"),
                |value| term_words(&[(wrong.clone(), Box::from([Str::from(value)]))]),
            );
            found.evidence(&key(Kind::Node, "", &node.meta.name), "metadata.labels", has)
        }
        Contradiction::NoLabelValue(..) => found,
        Contradiction::NothingReported(_) => {
            let driver = driver_of(case, class);
            let nodes = case.snapshot().all::<CsiNode>();
            match nodes.iter().find(|node| node.driver(driver).is_some()) {
                Some(node) => {
                    found.evidence(&key(Kind::CsiNode, "", &node.meta.name), "spec.drivers[].topologyKeys", "")
                }
                None => found,
            }
        }
        Contradiction::NotReported(_, reported) => {
            let driver = driver_of(case, class);
            let nodes = case.snapshot().all::<CsiNode>();
            let reports = |node: &&CsiNode| node.driver(driver).is_some_and(|entry| !entry.topology_keys.is_empty());
            match nodes.iter().find(reports) {
                Some(node) => found.evidence(
                    &key(Kind::CsiNode, "", &node.meta.name),
                    "spec.drivers[].topologyKeys",
                    reported.as_str(),
                ),
                None => found,
            }
        }
    }
}
