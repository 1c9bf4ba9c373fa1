//! Why one object is as it is, and who has to act, as data.

use super::binding::{self, BindingOut};
use super::class::{self, ClassOut};
use super::divergence::DivergenceOut;
use super::driver::{Awaited, DriverOut};
use super::{danger, headline};
use crate::controllers::persistent_volume::match_claim;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, leaks};
use crate::controllers::pvc_protection::pod_uses_claim;
use crate::controllers::{Branch, ClaimBranch, ClaimProtectionBranch, VolumeBranch, VolumeProtectionBranch};
use crate::diagnosis::misfit::{claim_words, misfit, shown};
use crate::model::{
    self, Kind, Lease, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, ResourceVersion, StorageClass, Str,
    Timestamp, TypedId, VolumePhase,
};
use crate::report::match_table::{MatchRow, candidate_rows};
use crate::report::prediction::{DecisionOut, EventOut, NeedOut, PredictionOut, StateOut, UnknownOut};
use crate::report::shared::machine::{API_VERSION, CoverageOut, Model, ObjectId, coverage_out};
use crate::report::shared::why::{View, verdict_of};
use crate::simulate::{Decision, Outcome, Prediction, Simulation};
use crate::snapshot::{Absence, Snapshot};
use serde::Serialize;

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
    /// The pods that use the claim, or the volume's claim; absent where these could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by: Option<Vec<UserOut<'a>>>,
    /// Which parts of this document are absent because something could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub unknown: Vec<UnknownOut<'a>>,
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
    /// Whether the components of drivers live that have to act, as far as their Leases tell; absent for files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub drivers: Vec<DriverOut>,
    /// What `--recheck` found: `same`, `moved` where the object or what decides it changed or is now as predicted, or
    /// `notNeeded` where there is nothing that a second reading could tell; absent where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recheck: Option<&'static str>,
    /// What a class does; absent for other objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ClassOut<'a>>,
    #[serde(skip)]
    pub(super) decisions: Vec<TextDecision>,
    #[serde(skip)]
    pub(super) ends: Vec<String>,
    /// The namespaces in which pods are taken not to exist, because the input holds none of them.
    #[serde(skip)]
    pub(super) no_pods_read: Vec<&'a str>,
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

/// Who has to act where that is whoever reads it.
pub(super) const YOU: &str = "you";

/// A decision as people read it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextDecision {
    pub(super) controller: &'static str,
    pub(super) branch: &'static str,
    pub(super) about: &'static str,
    pub(super) tests: Vec<String>,
    pub(super) error: Option<String>,
    /// It is one of those that find nothing to do, as most protection does.
    pub(super) idle: bool,
}

/// What an explanation is made from.
#[derive(Debug)]
pub struct ExplanationInput<'a> {
    /// All predictions, made with the comparisons recorded.
    pub simulation: &'a Simulation<'a>,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// The objects come from files, which may be old.
    pub from_files: bool,
}

/// The namespaces whose pods can use the object, in order, each once.
fn users_namespaces(snapshot: &Snapshot, target: model::ObjectId) -> Vec<&str> {
    let mut namespaces: Vec<&str> = match target.typed() {
        TypedId::PersistentVolumeClaim(id) => vec![&snapshot.claim(id).meta.namespace],
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            let named = volume.claim_ref.iter().map(|claim| claim.namespace.as_str());
            let naming = snapshot.claims_naming(&volume.meta.name).iter();
            named.chain(naming.map(|id| snapshot.claim(*id).meta.namespace.as_str())).collect()
        }
        _ => Vec::new(),
    };
    namespaces.sort_unstable();
    namespaces.dedup();
    // A claimRef without a namespace names no claim that a pod could use.
    namespaces.retain(|namespace| !namespace.is_empty());
    namespaces
}

