//! Credential plugins (`exec` in the kubeconfig), run exactly once per process.
//!
//! kube runs a plugin three times for each client; with cloud plugins that take a second each that is most of the
//! run's time. Protocol: `client.authentication.k8s.io/v1` and `v1beta1`.
#![expect(clippy::disallowed_types, reason = "the kubeconfig names a program to run")]
#![expect(clippy::disallowed_methods, reason = "whether somebody can log in depends on standard input")]

use super::cluster_error::{ClusterError, ClusterErrorKind};
use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use std::io::{ErrorKind, IsTerminal};
use std::process::{Command, Stdio};

#[derive(Deserialize)]
struct ExecCredential {
    #[serde(default)]
    status: Option<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    client_certificate_data: Option<String>,
    #[serde(default)]
    client_key_data: Option<String>,
}

/// Runs the user's plugin, if there is one, and puts what it answers in its place. Blocks until the plugin ends: a
/// person may have to log in. A token or a client certificate that is stated goes before the plugin, as in client-go.
pub(super) fn run(user: &mut AuthInfo, cluster: &Cluster, unattended: bool) -> Result<(), ClusterError> {
    let Some(config) = user.exec.take() else { return Ok(()) };
    if user.token.is_some() || user.token_file.is_some() {
        return Ok(());
    }
    let status = ask(&config, cluster, unattended)?;
    match (status.client_certificate_data, status.client_key_data) {
        (Some(certificate), Some(key)) => {
            user.client_certificate_data = Some(base64(certificate));
            user.client_key_data = Some(base64(key).into());
        }
        (None, None) if status.token.is_some() => {}
        _ => return Err(failed(&config, "answered with neither a token nor a certificate with its key")),
    }
    user.token = status.token.filter(|token| !token.is_empty()).map(Into::into);
    Ok(())
}

fn ask(config: &ExecConfig, cluster: &Cluster, unattended: bool) -> Result<Status, ClusterError> {
    let Some(program) = config.command.as_deref().filter(|command| !command.is_empty()) else {
        return Err(ClusterError::new(
            ClusterErrorKind::Configuration,
            "the user's exec entry in the kubeconfig has no command",
        ));
    };
    let terminal = !unattended && std::io::stdin().is_terminal();
    let interactive = match config.interactive_mode {
        Some(ExecInteractiveMode::Never) => false,
        Some(ExecInteractiveMode::Always) if !terminal => {
            return Err(failed(config, "needs a terminal, and standard input is none"));
        }
        _ => terminal,
    };
    let mut command = Command::new(program);
    command.args(config.args.iter().flatten());
    for entry in config.env.iter().flatten() {
        if let (Some(name), Some(value)) = (entry.get("name"), entry.get("value")) {
            command.env(name, value);
        }
    }
    let mut spec = serde_json::json!({ "interactive": interactive });
    if config.provide_cluster_info {
        let info = ExecAuthCluster::try_from(cluster)
            .ok()
            .and_then(|info| serde_json::to_value(info).ok())
            .ok_or_else(|| failed(config, "wants the cluster's certificate authority, which cannot be read"))?;
        spec["cluster"] = info;
    }
    let version = config.api_version.as_deref().unwrap_or("client.authentication.k8s.io/v1");
    let info = serde_json::json!({ "kind": "ExecCredential", "apiVersion": version, "spec": spec });
    command.env("KUBERNETES_EXEC_INFO", info.to_string());
    command.stdin(if interactive { Stdio::inherit() } else { Stdio::null() });
    // The plugin talks to the person on standard error, as under kubectl; its standard output is the credential.
    command.stderr(if unattended { Stdio::null() } else { Stdio::inherit() });
    let output = command.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(config, "is not installed"),
        _ => failed(config, &format!("could not be started: {error}")),
    })?;
    if !output.status.success() {
        return Err(failed(config, &format!("failed ({})", output.status)));
    }
    let answer: Option<ExecCredential> =
        serde_json::from_slice(&output.stdout).ok().or_else(|| serde_yaml::from_slice(&output.stdout).ok());
    answer
        .and_then(|credential| credential.status)
        .ok_or_else(|| failed(config, "did not answer with an ExecCredential that has a status"))
}

/// Names the program alone: its arguments, its environment and its output can hold secrets.
fn failed(config: &ExecConfig, what: &str) -> ClusterError {
    let program = config.command.as_deref().unwrap_or_default();
    let error = ClusterError::new(ClusterErrorKind::Credentials, format!("the credential plugin {program} {what}"));
    match config.install_hint.as_deref().map(str::trim).filter(|hint| !hint.is_empty()) {
        Some(hint) => error.with_hint(hint.lines().next().unwrap_or_default()),
        None => error.with_hint("run it by hand as the kubeconfig states it, or log in with your provider's tool"),
    }
}

/// kube wants certificates and keys as the kubeconfig holds them.
fn base64(text: String) -> String {
    match serde_json::to_value(ByteString(text.into_bytes())) {
        Ok(serde_json::Value::String(encoded)) => encoded,
        _ => String::new(),
    }
}
