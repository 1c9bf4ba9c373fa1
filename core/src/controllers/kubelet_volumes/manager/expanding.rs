//! The expansion of volumes on the node. Upstream: `node_expander.go`, and `expandVolumeDuringMount`,
//! `nodeExpandVolume` and `legacyCallNodeExpandOnPlugin`, `operation_generator.go`, 1.36.

use super::call::{CallName, DriverError, ErrorKind, KubeletAction, Plugin, Running};
use super::{VolumeManager, Work};
use crate::controllers::kubelet_volumes::populate::storage;
use crate::controllers::kubelet_volumes::{ExpandBranch, KubeletVolumes, MountBranch, MountEvent};
use crate::controllers::pending_operations::{Key, Moment};
use crate::controllers::resizing::{
    NODE_ERROR, NODE_IN_PROGRESS, NODE_INFEASIBLE, NODE_PENDING, allocated, progress, true_condition,
};
use crate::model::{
    AccessMode, AnnotationKey, PersistentVolume, PersistentVolumeClaim, Quantity, ResourceVersion, Str,
};
use std::sync::Arc;

/// A volume that may have grown, as a pod needs it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Growing {
    pub(super) volume: Arc<PersistentVolume>,
    /// Whether the pod only reads the volume.
    pub(super) read_only: bool,
}

/// A change of the status of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimPatch {
    /// The namespace of the claim.
    pub namespace: Str,
    /// The name of the claim.
    pub name: Str,
    /// `status.capacity.storage`, if it changes.
    pub capacity: Option<Quantity>,
    /// `status.allocatedResourceStatuses.storage`, if it changes. It is empty if the entry is removed.
    pub progress: Option<&'static str>,
    /// The message of the condition `NodeResizeError`, if it is added.
    pub error: Option<String>,
    /// Whether all conditions about an expansion are removed.
    pub ends: bool,
    /// Whether the API server refuses the change, because the claim has changed in the meantime.
    pub is_refused: bool,
}

/// An expansion for which the driver is asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expansion {
    claim: ClaimCopy,
    /// The size that the volume gets.
    size: Quantity,
    /// Whether the status of the claim has the size already, because another node has expanded the volume.
    is_stored: bool,
    /// Whether the expansion is infeasible if it fails again, because the claim requests another size now.
    is_infeasible_on_failure: bool,
    /// Whether the resizer is so old that it does not store how far the expansion is.
    is_legacy: bool,
    /// Whether the volume was mounted before.
    is_online: bool,
}

/// What the kubelet knows of a claim.
#[derive(Clone, Debug, PartialEq)]
struct ClaimCopy {
    namespace: Str,
    name: Str,
    version: ResourceVersion,
    /// `status.capacity.storage`.
    capacity: Quantity,
    /// `status.allocatedResourceStatuses.storage`.
    progress: Str,
    /// Whether the condition `NodeResizeError` is `True`.
    has_failed: bool,
}

impl ClaimCopy {
    fn of(claim: &PersistentVolumeClaim) -> Self {
        Self {
            namespace: claim.meta.namespace.clone(),
            name: claim.meta.name.clone(),
            version: claim.meta.resource_version.clone(),
            capacity: storage(claim.status.storage()),
            progress: progress(claim).into(),
            has_failed: true_condition(claim, NODE_ERROR).is_some(),
        }
    }

    fn patch(&self) -> ClaimPatch {
        ClaimPatch {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            capacity: None,
            progress: None,
            error: None,
            ends: false,
            is_refused: false,
        }
    }
}

/// How an expansion begins.
enum Beginning {
    /// The driver is asked.
    Asked(Expansion),
    /// The driver is not asked.
    Ended(ExpansionEnd),
}

/// How an expansion ends: with an error, or without one. Then the volume has the size, if there is one.
type ExpansionEnd = Result<Option<Quantity>, String>;

impl VolumeManager {
    /// Expands a volume that is mounted for a pod, unless this failed a short time ago. Returns whether the operation
    /// has ended already.
    pub(super) fn start_expanding(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        volume: &Str,
        uid: &Str,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) -> bool {
        let Some(needed) = self.desired.get(volume) else { return false };
        let Some(by) = needed.pods.get(uid).cloned() else { return false };
        let desired = needed.size;
        let key = Key { volume: volume.clone(), part: None };
        let running = Running::for_pod(volume, uid, by, CallName::NodeExpand);
        let Some(at) = self.operations.start(key, Work::Expand, now, running.clone()) else { return false };
        match self.begin_expansion(kubelet, &running, Some(desired), out) {
            Beginning::Asked(expansion) => {
                self.ask_to_expand(at, &running, expansion, out);
                false
            }
            Beginning::Ended(end) => {
                self.end_online_expansion(at, &running, end, now, out);
                true
            }
        }
    }

