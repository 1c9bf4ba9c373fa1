//! Checks whether the answers about a claim warn of the danger for its data.

use super::Case;
use super::cases::Risk;
use crate::live::site::{PV, PVC, text};
use crate::support::Finished;
use serde_json::Value;
use std::collections::BTreeSet;

/// The objects about which an audit warns, by risk. They are the volumes and claims of its findings, and the volumes in
/// the evidence of these findings. They are written as people type them.
pub(super) struct Warnings {
    imminent: BTreeSet<String>,
    possible: BTreeSet<String>,
}

impl Warnings {
    pub(super) fn of(report: &Value) -> Self {
        let mut told = Self { imminent: BTreeSet::new(), possible: BTreeSet::new() };
        for finding in report["findings"].as_array().unwrap() {
            let about = match text(finding, "/risk") {
                "imminent" => &mut told.imminent,
                "possible" => &mut told.possible,
                _ => continue,
            };
            let name = text(finding, "/object/name");
            match text(finding, "/object/kind") {
                PV => _ = about.insert(format!("pv/{name}")),
                PVC => _ = about.insert(format!("pvc/{name} -n {}", text(finding, "/object/namespace"))),
                _ => {}
            }
            let evidence = finding["evidence"].as_array().unwrap().iter().map(|one| text(one, "/object"));
            about.extend(evidence.filter(|object| object.starts_with("pv/")).map(str::to_owned));
        }
        told
    }

    pub(super) fn danger(&self, case: &Case) -> Risk {
        let names = [format!("pv/{}", case.volume), format!("pvc/{} -n {}", case.name, case.namespace)];
        let is_in = |told: &BTreeSet<String>| names.iter().any(|name| told.contains(name));
        if is_in(&self.imminent) {
            Risk::Imminent
        } else if is_in(&self.possible) {
            Risk::Possible
        } else {
            Risk::None
        }
    }
}

/// Returns whether a warning fits the danger. An imminent danger needs an imminent warning. For a possible danger, each
/// of the two warnings is right. Without danger there must be no imminent warning.
pub(super) fn fits(so: Risk, told: Risk) -> bool {
    match so {
        Risk::Imminent => told == Risk::Imminent,
        Risk::Possible => told != Risk::None,
        Risk::None => told != Risk::Imminent,
    }
}

/// Returns the text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words with which explanations say that data are deleted.
const DANGERS: [&str; 3] = ["Danger", "the data are gone", "has deleted the storage"];

pub(super) fn wrong_of_explain(case: &Case, danger: Risk, run: &Finished) -> Option<String> {
    let said = flat(&run.stdout);
    let tells = DANGERS.iter().any(|words| said.contains(words));
    let should = danger != Risk::None;
    (run.code != Some(0) || tells != should)
        .then(|| format!("of {}: {:?} {said} {}", case.volume, run.code, run.stderr))
}

pub(super) fn wrong_of_fix(case: &Case, danger: Risk, run: &Finished) -> Option<String> {
    let said = flat(&run.stdout);
    // The exit code is 6, because nobody can confirm the offer.
    let offers = said.contains(&format!("retain: the data of volume {} are kept", case.volume)) && run.code == Some(6);
    // After the claim is gone and before the volume is released, `fix` only names the verb.
    let names = said.contains(&format!("`kubectl pvctl retain pv/{}`", case.volume)) && run.code == Some(1);
    let is_right = match danger {
        Risk::Imminent => offers || names,
        Risk::Possible => offers,
        // `fix` may still offer to keep a volume that was created by hand, or a volume whose storage would be left
        // behind.
        Risk::None => !["deletes its data", "with its data"].iter().any(|words| said.contains(words)),
    };
    (!is_right).then(|| format!("of {}: {:?} {said} {}", case.volume, run.code, run.stderr))
}
