//! The guards before a volume is detached from a node: what the node says about its machine, and which pods on the node
//! need the volume. If the machine still runs, it may still write to the disk.

use super::{Guard, Holds};
use crate::controllers::attacher::Sidecar;
use crate::diagnosis::attaching::is_silent;
use crate::model::{CsiNode, Kind, Node, PersistentVolume, PersistentVolumeClaim, Pod, Str, VolumeAttachment};
use crate::repair::identity::VolumeIdentity;
use crate::repair::plan::Plan;
use crate::repair::situation::{Known, Situation};
use crate::repair::write::{Change, Expect};
use serde::{Deserialize, Serialize};

/// What a node says about its machine. Only a person can know whether the machine is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum MachineSign {
    /// The node does not exist.
    Gone,
    /// The node has the taint `node.kubernetes.io/out-of-service`: an administrator states that the machine is off.
    OutOfService {
        /// The uid of the node.
        uid: Str,
    },
    /// The kubelet of the node has not reported for some time: the condition Ready is Unknown.
    Silent {
        /// The uid of the node.
        uid: Str,
    },
}

impl std::fmt::Display for MachineSign {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Gone => "does not exist",
            Self::OutOfService { .. } => "is not ready and has the taint node.kubernetes.io/out-of-service",
            Self::Silent { .. } => "does not answer",
        })
    }
}

impl MachineSign {
    /// Returns what a node says about its machine. Returns `None` for a node whose machine runs, or that says nothing.
    pub fn of(node: Option<&Node>) -> Option<Self> {
        let Some(node) = node else { return Some(Self::Gone) };
        let uid = node.meta.uid.clone();
        if !node.is_ready() && node.is_out_of_service() {
            return Some(Self::OutOfService { uid });
        }
        is_silent(node).then_some(Self::Silent { uid })
    }

    /// Returns why the machine of a node may run, although nobody states that it is off, in the words of a predicate.
    pub fn lacks(node: Option<&Node>) -> &'static str {
        match node.and_then(Node::readiness).map(|ready| ready.status.as_str()) {
            Some("True") => "is ready: its machine runs, and may write to the volume",
            Some(_) => "is not ready, but its kubelet answers: its machine runs, and may write to the volume",
            None => "does not say whether it is ready: its machine may write to the volume",
        }
    }

    /// Returns why a node does not say this about its machine, in a sentence without a full stop. Returns `None` if it
    /// does. `mounted_as` is the name of a volume in the status of the node. A node that only does not answer must
    /// not list this volume as mounted.
    pub fn differs(&self, name: &str, node: Option<&Node>, mounted_as: Option<&str>) -> Option<String> {
        let now = Self::of(node);
        if now.as_ref() != Some(self) {
            let uid = |sign: &Self| match sign {
                Self::Gone => Str::default(),
                Self::OutOfService { uid } | Self::Silent { uid } => uid.clone(),
            };
            return Some(match (now, node) {
                (Some(now), _) if uid(&now) != uid(self) && now != Self::Gone && *self != Self::Gone => {
                    format!("another node has the name {name} now, with uid {}", uid(&now))
                }
                (Some(now), _) => format!("node {name} {now}, but before it was said that it {self}"),
                (None, node) => format!("node {name} {}", Self::lacks(node)),
            });
        }
        let lists = |node: &Node| mounted_as.is_some_and(|name| node.volumes_in_use.iter().any(|used| used == name));
        (matches!(self, Self::Silent { .. }) && node.is_some_and(lists))
            .then(|| format!("node {name} lists the volume in status.volumesInUse: it may have the volume mounted"))
    }
}

/// Adds the claim that a volume names, unless it is known already.
pub fn add_claim(claims: &mut Vec<(Str, Str)>, volume: &PersistentVolume) {
    let Some(named) = &volume.claim_ref else { return };
    let key = (named.namespace.clone(), named.name.clone());
    if !key.0.is_empty() && !key.1.is_empty() && !claims.contains(&key) {
        claims.push(key);
    }
}

