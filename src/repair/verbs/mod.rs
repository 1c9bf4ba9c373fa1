//! The verbs, one file for each. A verb turns a request into a plan.

pub(super) mod build;
mod detach;
mod moving;
mod rebind;
mod reclaim;
mod reconnect;
pub(super) mod recreate;
mod release;
mod reschedule;
mod restore;
mod retain;
mod unbind;
mod unfinalize;

use super::answers::{Answer, WaitResult, answers};
use super::guards::judge;
use super::plan::{Plan, Proposed, Refusal};
use super::request::Request;
use super::situation::{Situation, attachment_key, claim_key, volume_key};
use crate::diagnosis::shared_volumes::Providers;
use crate::model::{ObjectKey, PersistentVolume};
use crate::snapshot::Snapshot;

/// Returns the plan for a request in this situation, or the reason why there is no plan.
pub fn propose(situation: &Situation<'_>, request: &Request) -> Proposed {
    let planned = match request {
        Request::Retain { volume } => retain::plan(situation, request, volume),
        Request::Release { volume, to } => release::plan(situation, request, volume, to),
        Request::Unbind { volume, to } => unbind::plan(situation, request, volume, to),
        Request::Reclaim { volume, delete } => reclaim::plan(situation, request, volume, *delete),
        Request::Recreate { namespace, name, set, provisioner_stopped } => {
            recreate::plan(situation, request, &claim_key(namespace, name), set, *provisioner_stopped)
        }
        Request::Restore { namespace, name, from, provisioner_stopped } => {
            restore::plan(situation, request, &claim_key(namespace, name), from.as_deref(), *provisioner_stopped)
        }
        Request::Rebind { namespace, name, to, provisioner_stopped } => {
            rebind::plan(situation, request, &claim_key(namespace, name), to, *provisioner_stopped)
        }
        Request::Move { namespace, name, to_namespace, to_name, restore_policy } => moving::plan(
            situation,
            request,
            &claim_key(namespace, name),
            &claim_key(to_namespace, to_name),
            *restore_policy,
        ),
        Request::Unfinalize { object, finalizer, protected } => {
            unfinalize::plan(situation, request, object, finalizer, *protected)
        }
        Request::Reschedule { namespace, name } => reschedule::plan(situation, request, &claim_key(namespace, name)),
        Request::Detach { attachment, machine_off } => {
            detach::plan(situation, request, attachment, machine_off.as_deref())
        }
        Request::Reconnect { volume, address, server } => {
            reconnect::plan(situation, request, volume, *address, server.as_ref())
        }
        Request::Undo { .. } => Err(Refusal::new("usage", "undo takes its steps from a journal").into()),
    };
    match planned.unwrap_or_else(|stop| stop) {
        Proposed::Plan(plan) => {
            match in_vain(&plan, answers(situation.snapshot, &situation.settings, &plan).as_deref()) {
                // If a guard also forbids the plan, the refusal names the guard, because the person can do something
                // about the guard.
                Some(refusal) => Proposed::Refused(failed_guard(situation, &plan).unwrap_or(refusal)),
                None => Proposed::Plan(plan),
            }
        }
        other => other,
    }
}

fn failed_guard(situation: &Situation<'_>, plan: &Plan) -> Option<Refusal> {
    let guards = judge(situation, plan);
    let failed = guards.iter().find(|guard| guard.forbids(plan.is_destructive()))?;
    Some(Refusal::new(failed.id, failed.looked_at.clone()))
}

