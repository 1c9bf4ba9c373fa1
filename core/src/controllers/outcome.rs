//! The end states of an object: the states that no sync changes any more, and the states of a cycle that is never left.

use super::persistent_volume::reclaim::DataFate;
use super::settings::Limit;
use crate::model::{ClaimPhase, Str, VolumePhase};
use std::sync::Arc;

/// One possible end state of one object, as documents print it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The end state of a claim that still exists.
    Claim {
        /// `status.phase`.
        phase: ClaimPhase,
        /// `spec.volumeName`. It is empty if the claim names no volume.
        volume_name: Str,
        /// The remaining finalizers, if the claim is being deleted.
        terminating: Option<Vec<Str>>,
        /// Whether the state belongs to a cycle of states that the object never leaves.
        unsettled: bool,
        /// Whether a controller created the claim during the simulation: either no claim of this name existed before,
        /// or the earlier one is gone.
        created: bool,
    },
    /// The end state of a volume that still exists.
    Volume {
        /// `status.phase`.
        phase: VolumePhase,
        /// Namespace, name and uid of `spec.claimRef`.
        claim_ref: Option<(Str, Str, Str)>,
        /// The remaining finalizers, if the volume is being deleted.
        terminating: Option<Vec<Str>>,
        /// What happens to the data. It is present if the volume is Released or Failed, or if its storage was deleted.
        data: Option<DataFate>,
        /// Whether the state belongs to a cycle of states that the object never leaves.
        unsettled: bool,
    },
    /// The end state of a pod that still exists.
    Pod {
        /// Where the pod is, or why it is nowhere.
        place: PodPlace,
        /// Whether the state belongs to a cycle of states that the object never leaves.
        unsettled: bool,
    },
    /// The object is deleted.
    Gone {
        /// What happened to the data, if the object is a volume.
        data: Option<DataFate>,
        /// Whether the object is gone only in some of the states of a cycle that the world never leaves.
        unsettled: bool,
    },
}

/// Where a pod is, or why it is on no node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PodPlace {
    /// The pod is bound to the node of this name.
    OnNode(Str),
    /// The scheduler has chosen the node of this name, and waits until the volumes of the pod are bound.
    WaitsForVolumes(Str),
    /// The scheduler finds no node, or does not search for one. The text is the message of the condition
    /// `PodScheduled`. It is `None` if the message is not known.
    Unschedulable(Option<Str>),
}

impl PodPlace {
    /// Returns the name of the node that was chosen.
    pub fn node(&self) -> Option<&Str> {
        match self {
            Self::OnNode(node) | Self::WaitsForVolumes(node) => Some(node),
            Self::Unschedulable(_) => None,
        }
    }
}

/// Returns one text with the namespace, the name and the uid of a volume's claim. The text identifies the binding. It
/// is empty if there is no claim.
pub fn binding_of_volume(claim: Option<(&str, &str, &str)>) -> String {
    claim.map_or_else(String::new, |(namespace, name, uid)| format!("{namespace}/{name}[{uid}]"))
}

impl Outcome {
    /// Returns the phase, or `Gone` for a deleted object.
    pub fn phase(&self) -> &str {
        match self {
            Self::Claim { phase, .. } => phase.as_str(),
            Self::Volume { phase, .. } => phase.as_str(),
            Self::Pod { place: PodPlace::OnNode(_), .. } => "Scheduled",
            Self::Pod { place: PodPlace::WaitsForVolumes(_), .. } => "WaitsForVolumes",
            Self::Pod { place: PodPlace::Unschedulable(_), .. } => "Unschedulable",
            Self::Gone { .. } => "Gone",
        }
    }

    /// Returns the same end state with another node, if it names a node.
    #[must_use]
    pub fn on_node(&self, node: &Str) -> Self {
        let mut end = self.clone();
        if let Self::Pod { place: PodPlace::OnNode(name) | PodPlace::WaitsForVolumes(name), .. } = &mut end {
            name.clone_from(node);
        }
        end
    }

    /// Returns whether the state belongs to a cycle of states that the object never leaves.
    pub fn is_unsettled(&self) -> bool {
        match self {
            Self::Claim { unsettled, .. }
            | Self::Volume { unsettled, .. }
            | Self::Pod { unsettled, .. }
            | Self::Gone { unsettled, .. } => *unsettled,
        }
    }

