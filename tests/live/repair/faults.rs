//! Each request of a repair fails in each way, one request per run. The real controllers run or are stopped. An actor
//! acts when the request fails. In every case the journal must say what happened, it must be possible to continue or
//! undo the repair, and no volume must be lost.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test says how much it saw, and fails by panicking"
)]

use super::actors::{Actor, ROUGH};
use super::case::{Case, Intercepted, Parked, RunParameters};
use super::cases::REPAIRS;
use super::interception::{FAULTS, Requests, SLOW};
use crate::live::site::Site;
use crate::support::faults::At;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

/// How many runs there are if [`RUNS`] is not set: a sample of the runs of `PVCTL_FAULTS=520`.
const SAMPLE: usize = 40;

/// The environment variable with the number of runs.
const RUNS: &str = "PVCTL_FAULTS";

/// The environment variable with the names of the repairs, separated by commas, whose runs alone are made.
const ONLY: &str = "PVCTL_FAULTS_ONLY";

/// How many runs are made at the same time. They spend most of that time waiting.
const ABREAST: usize = 24;

/// Returns the actors whose ends are known, and then those for which only losses are checked.
fn actors() -> Vec<Actor> {
    Actor::WITH_ENDS.into_iter().chain(ROUGH).collect()
}

/// Returns the parameters of a run. The numbers of repairs, faults and actors have no common factor. So all
/// combinations occur.
fn lot(number: usize) -> RunParameters {
    let stopped = number / 9 % 3 == 1;
    RunParameters {
        repair: number % REPAIRS.len(),
        fault: FAULTS[number % FAULTS.len()],
        actor: actors()[number % actors().len()],
        stopped,
        early: stopped && number % 4 == 1,
        back_first: number / 5 % 2 == 1,
        turn: number,
    }
}

/// Returns the request at which a run is intercepted. The runs of a repair together cover all its requests. Most runs
/// intercept a write or another request that carries out the plan.
fn request(number: usize, runs: usize, requests: Requests) -> At<'static> {
    let (round, rounds) = (number / REPAIRS.len(), runs.div_ceil(REPAIRS.len()));
    let over = |count: usize| (round * count / rounds + number % 3) % count;
    let Requests { reading, questions, carrying_out, writes } = requests;
    match round % 5 {
        0 | 2 => At::AfterQuestions { questions, number: over(carrying_out) + 1 },
        1 | 3 => At::Write(over(writes) + 1),
        _ => At::Request(over(reading + questions) + 1),
    }
}

fn make(site: &Site, number: usize) -> Case<'_> {
    Case::new(site, lot(number), &format!("f{number}"))
}

/// The result of a run.
struct RunResult {
    lot: RunParameters,
    met: bool,
    /// Whether the fault occurred at a write.
    on_write: bool,
    what: String,
}

/// The property by which runs are counted.
type Key = fn(&RunResult) -> String;

fn abreast<T: Send, R: Send>(all: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    so_many_abreast(ABREAST, all, work)
}

