//! The verbs that repair: read, plan, review, show, ask, carry out. Nothing is written before somebody agreed, and then
//! only by `execute`.

mod again;
mod course;
mod here;
mod keep;
mod observer;
mod rounds;
mod summary;

pub(super) use course::{journals, taken_back};

use super::gather::{Evidence, Gathered, Question, gather_on};
use super::{Status, connect, named};
use crate::cli::{ApplyArgs, DryRun, GlobalArgs, ModelArgs, RepairArgs, SourceArgs, UndoArgs};
use crate::error::{Error, ErrorKind};
use crate::execute::{self, Journal, Options, StopKind, Way};
use crate::model::{Kind, ObjectKey, Str, Timestamp};
use crate::repair::{self, Manifests, Origin, Plan, Proposed, Request, Reviewed, Situation};
use crate::report::plan::{Manner, ModelStated, PlanDocument, PlanFormat as Format, Shown, refused};
use crate::snapshot::Snapshot;
use crate::source::{Cluster, plan_file};
use crate::terminal::Terminal;
use course::{Choice, Course, Look, Shelf};
use observer::{Told, hearing, way};
use rounds::{Before, Round};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What guards look at beside what decisions read.
const SURROUNDINGS: [Kind; 4] = [Kind::Namespace, Kind::VolumeAttachment, Kind::CsiDriver, Kind::StatefulSet];

/// How often it is looked whether what a step waits for has come.
const POLL: Duration = Duration::from_secs(1);

/// The cluster, and which one it is.
type Place<'a> = (&'a Cluster<'a>, &'a Origin);

/// What the words of a verb ask for.
pub(super) enum Asked {
    /// A repair.
    Request(Request),
    /// To keep the volume of that claim: which one that is, the cluster says.
    VolumeOf(ObjectKey),
}

/// Does what a verb asks for, with claims looked up in the namespace that it is given.
///
/// # Errors
/// Wrong usage, what could not be read, why it is refused, and where it stopped.
pub(super) fn run(
    args: &RepairArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
    asked: impl Fn(&str) -> Result<Asked, Error>,
) -> Result<Status, Error> {
    // What is wrong in the words is said before a cluster is asked; its own namespace is known only then.
    let given = global.scope.namespace.as_deref().filter(|namespace| !namespace.is_empty());
    let run = Run { args, global, terminal, only_safe: false };
    asked(given.unwrap_or("default"))?;
    let directory = run.check()?;
    connect::with_cluster(global, terminal, async |cluster| {
        let request = match asked(cluster.namespace())? {
            Asked::VolumeOf(claim) => run.keep(&cluster, &claim).await?,
            Asked::Request(request) => request,
        };
        run.one(&cluster, request, &directory).await
    })
}

/// Carries out a plan from a file, or goes on with one that stopped.
///
/// # Errors
/// As [`run`], and where the plan of the file is not the one that is made now.
pub(super) fn apply(args: &ApplyArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let run = Run { args: &args.repair, global, terminal, only_safe: false };
    match (&args.file, &args.resume) {
        (Some(path), _) => {
            let file = PlanDocument::read(plan_file::plan(path)?)
                .map_err(|reason| Error::usage(format!("{}: {reason}", path.display())))?;
            repair::check_names(&file.request)?;
            run.start(|_| Ok(Course::File(Box::new(file))))
        }
        (None, resume) => {
            let directory = journals(&args.repair.journal)?;
            let id = resume.as_ref().and_then(|id| id.as_deref());
            run.start(|here| {
                let shelf = Shelf { directory: &directory, here, terminal: Some(terminal) };
                Ok(Course::Continue(course::stopped(shelf, id)?))
            })
        }
    }
}

/// Takes a repair back.
///
/// # Errors
/// As [`run`], and where there is no such journal.
pub(super) fn undo(args: &UndoArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let directory = journals(&args.repair.journal)?;
    let run = Run { args: &args.repair, global, terminal, only_safe: false };
    let choice = if args.id.is_some() { Choice::Named } else { Choice::Newest };
    run.start(|here| {
        let shelf = Shelf { directory: &directory, here, terminal: Some(terminal) };
        let journal = course::written(shelf, args.id.as_deref(), &[])?;
        Ok(Course::Undo { journal, choice, provisioner_stopped: args.provisioner_stopped })
    })
}

