//! The sets of outcomes that follow from the ends, for every member of a group.

use super::ObjectState;
use super::ends::Ends;
use super::groups::size_of;
use super::growth::Growth;
use crate::controllers::outcome::max_listed;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::controllers::settings::Limit;
use crate::controllers::{Outcome, OutcomeSet};
use crate::model::{Kind, ObjectId, PersistentVolume, Quantity, Str, TypedId};

use crate::snapshot::Snapshot;
use rustc_hash::FxHashMap;

/// The members of a group, sorted by size. For each member, `first` has the first objects by name among this member and
/// the members before it.
struct MembersBySize {
    sizes: Vec<Quantity>,
    first: Vec<Vec<ObjectId>>,
}

/// The sets of outcomes. All members of a group that have the same size share one set.
pub(super) struct Sets<'g, 'a, 's> {
    growth: &'g Growth<'a, 's>,
    ends: &'g Ends,
    by_size: FxHashMap<usize, MembersBySize>,
    known: FxHashMap<(usize, Quantity), OutcomeSet>,
}

impl<'g, 'a, 's> Sets<'g, 'a, 's> {
    pub(super) fn new(growth: &'g Growth<'a, 's>, ends: &'g Ends) -> Self {
        Self { growth, ends, by_size: FxHashMap::default(), known: FxHashMap::default() }
    }

    pub(super) fn of(&mut self, target: ObjectId) -> OutcomeSet {
        let group = self.growth.groups.of(target).unwrap_or_default();
        let size = size_of(self.growth.snapshot, target);
        if let Some(known) = self.known.get(&(group, size)) {
            return known.clone();
        }
        let set = self.build(target, group, &size);
        self.known.insert((group, size), set.clone());
        set
    }

    fn build(&mut self, target: ObjectId, group: usize, size: &Quantity) -> OutcomeSet {
        let growth = self.growth;
        let standing = growth.groups.members[group][0];
        let place = growth.places.get(&standing).copied().unwrap_or_default();
        let limit = growth.settings.outcomes;
        let mut kinds: Vec<(Outcome, Option<usize>)> = self.ends[place]
            .iter()
            .map(|number| self.kind_of(target, &growth.objects[place].states[*number]))
            .collect();
        kinds.extend(self.destroyed(target, place));
        kinds.sort();
        kinds.dedup();
        let mut count = 0u64;
        let mut listed: Vec<Outcome> = Vec::new();
        for (outcome, partners) in kinds {
            match partners {
                None => {
                    count += 1;
                    listed.push(outcome);
                }
                Some(partners) => {
                    let (members, names) = self.members(partners, target, size, limit);
                    count += members;
                    listed.extend(names.into_iter().map(|name| named(growth.snapshot, &outcome, name)));
                }
            }
        }
        OutcomeSet::counted(listed, count, false, limit)
    }

    /// Returns the additional outcomes of a volume whose storage the controller itself may delete or scrub. States do
    /// not show whether this happened. So an end can be two outcomes: with this action and without it.
    fn destroyed(&self, target: ObjectId, place: usize) -> Vec<(Outcome, Option<usize>)> {
        let Some(id) = target.of::<PersistentVolume>() else { return Vec::new() };
        let growth = self.growth;
        let behavior = &growth.settings.behavior;
        let fate = data_fate(behavior, growth.snapshot.volume(id));
        if !matches!(fate, DataFate::Destroyed | DataFate::Scrubbed) {
            return Vec::new();
        }
        let ends = self.ends[place].iter().map(|number| &growth.objects[place].states[*number]);
        ends.filter_map(|state| match state {
            ObjectState::Volume(None) if fate == DataFate::Scrubbed => {
                Outcome::of_volume(behavior, None, false, false).with_scrubbing(true).pop()
            }
            ObjectState::Volume(_) if fate == DataFate::Scrubbed => None,
            ObjectState::Volume(volume) => Some(Outcome::of_volume(behavior, volume.as_deref(), true, false)),
            ObjectState::Claim(_) => None,
        })
        .map(|outcome| (outcome, None))
        .collect()
    }

