//! What the controller logs.

use super::leaves::{AttachBranch, DetachBranch};
use super::messages::{self, MESSAGES};
use super::{NAME, PodName};
use crate::controllers::Branch;
use crate::controllers::log::{Log, Named};
use crate::model::Kind;
use crate::world::{LogEntry, LogValue};
use serde_json::Value;

/// What the attach/detach controller logs. It has no syncs.
pub const LOG: Log = Log {
    component: NAME,
    files: &[
        "attach_detach_controller.go",
        "util.go",
        "desired_state_of_world_populator.go",
        "actual_state_of_world.go",
        "node_status_updater.go",
        "reconciler.go",
        "metrics.go",
        "operation_executor.go",
        "operation_generator.go",
        "nestedpendingoperations.go",
        "csi_attacher.go",
        "csi_plugin.go",
        "plugins.go",
        "event.go",
    ],
    messages: &[MESSAGES],
    ends: |_| false,
    names,
};

/// Returns what keys with these values name.
fn names(values: &[(&str, &str)]) -> Vec<Named> {
    values.iter().flat_map(|(key, value)| named(key, value)).collect()
}

/// Returns what a key with this value names. `volumeName` is the unique name of a volume, or the name that a volume has
/// in a pod.
fn named(key: &str, value: &str) -> Vec<Named> {
    match key {
        "node" | "nodeName" => Named::object(Kind::Node, value).into_iter().collect(),
        "PV" => Named::object(Kind::PersistentVolume, value).into_iter().collect(),
        "vaName" | "attachment" => Named::object(Kind::VolumeAttachment, value).into_iter().collect(),
        "pod" | "podName" => Named::namespaced(Kind::Pod, value).into_iter().collect(),
        "PVC" | "pvcKey" => Named::namespaced(Kind::PersistentVolumeClaim, value).into_iter().collect(),
        "podUID" => Named::pod_uid(value).into_iter().collect(),
        "volumeName" => Named::volume(value).into_iter().collect(),
        "volumeNames" => Named::list(value, Named::volume),
        "pods" | "scheduledPods" => Named::list(value, |key| Named::namespaced(Kind::Pod, key)),
        "attachedTo" => Named::list(value, |name| Named::object(Kind::Node, name)),
        "volume" => volume_to_attach(value),
        _ => Vec::new(),
    }
}

/// Returns the volume, the node and the pods of a volume that should be attached. The value is all of its fields.
fn volume_to_attach(value: &str) -> Vec<Named> {
    let Ok(fields) = serde_json::from_str::<Value>(value) else { return Vec::new() };
    let text = |pointer: &str| fields.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let pods = fields["ScheduledPods"].as_array().into_iter().flatten();
    let pod = |pod: &Value| {
        let of = |field: &str| pod["metadata"][field].as_str().unwrap_or_default();
        Named::namespaced(Kind::Pod, &format!("{}/{}", of("namespace"), of("name")))
    };
    let volume = [
        Named::volume(text("/VolumeName")),
        Named::object(Kind::PersistentVolume, text("/VolumeSpec/PersistentVolume/metadata/name")),
        Named::object(Kind::Node, text("/NodeName")),
    ];
    volume.into_iter().flatten().chain(pods.filter_map(pod)).collect()
}

/// Returns what a loop that reaches the leaf logs about a volume and a node, as far as its values are known. `volume`
/// is the unique name of the volume, and `pods` are the pods on the node that need it.
pub fn loop_entries(leaf: Branch, volume: &str, node: &str, pods: &[PodName]) -> Vec<LogEntry> {
    let on_node = || [LogValue::from(node), LogValue::from(volume)];
    let detaching = || messages::DETACHING.entry(on_node());
    match leaf {
        Branch::AttachBranch(AttachBranch::AttachStarted) => {
            let pods = pods.iter().map(|pod| format!("{}/{}", pod.namespace, pod.name)).collect();
            vec![messages::ATTACH_STARTED.entry([volume.into(), node.into(), LogValue::List(pods)])]
        }
        Branch::DetachBranch(DetachBranch::DetachWaitsForUnmount) => vec![messages::DETACH_MOUNTED.entry(on_node())],
        Branch::DetachBranch(DetachBranch::DetachStarted) => {
            vec![detaching(), messages::DETACH_STARTED.entry(on_node())]
        }
        Branch::DetachBranch(DetachBranch::DetachTimedOut) => {
            let forced = messages::DETACH_TIMED_OUT.entry(["6m0s".into(), node.into(), volume.into()]);
            vec![detaching(), forced]
        }
        Branch::DetachBranch(DetachBranch::DetachOutOfService) => {
            let taint = messages::DETACHING_OUT_OF_SERVICE.entry([node.into()]);
            vec![detaching(), taint, messages::DETACH_OUT_OF_SERVICE.entry(on_node())]
        }
        Branch::DetachBranch(DetachBranch::DetachUnknownPlugin) => vec![detaching()],
        _ => Vec::new(),
    }
}