    /// Expands a volume that has just been mounted, if this is necessary. Returns how this ends, or `None` if the
    /// driver is asked.
    pub(super) fn expand_mounted(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        at: usize,
        running: &Running,
        out: &mut Vec<KubeletAction>,
    ) -> Option<Result<(), String>> {
        if !running.spec.is_expandable() {
            return Some(Ok(()));
        }
        match self.begin_expansion(kubelet, running, None, out) {
            Beginning::Asked(expansion) => {
                self.ask_to_expand(at, running, expansion, out);
                None
            }
            Beginning::Ended(end) => Some(end.map(|_| ())),
        }
    }

    fn ask_to_expand(&mut self, at: usize, running: &Running, expansion: Expansion, out: &mut Vec<KubeletAction>) {
        let expansion = Some(Box::new(expansion));
        let running = Running { call: CallName::NodeExpand, expansion, ..running.clone() };
        out.push(KubeletAction::Call { volume: running.volume.clone(), call: running.driver_call() });
        self.operations.all[at].running = Some(running);
    }

    /// Begins an expansion. `desired` is the size that a mounted volume must have. It is `None` for a volume that has
    /// just been mounted.
    fn begin_expansion(
        &self,
        kubelet: &KubeletVolumes<'_>,
        running: &Running,
        desired: Option<Quantity>,
        out: &mut Vec<KubeletAction>,
    ) -> Beginning {
        let Some(growing) = &running.growing else { return Beginning::Ended(Ok(None)) };
        let Some(named) = &growing.volume.claim_ref else { return Beginning::Ended(Ok(None)) };
        let Some(claim) = kubelet.view.find::<PersistentVolumeClaim>(&named.namespace, &named.name) else {
            out.push(KubeletAction::Decided(ExpandBranch::ExpandClaimUnread.into()));
            let error = not_found(&named.name);
            return Beginning::Ended(Err(format!("mountVolume.NodeExpandVolume get PVC failed : {error}")));
        };
        let copy = ClaimCopy::of(claim);
        let capacity = storage(growing.volume.storage());
        let is_online = desired.is_some();
        let size = match desired {
            Some(desired) => desired,
            None if copy.capacity.compare(&capacity).is_lt() => capacity,
            None => return Beginning::Ended(Ok(None)),
        };
        if growing.read_only {
            out.push(KubeletAction::Decided(ExpandBranch::ExpandReadOnly.into()));
            let message = format!(
                "MountVolume.NodeExpandVolume failed for volume \"{}\" requested read-only file system",
                running.spec.name
            );
            let event = MountEvent { is_warning: true, reason: "FileSystemResizeFailed", message };
            record(running, &copy.name, &event, out);
            return Beginning::Ended(Ok(Some(copy.capacity)));
        }
        let (progress, allocated) = (progress(claim), allocated(claim));
        if progress.is_empty() && allocated.is_none() {
            out.push(KubeletAction::Decided(ExpandBranch::ExpandWithoutProgress.into()));
            return Beginning::Asked(Expansion {
                claim: copy,
                size,
                is_stored: false,
                is_infeasible_on_failure: false,
                is_legacy: true,
                is_online,
            });
        }
        let size = allocated.unwrap_or(Quantity::ZERO);
        let is_stored = copy.capacity.compare(&size).is_ge() && progress.is_empty();
        let is_elsewhere = is_stored
            && claim.access_modes.0.contains(&AccessMode::ReadWriteMany)
            && claim.meta.annotations.get(AnnotationKey::NodeExpansionNotRequired).is_none();
        if !is_elsewhere && ![NODE_PENDING, NODE_IN_PROGRESS].contains(&progress) {
            let leaf = if is_stored { ExpandBranch::ExpandDone } else { ExpandBranch::ExpandWaits };
            out.push(KubeletAction::Decided(leaf.into()));
            return Beginning::Ended(Ok(is_stored.then_some(size)));
        }
        let request = storage(claim.request.as_ref().map(|request| &request.quantity));
        let is_infeasible_on_failure =
            !request.compare(&size).is_eq() && self.failed_expansions.contains(&running.volume);
        let is_legacy = false;
        let mut expansion = Expansion { claim: copy, size, is_stored, is_infeasible_on_failure, is_legacy, is_online };
        if is_stored {
            out.push(KubeletAction::Decided(ExpandBranch::ExpandOnFurtherNode.into()));
        } else {
            out.push(KubeletAction::Decided(ExpandBranch::ExpandStarted.into()));
            let mut patch = expansion.claim.patch();
            patch.progress = (progress != NODE_IN_PROGRESS).then_some(NODE_IN_PROGRESS);
            out.push(KubeletAction::Store(patch));
            expansion.claim.progress = NODE_IN_PROGRESS.into();
        }
        Beginning::Asked(expansion)
    }

