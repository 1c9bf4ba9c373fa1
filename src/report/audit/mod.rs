//! `Report`: what audit found.

mod document;
mod github;
mod junit;
mod listing;
mod markdown;
mod prometheus;
mod sarif;
mod table;
mod words;

pub use document::{
    AuditCoverageOut, CauseOut, EvidenceOut, FindingOut, ObjectOut, RemedyOut, Report, SummaryOut, SuppressedOut,
    UnmatchedOut,
};
pub use github::github;
pub use junit::junit;
pub use listing::Audited;
pub use markdown::markdown;
pub use prometheus::prometheus;
pub use sarif::sarif;
pub use table::{columns, table};
pub use words::{closing_words, unmatched_words};
