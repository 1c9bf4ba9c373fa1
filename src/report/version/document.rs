//! Versions as data.

use crate::controllers::KubeVersion;
use crate::report::shared::machine::API_VERSION;
use serde::Serialize;

/// The answer of `version`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// The version of the document.
    pub api_version: &'static str,
    /// `Version`.
    pub kind: &'static str,
    /// This program.
    pub client: ClientVersion,
    /// What it models.
    pub model: ModelledVersions,
    /// The cluster's API server; absent where none was asked or none answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerOut>,
}

/// This program.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClientVersion {
    /// Its version.
    pub version: &'static str,
}

/// The versions of Kubernetes that are modelled.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModelledVersions {
    /// The minor that is modelled unless another one is given or detected.
    pub kubernetes: String,
    /// Every minor that can be asked for.
    pub available: Vec<String>,
}

/// An API server.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerOut {
    /// Its version, as it says itself.
    pub version: String,
}

impl Version {
    /// This program, and the API server's own version.
    pub fn new(server: Option<String>) -> Self {
        let kubernetes = KubeVersion::DEFAULT.to_string();
        let available = KubeVersion::all().map(|version| version.to_string()).collect();
        Self {
            api_version: API_VERSION,
            kind: "Version",
            client: ClientVersion { version: env!("CARGO_PKG_VERSION") },
            model: ModelledVersions { kubernetes, available },
            server: server.map(|version| ServerOut { version }),
        }
    }
}
