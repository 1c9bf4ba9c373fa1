//! Fault injection. At every request of every repair a fault occurs, and an actor of the adversary acts at that moment.
//! The controllers run, or run on stale caches, or do not run. In every case no volume must be lost or given to a
//! stranger, and the journal must be readable. The cluster must end in a state of the plan, or in a state that the
//! actor causes without any fault. If only controllers act, it must be possible to continue or to undo every repair
//! that has begun.
//!
//! `faults::sample` makes some of the runs. `faults::all` (ignored by default) makes all of them. If an earlier run of
//! this test was stopped, the test continues that run. `PVCTL_FAULT=scenario/request/fault/actor/controllers/seed`
//! makes one run and prints what happened. `PVCTL_FAULTS_ONLY=scenario` samples only the runs of this repair.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod in_use;
mod judge;
mod prepare;
mod recovery;
mod rough;
mod state;
mod tally;

use crate::support::api::{
    Actor, ApiServer, Controllers, Loss, Protected, Random, Store, Who, drivers, losses, lost, settings,
};
use crate::support::faults::{At, Fault};
use judge::{by_us, is_excused, is_given_up, journal_of, judge, judge_end, told};
use prepare::prepared;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::execute::{self, Journal, Observer, Options, PlanEvent, Stopped};
use pvctl::model::{ObjectKey, Timestamp};
use pvctl::repair::{Confirmed, Done, Manifests, Plan, Proposed, Receipts, Reviewed, Situation, review, undo};
use recovery::{Recovery, RecoveryPath};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use state::{Place, States};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tally::{Tally, show};

/// A request may still be carried out for this time after it was sent.
const IN_FLIGHT: Duration = Duration::from_mins(1);

/// The time at which every journal is begun.
const NOW: Timestamp = Timestamp(1_780_000_000);

const OPTIONS: Options =
    Options { wait_limit: Duration::from_secs(20), poll: Duration::from_secs(2), server_dry_run: false };

/// The parameters of one run. Its description has the same fields.
#[derive(Clone, Copy, Debug)]
struct Case {
    scenario: usize,
    request: usize,
    fault: Fault,
    actor: Actor,
    controllers: Controllers,
    seed: u64,
}

/// A repair that succeeds if nothing disturbs it, and what is known about it.
struct Prepared {
    name: String,
    base: Store,
    plan: Plan,
    reviewed: Reviewed,
    receipts: Receipts,
    protected: Vec<Protected>,
    /// How many requests the repair makes.
    requests: usize,
    /// The states in which the cluster may end.
    states: States,
    /// The losses that each actor causes on the cluster without any repair.
    excused: BTreeMap<Actor, BTreeSet<Loss>>,
}

/// An observer that ignores all events. It can interrupt the run at a step.
struct Silent {
    questions: AtomicU32,
    ends_at_step: Option<u32>,
    reached: AtomicBool,
}

impl Silent {
    fn new(ends_at_step: Option<u32>) -> Self {
        Self { questions: AtomicU32::new(0), ends_at_step, reached: AtomicBool::new(false) }
    }
}

impl Observer for Silent {
    fn event(&self, event: PlanEvent<'_>) {
        if let PlanEvent::StepStarts { step } = event
            && Some(step.id) == self.ends_at_step
        {
            self.reached.store(true, Ordering::Relaxed);
        }
    }

