//! What a decision needs and a snapshot does not have: the flags of the resizer, what it remembers, the capabilities
//! and the answers of its driver, the answers of the API server, the Secrets, and some fields of volumes.

use crate::controllers::provisioner::{DriverError, Secrets};
use crate::model::Str;
use std::collections::BTreeMap;

/// How a driver expands volumes. Upstream: `NewResizerFromClient`, v2.3.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expansion {
    /// The controller service of the driver has the capability `EXPAND_VOLUME`.
    #[default]
    ByController,
    /// Only the node service of the driver has the capability `EXPAND_VOLUME`: the driver is not called.
    OnlyByNode,
    /// Neither of them has it: there is no resize controller.
    Never,
}

/// A resizer with its flags and the capabilities of its driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sidecar {
    /// The name of the driver, and so of the resizer.
    pub driver: Str,
    /// How the driver expands volumes.
    pub expansion: Expansion,
    /// Whether the driver has the capability `MODIFY_VOLUME`. If not, there is no modify controller.
    pub modifies: bool,
    /// Whether the driver has the capability `SINGLE_NODE_MULTI_WRITER`.
    pub single_node_multi_writer: bool,
    /// `--handle-volume-inuse-error`: whether the resizer knows which claims pods use.
    pub watches_pods: bool,
    /// `--extra-modify-metadata`: whether the driver is told the names of the claim and of the volume.
    pub extra_metadata: bool,
    /// `--resize-timeout` in milliseconds.
    pub resize_timeout: u64,
    /// `--modify-timeout` in milliseconds.
    pub modify_timeout: u64,
}

impl Sidecar {
    /// Returns a resizer with the defaults of its flags, and a driver that expands and modifies volumes.
    pub fn new(driver: impl Into<Str>) -> Self {
        Self {
            driver: driver.into(),
            modifies: true,
            watches_pods: true,
            resize_timeout: 10_000,
            modify_timeout: 10_000,
            ..Self::default()
        }
    }
}

/// The answer of a driver that has expanded a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// `capacity_bytes`.
    pub bytes: i64,
    /// `node_expansion_required`.
    pub on_node: bool,
}

/// The answers of a driver. `None` means that an answer is not known: then the decision ends with the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    /// The answer to `ControllerExpandVolume`.
    pub expand: Option<Result<Expanded, DriverError>>,
    /// The answer to `ControllerModifyVolume`.
    pub modify: Option<Result<(), DriverError>>,
    /// The time in milliseconds after which the driver answers.
    pub latency: u64,
}

/// The requests of one sync that the API server refuses: for each request of a kind, in order, the text of its error.
/// Later requests succeed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Patches of volumes.
    pub volume: Vec<Option<Str>>,
    /// Patches of the status of claims.
    pub claim: Vec<Option<Str>>,
}

/// What a call of the driver needs of a volume, and a snapshot does not keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallDetails {
    /// `fsType`. It is empty if the field is absent.
    pub fs_type: Str,
    /// `mountOptions`.
    pub mount_options: Vec<Str>,
    /// The namespace and the name of the Secret in `controllerExpandSecretRef`.
    pub secret: Option<(Str, Str)>,
}

/// The fields of volumes that a snapshot does not keep, and the Secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unkept {
    /// The fields of the volumes that are known, by the name of the volume.
    pub volumes: BTreeMap<Str, CallDetails>,
    /// The Secrets.
    pub secrets: Secrets,
}

/// What the resize controller remembers about a claim. A resizer that has just been started remembers nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResizeMemory {
    /// The time, in milliseconds from the begin of the sync, until which a size that the driver has refused is not
    /// tried again. Upstream: `slowSet`.
    pub slow_until: Option<u64>,
    /// Whether the last expansion failed for certain: it does not go on. Upstream: `finalErrorPVCs`.
    pub failed_for_certain: bool,
    /// Whether the last expansion failed because the volume is in use. Upstream: `inUseErrors`.
    pub in_use: bool,
}

/// What the modify controller remembers about a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModifyMemory {
    /// The time, in milliseconds from the begin of the sync, until which a class that the driver has refused is not
    /// tried again. Upstream: `slowSet`.
    pub slow_until: Option<u64>,
    /// Whether a modification may still go on. A resizer that has just been started assumes this of every modification
    /// that is in progress. Upstream: `uncertainPVCs`.
    pub uncertain: bool,
}
