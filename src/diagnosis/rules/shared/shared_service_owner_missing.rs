//! This rule reports a shared volume whose Service nobody deletes together with its claim.

use super::{found, full_name, made_service, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-service-owner-missing",
    title: "the Service of a shared volume has no owner",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Everything works. When the volume is deleted, its Service stays.",
        why: "The storage system does not delete the Service itself. It makes another object the owner of the Service, so \
              that the garbage collector deletes the Service together with that object. It sets the owner only when it \
              creates the Service. Somebody removed the owner, or created the Service by hand.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o jsonpath='{.metadata.ownerReferences}'",
        repair: "Add the owner to `metadata.ownerReferences`, with its apiVersion, kind, name and uid. Or delete the \
                 Service by hand after its volume.",
        prevention: "Restore the owner as well when a Service is created from a manifest.",
        hazard: "An owner with a wrong uid makes the garbage collector delete the Service at once.",
        sources: &[
            "storageos/api-manager@v1.2.16 internal/pkg/storageos/shared_volume_type.go",
            "https://kubernetes.io/docs/concepts/architecture/garbage-collection/",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let (service, kind) = (made_service(&path)?, path.provider.owner.as_ref()?);
    let has_owner = service.owners.iter().any(|owner| owner.kind == *kind);
    if has_owner || path.claim?.terminating() || case.is_young(service.meta.created) {
        return None;
    }
    let name = full_name(service);
    let owner = match path.provider.owner_name.as_ref().and_then(|name| name.fill(volume, path.claim)) {
        Some(owner) => format!("{kind} {owner}"),
        None => kind.clone(),
    };
    let what = format!("will leave Service {name} behind when it is deleted, because the Service has no owner {owner}");
    let owners: Vec<String> = service.owners.iter().map(|owner| format!("{} {}", owner.kind, owner.name)).collect();
    let (short, namespace) = (quoted(&service.meta.name), quoted(&service.meta.namespace));
    Some(
        found(&path, &what)
            .evidence(&service_key(service), "metadata.ownerReferences", owners.join(", "))
            .remedy(kubectl(
                format!("get service {short} -n {namespace} -o jsonpath='{{.metadata.ownerReferences}}'"),
                "see the owners of the Service",
            ))
            .remedy(by_hand(format!("add {owner} to metadata.ownerReferences of Service {name}"))),
    )
}
