//! This module has the functions that bind and unbind volumes and claims, and that write their status.

use super::log::{claim_name, claim_status, referred, text, volume_name, volume_status};
use super::messages::{
    self, BINDING_CLAIM_FAILED, BINDING_CLAIM_STATUS_FAILED, BINDING_VOLUME_FAILED, BINDING_VOLUME_STATUS_FAILED,
};
use crate::controllers::log::Message;
use crate::controllers::{BindStep, KubernetesBehavior, SyncContext, UnbindStep};
use crate::model::{
    Amount, AnnotationKey, ClaimPhase, ClaimRef, ClaimStatus, Held, PersistentVolume, PersistentVolumeClaim, Str,
    VolumePhase,
};
use crate::snapshot::{ClaimId, VolumeId};
use crate::world::{ApiError, EventType, ObjectRef};
use std::fmt::Display;
use std::sync::Arc;

/// A volume with its id.
#[derive(Clone, Debug)]
pub struct Volume<'s> {
    /// The id of the object.
    pub id: VolumeId,
    /// The version of the object that the sync uses.
    pub object: Held<'s, PersistentVolume>,
}

/// A claim with its id.
#[derive(Clone, Debug)]
pub struct Claim<'s> {
    /// The id of the object.
    pub id: ClaimId,
    /// The version of the object that the sync uses.
    pub object: Held<'s, PersistentVolumeClaim>,
}

/// Returns whether the claimRef of the volume names this claim, with its uid or without a uid. Upstream:
/// `IsVolumeBoundToClaim`, component-helpers, 1.36.
pub fn is_volume_bound_to_claim(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    volume.claim_ref.as_ref().is_some_and(|named| {
        named.name == claim.meta.name
            && named.namespace == claim.meta.namespace
            && (named.uid.is_empty() || named.uid == claim.meta.uid)
    })
}

/// Binds a volume and a claim with up to four writes. A write is left out if it would change nothing. Nothing is rolled
/// back after a failure. Upstream: `bind`, 1.36.
pub fn bind<'s>(sync: &mut SyncContext<'_, 's>, behavior: &KubernetesBehavior, volume: Volume<'s>, claim: Claim<'s>) {
    let mut done = Vec::new();
    sync.logs_pair(&messages::BINDING, &claim.object, &volume.object);
    let result = bind_steps(sync, behavior, volume, claim, &mut done);
    let failed = match &result {
        Ok(()) => None,
        Err((step, _)) => Some(*step),
    };
    for step in &done {
        sync.step((*step).into());
    }
    match failed {
        Some(step) => sync.step(step.into()),
        None if done.is_empty() => sync.step(BindStep::BindNothingToDo.into()),
        None => {}
    }
    if let Err((_, error)) = result {
        sync.fail(error);
    }
}

