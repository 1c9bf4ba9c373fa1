//! This rule reports a shared volume whose Service has the expected name but was not made for this volume.

use super::{found, full_name, path_of, service_key};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::shared_volumes::SharedVolume;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Service, label};
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    id: "shared-service-foreign",
    title: "the Service of a shared volume is not the one of its storage system",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, or they get other data. The Service exists.",
        why: "The storage system looks for its Service by the name only. It takes a Service of this name for its own, and \
              it compares neither selector nor labels nor owner. With a selector, Kubernetes replaces the endpoints that \
              the storage system writes by the pods that the selector selects. A Service of another volume leads to the \
              server of that volume.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o yaml\n\
                  kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE",
        repair: "If somebody added a selector to the Service, remove the selector and keep the Service with its cluster \
                 IP. The storage system then writes the endpoints again. If the Service belongs to something else, give \
                 that a Service of another name, and delete this one when no pod uses the volume.",
        prevention: "Do not change Services that a storage system has created, and do not create Services with names of \
                     volumes.",
        hazard: "Pods can read and write the data of another volume. Deleting the Service takes away the address of the \
                 pods that have mounted the volume.",
        sources: &[
            "storageos/api-manager@v1.2.16 internal/pkg/storageos/shared_volume_type.go",
            "https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors",
        ],
    },
    detect: Detect::Volume(detect),
};

/// A field of a Service that shows that the Service was not made for the volume.
pub(super) struct Strange {
    field: &'static str,
    value: String,
    /// Continues the name of the Service.
    says: String,
}

/// Returns what shows that the Service was not made for the volume.
pub(super) fn strangeness(path: &SharedVolume<'_>, service: &Service) -> Option<Strange> {
    let pattern = &path.provider.service;
    pattern.name.as_ref()?;
    let (volume, claim, provider) = (path.volume, path.claim, &path.provider.name);
    if pattern.selector.as_ref().is_some_and(BTreeMap::is_empty)
        && let Some((key, value)) = service.selector.first()
    {
        let value = format!("{key}={value}");
        let says = format!("has the selector {value}, and {provider} creates Services without a selector");
        return Some(Strange { field: "spec.selector", value, says });
    }
    for (key, template) in pattern.labels.iter().filter(|(_, template)| !template.is_fixed()) {
        let (Some(wanted), Some(value)) = (template.fill(volume, claim), label(&service.meta.labels, key)) else {
            continue;
        };
        if wanted != value {
            let says = format!("belongs to another volume: label {key} is {value}, not {wanted}");
            return Some(Strange { field: "metadata.labels", value: format!("{key}={value}"), says });
        }
    }
    let kind = path.provider.owner.as_ref()?;
    let wanted = path.provider.owner_name.as_ref()?.fill(volume, claim)?;
    let mut owners = service.owners.iter().filter(|owner| owner.kind == *kind).peekable();
    let first = *owners.peek()?;
    if owners.any(|owner| owner.name == wanted) {
        return None;
    }
    let says = format!("belongs to another volume: its owner is {kind} {}, not {wanted}", first.name);
    Some(Strange { field: "metadata.ownerReferences", value: format!("{kind} {}", first.name), says })
}

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let service = path.service.service().filter(|service| service.meta.deleted.is_none())?;
    let Strange { field, value, says } = strangeness(&path, service)?;
    let (name, claim) = (full_name(service), path.claim?);
    let what = format!("is not served, because Service {name} {says}");
    let (short, namespace) = (quoted(&service.meta.name), quoted(&service.meta.namespace));
    let said = found(&path, &what)
        .evidence(&service_key(service), field, value)
        .evidence(&claim_key(&claim.meta.namespace, &claim.meta.name), "metadata.uid", claim.meta.uid.as_str())
        .remedy(kubectl(format!("get service {short} -n {namespace} -o yaml"), "see to whom the Service belongs"));
    Some(if field == "spec.selector" {
        said.remedy(by_hand(format!(
            "remove spec.selector from Service {name}, unless the Service is needed for something else; keep its \
             cluster IP"
        )))
    } else {
        said.remedy(by_hand(format!(
            "if something else needs Service {name}, give that a Service of another name; delete this one only when no \
             pod uses the volume"
        )))
    })
}
