//! The verb `detach`: it has a volume detached from a node whose machine is off. It deletes the VolumeAttachment, and
//! the driver then detaches the disk. The finalizer of the attacher stays, so no other node gets the volume before.

use super::build::{Builder, Planned, volume};
use crate::diagnosis::attaching::Attachments;
use crate::diagnosis::remedy::quoted;
use crate::model::{Kind, Node, PersistentVolume, Str, VolumeAttachment};
use crate::repair::guards::machine::{MachineSign, add_claim, has_attacher, needs};
use crate::repair::plan::{Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation, attachment_key};
use crate::repair::write::{Change, Expect, Write};

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
    if attachment.volume_name.is_empty() {
        let message = format!("{name} attaches an inline volume: pvctl cannot see which pods need it");
        return Err(Refusal::new("inline", message).into());
    }
    let volume = volume(situation, &attachment.volume_name)?;
    let attachments = Attachments::new(situation.snapshot, &situation.settings.behavior);
    let mounted_as = attachments.unique_name(volume, node);
    let sign = sign(situation, attachment, volume, mounted_as.as_deref())?;
    let mut claims = Vec::new();
    for same in attachments.same_disk(volume, node) {
        add_claim(&mut claims, same);
    }
    check_unneeded(situation, volume, node, &claims)?;
    let mut plan = Builder::new(request);
    plan.save_attachment(attachment, &sign);
    if !matches!(sign, MachineSign::OutOfService { .. }) {
        plan.leave_to_person(format!(
            "no object shows whether the machine of node {node} is off: if it still runs, it may still write to the \
             volume"
        ));
        if machine_off.is_none() {
            plan.ask_for(node);
        }
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
    let needed = Recheck::NotNeeded { node: node.clone(), volume: attachment.volume_name.clone(), claims };
    // This recheck comes last, because it is one short read, and the lists before it take longer.
    let machine = Recheck::MachineOff { node: node.clone(), sign, mounted_as };
    plan.step(
        format!("let driver {} detach volume {} from node {node}", attachment.attacher, attachment.volume_name),
        Some(write),
        vec![needed, machine],
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
    mounted_as: Option<&str>,
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
            .hint("delete the pods that use the volume there: then the kubelet unmounts it, and it is detached")
            .hint(explain)
            .into());
    };
    if let Some(why) = sign.differs(name, node, mounted_as) {
        return Err(Refusal::new("mounted", format!("{why}, volume {volume}")).hint(taint).hint(explain).into());
    }
    if mounted_as.is_none() && matches!(sign, MachineSign::Silent { .. }) {
        let message = format!("whether node {name} has volume {volume} mounted cannot be seen in its status");
        return Err(Refusal::new("mounted", message).hint(taint).into());
    }
    Ok(sign)
}

/// Checks that no pod on the node needs the disk of the volume.
fn check_unneeded(
    situation: &Situation<'_>,
    volume: &PersistentVolume,
    node: &str,
    claims: &[(Str, Str)],
) -> Result<(), Proposed> {
    let users = situation.snapshot.pods().iter().filter(|pod| needs(pod, node, claims));
    let users: Vec<String> = users.map(|pod| format!("{}/{}", pod.meta.namespace, pod.meta.name)).collect();
    if !users.is_empty() {
        let message = format!("pods on node {node} need volume {}: {}", volume.meta.name, users.join(", "));
        return Err(Refusal::new("needed", message)
            .hint(
                "kube-controller-manager deletes the pods of a node that is gone, and pods that are being deleted on a \
                 node with the taint node.kubernetes.io/out-of-service",
            )
            .into());
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
            "driver {driver} detaches the volume, and then the attachment is gone. Until then no other node gets the \
             volume, and pvctl does not remove the finalizer of the attacher"
        ));
    }
    if *sign != MachineSign::Gone {
        plan.note(format!(
            "kube-controller-manager notices within about a minute that the attachment is gone, and corrects \
             status.volumesAttached of node {node}: pvctl writes no status"
        ));
    }
}
