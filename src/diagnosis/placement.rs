//! What kube-scheduler decides now about the pods that wait for a node. Rules prefer this to its last message.

use super::pod::scheduling::nodes_state_room;
use super::pod::{Attempt, PodScheduling};
use crate::controllers::KubernetesBehavior;
use crate::controllers::scheduler::{Scheduler, Scheduling, searches_node};
use crate::model::{Kind, Pod};
use crate::snapshot::Snapshot;
use std::fmt::Debug;
use std::sync::OnceLock;

/// What a rule about pods reads if it rests on a decision of the scheduler, or else on its last message.
pub(super) const PLACEMENT_READS: [Kind; 9] = [
    Kind::PersistentVolume,
    Kind::PersistentVolumeClaim,
    Kind::StorageClass,
    Kind::Node,
    Kind::CsiNode,
    Kind::CsiDriver,
    Kind::CsiStorageCapacity,
    Kind::VolumeAttachment,
    Kind::Event,
];

/// The number of pods that wait for a node, multiplied by the number of nodes, above which a diagnosis of all objects
/// does not use the decisions of the scheduler.
const MOST_VERDICTS: usize = 2_000_000;

/// What the scheduler decides about pods, if the real scheduler certainly decides the same.
pub(super) trait Placement: Debug + Sync {
    /// Returns the decision about the pod. Returns None if the scheduler does not search a node for the pod, if
    /// something that it reads was not read completely, or if too many pods wait for nodes.
    fn scheduling(&self, pod: &Pod) -> Option<Scheduling>;

    /// Returns the decision with its causes, under the same conditions.
    fn attempt(&self, pod: &Pod) -> Option<Attempt>;
}

/// The scheduler with the objects of a snapshot. It is made when a rule asks for the first decision.
#[derive(Debug)]
pub(super) struct SchedulerPlacement<'s> {
    snapshot: &'s Snapshot,
    behavior: &'s KubernetesBehavior,
    /// Whether all objects are diagnosed. Then the number of decisions is limited.
    all: bool,
    scheduler: OnceLock<Option<Scheduler<'s>>>,
}

impl<'s> SchedulerPlacement<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, behavior: &'s KubernetesBehavior, all: bool) -> Self {
        Self { snapshot, behavior, all, scheduler: OnceLock::new() }
    }

    /// Returns the scheduler, and the pod as it is in the snapshot.
    fn asked(&self, pod: &Pod) -> Option<(&Scheduler<'s>, &'s Pod)> {
        let pod = self.snapshot.pod(&pod.meta.namespace, &pod.meta.name).filter(|pod| searches_node(pod))?;
        let scheduler = self.scheduler.get_or_init(|| {
            let waiting = || self.snapshot.pods().iter().filter(|pod| searches_node(pod)).count();
            let is_small = !self.all || waiting().saturating_mul(self.snapshot.nodes().len()) <= MOST_VERDICTS;
            (is_small && nodes_state_room(self.snapshot)).then(|| Scheduler::new(self.snapshot, self.behavior))
        });
        scheduler.as_ref().map(|scheduler| (scheduler, pod))
    }
}

impl Placement for SchedulerPlacement<'_> {
    fn scheduling(&self, pod: &Pod) -> Option<Scheduling> {
        let (scheduler, pod) = self.asked(pod)?;
        Some(scheduler.schedule(pod)).filter(Scheduling::is_certain)
    }

    fn attempt(&self, pod: &Pod) -> Option<Attempt> {
        let (scheduler, pod) = self.asked(pod)?;
        match PodScheduling::of(self.snapshot, || scheduler, pod)? {
            PodScheduling::Tried(attempt) => Some(*attempt).filter(Attempt::is_certain),
            PodScheduling::NotTried(_) | PodScheduling::Unknown { .. } => None,
        }
    }
}
