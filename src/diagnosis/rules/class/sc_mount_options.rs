//! This rule reports mount options of a class that cannot work.

use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::NO_PROVISIONER;
use crate::model::{StorageClass, Str};

pub(super) static RULE: Rule = Rule {
    id: "sc-mount-options",
    title: "the class's mount options cannot work",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "There are three cases. Claims of the class stay Pending, because the provisioner supports no mount \
               options. Or the claims are Bound, and their pods stay in ContainerCreating with `FailedMount`. Or \
               volumes are mounted without the options that the class states.",
        why: "Nobody checks the `mountOptions` of a class. They are copied into each provisioned volume, and wrong \
              options fail only when such a volume is mounted. In-tree plugins that support no mount options refuse to \
              provision. A volume that a person created has its own options. So the options of a class without a \
              provisioner have no effect.",
        confirm: "kubectl get sc NAME -o jsonpath='{.provisioner} {.mountOptions}'\n\
                  kubectl get pv -o \
                  custom-columns=NAME:.metadata.name,CLASS:.spec.storageClassName,OPTIONS:.spec.mountOptions",
        repair: "For new volumes, correct `mountOptions` of the class. For existing volumes, correct \
                 `spec.mountOptions` of each volume. Both fields can be changed. The options of a volume take effect \
                 at the next mount.",
        prevention: "Try a class with one claim and one pod before using it. State each option as one entry, as you \
                     would write it after `mount -o`.",
        hazard: "Changed options take effect only when a pod moves or restarts, and this may be much later. If the \
                 options are wrong, all pods of the volume then fail.",
        sources: &[
            "provisionClaimOperation, Kubernetes 1.36 (PI5)",
            "https://kubernetes.io/docs/concepts/storage/storage-classes/#mount-options",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    if class.mount_options.is_empty() {
        return None;
    }
    let (provisioner, options) = (class.provisioner.as_str(), class.mount_options.join(", "));
    let (message, way) = match find_provisionable_plugin(case.behavior(), class) {
        Provider::InTree(plugin) if !plugin.supports_mount_options() => (
            format!(
                "its provisioner {provisioner} supports no mount options and refuses to provision. The class has \
                 mountOptions {options}"
            ),
            "remove mountOptions from the class: then new volumes are provisioned",
        ),
        Provider::Nobody(_) if provisioner == NO_PROVISIONER => (
            format!(
                "its mountOptions have no effect, because the class does not provision volumes. It has provisioner \
                 {provisioner} and mountOptions {options}. Only provisioned volumes get mount options from their class"
            ),
            "write the options into spec.mountOptions of each PersistentVolume; they apply from the next mount",
        ),
        Provider::InTree(_) | Provider::External => {
            let wrong = class.mount_options.iter().find(|option| is_malformed(option))?;
            (
                format!(
                    "its mount option \"{wrong}\" is not a single valid option for mount -o. Nobody checks it, and \
                     volumes of the class cannot be mounted"
                ),
                "correct mountOptions of the class, and spec.mountOptions of the volumes that were provisioned with \
                 them",
            )
        }
        Provider::Nobody(_) => return None,
    };
    Some(
        Detection::new(message)
            .evidence(&case.object(), "mountOptions", options)
            .evidence(&case.object(), "provisioner", provisioner)
            .remedy(by_hand(way)),
    )
}

/// Returns whether no mount helper can accept the entry as an option, because it is empty, begins or ends with blanks,
/// or is a flag.
fn is_malformed(option: &Str) -> bool {
    option.is_empty() || option.trim() != option || option.starts_with('-')
}
