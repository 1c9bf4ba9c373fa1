//! Compares what the kubelet's volume manager does in a run. The model gets the same changes at the same moments, and
//! the same answers of drivers. It must do the same at every moment. If an order is not fixed, the model follows all
//! orders at the same time, and drops those that lead to something else than what was recorded.

use super::attaching::{difference, key_of, snapshot_of};
use super::logs::Logged;
use super::mounting::without_path;
use super::{Difference, Judged, Verdict};
use crate::line::Line;
use crate::managing::{CallRule, Entry, Managing, OnDisk, Step, StoredClaim};
use anyhow::{Context as _, Result, bail, ensure};
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::kubelet_volumes::manager::{
    ClaimPatch, Directory, DriverCall, DriverError, ErrorKind, KnownPod, KubeletAction, LONGEST_WAIT, LOOP_PERIOD,
    PodState, VolumeManager, VolumeOnDisk, WAIT_PERIOD, WaitLimit,
};
use pvctl::controllers::kubelet_volumes::{KubeletVolumes, MountEvent, NAME, WaitBranch};
use pvctl::controllers::pending_operations::Moment;
use pvctl::model::{Node, Pod, Str};
use pvctl::snapshot::Snapshot;
use pvctl::world::{Choices, View};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of states that are followed at the same time.
const MOST_STATES: usize = 256;
/// How long a call takes that no rule is about, in nanoseconds.
const USUALLY: u64 = 3_011_000;

impl Judged<'_> {
    /// Compares what the kubelet does at every moment of the run.
    pub(super) fn compare_managing(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(asked) = &self.line.managing else { return Ok(()) };
        ensure!(asked.invalid.is_empty(), "the world is invalid: {}", asked.invalid);
        let mut run = Run::new(&self.line.world.items, asked, self.behavior)?;
        let mut log = Logged::new(NAME);
        if let Some((now, real, predicted)) = run.follow(&mut log)? {
            verdict.differences.push(Difference {
                part: "managing".to_owned(),
                object: format!("the node at {}.{:09} s", now / 1_000_000_000, now % 1_000_000_000),
                only_real: difference(&real, &predicted),
                only_predicted: difference(&predicted, &real),
            });
        }
        log.judge("managing: log", verdict);
        verdict.counts.managing_moments += run.moments;
        verdict.counts.managing_actions += run.actions;
        *verdict.compared.entry("managing".to_owned()).or_default() += 1;
        verdict.counts.managing_runs += 1;
        Ok(())
    }
}

/// Returns the ids of the leaves that the volume manager reaches in the run of a line.
///
/// # Errors
/// Returns an error if the run cannot be followed.
pub fn managing_leaves(line: &Line, behavior: &KubernetesBehavior) -> Result<BTreeSet<&'static str>> {
    let Some(asked) = &line.managing else { return Ok(BTreeSet::new()) };
    let mut run = Run::new(&line.world.items, asked, behavior)?;
    ensure!(run.follow(&mut Logged::new(NAME))?.is_none(), "the run differs");
    Ok(run.leaves)
}

fn recorded_text(entry: &Entry) -> Result<String> {
    Ok(if let Some(call) = &entry.call {
        format!("call {} {} {}", call.name, call.volume, call.pod)
    } else if let Some(waited) = &entry.waited {
        format!("waited {} {}", waited.pod, waited.error)
    } else if let Some(in_use) = &entry.in_use {
        format!("in use {in_use:?}")
    } else if let Some(stored) = &entry.stored {
        stored_text(stored)
    } else if entry.event.is_empty() {
        bail!("an entry at {} has no content", entry.at)
    } else {
        format!("event {}", without_path(&entry.event))
    })
}

/// A run of the model.
struct Run<'a> {
    asked: &'a Managing,
    behavior: &'a KubernetesBehavior,
    items: BTreeMap<(String, String, String), Value>,
    snapshot: Snapshot,
    /// The volumes that the kubelet's copy of the node lists as attached.
    cached: BTreeSet<Str>,
    /// The uids of the pods that the kubelet has had, by their names.
    uids: BTreeMap<String, Str>,
    /// The uids of pods whose containers are being stopped, and of pods whose containers have ended.
    terminating: BTreeSet<Str>,
    ended: BTreeSet<Str>,
    script: std::iter::Peekable<std::slice::Iter<'a, Step>>,
    next_loop: u64,
    next_populate: u64,
    has_populated: bool,
    states: Vec<State>,
    /// The ids of the leaves that were reached, and those that were reached at the last moment.
    leaves: BTreeSet<&'static str>,
    passed: BTreeSet<&'static str>,
    /// The number of moments at which the kubelet did something, and the number of what it did.
    moments: usize,
    actions: usize,
}

