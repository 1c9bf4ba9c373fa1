//! Groups of nodes that are the same for every waiting pod. The groups exist only if the node of one waiting pod does
//! not influence another waiting pod. Then the scheduler examines one node of each group for the whole group.

use super::cluster::{Cluster, NodeInfo, scheduling};
use super::migration::InTree;
use super::nodes::{node_affinity, node_resources_fit, node_unschedulable, stated_amount, taint_toleration};
use super::reads::Reads;
use super::{inter_pod_affinity, searches_node, volume_limits};
use crate::controllers::KubernetesBehavior;
use crate::model::{
    AnnotationKey, CsiNode, Id, Node, NodeSelector, PersistentVolume, PersistentVolumeClaim, Pod, PodScheduling,
    StorageCapacity, StorageClass, Str,
};
use crate::snapshot::Snapshot;
use crate::world::View;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that are alike for every pod that waits.
#[derive(Debug)]
pub(super) struct NodeGroup {
    /// The nodes, sorted by name. The first one represents them.
    pub(super) members: Vec<Id<Node>>,
    /// The pods on the representative.
    pub(super) pods: Vec<Id<Pod>>,
}

impl NodeGroup {
    /// Returns the node that represents the group.
    pub(super) fn node(&self) -> Id<Node> {
        self.members.first().copied().unwrap_or(Id::new(0))
    }
}

/// The groups of all nodes.
#[derive(Debug)]
pub(super) struct NodeGroups {
    /// The groups, sorted by their representatives.
    pub(super) groups: Vec<NodeGroup>,
}

impl NodeGroups {
    /// Returns the groups. Returns None if the node of one waiting pod may influence another waiting pod, or if there
    /// are too many sorts of waiting pods. The groups of a snapshot are computed once.
    pub(super) fn of<'s>(snapshot: &'s Snapshot, behavior: &KubernetesBehavior) -> Option<&'s Self> {
        snapshot.derived(|snapshot| Self::new(snapshot, behavior))?.as_ref()
    }

    /// Returns whether some group has several nodes.
    pub(super) fn are_several(&self) -> bool {
        self.groups.iter().any(|group| group.members.len() > 1)
    }

    /// Returns the nodes of the group that this node represents.
    pub(super) fn members_of(&self, node: Id<Node>) -> &[Id<Node>] {
        let place = self.groups.binary_search_by_key(&node, NodeGroup::node);
        place.ok().and_then(|place| self.groups.get(place)).map(|group| group.members.as_slice()).unwrap_or_default()
    }

    fn new(snapshot: &Snapshot, behavior: &KubernetesBehavior) -> Option<Self> {
        let sorts = Sorts::of(snapshot)?;
        let view = View::Snapshot(snapshot);
        let cluster = Cluster::new(view);
        // If the anti-affinity of a pod on some node matches a waiting pod, the nodes differ for this waiting pod. Then
        // there are no groups.
        let is_kept_away =
            |(pod, _): &(&Pod, i64)| inter_pod_affinity::is_kept_away(&mut Reads::new(view), &cluster, pod);
        if sorts.pods.iter().any(is_kept_away) || !pods_fit_everywhere(view, &cluster, behavior, &sorts) {
            return None;
        }
        let values = LabelValues::of(snapshot);
        let mut by_key: BTreeMap<NodeKey<'_>, Vec<Id<Node>>> = BTreeMap::new();
        for (id, info) in (0..).map(Id::new).zip(&cluster.nodes) {
            by_key.entry(NodeKey::new(snapshot, behavior, &values, &sorts, info)).or_default().push(id);
        }
        let mut groups: Vec<NodeGroup> =
            by_key.into_values().map(|members| NodeGroup { members, pods: Vec::new() }).collect();
        groups.sort_by_key(NodeGroup::node);
        let places: BTreeMap<&str, usize> = groups
            .iter()
            .enumerate()
            .map(|(place, group)| (snapshot.get(group.node()).meta.name.as_str(), place))
            .collect();
        let placed =
            snapshot.with_ids::<Pod>().filter_map(|(id, pod)| Some((id, *places.get(pod.node_name.as_str())?)));
        for (pod, place) in placed.collect::<Vec<_>>() {
            groups[place].pods.push(pod);
        }
        Some(Self { groups })
    }
}

/// Returns the pods for which the scheduler searches a node now.
pub(super) fn waiting(snapshot: &Snapshot) -> impl Iterator<Item = (Id<Pod>, &Pod)> {
    snapshot.with_ids::<Pod>().filter(|(_, pod)| searches_node(pod))
}

