//! This rule reports a volume whose node affinity has the name of a node instead of its label `kubernetes.io/hostname`.

use super::{HOSTNAME, is_released, may_be_unread, unplaced};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Node, NodeOperator, NodeSelector, PersistentVolume, Str, VolumePhase, label};

pub(super) static RULE: Rule = Rule {
    id: "affinity-hostname-label",
    title: "the node affinity of the volume has the name of a node instead of its label",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod, Kind::Node],
    hinders: &[Act::Reach],
    repairs: &[],
    page: Page {
        seen: "Pods with the volume stay Pending, and the scheduler says that no node matches the PersistentVolume's \
               node affinity, or that nodes had a volume node affinity conflict. But the node that the volume names \
               exists.",
        why: "`spec.nodeAffinity` of a volume compares labels. The kubelet writes its host name into the label \
              `kubernetes.io/hostname`. Usually this is also the name of the Node object. It is not, if a cloud \
              provider or `--hostname-override` gives the node another name. A person or an old provisioner created \
              the volume with the name of the node, and not with the value of the label.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nodeAffinity.required}'\n\
                  kubectl get nodes -L kubernetes.io/hostname",
        repair: "The node affinity of a volume cannot be changed once it is set. So the PersistentVolume has to be \
                 created again for the same storage, with the value of the label. Set policy Retain first, and save \
                 the manifests of the volume and its claim. Stop the pods, delete the claim, and then delete the \
                 volume. Create the volume with the right value, and with a `claimRef` that has the namespace and the \
                 name of the claim. Then create the claim again.",
        prevention: "Take the value from `kubectl get nodes -L kubernetes.io/hostname`. Update provisioners that use \
                     the name of the node.",
        hazard: "With policy Delete the data are deleted with the claim, so set Retain first. If you change the label \
                 of the node instead, other volumes and workloads that use the old value break, and the kubelet writes \
                 the old value again when it starts.",
        sources: &[
            "CheckNodeAffinity, component-helpers, Kubernetes 1.36",
            "initialNode, updateDefaultLabels, kubelet, Kubernetes 1.36",
            "ValidatePersistentVolumeUpdate, Kubernetes 1.36",
            "rancher/local-path-provisioner#68",
            "openebs/openebs#2695",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let affinity = volume.node_affinity.as_deref()?;
    if volume.terminating() || is_released(volume) {
        return None;
    }
    // There may be very many nodes and volumes. So all nodes are compared only if no node with the named value fits.
    let fits_some = || case.snapshot().nodes().iter().any(|node| affinity.matches(&node.meta.labels));
    let (node, wanted) = match named(case, affinity) {
        Named::Unfit(node, wanted) => (node, wanted),
        Named::Unseen => {
            if may_be_unread(case, Kind::Node, "") && !fits_some() {
                case.knows_all(Kind::Node, "");
            }
            return None;
        }
        Named::Fit | Named::Nothing => return None,
    };
    if fits_some() || !case.knows_all(Kind::Node, "") {
        return None;
    }
    let name = node.meta.name.as_str();
    let has = label(&node.meta.labels, HOSTNAME);
    let shown = has.map_or_else(|| "has no such label".to_owned(), |has| format!("has {HOSTNAME}={has}"));
    let claim = volume.claim_ref.as_ref().and_then(|named| case.claim(&named.namespace, &named.name));
    let waits = claim.and_then(|claim| unplaced(case, claim).next());
    let consequence = match &waits {
        Some(pod) => format!("no node fits pod {}", pod.meta.name),
        None => "no node fits a pod that uses the volume".to_owned(),
    };
    let is_bound = volume.status.phase == VolumePhase::Bound;
    let kept = data_fate(case.behavior(), volume) == DataFate::Kept;
    let found = Detection::new(format!(
        "no node has label {HOSTNAME}={wanted}, which {} requires. {wanted} is the name of a node, and that node \
         {shown}, so {consequence}. The affinity cannot be changed: create the volume again for the same \
         storage",
        mention(&case.object())
    ))
    .severity(if is_bound && waits.is_some() { Severity::Error } else { Severity::Warning })
    .risk(if kept || !is_bound { Risk::None } else { Risk::Possible })
    .evidence(&case.object(), "spec.nodeAffinity.required", format!("{HOSTNAME} In ({wanted})"))
    .evidence(&key(Kind::Node, "", name), "metadata.labels[kubernetes.io/hostname]", has.unwrap_or_default());
    let found = if kept { found } else { found.remedies(retain(volume)) };
    let value = has.map_or_else(
        || format!("once {name} has that label, nothing else has to be done"),
        |has| {
            format!(
                "create the volume again for the same storage, with {HOSTNAME} {has}, policy Retain and a claimRef \
                 with the namespace and the name of its claim; a bound claim must be created again, too"
            )
        },
    );
    Some(
        found
            .remedy(kubectl("get nodes -L kubernetes.io/hostname", "see names and labels side by side"))
            .remedy(kubectl(
                format!("get pv {} -o yaml", quoted(&volume.meta.name)),
                "save the manifest of the volume: only this manifest says where the storage is",
            ))
            .remedy(by_hand(value)),
    )
}

/// The result of reading the values of the label as names of nodes.
enum Named<'a> {
    /// A node of that name exists and satisfies the affinity.
    Fit,
    /// A node of that name exists and does not satisfy the affinity. It would satisfy the affinity if its label had
    /// that value.
    Unfit(&'a Node, &'a Str),
    /// No node of that name was seen.
    Unseen,
    /// The affinity has no value for the label, or no node with that name would satisfy the affinity.
    Nothing,
}

fn named<'a>(case: &Case<'a>, affinity: &'a NodeSelector) -> Named<'a> {
    let requirements = affinity.terms.iter().flat_map(|term| &term.expressions);
    let of_hostname = requirements.filter(|one| one.key == HOSTNAME && one.operator == NodeOperator::In);
    let mut answer = Named::Nothing;
    for value in of_hostname.flat_map(|one| &one.values) {
        let Some(node) = case.snapshot().node(value) else {
            if matches!(answer, Named::Nothing) {
                answer = Named::Unseen;
            }
            continue;
        };
        if affinity.matches(&node.meta.labels) {
            return Named::Fit;
        }
        if !matches!(answer, Named::Unfit(..)) && would_fit(affinity, node, value) {
            answer = Named::Unfit(node, value);
        }
    }
    answer
}

/// Returns whether the node would satisfy the affinity if its label had that value.
fn would_fit(affinity: &NodeSelector, node: &Node, value: &Str) -> bool {
    let mut labels = node.meta.labels.to_vec();
    labels.retain(|(key, _)| key != HOSTNAME);
    let place = labels.partition_point(|(key, _)| key.as_str() < HOSTNAME);
    labels.insert(place, (Str::from(HOSTNAME), value.clone()));
    affinity.matches(&labels)
}
