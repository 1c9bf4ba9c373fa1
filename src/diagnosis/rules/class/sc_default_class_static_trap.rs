//! This rule reports a default class if free volumes without a class exist, because claims that state no class never
//! get them.

use crate::controllers::CandidateVerdict;
use crate::controllers::persistent_volume::matching::Query;
use crate::diagnosis::case::{key_of_claim, volume_key};
use crate::diagnosis::facts::is_open;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, StorageClass, newest_default};

pub(super) static RULE: Rule = Rule {
    id: "sc-default-class-static-trap",
    title: "claims that state no class get this class, and so they never get the free volumes without a class",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Volumes without a class are Available, and claims that were written for them, without \
               `storageClassName`, are Bound to new, empty volumes of the default class, or wait for such volumes.",
        why: "When a claim is created without `storageClassName`, admission writes the default class into it. Then \
              only volumes of that class match the claim. An empty class, written as `storageClassName: \"\"`, is \
              different: such a claim does not get the default class, and it matches volumes without a class.",
        confirm: "kubectl get sc\n\
                  kubectl get pv -o \
                  custom-columns=NAME:.metadata.name,CLASS:.spec.storageClassName,PHASE:.status.phase\n\
                  kubectl get pvc -A",
        repair: "Create the claims that are meant for such volumes again, with `storageClassName: \"\"`. If a claim is \
                 meant for a certain volume, write the name of the volume into `spec.volumeName`, too. Or reserve the \
                 volume by a `spec.claimRef` with the claim's namespace and name: the class of a reserved volume is \
                 not compared.",
        prevention: "Write `storageClassName: \"\"` into every claim that is meant for a volume created by a person.",
        hazard: "An application that starts on the new volume has no data, and perhaps nobody notices that its data \
                 are on the other volume. If you then delete its claim, policy Delete destroys the data that it has \
                 written since then.",
        sources: &[
            "DefaultStorageClass admission, Kubernetes 1.36",
            "FindMatchingVolume, Kubernetes 1.36 (M12)",
            "kubernetes/kubernetes#94592",
            "kubernetes-sigs/kind#3615",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    if !class.is_default() || newest_default(case.snapshot().classes())?.meta.name != class.meta.name {
        return None;
    }
    let groups = case.snapshot().candidate_groups().iter().filter(|group| group.key.class.is_empty());
    // Volumes of a group differ only in size and labels, so the smallest and the largest represent the others.
    let ends: Vec<&PersistentVolume> = groups
        .clone()
        .flat_map(|group| [group.free.first(), group.free.last()])
        .flatten()
        .map(|id| case.snapshot().volume(*id))
        .collect();
    let first = ends.first()?;
    let name = &first.meta.name;
    let volumes = match groups.map(|group| group.free.len()).sum::<usize>() {
        0 | 1 => format!("the free volume {name} without a class"),
        several => format!("the {several} free volumes without a class, such as {name}"),
    };
    let trapped = case.snapshot().claims().iter().find_map(|claim| {
        let waits = is_open(claim) && claim.class() == class.meta.name;
        waits.then(|| ends.iter().find(|volume| fits_but_for_class(case, volume, claim)))?.map(|volume| (claim, volume))
    });
    let found = Detection::new(match trapped {
        Some((claim, volume)) => format!(
            "claim {} has this default class, so it does not get volume {}, which has no class. All other fields fit. \
             If the claim was written for that volume, it needs storageClassName \"\"",
            claim.key(),
            volume.meta.name
        ),
        None => format!(
            "a claim that states no class gets this default class, and not {volumes}. To get such a volume, a claim \
             must state storageClassName \"\""
        ),
    })
    // A person who writes a selector wants a volume that was created by hand. Any other claim may really want this
    // class.
    .severity(match trapped {
        Some((claim, _)) if claim.selector.is_some() => Severity::Warning,
        Some(_) | None => Severity::Info,
    })
    .evidence(&case.object(), "metadata.annotations[storageclass.kubernetes.io/is-default-class]", "true");
    let volume = trapped.map_or(*first, |(_, volume)| volume);
    let found = found.evidence(&volume_key(&volume.meta.name), "spec.storageClassName", "");
    let found = match trapped {
        // The finding on the claim says what is wrong and what can be done.
        Some((claim, _)) => found
            .evidence(&key_of_claim(&claim.meta), "spec.storageClassName", claim.class())
            .follows_from(key_of_claim(&claim.meta), Act::StayClassless),
        None => found,
    };
    Some(found.remedy(by_hand(format!(
        "for volume {}, write storageClassName \"\" and spec.volumeName into the claim; a claim that has a class must \
         be created again",
        volume.meta.name
    ))))
}

/// Returns whether the class is the only reason why the claim does not fit the volume.
fn fits_but_for_class(case: &Case<'_>, volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let Ok(query) = Query::new(case.behavior(), claim, false) else { return false };
    query.misfits(volume) == [CandidateVerdict::CandidateClass]
}
