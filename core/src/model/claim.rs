//! The model of PersistentVolumeClaims.

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
    /// `spec.volumeName`. It is empty if the claim names no volume.
    pub volume_name: Str,
    /// `spec.storageClassName`. An empty string differs from an absent field.
    pub class_name: Option<Str>,
    /// `spec.volumeAttributesClassName`.
    pub attributes_class: Option<Str>,
    /// `spec.volumeMode`.
    pub volume_mode: Option<VolumeMode>,
    /// `spec.selector`.
    pub selector: Option<Box<LabelSelector>>,
    /// Whether `spec.dataSource` is set.
    pub data_source: bool,
    /// The fields that few claims have.
    pub details: Option<Arc<ClaimDetails>>,
    /// `status`.
    pub status: ClaimStatus,
}

impl PersistentVolumeClaim {
    /// The finalizer that keeps a claim while pods use it.
    pub const PROTECTION: &'static str = "kubernetes.io/pvc-protection";

    /// Returns the storage that the claim requests, if it requests any.
    pub fn requested(&self) -> Option<Quantity> {
        self.request.as_ref().map(|amount| amount.quantity)
    }

    /// Returns the effective class: the deprecated annotation if it is present, otherwise the field. It is empty if the
    /// claim has no class. Upstream: `GetPersistentVolumeClaimClass`, component-helpers, 1.36.
    pub fn class(&self) -> &str {
        self.meta.annotations.get(AnnotationKey::BetaStorageClass).or(self.class_name.as_deref()).unwrap_or_default()
    }

    /// Returns whether the claim states a class. An empty class is a stated class as well. Upstream:
    /// `PersistentVolumeClaimHasClass`, component-helpers, 1.36.
    pub fn has_class(&self) -> bool {
        self.meta.annotations.has(AnnotationKey::BetaStorageClass) || self.class_name.is_some()
    }

    /// Returns the volume mode. It is Filesystem if none is stated.
    pub fn mode(&self) -> VolumeMode {
        self.volume_mode.clone().unwrap_or_default()
    }

    /// Returns the attributes class. It is empty if no attributes class is stated.
    pub fn attributes_class(&self) -> &str {
        self.attributes_class.as_deref().unwrap_or_default()
    }

    /// Returns `metadata.ownerReferences`.
    pub fn owners(&self) -> &[Owner] {
        self.details.as_ref().map_or(&[], |details| &details.owners)
    }

    /// Returns the condition of this type, if the claim has it. The condition `Unused` is in [`ClaimStatus::unused`]
    /// instead.
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.details.as_ref()?.conditions.iter().find(|condition| condition.kind == kind)
    }

    /// Returns the object from which the volume of the claim is to be filled.
    pub fn source(&self) -> Option<&DataSource> {
        self.details.as_ref()?.data_source.as_ref()
    }

    /// Returns whether the object is being deleted.
    pub fn terminating(&self) -> bool {
        self.meta.deleted.is_some()
    }

    /// Returns the claim's namespace and name.
    pub fn key(&self) -> ClaimKey {
        ClaimKey { namespace: self.meta.namespace.clone(), name: self.meta.name.clone() }
    }
}

/// The fields of a claim that few claims have. The PersistentVolume controller does not read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimDetails {
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.dataSourceRef`, or `spec.dataSource` if `dataSourceRef` is not set.
    pub data_source: Option<DataSource>,
    /// `status.conditions` except `Unused`.
    pub conditions: Box<[Condition]>,
    /// `status.allocatedResources` of `storage`: the target size of a resize that is in progress.
    pub allocated: Option<Quantity>,
    /// `status.allocatedResourceStatuses` of `storage`: the progress of this resize. It is empty if the field is
    /// absent.
    pub allocated_status: Str,
    /// `status.modifyVolumeStatus`: the change of the attributes class that is in progress, or that was refused.
    pub modify: Option<ModifyVolume>,
    /// Further fields that a controller sends when it creates the claim from a template.
    pub sent: Option<Box<SentDetails>>,
}

/// The change of a volume to another attributes class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModifyVolume {
    /// `targetVolumeAttributesClassName`.
    pub target: Str,
    /// `status`: `Pending`, `InProgress` or `Infeasible`.
    pub status: Str,
}

/// The fields that are needed only for a request that creates a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentDetails {
    /// The `metadata.annotations` that no decision reads, sorted by key.
    pub annotations: Box<[(Str, Unread)]>,
    /// `spec.resources.limits`, sorted by resource name.
    pub limits: Box<[(Str, Amount)]>,
    /// Whether `spec.dataSourceRef` is set.
    pub data_source_ref: bool,
}

/// One entry of `metadata.ownerReferences`.
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

/// An object from which a claim is to be filled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSource {
    /// `apiGroup`. It is empty for the core group.
    pub group: Str,
    /// `kind`.
    pub kind: Str,
    /// `namespace`. It is empty for the namespace of the claim.
    pub namespace: Str,
    /// `name`.
    pub name: Str,
}

/// The part of `status` of a claim that a modelled controller reads or writes. [`ClaimDetails`] has the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimStatus {
    /// `status.phase`.
    pub phase: ClaimPhase,
    /// `status.accessModes`. It is empty if the field is absent.
    pub access_modes: AccessModes,
    /// `status.capacity`, sorted by resource name. It is empty if the field is absent.
    pub capacity: Arc<[(Str, Amount)]>,
    /// `status.currentVolumeAttributesClassName`.
    pub current_attributes_class: Option<Str>,
    /// Whether the alpha condition `Unused` is true. The value is `None` if the claim has no such condition.
    pub unused: Option<bool>,
}

impl ClaimStatus {
    /// Returns `status.capacity.storage`, if it is stated.
    pub fn storage(&self) -> Option<&Quantity> {
        self.capacity.iter().find(|(resource, _)| resource == "storage").map(|(_, amount)| &amount.quantity)
    }
}

/// `status.phase` of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimPhase {
    /// The phase is absent or empty.
    #[default]
    Empty,
    /// The claim is not bound.
    Pending,
    /// The claim is bound to a volume.
    Bound,
    /// The claim was bound, and the volume is gone or belongs to another claim.
    Lost,
    /// A phase that the API server would refuse.
    Other(Str),
}

impl ClaimPhase {
    /// Returns the phase as manifests write it. It is empty for [`Self::Empty`].
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Pending => "Pending",
            Self::Bound => "Bound",
            Self::Lost => "Lost",
            Self::Other(phase) => phase,
        }
    }

    /// Returns the phase with this spelling.
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
