//! Compares what the attach/detach controller does in a run. The model gets the same changes at the same moments. It
//! must do the same at every moment. If the order of a loop is not fixed, the model follows all orders at the same
//! time, and drops those that lead to other actions than the recorded ones.

use super::foretold::Foretold;
use super::logs::{Logged, started};
use super::memory;
use super::refusals::Answers;
use super::{Counts, Difference, Judged, Verdict, parts};
use crate::attaching::{Attaching, Entry, Request};
use crate::line::Line;
use anyhow::{Context as _, Result, bail, ensure};
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::attach_detach::{Action, AttachDetach, Flags, Force, LOOP_PERIOD, Moment, NAME, PodName};
use pvctl::model::{Node, PersistentVolumeClaim, Pod, Str};
use pvctl::snapshot::{Coverage, Snapshot};
use pvctl::world::{Choices, View};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The time between two comparisons of the desired state with all pods. The oracle does not take upstream's minute, so
/// that this never happens at the same moment as a loop.
const POPULATE_PERIOD: u64 = 60_013_000_000;

/// The time of the first comparison after the start.
const POPULATE_DELAY: u64 = 13_007_000;

/// The largest number of states that are followed at the same time.
const MOST_STATES: usize = 256;

impl Judged<'_> {
    /// Compares the actions of the controller at every moment of the run.
    pub(super) fn compare_attaching(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(asked) = &self.line.attaching else { return Ok(()) };
        if asked.every_end {
            return self.compare_every_end(asked, verdict);
        }
        if asked.log.is_empty() {
            return Ok(());
        }
        let mut run = Run::new(&self.line.world.items, asked, self.behavior)?;
        let mut log = Logged::new(NAME);
        verdict.differences.extend(run.follow(asked, &mut log, &mut verdict.counts)?);
        for operation in asked.log.iter().filter_map(|entry| entry.operation.as_ref()) {
            log.expect(&started(operation)?);
        }
        log.judge("attaching: log", verdict);
        *verdict.compared.entry("attaching".to_owned()).or_default() += 1;
        verdict.counts.attaching_runs += 1;
        memory::check(run.states.iter().filter_map(|one| one.controller.as_ref()), &run.snapshot, asked, run.flags)?;
        if asked.settles {
            self.compare_attachment_end(&run.snapshot, run.flags, verdict)?;
        }
        Ok(())
    }
}

/// Returns the ids of the leaves that the controller passes in a run.
///
/// # Errors
/// Returns an error if the run cannot be followed.
pub fn attaching_leaves(line: &Line, behavior: &KubernetesBehavior) -> Result<BTreeSet<&'static str>> {
    let Some(asked) = line.attaching.as_ref().filter(|asked| !asked.log.is_empty()) else { return Ok(BTreeSet::new()) };
    let mut run = Run::new(&line.world.items, asked, behavior)?;
    ensure!(run.follow(asked, &mut Logged::new(NAME), &mut Counts::default())?.is_none(), "the run differs");
    Ok(run.leaves)
}

pub(super) fn difference(these: &[String], others: &[String]) -> Vec<String> {
    let mut others = others.to_vec();
    let mut new = these.to_vec();
    new.retain(|one| match others.iter().position(|other| other == one) {
        Some(at) => {
            others.swap_remove(at);
            false
        }
        None => true,
    });
    new
}

/// A run of the model.
struct Run<'a> {
    flags: Flags,
    items: BTreeMap<(String, String, String), Value>,
    snapshot: Snapshot,
    states: Vec<State<'a>>,
    /// When the process of the controller was started.
    created: Moment,
    next_loop: Option<u64>,
    next_populate: Option<u64>,
    /// The last loop, if it did nothing and nothing has happened since.
    quiet_since: Option<Moment>,
    /// The ids of the leaves that were passed at any moment.
    leaves: BTreeSet<&'static str>,
}

/// One of the states in which the controller can be.
#[derive(Clone)]
struct State<'a> {
    controller: Option<AttachDetach>,
    answers: Answers<'a>,
    /// The ids of the leaves that were passed at the last moment on the way to this state. They are not a part of it.
    passed: BTreeSet<&'static str>,
}

