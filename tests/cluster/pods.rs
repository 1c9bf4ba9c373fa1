//! `explain` of pods and workloads on a cluster lists the pods of the object's namespace. It lists the pods of all
//! namespaces only if the answer needs them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::{Finished, Run};
use serde_json::{Value, json};

const DRIVER: &str = "csi.example.com";

fn meta(namespace: &str, name: &str) -> Value {
    let mut meta = json!({
        "name": name, "uid": format!("uid-{name}"), "resourceVersion": "7", "creationTimestamp": "2023-11-01T00:00:00Z",
    });
    if !namespace.is_empty() {
        meta["namespace"] = namespace.into();
    }
    meta
}

fn pod(namespace: &str, name: &str, node: &str, claim: &str, phase: &str) -> Value {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": meta(namespace, name),
        "spec": {
            "nodeName": node, "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
        },
        "status": {"phase": phase}
    });
    pod["metadata"]["ownerReferences"] = json!([
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "uid-web-1", "controller": true}
    ]);
    pod
}

/// Returns a Deployment with two pods on two nodes, and one volume that is attached to the first node.
async fn cluster() -> ApiServer {
    let api = ApiServer::start().await;
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta("web", "files"),
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": "pv-files",
            "storageClassName": "", "volumeMode": "Filesystem"
        },
        "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
    });
    claim["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
    let node = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": meta("", name), "spec": {},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}
        })
    };
    let mut set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta("web", "web-1"),
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"spec": {"containers": []}}}
    });
    set["metadata"]["ownerReferences"] = json!([
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "uid-web", "controller": true}
    ]);
    api.hold([
        claim,
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta("", "pv-files"),
            "spec": {
                "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "volumeMode": "Filesystem",
                "claimRef": {"namespace": "web", "name": "files", "uid": "uid-files"},
                "csi": {"driver": DRIVER, "volumeHandle": "h"}, "persistentVolumeReclaimPolicy": "Retain"
            },
            "status": {"phase": "Bound"}
        }),
        node("n1"),
        node("n2"),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": meta("", "va"),
            "spec": {"attacher": DRIVER, "nodeName": "n1", "source": {"persistentVolumeName": "pv-files"}},
            "status": {"attached": true}
        }),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": meta("", DRIVER),
            "spec": {"attachRequired": true}
        }),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta("web", "web"),
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"spec": {"containers": []}}}
        }),
        set,
        pod("web", "web-1-a", "n1", "files", "Running"),
        pod("web", "web-1-b", "n2", "files", "Pending"),
        pod("other", "lone", "n1", "none", "Pending"),
    ]);
    api
}

async fn run(api: &ApiServer, arguments: &[&str]) -> Finished {
    let mut all: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    all.extend(["--server".to_owned(), api.url()]);
    let work = move || Run::new(&all.iter().map(String::as_str).collect::<Vec<_>>()).env("COLUMNS", "200").finish();
    tokio::task::spawn_blocking(work).await.unwrap()
}

