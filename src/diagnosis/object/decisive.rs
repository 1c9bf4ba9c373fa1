//! The finding that decides the state of an object, and its root.

use crate::diagnosis::case::{claim_key, key_of_claim, volume_key};
use crate::diagnosis::{Finding, Findings, Risk, Severity, key};
use crate::model::{ClaimPhase, Kind, ObjectId, ObjectKey, PersistentVolume, TypedId};
use crate::snapshot::Snapshot;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// All findings, so that those about one object are found without a search.
#[derive(Debug)]
pub(super) struct FindingIndex<'f> {
    findings: &'f Findings,
    /// The findings on each object.
    on: BTreeMap<&'f ObjectKey, Vec<&'f Finding>>,
    /// The findings that affect each object and are on another one.
    affecting: BTreeMap<&'f ObjectKey, Vec<&'f Finding>>,
    /// The volumes whose `claimRef` has this uid.
    volumes_of: FxHashMap<&'f str, Vec<&'f PersistentVolume>>,
}

/// The findings that concern an object.
pub(super) struct Concerning<'f> {
    findings: &'f Findings,
    /// The findings, each with its nearness to the object: 0 on the object, 1 if it affects the object, 2 on the volume
    /// or claim that belongs to it.
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

    /// Returns the findings that say that data are in danger, besides the decisive one. `told` says whether those are
    /// left out that follow from the same root, so that the decisive one tells of them.
    pub(super) fn dangers(&self, decisive: Option<Decisive<'_>>, told: bool) -> Vec<&'f Finding> {
        // What follows from the same root is told with it, unless the danger is worse than that of the root.
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

/// Whether the object is a claim that is Bound.
fn is_bound_claim(snapshot: &Snapshot, object: &ObjectKey) -> bool {
    let claim = snapshot.claim_id(&object.namespace, &object.name).map(|id| snapshot.claim(id));
    claim.is_some_and(|claim| claim.status.phase == ClaimPhase::Bound)
}

impl<'f> FindingIndex<'f> {
    /// Indexes the findings. Suppressed findings concern nobody.
    pub(super) fn new(snapshot: &'f Snapshot, findings: &'f Findings) -> Self {
        let (mut on, mut affecting) = (BTreeMap::new(), BTreeMap::new());
        for finding in findings.listed.iter().filter(|finding| finding.suppressed.is_none()) {
            on.entry(&finding.object).or_insert_with(Vec::new).push(finding);
            for object in finding.role.affected_objects.iter().chain(&finding.affected) {
                let known: &mut Vec<&Finding> = affecting.entry(object).or_default();
                if !known.iter().any(|known| std::ptr::eq(*known, finding)) {
                    known.push(finding);
                }
            }
        }
        let mut volumes_of: FxHashMap<&str, Vec<&PersistentVolume>> = FxHashMap::default();
        for volume in snapshot.volumes() {
            if let Some(named) = volume.claim_ref.as_ref().filter(|named| !named.uid.is_empty()) {
                volumes_of.entry(&named.uid).or_default().push(volume);
            }
        }
        Self { findings, on, affecting, volumes_of }
    }

    /// Returns the findings that concern the object.
    pub(super) fn concerning(&self, snapshot: &Snapshot, object: &ObjectKey) -> Concerning<'f> {
        let on = |key: &ObjectKey| self.on.get(key).into_iter().flatten().copied();
        let own = on(object).map(|finding| (0, finding));
        let affecting = self.affecting.get(object).into_iter().flatten().filter(|finding| finding.object != *object);
        let affecting = affecting.map(|finding| (1, *finding));
        let mut near: Vec<(u8, &Finding)> = own.chain(affecting).collect();
        for partner in self.partners(snapshot, object) {
            // What is wrong with a volume or its attachments concerns the claim. Of a claim that is Bound, only what
            // endangers data concerns its volume.
            let is_claim = partner.kind == Kind::PersistentVolumeClaim;
            let is_bound = is_claim && is_bound_claim(snapshot, &partner);
            let concerns = |finding: &Finding| finding.risk != Risk::None || !is_bound;
            for finding in on(&partner).filter(|finding| concerns(finding)) {
                if !near.iter().any(|(_, known)| std::ptr::eq(*known, finding)) {
                    near.push((2, finding));
                }
            }
        }
        Concerning { findings: self.findings, near }
    }

    /// Returns the volumes of the claim, or the claims that the volume names or that name it. Volumes belong
    /// to a claim if it names them, or if their `claimRef` has its name or its uid. The attachments of the volumes are
    /// partners, too.
    fn partners(&self, snapshot: &Snapshot, object: &ObjectKey) -> BTreeSet<ObjectKey> {
        let mut partners: BTreeSet<ObjectKey> = match snapshot.object_id(object).map(ObjectId::typed) {
            Some(TypedId::PersistentVolumeClaim(id)) => {
                let claim = snapshot.claim(id);
                let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter();
                let naming = naming.map(|id| snapshot.volume(*id));
                let of_uid = self.volumes_of.get(claim.meta.uid.as_str()).into_iter().flatten().copied();
                let named = snapshot.volume_id(&claim.volume_name).map(|id| snapshot.volume(id));
                naming.chain(of_uid).chain(named).map(|volume| volume_key(&volume.meta.name)).collect()
            }
            Some(TypedId::PersistentVolume(id)) => {
                let volume = snapshot.volume(id);
                let named = volume.claim_ref.iter().map(|named| claim_key(&named.namespace, &named.name));
                let naming = snapshot.claims_naming(&volume.meta.name).iter();
                named.chain(naming.map(|id| key_of_claim(&snapshot.claim(*id).meta))).collect()
            }
            _ => BTreeSet::new(),
        };
        let volumes = partners.iter().chain([object]).filter(|key| key.kind == Kind::PersistentVolume);
        let attachments = volumes.flat_map(|volume| snapshot.attachments_of(&volume.name));
        let attachments: Vec<ObjectKey> =
            attachments.map(|attachment| key(Kind::VolumeAttachment, "", &attachment.meta.name)).collect();
        partners.extend(attachments);
        partners
    }
}
