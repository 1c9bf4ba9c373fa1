//! Checks whether objects are still those that a journal knows. Another object may have the same name by now.

use super::api::Api;
use super::error::Stopped;
use super::journal::{End, Entry};
use super::look::decode;
use crate::model::{Kind, ObjectKey};
use crate::repair::{Change, PLAN_ANNOTATION, Plan, Sameness, Seen, Wait};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Compares the current objects with the objects of the same names that a journal knows. A volume must always be the
/// same. Claims are deleted and created often, and each step checks its own claim. But if only the address of the
/// cluster is known, claims are also compared, because they may belong to another cluster.
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
                "{object} is another one than the repair was about: its uid is {uid}, where journal {} has {}",
                entry.id,
                uids.into_iter().collect::<Vec<_>>().join(" and ")
            );
            return Err(match sameness {
                Sameness::Sure => Stopped::volume_lost(message)
                    .hint(
                        "somebody has deleted it and made another one under its name, the data of which may be \
                         anybody's: ask for the repair anew once you know whose they are",
                    )
                    .hint(keeps_manifest(entry)),
                Sameness::ByAddress | Sameness::None => Stopped::changed(message).hint(
                    "it may be another cluster behind the same address; if not, somebody has made the object anew: ask \
                     for the repair anew",
                ),
            });
        }
        let saved = entry.saved().iter().find(|(saved, _)| *saved == object).map(|(_, manifest)| manifest);
        let sources = (storage(&object, saved)?, storage(&object, Some(&found))?);
        if let (Some(was), Some(is)) = sources
            && was != is
        {
            return Err(Stopped::changed(format!(
                "{object} has other storage than the repair was about: it is {is}, where journal {} has {was}",
                entry.id
            ))
            .hint("compare both with what the data are: only a new repair can go on with that"));
        }
    }
    Ok(())
}

/// Returns the hint that says where the manifest of a lost volume is kept.
pub(super) fn keeps_manifest(entry: &Entry) -> String {
    format!(
        "this repair can neither go on nor be taken back; journal {} keeps the manifest of the volume that it was about, \
         which names its storage",
        entry.id
    )
}

/// Returns the objects that a journal knows, with the uids that the journal has for them.
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

/// Returns whether a claim has the annotation of the plan. This identifies the claim even if the answer to its creation
/// was lost.
fn is_signed(entry: &Entry, found: &Value) -> bool {
    found["metadata"]["annotations"][PLAN_ANNOTATION] == entry.plan.id.as_str()
}

/// Returns the storage of a volume, in words.
fn storage(object: &ObjectKey, manifest: Option<&Value>) -> Result<Option<String>, Stopped> {
    Ok(match decode(object, manifest)? {
        Some(Seen::Volume(volume)) => {
            let source = &volume.source;
            let parts = [source.kind.as_str(), &source.detail, &source.handle];
            Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
        }
        Some(Seen::Claim(_)) | None => None,
    })
}

/// Returns whether a plan waits until a claim is gone, and makes no other write to it than to create it again. Then it
/// is no problem if the claim is already gone.
pub(super) fn is_only_awaited(plan: &Plan, object: &ObjectKey) -> bool {
    let mut writes = plan.writes().filter(|write| write.object == *object);
    let awaits = |wait: &Wait| matches!(wait, Wait::ClaimGone { .. }) && wait.objects().contains(object);
    plan.steps.iter().filter_map(|step| step.wait.as_ref()).any(awaits)
        && writes.all(|write| matches!(write.change, Change::Create { .. }))
}
