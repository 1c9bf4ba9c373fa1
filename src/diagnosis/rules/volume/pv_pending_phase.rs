//! This rule reports a volume that the controller has not synced since it was created.

use super::claim_is_gone;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, look_at_manager};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, VolumePhase};
use crate::simulate::Outcome;
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "pv-pending-phase",
    title: "the controller has not synced the volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::StorageClass],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume has been Pending for minutes, although it could be Available or Bound. No event gives a \
               reason.",
        why: "The API server gives a new volume the phase Pending. Only the PersistentVolume controller changes this \
              phase, in its first sync of the volume. This sync should happen at once, and every resync repeats it \
              (every 15 s by default). If the volume was not synced, kube-controller-manager does not run, has no \
              leader, or cannot read or write volumes. The phase Pending alone does not prove this: a volume that is a \
              few seconds old is Pending, too.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.creationTimestamp} {.status.phase}'\n\
                  kubectl get lease kube-controller-manager -n kube-system -o jsonpath='{.spec.holderIdentity} \
                  {.spec.renewTime}'\n\
                  kubectl get pods -n kube-system -l component=kube-controller-manager",
        repair: "Check whether kube-controller-manager runs, whether it holds its Lease, and what its log says about \
                 volumes. The volume itself needs no change.",
        prevention: "Monitor the Lease and the health of kube-controller-manager.",
        hazard: "When the controller starts, it does all waiting work. It also applies the reclaim policies of volumes \
                 whose claims were deleted before. Before you start it, set all important volumes to Retain.",
        sources: &[
            "syncVolume, updateVolumePhase, Kubernetes 1.36 (V2, V3, V10)",
            "PrepareForCreate of the volumes' strategy, Kubernetes 1.36",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let phase = &volume.status.phase;
    if volume.terminating() || !matches!(phase, VolumePhase::Pending | VolumePhase::Empty) {
        return None;
    }
    let since = volume.status.last_phase_transition.or(volume.meta.created);
    let waited = case.seconds_since(since)?;
    let resync = case.behavior().resync_seconds;
    let patience = i64::try_from(resync.saturating_mul(2).saturating_add(30)).unwrap_or(i64::MAX);
    // Another rule reports a volume whose claim is gone.
    if waited <= patience || claim_is_gone(case.volume_branch()?) {
        return None;
    }
    let stays = |end: &str| end == VolumePhase::Pending.as_str() || end.is_empty();
    let mut ends: Vec<&str> = case.ends()?.representatives().map(Outcome::phase).collect();
    ends.dedup();
    if ends.is_empty() || ends.iter().any(|end| stays(end)) {
        return None;
    }
    let found = Detection::new(format!(
        "kube-controller-manager has not synced {} for {}. One sync makes it {}, and it should be synced every {resync} s. So \
         kube-controller-manager probably does not run",
        mention(&case.object()),
        human_age(waited),
        ends.join(" or ")
    ));
    Some(
        found
            .since(since)
            .evidence(&case.object(), "status.phase", phase.as_str())
            .moment(&case.object(), "metadata.creationTimestamp", volume.meta.created)
            .remedy(look_at_manager("see who holds the Lease, and when it was renewed"))
            .remedy(by_hand("repair kube-controller-manager; the volume itself needs no change")),
    )
}
