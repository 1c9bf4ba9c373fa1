//! The kubelet's wait for the volumes of a pod: how it ends, with the words of the error and of the events.

use super::KubeletVolumes;
use super::leaves::{MountBranch, PopulatorBranch, WaitBranch};
use super::mount::{MountState, Outcome};
use super::populate::Populated;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{Kind, Pod, Str};
use crate::snapshot::Absence;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of different errors of a pod. Upstream: `maxPodErrors` and `AddErrorToPod`, 1.36.
const MOST_ERRORS: usize = 11;

/// What the kubelet decides about the volumes of a pod that use claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodWait<'s> {
    /// The volumes in the order of the pod, and how far the kubelet comes with those that it has to mount.
    pub volumes: Vec<(Populated<'s>, Option<MountState>)>,
    /// The possible ends of the wait. There are several if mounts for several pods take turns. The set is empty if a
    /// volume is not modelled.
    pub ends: BTreeSet<WaitEnd>,
    /// The volumes that the kubelet reports in `status.volumesInUse` because of this pod.
    pub in_use: BTreeSet<Str>,
    /// The kinds that may not have been read completely.
    pub doubts: BTreeMap<Kind, Absence>,
}

/// One end of the wait.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitEnd {
    /// The leaf.
    pub leaf: WaitBranch,
    /// The error. It is empty if all volumes are mounted.
    pub error: String,
    /// The events about the pod that are created meanwhile.
    pub events: BTreeSet<MountEvent>,
    /// Whether another pod has a `ReadWriteOncePod` volume of the pod.
    pub exclusive: bool,
}

/// An event about a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MountEvent {
    /// Whether the type is Warning and not Normal.
    pub is_warning: bool,
    /// `reason`.
    pub reason: &'static str,
    /// `message`. The path at the end of a message about a block device is left out.
    pub message: String,
}

impl<'s> KubeletVolumes<'s> {
    /// Returns what the kubelet decides about the volumes of a pod of its node.
    pub fn wait(&self, pod: &Pod) -> PodWait<'s> {
        let mut reads = Reads::new(self.view);
        let mut in_use = BTreeSet::new();
        let mut volumes = Vec::new();
        for populated in self.populate(&mut reads, pod) {
            let state = populated.wanted.as_ref().map(|wanted| self.mount(&mut reads, pod, wanted));
            let attachable = populated.wanted.as_ref().and_then(|wanted| wanted.attachable.as_ref());
            if let Some(attachable) = attachable
                && self.needs_attaching(&mut reads, attachable)
            {
                in_use.insert(attachable.unique_name());
            }
            volumes.push((populated, state));
        }
        let ends = ends(&volumes);
        PodWait { volumes, ends, in_use, doubts: reads.into_doubts() }
    }
}

