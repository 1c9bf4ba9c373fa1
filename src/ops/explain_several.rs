//! `explain` of several objects: each has its own explanation.

use super::explain::{Basis, decide_by_default, is_predicted_kind, status_of, surroundings_of, without_actors};
use super::gather::{Evidence, Gathered, Question, ReadOptions, from_cluster};
use super::{Reader, Status, named};
use crate::diagnosis::rules;
use crate::engines::simulation;
use crate::error::Error;
use crate::model::{Kind, LabelFilter, ObjectArgument, ObjectId};
use crate::progress::Progress;
use crate::report::explanation::ExplanationList;
use crate::snapshot::Snapshot;

/// The options of the explanation of several objects.
#[derive(Clone, Debug)]
pub struct SeveralOptions {
    /// The objects. A kind without a name means all objects of the kind in scope.
    pub objects: Vec<ObjectArgument>,
    /// The labels that the objects must have.
    pub labels: Option<LabelFilter>,
    /// Whether the objects come from files. Then the scheduler may take part although nobody named it. The conditions
    /// are stated at [`Question::may_schedule`].
    pub may_schedule: bool,
    /// The options for reading and judging objects.
    pub read: ReadOptions,
}

impl SeveralOptions {
    /// Returns the surrounding kinds that are read.
    pub fn surroundings(&self) -> Vec<Kind> {
        surroundings_of(self.objects.iter().map(|object| object.kind), &self.read.model)
    }

    /// Returns the question to a source: everything that an audit reads.
    pub fn question<'a>(&'a self, surroundings: &'a [Kind]) -> Question<'a> {
        let of_rules = Evidence::of_rules(rules::all(), surroundings);
        let evidence = Evidence { scheduling: true, several: &self.objects, ..of_rules };
        // Objects of one namespace need only the events of that namespace.
        let is_namespaced = self.objects.iter().all(|object| object.kind.namespaced());
        let first = self.objects.first().filter(|_| is_namespaced && !self.read.scope.all_namespaces);
        let object = first.map(|first| (first.kind, first.name.as_deref().unwrap_or_default()));
        let may_schedule = self.may_schedule && self.objects.iter().any(|object| is_predicted_kind(object.kind));
        Question { object, may_schedule, evidence, ..self.read.question() }
    }

    /// Returns the objects, each once, in the order of the arguments.
    fn selected(&self, snapshot: &Snapshot, gathered: &Gathered) -> Result<Vec<ObjectId>, Error> {
        let mut selected: Vec<ObjectId> = Vec::new();
        for argument in &self.objects {
            let kind = argument.kind;
            let ids = if let Some(name) = &argument.name {
                vec![named::object(snapshot, kind, name, gathered.named_namespace())?]
            } else {
                let count = u32::try_from(snapshot.count(kind)).unwrap_or(u32::MAX);
                let namespace = gathered.namespace.as_deref().filter(|_| kind.namespaced());
                named::listed(snapshot, kind, namespace)?;
                let all = (0..count).map(|at| ObjectId { kind, at });
                all.filter(|id| namespace.is_none_or(|shown| snapshot.meta(*id).namespace == shown)).collect()
            };
            for id in ids {
                let has_labels = self.labels.as_ref().is_none_or(|labels| labels.matches(&snapshot.meta(id).labels));
                if has_labels && !selected.contains(&id) {
                    selected.push(id);
                }
            }
        }
        Ok(selected)
    }
}

/// Explains objects that were read from files, and calls `show` with the answer.
///
/// # Errors
/// Returns an error if a flag of the model does not fit what was read, if an object is not found, or if `show` fails.
/// Also returns an error if all objects of a kind are requested and some of them may not have been read.
pub fn explain_several_files(
    options: &SeveralOptions,
    mut gathered: Gathered,
    progress: &dyn Progress,
    show: impl FnOnce(&[String], &ExplanationList<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    decide_by_default(&mut gathered, &options.read)?;
    answer(options, &gathered, progress, true, show)
}

/// Explains objects of a cluster, and calls `show` with the answer.
///
/// # Errors
/// Returns an error if something cannot be read, if a flag cannot be used, if an object is not found, or if `show`
/// fails. Also returns an error if all objects of a kind are requested and some of them may not have been read.
pub async fn explain_several(
    options: &SeveralOptions,
    reader: &impl Reader,
    progress: &dyn Progress,
    show: impl FnOnce(&[String], &ExplanationList<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let surroundings = options.surroundings();
    let gathered = from_cluster(reader, options.question(&surroundings)).await?;
    answer(options, &gathered, progress, false, show)
}

fn answer(
    options: &SeveralOptions,
    gathered: &Gathered,
    progress: &dyn Progress,
    from_files: bool,
    show: impl FnOnce(&[String], &ExplanationList<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let snapshot = &gathered.snapshot;
    let settings = gathered.modelled.settings(snapshot, &options.read.model, true)?;
    let selected = options.selected(snapshot, gathered)?;
    progress.step("predicting", 0);
    let simulation = simulation(snapshot, settings, gathered.threads);
    let without_actors = without_actors(gathered, &options.read)?;
    let basis = |object: &ObjectId| Basis::new(&simulation, without_actors.as_ref(), *object, &gathered.providers);
    let bases: Vec<Basis<'_>> = selected.iter().map(basis).collect();
    let explanations = bases.iter().map(|basis| basis.explanation(&simulation, gathered, from_files)).collect();
    let list = ExplanationList::new(explanations);
    show(&gathered.notes, &list)?;
    Ok(status_of(gathered, &list.items))
}
