//! This rule reports a volume if the next sync destroys its data, or if its data are destroyed at a predicted end. It
//! uses only the prediction. So it also reports losses that no other rule detects.

use super::{Reclaim, gone};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, leaves_storage_behind};
use crate::diagnosis::case::{key_of_claim, volume_key};
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::rules::terminating::driver_of;
use crate::diagnosis::{Case, Detect, Detection, Finding, Holder, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Timestamp, VolumePhase};
use crate::simulate::{Outcome, OutcomeSet};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "data-about-to-go",
    title: "the data of the volume are about to be destroyed",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::Namespace],
    hinders: &[],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "The volume is Released, or will be, and its policy is not Retain. `kubectl get pv` shows nothing unusual \
               until the volume is gone.",
        why: "If the claim of a volume is gone, or has another uid than the `claimRef` of the volume, the controller \
              calls `reclaimVolume`. With policy Delete, the driver or the controller deletes the storage. With policy \
              Recycle, a pod erases it. Kubernetes asks for no confirmation. The finding is an error if an existing \
              claim has the volume or names it, because nobody requested the deletion. If the claim was deleted, the \
              severity of the finding is info.",
        confirm: "kubectl get pv NAME -o jsonpath='{.status.phase} {.spec.persistentVolumeReclaimPolicy} \
                  {.spec.claimRef}'\n\
                  kubectl pvctl predict pv/NAME",
        repair: "If you need the data, set the policy to Retain at once: kubectl pvctl retain pv/NAME. This helps only \
                 if the deletion of the storage has not begun. Then find out which claim should have the volume: \
                 kubectl pvctl explain pv/NAME.",
        prevention: "Use policy Retain for important volumes. If you restore a volume together with its claim, remove \
                     the uid from the `claimRef` of the volume.",
        hazard: "Deleting or renewing claims, restarting kube-controller-manager, or starting the driver's provisioner \
                 may begin the deletion at once.",
        sources: &[
            "syncVolume, reclaimVolume, Kubernetes 1.36",
            "shouldDelete, sig-storage-lib-external-provisioner",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming",
        ],
    },
    detect: Detect::Volume(detect),
};

/// Returns the fate of the data of this volume at that end. Returns None if the data are kept. Also returns None if a
/// driver should delete the data and the volume is Failed, because drivers ignore such volumes.
fn destroyed(end: &Outcome) -> Option<DataFate> {
    let (fate, is_failed) = match end {
        Outcome::Volume { data, phase, .. } => ((*data)?, *phase == VolumePhase::Failed),
        Outcome::Gone { data, .. } => ((*data)?, false),
        Outcome::Claim { .. } | Outcome::Pod { .. } => return None,
    };
    match fate {
        DataFate::Kept => None,
        DataFate::HandedToDriver => (!is_failed).then_some(fate),
        DataFate::Destroyed | DataFate::Scrubbed => Some(fate),
    }
}

