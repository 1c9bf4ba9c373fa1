//! `predict`: every volume and claim in scope, with what will become of it.

use super::gather::{Evidence, Gathered, Question, gather, keeps_from_judging};
use super::scope::belongs_to;
use super::{Status, contexts, named};
use crate::cli::{GlobalArgs, ObjectArgument, PredictArgs, parse_objects};
use crate::error::Error;
use crate::model::{Kind, LabelFilter, ObjectMeta, parse_label_filter};
use crate::parallel::in_order;
use crate::report::contexts::Counts;
use crate::report::prediction::ends::{bindings, phases};
use crate::report::prediction::write_folded;
use crate::report::prediction::{Head, JointOut, PredictionFormat as Format, PredictionOut};
use crate::report::shared::table::{Table, TableStyle};
use crate::report::shared::why::why;
use crate::report::shared::yaml::yaml;
use crate::simulate::{Prediction, Simulation, Target};
use crate::terminal::{Output, Terminal, output_error};
use crate::text::{escape_json, human_age};
use std::collections::BTreeSet;
use std::io::Write as _;

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
    contexts::run(&args.contexts, args.output, !args.table.no_headers, global, terminal, |global, terminal| {
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
        if let Some(column) = &args.table.sort_by {
            let mut table = Table::new(headers(args.output));
            if !table.sort_by(column) {
                return Err(Error::usage(format!("--sort-by: there is no column {column:?}"))
                    .hint(format!("the columns are {}", table.headers().join(", "))));
            }
        }
        Ok(Self { args, words, filter, question })
    }

    /// Reads, predicts and prints; how it ended, and how much there is.
    fn answer(&self, format: Format, global: &GlobalArgs, terminal: &Terminal) -> Result<(Status, Counts), Error> {
        let Self { args, words, filter, question } = self;
        let gathered = gather(Question { global, ..*question }, terminal)?;
        let settings = gathered.modelled.settings(&gathered.snapshot, &args.model, args.trace)?;
        terminal.progress().step("predicting", 0);
        let simulation = Simulation::new(&gathered.snapshot, settings, gathered.threads);
        let chosen = named::chosen(&gathered.snapshot, words, gathered.named_namespace())?;
        let shown = Shown { simulation: &simulation, gathered: &gathered, filter: filter.as_ref(), chosen, args };
        let mut output = terminal.output();
        let counts = match format {
            Format::Json => shown.json(&mut output)?,
            Format::Yaml => shown.yaml(&mut output)?,
            Format::Name => shown.names(&mut output)?,
            Format::Table | Format::Wide => shown.table(terminal, &mut output)?,
        };
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

/// What stands before each element of a list.
const PART: &[u8] = b",\n";

/// A list that is written in pieces, in which each element has [`PART`] before it.
#[derive(Default)]
struct Parted {
    started: bool,
}

impl Parted {
    fn write(&mut self, output: &mut Output<'_>, piece: &[u8]) -> Result<(), Error> {
        // Before the first element there is nothing to part it from.
        let from = usize::from(!self.started && !piece.is_empty());
        self.started |= !piece.is_empty();
        output.write_all(&escape_json(&piece[from..])).map_err(|failure| output_error(&failure))
    }
}

/// The columns of the table.
fn headers(format: Format) -> Vec<&'static str> {
    let mut headers = vec!["NAMESPACE", "NAME", "PHASE", "EXPECTED", "BINDING"];
    if format == Format::Wide {
        headers.extend(["BRANCH", "COMPONENT", "OUTCOMES", "EXACT"]);
    }
    headers.extend(["WHY", "AGE"]);
    headers
}

struct Shown<'a, 's> {
    simulation: &'a Simulation<'s>,
    gathered: &'a Gathered,
    filter: Option<&'a LabelFilter>,
    chosen: Option<Vec<Target>>,
    args: &'a PredictArgs,
}

impl<'s> Shown<'_, 's> {
    /// The objects to show, in the order of listings.
    fn targets(&self) -> Vec<Target> {
        match &self.chosen {
            Some(chosen) => chosen.clone(),
            None => self
                .simulation
                .targets()
                .filter(|target| self.is_in_scope(*target) && self.has_labels(*target))
                .collect(),
        }
    }

    fn meta(&self, target: Target) -> &'s ObjectMeta {
        match target {
            Target::Volume(id) => &self.simulation.snapshot().volume(id).meta,
            Target::Claim(id) => &self.simulation.snapshot().claim(id).meta,
        }
    }

    fn is_in_scope(&self, target: Target) -> bool {
        self.gathered.namespace.as_deref().is_none_or(|namespace| belongs_to(self.simulation, target, namespace))
    }

    fn has_labels(&self, target: Target) -> bool {
        self.filter.is_none_or(|filter| filter.matches(&self.meta(target).labels))
    }

    /// Computes predictions batch by batch, on all cores, and hands each batch on in order, while the next ones are
    /// computed: what `render` made of its predictions, one after the other. How many there are, also of those
    /// that are not printed: what could not be judged may be a change.
    fn each<T: Send + Default>(
        &self,
        predict: impl Fn(Target) -> Prediction<'s> + Sync,
        render: impl Fn(&Prediction<'s>, &mut T) -> Result<(), serde_json::Error> + Sync,
        mut hand_on: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        let targets = self.targets();
        let batches: Vec<&[Target]> = targets.chunks(BATCH).collect();
        let mut counts = Counts::default();
        let work = |number: usize| {
            let (mut counts, mut rendered) = (Counts::default(), T::default());
            for target in batches[number] {
                let prediction = predict(*target);
                let changed = prediction.changes(self.simulation.snapshot());
                let unknown = prediction.unknown.iter().any(|unknown| keeps_from_judging(unknown.need.kind));
                match target {
                    Target::Volume(_) => counts.volumes += 1,
                    Target::Claim(_) => counts.claims += 1,
                }
                counts.changes += usize::from(changed);
                counts.unknown += usize::from(unknown);
                if !self.args.changed || changed {
                    render(&prediction, &mut rendered)?;
                }
            }
            Ok((counts, rendered))
        };
        in_order(self.gathered.threads, batches.len(), work, |done| {
            let (some, rendered) = done.map_err(|error: serde_json::Error| output_error(&error.into()))?;
            counts += some;
            hand_on(rendered)
        })?;
        Ok(counts)
    }

    fn json(&self, output: &mut Output<'_>) -> Result<Counts, Error> {
        let failed = |failure: std::io::Error| output_error(&failure);
        let head = Head::new(self.gathered.modelled.document(), &self.gathered.snapshot);
        let head = serde_json::to_string(&head).map_err(|error| failed(error.into()))?;
        let head = head.strip_suffix('}').unwrap_or(&head);
        output.write_all(&escape_json(head.as_bytes())).map_err(failed)?;
        output.write_all(b",\"items\":[").map_err(failed)?;
        let snapshot = self.simulation.snapshot();
        let mut shown = BTreeSet::new();
        let mut parted = Parted::default();
        let counts = self.each(
            |target| self.simulation.predict_folded(target),
            |prediction, (items, components): &mut (Vec<u8>, BTreeSet<usize>)| {
                components.insert(prediction.component);
                items.extend_from_slice(PART);
                if write_folded(items, snapshot, prediction)? {
                    return Ok(());
                }
                let unfolded = self.simulation.predict(prediction.target);
                serde_json::to_writer(items, &PredictionOut::new(snapshot, &unfolded))
            },
            |(items, components)| {
                shown.extend(components);
                parted.write(output, &items)
            },
        )?;
        output.write_all(b"\n],\"worlds\":[").map_err(failed)?;
        let mut parted = Parted::default();
        self.joint(
            &shown,
            |joint, written: &mut Vec<u8>| {
                written.extend_from_slice(PART);
                serde_json::to_writer(written, &joint)
            },
            |written| parted.write(output, &written),
        )?;
        output.write_all(b"]}\n").map_err(failed)?;
        Ok(counts)
    }

    /// The same document as YAML. It is made from the JSON, and so held in memory as a whole.
    fn yaml(&self, output: &mut Output<'_>) -> Result<Counts, Error> {
        let failed = |error: serde_json::Error| Error::bug("the answer cannot be put into YAML").caused_by(&error);
        let snapshot = self.simulation.snapshot();
        let (mut items, mut worlds, mut shown) = (Vec::new(), Vec::new(), BTreeSet::new());
        let counts = self.each(
            |target| self.simulation.predict(target),
            |prediction, batch: &mut Vec<(usize, serde_json::Value)>| {
                batch.push((prediction.component, serde_json::to_value(PredictionOut::new(snapshot, prediction))?));
                Ok(())
            },
            |batch| {
                for (component, item) in batch {
                    shown.insert(component);
                    items.push(item);
                }
                Ok(())
            },
        )?;
        self.joint(
            &shown,
            |joint, batch: &mut Vec<serde_json::Value>| {
                batch.push(serde_json::to_value(joint)?);
                Ok(())
            },
            |batch| {
                worlds.extend(batch);
                Ok(())
            },
        )?;
        let mut document =
            serde_json::to_value(Head::new(self.gathered.modelled.document(), snapshot)).map_err(failed)?;
        document["items"] = items.into();
        document["worlds"] = worlds.into();
        output.print(&yaml(&document)?)?;
        Ok(counts)
    }

    /// The joint end states of these components, as far as they are known and few: batch by batch, like predictions.
    fn joint<T: Send + Default>(
        &self,
        components: &BTreeSet<usize>,
        render: impl Fn(JointOut<'_>, &mut T) -> Result<(), serde_json::Error> + Sync,
        mut hand_on: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let numbers: Vec<usize> = components.iter().copied().collect();
        let batches: Vec<&[usize]> = numbers.chunks(BATCH).collect();
        let work = |number: usize| {
            let mut rendered = T::default();
            for number in batches[number] {
                if let Some((objects, worlds)) = self.simulation.joint(*number) {
                    let joint = JointOut::new(self.simulation.snapshot(), *number, &objects, &worlds);
                    render(joint, &mut rendered)?;
                }
            }
            Ok(rendered)
        };
        in_order(self.gathered.threads, batches.len(), work, |done| {
            hand_on(done.map_err(|error: serde_json::Error| output_error(&error.into()))?)
        })
    }

    fn names(&self, output: &mut Output<'_>) -> Result<Counts, Error> {
        let snapshot = self.simulation.snapshot();
        self.each(
            |target| self.simulation.predict(target),
            |prediction, lines: &mut String| {
                let key = crate::simulate::key_of(snapshot, prediction.target);
                let name = format!("{}/{}", key.kind.as_str().to_ascii_lowercase(), key.name);
                lines.push_str(&crate::text::sanitize(&name));
                lines.push('\n');
                Ok(())
            },
            |lines| output.print(&lines),
        )
    }

    fn table(&self, terminal: &Terminal, output: &mut Output<'_>) -> Result<Counts, Error> {
        let wide = self.args.output == Format::Wide;
        let mut table = Table::new(headers(self.args.output));
        let mut assumed: BTreeSet<Kind> = BTreeSet::new();
        let counts = self.each(
            |target| self.simulation.predict(target),
            |prediction, rows: &mut Vec<(Vec<String>, Vec<Kind>)>| {
                let kinds = prediction.assumed.iter().map(|assumed| assumed.kind).collect();
                rows.push((self.row(prediction, wide), kinds));
                Ok(())
            },
            |rows| {
                for (row, kinds) in rows {
                    table.row(row);
                    assumed.extend(kinds);
                }
                Ok(())
            },
        )?;
        if let Some(column) = &self.args.table.sort_by {
            table.sort_by(column);
        }
        for note in &self.gathered.notes {
            terminal.message(note);
        }
        if !assumed.is_empty() {
            let kinds: Vec<&str> = assumed.into_iter().map(Kind::resource).collect();
            terminal.message(&format!(
                "note: it is assumed that there are no other {} than those in the input; --assume-complete confirms \
                 that, --partial denies it",
                kinds.join(", ")
            ));
        }
        if table.is_empty() {
            terminal.message(&self.gathered.nothing_found(self.args.changed));
            return Ok(counts);
        }
        let style = TableStyle { width: terminal.width(), headers: !self.args.table.no_headers };
        table.render(style, |text| output.print(text))?;
        Ok(counts)
    }

    fn row(&self, prediction: &Prediction<'s>, wide: bool) -> Vec<String> {
        let snapshot = self.simulation.snapshot();
        let meta = self.meta(prediction.target);
        let (phase, name) = match prediction.target {
            Target::Volume(id) => (snapshot.volume(id).status.phase.as_str(), format!("pv/{}", meta.name)),
            Target::Claim(id) => (snapshot.claim(id).status.phase.as_str(), format!("pvc/{}", meta.name)),
        };
        let terminating = if meta.deleted.is_some() { ", Terminating" } else { "" };
        let age = match (snapshot.now(), meta.created) {
            (Some(now), Some(created)) => human_age(now.seconds_since(created)),
            _ => "<unknown>".to_owned(),
        };
        let mut row = vec![
            meta.namespace.to_string(),
            name,
            format!("{phase}{terminating}"),
            phases(prediction),
            bindings(prediction),
        ];
        if wide {
            let branches: Vec<&str> =
                prediction.decisions.listed.iter().take(1).map(|decision| decision.branch.name()).collect();
            let outcomes = prediction.outcomes.as_ref();
            row.extend([
                branches.join(","),
                format!("c{}", prediction.component),
                outcomes.map_or_else(|| "<unknown>".to_owned(), |set| set.count.to_string()),
                outcomes.map_or_else(|| "<unknown>".to_owned(), |set| set.exact.to_string()),
            ]);
        }
        row.extend([why(self.simulation, prediction), age]);
        row
    }
}
