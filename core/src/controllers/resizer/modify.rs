//! The modify controller. Upstream: `pkg/modifycontroller` and `pkg/modifier`, v2.3.0.

use super::decision::{
    Act, Change, ClaimPatch, ConditionChange, ModifyRequest, Names, NewCondition, NotEvaluated, VolumePatch,
};
use super::input::{Driver, ModifyMemory};
use super::leaves::ModifyBranch;
use super::work::{End, Work, key};
use super::{Resizer, is_final};
use crate::controllers::csi_sidecar::{RETRY_MAX, answered};
use crate::controllers::provisioner::{DriverError, GrpcCode};
use crate::model::surroundings::Condition;
use crate::model::{
    AnnotationKey, ClaimPhase, ModifyVolume, PersistentVolume, PersistentVolumeClaim, SourceKind, Str, Timestamp,
    VolumeAttributesClass,
};

const MODIFYING: &str = "ModifyingVolume";
pub(super) const MODIFY_ERROR: &str = "ModifyVolumeError";

pub(super) const PENDING: &str = "Pending";
pub(super) const IN_PROGRESS: &str = "InProgress";
pub(super) const INFEASIBLE: &str = "Infeasible";

/// The reason of the events about a modification that failed.
const MODIFY_FAILED: &str = "VolumeModifyFailed";

/// The end of a call without a modified volume.
enum Stop {
    /// An error before the call.
    Failed(ModifyBranch, String),
    /// An error of the driver.
    Refused(DriverError),
    /// The answer of the driver is not known.
    Asked,
}

/// A claim whose volume is modified, as the sync has changed it so far.
struct Modified<'s, 'c> {
    claim: &'c PersistentVolumeClaim,
    volume: &'s PersistentVolume,
    /// The name of the class to which the volume is modified.
    class: Str,
    /// The target that the status of the claim names.
    target: Str,
    /// The conditions that this sync has written.
    written: Vec<NewCondition>,
}

impl<'s> Resizer<'s> {
    pub(super) fn modify(
        &self,
        work: &mut Work<'_, 's>,
        claim: &PersistentVolumeClaim,
        memory: &mut ModifyMemory,
        driver: &Driver,
    ) -> End<ModifyBranch> {
        if !self.sidecar.modifies {
            return End::Done(ModifyBranch::ModifyNotOffered);
        }
        let name = &claim.volume_name;
        if name.is_empty() {
            return End::Done(ModifyBranch::ModifyUnbound);
        }
        let Some(volume) = work.reads.find::<PersistentVolume>("", name) else {
            let key = key(claim);
            let error = format!(
                "Get PV \"{name}\" of pvc \"{key}\" in PVInformer cache failed: persistentvolume \"{name}\" not found"
            );
            return End::Failed(ModifyBranch::ModifyVolumeMissing, error);
        };
        if volume.source.kind != SourceKind::Csi || volume.source.detail != self.sidecar.driver {
            return End::Done(ModifyBranch::ModifyOfOtherDriver);
        }
        if claim.status.phase != ClaimPhase::Bound {
            return End::Done(ModifyBranch::ModifyClaimNotBound);
        }
        let status = claim.details.as_ref().and_then(|details| details.modify.as_ref());
        if let Some(error) = delay(work, claim, status, memory) {
            return End::Failed(ModifyBranch::ModifyDelayed, error);
        }
        let wanted = claim.attributes_class();
        let current = claim.status.current_attributes_class.as_deref().unwrap_or_default();
        if status.is_none() && wanted == current {
            return End::Done(ModifyBranch::ModifyNotWanted);
        }
        match status.filter(|status| status.status == IN_PROGRESS) {
            None if wanted.is_empty() => cancel(work, claim),
            // The modification that may go on is ended first, even if the claim names another class by now.
            Some(going_on) if memory.uncertain || wanted.is_empty() => {
                if let Err(error) = class(work, &going_on.target) {
                    return End::Failed(ModifyBranch::ModifyTargetMissing, error);
                }
                let (class, target) = (going_on.target.clone(), going_on.target.clone());
                let modified = Modified { claim, volume, class, target, written: Vec::new() };
                self.modify_with(work, modified, memory, driver)
            }
            _ => {
                let target = status.map(|status| status.target.clone()).unwrap_or_default();
                let modified = Modified { claim, volume, class: wanted.into(), target, written: Vec::new() };
                self.begin(work, modified, memory, driver)
            }
        }
    }

