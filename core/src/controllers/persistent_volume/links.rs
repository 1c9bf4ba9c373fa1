//! This module joins volumes and claims that can influence each other.

use super::matching::{Fit, Query};
use super::plugins::{Plugin, Provider, find_provisionable_plugin};
use crate::controllers::{KubernetesBehavior, Links, Settings};
use crate::model::{
    AnnotationKey, Kind, ObjectId, PersistentVolume, PersistentVolumeClaim, Quantity, ReclaimPolicy, StorageClass, Str,
    VolumeMode,
};
use crate::snapshot::{Absence, ClaimId, GroupKey, Snapshot, VolumeId};
use std::collections::{BTreeMap, BTreeSet};

/// A claim that a controller may create for an object.
#[derive(Clone, Debug)]
pub struct NewClaim {
    /// The object for which the claim is created. It represents the claim in the union-find.
    pub maker: ObjectId,
    /// The claim as the API server stores it when it is created.
    pub claim: PersistentVolumeClaim,
}

/// Joins all volumes and claims that can influence each other.
pub fn join(snapshot: &Snapshot, settings: &Settings<'_>, links: &mut Links<'_>) {
    join_with(snapshot, settings, &[], links);
}

/// Joins all volumes and claims that can influence each other. `new` has the claims that a controller may create. Some
/// of the new claims may have the names of claims that are being deleted.
pub fn join_with(snapshot: &Snapshot, settings: &Settings<'_>, new: &[NewClaim], links: &mut Links<'_>) {
    let behavior = &settings.behavior;
    for (id, volume) in snapshot.with_ids::<PersistentVolume>() {
        if let Some(named) = &volume.claim_ref
            && let Some(claim) = snapshot.claim_id(&named.namespace, &named.name)
        {
            links.join(id, claim);
        }
    }
    for NewClaim { maker, claim } in new {
        for volume in snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name) {
            links.join(*maker, *volume);
        }
    }
    // Claims that name the same missing volume influence each other if the simulation creates this volume.
    let mut missing: BTreeMap<&Str, ObjectId> = BTreeMap::new();
    for (id, claim) in claims(snapshot, new).filter(|(_, claim)| !claim.volume_name.is_empty()) {
        match snapshot.volume_id(&claim.volume_name) {
            Some(volume) => links.join(id, volume),
            None => links.join(id, *missing.entry(&claim.volume_name).or_insert(id)),
        }
    }
    join_provisioned(snapshot, behavior, links);
    join_by_matching(snapshot, settings, new, links);
    join_invalid_searches(snapshot, behavior, new, links);
}

/// Returns all claims, each with the object that represents it: the claim itself, or the object for which it is
/// created.
fn claims<'a>(
    snapshot: &'a Snapshot,
    new: &'a [NewClaim],
) -> impl Iterator<Item = (ObjectId, &'a PersistentVolumeClaim)> {
    let recorded = snapshot.with_ids().map(|(id, claim)| (ObjectId::from(id), claim));
    recorded.chain(new.iter().map(|NewClaim { maker, claim }| (*maker, claim)))
}

/// Returns the classes in which a claim may search for a free volume: its own class, and every default class if the
/// claim may still get one. Classes that delay binding are left out, unless the annotation of a selected node ends the
/// delay. With a class that delays binding, a claim takes only volumes that are reserved for it, and these are joined
/// by name.
pub fn searched_classes(snapshot: &Snapshot, behavior: &KubernetesBehavior, claim: &PersistentVolumeClaim) -> Vec<Str> {
    let mut classes = own_classes(snapshot, behavior, claim);
    let selected = behavior.selected_node_ends_delay && claim.meta.annotations.has(AnnotationKey::SelectedNode);
    classes.retain(|name| selected || snapshot.class(name).is_none_or(|class| !class.waits_for_first_consumer()));
    classes.dedup();
    classes
}

/// Returns the classes that a claim may have: its own class, and every default class if the claim may still get one.
pub fn own_classes(snapshot: &Snapshot, behavior: &KubernetesBehavior, claim: &PersistentVolumeClaim) -> Vec<Str> {
    let mut classes = vec![Str::from(claim.class())];
    let unclassed = if behavior.default_class_for_empty_class { claim.class().is_empty() } else { !claim.has_class() };
    if unclassed {
        classes
            .extend(snapshot.classes().iter().filter(|class| class.is_default()).map(|class| class.meta.name.clone()));
    }
    classes
}

