//! Judges many lines on all cores.

use crate::corpus;
use crate::judge::{Counts, Difference, EngineCounts, Verdict, judge};
use crate::line::Line;
use anyhow::{Context as _, Result, anyhow, bail};
use pvctl::controllers::KubernetesBehavior;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The number of lines of a file that are judged before the next lines are read.
const CHUNK: usize = 256;

/// The results of the lines that were judged so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct SoFar {
    /// The numbers of compared answers.
    pub counts: Counts,
    /// The numbers of additional questions to the engines.
    pub engines: EngineCounts,
    /// The number of differences.
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
/// Returns an error if a line is invalid.
pub fn judge_all(lines: &[Line], behavior: &KubernetesBehavior) -> Result<Vec<Verdict>> {
    on_all_cores(lines, |line| judged(line, behavior).map(Some))
}

/// Judges a line. The core must never panic. A panic is reported as a difference, so that its world is named, shrunk
/// and stored.
///
/// # Errors
/// Returns an error if the line is invalid.
pub(crate) fn judged(line: &Line, behavior: &KubernetesBehavior) -> Result<Verdict> {
    let judging = catch_unwind(AssertUnwindSafe(|| judge(line, behavior)));
    let verdict = judging.unwrap_or_else(|panic| {
        let difference = Difference {
            part: "panic".to_owned(),
            object: "the world".to_owned(),
            only_real: Vec::new(),
            only_predicted: vec![words(panic.as_ref()).to_owned()],
        };
        Ok(Verdict { differences: vec![difference], ..Verdict::default() })
    });
    verdict.with_context(|| format!("world {}", line.id))
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

/// Returns the results for all items, in their order. The first `None` or error ends the work on further items. If
/// there are several errors, the first one is returned.
fn on_all_cores<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> Result<Option<U>> + Sync) -> Result<Vec<U>> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let mut done = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { break };
            match work(item) {
                Ok(Some(result)) => done.push((place, Ok(result))),
                Ok(None) => stop.store(true, Ordering::Relaxed),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    done.push((place, Err(error)));
                }
            }
        }
        done
    };
    let mut done: Vec<(usize, Result<U>)> = thread::scope(|scope| -> Result<_> {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let mut all = Vec::with_capacity(items.len());
        for worker in workers {
            all.extend(worker.join().map_err(|_| anyhow!("judging panicked"))?);
        }
        Ok(all)
    })?;
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Judges a recording with the behavior of the version in its name. Each difference names its world.
///
/// # Errors
/// Returns an error if the file cannot be read or is empty, if a line is invalid, or if the version in the name of the
/// file is missing or not modelled.
pub fn replay(path: &Path) -> Result<Verdict> {
    Ok(replay_until(path, |_| false)?.0)
}

/// Judges a recording like [`replay`], until `enough` returns true. Lines that are not judged are not decoded. The
/// function also returns whether it stopped early.
///
/// # Errors
/// Returns an error if the file cannot be read or is empty, if a line is invalid, or if the version in the name of the
/// file is missing or not modelled.
pub fn replay_until(path: &Path, enough: impl Fn(&SoFar) -> bool + Sync) -> Result<(Verdict, bool)> {
    let behavior = corpus::behavior_of(path)?;
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
            let mut verdict = judged(&line, &behavior)?;
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
    Ok((all, done.into_inner()))
}
