//! Ways out as commands that can be typed. Each write is the smallest possible one and is conditional: it states what
//! it expects to find, so that it does nothing where the world has moved on.

use super::Remedy;
use super::around::asked_provisioner;
use super::case::{claim_key, volume_key};
use super::facts::has_uid;
use crate::model::{
    AnnotationKey, Lease, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy,
    ResourceVersion, StorageClass, VolumePhase,
};
use crate::snapshot::Snapshot;
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
    kubectl(format!("get {} -o yaml", of_claim(claim)), does)
}

/// Keeps the volume's manifest, which alone says where its storage is.
pub fn save_volume(volume: &PersistentVolume, why: &str) -> Remedy {
    kubectl(format!("get {} -o yaml", of_volume(volume)), format!("save the volume as it is: {why}"))
}

/// Looks whether kube-controller-manager runs.
pub fn look_at_manager(does: impl Into<String>) -> Remedy {
    kubectl(format!("get lease {} -n {} -o yaml", Lease::MANAGER_NAME, Lease::MANAGER_NAMESPACE), does)
}

/// A verb of ours, with what is typed after it: it looks at what stands against it, asks, and can be taken back.
fn ours(verb: &'static str, what: &str, does: impl Into<String>) -> Remedy {
    Remedy { verb, command: format!("kubectl pvctl {verb} {what}"), does: does.into() }
}

/// Sets the reclaim policy of a volume to Retain; nothing where it is that already.
pub fn retain(volume: &PersistentVolume) -> Option<Remedy> {
    let does = "keep the data: set policy Retain, which stops every deletion that has not begun";
    let is_kept = volume.reclaim_policy == ReclaimPolicy::Retain;
    (!is_kept).then(|| ours("retain", &typed(&volume_key(&volume.meta.name)), does))
}

/// Makes a volume whose claim is gone remember the name of that claim and forget the uid, so that a claim of that name
/// gets it, and nobody else. Nothing as long as the volume does not show that its claim is gone.
pub fn release(volume: &PersistentVolume) -> Option<Remedy> {
    let named = volume.claim_ref.as_ref()?;
    let does = format!(
        "reserve the volume for the claim named {}/{}: that claim may then read the old data",
        named.namespace, named.name
    );
    let has_ended = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed);
    has_ended.then(|| ours("release", &typed(&volume_key(&volume.meta.name)), does))
}

/// Gives a claim the volume that it had or that names it. While a provisioner may be making one for the claim this is
/// refused, and what has to be so first is said.
pub fn restore(snapshot: &Snapshot, claim: &PersistentVolumeClaim, does: impl Into<String>) -> Remedy {
    let what = typed(&claim_key(&claim.meta.namespace, &claim.meta.name));
    let bound = claim.meta.annotations.has(AnnotationKey::BindCompleted);
    match asked_provisioner(snapshot, claim).filter(|_| !bound) {
        None => ours("restore", &what, does),
        Some(provisioner) => by_hand(format!(
            "{provisioner} may be making a volume for {} that would be left behind: wait for its end or stop it, and then \
             {}: `kubectl pvctl restore {what} --provisioner-stopped`",
            claim.key(),
            does.into()
        )),
    }
}

/// Creates a claim anew that gets this volume; the one that it had is kept.
pub fn rebind(claim: &PersistentVolumeClaim, volume: &PersistentVolume, does: impl Into<String>) -> Remedy {
    let what = typed(&claim_key(&claim.meta.namespace, &claim.meta.name));
    let to = typed(&volume_key(&volume.meta.name));
    ours("rebind", &format!("{what} --to {to}"), does)
}

/// Takes a finalizer off a claim that is being deleted, for its owner that is gone.
pub fn unfinalize(claim: &PersistentVolumeClaim, finalizer: &str, does: impl Into<String>) -> Remedy {
    let object = quoted(&format!("pvc/{}", claim.meta.name));
    let what = format!("{object} {} -n {}", quoted(finalizer), quoted(&claim.meta.namespace));
    ours("unfinalize", &what, does)
}

/// Replaces a claim that was never bound by one of another class. While a provisioner may be making a volume for it,
/// this is refused.
pub fn recreate_with_class(
    snapshot: &Snapshot,
    claim: &PersistentVolumeClaim,
    class: &str,
    does: impl Into<String>,
) -> Option<Remedy> {
    let what = typed(&claim_key(&claim.meta.namespace, &claim.meta.name));
    let set = quoted(&format!("class={class}"));
    asked_provisioner(snapshot, claim).is_none().then(|| ours("recreate", &format!("{what} --set {set}"), does))
}

