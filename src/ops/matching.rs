//! `match`: why each volume fits a claim or not.

use super::gather::{Gathered, Question, ReadOptions};
use super::{Status, named};
use crate::controllers::persistent_volume::{match_claim, planned};
use crate::error::Error;
use crate::model::PersistentVolumeClaim;
use crate::report::match_table::{MatchTable, Matched};
use crate::snapshot::Parts;

/// The namespace of a planned claim that nobody gave one.
const DEFAULT_NAMESPACE: &str = "default";

/// What is to be matched, and how.
#[derive(Debug)]
pub struct MatchOptions {
    /// The claim.
    pub claim: Claim,
    /// How objects are read and judged.
    pub read: ReadOptions,
}

/// The claim that is to be matched.
#[derive(Debug)]
pub enum Claim {
    /// One that is there, by its name.
    Named(String),
    /// One that is planned.
    Planned(Box<PersistentVolumeClaim>),
}

impl Claim {
    /// The one claim of a file, which goes by that name.
    ///
    /// # Errors
    /// There is none, there are several, or something in it cannot be decoded.
    pub fn planned(file: &str, parts: Parts) -> Result<Self, Error> {
        if let Some(issue) = parts.issues.first() {
            let value = if issue.value.is_empty() { String::new() } else { format!(" {}", issue.value) };
            return Err(Error::unreadable(format!("--claim {file}: {}{value}: {}", issue.field, issue.reason)));
        }
        let mut claims = parts.objects.claims;
        match (claims.pop(), claims.len()) {
            (Some(claim), 0) => Ok(Self::Planned(Box::new(claim))),
            (None, _) => Err(Error::usage(format!("--claim {file}: there is no PersistentVolumeClaim in it"))),
            (Some(_), more) => {
                Err(Error::usage(format!("--claim {file}: there are {} claims in it, and one is wanted", more + 1)))
            }
        }
    }
}

impl MatchOptions {
    /// What is asked of a source.
    pub fn question(&self) -> Question<'_> {
        Question { pods_decide: false, ..self.read.question() }
    }
}

/// Matches the claim with the volumes that were read. `show` shows the answer.
///
/// # Errors
/// There is no such claim, and what `show` fails with.
pub fn matching(
    options: &MatchOptions,
    gathered: &Gathered,
    show: impl FnOnce(&MatchTable<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let snapshot = &gathered.snapshot;
    let plan;
    let (claim, is_planned, default_class) = match &options.claim {
        Claim::Named(name) => (snapshot.claim(named::claim(snapshot, name, gathered.named_namespace())?), false, None),
        Claim::Planned(claim) => {
            plan = planned(snapshot, in_namespace(claim, gathered));
            (&plan.claim, true, plan.default_class.as_deref())
        }
    };
    let candidates = match_claim(snapshot, &gathered.modelled.behavior, claim);
    let model = gathered.modelled.document();
    let answer = MatchTable::new(Matched {
        snapshot,
        model: &model,
        claim,
        candidates: &candidates,
        planned: is_planned,
        default_class,
    });
    show(&answer)?;
    Ok(if gathered.dropped() || !answer.unknown.is_empty() { Status::Unjudged } else { Status::Done })
}

/// The claim in its own namespace, or in the one that is asked about.
fn in_namespace(claim: &PersistentVolumeClaim, gathered: &Gathered) -> PersistentVolumeClaim {
    let mut claim = claim.clone();
    if claim.meta.namespace.is_empty() {
        claim.meta.namespace = gathered.named_namespace().unwrap_or(DEFAULT_NAMESPACE).into();
    }
    claim
}
