//! By whom a use case writes.

use super::Reader;
use crate::execute::{Journal, Observer, Options, PlanCompletion, ResolvedDoubt, Stopped};
use crate::model::ObjectKey;
use crate::repair::{Confirmed, Manifests, Plan, Receipts, Sameness};

/// A cluster, for somebody who may write. Nothing is written but a plan that was confirmed.
#[expect(async_fn_in_trait, reason = "whoever waits for it is in this crate, and on one thread")]
pub trait Writer: Reader {
    /// Whole objects; one that is not there is left out.
    ///
    /// # Errors
    /// One of them could not be read.
    async fn manifests(&self, keys: &[ObjectKey]) -> Result<Manifests, Stopped>;

    /// What the API server says of a plan before it is reviewed.
    ///
    /// # Errors
    /// It did not answer, or the world is not as the first step expects it.
    async fn receipts(&self, plan: &Plan) -> Result<Receipts, Stopped>;

    /// Looks whether the objects of a journal are those that have their names now.
    ///
    /// # Errors
    /// One of them is another one by now, or could not be read.
    async fn recognise(&self, journal: &mut Journal, sameness: Sameness) -> Result<(), Stopped>;

    /// Looks what became of a request whose answer was lost.
    ///
    /// # Errors
    /// The object could not be read, or the journal not be written.
    async fn resolve_doubt(&self, journal: &mut Journal) -> Result<ResolvedDoubt, Stopped>;

    /// Carries out a plan.
    ///
    /// # Errors
    /// Why it was not carried out to its end.
    async fn execute(
        &self,
        confirmed: Confirmed,
        journal: &mut Journal,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped>;

    /// Goes on with a plan that was cut short.
    ///
    /// # Errors
    /// Why it was not carried out to its end.
    async fn resume(
        &self,
        confirmed: Confirmed,
        journal: &mut Journal,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped>;
}
