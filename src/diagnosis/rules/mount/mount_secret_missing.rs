//! This rule reports a volume that needs a Secret or another object that does not exist.

use super::{affects, named_in, volume_of};
use crate::diagnosis::pod::facts::mount_failure;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::rules::attachment::missing_driver;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, Pod};

pub(super) static RULE: Rule = Rule {
    id: "mount-secret-missing",
    title: "a volume needs an object that does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating. The event `FailedMount` says that a Secret, a ConfigMap or a \
               SecretProviderClass is not found.",
        why: "The kubelet or the driver reads this object before it mounts the volume: a Secret with the credentials \
              that the volume names (`nodeStageSecretRef`, `nodePublishSecretRef`), the content of a volume of the \
              pod, or the configuration of the driver. pvctl never lists Secrets. It learns only from the event that a \
              Secret is missing.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get KIND OBJECT -n NAMESPACE",
        repair: "Create the object under the name and in the namespace that the event states. If the pod itself names \
                 the object, you can correct the name in the pod's template instead. If the PersistentVolume names a \
                 Secret, the name cannot be changed there. The kubelet tries again by itself.",
        prevention: "Apply Secrets and ConfigMaps before the pods that use them, and delete them after these pods.",
        hazard: "None. The claim and its data need no change.",
        sources: &[
            "SetUpAt, pkg/volume/secret and pkg/volume/configmap, Kubernetes 1.36",
            "kubernetes-sigs/secrets-store-csi-driver#811",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    let event = mount_failure(case.snapshot(), pod).filter(|_| pod.meta.deleted.is_none())?;
    let (kind, name) = missing_object(&event.message)?;
    let since = pod.started.or(pod.meta.created);
    let is_early = case.may_heal(since)?;
    let used = volume_of(case, pod, &event.message);
    let volume = match used {
        Some(used) => used.volume_words(case.snapshot(), pod),
        None => format!("volume {}", named_in(&event.message).unwrap_or("of the pod")),
    };
    let namespace = &pod.meta.namespace;
    let found = Detection::new(format!(
        "{volume} cannot be mounted, because {kind} {name} does not exist. The kubelet on node {} tries again until \
         the object exists",
        pod.node_name
    ))
    .early_if(is_early)
    .since(since)
    .evidence(&case.object(), "spec.nodeName", pod.node_name.as_str())
    .evidence(&case.object(), "events[FailedMount].message", event.message.as_str())
    .remedy(by_hand(format!(
        "create the {kind} {name} in namespace {namespace}, or in the namespace that the event states; or, if the pod \
         itself names the {kind}, correct the name in the pod's template"
    )))
    .remedy(kubectl(
        format!("get {} -n {}", kind.to_ascii_lowercase(), quoted(namespace)),
        format!("see whether the {kind} has another name"),
    ));
    Some(affects(found, pod, used))
}

/// The kinds whose absence the kubelet or a driver reports, each with the word of the message.
const KINDS: [(&str, &str); 3] =
    [("SecretProviderClass", "secretproviderclass"), ("ConfigMap", "configmap"), ("Secret", "secret")];

/// Returns the kind and name of the object that the message says is not found. The name is the word before the last
/// ` not found`. The kind is the last word of [`KINDS`] before the name.
pub(super) fn missing_object(message: &str) -> Option<(&'static str, &str)> {
    if missing_driver(message).is_some() {
        return None;
    }
    let lower = message.to_ascii_lowercase();
    let end = lower.rfind(" not found")?;
    let before = message.get(..end)?.trim_end_matches('"');
    let name = before.rsplit([' ', '"', '/']).next().filter(|name| !name.is_empty())?;
    let start = lower.get(..before.len().checked_sub(name.len())?)?;
    // The name of the volume comes before the colon, and may have one of these words.
    let start = start.split_once(" : ").map_or(start, |(_, rest)| rest);
    // `secretproviderclass` begins with `secret`. If both words are found at one position, the longer word decides.
    let places = KINDS.iter().filter_map(|(kind, word)| Some((start.rfind(word)?, word.len(), *kind)));
    places.max().map(|(_, _, kind)| (kind, name))
}
