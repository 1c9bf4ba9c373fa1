//! This module converts options to three things: the behavior of Kubernetes, the list of controllers that take part,
//! and what the PersistentVolume controller has in its cache and in its operations. Decisions depend on these and on
//! the objects.

use crate::controllers::persistent_volume::BOUND_KINDS;
use crate::controllers::persistent_volume::provision::provisioning;
use crate::controllers::persistent_volume::reclaim::{deletion, recycling};
use crate::controllers::scheduler;
use crate::controllers::{ACTORS, CONTROLLERS, Controller, KubeVersion, KubernetesBehavior, acting};
use crate::error::Error;
use crate::model::{HeldObject, Kind, ObjectKey, ObjectMeta};
use crate::report::shared::machine::Model;
use crate::simulate::{Budget, Limit, Settings};
use crate::snapshot::{Absence, Snapshot, printed};
use crate::world::{Cached, OperationState};

/// The options of the modelled Kubernetes.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// The version of Kubernetes. If no version is given, it is the version of the cluster or of the snapshot.
    pub kube_version: Option<KubeVersion>,
    /// The feature gates by name, and whether they are on.
    pub feature_gates: Vec<(String, bool)>,
    /// The flags of kube-controller-manager, and their values.
    pub controller_flags: Vec<(String, String)>,
    /// The controllers that take part, in the syntax of kube-controller-manager. If the list is empty, all take part.
    pub controllers: Vec<String>,
    /// The actors that take part besides the controllers: their names, `*` for all, or `none`. If the list is empty,
    /// the verb decides.
    pub actors: Vec<String>,
    /// The objects that are not in the controller's cache yet.
    pub unseen: Vec<ObjectKey>,
    /// The older versions of objects that the controller's cache still has. An object that does not exist any more was
    /// deleted.
    pub stale: Vec<(ObjectKey, HeldObject<'static>)>,
    /// The operations of the controller that run, by name. The uid in brackets may be missing.
    pub running: Vec<String>,
    /// The operations of the controller that failed and back off, by name. The uid in brackets may be missing.
    pub backing_off: Vec<String>,
    /// Whether the outcomes include failures: requests that fail, crashes of the controller inside a sync, and outdated
    /// caches.
    pub failures: bool,
    /// The maximum number of decisions that are listed for each object.
    pub decisions: Limit,
    /// The maximum number of outcomes that are listed for each object.
    pub outcomes: Limit,
    /// The maximum number of states of a component that are explored.
    pub budget: Option<usize>,
}

/// The modelled Kubernetes, and the source of its version.
#[derive(Clone, Debug)]
pub struct Modelled {
    /// The behavior of the version, the feature gates and the flags.
    pub behavior: KubernetesBehavior,
    /// The source of the version: `given`, `detected`, `stated` (by a snapshot) or `assumed`.
    pub source: &'static str,
    /// The feature gates and flags that were given, by name.
    given: Vec<String>,
    /// The controllers and actors that take part.
    controllers: Vec<Controller>,
    /// Whether the outcomes include failures of requests, of the controller and of its cache.
    pub failures: bool,
}

impl Modelled {
    /// Returns whether an actor takes part. Then all nodes matter.
    pub fn has_actors(&self) -> bool {
        acting(&self.controllers).next().is_some()
    }

    /// Returns whether the scheduler takes part. Then all pods and all nodes matter.
    pub fn schedules(&self) -> bool {
        self.controllers.contains(&scheduler::actor::CONTROLLER)
    }

    /// Lets the scheduler take part.
    pub fn add_scheduler(&mut self) {
        if !self.schedules() {
            self.controllers.push(scheduler::actor::CONTROLLER);
        }
    }

    /// Leaves the scheduler out.
    pub fn remove_scheduler(&mut self) {
        self.controllers.retain(|controller| *controller != scheduler::actor::CONTROLLER);
    }

    /// Returns the same without actors.
    #[must_use]
    pub fn without_actors(&self) -> Self {
        let actors: Vec<Controller> = acting(&self.controllers).collect();
        let mut alone = self.clone();
        alone.controllers.retain(|controller| !actors.contains(controller));
        alone
    }

    /// Returns whether a controller that takes part syncs objects of that kind.
    pub fn syncs(&self, kind: Kind) -> bool {
        self.controllers.iter().any(|controller| controller.syncs.contains(&kind))
    }

