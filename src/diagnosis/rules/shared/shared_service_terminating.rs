//! This rule reports a shared volume whose Service is being deleted.

use super::{found, full_name, path_of, save_service, service_key, with_address};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "shared-service-terminating",
    title: "the Service of a shared volume is being deleted",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Everything works. The Service has a `metadata.deletionTimestamp`.",
        why: "Somebody deleted the Service. It remains only until its last finalizer is removed, for example when its \
              load balancer is gone. A deletion cannot be taken back. Then its cluster IP is free, and pods that have \
              mounted the volume hang.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o \
                  jsonpath='{.metadata.deletionTimestamp} {.metadata.finalizers} {.spec.clusterIP}'",
        repair: "Save the manifest of the Service now. As soon as the Service is gone, create it again with the same \
                 `spec.clusterIP`, selector and ports. Until then, the pods that use the volume wait.",
        prevention: "Do not delete the Service of a shared volume. If it must not be a load balancer any longer, change \
                     `spec.type`.",
        hazard: "If another Service gets the cluster IP first, the volume cannot be mounted at its address any longer. \
                 Removing the finalizer does not keep the Service: it ends the deletion at once.",
        sources: &[
            "https://kubernetes.io/docs/tasks/access-application-cluster/create-external-load-balancer/",
            "rook/rook#4441",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let service = path.service.service()?;
    let deleted = service.meta.deleted?;
    let is_recorded = path.address.is_some();
    let is_used = is_recorded || path.consumers(case.snapshot()).any(|pod| !pod.terminated());
    if !is_used || path.claim.is_none_or(PersistentVolumeClaim::terminating) {
        return None;
    }
    let (name, address) = (full_name(service), path.working_address().unwrap_or_default());
    let lost = if address.is_empty() { "its Service".to_owned() } else { format!("its address {address}") };
    let held = match service.meta.finalizers.first() {
        Some(finalizer) => format!("is being deleted and waits only for finalizer {finalizer}"),
        None => "is being deleted".to_owned(),
    };
    let said = found(&path, &format!("will lose {lost}, because Service {name} {held}"));
    let said = with_address(said, &path)
        .moment(&service_key(service), "metadata.deletionTimestamp", Some(deleted))
        .evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str())
        .since(Some(deleted))
        .remedy(save_service(service, "it is needed to create the Service again"));
    Some(match address {
        "" => said,
        address => said.remedy(by_hand(format!(
            "as soon as Service {name} is gone, create it again with {address} in spec.clusterIP"
        ))),
    })
}
