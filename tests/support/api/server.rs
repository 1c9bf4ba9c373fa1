//! The API server. It answers requests to a [`Store`] and records them, lets controllers and actors act, and makes
//! requests fail. A `kube::Client` calls it as a service, and programs reach it by HTTP.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::Random;
use super::actors::Actor;
use super::http::{Arrives, Reply, answered, listen};
use super::meet::meet;
use super::request::Seen;
use super::store::{Failure, Store, key_of};
use crate::support::faults::{At, Fault, Trigger};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use pvctl::model::Kind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

/// The resource version of lists on a socket before anything is written. It is newer than the versions that tests give
/// their objects.
const LISTED: u64 = 77;

/// How the controllers act between requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Controllers {
    /// The controllers sync some objects before each request.
    Run,
    /// The controllers sync in the same way, but with stale caches, and they sometimes stop between two writes.
    Stale,
    /// The controllers do nothing.
    Stopped,
}

impl Controllers {
    pub(crate) const ALL: [Self; 3] = [Self::Run, Self::Stale, Self::Stopped];

    /// Returns the word for these controllers in the description of a run.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Stale => "stale",
            Self::Stopped => "stopped",
        }
    }
}

/// Who acts at a request.
#[derive(Clone, Copy)]
pub(crate) enum Who {
    /// One of the actors that may act between the steps of a repair.
    Actor(Actor),
    /// The test itself. The function gets the requests so far.
    Action(fn(&mut Store, &[Seen])),
}

/// An incident at a request: somebody acts, and the request gets a fault.
pub(crate) struct Incident {
    trigger: Trigger,
    who: Who,
    fault: Fault,
}

struct State {
    store: Store,
    start: Store,
    random: Random,
    controllers: Controllers,
    /// What the test does after each write, in place of the controllers.
    after_write: Option<fn(&mut Store, &Seen)>,
    seen: Vec<Seen>,
    incidents: Vec<Incident>,
    /// The length of the history when the first incident occurred, if one has.
    acted: Option<usize>,
    /// For each moment of the history, by index: the number, from 1, of the request that added it.
    written: BTreeMap<usize, usize>,
    /// The length of the history when the answer to each request began, if nothing delayed it.
    lengths: Vec<usize>,
    /// The actor that acts again and again, if there is one.
    restless: Option<Actor>,
}

/// The server. On a socket, it ends with the test's runtime.
#[derive(Clone)]
pub(crate) struct ApiServer {
    state: Arc<Mutex<State>>,
    killed: Arc<Notify>,
    gate: Arc<Notify>,
    address: Option<SocketAddr>,
}

impl ApiServer {
    /// Returns a server with these objects, for clients in this process.
    pub(crate) fn new(store: Store, controllers: Controllers, seed: u64) -> Self {
        let state = State {
            start: store.clone(),
            store,
            random: Random::new(seed),
            controllers,
            after_write: None,
            seen: Vec::new(),
            incidents: Vec::new(),
            acted: None,
            written: BTreeMap::new(),
            lengths: Vec::new(),
            restless: None,
        };
        Self { state: Arc::new(Mutex::new(state)), killed: Arc::default(), gate: Arc::default(), address: None }
    }

    /// Starts a server on a socket without TLS. It has two namespaces and identifies itself as a cluster.
    pub(crate) async fn start() -> Self {
        Self::listening(None).await
    }

    /// Starts a server on a socket with TLS.
    pub(crate) async fn start_tls(acceptor: TlsAcceptor) -> Self {
        Self::listening(Some(acceptor)).await
    }

    async fn listening(acceptor: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Self { address: Some(address), ..Self::new(Store::of_version(LISTED), Controllers::Stopped, 1) };
        for (name, uid) in [("kube-system", format!("cluster-{}", address.port())), ("db", "db".to_owned())] {
            let metadata = json!({ "name": name, "uid": uid });
            server.hold([json!({ "kind": "Namespace", "apiVersion": "v1", "metadata": metadata })]);
        }
        let answering = server.clone();
        listen(listener, acceptor, move |request| {
            let server = answering.clone();
            async move { server.answer(seen(request).await).await }
        });
        server
    }

