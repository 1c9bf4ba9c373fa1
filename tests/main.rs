//! All tests of the project that see it from outside, in one binary.

mod properties;
mod worlds;
