//! Checks runs with actors after which many states are possible. A run must not cause a loss that a check could have
//! prevented. It must not write to another object of the same name. It must not report success if it has read that the
//! goal is not reached.

use super::{Case, Prepared, Report};
use crate::support::api::writers::{ANEW, SECOND};
use crate::support::api::{Actor, ApiServer, Loss, claim_key, text, volume_key};
use pvctl::model::{Kind, ObjectKey};
use pvctl::repair::{FIELD_MANAGER, Request};
use serde_json::Value;

/// Returns whether the actor caused a loss that no check of ours could have prevented.
pub(super) fn is_excused(api: &ApiServer, case: Case, loss: &Loss) -> bool {
    if !case.actor.is_rough() {
        return false;
    }
    match loss {
        Loss::Destroyed(volume) | Loss::Gone(volume) => came_too_late(api, volume) || is_admissions(api, volume),
        Loss::Taken(_, _, claim) => case.actor == Actor::Second && claim == SECOND,
        Loss::Lost(..) => case.actor.parts(),
    }
}

/// Returns whether the last read of the volume was too early to prevent the loss. Our write made the volume deletable:
/// it deleted a claim, or made the volume name a claim that is gone. At the last read before this write the policy was
/// not Delete. So the run could not notice an actor that changed the policy later.
fn came_too_late(api: &ApiServer, name: &str) -> bool {
    let key = volume_key(name);
    let is_deletable = |volume: &Value| {
        text(volume, "/spec/persistentVolumeReclaimPolicy") == "Delete"
            && ["Released", "Failed"].contains(&text(volume, "/status/phase").as_str())
    };
    let exposed = api.with(|store, _| {
        let names_gone = |volume: &Value| {
            let named = claim_key(&text(volume, "/spec/claimRef/namespace"), &text(volume, "/spec/claimRef/name"));
            let uid = text(volume, "/spec/claimRef/uid");
            !uid.is_empty() && store.read(&named).is_none_or(|claim| text(claim, "/metadata/uid") != uid)
        };
        let doomed = store
            .history
            .iter()
            .position(|moment| moment.key == key && moment.after.as_ref().is_some_and(is_deletable))?;
        let claim_ref = |volume: Option<&Value>| volume.map(|volume| volume["spec"]["claimRef"].clone());
        (0..doomed).rev().find(|at| {
            let moment = &store.history[*at];
            let after = moment.after.as_ref();
            let goes = |claim: &Value| claim["metadata"]["deletionTimestamp"].is_string();
            let deletes = moment.key.kind == Kind::PersistentVolumeClaim && after.is_none_or(goes);
            let before = store.history[..*at].iter().rev().find(|earlier| earlier.key == key);
            let is_named_anew = || claim_ref(after) != claim_ref(before.and_then(|earlier| earlier.after.as_ref()));
            let names = moment.key == key && after.is_some_and(names_gone) && is_named_anew();
            moment.by == FIELD_MANAGER && (deletes || names)
        })
    });
    let Some(request) = exposed.and_then(|moment| api.request_of(moment)) else { return false };
    let path = format!("GET /api/v1/persistentvolumes/{name}");
    let requests = api.requests();
    let Some(look) = requests.iter().take(request - 1).rposition(|asked| *asked == path) else { return false };
    let Some(length) = api.length_at(look + 1) else { return false };
    api.with(|store, _| {
        let then = store.history[..length].iter().rev().find(|moment| moment.key == key);
        then.and_then(|moment| moment.after.as_ref())
            .is_some_and(|volume| text(volume, "/spec/persistentVolumeReclaimPolicy") != "Delete")
    })
}

