//! Why each volume fits a claim or not, as data.

use super::node::{OnNode, OnNodeOut, RowOnNode, is_about_node, unread_words};
use crate::controllers::CandidateVerdict;
use crate::controllers::persistent_volume::binding::is_volume_bound_to_claim;
use crate::controllers::persistent_volume::{Candidate, Candidates, Nearness, Search};
use crate::diagnosis::Prospect;
use crate::diagnosis::facts::node_selector_text;
use crate::diagnosis::misfit::{Misfit, misfit};
use crate::model::{AccessMode, AccessModeSet, Kind, PersistentVolume, PersistentVolumeClaim, Quantity};
use crate::report::prediction::{NeedOut, UnknownOut};
use crate::report::shared::machine::{API_VERSION, CoverageOut, Model, ObjectId, coverage_out};
use crate::snapshot::{Absence, CoverageState, Snapshot, VolumeId};
use serde::Serialize;
use std::collections::BTreeMap;

/// The document that `match` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MatchTable<'a> {
    /// The version of the document.
    pub api_version: &'static str,
    /// `MatchTable`.
    pub kind: &'static str,
    /// What the model assumes about Kubernetes.
    pub model: &'a Model,
    /// For each kind and namespace, whether all objects were read.
    pub coverage: Vec<CoverageOut<'a>>,
    /// The claim.
    pub claim: ObjectId<'a>,
    /// What the claim asks for.
    pub asks: AsksOut<'a>,
    /// Whether the claim does not exist yet. Such a claim is compared in the form in which the API server would store
    /// it.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub planned: bool,
    /// The default class that admission would write into a planned claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_class: Option<&'a str>,
    /// How the controller searches for a volume: `matching`, `named` or `completed`.
    pub search: &'static str,
    /// Whether the class delays binding, so that the scheduler chooses the volume.
    pub delayed: bool,
    /// The names of the volumes that the controller may choose now. If there are several, it may choose any of them.
    pub chosen: Vec<&'a str>,
    /// The error of the controller, if it cannot search for a volume at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    /// What kube-scheduler says about the named node. The field is absent if no node was named, or if the answer is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<OnNodeOut<'a>>,
    /// The volumes that are compared with the claim, sorted by name.
    pub items: Vec<MatchRow<'a>>,
    /// The parts that could not be judged. `items`: not all volumes that may fit were read. `delayed`: the class was
    /// not read. `node`: an object that the scheduler needs was not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unknown: Vec<UnknownOut<'a>>,
    /// The node about which the answer is unknown, and the sentence that says why.
    #[serde(skip)]
    pub(super) unknown_node: Option<(&'a str, String)>,
}

/// The fields of a claim that matching compares.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AsksOut<'a> {
    /// The value of `spec.resources.requests.storage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
    /// The value of `spec.accessModes`.
    pub access_modes: Vec<&'a str>,
    /// The name of the class that matching uses. The value is empty if there is no class.
    pub storage_class_name: &'a str,
    /// The value of `spec.volumeMode`.
    pub volume_mode: String,
    /// The value of `spec.volumeName`. The field is absent if it is not set.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub volume_name: &'a str,
}

