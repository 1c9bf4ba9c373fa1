//! What a provisioner decides, as data.

use super::leaves::{CloneBranch, DeletionBranch, FinalizerBranch, ProvisionBranch};
use crate::model::{AccessModes, Kind, ObjectKey, ReclaimPolicy, Str, VolumeMode};
use crate::snapshot::Absence;
use std::collections::{BTreeMap, BTreeSet};

/// A topology in the sense of CSI: keys with their values.
pub type Segments = BTreeMap<Str, Str>;

/// The namespace and the name of a Secret.
pub type SecretName = (Str, Str);

/// One action of a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// An event about the object that is synced.
    Event {
        /// Whether the event is a Warning.
        warning: bool,
        /// The reason.
        reason: &'static str,
        /// The message.
        message: String,
    },
    /// The finalizers of an object are replaced.
    Finalizers {
        /// The object.
        object: ObjectKey,
        /// All its finalizers after the write.
        finalizers: Vec<Str>,
    },
    /// The claim loses the annotation of the selected node, so that the scheduler selects a node again.
    RemoveSelectedNode,
    /// The driver is asked to create a volume.
    CreateVolume(Box<CreateVolumeRequest>),
    /// The driver is asked to delete a volume.
    DeleteVolume(DeleteVolumeRequest),
    /// A PersistentVolume is created.
    StoreVolume(Box<ProvisionedVolume>),
    /// The PersistentVolume that is synced is deleted.
    DeleteObject,
}

/// The state of the provisioning after a sync. Upstream: `ProvisioningState`, v13.1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvisioningState {
    /// The driver may still be creating the volume.
    InBackground,
    /// The driver is certainly not creating the volume any more.
    Finished,
    /// The state is the same as before the sync.
    NoChange,
    /// Another node has to be selected.
    Reschedule,
}

impl ProvisioningState {
    /// Returns the state as upstream writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InBackground => "Background",
            Self::Finished => "Finished",
            Self::NoChange => "NoChange",
            Self::Reschedule => "Reschedule",
        }
    }
}

/// Something that a decision depends on and that is not modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotEvaluated {
    /// Whether the Secrets of the request exist.
    Secrets,
    /// The name of a Secret uses an annotation of the claim that is not read.
    ClaimAnnotations,
    /// The parameters of an in-tree class are translated for the driver.
    MigratedClass,
    /// The volume is translated from CSI to its in-tree plugin, or from the plugin to CSI.
    MigratedVolume,
}

/// The decision about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provisioning {
    /// Where the sync ends.
    pub leaf: ProvisionBranch,
    /// Whether a volume should be provisioned. Upstream: `shouldProvision`, v13.1.0.
    pub should: bool,
    /// The actions of the sync, in order.
    pub acts: Vec<Act>,
    /// The state of the provisioning, if `Provision` is called.
    pub state: Option<ProvisioningState>,
    /// The error of `Provision`.
    pub error: Option<String>,
    /// The error of the sync. If there is an error, the claim is tried again.
    pub retry: Option<String>,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
    /// What is not modelled and could change the answer.
    pub not_evaluated: BTreeSet<NotEvaluated>,
}

impl Provisioning {
    /// Returns the request to the driver, if there is one.
    pub fn request(&self) -> Option<&CreateVolumeRequest> {
        self.acts.iter().find_map(|act| match act {
            Act::CreateVolume(request) => Some(&**request),
            _ => None,
        })
    }
}

/// The decision about a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// Where the sync ends.
    pub leaf: DeletionBranch,
    /// What the sync first does with the finalizer of the provisioner. It is `None` for volumes of other provisioners.
    pub finalizer: Option<FinalizerBranch>,
    /// Whether the storage should be deleted. Upstream: `shouldDelete`, v13.1.0.
    pub should: bool,
    /// The actions of the sync, in order.
    pub acts: Vec<Act>,
    /// The error of the sync. If there is an error, the volume is tried again.
    pub retry: Option<String>,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
    /// What is not modelled and could change the answer.
    pub not_evaluated: BTreeSet<NotEvaluated>,
}

/// The decision about the protection of a claim that is cloned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneProtection {
    /// Where the sync ends.
    pub leaf: CloneBranch,
    /// The Pending claims that name the claim as their source. The error of the sync names one of them.
    pub cloned_by: Vec<Str>,
    /// The write of the sync, if there is one.
    pub act: Option<Act>,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
}

/// `CreateVolumeRequest` of CSI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreateVolumeRequest {
    /// `name`.
    pub name: Str,
    /// `capacity_range.required_bytes`.
    pub bytes: i64,
    /// The access modes of `volume_capabilities`, one for each access mode of the claim.
    pub modes: Vec<&'static str>,
    /// Whether the volume is a block device.
    pub block: bool,
    /// The type of the file system. It is empty if nothing states one, and for a block device.
    pub fs_type: Str,
    /// The mount options. There are none for a block device.
    pub mount_flags: Vec<Str>,
    /// The names of `parameters`, sorted.
    pub parameters: Vec<Str>,
    /// The names of `mutable_parameters`, sorted.
    pub mutable_parameters: Vec<Str>,
    /// The Secret whose data is in `secrets`.
    pub secret: Option<SecretName>,
    /// `volume_content_source`.
    pub source: Option<ContentSource>,
    /// `accessibility_requirements`.
    pub topology: Option<TopologyRequirement>,
}

/// `VolumeContentSource` of CSI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentSource {
    /// The handle of a snapshot.
    Snapshot(Str),
    /// The handle of a volume.
    Volume(Str),
}

/// `TopologyRequirement` of CSI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopologyRequirement {
    /// The topologies. The volume has to be accessible from at least one of them.
    pub requisite: Vec<Segments>,
    /// The same topologies, in the order in which the driver should try them.
    pub preferred: Vec<Segments>,
}

/// `DeleteVolumeRequest` of CSI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteVolumeRequest {
    /// The handle of the volume.
    pub handle: Str,
    /// The Secret whose data is sent.
    pub secret: Option<SecretName>,
}

/// The PersistentVolume that the provisioner creates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvisionedVolume {
    /// `metadata.name`.
    pub name: Str,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<&'static str, Str>,
    /// `spec.csi.driver`.
    pub driver: Str,
    /// `spec.csi.volumeHandle`.
    pub handle: Str,
    /// `spec.csi.fsType`.
    pub fs_type: Str,
    /// `spec.csi.readOnly`.
    pub read_only: bool,
    /// The references to Secrets in `spec.csi`, by their fields.
    pub secrets: BTreeMap<&'static str, SecretName>,
    /// `spec.capacity.storage` in bytes.
    pub bytes: i64,
    /// `spec.accessModes`.
    pub access_modes: AccessModes,
    /// `spec.persistentVolumeReclaimPolicy`.
    pub reclaim_policy: Option<ReclaimPolicy>,
    /// `spec.storageClassName`.
    pub class_name: Str,
    /// `spec.mountOptions`.
    pub mount_options: Vec<Str>,
    /// `spec.volumeMode`.
    pub volume_mode: Option<VolumeMode>,
    /// `spec.volumeAttributesClassName`.
    pub attributes_class: Option<Str>,
    /// The terms of `spec.nodeAffinity.required`: labels that a node has to have.
    pub node_affinity: Option<Vec<Segments>>,
}
