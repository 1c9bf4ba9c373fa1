//! The external attacher of a CSI driver: what it does with one VolumeAttachment, with the finalizer of one volume, and
//! in a comparison with the volumes of the driver. Upstream: external-attacher v4.13.0 with its default gates.
//!
//! The attach/detach controller creates and deletes VolumeAttachments. The attacher calls the driver and writes the
//! status, for which that controller waits.
//!
//! Not modelled:
//! - caches of the attacher that are behind the API server;
//! - several workers, and the loss of the leadership;
//! - requests that fail without an answer of the API server;
//! - what [`NotEvaluated`] lists.

mod attach;
mod decision;
mod detach;
mod input;
mod leaves;
mod reconcile;
mod source;
mod volume;
mod work;

pub use decision::{
    Act, AttachmentSync, NotEvaluated, PublishRequest, Requeue, SavedError, Step, SyncEnd, UnpublishRequest, VolumeSync,
};
pub use input::{Driver, Forced, InlineVolume, PublishDetails, Published, Refusal, Refused, Sidecar, Unkept};
pub use leaves::{AttachmentBranch, DetachmentBranch, ReconcileBranch, VolumeFinalizerBranch};
pub use reconcile::Comparison;

use crate::controllers::csi_sidecar::backoff;
use crate::model::{Str, VolumeAttachment};
use crate::snapshot::Snapshot;
use crate::world::View;
use work::Work;

/// The version of external-attacher that is modelled.
pub const EXTERNAL_ATTACHER: &str = "4.13.0";

/// An attacher that has just been started.
#[derive(Debug)]
pub struct Attacher<'s> {
    view: View<'s>,
    sidecar: Sidecar,
    unkept: Unkept,
}

/// The circumstances of one sync.
#[derive(Clone, Debug, Default)]
pub struct Circumstances<'a> {
    /// The begin of the sync, in milliseconds since 1970-01-01T00:00:00Z.
    pub now: i64,
    /// The number of times that the sync of the object has failed before, without a success in between.
    pub failures: u32,
    /// The answers of the driver.
    pub driver: Driver,
    /// The requests that the API server refuses.
    pub refused: Refused,
    /// The attachments that a comparison with the driver found to be wrong.
    pub forced: Option<&'a Forced>,
}

impl<'s> Attacher<'s> {
    /// Starts an attacher.
    pub fn new(snapshot: &'s Snapshot, sidecar: Sidecar, unkept: Unkept) -> Self {
        Self::of_view(View::Snapshot(snapshot), sidecar, unkept)
    }

    /// Starts an attacher that reads a snapshot, or one moment of a simulation.
    pub fn of_view(view: View<'s>, sidecar: Sidecar, unkept: Unkept) -> Self {
        Self { view, sidecar, unkept }
    }

    /// Returns the finalizer of the attacher.
    pub fn finalizer(&self) -> Str {
        self.sidecar.finalizer()
    }

    /// Returns what a sync of the attachment does. Upstream: `syncVA` and `SyncNewOrUpdatedVolumeAttachment`, v4.13.0.
    pub fn sync_attachment(&self, attachment: &VolumeAttachment, of: &Circumstances<'_>) -> AttachmentSync {
        let mut work = Work::new(self, of);
        let (end, error) = self.synced(&mut work, attachment, of);
        let requeue = match end {
            // In the last two cases the driver has not answered yet.
            SyncEnd::Unknown
            | SyncEnd::Attach(AttachmentBranch::AttachmentOfOtherAttacher | AttachmentBranch::PublishRequested)
            | SyncEnd::Detach(DetachmentBranch::UnpublishRequested) => Requeue::Untouched,
            SyncEnd::Attach(_) | SyncEnd::Detach(_) if error.is_some() => Requeue::After(backoff(of.failures)),
            SyncEnd::Attach(_) | SyncEnd::Detach(_) => Requeue::Forgotten,
        };
        // The trivial handler logs its error as another one.
        let error = if self.sidecar.attaches { error } else { None };
        let Work { steps, reads, not_evaluated, .. } = work;
        AttachmentSync { end, steps, error, requeue, doubts: reads.into_doubts(), not_evaluated }
    }

    fn synced(&self, work: &mut Work<'_, 's>, attachment: &VolumeAttachment, of: &Circumstances<'_>) -> End {
        if attachment.attacher != self.sidecar.driver {
            return (SyncEnd::Attach(AttachmentBranch::AttachmentOfOtherAttacher), None);
        }
        if !self.sidecar.attaches {
            return mark_without_call(work, attachment);
        }
        let is_forced = of.forced.is_some_and(|forced| forced.contains(&attachment.meta.name));
        if attachment.meta.deleted.is_none() {
            self.sync_attach(work, attachment, &of.driver, is_forced)
        } else {
            self.sync_detach(work, attachment, &of.driver, is_forced)
        }
    }
}

/// The end of a sync, and its error.
type End = (SyncEnd, Option<String>);

/// Handles an attachment of a driver that attaches no volumes. Upstream: `trivialHandler`, v4.13.0.
fn mark_without_call(work: &mut Work<'_, '_>, attachment: &VolumeAttachment) -> End {
    if attachment.attached {
        return (SyncEnd::Attach(AttachmentBranch::DriverNeedsNoCall), None);
    }
    match work.request_status(Act::MarkAttached([].into())) {
        Ok(()) => (SyncEnd::Attach(AttachmentBranch::MarkedWithoutCall), None),
        Err(refusal) => (SyncEnd::Attach(AttachmentBranch::MarkWithoutCallFailed), Some(refusal.text.into())),
    }
}
