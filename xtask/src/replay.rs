//! Judges many lines on all cores.

use crate::corpus;
use crate::judge::{Verdict, judge};
use crate::line::Line;
use anyhow::{Context as _, Result, anyhow, bail};
use pvctl::controllers::Rules;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many lines of a file are judged before the next ones are read.
const CHUNK: usize = 256;

/// Judges lines, in their order.
///
/// # Errors
/// When a line makes no sense.
pub fn judge_all(lines: &[Line], rules: &Rules) -> Result<Vec<Verdict>> {
    on_all_cores(lines, |line| judge(line, rules).with_context(|| format!("world {}", line.id)))
}

/// The results for all of them, in their order.
fn on_all_cores<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> Result<U> + Sync) -> Result<Vec<U>> {
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return Ok(done) };
            done.push((place, work(item)?));
        }
    };
    let mut done: Vec<(usize, U)> = thread::scope(|scope| -> Result<_> {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let mut all = Vec::with_capacity(items.len());
        for worker in workers {
            let part: Result<Vec<(usize, U)>> = worker.join().map_err(|_| anyhow!("judging panicked"))?;
            all.extend(part?);
        }
        Ok(all)
    })?;
    done.sort_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// Judges a recorded file by the rules of the version in its name. The differences name their worlds.
///
/// # Errors
/// When the file cannot be read or holds nothing.
pub fn replay(path: &Path) -> Result<Verdict> {
    replay_until(path, |_| false)
}

/// The same, up to the first lines after which that is enough: nothing is read that is not judged.
///
/// # Errors
/// When the file cannot be read or holds nothing.
pub fn replay_until(path: &Path, enough: impl Fn(&Verdict) -> bool) -> Result<Verdict> {
    let rules = corpus::rules_of(path)?;
    let mut texts = corpus::texts(path)?;
    let mut all = Verdict::default();
    let mut number = 0;
    while !enough(&all) {
        let chunk: Vec<(usize, String)> = texts
            .by_ref()
            .take(CHUNK)
            .map(|text| {
                number += 1;
                Ok((number, text?))
            })
            .collect::<Result<_>>()?;
        if chunk.is_empty() {
            break;
        }
        let verdicts = on_all_cores(&chunk, |(number, text)| {
            let line = corpus::line(path, *number, text)?;
            let mut verdict = judge(&line, &rules).with_context(|| format!("world {}", line.id))?;
            for difference in &mut verdict.differences {
                difference.part = format!("{}: {}", line.id, difference.part);
            }
            Ok(verdict)
        })?;
        for verdict in verdicts {
            all.add(verdict);
        }
    }
    if number == 0 {
        bail!("{} is empty", path.display());
    }
    Ok(all)
}
