//! This rule reports a volume that is reserved for a claim that does not exist.

use crate::controllers::VolumeBranch;
use crate::diagnosis::facts::is_complete;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Holder, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "pv-available-reserved-waiting",
    title: "reserved for a claim that does not exist",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is Available, and the column CLAIM shows a claim. No claim of that name exists.",
        why: "`spec.claimRef` has a namespace and a name, but no uid: the volume is reserved. No other claim can get \
              the volume. A claim of that name gets it if the claim names the volume in `spec.volumeName`. Without \
              `spec.volumeName`, size, volume mode and access modes must fit, too. The class may be another. Until \
              then the controller does nothing with the volume.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef}'\n\
                  kubectl get pvc NAME -n NAMESPACE",
        repair: "Create the claim, and write the name of the volume into its `spec.volumeName`, so that the claim \
                 waits for this volume only. If the reservation is no longer needed, `kubectl pvctl unbind pv/VOLUME \
                 --reserve-for NAMESPACE/NAME` reserves the volume for another claim. If a repair made the \
                 reservation, `kubectl pvctl undo` undoes the repair.",
        prevention: "Create the volume and its claim together.",
        hazard: "Every user who may create a claim of that name in that namespace can get the volume, with its data.",
        sources: &[
            "syncVolume, Kubernetes 1.36 (V3)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let named = volume.claim_ref.as_ref().filter(|named| named.uid.is_empty() && is_complete(named))?;
    if volume.terminating() || case.volume_branch()? != VolumeBranch::VolumeReserved {
        return None;
    }
    match case.holder(volume) {
        Holder::ReservedForMissing => {}
        Holder::Nobody
        | Holder::ReservedFor(_)
        | Holder::Lives(_)
        | Holder::Replaced(_)
        | Holder::Gone
        | Holder::Unknown => return None,
    }
    let (claim, name) = (claim_name(named), &volume.meta.name);
    let found = Detection::new(format!(
        "{} is reserved for claim {claim}, which does not exist. No other claim can get the volume. A new claim of \
         that name gets the volume with its data",
        mention(&case.object())
    ));
    Some(
        found
            .evidence(&case.object(), "spec.claimRef", claim.as_str())
            .evidence(&case.object(), "spec.claimRef.uid", "")
            .remedy(by_hand(format!(
                "create claim {claim} with spec.volumeName {name}, or end the reservation: `kubectl pvctl unbind \
                 pv/{name} --reserve-for NAMESPACE/NAME` reserves the volume for the claim that should have it"
            ))),
    )
}
