//! The desired state: which volumes which pods need. Upstream: `cache/desired_state_of_world.go` and
//! `populator/desired_state_of_world_populator.go`, 1.36.

use super::VolumeManager;
use super::call::{KubeletAction, Mode, Plugin, Spec};
use crate::controllers::kubelet_volumes::mount::needs_attaching;
use crate::controllers::kubelet_volumes::populate::{Populated, Wanted, storage};
use crate::controllers::kubelet_volumes::{KubeletVolumes, PopulatorBranch, VolumeStep};
use crate::controllers::scheduler::reads::Reads;
use crate::model::{CsiDriver, PersistentVolume, Pod, Quantity, SourceKind, Str};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The largest number of different errors of a pod. Upstream: `maxPodErrors` and `AddErrorToPod`, 1.36.
pub(in super::super) const MOST_ERRORS: usize = 11;

/// The volumes that pods need, by their unique names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Desired {
    volumes: BTreeMap<Str, Needed>,
    /// The errors of pods that nobody has taken yet, by the uids of the pods.
    errors: BTreeMap<Str, BTreeSet<String>>,
    /// The pods that the populator has seen, by their uids. The value is `false` if it looks at the pod again.
    processed: BTreeMap<Str, bool>,
}

/// A volume that pods need.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Needed {
    /// Whether the volume has to be attached.
    pub(super) attachable: bool,
    /// Whether all pods share one mount of the device.
    pub(super) shared: bool,
    /// Whether the kubelet has reported the volume in `status.volumesInUse`.
    pub(super) reported: bool,
    /// The size that the volume must have.
    pub(super) size: Quantity,
    /// The pods, by their uids.
    pub(super) pods: BTreeMap<Str, NeededBy>,
}

/// A pod that needs a volume.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NeededBy {
    /// The name of the pod.
    pub(super) pod: Str,
    pub(super) spec: Spec,
    pub(super) volume: Arc<PersistentVolume>,
    /// Whether the pod only reads the volume.
    pub(super) read_only: bool,
    /// The names of the volume in the pod.
    names: Vec<Str>,
}

/// A pod of the node.
#[derive(Clone, Copy, Debug)]
pub struct KnownPod<'p> {
    /// The pod.
    pub pod: &'p Pod,
    /// What has become of its containers.
    pub state: PodState,
}

/// What has become of the containers of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodState {
    /// They run, or will be started.
    Running,
    /// They are being stopped.
    Terminating,
    /// All of them have ended.
    Ended,
}

impl Desired {
    /// Returns the unique names of the volumes that have to be attached.
    pub(super) fn attachable(&self) -> impl Iterator<Item = &Str> {
        self.volumes.iter().filter(|(_, volume)| volume.attachable).map(|(name, _)| name)
    }

    pub(super) fn report(&mut self, in_use: &BTreeSet<Str>) {
        for (name, volume) in &mut self.volumes {
            volume.reported = in_use.contains(name);
        }
    }

    /// Returns the unique names of the volumes.
    pub(super) fn names(&self) -> Vec<Str> {
        self.volumes.keys().cloned().collect()
    }

    pub(super) fn get(&self, volume: &str) -> Option<&Needed> {
        self.volumes.get(volume)
    }

    /// Returns whether a pod needs a volume.
    pub(super) fn has(&self, volume: &str, pod: &str) -> bool {
        self.volumes.get(volume).is_some_and(|needed| needed.pods.contains_key(pod))
    }

    /// Returns whether a pod needs the PersistentVolume with this name. Upstream: `VolumeExistsWithSpecName`, 1.36.
    pub(super) fn has_named(&self, name: &str, pod: &str) -> bool {
        self.volumes.values().any(|needed| needed.pods.get(pod).is_some_and(|by| by.spec.name == name))
    }

    /// Returns the unique name of each volume of a pod, by its name in the pod.
    pub(super) fn of_pod(&self, pod: &str) -> BTreeMap<&Str, &Str> {
        let mut all = BTreeMap::new();
        for (name, needed) in &self.volumes {
            let names = needed.pods.get(pod).into_iter().flat_map(|by| &by.names);
            all.extend(names.map(|inner| (inner, name)));
        }
        all
    }

