//! This rule reports a class whose volumes are provisioned before the scheduler selects a node, although perhaps only
//! some nodes can use the volume.

use super::{driver_of, made_outside};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::shown;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{
    AnnotationKey, BindingMode, CsiNode, Kind, NodeSelector, PersistentVolume, StorageClass, Str, label,
};
use std::collections::BTreeSet;
use std::ptr;

/// The maximum number of node affinities that are stored, so that no affinity is compared twice. The volumes of a class
/// usually have at most one affinity per zone.
const REMEMBERED: usize = 32;

pub(super) static RULE: Rule = Rule {
    id: "sc-immediate-topology",
    title: "volumes are made before their pods have a node",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::Node, Kind::CsiNode],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Claims of the class are Bound at once. Later some pods stay Pending, because their volume is in a zone \
               or on a node where they may not run, or where there are not enough resources for them. The volumes of a \
               pod with two claims may be in two zones.",
        why: "With `volumeBindingMode: Immediate`, which is the default, the driver provisions a volume as soon as the \
              claim exists, and selects the zone or node itself. Each of its volumes can be used only in one part of \
              the cluster. So the volume decides where the pod has to run, before the scheduler has checked the other \
              needs of the pod.",
        confirm: "kubectl get sc NAME -o jsonpath='{.provisioner} {.volumeBindingMode}'\n\
                  kubectl get csinodes -o custom-columns='NODE:.metadata.name,KEYS:.spec.drivers[*].topologyKeys'\n\
                  kubectl get pv -o \
                  custom-columns=NAME:.metadata.name,CLASS:.spec.storageClassName,NODES:.spec.nodeAffinity",
        repair: "The mode of a class cannot be changed. Create a class with `volumeBindingMode: WaitForFirstConsumer` \
                 and the same other fields, and use it for new claims. If the old class is the default class, make the \
                 new class the default instead. Bound claims do not change.",
        prevention: "Use WaitForFirstConsumer for storage that not every node can reach.",
        hazard: "Existing volumes do not change. Do not delete a claim in order to get a volume in another place: with \
                 policy Delete, the data are deleted with the claim.",
        sources: &[
            "syncUnboundClaim, IsDelayBindingMode, Kubernetes 1.36 (C4, C12)",
            "GenerateAccessibilityRequirements, kubernetes-csi/external-provisioner",
            "https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",
            "kubernetes/kubernetes#91299",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    let mode = match &class.binding_mode {
        Some(BindingMode::WaitForFirstConsumer | BindingMode::Other(_)) => return None,
        Some(BindingMode::Immediate) => BindingMode::Immediate.as_str(),
        None => "",
    };
    if !made_outside(case, class) || case.snapshot().nodes().len() < 2 {
        return None;
    }
    let mut volumes = case.survey().taken(&class.meta.name).flat_map(|(_, ids)| case.volumes(ids)).peekable();
    // Existing volumes are better proof than the driver's topology keys. Many drivers report topologies, and all nodes
    // can use their volumes nevertheless.
    let (found, severity) = if volumes.peek().is_some() {
        (by_its_volumes(case, class, volumes)?, Severity::Warning)
    } else {
        (by_its_driver(case, class)?, Severity::Info)
    };
    Some(
        found
            .severity(severity)
            .evidence(&case.object(), "volumeBindingMode", shown(mode))
            .evidence(&case.object(), "provisioner", class.provisioner.as_str())
            .remedy(kubectl(
                format!("get sc {} -o yaml", quoted(&class.meta.name)),
                "copy its fields into a class of another name with volumeBindingMode WaitForFirstConsumer",
            ))
            .remedy(by_hand(
                "use the new class for new claims, and make it the default class if the old class is the default; \
                 bound claims do not change",
            )),
    )
}

/// Reports a volume of the class that some node cannot use although the node has the labels by which the volume's node
/// affinity selects nodes.
fn by_its_volumes<'a>(
    case: &Case<'_>,
    class: &StorageClass,
    mut volumes: impl Iterator<Item = &'a PersistentVolume>,
) -> Option<Detection> {
    // There may be very many volumes, and most volumes of a class have the same affinity.
    let mut seen: Vec<&NodeSelector> = Vec::new();
    let (volume, keys) = volumes.find_map(|volume| {
        // Volumes that were created by hand say nothing about the driver.
        let affinity = volume.node_affinity.as_deref()?;
        let is_made = volume.meta.annotations.has(AnnotationKey::ProvisionedBy);
        if !is_made || volume.terminating() || seen.iter().any(|one| ptr::eq(*one, affinity) || *one == affinity) {
            return None;
        }
        if seen.len() < REMEMBERED {
            seen.push(affinity);
        }
        Some((volume, divides(case, affinity)?))
    })?;
    let name = &volume.meta.name;
    Some(
        Detection::new(format!(
            "volumes of {} are provisioned before pods have a node, but only some nodes can use them. Driver {} provisions \
             each volume for a part of the cluster: only some nodes can use volume {name} (by {keys}). The volume then \
             decides where its pod can run, and perhaps no node fits the pod",
            mention(&case.object()),
            driver_of(case, class)
        ))
        .evidence(&volume_key(name), "spec.nodeAffinity.required", format!("by {keys}")),
    )
}

/// Returns the labels by which the affinity distinguishes nodes. Returns None if all nodes that have these labels
/// satisfy the affinity.
fn divides(case: &Case<'_>, affinity: &NodeSelector) -> Option<String> {
    let keys: BTreeSet<&Str> =
        affinity.terms.iter().flat_map(|term| term.expressions.iter().map(|one| &one.key)).collect();
    if keys.is_empty() {
        return None;
    }
    // Nodes without these labels, such as those of the control plane, do not run the driver.
    let nodes = case.snapshot().nodes().iter().map(|node| &node.meta.labels);
    let mut own = nodes.filter(|labels| keys.iter().all(|key| label(labels, key).is_some()));
    let named: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    own.any(|labels| !affinity.matches(labels)).then(|| named.join(", "))
}

/// Reports that the driver states different topologies for different nodes.
fn by_its_driver(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    let driver = driver_of(case, class);
    let mut places: BTreeSet<Vec<(&str, &str)>> = BTreeSet::new();
    let mut example = None;
    for csi_node in case.snapshot().all::<CsiNode>() {
        let Some(entry) = csi_node.driver(driver) else { continue };
        let Some(node) = case.snapshot().node(&csi_node.meta.name) else { continue };
        let place = entry.topology_keys.iter().map(|key| Some((key.as_str(), label(&node.meta.labels, key)?)));
        let place: Option<Vec<(&str, &str)>> = place.collect();
        if let Some(place) = place.filter(|place| !place.is_empty()) {
            places.insert(place);
            example = Some((csi_node, entry));
        }
    }
    // If all nodes have the same topology, the moment of provisioning does not matter. Other CSINodes may not have been
    // read.
    if places.len() < 2 {
        case.knows_all(Kind::CsiNode, "");
        return None;
    }
    let (csi_node, entry) = example?;
    let keys = entry.topology_keys.join(", ");
    Some(
        Detection::new(format!(
            "volumes of {} are provisioned before pods have a node, but its driver {driver} distinguishes {} places \
             (by {keys}). If a volume can be used only in its own place, it decides where the pod can run, before the \
             scheduler selects a node",
            mention(&case.object()),
            places.len()
        ))
        .evidence(&key(Kind::CsiNode, "", &csi_node.meta.name), "spec.drivers[].topologyKeys", keys),
    )
}
