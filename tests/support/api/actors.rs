//! The actors that change the objects of a repair. These are drivers, strangers, StatefulSets, tools that apply
//! manifests, the scheduler, the garbage collector, and people who change an object.

use super::Random;
use super::attachments;
use super::services;
use super::store::{Call, Preconditions, Store, claim, text};
use super::writers;
use pvctl::model::{Kind, ObjectKey};
use serde_json::{Value, json};

/// The namespace of the stranger.
pub(crate) const STRANGER: &str = "stranger";

/// An actor that acts at one moment of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Actor {
    /// No actor acts.
    Nobody,
    /// Drivers delete the storage and then the object of every volume that a driver could delete at some moment.
    Driver,
    /// A stranger creates, for each volume, a claim that names it and fits it.
    Stranger,
    /// A person creates claims that name no volume. Each gets a name for which a volume is reserved, or the name of the
    /// claim to which a volume was bound, if that name is not in use.
    Namesake,
    /// A StatefulSet, or a tool that applies manifests, creates every claim again that existed at the start.
    Recreator,
    /// The owner of a claim, or the garbage collector, deletes the claim.
    Deleter,
    /// The scheduler reserves an Available volume without a `claimRef` for a claim of a stranger that waits for a pod.
    Scheduler,
    /// For each claim of the repair, a new pod that uses it runs on a node: on the node that has an attachment, if one
    /// has.
    User,
    /// The machine of each node that has an attachment runs, and its node is Ready.
    NodeReturner,
    /// kube-controller-manager deletes every attachment. If it is deleted already, the attacher has detached the
    /// volume.
    Detacher,
    /// A person labels every volume and claim, so that their resource versions change.
    Toucher,
    /// A person applies the manifests of the volumes again and again, client-side. The manifests contain the policy.
    Applier,
    /// A person applies the manifests of the volumes again and again, server-side. The manifests contain the policy and
    /// the `claimRef`.
    Syncer,
    /// A person sets policy Delete on every volume.
    Changer,
    /// A person deletes every volume that is neither Bound nor being deleted, and creates another one of the same name.
    VolumeMaker,
    /// A person deletes every claim that existed at the start, and creates another one of the same name, but no pod.
    ClaimMaker,
    /// A person deletes each namespace that had a claim at the start. Then the person creates another namespace and
    /// other claims of the same names.
    NamespaceMaker,
    /// Every attachment is deleted, and the volume is attached to its node again, by an attachment of the same name.
    Reattacher,
    /// A second run of the program moves the volumes of the repair to a claim of another name.
    Second,
    /// The system that serves the volumes creates each missing Service again, with any address.
    Server,
    /// Another Service gets the address that a volume records, if no Service has it.
    AddressTaker,
    /// From now on, admission changes policy Retain to Delete.
    PolicyMutator,
    /// From now on, admission drops every `claimRef` that is set or changed.
    ClaimMutator,
}

impl Actor {
    /// The actors after which only few states of the cluster are possible, so that tests can check the whole state.
    /// `Nobody` is one of them.
    pub(crate) const WITH_ENDS: [Self; 11] = [
        Self::Nobody,
        Self::Driver,
        Self::Stranger,
        Self::Namesake,
        Self::Recreator,
        Self::Deleter,
        Self::Scheduler,
        Self::User,
        Self::NodeReturner,
        Self::Detacher,
        Self::Toucher,
    ];

    /// The actors after which many states are possible. So tests check only what was lost, what was written, and what
    /// the program said.
    pub(crate) const ROUGH: [Self; 10] = [
        Self::Applier,
        Self::Syncer,
        Self::Changer,
        Self::VolumeMaker,
        Self::ClaimMaker,
        Self::NamespaceMaker,
        Self::Reattacher,
        Self::Second,
        Self::PolicyMutator,
        Self::ClaimMutator,
    ];

    /// The actors that write Services. Few states are possible after them.
    const OF_SERVICES: [Self; 2] = [Self::Server, Self::AddressTaker];

