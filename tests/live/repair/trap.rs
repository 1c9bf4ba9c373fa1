//! What strikes at one request of a repair, from between the program and the API server.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::actors::{Actor, Scene};
use crate::live::api::Api;
use crate::live::proxy::{Deed, Hook, Proxy};
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What happens at one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Blow {
    /// It is answered with an error, and nothing is done.
    Status(u16),
    /// The connection ends before the API server hears of it.
    Unheard,
    /// It ends before the answer comes.
    Unanswered,
    /// The answer takes its time.
    Slow,
    /// The program is killed before the API server hears of it.
    KilledBefore,
    /// It is killed before the answer comes.
    KilledAfter,
}

impl Blow {
    pub(crate) const ALL: [Self; 8] = [
        Self::Status(500),
        Self::Status(409),
        Self::Status(429),
        Self::Unheard,
        Self::Unanswered,
        Self::Slow,
        Self::KilledBefore,
        Self::KilledAfter,
    ];

    /// Whether the API server has acted by then: who acts at that moment acts after it, and else before it.
    fn is_late(self) -> bool {
        matches!(self, Self::Unanswered | Self::KilledAfter)
    }
}

/// How many requests a repair makes: until it asks what it may do, how often it asks that, and from then on. In a
/// larger cluster it reads more before, so that the last ones are counted from the questions on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests {
    pub(crate) reading: usize,
    pub(crate) questions: usize,
    pub(crate) carrying_out: usize,
    /// How many of them write, or try to delete.
    pub(crate) writes: usize,
}

/// At which request a run is struck.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// At the one of this number.
    Reading(usize),
    /// At the one of this number after so many questions.
    CarryingOut { questions: usize, number: usize },
    /// At the write of this number.
    Writing(usize),
}

/// Whether a request writes: one that only tries to delete says so in its body, and counts as well.
fn is_write(method: &str, path: &str) -> bool {
    method != "GET" && !is_question(path) && !path.contains("dryRun=")
}

/// Whether a request asks what the user may do.
pub(crate) fn is_question(path: &str) -> bool {
    path.contains("selfsubjectaccessreviews")
}

/// Where the blow falls, and what came of it.
#[derive(Default)]
pub(crate) struct Trap {
    /// How many writes there were in all.
    pub(crate) writes: AtomicUsize,
    /// Where the blow falls, and how far that is.
    aim: Mutex<Option<Aim>>,
    /// The number of the one that is struck, among all that come to the proxy.
    struck: AtomicUsize,
    /// That request.
    pub(crate) request: Mutex<String>,
    pub(crate) is_write: AtomicBool,
    /// The program that runs.
    pub(crate) child: Mutex<Option<Child>>,
    /// What the actor acts on.
    pub(crate) scene: Mutex<Scene>,
    /// Whether the actor has acted.
    pub(crate) acted: AtomicBool,
    /// Whether the struck request writes to a volume.
    pub(crate) writes_volume: AtomicBool,
    /// The version at which the actor deleted a claim.
    pub(crate) deleted: Mutex<Option<u64>>,
    /// Whether the data of a volume would have gone at once, at the moment of the actor, with policy Delete.
    pub(crate) was_exposed: AtomicBool,
}

/// How far a run is from its blow.
#[derive(Clone, Copy, Debug)]
struct Aim {
    at: At,
    requests: usize,
    questions: usize,
    since: usize,
    writes: usize,
}

impl Aim {
    /// Whether the blow falls on this request.
    fn is_at(&mut self, method: &str, path: &str) -> bool {
        let now = *self;
        self.requests += 1;
        self.writes += usize::from(is_write(method, path));
        match self.at {
            At::Reading(number) => now.requests == number,
            At::Writing(number) => now.writes == number && self.writes > number,
            At::CarryingOut { questions, number } => {
                if now.questions < questions {
                    self.questions += usize::from(is_question(path));
                    return false;
                }
                self.since += 1;
                now.since == number
            }
        }
    }
}

impl Trap {
    /// One that strikes at nothing yet.
    pub(crate) fn new() -> Self {
        Self { struck: AtomicUsize::new(usize::MAX), ..Self::default() }
    }

    /// From now on the requests are counted until that one.
    pub(crate) fn set(&self, at: At) {
        *self.aim.lock().unwrap() = Some(Aim { at, requests: 0, questions: 0, since: 0, writes: 0 });
    }

    /// It strikes at nothing any more; says whether it has struck.
    pub(crate) fn has_struck(&self) -> bool {
        *self.aim.lock().unwrap() = None;
        self.struck.load(Ordering::SeqCst) != usize::MAX
    }

    async fn act(&self, actor: Actor, api: &Api) {
        let scene = self.scene.lock().unwrap().clone();
        if actor.is_rough() {
            self.was_exposed.store(scene.is_exposed(api).await, Ordering::SeqCst);
        }
        let deleted = scene.strike(actor, api).await;
        *self.deleted.lock().unwrap() = deleted;
        self.acted.store(true, Ordering::SeqCst);
    }

    fn kill(&self) {
        if let Some(child) = self.child.lock().unwrap().as_mut() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// The proxy, which strikes at the request that the trap says.
pub(crate) async fn proxy(api: &Api, (blow, actor): (Blow, Actor), trap: &Arc<Trap>) -> Proxy {
    let (near, far) = (api.clone(), api.clone());
    let (set, sprung) = (Arc::clone(trap), Arc::clone(trap));
    let decide = Arc::new(move |number: usize, method: &str, path: &str| {
        set.writes.fetch_add(usize::from(is_write(method, path)), Ordering::SeqCst);
        if !set.aim.lock().unwrap().as_mut().is_some_and(|aim| aim.is_at(method, path)) {
            return Deed::Pass;
        }
        set.struck.store(number, Ordering::SeqCst);
        *set.request.lock().unwrap() = format!("{method} {path}");
        set.is_write.store(is_write(method, path), Ordering::SeqCst);
        set.writes_volume.store(is_write(method, path) && path.contains("/persistentvolumes/"), Ordering::SeqCst);
        deed(blow, actor, &set, &far)
    });
    let act = Arc::new(move |number: usize| {
        let (trap, api) = (Arc::clone(&sprung), near.clone());
        Box::pin(async move {
            if number == trap.struck.load(Ordering::SeqCst) && !blow.is_late() {
                trap.act(actor, &api).await;
            }
        }) as _
    });
    Proxy::knowing_methods(api.client(), decide, act).await
}

/// What the proxy does for a blow.
fn deed(blow: Blow, actor: Actor, trap: &Arc<Trap>, api: &Api) -> Deed {
    let late = |kills: bool| {
        let (trap, api) = (Arc::clone(trap), api.clone());
        Hook::new(move || {
            let (trap, api) = (Arc::clone(&trap), api.clone());
            Box::pin(async move {
                if blow.is_late() {
                    trap.act(actor, &api).await;
                }
                if kills {
                    trap.kill();
                }
            })
        })
    };
    match blow {
        Blow::Status(429) => Deed::Status(429, Some("1")),
        Blow::Status(code) => Deed::Status(code, None),
        Blow::Unheard => Deed::Unheard(late(false)),
        Blow::Unanswered => Deed::Unanswered(late(false)),
        Blow::Slow => Deed::Slow(Duration::from_secs(2)),
        Blow::KilledBefore => Deed::Unheard(late(true)),
        Blow::KilledAfter => Deed::Unanswered(late(true)),
    }
}
