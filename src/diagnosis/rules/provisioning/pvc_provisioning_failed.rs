//! This rule reports a claim whose driver reports that it cannot make the volume.

use super::{has_waited, refusal};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::mention::elsewhere;
use crate::diagnosis::remedy::{by_hand, describe, typed};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "pvc-provisioning-failed",
    title: "the driver cannot make the volume",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::Event],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending with an event `ProvisioningFailed` that comes from the driver.",
        why: "The controller has done its part: it wrote the provisioner's name to the claim. The driver runs, was \
              asked, and got an error from its storage, or refused the request itself: wrong parameters of the class, \
              no free space, a quota, an access mode or volume mode that it does not have, a missing secret, missing \
              rights, no topology that fits. It tries again by itself. After an error in the request itself it tries \
              less often. If the class has the binding mode WaitForFirstConsumer, the driver may also remove the \
              annotation `volume.kubernetes.io/selected-node` from the claim. Then the scheduler selects a node again.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get events -n NAMESPACE --field-selector involvedObject.name=NAME,reason=ProvisioningFailed\n\
                  kubectl get sc CLASS -o yaml",
        repair: "Remove the cause that the event names. Parameters of a class cannot be changed: delete the class and \
                 create it again with the same name, with the same `reclaimPolicy`. A claim that asks for something \
                 which the driver cannot make has to be created again. In all other cases you do not have to change \
                 the claim: the next attempt succeeds.",
        prevention: "Try a new class with a small claim before workloads use it. Monitor the free space of the storage \
                     system.",
        hazard: "An earlier attempt may have left something in the storage system: look there before the claim is \
                 deleted. A class that is created again without `reclaimPolicy` has Delete.",
        sources: &[
            "provisionClaimOperationExternal, Kubernetes 1.36 (C12, PE4)",
            "provisionClaimOperation and provisionVolumeErrorHandling, sig-storage-lib-external-provisioner",
            "rancher/local-path-provisioner#332",
            "kubernetes/kubernetes#91299",
        ],
    },
    detect: Detect::Claim(detect),
};

/// A known cause of an error: its description, whether a retry is useless, and what to do. The words in a driver's
/// message show which cause it is.
struct Cause {
    /// The description, as the end of a sentence.
    words: &'static str,
    /// Whether the next attempt will fail with the same error.
    is_final: bool,
    /// The action that a person has to take.
    way: &'static str,
    /// Whether a claim with another request is a remedy.
    by_claim: bool,
}

