//! Follows what the controller and the attachers do with one volume, until nothing new happens.

use super::{AttachmentEnd, AttachmentEnds, RecordEnd};
use crate::controllers::attach_detach::{Action, ApiAnswers, AttachDetach, LOOP_PERIOD, Moment, Refusal, SECOND};
use crate::model::surroundings::AttachError;
use crate::model::{ObjectMeta, Str, VolumeAttachment};
use crate::snapshot::Snapshot;
use crate::world::{Choices, View, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The time after which nothing new happens, in nanoseconds: longer than the six minutes before a detachment by force,
/// and several attempts with the longest back-off.
const SETTLED: u64 = 1200 * SECOND;
/// The time until which the ends are observed, in nanoseconds: later by more than an attempt with the longest back-off.
const OBSERVED: u64 = 1500 * SECOND;
/// How long a slow attacher takes, in nanoseconds: longer than the controller waits.
const SLOW: u64 = 130 * SECOND;
/// The largest number of states at one moment.
const MOST_STATES: usize = 256;
/// The largest number of steps. If an attacher fails to detach an exclusive volume and to attach it elsewhere, the two
/// operations take turns, and each of them ends the back-off of the other. Then there are several steps in each second.
const MOST_STEPS: usize = 60_000;
/// The prefix of the finalizer of an attacher.
const ATTACHER_PREFIX: &str = "external-attacher/";

/// The controller, the VolumeAttachments of the volume, and what the attachers do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) controller: AttachDetach,
    /// The VolumeAttachments. The value is `None` if it is gone.
    pub(super) records: BTreeMap<Str, Option<Arc<VolumeAttachment>>>,
    jobs: BTreeMap<(Str, Work), Job>,
    next_loop: Moment,
}

/// The work with which the external attacher fails before it asks the driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hopeless {
    /// The nodes to which it attaches nothing.
    pub(super) attach: BTreeSet<Str>,
    /// The VolumeAttachments that it cannot end.
    pub(super) detach: BTreeSet<Str>,
}

/// What an attacher does with a VolumeAttachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Attach,
    Detach,
}

/// The work of an attacher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Job {
    /// The moment of its end. The value is `None` if it has failed, or never ends.
    due: Option<Moment>,
    fails: bool,
}

/// Returns the moment of the first loop that is not earlier.
fn loop_from(at: Moment) -> Moment {
    Moment(at.0.div_ceil(LOOP_PERIOD) * LOOP_PERIOD)
}

/// All requests are accepted.
struct Accepting;

impl ApiAnswers for Accepting {
    fn get_node(&mut self, _: &str) -> Option<Refusal> {
        None
    }

    fn get_attachment(&mut self, _: &str) -> Option<Refusal> {
        None
    }

    fn patch_node(&mut self, _: &str) -> Option<Refusal> {
        None
    }

    fn create_attachment(&mut self, _: &str) -> Option<Refusal> {
        None
    }

    fn delete_attachment(&mut self, _: &str) -> Option<Refusal> {
        None
    }

    fn depends_on_order(&self) -> bool {
        false
    }
}

/// Follows all states until nothing new happens.
pub(super) fn explore(snapshot: &Snapshot, first: State, attachers: Option<&Hopeless>) -> AttachmentEnds {
    let mut found = AttachmentEnds { ends: BTreeSet::new(), is_complete: true };
    let mut open: BTreeMap<Moment, Vec<State>> = BTreeMap::from([(Moment(0), vec![first])]);
    let mut steps = 0..MOST_STEPS;
    while let Some((now, states)) = open.pop_first() {
        for state in states {
            let mut script = Some(Choices::first());
            while let Some(mut choices) = script {
                if steps.next().is_none() {
                    found.is_complete = false;
                    return found;
                }
                let mut next = state.clone();
                next.step(snapshot, now, attachers, &mut choices);
                script = choices.next();
                if now.0 >= SETTLED {
                    found.ends.insert(next.end(snapshot));
                }
                let at = next.next(now);
                if at.0 >= OBSERVED {
                    found.ends.insert(next.end(snapshot));
                    continue;
                }
                let same = open.entry(at).or_default();
                if !same.contains(&next) {
                    same.push(next);
                }
                if same.get(MOST_STATES).is_some() {
                    found.is_complete = false;
                    return found;
                }
            }
        }
    }
    found
}

