//! Predictions in documents.

use super::attachments::AttachmentEndsOut;
use super::decision::DecisionOut;
use crate::controllers::PodPlace;
use crate::controllers::persistent_volume::reclaim::DataFate;
use crate::model::{self, ClaimRef, ObjectKey, PersistentVolume, PersistentVolumeClaim, TypedId};
use crate::report::shared::diagnosis::DiagnosisOut;
use crate::report::shared::machine::{API_VERSION, CoverageOut, Model, ObjectId, coverage_out, is_false};
use crate::simulate::{Joint, Limit, Outcome, OutcomeSet, Prediction, Simulation};
use crate::snapshot::Snapshot;
use crate::snapshot::printed;
use serde::Serialize;
use std::collections::BTreeSet;

/// The complete document. Large documents are written piece by piece, with the same fields in the same order.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PredictionList<'a> {
    /// The fields before the items.
    #[serde(flatten)]
    pub head: Head<'a>,
    /// One item for each volume, claim and pod with generic ephemeral volumes in scope, by kind, namespace and name.
    /// With `--pods`, other pods that use claims have items as well. A pod has outcomes only if the scheduler takes
    /// part.
    pub items: Vec<PredictionOut<'a>>,
    /// The objects that controllers may create and that do not exist yet. They belong to the components of the items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub created: Vec<CreatedOut<'a>>,
    /// How the attachments of volumes to nodes end. The field is absent without `--attachments`, and if something that
    /// the attach/detach controller reads could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<AttachmentEndsOut>>,
    /// The joint outcomes of each component that has at most eight joint outcomes. A component whose ends are unknown
    /// is left out. A component in which several pods can get several similar nodes may be left out as well.
    pub worlds: Vec<JointOut<'a>>,
}

/// The fields before the items.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Head<'a> {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `PredictionList`.
    pub kind: &'static str,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// For each kind and namespace, whether all objects were read.
    pub coverage: Vec<CoverageOut<'a>>,
}

impl<'a> Head<'a> {
    /// Returns the fields before the items, for a document about this snapshot.
    pub fn new(model: Model, snapshot: &'a Snapshot) -> Self {
        Self { api_version: API_VERSION, kind: "PredictionList", model, coverage: coverage_out(snapshot.coverage()) }
    }
}

/// The joint outcomes of a component. For example, A gets pv-1 exactly when B gets pv-2.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JointOut<'a> {
    /// The id of the component.
    pub component: String,
    /// The joint outcomes. Each of them has the state of all objects of the component.
    pub states: Vec<Vec<JointStateOut<'a>>>,
}

/// The state of one object in a joint outcome.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JointStateOut<'a> {
    /// The object.
    pub object: ObjectId<'a>,
    /// The state of the object.
    pub state: StateOut<'a>,
}

impl<'a> JointOut<'a> {
    /// Returns the joint outcomes of the component with that number.
    pub fn new(snapshot: &'a Snapshot, number: usize, joint: &Joint<'a>) -> Self {
        let recorded = joint.objects.iter().map(|id| ObjectId::new(id.kind, snapshot.meta(*id)));
        let created = joint.created.iter().map(|(key, _)| ObjectId::of_key(key));
        let objects: Vec<ObjectId<'_>> = recorded.chain(created).collect();
        let state = |(object, outcome): (&ObjectId<'a>, &&'a Outcome)| JointStateOut {
            object: object.clone(),
            state: StateOut::of_outcome(outcome),
        };
        Self {
            component: format!("c{number}"),
            states: joint.states.iter().map(|state_of| objects.iter().zip(state_of).map(state).collect()).collect(),
        }
    }
}

/// An object that controllers may create and that does not exist yet.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreatedOut<'a> {
    /// The object.
    pub object: ObjectId<'a>,
    /// The id of the component. Objects that can influence each other have the same id.
    pub component: String,
    /// The outcomes of the object. One of them can be that the object is never created. The field is absent if the
    /// outcomes are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<StateOut<'a>>>,
    /// The number of all outcomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_count: Option<u64>,
    /// Whether every outcome can really happen. No other outcome can happen, even if the value is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
}

