//! kube-scheduler as an actor of a simulation: it chooses a node for a pod, binds or requests the volumes of the pod,
//! and binds the pod. Upstream: `ScheduleOne`, `schedulingCycle` and `bindingCycle` of `pkg/scheduler`, and `Reserve`
//! and `PreBind` of `volumebinding`, 1.36.
//!
//! A sync of a pod without a reservation is one scheduling cycle and the writes of `PreBind`. A sync of a pod with a
//! reservation is one check of its bindings. Scores are not modelled: each node that fits may be chosen.

mod ends;
mod links;
mod needs;
mod prebind;

use super::groups::NodeGroups;
use super::reservation::Reservation;
use super::verdict::Cycle;
use super::{ConditionReason, Scheduler, SchedulerPodBranch, Scheduling, cluster, handles};
use crate::controllers::outcome::max_listed;
use crate::controllers::persistent_volume::sameness;
use crate::controllers::spec::{Controller, ControllerSpec, Step};
use crate::controllers::{DecidedBy, KubernetesBehavior, Limit, Outcome, OutcomeSet, SyncContext};
use crate::model::{AnnotationKey, ClaimPhase, HeldObject, Id, Kind, Node, ObjectId, Pod, Str};
use crate::snapshot::Snapshot;
use crate::world::{ControllerState, EventType, ObjectRef, RecordedEvent, View, World};
use prebind::{bind_pod, check_bindings, reserve};

/// The scheduler with its default profile.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &[Kind::Pod],
    takes: Some(|object| object.of::<Pod>().is_some_and(|pod| takes(pod))),
    memory: |stated| ControllerState { cached: stated.cached.clone(), operations: Vec::new() },
    links: links::join,
    same,
    is_hidden,
    looks_at: |_, object, other| object.kind == Kind::Pod || object == other,
    needs: needs::needs,
    late: |world, pod| without_reservation(world, pod).into_iter().collect(),
    decides: Some(DecidedBy::Score),
    may_choose,
    widen,
    gives_up: without_reservation,
    effort,
    has_ends: |world, id| id.of().is_some_and(|pod| ends::takes_part(world, pod)),
    ends: ends::ends,
    ..ControllerSpec::named("scheduler", "kube-scheduler", |sync, behavior, id| {
        schedule_one(sync, behavior, id.of()?).map(Into::into)
    })
});

/// Returns whether the simulation predicts an end of the pod: the scheduler has to find a node for the pod, or the pod
/// has a node, uses claims and has not ended.
fn takes(pod: &Pod) -> bool {
    let uses_claims = || pod.claim_names().next().is_some();
    handles(pod) || (cluster::is_seen(pod) && !pod.node_name.is_empty() && uses_claims())
}

/// Returns the number of objects that one sync reads.
fn effort(snapshot: &Snapshot, behavior: &KubernetesBehavior) -> usize {
    let nodes_and_pods = match NodeGroups::of(snapshot, behavior) {
        Some(groups) => groups.groups.iter().map(|group| group.pods.len().saturating_add(1)).sum(),
        None => snapshot.count(Kind::Node).saturating_add(snapshot.count(Kind::Pod)),
    };
    nodes_and_pods.saturating_add(snapshot.volumes().len())
}

/// Returns whether two versions are equal in all fields that the scheduler reads or changes.
fn same(a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    match (a, b) {
        (HeldObject::Pod(a), HeldObject::Pod(b)) => {
            a.meta.uid == b.meta.uid
                && a.node_name == b.node_name
                && a.meta.deleted.is_some() == b.meta.deleted.is_some()
        }
        _ => sameness::same(a, b),
    }
}

/// Returns whether no scheduling of a pod can observe the step.
fn is_hidden(step: &Step<'_, '_>) -> bool {
    match (step.before, step.after) {
        (HeldObject::PersistentVolume(before), HeldObject::PersistentVolume(after)) => {
            // The phase matters only for a volume without a claimRef.
            let named = |volume: &crate::model::PersistentVolume| {
                volume.claim_ref.as_ref().map(|named| (named.namespace.clone(), named.name.clone(), named.uid.clone()))
            };
            named(before).is_some() && named(before) == named(after)
        }
        (HeldObject::PersistentVolumeClaim(before), HeldObject::PersistentVolumeClaim(after)) => {
            let stays = |key| before.meta.annotations.get(key) == after.meta.annotations.get(key);
            before.volume_name == after.volume_name
                && before.class_name == after.class_name
                && before.terminating() == after.terminating()
                && (before.status.phase == ClaimPhase::Lost) == (after.status.phase == ClaimPhase::Lost)
                && stays(AnnotationKey::BindCompleted)
                && stays(AnnotationKey::SelectedNode)
        }
        _ => false,
    }
}

/// Returns the world in which the scheduler has given up waiting for the volumes of a pod. The scheduler does so after
/// 600 s (`bindTimeoutSeconds`). What it has written stays. Returns None if the pod has no reservation.
fn without_reservation<'s>(world: &World<'s>, pod: ObjectId) -> Option<World<'s>> {
    world.memory_of(pod.of::<Pod>()?)?;
    let mut after = world.clone();
    after.forget(pod);
    Some(after)
}

