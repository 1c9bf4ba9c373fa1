//! Carrying out a plan that a person agreed to, or trying it on the API server.

use super::progress_reporter::ProgressReporter;
use super::rounds::{AgreedPlan, Round};
use super::{PlanSource, Run, World, ending};
use crate::error::{Error, ErrorKind};
use crate::execute::{Journal, Options, PlanCompletion, StopKind};
use crate::model::Timestamp;
use crate::ops::{Asker, Interrupts as _, Status, Writer};
use crate::repair::{Confirmed, Reviewed};
use std::time::Duration;

/// The time between two checks of what a step waits for.
const POLL: Duration = Duration::from_secs(1);

impl<C: Writer, A: Asker> Run<'_, C, A> {
    /// Carries out a plan that a person agreed to, and shows the result.
    ///
    /// # Errors
    /// Returns an error if the plan stops.
    pub(super) async fn carry_out(
        &self,
        source: &mut PlanSource,
        world: &World<'_>,
        confirmed: Confirmed,
    ) -> Result<Round, Error> {
        let held = self.asker.hold_interrupts();
        let reporter = ProgressReporter::new(self.asker, &held, confirmed.plan());
        let options = Options { wait_limit: self.options.timeout, poll: POLL, server_dry_run: false };
        let now = world.gathered.read_at.unwrap_or(Timestamp(0));
        let plan = confirmed.plan().clone();
        let is_planned_anew = source.is_planned_anew();
        let mut fresh;
        let (journal, outcome) = if let PlanSource::Begun(journal) = source {
            let outcome = self.cluster.resume(confirmed, journal, &options, &reporter).await;
            (&**journal, outcome)
        } else {
            fresh = Journal::create(&self.options.journals, &plan, self.here.clone(), now)?;
            let outcome = self.cluster.execute(confirmed, &mut fresh, &options, &reporter).await;
            (&fresh, outcome)
        };
        let pressed = held.pressed();
        // If the person has already pressed Ctrl-C, the next Ctrl-C ends the process.
        let held = if pressed { None } else { Some(held) };
        let interrupted = |said: String| Error::new(ErrorKind::Interrupted, said);
        match outcome {
            Ok(_) => {
                let status = ending::finished(self.asker, self.cluster, &plan, journal, held.as_ref()).await;
                // A run that makes several repairs must not continue after Ctrl-C.
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
                let error = ending::stopped(stopped.into(), journal);
                if may_differ { Ok(Round::Changed(Box::new(AgreedPlan { plan, error }))) } else { Err(error) }
            }
        }
    }

    /// Sends each write that can be tried now to the API server, in a dry run.
    ///
    /// # Errors
    /// Returns an error if the API server refuses a write.
    pub(super) async fn rehearse(&self, reviewed: Reviewed) -> Result<Round, Error> {
        let name = reviewed.plan().type_name.clone();
        let confirmed = reviewed
            .confirm(name.as_deref())
            .map_err(|_| Error::bug("a plan does not take the name that it asks for"))?;
        let held = self.asker.hold_interrupts();
        let reporter = ProgressReporter::new(self.asker, &held, confirmed.plan());
        let options = Options { wait_limit: self.options.timeout, poll: POLL, server_dry_run: true };
        let mut journal = Journal::rehearsal(confirmed.plan());
        let outcome = self.cluster.execute(confirmed, &mut journal, &options, &reporter).await?;
        self.asker.message(&rehearsed(&outcome));
        Ok(Round::Ended(Status::Done))
    }
}

/// Describes the result of a dry run.
fn rehearsed(outcome: &PlanCompletion) -> String {
    let steps = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let tried = if outcome.done.is_empty() {
        "no step could be tried in a dry run".to_owned()
    } else {
        format!("the API server accepts steps {} in a dry run", steps(&outcome.done))
    };
    let untried = if outcome.untried.is_empty() {
        String::new()
    } else {
        format!("; steps {} depend on earlier steps and could not be tried", steps(&outcome.untried))
    };
    format!("note: {tried}{untried}; nothing was written (--dry-run=server)")
}