fn bind_steps<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    mut volume: Volume<'s>,
    mut claim: Claim<'s>,
    done: &mut Vec<BindStep>,
) -> Result<(), (BindStep, String)> {
    let (claim_before, volume_before) = (claim.object.clone(), volume.object.clone());
    let failed = |sync: &mut SyncContext<'_, 's>, message: &Message, step: BindStep, error: &dyn Display| {
        let error = error.to_string();
        sync.log(|| message.entry([claim_name(&claim_before), volume_name(&volume_before), text(&error)]));
        (step, error)
    };
    sync.logs_pair(&messages::BIND_VOLUME, &claim.object, &volume.object);
    if let Some(bound) = bind_volume_to_claim(&volume.object, &claim.object) {
        sync.logs_claimed(&messages::BIND_VOLUME_SAVING, &bound);
        let named = bound.claim_ref.clone();
        volume.object = match sync.update(volume.id, bound) {
            Ok(stored) => stored,
            Err(error) => {
                let (volume, error) = (volume_name(&volume.object), error.to_string());
                sync.log(|| messages::BIND_VOLUME_FAILED.entry([referred(named.as_ref()), volume, text(&error)]));
                return Err(failed(sync, &BINDING_VOLUME_FAILED, BindStep::BindVolumeSaveFailed, &error));
            }
        };
        sync.logs_stored(&*volume.object, true);
        sync.logs_claimed(&messages::BIND_VOLUME_SAVED, &volume.object);
        done.push(BindStep::BindVolumeSaved);
    } else {
        sync.logs_pair(&messages::BIND_VOLUME_KEPT, &claim.object, &volume.object);
    }
    let is_bound = volume.object.status.phase == VolumePhase::Bound;
    volume = update_volume_phase(sync, volume, &VolumePhase::Bound, "")
        .map_err(|error| failed(sync, &BINDING_VOLUME_STATUS_FAILED, BindStep::BindVolumeStatusFailed, &error))?;
    if !is_bound {
        done.push(BindStep::BindVolumeStatusSaved);
    }
    sync.logs_pair(&messages::BIND_CLAIM, &claim.object, &volume.object);
    if let Some(bound) = bind_claim_to_volume(&claim.object, &volume.object) {
        sync.logs_pair(&messages::BIND_CLAIM_SAVING, &claim.object, &volume.object);
        claim.object = match sync.update(claim.id, bound) {
            Ok(stored) => stored,
            Err(error) => {
                let pair = [claim_name(&claim.object), volume_name(&volume.object)];
                sync.log(|| {
                    let [claim, volume] = pair;
                    messages::BIND_CLAIM_FAILED.entry([claim, volume, text(&error)])
                });
                return Err(failed(sync, &BINDING_CLAIM_FAILED, BindStep::BindClaimSaveFailed, &error));
            }
        };
        sync.logs_stored(&*claim.object, true);
        sync.logs_pair(&messages::BIND_CLAIM_SAVED, &claim.object, &volume.object);
        done.push(BindStep::BindClaimSaved);
    } else {
        sync.logs_pair(&messages::BIND_CLAIM_KEPT, &claim.object, &volume.object);
    }
    log_claim_status(sync, &claim.object, &ClaimPhase::Bound, Some(&volume.object));
    match bound_claim_status(behavior, &claim.object, &volume.object) {
        Err(error) => {
            return Err(failed(sync, &BINDING_CLAIM_STATUS_FAILED, BindStep::BindVolumeWithoutCapacity, &error));
        }
        Ok(None) => log_claim_phase(sync, &messages::CLAIM_STATUS_KEPT, &claim.object, &ClaimPhase::Bound),
        Ok(Some(changed)) => {
            claim.object = write_claim_status(sync, &claim, changed, &ClaimPhase::Bound)
                .map_err(|error| failed(sync, &BINDING_CLAIM_STATUS_FAILED, BindStep::BindClaimStatusFailed, &error))?;
            done.push(BindStep::BindClaimStatusSaved);
        }
    }
    sync.logs_pair(&messages::BINDING_DONE, &claim.object, &volume.object);
    sync.log(|| messages::BINDING_VOLUME.entry([volume_name(&volume.object), volume_status(&volume.object)]));
    sync.log(|| messages::BINDING_CLAIM.entry([claim_name(&claim.object), claim_status(&claim.object)]));
    Ok(())
}

/// Logs an entry about a claim and its phase.
fn log_claim_phase(
    sync: &mut SyncContext<'_, '_>,
    message: &Message,
    claim: &PersistentVolumeClaim,
    phase: &ClaimPhase,
) {
    sync.log(|| message.entry([claim_name(claim), phase.as_str().into()]));
}

/// Logs that the status of a claim is compared with the status that it should have. Upstream: `updateClaimStatus`,
/// 1.36.
fn log_claim_status(
    sync: &mut SyncContext<'_, '_>,
    claim: &PersistentVolumeClaim,
    phase: &ClaimPhase,
    volume: Option<&PersistentVolume>,
) {
    log_claim_phase(sync, &messages::CLAIM_STATUS, claim, phase);
    let Some(volume) = volume.filter(|volume| claim.status.phase != *phase && volume.stated_storage().is_some()) else {
        return;
    };
    let Some(before) = volume.meta.annotations.get(AnnotationKey::PreResizeCapacity) else { return };
    sync.log(|| messages::RESIZE.entry([claim_name(claim), volume_name(volume), before.into()]));
    if Amount::parse(before).is_err() {
        sync.log(|| messages::RESIZE_UNPARSABLE.entry([volume_name(volume), unparsable(before).into()]));
    }
}

