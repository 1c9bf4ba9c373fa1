//! The verb `detach`: it has a volume detached from a node whose machine is off. It deletes the VolumeAttachment, and
//! the driver then detaches the disk. The finalizer of the attacher stays, so no other node gets the volume before.

use super::build::{Builder, Planned, volume};
use crate::diagnosis::attaching::Attachments;
use crate::diagnosis::remedy::quoted;
use crate::model::{AnnotationKey, CsiNode, Kind, Node, PersistentVolume, Pod, SourceKind, Str, VolumeAttachment};
use crate::repair::guards::machine::{MachineSign, OtherMachine, add_claim, add_claims_of, has_attacher, needs};
use crate::repair::identity::VolumeIdentity;
use crate::repair::plan::{Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation, attachment_key};
use crate::repair::write::{Change, Expect, Write};
use std::collections::BTreeSet;

pub(super) fn plan(situation: &Situation<'_>, request: &Request, name: &str, machine_off: Option<&str>) -> Planned {
    let attachment = attachment(situation, name)?;
    let node = &attachment.node_name;
    if attachment.meta.deleted.is_some() {
        return Err(is_going(attachment).into());
    }
    if let Some(stated) = machine_off.filter(|stated| *stated != node.as_str()) {
        let message = format!("--machine-off names node {stated}, but {name} attaches its volume to node {node}");
        return Err(Refusal::new("usage", message).into());
    }
    let storage = "detach the disk with the tools of the storage";
    if attachment.volume_name.is_empty() {
        let message = format!("{name} attaches a volume without a PersistentVolume: pvctl cannot see which disk it is");
        return Err(Refusal::new("inline", message).hint(storage).into());
    }
    if matches!(situation.volume(&attachment.volume_name), Known::Absent) {
        let (volume, driver) = (&attachment.volume_name, &attachment.attacher);
        let message = format!("volume {volume} does not exist, and driver {driver} needs it to detach the disk");
        return Err(Refusal::new("missing", message)
            .hint(format!(
                "create volume {volume} again, with the same handle and policy Retain: then it can be detached"
            ))
            .hint(storage)
            .into());
    }
    let volume = volume(situation, &attachment.volume_name)?;
    let attachments = Attachments::new(situation.snapshot, &situation.settings.behavior);
    if let Some(why) = attachments.other_disk(attachment, volume) {
        let message = format!("{name} is not about the disk that volume {} names now: {why}", volume.meta.name);
        return Err(Refusal::new("disk", message).hint(storage).into());
    }
    let Some(mounted_as) = attachments.unique_name(volume, node) else {
        let message = format!("no plugin of kube-controller-manager attaches volume {}", volume.meta.name);
        return Err(Refusal::new("unattached", message)
            .hint("so its pods cannot be found by the disk, and nobody knows whether one of them needs the disk")
            .into());
    };
    let sign = sign(situation, attachment, volume, &mounted_as, attachments.manages(node))?;
    let Machine { id, doubt } = machine(situation, attachment)?;
    let mut claims = Vec::new();
    let same = attachments.same_disk(volume, node);
    for volume in &same {
        add_claim(&mut claims, volume);
    }
    let same: Vec<Str> = same.into_iter().map(|volume| volume.meta.name.clone()).collect();
    add_claims_of(&mut claims, &same, situation.snapshot.claims());
    check_unneeded(situation, volume, node, &claims, &attachments.pods_with_disk(&mounted_as, node))?;
    let mut plan = Builder::new(request);
    plan.save_attachment(attachment, &sign);
    let unstated = (!matches!(sign, MachineSign::OutOfService { .. })).then(|| {
        format!(
            "no object shows whether the machine of node {node} is off: if it still runs, it may still write to the \
             volume"
        )
    });
    // The statement that the machine is off does not say which machine the driver detaches the disk from.
    if doubt.is_some() || unstated.is_some() && machine_off.is_none() {
        plan.ask_for(node);
    }
    let reasons: Vec<String> = unstated.into_iter().chain(doubt).collect();
    if !reasons.is_empty() {
        plan.leave_to_person(reasons.join("; and "));
    }
    notes(&mut plan, attachment, &sign);
    let write = Write {
        object: attachment_key(name),
        uid: attachment.meta.uid.clone(),
        expect: vec![
            Expect::Terminating { is: false },
            Expect::Attaches { volume: attachment.volume_name.clone(), to: node.clone() },
        ],
        change: Change::Delete,
    };
    let needed = Recheck::NotNeeded { node: node.clone(), volume: VolumeIdentity::of(volume), same, claims };
    let driver = attachment.attacher.clone();
    let one = id.map(|id| Recheck::OneMachine { node: node.clone(), driver, id });
    // This recheck comes last, because it is one short read, and the lists before it take longer.
    let machine = Recheck::MachineOff { node: node.clone(), sign, mounted_as: Some(mounted_as) };
    plan.step(
        format!("let driver {} detach volume {} from node {node}", attachment.attacher, attachment.volume_name),
        Some(write),
        [needed].into_iter().chain(one).chain([machine]).collect(),
        None,
        Undo::Impossible {
            why: format!(
                "a deletion cannot be taken back. If a pod on node {node} needs the volume, kube-controller-manager \
                 attaches it again"
            ),
        },
    );
    Ok(plan.finish(format!("volume {} is being detached from node {node}", attachment.volume_name)))
}

