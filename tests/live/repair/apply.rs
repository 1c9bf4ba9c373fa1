//! Repairs while a person applies the manifest of the volume again and again with the real kubectl: client-side and
//! server-side, with and without a `claimRef` in the manifest. Meanwhile a provisioner immediately deletes every volume
//! that may be deleted. No volume must be lost. A run with exit code 0 must have reached its goal. A refusal must say
//! who writes and what to change.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test starts kubectl, waits for controllers, says how much it saw, and fails by panicking"
)]

use super::actors::{provisioner, version};
use super::faults::so_many_abreast;
use super::harm::Judge;
use crate::live::plane::kubectl;
use crate::live::site::{PV, PVC, Place, Site, text};
use crate::support::{Finished, Run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many runs there are if [`RUNS`] is not set: one for each combination.
const SAMPLE: usize = 24;

/// The environment variable with the number of runs.
const RUNS: &str = "PVCTL_APPLY_RUNS";

/// How many runs are made at the same time.
const ABREAST: usize = 6;

/// How long the person continues to apply the manifest after the repair.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// The field manager of server-side apply.
const MANAGER: &str = "storage-sync";

/// The repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Move,
    Rename,
    Rebind,
    /// Restores a claim that is Lost because the volume names it without a uid.
    RestoreLost,
    /// Restores a claim that is gone. The applied manifest has policy Retain.
    RestoreGone,
    /// Like `Move`, but the applied manifest has policy Retain.
    MoveKept,
}

impl Verb {
    const ALL: [Self; 6] =
        [Self::Move, Self::Rename, Self::Rebind, Self::RestoreLost, Self::RestoreGone, Self::MoveKept];

    fn words(self, place: &str) -> Vec<String> {
        let words: &[&str] = match self {
            Self::Move | Self::MoveKept => &["move", "pvc/data", "--to-namespace", "N-to"],
            Self::Rename => &["rename", "pvc/data", "archive"],
            Self::Rebind => &["rebind", "pvc/data", "--to", "pv/N-b"],
            Self::RestoreLost | Self::RestoreGone => &["restore", "pvc/data"],
        };
        words.iter().map(|word| word.replace('N', place)).collect()
    }

    /// Returns the policy in the applied manifest.
    fn policy(self) -> &'static str {
        if matches!(self, Self::RestoreGone | Self::MoveKept) { "Retain" } else { "Delete" }
    }

    /// Returns whether the repair must be refused. This is so if it deletes a claim and the applied manifest has policy
    /// Delete.
    fn is_refused(self) -> bool {
        matches!(self, Self::Move | Self::Rename | Self::Rebind)
    }

    /// Returns the volume, and the namespace and name of the claim, that must be bound to each other in the end.
    fn goal(self, place: &Place<'_>) -> (String, String, &'static str) {
        match self {
            Self::Move | Self::MoveKept => (place.of("a"), format!("{}-to", place.name), "data"),
            Self::Rename => (place.of("a"), place.name.clone(), "archive"),
            Self::Rebind => (place.of("b"), place.name.clone(), "data"),
            Self::RestoreLost | Self::RestoreGone => (place.of("a"), place.name.clone(), "data"),
        }
    }
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
struct RunParameters {
    verb: Verb,
    on_server: bool,
    names_claim: bool,
}

fn lot(number: usize) -> RunParameters {
    let way = number / Verb::ALL.len();
    RunParameters { verb: Verb::ALL[number % Verb::ALL.len()], on_server: way % 2 == 1, names_claim: way / 2 % 2 == 1 }
}

/// Returns the manifest of a volume that the person applies.
fn manifest(place: &Place<'_>, lot: RunParameters) -> Value {
    let name = place.of("a");
    let mut manifest = json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": place.name,
            "persistentVolumeReclaimPolicy": lot.verb.policy(),
            "csi": {"driver": "driver.example.com", "volumeHandle": name},
        },
    });
    if lot.names_claim {
        manifest["spec"]["claimRef"] =
            json!({"apiVersion": "v1", "kind": PVC, "namespace": place.name, "name": "data"});
    }
    manifest
}

