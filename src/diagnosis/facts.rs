//! Facts about one object, or about two objects and how they refer to each other. Only `has_event` reads other objects:
//! the events about the object.

pub use crate::controllers::persistent_volume::volume::EXTERNAL_FINALIZER as DRIVER_FINALIZER;

use crate::model::{
    AnnotationKey, ClaimRef, NodeSelector, NodeSelectorTerm, ObjectKey, ObjectMeta, PersistentVolume,
    PersistentVolumeClaim, Str,
};
use crate::snapshot::Snapshot;

/// The field that holds the class of a claim or volume.
pub const CLASS: &str = "spec.storageClassName";

/// The deprecated annotation that held the class. It still takes precedence over the field.
pub const CLASS_ANNOTATION: &str = "metadata.annotations[volume.beta.kubernetes.io/storage-class]";

/// Returns whether the claim has the annotation of a completed binding.
pub fn is_bound(claim: &PersistentVolumeClaim) -> bool {
    claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

/// Returns whether the binding of the claim was never completed and the claim is not being deleted.
pub fn is_unbound(claim: &PersistentVolumeClaim) -> bool {
    !claim.terminating() && !is_bound(claim)
}

/// Returns whether the claim is unbound and names no volume. The controller still searches for a volume for such a
/// claim.
pub fn is_open(claim: &PersistentVolumeClaim) -> bool {
    is_unbound(claim) && claim.volume_name.is_empty()
}

/// Returns whether the `claimRef` has the namespace and name of the claim. The uid is not compared.
pub fn names(named: &ClaimRef, claim: &PersistentVolumeClaim) -> bool {
    named.name == claim.meta.name && named.namespace == claim.meta.namespace
}

/// Returns whether the `claimRef` has a namespace and a name. If one of them is missing, no claim can match the
/// `claimRef`.
pub fn is_complete(named: &ClaimRef) -> bool {
    !named.namespace.is_empty() && !named.name.is_empty()
}

/// Returns whether the `claimRef` of the volume has a uid.
pub fn has_uid(volume: &PersistentVolume) -> bool {
    volume.claim_ref.as_ref().is_some_and(|named| !named.uid.is_empty())
}

/// Returns whether the `claimRef` of the volume has the uid of the claim.
pub fn has_uid_of(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    has_uid(volume) && volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid)
}

/// Returns the provisioner that made the volume, as stated by the annotation that provisioners write. Returns `None` if
/// the volume does not have this annotation, or if it is empty.
pub fn provisioner(volume: &PersistentVolume) -> Option<&str> {
    volume.meta.annotations.get(AnnotationKey::ProvisionedBy).filter(|name| !name.is_empty())
}

/// Returns the field that determines the class of the claim, and the value of this field.
pub fn class_of_claim(claim: &PersistentVolumeClaim) -> (&'static str, &str) {
    class_field(&claim.meta, claim.class_name.as_deref())
}

/// Returns the field that determines the class of the volume, and the value of this field.
pub fn class_of_volume(volume: &PersistentVolume) -> (&'static str, &str) {
    class_field(&volume.meta, Some(volume.class_name.as_str()).filter(|class| !class.is_empty()))
}

/// Returns the field and its value. An empty class is returned as two quotation marks, because an empty class and an
/// unset class do not mean the same.
fn class_field<'m>(meta: &'m ObjectMeta, stated: Option<&'m str>) -> (&'static str, &'m str) {
    let (field, class) = match meta.annotations.get(AnnotationKey::BetaStorageClass) {
        Some(class) => (CLASS_ANNOTATION, Some(class)),
        None => (CLASS, stated),
    };
    (field, if class == Some("") { "\"\"" } else { class.unwrap_or_default() })
}

/// Returns whether an event of that reason about the object was read.
pub fn has_event(snapshot: &Snapshot, object: &ObjectKey, reason: &str) -> bool {
    let uid = snapshot.object_id(object).map_or("", |id| snapshot.meta(id).uid.as_str());
    snapshot.events_about(object, uid).any(|event| event.reason == reason)
}

/// Returns the node selector as words, such as `zone In (a,b) and disk Exists ()`. If the selector has more than two
/// alternatives, the first two are shown.
pub fn node_selector_text(affinity: &NodeSelector) -> String {
    let term = |term: &NodeSelectorTerm| {
        let requirements = term.expressions.iter().chain(&term.fields).map(|requirement| {
            let values: Vec<&str> = requirement.values.iter().map(Str::as_str).collect();
            format!("{} {} ({})", requirement.key, requirement.operator.as_str(), values.join(","))
        });
        requirements.collect::<Vec<_>>().join(" and ")
    };
    let terms: Vec<String> = affinity.terms.iter().take(2).map(term).collect();
    match affinity.terms.len() {
        0 => "labels that no node can have".to_owned(),
        1 | 2 => terms.join(", or "),
        _ => format!("{}, or others", terms.join(", or ")),
    }
}
