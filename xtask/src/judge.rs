//! Compares what the real controllers did with what is predicted, in the terms of the output contract.

use crate::line::{self, Case, FailRead, Line, Object, Refuse};
use anyhow::{Context as _, Result, anyhow, bail};
use pvctl::controllers::persistent_volume::matching::{Fit, Query};
use pvctl::controllers::{Controller, Rules};
use pvctl::model::Quantity;
use pvctl::report::decision::DecisionOut;
use pvctl::report::prediction::StateOut;
use pvctl::simulate::component::components;
use pvctl::simulate::{Limit, Outcome, Settings, Target, decide, settle};
use pvctl::snapshot::{ClaimId, Coverage, Item, Parts, Snapshot, VolumeId, decode};
use pvctl::world::{Answers, Cached, ControllerState, Held, OperationState, Read, Refusal, World};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;

/// Where prediction and reality part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which part of the answer: `decisions`, `cases[2]`, `settle`, `matches`.
    pub part: String,
    /// The object.
    pub object: String,
    /// What only the real controllers do.
    pub only_real: Vec<String>,
    /// What is only predicted.
    pub only_predicted: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} of {}", self.part, self.object)?;
        for real in &self.only_real {
            writeln!(out, "  only real:      {real}")?;
        }
        for predicted in &self.only_predicted {
            writeln!(out, "  only predicted: {predicted}")?;
        }
        Ok(())
    }
}

/// What was compared, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Counts {
    /// Sets of decisions.
    pub decisions: usize,
    /// Objects left out, because the API server refused to store them as they are.
    pub refused: usize,
    /// Searches for a volume.
    pub matches: usize,
    /// Sets of ends.
    pub ends: usize,
    /// Exact ones among them.
    pub exact: usize,
    /// Those with one member.
    pub single: usize,
    /// Their members.
    pub members: usize,
    /// The ends that were seen.
    pub seen: usize,
    /// The ends that were reached by the schedule that is said to lead there.
    pub proved: usize,
}

impl Counts {
    /// Whether there was anything to compare.
    pub fn is_empty(&self) -> bool {
        self.decisions + self.matches + self.ends == 0
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.decisions += other.decisions;
        self.refused += other.refused;
        self.matches += other.matches;
        self.ends += other.ends;
        self.exact += other.exact;
        self.single += other.single;
        self.members += other.members;
        self.seen += other.seen;
        self.proved += other.proved;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { decisions, refused, matches, ends, exact, single, members, seen, proved } = self;
        write!(
            out,
            "{decisions} decision sets, {matches} searches, {ends} sets of ends ({exact} exact, {single} single, {members} \
             members of which {seen} were seen and {proved} proved); {refused} objects left out"
        )
    }
}

/// An object of which more ends are predicted than any schedule reached, and no schedule is known that would.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Wider {
    /// The world.
    pub line: String,
    /// The object.
    pub object: Object,
    /// The predicted ends that were not seen, in the shape of the line format.
    pub ends: Vec<Value>,
}

impl fmt::Display for Wider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.line, name(&self.object))
    }
}

/// What was compared, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// In numbers.
    pub counts: Counts,
    /// Objects whose set has members that were not seen.
    pub wider: Vec<Wider>,
    /// Where the two sides part.
    pub differences: Vec<Difference>,
}

impl Verdict {
    /// Adds another world's verdict.
    pub fn add(&mut self, other: Self) {
        self.counts += other.counts;
        self.wider.extend(other.wider);
        self.differences.extend(other.differences);
    }
}

/// Compares everything that the line has an answer to.
///
/// # Errors
/// When the line's world, cases or answers make no sense.
pub fn judge(line: &Line, rules: &Rules) -> Result<Verdict> {
    let snapshot = snapshot(line)?;
    let rules = &rules_of(line, rules)?;
    let mut verdict = Verdict::default();
    for (place, case) in line.decisions.iter().enumerate() {
        compare_decisions(&line.world.items, &snapshot, rules, case, &format!("decisions[{place}]"), &mut verdict)?;
    }
    for (place, case) in line.protections.iter().enumerate() {
        compare_decisions(&line.world.items, &snapshot, rules, case, &format!("protections[{place}]"), &mut verdict)?;
    }
    for (place, case) in line.cases.iter().enumerate() {
        if case.runs > 0 {
            compare_decisions(&line.world.items, &snapshot, rules, case, &format!("cases[{place}]"), &mut verdict)?;
        }
    }
    compare_ends(&snapshot, rules, line, &mut verdict)?;
    compare_matches(&snapshot, rules, line, &mut verdict)?;
    Ok(verdict)
}

