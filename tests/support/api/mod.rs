//! An API server in this process. The project's own controllers sync its objects. Actors may act between the steps of a
//! repair.
//!
//! [`Store`] answers requests as the real API server does, so that a repair sees no difference. [`controllers`] runs
//! syncs of the modelled controllers on the store. [`actors`] has drivers, strangers, StatefulSets and others, which
//! change the store. [`ApiServer`] answers requests of a `kube::Client` and of programs. Tests can make requests fail.

mod actors;
mod attachments;
mod controllers;
pub(crate) mod http;
mod meet;
mod patch;
mod random;
mod request;
pub(crate) mod scenarios;
mod server;
mod services;
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
