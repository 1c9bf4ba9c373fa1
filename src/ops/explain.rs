//! `explain`: explains why one object has its present state, and who has to act.

use super::actors::{decide_on_scheduler, ends_are_known, read_by_actors};
use super::gather::{Evidence, Gathered, JUDGED, Question, ReadOptions, from_cluster, keeps_from_judging};
use super::model::ModelOptions;
use super::rules::all_reads;
use super::{Reader, Status, named, offer};
use crate::diagnosis::attaching::Attachments;
use crate::diagnosis::shared_volumes::Providers;
use crate::diagnosis::{AuditSettings, Findings, diagnose_named, diagnose_with_neighbours, key, noun, rules};
use crate::engines::{simulation, simulation_on_demand};
use crate::error::Error;
use crate::model::{Kind, Lease, ObjectId, ObjectKey, ResourceVersion, StorageClass, Str, TypedId};
use crate::progress::Progress;
use crate::report::explanation::{Explanation, ExplanationInput, RESYNCS};
use crate::simulate::{Outcome, Prediction, Simulation};
use std::sync::Arc;
use std::time::Duration;

/// The largest number of steps that are shown for an object that does not exist.
const MOST_STEPS: usize = 3;

/// The number of seconds that is added to the resync periods before the second reading.
const GRACE_SECONDS: u64 = 1;

/// The note if no second reading is made because the object has its predicted state.
const NOTHING_DIFFERS: &str = "note: the object is as predicted, so a second reading is not needed";
/// The note if no second reading is made because only an event, and not a resync, starts the predicted change.
const EVENTS_ALONE: &str = "note: an event and not a resync starts the predicted change, so a second reading would say \
                            nothing about the controller";
/// The note if `--recheck` has no prediction to compare with.
const UNCOMPARED: &str =
    "note: --recheck has nothing to compare: the prediction is unknown, because something could not be read";

/// The options of an explanation.
#[derive(Clone, Debug)]
pub struct ExplainOptions {
    /// The kind of the object.
    pub kind: Kind,
    /// The name of the object.
    pub name: String,
    /// The options for reading and judging objects.
    pub read: ReadOptions,
    /// Whether the objects come from files. Then the scheduler may take part although nobody named it. The conditions
    /// are stated at [`Question::may_schedule`].
    pub may_schedule: bool,
    /// Whether the cluster is read a second time if the object differs from its predicted state.
    pub recheck: bool,
    /// Whether the run checks if `fix` has a repair.
    pub offers: bool,
}

/// The answer of `explain`, as it is shown.
#[derive(Debug)]
pub struct Explained<'a> {
    /// Notes about the reading, one sentence each.
    pub notes: Vec<&'a str>,
    /// The explanation of the object.
    pub explanation: &'a Explanation<'a>,
}

/// Everything that was read, ready for the explanation.
struct Prepared<'g> {
    gathered: &'g Gathered,
    simulation: Simulation<'g>,
    /// The simulation without actors, if actors take part.
    without_actors: Option<Simulation<'g>>,
    object: ObjectId,
}

/// The basis of an explanation: what rules report, and a prediction or a class.
pub(super) struct Basis<'s> {
    findings: Findings,
    about: About<'s>,
    attachments: Arc<Attachments<'s>>,
}

