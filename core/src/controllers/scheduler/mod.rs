//! kube-scheduler with its default profile: what it decides about one pod that has no node. Upstream: `pkg/scheduler`
//! of Kubernetes 1.36, and `getDefaultPlugins` of `pkg/scheduler/apis/config/v1`.
//!
//! [`Plugin`] lists the plugins of the default profile that are modelled. The others are not evaluated:
//! - `NodeName` rejects no node, because these pods name none.
//! - `PrioritySort`, `NodeResourcesBalancedAllocation`, `ImageLocality` and `DefaultBinder` reject no node. They order
//!   the queue, rate nodes, or bind the pod.
//! - `DefaultPreemption` runs only if no node fits. It can delete pods of lower priority. It also adds its own sentence
//!   to the message.
//! - `DynamicResources` reads ResourceClaims, ResourceSlices and DeviceClasses. This project does not read these kinds.
//!   [`NotEvaluated`] says about which pods the plugin decides.
//! - `GangScheduling`, `TopologyPlacementGenerator` and `PodGroupPodsCount` need gates that are off by default.
//!
//! Scores, nominated pods, extenders, other profiles and third-party plugins are not modelled either.

pub mod actor;
mod causes;
mod claim;
mod cluster;
mod groups;
mod in_tree_limits;
mod inter_pod_affinity;
pub mod leaves;
mod message;
pub(super) mod migration;
mod nodes;
pub mod orders;
mod pod_topology_spread;
pub(super) mod reads;
mod reservation;
pub mod verdict;
mod volume_binding;
mod volume_limits;
mod volume_restrictions;
mod volume_zone;

pub use causes::{Cause, Causes, fits_node, is_in_zone, is_tied, nodes_of_volume};
pub use claim::{ClaimOnNode, ClaimTask, claim_on_node};
pub use leaves::{SchedulerPodBranch, SchedulerReason, SchedulerVolumeStep};
pub use nodes::untolerated_taint;
pub use verdict::{
    Binding, Code, ConditionReason, Cycle, NodeVerdicts, NotEvaluated, Plugin, Reason, Scheduling, Status, Verdict,
};
pub use volume_limits::DriverUse;

use crate::controllers::KubernetesBehavior;
use crate::model::{Node, Pod, Str};
use crate::snapshot::Snapshot;
use crate::world::View;
use cluster::{Cluster, NodeInfo, is_seen, scheduling};
use groups::NodeGroups;
use inter_pod_affinity::State;
use pod_topology_spread::Constraint;
use reads::Reads;
use std::collections::{BTreeMap, BTreeSet};
use volume_binding::{Branch, Branches, PodVolumeClaims};
use volume_zone::Topology;

/// Returns whether the scheduler has to find a node for the pod.
pub fn handles(pod: &Pod) -> bool {
    pod.node_name.is_empty() && is_seen(pod) && pod.scheduler_name.is_empty()
}

/// Returns whether the scheduler searches a node for the pod now: the pod is not being deleted and has no scheduling
/// gates.
pub fn searches_node(pod: &Pod) -> bool {
    handles(pod) && pod.meta.deleted.is_none() && !pod.gated
}

/// The scheduler with its caches.
#[derive(Debug)]
pub struct Scheduler<'s> {
    view: View<'s>,
    behavior: &'s KubernetesBehavior,
    cluster: Cluster<'s>,
}

/// The results of `PreFilter` that `Filter` uses.
struct PreFiltered<'s> {
    named_nodes: Option<BTreeSet<&'s str>>,
    claim_in_use: bool,
    claims: PodVolumeClaims<'s>,
    topologies: Vec<Topology<'s>>,
    spread: Vec<Constraint<'s>>,
    affinity: State<'s>,
}

impl<'s> Scheduler<'s> {
    /// Makes a scheduler whose caches have the objects of a snapshot.
    pub fn new(snapshot: &'s Snapshot, behavior: &'s KubernetesBehavior) -> Self {
        Self::of_view(View::Snapshot(snapshot), behavior)
    }

    /// Makes a scheduler whose caches have the objects of a snapshot, or of one moment of a simulation.
    pub fn of_view(view: View<'s>, behavior: &'s KubernetesBehavior) -> Self {
        Self { view, behavior, cluster: Cluster::new(view) }
    }

    /// Fills the caches with one node for each group of nodes.
    fn of_groups(view: View<'s>, behavior: &'s KubernetesBehavior, groups: &NodeGroups) -> Self {
        Self { view, behavior, cluster: Cluster::of_groups(view, groups) }
    }

