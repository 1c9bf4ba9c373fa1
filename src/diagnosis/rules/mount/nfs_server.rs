//! What the rules about NFS servers have in common.

use super::{affects, mount_failed};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::nfs::{Export, Hanging};
use crate::diagnosis::{Act, Case, Detection};
use crate::model::Pod;

/// Adds the fields that every finding about an NFS server rests on.
pub(super) fn told(found: Detection, case: &Case<'_>, pod: &Pod, export: &Export<'_>, hanging: Hanging) -> Detection {
    let (object, field) = export.field(&case.object());
    let found = found
        .early_if(hanging.is_early)
        .since(hanging.since)
        .evidence(&object, field, export.server)
        .evidence(&case.object(), "spec.nodeName", pod.node_name.as_str())
        .settles(&mount_failed::RULE, case.object());
    let found = match export.persistent {
        Some(volume) => found.follows_from(volume_key(&volume.meta.name), Act::Serve),
        None => found,
    };
    affects(found, pod, export.claim)
}