/// Applies a manifest once.
fn apply(place: &Place<'_>, lot: RunParameters, manifest: &[u8]) -> Finished {
    let words: &[&str] = if lot.on_server {
        &["apply", "--server-side", "--force-conflicts", "--field-manager", MANAGER, "--validate=ignore", "-f", "-"]
    } else {
        &["apply", "--validate=ignore", "-f", "-"]
    };
    let config = place.site.plane.kubeconfig().to_string_lossy();
    Run::of(&kubectl(), words).env("KUBECONFIG", &config).stdin(manifest).finish()
}

/// Creates the broken state. The volume is created by applying its manifest.
fn begin(place: &Place<'_>, lot: RunParameters, manifest: &[u8]) {
    place.namespace(&format!("{}-to", place.name));
    if lot.verb == Verb::Rebind {
        place.left("copy", "b", "Retain");
    }
    let applied = apply(place, lot, manifest);
    assert_eq!(applied.code, Some(0), "{}", applied.stderr);
    let policy = lot.verb.policy();
    place.bind("data", "a", policy);
    match lot.verb {
        Verb::Move | Verb::Rename | Verb::Rebind | Verb::MoveKept => {}
        Verb::RestoreLost => {
            place.site.edit(PV, "", &place.of("a"), |volume| volume["spec"]["claimRef"]["uid"] = json!(null));
            place.claim_is("data", &format!("Lost, {}", place.of("a")));
            place.volume_is("a", &format!("Available, {policy}, for {}/data", place.name));
        }
        Verb::RestoreGone => {
            place.site.delete(PVC, &place.name, "data");
            place.volume_is("a", &format!("Released, {policy}, of the former {}/data", place.name));
        }
    }
}

/// The result of a run: its exit code, how often the manifest was applied, and the faults.
struct RunResult {
    lot: RunParameters,
    code: Option<i32>,
    applied: usize,
    wrong: Vec<String>,
}

fn run(site: &Site, number: usize) -> RunResult {
    let lot = lot(number);
    let place = Place::new(site, &format!("a{number}"));
    let manifest = manifest(&place, lot).to_string().into_bytes();
    begin(&place, lot, &manifest);
    let volumes: &[&str] = if lot.verb == Verb::Rebind { &["a", "b"] } else { &["a"] };
    let began: Vec<(String, u64)> = volumes
        .iter()
        .map(|volume| place.of(volume))
        .map(|name| (name.clone(), version(&site.get(PV, "", &name).unwrap())))
        .collect();
    let (stop, applied, before) = (AtomicBool::new(false), AtomicUsize::new(0), place.all());
    let words = lot.verb.words(&place.name);
    let ended = thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                // The API server may refuse the manifest while the volume is being deleted. The next round applies the
                // manifest again.
                let _tried = apply(&place, lot, &manifest);
                applied.fetch_add(1, Ordering::SeqCst);
            }
        });
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = place.run(&[words.as_slice(), &["--yes", "--timeout", "20s"]].concat());
        thread::sleep(AFTERWARDS);
        stop.store(true, Ordering::SeqCst);
        ended
    });
    let said = format!("{}{}", ended.stdout, ended.stderr);
    let mut wrong = lost(&place, &began, lot);
    let (volume, namespace, claim) = lot.verb.goal(&place);
    match ended.code {
        Some(0) if !was_reached(&place, &volume, &namespace, claim) => {
            wrong.push(format!("exit code 0, but {volume} was never bound to {namespace}/{claim}"));
        }
        // Whenever a manifest with `claimRef` is applied, it takes the volume from its claim. This is also possible
        // after the repair, so the goal may be lost again.
        Some(0) if !lot.names_claim && !is_reached(&place, &volume, &namespace, claim) => {
            wrong.push(format!("exit code 0, but the goal was lost again: {:?}", place.all()));
        }
        Some(6) if place.all() != before => wrong.push(format!("refused, but changed: {:?}", place.all())),
        Some(0..=6) => {}
        code => wrong.push(format!("it ended with {code:?}")),
    }
    if lot.verb.is_refused() {
        let who = if lot.on_server { MANAGER } else { "last-applied-configuration" };
        let names = [who, "persistentVolumeReclaimPolicy", "Retain"].iter().all(|word| said.contains(word));
        if ended.code != Some(6) {
            wrong.push("with policy Delete in the manifest, the repair must be refused".to_owned());
        } else if !names {
            wrong.push("the refusal does not say who writes and what to change".to_owned());
        }
    }
    let needs_nothing = !lot.names_claim && !lot.verb.is_refused() || lot.verb == Verb::RestoreGone;
    if needs_nothing && lot.verb.policy() == "Retain" && ended.code != Some(0) {
        wrong.push("the manifest agrees with the repair, but the repair did not succeed".to_owned());
    }
    if !wrong.is_empty() {
        wrong.push(said);
    }
    place.clear();
    RunResult { lot, code: ended.code, applied: applied.into_inner(), wrong }
}

