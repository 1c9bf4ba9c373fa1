//! The lines in which `audit` and `explain` offer `fix`, with the command to type. They are printed if `fix` has a
//! repair for what these verbs report.

use crate::cli::GlobalArgs;
use crate::diagnosis::remedy::{quoted, typed};
use crate::model::ObjectKey;

/// Says how many repairs `fix` has for the findings. Returns `None` if it has none.
pub(in crate::commands) fn of_findings(count: usize, objects: &[String], global: &GlobalArgs) -> Option<String> {
    // `fix` does not select objects by labels.
    let object = if global.scope.selector.is_some() {
        " OBJECT".to_owned()
    } else {
        objects.iter().flat_map(|word| [" ".into(), quoted(word)]).collect()
    };
    let flags = [namespace_flags(global), cluster_flags(global)].concat();
    let repairs = if count == 1 { "repair" } else { "repairs" };
    (count > 0).then(|| format!("fix has {count} {repairs} for these findings: kubectl pvctl fix{object}{flags}"))
}

/// Says that `fix` has a repair for an object.
pub(in crate::commands) fn of_object(object: &ObjectKey, global: &GlobalArgs) -> String {
    format!("kubectl pvctl fix {}{} proposes a repair", typed(object), cluster_flags(global))
}

/// Returns the flags that select the namespaces.
fn namespace_flags(global: &GlobalArgs) -> String {
    match &global.scope.namespace {
        _ if global.scope.all_namespaces => " -A".to_owned(),
        Some(namespace) => format!(" -n {}", quoted(namespace)),
        None => String::new(),
    }
}

/// Returns the flags that select the cluster. As in kubectl, an empty flag is treated as not given.
fn cluster_flags(global: &GlobalArgs) -> String {
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
