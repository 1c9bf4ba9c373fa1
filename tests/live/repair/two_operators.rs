//! Two people repair the same claim at the same time, each with their own plans and journals. Programs are killed,
//! controllers are stopped for a while, a volume is replaced by one of the same name, and later the API server has
//! another address. No volume must be lost or given to a stranger. It must be possible to continue or undo every
//! journal.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test starts and kills programs, waits for controllers, says how much it saw, and fails by panicking"
)]

use super::actors::{provisioner, version};
use super::faults::so_many_abreast;
use super::harm::Judge;
use crate::live::api::path;
use crate::live::proxy::Proxy;
use crate::live::site::{PV, PVC, Place, Site, text};
use crate::support::api::Random;
use crate::support::{BINARY, Finished, Run};
use http::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How many repairs there are, if [`RUNS`] is not set.
const SAMPLE: usize = 24;

/// The environment variable with the number of repairs.
const RUNS: &str = "PVCTL_OPERATORS_RUNS";

/// How many repairs run at the same time.
const ABREAST: usize = 6;

/// How many repairs begin in one round. In a round the controllers are either stopped for a while, or run all the time.
const ROUND: usize = 12;

/// How long the controllers are stopped.
const PAUSE: Duration = Duration::from_secs(3);

/// The longest time of a run, including its waits.
const PATIENCE: Duration = Duration::from_secs(90);

/// The repairs that an operator can request. `N` means the name of the place.
const WAYS: [&[&str]; 6] = [
    &["move", "pvc/data", "--to-namespace", "N-to"],
    &["rename", "pvc/data", "archive"],
    &["rebind", "pvc/data", "--to", "pv/N-b"],
    &["retain", "pv/N-a"],
    &["move", "pvc/data", "--to-namespace", "N-to", "--restore-policy"],
    &["rename", "pvc/data", "vault"],
];

/// The claims that may have the volumes.
const MEANT: [(&str, &str); 5] = [("N", "data"), ("N-to", "data"), ("N", "archive"), ("N", "vault"), ("N", "copy")];

/// The parameters of a repair.
#[derive(Clone, Copy, Debug)]
struct RunParameters {
    number: usize,
    /// The repairs that the operators request, as indexes of [`WAYS`]. If the volume is replaced, there is only one
    /// operator.
    first: usize,
    second: Option<usize>,
    /// How much later the second operator begins.
    later: Duration,
    /// How long after its start the first program is killed, if it is.
    killed: Option<Duration>,
    /// Whether the controllers are stopped when the operators begin.
    paused: bool,
    /// Whether the volume is replaced after the first program was killed.
    anew: bool,
    /// Whether the API server has another address later.
    moved: bool,
    back_first: bool,
}

fn lot(number: usize) -> RunParameters {
    let mut random = Random::new(number as u64 ^ 0x0b5e_55ed);
    let mut millis = |most: usize| Duration::from_millis(random.below(most) as u64);
    let paused = number / ROUND % 2 == 1;
    let anew = paused && number.is_multiple_of(3);
    let (later, kill) = (millis(1500), millis(2500));
    RunParameters {
        number,
        first: if anew { number % 3 } else { number % WAYS.len() },
        second: (!anew).then_some(number / WAYS.len() % WAYS.len()),
        later,
        killed: (anew || number.is_multiple_of(2)).then_some(if anew { Duration::from_millis(2500) } else { kill }),
        paused,
        anew,
        moved: number % 4 < 2,
        back_first: number / 2 % 2 == 1,
    }
}

/// An operator: the words of the command, and the folder of the journals.
struct Operator {
    words: Vec<String>,
    journals: TempDir,
}

/// A repair that does not borrow the site, so that the controllers can be stopped and started.
struct Begun {
    lot: RunParameters,
    name: String,
    journals: TempDir,
    operators: Vec<Operator>,
    /// The names of the volumes, with their resource versions and uids before the repair.
    began: Vec<(String, u64, String)>,
    /// How those programs ended that were not killed.
    ended: Vec<String>,
}

fn name_of(lot: RunParameters) -> String {
    format!("o{}", lot.number)
}

fn begin(site: &Site, number: usize) -> Begun {
    let lot = lot(number);
    let place = Place::new(site, &name_of(lot));
    place.namespace(&format!("{}-to", place.name));
    place.left("copy", "b", "Retain");
    place.bound("data", "a", "Delete");
    let volumes = ["a", "b"].map(|volume| place.of(volume));
    let began = volumes.map(|name| {
        let volume = site.get(PV, "", &name).unwrap();
        (name, version(&volume), text(&volume, "/metadata/uid").to_owned())
    });
    let operator = |way: usize| Operator {
        words: WAYS[way].iter().map(|word| word.replace('N', &place.name)).collect(),
        journals: tempfile::tempdir().unwrap(),
    };
    let operators = [Some(lot.first), lot.second].into_iter().flatten().map(operator).collect();
    Begun { lot, name: place.name.clone(), operators, journals: place.keep(), began: began.to_vec(), ended: Vec::new() }
}