/// Returns what the next sync of the volume does to its data. Returns None if the sync keeps the data, or if a driver
/// should delete them and the volume is Failed. The predicted ends are not enough: at an end a claim may have the
/// volume, although the driver may already delete the volume after the next sync.
fn next_sync(case: &Case<'_>, volume: &PersistentVolume) -> Option<DataFate> {
    match gone(case, volume)?.reclaim {
        Reclaim::Driver(_) => (volume.status.phase != VolumePhase::Failed).then_some(DataFate::HandedToDriver),
        Reclaim::Deleted => Some(DataFate::Destroyed),
        Reclaim::Scrubbed | Reclaim::InUse(_) => Some(DataFate::Scrubbed),
        Reclaim::Left | Reclaim::DeleteFails | Reclaim::NoDeleter | Reclaim::NoRecycler => None,
    }
}

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let next = next_sync(case, volume);
    let ends = case.ends();
    let some_end = ends.into_iter().flat_map(OutcomeSet::representatives).find_map(destroyed);
    let is_doomed = is_doomed_with_its_namespace(case, volume);
    let with_namespace = is_doomed.then(|| data_fate(case.behavior(), volume));
    let fate = next.or(some_end).or(with_namespace)?;
    // The object will be deleted, and the storage remains.
    if volume.terminating() && leaves_storage_behind(case.behavior(), volume) {
        return None;
    }
    let is_certain = is_doomed || ends.is_some_and(|ends| ends.representatives().all(|end| destroyed(end).is_some()));
    let verb = |certain: &str, possible: &str| if is_certain { certain.to_owned() } else { format!("may {possible}") };
    let policy = volume.reclaim_policy.as_str();
    let act = match fate {
        DataFate::HandedToDriver | DataFate::Kept => {
            format!("{} {} the volume with its data", driver_of(case, volume), verb("deletes", "delete"))
        }
        DataFate::Destroyed => format!("the controller {} the volume with its data", verb("deletes", "delete")),
        DataFate::Scrubbed => format!("a pod {} its data", verb("scrubs", "scrub")),
    };
    let wanted_by = wanted_by(case, volume).filter(|_| !is_doomed);
    let course = if wanted_by.is_some() { "Nobody has asked for that" } else { "This is normal after such a deletion" };
    let message = format!("{}. With policy {policy}, {act}. {course}", cause(case, volume, wanted_by));
    let object = case.object();
    let named = volume.claim_ref.as_ref().map(|named| format!("{}/{} {}", named.namespace, named.name, named.uid));
    let found = Detection::new(message)
        .severity(if wanted_by.is_some() { Severity::Error } else { Severity::Info })
        .since(since(case, volume))
        .evidence(&object, "spec.persistentVolumeReclaimPolicy", policy)
        .evidence(&object, "spec.claimRef", named.unwrap_or_default())
        .evidence(&object, "status.phase", volume.status.phase.as_str())
        .remedies(retain(volume));
    let found = match wanted_by {
        Some(claim) => found.remedy(by_hand(format!(
            "after the data are safe, decide whether claim {} should have the volume: kubectl pvctl explain pv/{} \
             explains what the controller does",
            claim.key(),
            volume.meta.name
        ))),
        None => found,
    };
    Some(owners(case, volume).into_iter().fold(found, Detection::affects))
}

/// Returns whether the claim of the volume is in a namespace that is being deleted, and the data are destroyed after
/// the namespace controller deletes the claim.
fn is_doomed_with_its_namespace(case: &Case<'_>, volume: &PersistentVolume) -> bool {
    let Holder::Lives(claim) = case.holder(volume) else { return false };
    case.snapshot().namespace_deletion(&claim.meta.namespace).is_some()
        && claim.volume_name == volume.meta.name
        && case.destroys(volume)
}

/// Returns the time since which the data have been at risk.
fn since(case: &Case<'_>, volume: &PersistentVolume) -> Option<Timestamp> {
    match case.holder(volume) {
        Holder::Lives(claim) if claim.terminating() => claim.meta.deleted,
        Holder::Lives(claim) if is_doomed_with_its_namespace(case, volume) => {
            case.snapshot().namespace_deletion(&claim.meta.namespace)
        }
        _ => volume.status.last_phase_transition.or(volume.meta.deleted),
    }
}

/// Returns an existing claim that needs the volume, and that is not being deleted. The uid of this claim is in the
/// `claimRef`, or the claim names the volume, or it has the name in the `claimRef` and no other volume. If there is
/// such a claim, nobody requested the deletion of the data.
fn wanted_by<'a>(case: &Case<'a>, volume: &PersistentVolume) -> Option<&'a PersistentVolumeClaim> {
    let snapshot = case.snapshot();
    let lives = |claim: &&PersistentVolumeClaim| !claim.terminating();
    let mut naming = snapshot.claims_naming(&volume.meta.name).iter().map(|id| snapshot.claim(*id));
    let by_uid = volume.claim_ref.as_ref().and_then(|named| {
        let mut claims = snapshot.claims_in(&named.namespace).iter();
        claims.find(|claim| !named.uid.is_empty() && claim.meta.uid == named.uid && !claim.terminating())
    });
    // A claim that was created again and has no other volume waits for this volume.
    let anew = match case.holder(volume) {
        Holder::Replaced(claim) => Some(claim).filter(lives).filter(|claim| claim.volume_name.is_empty()),
        _ => None,
    };
    by_uid.or_else(|| naming.find(lives)).or(anew)
}

