//! The lines of a journal.

use crate::model::ObjectKey;
use crate::repair::{ApiRequest, Plan};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum Record {
    /// The first one: the whole plan, and the cluster: the address of its API server and, where it could be
    /// read, its uid.
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
    /// A step is written, or was so already.
    Done { step: u32, after: Option<Value>, was_so: bool },
    /// A step is written, and the API server has stored something else than was sent.
    Altered { step: u32, after: Value, why: String },
    /// The request of the last intent was refused: it was surely not carried out.
    Refused { step: u32, why: String },
    /// What a step waits for has come.
    Waited { step: u32 },
    /// A volume that the plan keeps has another policy than Retain: Retain is about to be set again.
    Kept { object: ObjectKey, policy: String },
    /// The run ended before the plan did.
    Stopped { why: String, written: bool },
    /// The volume that the plan is about is gone, or another one has its name: nothing leads on from here.
    Lost { why: String },
    /// The plan is carried out.
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
