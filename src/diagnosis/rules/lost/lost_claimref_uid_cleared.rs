//! This rule reports a claim with a completed binding whose volume no longer has the claim's uid.

use super::misbound;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::names;
use crate::diagnosis::mention::{elsewhere, part_of};
use crate::diagnosis::remedy::restore;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "lost-claimref-uid-cleared",
    title: "the volume names the claim without its uid",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind, Act::NameOwner],
    repairs: &[Repair::Restore],
    page: Page {
        seen: "The claim is Lost, and its volume is Available with CLAIM filled in. An event `ClaimMisbound` reports \
               two claims on one volume.",
        why: "For a claim whose binding was completed, the volume's `spec.claimRef` has to have the claim's uid. If it \
              has no uid, the controller treats it as the reference to another claim. Usually somebody applied the \
              volume's manifest again, by hand or from Git, with a `claimRef` that has only a namespace and a name. \
              The event is misleading: there is no other claim, and no data are lost.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.uid}'",
        repair: "Write the claim's uid into the volume's `claimRef`: the next sync makes both Bound again. Nothing has to \
                 be deleted.",
        prevention: "Remove `claimRef` from the manifest that is applied. To reserve the volume, use `spec.volumeName` \
                     of the claim instead. Server-side apply keeps the fields that the manifest does not state.",
        hazard: "If the claim is deleted, any claim of that name gets the volume. If the manifest is applied again, \
                 the problem occurs again.",
        sources: &["syncBoundClaim, Kubernetes 1.36 (C27)", "fluxcd/flux2#2250", "kubernetes/kubernetes#112562"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let (volume, named) = misbound(case, claim)?;
    if !names(named, claim) || !named.uid.is_empty() {
        return None;
    }
    let name = &volume.meta.name;
    let whatever = if case.has_event("ClaimMisbound") { ", whatever the event says" } else { "" };
    let found = Detection::new(format!(
        "{}{} has no uid. So the controller treats it as the volume of another claim. No data are lost{whatever}. With \
         the uid of the claim in spec.claimRef, both are Bound again",
        elsewhere(&case.object(), &format!("claim {} is Lost, because ", claim.key())),
        part_of(&volume_key(name), "spec.claimRef")
    ));
    Some(
        found
            .evidence(&case.object(), "metadata.uid", claim.meta.uid.as_str())
            .evidence(&volume_key(name), "spec.claimRef.uid", "")
            .remedy(restore(
                case.snapshot(),
                claim,
                format!("give volume {name} back to the claim; nothing is deleted"),
            )),
    )
}
