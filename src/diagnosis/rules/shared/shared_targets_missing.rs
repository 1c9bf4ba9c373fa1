//! This rule reports a shared volume whose endpoints nobody has written.

use super::targets::{Trouble, trouble};
use super::{READS, found, path_of};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::shared_volumes::ServiceBehind;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-targets-missing",
    title: "nobody has written the endpoints of a shared volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: READS,
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating. The mount times out or is refused, or the kubelet says \
               that the Endpoints do not exist.",
        why: "The storage system writes the endpoints of this volume itself, because its Service has no selector or \
              serves several volumes. It did not write them, or somebody deleted them. Kubernetes does not create them \
              again.",
        confirm: "kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE -o yaml\n\
                  kubectl get endpoints SERVICE -n NAMESPACE",
        repair: "See why the storage system does not serve the volume: its log says it. If the system never writes the \
                 endpoints again, write them as it does, with the addresses of its servers.",
        prevention: "Do not delete Endpoints and EndpointSlices in the namespaces of shared volumes, and keep a copy \
                     of those that nothing writes again.",
        hazard: "Endpoints with a wrong address let pods read and write the data of another server.",
        sources: &["kubernetes/kubernetes#71871", "openshift/origin#6070", "piraeusdatastore/piraeus-operator#1049"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let provider = &path.provider.name;
    let (namespace, name, why) = match &path.service {
        ServiceBehind::Service(service) => {
            let Trouble::Unwritten = trouble(case, &path)? else { return None };
            let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
            let why = match path.port {
                _ if path.provider.node_reads_endpoints => format!("Endpoints {namespace}/{name} do not exist"),
                Some(port) if path.provider.port_name.is_some() => {
                    format!("no EndpointSlice of Service {namespace}/{name} has its port {}", port.port)
                }
                _ => format!("Service {namespace}/{name} has neither a selector nor endpoints"),
            };
            (namespace, name, why)
        }
        // The node reads the Endpoints, and the Service only prevents that Kubernetes deletes them.
        ServiceBehind::NoService { namespace, name } if path.provider.node_reads_endpoints => {
            if !case.lacks(Kind::Endpoints, namespace, name) {
                return None;
            }
            (namespace.as_str(), name.as_str(), format!("Endpoints {namespace}/{name} do not exist"))
        }
        _ => return None,
    };
    let kind = if path.provider.node_reads_endpoints { Kind::Endpoints } else { Kind::EndpointSlice };
    Some(
        found(&path, &format!("cannot be mounted, because {why}"))
            .evidence(&key(kind, namespace, name), "metadata.name", "")
            .remedy(by_hand(format!("see in the log of {provider} why it does not serve the volume"))),
    )
}
