//! Checks that no run deletes an attachment although it has read that the node may use the volume.

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
