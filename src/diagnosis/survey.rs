//! Facts about all objects together that rules need. Each fact is computed only once.

use super::attaching::Attachments;
use super::facts::has_uid_of;
use super::placement::{Placement, SchedulerPlacement};
use super::shared_volumes::{Providers, ServiceIndex, Services, SharedVolumes, SliceIndex, Slices};
use crate::controllers::persistent_volume::reclaim::RECYCLER;
use crate::model::{
    AnnotationKey, ClaimPhase, PersistentVolume, PersistentVolumeClaim, Pod, Quantity, SourceKind, Str,
};
use crate::simulate::Simulation;
use crate::snapshot::{ClaimId, GroupKey, Snapshot, VolumeId};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

/// Volumes by class and by the other fields that matching compares. Each group is sorted by size, the smallest first.
type Grouped = BTreeMap<Str, BTreeMap<GroupKey, Vec<VolumeId>>>;

/// The maximum number of competing claims that are stored per volume. The claim for which the others are searched may
/// be one of them.
const COMPETING: usize = 4;

/// Facts about all objects together. Each fact is computed when a rule asks for it for the first time.
#[derive(Debug)]
pub struct Survey<'s> {
    snapshot: &'s Snapshot,
    /// Volumes that refer to the same storage, by driver and handle. Each list is in the order of names.
    shared: OnceLock<HashMap<(String, String), Vec<VolumeId>>>,
    /// Volumes that have a `claimRef` or are being deleted.
    taken: OnceLock<Grouped>,
    /// Volumes that the controller chose for an existing claim that requests at most half of their size.
    grabbed: OnceLock<Grouped>,
    /// For each volume without a `claimRef` that several claims name: the first of these claims, and their number.
    /// Claims that are being deleted are not counted.
    competing: OnceLock<HashMap<VolumeId, (Vec<ClaimId>, usize)>>,
    /// The claims of each namespace that are Pending and have a data source.
    copying: OnceLock<HashMap<Str, Vec<ClaimId>>>,
    /// The classes of all claims.
    asked: OnceLock<HashSet<Str>>,
    /// The indexes of the recycler pods, which erase volumes, by the name of the volume.
    recyclers: OnceLock<HashMap<Str, usize>>,
    /// The systems that serve shared volumes.
    providers: &'s Providers,
    /// The index of the Services.
    services: OnceLock<ServiceIndex>,
    /// The index of the EndpointSlices.
    slices: OnceLock<SliceIndex>,
    /// The namespaces and names of the Services behind which the servers of volumes run.
    used_services: OnceLock<HashSet<(Str, Str)>>,
    /// What the scheduler decides about pods.
    placement: Box<dyn Placement + 's>,
    /// What the attach/detach controller does with the volumes of nodes.
    attachments: Arc<Attachments<'s>>,
}

impl<'s> Survey<'s> {
    /// Creates the survey of the snapshot of a simulation. `all` says whether the rules are applied to all objects.
    pub fn of(simulation: &'s Simulation<'_>, all: bool, providers: &'s Providers) -> Self {
        Self::with(simulation, all, Arc::new(Attachments::of(simulation)), providers)
    }

    /// Does the same as [`Self::of`], with answers about attachments that others use, too.
    pub fn with(
        simulation: &'s Simulation<'_>,
        all: bool,
        attachments: Arc<Attachments<'s>>,
        providers: &'s Providers,
    ) -> Self {
        let (snapshot, behavior) = (simulation.snapshot(), &simulation.settings().behavior);
        Self {
            snapshot,
            shared: OnceLock::new(),
            taken: OnceLock::new(),
            grabbed: OnceLock::new(),
            competing: OnceLock::new(),
            copying: OnceLock::new(),
            asked: OnceLock::new(),
            recyclers: OnceLock::new(),
            providers,
            services: OnceLock::new(),
            slices: OnceLock::new(),
            used_services: OnceLock::new(),
            placement: Box::new(SchedulerPlacement::new(snapshot, behavior, all)),
            attachments,
        }
    }

