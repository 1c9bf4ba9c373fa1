//! Breakages of claims that have no volume, or the wrong volume. Some causes are provisioners, quotas and StatefulSets.
//! Others are people who write manifests.

use super::cluster::{BreakageNamespace, EBS, HOST, ZONE, node, now};
use crate::live::site::{PV, PVC, Site, text};
use pvctl::model::Timestamp;
use serde_json::{Value, json};

/// Names that are known only after the cluster has created the objects. The key is the name in the table.
pub(super) type Names = Vec<(&'static str, String)>;

/// In this namespace nothing is wrong.
pub(super) fn all_is_well(home: &BreakageNamespace<'_>) -> Names {
    home.app("api", "state", "gp3", &json!({}));
    vec![]
}

/// One letter in the name of the class is wrong.
pub(super) fn class_is_misspelt(home: &BreakageNamespace<'_>) -> Names {
    home.claim("web-data", "fast-sdd");
    home.pod("web", "web-data", &json!({}));
    home.finds_no_node("web");
    vec![]
}

/// The pod selects a node with a label that no node has.
pub(super) fn no_node_for_the_pod(home: &BreakageNamespace<'_>) -> Names {
    home.claim("model", "gp3");
    home.pod("trainer", "model", &json!({"nodeSelector": {"accelerator": "gpu"}}));
    home.finds_no_node("trainer");
    vec![]
}

/// The claim of an application is deleted and created again. Its class retains volumes. The new claim gets a new
/// volume.
pub(super) fn claim_is_made_anew(home: &BreakageNamespace<'_>) -> Names {
    let old = home.app("wiki", "wiki-data", "gp3-keep", &json!({}));
    remove(home, "wiki", "wiki-data", &old);
    home.app("wiki", "wiki-data", "gp3-keep", &json!({}));
    vec![("old", old)]
}

/// A claim is restored from a backup with the annotations of its binding. The volume still names the earlier claim.
pub(super) fn restored_from_a_backup(home: &BreakageNamespace<'_>) -> Names {
    let volume = home.app("postgres", "data", "gp3-keep", &json!({}));
    let saved = home.claim_now("data");
    remove(home, "postgres", "data", &volume);
    home.site.put(&json!({
        "apiVersion": "v1", "kind": PVC,
        "metadata": {"namespace": home.name, "name": "data", "annotations": saved["metadata"]["annotations"]},
        "spec": saved["spec"],
    }));
    Site::until("the claim is Lost", || home.site.pvc(home.name, "data").starts_with("Lost, "));
    home.pod("postgres", "data", &json!({}));
    home.finds_no_node("postgres");
    vec![]
}

/// Deletes a pod and its claim, so that the volume is released.
fn remove(home: &BreakageNamespace<'_>, pod: &str, claim: &str, volume: &str) {
    home.delete("Pod", pod);
    home.is_gone(pod);
    home.delete(PVC, claim);
    Site::until("the volume is released", || home.site.pv(volume).starts_with("Released, "));
}

/// A chart adds a second class that is marked as default. A claim without a class gets this one, because it is newer.
pub(super) fn two_default_classes(home: &BreakageNamespace<'_>) -> Names {
    let older = home.site.get("StorageClass", "", "gp3").unwrap_or_default();
    let older = Timestamp::parse(text(&older, "/metadata/creationTimestamp"));
    Site::until("a second is over", || older.is_some_and(|older| now() > older));
    home.site.put(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "premium", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": EBS, "volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Delete",
    }));
    Site::until("claims get the new class", || {
        home.claim("cache", "");
        let is_new = home.claim_now("cache")["spec"]["storageClassName"] == "premium";
        if !is_new {
            home.delete(PVC, "cache");
            Site::until("the claim is gone", || home.site.pvc(home.name, "cache") == "gone");
        }
        is_new
    });
    home.pod("redis", "cache", &json!({}));
    home.runs("redis");
    vec![]
}

/// A quota has room for only two of the three members of a set.
pub(super) fn quota_is_used_up(home: &BreakageNamespace<'_>) -> Names {
    home.site.put(&json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"namespace": home.name, "name": "storage"},
        "spec": {"hard": {"requests.storage": "20Gi"}},
    }));
    Site::until("the quota is counted", || {
        let quota = home.site.get("ResourceQuota", home.name, "storage");
        quota.is_some_and(|quota| quota["status"]["used"].is_object())
    });
    set(home, "kafka", 3, "OrderedReady");
    home.runs("kafka-0");
    home.runs("kafka-1");
    home.is_told("FailedCreate");
    vec![]
}

