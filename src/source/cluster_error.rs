//! The errors of reading a cluster. An error is one sentence, with a hint that says what the user can do.

use super::body::TooLarge;
use crate::error::Error;
use crate::model::DUMP;
use std::fmt;

/// The kind of an error of reading a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterErrorKind {
    /// A flag or a kubeconfig cannot be used. For example, it names something that does not exist.
    Configuration,
    /// No cluster is configured.
    NoCluster,
    /// The credentials could not be obtained, because a plugin failed or a file is missing.
    Credentials,
    /// The API server does not accept the credentials (HTTP 401).
    Unauthorized,
    /// The API server accepts the credentials but refuses the request (HTTP 403).
    Forbidden,
    /// No server answers at the address.
    Unreachable,
    /// The name of the server does not resolve.
    UnknownHost,
    /// The TLS connection failed.
    Tls,
    /// The server did not answer in time.
    TimedOut,
    /// The server asked several times to retry later, until the number of retries was reached.
    Overloaded,
    /// The answer does not come from a Kubernetes API server.
    NotKubernetes,
    /// The answer is larger than the limit, or has too many objects.
    TooLarge,
    /// The server answered with an error.
    Server,
}

/// An error of reading a cluster. Texts of the server are stored unchanged, and are sanitized when they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterError {
    kind: ClusterErrorKind,
    message: String,
    hint: Option<String>,
}

impl ClusterError {
    /// Returns an error. `message` is a sentence without a full stop.
    pub(crate) fn new(kind: ClusterErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// Adds a hint that says what the user can do.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ClusterErrorKind {
        self.kind
    }

