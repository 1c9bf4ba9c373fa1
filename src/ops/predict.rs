//! `predict`: predicts the outcome of every volume and claim in scope.

use super::actors::{decide_on_scheduler, ends_are_known, read_by_actors};
use super::gather::{Evidence, Gathered, Question, ReadOptions, keeps_from_judging};
use super::rules::all_reads;
use super::scope::belongs_to;
use super::{Status, named};
use crate::controllers::attach_detach::{Attachers, AttachmentComponent};
use crate::diagnosis::attaching::{Attachments, READ};
use crate::diagnosis::{AuditSettings, Diagnoser, Diagnosis, diagnose_named, rules};
use crate::engines;
use crate::error::Error;
use crate::model::{Kind, LabelFilter, ObjectArgument, ObjectId, ObjectKey, ObjectMeta, Pod, Str, TypedId};
use crate::parallel::{in_order, in_parallel};
use crate::progress::Progress;
use crate::report::contexts::Counts;
use crate::report::prediction::{AttachmentEndsOut, JointOut, Predictions};
use crate::report::shared::machine::Model;
use crate::simulate::{Prediction, Simulation};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The kinds of objects that a person can name for this verb.
pub const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// The name of the actor that attaches and detaches: the attachers of all drivers. Only attachments have this actor.
pub const ATTACHER: &str = "attacher";

/// The number of predictions that are computed and written together.
const BATCH: usize = 64;

/// The options of `predict`.
#[derive(Debug)]
pub struct PredictOptions {
    /// The objects that were named. If there are none, all objects in scope are predicted.
    pub objects: Vec<ObjectArgument>,
    /// The labels that an object must have.
    pub labels: Option<LabelFilter>,
    /// Whether only objects that may change are shown.
    pub changed: bool,
    /// Whether only objects with a problem are shown.
    pub stuck: bool,
    /// Whether the diagnosis of each object is shown.
    pub diagnosis: bool,
    /// Whether pods that use claims are shown.
    pub pods: bool,
    /// Whether the ends of attachments are shown, and whether the attachers of the drivers act then.
    pub attachments: Option<Attachers>,
    /// Whether the objects come from files. Then the scheduler may take part although nobody named it. The conditions
    /// are stated at [`Question::may_schedule`].
    pub may_schedule: bool,
    /// Whether every comparison is recorded.
    pub trace: bool,
    /// Whether the status says that something may change.
    pub exit_code: bool,
    /// Whether the process ends after this answer.
    pub is_last: bool,
    /// The options for reading and judging objects.
    pub read: ReadOptions,
}

impl PredictOptions {
    /// Returns whether diagnoses are made.
    fn diagnoses(&self) -> bool {
        self.stuck || self.diagnosis
    }

