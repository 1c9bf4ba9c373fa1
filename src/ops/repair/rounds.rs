//! The rounds of a repair. If the cluster changes while the person is asked, a new round begins: the repair is planned,
//! shown and confirmed again.

use super::{PlanSource, Run};
use crate::error::Error;
use crate::model::Kind;
use crate::ops::{Asker, Status, Writer};
use crate::repair::{Carried, Plan, Step};

/// The maximum number of times that a request is planned.
const ROUNDS: u32 = 3;

/// The result of one round.
pub(super) enum Round {
    /// The repair ended.
    Ended(Status),
    /// The person agreed, and then the cluster had changed. Nothing was written.
    Changed(Box<AgreedPlan>),
}

/// A plan that a person agreed to and that was not begun because the cluster had changed.
pub(super) struct AgreedPlan {
    /// The plan that was agreed to.
    pub(super) plan: Plan,
    /// The error that says what had changed.
    pub(super) error: Error,
}

impl<C: Writer, A: Asker> Run<'_, C, A> {
    /// Makes a plan, shows it, asks for consent and carries it out. If the cluster changes in the meantime and nothing
    /// was written, all of this is repeated a few times. Each plan needs its own consent.
    pub(super) async fn rounds(&self, source: &mut PlanSource) -> Result<Status, Error> {
        let mut before: Option<Box<AgreedPlan>> = None;
        for _ in 0..ROUNDS {
            match Box::pin(self.round(source, before.as_deref())).await? {
                Round::Ended(status) => return Ok(status),
                Round::Changed(changed) => before = Some(changed),
            }
        }
        Err(before.map_or_else(|| Error::bug("a repair was never planned"), |before| before.error))
    }
}

impl AgreedPlan {
    /// Checks whether the next plan may follow this one. It must be a different plan. If nobody is asked, it must not
    /// do more than the plan that was agreed to.
    pub(super) fn check_next_plan(&self, plan: &Plan, unasked: bool) -> Result<(), Error> {
        if is_same(&self.plan, plan) {
            return Err(self.error.clone());
        }
        if unasked && is_wider(&self.plan, plan) {
            return Err(self.error.clone().hint(
                "the present state needs a plan that does more: ask for the repair again, and read the new plan",
            ));
        }
        Ok(())
    }

    /// Returns the error that no plan can be made. If a plan was agreed to before, the error says that the cluster has
    /// changed since.
    pub(super) fn refused(before: Option<&Self>, refused: Error) -> Error {
        let Some(before) = before else { return refused };
        let error =
            before.error.clone().cause(format!("there is no plan for the present state: {}", refused.message()));
        refused.hints().iter().cloned().fold(error, Error::hint)
    }
}

/// Returns whether two plans are the same, except for the predicted answers of the controllers.
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

/// Returns whether a plan does more than the plan that was agreed to. It does more if it gives up more, changes other
/// volumes, or gives volumes to other claims. It also does more if only this plan is destructive, if only this plan
/// needs the decision of a person, if the person has to type another name, if it deletes another attachment of the same
/// name, or one whose node says something else about its machine, or if it creates or deletes another Service.
fn is_wider(agreed: &Plan, plan: &Plan) -> bool {
    let covers = |carried: &Carried| {
        let known = agreed.volumes.iter().find(|known| known.volume == carried.volume);
        known.is_some_and(|known| {
            carried.given_up.iter().all(|given| known.given_up.contains(given))
                && carried.for_claims.iter().all(|claim| known.for_claims.contains(claim))
        })
    };
    // The person has seen this attachment, and what its node said about its machine.
    let is_agreed =
        |step: &Step| agreed.steps.iter().any(|known| known.write == step.write && known.recheck == step.recheck);
    let must_be_agreed = |step: &&Step| {
        let kind = step.write.as_ref().map(|write| write.object.kind);
        matches!(kind, Some(Kind::VolumeAttachment | Kind::Service))
    };
    let mut agreed_steps = plan.steps.iter().filter(must_be_agreed);
    !plan.volumes.iter().all(covers)
        || !agreed_steps.all(is_agreed)
        || (plan.is_destructive() && !agreed.is_destructive())
        || plan.type_name != agreed.type_name
        || (plan.judgement.is_some() && agreed.judgement.is_none())
}