/// The sorts of waiting pods. Pods of one sort have the same namespace and labels, and the same fields that the
/// scheduler reads, apart from their claims.
struct Sorts<'s> {
    /// One pod of each sort, with the number of pods.
    pods: Vec<(&'s Pod, i64)>,
    /// The number of volumes of all waiting pods.
    volumes: usize,
}

/// The number of sorts after which pods are not compared any more.
const MOST_SORTS: usize = 64;

impl<'s> Sorts<'s> {
    /// Returns the sorts. Returns None if there are too many sorts, or if other pods can decide whether a node fits
    /// some pod: by host ports, spread constraints, affinities or disks.
    fn of(snapshot: &'s Snapshot) -> Option<Self> {
        let mut sorts = Self { pods: Vec::new(), volumes: 0 };
        for (_, pod) in waiting(snapshot) {
            let PodScheduling { host_ports, spread, affinity, anti_affinity, disks, .. } = scheduling(pod);
            let heeds_others = !host_ports.is_empty()
                || !spread.is_empty()
                || !affinity.is_empty()
                || !anti_affinity.is_empty()
                || !disks.is_empty();
            if heeds_others {
                return None;
            }
            sorts.volumes = sorts.volumes.saturating_add(pod.claims.len() + pod.ephemeral.len());
            let is_like = |(other, _): &&mut (&Pod, i64)| {
                other.scheduling == pod.scheduling
                    && other.meta.labels == pod.meta.labels
                    && other.meta.namespace == pod.meta.namespace
            };
            match sorts.pods.iter_mut().find(is_like) {
                Some((_, count)) => *count += 1,
                None => sorts.pods.push((pod, 1)),
            }
            if sorts.pods.len() > MOST_SORTS {
                return None;
            }
        }
        Some(sorts)
    }
}

/// Returns whether every node that takes one of the pods has room for all of them.
fn pods_fit_everywhere(
    view: View<'_>,
    cluster: &Cluster<'_>,
    behavior: &KubernetesBehavior,
    sorts: &Sorts<'_>,
) -> bool {
    let (mut pods, mut requests) = (0_i64, BTreeMap::<&str, i64>::new());
    for (pod, count) in &sorts.pods {
        pods = pods.saturating_add(*count);
        for (name, amount) in &scheduling(pod).requests {
            let sum = requests.entry(name).or_default();
            *sum = sum.saturating_add(amount.saturating_mul(*count));
        }
    }
    if sorts.volumes > 0 && behavior.scheduler.in_tree_limits {
        return false;
    }
    let takes_some =
        |info: &&NodeInfo<'_>| sorts.pods.iter().any(|(pod, _)| reasons_of(behavior, pod, info).is_empty());
    cluster.nodes.iter().filter(takes_some).all(|info| {
        let allocatable = |name: &str| stated_amount(&info.node.allocatable, name).unwrap_or_default();
        let on_node = i64::try_from(info.pods.len()).unwrap_or(i64::MAX);
        let has_room = |(name, wanted): (&&str, &i64)| {
            let used = info.requested.get(name).copied().unwrap_or_default();
            *wanted <= 0 || *wanted <= allocatable(name).saturating_sub(used)
        };
        (pods < 2 || pods.saturating_add(on_node) <= allocatable("pods") && requests.iter().all(has_room))
            && volume_limits::has_room_for(view, behavior, info, sorts.volumes)
    })
}

/// Returns the reasons for which a node takes no pod of this sort. Claims are not considered.
fn reasons_of(behavior: &KubernetesBehavior, pod: &Pod, info: &NodeInfo<'_>) -> Vec<String> {
    let status = node_unschedulable(pod, info.node)
        .or_else(|| taint_toleration(behavior, pod, info.node))
        .or_else(|| node_affinity(pod, info.node))
        .or_else(|| node_resources_fit(behavior, pod, info));
    status.into_iter().flat_map(|status| status.reasons).map(|reason| reason.text.into_owned()).collect()
}

/// The values of node labels that some volume, class, capacity or waiting pod mentions. All other values of a label are
/// treated as equal.
struct LabelValues<'s> {
    mentioned: BTreeMap<&'s str, BTreeSet<&'s str>>,
    /// The labels of which every value matters.
    whole: BTreeSet<&'s str>,
    /// The nodes that are mentioned by their names.
    nodes: BTreeSet<&'s str>,
}