impl<'a> CreatedOut<'a> {
    /// Returns the objects that controllers may create in these components and that can exist at an end. An object
    /// whose ends are unknown is included.
    pub fn of(simulation: &'a Simulation<'_>, components: &BTreeSet<usize>) -> Vec<Self> {
        let limit = simulation.outcome_limit();
        let of_these = simulation.created().filter(|(number, _, _)| components.contains(number));
        let is_made = |set: &OutcomeSet| set.representatives().any(|end| !matches!(end, Outcome::Gone { .. }));
        let made = of_these.filter(|(_, _, outcomes)| outcomes.is_none_or(is_made));
        made.map(|(number, key, outcomes)| Self::new(number, key, outcomes, limit)).collect()
    }

    fn new(number: usize, key: &'a ObjectKey, outcomes: Option<&'a OutcomeSet>, limit: Limit) -> Self {
        let listed = |set: &'a OutcomeSet| set.listed_within(limit).iter().map(StateOut::of_outcome).collect();
        Self {
            object: ObjectId::of_key(key),
            component: format!("c{number}"),
            outcomes: outcomes.map(listed),
            outcome_count: outcomes.map(|set| set.count),
            exact: outcomes.map(|set| set.exact),
        }
    }
}

/// The prediction for one object.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PredictionOut<'a> {
    /// The object.
    pub object: ObjectId<'a>,
    /// The state that status and binding of the object record.
    pub recorded: StateOut<'a>,
    /// The id of the component. Objects that can influence each other have the same id.
    pub component: String,
    /// The possible decisions of one sync now.
    pub decisions: Vec<DecisionOut<'a>>,
    /// The number of all decisions.
    pub decision_count: u64,
    /// The outcomes of the object. The field is absent if the outcomes are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<StateOut<'a>>>,
    /// The number of all outcomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_count: Option<u64>,
    /// Whether every outcome can really happen. No other outcome can happen, even if the value is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Whether the outcomes are unknown because too many objects influence each other through an actor.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub too_many_states: bool,
    /// What decides which of several outcomes happens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub decided_by: Vec<&'static str>,
    /// The persons or components that have to act before anything else happens.
    pub waiting_for: Vec<WaitingOut<'a>>,
    /// What was assumed to be absent or to have a default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub assumed: Vec<AssumedOut<'a>>,
    /// The parts of the prediction that could not be judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unknown: Vec<UnknownOut<'a>>,
    /// The diagnosis of the object, the same as in `explain`. The field is absent without `--diagnosis` or `--stuck`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<DiagnosisOut>,
}

/// A state of a claim, a volume or a pod.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StateOut<'a> {
    /// The phase. The field is absent if the object has no phase.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub phase: &'a str,
    /// The name of the volume of a claim.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub volume_name: &'a str,
    /// The claim that the claimRef of a volume names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_ref: Option<ClaimRefOut<'a>>,
    /// The name of the node of a pod.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub node: &'a str,
    /// The name of the node that the scheduler has chosen for a pod, while it waits until the volumes of the pod are
    /// bound.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub waits_for_volumes_on: &'a str,
    /// Whether the scheduler finds no node for a pod, or does not search for one.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unschedulable: bool,
    /// The message that the scheduler writes into the condition `PodScheduled` of a pod without a node. The part about
    /// preemption is left out. The field is absent if the message is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    /// Whether a controller created the object. Either no object of this name existed, or an earlier one was deleted.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub created: bool,
    /// Whether the object is deleted.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub gone: bool,
    /// Whether the object is being deleted.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub terminating: bool,
    /// The finalizers that keep an object that is being deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finalizers: Option<Vec<&'a str>>,
    /// What happens to a volume's data: `kept`, `handedToDriver`, `destroyed` or `scrubbed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<&'static str>,
    /// Whether the state of the object never stops changing. Then this state is part of a cycle of states that never
    /// ends.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unsettled: bool,
}

