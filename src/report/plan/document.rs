//! A repair as data, which `apply` reads again.

use crate::model::Kind;
use crate::repair::{
    Carried, Change, Expected, Guard, Holds, Origin, PLAN_ANNOTATION, Plan, Recheck, Request, Step, Undo, Wait, Write,
};
use crate::report::shared::machine::{API_VERSION, Model};
use crate::snapshot::redact::redact;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The `kind` of the document.
pub const KIND: &str = "Plan";

/// A plan and the results of its guards.
///
/// An object that the plan would create is printed without the values of unknown annotations. So `apply` does not use
/// the printed object, but makes the plan again from its `request`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Plan"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanDocument<M = Model> {
    /// The version of the document.
    pub api_version: String,
    /// `Plan`.
    pub kind: String,
    /// A short name of the plan: the verb, and a hash of the request and of the objects on which the plan depends.
    pub id: String,
    /// The cluster for which the plan was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Origin>,
    /// The request: the verb, its object and its arguments.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Value>"))]
    pub request: Request,
    /// What the plan achieves.
    pub goal: String,
    /// The volumes with data. For each of them the document states what may happen to the data because the user asked
    /// for it.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<BTreeMap<String, Value>>"))]
    pub volumes: Vec<Carried>,
    /// The steps in their order.
    pub steps: Vec<StepOut>,
    /// The guards and their results.
    pub guards: Vec<GuardOut>,
    /// What the user should know before agreeing.
    pub notes: Vec<String>,
    /// The name that the user has to type to confirm the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// A hash of the values on which the plan depends.
    pub world: String,
    /// What the model assumes about Kubernetes.
    pub model: M,
}

/// One step of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepOut {
    /// The number of the step, from 1.
    pub id: u32,
    /// Why the step is in the plan.
    pub why: String,
    /// The request of the step. The field is absent for a step that only waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<WriteOut>,
    /// What must hold immediately before the write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconditions: Option<Preconditions>,
    /// What is read again immediately before the write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<BTreeMap<String, Value>>"))]
    pub recheck: Vec<Recheck>,
    /// The condition for which the run waits before the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<BTreeMap<String, Value>>"))]
    pub wait_for: Option<Wait>,
    /// The predicted states of the objects after this step, when the controllers have acted.
    #[serde(default)]
    pub expects: Vec<ExpectedOut>,
    /// The write that undoes this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverse: Option<InverseOut>,
    /// Why this step cannot be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irreversible: Option<String>,
}

/// A request to the API server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteOut {
    /// `patch`, `create` or `delete`.
    pub verb: String,
    /// The resource, as the API's paths write it.
    pub resource: String,
    /// The namespace, for kinds that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The merge patch. If a finalizer is removed, it is a JSON patch. When the request is sent, the uid and the
    /// version that were read are added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// The object to create. The values of unknown annotations are redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Value>,
}

/// What must hold before a write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preconditions {
    /// The uid of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The values that its fields must have. A value is null if the field must not be set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expect: BTreeMap<String, Value>,
}

/// How a step is undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InverseOut {
    /// The request that undoes the step.
    pub write: WriteOut,
    /// What must hold before this request.
    pub preconditions: Preconditions,
    /// The condition for which the run waits after this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<BTreeMap<String, Value>>"))]
    pub wait_for: Option<Wait>,
}

/// The predicted states of an object after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedOut {
    /// The object.
    pub object: Named,
    /// The possible states of the object, in words.
    pub states: Vec<String>,
}

/// An object by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Named {
    /// The kind.
    pub kind: String,
    /// The namespace, for kinds that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

/// A guard and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuardOut {
    /// The id of the guard. It never changes.
    pub id: String,
    /// Whether the guard holds.
    pub holds: Holds,
    /// What the guard examined and what it found.
    pub looked_at: String,
}

/// The model in a document that is read. Only its form is checked, because the run that reads the document makes the
/// plan again with its own model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelStated {
    /// The minor version of Kubernetes that was modelled.
    pub kubernetes: String,
    /// Whether recorded answers of the real controllers verify this version.
    pub verified: bool,
    /// How the version was found.
    pub source: String,
    /// The feature gates and flags that were given.
    #[serde(default)]
    pub given: Vec<String>,
    /// The values of the feature gates that influenced decisions.
    pub feature_gates: BTreeMap<String, bool>,
    /// The values of the flags of kube-controller-manager that influenced decisions.
    pub controller_flags: BTreeMap<String, String>,
    /// The names of the controllers that took part.
    pub controllers: Vec<String>,
    /// Whether failures of requests and controllers were included.
    #[serde(default)]
    pub failures: bool,
}

