//! Runs the modelled controllers on a [`Store`], one sync of one object at a time. The writes of the sync change the
//! stored objects.

use super::Random;
use super::store::{NOW, Store, claim, text, volume};
use pvctl::controllers::persistent_volume::{DESTROYED, SCRUBBING};
use pvctl::controllers::{KubeVersion, KubernetesBehavior};
use pvctl::model::{AnnotationKey, Annotations, Kind, ObjectId, ObjectMeta, PersistentVolume, PersistentVolumeClaim};
use pvctl::repair::Seen;
use pvctl::simulate::{Settings, Stepped, stepped};
use pvctl::snapshot::decode::decode_as;
use pvctl::snapshot::{ClaimId, Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, VolumeId};
use pvctl::world::World;
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the settings of the model: the default version of Kubernetes (1.36), and all controllers.
pub(crate) fn settings() -> Settings<'static> {
    Settings::new(KubernetesBehavior::of(KubeVersion::DEFAULT))
}

/// The field manager of the controllers.
const MANAGER: &str = "kube-controller-manager";

impl Store {
    /// Returns the snapshot of a complete reading of the cluster.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut coverage = Coverage::complete();
        for kind in Kind::SURROUNDING {
            coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
        }
        let mut parts = Parts { coverage, now: pvctl::model::Timestamp::parse(NOW), ..Parts::default() };
        for (key, object) in self.objects() {
            match decoded(key.kind, object) {
                Some(Item::Object(object)) => parts.objects.push(object),
                Some(Item::Skipped(_)) | None => {}
            }
        }
        Snapshot::new(parts)
    }

    /// Runs one sync that changes something, if there is one, and returns whether there was one.
    pub(crate) fn tick(&mut self, random: &mut Random) -> bool {
        self.sync(random, false)
    }

    /// Runs one sync like `tick`. The controller may see an object as it was before its last change, and the controller
    /// may stop between two of its writes.
    pub(crate) fn tick_stale(&mut self, random: &mut Random) -> bool {
        self.sync(random, true)
    }

    /// Runs syncs until nothing changes any more, but at most 200 syncs. A world that settles needs fewer.
    pub(crate) fn settle(&mut self, random: &mut Random) -> usize {
        (0..200).take_while(|_| self.tick(random)).count()
    }

    fn sync(&mut self, random: &mut Random, stale: bool) -> bool {
        let snapshot = self.snapshot();
        let settings = settings();
        let volumes = (0u32..).zip(snapshot.volumes()).map(|(id, _)| ObjectId::from(VolumeId::new(id)));
        let claims = (0u32..).zip(snapshot.claims()).map(|(id, _)| ObjectId::from(ClaimId::new(id)));
        let mut targets: Vec<ObjectId> = volumes.chain(claims).collect();
        let (mut world, mut earlier) = (World::new(&snapshot), World::new(&snapshot));
        if stale {
            self.recall(&snapshot, &mut world, &mut earlier);
        }
        while !targets.is_empty() {
            let target = targets.swap_remove(random.below(targets.len()));
            let mut all: Vec<Stepped<'_>> = stepped(&world, stale.then_some(&earlier), &settings, target);
            all.retain(|outcome| differs(&snapshot, &outcome.world));
            if let Some(outcome) = random.pick(&all) {
                self.write_back(&snapshot, &outcome.world);
                return true;
            }
        }
        false
    }

    /// Puts into `earlier` the version before the last change of each volume and claim that has such a version. `world`
    /// keeps the present versions.
    fn recall<'s>(&self, snapshot: &'s Snapshot, world: &mut World<'s>, earlier: &mut World<'s>) {
        for (id, present) in (0u32..).map(VolumeId::new).zip(snapshot.volumes()) {
            if let Some(then) = self.earlier(&volume(&present.meta.name)) {
                world.set(id, Some(Arc::new(present.clone())));
                let then = then.as_ref().and_then(|then| Seen::decode(Kind::PersistentVolume, then).ok());
                earlier
                    .set(id, then.and_then(|seen| if let Seen::Volume(volume) = seen { Some(volume) } else { None }));
            }
        }
        for (id, present) in (0u32..).map(ClaimId::new).zip(snapshot.claims()) {
            if let Some(then) = self.earlier(&claim(&present.meta.namespace, &present.meta.name)) {
                world.set(id, Some(Arc::new(present.clone())));
                let then = then.as_ref().and_then(|then| Seen::decode(Kind::PersistentVolumeClaim, then).ok());
                earlier.set(id, then.and_then(|seen| if let Seen::Claim(claim) = seen { Some(claim) } else { None }));
            }
        }
    }

    fn write_back(&mut self, snapshot: &Snapshot, after: &World<'_>) {
        for id in after.marked(DESTROYED).chain(after.marked(SCRUBBING)) {
            if let Some(volume) = snapshot.volumes().get(id.at as usize) {
                self.destroyed.insert(volume.meta.name.to_string());
            }
        }
        for (id, after) in after.changed_of::<PersistentVolume>() {
            // A volume that the controller provisions itself needs an in-tree plugin, which no world here has.
            let Some(before) = snapshot.volumes().get(id.0 as usize) else { continue };
            let key = volume(&before.meta.name);
            match after.map(|after| &**after) {
                None => self.put(&key, None, MANAGER),
                Some(after) if after == before => {}
                Some(after) => {
                    let Some(mut object) = self.read(&key).cloned() else { continue };
                    write_meta(&mut object, &before.meta, &after.meta);
                    self.write_volume(&mut object, before, after);
                    self.put(&key, Some(object), MANAGER);
                }
            }
        }
        for (id, after) in after.changed_of::<PersistentVolumeClaim>() {
            let before = snapshot.claim(id);
            let key = claim(&before.meta.namespace, &before.meta.name);
            match after.map(|after| &**after) {
                None => self.put(&key, None, MANAGER),
                Some(after) if after == before => {}
                Some(after) => {
                    let Some(mut object) = self.read(&key).cloned() else { continue };
                    write_meta(&mut object, &before.meta, &after.meta);
                    write_claim(&mut object, before, after);
                    self.put(&key, Some(object), MANAGER);
                }
            }
        }
    }

    fn write_volume(&self, object: &mut Value, before: &PersistentVolume, after: &PersistentVolume) {
        if before.claim_ref != after.claim_ref {
            match &after.claim_ref {
                None => _ = object["spec"].as_object_mut().and_then(|spec| spec.remove("claimRef")),
                Some(named) => {
                    let mut reference = json!({});
                    let bound = self.read(&claim(&named.namespace, &named.name));
                    let version = if named.resource_version == "<next>" {
                        bound.map(|claim| text(claim, "/metadata/resourceVersion")).unwrap_or_default()
                    } else {
                        named.resource_version.to_string()
                    };
                    let fields = [
                        ("apiVersion", named.api_version.as_str()),
                        ("kind", named.kind.as_str()),
                        ("namespace", named.namespace.as_str()),
                        ("name", named.name.as_str()),
                        ("uid", named.uid.as_str()),
                        ("resourceVersion", version.as_str()),
                        ("fieldPath", named.field_path.as_str()),
                    ];
                    for (field, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
                        reference[field] = value.into();
                    }
                    object["spec"]["claimRef"] = reference;
                }
            }
        }
        if before.status.phase != after.status.phase {
            object["status"]["phase"] = after.status.phase.as_str().into();
            object["status"]["lastPhaseTransitionTime"] = NOW.into();
        }
        if before.status.message != after.status.message {
            object["status"]["message"] = after.status.message.as_str().into();
        }
    }
}

