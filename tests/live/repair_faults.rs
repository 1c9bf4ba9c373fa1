//! Each request of a repair goes wrong in each way, one at a time, on the real controllers: whatever becomes of it, the
//! journal tells, the repair is gone on with or taken back, and no volume is lost.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test starts and kills the program, says how much it saw, and fails by panicking"
)]

use super::proxy::{Deed, Hook, Proxy};
use super::site::{Place, Site, text};
use crate::support::BINARY;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How many runs there are, unless the environment says so: a sample of what `PVCTL_FAULTS=520` does.
const SAMPLE: usize = 40;

/// The variable that says it.
const RUNS: &str = "PVCTL_FAULTS";

/// How a run is told that ended before its blow.
const MISSED: &str = ", without the blow";

/// So many go on at the same time; they wait most of it.
const ABREAST: usize = 6;

/// No run takes longer, with its waits.
const PATIENCE: Duration = Duration::from_mins(4);

/// What happens at one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Blow {
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

const BLOWS: [Blow; 8] = [
    Blow::Status(500),
    Blow::Status(409),
    Blow::Status(429),
    Blow::Unheard,
    Blow::Unanswered,
    Blow::Slow,
    Blow::KilledBefore,
    Blow::KilledAfter,
];

/// A repair, with how its place stands before it, after it, and after its way back. `N` is the place's name.
struct Repair {
    verb: &'static str,
    words: &'static [&'static str],
    before: &'static [&'static str],
    goal: &'static [&'static str],
    undone: &'static [&'static [&'static str]],
    meant: &'static [(&'static str, &'static str)],
}

const MOVE: &[&str] = &["move", "pvc/data", "--to-namespace", "N-to"];
const AT_HOME: &[&str] = &["N-a: Bound, Delete, of N/data", "N/data: Bound, N-a"];
const AT_HOME_KEPT: &[&str] = &["N-a: Bound, Retain, of N/data", "N/data: Bound, N-a"];
const MOVED: &[&str] = &["N-a: Bound, Retain, of N-to/data", "N-to/data: Bound, N-a"];
const LEFT: &[&str] = &["N-a: Released, Retain, of the former N/data"];

const REPAIRS: [Repair; 5] = [
    Repair {
        verb: "move",
        words: MOVE,
        before: AT_HOME,
        goal: MOVED,
        undone: &[AT_HOME, AT_HOME_KEPT],
        meant: &[("N", "data"), ("N-to", "data")],
    },
    Repair {
        verb: "restore",
        words: &["restore", "pvc/data"],
        before: &["N-a: Released, Delete, of the former N/data"],
        goal: AT_HOME_KEPT,
        undone: &[LEFT],
        meant: &[("N", "data")],
    },
    Repair {
        verb: "release",
        words: &["release", "pv/N-a"],
        before: LEFT,
        goal: &["N-a: Available, Retain, for N/data"],
        undone: &[LEFT],
        meant: &[("N", "data")],
    },
    Repair {
        verb: "rebind",
        words: &["rebind", "pvc/data", "--to", "pv/N-b"],
        before: &["N-a: Bound, Delete, of N/data", "N-b: Released, Retain, of the former N/copy", "N/data: Bound, N-a"],
        goal: &["N-a: Released, Retain, of the former N/data", "N-b: Bound, Retain, of N/data", "N/data: Bound, N-b"],
        undone: &[
            &["N-a: Bound, Delete, of N/data", "N-b: Released, Retain, of the former N/copy", "N/data: Bound, N-a"],
            &["N-a: Bound, Retain, of N/data", "N-b: Released, Retain, of the former N/copy", "N/data: Bound, N-a"],
        ],
        meant: &[("N", "data"), ("N", "copy")],
    },
    Repair {
        verb: "undo",
        words: &["undo"],
        before: MOVED,
        goal: AT_HOME,
        undone: &[AT_HOME, AT_HOME_KEPT],
        meant: &[("N", "data"), ("N-to", "data")],
    },
];

/// Where the blow falls: at which request after how many.
#[derive(Default)]
struct Trap {
    /// The requests so far.
    count: AtomicUsize,
    /// The number of the one that is struck.
    struck: AtomicUsize,
    /// The program that runs.
    child: Mutex<Option<Child>>,
}

/// One run of the program: none of its exit codes where it was killed.
struct Ended {
    code: Option<i32>,
    said: String,
}

/// One repair behind its proxy.
struct Case<'s> {
    place: Place<'s>,
    repair: &'static Repair,
    trap: Arc<Trap>,
    proxy: Proxy,
}

