//! This module finds volumes that are recycled at the same time and disturb each other.
//!
//! All recyclings of one plugin share one pod template. Each recycling changes the name and the storage in this
//! template, without checking whether another recycling is about to use it. So a recycling may create the pod of
//! another recycling, wait for that pod or delete it. The first recycling then fails, or it succeeds although the pod
//! erased other storage. Upstream: `Recycle` (`pkg/volume/nfs` and `pkg/volume/hostpath`) and
//! `RecycleVolumeByWatchingPodUntilCompletion` (`pkg/volume/util/recyclerclient`), 1.36.

use crate::controllers::persistent_volume::CONTROLLER;
use crate::controllers::persistent_volume::plugins::recyclable;
use crate::controllers::persistent_volume::reclaim::{
    DataFate, OLD_RECYCLER, RECYCLER_NAMESPACE, recycler_of, recycling,
};
use crate::controllers::{Branch, DecidedBy, Limit, Outcome, OutcomeSet, ReclaimStep, Settings};
use crate::model::{Kind, ObjectId, PersistentVolume, ReclaimPolicy, SourceKind, VolumePhase};
use crate::simulate::decide::{Decision, Decisions, decide};
use crate::simulate::engine::OtherComponents;
use crate::simulate::explore::JOINT_LIMIT;
use crate::simulate::settle::Settled;
use crate::simulate::settlement::Settlement;
use crate::snapshot::{Absence, Snapshot, VolumeId};
use crate::world::{Answers, ControllerState, Need, OperationState, PluginAnswer, World};
use std::collections::BTreeMap;

/// Adds outcomes to each volume whose recycling may fail because of another recycling. The other volume may be in
/// another component. Also records which lists of other volumes are incomplete. Returns, for each volume whose
/// recycling may fail, how many outcomes were added and why.
pub(super) fn add_disturbed_outcomes(
    snapshot: &Snapshot,
    settlement: &mut Settlement<'_>,
) -> BTreeMap<ObjectId, OtherComponents> {
    let recycled = Recycled::of(snapshot, |id| {
        let is_unknown = |(_, absence): &(Need, Absence)| matches!(absence, Absence::Unknown(_));
        let is_known = !settlement.uncertain(id.into()).iter().any(is_unknown);
        Some(settlement.outcomes(id.into())).filter(|set| is_known && !set.is_unknown())
    });
    let mut beside = BTreeMap::new();
    for id in recycled.failing(snapshot) {
        let (limit, others) = (settlement.settings().outcomes, recycled.others(id));
        let added = settlement.change(id.into(), |settled, place| add_failures(settled, place, limit));
        let decided_by = if others == 0 { DecidedBy::RecyclerPod } else { DecidedBy::SimultaneousRecycling };
        beside.insert(id.into(), OtherComponents { others, added, decided_by });
    }
    // A volume that was not read, or whose outcomes are unknown, could be recycled at the same time.
    for (id, unclear) in recycled.alone() {
        let unseen = (Kind::PersistentVolume, "".into(), snapshot.coverage().absence(Kind::PersistentVolume, ""));
        let gaps = unclear.iter().flat_map(|other| settlement.uncertain((*other).into()));
        let gaps = gaps.map(|(need, absence)| (need.kind, need.namespace.clone(), absence.clone()));
        for (kind, namespace, absence) in [unseen].into_iter().chain(gaps).collect::<Vec<_>>() {
            settlement.add_gap(id.into(), kind, &namespace, absence);
        }
    }
    beside
}

/// The volumes that the controller may recycle at the same time, sorted by id.
#[derive(Clone, Debug, Default)]
struct Recycled {
    nfs: PluginVolumes,
    host_path: PluginVolumes,
}

/// The recycled volumes of one plugin.
#[derive(Clone, Debug, Default)]
struct PluginVolumes {
    /// The volumes that may be recycled in one of their outcomes.
    known: Vec<VolumeId>,
    /// The volumes whose outcomes are unknown.
    unclear: Vec<VolumeId>,
}

impl Recycled {
    /// Finds the volumes that may be recycled in one of their outcomes. `outcomes` returns the outcomes of a volume, or
    /// `None` if they are unknown.
    fn of<'e>(snapshot: &Snapshot, outcomes: impl Fn(VolumeId) -> Option<&'e OutcomeSet>) -> Self {
        let mut recycled = Self::default();
        for (id, volume) in (0..).map(VolumeId::new).zip(snapshot.volumes()) {
            let plugin = match (&volume.reclaim_policy, &volume.source.kind) {
                (ReclaimPolicy::Recycle, SourceKind::Nfs) => &mut recycled.nfs,
                (ReclaimPolicy::Recycle, SourceKind::HostPath) => &mut recycled.host_path,
                _ => continue,
            };
            // Pods that use the claim delay the recycling.
            let in_use = volume.claim_ref.as_ref().is_some_and(|named| {
                let mut pods = snapshot.pods_of(&named.namespace, &named.name);
                pods.any(|pod| !pod.terminated())
            });
            if in_use {
                continue;
            }
            match outcomes(id) {
                None => plugin.unclear.push(id),
                Some(set) if set.representatives().any(is_recycled) => plugin.known.push(id),
                Some(_) => {}
            }
        }
        recycled
    }

    /// Returns the number of other volumes that the same plugin recycles.
    fn others(&self, id: VolumeId) -> usize {
        let of_its_plugin = [&self.nfs, &self.host_path].into_iter().find(|all| all.known.binary_search(&id).is_ok());
        of_its_plugin.map_or(0, |all| all.known.len() - 1)
    }

    /// Returns the volumes that are recycled alone, as far as is known, each with the volumes of its plugin whose
    /// outcomes are unknown.
    fn alone(&self) -> impl Iterator<Item = (VolumeId, &[VolumeId])> {
        [&self.nfs, &self.host_path].into_iter().filter_map(|all| match all.known.as_slice() {
            [only] => Some((*only, all.unclear.as_slice())),
            _ => None,
        })
    }

    /// Returns the volumes whose recycling may fail: volumes that are not recycled alone, and volumes for which the pod
    /// of the recycler already exists.
    fn failing(&self, snapshot: &Snapshot) -> impl Iterator<Item = VolumeId> {
        [&self.nfs, &self.host_path].into_iter().flat_map(move |all| {
            let has_several = all.known.len() > 1;
            let fails = move |id: &VolumeId| has_several || has_recycler(snapshot, snapshot.volume(*id));
            all.known.iter().copied().filter(fails)
        })
    }
}