impl PartialEq for State<'_> {
    fn eq(&self, other: &Self) -> bool {
        (&self.controller, &self.answers) == (&other.controller, &other.answers)
    }
}

/// Adds a state. If the state is there already, it was reached in one more way.
fn add<'a>(states: &mut Vec<State<'a>>, new: State<'a>) {
    match states.iter_mut().find(|state| **state == new) {
        Some(known) => known.passed.extend(new.passed),
        None => states.push(new),
    }
}

/// The nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Returns the flags of the controller in a run.
pub(super) fn flags(asked: &Attaching, behavior: &KubernetesBehavior) -> Flags {
    let behavior = KubernetesBehavior {
        disable_force_detach: asked.disable_force_detach,
        disable_attachment_check: asked.disable_sync,
        attachment_check_seconds: asked.sync_period / SECOND,
        ..behavior.clone()
    };
    let mut flags = Flags::of(&behavior);
    flags.latency = asked.latency;
    flags
}

impl<'a> Run<'a> {
    fn new(items: &[Value], asked: &'a Attaching, behavior: &KubernetesBehavior) -> Result<Self> {
        let flags = flags(asked, behavior);
        let items: BTreeMap<_, _> = items.iter().map(|item| (key_of(item), item.clone())).collect();
        let answers = Answers::new(&asked.refuse);
        Ok(Self {
            flags,
            snapshot: snapshot_of(&items)?,
            items,
            states: vec![State { controller: None, answers, passed: BTreeSet::new() }],
            created: Moment(0),
            next_loop: None,
            next_populate: None,
            quiet_since: None,
            leaves: BTreeSet::new(),
        })
    }

    /// Follows the run to its end. Returns the first difference.
    fn follow(&mut self, asked: &Attaching, log: &mut Logged, counts: &mut Counts) -> Result<Option<Difference>> {
        let mut places = asked.log.iter().peekable();
        loop {
            let recorded = places.peek().map(|entry| entry.at);
            let Some(now) = [recorded, self.next()].into_iter().flatten().min().filter(|now| *now < asked.until) else {
                return Ok(None);
            };
            let (mut entries, mut logged) = (Vec::new(), Vec::new());
            while let Some(entry) = places.next_if(|entry| entry.at == now) {
                if entry.logged.is_empty() {
                    entries.push(entry);
                } else {
                    logged.push(entry.logged.as_str());
                }
            }
            let real = self.recorded(&entries)?;
            counts.attaching_moments += usize::from(!real.is_empty());
            counts.attaching_actions += real.len();
            if let Some(predicted) = self.step(Moment(now), &entries, &real)? {
                return Ok(Some(Difference {
                    part: "attaching".to_owned(),
                    object: format!("the cluster at {}.{:09} s", now / SECOND, now % SECOND),
                    only_real: difference(&real, &predicted),
                    only_predicted: difference(&predicted, &real),
                }));
            }
            let passed: BTreeSet<&str> = self.states.iter().flat_map(|state| &state.passed).copied().collect();
            self.leaves.extend(&passed);
            log.compare(&logged, &passed);
        }
    }

    /// Returns the next moment at which the controller does something by itself.
    fn next(&self) -> Option<u64> {
        let controllers = || self.states.iter().filter_map(|state| state.controller.as_ref());
        let steps = controllers().filter_map(AttachDetach::next_step).map(|at| at.0).min();
        let next_loop = match self.quiet_since {
            // The loops until the next deadline do nothing.
            Some(since) => {
                let deadline = controllers().filter_map(|controller| controller.next_deadline(since)).min();
                let left_out = |at: u64, next: u64| at.saturating_sub(next).div_ceil(LOOP_PERIOD) * LOOP_PERIOD;
                self.next_loop.zip(deadline).map(|(next, deadline)| next + left_out(deadline.0, next))
            }
            None => self.next_loop,
        };
        [steps, next_loop, self.next_populate].into_iter().flatten().min()
    }