/// Returns whether the claim may still search for a volume. A claim that names a volume, or has the annotation
/// bind-completed, never searches again.
pub fn may_search(claim: &PersistentVolumeClaim) -> bool {
    claim.volume_name.is_empty() && !claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

/// Returns whether a search can find the volume now or later, because it is free or may become free. A volume that is
/// being deleted is never found.
pub fn may_become_free(snapshot: &Snapshot, settings: &Settings<'_>, volume: &PersistentVolume) -> bool {
    !volume.terminating() && may_have_no_claim(snapshot, settings, volume)
}

/// Returns whether the volume names no claim, or may name none later. The volume may lose its claimRef if its claim
/// takes another volume: the controller then removes a claimRef that it wrote itself. The controller does not remove a
/// claimRef without a uid. But the first write of a binding adds the uid. If the binding is interrupted after this
/// write, the controller can remove this claimRef as well.
pub fn may_have_no_claim(snapshot: &Snapshot, settings: &Settings<'_>, volume: &PersistentVolume) -> bool {
    let Some(named) = &volume.claim_ref else { return true };
    volume.meta.annotations.has(AnnotationKey::BoundByController)
        && snapshot.claim_id(&named.namespace, &named.name).map(|id| snapshot.claim(id)).is_some_and(|claim| {
            (claim.meta.uid == named.uid || (named.uid.is_empty() && settings.may_be_interrupted()))
                && claim.volume_name != volume.meta.name
        })
}

/// Returns the only volume that is reserved for the claim, if it is certain that the claim gets this volume. The access
/// modes of the volume must be exactly the requested ones, so that the search tests the volume first. No other claim
/// can then take the volume, so the claim and the volume compete with no other object.
fn sure_reservation(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    claim: &PersistentVolumeClaim,
) -> Option<VolumeId> {
    let [only] = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name) else { return None };
    let volume = snapshot.volume(*only);
    let surely = may_search(claim)
        && !claim.terminating()
        && !volume.terminating()
        && volume.access_modes.set().len() == claim.access_modes.set().len()
        && volume.access_modes.set().contains_all(&claim.access_modes)
        && Query::new(behavior, claim, false).is_ok_and(|query| query.fit(volume) == Fit::Reserved);
    surely.then_some(*only)
}

/// The criteria of a search without a selector, except the requested size. Claims with equal criteria are one group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SearchKey {
    class: Str,
    mode: VolumeMode,
    attributes_class: Str,
    requested: crate::model::AccessModeSet,
}

/// Returns the name of the volume that the controller creates for a claim. Upstream:
/// `getProvisionedVolumeNameForClaim`, 1.36.
fn provisioned_name(claim: &PersistentVolumeClaim) -> String {
    format!("{PROVISIONED_PREFIX}{}", claim.meta.uid)
}

/// The prefix of the names of volumes that the controller creates.
pub const PROVISIONED_PREFIX: &str = "pvc-";

/// Returns whether the controller itself provisions volumes of a class.
fn is_provisioned_in_tree(behavior: &KubernetesBehavior, class: &StorageClass) -> bool {
    behavior.hostpath_provisioning
        && matches!(find_provisionable_plugin(behavior, class), Provider::InTree(Plugin::HostPath))
}

/// Returns whether the controller itself may create a volume for the claim. The function assumes that the controller
/// provisions volumes of a class that was not read.
fn may_provision(snapshot: &Snapshot, behavior: &KubernetesBehavior, claim: &PersistentVolumeClaim) -> bool {
    let unseen = snapshot.coverage().absence(Kind::StorageClass, "") != Absence::Certain;
    behavior.hostpath_provisioning
        && may_search(claim)
        && (own_classes(snapshot, behavior, claim).iter().any(|name| {
            snapshot.class(name).map_or(unseen && !name.is_empty(), |class| is_provisioned_in_tree(behavior, class))
        }) || (unseen && !claim.has_class()))
}

