//! The sync of a volume.

use super::binding::{Volume, unbind_volume, update_volume_phase};
use super::log::{claim_status, referred, volume_name, volume_status};
use super::messages;
use super::plugins::{IN_TREE_PREFIX, migrated_driver};
use super::reclaim::reclaim_volume;
use crate::controllers::{KubernetesBehavior, SyncContext, VolumeBranch};
use crate::model::{
    AnnotationKey, Annotations, ClaimRef, Held, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, Str,
    VolumePhase,
};
use crate::snapshot::{VolumeId, printed};
use crate::world::{ApiError, Compared, ComparisonStep, EventType, ObjectRef};
use std::sync::Arc;

/// kube-controller-manager puts this finalizer on volumes with policy Delete that its in-tree plugins provisioned. It
/// removes the finalizer after the plugin has deleted the storage, or when the policy becomes Retain or Recycle, or
/// when the plugin is migrated.
pub const IN_TREE_FINALIZER: &str = "kubernetes.io/pv-controller";

/// External provisioners add this finalizer to a volume, so that the object stays until they have deleted the storage.
pub const EXTERNAL_FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";

/// Syncs a volume that exists. Upstream: `syncVolume`, 1.36.
pub fn sync_volume(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    id: VolumeId,
) -> Option<VolumeBranch> {
    let object = sync.cached(id)?;
    sync.log(|| messages::VOLUME.entry([volume_name(&object), volume_status(&object)]));
    let volume = Volume { id, object: object.clone() };
    let branch = match update_migration_annotations_and_finalizers(sync, behavior, volume) {
        Ok(volume) => sync_after_migration(sync, behavior, volume),
        Err(error) => {
            sync.fail(format!("persistent Volume Controller can't anneal migration annotations or finalizer: {error}"));
            VolumeBranch::VolumeMigrationUpdateFailed
        }
    };
    sync.logs_volume_end(&object);
    Some(branch)
}

fn sync_after_migration<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    volume: Volume<'s>,
) -> VolumeBranch {
    let name = volume.object.meta.name.clone();
    sync.test(|| {
        comparison(
            "the volume has a claimRef",
            &volume.object,
            "spec.claimRef",
            claim_ref_text(&volume.object),
            volume.object.claim_ref.is_some(),
        )
    });
    let Some(claim_ref) = volume.object.claim_ref.clone() else {
        sync.logs_volume(&messages::UNUSED, &volume.object);
        set_phase(sync, volume, &VolumePhase::Available);
        return VolumeBranch::VolumeUnclaimed;
    };
    sync.test(|| {
        comparison(
            "the claimRef has a uid",
            &volume.object,
            "spec.claimRef.uid",
            claim_ref.uid.to_string(),
            !claim_ref.uid.is_empty(),
        )
    });
    if claim_ref.uid.is_empty() {
        record_reserved(sync, &name, &claim_ref);
        sync.logs_claimed(&messages::RESERVED, &volume.object);
        set_phase(sync, volume, &VolumePhase::Available);
        return VolumeBranch::VolumeReserved;
    }
    sync.logs_claimed(&messages::CLAIMED, &volume.object);
    let claim = match find_claim(sync, behavior, &volume.object) {
        Ok(claim) => claim,
        Err(error) => {
            sync.fail(error.to_string());
            return VolumeBranch::VolumeClaimLookupFailed;
        }
    };
    let claim = match claim {
        ClaimLookup::Ours(claim) => claim,
        ClaimLookup::Missing | ClaimLookup::Replaced => {
            let branch = if matches!(claim, ClaimLookup::Missing) {
                VolumeBranch::VolumeClaimMissing
            } else {
                VolumeBranch::VolumeClaimReplaced
            };
            sync.test(|| {
                comparison(
                    "the claim of that uid exists",
                    &volume.object,
                    "spec.claimRef.uid",
                    claim_ref.uid.to_string(),
                    false,
                )
            });
            release_and_reclaim(sync, behavior, volume, branch);
            return branch;
        }
    };
    sync.test(|| ComparisonStep {
        question: "the claim names this volume",
        left: Compared {
            object: format!("pvc/{} -n {}", claim.meta.name, claim.meta.namespace),
            field: "spec.volumeName",
            value: shown(&claim.volume_name),
        },
        right: Some(Compared { object: format!("pv/{name}"), field: "metadata.name", value: name.to_string() }),
        holds: claim.volume_name == name,
    });
    if claim.volume_name.is_empty() {
        return sync_waiting_volume(sync, &volume, &claim);
    }
    if claim.volume_name == name {
        sync.logs_volume(&messages::ALL_BOUND, &volume.object);
        set_phase(sync, volume, &VolumePhase::Bound);
        return VolumeBranch::VolumeBound;
    }
    let annotations = &volume.object.meta.annotations;
    if annotations.has(AnnotationKey::ProvisionedBy) && volume.object.reclaim_policy == ReclaimPolicy::Delete {
        release_and_reclaim(sync, behavior, volume, VolumeBranch::VolumeSurplusDynamic);
        return VolumeBranch::VolumeSurplusDynamic;
    }
    let branch = if annotations.has(AnnotationKey::BoundByController) {
        VolumeBranch::VolumeSurplusUnbindController
    } else {
        VolumeBranch::VolumeSurplusUnbindUser
    };
    let message = match branch {
        VolumeBranch::VolumeSurplusUnbindController => &messages::SURPLUS_CONTROLLER,
        _ => &messages::SURPLUS_USER,
    };
    sync.logs_volume(message, &volume.object);
    if let Err(error) = unbind_volume(sync, volume) {
        sync.fail(error.to_string());
    }
    branch
}

