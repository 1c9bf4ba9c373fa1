//! This module has a union-find of the objects that take part in a simulation. The description of each modelled
//! controller has a function that joins the objects that can influence each other. The functions join objects by names
//! and by groups of similar objects. So no code has to visit all pairs of objects.

use super::{CONTROLLERS, Controller};
use crate::model::{Kind, ObjectId};
use crate::snapshot::Snapshot;

/// The objects that take part in a simulation. The objects of a kind have consecutive numbers, in the order of
/// namespace and name.
#[derive(Debug)]
pub struct Participants {
    kinds: Vec<Numbered>,
    count: u32,
}

/// The objects of one kind that take part.
#[derive(Debug)]
struct Numbered {
    kind: Kind,
    /// The number of the first object of the kind.
    start: u32,
    /// The places of the objects in the snapshot, in order. `None` means that all objects of the kind take part.
    places: Option<Vec<u32>>,
}

impl Participants {
    /// Selects the objects that take part. If a controller of [`CONTROLLERS`] syncs a kind without a filter, all
    /// objects of this kind take part, even if this controller is not one of `controllers`. An object of another kind
    /// takes part only if the filter (`takes`) of a controller in `controllers` accepts the object.
    pub fn new(snapshot: &Snapshot, controllers: &[Controller]) -> Self {
        let mut kinds: Vec<Kind> = CONTROLLERS.iter().flat_map(|controller| controller.syncs).copied().collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut count = 0_u32;
        let numbered = |kind: Kind| {
            let all = u32::try_from(snapshot.count(kind)).unwrap_or(u32::MAX);
            let of_kind = |controller: &&Controller| controller.syncs.contains(&kind);
            let places = CONTROLLERS.iter().filter(of_kind).all(|controller| controller.takes.is_some()).then(|| {
                let takes: Vec<_> = controllers.iter().filter(of_kind).filter_map(|taker| taker.takes).collect();
                let is_taken = |at: &u32| {
                    let object = snapshot.object(ObjectId { kind, at: *at });
                    object.is_some_and(|object| takes.iter().any(|takes| takes(&object)))
                };
                (0..all).filter(is_taken).collect::<Vec<u32>>()
            });
            let start = count;
            let taken = places.as_ref().map_or(all, |places| u32::try_from(places.len()).unwrap_or(u32::MAX));
            count = count.saturating_add(taken);
            Numbered { kind, start, places }
        };
        let kinds = kinds.into_iter().map(numbered).collect();
        Self { kinds, count }
    }

    /// Returns the number of objects that take part.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns the number of an object, or `None` if the object does not take part.
    pub fn number(&self, id: ObjectId) -> Option<usize> {
        let Numbered { start, places, .. } = self.kinds.iter().find(|numbered| numbered.kind == id.kind)?;
        let place = match places {
            None => id.at,
            Some(places) => u32::try_from(places.binary_search(&id.at).ok()?).ok()?,
        };
        Some((start + place) as usize)
    }

    /// Returns the objects in the order of their numbers.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let ends = self.kinds.iter().skip(1).map(|numbered| numbered.start).chain([self.count]);
        self.kinds.iter().zip(ends).flat_map(|(Numbered { kind, start, places }, end)| {
            let at = move |number: u32| match places {
                None => number,
                Some(places) => places[number as usize],
            };
            (0..end - start).map(move |number| ObjectId { kind: *kind, at: at(number) })
        })
    }
}

/// The union-find of the objects that take part, with path halving. Objects that can influence each other are joined.
#[derive(Debug)]
pub struct Links<'p> {
    participants: &'p Participants,
    parent: Vec<u32>,
}

impl<'p> Links<'p> {
    /// Makes a union-find in which no objects are joined.
    pub fn new(participants: &'p Participants) -> Self {
        Self { participants, parent: (0..participants.count).collect() }
    }

    fn root(&mut self, mut place: usize) -> usize {
        while self.parent[place] as usize != place {
            let parent = self.parent[place] as usize;
            self.parent[place] = self.parent[parent];
            place = parent;
        }
        place
    }

    /// Joins the two objects, because they can influence each other. All objects that are joined to one of them are
    /// then joined to the other one too.
    pub fn join(&mut self, a: impl Into<ObjectId>, b: impl Into<ObjectId>) {
        if let (Some(a), Some(b)) = (self.participants.number(a.into()), self.participants.number(b.into())) {
            let (a, b) = (self.root(a), self.root(b));
            self.parent[a] = u32::try_from(b).unwrap_or(u32::MAX);
        }
    }

    /// Returns the groups of joined objects. The groups are sorted by their first object, and the objects of each group
    /// are sorted.
    pub fn groups(mut self) -> Vec<Vec<ObjectId>> {
        let mut groups: Vec<Vec<ObjectId>> = Vec::new();
        let mut number_of: Vec<usize> = vec![usize::MAX; self.parent.len()];
        for (number, id) in self.participants.ids().enumerate() {
            let root = self.root(number);
            if number_of[root] == usize::MAX {
                number_of[root] = groups.len();
                groups.push(Vec::new());
            }
            groups[number_of[root]].push(id);
        }
        groups
    }
}
