//! The model of PersistentVolumes.

use super::{
    AccessModes, Amount, AnnotationKey, ClaimKey, NodeSelector, ObjectMeta, PersistentVolumeClaim, Quantity, Str,
    Timestamp,
};
use std::sync::Arc;

/// A PersistentVolume as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersistentVolume {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.capacity`, sorted by resource name. Valid volumes have only `storage`.
    pub capacity: Arc<[(Str, Amount)]>,
    /// `spec.accessModes`.
    pub access_modes: AccessModes,
    /// `spec.claimRef`.
    pub claim_ref: Option<ClaimRef>,
    /// `spec.persistentVolumeReclaimPolicy`.
    pub reclaim_policy: ReclaimPolicy,
    /// `spec.storageClassName`. It is empty if no class is stated.
    pub class_name: Str,
    /// `spec.volumeAttributesClassName`.
    pub attributes_class: Option<Str>,
    /// `spec.volumeMode`.
    pub volume_mode: Option<VolumeMode>,
    /// Whether `spec.mountOptions` has an option. The options can hold passwords, so they are not kept.
    pub has_mount_options: bool,
    /// The storage of the volume.
    pub source: VolumeSource,
    /// `spec.nodeAffinity.required`.
    pub node_affinity: Option<Arc<NodeSelector>>,
    /// `status`.
    pub status: VolumeStatus,
}

impl PersistentVolume {
    /// Returns the effective class: the deprecated annotation if it is present, otherwise the field. It is empty if the
    /// volume has no class. Upstream: `GetPersistentVolumeClass`, component-helpers, 1.36.
    pub fn class(&self) -> &str {
        self.meta.annotations.get(AnnotationKey::BetaStorageClass).unwrap_or(&self.class_name)
    }

    /// Returns whether the volume is reserved for any claim of this name: `claimRef` names the claim without a uid.
    /// Upstream: the pre-bound case of `syncVolume`, `pkg/controller/volume/persistentvolume`, 1.36.
    pub fn is_reserved_for(&self, namespace: &str, name: &str) -> bool {
        self.claim_ref
            .as_ref()
            .is_some_and(|named| named.namespace == namespace && named.name == name && named.uid.is_empty())
    }

    /// Returns `spec.capacity.storage`, if it is stated.
    pub fn storage(&self) -> Option<&Quantity> {
        self.stated_storage().map(|amount| &amount.quantity)
    }

    /// Returns `spec.capacity.storage` as it was written, if it is stated.
    pub fn stated_storage(&self) -> Option<&Amount> {
        self.capacity.iter().find(|(resource, _)| resource == "storage").map(|(_, amount)| amount)
    }

    /// Returns the volume mode. It is Filesystem if none is stated.
    pub fn mode(&self) -> VolumeMode {
        self.volume_mode.clone().unwrap_or_default()
    }

    /// Returns the attributes class. It is empty if no attributes class is stated.
    pub fn attributes_class(&self) -> &str {
        self.attributes_class.as_deref().unwrap_or_default()
    }

    /// Returns whether the object is being deleted.
    pub fn terminating(&self) -> bool {
        self.meta.deleted.is_some()
    }
}

/// `spec.claimRef`: the claim to which the volume refers. Each part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClaimRef {
    /// `apiVersion`. It is empty if the field is absent.
    pub api_version: Str,
    /// `kind`. It is empty if the field is absent.
    pub kind: Str,
    /// `namespace`. It is empty if the field is absent.
    pub namespace: Str,
    /// `name`. It is empty if the field is absent.
    pub name: Str,
    /// `uid`. It is empty if the volume is only reserved for the claim.
    pub uid: Str,
    /// `resourceVersion`. It is empty if the field is absent, and `<next>` if a simulated write set it.
    pub resource_version: Str,
    /// `fieldPath`. It is empty if the field is absent.
    pub field_path: Str,
}

impl ClaimRef {
    /// Returns the reference to a claim, as Kubernetes' components write it.
    pub fn to(claim: &PersistentVolumeClaim) -> Self {
        Self {
            api_version: Str::const_new("v1"),
            kind: Str::const_new("PersistentVolumeClaim"),
            namespace: claim.meta.namespace.clone(),
            name: claim.meta.name.clone(),
            uid: claim.meta.uid.clone(),
            resource_version: Str::from(claim.meta.resource_version.to_string()),
            field_path: Str::default(),
        }
    }