    /// Begins a modification. Upstream: `validateVACAndModifyVolumeWithTarget`, v2.3.0.
    fn begin(
        &self,
        work: &mut Work<'_, 's>,
        mut modified: Modified<'s, '_>,
        memory: &mut ModifyMemory,
        driver: &Driver,
    ) -> End<ModifyBranch> {
        let (claim, wanted) = (modified.claim, modified.class.clone());
        if class(work, &wanted).is_err() {
            let modify = Change::Set(ModifyVolume { target: modified.target, status: PENDING.into() });
            let patch = ClaimPatch { checks_version: true, modify, ..ClaimPatch::default() };
            return match work.patch_claim(claim, patch) {
                Ok(()) => End::Done(ModifyBranch::ModifyClassMissing),
                Err(text) => End::Failed(ModifyBranch::ModifyPendingNotStored, not_marked(claim, &text)),
            };
        }
        modified.target.clone_from(&wanted);
        let message = format!("Modifying volume to \"{wanted}\" is in progress.");
        let conditions = vec![modified.condition(MODIFYING, "", message, work.moment())];
        if let Err(text) = modified.mark(work, IN_PROGRESS, conditions) {
            return End::Failed(ModifyBranch::ModifyMarkFailed, not_marked(claim, &text));
        }
        let name = &claim.meta.name;
        work.note(false, "VolumeModify", format!("external resizer is modifying volume {name} with vac {wanted}"));
        self.modify_with(work, modified, memory, driver)
    }

    /// Modifies the volume. Upstream: `controllerModifyVolumeWithTarget` and `callModifyVolumeOnPlugin`, v2.3.0.
    fn modify_with(
        &self,
        work: &mut Work<'_, 's>,
        modified: Modified<'s, '_>,
        memory: &mut ModifyMemory,
        driver: &Driver,
    ) -> End<ModifyBranch> {
        // Upstream looks for a gRPC code in every error.
        let without_code =
            |leaf, error: String| End::Failed(leaf, format!("cannot get error status from modify volume err: {error}"));
        let name = &modified.claim.meta.name;
        match self.call(work, &modified, driver) {
            Ok(()) => match complete(work, &modified) {
                Ok(()) => {
                    let class = &modified.class;
                    let message = format!("external resizer modified volume {name} with vac {class} successfully");
                    work.note(false, "VolumeModifySuccessful", message);
                    End::Done(ModifyBranch::ModifyFinished)
                }
                Err((leaf, error)) => without_code(
                    leaf,
                    format!("modify volume failed to mark pvc {name} modify volume completed: {error} "),
                ),
            },
            Err(Stop::Failed(leaf, error)) => without_code(leaf, error),
            Err(Stop::Refused(error)) => refused(work, modified, &error, memory),
            Err(Stop::Asked) => End::Asked(ModifyBranch::ModifyRequested),
        }
    }

    /// Asks the driver. Upstream: `Modify` of `csiModifier`, v2.3.0.
    fn call(&self, work: &mut Work<'_, 's>, modified: &Modified<'s, '_>, driver: &Driver) -> Result<(), Stop> {
        let Modified { claim, volume, class, .. } = modified;
        let handle = volume.source.handle.clone();
        if handle.is_empty() {
            return Err(Stop::Failed(ModifyBranch::ModifyHandleMissing, "empty volume handle".to_owned()));
        }
        let secret = self.modify_secret(work, volume);
        work.credentials(&self.unkept, secret.as_ref())
            .map_err(|error| Stop::Failed(ModifyBranch::ModifySecretMissing, error))?;
        let names = self.sidecar.extra_metadata.then(|| Names {
            namespace: claim.meta.namespace.clone(),
            claim: claim.meta.name.clone(),
            volume: volume.meta.name.clone(),
        });
        let class = class.clone();
        work.call(Act::Modify(Box::new(ModifyRequest { handle, class, names, secret })));
        let Some(answer) = &driver.modify else { return Err(Stop::Asked) };
        let (took, answer) = answered(driver.latency, answer, self.sidecar.modify_timeout);
        work.at = work.at.saturating_add(took);
        answer.map_err(Stop::Refused)
    }