/// One run: what was asked for.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) args: &'a RepairArgs,
    pub(super) global: &'a GlobalArgs,
    pub(super) terminal: &'a Terminal,
    /// Only what is safe is carried out: nothing at risk, every step reversible or harmless to repeat.
    pub(super) only_safe: bool,
}

/// What is known when a plan is made.
pub(super) struct World {
    pub(super) gathered: Gathered,
    pub(super) model: ModelArgs,
    manifests: Manifests,
    /// Which objects have been asked for as a whole.
    asked: BTreeSet<ObjectKey>,
}

impl World {
    pub(super) fn new(gathered: Gathered, model: ModelArgs) -> Self {
        Self { gathered, model, manifests: Manifests::default(), asked: BTreeSet::new() }
    }

    pub(super) fn snapshot(&self) -> &Snapshot {
        &self.gathered.snapshot
    }

    pub(super) fn situation(&self) -> Result<Situation<'_>, Error> {
        let snapshot = &self.gathered.snapshot;
        let settings = self.gathered.modelled.settings(snapshot, &self.model, false)?;
        Ok(Situation { snapshot, settings, manifests: &self.manifests })
    }

    fn document(&self, plan: &Plan, here: &Origin, guards: &[repair::Guard]) -> PlanDocument {
        PlanDocument::new(plan, here, guards, self.gathered.modelled.document())
    }

    /// Whether a plan is the one of a file.
    fn same(
        &self,
        file: &PlanDocument<ModelStated>,
        (plan, here): (&Plan, &Origin),
        guards: &[repair::Guard],
        reviewed: bool,
    ) -> Result<(), Error> {
        let differences = self.document(plan, here, guards).differs_from(file, reviewed);
        if differences.is_empty() {
            return Ok(());
        }
        let error = Error::new(
            ErrorKind::Changed,
            format!("the world changed since plan {} was made: on it as it is now the plan is another one", file.id),
        );
        let error = differences.iter().fold(error, |error, difference| error.cause(difference.to_string()));
        Err(error.hint("nothing was written; make the plan anew, and read it again"))
    }

    /// Reads whole objects that have not been read yet.
    pub(super) async fn read(&mut self, cluster: &Cluster<'_>, keys: Vec<ObjectKey>) -> Result<(), Error> {
        let keys: Vec<ObjectKey> = keys.into_iter().filter(|key| !self.asked.contains(key)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let hears = hearing(cluster);
        let read = execute::manifests(way(cluster, &hears), &keys).await?;
        for key in keys {
            if let Some(manifest) = read.get(&key) {
                self.manifests.add(key.clone(), manifest.clone());
            }
            self.asked.insert(key);
        }
        Ok(())
    }
}

