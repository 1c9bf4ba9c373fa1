//! Which objects can influence each other: union-find over names and over groups of alike objects, never over pairs.

use super::decide::{Settings, Target};
use crate::controllers::Rules;
use crate::controllers::persistent_volume::matching::{Fit, Query};
use crate::controllers::persistent_volume::plugins::{Plugin, Provider, find_provisionable_plugin};
use crate::model::{
    AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, Quantity, ReclaimPolicy, StorageClass, Str,
    VolumeMode,
};
use crate::snapshot::{Absence, ClaimId, GroupKey, Snapshot, VolumeId};
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
pub fn components(snapshot: &Snapshot, settings: &Settings<'_>) -> Vec<Component> {
    let rules = &settings.rules;
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
    join_provisioned(snapshot, rules, &mut union);
    join_by_matching(snapshot, settings, &mut union);
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
            component.volumes.push(VolumeId::new(u32::try_from(place).unwrap_or(u32::MAX)));
        } else {
            component.claims.push(ClaimId::new(u32::try_from(place - volumes.len()).unwrap_or(u32::MAX)));
        }
    }
    components
}

/// The classes for which a claim may search for a free volume: its own, and the default class if it has none. Classes
/// that delay binding are left out: for them only reserved volumes are taken, and those are joined by name.
pub(super) fn searched_classes(snapshot: &Snapshot, rules: &Rules, claim: &PersistentVolumeClaim) -> Vec<Str> {
    let mut classes = own_classes(snapshot, rules, claim);
    let selected = rules.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode);
    classes.retain(|name| selected || snapshot.class(name).is_none_or(|class| !class.waits_for_first_consumer()));
    classes.dedup();
    classes
}

/// The classes that a claim may have: its own, and the default class if it has none.
pub(super) fn own_classes(snapshot: &Snapshot, rules: &Rules, claim: &PersistentVolumeClaim) -> Vec<Str> {
    let mut classes = vec![Str::from(claim.class())];
    let unclassed = if rules.default_class_for_empty_class { claim.class().is_empty() } else { !claim.has_class() };
    if unclassed {
        classes
            .extend(snapshot.classes().iter().filter(|class| class.is_default()).map(|class| class.meta.name.clone()));
    }
    classes
}

