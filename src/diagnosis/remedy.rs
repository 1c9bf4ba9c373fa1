//! Remedies as commands that a person can type. Each command writes as little as possible and states what it expects to
//! find, so that it changes nothing if the object has changed since.

use super::Remedy;
use super::around::asked_provisioner;
use super::case::{claim_key, volume_key};
use super::facts::has_uid;
use crate::model::{
    AnnotationKey, Lease, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy,
    ResourceVersion, StorageClass, VolumeAttachment, VolumePhase,
};
use crate::snapshot::Snapshot;
use serde_json::{Value, json};

/// Creates a remedy that has no command of pvctl or kubectl.
pub fn by_hand(does: impl Into<String>) -> Remedy {
    Remedy { verb: "", command: String::new(), does: does.into() }
}

/// Creates a remedy that is a kubectl command.
pub fn kubectl(command: impl Into<String>, does: impl Into<String>) -> Remedy {
    Remedy { verb: "kubectl", command: format!("kubectl {}", command.into()), does: does.into() }
}

/// Creates a remedy that describes an object with kubectl.
pub fn describe(object: &ObjectKey, does: impl Into<String>) -> Remedy {
    kubectl(format!("describe {}", typed(object)), does)
}

/// Creates a remedy that saves the claim's manifest. Much of a claim's spec can be changed only by creating the claim
/// again.
pub fn save_claim(claim: &PersistentVolumeClaim, does: impl Into<String>) -> Remedy {
    kubectl(format!("get {} -o yaml", of_claim(claim)), does)
}

/// Creates a remedy that saves the volume's manifest. Only this manifest says where the storage is.
pub fn save_volume(volume: &PersistentVolume, why: &str) -> Remedy {
    kubectl(format!("get {} -o yaml", of_volume(volume)), format!("save the manifest of the volume: {why}"))
}

/// Creates a remedy that checks whether kube-controller-manager runs.
pub fn look_at_manager(does: impl Into<String>) -> Remedy {
    kubectl(format!("get lease {} -n {} -o yaml", Lease::MANAGER_NAME, Lease::MANAGER_NAMESPACE), does)
}

/// Creates a remedy that is a verb of pvctl with its arguments. Such a verb checks guards, asks for consent and can be
/// undone.
fn ours(verb: &'static str, what: &str, does: impl Into<String>) -> Remedy {
    Remedy { verb, command: format!("kubectl pvctl {verb} {what}"), does: does.into() }
}

/// Creates a remedy that sets the reclaim policy of the volume to Retain. Returns None if the policy is Retain already.
pub fn retain(volume: &PersistentVolume) -> Option<Remedy> {
    let does = "keep the data: set policy Retain; then the storage stays when the claim and the volume are deleted";
    let is_kept = volume.reclaim_policy == ReclaimPolicy::Retain;
    (!is_kept).then(|| ours("retain", &typed(&volume_key(&volume.meta.name)), does))
}

/// Creates a remedy that removes the uid from the `claimRef` of a volume whose claim is gone. Then only a claim with
/// the namespace and name in the `claimRef` gets the volume. Returns None unless the phase shows that the claim is
/// gone.
pub fn release(volume: &PersistentVolume) -> Option<Remedy> {
    let named = volume.claim_ref.as_ref()?;
    let does = format!(
        "reserve the volume for the claim named {}/{}: that claim may then read the old data",
        named.namespace, named.name
    );
    let has_ended = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed);
    has_ended.then(|| ours("release", &typed(&volume_key(&volume.meta.name)), does))
}

/// Creates a remedy that gives a volume to the claim: the volume that the claim had, or the volume that names the
/// claim. If a provisioner may be making a volume for the claim, `restore` would be refused. Then the remedy says what
/// has to happen first.
pub fn restore(snapshot: &Snapshot, claim: &PersistentVolumeClaim, does: impl Into<String>) -> Remedy {
    let what = typed(&claim_key(&claim.meta.namespace, &claim.meta.name));
    let bound = claim.meta.annotations.has(AnnotationKey::BindCompleted);
    match asked_provisioner(snapshot, claim).filter(|_| !bound) {
        None => ours("restore", &what, does),
        Some(provisioner) => by_hand(format!(
            "{provisioner} may be making a volume for {}, and that volume would be left behind: wait until this has \
             ended, or stop the provisioner, and then {}: `kubectl pvctl restore {what} --provisioner-stopped`",
            claim.key(),
            does.into()
        )),
    }
}

/// Creates a remedy that creates the claim again, bound to this volume. The volume that the claim had before is kept.
pub fn rebind(claim: &PersistentVolumeClaim, volume: &PersistentVolume, does: impl Into<String>) -> Remedy {
    let what = typed(&claim_key(&claim.meta.namespace, &claim.meta.name));
    let to = typed(&volume_key(&volume.meta.name));
    ours("rebind", &format!("{what} --to {to}"), does)
}

/// Creates a remedy that gives a claim back to the scheduler, if its selected node is gone.
pub fn reschedule(claim: &PersistentVolumeClaim, does: impl Into<String>) -> Remedy {
    ours("reschedule", &typed(&claim_key(&claim.meta.namespace, &claim.meta.name)), does)
}

/// Creates a remedy that has the volume detached from a node whose machine is off.
pub fn detach(attachment: &VolumeAttachment, does: impl Into<String>) -> Remedy {
    ours("detach", &quoted(&format!("va/{}", attachment.meta.name)), does)
}

/// Creates a remedy that gives the clients of a shared volume their server back.
pub fn reconnect(volume: &PersistentVolume, does: impl Into<String>) -> Remedy {
    ours("reconnect", &typed(&volume_key(&volume.meta.name)), does)
}

