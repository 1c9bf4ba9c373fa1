//! What is read of the objects of each kind, and what of them may leave the cluster: a file for each kind.

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
mod pod_template;
mod replica_set;
mod resource_quota;
mod service;
mod stateful_set;
mod storage_class;
#[cfg(test)]
mod tests;
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

/// An object that snapshots store.
trait Stored: Resource {
    /// Whether a snapshot says when managers wrote it last.
    const KEEPS_CHANGE_TIMES: bool = false;

    /// The object; none where it is one of those of its kind that no answer reads.
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure>;

    /// What of a field of the object may leave the cluster; none where the whole field stays behind. `metadata` is the
    /// same for all kinds and is not asked about.
    fn redact(field: &str, value: Value) -> Option<Value>;

    /// What a write changes in `spec` and `status`, of what a controller that is modelled writes.
    fn changes<'o>(_before: &'o Self, _after: &'o Self) -> Parts<'o> {
        Parts::default()
    }
}

/// The parts of a merge patch beside the metadata.
#[derive(Default)]
struct Parts<'o> {
    spec: MergePatch<'o>,
    status: MergePatch<'o>,
}

/// An object that some controller writes: what the API server makes of its requests.
pub trait Writable: Resource {
    /// An update of the status alone leaves the rest as it is stored.
    fn keep_all_but_status(&mut self, stored: &Self);

    /// An update of the object leaves its status as it is stored.
    fn keep_status(&mut self, stored: &Self);

    /// A new object gets what the API server and its admission give it, beside a uid and a version.
    fn begin(&mut self, snapshot: &Snapshot, gates: ApiGates);
}

/// Feature gates that decide what the API server stores of a new object.
#[derive(Clone, Copy, Debug)]
pub struct ApiGates {
    /// `VolumeAttributesClass`.
    pub attributes_class: bool,
}

macro_rules! by_kind {
    ($($(#[$doc:meta])* $kind:ident($type:ident) in $list:ident: $($row:expr),+;)*) => {
        use crate::model::{$($type),*};

        /// The object of that kind; none where it is one of those of its kind that no answer reads.
        pub(super) fn decode(kind: Kind, at: &Context<'_>) -> Result<Option<Object>, Failure> {
            match kind {
                $(Kind::$kind => Ok($type::decode(at)?.map(Resource::wrap)),)*
            }
        }

        /// What of a field of an object of that kind may leave the cluster; none where the whole field stays behind.
        pub(super) fn redact(kind: Kind, field: &str, value: Value) -> Option<Value> {
            match kind {
                $(Kind::$kind => $type::redact(field, value),)*
            }
        }

        /// The merge patch from an object before a write to the object that is sent.
        pub fn merge_patch<'o>(before: &'o HeldObject<'_>, after: &'o HeldObject<'_>) -> MergePatch<'o> {
            let parts = match (before, after) {
                $((HeldObject::$kind(before), HeldObject::$kind(after)) => $type::changes(before, after),)*
                _ => Parts::default(),
            };
            let patch = MergePatch::default().part("metadata", merge_patch::metadata(before.meta(), after.meta()));
            patch.part("spec", parts.spec).part("status", parts.status)
        }

        /// Whether a snapshot says when managers wrote an object of that kind last.
        pub(super) fn keeps_change_times(kind: Kind) -> bool {
            match kind {
                $(Kind::$kind => $type::KEEPS_CHANGE_TIMES,)*
            }
        }
    };
}
each_kind!(by_kind);
