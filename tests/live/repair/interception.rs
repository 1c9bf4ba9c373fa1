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

/// The answer is delayed, and arrives while the program waits for it.
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

/// How many requests a repair makes: reads until its first permission question, permission questions, and requests
/// after the last question. In a larger cluster the repair begins with more reads. Therefore the last requests are
/// counted from the questions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests {
    pub(crate) reading: usize,
    pub(crate) questions: usize,
    pub(crate) carrying_out: usize,
    /// How many requests write, or are dry runs of a deletion.
    pub(crate) writes: usize,
}

/// The request at which a fault occurs, and what happened there. The dry run of a deletion is stated in the body of the
/// request, so it counts as a write as well.
#[derive(Default)]
pub(crate) struct Interception {
    /// How many writes there were in all.
    pub(crate) writes: AtomicUsize,
    /// The request at which the fault occurs, and how many requests have been counted.
    trigger: Mutex<Option<Trigger>>,
    /// The number of that request among all requests to the proxy.
    number: AtomicUsize,
    /// The method and the path of that request.
    pub(crate) request: Mutex<String>,
    pub(crate) is_write: AtomicBool,
    /// The running program.
    pub(crate) child: Mutex<Option<Child>>,
    /// The objects that the actor acts on.
    pub(crate) scene: Mutex<Scene>,
    /// Whether the actor has acted.
    pub(crate) acted: AtomicBool,
    /// Whether that request writes to a volume.
    pub(crate) writes_volume: AtomicBool,
    /// The resource version at which the actor deleted a claim.
    pub(crate) deleted: Mutex<Option<u64>>,
    /// Whether, when the actor acted, policy Delete would have deleted the data of a volume immediately.
    pub(crate) was_exposed: AtomicBool,
}

impl Interception {
    /// Returns an interception that waits for no request yet.
    pub(crate) fn new() -> Self {
        Self { number: AtomicUsize::new(usize::MAX), ..Self::default() }
    }

    /// Starts to count the requests until that one.
    pub(crate) fn set(&self, at: At<'_>) {
        *self.trigger.lock().unwrap() = Some(Trigger::new(at));
    }

    /// Stops waiting for the request, and returns whether the request has arrived.
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

    /// Counts a request, and returns whether the fault occurs at it. If so, the request is recorded.
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

/// Starts the proxy. The fault occurs at the request that the interception waits for. The actor acts at the same
/// request. It acts after the API server if the fault lets the request reach the server first, and otherwise before the
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
