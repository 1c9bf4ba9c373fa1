//! The lines of a journal.

use crate::model::ObjectKey;
use crate::repair::{ApiRequest, Plan};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of a journal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum Record {
    /// The first line, with the complete plan. It names the cluster by the address of the API server, and also by the
    /// uid of the cluster if this uid could be read.
    Header {
        version: u32,
        id: String,
        plan: Box<Plan>,
        /// A hash of the plan.
        digest: String,
        server: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cluster: Option<String>,
        at: String,
    },
    /// An object as it was before the first write.
    Saved { object: ObjectKey, manifest: Value },
    /// A request is about to be sent.
    Intent { step: u32, method: String, path: String, body: Value, before: Option<Value> },
    /// The write of a step was carried out, or the object already was in the state that the step wants.
    Done { step: u32, after: Option<Value>, was_so: bool },
    /// The write of a step was carried out, but the API server has stored something else than was sent.
    Altered { step: u32, after: Value, why: String },
    /// The request of the last intent was refused, so it certainly was not carried out.
    Refused { step: u32, why: String },
    /// The condition that a step waits for is met.
    Waited { step: u32 },
    /// A volume that the plan keeps has a policy other than Retain. Retain is about to be set again.
    Kept { object: ObjectKey, policy: String },
    /// The run ended before the plan was complete.
    Stopped { why: String, written: bool },
    /// The volume of the plan is gone, or another volume has its name. The plan can neither be continued nor undone.
    Lost { why: String },
    /// The plan is complete.
    Finished {},
}

impl Record {
    pub(super) fn intent(step: u32, request: &ApiRequest, before: Option<Value>) -> Self {
        Self::Intent {
            step,
            method: request.method.to_owned(),
            path: request.path.clone(),
            body: request.body.clone(),
            before,
        }
    }
}
