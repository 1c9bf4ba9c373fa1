//! What a decision needs and a snapshot does not have: the flags of the provisioner, the capabilities and the answers
//! of its driver, and the Secrets.

use super::decision::Segments;
use crate::model::Str;
use std::collections::BTreeSet;
use std::fmt;

/// A provisioner with its flags and the capabilities of its driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sidecar {
    /// The name of the driver, and so of the provisioner.
    pub driver: Str,
    /// The capabilities that the driver reports.
    pub capabilities: BTreeSet<Capability>,
    /// `--strict-topology`: if a node is selected, the request has only the topology of this node.
    pub strict_topology: bool,
    /// `--immediate-topology`: if no node is selected, the request has the topologies of all nodes. The default is
    /// true.
    pub immediate_topology: bool,
    /// `--extra-create-metadata`: requests have the names of the claim and the volume as parameters.
    pub extra_create_metadata: bool,
    /// `--controller-publish-readonly`: a volume whose only access mode is `ReadOnlyMany` is attached read-only.
    pub controller_publish_read_only: bool,
    /// `--prevent-volume-mode-conversion`. The default is true.
    pub prevent_volume_mode_conversion: bool,
    /// `--default-fstype`. It is empty if the flag is not set.
    pub default_fs_type: Str,
}

impl Sidecar {
    /// Returns a provisioner with the defaults of its flags, and a driver with all capabilities.
    pub fn new(driver: impl Into<Str>) -> Self {
        Self {
            driver: driver.into(),
            capabilities: Capability::ALL.into_iter().collect(),
            immediate_topology: true,
            prevent_volume_mode_conversion: true,
            ..Self::default()
        }
    }

    pub(super) fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Returns the in-tree plugin that the driver replaces.
    pub(super) fn migrated_from(&self) -> Option<&'static str> {
        in_tree_name(&self.driver)
    }

    /// Returns whether the provisioner knows the name: it is the name of its driver, or of the in-tree plugin that the
    /// driver replaces. Upstream: `knownProvisioner`, v13.1.0.
    pub(super) fn known_provisioner(&self, name: &str) -> bool {
        name == self.driver || self.migrated_from() == Some(name)
    }
}

/// Returns the in-tree plugin that a driver replaces. Upstream: `GetInTreeNameFromCSIName`, csi-translation-lib, 0.36.
pub(in crate::controllers) fn in_tree_name(driver: &str) -> Option<&'static str> {
    Some(match driver {
        "ebs.csi.aws.com" => super::AWS_PLUGIN,
        "pd.csi.storage.gke.io" => "kubernetes.io/gce-pd",
        "disk.csi.azure.com" => "kubernetes.io/azure-disk",
        "file.csi.azure.com" => "kubernetes.io/azure-file",
        "cinder.csi.openstack.org" => "kubernetes.io/cinder",
        "csi.vsphere.vmware.com" => "kubernetes.io/vsphere-volume",
        "pxd.portworx.com" => "kubernetes.io/portworx-volume",
        _ => return None,
    })
}

macro_rules! capabilities {
    ($($(#[$doc:meta])* $name:ident $text:literal,)+) => {
        /// A capability of a driver on which some decision depends.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Capability { $($(#[$doc])* $name,)+ }

        impl Capability {
            /// Every capability.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$name),+];

            /// Returns the capability as CSI writes it.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }
        }
    };
}

capabilities! {
    /// The driver has a controller service.
    ControllerService "CONTROLLER_SERVICE",
    /// A volume may be accessible only from some nodes.
    AccessibilityConstraints "VOLUME_ACCESSIBILITY_CONSTRAINTS",
    /// Volumes can be created and deleted.
    CreateDeleteVolume "CREATE_DELETE_VOLUME",
    /// Snapshots can be taken and deleted.
    CreateDeleteSnapshot "CREATE_DELETE_SNAPSHOT",
    /// Volumes can be cloned.
    CloneVolume "CLONE_VOLUME",
    /// Volumes can be modified.
    ModifyVolume "MODIFY_VOLUME",
    /// Volumes are attached to nodes.
    PublishUnpublishVolume "PUBLISH_UNPUBLISH_VOLUME",
    /// The driver distinguishes `SINGLE_NODE_SINGLE_WRITER` and `SINGLE_NODE_MULTI_WRITER`.
    SingleNodeMultiWriter "SINGLE_NODE_MULTI_WRITER",
}

/// What is known about Secrets. No snapshot has Secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Secrets {
    /// Nothing is known. The decision assumes that the Secrets of a request exist, and says so.
    #[default]
    Unknown,
    /// The namespaces and names of all Secrets that exist.
    Known(BTreeSet<(Str, Str)>),
}

/// The answers of a driver. `None` means that an answer is not known: then the decision ends with the request. There is
/// one exception: if a created volume cannot be used and the answer to its deletion is not known, the decision assumes
/// that the driver deletes the volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    /// The answer to `CreateVolume`.
    pub create: Option<Result<Created, DriverError>>,
    /// The answer to `DeleteVolume`.
    pub delete: Option<Result<(), DriverError>>,
}

/// A volume that a driver created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Created {
    /// The handle of the volume.
    pub handle: Str,
    /// The size of the volume in bytes. It is 0 if the driver does not know it.
    pub bytes: i64,
    /// Whether the answer names the source of the volume.
    pub has_source: bool,
    /// The topologies from which the volume is accessible.
    pub topology: Vec<Segments>,
}

/// The error of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverError {
    /// The code.
    pub code: GrpcCode,
    /// The message of the driver.
    pub message: Str,
}

impl fmt::Display for DriverError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "rpc error: code = {} desc = {}", self.code.as_str(), self.message)
    }
}

/// A gRPC code. The codes on which no decision depends are [`GrpcCode::Other`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrpcCode {
    /// The request cannot succeed as it is.
    InvalidArgument,
    /// There is not enough storage for this topology.
    ResourceExhausted,
    /// The caller gave up.
    Canceled,
    /// The answer took too long.
    DeadlineExceeded,
    /// The driver cannot be reached.
    Unavailable,
    /// An operation for the volume is running already.
    Aborted,
    /// Another code, with its name.
    Other(Str),
}

impl GrpcCode {
    /// Returns the code as Go prints it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::InvalidArgument => "InvalidArgument",
            Self::ResourceExhausted => "ResourceExhausted",
            Self::Canceled => "Canceled",
            Self::DeadlineExceeded => "DeadlineExceeded",
            Self::Unavailable => "Unavailable",
            Self::Aborted => "Aborted",
            Self::Other(name) => name,
        }
    }

    /// Returns the code with this name.
    pub fn named(name: &str) -> Self {
        match name {
            "InvalidArgument" => Self::InvalidArgument,
            "ResourceExhausted" => Self::ResourceExhausted,
            "Canceled" => Self::Canceled,
            "DeadlineExceeded" => Self::DeadlineExceeded,
            "Unavailable" => Self::Unavailable,
            "Aborted" => Self::Aborted,
            other => Self::Other(other.into()),
        }
    }
}
