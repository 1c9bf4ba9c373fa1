//! Tests of `pvctl::ops::repair`.

mod ending;