/// A StatefulSet is scaled down, and the claims of the former members stay.
pub(super) fn set_is_scaled_down(home: &BreakageNamespace<'_>) -> Names {
    set(home, "es", 3, "Parallel");
    for pod in ["es-0", "es-1", "es-2"] {
        home.runs(pod);
    }
    home.site.edit("StatefulSet", home.name, "es", |set| set["spec"]["replicas"] = json!(1));
    home.is_gone("es-1");
    home.is_gone("es-2");
    vec![]
}

fn set(home: &BreakageNamespace<'_>, name: &str, replicas: u32, order: &str) {
    home.site.put(&json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"namespace": home.name, "name": name},
        "spec": {
            "replicas": replicas, "serviceName": name, "podManagementPolicy": order,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "app", "image": "registry.example.com/app:1"}]},
            },
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "storageClassName": "gp3",
                    "resources": {"requests": {"storage": "10Gi"}},
                },
            }],
        },
    }));
}

/// A claim names a volume that does not exist.
pub(super) fn named_volume_is_missing(home: &BreakageNamespace<'_>) -> Names {
    home.claim_with("archive", "", |spec| {
        spec["storageClassName"] = json!("");
        spec["volumeName"] = json!("etl-archive-01");
    });
    home.pod("loader", "archive", &json!({}));
    home.finds_no_node("loader");
    vec![]
}

/// A claim has a VolumeSnapshot as its source. The snapshot was deleted, as the events of the driver say.
pub(super) fn snapshot_is_missing(home: &BreakageNamespace<'_>) -> Names {
    home.claim_with("restored", "fast-ssd", |spec| {
        let snapshot = json!({"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "nightly"});
        spec["dataSource"] = snapshot;
    });
    home.pod("restorer", "restored", &json!({}));
    home.finds_no_node("restorer");
    let message = "error getting handle for DataSource Type VolumeSnapshot by Name nightly: error getting snapshot nightly \
                   from api server: volumesnapshots.snapshot.storage.k8s.io \"nightly\" not found";
    home.fails("restored", "fast-ssd", message);
    vec![]
}

/// The class of a claim names a driver that nobody has installed.
pub(super) fn driver_is_not_installed(home: &BreakageNamespace<'_>) -> Names {
    home.claim("disk", "gce-std");
    home.pod("batch", "disk", &json!({}));
    home.finds_no_node("batch");
    home.is_told("ExternalProvisioning");
    vec![]
}

/// A pod is deployed without its claim.
pub(super) fn claim_was_never_made(home: &BreakageNamespace<'_>) -> Names {
    home.pod("search", "search-idx", &json!({}));
    home.finds_no_node("search");
    vec![]
}

/// A claim is larger than any volume of its driver.
pub(super) fn too_large_for_the_driver(home: &BreakageNamespace<'_>) -> Names {
    home.claim_with("warehouse", "gp3", |spec| spec["resources"]["requests"]["storage"] = json!("70Ti"));
    home.pod("spark", "warehouse", &json!({}));
    Site::until("the scheduler has chosen a node", || !chosen(home, "warehouse").is_empty());
    let message = "rpc error: code = InvalidArgument desc = Could not create volume \"pvc-warehouse\": could not create \
                   volume in EC2: operation error EC2: CreateVolume, https response error StatusCode: 400, \
                   InvalidParameterValue: Volume of 71680GiB is too large for gp3; maximum is 16384GiB";
    home.fails("warehouse", "gp3", message);
    vec![]
}

/// A claim asks for an access mode that its driver does not have.
pub(super) fn no_such_mode_for_the_driver(home: &BreakageNamespace<'_>) -> Names {
    home.claim_with("reports", "fast-ssd", |spec| spec["accessModes"] = json!(["ReadWriteMany"]));
    home.pod("viewer", "reports", &json!({}));
    home.finds_no_node("viewer");
    let message = "rpc error: code = InvalidArgument desc = Volume capabilities MULTI_NODE_MULTI_WRITER not supported. \
                   Only AccessModes[ReadWriteOnce] supported.";
    home.fails("reports", "fast-ssd", message);
    vec![]
}

fn chosen(home: &BreakageNamespace<'_>, claim: &str) -> String {
    let claim = home.claim_now(claim);
    text(&claim, "/metadata/annotations/volume.kubernetes.io~1selected-node").to_owned()
}

/// A pod has an ephemeral volume. The claim for this volume cannot be created, because another claim has the same name.
pub(super) fn ephemeral_name_is_taken(home: &BreakageNamespace<'_>) -> Names {
    home.claim("web-scratch", "gp3");
    let template = json!({
        "accessModes": ["ReadWriteOnce"], "storageClassName": "gp3", "resources": {"requests": {"storage": "10Gi"}},
    });
    home.site.put(&json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": home.name, "name": "web"},
        "spec": {
            "containers": [{"name": "app", "image": "registry.example.com/app:1"}],
            "volumes": [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": template}}}],
        },
    }));
    home.finds_no_node("web");
    vec![]
}

/// The scheduler chooses a node for a claim. The node is replaced before the driver has created the volume.
pub(super) fn chosen_node_is_replaced(home: &BreakageNamespace<'_>) -> Names {
    node(home.site, "node-17", "eu-1b", "stream", &[EBS]);
    home.claim("replay", "gp3");
    home.pod("replayer", "replay", &of_pool("stream"));
    Site::until("the scheduler has chosen the node", || chosen(home, "replay") == "node-17");
    home.delete("Node", "node-17");
    home.delete("CSINode", "node-17");
    node(home.site, "node-18", "eu-1b", "stream", &[EBS]);
    home.finds_no_node("replayer");
    vec![]
}

/// Returns the part of a pod's spec that restricts the pod to the nodes of a pool.
pub(super) fn of_pool(pool: &str) -> Value {
    json!({
        "nodeSelector": {"pool": pool},
        "tolerations": [{"key": "pool", "operator": "Equal", "value": pool, "effect": "NoSchedule"}],
    })
}

/// Returns the part of a pod's spec that restricts the pod to one node.
pub(super) fn on_node(node: &str) -> Value {
    json!({"nodeSelector": {HOST: node}})
}

/// A share has an access mode for one node. The claim that should get the share requests an access mode for many nodes.
pub(super) fn modes_do_not_fit(home: &BreakageNamespace<'_>) -> Names {
    home.site.put(&json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": "nfs-docs"},
        "spec": {
            "capacity": {"storage": "50Gi"}, "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain", "nfs": {"server": "10.4.0.9", "path": "/export/docs"},
        },
    }));
    Site::until("the volume is offered", || home.site.pv("nfs-docs").starts_with("Available, "));
    home.claim_with("docs", "", |spec| {
        spec["storageClassName"] = json!("");
        spec["accessModes"] = json!(["ReadWriteMany"]);
    });
    home.pod("intranet", "docs", &json!({}));
    home.finds_no_node("intranet");
    vec![]
}

