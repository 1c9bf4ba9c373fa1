//! The states in which an object can be when nothing moves any more.

use super::persistent_volume::reclaim::DataFate;
use super::settings::Limit;
use crate::model::{ClaimPhase, Str, VolumePhase};
use std::sync::Arc;

/// One possible end state of one object, as the output contract prints it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The end state of a claim that still exists.
    Claim {
        /// `status.phase`.
        phase: ClaimPhase,
        /// `spec.volumeName`; empty for none.
        volume_name: Str,
        /// The finalizers left, where the claim is being deleted.
        terminating: Option<Vec<Str>>,
        /// The object never rests: this is one of the states that it goes round.
        unsettled: bool,
        /// A controller made it, where there was none or an earlier one of the name is gone.
        created: bool,
    },
    /// The end state of a volume that still exists.
    Volume {
        /// `status.phase`.
        phase: VolumePhase,
        /// `spec.claimRef`: namespace, name and uid.
        claim_ref: Option<(Str, Str, Str)>,
        /// The finalizers left, where the volume is being deleted.
        terminating: Option<Vec<Str>>,
        /// What happens to the data, where a reclaim policy decides that.
        data: Option<DataFate>,
        /// The object never rests: this is one of the states that it goes round.
        unsettled: bool,
    },
    /// The object is deleted.
    Gone {
        /// What happened to the data, where the object is a volume.
        data: Option<DataFate>,
        /// The object is gone in some of the states that the world goes round.
        unsettled: bool,
    },
}

/// A volume's claim with its uid, as one text that tells bindings apart; empty for none.
pub fn binding_of_volume(claim: Option<(&str, &str, &str)>) -> String {
    claim.map_or_else(String::new, |(namespace, name, uid)| format!("{namespace}/{name}[{uid}]"))
}

impl Outcome {
    /// The phase; `Gone` for an object that is deleted.
    pub fn phase(&self) -> &str {
        match self {
            Self::Claim { phase, .. } => phase.as_str(),
            Self::Volume { phase, .. } => phase.as_str(),
            Self::Gone { .. } => "Gone",
        }
    }

    /// Whether the object is being deleted in the end, and still there.
    pub fn is_terminating(&self) -> bool {
        match self {
            Self::Claim { terminating, .. } | Self::Volume { terminating, .. } => terminating.is_some(),
            Self::Gone { .. } => false,
        }
    }

    /// Whether the object is being deleted in the end and was not before, or is gone, even if another one has its name
    /// then, or its data are destroyed while it stays.
    pub fn ends_worse(&self, terminating_before: bool) -> bool {
        match self {
            Self::Claim { terminating, created, .. } => *created || (terminating.is_some() && !terminating_before),
            Self::Volume { terminating, data, .. } => {
                (terminating.is_some() && !terminating_before) || *data == Some(DataFate::Destroyed)
            }
            Self::Gone { .. } => true,
        }
    }

    /// What it is bound to, as one text that tells bindings apart; empty for none.
    pub fn binding(&self) -> String {
        match self {
            Self::Claim { volume_name, .. } => volume_name.to_string(),
            Self::Volume { claim_ref, .. } => {
                binding_of_volume(claim_ref.as_ref().map(|(namespace, name, uid)| (&**namespace, &**name, &**uid)))
            }
            Self::Gone { .. } => String::new(),
        }
    }
}

/// A set of outcomes: the first ones in order, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeSet {
    /// The listed ones, sorted.
    pub listed: Arc<[Outcome]>,
    /// Of those that are not listed: one of each sort that none of the listed ones is of.
    others: Arc<[Outcome]>,
    /// How many there are in all.
    pub count: u64,
    /// Whether every one can really happen; no other can in any case.
    pub exact: bool,
}

impl OutcomeSet {
    /// Whether it is known how the object ends: in the one state of the set.
    pub fn is_certain(&self) -> bool {
        self.exact && self.count == 1
    }

    /// That state, where it is listed.
    pub fn only(&self) -> Option<&Outcome> {
        self.listed.first().filter(|_| self.is_certain())
    }

    /// The listed ones, and of those that are not listed as many that every phase, every fate of data and everything
    /// else but a binding is among them that is in the whole set.
    pub fn of_every_sort(&self) -> impl Iterator<Item = &Outcome> {
        self.listed.iter().chain(&*self.others)
    }

    /// The set with all its outcomes at hand.
    pub fn of(mut outcomes: Vec<Outcome>, exact: bool, limit: Limit) -> Self {
        outcomes.sort();
        outcomes.dedup();
        let count = outcomes.len() as u64;
        Self::counted(outcomes, count, exact, limit)
    }

    /// The set of so many, of which at least those are at hand that are listed, and one of each sort.
    pub fn counted(mut outcomes: Vec<Outcome>, count: u64, exact: bool, limit: Limit) -> Self {
        outcomes.sort();
        let mut others: Vec<Outcome> = Vec::new();
        for outcome in outcomes.split_off(most(limit).min(outcomes.len())) {
            if !outcomes.iter().chain(&others).any(|told| told.is_of_the_sort_of(&outcome)) {
                others.push(outcome);
            }
        }
        Self { listed: Arc::from(outcomes), others: Arc::from(others), count, exact }
    }

    /// The set with what is in either. How many that are is known where both list all; else it is at most so many. Not
    /// every one has to be possible.
    #[must_use]
    pub fn or(&self, other: &Self, limit: Limit) -> Self {
        let all: Vec<Outcome> = self.of_every_sort().chain(other.of_every_sort()).cloned().collect();
        let lists_all = |set: &Self| set.listed.len() as u64 == set.count;
        if lists_all(self) && lists_all(other) {
            return Self::of(all, false, limit);
        }
        let mut outcomes = all.clone();
        outcomes.sort();
        outcomes.dedup();
        let twice = (all.len() - outcomes.len()) as u64;
        let count = self.count.saturating_add(other.count).saturating_sub(twice);
        Self::counted(outcomes, count, false, limit)
    }

