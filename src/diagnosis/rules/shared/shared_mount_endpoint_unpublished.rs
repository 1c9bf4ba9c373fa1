//! This rule reports a shared volume whose address was not published.

use super::{found, path_of, service_key};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-mount-endpoint-unpublished",
    title: "the address of a shared volume was not published",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating. The Service exists and leads to the server.",
        why: "The storage system mounts the volume at the address that its controller publishes in the object of the volume. The controller has not done so: it does not run, or the API of the system refuses its request.",
        confirm: "kubectl get volumes.api.storageos.com VOLUME -o yaml\nkubectl get service SERVICE -n NAMESPACE -o wide",
        repair: "See that the controller runs, and read its log. It publishes the address when the object of the volume changes the next time.",
        prevention: "Watch the log of the controller for failed updates.",
        hazard: "The data are not touched. Pods wait until the address is published.",
        sources: &[
            "storageos/api-manager@v1.2.16 internal/controllers/sharedvolume/controller.go",
            "longhorn/longhorn#9272",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let state = path.state.filter(|state| state.target.is_some() && state.endpoint.is_none())?;
    let (service, port) = (path.service.service()?, path.port?);
    let address = format!("{}:{}", path.working_address()?, port.port);
    if case.is_young(service.meta.created) {
        return None;
    }
    let what = format!(
        "cannot be mounted, because {} does not have its address {address} in {}",
        state.origin, state.endpoint_field
    );
    let said = found(&path, &what).evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str());
    Some(said.remedy(by_hand(format!("see why the controller of {} does not publish {address}", path.provider.name))))
}
