//! The interface by which a use case writes.

use super::Reader;
use crate::execute::{Journal, Observer, Options, PlanCompletion, ResolvedDoubt, Stopped};
use crate::model::ObjectKey;
use crate::repair::{Confirmed, Manifests, Plan, Receipts, Sameness};

/// Write access to a cluster. Only a confirmed plan is written.
#[expect(async_fn_in_trait, reason = "only this crate awaits the result, on one thread")]
pub trait Writer: Reader {
    /// Reads whole objects. An object that does not exist is left out.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be read.
    async fn manifests(&self, keys: &[ObjectKey]) -> Result<Manifests, Stopped>;

    /// Returns what the API server says about a plan before the review.
    ///
    /// # Errors
    /// Returns an error if the API server does not answer, or if the present state is not the state that the first
    /// step expects.
    async fn receipts(&self, plan: &Plan) -> Result<Receipts, Stopped>;

    /// Checks that the objects of a journal were not replaced by other objects with the same names.
    ///
    /// # Errors
    /// Returns an error if an object was replaced or cannot be read.
    async fn recognise(&self, journal: &mut Journal, sameness: Sameness) -> Result<(), Stopped>;

    /// Finds out whether a request in doubt was carried out.
    ///
    /// # Errors
    /// Returns an error if the object cannot be read, or if the journal cannot be written.
    async fn resolve_doubt(&self, journal: &mut Journal) -> Result<ResolvedDoubt, Stopped>;

    /// Carries out a plan.
    ///
    /// # Errors
    /// Returns an error if the plan is not carried out completely.
    async fn execute(
        &self,
        confirmed: Confirmed,
        journal: &mut Journal,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped>;

    /// Continues a plan that stopped.
    ///
    /// # Errors
    /// Returns an error if the plan is not carried out completely.
    async fn resume(
        &self,
        confirmed: Confirmed,
        journal: &mut Journal,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped>;
}
