//! The words of a diagnosis: the state and its cause in one sentence, and what else a person has to know.

use super::data::DataProspect;
use super::decisive::Decisive;
use super::predicted::recycled_beside;
use crate::diagnosis::reason::View;
use crate::diagnosis::{Finding, Risk};
use crate::model::{Kind, ObjectId, ObjectKey, Pod, PodPhase, TypedId};
use crate::snapshot::Snapshot;
use crate::text::capitalized;

/// The first word of a sentence about data that are about to be lost.
const DANGER: &str = "Danger: ";

/// The beginning of a sentence that asks a person to act. Such a sentence is left out if the object changes by itself.
pub(super) const YOU_HAVE_TO_ACT: &str = "You have to act";

/// The word for the state of an object that is being deleted.
const TERMINATING: &str = "being deleted";

/// The words of a diagnosis.
pub(super) struct Words {
    /// The state and its cause in one short sentence.
    pub(super) headline: String,
    /// What else a person has to know, as sentences.
    pub(super) details: Vec<String>,
}

impl Words {
    /// Returns whether the words ask a person to act.
    pub(super) fn ask_person(&self) -> bool {
        self.details.iter().any(|sentence| sentence.starts_with(YOU_HAVE_TO_ACT))
    }
}

/// Returns the words about one object. `decisive` is the finding that is the cause, if there is one. `plain` are the
/// words without any finding. `dangers` are the other findings that say that data are in danger.
pub(super) fn of_object(
    snapshot: &Snapshot,
    object: &ObjectKey,
    view: Option<View<'_>>,
    plain: Words,
    decisive: Option<Decisive<'_>>,
    dangers: &[&Finding],
    data: Option<DataProspect>,
) -> Words {
    // A deletion of data that somebody requested needs no sentence of its own if the cause is on the same object,
    // because the text of the cause states it.
    let is_own = decisive.is_some_and(|decisive| decisive.root.object == *object);
    let is_asked_for = |danger: &Finding| is_own && danger.is_asked_for() && danger.object == *object;
    let is_doomed = dangers.iter().any(|danger| is_asked_for(danger));
    let mut words = match decisive {
        Some(decisive) => of_problem(snapshot, object, view, decisive, is_doomed),
        None => plain,
    };
    if decisive.is_some() {
        words.details.extend(view.and_then(recycled_beside));
        // The text of the rule may be about another problem, and not mention the data.
        if let Some(data) = data.filter(|data| data.is_danger())
            && !words.details.iter().any(|sentence| sentence.starts_with(DANGER))
        {
            match words.details.iter().position(|sentence| sentence.contains(" data")) {
                Some(at) => {
                    let told = words.details.remove(at);
                    let (danger, before) = danger_first(told.trim_end_matches('.'));
                    if !before.is_empty() {
                        words.details.insert(at, format!("{before}."));
                    }
                    words.details.insert(at, format!("{DANGER}{danger}."));
                }
                None => words.details.push(format!("{DANGER}{}.", data.words())),
            }
        }
    }
    let is_told = words.details.iter().any(|sentence| sentence.starts_with(DANGER));
    let untold = dangers.iter().filter(|danger| !is_told || danger.object != *object);
    for danger in untold.filter(|danger| !is_asked_for(danger)) {
        words.details.push(format!("{DANGER}{}.", whole(danger, object, snapshot)));
    }
    words
}

