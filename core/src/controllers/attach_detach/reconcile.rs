//! The loop that compares the desired with the actual state. Upstream: `reconciler/reconciler.go` and
//! `statusupdater/node_status_updater.go`, 1.36.

use super::actual::AttachState;
use super::desired::Wanted;
use super::operations::{Running, Step, Work, events, key_of, message};
use super::{
    Action, ApiAnswers, AttachBranch, AttachDetach, AttachStep, AttachableVolume, DetachBranch, Force,
    MAX_WAIT_FOR_UNMOUNT, Moment, PodName, Refusal, VolumeOnNode, orders,
};
use crate::model::{Node, Str};
use crate::world::{Choices, View};
use std::collections::BTreeSet;

/// What a loop reads and writes.
struct Loop<'l> {
    view: View<'l>,
    now: Moment,
    api: &'l mut dyn ApiAnswers,
    choices: &'l mut Choices,
    out: &'l mut Vec<Action>,
}

impl AttachDetach {
    /// Runs one loop: first it detaches, then it attaches, then it writes the status of nodes. Upstream takes the
    /// volumes from maps, so their order is not fixed. A choice is made only where the order can matter.
    pub fn reconcile(
        &mut self,
        view: View<'_>,
        now: Moment,
        api: &mut dyn ApiAnswers,
        choices: &mut Choices,
        out: &mut Vec<Action>,
    ) {
        let mut run = Loop { view, now, api, choices, out: &mut *out };
        let unwanted = self.actual.all().into_iter().filter(|(name, node)| self.desired.get(name, node).is_none());
        let unwanted: Vec<Entry> = unwanted.map(|at| self.entry(at)).collect();
        let depends = run.api.depends_on_order();
        // The order of the volumes of a node matters if the node must be written anyway, and if an entry of a plugin
        // that the controller does not have changes in between what the node reports.
        let is_broken = |entry: &&Entry| entry.volume.is_none() && !has_plugin(&entry.at.0);
        let broken = unwanted.iter().filter(is_broken).map(|entry| entry.at.1.clone());
        let mixed: BTreeSet<Str> = broken.chain(self.actual.nodes_to_report()).collect();
        let keys = |entry: &Entry| {
            let (name, node) = &entry.at;
            let of_node = mixed.contains(node).then_some(OrderKey::Node(node.clone()));
            let of_all = depends.then_some(OrderKey::All);
            [Some(OrderKey::Volume(name.clone())), of_node, of_all].into_iter().flatten().collect()
        };
        for entry in orders::pick(unwanted, keys, run.choices) {
            self.detach(&entry, &mut run);
        }
        let wanted: Vec<VolumeOnNode> = self.desired.all().map(|(at, _)| at).collect();
        // Only operations that are started keep others from being started.
        let keys = |(name, node): &VolumeOnNode| {
            let wanted = self.desired.get(name, node);
            let branch = wanted.map(|wanted| self.attach_branch(name, node, &wanted.volume, run.now));
            (branch == Some(AttachBranch::AttachStarted)).then(|| name.clone()).into_iter().collect()
        };
        for (name, node) in orders::pick(wanted, keys, run.choices) {
            self.attach(&name, &node, &mut run);
        }
        let keys = |_: &Str| depends.then_some(OrderKey::All).into_iter().collect();
        for node in orders::pick(self.actual.nodes_to_report(), keys, run.choices) {
            // The controller waits for no answer here: if the request fails, the next loop sends it again.
            let _ = self.report(&node, &mut run);
        }
        self.verify(view, now, out);
    }

    /// Returns the volume on the node as it is now.
    pub(super) fn entry(&self, at: VolumeOnNode) -> Entry {
        let (name, node) = &at;
        let (volume, is_in_use) = (self.actual.volume(name).cloned(), self.actual.is_in_use(name, node));
        Entry { at, volume, is_in_use }
    }

    /// Returns the first moment after this one at which a loop may do something that an earlier loop does not do, if
    /// nothing else changes until then: six minutes have passed, a back-off is over, or the attached volumes are
    /// checked.
    pub fn next_deadline(&self, now: Moment) -> Option<Moment> {
        let timeouts = self.actual.detach_requests().map(|since| since.after(MAX_WAIT_FOR_UNMOUNT + 1));
        let checks = self.flags.verify_period.map(|period| self.verified.after(period + 1));
        timeouts.chain(self.operations.retries()).chain(checks).filter(|moment| *moment > now).min()
    }

