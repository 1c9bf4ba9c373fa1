//! A repair of which the first steps are carried out. Then other actors act. In the resulting world, the repair is
//! undone or continued.

use super::api_server::{Actor, Call, Preconditions, Random, Store, text};
use anyhow::{Context as _, Result};
use pvctl::model::{Kind, ObjectKey};
use pvctl::repair::{Change, Done, FIELD_MANAGER, Plan, Seen, Step, Wait, Waited, Write};
use serde_json::Value;

/// A repair with some steps carried out.
pub(super) struct PartialRepair {
    store: Store,
    /// The steps that a journal would record as carried out.
    pub(super) done: Vec<Done>,
    /// The plan with the remaining steps.
    pub(super) rest: Plan,
    /// The actor that acted after these steps.
    pub(super) actor: Actor,
}

impl PartialRepair {
    /// Carries out a plan on the objects of a world, up to a random step or to the step at which the plan stops.
    /// Returns `None` if nothing is written.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read, or if the API server refuses a request for which no obstacle was
    /// found.
    pub(super) fn by_chance(objects: &[Value], plan: &Plan, random: &mut Random) -> Result<Option<Self>> {
        let mut store = Store::default();
        for object in objects {
            store.seed(object.clone());
        }
        let start = store.clone();
        // Finished repairs are undone more often than partial ones.
        let steps = plan.steps.len() - if random.one_in(2) { 0 } else { random.below(plan.steps.len()) };
        let mut done = Vec::new();
        for step in plan.steps.iter().take(steps) {
            let Some(one) = carry_out(&mut store, step)? else { break };
            done.push(one);
            if !is_over(&mut store, step.wait.as_ref(), random)? {
                break;
            }
        }
        if !done.iter().any(|done| done.step.write.is_some() && !done.was_so) {
            return Ok(None);
        }
        let everybody: Vec<Actor> = Actor::all().collect();
        let actor = if random.one_in(2) { random.of(&everybody) } else { Actor::Nobody };
        actor.act(&mut store, &start, random);
        // A user rarely asks for the undo before the controllers have acted.
        if !random.one_in(8) {
            store.settle(random);
        }
        let mut rest = plan.clone();
        rest.steps.drain(..done.len());
        Ok(Some(Self { store, done, rest, actor }))
    }

    /// Returns the objects as they are now.
    pub(super) fn objects(&self) -> Vec<Value> {
        self.store.objects().map(|(_, object)| object.clone()).collect()
    }
}

/// Carries out one step. Returns `None` if there is an obstacle.
fn carry_out(store: &mut Store, step: &Step) -> Result<Option<Done>> {
    let done = |after, was_so| Some(Done { step: step.clone(), after, was_so });
    let Some(write) = &step.write else { return Ok(done(None, false)) };
    let current = store.read(&write.object).cloned();
    let seen = current.as_ref().map(|object| decoded(&write.object, object)).transpose()?;
    if write.is_so_already(seen.as_ref()) {
        return Ok(done(current, true));
    }
    if write.obstacle(seen.as_ref()).is_some() {
        return Ok(None);
    }
    let after = send(store, write, current.as_ref()).with_context(|| format!("step {}", step.id))?;
    Ok(done(after, false))
}

fn decoded(key: &ObjectKey, object: &Value) -> Result<Seen> {
    Seen::decode(key.kind, object).map_err(|why| anyhow::anyhow!("{key}: {why}"))
}

/// Sends a write exactly as the plan states it. Returns the resulting object, or `None` for a deletion.
fn send(store: &mut Store, write: &Write, current: Option<&Value>) -> Result<Option<Value>> {
    let request = write.request(current, false).with_context(|| format!("no request to {}", write.object))?;
    let by = Call::by(FIELD_MANAGER);
    let answer = match &write.change {
        Change::Create { .. } | Change::CreateService { .. } => {
            store.create(write.object.kind, &write.object.namespace, &request.body, &by)
        }
        Change::Delete => {
            let of = |field| Some(text(&request.body, field)).filter(|value| !value.is_empty());
            let when = Preconditions { uid: of("/preconditions/uid"), version: of("/preconditions/resourceVersion") };
            store.delete(&write.object, &when, &by)
        }
        _ => store.patch(&write.object, request.content_type, &request.body, &by),
    };
    let after = answer.map_err(|failure| anyhow::anyhow!("{}: {}", write.object, failure.message))?;
    Ok(if matches!(write.change, Change::Delete) { None } else { Some(after) })
}

/// Lets the controllers act until the condition of the step's wait is met, but at most 100 times. Afterwards they
/// sometimes act once or twice more. Returns false if nothing changes any more and the condition is not met.
fn is_over(store: &mut Store, wait: Option<&Wait>, random: &mut Random) -> Result<bool> {
    if let Some(wait) = wait {
        for _ in 0..100 {
            if is_met(store, wait)? {
                break;
            }
            if !store.tick(random) {
                return Ok(false);
            }
        }
    }
    for _ in 0..random.below(3) {
        store.tick(random);
    }
    Ok(true)
}

fn is_met(store: &Store, wait: &Wait) -> Result<bool> {
    let (mut claim, mut volume) = (None, None);
    for key in wait.objects() {
        let Some(object) = store.read(&key) else { continue };
        match decoded(&key, object)? {
            Seen::Claim(seen) if key.kind == Kind::PersistentVolumeClaim => claim = Some(seen),
            Seen::Volume(seen) => volume = Some(seen),
            Seen::Claim(_) | Seen::Attachment(_) | Seen::Service(_) => {}
        }
    }
    Ok(wait.judge(claim.as_deref(), volume.as_deref()) == Waited::Met)
}
