//! An API server in this process: lists with pages, single objects, conditional writes, and faults on demand.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

/// The `Date` of every answer, and the same moment in seconds since 1970.
pub(crate) const DATE: (&str, i64) = ("Tue, 14 Nov 2023 22:13:20 GMT", 1_700_000_000);

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Such as `GET`.
    pub(crate) method: String,
    /// What was sent; null without a body.
    pub(crate) body: Value,
    /// Path and query.
    pub(crate) uri: String,
    /// Names and values of the headers.
    pub(crate) headers: Vec<(String, String)>,
}

impl Seen {
    /// Whether it changes what the server has.
    pub(crate) fn writes(&self) -> bool {
        let dry = self.uri.contains("dryRun=All") || self.body["dryRun"] == json!(["All"]);
        self.method != "GET" && !dry && !self.uri.contains("/selfsubjectaccessreviews")
    }

    /// All values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(seen, _)| seen == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// What to answer instead of the truth.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A `Status` with this code and message.
    Status(u16, &'static str),
    /// The same with `Retry-After` in seconds.
    RetryAfter(u16, &'static str),
    /// 410, with a token to go on with, if any.
    Expired(Option<&'static str>),
    /// A page of a proxy.
    Html(u16),
    /// This very body with code 200.
    Body(&'static str),
    /// The truth, after a while.
    Late(Duration),
}

struct Fault {
    path: String,
    left: usize,
    answer: Answer,
}

#[derive(Default)]
struct State {
    objects: Vec<Value>,
    later: Vec<Value>,
    faults: Vec<Fault>,
    seen: Vec<Seen>,
    denied: Vec<&'static str>,
    refused: Option<(usize, u16, &'static str)>,
    held: Option<usize>,
}

/// The server; it ends with the test's runtime.
#[derive(Clone)]
pub(crate) struct FakeApi {
    address: SocketAddr,
    gate: Arc<Notify>,
    state: Arc<Mutex<State>>,
}

impl FakeApi {
    /// A server without encryption.
    pub(crate) async fn start() -> Self {
        Self::serve(None).await
    }

    /// A server with the given keys.
    pub(crate) async fn start_tls(acceptor: TlsAcceptor) -> Self {
        Self::serve(Some(acceptor)).await
    }

    async fn serve(acceptor: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self { address: listener.local_addr().unwrap(), gate: Arc::default(), state: Arc::default() };
        let served = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(served.clone().connection(stream, acceptor.clone()));
            }
        });
        fake
    }

    async fn connection(self, stream: TcpStream, acceptor: Option<TlsAcceptor>) -> io::Result<()> {
        let service = service_fn(move |request| {
            let fake = self.clone();
            async move { Ok::<_, Infallible>(fake.answer(request).await) }
        });
        let http = hyper::server::conn::http1::Builder::new();
        // A client that goes away is no failure of the test.
        let _ = match acceptor {
            Some(acceptor) => http.serve_connection(TokioIo::new(acceptor.accept(stream).await?), service).await,
            None => http.serve_connection(TokioIo::new(stream), service).await,
        };
        Ok(())
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address for http.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Adds objects; each states its kind.
    pub(crate) fn hold(&self, objects: impl IntoIterator<Item = Value>) {
        self.state().objects.extend(objects);
    }

    /// Puts an object in the place of the one of its kind and name.
    pub(crate) fn replace(&self, object: Value) {
        let same =
            |other: &Value| other["kind"] == object["kind"] && other["metadata"]["name"] == object["metadata"]["name"];
        let mut state = self.state();
        state.objects.retain(|other| !same(other));
        state.objects.push(object);
    }

    /// Takes an object away.
    pub(crate) fn remove(&self, kind: &str, name: &str) {
        self.state().objects.retain(|object| object["kind"] != kind || object["metadata"]["name"] != name);
    }

    /// Adds objects that lists do not show yet and single readings do.
    pub(crate) fn hold_later(&self, objects: impl IntoIterator<Item = Value>) {
        self.state().later.extend(objects);
    }

    /// Answers requests whose path and query begin so with something else, so many times.
    pub(crate) fn fail(&self, path: &str, times: usize, answer: Answer) {
        self.state().faults.push(Fault { path: path.to_owned(), left: times, answer });
    }

    /// Says, when asked, that this verb is not permitted.
    pub(crate) fn deny(&self, verb: &'static str) {
        self.state().denied.push(verb);
    }

    /// Answers one write with a failure: the one before which so many were done.
    pub(crate) fn refuse_write(&self, after: usize, code: u16, message: &'static str) {
        self.state().refused = Some((after, code, message));
    }

    /// Keeps one write waiting until it is let go: the one before which so many were done.
    pub(crate) fn hold_write(&self, after: usize) {
        self.state().held = Some(after);
    }

    /// Lets the write go that waits.
    pub(crate) fn let_go(&self) {
        self.gate.notify_one();
    }

    /// The requests so far that changed something, or were to.
    pub(crate) fn writes(&self) -> Vec<Seen> {
        self.seen().into_iter().filter(Seen::writes).collect()
    }

    /// The object as it is now.
    pub(crate) fn object(&self, kind: &str, name: &str) -> Option<Value> {
        let named = |object: &&Value| object["kind"] == kind && object["metadata"]["name"] == name;
        self.state().objects.iter().find(named).cloned()
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state().seen.clone()
    }

    /// How many requests came for paths that begin so.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.state().seen.iter().filter(|seen| seen.uri.starts_with(path)).count()
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let uri = request.uri().to_string();
        let method = request.method().to_string();
        let headers = request
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let bytes = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let seen = Seen { method, body, uri: uri.clone(), headers };
        let (fault, held) = {
            let mut state = self.state();
            state.seen.push(seen.clone());
            let writes = state.seen.iter().filter(|seen| seen.writes()).count();
            let held = state.held.take_if(|after| seen.writes() && writes == *after + 1).is_some();
            let fault = state.faults.iter_mut().find(|fault| fault.left > 0 && uri.starts_with(&fault.path));
            let fault = fault.map(|fault| {
                fault.left -= 1;
                fault.answer.clone()
            });
            (fault, held)
        };
        if held {
            self.gate.notified().await;
        }
        match fault {
            None if seen.method != "GET" => self.write(&seen),
            None => self.truth(&uri),
            Some(Answer::Status(code, message)) => reply(code, &status(code, message, None)),
            Some(Answer::RetryAfter(code, seconds)) => {
                let mut response = reply(code, &status(code, "come back later", None));
                response.headers_mut().insert("retry-after", seconds.parse().unwrap());
                response
            }
            Some(Answer::Expired(token)) => reply(410, &status(410, "too old", token)),
            Some(Answer::Html(code)) => text(code, "<html><title>Sign in</title></html>"),
            Some(Answer::Body(body)) => text(200, body),
            // What is written is answered as it was when it was asked.
            Some(Answer::Late(pause)) if seen.method != "GET" => {
                let answer = self.write(&seen);
                tokio::time::sleep(pause).await;
                answer
            }
            Some(Answer::Late(pause)) => {
                tokio::time::sleep(pause).await;
                self.truth(&uri)
            }
        }
    }

    fn write(&self, seen: &Seen) -> Response<Full<Bytes>> {
        let path = seen.uri.split_once('?').map_or(seen.uri.as_str(), |(path, _)| path);
        let mut state = self.state();
        if path.ends_with("/selfsubjectaccessreviews") {
            let verb = &seen.body["spec"]["resourceAttributes"]["verb"];
            let allowed = !state.denied.iter().any(|denied| verb == denied);
            return reply(201, &json!({"kind": "SelfSubjectAccessReview", "status": {"allowed": allowed}}));
        }
        let written = state.seen.iter().filter(|seen| seen.writes()).count();
        if let Some((_, code, message)) = state.refused.take_if(|(after, ..)| seen.writes() && written == *after + 1) {
            return reply(code, &status(code, message, None));
        }
        let name = path.rsplit('/').next().unwrap();
        let resource =
            if path.contains("/persistentvolumeclaims") { "persistentvolumeclaims" } else { "persistentvolumes" };
        let kind = kind(resource).unwrap();
        let version = state.seen.len().to_string();
        let named = |object: &Value| object["kind"] == kind && object["metadata"]["name"] == name;
        if seen.method == "POST" {
            let mut object = seen.body.clone();
            object["metadata"]["uid"] = format!("uid-{version}").into();
            object["metadata"]["resourceVersion"] = version.into();
            object["status"] = json!({"phase": "Pending"});
            if seen.writes() {
                state.objects.push(object.clone());
            }
            return reply(201, &object);
        }
        let Some(place) = state.objects.iter().position(named) else {
            return reply(404, &status(404, &format!("{resource} \"{name}\" not found"), None));
        };
        let mut object = state.objects[place].clone();
        let wanted = if seen.method == "DELETE" { &seen.body["preconditions"] } else { &seen.body["metadata"] };
        if ["uid", "resourceVersion"].iter().any(|field| wanted[field] != object["metadata"][field]) {
            return reply(409, &status(409, "the object has been modified", None));
        }
        if seen.method == "DELETE" {
            if seen.writes() {
                state.objects.remove(place);
            }
            return reply(200, &object);
        }
        merge(&mut object, &seen.body);
        object["metadata"]["resourceVersion"] = version.into();
        // What the controller does here, where the claim that is named is not there.
        let named = !object["spec"]["claimRef"]["uid"].is_null();
        if object["status"]["phase"] == "Released" && !named {
            object["status"]["phase"] = "Available".into();
        } else if object["status"]["phase"] == "Available" && named {
            object["status"]["phase"] = "Released".into();
        }
        if seen.writes() {
            state.objects[place] = object.clone();
        }
        reply(200, &object)
    }

    fn truth(&self, uri: &str) -> Response<Full<Bytes>> {
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        if path == "/version" {
            return reply(200, &json!({"major": "1", "minor": "36+", "gitVersion": "v1.36.3-test"}));
        }
        let parameter = |name: &str| {
            query
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value)
        };
        // Each is a cluster of its own, unless the test says so.
        let stated = |object: &Value| object["kind"] == "Namespace" && object["metadata"]["name"] == "kube-system";
        if path == "/api/v1/namespaces/kube-system" && !self.state().objects.iter().any(stated) {
            let metadata = json!({"name": "kube-system", "uid": format!("cluster-{}", self.port())});
            return reply(200, &json!({"kind": "Namespace", "apiVersion": "v1", "metadata": metadata}));
        }
        if path == "/api/v1/namespaces" && !self.state().objects.iter().any(|held| held["kind"] == "Namespace") {
            return reply(200, &json!({"metadata": {}, "items": [{"metadata": {"name": "db"}}]}));
        }
        let mut parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        parts.drain(..if parts[0] == "apis" { 3 } else { 2 });
        let namespace = if parts[0] == "namespaces" && parts.len() > 2 { parts.drain(..2).nth(1) } else { None };
        let Some(kind) = kind(parts[0]) else { return reply(404, &status(404, "no such resource", None)) };
        let state = self.state();
        let of_kind = |object: &&Value| {
            object["kind"] == kind && namespace.is_none_or(|namespace| object["metadata"]["namespace"] == namespace)
        };
        if let Some(name) = parts.get(1) {
            let named = |object: &&Value| of_kind(object) && object["metadata"]["name"] == *name;
            return match state.later.iter().chain(&state.objects).find(named) {
                Some(object) => reply(200, object),
                None => reply(404, &status(404, &format!("{} \"{name}\" not found", parts[0]), None)),
            };
        }
        let start: usize = parameter("continue").map_or(0, |token| token.parse().unwrap());
        let limit: usize = parameter("limit").map_or(usize::MAX, |limit| limit.parse().unwrap());
        let all: Vec<&Value> = state.objects.iter().filter(of_kind).collect();
        // The items of a typed list do not state their kind.
        let items: Vec<Value> = all
            .iter()
            .skip(start)
            .take(limit)
            .map(|object| {
                let mut object = (*object).clone();
                object.as_object_mut().unwrap().remove("kind");
                object
            })
            .collect();
        let end = start + items.len();
        let next = if end < all.len() { end.to_string() } else { String::new() };
        // As the API server: metadata before the items.
        let items = serde_json::to_string(&items).unwrap();
        text(
            200,
            &format!(
                r#"{{"kind":"{kind}List","apiVersion":"v1","metadata":{{"resourceVersion":"77","continue":"{next}"}},"items":{items}}}"#
            ),
        )
    }
}

/// A merge patch, applied.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let target = target.as_object_mut().unwrap();
    for (key, value) in fields {
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

fn kind(resource: &str) -> Option<&'static str> {
    Some(match resource {
        "persistentvolumes" => "PersistentVolume",
        "persistentvolumeclaims" => "PersistentVolumeClaim",
        "storageclasses" => "StorageClass",
        "pods" => "Pod",
        "nodes" => "Node",
        "leases" => "Lease",
        "namespaces" => "Namespace",
        "volumeattachments" => "VolumeAttachment",
        "csidrivers" => "CSIDriver",
        "csinodes" => "CSINode",
        "csistoragecapacities" => "CSIStorageCapacity",
        "events" => "Event",
        "resourcequotas" => "ResourceQuota",
        "limitranges" => "LimitRange",
        "statefulsets" => "StatefulSet",
        _ => return None,
    })
}

fn status(code: u16, message: &str, token: Option<&str>) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message,
        "metadata": {"continue": token.unwrap_or_default()}, "details": {"kind": "debug-noise"}
    })
}

fn reply(code: u16, body: &Value) -> Response<Full<Bytes>> {
    text(code, &body.to_string())
}

fn text(code: u16, body: &str) -> Response<Full<Bytes>> {
    Response::builder().status(code).header("date", DATE.0).body(Full::from(body.to_owned())).unwrap()
}
