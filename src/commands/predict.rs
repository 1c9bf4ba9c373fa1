//! `predict`: every volume and claim in scope, with what will become of it.

use super::gather::{Evidence, Gathered, Question, gather, keeps_from_judging};
use super::scope::belongs_to;
use super::{Status, contexts, named};
use crate::cli::{GlobalArgs, ObjectArgument, PredictArgs, parse_objects};
use crate::engines::simulation;
use crate::error::Error;
use crate::model::{Kind, LabelFilter, ObjectId, ObjectMeta, parse_label_filter};
use crate::parallel::in_order;
use crate::report::contexts::Counts;
use crate::report::prediction::{JointOut, PredictionFormat as Format, Predictions};
use crate::report::shared::machine::Model;
use crate::simulate::{Prediction, Simulation};
use crate::terminal::Terminal;
use std::cell::Cell;
use std::collections::BTreeSet;

/// How many predictions are computed and written together.
const BATCH: usize = 64;

/// Predicts and prints.
pub(super) fn run(args: &PredictArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let asked = Asked::new(args, global)?;
    if args.contexts.is_empty() {
        let (status, _) = asked.answer(args.output, global, terminal)?;
        return Ok(status);
    }
    // A document in a document is JSON until all of it is there.
    let format = if args.output == Format::Yaml { Format::Json } else { args.output };
    contexts::run(&args.contexts, args.output.of_several(), &args.table, global, terminal, |global, terminal| {
        asked.answer(format, global, terminal)
    })
}

/// What the flags ask for, read and found right before anything else is.
struct Asked<'a> {
    args: &'a PredictArgs,
    words: Vec<ObjectArgument>,
    filter: Option<LabelFilter>,
    question: Question<'a>,
}

impl<'a> Asked<'a> {
    fn new(args: &'a PredictArgs, global: &'a GlobalArgs) -> Result<Self, Error> {
        let words = parse_objects(&args.objects, &[Kind::PersistentVolume, Kind::PersistentVolumeClaim])?;
        let filter = global
            .scope
            .selector
            .as_deref()
            .map(|text| parse_label_filter(text).map_err(|error| Error::usage(format!("--selector: {error}"))))
            .transpose()?;
        let question = Question {
            source: &args.source,
            model: &args.model,
            global,
            object: None,
            pods_decide: true,
            evidence: Evidence::default(),
        };
        question.check()?;
        args.table.check(&args.output.columns())?;
        Ok(Self { args, words, filter, question })
    }

    /// Reads, predicts and prints; how it ended, and how much there is.
    fn answer(&self, format: Format, global: &GlobalArgs, terminal: &Terminal) -> Result<(Status, Counts), Error> {
        let Self { args, words, filter, question } = self;
        let gathered = gather(Question { global, ..*question }, terminal)?;
        let settings = gathered.modelled.settings(&gathered.snapshot, &args.model, args.trace)?;
        terminal.progress().step("predicting", 0);
        let simulation = simulation(&gathered.snapshot, settings, gathered.threads);
        let chosen = named::chosen(&gathered.snapshot, words, gathered.named_namespace())?;
        let shown = Shown {
            simulation: &simulation,
            gathered: &gathered,
            filter: filter.as_ref(),
            chosen,
            args,
            terminal,
            counts: Cell::default(),
        };
        let mut output = terminal.output();
        format.write(&shown, args.table.view(terminal.width()), &mut output)?;
        let counts = shown.counts.get();
        output.finish()?;
        let listed: Vec<Kind> = match words.as_slice() {
            [] => vec![Kind::PersistentVolume, Kind::PersistentVolumeClaim],
            words => words.iter().filter(|word| word.name.is_none()).map(|word| word.kind).collect(),
        };
        let unjudged = counts.unknown > 0 || gathered.dropped() || gathered.unlisted(&listed);
        if args.contexts.is_empty() {
            // The process ends here: taking the objects apart one by one would only cost time.
            std::mem::forget(simulation);
            std::mem::forget(gathered);
        }
        let status = if unjudged {
            Status::Unjudged
        } else if args.exit_code && counts.changes > 0 {
            Status::Findings
        } else {
            Status::Done
        };
        Ok((status, counts))
    }
}

