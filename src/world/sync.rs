//! The context in which one sync of one object runs.

use super::{
    Answers, ApiError, Cached, Choices, ControllerState, Effect, Event, EventType, Held, Need, ObjectRef,
    OperationState, PluginAnswer, Read, World, Write, WriteBody,
};
use crate::model::{Kind, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Str, VolumePhase};
use crate::snapshot::{ClaimId, VolumeId};
use std::sync::Arc;

/// A comparison that a sync made on the way, for people who want to follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// What was asked, such as "capacity is at least the request".
    pub question: &'static str,
    /// The first side.
    pub left: Compared,
    /// The second side, if there is one.
    pub right: Option<Compared>,
    /// The answer.
    pub holds: bool,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The object that has the field, as people type it.
    pub object: String,
    /// The path of the field.
    pub field: &'static str,
    /// Its value; `<unset>` when it is absent.
    pub value: String,
}

/// Someone who would have to act for something else to happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    /// Who: `external-provisioner`, `scheduler`, `node`, `user`, …
    pub component: &'static str,
    /// The name of the one, such as a driver's.
    pub name: String,
    /// What it would have to do.
    pub action: String,
}

/// What came of an attempt to start an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// It runs now.
    Yes,
    /// One of that name is running.
    Running,
    /// One of that name failed a short while ago.
    Backoff,
}

/// What becomes of a request for an object of a namespace when no namespace is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutNamespace {
    /// The client refuses to send it. Upstream: `Request.requestPreflightCheck`, which the clients of each kind
    /// came to up to client-go 0.30.
    Refused,
    /// It is sent without that part of its path, and the API server knows no such path, so it answers "not found".
    /// Upstream: `gentype.Client.Get`, since client-go 0.31.
    NotFound,
}

/// What one sync did and asked.
#[derive(Clone, Debug)]
pub struct Record<'s, Step> {
    /// The named leaves of the functions that were called, in order.
    pub steps: Vec<Step>,
    /// What others can see, in order.
    pub effects: Vec<Effect<'s>>,
    /// The comparisons made, if they were asked for.
    pub tests: Vec<Test>,
    /// The reads whose emptiness decided something.
    pub needs: Vec<Need>,
    /// The requests that read, in order: each can fail.
    pub live_reads: Vec<Read>,
    /// Who would have to act for something else to happen.
    pub waiting: Vec<Waiting>,
    /// The error that the sync function returned, as upstream words it.
    pub error: Option<String>,
    /// An operation failed; it is retried after its back-off.
    pub operation_failed: bool,
}

impl<Step> Default for Record<'_, Step> {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            effects: Vec::new(),
            tests: Vec::new(),
            needs: Vec::new(),
            live_reads: Vec::new(),
            waiting: Vec::new(),
            error: None,
            operation_failed: false,
        }
    }
}

/// The context of one sync. Each request records its effect and applies it.
#[derive(Debug)]
pub struct Sync<'a, 's, Step> {
    world: &'a mut World<'s>,
    controller: &'a mut ControllerState<'s>,
    answers: &'a Answers,
    choices: Choices,
    record: Record<'s, Step>,
    writes: u32,
    /// Stop before this write, as a crash would.
    crash_before: Option<u32>,
    tracing: bool,
}

impl<'a, 's, Step> Sync<'a, 's, Step> {
    /// A context over a world, with a controller's memory and the answers to its requests.
    pub fn new(
        world: &'a mut World<'s>,
        controller: &'a mut ControllerState<'s>,
        answers: &'a Answers,
        choices: Choices,
    ) -> Self {
        Self {
            world,
            controller,
            answers,
            choices,
            record: Record::default(),
            writes: 0,
            crash_before: None,
            tracing: false,
        }
    }

    /// Records every comparison as well.
    #[must_use]
    pub fn traced(mut self, tracing: bool) -> Self {
        self.tracing = tracing;
        self
    }

    /// Lets the process die right before its n-th write, from 1: that write and all that follows does not happen.
    #[must_use]
    pub fn crashing_before(mut self, write: Option<u32>) -> Self {
        self.crash_before = write;
        self
    }

    /// What was done, and the choices that were met.
    pub fn finish(self) -> (Record<'s, Step>, Choices) {
        (self.record, self.choices)
    }

    // Reading.

