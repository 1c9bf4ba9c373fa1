//! Groups of objects of a component. The objects of a group do not differ in anything that influences a decision,
//! except perhaps in size.

use crate::controllers::persistent_volume::plugins::delete_host_path;
use crate::controllers::settings::Settings;
use crate::model::{Kind, ObjectId, PersistentVolume, PersistentVolumeClaim, Quantity, TypedId};
use crate::simulate::Component;
use crate::snapshot::{ClaimId, Snapshot};
use rustc_hash::FxHashMap;

/// The largest number of pairs of a claim group and a volume group. If there are more pairs, groups are not separated
/// by size.
const MOST_PAIRS: usize = 10_000;

/// The groups of the objects of a component.
pub(super) struct Groups {
    pub(super) members: Vec<Vec<ObjectId>>,
    of: FxHashMap<ObjectId, usize>,
    /// Whether members of one group may differ in size. If so, the largest volumes represent a group of volumes, and
    /// the smallest claims represent a group of claims. So if a claim of one group can be bound to a volume of another
    /// group, the representatives of the two groups can be bound as well.
    pub(super) sizes_differ: bool,
}

impl Groups {
    pub(super) fn new(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Self {
        let exact = Self::by(snapshot, settings, component, true);
        let of_volumes =
            |members: &&Vec<ObjectId>| members.first().is_some_and(|first| first.kind == Kind::PersistentVolume);
        let volumes = exact.members.iter().filter(of_volumes).count();
        if volumes.saturating_mul(exact.members.len() - volumes) <= MOST_PAIRS {
            return exact;
        }
        Self::by(snapshot, settings, component, false)
    }

    fn by(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component, by_size: bool) -> Self {
        let selectors = Selectors::new(snapshot, component);
        let mut members: Vec<Vec<ObjectId>> = Vec::new();
        let mut by_text: FxHashMap<String, usize> = FxHashMap::default();
        let mut of = FxHashMap::default();
        for target in component.objects.iter().copied() {
            let next = members.len();
            let text = identity_free(snapshot, settings, &selectors, target, by_size);
            let group = text.map_or(next, |text| *by_text.entry(text).or_insert(next));
            if group == next {
                members.push(Vec::new());
            }
            members[group].push(target);
            of.insert(target, group);
        }
        if !by_size {
            for members in &mut members {
                members.sort_by(|a, b| {
                    let order = size_of(snapshot, *a).compare(&size_of(snapshot, *b));
                    if a.kind == Kind::PersistentVolume { order.reverse() } else { order }.then(a.cmp(b))
                });
            }
        }
        Self { members, of, sizes_differ: !by_size }
    }

    pub(super) fn of(&self, target: ObjectId) -> Option<usize> {
        self.of.get(&target).copied()
    }
}

/// Returns the capacity of a volume, or the request of a claim.
pub(super) fn size_of(snapshot: &Snapshot, target: ObjectId) -> Quantity {
    match target.typed() {
        TypedId::PersistentVolume(id) => snapshot.volume(id).storage().copied(),
        TypedId::PersistentVolumeClaim(id) => snapshot.claim(id).requested(),
        _ => None,
    }
    .unwrap_or(Quantity::ZERO)
}

/// One claim for each different selector. The labels of a volume influence a decision only through these selectors.
struct Selectors(Vec<ClaimId>);

impl Selectors {
    fn new(snapshot: &Snapshot, component: &Component) -> Self {
        let mut different: Vec<ClaimId> = Vec::new();
        for id in component.of::<PersistentVolumeClaim>() {
            let selector = &snapshot.claim(id).selector;
            if selector.is_some() && !different.iter().any(|known| snapshot.claim(*known).selector == *selector) {
                different.push(id);
            }
        }
        Self(different)
    }

    fn verdicts(&self, snapshot: &Snapshot, volume: &PersistentVolume) -> String {
        let matches = |id: &ClaimId| {
            let compiled = snapshot.claim(*id).selector.as_ref().and_then(|selector| selector.compile().ok());
            compiled.is_some_and(|selector| selector.matches(&volume.meta.labels))
        };
        self.0.iter().map(|id| if matches(id) { '1' } else { '0' }).collect()
    }
}

/// Returns everything about an object that influences a decision, except its name and uid, as text. If `by_size` is
/// false, the size is left out as well. The result is `None` if the object names another object, if another object may
/// name it, or if the controller's memory may name it. It is also `None` for a claim that is being deleted and that
/// pods use.
fn identity_free(
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    selectors: &Selectors,
    target: ObjectId,
    by_size: bool,
) -> Option<String> {
    if settings.controller.cached(target).is_some() || !settings.controller.operations.is_empty() {
        return None;
    }
    match target.typed() {
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            let alone = volume.claim_ref.is_some() || !snapshot.claims_naming(&volume.meta.name).is_empty();
            (!alone).then(|| {
                format!(
                    "v {:?} {:?} {:?} {:?} {:?} {:?} {:?} {}",
                    Snapshot::group_key(volume),
                    volume.storage().map(|size| if by_size { size.to_string() } else { String::new() }),
                    volume.status.phase,
                    (volume.meta.deleted.is_some(), volume.meta.deletion_grace_seconds),
                    volume.meta.finalizers,
                    volume.meta.annotations,
                    (&volume.reclaim_policy, &volume.source.kind, delete_host_path(volume).is_ok()),
                    selectors.verdicts(snapshot, volume)
                )
            })
        }
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            let alone = !claim.volume_name.is_empty()
                || settings.behavior.hostpath_provisioning
                || !snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).is_empty()
                // Pods influence only a claim that is being deleted: such a claim disappears only when no pod uses it.
                || (claim.terminating()
                    && snapshot.pods_of(&claim.meta.namespace, &claim.meta.name).next().is_some());
            (!alone).then(|| {
                format!(
                    "c {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    claim.class_name,
                    claim.mode(),
                    claim.attributes_class,
                    claim.requested().map(|request| if by_size { request.to_string() } else { String::new() }),
                    claim.access_modes,
                    claim.selector,
                    claim.status.phase,
                    claim.meta.annotations,
                    claim.meta.finalizers,
                    (claim.meta.deleted.is_some(), claim.meta.deletion_grace_seconds, claim.data_source)
                )
            })
        }
        _ => None,
    }
}
