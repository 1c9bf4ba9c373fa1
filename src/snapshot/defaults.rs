//! The API server's defaults, for objects that were never on one.
//!
//! Upstream: `SetDefaults_PersistentVolume`, `SetDefaults_PersistentVolumeClaim` (`pkg/apis/core/v1`),
//! `SetDefaults_StorageClass` (`pkg/apis/storage/v1`) and the strategies' `PrepareForCreate`, 1.36.

use crate::model::{
    BindingMode, ClaimPhase, Kind, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy,
    StorageClass, Str, VolumeMode, VolumePhase,
};

/// What stands at the start of a uid that the API server would give; output prints just this.
pub const PLACEHOLDER_UID: &str = "<uid>";

/// Fills in what an API server always sets, and lists the objects that lacked some of it.
pub(super) fn apply(
    volumes: &mut [PersistentVolume],
    claims: &mut [PersistentVolumeClaim],
    classes: &mut [StorageClass],
    defaulted: &mut Vec<ObjectKey>,
) {
    for volume in volumes {
        let mut touched = default_uid(&mut volume.meta);
        touched |= fill(&mut volume.volume_mode, VolumeMode::Filesystem);
        if volume.status.phase == VolumePhase::Empty {
            volume.status.phase = VolumePhase::Pending;
            touched = true;
        }
        note(touched, Kind::PersistentVolume, &volume.meta, defaulted);
    }
    for claim in claims {
        let mut touched = default_uid(&mut claim.meta);
        touched |= fill(&mut claim.volume_mode, VolumeMode::Filesystem);
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
}

fn fill<T>(field: &mut Option<T>, default: T) -> bool {
    let absent = field.is_none();
    if absent {
        *field = Some(default);
    }
    absent
}

/// Each object needs a uid of its own, or two claims that were never on a server would count as one.
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