/// Whether the claim may still search for a volume: once it names one, it never does again.
pub(super) fn may_search(claim: &PersistentVolumeClaim) -> bool {
    claim.volume_name.is_empty() && !claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

/// Whether the volume is free to be found, or may become so. One that is being deleted is never found.
pub(super) fn may_become_free(snapshot: &Snapshot, settings: &Settings<'_>, volume: &PersistentVolume) -> bool {
    !volume.terminating() && may_have_no_claim(snapshot, settings, volume)
}

/// Whether the volume names no claim, or may come to name none: its claim may turn to another volume, and the
/// controller then removes the claimRef that it made itself. A claimRef without a uid stays, but a binding that ends
/// after its first write gives it one.
pub(super) fn may_have_no_claim(snapshot: &Snapshot, settings: &Settings<'_>, volume: &PersistentVolume) -> bool {
    let Some(named) = &volume.claim_ref else { return true };
    volume.meta.annotations.has(AnnotationKey::BoundByController)
        && snapshot.claim_id(&named.namespace, &named.name).map(|id| snapshot.claim(id)).is_some_and(|claim| {
            (claim.meta.uid == named.uid || (named.uid.is_empty() && settings.may_be_interrupted()))
                && claim.volume_name != volume.meta.name
        })
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
    mode: VolumeMode,
    attributes_class: Str,
    requested: crate::model::AccessModeSet,
}

/// The name of the volume that the controller creates for a claim. Upstream: `getProvisionedVolumeNameForClaim`, 1.36.
fn provisioned_name(claim: &PersistentVolumeClaim) -> String {
    format!("{PROVISIONED}{}", claim.meta.uid)
}

/// How the names of volumes begin that the controller creates.
pub(super) const PROVISIONED: &str = "pvc-";

/// Whether the controller itself provisions for a class.
fn is_provisioned_in_tree(rules: &Rules, class: &StorageClass) -> bool {
    rules.hostpath_provisioning && matches!(find_provisionable_plugin(rules, class), Provider::InTree(Plugin::HostPath))
}

/// Whether the controller itself may create a volume for the claim. It may where a class is not known.
fn may_provision(snapshot: &Snapshot, rules: &Rules, claim: &PersistentVolumeClaim) -> bool {
    let unseen = snapshot.coverage().absence(Kind::StorageClass, "") != Absence::Certain;
    rules.hostpath_provisioning
        && may_search(claim)
        && (own_classes(snapshot, rules, claim).iter().any(|name| {
            snapshot.class(name).map_or(unseen && !name.is_empty(), |class| is_provisioned_in_tree(rules, class))
        }) || (unseen && !claim.has_class()))
}

/// A volume that the controller may create has a name: whoever names it, and the volume that has it now, and is in its
/// way while it is there, belong to the claim that it would be created for.
fn join_provisioned(snapshot: &Snapshot, rules: &Rules, union: &mut Union) {
    if !rules.hostpath_provisioning {
        return;
    }
    let volumes = snapshot.volumes().len();
    let mut creators: BTreeMap<String, usize> = BTreeMap::new();
    for (number, claim) in snapshot.claims().iter().enumerate() {
        if !may_provision(snapshot, rules, claim) {
            continue;
        }
        let (name, place) = (provisioned_name(claim), volumes + number);
        if let Some(volume) = snapshot.volume_id(&name) {
            union.join(place, volume.0 as usize);
        }
        for other in snapshot.claims_naming(&name) {
            union.join(place, volumes + other.0 as usize);
        }
        // Only files have two claims with one uid.
        let first = *creators.entry(name).or_insert(place);
        union.join(place, first);
    }
}

/// A volume that is free, or may become so: a recorded one, or one that the controller may create for a claim.
struct Member {
    capacity: Quantity,
    /// Of the volume, or of the claim.
    place: usize,
}

/// The volumes that the controller may create for claims and that may become free then: where a claim turns to another
/// volume, because what was created is none that it would find, or because a cache lags, the controller takes its
/// claimRef away, unless it deletes it. It takes a recorded volume of the class to begin with.
fn join_freed(
    snapshot: &Snapshot,
    rules: &Rules,
    reserved: &BTreeSet<usize>,
    groups: &mut BTreeMap<GroupKey, Vec<Member>>,
) {
    let classes: BTreeSet<Str> = groups.keys().map(|key| key.class.clone()).collect();
    let kept =
        |class: &StorageClass| class.reclaim_policy.as_ref().is_some_and(|policy| *policy != ReclaimPolicy::Delete);
    for (number, claim) in snapshot.claims().iter().enumerate() {
        let place = snapshot.volumes().len() + number;
        if !may_search(claim) || reserved.contains(&place) {
            continue;
        }
        for name in searched_classes(snapshot, rules, claim) {
            let creates =
                snapshot.class(&name).is_some_and(|class| kept(class) && is_provisioned_in_tree(rules, class));
            if creates && classes.contains(&name) {
                let key = GroupKey {
                    class: name,
                    mode: VolumeMode::Filesystem,
                    attributes_class: Str::default(),
                    access_modes: claim.access_modes.set(),
                };
                let capacity = claim.requested().unwrap_or(Quantity::ZERO);
                groups.entry(key).or_default().push(Member { capacity, place });
            }
        }
    }
}

fn join_by_matching(snapshot: &Snapshot, settings: &Settings<'_>, union: &mut Union) {
    let rules = &settings.rules;
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
    let mut groups: BTreeMap<GroupKey, Vec<Member>> = BTreeMap::new();
    for (place, volume) in volumes.iter().enumerate() {
        if may_become_free(snapshot, settings, volume) && !reserved.contains(&place) {
            let member = Member { capacity: capacity(volume), place };
            groups.entry(Snapshot::group_key(volume)).or_default().push(member);
        }
    }
    if rules.hostpath_provisioning {
        join_freed(snapshot, rules, &reserved, &mut groups);
    }
    for group in groups.values_mut() {
        group.sort_by(|a, b| a.capacity.compare(&b.capacity).then(a.place.cmp(&b.place)));
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
        let id = ClaimId::new(u32::try_from(number).unwrap_or(u32::MAX));
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
            let Some(Member { capacity: largest, place: last }) = members.last().filter(|_| alike) else { continue };
            if largest.compare(smallest).is_lt() {
                continue;
            }
            for (request, claim) in claims {
                if request.compare(largest).is_le() {
                    union.join(*claim, *last);
                }
            }
            for Member { capacity, place } in members {
                if capacity.compare(smallest).is_ge() {
                    union.join(*place, *first);
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
    groups: &BTreeMap<GroupKey, Vec<Member>>,
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
        for member in members {
            // What the controller creates has no labels.
            let labels = snapshot.volumes().get(member.place).map_or(&[][..], |volume| &volume.meta.labels);
            let selected = query.selector().is_none_or(|selector| selector.matches(labels));
            if member.capacity.compare(&request).is_ge() && selected {
                union.join(place, member.place);
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
