//! Unit tests of the core. They are outside of the core, because the core is optimised in every profile. If they were
//! inside, cargo would have to optimise the core twice.

mod coverage;
mod decode;
mod decode_size;
mod defaults;
mod error;
mod explore;
mod kinds;
mod label_filter;
mod lease;
mod log;
mod orders;
mod outcome;
mod parallel;
mod provisioner_topology;
mod quantity;
mod redact;
mod selector;
mod shared_volume;
mod text;