/// Records who has to act for a volume that is reserved by name without a uid. Upstream does not look the claim up
/// here. A claim that exists and is unbound takes the volume in its own sync, or reports there why it does not.
fn record_reserved(sync: &mut SyncContext<'_, '_>, volume: &str, named: &ClaimRef) {
    if named.namespace.is_empty() || named.name.is_empty() {
        let action = complete_claim_ref(sync, volume, named);
        return sync.wait_for("user", volume, action);
    }
    let claim = sync.world().find::<PersistentVolumeClaim>(&named.namespace, &named.name);
    let action = match claim.as_ref().map(|(_, claim)| claim) {
        None => "create the claim for which the volume is reserved",
        Some(claim) if claim.volume_name == volume && claim.meta.annotations.has(AnnotationKey::BindCompleted) => {
            "put the claim's uid into spec.claimRef.uid: a claim with the annotation bind-completed becomes Lost \
             if the claimRef has no uid"
        }
        Some(claim) if !claim.volume_name.is_empty() && claim.volume_name != volume => {
            "reserve the volume for another claim, or delete it if nobody needs its data: its claim names another volume"
        }
        Some(_) => return,
    };
    sync.wait_for("user", named.claim_key().to_string(), action);
}

/// Returns the sentence that says how to complete a claimRef without a name or a namespace. It proposes a claim if
/// exactly one claim names the volume and agrees with the fields that the claimRef has.
fn complete_claim_ref(sync: &SyncContext<'_, '_>, volume: &str, named: &ClaimRef) -> String {
    let snapshot = sync.world().snapshot();
    let same = |set: &str, other: &str| set.is_empty() || set == other;
    let mut meant = snapshot
        .claims_naming(volume)
        .iter()
        .map(|id| snapshot.claim(*id))
        .filter(|claim| same(&named.name, &claim.meta.name) && same(&named.namespace, &claim.meta.namespace));
    let lacking = match (named.namespace.is_empty(), named.name.is_empty()) {
        (true, true) => "spec.claimRef.namespace and spec.claimRef.name",
        (true, false) => "spec.claimRef.namespace",
        (false, _) => "spec.claimRef.name",
    };
    match (meant.next(), meant.next()) {
        (Some(claim), None) => {
            let value = match (named.namespace.is_empty(), named.name.is_empty()) {
                (true, true) => format!("{} and {}", claim.meta.namespace, claim.meta.name),
                (true, false) => claim.meta.namespace.to_string(),
                (false, _) => claim.meta.name.to_string(),
            };
            format!("set {lacking} to {value}; without it, the claimRef names no claim")
        }
        _ => format!("set {lacking}, or remove spec.claimRef if any claim may get the data"),
    }
}

