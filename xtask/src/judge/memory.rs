//! The memory of a controller that has run for some time, as `explain` assumes it: `AttachDetach::with_attached`. At
//! the end of a recorded run, the controller has this memory.

use crate::attaching::Attaching;
use crate::line::Object;
use anyhow::{Result, ensure};
use pvctl::controllers::attach_detach::{AttachDetach, AttachState, AttachableVolume, Flags, Moment};
use pvctl::model::{Node, PersistentVolume, Pod, Str, VolumeAttachment};
use pvctl::snapshot::Snapshot;
use pvctl::world::View;
use std::collections::BTreeSet;

/// Compares the memory of a controller at the end of a run. If it could have several memories, none is compared.
///
/// # Errors
/// Returns an error if it is another one than the assumed one.
pub(super) fn check<'c>(
    controllers: impl Iterator<Item = &'c AttachDetach>,
    snapshot: &Snapshot,
    asked: &Attaching,
    flags: Flags,
) -> Result<()> {
    if let [controller] = controllers.collect::<Vec<_>>().as_slice() {
        let differs = differs(controller, snapshot, asked, flags);
        ensure!(differs.is_empty(), "the assumed memory of the controller is another one: {differs:?}");
    }
    Ok(())
}

/// Returns what differs between the controller and a controller with the assumed memory. The attachments that the
/// controller itself created are compared, and the nodes that it manages. If nobody has changed a pod, a claim or a
/// volume, the pods that need volumes are compared as well.
fn differs(controller: &AttachDetach, snapshot: &Snapshot, asked: &Attaching, flags: Flags) -> Vec<String> {
    let is_undisturbed = asked.refuse.is_empty() && !asked.log.iter().any(|entry| entry.restart);
    if !is_undisturbed || controller.next_step().is_some() {
        return Vec::new();
    }
    let view = View::Snapshot(snapshot);
    let assumed = AttachDetach::restarted(view, flags, Moment(0)).with_attached(view);
    let writes = asked.log.iter().filter_map(|entry| entry.write.as_ref());
    let created: BTreeSet<&str> =
        writes.filter(|write| write.verb == "create").map(|write| write.name.as_str()).collect();
    let deleted: Vec<&Object> = asked.log.iter().filter_map(|entry| entry.delete.as_ref()).collect();
    let puts = asked.log.iter().filter_map(|entry| entry.put.as_ref());
    let mut changed: BTreeSet<&str> = puts.filter_map(|put| put["kind"].as_str()).collect();
    changed.extend(deleted.iter().map(|object| object.kind.as_str()));
    let plugins_change = ["CSIDriver", "CSINode", "PersistentVolume"].iter().any(|kind| changed.contains(kind));
    let is_alone = changed.iter().all(|kind| ["Node", "VolumeAttachment"].contains(kind));
    let deleted: BTreeSet<&str> =
        deleted.into_iter().filter(|object| object.kind == "Node").map(|object| object.name.as_str()).collect();
    let mut all = if is_alone { unknown_pods(controller, view) } else { Vec::new() };
    all.extend(unknown_nodes(controller));
    for record in snapshot.all::<VolumeAttachment>() {
        let is_own = created.contains(record.meta.name.as_str()) && record.attached && record.meta.deleted.is_none();
        let volume = view.find::<PersistentVolume>("", &record.volume_name).filter(|_| is_own);
        let Some(volume) = volume else { continue };
        let Some(volume) = controller.volume(view, volume, &record.node_name) else {
            if !plugins_change {
                all.push(format!("volume {} has to be attached", record.volume_name));
            }
            continue;
        };
        let (name, node) = (volume.unique_name(), &record.node_name);
        let states = (controller.attach_state(&name, node), assumed.attach_state(&name, node));
        // The attacher may be done before the controller has noticed it.
        let is_same = matches!(
            states,
            (AttachState::Attached, AttachState::Attached)
                | (AttachState::Uncertain, AttachState::Attached | AttachState::Uncertain)
                | (AttachState::Detached, _)
        );
        if !is_same {
            all.push(format!("volume {name} on {node}: {states:?}"));
        }
    }
    let nodes = snapshot.all::<Node>().iter().map(|node| &node.meta.name);
    let surprising = nodes.filter(|node| assumed.manages(node) && !controller.manages(node));
    all.extend(surprising.map(|node| format!("node {node} is not managed")));
    for pod in snapshot.pods().iter().filter(|pod: &&Pod| deleted.contains(pod.node_name.as_str())) {
        let node = pod.node_name.as_str();
        let is_kept = controller.manages(node) && !controller.volumes_of(view, pod).is_empty() && !pod.terminated();
        if view.find::<Node>("", node).is_none() && is_kept && !assumed.manages(node) {
            all.push(format!("node {node} is managed"));
        }
    }
    all
}

/// Returns the pods for which the controller does not want exactly the volumes that they need. On a node that it does
/// not manage, it must want none. Nobody has changed a pod, a claim or a volume.
fn unknown_pods(controller: &AttachDetach, view: View<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for pod in view.all::<Pod>().filter(|pod| !pod.node_name.is_empty() && !pod.terminated()) {
        let (node, name) = (pod.node_name.as_str(), pod.meta.name.as_str());
        let wanted: BTreeSet<Str> =
            controller.volumes_of(view, pod).iter().map(AttachableVolume::unique_name).collect();
        let needs = |volume: &Str| {
            controller.pods_with(volume, node).iter().any(|of| of.name == name && of.namespace == pod.meta.namespace)
        };
        let known: BTreeSet<Str> = controller.volumes_on(node).into_iter().filter(needs).collect();
        if known != if controller.manages(node) { wanted } else { BTreeSet::new() } {
            all.push(format!("the volumes of pod {name} on {node} are {known:?}"));
        }
    }
    all
}

/// Returns the volumes for which the controller does not name exactly the other nodes to which they are or may be
/// attached.
fn unknown_nodes(controller: &AttachDetach) -> Vec<String> {
    let components = controller.components();
    let of_volume = |volume: &Str| -> BTreeSet<Str> {
        let nodes = components.iter().filter(|one| one.volume == *volume).flat_map(|one| one.nodes.iter());
        nodes.filter(|node| controller.attach_state(volume, node) != AttachState::Detached).cloned().collect()
    };
    let mut all = Vec::new();
    for component in &components {
        let volume = &component.volume;
        let on = of_volume(volume);
        for node in &component.nodes {
            let others: BTreeSet<Str> = on.iter().filter(|other| *other != node).cloned().collect();
            let named: BTreeSet<Str> = controller.other_nodes(volume, node).into_iter().collect();
            if named != others {
                all.push(format!("volume {volume} is on {others:?} besides {node}, and not on {named:?}"));
            }
        }
    }
    all
}
