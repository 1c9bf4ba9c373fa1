//! Parts of the machine-readable output that several kinds of document share. The field names are public API.

use crate::controllers::{Controller, KubernetesBehavior};
use crate::model::{Kind, Str};
use crate::snapshot::Coverage;
use crate::snapshot::printed;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The version of all documents.
pub const API_VERSION: &str = "pvctl.dev/v1";

/// An object, as documents name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObjectId<'a> {
    /// The kind.
    pub kind: &'static str,
    /// The namespace, for kinds that have one.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The uid; `<uid>` where only an API server could give it.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub uid: &'a str,
}

impl<'a> ObjectId<'a> {
    /// An object of that kind and with that metadata.
    pub fn new(kind: Kind, meta: &'a crate::model::ObjectMeta) -> Self {
        Self { kind: kind.as_str(), namespace: &meta.namespace, name: &meta.name, uid: printed(&meta.uid) }
    }

    /// The object of that name, which is not there yet.
    pub fn of_key(key: &'a crate::model::ObjectKey) -> Self {
        Self { kind: key.kind.as_str(), namespace: &key.namespace, name: &key.name, uid: "" }
    }
}

/// What the model assumes about Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The version whose behaviour is modelled.
    pub kubernetes: String,
    /// Whether a suite of recorded answers of the real controller judges this version.
    pub verified: bool,
    /// Where the version comes from: `detected` on a cluster, `stated` by a snapshot, `given` or `assumed`.
    pub source: &'static str,
    /// The gates and flags that were given; the others are assumed to have the defaults of the version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub given: Vec<String>,
    /// The feature gates that decide.
    pub feature_gates: BTreeMap<&'static str, bool>,
    /// The flags of kube-controller-manager that decide.
    pub controller_flags: BTreeMap<&'static str, String>,
    /// The controllers that take part.
    pub controllers: Vec<&'static str>,
    /// Outcomes also quantify over requests that are refused, crashes inside a sync and caches that lag.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(test, schemars(default))]
    pub failures: bool,
}

impl Model {
    /// The same model, with the names of the gates and flags that were given.
    #[must_use]
    pub fn with_given(mut self, given: &[String]) -> Self {
        self.given = given.to_vec();
        self
    }

    /// The same model, with or without failures.
    #[must_use]
    pub fn with_failures(mut self, failures: bool) -> Self {
        self.failures = failures;
        self
    }

    /// The model of these rules and controllers. `source` says where the version comes from.
    pub fn new(behavior: &KubernetesBehavior, controllers: &[Controller], source: &'static str) -> Self {
        let defaults = KubernetesBehavior::of(behavior.version);
        Self {
            kubernetes: behavior.version.to_string(),
            verified: behavior.version.recorded().is_some() && defaults == *behavior,
            source,
            given: Vec::new(),
            feature_gates: behavior.gates.clone(),
            controller_flags: BTreeMap::from([
                ("enable-dynamic-provisioning", behavior.dynamic_provisioning.to_string()),
                ("enable-hostpath-provisioner", behavior.hostpath_provisioning.to_string()),
                ("pvclaimbinder-sync-period", format!("{}s", behavior.resync_seconds)),
            ]),
            controllers: controllers.iter().map(|controller| controller.name).collect(),
            failures: false,
        }
    }
}

/// How complete the reading of one kind is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CoverageOut<'a> {
    /// The resource, as the API's paths write it.
    pub resource: &'static str,
    /// The namespace, where the entry is for one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<&'a str>,
    /// `complete`, `partial`, `forbidden`, `notServed`, `notNeeded`, `failed` or `assumed`.
    pub state: &'static str,
    /// The list's resource version, where there was a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<&'a str>,
    /// Why it is not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'a, str>>,
    /// The names of objects that were asked for one by one and are not there, whatever is known of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<&'a str>,
}

/// All readings.
pub fn coverage_out(coverage: &Coverage) -> Vec<CoverageOut<'_>> {
    coverage
        .entries()
        .iter()
        .map(|entry| CoverageOut {
            resource: entry.kind.resource(),
            namespace: entry.namespace.as_deref(),
            state: entry.state.as_str(),
            resource_version: entry.resource_version.as_deref(),
            reason: entry.reason.as_deref().map(Cow::Borrowed),
            absent: entry.absent.iter().map(Str::as_str).collect(),
        })
        .collect()
}

/// Whether a flag is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(in crate::report) fn is_false(value: &bool) -> bool {
    !*value
}