    fn interrupted(&self) -> bool {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.reached.load(Ordering::Relaxed)
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

/// Returns a folder for journals. It is in memory if possible, because each line is synced to disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Returns the objects of a plan as the server stores them. No request is sent.
fn manifests_of(store: &Store, keys: &[ObjectKey]) -> Manifests {
    let mut manifests = Manifests::default();
    for key in keys {
        if let Some(object) = store.read(key) {
            manifests.add(key.clone(), object.clone());
        }
    }
    manifests
}

/// Lets the controllers and the drivers act until nothing changes any more.
fn aftermath(store: &mut Store, random: &mut Random) {
    store.settle(random);
    drivers(store);
    store.settle(random);
}

fn reviewed(store: &Store, plan: Plan, receipts: &Receipts) -> Result<Reviewed, String> {
    let snapshot = store.snapshot();
    let manifests = manifests_of(store, &plan.objects());
    let situation = Situation {
        snapshot: &snapshot,
        settings: settings(),
        manifests: &manifests,
        providers: Providers::built_in(),
    };
    review(&situation, plan, receipts).map_err(|rejected| {
        let moves = rejected.interleaving.map(|way| format!(" ({})", way.moves.join("; "))).unwrap_or_default();
        format!("{}: {}{moves}", rejected.refusal.by, rejected.refusal.message)
    })
}

fn confirmed(reviewed: Reviewed) -> Confirmed {
    let typed = reviewed.plan().type_name.clone();
    reviewed.confirm(typed.as_deref()).unwrap_or_else(|_| panic!("the plan must accept the name that it asks for"))
}

/// Asks the server about a plan, and reviews the plan, in a world that does not change.
fn looked_at(store: &Store, plan: Plan) -> Result<(Reviewed, Receipts), String> {
    let api = ApiServer::new(store.clone(), Controllers::Stopped, 1);
    let receipts = run(async { execute::receipts(&api.client(), &plan).await }).map_err(|stop| stop.message)?;
    Ok((reviewed(store, plan, &receipts)?, receipts))
}

/// Returns the plan that undoes what a journal records.
fn way_back(store: &Store, id: &str, plan: &Plan, done: &[Done]) -> Result<Plan, String> {
    let snapshot = store.snapshot();
    let mut keys = plan.objects();
    keys.extend(done.iter().filter_map(|done| done.step.write.as_ref()).map(|write| write.object.clone()));
    let manifests = manifests_of(store, &keys);
    let situation = Situation {
        snapshot: &snapshot,
        settings: settings(),
        manifests: &manifests,
        providers: Providers::built_in(),
    };
    match undo(&situation, id, false, plan, done) {
        Proposed::Plan(plan) => Ok(*plan),
        Proposed::Nothing(why) => Err(format!("nothing: {why}")),
        Proposed::Refused(refusal) => Err(format!("undo-{}: {}", refusal.by, refusal.message)),
    }
}

/// The cluster of a run that was cut short: at that moment, and after the controllers have finished.
struct Cut {
    then: Store,
    settled: Store,
}

/// The result of a run, and what happened after its incident.
#[derive(Clone, Debug, Default)]
struct Report {
    /// One word that says how the run ended.
    outcome: String,
    /// The guards that refused to continue or undo the repair.
    refusals: Vec<String>,
    /// How many losses there were to which the person had agreed.
    given_up: usize,
    /// How many losses the plan did not cause.
    excused: usize,
    /// How the run was brought to an end, if it was cut short.
    way: Option<RecoveryPath>,
    /// The state of the cluster in the end, as the plan sees it.
    place: Place,
    /// The length of the history when the same repair was requested again, if it was.
    anew_since: Option<usize>,
    /// The errors that the checks have found.
    wrong: Vec<String>,
    /// What happened, in order. It is printed if only one run is made.
    story: Vec<String>,
}

/// The results of earlier reviews, by world and plan.
type Reviews = Mutex<HashMap<String, Result<Reviewed, String>>>;

/// Reviews a plan, or returns the earlier result for the same plan in the same world. Resource versions are ignored.
fn reviewed_once(reviews: &Reviews, store: &Store, plan: Plan, receipts: &Receipts) -> Result<Reviewed, String> {
    let mut key = format!("{}{receipts:?}", serde_json::to_string(&plan).unwrap());
    for (_, object) in store.objects() {
        let mut object = object.clone();
        for varies in ["resourceVersion", "managedFields"] {
            object["metadata"].as_object_mut().map(|metadata| metadata.remove(varies));
        }
        if let Some(named) = object.pointer_mut("/spec/claimRef").and_then(Value::as_object_mut) {
            named.remove("resourceVersion");
        }
        key.push_str(&object.to_string());
    }
    let lock = || reviews.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return known.clone();
    }
    let made = reviewed(store, plan, receipts);
    lock().insert(key, made.clone());
    made
}

/// Returns the name of the guard that refused: the word before the colon.
fn guard(refusal: &str) -> String {
    refusal.split(':').next().unwrap_or_default().to_owned()
}

fn describe(stop: &Stopped) -> String {
    format!("{:?}: {} ({})", stop.kind, stop.message, stop.causes.join("; "))
}

/// Makes a run. Returns its report, the server, and the cluster after everybody except the drivers has acted. Returns
/// `None` if the request with the fault is never made. If `to_its_end` is set, a run that was cut short is continued or
/// undone.
fn disturbed(
    prepared: &Prepared,
    case: Case,
    reviews: &Reviews,
    dir: &Path,
    to_its_end: bool,
) -> Option<(Report, ApiServer, Store)> {
    let api = ApiServer::new(prepared.base.clone(), case.controllers, case.seed);
    api.incident(At::Request(case.request), Who::Actor(case.actor), case.fault);
    let mut report = Report::default();
    run(async {
        let client = api.client();
        let begun = repair(prepared, &client, reviews, dir, &mut report);
        let ended = tokio::select! {
            ended = begun => Some(ended),
            () = api.killed() => None,
        };
        api.acted()?;
        let finished = matches!(ended, Some(Ok(())));
        let journal = journal_of(dir, &mut report).filter(|_| !finished && to_its_end);
        let mut random = Random::new(case.seed ^ 0x5eed);
        let on_first = random.below(2) == 0;
        // A repair can be continued immediately. But it is undone only after all its requests have certainly ended.
        if journal.is_none() || !on_first {
            tokio::time::sleep(IN_FLIGHT).await;
        }
        let written = api.with(|store, _| by_us(store, prepared.base.history.len()));
        judge_end(ended.as_ref(), written, &mut report);
        if let Some(id) = journal {
            if case.controllers != Controllers::Stopped || random.below(2) == 0 {
                api.with(Store::settle);
            }
            api.run_controllers(Controllers::Run);
            let recovery = Recovery { prepared, api: &api, client: &client, reviews, dir, id: &id };
            report.way = recovery.recover(case.actor, on_first, &mut report).await;
            tokio::time::sleep(IN_FLIGHT).await;
        }
        Some(())
    })?;
    let settled = api.with(|store, random| {
        store.settle(random);
        store.clone()
    });
    Some((report, api, settled))
}

/// Returns the states in which a cluster may end if an actor acts at a request and there is no fault. This includes
/// runs that are cut short at that request, and the same runs after they were continued or undone.
fn without_faults(prepared: &Prepared, actor: Actor, request: usize, reviews: &Reviews) -> BTreeSet<String> {
    let mut ends = BTreeSet::new();
    for controllers in [Controllers::Run, Controllers::Stopped] {
        for (fault, to_its_end) in [(Fault::KilledAfter, false), (Fault::None, false), (Fault::None, true)] {
            let case = Case { scenario: 0, request, fault, actor, controllers, seed: request as u64 };
            let folder = folder();
            let ended = disturbed(prepared, case, reviews, folder.path(), to_its_end);
            ends.extend(ended.map(|(_, _, end)| state::state(&end)));
        }
    }
    ends
}

/// Makes one run. Returns `None` if the request with the fault is never made.
fn make(prepared: &Prepared, case: Case, reviews: &Reviews, dir: &Path) -> Option<Report> {
    let (mut report, api, settled) = disturbed(prepared, case, reviews, dir, true)?;
    // The end of the run is checked only for actors whose ends are known. The requests closest to this one are tried
    // first, because they most likely lead to the same end.
    let mut requests: Vec<usize> = (1..=prepared.requests).filter(|_| !case.actor.is_rough()).collect();
    requests.sort_by_key(|request| request.abs_diff(case.request));
    report.place = prepared.states.place(&settled, &prepared.base, case.actor, requests, |request| {
        without_faults(prepared, case.actor, request, reviews)
    });
    let mut all = lost(&settled);
    all.extend(api.with(|store, random| {
        aftermath(store, random);
        losses(store, &prepared.protected)
    }));
    for loss in all {
        if is_given_up(&loss, &prepared.plan) {
            report.given_up += 1;
        } else if is_excused(prepared, &api, case, &loss) || rough::is_excused(&api, case, &loss) {
            report.excused += 1;
        } else {
            report.wrong.push(format!("{loss:?}"));
        }
    }
    judge(case, &settled, &mut report);
    rough::judge(prepared, &api, case, &mut report);
    in_use::judge(prepared, &api, &mut report);
    if !report.wrong.is_empty() {
        report.story.extend(told(prepared, &api));
    }
    Some(report)
}

/// Runs a repair in the same way as the command does, from reading to the end of the plan.
async fn repair(
    prepared: &Prepared,
    client: &kube::Client,
    reviews: &Reviews,
    dir: &Path,
    report: &mut Report,
) -> Result<(), Stopped> {
    execute::manifests(client, &prepared.plan.objects()).await?;
    let receipts = execute::receipts(client, &prepared.plan).await?;
    let reviewed = if receipts == prepared.receipts {
        prepared.reviewed.clone()
    } else {
        match reviewed_once(reviews, &prepared.base, prepared.plan.clone(), &receipts) {
            Ok(reviewed) => reviewed,
            Err(refusal) => {
                report.refusals.push(guard(&refusal));
                return Ok(());
            }
        }
    };
    let mut journal = Journal::create(dir, &prepared.plan, "stage", NOW)?;
    let confirmed = confirmed(reviewed);
    execute::execute(client, confirmed, &mut journal, &OPTIONS, &Silent::new(None)).await.map(|_| ())
}

fn words(prepared: &Prepared, case: Case) -> String {
    format!(
        "{}/{}/{}/{}/{}/{}",
        prepared.name,
        case.request,
        case.fault.word(),
        case.actor.word(),
        case.controllers.word(),
        case.seed
    )
}

/// Parses the description of a run.
fn parse(all: &[Prepared], words: &str) -> Case {
    let parts: Vec<&str> = words.split('/').collect();
    let [scenario, request, fault, actor, controllers, seed] = parts[..] else {
        panic!("{words:?} does not have the form scenario/request/fault/actor/controllers/seed")
    };
    Case {
        scenario: all.iter().position(|prepared| prepared.name == scenario).unwrap(),
        request: request.parse().unwrap(),
        fault: Fault::OF_REPAIRS.into_iter().find(|known| known.word() == fault).unwrap(),
        actor: Actor::all().find(|known| known.word() == actor).unwrap(),
        controllers: Controllers::ALL.into_iter().find(|known| known.word() == controllers).unwrap(),
        seed: seed.parse().unwrap(),
    }
}

/// Returns all cases, in an order that depends only on the seed.
fn cases(all: &[Prepared], seed: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random::new(seed);
    for (scenario, prepared) in all.iter().enumerate() {
        for request in 1..=prepared.requests {
            for fault in Fault::OF_REPAIRS {
                for actor in Actor::all() {
                    for controllers in Controllers::ALL {
                        let seed = random.next() % 1_000_000;
                        cases.push(Case { scenario, request, fault, actor, controllers, seed });
                    }
                }
            }
        }
    }
    for last in (1..cases.len()).rev() {
        cases.swap(last, random.below(last + 1));
    }
    cases
}

/// Makes runs on several threads. It ends when all runs were made, or when `until` returns true for the number of runs.
fn make_all(all: &[Prepared], cases: &[Case], reviews: &Reviews, until: &(dyn Fn(usize) -> bool + Sync)) -> Tally {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let total = Mutex::new(Tally::default());
    // A run spends half of its time waiting. So there are two threads for each CPU.
    let threads = 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut tally = Tally::default();
                loop {
                    let begun = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(begun).copied().filter(|_| !until(begun)) else { break };
                    let prepared = &all[case.scenario];
                    let folder = folder();
                    tally.add(prepared, case, make(prepared, case, reviews, folder.path()));
                }
                total.lock().unwrap_or_else(PoisonError::into_inner).merge(tally);
            });
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::disallowed_methods, reason = "the person who runs the tests sets their duration")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the sample has a time limit")]
fn clock() -> impl Fn() -> Duration + Sync {
    let begun = std::time::Instant::now();
    move || begun.elapsed()
}