/// The prediction for a claim or volume, a class, or any other object.
enum About<'s> {
    Prediction(Box<Prediction<'s>>),
    Class(&'s StorageClass),
    Other(ObjectId),
}

/// An object that differs from its prediction, as it is at one moment.
#[derive(Debug, PartialEq, Eq)]
struct Differing {
    key: ObjectKey,
    uid: Str,
    version: ResourceVersion,
    recorded: String,
    ends: Vec<Outcome>,
    /// The objects to which the differing object is bound or would be bound, in order. An object that does not exist
    /// has no uid and no version. If one of these objects was replaced between two readings, the controller had less
    /// time to act.
    partners: Vec<(ObjectKey, Option<(Str, ResourceVersion)>)>,
}

/// Returns the surrounding kinds that are read to explain objects of these kinds: the kinds that rules read, the kinds
/// that connect the objects with their pods, and the kinds that the named actors read.
pub(super) fn surroundings_of(kinds: impl IntoIterator<Item = Kind>, model: &ModelOptions) -> Vec<Kind> {
    let mut read = all_reads();
    let with_owned = |kind: Kind| [kind].into_iter().chain((kind == Kind::Deployment).then_some(Kind::ReplicaSet));
    let surrounding = kinds.into_iter().flat_map(with_owned).filter(|kind| kind.is_surrounding());
    for kind in surrounding.chain(read_by_actors(model)) {
        if !read.contains(&kind) {
            read.push(kind);
        }
    }
    read
}

impl ExplainOptions {
    /// Returns the question to a source: everything that an audit reads. `surroundings` are the surrounding kinds that
    /// rules read.
    pub fn question<'a>(&'a self, surroundings: &'a [Kind]) -> Question<'a> {
        let evidence = Evidence { scheduling: true, ..Evidence::of_rules(rules::all(), surroundings) };
        let may_schedule = self.may_schedule && is_predicted_kind(self.kind);
        Question { object: Some((self.kind, &self.name)), may_schedule, evidence, ..self.read.question() }
    }

    /// Returns the surrounding kinds that are read.
    pub fn surroundings(&self) -> Vec<Kind> {
        surroundings_of([self.kind], &self.read.model)
    }

    fn prepare<'g>(&self, gathered: &'g Gathered, progress: &dyn Progress) -> Result<Prepared<'g>, Error> {
        let snapshot = &gathered.snapshot;
        let settings = gathered.modelled.settings(snapshot, &self.read.model, true)?;
        let namespace = gathered.named_namespace();
        let object = named::object(snapshot, self.kind, &self.name, namespace);
        progress.step("predicting", 0);
        let simulation = simulation_on_demand(snapshot, settings);
        let without_actors = without_actors(gathered, &self.read)?;
        match object {
            Ok(object) => Ok(Prepared { gathered, simulation, without_actors, object }),
            Err(error) => Err(self.told_of_absent(error, &simulation, namespace, gathered.threads)),
        }
    }

    /// Returns the error about an object that does not exist. If a finding mentions this object, the error has the
    /// message of the finding instead of similar names.
    fn told_of_absent(
        &self,
        error: Error,
        simulation: &Simulation<'_>,
        namespace: Option<&str>,
        threads: usize,
    ) -> Error {
        let object = key(self.kind, namespace.filter(|_| self.kind.namespaced()).unwrap_or_default(), &self.name);
        let findings = diagnose_named(simulation, AuditSettings::everything(), &|_| false, threads).listed;
        let told = findings.iter().filter(|finding| finding.tells_of_absent(&object));
        let Some(finding) = told.min_by_key(|finding| finding.gravity()) else { return error };
        let known = Error::new(error.kind(), error.message()).hint(format!(
            "{}: {} ({})",
            noun(&finding.object),
            finding.message,
            finding.rule.id
        ));
        let commands = finding.remedies.iter().map(|remedy| match remedy.command.as_str() {
            "" => remedy.does.clone(),
            command => format!("{}: {command}", remedy.does),
        });
        error.causes().iter().cloned().fold(commands.take(MOST_STEPS).fold(known, Error::hint), Error::cause)
    }
}

/// Explains an object that was read from files, and calls `show` with the answer.
///
/// # Errors
/// Returns an error if a flag of the model does not fit what was read, if the object is not found, or if `show` fails.
pub fn explain_files(
    options: &ExplainOptions,
    mut gathered: Gathered,
    progress: &dyn Progress,
    show: impl FnOnce(Explained<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    decide_by_default(&mut gathered, &options.read)?;
    let prepared = options.prepare(&gathered, progress)?;
    let basis = prepared.basis();
    answer(&gathered, &prepared.explanation(&basis, true), None, show)
}

/// Decides whether the scheduler takes part, if this is not stated and files have everything that it reads.
pub(super) fn decide_by_default(gathered: &mut Gathered, read: &ReadOptions) -> Result<(), Error> {
    if gathered.scheduled_by_default {
        let settings = gathered.modelled.settings(&gathered.snapshot, &read.model, false)?;
        let simulation = simulation(&gathered.snapshot, settings, gathered.threads);
        let takes_part = ends_are_known(&simulation, gathered.threads);
        drop(simulation);
        decide_on_scheduler(&mut gathered.modelled, &mut gathered.notes, takes_part);
    }
    Ok(())
}

/// Returns the simulation without actors, if actors take part. The rules are applied to it, because an actor may not
/// run. So no rule rests on what actors do.
pub(super) fn without_actors<'g>(gathered: &'g Gathered, read: &ReadOptions) -> Result<Option<Simulation<'g>>, Error> {
    if !gathered.modelled.has_actors() {
        return Ok(None);
    }
    let settings = gathered.modelled.without_actors().settings(&gathered.snapshot, &read.model, true)?;
    Ok(Some(simulation_on_demand(&gathered.snapshot, settings)))
}