fn stages(diagnosis: &Value) -> Vec<(&str, &str)> {
    let stages = diagnosis["volumes"][0]["stages"].as_array().unwrap();
    stages.iter().map(|one| (one["stage"].as_str().unwrap(), one["state"].as_str().unwrap())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pod_is_explained_by_its_namespace_alone() {
    let api = cluster().await;
    let seen = run(&api, &["explain", "pod/web-1-b", "-n", "web", "-o", "json"]).await;
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    let document: Value = serde_json::from_str(&seen.stdout).unwrap();
    let diagnosis = &document["diagnosis"];
    assert_eq!((&diagnosis["state"], &diagnosis["root"]["rule"]), (&"stuck".into(), &"multi-attach".into()));
    let expected = ["done", "done", "done", "broken", "notYet", "notYet"];
    let names = ["claim", "bound", "scheduled", "attached", "mounted", "running"];
    assert_eq!(stages(diagnosis), names.into_iter().zip(expected).collect::<Vec<_>>());
    assert_eq!(api.count("/api/v1/namespaces/web/pods"), 1);
    for whole in ["/api/v1/pods", "/api/v1/events", "/api/v1/secrets", "/apis/apps/v1/deployments"] {
        assert_eq!(api.count(whole), 0, "{whole}");
    }
    // The page of the claim says why its pod cannot run. It does not say that all is well.
    let claim = run(&api, &["explain", "pvc/files", "-n", "web"]).await.stdout;
    assert!(claim.starts_with("Claim web/files is Bound, but ") && claim.contains("multi-attach"), "{claim}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pods_of_a_workload_are_grouped_by_their_problem() {
    let api = cluster().await;
    let seen = run(&api, &["explain", "deploy/web", "-n", "web"]).await;
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    assert!(
        seen.stdout
            .starts_with("Deployment web/web: 1 of 2 pods is Running or completed.\nPod web/web-1-b is Pending: ")
    );
    assert!(seen.stdout.ends_with("Pods\n  1 well: web-1-a\n  1 stuck (multi-attach): web-1-b\n"), "{}", seen.stdout);
    let several = run(&api, &["explain", "pods", "-n", "web", "-o", "json"]).await;
    let document: Value = serde_json::from_str(&several.stdout).unwrap();
    let items = document["items"].as_array().unwrap();
    let states: Vec<&str> = items.iter().map(|item| item["diagnosis"]["state"].as_str().unwrap()).collect();
    assert_eq!((document["kind"].as_str(), states), (Some("ExplanationList"), vec!["well", "stuck"]));
}

/// A list that may not be read must not be taken for an empty list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_type_that_may_not_be_listed_is_refused() {
    let api = cluster().await;
    for path in ["/apis/apps/v1/deployments", "/apis/apps/v1/namespaces/web/deployments"] {
        api.fail(path, usize::MAX, Fault::Refused(403, "no"));
    }
    let seen = run(&api, &["explain", "deploy", "-n", "web"]).await;
    assert_eq!(seen.stdout, "");
    assert!(
        seen.code != Some(0) && seen.stderr.contains("cannot list the objects of kind Deployment"),
        "{}",
        seen.stderr
    );
}

/// An object that may not be read is unknown. It must not be taken for absent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_may_not_be_read_leaves_a_stage_open() {
    let api = cluster().await;
    for path in ["/apis/storage.k8s.io/v1/volumeattachments", "/apis/storage.k8s.io/v1/csidrivers"] {
        api.fail(path, usize::MAX, Fault::Refused(403, "no"));
    }
    let seen = run(&api, &["explain", "pod/web-1-b", "-n", "web", "-o", "json"]).await;
    let document: Value = serde_json::from_str(&seen.stdout).unwrap();
    let stages = stages(&document["diagnosis"]);
    assert_eq!((stages[2], stages[3]), (("scheduled", "done"), ("attached", "unknown")));
    assert_ne!(document["diagnosis"]["state"], "well");
}

/// The ReplicaSet of a Deployment cannot create the second pod.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workload_says_why_its_pods_are_refused() {
    let api = cluster().await;
    let message = "Error creating: pods \"web-1-c\" is forbidden: exceeded quota: compute, requested: pods=1";
    api.hold([
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta("web", "late"),
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "late"}}, "template": {"spec": {"containers": []}}}
        }),
        {
            let mut set = json!({
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta("web", "late-1"),
                "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "late"}}, "template": {"spec": {"containers": []}}}
            });
            set["metadata"]["ownerReferences"] = json!([
                {"apiVersion": "apps/v1", "kind": "Deployment", "name": "late", "uid": "uid-late", "controller": true}
            ]);
            set
        },
        json!({
            "apiVersion": "v1", "kind": "Event", "metadata": meta("web", "late-1.1"), "reason": "FailedCreate",
            "involvedObject": {
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "namespace": "web", "name": "late-1", "uid": "uid-late-1"
            },
            "message": message, "type": "Warning", "source": {"component": "replicaset-controller"}, "count": 3,
            "lastTimestamp": "2023-11-14T22:00:00Z"
        }),
    ]);
    for object in ["deploy/late", "rs/late-1"] {
        let seen = run(&api, &["explain", object, "-n", "web"]).await;
        let headline = seen.stdout.lines().next().unwrap();
        assert!(headline.ends_with(": 1 pod is missing, because a ResourceQuota forbids it."), "{headline}");
        assert!(seen.stdout.contains(message), "{}", seen.stdout);
    }
}

