//! Finds out whether an earlier run already made this repair and its result still exists. If so, there is nothing to
//! do.

use super::{Run, World};
use crate::error::Error;
use crate::execute::{End, Journal};
use crate::ops::journals::taken_back;
use crate::ops::{Asker, Writer};
use crate::repair::{self, Request, Sameness};

impl<C: Writer, A: Asker> Run<'_, C, A> {
    /// Returns what an earlier run of the same request has done, if it still exists. Returns `None` if no
    /// such run is known, or if its result does not exist any more.
    ///
    /// # Errors
    /// Returns an error if the objects that it wrote cannot be read.
    pub(super) async fn done_before(&self, world: &mut World<'_>, request: &Request) -> Result<Option<String>, Error> {
        // If the journals cannot be read, this is not reported. The person needs to see why the repair cannot be made.
        let Ok(journals) = Journal::list(&self.options.journals) else { return Ok(None) };
        let taken: Vec<String> = journals.iter().filter_map(taken_back).collect();
        for entry in journals.iter().filter_map(|journal| journal.entry.as_ref().ok()) {
            let is_same = entry.plan.request == *request && entry.origin.sameness(&self.here) != Sameness::None;
            if !is_same || entry.end != End::Finished || taken.contains(&entry.id) {
                continue;
            }
            world.read(self.cluster, entry.plan.objects()).await?;
            if let Some(stands) = repair::reached(&world.situation()?, &entry.plan) {
                return Ok(Some(format!("{stands}, by {}", entry.id)));
            }
        }
        Ok(None)
    }
}

/// Adds a hint to the error about a missing claim: the plan that may have moved the claim. If no journal records the
/// move, only the person can know whether the claim was moved.
pub(super) fn moved(world: &World<'_>, request: &Request, error: Error) -> Error {
    let Request::Move { to_namespace, to_name, .. } = request else { return error };
    let key = repair::claim_key(to_namespace, to_name);
    let Some(plan) = world.manifests.get(&key).and_then(repair::made_by) else { return error };
    error.hint(format!(
        "claim {to_namespace}/{to_name} was created by plan {plan}: if that plan made this move, there is nothing left \
         to do"
    ))
}
