//! This rule reports a claim that names a volume whose `claimRef` has the uid of an earlier claim of the same name.

use crate::controllers::ClaimBranch;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::names;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::restore;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim};
use crate::snapshot::printed;
use crate::text::capitalized;

pub(super) static RULE: Rule = Rule {
    id: "bind-named-pv-stale-uid",
    title: "the named volume has the uid of an earlier claim of this name",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind, Act::NameOwner],
    repairs: &[Repair::Restore],
    page: Page {
        seen: "The claim is Pending although VOLUME is filled; CAPACITY is 0. The volume is Released, and its CLAIM \
               shows the name of this claim. An event `FailedBinding` reports a different claim, but no such claim \
               exists.",
        why: "The volume's `spec.claimRef` has the claim's namespace and name, and the uid of a claim that was \
              deleted. For the controller, a claim with another uid is another claim, even if it has the same name: \
              its owner may be somebody else, who must not read the old data. In most cases an application was \
              installed again, or a backup was restored.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef.uid} {.spec.persistentVolumeReclaimPolicy}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.uid}'",
        repair: "First set the policy to Retain. Make sure that no other cluster uses the disk. If the new claim may \
                 read the old data, remove only the uid from the `claimRef` of the volume. The next sync then binds \
                 the claim to the volume without any further test. Otherwise create the claim again without \
                 `spec.volumeName`.",
        prevention: "Set policy Retain for volumes whose data are needed after their claims are deleted. Reserve such \
                     a volume by namespace and name before the claim is created again.",
        hazard: "With policy Delete the storage is deleted while the claim waits. If you remove the whole `claimRef`, \
                 any claim of any namespace can get the volume with its data.",
        sources: &[
            "syncUnboundClaim, Kubernetes 1.36 (C21, C22)",
            "syncVolume, Kubernetes 1.36 (V6)",
            "kubernetes/kubernetes#48609",
            "kubernetes-csi/csi-driver-smb#821",
            "velero-io/velero#5141",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.volume_name.is_empty() {
        return None;
    }
    match case.unbound_branch(claim)? {
        ClaimBranch::UnboundClaimNamedVolumeTaken | ClaimBranch::UnboundClaimNamedVolumeTakenByController => {}
        _ => return None,
    }
    let volume = case.volume(&claim.volume_name)?;
    let named = volume.claim_ref.as_ref()?;
    if !names(named, claim) {
        return None;
    }
    let (name, policy) = (&volume.meta.name, volume.reclaim_policy.as_str());
    let (kept, consequence) = (!case.destroys(volume), capitalized(&case.prospect(volume)));
    let misleading = if case.has_event("FailedBinding") {
        ". The event says \"already bound to a different claim\" and means that earlier claim"
    } else {
        ""
    };
    let found = Detection::new(format!(
        "{} cannot be bound to {}, whose spec.claimRef has an earlier claim's uid. {consequence}. That earlier \
         claim of the same name is gone{misleading}",
        mention(&case.object()),
        mention(&volume_key(name))
    ));
    Some(
        found
            .risk(if kept { Risk::None } else { Risk::Imminent })
            // After a restore, all claims of a namespace have this problem.
            .follows_from(key(Kind::Namespace, "", &claim.meta.namespace), Act::NameOwner)
            .evidence(&case.object(), "metadata.uid", printed(&claim.meta.uid))
            .evidence(&volume_key(name), "spec.claimRef.uid", printed(&named.uid))
            .evidence(&volume_key(name), "spec.persistentVolumeReclaimPolicy", policy)
            .remedy(restore(
                case.snapshot(),
                claim,
                format!(
                    "check first that no other cluster, such as one that was restored from a backup, uses the disk; \
                     then reserve volume {name} for the claim that exists now"
                ),
            )),
    )
}