    /// Sets what the test does after each write, in place of the controllers.
    pub(crate) fn playing(self, play: fn(&mut Store, &Seen)) -> Self {
        self.state().after_write = Some(play);
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a client of this server.
    pub(crate) fn client(&self) -> kube::Client {
        let server = self.clone();
        let call = move |request: Request<Body>| {
            let server = server.clone();
            async move {
                let reply = server.answer(seen(request).await).await;
                if reply.arrives == Arrives::Whole {
                    let (parts, body) = reply.response.into_parts();
                    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
                    return Ok(Response::from_parts(parts, Body::from(body.to_vec())));
                }
                Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "the connection broke"))
            }
        };
        kube::Client::new(tower::service_fn(call), "default")
    }

    /// Returns the port of the socket.
    pub(crate) fn port(&self) -> u16 {
        self.address.map_or(0, |address| address.port())
    }

    /// Returns the address of the server as an http URL.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    /// Reads or changes the store.
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut Store, &mut Random) -> T) -> T {
        let mut state = self.state();
        let State { store, random, .. } = &mut *state;
        what(store, random)
    }

    /// Adds objects exactly as they are; each states its kind. An object of the same kind, namespace and name is
    /// replaced.
    pub(crate) fn hold(&self, objects: impl IntoIterator<Item = Value>) {
        self.with(|store, _| objects.into_iter().for_each(|object| store.hold(object)));
    }

    /// Replaces the object of the same kind, namespace and name.
    pub(crate) fn replace(&self, object: Value) {
        self.hold([object]);
    }

    /// Removes the objects of that kind and name.
    pub(crate) fn remove(&self, kind: &str, name: &str) {
        self.with(|store, _| store.forget(kind, name));
    }

    /// Adds objects that a GET by name already returns. Lists do not return them yet.
    pub(crate) fn hold_later(&self, objects: impl IntoIterator<Item = Value>) {
        let keyed = objects.into_iter().filter_map(|object| Some((key_of(&object)?, object)));
        self.with(|store, _| store.unlisted.extend(keyed));
    }

    /// Returns the object of that kind and name as it is now.
    pub(crate) fn object(&self, kind: &str, name: &str) -> Option<Value> {
        let kind = Kind::from_manifest(kind)?;
        self.with(|store, _| store.all(kind, "").find(|(key, _)| key.name == name).map(|(_, object)| object.clone()))
    }

    /// Forbids a verb: access reviews answer that it is not allowed, and requests with it are refused.
    pub(crate) fn deny(&self, verb: &str) {
        self.with(|store, _| store.denied.insert(verb.to_owned()));
    }

    /// Adds a fault at a request.
    pub(crate) fn fault(&self, at: At<'_>, fault: Fault) {
        self.incident(at, Who::Actor(Actor::Nobody), fault);
    }

    /// Adds an incident at a request: somebody acts, and the request gets a fault.
    pub(crate) fn incident(&self, at: At<'_>, who: Who, fault: Fault) {
        let mut state = self.state();
        let writes = state.seen.iter().filter(|seen| seen.writes()).count();
        let trigger = Trigger::after(at, state.seen.len(), writes);
        state.incidents.push(Incident { trigger, who, fault });
    }

    /// Removes and returns all incidents.
    pub(crate) fn take_incidents(&self) -> Vec<Incident> {
        std::mem::take(&mut self.state().incidents)
    }

    /// Adds incidents that were removed.
    pub(crate) fn add_incidents(&self, incidents: Vec<Incident>) {
        self.state().incidents.extend(incidents);
    }

    /// Applies a fault to the first `times` requests whose path and query begin with `path`.
    pub(crate) fn fail(&self, path: &str, times: usize, fault: Fault) {
        self.fault(At::Path(path, times), fault);
    }

    /// Refuses one write: the one that follows `after` other writes.
    pub(crate) fn refuse_write(&self, after: usize, code: u16, message: &'static str) {
        self.fault(At::Write(after + 1), Fault::Refused(code, message));
    }

    /// Holds one write until `let_go` is called. It is the write that follows `after` other writes.
    pub(crate) fn hold_write(&self, after: usize) {
        self.fault(At::Write(after + 1), Fault::Held);
    }

    /// Lets the held request continue.
    pub(crate) fn let_go(&self) {
        self.gate.notify_one();
    }

    /// Returns all requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state().seen.clone()
    }

    /// Returns the method and the path of each request.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.state().seen.iter().map(|seen| format!("{} {}", seen.method, seen.path())).collect()
    }

    /// Forgets the requests so far.
    pub(crate) fn forget(&self) {
        self.state().seen.clear();
    }

    /// Returns the requests so far that change what the server stores. Dry runs are left out.
    pub(crate) fn writes(&self) -> Vec<Seen> {
        self.seen().into_iter().filter(Seen::writes).collect()
    }

    /// Returns how many requests had a path that begins with `path`.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.state().seen.iter().filter(|seen| seen.uri.starts_with(path)).count()
    }

    /// Returns the number, from 1, of the request that added a moment to the history, or nothing if no request did.
    pub(crate) fn request_of(&self, moment: usize) -> Option<usize> {
        self.state().written.get(&moment).copied()
    }

    /// Returns the length of the history when the answer to the request of that number, from 1, began.
    pub(crate) fn length_at(&self, request: usize) -> Option<usize> {
        self.state().lengths.get(request.checked_sub(1)?).copied()
    }

    /// Stops the actor that acts again and again.
    pub(crate) fn rest(&self) {
        self.state().restless = None;
    }

    /// Returns the length of the history when the first incident occurred, if one has.
    pub(crate) fn acted(&self) -> Option<usize> {
        self.state().acted
    }

    /// Sets how the controllers act.
    pub(crate) fn run_controllers(&self, controllers: Controllers) {
        self.state().controllers = controllers;
    }

    /// Waits until the program is killed.
    pub(crate) async fn killed(&self) {
        self.killed.notified().await;
    }

    async fn answer(&self, seen: Seen) -> Reply {
        let (number, faults) = self.arrive(&seen);
        if faults.contains(&Fault::Held) {
            self.gate.notified().await;
        }
        let fault = faults.into_iter().find(|fault| *fault != Fault::Held).unwrap_or(Fault::None);
        let server = self.clone();
        let act = async move { reply(&seen.method, server.act(&seen, number)) };
        meet(fault, act, async || self.killed.notify_one()).await
    }

    /// Counts a request, lets the controllers and the actors act, and returns the number and the faults of the request.
    fn arrive(&self, request: &Seen) -> (usize, Vec<Fault>) {
        let mut state = self.state();
        let State { store, start, random, controllers, seen, incidents, acted, lengths, restless, .. } = &mut *state;
        seen.push(request.clone());
        if *controllers != Controllers::Stopped {
            for _ in 0..random.below(4) {
                let stale = *controllers == Controllers::Stale && random.below(4) == 0;
                let moved = if stale { store.tick_stale(random) } else { store.tick(random) };
                if !moved {
                    break;
                }
            }
        }
        if let Some(actor) = restless.filter(|_| random.below(2) == 0) {
            actor.act(store, start, random);
        }
        let mut faults = Vec::new();
        let mut is_named = false;
        for incident in incidents.iter_mut() {
            // If several incidents select requests by their text, a request triggers only the first of them.
            if is_named && incident.trigger.names() || !incident.trigger.is_at(&request.line()) {
                continue;
            }
            is_named |= incident.trigger.names();
            acted.get_or_insert(store.history.len());
            match incident.who {
                Who::Actor(actor) => {
                    actor.act(store, start, random);
                    if actor.is_restless() {
                        *restless = Some(actor);
                    }
                }
                Who::Action(act) => act(store, seen),
            }
            faults.push(incident.fault);
        }
        lengths.push(store.history.len());
        (seen.len(), faults)
    }

    fn act(&self, seen: &Seen, number: usize) -> Result<Value, Failure> {
        let mut state = self.state();
        let State { store, written, after_write, .. } = &mut *state;
        let before = store.history.len();
        let answer = seen.carry_out(store);
        written.extend((before..store.history.len()).map(|moment| (moment, number)));
        if let Some(play) = after_write.filter(|_| seen.writes() && store.history.len() > before) {
            play(store, seen);
        }
        answer
    }
}

/// Returns the parts of a request.
async fn seen<B: hyper::body::Body>(request: Request<B>) -> Seen {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let headers = parts
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    Seen {
        method: parts.method.to_string(),
        uri: parts.uri.to_string(),
        headers: headers.collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    }
}

fn reply(method: &str, answer: Result<Value, Failure>) -> Reply {
    match answer {
        Ok(object) => answered(if method == "POST" { 201 } else { 200 }, object.to_string()),
        Err(failure) => answered(failure.code, failure.status().to_string()),
    }
}
