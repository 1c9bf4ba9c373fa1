//! Every leaf of `docs/controllers/` is reached by a case. The case states the expected decision.
//!
//! The expected branch, steps, writes, events, operations, error and next sync of a case were copied by hand from these
//! pages, upstream's source and upstream's tests. They never come from the answers of this program. `docs/PARITY.md` is
//! generated from the cases.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case that cannot be built is a failed test")]

/// Defines cases by name. Each case becomes a test. All cases together become a list for the parity table.
macro_rules! cases {
    ($($name:ident: $case:expr;)+) => {
        $(
            #[test]
            fn $name() {
                $case.check();
            }
        )+

        /// Returns every case of this file with the name of its test.
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
mod scheduling;
mod two_bugs;
mod versions;
mod volume;
