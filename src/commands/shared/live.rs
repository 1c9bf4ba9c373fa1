//! A cluster that use cases read from and write to.

use crate::error::Error;
use crate::execute::{
    self, ApiAccess, Journal, Observer, Options, PlanCompletion, RequestObserver, ResolvedDoubt, Sent, Stopped,
};
use crate::model::{Lease, ObjectKey, Timestamp};
use crate::ops::{Reader, Writer};
use crate::repair::{Confirmed, Manifests, Origin, Plan, Receipts, Sameness};
use crate::snapshot::Parts;
use crate::source::{Cluster, FoundLeases, Needs};
use crate::terminal::Terminal;
use std::time::Duration;

/// A cluster that use cases read and write, and the terminal that shows the progress of the reading.
pub(in crate::commands) struct Live<'a> {
    cluster: Cluster<'a>,
    terminal: &'a Terminal,
}

impl<'a> Live<'a> {
    /// Creates the access to that cluster.
    pub(in crate::commands) fn new(cluster: Cluster<'a>, terminal: &'a Terminal) -> Self {
        Self { cluster, terminal }
    }

    /// Returns an observer that shows the requests of the executor like those of the reader.
    fn hearing(&self) -> impl Fn(&Sent<'_>) + Send + Sync {
        |sent| self.cluster.tell(sent.method, sent.path, sent.status, sent.milliseconds)
    }

    /// Returns the access to the API server, with the time limit of the flags.
    fn way<'b>(&'b self, hears: RequestObserver<'b>) -> ApiAccess<'b> {
        let way = ApiAccess::from(self.cluster.client()).observed_by(hears);
        self.cluster.timeout().map_or(way, |limit| way.within(limit))
    }
}

impl Reader for Live<'_> {
    fn namespace(&self) -> &str {
        self.cluster.namespace()
    }

    async fn origin(&self) -> Result<Origin, Error> {
        Ok(Origin { server: self.cluster.server().to_owned(), uid: self.cluster.uid().await? })
    }

    async fn minor(&self) -> Result<u32, Error> {
        Ok(self.cluster.server_version().await?.minor)
    }

    async fn read(&self, needs: Needs<'_>) -> Result<Parts, Error> {
        Ok(self.cluster.read(needs, &*self.terminal.progress()).await?)
    }

    async fn controller_lease(&self) -> Option<(Lease, Timestamp)> {
        self.cluster.controller_lease().await
    }

    async fn leases_named(&self, names: &[String]) -> FoundLeases {
        self.cluster.leases_named(names).await
    }

    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

impl Writer for Live<'_> {
    async fn manifests(&self, keys: &[ObjectKey]) -> Result<Manifests, Stopped> {
        execute::manifests(self.way(&self.hearing()), keys).await
    }

    async fn receipts(&self, plan: &Plan) -> Result<Receipts, Stopped> {
        execute::receipts(self.way(&self.hearing()), plan).await
    }

    async fn recognise(&self, journal: &mut Journal, sameness: Sameness) -> Result<(), Stopped> {
        execute::recognise(self.way(&self.hearing()), journal, sameness).await
    }

    async fn resolve_doubt(&self, journal: &mut Journal) -> Result<ResolvedDoubt, Stopped> {
        execute::resolve_doubt(self.way(&self.hearing()), journal).await
    }

    async fn execute(
        &self,
        confirmed: Confirmed,
        journal: &mut Journal,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped> {
        execute::execute(self.way(&self.hearing()), confirmed, journal, options, observer).await
    }

    async fn resume(
        &self,
        confirmed: Confirmed,
        journal: &mut Journal,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped> {
        execute::resume(self.way(&self.hearing()), confirmed, journal, options, observer).await
    }
}
