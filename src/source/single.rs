//! Reads single objects of a live cluster: objects on which two lists do not agree, and objects that cannot be listed.

use super::archive::ArchivedObject;
use super::cluster::{AT_ONCE, Cluster, Gathered, all, push};
use super::cluster_error::ClusterError;
use super::http::{Failure, JSON, Reply, escape};
use super::list;
use super::partners::{self, key_of};
use super::second_round::Needs;
use crate::model::{Kind, ObjectKey, ObjectMeta, PersistentVolumeClaim, Str, Timestamp};
use crate::progress::Progress;
use crate::snapshot::decode::{self, LARGEST_OBJECT, decode_as, size};
use crate::snapshot::{CoverageEntry, CoverageState, DecodeIssue, Item};
use std::collections::{BTreeSet, HashSet};

/// At least this many objects may be read by single requests, even if the list is short.
const MAX_SINGLE_READS: usize = 200;

/// If a list is long, a fraction of its objects may be read by single requests. The value 10 means one tenth. If more
/// objects have to be read, it is faster to read the list again. A page of 500 objects takes as long as about fifteen
/// single objects, if eight objects are read at the same time.
const LIST_FRACTION: usize = 10;

impl Gathered {
    /// Returns the maximum number of objects of a kind that are read by single requests. If more have to be read, the
    /// list is read again.
    fn most_single(&self, kind: Kind) -> usize {
        let listed = match kind {
            Kind::PersistentVolume => self.parts.objects.volumes.len(),
            Kind::PersistentVolumeClaim => self.parts.objects.claims.len(),
            _ => 0,
        };
        MAX_SINGLE_READS.max(listed / LIST_FRACTION)
    }
}

