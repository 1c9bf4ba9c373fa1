//! Look-ups over what stands around volumes and claims.

use super::order;
use crate::model::surroundings::{
    CsiDriver, CsiNode, Event, LimitRange, Namespace, ResourceQuota, StatefulSet, StorageCapacity, Surrounding,
    VolumeAttachment,
};
use crate::model::{Kind, ObjectKey, ObjectMeta, Str};
use std::cmp::Ordering;

/// The objects of [`Kind::SURROUNDING`] in a defined order, each once.
#[derive(Debug, Default)]
pub struct Surroundings {
    namespaces: Vec<Namespace>,
    attachments: Vec<VolumeAttachment>,
    attachments_by_volume: Vec<usize>,
    drivers: Vec<CsiDriver>,
    csi_nodes: Vec<CsiNode>,
    capacities: Vec<StorageCapacity>,
    events: Vec<Event>,
    quotas: Vec<ResourceQuota>,
    limit_ranges: Vec<LimitRange>,
    stateful_sets: Vec<StatefulSet>,
}

impl Surroundings {
    pub(super) fn new(objects: Vec<Surrounding>, duplicates: &mut Vec<ObjectKey>) -> Self {
        let mut all = Self::default();
        for object in objects {
            match object {
                Surrounding::Namespace(object) => all.namespaces.push(object),
                Surrounding::Attachment(object) => all.attachments.push(object),
                Surrounding::Driver(object) => all.drivers.push(object),
                Surrounding::CsiNode(object) => all.csi_nodes.push(object),
                Surrounding::Capacity(object) => all.capacities.push(object),
                Surrounding::Event(object) => all.events.push(object),
                Surrounding::Quota(object) => all.quotas.push(object),
                Surrounding::LimitRange(object) => all.limit_ranges.push(object),
                Surrounding::StatefulSet(object) => all.stateful_sets.push(object),
            }
        }
        order(&mut all.namespaces, |object| &object.meta, Kind::Namespace, duplicates);
        order(&mut all.attachments, |object| &object.meta, Kind::VolumeAttachment, duplicates);
        order(&mut all.drivers, |object| &object.meta, Kind::CsiDriver, duplicates);
        order(&mut all.csi_nodes, |object| &object.meta, Kind::CsiNode, duplicates);
        order(&mut all.capacities, |object| &object.meta, Kind::CsiStorageCapacity, duplicates);
        order(&mut all.quotas, |object| &object.meta, Kind::ResourceQuota, duplicates);
        order(&mut all.limit_ranges, |object| &object.meta, Kind::LimitRange, duplicates);
        order(&mut all.stateful_sets, |object| &object.meta, Kind::StatefulSet, duplicates);
        order(&mut all.events, |object| &object.meta, Kind::Event, duplicates);
        all.events.sort_by(|a, b| a.about.cmp(&b.about).then(b.last_seen.cmp(&a.last_seen)));
        all.attachments_by_volume = (0..all.attachments.len()).collect();
        all.attachments_by_volume
            .sort_by(|a, b| all.attachments[*a].volume_name.cmp(&all.attachments[*b].volume_name).then(a.cmp(b)));
        all
    }

    /// All Namespaces by name.
    pub fn namespaces(&self) -> &[Namespace] {
        &self.namespaces
    }

    /// The Namespace of that name.
    pub fn namespace(&self, name: &str) -> Option<&Namespace> {
        find(&self.namespaces, |object| &object.meta, "", name)
    }

    /// All VolumeAttachments by name.
    pub fn attachments(&self) -> &[VolumeAttachment] {
        &self.attachments
    }

    /// The VolumeAttachment of that name.
    pub fn attachment(&self, name: &str) -> Option<&VolumeAttachment> {
        find(&self.attachments, |object| &object.meta, "", name)
    }