/// A moment at which the model does something else than what was recorded: the moment, what was recorded, and what the
/// model does.
type Deviation = (u64, Vec<String>, Vec<String>);

/// What a state does at one moment.
#[derive(Default)]
struct Acted {
    /// What others can see.
    texts: Vec<String>,
    leaves: Vec<&'static str>,
    /// The changes of claims that the API server accepts.
    patches: Vec<ClaimPatch>,
}

/// One of the states in which the kubelet can be.
#[derive(Clone, PartialEq)]
struct State {
    manager: VolumeManager,
    /// The calls that have not been answered yet.
    calls: Vec<Pending>,
    /// The numbers of calls, by what they are.
    counts: BTreeMap<DriverCall, u32>,
    waits: Vec<Wait>,
    /// The volumes that the kubelet is writing to the status of the node.
    in_use: BTreeSet<Str>,
}

#[derive(Clone, PartialEq)]
struct Pending {
    ends: u64,
    /// The unique name of the volume.
    volume: Str,
    call: DriverCall,
    error: Option<DriverError>,
}

/// A wait for the volumes of a pod.
#[derive(Clone, PartialEq)]
struct Wait {
    pod: Pod,
    next: u64,
    ends: u64,
}

impl<'a> Run<'a> {
    fn new(items: &[Value], asked: &'a Managing, behavior: &'a KubernetesBehavior) -> Result<Self> {
        let items: BTreeMap<_, _> = items.iter().map(|item| (key_of(item), item.clone())).collect();
        let snapshot = snapshot_of(&items)?;
        let disk: Vec<VolumeOnDisk> = asked.disk.iter().map(on_disk).collect();
        let node = snapshot.find::<Node>("", &asked.node).context("the node does not exist")?;
        let cached = node.volumes_attached.iter().cloned().collect();
        let mut out = Vec::new();
        let manager = VolumeManager::start(&disk, &mut out);
        let leaves: BTreeSet<&'static str> = out
            .iter()
            .filter_map(|action| match action {
                KubeletAction::Decided(leaf) => Some(leaf.id()),
                _ => None,
            })
            .collect();
        let mut run = Self {
            asked,
            behavior,
            cached,
            items,
            snapshot,
            uids: BTreeMap::new(),
            terminating: BTreeSet::new(),
            ended: BTreeSet::new(),
            script: asked.script.iter().peekable(),
            next_loop: 0,
            next_populate: LOOP_PERIOD + asked.latency,
            has_populated: false,
            states: vec![State {
                manager,
                calls: Vec::new(),
                counts: BTreeMap::new(),
                waits: Vec::new(),
                in_use: BTreeSet::new(),
            }],
            passed: leaves.clone(),
            leaves,
            moments: 0,
            actions: 0,
        };
        run.remember_pods();
        Ok(run)
    }

    /// Remembers the pods of the node.
    fn remember_pods(&mut self) {
        let pods = self.pods();
        let known: Vec<(String, Str)> =
            pods.iter().map(|pod| (pod.meta.name.to_string(), pod.meta.uid.clone())).collect();
        self.uids.extend(known);
    }

    /// Follows the run to its end, or to the first moment at which the model does something else.
    fn follow(&mut self, log: &mut Logged) -> Result<Option<Deviation>> {
        let mut places = self.asked.log.iter().peekable();
        loop {
            let recorded = places.peek().map(|entry| entry.at);
            let now = recorded.into_iter().chain(self.next()).min();
            let Some(now) = now.filter(|now| *now < self.asked.until) else { return Ok(None) };
            let (mut real, mut logged) = (Vec::new(), Vec::new());
            while let Some(entry) = places.next_if(|entry| entry.at == now) {
                if entry.logged.is_empty() {
                    real.push(recorded_text(entry)?);
                } else {
                    logged.push(entry.logged.as_str());
                }
            }
            real.sort();
            self.moments += usize::from(!real.is_empty());
            self.actions += real.len();
            if let Some(predicted) = self.step(now, &real)? {
                return Ok(Some((now, real, predicted)));
            }
            log.compare(&logged, &self.passed);
            self.passed.clear();
        }
    }

