//! The messages after a plan has ended.

use crate::error::{Error, ErrorKind};
use crate::execute::{Journal, unless};
use crate::model::ObjectKey;
use crate::ops::{Asker, Interrupts, Shown, Status, Writer};
use crate::repair::{Change, Manifests, Plan, Seen, Step, Write, state_in_words};
use crate::text::sanitize;
use std::collections::BTreeSet;
use std::time::Duration;

/// The maximum number of checks whether the objects are as predicted, and (in the next constant) the time between two
/// checks. The controller syncs waiting claims every 15 s, so a claim may get a reserved volume only after that time.
/// Upstream: `PVClaimBinderSyncPeriod`, `pkg/controller/volume/persistentvolume/config`, 1.36.
const LOOKS: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(500);

/// The number of checks after which a message says that the run is waiting.
const SOON: u32 = 4;

/// Shows the present state of the objects, whether this state was predicted, and how the plan is undone. `held` lets
/// the person end the waiting with Ctrl-C. If `held` is `None`, Ctrl-C was pressed before, and the objects are checked
/// only once.
pub(super) async fn finished<H: Interrupts>(
    asker: &impl Asker,
    cluster: &impl Writer,
    plan: &Plan,
    journal: &Journal,
    held: Option<&H>,
) -> Status {
    let pressed = || held.is_some_and(Interrupts::pressed);
    let objects = plan.objects();
    let most = if held.is_some() && !is_in_force(plan) { LOOKS } else { 1 };
    let mut looks = 0;
    let mut known = None;
    let mut unpredicted = Vec::new();
    while let Some(read) = unless(pressed, cluster.manifests(&objects)).await {
        // The plan was carried out. The run does not fail if its result cannot be read.
        unpredicted = read.as_ref().map(|manifests| self::unpredicted(plan, manifests)).unwrap_or_default();
        known = Some(read);
        looks += 1;
        if unpredicted.is_empty() || looks >= most {
            break;
        }
        if looks == SOON {
            let id = journal.id();
            asker.message(&format!("all steps are written, journal {id}; waiting for the controllers"));
        }
        if unless(pressed, cluster.pause(BETWEEN)).await.is_none() {
            break;
        }
    }
    match &known {
        Some(Ok(_)) => {}
        Some(Err(failure)) => asker.message(&format!("warning: the present state could not be read: {failure}")),
        None => asker.message("note: the present state was not read completely"),
    }
    for surprise in &unpredicted {
        asker.message(&format!("warning: {surprise}"));
    }
    let now = known.as_ref().and_then(|read| read.as_ref().ok()).map(|manifests| (&*objects, manifests));
    match asker.show(Shown::Done { plan, journal: journal.id(), now }) {
        Ok(()) => {}
        // The plan was carried out, even if its result cannot be shown.
        Err(error) if error.kind() == ErrorKind::OutputClosed => {}
        Err(error) => {
            let why = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
            let why = why.collect::<Vec<_>>().join(": ");
            asker.message(&format!(
                "warning: the plan was carried out, but {}: the journal is {}",
                sanitize(&why),
                journal.id()
            ));
        }
    }
    if unpredicted.is_empty() { Status::Done } else { Status::Findings }
}

/// Returns whether a plan reaches its goal as soon as its writes are stored. A reclaim policy needs no controller.
fn is_in_force(plan: &Plan) -> bool {
    let sets_policy =
        |step: &Step| step.write.as_ref().is_some_and(|write| matches!(write.change, Change::SetReclaimPolicy { .. }));
    !plan.steps.is_empty() && plan.steps.iter().all(|step| step.wait.is_none() && sets_policy(step))
}

/// Returns a warning for each volume that does not have the policy that was written, or that is gone although it should
/// still exist.
fn policies(plan: &Plan, manifests: &Manifests) -> Vec<String> {
    let surprise = |write: &Write| {
        let Change::SetReclaimPolicy { to } = &write.change else { return None };
        let object = &write.object;
        let Some(manifest) = manifests.get(object) else {
            let carried = plan.volumes.iter().find(|carried| carried.volume == object.name);
            // With policy Delete the volume may be deleted. With policy Retain it may be gone if the plan gives up
            // something of it, such as its object.
            let stays = to == "Retain" && carried.is_none_or(|carried| carried.given_up.is_empty());
            return stays.then(|| format!("{object} is gone, although policy {to} was written"));
        };
        let Ok(Seen::Volume(volume)) = Seen::decode(object.kind, manifest) else { return None };
        let policy = volume.reclaim_policy.as_str();
        (policy != to.as_str()).then(|| {
            format!("{object} has policy {policy}, although {to} was written: somebody has changed it since then")
        })
    };
    plan.writes().filter_map(surprise).collect()
}

/// Returns a warning for each object that differs from what the review predicted for the last step. If the plan only
/// sets reclaim policies, these policies are compared instead.
fn unpredicted(plan: &Plan, manifests: &Manifests) -> Vec<String> {
    if is_in_force(plan) {
        return policies(plan, manifests);
    }
    let expected = plan.steps.last().map_or(&[][..], |step| &step.expects);
    let objects: BTreeSet<&ObjectKey> =
        expected.iter().map(|expected| &expected.object).chain(plan.writes().map(|write| &write.object)).collect();
    let surprise = |object: &ObjectKey| {
        let is = predicted(object, manifests)?;
        let states = expected.iter().find(|expected| expected.object == *object).map_or(&[][..], |found| &found.states);
        let last = plan.writes().rfind(|write| write.object == *object);
        let predicted = missed(&is, states, last.is_some_and(Write::asks_for_any_volume))?;
        Some(format!("{object} is {is}, but {predicted} was predicted"))
    };
    objects.into_iter().filter_map(surprise).collect()
}

/// Returns the prediction if the object differs from it. A claim that accepts any volume may be Bound although the
/// prediction names no volume for it, because a driver may have provisioned one.
pub fn missed(is: &str, states: &[String], takes_any: bool) -> Option<String> {
    let is_served = is.starts_with("Bound") && !is.ends_with(", being deleted");
    let may_be_served = takes_any && states.iter().all(|state| state == "Pending");
    if states.iter().any(|state| state == is) || (may_be_served && is_served) {
        return None;
    }
    match states {
        [] if takes_any => (is != "Pending").then(|| "Pending or Bound".to_owned()),
        [] => None,
        states => Some(states.join(" or ")),
    }
}

/// Returns the state of an object in the words of [`Expected::states`]. Returns `None` if the object cannot be decoded.
fn predicted(key: &ObjectKey, manifests: &Manifests) -> Option<String> {
    let seen = manifests.get(key).map(|manifest| Seen::decode(key.kind, manifest)).transpose().ok()?;
    Some(state_in_words(key.kind, seen.as_ref()))
}

/// Returns the error of a plan that stopped, with the id of its journal if something was written.
pub(super) fn stopped(error: Error, journal: &Journal) -> Error {
    match error.kind() {
        ErrorKind::Partial => error.journal(journal.id()),
        ErrorKind::Usage
        | ErrorKind::Unreadable
        | ErrorKind::Changed
        | ErrorKind::Refused
        | ErrorKind::Bug
        | ErrorKind::Interrupted
        | ErrorKind::OutputClosed => error,
    }
}
