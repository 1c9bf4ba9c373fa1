//! Mentions of objects in the message of a rule. The message is written once, and the pages of several objects show it.
//! Each page replaces a mention with "it", "this claim", "its volume v", or the full name.

use super::object::noun;
use crate::model::{ClaimPhase, Kind, ObjectKey};
use crate::snapshot::Snapshot;

/// The first character of a mention. Unicode keeps this character and the three below for private use.
const START: char = '\u{E000}';

/// The character between the fields of a mention.
const SPLIT: char = '\u{E001}';

/// The first character of words that only the page of the object shows.
const OWN: char = '\u{E003}';

/// The last character of a mention.
const END: char = '\u{E002}';

/// The kinds of objects that rules mention.
const KINDS: [Kind; 6] =
    [Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass, Kind::Pod, Kind::Node, Kind::Namespace];

/// Mentions the object. On the page of the object, the mention is "it" at the beginning of the message, and "this
/// claim" later.
pub fn mention(object: &ObjectKey) -> String {
    written(object, "", "", "")
}

/// Mentions a part of the object, such as `the node affinity` or `spec.claimRef`. On the page of the object this is
/// "its node affinity", and elsewhere "the node affinity of volume v".
pub fn part_of(object: &ObjectKey, part: &str) -> String {
    written(object, part, "", "")
}

/// Mentions the volume of a claim by the name of the claim, because people know the claim better. On the page of the
/// claim this is "its volume", and on the page of the volume "it". `volume` is the name of the volume.
pub fn volume_of(claim: &ObjectKey, volume: &str) -> String {
    // No volume has this name.
    let volume = if volume.is_empty() { "?" } else { volume };
    written(claim, "", volume, "")
}

/// Returns words that the page of the object leaves out, because its headline already says them.
pub fn elsewhere(object: &ObjectKey, words: &str) -> String {
    written(object, "", "", words)
}

/// Returns words that only the page of the object shows.
pub fn on_own_page(object: &ObjectKey, words: &str) -> String {
    written(object, "", "", &format!("{OWN}{words}"))
}

fn written(object: &ObjectKey, part: &str, volume: &str, elsewhere: &str) -> String {
    let ObjectKey { kind, namespace, name } = object;
    let fields = [kind.as_str(), namespace, name, part, volume, elsewhere];
    let plain = |field: &&str| field.replace([START, SPLIT, END], "");
    let fields: Vec<String> = fields.iter().map(plain).collect();
    format!("{START}{}{END}", fields.join(&SPLIT.to_string()))
}

/// Returns whether the text mentions an object. Then the text names its subject on every page.
pub(super) fn has_mentions(text: &str) -> bool {
    text.contains(START)
}

/// Returns the message of a rule in the words of the page of the object.
pub fn on_page(text: &str, page: &ObjectKey, snapshot: &Snapshot) -> String {
    let mut pieces = text.split(START);
    let mut said = pieces.next().unwrap_or_default().to_owned();
    let mut seen: Vec<ObjectKey> = Vec::new();
    for piece in pieces {
        let (fields, rest) = piece.split_once(END).unwrap_or((piece, ""));
        let fields: Vec<&str> = fields.split(SPLIT).collect();
        if let [kind, namespace, name, part, volume, elsewhere] = *fields.as_slice()
            && let Some(kind) = KINDS.into_iter().find(|known| known.as_str() == kind)
        {
            let object = super::key(kind, namespace, name);
            if !elsewhere.is_empty() {
                said.push_str(match elsewhere.strip_prefix(OWN) {
                    Some(own) if object == *page => own,
                    None if object != *page => elsewhere,
                    _ => "",
                });
                said.push_str(rest);
                continue;
            }
            let words = words(&object, part, volume, page, snapshot, said.is_empty(), &seen);
            said.push_str(&words);
            seen.push(object);
        }
        said.push_str(rest);
    }
    said
}

