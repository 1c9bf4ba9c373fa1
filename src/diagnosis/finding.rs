//! The result of a rule: what is wrong with an object.

use super::{Act, Role, Rule, Suppressed, mention};
use crate::model::{ObjectKey, ObjectMeta, Str, Timestamp};
use crate::simulate::Assumed;
use crate::snapshot::Snapshot;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A workload cannot run, or data are at risk now.
    Error,
    /// Something will fail later, or an action is blocked.
    Warning,
    /// Something is worth knowing.
    Info,
}

impl Severity {
    /// All severities, the most severe first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Info];

    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// The risk to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// Controllers or drivers will destroy data without any further action by a person.
    Imminent,
    /// A step that a person would probably take next can destroy or disclose data.
    Possible,
    /// No risk is known.
    None,
}

impl Risk {
    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imminent => "imminent",
            Self::Possible => "possible",
            Self::None => "none",
        }
    }
}

/// A field and its value, which a person can check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The object that has the field.
    pub object: ObjectKey,
    /// The path of the field.
    pub field: &'static str,
    /// The value of the field. `<unset>` means that there is no value.
    pub value: String,
}

/// Something that a person can do about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The program or verb of the command: `kubectl`, or a verb of pvctl. It is empty if there is no command.
    pub verb: &'static str,
    /// The command as a person types it. It is empty if no command exists for this remedy.
    pub command: String,
    /// What the remedy does, as a sentence without a full stop.
    pub does: String,
}

impl Remedy {
    /// Returns whether the remedy is a verb of pvctl. Before these verbs write, they check again the facts on which
    /// they depend.
    pub fn is_of_pvctl(&self) -> bool {
        !self.command.is_empty() && self.verb != "kubectl"
    }

