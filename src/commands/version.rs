//! `version`: what this is, and which Kubernetes it models.

use super::{Status, print_document};
use crate::cli::{DEFAULT_KUBERNETES_MINOR, KUBERNETES_MINORS, Output as Format, VersionArgs};
use crate::error::Error;
use crate::terminal::Terminal;
use serde::Serialize;

/// The document that `version -o json` prints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct VersionDocument {
    api_version: &'static str,
    kind: &'static str,
    client: Client,
    model: Model,
}

#[derive(Debug, Serialize)]
struct Client {
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct Model {
    /// The minor that is modelled unless another one is given or detected.
    kubernetes: String,
    /// Every minor that can be asked for.
    available: Vec<String>,
}

impl VersionDocument {
    fn new() -> Self {
        let named = |minor: u32| format!("1.{minor}");
        Self {
            api_version: "pvctl.dev/v1",
            kind: "Version",
            client: Client { version: env!("CARGO_PKG_VERSION") },
            model: Model {
                kubernetes: named(DEFAULT_KUBERNETES_MINOR),
                available: KUBERNETES_MINORS.map(named).to_vec(),
            },
        }
    }

    fn text(&self) -> String {
        format!(
            "pvctl:                {}\nmodelled Kubernetes:  {} (--kube-version takes {})\n",
            self.client.version,
            self.model.kubernetes,
            self.model.available.join(", ")
        )
    }
}

/// Prints the versions.
pub(super) fn run(args: &VersionArgs, terminal: &Terminal) -> Result<Status, Error> {
    let version = VersionDocument::new();
    let mut output = terminal.output();
    match args.output {
        Format::Json | Format::Yaml => print_document(&version, args.output, &mut output)?,
        Format::Text | Format::Table | Format::Wide | Format::Name => output.print(&version.text())?,
    }
    output.finish()?;
    Ok(Status::Done)
}
