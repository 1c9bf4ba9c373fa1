//! The statement of a snapshot about its own reading: whether all objects were read, when they were read, and the
//! version of Kubernetes. Without this statement, the reader of the file would have to assume these facts.
//!
//! The statement is stored in annotations of the list. kubectl reads only the items of a list and ignores these
//! annotations.

use crate::model::{Kind, Str, Timestamp};
use crate::snapshot::{Coverage, CoverageEntry, CoverageState};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The annotation with the coverage: a JSON list in the form of `coverage` in documents.
const COVERAGE: &str = "pvctl.dev/coverage";
/// The annotation with the time for which ages are computed, in RFC 3339.
const NOW: &str = "pvctl.dev/now";
/// The annotation with the version of the server's Kubernetes, such as `1.36`.
const KUBERNETES: &str = "pvctl.dev/kubernetes";

/// What is known about a reading besides its objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// For each kind and namespace, whether all objects were read.
    pub coverage: Coverage,
    /// The time for which ages are computed.
    pub now: Option<Timestamp>,
    /// The minor version of the server, if there was a server.
    pub kubernetes: Option<u32>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    resource: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<Str>,
    state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource_version: Option<Str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    absent: BTreeSet<Str>,
}

impl Statement {
    /// Returns the annotations of the statement. The result is empty if the statement says nothing.
    pub fn annotations(&self) -> BTreeMap<&'static str, String> {
        let entries = self.coverage.entries().iter().map(|entry| Entry {
            resource: entry.kind.resource().to_owned(),
            namespace: entry.namespace.clone(),
            state: entry.state.as_str().to_owned(),
            resource_version: entry.resource_version.clone(),
            reason: entry.reason.clone(),
            absent: entry.absent.clone(),
        });
        let entries: Vec<Entry> = entries.collect();
        // The entries contain only texts, so writing them cannot fail.
        let coverage = serde_json::to_string(&entries).ok().filter(|_| !entries.is_empty());
        let now = self.now.map(|moment| moment.to_string());
        let kubernetes = self.kubernetes.map(|minor| format!("1.{minor}"));
        [(COVERAGE, coverage), (NOW, now), (KUBERNETES, kubernetes)]
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }

    /// Merges the statements of several inputs. If two entries are for the same list, the entry with the more complete
    /// state is used. If the versions differ, no version is kept. If there is more than one statement, the names of
    /// objects that were not found are dropped, because another input may have the object.
    pub fn of_all(statements: &[Self]) -> Self {
        let mut all = Self::default();
        let rank = |state| CoverageState::ALL.iter().position(|known| *known == state);
        for entry in statements.iter().flat_map(|statement| statement.coverage.entries()) {
            let known = all.coverage.entry(entry.kind, entry.namespace.as_deref());
            if known.is_none_or(|known| rank(entry.state) < rank(known.state)) {
                let absent = if statements.len() > 1 { BTreeSet::new() } else { entry.absent.clone() };
                all.coverage.set(CoverageEntry { absent, ..entry.clone() });
            }
        }
        all.now = statements.iter().filter_map(|statement| statement.now).max();
        let mut versions = statements.iter().filter_map(|statement| statement.kubernetes);
        all.kubernetes = versions.next().filter(|first| versions.all(|other| other == *first));
        all
    }
}

/// Reads the statement from the metadata of a list. The result is `None` if there is no statement.
///
/// # Errors
///
/// Returns an error with a text for people, if an annotation `pvctl.dev/…` does not have the form that `snapshot`
/// writes.
pub(super) fn read(metadata: &[u8]) -> Result<Option<Statement>, String> {
    #[derive(Deserialize)]
    struct Metadata {
        #[serde(default)]
        annotations: Option<BTreeMap<String, serde_json::Value>>,
    }
    // Metadata of any other form were not written by this program. The parser of the list checks the syntax of the
    // metadata.
    let Ok(Metadata { annotations: Some(annotations) }) = serde_json::from_slice(metadata) else { return Ok(None) };
    let text = |key: &str| match annotations.get(key) {
        Some(serde_json::Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("the list's annotation {key} is not a text")),
        None => Ok(None),
    };
    let (coverage, now, kubernetes) = (text(COVERAGE)?, text(NOW)?, text(KUBERNETES)?);
    if coverage.is_none() && now.is_none() && kubernetes.is_none() {
        return Ok(None);
    }
    let wrong = |key: &str| format!("the list's annotation {key} is not what `snapshot` writes there");
    let mut statement = Statement::default();
    if let Some(text) = coverage {
        let entries: Vec<Entry> = serde_json::from_str(text).map_err(|_| wrong(COVERAGE))?;
        for entry in entries {
            // A kind that only a later version knows is skipped.
            let Some(kind) = Kind::listed().find(|kind| kind.resource() == entry.resource) else { continue };
            let state = CoverageState::from_word(&entry.state).ok_or_else(|| wrong(COVERAGE))?;
            let Entry { namespace, resource_version, reason, absent, .. } = entry;
            let namespace = namespace.filter(|_| kind.namespaced());
            statement.coverage.set(CoverageEntry { kind, namespace, state, resource_version, reason, absent });
        }
    }
    if let Some(text) = now {
        statement.now = Some(Timestamp::parse(text).ok_or_else(|| wrong(NOW))?);
    }
    if let Some(text) = kubernetes {
        let minor = text.strip_prefix("1.").and_then(|minor| minor.parse().ok());
        statement.kubernetes = Some(minor.ok_or_else(|| wrong(KUBERNETES))?);
    }
    Ok(Some(statement))
}
