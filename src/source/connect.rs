//! Makes a client from kubectl's flags and the environment. Each flag has the same meaning and precedence as in
//! kubectl.

use super::cluster::local_time;
use super::cluster_error::{ClusterError, ClusterErrorKind};
use super::{exec_plugin, kubeconfig, proxy};
use crate::model::{DUMP, Kind, Timestamp};
use anyhow::Context as _;
use http::{HeaderValue, Uri};
use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster};
use kube::{Client, Config};
use serde_json::Value;
use std::ffi::OsString;
use std::fmt;
use std::path::{MAIN_SEPARATOR, PathBuf};
use std::time::Duration;

/// The number of objects in one page of a list, if `--chunk-size` is not given. kubectl uses the same number.
const CHUNK_SIZE: u32 = 500;

/// The number of volumes or claims in one page of a list. It is larger than [`CHUNK_SIZE`], because these objects are
/// small and every command waits for them: a page is requested only after the previous page.
const LARGE_CHUNK_SIZE: u32 = 2500;

/// Returns the number of objects in one page of a list of that kind, if `--chunk-size` is not given.
pub fn default_chunk_size(kind: Kind) -> u32 {
    match kind {
        Kind::PersistentVolume | Kind::PersistentVolumeClaim => LARGE_CHUNK_SIZE,
        _ => CHUNK_SIZE,
    }
}

/// The longest time without data on a connection, if no `--request-timeout` is given. The API server ends its requests
/// after one minute. So if no data arrive for longer, the server does not answer any more.
const SILENCE: Duration = Duration::from_secs(90);

/// The flags of kubectl that select the cluster and the user.
#[derive(Clone, Default)]
pub struct ConnectOptions {
    /// `--kubeconfig`: the only file that is read.
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
    /// `--token`: replaces the token, the token file and the credential plugin of the kubeconfig.
    pub token: Option<String>,
    /// `--username`.
    pub username: Option<String>,
    /// `--password`.
    pub password: Option<String>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`, repeatable.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--as-user-extra`, repeatable: key and value.
    pub impersonate_extra: Vec<(String, String)>,
    /// `--request-timeout`. If it is zero or `None`, a whole request has no time limit.
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
    /// `--chunk-size`: the number of objects in one page. Zero means that each list is read in one piece. `None` means
    /// [`default_chunk_size`].
    pub chunk_size: Option<u32>,
    /// Who can log in, if a credential plugin asks for a login.
    pub attendance: LoginMode,
}

/// Who is present while a credential plugin runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoginMode {
    /// A person, if standard input is a terminal. The plugin may ask this person to log in.
    #[default]
    Person,
    /// A person who can only read the messages of a plugin. The person cannot answer, because other plugins may ask at
    /// the same time.
    Reader,
    /// Nobody. The messages of a plugin are dropped.
    Nobody,
}

impl fmt::Debug for ConnectOptions {
    /// Prints the options without the token and the password.
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

/// The environment variables that decide about the connection.
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
    /// Whether `KUBERNETES_SERVICE_HOST` and `_PORT` show that the program runs in a pod.
    pub in_cluster: bool,
}