    /// Returns the next moment at which something happens.
    fn next(&mut self) -> Option<u64> {
        let of_states = self.states.iter().filter_map(State::next).min();
        let script = self.script.peek().map(|step| step.at);
        [script, of_states, Some(self.next_loop), Some(self.next_populate)].into_iter().flatten().min()
    }

    /// Runs one moment. Returns what the model does instead if this is not what was recorded.
    fn step(&mut self, now: u64, real: &[String]) -> Result<Option<Vec<String>>> {
        let step = self.script.next_if(|step| step.at == now);
        if let Some(step) = step {
            self.change(step)?;
        }
        let mut next: Vec<State> = Vec::new();
        let mut other = None;
        let (mut leaves, mut patches) = (BTreeSet::new(), Vec::new());
        for state in &self.states {
            let mut choices = Some(Choices::first());
            while let Some(mut script) = choices {
                let mut new = state.clone();
                let mut acted = self.act(&mut new, now, step, &mut script)?;
                let mut predicted = acted.texts;
                predicted.sort();
                if predicted == real {
                    leaves.extend(acted.leaves);
                    // All states that go on have changed the claims in the same way.
                    patches = std::mem::take(&mut acted.patches);
                    if !next.contains(&new) {
                        next.push(new);
                    }
                } else {
                    other.get_or_insert(predicted);
                }
                ensure!(next.len() <= MOST_STATES, "more than {MOST_STATES} states at {now}");
                choices = script.next();
            }
        }
        self.states = next;
        self.leaves.extend(&leaves);
        self.passed.extend(leaves);
        self.store(&patches)?;
        if self.next_loop == now {
            self.next_loop = now + LOOP_PERIOD;
        }
        if self.next_populate == now {
            // The kubelet looks at its pods a second time at once.
            let pause = if self.has_populated { LOOP_PERIOD } else { 0 };
            self.next_populate = now + pause + self.asked.latency;
            self.has_populated = true;
        }
        Ok(if self.states.is_empty() { Some(other.unwrap_or_default()) } else { None })
    }

