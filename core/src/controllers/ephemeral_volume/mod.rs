//! The controller that creates claims for generic ephemeral volumes of pods: `pkg/controller/volume/ephemeral` of
//! Kubernetes 1.36.

mod claims;
pub mod leaves;
mod messages;

use super::log::{Log, Named};
use super::spec::{Controller, ControllerSpec};
use super::{Branch, KubernetesBehavior, SyncContext};
use crate::model::{EphemeralVolume, HeldObject, Id, Kind, ObjectId, PersistentVolumeClaim, Pod, TypedId};
use crate::world::{ControllerState, EventType, ObjectRef, World};
use claims::{claim_for, is_owner};
use leaves::{EphemeralPodBranch, EphemeralVolumeStep};

/// The controller that creates the claims of ephemeral volumes.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &[Kind::Pod],
    takes: Some(|object| object.of::<Pod>().is_some_and(|pod| !pod.ephemeral.is_empty())),
    memory,
    links: claims::join,
    same,
    is_hidden: |_| true,
    looks_at,
    needs: claims::needs,
    makes: claims::created_objects,
    ..ControllerSpec::named(NAME, "ephemeral-volume", |sync, behavior, id| {
        Some(sync_handler(sync, behavior, id.of()?).into())
    })
});

const NAME: &str = "ephemeral-volume-controller";

/// What the controller logs. In its messages, `volumeName` is the name of a volume of the pod.
pub const LOG: Log = Log {
    component: NAME,
    files: &["controller.go", "event.go"],
    messages: &[messages::MESSAGES],
    ends: |leaf| matches!(leaf, Branch::EphemeralPodBranch(_)),
    names: |values| {
        let named = |(key, value): &(&str, &str)| {
            let kind = match *key {
                "podKey" | "pod" => Kind::Pod,
                "PVC" => Kind::PersistentVolumeClaim,
                _ => return None,
            };
            Named::namespaced(kind, value)
        };
        // An event names the pod in two texts.
        let of = |wanted: &str| values.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
        let about = of("namespace").zip(of("name")).map(|(namespace, name)| format!("{namespace}/{name}"));
        let about = about.and_then(|key| Named::namespaced(Kind::Pod, &key));
        values.iter().filter_map(named).chain(about).collect()
    },
};

/// Selects the part of the controller state that describes the informers of pods and claims. These informers may lag.
/// The controller has no other caches and runs no operations.
fn memory<'s>(stated: &ControllerState<'s>) -> ControllerState<'s> {
    let informed = |id: &ObjectId| matches!(id.kind, Kind::Pod | Kind::PersistentVolumeClaim);
    let cached = stated.cached.iter().filter(|(id, _)| informed(id)).cloned();
    ControllerState { cached: cached.collect(), operations: Vec::new() }
}

/// Returns whether two versions are equal for this controller. Two versions of a claim are equal if they have the same
/// controlling owner.
fn same(a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    match (a, b) {
        (HeldObject::Pod(a), HeldObject::Pod(b)) => a == b,
        _ => a.meta().controller_owner == b.meta().controller_owner,
    }
}

/// Returns whether the sync of `object` reads `other`. A pod's sync reads the claims of its ephemeral volumes.
fn looks_at(world: &World<'_>, object: ObjectId, other: ObjectId) -> bool {
    let makes = |pod: Id<Pod>, claim: Id<PersistentVolumeClaim>| {
        let (pod, claim) = (world.get(pod)?, world.get(claim)?);
        Some(pod.meta.namespace == claim.meta.namespace && pod.makes(&claim.meta.name))
    };
    match (object.typed(), other.typed()) {
        (TypedId::Pod(pod), TypedId::PersistentVolumeClaim(claim)) => makes(pod, claim).unwrap_or_default(),
        _ => object == other,
    }
}

/// Syncs a pod. The phase of the pod does not matter: claims are created for finished pods, too. Upstream:
/// `syncHandler`, `pkg/controller/volume/ephemeral`, 1.36.
pub fn sync_handler(sync: &mut SyncContext<'_, '_>, behavior: &KubernetesBehavior, id: Id<Pod>) -> EphemeralPodBranch {
    let Some(pod) = sync.informed(id) else {
        let world = sync.world();
        let recorded = world.snapshot().pods().get(id.0 as usize).map(key);
        if let Some(key) = world.get(id).map(|pod| key(&pod)).or(recorded) {
            sync.log(|| messages::GONE.entry([key.into()]));
        }
        return EphemeralPodBranch::PodGone;
    };
    if pod.meta.deleted.is_some() {
        sync.log(|| messages::TERMINATING.entry([key(&pod).into()]));
        return EphemeralPodBranch::PodTerminating;
    }
    for (number, volume) in pod.ephemeral.iter().enumerate() {
        if let Err(error) = handle_volume(sync, behavior, (&pod, volume), place(sync.world(), id, number)) {
            let (namespace, name) = (&pod.meta.namespace, &pod.meta.name);
            let failed = format!("ephemeral volume {}: {error}", volume.name);
            sync.fail(format!("pod {namespace}/{name}, {failed}"));
            sync.event(ObjectRef::to(&*pod), EventType::Warning, "FailedBinding", failed);
            return EphemeralPodBranch::PodVolumeFailed;
        }
    }
    EphemeralPodBranch::PodVolumesHandled
}

/// Returns the key of a pod in the work queue.
fn key(pod: &Pod) -> String {
    format!("{}/{}", pod.meta.namespace, pod.meta.name)
}

/// Creates or checks the claim of one ephemeral volume. Upstream: `handleVolume`, `pkg/controller/volume/ephemeral`,
/// 1.36. Upstream's function ignores volumes of other types.
fn handle_volume(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    (pod, volume): (&Pod, &EphemeralVolume),
    place: Id<PersistentVolumeClaim>,
) -> Result<(), String> {
    let (namespace, name) = (&pod.meta.namespace, &volume.template.meta.name);
    sync.log(|| messages::CHECKING.entry([volume.name.as_str().into()]));
    if let Some(claim) = sync.informed_named::<PersistentVolumeClaim>(namespace, name) {
        if is_owner(pod, &claim) {
            sync.log(|| {
                let claim = format!("{namespace}/{name}");
                messages::CREATED_BEFORE.entry([volume.name.as_str().into(), claim.into()])
            });
            sync.step(EphemeralVolumeStep::ClaimExists.into());
            return Ok(());
        }
        sync.step(EphemeralVolumeStep::ClaimNotOwned.into());
        return Err(format!(
            "PVC {namespace}/{name} was not created for pod {namespace}/{} (pod is not owner)",
            pod.meta.name
        ));
    }
    match sync.create(claim_for(pod, volume), behavior.api_gates(), Some(place)) {
        Ok(_) => {
            sync.step(EphemeralVolumeStep::ClaimCreated.into());
            Ok(())
        }
        Err(error) => {
            sync.step(EphemeralVolumeStep::ClaimCreateRefused.into());
            Err(format!("create PVC {name}: {error}"))
        }
    }
}

/// The number of places that are kept free for the new claims of each pod.
const PLACES: u32 = 64;

/// Returns the place of a new claim. The place does not depend on the order in which claims are created.
fn place(world: &World<'_>, pod: Id<Pod>, number: usize) -> Id<PersistentVolumeClaim> {
    let recorded = u32::try_from(world.snapshot().claims().len()).unwrap_or(u32::MAX);
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    Id::new(recorded.saturating_add(pod.0.saturating_mul(PLACES)).saturating_add(number))
}
