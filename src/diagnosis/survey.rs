//! What rules ask of the world as a whole, found once.

use super::facts::has_uid_of;
use crate::controllers::persistent_volume::reclaim::RECYCLER;
use crate::model::{
    AnnotationKey, ClaimPhase, PersistentVolume, PersistentVolumeClaim, Pod, Quantity, SourceKind, Str,
};
use crate::snapshot::{ClaimId, GroupKey, Snapshot, VolumeId};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::OnceLock;

/// Volumes by class and what else matching compares, the smallest of each group first.
type Grouped = BTreeMap<Str, BTreeMap<GroupKey, Vec<VolumeId>>>;

/// So many of the claims that compete for a volume are named at most, and the claim itself is among them.
const COMPETING: usize = 4;

/// What is known of all objects together. What only few worlds ask for is found when it is asked for first.
#[derive(Debug)]
pub struct Survey<'s> {
    snapshot: &'s Snapshot,
    /// Volumes that stand for the same storage, under what names it, in the order of their names.
    shared: OnceLock<HashMap<(String, String), Vec<VolumeId>>>,
    /// Volumes that some claim has or had, or that are being deleted.
    taken: OnceLock<Grouped>,
    /// Volumes that the controller chose for a claim which lives and requests at most half of their size.
    grabbed: OnceLock<Grouped>,
    /// The first claims, and the number of all, that name the same free volume and are not being deleted.
    competing: OnceLock<HashMap<VolumeId, (Vec<ClaimId>, usize)>>,
    /// The claims of a namespace that are Pending and have a data source.
    copying: OnceLock<HashMap<Str, Vec<ClaimId>>>,
    /// The classes that claims have.
    asked: OnceLock<HashSet<Str>>,
    /// The places of the pods that erase volumes, by the names of these.
    recyclers: OnceLock<HashMap<Str, usize>>,
}

impl<'s> Survey<'s> {
    /// Of these objects.
    pub fn of(snapshot: &'s Snapshot) -> Self {
        Self {
            snapshot,
            shared: OnceLock::new(),
            taken: OnceLock::new(),
            grabbed: OnceLock::new(),
            competing: OnceLock::new(),
            copying: OnceLock::new(),
            asked: OnceLock::new(),
            recyclers: OnceLock::new(),
        }
    }

    /// Volumes of that class that some claim has or had, or that are being deleted: in groups that are alike in what
    /// else matching compares, the smallest of each first.
    pub fn taken(&self, class: &str) -> impl Iterator<Item = (&GroupKey, &[VolumeId])> {
        let is_taken = |volume: &PersistentVolume| volume.claim_ref.is_some() || volume.terminating();
        groups(self.taken.get_or_init(|| self.grouped(is_taken)), class)
    }

    /// Volumes of that class that the controller chose for a claim which lives and requests at most half of their size,
    /// in the same order.
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

    /// The claim that has the volume, where it lives.
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

    /// The volumes that stand for the same storage as this one, itself among them; none where it is the only one, or
    /// where nothing names its storage.
    pub fn sharing(&self, volume: &PersistentVolume) -> &[VolumeId] {
        let shared = self.shared.get_or_init(|| {
            let named = volumes(self.snapshot).filter_map(|(id, volume)| Some((backing(volume)?, id)));
            let mut shared = collected(named);
            shared.retain(|_, volumes| volumes.len() > 1);
            shared
        });
        backing(volume).and_then(|backing| shared.get(&backing)).map_or(&[], Vec::as_slice)
    }

    /// Claims other than this one that name the same free volume and are not being deleted: the first three, and how
    /// many there are.
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

    /// The claims of that namespace that are Pending and have a data source, by name.
    pub fn copying(&self, namespace: &str) -> &[ClaimId] {
        let copying = self.copying.get_or_init(|| {
            let claims = (0u32..).map(ClaimId::new).zip(self.snapshot.claims());
            let pending = claims.filter(|(_, claim)| claim.data_source && claim.status.phase == ClaimPhase::Pending);
            collected(pending.map(|(id, claim)| (claim.meta.namespace.clone(), id)))
        });
        copying.get(namespace).map_or(&[], Vec::as_slice)
    }

    /// The pod that erases the volume, where one is known; one that has ended only where no other is.
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

    /// Whether some claim has that class.
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

/// What has the same key, in the order in which it comes.
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

/// What names the storage behind a volume, whichever object stands for it: the driver and the handle.
fn backing(volume: &PersistentVolume) -> Option<(String, String)> {
    let source = &volume.source;
    let named = source.kind == SourceKind::Csi && !source.detail.is_empty() && !source.handle.is_empty();
    named.then(|| (source.detail.to_string(), source.handle.to_string()))
}
