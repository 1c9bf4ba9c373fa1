//! Reads the kubeconfig: which files are read, and which cluster and user a context selects.
//!
//! Upstream: `ClientConfigLoadingRules` and `DirectClientConfig`, client-go 0.36. kube's own reader fails if a file in
//! `KUBECONFIG` is missing, and it ignores an unknown `--user`. kubectl does neither.

use super::cluster_error::{ClusterError, ClusterErrorKind};
use super::connect::{ConnectOptions, Environment};
use kube::config::{AuthInfo, Cluster, Context, Kubeconfig, KubeconfigError};
use std::path::Path;

/// The cluster, the user and the namespace that one context selects.
pub(super) struct Resolved {
    /// The entry of the cluster.
    pub(super) cluster: Cluster,
    /// The entry of the user. The value is empty if the context names no user.
    pub(super) user: AuthInfo,
    /// The namespace of the context, if the context states one.
    pub(super) namespace: Option<String>,
}

/// Reads the files in kubectl's order. Returns `None` if there is no configuration. Files in `KUBECONFIG` that do not
/// exist are skipped.
pub(super) fn load(options: &ConnectOptions, environment: &Environment) -> Result<Option<Kubeconfig>, ClusterError> {
    if let Some(path) = &options.kubeconfig {
        return read(path).map(Some);
    }
    let paths: Vec<_> = match &environment.kubeconfig {
        Some(list) if !list.is_empty() => {
            std::env::split_paths(list).filter(|path| !path.as_os_str().is_empty()).collect()
        }
        _ => environment.home.iter().map(|home| home.join(".kube").join("config")).collect(),
    };
    let mut merged: Option<Kubeconfig> = None;
    for path in paths.iter().filter(|path| path.exists()) {
        let mut next = read(path)?;
        // An empty value must not override the values of later files.
        next.current_context.take_if(|name| name.is_empty());
        merged = Some(match merged {
            None => next,
            Some(first) => first.merge(next).map_err(|error| unreadable(path, &error))?,
        });
    }
    // As in kubectl, an empty file is treated as a missing file.
    Ok(merged.filter(|config| !(config.clusters.is_empty() && config.contexts.is_empty())))
}

/// Returns the names of the contexts in the order of the kubeconfig.
///
/// # Errors
/// Returns an error if the kubeconfig cannot be read or does not exist.
pub fn contexts(options: &ConnectOptions, environment: &Environment) -> Result<Vec<String>, ClusterError> {
    let config = load(options, environment)?.ok_or_else(|| {
        ClusterError::new(ClusterErrorKind::NoCluster, "there is no kubeconfig, so there are no contexts")
            .with_hint("name a kubeconfig with --kubeconfig or KUBECONFIG")
    })?;
    Ok(config.contexts.into_iter().map(|entry| entry.name).collect())
}

fn read(path: &Path) -> Result<Kubeconfig, ClusterError> {
    Kubeconfig::read_from(path).map_err(|error| unreadable(path, &error))
}

/// Returns the error for a kubeconfig that cannot be used. The message of the parser contains the lines around the
/// mistake, and these lines can contain tokens. So the message of the parser is not shown.
fn unreadable(path: &Path, error: &KubeconfigError) -> ClusterError {
    let problem = match error {
        KubeconfigError::ReadConfig(io, _) => match io.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => io.to_string(),
        },
        KubeconfigError::Parse(_) => "it is not valid YAML of kind Config".to_owned(),
        other => other.to_string(),
    };
    ClusterError::new(
        ClusterErrorKind::Configuration,
        format!("the kubeconfig {} cannot be used: {problem}", path.display()),
    )
    .with_hint("try `kubectl config view` with the same file")
}

/// Finds the cluster and the user of `--context`, `--cluster` and `--user`, or else of the current context.
pub(super) fn resolve(config: &Kubeconfig, options: &ConnectOptions) -> Result<Resolved, ClusterError> {
    let context = context(config, options)?;
    let cluster = match options.cluster.as_deref() {
        Some(name) => find_cluster(config, name).ok_or_else(|| {
            configuration(format!("cluster {name:?} does not exist in the kubeconfig"))
                .with_hint(known("clusters", config.clusters.iter().map(|entry| entry.name.as_str())))
        })?,
        None => match context.as_ref().map(|context| context.cluster.as_str()).filter(|name| !name.is_empty()) {
            Some(name) => match find_cluster(config, name) {
                Some(cluster) => cluster,
                None if options.server.is_some() => Cluster::default(),
                None => {
                    return Err(configuration(format!(
                        "the context names the cluster {name:?}, which the kubeconfig does not have"
                    ))
                    .with_hint(known("clusters", config.clusters.iter().map(|entry| entry.name.as_str()))));
                }
            },
            None => Cluster::default(),
        },
    };
    let user = match options.user.as_deref() {
        Some(name) => find_user(config, name).ok_or_else(|| {
            configuration(format!("auth info {name:?} does not exist"))
                .with_hint(known("users", config.auth_infos.iter().map(|entry| entry.name.as_str())))
        })?,
        // If the user that the context names does not exist, no credentials are used, as in client-go.
        None => context
            .as_ref()
            .and_then(|context| context.user.as_deref())
            .and_then(|name| find_user(config, name))
            .unwrap_or_default(),
    };
    let namespace = context.and_then(|context| context.namespace).filter(|namespace| !namespace.is_empty());
    Ok(Resolved { cluster, user, namespace })
}

fn context(config: &Kubeconfig, options: &ConnectOptions) -> Result<Option<Context>, ClusterError> {
    let find = |name: &str| config.contexts.iter().find(|entry| entry.name == name);
    let hint = || known("contexts", config.contexts.iter().map(|entry| entry.name.as_str()));
    if let Some(name) = options.context.as_deref() {
        let entry =
            find(name).ok_or_else(|| configuration(format!("context {name:?} does not exist")).with_hint(hint()))?;
        return Ok(Some(entry.context.clone().unwrap_or_default()));
    }
    match config.current_context.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => match find(name) {
            Some(entry) => Ok(Some(entry.context.clone().unwrap_or_default())),
            None => Err(configuration(format!("the current context {name:?} does not exist in the kubeconfig"))
                .with_hint(hint())),
        },
        // No context is needed if the user gives a cluster or a server with a flag.
        None if options.cluster.is_some() || options.server.is_some() => Ok(None),
        None => Err(configuration("the kubeconfig has no current context".to_owned())
            .with_hint(format!("choose one with --context; {}", hint()))),
    }
}

fn find_cluster(config: &Kubeconfig, name: &str) -> Option<Cluster> {
    config.clusters.iter().find(|entry| entry.name == name).map(|entry| entry.cluster.clone().unwrap_or_default())
}

fn find_user(config: &Kubeconfig, name: &str) -> Option<AuthInfo> {
    config.auth_infos.iter().find(|entry| entry.name == name).map(|entry| entry.auth_info.clone().unwrap_or_default())
}

fn configuration(message: String) -> ClusterError {
    ClusterError::new(ClusterErrorKind::Configuration, message)
}

fn known<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names = some_names(names);
    if names.is_empty() { format!("it has no {what}") } else { format!("its {what}: {names}") }
}

/// Returns some of the names, for a hint. There may be hundreds of names.
pub fn some_names<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let shown = names.by_ref().take(MOST).collect::<Vec<_>>().join(", ");
    if names.next().is_some() { format!("{shown}, …") } else { shown }
}