/// Well-known words in messages, the most reliable first. Kubernetes events have no error codes, but drivers print the
/// error codes of gRPC.
const CAUSES: [(&[&str], Cause); 10] = [
    (
        &["volumesnapshots.snapshot.storage.k8s.io"],
        Cause {
            words: "it cannot read the source snapshot",
            is_final: false,
            way: "create that snapshot, or one of the same name from the same snapshot content; if the snapshot cannot \
                  be created again, create the claim again from another snapshot",
            by_claim: false,
        },
    ),
    (
        &["is not Ready"],
        Cause {
            words: "the source snapshot is not ready yet",
            is_final: false,
            way: "wait until the snapshot is ready to use; for large disks that can take an hour",
            by_claim: false,
        },
    ),
    (
        &[
            "MULTI_NODE_MULTI_WRITER not supported",
            "AccessModes[ReadWriteOnce] supported",
            "Only support ReadWriteOnce access mode",
            "only supports Read",
            "not supported for access mode",
            "multi node access modes are only supported",
        ],
        Cause {
            words: "it does not make volumes with the access modes of the claim",
            is_final: true,
            way: "request access modes that the driver supports, or use a class whose driver supports these; for this, \
                  the claim must be created again",
            by_claim: true,
        },
    ),
    (
        &["does not support block volume", "not supported", "code = Unimplemented"],
        Cause {
            words: "it does not make volumes of that kind",
            is_final: true,
            way: "request a volume that the driver can make; for this, the claim must be created again",
            by_claim: true,
        },
    ),
    (
        &["secrets \"", "get secret", "secret not found"],
        Cause {
            words: "a secret that the class names is missing",
            is_final: true,
            way: "create the secret that the message names, or a class that names the right secret",
            by_claim: false,
        },
    ),
    (
        &["code = PermissionDenied", "code = Unauthenticated", "AccessDenied", "UnauthorizedOperation", "forbidden"],
        Cause {
            words: "it has no permission",
            is_final: true,
            way: "give the driver the permissions that the message names, in the cluster or in the storage system",
            by_claim: false,
        },
    ),
    (
        &[
            "code = ResourceExhausted",
            "code = OutOfRange",
            "quota",
            "Quota",
            "LimitExceeded",
            "insufficient",
            "no space",
        ],
        Cause {
            words: "the storage has no room for that size or a quota is used up",
            is_final: false,
            way: "free space or raise the quota in the storage system, or request less; to request less, the claim \
                  must be created again",
            by_claim: true,
        },
    ),
    (
        &["topology", "accessibility requirements", "topologies"],
        Cause {
            words: "it finds no topology that the node can use",
            is_final: false,
            way: "check whether the driver has registered on the node, and whether the class's allowedTopologies allow \
                  the topology of that node",
            by_claim: false,
        },
    ),
    (
        &["code = InvalidArgument", "infeasible"],
        Cause {
            words: "the driver refuses the class's parameters or the claim's request",
            is_final: true,
            way: "correct the class's parameters (the class must be created again with the same name), or create the \
                  claim again with another request",
            by_claim: true,
        },
    ),
    (
        &["code = Unavailable", "connection refused", "no such host", "i/o timeout"],
        Cause {
            words: "it cannot reach its storage",
            is_final: false,
            way: "check the storage system and the network to it",
            by_claim: false,
        },
    ),
];

/// The cause if a message has no well-known words.
const OTHER: Cause =
    Cause { words: "", is_final: false, way: "remove the cause that the driver names", by_claim: false };

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let refusal = refusal(case, claim)?;
    if refusal.is_under_way() {
        return None;
    }
    let message = refusal.event.message.as_str();
    let known = CAUSES.iter().find(|(words, _)| words.iter().any(|word| message.contains(word)));
    let cause = known.map_or(&OTHER, |(_, cause)| cause);
    let then = if refusal.waits_for_node {
        "The scheduler selects a node again"
    } else if cause.is_final {
        "Waiting alone does not help"
    } else {
        "The driver tries again"
    };
    let driver = refusal.driver(case);
    let found = Detection::new(format!(
        "driver {driver} cannot provision a volume{}{}. The driver runs and says \"{}\" (event ProvisioningFailed, {}). \
         {then}",
        elsewhere(&case.object(), &format!(" for claim {}", claim.meta.name)),
        if cause.words.is_empty() { String::new() } else { format!(", because {}", cause.words) },
        refusal.words(),
        refusal.age()
    ));
    let class = key(Kind::StorageClass, "", &refusal.class.meta.name);
    // A problem that may still end by itself is at first only a Warning.
    let is_error = has_waited(case, claim) && !message.contains("is not Ready");
    let found = if is_error { found } else { found.severity(Severity::Warning) };
    let whole = describe(&case.object(), "read the driver's message in full");
    let found = refusal.shown(case, found).evidence(&class, "provisioner", refusal.class.provisioner.as_str());
    Some(found.remedies([whole, by_hand(way(cause, claim))]))
}

/// Returns the action that a person has to take. If a claim with another request is a remedy, the action names the verb
/// of pvctl that creates it. If the data source is a snapshot, the action may name it.
fn way(cause: &Cause, claim: &PersistentVolumeClaim) -> String {
    if cause.by_claim {
        let object = typed(&claim_key(&claim.meta.namespace, &claim.meta.name));
        let set = "--set size=SIZE, modes=MODES or volumeMode=MODE";
        return format!("{}: `kubectl pvctl recreate {object}` with {set}", cause.way);
    }
    match claim.source().filter(|source| source.kind == "VolumeSnapshot" && cause.words.contains("snapshot")) {
        Some(snapshot) => format!("{} (the claim names snapshot {})", cause.way, snapshot.name),
        None => cause.way.to_owned(),
    }
}