/// Reserves a free volume for the claim by its name, with what else is to be written. Nothing where no version is
/// known: JSON patch cannot ask whether a `claimRef` is absent, and one that came meanwhile must not be overwritten.
pub fn reserve(
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    more: Vec<Value>,
    does: impl Into<String>,
) -> Option<Remedy> {
    claim_ref(volume, &reservation(claim), more, does)
}

fn claim_ref(volume: &PersistentVolume, named: &Value, more: Vec<Value>, does: impl Into<String>) -> Option<Remedy> {
    let write = json!({ "op": "add", "path": "/spec/claimRef", "value": named });
    Some(patch_volume(volume, [at_version(volume)?, write].into_iter().chain(more).collect(), does))
}

/// Reserves a volume whose claim is gone for another one. Nothing where it names its claim without a uid and no version
/// is known: that claim may have come meanwhile.
pub fn hand_over(volume: &PersistentVolume, claim: &PersistentVolumeClaim, does: impl Into<String>) -> Option<Remedy> {
    let named = volume.claim_ref.as_ref()?;
    let unchanged = if has_uid(volume) { expect("/spec/claimRef/uid", &named.uid) } else { at_version(volume)? };
    let mut steps = vec![
        expect("/spec/claimRef/namespace", &named.namespace),
        expect("/spec/claimRef/name", &named.name),
        unchanged,
        json!({ "op": "replace", "path": "/spec/claimRef", "value": reservation(claim) }),
    ];
    steps.extend(no_longer_of_controller(volume));
    Some(patch_volume(volume, steps, does))
}

/// A `claimRef` that names the claim and not its uid: whoever creates the claim again gets the volume as well.
fn reservation(claim: &PersistentVolumeClaim) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": claim.meta.namespace,
        "name": claim.meta.name,
    })
}

/// Takes the mark of the controller from a volume that has it: with it the controller would take the `claimRef` away
/// again should the claim get another volume.
fn no_longer_of_controller(volume: &PersistentVolume) -> Option<Value> {
    let marked = volume.meta.annotations.has(AnnotationKey::BoundByController);
    marked.then(|| json!({ "op": "remove", "path": "/metadata/annotations/pv.kubernetes.io~1bound-by-controller" }))
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
    (!value.is_empty()).then(|| expect(path, value))
}

/// The step of a JSON patch that ends it where the value is another one.
pub fn expect(path: &str, value: &str) -> Value {
    json!({ "op": "test", "path": path, "value": value })
}

/// A JSON patch of a volume that does nothing where another volume has that name by now. What else it expects to find,
/// its steps say.
pub fn patch_volume(volume: &PersistentVolume, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    patch(&of_volume(volume), &volume.meta, steps, does)
}

/// The same of a claim.
pub fn patch_claim(claim: &PersistentVolumeClaim, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    patch(&of_claim(claim), &claim.meta, steps, does)
}

/// The same of a class.
pub fn patch_class(class: &StorageClass, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    patch(&of_class(class), &class.meta, steps, does)
}

fn patch(target: &str, meta: &ObjectMeta, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    let steps: Vec<Value> = test("/metadata/uid", &meta.uid).into_iter().chain(steps).collect();
    kubectl(format!("patch {target} --type=json -p {}", quoted(&Value::Array(steps).to_string())), does)
}

/// Gives a claim that has none a class, which the API server allows once.
pub fn set_class(claim: &PersistentVolumeClaim, class: &str, does: impl Into<String>) -> Remedy {
    merge_claim(claim, &json!({ "metadata": { "uid": claim.meta.uid }, "spec": { "storageClassName": class } }), does)
}

/// Names a volume in a claim that names none, which the API server allows once.
pub fn name_volume(claim: &PersistentVolumeClaim, volume: &str, does: impl Into<String>) -> Remedy {
    merge_claim(claim, &json!({ "metadata": { "uid": claim.meta.uid }, "spec": { "volumeName": volume } }), does)
}

/// A merge patch of the claim; one that holds the claim's uid is refused where there is another claim of that name.
pub fn merge_claim(claim: &PersistentVolumeClaim, patch: &Value, does: impl Into<String>) -> Remedy {
    kubectl(format!("patch {} -p {}", of_claim(claim), quoted(&patch.to_string())), does)
}

/// The same of a class.
pub fn merge_class(class: &StorageClass, patch: &Value, does: impl Into<String>) -> Remedy {
    kubectl(format!("patch {} -p {}", of_class(class), quoted(&patch.to_string())), does)
}

fn of_volume(volume: &PersistentVolume) -> String {
    format!("pv {}", quoted(&volume.meta.name))
}

fn of_claim(claim: &PersistentVolumeClaim) -> String {
    format!("pvc {} -n {}", quoted(&claim.meta.name), quoted(&claim.meta.namespace))
}

fn of_class(class: &StorageClass) -> String {
    format!("sc {}", quoted(&class.meta.name))
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
