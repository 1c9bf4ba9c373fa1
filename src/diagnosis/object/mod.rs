//! The diagnosis of one object: its state, the cause, who acts next, what a person can do, and what happens to the
//! data. All verbs print these words.

mod actor;
mod advice;
mod chain;
mod class;
mod data;
mod decisive;
mod growth;
mod headline;
mod plain;
mod predicted;
mod said;
mod state;

pub use actor::{Actor, Who};
pub use advice::Advice;
pub use chain::Link;
pub use class::{Provisioner, is_default};
pub use data::{DataProspect, Fate};
pub use growth::{Expansion, Growth, Modification};
pub use headline::noun;
pub use said::Said;
pub use state::State;

use super::attaching::{AttachmentAnswer, AttachmentOutlook, Attachments};
use super::members::Member;
use super::pod::{PodScheduling, PodVolume};
use super::reason::View;
use super::{Finding, Findings, Rule};
use crate::controllers::scheduler::Scheduler;
use crate::model::{Kind, ObjectId, ObjectKey, PersistentVolume, Pod, Str, Timestamp, TypedId, VolumeAttachment};
use crate::simulate::{Prediction, Simulation};
use crate::snapshot::Snapshot;
use crate::text::sanitize;
use decisive::FindingIndex;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// The diagnosis of one object.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The object.
    pub object: ObjectKey,
    /// The state of the object.
    pub state: State,
    /// The state and its cause in one short sentence.
    pub headline: String,
    /// What else a person has to know, as sentences. The most important one is first.
    pub details: Vec<String>,
    /// The cause. It is `None` if the object is well or waits as it should, or if the cause is unknown.
    pub root: Option<Root>,
    /// The way from the object to the object of the cause. It is empty if the cause is on the object itself.
    pub chain: Vec<Link>,
    /// The person or component that has to act next.
    pub actor: Actor,
    /// What a person can do. Most verbs of pvctl come before other commands.
    pub remedies: Vec<Advice>,
    /// What happens to the data. It is `None` if the object has no data.
    pub data: Option<DataProspect>,
    /// What other components have said about the object and the objects around it.
    pub said: Vec<Said>,
    /// The moment since which the cause exists, as in [`Finding::since`]. It is `None` if there is no cause.
    pub since: Option<Timestamp>,
    /// The volumes of a pod that use claims, with their stages. It is empty for other objects.
    pub volumes: Vec<PodVolume>,
    /// The claim, or each claim of a pod, whose volume is being expanded or changed. It is empty for other objects.
    pub growth: Vec<Growth>,
    /// What the scheduler does with a pod that has no node. It is `None` for other objects.
    pub scheduling: Option<PodScheduling>,
    /// What the attach/detach controller does with the volumes of a pod, a node or a VolumeAttachment. It is `None` for
    /// other objects, and under the same condition as the scheduler's answer.
    pub attachments: Option<AttachmentAnswer>,
    /// The pods of a workload, a node or another object that has pods. It is empty for other objects.
    pub members: Vec<Member>,
}

impl Diagnosis {
    /// Returns the cause alone, as a sentence without a full stop. If the cause is on another object, the sentence
    /// names that object.
    pub fn cause(&self) -> String {
        match &self.root {
            Some(root) => root.clause.clone(),
            None => self.headline.trim_end_matches('.').to_owned(),
        }
    }
}

