//! `Explanation`: why one object is as it is, and who has to act.

mod binding;
mod class;
mod headline;
#[cfg(test)]
mod tests;
mod text;

pub use binding::{BindingOut, FieldOut};
pub use class::ClassOut;

use super::decision::{DecisionOut, EventOut};
use super::machine::{API_VERSION, CoverageOut, Model, ObjectId, coverage_out};
use super::match_table::{MatchRow, candidate_rows};
use super::misfit::{misfit, shown};
use super::prediction::{PredictionOut, StateOut};
use super::why::{View, verdict_of};
use crate::controllers::persistent_volume::reclaim::data_fate;
use crate::controllers::protection::pod_uses_claim;
use crate::controllers::{Branch, ClaimBranch, ProtectionBranch, VolumeBranch};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Str, Timestamp, VolumePhase};
use crate::simulate::{Decision, Outcome, Prediction, Simulation, Target, match_claim};
use crate::snapshot::{Absence, ClaimId, Snapshot, VolumeId};
use crate::text::human_age;
use serde::Serialize;

/// So many resync periods must have passed before a state that should change points at the controller.
const SEVERAL_RESYNCS: i64 = 4;

/// Why one object is as it is, and who has to act.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Explanation<'a> {
    /// The version of the document.
    pub api_version: &'static str,
    /// `Explanation`.
    pub kind: &'static str,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// What was read.
    pub coverage: Vec<CoverageOut<'a>>,
    /// The object.
    pub object: ObjectId<'a>,
    /// What is and why, in words.
    pub headline: String,
    /// What its status and binding say now; absent for a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<StateOut<'a>>,
    /// What is predicted for it; absent for a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<PredictionOut<'a>>,
    /// The fields that decided.
    pub evidence: Vec<EvidenceOut>,
    /// What matching says of each volume, for a claim that is still to be bound; the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub candidates: Vec<MatchRow<'a>>,
    /// The binding from both sides, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<BindingOut>,
    /// The pods that use the claim, or the volume's claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by: Option<Vec<UserOut<'a>>>,
    /// Who has to act for something else to happen.
    pub next: Vec<NextOut>,
    /// The events that the controllers send next.
    pub events_to_come: Vec<EventOut<'a>>,
    /// What becomes of a volume's data once its claim is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_once_released: Option<&'static str>,
    /// Where what is recorded differs from what the controllers would have made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<DivergenceOut>,
    /// What a class does; absent for other objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ClassOut<'a>>,
    #[serde(skip)]
    decisions: Vec<TextDecision>,
    #[serde(skip)]
    ends: Vec<String>,
}

/// One field that decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EvidenceOut {
    /// The object, as people type it.
    pub object: String,
    /// The path of the field.
    pub field: &'static str,
    /// Its value; `<unset>` for none.
    pub value: String,
}

/// A pod that uses a claim.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UserOut<'a> {
    /// The pod.
    pub object: ObjectId<'a>,
    /// Its node; absent while it is not scheduled.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub node_name: &'a str,
    /// Its containers have ended.
    pub terminated: bool,
    /// It would keep the claim from being deleted.
    pub keeps_claim: bool,
}

/// Someone who has to act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NextOut {
    /// Who: `you`, `the scheduler`, or a driver by its name.
    pub who: String,
    /// What they have to do.
    pub what: String,
}

/// A difference between what is recorded and what is predicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DivergenceOut {
    /// The recorded phase.
    pub recorded: String,
    /// The phases that are possible in the end.
    pub predicted: Vec<String>,
    /// For how many seconds the recorded state has lasted, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lasted_seconds: Option<i64>,
    /// How sure it is that the controller does not run: `probably` or `possibly`; absent where nothing points at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_not_running: Option<&'static str>,
}

/// A decision as people read it.
#[derive(Debug, PartialEq, Eq)]
struct TextDecision {
    controller: &'static str,
    branch: &'static str,
    about: &'static str,
    tests: Vec<String>,
    error: Option<String>,
    /// It is one of those that find nothing to do, as most protection does.
    idle: bool,
}

/// What an explanation is made from.
#[derive(Debug)]
pub struct Asked<'a> {
    /// All predictions, made with the comparisons recorded.
    pub simulation: &'a Simulation<'a>,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// The objects come from files, which may be old.
    pub from_files: bool,
}

/// Whether the pods that could use the object were read, or are assumed to be all there are.
fn pods_known(snapshot: &Snapshot, target: Target) -> bool {
    let known = |namespace: &str| !matches!(snapshot.coverage().absence(Kind::Pod, namespace), Absence::Unknown(_));
    match target {
        Target::Claim(id) => known(&snapshot.claim(id).meta.namespace),
        Target::Volume(id) => {
            let volume = snapshot.volume(id);
            volume.claim_ref.as_ref().is_none_or(|claim| known(&claim.namespace))
                && snapshot.claims_naming(&volume.meta.name).iter().all(|id| known(&snapshot.claim(*id).meta.namespace))
        }
    }
}

