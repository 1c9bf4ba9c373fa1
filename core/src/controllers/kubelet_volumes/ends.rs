//! How the kubelet's wait for the volumes of a pod can end, with the words of the error and of the events.

use super::event::MountEvent;
use super::leaves::{MountBranch, PopulatorBranch, WaitBranch};
use super::manager::{MOST_ERRORS, wait_error};
use super::populate::{Populated, Wanted, is_for_one_pod};
use super::volumes::PodVolume;
use super::{KubeletVolumes, PodVolumes};
use crate::controllers::scheduler::reads::Reads;
use crate::model::{Pod, Str};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of ends.
const MOST_ENDS: usize = 4096;

/// One end of the wait.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitEnd {
    /// The leaf.
    pub leaf: WaitBranch,
    /// The error. It is empty if all volumes are mounted.
    pub error: String,
    /// The events about the pod that are created meanwhile.
    pub events: BTreeSet<MountEvent>,
}

/// What has become of the mount of a volume at the end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The volume is mounted.
    Mounted,
    /// The volume is not mounted, as the leaf says. A failed mount has an event.
    Stopped(MountBranch),
    /// The volume is not mounted, because only the mounts for other pods have had their turn.
    WithoutTurn,
}

impl<'s> KubeletVolumes<'s> {
    /// Returns the possible ends of the wait for the volumes of a pod of the node, if all pods were read. There are
    /// several if the mounts of one volume for several pods take turns. The value is `None` if a volume is not
    /// modelled, or if there are too many ends.
    pub fn ends(&self, pod: &Pod, of: &PodVolumes<'s>) -> Option<BTreeSet<WaitEnd>> {
        if of.volumes.iter().any(|volume| volume.populated.leaf.is_none()) {
            return None;
        }
        let mut open: BTreeMap<Str, Vec<Outcome>> = BTreeMap::new();
        for PodVolume { populated, mount } in &of.volumes {
            if let Some((leaf, wanted)) = mount.zip(populated.wanted.as_ref()) {
                open.entry(entry_of(populated)).or_insert_with(|| self.outcomes(pod, wanted, leaf));
            }
        }
        let number = open.values().try_fold(1_usize, |number, outcomes| number.checked_mul(outcomes.len()))?;
        if number > MOST_ENDS {
            return None;
        }
        let mut all: Vec<BTreeMap<Str, Outcome>> = vec![BTreeMap::new()];
        for (name, outcomes) in open {
            let with = all.iter().flat_map(|chosen| {
                let name = &name;
                outcomes.iter().map(move |outcome| {
                    let mut chosen = chosen.clone();
                    chosen.insert(name.clone(), *outcome);
                    chosen
                })
            });
            all = with.collect();
        }
        Some(all.iter().map(|chosen| end(&of.volumes, chosen)).collect())
    }

    /// Returns what can become of the mount of a volume. Alone, it reaches the leaf.
    fn outcomes(&self, pod: &Pod, wanted: &Wanted<'s>, leaf: MountBranch) -> Vec<Outcome> {
        // The node affinity of a block device is checked before its mount takes its turn.
        let is_failing = |leaf: MountBranch| leaf == MountBranch::MountOnWrongNode && !wanted.is_block;
        let others = self.others(pod, wanted);
        let is_mounted_for_other = is_for_one_pod(wanted.volume) && others.contains(&MountBranch::MountSucceeded);
        let mut outcomes = Vec::new();
        if leaf == MountBranch::MountSucceeded {
            outcomes.push(Outcome::Mounted);
            if is_mounted_for_other {
                outcomes.push(Outcome::Stopped(MountBranch::MountExclusive));
            }
            if others.iter().any(|leaf| is_failing(*leaf)) || is_mounted_for_other && others.len() > 1 {
                outcomes.push(Outcome::WithoutTurn);
            }
        } else {
            outcomes.push(Outcome::Stopped(leaf));
            if is_failing(leaf) && !others.is_empty() {
                outcomes.push(Outcome::WithoutTurn);
            }
        }
        outcomes
    }

    /// Returns the leaves that the mounts of this volume for other pods of the node reach alone. These mounts take
    /// turns with the mount for the pod.
    fn others(&self, pod: &Pod, wanted: &Wanted<'s>) -> Vec<MountBranch> {
        let Some(shared) = &wanted.shared else { return Vec::new() };
        let is_other = |other: &&Pod| {
            other.node_name == self.node.meta.name && other.meta.uid != pod.meta.uid && !other.terminated()
        };
        let leaf = |other: &Pod| {
            let mut reads = Reads::new(self.view);
            let volumes = self.populate(&mut reads, other);
            let mut wanted = volumes.iter().filter_map(|volume| volume.wanted.as_ref());
            let same = wanted.find(|wanted| wanted.shared.as_ref() == Some(shared))?;
            Some(self.mount(&mut reads, same)).filter(|leaf| *leaf != MountBranch::MountWaitsForAttach)
        };
        self.view.all::<Pod>().filter(is_other).filter_map(leaf).collect()
    }
}

/// Returns the name of the entry of the kubelet's state, or the name of the volume if it shares no entry.
fn entry_of(populated: &Populated<'_>) -> Str {
    let shared = populated.wanted.as_ref().and_then(|wanted| wanted.shared.clone());
    shared.unwrap_or_else(|| populated.name.clone())
}

/// Returns the end of the wait if the mounts end as `chosen` says, by the names of their entries.
fn end(volumes: &[PodVolume<'_>], chosen: &BTreeMap<Str, Outcome>) -> WaitEnd {
    let (mut unmounted, mut unattached, mut unprocessed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut errors, mut events) = (BTreeSet::new(), BTreeSet::new());
    for PodVolume { populated, mount } in volumes {
        if populated.leaf == Some(PopulatorBranch::VolumeUnused) {
            continue;
        }
        if mount.is_none() {
            unmounted.push(populated.name.as_str());
            unprocessed.push(populated.name.as_str());
            if errors.len() < MOST_ERRORS {
                errors.insert(populated.error.as_str());
            }
            continue;
        }
        let outcome = chosen.get(&entry_of(populated)).copied().unwrap_or(Outcome::WithoutTurn);
        events.extend(event(populated, outcome));
        if outcome != Outcome::Mounted {
            unmounted.push(populated.name.as_str());
        }
        if outcome == Outcome::Stopped(MountBranch::MountWaitsForAttach) {
            unattached.push(populated.name.as_str());
        }
    }
    if unmounted.is_empty() {
        return WaitEnd { leaf: WaitBranch::WaitDone, error: String::new(), events };
    }
    let (leaf, cause) = if errors.is_empty() {
        (WaitBranch::WaitGoesOn, "context deadline exceeded".to_owned())
    } else {
        (WaitBranch::WaitFailed, errors.into_iter().collect::<Vec<_>>().join("; "))
    };
    let error = wait_error(unmounted, unattached, unprocessed, &cause);
    WaitEnd { leaf, error, events }
}

/// Returns the event about a mount.
fn event(populated: &Populated<'_>, outcome: Outcome) -> Option<MountEvent> {
    let wanted = populated.wanted.as_ref()?;
    let branch = match outcome {
        Outcome::Stopped(branch) => branch,
        Outcome::Mounted => MountBranch::MountSucceeded,
        Outcome::WithoutTurn => return None,
    };
    MountEvent::of(branch, wanted.is_block, &wanted.volume.meta.name, "")
}
