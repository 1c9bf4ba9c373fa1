//! Compares what the program says about one claim on one node with the recorded answers about pods that use only this
//! claim. It also compares it with the predicted answer about such a pod.

use super::{Judged, Verdict, differ};
use crate::line::{Object, Scheduling, SchedulingStatus};
use pvctl::controllers::CandidateVerdict;
use pvctl::controllers::scheduler::{
    self, Cause, Causes, ClaimOnNode, ClaimTask, Code, Cycle, Plugin, Scheduler, SchedulerReason, claim_on_node,
    fits_node, is_tied,
};
use pvctl::model::{
    ClaimVolume, Node, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, PodScheduling, Toleration,
    TolerationOperator,
};
use pvctl::snapshot::Snapshot;
use std::collections::BTreeSet;

/// One answer about a node: the plugin, the reasons, and what is bound and provisioned.
type Answer = (String, Vec<String>, Vec<(String, String)>, Vec<String>);

fn predicted(verdict: &scheduler::Verdict) -> Answer {
    let status = &verdict.status;
    (
        status.plugin.map(Plugin::name).unwrap_or_default().to_owned(),
        status.reasons.iter().map(|reason| reason.text.to_string()).collect(),
        verdict.bindings.iter().map(|one| (one.claim.to_string(), one.volume.to_string())).collect(),
        verdict.provisions.iter().map(ToString::to_string).collect(),
    )
}

fn recorded(status: &SchedulingStatus) -> Answer {
    (
        status.plugin.clone(),
        status.reasons.clone(),
        status.bindings.iter().map(|one| (one.claim.clone(), one.volume.clone())).collect(),
        status.provisions.clone(),
    )
}

/// Returns whether the scheduler asks this plugin after `VolumeBinding`. If this plugin rejects the node,
/// `VolumeBinding` has accepted it.
fn is_later(plugin: &str) -> bool {
    ["VolumeZone", "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures"].contains(&plugin)
}

impl Judged<'_> {
    /// Compares the answers about a claim on a node with the recorded answer about each pod that uses only this claim.
    pub(super) fn compare_on_nodes(&self, answers: &[Scheduling], verdict: &mut Verdict) {
        for answer in answers {
            let pod = self.snapshot.pod(&answer.pod.namespace, &answer.pod.name);
            let Some(claim) = pod.and_then(|pod| self.only_claim(pod)) else { continue };
            for node in self.snapshot.nodes() {
                let found = claim_on_node(self.snapshot, self.behavior, claim, node);
                let real = of_node(answer, &node.meta.name);
                compare("on a node", &real, answer.sampled, claim, &found, verdict);
            }
        }
        // The recorded answers show that the predicted answers about pods are right. So the predicted answers about the
        // following pods are right, too.
        let pods: Vec<Pod> = self.snapshot.claims().iter().map(user).collect();
        let scheduler = Scheduler::new(self.snapshot, self.behavior);
        for (claim, pod) in self.snapshot.claims().iter().zip(&pods) {
            let answer = scheduler.schedule(pod);
            for node in self.snapshot.nodes() {
                let found = claim_on_node(self.snapshot, self.behavior, claim, node);
                compare("alone on a node", &of_scheduler(&answer.cycle, node), false, claim, &found, verdict);
                compare_volumes(self.snapshot, claim, &found, verdict);
                compare_causes(&scheduler, pod, node, claim, &found, verdict);
                self.compare_reach(claim, node, &answer.cycle, verdict);
            }
        }
    }

    /// Compares whether the volume of a bound claim can be used on the node with the plugins that decide it. A volume
    /// that is not tied to nodes can be used on every node.
    fn compare_reach(&self, claim: &PersistentVolumeClaim, node: &Node, cycle: &Cycle, verdict: &mut Verdict) {
        let volume = self.snapshot.find::<PersistentVolume>("", &claim.volume_name);
        let Cycle::Nodes(nodes) = cycle else { return };
        let Some(volume) = volume else { return };
        for one in nodes.iter().filter(|one| one.node == node.meta.name).flat_map(|one| &one.verdicts) {
            let plugin = one.status.plugin.map(Plugin::name).unwrap_or_default();
            let is_reached = matches!(plugin, "VolumeBinding") || is_later(plugin) || one.fits();
            if is_reached && one.status.code != Code::Error {
                let is_rejected = one.status.reasons.iter().any(|reason| {
                    let leaf = reason.leaf;
                    leaf == Some(SchedulerReason::NodeBoundVolumeAffinity)
                        || leaf == Some(SchedulerReason::NodeZoneConflict)
                });
                let text =
                    |fits: bool| BTreeSet::from([format!("{} fits {}: {fits}", volume.meta.name, node.meta.name)]);
                let fits = fits_node(self.snapshot, volume, node);
                differ("nodes of a volume", &object_of(claim), &text(!is_rejected), &text(fits), verdict);
                let text = |is_tied: bool| BTreeSet::from([format!("{} is tied: {is_tied}", volume.meta.name)]);
                let is_tied = is_tied(volume);
                differ("nodes of a volume", &object_of(claim), &text(is_tied || is_rejected), &text(is_tied), verdict);
            }
        }
    }

    /// Returns the only claim of the pod. Returns `None` if the pod has no claim, several claims or an ephemeral
    /// volume, or if the claim does not exist. With several claims, `VolumeBinding` could have other reasons.
    fn only_claim(&self, pod: &Pod) -> Option<&PersistentVolumeClaim> {
        match (&*pod.claims, &*pod.ephemeral) {
            ([only], []) => self.snapshot.find(&pod.meta.namespace, &only.claim),
            _ => None,
        }
    }
}