/// Returns the words about an object with a problem: they come from the rule that reports the cause. `is_doomed` says
/// that data of this object are deleted because somebody asked for that.
fn of_problem(
    snapshot: &Snapshot,
    object: &ObjectKey,
    view: Option<View<'_>>,
    decisive: Decisive<'_>,
    is_doomed: bool,
) -> Words {
    let Decisive { worst, root } = decisive;
    // For an object without a phase, the text is that of its own finding. Only this finding says how the object is
    // related to the cause.
    let has_phase = recorded(snapshot, object).is_some();
    let is_of_own = !has_phase && worst.object == *object;
    let told = if is_of_own || is_remote(snapshot, object, &root.object) { worst } else { root };
    let said = told.said_on(object, snapshot);
    let (clause, rest) = first_clause(&said);
    let subject = beginning(&noun(object));
    let phase = recorded(snapshot, object);
    let is_own = told.object == *object;
    // Whether the state of the object follows from the cause. A state that changes by itself does not. A deletion does
    // not follow from the cause either: somebody requested it, and the cause only delays its end.
    let changes = view.is_some_and(|view| view.prediction.changes());
    let follows = matches!(phase, Some("Pending" | "Lost")) && !changes;
    // The second "but" of a sentence is hard to read.
    let but = if clause.contains(" but ") { ";" } else { ", but" };
    let headline = match (phase, is_own) {
        (None, true) => match clause.strip_prefix("it ") {
            Some(predicate) => format!("{subject} {predicate}."),
            None => format!("{subject}: {clause}."),
        },
        (None, false) => format!("{subject}: {}.", about(told, object, clause)),
        // The phase is as it should be, so it does not follow from the problem.
        (Some(phase @ ("Bound" | "Available" | "Running")), true) => format!("{subject} is {phase}{but} {clause}."),
        (Some(phase), true) => format!("{subject} is {phase}: {clause}."),
        // The second "because" of a sentence is hard to read.
        (Some(phase), false) if follows && clause.contains(" because ") => {
            format!("{subject} is {phase}: {}.", about(told, object, clause))
        }
        (Some(phase), false) if follows => format!("{subject} is {phase} because {}.", about(told, object, clause)),
        // The phase has another reason than the problem.
        (Some(phase), false) => format!("{subject} is {phase}{but} {}.", about(told, object, clause)),
    };
    let sentence = |text: &str, is_danger: bool| {
        if is_danger { format!("{DANGER}{text}.") } else { format!("{}.", beginning(text)) }
    };
    let mut details = Vec::new();
    let is_danger = told.risk == Risk::Imminent || is_doomed;
    if !rest.is_empty() {
        let (danger, before) = if is_danger { danger_first(rest) } else { (rest, "") };
        details.push(sentence(danger, is_danger));
        details.extend((!before.is_empty()).then(|| sentence(before, false)));
    } else if is_danger {
        details.push(sentence("the data are about to be lost", true));
    }
    if !std::ptr::eq(worst, root) {
        let other = if std::ptr::eq(told, root) { worst } else { root };
        details.push(sentence(&whole(other, object, snapshot), other.risk == Risk::Imminent));
    }
    Words { headline, details }
}

/// Returns whether the cause is on a claim or pod that is not directly related to the object, such as the claim of an
/// NFS server. Then only the finding about the object says how the two are connected.
fn is_remote(snapshot: &Snapshot, object: &ObjectKey, cause: &ObjectKey) -> bool {
    if !matches!(cause.kind, Kind::PersistentVolumeClaim | Kind::Pod) {
        return false;
    }
    // A claim that names the same volume is directly related to it.
    let claim = snapshot.claim_id(&cause.namespace, &cause.name).filter(|_| cause.kind == Kind::PersistentVolumeClaim);
    let named = claim.map(|id| snapshot.claim(id).volume_name.as_str());
    match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolume(id)) => {
            let own = snapshot.volume(id).claim_ref.as_ref();
            named != Some(&*object.name) && own.is_some_and(|own| own.namespace != cause.namespace)
        }
        Some(TypedId::PersistentVolumeClaim(id)) if named == Some(&*snapshot.claim(id).volume_name) => false,
        _ => !object.namespace.is_empty() && object.namespace != cause.namespace,
    }
}

/// Splits a text before the first sentence that says that data or storage are deleted. Returns the text from this
/// sentence on, and the text before it. Neither part ends with a full stop.
fn danger_first(rest: &str) -> (&str, &str) {
    let is_danger = |sentence: &str| {
        let sentence = sentence.split(". ").next().unwrap_or_default();
        let says = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
        says(&["data", "storage"]) && says(&["delete", "destroy", "scrub"])
    };
    let starts = rest.match_indices(". ").map(|(at, stop)| at + stop.len());
    match starts.into_iter().find(|start| is_danger(&rest[*start..])) {
        Some(start) if !is_danger(rest) => (&rest[start..], rest[..start].trim_end_matches(['.', ' '])),
        _ => (rest, ""),
    }
}

/// Returns the whole message of a rule, without a full stop at the end. The text names its subject.
fn whole(finding: &Finding, object: &ObjectKey, snapshot: &Snapshot) -> String {
    let said = finding.said_on(object, snapshot);
    if finding.object == *object || finding.names_its_objects() {
        said
    } else {
        format!("{}: {said}", noun(&finding.object))
    }
}

