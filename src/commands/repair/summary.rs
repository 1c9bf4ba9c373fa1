//! What is said when a plan has ended.

use super::Status;
use super::course::Earlier;
use crate::error::{Error, ErrorKind};
use crate::execute::{self, Journal, Outcome, Way};
use crate::model::ObjectKey;
use crate::repair::{Change, Manifests, Plan, Request, Seen, Step, Undo, Write, state_in_words};
use crate::report::shared::wrap::wrap;
use crate::terminal::{HeldInterrupts, Terminal};
use crate::text::sanitize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

/// How often the objects are looked at until they are as predicted, and the time in between. The controller looks at
/// waiting claims every 15 s, so that one of these may get a volume that is reserved for it that late.
/// Upstream: `PVClaimBinderSyncPeriod`, `pkg/controller/volume/persistentvolume/config`, 1.36.
const LOOKS: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(500);

/// After so many looks it is said that something is waited for.
const SOON: u32 = 4;

/// By how much a line that continues another one is indented.
const CONTINUED: usize = 4;

/// How often it is looked whether the person wants the waiting to end.
const LISTEN: Duration = Duration::from_millis(100);

/// What is so now, whether that was predicted, and how it is taken back. Ctrl-C ends the waiting as long as it is
/// `held`; where it is not any more, it was pressed before, and it is looked once.
pub(super) async fn finished(
    terminal: &Terminal,
    way: Way<'_>,
    plan: &Plan,
    journal: &Journal,
    held: Option<&HeldInterrupts>,
) -> Status {
    let objects = plan.objects();
    let most = if held.is_some() && !is_in_force(plan) { LOOKS } else { 1 };
    let mut looks = 0;
    let mut known = None;
    let mut surprises = Vec::new();
    while let Some(read) = unless_pressed(held, execute::manifests(way, &objects)).await {
        // It is done: that the result cannot be read is no failure of it.
        surprises = read.as_ref().map(|manifests| self::surprises(plan, manifests)).unwrap_or_default();
        known = Some(read);
        looks += 1;
        if surprises.is_empty() || looks >= most {
            break;
        }
        if looks == SOON {
            let id = journal.id();
            terminal
                .message(&format!("all is written, journal {id}; waiting until the controllers have done their part"));
        }
        if unless_pressed(held, tokio::time::sleep(BETWEEN)).await.is_none() {
            break;
        }
    }
    let mut text = format!("Done: {}.\n", plan.goal);
    match known {
        Some(Ok(manifests)) => {
            for key in &objects {
                // Writing to a String cannot fail.
                _ = writeln!(text, "  {key} is {}", state(key, &manifests));
            }
        }
        Some(Err(failure)) => terminal.message(&format!("warning: what is so now could not be read: {failure}")),
        None => terminal.message("note: what is so now was not read to its end"),
    }
    let mut said: Vec<String> = text.lines().map(|line| wrap(line, terminal.width(), CONTINUED)).collect();
    // A command is to be copied: a line of its own, which nothing breaks.
    said.push(format!("Journal: {}", journal.id()));
    let impossible = plan.steps.iter().any(|step| matches!(step.undo, Undo::Impossible { .. }));
    if matches!(plan.request, Request::Undo { .. }) || impossible {
        said.push(format!("What was done: kubectl pvctl history {}", journal.id()));
    } else {
        said.push(format!("To take it back: kubectl pvctl undo {}", journal.id()));
    }
    let safe: Vec<_> = said.iter().flat_map(|line| line.lines()).map(sanitize).collect();
    for surprise in &surprises {
        terminal.message(&format!("warning: {surprise}"));
    }
    let mut output = terminal.output();
    match output.print(&(safe.join("\n") + "\n")).and_then(|()| output.finish()) {
        Ok(()) => {}
        // What was done is done, whether or not somebody reads of it.
        Err(error) if error.kind() == ErrorKind::OutputClosed => {}
        Err(error) => {
            let why = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
            let why = why.collect::<Vec<_>>().join(": ");
            terminal.message(&format!("warning: it is done, and {}: the journal is {}", sanitize(&why), journal.id()));
        }
    }
    if surprises.is_empty() { Status::Done } else { Status::Findings }
}

