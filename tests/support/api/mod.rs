//! An API server in this process, without sockets, with the project's own controllers at work on its objects, and with
//! the people and programs that may come between the steps of a repair.
//!
//! [`Store`] answers requests as the real API server does, as far as a repair can tell; [`controllers`] runs syncs of
//! the modelled controllers on it; [`adversary`] does what drivers, strangers and StatefulSets do; [`StageApi`] is the
//! server that a `kube::Client` talks to, with faults on demand.

mod adversary;
mod controllers;
pub(crate) mod newcomers;
mod patch;
mod random;
pub(crate) mod scenarios;
mod server;
mod store;
mod tests;
pub(crate) mod worlds;

pub(crate) use adversary::{Actor, Loss, STRANGER, Treasure, drivers, losses, lost};
pub(crate) use controllers::settings;
pub(crate) use random::Random;
pub(crate) use server::{Fault, StageApi, Strike};
pub(crate) use store::{Moment, Store, claim as claim_key, text, volume as volume_key};