    /// Returns what a loop does with a volume that no pod on the node needs. Upstream: the first part of `reconcile`,
    /// 1.36.
    pub(super) fn detach_branch(&self, entry: &Entry, view: View<'_>, now: Moment) -> DetachBranch {
        let (name, node) = &entry.at;
        let key = key_of(name, entry.volume.as_ref(), node);
        if !self.operations.may_start(&key, &Work::Detach, now) {
            return DetachBranch::DetachBusy;
        }
        let found: Option<&Node> = view.find("", node);
        let is_ready = found.is_some_and(Node::is_ready);
        let is_out_of_service = found.is_some_and(Node::is_out_of_service);
        let has_expired =
            self.flags.force_detach_on_timeout && self.actual.detach_wait(name, node, now) > MAX_WAIT_FOR_UNMOUNT;
        let is_forced = is_out_of_service || (has_expired && !is_ready);
        match (has_expired, is_out_of_service) {
            _ if entry.is_in_use && !is_forced => DetachBranch::DetachWaitsForUnmount,
            _ if entry.volume.is_none() && !has_plugin(name) => DetachBranch::DetachUnknownPlugin,
            (true, _) => DetachBranch::DetachTimedOut,
            (false, true) => DetachBranch::DetachOutOfService,
            (false, false) => DetachBranch::DetachStarted,
        }
    }

    /// Detaches a volume that no pod on the node needs, if nothing is against it.
    fn detach(&mut self, entry: &Entry, run: &mut Loop<'_>) {
        let (name, node) = &entry.at;
        let branch = self.detach_branch(entry, run.view, run.now);
        // An operation may have ended since the loop began.
        if branch == DetachBranch::DetachBusy || self.actual.state(name, node) == AttachState::Detached {
            run.out.push(Action::Passed(DetachBranch::DetachBusy.into()));
            return;
        }
        self.actual.request_detach(name, node, run.now);
        let force = match branch {
            DetachBranch::DetachBusy | DetachBranch::DetachWaitsForUnmount => {
                run.out.push(Action::Passed(branch.into()));
                return;
            }
            DetachBranch::DetachTimedOut => Some(Force::Timeout),
            DetachBranch::DetachOutOfService => Some(Force::OutOfService),
            DetachBranch::DetachStarted | DetachBranch::DetachUnknownPlugin => None,
        };
        self.actual.report_no_longer(name, node);
        let is_written = self.report(node, run).is_ok();
        let leaf = if is_written { branch.into() } else { AttachStep::DetachNotReported.into() };
        run.out.push(Action::Passed(leaf));
        if !is_written || branch == DetachBranch::DetachUnknownPlugin || !self.start_detach(entry, force, run.now) {
            self.actual.report(name, node);
            return;
        }
        run.out.push(Action::Detach { volume: name.clone(), node: node.clone(), force });
    }

    /// Upstream: `DetachVolume` of the executor, 1.36.
    fn start_detach(&mut self, entry: &Entry, force: Option<Force>, now: Moment) -> bool {
        let (name, node) = entry.at.clone();
        let key = key_of(&name, entry.volume.as_ref(), &node);
        let volume = entry.volume.clone();
        let mut running = Running { work: Work::Detach, name, volume, node, pods: Vec::new(), step: Step::End(None) };
        running.step = self.detach_step(&running, force.is_none(), now);
        self.operations.start(key, Work::Detach, now, running).is_some()
    }

    /// Returns what a loop does with a volume that a pod on the node needs. Upstream: `attachDesiredVolumes`, 1.36.
    pub(super) fn attach_branch(&self, name: &str, node: &str, volume: &AttachableVolume, now: Moment) -> AttachBranch {
        let key = key_of(name, Some(volume), node);
        if self.operations.is_running(&key) {
            AttachBranch::AttachBusy
        } else if self.actual.state(name, node) == AttachState::Attached {
            AttachBranch::AttachDone
        } else if volume.exclusive && !self.actual.nodes_of(name).is_empty() {
            AttachBranch::AttachBlocked
        } else if self.operations.may_start(&key, &Work::Attach, now) {
            AttachBranch::AttachStarted
        } else {
            AttachBranch::AttachBackingOff
        }
    }

