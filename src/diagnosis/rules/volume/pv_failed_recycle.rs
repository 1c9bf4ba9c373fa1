//! This rule reports a volume with policy Recycle whose data cannot be erased, or will be erased later than expected.

use super::{ReclaimObstacle, released, said, trouble, ways_back, with_state, with_storage};
use crate::controllers::persistent_volume::reclaim::recycler_of;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Repair, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Pod, ReclaimPolicy};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "pv-failed-recycle",
    title: "recycling fails or hangs",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[Act::Offer],
    repairs: &[Repair::Retain],
    page: Page {
        seen: "A volume with policy Recycle stays Released, or is Failed. Events `VolumeFailedRecycle` and \
               `RecyclerPod` report a pod `recycler-for-VOLUME`. This pod is not scheduled, cannot mount the volume, \
               or exceeds its time limit.",
        why: "When the claim is gone, the controller starts a pod that mounts the storage and deletes everything in \
              it. Only nfs and hostPath can be recycled; any other volume becomes Failed at once. The controller waits \
              as long as pods use a claim with the name of the deleted claim. If a recycling fails, every sync tries \
              again, and the volume stays Failed. If several volumes are recycled at the same time, the controller can \
              confuse their recycler pods.",
        confirm: "kubectl describe pv VOLUME\n\
                  kubectl get pods -A -o wide --field-selector metadata.name=recycler-for-VOLUME\n\
                  kubectl get events -A --field-selector involvedObject.name=VOLUME",
        repair: "Set the policy to Retain: then no new attempt is made. If a recycler pod still exists, delete it. \
                 Then reserve the volume for the claim that should have it, or erase and delete the volume yourself.",
        prevention: "Do not use Recycle: it is deprecated. Use Retain, or a driver that provisions and deletes \
                     volumes.",
        hazard: "If you repair the mount, or if the pods that still use the claim end, the recycling succeeds. It \
                 erases the whole share, with the files of other users, too. A part of the data may already be \
                 deleted.",
        sources: &[
            "recycleVolumeOperation, Kubernetes 1.36 (RO3, RO4, RO5)",
            "RecycleVolumeByWatchingPodUntilCompletion, Kubernetes 1.36",
            "kubernetes/kubernetes#104855",
            "kubernetes/kubernetes#92946",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    if volume.reclaim_policy != ReclaimPolicy::Recycle {
        return None;
    }
    let gone = released(case, volume)?;
    // The namespace of the recycler pod comes from a template, and each control plane may have its own template.
    let recycler = case.survey().recycler(volume);
    let (me, its_data) = (mention(&case.object()), part_of(&case.object(), "the data"));
    let (message, kept) = match trouble(case, volume, gone)? {
        ReclaimObstacle::NoRecycler => {
            let kind = volume.source.kind.as_str();
            let message =
                format!("policy Recycle works only for nfs and hostPath, and {me} is of type {kind}. The data stay");
            (message, true)
        }
        ReclaimObstacle::RecycleRetried => {
            let message = format!(
                "the recycler failed to scrub {its_data} (policy Recycle). Every sync tries again, and the data are \
                 deleted when a sync succeeds. {}",
                said(volume)
            );
            (message, false)
        }
        ReclaimObstacle::RecycleHangs(seconds) => {
            let since = human_age(seconds);
            let message = match recycler {
                Some(pod) => format!(
                    "pod {}/{} has still not scrubbed {its_data} (policy Recycle), {since} after the release. Once that \
                     pod can mount the volume, the data are deleted",
                    pod.meta.namespace, pod.meta.name
                ),
                None => format!(
                    "no pod has scrubbed {its_data} (policy Recycle), {since} after the release. Once a recycler pod can \
                     mount the volume, the data are deleted"
                ),
            };
            (message, false)
        }
        ReclaimObstacle::RecycleWaits(pods) => {
            let claim = volume.claim_ref.as_ref().map(claim_name).unwrap_or_default();
            let message = format!(
                "before {its_data} can be scrubbed (policy Recycle), pods {pods} have to end. They still name the \
                 deleted claim {claim}. When they end, the data are deleted"
            );
            (message, false)
        }
        ReclaimObstacle::NoDeleter
        | ReclaimObstacle::PassedOver(_)
        | ReclaimObstacle::DeleteFails
        | ReclaimObstacle::DeleteRetried => return None,
    };
    let found = with_state(with_storage(Detection::new(message), case, volume), case, volume)
        .risk(if kept { Risk::None } else { Risk::Imminent })
        .since(volume.status.last_phase_transition)
        .evidence(&case.object(), "status.message", volume.status.message.as_str());
    let mut ways = ways_back(case, volume);
    if kept {
        ways.push(describe(&case.object(), "see the events of the volume"));
    } else {
        // A change of the policy does not stop a running recycler pod, so the pod must be deleted before a claim gets
        // the volume.
        let after_retain = ways.len().min(1);
        ways.splice(after_retain..after_retain, end_it(volume, recycler));
    }
    Some(found.remedies(ways))
}

/// Creates remedies that end a running recycling, after the policy has been changed.
fn end_it(volume: &PersistentVolume, recycler: Option<&Pod>) -> [Remedy; 2] {
    let why = "the policy prevents new attempts, but it does not stop a running recycler pod";
    if let Some(pod) = recycler {
        let (name, namespace) = (&pod.meta.name, &pod.meta.namespace);
        let command = format!("get pod {} -n {} -o wide", quoted(name), quoted(namespace));
        return [
            kubectl(
                format!("delete pod {} -n {}", quoted(name), quoted(namespace)),
                format!("once the policy is Retain, delete the pod that scrubs the volume: {why}"),
            ),
            kubectl(command, "see whether that pod is scrubbing the volume now"),
        ];
    }
    let name = recycler_of(&volume.meta.name);
    let only = quoted(&format!("metadata.name={name}"));
    [
        kubectl(
            format!("get pods -A -o wide --field-selector {only}"),
            "see whether a pod is scrubbing the volume now",
        ),
        by_hand(format!("once the policy is Retain, delete pod {name} if there is one: {why}")),
    ]
}
