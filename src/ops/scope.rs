//! The objects that belong to a namespace.

use crate::model::{Kind, ObjectId, ObjectKey, TypedId, VolumeAttachment};
use crate::simulate::{Outcome, Simulation};

/// The scope of the objects that are shown. It does not change which objects are read, except for pods.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The namespace that was given.
    pub namespace: Option<String>,
    /// Whether the objects of all namespaces are shown.
    pub all_namespaces: bool,
}

/// Returns whether the object is in the namespace, or is a volume that belongs to a claim of the namespace. A volume
/// belongs to a claim if it is bound to the claim or reserved for it. It also belongs to a claim that names it or that
/// may get it.
pub fn belongs_to(simulation: &Simulation<'_>, target: ObjectId, namespace: &str) -> bool {
    let snapshot = simulation.snapshot();
    match target.typed() {
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            let names = volume.claim_ref.as_ref().is_some_and(|claim| claim.namespace == namespace);
            let wanted = || {
                snapshot
                    .claims_naming(&volume.meta.name)
                    .iter()
                    .any(|id| snapshot.claim(*id).meta.namespace == namespace)
            };
            let may_get = || {
                let outcomes = simulation.outcomes(target);
                let listed = outcomes.listed.iter().any(
                    |outcome| matches!(outcome, Outcome::Volume { claim_ref: Some((ns, _, _)), .. } if ns == namespace),
                );
                // If not all outcomes are listed, any claim of the namespace in the same component may get the volume.
                let cut = outcomes.count > outcomes.listed.len() as u64;
                let claims = || simulation.component_of(target).of();
                listed || (cut && claims().any(|id| snapshot.claim(id).meta.namespace == namespace))
            };
            names || wanted() || may_get()
        }
        _ => snapshot.meta(target).namespace == namespace,
    }
}

/// Returns whether an object is reported for that namespace. This is so for the namespace itself, the objects in it,
/// the volumes that belong to it, and the attachments of these volumes. Objects that several namespaces share are not
/// reported.
pub fn is_of(simulation: &Simulation<'_>, object: &ObjectKey, namespace: &str) -> bool {
    let snapshot = simulation.snapshot();
    let is_shared = match object.kind {
        Kind::PersistentVolume | Kind::Namespace => false,
        Kind::VolumeAttachment => {
            let attachment = snapshot.find::<VolumeAttachment>("", &object.name);
            attachment.is_none_or(|attachment| snapshot.volume_id(&attachment.volume_name).is_none())
        }
        kind => !kind.namespaced(),
    };
    !is_shared && object_belongs_to(simulation, object, namespace)
}

/// Returns whether the findings of that namespace may depend on the object. If they do, the report must say whether the
/// object could be judged.
pub fn object_belongs_to(simulation: &Simulation<'_>, object: &ObjectKey, namespace: &str) -> bool {
    let snapshot = simulation.snapshot();
    let of_volume =
        |name: &str| snapshot.volume_id(name).is_some_and(|id| belongs_to(simulation, ObjectId::from(id), namespace));
    match object.kind {
        Kind::PersistentVolume => of_volume(&object.name),
        // Findings of any namespace may depend on an attachment of a deleted volume.
        Kind::VolumeAttachment => snapshot
            .find::<VolumeAttachment>("", &object.name)
            .filter(|attachment| snapshot.volume_id(&attachment.volume_name).is_some())
            .is_none_or(|attachment| of_volume(&attachment.volume_name)),
        Kind::Namespace => object.name == namespace,
        kind => !kind.namespaced() || object.namespace == namespace,
    }
}
