//! What a person can do about the state of an object.

use super::data::DataProspect;
use super::decisive::Decisive;
use crate::diagnosis::{Finding, Remedy, Risk};
use crate::simulate::Assumed;

/// The verb that keeps the data of a volume.
const RETAIN: &str = "retain";

/// The verb that removes a finalizer.
const UNFINALIZE: &str = "unfinalize";

/// The verb that has a volume detached from a node.
const DETACH: &str = "detach";

/// Something that a person can do about the state of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What to do.
    pub remedy: Remedy,
    /// The absences that were assumed. The remedy is right only if these objects are really absent.
    pub assumes: Vec<Assumed>,
}

/// Returns what a person can do: first about the danger to data, then about the root and the worst finding. Most verbs
/// of pvctl come before other commands, because these verbs check again the facts on which they depend. If the data are
/// in danger, the remedy that keeps the data comes first.
pub(super) fn of_object(
    decisive: Option<Decisive<'_>>,
    dangers: &[&Finding],
    data: Option<DataProspect>,
) -> Vec<Advice> {
    let causes = decisive.into_iter().flat_map(|decisive| [decisive.root, decisive.worst]);
    // Remedies against an imminent loss come first. Remedies against a loss that only a mistake causes come last.
    let (imminent, possible): (Vec<&Finding>, Vec<&Finding>) =
        dangers.iter().partition(|finding| finding.risk == Risk::Imminent);
    let findings = imminent.into_iter().chain(causes).chain(possible);
    let mut advice: Vec<Advice> = Vec::new();
    for one in findings.flat_map(of_finding) {
        if !advice.iter().any(|known| is_same(&known.remedy, &one.remedy)) {
            advice.push(one);
        }
    }
    let told = decisive.into_iter().flat_map(|decisive| [decisive.root, decisive.worst]);
    let is_imminent = told.chain(dangers.iter().copied()).any(|finding| finding.risk == Risk::Imminent);
    let is_endangered = is_imminent || data.is_some_and(DataProspect::is_danger);
    advice.sort_by_key(|one| match one.remedy.verb {
        RETAIN if is_endangered => 0,
        // These remedies keep their position among the other commands. Only the rule knows when to keep data that
        // nothing deletes, and what a person has to check before a finalizer is removed or a volume is detached.
        RETAIN | UNFINALIZE | DETACH => 2,
        // A pod that erases a volume has to end before a claim gets the volume. So the command that deletes the pod
        // keeps its position among the verbs of pvctl.
        _ if one.remedy.is_of_pvctl() || one.remedy.command.starts_with("kubectl delete pod ") => 1,
        _ => 2,
    });
    advice
}

/// Returns whether two remedies are the same command, or the same advice.
fn is_same(one: &Remedy, other: &Remedy) -> bool {
    one.command == other.command && (!one.command.is_empty() || one.does == other.does)
}

pub(super) fn of_finding(finding: &Finding) -> impl Iterator<Item = Advice> {
    finding.remedies.iter().map(|remedy| Advice { remedy: remedy.clone(), assumes: finding.assumed.clone() })
}
