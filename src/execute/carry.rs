//! One run of a plan. It carries out the steps in order. It also handles steps that fail, or that others disturb.

use super::api::{Answer, Api, LONGEST, Status, is_that};
use super::doubt::{RequestFate, fate};
use super::error::{StopKind, Stopped};
use super::identity::{is_only_awaited, keeps_manifest};
use super::journal::Journal;
use super::kept;
use super::look::{again, decode, in_the_way};
use super::receipts::{Objection, is_quota, makes_room, refusal, try_out};
use super::record::Record;
use super::unless::unless;
use super::{Observer, Options, PlanCompletion, PlanEvent, ResolvedDoubt};
use crate::model::Str;
use crate::repair::{Change, Plan, Recheck, Request, Seen, Step, Undo, Wait, Waited, Write};
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum number of times that a step is tried again because its request certainly was refused or not sent.
const REFUSED: u32 = 5;
/// The maximum number of times that a step is tried again because its request got no answer.
const LOST: u32 = 2;
/// The pause before a step is tried again, unless the server asks for another pause.
const PAUSE: Duration = Duration::from_secs(1);
/// The pause before the creation of a claim is tried again, if a quota refused the claim.
const RECOUNT: Duration = Duration::from_secs(2);

/// Finds out whether the request that is in doubt was carried out.
pub(super) async fn resolve_doubt(api: Api<'_>, journal: &mut Journal) -> Result<ResolvedDoubt, Stopped> {
    let entry = journal.entry();
    let Some(step) = entry.in_doubt().cloned() else { return Ok(ResolvedDoubt::Nothing) };
    let (Some(write), Some(asked)) = (&step.write, entry.doubt(step.id)) else {
        return Ok(ResolvedDoubt::Nothing);
    };
    let now = api.get(&write.object).await?;
    let seen = decode(&write.object, now.as_ref())?;
    match fate(&entry.plan, write, step.wait.as_ref(), asked.before.as_ref(), now.as_ref(), seen.as_ref()) {
        RequestFate::Done => {
            let after = after(write, now);
            journal.add(Record::Done { step: step.id, after, was_so: false })?;
            Ok(ResolvedDoubt::Written)
        }
        RequestFate::NotDone => Ok(ResolvedDoubt::NotWritten),
        RequestFate::Unknown if write.obstacle(seen.as_ref()).is_none() => Ok(ResolvedDoubt::AsExpected),
        RequestFate::Unknown => Ok(ResolvedDoubt::Unknown),
    }
}

/// Returns the object that the journal records after a write. For a deletion, the journal records no object.
fn after(write: &Write, answer: Option<Value>) -> Option<Value> {
    if matches!(write.change, Change::Delete) { None } else { answer }
}

/// The result of an attempt to carry out a step.
enum Attempt {
    /// The write was carried out, or the object already was in the state that the step wants.
    Done { was_so: bool },
    /// The request certainly had no effect. A later attempt may succeed.
    Refused { why: String, pause: Duration },
    /// Whether the request was carried out is unknown.
    Lost { why: String },
}

/// The result of reading the object of a step.
enum ObservedStep {
    /// The object is as the step expects it, so the write can be sent.
    Fit(Option<Value>),
    /// There is nothing to write.
    Over(Attempt),
}

fn of_step(step: &Step, mut stop: Stopped) -> Stopped {
    stop.message = format!("step {}: {}", step.id, stop.message);
    stop
}

/// Ends the run if the person wants it to end.
fn check_interrupt(observer: &dyn Observer, step: u32) -> Result<(), Stopped> {
    if observer.interrupted() { Err(interrupted(step)) } else { Ok(()) }
}

fn interrupted(step: u32) -> Stopped {
    Stopped::new(StopKind::Interrupted, format!("interrupted at step {step}"))
}

/// Waits for work that writes nothing. The wait stops if the person wants the run to end.
async fn unless_interrupted<T>(
    observer: &dyn Observer,
    step: u32,
    work: impl Future<Output = T>,
) -> Result<T, Stopped> {
    match unless(|| observer.interrupted(), work).await {
        Some(done) => Ok(done),
        None => Err(interrupted(step)),
    }
}