/// The rules with the flags of a line.
pub(crate) fn rules_of(line: &Line, rules: &Rules) -> Result<Rules> {
    let mut rules = rules.clone();
    for (flag, value) in &line.flags {
        rules.set_flag(flag, value).map_err(|error| anyhow!("{error}"))?;
    }
    Ok(rules)
}

/// The world of a line, of which nothing is missing.
///
/// # Errors
/// When an object cannot be decoded or is of a kind that nobody reads.
pub fn snapshot(line: &Line) -> Result<Snapshot> {
    snapshot_of(&line.world.items)
}

fn snapshot_of(items: &[Value]) -> Result<Snapshot> {
    let mut parts = Parts { coverage: Coverage::complete(), ..Parts::default() };
    for item in items {
        match decoded(item)? {
            Item::Volume(volume) => parts.volumes.push(*volume),
            Item::Claim(claim) => parts.claims.push(*claim),
            Item::Class(class) => parts.classes.push(*class),
            Item::Pod(pod) => parts.pods.push(*pod),
            Item::Node(node) => parts.nodes.push(*node),
            Item::Lease(_) => bail!("nobody in the worlds reads a Lease"),
            Item::Skipped(kind) => bail!("nobody reads the kind {kind}"),
        }
    }
    Ok(Snapshot::new(parts))
}

fn decoded(item: &Value) -> Result<Item> {
    decode::decode(&serde_json::to_vec(item)?, "the world").map_err(|issue| anyhow!("{issue}"))
}

pub(crate) fn target(snapshot: &Snapshot, object: &Object) -> Result<Target> {
    match object.kind.as_str() {
        "PersistentVolume" => snapshot.volume_id(&object.name).map(Target::Volume),
        "PersistentVolumeClaim" => snapshot.claim_id(&object.namespace, &object.name).map(Target::Claim),
        _ => None,
    }
    .with_context(|| format!("the world has no {}", name(object)))
}

fn name(object: &Object) -> String {
    let namespace = if object.namespace.is_empty() { String::new() } else { format!("{}/", object.namespace) };
    format!("{} {namespace}{}", object.kind, object.name)
}

fn binder<'s>(rules: &Rules) -> Settings<'s> {
    Settings {
        controllers: vec![Controller::PersistentVolumeBinder],
        decisions: Limit::All,
        outcomes: Limit::All,
        ..Settings::new(rules.clone())
    }
}

fn compare_decisions(
    items: &[Value],
    snapshot: &Snapshot,
    rules: &Rules,
    case: &Case,
    part: &str,
    verdict: &mut Verdict,
) -> Result<()> {
    // An object that only a cache still has is gone from the API: it is put into the world and taken away again.
    let gone: Vec<&line::Cached> = case.cached.iter().filter(|copy| target(snapshot, &copy.object).is_err()).collect();
    let with_gone;
    let snapshot = if gone.is_empty() {
        snapshot
    } else {
        let copies = gone.iter().filter_map(|copy| copy.copy.clone());
        with_gone = snapshot_of(&items.iter().cloned().chain(copies).collect::<Vec<_>>())?;
        &with_gone
    };
    let mut world = World::new(snapshot);
    for copy in gone {
        match target(snapshot, &copy.object)? {
            Target::Volume(id) => world.set_volume(id, None),
            Target::Claim(id) => world.set_claim(id, None),
        }
    }
    let target = target(snapshot, &case.object)?;
    let controller = match target {
        _ if !case.protection => Controller::PersistentVolumeBinder,
        Target::Volume(_) => Controller::PersistentVolumeProtection,
        Target::Claim(_) => Controller::PersistentVolumeClaimProtection,
    };
    let settings = Settings {
        controllers: vec![controller],
        controller: memory(snapshot, case)?,
        answers: answers(case)?,
        ..binder(rules)
    };
    if case.decisions.iter().any(refused_by_validation) {
        verdict.counts.refused += 1;
        return Ok(());
    }
    let lagging = !case.cached.is_empty();
    // The recordings that the project was given are older than the oracle.
    let given = case.decisions.iter().any(|decision| {
        ["writes", "events", "operations"].iter().any(|list| {
            decision[list][0].is_string() || decision[list][0].is_object() && decision[list][0].get("seq").is_none()
        })
    });
    let shape = |decision: Value| {
        let decision = comparable(decision, lagging);
        if given { as_given(decision) } else { decision }
    };
    let mut predicted: BTreeSet<String> = decide::decide(&world, &settings, target)
        .listed
        .iter()
        .map(|decision| Ok(shape(serde_json::to_value(DecisionOut::new(decision))?).to_string()))
        .collect::<Result<_>>()?;
    if predicted.is_empty() {
        // An object that the controller has not seen is not synced, which is the same as doing nothing.
        predicted.insert(json!({"events": [], "operations": [], "writes": []}).to_string());
    }
    let real: BTreeSet<String> = case.decisions.iter().map(|decision| shape(decision.clone()).to_string()).collect();
    verdict.counts.decisions += 1;
    differ(part, &case.object, &real, &predicted, verdict);
    Ok(())
}

