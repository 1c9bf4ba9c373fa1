//! `explain`: why one object is as it is, and who has to act.

use super::gather::{Evidence, Gathered, Question, ReadOptions, from_cluster, keeps_from_judging};
use super::{Reader, Status, named, offer};
use crate::engines::simulation;
use crate::error::Error;
use crate::model::{Kind, ObjectId, ObjectKey, ResourceVersion, StorageClass, Str, TypedId};
use crate::progress::Progress;
use crate::report::explanation::{Explanation, ExplanationInput, RESYNCS};
use crate::simulate::{Outcome, Prediction, Simulation};
use std::time::Duration;

/// The kinds that can be explained.
pub const KINDS: [Kind; 3] = [Kind::PersistentVolumeClaim, Kind::PersistentVolume, Kind::StorageClass];

/// So many seconds more than the resync periods are waited before the second reading.
const GRACE_SECONDS: u64 = 1;

/// Why nothing is read again.
const NOTHING_DIFFERS: &str = "note: nothing differs from what is predicted, so that a second reading is not needed";
/// Why nothing is read again, where something differs.
const EVENTS_ALONE: &str = "note: what is predicted begins with an event and not with a resync, so that a second \
                            reading would tell nothing of the controller";
/// What `--recheck` says where nothing was predicted.
const UNCOMPARED: &str =
    "note: --recheck has nothing to compare: what is predicted is unknown, because something could not be read";

/// What is to be explained, and how.
#[derive(Clone, Debug)]
pub struct ExplainOptions {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// How objects are read and judged.
    pub read: ReadOptions,
    /// Whether the cluster is read a second time where something differs from what is predicted.
    pub recheck: bool,
    /// Whether it is looked whether `fix` has a repair.
    pub offers: bool,
}

/// An answer, as it is shown.
#[derive(Debug)]
pub struct Explained<'a> {
    /// What to say of the reading, a sentence each.
    pub notes: Vec<&'a str>,
    /// The explanation.
    pub explanation: &'a Explanation<'a>,
}

/// What is explained.
#[derive(Clone, Copy)]
enum Object<'s> {
    Target(ObjectId),
    Class(&'s StorageClass),
}

/// What was read, ready to be explained.
struct Prepared<'g> {
    gathered: &'g Gathered,
    simulation: Simulation<'g>,
    object: Object<'g>,
}

/// What an explanation is about.
enum About<'s> {
    Prediction(Box<Prediction<'s>>),
    Class(&'s StorageClass),
}

/// An object that differs from what is predicted, at one moment.
#[derive(Debug, PartialEq, Eq)]
struct Differing {
    key: ObjectKey,
    uid: Str,
    version: ResourceVersion,
    recorded: String,
    ends: Vec<Outcome>,
    /// What it is bound to and what it would be, in order; without uid and version where there is no such object. One
    /// that was replaced meanwhile has given the controller less time.
    partners: Vec<(ObjectKey, Option<(Str, ResourceVersion)>)>,
}

impl ExplainOptions {
    /// What is asked of a source.
    pub fn question(&self) -> Question<'_> {
        // The claims of a namespace that is being deleted go with it.
        let evidence = Evidence { surroundings: &[Kind::Namespace], ..Evidence::default() };
        Question { object: Some((self.kind, &self.name)), evidence, ..self.read.question() }
    }

    fn prepare<'g>(&self, gathered: &'g Gathered, progress: &dyn Progress) -> Result<Prepared<'g>, Error> {
        let snapshot = &gathered.snapshot;
        let settings = gathered.modelled.settings(snapshot, &self.read.model, true)?;
        let object = match self.kind {
            Kind::PersistentVolume => Object::Target(named::volume(snapshot, &self.name)?.into()),
            Kind::PersistentVolumeClaim => {
                Object::Target(named::claim(snapshot, &self.name, gathered.named_namespace())?.into())
            }
            _ => Object::Class(named::class(snapshot, &self.name)?),
        };
        progress.step("predicting", 0);
        Ok(Prepared { gathered, simulation: simulation(snapshot, settings, gathered.threads), object })
    }
}

