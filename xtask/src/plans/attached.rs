//! The node of a random world, and the attachments of volumes to it.

use super::api_server::Random;
use super::terminate;
use serde_json::{Value, json};

/// Returns the node of all pods and attachments, in a random state. In most worlds it does not exist.
pub(super) fn node(random: &mut Random) -> Value {
    let taints = if random.one_in(3) { json!([{ "key": "node.kubernetes.io/out-of-service" }]) } else { json!([]) };
    let mounted = if random.one_in(3) { json!(["kubernetes.io/csi/disk.csi.example.com^handle-0"]) } else { json!([]) };
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": "node-1", "uid": "uid-node-1" },
        "spec": { "taints": taints },
        "status": {
            "conditions": [{ "type": "Ready", "status": random.of(&["True", "False", "Unknown", "Unknown"]) }],
            "volumesInUse": mounted,
        },
    })
}

/// Returns an attachment of a volume to the node.
pub(super) fn attachment(random: &mut Random, number: u64, volume: &str) -> Value {
    let finalizers = if random.one_in(4) { json!([]) } else { json!(["external-attacher/disk-csi-example-com"]) };
    let mut attachment = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": {
            "name": format!("va-{number}"), "uid": format!("a-{number}"), "resourceVersion": "30",
            "finalizers": finalizers,
        },
        "spec": {
            "attacher": "disk.csi.example.com", "nodeName": "node-1", "source": { "persistentVolumeName": volume },
        },
        "status": { "attached": true },
    });
    if random.one_in(6) {
        terminate(&mut attachment);
    }
    attachment
}
