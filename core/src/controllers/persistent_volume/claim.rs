//! The sync of a claim.

use super::binding::{Claim, Volume, bind, clear_claim_status, is_volume_bound_to_claim, lose_claim};
use super::log::{claim_name, claim_status, reference, text, volume_name, volume_status};
use super::matching::{SelectedVolume, find_best_match_for_claim};
use super::messages;
use super::plugins::migrated_driver;
use super::provision::provision_claim;
use super::volume::migration_annotations;
use crate::controllers::{CandidateVerdict, ClaimBranch, KubernetesBehavior, SyncContext};
pub use crate::model::newest_default;
use crate::model::{
    AnnotationKey, BindingMode, ClaimPhase, ClaimRef, PersistentVolume, PersistentVolumeClaim, StorageClass, Str,
};
use crate::snapshot::{ClaimId, printed};
use crate::world::{ApiError, Compared, ComparisonStep, EventType, ObjectRef, RecordedEvent};

/// Syncs a claim that exists. Neither the deletion timestamp nor the phase of the claim decides which branch the sync
/// takes. Upstream: `syncClaim`, 1.36.
pub fn sync_claim(sync: &mut SyncContext<'_, '_>, behavior: &KubernetesBehavior, id: ClaimId) -> Option<ClaimBranch> {
    let object = sync.cached(id)?;
    sync.log(|| messages::CLAIM.entry([claim_name(&object), claim_status(&object)]));
    let branch = sync_existing_claim(sync, behavior, Claim { id, object: object.clone() });
    sync.logs_claim_end(&object);
    Some(branch)
}

fn sync_existing_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: Claim<'s>,
) -> ClaimBranch {
    let claim = match update_migration_annotations(sync, behavior, claim) {
        Ok(claim) => claim,
        Err(error) => {
            sync.fail(format!("persistent Volume Controller can't anneal migration annotations: {error}"));
            return ClaimBranch::ClaimMigrationUpdateFailed;
        }
    };
    let bound = claim.object.meta.annotations.has(AnnotationKey::BindCompleted);
    sync.test(|| ComparisonStep {
        question: "the binding was completed before",
        left: Compared {
            object: object_name(&claim.object),
            field: "metadata.annotations[pv.kubernetes.io/bind-completed]",
            value: claim.object.meta.annotations.get(AnnotationKey::BindCompleted).unwrap_or("<unset>").to_owned(),
        },
        right: None,
        holds: bound,
    });
    if bound {
        sync_bound_claim(sync, behavior, claim)
    } else if claim.object.volume_name.is_empty() {
        sync_unbound_claim(sync, behavior, claim)
    } else {
        sync_claim_with_volume_name(sync, behavior, claim)
    }
}

/// Corrects the migration annotation of a claim. Upstream: `updateClaimMigrationAnnotations`, 1.36.
fn update_migration_annotations<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    mut claim: Claim<'s>,
) -> Result<Claim<'s>, ApiError> {
    let annotations = &claim.object.meta.annotations;
    let provisioner = annotations
        .get(AnnotationKey::StorageProvisioner)
        .or_else(|| annotations.get(AnnotationKey::BetaStorageProvisioner));
    let Some(provisioner) = provisioner else { return Ok(claim) };
    if let Some(annotations) = migration_annotations(annotations, migrated_driver(behavior, provisioner)) {
        let mut changed = (*claim.object).clone();
        changed.meta.annotations = annotations;
        claim.object = sync.update(claim.id, changed)?;
        sync.logs_stored(&*claim.object, true);
    }
    Ok(claim)
}

