//! This rule reports a volume whose claim is gone, but which the controller has not released yet.

use super::{Gone, claim_is_gone, gone, recorded_released, ways_back, with_state, with_storage};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::is_complete;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::{Act, Case, Detect, Detection, Holder, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "pv-bound-claim-missing",
    title: "the volume's claim is gone, and the next sync releases it",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[Act::Offer],
    repairs: &[],
    page: Page {
        seen: "The volume is Bound (or Pending, after a restore). The claim in the column CLAIM does not exist, or it \
               was created after the volume was bound.",
        why: "`spec.claimRef` has the uid of a claim that is gone. The controller has not synced the volume since \
              then: kube-controller-manager does not run, the claim was deleted a moment ago, or volumes were restored \
              without their claims. A restored claim gets a new uid, so for the controller it is another claim. The \
              first sync finds no claim with the old uid. So it makes the volume Released and applies its reclaim \
              policy.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.status.phase} {.spec.claimRef} \
                  {.spec.persistentVolumeReclaimPolicy}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.uid}'",
        repair: "If you need the data, set the policy to Retain first, before kube-controller-manager is started. Then \
                 reserve the volume for the name of its claim, and create the claim again. If the claim was already \
                 restored, write its new uid into `claimRef`. If you do not need the data, do nothing.",
        prevention: "Before you restore volumes from manifests, write policy Retain into the manifests and remove \
                     `claimRef.uid`. Restore the claims soon after the volumes.",
        hazard: "With policy Delete or Recycle, the first sync starts the deletion of the data, so they can be lost as \
                 soon as the control plane starts. If you remove the whole `claimRef`, every claim that fits can get \
                 the data.",
        sources: &[
            "syncVolume, Kubernetes 1.36 (V5, V6)",
            "reclaimVolume, Kubernetes 1.36 (R1 to R4)",
            "velero-io/velero#1138",
            "velero-io/velero#1039",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.terminating() || recorded_released(volume) {
        return None;
    }
    // Another rule reports a `claimRef` without namespace or name.
    let named = volume.claim_ref.as_ref().filter(|named| !named.uid.is_empty() && is_complete(named))?;
    let Gone { branch, reclaim } = gone(case, volume)?;
    if !claim_is_gone(branch) {
        return None;
    }
    let claim = claim_name(named);
    let destroys = reclaim.destroys();
    let prospect = reclaim.prospect(&volume.reclaim_policy);
    let replaced = if let Holder::Replaced(other) = case.holder(volume) { Some(other) } else { None };
    let its = |claim: &str| part_of(&case.object(), claim);
    let fact = match replaced {
        Some(_) => format!("{} is gone (a new claim has that name)", its(&format!("the earlier claim {claim}"))),
        None => format!("{} names claim {claim}, which does not exist", its("spec.claimRef")),
    };
    let found = Detection::new(format!("{fact}. {prospect}. The next sync makes the volume Released"));
    let mut found = with_state(with_storage(found, case, volume), case, volume)
        .severity(if destroys { Severity::Error } else { Severity::Warning })
        .risk(if destroys { Risk::Imminent } else { Risk::None });
    if let Some(other) = replaced {
        found = found.evidence(&key_of_claim(&other.meta), "metadata.uid", other.meta.uid.as_str());
    }
    Some(found.remedies(ways_back(case, volume)))
}
