//! `explain`: why one object is as it is, and who has to act.

use super::gather::{Evidence, Gathered, Question, gather_files, gather_on, keeps_from_judging};
use super::{Status, connect, named, offer};
use crate::cli::{ExplainArgs, GlobalArgs, one_object};
use crate::engines::simulation;
use crate::error::Error;
use crate::model::{Kind, ObjectId, ObjectKey, ResourceVersion, StorageClass, Str, TypedId};
use crate::report::explanation::{Asked, Explanation, ExplanationFormat as Format, RESYNCS};
use crate::simulate::{Outcome, Prediction, Simulation};
use crate::source::Cluster;
use crate::terminal::Terminal;
use std::time::Duration;

/// The kinds that can be explained.
const KINDS: [Kind; 3] = [Kind::PersistentVolumeClaim, Kind::PersistentVolume, Kind::StorageClass];

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

/// What is explained.
#[derive(Clone, Copy)]
enum Object<'s> {
    Target(ObjectId),
    Class(&'s StorageClass),
}

/// One run: what was asked for.
#[derive(Clone, Copy)]
struct Run<'a> {
    args: &'a ExplainArgs,
    kind: Kind,
    name: &'a str,
    global: &'a GlobalArgs,
    terminal: &'a Terminal,
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

/// Explains and prints.
pub(super) fn run(args: &ExplainArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let (kind, name) = one_object(&args.object, &KINDS)?;
    let run = Run { args, kind, name: &name, global, terminal };
    if args.recheck && kind == Kind::StorageClass {
        return Err(Error::usage("--recheck is for a pv or a pvc: of a class nothing is predicted that could differ")
            .hint("leave --recheck out"));
    }
    let object = Some((kind, name.as_str()));
    let question = Question {
        source: &args.source,
        model: &args.model,
        global,
        object,
        pods_decide: true,
        // The claims of a namespace that is being deleted go with it.
        evidence: Evidence { surroundings: &[Kind::Namespace], ..Evidence::default() },
    };
    question.check()?;
    if args.source.filenames.is_empty() {
        return connect::with_cluster(global, terminal, async |cluster| run.on_cluster(&cluster, question).await);
    }
    if args.recheck {
        return Err(Error::usage("--recheck reads a cluster a second time, and the files of -f stay as they are")
            .hint("leave --recheck out, or leave -f out to ask the cluster"));
    }
    let gathered = gather_files(question, terminal)?;
    let prepared = run.prepare(&gathered)?;
    let about = prepared.about();
    let explanation = prepared.explanation(&about, true);
    run.print(&gathered, &explanation, None)
}

impl Run<'_> {
    async fn on_cluster(self, cluster: &Cluster<'_>, question: Question<'_>) -> Result<Status, Error> {
        let mut gathered = gather_on(cluster, question, self.terminal).await?;
        let mut earlier = None;
        let mut note = None;
        if self.args.recheck {
            match (self.first_reading(&gathered)?, gathered.read_at) {
                (Ok(first), Some(at)) => {
                    self.wait(gathered.modelled.rules.resync_seconds).await;
                    gathered = gather_on(cluster, question, self.terminal).await?;
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
        let prepared = self.prepare(&gathered).map_err(was_there)?;
        let about = prepared.about();
        let mut explanation = prepared.explanation(&about, false);
        if self.args.recheck && earlier.is_none() {
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
                    note =
                        Some(format!("note: it differed from what was predicted at {at}; what follows was read later"));
                }
            }
        }
        // The Lease tells something of a divergence and of nothing else.
        if explanation.divergence.is_some()
            && let Some((lease, read_at)) = cluster.controller_lease().await
        {
            explanation.add_lease(&lease, read_at);
        }
        // And those of drivers where Kubernetes itself only asks.
        let awaited = explanation.awaited();
        if !awaited.is_empty() {
            let names: Vec<String> = awaited.iter().flat_map(|awaited| awaited.leases.clone()).collect();
            let found = cluster.leases_named(&names).await;
            explanation.add_drivers(&awaited, &found.leases, &found.unread, found.read_at);
        }
        let status = self.print(&gathered, &explanation, note.as_deref())?;
        if let (Object::Target(target), Format::Text) = (prepared.object, self.args.output)
            && let Some(line) = offer::of_object(&prepared.simulation, target, self.global)
        {
            self.terminal.message(&line);
        }
        Ok(status)
    }

    /// What a first reading is remembered by, or else why a second one would tell nothing.
    fn first_reading(self, gathered: &Gathered) -> Result<Result<Differing, &'static str>, Error> {
        let prepared = self.prepare(gathered)?;
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
    async fn wait(self, resync_seconds: u64) {
        let seconds = resync_seconds.saturating_mul(RESYNCS).saturating_add(GRACE_SECONDS);
        for left in (1..=seconds).rev() {
            self.terminal.progress().step("waiting before the second reading, seconds left", left);
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    fn prepare(self, gathered: &Gathered) -> Result<Prepared<'_>, Error> {
        let snapshot = &gathered.snapshot;
        let settings = gathered.modelled.settings(snapshot, &self.args.model, true)?;
        let object = match self.kind {
            Kind::PersistentVolume => Object::Target(ObjectId::from(named::volume(snapshot, self.name)?)),
            Kind::PersistentVolumeClaim => {
                Object::Target(ObjectId::from(named::claim(snapshot, self.name, gathered.named_namespace())?))
            }
            _ => Object::Class(named::class(snapshot, self.name)?),
        };
        self.terminal.progress().step("predicting", 0);
        Ok(Prepared { gathered, simulation: simulation(snapshot, settings, gathered.threads), object })
    }

    fn print(self, gathered: &Gathered, explanation: &Explanation<'_>, note: Option<&str>) -> Result<Status, Error> {
        let mut output = self.terminal.output();
        if self.args.output == Format::Text {
            for note in gathered.notes.iter().map(String::as_str).chain(note) {
                self.terminal.message(note);
            }
        }
        output.print(&self.args.output.render(explanation, self.terminal.width(), self.args.trace)?)?;
        output.finish()?;
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
}

impl Prepared<'_> {
    fn about(&self) -> About<'_> {
        match self.object {
            Object::Target(target) => About::Prediction(Box::new(self.simulation.predict(target))),
            Object::Class(class) => About::Class(class),
        }
    }

    fn explanation<'s>(&'s self, about: &'s About<'s>, from_files: bool) -> Explanation<'s> {
        let asked = Asked { simulation: &self.simulation, model: self.gathered.modelled.document(), from_files };
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
