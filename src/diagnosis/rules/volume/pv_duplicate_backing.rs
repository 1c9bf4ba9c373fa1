//! This rule reports several volumes that refer to the same storage.

use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::{is_bound, is_complete};
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Repair, Risk, Rule, Severity, key};
use crate::model::{AccessMode, AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, Pod};
use std::collections::BTreeMap;
use std::iter;

/// The maximum number of volumes with the same storage that are compared with each volume. The first of these volumes
/// is compared with all others.
const MOST: usize = 16;

pub(super) static RULE: Rule = Rule {
    id: "pv-duplicate-backing",
    title: "several volumes have the same storage",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[Act::OwnStorage],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "Nothing unusual: each of the volumes is Bound or Available. A pod that uses two of them does not start, \
               and no event says why.",
        why: "Two or more PersistentVolumes have the same `spec.csi.driver` and `spec.csi.volumeHandle`. Kubernetes \
              allows this, and binds and reclaims each of them separately. But the kubelet and the attach-detach \
              controller identify a volume by driver and handle, so for them these volumes are one volume. If a pod \
              uses two of them, only one is mounted. Such volumes come from manifests that were applied again with \
              another name, from restores, and from drivers whose handle identifies a whole file system.",
        confirm: "kubectl get pv -o custom-columns='NAME:.metadata.name,DRIVER:.spec.csi.driver,\
                  HANDLE:.spec.csi.volumeHandle,POLICY:.spec.persistentVolumeReclaimPolicy'",
        repair: "Set all of them to Retain. Find out which pods, and which other clusters, use the storage. Decide \
                 which PersistentVolume is the right one. Create the others again with different handles, or delete \
                 them after their claims.",
        prevention: "Create only one PersistentVolume for each storage. To share a file system, use one claim. Or use \
                     handles for different directories, if the driver supports them.",
        hazard: "With policy Delete, the deletion of any one of the claims destroys the data of all of them. If only \
                 one node may write to the storage, Kubernetes does not prevent two writers: each volume is checked \
                 separately.",
        sources: &["weka/csi-wekafs#66", "kubernetes-sigs/azurefile-csi-driver#2367", "kubernetes/kubernetes#132921"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.terminating() {
        return None;
    }
    let sharing = case.survey().sharing(volume);
    if sharing.len() < 2 {
        return None;
    }
    let others = || case.volumes(sharing).filter(|other| !is(other, volume));
    // The first volume that is not being deleted represents all of them.
    let first = case.volumes(sharing).find(|one| !one.terminating())?;
    let speaks = is(first, volume);
    let looked_at = || iter::once(volume).chain(others().take(if speaks { usize::MAX } else { MOST }));
    let doomed = looked_at().find(|one| data_fate(case.behavior(), one) != DataFate::Kept);
    let exclusive = looked_at().any(is_exclusive);
    let other = others().next()?;
    let more = match sharing.len().saturating_sub(2) {
        0 => String::new(),
        1 => " and 1 more volume".to_owned(),
        more => format!(" and {more} more volumes"),
    };
    let (severity, risk, consequence) = match doomed {
        Some(doomed) => (
            Severity::Error,
            Risk::Possible,
            format!(
                "Volume {} has policy {}: when its claim is deleted, the data of all these volumes may be deleted",
                doomed.meta.name,
                doomed.reclaim_policy.as_str()
            ),
        ),
        None if exclusive => (
            Severity::Warning,
            Risk::Possible,
            "Two nodes can write to this storage at once, and a pod that uses two of these volumes never starts"
                .to_owned(),
        ),
        None => (Severity::Info, Risk::None, "A pod that uses two of them never starts".to_owned()),
    };
    // A person chose the handle of a volume that was created by hand. Other attributes may distinguish two such
    // volumes.
    let by_hand_all = looked_at().all(|one| !one.meta.annotations.has(AnnotationKey::ProvisionedBy));
    let severity = if by_hand_all { severity.max(Severity::Warning) } else { severity };
    let stuck = stuck(case, looked_at());
    let (severity, risk, consequence) = match stuck.first() {
        // This pod cannot run, no matter who created the volumes.
        Some((pod, claims)) => {
            let more = match stuck.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let doomed = doomed.map(|_| format!(". {consequence}")).unwrap_or_default();
            let pod = format!("Pod {}/{}{more}", pod.meta.namespace, pod.meta.name);
            (
                Severity::Error,
                Risk::Possible,
                format!("{pod} cannot start, because it uses both claims {} and {}{doomed}", claims[0], claims[1]),
            )
        }
        None => (severity, risk, consequence),
    };
    let same = if by_hand_all { "volume handle" } else { "storage" };
    let so = if stuck.is_empty() { "" } else { ", so a pod with both never starts" };
    let found = Detection::new(format!(
        "{} has the same {same} as {}{more}{so}. The handle is {} of driver {}, and volume {} is {}. {consequence}",
        mention(&case.object()),
        mention(&volume_key(&other.meta.name)),
        volume.source.handle,
        volume.source.detail,
        other.meta.name,
        owner(other)
    ));
    let handle = |found: Detection, one: &PersistentVolume| {
        found.evidence(&volume_key(&one.meta.name), "spec.csi.volumeHandle", one.source.handle.as_str())
    };
    let policy = |found: Detection, one: &PersistentVolume| {
        let (key, policy) = (volume_key(&one.meta.name), one.reclaim_policy.as_str());
        found.evidence(&key, "spec.persistentVolumeReclaimPolicy", policy)
    };
    let found = doomed.into_iter().fold(handle(handle(found, volume), other), policy);
    let elsewhere = doomed.filter(|doomed| !is(doomed, volume));
    let found = found
        .severity(severity)
        .risk(risk)
        .remedies(doomed.and_then(|_| retain(volume)))
        .remedies(elsewhere.and_then(retain))
        .remedy(by_hand(
            "check which pods, and which other clusters, use this storage; then decide which volume is the \
                         right one, and give the others their own storage",
        ));
    let found =
        stuck.iter().fold(found, |found, (pod, _)| found.affects(key(Kind::Pod, &pod.meta.namespace, &pod.meta.name)));
    Some(if speaks { found } else { found.follows_from(volume_key(&first.meta.name), Act::OwnStorage) })
}

/// Returns the pods that use several of these volumes, in the order of their names, each with the claims concerned.
/// Running pods are left out, because their claims had other volumes when the pods were started.
fn stuck<'a>(case: &Case<'a>, volumes: impl Iterator<Item = &'a PersistentVolume>) -> Vec<(&'a Pod, Vec<&'a str>)> {
    let mut uses: BTreeMap<(&str, &str), (&Pod, Vec<&str>)> = BTreeMap::new();
    let has = |claim: &&PersistentVolumeClaim, volume: &PersistentVolume| {
        is_bound(claim) && claim.volume_name == volume.meta.name
    };
    for volume in volumes {
        let Some(claim) = case.survey().holder(volume).filter(|claim| has(claim, volume)) else { continue };
        for pod in case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name) {
            let (_, claims) = uses.entry((&pod.meta.namespace, &pod.meta.name)).or_insert((pod, Vec::new()));
            if !claims.contains(&claim.meta.name.as_str()) {
                claims.push(&claim.meta.name);
            }
        }
    }
    let waits = |pod: &Pod| !pod.terminated() && !pod.running_container;
    uses.into_values().filter(|(pod, claims)| claims.len() > 1 && waits(pod)).collect()
}

/// Returns whether both are the same volume.
fn is(one: &PersistentVolume, other: &PersistentVolume) -> bool {
    one.meta.name == other.meta.name
}

/// Returns whether the volume has no access mode that allows several nodes.
fn is_exclusive(volume: &PersistentVolume) -> bool {
    let shared = |mode: &AccessMode| matches!(mode, AccessMode::ReadOnlyMany | AccessMode::ReadWriteMany);
    !volume.access_modes.0.iter().any(shared)
}

/// Returns words that name the claim of the volume.
fn owner(volume: &PersistentVolume) -> String {
    match volume.claim_ref.as_ref().filter(|named| is_complete(named)) {
        Some(named) => format!("of claim {}", claim_name(named)),
        None => "of no claim".to_owned(),
    }
}