fn words(
    object: &ObjectKey,
    part: &str,
    volume: &str,
    page: &ObjectKey,
    snapshot: &Snapshot,
    is_first: bool,
    seen: &[ObjectKey],
) -> String {
    let own = |word: &str| if is_first { "it".to_owned() } else { format!("this {word}") };
    let is_own = object == page;
    // "its" could mean another object that the sentence has named.
    let is_clear = seen.iter().all(|seen| seen == page);
    let its = |word: &str| if is_clear { "its".to_owned() } else { format!("this {word}'s") };
    if !volume.is_empty() {
        return match page.kind {
            _ if is_own => format!("{} volume", its("claim")),
            Kind::PersistentVolume if page.name == volume => own("volume"),
            _ => format!("the volume of {}", named(object, page)),
        };
    }
    if is_own && !part.is_empty() {
        // For example, the page of a namespace shows "all 3 claims" without "its".
        let is_count = part.starts_with("all ") || part.starts_with(|first: char| first.is_ascii_digit());
        if is_count {
            return part.to_owned();
        }
        // "its" refers to the object that the sentence has mentioned before.
        if is_first || seen.contains(object) {
            return format!("its {}", part.trim_start_matches("the "));
        }
    }
    let name = match (is_own, word(object.kind)) {
        (true, Some(word)) => own(word),
        (false, Some(word)) if seen.contains(object) => format!("the {word}"),
        (false, Some(_)) if is_partner(snapshot, page, object) => {
            format!("{} {}", its(word(page.kind).unwrap_or("object")), noun(object))
        }
        _ => named(object, page),
    };
    if part.is_empty() { name } else { format!("{part} of {name}") }
}

/// Returns the word for an object of the kind, if a sentence can use it instead of a name.
fn word(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::PersistentVolume => Some("volume"),
        Kind::PersistentVolumeClaim => Some("claim"),
        Kind::StorageClass => Some("class"),
        Kind::Pod => Some("pod"),
        Kind::Node => Some("node"),
        Kind::Namespace => Some("namespace"),
        _ => None,
    }
}

/// Returns the name of an object. A page of a pod or workload does not repeat its own namespace.
fn named(object: &ObjectKey, page: &ObjectKey) -> String {
    let is_near = object.namespace == page.namespace && page.kind != Kind::PersistentVolumeClaim;
    if is_near && !page.namespace.is_empty() {
        noun(&ObjectKey { namespace: "".into(), ..object.clone() })
    } else {
        noun(object)
    }
}

/// Returns whether the page is about a claim and the object is its volume, or the page is about a volume and the object
/// is its claim. A claim that was never bound has no volume.
fn is_partner(snapshot: &Snapshot, page: &ObjectKey, object: &ObjectKey) -> bool {
    let names = |volume: &ObjectKey, claim: &ObjectKey| {
        let named = snapshot.volume_id(&volume.name).and_then(|id| snapshot.volume(id).claim_ref.as_ref());
        named.is_some_and(|named| named.namespace == claim.namespace && named.name == claim.name)
    };
    let found = |claim: &ObjectKey| snapshot.claim_id(&claim.namespace, &claim.name).map(|id| snapshot.claim(id));
    let has = |claim: &ObjectKey, volume: &ObjectKey| {
        found(claim).is_none_or(|claim| {
            claim.volume_name == volume.name && matches!(claim.status.phase, ClaimPhase::Bound | ClaimPhase::Lost)
        })
    };
    // A claim that is Bound uses the volume that it names, whatever claim the volume names.
    let is_used = |claim: &ObjectKey, volume: &ObjectKey| {
        found(claim).is_some_and(|claim| claim.volume_name == volume.name && claim.status.phase == ClaimPhase::Bound)
    };
    match (page.kind, object.kind) {
        (Kind::PersistentVolumeClaim, Kind::PersistentVolume) => {
            is_used(page, object) || (names(object, page) && has(page, object))
        }
        (Kind::PersistentVolume, Kind::PersistentVolumeClaim) => names(page, object) && has(object, page),
        _ => false,
    }
}
