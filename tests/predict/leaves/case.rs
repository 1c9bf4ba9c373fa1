//! A case consists of the objects, the sync, and the expected decision.

use super::build::{Claim, Class, NAMESPACE, PodBuilder, Volume};
use pvctl::controllers::persistent_volume::dispatch::Seen;
use pvctl::controllers::persistent_volume::matching::{Fit, Query};
use pvctl::controllers::persistent_volume::{sync_claim_by_key, sync_volume_by_key};
use pvctl::controllers::{
    Branch, Controller, KubeVersion, KubernetesBehavior, SyncContext, ephemeral_volume, persistent_volume,
    pv_protection, pvc_protection, scheduler,
};
use pvctl::model::{
    BindingMode, Held, Node, ObjectId, Objects, PersistentVolume, PersistentVolumeClaim, Pod, ResourceVersion, Str,
};
use pvctl::simulate::{Limit, Settings, decide};
use pvctl::snapshot::{ClaimId, Coverage, Parts, Snapshot, VolumeId};
use pvctl::world::{
    Answers, ApiError, ApiRefusal, Cached, Choices, ControllerState, Effect, ObjectRef, OperationState, PluginAnswer,
    Read, Record, World, WriteBody,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The circumstances in which a leaf is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Objects that an API server can store are enough, in some cases with a flag of kube-controller-manager.
    Plain,
    /// The leaf is reached only under this condition: a scripted answer, a stale cache, a running operation, an older
    /// version, or an object that no API server would store.
    Only(&'static str),
}

/// What the informer's lister returns for a key from the work queue, and what the cache of the controller contains.
#[derive(Clone, Debug)]
pub(crate) enum Lister {
    /// The lister fails.
    Fails(&'static str),
    /// The lister returns the object at the second version. The cache has the first version. If there is no first
    /// version, the cache does not have the object.
    Present(Option<&'static str>, &'static str),
    /// The object does not exist, and the cache does not have it either.
    Gone,
    /// The object does not exist, but the cache has this volume.
    GoneVolume(Box<PersistentVolume>),
    /// The object does not exist, but the cache has this claim.
    GoneClaim(Box<PersistentVolumeClaim>),
}

#[derive(Clone, Debug)]
enum Call {
    None,
    Volume(Controller, &'static str),
    Claim(Controller, &'static str),
    DeletedClaim(&'static str),
    Pod(&'static str),
    Schedule(&'static str),
    /// The pod, the node that was chosen for it, and the claims for which the node was selected.
    CheckBindings(&'static str, &'static str, &'static [&'static str]),
    VolumeKey(&'static str, Lister),
    ClaimKey(&'static str, Lister),
}

/// One case of a test.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    leaves: &'static [&'static str],
    reached: Reached,
    volumes: Vec<PersistentVolume>,
    claims: Vec<PersistentVolumeClaim>,
    classes: Vec<pvctl::model::StorageClass>,
    pods: Vec<Pod>,
    nodes: Vec<Node>,
    behavior: KubernetesBehavior,
    answers: Answers,
    operations: Vec<(String, OperationState)>,
    unseen_claims: Vec<&'static str>,
    unseen_pods: Vec<(Str, Str)>,
    stale_volumes: Vec<PersistentVolume>,
    stale_claims: Vec<PersistentVolumeClaim>,
    call: Call,
    expected: Value,
}

/// Creates a case that reaches these leaves without any special condition.
pub(crate) fn case(leaves: &'static [&'static str]) -> Case {
    Case {
        leaves,
        reached: Reached::Plain,
        volumes: Vec::new(),
        claims: Vec::new(),
        classes: Vec::new(),
        pods: Vec::new(),
        nodes: Vec::new(),
        behavior: KubernetesBehavior::default(),
        answers: Answers::default(),
        operations: Vec::new(),
        unseen_claims: Vec::new(),
        unseen_pods: Vec::new(),
        stale_volumes: Vec::new(),
        stale_claims: Vec::new(),
        call: Call::None,
        expected: Value::Null,
    }
}

impl Case {
    /// Returns the leaves that the case must reach.
    pub(crate) fn leaves(&self) -> &'static [&'static str] {
        self.leaves
    }

    /// Returns how the leaves are reached.
    pub(crate) fn reached(&self) -> Reached {
        self.reached
    }

    /// States that the leaves are reached only under this condition.
    pub(crate) fn only_with(mut self, what: &'static str) -> Self {
        self.reached = Reached::Only(what);
        self
    }

    // The objects of the world.

    pub(crate) fn volume(mut self, volume: Volume) -> Self {
        self.volumes.push(volume.0);
        self
    }

    pub(crate) fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim.0);
        self
    }

    pub(crate) fn class(mut self, class: Class) -> Self {
        self.classes.push(class.0);
        self
    }

    pub(crate) fn pod(mut self, pod: PodBuilder) -> Self {
        self.pods.push(pod.0);
        self
    }

    /// Adds a pod that the informer has not seen yet.
    pub(crate) fn unseen_pod(mut self, pod: PodBuilder) -> Self {
        self.unseen_pods.push((pod.0.meta.namespace.clone(), pod.0.meta.name.clone()));
        self.pod(pod)
    }

    pub(crate) fn node(mut self, node: Node) -> Self {
        self.nodes.push(node);
        self
    }

    // Conditions besides the objects.

    pub(crate) fn kube(mut self, minor: u32) -> Self {
        self.behavior = KubernetesBehavior::of(KubeVersion::modelled(minor).unwrap());
        self
    }

    pub(crate) fn gate(mut self, name: &str, state: bool) -> Self {
        self.behavior.set_gate(name, state).unwrap();
        self
    }

    pub(crate) fn flag(mut self, name: &str, value: &str) -> Self {
        self.behavior.set_flag(name, value).unwrap();
        self
    }

    /// Makes the API server refuse the n-th write with this text.
    pub(crate) fn refuses(mut self, write: u32, text: &str) -> Self {
        self.answers.refuse = Some((write, ApiRefusal::Other(text.to_owned())));
        self
    }

    /// Makes the API server refuse the n-th write and all later writes with this text.
    pub(crate) fn refuses_from(mut self, write: u32, text: &str) -> Self {
        self.answers.refuse_from = Some((write, ApiRefusal::Other(text.to_owned())));
        self
    }

    pub(crate) fn read_fails(mut self, read: Read, text: &str) -> Self {
        self.answers.failing_read = Some((read, 1, ApiRefusal::Other(text.to_owned())));
        self
    }

    pub(crate) fn plugin(mut self, answer: PluginAnswer) -> Self {
        self.answers.plugin = Some(answer);
        self
    }

    pub(crate) fn cleanup_fails(mut self, text: &str) -> Self {
        self.answers.cleanup_fails = Some(text.to_owned());
        self
    }

    pub(crate) fn operation(mut self, name: &str, state: OperationState) -> Self {
        self.operations.push((name.to_owned(), state));
        self
    }

    /// Hides that claim from both caches of the controller.
    pub(crate) fn unseen_claim(mut self, name: &'static str) -> Self {
        self.unseen_claims.push(name);
        self
    }

    /// Gives the controller's caches this older version.
    pub(crate) fn stale_volume(mut self, older: Volume) -> Self {
        self.stale_volumes.push(older.0);
        self
    }

    /// Gives the controller's caches this older version.
    pub(crate) fn stale_claim(mut self, older: Claim) -> Self {
        self.stale_claims.push(older.0);
        self
    }

    // The sync.

    pub(crate) fn syncs_volume(mut self, name: &'static str) -> Self {
        self.call = Call::Volume(persistent_volume::CONTROLLER, name);
        self
    }

    pub(crate) fn syncs_claim(mut self, name: &'static str) -> Self {
        self.call = Call::Claim(persistent_volume::CONTROLLER, name);
        self
    }

    pub(crate) fn protects_volume(mut self, name: &'static str) -> Self {
        self.call = Call::Volume(pv_protection::CONTROLLER, name);
        self
    }

    pub(crate) fn protects_claim(mut self, name: &'static str) -> Self {
        self.call = Call::Claim(pvc_protection::CONTROLLER, name);
        self
    }

    /// Lets the ephemeral-volume controller sync that pod.
    pub(crate) fn syncs_pod(mut self, name: &'static str) -> Self {
        self.call = Call::Pod(name);
        self
    }

    /// Lets the scheduler sync that pod.
    pub(crate) fn schedules(mut self, pod: &'static str) -> Self {
        self.call = Call::Schedule(pod);
        self
    }

    /// Lets the scheduler check the bindings of that pod. Before, it has chosen the node for the pod, and has selected
    /// this node for the claims.
    pub(crate) fn checks_bindings(
        mut self,
        pod: &'static str,
        node: &'static str,
        claims: &'static [&'static str],
    ) -> Self {
        self.call = Call::CheckBindings(pod, node, claims);
        self
    }

    /// Lets pvc-protection sync the key of a claim that does not exist any more.
    pub(crate) fn protects_deleted_claim(mut self, name: &'static str) -> Self {
        self.call = Call::DeletedClaim(name);
        self
    }

    pub(crate) fn handles_volume_key(mut self, key: &'static str, lister: Lister) -> Self {
        self.call = Call::VolumeKey(key, lister);
        self
    }

    pub(crate) fn handles_claim_key(mut self, key: &'static str, lister: Lister) -> Self {
        self.call = Call::ClaimKey(key, lister);
        self
    }

    /// Sets the expected decision. Fields that are left out must be empty.
    pub(crate) fn expect(mut self, expected: Value) -> Self {
        self.expected = expected;
        self
    }

    /// Runs the case and compares the decision with the expected one.
    pub(crate) fn check(self) {
        let expected = self
            .expected
            .as_object()
            .unwrap_or_else(|| panic!("the case of {:?} must have an expected decision", self.leaves))
            .clone();
        let proven = proven(&expected);
        for leaf in self.leaves {
            assert!(proven.iter().any(|id| id == leaf), "the expected decision does not name {leaf}, only {proven:?}");
        }
        let observed = self.run(expected.contains_key("verdicts"));
        assert_eq!(pretty(&Value::Object(expected)), pretty(&Value::Object(observed)), "{:?}", self.leaves);
    }

    fn run(&self, with_verdicts: bool) -> Map<String, Value> {
        let snapshot = Snapshot::new(Parts {
            objects: Objects {
                volumes: self.volumes.clone(),
                claims: self.claims.clone(),
                classes: self.classes.clone(),
                pods: self.pods.clone(),
                nodes: self.nodes.clone(),
                ..Objects::default()
            },
            coverage: Coverage::complete(),
            ..Parts::default()
        });
        let memory = self.memory(&snapshot);
        match &self.call {
            Call::None => panic!("the case of {:?} must sync an object", self.leaves),
            Call::Volume(controller, name) => {
                self.decide(&snapshot, memory, *controller, ObjectId::from(snapshot.volume_id(name).unwrap()))
            }
            Call::Claim(controller, name) => {
                let id = claim_id(&snapshot, name);
                let mut observed = self.decide(&snapshot, memory, *controller, ObjectId::from(id));
                if with_verdicts {
                    let verdicts = self.verdicts(&snapshot, id, &observed);
                    observed.insert("verdicts".into(), verdicts);
                }
                observed
            }
            Call::Pod(name) => {
                let id = snapshot.id::<Pod>(NAMESPACE, name).unwrap();
                self.decide(&snapshot, memory, ephemeral_volume::CONTROLLER, id.into())
            }
            Call::Schedule(name) => {
                let id = snapshot.id::<Pod>(NAMESPACE, name).unwrap();
                self.decide(&snapshot, memory, scheduler::actor::CONTROLLER, id.into())
            }
            Call::CheckBindings(pod, node, claims) => {
                let id = ObjectId::from(snapshot.id::<Pod>(NAMESPACE, pod).unwrap());
                let node = ObjectId::from(snapshot.id::<Node>("", node).unwrap());
                let claims = claims.iter().map(|claim| ObjectId::from(claim_id(&snapshot, claim)));
                let mut world = World::new(&snapshot);
                world.remember(id, [node].into_iter().chain(claims).collect());
                self.by_hand(&mut world, memory, |sync| {
                    (scheduler::actor::CONTROLLER.sync)(sync, &self.behavior, id).unwrap()
                })
            }
            Call::DeletedClaim(name) => {
                let id = claim_id(&snapshot, name);
                let mut world = World::new(&snapshot);
                world.set(id, None);
                self.by_hand(&mut world, memory, |sync| pvc_protection::sync_claim(sync, &self.behavior, id).into())
            }
            Call::VolumeKey(key, lister) => {
                let id = snapshot.volume_id(key);
                self.by_hand(&mut World::new(&snapshot), memory, |sync| {
                    let seen = seen(lister, |lister| match lister {
                        Lister::GoneVolume(volume) => Some(Held::Written(Arc::new((**volume).clone()))),
                        _ => None,
                    });
                    sync_volume_by_key(sync, &self.behavior, key, seen, id)
                })
            }
            Call::ClaimKey(key, lister) => {
                let id = key.split_once('/').and_then(|(namespace, name)| snapshot.claim_id(namespace, name));
                self.by_hand(&mut World::new(&snapshot), memory, |sync| {
                    let seen = seen(lister, |lister| match lister {
                        Lister::GoneClaim(claim) => Some(Held::Written(Arc::new((**claim).clone()))),
                        _ => None,
                    });
                    sync_claim_by_key(sync, &self.behavior, key, seen, id)
                })
            }
        }
    }

    fn memory<'s>(&self, snapshot: &Snapshot) -> ControllerState<'s> {
        let mut memory = ControllerState::in_step();
        memory.operations.clone_from(&self.operations);
        for (namespace, name) in &self.unseen_pods {
            memory.lag(snapshot.id::<Pod>(namespace, name).unwrap(), Cached::Unseen);
        }
        for name in &self.unseen_claims {
            memory.lag(claim_id(snapshot, name), Cached::Unseen);
        }
        for older in &self.stale_claims {
            memory.lag_behind(claim_id(snapshot, &older.meta.name), Held::Written(Arc::new(older.clone())));
        }
        for older in &self.stale_volumes {
            let id = snapshot.volume_id(&older.meta.name).unwrap();
            memory.lag_behind(id, Held::Written(Arc::new(older.clone())));
        }
        memory
    }

    fn decide<'s>(
        &self,
        snapshot: &'s Snapshot,
        controller: ControllerState<'s>,
        who: Controller,
        target: ObjectId,
    ) -> Map<String, Value> {
        let settings = Settings {
            controllers: vec![who],
            controller,
            answers: self.answers.clone(),
            decisions: Limit::All,
            ..Settings::new(self.behavior.clone())
        };
        let mut decisions = decide::decide(&World::new(snapshot), &settings, target);
        assert_eq!(decisions.count, 1, "the case of {:?} must have exactly one decision", self.leaves);
        let decision = decisions.listed.remove(0);
        let mut observed = shape(decision.branch, &decision.record);
        observed.insert("next".into(), decision.next_sync.as_str().into());
        observed
    }

    fn by_hand<'s>(
        &self,
        world: &mut World<'s>,
        mut memory: ControllerState<'s>,
        call: impl FnOnce(&mut SyncContext<'_, 's>) -> Branch,
    ) -> Map<String, Value> {
        let mut sync = SyncContext::new(world, &mut memory, &self.answers, Choices::first());
        let branch = call(&mut sync);
        shape(branch, &sync.finish().0)
    }

    /// Returns the verdict of the search on each volume. A free volume that fits has M16 if it was chosen, and M15 if
    /// another volume was chosen.
    fn verdicts(&self, snapshot: &Snapshot, id: ClaimId, observed: &Map<String, Value>) -> Value {
        let claim = snapshot.claim(id);
        let delay = snapshot
            .class(claim.class())
            .is_some_and(|class| class.binding_mode == Some(BindingMode::WaitForFirstConsumer));
        let query = Query::new(&self.behavior, claim, delay).unwrap();
        let chosen = |name: &str| {
            let writes = observed.get("writes").and_then(Value::as_array);
            writes.is_some_and(|writes| writes.iter().any(|write| write["update"] == format!("pv/{name}")))
        };
        let ids = (0..u32::try_from(snapshot.volumes().len()).unwrap()).map(VolumeId::new);
        let verdicts: Map<String, Value> = ids
            .map(|id| {
                let volume = snapshot.volume(id);
                let name = volume.meta.name.to_string();
                let verdict = match query.fit(volume) {
                    Fit::No(verdict) => verdict.id(),
                    Fit::Reserved => "M7",
                    Fit::Free if chosen(&name) => "M16",
                    Fit::Free => "M15",
                };
                (name, verdict.into())
            })
            .collect();
        verdicts.into()
    }
}

