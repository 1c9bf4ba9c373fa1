//! This rule reports a claim with a reserved volume that does not fit it.

use super::{misfit_words, reserved_volumes, with_fields};
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::controllers::{CandidateVerdict, ClaimBranch};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::has_uid;
use crate::diagnosis::mention::{elsewhere, mention, on_own_page};
use crate::diagnosis::misfit::misfit;
use crate::diagnosis::remedy::{by_hand, name_volume, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, PersistentVolumeClaim, ReclaimPolicy};

pub(super) static RULE: Rule = Rule {
    id: "reserved-volume-unfit",
    title: "the volume that is reserved for the claim does not fit it",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending and VOLUME is empty, while a volume shows this claim under CLAIM, and may even say \
               Bound. This does not change, and in most cases no event says why.",
        why: "If a volume is reserved for a claim, its class, labels and phase are not tested. But its size, access \
              modes, volume mode and attributes class are tested. A volume that fails one of these tests is ignored, \
              and in most cases no event reports this. Only if the `claimRef` has the claim's uid and the volume modes \
              differ, the claim and the volume get an event `VolumeMismatch`. The objects look like a binding in \
              progress, but waiting does not help.",
        confirm: "kubectl get pv VOLUME -o yaml\nkubectl get pvc NAME -n NAMESPACE -o yaml",
        repair: "Change the access modes, the capacity or the attributes class of the volume, if its storage really \
                 has these properties. The volume mode cannot be changed. Otherwise create the claim again with the \
                 fields of the volume. But if the `claimRef` of the volume has the claim's uid, first set policy \
                 Retain on the volume and remove `spec.claimRef.uid`: otherwise the deletion of the claim releases the \
                 volume, and the policy may destroy its data. Or write the name of the volume into `spec.volumeName` \
                 of the claim: then the controller binds the two without any test. Do this only if the volume modes \
                 are equal and the pods can use the volume. A volume that is mounted with another mode may be \
                 formatted.",
        prevention: "Write the `claimRef` of a volume together with its claim, and copy the size, the modes and the \
                     class of the claim.",
        hazard: "If a driver provisions another volume for the claim first, the application starts on an empty disk. \
                 If the reserved volume was itself provisioned with policy Delete, it is then deleted as surplus.",
        sources: &[
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M3 to M7)",
            "syncVolume, Kubernetes 1.36 (V7 to V9, V11)",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if !claim.volume_name.is_empty() || claim.terminating() {
        return None;
    }
    let mut reserved: Vec<_> = reserved_volumes(case, claim).collect();
    if reserved.is_empty() {
        return None;
    }
    // A volume whose `claimRef` has the claim's uid is considered before a volume whose `claimRef` has only the claim's
    // name.
    reserved.sort_by_key(|volume| !has_uid(volume));
    let gets_another = match case.unbound_branch(claim)? {
        ClaimBranch::UnboundClaimProvisionExternal
        | ClaimBranch::UnboundClaimProvisionInTree
        | ClaimBranch::UnboundClaimProvisionRunning
        | ClaimBranch::UnboundClaimProvisionBackoff
        | ClaimBranch::UnboundClaimWaitForFirstConsumer
        | ClaimBranch::UnboundClaimWaitForPodScheduled => {
            case.class(claim.class()).is_some_and(|class| class.provisioner != crate::model::NO_PROVISIONER)
        }
        ClaimBranch::UnboundClaimProvisioningDisabled
        | ClaimBranch::UnboundClaimClassMissing
        | ClaimBranch::UnboundClaimInTreeProvisionerUnknown
        | ClaimBranch::UnboundClaimNoVolumeNoClass
        | ClaimBranch::UnboundClaimDefaultClassAssigned => false,
        _ => return None,
    };
    let query = Query::new(case.behavior(), claim, false).ok()?;
    let (volume, verdicts) = reserved.into_iter().find_map(|volume| {
        let mut misfits = query.misfits(volume);
        misfits.retain(|verdict| *verdict != CandidateVerdict::CandidateDeleting);
        (!misfits.is_empty()).then_some((volume, misfits))
    })?;
    let name = &volume.meta.name;
    let words: Vec<String> = verdicts.iter().filter_map(|verdict| misfit_words(volume, claim, *verdict)).collect();
    let first = words.first().map(String::as_str).unwrap_or_default();
    let more = match words.get(1..) {
        None | Some([]) => String::new(),
        Some(more) => format!(". Other fields do not fit either: {}", more.join("; ")),
    };
    let has_uid = has_uid(volume);
    let kept = data_fate(case.behavior(), volume) == DataFate::Kept;
    // The volume has the claim's uid, so deleting the claim releases the volume, even if nobody has used it.
    let at_risk = has_uid && !kept;
    let prospect = if gets_another {
        "A new and empty volume is provisioned for the claim instead"
    } else {
        "Waiting does not help, and the claim gets no other volume"
    };
    let policy = volume.reclaim_policy.as_str();
    // Only a provisioned volume with policy Delete is deleted as surplus. Any other volume is unbound: it becomes free
    // if the controller wrote its claimRef, and otherwise stays reserved for the claim's name.
    let is_deleted = volume.reclaim_policy == ReclaimPolicy::Delete;
    let is_surplus = gets_another && is_deleted && volume.meta.annotations.has(AnnotationKey::ProvisionedBy);
    let danger = match (at_risk, is_surplus) {
        (false, _) => String::new(),
        (true, true) => format!(". Policy {policy} then destroys the data of the reserved volume"),
        (true, false) => format!(". Deleting the claim destroys the data of the reserved volume (policy {policy})"),
    };
    let mut found = Detection::new(format!(
        "{}{} does not fit {}{}: {first}{more}. {prospect}{danger}",
        elsewhere(&volume_key(name), "the reserved "),
        mention(&volume_key(name)),
        mention(&case.object()),
        on_own_page(&volume_key(name), ", which its spec.claimRef names")
    ))
    .severity(if gets_another { Severity::Warning } else { Severity::Error })
    .risk(if at_risk { Risk::Possible } else { Risk::None });
    for misfit in verdicts.iter().filter_map(|verdict| misfit(volume, claim, *verdict)) {
        found = with_fields(found, case, volume, claim, &misfit);
    }
    if at_risk {
        found = found.remedies(retain(volume));
    }
    // A volume that is mounted with another mode than before may be formatted.
    if !verdicts.contains(&CandidateVerdict::CandidateVolumeMode) {
        // If the claim names a volume that is reserved for it, the controller does not test the volume.
        found = found.remedy(name_volume(
            claim,
            name,
            "bind the claim to the volume without any test, if the pods of the claim can use the volume: write the \
             name of the volume into the claim",
        ));
    }
    Some(found.remedy(if has_uid {
        by_hand(format!(
            "set policy Retain on volume {name}, remove its spec.claimRef.uid, and only then create the claim again \
             with the fields of the volume"
        ))
    } else {
        super::recreate(claim, &format!("with the fields of volume {name}: it stays reserved for that name"))
    }))
}