/// The cause of a state.
#[derive(Clone, Debug)]
pub struct Root {
    /// The object that has the problem.
    pub object: ObjectKey,
    /// The rule that reports the problem.
    pub rule: &'static Rule,
    /// The first field that proves the problem, and its value.
    pub evidence: Option<(&'static str, String)>,
    /// The problem: the first clause of the message of the rule, in the words of the page of the object.
    clause: String,
}

impl Root {
    fn of(finding: &Finding, page: &ObjectKey, snapshot: &Snapshot) -> Self {
        let evidence = finding
            .evidence
            .iter()
            .find(|evidence| evidence.object == finding.object)
            .map(|evidence| (evidence.field, evidence.value.clone()));
        let clause = sanitize(&headline::cause(finding, page, snapshot)).into_owned();
        Self { object: finding.object.clone(), rule: finding.rule, evidence, clause }
    }
}

/// Makes diagnoses of objects from what rules report.
#[derive(Debug)]
pub struct Diagnoser<'d> {
    simulation: &'d Simulation<'d>,
    findings: &'d Findings,
    index: FindingIndex<'d>,
    /// The scheduler's view of the cluster. It is made when the first pod without a node is diagnosed.
    scheduler: OnceLock<Scheduler<'d>>,
    /// What the attach/detach controller does with the volumes of nodes.
    attachments: Arc<Attachments<'d>>,
    /// Whether the scheduler's answer is part of the diagnosis of a pod.
    schedules: bool,
}

impl<'d> Diagnoser<'d> {
    /// Prepares diagnoses. The findings have to include those on the objects around each object that is diagnosed.
    pub fn new(simulation: &'d Simulation<'d>, findings: &'d Findings) -> Self {
        let index = FindingIndex::new(simulation.snapshot(), findings);
        let attachments = Arc::new(Attachments::of(simulation));
        Self { simulation, findings, index, scheduler: OnceLock::new(), attachments, schedules: false }
    }

    /// Takes answers about attachments that others use, too.
    #[must_use]
    pub fn with_attachments(self, attachments: Arc<Attachments<'d>>) -> Self {
        Self { attachments, ..self }
    }

    /// Adds the decision of the scheduler to the diagnoses of pods without a node. Only `explain` reads the objects
    /// that this needs.
    #[must_use]
    pub fn with_scheduling(self) -> Self {
        Self { schedules: true, ..self }
    }

    /// Returns what the scheduler does with the pod. Returns None if the pod has a node or has ended, or if this is not
    /// part of the diagnosis.
    fn scheduling(&self, pod: &'d Pod) -> Option<PodScheduling> {
        let (snapshot, behavior) = (self.simulation.snapshot(), &self.simulation.settings().behavior);
        let scheduler = || self.scheduler.get_or_init(|| Scheduler::new(snapshot, behavior));
        if self.schedules { PodScheduling::of(snapshot, scheduler, pod) } else { None }
    }

    /// Makes the diagnosis of an object. If the object is a volume or a claim, its prediction is made first.
    pub fn of(&self, object: &ObjectKey) -> Diagnosis {
        let predicted = |id: ObjectId| matches!(id.kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim);
        let target = self.simulation.snapshot().object_id(object).filter(|id| predicted(*id));
        self.of_predicted(object, target.map(|target| self.simulation.predict_folded(target)).as_ref())
    }

    /// Makes the diagnosis of the object of a prediction.
    pub fn of_prediction(&self, prediction: &Prediction<'_>) -> Diagnosis {
        self.of_predicted(&self.simulation.snapshot().key(prediction.target), Some(prediction))
    }

