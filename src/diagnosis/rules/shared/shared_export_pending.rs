//! This rule reports a shared volume that is attached and whose server was not started.

use super::{found, path_of};
use crate::diagnosis::pod::facts::is_starting;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::shared_volumes::ServiceBehind;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-export-pending",
    title: "a shared volume is attached, and its server does not run",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::VolumeAttachment, Kind::Pod],
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, although the VolumeAttachments say that the volume is attached.",
        why: "The storage system has attached the volume, and then starts its server. The object of the system does not state the address of a server, so clients have nothing to mount.",
        confirm: "kubectl get volumeattachments\nkubectl get events -A --field-selector reason=FailedMount",
        repair: "Read the log of the storage system: the node of the server may lack free ports or a licence, or its pod may not start. The mount goes on by itself when the server runs.",
        prevention: "Keep the range of ports free that the storage system uses on its nodes.",
        hazard: "The data are not touched. Pods wait until the server runs.",
        sources: &[
            "longhorn/longhorn#5954",
            "longhorn/longhorn#2741",
            "storageos/api-manager@v1.2.16 internal/controllers/sharedvolume/README.md",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let state = path.state.filter(|_| path.has_no_server())?;
    // A system that tells only the address for clients cannot tell it without the Service.
    if !path.provider.tells_target() && matches!(path.service, ServiceBehind::NoService { .. }) {
        return None;
    }
    let attached = case.snapshot().attachments_of(&volume.meta.name).find(|attachment| attachment.attached)?;
    let pod = path.consumers(case.snapshot()).find(|pod| is_starting(pod))?;
    let is_early = case.may_heal(pod.started.or(pod.meta.created))?;
    let phase = state.phase.as_ref().map(|phase| format!(" (it is {phase})")).unwrap_or_default();
    let what = format!(
        "cannot be mounted, because its server does not run: {} has no {}{phase}",
        state.origin, state.server_field
    );
    let said = found(&path, &what).early_if(is_early);
    let said = said.evidence(&key(Kind::VolumeAttachment, "", &attached.meta.name), "status.attached", "true");
    Some(said.remedy(by_hand(format!("read the log of {}: it says why the server does not start", path.provider.name))))
}