/// Returns the error with which Go refuses a quantity. Upstream: `ParseQuantity`,
/// `k8s.io/apimachinery/pkg/api/resource`, 0.36.
fn unparsable(quantity: &str) -> &'static str {
    let unsigned = quantity.strip_prefix(['+', '-']).unwrap_or(quantity);
    let suffix = unsigned.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let exponent = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if suffix.len() == unsigned.len() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    }
    "unable to parse quantity's suffix"
}

/// Writes the status of a claim, and logs the result. Upstream: `updateClaimStatus`, 1.36.
fn write_claim_status<'s>(
    sync: &mut SyncContext<'_, 's>,
    claim: &Claim<'s>,
    changed: PersistentVolumeClaim,
    phase: &ClaimPhase,
) -> Result<Held<'s, PersistentVolumeClaim>, ApiError> {
    let (entered, failed) = match phase {
        ClaimPhase::Bound => (&messages::BOUND_ENTERED, &messages::BOUND_STATUS_FAILED),
        _ => (&messages::CLAIM_ENTERED, &messages::CLAIM_STATUS_FAILED),
    };
    match sync.update_status(claim.id, changed) {
        Ok(stored) => {
            sync.logs_stored(&*stored, true);
            log_claim_phase(sync, entered, &claim.object, phase);
            Ok(stored)
        }
        Err(error) => {
            sync.log(|| {
                let name = claim_name(&claim.object);
                failed.entry([name, phase.as_str().into(), text(&error)])
            });
            Err(error)
        }
    }
}