    /// Lets a state do what is due.
    fn act(&self, state: &mut State, now: u64, step: Option<&Step>, choices: &mut Choices) -> Result<Acted> {
        let node = self.snapshot.find::<Node>("", &self.asked.node).context("the node does not exist")?;
        let kubelet = KubeletVolumes::new(View::Snapshot(&self.snapshot), self.behavior, node);
        let mut out = Vec::new();
        let Acted { mut texts, mut leaves, mut patches } = Acted::default();
        let calls = std::mem::take(&mut state.calls);
        let (due, later): (Vec<Pending>, Vec<Pending>) = calls.into_iter().partition(|call| call.ends == now);
        state.calls = later;
        for Pending { volume, call, error, .. } in due {
            let answer = error.as_ref().map_or(Ok(()), Err);
            state.manager.answer(&kubelet, &volume, &call, answer, Moment(now), &mut out);
        }
        if self.next_loop == now {
            state.manager.reconcile(&kubelet, &self.cached, Moment(now), choices, &mut out);
        }
        if self.next_populate == now {
            let pods = self.pods();
            let dropped = self
                .uids
                .values()
                .filter(|uid| pods.iter().all(|pod| pod.meta.uid != **uid) && !self.ended.contains(*uid));
            let dropped = dropped.cloned().collect();
            let pods: Vec<KnownPod<'_>> =
                pods.iter().map(|pod| KnownPod { pod, state: self.state_of(&pod.meta.uid) }).collect();
            state.manager.populate(&kubelet, &pods, &dropped, &mut out);
            ensure!(state.manager.is_modelled(), "a volume is not modelled");
        }
        if let Some(step) = step {
            if step.report {
                let in_use = state.manager.in_use();
                texts.push(format!("in use {:?}", in_use.iter().map(Str::as_str).collect::<Vec<_>>()));
                state.in_use = in_use;
            }
            if step.reported {
                state.manager.report(&state.in_use);
            }
            let is_open = |pod: &&Pod| {
                let is_waiting = state.waits.iter().any(|wait| wait.pod.meta.uid == pod.meta.uid);
                pod.meta.name == *step.wait && self.state_of(&pod.meta.uid) == PodState::Running && !is_waiting
            };
            if let Some(pod) = self.pods().into_iter().find(is_open) {
                if state.manager.begin_wait(pod) {
                    state.waits.push(Wait { pod: pod.clone(), next: now, ends: now + LONGEST_WAIT });
                } else {
                    texts.push(format!("waited {} ", pod.meta.name));
                }
            }
        }
        let State { manager, waits, .. } = state;
        waits.retain_mut(|wait| {
            let is_canceled = step.is_some_and(|step| wait.pod.meta.name == *step.terminate);
            if wait.next != now && !is_canceled {
                return true;
            }
            let is_over = now == wait.ends;
            wait.next = (now + WAIT_PERIOD).min(wait.ends);
            let limit = if is_canceled { Some(WaitLimit::Canceled) } else { is_over.then_some(WaitLimit::TimeOut) };
            let (leaf, error) = manager.look(&wait.pod, limit);
            leaves.push(leaf.id());
            let goes_on = leaf == WaitBranch::WaitGoesOn && error.is_none();
            if !goes_on {
                texts.push(format!("waited {} {}", wait.pod.meta.name, error.unwrap_or_default()));
            }
            goes_on
        });
        for action in out {
            match action {
                KubeletAction::Decided(leaf) => leaves.push(leaf.id()),
                KubeletAction::Call { volume, call } => {
                    texts.push(call_text(&call));
                    state.call(volume, call, now, &self.asked.calls);
                }
                KubeletAction::Event(pod, event) => texts.push(event_text(&pod, &event)),
                KubeletAction::ClaimEvent(claim, event) => texts.push(event_text(&format!("claim {claim}"), &event)),
                KubeletAction::Store(patch) => {
                    let conflict = patch.is_refused;
                    let stored = StoredClaim { name: patch.name.to_string(), conflict, ..StoredClaim::default() };
                    let stored = if conflict { stored } else { self.stored(&patch)? };
                    texts.push(stored_text(&stored));
                    patches.extend((!conflict).then_some(patch));
                }
            }
        }
        Ok(Acted { texts, leaves, patches })
    }

    /// Stores changes of claims.
    fn store(&mut self, patches: &[ClaimPatch]) -> Result<()> {
        for patch in patches {
            let status = patched(self.claim(patch)?, patch);
            if let Some(object) = self.items.get_mut(&claim_key(patch)) {
                object["status"] = status;
            }
        }
        if !patches.is_empty() {
            self.snapshot = snapshot_of(&self.items)?;
        }
        Ok(())
    }

    fn claim(&self, patch: &ClaimPatch) -> Result<&Value> {
        self.items.get(&claim_key(patch)).with_context(|| format!("there is no claim {}", patch.name))
    }

    /// Returns what the status of a claim says after a change.
    fn stored(&self, patch: &ClaimPatch) -> Result<StoredClaim> {
        let status = patched(self.claim(patch)?, patch);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let capacity = text(&status["capacity"]["storage"]);
        let progress = text(&status["allocatedResourceStatuses"]["storage"]);
        let of = |condition: &Value| format!("{} {}", text(&condition["type"]), text(&condition["message"]));
        let mut conditions: Vec<String> =
            status["conditions"].as_array().into_iter().flatten().map(|one| of(one).trim().to_owned()).collect();
        conditions.sort();
        Ok(StoredClaim { name: patch.name.to_string(), capacity, progress, conditions, conflict: false })
    }

    /// Returns the pods of the node, in the order of the kubelet.
    fn pods(&self) -> Vec<&Pod> {
        let own = |pod: &&Pod| pod.node_name == self.asked.node.as_str();
        let mut pods: Vec<&Pod> = self.snapshot.all::<Pod>().iter().filter(own).collect();
        pods.sort_by_key(|pod| format!("{}/{}", pod.meta.namespace, pod.meta.name));
        pods
    }

