//! Judges all recordings and compares exact numbers. This shows if a comparison is missing, or if a set of predictions
//! becomes wider or narrower.

use crate::corpus::files;
use crate::judge::{Counts, EngineCounts, Verdict, hundred_sizes};
use crate::replay::{SoFar, replay, replay_until};
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// The file with the numbers of every recording. Each recording has one line, with the numbers that are not zero.
const NUMBERS: &str = "tests/conformance/numbers.txt";

/// The name of the line for the comparison that needs no recording.
const LARGE: &str = "components of many sizes";

/// The prefix of the recording whose components are too large to be explored. They have more ends than random schedules
/// reach.
const GROUPED: &str = "outcomes-grouped-";

/// The number of ends of this recording that were not seen. No exact prediction contains one of these ends.
const UNSEEN: usize = 163;

/// Returns the number of ends in a recording of that name that were not seen.
fn unseen(name: &str) -> usize {
    if name.starts_with(GROUPED) { UNSEEN } else { 0 }
}

/// The numbers of a recording by their names.
type Numbers = BTreeMap<String, usize>;

fn numbers(counts: &Counts, engines: EngineCounts) -> Numbers {
    let named = counts.named().chain(engines.named()).filter(|(_, number)| *number > 0);
    named.map(|(name, number)| (name.to_owned(), number)).collect()
}

/// Returns all numbers of a recording, including how often each kind of answer was compared.
fn numbers_of(verdict: &Verdict) -> Numbers {
    let compared = verdict.compared.iter().map(|(sort, times)| (format!("compared {sort}"), *times));
    numbers(&verdict.counts, verdict.engines).into_iter().chain(compared).collect()
}

fn known(root: &Path) -> Result<BTreeMap<String, Numbers>> {
    let path = root.join(NUMBERS);
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let line = |line: &str| -> Option<(String, Numbers)> {
        let (of, numbers) = line.split_once(": ")?;
        let number =
            |text: &str| text.rsplit_once(' ').and_then(|(name, number)| Some((name.to_owned(), number.parse().ok()?)));
        Some((of.to_owned(), numbers.split(", ").map(number).collect::<Option<_>>()?))
    };
    let lines: Option<Vec<(String, Numbers)>> = text.lines().map(line).collect();
    let lines = lines.with_context(|| format!("{}: a line is invalid", path.display()))?;
    let (count, known) = (lines.len(), BTreeMap::from_iter(lines));
    ensure!(count == known.len(), "{}: a recording occurs twice", path.display());
    Ok(known)
}

/// Returns the files of the recordings with their names below the folder.
fn recordings(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let folder = root.join("tests/conformance");
    let name = |path: &Path| -> Result<String> { Ok(path.strip_prefix(&folder)?.to_string_lossy().replace('\\', "/")) };
    files(&folder)?.into_iter().map(|path| Ok((name(&path)?, path))).collect()
}

/// Judges the recordings of a project, the fastest first. An error is returned as early as possible, because this
/// function is called for each of many mutants. If the environment has `UPDATE`, the function first writes the numbers
/// again.
///
/// # Errors
/// Returns an error for the first difference or for a number that has changed, and if the recordings are not those of
/// `NUMBERS`.
pub fn check(root: &Path) -> Result<()> {
    if env::var_os("UPDATE").is_some() {
        update(root)?;
    }
    let known = known(root)?;
    let recordings = recordings(root)?;
    ensure!(
        known.keys().filter(|name| *name != LARGE).eq(recordings.iter().map(|(name, _)| name).collect::<BTreeSet<_>>()),
        "the recordings differ from those in {NUMBERS}: UPDATE=1 cargo test --locked what_is_recorded writes this file"
    );
    // The comparison that needs no recording uses one thread, so it runs at the same time as the others.
    let large = thread::scope(|scope| {
        let large = scope.spawn(large);
        check_recordings(recordings, &known)?;
        large.join().unwrap_or_else(|panic| resume_unwind(panic))
    })?;
    compare(LARGE, &large, known.get(LARGE).unwrap_or(&Numbers::new()))
}

/// Judges only the recordings whose names contain this text.
///
/// # Errors
/// Returns an error for the first difference or for a number that has changed, and if no recording has such a name.
pub fn check_only(root: &Path, text: &str) -> Result<()> {
    let known = known(root)?;
    let mut recordings = recordings(root)?;
    recordings.retain(|(name, _)| name.contains(text));
    ensure!(!recordings.is_empty(), "no recording has {text:?} in its name");
    check_recordings(recordings, &known)
}