#[expect(clippy::print_stderr, reason = "the figures are wanted in the test's output")]
fn print(text: &str) {
    eprintln!("{text}");
}

/// Makes one run, or a sample that depends on the seed. The sample has at least 300 cases. After them, it continues
/// until the number of seconds in `PVCTL_FAULTS_SECONDS` has passed. The seed is 1, or `PVCTL_FAULTS_SEED`.
#[test]
fn sample() {
    const LEAST: usize = 300;
    let (all, notes) = prepared();
    if let Some(words) = setting("PVCTL_FAULT") {
        let case = parse(all, &words);
        let folder = folder();
        let report = make(&all[case.scenario], case, &Reviews::default(), folder.path());
        print(&format!("{report:#?}"));
        assert!(report.is_some_and(|report| report.wrong.is_empty()), "{words}");
        return;
    }
    let only = setting("PVCTL_FAULTS_ONLY");
    let seconds = setting("PVCTL_FAULTS_SECONDS").and_then(|text| text.parse().ok()).unwrap_or(0);
    let seed = setting("PVCTL_FAULTS_SEED").and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut cases = cases(all, seed);
    cases.retain(|case| only.as_ref().is_none_or(|only| all[case.scenario].name == *only));
    print(&format!("seed {seed}, {} cases", cases.len()));
    let clock = clock();
    let enough = |begun| begun >= LEAST && clock() >= Duration::from_secs(seconds);
    let tally = make_all(all, &cases, &Reviews::default(), &enough);
    show(&tally, all, notes, clock().as_secs());
    assert!(tally.runs > 100, "only {} runs were made", tally.runs);
    nothing_wrong(&tally, notes);
}