impl Run<'_> {
    fn start(self, course: impl FnOnce(&Origin) -> Result<Course, Error>) -> Result<Status, Error> {
        let directory = self.check()?;
        connect::with_cluster(self.global, self.terminal, async |cluster| {
            let here = here::origin(&cluster).await?;
            self.on_cluster((&cluster, &here), course(&here)?, &directory).await
        })
    }

    /// Whether the flags go together: the directory of the journals.
    fn check(self) -> Result<PathBuf, Error> {
        let scope = &self.global.scope;
        if scope.all_namespaces || scope.selector.is_some() {
            return Err(Error::usage("a repair is of one object: -A and -l do not go with it")
                .hint("name the namespace of a claim with -n"));
        }
        if self.args.confirm.is_some() && self.args.output != Format::Text {
            return Err(Error::usage("--confirm does not go with -o: a plan that is printed is not carried out"));
        }
        journals(&self.args.journal)
    }

    /// Plans, shows, asks and carries out one repair.
    pub(super) async fn one(self, cluster: &Cluster<'_>, request: Request, directory: &Path) -> Result<Status, Error> {
        let here = here::origin(cluster).await?;
        self.on_cluster((cluster, &here), Course::Asked(request), directory).await
    }

    async fn on_cluster(self, place: Place<'_>, mut course: Course, directory: &Path) -> Result<Status, Error> {
        course.check(place.1, self.terminal)?;
        let earlier = course.earlier().filter(|_| self.writes());
        let ended = self.rounds(place, &mut course, directory).await;
        ended.map_err(|error| match earlier {
            Some(earlier) => summary::begun(error, &earlier, course.is_lost()),
            None => error,
        })
    }

    /// Whether what is agreed to is carried out, and not only shown.
    fn writes(self) -> bool {
        self.args.dry_run == DryRun::None && self.args.output == Format::Text
    }

    /// Plans, shows, asks and carries out, once. What came before it is a plan that was agreed to and found another
    /// world.
    async fn round(
        self,
        (cluster, here): Place<'_>,
        course: &mut Course,
        directory: &Path,
        before: Option<&Before>,
    ) -> Result<Round, Error> {
        let hears = hearing(cluster);
        let way = way(cluster, &hears);
        let look = Look { way, here, terminal: self.terminal, writes: self.writes() };
        if let Some(why) = course.settle(look).await? {
            return self.nothing(&why).map(Round::Ended);
        }
        let mut world = self.read(cluster, course).await?;
        self.terminal.progress().step("planning", 0);
        let there = if course.is_new() { exists(&world.gathered, course.request()) } else { Ok(()) };
        let planned = match there {
            Err(error) => Err(again::moved(&world, course.request(), error)),
            Ok(()) => match course.propose(&world.situation()?) {
                Proposed::Plan(plan) => Ok(*plan),
                Proposed::Nothing(why) => return self.nothing(&why).map(Round::Ended),
                Proposed::Refused(refusal) => Err(refused(&refusal, None)),
            },
        };
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => {
                if course.is_new()
                    && let Some(why) =
                        again::done_before(&mut world, (cluster, here), course.request(), directory).await?
                {
                    return self.nothing(&why).map(Round::Ended);
                }
                return Err(Before::refused(before, course.no_plan(error)));
            }
        };
        if let Some(before) = before {
            before.leads_to(&plan, self.args.yes)?;
            self.terminal.message(
                "note: the cluster has changed since you agreed, and nothing was written: this is the plan for what is \
                 there now",
            );
        }
        if let Course::File(file) = course {
            world.same(file, (&plan, here), &[], false)?;
        }
        world.read(cluster, plan.objects()).await?;
        self.terminal.progress().step("reviewing", 0);
        let receipts = match execute::receipts(way, &plan).await {
            Ok(receipts) => receipts,
            Err(stop) => {
                return match course.reached_by_others(&world.situation()?, self.writes())? {
                    Some(why) => self.nothing(&why).map(Round::Ended),
                    None => Err(stop.into()),
                };
            }
        };
        let reviewed = match repair::review(&world.situation()?, plan, &receipts) {
            Ok(reviewed) => reviewed,
            Err(rejected) => {
                if let Some(why) = course.reached_by_others(&world.situation()?, self.writes())? {
                    return self.nothing(&why).map(Round::Ended);
                }
                if self.args.output == Format::Text && (self.args.dry_run != DryRun::None || self.global.verbosity > 0)
                {
                    // Whoever reads no more of the plan is still told that it is refused.
                    match self.show(&world, here, &rejected.plan, &rejected.guards) {
                        Err(error) if error.kind() == ErrorKind::OutputClosed => {}
                        shown => shown?,
                    }
                }
                let error = refused(&rejected.refusal, rejected.interleaving.as_ref());
                return Err(Before::refused(before, error));
            }
        };
        if let Course::File(file) = course {
            world.same(file, (reviewed.plan(), here), reviewed.guards(), true)?;
        }
        if self.only_safe && !reviewed.plan().is_safe() {
            return Err(Error::new(
                ErrorKind::Changed,
                "the world has changed, and the repair is not a safe one any more: nothing was written",
            ));
        }
        self.carry_out((here, way), course, &world, reviewed, directory).await
    }

    /// Reads the world as far as the course needs it.
    async fn read(self, cluster: &Cluster<'_>, course: &Course) -> Result<World, Error> {
        let request = course.request();
        let mut pods_in = request.namespaces();
        pods_in.extend(course.objects().into_iter().map(|key| key.namespace).filter(|name| !name.is_empty()));
        let gathered = self.gather(cluster, &pods_in, request.volume()).await?;
        let keys = [repair::reads(&gathered.snapshot, request), course.objects()].concat();
        let mut world = World::new(gathered, self.args.model());
        world.read(cluster, keys).await?;
        Ok(world)
    }

    /// Reads the cluster, with the pods of these namespaces and those that use that volume.
    async fn gather(self, cluster: &Cluster<'_>, pods_in: &[Str], volume: Option<&Str>) -> Result<Gathered, Error> {
        let evidence =
            Evidence { nodes: true, pods: true, pods_in, recyclers: true, lease: true, surroundings: &SURROUNDINGS };
        let model = self.args.model();
        let source = SourceArgs::default();
        let question = Question {
            source: &source,
            model: &model,
            global: self.global,
            object: volume.map(|name| (Kind::PersistentVolume, name.as_str())),
            pods_decide: true,
            evidence,
        };
        let gathered = gather_on(cluster, question, self.terminal).await?;
        for note in &gathered.notes {
            self.terminal.message(note);
        }
        Ok(gathered)
    }

    fn nothing(self, why: &str) -> Result<Status, Error> {
        if self.args.output == Format::Text {
            let mut output = self.terminal.output();
            output.print(&format!("Nothing to do: {}.\n", crate::text::sanitize(why)))?;
            output.finish()?;
        } else {
            self.terminal.message(&format!("note: there is no plan, because there is nothing to do: {why}"));
        }
        Ok(Status::Done)
    }

    fn show(self, world: &World, here: &Origin, plan: &Plan, guards: &[repair::Guard]) -> Result<(), Error> {
        let mut output = self.terminal.output();
        let manner = Manner {
            columns: self.terminal.width(),
            all_guards: self.global.verbosity > 0,
            diff: self.args.diff.then_some(&world.manifests),
        };
        let shown = Shown { plan, guards, cluster: here, model: world.gathered.modelled.document() };
        output.print(&self.args.output.render(shown, manner)?)?;
        output.finish()
    }

    async fn carry_out(
        self,
        (here, way): (&Origin, Way<'_>),
        course: &mut Course,
        world: &World,
        reviewed: Reviewed,
        directory: &Path,
    ) -> Result<Round, Error> {
        self.show(world, here, reviewed.plan(), reviewed.guards()).map_err(|error| {
            if self.writes() && error.kind() == ErrorKind::OutputClosed {
                return Error::refused(
                    "the plan could not be shown, because the output is closed: nothing was written",
                );
            }
            error
        })?;
        match self.args.dry_run {
            DryRun::Client => {
                self.terminal.message("note: nothing was written (--dry-run=client)");
                return Ok(Round::Ended(Status::Done));
            }
            DryRun::Server => return self.rehearse(way, reviewed).await.map(Round::Ended),
            DryRun::None if self.args.output != Format::Text => return Ok(Round::Ended(Status::Done)),
            DryRun::None => {}
        }
        let typed = self.ask(reviewed.plan())?;
        let confirmed = reviewed.confirm(typed.as_deref()).map_err(|reviewed| {
            let name = reviewed.plan().type_name.clone().unwrap_or_default();
            Error::refused(format!("what was typed is not {name}: nothing was written"))
        })?;
        let held = self.terminal.hold_interrupts();
        let told = Told::new(self.terminal, &held, confirmed.plan());
        let options = Options { wait_limit: self.args.timeout, poll: POLL, server_dry_run: false };
        let now = world.gathered.read_at.unwrap_or(Timestamp(0));
        let plan = confirmed.plan().clone();
        let is_planned_anew = course.is_planned_anew();
        let mut fresh;
        let (journal, outcome) = if let Course::Continue(journal) = course {
            let outcome = execute::resume(way, confirmed, journal, &options, &told).await;
            (&**journal, outcome)
        } else {
            fresh = Journal::create(directory, &plan, here.clone(), now)?;
            let outcome = execute::execute(way, confirmed, &mut fresh, &options, &told).await;
            (&fresh, outcome)
        };
        let pressed = held.pressed();
        // Who has pressed it already ends the process the next time.
        let held = if pressed { None } else { Some(held) };
        let interrupted = |said: String| Error::new(ErrorKind::Interrupted, said);
        match outcome {
            Ok(_) => {
                let status = summary::finished(self.terminal, way, &plan, journal, held.as_ref()).await;
                // Whoever makes one repair after the other must not go on.
                if held.is_none_or(|held| held.pressed()) {
                    Err(interrupted(format!("interrupted, after {} was done", journal.id())))
                } else {
                    Ok(Round::Ended(status))
                }
            }
            Err(stopped) if pressed && !stopped.written => {
                Err(interrupted("interrupted: nothing was written".to_owned()).cause(stopped.message))
            }
            Err(stopped) => {
                let may_differ = stopped.kind == StopKind::Changed && !stopped.written && is_planned_anew;
                let error = summary::stopped(stopped.into(), journal);
                if may_differ { Ok(Round::Changed(Box::new(Before { plan, error }))) } else { Err(error) }
            }
        }
    }

    /// Has the API server try each write.
    async fn rehearse(self, way: Way<'_>, reviewed: Reviewed) -> Result<Status, Error> {
        let name = reviewed.plan().type_name.clone();
        let confirmed = reviewed
            .confirm(name.as_deref())
            .map_err(|_| Error::bug("a plan does not take the name that it asks for"))?;
        let held = self.terminal.hold_interrupts();
        let told = Told::new(self.terminal, &held, confirmed.plan());
        let options = Options { wait_limit: self.args.timeout, poll: POLL, server_dry_run: true };
        let mut journal = Journal::rehearsal(confirmed.plan());
        let outcome = execute::execute(way, confirmed, &mut journal, &options, &told).await?;
        summary::rehearsed(self.terminal, &outcome);
        Ok(Status::Done)
    }

    /// Asks whether to go on. Gives the name that was typed, if one is asked for.
    fn ask(self, plan: &Plan) -> Result<Option<String>, Error> {
        let again = "-o yaml prints the plan for `kubectl pvctl apply`, --dry-run shows it";
        match &plan.type_name {
            Some(name) if self.args.confirm.is_some() && (self.args.yes || !self.terminal.can_ask()) => {
                if !self.args.yes {
                    return Err(nobody(&format!("--yes --confirm {name} agrees without being asked"), again));
                }
                Ok(self.args.confirm.clone())
            }
            Some(name) if self.args.yes => Err(Error::refused(
                "--yes alone does not suffice where data are given away or deleted: nothing was written",
            )
            .hint(format!("--confirm {name} types the name that the plan asks for"))),
            Some(name) if !self.terminal.can_ask() => {
                Err(nobody(&format!("--yes --confirm {name} agrees without being asked"), again))
            }
            Some(name) => {
                if let Some(typed) = &self.args.confirm {
                    return self.agreed().map(|()| Some(typed.clone()));
                }
                let typed = self.terminal.ask_text(&format!("Type {name} to carry out this plan; Esc leaves it"))?;
                typed.map(Some).ok_or_else(declined)
            }
            None if self.args.yes => Ok(None),
            None if !self.terminal.can_ask() => Err(nobody("--yes agrees without being asked", again)),
            None => self.agreed().map(|()| None),
        }
    }

    fn agreed(self) -> Result<(), Error> {
        if self.terminal.confirm("Carry out this plan?")? { Ok(()) } else { Err(declined()) }
    }
}

fn nobody(yes: &str, again: &str) -> Error {
    Error::refused("this needs a confirmation, and there is no terminal to ask on: nothing was written")
        .hint(yes)
        .hint(again)
}

fn declined() -> Error {
    Error::refused("not confirmed: nothing was written")
}

/// The objects of the request are there: else those that come nearest are offered. What may be gone is left out.
fn exists(gathered: &Gathered, request: &Request) -> Result<(), Error> {
    let snapshot = &gathered.snapshot;
    request.wants().iter().try_for_each(|object| match object.kind {
        Kind::PersistentVolume => named::volume(snapshot, &object.name).map(drop),
        _ => named::claim(snapshot, &object.name, Some(&object.namespace)).map(drop),
    })
}
