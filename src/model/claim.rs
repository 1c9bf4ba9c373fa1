//! PersistentVolumeClaims.

use super::surroundings::Condition;
use super::{
    AccessModes, Amount, AnnotationKey, ClaimKey, LabelSelector, ObjectMeta, Quantity, Str, Unread, VolumeMode,
};
use std::sync::Arc;

/// A PersistentVolumeClaim as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersistentVolumeClaim {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.resources.requests.storage`.
    pub request: Option<Amount>,
    /// `spec.accessModes`.
    pub access_modes: AccessModes,
    /// `spec.volumeName`; empty when there is none.
    pub volume_name: Str,
    /// `spec.storageClassName`; an empty string and no field at all are different things.
    pub class_name: Option<Str>,
    /// `spec.volumeAttributesClassName`.
    pub attributes_class: Option<Str>,
    /// `spec.volumeMode`.
    pub volume_mode: Option<VolumeMode>,
    /// `spec.selector`.
    pub selector: Option<Box<LabelSelector>>,
    /// Whether `spec.dataSource` is set.
    pub data_source: bool,
    /// What no modelled controller reads; few claims have any of it.
    pub details: Option<Arc<ClaimDetails>>,
    /// `status`.
    pub status: ClaimStatus,
}

impl PersistentVolumeClaim {
    /// The finalizer that keeps a claim while pods use it.
    pub const PROTECTION: &'static str = "kubernetes.io/pvc-protection";

    /// How much storage the claim requests, if it says so.
    pub fn requested(&self) -> Option<Quantity> {
        self.request.as_ref().map(|amount| amount.quantity)
    }

    /// The class that counts: the deprecated annotation if it is present, else the field; empty for none.
    /// Upstream: `GetPersistentVolumeClaimClass`, component-helpers, 1.36.
    pub fn class(&self) -> &str {
        self.meta.annotations.get(AnnotationKey::BetaStorageClass).or(self.class_name.as_deref()).unwrap_or_default()
    }

    /// Whether any class is stated, also the empty one.
    /// Upstream: `PersistentVolumeClaimHasClass`, component-helpers, 1.36.
    pub fn has_class(&self) -> bool {
        self.meta.annotations.has(AnnotationKey::BetaStorageClass) || self.class_name.is_some()
    }

    /// The mode, where none is stated: Filesystem.
    pub fn mode(&self) -> VolumeMode {
        self.volume_mode.clone().unwrap_or_default()
    }

    /// The attributes class; empty when there is none.
    pub fn attributes_class(&self) -> &str {
        self.attributes_class.as_deref().unwrap_or_default()
    }

    /// `metadata.ownerReferences`.
    pub fn owners(&self) -> &[Owner] {
        self.details.as_ref().map_or(&[], |details| &details.owners)
    }

    /// The condition of that type, if it is there; `Unused` is in the status.
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.details.as_ref()?.conditions.iter().find(|condition| condition.kind == kind)
    }

    /// What it is to be filled from.
    pub fn source(&self) -> Option<&DataSource> {
        self.details.as_ref()?.data_source.as_ref()
    }

    /// Whether the object is being deleted.
    pub fn terminating(&self) -> bool {
        self.meta.deleted.is_some()
    }

    /// The claim's namespace and name.
    pub fn key(&self) -> ClaimKey {
        ClaimKey { namespace: self.meta.namespace.clone(), name: self.meta.name.clone() }
    }
}

/// What is evidence alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimDetails {
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.dataSourceRef`, else `spec.dataSource`.
    pub data_source: Option<DataSource>,
    /// `status.conditions`, but for `Unused`.
    pub conditions: Box<[Condition]>,
    /// `status.allocatedResources` of `storage`: the size to which a resize under way goes.
    pub allocated: Option<Quantity>,
    /// `status.allocatedResourceStatuses` of `storage`: how far that resize has come; empty when absent.
    pub allocated_status: Str,
    /// What a controller sends beside that, where it makes the claim of a template.
    pub sent: Option<Box<SentDetails>>,
}

/// What is in a request that creates a claim, and in nothing else that is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentDetails {
    /// `metadata.annotations` that no decision reads, in the order of their keys.
    pub annotations: Box<[(Str, Unread)]>,
    /// `spec.resources.limits`, by resource name in order.
    pub limits: Box<[(Str, Amount)]>,
    /// Whether `spec.dataSourceRef` is set.
    pub data_source_ref: bool,
}

/// One of `metadata.ownerReferences`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// `apiVersion`.
    pub api_version: Str,
    /// `kind`.
    pub kind: Str,
    /// `name`.
    pub name: Str,
    /// `uid`.
    pub uid: Str,
    /// `controller`.
    pub controller: bool,
}

/// What a claim is to be filled from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSource {
    /// `apiGroup`; empty for the core group.
    pub group: Str,
    /// `kind`.
    pub kind: Str,
    /// `namespace`; empty for the claim's own.
    pub namespace: Str,
    /// `name`.
    pub name: Str,
}

/// `status` of a claim, as far as a modelled controller reads or writes it; see [`ClaimDetails`] for the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimStatus {
    /// `status.phase`.
    pub phase: ClaimPhase,
    /// `status.accessModes`; empty when absent.
    pub access_modes: AccessModes,
    /// `status.capacity` by resource name in order; empty when absent.
    pub capacity: Arc<[(Str, Amount)]>,
    /// `status.currentVolumeAttributesClassName`.
    pub current_attributes_class: Option<Str>,
    /// Whether the alpha condition `Unused` is true; none where the claim has no such condition.
    pub unused: Option<bool>,
}

impl ClaimStatus {
    /// `status.capacity.storage`, if it is stated.
    pub fn storage(&self) -> Option<&Quantity> {
        self.capacity.iter().find(|(resource, _)| resource == "storage").map(|(_, amount)| &amount.quantity)
    }
}

/// `status.phase` of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimPhase {
    /// Absent or empty.
    #[default]
    Empty,
    /// Not bound.
    Pending,
    /// Bound to a volume.
    Bound,
    /// Was bound, and the volume is gone or belongs to another claim.
    Lost,
    /// Something that the API server would refuse.
    Other(Str),
}

impl ClaimPhase {
    /// The phase as manifests write it; empty for none.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Pending => "Pending",
            Self::Bound => "Bound",
            Self::Lost => "Lost",
            Self::Other(phase) => phase,
        }
    }

    /// The phase of that spelling.
    pub fn from_manifest(phase: &str) -> Self {
        match phase {
            "" => Self::Empty,
            "Pending" => Self::Pending,
            "Bound" => Self::Bound,
            "Lost" => Self::Lost,
            other => Self::Other(other.into()),
        }
    }
}
