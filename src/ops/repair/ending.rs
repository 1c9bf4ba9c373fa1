//! What is said when a plan has ended.

use crate::error::{Error, ErrorKind};
use crate::execute::{Journal, unless};
use crate::model::ObjectKey;
use crate::ops::{Asker, Interrupts, Shown, Status, Writer};
use crate::repair::{Change, Manifests, Plan, Seen, Step, Write, state_in_words};
use crate::text::sanitize;
use std::collections::BTreeSet;
use std::time::Duration;

/// How often the objects are looked at until they are as predicted, and the time in between. The controller looks at
/// waiting claims every 15 s, so that one of these may get a volume that is reserved for it that late.
/// Upstream: `PVClaimBinderSyncPeriod`, `pkg/controller/volume/persistentvolume/config`, 1.36.
const LOOKS: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(500);

/// After so many looks it is said that something is waited for.
const SOON: u32 = 4;

/// What is so now, whether that was predicted, and how it is taken back. Ctrl-C ends the waiting as long as it is
/// `held`; where it is not any more, it was pressed before, and it is looked once.
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
    let mut surprises = Vec::new();
    while let Some(read) = unless(pressed, cluster.manifests(&objects)).await {
        // It is done: that the result cannot be read is no failure of it.
        surprises = read.as_ref().map(|manifests| self::surprises(plan, manifests)).unwrap_or_default();
        known = Some(read);
        looks += 1;
        if surprises.is_empty() || looks >= most {
            break;
        }
        if looks == SOON {
            let id = journal.id();
            asker.message(&format!("all is written, journal {id}; waiting until the controllers have done their part"));
        }
        if unless(pressed, cluster.pause(BETWEEN)).await.is_none() {
            break;
        }
    }
    match &known {
        Some(Ok(_)) => {}
        Some(Err(failure)) => asker.message(&format!("warning: what is so now could not be read: {failure}")),
        None => asker.message("note: what is so now was not read to its end"),
    }
    for surprise in &surprises {
        asker.message(&format!("warning: {surprise}"));
    }
    let now = known.as_ref().and_then(|read| read.as_ref().ok()).map(|manifests| (&*objects, manifests));
    match asker.show(Shown::Done { plan, journal: journal.id(), now }) {
        Ok(()) => {}
        // What was done is done, whether or not somebody reads of it.
        Err(error) if error.kind() == ErrorKind::OutputClosed => {}
        Err(error) => {
            let why = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
            let why = why.collect::<Vec<_>>().join(": ");
            asker.message(&format!("warning: it is done, and {}: the journal is {}", sanitize(&why), journal.id()));
        }
    }
    if surprises.is_empty() { Status::Done } else { Status::Findings }
}

/// Whether a plan has reached its goal once its writes are stored: a reclaim policy waits for no controller.
fn is_in_force(plan: &Plan) -> bool {
    let sets_policy =
        |step: &Step| step.write.as_ref().is_some_and(|write| matches!(write.change, Change::SetReclaimPolicy { .. }));
    !plan.steps.is_empty() && plan.steps.iter().all(|step| step.wait.is_none() && sets_policy(step))
}

/// The policies that are not as they were written: somebody has changed them since.
fn policies(plan: &Plan, manifests: &Manifests) -> Vec<String> {
    let surprise = |write: &Write| {
        let Change::SetReclaimPolicy { to } = &write.change else { return None };
        let object = &write.object;
        let Some(manifest) = manifests.get(object) else {
            let carried = plan.volumes.iter().find(|carried| carried.volume == object.name);
            // With policy Delete it is to go, and what is given up may go.
            let stays = to == "Retain" && carried.is_none_or(|carried| carried.given_up.is_empty());
            return stays.then(|| format!("{object} is gone, where policy {to} was written"));
        };
        let Ok(Seen::Volume(volume)) = Seen::decode(object.kind, manifest) else { return None };
        let policy = volume.reclaim_policy.as_str();
        (policy != to.as_str())
            .then(|| format!("{object} has policy {policy}, where {to} was written: somebody has changed it since"))
    };
    plan.writes().filter_map(surprise).collect()
}

/// What is not as the review of the last step has predicted it.
fn surprises(plan: &Plan, manifests: &Manifests) -> Vec<String> {
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
        Some(format!("{object} is {is}, where {predicted} was predicted"))
    };
    objects.into_iter().filter_map(surprise).collect()
}

/// The prediction that an object does not meet. What a claim gets that takes any volume may be open, and a driver may
/// make one for it.
fn missed(is: &str, states: &[String], takes_any: bool) -> Option<String> {
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

/// How an object stands, in the words of [`Expected::states`]; nothing where it is not understood.
fn predicted(key: &ObjectKey, manifests: &Manifests) -> Option<String> {
    let seen = manifests.get(key).map(|manifest| Seen::decode(key.kind, manifest)).transpose().ok()?;
    Some(state_in_words(key.kind, seen.as_ref()))
}

/// What to say of a plan that stopped.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A claim that takes any volume may get one that nobody foresaw; all else has to be as predicted.
    #[test]
    fn what_is_not_as_predicted_is_a_surprise() {
        let judged = |is: &str, states: &[&str], takes_any: bool| {
            let states: Vec<String> = states.iter().map(|&state| state.to_owned()).collect();
            missed(is, &states, takes_any).unwrap_or_default()
        };
        let named = "Bound, volume pv-1";
        assert_eq!(judged(named, &[named], false), "");
        assert_eq!(judged("Pending, volume pv-1", &[named], false), named);
        assert_eq!(judged("Pending", &["Lost", named], true), format!("Lost or {named}"));
        // A volume is made for it.
        assert_eq!(judged(named, &["Pending"], true), "");
        assert_eq!(judged(named, &["Pending"], false), "Pending");
        assert_eq!(judged("Bound, volume pv-2", &[named], true), named);
        // It is open what it gets.
        assert_eq!(judged("Pending", &[], true), "");
        assert_eq!(judged(named, &[], true), "");
        for is in ["not there", "Lost, volume pv-1", "Pending, being deleted", "Bound, volume pv-1, being deleted"] {
            assert_eq!(judged(is, &[], true), "Pending or Bound", "{is}");
            assert_eq!(judged(is, &["Pending"], true), "Pending", "{is}");
            assert_eq!(judged(is, &[], false), "", "{is}");
        }
    }
}
