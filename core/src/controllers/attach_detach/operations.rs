//! The operations of the controller: attaching or detaching one volume. Operations with keys that match do not run at
//! the same time. Upstream: `pkg/volume/util/nestedpendingoperations`, and the operations in
//! `pkg/volume/util/operationexecutor`, 1.36.

use super::attachment::{detach_error, is_attached};
use super::{
    ATTACHER_TIMEOUT, Action, ApiAnswers, AttachDetach, AttachStep, AttachableVolume, CSI_PREFIX, Moment, Plugin,
    PodName, Refusal, attachment_name,
};
use crate::controllers::pending_operations::{Key, PendingOperation, PendingOperations};
use crate::model::{Node, Str, VolumeAttachment};
use crate::world::{Choices, View};

/// The operations that run, and those that failed.
pub(super) type Operations = PendingOperations<Work, Running>;

type Operation = PendingOperation<Work, Running>;

/// Returns the key of an operation. An exclusive volume has one operation in the whole cluster. A volume that is not
/// known counts as shared. Upstream: `AttachVolume` and `DetachVolume` of the executor, 1.36.
pub(super) fn key_of(name: &str, volume: Option<&AttachableVolume>, node: &str) -> Key {
    let is_exclusive = volume.is_some_and(|volume| volume.exclusive);
    Key { volume: name.into(), part: (!is_exclusive).then(|| node.into()) }
}

/// The two kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Attach,
    Detach,
}

/// An operation that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Running {
    pub(super) work: Work,
    /// The unique name of the volume.
    pub(super) name: Str,
    pub(super) volume: Option<AttachableVolume>,
    pub(super) node: Str,
    /// The pods that needed the volume when the operation was started.
    pub(super) pods: Vec<PodName>,
    pub(super) step: Step,
}

/// What an operation does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It ends. The value is `None` if it is done, or the reason why it failed.
    End(Option<Failure>),
    /// It reads the node at this moment, to find out whether the node still uses the volume.
    GetNode(Moment),
    /// It creates the VolumeAttachment at this moment.
    Create(Moment),
    /// It deletes the VolumeAttachment at this moment.
    Delete(Moment),
    /// It waits for the attacher, until this moment at the latest.
    Wait(Moment),
    /// It ends at this moment, because there is nothing to ask or to wait for. The value is that of [`Self::End`].
    Pass(Moment, Option<Failure>),
}

impl Step {
    /// Returns the leaf that the operation passes when it goes on.
    fn leaf(&self) -> Option<AttachStep> {
        match self {
            Self::GetNode(_) => Some(AttachStep::OperationReadsNode),
            Self::Create(_) => Some(AttachStep::OperationCreates),
            Self::Delete(_) => Some(AttachStep::OperationDeletes),
            Self::Wait(_) => Some(AttachStep::OperationLooks),
            Self::End(_) | Self::Pass(..) => None,
        }
    }
}

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The first words of the event.
    pub(super) prefix: &'static str,
    /// The rest of the event. It is empty if upstream has no error.
    pub(super) error: String,
}

impl Failure {
    fn of_plugin(error: String) -> Self {
        Self { prefix: "AttachVolume.Attach failed", error }
    }
}

impl AttachDetach {
    /// Returns the next moment at which an operation or a check goes on by itself.
    pub fn next_step(&self) -> Option<Moment> {
        let moment = |operation: &Operation| match operation.running.as_ref()?.step {
            Step::GetNode(at) | Step::Create(at) | Step::Delete(at) | Step::Wait(at) | Step::Pass(at, _) => Some(at),
            Step::End(_) => None,
        };
        self.operations.all.iter().filter_map(moment).chain(self.checks.iter().map(|check| check.at)).min()
    }

    /// Runs the steps of operations that are due. Their order is not fixed. A choice is made only if it matters to the
    /// API server.
    pub fn run_steps(
        &mut self,
        view: View<'_>,
        now: Moment,
        api: &mut dyn ApiAnswers,
        choices: &mut Choices,
        out: &mut Vec<Action>,
    ) {
        loop {
            let due: Vec<usize> = self.due(now).collect();
            let picked = if api.depends_on_order() { choices.pick(due.len()) } else { 0 };
            let Some(&at) = due.get(picked) else { break };
            let operation = &mut self.operations.all[at];
            let Some(running) = &mut operation.running else { continue };
            out.extend(running.step.leaf().map(AttachStep::passed));
            running.step = match running.step {
                Step::GetNode(_) => read_node(view, running, now.after(self.flags.latency), api, out),
                Step::Create(_) => create(view, running, now, api, out),
                Step::Delete(_) => delete(view, running, now, api, out),
                Step::Wait(_) => Step::End(Some(timeout(running))),
                Step::Pass(_, ref failure) => Step::End(failure.clone()),
                Step::End(_) => continue,
            };
            self.end(at, view, now, out);
        }
        self.run_checks(view, now, api, choices, out);
    }