    /// Attaches a volume that a pod on the node needs, if nothing is against it.
    fn attach(&mut self, name: &Str, node: &Str, run: &mut Loop<'_>) {
        let now = run.now;
        let Some(wanted) = self.desired.get(name, node).cloned() else { return };
        let branch = self.attach_branch(name, node, &wanted.volume, now);
        run.out.push(Action::Passed(branch.into()));
        match branch {
            AttachBranch::AttachBusy | AttachBranch::AttachBackingOff => return,
            AttachBranch::AttachDone => return self.actual.reset_detach(name, node),
            AttachBranch::AttachBlocked => return self.report_blocked(name, node, &wanted, run),
            AttachBranch::AttachStarted => {}
        }
        let key = key_of(name, Some(&wanted.volume), node);
        let step = self.attach_step(run.view, &wanted.volume, node, now);
        let pods = wanted.pods.into_values().collect();
        let running = Running {
            work: Work::Attach,
            name: name.clone(),
            volume: Some(wanted.volume),
            node: node.clone(),
            pods,
            step,
        };
        if self.operations.start(key, Work::Attach, now, running).is_some() {
            run.out.push(Action::Attach { volume: name.clone(), node: node.clone() });
        }
    }

    /// Reports once that the volume is attached to another node. Upstream: `reportMultiAttachError`, 1.36.
    fn report_blocked(&mut self, name: &Str, node: &Str, wanted: &Wanted, run: &mut Loop<'_>) {
        if wanted.reported {
            return;
        }
        let others = self.actual.nodes_of(name);
        let users = others.iter().filter(|other| *other != node).filter_map(|other| self.desired.get(name, other));
        let users: Vec<PodName> = users.flat_map(|user| user.pods.values().cloned()).collect();
        for pod in wanted.pods.values() {
            let message = message("Multi-Attach error", Some(&wanted.volume), &blocked_by(pod, &users));
            events(run.out, [pod.clone()], true, "FailedAttachVolume", &message);
        }
        self.desired.set_reported(name, node);
    }

    /// Writes the status of a node if this is due. Upstream: `processNodeVolumes`, 1.36.
    ///
    /// # Errors
    /// Returns the refusal, unless the node does not exist.
    fn report(&mut self, node: &Str, run: &mut Loop<'_>) -> Result<(), Refusal> {
        let Some(volumes) = self.actual.take_report(node) else { return Ok(()) };
        if run.view.find::<Node>("", node).is_none() {
            run.out.push(AttachStep::NodeMissing.passed());
            return Ok(());
        }
        let refusal = run.api.patch_node(node);
        let refused = refusal.as_ref().map(|refusal| refusal.text().to_owned());
        let step = if refused.is_none() { AttachStep::NodeReported } else { AttachStep::NodeNotReported };
        run.out.push(step.passed());
        run.out.push(Action::SetAttached { node: node.clone(), volumes, refused });
        // Upstream wraps the error, so that it does not see that a node is gone.
        refusal.map_or(Ok(()), |refusal| {
            self.actual.report_again(node);
            Err(refusal)
        })
    }
}

/// What makes the order of two entries matter, if both have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum OrderKey {
    /// The same volume.
    Volume(Str),
    /// The same node.
    Node(Str),
    /// The order of all entries matters.
    All,
}

/// A volume that is or may be attached, as it is at the beginning of a loop.
pub(super) struct Entry {
    pub(super) at: VolumeOnNode,
    pub(super) volume: Option<AttachableVolume>,
    pub(super) is_in_use: bool,
}

/// Returns whether the controller has the plugin that the unique name of a volume states. Upstream: `SplitUniqueName`,
/// `pkg/volume/util`, 1.36.
fn has_plugin(name: &str) -> bool {
    let mut parts = name.splitn(3, '/');
    let plugin = (parts.next(), parts.next(), parts.next().is_some());
    matches!(plugin, (Some("kubernetes.io"), Some("csi" | "fc" | "iscsi"), true))
}

/// Returns who uses the volume on other nodes, in the words of the event about a pod. It names only pods of the pod's
/// namespace. The order of the names is not fixed. Upstream: `reportMultiAttachError`, 1.36.
fn blocked_by(pod: &PodName, users: &[PodName]) -> String {
    let names = users.iter().filter(|user| user.namespace == pod.namespace).map(|user| user.name.as_str());
    let names: Vec<&str> = names.collect();
    let others = users.len() - names.len();
    match (names.is_empty(), others) {
        (true, 0) => "Volume is already exclusively attached to one node and can't be attached to another".to_owned(),
        (true, others) => format!("Volume is already used by {others} pod(s) in different namespaces"),
        (false, 0) => format!("Volume is already used by pod(s) {}", names.join(", ")),
        (false, others) => {
            format!("Volume is already used by pod(s) {} and {others} pod(s) in different namespaces", names.join(", "))
        }
    }
}
