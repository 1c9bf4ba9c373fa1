//! What kube-scheduler says about the claim on the named node.

use super::document::{MatchRow, MatchTable};
use crate::controllers::CandidateVerdict;
use crate::controllers::persistent_volume::Candidate;
use crate::controllers::scheduler::{ClaimOnNode, ClaimTask};
use crate::diagnosis::pod::cause_words;
use crate::diagnosis::unread::unread;
use crate::model::{ClaimPhase, Kind, Node, PersistentVolumeClaim, StorageClass};
use crate::report::shared::machine::is_false;
use crate::report::shared::node_verdict::NodeOut;
use crate::snapshot::{Absence, CoverageState, Snapshot};
use crate::text::capitalized;
use serde::Serialize;
use std::collections::BTreeSet;

/// The sentence about a node that is not rejected.
const ONLY_VOLUME_BINDING: &str = "Only the plugin VolumeBinding is evaluated here, and other plugins can still reject \
                                   the node: `kubectl pvctl explain pod/NAME` shows what all plugins decide about a pod.";

/// The largest number of volumes that are named in a sentence.
const MOST_NAMED: usize = 2;

/// A node, and what the scheduler says about the claim on it.
#[derive(Clone, Copy, Debug)]
pub struct OnNode<'a> {
    /// The node.
    pub node: &'a Node,
    /// What the scheduler says.
    pub answer: &'a ClaimOnNode<'a>,
}

/// What the scheduler says about the node for a pod that uses only this claim. Only the plugin `VolumeBinding` is
/// evaluated.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OnNodeOut<'a> {
    /// The verdict.
    #[serde(flatten)]
    pub verdict: NodeOut,
    /// Where the answer is given: `preFilter` (every pod that uses the claim is rejected before any node is tested) or
    /// `filter` (the node is tested).
    pub stage: &'static str,
    /// Whether the scheduler searches for a volume for the claim on this node. If it does not search, only the volume
    /// of a bound claim has `onNode`.
    pub searched: bool,
    /// The provisioner that is asked for a volume. The field is absent if no provisioner is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisioner: Option<&'a str>,
    /// The facts behind the reasons, as sentences without a full stop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub causes: Vec<String>,
    /// Other possible verdicts. There are such verdicts if the order of volumes in the scheduler's cache decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub alternatives: Vec<NodeOut>,
    /// The resources for which the input is assumed to hold all objects, because the input cannot show whether it does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub assumed: Vec<&'static str>,
    /// Whether there may be further verdicts, because too many orders of volumes are possible.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub limited: bool,
    /// What the scheduler does with the claim.
    #[serde(skip)]
    task: ClaimTask,
    /// Why the scheduler does not search for a volume, as a sentence.
    #[serde(skip)]
    no_search: Option<String>,
}

/// The result of the scheduler's search for one volume.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowOnNode {
    /// Whether the volume fits the claim on this node. A volume that fits is not always one that may be chosen.
    pub fits: bool,
    /// The first test that the volume fails, or the reason why it may be chosen.
    pub verdict: &'static str,
    /// The reason in words.
    pub why: String,
}