fn attachment<'a>(situation: &Situation<'a>, name: &str) -> Result<&'a VolumeAttachment, Proposed> {
    match situation.attachment(name) {
        Known::There(attachment) => Ok(attachment),
        Known::Absent => Err(Refusal::new("missing", format!("VolumeAttachment {name} does not exist")).into()),
        Known::Unknown => {
            Err(Refusal::new("unknown", format!("whether VolumeAttachment {name} exists could not be read")).into())
        }
    }
}

/// Returns the refusal for an attachment that is being deleted. It says what is awaited.
fn is_going(attachment: &VolumeAttachment) -> Refusal {
    let (name, driver) = (&attachment.meta.name, &attachment.attacher);
    let said = attachment.detach_error.as_ref().map_or_else(String::new, |error| format!(": {}", error.message));
    let message = format!(
        "{name} is being deleted already: driver {driver} has to detach volume {} from node {}{said}",
        attachment.volume_name, attachment.node_name
    );
    Refusal::new("deletion", message)
        .hint(format!("kubectl pvctl explain va/{name} says what is wrong, and what happens next"))
}

/// Returns what the node says about its machine, or the reason why its volume is not detached, with the way out.
fn sign(
    situation: &Situation<'_>,
    attachment: &VolumeAttachment,
    volume: &PersistentVolume,
    mounted_as: &str,
    is_managed: bool,
) -> Result<MachineSign, Proposed> {
    let (attachment, name, volume) = (&attachment.meta.name, &attachment.node_name, &volume.meta.name);
    let node: Option<&Node> = match situation.node(name) {
        Known::There(node) => Some(node),
        Known::Absent => None,
        Known::Unknown => {
            return Err(Refusal::new("unknown", format!("whether node {name} exists could not be read")).into());
        }
    };
    let explain = format!("kubectl pvctl explain va/{attachment} says when kube-controller-manager detaches it");
    let taint = format!(
        "if the machine of {name} is certainly off: kubectl taint nodes {} \
         node.kubernetes.io/out-of-service=nodeshutdown:NoExecute says so, and lets kube-controller-manager delete its \
         pods and detach its volumes",
        quoted(name)
    );
    let Some(sign) = MachineSign::of(node) else {
        return Err(Refusal::new("ready", format!("node {name} {}, {volume}", MachineSign::lacks(node)))
            .hint(match node.and_then(Node::readiness) {
                Some(_) => {
                    "delete the pods that use the volume there: then the kubelet unmounts it, and it is detached"
                }
                None => "wait until the node says whether it is ready",
            })
            .hint(explain)
            .into());
    };
    if let Some(why) = sign.differs(name, node, Some(mounted_as)) {
        return Err(Refusal::new("mounted", format!("{why}, volume {volume}")).hint(taint).hint(explain).into());
    }
    // A kubelet that attaches volumes itself mounts a volume before its status lists the volume.
    if !is_managed && matches!(sign, MachineSign::Silent { .. }) {
        let message = format!("whether node {name} has volume {volume} mounted cannot be seen in its status");
        return Err(Refusal::new("mounted", message).hint(taint).into());
    }
    Ok(sign)
}

/// The machine of a node, as its driver knows it.
struct Machine {
    /// The id of the machine. It is `None` if it is not known, or if not all nodes could be compared.
    id: Option<Str>,
    /// Why a person has to judge, although the node says that its machine is off: the driver may detach the disk from
    /// another machine, or nobody detaches it.
    doubt: Option<String>,
}

