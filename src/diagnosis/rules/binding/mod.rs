//! Claims that do not get the volume that was meant for them, and claims and volumes that are bound in an unintended
//! way. If a claim names its volume, an event names the field that does not fit. If a claim names no volume, no event
//! names this field. Then these rules find the free volume that differs least from what the claim requests.

crate::diagnosis::rules::section! {
    bind_named_pv_stale_uid,
    bind_claimref_no_namespace,
    bind_named_pv_taken,
    bind_named_pv_missing,
    bind_pv_being_deleted,
    reserved_volume_unfit,
    bind_foreign_grab,
    bind_class_annotation_wins,
    bind_class_nil_defaulted,
    bind_class_mismatch,
    bind_size_too_small,
    bind_access_modes,
    bind_volumemode,
    bind_vac,
    bind_selector,
    bind_nodeaffinity_immediate,
    bind_two_pvs_one_claim,
    bind_half_done,
    bind_claimref_wrong_kind,
    bind_reserved_bypass,
    bind_oversize,
}

mod nearest;

use crate::controllers::persistent_volume::binding::is_volume_bound_to_claim;
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::persistent_volume::nearest::has_default_class;
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::case::{class_key, key_of_claim, volume_key};
use crate::diagnosis::facts::{CLASS, class_of_claim, class_of_volume, has_uid_of, is_bound};
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::{Misfit, misfit};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Act, Case, Detection, Remedy, Severity};
use crate::model::{AnnotationKey, ClaimPhase, PersistentVolume, PersistentVolumeClaim};
use serde_json::{Value, json};

/// Returns the volume of a claim whose binding is completed, if the claim and the volume name each other and neither is
/// being deleted.
fn bound_volume<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    if claim.terminating() || claim.volume_name.is_empty() || !is_bound(claim) {
        return None;
    }
    case.volume(&claim.volume_name).filter(|volume| has_uid_of(volume, claim) && !volume.terminating())
}

/// Returns the volumes whose `claimRef` names the claim, either without a uid or with the uid of the claim.
fn reserved_volumes<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> impl Iterator<Item = &'a PersistentVolume> {
    let naming = case.snapshot().volumes_naming(&claim.meta.namespace, &claim.meta.name);
    case.volumes(naming).filter(move |volume| is_volume_bound_to_claim(volume, claim))
}

/// A volume that a claim cannot have. This is the volume that the claim names. If the claim names no volume and nobody
/// provisions one, it is the free volume that differs least from what the claim requests.
struct Refused<'a> {
    volume: &'a PersistentVolume,
    /// The test that the volume fails.
    misfit: Misfit,
    /// The other tests that the volume would fail, in words. The event reports only the first failed test.
    more: Vec<String>,
    /// Whether the claim names the volume.
    is_named: bool,
    /// Whether no pod needs the claim yet.
    is_early: bool,
}

/// Returns the volume that the claim cannot have because the volume fails the given test, if there is one. If the claim
/// names the volume, the sync of the claim has to end at the given leaf.
fn refused<'a>(
    case: &Case<'a>,
    claim: &PersistentVolumeClaim,
    verdict: CandidateVerdict,
    leaf: Option<ClaimBranch>,
) -> Option<Refused<'a>> {
    if claim.volume_name.is_empty() {
        let miss = nearest::near_miss(case, claim).filter(|miss| miss.verdict == verdict)?;
        let misfit = misfit(miss.volume, claim, verdict)?;
        let (volume, is_early) = (miss.volume, miss.is_early);
        return Some(Refused { volume, misfit, more: Vec::new(), is_named: false, is_early });
    }
    if case.unbound_branch(claim)? != leaf? {
        return None;
    }
    let volume = case.volume(&claim.volume_name)?;
    let found = misfit(volume, claim, verdict)?;
    let rest = Query::new(case.behavior(), claim, false).map(|query| query.misfits(volume)).unwrap_or_default();
    // If the claim names the volume, the controller tests neither labels nor phase.
    let is_tested = |other: &CandidateVerdict| {
        *other != verdict && !matches!(other, CandidateVerdict::CandidateSelector | CandidateVerdict::CandidatePhase)
    };
    let more = rest.into_iter().filter(is_tested).filter_map(|other| misfit_words(volume, claim, other)).collect();
    Some(Refused { volume, misfit: found, more, is_named: true, is_early: false })
}

/// Describes one difference in words, with both values. Returns None if [`misfit`] does.
fn misfit_words(volume: &PersistentVolume, claim: &PersistentVolumeClaim, verdict: CandidateVerdict) -> Option<String> {
    let found = misfit(volume, claim, verdict)?;
    Some(match verdict {
        CandidateVerdict::CandidateAccessModes => format!("access modes {} instead of {}", found.has, found.wants),
        _ => found.words,
    })
}