impl Cluster<'_> {
    /// Reads the volumes that claims name, and the volume that the user asked about, by single requests. A user who may
    /// not list volumes may still be allowed to get them. A volume that is not found does not exist. At most 200
    /// volumes are read. Nothing is known about the other volumes.
    pub(super) async fn named_volumes(
        &self,
        needs: Needs<'_>,
        gathered: &mut Gathered,
        progress: &dyn Progress,
    ) -> Result<(), ClusterError> {
        let asked = needs.users_of.filter(|(kind, _, _)| *kind == Kind::PersistentVolume).map(|(_, _, name)| name);
        let named = gathered.parts.objects.claims.iter().map(|claim| claim.volume_name.as_str());
        let names: BTreeSet<&str> = named.chain(asked).filter(|name| !name.is_empty()).collect();
        let key =
            |name: &&str| ObjectKey { kind: Kind::PersistentVolume, namespace: Str::default(), name: Str::from(*name) };
        let keys: Vec<ObjectKey> = names.iter().take(MAX_SINGLE_READS).map(key).collect();
        let (all_names, mut tried, mut found) = (names.len(), 0, 0);
        let mut missed = BTreeSet::new();
        for some in keys.chunks(AT_ONCE) {
            let mut refused = 0;
            for (key, result) in some.iter().zip(self.get_all(some).await) {
                match result {
                    Ok(reply) => {
                        let single = single(gathered, key, &reply.body);
                        put(gathered, single);
                        found += 1;
                    }
                    Err(Failure::TooLarge(answer)) => put(gathered, Single::too_large(key, answer.stated)),
                    Err(Failure::Status(status)) if status.is_not_found() => {
                        missed.insert(key.name.clone());
                    }
                    Err(Failure::Status(status)) if status.code != 401 => refused += usize::from(status.code == 403),
                    Err(failure) => return Err(self.error(&key.to_string(), failure)),
                }
                tried += 1;
            }
            progress.step("reading single volumes", tried);
            // If the user may get none of these volumes, the other requests would also be refused.
            if refused == some.len() {
                break;
            }
        }
        let tally = missed.len();
        self.note_absent(missed, gathered, progress).await?;
        if found + tally > 0 {
            let tally = if tally > 0 { format!(", {tally} not found") } else { String::new() };
            let read = format!("{found} of the {all_names} volumes whose names are known were read one by one{tally}");
            remark(gathered, Kind::PersistentVolume, CoverageState::Forbidden, &read);
        }
        Ok(())
    }

    /// Records volumes that were not found by their names.
    ///
    /// The claims that name these volumes were listed before. Since then, a claim may have been deleted together with
    /// its volume, or created again. So the claim is read again. Only an unchanged claim proves that it existed while
    /// its volume did not.
    async fn note_absent(
        &self,
        mut missed: BTreeSet<Str>,
        gathered: &mut Gathered,
        progress: &dyn Progress,
    ) -> Result<(), ClusterError> {
        let identity = |claim: &PersistentVolumeClaim| {
            let key = key_of(Kind::PersistentVolumeClaim, &claim.meta);
            (key, claim.meta.uid.clone(), claim.volume_name.clone())
        };
        let naming = |gathered: &Gathered, missed: &BTreeSet<Str>| -> BTreeSet<(ObjectKey, Str, Str)> {
            gathered
                .parts
                .objects
                .claims
                .iter()
                .filter(|claim| missed.contains(&claim.volume_name))
                .map(identity)
                .collect()
        };
        let listed = naming(gathered, &missed);
        let keys: Vec<ObjectKey> = listed.iter().map(|(key, ..)| key.clone()).collect();
        let unconfirmed = self.get_again(&keys, gathered, progress).await?;
        for seen in naming(gathered, &missed) {
            if unconfirmed.contains(&seen.0) || !listed.contains(&seen) {
                missed.remove(&seen.2);
            }
        }
        if let Some(entry) = gathered.parts.coverage.entry(Kind::PersistentVolume, None) {
            gathered.parts.coverage.set(CoverageEntry { absent: missed, ..entry.clone() });
        }
        Ok(())
    }

    /// Reads single objects at the same time.
    async fn get_all(&self, keys: &[ObjectKey]) -> Vec<Result<Reply, Failure>> {
        let getting = keys.iter().map(|key| async move {
            let namespace = Some(key.namespace.as_str()).filter(|namespace| !namespace.is_empty());
            let path = format!("{}/{}", list::path(key.kind, namespace), escape(&key.name));
            self.api.get(&path, JSON, LARGEST_OBJECT).await
        });
        all(getting.collect()).await
    }

    /// Reads the objects again on which the lists do not agree. No object is read more than twice.
    pub(super) async fn confirm(&self, gathered: &mut Gathered, progress: &dyn Progress) -> Result<(), ClusterError> {
        let mut settled: BTreeSet<ObjectKey> = BTreeSet::new();
        let mut listed_again: Vec<Kind> = Vec::new();
        let mut read_alone: BTreeSet<ObjectKey> = BTreeSet::new();
        // An object that is read again can name a new object. So there are several rounds. After three rounds, the
        // remaining suspects are not read again.
        for _ in 0..3 {
            let mut suspects = &partners::suspects(&gathered.parts) - &settled;
            // If there are few suspects, all are read again. If there are many, a pair is left out if both lists show
            // it at the same moment.
            if suspects.len() > MAX_SINGLE_READS {
                suspects = &partners::suspects_of_different_moments(&gathered.parts, &read_alone) - &settled;
            }
            if suspects.is_empty() {
                return Ok(());
            }
            let mut many: Vec<Kind> = [Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass]
                .into_iter()
                .filter(|kind| suspects.iter().filter(|key| key.kind == *kind).count() > gathered.most_single(*kind))
                .collect();
            // If volumes are listed again, claims are listed again after them: `is_of_one_moment` needs this order.
            if many.first() == Some(&Kind::PersistentVolume) && many.get(1) != Some(&Kind::PersistentVolumeClaim) {
                many.insert(1, Kind::PersistentVolumeClaim);
            }
            for kind in many.iter().filter(|kind| !listed_again.contains(kind)) {
                self.list_again(*kind, gathered, progress).await?;
            }
            for kind in many.iter().filter(|kind| listed_again.contains(kind)) {
                let text = "many of these objects changed again while the list was read a second time";
                remark(gathered, *kind, CoverageState::Complete, text);
            }
            let few: Vec<ObjectKey> = suspects.iter().filter(|key| !many.contains(&key.kind)).cloned().collect();
            self.get_again(&few, gathered, progress).await?;
            read_alone.extend(few);
            listed_again.extend(many);
            settled.extend(suspects);
        }
        Ok(())
    }

    /// Reads the lists of a kind again and replaces the objects. If that fails, the first reading is kept.
    async fn list_again(
        &self,
        kind: Kind,
        gathered: &mut Gathered,
        progress: &dyn Progress,
    ) -> Result<(), ClusterError> {
        let readable: Vec<(Kind, Option<Str>)> = gathered
            .parts
            .coverage
            .entries()
            .iter()
            .filter(|entry| entry.kind == kind && entry.state == CoverageState::Complete)
            .map(|entry| (kind, entry.namespace.clone()))
            .collect();
        let mut fresh =
            Gathered { keep_archive: gathered.keep_archive, asked: gathered.asked.clone(), ..Gathered::default() };
        let failures = self.lists(&readable, &mut fresh, progress).await?;
        if let Some(failure) = failures.first() {
            let text = format!("the list could not be read a second time: {failure}");
            remark(gathered, kind, CoverageState::Complete, &text);
            return Ok(());
        }
        match kind {
            Kind::PersistentVolume => gathered.parts.objects.volumes = fresh.parts.objects.volumes,
            Kind::PersistentVolumeClaim => gathered.parts.objects.claims = fresh.parts.objects.claims,
            Kind::StorageClass => gathered.parts.objects.classes = fresh.parts.objects.classes,
            _ => return Ok(()),
        }
        gathered.parts.issues.retain(|issue| issue.kind != kind.as_str());
        gathered.parts.issues.extend(fresh.parts.issues);
        gathered.archive.retain(|object| object.key().is_none_or(|key| key.kind != kind));
        gathered.archive.extend(fresh.archive);
        gathered.parts.changed.extend(fresh.parts.changed);
        for entry in fresh.parts.coverage.entries() {
            gathered.parts.coverage.set(entry.clone());
        }
        Ok(())
    }

    /// Reads single objects again and replaces them. Returns the objects that could not be read.
    async fn get_again(
        &self,
        suspects: &[ObjectKey],
        gathered: &mut Gathered,
        progress: &dyn Progress,
    ) -> Result<BTreeSet<ObjectKey>, ClusterError> {
        let mut done = 0;
        let mut unconfirmed: Vec<(&ObjectKey, String)> = Vec::new();
        let mut fresh: Vec<(&ObjectKey, Option<Single>)> = Vec::new();
        for some in suspects.chunks(AT_ONCE) {
            for (key, result) in some.iter().zip(self.get_all(some).await) {
                match result {
                    Ok(reply) => fresh.push((key, Some(single(gathered, key, &reply.body)))),
                    Err(Failure::TooLarge(answer)) => fresh.push((key, Some(Single::too_large(key, answer.stated)))),
                    Err(Failure::Status(status)) if status.is_not_found() => {
                        fresh.push((key, None));
                    }
                    Err(Failure::Status(status)) if status.code != 401 => {
                        unconfirmed.push((key, status.message));
                    }
                    Err(failure) => return Err(self.error(&key.to_string(), failure)),
                }
                done += 1;
            }
            progress.step("confirming", done);
        }
        // All objects are removed in one pass, because a list may have a million objects.
        remove(gathered, &fresh.iter().map(|(key, _)| *key).collect());
        for (_, single) in fresh {
            if let Some(single) = single {
                put(gathered, single);
            }
        }
        for kind in [Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass] {
            let mut of_kind = unconfirmed.iter().filter(|(key, _)| key.kind == kind);
            if let Some((key, message)) = of_kind.next() {
                let others = match of_kind.count() {
                    0 => String::new(),
                    1 => " and 1 other".to_owned(),
                    more => format!(" and {more} others"),
                };
                let text = format!("{key}{others} could not be read again: {message}");
                remark(gathered, kind, CoverageState::Complete, &text);
            }
        }
        Ok(unconfirmed.into_iter().map(|(key, _)| key.clone()).collect())
    }
}