    /// Returns the Secret for the call: the one that the annotations of the volume name, or else the one for
    /// expansions. Upstream: `getModifyCredentials`, v2.3.0.
    fn modify_secret(&self, work: &mut Work<'_, 's>, volume: &PersistentVolume) -> Option<(Str, Str)> {
        let stated = |key| volume.meta.annotations.get(key).filter(|value| !value.is_empty());
        let name = stated(AnnotationKey::ModifySecretName);
        if let (Some(name), Some(namespace)) = (name, stated(AnnotationKey::ModifySecretNamespace)) {
            return Some((namespace.into(), name.into()));
        }
        let Some(details) = self.unkept.volumes.get(&volume.meta.name) else {
            work.not_evaluated.insert(NotEvaluated::Details);
            return None;
        };
        details.secret.clone()
    }
}

impl Modified<'_, '_> {
    /// Returns a condition that is written now. Its time stays if neither its status nor its reason changes. Upstream:
    /// `MergePVCConditions`, v2.3.0.
    fn condition(&self, kind: &'static str, reason: &str, message: String, now: Timestamp) -> NewCondition {
        let before = self.written.iter().find(|written| written.kind == kind);
        let before = before.map(|written| (written.reason == reason, written.since)).or_else(|| {
            let stored: &Condition = self.claim.condition(kind)?;
            Some((stored.reason == reason && stored.status == "True", stored.since))
        });
        let since = match before {
            Some((true, since)) => since,
            _ => Some(now),
        };
        NewCondition { kind, reason: reason.into(), message, since, probed: Some(now) }
    }

    /// Stores the status of the modification in the claim. Upstream: `markControllerModifyVolumeStatus`, v2.3.0.
    fn mark(
        &mut self,
        work: &mut Work<'_, '_>,
        status: &'static str,
        conditions: Vec<NewCondition>,
    ) -> Result<(), String> {
        let patch = ClaimPatch {
            checks_version: true,
            conditions: conditions.iter().cloned().map(ConditionChange::Set).collect(),
            modify: Change::Set(ModifyVolume { target: self.target.clone(), status: status.into() }),
            ..ClaimPatch::default()
        };
        self.written = conditions;
        work.patch_claim(self.claim, patch)
    }
}

/// Returns the error of a sync that tries a class too early which the driver has refused. Upstream:
/// `delayModificationIfRecentlyInfeasible`, v2.3.0.
fn delay(
    work: &Work<'_, '_>,
    claim: &PersistentVolumeClaim,
    status: Option<&ModifyVolume>,
    memory: &mut ModifyMemory,
) -> Option<String> {
    let Some(tried) = status.filter(|status| claim.attributes_class.as_ref() == Some(&status.target)) else {
        memory.slow_until = None;
        return None;
    };
    let is_slow = memory.slow_until.is_some();
    if tried.status == INFEASIBLE {
        memory.slow_until.get_or_insert(work.at.saturating_add(RETRY_MAX));
    }
    is_slow.then(|| {
        let key = key(claim);
        format!(
            "skipping volume modification for pvc {key}, because modification previously failed with infeasible error"
        )
    })
}