fn set_phase<'s>(sync: &mut SyncContext<'_, 's>, volume: Volume<'s>, phase: &VolumePhase) {
    if let Err(error) = update_volume_phase(sync, volume, phase, "") {
        sync.fail(error.to_string());
    }
}

/// Handles a volume whose claim exists and does not name a volume yet.
fn sync_waiting_volume(
    sync: &mut SyncContext<'_, '_>,
    volume: &Volume<'_>,
    claim: &PersistentVolumeClaim,
) -> VolumeBranch {
    if claim.mode() != volume.object.mode() {
        let (volume_name, claim_name) = (volume.object.meta.name.as_str(), claim.meta.name.as_str());
        sync.event(
            ObjectRef::to(&*volume.object),
            EventType::Warning,
            "VolumeMismatch",
            format!(
                "Cannot bind PersistentVolume to requested PersistentVolumeClaim {claim_name:?} due to incompatible \
                 volumeMode."
            ),
        );
        sync.event(
            ObjectRef::to(claim),
            EventType::Warning,
            "VolumeMismatch",
            format!(
                "Cannot bind PersistentVolume {volume_name:?} to requested PersistentVolumeClaim due to incompatible \
                 volumeMode."
            ),
        );
        return VolumeBranch::VolumeClaimModeMismatch;
    }
    let (branch, message) = if volume.object.meta.annotations.has(AnnotationKey::BoundByController) {
        (VolumeBranch::VolumeAwaitsClaim, &messages::AWAITS_CLAIM)
    } else {
        (VolumeBranch::VolumeDanglingAwaitsClaim, &messages::DANGLING)
    };
    sync.logs_volume(message, &volume.object);
    sync.enqueue(ObjectRef::to(claim));
    branch
}

fn release_and_reclaim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    mut volume: Volume<'s>,
    branch: VolumeBranch,
) {
    let is_surplus = branch == VolumeBranch::VolumeSurplusDynamic;
    if !matches!(volume.object.status.phase, VolumePhase::Released | VolumePhase::Failed) {
        if is_surplus {
            sync.logs_volume(&messages::SURPLUS_DYNAMIC, &volume.object);
        } else {
            let policy = &volume.object.reclaim_policy;
            sync.log(|| messages::RELEASED.entry([volume_name(&volume.object), policy.as_str().into()]));
        }
        match update_volume_phase(sync, volume, &VolumePhase::Released, "") {
            Ok(released) => volume = released,
            Err(error) => return sync.fail(error.to_string()),
        }
    }
    let object = volume.object.clone();
    if let Err(error) = reclaim_volume(sync, behavior, volume) {
        return sync.fail(error.to_string());
    }
    if let Some(named) = object.claim_ref.as_ref().filter(|_| object.reclaim_policy == ReclaimPolicy::Retain)
        && !is_surplus
    {
        sync.log(|| {
            let uid = printed(&named.uid).into();
            messages::RETAINED.entry([referred(Some(named)), uid, volume_name(&object)])
        });
    }
}

/// The result of the look-up of a volume's claim.
enum ClaimLookup<'s> {
    /// The claim has the uid of the claimRef.
    Ours(Held<'s, PersistentVolumeClaim>),
    /// No claim has the name of the claimRef.
    Missing,
    /// The claim of this name has another uid.
    Replaced,
}

