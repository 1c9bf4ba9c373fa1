//! This rule reports an EndpointSlice of a shared volume that does not exist any longer.

use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::shared_volumes::Provider;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{EndpointSlice, Kind, label};

pub(super) static RULE: Rule = Rule {
    id: "shared-orphan-targets",
    title: "the EndpointSlice of a shared volume remains although volume and Service are gone",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "`kubectl get endpointslices -A` shows an EndpointSlice whose Service does not exist. A label of the \
               EndpointSlice has the name of a volume that does not exist.",
        why: "The storage system wrote the EndpointSlice for a volume, and gave it no owner. The volume was deleted, and \
              the storage system did not delete the EndpointSlice. Kubernetes deletes only EndpointSlices that it wrote \
              itself, or that have an owner.",
        confirm: "kubectl get endpointslice NAME -n NAMESPACE -o yaml\n\
                  kubectl get service SERVICE -n NAMESPACE\n\
                  kubectl get pv VOLUME",
        repair: "Delete the EndpointSlice. Nothing uses it, because there is no Service of its name.",
        prevention: "Delete claims while the storage system runs.",
        hazard: "If a Service of the same name is created later, kube-proxy sends its requests to the old address.",
        sources: &["dell/csm-sharednfs: nfs/controller.go"],
    },
    detect: Detect::EndpointSlice(detect),
};

fn detect(case: &Case<'_>, slice: &EndpointSlice) -> Option<Detection> {
    let meta = &slice.meta;
    // EndpointSlices are read only if there is a shared volume. A snapshot can have more than an audit reads.
    if !case.survey().has_shared_volume() {
        return None;
    }
    // The garbage collector deletes a slice that has an owner.
    if meta.deleted.is_some() || !slice.owners.is_empty() || case.is_young(meta.created) {
        return None;
    }
    let providers = case.survey().shared_volumes().providers;
    let (provider, volume) = providers.all().find_map(|provider| Some((provider, volume_of(provider, slice)?)))?;
    let service = slice.service()?;
    let is_used = case.volume(volume).is_some() || !case.snapshot().claims_naming(volume).is_empty();
    if is_used
        || !case.lacks(Kind::Service, &meta.namespace, service)
        || !case.lacks(Kind::PersistentVolume, "", volume)
        || !case.knows_all(Kind::PersistentVolumeClaim, "")
    {
        return None;
    }
    let (name, namespace) = (quoted(&meta.name), quoted(&meta.namespace));
    let full = format!("{}/{}", meta.namespace, meta.name);
    let object = case.object();
    Some(
        Detection::new(format!(
            "it is left over: {} wrote EndpointSlice {full} for volume {volume}, which is gone. Its Service is gone, too",
            provider.name
        ))
        .evidence(&object, "metadata.labels", volume)
        .evidence(&object, "metadata.ownerReferences", "")
        .remedy(kubectl(
            format!("get endpointslice {name} -n {namespace} -o yaml"),
            "see the labels and the addresses of the EndpointSlice",
        ))
        .remedy(by_hand(format!("delete EndpointSlice {full}"))),
    )
}

/// Returns the name of the volume for which the system wrote the slice. The result is `None` if it did not write the
/// slice.
fn volume_of<'s>(provider: &Provider, slice: &'s EndpointSlice) -> Option<&'s str> {
    let labels = &slice.meta.labels;
    let volume = label(labels, provider.volume_label.as_ref()?)?;
    let has_address = provider.address_label.as_ref().is_none_or(|key| label(labels, key).is_some());
    has_address.then_some(volume)
}
