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
    title: "free, and no claim requests its class",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::StorageClass, Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume has been Available for a long time, and the column STORAGECLASS shows a class that does not \
               exist.",
        why: "The controller matches a claim and a volume only if both have exactly the same class name. No \
              StorageClass of that name has to exist. But no claim in any namespace requests this class. So the name \
              is probably misspelt, or the class was removed. If several free volumes have the same class, \
              volume mode, access modes and attributes class, pvctl reports only the smallest of them.",
        confirm: "kubectl get sc\n\
                  kubectl get pv -o \
                  custom-columns='NAME:.metadata.name,CLASS:.spec.storageClassName,PHASE:.status.phase'\n\
                  kubectl get pvc -A -o \
                  custom-columns='NAMESPACE:.metadata.namespace,NAME:.metadata.name,CLASS:.spec.storageClassName'",
        repair: "If the name is misspelt, change `spec.storageClassName` of the volume. This field can be changed at \
                 any time. If the volume is for a certain claim, reserve it for this claim. If nobody needs the \
                 volume, delete it.",
        prevention: "Define the class name of volumes and their claims in one place.",
        hazard: "The volume may be an archive, and somebody gave it this class name so that no claim gets it. Check \
                 its data before you change the class or delete the volume.",
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
        1 => " (and 1 more similar volume)".to_owned(),
        more => format!(" (and {more} more similar volumes)"),
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
                "check the data of the volume; then change its spec.storageClassName to the right class, reserve the \
                 volume for a claim, or delete it",
            )),
    )
}