fn differ(part: &str, object: &Object, real: &BTreeSet<String>, predicted: &BTreeSet<String>, verdict: &mut Verdict) {
    if real != predicted {
        verdict.differences.push(Difference {
            part: part.to_owned(),
            object: name(object),
            only_real: real.difference(predicted).cloned().collect(),
            only_predicted: predicted.difference(real).cloned().collect(),
        });
    }
}

/// Whether the API server refused a write because the stored object is one that it would not store today. Only the rule
/// on new finalizers is modelled, because it alone meets objects that a server holds.
fn refused_by_validation(decision: &Value) -> bool {
    decision["writes"].as_array().into_iter().flatten().any(|write| {
        write["refused"]
            .as_str()
            .is_some_and(|why| why.contains("\" is invalid: ") && !why.contains("\" is invalid: metadata.finalizers: "))
    })
}

/// A decision as the given recordings have it, which know neither the order across writes, events and operations, nor
/// refusals, nor what a create sends, and write a volume's number of the server as it was.
fn as_given(mut decision: Value) -> Value {
    for list in ["writes", "events", "operations"] {
        for item in decision[list].as_array_mut().into_iter().flatten() {
            if list == "operations"
                && let Some(name) = item.get("name")
            {
                *item = name.clone();
            }
            if let Some(version) = item.pointer_mut("/patch/spec/claimRef/resourceVersion")
                && version.as_str().is_some_and(|number| number.parse::<u64>().is_ok_and(|number| number > 1_000_000))
            {
                *version = "<next>".into();
            }
            if let Some(text) = item.get_mut("message")
                && let Some(names) = text.as_str().and_then(|text| {
                    text.strip_prefix("waiting for pods ").and_then(|rest| rest.strip_suffix(" to be scheduled"))
                })
            {
                let mut names: Vec<&str> = names.split(',').collect();
                names.sort_unstable();
                *text = format!("waiting for pods {} to be scheduled", names.join(",")).into();
            }
            if let Some(fields) = item.as_object_mut() {
                fields.retain(|field, _| !matches!(field.as_str(), "seq" | "refused" | "object" | "preconditions"));
            }
        }
    }
    decision
}

/// A decision without what the real controller cannot say of itself: the names of leaves, the queues. Where the object
/// of a write is gone, or its copy lags behind, the real patch is against another object than the one that was read.
fn comparable(mut decision: Value, lagging: bool) -> Value {
    if let Some(fields) = decision.as_object_mut() {
        fields.retain(|field, _| matches!(field.as_str(), "writes" | "events" | "operations" | "error"));
    }
    for write in decision["writes"].as_array_mut().into_iter().flatten() {
        // The real client adds these two while it sends.
        if let Some(fields) = write["object"].as_object_mut() {
            fields.retain(|field, _| field != "apiVersion" && field != "kind");
        }
        let nothing = write["patch"].as_object().is_some_and(serde_json::Map::is_empty);
        let baseless = write["refused"].as_str().is_some_and(|why| lagging || nothing || why.ends_with("not found"));
        if baseless && let Some(fields) = write.as_object_mut() {
            fields.remove("patch");
        }
    }
    for event in decision["events"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = event.as_object_mut() {
            fields.remove("messageVaries");
        }
    }
    decision
}

/// The controller's memory of a case.
fn memory<'s>(snapshot: &Snapshot, case: &Case) -> Result<ControllerState<'s>> {
    let mut state = ControllerState::in_step();
    for copy in &case.cached {
        match target(snapshot, &copy.object)? {
            Target::Volume(id) => state.volumes.push((id, cached(copy, |parts| parts.volume(VolumeId(0)).clone())?)),
            Target::Claim(id) => state.claims.push((id, cached(copy, |parts| parts.claim(ClaimId(0)).clone())?)),
        }
    }
    let running = case.running.iter().map(|name| (name.clone(), OperationState::Running));
    let backing_off = case.backing_off.iter().map(|name| (name.clone(), OperationState::Backoff));
    state.operations = running.chain(backing_off).collect();
    Ok(state)
}

