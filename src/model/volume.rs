//! PersistentVolumes.

use super::{AccessModes, Amount, AnnotationKey, ClaimKey, NodeSelector, ObjectMeta, Quantity, Str, Timestamp};
use std::sync::Arc;

/// A PersistentVolume as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersistentVolume {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.capacity`, by resource name in order. Valid ones hold `storage` alone.
    pub capacity: Arc<[(Str, Amount)]>,
    /// `spec.accessModes`.
    pub access_modes: AccessModes,
    /// `spec.claimRef`.
    pub claim_ref: Option<ClaimRef>,
    /// `spec.persistentVolumeReclaimPolicy`.
    pub reclaim_policy: ReclaimPolicy,
    /// `spec.storageClassName`; empty when there is none.
    pub class_name: Str,
    /// `spec.volumeAttributesClassName`.
    pub attributes_class: Option<Str>,
    /// `spec.volumeMode`.
    pub volume_mode: Option<VolumeMode>,
    /// The storage itself.
    pub source: VolumeSource,
    /// `spec.nodeAffinity.required`.
    pub node_affinity: Option<Arc<NodeSelector>>,
    /// `status`.
    pub status: VolumeStatus,
}

impl PersistentVolume {
    /// The class that counts: the deprecated annotation if it is present, else the field; empty for none.
    /// Upstream: `GetPersistentVolumeClass`, component-helpers, 1.36.
    pub fn class(&self) -> &str {
        self.meta.annotations.get(AnnotationKey::BetaStorageClass).unwrap_or(&self.class_name)
    }

    /// Whether the volume waits for a claim of that name, whichever it will be: `claimRef` names it without a uid.
    /// Upstream: the pre-bound case of `syncVolume`, `pkg/controller/volume/persistentvolume`, 1.36.
    pub fn is_reserved_for(&self, namespace: &str, name: &str) -> bool {
        self.claim_ref
            .as_ref()
            .is_some_and(|named| named.namespace == namespace && named.name == name && named.uid.is_empty())
    }

    /// `spec.capacity.storage`, if it is stated.
    pub fn storage(&self) -> Option<&Quantity> {
        self.stated_storage().map(|amount| &amount.quantity)
    }

    /// `spec.capacity.storage` as it is written, if it is stated.
    pub fn stated_storage(&self) -> Option<&Amount> {
        self.capacity.iter().find(|(resource, _)| resource == "storage").map(|(_, amount)| amount)
    }

    /// The mode, where none is stated: Filesystem.
    pub fn mode(&self) -> VolumeMode {
        self.volume_mode.clone().unwrap_or_default()
    }

    /// The attributes class; empty when there is none.
    pub fn attributes_class(&self) -> &str {
        self.attributes_class.as_deref().unwrap_or_default()
    }

    /// Whether the object is being deleted.
    pub fn terminating(&self) -> bool {
        self.meta.deleted.is_some()
    }
}

/// `spec.claimRef`: whom the volume says that it belongs to. Each part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClaimRef {
    /// `apiVersion`; empty when absent.
    pub api_version: Str,
    /// `kind`; empty when absent.
    pub kind: Str,
    /// `namespace`; empty when absent.
    pub namespace: Str,
    /// `name`; empty when absent.
    pub name: Str,
    /// `uid`; empty for a reservation.
    pub uid: Str,
    /// `resourceVersion`; empty when absent, `<next>` when a simulated write gave it.
    pub resource_version: Str,
    /// `fieldPath`; empty when absent.
    pub field_path: Str,
}

impl ClaimRef {
    /// The claim that is named, whether it exists or not.
    pub fn claim_key(&self) -> ClaimKey {
        ClaimKey { namespace: self.namespace.clone(), name: self.name.clone() }
    }
}

/// `spec.persistentVolumeReclaimPolicy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReclaimPolicy {
    /// The volume is kept as it is.
    #[default]
    Retain,
    /// The data are scrubbed and the volume is offered again.
    Recycle,
    /// The storage is deleted.
    Delete,
    /// Something that the API server would refuse.
    Other(Str),
}

impl ReclaimPolicy {
    /// The policy as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Retain => "Retain",
            Self::Recycle => "Recycle",
            Self::Delete => "Delete",
            Self::Other(policy) => policy,
        }
    }

    /// The policy of that spelling.
    pub fn from_manifest(policy: &str) -> Self {
        match policy {
            "Retain" => Self::Retain,
            "Recycle" => Self::Recycle,
            "Delete" => Self::Delete,
            other => Self::Other(other.into()),
        }
    }
}

/// `spec.volumeMode`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VolumeMode {
    /// A mounted file system.
    #[default]
    Filesystem,
    /// A raw block device.
    Block,
    /// Something that the API server would refuse.
    Other(Str),
}

impl VolumeMode {
    /// The mode as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Filesystem => "Filesystem",
            Self::Block => "Block",
            Self::Other(mode) => mode,
        }
    }

    /// The mode of that spelling.
    pub fn from_manifest(mode: &str) -> Self {
        match mode {
            "Filesystem" => Self::Filesystem,
            "Block" => Self::Block,
            other => Self::Other(other.into()),
        }
    }
}

/// The storage behind a volume, as far as a decision reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSource {
    /// Which of the source fields is set.
    pub kind: SourceKind,
    /// `csi.driver`, the path of `hostPath` and `local`, or who else has the storage, such as `nfs.server`, the
    /// monitors of `rbd` or the portals of `iscsi`; empty where the handle says all.
    pub detail: Str,
    /// What the storage is called there, such as `csi.volumeHandle`, `nfs.path`, `pool/image` of `rbd` or the id of a
    /// disk; empty where the source does not say that in the open, and for `hostPath` and `local`.
    pub handle: Str,
}

/// Which field of a volume's source is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// `csi`.
    Csi,
    /// `hostPath`.
    HostPath,
    /// `nfs`.
    Nfs,
    /// `local`.
    Local,
    /// Any other field, such as `awsElasticBlockStore`, under its name.
    Other(Str),
    /// None at all; only files can hold it.
    #[default]
    None,
}

impl SourceKind {
    /// The field as manifests write it; `none` when there is none.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Csi => "csi",
            Self::HostPath => "hostPath",
            Self::Nfs => "nfs",
            Self::Local => "local",
            Self::Other(field) => field,
            Self::None => "none",
        }
    }
}

/// `status` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeStatus {
    /// `status.phase`.
    pub phase: VolumePhase,
    /// `status.message`; empty when absent.
    pub message: Str,
    /// `status.lastPhaseTransitionTime`.
    pub last_phase_transition: Option<Timestamp>,
}

/// `status.phase` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VolumePhase {
    /// Absent or empty.
    #[default]
    Empty,
    /// Not yet judged by the controller.
    Pending,
    /// Free.
    Available,
    /// Bound to a claim.
    Bound,
    /// Its claim is gone.
    Released,
    /// Its reclamation failed.
    Failed,
    /// Something that the API server would refuse.
    Other(Str),
}

impl VolumePhase {
    /// The phase as manifests write it; empty for none.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Pending => "Pending",
            Self::Available => "Available",
            Self::Bound => "Bound",
            Self::Released => "Released",
            Self::Failed => "Failed",
            Self::Other(phase) => phase,
        }
    }

    /// The phase of that spelling.
    pub fn from_manifest(phase: &str) -> Self {
        match phase {
            "" => Self::Empty,
            "Pending" => Self::Pending,
            "Available" => Self::Available,
            "Bound" => Self::Bound,
            "Released" => Self::Released,
            "Failed" => Self::Failed,
            other => Self::Other(other.into()),
        }
    }
}
