//! The situation of a component, without its names. Many volumes have the same situation, for example all volumes of a
//! node that is gone. Their ends are the same, apart from names.

use super::explore::{Hopeless, State, explore};
use super::{Attachers, AttachmentComponent, AttachmentEnd, AttachmentEnds, RecordEnd};
use crate::controllers::attach_detach::operations::{attachment_of, without_handle};
use crate::controllers::attach_detach::{AttachDetach, AttachableVolume, Operations, Plugin};
use crate::controllers::attacher::{Attacher, Circumstances, Sidecar, Unkept};
use crate::model::surroundings::AttachError;
use crate::model::{CsiDriver, Node, ObjectMeta, Objects, Str, Timestamp, VolumeAttachment};
use crate::snapshot::{Parts, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// What the ends of a component depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Situation {
    nodes: Vec<Node>,
    driver: Option<CsiDriver>,
    first: State,
    hopeless: Hopeless,
}

impl Situation {
    /// Returns the ends.
    pub fn ends(&self, attachers: Attachers) -> AttachmentEnds {
        let objects = Objects {
            nodes: self.nodes.clone(),
            drivers: self.driver.clone().into_iter().collect(),
            ..Objects::default()
        };
        let snapshot = Snapshot::new(Parts { objects, ..Parts::default() });
        let nothing = Hopeless::default();
        let attachers = match attachers {
            Attachers::Rest => None,
            Attachers::Free => Some(&nothing),
            Attachers::External => Some(&self.hopeless),
        };
        explore(&snapshot, self.first.clone(), attachers)
    }
}

/// The names of a component, each with a name that says nothing. The order of the nodes stays, because the controller
/// acts in this order.
#[derive(Debug, Default)]
pub(in super::super) struct Names {
    volume: Str,
    /// The unique name in the situation. If the plugin of the volume is not known, and its name does not tell it
    /// either, it is that of the volume.
    unique: Str,
    nodes: BTreeMap<Str, Str>,
    records: BTreeMap<Str, Str>,
}

/// Returns the name that stands for the name at this place.
fn numbered(place: usize) -> Str {
    format!("{place:06}").into()
}

impl Names {
    fn new(of: &AttachmentComponent, known: Option<&AttachableVolume>, records: &[&VolumeAttachment]) -> Self {
        let all: BTreeSet<&Str> = of.nodes.iter().chain(records.iter().map(|record| &record.node_name)).collect();
        let nodes: BTreeMap<Str, Str> =
            all.into_iter().enumerate().map(|(place, node)| (node.clone(), numbered(place))).collect();
        let mut names = Self { volume: of.volume.clone(), ..Self::default() };
        let nameless = known.map(AttachableVolume::without_names);
        names.unique = nameless.as_ref().map_or_else(|| without_handle(&of.volume), AttachableVolume::unique_name);
        for (node, number) in &nodes {
            let name = attachment_of(known, &of.volume, node);
            names.records.extend(name.zip(attachment_of(nameless.as_ref(), &names.unique, number)));
        }
        for (place, record) in records.iter().enumerate() {
            names.records.entry(record.meta.name.clone()).or_insert_with(|| numbered(place));
        }
        Self { nodes, ..names }
    }

    /// Returns the unique name of the volume.
    pub(in super::super) fn volume(&self) -> &str {
        &self.volume
    }

    /// Returns the unique name of the volume, without its own names.
    pub(in super::super) fn unique(&self) -> Str {
        self.unique.clone()
    }

    /// Returns the nodes with the names that stand for them.
    pub(in super::super) fn nodes(&self) -> impl Iterator<Item = (&Str, &Str)> {
        self.nodes.iter()
    }

    fn node(&self, node: &Str) -> Str {
        self.nodes.get(node).unwrap_or(node).clone()
    }

    fn of_record(&self, record: &VolumeAttachment) -> VolumeAttachment {
        let meta = ObjectMeta {
            name: self.records.get(&record.meta.name).unwrap_or(&record.meta.name).clone(),
            finalizers: record.meta.finalizers.clone(),
            deleted: record.meta.deleted.map(|_| Timestamp(0)),
            ..ObjectMeta::default()
        };
        let failed = |error: &Option<AttachError>| error.as_ref().map(|_| AttachError::default());
        VolumeAttachment {
            meta,
            attacher: record.attacher.clone(),
            node_name: self.node(&record.node_name),
            volume_name: Str::default(),
            attached: record.attached,
            attach_error: failed(&record.attach_error),
            detach_error: failed(&record.detach_error),
        }
    }