    /// The populator looks at the pod again.
    pub(super) fn reprocess(&mut self, pod: &Str) {
        self.processed.insert(pod.clone(), false);
    }

    /// Returns the errors of a pod, and removes them.
    pub(super) fn take_errors(&mut self, pod: &str) -> BTreeSet<String> {
        self.errors.remove(pod).unwrap_or_default()
    }

    fn add_error(&mut self, pod: &Str, error: &str) {
        let errors = self.errors.entry(pod.clone()).or_default();
        if errors.len() < MOST_ERRORS {
            errors.insert(error.to_owned());
        }
    }

    /// Adds a volume of a pod, and returns its unique name. Upstream: `AddPodToVolume` and `checkVolumeFSResize`, 1.36.
    fn add(&mut self, pod: &Pod, populated: &Populated<'_>, wanted: &Wanted<'_>, attachable: bool) -> Str {
        let is_plain =
            matches!(&wanted.volume.source.kind, SourceKind::Other(field) if field == "fc" || field == "iscsi");
        let mode = match (wanted.is_block, is_plain) {
            (false, _) => Mode::Files,
            (true, false) => Mode::Block,
            (true, true) => Mode::PlainBlock,
        };
        let plugin = match &wanted.driver {
            Some(driver) => Plugin::Csi(driver.clone()),
            None if wanted.volume.source.kind == SourceKind::Local => Plugin::Local,
            None => Plugin::Other,
        };
        let spec = Spec { name: wanted.volume.meta.name.clone(), mode, plugin };
        let name = unique_name(wanted.shared.as_ref(), &pod.meta.uid, &spec.name);
        let volume = self.volumes.entry(name.clone()).or_insert_with(|| Needed {
            attachable,
            shared: wanted.shared.is_some(),
            reported: false,
            size: storage(wanted.volume.storage()),
            pods: BTreeMap::new(),
        });
        if let Some(sizes) = populated.sizes {
            volume.size = sizes.volume;
        }
        let mut names = volume.pods.remove(&pod.meta.uid).map(|by| by.names).unwrap_or_default();
        if !names.contains(&populated.name) {
            names.push(populated.name.clone());
        }
        let (read_only, stored) = (wanted.read_only, Arc::new(wanted.volume.clone()));
        let needed = NeededBy { pod: pod.meta.name.clone(), spec, volume: stored, read_only, names };
        volume.pods.insert(pod.meta.uid.clone(), needed);
        name
    }

    /// Upstream: `DeletePodFromVolume`, 1.36.
    fn remove(&mut self, volume: &str, pod: &str) {
        self.errors.remove(pod);
        if let Some(needed) = self.volumes.get_mut(volume) {
            needed.pods.remove(pod);
            if needed.pods.is_empty() {
                self.volumes.remove(volume);
            }
        }
    }
}

/// Returns the name of the entry of a volume. A volume without a shared device has an entry for each pod.
pub(super) fn unique_name(shared: Option<&Str>, pod: &str, volume: &str) -> Str {
    shared.cloned().unwrap_or_else(|| format!("{pod}-{volume}").into())
}

