//! All recorded answers at once, judged by exact numbers: what is compared no more would differ unseen, and predictions
//! grow neither wider nor narrower without a word.

use crate::corpus::files;
use crate::judge::{Counts, EngineCounts, hundred_sizes};
use crate::replay::{SoFar, replay_until};
use anyhow::{Result, bail, ensure};
use std::path::Path;

/// The recording of components that are too large to be explored: they end in more ways than chance shows.
const LARGE: &str = "outcomes-grouped-1.36.3.jsonl.gz";

/// The ends of those that were not seen, none of which is said to be possible for sure.
const UNSEEN: usize = 163;

/// What is compared, and what comes of it.
const COMPARED: [(&str, usize); 21] = [
    ("decisions", 53_883),
    ("folded", 651),
    ("refused", 202),
    ("matches", 3_043),
    ("chosen", 11_653),
    ("ends", 5_357),
    ("exact", 5_296),
    ("single", 4_118),
    ("members", 8_009),
    ("seen", 7_846),
    ("proved", 0),
    ("limited", 2_384),
    ("coarse", 9_203),
    ("coarse_exact", 1_316),
    ("changes", 5_357),
    ("components", 2_426),
    ("worlds", 2_810),
    ("worlds_seen", 2_810),
    ("cuts", 11_512),
    ("doubted", 2_670),
    ("confident", 6_892),
];

/// What the engines are asked beside that. States are what an exploration costs.
const ASKED: [(&str, usize); 12] = [
    ("states", 6_041),
    ("in_full", 1_018),
    ("states_in_full", 9_001),
    ("failing", 982),
    ("states_failing", 7_451),
    ("astray", 4_101),
    ("states_astray", 29_393),
    ("listed_failing", 5_238),
    ("listed_astray", 16_173),
    ("listed_large", 15_655),
    ("followed", 1_690),
    ("steps", 3_790),
];

/// The numbers that differ from the known ones in that way, as a sentence.
fn wrong(counts: Counts, engines: EngineCounts, differ: impl Fn(&usize, &usize) -> bool) -> Vec<String> {
    let numbers = counts.named().chain(engines.named()).zip(COMPARED.iter().chain(&ASKED));
    numbers
        .filter(|((name, now), (known_name, known))| name != known_name || differ(now, known))
        .map(|((name, now), (_, known))| format!("{name} {now}, not {known}"))
        .collect()
}

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
        let verdict = replay_until(&file, |SoFar { counts, engines, differences }| {
            let Counts { members, seen, worlds, worlds_seen, .. } = *counts;
            let (mut compared, mut asked) = (compared, asked);
            compared += *counts;
            asked += *engines;
            // A number that has grown too large never gets smaller again.
            let too_large = !wrong(compared, asked, |now, known| now > known).is_empty();
            *differences > 0 || members > seen + unseen || worlds > worlds_seen || too_large
        })?;
        compared += verdict.counts;
        asked += verdict.engines;
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
        let too_large = wrong(compared, asked, |now, known| now > known);
        ensure!(too_large.is_empty(), "{file}: so far {}", too_large.join("; "));
    }
    let large = hundred_sizes()?;
    if let Some(difference) = large.differences.first() {
        bail!("{difference}");
    }
    asked += large.engines;
    let wrong = wrong(compared, asked, |now, known| now != known);
    ensure!(wrong.is_empty(), "{}", wrong.join("; "));
    Ok(())
}
