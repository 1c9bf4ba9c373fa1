//! What `VolumeBinding` says about one claim on one node. Upstream: `volumebinding`, 1.36. No other plugin is
//! evaluated, so no pod is needed.

use super::SchedulerReason;
use super::causes::{self, Cause};
use super::reads::Reads;
use super::verdict::NodeVerdicts;
use super::volume_binding::{self, check_state, is_fully_bound, sort, verdicts_on};
use crate::controllers::{CandidateVerdict, KubernetesBehavior};
use crate::model::{AnnotationKey, Kind, Node, PersistentVolumeClaim};
use crate::snapshot::{Absence, Snapshot};
use crate::world::View;
use std::collections::{BTreeMap, BTreeSet};

/// What the scheduler does with a claim on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimTask {
    /// `PreFilter` rejects every pod that uses the claim, so no node is tested.
    Reject,
    /// The claim is bound. The scheduler tests the node affinity of its volume.
    TestVolume,
    /// An earlier attempt has selected a node for the claim. The scheduler does not search for a volume any more.
    KeepNode,
    /// The scheduler searches for a volume for the claim.
    Search,
}

/// What the scheduler says about a pod on a node if the pod uses only this claim.
#[derive(Clone, Debug)]
pub struct ClaimOnNode<'s> {
    /// What the scheduler does with the claim.
    pub task: ClaimTask,
    /// The possible verdicts about the node.
    pub verdicts: NodeVerdicts,
    /// The objects that lead to the reasons of the verdicts, each with the reason.
    pub causes: Vec<(SchedulerReason, Cause<'s>)>,
    /// The verdict on each volume, in the order of the snapshot's volumes. It is `None` if the scheduler does not
    /// search for a volume.
    pub volumes: Option<Vec<CandidateVerdict>>,
    /// Whether more verdicts may be possible, because there are too many orders of volumes to follow all of them.
    pub limited: bool,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
}

/// Returns what the scheduler says about the node if a pod uses only this claim. The claim need not exist: it may be a
/// planned claim.
pub fn claim_on_node<'s>(
    snapshot: &'s Snapshot,
    behavior: &KubernetesBehavior,
    claim: &'s PersistentVolumeClaim,
    node: &'s Node,
) -> ClaimOnNode<'s> {
    let mut reads = Reads::new(View::Snapshot(snapshot));
    let sorted = check_state(claim).and_then(|()| sort(&mut reads, behavior, vec![claim]));
    let (task, verdicts, limited) = match &sorted {
        Err(status) => (ClaimTask::Reject, BTreeSet::from([status.clone().into()]), false),
        Ok(claims) => {
            let task = if is_fully_bound(claim) {
                ClaimTask::TestVolume
            } else if claim.meta.annotations.has(AnnotationKey::SelectedNode) {
                ClaimTask::KeepNode
            } else {
                ClaimTask::Search
            };
            let branches = volume_binding::filter(&mut reads, behavior, claims, node);
            (task, branches.all.into_iter().map(|branch| branch.verdict).collect(), branches.limited)
        }
    };
    let claims = sorted.as_ref().ok();
    let verdicts = NodeVerdicts { node: node.meta.name.clone(), verdicts };
    let reasons = verdicts.verdicts.iter().flat_map(|verdict| &verdict.status.reasons);
    let leaves: BTreeSet<_> = reasons.filter_map(|reason| reason.leaf).collect();
    let cause = |leaf| Some((leaf, causes::of_claim(View::Snapshot(snapshot), claims, leaf, claim, node)?));
    let searched = claims.filter(|_| task == ClaimTask::Search);
    ClaimOnNode {
        task,
        causes: leaves.into_iter().filter_map(cause).collect(),
        volumes: searched.and_then(|claims| verdicts_on(snapshot, behavior, claims, claim, node)),
        verdicts,
        limited,
        doubts: reads.into_doubts(),
    }
}
