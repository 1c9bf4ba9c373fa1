//! Checks that no run deletes an attachment although it has read that the node may use the volume, and no run deletes a
//! Service although it has read that a pod uses the volume.

use super::{Prepared, Report};
use crate::support::api::{ApiServer, Moment, text};
use pvctl::model::{Kind, ObjectKey};
use pvctl::repair::FIELD_MANAGER;
use serde_json::Value;

/// Checks our deletions of attachments. When a run deletes one, its last readings of the node and of the pods must not
/// have shown a node that is Ready, or a pod on this node. A run cannot notice what happens after these readings.
pub(super) fn judge(prepared: &Prepared, api: &ApiServer, report: &mut Report) {
    let since = prepared.base.history.len();
    let deletions: Vec<(usize, String)> = api.with(|store, _| {
        let is_ours = |moment: &Moment| moment.key.kind == Kind::VolumeAttachment && moment.by == FIELD_MANAGER;
        let node = |key: &ObjectKey| prepared.base.read(key).map(|attachment| text(attachment, "/spec/nodeName"));
        let ours = store.history.iter().enumerate().skip(since).filter(|(_, moment)| is_ours(moment));
        ours.filter_map(|(at, moment)| Some((at, node(&moment.key)?))).collect()
    });
    check_services(prepared, api, report);
    for (deletion, node) in deletions {
        let Some(request) = api.request_of(deletion) else { continue };
        let is_ready = |object: &Value| object["status"]["conditions"][0]["status"] == "True";
        let is_there = |pod: &Value| pod["spec"]["nodeName"] == node.as_str();
        let nodes = format!("GET /api/v1/nodes/{node}");
        for (kind, path, uses) in [
            (Kind::Node, nodes.as_str(), &is_ready as &dyn Fn(&Value) -> bool),
            (Kind::Pod, "GET /api/v1/namespaces/db/pods", &is_there),
        ] {
            let requests = api.requests();
            let Some(look) = requests.iter().take(request - 1).rposition(|asked| asked == path) else {
                report.wrong.push(format!("the run deletes an attachment without this request: {path}"));
                continue;
            };
            let Some(length) = api.length_at(look + 1) else { continue };
            let was_read = api.with(|store, _| {
                let known = &store.history[..length];
                let last = |key: &ObjectKey| known.iter().rev().find(|moment| moment.key == *key);
                let mut keys = known.iter().filter(|moment| moment.key.kind == kind).map(|moment| &moment.key);
                keys.any(|key| last(key).and_then(|moment| moment.after.as_ref()).is_some_and(uses))
            });
            if was_read {
                report.wrong.push(format!("the run deletes an attachment, but it has read that {kind} may use it"));
            }
        }
    }
}

/// Checks our deletions of Services. When a run deletes one, its last reading of the pods must not have shown a pod
/// with a claim.
fn check_services(prepared: &Prepared, api: &ApiServer, report: &mut Report) {
    let since = prepared.base.history.len();
    let deletions: Vec<usize> = api.with(|store, _| {
        let is_ours =
            |moment: &Moment| moment.key.kind == Kind::Service && moment.after.is_none() && moment.by == FIELD_MANAGER;
        let ours = store.history.iter().enumerate().skip(since).filter(|(_, moment)| is_ours(moment));
        ours.map(|(at, _)| at).collect()
    });
    for deletion in deletions {
        let Some(request) = api.request_of(deletion) else { continue };
        let path = "GET /api/v1/pods";
        let requests = api.requests();
        let Some(look) = requests.iter().take(request - 1).rposition(|asked| asked == path) else {
            report.wrong.push(format!("the run deletes a Service without this request: {path}"));
            continue;
        };
        let Some(length) = api.length_at(look + 1) else { continue };
        let was_used = api.with(|store, _| {
            let known = &store.history[..length];
            let last = |key: &ObjectKey| known.iter().rev().find(|moment| moment.key == *key);
            let mut keys = known.iter().filter(|moment| moment.key.kind == Kind::Pod).map(|moment| &moment.key);
            let uses = |pod: &Value| pod["spec"]["volumes"].is_array();
            keys.any(|key| last(key).and_then(|moment| moment.after.as_ref()).is_some_and(uses))
        });
        if was_used {
            report.wrong.push("the run deletes a Service, but it has read that a pod uses the volume".to_owned());
        }
    }
}