/// Explains what was read of files. `show` shows the answer.
///
/// # Errors
/// There is no such object, and what `show` fails with.
pub fn explain_files(
    options: &ExplainOptions,
    gathered: &Gathered,
    progress: &dyn Progress,
    show: impl FnOnce(Explained<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let prepared = options.prepare(gathered, progress)?;
    let about = prepared.about();
    answer(gathered, &prepared.explanation(&about, true), None, show)
}

/// Explains an object of a cluster. `show` shows the answer. Gives the object where `fix` has a repair for it.
///
/// # Errors
/// What cannot be read, there is no such object, and what `show` fails with.
pub async fn explain(
    options: &ExplainOptions,
    reader: &impl Reader,
    progress: &dyn Progress,
    show: impl FnOnce(Explained<'_>) -> Result<(), Error>,
) -> Result<(Status, Option<ObjectKey>), Error> {
    let mut gathered = from_cluster(reader, options.question()).await?;
    let mut earlier = None;
    let mut note = None;
    if options.recheck {
        match (first_reading(options, &gathered, progress)?, gathered.read_at) {
            (Ok(first), Some(at)) => {
                wait(gathered.modelled.behavior.resync_seconds, reader, progress).await;
                gathered = from_cluster(reader, options.question()).await?;
                earlier = Some((first, at));
            }
            (Ok(_), None) => {}
            (Err(why_not), _) => note = Some(why_not.to_owned()),
        }
    }
    let was_there = |error: Error| match &earlier {
        Some((_, at)) => error.hint(format!("it was there in the first reading, at {at}")),
        None => error,
    };
    let prepared = options.prepare(&gathered, progress).map_err(was_there)?;
    let about = prepared.about();
    let mut explanation = prepared.explanation(&about, false);
    if options.recheck && earlier.is_none() {
        explanation.set_not_rechecked();
    }
    if let Some((first, at)) = &earlier {
        match (prepared.differing(&about, &explanation), gathered.read_at) {
            (Some(now), Some(second)) if now == *first => {
                explanation.add_same_reading(&now.key, &now.version, [*at, second]);
            }
            (Some(_), _) => explanation.set_moved(),
            (None, _) if !explanation.ends_are_known() => note = Some(UNCOMPARED.to_owned()),
            (None, _) => {
                explanation.set_moved();
                note = Some(format!("note: it differed from what was predicted at {at}; what follows was read later"));
            }
        }
    }
    // The Lease tells something of a divergence and of nothing else.
    if explanation.divergence.is_some()
        && let Some((lease, read_at)) = reader.controller_lease().await
    {
        explanation.add_lease(&lease, read_at);
    }
    // And those of drivers where Kubernetes itself only asks.
    let awaited = explanation.awaited();
    if !awaited.is_empty() {
        let names: Vec<String> = awaited.iter().flat_map(|awaited| awaited.leases.clone()).collect();
        let found = reader.leases_named(&names).await;
        explanation.add_drivers(&awaited, &found.leases, &found.unread, found.read_at);
    }
    let status = answer(&gathered, &explanation, note.as_deref(), show)?;
    let repairable = match prepared.object {
        Object::Target(target) if options.offers && offer::has_repair(&prepared.simulation, target) => {
            Some(gathered.snapshot.key(target))
        }
        Object::Target(_) | Object::Class(_) => None,
    };
    Ok((status, repairable))
}

/// What a first reading is remembered by, or else why a second one would tell nothing.
fn first_reading(
    options: &ExplainOptions,
    gathered: &Gathered,
    progress: &dyn Progress,
) -> Result<Result<Differing, &'static str>, Error> {
    let prepared = options.prepare(gathered, progress)?;
    let about = prepared.about();
    let explanation = prepared.explanation(&about, false);
    if !explanation.ends_are_known() {
        return Ok(Err(UNCOMPARED));
    }
    if explanation.waits_for_events() {
        return Ok(Err(EVENTS_ALONE));
    }
    Ok(prepared.differing(&about, &explanation).ok_or(NOTHING_DIFFERS))
}

/// Waits until the controller must have looked at everything so often that a living one would have acted.
async fn wait(resync_seconds: u64, reader: &impl Reader, progress: &dyn Progress) {
    let seconds = resync_seconds.saturating_mul(RESYNCS).saturating_add(GRACE_SECONDS);
    for left in (1..=seconds).rev() {
        progress.step("waiting before the second reading, seconds left", left);
        reader.pause(Duration::from_secs(1)).await;
    }
}

/// Shows an explanation, and says whether everything in it could be judged.
fn answer(
    gathered: &Gathered,
    explanation: &Explanation<'_>,
    note: Option<&str>,
    show: impl FnOnce(Explained<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let notes = gathered.notes.iter().map(String::as_str).chain(note).collect();
    show(Explained { notes, explanation })?;
    let unjudged = match &explanation.prediction {
        Some(prediction) => prediction
            .unknown
            .iter()
            .filter_map(|unknown| Kind::ALL.into_iter().find(|kind| kind.resource() == unknown.needs.resource))
            .any(keeps_from_judging),
        // The claims and volumes of a class are counted.
        None => gathered.unlisted(&KINDS),
    };
    Ok(if unjudged || gathered.dropped() { Status::Unjudged } else { Status::Done })
}

impl Prepared<'_> {
    fn about(&self) -> About<'_> {
        match self.object {
            Object::Target(target) => About::Prediction(Box::new(self.simulation.predict(target))),
            Object::Class(class) => About::Class(class),
        }
    }

    fn explanation<'s>(&'s self, about: &'s About<'s>, from_files: bool) -> Explanation<'s> {
        let asked =
            ExplanationInput { simulation: &self.simulation, model: self.gathered.modelled.document(), from_files };
        match about {
            About::Prediction(prediction) => Explanation::of_object(asked, prediction),
            About::Class(class) => Explanation::of_class(asked, class),
        }
    }

    /// What is to be seen again, if the object differs from what is predicted.
    fn differing(&self, about: &About<'_>, explanation: &Explanation<'_>) -> Option<Differing> {
        let divergence = explanation.divergence.as_ref()?;
        let Object::Target(target) = self.object else { return None };
        let meta = self.gathered.snapshot.meta(target);
        let About::Prediction(prediction) = about else { return None };
        let ends = prediction.outcomes.iter().flat_map(|set| set.listed.iter().cloned()).collect();
        Some(Differing {
            partners: self.partners(prediction),
            key: self.gathered.snapshot.key(target),
            uid: meta.uid.clone(),
            version: meta.resource_version.clone(),
            recorded: divergence.recorded.clone(),
            ends,
        })
    }

    /// The objects on which it rests that a prediction differs from what is recorded.
    fn partners(&self, prediction: &Prediction<'_>) -> Vec<(ObjectKey, Option<(Str, ResourceVersion)>)> {
        let snapshot = &self.gathered.snapshot;
        let volume =
            |name: &Str| ObjectKey { kind: Kind::PersistentVolume, namespace: Str::default(), name: name.clone() };
        let claim = |namespace: &Str, name: &Str| ObjectKey {
            kind: Kind::PersistentVolumeClaim,
            namespace: namespace.clone(),
            name: name.clone(),
        };
        let mut keys: Vec<ObjectKey> = match prediction.target.typed() {
            TypedId::PersistentVolumeClaim(id) => vec![volume(&snapshot.claim(id).volume_name)],
            TypedId::PersistentVolume(id) => {
                let volume = snapshot.volume(id);
                volume.claim_ref.iter().map(|named| claim(&named.namespace, &named.name)).collect()
            }
            _ => Vec::new(),
        };
        keys.extend(prediction.outcomes.iter().flat_map(|set| set.listed.iter()).filter_map(|end| match end {
            Outcome::Claim { volume_name, .. } => Some(volume(volume_name)),
            Outcome::Volume { claim_ref, .. } => claim_ref.as_ref().map(|(namespace, name, _)| claim(namespace, name)),
            Outcome::Gone { .. } => None,
        }));
        keys.retain(|key| !key.name.is_empty());
        keys.sort();
        keys.dedup();
        let seen = |key: &ObjectKey| {
            let meta = match key.kind {
                Kind::PersistentVolume => snapshot.volume_id(&key.name).map(|id| &snapshot.volume(id).meta),
                _ => snapshot.claim_id(&key.namespace, &key.name).map(|id| &snapshot.claim(id).meta),
            };
            meta.map(|meta| (meta.uid.clone(), meta.resource_version.clone()))
        };
        keys.into_iter().map(|key| (key.clone(), seen(&key))).collect()
    }
}