    /// Returns whether the command does no harm if an assumption is wrong: it is a verb of pvctl, it only reads, it
    /// tests what it expects before it writes, or it deletes a pod that erases a volume.
    fn is_guarded(&self) -> bool {
        let reads = ["kubectl get ", "kubectl describe ", "kubectl logs "];
        self.is_of_pvctl()
            || reads.iter().any(|start| self.command.starts_with(start))
            // Rules delete only pods that erase a volume, and the controller creates such a pod again.
            || self.command.starts_with("kubectl delete pod ")
            || (self.command.starts_with("kubectl patch ") && self.command.contains(r#""op":"test""#))
    }
}

/// An object that this finding blames for an act that does not happen. A finding on that object is the cause if that
/// finding hinders the act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blame {
    pub(super) object: ObjectKey,
    pub(super) act: Act,
}

/// What one rule reports about one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    pub(super) severity: Option<Severity>,
    pub(super) risk: Option<Risk>,
    pub(super) message: String,
    pub(super) evidence: Vec<Evidence>,
    pub(super) remedies: Vec<Remedy>,
    pub(super) blamed: Vec<Blame>,
    pub(super) affected: Vec<ObjectKey>,
    pub(super) settled: Vec<(&'static str, ObjectKey)>,
    pub(super) takes_severity_of_cause: bool,
    pub(super) since: Option<Timestamp>,
    pub(super) is_early: bool,
}

impl Detection {
    /// Creates a detection with its message. The message says in one or two sentences what is wrong and why, and names
    /// the objects, the field and both values. The pages of other objects show the message, too. So the message names
    /// objects by [`super::mention`].
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            severity: None,
            risk: None,
            message: message.into(),
            evidence: Vec::new(),
            remedies: Vec::new(),
            blamed: Vec::new(),
            affected: Vec::new(),
            settled: Vec::new(),
            takes_severity_of_cause: false,
            since: None,
            is_early: false,
        }
    }

    /// Sets a severity that is lower than the severity of the rule.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Lowers the severity to Info if the condition is true.
    #[must_use]
    pub fn info_if(self, quiet: bool) -> Self {
        if quiet { self.severity(Severity::Info) } else { self }
    }

    /// Lowers the severity to Info and marks the detection as early, if the condition is true. The condition says that
    /// the problem may still end by itself.
    #[must_use]
    pub fn early_if(mut self, early: bool) -> Self {
        self.is_early |= early;
        self.info_if(early)
    }

    /// Sets a risk that differs from the risk of the rule.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Self {
        self.risk = Some(risk);
        self
    }

    /// Adds a field as evidence. An empty value is shown as `<unset>`.
    #[must_use]
    pub fn evidence(mut self, object: &ObjectKey, field: &'static str, value: impl Into<String>) -> Self {
        let value = super::misfit::shown(&value.into());
        self.evidence.push(Evidence { object: object.clone(), field, value });
        self
    }

    /// Adds a timestamp as evidence. A missing timestamp is shown as `<unset>`.
    #[must_use]
    pub fn moment(self, object: &ObjectKey, field: &'static str, moment: Option<Timestamp>) -> Self {
        self.evidence(object, field, moment.map(|moment| moment.to_string()).unwrap_or_default())
    }

    /// Adds a remedy. The safest remedy has to be added first.
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedies.push(remedy);
        self
    }

    /// Adds several remedies.
    #[must_use]
    pub fn remedies(mut self, remedies: impl IntoIterator<Item = Remedy>) -> Self {
        self.remedies.extend(remedies);
        self
    }

    /// States that this finding follows from a finding on that object, if that finding hinders the act. Other findings
    /// on the object are not causes of this finding.
    #[must_use]
    pub fn follows_from(mut self, object: ObjectKey, act: Act) -> Self {
        self.blamed.push(Blame { object, act });
        self
    }

    /// States that the object is affected by this problem, even if no rule reports anything about the object itself.
    #[must_use]
    pub fn affects(mut self, object: ObjectKey) -> Self {
        self.affected.push(object);
        self
    }

    /// Gives the finding the severity of the worst finding that it follows from. If this finding follows from no other
    /// finding, its own severity remains.
    #[must_use]
    pub fn as_bad_as_its_cause(mut self) -> Self {
        self.takes_severity_of_cause = true;
        self
    }

    /// States that the remedies of this detection also end what that rule finds on that object. The other finding
    /// becomes a consequence of this one, unless the other finding is more severe.
    #[must_use]
    pub fn settles(mut self, rule: &'static Rule, object: ObjectKey) -> Self {
        self.settled.push((rule.id, object));
        self
    }

    /// Sets the moment since which the problem exists, if an object states this moment.
    #[must_use]
    pub fn since(mut self, since: Option<Timestamp>) -> Self {
        self.since = since;
        self
    }
}

/// A problem of one object.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that reports the problem.
    pub rule: &'static Rule,
    /// The object that has the problem.
    pub object: ObjectKey,
    /// The uid of the object.
    pub uid: Str,
    /// The severity of the problem.
    pub severity: Severity,
    /// The risk to data.
    pub risk: Risk,
    /// What is wrong and why, in the words of the page of the object.
    pub message: String,
    /// The message before its mentions of objects are replaced. [`Finding::said_on`] makes the words of each page from
    /// it.
    pub(super) template: String,
    /// The fields that prove the problem.
    pub evidence: Vec<Evidence>,
    /// The remedies, the safest first.
    pub remedies: Vec<Remedy>,
    /// The moment since which the problem exists. If no object states this moment, it is the creation of the object.
    pub since: Option<Timestamp>,
    /// The absences that the finding rests on and that were assumed.
    pub assumed: Vec<Assumed>,
    /// Whether the finding is a root, and how it is related to other findings.
    pub role: Role,
    /// Why the finding is suppressed, if it is.
    pub suppressed: Option<Suppressed>,
    /// Whether the severity is Info only because the problem may still end by itself.
    pub is_early: bool,
    /// The objects whose findings may be the cause of this finding, each with the act that is missing.
    pub(super) blamed: Vec<Blame>,
    /// The objects that this problem affects, whether or not rules report anything about them.
    pub(super) affected: Vec<ObjectKey>,
    /// The findings of other rules on other objects that the remedies of this finding also end.
    pub(super) settled: Vec<(&'static str, ObjectKey)>,
    /// Whether the finding has the severity of the worst finding that it follows from.
    pub(super) takes_severity_of_cause: bool,
    place: u32,
}

