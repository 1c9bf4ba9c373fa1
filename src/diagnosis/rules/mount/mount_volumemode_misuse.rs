//! This rule reports a pod that uses a block volume as a file system, or a file system as a block device.

use crate::controllers::kubelet_volumes::{PopulatorBranch, misuse};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::mention::mention;
use crate::diagnosis::pod::facts::{UsedClaim, bound, is_starting, is_unscheduled, used_claims};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Pod};

pub(super) static RULE: Rule = Rule {
    id: "mount-volumemode-misuse",
    title: "the pod uses a volume in another mode than the volume has",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating. The kubelet says that the volume has volumeMode Block, but is \
               specified in volumeMounts, or the other way round.",
        why: "A claim with volumeMode Block gives a raw block device, which containers use with `volumeDevices`. A \
              claim with volumeMode Filesystem is mounted with `volumeMounts`. The kubelet does not process a volume \
              that is used in the wrong way.",
        confirm: "kubectl get pvc CLAIM -n NAMESPACE -o jsonpath='{.spec.volumeMode}'\n\
                  kubectl get pod NAME -n NAMESPACE -o yaml",
        repair: "In the pod's template, use the volume according to its mode, or give the pod a claim of the other \
                 mode. The mode of a claim and of a volume cannot be changed.",
        prevention: "State volumeMode in the claim whenever a pod uses volumeDevices.",
        hazard: "If a new claim with volumeMode Filesystem gets the same storage, a device without a file system is \
                 formatted. Then the data that an application wrote to the raw device are lost.",
        sources: &[
            "processPodVolumes, pkg/kubelet/volumemanager/populator, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#raw-block-volume-support",
        ],
    },
    detect: Detect::Pod(detect),
};

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if pod.meta.deleted.is_some() || !(is_starting(pod) || is_unscheduled(pod)) {
        return None;
    }
    used_claims(pod).find_map(|used| {
        let (_, volume) = bound(case.snapshot(), &pod.meta.namespace, used.claim)?;
        of_volume(case, pod, used, volume)
    })
}

fn of_volume(case: &Case<'_>, pod: &Pod, used: UsedClaim<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let (mode, wrong, right) = match misuse(volume, used.used)? {
        PopulatorBranch::VolumeMountedAsFiles => ("Block", "volumeMounts", "volumeDevices"),
        PopulatorBranch::VolumeMappedAsBlock => ("Filesystem", "volumeDevices", "volumeMounts"),
        _ => return None,
    };
    let (claim, name) = (claim_key(&pod.meta.namespace, used.claim), &volume.meta.name);
    Some(
        Detection::new(format!(
            "{} uses {} in {wrong}, although that claim has volumeMode {mode}. The kubelet does not mount the volume \
             until the pod uses it in {right}",
            mention(&case.object()),
            mention(&claim)
        ))
        .since(pod.started.or(pod.meta.created))
        .evidence(&claim, "spec.volumeMode", mode)
        .evidence(&volume_key(name), "spec.volumeMode", mode)
        .evidence(&case.object(), "spec.containers[].volumeMounts|volumeDevices", wrong)
        .affects(claim)
        .remedy(by_hand(format!(
            "use volume {} in {right} of the pod's template, or give the pod a claim with the other volumeMode",
            used.volume
        ))),
    )
}
