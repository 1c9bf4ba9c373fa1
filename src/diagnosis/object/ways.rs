//! What a person can do about the state of an object.

use super::decisive::Decisive;
use crate::diagnosis::{Finding, Remedy, Risk};
use crate::simulate::Assumed;

/// Something that a person can do about the state of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// What to do.
    pub remedy: Remedy,
    /// The absences that were assumed. The remedy is right only if the assumption is.
    pub assumes: Vec<Assumed>,
}

/// Returns what a person can do: first about the danger to data, then about the root and the worst finding. The verbs of
/// pvctl are before other commands, because they check again what they rest on.
pub(super) fn of_object(decisive: Option<Decisive<'_>>, dangers: &[&Finding]) -> Vec<Way> {
    let causes = decisive.into_iter().flat_map(|decisive| [decisive.root, decisive.worst]);
    // What keeps data comes first, unless the data are lost only if somebody makes a mistake.
    let (imminent, possible): (Vec<&Finding>, Vec<&Finding>) =
        dangers.iter().partition(|finding| finding.risk == Risk::Imminent);
    let findings = imminent.into_iter().chain(causes).chain(possible);
    let mut ways: Vec<Way> = Vec::new();
    for way in findings.flat_map(of_finding) {
        if !ways.iter().any(|known| is_same(&known.remedy, &way.remedy)) {
            ways.push(way);
        }
    }
    ways.sort_by_key(|way| !way.remedy.is_of_pvctl());
    ways
}

/// Whether two remedies are the same command, or the same advice.
fn is_same(one: &Remedy, other: &Remedy) -> bool {
    one.command == other.command && (!one.command.is_empty() || one.does == other.does)
}

fn of_finding(finding: &Finding) -> impl Iterator<Item = Way> {
    finding.remedies.iter().map(|remedy| Way { remedy: remedy.clone(), assumes: finding.assumed.clone() })
}
