//! Compares sets of decisions: what one sync can do.

use super::folds::compare_folds;
use super::logs::{compare_logs, is_logged};
use super::{Judged, Verdict, binder, differ, found, name, snapshot_of, target};
use crate::line::{self, Case, FailRead, Recycler, Refuse};
use anyhow::{Context as _, Result, bail, ensure};
use pvctl::controllers::{Controller, ephemeral_volume, persistent_volume, pv_protection, pvc_protection};
use pvctl::model::{Kind, ObjectId};
use pvctl::report::prediction::{DecisionOut, write_folded};
use pvctl::simulate::decide::{decide, decide_folded};
use pvctl::simulate::{Decisions, Limit, Prediction, Settings};
use pvctl::snapshot::Snapshot;
use pvctl::world::{Answers, ApiRefusal, Cached, ControllerState, OperationState, PluginAnswer, Read, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The largest limit of decisions that is tried.
const MOST_LIMIT: usize = 3;

impl Judged<'_> {
    /// Compares every set of decisions of the line: of syncs with current caches, of the protection controllers, of the
    /// ephemeral-volume controller, and of the cases.
    pub(super) fn compare_decisions(&self, verdict: &mut Verdict) -> Result<()> {
        let lists = [
            ("decisions", &self.line.decisions),
            ("protections", &self.line.protections),
            ("ephemerals", &self.line.ephemerals),
        ];
        for (list, cases) in lists {
            for (place, case) in cases.iter().enumerate() {
                self.compare_case(case, &format!("{list}[{place}]"), verdict)?;
            }
        }
        for (place, case) in self.line.cases.iter().enumerate().filter(|(_, case)| case.runs > 0) {
            self.compare_case(case, &format!("cases[{place}]"), verdict)?;
        }
        Ok(())
    }

    fn compare_case(&self, case: &Case, part: &str, verdict: &mut Verdict) -> Result<()> {
        // If only a cache still has an object, the object was deleted from the API. Such an object is added to the
        // snapshot and removed from the world.
        let gone: Vec<&line::Cached> = case
            .cached
            .iter()
            .filter(|copy| !is_unseen_pod(copy) && target(self.snapshot, &copy.object).is_err())
            .collect();
        let with_gone;
        let snapshot = if gone.is_empty() {
            self.snapshot
        } else {
            let copies = gone.iter().filter_map(|copy| copy.copy.clone());
            with_gone = snapshot_of(&self.line.world.items.iter().cloned().chain(copies).collect::<Vec<_>>())?;
            &with_gone
        };
        let mut world = World::new(snapshot);
        for copy in gone {
            world.put(target(snapshot, &copy.object)?, None);
        }
        if case.decisions.iter().any(refused_by_validation) {
            verdict.counts.refused += 1;
            return Ok(());
        }
        let target = target(snapshot, &case.object)?;
        let settings = Settings {
            controllers: vec![controller(case, target)],
            controller: memory(snapshot, case)?,
            answers: answers(case)?,
            tracing: is_logged(case),
            ..binder(self.behavior)
        };
        let shape = Shape::of(case, &self.line.world.items);
        let real = shape.real(case);
        let decisions = decide(&world, &settings, target);
        let predicted = shape.predicted(&decisions)?;
        verdict.counts.decisions += 1;
        differ(part, &case.object, &real, &predicted, verdict);
        self.compare_leaves(case, part, (snapshot, target), &decisions, verdict)?;
        compare_logs(case, part, shape, &decisions, verdict)?;
        compare_folds(case, part, (&world, &settings, target), &decisions, verdict);
        // The count is found without listing the decisions. It is compared only if no two decisions have the same text.
        if predicted.len() == decisions.listed.len() && decisions.count != predicted.len() as u64 {
            let (real, predicted) = (real.len().to_string(), decisions.count.to_string());
            differ(&format!("{part}: count"), &case.object, &[real].into(), &[predicted].into(), verdict);
        }
        // A limit shortens the list and changes nothing else.
        for limit in (1..decisions.listed.len()).take(MOST_LIMIT) {
            let settings = Settings { decisions: Limit::AtMost(limit), ..settings.clone() };
            let told = |decisions: &Decisions<'_>| -> Result<BTreeSet<String>> {
                let mut told = BTreeSet::from([format!("{} in all", decisions.count)]);
                for decision in decisions.listed.iter().take(limit) {
                    told.insert(serde_json::to_string(&DecisionOut::new(decision))?);
                }
                Ok(told)
            };
            let limited = decide(&world, &settings, target);
            let mut cut = told(&limited)?;
            if limited.listed.len() > limit {
                cut.insert(format!("{} listed", limited.listed.len()));
            }
            differ(&format!("{part}: at most {limit}"), &case.object, &told(&decisions)?, &cut, verdict);
            verdict.counts.limited += usize::from(limited.listed.len() == limit);
        }
        let folded = decide_folded(&world, &settings, target);
        if folded.listed.iter().any(|decision| decision.alike.is_some()) {
            let count = [folded.count.to_string()].into();
            differ(
                &format!("{part}: folded count"),
                &case.object,
                &[decisions.count.to_string()].into(),
                &count,
                verdict,
            );
            if let Some(predicted) = unfolded(snapshot, target, folded)? {
                verdict.counts.folded += 1;
                let predicted = predicted.into_iter().map(|decision| shape.text(decision)).collect();
                differ(&format!("{part}: folded"), &case.object, &real, &predicted, verdict);
            }
        }
        Ok(())
    }
}