/// Syncs an unbound claim that names no volume. Upstream: `syncUnboundClaim`, first half, 1.36.
fn sync_unbound_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: Claim<'s>,
) -> ClaimBranch {
    let delay = match is_delay_binding_mode(sync, behavior, &claim.object) {
        Ok(delay) => delay,
        Err(error) => {
            sync.fail(error);
            return ClaimBranch::UnboundClaimBindingModeUnset;
        }
    };
    match find_best_match_for_claim(sync, behavior, &claim.object, delay) {
        Err(error) => {
            sync.log(|| messages::MATCH_FAILED.entry([claim_name(&claim.object), text(&error)]));
            sync.fail(format!("error finding PV for claim \"{}\": {error}", claim.object.key()));
            return ClaimBranch::UnboundClaimMatchFailed;
        }
        Ok(Some(SelectedVolume { volume, reserved })) => {
            let verdict =
                if reserved { CandidateVerdict::CandidateReserved } else { CandidateVerdict::CandidateChosen };
            sync.step(verdict.into());
            sync.log(|| {
                messages::MATCH.entry([
                    claim_name(&claim.object),
                    volume_name(&volume.object),
                    volume_status(&volume.object),
                ])
            });
            bind(sync, behavior, volume, claim);
            return ClaimBranch::UnboundClaimVolumeFound;
        }
        Ok(None) => {}
    }
    sync.logs_claim(&messages::NO_MATCH, &claim.object);
    sync.logs_claim(&messages::ASSIGNING, &claim.object);
    match assign_default_storage_class(sync, behavior, &claim) {
        Ok(false) => {}
        Ok(true) => {
            sync.logs_claim(&messages::ASSIGNED_RESTART, &claim.object);
            return ClaimBranch::UnboundClaimDefaultClassAssigned;
        }
        Err(error) => {
            sync.fail(format!("can't update PersistentVolumeClaim[\"{}\"]: {error}", claim.object.key()));
            return ClaimBranch::UnboundClaimDefaultClassFailed;
        }
    }
    let selected = claim.object.meta.annotations.has(AnnotationKey::SelectedNode);
    let branch = if delay && !selected {
        emit_event_for_unbound_delay_binding_claim(sync, &claim.object)
    } else if !claim.object.class().is_empty() {
        return provision_claim(sync, behavior, claim);
    } else {
        sync.event(
            ObjectRef::to(&*claim.object),
            EventType::Normal,
            "FailedBinding",
            "no persistent volumes available for this claim and no storage class is set",
        );
        // A class can be added to a claim only if its `storageClassName` was never set.
        let action = if claim.object.has_class() {
            "create a PersistentVolume that fits, or recreate the claim with a class"
        } else {
            "create a PersistentVolume that fits, set the claim's storageClassName, or make a class the default class"
        };
        sync.wait_for("user", "", action);
        ClaimBranch::UnboundClaimNoVolumeNoClass
    };
    set_pending(sync, behavior, &claim);
    branch
}

fn set_pending<'s>(sync: &mut SyncContext<'_, 's>, behavior: &KubernetesBehavior, claim: &Claim<'s>) {
    let pending = clear_claim_status(sync, behavior, claim, &ClaimPhase::Pending).err();
    if let Some(error) = pending {
        sync.fail(error.to_string());
    }
}

/// Returns whether the class delays binding until a pod uses the claim. A class that does not exist does not delay.
/// Upstream: `IsDelayBindingMode`, component-helpers, 1.36. `IsDelayBinding` of 1.14 returned false as soon as a node
/// was selected.
fn is_delay_binding_mode(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
) -> Result<bool, String> {
    if claim.class().is_empty() {
        return Ok(false);
    }
    if behavior.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode) {
        return Ok(false);
    }
    let Some(class) = sync.class(claim.class()).map_err(|error| error.to_string())? else { return Ok(false) };
    let Some(mode) = &class.binding_mode else {
        return Err(format!("VolumeBindingMode not set for StorageClass {:?}", claim.class()));
    };
    let delay = *mode == BindingMode::WaitForFirstConsumer;
    sync.test(|| ComparisonStep {
        question: "the class delays binding until a pod uses the claim",
        left: Compared {
            object: format!("sc/{}", class.meta.name),
            field: "volumeBindingMode",
            value: mode.as_str().to_owned(),
        },
        right: None,
        holds: delay,
    });
    Ok(delay)
}

/// Assigns the default class to a claim that has no class at all, and returns whether it did. Before 1.30, the
/// controller also tried this for a claim whose class is empty, and the API server refused the write. Upstream:
/// `assignDefaultStorageClass`, 1.36.
fn assign_default_storage_class(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    claim: &Claim<'_>,
) -> Result<bool, ApiError> {
    let has_class = if behavior.default_class_for_empty_class {
        !claim.object.class().is_empty()
    } else {
        claim.object.has_class()
    };
    if has_class {
        return Ok(false);
    }
    let Some(default) = default_class(sync)? else {
        sync.logs_claim(&messages::NO_DEFAULT_CLASS, &claim.object);
        return Ok(false);
    };
    sync.log(|| messages::CLASS_ASSIGNING.entry([claim_name(&claim.object), text(&default)]));
    if claim.object.has_class() {
        return Err(ApiError::Invalid(format!(
            "PersistentVolumeClaim \"{}\" is invalid: spec: Forbidden: spec is immutable after creation except \
             resources.requests and volumeAttributesClassName for bound claims",
            claim.object.meta.name
        )));
    }
    let mut changed = (*claim.object).clone();
    changed.class_name = Some(default.clone());
    sync.update(claim.id, changed)?;
    sync.log(|| messages::CLASS_ASSIGNED.entry([claim_name(&claim.object), text(&default)]));
    Ok(true)
}

