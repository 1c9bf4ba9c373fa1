//! Connection to the cluster: conversion of flags, the async runtime, and the look-up of names for completion.

use super::complete::{Question, Wanted};
use crate::cli::{ClusterArgs, GlobalArgs, Secret};
use crate::error::Error;
use crate::source::{
    self, Cluster, ClusterError, ClusterErrorKind, ConnectOptions, Environment, LoginMode, RequestLog, ServerVersion,
};
use crate::terminal::Terminal;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;

/// The lowest level of `-v` that shows requests, as in kubectl.
const SHOW_REQUESTS: u8 = 6;

/// The time after which a note says that the server has not answered.
const PATIENCE: Duration = Duration::from_secs(3);

/// Connects to the cluster that the flags select, and calls `work` with it.
///
/// # Errors
///
/// Returns an error if a flag, the kubeconfig or the credentials are not usable, or if `work` fails.
pub(in crate::commands) fn with_cluster<T>(
    global: &GlobalArgs,
    terminal: &Terminal,
    work: impl AsyncFnOnce(Cluster<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    with_connection(global, terminal, async |cluster| work(cluster?).await)
}

/// Does the same as [`with_cluster`]. Returns `None` if no cluster is configured.
///
/// # Errors
///
/// Returns the errors of [`with_cluster`].
pub(in crate::commands) fn with_cluster_if_any<T>(
    global: &GlobalArgs,
    terminal: &Terminal,
    work: impl AsyncFnOnce(Cluster<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    with_connection(global, terminal, async |cluster| match cluster {
        Err(failure) if failure.kind() == ClusterErrorKind::NoCluster => Ok(None),
        cluster => work(cluster?).await.map(Some),
    })
}

/// Returns the names of the contexts in the kubeconfig.
///
/// # Errors
///
/// Returns an error if the kubeconfig cannot be read or does not exist.
pub(in crate::commands) fn contexts(global: &GlobalArgs) -> Result<Vec<String>, Error> {
    let options = options(&global.cluster, global.scope.namespace.as_deref())?;
    Ok(source::contexts(&options, &Environment::of_process())?)
}

/// Returns the version of the cluster that the flags select. Returns `None` if no cluster is configured.
///
/// # Errors
///
/// Returns the errors of [`with_cluster`].
pub(in crate::commands) fn server_version(
    global: &GlobalArgs,
    terminal: &Terminal,
) -> Result<Option<ServerVersion>, Error> {
    with_cluster_if_any(global, terminal, async |cluster| Ok(cluster.server_version().await?))
}

/// Waits for work that does not use a cluster.
///
/// # Errors
///
/// Returns the errors of `work`.
pub(in crate::commands) fn without_cluster<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    runtime(true)?.block_on(work)
}

fn with_connection<T>(
    global: &GlobalArgs,
    terminal: &Terminal,
    work: impl AsyncFnOnce(Result<Cluster<'_>, ClusterError>) -> Result<T, Error>,
) -> Result<T, Error> {
    let options = options(&global.cluster, global.scope.namespace.as_deref())?;
    let attendance = if terminal.is_section() { LoginMode::Reader } else { LoginMode::Person };
    let options = ConnectOptions { attendance, ..options };
    let loud = global.verbosity >= SHOW_REQUESTS;
    let answered = AtomicBool::new(false);
    let show = |request: &RequestLog| {
        answered.store(true, Ordering::Relaxed);
        if !loud {
            return;
        }
        let status = request.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        terminal.message(&format!("{} {} {status} in {} ms", request.method, request.url, request.milliseconds));
    };
    let runtime = runtime(terminal.is_section())?;
    let done = runtime.block_on(async {
        let cluster = Cluster::connect(&options, &Environment::of_process()).await;
        let silence = async {
            tokio::time::sleep(PATIENCE).await;
            if !answered.load(Ordering::Relaxed) {
                let seconds = PATIENCE.as_secs();
                terminal
                    .message(&format!("note: the server has not answered for {seconds} seconds; Ctrl-C ends the run"));
            }
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            biased;
            done = work(cluster.map(|cluster| cluster.observed(&show))) => done,
            never = silence => match never {},
        }
    });
    // A look-up of a DNS name that is still running must not delay the end of the run.
    runtime.shutdown_background();
    done
}

/// Converts the flags to options of the source. As in kubectl, an empty value such as in `--context "$CONTEXT"` is
/// treated as if the flag was not given.
///
/// # Errors
///
/// Returns a usage error if the request timeout is not a duration.
pub fn options(args: &ClusterArgs, namespace: Option<&str>) -> Result<ConnectOptions, Error> {
    let text = |value: &Option<String>| value.clone().filter(|value| !value.is_empty());
    let path = |value: &Option<PathBuf>| value.clone().filter(|value| !value.as_os_str().is_empty());
    let secret = |value: &Option<Secret>| {
        value.as_ref().map(|secret| secret.expose().to_owned()).filter(|secret| !secret.is_empty())
    };
    let request_timeout = text(&args.request_timeout).map(|text| {
        parse_timeout(&text).ok_or_else(|| {
            Error::usage(format!("--request-timeout: {text:?} is not a duration"))
                .hint("write it as 30s, 1m30s or 500ms; a bare number is seconds, and 0 means no limit")
        })
    });
    Ok(ConnectOptions {
        kubeconfig: path(&args.kubeconfig),
        context: text(&args.context),
        cluster: text(&args.cluster),
        user: text(&args.user),
        namespace: namespace.map(str::to_owned),
        server: text(&args.server),
        token: secret(&args.token),
        username: text(&args.username),
        password: secret(&args.password),
        impersonate: text(&args.as_user),
        impersonate_groups: args.as_group.clone(),
        impersonate_uid: text(&args.as_uid),
        impersonate_extra: args.as_user_extra.iter().map(|extra| (extra.key.clone(), extra.value.clone())).collect(),
        request_timeout: request_timeout.transpose()?,
        certificate_authority: path(&args.certificate_authority),
        client_certificate: path(&args.client_certificate),
        client_key: path(&args.client_key),
        insecure_skip_tls_verify: args.insecure_skip_tls_verify.unwrap_or(false),
        tls_server_name: text(&args.tls_server_name),
        disable_compression: args.disable_compression.unwrap_or(false),
        chunk_size: args.chunk_size,
        attendance: LoginMode::Person,
    })
}

/// Looks up names for completion. If anything fails, the result is empty.
pub(in crate::commands) fn names(question: &Question) -> Vec<String> {
    let Ok(options) = options(&question.cluster, question.namespace.as_deref()) else { return Vec::new() };
    let options = ConnectOptions { attendance: LoginMode::Nobody, ..options };
    let environment = Environment::of_process();
    let wanted = match question.wanted {
        Wanted::Contexts => return source::contexts(&options, &environment).unwrap_or_default(),
        other => other,
    };
    let Ok(runtime) = runtime(true) else { return Vec::new() };
    let found = runtime.block_on(async {
        let Ok(cluster) = Cluster::connect(&options, &environment).await else { return Vec::new() };
        match wanted {
            Wanted::Objects(kind) => cluster.names(kind, question.namespace.as_deref()).await,
            Wanted::Namespaces => cluster.namespaces().await,
            Wanted::Contexts => Vec::new(),
        }
    });
    runtime.shutdown_background();
    found
}

/// Creates the async runtime. A small runtime has one worker thread. It is used for completion, for work without a
/// cluster, and if several clusters are read at the same time. Any other runtime uses all cores.
fn runtime(small: bool) -> Result<Runtime, Error> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if small {
        builder.worker_threads(1);
    }
    builder
        .enable_all()
        .build()
        .map_err(|failure| Error::unreadable("the system did not start the threads for reading").caused_by(&failure))
}

/// Parses a time limit as kubectl does: a number of seconds, or a duration of Go. Upstream: `ParseTimeout`, client-go,
/// 1.36.
pub fn parse_timeout(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let number = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (digits, after) = rest.split_at(number);
        let unit = after.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let seconds = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(digits.parse::<f64>().ok()? * seconds).ok()?;
        total = total.checked_add(part)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}