    /// Returns the operations with a step that is due.
    fn due(&self, now: Moment) -> impl Iterator<Item = usize> {
        let is_due = move |operation: &Operation| match operation.running.as_ref().map(|running| &running.step) {
            Some(Step::GetNode(at) | Step::Create(at) | Step::Delete(at) | Step::Wait(at) | Step::Pass(at, _)) => {
                *at <= now
            }
            Some(Step::End(_)) | None => false,
        };
        (0..self.operations.all.len()).filter(move |at| is_due(&self.operations.all[*at]))
    }

    /// An operation that waits for the attacher looks at its VolumeAttachment. Upstream does this at intervals that are
    /// partly random. Upstream: `waitForVolumeAttachmentWithLister` and `waitForVolumeDetachmentWithLister`, 1.36.
    pub fn poll(&mut self, view: View<'_>, attachment: &str, now: Moment, out: &mut Vec<Action>) {
        let is_it = |operation: &Operation| {
            let running = operation.running.as_ref();
            running.is_some_and(|running| {
                matches!(running.step, Step::Wait(_)) && running.attachment().is_some_and(|name| name == attachment)
            })
        };
        let Some(at) = self.operations.all.iter().position(is_it) else { return };
        let found = view.find::<VolumeAttachment>("", attachment);
        let Some(running) = &mut self.operations.all[at].running else { return };
        out.push(AttachStep::OperationLooks.passed());
        match (running.work, found.map(is_attached), found) {
            (Work::Attach, Some(Ok(true)), _) | (Work::Detach, _, None) => running.step = Step::End(None),
            (Work::Attach, Some(Err(error)), _) => running.step = Step::End(Some(Failure::of_plugin(error))),
            (Work::Attach, Some(Ok(false)) | None, _) => {}
            (Work::Detach, _, Some(found)) => {
                if let Some(error) = detach_error(found) {
                    running.step = Step::End(Some(Failure::of_plugin(error)));
                }
            }
        }
        self.end(at, view, now, out);
    }

    /// Ends the operation if nothing is left to do.
    fn end(&mut self, at: usize, view: View<'_>, now: Moment, out: &mut Vec<Action>) {
        let operation = &mut self.operations.all[at];
        let Some(Running { work, name, volume, node, pods, step: Step::End(failure) }) = operation.running.clone()
        else {
            return;
        };
        let mut is_failed = failure.is_some();
        out.push(match (work, &failure) {
            (Work::Attach, None) => AttachStep::AttachSucceeded.passed(),
            (Work::Attach, Some(_)) => AttachStep::AttachFailedUncertain.passed(),
            (Work::Detach, None) => AttachStep::DetachSucceeded.passed(),
            (Work::Detach, Some(_)) => AttachStep::DetachFailed.passed(),
        });
        match (work, failure) {
            (Work::Attach, None) => {
                let succeeded = message("AttachVolume.Attach succeeded", volume.as_ref(), "");
                events(out, pods.clone(), false, "SuccessfulAttachVolume", &succeeded);
                let lost = volume.as_ref().filter(|volume| self.flags.looks_again && !volume.needs_attaching(view));
                if let Some(lost) = lost {
                    is_failed = true;
                    out.push(AttachStep::AttachFailedUncertain.passed());
                    let why = format!(
                        ": failed to get AttachablePlugin from volumeSpec for volume {:?} err=plugin do not support \
                         attachment",
                        lost.name
                    );
                    let message = message("AttachVolume.MarkVolumeAsAttached failed", volume.as_ref(), &why);
                    events(out, pods, true, "FailedAttachVolume", &message);
                } else {
                    self.actual.set_attached(&name, volume, &node);
                }
            }
            (Work::Attach, Some(failure)) => {
                let suffix = if failure.error.is_empty() { String::new() } else { format!(": {}", failure.error) };
                let message = message(failure.prefix, volume.as_ref(), &suffix);
                events(out, pods, true, "FailedAttachVolume", &message);
                if failure.prefix == "AttachVolume.Attach failed" {
                    self.actual.set_uncertain(&name, volume, &node);
                }
            }
            (Work::Detach, None) => self.actual.set_detached(&name, &node),
            (Work::Detach, Some(_)) => self.actual.set_uncertain(&name, volume, &node),
        }
        if is_failed {
            out.push(AttachStep::OperationFailed.passed());
        }
        self.operations.finish(at, is_failed, now);
    }

