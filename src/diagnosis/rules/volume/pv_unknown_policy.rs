//! This rule reports a volume with a reclaim policy that Kubernetes does not know.

use super::{claim_is_gone, with_storage};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::shown;
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy, VolumePhase};

pub(super) static RULE: Rule = Rule {
    id: "pv-unknown-policy",
    title: "a reclaim policy that Kubernetes does not know",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The volume's RECLAIM POLICY is not Retain, Delete or Recycle. After its claim is gone, the volume is \
               Failed, with an event `VolumeUnknownReclaimPolicy`.",
        why: "The API server of Kubernetes refuses such a value. So the object comes from another API server, from an \
              edit in etcd, or from a file. When the claim is deleted, the controller does not know what to do with \
              the volume and makes it Failed. It does not change the data.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.persistentVolumeReclaimPolicy} {.status.phase}'",
        repair: "Set the policy to Retain, and later to the policy that you want. The first letter of a policy is a \
                 capital letter.",
        prevention: "Write objects only with the API server, and not directly into etcd.",
        hazard: "There is no danger for the data as long as the policy is unknown. Choose Delete only if you know who \
                 owns the data: they may be deleted at once.",
        sources: &["reclaimVolume, Kubernetes 1.36 (R5)", "ValidatePersistentVolume, Kubernetes 1.36"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let ReclaimPolicy::Other(policy) = &volume.reclaim_policy else { return None };
    if volume.terminating() {
        return None;
    }
    let failed = volume.status.phase == VolumePhase::Failed || case.volume_branch().is_some_and(claim_is_gone);
    let policy = shown(policy);
    let outcome = if failed {
        "Its claim is gone, so the volume is Failed"
    } else {
        "When its claim is deleted, the volume becomes Failed"
    };
    let found = Detection::new(format!(
        "Kubernetes does not know {}. It knows only Retain, Delete and Recycle. \
         {outcome}. Its data stay",
        part_of(&case.object(), &format!("reclaim policy \"{policy}\""))
    ));
    Some(
        with_storage(found, case, volume)
            .severity(if failed { Severity::Error } else { Severity::Warning })
            .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", policy)
            .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
            .remedies(retain(volume))
            .remedy(by_hand("find out why the API server did not refuse this value")),
    )
}
