//! Which objects can influence each other: union-find over names and over groups of alike objects, never over pairs.

use super::decide::Target;
use crate::controllers::Rules;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::model::{AnnotationKey, PersistentVolume, PersistentVolumeClaim, Quantity, ReclaimPolicy, Str};
use crate::snapshot::{ClaimId, GroupKey, Snapshot, VolumeId};
use std::collections::{BTreeMap, BTreeSet};

/// Objects that can influence each other, volumes first, each in the order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// The volumes.
    pub volumes: Vec<VolumeId>,
    /// The claims.
    pub claims: Vec<ClaimId>,
}

impl Component {
    /// All objects, volumes first.
    pub fn objects(&self) -> Vec<Target> {
        let volumes = self.volumes.iter().copied().map(Target::Volume);
        volumes.chain(self.claims.iter().copied().map(Target::Claim)).collect()
    }
}

/// All components, in the order of their first object (volumes before claims).
pub fn components(snapshot: &Snapshot, rules: &Rules) -> Vec<Component> {
    let (volumes, claims) = (snapshot.volumes(), snapshot.claims());
    let mut union = Union::new(volumes.len() + claims.len());
    let claim_place = |id: ClaimId| volumes.len() + id.0 as usize;

    for (place, volume) in volumes.iter().enumerate() {
        if let Some(named) = &volume.claim_ref
            && let Some(claim) = snapshot.claim_id(&named.namespace, &named.name)
        {
            union.join(place, claim_place(claim));
        }
    }
    for (place, claim) in claims.iter().enumerate() {
        if claim.volume_name.is_empty() {
            continue;
        }
        if let Some(volume) = snapshot.volume_id(&claim.volume_name) {
            union.join(volumes.len() + place, volume.0 as usize);
        } else if let [first, ..] = snapshot.claims_naming(&claim.volume_name) {
            // Claims that name one missing volume share its fate should it be created in the simulation.
            union.join(volumes.len() + place, claim_place(*first));
        }
    }
    join_by_matching(snapshot, rules, &mut union);
    join_unusable(snapshot, rules, &mut union);

    let mut components: Vec<Component> = Vec::new();
    let mut number_of: Vec<usize> = vec![usize::MAX; volumes.len() + claims.len()];
    for place in 0..volumes.len() + claims.len() {
        let root = union.find(place);
        if number_of[root] == usize::MAX {
            number_of[root] = components.len();
            components.push(Component::default());
        }
        let component = &mut components[number_of[root]];
        if place < volumes.len() {
            component.volumes.push(VolumeId(u32::try_from(place).unwrap_or(u32::MAX)));
        } else {
            component.claims.push(ClaimId(u32::try_from(place - volumes.len()).unwrap_or(u32::MAX)));
        }
    }
    components
}

/// The classes for which a claim may search for a free volume: its own, and the default class if it has none. Classes
/// that delay binding are left out: for them only reserved volumes are taken, and those are joined by name.
pub(super) fn searched_classes(snapshot: &Snapshot, rules: &Rules, claim: &PersistentVolumeClaim) -> Vec<Str> {
    let mut classes = vec![Str::from(claim.class())];
    let unclassed = if rules.default_class_for_empty_class { claim.class().is_empty() } else { !claim.has_class() };
    if unclassed {
        classes
            .extend(snapshot.classes().iter().filter(|class| class.is_default()).map(|class| class.meta.name.clone()));
    }
    let selected = rules.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode);
    classes.retain(|name| selected || snapshot.class(name).is_none_or(|class| !class.waits_for_first_consumer()));
    classes.dedup();
    classes
}

