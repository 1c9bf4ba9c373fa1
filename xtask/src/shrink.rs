//! Removes objects and fields from a world with a difference, as long as the world still shows the difference.

use crate::attaching::Attaching;
use crate::judge::{Difference, Verdict};
use crate::line::Line;
use crate::replay::judged;
use crate::shared_volume::Share;
use anyhow::Result;
use pvctl::controllers::KubernetesBehavior;
use serde_json::Value;

/// The largest number of candidates in one call of the oracle, and in all calls. The oracle needs a tenth of a second
/// for the ends of one candidate.
const BATCH: usize = 64;
const MOST: usize = 2000;

/// Returns the smallest world that was found to show a difference in the same kind of answer, with the real answers for
/// it. Returns the line itself if it shows no difference. `ask` gets the answers, and fails if a world is invalid.
///
/// # Errors
/// Returns an error if the line is invalid.
pub fn shrink(behavior: &KubernetesBehavior, line: &Line, ask: impl Fn(&[Line]) -> Result<Vec<Line>>) -> Result<Line> {
    let mut best = line.clone();
    let Some(wanted) = verdict(line, behavior)?.differences.first().map(kind_of) else { return Ok(best) };
    if let Some(answered) = first_that_shows(behavior, &[stripped(line)], &wanted, &ask) {
        best = answered;
    }
    let mut asked = 0;
    loop {
        let mut smaller = None;
        for batch in candidates(&stripped(&best)).chunks(BATCH) {
            if asked >= MOST {
                return Ok(best);
            }
            asked += batch.len();
            smaller = first_that_shows(behavior, batch, &wanted, &ask);
            if smaller.is_some() {
                break;
            }
        }
        match smaller {
            Some(line) => best = line,
            None => return Ok(best),
        }
    }
}

/// Returns the result of the comparison. A predicted end that was not seen can be a difference here, because `ask`
/// follows schedules as well.
fn verdict(line: &Line, behavior: &KubernetesBehavior) -> Result<Verdict> {
    let mut verdict = judged(line, behavior)?;
    verdict.expect_proof();
    Ok(verdict)
}

/// Returns the kind of answer that differs. A smaller world must differ in the same kind of answer.
fn kind_of(difference: &Difference) -> String {
    difference.part.split('[').next().unwrap_or_default().to_owned()
}

fn first_that_shows(
    behavior: &KubernetesBehavior,
    lines: &[Line],
    wanted: &str,
    ask: &impl Fn(&[Line]) -> Result<Vec<Line>>,
) -> Option<Line> {
    // An invalid candidate ends the oracle. Then the oracle is asked about each candidate separately.
    let answered = match ask(lines) {
        Ok(answered) => answered,
        Err(_) => lines.iter().filter_map(|line| ask(std::slice::from_ref(line)).ok()).flatten().collect(),
    };
    let shows = |line: &Line| {
        verdict(line, behavior)
            .is_ok_and(|verdict| verdict.differences.iter().any(|difference| kind_of(difference) == wanted))
    };
    answered.into_iter().find(shows)
}

/// Returns the line without answers.
pub fn stripped(line: &Line) -> Line {
    let mut line = line.clone();
    line.decisions.clear();
    line.protections.clear();
    line.ephemerals.clear();
    line.settle = None;
    line.schedules.clear();
    line.matches.clear();
    line.scheduling = None;
    if let Some(provisioning) = &mut line.provisioning {
        provisioning.strip();
    }
    if let Some(attacher) = &mut line.attacher {
        attacher.strip();
    }
    if let Some(resizer) = &mut line.resizer {
        resizer.strip();
    }
    if let Some(share) = &mut line.share {
        share.strip();
    }
    if let Some(mounting) = &mut line.mounting {
        mounting.strip();
    }
    if let Some(managing) = &mut line.managing {
        managing.strip();
    }
    if let Some(attaching) = &mut line.attaching {
        attaching.log.clear();
        attaching.ends.clear();
        attaching.without_ends.clear();
    }
    for case in &mut line.cases {
        case.decisions.clear();
        case.runs = 0;
        case.notes.clear();
    }
    line
}

