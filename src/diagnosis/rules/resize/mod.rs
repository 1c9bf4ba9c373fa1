//! Claims that should become larger. First the driver's resizer enlarges the volume, and then often the node enlarges
//! the file system. The status of the claim shows the progress.

crate::diagnosis::rules::section! {
    resize_controller_failing,
    resize_fs_pending,
    resize_pv_edited,
    resize_no_resizer,
    resize_not_allowed,
    vac_missing,
    vac_infeasible,
    vac_pending,
}

use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::plugins::migrated_driver;
use crate::controllers::resizer::ResizeStage;
use crate::controllers::resizing::true_condition;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::{Case, Detection};
use crate::model::surroundings::{Condition, Event};
use crate::model::{
    AnnotationKey, ClaimPhase, PersistentVolume, PersistentVolumeClaim, Quantity, SourceKind, Timestamp,
};

/// The sizes that the claim and the volume of a completed binding state.
struct Sizes<'a> {
    volume: &'a PersistentVolume,
    /// `spec.capacity.storage` of the volume.
    capacity: Quantity,
    /// `status.capacity.storage` of the claim.
    has: Quantity,
    /// `spec.resources.requests.storage` of the claim.
    wants: Quantity,
}

impl<'a> Sizes<'a> {
    /// Returns the sizes of a Bound claim and its volume, if they name each other and neither is being deleted.
    fn of(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<Self> {
        let is_bound = !claim.terminating()
            && claim.status.phase == ClaimPhase::Bound
            && claim.meta.annotations.has(AnnotationKey::BindCompleted);
        if !is_bound {
            return None;
        }
        let volume = case.volume(&claim.volume_name)?;
        let is_ours = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
        if !is_ours || volume.terminating() {
            return None;
        }
        let (capacity, has) = (*volume.storage()?, *claim.status.storage()?);
        Some(Self { volume, capacity, has, wants: claim.requested()? })
    }

    /// Returns whether the claim requests more than it has.
    fn grows(&self) -> bool {
        self.wants.compare(&self.has).is_gt()
    }

    /// Returns whether the volume and the claim state different sizes although neither of them shows that an expansion
    /// has begun or was carried out. Binding makes both sizes equal. After the node has enlarged a volume, the claim
    /// states the requested size and the volume states the size that the driver chose.
    fn are_edited(&self, claim: &PersistentVolumeClaim) -> bool {
        let was_expanded = claim.details.as_ref().is_some_and(|details| details.allocated.is_some());
        self.capacity.compare(&self.has).is_ne() && !was_expanded && !is_under_way(claim, self.volume)
    }

    /// Adds the three fields as evidence.
    fn told(&self, found: Detection, case: &Case<'_>) -> Detection {
        found
            .evidence(&case.object(), "spec.resources.requests.storage", self.wants.to_string())
            .evidence(&case.object(), "status.capacity.storage", self.has.to_string())
            .evidence(&volume_key(&self.volume.meta.name), "spec.capacity.storage", self.capacity.to_string())
    }
}

/// Returns whether an expansion of the claim's volume has begun and has not ended.
fn is_under_way(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> bool {
    volume.meta.annotations.has(AnnotationKey::PreResizeCapacity)
        || !matches!(ResizeStage::of(claim), None | Some(ResizeStage::Requested))
}

/// Returns whether the claim stays bound to its volume. If it does not, other rules report the binding.
fn lasts(case: &Case<'_>) -> bool {
    case.claim_branch() == Some(ClaimBranch::BoundClaimVolumeOurs)
}

/// Returns whether the claim's class allows expansion. Returns None if the class is not known.
fn class_allows(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<bool> {
    match claim.class() {
        "" => Some(false),
        class => case.class(class).map(|class| class.allow_expansion),
    }
}

/// Returns the attributes class that a Bound claim requests if its volume does not have it.
fn requested_attributes(claim: &PersistentVolumeClaim) -> Option<&str> {
    let wanted = claim.attributes_class();
    let is_open = !wanted.is_empty()
        && !claim.terminating()
        && claim.status.phase == ClaimPhase::Bound
        && claim.status.current_attributes_class.as_deref() != Some(wanted);
    is_open.then_some(wanted)
}

/// Returns the value of `status.modifyVolumeStatus.status`, as evidence. It is empty if no resizer has begun.
fn modification(claim: &PersistentVolumeClaim) -> &str {
    let modify = claim.details.as_ref().and_then(|details| details.modify.as_ref());
    modify.map_or("", |modify| modify.status.as_str())
}

/// Returns the driver's error about the change of attributes.
fn modification_error(claim: &PersistentVolumeClaim) -> Option<&Condition> {
    true_condition(claim, "ModifyVolumeError").filter(|error| !error.message.is_empty())
}

/// Returns the driver whose resizer serves the volume. For a migrated plugin this is the CSI driver that replaced it.
/// Upstream: `CanSupport`, external-resizer, and `syncHandler` of `pkg/controller/volume/expand`, 1.36.
pub(super) fn driver_of<'v>(case: &Case<'_>, volume: &'v PersistentVolume) -> Option<&'v str> {
    match &volume.source.kind {
        SourceKind::Csi => Some(volume.source.detail.as_str()).filter(|driver| !driver.is_empty()),
        SourceKind::Other(field) => driver_of_field(case, field),
        SourceKind::HostPath | SourceKind::Nfs | SourceKind::Local | SourceKind::None => None,
    }
}

/// Returns the CSI driver that replaced the plugin of in-tree volumes with that field.
pub(super) fn driver_of_field(case: &Case<'_>, field: &str) -> Option<&'static str> {
    in_tree_plugin(field).and_then(|plugin| migrated_driver(case.behavior(), plugin))
}

/// Returns the plugin of volumes that have that field, if the plugin was migrated to CSI.
fn in_tree_plugin(field: &str) -> Option<&'static str> {
    match field {
        "awsElasticBlockStore" => Some("kubernetes.io/aws-ebs"),
        "gcePersistentDisk" => Some("kubernetes.io/gce-pd"),
        "azureDisk" => Some("kubernetes.io/azure-disk"),
        "azureFile" => Some("kubernetes.io/azure-file"),
        "cinder" => Some("kubernetes.io/cinder"),
        "vsphereVolume" => Some("kubernetes.io/vsphere-volume"),
        "portworxVolume" => Some("kubernetes.io/portworx-volume"),
        _ => None,
    }
}

/// Returns the newest event about the claim with that reason. Events about an earlier claim of the same name are
/// ignored.
fn event<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim, reason: &str) -> Option<&'a Event> {
    case.snapshot().events_about(&case.object(), &claim.meta.uid).find(|event| event.reason == reason)
}

/// Adds the event and its time as evidence. The time shows that the event describes the past and not necessarily the
/// present.
fn with_event(found: Detection, case: &Case<'_>, event: &Event) -> Detection {
    const LONG: usize = 200;
    let at = seen(event.last_seen);
    let text = crate::text::truncate(&event.message, LONG).into_owned();
    found.evidence(&case.object(), "event", format!("{} ({at}): {text}", event.reason))
}

/// Returns the moment as text, or `time unknown`.
fn seen(moment: Option<Timestamp>) -> String {
    moment.map_or_else(|| "time unknown".to_owned(), |moment| moment.to_string())
}
