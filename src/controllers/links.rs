//! Which objects can influence each other: union-find over names and over groups of alike objects, never over pairs.

use crate::model::{Kind, ObjectId};
use crate::snapshot::Snapshot;

/// All objects of some kinds, joined where they can influence each other. With path halving.
#[derive(Debug)]
pub struct Links {
    /// Each kind with the place of its first object, in the order of the kinds.
    kinds: Vec<(Kind, u32)>,
    parent: Vec<u32>,
}

impl Links {
    /// The objects of those kinds, which are in order, none of them joined.
    pub fn new(snapshot: &Snapshot, kinds: &[Kind]) -> Self {
        let mut length = 0u32;
        let start = |kind: &Kind| {
            let start = length;
            length = length.saturating_add(u32::try_from(snapshot.count(*kind)).unwrap_or(u32::MAX));
            (*kind, start)
        };
        let kinds = kinds.iter().map(start).collect();
        Self { kinds, parent: (0..length).collect() }
    }

    /// Nothing where no controller looks at that kind.
    fn place(&self, id: ObjectId) -> Option<usize> {
        let (_, start) = self.kinds.iter().find(|(kind, _)| *kind == id.kind)?;
        Some((start + id.at) as usize)
    }

    fn root(&mut self, mut place: usize) -> usize {
        while self.parent[place] as usize != place {
            let parent = self.parent[place] as usize;
            self.parent[place] = self.parent[parent];
            place = parent;
        }
        place
    }

    /// The two objects, and all that are joined to one of them, can influence each other.
    pub fn join(&mut self, a: impl Into<ObjectId>, b: impl Into<ObjectId>) {
        if let (Some(a), Some(b)) = (self.place(a.into()), self.place(b.into())) {
            let (a, b) = (self.root(a), self.root(b));
            self.parent[a] = u32::try_from(b).unwrap_or(u32::MAX);
        }
    }

    /// The objects that are joined, in the order of the first of each group, each group in order.
    pub fn groups(mut self) -> Vec<Vec<ObjectId>> {
        let mut groups: Vec<Vec<ObjectId>> = Vec::new();
        let mut number_of: Vec<usize> = vec![usize::MAX; self.parent.len()];
        let ends: Vec<u32> = self.kinds.iter().skip(1).map(|(_, start)| *start).collect();
        let length = u32::try_from(self.parent.len()).unwrap_or(u32::MAX);
        for ((kind, start), end) in self.kinds.clone().into_iter().zip(ends.into_iter().chain([length])) {
            for place in start..end {
                let root = self.root(place as usize);
                if number_of[root] == usize::MAX {
                    number_of[root] = groups.len();
                    groups.push(Vec::new());
                }
                groups[number_of[root]].push(ObjectId { kind, at: place - start });
            }
        }
        groups
    }
}
