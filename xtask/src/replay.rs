//! Judges many lines on all cores.

use crate::corpus;
use crate::judge::{Counts, EngineCounts, Verdict, judge};
use crate::line::Line;
use anyhow::{Context as _, Result, anyhow, bail};
use pvctl::controllers::Rules;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many lines of a file are judged before the next ones are read.
const CHUNK: usize = 256;

/// What the lines that were judged so far came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct SoFar {
    /// What was compared.
    pub counts: Counts,
    /// What the engines were asked.
    pub engines: EngineCounts,
    /// How many differences there are.
    pub differences: usize,
}

impl SoFar {
    fn add(&mut self, verdict: &Verdict) {
        self.counts += verdict.counts;
        self.engines += verdict.engines;
        self.differences += verdict.differences.len();
    }
}

/// Judges lines, in their order.
///
/// # Errors
/// When a line makes no sense.
pub fn judge_all(lines: &[Line], rules: &Rules) -> Result<Vec<Verdict>> {
    let judged = |line: &Line| judge(line, rules).map(Some).with_context(|| format!("world {}", line.id));
    on_all_cores(lines, judged)
}

/// The results for all of them, in their order. Where there is none, no further item is looked at.
fn on_all_cores<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> Result<Option<U>> + Sync) -> Result<Vec<U>> {
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return Ok(done) };
            match work(item)? {
                Some(result) => done.push((place, result)),
                None => return Ok(done),
            }
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

/// The same, up to the line after which that is enough: nothing is read that is not judged.
///
/// # Errors
/// When the file cannot be read or holds nothing.
pub fn replay_until(path: &Path, enough: impl Fn(&SoFar) -> bool + Sync) -> Result<Verdict> {
    let rules = corpus::rules_of(path)?;
    let mut texts = corpus::texts(path)?;
    let mut all = Verdict::default();
    let mut number = 0;
    let (so_far, done) = (Mutex::new(SoFar::default()), AtomicBool::new(false));
    while !done.load(Ordering::Relaxed) {
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
            if done.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let line = corpus::line(path, *number, text)?;
            let mut verdict = judge(&line, &rules).with_context(|| format!("world {}", line.id))?;
            for difference in &mut verdict.differences {
                difference.part = format!("{}: {}", line.id, difference.part);
            }
            let mut so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
            so_far.add(&verdict);
            if enough(&so_far) {
                done.store(true, Ordering::Relaxed);
            }
            Ok(Some(verdict))
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