/// The claim that the claimRef of a volume names.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimRefOut<'a> {
    /// The namespace of the claim.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: &'a str,
    /// The name of the claim.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub name: &'a str,
    /// The uid of the claim. The field is absent if the volume is only reserved for a name.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub uid: &'a str,
}

/// A person or component that would have to act.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingOut<'a> {
    /// Who would have to act: `external-provisioner`, `scheduler`, `node`, `user` and others.
    pub component: &'static str,
    /// The name of this component, such as the name of a driver.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub name: &'a str,
    /// What this person or component would have to do.
    #[serde(rename = "for")]
    pub action: &'a str,
}

/// Something that was assumed to be absent, or a default that was assumed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssumedOut<'a> {
    /// The resource that the assumption is about.
    pub resource: &'static str,
    /// The namespace. The field is absent if the assumption is not about a single namespace.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: &'a str,
    /// `empty`: no other objects of the resource are assumed to exist. `defaults`: an object was never on an API
    /// server, and its defaults are assumed.
    #[serde(rename = "as")]
    pub taken_as: &'static str,
}

/// A part of the prediction that could not be judged, and the request whose answer would be needed for it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnknownOut<'a> {
    /// The field that could not be judged: `decisions` or `outcomes`. In an Explanation, it can also be `usedBy` or
    /// `attachments`. In a `MatchTable`, it is `items`, `delayed` or `node`.
    pub field: &'static str,
    /// The controller whose decisions are missing. The field is absent if all decisions are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<&'static str>,
    /// The request whose answer is missing.
    pub needs: NeedOut<'a>,
    /// Why the answer is missing.
    pub reason: &'static str,
}

/// A request that reads objects, as RBAC names it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedOut<'a> {
    /// `get` or `list`.
    pub verb: &'static str,
    /// The resource.
    pub resource: &'static str,
    /// The namespace. The field is absent if the request is for all namespaces.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: &'a str,
}

impl<'a> PredictionOut<'a> {
    /// Returns the prediction for one object as data.
    pub fn new(snapshot: &'a Snapshot, prediction: &'a Prediction<'a>) -> Self {
        let target = prediction.target;
        let object = ObjectId::new(target.kind, snapshot.meta(target));
        let recorded = StateOut::recorded(snapshot, target);
        let decisions = &prediction.decisions;
        let mut waiting_for: Vec<WaitingOut<'a>> = Vec::new();
        for waiting in decisions.listed.iter().flat_map(|decision| &decision.record.waiting) {
            let out = WaitingOut { component: waiting.component, name: &waiting.name, action: &waiting.action };
            if !waiting_for.contains(&out) {
                waiting_for.push(out);
            }
        }
        let mut assumed: Vec<AssumedOut<'a>> = prediction
            .assumed
            .iter()
            .map(|assumed| AssumedOut {
                resource: assumed.kind.resource(),
                namespace: &assumed.namespace,
                taken_as: "empty",
            })
            .collect();
        if prediction.defaulted {
            let resource = target.kind.resource();
            assumed.push(AssumedOut { resource, namespace: object.namespace, taken_as: "defaults" });
        }
        let unknown = prediction
            .unknown
            .iter()
            .map(|unknown| UnknownOut {
                field: unknown.field,
                controller: unknown.controller.map(|controller| controller.name),
                needs: NeedOut {
                    verb: unknown.need.verb,
                    resource: unknown.need.kind.resource(),
                    namespace: &unknown.need.namespace,
                },
                reason: unknown.reason.as_str(),
            })
            .collect();
        let outcomes = prediction.outcomes.as_ref();
        Self {
            object,
            recorded,
            component: format!("c{}", prediction.component),
            decisions: prediction.listed_decisions().map(|(decision, _)| DecisionOut::new(decision)).collect(),
            decision_count: decisions.count,
            outcomes: outcomes.map(|_| prediction.listed_outcomes().iter().map(StateOut::of_outcome).collect()),
            outcome_count: outcomes.map(|set| set.count),
            exact: outcomes.map(|set| set.exact),
            too_many_states: prediction.is_too_large,
            decided_by: prediction.decided_by.iter().map(|by| by.as_str()).collect(),
            waiting_for,
            assumed,
            unknown,
            diagnosis: None,
        }
    }
}