    /// Returns the outcome that a state means, and the group of the object that the outcome names. If the group has
    /// several members, the outcome leaves out the name, because it can name any of them. Otherwise the outcome has the
    /// name, and the group is `None`.
    fn kind_of(&self, target: ObjectId, state: &ObjectState) -> (Outcome, Option<usize>) {
        let (snapshot, groups) = (self.growth.snapshot, self.growth.groups);
        let several = |group: &usize| groups.members[*group].len() > 1;
        match state {
            ObjectState::Volume(volume) if target.kind == Kind::PersistentVolume => {
                let outcome = Outcome::of_volume(&self.growth.settings.behavior, volume.as_deref(), false, false);
                let claim = volume.as_ref().and_then(|volume| volume.claim_ref.as_ref()).and_then(|named| {
                    let id = snapshot.claim_id(&named.namespace, &named.name)?;
                    (snapshot.claim(id).meta.uid == named.uid).then_some(ObjectId::from(id))
                });
                match claim.and_then(|claim| groups.of(claim)).filter(several) {
                    Some(group) => (outcome.with_claim(<(Str, Str, Str)>::default()), Some(group)),
                    None => (outcome, None),
                }
            }
            ObjectState::Claim(claim) => {
                let outcome = Outcome::of_claim(claim.as_deref(), false);
                let volume = claim.as_ref().and_then(|claim| snapshot.volume_id(&claim.volume_name));
                match volume.and_then(|id| groups.of(id.into())).filter(several) {
                    Some(group) => (outcome.with_volume(Str::const_new("?")), Some(group)),
                    None => (outcome, None),
                }
            }
            ObjectState::Volume(_) => (Outcome::of_claim(None, false), None),
        }
    }

    /// Returns how many members of a group can be the partner of an object of this size, and the first of these members
    /// by name.
    fn members(&mut self, group: usize, of: ObjectId, size: &Quantity, limit: Limit) -> (u64, Vec<ObjectId>) {
        let (snapshot, groups) = (self.growth.snapshot, self.growth.groups);
        let members = &groups.members[group];
        if !groups.sizes_differ {
            return (members.len() as u64, members.iter().copied().take(max_listed(limit)).collect());
        }
        let ladder = self.by_size.entry(group).or_insert_with(|| {
            let mut first: Vec<Vec<ObjectId>> = Vec::with_capacity(members.len());
            for member in members {
                let mut names = first.last().cloned().unwrap_or_default();
                if let Err(free) = names.binary_search(member) {
                    names.insert(free, *member);
                }
                names.truncate(max_listed(limit));
                first.push(names);
            }
            MembersBySize { sizes: members.iter().map(|member| size_of(snapshot, *member)).collect(), first }
        });
        // Volumes are sorted from the largest to the smallest, claims from the smallest request to the largest.
        let fitting = ladder.sizes.partition_point(|other| {
            if of.kind == Kind::PersistentVolumeClaim {
                size.compare(other).is_le()
            } else {
                other.compare(size).is_le()
            }
        });
        let names = fitting.checked_sub(1).map(|last| ladder.first[last].clone()).unwrap_or_default();
        (fitting as u64, names)
    }
}

/// Returns the same outcome with this partner.
fn named(snapshot: &Snapshot, outcome: &Outcome, partner: ObjectId) -> Outcome {
    match partner.typed() {
        TypedId::PersistentVolume(id) => outcome.clone().with_volume(snapshot.volume(id).meta.name.clone()),
        TypedId::PersistentVolumeClaim(id) => {
            let meta = &snapshot.claim(id).meta;
            outcome.clone().with_claim((meta.namespace.clone(), meta.name.clone(), meta.uid.clone()))
        }
        _ => outcome.clone(),
    }
}
