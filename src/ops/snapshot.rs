//! Messages about what a snapshot does not have.

use super::gather::issue_sentence;
use super::rules::reads;
use crate::diagnosis::rules;
use crate::model::{Kind, ObjectKey, Str};
use crate::snapshot::{CoverageEntry, CoverageState, DecodeIssue};
use crate::source::Statement;
use crate::source::archive::ArchivedObject;
use std::cmp::Ordering;

/// Returns messages about the objects that are not in the snapshot because they could not be read, and about the
/// objects that cannot be decoded. `objects` must be sorted.
pub fn missing(issues: &[DecodeIssue], objects: &[ArchivedObject], statement: &Statement) -> Vec<String> {
    let mut lines = Vec::new();
    for issue in issues {
        // An object that cannot be decoded is kept as it was read, unless it is too large.
        let key = |kind| ObjectKey { kind, namespace: Str::new(&issue.namespace), name: Str::new(&issue.name) };
        let is_kept = Kind::from_manifest(&issue.kind).map(key).is_some_and(|key| {
            objects.binary_search_by(|kept| kept.key().map_or(Ordering::Greater, |kept| kept.cmp(&key))).is_ok()
        });
        let fate = if is_kept { "kept unchanged" } else { "left out" };
        lines.push(format!("warning: {}; it is {fate}", issue_sentence(issue)));
    }
    let entries = statement.coverage.entries();
    // A kind that no rule reads is not reported as missing. Neither is a kind that many clusters do not serve.
    let missable = reads(rules::all());
    let around: Vec<&CoverageEntry> =
        entries.iter().filter(|entry| missable.contains(&entry.kind) && !entry.is_normal_gap()).collect();
    // Files rarely have these kinds, so for files they are not reported as missing.
    let is_missed = |entry: &&CoverageEntry| {
        matches!(entry.state, CoverageState::Forbidden | CoverageState::Failed | CoverageState::NotServed)
            && !around.iter().any(|other| other.kind == entry.kind && other.state == CoverageState::Complete)
    };
    let mut missed: Vec<&str> = around.iter().copied().filter(is_missed).map(|entry| entry.kind.resource()).collect();
    missed.dedup();
    if !missed.is_empty() {
        let kinds = missed.join(", ");
        lines.push(format!("note: {kinds} are missing; `audit` of the snapshot may find fewer problems"));
    }
    for entry in entries.iter().filter(|entry| !entry.kind.is_surrounding()) {
        let wrong = match entry.state {
            CoverageState::Complete | CoverageState::NotNeeded | CoverageState::Assumed => continue,
            CoverageState::Partial => "are not complete",
            CoverageState::Forbidden => "are missing: you may not list them",
            CoverageState::NotServed => "are missing: the server does not serve them",
            CoverageState::Failed => "are missing: reading them failed",
        };
        let namespace = entry.namespace.as_ref().map(|name| format!(" of namespace {name}")).unwrap_or_default();
        let reason = entry.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        lines.push(format!("warning: {}{namespace} {wrong}{reason}", entry.kind.resource()));
    }
    lines
}
