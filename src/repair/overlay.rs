//! The effect of a write on an object, by the rules of the API server. The simulation uses it to apply a plan.

use super::write::{Change, Reference, Seen, Write};
use crate::model::{
    AnnotationKey, Annotations, ClaimPhase, ClaimStatus, ObjectKey, ObjectMeta, PersistentVolumeClaim, ReclaimPolicy,
    Str, Timestamp,
};
use std::sync::Arc;

/// The finalizer that prevents the removal of a claim while pods use it.
pub(super) const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// The finalizer that prevents the removal of a volume while it is Bound.
pub(super) const VOLUME_PROTECTION: &str = "kubernetes.io/pv-protection";

impl Write {
    /// Returns the object after the write, as the API server stores it, or None if the object is then gone. The caller
    /// must first check that there is no [`Self::obstacle`].
    pub fn apply(&self, current: Option<&Seen>) -> Option<Seen> {
        match (&self.change, current) {
            (Change::Create { manifest }, _) => match Seen::decode(self.object.kind, manifest) {
                Ok(Seen::Claim(claim)) => Some(Seen::Claim(Arc::new(created(self, (*claim).clone())))),
                other => other.ok(),
            },
            (Change::CreateService { service }, _) => {
                Seen::decode(self.object.kind, &service.manifest(&self.object)).ok()
            }
            (_, None) => None,
            (Change::Delete, Some(seen)) => delete(seen),
            (change, Some(Seen::Volume(volume))) => {
                let mut after = (**volume).clone();
                match change {
                    Change::SetReclaimPolicy { to } => after.reclaim_policy = ReclaimPolicy::from_manifest(to),
                    Change::SetClaimRef { to, bound_by_controller } => {
                        after.claim_ref = to.as_ref().map(Reference::to_stored);
                        if *bound_by_controller {
                            after.meta.annotations.set(AnnotationKey::BoundByController, "yes");
                        } else {
                            after.meta.annotations.remove(AnnotationKey::BoundByController);
                        }
                    }
                    Change::RemoveFinalizer { finalizer } => {
                        after.meta.finalizers = without(&after.meta.finalizers, finalizer);
                        if after.meta.finalizers.is_empty() && after.meta.deleted.is_some() {
                            return None;
                        }
                    }
                    Change::SetAnnotation { key, value } => {
                        annotate(&mut after.meta.annotations, key, value.as_deref());
                    }
                    Change::NameVolume { .. }
                    | Change::SetClass { .. }
                    | Change::Create { .. }
                    | Change::CreateService { .. }
                    | Change::Delete => {}
                }
                after.meta.resource_version = after.meta.resource_version.successor();
                Some(Seen::Volume(Arc::new(after)))
            }
            (change, Some(Seen::Claim(claim))) => {
                let mut after = (**claim).clone();
                match change {
                    Change::NameVolume { volume } => after.volume_name.clone_from(volume),
                    Change::SetClass { class } => after.class_name = Some(class.clone()),
                    Change::SetAnnotation { key, value } => {
                        annotate(&mut after.meta.annotations, key, value.as_deref());
                    }
                    Change::RemoveFinalizer { finalizer } => {
                        after.meta.finalizers = without(&after.meta.finalizers, finalizer);
                        if after.meta.finalizers.is_empty() && after.meta.deleted.is_some() {
                            return None;
                        }
                    }
                    Change::SetReclaimPolicy { .. }
                    | Change::SetClaimRef { .. }
                    | Change::Create { .. }
                    | Change::CreateService { .. }
                    | Change::Delete => {}
                }
                after.meta.resource_version = after.meta.resource_version.successor();
                Some(Seen::Claim(Arc::new(after)))
            }
            // An attachment is only deleted. A Service is only created and deleted.
            (_, Some(Seen::Attachment(attachment))) => Some(Seen::Attachment(Arc::clone(attachment))),
            (_, Some(Seen::Service(service))) => Some(Seen::Service(Arc::clone(service))),
        }
    }
}

/// Returns the object after an accepted deletion, or None if the object has no finalizer.
pub(super) fn delete(seen: &Seen) -> Option<Seen> {
    if seen.meta().finalizers.is_empty() {
        return None;
    }
    let mark = |meta: &mut ObjectMeta| {
        if meta.deleted.is_none() {
            meta.deleted = Some(Timestamp(0));
            meta.deletion_grace_seconds = Some(0);
            meta.resource_version = meta.resource_version.successor();
        }
    };
    Some(match seen {
        Seen::Volume(volume) => {
            let mut after = (**volume).clone();
            mark(&mut after.meta);
            Seen::Volume(Arc::new(after))
        }
        Seen::Claim(claim) => {
            let mut after = (**claim).clone();
            mark(&mut after.meta);
            Seen::Claim(Arc::new(after))
        }
        Seen::Attachment(attachment) => {
            let mut after = (**attachment).clone();
            mark(&mut after.meta);
            Seen::Attachment(Arc::new(after))
        }
        Seen::Service(service) => {
            let mut after = (**service).clone();
            mark(&mut after.meta);
            Seen::Service(Arc::new(after))
        }
    })
}

/// Returns a created claim as the API server stores it: with a uid, a phase, and the finalizer of claim protection.
/// Upstream: `StorageObjectInUseProtection`, `plugin/pkg/admission/storage`, 1.36.
fn created(write: &Write, mut claim: PersistentVolumeClaim) -> PersistentVolumeClaim {
    claim.meta.name.clone_from(&write.object.name);
    claim.meta.namespace.clone_from(&write.object.namespace);
    claim.meta.uid = created_uid(&write.object);
    claim.meta.finalizers = [Str::from(CLAIM_PROTECTION)].into();
    claim.status = ClaimStatus { phase: ClaimPhase::Pending, ..Default::default() };
    claim.volume_mode.get_or_insert_default();
    claim
}

/// Returns the uid of a claim that a plan creates in the simulation.
fn created_uid(object: &ObjectKey) -> Str {
    format!("<created {}/{}>", object.namespace, object.name).into()
}

fn without(finalizers: &[Str], one: &str) -> Arc<[Str]> {
    finalizers.iter().filter(|present| *present != one).cloned().collect()
}

fn annotate(annotations: &mut Annotations, key: &str, value: Option<&str>) {
    match (AnnotationKey::from_manifest(key), value) {
        (Some(key), Some(value)) => annotations.set(key, value),
        (Some(key), None) => annotations.remove(key),
        (None, _) => {}
    }
}
