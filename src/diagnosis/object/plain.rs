//! The answer about one object without any finding. It comes from the prediction or the fields of the object. For a pod
//! it comes from the stages of its volumes, and for a workload from its pods.

use super::headline::{Words, beginning, noun};
use super::predicted::of_prediction;
use super::{Actor, Diagnoser, Diagnosis, State, Who};
use crate::controllers::attach_detach::DetachBranch;
use crate::diagnosis::attaching::{AttachmentAnswer, Leaf};
use crate::diagnosis::key;
use crate::diagnosis::members::{self, Member};
use crate::diagnosis::pod::facts::{gone_node, newest_about, pod_key};
use crate::diagnosis::pod::{ClaimProspect, PodScheduling, PodStage, PodVolume, Stages, answer};
use crate::diagnosis::reason::{View, counted};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, Node, ObjectId, ObjectKey, Pod, PodPhase, Taint, TypedId, VolumeAttachment};
use std::sync::Arc;

/// The kinds of objects whose answer is about their pods.
const WITH_PODS: [Kind; 7] =
    [Kind::StatefulSet, Kind::Deployment, Kind::ReplicaSet, Kind::DaemonSet, Kind::Job, Kind::Node, Kind::Service];

/// The largest number of pods that the details of a workload describe.
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
    /// The pod with the worst state, if it has a problem.
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
        Some(TypedId::VolumeAttachment(id)) => of_attachment(diagnoser, object, snapshot.get(id)),
        Some(_) if WITH_PODS.contains(&object.kind) => of_workload(diagnoser, object),
        // The objects of a namespace have diagnoses of their own.
        Some(TypedId::Namespace(id)) => {
            let name = &object.name;
            let state = if snapshot.get(id).meta.deleted.is_some() { "Terminating" } else { "Active" };
            let problems = problems_in(diagnoser, object);
            let headline = format!("Namespace {name} is {state}{problems}.");
            let details = vec![format!("`kubectl pvctl audit -n {name}` examines the objects in this namespace.")];
            Plain::new(Words { headline, details })
        }
        _ => {
            let headline = format!("{}: nothing is wrong with it.", beginning(&noun(object)));
            Plain::new(Words { headline, details: Vec::new() })
        }
    }
}

/// Returns in words how many claims, pods and StatefulSets of the namespace have a problem, each by its own diagnosis.
/// Volumes whose `claimRef` names the namespace are counted as well, if their claim does not exist. The text is empty
/// if nothing has a problem. The scheduler is not asked about each pod, because a namespace can have thousands of pods
/// without a node.
fn problems_in(diagnoser: &Diagnoser<'_>, namespace: &ObjectKey) -> String {
    let snapshot = diagnoser.simulation.snapshot();
    let attachments = Arc::clone(&diagnoser.attachments);
    let without_scheduling = Diagnoser::new(diagnoser.simulation, diagnoser.findings).with_attachments(attachments);
    let sets = snapshot.in_namespace::<StatefulSet>(&namespace.name).iter();
    let sets = sets.map(|set| key(Kind::StatefulSet, &set.meta.namespace, &set.meta.name));
    // A volume is in no namespace. If it has a claim, the claim is counted.
    let has_claim = |object: &ObjectKey| match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolume(id)) => {
            let named = snapshot.volume(id).claim_ref.as_ref();
            named.is_some_and(|named| snapshot.claim_id(&named.namespace, &named.name).is_some())
        }
        _ => false,
    };
    let objects = members::keys_of(snapshot, namespace).into_iter().chain(sets);
    let problems: Vec<ObjectKey> =
        objects.filter(|object| !has_claim(object) && without_scheduling.of(object).state.is_problem()).collect();
    let count = |kind: Kind| problems.iter().filter(|object| object.kind == kind).count();
    let kinds = [(Kind::PersistentVolumeClaim, "claim"), (Kind::Pod, "pod"), (Kind::StatefulSet, "StatefulSet")];
    let words = |(kind, word)| (count(kind) > 0).then(|| counted(count(kind), word));
    let mut parts: Vec<String> = kinds.into_iter().filter_map(words).collect();
    if let Some(last) = parts.last_mut() {
        last.push_str(" in it");
    }
    let volumes = count(Kind::PersistentVolume);
    let name = if volumes == 1 { "names" } else { "name" };
    parts.extend(
        (volumes > 0).then(|| format!("{} that {name} this namespace in spec.claimRef", counted(volumes, "volume"))),
    );
    let all = match parts.as_slice() {
        [] => return String::new(),
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => parts.concat(),
    };
    let have = if problems.len() == 1 { "has a problem" } else { "have problems" };
    format!("; {all} {have}")
}

