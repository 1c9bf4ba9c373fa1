//! This rule reports a StatefulSet whose pods the API server refuses.

use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, Pod};
use crate::text::truncate;

pub(super) static RULE: Rule = Rule {
    id: "sts-pod-forbidden",
    title: "the API server refuses the pods of the StatefulSet",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::Pod, Kind::Event],
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The StatefulSet has fewer pods than replicas. Its event `FailedCreate` says why the API server refuses \
               the next pod. Its claims exist and may wait for that pod.",
        why: "The StatefulSet controller creates the claims of a member first and then its pod. Admission can refuse \
              the pod: a ResourceQuota is used up or demands limits, Pod Security forbids a setting, a webhook refuses \
              the pod, or a ServiceAccount is missing. The controller tries again and again.",
        confirm: "kubectl describe sts NAME -n NAMESPACE\n\
                  kubectl describe resourcequotas -n NAMESPACE",
        repair: "Remove the cause that the event names. For example, raise the quota. Or state the requests and limits \
                 of all containers, including init containers, or create a LimitRange that sets them. Then the pod is \
                 created by itself.",
        prevention: "In namespaces with quotas, create a LimitRange with defaults.",
        hazard: "None: the claims and their data stay.",
        sources: &[
            "createPersistentVolumeClaims, CreateStatefulPod: pkg/controller/statefulset, Kubernetes 1.36",
            "percona/percona-helm-charts#460",
            "https://kubernetes.io/docs/concepts/policy/resource-quotas/",
        ],
    },
    detect: Detect::StatefulSet(detect),
};

fn detect(case: &Case<'_>, set: &StatefulSet) -> Option<Detection> {
    if set.meta.deleted.is_some() || set.replicas <= 0 {
        return None;
    }
    let snapshot = case.snapshot();
    let namespace = set.meta.namespace.as_str();
    // The newest event about the creation of a pod decides, because the controller tries again until it succeeds.
    let mut events = snapshot.events_about(&case.object(), &set.meta.uid);
    let event = events
        .find(|event| {
            matches!(event.reason.as_str(), "FailedCreate" | "SuccessfulCreate") && event.message.contains("create Pod")
        })
        .filter(|event| event.reason == "FailedCreate")?;
    let pod = event.message.split_once("create Pod ").and_then(|(_, rest)| rest.split([' ', ':']).next())?;
    if snapshot.find::<Pod>(namespace, pod).is_some() {
        return None;
    }
    // The message ends with the answer of the API server.
    let answer = event.message.split_once("error: ").map_or(event.message.as_str(), |(_, answer)| answer);
    let is_quota = answer.contains("quota");
    let who = if is_quota { "a ResourceQuota forbids" } else { "the API server refuses" };
    let found =
        Detection::new(format!("{who} the creation of pod {pod}. The API server says: {}", truncate(answer, 200)))
            .since(event.last_seen)
            .evidence(&case.object(), "spec.replicas", set.replicas.to_string())
            .evidence(&case.object(), "events[FailedCreate].message", truncate(&event.message, 240));
    let found = if is_quota {
        let way = if answer.contains("must specify") {
            "state these requests and limits for all containers and init containers in the template, or create a \
             LimitRange that sets them"
        } else {
            "raise the quota, or lower what other pods of the namespace request"
        };
        found.remedy(by_hand(way)).remedy(kubectl(
            format!("describe resourcequotas -n {}", quoted(namespace)),
            "see what the quotas allow and what is used",
        ))
    } else {
        found.remedy(by_hand("remove the cause that the API server names; then the pod is created"))
    };
    Some(found.remedy(describe(&case.object(), "read the whole answer of the API server")))
}