/// Returns a note about an object that is well.
pub(super) fn note(object: &ObjectKey, finding: &Finding, snapshot: &Snapshot) -> String {
    let said = finding.said_on(object, snapshot);
    let (clause, _) = first_clause(&said);
    let told = if finding.object == *object { clause.to_owned() } else { about(finding, object, clause) };
    format!("Note: {told}.")
}

/// Returns the recorded phase of a claim, volume or pod. If the object is being deleted, returns words that say this.
fn recorded<'s>(snapshot: &'s Snapshot, object: &ObjectKey) -> Option<&'s str> {
    let (phase, is_terminating) = match snapshot.object_id(object)?.typed() {
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            (volume.status.phase.as_str(), volume.terminating())
        }
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            (claim.status.phase.as_str(), claim.terminating())
        }
        TypedId::Pod(id) => {
            let pod: &Pod = snapshot.get(id);
            // The API server sets the phase Pending in each new pod.
            let phase = if pod.phase == PodPhase::Empty { PodPhase::Pending.as_str() } else { pod.phase.as_str() };
            (phase, pod.meta.deleted.is_some())
        }
        _ => return None,
    };
    Some(if is_terminating { TERMINATING } else { phase })
}

/// The smallest number of words in the first clause of a message. A shorter clause alone says too little.
const LEAST_WORDS: usize = 8;

/// Splits a message of a rule after its first clause, which has the cause. The second part may be empty.
pub(super) fn first_clause(message: &str) -> (&str, &str) {
    let mut depth = 0_i32;
    let mut is_quoted = false;
    let is_short = |at: usize| message[..at].split_whitespace().count() < LEAST_WORDS;
    for (at, character) in message.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            '"' => is_quoted = !is_quoted,
            ';' if is_short(at) => {}
            '.' | ';' if depth <= 0 && !is_quoted && message[at + 1..].starts_with(' ') => {
                return (&message[..at], message[at + 2..].trim_start());
            }
            _ => {}
        }
    }
    (message, "")
}

/// Returns the object as people name it in a sentence, such as `claim db/data-0`.
pub fn noun(object: &ObjectKey) -> String {
    let ObjectKey { kind, namespace, name } = object;
    let word = match kind {
        Kind::PersistentVolume => "volume",
        Kind::PersistentVolumeClaim => "claim",
        Kind::StorageClass => "class",
        Kind::Pod => "pod",
        Kind::Node => "node",
        Kind::Namespace => "namespace",
        other => other.as_str(),
    };
    if namespace.is_empty() { format!("{word} {name}") } else { format!("{word} {namespace}/{name}") }
}

/// Returns a clause of a rule as a sentence that names the object. Returns None if the clause does not name the object.
/// Then the caller has to write the name before the clause.
fn told_alone(object: &ObjectKey, clause: &str) -> Option<String> {
    if let Some(predicate) = clause.strip_prefix("it ") {
        return Some(format!("{} {predicate}", noun(object)));
    }
    let word = match object.kind {
        Kind::PersistentVolume => "the volume",
        Kind::PersistentVolumeClaim => "the claim",
        Kind::StorageClass => "the class",
        _ => "the object",
    };
    let plain = format!(" {} ", clause.replace([',', '.', ':', ';', '(', ')', '\''], " "));
    // A rule about a VolumeAttachment names the volume and the node. The name of the VolumeAttachment itself is not
    // useful.
    let is_named = object.kind == Kind::VolumeAttachment
        || !["it", "its", "this", word].iter().any(|reference| plain.contains(&format!(" {reference} ")));
    is_named.then(|| clause.to_owned())
}

/// Returns the first clause of a rule for a page. If the finding is on another object than that of the page, the text
/// names this other object.
fn about(finding: &Finding, page: &ObjectKey, clause: &str) -> String {
    if finding.object == *page || finding.names_its_objects() {
        return clause.to_owned();
    }
    told_alone(&finding.object, clause).unwrap_or_else(|| format!("{}: {clause}", noun(&finding.object)))
}

/// Returns the cause alone, in the words of the page of the object. If the cause is on another object, the text names
/// that object.
pub(super) fn cause(finding: &Finding, page: &ObjectKey, snapshot: &Snapshot) -> String {
    about(finding, page, first_clause(&finding.said_on(page, snapshot)).0)
}

/// Returns the text as the beginning of a sentence. The name of a driver keeps its first letter.
pub(super) fn beginning(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if first.contains(['.', '/']) {
        return text.to_owned();
    }
    capitalized(text)
}
