//! An API server in this process. The project's own controllers sync its objects, and actors may act between the steps
//! of a repair.
//!
//! [`Store`] answers requests as the real API server does. A repair notices no difference. [`controllers`] runs syncs
//! of the modelled controllers on it. [`actors`] acts as drivers, strangers and StatefulSets. [`ApiServer`] is the
//! server for a `kube::Client` and for programs. Tests can make its requests fail.

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