/// The predictions that are shown, and how much there is.
struct Shown<'a, 's> {
    simulation: &'a Simulation<'s>,
    gathered: &'a Gathered,
    filter: Option<&'a LabelFilter>,
    chosen: Option<Vec<ObjectId>>,
    args: &'a PredictArgs,
    terminal: &'a Terminal,
    /// Also of those that are not shown: what could not be judged may be a change.
    counts: Cell<Counts>,
}

impl<'s> Shown<'_, 's> {
    /// The objects to show, in the order of listings.
    fn targets(&self) -> Vec<ObjectId> {
        match &self.chosen {
            Some(chosen) => chosen.clone(),
            None => self
                .simulation
                .targets()
                .filter(|target| self.is_in_scope(*target) && self.has_labels(*target))
                .collect(),
        }
    }

    fn meta(&self, target: ObjectId) -> &'s ObjectMeta {
        self.simulation.snapshot().meta(target)
    }

    fn is_in_scope(&self, target: ObjectId) -> bool {
        self.gathered.namespace.as_deref().is_none_or(|namespace| belongs_to(self.simulation, target, namespace))
    }

    fn has_labels(&self, target: ObjectId) -> bool {
        self.filter.is_none_or(|filter| filter.matches(&self.meta(target).labels))
    }
}

impl<'s> Predictions<'s> for Shown<'_, 's> {
    fn simulation(&self) -> &Simulation<'s> {
        self.simulation
    }

    fn model(&self) -> Model {
        self.gathered.modelled.document()
    }

    fn each<T: Default + Send>(
        &self,
        predict: impl Fn(ObjectId) -> Prediction<'s> + Sync,
        render: impl Fn(&Prediction<'s>, &mut T) -> Result<(), Error> + Sync,
        mut write: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let targets = self.targets();
        let batches: Vec<&[ObjectId]> = targets.chunks(BATCH).collect();
        let (snapshot, only_changed) = (self.simulation.snapshot(), self.args.changed);
        let work = |number: usize| {
            let (mut counts, mut rendered) = (Counts::default(), T::default());
            for target in batches[number] {
                let prediction = predict(*target);
                let changed = prediction.changes(snapshot);
                let unknown = prediction.unknown.iter().any(|unknown| keeps_from_judging(unknown.need.kind));
                counts.volumes += usize::from(target.kind == Kind::PersistentVolume);
                counts.claims += usize::from(target.kind == Kind::PersistentVolumeClaim);
                counts.changes += usize::from(changed);
                counts.unknown += usize::from(unknown);
                if !only_changed || changed {
                    render(&prediction, &mut rendered)?;
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
                if let Some((objects, worlds)) = simulation.joint(*number) {
                    render(&JointOut::new(simulation.snapshot(), *number, objects, &worlds), &mut rendered)?;
                }
            }
            Ok(rendered)
        };
        in_order(self.gathered.threads, batches.len(), work, |done: Result<T, Error>| write(done?))
    }

    fn remark(&self, assumed: &BTreeSet<Kind>, is_empty: bool) {
        for note in &self.gathered.notes {
            self.terminal.message(note);
        }
        if !assumed.is_empty() {
            let kinds: Vec<&str> = assumed.iter().copied().map(Kind::resource).collect();
            self.terminal.message(&format!(
                "note: it is assumed that there are no other {} than those in the input; --assume-complete confirms \
                 that, --partial denies it",
                kinds.join(", ")
            ));
        }
        if is_empty {
            self.terminal.message(&self.gathered.nothing_found(self.args.changed));
        }
    }
}