    /// Returns the actions of the controller at one moment, sorted. Of several patches of one node, only the number and
    /// the last one are compared, because the order of the volumes in between is not fixed.
    fn recorded(&self, entries: &[&Entry]) -> Result<Vec<String>> {
        let mut all = Vec::new();
        let mut patches: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut nodes = BTreeMap::new();
        for entry in entries {
            if let Some(write) = &entry.write {
                match (write.verb.as_str(), write.resource.as_str()) {
                    ("patch", "nodes") => {
                        patches.entry(write.name.clone()).or_default().push(self.recorded_patch(write, &mut nodes));
                    }
                    ("create", _) => {
                        let object = write.object.as_ref().context("a create without an object")?;
                        let spec = &object["spec"];
                        let source = spec.pointer("/source/persistentVolumeName").and_then(Value::as_str);
                        all.push(create_text(
                            &write.name,
                            spec["attacher"].as_str().unwrap_or_default(),
                            spec["nodeName"].as_str().unwrap_or_default(),
                            source,
                            write.refused.as_deref(),
                        ));
                    }
                    ("delete", _) => all.push(format!("delete {}{}", write.name, refused(write.refused.as_deref()))),
                    (verb, resource) => bail!("the controller sends {verb} {resource}"),
                }
            }
            if let Some(read) = &entry.read {
                all.push(format!("get {}{}", read.name, refused(read.refused.as_deref())));
            }
            if let Some(event) = &entry.event {
                let pod = PodName {
                    namespace: event.about.namespace.as_str().into(),
                    name: event.about.name.as_str().into(),
                };
                all.push(event_text(&pod, &event.kind, &event.reason, &event.message));
            }
            if let Some(operation) = &entry.operation {
                all.push(format!("{} {} {} {}", operation.name, operation.volume, operation.node, operation.forced));
            }
        }
        Ok(finished(all, patches))
    }

    /// Returns what others can see of actions, and the ids of the leaves that were passed.
    fn predicted(out: Vec<Action>) -> (Vec<String>, BTreeSet<&'static str>) {
        let (mut all, mut passed) = (Vec::new(), BTreeSet::new());
        let mut patches: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for action in out {
            match action {
                Action::Passed(leaf) => {
                    passed.insert(leaf.id());
                }
                Action::Attach { volume, node } => all.push(format!("attach {volume} {node} ")),
                Action::Detach { volume, node, force } => {
                    let force = match force {
                        None => "",
                        Some(Force::Timeout) => "timeout",
                        Some(Force::OutOfService) => "out-of-service",
                    };
                    all.push(format!("detach {volume} {node} {force}"));
                }
                Action::GetNode { name, refused: error } | Action::GetAttachment { name, refused: error } => {
                    all.push(format!("get {name}{}", refused(error.as_deref())));
                }
                Action::CreateAttachment { name, attacher, node, volume, refused } => {
                    all.push(create_text(&name, &attacher, &node, volume.as_deref(), refused.as_deref()));
                }
                Action::DeleteAttachment { name, refused: error } => {
                    all.push(format!("delete {name}{}", refused(error.as_deref())));
                }
                Action::SetAttached { node, volumes, refused } => {
                    patches.entry(node.to_string()).or_default().push(patch_text(&volumes, refused.as_deref()));
                }
                Action::Event { pod, warning, reason, message } => {
                    all.push(event_text(&pod, if warning { "Warning" } else { "Normal" }, reason, &message));
                }
            }
        }
        (finished(all, patches), passed)
    }

    /// Returns the entries of the node after a patch. A patch that changes nothing has no entries. `nodes` has the
    /// entries of the nodes that were patched earlier at this moment.
    fn recorded_patch(&self, write: &Request, nodes: &mut BTreeMap<String, Vec<Str>>) -> String {
        let listed = |object: &Value| {
            let entry = |value: &Value| Str::from(value["name"].as_str().unwrap_or_default());
            let volumes = object.pointer("/status/volumesAttached")?.as_array().map_or(&[][..], Vec::as_slice);
            Some(volumes.iter().map(entry).collect::<BTreeSet<Str>>().into_iter().collect::<Vec<Str>>())
        };
        let node = self.items.get(&("Node".to_owned(), String::new(), write.name.clone()));
        let before = nodes.get(&write.name).cloned().or_else(|| node.and_then(listed)).unwrap_or_default();
        let after = write.patch.as_ref().and_then(listed).unwrap_or(before);
        let text = patch_text(&after, write.refused.as_deref());
        if write.refused.is_none() {
            nodes.insert(write.name.clone(), after);
        }
        text
    }

