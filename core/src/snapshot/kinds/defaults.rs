//! The API server's defaults, for objects that were never on an API server.
//!
//! Upstream: `SetDefaults_PersistentVolume`, `SetDefaults_PersistentVolumeClaim`, `SetDefaults_ResourceList`
//! (`pkg/apis/core/v1`), `SetDefaults_StorageClass` (`pkg/apis/storage/v1`), the strategies' `PrepareForCreate`, and
//! the admission plugin `DefaultStorageClass` (`plugin/pkg/admission/storage/storageclass/setdefault`), which is on by
//! default, 1.36.

use crate::model::{
    Amount, BindingMode, ClaimPhase, Kind, ObjectKey, ObjectMeta, Objects, ReclaimPolicy, Str, VolumeMode, VolumePhase,
    newest_default,
};
use std::sync::Arc;

/// The beginning of a uid that only an API server could assign. The output prints this placeholder in place of the uid.
pub const PLACEHOLDER_UID: &str = "<uid>";

/// Returns a name or uid as the output prints it. Some names and uids are made from a uid that only an API server could
/// assign. These are printed up to the end of the placeholder, which shows that the rest is unknown.
pub fn printed(text: &str) -> &str {
    text.find(PLACEHOLDER_UID).map_or(text, |at| &text[..at + PLACEHOLDER_UID.len()])
}

/// Sets the fields that an API server always sets, and lists the objects in which some of them were absent.
pub(in crate::snapshot) fn apply(objects: &mut Objects, defaulted: &mut Vec<ObjectKey>) {
    let Objects { volumes, claims, classes, pods, .. } = objects;
    for volume in volumes {
        let mut touched = default_uid(&mut volume.meta);
        touched |= fill(&mut volume.volume_mode, VolumeMode::Filesystem);
        touched |= round(&mut volume.capacity);
        if volume.status.phase == VolumePhase::Empty {
            volume.status.phase = VolumePhase::Pending;
            touched = true;
        }
        note(touched, Kind::PersistentVolume, &volume.meta, defaulted);
    }
    let default_class = newest_default(&*classes).map(|class| class.meta.name.clone());
    for claim in claims {
        let mut touched = default_uid(&mut claim.meta);
        // A stored claim without a class was stored while there was no default class. A claim that was never stored
        // gets the default class now.
        if touched && !claim.has_class() {
            claim.class_name.clone_from(&default_class);
        }
        touched |= fill(&mut claim.volume_mode, VolumeMode::Filesystem);
        touched |= claim.request.as_mut().is_some_and(Amount::round_up_to_milli);
        touched |= round(&mut claim.status.capacity);
        if claim.status.phase == ClaimPhase::Empty {
            claim.status.phase = ClaimPhase::Pending;
            touched = true;
        }
        note(touched, Kind::PersistentVolumeClaim, &claim.meta, defaulted);
    }
    for class in classes {
        let mut touched = default_uid(&mut class.meta);
        touched |= fill(&mut class.reclaim_policy, ReclaimPolicy::Delete);
        touched |= fill(&mut class.binding_mode, BindingMode::Immediate);
        note(touched, Kind::StorageClass, &class.meta, defaulted);
    }
    // If a pod has no ephemeral volumes, this program reads none of its fields that an API server sets by default.
    for pod in pods.iter_mut().filter(|pod| !pod.ephemeral.is_empty()) {
        let mut touched = default_uid(&mut pod.meta);
        for volume in &mut pod.ephemeral {
            touched |= fill(&mut volume.template.volume_mode, VolumeMode::Filesystem);
            touched |= volume.template.request.as_mut().is_some_and(Amount::round_up_to_milli);
        }
        note(touched, Kind::Pod, &pod.meta, defaulted);
    }
}

fn fill<T>(field: &mut Option<T>, default: T) -> bool {
    let absent = field.is_none();
    if absent {
        *field = Some(default);
    }
    absent
}

/// Rounds the amounts. Most amounts are whole numbers, so the list is copied only if an amount changes.
fn round(amounts: &mut Arc<[(Str, Amount)]>) -> bool {
    let rounds = amounts.iter().any(|(_, amount)| amount.clone().round_up_to_milli());
    if rounds {
        *amounts = amounts
            .iter()
            .cloned()
            .map(|(name, mut amount)| {
                amount.round_up_to_milli();
                (name, amount)
            })
            .collect();
    }
    rounds
}

/// Sets a placeholder uid if the object has none. Each object needs a distinct uid. Otherwise two claims that were
/// never on an API server would be treated as the same claim.
fn default_uid(meta: &mut ObjectMeta) -> bool {
    let absent = meta.uid.is_empty();
    if absent {
        meta.uid = Str::from(format!("{PLACEHOLDER_UID}{}/{}", meta.namespace, meta.name));
    }
    absent
}

fn note(touched: bool, kind: Kind, meta: &ObjectMeta, defaulted: &mut Vec<ObjectKey>) {
    if touched {
        defaulted.push(ObjectKey { kind, namespace: meta.namespace.clone(), name: meta.name.clone() });
    }
}
