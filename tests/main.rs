//! The one test binary.

mod leaves;