impl Environment {
    /// Returns the environment of this process.
    #[expect(clippy::disallowed_methods, reason = "only this function reads the environment")]
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

/// A client, and facts about its connection.
pub(super) struct Connection {
    /// The client of kube, without kube's own retries.
    pub(super) client: Client,
    /// The address of the server in a form that may be shown: scheme, host, port and path.
    pub(super) server: String,
    /// The address of the proxy to the server, in the same form.
    pub(super) proxy: Option<String>,
    /// The namespace of `-n` or of the context, otherwise `default`.
    pub(super) namespace: String,
}

/// Builds the client. This function sends no request. It runs a credential plugin once.
pub(super) fn connect(options: &ConnectOptions, environment: &Environment) -> Result<Connection, ClusterError> {
    let mut config = config(options, environment)?;
    let server = display(&config.cluster_url);
    let proxy = config.proxy_url.as_ref().map(display);
    if [Some(&config.cluster_url), config.proxy_url.as_ref()].into_iter().flatten().any(is_encrypted) {
        judges_certificates(local_time())?;
    }
    if options.request_timeout.is_none_or(|limit| limit.is_zero()) {
        config.read_timeout = Some(SILENCE);
        config.reset_reader_on_write = true;
    }
    // Only reads are retried, and only a few times; see the module `http`.
    config.default_retry = false;
    let namespace = config.default_namespace.clone();
    let client = Client::try_from(config).map_err(|error| client_error(&server, &error))?;
    Ok(Connection { client, server, proxy, namespace })
}

fn is_encrypted(url: &Uri) -> bool {
    url.scheme_str() == Some("https")
}

/// Refuses a clock that shows a time before 1970. rustls counts the time from 1970 and would end the process otherwise.
fn judges_certificates(now: Timestamp) -> Result<(), ClusterError> {
    if now >= Timestamp(0) {
        return Ok(());
    }
    Err(ClusterError::new(
        ClusterErrorKind::Tls,
        "the clock of this machine shows a time before 1970, so no certificate can be checked",
    )
    .with_hint("set the clock"))
}

/// Returns the configuration of kube that the flags, the kubeconfig and the environment describe.
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
                format!("--{flag} names {name:?}, but there is no kubeconfig"),
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
        .with_hint(format!("name a kubeconfig with --kubeconfig or KUBECONFIG, or read files with -f (`{DUMP}`)")));
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
    user = without_empties(user);
    override_user(&mut user, options);
    confirm_usable(&user)?;
    let acts_as_part = user.impersonate_groups.is_some() || user.impersonate_uid.is_some();
    if user.impersonate.is_none() && (acts_as_part || user.impersonate_user_extra.is_some()) {
        return Err(ClusterError::new(
            ClusterErrorKind::Configuration,
            "--as-group, --as-uid and --as-user-extra need --as, which names the user",
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
    config.proxy_url = proxy::proxy_for(&config.cluster_url, cluster.proxy_url.as_deref(), environment)
        .map(|proxy| proxy::address(&proxy))
        .transpose()?;
    if config.cluster_url.scheme_str() == Some("https") {
        config.root_cert = root_certificates(&cluster)?;
        if config.root_cert.is_some() && config.accept_invalid_certs {
            return Err(ClusterError::new(
                ClusterErrorKind::Configuration,
                "a certificate authority is given, but --insecure-skip-tls-verify says not to check certificates",
            )
            .with_hint("leave out one of the two, here or in the kubeconfig"));
        }
        read_token_file(&mut user)?;
        exec_plugin::run(&mut user, &cluster, options.attendance, options.request_timeout)?;
        check_token(&user)?;
        config.auth_info = user;
    } else {
        // As in kubectl, credentials are never sent without encryption. The headers of impersonation may be sent,
        // because `kubectl proxy` needs no credentials.
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
        // If the user gives a certificate authority, the certificate is always verified, even if the kubeconfig
        // disables it.
        cluster.insecure_skip_tls_verify = Some(options.insecure_skip_tls_verify);
        cluster.certificate_authority = Some(authority.to_string_lossy().into_owned());
        cluster.certificate_authority_data = None;
    }
    // The TLS server name in the kubeconfig belongs to the server in the kubeconfig, and not to the server of
    // `--server`.
    if options.tls_server_name.is_some() || options.server.is_some() {
        cluster.tls_server_name.clone_from(&options.tls_server_name);
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
        user.auth_provider = None;
        user.exec = None;
    }
    if let Some(name) = &options.username {
        user.username = Some(name.clone());
    }
    if let Some(password) = &options.password {
        user.password = Some(password.clone().into());
    }
    // kube needs both the name and the password. If one of them is missing, an empty value is used.
    if user.username.is_some() || user.password.is_some() {
        user.username.get_or_insert_default();
        user.password.get_or_insert_with(|| String::new().into());
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
    // For a key that the user gives, only the given values are used. Other keys keep their values from the kubeconfig.
    if !options.impersonate_extra.is_empty() {
        let extra = user.impersonate_user_extra.get_or_insert_default();
        for (key, _) in &options.impersonate_extra {
            extra.remove(key);
        }
        for (key, value) in &options.impersonate_extra {
            extra.entry(key.clone()).or_default().push(value.clone());
        }
    }
}

/// Removes empty values, which client-go treats as missing.
fn without_empties(user: AuthInfo) -> AuthInfo {
    // Some values are secrets. Their text can only be read from serialized data.
    let Ok(Value::Object(mut fields)) = serde_json::to_value(&user) else { return user };
    fields.retain(|name, value| match value {
        // An empty path was resolved to the folder of the kubeconfig, so it ends with a separator.
        Value::String(path) if matches!(name.as_str(), "tokenFile" | "client-certificate" | "client-key") => {
            !path.is_empty() && !path.ends_with(MAIN_SEPARATOR)
        }
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => true,
    });
    serde_json::from_value(Value::Object(fields)).unwrap_or(user)
}

/// Refuses the combinations of credentials that client-go refuses. Upstream: `ConfirmUsable`, client-go 0.36.
#[expect(clippy::disallowed_methods, reason = "checks whether the files of the kubeconfig exist")]
fn confirm_usable(user: &AuthInfo) -> Result<(), ClusterError> {
    let wrong = |what: &str, hint: &str| Err(ClusterError::new(ClusterErrorKind::Configuration, what).with_hint(hint));
    if user.token.is_some() && user.username.is_some() {
        return wrong(
            "both a token and a password are given, but only one of them can be used",
            "leave out --token, or --username and --password, or choose another --user of the kubeconfig",
        );
    }
    let certificate = user.client_certificate.is_some() || user.client_certificate_data.is_some();
    if certificate && user.client_key.is_none() && user.client_key_data.is_none() {
        return wrong("there is a client certificate without its key", "add --client-key FILE");
    }
    // The error of kube does not name the missing file.
    let files = [
        ("certificate", &user.client_certificate, user.client_certificate_data.is_some()),
        ("key", &user.client_key, user.client_key_data.is_some()),
    ];
    for (what, path, is_given) in files {
        let Some(path) = path.as_ref().filter(|_| !is_given && certificate) else { continue };
        std::fs::metadata(path).map_err(|error| {
            let problem = format!("the client {what} {path} cannot be read: {error}");
            ClusterError::new(ClusterErrorKind::Credentials, problem)
                .with_hint(format!("check --client-{what}, and the client-{what} of the user in the kubeconfig"))
        })?;
    }
    Ok(())
}

/// Refuses a token that an HTTP header cannot contain, because kube would panic.
fn check_token(user: &AuthInfo) -> Result<(), ClusterError> {
    // The text of the token can only be read from serialized data.
    let data = serde_json::to_value(user).unwrap_or_default();
    match data.get("token").and_then(Value::as_str).map(HeaderValue::from_str) {
        Some(Err(_)) => Err(ClusterError::new(
            ClusterErrorKind::Credentials,
            "the token cannot be sent: it contains a line break or another character that no HTTP header may have",
        )
        .with_hint("check its source: --token, the user's token in the kubeconfig, or its credential plugin")),
        _ => Ok(()),
    }
}

/// Replaces the path of the token file by the token in it. Text files end with a newline, which no HTTP header may
/// contain.
#[expect(clippy::disallowed_methods, reason = "the kubeconfig names the file")]
fn read_token_file(user: &mut AuthInfo) -> Result<(), ClusterError> {
    let Some(path) = user.token_file.take().filter(|_| user.token.is_none()) else { return Ok(()) };
    let token = std::fs::read_to_string(&path).map_err(|error| {
        ClusterError::new(ClusterErrorKind::Credentials, format!("the token file {path} cannot be read: {error}"))
            .with_hint("it is the tokenFile of the user in the kubeconfig: log in again, or choose another --user")
    })?;
    user.token = Some(token.trim().to_owned().into());
    Ok(())
}

/// Returns the address of the server. As in kubectl, an address without a scheme is http.
fn server_url(cluster: &Cluster) -> Result<Uri, ClusterError> {
    let server = cluster.server.as_deref().unwrap_or_default().trim();
    if server.is_empty() {
        return Err(ClusterError::new(
            ClusterErrorKind::Configuration,
            "the cluster's entry in the kubeconfig has no server",
        )
        .with_hint("give one with --server"));
    }
    let full = if server.contains("://") { server.to_owned() } else { format!("http://{server}") };
    full.parse::<Uri>()
        .ok()
        .filter(|url| matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some())
        .ok_or_else(|| {
            ClusterError::new(ClusterErrorKind::Configuration, format!("the server's address {server:?} is not a URL"))
                .with_hint("an address looks like https://host:6443")
        })
}

/// Returns the certificate authorities in the form that kube needs. The result is `None` if the authorities of the
/// operating system are used.
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

/// Returns the certificates that the entry of a cluster names or contains. An error comes from kube (for the file),
/// from serde (for the encoded data), or from this function.
fn certificates(cluster: &Cluster) -> anyhow::Result<Option<Vec<Vec<u8>>>> {
    // This type of kube reads either the file or the data. The function of kube for clusters is private.
    let authority = ExecAuthCluster::try_from(cluster)?;
    let Some(pem) = authority.certificate_authority_data.filter(|pem| !pem.is_empty()) else { return Ok(None) };
    let certificates = pem_certificates(&String::from_utf8_lossy(&pem))?;
    anyhow::ensure!(!certificates.is_empty(), "there is no certificate in it");
    Ok(Some(certificates))
}

/// Returns the certificates in a PEM text, as DER.
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

/// Returns the error if kube cannot make a client from the configuration.
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

/// Returns the address of the server without a password.
fn display(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or("http");
    let host = url.host().unwrap_or_default();
    let port = url.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{}", url.path().trim_end_matches('/'))
}