/// Compares two answers about one claim on one node. `real` has all possible verdicts, or only some of them if
/// `is_sample` is true.
fn compare(
    part: &str,
    real: &BTreeSet<Answer>,
    is_sample: bool,
    claim: &PersistentVolumeClaim,
    found: &ClaimOnNode<'_>,
    verdict: &mut Verdict,
) {
    let object = object_of(claim);
    let mut all: BTreeSet<Answer> = found.verdicts.verdicts.iter().map(predicted).collect();
    let plugins: BTreeSet<&str> = real.iter().map(|(plugin, ..)| plugin.as_str()).collect();
    let is_hidden = |plugin: &&str| !matches!(*plugin, "" | "VolumeBinding") && !is_later(plugin);
    if real.is_empty() || plugins.iter().any(is_hidden) {
        return;
    }
    let text = |answers: &BTreeSet<Answer>| answers.iter().map(|answer| format!("{answer:?}")).collect();
    if plugins.iter().any(|plugin| is_later(plugin)) {
        let fits = |fits: bool| BTreeSet::from([format!("fits: {fits}")]);
        differ(&format!("{part}: later"), &object, &fits(true), &fits(found.verdicts.can_fit()), verdict);
        return;
    }
    if is_sample {
        all.retain(|one| real.contains(one));
    }
    differ(part, &object, &text(real), &text(&all), verdict);
}

