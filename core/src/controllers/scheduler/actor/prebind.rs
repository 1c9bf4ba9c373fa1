//! `Reserve` and `PreBind` of the plugin `VolumeBinding`, and the binding of the pod. Upstream: `AssumePodVolumes`,
//! `bindAPIUpdate` and `checkBindings` of `volumebinding`, 1.36.

use super::Reservation;
use crate::controllers::persistent_volume::binding::bind_volume_to_claim;
use crate::controllers::scheduler::migration;
use crate::controllers::scheduler::verdict::Verdict;
use crate::controllers::scheduler::volume_binding::is_fully_bound;
use crate::controllers::scheduler::{SchedulerPodBranch, SchedulerVolumeStep};
use crate::controllers::{Branch, SyncContext};
use crate::model::{AnnotationKey, CsiNode, Id, Node, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, Str};
use crate::snapshot::Writable;
use crate::world::{View, World};

/// Reserves the volumes for the node, and makes the writes of `PreBind`. If no volume has to be reserved or provisioned
/// for the pod, the pod is bound at once. All objects are prepared before the first write. If the pod mounts a claim
/// twice, the claim is written twice with the same resourceVersion, and the second write can fail with a conflict.
/// Returns None if an object of the verdict does not exist any more.
pub(super) fn reserve(
    sync: &mut SyncContext<'_, '_>,
    world: &World<'_>,
    (pod, namespace): (Id<Pod>, &Str),
    node: &Str,
    verdict: &Verdict,
) -> Option<SchedulerPodBranch> {
    let claim = |name: &Str| world.id::<PersistentVolumeClaim>(namespace, name);
    let binding = |binding: &super::super::Binding| Some((world.id("", &binding.volume)?, claim(&binding.claim)?));
    let reservation = Reservation {
        node: world.id("", node)?,
        bindings: verdict.bindings.iter().map(binding).collect::<Option<_>>()?,
        provisions: verdict.provisions.iter().map(claim).collect::<Option<_>>()?,
    };
    if reservation.bindings.is_empty() && reservation.provisions.is_empty() {
        return Some(bind_pod(sync, pod, node.clone()));
    }
    let reserved = |(volume, claim): &(Id<PersistentVolume>, Id<PersistentVolumeClaim>)| {
        Some((*volume, bind_volume_to_claim(world.get_ref(*volume)?, world.get_ref(*claim)?)?))
    };
    let selected = |id: &Id<PersistentVolumeClaim>| {
        let mut claim = world.get_ref(*id)?.clone();
        if claim.meta.annotations.get(AnnotationKey::SelectedNode) == Some(node.as_str()) {
            return None;
        }
        claim.meta.annotations.set(AnnotationKey::SelectedNode, node.clone());
        Some((*id, claim))
    };
    // An update that changes nothing has no effect, so it is left out.
    let volumes: Vec<(Id<PersistentVolume>, PersistentVolume)> =
        reservation.bindings.iter().filter_map(reserved).collect();
    let claims: Vec<(Id<PersistentVolumeClaim>, PersistentVolumeClaim)> =
        reservation.provisions.iter().filter_map(selected).collect();
    let written = write(sync, volumes, SchedulerVolumeStep::SchedulerPrebindsVolume.into())
        .and_then(|()| write(sync, claims, SchedulerVolumeStep::SchedulerSelectsNode.into()));
    if let Err(error) = written {
        sync.fail(format!("running PreBind plugin \"VolumeBinding\": {error}"));
        return Some(SchedulerPodBranch::SchedulerBindAborted);
    }
    sync.remember(pod, reservation.memory());
    super::wait_for_volumes(sync, world, &reservation);
    Some(SchedulerPodBranch::SchedulerBindWaits)
}

fn write<T: Writable>(sync: &mut SyncContext<'_, '_>, objects: Vec<(Id<T>, T)>, step: Branch) -> Result<(), String> {
    for (id, object) in objects {
        sync.update(id, object).map_err(|error| error.to_string())?;
        sync.step(step);
    }
    Ok(())
}

/// Binds the pod to the node. Upstream sends a Binding; the API server then writes `spec.nodeName` and the condition
/// `PodScheduled`. Upstream: `DefaultBinder`, 1.36.
pub(super) fn bind_pod(sync: &mut SyncContext<'_, '_>, id: Id<Pod>, node: Str) -> SchedulerPodBranch {
    let Some(pod) = sync.world().get(id) else { return SchedulerPodBranch::SchedulerSkipsPod };
    let mut bound = (*pod).clone();
    bound.node_name = node;
    if let Err(error) = sync.update(id, bound) {
        sync.fail(error.to_string());
        return SchedulerPodBranch::SchedulerBindAborted;
    }
    SchedulerPodBranch::SchedulerBindsPod
}

/// Returns whether all volumes of the pod are bound.
///
/// # Errors
/// Returns the reason why the scheduler stops waiting, in upstream's words.
pub(super) fn check_bindings(world: &World<'_>, pod: &ObjectMeta, reservation: &Reservation) -> Result<bool, String> {
    let Some(node) = world.get_ref::<Node>(reservation.node) else {
        return Err("failed to get node: node not found".to_owned());
    };
    let view = View::World(world);
    let csi_node = view.find::<CsiNode>("", &node.meta.name);
    let fits_node = |volume: &PersistentVolume| {
        let affinity = migration::node_affinity(volume, csi_node)?;
        if affinity.is_some_and(|affinity| !affinity.matches(&node.meta.labels)) {
            let (volume, node) = (&volume.meta.name, &node.meta.name);
            return Err(format!(
                "pv {volume:?} node affinity doesn't match node {node:?}: no matching NodeSelectorTerms"
            ));
        }
        Ok(())
    };
    let missing = |what: &str| Err(format!("{what}: an object of pod {}/{} is gone", pod.namespace, pod.name));
    for (volume, claim) in &reservation.bindings {
        let (Some(volume), Some(claim)) = (world.get_ref(*volume), world.get_ref(*claim)) else {
            return missing("failed to check binding");
        };
        fits_node(volume).map_err(|error| match error.strip_prefix("could not translate pv: ") {
            Some(error) => format!("failed to translate pv to csi: {error}"),
            None => error,
        })?;
        if volume.claim_ref.as_ref().is_none_or(|named| named.uid.is_empty()) {
            return Err(format!("ClaimRef got reset for pv {:?}", volume.meta.name));
        }
        if !is_fully_bound(claim) {
            return Ok(false);
        }
    }
    for claim in &reservation.provisions {
        let Some(claim) = world.get_ref(*claim) else { return missing("failed to check provisioning pvc") };
        let annotations = &claim.meta.annotations;
        if annotations.is_empty() {
            return Err(format!("selectedNode annotation reset for PVC {:?}", claim.meta.name));
        }
        if annotations.get(AnnotationKey::SelectedNode) != Some(node.meta.name.as_str()) {
            return Err(format!("provisioning failed for PVC {:?}", claim.meta.name));
        }
        if !claim.volume_name.is_empty() {
            match view.find::<PersistentVolume>("", &claim.volume_name) {
                Some(volume) => fits_node(volume)?,
                // The volume may not be in the cache yet.
                None => return Ok(false),
            }
        }
        if !is_fully_bound(claim) {
            return Ok(false);
        }
    }
    Ok(true)
}