impl<'a> Explanation<'a> {
    /// Explains a claim or a volume.
    pub fn of_object(asked: Asked<'a>, prediction: &'a Prediction<'a>) -> Self {
        let Asked { simulation, model, from_files } = asked;
        let snapshot = simulation.snapshot();
        let view = View { simulation, prediction };
        let candidates = candidates(view);
        let headline = headline::of_object(view, &candidates);
        let (object, recorded, used_by, data) = match prediction.target {
            Target::Volume(id) => {
                let volume = snapshot.volume(id);
                (
                    ObjectId::new(Kind::PersistentVolume, &volume.meta),
                    StateOut::of_volume(volume),
                    users_of_volume(snapshot, volume),
                    Some(data_fate(view.rules(), volume).as_str()),
                )
            }
            Target::Claim(id) => {
                let claim = snapshot.claim(id);
                (
                    ObjectId::new(Kind::PersistentVolumeClaim, &claim.meta),
                    StateOut::of_claim(claim),
                    users_of_claim(snapshot, claim),
                    None,
                )
            }
        };
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            model,
            coverage: coverage_out(snapshot.coverage()),
            object,
            headline,
            recorded: Some(recorded),
            prediction: Some(PredictionOut::new(snapshot, prediction)),
            evidence: evidence(view),
            candidates,
            binding: binding::of_object(snapshot, prediction.target),
            used_by: pods_known(snapshot, prediction.target).then_some(used_by),
            next: next(prediction),
            events_to_come: events(prediction),
            data_once_released: data,
            divergence: divergence(view, from_files),
            class: None,
            decisions: prediction.decisions.listed.iter().map(TextDecision::new).collect(),
            ends: ends(prediction),
        }
    }

    /// Explains a class.
    pub fn of_class(asked: Asked<'a>, class: &'a StorageClass) -> Self {
        let Asked { simulation, model, .. } = asked;
        let snapshot = simulation.snapshot();
        let described = ClassOut::new(snapshot, &simulation.settings().rules, class);
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            model,
            coverage: coverage_out(snapshot.coverage()),
            object: ObjectId::new(Kind::StorageClass, &class.meta),
            headline: described.headline(snapshot, &simulation.settings().rules, class),
            recorded: None,
            prediction: None,
            evidence: class::evidence(class),
            candidates: Vec::new(),
            binding: None,
            used_by: None,
            next: Vec::new(),
            events_to_come: Vec::new(),
            data_once_released: None,
            divergence: None,
            class: Some(described),
            decisions: Vec::new(),
            ends: Vec::new(),
        }
    }
}

/// The candidates of a claim that is still to be bound, the nearest first.
fn candidates(view: View<'_>) -> Vec<MatchRow<'_>> {
    let Target::Claim(id) = view.prediction.target else { return Vec::new() };
    let searches = view.binder().any(|decision| match decision.branch {
        Branch::ClaimBranch(branch) => branch < ClaimBranch::BoundClaimVolumeNameCleared,
        _ => false,
    });
    if !searches {
        return Vec::new();
    }
    let (snapshot, claim) = (view.snapshot(), view.snapshot().claim(id));
    match_claim(snapshot, view.rules(), claim)
        .map(|candidates| candidate_rows(snapshot, claim, &candidates))
        .unwrap_or_default()
}

/// The fields that the binder compared, and the one that decided with both values.
fn evidence(view: View<'_>) -> Vec<EvidenceOut> {
    let snapshot = view.snapshot();
    let mut evidence: Vec<EvidenceOut> = Vec::new();
    let mut add = |object: String, field: &'static str, value: String| {
        let entry = EvidenceOut { object, field, value: shown(&value) };
        if !evidence.contains(&entry) {
            evidence.push(entry);
        }
    };
    for test in view.prediction.decisions.listed.iter().flat_map(|decision| &decision.record.tests) {
        add(test.left.object.clone(), test.left.field, test.left.value.clone());
        if let Some(right) = &test.right {
            add(right.object.clone(), right.field, right.value.clone());
        }
    }
    if let Target::Claim(id) = view.prediction.target
        && let Some(Branch::ClaimBranch(branch)) = view.binder().next().map(|decision| decision.branch)
        && let claim = snapshot.claim(id)
        && let Some(volume) = snapshot.volume_id(&claim.volume_name).map(|id| snapshot.volume(id))
        && let Some(verdict) = verdict_of(branch)
        && let Some(found) = misfit(volume, claim, verdict)
    {
        add(format!("pv/{}", volume.meta.name), found.field, found.has);
        if let Some(field) = found.claim_field {
            add(format!("pvc/{}", claim.meta.name), field, found.wants);
        }
    }
    evidence
}