    /// Runs one moment. Returns what the model does instead if this is not what was recorded.
    fn step(&mut self, now: Moment, entries: &[&Entry], real: &[String]) -> Result<Option<Vec<String>>> {
        for state in &mut self.states {
            state.passed.clear();
        }
        // Others may answer an action of the controller at the same moment.
        let is_action = |entry: &&Entry| entry.write.is_some() || entry.operation.is_some() || entry.event.is_some();
        let (before, after) = entries.split_at(entries.iter().position(is_action).unwrap_or(entries.len()));
        for entry in before {
            self.change(now, entry)?;
        }
        let is_loop = self.next_loop.is_some_and(|next| now.0 >= next && (now.0 - next).is_multiple_of(LOOP_PERIOD));
        let earlier = self.states.clone();
        let is_late = is_loop && before.is_empty() && !real.is_empty() && self.promised_nothing(now);
        let is_populate = self.next_populate == Some(now.0);
        // At the moment of a loop, only new operations and the check of attached volumes look for VolumeAttachments.
        let polls = entries.iter().filter(|_| !is_loop).filter_map(|entry| entry.poll.as_deref());
        let polls: Vec<&str> = polls.collect();
        let mut next: Vec<State<'a>> = Vec::new();
        let mut other = None;
        for state in std::mem::take(&mut self.states) {
            let mut choices = Some(Choices::first());
            while let Some(mut script) = choices {
                let mut new = state.clone();
                let mut out = Vec::new();
                let mut foretold = None;
                if let Some(controller) = &mut new.controller {
                    let view = View::Snapshot(&self.snapshot);
                    // A wait that ends at the moment of a loop ends before or after it.
                    let is_due = controller.next_step() == Some(now);
                    let ends_late = is_loop && is_due && script.pick(2) == 1;
                    let is_checking = controller.is_checking();
                    ensure!(!is_checking || self.flags.verify_period.is_some(), "volumes are checked without a period");
                    if !ends_late {
                        controller.run_steps(view, now, &mut new.answers, &mut script, &mut out);
                    }
                    for poll in &polls {
                        // The check of attached volumes looks for VolumeAttachments, too.
                        if !is_checking || script.pick(2) == 0 {
                            controller.poll(view, poll, now, &mut out);
                        }
                    }
                    if is_populate {
                        controller.populate(view, now, &mut script, &mut out);
                    }
                    if is_loop {
                        foretold = Some(Foretold::of(controller, view, now));
                        controller.reconcile(view, now, &mut new.answers, &mut script, &mut out);
                    }
                    if ends_late {
                        controller.run_steps(view, now, &mut new.answers, &mut script, &mut out);
                    }
                }
                let (predicted, passed) = Self::predicted(out);
                if predicted == *real {
                    new.passed.extend(passed);
                    // A refused request changes what a loop does.
                    let foretold = foretold.filter(|_| new.answers.accept_all());
                    let differs = foretold.map(|foretold| foretold.differs(real)).unwrap_or_default();
                    ensure!(differs.is_empty(), "a loop at {} does not start what is foretold: {differs:?}", now.0);
                    add(&mut next, new);
                } else {
                    other.get_or_insert(predicted);
                }
                ensure!(next.len() <= MOST_STATES, "more than {MOST_STATES} states at {}", now.0);
                choices = script.next();
            }
        }
        self.states = next;
        if self.states.is_empty() || is_late {
            return Ok(other.or_else(|| Some(Vec::new())));
        }
        if let Some(next) = self.next_loop.as_mut().filter(|next| **next <= now.0) {
            *next += ((now.0 - *next) / LOOP_PERIOD + 1) * LOOP_PERIOD;
        }
        self.quiet_since = (is_loop && entries.is_empty() && self.states == earlier).then_some(now);
        if is_populate {
            self.next_populate = Some(now.0 + POPULATE_PERIOD);
        }
        for entry in after {
            self.change(now, entry)?;
            self.written(now, entry)?;
        }
        Ok(None)
    }

