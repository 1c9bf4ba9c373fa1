//! The API server that a `kube::Client` talks to: requests to a [`Store`], counted, with one fault at one of them.

use super::Random;
use super::adversary::Actor;
use super::store::{Call, Failure, Preconditions, Store, text};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use pvctl::model::{Kind, ObjectKey, Str};
use pvctl::repair::FIELD_MANAGER;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// 500 without the server having acted.
    Error500,
    /// 500 after the server has acted.
    Error500After,
    /// 409 without the server having acted.
    Conflict409,
    /// 429, to be tried again after a second.
    Busy429,
    /// The connection breaks before the server has acted.
    CutBefore,
    /// The connection breaks after the server has acted.
    CutAfter,
    /// The answer comes late, and still in time.
    Delay,
    /// The server acts after the client has given up.
    Late,
    /// The tool is killed before the server has acted.
    KilledBefore,
    /// The tool is killed after the server has acted.
    KilledAfter,
    /// The tool is killed, and the server acts some time after that.
    KilledLate,
}

impl Fault {
    /// Every fault, and none.
    pub(crate) const ALL: [Self; 12] = [
        Self::None,
        Self::Error500,
        Self::Error500After,
        Self::Conflict409,
        Self::Busy429,
        Self::CutBefore,
        Self::CutAfter,
        Self::Delay,
        Self::Late,
        Self::KilledBefore,
        Self::KilledAfter,
        Self::KilledLate,
    ];

    /// The word that names it in a run's description.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Error500 => "500",
            Self::Error500After => "500-after",
            Self::Conflict409 => "409",
            Self::Busy429 => "429",
            Self::CutBefore => "cut-before",
            Self::CutAfter => "cut-after",
            Self::Delay => "delay",
            Self::Late => "late",
            Self::KilledBefore => "killed-before",
            Self::KilledAfter => "killed-after",
            Self::KilledLate => "killed-late",
        }
    }
}

/// What happens at the n-th request, from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strike {
    pub(crate) request: usize,
    pub(crate) fault: Fault,
    pub(crate) actor: Actor,
}

struct State {
    store: Store,
    start: Store,
    random: Random,
    running: bool,
    astray: bool,
    requests: Vec<String>,
    strike: Option<Strike>,
    /// The history's length when the strike fell, if it has.
    struck: Option<usize>,
    /// The numbers of the requests that changed something, from 1, by the moments that they added to the history.
    written: BTreeMap<usize, usize>,
    /// How long the history was when each request began to be answered, if nothing delayed it.
    lengths: Vec<usize>,
    /// The one who struck acts again and again.
    restless: Option<Actor>,
}

/// The server.
#[derive(Clone)]
pub(crate) struct StageApi {
    state: Arc<Mutex<State>>,
    killed: Arc<Notify>,
}

impl StageApi {
    /// A server with these objects. While the controllers run, they sync something before each request.
    pub(crate) fn new(store: Store, running: bool, seed: u64) -> Self {
        let state = State {
            start: store.clone(),
            store,
            random: Random::new(seed),
            running,
            astray: false,
            requests: Vec::new(),
            strike: None,
            struck: None,
            written: BTreeMap::new(),
            lengths: Vec::new(),
            restless: None,
        };
        Self { state: Arc::new(Mutex::new(state)), killed: Arc::new(Notify::new()) }
    }

    /// Lets something happen at one request.
    pub(crate) fn striking(self, strike: Strike) -> Self {
        self.state().strike = Some(strike);
        self
    }