impl State {
    /// Returns the state at the beginning.
    pub(super) fn new(controller: AttachDetach, records: impl IntoIterator<Item = VolumeAttachment>) -> Self {
        let records = records.into_iter().map(|record| (record.meta.name.clone(), Some(Arc::new(record))));
        Self { controller, records: records.collect(), jobs: BTreeMap::new(), next_loop: Moment(0) }
    }

    fn end(&self, snapshot: &Snapshot) -> AttachmentEnd {
        let reporting = self.controller.actual.reporting();
        let records = self.records.iter();
        let records = records.filter_map(|(name, one)| Some((name.clone(), RecordEnd::of(one.as_ref()?))));
        AttachmentEnd {
            records: records.collect(),
            listed: reporting.filter(|node| snapshot.node(node).is_some()).cloned().collect(),
        }
    }

    /// Returns the next moment at which something can happen.
    fn next(&self, now: Moment) -> Moment {
        let jobs = self.jobs.values().filter_map(|job| job.due).min();
        let steps = [jobs, self.controller.next_step()].into_iter().flatten().map(|at| Moment(at.0.max(now.0)));
        steps.min().map_or(self.next_loop, |at| at.min(self.next_loop))
    }

    /// Runs one moment: the attachers, the operations, and a loop if one is due.
    fn step(&mut self, snapshot: &Snapshot, now: Moment, attachers: Option<&Hopeless>, choices: &mut Choices) {
        let before = (self.controller.clone(), self.records.clone());
        let mut out = Vec::new();
        if attachers.is_some() {
            self.attachers_act(now);
            self.poll_all(snapshot, now, &mut out);
        }
        let is_loop = now >= self.next_loop;
        let mut world = self.world(snapshot);
        self.controller.run_steps(View::World(&world), now, &mut Accepting, choices, &mut out);
        self.write(&mut out);
        if is_loop {
            world = self.world(snapshot);
            self.controller.reconcile(View::World(&world), now, &mut Accepting, choices, &mut out);
            self.write(&mut out);
        }
        if let Some(hopeless) = attachers {
            self.attachers_look(hopeless, now, choices);
        }
        self.poll_all(snapshot, now, &mut out);
        if is_loop {
            let is_quiet = (&self.controller, &self.records) == (&before.0, &before.1);
            let next = if is_quiet { self.controller.next_deadline(now) } else { Some(now.after(1)) };
            self.next_loop = loop_from(next.unwrap_or(Moment(OBSERVED)));
        } else if (&self.controller, &self.records) != (&before.0, &before.1) {
            self.next_loop = self.next_loop.min(loop_from(now.after(1)));
        }
    }

    /// Each operation that waits for a VolumeAttachment looks at it.
    fn poll_all(&mut self, snapshot: &Snapshot, now: Moment, out: &mut Vec<Action>) {
        let world = self.world(snapshot);
        for name in self.records.keys() {
            self.controller.poll(View::World(&world), name, now, out);
        }
    }

