//! Look-ups by name in the sorted objects. The names themselves are not stored a second time.

use super::kinds::Index;
use crate::model::{Kind, List, ObjectMeta, Objects};
use rustc_hash::FxBuildHasher;
use std::cmp::Ordering;
use std::hash::BuildHasher as _;

/// The places of objects by namespace and name. It is a hash table with open addressing that holds only places. The
/// names are in the objects.
#[derive(Debug)]
pub(super) struct Names {
    /// The slots. Their number is a power of two, and at most half of them are used.
    slots: Vec<u32>,
}

impl Names {
    /// The value of a slot without an object.
    const FREE: u32 = u32::MAX;

    fn new(objects: &dyn List) -> Self {
        let mut slots = vec![Self::FREE; (objects.length() * 2).next_power_of_two()];
        for place in ids(objects.length()) {
            let meta = objects.meta(place as usize);
            let mut at = Self::slot(slots.len(), &meta.namespace, &meta.name);
            while slots[at] != Self::FREE {
                at = (at + 1) % slots.len();
            }
            slots[at] = place;
        }
        Self { slots }
    }

    fn slot(length: usize, namespace: &str, name: &str) -> usize {
        let hash = FxBuildHasher.hash_one((namespace, name));
        usize::try_from(hash % length as u64).unwrap_or(0)
    }

    pub(super) fn place<'m>(&self, meta: impl Fn(usize) -> &'m ObjectMeta, namespace: &str, name: &str) -> Option<u32> {
        let mut at = Self::slot(self.slots.len(), namespace, name);
        while self.slots[at] != Self::FREE {
            let found = meta(self.slots[at] as usize);
            if found.name == name && found.namespace == namespace {
                return Some(self.slots[at]);
            }
            at = (at + 1) % self.slots.len();
        }
        None
    }
}

/// Returns the names of each kind, and the index for other look-ups.
pub(super) fn of(objects: &Objects) -> ([Names; Kind::COUNT], Index) {
    let total = objects.lists().iter().map(|list| list.length()).sum();
    both(total, || objects.lists().map(Names::new), || Index::new(objects))
}

/// Runs two functions. They run in parallel if there are so many objects that a second thread saves time.
pub(super) fn both<A, B: Send>(objects: usize, one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    const MANY: usize = 10_000;
    if objects < MANY {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        (one(), other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Returns the places as 32-bit numbers. An input with more than four thousand million objects does not fit into
/// memory.
pub(super) fn ids(length: usize) -> std::ops::Range<u32> {
    0..u32::try_from(length).unwrap_or(u32::MAX)
}

/// Returns the entries of a sorted list for which `compare` returns `Equal`.
pub(super) fn equal_range<T>(sorted: &[T], compare: impl Fn(&T) -> Ordering) -> &[T] {
    let start = sorted.partition_point(|entry| compare(entry) == Ordering::Less);
    let length = sorted[start..].partition_point(|entry| compare(entry) == Ordering::Equal);
    &sorted[start..start + length]
}