/// Adds the fields that differ, of the volume and of the claim, as evidence.
fn with_fields(
    found: Detection,
    case: &Case<'_>,
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    misfit: &Misfit,
) -> Detection {
    let key = volume_key(&volume.meta.name);
    if misfit.field == CLASS {
        let ((field, class), (claim_field, claim_class)) = (class_of_volume(volume), class_of_claim(claim));
        return found.evidence(&key, field, class).evidence(&case.object(), claim_field, claim_class);
    }
    let found = found.evidence(&key, misfit.field, misfit.has.as_str());
    match misfit.claim_field {
        Some(field) => found.evidence(&case.object(), field, misfit.wants.as_str()),
        None => found,
    }
}

/// The difference between a volume and a claim in words.
#[derive(Clone, Copy)]
struct Difference<'d> {
    /// The predicate of the volume, such as `has 1Gi`.
    has: &'d str,
    /// The predicate of the claim, such as `requests 2Gi`.
    wants: &'d str,
    /// What a person has to know about this field.
    advice: &'d str,
}

impl Refused<'_> {
    /// Creates the detection. Its message states the difference in these words, and then the advice. Its evidence has
    /// both fields.
    fn found(&self, case: &Case<'_>, claim: &PersistentVolumeClaim, differs: Difference<'_>) -> Detection {
        let Difference { has, wants, advice } = differs;
        let (volume, claimed) = (mention(&volume_key(&self.volume.meta.name)), mention(&key_of_claim(&claim.meta)));
        let opening = if self.is_named {
            format!("{volume} {has}, but {claimed} names it and {wants}")
        } else {
            format!(
                "the closest free volume {} {has}, but {claimed} {wants}. No free volume fits",
                self.volume.meta.name
            )
        };
        let next = match self.more.as_slice() {
            [] => String::new(),
            more => format!(". Other fields do not fit either: {}", more.join("; ")),
        };
        let found = Detection::new(format!("{opening}{next}. {advice}")).severity(if self.is_early {
            Severity::Info
        } else {
            Severity::Error
        });
        with_fields(found, case, self.volume, claim, &self.misfit)
    }

    /// Creates the same detection as `found`. If the provisioner of the class does not exist and the claim names no
    /// volume, the finding follows from the class, because the claim then depends on free volumes.
    fn found_for_want_of_a_provisioner(
        &self,
        case: &Case<'_>,
        claim: &PersistentVolumeClaim,
        differs: Difference<'_>,
    ) -> Detection {
        let found = self.found(case, claim, differs);
        match case.dead_class(claim).filter(|_| !self.is_named) {
            Some(class) => found.follows_from(class_key(&class.meta.name), Act::Provision),
            None => found,
        }
    }
}

/// Creates a remedy that deletes the claim and creates it again. A claim that was never bound has no data. A claim
/// whose status says that it was bound may have lost its annotations and still have data. For such a claim, the remedy
/// is to find the storage before anything is deleted.
fn recreate(claim: &PersistentVolumeClaim, how: &str) -> Remedy {
    let was_bound =
        !claim.status.capacity.is_empty() || !matches!(claim.status.phase, ClaimPhase::Pending | ClaimPhase::Empty);
    if was_bound {
        return by_hand(format!(
            "save the manifest of claim {} and find its storage before you delete the claim or change its volume: its \
             status says that it was bound",
            claim.key()
        ));
    }
    by_hand(format!("delete claim {}, which was never bound and has no data, and create it again {how}", claim.key()))
}

/// Returns the patch steps that give the volume the class of the claim.
fn class_steps(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Vec<Value> {
    let mut steps = Vec::new();
    if volume.meta.annotations.has(AnnotationKey::BetaStorageClass) {
        steps.push(json!({
            "op": "remove",
            "path": "/metadata/annotations/volume.beta.kubernetes.io~1storage-class",
        }));
    }
    if claim.class() != volume.class_name {
        steps.push(if claim.class().is_empty() {
            json!({ "op": "remove", "path": "/spec/storageClassName" })
        } else {
            json!({ "op": "add", "path": "/spec/storageClassName", "value": claim.class() })
        });
    }
    steps
}

/// The reason why a volume and a claim have different classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClassDifference {
    /// The fields are equal, and the deprecated annotation of the volume or the claim differs.
    Annotation,
    /// The volume has no class, and the claim has the default class.
    Defaulted,
    /// Any other reason.
    Other,
}

/// Returns why the two classes differ.
fn class_difference(case: &Case<'_>, volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> ClassDifference {
    let annotated =
        [&volume.meta, &claim.meta].iter().any(|meta| meta.annotations.has(AnnotationKey::BetaStorageClass));
    if annotated && volume.class_name == claim.class_name.as_deref().unwrap_or_default() {
        ClassDifference::Annotation
    } else if volume.class().is_empty() && has_default_class(case.snapshot(), claim) {
        ClassDifference::Defaulted
    } else {
        ClassDifference::Other
    }
}

/// Returns the volume that the claim cannot have because of its class, if the classes differ for that reason.
fn refused_class<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim, reason: ClassDifference) -> Option<Refused<'a>> {
    let leaf = Some(ClaimBranch::UnboundClaimVolumeMismatchClass);
    let refused = refused(case, claim, CandidateVerdict::CandidateClass, leaf)?;
    (class_difference(case, refused.volume, claim) == reason).then_some(refused)
}
