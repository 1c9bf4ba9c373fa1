//! How attaching ends: the VolumeAttachments of one volume and the entries of nodes, when nothing changes any more.
//!
//! The controller runs with the objects of a snapshot until nothing new happens. Only its own requests and, if they
//! take part, the attachers of the drivers change something. No kubelet unmounts a volume.

use super::actual::AttachState;
use super::{Action, ApiAnswers, AttachDetach, LOOP_PERIOD, Moment, Refusal, SECOND};
use crate::controllers::attacher::Sidecar;
use crate::model::surroundings::AttachError;
use crate::model::{ObjectMeta, Str, VolumeAttachment};
use crate::snapshot::Snapshot;
use crate::world::{Choices, View, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The time after which nothing new happens, in nanoseconds: longer than the six minutes before a detachment by force,
/// and several attempts with the longest back-off.
const SETTLED: u64 = 1200 * SECOND;
/// How long the ends are observed then, in nanoseconds: longer than an attempt with the longest back-off.
const OBSERVED: u64 = 300 * SECOND;
/// How long a slow attacher takes, in nanoseconds: longer than the controller waits.
const SLOW: u64 = 130 * SECOND;
/// The largest number of states at one moment.
const MOST_STATES: usize = 256;
/// The largest number of steps. If an attacher fails to detach an exclusive volume and to attach it elsewhere, the two
/// operations take turns, and each of them ends the back-off of the other. Then there are several steps in each second.
const MOST_STEPS: usize = 60_000;
/// The prefix of the finalizer of an attacher.
const ATTACHER_PREFIX: &str = "external-attacher/";

/// One end of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttachmentEnd {
    /// The VolumeAttachments that exist, by name.
    pub records: BTreeMap<Str, RecordEnd>,
    /// The nodes whose status lists the volume as attached.
    pub listed: BTreeSet<Str>,
}

/// A VolumeAttachment at an end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordEnd {
    /// `spec.nodeName`.
    pub node: Str,
    /// `status.attached`.
    pub attached: bool,
    /// Whether the VolumeAttachment is being deleted.
    pub deleting: bool,
    /// Whether the attacher reports an error.
    pub failed: bool,
}

impl RecordEnd {
    /// Returns the state of a VolumeAttachment.
    pub fn of(record: &VolumeAttachment) -> Self {
        Self {
            node: record.node_name.clone(),
            attached: record.attached,
            deleting: record.meta.deleted.is_some(),
            failed: record.attach_error.is_some() || record.detach_error.is_some(),
        }
    }
}

/// The ends of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachmentEnds {
    /// The ends.
    pub ends: BTreeSet<AttachmentEnd>,
    /// Whether all of them were found.
    pub is_complete: bool,
}

/// The controller, the VolumeAttachments of the volume, and what the attachers do.
#[derive(Clone, PartialEq)]
struct State {
    controller: AttachDetach,
    /// The VolumeAttachments. The value is `None` if it is gone.
    records: BTreeMap<Str, Option<Arc<VolumeAttachment>>>,
    jobs: BTreeMap<(Str, Work), Job>,
    next_loop: Moment,
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

/// A volume and nodes that have nothing to do with other volumes and nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentComponent {
    /// The unique name of the volume.
    pub volume: Str,
    /// The nodes on which the volume is wanted, or to which it is or may be attached.
    pub nodes: BTreeSet<Str>,
    /// Whether other nodes can have the volume, too. Then they are other components.
    pub is_part: bool,
}

impl AttachmentComponent {
    fn has(&self, node: &str) -> bool {
        !self.is_part || self.nodes.contains(node)
    }
}

