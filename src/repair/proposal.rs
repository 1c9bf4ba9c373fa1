//! From a finding to the requests that repair it, the safest first. Whether there is a plan for one, and whether that
//! is safe, [`crate::repair::propose`] and [`crate::repair::review`] say.

use super::guards::volumes_of;
use super::plan::{Recipient, Request, Setting};
use super::situation::{Known, Situation};
use crate::diagnosis::{Finding, meant_class};
use crate::model::{Kind, ObjectKey, ReclaimPolicy, StatefulSet, Str};

/// What a rule's findings are repaired with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    /// The claim gets its volume back.
    Restore,
    /// The data are kept, of the volume or of the claim's volumes.
    Retain,
    /// The volume is kept, and offered to its last claim again.
    Release,
    /// The half-made binding of the volume is rolled back, in favour of the only claim that names the volume.
    Unbind,
    /// The choice of a node is taken back.
    Unselect,
    /// The claim, which has no volume, is made anew with the class that is meant.
    Reclass,
}

/// The rules whose findings a verb repairs, or makes harmless, with those verbs in order.
const REPAIRABLE: [(&str, &[Remedy]); 30] = [
    ("bind-claimref-no-namespace", &[Remedy::Unbind]),
    ("bind-named-pv-stale-uid", &[Remedy::Restore]),
    ("bind-two-pvs-one-claim", &[Remedy::Retain]),
    ("claim-owned-cascade", &[Remedy::Retain]),
    ("data-about-to-go", &[Remedy::Retain]),
    ("lost-claimref-other-uid", &[Remedy::Restore]),
    ("lost-claimref-uid-cleared", &[Remedy::Restore]),
    ("lost-volumename-empty", &[Remedy::Restore]),
    ("ns-terminating-pvc", &[Remedy::Retain]),
    ("pv-delete-static-surprise", &[Remedy::Retain]),
    ("pv-duplicate-backing", &[Remedy::Retain]),
    ("pv-failed-delete", &[Remedy::Release]),
    ("pv-failed-no-deleter-static", &[Remedy::Release]),
    ("pv-failed-recycle", &[Remedy::Retain]),
    ("pv-recycle-policy", &[Remedy::Retain]),
    ("pv-released-but-claim-alive", &[Remedy::Restore, Remedy::Retain]),
    ("pv-released-claim-recreated", &[Remedy::Restore, Remedy::Retain]),
    ("pv-released-delete-no-deleter", &[Remedy::Retain]),
    ("pv-released-retain", &[Remedy::Release]),
    ("pv-terminating-bound", &[Remedy::Retain]),
    ("pv-terminating-leak", &[Remedy::Retain]),
    ("pv-terminating-provisioner-finalizer", &[Remedy::Retain]),
    ("pv-unknown-policy", &[Remedy::Retain]),
    ("pvc-class-not-found", &[Remedy::Reclass]),
    ("pvc-selected-node-gone", &[Remedy::Unselect]),
    ("pvc-terminating-completed-pod", &[Remedy::Retain]),
    ("pvc-terminating-in-use", &[Remedy::Retain]),
    ("pvc-terminating-snapshot-source", &[Remedy::Retain]),
    ("pvc-terminating-unknown-finalizer", &[Remedy::Retain]),
    ("sts-retention-delete", &[Remedy::Retain]),
];

/// The ids of the rules whose findings a verb repairs, or makes harmless.
pub fn repairable() -> impl Iterator<Item = &'static str> {
    REPAIRABLE.iter().map(|(id, _)| *id)
}

/// What repairs a finding, the safest first; nothing where only a person can.
pub fn repairs(situation: &Situation<'_>, finding: &Finding) -> Vec<Request> {
    let Some((_, remedies)) = REPAIRABLE.iter().find(|(id, _)| *id == finding.rule.id) else { return Vec::new() };
    remedies.iter().flat_map(|remedy| requests(situation, *remedy, &finding.object)).collect()
}

