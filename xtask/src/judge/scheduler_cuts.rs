//! Compares what kube-scheduler says about pods with what is said for partial input. Objects of one kind are hidden,
//! and each answer that differs has to be marked as uncertain.

use super::{Judged, Verdict, differ, parts};
use crate::line::Object;
use anyhow::Result;
use pvctl::controllers::scheduler::{self, Scheduler, Scheduling};
use pvctl::model::Kind;
use pvctl::snapshot::{Absence, Coverage, CoverageEntry, CoverageState, Snapshot};
use serde_json::Value;
use std::collections::BTreeMap;

/// How many of the objects of a kind are hidden.
#[derive(Clone, Copy, Debug)]
enum Part {
    All,
    First,
    Last,
    /// All objects in the namespace of the first object. Only this namespace was not read completely.
    Namespace,
}

const PARTS: [Part; 4] = [Part::All, Part::First, Part::Last, Part::Namespace];

/// In the first two states, an object that was not read may exist. In the last state it is assumed to be absent.
const STATES: [CoverageState; 3] = [CoverageState::Forbidden, CoverageState::Partial, CoverageState::Assumed];

/// The kinds that the scheduler reads.
const READ: [Kind; 10] = [
    Kind::PersistentVolume,
    Kind::PersistentVolumeClaim,
    Kind::StorageClass,
    Kind::Pod,
    Kind::Node,
    Kind::CsiNode,
    Kind::CsiDriver,
    Kind::CsiStorageCapacity,
    Kind::VolumeAttachment,
    Kind::Namespace,
];

impl Judged<'_> {
    /// Compares the answers about all pods after objects were hidden: for each kind, all objects, the first, the
    /// last, or those of a namespace. The name of the line decides which part is hidden, and with which state.
    pub(super) fn compare_scheduler_cuts(&self, verdict: &mut Verdict) -> Result<()> {
        let full = self.answers(&self.known(&[])?);
        let number = usize::try_from(self.number() % 12)?;
        for (place, kind) in READ.into_iter().enumerate() {
            let of_kind = |item: &&Value| item["kind"] == kind.as_str();
            let count = self.line.world.items.iter().filter(of_kind).count();
            if count == 0 {
                continue;
            }
            let parts = PARTS.into_iter().filter(|part| kind.namespaced() || !matches!(part, Part::Namespace));
            let parts: Vec<Part> = parts.collect();
            // Random worlds are many. So each of them gets one part of each kind.
            let is_handmade = self.line.tags.iter().any(|tag| tag == "handmade");
            let is_tried = |turn: usize| is_handmade || turn == (number + place) % parts.len();
            for (turn, part) in parts.iter().copied().enumerate().filter(|(turn, _)| is_tried(*turn)) {
                // The remainder is smaller than the number of states.
                let Some(state) = STATES.get((number / 4 + place + turn) % STATES.len()) else { continue };
                let partial = self.known(&[(kind, part, *state)])?;
                for (pod, answer) in self.answers(&partial) {
                    compare_cut_answer(&pod, (kind, part, *state), (full.get(&pod), &answer), verdict);
                }
            }
        }
        Ok(())
    }

    /// Returns the snapshot in which everything is known except the hidden parts.
    fn known(&self, hidden: &[(Kind, Part, CoverageState)]) -> Result<Snapshot> {
        let mut coverage = Coverage::default();
        for kind in Kind::EVERY {
            coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
        }
        let items = &self.line.world.items;
        let namespace_of = |kind: Kind| {
            let first = items.iter().find(|item| item["kind"] == kind.as_str());
            first.and_then(|first| first["metadata"]["namespace"].as_str())
        };
        for (kind, part, state) in hidden {
            let namespace = namespace_of(*kind).filter(|_| matches!(part, Part::Namespace));
            coverage.set(CoverageEntry::new(*kind, namespace.map(Into::into), *state));
        }
        let is_hidden = |place: usize, item: &Value| {
            hidden.iter().filter(|(kind, ..)| item["kind"] == kind.as_str()).any(|(kind, part, _)| {
                let is_kind = |item: &Value| item["kind"] == kind.as_str();
                match part {
                    Part::All => true,
                    Part::First => items.iter().position(is_kind) == Some(place),
                    Part::Last => items.iter().rposition(is_kind) == Some(place),
                    Part::Namespace => item["metadata"]["namespace"].as_str() == namespace_of(*kind),
                }
            })
        };
        let left = items.iter().enumerate().filter(|(place, item)| !is_hidden(*place, item)).map(|(_, item)| item);
        Ok(Snapshot::new(parts(left, coverage)?))
    }

    /// Returns the answer about each pod that waits for the scheduler.
    fn answers(&self, snapshot: &Snapshot) -> BTreeMap<(String, String), Scheduling> {
        let scheduler = Scheduler::new(snapshot, self.behavior);
        let key = |namespace: &str, name: &str| (namespace.to_owned(), name.to_owned());
        let waiting = snapshot.pods().iter().filter(|pod| scheduler::handles(pod));
        waiting.map(|pod| (key(&pod.meta.namespace, &pod.meta.name), scheduler.schedule(pod))).collect()
    }
}

/// Compares the answer about a pod for partial input with the answer for the whole world.
fn compare_cut_answer(
    pod: &(String, String),
    (kind, part, state): (Kind, Part, CoverageState),
    (full, answer): (Option<&Scheduling>, &Scheduling),
    verdict: &mut Verdict,
) {
    let without = |answer: &Scheduling| Scheduling { doubts: BTreeMap::new(), ..answer.clone() };
    let right = full.map(without) == Some(without(answer));
    // If it is known that something was not read, an assumption is not enough.
    let doubted = match state {
        CoverageState::Assumed => answer.doubts.contains_key(&kind),
        _ => matches!(answer.doubts.get(&kind), Some(Absence::Unknown(_))),
    };
    verdict.counts.cuts += 1;
    verdict.counts.doubted += usize::from(!right && doubted);
    verdict.counts.confident += usize::from(!doubted);
    if !right && !doubted {
        let object = Object { kind: "Pod".to_owned(), namespace: pod.0.clone(), name: pod.1.clone() };
        let text = |answer: &Scheduling| [format!("{answer:?}")].into();
        let real = full.map(text).unwrap_or_default();
        let name = format!("scheduling: without {part:?} {} ({state:?})", kind.as_str());
        differ(&name, &object, &real, &text(answer), verdict);
    }
}
