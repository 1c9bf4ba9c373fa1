//! This rule reports a StatefulSet whose next claim is refused by a ResourceQuota or LimitRange of its namespace.

use crate::diagnosis::case::claim_key;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::surroundings::{ClaimTemplate, LimitRange, ResourceQuota, StatefulSet};
use crate::model::{Kind, ObjectKey, Quantity, newest_default};
use std::cmp::Ordering;

/// The maximum number of ordinals of a StatefulSet that are checked. If none of them is refused, no finding is
/// reported.
const MEMBERS: i64 = 1_000;
/// The text between the name of a class and the resource that a quota counts for this class.
const OF_CLASS: &str = ".storageclass.storage.k8s.io/";

pub(super) static RULE: Rule = Rule {
    id: "pvc-quota-blocks",
    title: "a quota prevents the creation of a claim of the set",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::ResourceQuota, Kind::LimitRange, Kind::StorageClass],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The set has fewer pods than `spec.replicas`, and the claim of the next pod does not exist. An event \
               `FailedCreate` on the set says `exceeded quota`, or that the request is above or below what a claim \
               may ask for.",
        why: "Before the API server stores a new claim, it counts the claims and their requests, per namespace and per \
              class. It refuses the new claim if a ResourceQuota would be exceeded. A LimitRange limits the size of \
              each claim. The StatefulSet creates the claims of a pod before the pod: without them, the pod is not \
              created either. A quota counts the requests, and not the used space of the volumes.",
        confirm: "kubectl describe sts NAME -n NAMESPACE\n\
                  kubectl describe quota -n NAMESPACE\n\
                  kubectl describe limits -n NAMESPACE",
        repair: "Raise the quota: the set then tries again by itself. Or scale the set down to the pods that it has. \
                 If a LimitRange forbids the size, change the size in the template of the set. For this, delete the \
                 set with `kubectl delete sts NAME --cascade=orphan`, and create it again.",
        prevention: "Set a quota that is large enough for all replicas, also during updates and after scaling up.",
        hazard: "Do not delete claims that only look unused in order to free quota: with policy Delete their data are \
                 destroyed.",
        sources: &[
            "pvcEvaluator.Usage, pkg/quota/v1/evaluator/core, Kubernetes 1.36",
            "PersistentVolumeClaimValidateLimitFunc, plugin/pkg/admission/limitranger, Kubernetes 1.36",
            "CreateStatefulPod and createPersistentVolumeClaims, Kubernetes 1.36 (J15)",
            "https://kubernetes.io/docs/concepts/policy/resource-quotas/#storage-resource-quota",
            "kubernetes/kubernetes#119593",
        ],
    },
    detect: Detect::StatefulSet(detect),
};

