//! What the controller does when it starts, and when it is told of a change. Upstream: `attach_detach_controller.go`
//! and `populator/desired_state_of_world_populator.go`, 1.36.

use super::actual::{Actual, AttachState};
use super::desired::Desired;
use super::operations::Operations;
use super::volume::{Migration, all_volumes_of, volumes_of};
use super::{Action, AttachDetach, AttachStep, AttachableVolume, Flags, LIST_PODS_PERIOD, Moment, orders};
use crate::model::{
    AnnotationKey, ClaimPhase, Node, PersistentVolume, PersistentVolumeClaim, Pod, Str, VolumeAttachment,
};
use crate::world::{Choices, View};
use std::collections::{BTreeMap, BTreeSet};

impl AttachDetach {
    /// Starts a controller that has read all objects. `created` is the moment at which its process begins.
    /// Upstream: `populateActualStateOfWorld` and `populateDesiredStateOfWorld`, 1.36.
    pub fn start(view: View<'_>, flags: Flags, created: Moment, choices: &mut Choices, out: &mut Vec<Action>) -> Self {
        // The controller sees all nodes, pods and claims as new ones, too.
        let steps = [AttachStep::AttachStartAttached, AttachStep::AttachStartUncertain, AttachStep::AttachClaimBound];
        out.extend(steps.map(AttachStep::passed));
        let mut controller = Self {
            flags,
            desired: Desired::default(),
            actual: Actual::default(),
            operations: Operations::default(),
            verified: created,
            checks: Vec::new(),
            listed_pods: None,
        };
        for node in view.all::<Node>() {
            controller.node_changed(node, false, out);
        }
        // The controller is told of pods while it still reads the drivers. A driver that it does not have yet counts as
        // one whose volumes have to be attached.
        let mut pods: Vec<(&Pod, Vec<AttachableVolume>)> =
            view.all::<Pod>().map(|pod| (pod, all_volumes_of(view, pod, flags.migration))).collect();
        for (pod, volumes) in &mut pods {
            for volume in volumes.extract_if(.., |volume| !volume.needs_attaching(view)) {
                if !pod.terminated() && choices.pick(2) == 1 {
                    out.push(AttachStep::AttachStartEarly.passed());
                    controller.desired.add(pod, volume);
                }
            }
        }
        for node in view.all::<Node>() {
            // The controller refuses an entry without a name.
            for entry in node.volumes_attached.iter().filter(|entry| !entry.is_empty()) {
                controller.actual.set_attached(entry, None, &node.meta.name);
            }
            controller.actual.set_in_use(&node.meta.name, &node.volumes_in_use);
        }
        let attachments = view.all::<VolumeAttachment>();
        let attachments: Vec<(&Str, AttachableVolume)> = attachments
            .filter_map(|one| Some((&one.node_name, recorded_volume(view, one, flags.migration)?)))
            .collect();
        let ambiguous = ambiguous(attachments.iter().map(|(_, volume)| volume));
        let keys = |(_, volume): &(&Str, AttachableVolume)| {
            Some(volume.unique_name()).filter(|name| ambiguous.contains(name)).into_iter().collect()
        };
        for (node, volume) in orders::pick(attachments, keys, choices) {
            let name = volume.unique_name();
            if controller.actual.state(&name, node) == AttachState::Detached {
                controller.actual.set_uncertain(&name, Some(volume), node);
            }
        }
        for (pod, volumes) in ordered(pods, choices) {
            out.push(pod_step(pod).passed());
            for volume in volumes {
                if !pod.terminated() {
                    controller.desired.add(pod, volume.clone());
                }
                let name = volume.unique_name();
                if controller.actual.state(&name, &pod.node_name) == AttachState::Attached {
                    controller.actual.set_attached(&name, Some(volume), &pod.node_name);
                }
            }
        }
        controller
    }

    /// A pod was created or changed. Upstream: `podAdd` and `podUpdate`, 1.36.
    pub fn pod_changed(&mut self, view: View<'_>, pod: &Pod, out: &mut Vec<Action>) {
        out.push(pod_step(pod).passed());
        if pod.terminated() { self.remove_pod(view, pod) } else { self.add_pod(view, pod) }
    }

    /// A pod was deleted. Upstream: `podDelete`, 1.36.
    pub fn pod_deleted(&mut self, view: View<'_>, pod: &Pod, out: &mut Vec<Action>) {
        out.push(AttachStep::AttachNotWanted.passed());
        self.remove_pod(view, pod);
    }

    fn add_pod(&mut self, view: View<'_>, pod: &Pod) {
        for volume in volumes_of(view, pod, self.flags.migration) {
            self.desired.add(pod, volume);
        }
    }

    fn add_pods(&mut self, pods: Vec<(&Pod, Vec<AttachableVolume>)>, choices: &mut Choices) {
        for (pod, volumes) in ordered(pods, choices) {
            for volume in volumes {
                self.desired.add(pod, volume);
            }
        }
    }

    /// Removes the volumes of a pod that its claims still lead to. The other volumes stay until
    /// [`Self::populate`] finds them.
    fn remove_pod(&mut self, view: View<'_>, pod: &Pod) {
        for volume in volumes_of(view, pod, self.flags.migration) {
            self.desired.remove(&pod.meta.uid, &volume.unique_name(), &pod.node_name);
        }
    }