fn default_class(sync: &mut SyncContext<'_, '_>) -> Result<Option<Str>, ApiError> {
    let classes = sync.lister_list::<StorageClass>()?;
    Ok(newest_default(classes.iter().map(|class| &**class)).map(|class| class.meta.name.clone()))
}

/// Emits the event of a claim whose binding is delayed. Upstream: `emitEventForUnboundDelayBindingClaim`, 1.36.
fn emit_event_for_unbound_delay_binding_claim(
    sync: &mut SyncContext<'_, '_>,
    claim: &PersistentVolumeClaim,
) -> ClaimBranch {
    let (mut pods, mut placed): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let users = sync.pods_of(&claim.meta.namespace, &claim.meta.name);
    for pod in users.iter().filter(|pod| !pod.terminated()) {
        let unscheduled = pod.node_name.is_empty();
        if unscheduled { &mut pods } else { &mut placed }.push(&pod.meta.name);
    }
    pods.sort_unstable();
    placed.sort_unstable();
    let (branch, reason, message) = match pods.as_slice() {
        [] => (
            ClaimBranch::UnboundClaimWaitForFirstConsumer,
            "WaitForFirstConsumer",
            "waiting for first consumer to be created before binding".to_owned(),
        ),
        [pod] => (
            ClaimBranch::UnboundClaimWaitForPodScheduled,
            "WaitForPodScheduled",
            format!("waiting for pod {pod} to be scheduled"),
        ),
        several => (
            ClaimBranch::UnboundClaimWaitForPodScheduled,
            "WaitForPodScheduled",
            format!("waiting for pods {} to be scheduled", several.join(",")),
        ),
    };
    if !pods.is_empty() {
        sync.wait_for("scheduler", pods.join(","), "choose a node for the pod; the claim is bound after that");
    } else if placed.is_empty() {
        sync.wait_for("user", "", "create a pod that uses the claim; the claim is bound after that");
    } else {
        // Only the scheduler writes the annotation of the selected node. It does not handle pods that have
        // spec.nodeName.
        let pods = placed.join(",");
        let action = format!("recreate pod {pods} without spec.nodeName, so that the scheduler chooses its node");
        sync.wait_for("user", pods, action);
    }
    sync.say(RecordedEvent {
        event_type: EventType::Normal,
        reason,
        message,
        message_varies: pods.len() > 1,
        about: ObjectRef::to(claim),
    });
    branch
}

/// Syncs an unbound claim that names a volume. Upstream: `syncUnboundClaim`, second half, 1.36.
fn sync_claim_with_volume_name<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: Claim<'s>,
) -> ClaimBranch {
    let wanted = claim.object.volume_name.clone();
    sync.log(|| messages::REQUESTED.entry([claim_name(&claim.object), text(&wanted)]));
    let Some((id, volume)) = sync.cached_named::<PersistentVolume>("", &wanted) else {
        sync.log(|| messages::REQUESTED_MISSING.entry([claim_name(&claim.object), text(&wanted)]));
        sync.wait_for("user", wanted.as_str(), "create the PersistentVolume that the claim names");
        set_pending(sync, behavior, &claim);
        return ClaimBranch::UnboundClaimVolumeNameMissing;
    };
    let volume = Volume { id, object: volume };
    sync.log(|| {
        messages::REQUESTED_FOUND.entry([claim_name(&claim.object), text(&wanted), volume_status(&volume.object)])
    });
    if volume.object.claim_ref.is_none() {
        sync.logs_claim(&messages::REQUESTED_FREE, &claim.object);
        return match check_volume_satisfy_claim(behavior, &volume.object, &claim.object) {
            Ok(()) => {
                bind(sync, behavior, volume, claim);
                ClaimBranch::UnboundClaimNamedVolumeFree
            }
            Err((branch, why)) => {
                sync.log(|| messages::REQUESTED_UNFIT.entry([volume_name(&volume.object), text(&why)]));
                let message = format!("Cannot bind to requested volume {:?}: {why}", wanted.as_str());
                sync.event(ObjectRef::to(&*claim.object), EventType::Warning, "VolumeMismatch", message);
                sync.wait_for("user", wanted.as_str(), "make volume and claim fit each other, or recreate the claim");
                set_pending(sync, behavior, &claim);
                branch
            }
        };
    }
    if is_volume_bound_to_claim(&volume.object, &claim.object) {
        sync.logs_claim(&messages::REQUESTED_RESERVED, &claim.object);
        bind(sync, behavior, volume, claim);
        return ClaimBranch::UnboundClaimNamedVolumeReserved;
    }
    let named = volume.object.claim_ref.clone().unwrap_or_default();
    let holder = named.claim_key().to_string();
    let by_controller = claim.object.meta.annotations.has(AnnotationKey::BoundByController);
    sync.log(|| {
        if by_controller {
            let holder = reference(&named.namespace, &named.name);
            messages::REQUESTED_TAKEN_BY_CONTROLLER.entry([claim_name(&claim.object), holder])
        } else {
            messages::REQUESTED_TAKEN.entry([claim_name(&claim.object)])
        }
    });
    sync.event(
        ObjectRef::to(&*claim.object),
        EventType::Warning,
        "FailedBinding",
        format!("volume {:?} already bound to a different claim.", wanted.as_str()),
    );
    sync.wait_for("user", wanted.as_str(), ways_to_volume(&wanted, &named, &claim.object));
    if by_controller {
        sync.fail(format!(
            "invalid binding of claim \"{}\" to volume {:?}: volume already claimed by {holder:?}",
            claim.object.key(),
            wanted.as_str()
        ));
        return ClaimBranch::UnboundClaimNamedVolumeTakenByController;
    }
    set_pending(sync, behavior, &claim);
    ClaimBranch::UnboundClaimNamedVolumeTaken
}

