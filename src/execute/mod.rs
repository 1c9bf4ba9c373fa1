//! The only writer: carries out plans that somebody has confirmed.
//!
//! Each step reads its object anew, looks at what it expects, has the server try the write, announces it in the
//! [`Journal`] and then sends one conditional request. A world that has changed stops the plan. A request is sent
//! again, from a fresh reading on, where the last one surely did nothing, or where it had no answer and the object is
//! as it was before it; each names the version of the object that it was read in, or the name of a claim that is not
//! there, so that of two of them only one is carried out.

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

/// How long one request may take where nothing else is said.
const LIMIT: Duration = Duration::from_secs(30);

/// One finished request, without what was in it.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// The HTTP method.
    pub method: &'static str,
    /// Path and query.
    pub path: &'a str,
    /// The HTTP status; none when there was no answer.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub milliseconds: u128,
}

/// Who hears of each request.
pub type RequestObserver<'a> = &'a (dyn Fn(&Sent<'_>) + Send + Sync);

/// The way to the API server: kube's client, how long one request may take, and who hears of each. A client alone is
/// one as well.
#[derive(Clone, Copy)]
pub struct ApiAccess<'a> {
    client: &'a Client,
    limit: Duration,
    observer_of_requests: Option<RequestObserver<'a>>,
}

impl<'a> ApiAccess<'a> {
    /// With a limit for each request; zero means none.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit: if limit.is_zero() { Duration::MAX } else { limit }, ..self }
    }

    /// With somebody who hears of each request.
    #[must_use]
    pub fn observed_by(self, observer_of_requests: RequestObserver<'a>) -> Self {
        Self { observer_of_requests: Some(observer_of_requests), ..self }
    }
}

impl std::fmt::Debug for ApiAccess<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Way").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl<'a> From<&'a Client> for ApiAccess<'a> {
    fn from(client: &'a Client) -> Self {
        Self { client, limit: LIMIT, observer_of_requests: None }
    }
}

/// How a plan is carried out.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long one wait may take.
    pub wait_limit: Duration,
    /// How often is looked during a wait.
    pub poll: Duration,
    /// The server tries every write and carries out none; there is no journal, and no wait.
    pub server_dry_run: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { wait_limit: Duration::from_mins(5), poll: Duration::from_secs(1), server_dry_run: false }
    }
}

/// Hears how a plan goes on, and may end it between two requests.
pub trait Observer: Sync {
    /// Something happens.
    fn event(&self, event: PlanEvent<'_>);
    /// Whether the person wants it to end. Asked before each write and at each look during a wait.
    fn interrupted(&self) -> bool;
}

/// What happens.
#[derive(Clone, Copy, Debug)]
pub enum PlanEvent<'a> {
    /// A step begins.
    StepStarts {
        /// The step.
        step: &'a Step,
    },
    /// A step begins anew: its request was refused or not sent, or had no answer, and then it is looked first whether
    /// it was carried out.
    Again {
        /// The step.
        step: &'a Step,
        /// Why.
        why: &'a str,
    },
    /// The controllers have not answered yet.
    Waiting {
        /// The step.
        step: &'a Step,
        /// What is waited for.
        what: &'a Wait,
        /// For how many seconds so far.
        seconds: u64,
        /// What is there.
        so_far: &'a str,
    },
    /// A step is done, with its wait.
    StepDone {
        /// The step.
        step: &'a Step,
        /// Whether it was so already, so that nothing was written.
        was_so: bool,
    },
    /// A rehearsal cannot try a step, because it depends on earlier ones.
    Untried {
        /// The step.
        step: &'a Step,
        /// What stands against it as long as the earlier ones are not done.
        why: &'a str,
    },
}

/// What came of a plan that went through to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanCompletion {
    /// Whether something was written.
    pub written: bool,
    /// The steps that were carried out, or, in a rehearsal, tried.
    pub done: Vec<u32>,
    /// The steps that a rehearsal could not try, because they depend on earlier ones.
    pub untried: Vec<u32>,
}

/// What became of the step that a journal is in doubt about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolvedDoubt {
    /// There is no doubt.
    Nothing,
    /// It was carried out; the journal says so now.
    Written,
    /// It was not carried out.
    NotWritten,
    /// Somebody else has written since, and nobody can tell; but what the step expects holds, so that nothing of it is
    /// there now.
    AsExpected,
    /// Somebody else has written since, nobody can tell, and the object is not as the step expects it.
    Unknown,
}

/// Reads whole objects; one that is not there is left out.
///
/// # Errors
/// One of them could not be read.
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

/// Asks the API server what a review needs to know: rights, and dry runs of the first write and of every claim that
/// could be created now.
///
/// # Errors
/// The server did not answer, or the world is not as the first step expects it.
pub async fn receipts<'a>(way: impl Into<ApiAccess<'a>>, plan: &Plan) -> Result<Receipts, Stopped> {
    check::check(plan)?;
    receipts::receipts(Api::new(way.into()), plan).await
}

/// Carries out a plan. With [`Options::server_dry_run`] the journal is a [`Journal::rehearsal`].
///
/// # Errors
/// Why it was not carried out to its end, and whether something was written.
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
        return Err(Stopped::refused("the journal is that of another run"));
    }
    run(way.into(), plan, journal, options, observer).await
}

/// Goes on with a plan that was cut short. What is confirmed are the remaining steps: [`Entry::remaining`].
///
/// # Errors
/// Why it was not carried out to its end.
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
        return Err(Stopped::refused("what was confirmed is not what the journal leaves to be done"));
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

/// Looks what became of a request whose answer was lost, and records that it was carried out, if it was. Before a
/// journal is continued or taken back. A journal of which nothing remains, because the run died before it could say so,
/// is finished then.
///
/// # Errors
/// The object could not be read, or the journal not be written.
pub async fn resolve_doubt<'a>(way: impl Into<ApiAccess<'a>>, journal: &mut Journal) -> Result<ResolvedDoubt, Stopped> {
    let settled = carry::resolve_doubt(Api::new(way.into()), journal).await?;
    journal.close()?;
    Ok(settled)
}

/// Records that what a journal was begun for is so, although not all of its steps were carried out by it.
///
/// # Errors
/// The journal cannot be written.
pub fn reached_by_others(journal: &mut Journal) -> Result<(), Stopped> {
    journal.add(Record::Finished {})
}

/// Looks whether the objects that a journal knows are still those, before it is continued or taken back. What is to be
/// compared follows from how sure it is that this is the journal's cluster. A journal whose volume is gone says so from
/// then on, where it has written something and did not come to its end.
///
/// # Errors
/// One of them is another one by now, or could not be read.
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
