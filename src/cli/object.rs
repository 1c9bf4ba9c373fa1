//! Parses objects in the forms of kubectl: `TYPE/NAME …`, `TYPE NAME …`, `TYPE,TYPE`.

use super::value::kind_among;
use crate::error::Error;
use crate::model::{Kind, ObjectArgument};

/// Reads the words that name objects.
///
/// # Errors
///
/// Returns a usage error that names the wrong word, for example a type that is not in `kinds`, an object without a
/// name, or a word whose form differs from the form of the other words.
pub fn parse_objects(words: &[String], kinds: &[Kind]) -> Result<Vec<ObjectArgument>, Error> {
    let Some((first, names)) = words.split_first() else { return Ok(Vec::new()) };
    if words.iter().any(|word| word.contains('/')) {
        return words.iter().map(|word| with_slash(word, kinds)).collect();
    }
    let types = first
        .split(',')
        .map(|word| kind(word, names.first().map(String::as_str), kinds))
        .collect::<Result<Vec<Kind>, Error>>()?;
    if names.is_empty() {
        return Ok(types.into_iter().map(|kind| ObjectArgument { kind, name: None }).collect());
    }
    if names.iter().any(String::is_empty) {
        return Err(Error::usage(format!("a name after '{first}' is empty")));
    }
    // As in kubectl, every type is combined with every name.
    Ok(types
        .into_iter()
        .flat_map(|kind| names.iter().map(move |name| ObjectArgument { kind, name: Some(name.clone()) }))
        .collect())
}

/// Reads the words that name exactly one object.
///
/// # Errors
///
/// Returns the errors of [`parse_objects`]. Also returns an error if the words name several objects or only a type.
pub fn one_object(words: &[String], kinds: &[Kind]) -> Result<(Kind, String), Error> {
    let named = parse_objects(words, kinds)?;
    match named.as_slice() {
        [ObjectArgument { kind, name: Some(name) }] => Ok((*kind, name.clone())),
        [ObjectArgument { kind, name: None }] => Err(Error::usage(format!("the name of the {kind} is missing"))
            .hint(format!("name one as {}/NAME", kind.short()))),
        several => Err(Error::usage(format!("this command takes one object, and {} were given", several.len()))),
    }
}

fn with_slash(word: &str, kinds: &[Kind]) -> Result<ObjectArgument, Error> {
    let Some((kind_word, name)) = word.split_once('/') else {
        return Err(Error::usage(format!("'{word}' has no type: TYPE/NAME and TYPE NAME cannot be mixed"))
            .hint("write each object as TYPE/NAME"));
    };
    let kind = kind(kind_word, Some(name), kinds)?;
    if name.is_empty() {
        return Err(Error::usage(format!("'{word}' has no name after the slash")));
    }
    if let Some((namespace, rest)) = name.split_once('/') {
        return Err(Error::usage(format!("'{word}' has more than one slash"))
            .hint(format!("write it as {}/{rest} -n {namespace}", kind.short())));
    }
    Ok(ObjectArgument { kind, name: Some(name.to_owned()) })
}

/// The kinds that `explain` takes, in the order in which messages name them.
pub const EXPLAINED: [Kind; 14] = [
    Kind::Pod,
    Kind::PersistentVolumeClaim,
    Kind::PersistentVolume,
    Kind::StorageClass,
    Kind::StatefulSet,
    Kind::Deployment,
    Kind::ReplicaSet,
    Kind::DaemonSet,
    Kind::Job,
    Kind::Node,
    Kind::Namespace,
    Kind::VolumeAttachment,
    Kind::VolumeSnapshot,
    Kind::Service,
];

fn kind(word: &str, name: Option<&str>, kinds: &[Kind]) -> Result<Kind, Error> {
    let short: Vec<&str> = kinds.iter().map(|kind| kind.short()).collect();
    if let Some(kind) = kind_among(kinds, word) {
        return Ok(kind);
    }
    match kind_among(&Kind::EVERY, word) {
        Some(kind) => Err(not_taken(kind, name.filter(|name| !name.is_empty()), kinds)),
        None if word.is_empty() => Err(Error::usage("the type before the slash is missing")),
        None => Err(Error::usage(format!("the type '{word}' is not known here"))
            .hint(format!("use one of the types {}, as TYPE/NAME or TYPE NAME", short.join(", ")))),
    }
}

/// Returns the error for a known kind that this verb does not take. The error names the kinds that the verb takes. If
/// `explain` takes this kind, the error also names the command `explain`.
fn not_taken(kind: Kind, name: Option<&str>, kinds: &[Kind]) -> Error {
    let taken: Vec<String> = kinds.iter().map(|kind| format!("{}/NAME", kind.short())).collect();
    let taken = match taken.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    let error = Error::usage(format!("the object must be {taken}, not a {kind}"));
    if EXPLAINED.contains(&kind) {
        return error.hint(format!("`kubectl pvctl explain {}/{}` explains it", kind.short(), name.unwrap_or("NAME")));
    }
    error
}
