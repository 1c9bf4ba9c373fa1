//! This rule reports a shared volume whose Service has an owner that does not exist any longer.

use super::{found, full_name, made_service, path_of, save_service, service_key};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Owner, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-service-owner-stale",
    title: "the garbage collector will delete the Service of a shared volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Everything works. Soon after, the Service is gone, and pods that use the volume hang.",
        why: "`metadata.ownerReferences` of the Service names the claim with the uid that a former claim of this name \
              had. This happens when a Service is restored from a backup together with its claim. The garbage collector \
              deletes an object when none of its owners exists, and compares uids. The storage system sets the owner only \
              when it creates the Service.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o jsonpath='{.metadata.ownerReferences} {.spec.clusterIP}'\n\
                  kubectl get pvc CLAIM -n NAMESPACE -o jsonpath='{.metadata.uid}'",
        repair: "Set the uid in `metadata.ownerReferences` to the uid of the claim that exists. If the Service is gone \
                 already, create it again with the same `spec.clusterIP`.",
        prevention: "Do not restore Services of shared volumes from a backup. The storage system creates them.",
        hazard: "When the Service is created again without `spec.clusterIP`, it gets another address, and pods that have \
                 mounted the volume hang until they are restarted.",
        sources: &[
            "storageos/api-manager@v1.2.16 internal/pkg/storageos/shared_volume_type.go",
            "https://kubernetes.io/docs/concepts/architecture/garbage-collection/",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let (service, claim) = (made_service(&path)?, path.claim?);
    if path.provider.owner.as_deref() != Some(Kind::PersistentVolumeClaim.as_str()) || claim.meta.uid.is_empty() {
        return None;
    }
    // An object stays as long as one of its owners exists. Owners of other kinds or names may exist.
    let is_stale = |owner: &Owner| {
        owner.kind == Kind::PersistentVolumeClaim.as_str()
            && owner.name == claim.meta.name
            && owner.uid != claim.meta.uid
    };
    if !service.owners.iter().all(is_stale) || service.meta.namespace != claim.meta.namespace {
        return None;
    }
    let owner = service.owners.first()?;
    let (name, claim_name, uid) = (full_name(service), &claim.meta.name, &claim.meta.uid);
    let what =
        format!("will lose Service {name}: its owner is claim {claim_name} with uid {} instead of {uid}", owner.uid);
    Some(
        found(&path, &what)
            .evidence(&service_key(service), "metadata.ownerReferences", owner.uid.as_str())
            .evidence(&claim_key(&claim.meta.namespace, claim_name), "metadata.uid", uid.as_str())
            .evidence(&service_key(service), "spec.clusterIP", service.cluster_ip.as_str())
            .remedy(save_service(service, "the garbage collector can delete it at any moment"))
            .remedy(by_hand(format!("set the uid of the owner of Service {name} to {uid}"))),
    )
}
