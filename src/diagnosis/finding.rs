//! What a rule found.

use super::{Act, Role, Rule, Suppressed};
use crate::model::{ObjectKey, ObjectMeta, Str, Timestamp};
use crate::simulate::Assumed;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A workload cannot run, or data are at risk now.
    Error,
    /// It will bite, or keeps something from being done.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// All, the worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Info];

    /// The word of the output contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// What may become of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// Controllers or drivers destroy data without anybody doing anything more.
    Imminent,
    /// A step that people would take next can destroy or disclose data.
    Possible,
    /// None that is known.
    None,
}

impl Risk {
    /// The word of the output contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imminent => "imminent",
            Self::Possible => "possible",
            Self::None => "none",
        }
    }
}

/// A field that somebody can look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The object.
    pub object: ObjectKey,
    /// The path of the field.
    pub field: &'static str,
    /// Its value; `<unset>` for none.
    pub value: String,
}

/// Something that makes it better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// Whose verb the command is: `kubectl`, or one of ours.
    pub verb: &'static str,
    /// The command as it is typed; empty where no command does it.
    pub command: String,
    /// What it does, in a sentence without a full stop.
    pub does: String,
}

/// An object from which a finding follows, if what should come about with it is hindered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blame {
    pub(super) object: ObjectKey,
    pub(super) act: Act,
}

/// The answer of a rule.
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
    pub(super) echoes: bool,
    pub(super) since: Option<Timestamp>,
    pub(super) is_early: bool,
}

impl Detection {
    /// What is so and why, in a sentence or two that name the objects, the field and both values.
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
            echoes: false,
            since: None,
            is_early: false,
        }
    }

    /// Not as bad as the rule's worst.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Mere information as long as that is so.
    #[must_use]
    pub fn quiet_while(self, quiet: bool) -> Self {
        if quiet { self.severity(Severity::Info) } else { self }
    }

    /// The same, because it may still come right by itself: of an object that somebody named it is told all the same.
    #[must_use]
    pub fn early_while(mut self, early: bool) -> Self {
        self.is_early |= early;
        self.quiet_while(early)
    }

    /// Another risk than the rule's worst.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Self {
        self.risk = Some(risk);
        self
    }

    /// A field that shows it; an empty value is shown as `<unset>`.
    #[must_use]
    pub fn evidence(mut self, object: &ObjectKey, field: &'static str, value: impl Into<String>) -> Self {
        let value = super::misfit::shown(&value.into());
        self.evidence.push(Evidence { object: object.clone(), field, value });
        self
    }

    /// A moment that shows it; none is shown as `<unset>`.
    #[must_use]
    pub fn moment(self, object: &ObjectKey, field: &'static str, moment: Option<Timestamp>) -> Self {
        self.evidence(object, field, moment.map(|moment| moment.to_string()).unwrap_or_default())
    }

    /// A way out; the safest is given first.
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedies.push(remedy);
        self
    }

    /// Several ways out.
    #[must_use]
    pub fn remedies(mut self, remedies: impl IntoIterator<Item = Remedy>) -> Self {
        self.remedies.extend(remedies);
        self
    }

    /// If something hinders that with that object, this follows from it. What else is wrong with the object is no
    /// reason for this.
    #[must_use]
    pub fn follows_from(mut self, object: ObjectKey, act: Act) -> Self {
        self.blamed.push(Blame { object, act });
        self
    }

    /// That object is not well because of this, though nothing may be found on it itself.
    #[must_use]
    pub fn affects(mut self, object: ObjectKey) -> Self {
        self.affected.push(object);
        self
    }

    /// As bad as what is found on the objects that it follows from; as stated where nothing is found there.
    #[must_use]
    pub fn as_bad_as_its_cause(mut self) -> Self {
        self.echoes = true;
        self
    }

    /// What that rule finds on that object is dealt with by the ways out given here: it is no matter of its own, unless
    /// it is worse.
    #[must_use]
    pub fn settles(mut self, rule: &'static Rule, object: ObjectKey) -> Self {
        self.settled.push((rule.id, object));
        self
    }

    /// How long it has been so, where an object tells.
    #[must_use]
    pub fn since(mut self, since: Option<Timestamp>) -> Self {
        self.since = since;
        self
    }
}

/// Something that is wrong with one object.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The object.
    pub object: ObjectKey,
    /// Its uid.
    pub uid: Str,
    /// How bad it is.
    pub severity: Severity,
    /// What may become of data.
    pub risk: Risk,
    /// What is so and why.
    pub message: String,
    /// The fields that show it.
    pub evidence: Vec<Evidence>,
    /// The ways out, the safest first.
    pub remedies: Vec<Remedy>,
    /// Since when it has been so, where an object tells.
    pub since: Option<Timestamp>,
    /// Absences on which it rests and that were assumed.
    pub assumed: Vec<Assumed>,
    /// Its place among causes and consequences.
    pub role: Role,
    /// Why it is kept back, if it is.
    pub suppressed: Option<Suppressed>,
    /// It is mere information only because it may still come right by itself.
    pub is_early: bool,
    /// The objects that it follows from, if something is wrong with them, and what is missing there.
    pub(super) blamed: Vec<Blame>,
    /// Objects that are not well because of this, whether or not anything is found on them.
    pub(super) affected: Vec<ObjectKey>,
    /// What other rules find on other objects and what is dealt with here.
    pub(super) settled: Vec<(&'static str, ObjectKey)>,
    /// It is as bad as the worst of what it follows from.
    pub(super) echoes: bool,
    place: u32,
}

impl Finding {
    /// What a rule found on an object. Nothing is an error that rests on an assumption, and no way out is offered on
    /// one.
    pub(super) fn new(
        rule: &'static Rule,
        place: u32,
        object: ObjectKey,
        meta: &ObjectMeta,
        found: Detection,
        assumed: Vec<Assumed>,
    ) -> Self {
        let risk = found.risk.unwrap_or(rule.risk);
        // Nothing makes a danger milder because it is young.
        let is_early = found.is_early && risk != Risk::Imminent;
        let stated = found.severity.filter(|_| is_early == found.is_early).unwrap_or(rule.severity);
        let (severity, remedies) =
            if assumed.is_empty() { (stated, found.remedies) } else { (stated.max(Severity::Warning), Vec::new()) };
        Self {
            rule,
            object,
            uid: meta.uid.clone(),
            severity,
            risk,
            message: found.message,
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
            echoes: found.echoes,
            place,
        }
    }

    /// Whether the data go because somebody asked for that, in the normal course.
    pub fn is_asked_for(&self) -> bool {
        self.risk == Risk::Imminent && self.severity == Severity::Info
    }

    /// The order of findings on one object: data at risk before everything, unless that was asked for, then the worst,
    /// then as the rules stand.
    pub(super) fn rank(&self) -> (bool, Severity, Risk, u32) {
        (self.risk != Risk::Imminent || self.is_asked_for(), self.severity, self.risk, self.place)
    }

    /// The order of findings on different objects: the gravest first, then by object.
    pub fn gravity(&self) -> (bool, Severity, Risk, &ObjectKey, u32) {
        let (safe, severity, risk, place) = self.rank();
        (safe, severity, risk, &self.object, place)
    }

    /// What tells this finding from all others of any run, as long as object and rule keep their names.
    pub fn fingerprint(&self) -> String {
        let ObjectKey { kind, namespace, name } = &self.object;
        let place = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        format!("{}:{}/{place}{name}", self.rule.id, kind.short())
    }
}
