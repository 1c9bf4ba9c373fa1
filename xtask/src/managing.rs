//! The part of a line that is about a run of the kubelet's volume manager. `oracle/kubelet/line.go` defines this part.

use crate::line::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run of the volume manager. All moments and times are in nanoseconds.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Managing {
    /// The name of the node.
    pub node: String,
    /// The end of the run.
    pub until: u64,
    /// How long the kubelet needs to list its pods.
    pub latency: u64,
    /// The volumes for which there are directories at the beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disk: Vec<OnDisk>,
    /// How the drivers answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallRule>,
    /// The changes.
    pub script: Vec<Step>,
    /// What the kubelet does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<Entry>,
    /// Why the world cannot exist. It is empty if the world is valid.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub invalid: String,
}

impl Managing {
    /// Removes what the kubelet does.
    pub fn strip(&mut self) {
        self.log.clear();
        self.invalid.clear();
    }
}

/// A directory of a volume.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OnDisk {
    /// The uid of the pod.
    pub pod: String,
    /// The name of the PersistentVolume.
    pub volume: String,
    /// The CSI driver. It is empty for a volume of NFS.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub driver: String,
    /// The handle of a volume of CSI.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub handle: String,
    /// Whether it is a block device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub block: bool,
    /// Whether the directory does not tell which volume it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// How a driver answers the calls with these numbers for a volume. The calls for each pod have their own numbers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CallRule {
    /// The method.
    pub call: String,
    /// The name of the PersistentVolume.
    pub volume: String,
    /// The number of the first call.
    pub first: u32,
    /// The number of the last call.
    pub last: u32,
    /// How long the call takes.
    pub takes: u64,
    /// The error. It is empty if the call succeeds.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// What is known after the error: `final`, `uncertain` or `transient`. A driver that does not expand a volume can
    /// also answer `infeasible`, `in-use` or `unsupported`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
}

/// A change.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// When it happens.
    pub at: u64,
    /// The object that is created or replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put: Option<Value>,
    /// The object that is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<Object>,
    /// The volumes that the kubelet's copy of the node lists as attached from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Vec<String>>,
    /// Whether the kubelet begins to write the status of the node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub report: bool,
    /// Whether the status of the node has been written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reported: bool,
    /// The pod for whose volumes the kubelet begins to wait.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wait: String,
    /// The pod whose containers the kubelet begins to stop.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub terminate: String,
    /// The pod whose containers have ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub end: String,
}

/// One thing that the kubelet does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// When it happens.
    pub at: u64,
    /// The begin of a call of a driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// An event: the name of the pod, the type, the reason and the message. The word `claim` is before the name of a
    /// claim.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The status of a claim that the kubelet has stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<StoredClaim>,
    /// The end of a wait for the volumes of a pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Waited>,
    /// The volumes that the kubelet reports in `status.volumesInUse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_use: Option<Vec<String>>,
    /// An entry that the kubelet logs at `-v=5`, in klog's text format. The time, the process and the times that work
    /// took are replaced. Entries that were recorded twice already are left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub logged: String,
}

/// A call of a driver.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The method.
    pub name: String,
    /// The name of the PersistentVolume.
    pub volume: String,
    /// The uid of the pod. It is empty if the call is for the node.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pod: String,
}

/// What the status of a claim says about an expansion.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StoredClaim {
    /// The name of the claim.
    pub name: String,
    /// `status.capacity.storage`.
    pub capacity: String,
    /// `status.allocatedResourceStatuses.storage`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub progress: String,
    /// The type and the message of each condition, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Whether the API server has refused the change, because the claim has changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conflict: bool,
}

/// How a wait ends.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Waited {
    /// The name of the pod.
    pub pod: String,
    /// The error. It is empty if all volumes are mounted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
}
