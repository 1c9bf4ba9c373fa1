//! `Version`: which pvctl this is, which Kubernetes it models, and which the cluster runs.

use super::machine::API_VERSION;
use crate::controllers::KubeVersion;
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

    /// The same for people, a line each.
    pub fn text(&self) -> String {
        let server = self.server.as_ref().map(|server| format!("server:               {}\n", server.version));
        format!(
            "pvctl:                {}\nmodelled Kubernetes:  {} (--kube-version takes {})\n{}",
            self.client.version,
            self.model.kubernetes,
            self.model.available.join(", "),
            server.unwrap_or_default()
        )
    }
}
