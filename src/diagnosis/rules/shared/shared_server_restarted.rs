//! This rule reports a shared volume whose server started after pods had mounted the volume.

use super::targets::trouble;
use super::{READS, found, path_of, service_key};
use crate::diagnosis::pod::facts::pod_key;
use crate::diagnosis::remedy::{kubectl, quoted};
use crate::diagnosis::shared_volumes::serves;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{PersistentVolume, Pod, PodPhase};

pub(super) static RULE: Rule = Rule {
    id: "shared-server-restarted",
    title: "the server of a shared volume started after pods had mounted the volume",
    severity: Severity::Info,
    risk: Risk::None,
    reads: READS,
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Pods that use the volume can get `Stale file handle` or `Input/output error`, although the server runs \
               and new pods can mount the volume.",
        why: "The pod of the server was replaced after the clients had mounted the volume. The address is the same, so \
              clients connect again. A server that does not keep the state of its clients can refuse the file handles \
              that they have.",
        confirm: "kubectl get pods -A -o wide\n\
                  kubectl exec POD -n NAMESPACE -- ls PATH",
        repair: "If a pod reports stale file handles, restart it. Otherwise nothing has to be done.",
        prevention: "Use a server that keeps file handles and the state of its clients when it is restarted.",
        hazard: "Writes that the old server had confirmed but not stored can be lost.",
        sources: &[
            "kubernetes-sigs/nfs-ganesha-server-and-external-provisioner#142",
            "nfs-ganesha/nfs-ganesha#1035",
            "hpe-storage/csi-driver#450",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let service = path.service.service()?;
    if path.targets.ready.is_empty() || path.stale_address().is_some() || trouble(case, &path).is_some() {
        return None;
    }
    let servers: Vec<&Pod> = path.server_pods(case.snapshot()).into_iter().filter(|pod| serves(pod)).collect();
    let oldest = servers.into_iter().min_by_key(|pod| pod.meta.created)?;
    let created = oldest.meta.created?;
    // The containers of a pod start after its volumes are mounted.
    let runs = |pod: &&Pod| pod.phase == PodPhase::Running && pod.meta.deleted.is_none();
    let before = path.consumers(case.snapshot()).filter(runs);
    let before: Vec<&Pod> = before.filter(|pod| pod.containers_started.is_some_and(|at| at < created)).collect();
    let first = before.first()?;
    let what = format!(
        "is served by pod {}/{}, which started after pod {}/{} had mounted it. Pods can get stale file handles",
        oldest.meta.namespace, oldest.meta.name, first.meta.namespace, first.meta.name
    );
    let (name, namespace) = (quoted(&first.meta.name), quoted(&first.meta.namespace));
    Some(
        found(&path, &what)
            .since(Some(created))
            .evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str())
            .moment(&pod_key(oldest), "metadata.creationTimestamp", Some(created))
            .moment(&pod_key(first), "status.containerStatuses[].state.running.startedAt", first.containers_started)
            .remedy(kubectl(
                format!("logs {name} -n {namespace} --tail=50"),
                "see whether the pod reports stale file handles; restart it only then",
            )),
    )
}
