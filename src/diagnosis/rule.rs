//! The definition of a rule: the objects that it examines, the highest severity that it reports, and the page that
//! explains it.

use super::{Detect, Risk, Severity};
use crate::model::Kind;

/// Something that should happen to an object and does not. A finding follows from another finding only if both have the
/// same act: the cause hinders the act, and the act is missing in the consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// A claim is bound to a volume.
    Bind,
    /// A claim stays without a class.
    StayClassless,
    /// The `claimRef` of a volume allows other claims to be bound to the volume.
    Offer,
    /// A volume is bound again to the claim that its `claimRef` names.
    GiveBack,
    /// The `claimRef` of a volume, or of all volumes of a namespace, has the uid of the claim that exists.
    NameOwner,
    /// No other volume refers to the storage of this volume.
    OwnStorage,
    /// Some node can use the volume.
    Reach,
    /// Volumes of a class are provisioned.
    Provision,
    /// Volumes of a class are expanded.
    Expand,
    /// Exactly one class is the default class.
    Default,
    /// Pods that use claims, or that use claims of a class, are scheduled to a node.
    Schedule,
    /// Claims are kept when their StatefulSet is deleted.
    Outlive,
    /// An object that is being deleted is removed.
    Delete,
    /// A volume is detached from a node.
    Detach,
    /// The server of a shared volume answers the pods that use the volume.
    Serve,
}

/// A repair of what a rule finds, by a verb of pvctl. A [`super::Remedy`] describes a repair in words, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// The claim gets back its volume.
    Restore,
    /// The data of the volume, or of the claim's volumes, are kept.
    Retain,
    /// The volume is kept, and is reserved for its last claim again.
    Release,
    /// The incomplete binding of the volume is undone, in favour of the only claim that names the volume.
    Unbind,
    /// The claim is given back to the scheduler: its selected node is removed.
    Reschedule,
    /// The claim, which has no volume, is created again with the class that was meant.
    Reclass,
    /// The clients of the shared volume get their server back, at the address that they use.
    Reconnect,
}

/// One kind of problem.
#[derive(Debug)]
pub struct Rule {
    /// The id of the rule. It is in kebab-case and never changes.
    pub id: &'static str,
    /// The problem in a few words, without a full stop.
    pub title: &'static str,
    /// The highest severity that the rule reports.
    pub severity: Severity,
    /// The highest risk to data that the rule reports.
    pub risk: Risk,
    /// The kinds that have to be read for this rule, in addition to the object's own kind.
    pub reads: &'static [Kind],
    /// The acts that do not happen to the object as long as the problem exists.
    pub hinders: &'static [Act],
    /// The verbs that repair the problem or make it harmless, the safest first. The list is empty if only a person can
    /// repair it.
    pub repairs: &'static [Repair],
    /// The page that explains the rule.
    pub page: Page,
    /// The function that detects the problem, and the kind of object that it examines.
    pub detect: Detect,
}

/// The page that explains a rule. Each part is one or more sentences, except `confirm` and `sources`. Words in
/// capitals, such as `NAME` and `NAMESPACE`, are placeholders. Code is in backquotes.
#[derive(Debug)]
pub struct Page {
    /// What a person sees with kubectl.
    pub seen: &'static str,
    /// Why the problem happens: which function of the controller does what.
    pub why: &'static str,
    /// How to confirm the problem by hand: one command per line.
    pub confirm: &'static str,
    /// How to repair the problem, the safest way first.
    pub repair: &'static str,
    /// How to prevent the problem.
    pub prevention: &'static str,
    /// What can happen to the data, and which repair increases the risk.
    pub hazard: &'static str,
    /// The sources of the facts: functions of Kubernetes with the version, documents, issues.
    pub sources: &'static [&'static str],
}
