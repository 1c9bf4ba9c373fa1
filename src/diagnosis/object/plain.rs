//! The answer about one object without any finding: it comes from its prediction or from its fields, for a pod from the
//! stages of its volumes, and for a workload from its pods.

use super::headline::{Words, beginning, noun};
use super::predicted::of_prediction;
use super::{Actor, Diagnoser, Diagnosis, State, Who};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::members::{self, Member};
use crate::diagnosis::pod::facts::{newest_about, pod_key};
use crate::diagnosis::pod::{ClaimProspect, PodScheduling, PodVolume, Stages, answer};
use crate::diagnosis::reason::{View, counted};
use crate::diagnosis::{Finding, Severity};
use crate::model::{Kind, ObjectId, ObjectKey, Pod, PodPhase, TypedId};
use std::collections::BTreeSet;

/// The kinds of objects whose answer is about their pods.
const WITH_PODS: [Kind; 8] = [
    Kind::StatefulSet,
    Kind::Deployment,
    Kind::ReplicaSet,
    Kind::DaemonSet,
    Kind::Job,
    Kind::Node,
    Kind::Service,
    Kind::VolumeAttachment,
];

/// The largest number of pods whose state a workload's details tell.
const TOLD: usize = 3;

/// The answer about one object without any finding.
pub(super) struct Plain {
    /// The words.
    pub(super) words: Words,
    /// The state, if the object itself shows it.
    pub(super) state: Option<State>,
    /// The next actor, if the object itself shows it.
    pub(super) actor: Option<Actor>,
    /// The volumes of a pod.
    pub(super) volumes: Vec<PodVolume>,
    /// What the scheduler does with a pod.
    pub(super) scheduling: Option<PodScheduling>,
    /// The pods that belong to the object.
    pub(super) members: Vec<Member>,
    /// The pod with the worst state among them.
    pub(super) worst: Option<ObjectKey>,
}

impl Plain {
    fn new(words: Words) -> Self {
        Self {
            words,
            state: None,
            actor: None,
            volumes: Vec::new(),
            scheduling: None,
            members: Vec::new(),
            worst: None,
        }
    }
}

/// Returns the answer about the object without any finding on it.
pub(super) fn of_object(diagnoser: &Diagnoser<'_>, object: &ObjectKey, view: Option<View<'_>>) -> Plain {
    if let Some(view) = view {
        return Plain::new(of_prediction(view));
    }
    let snapshot = diagnoser.simulation.snapshot();
    match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::StorageClass(id)) => Plain::new(super::class::words(diagnoser.simulation, snapshot.get(id))),
        Some(TypedId::Pod(id)) => of_pod(diagnoser, snapshot.get(id)),
        Some(_) if WITH_PODS.contains(&object.kind) => of_workload(diagnoser, object),
        // What is in a namespace has diagnoses of its own.
        Some(TypedId::Namespace(id)) => {
            let name = &object.name;
            let state = if snapshot.get(id).meta.deleted.is_some() { "Terminating" } else { "Active" };
            let findings = match findings_in(diagnoser, name) {
                (found, 1) => format!("; {found} in it has a problem"),
                (found, _) if !found.is_empty() => format!("; {found} in it have problems"),
                _ => String::new(),
            };
            let headline = format!("Namespace {name} is {state}{findings}.");
            let details = vec![format!("`kubectl pvctl audit -n {name}` looks at the objects in it.")];
            Plain::new(Words { headline, details })
        }
        _ => {
            let headline = format!("{}: nothing is wrong with it.", beginning(&noun(object)));
            Plain::new(Words { headline, details: Vec::new() })
        }
    }
}

/// Returns how many claims, pods, StatefulSets and volumes of a namespace have a finding that is not only for
/// information, or are affected by one, in words, and their number.
fn findings_in(diagnoser: &Diagnoser<'_>, namespace: &str) -> (String, usize) {
    let snapshot = diagnoser.simulation.snapshot();
    let is_of_namespace = |object: &ObjectKey| match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolume(id)) => {
            snapshot.volume(id).claim_ref.as_ref().is_some_and(|named| named.namespace == namespace)
        }
        _ => object.namespace == namespace,
    };
    let listed = diagnoser.findings.listed.iter();
    let serious = listed.filter(|finding| finding.severity != Severity::Info && finding.suppressed.is_none());
    let concerned = |finding: &'_ Finding| {
        let affected = finding.affected.iter().chain(&finding.role.affected_objects);
        std::iter::once(&finding.object).chain(affected).cloned().collect::<Vec<_>>()
    };
    let exists = |object: &ObjectKey| snapshot.object_id(object).is_some();
    // A volume is in no namespace. If it has a claim, the claim is counted.
    let counted_as = |object: ObjectKey| match snapshot.object_id(&object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolume(id)) => {
            let named = snapshot.volume(id).claim_ref.as_ref();
            named.map(|named| claim_key(&named.namespace, &named.name)).filter(exists).unwrap_or(object)
        }
        _ => object,
    };
    let found = serious.flat_map(concerned).filter(|object| exists(object) && is_of_namespace(object));
    let objects: BTreeSet<ObjectKey> = found.map(counted_as).collect();
    let kinds = [
        (Kind::PersistentVolumeClaim, "claim"),
        (Kind::Pod, "pod"),
        (Kind::StatefulSet, "StatefulSet"),
        (Kind::PersistentVolume, "volume that is reserved for a claim"),
    ];
    let mut counts = kinds.map(|(kind, word)| (objects.iter().filter(|object| object.kind == kind).count(), word));
    let total = counts.iter().map(|(count, _)| count).sum();
    counts.sort_by_key(|(count, _)| *count == 0);
    let words: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| counted(*count, word)).collect();
    let text = match words.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => words.concat(),
    };
    (text, total)
}