/// Joins claims by the names of volumes that the controller may create for them. A claim is joined with an existing
/// volume of that name, because this volume prevents the creation. The claim is also joined with all claims that name
/// such a volume.
fn join_provisioned(snapshot: &Snapshot, behavior: &KubernetesBehavior, links: &mut Links<'_>) {
    if !behavior.hostpath_provisioning {
        return;
    }
    let mut creators: BTreeMap<String, ClaimId> = BTreeMap::new();
    for (id, claim) in snapshot.with_ids::<PersistentVolumeClaim>() {
        if !may_provision(snapshot, behavior, claim) {
            continue;
        }
        let name = provisioned_name(claim);
        if let Some(volume) = snapshot.volume_id(&name) {
            links.join(id, volume);
        }
        for other in snapshot.claims_naming(&name) {
            links.join(id, *other);
        }
        // If the input is a file, two claims can have the same uid. Then the volumes that are created for them have the
        // same name.
        let first = *creators.entry(name).or_insert(id);
        links.join(id, first);
    }
}

/// A volume that is free or may become free. It is a volume of the snapshot, or a volume that the controller may create
/// for a claim.
struct GroupMember {
    capacity: Quantity,
    /// The volume of the snapshot, or the claim for which a volume may be created.
    object: ObjectId,
}

/// Adds volumes that do not exist yet: the controller may create one for a claim, and the volume may become free later.
/// The claim may take another volume than the created volume, because the search of the claim does not find the created
/// volume, or because a cache lags. Then the controller removes the claimRef of the created volume, unless it deletes
/// the volume. A claim takes another volume only if the snapshot has a volume of the same class that is free or may
/// become free.
fn add_created_volumes(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    new: &[NewClaim],
    reserved: &BTreeSet<ObjectId>,
    groups: &mut BTreeMap<GroupKey, Vec<GroupMember>>,
) {
    let classes: BTreeSet<Str> = groups.keys().map(|key| key.class.clone()).collect();
    let kept =
        |class: &StorageClass| class.reclaim_policy.as_ref().is_some_and(|policy| *policy != ReclaimPolicy::Delete);
    for (id, claim) in claims(snapshot, new) {
        if !may_search(claim) || reserved.contains(&id) {
            continue;
        }
        for name in searched_classes(snapshot, behavior, claim) {
            let creates =
                snapshot.class(&name).is_some_and(|class| kept(class) && is_provisioned_in_tree(behavior, class));
            if creates && classes.contains(&name) {
                let key = GroupKey {
                    class: name,
                    mode: VolumeMode::Filesystem,
                    attributes_class: Str::default(),
                    access_modes: claim.access_modes.set(),
                };
                let capacity = claim.requested().unwrap_or(Quantity::ZERO);
                groups.entry(key).or_default().push(GroupMember { capacity, object: id });
            }
        }
    }
}

fn join_by_matching(snapshot: &Snapshot, settings: &Settings<'_>, new: &[NewClaim], links: &mut Links<'_>) {
    let behavior = &settings.behavior;
    let capacity = |volume: &PersistentVolume| volume.storage().copied().unwrap_or(Quantity::ZERO);

    // A claim and the volume that it certainly gets compete with no other object, so both are left out.
    let mut reserved: BTreeSet<ObjectId> = BTreeSet::new();
    for (id, claim) in snapshot.with_ids::<PersistentVolumeClaim>() {
        if let Some(volume) = sure_reservation(snapshot, behavior, claim) {
            reserved.extend([ObjectId::from(id), volume.into()]);
        }
    }

    // A volume may be reserved for a claim that does not exist yet. This volume may become free if the binding is
    // interrupted after its first write.
    let made: BTreeSet<(&Str, &Str)> =
        new.iter().map(|NewClaim { claim, .. }| (&claim.meta.namespace, &claim.meta.name)).collect();
    let awaits_new = |volume: &PersistentVolume| {
        let named = volume.claim_ref.as_ref().filter(|named| named.uid.is_empty());
        settings.may_be_interrupted()
            && !volume.terminating()
            && volume.meta.annotations.has(AnnotationKey::BoundByController)
            && named.is_some_and(|named| made.contains(&(&named.namespace, &named.name)))
    };

    // The groups have the volumes that are free or may become free. Each group is sorted by capacity.
    let mut groups: BTreeMap<GroupKey, Vec<GroupMember>> = BTreeMap::new();
    for (id, volume) in snapshot.with_ids::<PersistentVolume>() {
        if (may_become_free(snapshot, settings, volume) || awaits_new(volume)) && !reserved.contains(&id.into()) {
            let member = GroupMember { capacity: capacity(volume), object: id.into() };
            groups.entry(Snapshot::group_key(volume)).or_default().push(member);
        }
    }
    if behavior.hostpath_provisioning {
        add_created_volumes(snapshot, behavior, new, &reserved, &mut groups);
    }
    for group in groups.values_mut() {
        group.sort_by(|a, b| a.capacity.compare(&b.capacity).then(a.object.cmp(&b.object)));
    }
    if groups.is_empty() {
        return;
    }

    // Claims that may search are grouped by their criteria. Claims with a selector are joined one by one.
    let mut searches: BTreeMap<SearchKey, Vec<(Quantity, ObjectId)>> = BTreeMap::new();
    for (id, claim) in claims(snapshot, new) {
        if !may_search(claim) || reserved.contains(&id) {
            continue;
        }
        for class in searched_classes(snapshot, behavior, claim) {
            if claim.selector.is_some() {
                join_selecting(snapshot, behavior, links, (id, claim), &class, &groups);
                continue;
            }
            let key = SearchKey {
                class,
                mode: claim.mode(),
                attributes_class: claim.attributes_class().into(),
                requested: claim.access_modes.set(),
            };
            let request = claim.requested().unwrap_or(Quantity::ZERO);
            searches.entry(key).or_default().push((request, id));
        }
    }
    for (search, claims) in &searches {
        let Some((smallest, first)) = claims.iter().min_by(|(a, _), (b, _)| a.compare(b)) else { continue };
        for (key, members) in &groups {
            let alike = key.class == search.class
                && key.mode == search.mode
                && (!behavior.attributes_class || key.attributes_class == search.attributes_class)
                && search.requested.is_subset_of(key.access_modes);
            let Some(GroupMember { capacity: largest, object: last }) = members.last().filter(|_| alike) else {
                continue;
            };
            if largest.compare(smallest).is_lt() {
                continue;
            }
            for (request, claim) in claims {
                if request.compare(largest).is_le() {
                    links.join(*claim, *last);
                }
            }
            for GroupMember { capacity, object } in members {
                if capacity.compare(smallest).is_ge() {
                    links.join(*object, *first);
                }
            }
        }
    }
}