    /// The world, for look-ups that no permission guards.
    pub fn world(&self) -> &World<'s> {
        self.world
    }

    /// The volumes whose cached copy differs from the API's.
    pub fn lagging_volumes(&self) -> Vec<VolumeId> {
        let present = |id: &VolumeId| !self.world.is_focused() || self.world.volume(*id).is_some();
        self.controller.volumes.iter().map(|(id, _)| *id).filter(present).collect()
    }

    /// A volume as the controller's own cache has it.
    pub fn cached_volume(&mut self, id: VolumeId) -> Option<Held<'s, PersistentVolume>> {
        match self.controller.cached_volume(id) {
            Some(Cached::Unseen | Cached::InformerOnly) => None,
            Some(Cached::Stale(older)) => Some(older.clone()),
            None => self.world.volume(id),
        }
    }

    /// The volume of that name as the controller's own cache has it.
    pub fn cached_volume_named(&mut self, name: &str) -> Option<(VolumeId, Held<'s, PersistentVolume>)> {
        let found = self.world.volume_id(name).and_then(|id| self.cached_volume(id).map(|volume| (id, volume)));
        if found.is_none() && !self.world.was_certainly_absent(name) {
            self.need("list", Kind::PersistentVolume, "");
        }
        found
    }

    /// Records that what follows rests on the list of all volumes.
    pub fn reads_all_volumes(&mut self) {
        self.need("list", Kind::PersistentVolume, "");
    }

    /// A claim as the controller's own cache has it.
    pub fn cached_claim(&mut self, id: ClaimId) -> Option<Held<'s, PersistentVolumeClaim>> {
        match self.controller.cached_claim(id) {
            Some(Cached::Unseen | Cached::InformerOnly) => None,
            Some(Cached::Stale(older)) => Some(older.clone()),
            None => self.world.claim(id),
        }
    }

    /// The claim of that name as the controller's own cache has it.
    pub fn cached_claim_named(
        &mut self,
        namespace: &str,
        name: &str,
    ) -> Option<(ClaimId, Held<'s, PersistentVolumeClaim>)> {
        let found = self.world.claim_id(namespace, name).and_then(|id| self.cached_claim(id).map(|claim| (id, claim)));
        if found.is_none() {
            self.need("list", Kind::PersistentVolumeClaim, namespace);
        }
        found
    }

    /// The claim of that name as the informer has it.
    ///
    /// # Errors
    /// When the lister fails; an absent claim is not an error here.
    pub fn informer_claim(
        &mut self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Held<'s, PersistentVolumeClaim>>, ApiError> {
        if let Some(error) = self.answers.read_failure(Read::ClaimLister, 1, Kind::PersistentVolumeClaim, name) {
            return Err(error);
        }
        let Some(id) = self.world.claim_id(namespace, name) else { return Ok(None) };
        Ok(match self.controller.cached_claim(id) {
            Some(Cached::Unseen) => None,
            Some(Cached::InformerOnly) | None => self.world.claim(id),
            Some(Cached::Stale(older)) => Some(older.clone()),
        })
    }

    /// The claim of that name as the API server has it.
    ///
    /// # Errors
    /// When the request fails, or cannot be made because a name is missing or is none; an absent claim is not an error
    /// here. The words are those of client-go (`Request.Namespace`, `Request.Name`, `requestPreflightCheck`).
    pub fn live_claim(
        &mut self,
        namespace: &str,
        name: &str,
        without_namespace: WithoutNamespace,
    ) -> Result<Option<Held<'s, PersistentVolumeClaim>>, ApiError> {
        if let Some(wrong) = no_path_segment(namespace) {
            return Err(ApiError::Other(format!("invalid namespace {namespace:?}: {wrong}")));
        }
        if name.is_empty() {
            return Err(ApiError::Other("resource name may not be empty".to_owned()));
        }
        if let Some(wrong) = no_path_segment(name) {
            return Err(ApiError::Other(format!("invalid resource name {name:?}: {wrong}")));
        }
        if namespace.is_empty() && without_namespace == WithoutNamespace::Refused {
            return Err(ApiError::Other(
                "an empty namespace may not be set when a resource name is provided".to_owned(),
            ));
        }
        match self.live_read_failure(Read::LiveClaim, Kind::PersistentVolumeClaim, name) {
            Some(error) if error.is_not_found() => return Ok(None),
            Some(error) => return Err(error),
            None => {}
        }
        Ok(self.world.claim_id(namespace, name).and_then(|id| self.world.claim(id)))
    }

    /// A volume as the API server has it.
    ///
    /// # Errors
    /// When the request fails, also because the volume does not exist.
    pub fn live_volume(&mut self, name: &str) -> Result<(VolumeId, Held<'s, PersistentVolume>), ApiError> {
        if let Some(error) = self.live_read_failure(Read::LiveVolume, Kind::PersistentVolume, name) {
            return Err(error);
        }
        self.world
            .volume_id(name)
            .and_then(|id| self.world.volume(id).map(|volume| (id, volume)))
            .ok_or_else(|| ApiError::NotFound { kind: Kind::PersistentVolume, name: name.to_owned() })
    }

    /// The class of that name.
    ///
    /// # Errors
    /// When the lister fails; an absent class is not an error here.
    pub fn class(&mut self, name: &str) -> Result<Option<&'s StorageClass>, ApiError> {
        if let Some(error) = self.answers.read_failure(Read::ClassLister, 1, Kind::StorageClass, name) {
            return Err(error);
        }
        let class = self.world.snapshot().class(name);
        if class.is_none() {
            self.need("list", Kind::StorageClass, "");
        }
        Ok(class)
    }

    /// All classes.
    ///
    /// # Errors
    /// When the lister fails.
    pub fn classes(&mut self) -> Result<&'s [StorageClass], ApiError> {
        self.need("list", Kind::StorageClass, "");
        match self.answers.read_failure(Read::ClassLister, 1, Kind::StorageClass, "") {
            Some(error) => Err(error),
            None => Ok(self.world.snapshot().classes()),
        }
    }

    /// The pods that refer to a claim of that name, as the informer has them, in the order of their names.
    pub fn pods_of<'b>(
        &'b mut self,
        namespace: &str,
        claim: &str,
    ) -> impl Iterator<Item = &'s Pod> + use<'a, 'b, 's, Step> {
        self.need("list", Kind::Pod, namespace);
        let controller = &*self.controller;
        self.world.snapshot().pods_of(namespace, claim).filter(|pod| controller.has_seen(pod))
    }

    /// The pods that refer to a claim of that name and that only a live list shows, in the order of their names.
    pub fn live_only_pods_of(&self, namespace: &str, claim: &str) -> impl Iterator<Item = &'s Pod> {
        let pods = self.world.snapshot().pods_of(namespace, claim);
        pods.filter(|pod| !self.controller.has_seen(pod))
    }

    /// The failure of a live list of pods, if it is scripted to fail.
    pub fn live_pods_failure(&mut self) -> Option<ApiError> {
        self.live_read_failure(Read::LivePods, Kind::Pod, "")
    }

    /// The node of that name.
    pub fn node(&mut self, name: &str) -> Option<&'s Node> {
        let node = self.world.snapshot().node(name);
        if node.is_none() {
            self.need("list", Kind::Node, "");
        }
        node
    }

    /// What a plugin answers where the default is not wanted.
    pub fn plugin_answer(&self) -> Option<&PluginAnswer> {
        self.answers.plugin.as_ref()
    }

    /// Why the storage of a volume that could not be created cannot be cleaned up, if so scripted.
    pub fn cleanup_failure(&self) -> Option<&str> {
        self.answers.cleanup_fails.as_deref()
    }

    /// Counts a request that reads, and gives its scripted failure if there is one.
    fn live_read_failure(&mut self, read: Read, kind: Kind, name: &str) -> Option<ApiError> {
        self.record.live_reads.push(read);
        let number = self.record.live_reads.iter().filter(|earlier| **earlier == read).count();
        self.answers.read_failure(read, u32::try_from(number).unwrap_or(u32::MAX), kind, name)
    }

    fn need(&mut self, verb: &'static str, kind: Kind, namespace: &str) {
        let need = Need { verb, kind, namespace: Str::from(namespace) };
        if !self.record.needs.contains(&need) {
            self.record.needs.push(need);
        }
    }

    // Writing.

    /// Updates a volume without its status, and returns what is stored then.
    ///
    /// # Errors
    /// When the API server refuses.
    pub fn update_volume(
        &mut self,
        id: VolumeId,
        sent: PersistentVolume,
    ) -> Result<Held<'s, PersistentVolume>, ApiError> {
        self.write_volume(id, sent, false)
    }

    /// Updates a volume's status alone, and returns what is stored then.
    ///
    /// # Errors
    /// When the API server refuses.
    pub fn update_volume_status(
        &mut self,
        id: VolumeId,
        sent: PersistentVolume,
    ) -> Result<Held<'s, PersistentVolume>, ApiError> {
        self.write_volume(id, sent, true)
    }

    fn write_volume(
        &mut self,
        id: VolumeId,
        sent: PersistentVolume,
        status: bool,
    ) -> Result<Held<'s, PersistentVolume>, ApiError> {
        let scripted = self.next_write(Kind::PersistentVolume, &sent.meta.name)?;
        let current = self.world.volume(id);
        let before = current.clone().unwrap_or_else(|| Held::Written(Arc::new(sent.clone())));
        let verdict = scripted.map_or_else(|| check_volume(current.as_deref(), &sent), Err);
        let (stored, outcome) = match verdict {
            Ok(()) => {
                let mut stored = sent;
                if status {
                    let live = &before;
                    stored.capacity.clone_from(&live.capacity);
                    stored.claim_ref.clone_from(&live.claim_ref);
                } else {
                    stored.status = before.status.clone();
                }
                stored.meta.resource_version = before.meta.resource_version.successor();
                let stored = Arc::new(stored);
                self.world.set_volume(id, survives(&before.meta, &stored.meta).then(|| Arc::clone(&stored)));
                self.controller.volumes.retain(|(cached, _)| *cached != id);
                (stored, Ok(()))
            }
            Err(error) => (Arc::new(sent), Err(error)),
        };
        let after = Held::Written(stored);
        self.record.effects.push(Effect::Write(Write {
            body: WriteBody::UpdateVolume { status, before, after: after.clone() },
            refused: outcome.as_ref().err().map(ToString::to_string),
        }));
        outcome.map(|()| after)
    }

    /// Updates a claim without its status, and returns what is stored then.
    ///
    /// # Errors
    /// When the API server refuses.
    pub fn update_claim(
        &mut self,
        id: ClaimId,
        sent: PersistentVolumeClaim,
    ) -> Result<Held<'s, PersistentVolumeClaim>, ApiError> {
        self.write_claim(id, sent, false)
    }

    /// Updates a claim's status alone, and returns what is stored then.
    ///
    /// # Errors
    /// When the API server refuses.
    pub fn update_claim_status(
        &mut self,
        id: ClaimId,
        sent: PersistentVolumeClaim,
    ) -> Result<Held<'s, PersistentVolumeClaim>, ApiError> {
        self.write_claim(id, sent, true)
    }

    fn write_claim(
        &mut self,
        id: ClaimId,
        sent: PersistentVolumeClaim,
        status: bool,
    ) -> Result<Held<'s, PersistentVolumeClaim>, ApiError> {
        let scripted = self.next_write(Kind::PersistentVolumeClaim, &sent.meta.name)?;
        let current = self.world.claim(id);
        let before = current.clone().unwrap_or_else(|| Held::Written(Arc::new(sent.clone())));
        let verdict = scripted.map_or_else(|| check_claim(current.as_deref(), &sent), Err);
        let (stored, outcome) = match verdict {
            Ok(()) => {
                let mut stored = sent;
                if status {
                    let live = &before;
                    stored.volume_name.clone_from(&live.volume_name);
                    stored.class_name.clone_from(&live.class_name);
                } else {
                    stored.status = before.status.clone();
                }
                stored.meta.resource_version = before.meta.resource_version.successor();
                let stored = Arc::new(stored);
                self.world.set_claim(id, survives(&before.meta, &stored.meta).then(|| Arc::clone(&stored)));
                self.controller.claims.retain(|(cached, _)| *cached != id);
                (stored, Ok(()))
            }
            Err(error) => (Arc::new(sent), Err(error)),
        };
        let after = Held::Written(stored);
        self.record.effects.push(Effect::Write(Write {
            body: WriteBody::UpdateClaim { status, before, after: after.clone() },
            refused: outcome.as_ref().err().map(ToString::to_string),
        }));
        outcome.map(|()| after)
    }

    /// Creates a volume. The API server wipes its status, and gives it a uid and a version.
    ///
    /// # Errors
    /// When the API server refuses.
    pub fn create_volume(&mut self, sent: PersistentVolume) -> Result<Held<'s, PersistentVolume>, ApiError> {
        let scripted = self.next_write(Kind::PersistentVolume, &sent.meta.name)?;
        let name = sent.meta.name.clone();
        let exists = self.world.volume_id(&name).is_some_and(|id| self.world.volume(id).is_some());
        let verdict = match scripted {
            Some(error) => Err(error),
            None if exists => Err(ApiError::AlreadyExists { kind: Kind::PersistentVolume, name: name.to_string() }),
            None => Ok(()),
        };
        let mut stored = sent;
        stored.status.phase = VolumePhase::Pending;
        stored.meta.uid = Str::from(format!("{}{name}", crate::snapshot::defaults::PLACEHOLDER_UID));
        stored.meta.resource_version = stored.meta.resource_version.successor();
        let stored = Arc::new(stored);
        if verdict.is_ok() {
            match self.world.volume_id(&name) {
                Some(id) => self.world.set_volume(id, Some(Arc::clone(&stored))),
                None => {
                    self.world.add_volume(Arc::clone(&stored));
                }
            }
        }
        let after = Held::Written(stored);
        self.record.effects.push(Effect::Write(Write {
            body: WriteBody::CreateVolume(after.clone()),
            refused: verdict.as_ref().err().map(ToString::to_string),
        }));
        verdict.map(|()| after)
    }

    /// Deletes a volume without preconditions. With finalizers it stays, marked for deletion.
    ///
    /// # Errors
    /// When the API server refuses.
    pub fn delete_volume(&mut self, id: VolumeId, held: &Held<'s, PersistentVolume>) -> Result<(), ApiError> {
        let scripted = self.next_write(Kind::PersistentVolume, &held.meta.name)?;
        let verdict = match (scripted, self.world.volume(id)) {
            (Some(error), _) => Err(error),
            (None, None) => Err(ApiError::NotFound { kind: Kind::PersistentVolume, name: held.meta.name.to_string() }),
            (None, Some(_)) => {
                self.world.delete_volume(id);
                Ok(())
            }
        };
        self.record.effects.push(Effect::Write(Write {
            body: WriteBody::DeleteVolume(held.clone()),
            refused: verdict.as_ref().err().map(ToString::to_string),
        }));
        verdict
    }

    /// Records that a plugin has deleted the storage behind a volume: no request, and not to be undone.
    pub fn storage_deleted(&mut self, id: VolumeId) {
        if !self.crashed() {
            self.world.destroy_storage(id);
        }
    }

    /// Records that the controller has started a pod that scrubs the storage behind a volume.
    pub fn scrub_started(&mut self, id: VolumeId) {
        if !self.crashed() {
            self.world.scrub_storage(id);
        }
    }

    /// Counts a write. Fails where the process is to die; gives the scripted refusal if there is one.
    fn next_write(&mut self, kind: Kind, name: &str) -> Result<Option<ApiError>, ApiError> {
        self.writes += 1;
        if self.crashed() {
            return Err(ApiError::Other("the controller stopped here".to_owned()));
        }
        Ok(self.answers.refusal(self.writes, kind, name))
    }

    fn crashed(&self) -> bool {
        self.crash_before.is_some_and(|first| self.writes >= first)
    }

    // Saying.

    /// Records an event.
    pub fn event(&mut self, about: ObjectRef, event_type: EventType, reason: &'static str, message: impl Into<String>) {
        self.say(Event { event_type, reason, message: message.into(), message_varies: false, about });
    }

    /// Records an event, with whether only the order of names in its message is open.
    pub fn say(&mut self, event: Event) {
        if !self.crashed() {
            self.record.effects.push(Effect::Event(event));
        }
    }

    /// Puts a key on its queue.
    pub fn enqueue(&mut self, key: ObjectRef) {
        if !self.crashed() {
            self.record.effects.push(Effect::Enqueue(key));
        }
    }

    /// Tries to start an operation.
    pub fn start_operation(&mut self, name: &str) -> Started {
        if self.crashed() {
            return Started::Running;
        }
        let (state, started) = match self.controller.operation(name) {
            None | Some(OperationState::Started) => (OperationState::Started, Started::Yes),
            Some(OperationState::Running) => (OperationState::Running, Started::Running),
            Some(OperationState::Backoff) => (OperationState::Backoff, Started::Backoff),
        };
        self.record.effects.push(Effect::Operation { name: name.to_owned(), state });
        started
    }

    /// Records that a named leaf was reached.
    pub fn step(&mut self, step: Step) {
        self.record.steps.push(step);
    }

    /// Records the error that the sync function returns.
    pub fn fail(&mut self, error: impl Into<String>) {
        self.record.error = Some(error.into());
    }

    /// Records that an operation failed and will be retried after its back-off.
    pub fn operation_failed(&mut self) {
        self.record.operation_failed = true;
    }

    /// Records who would have to act for something else to happen.
    pub fn wait_for(&mut self, component: &'static str, name: impl Into<String>, action: impl Into<String>) {
        let waiting = Waiting { component, name: name.into(), action: action.into() };
        if !self.record.waiting.contains(&waiting) {
            self.record.waiting.push(waiting);
        }
    }

    /// Records a comparison, built only when comparisons are wanted.
    pub fn test(&mut self, test: impl FnOnce() -> Test) {
        if self.tracing {
            self.record.tests.push(test());
        }
    }

    /// Records that a pod in that namespace could be in the way.
    pub fn needs_pod(&mut self, namespace: &str) {
        self.need("list", Kind::Pod, namespace);
    }

    /// Picks one of the equally good volumes of a search; none where there are none. The search is left out where
    /// another run of this sync made it.
    pub fn pick_volume(&mut self, search: impl FnOnce(&mut Self) -> Vec<VolumeId>) -> Option<VolumeId> {
        let found = self.choices.found().unwrap_or_else(|| {
            let found = search(self).into();
            self.choices.keep(&found);
            found
        });
        let picked = self.choices.pick(found.len());
        found.get(picked).copied()
    }
}