    /// Lets the controllers act on old versions, and die between two writes.
    pub(crate) fn astray(self, astray: bool) -> Self {
        self.state().astray = astray;
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client of this server.
    pub(crate) fn client(&self) -> kube::Client {
        let api = self.clone();
        kube::Client::new(tower::service_fn(move |request| api.clone().answer(request)), "default")
    }

    /// Looks at the store, or changes it.
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut Store, &mut Random) -> T) -> T {
        let mut state = self.state();
        let State { store, random, .. } = &mut *state;
        what(store, random)
    }

    /// All requests so far: method, path and query.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    /// The number of the request, from 1, that added a moment to the history; nothing where no request did.
    pub(crate) fn request_of(&self, moment: usize) -> Option<usize> {
        self.state().written.get(&moment).copied()
    }

    /// How long the history was when the request of that number, from 1, began to be answered.
    pub(crate) fn length_at(&self, request: usize) -> Option<usize> {
        self.state().lengths.get(request.checked_sub(1)?).copied()
    }

    /// Whoever acts again and again does not any more.
    pub(crate) fn rest(&self) {
        self.state().restless = None;
    }

    /// How long the history was when the strike fell, if it has fallen.
    pub(crate) fn struck(&self) -> Option<usize> {
        self.state().struck
    }

    /// Starts or stops the controllers.
    pub(crate) fn run_controllers(&self, running: bool) {
        self.state().running = running;
    }

    /// Ends when the tool is killed.
    pub(crate) async fn killed(&self) {
        self.killed.notified().await;
    }

    async fn answer(self, request: Request<Body>) -> Result<Response<Body>, std::io::Error> {
        let (parts, body) = request.into_parts();
        let broken = |failure| std::io::Error::other(format!("{failure}"));
        let body = body.collect().await.map_err(broken)?.to_bytes();
        let mut call = Asked {
            number: 0,
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: query(parts.uri.query().unwrap_or_default()),
            content_type: parts
                .headers
                .get("content-type")
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
                .to_owned(),
            body: if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap_or(Value::Null) },
        };
        let fault = self.arrive(&call);
        call.number = self.state().requests.len();
        let cut = || Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "connection reset by peer"));
        let refuse = |code, reason, message: &str| Ok(reply(Err(Failure::new(code, reason, message))));
        match fault {
            Fault::None => Ok(reply(self.act(&call))),
            Fault::Error500 => refuse(500, "InternalError", "Internal error occurred: etcdserver: leader changed"),
            Fault::Error500After => {
                // What it answered is lost.
                _ = self.act(&call);
                refuse(500, "InternalError", "Internal error occurred: etcdserver: request timed out")
            }
            Fault::Conflict409 => {
                refuse(409, "Conflict", "Operation cannot be fulfilled: the object has been modified")
            }
            Fault::Busy429 => {
                let mut response = reply(Err(Failure::new(
                    429,
                    "TooManyRequests",
                    "the server has received too many requests and has asked us to try again later",
                )));
                response.headers_mut().insert("retry-after", http::HeaderValue::from_static("1"));
                Ok(response)
            }
            Fault::CutBefore => cut(),
            Fault::CutAfter => {
                // What it answered is lost.
                _ = self.act(&call);
                cut()
            }
            Fault::Delay => {
                tokio::time::sleep(Duration::from_secs(5)).await;
                Ok(reply(self.act(&call)))
            }
            Fault::Late => {
                // A task of its own: it goes on when the client drops the request.
                let late = self.clone();
                let acting = tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_secs(45)).await;
                    late.act(&call)
                });
                acting.await.map(reply).map_err(std::io::Error::other)
            }
            Fault::KilledLate => {
                let late = self.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_secs(45)).await;
                    // Nobody hears what it answered.
                    _ = late.act(&call);
                });
                self.killed.notify_one();
                std::future::pending().await
            }
            Fault::KilledBefore => {
                self.killed.notify_one();
                std::future::pending().await
            }
            Fault::KilledAfter => {
                // Nobody hears what it answered.
                _ = self.act(&call);
                self.killed.notify_one();
                std::future::pending().await
            }
        }
    }

    /// Counts a request, lets the controllers and the actor act, and tells what goes wrong with it.
    fn arrive(&self, call: &Asked) -> Fault {
        let mut state = self.state();
        let State { store, start, random, running, astray, requests, strike, struck, lengths, restless, written: _ } =
            &mut *state;
        requests.push(format!("{} {}", call.method, call.path));
        if *running {
            for _ in 0..random.below(4) {
                let moved =
                    if *astray && random.below(4) == 0 { store.tick_astray(random) } else { store.tick(random) };
                if !moved {
                    break;
                }
            }
        }
        if let Some(actor) = restless.filter(|_| random.below(2) == 0) {
            actor.strike(store, start, random);
        }
        let strikes = strike.filter(|strike| strike.request == requests.len() && struck.is_none());
        if let Some(strike) = strikes {
            *struck = Some(store.history.len());
            strike.actor.strike(store, start, random);
            *restless = Some(strike.actor).filter(|actor| actor.is_restless());
        }
        lengths.push(store.history.len());
        strikes.map_or(Fault::None, |strike| strike.fault)
    }

    fn act(&self, call: &Asked) -> Result<Value, Failure> {
        let mut state = self.state();
        let State { store, written, .. } = &mut *state;
        let before = store.history.len();
        let answer = call.carry_out(store);
        written.extend((before..store.history.len()).map(|moment| (moment, call.number)));
        answer
    }
}