    /// The driver has answered whether it has expanded a volume.
    pub(super) fn end_expansion(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        at: usize,
        running: &Running,
        answer: Result<(), &DriverError>,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let Some(expansion) = &running.expansion else { return };
        let end = match answer {
            Ok(()) => expanded(kubelet, running, expansion, out),
            Err(error) => self.fail_expansion(running, expansion, error, kubelet, out),
        };
        if expansion.is_online {
            self.end_online_expansion(at, running, end, now, out);
        } else {
            self.end_mounting(at, running, end.map(|_| ()), now, out);
        }
    }

    fn fail_expansion(
        &mut self,
        running: &Running,
        expansion: &Expansion,
        error: &DriverError,
        kubelet: &KubeletVolumes<'_>,
        out: &mut Vec<KubeletAction>,
    ) -> ExpansionEnd {
        let is_done = error.kind == ErrorKind::Unsupported && (expansion.is_legacy || expansion.is_stored);
        if is_done {
            out.push(KubeletAction::Decided(ExpandBranch::ExpandUnsupported.into()));
            return Ok(Some(expansion.size));
        }
        let (text, is_final) = wrapped(&running.spec.plugin, error);
        let is_recorded = is_final && !expansion.is_legacy;
        if is_recorded {
            self.failed_expansions.insert(running.volume.clone());
            let is_infeasible = error.kind == ErrorKind::Infeasible || expansion.is_infeasible_on_failure;
            let claim = &expansion.claim;
            let mut patch = claim.patch();
            patch.error = (!claim.has_failed).then(|| format!("failed to expand pvc with {text}"));
            patch.progress = (is_infeasible && claim.progress != NODE_INFEASIBLE).then_some(NODE_INFEASIBLE);
            if kubelet.view.find::<PersistentVolumeClaim>(&claim.namespace, &claim.name).is_some() {
                out.push(KubeletAction::Store(patch));
            }
            let leaf = if is_infeasible { ExpandBranch::ExpandInfeasible } else { ExpandBranch::ExpandFailed };
            out.push(KubeletAction::Decided(leaf.into()));
        }
        if error.kind == ErrorKind::InUse {
            self.actual.refuse_expansion(&running.volume);
            out.push(KubeletAction::Decided(ExpandBranch::ExpandInUse.into()));
            return Ok(expansion.is_legacy.then_some(expansion.size));
        }
        if !is_recorded {
            out.push(KubeletAction::Decided(ExpandBranch::ExpandUncertain.into()));
        }
        Err(text)
    }

    /// Stores the end of an expansion of a volume that was mounted before. Upstream: `doOnlineExpansion`, 1.36.
    fn end_online_expansion(
        &mut self,
        at: usize,
        running: &Running,
        end: ExpansionEnd,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let failed = match end {
            Ok(None) => None,
            Ok(Some(size)) => {
                let is_there = self.actual.resize(&running.volume, size);
                (!is_there).then(|| ("MarkVolumeAsResized", "unable to mark volume as resized".to_owned()))
            }
            Err(error) => Some(("NodeExpandVolume", error)),
        };
        self.finish(at, failed.is_some(), now, out);
        if let Some((step, error)) = failed {
            let message = format!("NodeExpandVolume.{step} failed for volume \"{}\" : {error}", running.spec.name);
            let event = MountEvent { is_warning: true, reason: "VolumeResizeFailed", message };
            out.push(KubeletAction::Event(running.pod.clone(), event));
        }
    }

