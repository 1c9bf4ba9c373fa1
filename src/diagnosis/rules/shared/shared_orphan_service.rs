//! This rule reports a Service of a shared volume that does not exist any longer.

use super::full_name;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::shared_volumes::{ClaimLabels, Provider, service_of_name};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Labels, Service, label};

pub(super) static RULE: Rule = Rule {
    id: "shared-orphan-service",
    title: "the Service of a shared volume remains although volume and claim are gone",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "`kubectl get services` shows a Service of a storage system, and often the server and the claim of the \
               server still exist, too.",
        why: "The storage system created the Service for a volume. Volume and claim were deleted while the storage system \
              did not run, or the Service had lost its owner. Nothing deletes it any longer.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o yaml\n\
                  kubectl get pv VOLUME\n\
                  kubectl get pvc -A | grep VOLUME",
        repair: "Find out whether somebody still needs the data of the server. Then delete the server, its claim and the \
                 Service.",
        prevention: "Delete claims while the storage system runs.",
        hazard: "The server can have the last copy of the data. The claim of the server can be deleted only when nobody \
                 needs the data any longer.",
        sources: &[
            "openebs-archive/dynamic-nfs-provisioner#79",
            "storageos/api-manager@v1.2.16 internal/controllers/sharedvolume/README.md",
        ],
    },
    detect: Detect::Service(detect),
};

fn detect(case: &Case<'_>, service: &Service) -> Option<Detection> {
    let meta = &service.meta;
    // The garbage collector or the owner deletes a Service that has an owner.
    if meta.deleted.is_some() || !service.owners.is_empty() || case.is_young(meta.created) {
        return None;
    }
    let providers = case.survey().shared_volumes().providers;
    let (provider, reading) =
        providers.all().find_map(|provider| Some((provider, provider.service.read_back(service)?)))?;
    if case.survey().is_used_service(&meta.namespace, &meta.name) || is_mounted_by_pod(case, service) {
        return None;
    }
    let snapshot = case.snapshot();
    let is_claim_there = !snapshot.claims_naming(&reading.value).is_empty()
        || snapshot
            .claims()
            .iter()
            .any(|claim| !claim.meta.uid.is_empty() && reading.value.ends_with(&*claim.meta.uid));
    if is_claim_there
        || case.volume(&reading.value).is_some()
        || !case.knows_all(Kind::PersistentVolume, "")
        || !case.knows_all(Kind::PersistentVolumeClaim, "")
    {
        return None;
    }
    let name = full_name(service);
    let of = match claim_of(case, provider, service) {
        Some(claim) => format!("volume {} of claim {claim}, which are both gone", reading.value),
        None => format!("{}, which are both gone", reading.meant()),
    };
    let (short, namespace) = (quoted(&meta.name), quoted(&meta.namespace));
    let object = case.object();
    Some(
        Detection::new(format!("it is left over: {} created Service {name} for {of}", provider.name))
            .evidence(&object, "metadata.name", meta.name.as_str())
            .evidence(&object, "metadata.ownerReferences", "")
            .evidence(&object, "spec.clusterIP", service.cluster_ip.as_str())
            .remedy(kubectl(
                format!("get service {short} -n {namespace} -o wide"),
                "see whether a server still runs behind the Service",
            ))
            .remedy(by_hand(format!(
                "if nobody needs the data of the server, delete the server and then Service {name}"
            ))),
    )
}

/// Returns whether a pod mounts an NFS export from the Service without a claim.
fn is_mounted_by_pod(case: &Case<'_>, service: &Service) -> bool {
    let is_it = |server: &str| {
        let is_address = service.cluster_ip == server || service.cluster_ips.iter().any(|own| *own == server);
        let named = service_of_name(server);
        is_address || named == Some((service.meta.name.as_str(), service.meta.namespace.as_str()))
    };
    case.snapshot().pods().iter().flat_map(|pod| &pod.nfs).any(|volume| is_it(&volume.server))
}

/// Returns the namespace and name of the claim for which the Service was created, if its labels or those of the
/// server's claim tell them.
fn claim_of(case: &Case<'_>, provider: &Provider, service: &Service) -> Option<String> {
    let ClaimLabels { namespace, name } = provider.service.claim_labels.as_ref()?;
    let stated = |labels: &Labels| Some(format!("{}/{}", label(labels, namespace)?, label(labels, name)?));
    let of_server = || stated(&case.claim(&service.meta.namespace, &service.meta.name)?.meta.labels);
    stated(&service.meta.labels).or_else(of_server)
}
