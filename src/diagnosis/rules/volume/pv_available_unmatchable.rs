//! This rule reports a free volume whose class does not exist and that no claim requests.

use super::PATIENCE;
use super::pv_available_with_data::trace;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, VolumePhase};
use crate::snapshot::Snapshot;
use crate::text::{human_age, nearest};

pub(super) static RULE: Rule = Rule {
    id: "pv-available-unmatchable",
    title: "free, and no claim asks for its class",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::StorageClass, Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is Available for a long time, and the column STORAGECLASS names a class that does not exist.",
        why: "A claim gets a volume by matching only if both have the same class, letter by letter. A class need not \
              exist for that: people use free names as labels. But no claim of any namespace asks for this one, so the \
              name is probably misspelt, or left from a class that was removed. Of several free volumes that are alike \
              the smallest is reported for all.",
        confirm: "kubectl get sc\n\
                  kubectl get pv -o \
                  custom-columns='NAME:.metadata.name,CLASS:.spec.storageClassName,PHASE:.status.phase'\n\
                  kubectl get pvc -A -o \
                  custom-columns='NAMESPACE:.metadata.namespace,NAME:.metadata.name,CLASS:.spec.storageClassName'",
        repair: "If the name is misspelt, change `spec.storageClassName` of the volume, which is possible at any time. \
                 If the volume is for a certain claim, reserve it for that. If nobody needs it, delete it.",
        prevention: "Keep the class of volumes and claims in one place.",
        hazard: "It may be an archive that somebody put out of the way with such a name: look at what is on it before \
                 you offer it or delete it.",
        sources: &["FindMatchingVolume, Kubernetes 1.36 (M12)"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.terminating() || volume.claim_ref.is_some() || volume.status.phase != VolumePhase::Available {
        return None;
    }
    let class = volume.class();
    let snapshot = case.snapshot();
    if class.is_empty() || case.class(class).is_some() {
        return None;
    }
    let since = volume.status.last_phase_transition.or(volume.meta.created);
    let lasted = case.seconds_since(since).filter(|seconds| *seconds > PATIENCE)?;
    // One volume of each group represents all of them. So the claims are read once per group, and there are few groups.
    let group = snapshot.candidate_group(&Snapshot::group_key(volume))?;
    let first = group.free.first().map(|id| snapshot.volume(*id))?;
    if first.meta.name != volume.meta.name || trace(volume).is_some() {
        return None;
    }
    if case.survey().is_asked_for(class) {
        return None;
    }
    if !case.lacks(Kind::StorageClass, "", class) || !case.knows_all(Kind::PersistentVolumeClaim, "") {
        return None;
    }
    let alike = match group.free.len().saturating_sub(1) {
        0 => String::new(),
        1 => " (and 1 more volume of the same kind)".to_owned(),
        more => format!(" (and {more} more volumes of the same kind)"),
    };
    let meant = nearest(class, snapshot.classes().iter().map(|class| class.meta.name.as_str()), 1);
    let meant = meant.first().map(|meant| format!(". Perhaps class \"{meant}\" is meant")).unwrap_or_default();
    let found = Detection::new(format!(
        "no claim requests {}, and no such StorageClass exists{meant}. The volume{alike} has been \
         free for {}",
        part_of(&case.object(), &format!("class \"{class}\"")),
        human_age(lasted)
    ));
    Some(
        found
            .since(since)
            .evidence(&case.object(), "spec.storageClassName", class)
            .evidence(&case.object(), "status.phase", volume.status.phase.as_str())
            .remedy(by_hand(
                "see what is on it; then change spec.storageClassName to the class that is meant, reserve it for a \
                 claim, or delete it",
            )),
    )
}
