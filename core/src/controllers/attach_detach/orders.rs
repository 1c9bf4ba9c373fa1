//! Orders that are not fixed, because upstream takes the entries from a map.

use crate::world::Choices;
use std::collections::{BTreeMap, BTreeSet};

/// Puts the entries in one of the orders that can differ: those of entries that have a common key, directly or through
/// others. All other entries keep their order.
pub(super) fn pick<T, K: Ord>(entries: Vec<T>, keys: impl Fn(&T) -> Vec<K>, choices: &mut Choices) -> Vec<T> {
    let keys: Vec<Vec<K>> = entries.iter().map(keys).collect();
    let mut with: BTreeMap<&K, Vec<usize>> = BTreeMap::new();
    for (at, keys) in keys.iter().enumerate() {
        for key in keys {
            with.entry(key).or_default().push(at);
        }
    }
    let mut left: Vec<Option<T>> = entries.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(left.len());
    for first in 0..left.len() {
        while left[first].is_some() {
            let mut group = BTreeSet::from([first]);
            let mut open = vec![first];
            while let Some(one) = open.pop() {
                let others = keys[one].iter().filter_map(|key| with.get(key)).flatten();
                open.extend(others.copied().filter(|other| left[*other].is_some() && group.insert(*other)));
            }
            let picked = group.iter().nth(choices.pick(group.len())).copied().unwrap_or(first);
            ordered.extend(left[picked].take());
        }
    }
    ordered
}
