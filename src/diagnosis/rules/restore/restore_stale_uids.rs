//! This rule reports a namespace whose claims were created again while its volumes have the uids of the earlier claims.

use crate::diagnosis::case::{key_of_claim, volume_key};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::Namespace;
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim};
use crate::snapshot::printed;

/// The minimum number of claims for which a common cause is assumed. One or two claims were probably deleted and
/// created by hand.
const MANY: usize = 3;
/// The maximum number of commands that the finding has.
const MOST: usize = 20;
/// The maximum number of claims and volumes that are shown as evidence.
const SHOWN: usize = 3;

pub(super) static RULE: Rule = Rule {
    id: "restore-stale-uids",
    title: "the claims are new, but their volumes have the uids of the old claims",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::PersistentVolume],
    hinders: &[Act::NameOwner],
    repairs: &[],
    page: Page {
        seen: "Many claims of one namespace are Lost or Pending at once, and their volumes are Released.",
        why: "The API server gives every new object a new uid, even if the object is restored with its old name. A \
              volume identifies its claim by the uid in `spec.claimRef`. So claims that were created again, by a \
              restore or by `kubectl apply` of saved manifests, do not match their own volumes. For the controller the \
              old claims are gone: the volumes become Released, and their reclaim policies are applied.",
        confirm: "kubectl get pvc -n NAME -o custom-columns=NAME:.metadata.name,UID:.metadata.uid,VOLUME:.spec.volumeName\n\
                  kubectl get pv -o custom-columns=NAME:.metadata.name,CLAIM:.spec.claimRef.name,\
                  UID:.spec.claimRef.uid,POLICY:.spec.persistentVolumeReclaimPolicy,PHASE:.status.phase",
        repair: "First set the policy of all these volumes to Retain. Make sure that no other cluster uses the same \
                 storage. Then give each claim its volume back. If the claim is Lost, write its uid into the \
                 `claimRef` of the volume. If the claim is Pending, remove only the uid from the `claimRef`.",
        prevention: "Restore volumes with policy Retain and before their claims, with a tool that removes the uid from \
                     `claimRef`.",
        hazard: "With policy Delete the storage of all these volumes is deleted within minutes. If the cluster that \
                 was backed up still runs, both clusters use the same disks: deleting a claim in one cluster destroys \
                 the data of the other. If both clusters write to one disk, its file system is destroyed.",
        sources: &[
            "syncVolume, Kubernetes 1.36 (V6)",
            "syncBoundClaim, syncUnboundClaim, Kubernetes 1.36 (C27, C21)",
            "velero-io/velero#1039",
            "velero-io/velero#1138",
            "velero-io/velero#3007",
            "kubernetes/kubernetes#60298",
        ],
    },
    detect: Detect::Namespace(detect),
};

fn detect(case: &Case<'_>, namespace: &Namespace) -> Option<Detection> {
    if namespace.meta.deleted.is_some() {
        return None;
    }
    let claims = case.snapshot().claims_in(&namespace.meta.name);
    let pairs: Vec<(&PersistentVolumeClaim, &PersistentVolume)> =
        claims.iter().filter_map(|claim| Some((claim, stranger(case, claim)?))).collect();
    if pairs.len() < MANY {
        return None;
    }
    let doomed: Vec<&PersistentVolume> =
        pairs.iter().map(|(_, volume)| *volume).filter(|volume| case.destroys(volume)).collect();
    let fate = match doomed.len() {
        0 => "The data of these volumes stay".to_owned(),
        count if count == pairs.len() => "The data of all these volumes are destroyed, unless their policy is set to \
                                          Retain in time"
            .to_owned(),
        count => format!(
            "The data of {count} of these volumes are destroyed, unless their policy is set to Retain in \
                          time"
        ),
    };
    let which = if pairs.len() == claims.len() {
        format!("all {} claims", claims.len())
    } else {
        format!("{} of {} claims", pairs.len(), claims.len())
    };
    let which = part_of(&case.object(), &which);
    let found = Detection::new(format!(
        "{which} were created again, and spec.claimRef of each volume still has the old uid. {fate}. This happens \
         after a restore"
    ))
    .risk(if doomed.is_empty() { Risk::None } else { Risk::Imminent });
    let found = match pairs.iter().filter_map(|(claim, _)| claim.meta.created).min() {
        Some(created) => found.since(Some(created)),
        None => found,
    };
    let found = pairs.iter().take(SHOWN).fold(found, |found, (claim, volume)| {
        let remembered = volume.claim_ref.as_ref().map(|named| printed(&named.uid).to_string());
        found.evidence(&key_of_claim(&claim.meta), "metadata.uid", printed(&claim.meta.uid)).evidence(
            &volume_key(&volume.meta.name),
            "spec.claimRef.uid",
            remembered.unwrap_or_default(),
        )
    });
    let found = found.remedies(doomed.iter().take(MOST).filter_map(|volume| retain(volume)));
    let found = if doomed.len() > MOST {
        let more = doomed.len() - MOST;
        found.remedy(by_hand(format!("set the policy of the other {more} volumes to Retain in the same way")))
    } else {
        found
    };
    let found =
        found.remedy(by_hand("check that no other cluster, such as the one that was backed up, uses the same storage"));
    let columns = "custom-columns=NAME:.metadata.name,UID:.metadata.uid,VOLUME:.spec.volumeName,PHASE:.status.phase";
    Some(found.remedy(kubectl(
        format!("get pvc -n {} -o {columns}", quoted(&namespace.meta.name)),
        "then give each claim its volume back, with the command of the finding on that claim",
    )))
}

/// Returns the volume that the claim names, if the `claimRef` of the volume has the uid of an earlier claim of the same
/// name.
fn stranger<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
    if claim.volume_name.is_empty() || claim.terminating() {
        return None;
    }
    let volume = case.volume(&claim.volume_name)?;
    let named = volume.claim_ref.as_ref()?;
    let is_namesake = named.name == claim.meta.name && named.namespace == claim.meta.namespace;
    (is_namesake && !named.uid.is_empty() && named.uid != claim.meta.uid).then_some(volume)
}