/// Explains an object of a cluster, and calls `show` with the answer. Returns the key of the object if `fix` has a
/// repair for it.
///
/// # Errors
/// Returns an error if something cannot be read, if a flag cannot be used, if the object is not found, or if `show`
/// fails.
pub async fn explain(
    options: &ExplainOptions,
    reader: &impl Reader,
    progress: &dyn Progress,
    show: impl FnOnce(Explained<'_>) -> Result<(), Error>,
) -> Result<(Status, Option<ObjectKey>), Error> {
    let surroundings = options.surroundings();
    let question = options.question(&surroundings);
    let mut gathered = from_cluster(reader, question).await?;
    let mut earlier = None;
    let mut note = None;
    if options.recheck {
        match (first_reading(options, &gathered, progress)?, gathered.read_at) {
            (Ok(first), Some(at)) => {
                wait(gathered.modelled.behavior.resync_seconds, reader, progress).await;
                gathered = from_cluster(reader, question).await?;
                earlier = Some((first, at));
            }
            (Ok(_), None) => {}
            (Err(why_not), _) => note = Some(why_not.to_owned()),
        }
    }
    let was_there = |error: Error| match &earlier {
        Some((_, at)) => error.hint(format!("the object existed at the first reading, at {at}")),
        None => error,
    };
    let prepared = options.prepare(&gathered, progress).map_err(was_there)?;
    let basis = prepared.basis();
    let mut explanation = prepared.explanation(&basis, false);
    if options.recheck && earlier.is_none() {
        explanation.set_not_rechecked();
    }
    if let Some((first, at)) = &earlier {
        match (prepared.differing(&basis, &explanation), gathered.read_at) {
            (Some(now), Some(second)) if now == *first => {
                explanation.add_same_reading(&now.key, &now.version, [*at, second]);
            }
            (Some(_), _) => explanation.set_moved(),
            (None, _) if !explanation.ends_are_known() => note = Some(UNCOMPARED.to_owned()),
            (None, _) => {
                explanation.set_moved();
                note = Some(format!(
                    "note: at {at}, the object differed from its prediction; the following answer was read later"
                ));
            }
        }
    }
    // The Lease of kube-controller-manager is only relevant if the object differs from its predicted state.
    if let (Some(lease), Some(read_at)) = (prepared.controller_lease(), gathered.read_at) {
        explanation.add_lease(lease, read_at);
    }
    // The Leases of drivers are relevant if Kubernetes only makes a request to a driver and waits.
    let awaited = explanation.awaited();
    if !awaited.is_empty() {
        let names: Vec<String> = awaited.iter().flat_map(|awaited| awaited.leases.clone()).collect();
        let found = reader.leases_named(&names).await;
        explanation.add_drivers(&awaited, &found.leases, &found.unread, found.read_at);
    }
    let status = answer(&gathered, &explanation, note.as_deref(), show)?;
    let target = Some(prepared.object).filter(|object| options.offers && is_predicted(*object));
    let repairable = target.filter(|target| offer::has_repair(&prepared.simulation, *target, &gathered.providers));
    Ok((status, repairable.map(|target| gathered.snapshot.key(target))))
}

/// Returns the state at the first reading, for comparison with the second reading. If a second reading would be
/// useless, returns the note that says why.
fn first_reading(
    options: &ExplainOptions,
    gathered: &Gathered,
    progress: &dyn Progress,
) -> Result<Result<Differing, &'static str>, Error> {
    let prepared = options.prepare(gathered, progress)?;
    let basis = prepared.basis();
    let explanation = prepared.explanation(&basis, false);
    if !explanation.ends_are_known() {
        return Ok(Err(UNCOMPARED));
    }
    if explanation.waits_for_events() {
        return Ok(Err(EVENTS_ALONE));
    }
    Ok(prepared.differing(&basis, &explanation).ok_or(NOTHING_DIFFERS))
}

/// Waits for [`RESYNCS`] resync periods. In this time, a running controller would have synced every object and acted.
async fn wait(resync_seconds: u64, reader: &impl Reader, progress: &dyn Progress) {
    let seconds = resync_seconds.saturating_mul(RESYNCS).saturating_add(GRACE_SECONDS);
    for left in (1..=seconds).rev() {
        progress.step("waiting before the second reading, seconds left", left);
        reader.pause(Duration::from_secs(1)).await;
    }
}

