//! This rule reports a claim whose volume the driver may still be making although its last request timed out.

use super::refusal;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

/// The number of seconds that making a volume may take.
const LONG: i64 = 1_800;

pub(super) static RULE: Rule = Rule {
    id: "pvc-inprogress-background",
    title: "the driver may still be making the volume",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::Event],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending for minutes; an event `ProvisioningFailed` reports `DeadlineExceeded`, or \
               `Aborted` because an operation for that volume exists already.",
        why: "The provisioner calls the driver with a time limit. At this limit the call ends, but the storage system \
              continues its work. The provisioner treats the claim as in progress, and calls the driver again with the \
              same name. So the driver can return the volume that it has made by then. Nothing is lost as long as the \
              claim and its node stay the same.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get events -n NAMESPACE --field-selector involvedObject.name=NAME",
        repair: "Wait, and look in the storage system for the volume `pvc-UID`. If this takes more than half an hour, \
                 check whether the storage system answers, and read the driver's log. If the storage system is only \
                 slow, set a longer `--timeout` of the provisioner.",
        prevention: "Set a `--timeout` of the provisioner that is long enough for the storage system.",
        hazard: "If you delete the claim, or remove the annotation `volume.kubernetes.io/selected-node`, a volume can \
                 be left over in the storage system, and no object names it.",
        sources: &[
            "checkError, external-provisioner",
            "provisionVolumeErrorHandling, sig-storage-lib-external-provisioner",
            "IBM/ibm-spectrum-scale-csi#659",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let refusal = refusal(case, claim).filter(|refusal| !refusal.waits_for_node && refusal.is_under_way())?;
    let takes_long = case.seconds_since(claim.meta.created).is_some_and(|age| age >= LONG);
    let driver = refusal.driver(case);
    let then = if takes_long {
        "This takes unusually long: check whether the storage system answers"
    } else {
        "Wait: if the claim is deleted now, a volume can be left behind in the storage system"
    };
    let found = Detection::new(format!(
        "{driver} may still be provisioning the volume of {}. The last request timed out, or an earlier request had \
         not ended ({}), and the storage system may continue. {then}",
        mention(&case.object()),
        refusal.age()
    ))
    .info_if(!takes_long);
    let looks = describe(&case.object(), "see whether the driver has reported something else since then");
    let way = by_hand(format!(
        "look in the storage system for pvc-{} before anybody deletes the claim; waiting is safe",
        claim.meta.uid
    ));
    Some(refusal.shown(case, found).remedy(looks).remedy(way))
}
