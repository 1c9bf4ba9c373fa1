//! What a rule is: what it looks at, what it reports at worst, and the page that explains it.

use super::{Detect, Risk, Severity};
use crate::model::Kind;

/// What should come about with an object and does not. A finding follows from another one only where both share it: the
/// root hinders it, and the consequence misses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// A claim gets its volume.
    Bind,
    /// A claim stays without a class.
    StayClassless,
    /// A volume's `claimRef` lets other claims have it.
    Offer,
    /// A volume is given back to the claim that has the name in its `claimRef`.
    GiveBack,
    /// The `claimRef` of a volume, or of all volumes of a namespace, has the uid of the claim that lives.
    NameOwner,
    /// A volume has its storage for itself.
    OwnStorage,
    /// Some node can use a volume.
    Reach,
    /// Volumes of a class are made.
    Provision,
    /// Volumes of a class grow.
    Expand,
    /// One class alone is the default.
    Default,
    /// Pods with claims, or with claims of a class, get a node.
    Schedule,
    /// Claims stay when the set that they are of goes.
    Outlive,
    /// An object that is being deleted goes.
    Delete,
    /// A volume is detached.
    Detach,
}

/// What a verb of pvctl does about what a rule finds. A [`super::Remedy`] is a way out in words, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// The claim gets its volume back.
    Restore,
    /// The data are kept, of the volume or of the claim's volumes.
    Retain,
    /// The volume is kept, and offered to its last claim again.
    Release,
    /// The half-made binding of the volume is rolled back, in favour of the only claim that names the volume.
    Unbind,
    /// The choice of a node is taken back.
    Unselect,
    /// The claim, which has no volume, is made anew with the class that is meant.
    Reclass,
}

/// One thing that can be wrong.
#[derive(Debug)]
pub struct Rule {
    /// Its id: kebab-case, stable for ever.
    pub id: &'static str,
    /// What is wrong, in a few words without a full stop.
    pub title: &'static str,
    /// The highest severity that it reports.
    pub severity: Severity,
    /// The highest risk to data that it reports.
    pub risk: Risk,
    /// The kinds on whose reading it rests, besides the object's own.
    pub reads: &'static [Kind],
    /// What does not come about with its object as long as it is found.
    pub hinders: &'static [Act],
    /// What repairs it, or makes it harmless, the safest first; nothing where only a person can.
    pub repairs: &'static [Repair],
    /// What people read about it.
    pub page: Page,
    /// How it is found.
    pub detect: Detect,
}

/// What people read about a rule. Each part is one or more sentences, in which `NAME`, `NAMESPACE` and other words in
/// capitals stand for what is theirs; code is in backquotes.
#[derive(Debug)]
pub struct Page {
    /// What is seen with kubectl.
    pub seen: &'static str,
    /// Why it happens: which function of the controller does what.
    pub why: &'static str,
    /// How to confirm it by hand: commands, one in each line.
    pub confirm: &'static str,
    /// How it is repaired, the safest way first.
    pub repair: &'static str,
    /// How it is kept from happening again.
    pub prevention: &'static str,
    /// What can go wrong with the data, and which repair makes it worse.
    pub hazard: &'static str,
    /// Where the facts are from: functions of Kubernetes with the version, documents, issues.
    pub sources: &'static [&'static str],
}
