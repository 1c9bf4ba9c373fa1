//! `fix` with the findings of each repairable rule, on the real controllers. Each state is caused as in practice. The
//! test checks the state after the repair, what is left to a person, and how the person repairs it. A second run must
//! not write anything. The test also checks the state after the undo, and that nothing is lost at any time.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits for controllers, says how much it saw, and fails by panicking"
)]

mod actors;
mod claims;
mod late;
mod volumes;

use crate::live::site::{PV, PVC, Place, Site, text};
use crate::support::screen::plain;
use pvctl::diagnosis::rules;
use serde_json::Value;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many cases run at the same time. They spend most of their time waiting.
const ABREAST: usize = 6;

/// The environment variable that selects places, separated by commas. Without it, all places are tested.
const CHOSEN: &str = "PVCTL_PLACES";

/// The longest time until a state appears. The controllers resync every second.
const PATIENCE: Duration = Duration::from_secs(20);

/// The findings that `fix --yes` leaves to a person, because they have no safe repair: the rule and the place.
const LEFT: [(&str, &str); 10] = [
    // The claim of this volume was deleted. So a person has asked for the deletion.
    ("data-about-to-go", "unwanted"),
    // The claimRef of the volume has the uid of an earlier claim. A volumeName cannot be removed from a claim again.
    ("lost-volumename-empty", "noname"),
    // A person has to choose one of two volumes with the same storage.
    ("pv-duplicate-backing", "twice"),
    // The claim was created again and does not name its volume.
    ("pv-released-claim-recreated", "anew"),
    // The namespace is gone. Anybody who creates a namespace of that name would get the data.
    ("pv-released-retain", "homeless"),
    // With policy Retain, only the object of the volume is deleted.
    ("pv-terminating-provisioner-finalizer", "undriven"),
    // Only a person knows which class is meant.
    ("pvc-class-not-found", "misspelt"),
    // The scheduler chooses a node again, and cannot be told the former node.
    ("pvc-selected-node-gone", "nodeless"),
    // The data are already kept. The claim is kept by a pod that a person may want to read.
    ("pvc-terminating-completed-pod", "finished"),
    // The data are already kept. A finalizer that was removed cannot be restored.
    ("pvc-terminating-unknown-finalizer", "held"),
];

/// Lines of a table. `@` stands for the name of the place. The namespace and the class have this name, and the names of
/// the volumes begin with it.
type Lines = &'static [&'static str];

/// How a state is caused, and what is done about it afterwards.
struct Case {
    rule: &'static str,
    place: &'static str,
    class: Class,
    arise: fn(&Place<'_>),
    /// The state of all objects at the start: see [`Place::all`].
    stands: Lines,
    /// The findings of `audit` on the objects of the place at the start, without findings of severity `info`.
    found: Lines,
    /// What follows, in order.
    acts: &'static [Act],
    volumes: Lines,
    /// The claims that may have the volumes.
    meant: &'static [(&'static str, &'static str)],
    /// The losses of volumes that were already being deleted.
    harm: Lines,
}

/// The class of a place.
enum Class {
    /// Its volumes are created by hand.
    ByHand,
    /// A driver creates its volumes as soon as there is a claim.
    Driver,
    /// A driver creates its volumes once the scheduler has chosen a node.
    Late,
}

/// One command, and its expected result.
#[derive(Clone, Copy)]
struct Act {
    words: Lines,
    code: i32,
    /// The texts that the output must contain.
    says: Lines,
    /// How many repairs the command makes. Each leaves a journal. Without repairs nothing is written.
    repairs: usize,
    /// The state of all objects afterwards, or `None` if the state does not change.
    stands: Option<Lines>,
    found: Option<Lines>,
    /// The exit code of the same command when it is run again. It must not write anything then.
    again: Option<i32>,
    /// What other actors do instead of a command.
    others: Option<fn(&Place<'_>)>,
    /// The questions in a terminal, each with the keys that the test presses. If there are none, the command is
    /// confirmed with `--yes`.
    answers: &'static [(&'static str, &'static str)],
}

impl Act {
    /// A command that makes this number of repairs, and has nothing to do the second time.
    const fn does(words: Lines, repairs: usize, stands: Lines, found: Lines) -> Self {
        let (stands, found) = (Some(stands), Some(found));
        Self { words, code: 0, says: &[], repairs, stands, found, again: Some(0), others: None, answers: &[] }
    }

