//! Reading from a cluster, tested against an API server in this process: which requests are sent, in which order and as
//! which user, and how errors are handled.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "the test makes files and looks at the time")]

mod connection;
mod lists;
mod partners;
mod rights;

use crate::support::api::ApiServer;
use pvctl::model::Kind;
use pvctl::progress::Silent;
use pvctl::snapshot::Parts;
use pvctl::source::{Cluster, ClusterError, ConnectOptions, Environment, Needs, Retry};
use serde_json::{Value, json};
use std::time::Duration;

const VOLUMES: &str = "/api/v1/persistentvolumes";

const CLAIMS: &str = "/api/v1/persistentvolumeclaims";

const CLASSES: &str = "/apis/storage.k8s.io/v1/storageclasses";

fn volume(name: &str, claim: Option<(&str, &str)>) -> Value {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "10"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "persistentVolumeReclaimPolicy": "Retain",
            "csi": {"driver": "d", "volumeHandle": name, "volumeAttributes": {"password": "s3cret"}}
        },
        "status": {"phase": "Available"}
    });
    if let Some((claim, uid)) = claim {
        volume["spec"]["claimRef"] = json!({"namespace": "db", "name": claim, "uid": uid});
        volume["status"]["phase"] = "Bound".into();
    }
    volume
}

fn claim(namespace: &str, name: &str, volume: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": namespace, "name": name, "uid": format!("uid-{name}"), "resourceVersion": "11"},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": volume,
            "resources": {"requests": {"storage": "1Gi"}}
        },
        "status": {"phase": if volume.is_empty() { "Pending" } else { "Bound" }}
    })
}

fn class(name: &str, mode: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name, "uid": name},
        "provisioner": "d", "reclaimPolicy": "Delete", "volumeBindingMode": mode
    })
}

fn pod(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": namespace, "name": name},
        "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
    })
}

fn to(fake: &ApiServer) -> ConnectOptions {
    ConnectOptions { server: Some(fake.url()), ..ConnectOptions::default() }
}

async fn connect(options: &ConnectOptions) -> Result<Cluster<'static>, ClusterError> {
    let quick = Retry { tries: 3, pause: Duration::from_millis(1), longest: Duration::from_millis(300) };
    Ok(Cluster::connect(options, &Environment::default()).await?.retrying(quick))
}

async fn read(options: &ConnectOptions) -> Result<Parts, ClusterError> {
    connect(options).await?.read(Needs::default(), &Silent).await
}

fn names(parts: &Parts) -> (Vec<&str>, Vec<&str>, Vec<&str>) {
    (
        parts.objects.volumes.iter().map(|volume| volume.meta.name.as_str()).collect(),
        parts.objects.claims.iter().map(|claim| claim.meta.name.as_str()).collect(),
        parts.objects.classes.iter().map(|class| class.meta.name.as_str()).collect(),
    )
}

fn reason(parts: &Parts, kind: Kind) -> &str {
    let entry = parts.coverage.entries().iter().find(|entry| entry.kind == kind).unwrap();
    entry.reason.as_deref().unwrap_or_default()
}
