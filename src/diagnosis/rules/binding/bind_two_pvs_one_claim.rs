//! This rule reports several volumes whose `claimRef` names the same claim.

use super::reserved_volumes;
use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::{has_uid, has_uid_of};
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy};

pub(super) static RULE: Rule = Rule {
    id: "bind-two-pvs-one-claim",
    title: "several volumes belong to one claim",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "Two volumes show the same claim under CLAIM. One is, or becomes, Bound; the other is Available, or \
               Released for a moment and then gone.",
        why: "A claim gets one volume. If several volumes are reserved for it, the controller takes the first one that \
              it finds. What happens to another volume depends on that volume. If it was provisioned with policy \
              Delete, it is deleted as surplus. If the controller had bound it, it becomes free for any claim. If a \
              person reserved it, it stays reserved.",
        confirm: "kubectl get pv | grep NAMESPACE/NAME\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeName}'",
        repair: "Find out which volume has the data. Set policy Retain on every volume that may have data. Then write \
                 the right volume into `spec.volumeName` of the claim. This is possible only as long as the field is \
                 empty. Give each other volume a `claimRef` with a claim name that nobody uses.",
        prevention: "Reserve only one volume for a claim. Do not create a volume by hand for a claim if a driver \
                     provisions its volume.",
        hazard: "A volume that the claim does not get can be deleted, or another claim can get it with its data. \
                 Nobody is asked first.",
        sources: &[
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M7)",
            "syncVolume, Kubernetes 1.36 (V11 to V13)",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || case.snapshot().volumes_naming(&claim.meta.namespace, &claim.meta.name).len() < 2 {
        return None;
    }
    if claim.volume_name.is_empty() { undecided(case, claim) } else { surplus(case, claim) }
}

/// Reports that several volumes are reserved for the claim and that the controller may take any of them.
fn undecided(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if case.unbound_branch(claim)? != ClaimBranch::UnboundClaimVolumeFound {
        return None;
    }
    let query = Query::new(case.behavior(), claim, false).ok()?;
    let fitting: Vec<&PersistentVolume> =
        reserved_volumes(case, claim).filter(|volume| query.misfits(volume).is_empty()).collect();
    let [first, second, ..] = fitting.as_slice() else { return None };
    let names = match fitting.len() {
        2 => format!("volumes {} and {} are both", first.meta.name, second.meta.name),
        more => format!("{more} volumes, {} and {} among them, are", first.meta.name, second.meta.name),
    };
    let found = Detection::new(format!(
        "{names} reserved for {}. It is not known which one the claim gets. If it does not get volume {}, that volume \
         {}",
        mention(&case.object()),
        first.meta.name,
        becomes(case, first).0
    ));
    Some(with_volumes(found.severity(Severity::Warning).risk(Risk::Possible), claim, &fitting))
}

/// Reports that the claim has its volume and that other volumes also have its uid in their `claimRef`.
fn surplus(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let is_other = |volume: &&PersistentVolume| {
        volume.meta.name != claim.volume_name && !volume.terminating() && has_uid_of(volume, claim)
    };
    let others: Vec<&PersistentVolume> = reserved_volumes(case, claim).filter(is_other).collect();
    let first = others.first()?;
    match case.claim_branch()? {
        ClaimBranch::BoundClaimVolumeOurs
        | ClaimBranch::BoundClaimVolumeUnbound
        | ClaimBranch::UnboundClaimNamedVolumeFree
        | ClaimBranch::UnboundClaimNamedVolumeReserved => {}
        _ => return None,
    }
    // A volume that is older than the claim was not made for it and may hold other data.
    let is_older = |volume: &PersistentVolume| {
        volume.meta.created.zip(claim.meta.created).is_some_and(|(volume, claim)| volume < claim)
    };
    let imminent = others.iter().any(|volume| becomes(case, volume).1 && is_older(volume));
    let more = if others.len() > 1 { format!(" (and {} more)", others.len() - 1) } else { String::new() };
    let have = if others.len() > 1 { "have" } else { "has" };
    let found = Detection::new(format!(
        "{}{more} also {have} the uid of {} and {}. Claim {} uses volume {}",
        mention(&volume_key(&first.meta.name)),
        mention(&case.object()),
        becomes(case, first).0,
        claim.key(),
        claim.volume_name
    ));
    let (severity, risk) =
        if imminent { (Severity::Error, Risk::Imminent) } else { (Severity::Warning, Risk::Possible) };
    Some(with_volumes(found.severity(severity).risk(risk), claim, &others))
}

fn with_volumes(mut found: Detection, claim: &PersistentVolumeClaim, volumes: &[&PersistentVolume]) -> Detection {
    for volume in volumes.iter().take(3) {
        found = found
            .evidence(&volume_key(&volume.meta.name), "spec.claimRef", claim.key().to_string())
            .remedies(retain(volume));
    }
    for volume in volumes.iter().take(3) {
        found = found.remedy(describe(&volume_key(&volume.meta.name), "see whether the volume has data"));
    }
    found.remedy(by_hand(
        "decide which volume the claim should have; in each other volume that has data, set claimRef to a claim name \
         that nobody uses, so that no claim takes it",
    ))
}

/// Returns what happens to a volume whose claim is bound to another volume, and whether the data of the first volume
/// are destroyed. Upstream: `syncVolume`, 1.36.
fn becomes(case: &Case<'_>, volume: &PersistentVolume) -> (&'static str, bool) {
    let annotations = &volume.meta.annotations;
    if !has_uid(volume) {
        ("stays reserved for the claim", false)
    } else if annotations.has(AnnotationKey::ProvisionedBy) && volume.reclaim_policy == ReclaimPolicy::Delete {
        match data_fate(case.behavior(), volume) {
            DataFate::Kept => ("will be Released and keeps its data", false),
            DataFate::HandedToDriver | DataFate::Destroyed | DataFate::Scrubbed => {
                ("will be deleted with its data (policy Delete)", true)
            }
        }
    } else if annotations.has(AnnotationKey::BoundByController) {
        ("becomes free, with its data", false)
    } else {
        ("stays reserved for that name", false)
    }
}
