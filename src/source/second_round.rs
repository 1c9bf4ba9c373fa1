//! Determines what is read after volumes, claims and classes: only the objects that a decision needs.
//!
//! These decisions read pods, upstream 1.36: claim protection (`podUsesPVCForDeletion`), delayed binding
//! (`findNonScheduledPodsByPVC`), recycling (`isVolumeUsed`), and the condition `Unused` (`podUsesPVCForUnusedSince`).
//! Only host-path provisioning reads nodes. The ephemeral-volume controller syncs the pods of the namespaces that are
//! shown ([`Needs::pods_of`]).

use crate::controllers::persistent_volume::plugins::recyclable;
use crate::controllers::persistent_volume::reclaim::{RECYCLER_NAMESPACE, may_be_recycled};
use crate::controllers::scheduler::handles;
use crate::diagnosis::shared_volumes::{Providers, StateResource};
use crate::model::{
    Kind, ObjectArgument, PersistentVolume, PersistentVolumeClaim, Pod, ReclaimPolicy, StorageClass, Str,
};
use crate::snapshot::{CoverageState, Parts};
use std::collections::{BTreeSet, HashMap, HashSet};

/// If pods of more namespaces than this are needed, the pods are read in one list of the whole cluster. The list of one
/// namespace is a small request, and eight of these requests run at the same time. The pods of a large cluster have
/// hundreds of pages, which are requested one after the other.
pub const MOST_NAMESPACES: usize = 256;

/// The namespace that has the events about objects without a namespace. Upstream: `makeEvent`,
/// `k8s.io/client-go/tools/record`, 1.36.
const CLUSTER_EVENTS: &str = "default";

/// What this run has to read beyond what the decisions need.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs<'a> {
    /// Whether host-path provisioning (a flag of the controller manager) is assumed to be on.
    pub host_path_provisioning: bool,
    /// Whether the gate `PersistentVolumeClaimUnusedSinceTime` is on. If it is, the pods of every claim influence
    /// decisions.
    pub unused_condition: bool,
    /// The requested object: its kind, its namespace if the kind has one, and its name. The pods that use this object
    /// or belong to it are needed.
    pub users_of: Option<(Kind, &'a str, &'a str)>,
    /// Whether all pods are needed. This is so for a requested pod without a node, because the scheduler judges a node
    /// by all pods on it. It is also so for a requested node or attachment, whose pods may be in any namespace.
    pub scheduling: bool,
    /// The requested objects, if several were requested.
    pub several: &'a [ObjectArgument],
    /// Whether nodes are needed for their names and labels, although no decision reads them.
    pub nodes: bool,
    /// Whether a repair needs the pods that may erase a volume. No decision reads these pods.
    pub recyclers: bool,
    /// Whether namespaces are needed. No object is created in a namespace that is being deleted.
    pub namespaces: bool,
    /// The kinds of [`Kind::SURROUNDING`] that are read.
    pub surroundings: &'a [Kind],
    /// The namespace of pods that are needed in addition to what decisions need. `Some(None)` means all namespaces.
    pub pods_of: Option<Option<&'a str>>,
    /// More namespaces of pods that are needed.
    pub pods_in: &'a [Str],
    /// Whether everything is read that any command with any settings could need. A snapshot needs this.
    pub everything: bool,
    /// The systems that serve shared volumes. `None` means those that are part of pvctl.
    pub providers: Option<&'a Providers>,
}

impl<'a> Needs<'a> {
    /// Returns the systems that serve shared volumes.
    pub(super) fn providers(&self) -> &'a Providers {
        self.providers.unwrap_or(Providers::built_in())
    }
}

/// The kinds that show where a Service sends its requests.
const SERVING: [Kind; 3] = [Kind::Service, Kind::Endpoints, Kind::EndpointSlice];

/// Returns whether a system is known that serves one of the volumes through a Service.
fn has_shared_volume(parts: &Parts, needs: Needs<'_>) -> bool {
    parts.objects.volumes.iter().any(|volume| needs.providers().of(volume, None).is_some())
}

/// Returns the resources of storage systems that tell something about one of the volumes.
pub(super) fn state_resources<'p>(parts: &Parts, needs: Needs<'p>) -> Vec<&'p StateResource> {
    if needs.surroundings.is_empty() && !needs.everything {
        return Vec::new();
    }
    let providers = needs.providers();
    let of_volumes = parts.objects.volumes.iter().filter_map(|volume| providers.of(volume, None));
    let mut found: Vec<&StateResource> = Vec::new();
    for resource in of_volumes.flat_map(|provider| &provider.state).filter_map(|pattern| pattern.resource.as_ref()) {
        if !found.contains(&resource) {
            found.push(resource);
        }
    }
    found
}

