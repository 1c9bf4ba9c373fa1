//! Sets of possible orders of the volumes in the scheduler's cache.

use std::collections::BTreeMap;

/// The set of all orders of the volumes in which certain volumes come before certain others.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order<'s> {
    /// For a volume, the volumes that come after it, sorted by name.
    after: BTreeMap<&'s str, Vec<&'s str>>,
}

impl<'s> Order<'s> {
    /// Restricts the orders to those in which the first volume comes before the others. Returns whether such an order
    /// exists.
    pub fn begin(&mut self, volumes: &[&'s str]) -> bool {
        let Some((first, others)) = volumes.split_first() else { return true };
        if others.is_empty() {
            return true;
        }
        if others.iter().any(|other| self.is_before(other, first)) {
            return false;
        }
        let after = self.after.entry(first).or_default();
        after.extend(others);
        after.sort_unstable();
        after.dedup();
        true
    }

    /// Restricts the orders to those that are also in the other set. Returns whether such an order exists.
    pub fn join(&mut self, other: &Self) -> bool {
        other.after.iter().all(|(first, others)| {
            let mut volumes = vec![*first];
            volumes.extend(others);
            self.begin(&volumes)
        })
    }

    fn is_before(&self, one: &'s str, other: &str) -> bool {
        let mut seen = Vec::new();
        let mut open = vec![one];
        while let Some(volume) = open.pop() {
            for next in self.after.get(volume).into_iter().flatten() {
                if *next == other {
                    return true;
                }
                if !seen.contains(next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        false
    }
}