/// Returns the possible ends of the wait: one for each combination of what can become of the mounts. Volumes of the pod
/// with the same storage are one entry of the kubelet's state.
fn ends(volumes: &[(Populated<'_>, Option<MountState>)]) -> BTreeSet<WaitEnd> {
    if volumes.iter().any(|(populated, _)| populated.leaf.is_none()) {
        return BTreeSet::new();
    }
    let mut open: BTreeMap<Str, Vec<Outcome>> = BTreeMap::new();
    for (populated, state) in volumes {
        if let Some((state, wanted)) = state.as_ref().zip(populated.wanted.as_ref()) {
            open.entry(entry_of(populated)).or_insert_with(|| state.outcomes(wanted.is_block));
        }
    }
    let mut all: Vec<BTreeMap<Str, Outcome>> = vec![BTreeMap::new()];
    for (name, outcomes) in open {
        let with = all.iter().flat_map(|chosen| {
            let name = &name;
            outcomes.iter().map(move |outcome| {
                chosen
                    .iter()
                    .map(|(name, outcome)| (name.clone(), *outcome))
                    .chain([(name.clone(), *outcome)])
                    .collect()
            })
        });
        all = with.collect();
    }
    all.iter().map(|chosen| end(volumes, chosen)).collect()
}

/// Returns the name of the entry of the kubelet's state, or the name of the volume if it shares no entry.
fn entry_of(populated: &Populated<'_>) -> Str {
    let shared = populated.wanted.as_ref().and_then(|wanted| wanted.shared.clone());
    shared.unwrap_or_else(|| populated.name.clone())
}

/// Returns the end of the wait if the mounts end as `chosen` says, by the names of their entries.
fn end(volumes: &[(Populated<'_>, Option<MountState>)], chosen: &BTreeMap<Str, Outcome>) -> WaitEnd {
    let (mut unmounted, mut unattached, mut unprocessed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut errors, mut events, mut exclusive) = (BTreeSet::new(), BTreeSet::new(), false);
    for (populated, state) in volumes {
        if populated.leaf == Some(PopulatorBranch::VolumeUnused) {
            continue;
        }
        if state.is_none() {
            unmounted.push(populated.name.as_str());
            unprocessed.push(populated.name.as_str());
            if errors.len() < MOST_ERRORS {
                errors.insert(populated.error.as_str());
            }
            continue;
        }
        let outcome = chosen.get(&entry_of(populated)).copied().unwrap_or(Outcome::WithoutTurn);
        events.extend(event(populated, outcome));
        exclusive |= outcome == Outcome::Stopped(MountBranch::MountExclusive);
        if outcome != Outcome::Mounted {
            unmounted.push(populated.name.as_str());
        }
        if outcome == Outcome::Stopped(MountBranch::MountWaitsForAttach) {
            unattached.push(populated.name.as_str());
        }
    }
    for names in [&mut unmounted, &mut unattached, &mut unprocessed] {
        names.sort_unstable();
    }
    if unmounted.is_empty() {
        return WaitEnd { leaf: WaitBranch::WaitDone, error: String::new(), events, exclusive };
    }
    let leaf = if errors.is_empty() { WaitBranch::WaitGoesOn } else { WaitBranch::WaitFailed };
    let cause = match leaf {
        WaitBranch::WaitFailed => errors.into_iter().collect::<Vec<_>>().join("; "),
        WaitBranch::WaitGoesOn | WaitBranch::WaitDone => "context deadline exceeded".to_owned(),
    };
    let listed = |names: &[&str]| names.join(" ");
    let error = format!(
        "unmounted volumes=[{}], unattached volumes=[{}], failed to process volumes=[{}]: {cause}",
        listed(&unmounted),
        listed(&unattached),
        listed(&unprocessed)
    );
    WaitEnd { leaf, error, events, exclusive }
}

/// Returns the event about a mount. A mount of files that succeeds has none.
fn event(populated: &Populated<'_>, outcome: Outcome) -> Option<MountEvent> {
    let wanted = populated.wanted.as_ref()?;
    let is_block = wanted.is_block;
    let name = &wanted.volume.meta.name;
    let (reason, step, error) = match outcome {
        Outcome::Stopped(MountBranch::MountOnWrongNode) => {
            let step = if is_block { "MapVolume.NodeAffinity check" } else { "MountVolume.NodeAffinity check" };
            ("FailedMount", step, "no matching NodeSelectorTerms")
        }
        Outcome::Stopped(MountBranch::MountExclusive) => {
            let error = "volume uses the ReadWriteOncePod access mode and is already in use by another pod";
            if is_block {
                ("FailedMapVolume", "MapVolume.SetUpDevice", error)
            } else {
                ("FailedMount", "MountVolume.SetUp", error)
            }
        }
        Outcome::Mounted if is_block => {
            let message = format!("MapVolume.MapPodDevice succeeded for volume \"{name}\"");
            return Some(MountEvent { is_warning: false, reason: "SuccessfulMountVolume", message });
        }
        Outcome::Mounted | Outcome::Stopped(_) | Outcome::WithoutTurn => return None,
    };
    let message = format!("{step} failed for volume \"{name}\" : {error}");
    Some(MountEvent { is_warning: true, reason, message })
}
