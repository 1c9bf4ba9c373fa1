//! S17 and S18: what `PreBind` of the scheduler writes. S19 to S23: how a sync of a pod by the scheduler ends.

use super::build::{NodeBuilder, PodBuilder, claim, class, node, pod, volume};
use super::case::case;
use serde_json::json;

/// Returns a node that takes ten pods.
fn room(name: &str) -> NodeBuilder {
    node_builder(name).allows("pods", 10)
}

fn node_builder(name: &str) -> NodeBuilder {
    NodeBuilder(node(name))
}

/// Returns a pod that uses the claim `data`.
fn web() -> PodBuilder {
    pod("web").uses("data")
}

cases! {
    s17_the_volume_is_reserved_for_the_claim: case(&["S17", "S19"])
        .class(class("local").provisioner("kubernetes.io/no-provisioner").waits())
        .volume(volume("disk").class("local"))
        .claim(claim("data").class("local"))
        .node(room("n-1").0)
        .pod(web())
        .schedules("web")
        .expect(json!({
            "branch": "S19", "steps": ["S17"],
            "writes": [{"update": "pv/disk", "patch": {
                "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                "spec": {"claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "data",
                    "uid": "uid-data", "resourceVersion": "20",
                }},
            }}],
            "next": "event",
        }));

    s18_the_claim_gets_the_selected_node: case(&["S18", "S19"])
        .class(class("fast").provisioner("csi.example.com").waits())
        .claim(claim("data").class("fast"))
        .node(room("n-1").0)
        .pod(web())
        .schedules("web")
        .expect(json!({
            "branch": "S19", "steps": ["S18"],
            "writes": [{"update": "pvc/a/data", "patch": {
                "metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n-1"}},
            }}],
            "next": "event",
        }));

    s19_the_claim_is_not_bound_yet: case(&["S19"])
        .class(class("fast").provisioner("csi.example.com").waits())
        .claim(claim("data").class("fast").annotated("volume.kubernetes.io/selected-node", "n-1"))
        .node(room("n-1").0)
        .pod(web())
        .checks_bindings("web", "n-1", &["data"])
        .expect(json!({"branch": "S19"}));

    // The provisioner removes the annotation if it cannot provision for the node.
    s20_the_provisioner_rejects_the_node: case(&["S20"])
        .class(class("fast").provisioner("csi.example.com").waits())
        .claim(claim("data").class("fast").annotated("volume.beta.kubernetes.io/storage-provisioner", "csi.example.com"))
        .node(room("n-1").0)
        .pod(web())
        .checks_bindings("web", "n-1", &["data"])
        .expect(json!({
            "branch": "S20",
            "error": "running PreBind plugin \"VolumeBinding\": binding volumes: provisioning failed for PVC \"data\"",
        }));

    s20_the_claim_has_no_annotations_left: case(&["S20"])
        .class(class("fast").provisioner("csi.example.com").waits())
        .claim(claim("data").class("fast"))
        .node(room("n-1").0)
        .pod(web())
        .checks_bindings("web", "n-1", &["data"])
        .expect(json!({
            "branch": "S20",
            "error": "running PreBind plugin \"VolumeBinding\": binding volumes: selectedNode annotation reset for PVC \"data\"",
        }));

    s21_a_pod_without_claims_is_bound_at_once: case(&["S21"])
        .node(room("n-1").0)
        .pod(pod("web"))
        .schedules("web")
        .expect(json!({
            "branch": "S21", "writes": [{"update": "pod/a/web", "patch": {"spec": {"nodeName": "n-1"}}}], "next": "event",
        }));

    s21_all_claims_are_bound: case(&["S21"])
        .class(class("fast").provisioner("csi.example.com").waits())
        .volume(volume("disk").class("fast").claimed_by("data", "uid-data").phase("Bound"))
        .claim(
            claim("data")
                .class("fast")
                .bound_to("disk")
                .annotated("volume.kubernetes.io/selected-node", "n-1"),
        )
        .node(room("n-1").0)
        .pod(web())
        .checks_bindings("web", "n-1", &["data"])
        .expect(json!({
            "branch": "S21", "writes": [{"update": "pod/a/web", "patch": {"spec": {"nodeName": "n-1"}}}],
        }));

    s22_no_node_has_room: case(&["S22"])
        .node(node_builder("n-1").allows("pods", 0).0)
        .pod(pod("web"))
        .schedules("web")
        .expect(json!({
            "branch": "S22",
            "events": ["Warning FailedScheduling pod/a/web: 0/1 nodes are available: 1 Too many pods."],
            "next": "event",
        }));

    s23_the_pod_has_a_node: case(&["S23"])
        .node(room("n-1").0)
        .pod(web().runs_on("n-1"))
        .schedules("web")
        .expect(json!({"branch": "S23", "next": "event"}));
}