/// Returns whether the volume is recycled in this outcome, now or later. A failed recycling is tried again in each
/// sync. A volume that is being deleted is recycled until it is gone.
fn is_recycled(end: &Outcome) -> bool {
    matches!(
        end,
        Outcome::Volume { phase: VolumePhase::Released | VolumePhase::Failed, data: Some(DataFate::Scrubbed), .. }
            | Outcome::Gone { data: Some(DataFate::Scrubbed), .. }
    )
}

/// Returns the outcome in which the recycling of the volume failed because another recycling disturbed it. Returns
/// `None` unless the volume is Released in this outcome and its data are to be erased.
fn failed_outcome(end: &Outcome) -> Option<Outcome> {
    let mut end = end.clone();
    match &mut end {
        Outcome::Volume { phase, data: Some(DataFate::Scrubbed), .. } if *phase == VolumePhase::Released => {
            *phase = VolumePhase::Failed;
            Some(end)
        }
        _ => None,
    }
}

/// Adds the outcomes in which the recycling of the volume with this index in the component fails. Returns the number of
/// added outcomes.
fn add_failures(settled: &mut Settled, place: usize, limit: Limit) -> u64 {
    let joint: Option<Vec<Vec<Outcome>>> =
        settled.joint().map(|worlds| worlds.into_iter().map(|world| world.into_iter().cloned().collect()).collect());
    let set = &settled.sets[place];
    let more: Vec<Outcome> =
        set.listed.iter().filter_map(failed_outcome).filter(|failed| !set.listed.contains(failed)).collect();
    let added = more.len() as u64;
    if added == 0 {
        return 0;
    }
    let count = set.count + added;
    // Whether two recyclings disturb each other depends on how long each takes. It may never happen, so the set is not
    // exact.
    settled.sets[place] =
        OutcomeSet::counted(set.representatives().cloned().chain(more).collect(), count, false, limit);
    settled.worlds = joint
        .map(|mut worlds| {
            let more: Vec<Vec<Outcome>> = worlds
                .iter()
                .filter_map(|world| {
                    let mut other = world.clone();
                    other[place] = failed_outcome(&world[place])?;
                    Some(other)
                })
                .collect();
            worlds.extend(more);
            worlds.sort();
            worlds.dedup();
            worlds
        })
        .filter(|worlds| worlds.len() <= JOINT_LIMIT);
    added
}

/// Replaces the decision that starts a recycling, if the pod of the recycler already exists. The recycling then does
/// not start in the usual way: two other decisions are possible.
pub(super) fn with_existing_recycler<'s>(
    world: &World<'s>,
    settings: &Settings<'s>,
    target: ObjectId,
    mut decisions: Decisions<'s>,
) -> Decisions<'s> {
    let cases = settings_with_recycler(world, settings, target);
    let is_started =
        |decision: &Decision<'_>| decision.record.steps.contains(&Branch::from(ReclaimStep::ReclaimRecycle));
    if !cases.is_empty()
        && let Some(at) = decisions.listed.iter().position(is_started)
    {
        let first_decision = |settings: &Settings<'s>| decide(world, settings, target).listed.into_iter().next();
        let instead: Vec<Decision<'s>> = cases.iter().filter_map(first_decision).collect();
        decisions.count += (instead.len() as u64).saturating_sub(1);
        decisions.listed.splice(at..=at, instead);
    }
    decisions
}

/// Returns the settings for a sync of a volume for which the pod of the recycler already exists. There are two cases:
/// the operation that created the pod still runs, or the controller was restarted after it created the pod and now
/// finds an old pod. The list is empty if no such pod is known, or if the settings already state other caches,
/// operations or answers.
fn settings_with_recycler<'s>(world: &World<'s>, settings: &Settings<'s>, target: ObjectId) -> Vec<Settings<'s>> {
    let Some(volume) = target.of::<PersistentVolume>().and_then(|id| world.get(id)) else { return Vec::new() };
    if !settings.starts_in_step() || !has_recycler(world.snapshot(), &volume) {
        return Vec::new();
    }
    let only_this_controller = vec![CONTROLLER];
    let operation = recycling(&volume.meta.name, &volume.meta.uid);
    let controller =
        ControllerState { operations: vec![(operation, OperationState::Running)], ..ControllerState::in_step() };
    let answers = Answers { plugin: Some(PluginAnswer::Failed(OLD_RECYCLER.to_owned())), ..Answers::default() };
    vec![
        Settings { controllers: only_this_controller.clone(), controller, ..settings.clone() },
        Settings { controllers: only_this_controller, answers, ..settings.clone() },
    ]
}

/// Returns whether a pod that erases the volume exists.
fn has_recycler(snapshot: &Snapshot, volume: &PersistentVolume) -> bool {
    volume.reclaim_policy == ReclaimPolicy::Recycle
        && recyclable(volume)
        && snapshot.pod(RECYCLER_NAMESPACE, &recycler_of(&volume.meta.name)).is_some()
}