impl VolumeManager {
    /// The populator looks at all pods of the node, in the order of the kubelet. `dropped` are the uids of pods that
    /// were deleted although not all of their containers have ended. Upstream: `populatorLoop`, 1.36.
    pub fn populate(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        pods: &[KnownPod<'_>],
        dropped: &BTreeSet<Str>,
        out: &mut Vec<KubeletAction>,
    ) {
        for known in pods {
            let is_processed = match known.state {
                PodState::Running => true,
                PodState::Terminating => !self.has_added_pods,
                PodState::Ended => false,
            };
            if is_processed {
                self.process(kubelet, known.pod, out);
            }
        }
        self.remove_pods(kubelet, pods, dropped, out);
        self.has_added_pods = true;
    }

    /// Upstream: `processPodVolumes`, 1.36.
    fn process(&mut self, kubelet: &KubeletVolumes<'_>, pod: &Pod, out: &mut Vec<KubeletAction>) {
        let uid = &pod.meta.uid;
        if self.desired.processed.get(uid) == Some(&true) {
            return;
        }
        let mut reads = Reads::new(kubelet.view);
        let mut has_all = true;
        for populated in kubelet.populate(&mut reads, pod) {
            out.extend(populated.leaf.map(|leaf| KubeletAction::Decided(leaf.into())));
            match (populated.leaf, &populated.wanted) {
                (Some(PopulatorBranch::VolumeUnused), _) => {}
                (_, Some(wanted)) => {
                    let attachable = wanted.attachable.as_ref();
                    let attachable = attachable.is_some_and(|attachable| needs_attaching(&mut reads, attachable));
                    let name = self.desired.add(pod, &populated, wanted, attachable);
                    if let Some(sizes) = populated.sizes {
                        self.actual.learn_size(&name, sizes.claim);
                    }
                }
                (None, None) => {
                    self.has_unmodelled = true;
                }
                (Some(_), None) => {
                    has_all = false;
                    self.desired.add_error(uid, &populated.error);
                }
            }
        }
        if has_all {
            self.desired.processed.insert(uid.clone(), true);
            self.actual.mount_again(uid, |spec| requires_republish(kubelet, spec));
            self.desired.errors.remove(uid);
        } else if let Some(processed) = self.desired.processed.get_mut(uid) {
            *processed = true;
        }
    }

    /// Upstream: `findAndRemoveDeletedPods`, 1.36.
    fn remove_pods(
        &mut self,
        kubelet: &KubeletVolumes<'_>,
        pods: &[KnownPod<'_>],
        dropped: &BTreeSet<Str>,
        out: &mut Vec<KubeletAction>,
    ) {
        let known = |uid: &Str| pods.iter().find(|known| known.pod.meta.uid == *uid);
        let of_volume = |(name, needed): (&Str, &Needed)| {
            needed.pods.keys().map(|uid| (name.clone(), uid.clone())).collect::<Vec<_>>()
        };
        let all: Vec<(Str, Str)> = self.desired.volumes.iter().flat_map(of_volume).collect();
        let is_changed = |needed: &Needed, uid: &Str| {
            needed.attachable && needed.pods.get(uid).is_some_and(|by| !kubelet.attaches(&by.volume))
        };
        let changed: BTreeSet<(Str, Str)> = all
            .iter()
            .filter(|(name, uid)| {
                let needed = self.desired.volumes.get(name);
                known(uid).is_some() && needed.is_some_and(|needed| is_changed(needed, uid))
            })
            .cloned()
            .collect();
        for (name, _) in &changed {
            if let Some(needed) = self.desired.volumes.get_mut(name) {
                needed.attachable = false;
                out.push(KubeletAction::Decided(VolumeStep::VolumeUnattached.into()));
            }
        }
        // The volumes whose drivers no longer attach them are looked at again in the next loop.
        for (volume, uid) in all.iter().filter(|one| !changed.contains(*one)) {
            let found = known(uid);
            if found.map_or_else(|| dropped.contains(uid), |found| found.state != PodState::Ended) {
                out.push(KubeletAction::Decided(VolumeStep::VolumeStillNeeded.into()));
                continue;
            }
            let is_unmounted = self.actual.mounted(volume, uid).is_none();
            if is_unmounted && found.is_some() {
                out.push(KubeletAction::Decided(VolumeStep::VolumeStillNeeded.into()));
                continue;
            }
            out.push(KubeletAction::Decided(VolumeStep::VolumeNotNeeded.into()));
            self.desired.remove(volume, uid);
            self.desired.processed.remove(uid);
        }
        let has_volumes = |uid: &Str| all.iter().any(|(_, of)| of == uid);
        self.desired.processed.retain(|uid, _| has_volumes(uid) || known(uid).is_some() || dropped.contains(uid));
        self.desired.errors.retain(|uid, _| known(uid).is_some());
    }
}

/// Returns whether the driver of a volume requires that it is mounted again and again. Upstream: `RequiresRemount`,
/// `pkg/volume/csi`, 1.36.
fn requires_republish(kubelet: &KubeletVolumes<'_>, spec: &Spec) -> bool {
    let Plugin::Csi(driver) = &spec.plugin else { return false };
    kubelet.view.find::<CsiDriver>("", driver).is_some_and(|driver| driver.requires_republish)
}
