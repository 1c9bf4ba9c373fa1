//! Counts the results of many runs.

use super::{Case, Prepared, Report, print, words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The counts of many runs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) runs: usize,
    unreached: usize,
    faults: BTreeMap<String, usize>,
    actors: BTreeMap<String, usize>,
    controllers: BTreeMap<String, usize>,
    outcomes: BTreeMap<String, usize>,
    refusals: BTreeMap<String, usize>,
    /// The losses that no plan caused, by repair, actor and reason.
    losses: BTreeMap<String, usize>,
    /// The states in which the clusters end.
    places: BTreeMap<String, usize>,
    /// The runs that could not be continued, undone or requested again, by actor, outcome and the guard that refused.
    /// Each has a count and the first such run.
    stuck: BTreeMap<String, (usize, String)>,
    pub(super) wrong: Vec<String>,
}

impl Tally {
    pub(super) fn add(&mut self, prepared: &Prepared, case: Case, report: Option<Report>) {
        let Some(report) = report else {
            self.unreached += 1;
            return;
        };
        self.runs += 1;
        *self.faults.entry(case.fault.word()).or_default() += 1;
        *self.actors.entry(case.actor.word().to_owned()).or_default() += 1;
        *self.controllers.entry(case.controllers.word().to_owned()).or_default() += 1;
        *self.outcomes.entry(report.outcome.clone()).or_default() += 1;
        for refusal in &report.refusals {
            *self.refusals.entry(refusal.clone()).or_default() += 1;
        }
        for (why, count) in [("given up", report.given_up), ("excused", report.excused)] {
            if count > 0 {
                let key = format!("{} {} {why}", prepared.name, case.actor.word());
                *self.losses.entry(key).or_default() += count;
            }
        }
        let brought = report.outcome.split_once(", ").map_or(report.outcome.as_str(), |(_, way)| way);
        let who = if case.actor.is_harmless() { "among controllers" } else { "with an actor" };
        let place = format!("{who}: {brought}: {}", report.place.word());
        *self.places.entry(place).or_default() += 1;
        if report.outcome.contains("left:") {
            let mut refusals = report.refusals.clone();
            refusals.sort();
            refusals.dedup();
            let who = case.actor.word();
            let key = format!("{who} {} {} [{}]", report.outcome, report.place.word(), refusals.join(", "));
            let first = || (0, format!("PVCTL_FAULT={}: {}", words(prepared, case), report.story.join("; ")));
            self.stuck.entry(key).or_insert_with(first).0 += 1;
        }
        if !report.wrong.is_empty() {
            self.wrong.push(format!("PVCTL_FAULT={}: {}", words(prepared, case), report.wrong.join("; ")));
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        fn sum<K: Ord>(into: &mut BTreeMap<K, usize>, from: BTreeMap<K, usize>) {
            for (key, count) in from {
                *into.entry(key).or_default() += count;
            }
        }
        self.runs += other.runs;
        self.unreached += other.unreached;
        sum(&mut self.faults, other.faults);
        sum(&mut self.actors, other.actors);
        sum(&mut self.controllers, other.controllers);
        sum(&mut self.outcomes, other.outcomes);
        sum(&mut self.refusals, other.refusals);
        sum(&mut self.losses, other.losses);
        sum(&mut self.places, other.places);
        for (guards, (count, first)) in other.stuck {
            self.stuck.entry(guards).or_insert((0, first)).0 += count;
        }
        self.wrong.extend(other.wrong);
    }
}

pub(super) fn show(tally: &Tally, all: &[Prepared], notes: &[String], seconds: u64) {
    for note in notes {
        print(note);
    }
    let repairs: Vec<String> =
        all.iter().map(|prepared| format!("{} ({})", prepared.name, prepared.requests)).collect();
    print(&format!("repairs, with their requests: {}", repairs.join(", ")));
    print(&format!("{} runs in {seconds} s; {} cases name a request that was never made", tally.runs, tally.unreached));
    print(&format!("by fault: {:?}\nby actor: {:?}", tally.faults, tally.actors));
    print(&format!("by controllers: {:?}", tally.controllers));
    print(&format!("by outcome: {:#?}\nrefusals by guard: {:#?}", tally.outcomes, tally.refusals));
    print(&format!("losses that no plan caused: {:#?}", tally.losses));
    print(&format!("in the end: {:#?}", tally.places));
    for (how, (count, first)) in &tally.stuck {
        print(&format!("{count} left: {how}, such as {first}"));
    }
    for wrong in tally.wrong.iter().take(40) {
        print(wrong);
    }
}
