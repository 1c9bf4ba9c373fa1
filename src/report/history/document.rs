//! Repairs as data.

use crate::report::shared::machine::API_VERSION;
use serde::Serialize;

/// All repairs, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The version of the document.
    pub api_version: &'static str,
    /// `History`.
    pub kind: &'static str,
    /// The repairs.
    pub items: Vec<Repair>,
}

/// One repair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    /// The id of the journal of the repair.
    pub id: String,
    /// The time at which the repair began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The address of the API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The uid of the cluster, which is the uid of namespace kube-system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What the plan achieves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The state of the repair.
    ///
    /// `finished`, `stopped` or `unreadable`. `open`: the repair is active or was interrupted. `lost`: no step can
    /// follow, because the volume of the repair was deleted or another volume has its name.
    pub state: &'static str,
    /// The number of the step at which the repair stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Why the repair stopped, or why its journal cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether a request was carried out, or may have been carried out.
    pub written: bool,
    /// The id of the repair that undid this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back_by: Option<String>,
    /// The steps of the repair.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub steps: Vec<StepReport>,
}

/// A step of a repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    /// The number of the step, from 1.
    pub id: u32,
    /// Why the step is in the plan.
    pub why: String,
    /// What the step writes, in words. The field is absent for a step that only waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// The state of the step.
    ///
    /// `done`; `wasSo`: nothing had to be written; `written`: the write was carried out, but the condition for which
    /// the step waits is not met; `inDoubt`: the answer to the request never arrived; `notDone`.
    pub state: &'static str,
}

impl History {
    /// Returns the document of these repairs.
    pub fn new(items: Vec<Repair>) -> Self {
        Self { api_version: API_VERSION, kind: "History", items }
    }
}