fn claim_id(snapshot: &Snapshot, name: &str) -> ClaimId {
    snapshot.claim_id(NAMESPACE, name).unwrap_or_else(|| panic!("no claim {name}"))
}

fn seen<'s, T>(lister: &Lister, cached: impl FnOnce(&Lister) -> Option<Held<'s, T>>) -> Result<Seen<'s, T>, ApiError> {
    match lister {
        Lister::Fails(text) => Err(ApiError::Other((*text).to_owned())),
        Lister::Present(cached, informer) => Ok(Seen::Present {
            cached: cached.map(|version| ResourceVersion::Recorded(version.into())),
            informer: ResourceVersion::Recorded((*informer).into()),
        }),
        Lister::Gone => Ok(Seen::Gone(None)),
        Lister::GoneVolume(_) | Lister::GoneClaim(_) => Ok(Seen::Gone(cached(lister))),
    }
}

/// Returns the leaves that an expected decision names.
fn proven(expected: &Map<String, Value>) -> Vec<String> {
    let mut ids = vec![expected["branch"].as_str().unwrap().to_owned()];
    for step in expected.get("steps").and_then(Value::as_array).into_iter().flatten() {
        ids.push(step.as_str().unwrap().to_owned());
    }
    for (_, verdict) in expected.get("verdicts").and_then(Value::as_object).into_iter().flatten() {
        ids.push(verdict.as_str().unwrap().to_owned());
    }
    ids
}

