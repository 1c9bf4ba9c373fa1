//! Versions as data.

use crate::controllers::KubeVersion;
use crate::controllers::attacher::EXTERNAL_ATTACHER;
use crate::controllers::resizer::EXTERNAL_RESIZER;
use crate::report::shared::machine::{API_VERSION, ProvisionerVersions};
use serde::Serialize;

/// The document that `version` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// The version of the document.
    pub api_version: &'static str,
    /// `Version`.
    pub kind: &'static str,
    /// This program.
    pub client: ClientVersion,
    /// The versions of Kubernetes and of the components of CSI drivers that this program models.
    pub model: ModelledVersions,
    /// The API server of the cluster. The field is absent if no API server was asked, or if it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerOut>,
}

/// This program.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClientVersion {
    /// The version of this program.
    pub version: &'static str,
}

/// The versions that are modelled.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelledVersions {
    /// The minor version that is modelled if no other version is given or detected.
    pub kubernetes: String,
    /// All minor versions that the user can choose.
    pub available: Vec<String>,
    /// The external provisioner of CSI drivers. Only `predict --actors drivers` uses its decisions.
    pub external_provisioner: ProvisionerVersions,
    /// The version of the external attacher of CSI drivers.
    pub external_attacher: &'static str,
    /// The version of the external resizer of CSI drivers.
    pub external_resizer: &'static str,
}

/// An API server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerOut {
    /// The version that the API server states.
    pub version: String,
}

impl Version {
    /// Returns the document for this program and an API server of that version.
    pub fn new(server: Option<String>) -> Self {
        let kubernetes = KubeVersion::DEFAULT.to_string();
        let available = KubeVersion::all().map(|version| version.to_string()).collect();
        let external_provisioner = ProvisionerVersions::MODELLED;
        Self {
            api_version: API_VERSION,
            kind: "Version",
            client: ClientVersion { version: env!("CARGO_PKG_VERSION") },
            model: ModelledVersions {
                kubernetes,
                available,
                external_provisioner,
                external_attacher: EXTERNAL_ATTACHER,
                external_resizer: EXTERNAL_RESIZER,
            },
            server: server.map(|version| ServerOut { version }),
        }
    }
}
