//! The external provisioners of all drivers as one actor of a simulation. For each claim and each volume, a driver does
//! what it is asked, or fails in a way that lasts: it cannot create a volume for the selected node, or it fails for
//! good. The decisions are those of [`Provisioner`].

use super::{
    Act, Capability, Created, Driver, DriverError, FINALIZER, GrpcCode, ProvisionedVolume, Provisioner, Secrets,
    Sidecar,
};
use crate::controllers::persistent_volume::{BOUND_KINDS, DESTROYED, sameness};
use crate::controllers::spec::{Controller, ControllerSpec, Needs, Step, note_gap};
use crate::controllers::{Branch, DecidedBy, KubernetesBehavior, Links, Settings, SyncContext};
use crate::model::{
    Amount, AnnotationKey, Annotations, ClaimRef, CsiNode, HeldObject, Id, Kind, NO_PROVISIONER, NodeOperator,
    NodeRequirement, NodeSelector, NodeSelectorTerm, Object, ObjectId, ObjectMeta, PersistentVolume,
    PersistentVolumeClaim, Quantity, ReclaimPolicy, Resource, SourceKind, StorageClass, Str, TypedId, VolumePhase,
    VolumeSource,
};
use crate::snapshot::{ApiGates, Snapshot};
use crate::world::{ControllerState, EventType, ObjectRef, View, World};
use std::sync::Arc;

/// The external provisioners of all drivers.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &BOUND_KINDS,
    memory: |stated| ControllerState { cached: stated.cached.clone(), operations: Vec::new() },
    links: join,
    same,
    is_hidden,
    looks_at: |_, object, other| object == other,
    needs,
    makes,
    decides: Some(DecidedBy::Drivers),
    may_choose: |snapshot, id| id.of().is_some_and(|claim| external_class(snapshot, snapshot.claim(claim)).is_some()),
    ..ControllerSpec::named("drivers", "external-provisioner", |sync, behavior, id| match id.typed() {
        TypedId::PersistentVolumeClaim(claim) => sync_claim(sync, behavior, claim),
        TypedId::PersistentVolume(volume) => sync_volume(sync, volume),
        _ => None,
    })
});

/// What a driver can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It does what it is asked.
    Done,
    /// It has too little storage for the selected node.
    Full,
    /// It fails, now and later.
    Failed,
}

/// Returns whether two versions are equal in all fields that influence decisions. The node affinities of volumes are
/// compared as well, because a driver can create the volume of a claim in different parts of the cluster.
fn same(a: &HeldObject<'_>, b: &HeldObject<'_>) -> bool {
    let same_place = match (a, b) {
        (HeldObject::PersistentVolume(a), HeldObject::PersistentVolume(b)) => a.node_affinity == b.node_affinity,
        _ => true,
    };
    same_place && sameness::same(a, b)
}

/// Returns whether no sync of a driver can observe the step.
fn is_hidden(step: &Step<'_, '_>) -> bool {
    match (step.before, step.after) {
        (HeldObject::PersistentVolume(before), HeldObject::PersistentVolume(after)) => {
            before.status.phase == after.status.phase
                && before.status.phase != VolumePhase::Released
                && before.terminating() == after.terminating()
                && before.meta.finalizers == after.meta.finalizers
        }
        (HeldObject::PersistentVolumeClaim(before), HeldObject::PersistentVolumeClaim(after)) => {
            before.volume_name == after.volume_name
                && before.class_name == after.class_name
                && before.status.phase == after.status.phase
                && before.meta.annotations == after.meta.annotations
        }
        _ => false,
    }
}

/// Returns the name of the volume that a provisioner creates for the claim.
fn volume_name(claim: &PersistentVolumeClaim) -> Str {
    format!("pvc-{}", claim.meta.uid).into()
}

/// Returns the class of a claim for which a provisioner may create a volume: the claim names no volume, and the class
/// names a provisioner other than `kubernetes.io/no-provisioner`. A provisioner also provisions for a claim that is
/// being deleted.
fn external_class<'s>(snapshot: &'s Snapshot, claim: &PersistentVolumeClaim) -> Option<&'s StorageClass> {
    let class = snapshot.class(claim.class())?;
    let is_external = !class.provisioner.is_empty() && class.provisioner != NO_PROVISIONER;
    (claim.volume_name.is_empty() && is_external).then_some(class)
}

