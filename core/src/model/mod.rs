//! The objects that the storage controllers read, as the API server stores them. They may hold unusual values, such as
//! a `claimRef` without a uid or an empty phase. Other modules decide whether an object is, for example, reserved or
//! bound.
//!
//! This module only has values: it does no I/O, reads no clock, and applies no hidden defaults.

pub mod access_mode;
pub mod annotation;
pub mod claim;
pub mod class;
pub mod daemon_set;
pub mod deployment;
pub mod endpoint_slice;
pub mod endpoints;
pub mod held;
pub mod id;
pub mod job;
pub mod key;
pub mod kinds;
pub mod label_filter;
pub mod lease;
pub mod meta;
pub mod node;
pub mod pod;
pub mod pod_scheduling;
pub mod pod_template;
pub mod quantity;
pub mod replica_set;
pub mod selector;
pub mod service;
pub mod storageos_volume;
pub mod surroundings;
pub mod volume;
pub mod volume_attributes_class;
pub mod volume_snapshot;
pub mod volume_snapshot_class;
pub mod volume_snapshot_content;

pub use access_mode::{AccessMode, AccessModeSet, AccessModes};
pub use annotation::{AnnotationKey, Annotations, Unread};
pub use claim::{
    ClaimDetails, ClaimPhase, ClaimStatus, DataSource, ModifyVolume, Owner, PersistentVolumeClaim, SentDetails,
};
pub use class::{BindingMode, NO_PROVISIONER, StorageClass, newest_default};
pub use daemon_set::DaemonSet;
pub use deployment::Deployment;
pub use endpoint_slice::EndpointSlice;
pub use endpoints::Endpoints;
pub use held::Held;
pub use id::{Id, ObjectId};
pub use job::Job;
pub use key::{ClaimKey, ObjectArgument, ObjectKey};
pub use kinds::{DUMP, HeldObject, Kind, List, Object, Objects, Resource, TypedId};
pub use label_filter::{LabelFilter, parse_label_filter};
pub use lease::Lease;
pub use meta::{ObjectMeta, ResourceVersion, Timestamp};
pub use node::{Node, Taint};
pub use pod::{ClaimVolume, ContainerState, ContainerStatus, EphemeralVolume, NfsVolume, Pod, PodPhase, VolumeUse};
pub use pod_scheduling::{
    Disk, DiskKind, HostPort, NodeFeature, PodAffinityTerm, PodScheduling, SpreadConstraint, Toleration,
    TolerationOperator,
};
pub use quantity::{Amount, Quantity, QuantityError};
pub use replica_set::ReplicaSet;
pub use selector::{
    Comparison, CompiledSelector, LabelOperator, LabelRequirement, LabelSelector, ListForm, Mismatch, NodeOperator,
    NodeRequirement, NodeSelector, NodeSelectorTerm, SelectorError,
};
pub use service::Service;
pub use storageos_volume::{NotStorageOs, StorageOsVolume};
pub use surroundings::{
    CsiDriver, CsiNode, Event, LimitRange, Namespace, ResourceQuota, StatefulSet, StorageCapacity, VolumeAttachment,
};
pub use volume::{
    ClaimRef, PersistentVolume, ReclaimPolicy, SERVER_ATTRIBUTES, SourceKind, VolumeMode, VolumePhase, VolumeSource,
    VolumeStatus, server_attribute,
};
pub use volume_attributes_class::VolumeAttributesClass;
pub use volume_snapshot::VolumeSnapshot;
pub use volume_snapshot_class::VolumeSnapshotClass;
pub use volume_snapshot_content::VolumeSnapshotContent;

/// The string type of the model. Short strings need no memory on the heap, which keeps the memory of a large snapshot
/// small.
pub type Str = compact_str::CompactString;

/// Labels, sorted by key. The versions of an object in a simulation share one list of labels.
pub type Labels = std::sync::Arc<[(Str, Str)]>;

/// Returns the value of a label, if the object has that key.
pub fn label<'a>(labels: &'a [(Str, Str)], key: &str) -> Option<&'a str> {
    labels.binary_search_by(|(candidate, _)| candidate.as_str().cmp(key)).ok().map(|found| labels[found].1.as_str())
}
