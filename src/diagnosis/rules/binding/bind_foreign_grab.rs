//! This rule reports a claim if a volume of exactly its size was bound to another claim that requests at most half of
//! this size.

use super::nearest::waits_in_vain;
use crate::controllers::CandidateVerdict;
use crate::controllers::persistent_volume::matching::Query;
use crate::diagnosis::case::{key_of_claim, volume_key};
use crate::diagnosis::facts::is_open;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, Quantity};
use crate::snapshot::VolumeId;

pub(super) static RULE: Rule = Rule {
    id: "bind-foreign-grab",
    title: "a smaller claim has the volume that this claim needs",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending, and a volume of exactly its size is Bound to another claim, which requests much \
               less.",
        why: "If no `claimRef` reserves a volume, the first claim that it fits gets it. For each claim, the controller \
              takes the smallest volume that is large enough and free at that moment. If the small volume was created \
              later than the small claim, the small claim got the large volume.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.capacity.storage} {.spec.claimRef}'\n\
                  kubectl get pvc --all-namespaces",
        repair: "The best repair is another volume for this claim. If the claim has to get this very volume, stop both \
                 workloads, and save the data on the volume if somebody needs them. Set policy Retain, delete the \
                 claim that has the volume, and reserve the volume for this claim. Only then create the other claim \
                 again.",
        prevention: "If a volume is meant for a certain claim, reserve it with a `claimRef` that has a namespace and a \
                     name.",
        hazard: "The application of the claim that has the volume may have written data to it. If you give the volume \
                 to another claim, these data are lost, or another application can read them. Move one volume at a \
                 time, and check the result before the next.",
        sources: &[
            "findBestMatchForClaim, Kubernetes 1.36 (M15, M16)",
            "IBM/core-dump-handler#78",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let VolumeTakenFirst { volume, holder, request, needs, is_early } = grab(case, claim)?;
    let name = &volume.meta.name;
    Some(
        Detection::new(format!(
            "no free volume fits {}; {} ({request}) is bound to claim {}, which requests {needs}. No claimRef had \
             reserved the volume, and its data now belong to that claim",
            mention(&case.object()),
            mention(&volume_key(name)),
            holder.key()
        ))
        .severity(if is_early { Severity::Warning } else { Severity::Error })
        .evidence(&volume_key(name), "spec.claimRef", holder.key().to_string())
        .evidence(&volume_key(name), "spec.capacity.storage", request.to_string())
        .evidence(&key_of_claim(&holder.meta), "spec.resources.requests.storage", needs.to_string())
        .evidence(&case.object(), "spec.resources.requests.storage", request.to_string())
        .remedy(describe(&key_of_claim(&holder.meta), "see who uses that volume"))
        .remedy(by_hand(format!("create another volume of at least {request}, with a claimRef to {}", claim.key())))
        .remedies(retain(volume))
        .remedy(by_hand(format!(
            "only if claim {} can give up volume {name}: stop both workloads, save the data, delete that claim, and \
             reserve the volume for {} before the other claim is created again",
            holder.key(),
            claim.key()
        ))),
    )
}

/// A volume of exactly the requested size that was bound to another claim.
pub(super) struct VolumeTakenFirst<'a> {
    volume: &'a PersistentVolume,
    holder: &'a PersistentVolumeClaim,
    request: Quantity,
    /// The size that the holder requests.
    needs: Quantity,
    /// Whether no pod needs the claim yet.
    is_early: bool,
}

/// Returns a volume of exactly the requested size that another claim got. Returns None if somebody provisions volumes
/// for the claim.
pub(super) fn grab<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<VolumeTakenFirst<'a>> {
    if !is_open(claim) {
        return None;
    }
    let is_early = waits_in_vain(case, claim)?;
    let request = claim.requested()?;
    let query = Query::new(case.behavior(), claim, false).ok()?;
    let (volume, holder, needs) = grabbed(case, claim, &request, &query)?;
    Some(VolumeTakenFirst { volume, holder, request, needs, is_early })
}

/// Returns the first volume by name that fits this claim exactly and that the controller itself chose for another
/// claim. The result also has the other claim and its request. That request is at most half of the volume's size.
fn grabbed<'a>(
    case: &Case<'a>,
    claim: &PersistentVolumeClaim,
    request: &Quantity,
    query: &Query<'_>,
) -> Option<(&'a PersistentVolume, &'a PersistentVolumeClaim, Quantity)> {
    let snapshot = case.snapshot();
    let is_less = |id: &VolumeId| snapshot.volume(*id).storage().is_none_or(|size| size.compare(request).is_lt());
    let is_equal = |id: &VolumeId| snapshot.volume(*id).storage().is_some_and(|size| size.compare(request).is_eq());
    let fails = |id: VolumeId, also: Option<CandidateVerdict>| {
        let is_more = |verdict: &CandidateVerdict| {
            let is_taken =
                matches!(verdict, CandidateVerdict::CandidateClaimedByOther | CandidateVerdict::CandidatePhase);
            !is_taken && also != Some(*verdict)
        };
        query.misfits(snapshot.volume(id)).iter().any(is_more)
    };
    let of_group = |volumes: &'a [VolumeId]| {
        let equal = &volumes[volumes.partition_point(is_less)..];
        let equal = &equal[..equal.partition_point(is_equal)];
        // The volumes of a group differ only in labels and size, so all other tests have the same result for each of
        // them.
        if fails(*equal.first()?, Some(CandidateVerdict::CandidateSelector)) {
            return None;
        }
        equal.iter().copied().find(|id| !fails(*id, None))
    };
    let first = case.survey().grabbed(claim.class()).filter_map(|(_, volumes)| of_group(volumes)).min()?;
    let volume = snapshot.volume(first);
    let holder = case.survey().holder(volume)?;
    Some((volume, holder, holder.requested()?))
}
