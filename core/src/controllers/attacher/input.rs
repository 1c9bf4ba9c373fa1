//! What a decision needs and a snapshot does not have: the flags of the attacher, the capabilities and the answers of
//! its driver, the answers of the API server, the Secrets, and some fields of attachments and volumes.

use crate::controllers::provisioner::{DriverError, GrpcCode, Secrets};
use crate::model::{AccessModes, Str, VolumeMode};
use std::collections::{BTreeMap, BTreeSet};

/// An attacher with its flags and the capabilities of its driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sidecar {
    /// The name of the driver, and so of the attacher.
    pub driver: Str,
    /// Whether the driver attaches volumes: it has the capabilities `CONTROLLER_SERVICE` and
    /// `PUBLISH_UNPUBLISH_VOLUME`.
    pub attaches: bool,
    /// Whether the driver has the capability `PUBLISH_READONLY`.
    pub read_only: bool,
    /// Whether the driver has the capability `SINGLE_NODE_MULTI_WRITER`.
    pub single_node_multi_writer: bool,
    /// `--default-fstype`. It is empty if the flag is not set.
    pub default_fs_type: Str,
    /// `--timeout` in milliseconds.
    pub timeout: u64,
}

impl Sidecar {
    /// Returns an attacher with the defaults of its flags, and a driver that attaches volumes.
    pub fn new(driver: impl Into<Str>) -> Self {
        Self { driver: driver.into(), attaches: true, timeout: 15_000, ..Self::default() }
    }

    /// Returns the finalizer of the attacher. Upstream: `GetFinalizerName`, v4.13.0.
    pub fn finalizer(&self) -> Str {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let name: String = self.driver.chars().map(plain).collect();
        let end = if name.ends_with('-') { "X" } else { "" };
        format!("external-attacher/{name}{end}").into()
    }
}

/// The answers of a driver. `None` means that an answer is not known: then the decision ends with the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    /// The answer to `ControllerPublishVolume`: the publish context.
    pub publish: Option<Result<BTreeMap<Str, Str>, DriverError>>,
    /// The answer to `ControllerUnpublishVolume`.
    pub unpublish: Option<Result<(), DriverError>>,
    /// The time in milliseconds after which the driver answers.
    pub latency: u64,
}

/// Returns the number of a gRPC code. It is `None` if the name is not that of a code.
pub(super) fn number_of(code: &GrpcCode) -> Option<u32> {
    const CODES: [&str; 17] = [
        "OK",
        "Canceled",
        "Unknown",
        "InvalidArgument",
        "DeadlineExceeded",
        "NotFound",
        "AlreadyExists",
        "PermissionDenied",
        "ResourceExhausted",
        "FailedPrecondition",
        "Aborted",
        "OutOfRange",
        "Unimplemented",
        "Internal",
        "Unavailable",
        "DataLoss",
        "Unauthenticated",
    ];
    (0..).zip(CODES).find(|(_, name)| *name == code.as_str()).map(|(number, _)| number)
}

/// The error of a request that the API server refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the object does not exist.
    pub not_found: bool,
    /// The text of the error.
    pub text: Str,
}

/// The requests of one sync that the API server refuses. Each list has the answers to the first requests of its kind.
/// Later requests succeed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Patches of volumes.
    pub volume: Vec<Refusal>,
    /// Patches of the metadata of attachments.
    pub attachment: Vec<Refusal>,
    /// Patches of the status of attachments.
    pub status: Vec<Refusal>,
}

/// What calls of the driver need of a volume, and a snapshot does not keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishDetails {
    /// `readOnly`.
    pub read_only: bool,
    /// `fsType`. It is empty if the field is absent.
    pub fs_type: Str,
    /// `volumeAttributes`.
    pub attributes: BTreeMap<Str, Str>,
    /// `mountOptions`.
    pub mount_options: Vec<Str>,
    /// The namespace and the name of the Secret in `controllerPublishSecretRef`.
    pub secret: Option<(Str, Str)>,
}

/// `spec.source.inlineVolumeSpec` of a VolumeAttachment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlineVolume {
    /// `csi.driver` and `csi.volumeHandle`. The value is `None` if the volume is not a CSI volume.
    pub csi: Option<(Str, Str)>,
    /// `accessModes`.
    pub access_modes: AccessModes,
    /// `volumeMode`.
    pub volume_mode: Option<VolumeMode>,
    /// The remaining fields.
    pub details: PublishDetails,
}

/// The fields of attachments and volumes that a snapshot does not keep, and the Secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unkept {
    /// The inline volumes of the attachments whose source is known, by the name of the attachment.
    pub inline: BTreeMap<Str, Option<InlineVolume>>,
    /// The fields of the volumes that are known, by the name of the volume.
    pub volumes: BTreeMap<Str, PublishDetails>,
    /// The Secrets.
    pub secrets: Secrets,
}

/// The attachments that the comparison with the volumes of the driver found to be wrong, by name. Upstream: `forceSync`
/// of `csiHandler`, v4.13.0.
pub type Forced = BTreeSet<Str>;

/// The volumes of the driver: the ids of the nodes to which each volume is published, by the handle of the volume.
pub type Published = BTreeMap<Str, Vec<Str>>;