/// Returns the namespaces in which the systems that serve the volumes usually run their servers.
fn server_namespaces(parts: &Parts, needs: Needs<'_>) -> BTreeSet<Str> {
    let of = |volume: &PersistentVolume| {
        let namespace = needs.providers().of(volume, None)?.service.namespace.as_ref()?;
        namespace.is_fixed().then(|| namespace.fill(volume, None)).flatten()
    };
    parts.objects.volumes.iter().filter_map(of).map(Str::from).collect()
}

/// Returns the lists to read next, in order. Each has a kind, and one namespace or all of them.
pub fn second_round(parts: &Parts, needs: Needs<'_>) -> Vec<(Kind, Option<Str>)> {
    let namespaces = pod_namespaces(parts, needs);
    let everywhere = needs.pods_of == Some(None) || namespaces.len() > MOST_NAMESPACES;
    let mut lists: Vec<(Kind, Option<Str>)> = if everywhere {
        vec![(Kind::Pod, None)]
    } else {
        namespaces.into_iter().map(|namespace| (Kind::Pod, Some(namespace))).collect()
    };
    if needs.host_path_provisioning || needs.nodes || needs.everything {
        lists.push((Kind::Node, None));
    }
    let all = if needs.everything { &Kind::SURROUNDING } else { needs.surroundings };
    if needs.namespaces && !all.contains(&Kind::Namespace) {
        lists.push((Kind::Namespace, None));
    }
    let asks = |kinds: &[Kind]| {
        let named = needs.users_of.map(|(kind, _, _)| kind).into_iter().chain(needs.several.iter().map(|one| one.kind));
        needs.everything || named.into_iter().any(|kind| kinds.contains(&kind))
    };
    for kind in all {
        // Endpoints and the workloads of storage systems matter only for volumes that are served through a Service.
        let is_needed = match kind {
            Kind::Endpoints | Kind::EndpointSlice => asks(&SERVING) || has_shared_volume(parts, needs),
            Kind::Deployment => asks(&[Kind::Deployment]) || has_shared_volume(parts, needs),
            _ => true,
        };
        if !is_needed {
            continue;
        }
        match event_namespaces(parts, needs).filter(|_| *kind == Kind::Event) {
            Some(namespaces) => lists.extend(namespaces.into_iter().map(|namespace| (Kind::Event, Some(namespace)))),
            None => lists.push((*kind, None)),
        }
    }
    lists
}

/// Returns the namespaces whose events are read if one object was requested: the namespace of the object or of the
/// volume's claim, and the namespace of events about objects without a namespace. The result is `None` if the events of
/// all namespaces are read.
fn event_namespaces(parts: &Parts, needs: Needs<'_>) -> Option<BTreeSet<Str>> {
    let (kind, namespace, name) = needs.users_of.filter(|_| !needs.everything)?;
    let of_claim = match kind {
        namespaced if namespaced.namespaced() => Some(Str::from(namespace)),
        Kind::PersistentVolume => {
            let mut volumes = parts.objects.volumes.iter().filter(|volume| volume.meta.name == name);
            let named = volumes.find_map(|volume| volume.claim_ref.as_ref());
            named.map(|named| named.namespace.clone()).filter(|namespace| !namespace.is_empty())
        }
        _ => return None,
    };
    Some(of_claim.into_iter().chain([Str::from(CLUSTER_EVENTS)]).collect())
}

/// Returns whether the pods of all namespaces are needed and were not read yet. They are needed for a node, for an
/// attachment, and for a pod that waits for the scheduler.
pub(super) fn needs_all_pods(parts: &Parts, needs: Needs<'_>) -> bool {
    let waits = |namespace: &str, name: &str| {
        let is_it = |pod: &&Pod| {
            (namespace.is_empty() || pod.meta.namespace == namespace) && (name.is_empty() || pod.meta.name == name)
        };
        parts.objects.pods.iter().filter(is_it).any(handles)
    };
    let needs_all = |kind: Kind, namespace: &str, name: &str| match kind {
        Kind::Node | Kind::VolumeAttachment => true,
        Kind::Pod => waits(namespace, name),
        _ => false,
    };
    let is_asked = match (needs.several, needs.users_of) {
        ([], asked) => asked.is_some_and(|(kind, namespace, name)| needs_all(kind, namespace, name)),
        (several, asked) => {
            let namespace = asked.map_or("", |(_, namespace, _)| namespace);
            several.iter().any(|one| needs_all(one.kind, namespace, one.name.as_deref().unwrap_or_default()))
        }
    };
    is_asked && needs.scheduling && parts.coverage.state(Kind::Pod, "") == CoverageState::NotNeeded
}

