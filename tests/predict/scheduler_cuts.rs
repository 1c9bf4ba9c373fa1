//! kube-scheduler on partial input. If objects of a recorded world are hidden, the program must not give a wrong answer
//! without doubt.
#![expect(clippy::unwrap_used, reason = "a recording that cannot be read is a failed test")]

use super::scheduler::{RECORDINGS, decoded, known_objects, waiting};
use crate::support::root;
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::scheduler::{Scheduler, Scheduling};
use pvctl::model::{Kind, Object};
use pvctl::snapshot::{CoverageState, Snapshot};
use std::collections::BTreeMap;
use xtask::corpus;

/// The number of cuts that are tried. Each cut is tried with every pod that waits.
const CUTS: usize = 10_000;

/// How many of the objects of a kind are hidden.
#[derive(Clone, Copy, Debug)]
enum Part {
    All,
    First,
    Last,
}

const PARTS: [Part; 3] = [Part::All, Part::First, Part::Last];

/// In the first two states, an object that was not read may exist. In the last state it is assumed to be absent.
const STATES: [CoverageState; 3] = [CoverageState::Forbidden, CoverageState::Partial, CoverageState::Assumed];

/// Returns the snapshot of the objects without the hidden part of one kind.
fn cut(objects: &[Object], kind: Kind, part: Part, state: CoverageState) -> Snapshot {
    let places: Vec<usize> = (0..objects.len()).filter(|place| objects[*place].kind() == kind).collect();
    let is_hidden = |place: usize| match part {
        Part::All => places.contains(&place),
        Part::First => places.first() == Some(&place),
        Part::Last => places.last() == Some(&place),
    };
    let left = (0..objects.len()).filter(|place| !is_hidden(*place)).map(|place| objects[place].clone());
    known_objects(left, &[(kind, None, state)])
}

/// Returns the answer about each pod.
fn answers(snapshot: &Snapshot, behavior: &KubernetesBehavior) -> BTreeMap<(String, String), Scheduling> {
    let scheduler = Scheduler::new(snapshot, behavior);
    let key = |namespace: &str, name: &str| (namespace.to_owned(), name.to_owned());
    waiting(snapshot).map(|pod| (key(&pod.meta.namespace, &pod.meta.name), scheduler.schedule(pod))).collect()
}

/// Returns whether two answers are the same apart from their doubts.
fn agree(one: &Scheduling, other: &Scheduling) -> bool {
    let without = |answer: &Scheduling| Scheduling { doubts: BTreeMap::new(), ..answer.clone() };
    without(one) == without(other)
}

#[test]
fn a_scheduler_that_does_not_see_everything_is_never_wrong_with_certainty() {
    let behavior = KubernetesBehavior::default();
    // The numbers of answers that are certain, and by kind the numbers of answers that are wrong, but marked as
    // uncertain.
    let (mut cuts, mut certain, mut doubted) = (0, 0, BTreeMap::new());
    // The handmade worlds are few and have every kind. So they come first.
    let worlds = RECORDINGS.iter().rev().flat_map(|name| {
        corpus::lines(&root().join("tests/conformance").join(name)).unwrap().map(|line| line.unwrap())
    });
    for line in worlds {
        let objects: Vec<Object> = line.world.items.iter().map(decoded).collect();
        let full = answers(&known_objects(objects.clone(), &[]), &behavior);
        let mut kinds: Vec<Kind> = objects.iter().map(Object::kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            for part in PARTS {
                // The states are combined with the parts in turn.
                let state = STATES[cuts / PARTS.len() % STATES.len()];
                if cuts == CUTS {
                    break;
                }
                cuts += 1;
                let partial = cut(&objects, kind, part, state);
                for (pod, answer) in answers(&partial, &behavior) {
                    let right = agree(&answer, &full[&pod]);
                    let is_doubted = answer.doubts.contains_key(&kind);
                    assert!(
                        right || is_doubted,
                        "{}: {pod:?} without {kind} {part:?} ({state:?}): {answer:?}",
                        line.id
                    );
                    certain += usize::from(right && !is_doubted);
                    if !right {
                        *doubted.entry(kind).or_insert(0) += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cuts, CUTS);
    // Each of these kinds can change an answer. So a doubt about it is justified.
    let decisive = [
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
    for kind in decisive {
        assert!(doubted.contains_key(&kind), "no cut of {kind} changes an answer: {doubted:?}");
    }
    assert!(certain > 500, "{certain}");
}
