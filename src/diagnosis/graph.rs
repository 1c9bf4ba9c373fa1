//! Which finding is the root of which. A rule may blame other objects for an act that it misses; where a finding
//! hinders that act there, the blaming one follows from it. Of several such findings on an object the worst explains,
//! and one of the objects that blame each other in a circle, the worst off, is the root of the others.

use super::finding::Blame;
use super::{Finding, Risk, Severity};
use crate::model::ObjectKey;
use std::collections::{BTreeMap, BTreeSet};

/// The place of a finding among causes and consequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// It has a row of its own: it follows from nothing that was found and is the worst on its object, or others follow
    /// from it, or it is worse for data than what it follows from.
    pub is_root: bool,
    /// The place of the root of its object; its own for one from which others follow.
    pub root: usize,
    /// The places of the findings that it follows from.
    pub caused_by: Vec<usize>,
    /// Of a root: the other objects that are not well because of it, in order.
    pub drags: Vec<ObjectKey>,
}

/// Finds the roles. Findings are in the order of objects, the worst of each object first. What is suppressed has none:
/// nothing follows from what nobody wants to hear of.
pub(super) fn follow(findings: &mut [Finding]) {
    echo(findings);
    let open = open(findings);
    // What speaks for an object, and by that for what it deals with elsewhere.
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
            // What is less bad than this is not why, and must not hide it.
            let mut causes: Vec<usize> =
                reasons.chain(settling).filter(|cause| findings[*cause].severity <= finding.severity).collect();
            causes.sort_unstable();
            causes.dedup();
            causes
        })
        .collect();
    // Of several causes the worst leads on, so that each finding has at most one way up.
    let up = |place: usize| causes[place].iter().copied().min_by_key(|cause| (findings[*cause].rank(), *cause));
    let mut dragged: BTreeMap<usize, Vec<ObjectKey>> = BTreeMap::new();
    let mut roots: BTreeMap<ObjectKey, usize> = BTreeMap::new();
    let mut beside = Vec::new();
    for (object, places) in &open {
        let Some(spokesman) = places.first().copied() else { continue };
        let root = root_of(spokesman, up, |at| (findings[at].rank(), at));
        roots.insert(object.clone(), root);
        let objects = dragged.entry(root).or_default();
        if root != spokesman {
            objects.push(object.clone());
            if is_worse_for_data(&findings[spokesman], &findings[root]) {
                beside.push(spokesman);
            }
        }
        // Of an object on which something is found, that finding says from what it follows.
        objects.extend(findings[spokesman].affected.iter().filter(|object| !open.contains_key(object)).cloned());
    }
    for (place, (finding, caused_by)) in findings.iter_mut().zip(causes).enumerate() {
        let root = roots.get(&finding.object).copied().unwrap_or(place);
        finding.role = Role { root, caused_by, ..Role::default() };
    }
    for (place, mut drags) in dragged {
        drags.sort();
        drags.dedup();
        // The root of a circle follows from nothing but what follows from it.
        findings[place].role = Role { is_root: true, root: place, drags, caused_by: Vec::new() };
    }
    for place in beside {
        findings[place].role.is_root = true;
    }
}

/// The finding from which this one follows where it blames that object: the worst that hinders what is missed. What
/// this one deals with itself is no cause of it, however it is rated.
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

/// Whether the data of a consequence are about to go, and those of its root are not, so that nobody who only reads of
/// the root hears of it.
fn is_worse_for_data(finding: &Finding, root: &Finding) -> bool {
    finding.risk == Risk::Imminent && !finding.is_asked_for() && root.risk != Risk::Imminent
}

/// The places of the findings that concern some objects: those on them, those because of which they are not well, and
/// those from which these follow. What these affect elsewhere is left out of them.
pub(super) fn narrow(findings: &mut [Finding], own: &dyn Fn(&ObjectKey) -> bool) -> BTreeSet<usize> {
    let concerns = |finding: &Finding| own(&finding.object) || finding.role.drags.iter().any(own);
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
        finding.role.drags.retain(own);
    }
    concerned
}

/// The findings of each object that are not suppressed, the worst first.
fn open(findings: &[Finding]) -> BTreeMap<ObjectKey, Vec<usize>> {
    let mut open: BTreeMap<ObjectKey, Vec<usize>> = BTreeMap::new();
    for (place, finding) in findings.iter().enumerate().filter(|(_, finding)| finding.suppressed.is_none()) {
        open.entry(finding.object.clone()).or_default().push(place);
    }
    open
}

/// Makes what is as bad as its cause as bad as the worst of what explains it on the objects that it blames.
fn echo(findings: &mut [Finding]) {
    if !findings.iter().any(|finding| finding.echoes) {
        return;
    }
    let open = open(findings);
    for place in 0..findings.len() {
        let finding = &findings[place];
        let blamed = finding.blamed.iter().filter(|_| finding.echoes);
        let causes = blamed.filter_map(|blame| reason(findings, &open, finding, blame));
        if let Some(worst) = causes.map(|cause| findings[cause].severity).min() {
            // Nothing is an error that rests on an assumption.
            let is_certain = finding.assumed.is_empty();
            findings[place].severity = if is_certain { worst } else { worst.max(Severity::Warning) };
        }
    }
    for alike in findings.chunk_by_mut(|one, next| one.object == next.object) {
        alike.sort_by_key(Finding::rank);
    }
}

/// Follows the ways up to where there is none, or to the worst of those that lead around.
fn root_of<R: Ord>(start: usize, up: impl Fn(usize) -> Option<usize>, rank: impl Fn(usize) -> R) -> usize {
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

#[cfg(test)]
mod tests {
    use super::root_of;

    #[test]
    fn the_root_is_the_end_of_the_way_or_the_worst_of_a_circle() {
        let up = |at: usize| [Some(1), Some(2), None, Some(4), Some(5), Some(4), Some(6)][at];
        let worst_is_least = |at: usize| at;
        assert_eq!([0, 1, 2].map(|start| root_of(start, up, worst_is_least)), [2, 2, 2]);
        assert_eq!([3, 4, 5].map(|start| root_of(start, up, worst_is_least)), [4, 4, 4]);
        assert_eq!(root_of(5, up, |at| usize::MAX - at), 5);
        assert_eq!(root_of(6, up, worst_is_least), 6);
    }
}