    /// Returns what the attach/detach controller does with the volumes of nodes.
    pub fn attachments(&self) -> &Attachments<'s> {
        &self.attachments
    }

    /// Returns what the paths of shared volumes are found with.
    pub fn shared_volumes(&self) -> SharedVolumes<'_, 's> {
        SharedVolumes {
            snapshot: self.snapshot,
            providers: self.providers,
            services: self.services(),
            slices: self.slices(),
        }
    }

    /// Returns the Services by their addresses and names.
    pub fn services(&self) -> Services<'_, 's> {
        let index = self.services.get_or_init(|| ServiceIndex::of(self.snapshot));
        Services { snapshot: self.snapshot, index }
    }

    /// Returns the EndpointSlices by their Services.
    pub fn slices(&self) -> Slices<'_, 's> {
        let index = self.slices.get_or_init(|| SliceIndex::of(self.snapshot));
        Slices { snapshot: self.snapshot, index }
    }

    /// Returns whether a system is known that serves one of the volumes.
    pub(super) fn has_shared_volume(&self) -> bool {
        self.snapshot.volumes().iter().any(|volume| self.shared_volumes().provider(volume).is_some())
    }

    /// Returns whether the server of a volume runs behind the Service of that namespace and name.
    pub fn is_used_service(&self, namespace: &str, name: &str) -> bool {
        let used = self.used_services.get_or_init(|| self.shared_volumes().used_services());
        used.contains(&(Str::new(namespace), Str::new(name)))
    }

    /// Returns what the scheduler decides about pods.
    pub(super) fn placement(&self) -> &(dyn Placement + 's) {
        &*self.placement
    }

    /// Returns the volumes of that class that have a `claimRef` or are being deleted. They are grouped by the other
    /// fields that matching compares, and each group is sorted by size, the smallest first.
    pub fn taken(&self, class: &str) -> impl Iterator<Item = (&GroupKey, &[VolumeId])> {
        let is_taken = |volume: &PersistentVolume| volume.claim_ref.is_some() || volume.terminating();
        groups(self.taken.get_or_init(|| self.grouped(is_taken)), class)
    }

    /// Returns the volumes of that class that the controller chose for an existing claim that requests at most half of
    /// their size. The order is that of [`Survey::taken`].
    pub fn grabbed(&self, class: &str) -> impl Iterator<Item = (&GroupKey, &[VolumeId])> {
        let is_grabbed = |volume: &PersistentVolume| {
            let annotations = &volume.meta.annotations;
            let is_chosen =
                annotations.has(AnnotationKey::BoundByController) && !annotations.has(AnnotationKey::ProvisionedBy);
            let holder = || self.holder(volume).and_then(PersistentVolumeClaim::requested);
            let has = volume.storage().filter(|_| is_chosen && !volume.terminating());
            has.zip(holder()).is_some_and(|(has, needs)| needs.value() <= has.value() / 2)
        };
        groups(self.grabbed.get_or_init(|| self.grouped(is_grabbed)), class)
    }

    /// Returns the existing claim whose uid is in the `claimRef` of the volume.
    pub fn holder(&self, volume: &PersistentVolume) -> Option<&'s PersistentVolumeClaim> {
        let named = volume.claim_ref.as_ref()?;
        let claim = self.snapshot.claim(self.snapshot.claim_id(&named.namespace, &named.name)?);
        has_uid_of(volume, claim).then_some(claim)
    }

    fn grouped(&self, is_such: impl Fn(&PersistentVolume) -> bool) -> Grouped {
        let snapshot = self.snapshot;
        let mut grouped = Grouped::new();
        for (id, volume) in volumes(snapshot).filter(|(_, volume)| is_such(volume)) {
            let key = Snapshot::group_key(volume);
            grouped.entry(key.class.clone()).or_default().entry(key).or_default().push(id);
        }
        for volumes in grouped.values_mut().flat_map(BTreeMap::values_mut) {
            volumes.sort_by(|a, b| size(snapshot, *a).compare(&size(snapshot, *b)).then(a.cmp(b)));
        }
        grouped
    }

    /// Returns the volumes that refer to the same storage as this one, including itself. The list is empty if no other
    /// volume refers to this storage, or if driver and handle are not known.
    pub fn sharing(&self, volume: &PersistentVolume) -> &[VolumeId] {
        let shared = self.shared.get_or_init(|| {
            let named = volumes(self.snapshot).filter_map(|(id, volume)| Some((backing(volume)?, id)));
            let mut shared = collected(named);
            shared.retain(|_, volumes| volumes.len() > 1);
            shared
        });
        backing(volume).and_then(|backing| shared.get(&backing)).map_or(&[], Vec::as_slice)
    }

    /// Returns the other claims that name the same volume as this claim: the first three of them, and the number of
    /// all. Claims that are being deleted are left out. If the volume has a `claimRef`, the result is empty.
    pub fn rivals(&self, claim: &PersistentVolumeClaim) -> (Vec<&'s PersistentVolumeClaim>, usize) {
        let competing = self.competing.get_or_init(|| {
            let free = volumes(self.snapshot).filter(|(_, volume)| volume.claim_ref.is_none());
            let several = free.filter_map(|(id, volume)| {
                let naming = self.snapshot.claims_naming(&volume.meta.name);
                let lives = |id: &ClaimId| !self.snapshot.claim(*id).terminating();
                let live: Vec<ClaimId> = naming.iter().copied().filter(lives).collect();
                (live.len() > 1).then(|| (id, (live.iter().copied().take(COMPETING).collect(), live.len())))
            });
            several.collect()
        });
        let known = self.snapshot.volume_id(&claim.volume_name).and_then(|id| competing.get(&id));
        let Some((first, count)) = known else { return (Vec::new(), 0) };
        let first = first.iter().map(|id| self.snapshot.claim(*id)).filter(|other| other.meta.uid != claim.meta.uid);
        (first.take(COMPETING - 1).collect(), count - 1)
    }

    /// Returns the claims of that namespace that are Pending and have a data source, in the order of names.
    pub fn copying(&self, namespace: &str) -> &[ClaimId] {
        let copying = self.copying.get_or_init(|| {
            let claims = (0u32..).map(ClaimId::new).zip(self.snapshot.claims());
            let pending = claims.filter(|(_, claim)| claim.data_source && claim.status.phase == ClaimPhase::Pending);
            collected(pending.map(|(id, claim)| (claim.meta.namespace.clone(), id)))
        });
        copying.get(namespace).map_or(&[], Vec::as_slice)
    }

    /// Returns the recycler pod of the volume, if one is known. A terminated pod is returned only if all recycler pods
    /// of the volume have terminated.
    pub fn recycler(&self, volume: &PersistentVolume) -> Option<&'s Pod> {
        let pods = self.snapshot.pods();
        let recyclers = self.recyclers.get_or_init(|| {
            let mut recyclers: HashMap<Str, usize> = HashMap::new();
            for (place, pod) in pods.iter().enumerate() {
                let Some(volume) = pod.meta.name.strip_prefix(RECYCLER) else { continue };
                let known = recyclers.entry(volume.into()).or_insert(place);
                if pods[*known].terminated() {
                    *known = place;
                }
            }
            recyclers
        });
        recyclers.get(&volume.meta.name).map(|place| &pods[*place])
    }

    /// Returns whether any claim has that class.
    pub fn is_asked_for(&self, class: &str) -> bool {
        let asked = self.asked.get_or_init(|| {
            let mut classes: HashSet<Str> = HashSet::new();
            for claim in self.snapshot.claims() {
                if !classes.contains(claim.class()) {
                    classes.insert(claim.class().into());
                }
            }
            classes
        });
        asked.contains(class)
    }
}

