//! `fix`: what is wrong, what repairs it, and one repair after the other, each looked at, agreed to, carried out and
//! looked at again.

use super::gather::{Evidence, Gathered, Question, gather_on, keeps_from_judging};
use super::named;
use super::repair::{Run, World, journals};
use super::rules::unknown;
use super::scope::{is_of, object_belongs_to};
use super::{Status, connect};
use crate::cli::{DryRun, FixArgs, GlobalArgs, ModelArgs, SourceArgs, parse_objects};
use crate::diagnosis::{Finding, Remedy, Scrutiny, Severity, diagnose_named, matches_glob, rules};
use crate::engines::simulation;
use crate::error::{Error, ErrorKind};
use crate::model::{Kind, ObjectKey};
use crate::repair::{self, Plan, Proposed, Request};
use crate::report::plan::PlanFormat as Format;
use crate::report::shared::wrap::wrap;
use crate::source::Cluster;
use crate::terminal::Terminal;
use std::collections::BTreeSet;
use std::path::Path;

/// The kinds of which somebody may name an object here.
const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// What was found, and what repairs it.
struct Case {
    id: &'static str,
    object: ObjectKey,
    severity: Severity,
    /// Data go because somebody asked for that: only who says so again keeps them.
    is_asked_for: bool,
    message: String,
    /// Plans on the world as it was read, the safest first.
    repairs: Vec<Plan>,
    /// Why there is none, where some verb says so.
    obstacles: Vec<String>,
    /// What else can be done, in words.
    by_hand: Vec<String>,
}

/// A rule, and the object on which it found something.
type Found = (&'static str, ObjectKey);

impl Case {
    fn key(&self) -> Found {
        (self.id, self.object.clone())
    }
}

/// The repairs that are made next without a choice, in order and once each: of each finding the first that was not
/// tried yet. Of several ways one is enough, but each volume is kept by a plan of its own.
fn next(cases: &[Case], tried: &Tried, only_safe: bool) -> Vec<Request> {
    let mut requests: Vec<Request> = Vec::new();
    for case in cases {
        let mut open = case
            .repairs
            .iter()
            .filter(|plan| !only_safe || (plan.is_safe() && !case.is_asked_for))
            .map(|plan| &plan.request)
            .filter(|request| !tried.requests.contains(request))
            .peekable();
        let keeps = |request: &Request| matches!(request, Request::Retain { .. });
        let all = open.peek().is_some_and(|first| keeps(first));
        for request in open.filter(|request| !all || keeps(request)).take(if all { usize::MAX } else { 1 }) {
            if !requests.contains(request) {
                requests.push(request.clone());
            }
        }
    }
    requests
}

/// Looks, offers, and repairs.
///
/// # Errors
/// Wrong usage, what could not be read, why a repair is refused, and where it stopped.
pub(super) fn run(args: &FixArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let fix = Fix { args, global, terminal };
    fix.check()?;
    let directory = journals(&args.repair.journal)?;
    connect::with_cluster(global, terminal, async |cluster| fix.on_cluster(&cluster, &directory).await)
}

#[derive(Clone, Copy)]
struct Fix<'a> {
    args: &'a FixArgs,
    global: &'a GlobalArgs,
    terminal: &'a Terminal,
}

