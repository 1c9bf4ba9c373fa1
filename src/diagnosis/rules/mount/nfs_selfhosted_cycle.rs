//! This rule reports a pod with an NFS volume whose server is a pod that waits for a claim of its own.

use super::nfs_server::told;
use crate::diagnosis::case::claim_key;
use crate::diagnosis::facts::is_bound;
use crate::diagnosis::nfs::{Export, unserved};
use crate::diagnosis::pod::facts::{pod_key, used_claims};
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Pod};

pub(super) static RULE: Rule = Rule {
    id: "nfs-selfhosted-cycle",
    title: "the NFS server waits for its own claim",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Many pods stay in ContainerCreating, and `FailedMount` says that the mount timed out. The pod of the NFS \
               server is not ready either.",
        why: "The NFS server runs in the cluster and keeps the shared directory on a claim of its own. Its pod waits \
              for that claim, so the server does not answer, and no pod can mount the share.",
        confirm: "kubectl get pods -n NAMESPACE -l SELECTOR\n\
                  kubectl pvctl explain pod/SERVER -n NAMESPACE",
        repair: "Let the claim of the server become usable first. The pods that use the share then start by themselves.",
        prevention: "Keep the data of a server on storage that does not depend on the server.",
        hazard: "A new claim for the server is empty. Do not restart the clients in a loop: their nodes can hang in \
                 mounts.",
        sources: &[
            "kubernetes-retired/external-storage#1102",
            "https://kubernetes.io/docs/concepts/storage/volumes/#nfs",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    let (hanging, exports) = Export::of_hanging(case, pod)?;
    // The claim may be missing, or wait, or be lost.
    let waits = |server: &Pod, claim: &str| {
        case.claim(&server.meta.namespace, claim).map_or_else(
            || case.lacks(Kind::PersistentVolumeClaim, &server.meta.namespace, claim),
            |claim| !is_bound(claim),
        )
    };
    let (export, server, claim) = unserved(case, &exports).find_map(|(export, _, pods)| {
        let mut of_pods = pods.into_iter().flat_map(|server| used_claims(server).map(move |used| (server, used.claim)));
        let (server, claim) = of_pods.find(|(server, claim)| waits(server, claim))?;
        Some((export, server, claim.as_str()))
    })?;
    let (namespace, name) = (server.meta.namespace.as_str(), server.meta.name.as_str());
    if !case.knows_all(Kind::Pod, namespace) {
        return None;
    }
    let claim_key = claim_key(namespace, claim);
    let found = Detection::new(format!(
        "{} {} on node {}, because its NFS server, pod {namespace}/{name}, waits for claim {claim}",
        export.words(case.snapshot(), pod),
        hanging.words(),
        pod.node_name
    ))
    .evidence(&pod_key(server), "status.phase", server.phase.as_str())
    .evidence(&claim_key, "status.phase", case.claim(namespace, claim).map_or("", |claim| claim.status.phase.as_str()))
    .remedy(describe(&claim_key, "see what the claim of the NFS server waits for"))
    .remedy(by_hand("repair the claim of the NFS server; then all pods that use the share start"))
    .follows_from(claim_key, Act::Bind)
    .follows_from(pod_key(server), Act::Schedule);
    Some(told(found, case, pod, export, hanging))
}