impl Finding {
    /// Creates a finding from what a rule reports about an object. A finding that rests on an assumption is at most a
    /// Warning, and has only remedies that do no harm if the assumption is wrong.
    pub(super) fn new(
        rule: &'static Rule,
        place: u32,
        object: ObjectKey,
        meta: &ObjectMeta,
        found: Detection,
        assumed: Vec<Assumed>,
        snapshot: &Snapshot,
    ) -> Self {
        let risk = found.risk.unwrap_or(rule.risk);
        // A finding with an imminent risk to data keeps its severity, even if the problem is new.
        let is_early = found.is_early && risk != Risk::Imminent;
        let stated = found.severity.filter(|_| is_early == found.is_early).unwrap_or(rule.severity);
        let mut remedies = found.remedies;
        let severity = if assumed.is_empty() {
            stated
        } else {
            remedies.retain(Remedy::is_guarded);
            stated.max(Severity::Warning)
        };
        Self {
            rule,
            uid: meta.uid.clone(),
            severity,
            risk,
            message: mention::on_page(&found.message, &object, snapshot),
            template: found.message,
            evidence: found.evidence,
            remedies,
            since: found.since.or(meta.created),
            assumed,
            role: Role::default(),
            suppressed: None,
            is_early,
            blamed: found.blamed,
            affected: found.affected,
            settled: found.settled,
            takes_severity_of_cause: found.takes_severity_of_cause,
            place,
            object,
        }
    }

    /// Returns the message of the rule in the words of the page of that object.
    pub(super) fn said_on(&self, page: &ObjectKey, snapshot: &Snapshot) -> String {
        mention::on_page(&self.template, page, snapshot)
    }

    /// Returns whether the message names the objects that it is about. Then each page can show the message without
    /// other words.
    pub(super) fn names_its_objects(&self) -> bool {
        mention::has_mentions(&self.template)
    }

    /// Returns whether the data will be destroyed because somebody requested that. This is normal.
    pub fn is_asked_for(&self) -> bool {
        self.risk == Risk::Imminent && self.severity == Severity::Info
    }

    /// Returns the sort key of findings on one object. Imminent risk that nobody requested comes first, then the
    /// highest severity, then the highest risk, then the order of the rules.
    pub(super) fn rank(&self) -> (bool, Severity, Risk, u32) {
        (self.risk != Risk::Imminent || self.is_asked_for(), self.severity, self.risk, self.place)
    }

    /// Returns the sort key of findings on different objects: the rank without the position of the rule, then the
    /// object, then the position of the rule.
    pub fn gravity(&self) -> (bool, Severity, Risk, &ObjectKey, u32) {
        let (safe, severity, risk, place) = self.rank();
        (safe, severity, risk, &self.object, place)
    }

    /// Returns the objects that this finding blames, and those whose findings it settles.
    pub(super) fn related(&self) -> impl Iterator<Item = &ObjectKey> {
        self.blamed.iter().map(|blame| &blame.object).chain(self.settled.iter().map(|(_, object)| object))
    }

    /// Returns whether the finding mentions this object, which does not exist.
    pub fn tells_of_absent(&self, object: &ObjectKey) -> bool {
        let is_it = |key: &ObjectKey| key == object;
        let is_name = |word: &str| word.trim_matches(|mark: char| ",;:()\"".contains(mark)) == object.name;
        let evidence =
            || self.evidence.iter().any(|evidence| is_it(&evidence.object) || evidence.value == *object.name);
        self.affected.iter().any(is_it)
            || self.blamed.iter().any(|blame| is_it(&blame.object))
            || evidence()
            || self.message.split_whitespace().any(is_name)
    }

    /// Returns a text that identifies this finding in every run, as long as the object and the rule keep their names.
    pub fn fingerprint(&self) -> String {
        let ObjectKey { kind, namespace, name } = &self.object;
        let place = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        format!("{}:{}/{place}{name}", self.rule.id, kind.short())
    }
}
