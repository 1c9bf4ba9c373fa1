//! The explanation of one object as data: why it has its state, and who has to act.

use super::attaching::AttachmentOut;
use super::binding::{self, BindingOut};
use super::class::{self, ClassOut};
use super::divergence::DivergenceOut;
use super::driver::{Awaited, DriverOut};
use super::ends::ends;
use super::node::NodeVolumesOut;
use super::scheduling::SchedulingOut;
use super::serving::shared_volumes;
use super::users::{UserOut, users_namespaces, users_of_claim, users_of_volume};

use crate::controllers::persistent_volume::match_claim;
use crate::controllers::{Branch, ClaimBranch, ClaimProtectionBranch, VolumeProtectionBranch};
use crate::diagnosis::attaching::{AttachmentAnswer, Attachments};
use crate::diagnosis::misfit::{misfit, shown};
use crate::diagnosis::node::NodeVolumes;
use crate::diagnosis::reason::{View, verdict_of};
use crate::diagnosis::shared_volumes::Providers;
use crate::diagnosis::{Diagnoser, Diagnosis, Findings, Provisioner, key};
use crate::model::{
    self, Kind, Lease, ObjectKey, PersistentVolumeClaim, ResourceVersion, StorageClass, Timestamp, TypedId,
};
use crate::report::match_table::{MatchRow, candidate_rows};
use crate::report::prediction::{DecisionOut, EventOut, NeedOut, PredictionOut, StateOut, UnknownOut};
use crate::report::shared::diagnosis::DiagnosisOut;
use crate::report::shared::machine::{API_VERSION, CoverageOut, Model, ObjectId, coverage_out};
use crate::report::shared_volumes::SharedVolumeOut;
use crate::simulate::{Decision, Prediction, Simulation};
use crate::snapshot::{Absence, CoverageState, Snapshot};
use serde::Serialize;
use std::sync::Arc;

/// The document: why one object has its state, and who has to act.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Explanation<'a> {
    /// The version of the document.
    pub api_version: &'static str,
    /// `Explanation`.
    pub kind: &'static str,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// For each kind and namespace, whether all objects were read.
    pub coverage: Vec<CoverageOut<'a>>,
    /// The explained object.
    pub object: ObjectId<'a>,
    /// The first line of the text: the state and its reason.
    pub headline: String,
    /// The diagnosis: the state, the cause, who acts next, and what a person can do.
    pub diagnosis: DiagnosisOut,
    /// The state that status and binding of the object record. The field is absent for a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<StateOut<'a>>,
    /// The prediction for the object. The field is absent for a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<PredictionOut<'a>>,
    /// The fields that decide the answer.
    pub evidence: Vec<EvidenceOut>,
    /// The result of matching for each volume, the best match first. The list exists only for a claim that is not bound
    /// yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub candidates: Vec<MatchRow<'a>>,
    /// The binding from both sides. The field is absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<BindingOut>,
    /// What kube-scheduler does with the pod. The field is null for a pod that has a node or has ended, and absent for
    /// other objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<Option<SchedulingOut>>,
    /// The volumes of the node. The field is absent for other objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeVolumesOut>,
    /// What the attach/detach controller does with the volumes of a pod on its node, with a VolumeAttachment, or with
    /// the volumes of a node. The field is absent for other objects, and if something that the controller reads could
    /// not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<AttachmentOut>>,
    /// The pods that use the claim, or the claim of the volume. The field is absent if the pods could not be read, and
    /// for other objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by: Option<Vec<UserOut<'a>>>,
    /// The shared volumes that concern the object, with the path to their servers. The list is absent if there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub shared_volumes: Vec<SharedVolumeOut<'a>>,
    /// Which parts of this document are absent because something could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unknown: Vec<UnknownOut<'a>>,
    /// The persons or components that have to act before anything else happens.
    pub next: Vec<NextOut>,
    /// The events that the next syncs of the controllers record.
    pub events_to_come: Vec<EventOut<'a>>,
    /// What happens to the data of a volume after its claim is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_once_released: Option<&'static str>,
    /// The difference between the recorded state and the state that the controllers would have made. The field is
    /// absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<DivergenceOut>,
    /// What the Leases show about the components of drivers that have to act: whether these components run. The list is
    /// absent for files, and if no such component has to act.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub drivers: Vec<DriverOut>,
    /// The result of `--recheck`. The field is absent without this flag.
    ///
    /// `same`: nothing changed. `moved`: the object has changed, or something that decides its outcome has changed, or
    /// the object now agrees with the prediction. `notNeeded`: there was no second reading, because it could show
    /// nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recheck: Option<&'static str>,
    /// The effect of a class on its claims. The field is absent for other objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ClassOut<'a>>,
    #[serde(skip)]
    pub(super) decisions: Vec<TextDecision>,
    #[serde(skip)]
    pub(super) ends: Vec<String>,
    /// Whether a driver provisions volumes for the class of the claim. Then volumes of other classes are of no
    /// interest.
    #[serde(skip)]
    pub(super) driver_provisions: bool,
    /// The namespaces whose pods are assumed not to exist, because the input has no pods.
    #[serde(skip)]
    pub(super) no_pods_read: Vec<&'a str>,
}