/// Compares the causes that are named for the claim on the node with those that are named for the pod.
fn compare_causes(
    scheduler: &Scheduler<'_>,
    pod: &Pod,
    node: &Node,
    claim: &PersistentVolumeClaim,
    found: &ClaimOnNode<'_>,
    verdict: &mut Verdict,
) {
    let of_pod = Causes::new(scheduler, pod);
    let of_reason = |leaf: SchedulerReason, causes: &[Cause<'_>]| format!("{}: {causes:?}", leaf.name());
    let reasons = found.verdicts.verdicts.iter().flat_map(|verdict| &verdict.status.reasons);
    let leaves: BTreeSet<SchedulerReason> = reasons.filter_map(|reason| reason.leaf).collect();
    // A claim that no node can help is the cause itself.
    let leaves = leaves.into_iter().filter(|_| found.task != ClaimTask::Reject);
    let real = leaves.map(|leaf| of_reason(leaf, &of_pod.of(leaf, Some(node)))).collect();
    let named = found.causes.iter().map(|(leaf, cause)| of_reason(*leaf, std::slice::from_ref(cause))).collect();
    differ("on a node: causes", &object_of(claim), &real, &named, verdict);
}

/// Compares the volumes that are called chosen or reserved with the volumes that the verdicts bind.
fn compare_volumes(snapshot: &Snapshot, claim: &PersistentVolumeClaim, found: &ClaimOnNode<'_>, verdict: &mut Verdict) {
    let Some(volumes) = &found.volumes else { return };
    let is_bound = |verdict: &&CandidateVerdict| {
        matches!(verdict, CandidateVerdict::CandidateChosen | CandidateVerdict::CandidateReserved)
    };
    let named = snapshot.volumes().iter().zip(volumes).filter(|(_, verdict)| is_bound(verdict));
    let named = named.map(|(volume, _)| volume.meta.name.to_string()).collect();
    let bound = found.verdicts.verdicts.iter().flat_map(|verdict| &verdict.bindings);
    let bound = bound.map(|binding| binding.volume.to_string()).collect();
    differ("on a node: volumes", &object_of(claim), &bound, &named, verdict);
}

fn object_of(claim: &PersistentVolumeClaim) -> Object {
    Object {
        kind: "PersistentVolumeClaim".to_owned(),
        namespace: claim.meta.namespace.to_string(),
        name: claim.meta.name.to_string(),
    }
}

/// Returns whether a node was left out before the plugins tested it. Then no plugin is named.
fn is_left_out(status: &SchedulingStatus) -> bool {
    status.plugin.is_empty() && status.code == Code::UnschedulableAndUnresolvable.as_str()
}

/// Returns the recorded verdicts about the node. There are none if another plugin ended the attempt earlier.
fn of_node(answer: &Scheduling, node: &str) -> BTreeSet<Answer> {
    match (&answer.pre_filter, answer.nodes.iter().find(|one| one.node == node)) {
        (Some(status), _) if status.plugin == "VolumeBinding" => [recorded(status)].into(),
        (Some(_), _) | (None, None) => BTreeSet::new(),
        // A plugin has left the node out, because the pod names other nodes.
        (None, Some(node)) if node.verdicts.iter().any(is_left_out) => BTreeSet::new(),
        (None, Some(node)) => node.verdicts.iter().map(recorded).collect(),
    }
}

/// Returns the predicted verdicts about the node. There are none if another plugin ended the attempt earlier.
fn of_scheduler(cycle: &Cycle, node: &Node) -> BTreeSet<Answer> {
    match cycle {
        Cycle::PreFilter(status) if status.plugin == Some(Plugin::VolumeBinding) => {
            [predicted(&status.clone().into())].into()
        }
        Cycle::PreFilter(_) | Cycle::Gated(_) | Cycle::Skipped(_) => BTreeSet::new(),
        Cycle::Nodes(nodes) => {
            let of_node = nodes.iter().find(|one| one.node == node.meta.name);
            of_node.into_iter().flat_map(|one| &one.verdicts).map(predicted).collect()
        }
    }
}

/// Returns a pod that tolerates every taint and uses only this claim.
pub(super) fn user(claim: &PersistentVolumeClaim) -> Pod {
    let all = Toleration { operator: TolerationOperator::Exists, ..Toleration::default() };
    let scheduling = PodScheduling { tolerations: [all].into(), ..PodScheduling::default() };
    let namespace = claim.meta.namespace.clone();
    Pod {
        meta: ObjectMeta { namespace, name: "only".into(), uid: "only".into(), ..ObjectMeta::default() },
        claims: [ClaimVolume { name: "v".into(), claim: claim.meta.name.clone(), ..ClaimVolume::default() }].into(),
        scheduling: Some(Box::new(scheduling)),
        ..Pod::default()
    }
}
