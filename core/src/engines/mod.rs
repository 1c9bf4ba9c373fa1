//! The engines of controllers. An engine knows outcomes of objects without exploring every state. This module ranks
//! above the simulation: the simulation names no engine, and takes the engines as an argument.

pub mod persistent_volume;

use crate::controllers::Settings;
use crate::simulate::{Component, Engine, Settled, Simulation};
use crate::snapshot::Snapshot;

/// All engines.
pub static ENGINES: [&Engine; 1] = [&persistent_volume::ENGINE];

/// The simulation of a snapshot with all engines, on the given number of threads.
pub fn simulation<'s>(snapshot: &'s Snapshot, settings: Settings<'s>, threads: usize) -> Simulation<'s> {
    Simulation::new(snapshot, settings, &ENGINES, threads)
}

/// The outcomes of one component, with all engines.
pub fn settle(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Settled {
    crate::simulate::settle(snapshot, settings, &ENGINES, component)
}