    /// Returns what the user can do, if the error has a hint.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the error for a failure below HTTP. Its kind is found by the texts of the causes, because kube has no
    /// other way to distinguish the causes.
    pub(crate) fn from_transport(server: &str, proxy: Option<&str>, error: &(dyn std::error::Error + 'static)) -> Self {
        let chain: Vec<String> =
            std::iter::successors(Some(error), |&error| error.source()).map(ToString::to_string).collect();
        let all = chain.join(": ");
        let last = chain.last().map_or("", String::as_str);
        let has = |texts: &[&str]| texts.iter().any(|text| all.contains(text));
        if let Some(proxy) = proxy.filter(|_| has(&["tunnel error", "SOCKS", "socks"])) {
            return Self::from_proxy(server, proxy, &all, last);
        }
        if has(&["certificate", "fatal alert", "TLS", "tls", "InvalidContentType", "corrupt message"]) {
            return Self::from_tls(server, &all, last);
        }
        if has(&["invalid HTTP version parsed"]) {
            return Self::not_plain(server);
        }
        if has(&["failed to lookup address", "dns error", "Name or service not known", "nodename nor servname"]) {
            return Self::new(
                ClusterErrorKind::UnknownHost,
                format!("the name of the API server {server} does not resolve"),
            )
            .with_hint("check the server's address in the kubeconfig, --server, the network and the VPN");
        }
        if has(&["timed out", "deadline has elapsed", "timeout"]) {
            return Self::timed_out(server, proxy);
        }
        if has(&["Connection refused", "refused"]) {
            return Self::new(ClusterErrorKind::Unreachable, format!("the API server {server} refuses connections"))
                .with_hint(
                    "check that the cluster runs and that the address and port are right; -f FILE works without a \
                     cluster",
                );
        }
        Self::new(ClusterErrorKind::Unreachable, format!("the API server {server} cannot be reached: {last}"))
            .with_hint("check the network and the VPN; -f FILE works without a cluster")
    }

    /// Returns the error for a server that requires TLS although its address begins with `http`.
    fn not_plain(server: &str) -> Self {
        Self::new(ClusterErrorKind::NotKubernetes, format!("the server at {server} does not speak plain HTTP"))
            .with_hint("check the port, and whether the address should begin with https://")
    }

    /// Returns the error for a proxy that did not make the connection.
    fn from_proxy(server: &str, proxy: &str, all: &str, last: &str) -> Self {
        const CHECK: &str = "check HTTPS_PROXY, NO_PROXY and the cluster's proxy-url in the kubeconfig";
        let has = |texts: &[&str]| texts.iter().any(|text| all.contains(text));
        let failed = |kind, what: &str, hint: &str| {
            Self::new(kind, format!("the proxy {proxy} on the way to the API server {server} {what}")).with_hint(hint)
        };
        if has(&["proxy authorization required"]) {
            return failed(
                ClusterErrorKind::Unreachable,
                "wants a user and a password (HTTP 407)",
                "put them into its address, http://USER:PASSWORD@HOST:PORT, in HTTPS_PROXY or the cluster's proxy-url",
            );
        }
        if has(&["failed to lookup address", "dns error", "Name or service not known", "nodename nor servname"]) {
            return failed(ClusterErrorKind::UnknownHost, "has a name that does not resolve", CHECK);
        }
        if has(&["timed out", "deadline has elapsed", "timeout"]) {
            return failed(ClusterErrorKind::TimedOut, "did not answer in time", CHECK);
        }
        let what = if has(&["refused"]) {
            "refuses connections".to_owned()
        } else if has(&["tunnel error: unsuccessful"]) {
            "does not let the connection through".to_owned()
        } else if has(&["unexpected end of file"]) {
            "ended the connection".to_owned()
        } else {
            format!("failed: {last}")
        };
        failed(ClusterErrorKind::Unreachable, &what, CHECK)
    }

    fn from_tls(server: &str, all: &str, last: &str) -> Self {
        let has = |texts: &[&str]| texts.iter().any(|text| all.contains(text));
        let tls = |what: String, hint: &str| Self::new(ClusterErrorKind::Tls, what).with_hint(hint);
        if has(&["InvalidContentType", "corrupt message"]) {
            return tls(
                format!("the server at {server} does not speak TLS"),
                "check the port, and whether the address should begin with http://",
            );
        }
        // An alert says what the server refuses. An alert about a certificate can only mean the client certificate.
        let objects = |alerts: &[&str]| all.contains("fatal alert") && has(alerts);
        if objects(&["CertificateRequired"]) {
            return tls(
                format!("the API server {server} wants a client certificate"),
                "give one with --client-certificate and --client-key, or choose another --user of the kubeconfig",
            );
        }
        if objects(&["Certificate", "UnknownCA", "AccessDenied", "DecryptError"]) {
            return tls(
                format!("the API server {server} refuses the client certificate: {last}"),
                "the certificate in the kubeconfig has probably expired or belongs to another cluster: log in again",
            );
        }
        if has(&["Expired", "expired"]) {
            return tls(
                format!("the certificate of the API server {server} has expired"),
                "renew it on the control plane (kubeadm: kubeadm certs renew), or check this machine's clock",
            );
        }
        if has(&["NotValidYet", "not valid yet"]) {
            return tls(
                format!("the certificate of the API server {server} is not valid yet"),
                "check the clocks of this machine and of the control plane",
            );
        }
        if has(&["NotValidForName", "not valid for"]) {
            return tls(
                format!("the certificate of the API server {server} was made for another name"),
                "use the name in the certificate for --server, or give this name with --tls-server-name",
            );
        }
        if has(&["CaUsedAsEndEntity"]) {
            return tls(
                format!(
                    "the API server {server} uses a certificate authority's own certificate, which is not accepted"
                ),
                "kubectl accepts it; here the server needs a certificate that is signed by that authority",
            );
        }
        // If a cluster was created again, its certificate authority has the same name but another key. Then the
        // signature is wrong.
        if has(&["UnknownIssuer", "unknown issuer", "not trusted", "BadSignature"]) {
            return tls(
                format!("the certificate of the API server {server} is signed by an unknown authority"),
                "put the authority's certificate into the kubeconfig (certificate-authority) or give it with \
                 --certificate-authority; the server's own certificate is not enough",
            );
        }
        tls(
            format!("no encrypted connection to the API server {server}: {last}"),
            "check the certificates in the kubeconfig",
        )
    }

    /// Returns the error for a missing answer.
    pub(crate) fn timed_out(server: &str, proxy: Option<&str>) -> Self {
        let through = proxy.map(|proxy| format!(" through the proxy {proxy}")).unwrap_or_default();
        Self::new(ClusterErrorKind::TimedOut, format!("the API server {server} did not answer in time{through}"))
            .with_hint("check the network, or allow more time with --request-timeout")
    }

    /// Returns the error for an answer with an HTTP status code that means an error.
    pub(crate) fn from_status(server: &str, what: &str, status: &ApiStatus) -> Self {
        let ApiStatus { code, message, .. } = status;
        match code {
            401 => Self::new(
                ClusterErrorKind::Unauthorized,
                format!("the API server {server} does not accept your credentials"),
            )
            .with_hint("log in again: the token or certificate of this context has probably expired"),
            403 if status.from_kubernetes => {
                Self::new(ClusterErrorKind::Forbidden, format!("you may not read {what}: {message}")).with_hint(
                    "ask for a role that may list persistentvolumes, persistentvolumeclaims and storageclasses",
                )
            }
            429 => Self::new(ClusterErrorKind::Overloaded, format!("the API server {server} is overloaded: {message}"))
                .with_hint("try again later, or read fewer objects at once with --chunk-size"),
            // An API server answers a request without TLS with a line of text.
            400 if !status.from_kubernetes && server.starts_with("http://") => Self::not_plain(server),
            _ if !status.from_kubernetes => Self::new(
                ClusterErrorKind::NotKubernetes,
                format!("{server} answered HTTP {code}, but the answer is not from a Kubernetes API server"),
            )
            .with_hint("a proxy or a login page may be in between: check --server, HTTPS_PROXY and NO_PROXY"),
            _ => Self::new(ClusterErrorKind::Server, format!("reading {what} failed with HTTP {code}: {message}"))
                .with_hint("the fault is in the API server: see its log; -v 6 shows the requests"),
        }
    }

    /// Returns the error for an answer that exceeds the limit in bytes.
    pub(crate) fn too_large(server: &str, what: &str, TooLarge { limit, stated }: TooLarge) -> Self {
        let limit = limit >> 20;
        let size = match stated {
            Some(bytes) => format!("{} MiB", bytes >> 20),
            None => format!("more than {limit} MiB"),
        };
        Self::too_much(server, what, &size, &format!("{limit} MiB"))
    }

    /// Returns the error for an answer with too many objects.
    pub(crate) fn too_many(server: &str, what: &str, most: usize) -> Self {
        Self::too_much(server, what, &format!("more than {most} objects"), &format!("{most} objects"))
    }

    fn too_much(server: &str, what: &str, size: &str, limit: &str) -> Self {
        Self::new(
            ClusterErrorKind::TooLarge,
            format!("{server} sends {size} in one answer to the request for {what}, but at most {limit} are read"),
        )
        .with_hint(format!(
            "use a --chunk-size from 1 to 2500, so that lists come in small pages; if a proxy still sends a whole list \
             at once, write files with '{DUMP}' and read them with -f"
        ))
    }

    /// Returns the error for a successful answer with a body that is not from the Kubernetes API.
    pub(crate) fn not_kubernetes(server: &str, what: &str, problem: &str) -> Self {
        Self::new(
            ClusterErrorKind::NotKubernetes,
            format!(
                "{server} answered the request for {what}, but the answer is not from a Kubernetes API server: \
                     {problem}"
            ),
        )
        .with_hint("a proxy or a login page may be in between: check --server, HTTPS_PROXY and NO_PROXY")
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for ClusterError {}

impl From<ClusterError> for Error {
    /// Converts an error of the kind `Configuration` to a usage error. All other errors become unreadable input.
    fn from(error: ClusterError) -> Self {
        let shown = match error.kind {
            ClusterErrorKind::Configuration => Self::usage(error.message),
            _ => Self::unreadable(error.message),
        };
        match error.hint {
            Some(hint) => shown.hint(hint),
            None => shown,
        }
    }
}

/// The content of an error answer of the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiStatus {
    /// The HTTP code.
    pub(crate) code: u16,
    /// The message of the server. If the server sent no message, it is `HTTP` followed by the code.
    pub(crate) message: String,
    /// Whether the body was a `Status` object.
    pub(crate) from_kubernetes: bool,
}

impl ApiStatus {
    /// Returns whether Kubernetes says that the object does not exist. A 404 of another server says nothing about
    /// objects.
    pub(crate) fn is_not_found(&self) -> bool {
        self.code == 404 && self.from_kubernetes
    }

    /// Reads the body of an answer. The text of a body that is no `Status` is not kept.
    pub(crate) fn from_body(code: u16, body: &[u8]) -> Self {
        #[derive(serde::Deserialize)]
        struct Status {
            kind: String,
            #[serde(default)]
            message: Option<String>,
        }
        match serde_json::from_slice::<Status>(body) {
            Ok(status) if status.kind == "Status" => Self {
                code,
                message: shorten(&status.message.unwrap_or_else(|| format!("HTTP {code}"))),
                from_kubernetes: true,
            },
            _ => Self { code, message: format!("HTTP {code}"), from_kubernetes: false },
        }
    }
}

/// Returns the first part of a text, because the server may send a text of any length.
fn shorten(text: &str) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
