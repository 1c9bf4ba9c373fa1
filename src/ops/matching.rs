//! `match`: explains for each volume whether it fits a claim.

use super::gather::{Evidence, Gathered, Question, ReadOptions};
use super::{Status, named};
use crate::controllers::persistent_volume::{match_claim, planned};
use crate::controllers::scheduler::claim_on_node;
use crate::diagnosis::facts::is_unbound;
use crate::diagnosis::prospects;
use crate::engines::simulation_on_demand;
use crate::error::Error;
use crate::model::{Kind, Node, PersistentVolumeClaim};
use crate::report::match_table::{MatchTable, Matched, OnNode};
use crate::simulate::{Limit, Settings};
use crate::snapshot::{Absence, Parts, Snapshot};

/// The namespace of a planned claim if none was given.
const DEFAULT_NAMESPACE: &str = "default";

/// The kinds that the scheduler's plugin `VolumeBinding` reads, besides volumes, claims, classes and nodes.
const OF_NODES: [Kind; 3] = [Kind::CsiNode, Kind::CsiDriver, Kind::CsiStorageCapacity];

/// The options of `match`.
#[derive(Debug)]
pub struct MatchOptions {
    /// The claim to match.
    pub claim: Claim,
    /// The name of the node on which the scheduler searches.
    pub node: Option<String>,
    /// The options for reading and judging objects.
    pub read: ReadOptions,
}

/// The claim to match.
#[derive(Debug)]
pub enum Claim {
    /// An existing claim, by its name.
    Named(String),
    /// A planned claim, which does not exist yet.
    Planned(Box<PersistentVolumeClaim>),
}

impl Claim {
    /// Returns the only claim of a file. `file` is the name of the file in errors.
    ///
    /// # Errors
    /// Returns an error if the file has no claim or several claims, or if something in it cannot be decoded.
    pub fn planned(file: &str, parts: Parts) -> Result<Self, Error> {
        if let Some(issue) = parts.issues.first() {
            let value = if issue.value.is_empty() { String::new() } else { format!(" {}", issue.value) };
            return Err(Error::unreadable(format!("--claim {file}: {}{value}: {}", issue.field, issue.reason)));
        }
        let mut claims = parts.objects.claims;
        match (claims.pop(), claims.len()) {
            (Some(claim), 0) => Ok(Self::Planned(Box::new(claim))),
            (None, _) => Err(Error::usage(format!("--claim {file}: there is no PersistentVolumeClaim in it"))),
            (Some(_), more) => Err(Error::usage(format!(
                "--claim {file}: there are {} claims in it, but it must have exactly one",
                more + 1
            ))),
        }
    }
}

impl MatchOptions {
    /// Returns the question to a source.
    pub fn question(&self) -> Question<'_> {
        let evidence = match self.node {
            Some(_) => Evidence { nodes: true, surroundings: &OF_NODES, ..Evidence::default() },
            None => Evidence::default(),
        };
        Question { pods_decide: false, evidence, ..self.read.question() }
    }
}

/// Matches the claim with the volumes that were read, and calls `show` with the answer.
///
/// # Errors
/// Returns an error if the claim or the node is not found, if a flag of the model does not fit what was read, or if
/// `show` fails.
pub fn matching(
    options: &MatchOptions,
    gathered: &Gathered,
    show: impl FnOnce(&MatchTable<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let snapshot = &gathered.snapshot;
    let plan;
    let (id, claim, default_class) = match &options.claim {
        Claim::Named(name) => {
            let id = named::claim(snapshot, name, gathered.named_namespace())?;
            (Some(id), snapshot.claim(id), None)
        }
        Claim::Planned(claim) => {
            plan = planned(snapshot, in_namespace(claim, gathered));
            (None, &plan.claim, plan.default_class.as_deref())
        }
    };
    let node = options.node.as_deref().map(|name| node_of(snapshot, name)).transpose()?;
    let behavior = &gathered.modelled.behavior;
    let on_node = node.map(|node| (node, claim_on_node(snapshot, behavior, claim, node)));
    let candidates = match_claim(snapshot, behavior, claim);
    // Prospects are computed only for an existing claim that is not being deleted and whose binding was never
    // completed. A planned claim does not take part in the simulation.
    let prospects = match (id.filter(|_| is_unbound(claim)), &candidates) {
        (Some(id), Ok(candidates)) => {
            let settings = gathered.modelled.settings(snapshot, &options.read.model, false)?;
            let settings = Settings { outcomes: Limit::All, ..settings };
            prospects(&simulation_on_demand(snapshot, settings), id, candidates)
        }
        _ => None,
    };
    let model = gathered.modelled.document();
    let answer = MatchTable::new(Matched {
        snapshot,
        model: &model,
        claim,
        candidates: &candidates,
        planned: id.is_none(),
        default_class,
        prospects: prospects.as_ref(),
        node: on_node.as_ref().map(|(node, answer)| OnNode { node, answer }),
    });
    show(&answer)?;
    Ok(if gathered.dropped() || !answer.unknown.is_empty() { Status::Unjudged } else { Status::Done })
}

/// Returns the node of that name.
///
/// # Errors
/// Returns a usage error if the node does not exist, or if the input has no nodes. Returns an [`Error::unreadable`] if
/// nobody can know whether the node exists.
fn node_of<'s>(snapshot: &'s Snapshot, name: &str) -> Result<&'s Node, Error> {
    if snapshot.nodes().is_empty() && snapshot.coverage().absence(Kind::Node, "") == Absence::Assumed {
        return Err(Error::usage(format!("--node {name}: the input has no nodes"))
            .hint("kubectl pvctl snapshot -A reads all objects that --node needs"));
    }
    named::object(snapshot, Kind::Node, name, None)?;
    snapshot.find("", name).ok_or_else(|| Error::bug("the node is not in its list"))
}

/// Returns the claim with its own namespace, or else with the namespace of the command.
fn in_namespace(claim: &PersistentVolumeClaim, gathered: &Gathered) -> PersistentVolumeClaim {
    let mut claim = claim.clone();
    if claim.meta.namespace.is_empty() {
        claim.meta.namespace = gathered.named_namespace().unwrap_or(DEFAULT_NAMESPACE).into();
    }
    claim
}