/// Shows an explanation and returns the status, which says whether everything could be judged.
fn answer(
    gathered: &Gathered,
    explanation: &Explanation<'_>,
    note: Option<&str>,
    show: impl FnOnce(Explained<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let notes = gathered.notes.iter().map(String::as_str).chain(note).collect();
    show(Explained { notes, explanation })?;
    Ok(status_of(gathered, [explanation]))
}

/// Returns the status, which says whether everything could be judged.
pub(super) fn status_of<'e>(
    gathered: &Gathered,
    explanations: impl IntoIterator<Item = &'e Explanation<'e>>,
) -> Status {
    let is_unjudged = |explanation: &Explanation<'_>| match &explanation.prediction {
        Some(prediction) => prediction
            .unknown
            .iter()
            .filter_map(|unknown| Kind::ALL.into_iter().find(|kind| kind.resource() == unknown.needs.resource))
            .any(keeps_from_judging),
        // The explanation of a class counts its claims and volumes, and the explanation of a pod depends on them.
        None => gathered.unlisted(&JUDGED),
    };
    let unjudged = explanations.into_iter().any(is_unjudged);
    if unjudged || gathered.dropped() { Status::Unjudged } else { Status::Done }
}

/// Returns whether the object is a claim or a volume, which is predicted.
fn is_predicted(object: ObjectId) -> bool {
    is_predicted_kind(object.kind)
}

/// Returns whether objects of this kind are predicted.
pub(super) fn is_predicted_kind(kind: Kind) -> bool {
    matches!(kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim)
}

impl<'s> Basis<'s> {
    /// Makes the basis of an object's explanation. The rules are applied to `without_actors`, if actors take part.
    pub(super) fn new(
        simulation: &'s Simulation<'s>,
        without_actors: Option<&Simulation<'_>>,
        object: ObjectId,
        providers: &Providers,
    ) -> Self {
        let snapshot = simulation.snapshot();
        let about = match object.typed() {
            TypedId::StorageClass(class) => About::Class(snapshot.get(class)),
            _ if is_predicted(object) => About::Prediction(Box::new(simulation.predict(object))),
            _ => About::Other(object),
        };
        let judged = without_actors.unwrap_or(simulation);
        let attachments = Arc::new(Attachments::of(simulation));
        let shared = Arc::clone(&attachments);
        let findings = diagnose_with_neighbours(judged, &snapshot.key(object), rules::all(), shared, providers);
        Self { findings, about, attachments }
    }

    /// Makes the explanation.
    pub(super) fn explanation(
        &'s self,
        simulation: &'s Simulation<'s>,
        gathered: &'s Gathered,
        from_files: bool,
    ) -> Explanation<'s> {
        let model = gathered.modelled.document();
        let attachments = Arc::clone(&self.attachments);
        let providers = &gathered.providers;
        let findings = &self.findings;
        let asked = ExplanationInput { simulation, findings, attachments, model, from_files, providers };
        match &self.about {
            About::Prediction(prediction) => Explanation::of_object(asked, prediction),
            About::Class(class) => Explanation::of_class(asked, class),
            About::Other(id) => Explanation::of_other(asked, *id),
        }
    }
}

impl Prepared<'_> {
    fn basis(&self) -> Basis<'_> {
        Basis::new(&self.simulation, self.without_actors.as_ref(), self.object, &self.gathered.providers)
    }

    fn explanation<'s>(&'s self, basis: &'s Basis<'s>, from_files: bool) -> Explanation<'s> {
        basis.explanation(&self.simulation, self.gathered, from_files)
    }

    /// Returns the Lease of kube-controller-manager, if it was read.
    fn controller_lease(&self) -> Option<&Lease> {
        let leases = self.gathered.snapshot.all::<Lease>().iter();
        leases
            .into_iter()
            .find(|lease| lease.meta.namespace == Lease::MANAGER_NAMESPACE && lease.meta.name == Lease::MANAGER_NAME)
    }

    /// Returns the state to compare with the second reading, if the object is a volume or claim that differs from its
    /// predicted state.
    fn differing(&self, basis: &Basis<'_>, explanation: &Explanation<'_>) -> Option<Differing> {
        let divergence = explanation.divergence.as_ref()?;
        let target = self.object;
        let meta = self.gathered.snapshot.meta(target);
        let About::Prediction(prediction) = &basis.about else { return None };
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

    /// Returns the objects on which the difference between the prediction and the recorded state depends.
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
            Outcome::Pod { .. } | Outcome::Gone { .. } => None,
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
