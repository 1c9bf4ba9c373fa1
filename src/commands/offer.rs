//! What `audit` and `explain` say of `fix`, where it has a repair for what they found.

use crate::cli::GlobalArgs;
use crate::diagnosis::remedy::{quoted, typed};
use crate::diagnosis::{Finding, Rule, Severity, diagnose_one, rules};
use crate::model::ObjectId;
use crate::repair::{Manifests, Situation, repairs};
use crate::simulate::Simulation;

/// Whether `fix` offers a repair for a finding. Whether that comes to a plan, it says when it is asked.
fn is_offered(simulation: &Simulation<'_>, finding: &Finding) -> bool {
    let is_told = finding.severity != Severity::Info || finding.is_early;
    let offers = || !repairs(&situation(simulation, &Manifests::default()), finding).is_empty();
    finding.suppressed.is_none() && is_told && offers()
}

fn situation<'a>(simulation: &Simulation<'a>, manifests: &'a Manifests) -> Situation<'a> {
    Situation { snapshot: simulation.snapshot(), settings: simulation.settings().clone(), manifests }
}

/// How many of the findings can be repaired, and how; nothing where none can.
pub(super) fn of_findings(
    simulation: &Simulation<'_>,
    shown: &[&Finding],
    objects: &[String],
    global: &GlobalArgs,
) -> Option<String> {
    // One repair may be that of several findings, and is made once.
    let manifests = Manifests::default();
    let situation = situation(simulation, &manifests);
    let mut requests = Vec::new();
    for finding in shown.iter().filter(|finding| is_offered(simulation, finding)) {
        for request in repairs(&situation, finding) {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
    }
    let count = requests.len();
    // fix does not choose by labels.
    let object = if global.scope.selector.is_some() {
        " OBJECT".to_owned()
    } else {
        objects.iter().flat_map(|word| [" ".into(), quoted(word)]).collect()
    };
    let flags = [scope(global), place(global)].concat();
    let repairs = if count == 1 { "repair" } else { "repairs" };
    (count > 0).then(|| format!("fix has {count} {repairs} for these: kubectl pvctl fix{object}{flags}"))
}

/// That there is a repair for an object; nothing where there is none.
pub(super) fn of_object(simulation: &Simulation<'_>, target: ObjectId, global: &GlobalArgs) -> Option<String> {
    let chosen: Vec<&'static Rule> = rules::repairable().collect();
    let found = diagnose_one(simulation, target, &chosen);
    let object = typed(&simulation.snapshot().key(target));
    let is_some = found.iter().any(|finding| is_offered(simulation, finding));
    is_some.then(|| format!("kubectl pvctl fix {object}{} proposes a repair", place(global)))
}

/// The flags that say which objects are looked at.
fn scope(global: &GlobalArgs) -> String {
    match &global.scope.namespace {
        _ if global.scope.all_namespaces => " -A".to_owned(),
        Some(namespace) => format!(" -n {}", quoted(namespace)),
        None => String::new(),
    }
}

/// The flags that say in which cluster. An empty one is none, as for kubectl.
fn place(global: &GlobalArgs) -> String {
    let cluster = &global.cluster;
    let kubeconfig = cluster.kubeconfig.as_ref().map(|path| path.to_string_lossy().into_owned());
    let flags = [
        ("kubeconfig", kubeconfig.as_ref()),
        ("context", cluster.context.as_ref()),
        ("cluster", cluster.cluster.as_ref()),
        ("server", cluster.server.as_ref()),
    ];
    let given = flags.into_iter().filter_map(|(flag, value)| Some((flag, value.filter(|value| !value.is_empty())?)));
    given.fold(String::new(), |flags, (flag, value)| format!("{flags} --{flag} {}", quoted(value)))
}
