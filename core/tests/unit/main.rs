//! Unit tests of the core. They stand beside it, because the core is optimised in every profile: with the tests inside,
//! cargo would optimise it twice.

mod coverage;
mod decode;
mod decode_size;
mod defaults;
mod error;
mod explore;
mod kinds;
mod label_filter;
mod lease;
mod orders;
mod outcome;
mod parallel;
mod provisioner_topology;
mod quantity;
mod redact;
mod selector;
mod text;
