//! Classes: what a StorageClass does to all claims that have it, or that state none.

crate::diagnosis::rules::section! {
    intree_removed,
    two_defaults,
    no_default,
    noprovisioner_immediate,
    default_static_trap,
    mount_options,
    expansion_off,
}

use crate::diagnosis::Remedy;
use crate::diagnosis::remedy::{kubectl, quoted};
use crate::model::{AnnotationKey, PersistentVolumeClaim, StorageClass};
use serde_json::{Value, json};

/// Whether the claim still looks for a volume.
fn is_open(claim: &PersistentVolumeClaim) -> bool {
    !claim.terminating() && claim.volume_name.is_empty() && !claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

/// Takes the mark of a default class from a class that has it.
fn unmark(class: &StorageClass, does: String) -> Remedy {
    let marked = [AnnotationKey::IsDefaultClass, AnnotationKey::BetaIsDefaultClass]
        .into_iter()
        .filter(|key| class.meta.annotations.get(*key) == Some("true"));
    let uid = json!({ "op": "test", "path": "/metadata/uid", "value": class.meta.uid });
    let mut steps: Vec<Value> = vec![uid];
    for key in marked {
        // A slash in a key is written so in the path of a JSON patch.
        let path = format!("/metadata/annotations/{}", key.as_str().replace('/', "~1"));
        steps.push(json!({ "op": "test", "path": path, "value": "true" }));
        steps.push(json!({ "op": "replace", "path": path, "value": "false" }));
    }
    let steps = Value::Array(steps).to_string();
    kubectl(format!("patch sc {} --type=json -p {}", quoted(&class.meta.name), quoted(&steps)), does)
}
