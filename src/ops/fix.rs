//! `fix`: finds problems and their repairs, and makes one repair after another. Each repair is shown, and carried out
//! if the person agrees. Then the objects are diagnosed again.

use super::gather::{Evidence, Gathered, JUDGED, Question, from_cluster, keeps_from_judging};
use super::repair::{Extent, PlanSource, RepairOptions, Run, World};
use super::rules::{all_reads, matching, unknown};
use super::scope::{is_of, object_belongs_to};
use super::{Asker, Shown, Status, Writer, named};
use crate::diagnosis::{AuditSettings, Finding, Severity, diagnose_named, matches_glob, rules};
use crate::engines::simulation;
use crate::error::{Error, ErrorKind};
use crate::model::{ObjectArgument, ObjectKey};
use crate::repair::{self, Case, FindingKey, Plan, Request};
use std::collections::BTreeSet;

/// The options of `fix`.
#[derive(Clone, Debug)]
pub struct FixOptions {
    /// The objects that were named. If there are none, all objects in scope are repaired.
    pub objects: Vec<ObjectArgument>,
    /// The rules whose findings are repaired. If there are none, the findings of all rules are repaired.
    pub only: Vec<String>,
    /// The options of each repair. With [`RepairOptions::yes`] only safe repairs are made.
    pub repair: RepairOptions,
}

/// Checks that each of the words names at least one rule.
///
/// # Errors
/// Returns a usage error that names the wrong word.
pub fn check_rules(only: &[String]) -> Result<(), Error> {
    only.iter().find(|word| matching(word).next().is_none()).map_or(Ok(()), |word| Err(unknown("--only", word)))
}

/// Reports what is wrong, offers repairs and makes them.
///
/// # Errors
/// Returns an error if something cannot be read, if a repair is refused, or if it stops.
pub async fn fix(options: &FixOptions, cluster: &impl Writer, asker: &impl Asker) -> Result<Status, Error> {
    Fix { options, cluster, asker }.run().await
}

/// Returns the next repairs that are made without asking the person to choose, in order and without duplicates. For
/// each finding it is the first repair that was not tried yet, because one repair is enough for a finding. If this
/// repair retains a volume, all repairs of the finding that retain volumes are returned.
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

/// The largest number of findings that are shown one by one.
const MOST_SHOWN: usize = 5;

