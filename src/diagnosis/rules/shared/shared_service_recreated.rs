//! This rule reports a shared volume whose Service is younger than pods that have mounted the volume.

use super::{found, full_name, path_of, service_key};
use crate::diagnosis::pod::facts::pod_key;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::shared_volumes::Address;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Pod, Timestamp};
use std::net::IpAddr;

pub(super) static RULE: Rule = Rule {
    id: "shared-service-recreated",
    title: "the Service of a shared volume is younger than pods that have mounted the volume",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Pods that were started before hang when they use the volume. Pods that are started now work.",
        why: "The node looks up the cluster IP of the Service once, when it mounts the volume. The Service was deleted \
              and created again since, and Kubernetes usually gives it another cluster IP. No object records the old one. \
              The rule compares the creation of the Service with the start of the containers of each pod, because some \
              systems create the Service only while the pod starts.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o \
                  jsonpath='{.metadata.creationTimestamp} {.spec.clusterIP}'\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "Restart the pods that were started before, one after the other. If many pods hang and the old address is \
                 known, create another Service with this address in `spec.clusterIP`, and with the selector and ports of \
                 the Service that exists. The pods then go on without a restart.",
        prevention: "Do not delete the Service of a shared volume. Create it again only with the same `spec.clusterIP`.",
        hazard: "A pod that hangs can lose what it has not written to the server yet. A pod may have to be deleted with \
                 force, and its node restarted, until the mount is gone.",
        sources: &["longhorn/longhorn#9022", "longhorn/longhorn#8999"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let service = path.service.service().filter(|service| service.meta.deleted.is_none())?;
    let created = service.meta.created?;
    // If the volume records the IP address, it tells by itself whether the Service still has this address.
    let is_recorded = path.address.as_ref().is_some_and(|address| address.ip().is_some());
    let address = path.working_address().filter(|address| address.parse::<IpAddr>().is_ok())?;
    // Another rule says that an object of the system has another address.
    let told = path.state.and_then(|state| state.endpoint.as_deref()).and_then(Address::parse);
    let is_told = told.is_some_and(|told| told.ip().is_some() && told.host != address);
    if is_recorded || is_told || path.provider.node_reads_endpoints || case.is_young(Some(created)) {
        return None;
    }
    let started_before = |pod: &&Pod| !pod.terminated() && first_start(pod).is_some_and(|started| started < created);
    let mut pods = path.consumers(case.snapshot()).filter(started_before).peekable();
    let first = *pods.peek()?;
    let name = full_name(service);
    let mut said = Vec::new();
    let (mut affected, namespace) = (Vec::new(), &first.meta.namespace);
    for pod in pods {
        affected.push(pod_key(pod));
        said.push(pod.meta.name.as_str());
    }
    let who = match said.as_slice() {
        [only] => format!("pod {namespace}/{only}"),
        all => format!("{} pods", all.len()),
    };
    let what = format!("may hang in {who}, which mounted it before Service {name} with address {address} was created");
    let found = found(&path, &what)
        .moment(&service_key(service), "metadata.creationTimestamp", Some(created))
        .moment(&pod_key(first), "status.containerStatuses[].state.running.startedAt", first_start(first))
        .since(Some(created))
        .remedy(by_hand(format!(
            "if they hang, restart the pods in namespace {namespace} one after the other: {}",
            said.join(", ")
        )));
    Some(affected.into_iter().fold(found, Detection::affects))
}

/// Returns the time at which the first container of the pod that still runs was started. The volumes were mounted
/// before.
fn first_start(pod: &Pod) -> Option<Timestamp> {
    pod.containers_started
}
