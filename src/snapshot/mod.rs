//! The immutable input of one run: the objects, how complete they are, and look-ups over them.
//!
//! Decoding is in [`decode`], which is total; where the bytes come from is the business of `source`.

pub mod coverage;
pub mod decode;
pub mod defaults;
mod index;
pub mod redact;
mod surroundings;

pub use coverage::{Absence, Coverage, CoverageEntry, CoverageState};
pub use decode::{DecodeIssue, Item};
pub use index::{CandidateGroup, GroupKey};
pub use surroundings::Surroundings;

use crate::model::{
    Kind, Lease, Node, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, ResourceVersion, StorageClass,
    Surrounding, Timestamp,
};
use index::Index;

/// The place of a volume in [`Snapshot::volumes`]; ids are in the order of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VolumeId(pub u32);

/// The place of a claim in [`Snapshot::claims`]; ids are in the order of namespace and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(pub u32);

/// What was read, before it is put in order.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Volumes in any order, possibly twice.
    pub volumes: Vec<PersistentVolume>,
    /// Claims in any order, possibly twice.
    pub claims: Vec<PersistentVolumeClaim>,
    /// Classes in any order, possibly twice.
    pub classes: Vec<StorageClass>,
    /// Pods in any order, possibly twice.
    pub pods: Vec<Pod>,
    /// Nodes in any order, possibly twice.
    pub nodes: Vec<Node>,
    /// What stands around them, in any order, possibly twice; nothing where nobody asked.
    pub surroundings: Vec<Surrounding>,
    /// What the absence of an object means.
    pub coverage: Coverage,
    /// The moment from which ages count; without one, the newest timestamp in the input.
    pub now: Option<Timestamp>,
    /// Whether a flag, a snapshot or a server's clock says that moment; otherwise it is the newest one that objects
    /// tell of.
    pub now_is_stated: bool,
    /// Objects that were there and could not be decoded.
    pub issues: Vec<DecodeIssue>,
    /// The Lease of kube-controller-manager, where the input holds it.
    pub lease: Option<Lease>,
    /// When objects were written last, by their `managedFields`: for those alone of which it was asked.
    pub changed: Vec<(ObjectKey, Timestamp)>,
}

/// The objects of one run in a defined order, each once, with the API server's defaults.
#[derive(Debug)]
pub struct Snapshot {
    volumes: Vec<PersistentVolume>,
    claims: Vec<PersistentVolumeClaim>,
    classes: Vec<StorageClass>,
    pods: Vec<Pod>,
    nodes: Vec<Node>,
    surroundings: Surroundings,
    coverage: Coverage,
    now: Option<Timestamp>,
    now_is_stated: bool,
    issues: Vec<DecodeIssue>,
    duplicates: Vec<ObjectKey>,
    defaulted: Vec<ObjectKey>,
    lease: Option<Lease>,
    changed: Vec<(ObjectKey, Timestamp)>,
    index: Index,
}

impl Snapshot {
    /// Puts the parts in order. Of an object that was read twice the newer resource version stays; objects that were
    /// never on an API server get its defaults.
    pub fn new(parts: Parts) -> Self {
        let Parts { mut volumes, mut claims, mut classes, mut pods, mut nodes, .. } = parts;
        let Parts { coverage, now, now_is_stated, issues, lease, changed, surroundings, .. } = parts;
        let mut duplicates = Vec::new();
        let mut defaulted = Vec::new();
        let mut duplicate_claims = Vec::new();
        index::both(
            volumes.len() + claims.len(),
            || order(&mut volumes, |volume| &volume.meta, Kind::PersistentVolume, &mut duplicates),
            || order(&mut claims, |claim| &claim.meta, Kind::PersistentVolumeClaim, &mut duplicate_claims),
        );
        duplicates.append(&mut duplicate_claims);
        order(&mut classes, index::class_meta, Kind::StorageClass, &mut duplicates);
        order(&mut pods, |pod| &pod.meta, Kind::Pod, &mut duplicates);
        order(&mut nodes, index::node_meta, Kind::Node, &mut duplicates);
        let surroundings = Surroundings::new(surroundings, &mut duplicates);
        defaults::apply(&mut volumes, &mut claims, &mut classes, &mut defaulted);
        let index = Index::new(&volumes, &claims, &pods);
        Self {
            volumes,
            claims,
            classes,
            pods,
            nodes,
            surroundings,
            coverage,
            now,
            now_is_stated,
            issues,
            duplicates,
            defaulted,
            lease,
            changed,
            index,
        }
    }

    /// All volumes by name.
    pub fn volumes(&self) -> &[PersistentVolume] {
        &self.volumes
    }

    /// All claims by namespace and name.
    pub fn claims(&self) -> &[PersistentVolumeClaim] {
        &self.claims
    }

    /// The claims of a namespace by name.
    pub fn claims_in(&self, namespace: &str) -> &[PersistentVolumeClaim] {
        let start = self.claims.partition_point(|claim| claim.meta.namespace.as_str() < namespace);
        let rest = &self.claims[start..];
        &rest[..rest.partition_point(|claim| claim.meta.namespace == namespace)]
    }

    /// All classes by name.
    pub fn classes(&self) -> &[StorageClass] {
        &self.classes
    }

    /// All pods by namespace and name.
    pub fn pods(&self) -> &[Pod] {
        &self.pods
    }