/// A request, taken apart.
#[derive(Clone, Debug)]
struct Asked {
    /// From 1, as it arrived: it may be carried out after others.
    number: usize,
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    content_type: String,
    body: Value,
}

impl Asked {
    fn carry_out(&self, store: &mut Store) -> Result<Value, Failure> {
        if self.path == "/version" {
            return Ok(json!({ "major": "1", "minor": "36", "gitVersion": "v1.36.0" }));
        }
        let unknown = || Failure::new(404, "NotFound", "the server could not find the requested resource");
        let (version, rest) = split(&self.path).ok_or_else(unknown)?;
        let (namespace, resource, name) = match rest.as_slice() {
            ["namespaces", namespace, resource, rest @ ..] => (*namespace, *resource, rest.first().copied()),
            [resource, rest @ ..] => ("", *resource, rest.first().copied()),
            [] => return Err(unknown()),
        };
        if resource == "selfsubjectaccessreviews" && self.method == "POST" {
            return Ok(self.review(store));
        }
        let kind = Kind::listed()
            .chain([Kind::Lease])
            .find(|kind| kind.resource() == resource && kind.api_version() == version)
            .ok_or_else(unknown)?;
        let name = name.unwrap_or_default();
        let verb = match (self.method.as_str(), name.is_empty()) {
            ("GET", true) => "list",
            ("GET", false) => "get",
            ("POST", true) => "create",
            ("PATCH", false) => "patch",
            ("DELETE", false) => "delete",
            _ => return Err(Failure::new(405, "MethodNotAllowed", "the server does not allow this method")),
        };
        if store.denied.contains(&format!("{verb} {resource}")) {
            let group = version.split_once('/').map_or("", |(group, _)| group);
            let place = if namespace.is_empty() {
                "at the cluster scope".to_owned()
            } else {
                format!("in the namespace {namespace:?}")
            };
            let shown = if name.is_empty() { String::new() } else { format!(" {name:?}") };
            let message = format!(
                "{resource}{shown} is forbidden: User \"tester\" cannot {verb} resource {resource:?} in API group {group:?} {place}"
            );
            return Err(Failure::new(403, "Forbidden", message));
        }
        let in_body = self.body["dryRun"].as_array().is_some_and(|all| all.iter().any(|one| one == "All"));
        let call = Call {
            // Nobody else talks to it, and a deletion names no manager.
            manager: self.query.get("fieldManager").cloned().unwrap_or_else(|| FIELD_MANAGER.to_owned()),
            dry_run: self.query.get("dryRun").is_some_and(|value| value == "All") || verb == "delete" && in_body,
        };
        let key = ObjectKey { kind, namespace: Str::from(namespace), name: Str::from(name) };
        match verb {
            "list" => {
                let limit = self.query.get("limit").and_then(|limit| limit.parse().ok()).unwrap_or(0);
                let token = self.query.get("continue").map(String::as_str).unwrap_or_default();
                store.list(kind, namespace, limit, token)
            }
            "get" => store.get(&key),
            "create" => store.create(kind, namespace, &self.body, &call),
            "patch" => store.patch(&key, &self.content_type, &self.body, &call),
            _ => {
                let given = |pointer: &str| Some(text(&self.body, pointer)).filter(|given| !given.is_empty());
                let when = Preconditions {
                    uid: given("/preconditions/uid"),
                    version: given("/preconditions/resourceVersion"),
                };
                store.delete(&key, &when, &call)
            }
        }
    }

    /// What the authorizer says of a right.
    fn review(&self, store: &Store) -> Value {
        let asked = &self.body["spec"]["resourceAttributes"];
        let right = format!("{} {}", text(asked, "/verb"), text(asked, "/resource"));
        let allowed = !store.denied.contains(&right);
        json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {},
            "spec": self.body["spec"], "status": { "allowed": allowed },
        })
    }
}

/// The API version and the rest of a path.
fn split(path: &str) -> Option<(String, Vec<&str>)> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["api", version, rest @ ..] => Some(((*version).to_owned(), rest.to_vec())),
        ["apis", group, version, rest @ ..] => Some((format!("{group}/{version}"), rest.to_vec())),
        _ => None,
    }
}

fn query(text: &str) -> BTreeMap<String, String> {
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.replace('+', " ")))
        .collect()
}

fn reply(answer: Result<Value, Failure>) -> Response<Body> {
    let (code, body) = match answer {
        Ok(object) => (200, object),
        Err(failure) => (failure.code, failure.status()),
    };
    let mut response = Response::new(Body::from(body.to_string().into_bytes()));
    *response.status_mut() = http::StatusCode::from_u16(code).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("application/json"));
    response
}