/// Returns the decisions as the command `predict` writes them. The value is `None` if no decision represents several.
fn unfolded(snapshot: &Snapshot, target: ObjectId, decisions: Decisions<'_>) -> Result<Option<Vec<Value>>> {
    let prediction = Prediction {
        target,
        component: 1,
        decisions,
        outcomes: None,
        decided_by: Vec::new(),
        is_too_large: false,
        recorded: None,
        assumed: Vec::new(),
        unknown: Vec::new(),
        decision_limit: Limit::All,
        outcome_limit: Limit::All,
        defaulted: false,
    };
    let mut text = Vec::new();
    if !write_folded(&mut text, snapshot, &prediction)? {
        return Ok(None);
    }
    let mut item: Value = serde_json::from_slice(&text)?;
    Ok(Some(serde_json::from_value(item["decisions"].take())?))
}

/// Returns whether the copy is of a pod that the controller has not seen. Such a pod may be deleted in the API.
fn is_unseen_pod(copy: &line::Cached) -> bool {
    copy.object.kind == "Pod" && copy.how == "unseen"
}

/// Returns the controller of a case.
pub(super) fn controller(case: &Case, target: ObjectId) -> Controller {
    match target.kind {
        Kind::Pod => ephemeral_volume::CONTROLLER,
        _ if !case.protection => persistent_volume::CONTROLLER,
        Kind::PersistentVolume => pv_protection::CONTROLLER,
        _ => pvc_protection::CONTROLLER,
    }
}

/// How the decisions of a case are compared.
#[derive(Clone, Copy)]
pub(super) struct Shape<'l> {
    /// Whether the controller's caches differ from the API.
    lagging: bool,
    /// Whether the controller's own cache has an object that was deleted. Then the queues are compared, too.
    deletion: bool,
    /// Whether the recording comes from outside the project. Such recordings are older than the oracle.
    given: bool,
    /// The objects that the API has before the sync.
    items: &'l [Value],
}

impl<'l> Shape<'l> {
    pub(super) fn of(case: &Case, items: &'l [Value]) -> Self {
        let given = case.decisions.iter().any(|decision| {
            ["writes", "events", "operations"].iter().any(|list| {
                decision[list][0].is_string() || decision[list][0].is_object() && decision[list][0].get("seq").is_none()
            })
        });
        let deletion = case.cached.iter().any(|copy| copy.how == "deleted");
        Self { lagging: !case.cached.is_empty(), deletion, given, items }
    }

    /// Returns whether the pod has an ephemeral volume of this name.
    pub(super) fn is_ephemeral(self, pod: &line::Object, volume: &str) -> bool {
        let is_it = |item: &&Value| {
            item["kind"] == pod.kind.as_str()
                && item["metadata"]["name"] == pod.name.as_str()
                && item["metadata"]["namespace"] == pod.namespace.as_str()
        };
        let volumes = self.items.iter().filter(is_it).filter_map(|item| item["spec"]["volumes"].as_array()).flatten();
        volumes.into_iter().any(|found| found["name"] == volume && found.get("ephemeral").is_some())
    }