/// Joins each claim that may be provisioned with an existing volume that has the name of its future volume, and with
/// all claims that name this future volume. A claim that has another claim as its source is also joined with this
/// source and its volume.
fn join(snapshot: &Snapshot, settings: &Settings<'_>, links: &mut Links<'_>) {
    if !settings.controllers.contains(&CONTROLLER) {
        return;
    }
    for (id, claim) in snapshot.with_ids::<PersistentVolumeClaim>() {
        if external_class(snapshot, claim).is_some() {
            let name = volume_name(claim);
            if let Some(volume) = snapshot.volume_id(&name) {
                links.join(id, volume);
            }
            snapshot.claims_naming(&name).iter().for_each(|other| links.join(id, *other));
            // A clone depends on the state of its source and of the volume of the source.
            if let Some(source) =
                claim.source().and_then(|source| snapshot.claim_id(&claim.meta.namespace, &source.name))
            {
                links.join(id, source);
                if let Some(volume) = snapshot.volume_id(&snapshot.claim(source).volume_name) {
                    links.join(id, volume);
                }
            }
        }
    }
}

/// Prepares the function that returns the uncertain reads of a component. These are reads of the kinds that decide
/// whether, and where, a driver can create volumes for the claims of the component.
fn needs<'a>(snapshot: &'a Snapshot, _: &Settings<'a>) -> Needs<'a> {
    let absence = |kind: Kind, namespace: &str| snapshot.coverage().absence(kind, namespace);
    Box::new(move |objects| {
        let mut found = Vec::new();
        // A provisioner does not delete a volume that is attached.
        let volumes = objects.iter().filter_map(|id| id.of()).map(|id: Id<PersistentVolume>| snapshot.volume(id));
        let is_kept = |volume: &PersistentVolume| {
            let named = volume.claim_ref.as_ref();
            let claim = named.and_then(|named| snapshot.claim_id(&named.namespace, &named.name));
            volume.status.phase == VolumePhase::Bound && claim.is_some_and(|id| !snapshot.claim(id).terminating())
        };
        let mut deletable = volumes.filter(|volume| volume.reclaim_policy == ReclaimPolicy::Delete && !is_kept(volume));
        if deletable.any(|volume| volume.claim_ref.is_some()) {
            note_gap(&mut found, Kind::VolumeAttachment, "", absence(Kind::VolumeAttachment, ""));
        }
        for claim in objects.iter().filter_map(|id| id.of()).map(|id: Id<PersistentVolumeClaim>| snapshot.claim(id)) {
            if external_class(snapshot, claim).is_none() {
                continue;
            }
            let source = claim.source().is_some_and(|source| source.kind == super::data_source::SNAPSHOT);
            let snapshots = [Kind::VolumeSnapshot, Kind::VolumeSnapshotContent, Kind::VolumeSnapshotClass];
            let of_snapshot = snapshots.into_iter().filter(|_| source);
            let of_attributes = (!claim.attributes_class().is_empty()).then_some(Kind::VolumeAttributesClass);
            for kind in [Kind::Node, Kind::CsiNode].into_iter().chain(of_snapshot).chain(of_attributes) {
                let namespace = if kind.namespaced() { claim.meta.namespace.as_str() } else { "" };
                note_gap(&mut found, kind, namespace, absence(kind, namespace));
            }
        }
        found
    })
}

/// Returns the volume that may be created for a claim. Only the name of the volume is set.
fn makes(snapshot: &Snapshot, _: &KubernetesBehavior, id: ObjectId) -> Vec<Object> {
    let claim = id.of().map(|claim: Id<PersistentVolumeClaim>| snapshot.claim(claim));
    let provisioned = claim.filter(|claim| external_class(snapshot, claim).is_some()).map(|claim| PersistentVolume {
        meta: ObjectMeta { name: volume_name(claim), ..ObjectMeta::default() },
        ..PersistentVolume::default()
    });
    provisioned.map(Resource::wrap).into_iter().collect()
}

/// Returns a provisioner of the driver. The driver has all capabilities, but it restricts volumes to parts of the
/// cluster only if some node has topology keys of the driver.
fn provisioner<'w>(world: &'w World<'w>, driver: &str) -> Provisioner<'w> {
    let view = View::World(world);
    let mut sidecar = Sidecar::new(driver);
    let has_keys = |node: &CsiNode| node.driver(driver).is_some_and(|driver| !driver.topology_keys.is_empty());
    if !view.all::<CsiNode>().any(has_keys) {
        sidecar.capabilities.remove(&Capability::AccessibilityConstraints);
    }
    Provisioner::of_view(view, sidecar, Secrets::Unknown)
}

