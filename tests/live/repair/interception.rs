//! What happens at one request of a repair, between the program and the API server.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::actors::{Actor, Scene};
use crate::live::api::Api;
use crate::live::proxy::Proxy;
use crate::support::faults::{At, Fault, Line, Trigger};
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The answer is delayed, but arrives while the program still waits for it.
pub(crate) const SLOW: Fault = Fault::Delayed(Duration::from_secs(2));

/// The faults that one request of a run can have.
pub(crate) const FAULTS: [Fault; 8] = [
    Fault::ERROR,
    Fault::CONFLICT,
    Fault::BUSY,
    Fault::CutBefore,
    Fault::CutAfter,
    SLOW,
    Fault::KilledBefore,
    Fault::KilledAfter,
];

/// How many requests a repair makes: reads before its first question about rights, questions about rights, and requests
/// after the last question. In a larger cluster the repair begins with more reads. So the last requests are counted
/// from the questions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests {
    pub(crate) reading: usize,
    pub(crate) questions: usize,
    pub(crate) carrying_out: usize,
    /// How many requests are writes, or dry runs of a deletion.
    pub(crate) writes: usize,
}

/// The request at which a fault occurs, and what happened there. A dry run of a deletion counts as a write, because
/// only the body of the request says that it is a dry run.
#[derive(Default)]
pub(crate) struct Interception {
    /// The number of all writes.
    pub(crate) writes: AtomicUsize,
    /// The request at which the fault occurs, and how many requests have been counted.
    trigger: Mutex<Option<Trigger>>,
    /// The number of this request among all requests to the proxy.
    number: AtomicUsize,
    /// The method and the path of this request.
    pub(crate) request: Mutex<String>,
    pub(crate) is_write: AtomicBool,
    /// The running program.
    pub(crate) child: Mutex<Option<Child>>,
    /// The objects that the actor acts on.
    pub(crate) scene: Mutex<Scene>,
    /// Whether the actor has acted.
    pub(crate) acted: AtomicBool,
    /// Whether this request writes to a volume.
    pub(crate) writes_volume: AtomicBool,
    /// The resource version at which the actor deleted a claim.
    pub(crate) deleted: Mutex<Option<u64>>,
    /// Whether policy Delete would have deleted the data of a volume immediately when the actor acted.
    pub(crate) was_exposed: AtomicBool,
}

impl Interception {
    /// Returns an interception that does not wait for a request yet.
    pub(crate) fn new() -> Self {
        Self { number: AtomicUsize::new(usize::MAX), ..Self::default() }
    }

    /// Starts to count the requests until the selected one.
    pub(crate) fn set(&self, at: At<'_>) {
        *self.trigger.lock().unwrap() = Some(Trigger::new(at));
    }

    /// Stops waiting for the selected request. Returns whether it has arrived.
    pub(crate) fn has_come(&self) -> bool {
        *self.trigger.lock().unwrap() = None;
        self.number.load(Ordering::SeqCst) != usize::MAX
    }

    async fn act(&self, actor: Actor, api: &Api) {
        let scene = self.scene.lock().unwrap().clone();
        if actor.is_rough() {
            self.was_exposed.store(scene.is_exposed(api).await, Ordering::SeqCst);
        }
        let deleted = scene.act(actor, api).await;
        *self.deleted.lock().unwrap() = deleted;
        self.acted.store(true, Ordering::SeqCst);
    }

    fn kill(&self) {
        if let Some(child) = self.child.lock().unwrap().as_mut() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Counts a request. Returns whether the fault occurs at this request, and records it if so.
    fn is_at(&self, number: usize, line: &Line<'_>) -> bool {
        self.writes.fetch_add(usize::from(line.writes()), Ordering::SeqCst);
        if !self.trigger.lock().unwrap().as_mut().is_some_and(|trigger| trigger.is_at(line)) {
            return false;
        }
        self.number.store(number, Ordering::SeqCst);
        *self.request.lock().unwrap() = format!("{} {}", line.method, line.uri);
        self.is_write.store(line.writes(), Ordering::SeqCst);
        self.writes_volume.store(line.writes() && line.uri.contains("/persistentvolumes/"), Ordering::SeqCst);
        true
    }
}

/// Starts the proxy. At the request that the interception waits for, the fault occurs and the actor acts. If the
/// request reaches the server in spite of the fault, the actor acts after the server. Otherwise it acts before the
/// server.
pub(crate) async fn proxy(api: &Api, (fault, actor): (Fault, Actor), interception: &Arc<Interception>) -> Proxy {
    let waiting = Arc::clone(interception);
    let decide =
        Arc::new(move |number: usize, line: &Line<'_>| if waiting.is_at(number, line) { fault } else { Fault::None });
    let (near, early) = (api.clone(), Arc::clone(interception));
    let before = Arc::new(move |number: usize| {
        let (interception, api) = (Arc::clone(&early), near.clone());
        Box::pin(async move {
            if number == interception.number.load(Ordering::SeqCst) && !fault.is_after() {
                interception.act(actor, &api).await;
            }
        }) as _
    });
    let (far, late) = (api.clone(), Arc::clone(interception));
    let after = Arc::new(move |_: usize| {
        let (interception, api) = (Arc::clone(&late), far.clone());
        Box::pin(async move {
            if fault.is_after() {
                interception.act(actor, &api).await;
            }
            if fault.kills() {
                interception.kill();
            }
        }) as _
    });
    Proxy::start(api.client(), decide, before, after).await
}
