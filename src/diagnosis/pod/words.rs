//! The state of a pod and the words about it, if no rule reports a problem.

use super::facts::used_claims;
use super::{PodStage, PodVolume, Reached, StageFact, Stages};
use crate::diagnosis::{State, Who};
use crate::model::{Pod, PodPhase};
use crate::text::{capitalized, human_age};

/// The largest number of characters of another component's message that are shown.
const MESSAGE: usize = 240;

/// The answer about a pod without any finding.
#[derive(Debug)]
pub(in crate::diagnosis) struct PodAnswer {
    /// The state of the pod.
    pub(in crate::diagnosis) state: State,
    /// The state and its cause in one sentence.
    pub(in crate::diagnosis) headline: String,
    /// What else a person has to know.
    pub(in crate::diagnosis) details: Vec<String>,
    /// The stage that the pod waits for.
    pub(in crate::diagnosis) open: Option<PodStage>,
    /// Who has to act next, the name of this component or node, and the action.
    pub(in crate::diagnosis) actor: (Who, String, &'static str),
}

/// Returns the answer about a pod by the stages of its volumes.
pub(in crate::diagnosis) fn answer(stages: &Stages<'_>, pod: &Pod, volumes: &[PodVolume]) -> PodAnswer {
    let name = format!("Pod {}/{}", pod.meta.namespace, pod.meta.name);
    let well = |headline: String| PodAnswer {
        state: State::Well,
        headline,
        details: Vec::new(),
        open: None,
        actor: (Who::Nobody, String::new(), ""),
    };
    match pod.phase {
        PodPhase::Succeeded => return well(format!("{name} has completed (Succeeded).")),
        PodPhase::Failed => {
            return PodAnswer {
                state: State::Broken,
                headline: format!("{name} has ended with an error (Failed)."),
                details: vec!["Its logs and its status say why; no volume blocks it.".to_owned()],
                open: None,
                actor: (Who::User, String::new(), "reads the logs of the pod"),
            };
        }
        _ => {}
    }
    if let Some(node) = stages.gone_node() {
        let is = if pod.meta.deleted.is_some() { "is being deleted, and was" } else { "is" };
        let mut details = vec![
            "The pod garbage collector of kube-controller-manager deletes such a pod after about a minute. If the \
             machine still runs, the containers can still run there and write to their volumes."
                .to_owned(),
        ];
        if !pod.meta.finalizers.is_empty() {
            details
                .push(format!("The pod stays until its finalizers are removed: {}.", pod.meta.finalizers.join(", ")));
        }
        return PodAnswer {
            state: State::Waiting,
            headline: format!("{name} {is} on node {node}, which does not exist, so nothing reports whether it runs."),
            details,
            open: None,
            actor: (Who::Controller, String::new(), "deletes the pod"),
        };
    }
    if pod.meta.deleted.is_some() {
        let silent = stages.silent_node();
        let headline = match silent {
            Some(node) => {
                format!(
                    "{name} is being deleted and waits for the kubelet of node {node}, which does not answer (NotReady)."
                )
            }
            None => match stages.overdue_deletion() {
                Some(seconds) => {
                    format!("{name} is being deleted, but still exists {} after its deletion time.", human_age(seconds))
                }
                None => format!("{name} is being deleted; its containers are stopped first."),
            },
        };
        let stays = if stages.is_out_of_service() {
            "The node has the taint node.kubernetes.io/out-of-service, so kube-controller-manager deletes the pod."
        } else {
            "The pod stays Terminating until that kubelet answers again, or until somebody confirms with the taint \
             node.kubernetes.io/out-of-service that the node is shut down."
        };
        return PodAnswer {
            state: State::Waiting,
            headline,
            details: silent.map(|_| stays.to_owned()).into_iter().collect(),
            open: None,
            actor: (Who::Node, pod.node_name.to_string(), "stops the containers and unmounts the volumes"),
        };
    }
    let of_pod = stages.of_pod();
    let Some((volume, fact)) = first_open(volumes, &of_pod) else {
        if let Some(going) = volumes.iter().find_map(|volume| stages.going(volume)) {
            return well(format!("{name} is Running; {going} is being deleted."));
        }
        let volumes = match used_claims(pod).count() {
            0 => "it uses no claim".to_owned(),
            1 => "its volume is mounted".to_owned(),
            2 => "both volumes are mounted".to_owned(),
            several => format!("all {several} volumes are mounted"),
        };
        return well(format!("{name} is Running, and {volumes}."));
    };
    let phase = if pod.phase == PodPhase::Running { "Running" } else { "Pending" };
    let of_volume = volume.map(|volume| format!("claim {}", volume.claim.name)).unwrap_or_default();
    let the_volume = volume.map_or_else(|| "a volume".to_owned(), |_| format!("the volume of {of_volume}"));
    let node = pod.node_name.as_str();
    let because = match (fact.stage, fact.reached) {
        (PodStage::Claim, Reached::Broken) => format!("it cannot use {of_volume}"),
        (PodStage::Claim, _) => format!("it waits for {of_volume}"),
        (PodStage::Bound, Reached::Broken) if volume.is_some_and(|volume| !volume.persistent.is_empty()) => {
            format!("{of_volume} and its volume are not bound to each other")
        }
        (PodStage::Bound, Reached::Broken) => {
            volume.and_then(|volume| stages.phase_of(volume)).unwrap_or_else(|| format!("{of_volume} has no volume"))
        }
        (PodStage::Bound, _) => format!("{of_volume} has no volume yet"),
        (PodStage::Scheduled, Reached::Broken) => "the scheduler finds no node for it".to_owned(),
        (PodStage::Scheduled, _) => "it waits for a node".to_owned(),
        (PodStage::Attached, Reached::Broken) if let Some(going) = volume.and_then(|volume| stages.going(volume)) => {
            format!("{going} is being deleted, so it cannot be attached to node {node}")
        }
        (PodStage::Attached, Reached::Broken) => format!("{the_volume} cannot be attached to node {node}"),
        (PodStage::Attached, _) => match stages.overdue(fact) {
            Some(age) => format!("for {age}, {the_volume} has not been attached to node {node}"),
            None => format!("{the_volume} is not attached to node {node} yet"),
        },
        (PodStage::Mounted, Reached::Broken) => format!("{the_volume} cannot be mounted on node {node}"),
        (PodStage::Mounted, _) if !used_claims(pod).any(|claim| claim.used.is_used()) => {
            format!("the kubelet on node {node} is still starting the pod")
        }
        (PodStage::Mounted, _) => format!("the kubelet on node {node} is still mounting the volumes of the pod"),
        (PodStage::Running, Reached::Broken) if used_claims(pod).next().is_some() => {
            "a container does not run, although its volumes are mounted".to_owned()
        }
        (PodStage::Running, Reached::Broken) => "a container does not run".to_owned(),
        (PodStage::Running, _) => "the kubelet starts its containers".to_owned(),
    };
    let (who, does) = actor(fact);
    PodAnswer {
        state: match fact.reached {
            Reached::Broken => State::Stuck,
            Reached::Unknown => State::Unknown,
            _ => State::Waiting,
        },
        headline: match phase {
            "Running" => format!("{name} is Running, but {because}."),
            _ => format!("{name} is {phase}: {because}."),
        },
        details: (!fact.says.is_empty()).then(|| sentence(fact)).into_iter().collect(),
        open: Some(fact.stage),
        actor: (who, if who == Who::Node { node.to_owned() } else { String::new() }, does),
    }
}

/// Returns the stage that the pod waits for, and its volume. A stage that is broken comes before a stage that may still
/// be reached, and an earlier stage comes before a later one.
fn first_open<'v>(volumes: &'v [PodVolume], of_pod: &'v [StageFact]) -> Option<(Option<&'v PodVolume>, &'v StageFact)> {
    let of_volumes = volumes.iter().flat_map(|volume| volume.stages.iter().map(move |fact| (Some(volume), fact)));
    let all = of_volumes.chain(of_pod.iter().map(|fact| (None, fact)));
    let order = |reached: Reached| match reached {
        Reached::Broken => 0,
        Reached::Waiting => 1,
        Reached::Unknown => 2,
        Reached::NotYet | Reached::Done => 3,
    };
    all.filter(|(_, fact)| order(fact.reached) < 3).min_by_key(|(_, fact)| (order(fact.reached), fact.stage))
}