    /// Returns the surrounding kinds that diagnoses rest on, and those that the named actors read. The list is empty if
    /// no diagnoses are made and no actor is named.
    pub fn surroundings(&self) -> Vec<Kind> {
        let mut kinds = if self.diagnoses() { all_reads() } else { Vec::new() };
        // The attachers look whether the driver is registered on the node.
        let attaching = READ.into_iter().chain([Kind::CsiNode]).filter(|kind| kind.is_surrounding());
        let attaching = self.attachments.map(|_| attaching);
        for kind in read_by_actors(&self.read.model).into_iter().chain(attaching.into_iter().flatten()) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// Returns the question to a source. `surroundings` is the result of [`Self::surroundings`].
    pub fn question<'a>(&'a self, surroundings: &'a [Kind]) -> Question<'a> {
        let question = Question { may_schedule: self.may_schedule, ..self.read.question() };
        let evidence = if self.diagnoses() {
            Evidence::of_rules(rules::all(), surroundings)
        } else {
            Evidence { surroundings, ..question.evidence }
        };
        let attaching = self.attachments.is_some();
        let evidence = Evidence { nodes: evidence.nodes || attaching, pods: evidence.pods || attaching, ..evidence };
        Question { evidence, ..question }
    }

    fn status(&self, gathered: &Gathered, counts: Counts) -> Status {
        let listed: Vec<Kind> = match self.objects.as_slice() {
            [] => KINDS.to_vec(),
            words => words.iter().filter(|word| word.name.is_none()).map(|word| word.kind).collect(),
        };
        if counts.unknown > 0 || gathered.dropped() || gathered.unlisted(&listed) {
            Status::Unjudged
        } else if self.exit_code && counts.changes > 0 {
            Status::Findings
        } else {
            Status::Done
        }
    }
}

/// Predicts the objects that were read. `tell` shows a note to the person, before or after the predictions. `show`
/// shows the predictions. Returns the status and the counts.
///
/// # Errors
/// Returns an error if a flag of the model does not fit what was read, if a named object is not found, or if `show`
/// fails.
pub fn predict(
    options: &PredictOptions,
    mut gathered: Gathered,
    progress: &dyn Progress,
    tell: &dyn Fn(&str),
    show: impl FnOnce(&InScope<'_, '_>) -> Result<(), Error>,
) -> Result<(Status, Counts), Error> {
    let settings = gathered.modelled.settings(&gathered.snapshot, &options.read.model, options.trace)?;
    progress.step("predicting", 0);
    let mut simulation = engines::simulation(&gathered.snapshot, settings, gathered.threads);
    if gathered.scheduled_by_default {
        let takes_part = ends_are_known(&simulation, gathered.threads);
        decide_on_scheduler(&mut gathered.modelled, &mut gathered.notes, takes_part);
        if !takes_part {
            let settings = gathered.modelled.settings(&gathered.snapshot, &options.read.model, options.trace)?;
            simulation = engines::simulation(&gathered.snapshot, settings, gathered.threads);
        }
    }
    let chosen = named::chosen(&gathered.snapshot, &options.objects, gathered.named_namespace())?;
    let named: BTreeSet<ObjectKey> = chosen.iter().flatten().map(|target| gathered.snapshot.key(*target)).collect();
    // An actor may not run. So no rule rests on what actors do.
    let without_actors = (options.diagnoses() && gathered.modelled.has_actors()).then(|| {
        let settings = gathered.modelled.without_actors().settings(&gathered.snapshot, &options.read.model, false)?;
        Ok::<_, Error>(engines::simulation(&gathered.snapshot, settings, gathered.threads))
    });
    let without_actors = without_actors.transpose()?;
    let judged = without_actors.as_ref().unwrap_or(&simulation);
    let findings = options.diagnoses().then(|| {
        diagnose_named(
            judged,
            AuditSettings { providers: &gathered.providers, ..AuditSettings::everything() },
            &|object| named.contains(object),
            gathered.threads,
        )
    });
    let diagnoser = findings.as_ref().map(|findings| Diagnoser::new(&simulation, findings));
    let attachments = options.attachments.map(|_| Attachments::new(&gathered.snapshot, &gathered.modelled.behavior));
    let namespace = gathered.namespace.as_deref().unwrap_or_default();
    let unread = attachments.as_ref().map(|attachments| attachments.unread(namespace)).unwrap_or_default();
    let unattached: Vec<&str> = unread.iter().map(|(kind, _)| kind.resource()).collect();
    if !unattached.is_empty() {
        tell(&format!("note: the attachments are not known, because not all {} were read", unattached.join(", ")));
    }
    let attachments = attachments.filter(|_| unattached.is_empty());
    let is_unattached = !unattached.is_empty();
    let shown = InScope {
        simulation: &simulation,
        gathered: &gathered,
        options,
        chosen,
        diagnoser: diagnoser.as_ref(),
        attachments,
        tell,
        counts: Cell::default(),
    };
    show(&shown)?;
    let counts = shown.counts.get();
    let status = if is_unattached { Status::Unjudged } else { options.status(&gathered, counts) };
    if options.is_last {
        // The process ends soon, so freeing every object would only take time.
        std::mem::forget(simulation);
        std::mem::forget(without_actors);
        std::mem::forget(gathered);
    }
    Ok((status, counts))
}

/// The predictions that are shown, and the counts.
pub struct InScope<'a, 's> {
    simulation: &'a Simulation<'s>,
    gathered: &'a Gathered,
    options: &'a PredictOptions,
    chosen: Option<Vec<ObjectId>>,
    /// The diagnoser, if diagnoses were requested.
    diagnoser: Option<&'a Diagnoser<'a>>,
    /// The attach/detach controller, if the ends of attachments were requested and are known.
    attachments: Option<Attachments<'a>>,
    tell: &'a dyn Fn(&str),
    /// The counts. They also include objects that are not shown. With `--changed`, for example, an object that could
    /// not be judged is not shown, but it may change.
    counts: Cell<Counts>,
}

impl<'s> InScope<'_, 's> {
    /// Returns the objects to show, in the order of listings.
    fn targets(&self) -> Vec<ObjectId> {
        match &self.chosen {
            Some(chosen) => chosen.clone(),
            None => self
                .simulation
                .targets()
                .filter(|target| self.is_shown(*target) && self.is_in_scope(*target) && self.has_labels(*target))
                .collect(),
        }
    }