    /// Returns all actors, including `Nobody`.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::WITH_ENDS.into_iter().chain(Self::OF_SERVICES).chain(Self::ROUGH)
    }

    /// Returns the word for the actor in the description of a run.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::Driver => "driver",
            Self::Stranger => "stranger",
            Self::Namesake => "namesake",
            Self::Recreator => "recreator",
            Self::Deleter => "deleter",
            Self::Scheduler => "scheduler",
            Self::User => "user",
            Self::NodeReturner => "node-returner",
            Self::Detacher => "detacher",
            Self::Toucher => "toucher",
            Self::Applier => "applier",
            Self::Syncer => "syncer",
            Self::Changer => "changer",
            Self::VolumeMaker => "volume-maker",
            Self::ClaimMaker => "claim-maker",
            Self::NamespaceMaker => "namespace-maker",
            Self::Reattacher => "reattacher",
            Self::Second => "second",
            Self::Server => "server",
            Self::AddressTaker => "address-taker",
            Self::PolicyMutator => "policy-mutator",
            Self::ClaimMutator => "claim-mutator",
        }
    }

    /// Returns whether the actor changes nothing that matters to a plan.
    pub(crate) fn is_harmless(self) -> bool {
        matches!(self, Self::Nobody | Self::Toucher)
    }

    /// Returns whether the actor changes claims, volumes or their references so that the repair may have nothing left
    /// to do.
    pub(crate) fn is_in_the_way(self) -> bool {
        matches!(
            self,
            Self::Namesake
                | Self::Recreator
                | Self::Deleter
                | Self::Syncer
                | Self::VolumeMaker
                | Self::ClaimMaker
                | Self::NamespaceMaker
                | Self::Detacher
                | Self::Reattacher
                | Self::Second
                | Self::Server
                | Self::AddressTaker
                | Self::ClaimMutator
        )
    }

    /// Returns whether many states are possible after the actor.
    pub(crate) fn is_rough(self) -> bool {
        Self::ROUGH.contains(&self)
    }

    /// Returns whether the actor acts again and again, until it leaves.
    pub(crate) fn is_restless(self) -> bool {
        matches!(self, Self::Applier | Self::Syncer)
    }

    /// Returns whether the actor may take a volume from its claim even long after a repair.
    pub(crate) fn parts(self) -> bool {
        matches!(self, Self::Syncer | Self::VolumeMaker | Self::ClaimMaker | Self::NamespaceMaker | Self::Second)
            || self == Self::ClaimMutator
    }

    /// Lets the actor act. `start` is the store as it was before the repair.
    pub(crate) fn act(self, store: &mut Store, start: &Store, random: &mut Random) {
        match self {
            Self::Nobody => {}
            Self::Driver => drivers(store),
            Self::Stranger => strangers(store),
            Self::Namesake => namesakes(store),
            Self::Recreator => recreate(store, start),
            Self::Deleter => delete(store, random),
            Self::Scheduler => reserve(store, random),
            Self::User => use_claims(store, start),
            Self::NodeReturner => attachments::return_nodes(store),
            Self::Detacher => attachments::detach(store),
            Self::Toucher => touch(store),
            Self::Applier => writers::apply(store, start),
            Self::Syncer => writers::sync(store, start),
            Self::Changer => writers::set_delete(store),
            Self::VolumeMaker => writers::make_volumes(store),
            Self::ClaimMaker => writers::make_claims(store, start),
            Self::NamespaceMaker => writers::make_namespaces(store, start),
            Self::Reattacher => attachments::attach_again(store),
            Self::Second => writers::move_away(store),
            Self::Server => services::serve(store),
            Self::AddressTaker => services::take_addresses(store),
            Self::PolicyMutator => store.mutation = Some(writers::Mutation::Policy),
            Self::ClaimMutator => store.mutation = Some(writers::Mutation::Claim),
        }
    }

    /// Ends the actions of the actor, if they can end: its pods end, the applied manifests say Retain from now on, and
    /// admission changes nothing any more. Returns whether anything changed.
    pub(crate) fn leave(self, store: &mut Store) -> bool {
        match self {
            Self::User => {
                let pods = store.all(Kind::Pod, "").map(|(key, _)| key.clone());
                let pods: Vec<ObjectKey> = pods.filter(|key| key.namespace != services::SERVERS).collect();
                for key in &pods {
                    store.put(key, None, "kubelet");
                }
                !pods.is_empty()
            }
            Self::Applier | Self::Syncer => writers::amend(store),
            Self::PolicyMutator | Self::ClaimMutator => store.mutation.take().is_some(),
            _ => false,
        }
    }
}

/// Lets every driver finish the deletions that it has begun. The driver deletes the storage, and then the object, no
/// matter which finalizers the object has.
pub(crate) fn drivers(store: &mut Store) {
    let being_deleted: Vec<(String, String)> = store.being_deleted.iter().cloned().collect();
    for (name, uid) in being_deleted {
        let key = super::store::volume(&name);
        let same = store.read(&key).is_some_and(|volume| text(volume, "/metadata/uid") == uid);
        store.destroyed.insert(name);
        if same {
            store.put(&key, None, "csi-provisioner");
        }
    }
}

