//! Where a use case reads.

use crate::error::Error;
use crate::model::{Lease, Timestamp};
use crate::repair::Origin;
use crate::snapshot::Parts;
use crate::source::{FoundLeases, Needs};
use std::time::Duration;

/// A cluster, for somebody who only reads. What is read is said as data.
#[expect(async_fn_in_trait, reason = "whoever waits for it is in this crate, and on one thread")]
pub trait Reader {
    /// The namespace of the flags or of the context.
    fn namespace(&self) -> &str;

    /// Which cluster it is.
    ///
    /// # Errors
    /// It does not say.
    async fn origin(&self) -> Result<Origin, Error>;

    /// The minor version of its Kubernetes.
    ///
    /// # Errors
    /// It does not say.
    async fn minor(&self) -> Result<u32, Error>;

    /// The objects that decisions ask for, and those of `needs`.
    ///
    /// # Errors
    /// Nothing at all could be read.
    async fn read(&self, needs: Needs<'_>) -> Result<Parts, Error>;

    /// The Lease of kube-controller-manager, and the server's time at which it was read.
    async fn controller_lease(&self) -> Option<(Lease, Timestamp)>;

    /// The Leases with these names, in all namespaces.
    async fn leases_named(&self, names: &[String]) -> FoundLeases;

    /// Lets time go by.
    async fn pause(&self, time: Duration);
}