/// Returns the volume with the claimRef of the claim. The volume gets the annotation bound-by-controller if its
/// claimRef did not name the claim before. Returns None if nothing has to be changed. Upstream: `GetBindVolumeToClaim`,
/// component-helpers, 1.36.
pub fn bind_volume_to_claim(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Option<PersistentVolume> {
    let by_controller =
        !is_volume_bound_to_claim(volume, claim) && !volume.meta.annotations.has(AnnotationKey::BoundByController);
    let names_claim = volume.claim_ref.as_ref().is_some_and(|named| {
        named.name == claim.meta.name && named.namespace == claim.meta.namespace && named.uid == claim.meta.uid
    });
    if names_claim && !by_controller {
        return None;
    }
    let mut bound = volume.clone();
    if !names_claim {
        bound.claim_ref = Some(ClaimRef::to(claim));
    }
    if by_controller {
        bound.meta.annotations.set(AnnotationKey::BoundByController, "yes");
    }
    Some(bound)
}

/// Returns the claim with the volume name and the annotation bind-completed. The claim gets the annotation
/// bound-by-controller only if the claim named another volume or none. Returns None if nothing has to be changed.
/// Upstream: `bindClaimToVolume`, 1.36.
fn bind_claim_to_volume(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> Option<PersistentVolumeClaim> {
    let names_other = claim.volume_name != volume.meta.name;
    let incomplete = !claim.meta.annotations.has(AnnotationKey::BindCompleted);
    if !names_other && !incomplete {
        return None;
    }
    let mut bound = claim.clone();
    if names_other {
        bound.volume_name.clone_from(&volume.meta.name);
        if !bound.meta.annotations.has(AnnotationKey::BoundByController) {
            bound.meta.annotations.set(AnnotationKey::BoundByController, "yes");
        }
    }
    if incomplete {
        bound.meta.annotations.set(AnnotationKey::BindCompleted, "yes");
    }
    Some(bound)
}

/// Returns the claim with the status of a bound claim. Returns None if its phase is Bound and it has the access modes
/// of the volume. The capacity is not compared. Upstream: `updateClaimStatus` with a volume, 1.36.
///
/// # Errors
/// Returns an error if the phase is not Bound yet and the volume states no storage capacity.
fn bound_claim_status(
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
    volume: &PersistentVolume,
) -> Result<Option<PersistentVolumeClaim>, String> {
    let recorded = &claim.status;
    let right_modes = recorded.access_modes == volume.access_modes;
    if right_modes && recorded.phase == ClaimPhase::Bound {
        return Ok(None);
    }
    let mut status = recorded.clone();
    if !right_modes {
        status.access_modes = volume.access_modes.clone();
    }
    if recorded.phase != ClaimPhase::Bound {
        status.phase = ClaimPhase::Bound;
        let Some(capacity) = volume.stated_storage() else {
            return Err(format!("PersistentVolume {:?} is without a storage capacity", volume.meta.name.as_str()));
        };
        if let Some(before) = volume.meta.annotations.get(AnnotationKey::PreResizeCapacity) {
            let before = Amount::parse(before).unwrap_or_else(|_| capacity.clone());
            status.capacity = with_storage(&recorded.capacity, before);
        } else if recorded.storage().is_none_or(|recorded| recorded.compare(&capacity.quantity).is_ne()) {
            status.capacity.clone_from(&volume.capacity);
        }
        if behavior.attributes_class
            && recorded.phase == ClaimPhase::Pending
            && recorded.current_attributes_class != volume.attributes_class
        {
            status.current_attributes_class.clone_from(&volume.attributes_class);
        }
    }
    let mut changed = claim.clone();
    changed.status = status;
    Ok(Some(changed))
}

fn with_storage(capacity: &[(Str, Amount)], storage: Amount) -> Arc<[(Str, Amount)]> {
    let mut resources: Vec<(Str, Amount)> =
        capacity.iter().filter(|(resource, _)| resource != "storage").cloned().collect();
    resources.push((Str::const_new("storage"), storage));
    resources.sort_by(|(a, _), (b, _)| a.cmp(b));
    resources.into()
}

/// Writes the status that a claim has while it is bound to no volume: this phase, no capacity, no access modes. Writes
/// nothing if the claim has this status already. Upstream: `updateClaimStatus` without a volume, 1.36. In versions up
/// to 1.30, upstream does not change `status.currentVolumeAttributesClassName`.
///
/// # Errors
/// Returns an error if the API server refuses the write.
pub fn clear_claim_status<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: &Claim<'s>,
    phase: &ClaimPhase,
) -> Result<Held<'s, PersistentVolumeClaim>, ApiError> {
    let mut status = ClaimStatus { phase: phase.clone(), unused: claim.object.status.unused, ..ClaimStatus::default() };
    if !behavior.attributes_class_compared {
        status.current_attributes_class.clone_from(&claim.object.status.current_attributes_class);
    }
    log_claim_status(sync, &claim.object, phase, None);
    if claim.object.status == status {
        log_claim_phase(sync, &messages::CLAIM_STATUS_KEPT, &claim.object, phase);
        return Ok(claim.object.clone());
    }
    let mut changed = (*claim.object).clone();
    changed.status = status;
    write_claim_status(sync, claim, changed, phase)
}

/// Sets the phase of a claim to Lost and emits an event. Does nothing if the claim is Lost already. Upstream:
/// `updateClaimStatusWithEvent`, 1.36.
pub fn lose_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: &Claim<'s>,
    reason: &'static str,
    message: &'static str,
) {
    log_claim_phase(sync, &messages::CLAIM_EVENT, &claim.object, &ClaimPhase::Lost);
    if claim.object.status.phase == ClaimPhase::Lost {
        return log_claim_phase(sync, &messages::CLAIM_EVENT_KEPT, &claim.object, &ClaimPhase::Lost);
    }
    match clear_claim_status(sync, behavior, claim, &ClaimPhase::Lost) {
        Ok(lost) => {
            sync.log(|| {
                let phase = ClaimPhase::Lost.as_str().into();
                messages::CLAIM_CHANGED.entry([claim_name(&claim.object), phase, message.into()])
            });
            sync.event(ObjectRef::to(&*lost), EventType::Warning, reason, message);
        }
        Err(error) => sync.fail(error.to_string()),
    }
}