/// A single object, decoded. The answer of the server is dropped. If there is an archive, the redacted copy for it is
/// kept.
struct Single {
    decoded: Result<Item, Box<DecodeIssue>>,
    change: Option<(ObjectKey, Timestamp)>,
    archived: Option<ArchivedObject>,
}

/// The origin of an object that was read by a single request, for messages. For files, the file name is shown there.
const ORIGIN: &str = "a single reading";

impl Single {
    /// Returns an object that is too large to be decoded. Only its name is known.
    fn too_large(key: &ObjectKey, stated: Option<u64>) -> Self {
        let kind = key.kind.as_str().to_owned();
        let issue = size::too_large(kind, key.namespace.to_string(), key.name.to_string(), stated, ORIGIN);
        Self { decoded: Err(Box::new(issue)), change: None, archived: None }
    }
}

/// Decodes a single object.
fn single(gathered: &Gathered, key: &ObjectKey, json: &[u8]) -> Single {
    let decoded = decode_as(key.kind, json, ORIGIN);
    let asked = gathered.asked.as_ref().zip(decoded.as_ref().ok());
    let change = asked.and_then(|(asked, item)| decode::change_of(item, json, asked));
    let archived = gathered.keep_archive.then(|| ArchivedObject::new(key.kind, json)).flatten();
    Single { decoded: decoded.map_err(Box::new), change, archived }
}