impl<'s> Case<'s> {
    /// The broken state, and a proxy at which nothing happens yet.
    fn new(site: &'s Site, repair: &'static Repair, name: &str, blow: Blow) -> Self {
        let place = Place::new(site, name);
        let trap = Arc::new(Trap { struck: AtomicUsize::new(usize::MAX), ..Trap::default() });
        let decide = {
            let trap = Arc::clone(&trap);
            Arc::new(move |_: usize, _: &str| {
                let number = trap.count.fetch_add(1, Ordering::SeqCst);
                if number == trap.struck.load(Ordering::SeqCst) { deed(blow, &trap) } else { Deed::Pass }
            })
        };
        let nothing = Arc::new(|_| Box::pin(async {}) as _);
        let proxy = site.runtime.block_on(Proxy::start(site.api.client(), decide, nothing));
        let case = Self { place, repair, trap, proxy };
        let place = &case.place;
        match repair.verb {
            "restore" => place.left("data", "a", "Delete"),
            "release" => place.left("data", "a", "Retain"),
            "rebind" => {
                place.left("copy", "b", "Retain");
                place.bound("data", "a", "Delete");
            }
            _ => {
                place.namespace(&format!("{name}-to"));
                place.bound("data", "a", "Delete");
            }
        }
        if repair.verb == "undo" {
            let moved = case.run(MOVE);
            assert_eq!(moved.code, Some(0), "{}", moved.said);
        }
        case
    }