fn write_claim(object: &mut Value, before: &PersistentVolumeClaim, after: &PersistentVolumeClaim) {
    if before.volume_name != after.volume_name {
        object["spec"]["volumeName"] = after.volume_name.as_str().into();
    }
    if before.class_name != after.class_name {
        object["spec"]["storageClassName"] = json!(after.class_name.as_deref());
    }
    if before.status != after.status {
        let capacity: serde_json::Map<String, Value> = after
            .status
            .capacity
            .iter()
            .map(|(resource, amount)| (resource.to_string(), amount.quantity.to_string().into()))
            .collect();
        let modes: Vec<&str> = after.status.access_modes.0.iter().map(pvctl::model::AccessMode::as_str).collect();
        object["status"] = json!({ "phase": after.status.phase.as_str() });
        if !capacity.is_empty() {
            object["status"]["capacity"] = Value::Object(capacity);
        }
        if !modes.is_empty() {
            object["status"]["accessModes"] = json!(modes);
        }
    }
}

fn write_meta(object: &mut Value, before: &ObjectMeta, after: &ObjectMeta) {
    let values = |annotations: &Annotations, key: AnnotationKey| annotations.get(key).map(str::to_owned);
    for key in AnnotationKey::ALL {
        let (old, new) = (values(&before.annotations, key), values(&after.annotations, key));
        if old == new {
            continue;
        }
        let metadata = &mut object["metadata"];
        if !metadata["annotations"].is_object() {
            metadata["annotations"] = json!({});
        }
        match new {
            Some(value) => metadata["annotations"][key.as_str()] = value.into(),
            None => _ = metadata["annotations"].as_object_mut().and_then(|all| all.remove(key.as_str())),
        }
    }
    if before.finalizers != after.finalizers {
        let finalizers: Vec<&str> = after.finalizers.iter().map(pvctl::model::Str::as_str).collect();
        object["metadata"]["finalizers"] = json!(finalizers);
    }
    if before.deleted != after.deleted {
        object["metadata"]["deletionTimestamp"] = NOW.into();
        object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    }
}

/// Returns whether a sync has written anything that others can see.
fn differs(snapshot: &Snapshot, world: &World<'_>) -> bool {
    world.changed().iter().any(|(id, after)| snapshot.object(*id).is_some_and(|before| *after != Some(before)))
}

fn decoded(kind: Kind, object: &Value) -> Option<Item> {
    decode_as(kind, object.to_string().as_bytes(), "the API server").ok()
}
