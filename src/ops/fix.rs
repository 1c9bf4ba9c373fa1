//! `fix`: what is wrong, what repairs it, and one repair after the other, each looked at, agreed to, carried out and
//! looked at again.

use super::gather::{Evidence, Gathered, JUDGED, Question, from_cluster, keeps_from_judging};
use super::repair::{Extent, PlanSource, RepairOptions, Run, World};
use super::rules::{matching, reads, unknown};
use super::scope::{is_of, object_belongs_to};
use super::{Asker, Shown, Status, Writer, named};
use crate::diagnosis::{Finding, Scrutiny, Severity, diagnose_named, matches_glob, rules};
use crate::engines::simulation;
use crate::error::{Error, ErrorKind};
use crate::model::{ObjectArgument, ObjectKey};
use crate::repair::{self, Case, FindingKey, Plan, Request};
use std::collections::BTreeSet;

/// What is to be repaired, and how.
#[derive(Clone, Debug)]
pub struct FixOptions {
    /// The objects; all in scope where none is named.
    pub objects: Vec<ObjectArgument>,
    /// The rules whose findings are repaired; all of them without a word.
    pub only: Vec<String>,
    /// How repairs are made. With [`RepairOptions::yes`] only what is safe.
    pub repair: RepairOptions,
}

/// Whether the words that name rules are of some.
///
/// # Errors
/// A usage error that names the word at fault.
pub fn check_rules(only: &[String]) -> Result<(), Error> {
    only.iter().find(|word| matching(word).next().is_none()).map_or(Ok(()), |word| Err(unknown("--only", word)))
}

/// Looks, offers, and repairs.
///
/// # Errors
/// What could not be read, why a repair is refused, and where it stopped.
pub async fn fix(options: &FixOptions, cluster: &impl Writer, asker: &impl Asker) -> Result<Status, Error> {
    Fix { options, cluster, asker }.run().await
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

/// One run.
#[derive(Debug)]
struct Fix<'a, C, A> {
    options: &'a FixOptions,
    cluster: &'a C,
    asker: &'a A,
}

