//! Which finding is the root of which. A rule may blame other objects; where something is wrong with these, its finding
//! follows from that. Of each object the worst finding speaks for it, and one of the objects that blame each other in a
//! circle, the worst off, is the root of the others.

use super::finding::Blame;
use super::{Finding, Severity};
use crate::model::ObjectKey;
use std::collections::{BTreeMap, BTreeSet};

/// The place of a finding among causes and consequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// It is the worst on its object, and follows from nothing that was found.
    pub is_root: bool,
    /// The place of the root of its object; its own for a root.
    pub root: usize,
    /// The findings that it follows from: the places of those that speak for the objects it blames.
    pub caused_by: Vec<usize>,
    /// Of a root: the other objects that are not well because of it, in order.
    pub drags: Vec<ObjectKey>,
}

/// Finds the roles. Findings are in the order of objects, the worst of each object first. What is suppressed has none:
/// nothing follows from what nobody wants to hear of.
pub(super) fn follow(findings: &mut [Finding]) {
    echo(findings);
    let spokesmen = spokesmen(findings);
    let speaking: BTreeMap<usize, (Severity, &str)> =
        spokesmen.values().map(|place| (*place, (findings[*place].severity, findings[*place].rule.id))).collect();
    // What speaks for an object, and by that for what it deals with elsewhere.
    let mut settled: BTreeMap<(&str, ObjectKey), Vec<usize>> = BTreeMap::new();
    for place in spokesmen.values() {
        for (rule, object) in &findings[*place].settled {
            settled.entry((rule, object.clone())).or_default().push(*place);
        }
    }
    for finding in findings.iter_mut() {
        // What it deals with itself is no cause of it, however it is rated.
        let deals_with = |object: &ObjectKey, rule: &str| {
            finding.settled.iter().any(|(settled, on)| *settled == rule && on == object)
        };
        let is_open = |(object, place): (&ObjectKey, usize)| {
            speaking.get(&place).filter(|(_, rule)| !deals_with(object, rule)).map(|_| place)
        };
        let others = finding.blamed.iter().filter(|blame| blame.object != finding.object);
        let settling = settled.get(&(finding.rule.id, finding.object.clone())).into_iter().flatten().copied();
        // What else is wrong with an object that is blamed is no reason.
        let reason = |blame: &Blame| {
            let place = *spokesmen.get(&blame.object)?;
            let (_, rule) = speaking.get(&place)?;
            is_open((&blame.object, place)).filter(|_| blame.is_explained_by(rule))
        };
        let causes = others.filter_map(reason).chain(settling);
        // What is less bad than this is not why, and must not hide it.
        let is_cause = |cause: &usize| speaking.get(cause).is_some_and(|(severity, _)| *severity <= finding.severity);
        let mut caused_by: Vec<usize> = causes.filter(is_cause).collect();
        caused_by.sort_unstable();
        caused_by.dedup();
        finding.role.caused_by = caused_by;
    }
    // Of several causes the worst leads on, so that each spokesman has at most one way up.
    let up = |place: usize, findings: &[Finding]| {
        findings[place].role.caused_by.iter().copied().min_by_key(|cause| (findings[*cause].rank(), *cause))
    };
    let mut dragged: BTreeMap<usize, Vec<ObjectKey>> = BTreeMap::new();
    let mut roots: BTreeMap<&ObjectKey, usize> = BTreeMap::new();
    for (object, place) in &spokesmen {
        let root = root_of(*place, |at| up(at, findings), |at| (findings[at].rank(), at));
        roots.insert(object, root);
        let objects = dragged.entry(root).or_default();
        if root != *place {
            objects.push(object.clone());
        }
        // Of an object on which something is found, that finding says from what it follows.
        objects.extend(findings[*place].affected.iter().filter(|object| !spokesmen.contains_key(object)).cloned());
    }
    for (place, finding) in findings.iter_mut().enumerate() {
        finding.role.root = roots.get(&finding.object).copied().unwrap_or(place);
    }
    for (place, mut drags) in dragged {
        drags.sort();
        drags.dedup();
        let role = &mut findings[place].role;
        // The root of a circle follows from nothing but what follows from it.
        *role = Role { is_root: true, drags, caused_by: Vec::new(), ..*role };
    }
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

/// The worst finding of each object that is not suppressed.
fn spokesmen(findings: &[Finding]) -> BTreeMap<ObjectKey, usize> {
    let mut spokesmen: BTreeMap<ObjectKey, usize> = BTreeMap::new();
    for (place, finding) in findings.iter().enumerate().filter(|(_, finding)| finding.suppressed.is_none()) {
        spokesmen.entry(finding.object.clone()).or_insert(place);
    }
    spokesmen
}

/// Makes what is as bad as its cause as bad as the worst of what is found on the objects that it blames.
fn echo(findings: &mut [Finding]) {
    if !findings.iter().any(|finding| finding.echoes) {
        return;
    }
    let spokesmen = spokesmen(findings);
    for place in 0..findings.len() {
        let finding = &findings[place];
        let causes = finding.blamed.iter().filter(|blame| finding.echoes && blame.object != finding.object);
        let worst = causes.filter_map(|blame| Some(findings[*spokesmen.get(&blame.object)?].severity)).min();
        if let Some(worst) = worst {
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