/// The result of matching for one volume.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MatchRow<'a> {
    /// The volume.
    pub object: ObjectId<'a>,
    /// The value of `spec.capacity.storage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<String>,
    /// The value of `spec.accessModes`.
    pub access_modes: Vec<&'a str>,
    /// The name of the class that matching uses. The value is empty if there is no class.
    pub storage_class_name: &'a str,
    /// The value of `status.phase`.
    pub phase: &'a str,
    /// The first test that the volume fails, or the reason why it may be chosen.
    pub verdict: &'static str,
    /// The verdict that the volume would have if the class did not delay binding. The field is absent if binding is not
    /// delayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_delay: Option<&'static str>,
    /// Whether the volume fits as soon as the controller has synced it for the first time and made it Available.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub once_available: bool,
    /// Whether the volume fits, but matching stops at a volume with fewer access modes.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub not_reached: bool,
    /// The field of the volume that differs from the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// The value of this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The value that the claim asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// When the claim may get the volume in the end: `now` or `later`. The field is absent if the claim never gets the
    /// volume, or if the ends of the claim are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<&'static str>,
    /// What has to happen before the claim may get the volume. The field is absent unless `when` is `later`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The reason in words.
    pub why: String,
    /// The result of the scheduler's search on the named node. The field is absent if the scheduler does not test this
    /// volume there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_node: Option<RowOnNode>,
    /// The sort key for people. A volume that is closer to being chosen has a lower rank.
    #[serde(skip)]
    rank: u8,
    /// The second sort key for people, among volumes of the same rank that do not fit. A volume that fails fewer tests
    /// comes first.
    #[serde(skip)]
    nearness: Option<Nearness>,
    /// The word in the column VERDICT.
    #[serde(skip)]
    pub word: &'static str,
    /// Whether the claimRef of the volume names this claim, with the uid of the claim or without a uid.
    #[serde(skip)]
    reserved: bool,
    #[serde(skip)]
    pub(super) volume: &'a PersistentVolume,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// The input of a table of matches.
#[derive(Clone, Copy, Debug)]
pub struct Matched<'a> {
    /// The objects that were read.
    pub snapshot: &'a Snapshot,
    /// What the model assumes about Kubernetes.
    pub model: &'a Model,
    /// The claim.
    pub claim: &'a PersistentVolumeClaim,
    /// The result of matching for each volume, or why the controller cannot search.
    pub candidates: &'a Result<Candidates, String>,
    /// Whether the claim does not exist yet.
    pub planned: bool,
    /// The default class that admission would write into a planned claim.
    pub default_class: Option<&'a str>,
    /// The volumes that the claim may get in the end. The value is `None` if they are unknown.
    pub prospects: Option<&'a BTreeMap<VolumeId, Prospect>>,
    /// What the scheduler says about the named node.
    pub node: Option<OnNode<'a>>,
}

impl<'a> MatchTable<'a> {
    /// Returns the answer for one claim.
    pub fn new(matched: Matched<'a>) -> Self {
        let Matched { snapshot, model, claim, candidates, planned, default_class, prospects, node } = matched;
        let none = Vec::new();
        let (search, delayed, listed) = match candidates {
            Ok(candidates) => (candidates.search, candidates.delayed, &candidates.listed),
            Err(_) => (Search::Matching, false, &none),
        };
        let mut items = rows(snapshot, claim, search, listed, false);
        for (row, candidate) in items.iter_mut().zip(listed) {
            match prospects.and_then(|prospects| prospects.get(&candidate.volume)) {
                Some(Prospect::Now) => row.when = Some("now"),
                Some(Prospect::Later(first)) => {
                    (row.when, row.first) = (Some("later"), Some(first.clone()));
                    row.why = format!("{}; later, when {first}", row.why);
                }
                None => {}
            }
        }
        let mut unknown = unknown_parts(snapshot, claim, search == Search::Named && !items.is_empty());
        let unread = node.map(|node| node.unread(snapshot)).unwrap_or_default();
        let unknown_node =
            node.filter(|_| !unread.is_empty()).map(|node| (node.node.meta.name.as_str(), unread_words(&unread)));
        unknown.extend(unread.iter().map(|(kind, state)| unknown_part("node", *kind, *state)));
        // If an answer of the scheduler depends on something unknown, it is not used.
        let node = node.filter(|_| unread.is_empty());
        if let Some(node) = node {
            let of_scheduler = node.candidates(snapshot, claim, listed);
            let rows = rows(snapshot, claim, Search::Matching, &of_scheduler, true);
            for (candidate, row) in of_scheduler.iter().zip(&rows) {
                let place = listed.binary_search_by_key(&candidate.volume, |one| one.volume);
                if let Some(item) = place.ok().and_then(|place| items.get_mut(place)) {
                    item.set_on_node(row);
                }
            }
        }
        let chosen = listed
            .iter()
            .filter(|candidate| candidate.may_be_chosen())
            .map(|candidate| snapshot.volume(candidate.volume).meta.name.as_str())
            .collect();
        Self {
            api_version: API_VERSION,
            kind: "MatchTable",
            model,
            coverage: coverage_out(snapshot.coverage()),
            claim: ObjectId::new(Kind::PersistentVolumeClaim, &claim.meta),
            asks: AsksOut {
                storage: claim.requested().map(|request| request.to_string()),
                access_modes: claim.access_modes.0.iter().map(AccessMode::as_str).collect(),
                storage_class_name: claim.class(),
                volume_mode: claim.mode().as_str().to_owned(),
                volume_name: &claim.volume_name,
            },
            planned,
            default_class,
            search: match search {
                Search::Matching => "matching",
                Search::Named => "named",
                Search::Completed => "completed",
            },
            delayed,
            chosen,
            error: candidates.as_ref().err().map(String::as_str),
            node: node.map(|node| OnNodeOut::new(snapshot, claim, node)),
            items,
            unknown,
            unknown_node,
        }
    }

