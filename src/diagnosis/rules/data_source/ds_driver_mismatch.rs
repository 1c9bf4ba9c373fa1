//! This rule reports a claim that should be cloned from a claim whose volume has another driver or another volume mode.

use super::{clone_source, create_again, stage};
use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{ClaimPhase, Kind, PersistentVolumeClaim, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "ds-driver-mismatch",
    title: "the data source belongs to another driver or has another volume mode",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. An event `ProvisioningFailed` says `claim in dataSource not bound or invalid`, \
               although the source is Bound. Or it says that the claim and its source must have the same volume mode.",
        why: "A driver copies only its own volumes. The provisioner compares the driver of the source's volume with \
              the provisioner of the class, and the volume mode of the source with that of the claim. If the drivers \
              differ, its message says that the source is not bound, which is misleading.",
        confirm: "kubectl get pvc SOURCE -n NAMESPACE -o jsonpath='{.spec.volumeName}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.csi.driver} {.spec.volumeMode}'\n\
                  kubectl get sc CLASS -o jsonpath='{.provisioner}'",
        repair: "Create the claim again, with a class of the source's driver and the source's volume mode. To move data \
                 from one driver to another, make an empty claim and copy the files with a pod that uses both.",
        prevention: "Give a copy the class and the volume mode of its source.",
        hazard: "Nothing has been copied yet, so no data are lost. But if a volume with raw data is mounted as a file \
                 system later, it may be formatted.",
        sources: &[
            "getPVCSource, external-provisioner",
            "https://kubernetes.io/docs/concepts/storage/volume-pvc-datasource/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let name = clone_source(claim)?;
    let source = case.claim(&claim.meta.namespace, name)?;
    if source.terminating() || source.status.phase != ClaimPhase::Bound {
        return None;
    }
    let (volume, class) = (case.volume(&source.volume_name)?, case.class(claim.class())?);
    let driver = class.provisioner.as_str();
    // A name with a slash is not the name of a CSI driver. How such a provisioner uses a data source is not known, even
    // if a CSI driver replaces it, as for `kubernetes.io/aws-ebs`.
    if driver.is_empty() || driver.contains('/') {
        return None;
    }
    let is_foreign = volume.source.kind != SourceKind::Csi || volume.source.detail != driver;
    let is_of_other_mode = volume.mode() != claim.mode();
    if !is_foreign && !is_of_other_mode {
        return None;
    }
    stage(case)?;
    let source_words = part_of(&case.object(), "the data source");
    let (volume_name, of) = (&volume.meta.name, &volume.source);
    let owner = if of.kind == SourceKind::Csi { of.detail.as_str() } else { of.kind.as_str() };
    let (message, field, value) = if is_foreign {
        let whatever = if case.has_event("ProvisioningFailed") { ", whatever the event says" } else { "" };
        let message = format!(
            "class {} has driver {driver}, but claim {name}, {source_words}, has a volume of driver {owner}. \
             Driver {driver} copies only its own volumes. Claim {name} is Bound{whatever}",
            class.meta.name
        );
        (message, "spec.csi.driver", if of.kind == SourceKind::Csi { owner } else { "" })
    } else {
        let (mode, wants) = (volume.mode(), claim.mode());
        let message = format!(
            "{} is {}, but claim {name}, {source_words}, has a volume with {}. Both must be \
             the same",
            part_of(&case.object(), "the volume mode"),
            wants.as_str(),
            mode.as_str()
        );
        (message, "spec.volumeMode", if mode.as_str() == "Block" { "Block" } else { "Filesystem" })
    };
    Some(
        Detection::new(message)
            .evidence(&claim_key(&claim.meta.namespace, name), "spec.volumeName", volume_name.as_str())
            .evidence(&volume_key(volume_name), field, value)
            .evidence(&key(Kind::StorageClass, "", &class.meta.name), "provisioner", driver)
            .evidence(&case.object(), "spec.volumeMode", claim.mode().as_str())
            .remedies(create_again(
                claim,
                if is_foreign { "with a class of the source's driver" } else { "with the source's volume mode" },
            )),
    )
}