/// The scheduler judges a node by all pods on it. So `explain` of a pod without a node lists the pods of all
/// namespaces.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_nodes_of_a_pod_without_a_node_are_judged_by_all_pods() {
    let api = cluster().await;
    let waiting = |name: &str| {
        let mut pod = pod("web", name, "", "files", "Pending");
        pod["spec"].as_object_mut().unwrap().remove("nodeName");
        pod["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "2"}});
        pod
    };
    let full = |name: &str, taken: &str| {
        let mut pod = pod("other", name, taken, "none", "Running");
        pod["spec"]["volumes"] = json!([]);
        pod["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "3"}});
        pod
    };
    let node = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": meta("", name), "spec": {},
            "status": {"conditions": [{"type": "Ready", "status": "True"}],
                "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
        })
    };
    api.hold([waiting("waiting"), full("full-1", "n1"), full("full-2", "n2"), node("n1"), node("n2")]);
    let seen = run(&api, &["explain", "pod/waiting", "-n", "web", "-o", "json"]).await;
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    let document: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(document["scheduling"]["message"], json!("0/2 nodes are available: 2 Insufficient cpu."));
    assert_eq!(api.count("/api/v1/pods"), 1);
    // A pod with a node needs no other pods.
    let placed = run(&api, &["explain", "pod/web-1-a", "-n", "web", "-o", "json"]).await;
    let document: Value = serde_json::from_str(&placed.stdout).unwrap();
    assert_eq!((document.get("scheduling"), api.count("/api/v1/pods")), (Some(&Value::Null), 1));
    // Without the right to list the pods of other namespaces, nothing is said about nodes.
    api.fail("/api/v1/pods?", usize::MAX, Fault::Refused(403, "no list"));
    let refused = run(&api, &["explain", "pod/waiting", "-n", "web"]).await;
    assert_eq!(refused.code, Some(0), "{}", refused.stderr);
    assert!(refused.stderr.contains("pods cannot be listed"), "{}", refused.stderr);
    let unknown = "Which nodes fit is unknown: not all objects of these kinds were read: pods.";
    assert!(refused.stdout.contains(unknown), "{}", refused.stdout);
    assert!(!refused.stdout.contains("Insufficient cpu"), "{}", refused.stdout);
}

/// The pods on a node may be in any namespace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_explained_with_the_pods_of_all_namespaces() {
    let api = cluster().await;
    let seen = run(&api, &["explain", "node/n1", "-n", "empty"]).await;
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    assert!(seen.stdout.contains("web/web-1-a") && seen.stdout.contains("pv-files"), "{}", seen.stdout);
    let attachment = run(&api, &["explain", "volumeattachment/va", "-n", "empty", "-o", "json"]).await;
    let document: Value = serde_json::from_str(&attachment.stdout).unwrap();
    let pods = document["diagnosis"]["pods"].as_array().unwrap();
    assert_eq!(pods.len(), 2, "{}", attachment.stdout);
    assert_eq!(api.count("/api/v1/pods"), 2);
    // The same holds if several objects are named, in any order.
    let several = run(&api, &["explain", "pvc/files", "node/n1", "-n", "web", "-o", "json"]).await;
    assert_eq!((several.code, api.count("/api/v1/pods")), (Some(0), 3), "{}", several.stderr);
}

/// `match --node` also reads the nodes and the CSI objects that the scheduler's plugin `VolumeBinding` reads. Without
/// the flag they are not read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_match_on_a_node_reads_nodes() {
    let api = cluster().await;
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta("web", "late"), "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeMode": "Filesystem",
        }, "status": {"phase": "Pending"}
    });
    claim["spec"]["storageClassName"] = "late".into();
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta("", "late"), "provisioner": DRIVER,
        "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer"
    });
    api.hold([claim, class, json!({"apiVersion": "v1", "kind": "Node", "metadata": meta("", "n9"), "spec": {}})]);
    let storage = |resource: &str| format!("/apis/storage.k8s.io/v1/{resource}");
    let lists = ["csidrivers", "csinodes", "csistoragecapacities"].map(storage);
    let counts = || (api.count("/api/v1/nodes"), lists.each_ref().map(|list| api.count(list)));
    let seen = run(&api, &["match", "pvc/late", "-n", "web"]).await;
    assert_eq!((seen.code, counts()), (Some(0), (0, [0; 3])), "{}", seen.stderr);
    let seen = run(&api, &["match", "pvc/late", "-n", "web", "--node", "n9", "-o", "json"]).await;
    assert_eq!((seen.code, counts()), (Some(0), (1, [1; 3])), "{}", seen.stderr);
    let document: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!((&document["node"]["fits"], &document["node"]["provision"]), (&json!(true), &json!(["late"])));
    assert_eq!(document["node"].get("assumed"), None);
    // Without the right to list drivers, nothing is said about the node.
    api.fail(&lists[0], usize::MAX, Fault::Refused(403, "no"));
    let refused = run(&api, &["match", "pvc/late", "-n", "web", "--node", "n9"]).await;
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    let unknown = "what the scheduler does on node n9 is unknown.\nThe answer needs other objects: you have no \
                   permission to list csidrivers.";
    assert!(refused.stdout.contains(unknown), "{}", refused.stdout);
}
