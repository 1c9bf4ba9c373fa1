//! This rule reports a shared volume whose Endpoints were not copied to an EndpointSlice.

use super::targets::{Trouble, trouble};
use super::{READS, found, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-mirror-missing",
    title: "the Endpoints of a shared volume were not copied to an EndpointSlice",
    severity: Severity::Error,
    risk: Risk::None,
    reads: READS,
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "The mount of the volume times out. The Service exists, and its Endpoints have the address of the \
               server.",
        why: "kube-proxy reads only EndpointSlices. For a Service without a selector, kube-controller-manager copies \
              the Endpoints to an EndpointSlice, unless the label `endpointslice.kubernetes.io/skip-mirror` forbids \
              that or the controller `endpointslicemirroring` is switched off.",
        confirm: "kubectl get endpoints SERVICE -n NAMESPACE -o yaml\n\
                  kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE",
        repair: "Remove the label `endpointslice.kubernetes.io/skip-mirror` from the Endpoints. If the controller is \
                 switched off, switch it on, because this storage system cannot work without it.",
        prevention: "Do not put labels on Endpoints that a storage system writes.",
        hazard: "Do not write an EndpointSlice by hand next to the Endpoints: once the copy works again, kube-proxy \
                 uses both, and the old one misleads it after the next move of the server.",
        sources: &[
            "https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#endpointslice-mirroring",
            "kubernetes/kubernetes#93157",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let Trouble::Unmirrored { written, is_asked } = trouble(case, &path)? else { return None };
    let service = path.service.service()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let why = if is_asked {
        format!("the Endpoints of Service {namespace}/{name} have label skip-mirror, so no EndpointSlice exists")
    } else {
        format!("the Endpoints of Service {namespace}/{name} were not copied to an EndpointSlice")
    };
    let addresses: Vec<&str> =
        written.subsets.iter().flat_map(|subset| &subset.ready).map(|address| address.ip.as_str()).collect();
    let said = found(&path, &format!("cannot be mounted, because {why}"))
        .evidence(&key(Kind::Endpoints, namespace, name), "subsets[].addresses", addresses.join(", "))
        .evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str());
    Some(if is_asked {
        said.remedy(kubectl(
            format!("get endpoints {} -n {} -o yaml", quoted(name), quoted(namespace)),
            "see the label of the Endpoints",
        ))
        .remedy(by_hand("remove the label endpointslice.kubernetes.io/skip-mirror from the Endpoints"))
    } else {
        said.remedy(by_hand("switch on the controller endpointslicemirroring of kube-controller-manager"))
    })
}