    /// Carries out a change by others.
    fn change(&mut self, step: &Step) -> Result<()> {
        if let Some(object) = &step.put {
            self.items.insert(key_of(object), object.clone());
        }
        if let Some(named) = &step.remove {
            self.items.remove(&(named.kind.clone(), named.namespace.clone(), named.name.clone()));
        }
        if step.put.is_some() || step.remove.is_some() {
            self.snapshot = snapshot_of(&self.items)?;
            self.remember_pods();
        }
        if let Some(cached) = &step.cached {
            self.cached = cached.iter().map(|name| Str::from(name.as_str())).collect();
        }
        self.terminating.extend(self.uids.get(&step.terminate).cloned());
        self.ended.extend(self.uids.get(&step.end).cloned());
        Ok(())
    }

    /// Returns what has become of the containers of a pod.
    fn state_of(&self, uid: &Str) -> PodState {
        if self.ended.contains(uid) {
            PodState::Ended
        } else if self.terminating.contains(uid) {
            PodState::Terminating
        } else {
            PodState::Running
        }
    }
}

impl State {
    fn next(&self) -> Option<u64> {
        let calls = self.calls.iter().map(|call| call.ends);
        calls.chain(self.waits.iter().map(|wait| wait.next)).min()
    }

    /// A call of a driver begins.
    fn call(&mut self, volume: Str, call: DriverCall, now: u64, rules: &[CallRule]) {
        let count = self.counts.entry(call.clone()).or_default();
        *count += 1;
        let fits = |rule: &&CallRule| {
            rule.call == call.name.as_str() && rule.volume == call.volume && (rule.first..=rule.last).contains(count)
        };
        let rule = rules.iter().find(fits);
        let error = rule.filter(|rule| !rule.error.is_empty()).map(|rule| DriverError {
            text: rule.error.clone(),
            kind: match rule.kind.as_str() {
                "uncertain" => ErrorKind::Uncertain,
                "transient" => ErrorKind::Transient,
                "infeasible" => ErrorKind::Infeasible,
                "in-use" => ErrorKind::InUse,
                "unsupported" => ErrorKind::Unsupported,
                _ => ErrorKind::Final,
            },
        });
        self.calls.push(Pending { ends: now + rule.map_or(USUALLY, |rule| rule.takes), volume, call, error });
    }
}

fn call_text(call: &DriverCall) -> String {
    format!("call {} {} {}", call.name.as_str(), call.volume, call.pod.as_deref().unwrap_or_default())
}

fn event_text(about: &str, event: &MountEvent) -> String {
    let kind = if event.is_warning { "Warning" } else { "Normal" };
    format!("event {about} {kind} {} {}", event.reason, event.message)
}

fn stored_text(stored: &StoredClaim) -> String {
    let StoredClaim { name, capacity, progress, conditions, conflict } = stored;
    if *conflict {
        return format!("stored {name}: refused");
    }
    format!("stored {name}: {capacity} {progress} {conditions:?}")
}

fn claim_key(patch: &ClaimPatch) -> (String, String, String) {
    ("PersistentVolumeClaim".to_owned(), patch.namespace.to_string(), patch.name.to_string())
}

/// Returns the status of a claim after a change.
fn patched(claim: &Value, patch: &ClaimPatch) -> Value {
    let mut status = claim["status"].clone();
    if let Some(capacity) = patch.capacity {
        status["capacity"]["storage"] = json!(capacity.to_string());
    }
    if let Some(progress) = patch.progress {
        status["allocatedResourceStatuses"] =
            if progress.is_empty() { json!({}) } else { json!({"storage": progress}) };
    }
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    if patch.ends {
        let kinds = ["FileSystemResizePending", "Resizing", "ControllerResizeError", "NodeResizeError"];
        conditions.retain(|condition| !kinds.iter().any(|kind| condition["type"] == **kind));
    }
    if let Some(message) = &patch.error {
        conditions.retain(|condition| condition["type"] != "NodeResizeError");
        conditions.push(json!({"type": "NodeResizeError", "status": "True", "message": message}));
    }
    status["conditions"] = Value::Array(conditions);
    status
}

fn on_disk(found: &OnDisk) -> VolumeOnDisk {
    let volume = format!("kubernetes.io/csi/{}^{}", found.driver, found.handle).into();
    let directory = match (found.broken, found.driver.is_empty(), found.block) {
        (true, ..) => Directory::Unreadable,
        (false, true, _) => Directory::OfPod,
        (false, false, false) => Directory::Files { volume },
        (false, false, true) => Directory::Block { volume },
    };
    VolumeOnDisk { pod: found.pod.as_str().into(), volume: found.volume.as_str().into(), directory }
}
