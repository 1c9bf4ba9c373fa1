//! A world that changes while somebody is asked: the request is planned anew, shown, and asked for again.

use super::{PlanSource, Run};
use crate::error::Error;
use crate::ops::{Asker, Status, Writer};
use crate::repair::{Carried, Plan};

/// How often a request is planned at most.
const ROUNDS: u32 = 3;

/// What one round came to.
pub(super) enum Round {
    /// It ended.
    Ended(Status),
    /// Somebody agreed, and then the world was another one. Nothing was written.
    Changed(Box<Before>),
}

/// A plan that somebody agreed to and that was not begun, because the world had changed.
pub(super) struct Before {
    /// The plan.
    pub(super) plan: Plan,
    /// What had changed.
    pub(super) error: Error,
}

impl<C: Writer, A: Asker> Run<'_, C, A> {
    /// Plans, shows, asks and carries out. Where the world changes meanwhile and nothing was written, that is done anew
    /// a few times: each plan is agreed to by itself.
    pub(super) async fn rounds(&self, source: &mut PlanSource) -> Result<Status, Error> {
        let mut before: Option<Box<Before>> = None;
        for _ in 0..ROUNDS {
            match Box::pin(self.round(source, before.as_deref())).await? {
                Round::Ended(status) => return Ok(status),
                Round::Changed(changed) => before = Some(changed),
            }
        }
        Err(before.map_or_else(|| Error::bug("a repair was never planned"), |before| before.error))
    }
}

impl Before {
    /// Whether another plan comes after this one. Without a question, it must not do more than was agreed to.
    pub(super) fn leads_to(&self, plan: &Plan, unasked: bool) -> Result<(), Error> {
        if is_same(&self.plan, plan) {
            return Err(self.error.clone());
        }
        if unasked && is_wider(&self.plan, plan) {
            return Err(self
                .error
                .clone()
                .hint("what is there now asks for another sort of plan: ask for the repair again, and read it"));
        }
        Ok(())
    }

    /// Why there is no plan. Where one was agreed to before, that the world has changed since is what happened.
    pub(super) fn refused(before: Option<&Self>, refused: Error) -> Error {
        let Some(before) = before else { return refused };
        let error =
            before.error.clone().cause(format!("for what is there now there is no plan: {}", refused.message()));
        refused.hints().iter().cloned().fold(error, Error::hint)
    }
}

/// Whether two plans are one, but for what the controllers answer.
fn is_same(one: &Plan, other: &Plan) -> bool {
    let steps = |plan: &Plan| {
        let mut steps = plan.steps.clone();
        for step in &mut steps {
            step.expects.clear();
        }
        steps
    };
    one.world == other.world && steps(one) == steps(other)
}

/// Whether a plan gives up more than another one, touches volumes or gives them to claims that the other does not, or
/// needs a person where the other does not.
fn is_wider(agreed: &Plan, plan: &Plan) -> bool {
    let covers = |carried: &Carried| {
        let known = agreed.volumes.iter().find(|known| known.volume == carried.volume);
        known.is_some_and(|known| {
            carried.given_up.iter().all(|given| known.given_up.contains(given))
                && carried.for_claims.iter().all(|claim| known.for_claims.contains(claim))
        })
    };
    !plan.volumes.iter().all(covers)
        || (plan.is_destructive() && !agreed.is_destructive())
        || plan.type_name != agreed.type_name
        || (plan.judgement.is_some() && agreed.judgement.is_none())
}
