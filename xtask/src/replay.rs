//! Judges many lines on all cores.

use crate::corpus;
use crate::judge::{Verdict, judge};
use crate::line::Line;
use anyhow::{Context as _, Result, anyhow, bail};
use pvctl::controllers::Rules;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Judges lines, in their order.
///
/// # Errors
/// When a line makes no sense.
pub fn judge_all(lines: &[Line], rules: &Rules) -> Result<Vec<Verdict>> {
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut judged = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(line) = lines.get(place) else { return Ok(judged) };
            judged.push((place, judge(line, rules).with_context(|| format!("world {}", line.id))?));
        }
    };
    let mut judged: Vec<(usize, Verdict)> = thread::scope(|scope| -> Result<_> {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::with_capacity(lines.len());
        for worker in workers {
            let part: Result<Vec<(usize, Verdict)>> = worker.join().map_err(|_| anyhow!("judging panicked"))?;
            all.extend(part?);
        }
        Ok(all)
    })?;
    judged.sort_by_key(|(place, _)| *place);
    Ok(judged.into_iter().map(|(_, verdict)| verdict).collect())
}

/// Judges a recorded file by the rules of the version in its name. The differences name their worlds.
///
/// # Errors
/// When the file cannot be read or holds nothing.
pub fn replay(path: &Path) -> Result<Verdict> {
    let rules = corpus::rules_of(path)?;
    let lines: Vec<Line> = corpus::lines(path)?.collect::<Result<_>>()?;
    if lines.is_empty() {
        bail!("{} is empty", path.display());
    }
    let mut all = Verdict::default();
    for (line, mut verdict) in lines.iter().zip(judge_all(&lines, &rules)?) {
        for difference in &mut verdict.differences {
            difference.part = format!("{}: {}", line.id, difference.part);
        }
        all.add(verdict);
    }
    Ok(all)
}