/// Provisions a volume for a claim, or fails. The memory of a claim is a list of objects. The list contains the claim
/// itself if the driver has failed for good, and each node for which the driver has too little storage.
fn sync_claim(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    id: Id<PersistentVolumeClaim>,
) -> Option<Branch> {
    let world = sync.informed_world();
    let claim = world.get_ref(id)?;
    let annotation = |key| claim.meta.annotations.get(key);
    let named = annotation(AnnotationKey::MigratedTo)
        .or_else(|| annotation(AnnotationKey::StorageProvisioner))
        .or_else(|| annotation(AnnotationKey::BetaStorageProvisioner))?;
    let provisioner = provisioner(&world, named);
    let asked = provisioner.provision(claim, &Driver::default());
    let Some(request) = asked.request() else {
        if asked.acts.is_empty() && asked.retry.is_none() {
            return None;
        }
        carry_out(sync, id.into(), &asked.acts, Some((id, claim, behavior.api_gates())));
        if let Some(error) = asked.retry {
            sync.fail(error);
        }
        return Some(asked.leaf.into());
    };
    let memory = world.memory_of(id).cloned();
    let knows = |object: ObjectId| memory.as_ref().is_some_and(|memory| memory.contains(&object));
    if knows(id.into()) {
        return Some(asked.leaf.into());
    }
    let node = annotation(AnnotationKey::SelectedNode).and_then(|node| world.id::<crate::model::Node>("", node));
    let answer = if node.is_some_and(|node| knows(node.into())) {
        Answer::Full
    } else {
        let answers = [Answer::Done, Answer::Failed, Answer::Full];
        let can_be_full = provisioner.sidecar.can(Capability::AccessibilityConstraints) && node.is_some();
        *sync.pick_option(&answers[..if can_be_full { 3 } else { 2 }])?
    };
    let created = Created {
        handle: request.name.clone(),
        bytes: request.bytes,
        has_source: request.source.is_some(),
        topology: request.topology.iter().filter_map(|topology| topology.preferred.first().cloned()).collect(),
    };
    let error = |code, message: &str| DriverError { code, message: message.into() };
    let create = match answer {
        Answer::Done => Ok(created),
        Answer::Full => Err(error(GrpcCode::ResourceExhausted, "not enough storage")),
        Answer::Failed => Err(error(GrpcCode::Other("Internal".into()), "the driver failed")),
    };
    let decision = provisioner.provision(claim, &Driver { create: Some(create), delete: None });
    let learned = match answer {
        Answer::Done => None,
        Answer::Full => node.map(ObjectId::from),
        Answer::Failed => Some(id.into()),
    };
    carry_out(sync, id.into(), &decision.acts, Some((id, claim, behavior.api_gates())));
    if let Some(learned) = learned.filter(|learned| !knows(*learned)) {
        let mut known: Vec<ObjectId> = memory.iter().flat_map(|memory| memory.iter().copied()).collect();
        known.push(learned);
        known.sort_unstable();
        sync.remember(id, known.into());
    }
    if let Some(error) = decision.retry {
        sync.fail(error);
    }
    Some(decision.leaf.into())
}

/// Deletes the storage of a volume and the volume, or fails. The memory of a volume is a list of objects. The list
/// contains the volume itself if the driver has failed for good.
fn sync_volume(sync: &mut SyncContext<'_, '_>, id: Id<PersistentVolume>) -> Option<Branch> {
    let world = sync.informed_world();
    let volume = world.get_ref(id)?;
    let annotations = &volume.meta.annotations;
    let of_source = || (volume.source.kind == SourceKind::Csi).then_some(volume.source.detail.as_str());
    let named = annotations.get(AnnotationKey::MigratedTo).or_else(|| annotations.get(AnnotationKey::ProvisionedBy));
    let provisioner = provisioner(&world, named.or_else(of_source)?);
    let asked = provisioner.delete(volume, &Driver::default());
    let asks = asked.acts.iter().any(|act| matches!(act, Act::DeleteVolume(_)));
    if !asks {
        if asked.acts.is_empty() {
            return None;
        }
        carry_out(sync, id.into(), &asked.acts, None);
        return Some(asked.leaf.into());
    }
    if world.memory_of(id).is_some() {
        return Some(asked.leaf.into());
    }
    let answer = *sync.pick_option(&[Answer::Done, Answer::Failed])?;
    let delete = match answer {
        Answer::Done => Ok(()),
        Answer::Full | Answer::Failed => {
            Err(DriverError { code: GrpcCode::Other("Internal".into()), message: "the driver failed".into() })
        }
    };
    let decision = provisioner.delete(volume, &Driver { create: None, delete: Some(delete) });
    if answer == Answer::Done {
        sync.mark(id, DESTROYED);
    } else {
        sync.remember(id, [ObjectId::from(id)].into());
    }
    carry_out(sync, id.into(), &decision.acts, None);
    if let Some(error) = decision.retry {
        sync.fail(error);
    }
    Some(decision.leaf.into())
}

