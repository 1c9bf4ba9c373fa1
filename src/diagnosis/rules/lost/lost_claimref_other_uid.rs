//! This rule reports a claim with a completed binding whose volume has the uid of an earlier claim of the same name.

use super::misbound;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::names;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::remedy::restore;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim};
use crate::text::capitalized;

pub(super) static RULE: Rule = Rule {
    id: "lost-claimref-other-uid",
    title: "the volume belongs to an earlier claim of this name",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind, Act::NameOwner],
    repairs: &[Repair::Restore],
    page: Page {
        seen: "The claim is Lost, its volume is Released. An event `ClaimMisbound` reports two claims on one volume.",
        why: "The volume's `spec.claimRef` has this claim's name and another uid: that of a claim which is gone. The \
              claim was created again, by a restore or by `kubectl apply` of a saved manifest, and kept the annotation \
              `pv.kubernetes.io/bind-completed`. For the controller the volume's claim is gone, so the volume is \
              Released and its reclaim policy is applied.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef.uid} {.spec.persistentVolumeReclaimPolicy}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.uid}'",
        repair: "First set the policy to Retain. Make sure that no other cluster uses the disk. Then, if the data \
                 belong to this claim, write its uid into the volume's `claimRef`: the next sync makes both Bound. \
                 Nothing has to be deleted.",
        prevention: "Restore claims without binding annotations, or with a tool that corrects the uids. Restore with \
                     policy Retain.",
        hazard: "With policy Delete the storage may be deleted at any moment. If you remove the whole `claimRef`, any \
                 claim of any namespace can get the volume.",
        sources: &[
            "syncBoundClaim, Kubernetes 1.36 (C27)",
            "syncVolume, Kubernetes 1.36 (V6)",
            "kubernetes/kubernetes#60298",
            "velero-io/velero#1138",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let (volume, named) = misbound(case, claim)?;
    if !names(named, claim) || named.uid.is_empty() {
        return None;
    }
    let (name, policy) = (&volume.meta.name, volume.reclaim_policy.as_str());
    let (kept, consequence) = (!case.destroys(volume), capitalized(&case.prospect(volume)));
    let found = Detection::new(format!(
        "{} was created again, and {} has the old uid. {consequence}. The earlier claim of the same \
         name is gone, so the controller releases the volume",
        mention(&case.object()),
        part_of(&volume_key(name), "spec.claimRef")
    ));
    Some(
        found
            .risk(if kept { Risk::None } else { Risk::Imminent })
            // After a restore, all claims of a namespace have this problem.
            .follows_from(key(Kind::Namespace, "", &claim.meta.namespace), Act::NameOwner)
            .evidence(&case.object(), "metadata.uid", claim.meta.uid.as_str())
            .evidence(&volume_key(name), "spec.claimRef.uid", named.uid.as_str())
            .evidence(&volume_key(name), "spec.persistentVolumeReclaimPolicy", policy)
            .remedy(restore(
                case.snapshot(),
                claim,
                format!(
                    "check first that no other cluster, such as one that was restored from a backup, uses the disk; \
                     then reserve volume {name} for the claim that exists now; nothing is deleted"
                ),
            )),
    )
}
