//! The context in which one sync of one object runs.

use super::choices::SearchCandidates;
use super::{
    Answers, ApiError, Cached, Choices, ControllerState, Effect, EventType, LogEntry, Mark, Need, ObjectRef,
    OperationState, PluginAnswer, Read, RecordedEvent, World, Write, WriteBody,
};
use crate::model::{Held, Id, Kind, ObjectId, ObjectMeta, Resource, Str};
use crate::snapshot::{ApiGates, Snapshot, Writable};
use std::sync::Arc;

mod memory;
mod trace;

/// A comparison that a sync made, for people who want to follow the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonStep {
    /// The question that the comparison answers, such as "capacity is at least the request".
    pub question: &'static str,
    /// The first side.
    pub left: Compared,
    /// The second side, if there is one.
    pub right: Option<Compared>,
    /// Whether the answer is yes.
    pub holds: bool,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The object that has the field, in the form that people type.
    pub object: String,
    /// The path of the field.
    pub field: &'static str,
    /// The value of the field. It is `<unset>` if the field is absent.
    pub value: String,
}

/// A program or person that would have to act before something else can happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    /// The program or person: `external-provisioner`, `scheduler`, `node`, `user`, …
    pub component: &'static str,
    /// The name of the instance, such as the name of a driver.
    pub name: String,
    /// The action that this program or person would have to take.
    pub action: String,
}

/// The result of an attempt to start an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// The operation runs now.
    Yes,
    /// An operation of the same name is running already.
    Running,
    /// An operation of the same name failed a short time ago, and its back-off has not ended.
    Backoff,
}

/// How a client of Kubernetes handles a request for a namespaced object if no namespace is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutNamespace {
    /// The client refuses to send the request. Upstream: `Request.requestPreflightCheck`. The clients of each kind
    /// called this function up to client-go 0.30.
    Refused,
    /// The client sends the request without the namespace in its path. The API server knows no such path, so it answers
    /// "not found". Upstream: `gentype.Client.Get`, since client-go 0.31.
    NotFound,
}

/// What one sync did and read.
#[derive(Clone, Debug)]
pub struct Record<'s, Step> {
    /// The named leaves of the functions that were called, in order.
    pub steps: Vec<Step>,
    /// The effects that others can see, in order.
    pub effects: Vec<Effect<'s>>,
    /// The comparisons, if tracing was asked for.
    pub tests: Vec<ComparisonStep>,
    /// The entries that the component logs at `-v=5`, if tracing was asked for.
    pub log: Vec<LogEntry>,
    /// The lists that have to be complete, because the decision rests on them.
    pub needs: Vec<Need>,
    /// The read requests to the API server, in order. Each of them can fail.
    pub live_reads: Vec<Read>,
    /// The programs and persons that would have to act before something else can happen.
    pub waiting: Vec<Waiting>,
    /// The error that the sync function returned, in upstream's words.
    pub error: Option<String>,
    /// Whether an operation failed. It is retried after its back-off.
    pub operation_failed: bool,
}

impl<Step> Default for Record<'_, Step> {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            effects: Vec::new(),
            tests: Vec::new(),
            log: Vec::new(),
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
pub struct SyncContext<'a, 's, Step> {
    world: &'a mut World<'s>,
    controller: &'a mut ControllerState<'s>,
    answers: &'a Answers,
    choices: Choices,
    record: Record<'s, Step>,
    writes: u32,
    /// The number of the write before which the sync stops, as after a crash.
    crash_before: Option<u32>,
    tracing: bool,
}

impl<'a, 's, Step> SyncContext<'a, 's, Step> {
    /// Creates a context from a world, a controller's memory, the answers to its requests and the choices to take.
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

    /// Sets whether every comparison is recorded.
    #[must_use]
    pub fn traced(mut self, tracing: bool) -> Self {
        self.tracing = tracing;
        self
    }

    /// Makes the process end right before its n-th write, counted from 1. This write and everything after it do not
    /// happen.
    #[must_use]
    pub fn crashing_before(mut self, write: Option<u32>) -> Self {
        self.crash_before = write;
        self
    }