impl Fix<'_> {
    fn check(self) -> Result<(), Error> {
        let FixArgs { objects, all, only, repair } = self.args;
        parse_objects(objects, &KINDS)?;
        if *all && !objects.is_empty() {
            return Err(Error::usage("--all means every object in scope: it does not go with names of objects"));
        }
        if objects.is_empty() && !all && repair.yes {
            return Err(
                Error::usage("--yes needs to know what to repair").hint("name objects, or say --all --only RULE,…")
            );
        }
        if *all && repair.yes && only.is_empty() {
            return Err(Error::usage("--all --yes needs --only: which findings are repaired without being asked")
                .hint("kubectl pvctl rules lists them; `kubectl pvctl fix` asks for each one"));
        }
        for word in only {
            if !rules::all().iter().any(|rule| matches_glob(word, rule.id)) {
                return Err(unknown("--only", word));
            }
        }
        if repair.output != Format::Text || repair.confirm.is_some() {
            return Err(Error::usage("fix asks for each repair: -o and --confirm do not go with it")
                .hint("the verb of a repair prints its plan with -o yaml"));
        }
        if self.global.scope.selector.is_some() {
            return Err(Error::usage("-l does not go with fix: name the objects"));
        }
        Ok(())
    }

    async fn on_cluster(self, cluster: &Cluster<'_>, directory: &Path) -> Result<Status, Error> {
        let mut tried = Tried::default();
        let cases = self.cases(cluster, &mut tried).await?;
        self.show(&cases, &tried)?;
        if self.args.repair.dry_run != DryRun::None {
            return self.rehearse(cluster, &cases, directory, &mut tried).await;
        }
        let mut cases = cases;
        if self.args.repair.yes {
            // A repair may bring up what hid behind it, and a second run is to have nothing to do.
            loop {
                let next = next(&cases, &tried, true);
                if next.is_empty() {
                    return Ok(self.end(&cases, &tried));
                }
                let before = tried.repaired.len();
                for request in &next {
                    self.attempt(cluster, &cases, request, directory, &mut tried).await?;
                }
                let Some(now) = self.again(cluster, &mut tried, before).await? else { return Ok(Status::Findings) };
                cases = now;
            }
        }
        loop {
            let mut open: Vec<&Plan> = Vec::new();
            for plan in cases.iter().flat_map(|case| &case.repairs) {
                // One that several findings ask for is offered once.
                if !tried.requests.contains(&plan.request) && !open.iter().any(|other| other.request == plan.request) {
                    open.push(plan);
                }
            }
            let Some(request) = self.choose(&open)? else { break };
            let before = tried.repaired.len();
            self.attempt(cluster, &cases, &request, directory, &mut tried).await?;
            let Some(now) = self.again(cluster, &mut tried, before).await? else { return Ok(Status::Findings) };
            cases = now;
        }
        Ok(self.end(&cases, &tried))
    }

    /// Looks again after repairs, and says of those after the first `before` what is still found. Nothing where the
    /// cluster cannot be read any more: what was written is no failure to read.
    async fn again(self, cluster: &Cluster<'_>, tried: &mut Tried, before: usize) -> Result<Option<Vec<Case>>, Error> {
        match self.cases(cluster, tried).await {
            Ok(cases) => {
                self.still_found(&cases, &tried.repaired[before..]);
                Ok(Some(cases))
            }
            Err(error) if tried.repaired.is_empty() && !tried.surprised => Err(error),
            Err(error) => {
                self.terminal.error(&error);
                self.terminal.message(
                    "note: what is left could not be looked at; `kubectl pvctl history` lists the repairs that were made",
                );
                Ok(None)
            }
        }
    }

    /// Shows what would be done: with --yes what is done without being asked, else the first repair of each finding.
    async fn rehearse(
        self,
        cluster: &Cluster<'_>,
        cases: &[Case],
        directory: &Path,
        tried: &mut Tried,
    ) -> Result<Status, Error> {
        let only_safe = self.args.repair.yes;
        let next = next(cases, tried, only_safe);
        for request in &next {
            self.attempt(cluster, cases, request, directory, tried).await?;
        }
        if only_safe && next.is_empty() && !cases.is_empty() {
            self.terminal.message("note: --yes would repair nothing of this: no repair is safe without being asked");
        } else if only_safe && !next.is_empty() {
            self.terminal.message("note: after these repairs --yes looks again for what they bring up");
        }
        Ok(match tried.failed {
            Some(kind) if tried.repaired.is_empty() => unmade(kind),
            Some(_) => Status::Findings,
            None if !cases.is_empty() => Status::Findings,
            None if tried.unread => Status::Unjudged,
            None => Status::Done,
        })
    }

    /// Makes one repair. What keeps it from being made is said, and the next one can be tried; what was begun and not
    /// ended, and Ctrl-C, end the whole.
    async fn attempt(
        self,
        cluster: &Cluster<'_>,
        cases: &[Case],
        request: &Request,
        directory: &Path,
        tried: &mut Tried,
    ) -> Result<(), Error> {
        tried.requests.push(request.clone());
        let run = Run { only_safe: self.args.repair.yes, ..self.repair() };
        match run.one(cluster, request.clone(), directory).await {
            Ok(Status::Done) => {
                let asked = cases.iter().filter(|case| case.repairs.iter().any(|plan| plan.request == *request));
                tried.repaired.extend(asked.map(Case::key));
            }
            // It was carried out, and what came of it is not what was predicted, as was said.
            Ok(_) => tried.surprised = true,
            Err(error) => match error.kind() {
                ErrorKind::Refused | ErrorKind::Changed | ErrorKind::Usage | ErrorKind::Unreadable => {
                    self.terminal.error(&error);
                    tried.failed.get_or_insert(error.kind());
                }
                ErrorKind::Partial | ErrorKind::Bug | ErrorKind::Interrupted | ErrorKind::OutputClosed => {
                    return Err(error);
                }
            },
        }
        Ok(())
    }

    /// Says of what was just repaired that it is still found: what a repair makes harmless may still be there.
    fn still_found(self, cases: &[Case], done: &[Found]) {
        for case in cases.iter().filter(|case| done.contains(&case.key())) {
            self.terminal.message(&format!("note: {} is still found on {}", case.id, case.object));
        }
    }

    fn repair(&self) -> Run<'_> {
        Run { args: &self.args.repair, global: self.global, terminal: self.terminal, only_safe: false }
    }

    /// What is wrong in scope, roots first, with what repairs it. What could not be read is said the first time.
    async fn cases(self, cluster: &Cluster<'_>, tried: &mut Tried) -> Result<Vec<Case>, Error> {
        let model = self.args.repair.model();
        let gathered = self.gather(cluster, &model).await?;
        if tried.requests.is_empty() {
            for note in &gathered.notes {
                self.terminal.message(note);
            }
        }
        let mut world = World::new(gathered, model);
        let (found, unread) = self.look(&world)?;
        tried.unread = unread;
        let mut cases = Vec::new();
        for finding in found {
            let requests = repair::repairs(&world.situation()?, &finding);
            let mut case = Case {
                id: finding.rule.id,
                object: finding.object.clone(),
                severity: finding.severity,
                is_asked_for: finding.is_asked_for(),
                message: finding.message.clone(),
                repairs: Vec::new(),
                obstacles: Vec::new(),
                by_hand: finding.remedies.iter().map(in_words).collect(),
            };
            for request in requests {
                let keys = repair::reads(world.snapshot(), &request);
                world.read(cluster, keys).await?;
                match repair::propose(&world.situation()?, &request) {
                    Proposed::Plan(plan) => case.repairs.push(*plan),
                    Proposed::Nothing(_) => {}
                    Proposed::Refused(refusal) => {
                        case.obstacles.push(format!("{}: {}", request.verb(), refusal.message));
                    }
                }
            }
            case.repairs.sort_by_key(|plan| !plan.is_safe());
            cases.push(case);
        }
        Ok(cases)
    }

    async fn gather(self, cluster: &Cluster<'_>, model: &ModelArgs) -> Result<Gathered, Error> {
        let reads =
            |kind: Kind| rules::all().iter().any(|rule| rule.detect.kind() == kind || rule.reads.contains(&kind));
        let surroundings: Vec<Kind> = Kind::SURROUNDING.into_iter().filter(|kind| reads(*kind)).collect();
        let evidence = Evidence {
            nodes: true,
            pods: true,
            pods_in: &[],
            recyclers: true,
            lease: true,
            surroundings: &surroundings,
        };
        let source = SourceArgs::default();
        let question =
            Question { source: &source, model, global: self.global, object: None, pods_decide: true, evidence };
        gather_on(cluster, question, self.terminal).await
    }

    /// The findings in scope that are not kept back: roots before what follows from them, the worst first. And whether
    /// there may be others, because something could not be read.
    fn look(self, world: &World) -> Result<(Vec<Finding>, bool), Error> {
        let gathered = &world.gathered;
        let snapshot = world.snapshot();
        let settings = gathered.modelled.settings(snapshot, &world.model, false)?;
        let simulation = simulation(snapshot, settings, gathered.threads);
        let named = self.named(gathered)?;
        let in_scope = |object: &ObjectKey| match &named {
            Some(named) => named.contains(object),
            None => {
                gathered.namespace.as_deref().is_none_or(|namespace| object_belongs_to(&simulation, object, namespace))
            }
        };
        let is_own = |object: &ObjectKey| match &named {
            Some(named) => named.contains(object),
            None => gathered.namespace.as_deref().is_none_or(|namespace| is_of(&simulation, object, namespace)),
        };
        let scrutiny = Scrutiny { rules: rules::all(), suppressions: &[], scope: &in_scope };
        // Of what was named it is told at once what else is told only after a while.
        let is_named = |object: &ObjectKey| named.as_ref().is_some_and(|named| named.contains(object));
        let mut diagnosis = diagnose_named(&simulation, scrutiny, &is_named, gathered.threads);
        let concerned = diagnosis.narrow(&is_own);
        let mut missing = diagnosis.unjudged.values().flatten();
        let unread = missing.any(|missing| keeps_from_judging(missing.kind))
            || gathered.dropped()
            || gathered.unlisted(&[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass]);
        let only = &self.args.only;
        let is_wanted = |id: &str| only.is_empty() || only.iter().any(|word| matches_glob(word, id));
        let mut found: Vec<Finding> = diagnosis
            .findings
            .into_iter()
            .enumerate()
            .filter(|(place, _)| concerned.contains(place))
            .map(|(_, finding)| finding)
            .filter(|finding| finding.suppressed.is_none() && is_wanted(finding.rule.id))
            .filter(|finding| {
                let is_told = finding.is_early || finding.is_asked_for();
                finding.severity != Severity::Info || (is_told && is_named(&finding.object))
            })
            .collect();
        found.sort_by_key(|finding| (!finding.role.is_root, finding.severity, finding.risk));
        Ok((found, unread))
    }

    /// The objects that were named, with those to which they are tied; nothing where none was.
    fn named(self, gathered: &Gathered) -> Result<Option<BTreeSet<ObjectKey>>, Error> {
        let words = parse_objects(&self.args.objects, &KINDS)?;
        named::with_ties(&gathered.snapshot, &words, gathered.named_namespace())
    }

    /// What was found, before anything is asked.
    fn show(self, cases: &[Case], tried: &Tried) -> Result<(), Error> {
        let mut text = String::new();
        let mut line = |depth: usize, words: &str| {
            let indented = format!("{}{words}", "  ".repeat(depth));
            text.push_str(&wrap(&indented, self.terminal.width(), 2 * depth + 2));
            text.push('\n');
        };
        for case in cases {
            line(0, &format!("{} {} on {}: {}", case.severity.as_str(), case.id, case.object, case.message));
            for plan in &case.repairs {
                let how = if plan.is_safe() { "safe" } else { "not without being asked" };
                line(1, &format!("{}: {} ({how})", plan.request.verb(), plan.goal));
            }
            for obstacle in &case.obstacles {
                line(1, &format!("refused: {obstacle}"));
            }
            if case.repairs.is_empty() && !case.by_hand.is_empty() {
                for way in &case.by_hand {
                    line(1, &format!("by hand: {way}"));
                }
                line(1, &format!("`kubectl pvctl rules {}` says more", case.id));
            }
        }
        if cases.is_empty() {
            let what =
                if self.args.only.is_empty() { "that fix knows of" } else { "that the rules of --only look for" };
            let how_far = if tried.unread { ", as far as it could be read" } else { "" };
            line(0, &format!("Nothing is wrong {what}{how_far}."));
        }
        let mut output = self.terminal.output();
        output.print(&text)?;
        output.finish()
    }

    /// Which repair is next; nothing where there is none, or the person leaves.
    fn choose(self, open: &[&Plan]) -> Result<Option<Request>, Error> {
        if open.is_empty() {
            return Ok(None);
        }
        let mut items: Vec<String> =
            open.iter().map(|plan| format!("{}: {}", plan.request.verb(), plan.goal)).collect();
        items.push("leave the rest as it is".to_owned());
        let chosen = self.terminal.choose("Next repair (Esc leaves)", &items)?;
        Ok(chosen.and_then(|at| open.get(at)).map(|plan| plan.request.clone()))
    }

    /// How it ended: what is still found and was not repaired is left. A repair that makes something harmless leaves
    /// the finding, and is a repair all the same.
    fn end(self, cases: &[Case], tried: &Tried) -> Status {
        let is_left = |case: &&Case| {
            !tried.repaired.contains(&case.key())
                || case.repairs.iter().any(|plan| !tried.requests.contains(&plan.request))
        };
        let left: Vec<&Case> = cases.iter().filter(is_left).collect();
        for case in &left {
            self.terminal.message(&format!("left: {} on {}", case.id, case.object));
        }
        if !(tried.requests.is_empty() && left.is_empty()) {
            self.terminal.message(&self.sum(&left, tried));
        }
        match tried.failed {
            Some(kind) if self.args.repair.yes && tried.repaired.is_empty() && !tried.surprised => unmade(kind),
            None if tried.surprised => Status::Findings,
            None if left.is_empty() && tried.unread && tried.repaired.is_empty() => Status::Unjudged,
            None if left.is_empty() => Status::Done,
            Some(_) | None => Status::Findings,
        }
    }

    /// How many findings are repaired and how many are left, in a line.
    fn sum(self, left: &[&Case], tried: &Tried) -> String {
        let open: BTreeSet<Found> = left.iter().map(|case| case.key()).collect();
        let repaired: BTreeSet<&Found> = tried.repaired.iter().filter(|found| !open.contains(*found)).collect();
        let findings = if repaired.len() == 1 { "finding" } else { "findings" };
        let why = if !tried.requests.is_empty() {
            ""
        } else if left.iter().all(|case| case.repairs.is_empty()) {
            ": fix has no repair for what is left"
        } else if self.args.repair.yes {
            ": no repair of what is left is safe without being asked"
        } else {
            ""
        };
        format!("{} {findings} repaired, {} left{why}", repaired.len(), left.len())
    }
}

/// What else can be done, in words, with the command where it is one of ours.
fn in_words(remedy: &Remedy) -> String {
    let Remedy { verb, command, does } = remedy;
    if verb.is_empty() || *verb == "kubectl" { does.clone() } else { format!("{does}: `{command}`") }
}

/// How a run ends that made no repair, for the reason that was told with each. What is refused is left to a person, as
/// what has no repair is: so it is the second time, too, when the others are made.
fn unmade(kind: ErrorKind) -> Status {
    if kind == ErrorKind::Refused { Status::Findings } else { Status::Told(kind) }
}

/// What was tried so far.
#[derive(Default)]
struct Tried {
    requests: Vec<Request>,
    repaired: Vec<Found>,
    /// Why the first repair was not made that was not.
    failed: Option<ErrorKind>,
    /// Whether a repair was made and the result is not as it was predicted.
    surprised: bool,
    /// Whether more may be wrong, because something could not be read.
    unread: bool,
}
