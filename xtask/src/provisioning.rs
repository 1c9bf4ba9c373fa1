//! The part of a line that is about the external provisioner. `oracle/provisioner/line.go` defines this part.

use crate::line::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The circumstances of a provisioner, and its answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Provisioning {
    /// How the provisioner was started, and what its driver can do.
    pub sidecar: Sidecar,
    /// The names `NAMESPACE/NAME` of the Secrets that exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// What the driver answers.
    pub driver: Driver,
    /// The answers about the claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimAnswer>,
    /// The answers about the volumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<VolumeAnswer>,
    /// The answers of cloning protection about the claims that have the finalizer of cloning protection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clones: Vec<CloneAnswer>,
    /// The snapshots whose finalizer the provisioner removes because no claim is filled from them any more. Upstream:
    /// `sweepOrphanedFinalizers`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<Object>,
}

impl Provisioning {
    /// Removes the answers.
    pub fn strip(&mut self) {
        self.claims.clear();
        self.volumes.clear();
        self.clones.clear();
        self.released.clear();
    }
}

/// How a provisioner was started, and what its driver can do.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the provisioner")]
pub struct Sidecar {
    /// The name of the driver.
    pub driver: String,
    /// The in-tree plugin that the driver replaces. It follows from the name of the driver.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub migrated_from: String,
    /// The capabilities, as CSI writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// `--strict-topology`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict_topology: bool,
    /// `--immediate-topology`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub immediate_topology: bool,
    /// `--extra-create-metadata`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub extra_create_metadata: bool,
    /// `--controller-publish-readonly`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub controller_publish_read_only: bool,
    /// `--prevent-volume-mode-conversion`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prevent_volume_mode_conversion: bool,
    /// `--default-fstype`.
    #[serde(default, rename = "defaultFSType", skip_serializing_if = "String::is_empty")]
    pub default_fs_type: String,
}

/// What a driver answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// The code of the answer to `CreateVolume`.
    pub create: String,
    /// The code of the answer to `DeleteVolume`.
    pub delete: String,
    /// The size of a created volume: `asked`, `unknown`, `less` or `more`.
    pub capacity: String,
    /// Whether the answer repeats the source of the volume.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub content: bool,
    /// The topologies from which a created volume can be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology: Vec<BTreeMap<String, String>>,
}

/// What one sync of a claim does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimAnswer {
    /// The claim.
    pub claim: Object,
    /// Whether a volume should be provisioned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub should: bool,
    /// What the sync does, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Value>,
    /// The state with which `Provision` ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// The error with which `Provision` ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The error of the sync.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub retry: String,
}

/// What one sync of a volume does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeAnswer {
    /// The volume.
    pub volume: String,
    /// Whether this provisioner is responsible for the volume.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub responsible: bool,
    /// Whether the storage should be deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub should: bool,
    /// What the sync does, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Value>,
    /// The error of the sync.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub retry: String,
}

/// What one sync of a claim by the controller for cloning protection does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CloneAnswer {
    /// The claim.
    pub claim: Object,
    /// What the sync does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Value>,
    /// The possible errors of the sync.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<String>,
}
