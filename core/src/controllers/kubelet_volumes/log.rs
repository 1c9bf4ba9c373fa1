//! What the volume manager logs.

use super::NAME;
use super::messages::ALL;
use crate::controllers::log::{Log, Named};
use crate::model::Kind;

/// What the kubelet logs about volumes. It has no syncs.
pub const LOG: Log = Log {
    component: NAME,
    files: &[
        "volume_manager.go",
        "desired_state_of_world_populator.go",
        "desired_state_of_world.go",
        "actual_state_of_world.go",
        "reconciler.go",
        "reconciler_common.go",
        "reconstruct.go",
        "reconstruct_common.go",
        "operation_executor.go",
        "operation_generator.go",
        "node_expander.go",
        "nestedpendingoperations.go",
        "volume_path_handler.go",
        "csi_attacher.go",
        "csi_block.go",
        "csi_client.go",
        "csi_mounter.go",
        "csi_plugin.go",
        "csi_util.go",
        "plugins.go",
        "event.go",
    ],
    messages: ALL,
    ends: |_| false,
    names,
};

/// Returns what keys with these values name.
fn names(values: &[(&str, &str)]) -> Vec<Named> {
    let is_claimed = is_claimed(values);
    let named = |(key, value): &(&str, &str)| {
        let volume = |name: &str| Named::object(Kind::PersistentVolume, name).filter(|_| is_claimed);
        match *key {
            "pod" => Named::namespaced(Kind::Pod, value),
            "PVC" => Named::namespaced(Kind::PersistentVolumeClaim, value),
            "node" => Named::object(Kind::Node, value),
            "podUID" | "podName" | "uniquePodName" => Named::pod_uid(value),
            "volumeName" | "volume" | "uniqueName" => Named::volume(value),
            "volumeSpecName" | "specName" | "PVName" => volume(value),
            "directory" => pod_of(value),
            _ => None,
        }
    };
    values.iter().filter_map(named).collect()
}

/// Returns whether the values tell that the volume is one of a claim. Other volumes have names in their pods alone.
fn is_claimed(values: &[(&str, &str)]) -> bool {
    let is_storage = |name: &str| {
        let plugins = ["kubernetes.io/fc/", "kubernetes.io/iscsi/", "kubernetes.io/local-volume/"];
        name.contains('^') || plugins.iter().any(|plugin| name.starts_with(plugin))
    };
    values.iter().any(|(key, value)| match *key {
        "PVName" => true,
        "volumeName" | "volume" | "uniqueName" => is_storage(value),
        _ => false,
    })
}

/// Returns the pod in whose folder a directory is.
fn pod_of(directory: &str) -> Option<Named> {
    let (_, below) = directory.split_once("/pods/")?;
    Named::pod_uid(below.split('/').next()?)
}
