//! The finding that decides the state of an object, and its root.

use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::{Finding, Findings, Risk, Severity};
use crate::model::{Kind, ObjectId, ObjectKey, PersistentVolume, TypedId};
use crate::snapshot::Snapshot;

/// The findings that concern an object.
pub(super) struct Concerning<'f> {
    findings: &'f Findings,
    /// The findings, each with its nearness to the object.
    near: Vec<(u8, &'f Finding)>,
}

/// The finding that decides the state of an object.
#[derive(Clone, Copy)]
pub(super) struct Decisive<'f> {
    /// The worst finding on the object, on an object that affects it, or on the volume or claim that it is bound to.
    pub(super) worst: &'f Finding,
    /// The root of this finding.
    pub(super) root: &'f Finding,
}

impl Decisive<'_> {
    /// Whether the problem may still end by itself.
    pub(super) fn is_early(self) -> bool {
        self.worst.severity == Severity::Info
    }
}

impl<'f> Concerning<'f> {
    /// Returns the findings that concern the object. Suppressed findings concern nobody.
    pub(super) fn of(snapshot: &Snapshot, object: &ObjectKey, findings: &'f Findings) -> Self {
        let partners = partners(snapshot, object);
        let open = findings.listed.iter().filter(|finding| finding.suppressed.is_none());
        let near = open.filter_map(|finding| Some((nearness(finding, object, &partners)?, finding))).collect();
        Self { findings, near }
    }

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
        Some(Decisive { worst, root: self.findings.listed.get(worst.role.root).unwrap_or(worst) })
    }

    /// Returns the findings that say that data are in danger, besides the decisive one.
    pub(super) fn dangers(&self, decisive: Option<Decisive<'_>>) -> Vec<&'f Finding> {
        // What follows from the same root is told with it, unless the danger is worse than that of the root.
        let follows = |finding: &Finding, root: &Finding| {
            let is_of_root = self.findings.listed.get(finding.role.root).is_some_and(|own| std::ptr::eq(own, root));
            is_of_root && (finding.risk != Risk::Imminent || root.risk == Risk::Imminent)
        };
        let is_told = |finding: &Finding| {
            decisive.is_some_and(|told| {
                std::ptr::eq(finding, told.worst) || std::ptr::eq(finding, told.root) || follows(finding, told.root)
            })
        };
        let is_danger = |finding: &Finding| match finding.risk {
            Risk::Imminent => true,
            Risk::Possible => finding.severity != Severity::Info,
            Risk::None => false,
        };
        let near = self.near.iter().map(|(_, finding)| *finding);
        near.filter(|finding| is_danger(finding) && !is_told(finding)).collect()
    }
}

/// Returns how near a finding is to the object: 0 on the object, 1 if it affects the object, 2 on the object that it is
/// bound to. Returns `None` if the finding does not concern the object.
fn nearness(finding: &Finding, object: &ObjectKey, partners: &[ObjectKey]) -> Option<u8> {
    if finding.object == *object {
        Some(0)
    } else if finding.role.affected_objects.contains(object) || finding.affected.contains(object) {
        Some(1)
    } else if partners.contains(&finding.object)
        && (finding.risk != Risk::None || finding.object.kind == Kind::PersistentVolume)
    {
        Some(2)
    } else {
        None
    }
}

/// Returns the volume that the claim is bound to, or the claim that the volume is bound to.
fn partners(snapshot: &Snapshot, object: &ObjectKey) -> Vec<ObjectKey> {
    match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolumeClaim(id)) => {
            let claim = snapshot.claim(id);
            let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter();
            let has_uid =
                |volume: &&PersistentVolume| volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
            let naming = naming.map(|id| snapshot.volume(*id)).filter(has_uid);
            let mut volumes: Vec<ObjectKey> = naming.map(|volume| volume_key(&volume.meta.name)).collect();
            if snapshot.volume_id(&claim.volume_name).is_some() {
                volumes.push(volume_key(&claim.volume_name));
            }
            volumes
        }
        Some(TypedId::PersistentVolume(id)) => {
            let named = snapshot.volume(id).claim_ref.as_ref();
            named.map(|named| claim_key(&named.namespace, &named.name)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
