//! The part of a line that is about the external resizer. `oracle/resizer/line.go` defines this part. All times are in
//! milliseconds.

use crate::line::is_default;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The circumstances of a resizer, and its answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ResizerSyncs {
    /// How the resizer was started, and what its driver can do.
    pub sidecar: Sidecar,
    /// The names `NAMESPACE/NAME` of the Secrets that exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// What the driver answers.
    pub driver: Driver,
    /// The requests that the API server refuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuse: Vec<Refused>,
    /// The number of times that the sync of each claim has failed before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub failures: u32,
    /// What the resizer remembers about claims, by `NAMESPACE/NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub memory: BTreeMap<String, Memory>,
    /// The answers of the resize controller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resizes: Vec<Answer>,
    /// The answers of the modify controller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifies: Vec<Answer>,
}

impl ResizerSyncs {
    /// Removes the answers.
    pub fn strip(&mut self) {
        self.resizes.clear();
        self.modifies.clear();
    }
}

/// How a resizer was started, and what its driver can do.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Sidecar {
    /// The name of the driver.
    pub driver: String,
    /// The capabilities, as CSI writes them. `NODE_EXPAND_VOLUME` is the one of the node service.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// `--handle-volume-inuse-error`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watches_pods: bool,
    /// `--extra-modify-metadata`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub extra_metadata: bool,
    /// `--resize-timeout`.
    pub resize_timeout: u64,
    /// `--modify-timeout`.
    pub modify_timeout: u64,
}

/// What a driver answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Driver {
    /// The code of the answer to `ControllerExpandVolume`.
    pub expand: String,
    /// The code of the answer to `ControllerModifyVolume`.
    pub modify: String,
    /// The time after which the driver answers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub latency: u64,
    /// The capacity in bytes of the answer to `ControllerExpandVolume`.
    pub capacity: i64,
    /// Whether this answer requires an expansion on the node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub node_expansion: bool,
}

/// A request of a sync that fails.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// `volume` or `claim`.
    pub request: String,
    /// The number of the request among those of the sync, from 0.
    #[serde(default)]
    pub place: usize,
    /// The reason of the API server.
    pub reason: String,
}

/// What a resizer remembers about a claim.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Memory {
    /// When a size that the driver has refused is tried again. It is 0 if this is not known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub slow: u64,
    /// When a class that the driver has refused is tried again. It is 0 if this is not known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub modify_slow: u64,
    /// Whether the last expansion failed for certain.
    #[serde(default, rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub failed_for_certain: bool,
    /// Whether the last expansion failed because the volume is in use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_use: bool,
    /// Whether a modification may go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
}

/// What one sync of a claim does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The claim, as `NAMESPACE/NAME`.
    pub claim: String,
    /// What the sync does, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Value>,
    /// The error of the sync that the controller logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Whether the sync ends the process.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub crashed: bool,
    /// The time after which the sync is repeated. It is 0 if the sync is not repeated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: u64,
    /// Whether this time follows from the number of failures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Whether the failures of the claim are forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// What the controller remembers after the sync.
    pub memory: Memory,
}
