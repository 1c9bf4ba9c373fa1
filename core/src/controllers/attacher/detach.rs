//! The sync that detaches a volume. Upstream: `syncDetach`, `csiDetach` and `markAsDetached`, v4.13.0.

use super::decision::{Act, SyncEnd, UnpublishRequest};
use super::input::{Driver, Refusal};
use super::leaves::DetachmentBranch;
use super::source::{NOT_CSI, Named, NotCsi, Unusable};
use super::work::Work;
use super::{Attacher, End};
use crate::controllers::csi_sidecar::answered;
use crate::model::{Str, VolumeAttachment};

/// The end of `csiDetach` without a detached volume.
enum Stop {
    /// An error.
    Failed(DetachmentBranch, String),
    /// The answer of the driver is not known.
    Asked,
    /// The volume is not known or not modelled.
    Unknown,
}

fn failed(leaf: DetachmentBranch, error: impl Into<String>) -> Stop {
    Stop::Failed(leaf, error.into())
}

impl<'s> Attacher<'s> {
    pub(super) fn sync_detach(
        &self,
        work: &mut Work<'_, 's>,
        attachment: &VolumeAttachment,
        driver: &Driver,
        is_forced: bool,
    ) -> End {
        let end = SyncEnd::Detach;
        if !is_forced && !attachment.meta.has_finalizer(&self.sidecar.finalizer()) {
            return (end(DetachmentBranch::DetachedAlready), None);
        }
        match self.csi_detach(work, attachment, driver) {
            Ok(leaf) => (end(leaf), None),
            Err(Stop::Failed(leaf, error)) => {
                let saved = work.error(&error, None);
                // If the error cannot be stored, this is only logged.
                work.request_status(Act::SaveDetachError(saved)).ok();
                (end(leaf), Some(format!("failed to detach: {error}")))
            }
            Err(Stop::Asked) => (end(DetachmentBranch::UnpublishRequested), None),
            Err(Stop::Unknown) => (SyncEnd::Unknown, None),
        }
    }

    fn csi_detach(
        &self,
        work: &mut Work<'_, 's>,
        attachment: &VolumeAttachment,
        driver: &Driver,
    ) -> Result<DetachmentBranch, Stop> {
        let volume = match self.named(work, attachment) {
            Ok(Named::Inline(volume)) => *volume,
            Ok(Named::Volume(volume)) => self.csi_volume(work, volume).map_err(|why| match why {
                NotCsi::Untranslatable(error) => {
                    let error = format!("failed to translate in tree pv to CSI: {error}");
                    failed(DetachmentBranch::DetachVolumeUntranslatable, error)
                }
                NotCsi::Other => failed(DetachmentBranch::DetachVolumeNotCsi, NOT_CSI),
                NotCsi::Unknown => Stop::Unknown,
            })?,
            Err(Unusable::Source(text)) => return Err(failed(DetachmentBranch::DetachSourceUnusable, text)),
            Err(Unusable::Missing(text)) => return Err(failed(DetachmentBranch::DetachVolumeMissing, text)),
            Err(Unusable::Unknown) => return Err(Stop::Unknown),
        };
        self.credentials(work, &volume).map_err(|error| failed(DetachmentBranch::DetachSecretMissing, error))?;
        let node_id = self
            .node_id(work, &attachment.node_name, Some(attachment))
            .map_err(|error| failed(DetachmentBranch::DetachNodeUnknown, error))?;
        let secret = volume.details.and_then(|details| details.secret);
        let (handle, migrated) = (volume.handle, volume.migrated);
        work.call(Act::Unpublish(UnpublishRequest { handle, node_id, secret, migrated }));
        let Some(answer) = &driver.unpublish else { return Err(Stop::Asked) };
        let (took, answer) = answered(driver.latency, answer, self.sidecar.timeout);
        work.at = work.at.saturating_add(took);
        answer.map_err(|error| failed(DetachmentBranch::UnpublishFailed, error.to_string()))?;
        self.mark_as_detached(work, attachment).map_err(|refusal| {
            let error = format!("could not mark as detached: {}", refusal.text);
            failed(DetachmentBranch::MarkDetachedFailed, error)
        })
    }

    fn mark_as_detached(
        &self,
        work: &mut Work<'_, 's>,
        attachment: &VolumeAttachment,
    ) -> Result<DetachmentBranch, Refusal> {
        let finalizer = self.sidecar.finalizer();
        let meta = &attachment.meta;
        let has_finalizer = meta.has_finalizer(&finalizer);
        if !has_finalizer && !attachment.attached {
            return Ok(DetachmentBranch::DetachedWithoutMark);
        }
        if has_finalizer {
            let rest: Vec<Str> = meta.finalizers.iter().filter(|present| **present != finalizer).cloned().collect();
            let is_last = rest.is_empty();
            work.request_attachment(Act::ReleaseAttachment(rest))?;
            if is_last {
                let text = format!("volumeattachments.storage.k8s.io \"{}\" not found", meta.name).into();
                work.gone = Some(Refusal { not_found: true, text });
            }
        }
        match work.request_status(Act::MarkDetached) {
            Err(refusal) if !refusal.not_found => Err(refusal),
            Ok(()) | Err(_) => Ok(DetachmentBranch::VolumeDetachedFromNode),
        }
    }
}