/// Returns how volumes were lost, or could have been lost.
fn lost(place: &Place<'_>, began: &[(String, u64)], lot: RunParameters) -> Vec<String> {
    let name = |namespace: &str, claim: &str| (namespace.to_owned(), claim.to_owned());
    let mut meant = vec![name(&place.name, "data")];
    match lot.verb {
        Verb::Move | Verb::MoveKept => meant.push(name(&format!("{}-to", place.name), "data")),
        Verb::Rename => meant.push(name(&place.name, "archive")),
        Verb::Rebind => meant.push(name(&place.name, "copy")),
        Verb::RestoreLost | Verb::RestoreGone => {}
    }
    let losses = began.iter().flat_map(|(volume, began)| {
        let judge = Judge { began: *began, meant: meant.clone(), ..Judge::default() };
        let losses = judge.losses(&place.site.history(volume));
        losses.into_iter().map(move |loss| format!("LOST {volume}: {loss}"))
    });
    losses.collect()
}

/// Returns whether the volume was Bound to the claim at some moment.
fn was_reached(place: &Place<'_>, volume: &str, namespace: &str, claim: &str) -> bool {
    let has = |volume: &Value| {
        let named = &volume["spec"]["claimRef"];
        (text(named, "/namespace"), text(named, "/name")) == (namespace, claim)
            && !text(named, "/uid").is_empty()
            && text(volume, "/status/phase") == "Bound"
    };
    place.site.history(volume).iter().any(|(_, volume)| has(volume))
}

/// Returns whether the volume is bound to the claim now.
fn is_reached(place: &Place<'_>, volume: &str, namespace: &str, claim: &str) -> bool {
    place.site.pv(volume).ends_with(&format!(", of {namespace}/{claim}"))
        && place.site.pvc(namespace, claim) == format!("Bound, {volume}")
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn nothing_is_lost_while_somebody_applies_the_manifest_again_and_again() {
    let runs = std::env::var(RUNS).ok().map_or(SAMPLE, |runs| runs.parse().expect("a number of runs"));
    let begin = Instant::now();
    let site = Site::start();
    site.runtime.spawn(provisioner(site.api.clone()));
    let all = so_many_abreast(ABREAST, (0..runs).collect(), |number| run(&site, number));
    let mut tally: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for came in &all {
        let code = came.code.map_or("killed".to_owned(), |code| format!("exit {code}"));
        *tally.entry(format!("{:?}", came.lot)).or_default().entry(code).or_default() += 1;
    }
    for (lot, codes) in &tally {
        eprintln!("{lot}: {codes:?}");
    }
    let applied: usize = all.iter().map(|came| came.applied).sum();
    let wrong: Vec<&RunResult> = all.iter().filter(|came| !came.wrong.is_empty()).collect();
    let lost = wrong.iter().filter(|came| came.wrong.iter().any(|wrong| wrong.starts_with("LOST"))).count();
    eprintln!(
        "{runs} runs, in which the manifest was applied {applied} times, in {} s: {lost} lost",
        begin.elapsed().as_secs()
    );
    let told: Vec<String> = wrong.iter().map(|came| format!("{:?}: {}", came.lot, came.wrong.join("; "))).collect();
    assert!(told.is_empty(), "{} of {runs} runs went wrong, {lost} lost:\n{}", told.len(), told.join("\n"));
    assert!(applied >= runs, "the manifest was applied only {applied} times in {runs} runs");
}