fn users_of_claim<'a>(snapshot: &'a Snapshot, claim: &'a PersistentVolumeClaim) -> Vec<UserOut<'a>> {
    snapshot.pods_of(&claim.meta.namespace, &claim.meta.name).map(|pod| user(pod, Some(claim))).collect()
}

fn users_of_volume<'a>(snapshot: &'a Snapshot, volume: &'a PersistentVolume) -> Vec<UserOut<'a>> {
    let Some(named) = &volume.claim_ref else { return Vec::new() };
    let claim = snapshot.claim_id(&named.namespace, &named.name).map(|id| snapshot.claim(id));
    if claim.is_some_and(|claim| !claim.volume_name.is_empty() && claim.volume_name != volume.meta.name) {
        return Vec::new();
    }
    snapshot.pods_of(&named.namespace, &named.name).map(|pod| user(pod, claim)).collect()
}

fn user<'a>(pod: &'a Pod, claim: Option<&PersistentVolumeClaim>) -> UserOut<'a> {
    UserOut {
        object: ObjectId::new(Kind::Pod, &pod.meta),
        node_name: &pod.node_name,
        terminated: pod.terminated(),
        keeps_claim: claim.is_some_and(|claim| pod_uses_claim(pod, claim)),
    }
}

/// Who has to act, in plain words.
fn next(prediction: &Prediction<'_>) -> Vec<NextOut> {
    let mut next: Vec<NextOut> = Vec::new();
    for waiting in prediction.decisions.listed.iter().flat_map(|decision| &decision.record.waiting) {
        let who = match (waiting.component, waiting.name.as_str()) {
            ("user", _) => "you".to_owned(),
            ("scheduler", _) => "the scheduler".to_owned(),
            ("node", pod) => format!("the node, with pod {pod}"),
            ("external-provisioner", "") => "an external provisioner".to_owned(),
            (_, name) => name.to_owned(),
        };
        let entry = NextOut { who, what: waiting.action.clone() };
        if !next.contains(&entry) {
            next.push(entry);
        }
    }
    next
}

fn events<'a>(prediction: &'a Prediction<'a>) -> Vec<EventOut<'a>> {
    let mut events: Vec<EventOut<'a>> = Vec::new();
    for event in prediction.decisions.listed.iter().flat_map(|decision| DecisionOut::new(decision).events) {
        let known = |other: &EventOut<'_>| {
            (other.reason, other.message, &other.about) == (event.reason, event.message, &event.about)
        };
        if !events.iter().any(known) {
            events.push(event);
        }
    }
    events
}

/// Where it can end, a line each.
fn ends(prediction: &Prediction<'_>) -> Vec<String> {
    let Some(outcomes) = &prediction.outcomes else { return Vec::new() };
    let mut ends: Vec<String> = outcomes.listed.iter().map(end).collect();
    let more = outcomes.count.saturating_sub(outcomes.listed.len() as u64);
    if more > 0 {
        ends.push(format!("and {more} more"));
    }
    ends
}

/// One end in words.
fn end(outcome: &Outcome) -> String {
    let kept = |terminating: &Option<Vec<Str>>| match terminating.as_deref() {
        None => String::new(),
        Some([]) => ", being deleted".to_owned(),
        Some(left) => {
            let left: Vec<&str> = left.iter().map(Str::as_str).collect();
            format!(", being deleted, kept by {}", left.join(", "))
        }
    };
    let round = |unsettled: bool| if unsettled { " (for a while: it never settles)" } else { "" };
    match outcome {
        Outcome::Claim { phase, volume_name, terminating, unsettled } => {
            let volume = if volume_name.is_empty() {
                String::new()
            } else {
                format!(" to {}", crate::world::printed_volume(volume_name))
            };
            let joined = match phase.as_str() {
                "Bound" => format!("Bound{volume}"),
                other if volume.is_empty() => other.to_owned(),
                other => format!("{other}, naming{}", &volume[3..]),
            };
            format!("{joined}{}{}", kept(terminating), round(*unsettled))
        }
        Outcome::Volume { phase, claim_ref, terminating, unsettled, .. } => {
            let claim = claim_ref.as_ref().map_or_else(String::new, |(namespace, name, uid)| {
                let claim = format!("{namespace}/{name}");
                match phase {
                    VolumePhase::Bound => format!(" to {claim}"),
                    VolumePhase::Available if uid.is_empty() => format!(", reserved for {claim}"),
                    _ => format!(", last of {claim}"),
                }
            });
            format!("{}{claim}{}{}", phase.as_str(), kept(terminating), round(*unsettled))
        }
        Outcome::Gone { unsettled, .. } => format!("gone{}", round(*unsettled)),
    }
}