/// A running program, and the folder with its output.
struct Running {
    child: Child,
    output: TempDir,
}

impl Running {
    fn start(kubeconfig: &str, begun: &Begun, operator: &Operator) -> Self {
        let output = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(output.path().join(name)).unwrap();
        let mut command = Command::new(BINARY);
        command.args(["-n", &begun.name]).args(&operator.words).args(["--yes", "--timeout", "20s", "--journal"]);
        command.arg(operator.journals.path()).env_clear().env("HOME", output.path()).env("KUBECONFIG", kubeconfig);
        command.env("NO_COLOR", "1").stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
        Self { child: command.spawn().expect("the program starts"), output }
    }

    fn kill(mut self) {
        // The program may already have ended.
        _ = self.child.kill();
        self.child.wait().unwrap();
    }

    /// Waits for the end of the program, and returns its exit code and its output.
    fn end(mut self) -> (Option<i32>, String) {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > PATIENCE {
                self.child.kill().unwrap();
            }
            thread::sleep(Duration::from_millis(50));
        };
        let read = |name| std::fs::read_to_string(self.output.path().join(name)).unwrap();
        (status.code(), format!("{}{}", read("out"), read("err")))
    }
}

/// Starts the operators, and returns the programs that still run.
fn start(site: &Site, begun: &Begun) -> Vec<Running> {
    let kubeconfig = site.plane.kubeconfig().to_string_lossy();
    let first = Running::start(&kubeconfig, begun, &begun.operators[0]);
    let mut running = Vec::new();
    let began = Instant::now();
    if let Some(second) = begun.operators.get(1) {
        thread::sleep(begun.lot.later);
        running.push(Running::start(&kubeconfig, begun, second));
    }
    if let Some(killed) = begun.lot.killed {
        thread::sleep(killed.saturating_sub(began.elapsed()));
        first.kill();
    } else {
        running.push(first);
    }
    if begun.lot.anew {
        make_anew(site, &format!("{}-a", begun.name));
    }
    running
}

/// Deletes a volume, and creates a similar one with the same name and other storage. So it has other data.
fn make_anew(site: &Site, name: &str) {
    let mut volume = site.get(PV, "", name).unwrap();
    site.delete(PV, "", name);
    let path = path(PV, "", name);
    while let Some(mut going) = site.get(PV, "", name) {
        going["metadata"]["finalizers"] = json!([]);
        // The volume may be gone by then, or another writer may have changed it.
        _ = site.runtime.block_on(site.api.send(Method::PUT, &path, Some(&going)));
    }
    volume["apiVersion"] = json!("v1");
    volume["kind"] = json!(PV);
    volume["metadata"] = json!({"name": name, "annotations": volume["metadata"]["annotations"]});
    volume["spec"]["csi"]["volumeHandle"] = json!(format!("another-{name}"));
    volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Retain");
    site.put(&volume);
}

/// The result of a repair.
struct RunResult {
    what: Vec<String>,
    wrong: Vec<String>,
}

/// A repair whose programs have all ended. The controllers run again.
struct Case<'s> {
    place: Place<'s>,
    lot: RunParameters,
    operators: Vec<Operator>,
    began: Vec<(String, u64, String)>,
    /// Another address of the API server.
    elsewhere: Option<String>,
    story: Vec<String>,
}

