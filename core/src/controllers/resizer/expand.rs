//! The call that expands a volume, and what follows from its answer. Upstream: `callResizeOnPlugin`, `pkg/controller`,
//! and `pkg/resizer`, v2.3.0.

use super::decision::{Act, Change, ClaimPatch, ExpandRequest, NotEvaluated, VolumePatch};
use super::input::{CallDetails, Driver, Expanded, Expansion, ResizeMemory};
use super::leaves::ResizeBranch;
use super::resize::{Pair, condition, without_conditions_but};
use super::work::{End, Work, key};
use super::{Resizer, is_final};
use crate::controllers::csi_sidecar::{answered, csi_access_mode, is_migratable};
use crate::controllers::provisioner::{DriverError, GrpcCode, in_tree_name};
use crate::controllers::resizing::{CONTROLLER_ERROR, CONTROLLER_INFEASIBLE, FILE_SYSTEM_PENDING, NODE_PENDING};
use crate::controllers::scheduler::migration::InTree;
use crate::model::{
    Amount, AnnotationKey, PersistentVolume, PersistentVolumeClaim, Quantity, SourceKind, Str, VolumeMode,
};

/// How the resizer handles a volume.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Support {
    /// As a CSI volume.
    Csi,
    /// As a volume of an in-tree plugin, which is translated to CSI.
    Translated,
}

/// The end of a call without an expanded volume.
enum Stop {
    /// An error before the call.
    Failed(ResizeBranch, String),
    /// An error of the driver.
    Refused(DriverError),
    /// The answer of the driver is not known.
    Asked,
    /// The volume is not modelled.
    Unknown,
}

/// The result of an expansion: the capacity of the volume, and whether the node has to expand it, too.
struct Grown {
    capacity: Amount,
    on_node: bool,
}