/// Where what is recorded differs from every possible end.
fn divergence(view: View<'_>, from_files: bool) -> Option<DivergenceOut> {
    let (snapshot, prediction) = (view.snapshot(), view.prediction);
    let outcomes = prediction.outcomes.as_ref()?;
    let (phase, since) = match prediction.target {
        Target::Volume(id) => (snapshot.volume(id).status.phase.as_str(), volume_since(view, snapshot.volume(id))),
        Target::Claim(id) => {
            let claim = snapshot.claim(id);
            (claim.status.phase.as_str(), claim_since(snapshot, id, outcomes.listed.first()))
        }
    };
    let every_end_differs = prediction.changes(snapshot) && outcomes.listed.iter().all(|end| end.phase() != phase);
    if !every_end_differs {
        return None;
    }
    let lasted = snapshot.now().zip(since).map(|(now, since)| now.seconds_since(since)).filter(|lasted| *lasted >= 0);
    let resync = i64::try_from(view.rules().resync_seconds).unwrap_or(i64::MAX);
    let suspicious = lasted.is_some_and(|lasted| lasted > resync.saturating_mul(SEVERAL_RESYNCS));
    let mut predicted: Vec<String> = outcomes.listed.iter().map(|end| end.phase().to_owned()).collect();
    predicted.dedup();
    Some(DivergenceOut {
        recorded: phase.to_owned(),
        predicted,
        lasted_seconds: lasted,
        controller_not_running: suspicious.then_some(if from_files { "possibly" } else { "probably" }),
    })
}

/// Since when everything was there that lets the next sync change the volume. Most causes, such as a claim that was
/// deleted, leave no time behind, and then nothing can be said of the controller.
fn volume_since(view: View<'_>, volume: &PersistentVolume) -> Option<Timestamp> {
    let Branch::VolumeBranch(branch) = view.binder().next()?.branch else { return None };
    match branch {
        VolumeBranch::VolumeUnclaimed | VolumeBranch::VolumeReserved
            if matches!(volume.status.phase, VolumePhase::Pending | VolumePhase::Empty) =>
        {
            volume.meta.created
        }
        VolumeBranch::VolumeClaimReplaced => {
            let named = volume.claim_ref.as_ref()?;
            let newer = view.snapshot().claim(view.snapshot().claim_id(&named.namespace, &named.name)?);
            Some(newer.meta.created?.max(volume.status.last_phase_transition?))
        }
        _ => None,
    }
}

/// Since when at the latest the claim could have been bound: a claim has no time of its last change, so both it and the
/// volume that it would get must have been there.
fn claim_since(snapshot: &Snapshot, id: ClaimId, end: Option<&Outcome>) -> Option<Timestamp> {
    let Some(Outcome::Claim { volume_name, .. }) = end else { return None };
    let volume: VolumeId = snapshot.volume_id(volume_name)?;
    let volume = snapshot.volume(volume);
    if volume.status.phase != VolumePhase::Available {
        return None;
    }
    Some(snapshot.claim(id).meta.created?.max(volume.status.last_phase_transition?))
}

impl DivergenceOut {
    /// The difference in one sentence.
    fn sentence(&self) -> String {
        let ends = self.predicted.join(" or ");
        let lasted = match self.lasted_seconds {
            Some(seconds) => format!(", for {} already", human_age(seconds)),
            None => String::new(),
        };
        match self.controller_not_running {
            None => format!("Recorded as {}, and the next syncs make it {ends}.", self.recorded),
            Some(sure) => format!(
                "Recorded as {}{lasted}, though a sync would have made it {ends} long ago: {sure} the controller is \
                 not running.",
                self.recorded
            ),
        }
    }
}

impl TextDecision {
    fn new(decision: &Decision<'_>) -> Self {
        let tests = decision
            .record
            .tests
            .iter()
            .map(|test| {
                let side = |side: &crate::world::Compared| format!("{} {} = {}", side.object, side.field, side.value);
                let right = test.right.as_ref().map(|right| format!(", {}", side(right))).unwrap_or_default();
                format!("{} {}: {}{right}", if test.holds { "yes" } else { "no " }, test.question, side(&test.left))
            })
            .collect();
        Self {
            controller: decision.controller.name(),
            branch: decision.branch.name(),
            about: decision.branch.about(),
            tests,
            error: decision.record.error.clone(),
            idle: matches!(
                decision.branch,
                Branch::ProtectionBranch(
                    ProtectionBranch::ClaimProtectionUnchanged | ProtectionBranch::VolumeProtectionUnchanged
                )
            ),
        }
    }
}

/// Whether the branch leaves a volume without its claim.
fn released(branch: VolumeBranch) -> bool {
    matches!(
        branch,
        VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced | VolumeBranch::VolumeSurplusDynamic
    )
}