/// Judges recordings, and compares their numbers with the known numbers. Those for which ends are explored come last,
/// because this takes the most time. Smaller ones come first.
fn check_recordings(mut recordings: Vec<(String, PathBuf)>, known: &BTreeMap<String, Numbers>) -> Result<()> {
    let has_ends = |numbers: &Numbers| numbers.keys().any(|name| name.contains("ends"));
    let size = |numbers: &Numbers| numbers.values().sum::<usize>();
    recordings.sort_by_cached_key(|(name, _)| known.get(name).map(|numbers| (has_ends(numbers), size(numbers))));
    for (name, path) in &recordings {
        let none = Numbers::new();
        let known = known.get(name).unwrap_or(&none);
        let unseen = unseen(name);
        let (verdict, stopped) = replay_until(path, |SoFar { counts, engines, differences }| {
            // A number that is too large cannot become smaller again.
            let too_large = |(name, number)| known.get(&name).is_none_or(|known| number > *known);
            *differences > 0
                || counts.members > counts.seen + unseen
                || counts.worlds > counts.worlds_seen
                || numbers(counts, *engines).into_iter().any(too_large)
        })?;
        let now = numbers_of(&verdict);
        if stopped {
            // The numbers are incomplete here. The numbers that are already too large are reported.
            differs(name, &verdict)?;
            let large: Numbers = now.into_iter().filter(|(name, now)| known.get(name) < Some(now)).collect();
            let known = known.iter().filter(|(name, _)| large.contains_key(*name));
            compare(name, &large, &known.map(|(name, number)| (name.clone(), *number)).collect())?;
        } else {
            compare(name, &now, known)?;
        }
        agrees(name, &verdict, unseen)?;
    }
    Ok(())
}

/// Judges the recordings and writes their numbers.
fn update(root: &Path) -> Result<()> {
    let mut lines = Vec::new();
    let mut add = |name: &str, numbers: Numbers| {
        let numbers: Vec<String> = numbers.into_iter().map(|(name, number)| format!("{name} {number}")).collect();
        lines.push(format!("{name}: {}\n", numbers.join(", ")));
    };
    for (name, path) in recordings(root)? {
        let verdict = replay(&path)?;
        agrees(&name, &verdict, unseen(&name))?;
        add(&name, numbers_of(&verdict));
    }
    add(LARGE, large()?);
    fs::write(root.join(NUMBERS), lines.concat()).context(NUMBERS)
}

fn large() -> Result<Numbers> {
    let large = hundred_sizes()?;
    match large.differences.first() {
        Some(difference) => bail!("{difference}"),
        None => Ok(numbers_of(&large)),
    }
}

/// Returns the first difference of a recording as an error.
fn differs(name: &str, verdict: &Verdict) -> Result<()> {
    match verdict.differences.first() {
        Some(difference) => bail!("{name}: {difference}"),
        None => Ok(()),
    }
}

/// Checks that a recording has no difference, and that all predicted ends except `unseen` ends were seen.
fn agrees(name: &str, verdict: &Verdict, unseen: usize) -> Result<()> {
    let Counts { members, seen, worlds, worlds_seen, ends, exact, crowded, .. } = verdict.counts;
    differs(name, verdict)?;
    ensure!(!verdict.counts.is_empty(), "{name}: nothing was compared");
    ensure!(
        members == seen + unseen && verdict.wider.iter().all(|wider| !wider.exact),
        "{name}: {} ends were not seen, but {unseen} are expected: {:?}",
        members.abs_diff(seen),
        verdict.wider.first()
    );
    ensure!(worlds == worlds_seen, "{name}: joint ends were not seen: {:?}", verdict.wider_worlds.first());
    let open = ends - exact - crowded;
    ensure!(open == 0 || unseen > 0, "{name}: {open} sets are not exact");
    Ok(())
}

/// Returns an error that names the numbers that differ from the known numbers.
fn compare(of: &str, now: &Numbers, known: &Numbers) -> Result<()> {
    let number = |numbers: &Numbers, name: &String| numbers.get(name).copied().unwrap_or_default();
    let names: BTreeSet<&String> = now.keys().chain(known.keys()).collect();
    let wrong: Vec<String> = names
        .into_iter()
        .filter(|name| number(now, name) != number(known, name))
        .map(|name| format!("{name} {}, not {}", number(now, name), number(known, name)))
        .collect();
    ensure!(
        wrong.is_empty(),
        "{of}: {}; if this is intended, UPDATE=1 cargo test --locked what_is_recorded writes {NUMBERS} again",
        wrong.join("; ")
    );
    Ok(())
}