impl Case<'_> {
    fn run(&self, operator: &Operator, words: &[&str], elsewhere: bool) -> Finished {
        let journals = operator.journals.path().to_string_lossy();
        let mut all = words.to_vec();
        all.extend(["-n", &self.place.name, "--journal", &journals]);
        let run = |all: &[&str]| Run::new(all);
        match self.elsewhere.as_deref().filter(|_| elsewhere) {
            Some(url) => {
                all.extend(["--server", url]);
                run(&all).finish()
            }
            None => run(&all).env("KUBECONFIG", &self.place.site.plane.kubeconfig().to_string_lossy()).finish(),
        }
    }

    /// Returns the journals of an operator: the id, whether anything was written, and whether the journal is closed. A
    /// journal is closed if it is finished, if it was taken back, or if the test has replaced its volume.
    fn journals(&self, operator: &Operator) -> Result<Vec<(String, bool, bool)>, String> {
        let told = self.run(operator, &["history", "-o", "json"], false);
        if told.code != Some(0) {
            return Err(format!("the journals are not readable: {}", told.stderr));
        }
        let told: Value = serde_json::from_str(&told.stdout).map_err(|error| error.to_string())?;
        let items = told["items"].as_array().cloned().unwrap_or_default();
        let one = |item: &Value| {
            let state = text(item, "/state");
            let over = state == "finished" || item["takenBackBy"].is_string() || (self.lot.anew && state == "lost");
            (text(item, "/id").to_owned(), item["written"] == true, over)
        };
        Ok(items.iter().map(one).collect())
    }

    /// Continues or undoes every open journal of an operator, in the order that the parameters say.
    fn lead(&mut self, at: usize) -> Result<Vec<String>, String> {
        let mut what = Vec::new();
        let operator = &self.operators[at];
        let mut told = Vec::new();
        for (id, written, over) in self.journals(operator)? {
            if !written || over {
                continue;
            }
            let on = ["apply", "--continue", &id, "--yes", "--timeout", "20s"];
            let back = ["undo", &id, "--yes", "--timeout", "20s"];
            let ways = if self.lot.back_first { [&back[..], &on[..]] } else { [&on[..], &back[..]] };
            let mut led = None;
            for way in ways {
                let mut ended = self.run(operator, way, self.lot.moved);
                if self.lot.moved && !matches!(ended.code, Some(0 | 1)) {
                    let home = self.run(operator, way, false);
                    if matches!(home.code, Some(0 | 1)) {
                        return Err(format!("at the other address it ended with {:?}: {}", ended.code, ended.stderr));
                    }
                    ended = home;
                }
                told.push(format!("{way:?} ended with {:?}: {}{}", ended.code, ended.stdout, ended.stderr));
                match ended.code {
                    Some(0 | 1) => {
                        led = Some(if way[0] == "undo" { "taken back" } else { "continued" });
                        break;
                    }
                    Some(2..=6) => {}
                    code => return Err(format!("{way:?} ended with {code:?}: {}", ended.stderr)),
                }
            }
            what.push(led.map_or_else(|| "neither".to_owned(), str::to_owned));
        }
        self.story.extend(told);
        Ok(what)
    }

    /// Returns whether a permitted claim has the data, or can get the data by one more command.
    fn is_reachable(&mut self) -> bool {
        let named = |claim: &(&str, &str)| (claim.0.replace('N', &self.place.name), claim.1.to_owned());
        let volume = self.place.of("a");
        let meant: Vec<(String, String)> = MEANT.iter().map(named).collect();
        let held = |place: &Place<'_>| {
            let now = place.site.pv(&volume);
            meant.iter().any(|(namespace, claim)| now.ends_with(&format!(", of {namespace}/{claim}")))
        };
        for _ in 0..30 {
            if held(&self.place) {
                return true;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let from = format!("pv/{volume}");
        for (namespace, claim) in &meant {
            let claim = format!("pvc/{claim}");
            let words = ["restore", &claim, "-n", namespace, "--from", &from, "--yes", "--timeout", "20s"];
            let done = self.place.site.plane.pvctl(&[&words[..], &["--journal", &self.place.journals_at()]].concat());
            self.story.push(format!("{words:?} ended with {:?}: {}", done.code, done.stderr));
            if done.code == Some(0) && held(&self.place) {
                return true;
            }
        }
        false
    }

    fn judge(mut self) -> RunResult {
        let mut came = RunResult { what: Vec::new(), wrong: Vec::new() };
        // The first operator may have to wait until the second one has continued or undone a repair. So the first
        // operator is tried twice.
        let many = self.operators.len();
        for at in [0, 1, 0].into_iter().filter(|at| *at < many) {
            match self.lead(at) {
                Ok(what) => came.what.extend(what),
                Err(why) => came.wrong.push(why),
            }
        }
        for operator in &self.operators {
            match self.journals(operator) {
                Ok(all) => came.wrong.extend(
                    all.iter()
                        .filter(|(_, written, over)| *written && !over)
                        .map(|(id, _, _)| format!("journal {id} was neither continued nor undone")),
                ),
                Err(why) => came.wrong.push(why),
            }
        }
        if self.lot.anew {
            came.wrong.extend(self.touched());
        } else if !self.is_reachable() {
            came.wrong.push(format!("no permitted claim can get the data: {:?}", self.place.all()));
        }
        came.wrong.extend(self.lost());
        if !came.wrong.is_empty() {
            came.wrong.push(format!("the state is {:?}; {}", self.place.all(), self.story.join("\n  ")));
        }
        self.place.clear();
        came
    }

    /// Returns what the program wrote to the volume that replaced another one, and what it wrote to other objects
    /// because of this volume.
    fn touched(&self) -> Vec<String> {
        let name = self.place.of("a");
        let old = &self.began[0].2;
        let Some(volume) = self.place.site.get(PV, "", &name) else { return Vec::new() };
        if text(&volume, "/metadata/uid") == old {
            return vec!["the test has not replaced the volume".to_owned()];
        }
        let ours = |object: &Value| {
            let managers = object["metadata"]["managedFields"].as_array();
            managers.is_some_and(|all| all.iter().any(|entry| entry["manager"] == "kubectl-pvctl"))
        };
        let mut wrong = Vec::new();
        if ours(&volume) {
            wrong.push(format!("STRANGER: another volume of the name {name} was written to"));
        }
        let claims = self.place.site.runtime.block_on(self.place.site.api.list(PVC));
        let theirs = |claim: &&Value| text(claim, "/spec/volumeName") == name && ours(claim);
        for claim in claims.iter().filter(theirs) {
            wrong.push(format!("STRANGER: {} was created for another volume", claim["metadata"]["name"]));
        }
        wrong
    }

    /// Returns how the volumes that existed at the start were lost, or could have been lost.
    fn lost(&self) -> Vec<String> {
        let named = |claim: &(&str, &str)| (claim.0.replace('N', &self.place.name), claim.1.to_owned());
        let meant: Vec<(String, String)> = MEANT.iter().map(named).collect();
        let losses = self.began.iter().flat_map(|(volume, began, uid)| {
            let judge = Judge { began: *began, meant: meant.clone(), ..Judge::default() };
            let mut history = self.place.site.history(volume);
            // A volume that the test has replaced is another volume. The test itself deleted the first one.
            let is_anew = self.lot.anew;
            let goes =
                |event: &str, now: &Value| event == "DELETED" || now["metadata"]["deletionTimestamp"].is_string();
            history.retain(|(event, now)| text(now, "/metadata/uid") == uid && !(is_anew && goes(event, now)));
            let losses = judge.losses(&history);
            losses.into_iter().map(move |loss| format!("LOST {volume}: {loss}"))
        });
        losses.collect()
    }
}

