//! Parts of the machine-readable output that several documents share. The field names are public API.

use crate::controllers::provisioner::{self, EXTERNAL_PROVISIONER, PROVISIONER_LIBRARY};
use crate::controllers::{ACTORS, Controller, KubernetesBehavior};
use crate::model::{Kind, Str};
use crate::snapshot::Coverage;
use crate::snapshot::printed;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The version of all documents.
pub const API_VERSION: &str = "pvctl.dev/v1";

/// The name of an object in documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectId<'a> {
    /// The kind.
    pub kind: &'static str,
    /// The namespace, for kinds that have one.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The uid. It is `<uid>` if only an API server could assign the uid.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub uid: &'a str,
}

impl<'a> ObjectId<'a> {
    /// Returns the object of that kind with that metadata.
    pub fn new(kind: Kind, meta: &'a crate::model::ObjectMeta) -> Self {
        Self { kind: kind.as_str(), namespace: &meta.namespace, name: &meta.name, uid: printed(&meta.uid) }
    }

    /// Returns the object of that name, which does not exist yet.
    pub fn of_key(key: &'a crate::model::ObjectKey) -> Self {
        Self { kind: key.kind.as_str(), namespace: &key.namespace, name: &key.name, uid: "" }
    }
}

/// What the model assumes about Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The minor version of Kubernetes whose behavior is modelled.
    pub kubernetes: String,
    /// Whether recorded answers of the real controllers verify this version with these feature gates and flags. The
    /// field is false if a gate or a flag differs from its default.
    pub verified: bool,
    /// How the version was found: `detected` on a cluster, `stated` by a snapshot, `given` by the user, or `assumed`.
    pub source: &'static str,
    /// The feature gates and flags that the user gave. All others are assumed to have the defaults of the version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub given: Vec<String>,
    /// The values of the feature gates that influence decisions.
    pub feature_gates: BTreeMap<&'static str, bool>,
    /// The values of the flags of kube-controller-manager that influence decisions.
    pub controller_flags: BTreeMap<&'static str, String>,
    /// The names of the controllers that take part.
    pub controllers: Vec<&'static str>,
    /// The names of the actors that take part besides the controllers, such as `scheduler`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub actors: Vec<&'static str>,
    /// The external provisioner whose decisions the drivers make. The field is absent if the drivers do not take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_provisioner: Option<ProvisionerVersions>,
    /// Whether the outcomes include failures: refused requests, crashes inside a sync, and outdated caches.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub failures: bool,
}

/// The versions of the external provisioner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProvisionerVersions {
    /// The version of external-provisioner.
    pub version: &'static str,
    /// The version of its library, sig-storage-lib-external-provisioner.
    pub library: &'static str,
}

impl ProvisionerVersions {
    /// The versions that are modelled.
    pub const MODELLED: Self = Self { version: EXTERNAL_PROVISIONER, library: PROVISIONER_LIBRARY };
}

impl Model {
    /// Returns the same model, with the names of the gates and flags that the user gave.
    #[must_use]
    pub fn with_given(mut self, given: &[String]) -> Self {
        self.given = given.to_vec();
        self
    }

    /// Returns the same model, with or without failures.
    #[must_use]
    pub fn with_failures(mut self, failures: bool) -> Self {
        self.failures = failures;
        self
    }

    /// Returns the model with this behavior and these controllers. `source` says how the version was found.
    pub fn new(behavior: &KubernetesBehavior, controllers: &[Controller], source: &'static str) -> Self {
        let defaults = KubernetesBehavior::of(behavior.version);
        let named = |is_such: fn(&Controller) -> bool| {
            controllers.iter().filter(|controller| is_such(controller)).map(|controller| controller.name).collect()
        };
        Self {
            kubernetes: behavior.version.to_string(),
            verified: behavior.version.recorded().is_some() && defaults == *behavior,
            source,
            given: Vec::new(),
            feature_gates: behavior.gates.clone(),
            controller_flags: flags(behavior, &defaults),
            controllers: named(|controller| !ACTORS.contains(controller)),
            actors: named(|controller| ACTORS.contains(controller)),
            external_provisioner: controllers
                .contains(&provisioner::actor::CONTROLLER)
                .then_some(ProvisionerVersions::MODELLED),
            failures: false,
        }
    }
}

/// Returns the flags of kube-controller-manager. Those of the attach/detach controller are left out if they have their
/// defaults.
fn flags(behavior: &KubernetesBehavior, defaults: &KubernetesBehavior) -> BTreeMap<&'static str, String> {
    let mut flags = BTreeMap::from([
        ("enable-dynamic-provisioning", behavior.dynamic_provisioning.to_string()),
        ("enable-hostpath-provisioner", behavior.hostpath_provisioning.to_string()),
        ("pvclaimbinder-sync-period", format!("{}s", behavior.resync_seconds)),
    ]);
    let of = |behavior: &KubernetesBehavior| {
        [
            ("attach-detach-reconcile-sync-period", format!("{}s", behavior.attachment_check_seconds)),
            ("disable-attach-detach-reconcile-sync", behavior.disable_attachment_check.to_string()),
            ("disable-force-detach-on-timeout", behavior.disable_force_detach.to_string()),
        ]
    };
    flags
        .extend(of(behavior).into_iter().zip(of(defaults)).filter(|(own, default)| own != default).map(|(own, _)| own));
    flags
}

/// Whether all objects of one kind were read, or why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CoverageOut<'a> {
    /// The resource, as the API's paths write it.
    pub resource: &'static str,
    /// The namespace of the entry. The field is absent if the entry is for all namespaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<&'a str>,
    /// `complete`, `partial`, `forbidden`, `notServed`, `notNeeded`, `failed` or `assumed`.
    pub state: &'static str,
    /// The resource version of the list. The field is absent if no list was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<&'a str>,
    /// Why not all objects were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'a, str>>,
    /// The names of objects that were requested one by one and do not exist. The list says nothing about other objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<&'a str>,
}

/// Returns the coverage of all kinds and namespaces.
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

/// Returns whether a flag is left out of the document.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(in crate::report) fn is_false(value: &bool) -> bool {
    !*value
}