/// Returns the namespaces whose pods are needed.
pub(super) fn pod_namespaces(parts: &Parts, needs: Needs<'_>) -> BTreeSet<Str> {
    let classes: HashMap<&str, &StorageClass> =
        parts.objects.classes.iter().map(|class| (class.meta.name.as_str(), class)).collect();
    let classes_known = parts.coverage.state(Kind::StorageClass, "") == CoverageState::Complete;
    let default_waits =
        parts.objects.classes.iter().any(|class| class.is_default() && class.waits_for_first_consumer());
    let may_wait = |claim: &PersistentVolumeClaim| {
        if !claim.volume_name.is_empty() {
            return false;
        }
        let of_class = match classes.get(claim.class()) {
            Some(class) => class.waits_for_first_consumer(),
            // A class that was not read may use delayed binding.
            None => !classes_known && !claim.class().is_empty(),
        };
        // The controller first gives the default class to a claim that states no class.
        of_class || (!claim.has_class() && (default_waits || !classes_known))
    };
    let mut namespaces: BTreeSet<Str> = parts
        .objects
        .claims
        .iter()
        .filter(|claim| needs.everything || needs.unused_condition || claim.terminating() || may_wait(claim))
        .map(|claim| claim.meta.namespace.clone())
        .collect();
    if needs.surroundings.contains(&Kind::Service) {
        namespaces.extend(server_namespaces(parts, needs));
    }
    let live: HashSet<(&str, &str, &str)> = parts
        .objects
        .claims
        .iter()
        .map(|claim| (claim.meta.namespace.as_str(), claim.meta.name.as_str(), claim.meta.uid.as_str()))
        .collect();
    for volume in parts.objects.volumes.iter().filter(|volume| volume.reclaim_policy == ReclaimPolicy::Recycle) {
        if let Some(claim) = &volume.claim_ref
            && !claim.uid.is_empty()
            && !live.contains(&(claim.namespace.as_str(), claim.name.as_str(), claim.uid.as_str()))
        {
            namespaces.insert(claim.namespace.clone());
            // A pod that erases the volume, or that has erased it, may exist already.
            if recyclable(volume) {
                namespaces.insert(RECYCLER_NAMESPACE.into());
            }
        }
    }
    if needs.everything {
        namespaces.extend(
            parts.objects.volumes.iter().filter_map(|volume| Some(volume.claim_ref.as_ref()?.namespace.clone())),
        );
        namespaces.remove("");
    }
    let named = match needs.users_of {
        Some((Kind::PersistentVolume, _, name)) => Some(name),
        Some(_) | None => None,
    };
    let mut asked = parts.objects.volumes.iter().filter(|volume| named.is_none_or(|name| volume.meta.name == name));
    if (needs.recyclers || needs.everything) && asked.any(may_be_recycled) {
        namespaces.insert(RECYCLER_NAMESPACE.into());
    }
    if let Some(Some(namespace)) = needs.pods_of {
        namespaces.insert(Str::from(namespace));
    }
    namespaces.extend(needs.pods_in.iter().cloned());
    match needs.users_of {
        Some((kind, namespace, _)) if kind.namespaced() => {
            namespaces.insert(Str::from(namespace));
        }
        Some((Kind::PersistentVolume, _, name)) => {
            let named = parts.objects.volumes.iter().filter(|volume| volume.meta.name == name);
            namespaces.extend(named.filter_map(|volume| Some(volume.claim_ref.as_ref()?.namespace.clone())));
            let naming = parts.objects.claims.iter().filter(|claim| claim.volume_name == name);
            namespaces.extend(naming.map(|claim| claim.meta.namespace.clone()));
            // A claimRef without a namespace names no claim, and no list can be requested for an empty namespace.
            namespaces.remove("");
        }
        Some(_) | None => {}
    }
    namespaces
}