/// A field that decides the answer, and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceOut {
    /// The object as users type it for kubectl.
    pub object: String,
    /// The path of the field.
    pub field: &'static str,
    /// The value of the field. It is `<unset>` if the field is not set.
    pub value: String,
}

/// A person or component that has to act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextOut {
    /// Who has to act: `you`, `the scheduler`, `the node, with pod NAME`, `an external provisioner`, or the name of a
    /// driver or plugin.
    pub who: String,
    /// What this person or component has to do.
    pub what: String,
}

/// The value of [`NextOut::who`] if the user has to act.
pub(super) const YOU: &str = "you";

/// A decision in the form in which the text shows it.
#[derive(Debug)]
pub(super) struct TextDecision {
    pub(super) controller: &'static str,
    pub(super) branch: &'static str,
    pub(super) about: &'static str,
    pub(super) tests: Vec<String>,
    /// The entries that the controller logs at `-v=5`.
    pub(super) log: Vec<String>,
    pub(super) error: Option<String>,
    /// Whether the decision does nothing, like most decisions of the protection controllers.
    pub(super) idle: bool,
}

/// The input of an explanation.
#[derive(Debug)]
pub struct ExplanationInput<'a> {
    /// The simulation with all predictions. It records the comparisons of matching.
    pub simulation: &'a Simulation<'a>,
    /// The findings of rules about the object and the objects around it.
    pub findings: &'a Findings,
    /// What the attach/detach controller does with the volumes of nodes.
    pub attachments: Arc<Attachments<'a>>,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// Whether the objects come from files, which may be old.
    pub from_files: bool,
    /// The systems that serve shared volumes.
    pub providers: &'a Providers,
}

impl<'a> Explanation<'a> {
    /// Explains a claim or a volume.
    pub fn of_object(asked: ExplanationInput<'a>, prediction: &'a Prediction<'a>) -> Self {
        let ExplanationInput { simulation, findings, attachments, model, from_files, providers } = asked;
        let snapshot = simulation.snapshot();
        let view = View { simulation, prediction };
        let candidates = candidates(view);
        let diagnosis = Diagnoser::new(simulation, findings).with_attachments(attachments).of_prediction(prediction);
        let mut next = next(prediction);
        // If the object becomes Bound in every outcome, the user does not have to create a volume.
        if view.only_outcome().is_some_and(|end| end.phase() == "Bound" && !end.is_terminating()) {
            next.retain(|next| next.who != YOU);
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
                (users_of_volume(snapshot, volume), diagnosis.data.map(|data| data.fate.as_str()))
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
            headline: diagnosis.headline.clone(),
            diagnosis: DiagnosisOut::new(&diagnosis, snapshot.now()),
            recorded: Some(StateOut::recorded(snapshot, prediction.target)),
            prediction: Some(PredictionOut::new(snapshot, prediction)),
            evidence: evidence(view),
            candidates,
            binding: binding::of_object(snapshot, prediction.target),
            scheduling: None,
            node: None,
            attachments: None,
            used_by: unknown.is_empty().then_some(used_by),
            shared_volumes: shared_volumes(snapshot, providers, &findings.listed, prediction.target),
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
            driver_provisions: driver_provisions(view),
            no_pods_read,
        }
    }

