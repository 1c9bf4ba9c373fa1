//! Tests of `pvctl::commands`.

mod guide;
mod shared;
