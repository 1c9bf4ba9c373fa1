//! The findings that are listed for people. All formats for people list the same findings.

use crate::diagnosis::{Finding, Findings, Severity, Suppression, Unread};
use crate::model::ObjectKey;
use crate::simulate::Simulation;
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// The result of an audit, and the part of it that is shown.
#[derive(Clone, Copy, Debug)]
pub struct Audited<'a> {
    /// The simulation of the objects that were read.
    pub simulation: &'a Simulation<'a>,
    /// The objects that were read.
    pub snapshot: &'a Snapshot,
    /// All findings.
    pub findings: &'a Findings,
    /// The findings in scope, in the order of [`Findings::listed`].
    pub shown: &'a [&'a Finding],
    /// The numbers of volumes and of claims in scope.
    pub looked_at: [usize; 2],
    /// The number of findings that the baseline also has, and the number of findings that are younger than `--min-age`.
    /// None of these findings is shown.
    pub left_out: [usize; 2],
    /// The suppressions of a file that match no finding. The list is empty if not everything was audited.
    pub unmatched: &'a [&'a Suppression],
    /// Whether the user named objects. Then a finding of severity info is also listed if the problem may disappear by
    /// itself, or if somebody asked for the deletion of the data.
    pub is_named: bool,
}

/// Returns the findings that are not suppressed.
pub(super) fn open<'f, 'a>(shown: &'f [&'a Finding]) -> impl Iterator<Item = &'a Finding> + 'f {
    shown.iter().copied().filter(|finding| finding.suppressed.is_none())
}

/// Returns the resources that were not read, without duplicates.
pub(super) fn unread(missing: &BTreeSet<Unread>) -> String {
    let kinds: BTreeSet<&str> = missing.iter().map(|one| one.kind.resource()).collect();
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the findings to list, the worst first: with `all` every finding that is not suppressed, otherwise those of
/// [`lines`].
pub(super) fn worst_first<'a>(audited: &Audited<'a>, all: bool) -> Vec<&'a Finding> {
    let Audited { findings, shown, .. } = *audited;
    let mut listed: Vec<&Finding> = if all { open(shown).collect() } else { lines(audited) };
    // Consequences are listed below their root. The worst of these findings decides the position of all of them.
    let root_of = |finding: &'a Finding| findings.listed.get(finding.role.root).unwrap_or(finding);
    let mut worst: BTreeMap<usize, &Finding> = BTreeMap::new();
    for finding in &listed {
        let worst = worst.entry(finding.role.root).or_insert(finding);
        if finding.gravity() < worst.gravity() {
            *worst = finding;
        }
    }
    let order = |finding: &'a Finding| {
        let (root, worst) = (root_of(finding), worst.get(&finding.role.root).unwrap_or(&finding));
        (worst.gravity(), root.gravity(), !std::ptr::eq(root, finding), finding.gravity())
    };
    listed.sort_by(|a, b| order(a).cmp(&order(b)));
    listed
}

/// Returns the findings that are listed without `--all`.
///
/// Only the worst finding of each object is considered. A root is listed. If a consequence has a root that is shown,
/// the root is listed instead. A finding of severity info is listed only in one case: the user named the object, and
/// the problem may disappear by itself or somebody asked for the deletion of the data.
pub(super) fn lines<'a>(audited: &Audited<'a>) -> Vec<&'a Finding> {
    let Audited { findings, shown, is_named, .. } = *audited;
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
        let root = findings.listed.get(finding.role.root);
        let line = if finding.role.is_root { finding } else { root.filter(is_shown).unwrap_or(finding) };
        listed.insert((&line.object, line.rule.id), line);
    }
    listed.into_values().collect()
}
