//! All recorded answers at once, judged by exact numbers: what is compared no more would differ unseen, and predictions
//! grow neither wider nor narrower without a word.

use crate::corpus::files;
use crate::judge::{Counts, EngineCounts, hundred_sizes};
use crate::replay::replay_until;
use anyhow::{Result, bail, ensure};
use std::path::Path;

/// The recording of components that are too large to be explored: they end in more ways than chance shows.
const LARGE: &str = "outcomes-grouped-1.36.3.jsonl.gz";

/// The ends of those that were not seen, none of which is said to be possible for sure.
const UNSEEN: usize = 338;

/// What is compared, and what comes of it.
const COMPARED: [(&str, usize); 21] = [
    ("decisions", 48_912),
    ("folded", 651),
    ("refused", 195),
    ("matches", 3_043),
    ("chosen", 11_647),
    ("ends", 5_472),
    ("exact", 5_372),
    ("single", 4_189),
    ("members", 8_635),
    ("seen", 8_297),
    ("proved", 0),
    ("limited", 2_423),
    ("coarse", 9_848),
    ("coarse_exact", 1_324),
    ("changes", 5_472),
    ("components", 2_435),
    ("worlds", 2_819),
    ("worlds_seen", 2_819),
    ("cuts", 11_031),
    ("doubted", 2_689),
    ("confident", 6_510),
];

/// What the engines are asked beside that. States are what an exploration costs.
const ASKED: [(&str, usize); 12] = [
    ("states", 6_141),
    ("in_full", 1_075),
    ("states_in_full", 9_103),
    ("failing", 1_039),
    ("states_failing", 7_576),
    ("astray", 4_306),
    ("states_astray", 29_853),
    ("listed_failing", 6_267),
    ("listed_astray", 16_466),
    ("listed_large", 15_655),
    ("followed", 1_748),
    ("steps", 3_823),
];

/// Judges the recordings of a project, the smallest first. Whatever fails, fails as early as it can, because this is
/// what judges each of many mutants.
///
/// # Errors
/// The first difference, or a number that is another one.
pub fn check(root: &Path) -> Result<()> {
    let mut files = files(&root.join("tests/conformance"))?;
    files.sort_by_cached_key(|file| file.metadata().map_or(0, |file| file.len()));
    let (mut compared, mut asked) = (Counts::default(), EngineCounts::default());
    for file in files {
        let unseen = if file.ends_with(LARGE) { UNSEEN } else { 0 };
        let verdict = replay_until(&file, |so_far| {
            let Counts { members, seen, worlds, worlds_seen, .. } = so_far.counts;
            !so_far.differences.is_empty() || members > seen + unseen || worlds > worlds_seen
        })?;
        let Counts { members, seen, worlds, worlds_seen, ends, exact, .. } = verdict.counts;
        let file = file.display();
        if let Some(difference) = verdict.differences.first() {
            bail!("{file}: {difference}");
        }
        ensure!(!verdict.counts.is_empty(), "{file}: nothing was compared");
        ensure!(
            members == seen + unseen && verdict.wider.iter().all(|wider| !wider.exact),
            "{file}: {} ends were not seen: {:?}",
            members.abs_diff(seen),
            verdict.wider.first()
        );
        ensure!(worlds == worlds_seen, "{file}: joint ends were not seen: {:?}", verdict.wider_worlds.first());
        ensure!(exact == ends || unseen > 0, "{file}: {} sets are not exact", ends - exact);
        compared += verdict.counts;
        asked += verdict.engines;
    }
    let large = hundred_sizes()?;
    if let Some(difference) = large.differences.first() {
        bail!("{difference}");
    }
    asked += large.engines;
    let numbers = compared.named().chain(asked.named());
    let wrong: Vec<String> = numbers
        .zip(COMPARED.iter().chain(&ASKED))
        .filter(|(now, known)| now != *known)
        .map(|((name, now), (_, known))| format!("{name} {now}, not {known}"))
        .collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("; "));
    Ok(())
}