fn of_pod<'d>(diagnoser: &Diagnoser<'d>, pod: &'d Pod) -> Plain {
    let simulation = diagnoser.simulation;
    let scheduling = diagnoser.scheduling(pod);
    let behavior = &simulation.settings().behavior;
    let stages =
        Stages::new(simulation.snapshot(), behavior, pod, &diagnoser.attachments).scheduled_by(scheduling.as_ref());
    let of_claim = |claim: &ObjectKey| {
        let diagnosis = diagnoser.of(claim);
        ClaimProspect { is_problem: diagnosis.state.is_problem(), says: diagnosis.headline }
    };
    let volumes = stages.of_volumes(&of_claim);
    let mut answer = answer(&stages, pod, &volumes);
    let without_node = scheduling.as_ref().and_then(|scheduling| scheduling.certain_rejection());
    // If a claim is broken, it is the cause.
    let is_open = answer.state == State::Waiting || answer.open == Some(PodStage::Scheduled);
    if let Some(attempt) = without_node.filter(|_| is_open) {
        answer.headline = format!("Pod {}/{} is Pending: no node fits it.", pod.meta.namespace, pod.meta.name);
        answer.details = attempt.reasons();
        answer.actor = (Who::Scheduler, String::new(), "selects a node");
    }
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
    // For a node, only the pods that use claims are counted.
    let (with_claims, with_a_claim) =
        if object.kind == Kind::Node { (" that use claims", " that uses a claim") } else { ("", "") };
    let tally = || {
        let all = diagnoses.len();
        let runs = |pod: &&&Pod| {
            let is_running = pod.phase == PodPhase::Running && gone_node(snapshot, pod).is_none();
            pod.meta.deleted.is_none() && (is_running || pod.phase == PodPhase::Succeeded)
        };
        let running = pods.iter().filter(runs).count();
        let problem = match all - well {
            0 => String::new(),
            _ if running < all => String::new(),
            1 => ", but 1 has a problem".to_owned(),
            several => format!(", but {several} have a problem"),
        };
        let are = if running == 1 { "is" } else { "are" };
        let going = pods.iter().filter(|pod| pod.meta.deleted.is_some()).count();
        if going == all {
            return match going {
                1 => format!("{subject}: its only pod{with_a_claim} is being deleted."),
                several => format!("{subject}: its {several} pods{with_claims} are being deleted."),
            };
        }
        let deleted = match going {
            0 => String::new(),
            1 => ", and 1 is being deleted".to_owned(),
            several => format!(", and {several} are being deleted"),
        };
        format!("{subject}: {running} of {all} pods{with_claims} {are} Running or completed{deleted}{problem}.")
    };
    let (state, headline, mut details) = match (worst, missing) {
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
                let them = if missing == 1 { "it" } else { "them" };
                let details = vec![format!("Its controller has to create {them}.")];
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
    if let Some(TypedId::Node(id)) = snapshot.object_id(object).map(ObjectId::typed) {
        details.extend(about_node(snapshot.get(id)));
    }
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

/// The answer about a VolumeAttachment: what the attach/detach controller does with its volume and its node. If this is
/// not known, or if a pod of the volume has a problem, the answer is about the pods.
fn of_attachment(diagnoser: &Diagnoser<'_>, object: &ObjectKey, attachment: &VolumeAttachment) -> Plain {
    let plain = of_workload(diagnoser, object);
    let outlook = match diagnoser.attachments_of(object) {
        Some(AttachmentAnswer::Known(mut outlooks)) if plain.worst.is_none() => outlooks.pop(),
        Some(AttachmentAnswer::Known(_) | AttachmentAnswer::Unread(_)) | None => None,
    };
    let Some(outlook) = outlook else { return plain };
    let subject = beginning(&noun(object));
    let headline =
        format!("{subject}: {} {}, and {}.", outlook.volume_words(), outlook.state_words(), outlook.need_words());
    let (state, who, name, does) = match outlook.leaves.first() {
        _ if outlook.is_done() => (State::Well, Who::Nobody, "", ""),
        _ if attachment.meta.deleted.is_some() => {
            (State::Waiting, Who::Driver, attachment.attacher.as_str(), "detaches the volume")
        }
        Some(Leaf::Attach(_)) => (State::Waiting, Who::Driver, attachment.attacher.as_str(), "attaches the volume"),
        Some(Leaf::Detach(DetachBranch::DetachWaitsForUnmount)) => {
            (State::Waiting, Who::Node, attachment.node_name.as_str(), "unmounts the volume")
        }
        Some(Leaf::Detach(_)) | None => (State::Waiting, Who::Controller, "", "detaches the volume"),
    };
    let details = if outlook.is_done() { Vec::new() } else { outlook.next_words() };
    Plain {
        words: Words { headline, details },
        state: Some(state),
        actor: Some(Actor { who, name: name.to_owned(), does: does.to_owned() }),
        ..plain
    }
}

/// Says what keeps new pods away from the node.
fn about_node(node: &Node) -> Vec<String> {
    let mut sentences = Vec::new();
    if node.is_not_ready() {
        sentences.push("The node is not ready.".to_owned());
    }
    if node.unschedulable {
        sentences.push("The node is cordoned: kube-scheduler places no pods on it.".to_owned());
    }
    // The taint of a cordoned node says nothing more. The node controller sets the taints of a node that is not ready.
    let says_more =
        |taint: &&Taint| taint.effect != "PreferNoSchedule" && !taint.key.starts_with("node.kubernetes.io/");
    let taint = |taint: &Taint| match taint.value.as_str() {
        "" => format!("{}:{}", taint.key, taint.effect),
        value => format!("{}={value}:{}", taint.key, taint.effect),
    };
    let taints: Vec<String> = node.taints.iter().filter(says_more).map(taint).collect();
    if !taints.is_empty() {
        sentences.push(format!("kube-scheduler places only pods on it that tolerate {}.", taints.join(" and ")));
    }
    sentences
}
