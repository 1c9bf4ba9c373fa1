//! Recorded worlds, put onto a real API server: many at once in one cluster, each with its own names, or one alone.
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

/// The objects of one world, by what has to exist before what.
const ORDER: [&str; 7] = [
    "Namespace",
    "Node",
    "VolumeAttributesClass",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "Pod",
    // After the claims, so that none of them gets a default class from the API server.
    "StorageClass",
];

/// A world with names of its own.
#[derive(Clone, Debug)]
pub(crate) struct World {
    items: Vec<Value>,
}

/// Whether other worlds in the same cluster could take part in this one: without a class of their own its volumes and
/// claims are everybody's, a default class is one for all, and recyclers share their pod.
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

/// Whether a class is marked as a default one.
pub(crate) fn is_default(class: &Value) -> bool {
    let annotations = &class["metadata"]["annotations"];
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]
        .iter()
        .any(|name| annotations[name] == "true")
}

/// The recorded worlds, in order.
pub(crate) fn recorded(file: &str) -> Vec<Line> {
    let path = root().join("tests/conformance").join(file);
    corpus::lines(&path).unwrap().map(Result::unwrap).collect()
}

impl World {
    /// The world with `tag` in all its names. `scratch` is where its hostPath volumes have their folders, which a real
    /// deleter removes.
    pub(crate) fn new(line: &Line, tag: &str, scratch: &str) -> Self {
        let mut items = line.world.items.clone();
        let mut namespaces = BTreeSet::new();
        for item in &mut items {
            rename(item, tag);
            if let Some(path) = item.pointer_mut("/spec/hostPath/path")
                && let Some(inside) = path.as_str().and_then(|path| path.strip_prefix("/tmp/"))
            {
                *path = format!("{scratch}/{inside}").into();
            }
            if let Some(namespace) = item["metadata"]["namespace"].as_str() {
                namespaces.insert(namespace.to_owned());
            }
        }
        items.extend(
            namespaces
                .into_iter()
                .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})),
        );
        items.sort_by_key(|item| ORDER.iter().position(|kind| item["kind"] == *kind));
        Self { items }
    }

    /// Stores the world: the objects, then what their statuses say, then the deletions that are under way. What the API
    /// server refuses makes no world of it, and what was stored of it is left.
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
                // Several worlds have the same namespace only where they follow each other.
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

/// Puts the tag into the names that others in the same cluster could have: those of all namespaces and of everything
/// that lives in none.
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