/// Creates a remedy that removes a finalizer from a claim that is being deleted, if the owner of the finalizer is gone.
pub fn unfinalize(claim: &PersistentVolumeClaim, finalizer: &str, does: impl Into<String>) -> Remedy {
    let object = quoted(&format!("pvc/{}", claim.meta.name));
    let what = format!("{object} {} -n {}", quoted(finalizer), quoted(&claim.meta.namespace));
    ours("unfinalize", &what, does)
}

/// Creates a remedy that replaces a claim that was never bound with a claim of another class. Returns None if a
/// provisioner may be making a volume for the claim.
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

/// Creates a remedy that reserves a free volume for the claim by name, together with further patch steps. Returns None
/// if the resourceVersion is unknown: a JSON patch cannot test whether a `claimRef` is absent, and a new `claimRef`
/// must not be overwritten.
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

/// Creates a remedy for a volume whose claim is gone. The remedy reserves the volume for another claim. Returns None if
/// the `claimRef` has no uid and the resourceVersion is unknown, because the named claim may exist by now.
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

/// Returns a `claimRef` that names the claim without its uid. If the claim is deleted and created again, the new claim
/// also gets the volume.
fn reservation(claim: &PersistentVolumeClaim) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": claim.meta.namespace,
        "name": claim.meta.name,
    })
}

/// Returns the patch step that removes the annotation `bound-by-controller`, if the volume has it. With this annotation
/// the controller would remove the `claimRef` if the claim got another volume.
fn no_longer_of_controller(volume: &PersistentVolume) -> Option<Value> {
    let marked = volume.meta.annotations.has(AnnotationKey::BoundByController);
    marked.then(|| json!({ "op": "remove", "path": "/metadata/annotations/pv.kubernetes.io~1bound-by-controller" }))
}

/// Returns the patch step that tests that the resourceVersion is unchanged. It is used because JSON patch cannot test
/// that a field is absent. Returns None if the resourceVersion is unknown.
pub fn at_version(volume: &PersistentVolume) -> Option<Value> {
    match &volume.meta.resource_version {
        ResourceVersion::Recorded(version) => test("/metadata/resourceVersion", version),
        ResourceVersion::Next(_) => None,
    }
}

/// Returns the patch step that tests a value. Returns None for an empty value, because JSON patch cannot test for
/// absence.
fn test(path: &str, value: &str) -> Option<Value> {
    (!value.is_empty()).then(|| expect(path, value))
}

/// Returns the step of a JSON patch that makes the patch fail if the value differs.
pub fn expect(path: &str, value: &str) -> Value {
    json!({ "op": "test", "path": path, "value": value })
}

/// Creates a remedy that applies a JSON patch to the volume. If the uid is known, the patch fails if another volume has
/// that name by now. The steps state any further conditions.
pub fn patch_volume(volume: &PersistentVolume, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    patch(&of_volume(volume), &volume.meta, steps, does)
}

/// Creates a remedy that applies a JSON patch to the claim. If the uid is known, the patch fails if another claim has
/// that name by now.
pub fn patch_claim(claim: &PersistentVolumeClaim, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    patch(&of_claim(claim), &claim.meta, steps, does)
}

/// Creates a remedy that applies a JSON patch to the class. If the uid is known, the patch fails if another class has
/// that name by now.
pub fn patch_class(class: &StorageClass, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    patch(&of_class(class), &class.meta, steps, does)
}

fn patch(target: &str, meta: &ObjectMeta, steps: Vec<Value>, does: impl Into<String>) -> Remedy {
    let steps: Vec<Value> = test("/metadata/uid", &meta.uid).into_iter().chain(steps).collect();
    kubectl(format!("patch {target} --type=json -p {}", quoted(&Value::Array(steps).to_string())), does)
}

/// Creates a remedy that removes a finalizer, if it is still at the same index. Returns None if the object does not
/// have the finalizer.
pub fn remove_finalizer(target: &str, meta: &ObjectMeta, finalizer: &str, does: impl Into<String>) -> Option<Remedy> {
    let place = meta.finalizers.iter().position(|present| present == finalizer)?;
    let path = format!("/metadata/finalizers/{place}");
    Some(patch(target, meta, vec![expect(&path, finalizer), json!({ "op": "remove", "path": path })], does))
}

/// Creates a remedy that sets the class of a claim that has none. The API server allows this once.
pub fn set_class(claim: &PersistentVolumeClaim, class: &str, does: impl Into<String>) -> Remedy {
    merge_claim(claim, &json!({ "metadata": { "uid": claim.meta.uid }, "spec": { "storageClassName": class } }), does)
}

/// Creates a remedy that sets `volumeName` in a claim that names no volume. The API server allows this once.
pub fn name_volume(claim: &PersistentVolumeClaim, volume: &str, does: impl Into<String>) -> Remedy {
    merge_claim(claim, &json!({ "metadata": { "uid": claim.meta.uid }, "spec": { "volumeName": volume } }), does)
}

/// Creates a remedy that applies a merge patch to the claim. The API server refuses a patch with the claim's uid if
/// another claim has that name.
pub fn merge_claim(claim: &PersistentVolumeClaim, patch: &Value, does: impl Into<String>) -> Remedy {
    kubectl(format!("patch {} -p {}", of_claim(claim), quoted(&patch.to_string())), does)
}

/// Creates a remedy that applies a merge patch to the class. The API server refuses a patch with the class's uid if
/// another class has that name.
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

/// Returns the kubectl arguments that select the object.
pub fn typed(object: &ObjectKey) -> String {
    let ObjectKey { kind, namespace, name } = object;
    let name = quoted(&format!("{}/{name}", kind.short()));
    if namespace.is_empty() { name } else { format!("{name} -n {}", quoted(namespace)) }
}

/// Quotes a text so that a shell reads it as one word, whatever characters it has.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
