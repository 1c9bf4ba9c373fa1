//! One repair behind a proxy, at one of whose requests something goes wrong and somebody acts: how it is run, gone on
//! with or taken back, and judged.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "the test starts and kills the program, waits for controllers, and fails by panicking"
)]

use super::api::Api;
use super::proxy::{Deed, Hook, Proxy};
use super::repair_actors::{Actor, Scene, is_deletable, version};
use super::repair_cases::{MOVE, REPAIRS, Repair, Way};
use super::site::{PV, PVC, Place, Site, text};
use crate::support::BINARY;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No run takes longer, with its waits.
const PATIENCE: Duration = Duration::from_mins(4);

/// The controllers are done after that, also on a busy machine.
const SETTLED: Duration = Duration::from_secs(45);

/// They look at everything again after a second.
const RESYNC: Duration = Duration::from_millis(1500);

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

/// What a run is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lot {
    pub(crate) repair: usize,
    pub(crate) blow: Blow,
    pub(crate) actor: Actor,
    /// Whether the controllers stand still.
    pub(crate) stopped: bool,
    /// Where they do: whether it is gone on with, or taken back, before they run again.
    pub(crate) early: bool,
    /// Whether the way back is tried first.
    pub(crate) back_first: bool,
    /// A number that tells runs apart.
    pub(crate) turn: usize,
}

impl Lot {
    pub(crate) fn repair(self) -> &'static Repair {
        &REPAIRS[self.repair]
    }
}

/// Where the blow falls, and what came of it.
#[derive(Default)]
struct Trap {
    /// Where the blow falls, how many requests there were so far, and how many since the last question.
    aim: Mutex<Option<Aim>>,
    /// The number of the one that is struck, among all that come to the proxy.
    struck: AtomicUsize,
    /// What is asked for by it.
    path: Mutex<String>,
    /// The program that runs.
    child: Mutex<Option<Child>>,
    /// What the actor acts on.
    scene: Mutex<Scene>,
    /// Whether the actor has acted.
    acted: AtomicBool,
    /// Whether the struck request writes to a volume.
    writes_volume: AtomicBool,
    /// The version at which the actor deleted a claim.
    deleted: Mutex<Option<u64>>,
}

/// How far a run is from its blow.
#[derive(Clone, Copy, Debug)]
struct Aim {
    at: At,
    requests: usize,
    questions: usize,
    since: usize,
}

impl Aim {
    /// Whether the blow falls on this request.
    fn is_at(&mut self, path: &str) -> bool {
        let now = *self;
        self.requests += 1;
        match self.at {
            At::Reading(number) => now.requests == number,
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
    async fn act(&self, actor: Actor, api: &Api) {
        let scene = self.scene.lock().unwrap().clone();
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

/// One run of the program: none of its exit codes where it was killed.
#[derive(Debug)]
pub(crate) struct Ended {
    code: Option<i32>,
    said: String,
}

/// A run that was struck, before anybody looks what became of it.
pub(crate) struct Struck {
    ended: Ended,
    /// Whether the blow fell.
    pub(crate) met: bool,
    /// What was asked for when it did.
    pub(crate) path: String,
    /// What became of it when it was gone on with while the controllers stood still.
    early: Option<Ended>,
}

/// How a place is to stand in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Goal,
    /// As before, or as the way back leaves it.
    Back,
    /// As before.
    Untouched,
    /// Nothing leads on: somebody is in the way.
    Left,
}

/// A repair with its place, while nobody looks at the site.
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

/// How many requests a repair makes: until it asks what it may do, how often it asks that, and from then on. In a
/// larger cluster it reads more before, so that the last ones are counted from the questions on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests {
    pub(crate) reading: usize,
    pub(crate) questions: usize,
    pub(crate) carrying_out: usize,
}

/// At which request a run is struck.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// At the one of this number.
    Reading(usize),
    /// At the one of this number after so many questions.
    CarryingOut { questions: usize, number: usize },
}

/// Whether a request asks what the user may do.
fn is_question(path: &str) -> bool {
    path.contains("selfsubjectaccessreviews")
}

struct Run {
    lot: Lot,
    trap: Arc<Trap>,
    proxy: Proxy,
    /// The versions of the volumes when the repair began.
    began: BTreeMap<String, u64>,
}

/// One repair behind its proxy.
pub(crate) struct Case<'s> {
    run: Run,
    pub(crate) place: Place<'s>,
}

