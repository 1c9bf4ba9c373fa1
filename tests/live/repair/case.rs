//! One repair behind a proxy. A fault occurs at one of its requests, and an actor acts at the same request. This module
//! runs the repair, continues or undoes it, and checks the result.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "the test starts and kills the program, waits for controllers, and fails by panicking"
)]

use super::actors::{Actor, Scene, version};
use super::cases::{MOVE, REPAIRS, Repair, State};
use super::harm::{Deleted, Judge};
use super::interception::{Interception, Requests, proxy};
use crate::live::proxy::Proxy;
use crate::live::site::{ATTACHMENT, PV, PVC, Place, Site, text};
use crate::support::BINARY;
use crate::support::faults::{At, Fault, Line};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest time of a run, including its waits.
const PATIENCE: Duration = Duration::from_mins(4);

/// How long the controllers may need to finish, even on a busy machine.
const SETTLED: Duration = Duration::from_secs(45);

/// A little more than the resync period of the controllers, which is one second.
const RESYNC: Duration = Duration::from_millis(1500);

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunParameters {
    pub(crate) repair: usize,
    pub(crate) fault: Fault,
    pub(crate) actor: Actor,
    /// Whether the controllers are stopped during the repair.
    pub(crate) stopped: bool,
    /// Whether a stopped repair is continued or undone before the controllers run again.
    pub(crate) early: bool,
    /// Whether undoing is tried before continuing.
    pub(crate) back_first: bool,
    /// A number that distinguishes the runs.
    pub(crate) turn: usize,
}

impl RunParameters {
    pub(crate) fn repair(self) -> &'static Repair {
        &REPAIRS[self.repair]
    }
}

/// A run of the program that has ended. If the program was killed, there is no exit code.
#[derive(Debug)]
pub(crate) struct Ended {
    code: Option<i32>,
    said: String,
}

/// A run with a fault, before its result is checked.
pub(crate) struct Intercepted {
    ended: Ended,
    /// Whether the fault occurred.
    pub(crate) met: bool,
    /// The request at which the fault occurred.
    pub(crate) request: String,
    pub(crate) on_write: bool,
    /// The run that continued or undid the repair while the controllers were stopped.
    early: Option<Ended>,
}

/// The state that a place must reach in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Goal,
    /// The state before the repair, or another state after the repair was undone.
    Back,
    /// The state before the repair.
    Untouched,
    /// A state in which the repair can be neither continued nor undone, because of an actor.
    Left,
}

/// A case that does not borrow the site, so that the controllers can be stopped and started.
pub(crate) struct Parked {
    run: Run,
    name: String,
    journals: TempDir,
}

impl Parked {
    pub(crate) fn back(self, site: &Site) -> Case<'_> {
        Case { run: self.run, place: Place::kept(site, &self.name, self.journals) }
    }
}

struct Run {
    lot: RunParameters,
    interception: Arc<Interception>,
    proxy: Proxy,
    /// The resource versions of the volumes when the repair began.
    began: BTreeMap<String, u64>,
}

/// One repair, its place and its proxy.
pub(crate) struct Case<'s> {
    run: Run,
    pub(crate) place: Place<'s>,
}

impl<'s> Case<'s> {
    /// Creates the broken state, and a proxy that does not intercept requests yet.
    pub(crate) fn new(site: &'s Site, lot: RunParameters, name: &str) -> Self {
        let place = Place::new(site, name);
        let interception = Arc::new(Interception::new());
        let proxy = site.runtime.block_on(proxy(&site.api, (lot.fault, lot.actor), &interception));
        let case = Self { run: Run { lot, interception, proxy, began: BTreeMap::new() }, place };
        case.begin()
    }

