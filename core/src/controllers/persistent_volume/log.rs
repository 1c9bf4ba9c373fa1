//! What the PersistentVolume controller logs in a sync.

use super::messages::{self, MESSAGES, STORE_ADDING, STORE_UPDATING};
use crate::controllers::log::{Log, Message, Named};
use crate::controllers::{Branch, DispatchBranch, SyncContext};
use crate::model::{
    AnnotationKey, ClaimRef, Held, Id, Kind, PersistentVolume, PersistentVolumeClaim, Resource, ResourceVersion,
};
use crate::snapshot::printed;
use crate::world::{LogValue, quoted};

/// What the PersistentVolume controller logs.
pub const LOG: Log = Log {
    component: super::CONTROLLER_NAME,
    files: &["pv_controller.go", "pv_controller_base.go", "event.go"],
    messages: &[MESSAGES],
    ends: |leaf| match leaf {
        Branch::ClaimBranch(_) | Branch::VolumeBranch(_) => true,
        Branch::DispatchBranch(leaf) => leaf != DispatchBranch::ObjectSynced,
        _ => false,
    },
    names,
};

/// Returns the objects that keys with these values name. The name of an operation has the object and its uid.
fn names(values: &[(&str, &str)]) -> Vec<Named> {
    values.iter().filter_map(|(key, value)| name(key, value)).collect()
}

fn name(key: &str, value: &str) -> Option<Named> {
    let operation = |prefix: &str| value.strip_prefix(prefix)?.split('[').next();
    let volume = |name: &str| Named::object(Kind::PersistentVolume, name);
    let claim = |key: &str| Named::namespaced(Kind::PersistentVolumeClaim, key);
    match key {
        "volumeName" | "volumeKey" | "PV" => volume(value),
        "PVC" | "claimKey" => claim(value),
        "objName" => claim(value).or_else(|| volume(value)),
        "operationName" => operation("provision-")
            .and_then(claim)
            .or_else(|| operation("delete-").or_else(|| operation("recycle-")).and_then(volume)),
        _ => None,
    }
}

/// Returns the status of a claim as it is logged. Upstream: `getClaimStatusForLogging`, 1.36.
pub(super) fn claim_status(claim: &PersistentVolumeClaim) -> LogValue {
    format!(
        "phase: {}, bound to: {}, bindCompleted: {}, boundByController: {}",
        claim.status.phase.as_str(),
        quoted(&claim.volume_name),
        claim.meta.annotations.has(AnnotationKey::BindCompleted),
        claim.meta.annotations.has(AnnotationKey::BoundByController),
    )
    .into()
}

/// Returns the status of a volume as it is logged. Upstream: `getVolumeStatusForLogging`, 1.36.
pub(super) fn volume_status(volume: &PersistentVolume) -> LogValue {
    let claim = volume
        .claim_ref
        .as_ref()
        .map_or_else(String::new, |named| format!("{}/{} (uid: {})", named.namespace, named.name, printed(&named.uid)));
    format!(
        "phase: {}, bound to: {}, boundByController: {}",
        volume.status.phase.as_str(),
        quoted(&claim),
        volume.meta.annotations.has(AnnotationKey::BoundByController),
    )
    .into()
}

/// Returns the name of an object as it is logged. Upstream: `ObjectRef.String`, `k8s.io/klog/v2`, 2.140.
pub(super) fn reference(namespace: &str, name: &str) -> LogValue {
    let name = printed(name);
    if namespace.is_empty() { name.into() } else { format!("{namespace}/{name}").into() }
}

/// Returns the name of the claim of a claimRef as it is logged.
pub(super) fn referred(named: Option<&ClaimRef>) -> LogValue {
    named.map_or_else(|| "".into(), |named| reference(&named.namespace, &named.name))
}

/// Returns the name of a claim as it is logged.
pub(super) fn claim_name(claim: &PersistentVolumeClaim) -> LogValue {
    reference(&claim.meta.namespace, &claim.meta.name)
}

/// Returns the name of a volume as it is logged.
pub(super) fn volume_name(volume: &PersistentVolume) -> LogValue {
    printed(&volume.meta.name).into()
}

/// Returns the reference to the value of a key.
pub(super) fn text(text: &impl ToString) -> LogValue {
    text.to_string().into()
}

impl<'s> SyncContext<'_, 's> {
    /// Logs an entry about a claim.
    pub(super) fn logs_claim(&mut self, message: &Message, claim: &PersistentVolumeClaim) {
        self.log(|| message.entry([claim_name(claim)]));
    }

    /// Logs an entry about a volume.
    pub(super) fn logs_volume(&mut self, message: &Message, volume: &PersistentVolume) {
        self.log(|| message.entry([volume_name(volume)]));
    }

    /// Logs an entry about a claim and a volume.
    pub(super) fn logs_pair(&mut self, message: &Message, claim: &PersistentVolumeClaim, volume: &PersistentVolume) {
        self.log(|| message.entry([claim_name(claim), volume_name(volume)]));
    }

    /// Logs an entry about a volume and the claim of its claimRef.
    pub(super) fn logs_claimed(&mut self, message: &Message, volume: &PersistentVolume) {
        self.log(|| message.entry([referred(volume.claim_ref.as_ref()), volume_name(volume)]));
    }

    /// Logs that an object is put into the controller's cache. Upstream: `storeObjectUpdate`, 1.36.
    pub(super) fn logs_stored<T: Resource>(&mut self, object: &T, known: bool) {
        self.log(|| {
            let meta = object.meta();
            let (class, name) = match T::KIND {
                Kind::PersistentVolume => ("volume", reference("", &meta.name)),
                _ => ("claim", reference(&meta.namespace, &meta.name)),
            };
            let version: LogValue = match &meta.resource_version {
                ResourceVersion::Recorded(version) => version.as_str().into(),
                ResourceVersion::Next(_) => "<next>".into(),
            };
            let message = if known { &STORE_UPDATING } else { &STORE_ADDING };
            message.entry([class.into(), name, version])
        });
    }

    /// Logs how the sync of an object begins, if the controller's cache has the object.
    pub(super) fn logs_begin<T: Resource>(&mut self, message: &Message, id: Id<T>) {
        let Some(object) = self.cached(id) else { return };
        self.log(|| message.entry([reference(&object.meta().namespace, &object.meta().name)]));
        self.logs_stored(&*object, true);
    }

    /// Logs how the sync of a claim ends, if it ends with an error.
    pub(super) fn logs_claim_end(&mut self, claim: &Held<'s, PersistentVolumeClaim>) {
        let Some(error) = self.error().map(str::to_owned) else { return };
        self.log(|| {
            if is_conflict(&error) {
                messages::CLAIM_CONFLICT.entry([claim_name(claim), error.into()])
            } else {
                messages::CLAIM_FAILED.entry([error.into(), claim_name(claim)])
            }
        });
    }

    /// Logs how the sync of a volume ends, if it ends with an error.
    pub(super) fn logs_volume_end(&mut self, volume: &Held<'s, PersistentVolume>) {
        let Some(error) = self.error().map(str::to_owned) else { return };
        self.log(|| {
            if is_conflict(&error) {
                messages::VOLUME_CONFLICT.entry([volume_name(volume), error.into()])
            } else {
                messages::VOLUME_FAILED.entry([error.into(), volume_name(volume)])
            }
        });
    }
}

/// Returns whether the error of a sync is a conflict of versions, or wraps one. The error of a migration wraps none.
fn is_conflict(error: &str) -> bool {
    error.contains("Operation cannot be fulfilled on ")
        && !error.starts_with("persistent Volume Controller can't anneal")
}