/// Looks up the claim of the claimRef. The controller's cache is read first. If the cache has no claim of this name,
/// and the volume is not Released or Failed, the informer and then the API server are asked. So a claim that is missing
/// only in the cache is not treated as gone. In 1.14, informer and API server are asked only if the controller itself
/// bound the volume. If the claim that was found has another uid, the API server is asked as well.
fn find_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    volume: &PersistentVolume,
) -> Result<ClaimLookup<'s>, ApiError> {
    let Some(claim_ref) = &volume.claim_ref else { return Ok(ClaimLookup::Missing) };
    let mut claim =
        sync.cached_named::<PersistentVolumeClaim>(&claim_ref.namespace, &claim_ref.name).map(|(_, claim)| claim);
    let is_released = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed);
    let asks_again =
        !behavior.recheck_only_bound_by_controller || volume.meta.annotations.has(AnnotationKey::BoundByController);
    if claim.is_none() && !is_released && asks_again {
        claim = sync.lister_get(&claim_ref.namespace, &claim_ref.name)?;
        if claim.is_none() {
            claim = live_claim(sync, behavior, claim_ref)?;
        }
    }
    let Some(mut claim) = claim else {
        sync.logs_claimed(&messages::CLAIM_MISSING, volume);
        return Ok(ClaimLookup::Missing);
    };
    sync.log(|| messages::CLAIM_FOUND.entry([referred(Some(claim_ref)), claim_status(&claim), volume_name(volume)]));
    if claim.meta.uid != claim_ref.uid {
        sync.log(|| messages::CLAIM_REREAD.entry([referred(Some(claim_ref))]));
        match live_claim(sync, behavior, claim_ref)? {
            Some(live) if live.meta.uid == claim_ref.uid => {
                sync.logs_claimed(&messages::CLAIM_SAME, volume);
                claim = live;
            }
            Some(_) | None => {
                sync.logs_claimed(&messages::CLAIM_REPLACED, volume);
                return Ok(ClaimLookup::Replaced);
            }
        }
    }
    Ok(ClaimLookup::Ours(claim))
}

/// Reads the claim of this name from the API server. An absent claim is not an error.
fn live_claim<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    named: &ClaimRef,
) -> Result<Option<Held<'s, PersistentVolumeClaim>>, ApiError> {
    match sync.live_get_in(&named.namespace, &named.name, behavior.without_namespace) {
        Ok((_, claim)) => Ok(Some(claim)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Corrects the migration annotation and the deletion finalizers of a volume. Upstream:
/// `updateVolumeMigrationAnnotationsAndFinalizers`, 1.36.
fn update_migration_annotations_and_finalizers<'s>(
    sync: &mut SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    mut volume: Volume<'s>,
) -> Result<Volume<'s>, ApiError> {
    let meta = &volume.object.meta;
    let Some(provisioner) = meta.annotations.get(AnnotationKey::ProvisionedBy) else { return Ok(volume) };
    let migrated = migrated_driver(behavior, provisioner);
    let annotations = migration_annotations(&meta.annotations, migrated);
    log_finalizers(sync, behavior, &volume.object, provisioner);
    let finalizers = deletion_finalizers(behavior, &volume.object, provisioner);
    if annotations.is_none() && finalizers.is_none() {
        return Ok(volume);
    }
    let mut changed = (*volume.object).clone();
    if let Some(annotations) = annotations {
        changed.meta.annotations = annotations;
    }
    if let Some(finalizers) = finalizers {
        changed.meta.finalizers = finalizers;
    }
    volume.object = sync.update(volume.id, changed)?;
    sync.logs_stored(&*volume.object, true);
    Ok(volume)
}

