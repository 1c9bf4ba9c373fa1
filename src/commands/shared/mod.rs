//! Code that several verbs share.

pub(super) mod arguments;
pub mod complete;
pub mod connect;
pub mod contexts;
pub(super) mod dump;
pub(super) mod explained;
pub(super) mod explained_log;
pub(super) mod gather;
pub(super) mod live;
pub(super) mod offer;
pub(super) mod outputs;
pub(super) mod person;
pub(super) mod repair;