    fn begin(mut self) -> Self {
        let (repair, place) = (self.run.lot.repair(), &self.place);
        place.namespace(&format!("{}-x", place.name));
        (repair.begin)(place);
        if repair.name == "undo" {
            let moved = self.tool(MOVE, "60s", None);
            assert_eq!(moved.code, Some(0), "{}", moved.said);
        }
        self.stands(End::Untouched, Actor::Nobody).unwrap();
        let manifest = |claim: &(&str, &str)| {
            let (namespace, name) = (self.named(claim.0), claim.1);
            let mut manifest = place.manifest(&namespace, name);
            if let Some(now) = place.site.get(PVC, &namespace, name) {
                manifest["spec"] = now["spec"].clone();
                // A template does not name the volume.
                manifest["spec"]["volumeName"] = json!(null);
            }
            manifest
        };
        let claims = repair.claims.iter().map(manifest).collect();
        *self.run.interception.scene.lock().unwrap() =
            Scene { place: place.name.clone(), claims, turn: self.run.lot.turn };
        let volumes = repair.volumes.iter().map(|volume| place.of(volume));
        let began = volumes.map(|name| {
            let begin = place.site.get(PV, "", &name).map(|volume| version(&volume)).unwrap();
            (name, begin)
        });
        self.run.began = began.collect();
        self
    }

    pub(crate) fn park(self) -> Parked {
        Parked { name: self.place.name.clone(), run: self.run, journals: self.place.keep() }
    }

    fn named(&self, word: &str) -> String {
        word.replace('N', &self.place.name)
    }

