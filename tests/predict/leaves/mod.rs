//! Every leaf of `docs/controllers/`, reached by a case whose expected answer stands beside it.
//!
//! A case's expected branch, steps, writes, events, operations, error and next sync are typed in from these pages and
//! upstream's source and tests, never taken from this program's answers. `docs/PARITY.md` is made from the cases.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case that cannot be built is a failed test")]

/// Cases by name: each becomes a test, and all of them a list for the parity table.
macro_rules! cases {
    ($($name:ident: $case:expr;)+) => {
        $(
            #[test]
            fn $name() {
                $case.check();
            }
        )+

        /// Every case of this file with the name of its test.
        pub(super) fn all() -> Vec<(&'static str, super::case::Case)> {
            vec![$((concat!(module_path!(), "::", stringify!($name)), $case)),+]
        }
    };
}

mod binding;
mod build;
mod case;
mod claim;
mod dispatch;
mod ephemeral;
mod matching;
mod parity;
mod protection;
mod provision;
mod reclaim;
mod two_bugs;
mod versions;
mod volume;