    /// Marks the state as one that belongs to no cycle.
    pub fn settle(&mut self) {
        match self {
            Self::Claim { unsettled, .. }
            | Self::Volume { unsettled, .. }
            | Self::Pod { unsettled, .. }
            | Self::Gone { unsettled, .. } => *unsettled = false,
        }
    }

    /// Returns whether the object still exists in the end state and is being deleted.
    pub fn is_terminating(&self) -> bool {
        match self {
            Self::Claim { terminating, .. } | Self::Volume { terminating, .. } => terminating.is_some(),
            Self::Pod { .. } | Self::Gone { .. } => false,
        }
    }

    /// Returns whether the end state is a loss. It is a loss in three cases: the object is gone, even if a new object
    /// has its name; the object is being deleted and was not before; or the object stays and its data are destroyed.
    pub fn ends_worse(&self, terminating_before: bool) -> bool {
        match self {
            Self::Claim { terminating, created, .. } => *created || (terminating.is_some() && !terminating_before),
            Self::Volume { terminating, data, .. } => {
                (terminating.is_some() && !terminating_before) || *data == Some(DataFate::Destroyed)
            }
            Self::Pod { .. } => false,
            Self::Gone { .. } => true,
        }
    }

    /// Returns a text that identifies the volume, the claim or the node that the object names. The text is empty if the
    /// object names none.
    pub fn binding(&self) -> String {
        match self {
            Self::Claim { volume_name, .. } => volume_name.to_string(),
            Self::Volume { claim_ref, .. } => {
                binding_of_volume(claim_ref.as_ref().map(|(namespace, name, uid)| (&**namespace, &**name, &**uid)))
            }
            Self::Pod { place, .. } => place.node().map(Str::to_string).unwrap_or_default(),
            Self::Gone { .. } => String::new(),
        }
    }
}

/// A set of outcomes. The set lists only its first outcomes, and counts the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeSet {
    /// The listed outcomes, sorted.
    pub listed: Arc<[Outcome]>,
    /// Representatives of the outcomes that are not listed. Outcomes of one sort differ only in the binding, or in the
    /// message of a pod without a node. This field has one outcome of each sort that no listed outcome has.
    others: Arc<[Outcome]>,
    /// The number of outcomes in the set.
    pub count: u64,
    /// Whether every outcome of the set is possible. Unless the set is unknown, no outcome outside the set is possible.
    pub exact: bool,
}

impl OutcomeSet {
    /// Returns the outcomes that an answer with this limit lists.
    pub fn listed_within(&self, limit: Limit) -> &[Outcome] {
        &self.listed[..max_listed(limit).min(self.listed.len())]
    }

    /// Returns whether the end state of the object is certain: the set is exact and has one outcome.
    pub fn is_certain(&self) -> bool {
        self.exact && self.count == 1
    }

    /// Returns the only outcome, if it is certain and listed.
    pub fn only(&self) -> Option<&Outcome> {
        self.listed.first().filter(|_| self.is_certain())
    }

    /// Returns the listed outcomes, and representatives of the others. They show every phase, every fate of the data
    /// and every other property that occurs in the set, except bindings and messages of pods without a node.
    pub fn representatives(&self) -> impl Iterator<Item = &Outcome> {
        self.listed.iter().chain(&*self.others)
    }

    /// Makes a set from all its outcomes.
    pub fn of(mut outcomes: Vec<Outcome>, exact: bool, limit: Limit) -> Self {
        outcomes.sort();
        outcomes.dedup();
        let count = outcomes.len() as u64;
        Self::counted(outcomes, count, exact, limit)
    }

    /// Makes a set of `count` outcomes. The given outcomes include at least every outcome that has to be listed, and
    /// one outcome of each sort.
    pub fn counted(mut outcomes: Vec<Outcome>, count: u64, exact: bool, limit: Limit) -> Self {
        outcomes.sort();
        let mut others: Vec<Outcome> = Vec::new();
        for outcome in outcomes.split_off(max_listed(limit).min(outcomes.len())) {
            if !outcomes.iter().chain(&others).any(|told| told.is_of_the_sort_of(&outcome)) {
                others.push(outcome);
            }
        }
        Self { listed: Arc::from(outcomes), others: Arc::from(others), count, exact }
    }

