//! The only code that writes to the cluster. It carries out plans that a person has confirmed.
//!
//! Each step reads its object again, and compares the object with the expectations of the step. Then it sends the write
//! to the server in a dry run, and records the request in the [`Journal`]. After that it sends one conditional request.
//! If the cluster has changed, the plan stops.
//!
//! In two cases the object is read again and the request is repeated: the last request certainly had no effect, or it
//! had no answer and the object has not changed. Each request names the version of the object that was read, or the
//! name of a claim that does not exist. So the server carries out at most one of two such requests.

mod api;
mod carry;
mod check;
mod doubt;
mod error;
mod identity;
mod journal;
mod kept;
mod look;
mod receipts;
mod record;
mod unless;

pub use error::{StopKind, Stopped};
pub use journal::{End, Entry, Journal, Summary, Unread};
pub use unless::unless;

use crate::model::ObjectKey;
use crate::repair::{Confirmed, Manifests, Plan, Receipts, Sameness, Step, Wait};
use api::Api;
use carry::Run;
use kube::Client;
use record::Record;
use std::time::Duration;

/// The default time limit of one request.
const LIMIT: Duration = Duration::from_secs(30);

/// One finished request, without its content.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// The HTTP method.
    pub method: &'static str,
    /// The path and query.
    pub path: &'a str,
    /// The HTTP status. It is `None` if there was no answer.
    pub status: Option<u16>,
    /// The duration of the request, in milliseconds.
    pub milliseconds: u128,
}

/// A function that is called for each finished request.
pub type RequestObserver<'a> = &'a (dyn Fn(&Sent<'_>) + Send + Sync);

/// The access to the API server: kube's client, the time limit of one request, and the observer of requests. A client
/// can be converted to it.
#[derive(Clone, Copy)]
pub struct ApiAccess<'a> {
    client: &'a Client,
    limit: Duration,
    observer_of_requests: Option<RequestObserver<'a>>,
}

impl<'a> ApiAccess<'a> {
    /// Sets the time limit of each request. Zero means no limit.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit: if limit.is_zero() { Duration::MAX } else { limit }, ..self }
    }

    /// Sets the observer of requests.
    #[must_use]
    pub fn observed_by(self, observer_of_requests: RequestObserver<'a>) -> Self {
        Self { observer_of_requests: Some(observer_of_requests), ..self }
    }
}

impl std::fmt::Debug for ApiAccess<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ApiAccess").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl<'a> From<&'a Client> for ApiAccess<'a> {
    fn from(client: &'a Client) -> Self {
        Self { client, limit: LIMIT, observer_of_requests: None }
    }
}

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The time limit of one wait.
    pub wait_limit: Duration,
    /// The interval between two readings during a wait.
    pub poll: Duration,
    /// Whether the server only tries the writes in a dry run. In this case there is no journal and no wait.
    pub server_dry_run: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { wait_limit: Duration::from_mins(5), poll: Duration::from_secs(1), server_dry_run: false }
    }
}

/// An observer of a run. It receives each event, and can end the run at any time except during a write.
pub trait Observer: Sync {
    /// Receives an event.
    fn event(&self, event: PlanEvent<'_>);
    /// Returns whether the person wants the run to end. It is called before each write, and repeatedly while the run
    /// reads, makes a dry run or pauses.
    fn interrupted(&self) -> bool;
}

/// An event of a run.
#[derive(Clone, Copy, Debug)]
pub enum PlanEvent<'a> {
    /// A step begins.
    StepStarts {
        /// The step.
        step: &'a Step,
    },
    /// A step is tried again, because its request was refused, was not sent, or had no answer. If the request had no
    /// answer, the run first finds out whether the request was carried out.
    Again {
        /// The step.
        step: &'a Step,
        /// The reason.
        why: &'a str,
    },
    /// The condition of a wait is not met yet.
    Waiting {
        /// The step.
        step: &'a Step,
        /// The condition.
        what: &'a Wait,
        /// The time waited so far, in seconds.
        seconds: u64,
        /// The current state, in words.
        so_far: &'a str,
    },
    /// A step is done, and its wait is over.
    StepDone {
        /// The step.
        step: &'a Step,
        /// Whether the object was already in the state that the step wants, so that nothing was written.
        was_so: bool,
    },
    /// A rehearsal cannot try a step, because the step depends on earlier steps.
    Untried {
        /// The step.
        step: &'a Step,
        /// The obstacle that the earlier steps would remove.
        why: &'a str,
    },
}

/// The result of a plan that was carried out completely.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanCompletion {
    /// Whether something was written.
    pub written: bool,
    /// The steps that were carried out, or that a rehearsal tried.
    pub done: Vec<u32>,
    /// The steps that a rehearsal could not try, because they depend on earlier steps.
    pub untried: Vec<u32>,
}