impl AttachDetach {
    /// Returns the volumes that are wanted on a node, or are or may be attached to one. What happens on one node
    /// depends on the others if only one node can have the volume, or if the controller learns of the volume only when
    /// it attaches it to another node. Otherwise each node is a component.
    pub fn components(&self) -> Vec<AttachmentComponent> {
        let mut nodes: BTreeMap<Str, (BTreeSet<Str>, bool)> = BTreeMap::new();
        for ((name, node), wanted) in self.desired.all() {
            let is_unknown = !self.actual.nodes_of(&name).is_empty() && self.actual.volume(&name).is_none();
            let of_volume = nodes.entry(name).or_default();
            of_volume.0.insert(node);
            of_volume.1 |= wanted.volume.exclusive || is_unknown;
        }
        for (name, node) in self.actual.all() {
            let is_exclusive = self.actual.volume(&name).is_some_and(|volume| volume.exclusive);
            let of_volume = nodes.entry(name).or_default();
            of_volume.0.insert(node);
            of_volume.1 |= is_exclusive;
        }
        let mut all = Vec::new();
        for (volume, (nodes, is_whole)) in nodes {
            if is_whole {
                all.push(AttachmentComponent { volume, nodes, is_part: false });
            } else {
                let part =
                    |node| AttachmentComponent { volume: volume.clone(), nodes: BTreeSet::from([node]), is_part: true };
                all.extend(nodes.into_iter().map(part));
            }
        }
        all
    }

    /// Returns the ends of a component. `attachers` says whether the attachers of the drivers take part: they do what
    /// they are asked, soon or late, or never, or they fail.
    pub fn ends(&self, snapshot: &Snapshot, of: &AttachmentComponent, attachers: bool) -> AttachmentEnds {
        let records = self.records_of(snapshot, of);
        let records = records.map(|record| (record.meta.name.clone(), Some(Arc::new(record.clone())))).collect();
        let first = State { controller: self.only(of), records, jobs: BTreeMap::new(), next_loop: Moment(0) };
        if first.is_at_rest(snapshot) {
            return AttachmentEnds { ends: BTreeSet::from([first.end(snapshot)]), is_complete: true };
        }
        explore(snapshot, first, attachers)
    }

    /// Returns a controller that knows only this component.
    fn only(&self, of: &AttachmentComponent) -> Self {
        Self {
            desired: self.desired.only(&of.volume, &of.nodes),
            actual: self.actual.only(&of.volume, &of.nodes),
            operations: super::Operations::default(),
            checks: Vec::default(),
            ..*self
        }
    }

    /// Returns the VolumeAttachments of the component, in this snapshot or a later one: those of its PersistentVolumes,
    /// and those with the names that the controller gives them.
    pub fn records_of<'s>(
        &self,
        snapshot: &'s Snapshot,
        of: &AttachmentComponent,
    ) -> impl Iterator<Item = &'s VolumeAttachment> + use<'s> {
        let known = |node: &Str| self.known(&of.volume, node);
        let named = of.nodes.iter().filter_map(|node| known(node)?.attachment_name_on(node));
        let mut found: BTreeMap<&Str, &VolumeAttachment> = BTreeMap::new();
        for record in named.filter_map(|name| snapshot.find::<VolumeAttachment>("", &name)) {
            found.insert(&record.meta.name, record);
        }
        for name in of.nodes.iter().filter_map(known).map(|volume| &volume.name) {
            let records = snapshot.attachments_of(name).filter(|record| of.has(&record.node_name));
            found.extend(records.map(|record| (&record.meta.name, record)));
        }
        found.into_values().collect::<Vec<_>>().into_iter()
    }
}