    /// A command that writes nothing, and ends with this code.
    const fn refuses(words: Lines, code: i32, says: Lines) -> Self {
        Self { words, code, says, repairs: 0, stands: None, found: None, again: None, others: None, answers: &[] }
    }

    /// An action of other actors, after which the place has this state and these findings.
    const fn comes(others: fn(&Place<'_>), stands: Lines, found: Lines) -> Self {
        Self { again: None, others: Some(others), ..Self::does(&[], 0, stands, found) }
    }

    /// An `undo` that leads to this state. A second `undo` has nothing to take back.
    const fn back(stands: Lines, found: Lines) -> Self {
        Self { again: Some(2), ..Self::does(&["undo"], 1, stands, found) }
    }

    /// An `undo` that leaves policy Retain. With the former policy Delete the data of the volume would be deleted.
    const NOTHING_BACK: Self = Self {
        says: &["nothing of ", "volume @-a keeps policy Retain"],
        repairs: 1,
        again: Some(2),
        ..Self::refuses(&["undo"], 0, &[])
    };

    /// An `undo` after which an earlier repair remains. A second `undo` would take back the earlier repair. So the
    /// command is not repeated.
    const fn further(self) -> Self {
        Self { again: None, ..self }
    }

    /// A command with questions that a person answers in a terminal.
    const fn asked(self, answers: &'static [(&'static str, &'static str)]) -> Self {
        Self { answers, ..self }
    }

    const fn says(self, says: Lines) -> Self {
        Self { says, ..self }
    }

    /// The rule still finds the object. Only a person can change that, but no data can be lost any more.
    const fn harmless(self) -> Self {
        Self { again: Some(1), ..self }
    }

    /// A finding is left. So the command ends with exit code 1 each time.
    const fn leaves(self) -> Self {
        Self { code: 1, again: Some(1), ..self }
    }
}

/// The progress of a case: its expected state, its faults, and its number of repairs.
struct Run<'p, 's> {
    place: &'p Place<'s>,
    stands: Vec<String>,
    found: Vec<String>,
    wrong: Vec<String>,
    repairs: usize,
    /// Whether `fix` left the finding to a person.
    is_left: bool,
}

impl<'p, 's> Run<'p, 's> {
    /// Checks the state at the start.
    fn new(place: &'p Place<'s>, stands: Lines, found: Lines) -> Self {
        let (stands, found) = (named(place, stands), named(place, found));
        let mut run = Self { place, stands, found, wrong: Vec::new(), repairs: 0, is_left: false };
        run.check("at the start");
        run
    }

    /// Waits until the state is the expected one, and checks the findings.
    fn check(&mut self, when: &str) {
        let begin = Instant::now();
        let mut now = self.place.all();
        while now != self.stands && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(200));
            now = self.place.all();
        }
        self.place.rest();
        now = self.place.all();
        if now != self.stands {
            self.wrong.push(format!("{when}: the state is {now:?}, but must be {:?}", self.stands));
        }
        let found = found(self.place);
        if found != self.found {
            self.wrong.push(format!("{when}: the findings are {found:?}, but must be {:?}", self.found));
        }
    }