    /// A claim was created or changed. Upstream: `syncPVCByKey`, 1.36.
    pub fn claim_changed(
        &mut self,
        view: View<'_>,
        claim: &PersistentVolumeClaim,
        choices: &mut Choices,
        out: &mut Vec<Action>,
    ) {
        out.push(AttachStep::AttachClaimBound.passed());
        if claim.status.phase != ClaimPhase::Bound || claim.volume_name.is_empty() {
            return;
        }
        let users = view.pods_of(&claim.meta.namespace, &claim.meta.name).map(|(_, pod)| pod);
        let users = users.filter(|pod| !pod.terminated()).map(|pod| (pod, volumes_of(view, pod, self.flags.migration)));
        self.add_pods(users.collect(), choices);
    }

    /// A node was created (`is_new`) or changed. Upstream: `nodeAdd` and `nodeUpdate`, 1.36.
    pub fn node_changed(&mut self, node: &Node, is_new: bool, out: &mut Vec<Action>) {
        out.push(AttachStep::AttachNodeSeen.passed());
        if node.meta.annotations.has(AnnotationKey::ControllerManagedAttach) {
            self.desired.add_node(&node.meta.name);
        }
        self.actual.set_in_use(&node.meta.name, &node.volumes_in_use);
        if is_new {
            self.actual.report_again(&node.meta.name);
        }
    }

    /// A node was deleted. Upstream: `nodeDelete`, 1.36.
    pub fn node_deleted(&mut self, node: &Node, out: &mut Vec<Action>) {
        out.push(AttachStep::AttachNodeKept.passed());
        self.desired.delete_node(&node.meta.name);
        self.actual.set_in_use(&node.meta.name, &node.volumes_in_use);
    }

    /// Compares the desired state with all pods. The controller does this about once a minute. Of a pod that is gone,
    /// one volume is removed in each loop, and it is not fixed which one. Upstream: `populatorLoopFunc`, 1.36.
    pub fn populate(&mut self, view: View<'_>, now: Moment, choices: &mut Choices, out: &mut Vec<Action>) {
        out.push(AttachStep::AttachPodGone.passed());
        for (uid, (name, volumes)) in self.desired.by_pod() {
            let found: Option<&Pod> = view.find(&name.namespace, &name.name);
            if found.is_some_and(|pod| pod.meta.uid == uid && !pod.terminated()) {
                continue;
            }
            if let Some((volume, node)) = volumes.get(choices.pick(volumes.len())) {
                self.desired.remove(&uid, volume, node);
            }
        }
        let all: Vec<_> = self.desired.all().map(|(at, wanted)| (at, wanted.clone())).collect();
        for ((name, node), wanted) in all {
            if !wanted.volume.needs_attaching(view) {
                out.push(AttachStep::AttachNotNeeded.passed());
                for uid in wanted.pods.keys() {
                    self.desired.remove(uid, &name, &node);
                }
            }
        }
        if self.listed_pods.is_none_or(|listed| now.since(listed) >= LIST_PODS_PERIOD) {
            out.push(AttachStep::AttachPodsListed.passed());
            self.listed_pods = Some(now);
            let pods = view.all::<Pod>().filter(|pod| !pod.terminated());
            let pods = pods.map(|pod| (pod, volumes_of(view, pod, self.flags.migration)));
            self.add_pods(pods.collect(), choices);
        }
    }
}

/// Returns the leaf at which a pod is seen.
fn pod_step(pod: &Pod) -> AttachStep {
    if pod.terminated() { AttachStep::AttachNotWanted } else { AttachStep::AttachWanted }
}

/// Returns the pods with their volumes, in one of the orders that can differ: those of pods that use the same storage
/// through different PersistentVolumes.
fn ordered<'v>(
    pods: Vec<(&'v Pod, Vec<AttachableVolume>)>,
    choices: &mut Choices,
) -> Vec<(&'v Pod, Vec<AttachableVolume>)> {
    let ambiguous = ambiguous(pods.iter().flat_map(|(_, volumes)| volumes));
    let keys = |(_, volumes): &(&Pod, Vec<AttachableVolume>)| {
        let names = volumes.iter().map(AttachableVolume::unique_name);
        names.filter(|name| ambiguous.contains(name)).collect()
    };
    orders::pick(pods, keys, choices)
}

/// Returns the unique names that different volumes have.
fn ambiguous<'v>(volumes: impl Iterator<Item = &'v AttachableVolume>) -> BTreeSet<Str> {
    let mut first: BTreeMap<Str, &AttachableVolume> = BTreeMap::new();
    let mut ambiguous = BTreeSet::new();
    for volume in volumes {
        let name = volume.unique_name();
        if let Some(known) = first.get(&name) {
            if *known != volume {
                ambiguous.insert(name);
            }
        } else {
            first.insert(name, volume);
        }
    }
    ambiguous
}

/// Returns the volume of a VolumeAttachment. Upstream: `processVolumeAttachments`, 1.36.
fn recorded_volume(view: View<'_>, attachment: &VolumeAttachment, migration: Migration) -> Option<AttachableVolume> {
    let volume = AttachableVolume::of(view.find::<PersistentVolume>("", &attachment.volume_name)?, |plugin| {
        migration.has(plugin)
    })?;
    // The plugin of a migrated volume is taken without the question whether its driver attaches volumes.
    (volume.is_migrated || volume.needs_attaching(view)).then_some(volume)
}