    pub(super) fn text(self, decision: Value) -> String {
        let decision = comparable(decision, self);
        if self.given { as_given(decision) } else { decision }.to_string()
    }

    /// Returns the recorded decisions.
    pub(super) fn real(self, case: &Case) -> BTreeSet<String> {
        case.decisions.iter().map(|decision| self.text(decision.clone())).collect()
    }

    /// Returns the predicted decisions. An object that the controller has not seen is not synced. This is compared as a
    /// decision that does nothing.
    pub(super) fn predicted(self, decisions: &Decisions<'_>) -> Result<BTreeSet<String>> {
        let texts =
            decisions.listed.iter().map(|decision| Ok(self.text(serde_json::to_value(DecisionOut::new(decision))?)));
        let set: BTreeSet<String> = texts.collect::<Result<_>>()?;
        Ok(if set.is_empty() { [Self::nothing()].into() } else { set })
    }

    /// Returns the text of a decision that does nothing.
    pub(super) fn nothing() -> String {
        json!({"events": [], "operations": [], "writes": []}).to_string()
    }
}

/// Returns whether the API server refused a write because it would not store the existing object today. Only the rule
/// about new finalizers is modelled, because no other rule affects objects that a server has stored.
pub(super) fn refused_by_validation(decision: &Value) -> bool {
    decision["writes"].as_array().into_iter().flatten().any(|write| {
        write["refused"]
            .as_str()
            .is_some_and(|why| why.contains("\" is invalid: ") && !why.contains("\" is invalid: metadata.finalizers: "))
    })
}

/// Returns a decision in the form of the recordings from outside the project. These recordings lack the common order of
/// writes, events and operations, the refusals, and the content of a create. They contain the server's resource version
/// of a volume.
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