impl<'a> Explanation<'a> {
    /// Explains a claim or a volume.
    pub fn of_object(asked: ExplanationInput<'a>, prediction: &'a Prediction<'a>) -> Self {
        let ExplanationInput { simulation, model, from_files } = asked;
        let snapshot = simulation.snapshot();
        let view = View { simulation, prediction };
        let candidates = candidates(view);
        let dangers = danger::of_object(view);
        let headline = headline::of_object(view, &candidates, &dangers);
        let mut next = next(prediction);
        // Where it becomes Bound in any case, nobody has to make a volume for it.
        if view.only_outcome().is_some_and(|end| end.phase() == "Bound" && !end.is_terminating()) {
            next.retain(|next| next.who != YOU);
        }
        // Whoever does what stands first loses nothing.
        for way in dangers.iter().rev().filter_map(|danger| danger.way_out.clone()) {
            if !next.contains(&way) {
                next.insert(0, way);
            }
        }
        let divergence = DivergenceOut::new(view, from_files);
        next.extend(divergence.iter().filter_map(DivergenceOut::next));
        if candidates.iter().all(|row| !row.fits()) {
            next.extend(candidates.iter().filter(|row| row.is_reserved_in_vain()).map(make_fit));
        }
        let mut unknown = Vec::new();
        let mut no_pods_read = Vec::new();
        for namespace in users_namespaces(snapshot, prediction.target) {
            match snapshot.coverage().absence(Kind::Pod, namespace) {
                Absence::Certain => {}
                Absence::Assumed => no_pods_read.push(namespace),
                Absence::Unknown(state) => unknown.push(UnknownOut {
                    field: "usedBy",
                    controller: None,
                    needs: NeedOut { verb: "list", resource: Kind::Pod.resource(), namespace },
                    reason: state.as_str(),
                }),
            }
        }
        let (used_by, data) = match prediction.target.typed() {
            TypedId::PersistentVolume(id) => {
                let volume = snapshot.volume(id);
                (
                    users_of_volume(snapshot, volume),
                    Some(if volume.terminating() && leaks(view.behavior(), volume) {
                        DataFate::Kept.as_str()
                    } else {
                        data_fate(view.behavior(), volume).as_str()
                    }),
                )
            }
            TypedId::PersistentVolumeClaim(id) => (users_of_claim(snapshot, snapshot.claim(id)), None),
            _ => (Vec::new(), None),
        };
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            model,
            coverage: coverage_out(snapshot.coverage()),
            object: ObjectId::new(prediction.target.kind, snapshot.meta(prediction.target)),
            headline,
            recorded: Some(StateOut::recorded(snapshot, prediction.target)),
            prediction: Some(PredictionOut::new(snapshot, prediction)),
            evidence: evidence(view),
            candidates,
            binding: binding::of_object(snapshot, prediction.target),
            used_by: unknown.is_empty().then_some(used_by),
            unknown,
            next,
            events_to_come: events(prediction),
            data_once_released: data,
            divergence,
            drivers: Vec::new(),
            recheck: None,
            class: None,
            decisions: prediction.decisions.listed.iter().map(TextDecision::new).collect(),
            ends: ends(prediction),
            no_pods_read,
        }
    }

    /// Takes the Lease of kube-controller-manager into account, as it was read on a cluster at that time by the
    /// server's clock.
    pub fn add_lease(&mut self, lease: &Lease, read_at: Timestamp) {
        if let Some(divergence) = &mut self.divergence {
            divergence.add_lease(lease, read_at, "probably");
            self.next.extend(divergence.next());
        }
    }

    /// The components of drivers that have to act for something else to happen: provisioners that are asked to create
    /// or to delete, and attachers whose finalizers keep a volume that is being deleted.
    pub fn awaited(&self) -> Vec<Awaited> {
        let waiting = self.prediction.iter().flat_map(|prediction| &prediction.waiting_for);
        let provisioners = waiting
            .filter(|waiting| waiting.component == "external-provisioner" && !waiting.name.is_empty())
            .map(|waiting| Awaited::provisioner(waiting.name));
        let finalizers = self.recorded.iter().filter_map(|state| state.finalizers.as_ref()).flatten();
        let mut awaited: Vec<Awaited> = Vec::new();
        for one in provisioners.chain(finalizers.filter_map(|finalizer| Awaited::attacher(finalizer))) {
            if !awaited.contains(&one) {
                awaited.push(one);
            }
        }
        awaited
    }

    /// Takes the Leases of these components into account, as they were read on a cluster at that time by the server's
    /// clock; `unread` are the names of which not all Leases could be read.
    pub fn add_drivers(&mut self, awaited: &[Awaited], leases: &[Lease], unread: &[String], read_at: Timestamp) {
        let of = |awaited: &Awaited| {
            let complete = !awaited.leases.iter().any(|name| unread.contains(name));
            DriverOut::new(awaited, leases, complete, read_at)
        };
        self.drivers = awaited.iter().map(of).collect();
        self.next.extend(self.drivers.iter().filter_map(DriverOut::next));
    }

    /// Says that an earlier reading, more than [`RESYNCS`](super::RESYNCS) resync periods before this one, showed the
    /// same version of the object with the same divergence; `readings` are the times of both.
    pub fn add_same_reading(&mut self, object: &ObjectKey, version: &ResourceVersion, readings: [Timestamp; 2]) {
        self.recheck = Some("same");
        if let Some(divergence) = &mut self.divergence {
            let object = format!("{}/{}", object.kind.short(), object.name);
            divergence.add_same_reading(&object, &version.to_string(), readings);
        }
    }

    /// Whether something differs from what is predicted, and no resync changes that, so that time tells nothing.
    pub fn waits_for_events(&self) -> bool {
        self.divergence.as_ref().is_some_and(|divergence| !divergence.resynced())
    }

    /// Says that a second reading was asked for, and that it would have told nothing.
    pub fn set_not_rechecked(&mut self) {
        self.recheck = Some("notNeeded");
    }

    /// Says that an earlier reading showed something else.
    pub fn set_moved(&mut self) {
        self.recheck = Some("moved");
        if let Some(divergence) = &mut self.divergence {
            divergence.set_moved();
        }
    }

    /// Whether it is known in which states the object can end.
    pub fn ends_are_known(&self) -> bool {
        self.prediction.as_ref().is_some_and(|prediction| prediction.outcomes.is_some())
    }

    /// Explains a class.
    pub fn of_class(asked: ExplanationInput<'a>, class: &'a StorageClass) -> Self {
        let ExplanationInput { simulation, model, .. } = asked;
        let snapshot = simulation.snapshot();
        let described = ClassOut::new(snapshot, &simulation.settings().behavior, class);
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            model,
            coverage: coverage_out(snapshot.coverage()),
            object: ObjectId::new(Kind::StorageClass, &class.meta),
            headline: described.headline(snapshot, &simulation.settings().behavior, class),
            recorded: None,
            prediction: None,
            evidence: class::evidence(class),
            candidates: Vec::new(),
            binding: None,
            used_by: None,
            unknown: Vec::new(),
            next: Vec::new(),
            events_to_come: Vec::new(),
            data_once_released: None,
            divergence: None,
            drivers: Vec::new(),
            recheck: None,
            class: Some(described),
            decisions: Vec::new(),
            ends: Vec::new(),
            no_pods_read: Vec::new(),
        }
    }
}