    /// Returns the claim that the reference names, whether it exists or not.
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
    /// The data are scrubbed, and the volume becomes available again.
    Recycle,
    /// The storage is deleted.
    Delete,
    /// A policy that the API server would refuse.
    Other(Str),
}

impl ReclaimPolicy {
    /// Returns the policy as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Retain => "Retain",
            Self::Recycle => "Recycle",
            Self::Delete => "Delete",
            Self::Other(policy) => policy,
        }
    }

    /// Returns the policy with this spelling.
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
    /// A mode that the API server would refuse.
    Other(Str),
}

impl VolumeMode {
    /// Returns the mode as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Filesystem => "Filesystem",
            Self::Block => "Block",
            Self::Other(mode) => mode,
        }
    }

    /// Returns the mode with this spelling.
    pub fn from_manifest(mode: &str) -> Self {
        match mode {
            "Filesystem" => Self::Filesystem,
            "Block" => Self::Block,
            other => Self::Other(other.into()),
        }
    }
}

/// The storage of a volume, with the parts that some decision or rule reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSource {
    /// The source field that is set.
    pub kind: SourceKind,
    /// The driver, path or server: `csi.driver`, the path of `hostPath` and `local`, or the system that has the
    /// storage, such as `nfs.server`, the monitors of `rbd` or the portals of `iscsi`. It is empty if the handle alone
    /// identifies the storage.
    pub detail: Str,
    /// The name of the storage in that system, such as `csi.volumeHandle`, `nfs.path`, `pool/image` of `rbd` or the id
    /// of a disk. It is empty if the source does not state the name in a public field, and for `hostPath` and `local`.
    pub handle: Str,
    /// `azureDisk.kind`. It is empty for every other source.
    pub azure_kind: Str,
    /// The entries of `csi.volumeAttributes` that [`SERVER_ATTRIBUTES`] names, in the order of that list. The other
    /// attributes may contain anything, including a password, so they are not kept.
    pub attributes: Box<[(&'static str, Str)]>,
}

/// The attributes of CSI volumes that state which server has the volume and how clients reach it.
pub const SERVER_ATTRIBUTES: [&str; 8] = [
    "clusterID",
    "linstor.csi.linbit.com/nfs-export",
    "migratable",
    "nfsCluster",
    "nfsResources",
    "server",
    "share",
    "sharedv4",
];

/// Returns the name in [`SERVER_ATTRIBUTES`] of an attribute, if it may be kept. Upper and lower case are the same,
/// because csi-driver-nfs compares names so. An attribute that switches something on is kept only with such a value:
/// another driver can have anything else in an attribute of the same name.
pub fn server_attribute(name: &str, value: &str) -> Option<&'static str> {
    let kept = SERVER_ATTRIBUTES.into_iter().find(|kept| kept.eq_ignore_ascii_case(name))?;
    let is_switch = ["migratable", "nfsResources", "share", "sharedv4"].contains(&kept);
    (!is_switch || ["true", "false"].contains(&value)).then_some(kept)
}

impl VolumeSource {
    /// Returns the value of an attribute that is one of [`SERVER_ATTRIBUTES`]. Upper and lower case are the same.
    /// Upstream: `NodePublishVolume`, csi-driver-nfs 4.11.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut found = self.attributes.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

/// The field that is set in a volume's source.
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
    /// Any other field, such as `awsElasticBlockStore`, with its name.
    Other(Str),
    /// No source. Only files can contain such a volume.
    #[default]
    None,
}

impl SourceKind {
    /// Returns the field as manifests write it. It is `none` if there is no source.
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
    /// `status.message`. It is empty if the field is absent.
    pub message: Str,
    /// `status.lastPhaseTransitionTime`.
    pub last_phase_transition: Option<Timestamp>,
}

/// `status.phase` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VolumePhase {
    /// The phase is absent or empty.
    #[default]
    Empty,
    /// The controller has not set a phase yet.
    Pending,
    /// The volume is not bound: it is free, or it is reserved for a claim.
    Available,
    /// The volume is bound to a claim.
    Bound,
    /// The claim of the volume is gone.
    Released,
    /// The reclamation of the volume failed.
    Failed,
    /// A phase that the API server would refuse.
    Other(Str),
}

impl VolumePhase {
    /// Returns the phase as manifests write it. It is empty for [`Self::Empty`].
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

    /// Returns the phase with this spelling.
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
