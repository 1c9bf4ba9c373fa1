//! What the rules about NFS servers have in common.

use super::{affects, mount_failed};
use crate::diagnosis::nfs::{Export, Hanging};
use crate::diagnosis::{Case, Detection};
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
    affects(found, pod, export.claim)
}