fn strangers(store: &mut Store) {
    let volumes: Vec<Value> = store.all(Kind::PersistentVolume, "").map(|(_, volume)| volume.clone()).collect();
    for volume in volumes {
        let name = text(&volume, "/metadata/name");
        let manifest = fitting(&volume, STRANGER, &format!("takes-{name}"), Some(&name));
        // The claim may already exist.
        _ = store.create(Kind::PersistentVolumeClaim, STRANGER, &manifest, &Call::by("stranger"));
    }
}

fn namesakes(store: &mut Store) {
    let volumes: Vec<Value> = store.all(Kind::PersistentVolume, "").map(|(_, volume)| volume.clone()).collect();
    for volume in volumes {
        let (namespace, name) = (text(&volume, "/spec/claimRef/namespace"), text(&volume, "/spec/claimRef/name"));
        if !name.is_empty() {
            let manifest = fitting(&volume, &namespace, &name, None);
            // The claim may already exist.
            _ = store.create(Kind::PersistentVolumeClaim, &namespace, &manifest, &Call::by("namesake"));
        }
    }
}

/// Returns a claim that the volume fits.
fn fitting(volume: &Value, namespace: &str, name: &str, named: Option<&str>) -> Value {
    let spec = &volume["spec"];
    let class = spec["storageClassName"].as_str().unwrap_or_default();
    let mut manifest = json!({
        "metadata": { "namespace": namespace, "name": name },
        "spec": {
            "accessModes": spec["accessModes"], "volumeMode": spec["volumeMode"], "storageClassName": class,
            "resources": { "requests": { "storage": spec["capacity"]["storage"] } },
        },
    });
    if let Some(named) = named {
        manifest["spec"]["volumeName"] = named.into();
    }
    manifest
}

fn recreate(store: &mut Store, start: &Store) {
    let claims: Vec<Value> = start.all(Kind::PersistentVolumeClaim, "").map(|(_, claim)| claim.clone()).collect();
    for old in claims {
        let (namespace, name) = (text(&old, "/metadata/namespace"), text(&old, "/metadata/name"));
        if namespace == STRANGER {
            continue;
        }
        // The new claim does not name a volume, like a claim from a template.
        let mut manifest = json!({ "metadata": { "namespace": namespace, "name": name }, "spec": old["spec"] });
        if let Some(spec) = manifest["spec"].as_object_mut() {
            spec.remove("volumeName");
        }
        // The claim may already exist.
        _ = store.create(Kind::PersistentVolumeClaim, &namespace, &manifest, &Call::by("statefulset"));
    }
}

fn delete(store: &mut Store, random: &mut Random) {
    let keys: Vec<ObjectKey> = store
        .all(Kind::PersistentVolumeClaim, "")
        .map(|(key, _)| key.clone())
        .filter(|key| key.namespace != STRANGER)
        .collect();
    if let Some(key) = random.pick(&keys) {
        // The object was just read, so it exists.
        _ = store.delete(key, &Preconditions::default(), &Call::by("gitops"));
    }
}

/// Reserves a volume as the scheduler does. Upstream: `AssumePodVolumes` and `bindAPIUpdate`,
/// `pkg/scheduler/framework/plugins/volumebinding/binder.go`, 1.36.
fn reserve(store: &mut Store, random: &mut Random) {
    let free: Vec<(ObjectKey, Value)> = store
        .all(Kind::PersistentVolume, "")
        .filter(|(_, volume)| volume["status"]["phase"] == "Available" && volume["spec"]["claimRef"].is_null())
        .map(|(key, volume)| (key.clone(), volume.clone()))
        .collect();
    let Some((key, mut volume)) = random.pick(&free).cloned() else { return };
    let name = format!("waits-for-{}", key.name);
    let manifest = fitting(&volume, STRANGER, &name, None);
    // The claim may already exist.
    _ = store.create(Kind::PersistentVolumeClaim, STRANGER, &manifest, &Call::by("stranger"));
    let Some(waiting) = store.read(&claim(STRANGER, &name)).cloned() else { return };
    volume["spec"]["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": STRANGER, "name": name,
        "uid": waiting["metadata"]["uid"], "resourceVersion": waiting["metadata"]["resourceVersion"],
    });
    if !volume["metadata"]["annotations"].is_object() {
        volume["metadata"]["annotations"] = json!({});
    }
    volume["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"] = "yes".into();
    store.put(&key, Some(volume), "kube-scheduler");
}