    /// Returns the work with which the external attacher fails before it asks the driver. An attacher that has to look
    /// for objects that were not read may succeed. `known` returns the volume as the controller knows it on a node: on
    /// each node it can be another PersistentVolume of the same storage.
    fn hopeless<'v>(
        &self,
        snapshot: &Snapshot,
        known: impl Fn(&Str) -> Option<&'v AttachableVolume>,
        records: &[&VolumeAttachment],
    ) -> Hopeless {
        let fails = |record: &VolumeAttachment| {
            let attacher = Attacher::new(snapshot, Sidecar::new(record.attacher.clone()), Unkept::default());
            let sync = attacher.sync_attachment(record, &Circumstances::default());
            sync.error.is_some() && sync.doubts.is_empty()
        };
        let attach = |(node, number): (&Str, &Str)| {
            let volume = known(node)?;
            let (name, attacher) = volume.attachment_on(node)?;
            let record = VolumeAttachment {
                meta: ObjectMeta { name, ..ObjectMeta::default() },
                attacher: attacher.clone(),
                node_name: node.clone(),
                volume_name: volume.name.clone(),
                ..VolumeAttachment::default()
            };
            (!volume.inline && fails(&record)).then(|| number.clone())
        };
        let detach = |record: &&VolumeAttachment| {
            let mut deleted = (*record).clone();
            deleted.meta.deleted = Some(Timestamp(0));
            fails(&deleted).then(|| self.of_record(record).meta.name)
        };
        Hopeless {
            attach: self.nodes().filter_map(attach).collect(),
            detach: records.iter().filter_map(detach).collect(),
        }
    }

    /// Returns the ends with the names of the component.
    pub(super) fn in_ends(&self, found: AttachmentEnds) -> AttachmentEnds {
        let back = |names: &BTreeMap<Str, Str>| -> BTreeMap<Str, Str> {
            names.iter().map(|(name, number)| (number.clone(), name.clone())).collect()
        };
        let (nodes, records) = (back(&self.nodes), back(&self.records));
        let name = |names: &BTreeMap<Str, Str>, number: Str| names.get(&number).cloned().unwrap_or(number);
        let end = |end: AttachmentEnd| AttachmentEnd {
            records: end
                .records
                .into_iter()
                .map(|(number, record)| {
                    (name(&records, number), RecordEnd { node: name(&nodes, record.node), ..record })
                })
                .collect(),
            listed: end.listed.into_iter().map(|number| name(&nodes, number)).collect(),
        };
        AttachmentEnds { ends: found.ends.into_iter().map(end).collect(), is_complete: found.is_complete }
    }
}

impl AttachDetach {
    /// Returns the situation of a component, and the names that it leaves out.
    pub(super) fn situation(
        &self,
        snapshot: &Snapshot,
        of: &AttachmentComponent,
        records: &[&VolumeAttachment],
    ) -> (Situation, Names) {
        let known = of.nodes.iter().find_map(|node| self.known(&of.volume, node));
        let names = Names::new(of, known, records);
        let nodes = names.nodes().filter_map(|(node, number)| {
            let node = snapshot.node(node)?;
            let has_it = node.volumes_in_use.contains(&of.volume);
            Some(Node {
                meta: ObjectMeta { name: number.clone(), ..ObjectMeta::default() },
                taints: node.taints.clone(),
                conditions: node.conditions.clone(),
                volumes_in_use: has_it.then(|| names.unique()).into_iter().collect(),
                ..Node::default()
            })
        });
        let driver = known.and_then(|volume| match &volume.plugin {
            Plugin::Csi { driver, .. } => snapshot.find::<CsiDriver>("", driver).cloned(),
            Plugin::FibreChannel { .. } | Plugin::Iscsi { .. } => None,
        });
        let controller = Self {
            desired: self.desired.only(&names),
            actual: self.actual.only(&names),
            operations: Operations::default(),
            checks: Vec::default(),
            ..*self
        };
        let first = State::new(controller, records.iter().map(|record| names.of_record(record)));
        let hopeless = names.hopeless(snapshot, |node| self.known(&of.volume, node), records);
        let situation = Situation { nodes: nodes.collect(), driver, first, hopeless };
        (situation, names)
    }
}

impl AttachableVolume {
    /// Returns the volume without its names.
    pub(in super::super) fn without_names(&self) -> Self {
        let nameless = Str::default();
        let plugin = match &self.plugin {
            // A volume whose handle has this character is never detached.
            Plugin::Csi { driver, handle } => {
                let handle = if handle.contains('^') { Str::const_new("^") } else { nameless };
                Plugin::Csi { driver: driver.clone(), handle }
            }
            Plugin::FibreChannel { .. } => Plugin::FibreChannel { name: nameless },
            Plugin::Iscsi { .. } => Plugin::Iscsi { name: nameless },
        };
        let Self { name: _, plugin: _, exclusive, inline, is_migrated } = *self;
        Self { name: Str::default(), plugin, exclusive, inline, is_migrated }
    }
}