    /// Returns whether the controller says that nothing happens at this moment by itself.
    fn promised_nothing(&self, now: Moment) -> bool {
        let is_later = |moment: Option<Moment>| moment.is_none_or(|moment| moment > now);
        let mut controllers = self.states.iter().filter_map(|state| state.controller.as_ref());
        self.quiet_since.is_some_and(|since| {
            controllers.all(|controller| is_later(controller.next_step()) && is_later(controller.next_deadline(since)))
        })
    }

    /// Applies what others did.
    fn change(&mut self, now: Moment, entry: &Entry) -> Result<()> {
        if entry.restart {
            for state in &mut self.states {
                state.controller = None;
            }
            (self.created, self.next_loop, self.next_populate) = (now, None, None);
        }
        if entry.start {
            let (flags, created) = (self.flags, self.created);
            self.each_order(|view, state, choices, out| {
                state.controller = Some(AttachDetach::start(view, flags, created, choices, out));
                Ok(())
            })?;
            (self.next_loop, self.next_populate) = (Some(now.0), Some(now.0 + POPULATE_DELAY));
        }
        if let Some(object) = &entry.put {
            let key = key_of(object);
            let is_new = !self.items.contains_key(&key);
            self.items.insert(key.clone(), object.clone());
            self.snapshot = snapshot_of(&self.items)?;
            self.told(&key, is_new)?;
        }
        if let Some(object) = &entry.delete {
            let key = (object.kind.clone(), object.namespace.clone(), object.name.clone());
            let old = std::mem::replace(&mut self.snapshot, Snapshot::new(parts([], Coverage::complete())?));
            ensure!(self.items.remove(&key).is_some(), "{key:?} is deleted and does not exist");
            self.snapshot = snapshot_of(&self.items)?;
            let view = View::Snapshot(&self.snapshot);
            for state in &mut self.states {
                let Some(controller) = &mut state.controller else { continue };
                let mut out = Vec::new();
                if let Some(pod) = old.pod(&key.1, &key.2).filter(|_| key.0 == "Pod") {
                    controller.pod_deleted(view, pod, &mut out);
                }
                if let Some(node) = old.node(&key.2).filter(|_| key.0 == "Node") {
                    controller.node_deleted(node, &mut out);
                }
                state.passed.extend(Self::predicted(out).1);
            }
        }
        Ok(())
    }

    /// Tells the controller that an object was created or changed.
    fn told(&mut self, key: &(String, String, String), is_new: bool) -> Result<()> {
        let (kind, namespace, name) = (key.0.as_str(), key.1.as_str(), key.2.as_str());
        self.each_order(|view, state, choices, out| {
            let Some(controller) = &mut state.controller else { return Ok(()) };
            match kind {
                "Pod" => controller.pod_changed(view, view.find::<Pod>(namespace, name).context("the pod")?, out),
                "Node" => controller.node_changed(view.find::<Node>("", name).context("the node")?, is_new, out),
                "PersistentVolumeClaim" => {
                    let claim = view.find::<PersistentVolumeClaim>(namespace, name).context("the claim")?;
                    controller.claim_changed(view, claim, choices, out);
                }
                _ => {}
            }
            Ok(())
        })
    }

    /// Changes each state in every order that can matter.
    fn each_order(
        &mut self,
        mut change: impl FnMut(View<'_>, &mut State<'a>, &mut Choices, &mut Vec<Action>) -> Result<()>,
    ) -> Result<()> {
        let mut next: Vec<State<'a>> = Vec::new();
        for state in &self.states {
            let mut choices = Some(Choices::first());
            while let Some(mut script) = choices {
                let (mut new, mut out) = (state.clone(), Vec::new());
                change(View::Snapshot(&self.snapshot), &mut new, &mut script, &mut out)?;
                new.passed.extend(Self::predicted(out).1);
                add(&mut next, new);
                choices = script.next();
            }
        }
        self.states = next;
        Ok(())
    }

