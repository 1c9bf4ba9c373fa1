//! Where upstream's result depends on an order that nobody controls, a sync asks here.

use crate::model::{Kind, ObjectId};
use std::sync::Arc;

/// The objects that a search found. They may be many, so that the kind is kept once.
#[derive(Clone, Debug)]
pub(super) struct SearchCandidates {
    pub(super) kind: Kind,
    pub(super) places: Arc<[u32]>,
}

/// The choices of one run: a script to follow, and what was met on the way.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    script: Vec<usize>,
    met: Vec<(usize, usize)>,
    /// The objects among which the first search of such a sync picks. Nothing was picked before it, so that it finds
    /// the same in every run of one sync, and is made in the first one only.
    found: Option<SearchCandidates>,
    searches: u32,
}

impl Choices {
    /// Every choice falls on the first option.
    pub fn first() -> Self {
        Self::default()
    }

    /// Picks among `options` equal possibilities; 0 when there is nothing to pick.
    pub fn pick(&mut self, options: usize) -> usize {
        if options <= 1 {
            return 0;
        }
        let picked = self.script.get(self.met.len()).copied().unwrap_or(0).min(options - 1);
        self.met.push((picked, options));
        picked
    }

    /// How many runs there are in all, as far as this run can tell: the product of the options at each choice.
    pub fn runs(&self) -> u64 {
        self.met.iter().fold(1, |runs, (_, options)| runs.saturating_mul(*options as u64))
    }

    /// The same choices once more.
    #[must_use]
    pub fn repeat(&self) -> Self {
        Self { script: self.met.iter().map(|(picked, _)| *picked).collect(), ..Self::default() }
    }

    /// What the next search of this run finds, where an earlier run of the same sync made it.
    pub(super) fn found(&mut self) -> Option<SearchCandidates> {
        self.searches += 1;
        self.found.clone().filter(|_| self.searches == 1)
    }

    /// Keeps what the search found that was asked for last.
    pub(super) fn keep(&mut self, found: &SearchCandidates) {
        if self.searches == 1 {
            self.found = Some(found.clone());
        }
    }

    /// The object that was picked and the ones that would be picked in the next runs, in order: where that is the only
    /// choice of this run, and the first search made it.
    pub fn only_search(&self) -> Option<(ObjectId, impl Iterator<Item = ObjectId>)> {
        let ([(picked, options)], Some(found)) = (self.met.as_slice(), &self.found) else { return None };
        let kind = found.kind;
        let (chosen, others) = found.places.get(*picked..)?.split_first()?;
        let others = others.iter().map(move |at| ObjectId { kind, at: *at });
        (found.places.len() == *options).then_some((ObjectId { kind, at: *chosen }, others))
    }

    /// The same choices after that many more runs that differ in the last of them.
    #[must_use]
    pub fn passing(mut self, runs: usize) -> Self {
        if let Some((picked, options)) = self.met.last_mut() {
            *picked = (*picked + runs).min(*options - 1);
        }
        self
    }

    /// The script of the next run in order, if there is one. It is for a run of the same sync in the same world.
    pub fn next(&self) -> Option<Self> {
        let last = self.met.iter().rposition(|(picked, options)| picked + 1 < *options)?;
        let mut script: Vec<usize> = self.met[..=last].iter().map(|(picked, _)| *picked).collect();
        script[last] += 1;
        Some(Self { script, found: self.found.clone(), ..Self::default() })
    }
}
