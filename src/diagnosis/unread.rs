//! Sentences that say why something is unknown: which kind was not read, and why.

use crate::model::Kind;
use crate::snapshot::{Absence, CoverageState, Snapshot};

/// Says in a clause why the objects of a kind are not known. `namespace` is empty for all namespaces.
pub fn unread(kind: Kind, namespace: &str, state: CoverageState) -> String {
    let resource = kind.resource();
    let of = if namespace.is_empty() { String::new() } else { format!(" of namespace {namespace}") };
    match state {
        CoverageState::Forbidden if namespace.is_empty() => format!("you have no permission to list {resource}"),
        CoverageState::Forbidden => format!("you have no permission to list {resource} in namespace {namespace}"),
        CoverageState::Partial => format!("not all {resource}{of} were read"),
        CoverageState::NotServed => format!("this cluster does not serve {resource}"),
        CoverageState::Failed => format!("reading the {resource}{of} failed"),
        CoverageState::Complete | CoverageState::Assumed | CoverageState::NotNeeded => {
            format!("the {resource}{of} were not read")
        }
    }
}

/// Returns why it is unknown whether the object exists: the coverage and its stated reason. Returns None if it is known
/// or assumed that the object does not exist. If no namespace is given, the object may be in any namespace.
pub fn hidden<'s>(
    snapshot: &'s Snapshot,
    kind: Kind,
    namespace: Option<&str>,
    name: &str,
) -> Option<(CoverageState, Option<&'s str>)> {
    let coverage = snapshot.coverage();
    let place = namespace.filter(|_| kind.namespaced()).unwrap_or_default();
    if coverage.is_known_absent(kind, place, name) {
        return None;
    }
    let reason = |state: CoverageState| {
        coverage
            .entries()
            .iter()
            .find(|entry| {
                entry.kind == kind
                    && entry.state == state
                    && entry.namespace.as_deref().is_none_or(|own| place.is_empty() || own == place)
            })
            .and_then(|entry| entry.reason.as_deref())
    };
    let unknown = |place: &str| match coverage.absence(kind, place) {
        Absence::Unknown(state) => Some((state, reason(state))),
        Absence::Certain | Absence::Assumed => None,
    };
    unknown(place).or_else(|| {
        let mut own = coverage.entries().iter().filter(|entry| entry.kind == kind && namespace.is_none());
        own.find_map(|entry| unknown(entry.namespace.as_deref()?))
    })
}
