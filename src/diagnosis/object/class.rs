//! The words about a class without a problem, and who provisions its volumes.

use super::headline::Words;
use crate::controllers::KubernetesBehavior;
use crate::controllers::persistent_volume::claim::newest_default;
use crate::controllers::persistent_volume::plugins::{HOST_PATH, Provider, find_provisionable_plugin, migrated_driver};
use crate::model::{BindingMode, NO_PROVISIONER, ReclaimPolicy, StorageClass};
use crate::simulate::Simulation;
use crate::snapshot::Snapshot;
use crate::text::capitalized;

/// Who provisions the volumes of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provisioner {
    /// The driver of the name in the class.
    External,
    /// The driver to which an in-tree plugin is migrated.
    Migrated(&'static str),
    /// A plugin of Kubernetes.
    InTree,
    /// Nobody: the provisioner of the class is `kubernetes.io/no-provisioner`.
    Nobody,
    /// Nobody: Kubernetes has no such plugin.
    Unknown,
}

impl Provisioner {
    /// Returns who provisions the volumes of this class.
    pub fn of(behavior: &KubernetesBehavior, class: &StorageClass) -> Self {
        match (find_provisionable_plugin(behavior, class), migrated_driver(behavior, &class.provisioner)) {
            (Provider::External, Some(driver)) => Self::Migrated(driver),
            (Provider::External, None) => Self::External,
            (Provider::InTree(_), _) => Self::InTree,
            (Provider::Nobody(_), _) if class.provisioner == NO_PROVISIONER => Self::Nobody,
            (Provider::Nobody(_), _) => Self::Unknown,
        }
    }
}

/// Returns whether claims that state no class get this one.
pub fn is_default(snapshot: &Snapshot, class: &StorageClass) -> bool {
    newest_default(snapshot.classes()).is_some_and(|default| default.meta.name == class.meta.name)
}

/// Says what the class does.
pub(super) fn words(simulation: &Simulation<'_>, class: &StorageClass) -> Words {
    let (snapshot, behavior) = (simulation.snapshot(), &simulation.settings().behavior);
    let provisioner = Provisioner::of(behavior, class);
    let is_switched_off = class.provisioner == HOST_PATH && !behavior.hostpath_provisioning;
    let name = &class.provisioner;
    let provisions = match provisioner {
        Provisioner::Migrated(driver) => format!("driver {driver} provisions its volumes (for {name})"),
        Provisioner::External => format!("driver {name} provisions its volumes"),
        // Only the host-path plugin depends on a flag.
        Provisioner::InTree if is_switched_off => {
            format!("it provisions no volumes: {name} is off by default (flag --enable-hostpath-provisioner)")
        }
        Provisioner::InTree => format!("Kubernetes itself provisions its volumes ({name})"),
        Provisioner::Nobody => "it provisions no volumes, so people create them by hand".to_owned(),
        Provisioner::Unknown => format!("it provisions no volumes, because Kubernetes has no plugin {name}"),
    };
    let when = match &class.binding_mode {
        Some(BindingMode::WaitForFirstConsumer) => "claims stay Pending until a pod uses them, which is normal",
        Some(BindingMode::Immediate) => "claims are bound as soon as there is a volume for them",
        Some(BindingMode::Other(_)) => "Kubernetes does not know its binding mode",
        None => "it has no binding mode, so its claims are never bound",
    };
    let makes_none = is_switched_off || matches!(provisioner, Provisioner::Nobody | Provisioner::Unknown);
    let data = match &class.reclaim_policy {
        _ if makes_none => None,
        Some(ReclaimPolicy::Delete) | None => {
            Some("When a claim is deleted, its volume and the data are deleted, too (policy Delete).".to_owned())
        }
        Some(ReclaimPolicy::Retain) => {
            Some("When a claim is deleted, its volume and the data stay (policy Retain).".to_owned())
        }
        Some(other) => Some(format!("New volumes have the policy {}.", other.as_str())),
    };
    let marked = snapshot.classes().iter().filter(|class| class.is_default()).count();
    let default = match (is_default(snapshot, class), class.is_default()) {
        (true, _) if marked > 1 => Some(format!(
            "It is the default class: {marked} classes are marked as default, and this one is the newest, or the first \
             by name."
        )),
        (true, _) => Some("It is the default class: claims that state no class get it.".to_owned()),
        (false, true) => Some(
            "It is marked as default, but another class that is marked takes precedence: it is newer, or first by name."
                .to_owned(),
        ),
        (false, false) => None,
    };
    // If no claim can be bound with the binding mode, this is the most important fact about the class.
    let is_usable = matches!(class.binding_mode, Some(BindingMode::WaitForFirstConsumer | BindingMode::Immediate));
    let (first, second) = if is_usable { (provisions, when.to_owned()) } else { (when.to_owned(), provisions) };
    let headline = format!("Class {}: {first}.", class.meta.name);
    let second = format!("{}.", capitalized(&second));
    Words { headline, details: std::iter::once(second).chain(data).chain(default).collect() }
}