impl<C: Writer, A: Asker> Fix<'_, C, A> {
    async fn run(&self) -> Result<Status, Error> {
        let mut tried = Tried::default();
        let cases = self.cases(&mut tried).await?;
        self.show(&cases, &tried)?;
        if self.options.repair.extent != Extent::CarryOut {
            return self.rehearse(&cases, &mut tried).await;
        }
        let mut cases = cases;
        if self.options.repair.yes {
            // A repair may bring up what hid behind it, and a second run is to have nothing to do.
            loop {
                let next = next(&cases, &tried, true);
                if next.is_empty() {
                    return Ok(self.end(&cases, &tried));
                }
                let before = tried.repaired.len();
                for request in &next {
                    self.attempt(&cases, request, &mut tried).await?;
                }
                let Some(now) = self.again(&mut tried, before).await? else { return Ok(Status::Findings) };
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
            self.attempt(&cases, &request, &mut tried).await?;
            let Some(now) = self.again(&mut tried, before).await? else { return Ok(Status::Findings) };
            cases = now;
        }
        Ok(self.end(&cases, &tried))
    }

    /// Looks again after repairs, and says of those after the first `before` what is still found. Nothing where the
    /// cluster cannot be read any more: what was written is no failure to read.
    async fn again(&self, tried: &mut Tried, before: usize) -> Result<Option<Vec<Case>>, Error> {
        match self.cases(tried).await {
            Ok(cases) => {
                self.still_found(&cases, &tried.repaired[before..]);
                Ok(Some(cases))
            }
            Err(error) if tried.repaired.is_empty() && !tried.surprised => Err(error),
            Err(error) => {
                self.asker.error(&error);
                self.asker.message(
                    "note: what is left could not be looked at; `kubectl pvctl history` lists the repairs that were made",
                );
                Ok(None)
            }
        }
    }

    /// Shows what would be done: with --yes what is done without being asked, else the first repair of each finding.
    async fn rehearse(&self, cases: &[Case], tried: &mut Tried) -> Result<Status, Error> {
        let only_safe = self.options.repair.yes;
        let next = next(cases, tried, only_safe);
        for request in &next {
            self.attempt(cases, request, tried).await?;
        }
        if only_safe && next.is_empty() && !cases.is_empty() {
            self.asker.message("note: --yes would repair nothing of this: no repair is safe without being asked");
        } else if only_safe && !next.is_empty() {
            self.asker.message("note: after these repairs --yes looks again for what they bring up");
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
    async fn attempt(&self, cases: &[Case], request: &Request, tried: &mut Tried) -> Result<(), Error> {
        tried.requests.push(request.clone());
        match self.make(request).await {
            Ok(Status::Done) => {
                let asked = cases.iter().filter(|case| case.repairs.iter().any(|plan| plan.request == *request));
                tried.repaired.extend(asked.map(Case::key));
            }
            // It was carried out, and what came of it is not what was predicted, as was said.
            Ok(_) => tried.surprised = true,
            Err(error) => match error.kind() {
                ErrorKind::Refused | ErrorKind::Changed | ErrorKind::Usage | ErrorKind::Unreadable => {
                    self.asker.error(&error);
                    tried.failed.get_or_insert(error.kind());
                }
                ErrorKind::Partial | ErrorKind::Bug | ErrorKind::Interrupted | ErrorKind::OutputClosed => {
                    return Err(error);
                }
            },
        }
        Ok(())
    }

    /// Makes one repair on the world as it is now.
    async fn make(&self, request: &Request) -> Result<Status, Error> {
        let run = Run::new(&self.options.repair, self.cluster, self.asker).await?;
        run.repair(PlanSource::RepairRequest(request.clone())).await
    }

    /// Says of what was just repaired that it is still found: what a repair makes harmless may still be there.
    fn still_found(&self, cases: &[Case], done: &[FindingKey]) {
        for case in cases.iter().filter(|case| done.contains(&case.key())) {
            self.asker.message(&format!("note: {} is still found on {}", case.id, case.object));
        }
    }

    /// What is wrong in scope, roots first, with what repairs it. What could not be read is said the first time.
    async fn cases(&self, tried: &mut Tried) -> Result<Vec<Case>, Error> {
        let gathered = self.gather().await?;
        if tried.requests.is_empty() {
            for note in &gathered.notes {
                self.asker.message(note);
            }
        }
        let mut world = World::new(gathered, &self.options.repair.read.model);
        let (found, unread) = self.look(&world)?;
        tried.unread = unread;
        let mut cases = Vec::new();
        for finding in found {
            let mut proposed = Vec::new();
            for request in repair::repairs(&world.situation()?, &finding) {
                let plan = world.propose(self.cluster, &request).await?;
                proposed.push((request, plan));
            }
            cases.push(Case::new(&finding, proposed));
        }
        Ok(cases)
    }

    async fn gather(&self) -> Result<Gathered, Error> {
        let surroundings = reads(rules::all());
        let evidence = Evidence {
            nodes: true,
            pods: true,
            pods_in: &[],
            recyclers: true,
            lease: true,
            surroundings: &surroundings,
        };
        let question = Question { evidence, ..self.options.repair.read.question() };
        from_cluster(self.cluster, question).await
    }

    /// The findings in scope that are not kept back: roots before what follows from them, the worst first. And whether
    /// there may be others, because something could not be read.
    fn look(&self, world: &World<'_>) -> Result<(Vec<Finding>, bool), Error> {
        let gathered = &world.gathered;
        let snapshot = world.snapshot();
        let simulation = simulation(snapshot, world.situation()?.settings, gathered.threads);
        let named = named::with_ties(snapshot, &self.options.objects, gathered.named_namespace())?;
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
        let unread =
            missing.any(|missing| keeps_from_judging(missing.kind)) || gathered.dropped() || gathered.unlisted(&JUDGED);
        let only = &self.options.only;
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

    /// Shows what was found, before anything is asked.
    fn show(&self, cases: &[Case], tried: &Tried) -> Result<(), Error> {
        let what = if self.options.only.is_empty() { "that fix knows of" } else { "that the rules of --only look for" };
        let how_far = if tried.unread { ", as far as it could be read" } else { "" };
        self.asker.show(Shown::Cases(cases, &format!("Nothing is wrong {what}{how_far}.")))
    }

    /// Which repair is next; nothing where there is none, or the person leaves.
    fn choose(&self, open: &[&Plan]) -> Result<Option<Request>, Error> {
        if open.is_empty() {
            return Ok(None);
        }
        let mut items: Vec<String> =
            open.iter().map(|plan| format!("{}: {}", plan.request.verb(), plan.goal)).collect();
        items.push("leave the rest as it is".to_owned());
        let chosen = self.asker.choose("Next repair (Esc leaves)", &items)?;
        Ok(chosen.and_then(|at| open.get(at)).map(|plan| plan.request.clone()))
    }

    /// How it ended: what is still found and was not repaired is left. A repair that makes something harmless leaves
    /// the finding, and is a repair all the same.
    fn end(&self, cases: &[Case], tried: &Tried) -> Status {
        let is_left = |case: &&Case| {
            !tried.repaired.contains(&case.key())
                || case.repairs.iter().any(|plan| !tried.requests.contains(&plan.request))
        };
        let left: Vec<&Case> = cases.iter().filter(is_left).collect();
        for case in &left {
            self.asker.message(&format!("left: {} on {}", case.id, case.object));
        }
        if !(tried.requests.is_empty() && left.is_empty()) {
            self.asker.message(&self.sum(&left, tried));
        }
        match tried.failed {
            Some(kind) if self.options.repair.yes && tried.repaired.is_empty() && !tried.surprised => unmade(kind),
            None if tried.surprised => Status::Findings,
            None if left.is_empty() && tried.unread && tried.repaired.is_empty() => Status::Unjudged,
            None if left.is_empty() => Status::Done,
            Some(_) | None => Status::Findings,
        }
    }

    /// How many findings are repaired and how many are left, in a line.
    fn sum(&self, left: &[&Case], tried: &Tried) -> String {
        let open: BTreeSet<FindingKey> = left.iter().map(|case| case.key()).collect();
        let repaired: BTreeSet<&FindingKey> = tried.repaired.iter().filter(|found| !open.contains(*found)).collect();
        let findings = if repaired.len() == 1 { "finding" } else { "findings" };
        let why = if !tried.requests.is_empty() {
            ""
        } else if left.iter().all(|case| case.repairs.is_empty()) {
            ": fix has no repair for what is left"
        } else if self.options.repair.yes {
            ": no repair of what is left is safe without being asked"
        } else {
            ""
        };
        format!("{} {findings} repaired, {} left{why}", repaired.len(), left.len())
    }
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
    repaired: Vec<FindingKey>,
    /// Why the first repair was not made that was not.
    failed: Option<ErrorKind>,
    /// Whether a repair was made and the result is not as it was predicted.
    surprised: bool,
    /// Whether more may be wrong, because something could not be read.
    unread: bool,
}
