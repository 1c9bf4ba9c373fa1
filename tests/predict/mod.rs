//! What is predicted of objects, and how that is explained: by `docs/controllers/`, by what the real controllers did,
//! and by properties that hold for every world.

mod answers;
mod candidates;
mod clusters;
mod conformance;
mod cuts;
mod ephemeral;
mod fates;
mod folded;
mod leaves;
pub(crate) mod properties;
mod said;
mod shrink;
