//! Surrounding kinds. No decision of the modelled controllers reads their objects, but the objects explain why
//! something does not happen. The model has only the fields that some answer reads.

use super::{LabelSelector, ObjectKey, ObjectMeta, Quantity, Str, Timestamp};

/// A condition of an object's status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// `type`.
    pub kind: Str,
    /// `status`: `True`, `False` or `Unknown`.
    pub status: Str,
    /// `reason`.
    pub reason: Str,
    /// `message`.
    pub message: Str,
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

/// `storage.k8s.io/v1` VolumeAttachment: the request to attach a volume to a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeAttachment {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.attacher`: the driver.
    pub attacher: Str,
    /// `spec.nodeName`.
    pub node_name: Str,
    /// `spec.source.persistentVolumeName`. It is empty if the volume is specified inline.
    pub volume_name: Str,
    /// `status.attached`.
    pub attached: bool,
    /// `status.attachError`.
    pub attach_error: Option<AttachError>,
    /// `status.detachError`.
    pub detach_error: Option<AttachError>,
}

/// The reason why a volume could not be attached or detached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachError {
    /// `time`.
    pub time: Option<Timestamp>,
    /// `message`, which the driver wrote.
    pub message: Str,
}

/// `storage.k8s.io/v1` CSIDriver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsiDriver {
    /// `metadata`. The name is the name of the driver.
    pub meta: ObjectMeta,
    /// `spec.attachRequired`. It is true if the field is absent.
    pub attach_required: bool,
    /// `spec.requiresRepublish`: whether the kubelet mounts a volume again whenever it looks at the pod.
    pub requires_republish: bool,
    /// `spec.storageCapacity`: whether the scheduler looks for a `CSIStorageCapacity` before it chooses a node.
    pub storage_capacity: bool,
}

/// `storage.k8s.io/v1` CSINode: the drivers that are registered on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsiNode {
    /// `metadata`. The name is the name of the node.
    pub meta: ObjectMeta,
    /// `spec.drivers`.
    pub drivers: Box<[NodeDriver]>,
}

impl CsiNode {
    /// Returns the driver of this name, if it is registered.
    pub fn driver(&self, name: &str) -> Option<&NodeDriver> {
        self.drivers.iter().find(|driver| driver.name == name)
    }
}

/// A driver on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeDriver {
    /// `name`.
    pub name: Str,
    /// `nodeID`: the node as the driver names it.
    pub node_id: Str,
    /// `topologyKeys`.
    pub topology_keys: Box<[Str]>,
    /// `allocatable.count`: the number of volumes that can be attached.
    pub limit: Option<i64>,
}

/// `storage.k8s.io/v1` CSIStorageCapacity: the capacity that a driver has for a class in a part of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageCapacity {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `storageClassName`.
    pub class_name: Str,
    /// `nodeTopology`: the nodes that can reach the capacity. `None` means no node.
    pub topology: Option<Box<LabelSelector>>,
    /// `capacity`.
    pub capacity: Option<Quantity>,
    /// `maximumVolumeSize`.
    pub maximum: Option<Quantity>,
}

/// `v1` Event about an object that some answer reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `involvedObject`.
    pub about: ObjectKey,
    /// `involvedObject.uid`. It is empty if the field is absent.
    pub uid: Str,
    /// `reason`.
    pub reason: Str,
    /// `message`.
    pub message: Str,
    /// `type`: `Normal` or `Warning`.
    pub kind: Str,
    /// The component that reported the event: `reportingComponent`, otherwise `source.component`. It may be empty.
    pub source: Str,
    /// The number of occurrences: `series.count`, otherwise `count`. It is 1 if both are absent.
    pub count: u64,
    /// The time of the last occurrence: `series.lastObservedTime`, otherwise `lastTimestamp`, `eventTime` or the
    /// event's creation.
    pub last_seen: Option<Timestamp>,
}

/// `v1` ResourceQuota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceQuota {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `status.hard`, sorted by resource name.
    pub hard: Box<[(Str, Quantity)]>,
    /// `status.used`, sorted by resource name.
    pub used: Box<[(Str, Quantity)]>,
    /// Whether `spec.scopes` or `spec.scopeSelector` restricts the quota to some objects.
    pub scoped: bool,
}

/// `v1` LimitRange, with the limits for claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitRange {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// The smallest `storage` that a claim may request: the largest `min` of the limits of type
    /// `PersistentVolumeClaim`.
    pub least: Option<Quantity>,
    /// The largest `storage` that a claim may request: the smallest `max` of these limits.
    pub most: Option<Quantity>,
}

/// `apps/v1` StatefulSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatefulSet {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.replicas`. It is 1 if the field is absent.
    pub replicas: i64,
    /// `spec.ordinals.start`.
    pub first_ordinal: i64,
    /// `spec.volumeClaimTemplates`: the name, class and requested storage of each template.
    pub templates: Box<[ClaimTemplate]>,
    /// `spec.persistentVolumeClaimRetentionPolicy.whenDeleted`. It may be empty, which means `Retain`.
    pub when_deleted: Str,
    /// `spec.persistentVolumeClaimRetentionPolicy.whenScaled`. It may be empty, which means `Retain`.
    pub when_scaled: Str,
}

impl StatefulSet {
    /// Returns the ordinal of the pod for which the StatefulSet creates a claim of this name from the template. The
    /// value is `None` if it creates no such claim. Ordinals have no leading zeros. Upstream:
    /// `getPersistentVolumeClaimName`, `pkg/controller/statefulset`, 1.36.
    pub fn ordinal(&self, template: &ClaimTemplate, claim: &str) -> Option<i64> {
        let rest = claim.strip_prefix(&*template.name)?.strip_prefix('-')?;
        let rest = rest.strip_prefix(&*self.meta.name)?.strip_prefix('-')?;
        let ordinal: i64 = rest.parse().ok().filter(|ordinal| *ordinal >= 0)?;
        (ordinal.to_string() == rest).then_some(ordinal)
    }

    /// Returns whether the StatefulSet creates a claim of this name, now or when it is scaled up.
    pub fn makes(&self, claim: &str) -> bool {
        self.templates.iter().any(|template| self.ordinal(template, claim).is_some())
    }

    /// Returns whether the StatefulSet has a pod with this ordinal, or is about to create it. Upstream:
    /// `podInOrdinalRange`, 1.36.
    pub fn has_member(&self, ordinal: i64) -> bool {
        ordinal >= self.first_ordinal && ordinal < self.first_ordinal.saturating_add(self.replicas)
    }

    /// Returns whether the claims of pods are deleted when the StatefulSet is scaled down.
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