/// Sets the phase and message of a volume, unless it has this phase already. `status.reason` is never written.
/// Upstream: `updateVolumePhase`, 1.36.
///
/// # Errors
/// Returns an error if the API server refuses the write.
pub fn update_volume_phase<'s>(
    sync: &mut SyncContext<'_, 's>,
    mut volume: Volume<'s>,
    phase: &VolumePhase,
    message: &str,
) -> Result<Volume<'s>, ApiError> {
    log_volume_phase(sync, &messages::PHASE, &volume.object, phase);
    if volume.object.status.phase == *phase {
        log_volume_phase(sync, &messages::PHASE_KEPT, &volume.object, phase);
        return Ok(volume);
    }
    let mut changed = (*volume.object).clone();
    changed.status.phase = phase.clone();
    changed.status.message = message.into();
    match sync.update_status(volume.id, changed) {
        Ok(stored) => {
            sync.logs_stored(&*stored, true);
            log_volume_phase(sync, &messages::PHASE_ENTERED, &volume.object, phase);
            volume.object = stored;
            Ok(volume)
        }
        Err(error) => {
            sync.log(|| {
                let name = volume_name(&volume.object);
                messages::PHASE_FAILED.entry([name, phase.as_str().into(), text(&error)])
            });
            Err(error)
        }
    }
}

/// Logs an entry about a volume and its phase.
fn log_volume_phase(sync: &mut SyncContext<'_, '_>, message: &Message, volume: &PersistentVolume, phase: &VolumePhase) {
    sync.log(|| message.entry([volume_name(volume), phase.as_str().into()]));
}

/// Sets the phase of a volume to Failed and emits an event. Does nothing if the volume is Failed already. Upstream:
/// `updateVolumePhaseWithEvent`, 1.36.
///
/// # Errors
/// Returns an error if the API server refuses the write.
pub fn fail_volume<'s>(
    sync: &mut SyncContext<'_, 's>,
    volume: Volume<'s>,
    reason: &'static str,
    message: &str,
) -> Result<Volume<'s>, ApiError> {
    log_volume_phase(sync, &messages::PHASE_EVENT, &volume.object, &VolumePhase::Failed);
    if volume.object.status.phase == VolumePhase::Failed {
        log_volume_phase(sync, &messages::PHASE_EVENT_KEPT, &volume.object, &VolumePhase::Failed);
        return Ok(volume);
    }
    let failed = update_volume_phase(sync, volume, &VolumePhase::Failed, message)?;
    sync.log(|| {
        let phase = VolumePhase::Failed.as_str().into();
        messages::PHASE_CHANGED.entry([volume_name(&failed.object), phase, message.into()])
    });
    sync.event(ObjectRef::to(&*failed.object), EventType::Warning, reason, message);
    Ok(failed)
}

/// Removes the claimRef if the controller wrote it. Otherwise removes only the uid of the claimRef. Then sets the phase
/// to Available. Upstream: `unbindVolume`, 1.36.
///
/// # Errors
/// Returns an error if the API server refuses the write.
pub fn unbind_volume<'s>(sync: &mut SyncContext<'_, 's>, mut volume: Volume<'s>) -> Result<(), ApiError> {
    sync.logs_claimed(&messages::UNBINDING, &volume.object);
    let mut changed = (*volume.object).clone();
    let step = if changed.meta.annotations.has(AnnotationKey::BoundByController) {
        changed.claim_ref = None;
        changed.meta.annotations.remove(AnnotationKey::BoundByController);
        UnbindStep::UnbindControllerBound
    } else {
        if let Some(claim_ref) = &mut changed.claim_ref {
            claim_ref.uid = Str::default();
        }
        UnbindStep::UnbindUserBound
    };
    let result = match sync.update(volume.id, changed) {
        Ok(stored) => {
            sync.logs_stored(&*stored, true);
            volume.object = stored;
            sync.logs_volume(&messages::UNBOUND, &volume.object);
            update_volume_phase(sync, volume, &VolumePhase::Available, "")
        }
        Err(error) => {
            sync.log(|| messages::UNBIND_FAILED.entry([volume_name(&volume.object), text(&error)]));
            Err(error)
        }
    };
    match result {
        Ok(_) => {
            sync.step(step.into());
            Ok(())
        }
        Err(error) => {
            sync.step(UnbindStep::UnbindFailed.into());
            Err(error)
        }
    }
}