/// Runs all repairs of a round. In some rounds, the controllers are stopped when the repairs begin. The results are
/// checked afterwards.
fn round(site: &mut Site, numbers: Vec<usize>, url: &str) -> Vec<(RunParameters, RunResult)> {
    let begun = so_many_abreast(ABREAST, numbers, |number| begin(site, number));
    let paused = begun.first().is_some_and(|begun| begun.lot.paused);
    if paused {
        site.stop_controllers();
    }
    let stopped = Instant::now();
    let running = so_many_abreast(ROUND, begun, |begun| {
        let running = start(site, &begun);
        (begun, running)
    });
    if paused {
        thread::sleep(PAUSE.saturating_sub(stopped.elapsed()));
        site.start_controllers();
    }
    let site = &*site;
    let ended = so_many_abreast(ROUND, running, |(mut begun, running)| {
        for (code, said) in running.into_iter().map(Running::end) {
            begun.ended.push(format!("an operator ended with {code:?}: {said}"));
        }
        begun
    });
    so_many_abreast(ABREAST, ended, |begun| {
        let Begun { lot, name, journals, operators, began, ended } = begun;
        let place = Place::kept(site, &name, journals);
        let elsewhere = lot.moved.then(|| url.to_owned());
        (lot, Case { place, lot, operators, began, elsewhere, story: ended }.judge())
    })
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn two_operators_lose_nothing_and_every_journal_can_be_continued_or_undone() {
    let runs = std::env::var(RUNS).ok().map_or(SAMPLE, |runs| runs.parse().expect("a number of runs"));
    let begin = Instant::now();
    let mut site = Site::start();
    site.runtime.spawn(provisioner(site.api.clone()));
    let proxy = site.runtime.block_on(Proxy::passing(site.api.client()));
    let mut all = Vec::new();
    let numbers: Vec<usize> = (0..runs).collect();
    for numbers in numbers.chunks(ROUND) {
        all.extend(round(&mut site, numbers.to_vec(), &proxy.url()));
    }
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    for (lot, came) in &all {
        for what in &came.what {
            let what = if lot.anew { format!("{what}, another volume") } else { what.clone() };
            *tally.entry(what).or_default() += 1;
        }
    }
    let count = |word: &str| all.iter().filter(|(_, came)| came.wrong.iter().any(|why| why.starts_with(word))).count();
    let (lost, strange) = (count("LOST"), count("STRANGER"));
    eprintln!(
        "{runs} repairs in {} s: {lost} volumes lost, {strange} given to a stranger; {tally:?}",
        begin.elapsed().as_secs()
    );
    let wrong: Vec<String> = all
        .iter()
        .filter(|(_, came)| !came.wrong.is_empty())
        .map(|(lot, came)| format!("{lot:?}: {}", came.wrong.join("; ")))
        .collect();
    assert!(wrong.is_empty(), "{} of {runs} repairs went wrong:\n{}", wrong.len(), wrong.join("\n"));
}
