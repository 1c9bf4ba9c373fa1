//! Checks of the conditions that must hold when a run is over.

use super::recovery::RecoveryPath;
use super::state::{self, Place};
use super::{Case, Controllers, Prepared, Report, describe};
use crate::support::api::{Actor, ApiServer, Loss, Moment, Store, text};
use crate::support::faults::Fault;
use pvctl::execute::{self, Journal, Stopped};
use pvctl::repair::{GivenUp, Plan};
use serde_json::Value;
use std::path::Path;

pub(super) fn is_given_up(loss: &Loss, plan: &Plan) -> bool {
    let given = |volume: &str, what: &[GivenUp]| {
        let carried = plan.volumes.iter().find(|carried| carried.volume == volume);
        carried.is_some_and(|carried| carried.given_up.iter().any(|given| what.contains(given)))
    };
    match loss {
        Loss::Destroyed(volume) => given(volume, &[GivenUp::Data]),
        Loss::Gone(volume) => given(volume, &[GivenUp::Data, GivenUp::Object]),
        Loss::Taken(volume, ..) => given(volume, &[GivenUp::Privacy]),
        // If a claim was Lost before a repair, it may be Lost again after the undo.
        Loss::Lost(..) => plan.volumes.iter().any(|carried| carried.given_up.contains(&GivenUp::Claim)),
    }
}

/// Checks that a run ends in a state of its plan, or in a state that the actor causes. If only controllers act, the run
/// can always reach either the goal or the state before the repair.
pub(super) fn judge(case: Case, settled: &Store, report: &mut Report) {
    let mut wrong = |what: &str| report.wrong.push(format!("{what}:\n{}", state::state(settled)));
    if report.place == Place::Elsewhere && !case.actor.is_rough() {
        wrong("the cluster ends in no state of the plan");
    }
    let left = report.outcome.contains("left:");
    // If an actor takes the name of the claim, the claim itself or the data, the repair may have nothing left to do.
    let took = case.actor.is_in_the_way() || case.actor.is_rough() && report.excused > 0;
    // An attachment that is being deleted already is not deleted again. This is the goal.
    let is_going = report.outcome.contains("left: deletion") && report.place == Place::Goal;
    if left && !took && !is_going {
        wrong("the repair could not be continued, undone or requested again");
    }
    if !case.actor.is_harmless() {
        return;
    }
    if report.outcome == "done" && report.place != Place::Goal {
        wrong("the run reports success, but the cluster is not as after an undisturbed run");
    }
    if report.way == Some(RecoveryPath::Continued) && report.place != Place::Goal {
        wrong("the run was continued, but the cluster is not as after an undisturbed run");
    }
    if report.way == Some(RecoveryPath::Undone) && report.place != Place::Before {
        wrong("the run was undone, but the cluster is not as it was before");
    }
    if matches!(report.way, Some(RecoveryPath::Anew | RecoveryPath::Reached)) {
        wrong("nobody changed anything that matters, but the run could neither be continued nor undone");
    }
    // A controller may do the same as a write before that write. The plan then stops, and can be continued.
    let calm = case.fault == Fault::None && case.actor == Actor::Nobody && case.controllers == Controllers::Run;
    if calm && report.outcome != "done" && !matches!(report.way, Some(RecoveryPath::Continued | RecoveryPath::Undone)) {
        wrong("nothing disturbed the run, but it stopped");
    }
}

/// Returns a list of all changes and all requests.
pub(super) fn told(prepared: &Prepared, api: &ApiServer) -> Vec<String> {
    let line = |moment: &Moment| match &moment.after {
        Some(object) => format!(
            "{} by {}: {} {} {} {}",
            moment.key,
            moment.by,
            text(object, "/status/phase"),
            text(object, "/spec/persistentVolumeReclaimPolicy"),
            object["spec"]["claimRef"],
            text(object, "/spec/volumeName"),
        ),
        None => format!("{} by {}: gone", moment.key, moment.by),
    };
    let mut story: Vec<String> =
        api.with(|store, _| store.history[prepared.base.history.len()..].iter().map(line).collect());
    story.push(format!("requests: {}", api.requests().join("\n  ")));
    story
}

/// Returns whether the history has a write of our field manager since this index.
pub(super) fn by_us(store: &Store, since: usize) -> bool {
    store.history[since..].iter().any(|moment| moment.by == pvctl::repair::FIELD_MANAGER)
}