/// Returns why the controller reclaims the volume, as the beginning of a sentence.
fn cause(case: &Case<'_>, volume: &PersistentVolume, wanted_by: Option<&PersistentVolumeClaim>) -> String {
    let me = mention(&case.object());
    let named = volume.claim_ref.as_ref().map(|named| format!("{}/{}", named.namespace, named.name));
    let named = named.unwrap_or_default();
    let its_claim = part_of(&case.object(), &format!("claim {named}"));
    match case.holder(volume) {
        Holder::Lives(claim) if claim.terminating() => {
            format!("{} is being deleted", mention(&key_of_claim(&claim.meta)))
        }
        Holder::Lives(_) if is_doomed_with_its_namespace(case, volume) => {
            format!("the namespace of {its_claim} is being deleted")
        }
        Holder::Lives(claim) if claim.volume_name != volume.meta.name && !claim.volume_name.is_empty() => {
            format!("{} has volume {}", mention(&key_of_claim(&claim.meta)), claim.volume_name)
        }
        Holder::Lives(claim) | Holder::ReservedFor(claim) => {
            format!("the controller releases {me}, although {} exists", mention(&key_of_claim(&claim.meta)))
        }
        Holder::Replaced(_) => {
            format!("{} is gone, and a new claim has its name", part_of(&case.object(), "the earlier claim"))
        }
        Holder::Gone | Holder::ReservedForMissing | Holder::Unknown => match wanted_by {
            Some(claim) => format!(
                "{} names claim {named}, which is missing, so the volume may be deleted. Claim {} needs this volume",
                part_of(&case.object(), "spec.claimRef"),
                claim.key()
            ),
            None => format!("{its_claim} is gone"),
        },
        Holder::Nobody if volume.terminating() => format!("no claim has {me}, so nothing stops its deletion"),
        Holder::Nobody => format!("no claim has {me}"),
    }
}

/// Returns the claims to which the data belong or may belong.
fn owners(case: &Case<'_>, volume: &PersistentVolume) -> BTreeSet<ObjectKey> {
    let snapshot = case.snapshot();
    let naming = snapshot.claims_naming(&volume.meta.name).iter().map(|id| key_of_claim(&snapshot.claim(*id).meta));
    let holder = match case.holder(volume) {
        Holder::Lives(claim) => Some(key_of_claim(&claim.meta)),
        _ => None,
    };
    naming.chain(holder).collect()
}

/// Removes findings of this rule if another rule reports the same risk with more evidence. That other finding is on the
/// volume, or it is on a claim and has the volume as evidence.
pub(in crate::diagnosis) fn drop_general_findings(findings: &mut Vec<Finding>) {
    let is_general = |finding: &Finding| finding.rule.id == RULE.id;
    if !findings.iter().any(is_general) {
        return;
    }
    let mut told: BTreeSet<ObjectKey> = BTreeSet::new();
    // A finding on a namespace reports everything that is deleted with the namespace. It reports no details of a single
    // volume.
    let is_special = |finding: &&Finding| {
        finding.risk == Risk::Imminent && !is_general(finding) && finding.object.kind != Kind::Namespace
    };
    for finding in findings.iter().filter(is_special) {
        let shown = finding.evidence.iter().map(|evidence| &evidence.object);
        let all = shown
            .chain(finding.blamed.iter().map(|blame| &blame.object))
            .chain(&finding.affected)
            .chain([&finding.object]);
        told.extend(all.filter(|object| object.kind == Kind::PersistentVolume).cloned());
    }
    findings.retain(|finding| !is_general(finding) || !told.contains(&volume_key(&finding.object.name)));
}