    fn meta(&self, target: ObjectId) -> &'s ObjectMeta {
        self.simulation.snapshot().meta(target)
    }

    /// Returns the names of these volumes, and of the volumes of these claims.
    fn volumes_of(&self, chosen: &[ObjectId]) -> BTreeSet<Str> {
        let snapshot = self.simulation.snapshot();
        let volume = |target: &ObjectId| match target.typed() {
            TypedId::PersistentVolume(id) => Some(snapshot.volume(id).meta.name.clone()),
            TypedId::PersistentVolumeClaim(id) => Some(snapshot.claim(id).volume_name.clone()),
            _ => None,
        };
        chosen.iter().filter_map(volume).collect()
    }

    fn is_in_scope(&self, target: ObjectId) -> bool {
        self.gathered.namespace.as_deref().is_none_or(|namespace| belongs_to(self.simulation, target, namespace))
    }

    /// Returns whether an object of this sort is shown. Pods with generic ephemeral volumes are always shown, because a
    /// controller creates claims for them.
    fn is_shown(&self, target: ObjectId) -> bool {
        let Some(pod) = target.of::<Pod>().map(|id| self.simulation.snapshot().get(id)) else { return true };
        !pod.ephemeral.is_empty() || (self.options.pods && pod.claim_names().next().is_some())
    }

    fn has_labels(&self, target: ObjectId) -> bool {
        self.options.labels.as_ref().is_none_or(|filter| filter.matches(&self.meta(target).labels))
    }
}