    /// The same ends of an object that a controller made.
    #[must_use]
    pub fn as_created(&self) -> Self {
        let created = |outcomes: &[Outcome]| {
            let mut outcomes = outcomes.to_vec();
            for outcome in &mut outcomes {
                if let Outcome::Claim { created, .. } = outcome {
                    *created = true;
                }
            }
            Arc::from(outcomes)
        };
        Self { listed: created(&self.listed), others: created(&self.others), ..self.clone() }
    }

    /// The same ends with other names and uids of what objects are bound to, where there are others.
    #[must_use]
    pub fn renamed(&self, other: impl Fn(&str) -> Option<Str>) -> Self {
        let renamed = |outcomes: &Arc<[Outcome]>| -> Arc<[Outcome]> {
            let mut outcomes = outcomes.to_vec();
            for outcome in &mut outcomes {
                let texts: &mut [&mut Str] = match outcome {
                    Outcome::Claim { volume_name, .. } => &mut [volume_name],
                    Outcome::Volume { claim_ref: Some((_, name, uid)), .. } => &mut [name, uid],
                    Outcome::Volume { claim_ref: None, .. } | Outcome::Gone { .. } => &mut [],
                };
                for text in texts {
                    if let Some(other) = other(text) {
                        **text = other;
                    }
                }
            }
            outcomes.into()
        };
        Self { listed: renamed(&self.listed), others: renamed(&self.others), ..self.clone() }
    }

    /// The set of an object of a kind that has no ends.
    pub fn none() -> Self {
        Self { listed: Arc::default(), others: Arc::default(), count: 0, exact: true }
    }

    /// The set of one, which is listed whatever the limit.
    pub fn single(outcome: Outcome) -> Self {
        Self { listed: Arc::from([outcome]), others: Arc::default(), count: 1, exact: true }
    }
}

/// How many of a set are listed at most.
pub fn most(limit: Limit) -> usize {
    match limit {
        Limit::AtMost(limit) => limit,
        Limit::All => usize::MAX,
    }
}

/// The smallest values, sorted, as many as the limit allows.
pub fn cut<T: Ord>(values: impl IntoIterator<Item = T>, limit: Limit) -> Vec<T> {
    let Limit::AtMost(limit) = limit else {
        let mut all: Vec<T> = values.into_iter().collect();
        all.sort();
        return all;
    };
    let mut smallest: std::collections::BinaryHeap<T> = std::collections::BinaryHeap::with_capacity(limit + 1);
    for value in values {
        if smallest.len() < limit {
            smallest.push(value);
        } else if smallest.peek().is_some_and(|largest| value < *largest) {
            smallest.pop();
            smallest.push(value);
        }
    }
    smallest.into_sorted_vec()
}

impl Outcome {
    /// Whether two ends differ at most in what the object is bound to.
    fn is_of_the_sort_of(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Claim { phase, volume_name: _, terminating, unsettled, created },
                Self::Claim { phase: other_phase, volume_name: _, terminating: left, unsettled: round, created: made },
            ) => (phase, terminating, unsettled, created) == (other_phase, left, round, made),
            (
                Self::Volume { phase, claim_ref: _, terminating, data, unsettled },
                Self::Volume { phase: other_phase, claim_ref: _, terminating: left, data: fate, unsettled: round },
            ) => (phase, terminating, data, unsettled) == (other_phase, left, fate, round),
            _ => self == other,
        }
    }
}

/// What decides between several outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecidedBy {
    /// Several volumes are equally good, and the controller takes any of them.
    EqualCandidates,
    /// The order in which the controller syncs objects.
    OrderOfSyncs,
    /// Several volumes are recycled at the same time, and get into each other's way.
    SimultaneousRecycling,
    /// A pod that erases the volume is there already: the controller that made it still waits for it, or another one
    /// has been started since.
    RecyclerPod,
}

impl DecidedBy {
    /// The word of the output contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EqualCandidates => "equalCandidates",
            Self::OrderOfSyncs => "orderOfSyncs",
            Self::SimultaneousRecycling => "simultaneousRecycling",
            Self::RecyclerPod => "recyclerPod",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, Outcome, OutcomeSet};
    use crate::model::{ClaimPhase, Str, VolumePhase};

    /// A limit hides bindings, and nothing that tells how it ends.
    #[test]
    fn every_sort_of_end_is_at_hand_under_any_limit() {
        let bound = |number: usize| Outcome::Claim {
            phase: ClaimPhase::Bound,
            volume_name: Str::from(format!("pv-{number:02}")),
            terminating: None,
            unsettled: false,
            created: false,
        };
        let gone = Outcome::Gone { data: None, unsettled: false };
        let mut ends: Vec<Outcome> = (0..40).map(bound).collect();
        ends.extend([gone.clone(), Outcome::bound_claim(None)]);
        let set = OutcomeSet::of(ends, true, Limit::AtMost(3));
        assert_eq!((set.count, &*set.listed), (42, &[Outcome::bound_claim(None), bound(0), bound(1)][..]));
        assert_eq!(set.of_every_sort().skip(3).collect::<Vec<_>>(), [&gone]);
        let reserved = Outcome::Volume {
            phase: VolumePhase::Available,
            claim_ref: None,
            terminating: Some(Vec::new()),
            data: None,
            unsettled: false,
        };
        let set = OutcomeSet::of(vec![Outcome::plain_volume(None), reserved], true, Limit::AtMost(1));
        assert_eq!(set.of_every_sort().count(), 2, "one is being deleted and one is not");
    }
}
