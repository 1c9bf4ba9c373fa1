//! The API server, the controllers and the other actors of the tests, for repairs that are begun in a random world.
#![expect(dead_code, reason = "the tests use all functions; here no request fails, and the search finds the losses")]

#[path = "../../../tests/support/api/actors.rs"]
mod actors;
#[path = "../../../tests/support/api/attachments.rs"]
mod attachments;
#[path = "../../../tests/support/api/controllers.rs"]
mod controllers;
#[path = "../../../tests/support/api/patch.rs"]
mod patch;
#[path = "../../../tests/support/api/random.rs"]
mod random;
#[path = "../../../tests/support/api/services.rs"]
mod services;
#[path = "../../../tests/support/api/store.rs"]
mod store;
#[path = "../../../tests/support/api/writers.rs"]
mod writers;

pub(super) use actors::Actor;
pub(super) use random::Random;
pub(super) use store::{Call, Preconditions, Store, text};