impl<'s> Case<'s> {
    /// The broken state, and a proxy at which nothing happens yet.
    pub(crate) fn new(site: &'s Site, lot: Lot, name: &str) -> Self {
        let place = Place::new(site, name);
        let trap = Arc::new(Trap { struck: AtomicUsize::new(usize::MAX), ..Trap::default() });
        let proxy = site.runtime.block_on(proxy(&site.api, lot, &trap));
        let case = Self { run: Run { lot, trap, proxy, began: BTreeMap::new() }, place };
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
                // A template does not say which volume.
                manifest["spec"]["volumeName"] = json!(null);
            }
            manifest
        };
        let claims = repair.claims.iter().map(manifest).collect();
        *self.run.trap.scene.lock().unwrap() = Scene { place: place.name.clone(), claims, turn: self.run.lot.turn };
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

    /// The program with these words, behind the proxy.
    fn tool(&self, words: &[&str], timeout: &str, typed: Option<&str>) -> Ended {
        let words: Vec<String> = words.iter().map(|word| self.named(word)).collect();
        let (output, journals) = (tempfile::tempdir().unwrap(), self.place.journals_at());
        let file = |name: &str| output.path().join(name);
        let mut command = Command::new(BINARY);
        command.args(words).args(["-n", &self.place.name, "--yes", "--timeout", timeout]);
        if let Some(typed) = typed {
            command.args(["--confirm", &self.named(typed)]);
        }
        command.args(["--server", &self.run.proxy.url(), "--journal", &journals]);
        command.env_clear().env("HOME", output.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        command.stdout(File::create(file("out")).unwrap()).stderr(File::create(file("err")).unwrap());
        let child = &self.run.trap.child;
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

    /// The repair itself.
    fn repair(&self, timeout: &str) -> Ended {
        let repair = self.run.lot.repair();
        self.tool(repair.words, timeout, repair.typed)
    }

    /// The requests that the repair makes when nothing goes wrong.
    pub(crate) fn clean(&self) -> Requests {
        let before = self.run.proxy.seen().len();
        let done = self.repair(if self.run.lot.stopped { "3s" } else { "60s" });
        if !self.run.lot.stopped {
            assert_eq!(done.code, Some(0), "{}", done.said);
            self.stands(End::Goal, Actor::Nobody).unwrap();
        }
        let seen = self.run.proxy.seen();
        let own = seen.get(before..).unwrap_or_default();
        let asks = |path: &&String| is_question(path);
        let (first, last) = (own.iter().position(|path| asks(&path)), own.iter().rposition(|path| asks(&path)));
        let (first, last) = (first.expect("it asks what it may do"), last.expect("it asks"));
        let questions = own.iter().filter(asks).count();
        Requests { reading: first, questions, carrying_out: own.len() - last - 1 }
    }

    /// The repair with the blow at that request, and with whoever acts there.
    pub(crate) fn strike(&self, at: At) -> Struck {
        let Run { lot, trap, .. } = &self.run;
        *trap.aim.lock().unwrap() = Some(Aim { at, requests: 0, questions: 0, since: 0 });
        let ended = self.repair(match lot.actor {
            _ if lot.stopped => "3s",
            actor if actor.is_harmless() => "60s",
            _ => "15s",
        });
        *trap.aim.lock().unwrap() = None;
        let met = trap.struck.load(Ordering::SeqCst) != usize::MAX;
        let mut struck = Struck { ended, met, path: trap.path.lock().unwrap().clone(), early: None };
        let stopped = matches!(self.journal(), Ok(Some(journal)) if journal.written && journal.state != "finished");
        if lot.early && stopped {
            struck.early = Some(self.way(lot.back_first, "3s"));
        }
        struck
    }

    /// Goes on, or back.
    fn way(&self, back: bool, timeout: &str) -> Ended {
        if back { self.tool(BACK, timeout, None) } else { self.tool(ON, timeout, self.run.lot.repair().typed) }
    }

    /// The journal of this repair; all of them have to be readable.
    fn journal(&self) -> Result<Option<Told>, String> {
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
        // The newest comes first, and what moved the claim before a way back under test is older than that.
        let older = usize::from(self.run.lot.repair().name == "undo");
        Ok(items.into_iter().rev().nth(older).map(|item| Told {
            state: text(&item, "/state").to_owned(),
            written: item["written"] == true,
            taken_back: item["takenBackBy"].is_string(),
        }))
    }

    /// What came of a run that was struck, once the controllers run.
    pub(crate) fn came(&self, struck: &Struck) -> Result<String, String> {
        let actor = if struck.met { self.run.lot.actor } else { Actor::Nobody };
        if struck.met && !self.run.trap.acted.load(Ordering::SeqCst) {
            return Err("the actor has not acted".to_owned());
        }
        let ended = &struck.ended;
        let said = |what: String| {
            let early = struck.early.as_ref().map(|early| format!("; then {early:?}")).unwrap_or_default();
            format!("{what}; it ended with {:?}: {}{early}", ended.code, ended.said)
        };
        if ended.said.contains("panicked") {
            return Err(said("it panicked".to_owned()));
        }
        let came = self.judge(struck, actor).and_then(|came| self.journal().map(|_| came));
        came.map_err(said)
    }

    fn judge(&self, struck: &Struck, actor: Actor) -> Result<String, String> {
        let code = struck.ended.code;
        let journal = self.journal()?;
        let (written, finished) = match &journal {
            Some(journal) => (journal.written, journal.state == "finished"),
            None => (false, false),
        };
        let end = |end: End, what: &str| self.stands(end, actor).map(|()| what.to_owned());
        // Controllers that stand still do nothing of what is predicted, and others undo it.
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
            // The kill fell on a reading after the last step.
            None if written && finished => end(End::Goal, "done, killed afterwards"),
            // It was gone on with before the controllers ran again.
            Some(5) | None if written => self.led_on(struck.early.as_ref(), actor),
            _ => Err(format!("the journal says {journal:?}")),
        }
    }

    /// Goes on with what stopped, or takes it back: the other one where one of them is refused; both again when the
    /// actor has gone, or a way back has begun; and else the same is asked for anew.
    fn led_on(&self, early: Option<&Ended>, actor: Actor) -> Result<String, String> {
        let back_first = self.run.lot.back_first;
        let timeout = if actor.is_harmless() { "60s" } else { "15s" };
        let mut refusals = String::new();
        let mut early = early;
        for again in [false, true] {
            for back in [back_first, !back_first] {
                let way = if back { BACK } else { ON };
                let fresh;
                let (ended, when) = match early.take() {
                    Some(ended) => (ended, " while the controllers stood still"),
                    None => {
                        fresh = self.way(back, timeout);
                        (&fresh, if again { " at the second try" } else { "" })
                    }
                };
                match ended.code {
                    Some(0) => return self.ended(back, actor).map(|what| what + when),
                    Some(1) if !actor.is_harmless() || self.run.lot.early => {
                        return self.ended(back, actor).map(|what| format!("{what}{when}, and not as predicted"));
                    }
                    Some(2..=6) => _ = write!(refusals, "{way:?} ended with {:?}: {}", ended.code, ended.said),
                    code => return Err(format!("{way:?} ended with {code:?}: {}", ended.said)),
                }
            }
            self.leave();
        }
        // A way back is gone on with, and not asked for anew.
        if self.run.lot.repair().name != "undo" {
            let ended = self.repair(timeout);
            match ended.code {
                Some(0 | 1) => return self.stands(End::Goal, actor).map(|()| "asked for anew".to_owned()),
                Some(2..=6) => _ = write!(refusals, "anew it ended with {:?}: {}", ended.code, ended.said),
                code => return Err(format!("anew it ended with {code:?}: {}", ended.said)),
            }
        }
        if actor.is_in_the_way() {
            return self.stands(End::Left, actor).map(|()| "left".to_owned());
        }
        Err(format!("neither way leads on, and it stands like {:?}: {refusals}", self.place.all()))
    }

    /// How it stands after one of the ways: who goes on may go on with a way back.
    fn ended(&self, back: bool, actor: Actor) -> Result<String, String> {
        let journal = self.journal()?.ok_or("there is no journal any more")?;
        if back || journal.taken_back {
            return self.stands(End::Back, actor).map(|()| "taken back".to_owned());
        }
        if journal.state != "finished" {
            return Err(format!("it was gone on with, and the journal says {journal:?}"));
        }
        self.stands(End::Goal, actor).map(|()| "continued".to_owned())
    }

    /// The pods of an actor come to their end.
    fn leave(&self) {
        let scene = self.run.trap.scene.lock().unwrap().clone();
        let site = self.place.site;
        if self.run.lot.actor == Actor::User {
            site.runtime.block_on(scene.leave(&site.api));
        }
    }

    /// Waits until the place stands in one of the ways of this end, and stays so.
    fn stands(&self, end: End, actor: Actor) -> Result<(), String> {
        let repair = self.run.lot.repair();
        if actor == Actor::User {
            self.leave();
        }
        let back = [repair.undone, &[repair.before]].concat();
        let mut ways: Vec<Way> = match end {
            End::Goal => vec![repair.goal],
            End::Back => back,
            End::Untouched => vec![repair.before],
            End::Left => Vec::new(),
        };
        ways.extend(repair.struck.iter().filter(|(who, _)| *who == actor).flat_map(|(_, ways)| ways.iter().copied()));
        let begin = Instant::now();
        let mut since = None;
        loop {
            let now = self.place.all();
            if self.fits(&now, &ways, actor) {
                // What others have begun may go on.
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
                return Err(format!("it stands like {now:?}, and not like {wanted:?} ({end:?})"));
            }
            thread::sleep(Duration::from_millis(300));
        }
    }

    fn fits(&self, now: &[String], ways: &[Way], actor: Actor) -> bool {
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
                    Actor::Nobody
                    | Actor::Driver
                    | Actor::Namesake
                    | Actor::Recreator
                    | Actor::Deleter
                    | Actor::User
                    | Actor::Toucher => false,
                }
            })
        });
        own.sort();
        let is_way = |way: &Way| {
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

    /// What was lost of the volumes, or could have been.
    pub(crate) fn harm(&self, met: bool) -> Vec<String> {
        let repair = self.run.lot.repair();
        let meant: Vec<(String, String)> =
            repair.meant.iter().map(|(namespace, name)| (self.named(namespace), self.named(name))).collect();
        self.run.began.iter().flat_map(|(name, began)| self.harm_of(name, *began, &meant, met)).collect()
    }

    fn harm_of(&self, name: &str, began: u64, meant: &[(String, String)], met: bool) -> Vec<String> {
        let repair = self.run.lot.repair();
        let history = self.place.site.history(name);
        let mut harm = Vec::new();
        let start = history.iter().position(|(_, volume)| version(volume) == began).expect("the watch has seen it");
        let mut was = is_deletable(&history[start].1);
        // What could be deleted before the repair, or was to be deleted, may go.
        let mut may_go = was || repair.is_deletion;
        let mut was_kept = policy(&history[start].1) == "Retain";
        // The last time that the volume got its policy Delete back.
        let mut given_back = None;
        for (event, volume) in &history[start..] {
            let named = &volume["spec"]["claimRef"];
            let claim = (text(named, "/namespace").to_owned(), text(named, "/name").to_owned());
            if !text(named, "/uid").is_empty() && !meant.contains(&claim) {
                harm.push(format!("{name} became that of {}/{}", claim.0, claim.1));
            }
            if volume["spec"]["csi"] != history[start].1["spec"]["csi"] {
                harm.push(format!("{name} became another storage"));
            }
            if event == "DELETED" {
                if !may_go {
                    harm.push(format!("{name} was deleted"));
                }
                continue;
            }
            if policy(volume) == "Delete" && was_kept && text(volume, "/status/phase") == "Bound" {
                given_back = Some(version(volume));
            }
            was_kept = policy(volume) == "Retain";
            let is = is_deletable(volume);
            if is && !was {
                let untouched = !history[start..].iter().any(|(_, seen)| {
                    version(seen) <= version(volume) && version(seen) > began && policy(seen) == "Retain"
                });
                may_go = repair.is_deletion || (met && self.is_deleters(untouched, given_back));
                if !may_go {
                    let phase = text(volume, "/status/phase");
                    harm.push(format!("{name} could have been deleted: {phase} with policy Delete"));
                }
            } else if !is {
                may_go = repair.is_deletion;
            }
            was = is;
        }
        harm
    }

    /// Whether somebody deleted a claim whose volume nobody had repaired, or had given its policy back after the last
    /// look at the claim.
    fn is_deleters(&self, untouched: bool, given_back: Option<u64>) -> bool {
        let trap = &self.run.trap;
        let Some(deleted) = *trap.deleted.lock().unwrap() else { return false };
        let back = given_back.is_some_and(|back| deleted > back || trap.writes_volume.load(Ordering::SeqCst));
        untouched || back
    }

    /// Removes what is left.
    pub(crate) fn clear(self) {
        self.leave();
        self.place.clear();
    }
}