/// Returns all worlds that are one step smaller, the largest steps first.
fn candidates(line: &Line) -> Vec<Line> {
    let mut all = Vec::new();
    if !line.cases.is_empty() {
        all.push(Line { cases: Vec::new(), ..line.clone() });
    }
    for place in 0..line.cases.len() {
        let mut smaller = line.clone();
        smaller.cases.remove(place);
        all.push(smaller);
    }
    if let Some(attaching) = &line.attaching {
        let smaller = |change: &dyn Fn(&mut Attaching)| {
            let mut attaching = attaching.clone();
            change(&mut attaching);
            Line { attaching: Some(attaching), ..line.clone() }
        };
        all.extend((0..attaching.script.len()).map(|place| smaller(&|run| drop(run.script.remove(place)))));
        all.extend((0..attaching.refuse.len()).map(|place| smaller(&|run| drop(run.refuse.remove(place)))));
        all.extend((0..attaching.attachers.len()).map(|place| smaller(&|run| drop(run.attachers.remove(place)))));
    }
    if let Some(share) = &line.share {
        all.extend(shares(share).into_iter().map(|share| Line { share: Some(share), ..line.clone() }));
    }
    for place in 0..line.world.items.len() {
        let mut smaller = line.clone();
        let gone = smaller.world.items.remove(place);
        smaller.cases.retain(|case| {
            case.object.name != gone["metadata"]["name"]
                && case.cached.iter().all(|cached| cached.object.name != gone["metadata"]["name"])
        });
        all.push(smaller);
    }
    for place in 0..line.world.items.len() {
        let mut paths = Vec::new();
        paths_of(&line.world.items[place], &mut Vec::new(), &mut paths);
        for path in paths {
            let mut smaller = line.clone();
            if remove(&mut smaller.world.items[place], &path) {
                all.push(smaller);
            }
        }
    }
    all
}

/// Returns all scripts that are one step smaller.
fn shares(share: &Share) -> Vec<Share> {
    let mut all = Vec::new();
    let mut smaller = |change: &dyn Fn(&mut Share)| {
        let mut share = share.clone();
        change(&mut share);
        all.push(share);
    };
    for (turn, each) in share.turns.iter().enumerate() {
        smaller(&|share| drop(share.turns.remove(turn)));
        for place in 0..each.set.len() {
            smaller(&|share| drop(share.turns[turn].set.remove(place)));
        }
        for place in 0..each.delete.len() {
            smaller(&|share| drop(share.turns[turn].delete.remove(place)));
        }
        for (place, sync) in each.reconcile.iter().enumerate() {
            smaller(&|share| drop(share.turns[turn].reconcile.remove(place)));
            for refused in 0..sync.refuse.len() {
                smaller(&|share| drop(share.turns[turn].reconcile[place].refuse.remove(refused)));
            }
        }
    }
    all
}

/// The field that a generic ephemeral volume must keep. Without it, the real controller panics.
const TEMPLATE: &str = "volumeClaimTemplate";

/// The fields that every object needs.
const KEPT: [&str; 6] = ["apiVersion", "kind", "name", "namespace", "uid", "resourceVersion"];

fn paths_of(value: &Value, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(place, value)| (place.to_string(), value)).collect(),
        _ => return,
    };
    for (name, child) in children {
        path.push(name);
        let kept = path.len() <= 2 && KEPT.contains(&path[path.len() - 1].as_str())
            || path.len() == 1 && path[0] == "metadata"
            || path.last().is_some_and(|field| field == TEMPLATE);
        if !kept {
            paths.push(path.clone());
        }
        paths_of(child, path, paths);
        path.pop();
    }
}

fn remove(value: &mut Value, path: &[String]) -> bool {
    let Some((last, parents)) = path.split_last() else { return false };
    let mut inner = value;
    for name in parents {
        let next = match inner {
            Value::Object(fields) => fields.get_mut(name),
            Value::Array(items) => name.parse::<usize>().ok().and_then(|place| items.get_mut(place)),
            _ => None,
        };
        let Some(next) = next else { return false };
        inner = next;
    }
    match inner {
        Value::Object(fields) => fields.remove(last).is_some(),
        Value::Array(items) => match last.parse::<usize>() {
            Ok(place) if place < items.len() => {
                items.remove(place);
                true
            }
            _ => false,
        },
        _ => false,
    }
}