/// The object that prevents the creation of a claim.
struct Barrier {
    /// The ResourceQuota or LimitRange.
    object: ObjectKey,
    /// The reason in words, with both values.
    words: String,
    /// The fields that prove it.
    fields: Vec<(&'static str, String)>,
}

/// The unit that a quota counts.
enum Counted {
    /// The quota counts claims.
    Claims,
    /// The quota counts the storage that claims request.
    Storage,
}

fn detect(case: &Case<'_>, set: &StatefulSet) -> Option<Detection> {
    let namespace = &set.meta.namespace;
    if set.meta.deleted.is_some() || set.templates.is_empty() {
        return None;
    }
    // The scopes of a quota are not evaluated, so quotas with scopes are ignored.
    let quotas: Vec<&ResourceQuota> = case.snapshot().quotas_of(namespace).filter(|quota| !quota.scoped).collect();
    let ranges: Vec<&LimitRange> = case.snapshot().limit_ranges_of(namespace).collect();
    if quotas.is_empty() && ranges.is_empty() {
        case.knows_all(Kind::ResourceQuota, namespace);
        return None;
    }
    let mut wanted: Vec<(&ClaimTemplate, String)> = Vec::new();
    let last = set.first_ordinal.saturating_add(set.replicas.min(MEMBERS));
    for (ordinal, template) in
        (set.first_ordinal..last).flat_map(|ordinal| set.templates.iter().map(move |one| (ordinal, one)))
    {
        let name = format!("{}-{}-{ordinal}", template.name, set.meta.name);
        if case.claim(namespace, &name).is_some() {
            continue;
        }
        wanted.push((template, name));
        let barrier = beyond_range(&ranges, template).or_else(|| beyond_quota(case, &quotas, &wanted));
        let Some(barrier) = barrier else { continue };
        let (_, name) = wanted.last()?;
        let is_lacking = case.lacks(Kind::PersistentVolumeClaim, namespace, name);
        // Claims are listed before StatefulSets, and a new StatefulSet gets its claims one after another. So the claim
        // may have been created after the claims were listed.
        return is_lacking.then(|| told(case, set, name, barrier).early_if(case.is_young(set.meta.created)));
    }
    None
}

fn told(case: &Case<'_>, set: &StatefulSet, claim: &str, barrier: Barrier) -> Detection {
    let (name, namespace) = (&set.meta.name, &set.meta.namespace);
    let found = Detection::new(format!(
        "{} {} refuses claim {claim}. {}. Without that claim its pod is not created. Only events of the set report \
         this",
        barrier.object.kind.as_str(),
        barrier.object.name,
        barrier.words
    ));
    let found = found.evidence(&case.object(), "spec.replicas", set.replicas.to_string()).evidence(
        &claim_key(namespace, claim),
        "metadata.name",
        "",
    );
    let found =
        barrier.fields.into_iter().fold(found, |found, (field, value)| found.evidence(&barrier.object, field, value));
    let events = format!(
        "get events -n {} --field-selector {}",
        quoted(namespace),
        quoted(&format!("involvedObject.name={name},reason=FailedCreate"))
    );
    found
        .remedy(kubectl(events, "see what the API server answered to the set"))
        .remedy(describe(&barrier.object, "see what is allowed and what is used"))
        .remedy(by_hand(
            "raise the quota or the limit, or scale the set down to the pods that it has; do not delete claims before \
             you know whose data they have",
        ))
}

/// Returns the LimitRange that refuses a claim of the size that the template requests. Upstream:
/// `PersistentVolumeClaimValidateLimitFunc`, 1.36.
fn beyond_range(ranges: &[&LimitRange], template: &ClaimTemplate) -> Option<Barrier> {
    let request = template.request?;
    ranges.iter().find_map(|range| {
        let too_small = range.least.filter(|least| request.compare(least) == Ordering::Less);
        let too_large = range.most.filter(|most| request.compare(most) == Ordering::Greater);
        let (bound, field, word) = match (too_small, too_large) {
            (Some(least), _) => (least, "spec.limits[].min.storage", "less than"),
            (None, Some(most)) => (most, "spec.limits[].max.storage", "more than"),
            (None, None) => return None,
        };
        let name = &range.meta.name;
        Some(Barrier {
            object: key(Kind::LimitRange, &range.meta.namespace, name),
            words: format!("It requests {request}, {word} the {bound} of LimitRange {name}"),
            fields: vec![(field, bound.to_string())],
        })
    })
}

/// Returns the ResourceQuota that refuses the last of these claims if the other claims exist. Upstream: `CheckRequest`,
/// `apiserver/pkg/admission/plugin/resourcequota`, 1.36.
fn beyond_quota(case: &Case<'_>, quotas: &[&ResourceQuota], wanted: &[(&ClaimTemplate, String)]) -> Option<Barrier> {
    let (last, _) = wanted.last()?;
    quotas.iter().find_map(|quota| {
        quota.hard.iter().find_map(|(resource, hard)| {
            let (counted, class) = counted(resource)?;
            let counts = |template: &ClaimTemplate| {
                class.is_none_or(|class| class_of(case, template).is_some_and(|of| of == class))
            };
            if !counts(last) {
                return None;
            }
            let amount = |template: &ClaimTemplate| match counted {
                Counted::Claims => Some(1),
                Counted::Storage => template.request.map(|request| i128::from(request.value())),
            };
            let more = wanted.iter().filter(|(template, _)| counts(template)).map(|(template, _)| amount(template));
            let more = more.sum::<Option<i128>>()?;
            // A quota whose use has not been counted yet allows no conclusion.
            let used = quota.used.iter().find(|(used, _)| used == resource).map(|(_, used)| used)?;
            let whole = |quantity: &Quantity| i128::from(quantity.value());
            if whole(used) + more <= whole(hard) {
                return None;
            }
            let asks = match counted {
                Counted::Claims => "It would be one claim more".to_owned(),
                Counted::Storage => format!("It requests {}", last.request?),
            };
            let before = match wanted.len() - 1 {
                0 => String::new(),
                1 => " after one other claim of the set".to_owned(),
                several => format!(" after {several} other claims of the set"),
            };
            let name = &quota.meta.name;
            Some(Barrier {
                object: key(Kind::ResourceQuota, &quota.meta.namespace, name),
                words: format!("{asks}{before}, and {used} of {hard} of {resource} in quota {name} are used"),
                fields: vec![
                    ("status.hard", format!("{resource}={hard}")),
                    ("status.used", format!("{resource}={used}")),
                ],
            })
        })
    })
}

/// Returns the unit that a quota of that resource counts, and the only class for which it counts, if any. Upstream:
/// `MatchingResources`, 1.36.
fn counted(resource: &str) -> Option<(Counted, Option<&str>)> {
    let (class, plain) = match resource.split_once(OF_CLASS) {
        Some((class, plain)) => (Some(class), plain),
        None => (None, resource),
    };
    match plain {
        "persistentvolumeclaims" => Some((Counted::Claims, class)),
        "count/persistentvolumeclaims" if class.is_none() => Some((Counted::Claims, None)),
        "requests.storage" => Some((Counted::Storage, class)),
        _ => None,
    }
}

/// Returns the class that a claim of the template will have: the stated class, or the default class if all classes are
/// known.
fn class_of<'c>(case: &Case<'c>, template: &'c ClaimTemplate) -> Option<&'c str> {
    match &template.class_name {
        Some(class) => Some(class),
        None if case.knows_all(Kind::StorageClass, "") => {
            newest_default(case.snapshot().classes()).map(|class| class.meta.name.as_str())
        }
        None => None,
    }
}