    /// Returns what the scheduler decides about the pod. Upstream: `schedulePod` and `findNodesThatFitPod`, 1.36.
    pub fn schedule(&self, pod: &'s Pod) -> Scheduling {
        let gates: Vec<&str> = scheduling(pod).gates.iter().map(Str::as_str).collect();
        if !gates.is_empty() {
            let reason = format!("waiting for scheduling gates: [{}]", gates.join(" "));
            return ended(Cycle::Gated(Status::unresolvable(Plugin::SchedulingGates, reason)));
        }
        if pod.meta.deleted.is_some() {
            let (namespace, name) = (pod.meta.namespace.as_str(), pod.meta.name.as_str());
            return ended(Cycle::Skipped(format!("skip schedule deleting pod: {namespace}/{name}")));
        }
        let mut reads = Reads::new(self.view);
        reads.need_all::<Node>();
        reads.need_all::<Pod>();
        let answer = self.cycle(&mut reads, pod);
        let mut not_evaluated = self.not_evaluated(pod);
        not_evaluated.extend(self.may_preempt(pod, &answer).then_some(NotEvaluated::Preemption));
        Scheduling { doubts: reads.into_doubts(), not_evaluated, ..answer }
    }

    /// Returns the volumes on a node by driver, as `NodeVolumeLimits` counts them.
    pub fn driver_uses(&self, node: &Node) -> Vec<DriverUse<'s>> {
        let info = self.cluster.node(&node.meta.name);
        info.map(|info| volume_limits::uses(&mut Reads::new(self.view), self.behavior, info)).unwrap_or_default()
    }

    /// Returns whether a plugin that is not modelled decides about the pod.
    pub fn is_incomplete_for(&self, pod: &Pod) -> bool {
        !self.not_evaluated(pod).is_empty()
    }

    /// Returns whether the scheduler may delete pods of lower priority to make room for the pod. It tries this only on
    /// nodes that are rejected with the code `Unschedulable`. Upstream: `PodEligibleToPreemptOthers` and
    /// `SelectVictimsOnNode` of `defaultpreemption`, 1.36.
    fn may_preempt(&self, pod: &Pod, answer: &Scheduling) -> bool {
        let stated = scheduling(pod);
        let is_open =
            |node: &NodeVerdicts| node.verdicts.iter().any(|verdict| verdict.status.code == Code::Unschedulable);
        let has_lower =
            |info: &NodeInfo<'_>| info.pods.iter().any(|other| scheduling(other).priority < stated.priority);
        let mut nodes = self.cluster.nodes.iter().zip(answer.nodes());
        !stated.never_preempts && answer.is_rejected() && nodes.any(|(info, node)| is_open(node) && has_lower(info))
    }

    /// Returns the decisions about the pod that the plugin `DynamicResources` makes and this model does not make.
    /// Upstream: `shouldDelegateResourceToDRA` of `noderesources`, 1.36.
    fn not_evaluated(&self, pod: &Pod) -> BTreeSet<NotEvaluated> {
        let stated = scheduling(pod);
        let is_missing = self.behavior.scheduler.device_classes_have_resources
            && self.cluster.nodes.iter().any(|info| nodes::lacks_resource(pod, info.node));
        let all = [(stated.device_claims, NotEvaluated::DeviceClaims), (is_missing, NotEvaluated::DeviceClasses)];
        all.into_iter().filter_map(|(decides, what)| decides.then_some(what)).collect()
    }

    fn cycle(&self, reads: &mut Reads<'s>, pod: &'s Pod) -> Scheduling {
        let rejected = |cycle, message: String| Scheduling {
            reason: Some(ConditionReason::Unschedulable),
            messages: [message].into(),
            ..ended(cycle)
        };
        let nodes = self.cluster.count();
        if nodes == 0 {
            return rejected(Cycle::Nodes(Vec::new()), "no nodes available to schedule pods".to_owned());
        }
        let state = match self.pre_filter(reads, pod) {
            Ok(state) => state,
            Err(status) if status.code == Code::Error => {
                let messages = status.reasons.iter().map(|reason| reason.text.to_string()).collect();
                let reason = Some(ConditionReason::SchedulerError);
                return Scheduling { reason, messages, ..ended(Cycle::PreFilter(status)) };
            }
            Err(status) => {
                let message = message::pre_filter(nodes, &status);
                return rejected(Cycle::PreFilter(status), message);
            }
        };
        let branches: Vec<Branches<'s>> =
            self.cluster.nodes.iter().map(|info| self.filter(reads, pod, &state, info)).collect();
        let of_node = |(info, branches): (&NodeInfo<'s>, &Branches<'s>)| NodeVerdicts {
            node: info.node.meta.name.clone(),
            verdicts: branches.all.iter().map(|branch| branch.verdict.clone()).collect(),
        };
        let verdicts = self.cluster.nodes.iter().zip(&branches).map(of_node).collect();
        let statuses = branches.iter().flat_map(|node| &node.all).map(|branch| &branch.verdict.status);
        let errors: BTreeSet<String> = statuses
            .filter(|status| status.code == Code::Error)
            .flat_map(|status| status.reasons.iter().map(|reason| reason.text.to_string()))
            .collect();
        let cycle = Cycle::Nodes(verdicts);
        if !errors.is_empty() {
            let limited = branches.iter().any(|node| node.limited);
            let reason = Some(ConditionReason::SchedulerError);
            return Scheduling { reason, messages: errors, limited, ..ended(cycle) };
        }
        let counts: Vec<usize> = self.cluster.nodes.iter().map(|info| info.count).collect();
        let messages = message::of_nodes(&branches, &counts);
        Scheduling {
            reason: (!messages.all.is_empty()).then_some(ConditionReason::Unschedulable),
            messages: messages.all,
            limited: messages.limited,
            ..ended(cycle)
        }
    }

    /// Runs `PreFilter` of the plugins in their order.
    fn pre_filter(&self, reads: &mut Reads<'s>, pod: &'s Pod) -> Result<PreFiltered<'s>, Status> {
        Ok(PreFiltered {
            named_nodes: nodes::named_nodes(pod)?,
            claim_in_use: volume_restrictions::pre_filter(reads, &self.cluster, pod)?,
            claims: volume_binding::pre_filter(reads, self.behavior, pod)?,
            topologies: volume_zone::pre_filter(reads, pod)?,
            spread: pod_topology_spread::pre_filter(self.behavior, &self.cluster, pod)?,
            affinity: inter_pod_affinity::pre_filter(reads, self.behavior, &self.cluster, pod)?,
        })
    }

    /// Runs `Filter` of the plugins in their order. The first plugin that rejects the node ends the tests.
    fn filter(
        &self,
        reads: &mut Reads<'s>,
        pod: &'s Pod,
        state: &PreFiltered<'s>,
        info: &NodeInfo<'s>,
    ) -> Branches<'s> {
        let node = info.node;
        if state.named_nodes.as_ref().is_some_and(|names| !names.contains(node.meta.name.as_str())) {
            let reason = "node(s) didn't satisfy plugin(s) [NodeAffinity]".into();
            let reasons = Vec::from_iter(self.behavior.scheduler.left_out_nodes_have_reasons.then_some(reason));
            let status = Status { code: Code::UnschedulableAndUnresolvable, plugin: None, reasons };
            return always(status);
        }
        let rejected = nodes::node_unschedulable(pod, node)
            .or_else(|| nodes::taint_toleration(self.behavior, pod, node))
            .or_else(|| nodes::node_affinity(pod, node))
            .or_else(|| nodes::node_ports(self.behavior, pod, info))
            .or_else(|| nodes::node_resources_fit(self.behavior, pod, info))
            .or_else(|| volume_restrictions::filter(self.behavior, pod, state.claim_in_use, info))
            .or_else(|| in_tree_limits::filter(reads, self.behavior, &in_tree_limits::EBS, pod, info))
            .or_else(|| in_tree_limits::filter(reads, self.behavior, &in_tree_limits::GCE_PD, pod, info))
            .or_else(|| volume_limits::filter(reads, self.behavior, pod, info))
            .or_else(|| in_tree_limits::filter(reads, self.behavior, &in_tree_limits::AZURE_DISK, pod, info));
        if let Some(status) = rejected {
            return always(status);
        }
        let mut branches = volume_binding::filter(reads, self.behavior, &state.claims, node);
        let fits = |branch: &Branch<'_>| branch.verdict.fits();
        if branches.all.iter().any(fits) {
            let rejected = volume_zone::filter(&state.topologies, node)
                .or_else(|| pod_topology_spread::filter(pod, &state.spread, info))
                .or_else(|| inter_pod_affinity::filter(pod, &state.affinity, info))
                .or_else(|| nodes::node_declared_features(self.behavior, pod, node));
            if let Some(status) = rejected {
                for branch in branches.all.iter_mut().filter(|branch| fits(branch)) {
                    branch.verdict = status.clone().into();
                }
            }
        }
        branches
    }
}

/// Returns an answer that has only the result of the scheduling cycle.
fn ended(cycle: Cycle) -> Scheduling {
    Scheduling {
        cycle,
        reason: None,
        messages: BTreeSet::new(),
        limited: false,
        doubts: BTreeMap::new(),
        not_evaluated: BTreeSet::new(),
    }
}

fn always<'s>(status: Status) -> Branches<'s> {
    Branches {
        all: vec![Branch { order: orders::Order::default(), verdict: status.into(), unfit: Vec::new() }],
        limited: false,
    }
}
