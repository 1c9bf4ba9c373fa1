//! The engines of controllers. An engine computes the outcomes of a component without exploring every state. This
//! module uses the module `simulate`. The module `simulate` does not use this one: it gets the engines as an argument.

mod actors;
pub mod persistent_volume;

use crate::controllers::Settings;
use crate::simulate::{Component, Engine, Settled, Simulation};
use crate::snapshot::Snapshot;

/// All engines.
pub static ENGINES: [&Engine; 2] = [&persistent_volume::ENGINE, &actors::ENGINE];

/// Returns the simulation of a snapshot. It uses all engines and this number of threads.
pub fn simulation<'s>(snapshot: &'s Snapshot, settings: Settings<'s>, threads: usize) -> Simulation<'s> {
    Simulation::new(snapshot, settings, &ENGINES, threads)
}

/// Returns the same simulation for answers about few objects. It settles a component only when an answer needs the
/// component.
pub fn simulation_on_demand<'s>(snapshot: &'s Snapshot, settings: Settings<'s>) -> Simulation<'s> {
    Simulation::on_demand(snapshot, settings, &ENGINES)
}

/// Returns the outcomes of one component. It uses all engines.
pub fn settle(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Settled {
    crate::simulate::settle(snapshot, settings, &ENGINES, component)
}