impl<'s> Predictions<'s> for InScope<'_, 's> {
    fn simulation(&self) -> &Simulation<'s> {
        self.simulation
    }

    fn model(&self) -> Model {
        let mut model = self.gathered.modelled.document();
        model.actors.extend((self.options.attachments == Some(Attachers::External)).then_some(ATTACHER));
        model
    }

    fn attachments(&self) -> Option<Vec<AttachmentEndsOut>> {
        let attachers = self.options.attachments?;
        let attachments = self.attachments.as_ref()?;
        let components = attachments.components();
        let named: Option<BTreeSet<Str>> = self.chosen.as_ref().map(|chosen| self.volumes_of(chosen));
        let is_shown = |of: &AttachmentComponent| {
            let volume = attachments.volume_of(of);
            match (&named, self.gathered.namespace.as_deref()) {
                (Some(named), _) => named.contains(&volume),
                (None, Some(namespace)) => attachments.is_in(&volume, namespace),
                (None, None) => true,
            }
        };
        let shown: Vec<&AttachmentComponent> = components.iter().filter(|of| is_shown(of)).collect();
        let batches: Vec<&[&AttachmentComponent]> = shown.chunks(BATCH).collect();
        let work = |number: usize| {
            let ends = batches[number].iter().map(|of| attachments.ends(of, attachers));
            let ends = ends.filter(|ends| !self.options.changed || ends.changes());
            ends.map(|ends| AttachmentEndsOut::new(&ends)).collect::<Vec<_>>()
        };
        Some(in_parallel(self.gathered.threads, batches.len(), work).into_iter().flatten().collect())
    }

    fn each<T: Default + Send>(
        &self,
        predict: impl Fn(ObjectId) -> Prediction<'s> + Sync,
        render: impl Fn(&Prediction<'s>, Option<&Diagnosis>, &mut T) -> Result<(), Error> + Sync,
        mut write: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let targets = self.targets();
        let batches: Vec<&[ObjectId]> = targets.chunks(BATCH).collect();
        let (only_changed, only_stuck, diagnoser) = (self.options.changed, self.options.stuck, self.diagnoser);
        let work = |number: usize| {
            let (mut counts, mut rendered) = (Counts::default(), T::default());
            for target in batches[number] {
                let prediction = predict(*target);
                let changed = prediction.changes();
                let unknown = prediction.is_too_large
                    || prediction.unknown.iter().any(|unknown| keeps_from_judging(unknown.need.kind));
                counts.volumes += usize::from(target.kind == Kind::PersistentVolume);
                counts.claims += usize::from(target.kind == Kind::PersistentVolumeClaim);
                counts.changes += usize::from(changed);
                counts.unknown += usize::from(unknown);
                if only_changed && !changed {
                    continue;
                }
                let diagnosis = diagnoser.map(|diagnoser| diagnoser.of_prediction(&prediction));
                if !only_stuck || diagnosis.as_ref().is_some_and(|diagnosis| diagnosis.state.is_problem()) {
                    render(&prediction, diagnosis.as_ref(), &mut rendered)?;
                }
            }
            Ok((counts, rendered))
        };
        in_order(self.gathered.threads, batches.len(), work, |done: Result<(Counts, T), Error>| {
            let (some, rendered) = done?;
            let mut counts = self.counts.get();
            counts += some;
            self.counts.set(counts);
            write(rendered)
        })
    }

    fn each_joint<T: Default + Send>(
        &self,
        components: &BTreeSet<usize>,
        render: impl Fn(&JointOut<'_>, &mut T) -> Result<(), Error> + Sync,
        mut write: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let numbers: Vec<usize> = components.iter().copied().collect();
        let batches: Vec<&[usize]> = numbers.chunks(BATCH).collect();
        let simulation = self.simulation;
        let work = |number: usize| {
            let mut rendered = T::default();
            for number in batches[number] {
                if let Some(joint) = simulation.joint(*number) {
                    render(&JointOut::new(simulation.snapshot(), *number, &joint), &mut rendered)?;
                }
            }
            Ok(rendered)
        };
        in_order(self.gathered.threads, batches.len(), work, |done: Result<T, Error>| write(done?))
    }

    fn note(&self, text: &str) {
        (self.tell)(text);
    }

    fn remark(&self, assumed: &BTreeSet<Kind>, is_empty: bool) {
        for note in &self.gathered.notes {
            (self.tell)(note);
        }
        if !assumed.is_empty() {
            let kinds: Vec<&str> = assumed.iter().copied().map(Kind::resource).collect();
            (self.tell)(&format!(
                "note: the input is assumed to hold all {}; --assume-complete states that it does, --partial that it \
                 does not",
                kinds.join(", ")
            ));
        }
        if is_empty {
            let text = if self.options.stuck {
                self.gathered.nothing_stuck()
            } else {
                self.gathered.nothing_found(self.options.changed)
            };
            (self.tell)(&text);
        }
    }
}
