//! What is known about pods, volumes and claims beyond single states if the scheduler takes part. A component that is
//! too large to explore has unknown outcomes.

use crate::controllers::scheduler::{Scheduler, handles};
use crate::controllers::{DecidedBy, OutcomeSet, Settings};
use crate::model::{Kind, Pod};
use crate::simulate::Component;
use crate::simulate::engine::Engine;
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;

/// The engine of the scheduler.
pub(super) static ENGINE: Engine = Engine {
    kinds: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod],
    exact: |_, _, _| None,
    bounds: |_, _, component| vec![OutcomeSet::unknown(); component.objects.len()],
    changes_before_gone: |_, _| Vec::new(),
    decided_by,
    between: |_, _| BTreeMap::new(),
    under_way: |_, _, _, decisions| decisions,
};

/// Returns what decides between the outcomes of a component that has several outcomes.
fn decided_by(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Vec<DecidedBy> {
    let scheduler = Scheduler::new(snapshot, &settings.behavior);
    let pods = component.of::<Pod>().map(|id| snapshot.get(id)).filter(|pod| handles(pod));
    let (mut waiting, mut by_score, mut by_order_of_volumes) = (0_usize, false, false);
    for scheduling in pods.map(|pod| scheduler.schedule(pod)) {
        waiting += 1;
        by_score |= scheduling.candidates().count() > 1;
        by_order_of_volumes |= scheduling.nodes().iter().any(|node| node.verdicts.len() > 1);
    }
    // A volume or a claim can also have several outcomes because of the other controllers.
    let by_order_of_syncs = waiting > 1 || !(by_score || by_order_of_volumes);
    [
        (by_order_of_volumes, DecidedBy::EqualCandidates),
        (by_order_of_syncs, DecidedBy::OrderOfSyncs),
        (by_score, DecidedBy::Score),
    ]
    .into_iter()
    .filter_map(|(decides, what)| decides.then_some(what))
    .collect()
}