    /// Returns the rows in the order for people. Volumes that are closer to being chosen come first.
    pub fn ranked(&self) -> Vec<&MatchRow<'a>> {
        let mut ranked: Vec<&MatchRow<'a>> = self.items.iter().collect();
        ranked.sort_by_key(|row| row.place());
        ranked
    }
}

/// The ranks of volumes that do not fit. A volume that is reserved for the claim has the rank `RESERVED`. A volume
/// without a claim has the rank `FREE`.
const RESERVED: u8 = 4;
const FREE: u8 = 5;

impl MatchRow<'_> {
    /// Returns the sort key of the order for people.
    fn place(&self) -> (u8, Option<Nearness>, &str) {
        (self.rank, self.nearness, self.object.name)
    }

    /// Returns the capacity. It is zero if the volume states no capacity.
    pub(super) fn size(&self) -> Quantity {
        self.volume.storage().copied().unwrap_or(Quantity::ZERO)
    }

    /// Returns whether the volume fits the claim. A volume that fits is not always one that may be chosen.
    pub fn fits(&self) -> bool {
        self.word != "no"
    }

    /// Copies the order for people from another row about the same volume.
    pub(super) fn take_rank(&mut self, other: &Self) {
        (self.rank, self.nearness, self.word) = (other.rank, other.nearness, other.word);
    }

    /// Returns whether the volume is reserved for the claim, but does not fit it.
    pub fn is_reserved_in_vain(&self) -> bool {
        !self.fits() && self.reserved
    }
}

/// Returns the parts of the answer that are unknown because a kind was not read. If only one volume is compared,
/// `found` says whether it was read.
fn unknown_parts<'a>(snapshot: &Snapshot, claim: &PersistentVolumeClaim, found: bool) -> Vec<UnknownOut<'a>> {
    let part = |field, kind: Kind| match snapshot.coverage().absence(kind, "") {
        Absence::Unknown(state) => Some(unknown_part(field, kind, state)),
        Absence::Certain | Absence::Assumed => None,
    };
    let class_matters = !claim.has_class() || !claim.class().is_empty() && snapshot.class(claim.class()).is_none();
    let volumes = if found { None } else { part("items", Kind::PersistentVolume) };
    let classes = if class_matters && !found { part("delayed", Kind::StorageClass) } else { None };
    volumes.into_iter().chain(classes).collect()
}

fn unknown_part<'a>(field: &'static str, kind: Kind, state: CoverageState) -> UnknownOut<'a> {
    UnknownOut {
        field,
        controller: None,
        needs: NeedOut { verb: "list", resource: kind.resource(), namespace: "" },
        reason: state.as_str(),
    }
}