fn object(about: &ObjectRef) -> String {
    if about.namespace.is_empty() {
        format!("{}/{}", about.kind.short(), about.name)
    } else {
        format!("{}/{}/{}", about.kind.short(), about.namespace, about.name)
    }
}

/// Returns a decision in the form in which cases state it. Empty fields are left out.
fn shape(branch: Branch, record: &Record<'_, Branch>) -> Map<String, Value> {
    let (mut writes, mut events, mut operations, mut enqueued) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for effect in &record.effects {
        match effect {
            Effect::Write(write) => {
                let (kind, meta) = (write.body.object().kind(), write.body.object().meta());
                let about = ObjectRef { kind, namespace: meta.namespace.clone(), name: meta.name.clone() };
                let mut written = Map::new();
                let verb = match &write.body {
                    WriteBody::Update { status: true, .. } => "updateStatus",
                    WriteBody::Update { .. } => "update",
                    WriteBody::Create { .. } => "create",
                    WriteBody::Delete(_) => "delete",
                };
                written.insert(verb.into(), object(&about).into());
                if let Some(patch) = write.body.patch() {
                    written.insert("patch".into(), serde_json::to_value(patch).unwrap());
                }
                let stored = match &write.body {
                    WriteBody::Create { stored, .. } if write.refused.is_none() => stored.of(),
                    _ => None,
                };
                if let Some(volume) = stored {
                    written.insert("volume".into(), created(volume));
                }
                if let Some(refused) = &write.refused {
                    written.insert("refused".into(), refused.as_str().into());
                }
                writes.push(Value::Object(written));
            }
            Effect::Event(event) => events.push(Value::from(format!(
                "{} {} {}: {}",
                event.event_type.as_str(),
                event.reason,
                object(&event.about),
                event.message
            ))),
            Effect::Operation { name, state } => {
                operations.push(Value::from(format!("{} {name}", state.as_str())));
            }
            Effect::Enqueue(about) => enqueued.push(Value::from(object(about))),
        }
    }
    let mut observed = Map::new();
    observed.insert("branch".into(), branch.id().into());
    let steps: Vec<Value> = record.steps.iter().map(|step| step.id().into()).collect();
    for (name, list) in
        [("steps", steps), ("writes", writes), ("events", events), ("operations", operations), ("enqueued", enqueued)]
    {
        if !list.is_empty() {
            observed.insert(name.into(), list.into());
        }
    }
    if let Some(error) = &record.error {
        observed.insert("error".into(), error.as_str().into());
    }
    observed
}

/// Returns the fields of a new volume that `docs/controllers/provisioning.md` specifies.
fn created(volume: &PersistentVolume) -> Value {
    let annotations: Map<String, Value> =
        volume.meta.annotations.iter().map(|(key, value)| (key.as_str().to_owned(), value.into())).collect();
    let claim_ref = volume.claim_ref.as_ref().unwrap();
    json!({
        "annotations": annotations,
        "finalizers": volume.meta.finalizers.iter().map(Str::as_str).collect::<Vec<_>>(),
        "capacity": volume.storage().unwrap(),
        "accessModes": volume.access_modes.0.iter().map(pvctl::model::AccessMode::as_str).collect::<Vec<_>>(),
        "claimRef": format!("{} {}", claim_ref.claim_key(), claim_ref.uid),
        "persistentVolumeReclaimPolicy": volume.reclaim_policy.as_str(),
        "storageClassName": volume.class_name.as_str(),
        "phase": volume.status.phase.as_str(),
    })
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}