    /// Determines the modelled Kubernetes. `detected` is the minor version of the server or of the snapshot, if it is
    /// known.
    ///
    /// # Errors
    /// Returns a usage error that names the flag and the value.
    pub fn new(options: &ModelOptions, detected: Option<u32>) -> Result<Self, Error> {
        let (version, source) = match (options.kube_version, detected) {
            (Some(version), _) => (version, "given"),
            (None, Some(minor)) => (KubeVersion::nearest(minor), "detected"),
            (None, None) => (KubeVersion::DEFAULT, "assumed"),
        };
        let mut behavior = KubernetesBehavior::of(version);
        for (name, enabled) in &options.feature_gates {
            behavior.set_gate(name, *enabled).map_err(|error| Error::usage(format!("--feature-gates: {error}")))?;
        }
        for (name, value) in &options.controller_flags {
            behavior.set_flag(name, value).map_err(|error| Error::usage(format!("--controller-flag: {error}")))?;
        }
        let gates = options.feature_gates.iter().map(|(name, _)| name);
        let given = gates.chain(options.controller_flags.iter().map(|(name, _)| name)).cloned().collect();
        let mut controllers = controllers(&options.controllers)?;
        controllers.extend(actors(&options.actors)?);
        Ok(Self { behavior, source, given, controllers, failures: options.failures })
    }

    /// Returns the model as documents print it.
    pub fn document(&self) -> Model {
        Model::new(&self.behavior, &self.controllers, self.source).with_given(&self.given).with_failures(self.failures)
    }

    /// Returns the settings. Decisions depend on them and on the objects.
    ///
    /// # Errors
    /// Returns a usage error if an object of `--unseen` or `--stale` does not exist or has another kind than a volume
    /// or claim. Also returns one if a word of `--running` or `--backoff` is not the name of an operation on a volume
    /// or claim that exists. Also returns one if `--stale` states an object for the second time, or if an operation is
    /// named twice.
    pub fn settings<'s>(
        &self,
        snapshot: &'s Snapshot,
        options: &ModelOptions,
        tracing: bool,
    ) -> Result<Settings<'s>, Error> {
        let mut settings = Settings::new(self.behavior.clone());
        settings.controllers.clone_from(&self.controllers);
        settings.tracing = tracing;
        settings.decisions = options.decisions;
        settings.outcomes = options.outcomes;
        settings.failures = self.failures;
        settings.budget = options.budget.map_or(Budget::DEFAULT, |states| Budget { states });
        let cached = |flag: &str, key: &ObjectKey| {
            if !BOUND_KINDS.contains(&key.kind) {
                return Err(Error::usage(format!("{flag} takes a pv or a pvc, not a {}", key.kind)));
            }
            let missing = || Error::usage(format!("{flag} {key}: there is no such object in what was read"));
            snapshot.object_id(key).ok_or_else(missing)
        };
        for key in &options.unseen {
            settings.controller.lag(cached("--unseen", key)?, Cached::Unseen);
        }
        for (key, older) in &options.stale {
            let id = cached("--stale", key)?;
            if settings.controller.cached(id).is_some() {
                return Err(Error::usage(format!(
                    "--stale {key}: the cache of the controller has only one version of an object"
                ))
                .hint("name each object once, in --unseen or in a file of --stale"));
            }
            if !snapshot.is_deleted(id) {
                settings.controller.lag(id, Cached::Stale(older.clone()));
                continue;
            }
            if let Absence::Unknown(_) = snapshot.coverage().absence_of(key.kind, &key.namespace, &key.name) {
                return Err(Error::usage(format!("--stale {key}: it is unknown whether this object was deleted"))
                    .hint("this object was not read; -n or -A reads it, or another file of -f"));
            }
            settings.controller.lag(id, Cached::Deleted(older.clone()));
        }
        let named = [
            ("--running", &options.running, OperationState::Running),
            ("--backoff", &options.backing_off, OperationState::Backoff),
        ];
        for (flag, names, state) in named {
            for name in names {
                let name = operation(snapshot, flag, name)?;
                if settings.controller.operation(&name).is_some() {
                    return Err(Error::usage(format!("{flag} {name}: this operation is named twice")));
                }
                settings.controller.operations.push((name, state));
            }
        }
        Ok(settings)
    }
}

