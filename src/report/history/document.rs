//! Repairs as data.

use crate::report::shared::machine::API_VERSION;
use serde::Serialize;

/// All repairs, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    /// The id of its journal.
    pub id: String,
    /// When it was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The address of the API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The uid of the cluster, which is that of namespace kube-system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What it comes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// `finished`, `stopped`, `open` (under way, or cut short), `lost` (its volume is gone, or another one has the
    /// name, so that nothing leads on) or `unreadable`.
    pub state: &'static str,
    /// The step at which it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Why it stopped, or cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether something was written, or may have been.
    pub written: bool,
    /// The repair that took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back_by: Option<String>,
    /// The steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub steps: Vec<Taken>,
}

/// A step of a repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// From 1.
    pub id: u32,
    /// Why.
    pub why: String,
    /// What was written, in words; nothing for a step that only waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// `done`, `wasSo` (nothing had to be written), `written` (what it waits for has not come), `inDoubt` (the answer
    /// to its request was lost) or `notDone`.
    pub state: &'static str,
}

impl History {
    /// The document of these repairs.
    pub fn new(items: Vec<Repair>) -> Self {
        Self { api_version: API_VERSION, kind: "History", items }
    }
}
