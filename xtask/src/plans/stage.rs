//! The API server, the controllers and the other actors of the tests, for repairs that are begun in a random world.
#![expect(dead_code, reason = "the tests use all of it; here no request fails, and losses are told by the search")]

#[path = "../../../tests/stage/adversary.rs"]
mod adversary;
#[path = "../../../tests/stage/controllers.rs"]
mod controllers;
#[path = "../../../tests/stage/newcomers.rs"]
mod newcomers;
#[path = "../../../tests/stage/patch.rs"]
mod patch;
#[path = "../../../tests/stage/random.rs"]
mod random;
#[path = "../../../tests/stage/store.rs"]
mod store;

pub(super) use adversary::Actor;
pub(super) use random::Random;
pub(super) use store::{Call, Preconditions, Store, text};
