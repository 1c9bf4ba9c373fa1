//! The choices of a sync: points at which upstream's result depends on an order that is not fixed.

use crate::model::{Kind, ObjectId};
use std::sync::Arc;

/// The objects that a search found. There may be many, so the kind is stored only once.
#[derive(Clone, Debug)]
pub(super) struct SearchCandidates {
    pub(super) kind: Kind,
    pub(super) places: Arc<[u32]>,
}

/// The choices of one run: a script of the options to take, and the choices that were made.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    script: Vec<usize>,
    met: Vec<(usize, usize)>,
    /// The objects that the first search of the sync found. No choice is made before the first search, so the search
    /// finds the same objects in every run of one sync. Therefore, only the first run makes this search.
    found: Option<SearchCandidates>,
    searches: u32,
}

impl Choices {
    /// Returns a script that takes the first option at every choice.
    pub fn first() -> Self {
        Self::default()
    }

    /// Picks among `options` equal possibilities. Returns 0 if there is nothing to pick.
    pub fn pick(&mut self, options: usize) -> usize {
        if options <= 1 {
            return 0;
        }
        let picked = self.script.get(self.met.len()).copied().unwrap_or(0).min(options - 1);
        self.met.push((picked, options));
        picked
    }

    /// Returns an estimate of the number of all runs: the product of the numbers of options at the choices of this run.
    pub fn runs(&self) -> u64 {
        self.met.iter().fold(1, |runs, (_, options)| runs.saturating_mul(*options as u64))
    }

    /// Returns a script that repeats the choices of this run.
    #[must_use]
    pub fn repeat(&self) -> Self {
        Self { script: self.met.iter().map(|(picked, _)| *picked).collect(), ..Self::default() }
    }

    /// Returns the result of the next search of this run, if an earlier run of the same sync made this search.
    pub(super) fn found(&mut self) -> Option<SearchCandidates> {
        self.searches += 1;
        self.found.clone().filter(|_| self.searches == 1)
    }

    /// Stores the result of the last search, if it was the first search of the run.
    pub(super) fn keep(&mut self, found: &SearchCandidates) {
        if self.searches == 1 {
            self.found = Some(found.clone());
        }
    }

    /// Returns the picked object, and the objects that the next runs would pick, in order. The value is `None` if the
    /// run made several choices, or if its only choice was not among the results of the first search.
    pub fn only_search(&self) -> Option<(ObjectId, impl Iterator<Item = ObjectId>)> {
        let ([(picked, options)], Some(found)) = (self.met.as_slice(), &self.found) else { return None };
        let kind = found.kind;
        let (chosen, others) = found.places.get(*picked..)?.split_first()?;
        let others = others.iter().map(move |at| ObjectId { kind, at: *at });
        (found.places.len() == *options).then_some((ObjectId { kind, at: *chosen }, others))
    }

    /// Returns the choices of the run that is `runs` runs later than this one. All these runs differ only in the last
    /// choice.
    #[must_use]
    pub fn passing(mut self, runs: usize) -> Self {
        if let Some((picked, options)) = self.met.last_mut() {
            *picked = (*picked + runs).min(*options - 1);
        }
        self
    }

    /// Returns the script of the next run in order, if there is one. The script is valid only for a run of the same
    /// sync in the same world.
    pub fn next(&self) -> Option<Self> {
        let last = self.met.iter().rposition(|(picked, options)| picked + 1 < *options)?;
        let mut script: Vec<usize> = self.met[..=last].iter().map(|(picked, _)| *picked).collect();
        script[last] += 1;
        Some(Self { script, found: self.found.clone(), ..Self::default() })
    }
}
