//! This rule reports a shared volume whose Service sends requests to other targets than its server.

use super::targets::{Trouble, trouble};
use super::{READS, found, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::PersistentVolume;

pub(super) static RULE: Rule = Rule {
    id: "shared-targets-stale",
    title: "the Service of a shared volume does not lead to its server",
    severity: Severity::Error,
    risk: Risk::None,
    reads: READS,
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "The mount of the volume times out, and pods that run hang when they use the volume. The pod of the \
               server is ready.",
        why: "The endpoints of the Service are those of an earlier server. The controller that writes them does not \
              run, or has not seen that the server moved.",
        confirm: "kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE -o yaml\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Let the program run that writes the endpoints: kube-controller-manager for a Service with a selector, \
                 otherwise the controller of the storage system. It corrects them by itself.",
        prevention: "Watch that the controllers of the storage system run.",
        hazard: "Another computer can get the old address. Pods then use its data, if it serves NFS.",
        sources: &[
            "storageos/api-manager: internal/controllers/sharedvolume",
            "syncService, k8s.io/endpointslice, 1.36",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let Trouble::Stale { actual, expected } = trouble(case, &path)? else { return None };
    let service = path.service.service()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let what = format!(
        "cannot be mounted, because its Service {namespace}/{name} sends requests to {actual}, but its server is {expected}"
    );
    let label = format!("kubernetes.io/service-name={name}");
    Some(
        found(&path, &what)
            .evidence(&service_key(service), "endpoints", actual)
            .remedy(kubectl(
                format!("get endpointslices -n {} -l {} -o wide", quoted(namespace), quoted(&label)),
                "see which targets the Service has",
            ))
            .remedy(by_hand("let the controller run that writes the endpoints of the Service")),
    )
}
