//! This rule reports a volume with the deprecated policy Recycle.

use super::{Gone, claim_is_gone, gone, recorded_released, trouble, with_storage};
use crate::controllers::VolumeBranch;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::retain;
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, ReclaimPolicy};

pub(super) static RULE: Rule = Rule {
    id: "pv-recycle-policy",
    title: "the deprecated policy Recycle",
    severity: Severity::Warning,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "RECLAIM POLICY is Recycle. The API server warns about this policy when the volume is created. There is \
               no other warning.",
        why: "When the claim of such a volume is deleted, the controller starts a pod that deletes every file on the \
              volume. Then the next claim in any namespace can get the volume. This works only for nfs and hostPath. \
              All other volumes become Failed. The policy has been deprecated for many releases.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.persistentVolumeReclaimPolicy}'",
        repair: "Set the policy to Retain. If you need erased volumes, erase them and make them free yourself, or use \
                 a driver that provisions volumes.",
        prevention: "Create volumes with Retain. Use dynamic provisioning with policy Delete instead of Recycle.",
        hazard: "If several volumes or users share one export, the pod erases their data, too. If several volumes are \
                 recycled at the same time, the controller can confuse their recycler pods. Then another claim can get \
                 a volume with the old data.",
        sources: &[
            "reclaimVolume, recycleVolumeOperation, Kubernetes 1.36 (R3, RO4, RO6)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#recycle",
            "kubernetes/kubernetes#53413",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.terminating() || volume.reclaim_policy != ReclaimPolicy::Recycle {
        return None;
    }
    let gone = gone(case, volume).filter(|gone| claim_is_gone(gone.branch));
    // If the claim is gone, other rules report most cases.
    let is_told = |gone: Gone<'_>| {
        let replaced = gone.branch == VolumeBranch::VolumeClaimReplaced;
        replaced || !recorded_released(volume) || trouble(case, volume, gone).is_some()
    };
    if gone.is_some_and(is_told) {
        return None;
    }
    let kind = volume.source.kind.as_str();
    let scrubbed = data_fate(case.behavior(), volume) == DataFate::Scrubbed;
    let (risk, message) = match (gone.is_some(), scrubbed) {
        (true, true) => (
            Risk::Imminent,
            format!(
                "{} is scrubbed now (policy Recycle), because its claim is gone. All its files are deleted, unless the \
                 policy is set to Retain in time",
                mention(&case.object())
            ),
        ),
        (false, true) => (
            Risk::Possible,
            format!(
                "{} is scrubbed as soon as the claim is deleted (policy Recycle). All its files are deleted. Then the next \
                 claim can get the volume",
                mention(&case.object())
            ),
        ),
        (true, false) => {
            let me = mention(&case.object());
            (Risk::None, format!("policy Recycle has no effect on {me}. Its claim is gone, and the data stay"))
        }
        (false, false) => (
            Risk::None,
            format!(
                "policy Recycle cannot scrub {}, a {kind} volume. When its claim is deleted, its data stay, but no other \
                 claim can get the volume",
                mention(&case.object())
            ),
        ),
    };
    Some(
        with_storage(Detection::new(message), case, volume)
            .risk(risk)
            .evidence(&case.object(), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str())
            .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
            .remedies(retain(volume)),
    )
}