impl OnNode<'_> {
    /// Returns the kinds that the answer needs but that were not read, with the reason. If a CSIDriver may be missing,
    /// the kind CSIStorageCapacity is also listed if its objects may be missing.
    pub(super) fn unread(self, snapshot: &Snapshot) -> Vec<(Kind, CoverageState)> {
        let mut kinds = self.answer.doubts.clone();
        if kinds.contains_key(&Kind::CsiDriver) {
            let kind = Kind::CsiStorageCapacity;
            kinds.entry(kind).or_insert_with(|| snapshot.coverage().absence(kind, ""));
        }
        let unread = kinds.into_iter().filter_map(|(kind, absence)| match absence {
            Absence::Unknown(state) => Some((kind, state)),
            Absence::Certain | Absence::Assumed => None,
        });
        unread.collect()
    }

    /// Returns the candidates with the verdicts of the scheduler. They are the candidates of the controller. For a
    /// bound claim, the only candidate is the volume of the claim, because the scheduler tests no other volume.
    pub(super) fn candidates(
        self,
        snapshot: &Snapshot,
        claim: &PersistentVolumeClaim,
        listed: &[Candidate],
    ) -> Vec<Candidate> {
        let verdicts = self.answer.volumes.as_deref().unwrap_or_default();
        let own = snapshot.volume_id(&claim.volume_name).filter(|_| self.answer.task == ClaimTask::TestVolume);
        let verdict_on_own = if self.answer.verdicts.can_fit() {
            CandidateVerdict::CandidateReserved
        } else {
            CandidateVerdict::CandidateReservedWrongNode
        };
        let candidate = |candidate: &Candidate| {
            let place = usize::try_from(candidate.volume.0).ok()?;
            let verdict = verdicts.get(place).copied();
            Some(Candidate {
                verdict: verdict.or_else(|| (own == Some(candidate.volume)).then_some(verdict_on_own))?,
                without_delay: None,
                once_available: false,
                not_reached: false,
                ..*candidate
            })
        };
        listed.iter().filter_map(candidate).collect()
    }
}

impl<'a> OnNodeOut<'a> {
    /// Returns this part of the document.
    pub(super) fn new(snapshot: &'a Snapshot, claim: &'a PersistentVolumeClaim, of: OnNode<'a>) -> Self {
        let OnNode { node, answer } = of;
        let verdict = NodeOut::new(&answer.verdicts);
        let class: Option<&StorageClass> = snapshot.find("", claim.class());
        let is_asked = !verdict.provision.is_empty();
        let causes = answer.causes.iter().map(|(leaf, cause)| cause_words(*leaf, cause, Some(node)));
        Self {
            stage: if answer.task == ClaimTask::Reject { "preFilter" } else { "filter" },
            searched: answer.volumes.is_some(),
            provisioner: class.filter(|_| is_asked).map(|class| class.provisioner.as_str()),
            causes: causes.collect(),
            alternatives: NodeOut::others(&answer.verdicts),
            assumed: answer.doubts.keys().map(|kind| kind.resource()).collect(),
            limited: answer.limited,
            task: answer.task,
            no_search: no_search(claim, class, answer.task),
            verdict,
        }
    }

    /// Returns the names of the volumes that may be bound to the claim.
    pub(super) fn volumes(&self) -> impl Iterator<Item = &str> {
        self.verdict.bind.iter().flat_map(|bind| &bind.volumes).map(String::as_str)
    }

    /// Returns what the scheduler does, as the rest of a sentence about the claim.
    pub(super) fn does(&self, volume_name: &str) -> String {
        let node = &self.verdict.name;
        let rejects = |reasons: &[String]| {
            let whom = match self.task {
                ClaimTask::Reject => "the scheduler rejects every node".to_owned(),
                _ => format!("the scheduler rejects node {node}"),
            };
            format!("{whom}: {}", reasons.join(", "))
        };
        if !self.verdict.can_fit {
            return rejects(&self.verdict.reasons);
        }
        let volumes: Vec<&str> = self.volumes().collect();
        let mut does = match (self.task, volumes.as_slice(), self.provisioner) {
            (ClaimTask::TestVolume, ..) => format!("its volume {volume_name} can be used on node {node}"),
            (ClaimTask::KeepNode, _, Some(provisioner)) => {
                format!(
                    "node {node} was selected for it before, and {provisioner} is asked to provision a volume there"
                )
            }
            (_, [], Some(provisioner)) => {
                format!("no volume fits on node {node}, so {provisioner} is asked to provision one there")
            }
            (_, several, _) => format!("on node {node} the scheduler binds it to {}", one_of(several)),
        };
        if let Some(other) = self.alternatives.first() {
            does = format!("{does}; or {}; nobody controls which", rejects(&other.reasons));
        }
        does
    }