/// Returns who acts on a stage that is not reached, and the action.
fn actor(fact: &StageFact) -> (Who, &'static str) {
    match (fact.stage, fact.reached) {
        (_, Reached::Broken) => (Who::User, "removes the cause"),
        (PodStage::Claim, _) => (Who::Controller, "makes the claim"),
        (PodStage::Bound, _) => (Who::Controller, "binds the claim"),
        (PodStage::Scheduled, _) => (Who::Scheduler, "selects a node"),
        (PodStage::Attached, _) => (Who::Driver, "attaches the volume"),
        (PodStage::Mounted, _) => (Who::Node, "mounts the volumes"),
        (PodStage::Running, _) => (Who::Node, "starts the containers"),
    }
}

/// Returns what the object shows as a sentence. A message of the scheduler or the kubelet about a broken stage is
/// quoted, and a long message is cut.
fn sentence(fact: &StageFact) -> String {
    let message = fact.says.trim_end_matches('.');
    let shown = match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    };
    match (fact.stage, fact.reached) {
        (PodStage::Scheduled, Reached::Broken) => format!("The scheduler says: \"{shown}\"."),
        (PodStage::Mounted, Reached::Broken) if fact.is_quote => format!("The kubelet says: \"{shown}\"."),
        _ => format!("{}.", capitalized(&shown)),
    }
}