    fn act(&mut self, rule: &str, act: Act) {
        if let Some(others) = act.others {
            others(self.place);
            self.expect(act);
            self.check("after the actions of others");
            return;
        }
        let words = named(self.place, act.words);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (versions, journals) = (self.place.rest(), self.place.journals());
        let (code, said) = if act.answers.is_empty() {
            let ended = self.place.run(&[&words[..], &["--yes", "--timeout", "60s"]].concat());
            (ended.code, format!("{}{}", ended.stdout, ended.stderr))
        } else {
            answered(self.place, &words, act.answers)
        };
        let mut wrong = |what: String| self.wrong.push(format!("{words:?}: {what}\n{said}"));
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        if code != Some(act.code) {
            wrong(format!("it ended with {code:?}, and not {}", act.code));
        }
        for line in named(self.place, act.says) {
            if !flat.contains(&line) {
                wrong(format!("it does not say {line:?}"));
            }
        }
        let made = self.place.journals() - journals;
        if made != act.repairs {
            wrong(format!("it left {made} journals, and not {}", act.repairs));
        }
        if act.repairs == 0 && self.place.rest() != versions {
            wrong("it has written something".to_owned());
        }
        if act.words[0] == "fix" {
            self.is_left |= flat.contains(&format!("left: {rule} on "));
        }
        self.repairs += made;
        self.expect(act);
        self.check(&format!("after {words:?}, which printed {said}"));
        if let Some(code) = act.again {
            let (versions, journals) = (self.place.rest(), self.place.journals());
            let ended = self.place.run(&[&words[..], &["--yes", "--timeout", "60s"]].concat());
            if ended.code != Some(code) {
                let what = format!("the second time {words:?} ended with {:?}, and not {code}", ended.code);
                self.wrong.push(format!("{what}: {}{}", ended.stdout, ended.stderr));
            }
            if self.place.rest() != versions || self.place.journals() != journals {
                let said = ended.stdout + &ended.stderr;
                self.wrong.push(format!("the second time {words:?} writes something: {said}"));
            }
        }
    }

    /// Sets the expected state after an action. If the action does not state it, the state is unchanged.
    fn expect(&mut self, act: Act) {
        if let Some(lines) = act.stands {
            self.stands = named(self.place, lines);
        }
        if let Some(lines) = act.found {
            self.found = named(self.place, lines);
        }
    }