/// Returns what a person can do for a claim if the claimRef of its volume names another claim, or this claim with
/// another uid.
fn ways_to_volume(volume: &str, named: &ClaimRef, claim: &PersistentVolumeClaim) -> String {
    let meta = &claim.meta;
    match (named.namespace.as_str(), named.name.as_str()) {
        (namespace, name) if namespace == meta.namespace && name == meta.name => format!(
            "remove spec.claimRef.uid of {volume} (the uid of an earlier claim of this name), or recreate the claim \
             with another volume"
        ),
        ("", name) if name == meta.name && (named.uid.is_empty() || named.uid == meta.uid) => {
            format!(
                "set spec.claimRef.namespace of {volume} to {}, or recreate the claim with another volume",
                meta.namespace
            )
        }
        ("", _) | (_, "") => format!(
            "remove spec.claimRef of {volume} (it names no claim that can exist), or recreate the claim with another \
             volume"
        ),
        _ => format!(
            "recreate the claim with another volume, or free volume {volume} if claim {} no longer needs it",
            named.claim_key()
        ),
    }
}

/// Tests whether a free volume that the claim names satisfies the claim. Only the first failed test is reported.
/// Upstream: `checkVolumeSatisfyClaim`, 1.36.
///
/// # Errors
/// Returns the branch and upstream's words for the first test that fails.
pub fn check_volume_satisfy_claim(
    behavior: &KubernetesBehavior,
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
) -> Result<(), (ClaimBranch, String)> {
    let fails = |branch, why: &str| Err((branch, why.to_owned()));
    if volume.terminating() {
        let why = format!("the volume is marked for deletion {:?}", volume.meta.name.as_str());
        return Err((ClaimBranch::UnboundClaimVolumeMismatchDeleting, why));
    }
    let requested = claim.requested().map_or(0, |request| request.value());
    if volume.storage().map_or(0, crate::model::quantity::Quantity::value) < requested {
        return fails(ClaimBranch::UnboundClaimVolumeMismatchTooSmall, "requested PV is too small");
    }
    if volume.class() != claim.class() {
        return fails(ClaimBranch::UnboundClaimVolumeMismatchClass, "storageClassName does not match");
    }
    if behavior.attributes_class_compared {
        if behavior.attributes_class {
            if volume.attributes_class() != claim.attributes_class() {
                return fails(
                    ClaimBranch::UnboundClaimVolumeMismatchAttributesClass,
                    "volumeAttributesClassName does not match",
                );
            }
        } else if !volume.attributes_class().is_empty() || !claim.attributes_class().is_empty() {
            return fails(
                ClaimBranch::UnboundClaimVolumeMismatchAttributesClassUnsupported,
                "volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is disabled",
            );
        }
    }
    if volume.mode() != claim.mode() {
        return fails(ClaimBranch::UnboundClaimVolumeMismatchMode, "incompatible volumeMode");
    }
    if !volume.access_modes.contains_all(&claim.access_modes) {
        return fails(ClaimBranch::UnboundClaimVolumeMismatchAccessMode, "incompatible accessMode");
    }
    Ok(())
}