    /// Adds the Lease of kube-controller-manager. `read_at` is the time of the reading by the server's clock.
    pub fn add_lease(&mut self, lease: &Lease, read_at: Timestamp) {
        if let Some(divergence) = &mut self.divergence {
            divergence.add_lease(lease, read_at, "probably");
            self.next.extend(divergence.next());
        }
    }

    /// Returns the components of drivers that have to act before anything else happens. These are provisioners that
    /// have to create or delete storage, and attachers whose finalizers keep a volume that is being deleted.
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

    /// Adds what the Leases of these components show. `read_at` is the time of the reading by the server's clock.
    /// `unread` has the names of Leases that could not be read in all namespaces.
    pub fn add_drivers(&mut self, awaited: &[Awaited], leases: &[Lease], unread: &[String], read_at: Timestamp) {
        let of = |awaited: &Awaited| {
            let complete = !awaited.leases.iter().any(|name| unread.contains(name));
            DriverOut::new(awaited, leases, complete, read_at)
        };
        self.drivers = awaited.iter().map(of).collect();
        self.next.extend(self.drivers.iter().filter_map(DriverOut::next));
    }

    /// Records that an earlier reading showed the same version of the object with the same divergence. The two
    /// `readings` are more than [`RESYNCS`](super::RESYNCS) resync periods apart.
    pub fn add_same_reading(&mut self, object: &ObjectKey, version: &ResourceVersion, readings: [Timestamp; 2]) {
        self.recheck = Some("same");
        if let Some(divergence) = &mut self.divergence {
            let object = format!("{}/{}", object.kind.short(), object.name);
            divergence.add_same_reading(&object, &version.to_string(), readings);
        }
    }

    /// Returns whether the object differs from its prediction and only an event can change it. In this case the elapsed
    /// time proves nothing.
    pub fn waits_for_events(&self) -> bool {
        self.divergence.as_ref().is_some_and(|divergence| !divergence.resynced())
    }

    /// Records that the user asked for a second reading, but that it was not made because it could show nothing.
    pub fn set_not_rechecked(&mut self) {
        self.recheck = Some("notNeeded");
    }

    /// Records that an earlier reading showed another state.
    pub fn set_moved(&mut self) {
        self.recheck = Some("moved");
        if let Some(divergence) = &mut self.divergence {
            divergence.set_moved();
        }
    }

    /// Returns whether the possible ends of the object are known.
    pub fn ends_are_known(&self) -> bool {
        self.prediction.as_ref().is_some_and(|prediction| prediction.outcomes.is_some())
    }

    /// Explains a class.
    pub fn of_class(asked: ExplanationInput<'a>, class: &'a StorageClass) -> Self {
        let ExplanationInput { simulation, findings, attachments, model, .. } = asked;
        let snapshot = simulation.snapshot();
        let key = key(Kind::StorageClass, "", &class.meta.name);
        let diagnosis = Diagnoser::new(simulation, findings).with_attachments(attachments).of(&key);
        let described = ClassOut::new(snapshot, &simulation.settings().behavior, class);
        Self {
            evidence: class::evidence(class),
            class: Some(described),
            ..Self::of_diagnosis(snapshot, model, ObjectId::new(Kind::StorageClass, &class.meta), &diagnosis)
        }
    }

