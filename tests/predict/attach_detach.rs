//! The leaves of the attach/detach controller in the recordings.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::root;
use pvctl::controllers::attach_detach::{AttachBranch, AttachStep, DetachBranch};
use pvctl::controllers::{KubeVersion, KubernetesBehavior};
use std::collections::BTreeMap;
use xtask::corpus;
use xtask::judge::attaching_leaves;

/// Returns the ids, names and sentences of all leaves.
pub(crate) fn leaves() -> Vec<(&'static str, &'static str, &'static str)> {
    let attach = AttachBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let detach = DetachBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let step = AttachStep::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    attach.chain(detach).chain(step).collect()
}

/// Returns the first recorded run that reaches each leaf.
pub(crate) fn reached() -> BTreeMap<&'static str, String> {
    let behavior = KubernetesBehavior::of(KubeVersion::DEFAULT);
    let mut reached = BTreeMap::new();
    for name in ["attaching", "attaching-logs"] {
        let file = root().join(format!("tests/conformance/{name}-1.36.3.jsonl.gz"));
        for line in corpus::lines(&file).unwrap().map(Result::unwrap) {
            for id in attaching_leaves(&line, &behavior).unwrap() {
                reached.entry(id).or_insert_with(|| line.id.clone());
            }
        }
    }
    reached
}
