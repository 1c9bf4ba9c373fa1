//! This rule reports a claim with a completed binding whose volume belongs to a claim of another name.

use super::misbound;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::{is_complete, names};
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Holder, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "lost-pv-owned-by-other",
    title: "the volume belongs to another claim",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Lost; its volume is Bound to a claim of another name or namespace, or Released from one.",
        why: "The claim says that it is bound to the volume, and the volume's `spec.claimRef` names another claim. In \
              most cases the claim is a copy: its manifest was applied in another namespace, and still had \
              `spec.volumeName` and the annotation `pv.kubernetes.io/bind-completed`.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef.namespace}/{.spec.claimRef.name}'",
        repair: "Decide whose data they are. If the other claim is right, delete this claim, and create it again \
                 without `spec.volumeName` and without the binding annotations. Deleting this claim does not change \
                 the volume. If this claim is right, stop the pods of both claims, and set policy Retain. Write the \
                 namespace and the name of this claim into the `claimRef` of the volume, without a uid. Then delete \
                 this claim, and create it again without the binding annotations.",
        prevention: "Copy claims without `spec.volumeName`, `status` and the annotations `pv.kubernetes.io/*`.",
        hazard: "If you write this claim into the `claimRef` of the volume, the other claim loses a volume that is in \
                 use.",
        sources: &["syncBoundClaim, Kubernetes 1.36 (C27)", "kubernetes/kubernetes#127240"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let (volume, named) = misbound(case, claim)?;
    if names(named, claim) {
        return None;
    }
    let (name, owner) = (&volume.meta.name, claim_name(named));
    let noun = if is_complete(named) { "claim " } else { "" };
    let holder = case.holder(volume);
    let relation = if matches!(holder, Holder::ReservedFor(_)) { "is reserved for" } else { "belongs to" };
    let life = match holder {
        Holder::Lives(_) | Holder::ReservedFor(_) => " (it exists)",
        Holder::Replaced(_) => " (an earlier claim of that name)",
        Holder::Gone | Holder::ReservedForMissing => " (it does not exist)",
        Holder::Nobody | Holder::Unknown => "",
    };
    let found = Detection::new(format!(
        "{} names {}, which {relation} {noun}{owner}{life}. Claim {} is probably a copy of another one. No data are lost",
        mention(&case.object()),
        mention(&volume_key(name)),
        claim.meta.name
    ));
    Some(
        found
            .evidence(&case.object(), "spec.volumeName", name.as_str())
            .evidence(&volume_key(name), "spec.claimRef", owner.as_str())
            .evidence(&volume_key(name), "spec.claimRef.uid", named.uid.as_str())
            .remedy(by_hand(format!(
                "if the data belong to {owner}, delete this claim and create it again without spec.volumeName and without \
                 the annotations pv.kubernetes.io/*"
            )))
            .remedy(describe(&volume_key(name), "see whose data they are")),
    )
}