/// Schedules one pod, or checks the bindings of its volumes.
fn schedule_one(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    id: Id<Pod>,
) -> Option<SchedulerPodBranch> {
    let world = sync.informed_world();
    let pod = world.get_ref(id)?;
    if !handles(pod) {
        return Some(SchedulerPodBranch::SchedulerSkipsPod);
    }
    if let Some(reservation) = world.memory_of(id).and_then(Reservation::of) {
        return Some(match check_bindings(&world, &pod.meta, &reservation) {
            Ok(true) => {
                let node = world.get_ref::<Node>(reservation.node).map(|node| node.meta.name.clone());
                sync.forget(id);
                bind_pod(sync, id, node.unwrap_or_default())
            }
            Ok(false) => {
                wait_for_volumes(sync, &world, &reservation);
                SchedulerPodBranch::SchedulerBindWaits
            }
            Err(error) => {
                sync.forget(id);
                sync.fail(format!("running PreBind plugin \"VolumeBinding\": binding volumes: {error}"));
                SchedulerPodBranch::SchedulerBindAborted
            }
        });
    }
    let scheduling = schedule(&world, behavior, pod);
    for kind in scheduling.doubts.keys() {
        sync.needs_list(*kind, "");
    }
    if matches!(scheduling.cycle, Cycle::Gated(_) | Cycle::Skipped(_)) {
        return Some(SchedulerPodBranch::SchedulerSkipsPod);
    }
    let of_node = |node: &super::NodeVerdicts| -> Vec<(Str, super::Verdict)> {
        let fitting = node.verdicts.iter().filter(|verdict| verdict.fits());
        fitting.map(|verdict| (node.node.clone(), verdict.clone())).collect()
    };
    let options: Vec<(Str, super::Verdict)> = scheduling.candidates().flat_map(of_node).collect();
    let Some((node, verdict)) = sync.pick_option(&options) else {
        let message = scheduling.messages.first().cloned().unwrap_or_default();
        if scheduling.reason == Some(ConditionReason::SchedulerError) {
            sync.fail(message.clone());
        }
        sync.say(RecordedEvent {
            event_type: EventType::Warning,
            reason: "FailedScheduling",
            message,
            message_varies: scheduling.messages.len() > 1,
            about: ObjectRef::to(pod),
        });
        return Some(SchedulerPodBranch::SchedulerFindsNoNode);
    };
    reserve(sync, &world, (id, &pod.meta.namespace), node, verdict)
}

/// Returns what the scheduler says about the pod. Nodes that are the same for every waiting pod form a group, and each
/// group is examined once.
fn schedule(world: &World<'_>, behavior: &KubernetesBehavior, pod: &Pod) -> Scheduling {
    let view = View::World(world);
    let scheduler = match NodeGroups::of(world.snapshot(), behavior) {
        Some(groups) => Scheduler::of_groups(view, behavior, groups),
        None => Scheduler::of_view(view, behavior),
    };
    scheduler.schedule(pod)
}

/// Replaces each end of a pod by one end for every node in the group of the pod's node, because a simulation uses only
/// one node of each group. An end without a node is not replaced. Returns None if the nodes are not grouped, if no
/// group has several nodes, if the scheduler does not have to find a node for the pod, or if the pod is gone at an end.
fn widen(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    id: ObjectId,
    ends: &[Outcome],
    limit: Limit,
) -> Option<OutcomeSet> {
    // If the pod already has a node, the scheduler does not choose one.
    id.of::<Pod>().filter(|pod| handles(snapshot.get(*pod)))?;
    let groups = NodeGroups::of(snapshot, behavior).filter(|groups| groups.are_several())?;
    let (mut all, mut count) = (Vec::new(), 0_u64);
    for end in ends {
        let Outcome::Pod { place, .. } = end else { return None };
        let members = place.node().and_then(|node| snapshot.id::<Node>("", node)).map(|id| groups.members_of(id));
        let members = members.unwrap_or_default();
        let listed = members.iter().take(max_listed(limit).max(1));
        all.extend(listed.map(|id| end.on_node(&snapshot.get(*id).meta.name)));
        if members.is_empty() {
            all.push(end.clone());
        }
        count += (members.len() as u64).max(1);
    }
    Some(OutcomeSet::counted(all, count, true, limit))
}

/// Returns whether the scheduler may have several nodes to choose from: it has to find a node for the pod, and the
/// cluster has several nodes.
fn may_choose(snapshot: &Snapshot, id: ObjectId) -> bool {
    let is_waiting = id.of::<Pod>().is_some_and(|pod| handles(snapshot.get(pod)));
    is_waiting && snapshot.count(Kind::Node) > 1
}

/// Records who has to act before the volumes of the pod are bound.
fn wait_for_volumes(sync: &mut SyncContext<'_, '_>, world: &World<'_>, reservation: &Reservation) {
    let bound = reservation.bindings.iter().map(|(_, claim)| *claim);
    for claim in bound.chain(reservation.provisions.iter().copied()).filter_map(|claim| world.get_ref(claim)) {
        if !super::volume_binding::is_fully_bound(claim) {
            let action = format!("bind pvc/{} in namespace {}", claim.meta.name, claim.meta.namespace);
            sync.wait_for("persistentvolume-binder", String::new(), action);
        }
    }
}