/// One run of a plan.
pub(super) struct Run<'r> {
    api: Api<'r>,
    plan: &'r Plan,
    journal: &'r mut Journal,
    options: &'r Options,
    observer: &'r dyn Observer,
    /// Whether a step was already in doubt when this run began.
    inherited: bool,
}

impl<'r> Run<'r> {
    pub(super) fn new(
        api: Api<'r>,
        plan: &'r Plan,
        journal: &'r mut Journal,
        options: &'r Options,
        observer: &'r dyn Observer,
    ) -> Self {
        let inherited = journal.entry().in_doubt().is_some();
        Self { api, plan, journal, options, observer, inherited }
    }

    /// Carries out the steps, and records in the journal how the run ended.
    pub(super) async fn carry_out(&mut self) -> Result<PlanCompletion, Stopped> {
        if self.journal.is_rehearsal() {
            return Err(Stopped::refused("a plan is not carried out without a journal"));
        }
        let result = self.steps().await;
        result.map_err(|stop| self.stopped(stop))
    }

    async fn steps(&mut self) -> Result<PlanCompletion, Stopped> {
        self.save().await?;
        let mut outcome = PlanCompletion::default();
        for step in &self.plan.steps {
            self.step(step).await?;
            outcome.done.push(step.id);
        }
        // If the last step set policy Retain, the answer to that write already shows the policy.
        let is_policy = |step: &&Step| step.write.as_ref().is_some_and(Write::retains);
        if let Some(last) = self.plan.steps.last().filter(|step| !is_policy(step)) {
            kept::check(self.api, self.journal, last.id).await?;
        }
        self.journal.add(Record::Finished {})?;
        outcome.written = self.journal.entry().written();
        Ok(outcome)
    }

    /// Records that the run stopped. Adds to the error what this means for the whole plan, and what the person can do.
    fn stopped(&mut self, stop: Stopped) -> Stopped {
        let written = self.journal.entry().written();
        let stop = if written { self.leads_on(stop.partial()) } else { stop };
        // If this write also fails, the journal has no record of the end, but can still be read.
        let why = stop.message.clone();
        let is_lost = written && stop.volume_lost;
        let _ = self.journal.add(if is_lost { Record::Lost { why } } else { Record::Stopped { why, written } });
        stop
    }

    /// Adds hints that say what the person can do after a stop, if something was written.
    fn leads_on(&self, stop: Stopped) -> Stopped {
        let (id, entry) = (self.journal.id(), self.journal.entry());
        let doubt = entry.in_doubt().map(|step| step.id);
        let said = doubt.map(|step| {
            format!("the journal does not know whether step {step} was carried out; --continue finds this out")
        });
        let stop = said.into_iter().fold(stop, Stopped::cause);
        if stop.volume_lost {
            return stop.hint(keeps_manifest(entry));
        }
        let stop = stop.hint(format!("kubectl pvctl apply --continue {id} continues from here"));
        let lasting = entry.done().into_iter().find_map(|done| match done.step.undo {
            Undo::Impossible { why } if done.step.write.is_some() && !done.was_so => Some((done.step.id, why)),
            Undo::Impossible { .. } | Undo::Write { .. } | Undo::Nothing => None,
        });
        // An undo cannot itself be undone.
        match lasting {
            _ if matches!(self.plan.request, Request::Undo { .. }) => stop,
            Some((step, why)) => stop.hint(format!("step {step} cannot be undone: {why}")),
            None => stop.hint(format!("kubectl pvctl undo {id} undoes what was done")),
        }
    }

    /// Saves the complete objects in the journal before anything is written.
    async fn save(&mut self) -> Result<(), Stopped> {
        let first = self.plan.steps.first().map_or(1, |step| step.id);
        for object in &self.plan.saves {
            if self.journal.entry().saved().iter().any(|(saved, _)| saved == object) {
                continue;
            }
            let Some(manifest) = unless_interrupted(self.observer, first, self.api.get(object)).await?? else {
                if is_only_awaited(self.plan, object) {
                    continue;
                }
                return Err(Stopped::changed(format!("{object} does not exist any more")));
            };
            self.journal.add(Record::Saved { object: object.clone(), manifest })?;
        }
        Ok(())
    }

    fn interrupted(&self, step: &Step) -> Result<(), Stopped> {
        check_interrupt(self.observer, step.id)
    }

