//! The finding that decides the state of an object, and its root.

use crate::diagnosis::case::claim_key;
use crate::diagnosis::partners::Partners;
use crate::diagnosis::pod::facts::bound;
use crate::diagnosis::rules::is_about_growth;
use crate::diagnosis::{Finding, Findings, Risk, Severity, key};
use crate::model::{ClaimPhase, Kind, ObjectKey};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;

/// An index of all findings by object.
#[derive(Debug)]
pub(super) struct FindingIndex<'f> {
    snapshot: &'f Snapshot,
    findings: &'f Findings,
    /// The findings on each object.
    on: BTreeMap<&'f ObjectKey, Vec<&'f Finding>>,
    /// The findings that affect each object and are on another one.
    affecting: BTreeMap<ObjectKey, Vec<&'f Finding>>,
    partners: Partners<'f>,
}

/// The findings that concern an object.
pub(super) struct Concerning<'f> {
    findings: &'f Findings,
    /// The findings, each with its nearness to the object: 0 if it is on the object, 1 if it affects the object, and 2
    /// if it is on another object that belongs to the object.
    near: Vec<(u8, &'f Finding)>,
}

/// The finding that decides the state of an object.
#[derive(Clone, Copy)]
pub(super) struct Decisive<'f> {
    /// The worst of the findings that are on the object, that affect it, or that are on another object that belongs to
    /// it.
    pub(super) worst: &'f Finding,
    /// The root of this finding.
    pub(super) root: &'f Finding,
}

impl<'f> Decisive<'f> {
    fn of(worst: &'f Finding, findings: &'f Findings) -> Self {
        Self { worst, root: findings.listed.get(worst.role.root).unwrap_or(worst) }
    }

    /// Returns whether the problem may still end by itself.
    pub(super) fn is_early(self) -> bool {
        self.worst.severity == Severity::Info
    }
}

impl<'f> Concerning<'f> {
    /// Returns the finding that decides the state of the object. Findings that only inform decide nothing, except for
    /// problems of the object that may still end by themselves.
    pub(super) fn decisive(&self) -> Option<Decisive<'f>> {
        let serious = self.near.iter().filter(|(_, finding)| finding.severity != Severity::Info);
        let worst = serious.min_by_key(|(nearness, finding)| {
            let (is_safe, severity, risk, place) = finding.rank();
            (is_safe, severity, *nearness, risk, place)
        });
        let early = || {
            let own = self.near.iter().filter(|(nearness, finding)| *nearness == 0 && finding.is_early);
            own.min_by_key(|(_, finding)| finding.rank())
        };
        let (_, worst) = worst.or_else(early)?;
        Some(Decisive::of(worst, self.findings))
    }

    /// Returns the findings of severity Info that are on the object or affect it. Findings that may still end by
    /// themselves are left out. Deletions of data that somebody requested are left out, too.
    pub(super) fn notes(&self) -> Vec<&'f Finding> {
        let informs =
            |finding: &Finding| finding.severity == Severity::Info && !finding.is_early && !finding.is_asked_for();
        let near = self.near.iter().filter(|(nearness, finding)| *nearness < 2 && informs(finding));
        near.map(|(_, finding)| *finding).collect()
    }

    /// Returns the findings that say that data are in danger, without the decisive finding and its root. If `told` is
    /// true, other findings that follow from the same root are left out as well, because the text about the root covers
    /// them.
    pub(super) fn dangers(&self, decisive: Option<Decisive<'_>>, told: bool) -> Vec<&'f Finding> {
        // The text about the root also covers the findings that follow from it. The exception is a finding with
        // imminent risk, if the risk of the root is not imminent.
        let follows = |finding: &Finding, root: &Finding| {
            let is_of_root = self.findings.listed.get(finding.role.root).is_some_and(|own| std::ptr::eq(own, root));
            is_of_root && (finding.risk != Risk::Imminent || root.risk == Risk::Imminent)
        };
        let is_left_out = |finding: &Finding, root: &Finding| told && follows(finding, root);
        let is_told = |finding: &Finding| {
            decisive.is_some_and(|told| {
                std::ptr::eq(finding, told.worst) || std::ptr::eq(finding, told.root) || is_left_out(finding, told.root)
            })
        };
        let is_danger = |nearness: u8, finding: &Finding| match finding.risk {
            Risk::Imminent => true,
            Risk::Possible => nearness < 2 && finding.severity != Severity::Info,
            Risk::None => false,
        };
        let near = self.near.iter().filter(|(nearness, finding)| is_danger(*nearness, finding) && !is_told(finding));
        near.map(|(_, finding)| *finding).collect()
    }
}

