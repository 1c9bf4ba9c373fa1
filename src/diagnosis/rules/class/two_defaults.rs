//! A class that is marked as default and is not the one that claims get.

use super::unmark;
use crate::diagnosis::{Case, Detect, Found, Page, Risk, Rule, Severity, key};
use crate::model::{AnnotationKey, Kind, StorageClass, newest_default};

pub(super) static RULE: Rule = Rule {
    id: "sc-two-defaults",
    title: "another class is the default one, too, and goes first",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[],
    page: Page {
        seen: "`kubectl get sc` shows `(default)` behind several classes. Claims that state no class get one of them, \
               and not necessarily the one that somebody had in mind.",
        why: "Both the admission of new claims and the controller, which gives a class to older claims that have none, \
              take the newest of the classes marked as default; of equally old ones the first by name. All other marks \
              are without effect. Kubernetes before 1.26 refused claims without a class instead.",
        confirm: "kubectl get sc --sort-by=.metadata.creationTimestamp\n\
                  kubectl get sc NAME -o jsonpath='{.metadata.creationTimestamp} {.metadata.annotations}'",
        repair: "Decide which class claims are to get, and set the annotation \
                 `storageclass.kubernetes.io/is-default-class` to \"false\" on all others.",
        prevention: "Whatever installs a class, such as a chart or an add-on of the provider, mostly has a setting for \
                     this mark: switch it off there, or the mark comes back.",
        hazard: "Taking the mark from the wrong class changes what new claims get, silently: another storage system, \
                 another reclaim policy. Claims that have a class keep it.",
        sources: &[
            "GetDefaultClass, pkg/volume/util, Kubernetes 1.36 (C5)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/, retroactive default class",
            "kubernetes/kubernetes#110559",
            "kubernetes/website#47297",
        ],
    },
    detect: Detect::Class(look),
};

fn look(case: &Case<'_>, class: &StorageClass) -> Option<Found> {
    if !class.is_default() {
        return None;
    }
    let winner = newest_default(case.snapshot().classes()).filter(|winner| winner.meta.name != class.meta.name)?;
    // A class that nobody has read may be newer still.
    if !case.knows_all(Kind::StorageClass, "") {
        return None;
    }
    let name = &winner.meta.name;
    let why = if winner.meta.created == class.meta.created { "as old and comes first by name" } else { "newer" };
    let winner_key = key(Kind::StorageClass, "", name);
    let found = Found::new(format!(
        "it is marked as default without effect: class {name}, marked as well, is {why}. Claims that state no class \
         get {name} (provisioner {}), not this one ({})",
        winner.provisioner, class.provisioner
    ));
    Some(
        found
            .evidence(&case.object(), mark(class), "true")
            .moment(&case.object(), "metadata.creationTimestamp", class.meta.created)
            .evidence(&winner_key, mark(winner), "true")
            .moment(&winner_key, "metadata.creationTimestamp", winner.meta.created)
            .remedy(unmark(class, format!("leave {name} the only default class; no claim gets another class by this")))
            .remedy(unmark(winner, format!("or make {} the one that new claims get", class.meta.name))),
    )
}

/// The annotation that marks the class.
fn mark(class: &StorageClass) -> &'static str {
    if class.meta.annotations.get(AnnotationKey::IsDefaultClass) == Some("true") {
        "metadata.annotations[storageclass.kubernetes.io/is-default-class]"
    } else {
        "metadata.annotations[storageclass.beta.kubernetes.io/is-default-class]"
    }
}