/// Adds the claims that name one of these volumes, unless they are known already. The volume of such a claim may name
/// another claim, or none.
pub fn add_claims_of<'c>(
    known: &mut Vec<(Str, Str)>,
    volumes: &[Str],
    claims: impl IntoIterator<Item = &'c PersistentVolumeClaim>,
) {
    for claim in claims.into_iter().filter(|claim| volumes.contains(&claim.volume_name)) {
        let key = (claim.meta.namespace.clone(), claim.meta.name.clone());
        if !known.contains(&key) {
            known.push(key);
        }
    }
}

/// Why the driver does not know exactly one node by the id of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherMachine {
    /// The node is another machine now.
    Replaced {
        /// The id of that machine.
        now: Str,
    },
    /// Another node is the same machine.
    Renamed {
        /// The other node.
        node: Str,
    },
}

impl OtherMachine {
    /// Looks for a reason, first at the node itself. Upstream: `GetNodeID`, external-attacher 4.13.
    pub fn of<'n>(node: &str, driver: &str, id: &str, nodes: impl IntoIterator<Item = &'n CsiNode>) -> Option<Self> {
        let registered = |found: &'n CsiNode| Some((&found.meta.name, &found.driver(driver)?.node_id));
        let all: Vec<(&Str, &Str)> = nodes.into_iter().filter_map(registered).collect();
        let own = all.iter().find(|(name, _)| *name == node).map(|(_, now)| *now);
        if let Some(now) = own.filter(|now| !now.is_empty() && *now != id) {
            return Some(Self::Replaced { now: now.clone() });
        }
        let other = all.into_iter().find(|(name, other)| *name != node && *other == id);
        other.map(|(name, _)| Self::Renamed { node: name.clone() })
    }

    /// Returns the reason as a sentence without a full stop.
    pub fn words(&self, node: &str, driver: &str, id: &str) -> String {
        match self {
            Self::Replaced { now } => format!("node {node} is machine {now} of driver {driver} now, and not {id}"),
            Self::Renamed { node } => format!("node {node} has machine {id} of driver {driver}, too"),
        }
    }
}

/// Checks that no other node has the machine.
pub(super) fn one(situation: &Situation<'_>, node: &str, driver: &str, id: &str) -> Guard {
    const ID: &str = "renamed";
    if let Some(other) = OtherMachine::of(node, driver, id, situation.snapshot.all::<CsiNode>()) {
        return Guard::new(ID, Holds::No, other.words(node, driver, id));
    }
    if !situation.knows_all(Kind::CsiNode, "") {
        return Guard::new(ID, Holds::Unknown, format!("which nodes have machine {id} could not be read"));
    }
    Guard::new(ID, Holds::Yes, format!("driver {driver} knows machine {id} only as node {node}"))
}

/// Checks that the selected node of a claim does not exist, and that no volume was made for the claim.
pub(super) fn unprovisioned(situation: &Situation<'_>, node: &str, claim: &str) -> Guard {
    const ID: &str = "provisioner";
    match situation.node(node) {
        Known::There(_) => return Guard::new(ID, Holds::No, format!("node {node} exists")),
        Known::Absent => {}
        Known::Unknown => {
            return Guard::new(ID, Holds::Unknown, format!("whether node {node} exists could not be read"));
        }
    }
    match made_for(situation.snapshot.volumes(), claim) {
        Some(volume) => Guard::new(ID, Holds::No, format!("volume {} was made for the claim", volume.meta.name)),
        None if !situation.knows_all(Kind::PersistentVolume, "") => {
            Guard::new(ID, Holds::Unknown, "whether a volume was made for the claim could not be read")
        }
        None => Guard::new(ID, Holds::Yes, format!("node {node} does not exist, and no volume was made for the claim")),
    }
}

/// Returns the volume that was made for the claim with this uid.
pub fn made_for<'v>(
    volumes: impl IntoIterator<Item = &'v PersistentVolume>,
    claim: &str,
) -> Option<&'v PersistentVolume> {
    let made = format!("pvc-{claim}");
    volumes.into_iter().find(|volume| {
        volume.meta.name == made.as_str() || volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim)
    })
}