/// Returns a decision without the parts that the real controller cannot report: the names of leaves, and the queues. If
/// the object of a write is deleted, or the controller's copy of it is stale, the base of the real patch is not the
/// object that was read. The patch is then left out.
fn comparable(mut decision: Value, shape: Shape<'_>) -> Value {
    if let Some(fields) = decision.as_object_mut() {
        fields.retain(|field, value| {
            matches!(field.as_str(), "writes" | "events" | "operations" | "error")
                || (shape.deletion && field == "enqueues" && value.as_array().is_some_and(|list| !list.is_empty()))
        });
    }
    let mut deleted = BTreeSet::new();
    for write in decision["writes"].as_array_mut().into_iter().flatten() {
        // Only the condition that the controller sets is predicted. The other conditions stay.
        if let Some(conditions) = write.pointer_mut("/patch/status/conditions").and_then(Value::as_array_mut) {
            conditions.retain(|condition| condition["type"] == "Unused");
        }
        // The real client adds these two fields when it sends the object.
        if let Some(fields) = write["object"].as_object_mut() {
            fields.retain(|field, _| field != "apiVersion" && field != "kind");
        }
        // Before 1.34, Go also wrote a time that is not set.
        if let Some(fields) = write.pointer_mut("/object/metadata").and_then(Value::as_object_mut) {
            fields.retain(|field, value| field != "creationTimestamp" || !value.is_null());
        }
        let nothing = write["patch"].as_object().is_some_and(serde_json::Map::is_empty);
        let object = (write["resource"].to_string(), write["namespace"].to_string(), write["name"].to_string());
        let gone = || deleted.contains(&object) || !shape.items.iter().any(|item| is_of(item, write));
        let baseless = write["refused"]
            .as_str()
            .is_some_and(|why| shape.lagging || nothing || (why.ends_with("not found") && gone()));
        if write["verb"] == "delete" && write["refused"].is_null() {
            deleted.insert(object);
        }
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

/// Returns whether a write is a write to this object.
fn is_of(item: &Value, write: &Value) -> bool {
    let kind = match write["resource"].as_str() {
        Some("persistentvolumes") => "PersistentVolume",
        Some("persistentvolumeclaims") => "PersistentVolumeClaim",
        _ => return false,
    };
    item["kind"] == kind
        && item["metadata"]["name"] == write["name"]
        && item["metadata"].get("namespace") == write.get("namespace")
}

/// Returns the state of the controller in a case: its caches and operations.
pub(super) fn memory<'s>(snapshot: &Snapshot, case: &Case) -> Result<ControllerState<'s>> {
    let mut state = ControllerState::in_step();
    for copy in &case.cached {
        let Some(id) = found(snapshot, &copy.object) else {
            ensure!(is_unseen_pod(copy), "the world has no {}", name(&copy.object));
            continue;
        };
        state.lag(id, cached(copy, id.kind)?);
    }
    let running = case.running.iter().map(|name| (name.clone(), OperationState::Running));
    let backing_off = case.backing_off.iter().map(|name| (name.clone(), OperationState::Backoff));
    state.operations = running.chain(backing_off).collect();
    Ok(state)
}

/// Returns the copy in the controller's cache. An older version of the object gets the defaults of the API, because
/// every object from the server has these defaults.
fn cached<'s>(copy: &line::Cached, kind: Kind) -> Result<Cached<'s>> {
    Ok(match copy.how.as_str() {
        "unseen" => Cached::Unseen,
        "informerOnly" => Cached::InformerOnly,
        "stale" | "deleted" => {
            let older = copy.copy.as_ref().with_context(|| format!("no copy of {}", name(&copy.object)))?;
            if older["kind"] != copy.object.kind.as_str() {
                bail!("the copy of {} is of another kind", name(&copy.object));
            }
            let alone = snapshot_of(std::slice::from_ref(older))?;
            let older = alone.object(ObjectId { kind, at: 0 }).with_context(|| format!("no {kind} in the copy"))?;
            if copy.how == "deleted" { Cached::Deleted(older.to_owned()) } else { Cached::Stale(older.to_owned()) }
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
            "getClaim" => Read::Get(Kind::PersistentVolumeClaim),
            "getVolume" => Read::Get(Kind::PersistentVolume),
            "listPods" => Read::List(Kind::Pod),
            other => bail!("there is no read {other:?}"),
        };
        answers.failing_read = Some((read, 1, refusal(reason, text)?));
    }
    answers.plugin = case.recycler.as_ref().map(plugin_answer).transpose()?;
    Ok(answers)
}

/// Returns the answer of the plugin for a recycler whose pod ends in this way. The case states the answer. It is not
/// predicted, because the simulation creates no pods. Upstream: `RecycleVolumeByWatchingPodUntilCompletion`,
/// `pkg/volume/util/recyclerclient`, 1.36.
fn plugin_answer(Recycler { pod, text }: &Recycler) -> Result<PluginAnswer> {
    Ok(PluginAnswer::Failed(match (pod.as_str(), text.as_str()) {
        ("succeeded", _) => return Ok(PluginAnswer::Done),
        ("failed", "") => "failed to recycle volume: pod failed, pod.Status.Message unknown".to_owned(),
        ("failed", message) => format!("failed to recycle volume: {message}"),
        ("deleted", _) => "failed to recycle volume: recycler pod was deleted".to_owned(),
        ("refused", why) => format!("unexpected error creating recycler pod:  {INTERNAL}{why}"),
        ("inTheWay", _) => "old recycler pod found, will retry later".to_owned(),
        ("kept", why) => format!("failed to delete recycler pod: {INTERNAL}{why}"),
        (other, _) => bail!("the pod of a recycler cannot be {other:?}"),
    }))
}

/// The beginning of the text of an error that the controllers do not distinguish from others. Upstream:
/// `NewInternalError`, `apimachinery/pkg/api/errors`, 0.36.
const INTERNAL: &str = "Internal error occurred: ";

fn refusal(reason: &str, text: &str) -> Result<ApiRefusal> {
    Ok(match reason {
        "NotFound" => ApiRefusal::NotFound,
        "Conflict" => ApiRefusal::Conflict,
        "InternalError" => ApiRefusal::Other(format!("{INTERNAL}{text}")),
        other => bail!("no request fails with the reason {other:?}"),
    })
}
