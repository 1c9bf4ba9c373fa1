//! Volumes of in-tree plugins as the scheduler sees them: as volumes of the CSI driver to which the plugin was
//! migrated. Upstream: `k8s.io/csi-translation-lib`, and `isCSIMigrationOnForPlugin`, 1.36.

use crate::model::{
    AnnotationKey, CsiNode, Disk, DiskKind, NodeOperator, NodeRequirement, NodeSelector, NodeSelectorTerm,
    PersistentVolume, SourceKind, Str, label,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";

/// An in-tree plugin whose volumes the scheduler translates to CSI. The plugins of Azure files and vSphere are migrated
/// as well, but the scheduler does not translate their volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::controllers) enum InTree {
    Aws,
    AzureDisk,
    Cinder,
    Gce,
    Portworx,
}

impl InTree {
    const ALL: [Self; 5] = [Self::Aws, Self::AzureDisk, Self::Cinder, Self::Gce, Self::Portworx];

    /// Returns the name of the plugin.
    pub(in crate::controllers) fn name(self) -> &'static str {
        match self {
            Self::Aws => "kubernetes.io/aws-ebs",
            Self::AzureDisk => "kubernetes.io/azure-disk",
            Self::Cinder => "kubernetes.io/cinder",
            Self::Gce => "kubernetes.io/gce-pd",
            Self::Portworx => "kubernetes.io/portworx-volume",
        }
    }

    /// Returns the CSI driver to which the plugin was migrated.
    pub(in crate::controllers) fn driver(self) -> &'static str {
        match self {
            Self::Aws => "ebs.csi.aws.com",
            Self::AzureDisk => "disk.csi.azure.com",
            Self::Cinder => "cinder.csi.openstack.org",
            Self::Gce => "pd.csi.storage.gke.io",
            Self::Portworx => "pxd.portworx.com",
        }
    }

    /// Returns the node label that replaces the zone label in the translated node affinity. Returns `None` if the node
    /// affinity is not translated.
    pub(super) fn topology_key(self) -> Option<&'static str> {
        match self {
            Self::Aws => Some("topology.ebs.csi.aws.com/zone"),
            Self::Cinder => Some("topology.cinder.csi.openstack.org/zone"),
            Self::Gce => Some("topology.gke.io/zone"),
            Self::AzureDisk | Self::Portworx => None,
        }
    }

    /// Returns the plugin of this name.
    pub(in crate::controllers) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|plugin| plugin.name() == name)
    }

    /// Returns the plugin of a volume.
    pub(in crate::controllers) fn of(volume: &PersistentVolume) -> Option<Self> {
        let SourceKind::Other(field) = &volume.source.kind else { return None };
        match field.as_str() {
            "awsElasticBlockStore" => Some(Self::Aws),
            "azureDisk" => Some(Self::AzureDisk),
            "cinder" => Some(Self::Cinder),
            "gcePersistentDisk" => Some(Self::Gce),
            "portworxVolume" => Some(Self::Portworx),
            _ => None,
        }
    }

    /// Returns the plugin of a disk that the spec of a pod names without a claim.
    pub(in crate::controllers) fn of_disk(disk: &Disk) -> Option<Self> {
        match disk.kind {
            DiskKind::AwsElasticBlockStore => Some(Self::Aws),
            DiskKind::AzureDisk => Some(Self::AzureDisk),
            DiskKind::Cinder => Some(Self::Cinder),
            DiskKind::GcePersistentDisk => Some(Self::Gce),
            DiskKind::Portworx => Some(Self::Portworx),
            DiskKind::Iscsi | DiskKind::Rbd => None,
        }
    }

    /// Returns whether the plugin is migrated to its CSI driver on this node. Upstream: `isPluginMigratedToCSIOnNode`,
    /// 1.36.
    pub(in crate::controllers) fn is_migrated_on(self, node: Option<&CsiNode>) -> bool {
        let listed = node.and_then(|node| node.meta.annotations.get(AnnotationKey::MigratedPlugins));
        listed.is_some_and(|listed| listed.split(',').any(|name| name == self.name()))
    }

    /// Returns the CSI volume handle of an in-tree volume. Upstream: `TranslateInTreePVToCSI` of the plugins, 1.36.
    ///
    /// # Errors
    /// Returns upstream's words if the volume cannot be translated.
    pub(in crate::controllers) fn handle(self, volume: &PersistentVolume) -> Result<String, String> {
        let id = volume.source.handle.as_str();
        match self {
            Self::Aws => aws_handle(id),
            Self::Gce => {
                let labels = &volume.meta.labels;
                let zones = label(labels, BETA_ZONE).filter(|zones| !zones.is_empty()).or_else(|| label(labels, ZONE));
                let zones: Vec<&str> = zones.unwrap_or_default().split("__").collect();
                match zones.as_slice() {
                    [""] => Ok(gce_handle("zones", "UNSPECIFIED", id)),
                    [zone] => Ok(gce_handle("zones", zone, id)),
                    several => match gce_region(several) {
                        Ok(region) => Ok(gce_handle("regions", &region, id)),
                        Err(error) => Err(format!("failed to get region from zones: {error}")),
                    },
                }
            }
            Self::AzureDisk => azure_handle(&volume.source.azure_kind, id),
            Self::Cinder | Self::Portworx => Ok(id.to_owned()),
        }
    }

    /// Returns the CSI volume handle of a disk that the spec of a pod names without a claim. Upstream:
    /// `TranslateInTreeInlineVolumeToCSI` of the plugins, 1.36.
    ///
    /// # Errors
    /// Returns upstream's words if the disk cannot be translated.
    pub(in crate::controllers) fn disk_handle(self, disk: &Disk) -> Result<String, String> {
        match self {
            Self::Aws => aws_handle(&disk.id),
            Self::Gce => Ok(gce_handle("zones", "UNSPECIFIED", &disk.id)),
            Self::AzureDisk => azure_handle(&disk.azure_kind, &disk.id),
            Self::Cinder | Self::Portworx => Ok(disk.id.to_string()),
        }
    }
}