    /// Returns the union of both sets. The count is exact if both sets list all their outcomes. Otherwise, the count is
    /// an upper limit. The result is never marked exact.
    #[must_use]
    pub fn or(&self, other: &Self, limit: Limit) -> Self {
        let all: Vec<Outcome> = self.representatives().chain(other.representatives()).cloned().collect();
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

    /// Returns the same outcomes, marked as those of an object that a controller created.
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

    /// Returns the same outcomes with other names and uids of the bound objects. A name or uid is replaced if `other`
    /// returns a replacement for it.
    #[must_use]
    pub fn renamed(&self, other: impl Fn(&str) -> Option<Str>) -> Self {
        let renamed = |outcomes: &Arc<[Outcome]>| -> Arc<[Outcome]> {
            let mut outcomes = outcomes.to_vec();
            for outcome in &mut outcomes {
                let texts: &mut [&mut Str] = match outcome {
                    Outcome::Claim { volume_name, .. } => &mut [volume_name],
                    Outcome::Volume { claim_ref: Some((_, name, uid)), .. } => &mut [name, uid],
                    Outcome::Volume { claim_ref: None, .. } | Outcome::Pod { .. } | Outcome::Gone { .. } => &mut [],
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

    /// Returns the empty set, for an object of a kind that has no end states.
    pub fn none() -> Self {
        Self { listed: Arc::default(), others: Arc::default(), count: 0, exact: true }
    }

    /// Returns the set of an object whose end states are not known, because its component has too many states.
    pub fn unknown() -> Self {
        Self { exact: false, ..Self::none() }
    }

    /// Returns whether the end states are not known.
    pub fn is_unknown(&self) -> bool {
        self.count == 0 && !self.exact
    }

    /// Returns the set of an object that does not exist in the end, and never had data.
    pub fn absent() -> Self {
        Self::single(Outcome::Gone { data: None, unsettled: false })
    }

    /// Returns the set of one certain outcome. This outcome is listed under every limit.
    pub fn single(outcome: Outcome) -> Self {
        Self { listed: Arc::from([outcome]), others: Arc::default(), count: 1, exact: true }
    }
}

/// Returns the largest number of outcomes that a set may list under this limit.
pub fn max_listed(limit: Limit) -> usize {
    match limit {
        Limit::AtMost(limit) => limit,
        Limit::All => usize::MAX,
    }
}

/// Returns the smallest values, sorted. It returns at most as many values as the limit allows.
pub fn smallest<T: Ord>(values: impl IntoIterator<Item = T>, limit: Limit) -> Vec<T> {
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
    /// Returns whether two outcomes differ only in the binding, or in the message of a pod without a node.
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
            (Self::Pod { place: _, unsettled }, Self::Pod { place: _, unsettled: round }) => {
                unsettled == round && self.phase() == other.phase()
            }
            _ => self == other,
        }
    }
}

/// The reason why an object has several possible outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecidedBy {
    /// Several volumes match equally well, and the controller or the scheduler may take any of them.
    EqualCandidates,
    /// The order in which the controller syncs objects decides.
    OrderOfSyncs,
    /// Several volumes are recycled at the same time, and their recycler pods interfere.
    SimultaneousRecycling,
    /// Several nodes fit a pod, and the scheduler's scores decide.
    Score,
    /// A driver does what it is asked, or fails.
    Drivers,
    /// A recycler pod succeeds, fails, or never ends.
    Recycler,
    /// A recycler pod of the volume exists already. Either the controller that created it still waits for it, or the
    /// controller has restarted since.
    RecyclerPod,
}

impl DecidedBy {
    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EqualCandidates => "equalCandidates",
            Self::OrderOfSyncs => "orderOfSyncs",
            Self::SimultaneousRecycling => "simultaneousRecycling",
            Self::Score => "score",
            Self::Drivers => "drivers",
            Self::Recycler => "recycler",
            Self::RecyclerPod => "recyclerPod",
        }
    }
}