    /// Returns the sentences about the answer that come after the first sentence.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.causes.iter().map(|cause| format!("{}.", capitalized(cause))).collect();
        lines.extend(self.no_search.clone());
        if self.verdict.can_fit {
            lines.push(ONLY_VOLUME_BINDING.to_owned());
        }
        if self.limited {
            lines.push("There may be other answers: too many orders of the volumes are possible.".to_owned());
        }
        // The summary of the table has its own line if all volumes are assumed to be in the input.
        let assumed = self.assumed.iter().copied().filter(|resource| *resource != Kind::PersistentVolume.resource());
        let assumed: Vec<&str> = assumed.collect();
        if !assumed.is_empty() {
            lines.push(format!("Assumed: the input holds all {}.", assumed.join(", ")));
        }
        lines
    }
}

/// Returns the names of the volumes from which one is chosen.
fn one_of(volumes: &[&str]) -> String {
    match volumes {
        [] => "no volume".to_owned(),
        [one] => (*one).to_owned(),
        few if few.len() <= MOST_NAMED => format!("{}; nobody controls which", few.join(" or ")),
        [first, rest @ ..] => format!("{first} or one of {} others; nobody controls which", rest.len()),
    }
}

/// Returns why the scheduler does not search for a volume. Returns `None` if it searches, or if the rest of the answer
/// already says why it does not.
fn no_search(claim: &PersistentVolumeClaim, class: Option<&StorageClass>, task: ClaimTask) -> Option<String> {
    let why = match task {
        ClaimTask::Search | ClaimTask::TestVolume | ClaimTask::KeepNode => return None,
        ClaimTask::Reject if claim.terminating() || claim.status.phase == ClaimPhase::Lost => return None,
        ClaimTask::Reject if !claim.volume_name.is_empty() => {
            format!("it names volume {} and is not bound yet", claim.volume_name)
        }
        ClaimTask::Reject => match (claim.class(), class) {
            ("", _) => "it has no class".to_owned(),
            (name, None) => format!("class \"{name}\" does not exist"),
            (name, Some(_)) => format!("class \"{name}\" does not delay binding"),
        },
    };
    Some(format!("The scheduler does not look for a volume for it, because {why}. kube-controller-manager does."))
}

impl MatchRow<'_> {
    /// Copies what the scheduler says about the volume. `row` is the row of the scheduler's search.
    pub(super) fn set_on_node(&mut self, row: &Self) {
        let later = self.first.as_ref().map(|first| format!("; later, when {first}")).unwrap_or_default();
        let fits = row.fits();
        self.take_rank(row);
        self.on_node = Some(RowOnNode { fits, verdict: row.verdict, why: format!("{}{later}", row.why) });
    }
}

impl MatchTable<'_> {
    /// Returns the names of the volumes that may be chosen: by the scheduler on the named node, or else by the
    /// controller.
    pub(super) fn names(&self) -> Vec<&str> {
        match &self.node {
            Some(node) if node.searched => node.volumes().collect(),
            Some(_) | None => self.chosen.clone(),
        }
    }
}

/// Returns the sentence that says why the answer about the node is unknown.
pub(super) fn unread_words(kinds: &[(Kind, CoverageState)]) -> String {
    let names: Vec<&str> = kinds.iter().map(|(kind, _)| kind.resource()).collect();
    let reasons: BTreeSet<String> = kinds.iter().map(|(kind, state)| unread(*kind, "", *state)).collect();
    let reasons: Vec<String> = reasons.into_iter().collect();
    format!(
        "The answer needs other objects: {}. `kubectl pvctl snapshot` reads them. --assume-complete={} states that a \
         file has them all.",
        reasons.join(", and "),
        names.join(",")
    )
}

/// Returns whether a volume with this verdict fails for a reason that only a node can have.
pub(super) fn is_about_node(verdict: CandidateVerdict) -> bool {
    matches!(verdict, CandidateVerdict::CandidateNodeAffinity | CandidateVerdict::CandidateReservedWrongNode)
}
