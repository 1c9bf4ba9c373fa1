//! This rule reports several classes that are marked as default. Only one of them is used as the default class.

use super::unmark;
use crate::diagnosis::case::class_key;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, Kind, StorageClass, newest_default};

pub(super) static RULE: Rule = Rule {
    id: "sc-two-defaults",
    title: "several classes are marked as default",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[],
    hinders: &[Act::Default],
    repairs: &[],
    page: Page {
        seen: "`kubectl get sc` shows `(default)` behind several classes. Claims that state no class get one of them, \
               which may not be the intended one.",
        why: "Admission gives the default class to new claims, and the controller gives it to older claims that have \
              no class. Both take the newest class that is marked as default. If several of them are equally new, they \
              take the first by name. The other marked classes are not used. Before Kubernetes 1.26, claims without a \
              class were refused instead.",
        confirm: "kubectl get sc --sort-by=.metadata.creationTimestamp\n\
                  kubectl get sc NAME -o jsonpath='{.metadata.creationTimestamp} {.metadata.annotations}'",
        repair: "Decide which class should be the default class, and set the annotation \
                 `storageclass.kubernetes.io/is-default-class` to \"false\" on all others.",
        prevention: "A chart or an add-on that installs a class usually has a setting for this annotation. Switch the \
                     setting off. Otherwise the annotation is written again.",
        hazard: "If you remove the annotation from the wrong class, new claims get another storage system or another \
                 reclaim policy, and no message reports this. Claims that have a class keep it.",
        sources: &[
            "GetDefaultClass, pkg/volume/util, Kubernetes 1.36 (C5)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/, retroactive default class",
            "kubernetes/kubernetes#110559",
            "kubernetes/website#47297",
        ],
    },
    detect: Detect::Class(detect),
};

fn detect(case: &Case<'_>, class: &StorageClass) -> Option<Detection> {
    let classes = case.snapshot().classes();
    let winner = newest_default(classes).filter(|_| class.is_default())?;
    let others: Vec<&StorageClass> =
        classes.iter().filter(|other| other.is_default() && other.meta.name != winner.meta.name).collect();
    let first = *others.first()?;
    // A class that was not read may be newer.
    if !case.knows_all(Kind::StorageClass, "") {
        return None;
    }
    let counts = class.meta.name == winner.meta.name;
    Some(if counts { counting(winner, first, &others) } else { idle(case, class, winner) })
}

/// Reports the class that claims without a class get.
fn counting(winner: &StorageClass, first: &StorageClass, others: &[&StorageClass]) -> Detection {
    let (name, names) = (&winner.meta.name, some_names(others));
    let why = if others.iter().any(|other| other.meta.created == winner.meta.created) {
        "It is the first by name of the newest ones"
    } else {
        "It is the newest"
    };
    let found = Detection::new(format!(
        "{} classes are marked as default, and only class {name} is used as default. {why}. Claims that state no class \
         get class {name} (provisioner {}), and never {names}",
        others.len() + 1,
        winner.provisioner
    ));
    let found = with_mark(with_mark(found, winner), first);
    let Some(only) = others.first().filter(|_| others.len() == 1) else {
        return found.remedy(by_hand(format!(
            "decide which class should be the default class, and remove the annotation from all others; the finding \
             on each class other than {name} has the commands"
        )));
    };
    let other = &only.meta.name;
    found
        .remedy(unmark(only, format!("keep {name} as the only default class; this changes the class of no claim")))
        .remedy(unmark(winner, format!("make {other} the default class of new claims")))
}

/// Reports a class that is marked as default and is not used as the default class.
fn idle(case: &Case<'_>, class: &StorageClass, winner: &StorageClass) -> Detection {
    let name = &winner.meta.name;
    let why = if winner.meta.created == class.meta.created { "as old and first by name" } else { "newer" };
    let found = Detection::new(format!(
        "class {name} is the default class instead, because it is {why}. Both are marked as default. Claims that \
         state no class get class {name} (provisioner {}) and not this class (provisioner {})",
        winner.provisioner, class.provisioner
    ));
    with_mark(with_mark(found, class), winner)
        .follows_from(class_key(name), Act::Default)
        .remedy(unmark(
            class,
            format!("remove the annotation, and keep {name} as the default class; this changes the class of no claim"),
        ))
        .remedy(unmark(winner, format!("make {} the default class of new claims", case.object().name)))
}

/// Adds the annotation of the default class and the creation time of the class as evidence.
fn with_mark(found: Detection, class: &StorageClass) -> Detection {
    let key = class_key(&class.meta.name);
    found.evidence(&key, mark(class), "true").moment(&key, "metadata.creationTimestamp", class.meta.created)
}

/// Returns the first two classes by name, and how many more there are.
fn some_names(classes: &[&StorageClass]) -> String {
    let names: Vec<&str> = classes.iter().take(2).map(|class| class.meta.name.as_str()).collect();
    match classes.len() {
        0..=2 => names.join(" or "),
        several => format!("{} or {} more", names.join(", "), several - 2),
    }
}

/// Returns the annotation that marks the class as default.
fn mark(class: &StorageClass) -> &'static str {
    if class.meta.annotations.get(AnnotationKey::IsDefaultClass) == Some("true") {
        "metadata.annotations[storageclass.kubernetes.io/is-default-class]"
    } else {
        "metadata.annotations[storageclass.beta.kubernetes.io/is-default-class]"
    }
}
