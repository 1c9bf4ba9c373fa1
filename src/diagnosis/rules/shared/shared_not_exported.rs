//! This rule says that a shared volume has no server, because no node uses it.

use super::{found, path_of};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-not-exported",
    title: "a shared volume has no server, because no node uses it",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::VolumeAttachment],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound, and no pod that runs uses it. Its Service may be missing.",
        why: "The storage system starts the server of a volume when the volume is attached for many nodes. Without a server its controller ignores the volume, and leaves the Service and the endpoints as they are.",
        confirm: "kubectl get volumes.api.storageos.com VOLUME -o yaml\nkubectl get volumeattachments",
        repair: "Nothing has to be repaired. The server starts when a pod uses the claim.",
        prevention: "Nothing is wrong, so there is nothing to prevent.",
        hazard: "The volume is not in use. None is known.",
        sources: &["storageos/api-manager@v1.2.16 internal/controllers/sharedvolume/controller.go"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let state = path.state.filter(|_| path.has_no_server() && path.provider.tells_target())?;
    if case.snapshot().attachments_of(&volume.meta.name).next().is_some() || !case.knows_all(Kind::VolumeAttachment, "")
    {
        return None;
    }
    let phase = state.phase.as_ref().map(|phase| format!(" and is {phase}")).unwrap_or_default();
    Some(found(
        &path,
        &format!("has no server, because no node uses it: {} has no {}{phase}", state.origin, state.server_field),
    ))
}
