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
        seen: "The volume is Pending for minutes, though nothing speaks against its being Available or Bound. No event \
               says anything.",
        why: "Pending is the phase that the API server gives to a new volume; only the PersistentVolume controller \
              gives it another one, and it does so with its first sync. A sync should happen at once, and again with \
              every resync (15 s by default). If it has not, kube-controller-manager does not run, has no leader, or \
              cannot read or write volumes. Pending alone is no sign of that: a volume that is a few seconds old is \
              Pending, too.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.creationTimestamp} {.status.phase}'\n\
                  kubectl get lease kube-controller-manager -n kube-system -o jsonpath='{.spec.holderIdentity} \
                  {.spec.renewTime}'\n\
                  kubectl get pods -n kube-system -l component=kube-controller-manager",
        repair: "See to kube-controller-manager: whether it runs, holds its lease, and what its log says of volumes. \
                 The volume itself needs nothing.",
        prevention: "Watch the lease and the health of kube-controller-manager.",
        hazard: "Everything that waits is done when the controller starts, also the reclaim policies of volumes whose \
                 claims went meanwhile. Set to Retain what must not be lost before you start it.",
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
