//! The engine of components in which actors take part. If such a component is too large to explore, its outcomes are
//! unknown.

use crate::controllers::scheduler::{Scheduler, actor, handles};
use crate::controllers::{DecidedBy, OutcomeSet, Settings, acting};
use crate::model::{Kind, ObjectId, Pod, PodScheduling};
use crate::simulate::engine::{Engine, Exact};
use crate::simulate::{Component, decide_folded};
use crate::snapshot::Snapshot;
use crate::world::World;
use std::collections::BTreeMap;

/// The engine of components in which actors take part.
pub(super) static ENGINE: Engine = Engine {
    kinds: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod],
    knows_actors: true,
    exact: unknown,
    bounds: |_, _, component| vec![OutcomeSet::unknown(); component.objects.len()],
    changes_before_gone: |_, _| Vec::new(),
    decided_by,
    between: |_, _| BTreeMap::new(),
    under_way: |_, _, _, decisions| decisions,
};

/// Returns unknown outcomes if a plugin that is not modelled decides about a waiting pod of the component.
fn unknown(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Option<Exact> {
    if !settings.controllers.contains(&actor::CONTROLLER) {
        return None;
    }
    let is_plain = |name: &str| matches!(name, "cpu" | "memory" | "ephemeral-storage");
    let needs_more = |pod: &&Pod| {
        let stated = pod.scheduling.as_deref();
        let others = |stated: &PodScheduling| stated.requests.iter().any(|(name, _)| !is_plain(name));
        handles(pod) && stated.is_some_and(|stated| stated.device_claims || others(stated))
    };
    let mut pods = component.of::<Pod>().map(|id| snapshot.get(id)).filter(needs_more).peekable();
    pods.peek()?;
    let scheduler = Scheduler::new(snapshot, &settings.behavior);
    let sets = || vec![OutcomeSet::unknown(); component.objects.len()];
    pods.any(|pod| scheduler.is_incomplete_for(pod)).then(|| Exact { sets: sets(), most_states: 0 })
}

/// Returns what decides between the outcomes of a component that has several outcomes: the choices of the actors, and
/// the order of the syncs if several objects are synced.
fn decided_by(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Vec<DecidedBy> {
    let world = World::new(snapshot);
    let (mut decided_by, mut chosen) = (Vec::new(), 0_usize);
    for actor in acting(&settings.controllers) {
        let alone = Settings { controllers: vec![actor], ..settings.clone() };
        let has_choice = |id: &&ObjectId| decide_folded(&world, &alone, **id).count > 1;
        let choosing = component.objects.iter().filter(has_choice).count();
        chosen += choosing;
        if component.objects.iter().any(|id| (actor.may_choose)(snapshot, *id)) {
            decided_by.extend(actor.decides);
        } else if choosing > 0 {
            // With one node, the scheduler can still choose between volumes that fit equally well.
            decided_by.push(DecidedBy::EqualCandidates);
        }
    }
    if decided_by.is_empty() || chosen > 1 {
        decided_by.push(DecidedBy::OrderOfSyncs);
    }
    decided_by.sort();
    decided_by
}