    /// The VolumeAttachments of that volume, by name.
    pub fn attachments_of<'s>(&'s self, volume: &str) -> impl Iterator<Item = &'s VolumeAttachment> + use<'s> {
        let compare = |at: &usize| self.attachments[*at].volume_name.as_str().cmp(volume);
        let start = self.attachments_by_volume.partition_point(|at| compare(at) == Ordering::Less);
        let rest = &self.attachments_by_volume[start..];
        let length = rest.partition_point(|at| compare(at) == Ordering::Equal);
        rest[..length].iter().map(|at| &self.attachments[*at])
    }

    /// All CSIDrivers by name.
    pub fn drivers(&self) -> &[CsiDriver] {
        &self.drivers
    }

    /// The CSIDriver of that name.
    pub fn driver(&self, name: &str) -> Option<&CsiDriver> {
        find(&self.drivers, |object| &object.meta, "", name)
    }

    /// All CSINodes by name.
    pub fn csi_nodes(&self) -> &[CsiNode] {
        &self.csi_nodes
    }

    /// The CSINode of that name, which is that of its node.
    pub fn csi_node(&self, name: &str) -> Option<&CsiNode> {
        find(&self.csi_nodes, |object| &object.meta, "", name)
    }

    /// All CSIStorageCapacities by namespace and name.
    pub fn capacities(&self) -> &[StorageCapacity] {
        &self.capacities
    }

    /// The Events about the object of that name and uid, the newest first. Those about an earlier one of that name tell
    /// nothing; one without a uid may be meant.
    pub fn events_about<'s>(&'s self, object: &ObjectKey, uid: &str) -> impl Iterator<Item = &'s Event> + use<'s> {
        let uid = Str::from(uid);
        let start = self.events.partition_point(|event| event.about < *object);
        let length = self.events[start..].partition_point(|event| event.about == *object);
        self.events[start..start + length].iter().filter(move |event| event.uid.is_empty() || event.uid == uid)
    }

    /// All ResourceQuotas by namespace and name.
    pub fn quotas(&self) -> &[ResourceQuota] {
        &self.quotas
    }

    /// The ResourceQuotas of a namespace.
    pub fn quotas_of<'s>(&'s self, namespace: &'s str) -> impl Iterator<Item = &'s ResourceQuota> {
        self.quotas.iter().filter(move |quota| quota.meta.namespace == namespace)
    }

    /// The LimitRanges of a namespace.
    pub fn limit_ranges_of<'s>(&'s self, namespace: &'s str) -> impl Iterator<Item = &'s LimitRange> {
        self.limit_ranges.iter().filter(move |range| range.meta.namespace == namespace)
    }

    /// All StatefulSets by namespace and name.
    pub fn stateful_sets(&self) -> &[StatefulSet] {
        &self.stateful_sets
    }

    /// The StatefulSet of that name.
    pub fn stateful_set(&self, namespace: &str, name: &str) -> Option<&StatefulSet> {
        find(&self.stateful_sets, |object| &object.meta, namespace, name)
    }

    /// Whether there is an object of that kind and name; of other kinds nobody knows that here.
    pub fn has(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let named = |meta: &ObjectMeta| meta.namespace == namespace && meta.name == name;
        match kind {
            Kind::Namespace => self.namespace(name).is_some(),
            Kind::VolumeAttachment => self.attachment(name).is_some(),
            Kind::CsiDriver => self.driver(name).is_some(),
            Kind::CsiNode => self.csi_node(name).is_some(),
            Kind::CsiStorageCapacity => self.capacities.iter().any(|object| named(&object.meta)),
            Kind::Event => self.events.iter().any(|object| named(&object.meta)),
            Kind::ResourceQuota => self.quotas.iter().any(|object| named(&object.meta)),
            Kind::LimitRange => self.limit_ranges.iter().any(|object| named(&object.meta)),
            Kind::StatefulSet => self.stateful_set(namespace, name).is_some(),
            Kind::PersistentVolume
            | Kind::PersistentVolumeClaim
            | Kind::StorageClass
            | Kind::Pod
            | Kind::Node
            | Kind::Lease => false,
        }
    }
}

fn find<'s, T>(objects: &'s [T], meta: impl Fn(&T) -> &ObjectMeta, namespace: &str, name: &str) -> Option<&'s T> {
    super::index::place(objects, meta, namespace, name).map(|at| &objects[at])
}
