//! API servers that the test runs. They record for each request which server received it, from whom, and for which
//! namespace. They answer enough requests for `kubectl get pvc`, and for `predict` of our program.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::{ClientCertVerifierBuilder, WebPkiClientVerifier};
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// What a request reveals about its sender and its target.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Facts {
    /// The name, in the test, of the server that received the request.
    pub(crate) server: String,
    /// The server name in the TLS handshake. The client checks the certificate against this name.
    pub(crate) called: Option<String>,
    /// The name in the client certificate.
    pub(crate) certificate: Option<String>,
    /// The values of the header `Authorization`.
    pub(crate) authorization: Vec<String>,
    /// The headers `Impersonate-*`, sorted.
    pub(crate) acts_as: Vec<(String, String)>,
    /// The values of the header `Accept-Encoding`.
    pub(crate) encoding: Vec<String>,
}

/// What a program sent in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The distinct facts of its requests. If all requests agree, there is one element.
    pub(crate) facts: BTreeSet<Facts>,
    /// The namespaces whose claims it requested.
    pub(crate) namespaces: BTreeSet<String>,
}

/// The common record of the servers.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    requests: Arc<Mutex<Vec<(Facts, String)>>>,
}

/// The client certificates that a test made, each as DER with its name.
pub(crate) type Names = Vec<(Vec<u8>, String)>;

impl Recorder {
    /// Starts a server on this address with a free port. The server uses TLS if an acceptor is given, and ends with the
    /// runtime.
    pub(crate) async fn listen(
        &self,
        server: &'static str,
        address: &str,
        acceptor: Option<TlsAcceptor>,
        names: Names,
    ) -> SocketAddr {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let bound = listener.local_addr().unwrap();
        let (recorder, names) = (self.clone(), Arc::new(names));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(recorder.clone().connection(server, stream, acceptor.clone(), Arc::clone(&names)));
            }
        });
        bound
    }

    async fn connection(
        self,
        server: &'static str,
        stream: TcpStream,
        acceptor: Option<TlsAcceptor>,
        names: Arc<Names>,
    ) {
        let mut of_connection = Facts { server: server.to_owned(), ..Facts::default() };
        let http = hyper::server::conn::http1::Builder::new();
        // Some tests are about clients that close the connection or do not trust the server. So errors are ignored.
        let Some(acceptor) = acceptor else {
            let service = service_fn(async |request| Ok::<_, Infallible>(self.answer(of_connection.clone(), &request)));
            _ = http.serve_connection(TokioIo::new(stream), service).await;
            return;
        };
        let Ok(stream) = acceptor.accept(stream).await else { return };
        let session = stream.get_ref().1;
        of_connection.called = session.server_name().map(str::to_owned);
        let shown = session.peer_certificates().and_then(|chain| chain.first());
        of_connection.certificate = shown.map(|shown| {
            let known = names.iter().find(|(der, _)| der == shown.as_ref());
            known.map_or_else(|| "unknown".to_owned(), |(_, name)| name.clone())
        });
        let service = service_fn(async |request| Ok::<_, Infallible>(self.answer(of_connection.clone(), &request)));
        _ = http.serve_connection(TokioIo::new(stream), service).await;
    }

    fn answer(&self, mut facts: Facts, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        for (name, value) in request.headers() {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            match name.as_str() {
                "authorization" => facts.authorization.push(value),
                "accept-encoding" => facts.encoding.push(value),
                name if name.starts_with("impersonate-") => facts.acts_as.push((name.to_owned(), value)),
                _ => {}
            }
        }
        facts.acts_as.sort();
        let path = request.uri().path().to_owned();
        let is_known = facts.authorization != ["Bearer expired"];
        let (code, body) = if is_known { truth(&path) } else { refusal(401, "Unauthorized", "Unauthorized") };
        self.requests.lock().unwrap().push((facts, path));
        let response = Response::builder().status(code).header("content-type", "application/json");
        response.body(Full::from(body.to_string())).unwrap()
    }

    /// Returns what was sent since the last call.
    pub(crate) fn take(&self) -> Sent {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        let mut sent = Sent::default();
        for (facts, path) in requests {
            let of_claims = path.strip_prefix("/api/v1/namespaces/").and_then(|rest| rest.split_once('/'));
            if let Some((namespace, "persistentvolumeclaims")) = of_claims {
                sent.namespaces.insert(namespace.to_owned());
            }
            sent.facts.insert(facts);
        }
        sent
    }
}