/// The result for the step that is in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolvedDoubt {
    /// No step is in doubt.
    Nothing,
    /// The request was carried out, and the journal now records this.
    Written,
    /// The request was not carried out.
    NotWritten,
    /// Somebody else has written since then, so nobody can know whether the request was carried out. But the object is
    /// as the step expects it, so no effect of the request remains.
    AsExpected,
    /// Somebody else has written since then, so nobody can know whether the request was carried out. The object is not
    /// as the step expects it.
    Unknown,
}

/// Reads complete objects. An object that does not exist is left out.
///
/// # Errors
/// Returns an error if an object could not be read.
pub async fn manifests<'a>(way: impl Into<ApiAccess<'a>>, keys: &[ObjectKey]) -> Result<Manifests, Stopped> {
    let api = Api::new(way.into());
    let mut manifests = Manifests::default();
    for key in keys {
        if let Some(manifest) = api.get(key).await? {
            manifests.add(key.clone(), manifest);
        }
    }
    Ok(manifests)
}

/// Asks the API server for what a review needs: the rights, and dry runs of the writes that can be tried now. Writes
/// that would undo the plan are tried, too.
///
/// # Errors
/// Returns an error if the server does not answer, or if the object of the first step is not as the step expects it.
pub async fn receipts<'a>(way: impl Into<ApiAccess<'a>>, plan: &Plan) -> Result<Receipts, Stopped> {
    check::check(plan)?;
    receipts::receipts(Api::new(way.into()), plan).await
}

/// Carries out a plan. If [`Options::server_dry_run`] is set, the journal must be a [`Journal::rehearsal`].
///
/// # Errors
/// Returns why the plan was not carried out completely, and whether something was written.
pub async fn execute<'a>(
    way: impl Into<ApiAccess<'a>>,
    confirmed: Confirmed,
    journal: &mut Journal,
    options: &Options,
    observer: &dyn Observer,
) -> Result<PlanCompletion, Stopped> {
    let plan = confirmed.plan();
    check::check(plan)?;
    if journal.entry().plan != *plan || !journal.entry().is_fresh() {
        return Err(Stopped::refused("the journal belongs to another run"));
    }
    run(way.into(), plan, journal, options, observer).await
}

/// Continues a plan that stopped. The confirmed plan holds the remaining steps: [`Entry::remaining`].
///
/// # Errors
/// Returns why the plan was not carried out completely.
pub async fn resume<'a>(
    way: impl Into<ApiAccess<'a>>,
    confirmed: Confirmed,
    journal: &mut Journal,
    options: &Options,
    observer: &dyn Observer,
) -> Result<PlanCompletion, Stopped> {
    let plan = confirmed.plan();
    check::check(plan)?;
    if !check::same_but_for_expectations(&journal.entry().remaining(), plan) {
        return Err(Stopped::refused("the confirmed plan is not the remaining plan of the journal"));
    }
    run(way.into(), plan, journal, options, observer).await
}

async fn run(
    way: ApiAccess<'_>,
    plan: &Plan,
    journal: &mut Journal,
    options: &Options,
    observer: &dyn Observer,
) -> Result<PlanCompletion, Stopped> {
    let mut run = Run::new(Api::new(way), plan, journal, options, observer);
    if options.server_dry_run { run.rehearse().await } else { run.carry_out().await }
}

/// Finds out whether a request that is in doubt was carried out. If it was, the journal records this. This is done
/// before a journal is continued or undone. If no step remains, the journal is marked as finished, because the last run
/// could not do this.
///
/// # Errors
/// Returns an error if the object could not be read, or if the journal could not be written.
pub async fn resolve_doubt<'a>(way: impl Into<ApiAccess<'a>>, journal: &mut Journal) -> Result<ResolvedDoubt, Stopped> {
    let settled = carry::resolve_doubt(Api::new(way.into()), journal).await?;
    journal.close()?;
    Ok(settled)
}

/// Records that the goal of a journal's plan is reached, although the plan's run did not carry out all steps.
///
/// # Errors
/// Returns an error if the journal could not be written.
pub fn reached_by_others(journal: &mut Journal) -> Result<(), Stopped> {
    journal.add(Record::Finished {})
}

/// Checks, before a journal is continued or undone, that the objects that it knows are still the same. Which objects
/// are compared depends on how certain it is that this is the cluster of the journal. If the volume is gone, and the
/// journal has written something and is not finished, the journal records the loss.
///
/// # Errors
/// Returns an error if an object was replaced by another one, has other storage, or could not be read. Also returns an
/// error if a volume of an unfinished repair is gone.
pub async fn recognise<'a>(
    way: impl Into<ApiAccess<'a>>,
    journal: &mut Journal,
    sameness: Sameness,
) -> Result<(), Stopped> {
    let looked = identity::recognise(Api::new(way.into()), journal.entry(), sameness).await;
    if let Err(stop) = &looked
        && stop.volume_lost
        && journal.entry().written()
        && journal.entry().end != End::Finished
    {
        journal.add(Record::Lost { why: stop.message.clone() })?;
    }
    looked
}