    /// Carries out the rechecks of a step.
    async fn recheck(&self, step: &Step) -> Result<(), Stopped> {
        for recheck in &step.recheck {
            let looked = unless_interrupted(self.observer, step.id, again(self.api, recheck)).await?;
            looked.map_err(|stop| of_step(step, stop))?;
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<(), Stopped> {
        self.observer.event(PlanEvent::StepStarts { step });
        let was_so = if let Some(write) = &step.write {
            self.write(step, write).await?
        } else {
            kept::check(self.api, self.journal, step.id.saturating_sub(1)).await?;
            self.recheck(step).await?;
            false
        };
        if let Some(wait) = &step.wait {
            self.wait(step, wait).await?;
        }
        self.observer.event(PlanEvent::StepDone { step, was_so });
        Ok(())
    }

    /// Carries out a write. It tries the write again if an attempt certainly had no effect, or got no answer.
    async fn write(&mut self, step: &Step, write: &Write) -> Result<bool, Stopped> {
        let (mut refused, mut lost) = (0, 0);
        loop {
            let (why, pause) = match self.attempt(step, write, refused < REFUSED).await? {
                Attempt::Done { was_so } => return Ok(was_so),
                Attempt::Refused { why, pause } => {
                    refused += 1;
                    (why, pause)
                }
                Attempt::Lost { why } => {
                    lost += 1;
                    (why, PAUSE)
                }
            };
            if refused > REFUSED || lost > LOST {
                let settled = resolve_doubt(self.api, self.journal);
                if unless_interrupted(self.observer, step.id, settled).await?? == ResolvedDoubt::Written {
                    return Ok(false);
                }
                let message = format!("step {}: no request to {} {} succeeded", step.id, write.verb(), write.object);
                return Err(Stopped::unreadable(message).cause(why));
            }
            self.observer.event(PlanEvent::Again { step, why: &why });
            unless_interrupted(self.observer, step.id, tokio::time::sleep(pause)).await?;
        }
    }

    /// Makes one attempt. The attempt begins by reading the object again. `patient` says that a refusal by a quota may
    /// be temporary: the quota may still count a claim that this plan has deleted.
    async fn attempt(&mut self, step: &Step, write: &Write, patient: bool) -> Result<Attempt, Stopped> {
        let current = match self.observe(step, write).await? {
            ObservedStep::Fit(current) => current,
            ObservedStep::Over(attempt) => return Ok(attempt),
        };
        let tried = unless_interrupted(self.observer, step.id, try_out(self.api, write, current.as_ref())).await?;
        match tried.map_err(|stop| of_step(step, stop))? {
            Ok(()) => {}
            Err(Objection::Refused(status)) if patient && self.is_counted_still(step, write, &status) => {
                return Ok(Attempt::Refused { why: status.to_string(), pause: RECOUNT });
            }
            Err(Objection::Refused(status)) => return self.conflict(step, write, &status).await,
            Err(Objection::Altered(why)) => return Err(altered(step, write, &why)),
        }
        // The dry run may have taken some time, so the object is read once more.
        let current = match self.observe(step, write).await? {
            ObservedStep::Fit(current) => current,
            ObservedStep::Over(attempt) => return Ok(attempt),
        };
        kept::check(self.api, self.journal, step.id.saturating_sub(1)).await?;
        if let Err(stop) = self.recheck(step).await {
            // A request of an earlier attempt may have arrived in the meantime, and may be the cause of the change.
            if stop.kind == StopKind::Changed
                && self.journal.entry().doubt(step.id).is_some()
                && let ObservedStep::Over(attempt) = self.observe(step, write).await?
            {
                return Ok(attempt);
            }
            return Err(stop);
        }
        let Some(request) = write.request(current.as_ref(), false) else {
            return Err(Stopped::changed(format!(
                "step {}: {}: what the step removes does not exist any more",
                step.id, write.object
            )));
        };
        self.interrupted(step)?;
        // From now on, a request that is in doubt was sent by this run.
        self.inherited = false;
        let in_doubt = self.journal.entry().doubt(step.id).is_some();
        self.journal.add(Record::intent(step.id, &request, current.clone()))?;
        let answer =
            self.api.send(request.method, &request.path, Some(request.content_type), Some(&request.body)).await;
        match answer {
            Answer::Success(found) if answers(write, &found) => match write.differs_stored(current.as_ref(), &found) {
                None => self.done(step, write, Some(found)),
                Some(why) => {
                    self.journal.add(Record::Altered { step: step.id, after: found, why: why.clone() })?;
                    Err(altered(step, write, &why))
                }
            },
            Answer::Success(_) => Ok(Attempt::Lost { why: "the answer does not belong to this request".to_owned() }),
            Answer::Lost(why) => Ok(Attempt::Lost { why }),
            Answer::Unsent(why) => self.refused(step, in_doubt, why, PAUSE),
            Answer::Failure(status) if status.code == 429 || (status.code == 503 && status.from_kubernetes) => {
                let pause = status.retry_after.unwrap_or(PAUSE).min(LONGEST);
                self.refused(step, in_doubt, status.to_string(), pause)
            }
            Answer::Failure(status) if status.code >= 500 || status.code == 408 => {
                Ok(Attempt::Lost { why: status.to_string() })
            }
            // After a request without an answer, this refusal may be an effect of that request.
            Answer::Failure(status) if in_doubt && matches!(status.code, 404 | 409 | 422) => {
                Ok(Attempt::Lost { why: status.to_string() })
            }
            Answer::Failure(status) => {
                let again = self.refused(step, in_doubt, status.to_string(), RECOUNT)?;
                if patient && self.is_counted_still(step, write, &status) {
                    return Ok(again);
                }
                self.conflict(step, write, &status).await
            }
        }
    }

    /// Handles a refusal of a write. The run continues only if somebody else has just made exactly the same change.
    async fn conflict(&mut self, step: &Step, write: &Write, status: &Status) -> Result<Attempt, Stopped> {
        let stop = refusal(write, step.id, status);
        if status.code != 409 {
            return Err(stop);
        }
        match self.observe(step, write).await {
            Ok(ObservedStep::Over(attempt)) => Ok(attempt),
            Err(other) if other.kind != StopKind::Changed => Err(other),
            Ok(ObservedStep::Fit(_)) | Err(_) => Err(stop),
        }
    }

    /// Reads the object of a step, and compares it with what the step expects.
    async fn observe(&mut self, step: &Step, write: &Write) -> Result<ObservedStep, Stopped> {
        self.interrupted(step)?;
        let current = unless_interrupted(self.observer, step.id, self.api.get(&write.object)).await??;
        let seen = decode(&write.object, current.as_ref())?;
        if let Some(asked) = self.journal.entry().doubt(step.id) {
            let wait = step.wait.as_ref();
            match fate(self.plan, write, wait, asked.before.as_ref(), current.as_ref(), seen.as_ref()) {
                RequestFate::Done => return self.done(step, write, current).map(ObservedStep::Over),
                RequestFate::NotDone => {}
                // The person knows about the doubt and wants to continue. So the object only has to be as the step
                // expects it.
                RequestFate::Unknown if self.inherited => {}
                RequestFate::Unknown => {
                    let message = format!(
                        "step {}: nobody can know whether the request to {} {} was carried out: it had no answer, and \
                         the object has changed since then",
                        step.id,
                        write.verb(),
                        write.object
                    );
                    return Err(Stopped::changed(message));
                }
            }
        }
        if write.is_so_already(seen.as_ref()) {
            // Somebody else wrote the claimRef, perhaps without checking who uses the volume.
            if matches!(write.change, Change::SetClaimRef { .. }) {
                self.recheck(step).await?;
            }
            self.journal.add(Record::Done { step: step.id, after: current, was_so: true })?;
            return Ok(ObservedStep::Over(Attempt::Done { was_so: true }));
        }
        match write.obstacle(seen.as_ref()) {
            Some(obstacle) => Err(of_step(step, in_the_way(write, &obstacle))),
            None => Ok(ObservedStep::Fit(current)),
        }
    }

    /// Returns whether a quota may refuse a claim only because it still counts a claim that an earlier step has
    /// deleted. The quota controller updates the count some time later.
    fn is_counted_still(&self, step: &Step, write: &Write, status: &Status) -> bool {
        let mut earlier = self.journal.entry().plan.steps.iter().take_while(|earlier| earlier.id < step.id);
        let deletes = |earlier: &Write| {
            matches!(earlier.change, Change::Delete) && earlier.object.namespace == write.object.namespace
        };
        matches!(write.change, Change::Create { .. })
            && is_quota(status)
            && earlier.any(|earlier| earlier.write.as_ref().is_some_and(deletes))
    }

    /// Records that a request was not carried out, unless an earlier request of the same step is in doubt.
    fn refused(&mut self, step: &Step, in_doubt: bool, why: String, pause: Duration) -> Result<Attempt, Stopped> {
        if !in_doubt {
            self.journal.add(Record::Refused { step: step.id, why: why.clone() })?;
        }
        Ok(Attempt::Refused { why, pause })
    }

    fn done(&mut self, step: &Step, write: &Write, answer: Option<Value>) -> Result<Attempt, Stopped> {
        let record = Record::Done { step: step.id, after: after(write, answer), was_so: false };
        self.journal.add(record).map_err(|mut stop| {
            stop.message = format!("step {} was carried out, but then {}", step.id, stop.message);
            stop
        })?;
        Ok(Attempt::Done { was_so: false })
    }

    /// Reads the objects repeatedly, until the condition of the wait is met.
    async fn wait(&mut self, step: &Step, wait: &Wait) -> Result<(), Stopped> {
        let begun = Instant::now();
        loop {
            self.interrupted(step)?;
            // The policy is also checked after the condition is met, because a later step may allow the deletion of the
            // data.
            let kept = kept::check(self.api, self.journal, step.id).await;
            let judged = match kept {
                Err(stop) if stop.kind != StopKind::Unreadable => return Err(stop),
                Err(stop) => Err(stop),
                Ok(()) => unless_interrupted(self.observer, step.id, self.judge(step, wait)).await?,
            };
            let so_far = match judged {
                Ok(Waited::Met) => {
                    kept::check(self.api, self.journal, step.id).await?;
                    break;
                }
                Ok(Waited::Never(why)) => {
                    let message = format!("step {} waits until {wait}, but this cannot happen: {why}", step.id);
                    return Err(Stopped::changed(message));
                }
                Ok(Waited::Lost(why)) => {
                    return Err(Stopped::volume_lost(format!(
                        "step {} waits until {wait}, but this cannot happen: {why}",
                        step.id
                    )));
                }
                Ok(Waited::NotYet(so_far)) => so_far,
                Err(stop) => stop.causes.iter().fold(stop.message, |said, cause| format!("{said}: {cause}")),
            };
            let waited = begun.elapsed();
            if waited >= self.options.wait_limit {
                let seconds = waited.as_secs();
                let message =
                    format!("step {} gave up after {seconds} s: it waits until {wait}, but now {so_far}", step.id);
                let stop = Stopped::changed(message);
                return Err(stop.hint("--timeout DURATION makes it wait longer, for example --timeout 10m"));
            }
            self.observer.event(PlanEvent::Waiting { step, what: wait, seconds: waited.as_secs(), so_far: &so_far });
            let pause = self.options.poll.min(self.options.wait_limit.saturating_sub(waited));
            unless_interrupted(self.observer, step.id, tokio::time::sleep(pause)).await?;
        }
        self.journal.add(Record::Waited { step: step.id })
    }

    async fn judge(&self, step: &Step, wait: &Wait) -> Result<Waited, Stopped> {
        let (mut claim, mut volume) = (None, None);
        for object in wait.objects() {
            let manifest = self.api.get_once(&object).await?;
            match decode(&object, manifest.as_ref())? {
                Some(Seen::Claim(seen)) => claim = Some(seen),
                Some(Seen::Volume(seen)) => volume = Some(seen),
                Some(Seen::Attachment(_) | Seen::Service(_)) | None => {}
            }
        }
        // The claim that the step created may be gone, and another claim may have its name.
        let wait = match (wait, self.created(step)) {
            (Wait::Bound { namespace, name, volume, .. }, Some(uid)) => {
                &Wait::Bound { namespace: namespace.clone(), name: name.clone(), uid, volume: volume.clone() }
            }
            (wait, _) => wait,
        };
        Ok(wait.judge(claim.as_deref(), volume.as_deref()))
    }

    /// Returns the uid of the claim that a step created.
    fn created(&self, step: &Step) -> Option<Str> {
        let entry = self.journal.entry();
        let written = entry.plan.steps.iter().find(|known| known.id == step.id)?.write.as_ref()?;
        if !matches!(written.change, Change::Create { .. }) {
            return None;
        }
        entry.after(step.id)?["metadata"]["uid"].as_str().map(Str::from)
    }

    /// Sends the writes to the server in a dry run. A write that depends on an earlier write is not tried.
    pub(super) async fn rehearse(&mut self) -> Result<PlanCompletion, Stopped> {
        let mut outcome = PlanCompletion::default();
        let mut emptied: Vec<&Str> = Vec::new();
        let mut first = true;
        for step in &self.plan.steps {
            let Some(write) = &step.write else { continue };
            self.interrupted(step)?;
            self.observer.event(PlanEvent::StepStarts { step });
            let tried = self.rehearse_step(step, write, &emptied);
            match unless_interrupted(self.observer, step.id, tried).await?? {
                Ok(was_so) => {
                    outcome.done.push(step.id);
                    self.observer.event(PlanEvent::StepDone { step, was_so });
                }
                Err(stop) if first || stop.kind != StopKind::Changed => return Err(stop),
                Err(stop) => {
                    outcome.untried.push(step.id);
                    self.observer.event(PlanEvent::Untried { step, why: &stop.message });
                }
            }
            if matches!(write.change, Change::Delete) {
                emptied.push(&write.object.namespace);
            }
            first = false;
        }
        Ok(outcome)
    }

    /// Tries one write in a dry run. An obstacle is not a failure here, because an earlier step may remove it.
    async fn rehearse_step(
        &self,
        step: &Step,
        write: &Write,
        emptied: &[&Str],
    ) -> Result<Result<bool, Stopped>, Stopped> {
        let current = self.api.get(&write.object).await?;
        let seen = decode(&write.object, current.as_ref())?;
        if write.is_so_already(seen.as_ref()) {
            return Ok(Ok(true));
        }
        if let Some(obstacle) = write.obstacle(seen.as_ref()) {
            return Ok(Err(in_the_way(write, &obstacle)));
        }
        // An earlier step reserves the volume. The server accepts the claim even if the volume is not reserved yet.
        let looked_at = step.recheck.iter().filter(|recheck| !matches!(recheck, Recheck::Reserved { .. }));
        for recheck in looked_at {
            if let Err(stop) = again(self.api, recheck).await {
                return Ok(Err(stop));
            }
        }
        let refused = |objection: Objection| match objection {
            Objection::Altered(why) => altered(step, write, &why),
            Objection::Refused(status) => {
                let stop = refusal(write, step.id, &status);
                if makes_room(&status, write, emptied) { Stopped { kind: StopKind::Changed, ..stop } } else { stop }
            }
        };
        Ok(try_out(self.api, write, current.as_ref()).await?.map(|()| false).map_err(refused))
    }
}

/// Returns the error for a write that the API server stores differently from what was sent.
fn altered(step: &Step, write: &Write, why: &str) -> Stopped {
    Stopped::refused(format!(
        "step {}: the API server does not store what was sent to {} {}: {why}",
        step.id,
        write.verb(),
        write.object
    ))
    .hint(
        "mutating admission changes it: kubectl get mutatingwebhookconfigurations,mutatingadmissionpolicybindings \
         shows \
         what may do so",
    )
}

/// Returns whether a successful answer belongs to this write. The answer to a deletion is either the object or a
/// `Status`.
fn answers(write: &Write, found: &Value) -> bool {
    let same = || write.uid.is_empty() || found["metadata"]["uid"] == write.uid.as_str();
    match write.change {
        Change::Delete => (found["kind"] == "Status" && found["status"] == "Success") || is_that(&write.object, found),
        Change::SetReclaimPolicy { .. }
        | Change::SetClaimRef { .. }
        | Change::RemoveFinalizer { .. }
        | Change::NameVolume { .. }
        | Change::SetClass { .. }
        | Change::SetAnnotation { .. }
        | Change::Create { .. }
        | Change::CreateService { .. } => is_that(&write.object, found) && same(),
    }
}
