//! This rule reports a shared volume whose published address is not that of its Service.

use super::{found, path_of, service_key};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::shared_volumes::Address;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-mount-endpoint-stale",
    title: "the published address of a shared volume is not that of its Service",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods that start stay in ContainerCreating. Pods that have mounted the volume hang when they use it.",
        why: "The Service was deleted and created again, so that it has another cluster IP than the one that the storage system has published. The controller publishes the new address when the object of the volume changes the next time. Pods that have mounted the volume keep the old address.",
        confirm: "kubectl get volumes.api.storageos.com VOLUME -o yaml\nkubectl get service SERVICE -n NAMESPACE -o wide",
        repair: "Create another Service with the old address in `spec.clusterIP` and with the same endpoints: then the pods that hang go on. Or let the controller publish the new address, and restart the pods.",
        prevention: "Do not delete the Service of a shared volume.",
        hazard: "Restarting the pods before the new address is published does not help them.",
        sources: &[
            "storageos/api-manager@v1.2.16 internal/controllers/sharedvolume/controller.go",
            "longhorn/longhorn#9272",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let state = path.state?;
    let text = state.endpoint.as_deref()?;
    let (service, works, port) = (path.service.service()?, path.working_address()?, path.port?);
    let address = Address::parse(text)?;
    let has_ip = service.cluster_ips.iter().chain([&service.cluster_ip]).any(|own| *own == address.host);
    let has_port = address.port.is_none_or(|number| number == port.port);
    if address.ip().is_none() || has_ip && has_port {
        return None;
    }
    let what = format!(
        "cannot be mounted at {text}, which {} has, because its Service has address {works}:{}",
        state.origin, port.port
    );
    let said = found(&path, &what)
        .evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str())
        .since(service.meta.created);
    let provider = &path.provider.name;
    Some(said.remedy(by_hand(format!(
        "create another Service with {} in spec.clusterIP and with the same endpoints, or let {provider} publish the new \
         address and restart the pods",
        address.host
    ))))
}
