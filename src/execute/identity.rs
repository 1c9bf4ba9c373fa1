//! Checks whether objects are still the objects that a journal knows. Now another object may have the same name.

use super::api::Api;
use super::error::Stopped;
use super::journal::{End, Entry};
use super::look::decode;
use crate::model::{Kind, ObjectKey};
use crate::repair::{Change, PLAN_ANNOTATION, Plan, Sameness, Seen, Wait};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Compares the current objects with the objects of the same names that a journal knows. A volume must always be the
/// same. Claims are deleted and created often, and each step checks its own claim. So claims are compared only if
/// nothing but the address of the cluster is known, because then they may belong to another cluster.
pub(super) async fn recognise(api: Api<'_>, entry: &Entry, sameness: Sameness) -> Result<(), Stopped> {
    for (object, uids) in known(entry) {
        let is_volume = object.kind == Kind::PersistentVolume;
        if !is_volume && sameness == Sameness::Sure {
            continue;
        }
        let is_kept = is_volume && entry.plan.keeps.iter().any(|kept| *kept.name() == object.name);
        let Some(found) = api.get(&object).await? else {
            if is_kept && sameness == Sameness::Sure && entry.end != End::Finished {
                let stop = Stopped::volume_lost(format!("volume {} is gone", object.name));
                return Err(stop.hint(keeps_manifest(entry)));
            }
            continue;
        };
        let uid = uid_of(&found).unwrap_or_default();
        if !uids.contains(uid) && !is_signed(entry, &found) {
            let message = format!(
                "{object} is not the object that the repair was about: its uid is {uid}, but journal {} has {}",
                entry.id,
                uids.into_iter().collect::<Vec<_>>().join(" and ")
            );
            return Err(match sameness {
                Sameness::Sure => Stopped::volume_lost(message)
                    .hint(
                        "somebody has deleted it and created another object with its name, whose data may belong to \
                         anybody: ask for the repair again when you know whose data they are",
                    )
                    .hint(keeps_manifest(entry)),
                Sameness::ByAddress | Sameness::None => Stopped::changed(message).hint(
                    "another cluster may have the same address now; if not, somebody has created the object again: ask \
                     for the repair again",
                ),
            });
        }
        let saved = entry.saved().iter().find(|(saved, _)| *saved == object).map(|(_, manifest)| manifest);
        let sources = (storage(&object, saved)?, storage(&object, Some(&found))?);
        if let (Some(was), Some(is)) = sources
            && was != is
        {
            return Err(Stopped::changed(format!(
                "{object} has other storage than at the repair: it is {is}, but journal {} has {was}",
                entry.id
            ))
            .hint("find out which of the two has the data: only a new repair can use the present storage"));
        }
    }
    Ok(())
}

/// Returns the hint that says where the manifest of a lost volume is kept.
pub(super) fn keeps_manifest(entry: &Entry) -> String {
    format!(
        "this repair can neither be continued nor undone; journal {} keeps the manifest of its volume, which names the \
         storage",
        entry.id
    )
}

/// Returns the objects that a journal knows, and their uids in the journal.
fn known(entry: &Entry) -> BTreeMap<ObjectKey, BTreeSet<String>> {
    let saved = entry.saved().iter().filter_map(|(object, manifest)| Some((object.clone(), uid_of(manifest)?)));
    let planned = entry.plan.writes().map(|write| (write.object.clone(), write.uid.as_str()));
    let done = entry.done();
    let made = done.iter().filter_map(|done| {
        let write = done.step.write.as_ref()?;
        Some((write.object.clone(), uid_of(done.after.as_ref()?)?))
    });
    let mut known: BTreeMap<ObjectKey, BTreeSet<String>> = BTreeMap::new();
    for (object, uid) in saved.chain(planned).chain(made).filter(|(_, uid)| !uid.is_empty()) {
        known.entry(object).or_default().insert(uid.to_owned());
    }
    known
}

fn uid_of(manifest: &Value) -> Option<&str> {
    manifest["metadata"]["uid"].as_str()
}

/// Returns whether a claim has the annotation of the plan. This annotation identifies the claim even if the answer to
/// its creation was lost.
fn is_signed(entry: &Entry, found: &Value) -> bool {
    found["metadata"]["annotations"][PLAN_ANNOTATION] == entry.plan.id.as_str()
}

/// Returns a description of the storage of a volume.
fn storage(object: &ObjectKey, manifest: Option<&Value>) -> Result<Option<String>, Stopped> {
    Ok(match decode(object, manifest)? {
        Some(Seen::Volume(volume)) => {
            let source = &volume.source;
            let parts = [source.kind.as_str(), &source.detail, &source.handle];
            Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
        }
        Some(Seen::Claim(_) | Seen::Attachment(_) | Seen::Service(_)) | None => None,
    })
}

/// Returns whether a plan waits until a claim is gone, and makes no other write to the claim than creating it again.
/// Then it is no problem if the claim is already gone.
pub(super) fn is_only_awaited(plan: &Plan, object: &ObjectKey) -> bool {
    let mut writes = plan.writes().filter(|write| write.object == *object);
    let awaits = |wait: &Wait| matches!(wait, Wait::ClaimGone { .. }) && wait.objects().contains(object);
    plan.steps.iter().filter_map(|step| step.wait.as_ref()).any(awaits)
        && writes.all(|write| matches!(write.change, Change::Create { .. }))
}
