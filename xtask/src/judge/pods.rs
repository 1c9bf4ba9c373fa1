//! Compares sets of ends and joint ends if kube-scheduler takes part. Pods then have ends as well.

use super::ends::{ends_of, prove, settling};
use super::{FURTHER, Judged, Verdict, Wider, differ, found};
use crate::line::Settle;
use anyhow::{Context as _, Result};
use pvctl::controllers::{Controller, DecidedBy, scheduler};
use pvctl::engines::simulation;
use serde_json::Value;
use std::collections::BTreeSet;

/// The scheduler as an actor.
const SCHEDULER: Controller = scheduler::actor::CONTROLLER;

/// Returns whether kube-scheduler took part.
pub(super) fn with_scheduler(real: &Settle) -> bool {
    real.controllers.iter().any(|name| name == SCHEDULER.name)
}

impl Judged<'_> {
    /// Compares the ends of every object of the line, the ends of the claims that controllers create, and the joint
    /// ends of each component. If the component of an object is too large to be explored, only the doubts about the
    /// object are compared, and the object is counted.
    pub(super) fn compare_ends_with_pods(&self, real: &Settle, verdict: &mut Verdict) -> Result<()> {
        let settings = settling(self.behavior, real)?;
        let simulation = simulation(self.snapshot, settings, 1);
        self.compare_created(&simulation, None, real, verdict)?;
        let mut components: BTreeSet<usize> = BTreeSet::new();
        for answer in &real.objects {
            let Some(target) = found(self.snapshot, &answer.object) else { continue };
            let prediction = simulation.predict(target);
            // The coverage of a line says nothing about the kinds that only the scheduler reads.
            let assumed = prediction.assumed.iter().filter(|assumed| !FURTHER.contains(&assumed.kind));
            let assumed: Vec<_> = assumed.collect();
            if !assumed.is_empty() || !prediction.unknown.is_empty() {
                let doubts = format!("{assumed:?} {:?}", prediction.unknown);
                differ("pods: doubts", &answer.object, &BTreeSet::new(), &[doubts].into(), verdict);
            }
            if prediction.is_too_large {
                verdict.counts.unexplored += 1;
                continue;
            }
            // If several nodes fit, the prediction is not exact, because the real scheduler chooses by scores. The
            // scheduler of the oracle chooses by chance, so here the set can be exact.
            let set = simulation.outcomes(target);
            let known = || format!("{:?}: the prediction has no ends: {:?} {set:?}", answer.object, prediction.unknown);
            let exact = set.exact && prediction.outcomes.as_ref().with_context(known)?.count > 0;
            let predicted = ends_of(&set.listed)?;
            let seen: BTreeSet<String> = self.ends_seen(answer).iter().map(ToString::to_string).collect();
            let counts = &mut verdict.counts;
            counts.listed += set.listed.len();
            counts.ends += 1;
            counts.ends_of_pods += usize::from(answer.object.kind == "Pod");
            counts.exact += usize::from(exact);
            counts.single += usize::from(predicted.len() == 1);
            counts.members += predicted.len();
            counts.seen += seen.len();
            let unseen = predicted.difference(&seen).map(|end| serde_json::from_str(end));
            let mut ends: Vec<Value> = unseen.collect::<Result<_, _>>()?;
            for schedule in self.line.schedules.iter().filter(|schedule| schedule.objects == [answer.object.clone()]) {
                let open = ends.len();
                ends.retain(|end| [end.clone()] != *schedule.ends);
                if schedule.reached || ends.len() < open {
                    prove(schedule, verdict);
                }
            }
            if !ends.is_empty() {
                let (line, object) = (self.line.id.clone(), answer.object.clone());
                verdict.wider.push(Wider { line, object, ends, exact });
            }
            if answer.object.kind == "Pod" {
                let nodes = |ends: &BTreeSet<String>| -> BTreeSet<String> {
                    let ends = ends.iter().filter_map(|end| serde_json::from_str::<Value>(end).ok());
                    ends.filter_map(|end| end["node"].as_str().map(str::to_owned)).collect()
                };
                let text = |scores: bool| BTreeSet::from([format!("scores decide: {scores}")]);
                let decide = prediction.decided_by.contains(&DecidedBy::Score);
                // With one node, the scheduler has no choice. If the real scheduler chose several nodes, it had one.
                if nodes(&seen).len() > 1 || self.snapshot.nodes().len() < 2 {
                    let several = self.snapshot.nodes().len() > 1;
                    differ("pods: scores", &answer.object, &text(several), &text(decide), verdict);
                }
            }
            let inside: BTreeSet<String> = seen.intersection(&predicted).cloned().collect();
            differ("pods", &answer.object, &seen, &inside, verdict);
            if components.insert(prediction.component) {
                self.compare_joint(&simulation, prediction.component, (real, &[]), verdict)?;
            }
        }
        Ok(())
    }
}