/// Returns the machine of the node. If the driver would certainly detach the disk from another machine, this is a
/// refusal. The driver knows a machine by the id in the CSINode, or else by the one in the attachment. If both are
/// known, they are the same, or this is a refusal. Upstream: `GetNodeID` and `csiDetach`, external-attacher 4.13.
fn machine(situation: &Situation<'_>, attachment: &VolumeAttachment) -> Result<Machine, Proposed> {
    let VolumeAttachment { attacher: driver, node_name: node, .. } = attachment;
    let recorded = attachment.meta.annotations.get(AnnotationKey::CsiNodeId).unwrap_or_default();
    let csi_node = situation.snapshot.find::<CsiNode>("", node);
    let registered = csi_node.and_then(|csi_node| csi_node.driver(driver)).map(|driver| driver.node_id.clone());
    let id = if recorded.is_empty() { registered.unwrap_or_default() } else { recorded.into() };
    let name = &attachment.meta.name;
    let nodes = situation.snapshot.all::<CsiNode>();
    match OtherMachine::of(node, driver, &id, nodes).filter(|_| !id.is_empty()) {
        Some(OtherMachine::Replaced { now }) => {
            let message = format!(
                "{name} attaches the volume to machine {id}, but node {node} is machine {now} now: driver {driver} would \
                 detach the volume from the wrong machine"
            );
            return Err(Refusal::new("replaced", message)
                .hint(format!("detach the disk from machine {id} with the tools of the storage"))
                .hint(
                    "then delete the VolumeAttachment by hand: kube-controller-manager does this by itself as soon as no \
                     pod on the node needs the volume and the node does not list it as mounted",
                )
                .into());
        }
        Some(OtherMachine::Renamed { node: other }) => {
            let message = format!(
                "node {other} has the same machine, {id}: driver {driver} would detach the volume from this node as well"
            );
            return Err(Refusal::new("renamed", message)
                .hint(format!("see whether a pod on node {other} uses the volume"))
                .into());
        }
        None => {}
    }
    let is_known = situation.knows_all(Kind::CsiNode, "") && !id.is_empty();
    let doubt = if attachment.attached && !has_attacher(attachment) {
        Some(format!(
            "driver {driver} has no finalizer on the attachment: it is gone at once, and nobody detaches the disk from \
             the machine of node {node}"
        ))
    } else {
        (!is_known).then(|| {
            format!(
                "it cannot be seen which machine node {node} is: driver {driver} may detach the volume from another one"
            )
        })
    };
    Ok(Machine { id: is_known.then_some(id), doubt })
}

/// Checks that no pod on the node needs the disk of the volume.
fn check_unneeded(
    situation: &Situation<'_>,
    volume: &PersistentVolume,
    node: &str,
    claims: &[(Str, Str)],
    with_disk: &[&Pod],
) -> Result<(), Proposed> {
    let users = situation.snapshot.pods().iter().filter(|pod| needs(pod, node, claims));
    let name = |pod: &Pod| format!("{}/{}", pod.meta.namespace, pod.meta.name);
    let users: BTreeSet<String> = users.map(name).chain(with_disk.iter().map(|pod| name(pod))).collect();
    let users: Vec<String> = users.into_iter().collect();
    if !users.is_empty() {
        let message = format!("pods on node {node} need volume {}: {}", volume.meta.name, users.join(", "));
        return Err(Refusal::new("needed", message)
            .hint(
                "kube-controller-manager deletes the pods of a node that is gone, and pods that are being deleted on a \
                 node with the taint node.kubernetes.io/out-of-service",
            )
            .into());
    }
    if !situation.knows_all(Kind::PersistentVolumeClaim, "") {
        let message = format!("which claims name volume {} could not be read", volume.meta.name);
        return Err(Refusal::new("unknown", message).into());
    }
    // Pods can use the disk of an in-tree volume without a claim.
    let needs_all = claims.is_empty() || volume.source.kind != SourceKind::Csi;
    if needs_all && !situation.knows_all(Kind::Pod, "") {
        let message = format!("which pods of all namespaces are on node {node} could not be read");
        return Err(Refusal::new("unknown", message).into());
    }
    if let Some((namespace, _)) = claims.iter().find(|(namespace, _)| !situation.knows_all(Kind::Pod, namespace)) {
        let message = format!("which pods of namespace {namespace} are on node {node} could not be read");
        return Err(Refusal::new("unknown", message).into());
    }
    Ok(())
}

/// Adds what happens after the deletion.
fn notes(plan: &mut Builder, attachment: &VolumeAttachment, sign: &MachineSign) {
    let (driver, node) = (&attachment.attacher, &attachment.node_name);
    if has_attacher(attachment) {
        plan.note(format!(
            "driver {driver} detaches the volume, and then the attachment is gone; pvctl does not remove the finalizer of \
             the attacher. kube-controller-manager may give the volume to another node before, if it is started again \
             or has waited two minutes: then only the storage refuses a second machine"
        ));
    }
    if *sign != MachineSign::Gone {
        plan.note(format!(
            "kube-controller-manager notices within about a minute that the attachment is gone, and corrects \
             status.volumesAttached of node {node}: pvctl writes no status"
        ));
    }
}