    /// Ends the sync. Returns the record and the choices that were made.
    pub fn finish(self) -> (Record<'s, Step>, Choices) {
        (self.record, self.choices)
    }

    // Reading.

    /// Returns the world, for look-ups that are not recorded as reads.
    pub fn world(&self) -> &World<'s> {
        self.world
    }

    /// Returns the objects of a kind whose cached copy differs from the API's object.
    pub fn lagging<T: Resource>(&self) -> Vec<Id<T>> {
        let present = |id: &Id<T>| !self.world.is_focused(T::KIND) || self.world.get(*id).is_some();
        self.controller.lagging().filter(present).collect()
    }

    /// Returns the object in the controller's own cache.
    pub fn cached<T: Resource>(&self, id: Id<T>) -> Option<Held<'s, T>> {
        match self.controller.cached(id) {
            Some(Cached::Unseen | Cached::InformerOnly) => None,
            Some(Cached::Stale(older) | Cached::Deleted(older)) => older.of().cloned(),
            None => self.world.get(id),
        }
    }

    /// Returns the object in the controller's own cache, if the informer reports that the object was deleted.
    pub fn cached_but_deleted<T: Resource>(&self, id: Id<T>) -> Option<Held<'s, T>> {
        match self.controller.cached(id) {
            Some(Cached::Deleted(older)) => older.of().cloned(),
            _ => None,
        }
    }

    /// Returns the object of this name in the controller's own cache.
    pub fn cached_named<T: Resource>(&mut self, namespace: &str, name: &str) -> Option<(Id<T>, Held<'s, T>)> {
        let found = self.world.id(namespace, name).and_then(|id| self.cached(id).map(|object| (id, object)));
        self.noted_if_absent(T::KIND, namespace, name, found)
    }

    /// Returns `found`. If `found` is `None` and the object's absence is not certain, the function records that the
    /// decision needs the list of this kind.
    fn noted_if_absent<F>(&mut self, kind: Kind, namespace: &str, name: &str, found: Option<F>) -> Option<F> {
        if found.is_none() && !self.world.was_certainly_absent(kind, namespace, name) {
            self.needs_list(kind, namespace);
        }
        found
    }

    /// Returns the object in the informer's cache.
    pub fn informed<T: Resource>(&self, id: Id<T>) -> Option<Held<'s, T>> {
        match self.controller.cached(id) {
            Some(Cached::Unseen | Cached::Deleted(_)) => None,
            Some(Cached::InformerOnly) | None => self.world.get(id),
            Some(Cached::Stale(older)) => older.of().cloned(),
        }
    }

    /// Returns the object of this name in the informer's cache.
    pub fn informed_named<T: Resource>(&mut self, namespace: &str, name: &str) -> Option<Held<'s, T>> {
        let found = self.world.id(namespace, name).and_then(|id| self.informed(id));
        self.noted_if_absent(T::KIND, namespace, name, found)
    }

    /// Returns the object of this name from the informer's lister.
    ///
    /// # Errors
    /// Returns an error if the lister fails. An absent object is not an error here.
    pub fn lister_get<T: Resource>(&mut self, namespace: &str, name: &str) -> Result<Option<Held<'s, T>>, ApiError> {
        match self.answers.read_failure(Read::Lister(T::KIND), 1, name) {
            Some(error) => Err(error),
            None => Ok(self.world.id(namespace, name).and_then(|id| self.informed(id))),
        }
    }

    /// Returns all objects of a kind from the informer's lister, sorted by name.
    ///
    /// # Errors
    /// Returns an error if the lister fails.
    pub fn lister_list<T: Resource>(&mut self) -> Result<Vec<Held<'s, T>>, ApiError> {
        self.needs_list(T::KIND, "");
        match self.answers.read_failure(Read::Lister(T::KIND), 1, "") {
            Some(error) => Err(error),
            None => Ok(self.world.places().into_iter().filter_map(|id| self.informed(id)).collect()),
        }
    }

    /// Requests the object of this name from the API server.
    ///
    /// # Errors
    /// Returns an error if the request fails, or if the object does not exist. The client also refuses a request
    /// without a name, and a request whose namespace or name cannot be in a path. With [`WithoutNamespace::Refused`],
    /// it also refuses a request without a namespace. The texts of the errors are those of client-go
    /// (`Request.Namespace`, `Request.Name`, `requestPreflightCheck`).
    pub fn live_get_in<T: Resource>(
        &mut self,
        namespace: &str,
        name: &str,
        without_namespace: WithoutNamespace,
    ) -> Result<(Id<T>, Held<'s, T>), ApiError> {
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
        self.request_get(namespace, name)
    }

    /// Requests the object of this name from the API server. The kind of the object has no namespaces. The name is not
    /// validated, so it must be the name of an object, or a name that the controller generated.
    ///
    /// # Errors
    /// Returns an error if the request fails, or if the object does not exist.
    pub fn live_get<T: Resource>(&mut self, name: &str) -> Result<(Id<T>, Held<'s, T>), ApiError> {
        self.request_get("", name)
    }

    fn request_get<T: Resource>(&mut self, namespace: &str, name: &str) -> Result<(Id<T>, Held<'s, T>), ApiError> {
        match self.live_read_failure(Read::Get(T::KIND), name) {
            Some(error) => Err(error),
            None => self
                .world
                .find(namespace, name)
                .ok_or_else(|| ApiError::NotFound { kind: T::KIND, name: name.to_owned() }),
        }
    }

    /// Records a live list of a kind, and returns its scripted error if there is one.
    pub fn live_list_failure(&mut self, kind: Kind) -> Option<ApiError> {
        self.live_read_failure(Read::List(kind), "")
    }

    /// Returns the scripted answer of a plugin. `None` means the default answer.
    pub fn plugin_answer(&self) -> Option<&PluginAnswer> {
        self.answers.plugin.as_ref()
    }

    /// Returns the scripted error of the clean-up after a provisioning that created the storage but could not create
    /// the PersistentVolume.
    pub fn cleanup_failure(&self) -> Option<&str> {
        self.answers.cleanup_fails.as_deref()
    }

    /// Records a read request, and returns its scripted error if there is one.
    fn live_read_failure(&mut self, read: Read, name: &str) -> Option<ApiError> {
        self.record.live_reads.push(read);
        let number = self.record.live_reads.iter().filter(|earlier| **earlier == read).count();
        self.answers.read_failure(read, u32::try_from(number).unwrap_or(u32::MAX), name)
    }

    /// Records that the decision rests on the list of a kind. The namespace is empty for kinds without namespaces.
    pub fn needs_list(&mut self, kind: Kind, namespace: &str) {
        let need = Need { verb: "list", kind, namespace: Str::from(namespace) };
        if !self.record.needs.contains(&need) {
            self.record.needs.push(need);
        }
    }

    // Writing.

    /// Updates an object except its status, and returns the stored object.
    ///
    /// # Errors
    /// Returns an error if the API server refuses the update.
    pub fn update<T: Writable>(&mut self, id: Id<T>, sent: T) -> Result<Held<'s, T>, ApiError> {
        self.write(id, sent, false)
    }

    /// Updates only the status of an object, and returns the stored object.
    ///
    /// # Errors
    /// Returns an error if the API server refuses the update.
    pub fn update_status<T: Writable>(&mut self, id: Id<T>, sent: T) -> Result<Held<'s, T>, ApiError> {
        self.write(id, sent, true)
    }

    fn write<T: Writable>(&mut self, id: Id<T>, sent: T, status: bool) -> Result<Held<'s, T>, ApiError> {
        let scripted = self.next_write(T::KIND, &sent.meta().name)?;
        let current = self.world.get(id);
        let before = current.clone().unwrap_or_else(|| Held::Written(Arc::new(sent.clone())));
        let verdict = scripted.map_or_else(|| check(T::KIND, current.as_deref().map(T::meta), sent.meta()), Err);
        let (stored, outcome) = match verdict {
            Ok(()) => {
                let mut stored = sent;
                if status {
                    stored.keep_all_but_status(&before);
                } else {
                    stored.keep_status(&before);
                }
                stored.meta_mut().resource_version = before.meta().resource_version.successor();
                let stored = Arc::new(stored);
                self.world.set(id, survives(before.meta(), stored.meta()).then(|| Arc::clone(&stored)));
                self.controller.forget(id);
                (stored, Ok(()))
            }
            Err(error) => (Arc::new(sent), Err(error)),
        };
        let after = Held::Written(stored);
        self.record.effects.push(Effect::Write(Write {
            body: WriteBody::Update { status, before: T::hold(before), after: T::hold(after.clone()) },
            refused: outcome.as_ref().err().map(ToString::to_string),
        }));
        outcome.map(|()| after)
    }

    /// Creates an object, and returns the stored object. The API server sets defaults, a uid and a version. The object
    /// gets the wanted place if no object of its name was ever known and the place is free.
    ///
    /// # Errors
    /// Returns an error if the API server refuses the creation.
    pub fn create<T: Writable>(
        &mut self,
        sent: T,
        gates: ApiGates,
        wanted: Option<Id<T>>,
    ) -> Result<Held<'s, T>, ApiError> {
        let scripted = self.next_write(T::KIND, &sent.meta().name)?;
        let (namespace, name) = (sent.meta().namespace.clone(), sent.meta().name.clone());
        let known = self.world.id::<T>(&namespace, &name);
        let verdict = match (scripted, known.and_then(|id| self.world.get(id))) {
            (Some(error), _) => Err(error),
            // Admission runs before the API server examines the name.
            (None, _) if self.world.snapshot().namespace_deletion(&namespace).is_some() => {
                let (name, namespace) = (name.to_string(), namespace.to_string());
                Err(ApiError::NamespaceTerminating { kind: T::KIND, name, namespace })
            }
            (None, Some(there)) => {
                let deleting = there.meta().deleted.is_some();
                Err(ApiError::AlreadyExists { kind: T::KIND, name: name.to_string(), deleting })
            }
            (None, None) => Ok(()),
        };
        let sent = Arc::new(sent);
        let stored = Arc::new(stored(self.world.snapshot(), gates, (*sent).clone()));
        if verdict.is_ok() {
            match known {
                Some(id) => self.world.set(id, Some(Arc::clone(&stored))),
                None => {
                    self.world.add(Arc::clone(&stored), wanted);
                }
            }
        }
        self.record.effects.push(Effect::Write(Write {
            body: WriteBody::Create {
                sent: T::hold(Held::Written(sent)),
                stored: T::hold(Held::Written(Arc::clone(&stored))),
            },
            refused: verdict.as_ref().err().map(ToString::to_string),
        }));
        verdict.map(|()| Held::Written(stored))
    }

    /// Deletes an object without preconditions. An object with finalizers stays and gets a deletion timestamp.
    ///
    /// # Errors
    /// Returns an error if the API server refuses the deletion.
    pub fn delete<T: Resource>(&mut self, id: Id<T>, held: &Held<'s, T>) -> Result<(), ApiError> {
        let name = &held.meta().name;
        let scripted = self.next_write(T::KIND, name)?;
        let verdict = match (scripted, self.world.get(id)) {
            (Some(error), _) => Err(error),
            (None, None) => Err(ApiError::NotFound { kind: T::KIND, name: name.to_string() }),
            (None, Some(_)) => {
                self.world.delete(id);
                Ok(())
            }
        };
        self.record.effects.push(Effect::Write(Write {
            body: WriteBody::Delete(T::hold(held.clone())),
            refused: verdict.as_ref().err().map(ToString::to_string),
        }));
        verdict
    }

    /// Records an action that no request shows and that cannot be undone.
    pub fn mark(&mut self, id: impl Into<ObjectId>, mark: Mark) {
        if !self.crashed() {
            self.world.mark(id, mark);
        }
    }

    /// Counts a write. Fails if the process has to end before the write, and returns the scripted refusal if there is
    /// one.
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

    // Events, keys and operations.

    /// Records an event.
    pub fn event(&mut self, about: ObjectRef, event_type: EventType, reason: &'static str, message: impl Into<String>) {
        self.say(RecordedEvent { event_type, reason, message: message.into(), message_varies: false, about });
    }

    /// Records an event that the caller has built. [`RecordedEvent::message_varies`] states whether the order of the
    /// names in the message may differ.
    pub fn say(&mut self, event: RecordedEvent) {
        if !self.crashed() {
            self.record.effects.push(Effect::Event(event));
        }
    }

    /// Puts a key on the queue of its kind.
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

    /// Records who would have to act before something else can happen.
    pub fn wait_for(&mut self, component: &'static str, name: impl Into<String>, action: impl Into<String>) {
        let waiting = Waiting { component, name: name.into(), action: action.into() };
        if !self.record.waiting.contains(&waiting) {
            self.record.waiting.push(waiting);
        }
    }

    /// Picks one of the equally good objects that a search finds. Returns `None` if the search finds nothing. The
    /// search is skipped if its result is known from an earlier run of this sync.
    pub fn pick<T: Resource>(&mut self, search: impl FnOnce(&mut Self) -> Vec<Id<T>>) -> Option<Id<T>> {
        let found = self.choices.found().unwrap_or_else(|| {
            let found = SearchCandidates { kind: T::KIND, places: search(self).into_iter().map(|id| id.0).collect() };
            self.choices.keep(&found);
            found
        });
        let picked = self.choices.pick(found.places.len());
        found.places.get(picked).map(|at| Id::new(*at))
    }
}

