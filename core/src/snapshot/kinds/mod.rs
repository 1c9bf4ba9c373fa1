//! How the objects of each kind are decoded, and which of their fields may leave the cluster. Each kind has its own
//! file.

mod csi_driver;
mod csi_node;
mod csi_storage_capacity;
mod daemon_set;
mod defaults;
mod deployment;
mod endpoint_slice;
mod endpoints;
mod event;
mod index;
mod job;
mod lease;
mod limit_range;
mod lookups;
mod merge_patch;
mod namespace;
mod node;
mod persistent_volume;
mod persistent_volume_claim;
mod pod;
mod pod_scheduling;
mod pod_template;
mod replica_set;
mod resource_quota;
mod service;
mod stateful_set;
mod storage_class;
mod volume_attachment;
mod volume_attributes_class;
mod volume_snapshot;
mod volume_snapshot_class;
mod volume_snapshot_content;

pub(super) use defaults::apply as apply_defaults;
pub use defaults::{PLACEHOLDER_UID, printed};
pub(super) use index::Index;
pub use index::{CandidateGroup, GroupKey};
pub use lease::any_lease;
pub use lookups::{ClaimId, VolumeId};
pub use merge_patch::MergePatch;

use super::Snapshot;
use super::decode::{Context, Failure};
use crate::model::kinds::each_kind;
use crate::model::{HeldObject, Kind, Object, Resource};
use serde_json::Value;

/// An object that a snapshot file can store.
trait Stored: Resource {
    /// Whether a snapshot file keeps the times of the last writes, from `managedFields`.
    const KEEPS_CHANGE_TIMES: bool = false;

    /// Decodes the object. The value is `None` if no answer reads this object, although some answer reads its kind.
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure>;

    /// Redacts a field of the object. The value is `None` if the whole field must not leave the cluster. This function
    /// does not get `metadata`, which is the same for all kinds.
    fn redact(field: &str, value: Value) -> Option<Value>;

    /// Returns what a write changes in `spec` and `status`, limited to the fields that modelled controllers write.
    fn changes<'o>(_before: &'o Self, _after: &'o Self) -> Parts<'o> {
        Parts::default()
    }
}

/// The parts of a merge patch besides the metadata.
#[derive(Default)]
struct Parts<'o> {
    spec: MergePatch<'o>,
    status: MergePatch<'o>,
}

/// An object that some controller writes. The functions do what the API server does with the requests.
pub trait Writable: Resource {
    /// Restores everything except the status from the stored object, for an update of the status.
    fn keep_all_but_status(&mut self, stored: &Self);

    /// Restores the status from the stored object, for an update of the object.
    fn keep_status(&mut self, stored: &Self);

    /// Sets what the API server and its admission plugins set in a new object, besides the uid and the version.
    fn begin(&mut self, snapshot: &Snapshot, gates: ApiGates);
}

/// The feature gates that influence what the API server stores for a new object.
#[derive(Clone, Copy, Debug)]
pub struct ApiGates {
    /// `VolumeAttributesClass`.
    pub attributes_class: bool,
}

macro_rules! by_kind {
    ($($(#[$doc:meta])* $kind:ident($type:ident) in $list:ident: $($row:expr),+;)*) => {
        use crate::model::{$($type),*};

        /// Decodes an object of this kind. The value is `None` if no answer reads this object, although some answer
        /// reads its kind.
        pub(super) fn decode(kind: Kind, at: &Context<'_>) -> Result<Option<Object>, Failure> {
            match kind {
                $(Kind::$kind => Ok($type::decode(at)?.map(Resource::wrap)),)*
            }
        }

        /// Redacts a field of an object of this kind. The value is `None` if the whole field must not leave the
        /// cluster.
        pub(super) fn redact(kind: Kind, field: &str, value: Value) -> Option<Value> {
            match kind {
                $(Kind::$kind => $type::redact(field, value),)*
            }
        }

        /// Returns the merge patch that changes the object `before` into the object `after`.
        pub fn merge_patch<'o>(before: &'o HeldObject<'_>, after: &'o HeldObject<'_>) -> MergePatch<'o> {
            let parts = match (before, after) {
                $((HeldObject::$kind(before), HeldObject::$kind(after)) => $type::changes(before, after),)*
                _ => Parts::default(),
            };
            let patch = MergePatch::default().part("metadata", merge_patch::metadata(before.meta(), after.meta()));
            patch.part("spec", parts.spec).part("status", parts.status)
        }

        /// Returns whether a snapshot file keeps the times of the last writes of objects of this kind.
        pub(super) fn keeps_change_times(kind: Kind) -> bool {
            match kind {
                $(Kind::$kind => $type::KEEPS_CHANGE_TIMES,)*
            }
        }
    };
}
each_kind!(by_kind);