/// What a journal tells.
#[derive(Debug)]
struct Told {
    state: String,
    written: bool,
    taken_back: bool,
}

const ON: &[&str] = &["apply", "--continue"];
const BACK: &[&str] = &["undo"];

fn policy(volume: &Value) -> &str {
    text(volume, "/spec/persistentVolumeReclaimPolicy")
}

/// The proxy, which strikes at the request that the trap says.
async fn proxy(api: &Api, lot: Lot, trap: &Arc<Trap>) -> Proxy {
    let (near, far) = (api.clone(), api.clone());
    let (set, sprung) = (Arc::clone(trap), Arc::clone(trap));
    let decide = Arc::new(move |number: usize, path: &str| {
        if !set.aim.lock().unwrap().as_mut().is_some_and(|aim| aim.is_at(path)) {
            return Deed::Pass;
        }
        set.struck.store(number, Ordering::SeqCst);
        path.clone_into(&mut set.path.lock().unwrap());
        let writes = path.contains("/persistentvolumes/") && path.contains("fieldManager") && !path.contains("dryRun");
        set.writes_volume.store(writes, Ordering::SeqCst);
        deed(lot, &set, &far)
    });
    let act = Arc::new(move |number: usize| {
        let (trap, api) = (Arc::clone(&sprung), near.clone());
        Box::pin(async move {
            if number == trap.struck.load(Ordering::SeqCst) && !lot.blow.is_late() {
                trap.act(lot.actor, &api).await;
            }
        }) as _
    });
    Proxy::start(api.client(), decide, act).await
}

/// What the proxy does for a blow.
fn deed(lot: Lot, trap: &Arc<Trap>, api: &Api) -> Deed {
    let late = |kills: bool| {
        let (trap, api) = (Arc::clone(trap), api.clone());
        Hook::new(move || {
            let (trap, api) = (Arc::clone(&trap), api.clone());
            Box::pin(async move {
                if lot.blow.is_late() {
                    trap.act(lot.actor, &api).await;
                }
                if kills {
                    trap.kill();
                }
            })
        })
    };
    match lot.blow {
        Blow::Status(429) => Deed::Status(429, Some("1")),
        Blow::Status(code) => Deed::Status(code, None),
        Blow::Unheard => Deed::Unheard(late(false)),
        Blow::Unanswered => Deed::Unanswered(late(false)),
        Blow::Slow => Deed::Slow(Duration::from_secs(2)),
        Blow::KilledBefore => Deed::Unheard(late(true)),
        Blow::KilledAfter => Deed::Unanswered(late(true)),
    }
}