/// Returns the CSI volume handle of an AWS volume. Upstream: `KubernetesVolumeIDToEBSVolumeID`, 1.36.
fn aws_handle(id: &str) -> Result<String, String> {
    let Some(address) = id.strip_prefix("aws://") else { return Ok(id.to_owned()) };
    let path = address.split_once('/').map_or("", |(_, path)| path).trim_matches('/');
    if path.starts_with("vol-") && !path.contains('/') {
        Ok(path.to_owned())
    } else {
        Err(format!("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({id})"))
    }
}

/// Returns the CSI volume handle of an Azure disk. Only managed disks have a handle; blobs have none. Upstream:
/// `azureDiskCSITranslator`, 1.36.
fn azure_handle(kind: &str, id: &str) -> Result<String, String> {
    if kind.eq_ignore_ascii_case("managed") {
        Ok(id.to_owned())
    } else {
        Err(format!("kind({kind}) is not supported in csi migration"))
    }
}

fn gce_handle(places: &str, place: &str, disk: &str) -> String {
    format!("projects/UNSPECIFIED/{places}/{place}/disks/{disk}")
}

/// Returns the region to which all zones belong. Upstream: `gceGetRegionFromZones`, 1.36.
fn gce_region(zones: &[&str]) -> Result<String, String> {
    let mut regions = BTreeSet::new();
    for zone in zones {
        match zone.split('-').collect::<Vec<_>>().as_slice() {
            [locale, region, _] => regions.insert(format!("{locale}-{region}")),
            _ => {
                return Err(format!(
                    "zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
                ));
            }
        };
    }
    match regions.first() {
        Some(region) if regions.len() == 1 => Ok(region.clone()),
        _ => {
            let all: Vec<String> = regions.iter().map(|region| format!("{region}:{{}}")).collect();
            Err(format!("multiple or no regions gotten from zones, got: map[{}]", all.join(" ")))
        }
    }
}