    /// Explains a pod, a workload, a node or another object that is not predicted.
    pub fn of_other(asked: ExplanationInput<'a>, id: model::ObjectId) -> Self {
        let ExplanationInput { simulation, findings, attachments, model, providers, .. } = asked;
        let snapshot = simulation.snapshot();
        let diagnoser = Diagnoser::new(simulation, findings).with_attachments(attachments).with_scheduling();
        let diagnosis = diagnoser.of(&snapshot.key(id));
        let scheduling = (id.kind == Kind::Pod).then(|| diagnosis.scheduling.as_ref().map(SchedulingOut::new));
        let node = match id.typed() {
            TypedId::Node(id) => {
                let behavior = &simulation.settings().behavior;
                Some(NodeVolumesOut::new(&NodeVolumes::of(snapshot, behavior, snapshot.get(id))))
            }
            _ => None,
        };
        let object = ObjectId::new(id.kind, snapshot.meta(id));
        let (attachments, unknown) = match &diagnosis.attachments {
            Some(AttachmentAnswer::Known(outlooks)) => {
                (Some(outlooks.iter().map(AttachmentOut::new).collect()), Vec::new())
            }
            Some(AttachmentAnswer::Unread(unread)) => (None, unread.iter().copied().map(unread_attachments).collect()),
            None => (None, Vec::new()),
        };
        let shared_volumes = shared_volumes(snapshot, providers, &findings.listed, id);
        Self {
            scheduling,
            node,
            attachments,
            shared_volumes,
            unknown,
            ..Self::of_diagnosis(snapshot, model, object, &diagnosis)
        }
    }

    fn of_diagnosis(snapshot: &'a Snapshot, model: Model, object: ObjectId<'a>, diagnosis: &Diagnosis) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            model,
            coverage: coverage_out(snapshot.coverage()),
            object,
            headline: diagnosis.headline.clone(),
            diagnosis: DiagnosisOut::new(diagnosis, snapshot.now()),
            recorded: None,
            prediction: None,
            evidence: Vec::new(),
            candidates: Vec::new(),
            binding: None,
            scheduling: None,
            node: None,
            attachments: None,
            used_by: None,
            shared_volumes: Vec::new(),
            unknown: Vec::new(),
            next: Vec::new(),
            events_to_come: Vec::new(),
            data_once_released: None,
            divergence: None,
            drivers: Vec::new(),
            recheck: None,
            class: None,
            decisions: Vec::new(),
            ends: Vec::new(),
            driver_provisions: false,
            no_pods_read: Vec::new(),
        }
    }
}

/// Says that the attachments are not known, because the objects of a kind were not read.
fn unread_attachments<'a>((kind, state): (Kind, CoverageState)) -> UnknownOut<'a> {
    UnknownOut {
        field: "attachments",
        controller: None,
        needs: NeedOut { verb: "list", resource: kind.resource(), namespace: "" },
        reason: state.as_str(),
    }
}

/// Returns whether a driver provisions volumes of the class of the claim.
fn driver_provisions(view: View<'_>) -> bool {
    let claim = view.prediction.target.of().map(|id| view.snapshot().claim(id));
    let class = claim.and_then(|claim: &PersistentVolumeClaim| view.snapshot().class(claim.class()));
    let provisioner = class.map(|class| Provisioner::of(view.behavior(), class));
    matches!(provisioner, Some(Provisioner::External | Provisioner::Migrated(_)))
}

/// Returns the candidates of a claim that is not bound yet, the best match first.
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

/// Returns the fields that the controllers compared, with their values. If the claim names a volume that does not fit,
/// the field that differs is added with its value in the volume and in the claim.
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

/// Returns the persons and components that have to act, in plain words.
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

/// Returns what the user has to do about a volume that is reserved for the claim but does not fit it.
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
            log: decision.record.log.iter().map(ToString::to_string).collect(),
            error: decision.record.error.clone(),
            idle: matches!(
                decision.branch,
                Branch::ClaimProtectionBranch(ClaimProtectionBranch::ClaimProtectionUnchanged)
                    | Branch::VolumeProtectionBranch(VolumeProtectionBranch::VolumeProtectionUnchanged)
            ),
        }
    }
}
