//! The part of a line that is about the external attacher. `oracle/attacher/line.go` defines this part. All times are
//! in milliseconds.

use crate::line::is_default;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The circumstances of an attacher, and its answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AttacherSyncs {
    /// How the attacher was started, and what its driver can do.
    pub sidecar: Sidecar,
    /// The names `NAMESPACE/NAME` of the Secrets that exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// What the driver answers.
    pub driver: Driver,
    /// The requests that the API server refuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuse: Vec<Refused>,
    /// The number of times that the sync of each object has failed before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub failures: u32,
    /// The result of the comparison with the volumes of the driver, if the attacher makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciled: Option<Reconciled>,
    /// The answers about the attachments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentAnswer>,
    /// The answers about the volumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<VolumeAnswer>,
}

impl AttacherSyncs {
    /// Removes the answers.
    pub fn strip(&mut self) {
        self.reconciled = None;
        self.attachments.clear();
        self.volumes.clear();
    }
}

/// How an attacher was started, and what its driver can do.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sidecar {
    /// The name of the driver.
    pub driver: String,
    /// The capabilities, as CSI writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// `--default-fstype`.
    #[serde(default, rename = "defaultFSType", skip_serializing_if = "String::is_empty")]
    pub default_fs_type: String,
    /// `--timeout`.
    pub timeout: u64,
}

/// What a driver answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// The code of the answer to `ControllerPublishVolume`.
    pub publish: String,
    /// The code of the answer to `ControllerUnpublishVolume`.
    pub unpublish: String,
    /// The time after which the driver answers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub latency: u64,
    /// The publish context.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub context: BTreeMap<String, String>,
    /// The code of the answer to `ListVolumes`.
    pub list: String,
    /// The ids of the nodes to which each volume is published, by the handle of the volume.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub published: BTreeMap<String, Vec<String>>,
}

/// Requests of a sync that fail.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// `volume`, `attachment` or `status`.
    pub request: String,
    /// The number of requests that fail.
    pub times: usize,
    /// The reason of the API server.
    pub reason: String,
}

/// The result of the comparison with the volumes of the driver.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Reconciled {
    /// The error of the comparison.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The attachments that are put on the queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queued: Vec<String>,
}

/// What one sync of an attachment does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AttachmentAnswer {
    /// The attachment.
    pub attachment: String,
    /// What the sync does, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Value>,
    /// The error of the sync.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The time after which the sync is repeated. It is 0 if the sync is not repeated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: u64,
    /// Whether the failures of the object are forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
}

/// What one sync of a volume does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeAnswer {
    /// The volume.
    pub volume: String,
    /// Whether the volume is put on the queue when it is created or changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub queued: bool,
    /// What the sync does, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Value>,
    /// The time after which the sync is repeated. It is 0 if the sync is not repeated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: u64,
    /// Whether the failures of the object are forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
}