    /// Stores the end of a mount whose calls have all succeeded, and of the expansion after it.
    pub(super) fn end_mounting(
        &mut self,
        at: usize,
        running: &Running,
        expanded: Result<(), String>,
        now: Moment,
        out: &mut Vec<KubeletAction>,
    ) {
        let Running { volume, uid, pod, spec, .. } = running;
        let leaf = if expanded.is_ok() { MountBranch::MountSucceeded } else { MountBranch::MountNotExpanded };
        self.actual.mount(volume, uid, spec, expanded.is_ok());
        self.finish(at, expanded.is_err(), now, out);
        out.push(KubeletAction::Decided(leaf.into()));
        if let Err(error) = expanded {
            let event = MountEvent::of(leaf, spec.mode.is_block(), &spec.name, &error);
            out.extend(event.map(|event| KubeletAction::Event(pod.clone(), event)));
        }
    }
}

/// The driver has expanded a volume: the claim gets the size.
fn expanded(
    kubelet: &KubeletVolumes<'_>,
    running: &Running,
    expansion: &Expansion,
    out: &mut Vec<KubeletAction>,
) -> ExpansionEnd {
    let Expansion { claim, size, is_legacy, .. } = expansion;
    let (volume, node) = (&running.spec.name, &kubelet.node.meta.name);
    let message = format!("MountVolume.NodeExpandVolume succeeded for volume \"{volume}\" {node}");
    let event = MountEvent { is_warning: false, reason: "FileSystemResizeSuccessful", message };
    record(running, &claim.name, &event, out);
    let has_size = if *is_legacy { claim.capacity.compare(size).is_ge() } else { expansion.is_stored };
    if has_size {
        out.push(KubeletAction::Decided(ExpandBranch::ExpandSucceeded.into()));
        return Ok(Some(*size));
    }
    let current = kubelet.view.find::<PersistentVolumeClaim>(&claim.namespace, &claim.name);
    let is_refused = current.is_some_and(|current| current.meta.resource_version != claim.version);
    if current.is_some() {
        out.push(KubeletAction::Store(ClaimPatch {
            capacity: (claim.capacity != *size).then_some(*size),
            progress: (!claim.progress.is_empty()).then_some(""),
            ends: true,
            is_refused,
            ..claim.patch()
        }));
    }
    if current.is_some() && !is_refused {
        out.push(KubeletAction::Decided(ExpandBranch::ExpandSucceeded.into()));
        return Ok(Some(*size));
    }
    out.push(KubeletAction::Decided(ExpandBranch::ExpandNotStored.into()));
    let name = &claim.name;
    let cause = if is_refused {
        let cause = "the object has been modified";
        format!("Operation cannot be fulfilled on persistentvolumeclaims \"{name}\": {cause}")
    } else {
        not_found(name)
    };
    let words = if *is_legacy { "PVC status failed " } else { "pvc status failed" };
    let error = format!("patchPVCStatus failed to patch PVC \"{name}\": {cause}");
    Err(format!("mountVolume.NodeExpandVolume update {words}: {error}"))
}

/// Returns the error of a driver as the plugin returns it, and whether the kubelet takes it as final. The plugin of CSI
/// wraps it, so that the kubelet does not see that the driver may go on. Upstream: `nodeExpandWithClient`,
/// `pkg/volume/csi`, and `IsOperationFinishedError`, 1.36.
fn wrapped(plugin: &Plugin, error: &DriverError) -> (String, bool) {
    let failed = "Expander.NodeExpand failed to expand the volume";
    let text = &error.text;
    match (plugin, error.kind) {
        (_, ErrorKind::Transient) => (text.clone(), false),
        (_, ErrorKind::Unsupported) => (text.clone(), true),
        (Plugin::Csi(_), ErrorKind::Infeasible) => (format!("{failed} {text}"), true),
        (Plugin::Csi(_), _) => (format!("{failed} : {text}"), true),
        (_, kind) => (text.clone(), kind != ErrorKind::Uncertain),
    }
}

/// Records an event about the pod and about the claim.
fn record(running: &Running, claim: &Str, event: &MountEvent, out: &mut Vec<KubeletAction>) {
    out.push(KubeletAction::Event(running.pod.clone(), event.clone()));
    out.push(KubeletAction::ClaimEvent(claim.clone(), event.clone()));
}

fn not_found(claim: &str) -> String {
    format!("persistentvolumeclaims \"{claim}\" not found")
}