impl<'s> LabelValues<'s> {
    fn of(snapshot: &'s Snapshot) -> Self {
        let mut values = Self {
            mentioned: BTreeMap::new(),
            // VolumeZone compares these labels.
            whole: [
                "topology.kubernetes.io/zone",
                "topology.kubernetes.io/region",
                "failure-domain.beta.kubernetes.io/zone",
                "failure-domain.beta.kubernetes.io/region",
            ]
            .into(),
            nodes: BTreeSet::new(),
        };
        let keys = snapshot.all::<CsiNode>().iter().flat_map(|node| &node.drivers);
        values.whole.extend(keys.flat_map(|driver| &driver.topology_keys).map(Str::as_str));
        for volume in snapshot.all::<PersistentVolume>() {
            if let Some(affinity) = volume.node_affinity.as_deref() {
                values.add(affinity);
            }
            // The zone of an in-tree volume is compared under the label of its driver.
            values.whole.extend(InTree::of(volume).and_then(InTree::topology_key));
        }
        for capacity in snapshot.all::<StorageCapacity>() {
            values.whole.extend(capacity.topology.iter().flat_map(|selector| selector.keys()));
        }
        for class in snapshot.all::<StorageClass>() {
            values.whole.extend(class.topology_keys());
        }
        for claim in snapshot.all::<PersistentVolumeClaim>() {
            values.nodes.extend(claim.meta.annotations.get(AnnotationKey::SelectedNode));
        }
        for (_, pod) in waiting(snapshot) {
            let stated = scheduling(pod);
            if let Some(affinity) = &stated.node_affinity {
                values.add(affinity);
                let fields = affinity.terms.iter().flat_map(|term| &term.fields).flat_map(|field| &field.values);
                values.nodes.extend(fields.map(Str::as_str));
            }
            for (key, value) in &stated.node_selector {
                values.mentioned.entry(key).or_default().insert(value);
            }
        }
        values
    }

    fn add(&mut self, selector: &'s NodeSelector) {
        for requirement in selector.terms.iter().flat_map(|term| &term.expressions) {
            use crate::model::NodeOperator::{Gt, Lt};
            if matches!(requirement.operator, Gt | Lt) {
                self.whole.insert(&requirement.key);
            }
            let values = self.mentioned.entry(&requirement.key).or_default();
            values.extend(requirement.values.iter().map(Str::as_str));
        }
    }
}

/// What distinguishes a node from others.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NodeKey<'s> {
    /// The name, if some object mentions the node.
    name: Option<&'s str>,
    /// For each sort of pods, why the node does not take it.
    reasons: Vec<Vec<String>>,
    /// The labels that matter, with their values. The value is `None` if no object mentions it.
    labels: Vec<(&'s str, Option<&'s str>)>,
    /// The drivers with their topology keys. The value is `None` without a CSINode.
    drivers: Option<Vec<(&'s str, Vec<&'s str>)>>,
    /// The in-tree plugins that the node has migrated.
    migrated: Option<&'s str>,
    features: Vec<&'s str>,
}

impl<'s> NodeKey<'s> {
    fn new(
        snapshot: &'s Snapshot,
        behavior: &KubernetesBehavior,
        values: &LabelValues<'s>,
        sorts: &Sorts<'_>,
        info: &NodeInfo<'s>,
    ) -> Self {
        let name = info.node.meta.name.as_str();
        let label = |(key, value): &'s (Str, Str)| {
            let (key, value) = (key.as_str(), value.as_str());
            match values.mentioned.get(key) {
                _ if values.whole.contains(key) => Some((key, Some(value))),
                Some(mentioned) if mentioned.contains(value) => Some((key, Some(value))),
                Some(_) => Some((key, None)),
                None => None,
            }
        };
        let keys = |keys: &'s [Str]| keys.iter().map(Str::as_str).collect();
        let node = snapshot.find::<CsiNode>("", name);
        let drivers =
            node.map(|node| node.drivers.iter().map(|one| (one.name.as_str(), keys(&one.topology_keys))).collect());
        Self {
            name: values.nodes.contains(name).then_some(name),
            reasons: sorts.pods.iter().map(|(pod, _)| reasons_of(behavior, pod, info)).collect(),
            labels: info.node.meta.labels.iter().filter_map(label).collect(),
            drivers,
            migrated: node.and_then(|node| node.meta.annotations.get(AnnotationKey::MigratedPlugins)),
            features: info.node.declared_features.iter().map(Str::as_str).collect(),
        }
    }
}