    /// Applies a request of the controller to the objects.
    fn written(&mut self, now: Moment, entry: &Entry) -> Result<()> {
        let Some(write) = entry.write.as_ref().filter(|write| write.refused.is_none()) else { return Ok(()) };
        let named = |kind: &str| (kind.to_owned(), String::new(), write.name.clone());
        let mut changed_node = None;
        match (write.verb.as_str(), write.resource.as_str()) {
            ("create", "volumeattachments") => {
                let mut object = write.object.clone().context("a create without an object")?;
                object["kind"] = json!("VolumeAttachment");
                object["apiVersion"] = json!("storage.k8s.io/v1");
                self.items.insert(named("VolumeAttachment"), object);
            }
            ("delete", "volumeattachments") => {
                let key = named("VolumeAttachment");
                let object = self.items.get_mut(&key).context("a deleted VolumeAttachment")?;
                let metadata = object.get_mut("metadata").context("metadata")?;
                if metadata["finalizers"].as_array().is_some_and(|finalizers| !finalizers.is_empty()) {
                    if metadata.get("deletionTimestamp").is_none() {
                        metadata["deletionTimestamp"] = json!("2000-01-01T00:00:00Z");
                    }
                } else {
                    self.items.remove(&key);
                }
            }
            ("patch", "nodes") => {
                let object = self.items.get_mut(&named("Node")).context("a patched node")?;
                if let Some(volumes) = write.patch.as_ref().and_then(|patch| patch.pointer("/status/volumesAttached")) {
                    let status = object.as_object_mut().context("a node")?.entry("status").or_insert(json!({}));
                    if status["volumesAttached"] != *volumes {
                        status["volumesAttached"] = volumes.clone();
                        changed_node = Some(write.name.clone());
                    }
                }
            }
            (verb, resource) => bail!("the controller sends {verb} {resource} at {}", now.0),
        }
        self.snapshot = snapshot_of(&self.items)?;
        if let Some(name) = changed_node {
            self.told(&("Node".to_owned(), String::new(), name), false)?;
        }
        Ok(())
    }
}

pub(super) fn key_of(item: &Value) -> (String, String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&item["kind"]), text(&item["metadata"]["namespace"]), text(&item["metadata"]["name"]))
}

pub(super) fn snapshot_of(items: &BTreeMap<(String, String, String), Value>) -> Result<Snapshot> {
    Ok(Snapshot::new(parts(items.values(), Coverage::complete())?))
}

fn finished(mut all: Vec<String>, patches: BTreeMap<String, Vec<String>>) -> Vec<String> {
    for (node, texts) in patches {
        all.push(format!("{} patches of {node}, the last: {}", texts.len(), texts.last().map_or("", String::as_str)));
    }
    all.sort();
    all
}

fn refused(error: Option<&str>) -> String {
    error.map(|error| format!(", refused: {error}")).unwrap_or_default()
}

fn create_text(name: &str, attacher: &str, node: &str, volume: Option<&str>, error: Option<&str>) -> String {
    format!("create {name} of {attacher} for {} on {node}{}", volume.unwrap_or("an inline volume"), refused(error))
}

/// Returns the text of an event. The names of pods in it are sorted, because their order is not fixed.
fn event_text(pod: &PodName, kind: &str, reason: &str, message: &str) -> String {
    const USERS: &str = "used by pod(s) ";
    let sorted = message.split_once(USERS).map(|(before, after)| {
        let (names, rest) = after.split_once(" and ").map_or((after, ""), |(names, rest)| (names, rest));
        let mut names: Vec<&str> = names.trim_end().split(", ").collect();
        names.sort_unstable();
        format!("{before}{USERS}{} {rest}", names.join(", "))
    });
    format!("{kind} {reason} about {}/{}: {}", pod.namespace, pod.name, sorted.as_deref().unwrap_or(message))
}

fn patch_text(volumes: &[Str], error: Option<&str>) -> String {
    format!("[{}]{}", volumes.join(" "), refused(error))
}
