//! This rule reports a shared volume whose Service and endpoints have different ports.

use super::targets::{Trouble, trouble};
use super::{READS, found, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::PersistentVolume;

pub(super) static RULE: Rule = Rule {
    id: "shared-target-port-mismatch",
    title: "the ports of the Service and of the endpoints of a shared volume differ",
    severity: Severity::Error,
    risk: Risk::None,
    reads: READS,
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, and the mount is refused or times out, although the \
               server runs and the Service has endpoints.",
        why: "kube-proxy combines a port of a Service with the port of the endpoints that has the same name. There is \
              none: the port was renamed or removed on one side, or `targetPort` names a container port that the pods \
              do not have. For a Service with a selector, the number can also be wrong.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o jsonpath='{.spec.ports}'\n\
                  kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE -o yaml",
        repair: "Correct the ports of the Service with `kubectl edit`. Do not delete the Service, because a new one \
                 gets another cluster IP. If a storage system writes the endpoints, correct the side that was changed \
                 by hand.",
        prevention: "Let `targetPort` be a number, or the name of a container port of the same manifest. Do not apply \
                     the manifest of a Service again to which a system adds ports.",
        hazard: "Data are not at risk. A port that leads to another server lets pods use the wrong data.",
        sources: &[
            "kubernetes-csi/csi-driver-nfs: deploy/example/nfs-provisioner/nfs-server.yaml",
            "piraeusdatastore/linstor-csi: pkg/driver/nfs_exporter.go",
            "ServicePortName, pkg/proxy, Kubernetes 1.36",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let trouble = trouble(case, &path)?;
    let service = path.service.service()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let (why, field, value, repair) = match trouble {
        Trouble::NoPort { port } => (
            format!("Service {namespace}/{name} has no port {port} for it"),
            "spec.ports",
            String::new(),
            format!(
                "add port {port} to Service {namespace}/{name}, with the name that the EndpointSlice of the volume has"
            ),
        ),
        Trouble::OtherPorts { port, others } => {
            let own = if port.name.is_empty() { port.port.to_string() } else { port.name.to_string() };
            let is_named = !port.target.is_empty() && port.target.parse::<i64>().is_err();
            let why = if is_named && !service.selector.is_empty() {
                let target = &port.target;
                format!("Service {namespace}/{name} sends port {own} to container port {target}, which its pods lack")
            } else {
                let theirs: Vec<&str> = others.into_iter().filter(|other| !other.is_empty()).collect();
                let theirs = match theirs.first() {
                    Some(first) => format!("is named {first}"),
                    None => "has no name".to_owned(),
                };
                format!("port {own} of Service {namespace}/{name} has no targets: their port {theirs}")
            };
            (
                why,
                "spec.ports[].targetPort",
                port.target.to_string(),
                format!("correct port {own} of Service {namespace}/{name}"),
            )
        }
        Trouble::OtherNumber { actual, expected } => (
            format!("Service {namespace}/{name} sends requests to port {actual}, but its targetPort is {expected}"),
            "spec.ports[].targetPort",
            expected.to_string(),
            "see whether kube-controller-manager runs, which writes the EndpointSlices".to_owned(),
        ),
        _ => return None,
    };
    let ports = "-o jsonpath='{.spec.ports}'";
    Some(
        found(&path, &format!("cannot be mounted, because {why}"))
            .evidence(&service_key(service), field, value)
            .remedy(kubectl(
                format!("get service {} -n {} {ports}", quoted(name), quoted(namespace)),
                "see the ports of the Service",
            ))
            .remedy(by_hand(repair)),
    )
}