/// Whether the claim may still search for a volume: once it names one, it never does again.
pub(super) fn may_search(claim: &PersistentVolumeClaim) -> bool {
    claim.volume_name.is_empty() && !claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

/// Whether the volume is free to be found, or may become so. One that is being deleted is never found.
pub(super) fn may_become_free(snapshot: &Snapshot, volume: &PersistentVolume) -> bool {
    !volume.terminating() && may_have_no_claim(snapshot, volume)
}

/// Whether the volume names no claim, or may come to name none: its claim may turn to another volume, and the
/// controller then removes the claimRef that it made itself.
pub(super) fn may_have_no_claim(snapshot: &Snapshot, volume: &PersistentVolume) -> bool {
    let Some(named) = &volume.claim_ref else { return true };
    volume.meta.annotations.has(AnnotationKey::BoundByController)
        && snapshot
            .claim_id(&named.namespace, &named.name)
            .map(|id| snapshot.claim(id))
            .is_some_and(|claim| claim.meta.uid == named.uid && claim.volume_name != volume.meta.name)
}

/// The one volume that is reserved for the claim, where the search ends with it in every state: it has the access modes
/// that the claim asks for and no others, so that it is looked at first, and nothing takes it away. Neither of the two
/// competes with anybody then.
fn sure_reservation(snapshot: &Snapshot, rules: &Rules, claim: &PersistentVolumeClaim) -> Option<VolumeId> {
    let [only] = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name) else { return None };
    let volume = snapshot.volume(*only);
    let surely = may_search(claim)
        && !claim.terminating()
        && !volume.terminating()
        && volume.access_modes.set().len() == claim.access_modes.set().len()
        && volume.access_modes.set().contains_all(&claim.access_modes)
        && Query::new(rules, claim, false).is_ok_and(|query| query.fit(volume) == Fit::Reserved);
    surely.then_some(*only)
}

/// Claims without a selector that search alike but for the size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SearchKey {
    class: Str,
    mode: crate::model::VolumeMode,
    attributes_class: Str,
    requested: crate::model::AccessModeSet,
}

fn join_by_matching(snapshot: &Snapshot, rules: &Rules, union: &mut Union) {
    let volumes = snapshot.volumes();
    let claim_place = |id: ClaimId| volumes.len() + id.0 as usize;
    let capacity = |volume: &PersistentVolume| volume.storage().copied().unwrap_or(Quantity::ZERO);

    // Claims and volumes that are reserved for each other take no part.
    let mut reserved: BTreeSet<usize> = BTreeSet::new();
    for (place, claim) in snapshot.claims().iter().enumerate() {
        if let Some(volume) = sure_reservation(snapshot, rules, claim) {
            reserved.extend([volumes.len() + place, volume.0 as usize]);
        }
    }

    // Free volumes in groups, by capacity.
    let mut groups: BTreeMap<GroupKey, Vec<(Quantity, usize)>> = BTreeMap::new();
    for (place, volume) in volumes.iter().enumerate() {
        if may_become_free(snapshot, volume) && !reserved.contains(&place) {
            groups.entry(Snapshot::group_key(volume)).or_default().push((capacity(volume), place));
        }
    }
    for group in groups.values_mut() {
        group.sort_by(|(a, place_a), (b, place_b)| a.compare(b).then(place_a.cmp(place_b)));
    }
    if groups.is_empty() {
        return;
    }

    // Searching claims in groups, each with its smallest request; those with a selector one by one.
    let mut searches: BTreeMap<SearchKey, Vec<(Quantity, usize)>> = BTreeMap::new();
    for (number, claim) in snapshot.claims().iter().enumerate() {
        if !may_search(claim) || reserved.contains(&(volumes.len() + number)) {
            continue;
        }
        let id = ClaimId(u32::try_from(number).unwrap_or(u32::MAX));
        for class in searched_classes(snapshot, rules, claim) {
            if claim.selector.is_some() {
                join_selecting(snapshot, rules, union, claim, claim_place(id), &class, &groups);
                continue;
            }
            let key = SearchKey {
                class,
                mode: claim.mode(),
                attributes_class: claim.attributes_class().into(),
                requested: claim.access_modes.set(),
            };
            let request = claim.requested().unwrap_or(Quantity::ZERO);
            searches.entry(key).or_default().push((request, claim_place(id)));
        }
    }
    for (search, claims) in &searches {
        let Some((smallest, first)) = claims.iter().min_by(|(a, _), (b, _)| a.compare(b)) else { continue };
        for (key, members) in &groups {
            let alike = key.class == search.class
                && key.mode == search.mode
                && (!rules.attributes_class || key.attributes_class == search.attributes_class)
                && search.requested.is_subset_of(key.access_modes);
            let Some((largest, last)) = members.last().filter(|_| alike) else { continue };
            if largest.compare(smallest).is_lt() {
                continue;
            }
            for (request, claim) in claims {
                if request.compare(largest).is_le() {
                    union.join(*claim, *last);
                }
            }
            for (size, volume) in members {
                if size.compare(smallest).is_ge() {
                    union.join(*volume, *first);
                }
            }
        }
    }
}