/// Returns whether admission changed Retain to Delete in a write of ours to a volume that no claim had. Then the volume
/// could be deleted immediately. When the run read the answer, it was too late.
fn is_admissions(api: &ApiServer, name: &str) -> bool {
    let key = volume_key(name);
    let at = |volume: &Value, policy: &str| {
        text(volume, "/spec/persistentVolumeReclaimPolicy") == policy
            && ["Released", "Failed"].contains(&text(volume, "/status/phase").as_str())
    };
    api.with(|store, _| {
        let mutates = store.mutated > 0;
        let all: Vec<_> = store.history.iter().filter(|moment| moment.key == key).collect();
        let doomed =
            all.iter().position(|moment| moment.after.as_ref().is_some_and(|volume| at(volume, "Delete"))).unwrap_or(0);
        let before = doomed.checked_sub(1).and_then(|before| all[before].after.as_ref());
        mutates && all[doomed].by == FIELD_MANAGER && before.is_some_and(|volume| at(volume, "Retain"))
    })
}

/// Checks a run with an actor after which many states are possible.
pub(super) fn judge(prepared: &Prepared, api: &ApiServer, case: Case, report: &mut Report) {
    if !case.actor.is_rough() {
        return;
    }
    report.wrong.extend(strange_writes(prepared, api, report.anew_since));
    let says_done = report.outcome == "done";
    // If the volume of the plan is gone, the changed write has no effect any more.
    let is_stored =
        |carried: &pvctl::repair::Carried| api.with(|store, _| store.read(&volume_key(&carried.volume)).is_some());
    let mutated = api.with(|store, _| store.mutated) > 0 && prepared.plan.volumes.iter().any(is_stored);
    if says_done && mutated {
        report.wrong.push("the run reports success, but the API server stored something else than was sent".to_owned());
    }
    // If the request asked for the deletion of the volume, it does not matter which volume has the name now.
    let is_deletion = matches!(prepared.plan.request, Request::Reclaim { delete: true, .. });
    for name in makers_volumes(api).into_iter().filter(|_| says_done && !is_deletion) {
        let path = format!("GET /api/v1/persistentvolumes/{name}");
        let is_plans = prepared.plan.volumes.iter().any(|carried| carried.volume == name.as_str());
        if is_plans && api.requests().iter().skip(case.request - 1).any(|asked| *asked == path) {
            report.wrong.push(format!("the run reports success, but it has read another volume with the name {name}"));
        }
    }
}

/// Returns the names of the volumes that were created again.
fn makers_volumes(api: &ApiServer) -> Vec<String> {
    api.with(|store, _| {
        let anew = |volume: &Value| text(volume, "/metadata/uid").starts_with(ANEW);
        let all = store.all(Kind::PersistentVolume, "").filter(|(_, volume)| anew(volume));
        all.map(|(key, _)| key.name.to_string()).collect()
    })
}

/// Returns our writes to other objects that have the name of an object of the repair. Writes after `until` are left
/// out: at that moment, the same repair was requested again.
fn strange_writes(prepared: &Prepared, api: &ApiServer, until: Option<usize>) -> Vec<String> {
    let uid = |object: &Value| text(object, "/metadata/uid");
    let own = |key: &ObjectKey| prepared.base.read(key).map(uid);
    api.with(|store, _| {
        let end = until.unwrap_or(store.history.len());
        let mut wrong = Vec::new();
        for at in prepared.base.history.len()..end {
            let moment = &store.history[at];
            if moment.by != FIELD_MANAGER {
                continue;
            }
            let before = store.history[..at].iter().rev().find(|earlier| earlier.key == moment.key);
            let (Some(own), Some(found)) = (own(&moment.key), before.and_then(|then| then.after.as_ref()).map(uid))
            else {
                continue;
            };
            let made_by_us = || {
                let same = |earlier: &&crate::support::api::Moment| {
                    earlier.key == moment.key && earlier.after.as_ref().is_some_and(|object| uid(object) == found)
                };
                store.history.iter().find(same).is_some_and(|first| first.by == FIELD_MANAGER)
            };
            if found != own && !made_by_us() {
                wrong.push(format!("the run wrote to another {} with the same name", moment.key));
            }
        }
        wrong
    })
}
