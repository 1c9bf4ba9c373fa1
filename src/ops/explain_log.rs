//! `explain --log`: says what the lines of a log mean.

use crate::controllers::log::{LoggedSync, read_log};
use crate::model::ObjectArgument;
use crate::report::log_reading::LogReadingOut;
use crate::world::ObjectRef;

/// Reads a piece of a log. If objects are named, only the syncs of which a line names one of them are kept. An object
/// is of any namespace if `namespace` is `None`.
pub fn explain_log(text: &str, objects: &[ObjectArgument], namespace: Option<&str>) -> LogReadingOut {
    let is_wanted = |named: &ObjectRef| {
        let is_in = named.namespace.is_empty() || namespace.is_none_or(|namespace| named.namespace == namespace);
        let is_it = |wanted: &ObjectArgument| {
            wanted.kind == named.kind && wanted.name.as_ref().is_none_or(|name| named.name == name.as_str())
        };
        is_in && (objects.is_empty() || objects.iter().any(is_it))
    };
    let all = objects.is_empty() && namespace.is_none();
    LogReadingOut::new(read_log(text), |sync: &LoggedSync| {
        let mut named = sync.object.iter().chain(sync.lines.iter().flat_map(|line| &line.objects));
        all || named.any(is_wanted)
    })
}
