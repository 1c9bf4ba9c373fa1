//! The relation between roots and consequences. A rule may blame other objects for an act that does not happen. If a
//! finding on such an object hinders that act, the blaming finding follows from it. If several findings on the object
//! hinder the act, the worst one is the cause. If objects blame each other in a cycle, the worst finding of the cycle
//! is the root of the others.

use super::finding::Blame;
use super::{Finding, Risk, Severity};
use crate::model::ObjectKey;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a finding is a root, and how it is related to other findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// Whether the finding is reported in a row of its own. This is so for the worst finding on an object if it follows
    /// from no other finding. It is also so if other findings follow from this finding, or if this finding has an
    /// imminent risk to data and its root does not.
    pub is_root: bool,
    /// The index of the finding that is the root of this finding's object. For a root it is the index of the finding
    /// itself, unless the finding is a root only because of its risk to data.
    pub root: usize,
    /// The indexes of the findings that this finding follows from.
    pub caused_by: Vec<usize>,
    /// For a root: the other objects that are affected because of it, in order.
    pub affected_objects: Vec<ObjectKey>,
}

/// Sets the roles of all findings. The findings have to be in the order of objects, with the worst of each object
/// first. Suppressed findings are never roots, and nothing follows from them.
pub(super) fn follow(findings: &mut [Finding]) {
    echo(findings);
    let open = open(findings);
    // Only the worst finding of an object settles findings on other objects.
    let mut settled: BTreeMap<(&str, &ObjectKey), Vec<usize>> = BTreeMap::new();
    for place in open.values().filter_map(|places| places.first()) {
        for (rule, object) in &findings[*place].settled {
            settled.entry((rule, object)).or_default().push(*place);
        }
    }
    let causes: Vec<Vec<usize>> = findings
        .iter()
        .map(|finding| {
            let settling = settled.get(&(finding.rule.id, &finding.object)).into_iter().flatten().copied();
            let reasons = finding.blamed.iter().filter_map(|blame| reason(findings, &open, finding, blame));
            // A finding of lower severity is not the cause of a more severe one and must not hide it.
            let mut causes: Vec<usize> =
                reasons.chain(settling).filter(|cause| findings[*cause].severity <= finding.severity).collect();
            causes.sort_unstable();
            causes.dedup();
            causes
        })
        .collect();
    // If a finding has several causes, only the worst one is followed, so that each finding has at most one parent.
    let up = |place: usize| causes[place].iter().copied().min_by_key(|cause| (findings[*cause].rank(), *cause));
    let mut dragged: BTreeMap<usize, Vec<ObjectKey>> = BTreeMap::new();
    let mut roots: BTreeMap<ObjectKey, usize> = BTreeMap::new();
    let mut beside = Vec::new();
    for (object, places) in &open {
        let Some(worst) = places.first().copied() else { continue };
        let root = root_of(worst, up, |at| (findings[at].rank(), at));
        roots.insert(object.clone(), root);
        let objects = dragged.entry(root).or_default();
        if root != worst {
            objects.push(object.clone());
            if is_worse_for_data(&findings[worst], &findings[root]) {
                beside.push(worst);
            }
        }
        // If an affected object has findings of its own, these findings determine its root. A finding that only informs
        // determines no root.
        let has_own = |object: &ObjectKey| {
            let worst = open.get(object).and_then(|places| places.first());
            worst.is_some_and(|place| findings[*place].severity != Severity::Info)
        };
        objects.extend(findings[worst].affected.iter().filter(|object| !has_own(object)).cloned());
    }
    for (place, (finding, caused_by)) in findings.iter_mut().zip(causes).enumerate() {
        let root = roots.get(&finding.object).copied().unwrap_or(place);
        finding.role = Role { root, caused_by, ..Role::default() };
    }
    for (place, mut affected_objects) in dragged {
        affected_objects.sort();
        affected_objects.dedup();
        // The root of a cycle has no cause outside the cycle.
        findings[place].role = Role { is_root: true, root: place, affected_objects, caused_by: Vec::new() };
    }
    for place in beside {
        findings[place].role.is_root = true;
    }
}