/// Returns whether a pod on the node needs the volume of one of these claims: namespace and name. A pod that has
/// terminated needs nothing. Upstream: `IsPodTerminated`, `pkg/volume/util`, 1.36.
pub fn needs(pod: &Pod, node: &str, claims: &[(Str, Str)]) -> bool {
    let uses = |(namespace, name): &(Str, Str)| {
        pod.meta.namespace == *namespace && pod.claim_names().any(|used| used == name.as_str())
    };
    pod.node_name == node && !pod.terminated() && claims.iter().any(uses)
}

/// Checks what a node says about its machine.
pub(super) fn off(situation: &Situation<'_>, node: &str, sign: &MachineSign, mounted_as: Option<&str>) -> Guard {
    const ID: &str = "machine";
    let found = match situation.node(node) {
        Known::There(node) => Some(node),
        Known::Absent => None,
        Known::Unknown => {
            return Guard::new(ID, Holds::Unknown, format!("whether node {node} exists could not be read"));
        }
    };
    match sign.differs(node, found, mounted_as) {
        Some(why) => Guard::new(ID, Holds::No, why),
        None => Guard::new(ID, Holds::Yes, format!("node {node} {sign}")),
    }
}

/// Checks that no pod on the node needs the volume.
pub(super) fn not_needed(
    situation: &Situation<'_>,
    node: &str,
    volume: &VolumeIdentity,
    same: &[Str],
    claims: &[(Str, Str)],
) -> Guard {
    const ID: &str = "needed";
    let mut claims = claims.to_vec();
    if let Known::There(found) = situation.volume(volume.name()) {
        if let Some(why) = volume.differs(found) {
            return Guard::new(ID, Holds::No, why);
        }
        add_claim(&mut claims, found);
    }
    add_claims_of(&mut claims, same, situation.snapshot.claims());
    let users: Vec<String> = situation
        .snapshot
        .pods()
        .iter()
        .filter(|pod| needs(pod, node, &claims))
        .map(|pod| format!("{}/{}", pod.meta.namespace, pod.meta.name))
        .collect();
    if !users.is_empty() {
        return Guard::new(ID, Holds::No, format!("pods on node {node} need volume {volume}: {}", users.join(", ")));
    }
    if let Some((namespace, _)) = claims.iter().find(|(namespace, _)| !situation.knows_all(Kind::Pod, namespace)) {
        return Guard::new(
            ID,
            Holds::Unknown,
            format!(
                "the pods of namespace {namespace} could not be listed, so nobody knows which pods on node {node} need \
                 volume {volume}"
            ),
        );
    }
    if !situation.knows_all(Kind::PersistentVolume, "") || !situation.knows_all(Kind::PersistentVolumeClaim, "") {
        return Guard::new(
            ID,
            Holds::Unknown,
            format!("not all volumes and claims could be listed, so nobody knows who else has the disk of {volume}"),
        );
    }
    Guard::new(ID, Holds::Yes, format!("no pod on node {node} needs volume {volume}"))
}

/// Warns if an attachment that the plan deletes has no finalizer of an attacher. Such an attachment is gone at once,
/// and nobody detaches the disk before.
pub(super) fn attacher(situation: &Situation<'_>, plan: &Plan) -> Option<Guard> {
    let write = plan.writes().find(|write| {
        matches!(write.change, Change::Delete) && write.expect.iter().any(|is| matches!(is, Expect::Attaches { .. }))
    })?;
    let Known::There(attachment) = situation.attachment(&write.object.name) else { return None };
    (!has_attacher(attachment)).then(|| {
        Guard::new(
            "attacher",
            Holds::Warns,
            format!(
                "{} has no finalizer of an attacher: it is gone at once, and a second node can get the volume before \
                 anybody has detached the disk; first make sure that the disk is attached to no machine",
                write.object
            ),
        )
    })
}

/// Returns whether the attacher of the driver keeps the attachment until the volume is detached.
pub fn has_attacher(attachment: &VolumeAttachment) -> bool {
    let own = Sidecar::new(attachment.attacher.clone()).finalizer();
    attachment.meta.finalizers.contains(&own)
}