    /// Returns the world with the VolumeAttachments as they are now.
    fn world<'s>(&self, snapshot: &'s Snapshot) -> World<'s> {
        let mut world = World::new(snapshot);
        for (name, record) in &self.records {
            match (world.id::<VolumeAttachment>("", name), record) {
                (Some(id), _) => world.set(id, record.clone()),
                (None, Some(record)) => {
                    world.add(record.clone(), None);
                }
                (None, None) => {}
            }
        }
        world
    }

    /// Carries out the requests.
    fn write(&mut self, out: &mut Vec<Action>) {
        for action in out.drain(..) {
            match action {
                // Neither the name of the volume nor that of the attacher matters here.
                Action::CreateAttachment { name, node, attacher: _, volume: _, refused: None } => {
                    let meta = ObjectMeta { name: name.clone(), ..ObjectMeta::default() };
                    let record = VolumeAttachment { meta, node_name: node, ..VolumeAttachment::default() };
                    self.records.insert(name, Some(Arc::new(record)));
                }
                Action::DeleteAttachment { name, refused: None } => self.delete(&name),
                _ => {}
            }
        }
    }

    fn delete(&mut self, name: &str) {
        let Some(Some(record)) = self.records.get_mut(name) else { return };
        if record.meta.finalizers.is_empty() {
            self.remove(name);
        } else if record.meta.deleted.is_none() {
            Arc::make_mut(record).meta.deleted = Some(crate::model::Timestamp(0));
        }
    }

    fn remove(&mut self, name: &str) {
        self.records.insert(name.into(), None);
        self.jobs.retain(|(of, _), _| of != name);
    }

    /// The attachers see the VolumeAttachments and begin their work.
    fn attachers_look(&mut self, hopeless: &Hopeless, now: Moment, choices: &mut Choices) {
        for (name, record) in &mut self.records {
            let Some(record) = record else { continue };
            let is_kept = record.meta.finalizers.iter().any(|finalizer| finalizer.starts_with(ATTACHER_PREFIX));
            let work = match (record.meta.deleted.is_some(), record.attached) {
                (true, _) if is_kept => Work::Detach,
                (false, false) => Work::Attach,
                _ => continue,
            };
            let key = (name.clone(), work);
            let is_attaching = self.jobs.get(&(name.clone(), Work::Attach)).is_some_and(|job| job.due.is_some());
            // An attacher does one thing at a time with a VolumeAttachment.
            if self.jobs.contains_key(&key) || is_attaching {
                continue;
            }
            let is_hopeless = match work {
                Work::Attach => hopeless.attach.contains(&record.node_name),
                Work::Detach => hopeless.detach.contains(name),
            };
            // An attacher fails, or does nothing, or acts at once or late.
            let (due, fails) = match choices.pick(if is_hopeless { 2 } else { 4 }) {
                0 => (Some(now.after(1)), true),
                1 => (None, false),
                2 => (Some(now.after(1)), false),
                _ => (Some(now.after(SLOW)), false),
            };
            // The attacher stores its finalizer before it asks the driver. The rest of its name does not matter here.
            if due.is_some() && !is_kept && !is_hopeless {
                let finalizer = Str::const_new(ATTACHER_PREFIX);
                let meta = &mut Arc::make_mut(record).meta;
                meta.finalizers = meta.finalizers.iter().cloned().chain([finalizer]).collect();
            }
            self.jobs.insert(key, Job { due, fails });
        }
    }

    /// The attachers end work that is due.
    fn attachers_act(&mut self, now: Moment) {
        let due = |job: &Job| job.due.is_some_and(|due| due <= now);
        let done: Vec<((Str, Work), Job)> =
            self.jobs.iter().filter(|(_, job)| due(job)).map(|(key, job)| (key.clone(), *job)).collect();
        for ((name, work), job) in &done {
            let error = job.fails.then(AttachError::default);
            if job.fails {
                self.jobs.insert((name.clone(), *work), Job { due: None, fails: true });
            } else {
                self.jobs.remove(&(name.clone(), *work));
            }
            let Some(Some(record)) = self.records.get_mut(name) else { continue };
            let current = Arc::make_mut(record);
            match work {
                Work::Attach if job.fails => current.attach_error = error,
                Work::Attach => (current.attached, current.attach_error) = (true, None),
                Work::Detach if job.fails => current.detach_error = error,
                Work::Detach => {
                    let own = |finalizer: &&Str| !finalizer.starts_with(ATTACHER_PREFIX);
                    current.meta.finalizers = current.meta.finalizers.iter().filter(own).cloned().collect();
                    (current.attached, current.detach_error) = (false, None);
                    if current.meta.finalizers.is_empty() {
                        self.remove(name);
                    }
                }
            }
        }
    }
}