/// The undo of an undisturbed repair restores the state before the repair, as `docs/REPAIR.md` promises.
#[test]
fn an_undo_restores_the_state_before_the_repair() {
    let (all, _) = prepared();
    let mut missed = Vec::new();
    for back in all {
        let Some(name) = back.name.strip_prefix("undo-") else { continue };
        let forth = all.iter().find(|prepared| prepared.name == name).unwrap();
        if let Some(end) = forth.states.missed_by(&back.states) {
            missed.push((name, end));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The only repairs that cannot be undone after they were carried out. Each has the guard that refuses the undo.
const NOT_TAKEN_BACK: [&str; 9] = [
    "undo-release-waiting is refused: undo-held",
    "undo-reclaim is refused: undo-undo",
    "undo-recreate-class is refused: undo-undo",
    "undo-restore-recreated is refused: undo-held",
    "undo-restore-naming is refused: undo-held",
    "undo-rebind-unbound is refused: undo-held",
    "undo-unfinalize-volume is refused: undo-undo",
    "undo-unfinalize-claim is refused: undo-undo",
    "undo-detach is refused: undo-undo",
];

/// Asserts that no run went wrong, and that the repairs in `NOT_TAKEN_BACK`, and no others, are refused.
fn nothing_wrong(tally: &Tally, notes: &[String]) {
    // A note has the form "NAME is refused: WHO: why".
    let parts = |note: &String| note.splitn(3, ": ").take(2).collect::<Vec<_>>().join(": ");
    let refused: Vec<String> = notes.iter().map(parts).collect();
    assert_eq!(refused, NOT_TAKEN_BACK);
    let first = tally.wrong.first().map(String::as_str).unwrap_or_default();
    assert!(tally.wrong.is_empty(), "{} runs went wrong, such as {first}", tally.wrong.len());
}

/// The progress of the test `all`, as it is stored in a file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Progress {
    seed: u64,
    /// The number of cases. If it has changed, the repairs have changed.
    cases: usize,
    begun: usize,
    seconds: u64,
    tally: Tally,
}

/// Makes every run, or the number of runs in `PVCTL_FAULTS_RUNS`. It continues an earlier run of this test. The
/// progress is in `target/faults.json`, or in the file in `PVCTL_FAULTS_PROGRESS`.
#[test]
#[ignore = "takes hours"]
#[expect(clippy::disallowed_methods, reason = "the progress is stored in a file")]
fn all() {
    const AT_ONCE: usize = 400;
    let clock = clock();
    let (all, notes) = prepared();
    let seed = setting("PVCTL_FAULTS_SEED").and_then(|text| text.parse().ok()).unwrap_or(1);
    let cases = cases(all, seed);
    let file = setting("PVCTL_FAULTS_PROGRESS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/faults.json"), std::path::PathBuf::from);
    let fresh = || Progress { seed, cases: cases.len(), ..Progress::default() };
    let read = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Progress>(&bytes).ok());
    let mut progress = read.filter(|known| known.seed == seed && known.cases == cases.len()).unwrap_or_else(fresh);
    let before = progress.seconds;
    let end = setting("PVCTL_FAULTS_RUNS").and_then(|text| text.parse().ok()).unwrap_or(cases.len()).min(cases.len());
    print(&format!("seed {seed}, {} cases, from {} to {end}", cases.len(), progress.begun));
    let reviews = Reviews::default();
    while progress.begun < end {
        let next = end.min(progress.begun + AT_ONCE);
        progress.tally.merge(make_all(all, &cases[progress.begun..next], &reviews, &|_| false));
        progress.begun = next;
        progress.seconds = before + clock().as_secs();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, serde_json::to_vec_pretty(&progress).unwrap()).unwrap();
        print(&format!("{next} of {end}, {} s, {} wrong", progress.seconds, progress.tally.wrong.len()));
    }
    show(&progress.tally, all, notes, progress.seconds);
    nothing_wrong(&progress.tally, notes);
}