/// Adds a single object. The caller must first remove an earlier version of this object.
fn put(gathered: &mut Gathered, single: Single) {
    gathered.parts.changed.extend(single.change);
    match single.decoded {
        Ok(item) => push(&mut gathered.parts, item),
        Err(issue) => {
            let known = gathered.parts.issues.iter().any(|earlier| {
                (&earlier.kind, &earlier.namespace, &earlier.name) == (&issue.kind, &issue.namespace, &issue.name)
            });
            if !known {
                gathered.parts.issues.push(*issue);
            }
        }
    }
    gathered.archive.extend(single.archived);
}

/// Removes the earlier readings of these objects.
fn remove(gathered: &mut Gathered, keys: &BTreeSet<&ObjectKey>) {
    let named: HashSet<(Kind, &str, &str)> =
        keys.iter().map(|key| (key.kind, key.namespace.as_str(), key.name.as_str())).collect();
    let other = |kind: Kind, meta: &ObjectMeta| !named.contains(&(kind, meta.namespace.as_str(), meta.name.as_str()));
    let parts = &mut gathered.parts;
    parts.objects.volumes.retain(|volume| other(Kind::PersistentVolume, &volume.meta));
    parts.objects.claims.retain(|claim| other(Kind::PersistentVolumeClaim, &claim.meta));
    parts.objects.classes.retain(|class| other(Kind::StorageClass, &class.meta));
    gathered.archive.retain(|object| object.key().is_none_or(|key| !keys.contains(key)));
}

/// Adds a text to the reasons in the coverage of a kind, if the coverage has this state.
fn remark(gathered: &mut Gathered, kind: Kind, state: CoverageState, text: &str) {
    let entries: Vec<CoverageEntry> = gathered
        .parts
        .coverage
        .entries()
        .iter()
        .filter(|entry| entry.kind == kind && entry.state == state)
        .cloned()
        .collect();
    for mut entry in entries {
        entry.reason = Some(match entry.reason.take() {
            Some(reason) => format!("{reason}; {text}"),
            None => text.to_owned(),
        });
        gathered.parts.coverage.set(entry);
    }
}
