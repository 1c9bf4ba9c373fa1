//! Problems of a StorageClass. They can affect all claims of the class. If the default class has a problem or is
//! missing, claims that state no class can be affected as well.

crate::diagnosis::rules::section! {
    sc_intree_removed,
    sc_two_defaults,
    sc_no_default,
    sc_noprovisioner_immediate,
    sc_default_class_static_trap,
    sc_mount_options,
    sc_expansion_off,
}

use crate::diagnosis::Remedy;
use crate::diagnosis::remedy::{expect, patch_class};
use crate::model::{AnnotationKey, StorageClass};
use serde_json::{Value, json};

/// Creates a remedy that sets the annotation of the default class to `false`, so that the class is not the default
/// class.
fn unmark(class: &StorageClass, does: String) -> Remedy {
    let marked = [AnnotationKey::IsDefaultClass, AnnotationKey::BetaIsDefaultClass]
        .into_iter()
        .filter(|key| class.meta.annotations.get(*key) == Some("true"));
    let mut steps: Vec<Value> = Vec::new();
    for key in marked {
        // A slash in a key is written as `~1` in the path of a JSON patch.
        let path = format!("/metadata/annotations/{}", key.as_str().replace('/', "~1"));
        steps.push(expect(&path, "true"));
        steps.push(json!({ "op": "replace", "path": path, "value": "false" }));
    }
    patch_class(class, steps, does)
}
