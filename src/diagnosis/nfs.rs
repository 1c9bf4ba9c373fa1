//! The servers of NFS volumes, and the Services behind which they run.

use super::members::selected_by;
use super::mention::part_of;
use super::pod::facts::{UsedClaim, bound, is_starting, pod_key, used_claims};
use super::shared_volumes::serves;
use super::{Case, key};
use crate::model::{Kind, ObjectKey, PersistentVolume, Pod, Service, SourceKind, Timestamp};
use crate::snapshot::Snapshot;

/// The CSI driver for NFS of the Kubernetes project.
const NFS_DRIVER: &str = "nfs.csi.k8s.io";

/// An NFS export that a pod uses.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The name of the volume in the pod.
    pub volume: &'a str,
    /// The claim, if the pod does not specify the export itself.
    pub claim: Option<UsedClaim<'a>>,
    /// The volume of the claim.
    pub persistent: Option<&'a PersistentVolume>,
    /// The server: a name or an address.
    pub server: &'a str,
    /// Whether the kubelet mounts the export. Otherwise the driver mounts it, and the driver runs in a pod.
    pub by_kubelet: bool,
}

impl<'a> Export<'a> {
    /// Returns all NFS exports that the pod uses.
    pub fn all(case: &Case<'a>, pod: &'a Pod) -> Vec<Self> {
        let inline = pod.nfs.iter().map(|nfs| Self {
            volume: &nfs.name,
            claim: None,
            persistent: None,
            server: &nfs.server,
            by_kubelet: true,
        });
        let claimed = used_claims(pod).filter_map(|used| {
            let (_, volume) = bound(case.snapshot(), &pod.meta.namespace, used.claim)?;
            let (server, by_kubelet) = server(volume)?;
            Some(Self { volume: used.volume, claim: Some(used), persistent: Some(volume), server, by_kubelet })
        });
        inline.chain(claimed).collect()
    }

    /// Returns the exports of a pod that hangs. Whether the pod hangs is checked first, because this check is cheap.
    pub fn of_hanging(case: &Case<'a>, pod: &'a Pod) -> Option<(Hanging, Vec<Self>)> {
        let hanging = Hanging::of(case, pod)?;
        Some((hanging, Self::all(case, pod)))
    }

    /// Returns the object and the field that state the server.
    pub fn field(&self, pod: &ObjectKey) -> (ObjectKey, &'static str) {
        match self.persistent {
            Some(volume) if self.by_kubelet => (key(Kind::PersistentVolume, "", &volume.meta.name), "spec.nfs.server"),
            Some(volume) => (key(Kind::PersistentVolume, "", &volume.meta.name), "spec.csi.volumeHandle"),
            None => (pod.clone(), "spec.volumes[].nfs.server"),
        }
    }

    /// Returns words that name the volume.
    pub fn words(&self, snapshot: &Snapshot, pod: &Pod) -> String {
        match self.claim {
            Some(used) => used.volume_words(snapshot, pod),
            None => part_of(&pod_key(pod), &format!("volume {}", self.volume)),
        }
    }
}

/// Returns the server of an NFS volume, and whether the kubelet mounts it. If the CSI driver created the volume, the
/// volume handle begins with the server. Upstream: `getVolumeIDFromNfsVol`, csi-driver-nfs.
fn server(volume: &PersistentVolume) -> Option<(&str, bool)> {
    match volume.source.kind {
        SourceKind::Nfs => Some((volume.source.detail.as_str(), true)),
        SourceKind::Csi if volume.source.detail == NFS_DRIVER => {
            let (server, _) = volume.source.handle.split_once('#')?;
            Some((server, false))
        }
        _ => None,
    }
}

/// Returns the exports whose server is a Service without a ready pod, each with the Service and the pods that it
/// selects. A Service without a selector is left out, because its owner defines its endpoints.
pub fn unserved<'e, 'a>(
    case: &Case<'a>,
    exports: &'e [Export<'a>],
) -> impl Iterator<Item = (&'e Export<'a>, &'a Service, Vec<&'a Pod>)> {
    exports.iter().filter_map(|export| {
        let service = case.survey().services().behind(export.server, None, case).service()?;
        let pods: Vec<&Pod> = selected_by(case.snapshot(), service).collect();
        let is_silent = !service.selector.is_empty() && !pods.iter().any(|pod| serves(pod));
        is_silent.then_some((export, service, pods))
    })
}

/// A pod that has a node and does not start, or does not end after its deletion. A volume may be the cause.
#[derive(Clone, Copy, Debug)]
pub struct Hanging {
    /// Whether the pod is being deleted, so that its volumes have to be unmounted.
    pub is_deleted: bool,
    /// The moment since which the pod hangs.
    pub since: Option<Timestamp>,
    /// Whether the pod has hung only for a short time.
    pub is_early: bool,
}

impl Hanging {
    /// Returns the state of a pod that has a node and hangs while it starts or while it is being deleted.
    pub fn of(case: &Case<'_>, pod: &Pod) -> Option<Self> {
        if let Some(deleted) = pod.meta.deleted {
            let hangs = !pod.node_name.is_empty() && case.lasts(Some(deleted)).is_some();
            return hangs.then_some(Self { is_deleted: true, since: Some(deleted), is_early: false });
        }
        if !is_starting(pod) {
            return None;
        }
        let since = pod.started.or(pod.meta.created);
        Some(Self { is_deleted: false, since, is_early: case.may_heal(since)? })
    }

    /// Returns what cannot be done with the volume.
    pub fn words(self) -> &'static str {
        if self.is_deleted { "cannot be unmounted" } else { "cannot be mounted" }
    }
}
