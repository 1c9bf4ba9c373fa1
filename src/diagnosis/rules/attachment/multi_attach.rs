//! This rule reports a pod that waits for a volume. The volume is still attached to another node, and it can be
//! attached to only one node.

use super::{DRAIN, attachment_key, is_exclusive, lasts, out_of_service};
use crate::diagnosis::attaching::{Elsewhere, is_silent};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::mention::{mention, volume_of};
use crate::diagnosis::pod::facts::{
    Attaching, attach_failure, attaching, attachment, bound, is_about_volume, is_starting, pod_key, used_claims,
};
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity, key};
use crate::model::{AccessMode, ClaimRef, Kind, PersistentVolume, Pod};
use crate::snapshot::Absence;

pub(super) static RULE: Rule = Rule {
    id: "multi-attach",
    title: "the volume is attached to another node, and can be attached to only one node",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[
        Kind::PersistentVolume,
        Kind::PersistentVolumeClaim,
        Kind::VolumeAttachment,
        Kind::CsiDriver,
        Kind::Node,
        Kind::Event,
    ],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating. An event `FailedAttachVolume` says `Multi-Attach error`: the volume \
               is exclusively attached to one node, or used by other pods.",
        why: "A volume with the access mode ReadWriteOnce or ReadWriteOncePod can be attached to only one node at a \
              time. kube-controller-manager does not attach the volume to a second node before the first node reports \
              that the volume is unmounted. As long as a pod on the first node uses the volume, this does not happen. \
              Such a pod can be a second replica, the old pod of a rolling update, or a helper pod that somebody left \
              running. If an old pod is being deleted, the unmount takes seconds to minutes. If the first node does \
              not answer, see `node-shutdown-fencing`. If the first node does not exist, see `va-node-gone`. If no pod \
              on the first node uses the volume, see `va-stale-no-pod`.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get volumeattachments | grep VOLUME\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Stop the pod on the first node, or run both pods on the same node. A Deployment with such a volume \
                 needs one replica and the strategy Recreate. Pods on several nodes need a volume with ReadWriteMany, \
                 or one volume for each pod, as a StatefulSet creates them.",
        prevention: "Use ReadWriteOnce volumes with StatefulSets, or with Deployments of one replica and the strategy \
                     Recreate.",
        hazard: "If you delete the VolumeAttachment while the first node still writes, two nodes can write to one \
                 disk. This destroys its file system.",
        sources: &[
            "IsMultiAttachAllowed, pkg/volume/util; reconcile, pkg/controller/volume/attachdetach, Kubernetes 1.36",
            "kubernetes/kubernetes#96142",
            "rook/rook#4699",
            "openebs/openebs#2536",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_starting(pod) || pod.meta.deleted.is_some() {
        return None;
    }
    used_claims(pod).find_map(|used| {
        let (_, volume) = bound(case.snapshot(), &pod.meta.namespace, used.claim)?;
        of_volume(case, pod, used.volume, volume)
    })
}

fn of_volume(case: &Case<'_>, pod: &Pod, in_pod: &str, volume: &PersistentVolume) -> Option<Detection> {
    let (snapshot, name) = (case.snapshot(), &volume.meta.name);
    if !is_exclusive(volume) || attaching(snapshot, case.behavior(), volume) == Attaching::NotNeeded {
        return None;
    }
    if attachment(snapshot, name, &pod.node_name).is_some_and(|own| own.attached) {
        return None;
    }
    let event = attach_failure(snapshot, pod)
        .filter(|event| event.message.contains("Multi-Attach") && is_about_volume(&event.message, in_pod, name));
    let others = case.survey().attachments().elsewhere(volume, &pod.node_name);
    let other = others.first();
    // An event may be older than the detachment. So the event is used only if the VolumeAttachments were not read.
    let is_hidden = matches!(snapshot.coverage().absence(Kind::VolumeAttachment, ""), Absence::Unknown(_));
    if other.is_none() && (event.is_none() || !is_hidden) {
        return None;
    }
    let claim = volume.claim_ref.as_ref()?;
    let attachments = case.survey().attachments();
    let holder = match other {
        Some(other) if !attachments.waits(volume, &pod.node_name) => {
            Holder::Unguarded(attachments.pods_with_storage_of(volume, &other.node).into_iter().next())
        }
        _ => holder(case, pod, volume, other),
    };
    let since = pod.started.or(pod.meta.created);
    // The controllers need some time to detach a volume whose pod has ended.
    let is_early = match holder {
        Holder::Uses(_) | Holder::Shares(_) | Holder::Silent(_) => case.may_heal(since)?,
        Holder::Leaving(_) | Holder::OutOfService(_) | Holder::Nobody | Holder::Unknown => {
            let is_overdue = lasts(case, since, DRAIN);
            if !is_overdue {
                case.may_heal(None)?;
            }
            !is_overdue
        }
        Holder::Gone(_) | Holder::Unguarded(_) => false,
    };
    let node = other.map(|other| other.node.as_str());
    let modes: Vec<&str> = volume.access_modes.0.iter().map(AccessMode::as_str).collect();
    let (mut message, mut remedies) = words(pod, claim, name, &modes.join(", "), node, &holder);
    if volume.terminating() {
        message.push_str(". But the volume is being deleted: once it is detached, no node gets it again");
        remedies = vec![describe(
            &volume_key(name),
            "keep the pod that uses the volume, and first decide what happens to the data: see what deletes the volume",
        )];
    }
    let mut found = Detection::new(message)
        .early_if(is_early)
        .risk(if matches!(holder, Holder::Uses(_)) && !volume.terminating() { Risk::None } else { Risk::Possible })
        .since(since)
        .evidence(&case.object(), "spec.nodeName", pod.node_name.as_str())
        .evidence(&volume_key(name), "spec.accessModes", volume.access_modes.set().short())
        .affects(claim_key(&claim.namespace, &claim.name))
        .remedies(remedies);
    // The cause is the problem that keeps the attachment. The finding gets the severity of this problem.
    if matches!(holder, Holder::Nobody | Holder::Gone(_) | Holder::Silent(_)) {
        found = found.as_bad_as_its_cause();
    }
    if let Some(Elsewhere { node, attachment }) = other {
        let node_key = key(Kind::Node, "", node);
        found = match attachment {
            Some(other) => {
                let object = attachment_key(other);
                found
                    .evidence(&object, "spec.nodeName", node.as_str())
                    .evidence(&object, "status.attached", "true")
                    .follows_from(object, Act::Detach)
            }
            None => found.evidence(&node_key, "status.volumesAttached", name.as_str()),
        };
        found = found.follows_from(node_key, Act::Detach);
    }
    if let Some(event) = event {
        found = found.evidence(&case.object(), "events[FailedAttachVolume]", event.message.as_str());
    }
    Some(found)
}

/// What keeps the volume on the other node.
enum Holder<'a> {
    /// Nothing keeps it there: kube-controller-manager does not know for certain that the other node has the volume. So
    /// it attaches the volume to both nodes. This pod may use it on the other node.
    Unguarded(Option<&'a Pod>),
    /// This pod uses the same storage there, through another PersistentVolume or without one.
    Shares(&'a Pod),
    /// This pod uses the volume there.
    Uses(&'a Pod),
    /// This pod uses the volume there, and is being deleted.
    Leaving(&'a Pod),
    /// The kubelet of the other node does not answer. The pod on the node, if there is one, cannot be stopped.
    Silent(Option<&'a Pod>),
    /// The other node is not ready, and an administrator has stated that it is shut down.
    OutOfService(Option<&'a Pod>),
    /// The other node does not exist any more. This pod may still be recorded there.
    Gone(Option<&'a Pod>),
    /// No pod on the other node uses the volume.
    Nobody,
    /// The VolumeAttachments or the pods were not read.
    Unknown,
}

fn holder<'a>(case: &Case<'a>, pod: &Pod, volume: &PersistentVolume, other: Option<&Elsewhere<'_>>) -> Holder<'a> {
    let Some(claim) = &volume.claim_ref else { return Holder::Unknown };
    let mut users = case.snapshot().pods_of(&claim.namespace, &claim.name);
    let is_there = |user: &&Pod| {
        let elsewhere = !user.node_name.is_empty() && user.node_name != pod.node_name;
        elsewhere && !user.terminated() && other.is_none_or(|other| other.node == user.node_name)
    };
    let user = users.find(is_there);
    let node = other.map(|other| other.node.as_str()).or(user.map(|user| user.node_name.as_str()));
    match node.and_then(|node| case.snapshot().node(node)) {
        Some(node) if node.is_out_of_service() => return Holder::OutOfService(user),
        Some(node) if is_silent(node) => return Holder::Silent(user),
        None if node.is_some_and(|node| case.lacks(Kind::Node, "", node)) => return Holder::Gone(user),
        _ => {}
    }
    match user {
        Some(user) if user.meta.deleted.is_some() => Holder::Leaving(user),
        Some(user) => Holder::Uses(user),
        None => match other {
            None => Holder::Unknown,
            Some(other) => {
                let sharing = case.survey().attachments().pods_with_storage_of(volume, &other.node);
                sharing.into_iter().next().map_or(Holder::Nobody, Holder::Shares)
            }
        },
    }
}

fn words(
    pod: &Pod,
    claim: &ClaimRef,
    volume: &str,
    modes: &str,
    node: Option<&str>,
    holder: &Holder<'_>,
) -> (String, Vec<Remedy>) {
    let claim_key = claim_key(&claim.namespace, &claim.name);
    let (claim, volume) = (mention(&claim_key), volume_of(&claim_key, volume));
    let own = pod.node_name.as_str();
    let at = |user: &Pod| node.map_or_else(|| user.node_name.to_string(), str::to_owned);
    let waits = format!("Pod {} on node {own} waits until the volume is detached from the other node", pod.meta.name);
    let held_for = |user: Option<&Pod>| user.map_or_else(String::new, |user| format!(" for pod {}", user.meta.name));
    match holder {
        Holder::Unguarded(user) => {
            let node = node.unwrap_or_default();
            (
                format!(
                    "{volume} is attached to node {own} although node {node} has it{}. kube-controller-manager did not \
                     attach it to node {node} itself, so it does not wait. If both nodes write, the file system is \
                     destroyed",
                    held_for(*user)
                ),
                vec![
                    by_hand(format!(
                        "stop the pods that use the volume on one of the nodes {node} and {own}, and wait until it is \
                         unmounted there"
                    )),
                    describe(&key(Kind::Node, "", node), "see how this node attaches volumes"),
                ],
            )
        }
        Holder::Shares(user) => (
            format!(
                "{volume} is the same storage as a volume of pod {}/{} on node {}. {waits}",
                user.meta.namespace,
                user.meta.name,
                at(user)
            ),
            vec![describe(&pod_key(user), "look at the pod that has the storage, and at its claims")],
        ),
        Holder::Uses(user) if is_update(pod, user) => (
            format!(
                "the old pod {} of the rolling update still uses {claim} ({modes}) on node {}. The update waits until the old pod ends, and the old pod ends only when the new one is ready",
                user.meta.name,
                at(user)
            ),
            vec![
                by_hand(
                    "set the strategy of the Deployment to Recreate, so that the old pod is stopped before the new \
                     one starts",
                ),
                describe(&pod_key(user), "look at the old pod, which has the volume"),
            ],
        ),
        Holder::Uses(user) if is_replica(pod, user) => (
            format!(
                "{claim} is for one node at a time ({modes}), and replica {} uses it on node {}. Pod {} waits for \
                 it on node {own}",
                user.meta.name,
                at(user),
                pod.meta.name
            ),
            vec![
                by_hand(
                    "let the workload have one replica, or give each replica a volume of its own with a StatefulSet, \
                     or use a volume with ReadWriteMany",
                ),
                describe(&pod_key(user), "look at the replica that has the volume"),
            ],
        ),
        Holder::Uses(user) => (
            format!(
                "{claim} is for one node at a time ({modes}), and pod {} uses it on node {}. Pod {} waits for it on \
                 another node, {own}",
                user.meta.name,
                at(user),
                pod.meta.name
            ),
            vec![
                describe(
                    &pod_key(user),
                    format!(
                        "run both pods on the same node, or use a volume with ReadWriteMany; if pod {} is not needed any \
                         more, stop it",
                        user.meta.name
                    ),
                ),
                kubectl(
                    format!("get pods -n {} -o wide", quoted(&pod.meta.namespace)),
                    "see which pods run on which nodes",
                ),
            ],
        ),
        Holder::Leaving(user) => (
            format!("pod {}, which is being deleted, still has {volume} on node {}. {waits}", user.meta.name, at(user)),
            vec![describe(&pod_key(user), "see what keeps the old pod; when it is gone, the volume is detached")],
        ),
        Holder::Silent(user) => {
            let node = node.map(str::to_owned).or(user.map(at)).unwrap_or_default();
            (
                format!(
                    "node {node} is NotReady and still has {volume}{}. {waits}. The kubelet of node {node} does not \
                     answer and cannot unmount the volume",
                    held_for(*user)
                ),
                vec![
                    describe(
                        &key(Kind::Node, "", &node),
                        format!("find out whether the machine of {node} is off, or will be back within minutes"),
                    ),
                    out_of_service(&node),
                ],
            )
        }
        Holder::OutOfService(user) => {
            let node = node.map(str::to_owned).or(user.map(at)).unwrap_or_default();
            (
                format!(
                    "node {node} has the taint out-of-service and still has {volume}{}. {waits}. \
                     kube-controller-manager detaches it without a check when no pod on node {node} needs it",
                    held_for(*user)
                ),
                match user {
                    Some(user) if user.meta.deleted.is_none() => vec![describe(
                        &pod_key(user),
                        format!(
                            "see why pod {} is not evicted: it may tolerate the taint, or the effect of the taint is not \
                             NoExecute",
                            user.meta.name
                        ),
                    )],
                    _ => vec![kubectl("get volumeattachments -o wide", "see whether the driver reports an error")],
                },
            )
        }
        Holder::Gone(user) => (
            format!(
                "{volume} is still attached{} to node {}, which does not exist any more. {waits}",
                held_for(*user),
                node.map(str::to_owned).or(user.map(at)).unwrap_or_default()
            ),
            Vec::new(),
        ),
        Holder::Nobody => (
            format!("{volume} is still attached to node {}, where no pod uses it. {waits}", node.unwrap_or_default()),
            vec![kubectl(
                format!("get node {} -o jsonpath='{{.status.volumesInUse}}'", quoted(node.unwrap_or_default())),
                "see whether that node still has the volume mounted",
            )],
        ),
        Holder::Unknown => (
            format!("{volume} is still attached to another node. {waits}"),
            vec![kubectl("get volumeattachments", "see to which node the volume is attached")],
        ),
    }
}

/// Returns whether both pods belong to the same workload.
fn is_replica(pod: &Pod, other: &Pod) -> bool {
    let has_owner = !pod.owner_name.is_empty();
    has_owner && (&pod.owner_kind, &pod.owner_name) == (&other.owner_kind, &other.owner_name)
}

/// Returns whether the pods belong to different ReplicaSets of one Deployment. The name of such a ReplicaSet is that of
/// the Deployment and a hash.
fn is_update(pod: &Pod, other: &Pod) -> bool {
    let deployment = |pod: &Pod| {
        let name = pod.owner_name.rsplit_once('-').map(|(name, _)| name.to_owned());
        name.filter(|_| pod.owner_kind == "ReplicaSet")
    };
    deployment(pod).is_some() && deployment(pod) == deployment(other) && pod.owner_name != other.owner_name
}