fn of_pod<'d>(diagnoser: &Diagnoser<'d>, pod: &'d Pod) -> Plain {
    let simulation = diagnoser.simulation;
    let scheduling = diagnoser.scheduling(pod);
    let behavior = &simulation.settings().behavior;
    let stages = Stages::new(simulation.snapshot(), behavior, pod).scheduled_by(scheduling.as_ref());
    let of_claim = |claim: &ObjectKey| {
        let diagnosis = diagnoser.of(claim);
        ClaimProspect { is_problem: diagnosis.state.is_problem(), says: diagnosis.headline }
    };
    let volumes = stages.of_volumes(&of_claim);
    let answer = answer(&stages, pod, &volumes);
    let (who, name, does) = answer.actor;
    Plain {
        state: Some(answer.state),
        actor: Some(Actor { who, name, does: does.to_owned() }),
        volumes,
        scheduling,
        ..Plain::new(Words { headline: answer.headline, details: answer.details })
    }
}

/// Returns the order of states, the worst first.
fn badness(state: State) -> u8 {
    match state {
        State::Broken | State::Stuck => 0,
        State::AtRisk => 1,
        State::Unknown => 2,
        State::Waiting => 3,
        State::Well => 4,
    }
}

fn of_workload(diagnoser: &Diagnoser<'_>, object: &ObjectKey) -> Plain {
    let snapshot = diagnoser.simulation.snapshot();
    let pods = members::pods_of(snapshot, object);
    let diagnoses: Vec<Diagnosis> = pods.iter().map(|pod| diagnoser.of(&pod_key(pod))).collect();
    let member = |diagnosis: &Diagnosis| Member {
        object: diagnosis.object.clone(),
        state: diagnosis.state,
        headline: diagnosis.headline.clone(),
        root: diagnosis.root.as_ref().map(|root| (root.object.clone(), root.rule.id)),
    };
    let worst = diagnoses.iter().min_by_key(|diagnosis| badness(diagnosis.state));
    let count = members::count(snapshot, object);
    let missing = count.map_or(0, |count| (count.wanted - count.existing).max(0));
    let well = diagnoses.iter().filter(|diagnosis| diagnosis.state == State::Well).count();
    let subject = beginning(&noun(object));
    let makers = members::makers_of(snapshot, object);
    let refusals = makers.iter().filter_map(|maker| newest_about(snapshot, maker, |one| one.reason == "FailedCreate"));
    let refused = refusals.max_by_key(|event| event.last_seen);
    let is_bad = worst.is_some_and(|worst| worst.state.is_problem());
    // Of a node, only the pods that use claims count.
    let with_claims = if object.kind == Kind::Node { " that use claims" } else { "" };
    let tally = || {
        let all = diagnoses.len();
        let runs =
            |pod: &&&Pod| pod.meta.deleted.is_none() && matches!(pod.phase, PodPhase::Running | PodPhase::Succeeded);
        let running = pods.iter().filter(runs).count();
        let problem = match all - well {
            0 => String::new(),
            _ if running < all => String::new(),
            1 => ", but 1 has a problem".to_owned(),
            several => format!(", but {several} have a problem"),
        };
        let are = if running == 1 { "is" } else { "are" };
        let going = pods.iter().filter(|pod| pod.meta.deleted.is_some()).count();
        let deleted = match going {
            0 => String::new(),
            1 => ", and 1 is being deleted".to_owned(),
            several => format!(", and {several} are being deleted"),
        };
        format!("{subject}: {running} of {all} pods{with_claims} {are} Running or completed{deleted}{problem}.")
    };
    let (state, headline, details) = match (worst, missing) {
        (None, 0) if object.kind == Kind::Node => {
            (State::Well, format!("{subject}: no pod on it uses a claim."), Vec::new())
        }
        (None, 0) => (State::Well, format!("{subject} has no pods and needs none."), Vec::new()),
        (_, 1..) if !is_bad => {
            let pods = if missing == 1 { "1 pod is".to_owned() } else { format!("{missing} pods are") };
            if let Some(event) = refused {
                let them = if missing == 1 { "it" } else { "them" };
                let by = if event.message.contains("quota") {
                    format!("a ResourceQuota forbids {them}")
                } else {
                    format!("the API server refuses {them}")
                };
                let headline = format!("{subject}: {pods} missing, because {by}.");
                (State::Stuck, headline, vec![format!("{} says: {}.", event.source, event.message)])
            } else {
                let details = vec!["Its controller has to create them.".to_owned()];
                (State::Waiting, format!("{subject}: {pods} missing."), details)
            }
        }
        (Some(worst), _) if worst.state == State::Well => (State::Well, tally(), Vec::new()),
        (Some(worst), _) => {
            let mut told: Vec<&Diagnosis> = diagnoses.iter().filter(|one| one.state == worst.state).collect();
            told.truncate(TOLD);
            let details = told.into_iter().flat_map(|one| std::iter::once(&one.headline).chain(&one.details).cloned());
            (worst.state, tally(), details.collect())
        }
        (None, _) => (State::Waiting, format!("{subject} has no pods yet."), Vec::new()),
    };
    let actor = worst.filter(|worst| worst.state != State::Well).map(|worst| worst.actor.clone());
    let nobody = || Actor { who: Who::Nobody, name: String::new(), does: String::new() };
    Plain {
        state: Some(state),
        actor: Some(actor.unwrap_or_else(nobody)),
        members: diagnoses.iter().map(member).collect(),
        worst: worst.filter(|worst| worst.state.is_problem()).map(|worst| worst.object.clone()),
        ..Plain::new(Words { headline, details })
    }
}
