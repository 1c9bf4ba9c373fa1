//! Ways out as commands that can be typed. Each write is the smallest possible one and is conditional: it states what
//! it expects to find, so that it does nothing where the world has moved on.

use super::Remedy;
use crate::model::{AnnotationKey, ObjectKey, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, ResourceVersion};
use serde_json::{Value, json};

/// A way out that is no command of ours or of kubectl.
pub fn by_hand(does: impl Into<String>) -> Remedy {
    Remedy { verb: "", command: String::new(), does: does.into() }
}

/// A command of kubectl.
pub fn kubectl(command: impl Into<String>, does: impl Into<String>) -> Remedy {
    Remedy { verb: "kubectl", command: format!("kubectl {}", command.into()), does: does.into() }
}

/// Looks at an object.
pub fn describe(object: &ObjectKey, does: impl Into<String>) -> Remedy {
    kubectl(format!("describe {}", typed(object)), does)
}

/// Keeps the claim's manifest: much of its spec can only be changed by creating it again.
pub fn save_claim(claim: &PersistentVolumeClaim, does: impl Into<String>) -> Remedy {
    kubectl(format!("get pvc {} -n {} -o yaml", quoted(&claim.meta.name), quoted(&claim.meta.namespace)), does)
}

/// Sets the reclaim policy of a volume to Retain; nothing where it is that already.
pub fn retain(volume: &PersistentVolume) -> Option<Remedy> {
    if volume.reclaim_policy == ReclaimPolicy::Retain {
        return None;
    }
    let write = json!({ "op": "replace", "path": "/spec/persistentVolumeReclaimPolicy", "value": "Retain" });
    Some(patch_volume(
        volume,
        vec![write],
        "keep the data: set policy Retain, which stops every deletion that has not begun",
    ))
}

/// Makes a volume remember the name of its claim and forget the uid, so that a claim of that name gets it, and nobody
/// else.
pub fn reserve_for_its_name(volume: &PersistentVolume) -> Option<Remedy> {
    let named = volume.claim_ref.as_ref()?;
    let mut steps: Vec<Value> = test("/spec/claimRef/uid", &named.uid).into_iter().collect();
    steps.push(json!({ "op": "remove", "path": "/spec/claimRef/uid" }));
    if !named.resource_version.is_empty() {
        steps.push(json!({ "op": "remove", "path": "/spec/claimRef/resourceVersion" }));
    }
    if volume.meta.annotations.has(AnnotationKey::BoundByController) {
        steps.push(json!({ "op": "remove", "path": "/metadata/annotations/pv.kubernetes.io~1bound-by-controller" }));
    }
    let does = format!(
        "reserve the volume for the claim named {}/{}: that claim may then read the old data",
        named.namespace, named.name
    );
    Some(patch_volume(volume, steps, does))
}

/// Makes a volume's `claimRef` name the uid of a claim that it names already. Nothing where it names none so far and no
/// version is known: one that came meanwhile must not be overwritten.
pub fn set_uid(volume: &PersistentVolume, uid: &str) -> Option<Remedy> {
    let named = volume.claim_ref.as_ref()?;
    let unchanged = if named.uid.is_empty() { at_version(volume)? } else { test("/spec/claimRef/uid", &named.uid)? };
    let tests =
        [test("/spec/claimRef/namespace", &named.namespace), test("/spec/claimRef/name", &named.name), Some(unchanged)];
    let operation = if named.uid.is_empty() { "add" } else { "replace" };
    let write = json!({ "op": operation, "path": "/spec/claimRef/uid", "value": uid });
    Some(patch_volume(
        volume,
        tests.into_iter().flatten().chain([write]).collect(),
        format!(
            "give the volume back to {}/{}, if that claim still has uid {uid}; nothing is deleted",
            named.namespace, named.name
        ),
    ))
}

/// The condition that the volume has not changed at all, which stands for the absence of a field: of that JSON patch
/// cannot speak. None where the version is not known.
pub fn at_version(volume: &PersistentVolume) -> Option<Value> {
    match &volume.meta.resource_version {
        ResourceVersion::Recorded(version) => test("/metadata/resourceVersion", version),
        ResourceVersion::Next(_) => None,
    }
}

/// A condition of a JSON patch; none for a value that is not there, of which JSON patch cannot speak.
fn test(path: &str, value: &str) -> Option<Value> {
    (!value.is_empty()).then(|| json!({ "op": "test", "path": path, "value": value }))
}

/// A JSON patch of a volume that does nothing where another volume has that name by now. What else it expects to find,
/// its steps say.
pub fn patch_volume(volume: &PersistentVolume, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    let steps: Vec<Value> = test("/metadata/uid", &volume.meta.uid).into_iter().chain(steps).collect();
    let steps = Value::Array(steps).to_string();
    kubectl(format!("patch pv {} --type=json -p {}", quoted(&volume.meta.name), quoted(&steps)), does)
}

/// An object as kubectl is told it.
pub fn typed(object: &ObjectKey) -> String {
    let ObjectKey { kind, namespace, name } = object;
    let name = quoted(&format!("{}/{name}", kind.short()));
    if namespace.is_empty() { name } else { format!("{name} -n {}", quoted(namespace)) }
}

/// A word that a shell takes for one, whatever is in it.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, typed};
    use crate::diagnosis::key;
    use crate::model::Kind;

    /// Names come from strangers, also from files that no API server has checked.
    #[test]
    fn no_name_leaves_its_word() {
        assert_eq!(quoted("data-0"), "data-0");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("a; rm -rf ~"), "'a; rm -rf ~'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(typed(&key(Kind::PersistentVolumeClaim, "db", "data-0")), "pvc/data-0 -n db");
        assert_eq!(typed(&key(Kind::PersistentVolume, "", "a b")), "'pv/a b'");
    }
}
