//! This rule reports a shared volume whose Service has targets that its Endpoints do not have.

use super::targets::{Trouble, and, trouble};
use super::{READS, found, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "shared-mirror-duplicate",
    title: "a shared volume has more targets than its Endpoints state",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: READS,
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Some mounts of the volume work and others time out. Edits of the Endpoints do not help.",
        why: "kube-proxy uses the targets of all EndpointSlices of a Service together. One is a copy of the Endpoints. \
              Another one was written by somebody else, or remained when the selector was removed from the Service, \
              and has other targets.",
        confirm: "kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE -o yaml\n\
                  kubectl get endpoints SERVICE -n NAMESPACE -o yaml",
        repair: "Find out which address is the server. Delete the EndpointSlice that is not a copy if its targets are \
                 wrong. If its targets are right, correct the Endpoints first.",
        prevention: "Delete the generated EndpointSlice after removing the selector from a Service.",
        hazard: "If both targets are servers, pods write to two different places.",
        sources: &["kubernetes/kubernetes#118376", "kubernetes/kubernetes#111929", "kubernetes/kubernetes#103804"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let Trouble::Doubled { slice, more, mirrored } = trouble(case, &path)? else { return None };
    let service = path.service.service()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let own = &slice.meta.name;
    let what = format!(
        "can hang, because EndpointSlice {own} of Service {namespace}/{name} has targets that its Endpoints do not have. \
         Requests go to {} from the slice, and to {} from the Endpoints",
        and(&more),
        and(&mirrored)
    );
    let joined = |addresses: BTreeSet<&str>| addresses.into_iter().collect::<Vec<_>>().join(", ");
    Some(
        found(&path, &what)
            .evidence(&key(Kind::EndpointSlice, namespace, own), "endpoints[].addresses", joined(more))
            .evidence(&key(Kind::Endpoints, namespace, name), "subsets[].addresses", joined(mirrored))
            .evidence(&service_key(service), "spec.selector", "")
            .remedy(kubectl(
                format!("get endpointslice {} -n {} -o yaml", quoted(own), quoted(namespace)),
                "see who wrote this slice",
            ))
            .remedy(by_hand(format!("delete EndpointSlice {namespace}/{own} if its targets are not the server"))),
    )
}