/// Returns the node affinity that the scheduler uses for the volume on this node. It is translated to CSI if the plugin
/// of the volume is migrated on the node. Upstream: `tryTranslatePVToCSI`, 1.36.
///
/// # Errors
/// Returns upstream's words if the volume cannot be translated.
pub(super) fn node_affinity<'v>(
    volume: &'v PersistentVolume,
    node: Option<&CsiNode>,
) -> Result<Option<Cow<'v, NodeSelector>>, String> {
    let stated = volume.node_affinity.as_deref();
    let Some(plugin) = InTree::of(volume).filter(|plugin| plugin.is_migrated_on(node)) else {
        return Ok(stated.map(Cow::Borrowed));
    };
    plugin.handle(volume).map_err(|error| format!("could not translate pv: {error}"))?;
    Ok(affinity_in_csi(volume))
}

/// Returns the node affinity of the volume, translated to CSI if the plugin of the volume translates it.
pub(in crate::controllers) fn affinity_in_csi(volume: &PersistentVolume) -> Option<Cow<'_, NodeSelector>> {
    match InTree::of(volume).and_then(InTree::topology_key) {
        Some(key) => translated(volume, key).map(Cow::Owned),
        None => volume.node_affinity.as_deref().map(Cow::Borrowed),
    }
}

/// Returns whether the volume has a node affinity on nodes that have migrated its plugin.
pub(super) fn has_affinity_in_csi(volume: &PersistentVolume) -> bool {
    InTree::of(volume).and_then(InTree::topology_key).is_some_and(|key| translated(volume, key).is_some())
}

/// Returns the node affinity of the volume, translated to CSI. `key` is the node label that replaces the zone label.
/// Upstream: `translateTopologyFromInTreeToCSI`, 1.36.
fn translated(volume: &PersistentVolume, key: &str) -> Option<NodeSelector> {
    let mut selector = volume.node_affinity.as_deref().cloned();
    let labels = &volume.meta.labels;
    let is_named = |selector: &Option<NodeSelector>, key: &str| {
        let terms = selector.iter().flat_map(|selector| &selector.terms);
        terms.flat_map(|term| &term.expressions).any(|requirement| requirement.key == key)
    };
    let has_values = |selector: &Option<NodeSelector>, key: &str| {
        let terms = selector.iter().flat_map(|selector| &selector.terms);
        let mut all = terms.flat_map(|term| &term.expressions);
        all.any(|requirement| requirement.key == key && !requirement.values.is_empty())
    };
    let is_beta = !is_named(&selector, ZONE)
        && (is_named(&selector, BETA_ZONE) || (label(labels, ZONE).is_none() && label(labels, BETA_ZONE).is_some()));
    let zone = if is_beta { BETA_ZONE } else { ZONE };
    if has_values(&selector, zone) {
        rename(&mut selector, zone, key);
    } else if let Some(zones) = label(labels, zone) {
        let zones: BTreeSet<&str> = zones.split("__").map(str::trim).filter(|zone| !zone.is_empty()).collect();
        if !zones.is_empty() {
            add(&mut selector, key, &zones.into_iter().map(Str::from).collect::<Vec<_>>());
        }
    }
    if is_beta && has_values(&selector, BETA_REGION) {
        rename(&mut selector, BETA_REGION, REGION);
    }
    selector
}

fn rename(selector: &mut Option<NodeSelector>, from: &str, to: &str) {
    let terms = selector.iter_mut().flat_map(|selector| &mut selector.terms);
    for requirement in terms.flat_map(|term| &mut term.expressions) {
        if requirement.key == from {
            requirement.key = to.into();
        }
    }
}

/// Adds a requirement to every term. If there is no term, adds a term with this requirement.
fn add(selector: &mut Option<NodeSelector>, key: &str, values: &[Str]) {
    let selector = selector.get_or_insert_default();
    if selector.terms.is_empty() {
        selector.terms = [NodeSelectorTerm::default()].into();
    }
    for term in &mut selector.terms {
        let requirement = NodeRequirement { key: key.into(), operator: NodeOperator::In, values: values.into() };
        term.expressions = term.expressions.iter().cloned().chain([requirement]).collect();
    }
}