/// Returns the refusal of a plan that fails in the simulation: a step would stop, or would wait for something that
/// never happens. A plan is also refused if the answers of the controllers are not known.
pub(super) fn in_vain(plan: &Plan, answers: Option<&[Answer]>) -> Option<Refusal> {
    let Some(answers) = answers else {
        return Some(Refusal::new(
            "simulation",
            "too many objects are involved to predict the answers of the controllers",
        ));
    };
    let said = |answer: &Answer| {
        let states = answer.states.iter().map(|(object, states)| format!("{object} is {}", states.join(" or ")));
        states.collect::<Vec<_>>()
    };
    for (place, (step, answer)) in plan.steps.iter().zip(answers).enumerate() {
        let message = match &answer.came {
            WaitResult::Met | WaitResult::Perhaps => continue,
            // No controller acts before the first step.
            WaitResult::Stopped { why, .. } if place == 0 => format!("step {} would stop: {why}", step.id),
            WaitResult::Stopped { why, .. } => {
                format!(
                    "in the simulation, the controllers act before step {}, and then the step would stop: {why}",
                    step.id
                )
            }
            WaitResult::Never => format!(
                "in the simulation, step {} would wait until {}, and this never happens",
                step.id,
                step.wait.as_ref().map(ToString::to_string).unwrap_or_default()
            ),
        };
        let way_on = match &answer.came {
            WaitResult::Stopped { way_on, .. } => way_on.clone(),
            WaitResult::Met | WaitResult::Perhaps | WaitResult::Never => None,
        };
        let hints = way_on.into_iter().chain(said(answer));
        return Some(hints.fold(Refusal::new("simulation", message), Refusal::hint));
    }
    None
}

/// Returns the existing objects whose complete manifests a request needs. The request writes to these objects, or
/// creates a new claim from them.
pub fn reads(snapshot: &Snapshot, request: &Request, providers: &Providers) -> Vec<ObjectKey> {
    let mut objects = Vec::new();
    let add_volume = |objects: &mut Vec<ObjectKey>, name: &str| {
        if let Some(id) = snapshot.volume_id(name) {
            objects.push(volume_key(name));
            let named: Option<&PersistentVolume> = Some(snapshot.volume(id));
            if let Some(claim) = named.and_then(|volume| volume.claim_ref.as_ref())
                && snapshot.claim_id(&claim.namespace, &claim.name).is_some()
            {
                objects.push(claim_key(&claim.namespace, &claim.name));
            }
        }
    };
    let add_claim = |objects: &mut Vec<ObjectKey>, namespace: &str, name: &str| {
        for id in snapshot.volumes_naming(namespace, name) {
            objects.push(volume_key(&snapshot.volume(*id).meta.name));
        }
        if let Some(id) = snapshot.claim_id(namespace, name) {
            objects.push(claim_key(namespace, name));
            let volume = &snapshot.claim(id).volume_name;
            if snapshot.volume_id(volume).is_some() {
                objects.push(volume_key(volume));
            }
        }
    };
    match request {
        Request::Retain { volume }
        | Request::Release { volume, .. }
        | Request::Unbind { volume, .. }
        | Request::Reclaim { volume, .. } => add_volume(&mut objects, volume),
        Request::Recreate { namespace, name, .. } | Request::Reschedule { namespace, name } => {
            add_claim(&mut objects, namespace, name);
        }
        Request::Restore { namespace, name, from, .. } => {
            add_claim(&mut objects, namespace, name);
            if let Some(volume) = from {
                add_volume(&mut objects, volume);
            }
        }
        Request::Rebind { namespace, name, to, .. } => {
            add_claim(&mut objects, namespace, name);
            add_volume(&mut objects, to);
        }
        Request::Move { namespace, name, to_namespace, to_name, .. } => {
            add_claim(&mut objects, namespace, name);
            add_claim(&mut objects, to_namespace, to_name);
        }
        Request::Unfinalize { object, .. } => match object.kind {
            crate::model::Kind::PersistentVolume => add_volume(&mut objects, &object.name),
            _ => add_claim(&mut objects, &object.namespace, &object.name),
        },
        Request::Detach { attachment, .. } => {
            let key = attachment_key(attachment);
            if snapshot.object_id(&key).is_some() {
                objects.push(key);
            }
        }
        Request::Reconnect { volume, .. } => {
            add_volume(&mut objects, volume);
            objects.extend(reconnect::server_pods(snapshot, volume, providers));
        }
        Request::Undo { .. } => {}
    }
    objects.sort();
    objects.dedup();
    objects
}
