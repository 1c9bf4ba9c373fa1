//! Finds out from the current object whether a request without an answer was carried out.

use crate::model::AnnotationKey;
use crate::repair::{Change, PLAN_ANNOTATION, Plan, Reference, Seen, Wait, Waited, Write};
use serde_json::Value;

/// Whether a request without an answer was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestFate {
    /// The request was carried out.
    Done,
    /// The request was not carried out.
    NotDone,
    /// Somebody else wrote to the object afterwards, so nobody can know whether the request was carried out before.
    Unknown,
}

/// Compares the current object with the object before a request, and returns whether the request was carried out.
pub(super) fn fate(
    plan: &Plan,
    write: &Write,
    wait: Option<&Wait>,
    before: Option<&Value>,
    now: Option<&Value>,
    seen: Option<&Seen>,
) -> RequestFate {
    if let Change::Create { manifest } = &write.change {
        return match now {
            Some(found) if is_ours(plan, manifest, found) => RequestFate::Done,
            Some(found) if is_signed(plan, found) => RequestFate::Unknown,
            // If somebody else created the claim of this name, the claim of this plan does not exist.
            Some(_) | None => RequestFate::NotDone,
        };
    }
    if let Change::CreateService { service } = &write.change {
        return match (now, seen) {
            (Some(found), Some(Seen::Service(stored))) if is_signed(plan, found) => {
                let is_ours = service.address().is_of(stored);
                if is_ours { RequestFate::Done } else { RequestFate::Unknown }
            }
            // If somebody else created the Service of this name, the Service of this plan does not exist.
            (Some(_) | None, _) => RequestFate::NotDone,
        };
    }
    let version = |object: Option<&Value>| object.map(|object| object["metadata"]["resourceVersion"].clone());
    if before.is_some() && version(before) == version(now) {
        return RequestFate::NotDone;
    }
    if write.is_done(seen) || shows(write, wait, before, seen) {
        return RequestFate::Done;
    }
    if shows_not(write, before, seen) { RequestFate::NotDone } else { RequestFate::Unknown }
}

/// Returns whether the current object proves that the write was not carried out. There is such a proof if nobody can
/// revert this kind of write.
fn shows_not(write: &Write, before: Option<&Value>, seen: Option<&Seen>) -> bool {
    let Some(same) = seen.filter(|seen| seen.meta().uid == write.uid) else { return false };
    match &write.change {
        // An accepted deletion cannot be reverted. Once set, the volume and the class of a claim cannot be changed.
        Change::Delete => same.meta().deleted.is_none(),
        Change::NameVolume { .. } | Change::SetClass { .. } => true,
        // An object that is being deleted gets no new finalizer.
        Change::RemoveFinalizer { finalizer } => {
            same.meta().has_finalizer(finalizer)
                && before.is_some_and(|before| before["metadata"]["deletionTimestamp"].is_string())
        }
        Change::SetReclaimPolicy { .. }
        | Change::SetClaimRef { .. }
        | Change::SetAnnotation { .. }
        | Change::Create { .. }
        | Change::CreateService { .. } => false,
    }
}

/// Returns whether this plan created a claim.
fn is_ours(plan: &Plan, manifest: &Value, found: &Value) -> bool {
    is_signed(plan, found)
        && (manifest["spec"]["volumeName"].is_null() || manifest["spec"]["volumeName"] == found["spec"]["volumeName"])
}

fn is_signed(plan: &Plan, found: &Value) -> bool {
    found["metadata"]["annotations"][PLAN_ANNOTATION] == plan.id.as_str()
}

/// Returns whether the current object proves that the write was carried out, although others have written to the object
/// since then.
fn shows(write: &Write, wait: Option<&Wait>, before: Option<&Value>, seen: Option<&Seen>) -> bool {
    let same = seen.filter(|seen| seen.meta().uid == write.uid);
    match (&write.change, same) {
        // The claim for which the volume was reserved has taken the volume. So the claimRef has the uid of that claim.
        (Change::SetClaimRef { to: Some(to), .. }, Some(Seen::Volume(volume))) => {
            let named = volume.claim_ref.as_ref().map(Reference::from_stored);
            named.is_some_and(|named| {
                to.uid.is_empty()
                    && named.namespace == to.namespace
                    && named.name == to.name
                    && before.is_some_and(|before| {
                        before["spec"]["claimRef"]["uid"].as_str().unwrap_or_default() != named.uid
                    })
            })
        }
        // A claim has taken the volume, and it is not the claim that the volume named before the write.
        (Change::SetClaimRef { to: None, .. }, Some(Seen::Volume(volume))) => {
            let named = volume.claim_ref.as_ref().map_or("", |named| named.uid.as_str());
            let had = before.and_then(|before| before["spec"]["claimRef"]["uid"].as_str());
            let met = wait.is_some_and(|wait| wait.judge(None, Some(volume)) == Waited::Met);
            // A reservation has no uid. It may be the same reservation that existed before the write.
            met && !named.is_empty() && Some(named) != had
        }
        // Only its finalizers kept the object, so the object was removed together with the last finalizer.
        (Change::RemoveFinalizer { .. }, None) => {
            before.is_some_and(|before| before["metadata"]["deletionTimestamp"].is_string())
        }
        // The policy was set to Delete, and the deletion of the volume is complete.
        (Change::SetReclaimPolicy { to }, None) => to == "Delete",
        // The scheduler has chosen another node.
        (Change::SetAnnotation { key, .. }, Some(seen)) => {
            let now = AnnotationKey::from_manifest(key).and_then(|key| seen.meta().annotations.get(key));
            let had = before.and_then(|before| before["metadata"]["annotations"][key.as_str()].as_str());
            now != had
        }
        (
            Change::SetClaimRef { .. }
            | Change::RemoveFinalizer { .. }
            | Change::SetReclaimPolicy { .. }
            | Change::SetAnnotation { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::Create { .. }
            | Change::CreateService { .. }
            | Change::Delete,
            _,
        ) => false,
    }
}