    /// Returns the first step of attaching a volume. Upstream: `GenerateAttachVolumeFunc` and `Attach` of the plugins,
    /// 1.36.
    pub(super) fn attach_step(&self, view: View<'_>, volume: &AttachableVolume, node: &str, now: Moment) -> Step {
        if !volume.needs_attaching(view) {
            let prefix = "AttachVolume.FindAttachablePluginBySpec failed";
            return Step::Pass(now.after(self.flags.latency), Some(Failure { prefix, error: String::new() }));
        }
        match volume.attachment_on(node) {
            None => Step::Pass(now.after(self.flags.latency), None),
            Some((name, _)) if view.find::<VolumeAttachment>("", &name).is_some() => {
                Step::Wait(now.after(ATTACHER_TIMEOUT))
            }
            Some(_) => Step::Create(now.after(self.flags.latency)),
        }
    }

    /// Returns the first step of detaching a volume. Upstream: `GenerateDetachVolumeFunc`, 1.36.
    pub(super) fn detach_step(&self, running: &Running, check: bool, now: Moment) -> Step {
        let next = now.after(self.flags.latency);
        match detach(running, next) {
            _ if check => Step::GetNode(next),
            Step::End(failure) => Step::Pass(next, failure),
            step => step,
        }
    }
}

impl Running {
    /// Returns the name of the VolumeAttachment of the operation.
    fn attachment(&self) -> Option<Str> {
        attachment_of(self.volume.as_ref(), &self.name, &self.node)
    }
}

/// Returns the name of the VolumeAttachment of a volume on a node. The unique name tells it if the volume is not known.
pub(super) fn attachment_of(volume: Option<&AttachableVolume>, unique: &str, node: &str) -> Option<Str> {
    if let Some(volume) = volume {
        return volume.attachment_name_on(node);
    }
    let (driver, handle) = driver_and_handle(unique.strip_prefix(CSI_PREFIX)?)?;
    Some(attachment_name(handle, driver, node))
}

/// Returns the unique name of a CSI volume without its handle. The unique name of any other volume stays as it is, and
/// so does that of a volume that is never detached because of its handle.
pub(super) fn without_handle(unique: &str) -> Str {
    let named = unique.strip_prefix(CSI_PREFIX).and_then(driver_and_handle);
    named.map_or_else(|| unique.into(), |(driver, _)| format!("{CSI_PREFIX}{driver}^").into())
}

/// Returns the driver and the handle of a CSI volume. Upstream: `Detach`, `pkg/volume/csi`, 1.36.
fn driver_and_handle(name: &str) -> Option<(&str, &str)> {
    let (driver, handle) = name.split_once('^')?;
    (!handle.contains('^')).then_some((driver, handle))
}

/// Returns the step that detaches the volume with its plugin.
fn detach(running: &Running, at: Moment) -> Step {
    let csi = match &running.volume {
        Some(AttachableVolume { plugin: Plugin::Csi { driver, handle }, .. }) => Some(format!("{driver}^{handle}")),
        Some(_) => None,
        None => running.name.strip_prefix(CSI_PREFIX).map(str::to_owned),
    };
    match csi.as_deref().map(driver_and_handle) {
        Some(Some(_)) => Step::Delete(at),
        Some(None) => Step::End(Some(Failure::of_plugin("volumeName missing expected data".to_owned()))),
        None => Step::End(None),
    }
}