/// Returns the id of the journal, if there is one. Reports an error if the journal cannot be read.
pub(super) fn journal_of(dir: &Path, report: &mut Report) -> Option<String> {
    let all = Journal::list(dir).unwrap();
    for summary in &all {
        if let Err(why) = &summary.entry {
            report.wrong.push(format!("the journal {} cannot be read: {why}", summary.id));
        }
    }
    all.first().map(|summary| summary.id.clone())
}

/// Checks what the run reports about its end.
pub(super) fn judge_end(ended: Option<&Result<(), Stopped>>, written: bool, report: &mut Report) {
    report.outcome = match ended {
        None => "killed".to_owned(),
        Some(Ok(())) if !report.refusals.is_empty() => "refused".to_owned(),
        Some(Ok(())) => "done".to_owned(),
        Some(Err(stop)) => format!("{:?}", stop.kind).to_lowercase(),
    };
    match ended {
        Some(Ok(())) if report.outcome == "refused" && written => {
            report.wrong.push("the plan was refused, but something was written".to_owned());
        }
        Some(Err(stop)) => {
            report.story.push(describe(stop));
            if written && !stop.written {
                report.wrong.push(format!(
                    "something was written, but the run reports that nothing was written: {}",
                    describe(stop)
                ));
            }
            if stop.written != (stop.kind == execute::StopKind::Partial) {
                report.wrong.push(format!("the kind of the error contradicts its field `written`: {}", describe(stop)));
            }
        }
        _ => {}
    }
}

/// Returns whether the loss has another cause than the plan. Two conditions must hold. First, the same actor causes the
/// same loss on the same cluster without any repair. Second, when the actor acted, the volume had the same protection
/// as before the repair: the same policy, or the same claim in its `claimRef`. So the repair had not changed this
/// protection, or had already restored it.
///
/// A plan may have to set policy Delete on a volume again. As its last step it reads the claim and then sets the
/// policy. If an actor deletes the claim after that read, the data are deleted with the claim, at that moment or later.
pub(super) fn is_excused(prepared: &Prepared, api: &ApiServer, case: Case, loss: &Loss) -> bool {
    let name = match loss {
        Loss::Destroyed(volume) | Loss::Gone(volume) | Loss::Taken(volume, ..) => volume,
        Loss::Lost(namespace, name) => {
            let before = prepared.base.read(&crate::support::api::claim_key(namespace, name));
            return before.is_some_and(|claim| claim["status"]["phase"] == "Lost")
                || prepared.excused.get(&case.actor).is_some_and(|losses| losses.contains(loss));
        }
    };
    if matches!(loss, Loss::Destroyed(_) | Loss::Gone(_)) && gave_delete_back(api, name, case) {
        return true;
    }
    if !prepared.excused.get(&case.actor).is_some_and(|losses| losses.contains(loss)) {
        return false;
    }
    let key = crate::support::api::volume_key(name);
    let stands = |volume: &Value| match loss {
        Loss::Taken(..) => text(volume, "/spec/claimRef/namespace") + "/" + &text(volume, "/spec/claimRef/name"),
        Loss::Destroyed(_) | Loss::Gone(_) | Loss::Lost(..) => text(volume, "/spec/persistentVolumeReclaimPolicy"),
    };
    let before = prepared.base.read(&key).map(stands);
    let struck = api.acted().unwrap_or(0);
    let then = api.with(|store, _| {
        let last = store.history[..struck].iter().rev().find(|moment| moment.key == key);
        last.and_then(|moment| moment.after.as_ref().map(stands))
    });
    before == then
}

/// Returns whether our own write set policy Delete again on a Bound volume, and the actor acted at that write or later.
/// The run reads the claim before that write, so it cannot notice a later deletion of the claim.
fn gave_delete_back(api: &ApiServer, name: &str, case: Case) -> bool {
    let key = crate::support::api::volume_key(name);
    let written: Vec<usize> = api.with(|store, _| {
        let policy = |volume: &Value| text(volume, "/spec/persistentVolumeReclaimPolicy");
        let mut before: Option<&Value> = None;
        let mut gave = Vec::new();
        for (at, moment) in store.history.iter().enumerate().filter(|(_, moment)| moment.key == key) {
            let after = moment.after.as_ref();
            let is_ours = moment.by == pvctl::repair::FIELD_MANAGER;
            let was_kept =
                before.is_some_and(|then| policy(then) == "Retain" && text(then, "/status/phase") == "Bound");
            if is_ours && was_kept && after.is_some_and(|now| policy(now) == "Delete") {
                gave.push(at);
            }
            before = after;
        }
        gave
    });
    !case.actor.is_harmless()
        && written.into_iter().filter_map(|moment| api.request_of(moment)).any(|request| request <= case.request)
}