    /// Checks everything that the watch has seen.
    fn watched(&mut self, volumes: Lines, meant: &[(&str, &str)], harm: Lines) {
        let meant: Vec<(String, String)> =
            meant.iter().map(|(namespace, name)| (whole(self.place, namespace), whole(self.place, name))).collect();
        let meant: Vec<(&str, &str)> =
            meant.iter().map(|(namespace, name)| (namespace.as_str(), name.as_str())).collect();
        let seen: Vec<String> =
            volumes.iter().flat_map(|name| self.place.site.harm(&self.place.of(name), &meant)).collect();
        let harm = named(self.place, harm);
        if seen != harm {
            self.wrong.push(format!("the watch saw {seen:?}, and not {harm:?}"));
        }
        for name in volumes {
            self.wrong.extend(exposed(self.place, name));
        }
    }
}

/// Runs the program in a terminal with these answers to its questions. Returns the exit code and the words that were
/// shown.
fn answered(place: &Place<'_>, words: &[&str], answers: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut screen = place.screen(words);
    for (question, keys) in answers {
        screen.until(question);
        screen.press(keys);
    }
    let (code, shown) = screen.end();
    (code, plain(shown.as_bytes()))
}

/// Returns the text with the name of the place in place of `@`.
fn whole(place: &Place<'_>, text: &str) -> String {
    text.replace('@', &place.name)
}

fn named(place: &Place<'_>, lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| whole(place, line)).collect()
}

/// Returns the findings on the objects of a place, sorted: the rule and the object.
fn found(place: &Place<'_>) -> Vec<String> {
    let run = place.site.plane.pvctl(&["audit", "-A", "-o", "json", "--exit-zero"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter().filter(|one| text(one, "/severity") != "info");
    let mut lines: Vec<String> = findings
        .filter_map(|finding| {
            let object = &finding["object"];
            let (namespace, name) = (text(object, "/namespace"), text(object, "/name"));
            let is_ours = match text(object, "/kind") {
                PV => name.starts_with(&format!("{}-", place.name)),
                "Namespace" => name == place.name,
                _ => namespace == place.name,
            };
            let kind = match text(object, "/kind") {
                PV => "pv",
                PVC => "pvc",
                "Namespace" => "ns",
                "StatefulSet" => "sts",
                kind => kind,
            };
            is_ours.then(|| format!("{} on {kind}/{name}", text(finding, "/id")))
        })
        .collect();
    lines.sort();
    lines
}

/// Returns a fault if, at some moment after the volume first had policy Retain, its policy and its phase allowed the
/// driver to delete it.
fn exposed(place: &Place<'_>, volume: &str) -> Option<String> {
    let name = place.of(volume);
    let history = place.site.history(&name);
    let policy = |object: &Value| text(object, "/spec/persistentVolumeReclaimPolicy").to_owned();
    let first = history.iter().position(|(_, object)| policy(object) == "Retain")?;
    let deletable =
        |object: &Value| policy(object) == "Delete" && ["Released", "Failed"].contains(&text(object, "/status/phase"));
    let later = history.iter().skip(first).any(|(_, object)| deletable(object));
    later.then(|| format!("{name} became deletable again after it was kept"))
}

/// Runs one case, from its start to the undo.
fn run(site: &Site, case: &Case) -> (Vec<String>, usize, bool) {
    let place = match case.class {
        Class::ByHand => Place::new(site, case.place),
        Class::Driver => Place::of_class(site, case.place, actors::DRIVER, "Immediate"),
        Class::Late => Place::of_class(site, case.place, actors::DRIVER, "WaitForFirstConsumer"),
    };
    (case.arise)(&place);
    let mut run = Run::new(&place, case.stands, case.found);
    for act in case.acts {
        run.act(case.rule, *act);
    }
    run.watched(case.volumes, case.meant, case.harm);
    (run.wrong, run.repairs, run.is_left)
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_findings_of_each_repairable_rule_are_fixed() {
    let begin = Instant::now();
    let cases: Vec<&Case> = claims::CASES.iter().chain(volumes::CASES).collect();
    let covered: BTreeSet<&str> = cases.iter().map(|case| case.rule).chain([late::RULE]).collect();
    let elsewhere = super::services::RULES;
    let repairable = rules::repairable().map(|rule| rule.id).filter(|id| !elsewhere.contains(id)).collect();
    assert_eq!(covered, repairable, "there must be a case for each repairable rule, and no other case");
    let chosen = std::env::var(CHOSEN).unwrap_or_default();
    let is_chosen = |place: &str| chosen.is_empty() || chosen.split(',').any(|one| one == place);
    let cases: Vec<&Case> = cases.into_iter().filter(|case| is_chosen(case.place)).collect();
    let mut site = Site::start();
    actors::install(&site);
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (repairs, left) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..ABREAST {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let called = format!("{} in {}", case.rule, case.place);
                    let begin = Instant::now();
                    let Ok((faults, made, is_left)) = catch_unwind(AssertUnwindSafe(|| run(&site, case))) else {
                        wrong.lock().unwrap().push(format!("{called}: the state did not arise"));
                        continue;
                    };
                    eprintln!("{called}: {made} repairs, {} s", begin.elapsed().as_secs());
                    repairs.fetch_add(made, Ordering::SeqCst);
                    if is_left {
                        left.lock().unwrap().push((case.rule, case.place));
                    }
                    wrong.lock().unwrap().extend(faults.into_iter().map(|fault| format!("{called}: {fault}")));
                }
            });
        }
    });
    let (faults, made) = late::run(&mut site);
    let mut wrong = wrong.into_inner().unwrap();
    wrong.extend(faults);
    let made = made + repairs.into_inner();
    eprintln!("{} states and {made} repairs in {} s", cases.len() + 1, begin.elapsed().as_secs());
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n\n"));
    let mut left = left.into_inner().unwrap();
    left.sort_unstable();
    let meant: Vec<(&str, &str)> = LEFT.into_iter().filter(|(_, place)| is_chosen(place)).collect();
    assert_eq!(left, meant, "exactly these findings must be left to a person");
}