/// A copy of the controller. An older version gets the API's defaults, as any object that came from the server has them.
fn cached<'s, T>(copy: &line::Cached, only: impl Fn(&Snapshot) -> T) -> Result<Cached<'s, T>> {
    Ok(match copy.how.as_str() {
        "unseen" => Cached::Unseen,
        "informerOnly" => Cached::InformerOnly,
        "stale" => {
            let older = copy.copy.as_ref().with_context(|| format!("no copy of {}", name(&copy.object)))?;
            if older["kind"] != copy.object.kind.as_str() {
                bail!("the copy of {} is of another kind", name(&copy.object));
            }
            Cached::Stale(Held::Written(Arc::new(only(&snapshot_of(std::slice::from_ref(older))?))))
        }
        other => bail!("a copy cannot be {other:?}"),
    })
}

fn answers(case: &Case) -> Result<Answers> {
    let mut answers = Answers::default();
    if let Some(Refuse { write, from, reason, text }) = &case.refuse {
        let refused = Some((*write, refusal(reason, text)?));
        if *from { answers.refuse_from = refused } else { answers.refuse = refused }
    }
    if let Some(FailRead { read, reason, text }) = &case.fail_read {
        let read = match read.as_str() {
            "getClaim" => Read::LiveClaim,
            "getVolume" => Read::LiveVolume,
            "listPods" => Read::LivePods,
            other => bail!("there is no read {other:?}"),
        };
        answers.failing_read = Some((read, 1, refusal(reason, text)?));
    }
    Ok(answers)
}

fn refusal(reason: &str, text: &str) -> Result<Refusal> {
    Ok(match reason {
        "NotFound" => Refusal::NotFound,
        "Conflict" => Refusal::Conflict,
        // Upstream: `NewInternalError`, `apimachinery/pkg/api/errors`, 0.36.
        "InternalError" => Refusal::Other(format!("Internal error occurred: {text}")),
        other => bail!("no request fails with the reason {other:?}"),
    })
}

/// Who takes part in a settling.
pub(crate) fn settling<'s>(rules: &Rules, real: &line::Settle) -> Result<Settings<'s>> {
    if real.controllers.is_empty() {
        return Ok(binder(rules));
    }
    let known = |name: &String| {
        Controller::ALL
            .into_iter()
            .find(|controller| controller.name() == name)
            .with_context(|| format!("no controller has the name {name}"))
    };
    let controllers = real.controllers.iter().map(known).collect::<Result<_>>()?;
    Ok(Settings { controllers, ..binder(rules) })
}

fn compare_ends(snapshot: &Snapshot, rules: &Rules, line: &Line, verdict: &mut Verdict) -> Result<()> {
    let Some(real) = &line.settle else { return Ok(()) };
    if real.notes.iter().any(|note| note == "api-rejected") {
        verdict.counts.refused += real.objects.len();
        return Ok(());
    }
    let settings = settling(rules, real)?;
    let faulty = Settings { failures: true, ..settings.clone() };
    let plain = ends_of(snapshot, &settings)?;
    let mut with_faults = None;
    for answer in &real.objects {
        let target = target(snapshot, &answer.object)?;
        let set = |ends: &[Ended]| -> Result<(BTreeSet<String>, bool)> {
            let found = ends.iter().find(|ended| ended.target == target);
            found.map(|ended| (ended.set.clone(), ended.exact)).context("an object in no component")
        };
        let (predicted, exact) = set(&plain)?;
        let seen: BTreeSet<String> = answer.ends.iter().map(ToString::to_string).collect();
        verdict.counts.ends += 1;
        verdict.counts.exact += usize::from(exact);
        verdict.counts.single += usize::from(predicted.len() == 1);
        verdict.counts.members += predicted.len();
        verdict.counts.seen += seen.len();
        let mut ends: Vec<Value> =
            predicted.difference(&seen).map(|end| serde_json::from_str(end)).collect::<Result<_, _>>()?;
        for schedule in line.schedules.iter().filter(|schedule| schedule.object == answer.object) {
            let Some(place) = ends.iter().position(|end| *end == schedule.end) else { continue };
            let end = ends.remove(place);
            if schedule.reached {
                verdict.counts.proved += 1;
            } else {
                let only_predicted = vec![format!("{end}, and its schedule does not lead there")];
                let (part, object) = ("schedules".to_owned(), name(&answer.object));
                verdict.differences.push(Difference { part, object, only_real: Vec::new(), only_predicted });
            }
        }
        if !ends.is_empty() {
            verdict.wider.push(Wider { line: line.id.clone(), object: answer.object.clone(), ends });
        }
        let inside: BTreeSet<String> = seen.intersection(&predicted).cloned().collect();
        differ("settle", &answer.object, &seen, &inside, verdict);
        let faults = answer.fault_ends.iter().chain(&answer.race_ends);
        let unforeseen: BTreeSet<String> =
            faults.map(ToString::to_string).filter(|end| !predicted.contains(end)).collect();
        if !unforeseen.is_empty() {
            if with_faults.is_none() {
                with_faults = Some(ends_of(snapshot, &faulty)?);
            }
            let (predicted, _) = set(with_faults.as_deref().unwrap_or_default())?;
            let inside: BTreeSet<String> = unforeseen.intersection(&predicted).cloned().collect();
            differ("settle with failures", &answer.object, &unforeseen, &inside, verdict);
        }
    }
    Ok(())
}