/// Ends a modification that the claim does not ask for any more. Upstream: `rolledBack`, v2.3.0.
fn cancel(work: &mut Work<'_, '_>, claim: &PersistentVolumeClaim) -> End<ModifyBranch> {
    if claim.condition(MODIFYING).is_none() {
        return End::Done(ModifyBranch::ModifyStaysAsItIs);
    }
    work.note(false, "VolumeModifyCanceled", "Cancelled modify.");
    let conditions = vec![ConditionChange::Removed(MODIFYING)];
    match work.patch_claim(claim, ClaimPatch { conditions, ..ClaimPatch::default() }) {
        Ok(()) => End::Done(ModifyBranch::ModifyCancelled),
        Err(text) => {
            let error = format!("mark PVC \"{}\" as rolled back failed: {text}", claim.meta.name);
            End::Failed(ModifyBranch::ModifyCancelNotStored, error)
        }
    }
}

/// Checks that a class exists. Upstream: `getTargetVAC`, v2.3.0.
fn class(work: &mut Work<'_, '_>, name: &str) -> Result<(), String> {
    if work.reads.find::<VolumeAttributesClass>("", name).is_some() {
        return Ok(());
    }
    work.note(true, MODIFY_FAILED, format!("VAC \"{name}\" does not exist."));
    Err(format!(
        "get VAC with vac name {name} in VACInformer cache failed: volumeattributesclass.storage.k8s.io \"{name}\" not \
         found"
    ))
}

fn not_marked(claim: &PersistentVolumeClaim, text: &str) -> String {
    format!("mark PVC \"{}\" as modify volume failed, errored with: {text}", claim.meta.name)
}

/// Stores the error of the driver in the claim.
fn refused(
    work: &mut Work<'_, '_>,
    mut modified: Modified<'_, '_>,
    error: &DriverError,
    memory: &mut ModifyMemory,
) -> End<ModifyBranch> {
    let (target, now) = (&modified.target, work.moment());
    memory.uncertain = !is_final(error);
    let mut told = error.to_string();
    let (leaf, status, message) = if memory.uncertain {
        told = format!("{told}. Still modifying to VAC {}", modified.class);
        let message = format!("Modifying volume to \"{target}\" is still in progress.");
        (ModifyBranch::ModifyUncertain, IN_PROGRESS, message)
    } else {
        let message = format!("Modifying volume to \"{target}\" failed. Waiting for retry.");
        match error.code {
            GrpcCode::InvalidArgument => (ModifyBranch::ModifyRefused, INFEASIBLE, message),
            _ => (ModifyBranch::ModifyFailed, IN_PROGRESS, message),
        }
    };
    let conditions = vec![
        modified.condition(MODIFYING, "", message, now),
        modified.condition(MODIFY_ERROR, error.code.as_str(), error.message.to_string(), now),
    ];
    if let Err(text) = modified.mark(work, status, conditions) {
        return End::Failed(ModifyBranch::ModifyErrorNotStored, not_marked(modified.claim, &text));
    }
    if status == INFEASIBLE {
        memory.slow_until.get_or_insert(work.at.saturating_add(RETRY_MAX));
    }
    work.note(true, MODIFY_FAILED, told);
    End::Failed(leaf, error.to_string())
}

/// Stores that the volume is modified. Upstream: `markControllerModifyVolumeCompleted`, v2.3.0.
fn complete(work: &mut Work<'_, '_>, modified: &Modified<'_, '_>) -> Result<(), (ModifyBranch, String)> {
    let (claim, volume, target) = (modified.claim, modified.volume, &modified.target);
    let name = &claim.meta.name;
    work.patch_volume(&volume.meta.name, VolumePatch::AttributesClass(target.clone())).map_err(|text| {
        let error = format!("update pv.Spec.VolumeAttributesClassName for PVC \"{name}\" failed, errored with: {text}");
        (ModifyBranch::ModifyVolumeNotStored, error)
    })?;
    let patch = ClaimPatch {
        conditions: [MODIFY_ERROR, MODIFYING].map(ConditionChange::Removed).into(),
        modify: Change::Removed,
        current_class: Some(target.clone()),
        ..ClaimPatch::default()
    };
    work.patch_claim(claim, patch).map_err(|text| {
        let error = format!("mark PVC \"{name}\" as ModifyVolumeCompleted failed, errored with: {text}");
        (ModifyBranch::ModifyEndNotStored, error)
    })
}
