//! Whether a request without an answer was carried out, told from what is there now.

use crate::model::AnnotationKey;
use crate::repair::{Change, PLAN_ANNOTATION, Plan, Reference, Seen, Wait, Waited, Write};
use serde_json::Value;

/// What became of a request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestFate {
    /// It was carried out.
    Done,
    /// It was not: the object is the same as before.
    NotDone,
    /// Somebody else wrote, and whether the request came before that cannot be told.
    Unknown,
}

/// Compares the object before a request with what is there now.
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
            // Where a stranger has the name, none of ours is there.
            Some(_) | None => RequestFate::NotDone,
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

/// Whether what is there now cannot follow from the write, because the API server lets nobody take it back.
fn shows_not(write: &Write, before: Option<&Value>, seen: Option<&Seen>) -> bool {
    let Some(same) = seen.filter(|seen| seen.meta().uid == write.uid) else { return false };
    match &write.change {
        // A deletion that was accepted stays, and so do the volume and the class of a claim once they are set.
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
        | Change::Create { .. } => false,
    }
}

/// Whether a claim is one that this plan created.
fn is_ours(plan: &Plan, manifest: &Value, found: &Value) -> bool {
    is_signed(plan, found)
        && (manifest["spec"]["volumeName"].is_null() || manifest["spec"]["volumeName"] == found["spec"]["volumeName"])
}

fn is_signed(plan: &Plan, found: &Value) -> bool {
    found["metadata"]["annotations"][PLAN_ANNOTATION] == plan.id.as_str()
}

/// Whether what is there now can only follow from the write, where others have written after it.
fn shows(write: &Write, wait: Option<&Wait>, before: Option<&Value>, seen: Option<&Seen>) -> bool {
    let same = seen.filter(|seen| seen.meta().uid == write.uid);
    match (&write.change, same) {
        // Whoever the volume was reserved for has taken it, and left its uid.
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
        // Somebody has taken the volume, which named another claim before.
        (Change::SetClaimRef { to: None, .. }, Some(Seen::Volume(volume))) => {
            let named = volume.claim_ref.as_ref().map_or("", |named| named.uid.as_str());
            let had = before.and_then(|before| before["spec"]["claimRef"]["uid"].as_str());
            let met = wait.is_some_and(|wait| wait.judge(None, Some(volume)) == Waited::Met);
            // A reservation names nobody by uid, and may be the one that stood there before.
            met && !named.is_empty() && Some(named) != had
        }
        // The object was only kept by its finalizers, so it went when the last of them did.
        (Change::RemoveFinalizer { .. }, None) => {
            before.is_some_and(|before| before["metadata"]["deletionTimestamp"].is_string())
        }
        // The deletion that it was handed to has come to its end.
        (Change::SetReclaimPolicy { to }, None) => to == "Delete",
        // The scheduler has chosen anew.
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
            | Change::Delete,
            _,
        ) => false,
    }
}