/// Upstream: `verifyVolumeIsSafeToDetach`, 1.36.
fn read_node(view: View<'_>, running: &Running, next: Moment, api: &mut dyn ApiAnswers, out: &mut Vec<Action>) -> Step {
    let node: Option<&Node> = view.find("", &running.node);
    let absent = || Refusal::NotFound(format!("nodes \"{}\" not found", running.node));
    let refusal = api.get_node(&running.node).or_else(|| node.is_none().then(absent));
    let refused = refusal.as_ref().map(|refusal| refusal.text().to_owned());
    out.push(Action::GetNode { name: running.node.clone(), refused });
    match (refusal, node) {
        (Some(Refusal::NotFound(_)), _) => detach(running, next),
        (Some(refusal), _) => Step::End(Some(Failure::of_plugin(refusal.text().to_owned()))),
        (None, Some(node)) if node.volumes_in_use.contains(&running.name) => {
            Step::End(Some(Failure::of_plugin("volume is still in use by node, according to Node status".to_owned())))
        }
        (None, _) => detach(running, next),
    }
}

/// Upstream: `Attach`, `pkg/volume/csi`, 1.36.
fn create(view: View<'_>, running: &Running, now: Moment, api: &mut dyn ApiAnswers, out: &mut Vec<Action>) -> Step {
    let Some(volume) = &running.volume else { return Step::End(None) };
    let Some((name, driver)) = volume.attachment_on(&running.node) else { return Step::End(None) };
    let exists = || Refusal::AlreadyExists(format!("volumeattachments.storage.k8s.io \"{name}\" already exists"));
    let found = view.find::<VolumeAttachment>("", &name).is_some();
    let refusal = api.create_attachment(&name).or_else(|| found.then(exists));
    out.push(Action::CreateAttachment {
        name: name.clone(),
        attacher: driver.clone(),
        node: running.node.clone(),
        volume: (!volume.inline).then(|| volume.name.clone()),
        refused: refusal.as_ref().map(|refusal| refusal.text().to_owned()),
    });
    match refusal {
        None | Some(Refusal::AlreadyExists(_)) => Step::Wait(now.after(ATTACHER_TIMEOUT)),
        Some(refusal) => {
            let error = format!("kubernetes.io/csi: attacher.Attach failed: {}", refusal.text());
            Step::End(Some(Failure::of_plugin(error)))
        }
    }
}

/// Upstream: `Detach`, `pkg/volume/csi`, 1.36.
fn delete(view: View<'_>, running: &Running, now: Moment, api: &mut dyn ApiAnswers, out: &mut Vec<Action>) -> Step {
    let Some(name) = running.attachment() else { return Step::End(None) };
    let absent = || Refusal::NotFound(format!("volumeattachments.storage.k8s.io \"{name}\" not found"));
    let found = view.find::<VolumeAttachment>("", &name).is_some();
    let refusal = api.delete_attachment(&name).or_else(|| (!found).then(absent));
    let refused = refusal.as_ref().map(|refusal| refusal.text().to_owned());
    out.push(Action::DeleteAttachment { name, refused });
    match refusal {
        None => Step::Wait(now.after(ATTACHER_TIMEOUT)),
        Some(Refusal::NotFound(_)) => Step::End(None),
        Some(refusal) => Step::End(Some(Failure::of_plugin(refusal.text().to_owned()))),
    }
}

/// Upstream: `waitForVolumeAttachDetachStatusWithLister`, 1.36.
fn timeout(running: &Running) -> Failure {
    let (driver, handle) = match running.volume.as_ref().map(|volume| &volume.plugin) {
        Some(Plugin::Csi { driver, handle }) => (driver.as_str(), handle.as_str()),
        _ => ("unknown", ""),
    };
    Failure::of_plugin(match running.work {
        Work::Attach => {
            format!("timed out waiting for external-attacher of {driver} CSI driver to attach volume {handle}")
        }
        Work::Detach => {
            format!("timed out waiting for external-attacher of unknown CSI driver to detach volume {handle}")
        }
    })
}

/// Returns the text of an event about a volume. Upstream: `generateVolumeMsg`, 1.36.
pub(super) fn message(prefix: &str, volume: Option<&AttachableVolume>, suffix: &str) -> String {
    let name = volume.map_or("nil", |volume| &volume.name);
    format!("{prefix} for volume \"{name}\" {suffix}")
}

/// Records an event about each pod.
pub(super) fn events(
    out: &mut Vec<Action>,
    pods: impl IntoIterator<Item = PodName>,
    warning: bool,
    reason: &'static str,
    message: &str,
) {
    out.extend(pods.into_iter().map(|pod| Action::Event { pod, warning, reason, message: message.to_owned() }));
}