/// Waits for something that only looks; nothing where Ctrl-C is held and was pressed before it came.
async fn unless_pressed<T>(held: Option<&HeldInterrupts>, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(LISTEN, work.as_mut()).await {
            Ok(done) => return Some(done),
            Err(_) if held.is_some_and(HeldInterrupts::pressed) => return None,
            Err(_) => {}
        }
    }
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

/// How an object stands, in few words.
fn state(key: &ObjectKey, manifests: &Manifests) -> String {
    let Some(manifest) = manifests.get(key) else { return "gone".to_owned() };
    match Seen::decode(key.kind, manifest) {
        Ok(Seen::Volume(volume)) => {
            let phase = volume.status.phase.as_str();
            match &volume.claim_ref {
                None => phase.to_owned(),
                Some(named) if named.uid.is_empty() => {
                    format!("{phase}, reserved for {}/{}", named.namespace, named.name)
                }
                Some(named) => format!("{phase}, of {}/{}", named.namespace, named.name),
            }
        }
        Ok(Seen::Claim(claim)) if claim.volume_name.is_empty() => claim.status.phase.as_str().to_owned(),
        Ok(Seen::Claim(claim)) => format!("{}, on {}", claim.status.phase.as_str(), claim.volume_name),
        Err(_) => "not understood".to_owned(),
    }
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

/// What to say where a repair of which an earlier run has written a part is not gone on with, and this run has written
/// nothing. Where its volume is lost, nothing leads on.
pub(super) fn begun(error: Error, earlier: &Earlier, is_lost: bool) -> Error {
    let ways_on = |error: Error| if is_lost { error } else { ways_on(error, earlier) };
    let part = "an earlier run has written a part of this, or may have";
    match error.kind() {
        // Of the plan as a whole that is not true which the exit code of a changed world says.
        ErrorKind::Changed => {
            let partial = Error::new(ErrorKind::Partial, error.message());
            let partial = error.causes().iter().cloned().fold(partial, Error::cause);
            let partial = error.hints().iter().cloned().fold(partial, Error::hint);
            ways_on(partial.cause(part).journal(&earlier.entry.id))
        }
        ErrorKind::Refused | ErrorKind::Unreadable => ways_on(error.hint(part)),
        ErrorKind::Usage | ErrorKind::Partial | ErrorKind::Bug | ErrorKind::Interrupted | ErrorKind::OutputClosed => {
            error
        }
    }
}

/// How a repair is led on that was begun.
fn ways_on(error: Error, Earlier { entry }: &Earlier) -> Error {
    let id = &entry.id;
    let error = error.hint(format!("kubectl pvctl apply --continue {id} goes on once nothing stands against it"));
    let is_lasting = |step: &Step| matches!(step.undo, Undo::Impossible { .. });
    let lasting = entry.done().iter().any(|done| done.step.write.is_some() && !done.was_so && is_lasting(&done.step));
    // What takes a repair back is not taken back.
    if lasting || matches!(entry.plan.request, Request::Undo { .. }) {
        return error;
    }
    error.hint(format!("kubectl pvctl undo {id} takes back what was done"))
}

/// What a rehearsal came to.
pub(super) fn rehearsed(terminal: &Terminal, outcome: &Outcome) {
    let steps = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let tried = if outcome.done.is_empty() {
        "the API server was asked to try no step".to_owned()
    } else {
        format!("the API server accepts steps {} in a dry run", steps(&outcome.done))
    };
    let untried = if outcome.untried.is_empty() {
        String::new()
    } else {
        format!("; steps {} depend on earlier ones and could not be tried", steps(&outcome.untried))
    };
    terminal.message(&format!("note: {tried}{untried}; nothing was written (--dry-run=server)"));
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