/// Returns the rows of all candidates. Candidates that are closer to being chosen come first.
pub fn candidate_rows<'a>(
    snapshot: &'a Snapshot,
    claim: &PersistentVolumeClaim,
    candidates: &Candidates,
) -> Vec<MatchRow<'a>> {
    let mut rows = rows(snapshot, claim, candidates.search, &candidates.listed, false);
    rows.sort_by(|a, b| a.place().cmp(&b.place()));
    rows
}

/// Returns the rows of the candidates. `on_node` says whether the verdicts are from the scheduler on a node.
fn rows<'a>(
    snapshot: &'a Snapshot,
    claim: &PersistentVolumeClaim,
    search: Search,
    listed: &[Candidate],
    on_node: bool,
) -> Vec<MatchRow<'a>> {
    let ties = listed.iter().filter(|candidate| candidate.may_be_chosen()).count();
    let fitting = |candidate: &&Candidate| {
        candidate.may_be_chosen() || candidate.verdict == CandidateVerdict::CandidateNotSmaller
    };
    let only = listed.iter().filter(fitting).count() == 1;
    let mut best: BTreeMap<AccessModeSet, (&PersistentVolume, bool)> = BTreeMap::new();
    for candidate in listed.iter().filter(|candidate| candidate.may_be_chosen()) {
        let volume = snapshot.volume(candidate.volume);
        let reserved = candidate.verdict == CandidateVerdict::CandidateReserved;
        best.entry(volume.access_modes.set()).or_insert((volume, reserved));
    }
    listed
        .iter()
        .map(|candidate| {
            let volume = snapshot.volume(candidate.volume);
            // The scheduler compares volumes of all access modes with each other.
            let best = best.get(&volume.access_modes.set()).or_else(|| best.values().next().filter(|_| on_node));
            let judged = Judged { candidate, volume, claim, search, on_node, ties, only, best: best.copied() };
            let differs = judged.misfit();
            let (rank, word) = judged.rank();
            MatchRow {
                object: ObjectId::new(Kind::PersistentVolume, &volume.meta),
                capacity: volume.storage().map(Quantity::to_string),
                access_modes: volume.access_modes.0.iter().map(AccessMode::as_str).collect(),
                storage_class_name: volume.class(),
                phase: volume.status.phase.as_str(),
                verdict: candidate.verdict.name(),
                without_delay: candidate.without_delay.map(CandidateVerdict::name),
                once_available: candidate.once_available,
                not_reached: candidate.not_reached,
                field: differs.as_ref().map(|differs| differs.field),
                value: differs.as_ref().map(|differs| differs.has.clone()),
                wanted: differs.as_ref().map(|differs| differs.wants.clone()),
                when: None,
                first: None,
                why: judged.words(differs.as_ref()),
                on_node: None,
                rank,
                nearness: candidate.nearness.filter(|_| [RESERVED, FREE].contains(&rank)),
                word,
                reserved: judged.is_reserved(),
                volume,
            }
        })
        .collect()
}

/// One candidate, compared with the other candidates.
struct Judged<'j> {
    candidate: &'j Candidate,
    volume: &'j PersistentVolume,
    claim: &'j PersistentVolumeClaim,
    search: Search,
    /// Whether the verdict is from the scheduler on a node.
    on_node: bool,
    /// The number of candidates that may be chosen.
    ties: usize,
    /// Whether exactly one candidate fits.
    only: bool,
    /// The first candidate that may be chosen and has the same access modes, and whether it is reserved for the claim.
    /// For the scheduler, it may have other access modes.
    best: Option<(&'j PersistentVolume, bool)>,
}