/// Syncs a claim whose binding was completed. Upstream: `syncBoundClaim`, 1.36.
fn sync_bound_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    claim: Claim<'s>,
) -> ClaimBranch {
    let name = claim.object.volume_name.clone();
    if name.is_empty() {
        let action = name_volume_again(sync, &claim.object);
        sync.wait_for("user", "", action);
        lose_claim(
            sync,
            behavior,
            &claim,
            "ClaimLost",
            "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
        );
        return ClaimBranch::BoundClaimVolumeNameCleared;
    }
    let Some((id, volume)) = sync.cached_named::<PersistentVolume>("", &name) else {
        // A claimRef without the uid also makes the claim Lost.
        sync.wait_for(
            "user",
            name.as_str(),
            "create the PersistentVolume again, without a claimRef or with one that has this claim's uid",
        );
        lose_claim(
            sync,
            behavior,
            &claim,
            "ClaimLost",
            "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
        );
        return ClaimBranch::BoundClaimVolumeMissing;
    };
    sync.log(|| messages::BOUND.entry([claim_name(&claim.object), text(&name), volume_status(&volume)]));
    let branch = match &volume.claim_ref {
        None => ClaimBranch::BoundClaimVolumeUnbound,
        Some(named) if named.uid == claim.object.meta.uid => ClaimBranch::BoundClaimVolumeOurs,
        Some(_) => ClaimBranch::BoundClaimMisbound,
    };
    sync.test(|| ComparisonStep {
        question: "the volume's claimRef has the claim's uid",
        left: Compared {
            object: format!("pv/{name}"),
            field: "spec.claimRef.uid",
            value: volume.claim_ref.as_ref().map_or("<unset>", |named| printed(&named.uid)).to_owned(),
        },
        right: Some(Compared {
            object: object_name(&claim.object),
            field: "metadata.uid",
            value: printed(&claim.object.meta.uid).to_owned(),
        }),
        holds: branch == ClaimBranch::BoundClaimVolumeOurs,
    });
    if branch == ClaimBranch::BoundClaimMisbound {
        let action = take_volume_back(&name, volume.claim_ref.as_ref(), &claim.object);
        sync.wait_for("user", name.as_str(), action);
        lose_claim(
            sync,
            behavior,
            &claim,
            "ClaimMisbound",
            "Two claims are bound to the same volume, this one is bound incorrectly",
        );
    } else {
        let is_ours = branch == ClaimBranch::BoundClaimVolumeOurs;
        let message = if is_ours { &messages::BOUND_OURS } else { &messages::BOUND_FIXING };
        sync.logs_claim(message, &claim.object);
        bind(sync, behavior, Volume { id, object: volume }, claim);
    }
    branch
}

/// Returns how to repair a bound claim whose `spec.volumeName` was cleared. The API server accepts a `volumeName` if
/// the field is empty. The volume must have no claimRef, or one with this claim's uid.
fn name_volume_again(sync: &SyncContext<'_, '_>, claim: &PersistentVolumeClaim) -> String {
    let snapshot = sync.world().snapshot();
    let mut volumes = snapshot
        .volumes_naming(&claim.meta.namespace, &claim.meta.name)
        .iter()
        .map(|id| snapshot.volume(*id))
        .filter(|volume| volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid));
    match (volumes.next(), volumes.next()) {
        (Some(volume), None) => format!("set spec.volumeName of the claim back to {}", volume.meta.name),
        _ => {
            "set spec.volumeName of the claim back to its volume, which must have no claimRef or one with this claim's \
              uid"
            .to_owned()
        }
    }
}

/// Returns how to repair a claim if the claimRef of its volume names another claim, or this claim with another uid.
fn take_volume_back(volume: &str, named: Option<&ClaimRef>, claim: &PersistentVolumeClaim) -> String {
    let uid = printed(&claim.meta.uid);
    match named {
        Some(named) if named.name != claim.meta.name || named.namespace != claim.meta.namespace => format!(
            "recreate the claim with another volume, or set spec.claimRef of {volume} to {} with uid {uid} if claim {} no \
             longer needs it",
            claim.key(),
            named.claim_key()
        ),
        _ => format!("set spec.claimRef.uid of {volume} to {uid}, the uid of this claim"),
    }
}

pub(super) fn object_name(claim: &PersistentVolumeClaim) -> String {
    format!("pvc/{}", claim.meta.name)
}