/// Returns the answers of an empty cluster. Claims can be read only in one namespace at a time. So each request must
/// name its namespace.
fn truth(path: &str) -> (u16, Value) {
    let list =
        |kind: &str| json!({"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []});
    match path {
        "/version" => (200, json!({"major": "1", "minor": "36", "gitVersion": "v1.36.3"})),
        "/api" => (200, json!({"kind": "APIVersions", "versions": ["v1"]})),
        "/apis" => (200, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []})),
        "/api/v1" => {
            let claims = json!({
                "name": "persistentvolumeclaims", "singularName": "persistentvolumeclaim", "namespaced": true,
                "kind": "PersistentVolumeClaim", "verbs": ["get", "list"], "shortNames": ["pvc"]
            });
            (200, json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [claims]}))
        }
        "/api/v1/persistentvolumeclaims" => {
            refusal(403, "Forbidden", "persistentvolumeclaims is forbidden at the cluster scope")
        }
        "/api/v1/persistentvolumes" => (200, list("PersistentVolumeList")),
        "/apis/storage.k8s.io/v1/storageclasses" => (200, list("StorageClassList")),
        path if path.ends_with("/persistentvolumeclaims") => (200, list("PersistentVolumeClaimList")),
        path => refusal(404, "NotFound", &format!("nothing at {path}")),
    }
}

fn refusal(code: u16, reason: &str, message: &str) -> (u16, Value) {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code, "reason": reason,
        "message": message
    });
    (code, status)
}

/// A certificate and its key. `der` is the same certificate as DER.
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
    pub(crate) der: Vec<u8>,
}

/// A certificate authority.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// The certificate of the authority itself, as PEM.
    pub(crate) pem: String,
    der: Vec<u8>,
}

impl Authority {
    /// Creates an authority of this name.
    pub(crate) fn new(name: &str) -> Self {
        let mut params = named(name, &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let (pem, der) = (certificate.pem(), certificate.der().to_vec());
        Self { issuer: Issuer::new(params, key), pem, der }
    }

    /// Signs a certificate for these hosts, or a client certificate if there are none. `change` can change its other
    /// parameters.
    pub(crate) fn sign(&self, name: &str, hosts: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let mut params = named(name, hosts);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity { certificate: certificate.pem(), key: key.serialize_pem(), der: certificate.der().to_vec() }
    }

    /// Returns a TLS server with a certificate for these hosts. It asks for a client certificate of this authority, but
    /// accepts a client without one. An expired client certificate ends the connection.
    pub(crate) fn server(&self, hosts: &[&str], change: impl FnOnce(&mut CertificateParams)) -> TlsAcceptor {
        self.acceptor(hosts, change, ClientCertVerifierBuilder::allow_unauthenticated)
    }

    /// Returns a TLS server that refuses clients without a certificate.
    pub(crate) fn demanding_server(&self, hosts: &[&str]) -> TlsAcceptor {
        self.acceptor(hosts, |_| {}, |demand| demand)
    }

    fn acceptor(
        &self,
        hosts: &[&str],
        change: impl FnOnce(&mut CertificateParams),
        demand: impl FnOnce(ClientCertVerifierBuilder) -> ClientCertVerifierBuilder,
    ) -> TlsAcceptor {
        let mut params = named("the server", hosts);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone().into()).unwrap();
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(demand(clients).build().unwrap())
            .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

fn named(name: &str, hosts: &[&str]) -> CertificateParams {
    let mut params = CertificateParams::new(hosts.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}
