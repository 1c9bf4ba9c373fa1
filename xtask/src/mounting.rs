//! The part of a line that is about the volume manager of the kubelet. `oracle/kubelet/line.go` defines this part.

use serde::{Deserialize, Serialize};

/// A kubelet, and what it does with the pods of its node.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Mounting {
    /// The name of the node.
    pub node: String,
    /// The answers about the pods of the node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<PodAnswer>,
    /// The volumes that the kubelet reports in `status.volumesInUse`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_use: Vec<String>,
    /// Why the world cannot exist. It is empty if the world is valid.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub invalid: String,
}

impl Mounting {
    /// Removes the answers.
    pub fn strip(&mut self) {
        self.pods.clear();
        self.in_use.clear();
        self.invalid.clear();
    }
}

/// The answer about a pod.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PodAnswer {
    /// The namespace of the pod.
    pub namespace: String,
    /// The name of the pod.
    pub name: String,
    /// Why the volumes of the pod are not mounted. It is empty if they are mounted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The events about the pod: type, reason and message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
}
