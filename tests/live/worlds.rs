//! Recorded worlds on a real API server. A cluster has either many worlds at the same time, each with its own tag in
//! its names, or a single world.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use super::api::{Api, Refused};
use crate::support::root;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use xtask::corpus;
use xtask::line::Line;

/// The recordings whose worlds are loaded.
pub(crate) const RECORDINGS: [&str; 3] =
    ["outcomes-all-1.36.3.jsonl.gz", "outcomes-1.36.3.jsonl.gz", "decisions-1.36.3.jsonl.gz"];

/// The kinds of the objects of a world, in the order in which they are created.
const ORDER: [&str; 11] = [
    "Namespace",
    "Node",
    "CSINode",
    "CSIDriver",
    "CSIStorageCapacity",
    "VolumeAttributesClass",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "VolumeAttachment",
    "Pod",
    // Classes are created after the claims. So the API server does not set a default class on the claims.
    "StorageClass",
];

/// The objects of a recorded world, ready to be created. If each world in a cluster has its own tag, no two worlds
/// share an object.
#[derive(Clone, Debug)]
pub(crate) struct World {
    items: Vec<Value>,
}

/// Returns whether other worlds in the same cluster could affect this world. Volumes and claims without a class can be
/// bound across worlds, a default class applies to all worlds, and recyclers share one pod template.
pub(crate) fn stands_alone(line: &Line) -> bool {
    line.world.items.iter().any(|item| {
        let class = item["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"]
            .as_str()
            .or(item["spec"]["storageClassName"].as_str())
            .unwrap_or_default();
        match item["kind"].as_str().unwrap_or_default() {
            "PersistentVolume" => class.is_empty() || item["spec"]["persistentVolumeReclaimPolicy"] == "Recycle",
            "PersistentVolumeClaim" => class.is_empty(),
            "StorageClass" => is_default(item),
            _ => false,
        }
    })
}

/// Returns whether a class is marked as default.
pub(crate) fn is_default(class: &Value) -> bool {
    let annotations = &class["metadata"]["annotations"];
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]
        .iter()
        .any(|name| annotations[name] == "true")
}

/// Returns the recorded worlds of a file, in order.
pub(crate) fn recorded(file: &str) -> Vec<Line> {
    let path = root().join("tests/conformance").join(file);
    corpus::lines(&path).unwrap().map(Result::unwrap).collect()
}

impl World {
    /// Returns the world with `tag` in the names that other worlds could also have; see `rename`. The folders of its
    /// hostPath volumes that were below `/tmp/` are below `scratch`, because a real deleter removes them.
    pub(crate) fn new(line: &Line, tag: &str, scratch: &str) -> Self {
        let mut items = line.world.items.clone();
        for item in &mut items {
            rename(item, tag);
            if let Some(path) = item.pointer_mut("/spec/hostPath/path")
                && let Some(inside) = path.as_str().and_then(|path| path.strip_prefix("/tmp/"))
            {
                *path = format!("{scratch}/{inside}").into();
            }
        }
        Self::of(items)
    }

    /// Returns the world with the recorded names, for a cluster without other worlds.
    pub(crate) fn alone(line: &Line) -> Self {
        Self::of(line.world.items.clone())
    }

    fn of(mut items: Vec<Value>) -> Self {
        let namespaces: BTreeSet<String> =
            items.iter().filter_map(|item| item["metadata"]["namespace"].as_str().map(str::to_owned)).collect();
        items.extend(
            namespaces
                .into_iter()
                .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})),
        );
        items.sort_by_key(|item| ORDER.iter().position(|kind| item["kind"] == *kind));
        Self { items }
    }

    /// Stores the world. Each object is created. Then its status is written, and its pending deletion is requested. If
    /// the API server refuses an object, the load fails, and the objects that were stored before remain.
    pub(crate) async fn load(&self, api: &Api) -> Result<(), Refused> {
        let mut uids: BTreeMap<String, String> = BTreeMap::new();
        for item in &self.items {
            let mut item = item.clone();
            let (old, mut status) = (item["metadata"]["uid"].clone(), item["status"].take());
            let terminating = !item["metadata"]["deletionTimestamp"].is_null();
            let metadata = item["metadata"].as_object_mut().expect("an object's metadata");
            for given in
                ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]
            {
                metadata.remove(given);
            }
            if let Some(uid) = item.pointer_mut("/spec/claimRef/uid")
                && let Some(now) = uid.as_str().and_then(|uid| uids.get(uid))
            {
                *uid = now.as_str().into();
            }
            let mut stored = match api.create(&item).await {
                Ok(stored) => stored,
                // Several worlds share a namespace only if they are loaded one after the other.
                Err(refused) if refused.code == 409 && item["kind"] == "Namespace" => continue,
                Err(refused) => return Err(refused),
            };
            if let Some(old) = old.as_str() {
                uids.insert(old.to_owned(), stored["metadata"]["uid"].as_str().unwrap().to_owned());
            }
            if status.as_object().is_some_and(|status| !status.is_empty()) {
                stored["status"] = status.take();
                stored["apiVersion"] = item["apiVersion"].clone();
                stored["kind"] = item["kind"].clone();
                stored = api.replace_status(&stored).await?;
            }
            if terminating {
                stored["apiVersion"] = item["apiVersion"].clone();
                stored["kind"] = item["kind"].clone();
                api.delete(&stored).await?;
            }
        }
        Ok(())
    }
}

/// Adds the tag to the names of namespaces and of all objects except claims and pods, because other worlds in the same
/// cluster could also have these names. Also adds the tag to the fields below that refer to these names. Claims and
/// pods keep their names, because their namespaces have the tag.
fn rename(item: &mut Value, tag: &str) {
    let kind = item["kind"].as_str().unwrap_or_default().to_owned();
    let mut paths = vec![
        "/metadata/namespace",
        "/spec/storageClassName",
        "/spec/volumeName",
        "/spec/volumeAttributesClassName",
        "/status/currentVolumeAttributesClassName",
        "/spec/claimRef/namespace",
        "/spec/nodeName",
        "/metadata/annotations/volume.beta.kubernetes.io~1storage-class",
        "/metadata/annotations/volume.kubernetes.io~1selected-node",
    ];
    if !matches!(kind.as_str(), "PersistentVolumeClaim" | "Pod") {
        paths.push("/metadata/name");
    }
    for path in paths {
        if let Some(name) = item.pointer_mut(path)
            && let Some(text) = name.as_str()
            && !text.is_empty()
        {
            *name = format!("{text}-{tag}").into();
        }
    }
}
