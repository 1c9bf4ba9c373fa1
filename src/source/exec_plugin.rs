//! Runs credential plugins (`exec` in the kubeconfig) exactly once for each selected context.
//!
//! kube runs a plugin three times for each client. A plugin of a cloud provider takes about a second. Running it three
//! times would take most of the run time. Protocol: `client.authentication.k8s.io/v1` and `v1beta1`.
#![expect(clippy::disallowed_types, reason = "the kubeconfig names a program to run")]
#![expect(clippy::disallowed_methods, reason = "a plugin may read standard input for a login, and has a time limit")]

use super::cluster_error::{ClusterError, ClusterErrorKind};
use super::connect::LoginMode;
use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use std::io::{ErrorKind, IsTerminal, Read as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The largest answer of a plugin, in bytes. A certificate with its chain and key has about 10,000 bytes.
const MOST: u64 = 1 << 20;

/// The time limit of a plugin that does not ask a person directly, if the user gave no limit. A plugin that hangs must
/// not delay the answers of other clusters without end. The limit is long enough for a person who reads the message of
/// the plugin and opens a page in a browser.
pub const UNATTENDED_LIMIT: Duration = Duration::from_mins(2);

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

/// Runs the plugin of the user's entry, if the entry has one. The credentials that the plugin prints then replace the
/// plugin in the entry.
///
/// This function blocks until the plugin ends, because a person may have to log in. The plugin is stopped after the
/// time limit that the user gave; zero means no limit. If the user gave none, the limit is [`UNATTENDED_LIMIT`], but in
/// `LoginMode::Person` there is no limit. kubectl never stops a plugin. All other credentials take precedence over the
/// plugin, as in client-go (`UpdateTransportConfig`, 0.36).
pub(super) fn run(
    user: &mut AuthInfo,
    cluster: &Cluster,
    attendance: LoginMode,
    limit: Option<Duration>,
) -> Result<(), ClusterError> {
    let Some(config) = user.exec.take() else { return Ok(()) };
    let certificate = user.client_certificate.is_some() || user.client_certificate_data.is_some();
    if user.token.is_some() || user.username.is_some() || certificate {
        return Ok(());
    }
    let status = ask(&config, cluster, attendance, patience(attendance, limit))?;
    let stated = |text: Option<String>| text.filter(|text| !text.is_empty());
    let token = stated(status.token);
    match (stated(status.client_certificate_data), stated(status.client_key_data)) {
        (Some(certificate), Some(key)) => {
            user.client_certificate_data = Some(base64(certificate));
            user.client_key_data = Some(base64(key).into());
        }
        (None, None) if token.is_some() => {}
        _ => return Err(failed(&config, "answered with neither a token nor a certificate with its key")),
    }
    user.token = token.map(Into::into);
    Ok(())
}

/// Returns the time limit of the plugin. The result is `None` if there is no limit: the user gave zero, or the user
/// gave no limit and the plugin may ask a person.
pub fn patience(attendance: LoginMode, stated: Option<Duration>) -> Option<Duration> {
    match (stated, attendance) {
        (Some(Duration::ZERO), _) | (None, LoginMode::Person) => None,
        (Some(limit), _) => Some(limit),
        (None, LoginMode::Reader | LoginMode::Nobody) => Some(UNATTENDED_LIMIT),
    }
}

fn ask(
    config: &ExecConfig,
    cluster: &Cluster,
    attendance: LoginMode,
    limit: Option<Duration>,
) -> Result<Status, ClusterError> {
    let Some(program) = config.command.as_deref().filter(|command| !command.is_empty()) else {
        return Err(ClusterError::new(
            ClusterErrorKind::Configuration,
            "the user's exec entry in the kubeconfig has no command",
        ));
    };
    let terminal = attendance == LoginMode::Person && std::io::stdin().is_terminal();
    let interactive = match config.interactive_mode {
        Some(ExecInteractiveMode::Never) => false,
        Some(ExecInteractiveMode::Always) if !terminal => {
            return Err(failed(
                config,
                match attendance {
                    LoginMode::Person => "needs a terminal, but standard input is not a terminal",
                    LoginMode::Reader | LoginMode::Nobody => {
                        "needs an answer from you: first run the command for this cluster alone"
                    }
                },
            ));
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
    // The plugin writes its messages to standard error, as with kubectl. Its standard output is the credential.
    command.stderr(match attendance {
        LoginMode::Person | LoginMode::Reader => Stdio::inherit(),
        LoginMode::Nobody => Stdio::null(),
    });
    let output = output(command.stdout(Stdio::piped()), config, limit)?;
    // A parser of YAML would read some JSON differently. For example, it would accept a number as a string.
    let answer: Option<ExecCredential> = if output.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice(&output).ok()
    } else {
        serde_yaml::from_slice(&output).ok()
    };
    answer
        .and_then(|credential| credential.status)
        .ok_or_else(|| failed(config, "did not answer with an ExecCredential that has a status"))
}

/// Runs a plugin until it ends or its time limit is reached. Returns what the plugin printed.
fn output(command: &mut Command, config: &ExecConfig, limit: Option<Duration>) -> Result<Vec<u8>, ClusterError> {
    let broken = |error: std::io::Error| failed(config, &format!("could not be run: {error}"));
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(config, "is not installed"),
        _ => failed(config, &format!("could not be started: {error}")),
    })?;
    let printed = child.stdout.take();
    // A process that the plugin started may keep the output open for a long time. So another thread reads the output.
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = printed.map_or(Ok(0), |printed| printed.take(MOST + 1).read_to_end(&mut output));
        // After the time limit, nobody receives this message.
        _ = sender.send(read.map(|_| output));
    });
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    let output = match end {
        None => receiver.recv().ok(),
        Some(end) => receiver.recv_timeout(end.saturating_duration_since(Instant::now())).ok(),
    };
    let is_much = matches!(&output, Some(Ok(output)) if output.len() as u64 > MOST);
    let mut status = None;
    // The output of the plugin has ended, but the plugin may still run.
    while output.is_some() && !is_much && status.is_none() && end.is_none_or(|end| Instant::now() < end) {
        status = match end {
            None => Some(child.wait().map_err(broken)?),
            Some(_) => child.try_wait().map_err(broken)?,
        };
        if status.is_none() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
    if status.is_none() {
        // The plugin may have ended in the meantime.
        _ = child.kill();
        child.wait().map_err(broken)?;
    }
    match (output, status) {
        (Some(Err(error)), _) => Err(broken(error)),
        (Some(Ok(_)), _) if is_much => Err(failed(config, "printed more than a credential")),
        (Some(Ok(output)), Some(status)) if status.success() => Ok(output),
        (Some(Ok(_)), Some(status)) => Err(failed(config, &format!("failed ({status})"))),
        _ => {
            let seconds = limit.unwrap_or_default().as_secs_f32();
            let error = failed(config, &format!("did not answer within {seconds} s"));
            Err(error.with_hint("log in with the plugin first, or allow more time with --request-timeout"))
        }
    }
}

/// Returns the error of a plugin. The error names only the program, because arguments, environment and output can
/// contain secrets.
fn failed(config: &ExecConfig, what: &str) -> ClusterError {
    let program = config.command.as_deref().unwrap_or_default();
    let error = ClusterError::new(ClusterErrorKind::Credentials, format!("the credential plugin {program} {what}"));
    match config.install_hint.as_deref().map(str::trim).filter(|hint| !hint.is_empty()) {
        Some(hint) => error.with_hint(hint.lines().next().unwrap_or_default()),
        None => error.with_hint("run it by hand as the kubeconfig states it, or log in with your provider's tool"),
    }
}

/// Encodes a certificate or key as base64, as in the kubeconfig.
fn base64(text: String) -> String {
    match serde_json::to_value(ByteString(text.into_bytes())) {
        Ok(serde_json::Value::String(encoded)) => encoded,
        _ => String::new(),
    }
}