/// Returns the full name of an operation of the controller. The uid in brackets may be missing in `given`.
fn operation(snapshot: &Snapshot, flag: &str, given: &str) -> Result<String, Error> {
    let unknown = |why: String| {
        Err(Error::usage(format!("{flag} {given}: {why}")).hint(
            "an operation is delete-VOLUME, recycle-VOLUME or provision-NAMESPACE/CLAIM; `explain -o json` shows the \
             names in decisions[].operations",
        ))
    };
    let Some((verb, rest)) = given.split_once('-') else { return unknown("this is not an operation".to_owned()) };
    let (object, uid) = rest.strip_suffix(']').and_then(|rest| rest.split_once('[')).unwrap_or((rest, ""));
    let volume = || snapshot.volume_id(object).map(|id| &snapshot.volume(id).meta);
    let claim = || {
        let (namespace, name) = object.split_once('/')?;
        snapshot.claim_id(namespace, name).map(|id| &snapshot.claim(id).meta)
    };
    let named = |meta: &ObjectMeta, name: fn(&str, &str) -> String| (meta.uid.clone(), name(object, &meta.uid));
    let found = match verb {
        "delete" => volume().map(|meta| named(meta, deletion)),
        "recycle" => volume().map(|meta| named(meta, recycling)),
        "provision" if !object.contains('/') => return unknown("the namespace of the claim is missing".to_owned()),
        "provision" => claim().map(|meta| named(meta, provisioning)),
        _ => return unknown("this is not an operation".to_owned()),
    };
    match found {
        Some((own, name)) if uid.is_empty() || uid == printed(&own) => Ok(name),
        Some((own, _)) => unknown(format!("{object} has uid {}", printed(&own))),
        None => unknown(format!("there is no {object} in what was read")),
    }
}

/// Returns the actors that a list names: `*` for all, `none`, or their names.
fn actors(list: &[String]) -> Result<Vec<Controller>, Error> {
    let known = || ACTORS.map(|actor| actor.name).join(", ");
    if let Some(word) = list
        .iter()
        .find(|word| !matches!(word.as_str(), "*" | "none") && !ACTORS.iter().any(|actor| actor.name == word.as_str()))
    {
        return Err(Error::usage(format!("--actors: there is no actor {word:?}"))
            .hint(format!("it takes {}, `*` for all of them, or `none`", known())));
    }
    if list.len() > 1 && list.iter().any(|word| word == "none") {
        return Err(Error::usage("--actors: `none` excludes all other words")
            .hint(format!("it takes {}, `*` for all of them, or `none`", known())));
    }
    let named = |actor: &Controller| list.iter().any(|word| word == "*" || word == actor.name);
    Ok(ACTORS.into_iter().filter(named).collect())
}

/// Returns the controllers that a list in the syntax of kube-controller-manager enables: `*` for all, `NAME`, `-NAME`.
/// Upstream: `IsControllerEnabled`, `k8s.io/controller-manager/app`, 0.36.
fn controllers(list: &[String]) -> Result<Vec<Controller>, Error> {
    if list.is_empty() {
        return Ok(CONTROLLERS.to_vec());
    }
    let named = |word: &str| CONTROLLERS.into_iter().find(|known| known.name == word || known.alias == word);
    for word in list.iter().map(|word| word.strip_prefix('-').unwrap_or(word)) {
        if word != "*" && named(word).is_none() {
            let known = CONTROLLERS.map(|controller| controller.name).join(", ");
            return Err(Error::usage(format!("--controllers: {word:?} is not modelled"))
                .hint(format!("it takes `*` and {known}, each also with a minus before it")));
        }
    }
    let enabled = |controller: &Controller| {
        let says = |word: &str| word == controller.name || word == controller.alias;
        // The first word about a controller decides.
        let stated = list.iter().find_map(|word| match word.strip_prefix('-') {
            Some(without) => says(without).then_some(false),
            None => says(word).then_some(true),
        });
        stated.unwrap_or_else(|| list.iter().any(|word| word == "*"))
    };
    let chosen: Vec<Controller> = CONTROLLERS.into_iter().filter(enabled).collect();
    if chosen.is_empty() {
        return Err(Error::usage("--controllers leaves no controller that is modelled"));
    }
    Ok(chosen)
}
