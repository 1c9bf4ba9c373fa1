//! The requests that repair a finding, as its rule lists them, the safest first. [`crate::repair::propose`] decides
//! whether a request has a plan, and [`crate::repair::review`] decides whether that plan is safe.

use super::guards::volumes_of;
use super::request::{Recipient, Request, Setting};
use super::situation::{Known, Situation};
use crate::diagnosis::{Finding, Repair, meant_class};
use crate::model::{Kind, ObjectKey, ReclaimPolicy, StatefulSet, Str};

/// Returns the requests that repair a finding, the safest first. The list is empty if no request can repair the
/// finding.
pub fn repairs(situation: &Situation<'_>, finding: &Finding) -> Vec<Request> {
    finding.rule.repairs.iter().flat_map(|repair| requests(situation, *repair, &finding.object)).collect()
}

fn requests(situation: &Situation<'_>, repair: Repair, object: &ObjectKey) -> Vec<Request> {
    let volume = match object.kind {
        Kind::PersistentVolume => situation.snapshot.volume_id(&object.name).map(|id| situation.snapshot.volume(id)),
        _ => None,
    };
    match repair {
        Repair::Restore => {
            let claim = match volume {
                Some(volume) => {
                    let named = volume.claim_ref.as_ref().filter(|named| {
                        // A claim that has another volume would lose that volume. A person has to decide which data the
                        // claim gets.
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
        Repair::Retain => {
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
        Repair::Release => {
            let release = |name: &Str| Request::Release { volume: name.clone(), to: Recipient::LastClaim };
            volume.map(|volume| release(&volume.meta.name)).into_iter().collect()
        }
        Repair::Unbind => {
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
        Repair::Reclass => {
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
        Repair::Reconnect => {
            let reconnect = |volume: &Str| Request::Reconnect { volume: volume.clone(), address: None, server: None };
            volume.map(|volume| reconnect(&volume.meta.name)).into_iter().collect()
        }
        Repair::Reschedule => {
            vec![Request::Reschedule { namespace: object.namespace.clone(), name: object.name.clone() }]
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

/// Returns the volumes of the claims that a StatefulSet made.
fn of_set(situation: &Situation<'_>, set: &ObjectKey) -> Vec<Str> {
    let Some(found) = situation.snapshot.find::<StatefulSet>(&set.namespace, &set.name) else {
        return Vec::new();
    };
    let claims = situation.snapshot.claims_in(&set.namespace).iter().filter(|claim| found.makes(&claim.meta.name));
    claims.flat_map(|claim| volumes_of(situation, claim)).collect()
}
