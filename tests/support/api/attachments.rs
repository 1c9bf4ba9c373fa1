//! The actors that change attachments and their nodes: the kubelet of a node, kube-controller-manager and the attacher.

use super::store::{Call, Preconditions, Store, text};
use pvctl::model::{Kind, ObjectKey, Str};
use serde_json::{Value, json};

/// The beginning of the uid of an attachment that was created again.
const AGAIN: &str = "again-";

fn all(store: &Store) -> Vec<(ObjectKey, Value)> {
    let all = store.all(Kind::VolumeAttachment, "");
    all.map(|(key, attachment)| (key.clone(), attachment.clone())).collect()
}

/// Returns the node of the first attachment.
pub(super) fn node_of_any(store: &Store) -> Option<String> {
    all(store).first().map(|(_, attachment)| text(attachment, "/spec/nodeName"))
}

/// Makes the node of each attachment Ready.
pub(super) fn return_nodes(store: &mut Store) {
    for (_, attachment) in all(store) {
        let name = text(&attachment, "/spec/nodeName");
        let key = ObjectKey { kind: Kind::Node, namespace: Str::default(), name: name.as_str().into() };
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "uid": format!("uid-{name}") },
            "status": { "conditions": [{ "type": "Ready", "status": "True" }] },
        });
        store.put(&key, Some(node), "kubelet");
    }
}

/// Deletes every attachment. If an attachment is deleted already, it is removed.
pub(super) fn detach(store: &mut Store) {
    for (key, attachment) in all(store) {
        if attachment["metadata"]["deletionTimestamp"].is_string() {
            store.put(&key, None, "csi-attacher");
        } else {
            // The attachment was just read, so it exists.
            _ = store.delete(&key, &Preconditions::default(), &Call::by("attach-detach"));
        }
    }
}

/// Replaces every attachment by another one of the same name.
pub(super) fn attach_again(store: &mut Store) {
    for (key, mut attachment) in all(store) {
        attachment["metadata"]["uid"] = format!("{AGAIN}{}", text(&attachment, "/metadata/uid")).into();
        if let Some(metadata) = attachment["metadata"].as_object_mut() {
            metadata.remove("deletionTimestamp");
            metadata.remove("deletionGracePeriodSeconds");
        }
        store.put(&key, None, "csi-attacher");
        store.put(&key, Some(attachment), "attach-detach");
    }
}
