//! From flags to what decides besides the objects: rules, controllers, the controller's memory.

use crate::cli::{self, ModelArgs};
use crate::controllers::persistent_volume::BOUND_KINDS;
use crate::controllers::{CONTROLLERS, Controller, KubeVersion, Rules};
use crate::error::Error;
use crate::report::shared::machine::Model;
use crate::simulate::Budget;
use crate::simulate::{Limit, Settings};
use crate::snapshot::Snapshot;
use crate::world::Cached;

/// The rules, and where their version comes from.
#[derive(Clone, Debug)]
pub(super) struct Modelled {
    /// Version, gates and flags.
    pub(super) rules: Rules,
    /// `given`, `detected`, `stated` (by a snapshot) or `assumed`.
    pub(super) source: &'static str,
    /// The gates and flags that were given, by name.
    given: Vec<String>,
    /// Who takes part.
    pub(super) controllers: Vec<Controller>,
    /// Whether outcomes also quantify over failures.
    pub(super) failures: bool,
}

impl Modelled {
    /// What the flags ask for; `detected` is the minor of the server, where there is one, or of the one that a
    /// snapshot is of.
    ///
    /// # Errors
    /// A usage error that names the flag and the value.
    pub(super) fn new(args: &ModelArgs, detected: Option<u32>) -> Result<Self, Error> {
        let (version, source) = match (args.kubernetes.kube_version, detected) {
            (Some(version), _) => (version, "given"),
            (None, Some(minor)) => (KubeVersion::nearest(minor), "detected"),
            (None, None) => (KubeVersion::DEFAULT, "assumed"),
        };
        let mut rules = Rules::of(version);
        for gate in &args.kubernetes.feature_gates {
            rules
                .set_gate(&gate.name, gate.enabled)
                .map_err(|error| Error::usage(format!("--feature-gates: {error}")))?;
        }
        for flag in &args.kubernetes.controller_flags {
            rules
                .set_flag(&flag.name, &flag.value)
                .map_err(|error| Error::usage(format!("--controller-flag: {error}")))?;
        }
        let gates = args.kubernetes.feature_gates.iter().map(|gate| gate.name.clone());
        let given = gates.chain(args.kubernetes.controller_flags.iter().map(|flag| flag.name.clone())).collect();
        Ok(Self { rules, source, given, controllers: controllers(&args.controllers)?, failures: args.failures })
    }

    /// The model, as documents print it.
    pub(super) fn document(&self) -> Model {
        Model::new(&self.rules, &self.controllers, self.source).with_given(&self.given).with_failures(self.failures)
    }

    /// Everything that decides besides the objects.
    ///
    /// # Errors
    /// A usage error, when `--unseen` names an object that is not there.
    pub(super) fn settings<'s>(
        &self,
        snapshot: &'s Snapshot,
        args: &ModelArgs,
        tracing: bool,
    ) -> Result<Settings<'s>, Error> {
        let mut settings = Settings::new(self.rules.clone());
        settings.controllers.clone_from(&self.controllers);
        settings.tracing = tracing;
        settings.decisions = limit(args.decisions);
        settings.outcomes = limit(args.outcomes);
        settings.failures = self.failures;
        settings.budget = args.budget.map_or(Budget::DEFAULT, |states| Budget { states });
        for key in &args.unseen {
            if !BOUND_KINDS.contains(&key.kind) {
                return Err(Error::usage(format!("--unseen takes a pv or a pvc, not a {}", key.kind)));
            }
            let Some(id) = snapshot.object_id(key) else {
                return Err(Error::usage(format!("--unseen {key}: there is no such object in what was read")));
            };
            settings.controller.lag(id, Cached::Unseen);
        }
        Ok(settings)
    }
}

fn limit(limit: cli::Limit) -> Limit {
    match limit {
        cli::Limit::All => Limit::All,
        cli::Limit::AtMost(count) => Limit::AtMost(count),
    }
}

/// The controllers that a list in kube-controller-manager's syntax switches on: `*` for all, `NAME`, `-NAME`.
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
        let on = list.iter().any(|word| says(word));
        let off = list.iter().any(|word| word.strip_prefix('-').is_some_and(says));
        on || (!off && list.iter().any(|word| word == "*"))
    };
    let chosen: Vec<Controller> = CONTROLLERS.into_iter().filter(enabled).collect();
    if chosen.is_empty() {
        return Err(Error::usage("--controllers leaves no controller that is modelled"));
    }
    Ok(chosen)
}