/// Returns whether the controllers never delete the volume.
pub fn is_permanent(volume: &PersistentVolume) -> bool {
    !volume.terminating() && volume.reclaim_policy != ReclaimPolicy::Delete
}

/// Joins each claim whose search is invalid with the volumes on which the search depends. Upstream reads the selector
/// and the attributes class only if some volume has the requested access modes. So an invalid search fails only while
/// there is such a volume. The search depends on all such volumes, unless one of them always exists.
fn join_invalid_searches(snapshot: &Snapshot, behavior: &KubernetesBehavior, new: &[NewClaim], links: &mut Links<'_>) {
    for (id, claim) in claims(snapshot, new) {
        if !may_search(claim) || Query::new(behavior, claim, false).is_ok() {
            continue;
        }
        let has_modes = |volume: &PersistentVolume| volume.access_modes.set().contains_all(&claim.access_modes);
        if snapshot.volumes().iter().any(|volume| is_permanent(volume) && has_modes(volume)) {
            continue;
        }
        for (volume, _) in snapshot.with_ids().filter(|(_, volume)| has_modes(volume)) {
            links.join(id, volume);
        }
        if behavior.hostpath_provisioning {
            // A volume that is provisioned for another claim has the access modes of that claim.
            for (other, rival) in claims(snapshot, new) {
                if may_search(rival) && rival.access_modes.set().contains_all(&claim.access_modes) {
                    links.join(id, other);
                }
            }
        }
    }
}

fn join_selecting(
    snapshot: &Snapshot,
    behavior: &KubernetesBehavior,
    links: &mut Links<'_>,
    (id, claim): (ObjectId, &PersistentVolumeClaim),
    class: &Str,
    groups: &BTreeMap<GroupKey, Vec<GroupMember>>,
) {
    let Ok(query) = Query::new(behavior, claim, false) else { return };
    let request = claim.requested().unwrap_or(Quantity::ZERO);
    for (key, members) in groups {
        let alike = key.class == *class
            && key.mode == claim.mode()
            && (!behavior.attributes_class || key.attributes_class == claim.attributes_class())
            && key.access_modes.contains_all(&claim.access_modes);
        if !alike {
            continue;
        }
        for member in members {
            // Volumes that the controller creates have no labels.
            let labels = member.object.of().map_or(&[][..], |id| &*snapshot.volume(id).meta.labels);
            let selected = query.selector().is_none_or(|selector| selector.matches(labels));
            if member.capacity.compare(&request).is_ge() && selected {
                links.join(id, member.object);
            }
        }
    }
}