fn use_claims(store: &mut Store, start: &Store) {
    let keys: Vec<ObjectKey> = start
        .all(Kind::PersistentVolumeClaim, "")
        .map(|(key, _)| key.clone())
        .filter(|key| key.namespace != STRANGER)
        .collect();
    let node = attachments::node_of_any(start).unwrap_or_else(|| "node-1".to_owned());
    for key in keys {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "namespace": key.namespace, "name": format!("uses-{}", key.name) },
            "spec": {
                "nodeName": node, "containers": [{ "name": "main", "image": "example.com/main" }],
                "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": key.name } }],
            },
            "status": { "phase": "Running" },
        });
        pod["metadata"]["uid"] = format!("uid-of-uses-{}", key.name).into();
        store.seed(pod);
    }
}

fn touch(store: &mut Store) {
    let kinds = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];
    let all: Vec<(ObjectKey, Value)> = kinds
        .into_iter()
        .flat_map(|kind| store.all(kind, ""))
        .map(|(key, object)| (key.clone(), object.clone()))
        .collect();
    for (key, mut object) in all {
        let touched = object["metadata"]["labels"]["touched"].as_u64().unwrap_or(0);
        if !object["metadata"]["labels"].is_object() {
            object["metadata"]["labels"] = json!({});
        }
        object["metadata"]["labels"]["touched"] = (touched + 1).to_string().into();
        store.put(&key, Some(object), "person");
    }
}

/// A volume whose data must not be lost, as it was before a repair.
#[derive(Clone, Debug)]
pub(crate) struct Protected {
    pub(crate) volume: String,
    /// The claims that may have the volume. They are given by uid, or by namespace and name.
    pub(crate) uids: Vec<String>,
    pub(crate) names: Vec<(String, String)>,
}

/// A loss of a volume or a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loss {
    /// The storage of the volume is gone.
    Destroyed(String),
    /// The object of the volume is gone, or was gone for a while.
    Gone(String),
    /// The volume was given to a claim that may not have it: the volume, then namespace and name of the claim.
    Taken(String, String, String),
    /// A claim that was bound is Lost in the end: namespace and name.
    Lost(String, String),
}

/// Returns the claims that were bound at some time and are Lost now.
pub(crate) fn lost(store: &Store) -> Vec<Loss> {
    let was_bound = |key: &ObjectKey, uid: &Value| {
        store
            .history
            .iter()
            .filter(|moment| moment.key == *key)
            .filter_map(|moment| moment.after.as_ref())
            .any(|then| then["metadata"]["uid"] == *uid && then["status"]["phase"] == "Bound")
    };
    store
        .all(Kind::PersistentVolumeClaim, "")
        .filter(|(_, claim)| claim["status"]["phase"] == "Lost")
        .filter(|(key, claim)| was_bound(key, &claim["metadata"]["uid"]))
        .map(|(key, _)| Loss::Lost(key.namespace.to_string(), key.name.to_string()))
        .collect()
}

/// Returns all losses of these volumes in the history of a store.
pub(crate) fn losses(store: &Store, protected: &[Protected]) -> Vec<Loss> {
    let mut losses = Vec::new();
    for protected_volume in protected {
        let name = &protected_volume.volume;
        if store.destroyed.contains(name) {
            losses.push(Loss::Destroyed(name.clone()));
        }
        let key = super::store::volume(name);
        for moment in store.history.iter().filter(|moment| moment.key == key) {
            let Some(volume) = &moment.after else {
                if moment.by != writers::MAKER {
                    losses.push(Loss::Gone(name.clone()));
                }
                continue;
            };
            // Another volume has the name now. The first volume was lost because of the actor that created the other
            // one, not because of the repair.
            if text(volume, "/metadata/uid").starts_with(writers::ANEW) {
                continue;
            }
            let uid = text(volume, "/spec/claimRef/uid");
            let named = (text(volume, "/spec/claimRef/namespace"), text(volume, "/spec/claimRef/name"));
            if !uid.is_empty() && !protected_volume.uids.contains(&uid) && !protected_volume.names.contains(&named) {
                losses.push(Loss::Taken(name.clone(), named.0, named.1));
            }
        }
    }
    losses.sort();
    losses.dedup();
    losses
}
