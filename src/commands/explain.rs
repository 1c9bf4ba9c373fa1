//! `explain`: why one object is as it is, and who has to act.

use super::gather::{Gathered, Question, gather_files, gather_on};
use super::{Status, connect, named, print_document};
use crate::cli::{ExplainArgs, GlobalArgs, Output as Format, one_object};
use crate::error::Error;
use crate::model::{Kind, ObjectKey, ObjectMeta, ResourceVersion, StorageClass, Str};
use crate::report::explanation::{Asked, Explanation, RESYNCS};
use crate::simulate::{Prediction, Simulation, Target};
use crate::source::Cluster;
use crate::terminal::Terminal;
use std::time::Duration;

/// The kinds that can be explained.
const KINDS: [Kind; 3] = [Kind::PersistentVolumeClaim, Kind::PersistentVolume, Kind::StorageClass];

/// So many seconds more than the resync periods are waited before the second reading.
const GRACE_SECONDS: u64 = 1;

/// What `--recheck` says where nothing was predicted.
const UNCOMPARED: &str =
    "note: --recheck has nothing to compare: what is predicted is unknown, because something could not be read";

/// What is explained.
#[derive(Clone, Copy)]
enum Object<'s> {
    Target(Target),
    Class(&'s StorageClass),
}

/// One run: what was asked for.
#[derive(Clone, Copy)]
struct Run<'a> {
    args: &'a ExplainArgs,
    kind: Kind,
    name: &'a str,
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
    predicted: Vec<String>,
}

/// Explains and prints.
pub(super) fn run(args: &ExplainArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let (kind, name) = one_object(&args.object, &KINDS)?;
    let run = Run { args, kind, name: &name, terminal };
    if args.recheck && kind == Kind::StorageClass {
        return Err(Error::usage("--recheck is for a pv or a pvc: of a class nothing is predicted that could differ")
            .hint("leave --recheck out"));
    }
    let object = Some((kind, name.as_str()));
    let question = Question { source: &args.source, model: &args.model, global, object, pods_decide: true };
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
            let (reading, is_known) = self.first_reading(&gathered)?;
            if let Some(first) = reading.zip(gathered.read_at) {
                self.wait(gathered.modelled.rules.resync_seconds).await;
                gathered = gather_on(cluster, question, self.terminal).await?;
                earlier = Some(first);
            } else if is_known {
                note =
                    Some("note: nothing differs from what is predicted, so that a second reading is not needed".into());
            } else {
                note = Some(UNCOMPARED.to_owned());
            }
        }
        let was_there = |error: Error| match &earlier {
            Some((_, at)) => error.hint(format!("it was there in the first reading, at {at}")),
            None => error,
        };
        let prepared = self.prepare(&gathered).map_err(was_there)?;
        let about = prepared.about();
        let mut explanation = prepared.explanation(&about, false);
        if let Some((first, at)) = &earlier {
            match (prepared.differing(&explanation), gathered.read_at) {
                (Some(now), Some(second)) if now == *first => {
                    explanation.add_same_reading(&now.key, &now.version, [*at, second]);
                }
                (Some(_), _) => explanation.set_moved(),
                (None, _) if !explanation.ends_are_known() => note = Some(UNCOMPARED.to_owned()),
                (None, _) => {
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
        self.print(&gathered, &explanation, note.as_deref())
    }

    /// What a first reading is remembered by, where something is to be seen again, and whether it is known how the object
    /// ends.
    fn first_reading(self, gathered: &Gathered) -> Result<(Option<Differing>, bool), Error> {
        let prepared = self.prepare(gathered)?;
        let about = prepared.about();
        let explanation = prepared.explanation(&about, false);
        Ok((prepared.differing(&explanation), explanation.ends_are_known()))
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
            Kind::PersistentVolume => Object::Target(Target::Volume(named::volume(snapshot, self.name)?)),
            Kind::PersistentVolumeClaim => {
                Object::Target(Target::Claim(named::claim(snapshot, self.name, gathered.named_namespace())?))
            }
            _ => Object::Class(named::class(snapshot, self.name)?),
        };
        self.terminal.progress().step("predicting", 0);
        Ok(Prepared { gathered, simulation: Simulation::new(snapshot, settings, gathered.threads), object })
    }

    fn print(self, gathered: &Gathered, explanation: &Explanation<'_>, note: Option<&str>) -> Result<Status, Error> {
        let mut output = self.terminal.output();
        if matches!(self.args.output, Format::Json | Format::Yaml) {
            print_document(explanation, self.args.output, &mut output)?;
        } else {
            for note in gathered.notes.iter().map(String::as_str).chain(note) {
                self.terminal.message(note);
            }
            output.print(&explanation.text(self.terminal.width(), self.args.trace))?;
        }
        output.finish()?;
        let unjudged = match &explanation.prediction {
            Some(prediction) => !prediction.unknown.is_empty(),
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
    fn differing(&self, explanation: &Explanation<'_>) -> Option<Differing> {
        let divergence = explanation.divergence.as_ref()?;
        let (kind, meta): (Kind, &ObjectMeta) = match self.object {
            Object::Target(Target::Volume(id)) => (Kind::PersistentVolume, &self.gathered.snapshot.volume(id).meta),
            Object::Target(Target::Claim(id)) => (Kind::PersistentVolumeClaim, &self.gathered.snapshot.claim(id).meta),
            Object::Class(_) => return None,
        };
        Some(Differing {
            key: ObjectKey { kind, namespace: meta.namespace.clone(), name: meta.name.clone() },
            uid: meta.uid.clone(),
            version: meta.resource_version.clone(),
            recorded: divergence.recorded.clone(),
            predicted: divergence.predicted.clone(),
        })
    }
}
