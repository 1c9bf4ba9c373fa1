//! What was found, and which of it is listed for people: every format for people lists the same.

use crate::diagnosis::{Diagnosis, Finding, Severity, Suppression, Unread};
use crate::model::ObjectKey;
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// What was looked at, and what of it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Audited<'a> {
    /// What was looked at.
    pub snapshot: &'a Snapshot,
    /// Everything that was found.
    pub diagnosis: &'a Diagnosis,
    /// The findings in scope, in their order.
    pub shown: &'a [&'a Finding],
    /// How many volumes and claims are in scope.
    pub looked_at: [usize; 2],
    /// How many findings are left out because a baseline has them, and because they are too young.
    pub left_out: [usize; 2],
    /// The suppressions of a file that keep nothing back, where everything was looked at.
    pub unmatched: &'a [&'a Suppression],
    /// Whether somebody named objects: of these also that is listed which may come right by itself, or was asked for.
    pub is_named: bool,
}

/// The findings that nobody wants to be kept back.
pub(super) fn open<'f, 'a>(shown: &'f [&'a Finding]) -> impl Iterator<Item = &'a Finding> + 'f {
    shown.iter().copied().filter(|finding| finding.suppressed.is_none())
}

/// The resources that were not read, each once.
pub(super) fn unread(missing: &BTreeSet<Unread>) -> String {
    let kinds: BTreeSet<&str> = missing.iter().map(|one| one.kind.resource()).collect();
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}

/// What is listed, the worst first: all findings, or the roots that are no mere information.
pub(super) fn worst_first<'a>(audited: &Audited<'a>, all: bool) -> Vec<&'a Finding> {
    let Audited { diagnosis, shown, .. } = *audited;
    let mut listed: Vec<&Finding> = if all { open(shown).collect() } else { lines(audited) };
    // What follows stands below its root, as bad as it may be.
    let order = |finding: &'a Finding| {
        let root = diagnosis.findings.get(finding.role.root).unwrap_or(finding);
        (root.gravity(), !std::ptr::eq(root, finding), finding.gravity())
    };
    listed.sort_by(|a, b| order(a).cmp(&order(b)));
    listed
}

/// One line for each root that is shown, and for what is worse for data than its root; for what is shown and has a root
/// that is not, the worst on its object. What is mere information has none, unless somebody named the object and it may
/// come right by itself or was asked for.
pub(super) fn lines<'a>(audited: &Audited<'a>) -> Vec<&'a Finding> {
    let Audited { diagnosis, shown, is_named, .. } = *audited;
    let mut worst: BTreeMap<&ObjectKey, &Finding> = BTreeMap::new();
    for finding in open(shown) {
        worst.entry(&finding.object).or_insert(finding);
    }
    let is_shown = |root: &&Finding| open(shown).any(|finding| std::ptr::eq(finding, *root));
    let mut listed: BTreeMap<(&ObjectKey, &str), &Finding> = BTreeMap::new();
    let is_told = |finding: &Finding| {
        finding.severity != Severity::Info || (is_named && (finding.is_early || finding.is_asked_for()))
    };
    for finding in worst.values().filter(|finding| is_told(finding)) {
        let root = diagnosis.findings.get(finding.role.root);
        let line = if finding.role.is_root { finding } else { root.filter(is_shown).unwrap_or(finding) };
        listed.insert((&line.object, line.rule.id), line);
    }
    listed.into_values().collect()
}