    /// Makes the diagnosis of an object with its prediction. `prediction` is `None` for objects that no controller of
    /// the simulation syncs.
    fn of_predicted(&self, object: &ObjectKey, prediction: Option<&Prediction<'_>>) -> Diagnosis {
        let Self { simulation, findings, index, .. } = self;
        let view = prediction.map(|prediction| View { simulation, prediction });
        let concerning = index.concerning(object);
        let decisive = concerning.decisive();
        let actor = Actor::of(view, decisive);
        let plain = plain::of_object(self, object, view);
        // A pod that runs as it should can still have a volume that does not grow.
        let is_well = plain.state == Some(State::Well);
        let decisive = decisive.or_else(|| if is_well { index.worst_of_growth(object) } else { None });
        // The cause of a workload is that of its worst pod. The words remain those about the workload.
        let of_pod = plain.worst.as_ref().filter(|_| decisive.is_none());
        let decisive = decisive.or_else(|| {
            let pod = of_pod?;
            let growth = || if plain.state == Some(State::AtRisk) { index.worst_of_growth(pod) } else { None };
            index.concerning(pod).decisive().or_else(growth)
        });
        let is_of_pod = of_pod.is_some();
        let state = State::of(view, simulation.snapshot(), object, decisive, &plain);
        // An object that is well or waits as it should has no cause to report.
        let decisive = decisive.filter(|_| state.is_problem());
        let dangers = concerning.dangers(decisive, true);
        let data = data::of_object(simulation, object);
        let plain::Plain { words, actor: own, volumes, members, scheduling, .. } = plain;
        let told = decisive.filter(|_| !is_of_pod);
        let words = headline::of_object(simulation.snapshot(), object, view, words, told, &dangers, data);
        // If an object is well, the findings that only inform become notes.
        let notes = if state == State::Well { concerning.notes() } else { Vec::new() };
        let mut remedies = advice::of_object(decisive, &concerning.dangers(decisive, false), data);
        remedies.extend(notes.iter().flat_map(|finding| advice::of_finding(finding)));
        let actor = own.unwrap_or(actor);
        let actor = if state.is_problem() { actor.or_user(&remedies) } else { actor };
        let safe = |text: String| sanitize(&text).into_owned();
        let growth = self.growths(object);
        Diagnosis {
            object: object.clone(),
            state,
            headline: safe(words.headline),
            details: words
                .details
                .into_iter()
                .chain(notes.iter().map(|finding| headline::note(object, finding, simulation.snapshot())))
                .chain(growth.iter().flat_map(|growth| growth.sentences(object)))
                .map(safe)
                .collect(),
            root: decisive.map(|decisive| Root::of(decisive.root, object, simulation.snapshot())),
            chain: decisive.map(|decisive| chain::of(object, decisive, findings)).unwrap_or_default(),
            actor,
            remedies,
            said: said::about(simulation.snapshot(), object),
            data,
            since: decisive.and_then(|decisive| decisive.root.since),
            volumes,
            growth,
            scheduling,
            attachments: if self.schedules { self.attachments_of(object) } else { None },
            members,
        }
    }

    /// Returns what the claim, or each claim of the pod, records about the expansion and the change of its volume.
    fn growths(&self, object: &ObjectKey) -> Vec<Growth> {
        let snapshot = self.simulation.snapshot();
        match snapshot.object_id(object).map(ObjectId::typed) {
            Some(TypedId::PersistentVolumeClaim(id)) => Growth::of(snapshot.claim(id)).into_iter().collect(),
            Some(TypedId::Pod(id)) => {
                let pod = snapshot.get(id);
                let names: BTreeSet<&Str> = pod.claim_names().collect();
                let claims = names.into_iter().filter_map(|name| snapshot.claim_id(&pod.meta.namespace, name));
                claims.filter_map(|id| Growth::of(snapshot.claim(id))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns what the attach/detach controller does with the volumes of the object.
    fn attachments_of(&self, object: &ObjectKey) -> Option<AttachmentAnswer> {
        let (snapshot, attachments) = (self.simulation.snapshot(), &self.attachments);
        let answer = |namespace: &str, outlooks: &dyn Fn() -> Vec<AttachmentOutlook>| {
            let unread = attachments.unread(namespace);
            if unread.is_empty() { AttachmentAnswer::Known(outlooks()) } else { AttachmentAnswer::Unread(unread) }
        };
        match object.kind {
            Kind::Pod => {
                let pod = snapshot.pod(&object.namespace, &object.name)?;
                Some(answer(&object.namespace, &|| attachments.of_pod(pod)))
            }
            Kind::Node => Some(answer("", &|| attachments.of_node(&object.name))),
            Kind::VolumeAttachment => {
                let attachment = snapshot.find::<VolumeAttachment>("", &object.name)?;
                let volume = snapshot.find::<PersistentVolume>("", &attachment.volume_name);
                let claim = volume.and_then(|volume| volume.claim_ref.as_ref());
                let namespace = claim.map(|claim| claim.namespace.as_str()).unwrap_or_default();
                Some(answer(namespace, &|| attachments.of_attachment(attachment).into_iter().collect()))
            }
            _ => None,
        }
    }
}