/// Calls `work` with each element, for at most `many` elements at the same time. Returns the results in the order of
/// the elements.
pub(crate) fn so_many_abreast<T: Send, R: Send>(many: usize, all: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let (left, done) = (Mutex::new(all.into_iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..many {
            scope.spawn(|| {
                loop {
                    let Some((at, one)) = left.lock().unwrap().next() else { return };
                    let came = work(one);
                    done.lock().unwrap().push((at, came));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, came)| came).collect()
}

/// Returns the parameters of a run without a fault, whose requests are only counted.
fn clean(repair: usize, stopped: bool) -> RunParameters {
    let (fault, actor) = (SLOW, Actor::Nobody);
    RunParameters { repair, fault, actor, stopped, early: false, back_first: false, turn: 0 }
}

#[test]
fn each_actor_meets_each_repair_and_each_fault() {
    for (runs, least, pairs) in [(SAMPLE, 1, 0), (520, 30, 1)] {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let words = |lot: RunParameters| (lot.repair().name, lot.fault.word(), format!("{:?}", lot.actor));
        let mut met: BTreeMap<(String, String), usize> = BTreeMap::new();
        for number in 0..runs {
            let (repair, fault, actor) = words(lot(number));
            *met.entry((repair.to_owned(), actor.clone())).or_default() += 1;
            *met.entry((fault.clone(), actor.clone())).or_default() += 1;
            let stopped = if lot(number).stopped { "stopped" } else { "running" };
            for word in [repair.to_owned(), fault, actor.clone(), stopped.to_owned(), format!("{actor} {stopped}")] {
                *times.entry(word).or_default() += 1;
            }
        }
        let (stopped, running) = (times["stopped"], times["running"]);
        assert!(
            stopped * 4 >= runs && stopped * 2 <= running * 2,
            "the controllers must be stopped in at least a quarter and at most half of the runs: {stopped} of {runs}"
        );
        let kinds = REPAIRS.len() + FAULTS.len() + actors().len();
        let single: Vec<_> =
            times.iter().filter(|(word, _)| !word.contains("opped") && !word.contains("unning")).collect();
        assert_eq!(single.len(), kinds);
        assert!(single.iter().all(|(_, times)| **times >= least), "{single:?}");
        let wanted = (REPAIRS.len() + FAULTS.len()) * actors().len();
        assert!(pairs == 0 || met.len() == wanted, "only {} of {wanted} pairs occur", met.len());
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn each_request_of_a_repair_may_fail_in_each_way() {
    let runs = std::env::var(RUNS).ok().map_or(SAMPLE, |runs| runs.parse().expect("a number of runs"));
    let begin = Instant::now();
    let mut site = Site::start();
    let kinds: Vec<usize> = (0..REPAIRS.len()).collect();
    let counts = abreast(kinds.clone(), |repair| {
        let case = Case::new(&site, clean(repair, false), &format!("clean{repair}"));
        let count = case.clean();
        assert_eq!(case.harm(), Vec::<String>::new());
        case.clear();
        count
    });
    let only = std::env::var(ONLY).ok();
    let is_chosen = |number: &usize| {
        only.as_deref().is_none_or(|only| only.split(',').any(|name| name == lot(*number).repair().name))
    };
    let chosen: Vec<usize> = (0..runs).filter(is_chosen).collect();
    assert!(!chosen.is_empty(), "{ONLY} must name a repair");
    let (still, moving): (Vec<usize>, Vec<usize>) = chosen.iter().partition(|number| lot(**number).stopped);

    // For the runs with stopped controllers, the initial states are created while the controllers run. The results are
    // checked after the controllers run again.
    let idle = abreast(kinds, |repair| Case::new(&site, clean(repair, true), &format!("still{repair}")).park());
    let parked: Vec<(usize, Parked)> = abreast(still, |number| (number, make(&site, number).park()));
    site.stop_controllers();
    let still_counts = abreast(idle, |parked| parked.back(&site).clean());
    // While a run waits for stopped controllers, it repeats requests. The repeated requests are not counted.
    let still_counts = still_counts.iter().zip(&counts);
    let still_counts: Vec<Requests> = still_counts
        .map(|(still, moving)| Requests { carrying_out: still.carrying_out.min(moving.carrying_out), ..*still })
        .collect();
    for (what, counts) in [("with", &counts), ("without", &still_counts)] {
        let told: Vec<String> =
            counts.iter().zip(&REPAIRS).map(|(count, repair)| format!("{} {count:?}", repair.name)).collect();
        eprintln!("{what} controllers: {}", told.join(", "));
    }
    let intercepted = abreast(parked, |(number, parked)| {
        let case = parked.back(&site);
        let at = request(number, runs, still_counts[lot(number).repair]);
        let intercepted = case.intercept(at);
        (number, at, case.park(), intercepted)
    });
    site.start_controllers();
    eprintln!("{} runs without controllers were intercepted after {} s", intercepted.len(), begin.elapsed().as_secs());

    let judge = |number: usize, at: At<'static>, case: Case<'_>, intercepted: &Intercepted| {
        let lot = lot(number);
        let came = case.came(intercepted);
        let harm = case.harm();
        let what = format!("{number}: {} at {at:?} ({}), {lot:?}", lot.repair().name, intercepted.request);
        case.clear();
        match came {
            _ if !harm.is_empty() => Err(format!("{what}: {harm:?}; {came:?}")),
            Ok(came) => Ok(RunResult { lot, met: intercepted.met, on_write: intercepted.on_write, what: came }),
            Err(why) => Err(format!("{what}: {why}")),
        }
    };
    let intercepted =
        intercepted.into_iter().map(|(number, at, parked, intercepted)| (number, Some((at, parked, intercepted))));
    let all = intercepted.chain(moving.into_iter().map(|number| (number, None))).collect();
    let all = abreast(all, |(number, before)| {
        if let Some((at, parked, intercepted)) = before {
            return judge(number, at, parked.back(&site), &intercepted);
        }
        let (at, case) = (request(number, runs, counts[lot(number).repair]), make(&site, number));
        let intercepted = case.intercept(at);
        judge(number, at, case, &intercepted)
    });
    let (done, wrong): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
    let done: Vec<RunResult> = done.into_iter().filter_map(Result::ok).collect();
    tell(&done);
    eprintln!("{} runs in {} s, {ABREAST} abreast", chosen.len(), begin.elapsed().as_secs());
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(done.len(), chosen.len());
    // The number of requests during a wait differs from run to run. So a run may not reach the last requests.
    let missed = done.iter().filter(|came| !came.met).count();
    assert!(missed * 10 <= chosen.len(), "{missed} of {} runs ended before their fault", chosen.len());
}

/// Prints the results of the runs, by repair, by actor and by fault, with and without controllers.
fn tell(done: &[RunResult]) {
    let by: [(&str, Key); 5] = [
        ("repair", |came| came.lot.repair().name.to_owned()),
        ("actor", |came| format!("{:?}", came.lot.actor).to_lowercase()),
        ("fault", |came| came.lot.fault.word()),
        ("controllers", |came| if came.lot.stopped { "stopped" } else { "running" }.to_owned()),
        ("fault on", |came| if came.on_write { "a write" } else { "another request" }.to_owned()),
    ];
    for (what, key) in by {
        let mut tally: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
        for came in done {
            let missed = "without the fault";
            let word = if came.met { came.what.as_str() } else { missed };
            *tally.entry(key(came)).or_default().entry(word).or_default() += 1;
        }
        for (key, came) in tally {
            let total: usize = came.values().sum();
            let all: Vec<String> = came.iter().map(|(what, times)| format!("{times} {what}")).collect();
            eprintln!("{what} {key}: {total} runs: {}", all.join(", "));
        }
    }
}
