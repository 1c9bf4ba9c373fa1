//! This rule reports a claim whose data source is in another namespace.

use super::{awaited, create_again, failure, has_waited, is_claim, is_local, stage, told};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "ds-cross-namespace",
    title: "the data source is in another namespace",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::Event],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending, and `spec.dataSourceRef.namespace` is not its own namespace. An event \
               `ProvisioningFailed` may say that accessing the source is not allowed, or that a feature is disabled.",
        why: "Copying across namespaces is an alpha feature, `CrossNamespaceVolumeDataSource`. It has to be enabled in \
              the API server and in the driver's provisioner. In addition, a ReferenceGrant in the namespace of the \
              source has to allow claims of this namespace to refer to the source. Otherwise the provisioner refuses \
              the claim. If the feature is disabled in the API server, the API server removes the field when the claim \
              is created, without a message. Then an empty volume is provisioned.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.dataSourceRef}'\n\
                  kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get referencegrants -n SOURCE-NAMESPACE -o yaml",
        repair: "Let the owner of the source's namespace create a ReferenceGrant that allows PersistentVolumeClaims of \
                 this namespace to refer to the kind of the source. Start the provisioner with the feature gate \
                 `CrossNamespaceVolumeDataSource`. Without this gate, make the copy in the namespace of the source, \
                 and move its volume: set policy Retain, delete the claim of the copy, and reserve the volume for a \
                 claim in this namespace.",
        prevention: "Make copies in the namespace of their source.",
        hazard: "A ReferenceGrant discloses data: everybody who may create claims in the namespaces that it names can \
                 read a copy.",
        sources: &[
            "dataSource, IsGranted, external-provisioner",
            "DropDisabledFields, pkg/api/persistentvolumeclaim, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#cross-namespace-data-sources",
            "kubernetes-sigs/aws-ebs-csi-driver#1682",
            "kubernetes-csi/external-provisioner#1173",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let source = awaited(claim).filter(|source| !is_local(claim, source))?;
    let stage = stage(case)?;
    let source_words = part_of(&case.object(), "the data source");
    let (namespace, name, kind) = (&source.namespace, &source.name, &source.kind);
    let said = failure(case, claim);
    let says = |words: &str| said.is_some_and(|event| event.message.contains(words));
    let found = if is_claim(source) && case.claim(namespace, name).is_none() && lacks(case, namespace, name) {
        Detection::new(format!(
            "{source_words}, claim {name} in namespace {namespace}, does not exist. The driver makes no volume until \
             that claim exists"
        ))
        .evidence(&claim_key(namespace, name), "metadata.name", "")
        .remedies(create_again(claim, "with the name of a source that exists"))
    } else if says("isn't allowed") {
        Detection::new(format!(
            "no ReferenceGrant in namespace {namespace} allows {source_words}, {kind} {name}. The driver reports this"
        ))
    } else if says("CrossNamespaceVolumeDataSource") {
        Detection::new(format!(
            "{source_words} is {kind} {name} in namespace {namespace}, but the driver's provisioner runs without the \
             feature gate CrossNamespaceVolumeDataSource"
        ))
    } else {
        Detection::new(format!(
            "{source_words}, {kind} {name}, is in another namespace, {namespace}. This needs the alpha feature \
             CrossNamespaceVolumeDataSource in the driver's provisioner and a ReferenceGrant in {namespace}. This rule \
             cannot check either of them"
        ))
        .severity(Severity::Warning)
    };
    let found = found
        .evidence(&case.object(), "spec.dataSourceRef.namespace", namespace.as_str())
        .evidence(&case.object(), "spec.dataSourceRef.name", name.as_str())
        .info_if(!has_waited(case, claim, stage));
    let found = match said {
        Some(event) => found.evidence(&case.object(), "event", told(event)),
        None => found,
    };
    let grants = kubectl(
        format!("get referencegrants -n {} -o yaml", quoted(namespace)),
        format!("see whether one allows claims of namespace {} to refer to {kind} {name}", claim.meta.namespace),
    );
    Some(found.remedy(describe(&case.object(), "see what the driver says in its events")).remedy(grants).remedy(
        by_hand(format!(
            "let the owner of namespace {namespace} create a ReferenceGrant, and start the driver's provisioner with \
             the feature gate CrossNamespaceVolumeDataSource; or make the copy in {namespace} and move its volume"
        )),
    ))
}

/// Returns whether no claim of this name exists in this namespace.
fn lacks(case: &Case<'_>, namespace: &str, name: &str) -> bool {
    case.lacks(Kind::PersistentVolumeClaim, namespace, name)
}