impl<'a> StateOut<'a> {
    /// Returns the recorded state of an object that controllers sync.
    pub fn recorded(snapshot: &'a Snapshot, target: model::ObjectId) -> Self {
        match target.typed() {
            TypedId::PersistentVolume(id) => Self::of_volume(snapshot.volume(id)),
            TypedId::PersistentVolumeClaim(id) => Self::of_claim(snapshot.claim(id)),
            TypedId::Pod(id) => {
                let pod = snapshot.get(id);
                let phase = pod.phase.as_str();
                Self { phase, node: &pod.node_name, terminating: pod.meta.deleted.is_some(), ..Self::default() }
            }
            _ => Self { terminating: snapshot.meta(target).deleted.is_some(), ..Self::default() },
        }
    }

    /// Returns the recorded state of a volume.
    pub fn of_volume(volume: &'a PersistentVolume) -> Self {
        Self {
            phase: volume.status.phase.as_str(),
            claim_ref: volume.claim_ref.as_ref().map(ClaimRefOut::new),
            terminating: volume.terminating(),
            finalizers: volume
                .terminating()
                .then(|| volume.meta.finalizers.iter().map(compact_str::CompactString::as_str).collect()),
            ..Self::default()
        }
    }

    /// Returns the recorded state of a claim.
    pub fn of_claim(claim: &'a PersistentVolumeClaim) -> Self {
        Self {
            phase: claim.status.phase.as_str(),
            volume_name: &claim.volume_name,
            terminating: claim.terminating(),
            finalizers: claim
                .terminating()
                .then(|| claim.meta.finalizers.iter().map(compact_str::CompactString::as_str).collect()),
            ..Self::default()
        }
    }

    /// Returns the state at an end.
    pub fn of_outcome(outcome: &'a Outcome) -> Self {
        let names = |finalizers: &'a Option<Vec<model::Str>>| {
            finalizers.as_ref().map(|finalizers| finalizers.iter().map(model::Str::as_str).collect())
        };
        match outcome {
            Outcome::Claim { phase, volume_name, terminating, unsettled, created } => Self {
                phase: phase.as_str(),
                volume_name: printed(volume_name),
                terminating: terminating.is_some(),
                finalizers: names(terminating),
                unsettled: *unsettled,
                created: *created,
                ..Self::default()
            },
            Outcome::Volume { phase, claim_ref, terminating, data, unsettled } => Self {
                phase: phase.as_str(),
                claim_ref: claim_ref.as_ref().map(|(namespace, name, uid)| ClaimRefOut {
                    namespace,
                    name,
                    uid: printed(uid),
                }),
                terminating: terminating.is_some(),
                finalizers: names(terminating),
                data: data.map(DataFate::as_str),
                unsettled: *unsettled,
                ..Self::default()
            },
            Outcome::Pod { place, unsettled } => {
                let state = Self { unsettled: *unsettled, ..Self::default() };
                match place {
                    PodPlace::OnNode(node) => Self { node: printed(node), ..state },
                    PodPlace::WaitsForVolumes(node) => Self { waits_for_volumes_on: printed(node), ..state },
                    PodPlace::Unschedulable(message) => {
                        Self { unschedulable: true, message: message.as_deref(), ..state }
                    }
                }
            }
            Outcome::Gone { data, unsettled } => {
                Self { gone: true, data: data.map(DataFate::as_str), unsettled: *unsettled, ..Self::default() }
            }
        }
    }
}

impl<'a> ClaimRefOut<'a> {
    fn new(claim: &'a ClaimRef) -> Self {
        Self { namespace: &claim.namespace, name: &claim.name, uid: printed(&claim.uid) }
    }
}