fn groups<'g>(grouped: &'g Grouped, class: &str) -> impl Iterator<Item = (&'g GroupKey, &'g [VolumeId])> + use<'g> {
    grouped.get(class).into_iter().flatten().map(|(key, volumes)| (key, volumes.as_slice()))
}

fn volumes(snapshot: &Snapshot) -> impl Iterator<Item = (VolumeId, &PersistentVolume)> {
    (0u32..).map(VolumeId::new).zip(snapshot.volumes())
}

/// Groups values by key. The values of each key stay in their order.
fn collected<K: Eq + Hash, V>(pairs: impl Iterator<Item = (K, V)>) -> HashMap<K, Vec<V>> {
    let mut all: HashMap<K, Vec<V>> = HashMap::new();
    for (key, value) in pairs {
        all.entry(key).or_default().push(value);
    }
    all
}

fn size(snapshot: &Snapshot, id: VolumeId) -> Quantity {
    snapshot.volume(id).storage().copied().unwrap_or(Quantity::ZERO)
}

/// Returns what identifies the storage behind a volume: the driver and the handle. Returns None if the volume is not a
/// CSI volume, or does not state both.
fn backing(volume: &PersistentVolume) -> Option<(String, String)> {
    let source = &volume.source;
    let named = source.kind == SourceKind::Csi && !source.detail.is_empty() && !source.handle.is_empty();
    named.then(|| (source.detail.to_string(), source.handle.to_string()))
}
