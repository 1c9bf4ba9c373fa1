//! What one object says, or two of them say of each other: nothing here asks what else there is.

pub use crate::controllers::persistent_volume::volume::EXTERNAL_FINALIZER as DRIVER_FINALIZER;

use crate::model::{AnnotationKey, ClaimRef, ObjectMeta, PersistentVolume, PersistentVolumeClaim};

/// Where classes stand.
pub const CLASS: &str = "spec.storageClassName";

/// Where they stood once, and still count.
pub const CLASS_ANNOTATION: &str = "metadata.annotations[volume.beta.kubernetes.io/storage-class]";

/// Whether a completed binding stands on the claim.
pub fn is_bound(claim: &PersistentVolumeClaim) -> bool {
    claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

/// Whether the claim was never bound, and is not being deleted.
pub fn is_unbound(claim: &PersistentVolumeClaim) -> bool {
    !claim.terminating() && !is_bound(claim)
}

/// Whether the claim still looks for a volume.
pub fn is_open(claim: &PersistentVolumeClaim) -> bool {
    is_unbound(claim) && claim.volume_name.is_empty()
}

/// Whether a `claimRef` names the claim, whatever its uid.
pub fn names(named: &ClaimRef, claim: &PersistentVolumeClaim) -> bool {
    named.name == claim.meta.name && named.namespace == claim.meta.namespace
}

/// Whether a `claimRef` names a claim that could exist.
pub fn is_complete(named: &ClaimRef) -> bool {
    !named.namespace.is_empty() && !named.name.is_empty()
}

/// Whether a volume names some claim with its uid.
pub fn has_uid(volume: &PersistentVolume) -> bool {
    volume.claim_ref.as_ref().is_some_and(|named| !named.uid.is_empty())
}

/// Whether a volume names the claim with its uid.
pub fn has_uid_of(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    has_uid(volume) && volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid)
}

/// Who made the volume, as provisioners sign it.
pub fn provisioner(volume: &PersistentVolume) -> Option<&str> {
    volume.meta.annotations.get(AnnotationKey::ProvisionedBy).filter(|name| !name.is_empty())
}

/// The field that gives a claim its class, and what stands there.
pub fn class_of_claim(claim: &PersistentVolumeClaim) -> (&'static str, &str) {
    class_field(&claim.meta, claim.class_name.as_deref())
}

/// The field that gives a volume its class, and what stands there.
pub fn class_of_volume(volume: &PersistentVolume) -> (&'static str, &str) {
    class_field(&volume.meta, Some(volume.class_name.as_str()).filter(|class| !class.is_empty()))
}

/// That a class is there and empty says something else than that it is not there.
fn class_field<'m>(meta: &'m ObjectMeta, stated: Option<&'m str>) -> (&'static str, &'m str) {
    let (field, class) = match meta.annotations.get(AnnotationKey::BetaStorageClass) {
        Some(class) => (CLASS_ANNOTATION, Some(class)),
        None => (CLASS, stated),
    };
    (field, if class == Some("") { "\"\"" } else { class.unwrap_or_default() })
}
