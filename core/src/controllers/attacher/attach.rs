//! The sync that attaches a volume. Upstream: `syncAttach` and `csiAttach`, v4.13.0.

use super::decision::{Act, PublishRequest, SyncEnd};
use super::input::{Driver, PublishDetails, Sidecar, number_of};
use super::leaves::AttachmentBranch;
use super::source::{CsiVolume, NOT_CSI, Named, NotCsi, Unusable};
use super::work::Work;
use super::{Attacher, End};
use crate::controllers::csi_sidecar::{answered, csi_access_mode};
use crate::model::{AnnotationKey, PersistentVolume, Str, VolumeAttachment, VolumeMode};
use std::collections::BTreeMap;

/// The end of `csiAttach` without an attached volume.
enum Stop {
    /// An error, with the number of its gRPC code.
    Failed(AttachmentBranch, String, Option<u32>),
    /// The answer of the driver is not known.
    Asked,
    /// The volume is not known or not modelled.
    Unknown,
}

fn failed(leaf: AttachmentBranch, error: impl Into<String>) -> Stop {
    Stop::Failed(leaf, error.into(), None)
}

impl<'s> Attacher<'s> {
    pub(super) fn sync_attach(
        &self,
        work: &mut Work<'_, 's>,
        attachment: &VolumeAttachment,
        driver: &Driver,
        is_forced: bool,
    ) -> End {
        let end = SyncEnd::Attach;
        if attachment.attached && !is_forced {
            return (end(AttachmentBranch::AttachedAlready), None);
        }
        match self.csi_attach(work, attachment, driver) {
            Ok(context) => match work.request_status(Act::MarkAttached(context)) {
                Ok(()) => (end(AttachmentBranch::VolumeAttachedToNode), None),
                Err(refusal) => {
                    let error = format!("failed to mark as attached: {}", refusal.text);
                    (end(AttachmentBranch::MarkAttachedFailed), Some(error))
                }
            },
            Err(Stop::Failed(leaf, error, code)) => {
                let saved = work.error(&error, code);
                // If the error cannot be stored, this is only logged.
                work.request_status(Act::SaveAttachError(saved)).ok();
                (end(leaf), Some(format!("failed to attach: {error}")))
            }
            Err(Stop::Asked) => (end(AttachmentBranch::PublishRequested), None),
            Err(Stop::Unknown) => (SyncEnd::Unknown, None),
        }
    }

    fn csi_attach(
        &self,
        work: &mut Work<'_, 's>,
        attachment: &VolumeAttachment,
        driver: &Driver,
    ) -> Result<BTreeMap<Str, Str>, Stop> {
        let volume = match self.named(work, attachment) {
            Ok(Named::Inline(volume)) => *volume,
            Ok(Named::Volume(volume)) => self.volume_to_attach(work, volume)?,
            Err(Unusable::Source(text)) => return Err(failed(AttachmentBranch::AttachSourceUnusable, text)),
            Err(Unusable::Missing(text)) => return Err(failed(AttachmentBranch::AttachVolumeMissing, text)),
            Err(Unusable::Unknown) => return Err(Stop::Unknown),
        };
        let mode = csi_access_mode(self.sidecar.single_node_multi_writer, &volume.access_modes)
            .map_err(|error| failed(AttachmentBranch::AttachModesUnsupported, error))?;
        self.credentials(work, &volume).map_err(|error| failed(AttachmentBranch::AttachSecretMissing, error))?;
        let node_id = self
            .node_id(work, &attachment.node_name, None)
            .map_err(|error| failed(AttachmentBranch::AttachNodeUnknown, error))?;
        self.prepare(work, attachment, &node_id)?;
        let block = volume.volume_mode == Some(VolumeMode::Block);
        let details = volume.details.map(|details| sent(&self.sidecar, details, block));
        let (handle, migrated) = (volume.handle, volume.migrated);
        work.call(Act::Publish(Box::new(PublishRequest { handle, node_id, mode, block, details, migrated })));
        let Some(answer) = &driver.publish else { return Err(Stop::Asked) };
        let (took, answer) = answered(driver.latency, answer, self.sidecar.timeout);
        work.at = work.at.saturating_add(took);
        answer.map_err(|error| Stop::Failed(AttachmentBranch::PublishFailed, error.to_string(), number_of(&error.code)))
    }

    /// Adds the finalizer to a PersistentVolume, and returns its CSI volume.
    fn volume_to_attach(&self, work: &mut Work<'_, 's>, volume: &PersistentVolume) -> Result<CsiVolume, Stop> {
        let name = &volume.meta.name;
        if volume.terminating() {
            let error = format!("PersistentVolume \"{name}\" is marked for deletion");
            return Err(failed(AttachmentBranch::AttachVolumeDeleting, error));
        }
        if !volume.meta.has_finalizer(&self.sidecar.finalizer()) {
            let first = volume.meta.finalizers.is_empty();
            work.request_volume(Act::AddVolumeFinalizer { volume: name.clone(), first }).map_err(|refusal| {
                let error = format!("could not add PersistentVolume finalizer: {}", refusal.text);
                failed(AttachmentBranch::VolumeFinalizerFailed, error)
            })?;
        }
        self.csi_volume(work, volume).map_err(|why| match why {
            NotCsi::Untranslatable(error) => {
                let error = format!("failed to translate in tree pv to CSI: {error}");
                failed(AttachmentBranch::AttachVolumeUntranslatable, error)
            }
            NotCsi::Other => failed(AttachmentBranch::AttachVolumeNotCsi, NOT_CSI),
            NotCsi::Unknown => Stop::Unknown,
        })
    }

    /// Stores the finalizer and the id of the node in the attachment, if they are not there.
    fn prepare(&self, work: &mut Work<'_, 's>, attachment: &VolumeAttachment, node_id: &Str) -> Result<(), Stop> {
        let finalizer = self.sidecar.finalizer();
        let meta = &attachment.meta;
        let finalizers = (!meta.has_finalizer(&finalizer))
            .then(|| meta.finalizers.iter().cloned().chain([finalizer]).collect::<Vec<_>>());
        let is_stored = meta.annotations.get(AnnotationKey::CsiNodeId) == Some(node_id);
        let node_id = (!is_stored).then(|| node_id.clone());
        if finalizers.is_none() && node_id.is_none() {
            return Ok(());
        }
        work.request_attachment(Act::PrepareAttachment { finalizers, node_id }).map_err(|refusal| {
            let error = format!("could not save VolumeAttachment: {}", refusal.text);
            failed(AttachmentBranch::AttachmentPatchFailed, error)
        })
    }
}

/// Returns the fields as they are sent. Upstream: `GetVolumeCapabilities`, v4.13.0.
fn sent(sidecar: &Sidecar, details: PublishDetails, block: bool) -> PublishDetails {
    let read_only = details.read_only && sidecar.read_only;
    if block {
        return PublishDetails { read_only, fs_type: Str::default(), mount_options: Vec::new(), ..details };
    }
    let fs_type = if details.fs_type.is_empty() { sidecar.default_fs_type.clone() } else { details.fs_type };
    PublishDetails { read_only, fs_type, ..details }
}