/// Returns whether the object is a claim that is Bound.
fn is_bound_claim(snapshot: &Snapshot, object: &ObjectKey) -> bool {
    let claim = snapshot.claim_id(&object.namespace, &object.name).map(|id| snapshot.claim(id));
    claim.is_some_and(|claim| claim.status.phase == ClaimPhase::Bound)
}

/// Returns the volume that a Bound claim is bound to.
fn volume_of(snapshot: &Snapshot, object: &ObjectKey) -> Option<ObjectKey> {
    if object.kind != Kind::PersistentVolumeClaim {
        return None;
    }
    bound(snapshot, &object.namespace, &object.name)
        .map(|(_, volume)| key(Kind::PersistentVolume, "", &volume.meta.name))
}

impl<'f> FindingIndex<'f> {
    /// Indexes the findings. Suppressed findings are left out.
    pub(super) fn new(snapshot: &'f Snapshot, findings: &'f Findings) -> Self {
        let (mut on, mut affecting) = (BTreeMap::new(), BTreeMap::new());
        for finding in findings.listed.iter().filter(|finding| finding.suppressed.is_none()) {
            on.entry(&finding.object).or_insert_with(Vec::new).push(finding);
            // A problem that prevents pods from using a claim also concerns its volume.
            let affected = finding.role.affected_objects.iter().chain(&finding.affected);
            let volumes = finding.affected.iter().filter_map(|claim| volume_of(snapshot, claim));
            for object in affected.cloned().chain(volumes) {
                let known: &mut Vec<&Finding> = affecting.entry(object).or_default();
                if !known.iter().any(|known| std::ptr::eq(*known, finding)) {
                    known.push(finding);
                }
            }
        }
        Self { snapshot, findings, on, affecting, partners: Partners::new(snapshot) }
    }

    /// Returns the worst finding about the expansion or the change of a volume that the pod uses. Such a finding does
    /// not keep the pod from running. Returns `None` for other objects, and for a pod that has ended.
    pub(super) fn worst_of_growth(&self, object: &ObjectKey) -> Option<Decisive<'f>> {
        let pod = self.snapshot.pod(&object.namespace, &object.name)?;
        if object.kind != Kind::Pod || pod.terminated() {
            return None;
        }
        let claims = pod.claim_names().map(|claim| claim_key(&pod.meta.namespace, claim));
        let found = claims.filter_map(|claim| self.on.get(&claim)).flatten().copied();
        let serious = found.filter(|finding| is_about_growth(finding.rule) && finding.severity != Severity::Info);
        serious.min_by_key(|finding| finding.rank()).map(|worst| Decisive::of(worst, self.findings))
    }

    /// Returns the findings that concern the object.
    pub(super) fn concerning(&self, object: &ObjectKey) -> Concerning<'f> {
        let on = |key: &ObjectKey| self.on.get(key).into_iter().flatten().copied();
        let own = on(object).map(|finding| (0, finding));
        let affecting = self.affecting.get(object).into_iter().flatten().filter(|finding| finding.object != *object);
        let affecting = affecting.map(|finding| (1, *finding));
        let mut near: Vec<(u8, &Finding)> = own.chain(affecting).collect();
        for partner in self.partners.of(object) {
            // What is wrong with a volume or its attachments concerns the claim. If a claim is Bound, only those of its
            // findings that endanger data concern its volume.
            let is_claim = partner.kind == Kind::PersistentVolumeClaim;
            let is_bound = is_claim && is_bound_claim(self.snapshot, &partner);
            let concerns = |finding: &Finding| finding.risk != Risk::None || !is_bound;
            for finding in on(&partner).filter(|finding| concerns(finding)) {
                if !near.iter().any(|(_, known)| std::ptr::eq(*known, finding)) {
                    near.push((2, finding));
                }
            }
        }
        Concerning { findings: self.findings, near }
    }
}
