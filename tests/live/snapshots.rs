//! The custom resource definitions of VolumeSnapshots and of StorageOS' Volumes, as far as the tests need them: the
//! kinds, the status of those that have one, and a schema that allows everything.
#![expect(clippy::panic, reason = "a test fails by panicking")]

use super::api::Api;
use http::Method;
use serde_json::{Value, json};
use std::time::Duration;

const GROUP: &str = "snapshot.storage.k8s.io";

/// The kinds: the group, the name, the plural, and the scope.
const KINDS: [(&str, &str, &str, &str); 4] = [
    (GROUP, "VolumeSnapshot", "volumesnapshots", "Namespaced"),
    (GROUP, "VolumeSnapshotContent", "volumesnapshotcontents", "Cluster"),
    (GROUP, "VolumeSnapshotClass", "volumesnapshotclasses", "Cluster"),
    ("api.storageos.com", "Volume", "volumes", "Cluster"),
];

/// Returns the definition of a kind. The annotation is required for a group that ends with `k8s.io`.
fn definition((group, kind, plural, scope): (&str, &str, &str, &str)) -> Value {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter"},
        },
        "spec": {
            "group": group, "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
                "subresources": if kind == "VolumeSnapshotClass" { json!(null) } else { json!({"status": {}}) },
            }],
        },
    })
}

/// Installs the definitions, and waits until the API server serves them.
pub(crate) async fn install(api: &Api) {
    for kind in KINDS {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        if let Err(refused) = api.send(Method::POST, path, Some(&definition(kind))).await {
            assert_eq!(refused.code, 409, "{}", refused.message);
        }
    }
    for _ in 0..300 {
        let mut lists = true;
        for (group, _, plural, _) in KINDS {
            let known = api.get(&format!("/apis/{group}/v1")).await.unwrap_or_default();
            let resources = known["resources"].as_array();
            let is_served =
                resources.is_some_and(|resources| resources.iter().any(|resource| resource["name"] == plural));
            lists &= is_served && api.get(&format!("/apis/{group}/v1/{plural}")).await.is_ok();
        }
        if lists {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the API server must serve the kinds in time");
}