/// Follows all states until nothing new happens.
fn explore(snapshot: &Snapshot, first: State, attachers: bool) -> AttachmentEnds {
    let mut found = AttachmentEnds { ends: BTreeSet::new(), is_complete: true };
    let mut open: BTreeMap<Moment, Vec<State>> = BTreeMap::from([(Moment(0), vec![first])]);
    let mut steps = 0;
    while let Some((now, states)) = open.pop_first() {
        for state in states {
            let mut script = Some(Choices::first());
            while let Some(mut choices) = script {
                steps += 1;
                if steps > MOST_STEPS {
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
                if at.0 > SETTLED + OBSERVED {
                    found.ends.insert(next.end(snapshot));
                    continue;
                }
                let same = open.entry(at).or_default();
                if !same.contains(&next) {
                    same.push(next);
                }
                if same.len() > MOST_STATES {
                    found.is_complete = false;
                    return found;
                }
            }
        }
    }
    found
}

impl State {
    /// Returns whether the volume is attached wherever it is wanted and nowhere else, and no attacher has work.
    fn is_at_rest(&self, snapshot: &Snapshot) -> bool {
        let view = View::Snapshot(snapshot);
        let is_attached = |(name, node): &(Str, Str)| {
            self.controller.desired.get(name, node).is_some()
                && self.controller.actual.state(name, node) == AttachState::Attached
                && self.controller.actual.volume(name).is_some_and(|volume| volume.needs_attaching(view))
        };
        let wanted = self.controller.desired.all().all(|(at, _)| is_attached(&at));
        let attached = self.controller.actual.all().iter().all(is_attached);
        let is_recorded = |record: &Arc<VolumeAttachment>| record.attached && record.meta.deleted.is_none();
        let records = || self.records.values().flatten();
        let has_records = || {
            let names = self.controller.actual.all().into_iter().map(|(name, node)| {
                let volume = self.controller.actual.volume(&name)?;
                volume.attachment_name_on(&node)
            });
            names.flatten().all(|name| self.records.contains_key(&name))
        };
        wanted && attached && records().all(is_recorded) && has_records()
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
    fn step(&mut self, snapshot: &Snapshot, now: Moment, attachers: bool, choices: &mut Choices) {
        let before = (self.controller.clone(), self.records.clone());
        let mut out = Vec::new();
        if attachers {
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
        if attachers {
            self.attachers_look(now, choices);
        }
        self.poll_all(snapshot, now, &mut out);
        if is_loop {
            let is_quiet = (&self.controller, &self.records) == (&before.0, &before.1);
            let next = if is_quiet { self.controller.next_deadline(now) } else { Some(now.after(1)) };
            let far = Moment(SETTLED + OBSERVED + SECOND);
            let next = next.unwrap_or(far).0.div_ceil(LOOP_PERIOD) * LOOP_PERIOD;
            self.next_loop = Moment(next.max(now.0 + LOOP_PERIOD));
        } else if (&self.controller, &self.records) != (&before.0, &before.1) {
            self.next_loop = self.next_loop.min(Moment((now.0 / LOOP_PERIOD + 1) * LOOP_PERIOD));
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
                Action::CreateAttachment { name, attacher, node, volume, refused: None } => {
                    let meta = ObjectMeta { name: name.clone(), ..ObjectMeta::default() };
                    let volume_name = volume.unwrap_or_default();
                    let record = VolumeAttachment {
                        meta,
                        attacher,
                        node_name: node,
                        volume_name,
                        ..VolumeAttachment::default()
                    };
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
    fn attachers_look(&mut self, now: Moment, choices: &mut Choices) {
        for (name, record) in &mut self.records {
            let Some(record) = record else { continue };
            let is_kept = record.meta.finalizers.iter().any(|finalizer| finalizer.starts_with(ATTACHER_PREFIX));
            let work = match (record.meta.deleted.is_some(), record.attached) {
                (true, _) if is_kept => Work::Detach,
                (false, false) => Work::Attach,
                _ => continue,
            };
            let key = (name.clone(), work);
            if self.jobs.contains_key(&key) {
                continue;
            }
            // An attacher acts at once, late, or never, or it fails.
            let (due, fails) = match choices.pick(4) {
                0 => (Some(now.after(1)), false),
                1 => (Some(now.after(SLOW)), false),
                2 => (Some(now.after(1)), true),
                _ => (None, false),
            };
            if due.is_some() && !is_kept {
                let finalizer = Sidecar::new(record.attacher.clone()).finalizer();
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
                Work::Attach if current.meta.deleted.is_some() => {}
                Work::Attach if job.fails => current.attach_error = error,
                Work::Attach => (current.attached, current.attach_error) = (true, None),
                Work::Detach if job.fails => current.detach_error = error,
                Work::Detach => {
                    let own = |finalizer: &&Str| !finalizer.starts_with(ATTACHER_PREFIX);
                    current.meta.finalizers = current.meta.finalizers.iter().filter(own).cloned().collect();
                    if current.meta.finalizers.is_empty() {
                        self.remove(name);
                    }
                }
            }
        }
    }
}