fn requests(situation: &Situation<'_>, remedy: Remedy, object: &ObjectKey) -> Vec<Request> {
    let volume = match object.kind {
        Kind::PersistentVolume => situation.snapshot.volume_id(&object.name).map(|id| situation.snapshot.volume(id)),
        _ => None,
    };
    match remedy {
        Remedy::Restore => {
            let claim = match volume {
                Some(volume) => {
                    let named = volume.claim_ref.as_ref().filter(|named| {
                        // A claim that has another volume would lose that one: people decide which data it gets.
                        !matches!(situation.claim(&named.namespace, &named.name), Known::There(claim)
                            if !claim.volume_name.is_empty() && claim.volume_name != volume.meta.name)
                    });
                    named.map(|named| (named.namespace.clone(), named.name.clone()))
                }
                None => Some((object.namespace.clone(), object.name.clone())),
            };
            let restore =
                |(namespace, name)| Request::Restore { namespace, name, from: None, provisioner_stopped: false };
            claim.into_iter().map(restore).collect()
        }
        Remedy::Retain => {
            let names = match (volume, object.kind) {
                (Some(volume), _) => vec![volume.meta.name.clone()],
                (None, Kind::PersistentVolumeClaim) => volumes_of_claim(situation, &object.namespace, &object.name),
                (None, Kind::Namespace) => situation
                    .snapshot
                    .claims_in(&object.name)
                    .iter()
                    .flat_map(|claim| volumes_of(situation, claim))
                    .collect(),
                (None, Kind::StatefulSet) => of_set(situation, object),
                (None, _) => Vec::new(),
            };
            let kept = names.into_iter().filter(|name| {
                matches!(situation.volume(name), Known::There(volume) if volume.reclaim_policy != ReclaimPolicy::Retain)
            });
            kept.map(|volume| Request::Retain { volume }).collect()
        }
        Remedy::Release => {
            let release = |name: &Str| Request::Release { volume: name.clone(), to: Recipient::LastClaim };
            volume.map(|volume| release(&volume.meta.name)).into_iter().collect()
        }
        Remedy::Unbind => {
            let Some(volume) = volume else { return Vec::new() };
            let snapshot = situation.snapshot;
            match snapshot.claims_naming(&volume.meta.name) {
                [one] => {
                    let claim = snapshot.claim(*one);
                    let to =
                        Recipient::Claim { namespace: claim.meta.namespace.clone(), name: claim.meta.name.clone() };
                    vec![Request::Unbind { volume: volume.meta.name.clone(), to }]
                }
                _ => Vec::new(),
            }
        }
        Remedy::Reclass => {
            let Known::There(claim) = situation.claim(&object.namespace, &object.name) else { return Vec::new() };
            let meant = meant_class(situation.snapshot, claim.class());
            let recreate = |class: &str| Request::Recreate {
                namespace: object.namespace.clone(),
                name: object.name.clone(),
                set: vec![Setting::Class(class.into())],
                provisioner_stopped: false,
            };
            meant.map(recreate).into_iter().collect()
        }
        Remedy::Unselect => {
            vec![Request::Unselect { namespace: object.namespace.clone(), name: object.name.clone() }]
        }
    }
}

fn volumes_of_claim(situation: &Situation<'_>, namespace: &str, name: &str) -> Vec<Str> {
    match situation.claim(namespace, name) {
        Known::There(claim) => {
            let mut names = volumes_of(situation, claim);
            let naming = situation.snapshot.volumes_naming(namespace, name).iter();
            for id in naming {
                let volume = &situation.snapshot.volume(*id).meta.name;
                if !names.contains(volume) {
                    names.push(volume.clone());
                }
            }
            names
        }
        Known::Absent | Known::Unknown => Vec::new(),
    }
}

/// The volumes of the claims that a StatefulSet made.
fn of_set(situation: &Situation<'_>, set: &ObjectKey) -> Vec<Str> {
    let Some(found) = situation.snapshot.find::<StatefulSet>(&set.namespace, &set.name) else {
        return Vec::new();
    };
    let claims = situation.snapshot.claims_in(&set.namespace).iter().filter(|claim| found.makes(&claim.meta.name));
    claims.flat_map(|claim| volumes_of(situation, claim)).collect()
}