/// Whether the volume is there in every state that the controllers can bring about.
pub(super) fn is_permanent(volume: &PersistentVolume) -> bool {
    !volume.terminating() && volume.reclaim_policy != ReclaimPolicy::Delete
}

/// A search that fails as such, because the selector cannot be used, fails only while some volume has the access
/// modes. So it depends on all of these, unless one of them is always there.
fn join_unusable(snapshot: &Snapshot, rules: &Rules, union: &mut Union) {
    let volumes = snapshot.volumes();
    let place = |number: usize| volumes.len() + number;
    for (number, claim) in snapshot.claims().iter().enumerate() {
        if !may_search(claim) || Query::new(rules, claim, false).is_ok() {
            continue;
        }
        let has_modes = |volume: &PersistentVolume| volume.access_modes.set().contains_all(&claim.access_modes);
        if volumes.iter().any(|volume| is_permanent(volume) && has_modes(volume)) {
            continue;
        }
        for (volume, _) in volumes.iter().enumerate().filter(|(_, volume)| has_modes(volume)) {
            union.join(place(number), volume);
        }
        if rules.hostpath_provisioning {
            // A volume that is provisioned for another claim has that claim's modes.
            for (other, rival) in snapshot.claims().iter().enumerate() {
                if may_search(rival) && rival.access_modes.set().contains_all(&claim.access_modes) {
                    union.join(place(number), place(other));
                }
            }
        }
    }
}

fn join_selecting(
    snapshot: &Snapshot,
    rules: &Rules,
    union: &mut Union,
    claim: &PersistentVolumeClaim,
    place: usize,
    class: &Str,
    groups: &BTreeMap<GroupKey, Vec<(Quantity, usize)>>,
) {
    let Ok(query) = Query::new(rules, claim, false) else { return };
    let request = claim.requested().unwrap_or(Quantity::ZERO);
    for (key, members) in groups {
        let alike = key.class == *class
            && key.mode == claim.mode()
            && (!rules.attributes_class || key.attributes_class == claim.attributes_class())
            && key.access_modes.contains_all(&claim.access_modes);
        if !alike {
            continue;
        }
        for (size, volume) in members {
            let labels = &snapshot.volumes()[*volume].meta.labels;
            if size.compare(&request).is_ge() && query.selector().is_none_or(|selector| selector.matches(labels)) {
                union.join(place, *volume);
            }
        }
    }
}

/// Union-find with path halving.
struct Union {
    parent: Vec<u32>,
}

impl Union {
    fn new(length: usize) -> Self {
        Self { parent: (0..u32::try_from(length).unwrap_or(u32::MAX)).collect() }
    }

    fn find(&mut self, mut place: usize) -> usize {
        while self.parent[place] as usize != place {
            let parent = self.parent[place] as usize;
            self.parent[place] = self.parent[parent];
            place = parent;
        }
        place
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a] = u32::try_from(b).unwrap_or(u32::MAX);
    }
}
