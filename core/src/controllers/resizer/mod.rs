//! The external resizer of a CSI driver: what its two controllers do in one sync of a claim. The resize controller
//! expands volumes, and the modify controller changes the VolumeAttributesClass of volumes. Upstream: external-resizer
//! v2.3.0 with its default gates.
//!
//! Not modelled:
//! - caches of the resizer that are behind the API server;
//! - several workers, and the loss of the leadership;
//! - requests that fail without an answer of the API server;
//! - what [`NotEvaluated`] lists.

mod decision;
mod expand;
mod input;
mod leaves;
mod modify;
mod resize;
mod stage;
mod work;

pub use decision::{
    Act, Change, ClaimPatch, ConditionChange, ExpandRequest, ModifyRequest, ModifySync, Names, NewCondition,
    NotEvaluated, Note, Requeue, ResizeSync, Step, Synced, VolumePatch,
};
pub use input::{CallDetails, Driver, Expanded, Expansion, ModifyMemory, Refused, ResizeMemory, Sidecar, Unkept};
pub use leaves::{ModifyBranch, ResizeBranch};
pub use stage::{ModifyStage, ResizeSizes, ResizeStage};

use crate::controllers::provisioner::{DriverError, GrpcCode};
use crate::model::PersistentVolumeClaim;
use crate::snapshot::Snapshot;
use crate::world::View;
use work::Work;

/// The version of external-resizer that is modelled.
pub const EXTERNAL_RESIZER: &str = "2.3.0";

/// A resizer.
#[derive(Debug)]
pub struct Resizer<'s> {
    view: View<'s>,
    sidecar: Sidecar,
    unkept: Unkept,
}

/// The circumstances of one sync.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// The begin of the sync, in milliseconds since 1970-01-01T00:00:00Z.
    pub now: i64,
    /// The number of times that the sync of the claim has failed before, without a success in between.
    pub failures: u32,
    /// The answers of the driver.
    pub driver: Driver,
    /// The requests that the API server refuses.
    pub refused: Refused,
}

impl<'s> Resizer<'s> {
    /// Returns a resizer that reads a snapshot.
    pub fn new(snapshot: &'s Snapshot, sidecar: Sidecar, unkept: Unkept) -> Self {
        Self { view: View::Snapshot(snapshot), sidecar, unkept }
    }

    /// Returns what a sync of the claim by the resize controller does. Upstream: `syncPVCs` of `pkg/controller`,
    /// v2.3.0.
    pub fn sync_resize(
        &self,
        claim: &PersistentVolumeClaim,
        mut memory: ResizeMemory,
        of: &Circumstances,
    ) -> ResizeSync {
        let mut work = Work::new(self, of);
        let end = self.resize(&mut work, claim, &mut memory, &of.driver);
        memory.slow_until = memory.slow_until.filter(|until| *until > work.at);
        work.finished(end, memory)
    }

    /// Returns what a sync of the claim by the modify controller does. Upstream: `sync` of `pkg/modifycontroller`,
    /// v2.3.0.
    pub fn sync_modify(
        &self,
        claim: &PersistentVolumeClaim,
        mut memory: ModifyMemory,
        of: &Circumstances,
    ) -> ModifySync {
        let mut work = Work::new(self, of);
        let end = self.modify(&mut work, claim, &mut memory, &of.driver);
        memory.slow_until = memory.slow_until.filter(|until| *until > work.at);
        work.finished(end, memory)
    }
}

/// Returns whether an operation does not go on after this error. Upstream: `IsFinalError`, v2.3.0.
fn is_final(error: &DriverError) -> bool {
    !matches!(
        error.code,
        GrpcCode::Canceled
            | GrpcCode::DeadlineExceeded
            | GrpcCode::Unavailable
            | GrpcCode::ResourceExhausted
            | GrpcCode::Aborted
    )
}
