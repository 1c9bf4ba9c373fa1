//! The question whether `fix` has a repair for what `audit` and `explain` report.

use crate::diagnosis::shared_volumes::Providers;
use crate::diagnosis::{Finding, Rule, Severity, diagnose_one, rules};
use crate::model::ObjectId;
use crate::repair::{Manifests, Situation, repairs};
use crate::simulate::Simulation;

/// Returns whether `fix` offers a repair for a finding. Only `fix` itself determines whether a plan can be made for the
/// repair.
fn is_offered(simulation: &Simulation<'_>, finding: &Finding, providers: &Providers) -> bool {
    let is_told = finding.severity != Severity::Info || finding.is_early;
    let offers = || !repairs(&situation(simulation, &Manifests::default(), providers), finding).is_empty();
    finding.suppressed.is_none() && is_told && offers()
}

fn situation<'a>(simulation: &Simulation<'a>, manifests: &'a Manifests, providers: &'a Providers) -> Situation<'a> {
    Situation { snapshot: simulation.snapshot(), settings: simulation.settings().clone(), manifests, providers }
}

/// Returns the number of repairs for these findings.
pub fn repairs_of(simulation: &Simulation<'_>, shown: &[&Finding], providers: &Providers) -> usize {
    // Several findings may have the same repair, which is made once.
    let manifests = Manifests::default();
    let situation = situation(simulation, &manifests, providers);
    let mut requests = Vec::new();
    for finding in shown.iter().filter(|finding| is_offered(simulation, finding, providers)) {
        for request in repairs(&situation, finding) {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
    }
    requests.len()
}

/// Returns whether `fix` offers a repair for an object.
pub fn has_repair(simulation: &Simulation<'_>, target: ObjectId, providers: &Providers) -> bool {
    let chosen: Vec<&'static Rule> = rules::repairable().collect();
    diagnose_one(simulation, target, &chosen, providers)
        .iter()
        .any(|finding| is_offered(simulation, finding, providers))
}
