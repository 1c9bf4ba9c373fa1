//! The simulated answers of the controllers to the steps of a plan, if nobody else acts.

use super::adversary::{is_met, plan_move};
use super::detachment::Detachment;
use super::involved::InvolvedObjects;
use super::plan::{Plan, Step, state_in_words};
use super::reconnection::Reconnection;
use super::safety_model::{SafetyModel, State, VOLUMES};
use crate::model::ObjectKey;
use crate::simulate::Settings;
use crate::snapshot::Snapshot;
use rustc_hash::FxHashSet;

/// Returns the simulated answer of the controllers to each step, if nobody else acts. The list ends with the first step
/// that is not carried out, or whose wait never ends. Returns `None` if there are too many objects or states.
pub(super) fn answers<'a>(snapshot: &'a Snapshot, settings: &Settings<'a>, plan: &Plan) -> Option<Vec<Answer>> {
    if let Some(detachment) = Detachment::of(plan) {
        return Some(vec![detachment.answer(snapshot)]);
    }
    if let Some(reconnection) = Reconnection::of(plan) {
        return Some(reconnection.answers(snapshot));
    }
    let mut involved = InvolvedObjects::of(snapshot, plan);
    let open = involved.add_free_volumes(snapshot, &settings.behavior, plan, VOLUMES);
    let mut model = SafetyModel::new(snapshot, settings, plan, &involved)?;
    let objects: Vec<ObjectKey> = plan.objects().into_iter().filter(|object| !open.contains(object)).collect();
    let mut at = vec![model.initial()];
    let mut answers = Vec::new();
    for step in &plan.steps {
        let mut written: Vec<State> = Vec::new();
        let mut stopped = 0;
        for state in &at {
            match plan_move(&mut model, &plan.steps, state) {
                Some((_, after)) => written.push(after),
                None => stopped += 1,
            }
        }
        let described = |model: &SafetyModel<'_>, rest: &[State]| {
            let states = objects.iter().map(|object| {
                let mut words: Vec<String> =
                    rest.iter().map(|state| state_in_words(object.kind, model.seen(state, object).as_ref())).collect();
                words.sort();
                words.dedup();
                (object.clone(), words)
            });
            states.collect()
        };
        if written.is_empty() {
            let (why, way_on) = at.first().map(|state| obstacle_in_words(&model, step, state)).unwrap_or_default();
            answers.push(Answer { states: described(&model, &at), came: WaitResult::Stopped { why, way_on } });
            return Some(answers);
        }
        let rest = rest_of(&mut model, written)?;
        let met: Vec<State> = rest
            .iter()
            .filter(|state| step.wait.as_ref().is_none_or(|wait| is_met(&model, state, wait)))
            .copied()
            .collect();
        let came = if met.is_empty() {
            WaitResult::Never
        } else if met.len() == rest.len() && stopped == 0 {
            WaitResult::Met
        } else {
            WaitResult::Perhaps
        };
        answers.push(Answer { states: described(&model, &rest), came });
        at = met;
        for state in &mut at {
            state.position += 1;
        }
        if at.is_empty() {
            return Some(answers);
        }
    }
    Some(answers)
}

/// Returns why a step cannot be carried out in a state, and what the person can do about it.
fn obstacle_in_words(model: &SafetyModel<'_>, step: &Step, state: &State) -> (String, Option<String>) {
    let written = step.write.as_ref().and_then(|write| {
        let obstacle = write.obstacle(model.seen(state, &write.object).as_ref())?;
        Some((format!("{} {obstacle}", write.object), obstacle.way_on(&write.object)))
    });
    let looked = || step.recheck.iter().find(|recheck| !model.recheck(state, recheck));
    written
        .or_else(|| looked().map(|recheck| (format!("this condition does not hold: {recheck}"), recheck.way_on())))
        .unwrap_or_default()
}

/// The simulated answer of the controllers to a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The possible states of each object, in words.
    pub(super) states: Vec<(ObjectKey, Vec<String>)>,
    /// Whether the condition that the step waits for is met.
    pub(super) came: WaitResult,
}

/// Whether the condition that a step waits for is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WaitResult {
    /// The condition is met in every order of syncs.
    Met,
    /// The condition is met in some orders of syncs.
    Perhaps,
    /// The condition is never met.
    Never,
    /// The step is not carried out, because a precondition does not hold. `why` describes the failed precondition, and
    /// `way_on` says what the person can do.
    Stopped { why: String, way_on: Option<String> },
}

/// Returns the states that no sync changes any more. If there is no such state, because the controllers repeat a cycle
/// of states, it returns all visited states. Returns `None` if there are too many states.
fn rest_of(model: &mut SafetyModel<'_>, from: Vec<State>) -> Option<Vec<State>> {
    const MOST: usize = 2_000;
    let mut known: FxHashSet<State> = FxHashSet::default();
    let mut all = from;
    all.dedup();
    let mut rest = Vec::new();
    let mut next = 0;
    for state in &all {
        known.insert(*state);
    }
    while next < all.len() {
        if all.len() > MOST {
            return None;
        }
        let state = all[next];
        let syncs = model.syncs(&state, false);
        if syncs.is_empty() {
            rest.push(state);
        }
        for (_, _, after) in syncs {
            if known.insert(after) {
                all.push(after);
            }
        }
        next += 1;
    }
    Some(if rest.is_empty() { all } else { rest })
}