/// The candidates of a claim that is still to be bound, the nearest first.
fn candidates(view: View<'_>) -> Vec<MatchRow<'_>> {
    let Some(id) = view.prediction.target.of::<PersistentVolumeClaim>() else { return Vec::new() };
    let searches = view.binder().any(|decision| match decision.branch {
        Branch::ClaimBranch(branch) => branch < ClaimBranch::BoundClaimVolumeNameCleared,
        _ => false,
    });
    if !searches {
        return Vec::new();
    }
    let (snapshot, claim) = (view.snapshot(), view.snapshot().claim(id));
    match_claim(snapshot, view.behavior(), claim)
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
    if let Some(id) = view.prediction.target.of::<PersistentVolumeClaim>()
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
            ("user", _) => YOU.to_owned(),
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

/// What to do about a volume that is reserved for the claim and does not fit it.
fn make_fit(row: &MatchRow<'_>) -> NextOut {
    NextOut {
        who: "you".to_owned(),
        what: format!(
            "make the claim and volume {} fit each other, or recreate the claim: the volume is {}",
            row.object.name, row.why
        ),
    }
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
    let listed = prediction.listed_outcomes();
    let mut ends: Vec<String> = listed.iter().map(end).collect();
    let more = outcomes.count.saturating_sub(listed.len() as u64);
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
        Outcome::Claim { phase, volume_name, terminating, unsettled, created } => {
            let volume = if volume_name.is_empty() {
                String::new()
            } else {
                format!(" to {}", crate::snapshot::printed(volume_name))
            };
            let joined = match phase.as_str() {
                "Bound" => format!("Bound{volume}"),
                other if volume.is_empty() => other.to_owned(),
                other => format!("{other}, naming{}", &volume[3..]),
            };
            let made = if *created { ", made anew" } else { "" };
            format!("{joined}{made}{}{}", kept(terminating), round(*unsettled))
        }
        Outcome::Volume { phase, claim_ref, terminating, unsettled, .. } => {
            let claim = claim_ref.as_ref().map_or_else(String::new, |(namespace, name, _)| {
                let claim = claim_words(namespace, name);
                match phase {
                    VolumePhase::Bound => format!(" to {claim}"),
                    // Only these two phases tell that the claim has gone, or has another volume.
                    VolumePhase::Released | VolumePhase::Failed => format!(", last of {claim}"),
                    _ => format!(", reserved for {claim}"),
                }
            });
            format!("{}{claim}{}{}", phase.as_str(), kept(terminating), round(*unsettled))
        }
        Outcome::Gone { unsettled, .. } => format!("gone{}", round(*unsettled)),
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
            controller: decision.controller.name,
            branch: decision.branch.name(),
            about: decision.branch.about(),
            tests,
            error: decision.record.error.clone(),
            idle: matches!(
                decision.branch,
                Branch::ClaimProtectionBranch(ClaimProtectionBranch::ClaimProtectionUnchanged)
                    | Branch::VolumeProtectionBranch(VolumeProtectionBranch::VolumeProtectionUnchanged)
            ),
        }
    }
}

/// Whether the branch leaves a volume without its claim.
pub(super) fn released(branch: VolumeBranch) -> bool {
    matches!(
        branch,
        VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced | VolumeBranch::VolumeSurplusDynamic
    )
}
