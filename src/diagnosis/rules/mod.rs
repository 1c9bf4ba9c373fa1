//! All rules, one in each file, in the order in which they speak for an object of which several hold alike.

mod attachment;
mod binding;
mod class;
mod data_source;
mod lifecycle;
mod lost;
mod pending;
mod provisioning;
mod resize;
mod restore;
mod terminating;
mod topology;
mod volume;
mod workload;

pub(super) use volume::give_way;

use super::Rule;
use std::sync::LazyLock;

/// All rules in their order.
static REGISTRY: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    [
        terminating::RULES,
        lifecycle::RULES,
        lost::RULES,
        restore::RULES,
        volume::RULES,
        attachment::RULES,
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

/// All rules in their order.
pub fn all() -> &'static [&'static Rule] {
    &REGISTRY
}

/// The rule of that id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().iter().copied().find(|rule| rule.id == id)
}

/// The rules whose findings a verb repairs, or makes harmless.
pub fn repairable() -> impl Iterator<Item = &'static Rule> {
    all().iter().copied().filter(|rule| !rule.repairs.is_empty())
}

/// Declares the files of a section, and puts their rules in this order.
macro_rules! section {
    ($($rule:ident),* $(,)?) => {
        $(mod $rule;)*

        /// The rules of this section in their order.
        pub(super) static RULES: &[&crate::diagnosis::Rule] = &[$(&$rule::RULE),*];
    };
}
use section;