/// The binding mode of a class is Immediate. The volume is created in a zone in which the pod may not run.
pub(super) fn zones_do_not_meet(home: &BreakageNamespace<'_>) -> Names {
    home.claim("contacts", "fast-ssd");
    home.volume("contacts");
    home.pod("crm", "contacts", &json!({"nodeSelector": {ZONE: "eu-1b"}}));
    home.finds_no_node("crm");
    vec![]
}

/// The request of a claim grows, but no controller resizes its volume.
pub(super) fn nobody_resizes(home: &BreakageNamespace<'_>) -> Names {
    home.app("postfix", "mail", "gp3", &json!({}));
    home.site.edit(PVC, home.name, "mail", |claim| claim["spec"]["resources"]["requests"]["storage"] = json!("20Gi"));
    home.is_told("ExternalExpanding");
    vec![]
}

/// A volume grew while no pod used it. Its file system will be resized when a pod uses it.
pub(super) fn file_system_waits(home: &BreakageNamespace<'_>) -> Names {
    let volume = home.app("gitea", "repos", "gp3", &json!({}));
    home.delete("Pod", "gitea");
    home.is_gone("gitea");
    home.site.edit(PVC, home.name, "repos", |claim| claim["spec"]["resources"]["requests"]["storage"] = json!("20Gi"));
    home.site.edit(PV, "", &volume, |volume| {
        volume["spec"]["capacity"]["storage"] = json!("20Gi");
        volume["metadata"]["annotations"]["volume.alpha.kubernetes.io/pre-resize-capacity"] = json!("10Gi");
    });
    let pending = json!({
        "type": "FileSystemResizePending", "status": "True", "lastTransitionTime": now().to_string(),
        "message": "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
    });
    let status = json!({
        "allocatedResources": {"storage": "20Gi"}, "allocatedResourceStatuses": {"storage": "NodeResizePending"},
        "conditions": [pending],
    });
    home.site.report(PVC, home.name, "repos", &status);
    vec![]
}
