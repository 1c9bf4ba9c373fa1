//! This rule reports a pod on a node that has not registered the driver of one of its volumes.

use crate::diagnosis::case::claim_key;
use crate::diagnosis::pod::facts::{attach_failure, bound, driver, is_starting, mount_failure, newest, used_claims};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{CsiDriver, CsiNode, Kind, Pod};
use crate::snapshot::Absence;

pub(super) static RULE: Rule = Rule {
    id: "csi-driver-not-on-node",
    title: "the node of the pod does not have the driver of a volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::CsiNode, Kind::Node, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating. An event says `driver name … not found in the list of registered \
               CSI drivers`, or `CSINode … does not contain driver …`.",
        why: "The kubelet can use a driver only if the driver's node plugin runs on that node and has registered \
              itself; the CSINode of the node lists the registered drivers. The plugin is a pod of a DaemonSet. A \
              taint or a node selector may keep this pod away from the node, the pod may crash, or it may use a wrong \
              folder of the kubelet.",
        confirm: "kubectl get csinode NODE -o yaml\n\
                  kubectl get pods -A -o wide --field-selector spec.nodeName=NODE\n\
                  kubectl get daemonsets -A",
        repair: "Let the node plugin run on that node: give its DaemonSet the tolerations and the node selector that \
                 this node needs, or find out why its pod crashes. The kubelet tries again by itself. Otherwise keep \
                 the pod away from nodes without the driver.",
        prevention: "Give the DaemonSets of drivers tolerations for all taints of nodes on which their volumes are used.",
        hazard: "None. The claim and its data need no change.",
        sources: &[
            "newCsiDriverClient, csiAttacher.Attach: pkg/volume/csi, Kubernetes 1.36",
            "hetznercloud/csi-driver#284",
            "ceph/ceph-csi#710",
        ],
    },
    detect: Detect::Pod(detect),
};

/// The words of the kubelet and of the attach/detach controller before and after the name of a missing driver.
const SAID: [(&str, &str); 3] = [
    ("driver name ", " not found in the list of registered CSI drivers"),
    ("does not contain driver ", ""),
    ("does not contain the driver ", ""),
];

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_starting(pod) || pod.meta.deleted.is_some() {
        return None;
    }
    let since = pod.started.or(pod.meta.created);
    let snapshot = case.snapshot();
    let said = newest(snapshot, pod, |event| missing_driver(&event.message).is_some())
        .or_else(|| mount_failure(snapshot, pod))
        .or_else(|| attach_failure(snapshot, pod))
        .and_then(|event| Some((event, missing_driver(&event.message)?)));
    let node = pod.node_name.as_str();
    let registered = snapshot.find::<CsiNode>("", node);
    let lacks = |name: &str| registered.is_some_and(|node| node.driver(name).is_none());
    let of_claim = used_claims(pod).find_map(|used| {
        let (_, volume) = bound(snapshot, &pod.meta.namespace, used.claim)?;
        let name = driver(case.behavior(), volume)?;
        let is_told = said.as_ref().is_some_and(|(_, told)| *told == name);
        (lacks(name) || is_told && registered.is_none()).then_some((name, used.claim))
    });
    // The driver of an inline volume is known only from the event. The event may be older than the registration of the
    // driver.
    let (name, claim) = match (of_claim, &said) {
        (Some((name, claim)), _) => (name.to_owned(), Some(claim)),
        (None, Some((_, told))) if registered.is_none_or(|node| node.driver(told).is_none()) => {
            ((*told).to_owned(), None)
        }
        _ => return None,
    };
    let is_early = case.may_heal(since)?;
    let taints = snapshot.node(node).map(|node| node.taints.as_ref()).unwrap_or_default();
    let taint = taints.iter().find(|taint| taint.effect != "PreferNoSchedule");
    let (because, tolerate) = match taint {
        Some(taint) => (
            format!(" The node has the taint {}, which may keep the driver's node plugin away", taint.key),
            format!(", with a toleration for the taint {}", taint.key),
        ),
        None => (" The driver's node plugin does not run there, or failed to register".to_owned(), String::new()),
    };
    let is_installed = snapshot.find::<CsiDriver>("", &name).is_some()
        || snapshot.all::<CsiNode>().iter().any(|node| node.driver(&name).is_some())
        || matches!(snapshot.coverage().absence_of(Kind::CsiDriver, "", &name), Absence::Unknown(_));
    let (fact, first) = if is_installed {
        let first = format!("let the node plugin of {name}, a pod of its DaemonSet, run on node {node}{tolerate}");
        (format!("driver {name} is not registered on node {node}.{because}"), first)
    } else {
        let rest = format!("No CSIDriver of this name exists, and no node has registered it, not even node {node}");
        (format!("CSI driver {name} is not installed. {rest}"), format!("install driver {name}, with its node plugin"))
    };
    let mut found =
        Detection::new(fact).early_if(is_early).since(since).evidence(&case.object(), "spec.nodeName", node);
    if let Some(node) = registered {
        let names: Vec<&str> = node.drivers.iter().map(|driver| driver.name.as_str()).collect();
        found = found.evidence(&key(Kind::CsiNode, "", &node.meta.name), "spec.drivers[].name", names.join(", "));
    }
    if let Some((event, _)) = said {
        found = found.evidence(&case.object(), "events[].message", event.message.as_str());
    }
    if let Some(claim) = claim {
        found = found.affects(claim_key(&pod.meta.namespace, claim));
    }
    Some(
        found
            .remedy(by_hand(first))
            .remedy(kubectl(
                format!("get pods -A -o wide --field-selector spec.nodeName={}", quoted(node)),
                format!("see whether the node plugin of {name} runs on {node}, and read its log"),
            ))
            .remedy(kubectl(
                format!("get csinode {} -o yaml", quoted(node)),
                "see which drivers are registered on the node",
            )),
    )
}

/// Returns the name of the driver if the message says that this driver is missing on the node.
pub(in crate::diagnosis::rules) fn missing_driver(message: &str) -> Option<&str> {
    SAID.iter().find_map(|(before, after)| {
        let (_, rest) = message.split_once(before)?;
        let name = rest.split(|character: char| character.is_whitespace()).next()?;
        let is_said = rest[name.len()..].starts_with(after);
        let name = name.trim_end_matches(['.', ',', ';', '"']);
        (is_said && !name.is_empty()).then_some(name)
    })
}