/// Whether an object stays after an update: one that was being deleted goes with its last finalizer.
/// Upstream: `ShouldDeleteDuringUpdate`, `apiserver/pkg/registry/generic/registry`, 0.36.
fn survives(before: &crate::model::ObjectMeta, after: &crate::model::ObjectMeta) -> bool {
    !after.finalizers.is_empty()
        || before.deleted.is_none()
        || before.deletion_grace_seconds.is_some_and(|seconds| seconds != 0)
}

fn check_volume(current: Option<&PersistentVolume>, sent: &PersistentVolume) -> Result<(), ApiError> {
    check(Kind::PersistentVolume, current.map(|object| &object.meta), &sent.meta)
}

fn check_claim(current: Option<&PersistentVolumeClaim>, sent: &PersistentVolumeClaim) -> Result<(), ApiError> {
    check(Kind::PersistentVolumeClaim, current.map(|object| &object.meta), &sent.meta)
}

/// Existence, the uid, the version, and the rule that an object under deletion gets no new finalizer.
/// Upstream: `ValidateNoNewFinalizers`, `apimachinery/pkg/api/validation`, 0.36.
fn check(
    kind: Kind,
    current: Option<&crate::model::ObjectMeta>,
    sent: &crate::model::ObjectMeta,
) -> Result<(), ApiError> {
    let name = &sent.name;
    let Some(current) = current else { return Err(ApiError::NotFound { kind, name: name.to_string() }) };
    if current.uid != sent.uid {
        let resource = kind.resource();
        let place = if sent.namespace.is_empty() { String::new() } else { format!("{}/", sent.namespace) };
        return Err(ApiError::Invalid(format!(
            "Operation cannot be fulfilled on {resource} \"{name}\": StorageError: invalid object, Code: 4, Key: \
             /registry/{resource}/{place}{name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
             precondition: {}, UID in object meta: {}",
            sent.uid, current.uid
        )));
    }
    if current.resource_version != sent.resource_version {
        return Err(ApiError::Conflict { kind, name: name.to_string() });
    }
    let mut added: Vec<&str> =
        sent.finalizers.iter().filter(|wanted| !current.has_finalizer(wanted)).map(Str::as_str).collect();
    added.sort_unstable();
    if current.deleted.is_some() && !added.is_empty() {
        let list = added.iter().map(|finalizer| format!("\"{finalizer}\"")).collect::<Vec<_>>().join(", ");
        return Err(ApiError::Invalid(format!(
            "{kind} \"{name}\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the \
             object is being deleted, found new finalizers []string{{{list}}}"
        )));
    }
    Ok(())
}

/// Why a name cannot stand in the path of a request: a list, as Go prints it. Upstream: `IsValidPathSegmentName`,
/// `k8s.io/apimachinery/pkg/api/validation/path`, 0.36.
fn no_path_segment(name: &str) -> Option<String> {
    if name == "." || name == ".." {
        return Some(format!("[may not be '{name}']"));
    }
    let forbidden = ["/", "%"].into_iter().filter(|sign| name.contains(sign));
    let wrong: Vec<String> = forbidden.map(|sign| format!("may not contain '{sign}'")).collect();
    (!wrong.is_empty()).then(|| format!("[{}]", wrong.join(" ")))
}