/// Returns the object that the API server stores for a creation request.
pub fn stored<T: Writable>(snapshot: &Snapshot, gates: ApiGates, mut sent: T) -> T {
    sent.begin(snapshot, gates);
    let meta = sent.meta_mut();
    // An object of the input that was never on an API server also has a uid made of the placeholder and the name. The
    // `@` makes the uid of the created object different from such a uid.
    let placeholder = crate::snapshot::PLACEHOLDER_UID;
    meta.uid = Str::from(format!("{placeholder}@{}/{}", meta.namespace, meta.name));
    meta.resource_version = meta.resource_version.successor();
    sent
}

/// Returns whether an object stays after an update. An object that is being deleted disappears when its last finalizer
/// is removed. Upstream: `ShouldDeleteDuringUpdate`, `apiserver/pkg/registry/generic/registry`, 0.36.
fn survives(before: &ObjectMeta, after: &ObjectMeta) -> bool {
    !after.finalizers.is_empty()
        || before.deleted.is_none()
        || before.deletion_grace_seconds.is_some_and(|seconds| seconds != 0)
}

/// Checks an update: the object must exist with the same uid and version, and must get no new finalizer while it is
/// being deleted. Upstream: `ValidateNoNewFinalizers`, `apimachinery/pkg/api/validation`, 0.36.
fn check(kind: Kind, current: Option<&ObjectMeta>, sent: &ObjectMeta) -> Result<(), ApiError> {
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

/// Returns the reasons why a name cannot be in the path of a request, as Go prints a list. The value is `None` if the
/// name can be in the path. Upstream: `IsValidPathSegmentName`, `k8s.io/apimachinery/pkg/api/validation/path`, 0.36.
fn no_path_segment(name: &str) -> Option<String> {
    if name == "." || name == ".." {
        return Some(format!("[may not be '{name}']"));
    }
    let forbidden = ["/", "%"].into_iter().filter(|sign| name.contains(sign));
    let wrong: Vec<String> = forbidden.map(|sign| format!("may not contain '{sign}'")).collect();
    (!wrong.is_empty()).then(|| format!("[{}]", wrong.join(" ")))
}