    /// The program with these words, behind the proxy.
    fn run(&self, words: &[&str]) -> Ended {
        let words: Vec<String> = words.iter().map(|word| self.named(word)).collect();
        let (output, journals) = (tempfile::tempdir().unwrap(), self.place.journals_at());
        let file = |name: &str| output.path().join(name);
        let mut command = Command::new(BINARY);
        command.args(words).args(["-n", &self.place.name, "--yes", "--timeout", "60s"]);
        command.args(["--server", &self.proxy.url(), "--journal", &journals]);
        command.env_clear().env("HOME", output.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        command.stdout(File::create(file("out")).unwrap()).stderr(File::create(file("err")).unwrap());
        *self.trap.child.lock().unwrap() = Some(command.spawn().expect("the program starts"));
        let begin = Instant::now();
        let status = loop {
            thread::sleep(Duration::from_millis(20));
            let mut child = self.trap.child.lock().unwrap();
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

    fn named(&self, word: &str) -> String {
        word.replace('N', &self.place.name)
    }

    /// How many requests the repair makes when nothing goes wrong.
    fn clean(&self) -> usize {
        let before = self.trap.count.load(Ordering::SeqCst);
        let done = self.run(self.repair.words);
        assert_eq!(done.code, Some(0), "{}", done.said);
        self.stands(&[self.repair.goal]).unwrap();
        self.trap.count.load(Ordering::SeqCst) - before
    }

    /// Waits until the place stands in one of these ways.
    fn stands(&self, ways: &[&[&str]]) -> Result<(), String> {
        let wanted: Vec<Vec<String>> =
            ways.iter().map(|way| way.iter().map(|line| self.named(line)).collect()).collect();
        let begin = Instant::now();
        loop {
            let now = self.place.all();
            if wanted.contains(&now) {
                return Ok(());
            }
            if begin.elapsed() > Duration::from_secs(30) {
                return Err(format!("it stands like {now:?}, and not like {wanted:?}"));
            }
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// The newest journal that tells of this repair: its state, and whether something was written.
    fn journal(&self) -> Result<Option<(String, bool)>, String> {
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
        // What moved the claim before a way back under test is the older one.
        let own = items.len() - usize::from(self.repair.verb == "undo");
        Ok(items.first().filter(|_| own > 0).map(|item| (text(item, "/state").to_owned(), item["written"] == true)))
    }

    /// The repair with the blow at that request: what came of it.
    fn struck(&self, at: usize, back_first: bool) -> Result<String, String> {
        let base = self.trap.count.load(Ordering::SeqCst);
        self.trap.struck.store(base + at, Ordering::SeqCst);
        let ended = self.run(self.repair.words);
        let met = self.trap.count.load(Ordering::SeqCst) > base + at;
        self.trap.struck.store(usize::MAX, Ordering::SeqCst);
        let said = |what: String| format!("{what}; it ended with {:?}: {}", ended.code, ended.said);
        if ended.said.contains("panicked") {
            return Err(said("it panicked".to_owned()));
        }
        let journal = self.journal().map_err(said)?;
        let came = match (ended.code, journal) {
            (Some(0), Some((state, true))) if state == "finished" => {
                self.stands(&[self.repair.goal]).map_err(said)?;
                "done".to_owned()
            }
            (None | Some(3 | 4 | 6), None | Some((_, false))) => {
                let code = ended.code;
                self.stands(&[self.repair.before]).map_err(said)?;
                format!("nothing written, {}", code.map_or("killed".to_owned(), |code| format!("exit {code}")))
            }
            (Some(5) | None, Some((state, true))) if state != "finished" => self.led_on(back_first).map_err(said)?,
            // The kill fell on a reading after the last step.
            (None, Some((state, true))) if state == "finished" => {
                self.stands(&[self.repair.goal]).map_err(said)?;
                "done, killed afterwards".to_owned()
            }
            (_, journal) => return Err(said(format!("the journal says {journal:?}"))),
        };
        Ok(if met { came } else { format!("{came}{MISSED}") })
    }

    /// Goes on with what stopped, or takes it back: the other one where one of them is refused.
    fn led_on(&self, back_first: bool) -> Result<String, String> {
        let mut refusals = String::new();
        let on: &[&str] = &["apply", "--continue"];
        let back: &[&str] = &["undo"];
        let ways = if back_first { [back, on] } else { [on, back] };
        for way in ways {
            let ended = self.run(way);
            match ended.code {
                Some(0) if way == on => {
                    self.stands(&[self.repair.goal])?;
                    return Ok("continued".to_owned());
                }
                Some(0) => {
                    self.stands(&[self.repair.undone, &[self.repair.before]].concat())?;
                    return Ok("taken back".to_owned());
                }
                Some(2..=6) => _ = write!(refusals, "{way:?} ended with {:?}: {}", ended.code, ended.said),
                code => return Err(format!("{way:?} ended with {code:?}: {}", ended.said)),
            }
        }
        Err(format!("neither way leads on, and it stands like {:?}: {refusals}", self.place.all()))
    }

    /// What was lost of the volumes.
    fn harm(&self) -> Vec<String> {
        let meant: Vec<(String, &str)> =
            self.repair.meant.iter().map(|(namespace, name)| (self.named(namespace), *name)).collect();
        let meant: Vec<(&str, &str)> = meant.iter().map(|(namespace, name)| (namespace.as_str(), *name)).collect();
        let volumes: &[&str] = if self.repair.verb == "rebind" { &["a", "b"] } else { &["a"] };
        volumes.iter().flat_map(|volume| self.place.site.harm(&self.place.of(volume), &meant)).collect()
    }
}

/// What the proxy does for a blow.
fn deed(blow: Blow, trap: &Arc<Trap>) -> Deed {
    let kill = || {
        let trap = Arc::clone(trap);
        Hook::new(move || {
            if let Some(child) = trap.child.lock().unwrap().as_mut() {
                child.kill().unwrap();
                child.wait().unwrap();
            }
        })
    };
    match blow {
        Blow::Status(429) => Deed::Status(429, Some("1")),
        Blow::Status(code) => Deed::Status(code, None),
        Blow::Unheard => Deed::Unheard(Hook::default()),
        Blow::Unanswered => Deed::Unanswered(Hook::default()),
        Blow::Slow => Deed::Slow(Duration::from_secs(2)),
        Blow::KilledBefore => Deed::Unheard(kill()),
        Blow::KilledAfter => Deed::Unanswered(kill()),
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --locked -- --ignored live"]
fn each_request_of_a_repair_may_fail_in_each_way() {
    let runs = std::env::var(RUNS).ok().map_or(SAMPLE, |runs| runs.parse().expect("a number of runs"));
    let begin = Instant::now();
    let site = Site::start();
    let counts: Vec<usize> = REPAIRS
        .iter()
        .map(|repair| {
            let case = Case::new(&site, repair, &format!("clean-{}", repair.verb), Blow::Slow);
            let count = case.clean();
            assert_eq!(case.harm(), Vec::<String>::new());
            case.place.clear();
            count
        })
        .collect();
    let kinds = REPAIRS.len() * BLOWS.len();
    let rounds = runs.div_ceil(kinds);
    let (next, tally, wrong) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..ABREAST {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= runs {
                        return;
                    }
                    let (which, kind, round) = (number % 5, number / 5 % BLOWS.len(), number / kinds);
                    let (repair, blow, count) = (&REPAIRS[which], BLOWS[kind], counts[which]);
                    // Every blow begins elsewhere, and the rounds go over all requests.
                    let at = (round * count / rounds + kind * count / BLOWS.len() + number % 3) % count;
                    let case = Case::new(&site, repair, &format!("f{number}"), blow);
                    let came = case.struck(at, round % 2 == 1);
                    let what = format!("{number}: {} with {blow:?} at request {at} of {count}", repair.verb);
                    let harm = case.harm();
                    if !harm.is_empty() {
                        wrong.lock().unwrap().push(format!("{what}: {harm:?}"));
                    }
                    match came {
                        Ok(came) => *tally.lock().unwrap().entry((repair.verb, came)).or_insert(0) += 1,
                        Err(why) => wrong.lock().unwrap().push(format!("{what}: {why}")),
                    }
                    case.place.clear();
                }
            });
        }
    });
    let tally: BTreeMap<(&str, String), usize> = tally.into_inner().unwrap();
    for ((verb, came), times) in &tally {
        eprintln!("{verb}: {times} {came}");
    }
    let seconds = begin.elapsed().as_secs();
    eprintln!("{runs} runs in {seconds} s; requests of {:?}: {counts:?}", REPAIRS.map(|repair| repair.verb));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(tally.values().sum::<usize>(), runs);
    // How often something is waited for differs, so that the last requests of a run may not come.
    let missed: usize = tally.iter().filter(|((_, came), _)| came.ends_with(MISSED)).map(|(_, times)| times).sum();
    assert!(missed * 10 <= runs, "{missed} of {runs} runs ended before their blow");
}