impl<'s> Resizer<'s> {
    /// Returns how the resizer handles a volume, if it handles the volume. Upstream: `CanSupport`, v2.3.0.
    pub(super) fn support(&self, claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> Option<Support> {
        let driver = &self.sidecar.driver;
        let is_csi = volume.source.kind == SourceKind::Csi;
        let is_claimed = claim.meta.annotations.get(AnnotationKey::StorageResizer) == Some(driver);
        if in_tree_name(driver).is_some() && is_claimed {
            return Some(if is_csi { Support::Csi } else { Support::Translated });
        }
        (is_csi && volume.source.detail == *driver).then_some(Support::Csi)
    }

    pub(super) fn expand(
        &self,
        work: &mut Work<'_, 's>,
        pair: &Pair<'s, '_>,
        size: Amount,
        memory: &mut ResizeMemory,
        driver: &Driver,
    ) -> End<ResizeBranch> {
        let name = &pair.volume.meta.name;
        let failed =
            |error: &str| format!("resize volume \"{name}\" by resizer \"{}\" failed: {error}", self.sidecar.driver);
        match self.grow(work, pair, size, driver) {
            Ok(grown) => {
                memory.slow_until = None;
                memory.failed_for_certain = false;
                store(work, pair, grown)
            }
            Err(Stop::Failed(leaf, error)) => {
                memory.slow_until = None;
                memory.failed_for_certain = false;
                End::Failed(leaf, failed(&error))
            }
            Err(Stop::Refused(error)) => match store_error(work, pair.claim, &error, memory) {
                Ok(leaf) => End::Failed(leaf, failed(&error.to_string())),
                Err(text) => {
                    let key = key(pair.claim);
                    let error = format!(
                        "resizing failed in controller with {error} but failed to update PVC {key} with: mark PVC \
                         \"{key}\" as controller expansion failed, errored with: {text}"
                    );
                    End::Failed(ResizeBranch::ExpandErrorNotStored, error)
                }
            },
            Err(Stop::Asked) => End::Asked(ResizeBranch::ExpandRequested),
            Err(Stop::Unknown) => End::Unknown,
        }
    }

    /// Asks the driver. Upstream: `Resize` of `csiResizer` and `trivialResizer`, v2.3.0.
    fn grow(&self, work: &mut Work<'_, 's>, pair: &Pair<'s, '_>, size: Amount, driver: &Driver) -> Result<Grown, Stop> {
        if self.sidecar.expansion == Expansion::OnlyByNode {
            return Ok(Grown { capacity: size, on_node: true });
        }
        let volume = pair.volume;
        let migrated = pair.support == Support::Translated;
        let handle: Str = if migrated { translated(work, volume)? } else { volume.source.handle.clone() };
        if handle.is_empty() {
            return Err(Stop::Failed(ResizeBranch::ExpandHandleMissing, "empty volume handle".to_owned()));
        }
        let details = self.unkept.volumes.get(&volume.meta.name).cloned();
        if details.is_none() {
            work.not_evaluated.insert(NotEvaluated::Details);
        }
        let secret = details.as_ref().and_then(|details| details.secret.as_ref());
        work.credentials(&self.unkept, secret)
            .map_err(|error| Stop::Failed(ResizeBranch::ExpandSecretMissing, error))?;
        let mode = csi_access_mode(self.sidecar.single_node_multi_writer, &volume.access_modes).map_err(|error| {
            let error = format!("failed to get capabilities of volume {} with {error}", volume.meta.name);
            Stop::Failed(ResizeBranch::ExpandModesUnsupported, error)
        })?;
        let block = volume.volume_mode == Some(VolumeMode::Block);
        let details = details.map(|details| if block { without_mount(details) } else { details });
        let bytes = size.quantity.value();
        work.call(Act::Expand(Box::new(ExpandRequest { handle, bytes, mode, block, details, migrated })));
        let Some(answer) = &driver.expand else { return Err(Stop::Asked) };
        let (took, answer) = answered(driver.latency, answer, self.sidecar.resize_timeout);
        work.at = work.at.saturating_add(took);
        let Expanded { bytes, on_node } = answer.map_err(Stop::Refused)?;
        Ok(Grown { capacity: Quantity::bytes(bytes).into(), on_node })
    }
}

/// Returns the handle of a volume of an in-tree plugin. Upstream: `TranslateInTreePVToCSI`, csi-translation-lib,
/// 0.36.
fn translated(work: &mut Work<'_, '_>, volume: &PersistentVolume) -> Result<Str, Stop> {
    let failed = |error: String| {
        let error = format!("failed to translate persistent volume: {error}");
        Stop::Failed(ResizeBranch::ExpandVolumeUntranslatable, error)
    };
    let Some(plugin) = InTree::of(volume) else {
        if is_migratable(volume) {
            work.not_evaluated.insert(NotEvaluated::MigratedVolume);
            return Err(Stop::Unknown);
        }
        let name = &volume.meta.name;
        return Err(failed(format!("could not find in-tree plugin translation logic for \"{name}\"")));
    };
    match plugin {
        InTree::Aws | InTree::Cinder => {}
        InTree::AzureDisk | InTree::Gce | InTree::Portworx => {
            work.not_evaluated.insert(NotEvaluated::MigratedVolume);
        }
    }
    plugin.handle(volume).map(Str::from).map_err(failed)
}

/// Returns the fields that are sent for a block device.
fn without_mount(details: CallDetails) -> CallDetails {
    CallDetails { fs_type: Str::default(), mount_options: Vec::new(), ..details }
}

/// Stores the error of the driver in the claim, if the expansion does not go on.
fn store_error(
    work: &mut Work<'_, '_>,
    claim: &PersistentVolumeClaim,
    error: &DriverError,
    memory: &mut ResizeMemory,
) -> Result<ResizeBranch, String> {
    if error.code.as_str() == "FailedPrecondition" {
        memory.in_use = true;
    }
    memory.failed_for_certain = is_final(error);
    if !memory.failed_for_certain {
        memory.slow_until = None;
        return Ok(ResizeBranch::ExpandUncertain);
    }
    let is_infeasible =
        error.code == GrpcCode::InvalidArgument || matches!(error.code.as_str(), "OutOfRange" | "NotFound");
    let (leaf, resize_status) = if is_infeasible {
        (ResizeBranch::ExpandRefused, Change::Set(CONTROLLER_INFEASIBLE))
    } else {
        memory.slow_until = None;
        (ResizeBranch::ExpandFailed, Change::Kept)
    };
    let conditions = vec![condition(CONTROLLER_ERROR, format!("failed to expand pvc with {error}"), work.moment())];
    work.patch_claim(claim, ClaimPatch { conditions, resize_status, ..ClaimPatch::default() }).map(|()| leaf)
}

/// Stores that the volume is expanded.
fn store(work: &mut Work<'_, '_>, pair: &Pair<'_, '_>, grown: Grown) -> End<ResizeBranch> {
    let (claim, volume) = (pair.claim, pair.volume);
    let name = &volume.meta.name;
    // Upstream writes into a map that is not there.
    if volume.capacity.is_empty() {
        return End::Crashed(ResizeBranch::ResizerCrashed);
    }
    // An annotation that this sync has removed before counts as well.
    let is_noted = !grown.on_node || volume.meta.annotations.has(AnnotationKey::PreResizeCapacity);
    let before = (!is_noted).then(|| {
        let stated = claim.status.capacity.iter().find(|(resource, _)| resource == "storage");
        stated.map_or_else(|| "0".to_owned(), |(_, amount)| amount.to_string())
    });
    let capacity = grown.capacity;
    if let Err(text) = work.patch_volume(name, VolumePatch::Capacity { to: capacity.clone(), before }) {
        let error = format!(
            "error updating pv \"{name}\" by resizer: updating capacity of PV \"{name}\" to {capacity} failed: {text}"
        );
        return End::Failed(ResizeBranch::ExpandCapacityNotStored, error);
    }
    if grown.on_node { leave_to_node(work, claim) } else { finish(work, claim, capacity) }
}

/// Stores that the node has to expand the volume. Upstream: `markForPendingNodeExpansion`, v2.3.0.
fn leave_to_node(work: &mut Work<'_, '_>, claim: &PersistentVolumeClaim) -> End<ResizeBranch> {
    let message = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.".to_owned();
    let patch = ClaimPatch {
        checks_version: true,
        conditions: vec![condition(FILE_SYSTEM_PENDING, message, work.moment())],
        resize_status: Change::Set(NODE_PENDING),
        node_expansion_not_required: Change::Removed,
        ..ClaimPatch::default()
    };
    if let Err(text) = work.patch_claim(claim, patch) {
        let error = format!("mark PVC \"{}\" as node expansion required failed: {text}", key(claim));
        return End::Failed(ResizeBranch::NodeExpansionNotStored, error);
    }
    work.note(false, "FileSystemResizeRequired", "Require file system resize of volume on node");
    End::Done(ResizeBranch::NodeExpansionRequired)
}

/// Stores that the expansion is finished. Upstream: `markOverallExpansionAsFinished`, v2.3.0.
fn finish(work: &mut Work<'_, '_>, claim: &PersistentVolumeClaim, capacity: Amount) -> End<ResizeBranch> {
    // Upstream writes into a map that is not there.
    if claim.status.capacity.is_empty() {
        return End::Crashed(ResizeBranch::ResizerCrashed);
    }
    let patch = ClaimPatch {
        checks_version: true,
        conditions: without_conditions_but(""),
        capacity: Some(capacity),
        resize_status: Change::Removed,
        node_expansion_not_required: Change::Set(()),
        ..ClaimPatch::default()
    };
    if let Err(text) = work.patch_claim(claim, patch) {
        let error = format!("mark PVC \"{}\" as resize finished failed: {text}", key(claim));
        return End::Failed(ResizeBranch::ResizeEndNotStored, error);
    }
    work.note(false, "VolumeResizeSuccessful", "Resize volume succeeded");
    End::Done(ResizeBranch::ResizeFinished)
}
