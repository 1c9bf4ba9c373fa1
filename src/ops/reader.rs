//! The interface by which a use case reads.

use super::gather::{Gathered, Question, from_cluster};
use crate::error::Error;
use crate::model::{Lease, Timestamp};
use crate::repair::Origin;
use crate::snapshot::Parts;
use crate::source::{FoundLeases, Needs};
use std::time::Duration;

/// Read access to a cluster, or to files in place of a cluster. Everything that is read is returned as data.
#[expect(async_fn_in_trait, reason = "only this crate awaits the result, on one thread")]
pub trait Reader {
    /// Returns the namespace of the flags or of the context.
    fn namespace(&self) -> &str;

    /// Returns the identity of the cluster. For files, the identity is unknown.
    ///
    /// # Errors
    /// Returns an error if the identity cannot be read.
    async fn origin(&self) -> Result<Origin, Error>;

    /// Returns the minor version of the cluster's Kubernetes.
    ///
    /// # Errors
    /// Returns an error if the version cannot be read.
    async fn minor(&self) -> Result<u32, Error>;

    /// Reads and indexes the objects of a question.
    ///
    /// # Errors
    /// Returns an error if something cannot be read or a flag cannot be used.
    async fn gather(&self, question: Question<'_>) -> Result<Gathered, Error>
    where
        Self: Sized,
    {
        from_cluster(self, question).await
    }

    /// Reads the objects that decisions need, and the objects that `needs` names.
    ///
    /// # Errors
    /// Returns an error if nothing at all could be read.
    async fn read(&self, needs: Needs<'_>) -> Result<Parts, Error>;

    /// Returns the Lease of kube-controller-manager, and the server's time at which it was read. Returns `None` if it
    /// cannot be read.
    async fn controller_lease(&self) -> Option<(Lease, Timestamp)>;

    /// Returns the Leases with these names, in all namespaces.
    async fn leases_named(&self, names: &[String]) -> FoundLeases;

    /// Waits for that time.
    async fn pause(&self, time: Duration);
}
