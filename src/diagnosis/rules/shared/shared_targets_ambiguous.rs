//! This rule reports a shared volume whose Service sends requests to several servers, although there can be only one.

use super::targets::{Trouble, and, trouble};
use super::{READS, found, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::PersistentVolume;

pub(super) static RULE: Rule = Rule {
    id: "shared-targets-ambiguous",
    title: "the Service of a shared volume has several servers instead of one",
    severity: Severity::Error,
    risk: Risk::None,
    reads: READS,
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Some mounts of the volume work and others fail or hang. Pods see different files, or get stale file \
               handles after they connect again.",
        why: "One server has the data of the volume. The Service has several targets that are ready, so kube-proxy \
              sends some connections to a target that does not have the volume. The server was scaled up, or an \
              address of an old server was not removed.",
        confirm: "kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE -o yaml\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Scale the server back to one pod. If Endpoints are written by hand or by the storage system, remove \
                 the address that is not the server.",
        prevention: "Do not scale the server of a shared volume, and use the update strategy Recreate for it.",
        hazard: "Two servers that write to the same storage can destroy its file system.",
        sources: &[
            "kubernetes-sigs/nfs-ganesha-server-and-external-provisioner: pkg/volume/provision.go",
            "kubernetes/kubernetes#97424",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let Trouble::Several(servers) = trouble(case, &path)? else { return None };
    let service = path.service.service()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let what = format!(
        "answers only some requests, because its Service {namespace}/{name} sends them to {} servers, {}",
        servers.len(),
        and(&servers)
    );
    let all: Vec<&str> = servers.into_iter().collect();
    let label = format!("kubernetes.io/service-name={name}");
    Some(
        found(&path, &what)
            .evidence(&service_key(service), "endpoints", all.join(", "))
            .remedy(kubectl(
                format!("get endpointslices -n {} -l {} -o wide", quoted(namespace), quoted(&label)),
                "see which targets the Service has",
            ))
            .remedy(by_hand("keep the target that has the volume, and scale down or remove the others")),
    )
}
