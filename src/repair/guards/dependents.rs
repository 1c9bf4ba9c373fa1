//! The guard about objects that are deleted together with a claim, because they name the claim as their owner.

use super::{Guard, Holds, volumes_of};
use crate::model::{Kind, ObjectKey, PersistentVolumeClaim, ReclaimPolicy, Str};
use crate::repair::plan::Plan;
use crate::repair::situation::{Known, Situation, volume_key};
use crate::repair::write::Write;

/// Checks whether the garbage collector would delete data after a claim is deleted. It deletes the claims whose owner
/// is the deleted claim, and these claims have volumes of their own.
pub(super) fn owned(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    let writes: Vec<&Write> = plan.writes().collect();
    let mut guards = Vec::new();
    for write in writes.iter().filter(|write| write.takes_claim()) {
        let guard = match situation.claim(&write.object.namespace, &write.object.name) {
            Known::There(claim) => of(situation, &writes, claim),
            Known::Absent | Known::Unknown => continue,
        };
        if !guards.contains(&guard) {
            guards.push(guard);
        }
    }
    guards
}

fn of(situation: &Situation<'_>, writes: &[&Write], claim: &PersistentVolumeClaim) -> Guard {
    const ID: &str = "owned";
    let namespace = &claim.meta.namespace;
    let owned = all_owned(situation, claim);
    if let Some(dependent) = owned.iter().find(|dependent| !is_kept(situation, writes, dependent)) {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "claim {} names claim {} as its owner: it is deleted with that claim, and its volume does not have \
                 policy Retain. First use `kubectl pvctl retain` for that volume",
                dependent.key(),
                claim.key()
            ),
        );
    }
    if !situation.knows_all(Kind::PersistentVolumeClaim, namespace) {
        return Guard::new(
            ID,
            Holds::Unknown,
            format!(
                "the claims of namespace {namespace} could not be listed, so nobody knows which of them are deleted \
                 with claim {}",
                claim.key()
            ),
        );
    }
    let names: Vec<String> = owned.iter().map(|dependent| dependent.key().to_string()).collect();
    let (holds, seen) = if names.is_empty() {
        (Holds::Yes, format!("no claim names claim {} as its owner", claim.key()))
    } else {
        let names = names.join(", ");
        (
            Holds::Warns,
            format!(
                "these claims are deleted with claim {}, their owner, and their volumes are kept: {names}",
                claim.key()
            ),
        )
    };
    Guard::new(
        ID,
        holds,
        format!(
            "{seen}; other objects that name it as their owner, such as VolumeSnapshots, are deleted as well and are \
             not checked"
        ),
    )
}

/// Returns the claims that the given claim owns, directly or through other claims.
fn all_owned<'a>(situation: &Situation<'a>, claim: &PersistentVolumeClaim) -> Vec<&'a PersistentVolumeClaim> {
    let mut owners: Vec<Str> = vec![claim.meta.uid.clone()];
    let mut owned: Vec<&PersistentVolumeClaim> = Vec::new();
    let mut next = 0;
    while let Some(uid) = owners.get(next).cloned() {
        for other in situation.snapshot.claims_in(&claim.meta.namespace) {
            if other.owners().iter().any(|owner| owner.uid == uid) && !owners.contains(&other.meta.uid) {
                owners.push(other.meta.uid.clone());
                owned.push(other);
            }
        }
        next += 1;
    }
    owned
}

/// Returns whether the volumes of a claim are kept when the claim is deleted.
fn is_kept(situation: &Situation<'_>, writes: &[&Write], claim: &PersistentVolumeClaim) -> bool {
    let sets = |volume: &ObjectKey| writes.iter().any(|write| write.object == *volume && write.retains());
    volumes_of(situation, claim).iter().all(|name| match situation.volume(name) {
        Known::There(volume) => volume.reclaim_policy == ReclaimPolicy::Retain || sets(&volume_key(name)),
        Known::Absent => true,
        Known::Unknown => false,
    })
}
