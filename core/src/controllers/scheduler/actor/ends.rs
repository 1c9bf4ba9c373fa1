//! The end states of pods.

use super::super::verdict::Cycle;
use super::Reservation;
use crate::controllers::KubernetesBehavior;
use crate::controllers::outcome::{Outcome, PodPlace};
use crate::controllers::scheduler::handles;
use crate::model::{Id, ObjectId, Pod, Str};
use crate::world::{View, World};

/// Returns the end states that a pod has if the simulation ends in this world. There are several if several nodes may
/// be chosen, or if the message that the scheduler writes is not certain. Returns None if the pod does not take part.
pub(super) fn ends(
    behavior: &KubernetesBehavior,
    world: &World<'_>,
    id: ObjectId,
    unsettled: bool,
) -> Option<Vec<Outcome>> {
    let pod: Id<Pod> = id.of()?;
    let places = match world.get_ref(pod) {
        None => return Some(vec![Outcome::Gone { data: None, unsettled }]),
        Some(_) if !takes_part(world, pod) => return None,
        Some(stored) if !stored.node_name.is_empty() => vec![PodPlace::OnNode(stored.node_name.clone())],
        Some(stored) => places(behavior, world, pod, stored),
    };
    let end = |place| Outcome::Pod { place, unsettled };
    Some(places.into_iter().map(end).collect())
}

/// Returns whether the pod takes part. The recorded pod decides this. So a pod without claims that waits for a node
/// still takes part after it has got the node.
pub(super) fn takes_part(world: &World<'_>, id: Id<Pod>) -> bool {
    View::Snapshot(world.snapshot()).get(id).is_some_and(super::takes)
}

/// Returns the places in which a pod without a node can be.
fn places(behavior: &KubernetesBehavior, world: &World<'_>, id: Id<Pod>, pod: &Pod) -> Vec<PodPlace> {
    if !handles(pod) {
        return vec![PodPlace::Unschedulable(None)];
    }
    let reserved = world.memory_of(id).and_then(Reservation::of);
    if let Some(node) = reserved.and_then(|reservation| reservation.node_name(View::World(world))) {
        return vec![PodPlace::WaitsForVolumes(node.clone())];
    }
    let scheduling = super::schedule(world, behavior, pod);
    let rejected = || -> Vec<PodPlace> {
        scheduling.messages.iter().map(|message| PodPlace::Unschedulable(Some(Str::from(message)))).collect()
    };
    match &scheduling.cycle {
        Cycle::Gated(status) => {
            let text = status.reasons.first().map(|reason| Str::from(&*reason.text));
            vec![PodPlace::Unschedulable(text)]
        }
        Cycle::Skipped(_) => vec![PodPlace::Unschedulable(None)],
        Cycle::PreFilter(_) => rejected(),
        // The scheduler has given up waiting for the volumes, and chooses the node again.
        Cycle::Nodes(_) => {
            let chosen: Vec<PodPlace> =
                scheduling.candidates().map(|node| PodPlace::WaitsForVolumes(node.node.clone())).collect();
            if chosen.is_empty() { rejected() } else { chosen }
        }
    }
}
