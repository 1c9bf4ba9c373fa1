//! An API server in this process, with the project's own controllers at work on its objects, and with the actors that
//! may act between the steps of a repair.
//!
//! [`Store`] answers requests as the real API server does, as far as a repair can tell. [`controllers`] runs syncs of
//! the modelled controllers on it. [`actors`] does what drivers, strangers and StatefulSets do. [`ApiServer`] is the
//! server that a `kube::Client` and programs talk to, with faults on demand.

mod actors;
mod controllers;
pub(crate) mod http;
mod meet;
mod patch;
mod random;
mod request;
pub(crate) mod scenarios;
mod server;
mod store;
mod tests;
pub(crate) mod worlds;
pub(crate) mod writers;

pub(crate) use actors::{Actor, Loss, Protected, STRANGER, drivers, losses, lost};
pub(crate) use controllers::settings;
pub(crate) use http::DATE;
pub(crate) use meet::meet;
pub(crate) use random::Random;
pub(crate) use request::Seen;
pub(crate) use server::{ApiServer, Controllers, Who};
pub(crate) use store::{Moment, Store, claim as claim_key, text, volume as volume_key};