/// Makes the requests and records the events of a sync. Finalizers are written only to the volume that is synced, and
/// not to the source of a new volume.
fn carry_out(
    sync: &mut SyncContext<'_, '_>,
    synced: ObjectId,
    acts: &[Act],
    claim: Option<(Id<PersistentVolumeClaim>, &PersistentVolumeClaim, ApiGates)>,
) {
    for act in acts {
        match act {
            Act::Event { warning, reason, message } => {
                let event_type = if *warning { EventType::Warning } else { EventType::Normal };
                if let Some(object) = sync.world().object(synced) {
                    sync.event(ObjectRef::of(synced.kind, object.meta()), event_type, reason, message.clone());
                }
            }
            Act::Finalizers { object, finalizers } => {
                let world = sync.world();
                let volume = world.id::<PersistentVolume>("", &object.name).filter(|id| ObjectId::from(*id) == synced);
                let held = volume.and_then(|id| world.get(id).map(|held| (id, held)));
                if let Some((id, held)) = held {
                    let mut changed = (*held).clone();
                    changed.meta.finalizers = finalizers.iter().cloned().collect();
                    // The provisioner tries a refused write again.
                    let _ = sync.update(id, changed);
                }
            }
            Act::RemoveSelectedNode => {
                let held = claim.and_then(|(id, ..)| sync.world().get(id).map(|held| (id, held)));
                if let Some((id, held)) = held {
                    let mut changed = (*held).clone();
                    changed.meta.annotations.remove(AnnotationKey::SelectedNode);
                    let _ = sync.update(id, changed);
                }
            }
            Act::StoreVolume(volume) => {
                if let Some((id, claim, gates)) = claim {
                    // The place of the new volume follows from the place of its claim.
                    let recorded = u32::try_from(sync.world().snapshot().volumes().len()).unwrap_or(u32::MAX);
                    let wanted = Id::new(recorded.saturating_add(id.0));
                    let _ = sync.create(stored_volume(volume, claim), gates, Some(wanted));
                }
            }
            Act::DeleteObject => {
                let volume = synced.of::<PersistentVolume>();
                let held = volume.and_then(|id| sync.world().get(id).map(|held| (id, held)));
                if let Some((id, held)) = held {
                    let _ = sync.delete(id, &held);
                }
            }
            Act::CreateVolume(_) | Act::DeleteVolume(_) => {}
        }
    }
}

/// Returns the volume as the provisioner stores it, reserved for its claim. Upstream: `provisionClaimOperation`,
/// v13.1.0.
fn stored_volume(volume: &ProvisionedVolume, claim: &PersistentVolumeClaim) -> PersistentVolume {
    let known = |(name, value): (&&'static str, &Str)| Some((AnnotationKey::from_manifest(name)?, value.clone()));
    let requirement = |(key, value): (&Str, &Str)| NodeRequirement {
        key: key.clone(),
        operator: NodeOperator::In,
        values: [value.clone()].into(),
    };
    let term = |segments: &super::Segments| NodeSelectorTerm {
        expressions: segments.iter().map(requirement).collect(),
        fields: Box::default(),
    };
    let size = Quantity::parse(&volume.bytes.to_string()).ok();
    let selector = |terms: &Vec<super::Segments>| Arc::new(NodeSelector { terms: terms.iter().map(term).collect() });
    PersistentVolume {
        meta: ObjectMeta {
            name: volume.name.clone(),
            annotations: Annotations::new(volume.annotations.iter().filter_map(known).collect(), 0),
            finalizers: [Str::const_new(FINALIZER)].into(),
            ..ObjectMeta::default()
        },
        capacity: size.into_iter().map(|size| (Str::const_new("storage"), Amount::from(size))).collect(),
        access_modes: volume.access_modes.clone(),
        claim_ref: Some(ClaimRef::to(claim)),
        reclaim_policy: volume.reclaim_policy.clone().unwrap_or(ReclaimPolicy::Delete),
        class_name: volume.class_name.clone(),
        attributes_class: volume.attributes_class.clone(),
        volume_mode: volume.volume_mode.clone(),
        has_mount_options: volume.mount_options.iter().any(|option| !option.is_empty()),
        source: VolumeSource {
            kind: SourceKind::Csi,
            detail: volume.driver.clone(),
            handle: volume.handle.clone(),
            ..VolumeSource::default()
        },
        node_affinity: volume.node_affinity.as_ref().map(selector),
        ..PersistentVolume::default()
    }
}
