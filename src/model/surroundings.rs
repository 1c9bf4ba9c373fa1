//! What stands around volumes and claims: objects that no decision of the modelled controllers reads, and that tell
//! why something does not happen. Nothing is read of them but what some finding rests on.

use super::{LabelSelector, ObjectKey, ObjectMeta, Quantity, Str, Timestamp};

/// A condition of an object's status, without its message: snapshots do not keep that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// `type`.
    pub kind: Str,
    /// `status`: `True`, `False` or `Unknown`.
    pub status: Str,
    /// `reason`.
    pub reason: Str,
    /// `lastTransitionTime`.
    pub since: Option<Timestamp>,
}

/// `v1` Namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespace {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.finalizers`.
    pub finalizers: Box<[Str]>,
    /// `status.conditions`.
    pub conditions: Box<[Condition]>,
}

/// `storage.k8s.io/v1` VolumeAttachment: a volume is to be attached to a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeAttachment {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.attacher`: the driver.
    pub attacher: Str,
    /// `spec.nodeName`.
    pub node_name: Str,
    /// `spec.source.persistentVolumeName`; empty where the volume is stated inline.
    pub volume_name: Str,
    /// `status.attached`.
    pub attached: bool,
    /// `status.attachError`.
    pub attach_error: Option<AttachError>,
    /// `status.detachError`.
    pub detach_error: Option<AttachError>,
}

/// Why a volume could not be attached or detached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachError {
    /// `time`.
    pub time: Option<Timestamp>,
    /// `message`, by the driver.
    pub message: Str,
}

/// `storage.k8s.io/v1` CSIDriver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsiDriver {
    /// `metadata`; the name is that of the driver.
    pub meta: ObjectMeta,
    /// `spec.attachRequired`; true where it is not stated.
    pub attach_required: bool,
    /// `spec.storageCapacity`: the scheduler looks for a `CSIStorageCapacity` before it chooses a node.
    pub storage_capacity: bool,
}

/// `storage.k8s.io/v1` CSINode: the drivers that have registered on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsiNode {
    /// `metadata`; the name is that of the node.
    pub meta: ObjectMeta,
    /// `spec.drivers`.
    pub drivers: Box<[NodeDriver]>,
}

impl CsiNode {
    /// The driver of that name, if it has registered.
    pub fn driver(&self, name: &str) -> Option<&NodeDriver> {
        self.drivers.iter().find(|driver| driver.name == name)
    }
}

/// A driver on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeDriver {
    /// `name`.
    pub name: Str,
    /// `topologyKeys`.
    pub topology_keys: Box<[Str]>,
    /// `allocatable.count`: how many volumes can be attached.
    pub limit: Option<i64>,
}

/// `storage.k8s.io/v1` CSIStorageCapacity: how much room a driver has for a class in a part of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageCapacity {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `storageClassName`.
    pub class_name: Str,
    /// `nodeTopology`: the nodes that reach it; none at all without one.
    pub topology: Option<Box<LabelSelector>>,
    /// `capacity`.
    pub capacity: Option<Quantity>,
    /// `maximumVolumeSize`.
    pub maximum: Option<Quantity>,
}

/// `v1` Event about a volume or a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `involvedObject`.
    pub about: ObjectKey,
    /// `involvedObject.uid`; empty when absent.
    pub uid: Str,
    /// `reason`.
    pub reason: Str,
    /// `message`.
    pub message: Str,
    /// `type`: `Normal` or `Warning`.
    pub kind: Str,
    /// When it was seen last: `series.lastObservedTime`, `lastTimestamp`, `eventTime` or the event's creation.
    pub last_seen: Option<Timestamp>,
}

/// `v1` ResourceQuota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceQuota {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `status.hard`, by resource name in order.
    pub hard: Box<[(Str, Quantity)]>,
    /// `status.used`, by resource name in order.
    pub used: Box<[(Str, Quantity)]>,
    /// Whether `spec.scopes` or `spec.scopeSelector` restricts it to some objects.
    pub scoped: bool,
}

/// `v1` LimitRange, as far as it is about claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitRange {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// The least `storage` that a claim may ask for: the largest `min` of the limits of type `PersistentVolumeClaim`.
    pub least: Option<Quantity>,
    /// The most `storage` that a claim may ask for: the smallest `max` of these.
    pub most: Option<Quantity>,
}

/// `apps/v1` StatefulSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatefulSet {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.replicas`; 1 where it is not stated.
    pub replicas: i64,
    /// `spec.ordinals.start`.
    pub first_ordinal: i64,
    /// `spec.volumeClaimTemplates`: name, class and storage asked for.
    pub templates: Box<[ClaimTemplate]>,
    /// `spec.persistentVolumeClaimRetentionPolicy.whenDeleted`; empty for `Retain`.
    pub when_deleted: Str,
    /// `spec.persistentVolumeClaimRetentionPolicy.whenScaled`; empty for `Retain`.
    pub when_scaled: Str,
}

impl StatefulSet {
    /// The ordinal of the member for which the set makes a claim of that name from the template. It is written without
    /// leading zeros. Upstream: `getPersistentVolumeClaimName`, `pkg/controller/statefulset`, 1.36.
    pub fn ordinal(&self, template: &ClaimTemplate, claim: &str) -> Option<i64> {
        let rest = claim.strip_prefix(&*template.name)?.strip_prefix('-')?;
        let rest = rest.strip_prefix(&*self.meta.name)?.strip_prefix('-')?;
        let ordinal: i64 = rest.parse().ok().filter(|ordinal| *ordinal >= 0)?;
        (ordinal.to_string() == rest).then_some(ordinal)
    }

    /// Whether it makes a claim of that name, now or when it has more members.
    pub fn makes(&self, claim: &str) -> bool {
        self.templates.iter().any(|template| self.ordinal(template, claim).is_some())
    }

    /// Whether it has a member of that ordinal, or is about to. Upstream: `podInOrdinalRange`, 1.36.
    pub fn has_member(&self, ordinal: i64) -> bool {
        ordinal >= self.first_ordinal && ordinal < self.first_ordinal.saturating_add(self.replicas)
    }

    /// Whether the claims of members go when there are fewer of these.
    pub fn deletes_when_scaled(&self) -> bool {
        self.when_scaled == "Delete"
    }
}

/// A template for the claims of a StatefulSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimTemplate {
    /// `metadata.name`.
    pub name: Str,
    /// `spec.storageClassName`.
    pub class_name: Option<Str>,
    /// `spec.resources.requests.storage`.
    pub request: Option<Quantity>,
}
