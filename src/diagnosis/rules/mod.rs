//! All rules, one per file. If several findings on one object are equally bad, the finding of the earlier rule comes
//! first.

mod attachment;
mod binding;
mod class;
mod data_source;
mod lifecycle;
mod lost;
mod mount;
mod pending;
mod provisioning;
mod resize;
mod restore;
mod shared;
mod terminating;
mod topology;
mod volume;
mod workload;

pub(super) use volume::{RELEASED_RETAIN, drop_general_findings};

use super::{Act, Rule};
use std::sync::LazyLock;

/// The rules of all sections, in order.
static REGISTRY: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    [
        terminating::RULES,
        lifecycle::RULES,
        lost::RULES,
        restore::RULES,
        volume::RULES,
        attachment::RULES,
        shared::RULES,
        mount::RULES,
        binding::RULES,
        data_source::RULES,
        topology::RULES,
        pending::RULES,
        provisioning::RULES,
        resize::RULES,
        class::RULES,
        workload::RULES,
    ]
    .concat()
});

/// Returns all rules in order.
pub fn all() -> &'static [&'static Rule] {
    &REGISTRY
}

/// Returns the rule with that id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().iter().copied().find(|rule| rule.id == id)
}

/// Returns the rules that have a verb which repairs their findings or makes them harmless.
pub fn repairable() -> impl Iterator<Item = &'static Rule> {
    all().iter().copied().filter(|rule| !rule.repairs.is_empty())
}

/// Returns whether the rule is only about the expansion of a volume or about the change of its attributes. The volume
/// can then be used.
pub(super) fn is_about_growth(rule: &Rule) -> bool {
    rule.hinders == [Act::Expand] || resize::RULES.iter().any(|known| known.id == rule.id)
}

/// Returns whether the rule is about the server of a shared volume.
pub fn is_about_serving(rule: &Rule) -> bool {
    shared::RULES.iter().any(|known| known.id == rule.id)
}

/// Declares the files of a section and lists their rules in this order.
macro_rules! section {
    ($($rule:ident),* $(,)?) => {
        $(mod $rule;)*

        /// The rules of this section, in order.
        pub(super) static RULES: &[&crate::diagnosis::Rule] = &[$(&$rule::RULE),*];
    };
}
use section;
