//! From kubectl's flags and the environment to a client: what each flag means, in kubectl's order of precedence.

use super::cluster_error::{ClusterError, ClusterErrorKind};
use super::{exec_plugin, kubeconfig, proxy};
use anyhow::Context as _;
use http::Uri;
use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster};
use kube::{Client, Config};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How many objects one page of a list holds unless `--chunk-size` says otherwise, as for kubectl.
pub const DEFAULT_CHUNK_SIZE: u32 = 500;

/// How long a connection may stay silent when no `--request-timeout` is given. The API server ends its own requests
/// after a minute, so that a longer silence means that nobody is there.
const SILENCE: Duration = Duration::from_secs(90);

/// kubectl's flags that say which cluster is meant, and as whom.
#[derive(Clone, Default)]
pub struct ConnectOptions {
    /// `--kubeconfig`: the only file to read.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--namespace`.
    pub namespace: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`: takes the place of any other credential.
    pub token: Option<String>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`, repeatable.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--as-user-extra`, repeatable: key and value.
    pub impersonate_extra: Vec<(String, String)>,
    /// `--request-timeout`; zero or none means no limit for a whole request.
    pub request_timeout: Option<Duration>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--client-certificate`.
    pub client_certificate: Option<PathBuf>,
    /// `--client-key`.
    pub client_key: Option<PathBuf>,
    /// `--insecure-skip-tls-verify`.
    pub insecure_skip_tls_verify: bool,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--disable-compression`.
    pub disable_compression: bool,
    /// `--chunk-size`: objects in one page; zero reads each list in one piece. None is [`DEFAULT_CHUNK_SIZE`].
    pub chunk_size: Option<u32>,
    /// Nobody is there to answer or to read: a credential plugin gets no terminal, and what it says is dropped.
    pub unattended: bool,
}

impl fmt::Debug for ConnectOptions {
    /// Without the token.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ConnectOptions")
            .field("kubeconfig", &self.kubeconfig)
            .field("context", &self.context)
            .field("cluster", &self.cluster)
            .field("user", &self.user)
            .field("namespace", &self.namespace)
            .field("server", &self.server)
            .field("token", &self.token.as_ref().map(|_| "…"))
            .finish_non_exhaustive()
    }
}

/// The parts of the process's environment that decide about the connection.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `KUBECONFIG`: a list of files.
    pub kubeconfig: Option<OsString>,
    /// The home directory, for `.kube/config`.
    pub home: Option<PathBuf>,
    /// `HTTPS_PROXY` or `https_proxy`.
    pub https_proxy: Option<String>,
    /// `HTTP_PROXY` or `http_proxy`.
    pub http_proxy: Option<String>,
    /// `NO_PROXY` or `no_proxy`.
    pub no_proxy: Option<String>,
    /// Whether `KUBERNETES_SERVICE_HOST` and `_PORT` say that this is a pod.
    pub in_cluster: bool,
}

impl Environment {
    /// The environment of this process.
    #[expect(clippy::disallowed_methods, reason = "this is where the environment enters")]
    pub fn of_process() -> Self {
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            kubeconfig: std::env::var_os("KUBECONFIG"),
            home: std::env::home_dir(),
            https_proxy: text("HTTPS_PROXY").or_else(|| text("https_proxy")),
            http_proxy: text("HTTP_PROXY").or_else(|| text("http_proxy")),
            no_proxy: text("NO_PROXY").or_else(|| text("no_proxy")),
            in_cluster: text("KUBERNETES_SERVICE_HOST").is_some() && text("KUBERNETES_SERVICE_PORT").is_some(),
        }
    }
}

/// A client, and what belongs to it.
pub(super) struct Connection {
    /// kube's client, without its own retries.
    pub(super) client: Client,
    /// The server as people may read it: scheme, host and port.
    pub(super) server: String,
    /// The namespace of `-n` or the context, else `default`.
    pub(super) namespace: String,
}

/// Builds the client. No request is sent yet; a credential plugin runs here, once.
pub(super) fn connect(options: &ConnectOptions, environment: &Environment) -> Result<Connection, ClusterError> {
    let mut config = config(options, environment)?;
    let server = display(&config.cluster_url);
    if options.request_timeout.is_none_or(|limit| limit.is_zero()) {
        config.read_timeout = Some(SILENCE);
        config.reset_reader_on_write = true;
    }
    // Repeating is for reads alone, and a few times only: see `http`.
    config.default_retry = false;
    let namespace = config.default_namespace.clone();
    let client = Client::try_from(config).map_err(|error| client_error(&server, &error))?;
    Ok(Connection { client, server, namespace })
}

/// Everything that the flags, the kubeconfig and the environment say, as kube's configuration.
pub(super) fn config(options: &ConnectOptions, environment: &Environment) -> Result<Config, ClusterError> {
    let Some(kubeconfig) = kubeconfig::load(options, environment)? else {
        return without_kubeconfig(options, environment);
    };
    let resolved = kubeconfig::resolve(&kubeconfig, options)?;
    from_parts(resolved.cluster, resolved.user, resolved.namespace, options, environment)
}

fn without_kubeconfig(options: &ConnectOptions, environment: &Environment) -> Result<Config, ClusterError> {
    for (flag, value) in [("context", &options.context), ("cluster", &options.cluster), ("user", &options.user)] {
        if let Some(name) = value {
            return Err(ClusterError::new(
                ClusterErrorKind::Configuration,
                format!("--{flag} names {name:?}, and there is no kubeconfig"),
            )
            .with_hint("name a kubeconfig with --kubeconfig or KUBECONFIG"));
        }
    }
    if options.server.is_some() {
        return from_parts(Cluster::default(), AuthInfo::default(), None, options, environment);
    }
    if !environment.in_cluster {
        return Err(ClusterError::new(
            ClusterErrorKind::NoCluster,
            "no cluster is configured: there is no kubeconfig, and this is not a pod",
        )
        .with_hint("name a kubeconfig with --kubeconfig or KUBECONFIG, or read files with -f (`kubectl get pv,pvc,sc -A -o json`)"));
    }
    let mut config = Config::incluster_env().map_err(|error| {
        ClusterError::new(
            ClusterErrorKind::Credentials,
            format!("this is a pod, but its service account cannot be used: {error}"),
        )
        .with_hint("check that automountServiceAccountToken is not off")
    })?;
    override_user(&mut config.auth_info, options);
    if let Some(namespace) = &options.namespace {
        config.default_namespace.clone_from(namespace);
    }
    Ok(config)
}

fn from_parts(
    mut cluster: Cluster,
    mut user: AuthInfo,
    namespace: Option<String>,
    options: &ConnectOptions,
    environment: &Environment,
) -> Result<Config, ClusterError> {
    override_cluster(&mut cluster, options);
    override_user(&mut user, options);
    let acts_as_part = user.impersonate_groups.is_some() || user.impersonate_uid.is_some();
    if user.impersonate.is_none() && (acts_as_part || user.impersonate_user_extra.is_some()) {
        return Err(ClusterError::new(
            ClusterErrorKind::Configuration,
            "--as-group, --as-uid and --as-user-extra say as what to act, and not as whom",
        )
        .with_hint("add --as USER"));
    }
    let url = server_url(&cluster)?;
    cluster.server = Some(url.to_string());
    let mut config = Config::new(url);
    config.default_namespace = options.namespace.clone().or(namespace).unwrap_or_else(|| String::from("default"));
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify.unwrap_or(false);
    config.disable_compression = options.disable_compression || cluster.disable_compression.unwrap_or(false);
    config.tls_server_name = cluster.tls_server_name.clone().filter(|name| !name.is_empty());
    if let Some(proxy) = proxy::proxy_for(&config.cluster_url, cluster.proxy_url.as_deref(), environment) {
        config.proxy_url = Some(proxy.parse().map_err(|_| {
            // The address can hold a password.
            ClusterError::new(ClusterErrorKind::Configuration, "the proxy's address is not a URL")
                .with_hint("check the cluster's proxy-url in the kubeconfig, or HTTPS_PROXY")
        })?);
    }
    if config.cluster_url.scheme_str() == Some("https") {
        config.root_cert = root_certificates(&cluster)?;
        exec_plugin::run(&mut user, &cluster, options.unattended)?;
        config.auth_info = user;
    } else {
        // As kubectl: credentials never travel unencrypted, impersonation does (`kubectl proxy` needs no credentials).
        config.auth_info = AuthInfo {
            impersonate: user.impersonate,
            impersonate_uid: user.impersonate_uid,
            impersonate_groups: user.impersonate_groups,
            impersonate_user_extra: user.impersonate_user_extra,
            ..AuthInfo::default()
        };
    }
    Ok(config)
}

fn override_cluster(cluster: &mut Cluster, options: &ConnectOptions) {
    if let Some(server) = &options.server {
        cluster.server = Some(server.clone());
    }
    if options.insecure_skip_tls_verify {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if let Some(authority) = &options.certificate_authority {
        cluster.certificate_authority = Some(authority.to_string_lossy().into_owned());
        cluster.certificate_authority_data = None;
    }
    if let Some(name) = &options.tls_server_name {
        cluster.tls_server_name = Some(name.clone());
    }
}

fn override_user(user: &mut AuthInfo, options: &ConnectOptions) {
    if let Some(certificate) = &options.client_certificate {
        user.client_certificate = Some(certificate.to_string_lossy().into_owned());
        user.client_certificate_data = None;
    }
    if let Some(key) = &options.client_key {
        user.client_key = Some(key.to_string_lossy().into_owned());
        user.client_key_data = None;
    }
    if let Some(token) = &options.token {
        user.token = Some(token.clone().into());
        user.token_file = None;
        user.username = None;
        user.password = None;
        user.auth_provider = None;
        user.exec = None;
    } else if user.token.is_some() {
        // kube prefers a password to a token where client-go refuses the two together.
        user.username = None;
        user.password = None;
    }
    if let Some(name) = &options.impersonate {
        user.impersonate = Some(name.clone());
    }
    if !options.impersonate_groups.is_empty() {
        user.impersonate_groups = Some(options.impersonate_groups.clone());
    }
    if let Some(uid) = &options.impersonate_uid {
        user.impersonate_uid = Some(uid.clone());
    }
    for (key, value) in &options.impersonate_extra {
        user.impersonate_user_extra.get_or_insert_default().entry(key.clone()).or_default().push(value.clone());
    }
}

/// The server's address; kubectl takes one without a scheme for http.
fn server_url(cluster: &Cluster) -> Result<Uri, ClusterError> {
    let server = cluster.server.as_deref().unwrap_or_default().trim();
    if server.is_empty() {
        return Err(ClusterError::new(
            ClusterErrorKind::Configuration,
            "the cluster's entry in the kubeconfig has no server",
        )
        .with_hint("state one with --server"));
    }
    let full = if server.contains("://") { server.to_owned() } else { format!("http://{server}") };
    full.parse::<Uri>()
        .ok()
        .filter(|url| matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some())
        .ok_or_else(|| {
            ClusterError::new(ClusterErrorKind::Configuration, format!("the server's address {server:?} is not a URL"))
                .with_hint("it looks like https://host:6443")
        })
}

/// The certificate authorities, as kube wants them; none means those of the operating system.
fn root_certificates(cluster: &Cluster) -> Result<Option<Vec<Vec<u8>>>, ClusterError> {
    certificates(cluster).map_err(|error| {
        let from = cluster.certificate_authority.as_deref().unwrap_or("the kubeconfig's certificate-authority-data");
        let problem = innermost(error.as_ref());
        ClusterError::new(
            ClusterErrorKind::Credentials,
            format!("the certificate authority in {from} cannot be used: {problem}"),
        )
        .with_hint("it has to be a file of PEM certificates")
    })
}

/// The certificates that a cluster's entry names or holds. What goes wrong is kube's error for the file, serde's for
/// what is encoded in it, or this function's own.
fn certificates(cluster: &Cluster) -> anyhow::Result<Option<Vec<Vec<u8>>>> {
    // kube's way of reading either the file or the data, which it keeps to itself otherwise.
    let authority = ExecAuthCluster::try_from(cluster)?;
    let Some(pem) = authority.certificate_authority_data.filter(|pem| !pem.is_empty()) else { return Ok(None) };
    let certificates = pem_certificates(&String::from_utf8_lossy(&pem))?;
    anyhow::ensure!(!certificates.is_empty(), "there is no certificate in it");
    Ok(Some(certificates))
}

/// The certificates in a PEM text, as DER.
fn pem_certificates(pem: &str) -> anyhow::Result<Vec<Vec<u8>>> {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
    const END: &str = "-----END CERTIFICATE-----";
    pem.split(BEGIN)
        .skip(1)
        .map(|block| {
            let (body, _) = block.split_once(END).context("a certificate in it has no end")?;
            let encoded: String = body.split_whitespace().collect();
            Ok(serde_json::from_value::<ByteString>(encoded.into())?.0)
        })
        .collect()
}

/// kube could not make a client of the configuration.
fn client_error(server: &str, error: &kube::Error) -> ClusterError {
    ClusterError::new(
        ClusterErrorKind::Credentials,
        format!("the credentials for {server} cannot be used: {}", innermost(error)),
    )
    .with_hint("check the user's entry in the kubeconfig: certificate, key, token file")
}

fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |&error| error.source()).last().map(ToString::to_string).unwrap_or_default()
}

/// The server's address without a password that may be in it.
fn display(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or("http");
    let host = url.host().unwrap_or_default();
    let port = url.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{}", url.path().trim_end_matches('/'))
}