/// Logs which finalizers [`deletion_finalizers`] adds and removes. Upstream: `modifyDeletionFinalizers`, 1.36.
fn log_finalizers(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    volume: &PersistentVolume,
    provisioner: &str,
) {
    if !behavior.deletion_finalizers
        || migrated_driver(behavior, provisioner).is_some()
        || !provisioner.starts_with(IN_TREE_PREFIX)
    {
        return;
    }
    match (&volume.reclaim_policy, volume.meta.has_finalizer(IN_TREE_FINALIZER)) {
        (ReclaimPolicy::Delete, false) => sync.logs_volume(&messages::FINALIZER_ADDING, volume),
        (ReclaimPolicy::Retain | ReclaimPolicy::Recycle, true) => {
            sync.logs_volume(&messages::FINALIZER_REMOVING, volume);
        }
        _ => {}
    }
    if volume.meta.has_finalizer(EXTERNAL_FINALIZER) {
        sync.logs_volume(&messages::EXTERNAL_FINALIZER_REMOVING, volume);
    }
}

/// Returns the annotations with the correct CSI driver of a migrated plugin. Returns None if they are correct already.
/// Upstream: `updateMigrationAnnotations`, 1.36.
pub(super) fn migration_annotations(annotations: &Annotations, migrated: Option<&'static str>) -> Option<Annotations> {
    let recorded = annotations.get(AnnotationKey::MigratedTo).unwrap_or_default();
    if recorded == migrated.unwrap_or_default() {
        return None;
    }
    let mut changed = annotations.clone();
    match migrated {
        Some(driver) => changed.set(AnnotationKey::MigratedTo, driver),
        None => changed.remove(AnnotationKey::MigratedTo),
    }
    Some(changed)
}

/// Returns the corrected finalizers of a provisioned volume. Returns None if nothing has to be changed or the feature
/// is off. Upstream: `modifyDeletionFinalizers`, 1.36.
fn deletion_finalizers(
    behavior: &KubernetesBehavior,
    volume: &PersistentVolume,
    provisioner: &str,
) -> Option<Arc<[Str]>> {
    if !behavior.deletion_finalizers {
        return None;
    }
    let mut finalizers = volume.meta.finalizers.to_vec();
    let in_tree = volume.meta.has_finalizer(IN_TREE_FINALIZER);
    if migrated_driver(behavior, provisioner).is_some() {
        finalizers.retain(|finalizer| finalizer != IN_TREE_FINALIZER);
    } else if provisioner.starts_with(IN_TREE_PREFIX) {
        match volume.reclaim_policy {
            ReclaimPolicy::Delete if !in_tree => finalizers.push(Str::const_new(IN_TREE_FINALIZER)),
            ReclaimPolicy::Retain | ReclaimPolicy::Recycle => {
                finalizers.retain(|finalizer| finalizer != IN_TREE_FINALIZER);
            }
            ReclaimPolicy::Delete | ReclaimPolicy::Other(_) => {}
        }
        finalizers.retain(|finalizer| finalizer != EXTERNAL_FINALIZER);
    }
    (finalizers[..] != volume.meta.finalizers[..]).then(|| finalizers.into())
}

/// Returns the volume without [`IN_TREE_FINALIZER`], or None if the volume does not have this finalizer.
pub(super) fn without_in_tree_finalizer(volume: &PersistentVolume) -> Option<PersistentVolume> {
    volume.meta.has_finalizer(IN_TREE_FINALIZER).then(|| {
        let mut changed = volume.clone();
        changed.meta.finalizers =
            volume.meta.finalizers.iter().filter(|finalizer| *finalizer != IN_TREE_FINALIZER).cloned().collect();
        changed
    })
}

fn comparison(
    question: &'static str,
    volume: &PersistentVolume,
    field: &'static str,
    value: String,
    holds: bool,
) -> ComparisonStep {
    let value = if value.is_empty() { shown("") } else { value };
    ComparisonStep {
        question,
        left: Compared { object: format!("pv/{}", volume.meta.name), field, value },
        right: None,
        holds,
    }
}

fn claim_ref_text(volume: &PersistentVolume) -> String {
    volume.claim_ref.as_ref().map_or_else(String::new, |claim_ref| claim_ref.claim_key().to_string())
}

fn shown(value: &str) -> String {
    if value.is_empty() { "<unset>".to_owned() } else { value.to_owned() }
}