impl PlanDocument {
    /// Returns the document of a plan, with the results of these guards.
    pub fn new(plan: &Plan, cluster: &Origin, guards: &[Guard], model: Model) -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            id: plan.id.clone(),
            cluster: Some(cluster).filter(|cluster| cluster.is_known()).cloned(),
            request: plan.request.clone(),
            goal: plan.goal.clone(),
            volumes: plan.volumes.clone(),
            steps: plan.steps.iter().map(StepOut::new).collect(),
            guards: guards.iter().map(GuardOut::new).collect(),
            notes: plan.notes.clone(),
            type_name: plan.type_name.as_ref().map(ToString::to_string),
            world: plan.world.clone(),
            model,
        }
    }
}

impl PlanDocument<ModelStated> {
    /// Reads the document from its data.
    ///
    /// # Errors
    /// Returns a text that says what is wrong with the data, as a sentence without a full stop.
    pub fn read(data: Value) -> Result<Self, String> {
        for (field, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
            match data.get(field).and_then(Value::as_str) {
                Some(stated) if stated == wanted => {}
                Some(stated) => return Err(format!("{field} is {stated:?}, but only {wanted:?} can be read")),
                None => return Err(format!("it states no {field}, which must be {wanted:?}")),
            }
        }
        serde_json::from_value(data).map_err(|failure| failure.to_string())
    }
}

impl StepOut {
    fn new(step: &Step) -> Self {
        let (inverse, irreversible) = match &step.undo {
            Undo::Write { write, wait } => {
                let back = InverseOut {
                    write: WriteOut::new(write),
                    preconditions: Preconditions::new(write),
                    wait_for: wait.clone(),
                };
                (Some(back), None)
            }
            Undo::Nothing => (None, None),
            Undo::Impossible { why } => (None, Some(why.clone())),
        };
        Self {
            id: step.id,
            why: step.why.clone(),
            write: step.write.as_ref().map(WriteOut::new),
            preconditions: step.write.as_ref().map(Preconditions::new),
            recheck: step.recheck.clone(),
            wait_for: step.wait.clone(),
            expects: step.expects.iter().map(ExpectedOut::new).collect(),
            inverse,
            irreversible,
        }
    }
}

impl WriteOut {
    fn new(write: &Write) -> Self {
        let object = match &write.change {
            Change::Create { .. } | Change::CreateService { .. } => {
                write.manifest().map(|manifest| shown(write.object.kind, &manifest))
            }
            Change::SetReclaimPolicy { .. }
            | Change::SetClaimRef { .. }
            | Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. }
            | Change::Delete => None,
        };
        Self {
            verb: write.verb().to_owned(),
            resource: write.object.kind.resource().to_owned(),
            namespace: stated(&write.object.namespace),
            name: write.object.name.to_string(),
            patch: write.patch(),
            object,
        }
    }
}

impl Preconditions {
    fn new(write: &Write) -> Self {
        let mut expect: BTreeMap<String, Value> = BTreeMap::new();
        for (field, value) in write.expect.iter().map(crate::repair::Expect::shown) {
            match (expect.get_mut(&field).and_then(Value::as_object_mut), value) {
                // Two expectations about one field are merged into one.
                (Some(known), Value::Object(more)) => known.extend(more),
                (_, value) => _ = expect.insert(field, value),
            }
        }
        Self { uid: stated(&write.uid), expect }
    }
}

impl ExpectedOut {
    fn new(expected: &Expected) -> Self {
        let object = Named {
            kind: expected.object.kind.as_str().to_owned(),
            namespace: stated(&expected.object.namespace),
            name: expected.object.name.to_string(),
        };
        Self { object, states: expected.states.clone() }
    }
}

impl GuardOut {
    fn new(guard: &Guard) -> Self {
        Self { id: guard.id.to_owned(), holds: guard.holds, looked_at: guard.looked_at.clone() }
    }
}

/// Returns the printed form of an object to create. Everything that could be a secret is removed. The annotation of the
/// plan is kept.
pub(super) fn shown(kind: Kind, manifest: &Value) -> Value {
    let mut object = redact(kind, manifest.clone());
    let mark = manifest.pointer("/metadata/annotations").and_then(|annotations| annotations.get(PLAN_ANNOTATION));
    let annotations = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    if let (Some(mark), Some(annotations)) = (mark, annotations) {
        annotations.insert(PLAN_ANNOTATION.to_owned(), mark.clone());
    }
    object
}

fn stated(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