impl Judged<'_> {
    /// Returns the verdict that the words explain. It ignores that binding is delayed, because this does not depend on
    /// the volume.
    fn verdict(&self) -> CandidateVerdict {
        self.candidate.without_delay.unwrap_or(self.candidate.verdict)
    }

    fn is_reserved(&self) -> bool {
        is_volume_bound_to_claim(self.volume, self.claim)
    }

    fn misfit(&self) -> Option<Misfit> {
        misfit(self.volume, self.claim, self.verdict())
    }

    fn rank(&self) -> (u8, &'static str) {
        let delayed = self.candidate.without_delay.is_some();
        match self.verdict() {
            CandidateVerdict::CandidateChosen | CandidateVerdict::CandidateReserved if delayed => (1, "scheduler"),
            _ if self.candidate.once_available => (2, "soon"),
            CandidateVerdict::CandidateChosen | CandidateVerdict::CandidateReserved if self.ties > 1 => (0, "tied"),
            CandidateVerdict::CandidateChosen | CandidateVerdict::CandidateReserved => (0, "chosen"),
            CandidateVerdict::CandidateNotSmaller if !self.candidate.not_reached => (2, "fits"),
            CandidateVerdict::CandidateNotSmaller => (3, "fits"),
            _ if self.is_reserved() => (RESERVED, "no"),
            _ if self.volume.claim_ref.is_none() => (FREE, "no"),
            _ => (6, "no"),
        }
    }

    /// Returns the reason in words, if the reason is the node affinity of the volume.
    fn node_words(&self) -> Option<String> {
        let affinity = self.volume.node_affinity.as_deref().filter(|_| is_about_node(self.verdict()))?;
        let only = format!("can be used only on nodes with {}", node_selector_text(affinity));
        Some(if self.is_reserved() {
            format!("reserved for this claim, but {only}; no other volume is tried")
        } else {
            only
        })
    }

    fn words(&self, differs: Option<&Misfit>) -> String {
        if self.candidate.once_available {
            return "fits as soon as the controller has made it Available".to_owned();
        }
        if let Some(words) = self.node_words() {
            return words;
        }
        let delayed = self.candidate.without_delay.is_some();
        if let Some(differs) = differs {
            let reserved = self.search == Search::Matching && self.is_reserved();
            return if reserved {
                format!("reserved for this claim, but {}", differs.words)
            } else {
                differs.words.clone()
            };
        }
        match self.verdict() {
            _ if delayed => "fits; the scheduler chooses when a pod uses the claim".to_owned(),
            CandidateVerdict::CandidateReserved if self.search == Search::Named => {
                "reserved for this claim, so nothing else is tested".to_owned()
            }
            CandidateVerdict::CandidateReserved if self.ties > 1 => {
                format!("reserved for this claim; one of {} that may be taken", self.ties)
            }
            CandidateVerdict::CandidateReserved => "reserved for this claim".to_owned(),
            CandidateVerdict::CandidateChosen if self.search == Search::Named => {
                "named by the claim, and fits".to_owned()
            }
            CandidateVerdict::CandidateChosen if self.ties > 1 => {
                format!("fits; one of {} that may be taken", self.ties)
            }
            CandidateVerdict::CandidateChosen if self.only => "fits".to_owned(),
            CandidateVerdict::CandidateChosen if self.on_node => "fits best: smallest".to_owned(),
            CandidateVerdict::CandidateChosen => "fits best: fewest access modes, then smallest".to_owned(),
            CandidateVerdict::CandidateNotSmaller if self.candidate.not_reached => {
                "fits, but not reached: a volume with fewer access modes comes first".to_owned()
            }
            CandidateVerdict::CandidateNotSmaller => match self.best {
                Some((best, true)) => format!("fits, but {} is reserved for this claim", best.meta.name),
                Some((best, false)) => {
                    let size = |volume: &PersistentVolume| {
                        volume.storage().map_or_else(|| "<unset>".to_owned(), Quantity::to_string)
                    };
                    format!("fits, but {} > {} of {}", size(self.volume), size(best), best.meta.name)
                }
                None => "fits, but another volume is taken first".to_owned(),
            },
            other => other.about().trim_end_matches('.').to_owned(),
        }
    }
}