/// Returns the cause of this finding on the object that it blames: the worst finding on that object that hinders the
/// missing act. A finding that this finding settles is never its cause, whatever the severities are.
fn reason(
    findings: &[Finding],
    open: &BTreeMap<ObjectKey, Vec<usize>>,
    finding: &Finding,
    blame: &Blame,
) -> Option<usize> {
    let deals_with = |rule: &str| finding.settled.iter().any(|(settled, on)| *settled == rule && *on == blame.object);
    let hinders = |place: &usize| {
        let rule = findings[*place].rule;
        rule.hinders.contains(&blame.act) && !deals_with(rule.id)
    };
    let places = open.get(&blame.object).filter(|_| blame.object != finding.object)?;
    places.iter().copied().find(|place| hinders(place))
}

/// Returns whether the consequence has an imminent risk to data that its root does not have. A person who reads only
/// about the root would not learn of this risk.
fn is_worse_for_data(finding: &Finding, root: &Finding) -> bool {
    finding.risk == Risk::Imminent && !finding.is_asked_for() && root.risk != Risk::Imminent
}

/// Returns the indexes of the findings that concern the selected objects: findings on these objects, findings that
/// affect these objects, and the causes of all these findings. Affected objects that are not selected are removed from
/// the findings.
pub(super) fn narrow(findings: &mut [Finding], own: &dyn Fn(&ObjectKey) -> bool) -> BTreeSet<usize> {
    let concerns = |finding: &Finding| own(&finding.object) || finding.role.affected_objects.iter().any(own);
    let mut open: Vec<usize> =
        findings.iter().enumerate().filter(|(_, finding)| concerns(finding)).map(|(place, _)| place).collect();
    let mut concerned = BTreeSet::new();
    while let Some(place) = open.pop() {
        if concerned.insert(place)
            && let Some(finding) = findings.get(place)
        {
            open.extend(finding.role.caused_by.iter().copied());
            open.push(finding.role.root);
        }
    }
    for finding in findings {
        finding.role.affected_objects.retain(own);
    }
    concerned
}

/// Returns the indexes of the findings that are not suppressed, by object. The worst finding of each object is first.
fn open(findings: &[Finding]) -> BTreeMap<ObjectKey, Vec<usize>> {
    let mut open: BTreeMap<ObjectKey, Vec<usize>> = BTreeMap::new();
    for (place, finding) in findings.iter().enumerate().filter(|(_, finding)| finding.suppressed.is_none()) {
        open.entry(finding.object.clone()).or_default().push(place);
    }
    open
}

/// Sets the severity of each finding that takes the severity of its cause. The new severity is that of the worst cause.
fn echo(findings: &mut [Finding]) {
    if !findings.iter().any(|finding| finding.takes_severity_of_cause) {
        return;
    }
    let open = open(findings);
    for place in 0..findings.len() {
        let finding = &findings[place];
        let blamed = finding.blamed.iter().filter(|_| finding.takes_severity_of_cause);
        let causes = blamed.filter_map(|blame| reason(findings, &open, finding, blame));
        if let Some(worst) = causes.map(|cause| findings[cause].severity).min() {
            // A finding that rests on an assumption is at most a Warning.
            let is_certain = finding.assumed.is_empty();
            findings[place].severity = if is_certain { worst } else { worst.max(Severity::Warning) };
        }
    }
    for alike in findings.chunk_by_mut(|one, next| one.object == next.object) {
        alike.sort_by_key(Finding::rank);
    }
}

/// Follows the parents from `start` and returns the last finding, which has no parent. If the parents form a cycle,
/// returns the worst finding of the cycle.
pub fn root_of<R: Ord>(start: usize, up: impl Fn(usize) -> Option<usize>, rank: impl Fn(usize) -> R) -> usize {
    let mut path = vec![start];
    let mut at = start;
    while let Some(next) = up(at) {
        if let Some(from) = path.iter().position(|seen| *seen == next) {
            return path[from..].iter().copied().min_by_key(|place| rank(*place)).unwrap_or(next);
        }
        path.push(next);
        at = next;
    }
    at
}
