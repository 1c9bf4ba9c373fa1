//! Which objects belong to a namespace.

use crate::model::{Kind, ObjectId, ObjectKey, TypedId, VolumeAttachment};
use crate::simulate::{Outcome, Simulation};

/// Which objects are shown. What is read does not depend on it, but for pods.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The namespace that was given.
    pub namespace: Option<String>,
    /// Whether those of all namespaces are.
    pub all_namespaces: bool,
}

/// Claims of the namespace, and volumes that belong to them: bound to, reserved for, or wanted by them.
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
                // Where not all are listed, any claim of the namespace that this volume meets may be among them.
                let cut = outcomes.count > outcomes.listed.len() as u64;
                let claims = || simulation.component_of(target).of();
                listed || (cut && claims().any(|id| snapshot.claim(id).meta.namespace == namespace))
            };
            names || wanted() || may_get()
        }
        _ => snapshot.meta(target).namespace == namespace,
    }
}

/// Whether an object is one of that namespace: its own, and the volumes that belong to it with their attachments. What
/// several namespaces share is none of any.
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

/// Whether what cannot be judged of an object matters to that namespace: of all that it may rest on.
pub fn object_belongs_to(simulation: &Simulation<'_>, object: &ObjectKey, namespace: &str) -> bool {
    let snapshot = simulation.snapshot();
    let of_volume =
        |name: &str| snapshot.volume_id(name).is_some_and(|id| belongs_to(simulation, ObjectId::from(id), namespace));
    match object.kind {
        Kind::PersistentVolume => of_volume(&object.name),
        // An attachment of a volume that is gone is everybody's.
        Kind::VolumeAttachment => snapshot
            .find::<VolumeAttachment>("", &object.name)
            .filter(|attachment| snapshot.volume_id(&attachment.volume_name).is_some())
            .is_none_or(|attachment| of_volume(&attachment.volume_name)),
        Kind::Namespace => object.name == namespace,
        kind => !kind.namespaced() || object.namespace == namespace,
    }
}