    /// Runs the program with these words, behind the proxy. `typed` is the name that the test types as an answer.
    fn tool(&self, words: &[&str], timeout: &str, typed: Option<&str>) -> Ended {
        let words: Vec<String> = words.iter().map(|word| self.named(word)).collect();
        let (output, journals) = (tempfile::tempdir().unwrap(), self.place.journals_at());
        let file = |name: &str| output.path().join(name);
        let mut command = Command::new(BINARY);
        if !words.iter().any(|word| word == "-n") {
            command.args(["-n", &self.place.name]);
        }
        command.args(words).args(["--yes", "--timeout", timeout]);
        if let Some(typed) = typed {
            command.args(["--confirm", &self.named(typed)]);
        }
        command.args(["--server", &self.run.proxy.url(), "--journal", &journals]);
        command.env_clear().env("HOME", output.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        command.stdout(File::create(file("out")).unwrap()).stderr(File::create(file("err")).unwrap());
        let child = &self.run.interception.child;
        *child.lock().unwrap() = Some(command.spawn().expect("the program starts"));
        let begin = Instant::now();
        let status = loop {
            thread::sleep(Duration::from_millis(20));
            let mut child = child.lock().unwrap();
            let child = child.as_mut().unwrap();
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > PATIENCE {
                child.kill().unwrap();
            }
        };
        let read = |name| std::fs::read_to_string(file(name)).unwrap();
        Ended { code: status.code(), said: format!("{}{}", read("out"), read("err")) }
    }

    /// Runs the repair.
    fn repair(&self, timeout: &str) -> Ended {
        let repair = self.run.lot.repair();
        self.tool(repair.words, timeout, repair.typed)
    }

    /// Runs the repair without faults, and counts its requests.
    pub(crate) fn clean(&self) -> Requests {
        let (before, written) = (self.run.proxy.seen().len(), self.run.interception.writes.load(Ordering::SeqCst));
        let done = self.repair(if self.run.lot.stopped { "3s" } else { "60s" });
        if !self.run.lot.stopped {
            assert_eq!(done.code, Some(0), "{}", done.said);
            self.stands(End::Goal, Actor::Nobody).unwrap();
        }
        let seen = self.run.proxy.seen();
        let own = seen.get(before..).unwrap_or_default();
        let asks = |path: &&String| Line { method: "POST", uri: path, dry: false }.is_question();
        let (first, last) = (own.iter().position(|path| asks(&path)), own.iter().rposition(|path| asks(&path)));
        let (first, last) = (first.expect("it asks what it may do"), last.expect("it asks"));
        let questions = own.iter().filter(asks).count();
        let writes = self.run.interception.writes.load(Ordering::SeqCst) - written;
        Requests { reading: first, questions, carrying_out: own.len() - last - 1, writes }
    }

    /// Runs the repair with the fault and the actor at that request.
    pub(crate) fn intercept(&self, at: At<'static>) -> Intercepted {
        let Run { lot, interception, .. } = &self.run;
        interception.set(at);
        let ended = self.repair(match lot.actor {
            _ if lot.stopped => "3s",
            actor if actor.is_harmless() => "60s",
            _ => "15s",
        });
        let met = interception.has_come();
        let mut intercepted = Intercepted {
            ended,
            met,
            request: interception.request.lock().unwrap().clone(),
            on_write: interception.is_write.load(Ordering::SeqCst),
            early: None,
        };
        let stopped = matches!(self.journal(), Ok(Some(journal)) if journal.written && journal.state != "finished");
        if lot.early && stopped {
            intercepted.early = Some(self.way(lot.back_first, "3s"));
        }
        intercepted
    }

    /// Continues the repair, or undoes it if `back` is set.
    fn way(&self, back: bool, timeout: &str) -> Ended {
        if back { self.tool(BACK, timeout, None) } else { self.tool(ON, timeout, self.run.lot.repair().typed) }
    }

    /// Returns the journal of this repair, or `None` if there is none. Reports an error if a journal cannot be read.
    fn journal(&self) -> Result<Option<Reported>, String> {
        let told = self.place.run(&["history", "-o", "json"]);
        if told.code != Some(0) {
            return Err(format!("the journals are not readable: {}", told.stderr));
        }
        let told: Value = serde_json::from_str(&told.stdout).map_err(|error| error.to_string())?;
        let items = told["items"].as_array().cloned().unwrap_or_default();
        for item in &items {
            let one = self.place.run(&["history", text(item, "/id")]);
            if one.code != Some(0) || text(item, "/state") == "unreadable" {
                return Err(format!("a journal is not readable: {item} {}", one.stderr));
            }
        }
        // The newest journal is first. If an undo is tested, the oldest journal is that of the earlier move.
        let older = usize::from(self.run.lot.repair().name == "undo");
        let mut all: Vec<Value> = items.into_iter().rev().skip(older).collect();
        // If the cluster has changed after a plan was confirmed, the plan does not begin. But it still has a journal.
        let begun = all.iter().position(|item| item["written"] == true).unwrap_or_default();
        Ok((begun < all.len()).then(|| all.swap_remove(begun)).map(|item| Reported {
            state: text(&item, "/state").to_owned(),
            written: item["written"] == true,
            taken_back: item["takenBackBy"].is_string(),
        }))
    }

    /// Returns the result of an intercepted run. The controllers must be running again when this function is called.
    pub(crate) fn came(&self, intercepted: &Intercepted) -> Result<String, String> {
        let actor = if intercepted.met { self.run.lot.actor } else { Actor::Nobody };
        if intercepted.met && !self.run.interception.acted.load(Ordering::SeqCst) {
            return Err("the actor has not acted".to_owned());
        }
        let ended = &intercepted.ended;
        let said = |what: String| {
            let early = intercepted.early.as_ref().map(|early| format!("; then {early:?}")).unwrap_or_default();
            format!("{what}; it ended with {:?}: {}{early}", ended.code, ended.said)
        };
        if ended.said.contains("panicked") {
            return Err(said("it panicked".to_owned()));
        }
        let judged = if actor.is_rough() { self.judge_rough(intercepted) } else { self.judge(intercepted, actor) };
        let came = judged.and_then(|came| self.journal().map(|_| came));
        came.map_err(said)
    }

    fn judge(&self, intercepted: &Intercepted, actor: Actor) -> Result<String, String> {
        let code = intercepted.ended.code;
        let journal = self.journal()?;
        let (written, finished) = match &journal {
            Some(journal) => (journal.written, journal.state == "finished"),
            None => (false, false),
        };
        let end = |end: End, what: &str| self.stands(end, actor).map(|()| what.to_owned());
        // If the controllers are stopped, nothing happens as predicted. Actors may undo what was predicted.
        let may_surprise = self.run.lot.stopped || !actor.is_harmless();
        match code {
            Some(0) if written && finished => end(End::Goal, "done"),
            Some(1) if written && finished && may_surprise => end(End::Goal, "done, and not as predicted"),
            Some(0) if !written && actor.is_in_the_way() => end(End::Left, "nothing to do any more"),
            None | Some(3 | 4 | 6) if !written => {
                let how = code.map_or("killed".to_owned(), |code| format!("exit {code}"));
                end(End::Untouched, &format!("nothing written, {how}"))
            }
            Some(2) if !written && !actor.is_harmless() => end(End::Untouched, "nothing written, exit 2"),
            // The program was killed at a read after its last step.
            None if written && finished => end(End::Goal, "done, killed afterwards"),
            // The repair may have been continued before the controllers ran again.
            Some(5) | None if written => self.led_on(intercepted.early.as_ref(), actor),
            _ => Err(format!("the journal says {journal:?}")),
        }
    }

    /// Checks a run with a rough actor, after which many states are possible. The program must end with one of its exit
    /// codes. A repair that stopped is continued or undone as far as possible. The losses are checked for every actor.
    fn judge_rough(&self, intercepted: &Intercepted) -> Result<String, String> {
        if !matches!(intercepted.ended.code, None | Some(0..=6)) {
            return Err("the program must end with one of its exit codes".to_owned());
        }
        let stopped = |journal: &Option<Reported>| {
            journal.as_ref().is_some_and(|journal| {
                journal.written && !journal.taken_back && !matches!(journal.state.as_str(), "finished" | "lost")
            })
        };
        let mut led = "ended";
        for again in [self.run.lot.back_first, !self.run.lot.back_first, self.run.lot.back_first] {
            if !stopped(&self.journal()?) {
                return Ok(led.to_owned());
            }
            let ended = self.way(again, "15s");
            led = if again { "taken back" } else { "continued" };
            if !matches!(ended.code, Some(0..=6)) || ended.said.contains("panicked") {
                return Err(format!(
                    "the program that continued or undid the repair ended with {:?}: {}",
                    ended.code, ended.said
                ));
            }
        }
        Ok(if stopped(&self.journal()?) { "left" } else { led }.to_owned())
    }

    /// Continues the repair that stopped, or undoes it. If one of the two is refused, the other one is tried. If there
    /// is an actor, both are tried a second time after the pods of the actor have ended. If both fail again, the same
    /// repair is requested again.
    fn led_on(&self, early: Option<&Ended>, actor: Actor) -> Result<String, String> {
        let back_first = self.run.lot.back_first;
        let timeout = if actor.is_harmless() { "60s" } else { "15s" };
        let mut refusals = String::new();
        let mut early = early;
        for again in [false, true] {
            for back in [back_first, !back_first] {
                let way = if back { BACK } else { ON };
                let fresh;
                let (ended, when) = if let Some(ended) = early.take() {
                    (ended, " while the controllers were stopped")
                } else {
                    fresh = self.way(back, timeout);
                    (&fresh, if again { " at the second try" } else { "" })
                };
                match ended.code {
                    Some(0) => return self.ended(back, actor).map(|what| what + when),
                    Some(1) if !actor.is_harmless() || self.run.lot.early => {
                        return self.ended(back, actor).map(|what| format!("{what}{when}, and not as predicted"));
                    }
                    Some(2..=6) => _ = write!(refusals, "{way:?} ended with {:?}: {}", ended.code, ended.said),
                    code => return Err(format!("{way:?} ended with {code:?}: {}", ended.said)),
                }
                // If a repair cannot be undone, `undo` checks its last request and finds the repair finished.
                if matches!(self.journal()?, Some(journal) if journal.state == "finished") {
                    return self.stands(End::Goal, actor).map(|()| "found to be done".to_owned());
                }
            }
            // Without an actor, one of the two ways has to succeed.
            if actor == Actor::Nobody {
                break;
            }
            self.leave();
        }
        // An undo is only continued. It is never requested again.
        if actor != Actor::Nobody && self.run.lot.repair().name != "undo" {
            let ended = self.repair(timeout);
            match ended.code {
                Some(0 | 1) => return self.stands(End::Goal, actor).map(|()| "asked for anew".to_owned()),
                Some(2..=6) => {
                    _ = write!(
                        refusals,
                        "the second request of the repair ended with {:?}: {}",
                        ended.code, ended.said
                    );
                }
                code => return Err(format!("the second request of the repair ended with {code:?}: {}", ended.said)),
            }
        }
        if actor.is_in_the_way() {
            let known = self.stands(End::Left, actor).map(|()| "left".to_owned());
            return known.map_err(|why| format!("{why}: {refusals}"));
        }
        Err(format!(
            "the repair can neither be continued nor undone, and the state is {:?}: {refusals}",
            self.place.all()
        ))
    }

    /// Checks the state after the repair was continued or undone. `apply --continue` may have continued an undo.
    fn ended(&self, back: bool, actor: Actor) -> Result<String, String> {
        let journal = self.journal()?.ok_or("there is no journal any more")?;
        if back || journal.taken_back {
            return self.stands(End::Back, actor).map(|()| "taken back".to_owned());
        }
        if journal.state != "finished" {
            return Err(format!("the repair was continued, but the journal says {journal:?}"));
        }
        self.stands(End::Goal, actor).map(|()| "continued".to_owned())
    }

    /// Ends the pods of the actor.
    fn leave(&self) {
        let scene = self.run.interception.scene.lock().unwrap().clone();
        let site = self.place.site;
        if self.run.lot.actor == Actor::User {
            site.runtime.block_on(scene.leave(&site.api));
        }
    }

    /// Waits until the place is in one of the states of this end, and checks that it stays there.
    fn stands(&self, end: End, actor: Actor) -> Result<(), String> {
        let repair = self.run.lot.repair();
        if actor == Actor::User {
            self.leave();
        }
        let back = [repair.undone, &[repair.before]].concat();
        let mut ways: Vec<State> = match end {
            End::Goal => vec![repair.goal],
            End::Back => back,
            End::Untouched => vec![repair.before],
            End::Left => Vec::new(),
        };
        ways.extend(
            repair.intercepted.iter().filter(|(who, _)| *who == actor).flat_map(|(_, ways)| ways.iter().copied()),
        );
        let begin = Instant::now();
        let mut since = None;
        loop {
            let now = self.place.all();
            if self.fits(&now, &ways, actor) {
                // Writes of other actors may still have effects.
                let first: &mut (Instant, Vec<String>) = since.get_or_insert_with(|| (Instant::now(), now.clone()));
                if first.1 != now {
                    since = None;
                } else if actor.is_harmless() || first.0.elapsed() > RESYNC {
                    return Ok(());
                }
            } else {
                since = None;
            }
            if begin.elapsed() > SETTLED {
                let wanted: Vec<Vec<String>> =
                    ways.iter().map(|way| way.iter().map(|line| self.named(line)).collect()).collect();
                return Err(format!("the state is {now:?}, but must be one of {wanted:?} ({end:?})"));
            }
            thread::sleep(Duration::from_millis(300));
        }
    }

    fn fits(&self, now: &[String], ways: &[State], actor: Actor) -> bool {
        let repair = self.run.lot.repair();
        let strange = format!("{}-x/", self.place.name);
        let (theirs, mut own): (Vec<&String>, Vec<&String>) = now.iter().partition(|line| line.starts_with(&strange));
        let volumes = || repair.volumes.iter().map(|volume| self.place.of(volume));
        let theirs_fit = theirs.iter().all(|line| {
            volumes().any(|name| {
                let waiting = format!("{strange}waits-for-{name}: Bound, {name}");
                let taking = ["Pending", "Bound"].map(|phase| format!("{strange}takes-{name}: {phase}, {name}"));
                match actor {
                    Actor::Stranger => taking.contains(line),
                    Actor::Scheduler => **line == waiting,
                    _ => false,
                }
            })
        });
        own.sort();
        let is_way = |way: &State| {
            let mut wanted: Vec<String> = way.iter().map(|line| self.named(line)).collect();
            wanted.sort();
            own.iter().copied().eq(&wanted)
        };
        let is_left = || {
            let ends = [repair.goal, repair.before, repair.left];
            let known: Vec<String> =
                ends.iter().chain(repair.undone).flat_map(|way| way.iter()).map(|line| self.named(line)).collect();
            let all_there = volumes().all(|name| own.iter().any(|line| line.starts_with(&format!("{name}: "))));
            all_there && own.iter().all(|line| known.contains(line))
        };
        theirs_fit && (ways.iter().any(is_way) || (actor.is_in_the_way() && is_left()))
    }

    /// Returns how volumes were lost, or could have been lost.
    pub(crate) fn harm(&self) -> Vec<String> {
        let (repair, interception) = (self.run.lot.repair(), &self.run.interception);
        let mut meant: Vec<(String, String)> =
            repair.meant.iter().map(|(namespace, name)| (self.named(namespace), self.named(name))).collect();
        let at_write = interception.writes_volume.load(Ordering::SeqCst);
        let deleted = interception.deleted.lock().unwrap().map(|version| Deleted { version, at_write });
        let actor = self.run.lot.actor;
        if actor == Actor::Second {
            let seconds = repair.volumes.iter().map(|volume| format!("second-{}", self.place.of(volume)));
            meant.extend(seconds.map(|claim| (self.place.name.clone(), claim)));
        }
        // If the actor acts during a write, or if the data are deleted immediately, the repair has no time to check
        // again.
        let came_too_late =
            interception.was_exposed.load(Ordering::SeqCst) || interception.is_write.load(Ordering::SeqCst);
        let is_others = actor.is_rough() && came_too_late;
        let judge = Judge { began: 0, meant, is_deletion: repair.is_deletion, deleted, is_others };
        let volumes = self.run.began.iter().map(|(name, began)| (name, Judge { began: *began, ..judge.clone() }));
        let losses = volumes.flat_map(|(name, judge)| {
            let losses = judge.losses(&self.place.site.history(name));
            losses.into_iter().map(move |loss| format!("{name}: {loss}"))
        });
        losses.chain(self.detached_in_use()).collect()
    }

    /// Returns the deletion of an attachment by the repair, if the node existed again before. The run had time to
    /// notice this, unless the node returned during the write.
    fn detached_in_use(&self) -> Option<String> {
        let (site, place) = (self.place.site, &self.place);
        let node = site.get("Node", "", &place.of("node"))?;
        let held = site.get(ATTACHMENT, "", &place.of("held"))?;
        let is_going = held["metadata"]["deletionTimestamp"].is_string();
        let had_time = !self.run.interception.is_write.load(Ordering::SeqCst);
        (is_going && had_time && version(&node) < version(&held))
            .then(|| format!("{} was detached from a node that had returned", place.of("a")))
    }

    /// Removes everything that is left.
    pub(crate) fn clear(self) {
        self.leave();
        self.place.clear();
    }
}

/// What the program reports about a journal.
#[derive(Debug)]
struct Reported {
    state: String,
    written: bool,
    taken_back: bool,
}

const ON: &[&str] = &["apply", "--continue"];
const BACK: &[&str] = &["undo"];