    /// All nodes by name.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What stands around them; nothing where nobody asked.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// What the absence of an object means.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The moment from which ages count.
    pub fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// Whether that moment is the one of the reading, and not only the newest one that the objects tell of.
    pub fn now_is_stated(&self) -> bool {
        self.now_is_stated
    }

    /// Objects that were there and could not be decoded.
    pub fn issues(&self) -> &[DecodeIssue] {
        &self.issues
    }

    /// Objects that were read more than once, with the older versions dropped.
    pub fn duplicates(&self) -> &[ObjectKey] {
        &self.duplicates
    }

    /// Objects that lacked something that an API server always sets, in order of their keys.
    pub fn defaulted(&self) -> &[ObjectKey] {
        &self.defaulted
    }

    /// The Lease of kube-controller-manager, where the input holds it.
    pub fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// When the object was written last, by its `managedFields`; none where nobody asked or where it does not say.
    pub fn last_change(&self, kind: Kind, namespace: &str, name: &str) -> Option<Timestamp> {
        let about = |key: &ObjectKey| key.kind == kind && key.namespace == namespace && key.name == name;
        self.changed.iter().filter(|(key, _)| about(key)).map(|(_, time)| *time).max()
    }

    /// The volume with that id.
    pub fn volume(&self, id: VolumeId) -> &PersistentVolume {
        &self.volumes[id.0 as usize]
    }

    /// The claim with that id.
    pub fn claim(&self, id: ClaimId) -> &PersistentVolumeClaim {
        &self.claims[id.0 as usize]
    }

    /// The id of the volume of that name.
    pub fn volume_id(&self, name: &str) -> Option<VolumeId> {
        self.index.volume_id(&self.volumes, name)
    }

    /// The id of the claim of that name.
    pub fn claim_id(&self, namespace: &str, name: &str) -> Option<ClaimId> {
        self.index.claim_id(&self.claims, namespace, name)
    }

    /// The class of that name.
    pub fn class(&self, name: &str) -> Option<&StorageClass> {
        index::place(&self.classes, index::class_meta, "", name).map(|at| &self.classes[at])
    }

    /// The pod of that name.
    pub fn pod(&self, namespace: &str, name: &str) -> Option<&Pod> {
        index::place(&self.pods, |pod| &pod.meta, namespace, name).map(|at| &self.pods[at])
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        index::place(&self.nodes, index::node_meta, "", name).map(|at| &self.nodes[at])
    }

    /// The pods that refer to a claim of that name, in the order of their names.
    pub fn pods_of<'a>(&'a self, namespace: &str, claim: &str) -> impl Iterator<Item = &'a Pod> + use<'a> {
        self.index.pods_of(namespace, claim).iter().map(|place| &self.pods[*place as usize])
    }

    /// The volumes whose `claimRef` names that claim, with or without a uid, in the order of their names.
    pub fn volumes_naming(&self, namespace: &str, claim: &str) -> &[VolumeId] {
        self.index.volumes_naming(&self.volumes, namespace, claim)
    }

    /// The claims whose `spec.volumeName` is that name, in the order of their keys.
    pub fn claims_naming(&self, volume: &str) -> &[ClaimId] {
        self.index.claims_naming(&self.claims, volume)
    }

    /// The groups of volumes without a `claimRef` that are alike in all that matching compares but the size, the
    /// selector's labels and the phase.
    pub fn candidate_groups(&self) -> &[CandidateGroup] {
        self.index.groups()
    }

    /// The group that a volume would be in, had it no `claimRef`.
    pub fn group_key(volume: &PersistentVolume) -> GroupKey {
        index::group_key(volume)
    }

    /// The group of that key, if any volume is in it.
    pub fn candidate_group(&self, key: &GroupKey) -> Option<&CandidateGroup> {
        self.index.group(key)
    }
}

/// Sorts by namespace and name; of several with one name keeps the one with the newest resource version.
fn order<T>(
    objects: &mut Vec<T>,
    meta: impl Fn(&T) -> &crate::model::ObjectMeta,
    kind: Kind,
    duplicates: &mut Vec<ObjectKey>,
) {
    let version = |object: &T| match &meta(object).resource_version {
        ResourceVersion::Recorded(text) => text.parse::<u64>().unwrap_or(0),
        ResourceVersion::Next(_) => u64::MAX,
    };
    let compare = |left: &T, right: &T| {
        let (a, b) = (meta(left), meta(right));
        (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)).then_with(|| version(right).cmp(&version(left)))
    };
    if !objects.is_sorted_by(|left, right| compare(left, right).is_le()) {
        // The objects are large: their places are sorted, and then each object is moved once. `from[at]` is the old
        // place of the object that belongs at `at`; a cycle of such moves is a chain of swaps.
        let mut from: Vec<usize> = (0..objects.len()).collect();
        from.sort_by(|left, right| compare(&objects[*left], &objects[*right]));
        for start in 0..from.len() {
            let mut at = start;
            while from[at] != start {
                let next = from[at];
                objects.swap(at, next);
                from[at] = at;
                at = next;
            }
            from[at] = at;
        }
    }
    objects.dedup_by(|later, kept| {
        let (a, b) = (meta(later), meta(kept));
        let same = a.namespace == b.namespace && a.name == b.name;
        if same {
            let key = ObjectKey { kind, namespace: a.namespace.clone(), name: a.name.clone() };
            if duplicates.last() != Some(&key) {
                duplicates.push(key);
            }
        }
        same
    });
    objects.shrink_to_fit();
}