/// One run of `fix`.
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
            // A repair may reveal further findings, and a second run of `fix` should have nothing to do.
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
                // A repair that is the same for several findings is offered once.
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

    /// Diagnoses again after repairs, and says which findings remain although their repair was made. The first `before`
    /// repairs are not reported again. If a repair was written and the cluster cannot be read any more, the result is
    /// `None` and not an error.
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
                    "note: the remaining findings could not be determined; `kubectl pvctl history` lists the repairs \
                     that were made",
                );
                Ok(None)
            }
        }
    }

    /// Shows what would be done. With `--yes` these are the repairs that are made without a question, otherwise the
    /// first repair of each finding.
    async fn rehearse(&self, cases: &[Case], tried: &mut Tried) -> Result<Status, Error> {
        let only_safe = self.options.repair.yes;
        let next = next(cases, tried, only_safe);
        for request in &next {
            self.attempt(cases, request, tried).await?;
        }
        if only_safe && next.is_empty() && !cases.is_empty() {
            self.asker.message(
                "note: --yes would repair none of these findings: none has a repair that is safe without asking",
            );
        } else if only_safe && !next.is_empty() {
            self.asker.message("note: after these repairs, --yes would look for further findings and repair them");
        }
        Ok(match tried.failed {
            Some(kind) if tried.repaired.is_empty() => unmade(kind),
            Some(_) => Status::Findings,
            None if !cases.is_empty() => Status::Findings,
            None if tried.unread => Status::Unjudged,
            None => Status::Done,
        })
    }

    /// Makes one repair. If it cannot be made, the reason is shown and the next repair can be tried. A repair that
    /// stops after it has begun, and Ctrl-C, end the whole run.
    async fn attempt(&self, cases: &[Case], request: &Request, tried: &mut Tried) -> Result<(), Error> {
        tried.requests.push(request.clone());
        match self.make(request).await {
            Ok(Status::Done) => {
                let asked = cases.iter().filter(|case| case.repairs.iter().any(|plan| plan.request == *request));
                tried.repaired.extend(asked.map(Case::key));
            }
            // The repair was carried out, and its result differs from the prediction. A warning about this was shown.
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

    /// Makes one repair for the present state of the cluster.
    async fn make(&self, request: &Request) -> Result<Status, Error> {
        let run = Run::new(&self.options.repair, self.cluster, self.asker).await?;
        run.repair(PlanSource::Request(request.clone())).await
    }

    /// Says which repaired findings still exist. A repair that makes a finding harmless does not remove it.
    fn still_found(&self, cases: &[Case], done: &[FindingKey]) {
        for case in cases.iter().filter(|case| done.contains(&case.key())) {
            self.asker.message(&format!("note: {} is still found on {}", case.id, case.object));
        }
    }

    /// Returns the findings in scope with their repairs, roots first. Notes about the reading are shown the first time.
    async fn cases(&self, tried: &mut Tried) -> Result<Vec<Case>, Error> {
        let gathered = self.gather().await?;
        if tried.requests.is_empty() {
            for note in &gathered.notes {
                self.asker.message(note);
            }
        }
        let mut world = World::new(gathered, &self.options.repair.read.model);
        let (found, unread) = self.findings(&world)?;
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
        let surroundings = all_reads();
        let evidence = Evidence::of_rules(rules::all(), &surroundings);
        let question = Question { evidence, ..self.options.repair.read.question() };
        from_cluster(self.cluster, question).await
    }

    /// Returns the findings in scope that are not suppressed: roots before consequences, and the worst first. A finding
    /// with severity info is left out, unless its object was named, and the problem may still end by itself or the
    /// deletion of the data was requested. Also returns whether there may be further findings because something could
    /// not be read.
    fn findings(&self, world: &World<'_>) -> Result<(Vec<Finding>, bool), Error> {
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
        let scrutiny =
            AuditSettings { rules: rules::all(), suppressions: &[], scope: &in_scope, providers: &gathered.providers };
        // Problems of named objects are reported immediately. Other problems may be reported only after they have
        // existed for some time.
        let is_named = |object: &ObjectKey| named.as_ref().is_some_and(|named| named.contains(object));
        let mut findings = diagnose_named(&simulation, scrutiny, &is_named, gathered.threads);
        let concerned = findings.narrow(&is_own);
        let mut missing = findings.unjudged.values().flatten();
        let unread =
            missing.any(|missing| keeps_from_judging(missing.kind)) || gathered.dropped() || gathered.unlisted(&JUDGED);
        let only = &self.options.only;
        let is_wanted = |id: &str| only.is_empty() || only.iter().any(|word| matches_glob(word, id));
        let mut found: Vec<Finding> = findings
            .listed
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

    /// Shows the findings before anything is asked. If there are many and a person chooses among their repairs, only
    /// their number is shown, so that the list of repairs can be seen.
    fn show(&self, cases: &[Case], tried: &Tried) -> Result<(), Error> {
        let chooses = self.options.repair.extent == Extent::CarryOut && !self.options.repair.yes;
        if chooses && cases.len() > MOST_SHOWN {
            let with_repair = cases.iter().filter(|case| !case.repairs.is_empty()).count();
            self.asker.message(&format!(
                "{} findings, {with_repair} of them with a repair; `kubectl pvctl audit` shows all of them",
                cases.len()
            ));
            return Ok(());
        }
        let what = if self.options.only.is_empty() { "" } else { " for the rules of --only" };
        let how_far = if tried.unread { ", but not everything could be read" } else { "" };
        self.asker.show(Shown::Cases(cases, &format!("fix found no problem{what}{how_far}.")))
    }

    /// Asks for the next repair. Returns `None` if there is none, or if the person chooses none.
    fn choose(&self, open: &[&Plan]) -> Result<Option<Request>, Error> {
        if open.is_empty() {
            return Ok(None);
        }
        let mut items: Vec<String> =
            open.iter().map(|plan| format!("{}: {}", plan.request.verb(), plan.goal)).collect();
        items.push("make no further repair".to_owned());
        let chosen = self.asker.choose("Next repair (Esc ends)", &items)?;
        Ok(chosen.and_then(|at| open.get(at)).map(|plan| plan.request.clone()))
    }

    /// Reports the remaining findings and returns the status. A finding whose repair was made is not reported as
    /// remaining, even if the repair only made it harmless.
    fn end(&self, cases: &[Case], tried: &Tried) -> Status {
        let is_left = |case: &&Case| {
            !tried.repaired.contains(&case.key())
                || case.repairs.iter().any(|plan| !tried.requests.contains(&plan.request))
        };
        let left: Vec<&Case> = cases.iter().filter(is_left).collect();
        for case in left.iter().take(MOST_SHOWN) {
            self.asker.message(&format!("left: {} on {}", case.id, case.object));
        }
        if left.len() > MOST_SHOWN {
            let more = left.len() - MOST_SHOWN;
            self.asker.message(&format!("left: and {more} more; `kubectl pvctl audit` shows all of them"));
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

    /// Returns one line that says how many findings are repaired and how many remain.
    fn sum(&self, left: &[&Case], tried: &Tried) -> String {
        let open: BTreeSet<FindingKey> = left.iter().map(|case| case.key()).collect();
        let repaired: BTreeSet<&FindingKey> = tried.repaired.iter().filter(|found| !open.contains(*found)).collect();
        let findings = if repaired.len() == 1 { "finding" } else { "findings" };
        let why = if !tried.requests.is_empty() {
            ""
        } else if left.iter().all(|case| case.repairs.is_empty()) {
            ": fix has no repair for the remaining findings"
        } else if self.options.repair.yes {
            ": no repair of the remaining findings is safe without asking"
        } else {
            ""
        };
        format!("{} {findings} repaired, {} left{why}", repaired.len(), left.len())
    }
}

/// Returns the status of a run in which no repair could be made. If the repair was refused, only a person can repair
/// the finding, so the status is [`Status::Findings`]. A second run, which has no other repairs to make, then has the
/// same status as the first run.
fn unmade(kind: ErrorKind) -> Status {
    if kind == ErrorKind::Refused { Status::Findings } else { Status::Failed(kind) }
}

/// The repairs that were tried so far.
#[derive(Default)]
struct Tried {
    requests: Vec<Request>,
    repaired: Vec<FindingKey>,
    /// The reason why the first repair that failed was not made.
    failed: Option<ErrorKind>,
    /// Whether a repair was made and its result differs from the prediction.
    surprised: bool,
    /// Whether more may be wrong because something could not be read.
    unread: bool,
}