/// A predicted end in the shape of the line format.
pub(crate) fn end_of(outcome: &Outcome) -> Result<Value> {
    let mut end = serde_json::to_value(StateOut::of_outcome(outcome))?;
    if let Some(fields) = end.as_object_mut() {
        // The controllers cannot say what becomes of data, and one schedule cannot see that others go on.
        fields.retain(|field, _| field != "data" && field != "unsettled");
    }
    Ok(end)
}

/// The predicted ends of one object.
struct Ended {
    target: Target,
    set: BTreeSet<String>,
    exact: bool,
}

fn ends_of(snapshot: &Snapshot, settings: &Settings<'_>) -> Result<Vec<Ended>> {
    let mut all = Vec::new();
    for component in components(snapshot, &settings.rules) {
        let settled = settle(snapshot, settings, &component);
        for (target, set) in component.objects().into_iter().zip(settled.volumes.iter().chain(&settled.claims)) {
            let ends = set.listed.iter().map(|outcome| Ok(end_of(outcome)?.to_string()));
            all.push(Ended { target, set: ends.collect::<Result<_>>()?, exact: set.exact });
        }
    }
    Ok(all)
}

/// `FindMatchingVolume` itself, without a node: what the controller asks. The scheduler's questions are not predicted yet.
fn compare_matches(snapshot: &Snapshot, rules: &Rules, line: &Line, verdict: &mut Verdict) -> Result<()> {
    for (place, answer) in line.matches.iter().enumerate() {
        if !answer.node.is_empty() || !answer.excluded.is_empty() {
            continue;
        }
        let Target::Claim(id) = target(snapshot, &answer.claim)? else { bail!("only claims are matched") };
        let predicted: BTreeSet<String> = match Query::new(rules, snapshot.claim(id), answer.delayed) {
            Ok(query) => found(snapshot, &query).into_iter().map(|name| json!(name).to_string()).collect(),
            Err(error) => [json!({ "error": error }).to_string()].into(),
        };
        let real: BTreeSet<String> = if answer.error.is_empty() {
            answer.chosen.iter().map(|name| json!(name).to_string()).collect()
        } else {
            [json!({ "error": answer.error }).to_string()].into()
        };
        verdict.counts.matches += 1;
        differ(&format!("matches[{place}]"), &answer.claim, &real, &predicted, verdict);
    }
    Ok(())
}

/// The volumes that can be found among all: those reserved for the claim, else the smallest free ones, else none.
fn found(snapshot: &Snapshot, query: &Query<'_>) -> Vec<String> {
    let fitting = |wanted: Fit| snapshot.volumes().iter().filter(move |volume| query.fit(volume) == wanted);
    let mut names: Vec<String> = fitting(Fit::Reserved).map(|volume| volume.meta.name.to_string()).collect();
    if names.is_empty() {
        let size = |volume: &pvctl::model::PersistentVolume| volume.storage().copied().unwrap_or(Quantity::ZERO);
        if let Some(smallest) = fitting(Fit::Free).map(size).min_by(Quantity::compare) {
            names = fitting(Fit::Free)
                .filter(|volume| size(volume).compare(&smallest).is_eq())
                .map(|volume| volume.meta.name.to_string())
                .collect();
        }
    }
    if names.is_empty() {
        names.push(String::new());
    }
    names
}
