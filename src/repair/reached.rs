//! Checks whether the goal of an earlier plan still holds. If it does, there is nothing to do for the same request.

use super::plan::Plan;
use super::request::Request;
use super::situation::{Known, Situation, claim_key};
use super::write::{Change, PLAN_ANNOTATION, Write};
use crate::model::{ClaimPhase, Kind, ObjectKey, PersistentVolumeClaim, VolumePhase};
use serde_json::Value;

/// Returns why the goal of a plan that was carried out still holds, in a sentence without a full stop. Returns `None`
/// if the goal does not hold or is unknown. Also returns `None` if the planner of the request itself finds that there
/// is nothing to do.
pub fn reached(situation: &Situation<'_>, plan: &Plan) -> Option<String> {
    match &plan.request {
        Request::Release { .. } | Request::Unbind { .. } => {
            let write = offer(plan)?;
            let claim = taker(situation, write)?;
            Some(format!("claim {} has volume {} and is bound to it", claim.key(), write.object.name))
        }
        Request::Reclaim { volume, delete: true } => {
            situation.volume(volume).is_absent().then(|| format!("volume {volume} is gone"))
        }
        Request::Move { namespace, name, .. } => {
            let new = created(situation, plan, &claim_key(namespace, name))?;
            let write = offer(plan)?;
            let claim = taker(situation, write)?;
            (claim.key() == new.key())
                .then(|| format!("claim {} has volume {} and is bound to it", claim.key(), write.object.name))
        }
        Request::Recreate { namespace, name, .. } => {
            let new = created(situation, plan, &claim_key(namespace, name))?;
            Some(format!("claim {} exists instead of {namespace}/{name}", new.key()))
        }
        Request::Unfinalize { object, .. } => {
            let is_gone = match object.kind {
                Kind::PersistentVolume => situation.volume(&object.name).is_absent(),
                _ => situation.claim(&object.namespace, &object.name).is_absent(),
            };
            is_gone.then(|| format!("{object} is gone"))
        }
        Request::Detach { attachment, .. } => {
            let write = plan.writes().next()?;
            match situation.attachment(attachment) {
                Known::Absent => Some(format!("VolumeAttachment {attachment} is gone")),
                Known::There(found) if found.meta.uid == write.uid && found.meta.deleted.is_some() => Some(format!(
                    "VolumeAttachment {attachment} is being deleted: driver {} has to detach the volume",
                    found.attacher
                )),
                Known::There(_) | Known::Unknown => None,
            }
        }
        Request::Reclaim { delete: false, .. }
        | Request::Retain { .. }
        | Request::Restore { .. }
        | Request::Rebind { .. }
        | Request::Reschedule { .. }
        | Request::Reconnect { .. }
        | Request::Undo { .. } => None,
    }
}

/// Returns whether a plan is treated as complete if the same request finds nothing to do, although some of its steps
/// were not carried out. Returns false for a plan that undoes a repair. Also returns false if the plan still has to
/// restore the former policy of a volume, because the planner of the request does not check this.
pub fn is_met_by_others(plan: &Plan, remaining: &Plan) -> bool {
    let gives_back =
        remaining.writes().any(|write| matches!(&write.change, Change::SetReclaimPolicy { .. }) && !write.retains());
    !matches!(plan.request, Request::Undo { .. }) && !gives_back
}

/// Returns the write by which a plan offers a volume.
fn offer(plan: &Plan) -> Option<&Write> {
    plan.writes().rfind(|write| matches!(write.change, Change::SetClaimRef { .. }))
}

/// Returns the claim that has exactly the volume that was offered. If the volume was offered to one claim name, the
/// claim must have that name.
fn taker<'a>(situation: &Situation<'a>, offer: &Write) -> Option<&'a PersistentVolumeClaim> {
    let Change::SetClaimRef { to, .. } = &offer.change else { return None };
    let Known::There(volume) = situation.volume(&offer.object.name) else { return None };
    let Known::There(claim) = situation.holder(volume) else { return None };
    let is_meant =
        to.as_ref().is_none_or(|named| named.namespace == claim.meta.namespace && named.name == claim.meta.name);
    let is_bound = claim.volume_name == volume.meta.name
        && claim.status.phase == ClaimPhase::Bound
        && volume.status.phase == VolumePhase::Bound;
    let stays = !claim.terminating() && !volume.terminating();
    (volume.meta.uid == offer.uid && is_meant && is_bound && stays).then_some(claim)
}

/// Returns the claim that a plan created to replace a claim that is gone. The plan's annotation distinguishes this
/// claim from a claim that somebody else created.
fn created<'a>(situation: &Situation<'a>, plan: &Plan, old: &ObjectKey) -> Option<&'a PersistentVolumeClaim> {
    let write = plan.writes().rfind(|write| matches!(write.change, Change::Create { .. }))?;
    let Known::There(claim) = situation.claim(&write.object.namespace, &write.object.name) else { return None };
    let mark = made_by(situation.manifests.get(&write.object)?)?;
    let is_instead = write.object != *old && situation.claim(&old.namespace, &old.name).is_absent();
    (mark == plan.id && is_instead && !claim.terminating()).then_some(claim)
}

/// Returns the id of the plan that created a claim, from the plan's annotation.
pub fn made_by(manifest: &Value) -> Option<&str> {
    manifest.pointer("/metadata/annotations")?.get(PLAN_ANNOTATION)?.as_str()
}
