//! Parses objects in the forms of kubectl: `TYPE/NAME …`, `TYPE NAME …`, `TYPE,TYPE`.

use super::value::kind_among;
use crate::error::Error;
use crate::model::{Kind, ObjectArgument};

/// Reads the words that name objects.
///
/// # Errors
///
/// Returns a usage error that names the wrong word. Possible mistakes are a type that is not in `kinds`, a missing
/// name, and a mix of the two forms.
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
            .hint("write every object as TYPE/NAME"));
    };
    let kind = kind(kind_word, Some(name), kinds)?;
    if name.is_empty() {
        return Err(Error::usage(format!("'{word}' has no name after the slash")));
    }
    if let Some((namespace, rest)) = name.split_once('/') {
        return Err(Error::usage(format!("'{word}' has more than one slash"))
            .hint(format!("name it as {}/{rest} -n {namespace}", kind.short())));
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

/// Returns the error for a known kind that this verb does not take. It names the kinds that the verb takes. If
/// `explain` takes this kind, it also names that command.
fn not_taken(kind: Kind, name: Option<&str>, kinds: &[Kind]) -> Error {
    let taken: Vec<String> = kinds.iter().map(|kind| format!("{}/NAME", kind.short())).collect();
    let taken = match taken.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    let error = Error::usage(format!("the object must be {taken}, not a {kind}"));
    if EXPLAINED.contains(&kind) {
        return error.hint(format!("use `kubectl pvctl explain {}/{}` for it", kind.short(), name.unwrap_or("NAME")));
    }
    error
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{ObjectArgument, one_object, parse_objects};
    use crate::model::Kind;

    const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn objects(line: &str) -> Vec<ObjectArgument> {
        parse_objects(&words(line), &KINDS).unwrap()
    }

    fn refused(line: &str) -> String {
        parse_objects(&words(line), &KINDS).unwrap_err().to_string()
    }

    fn claim(name: &str) -> ObjectArgument {
        ObjectArgument { kind: Kind::PersistentVolumeClaim, name: Some(name.to_owned()) }
    }

    #[test]
    fn the_forms_of_kubectl_name_the_same_objects() {
        assert_eq!(objects("pvc/a pvc/b"), [claim("a"), claim("b")]);
        assert_eq!(objects("pvc a b"), [claim("a"), claim("b")]);
        assert_eq!(objects("PersistentVolumeClaims a"), [claim("a")]);
        assert_eq!(objects(""), []);
    }

    #[test]
    fn a_type_without_a_name_selects_all_objects() {
        let all = KINDS.map(|kind| ObjectArgument { kind, name: None });
        assert_eq!(objects("pv,pvc"), all);
        assert_eq!(objects("pv"), all[..1]);
    }

    #[test]
    fn a_wrong_argument_is_named_in_the_error() {
        assert!(refused("pvc/a b").contains("'b' has no type"));
        assert!(refused("pvc/").contains("'pvc/' has no name"));
        assert!(refused("/a").contains("type before the slash is missing"));
        assert!(refused("pvc/db/a").contains("pvc/a -n db"));
        assert!(refused("cronjob/a").contains("'cronjob' is not known"));
        assert_eq!(
            refused("sc/a"),
            "error: the object must be pv/NAME or pvc/NAME, not a StorageClass\n\
             hint: use `kubectl pvctl explain sc/a` for it"
        );
        assert!(refused("sc").ends_with("use `kubectl pvctl explain sc/NAME` for it"));
        assert!(refused("pod web-0").ends_with("use `kubectl pvctl explain pod/web-0` for it"));
        assert_eq!(refused("lease/n"), "error: the object must be pv/NAME or pvc/NAME, not a Lease");
        let one = one_object(&words("pv/a"), &[Kind::PersistentVolumeClaim]).unwrap_err().to_string();
        assert!(one.starts_with("error: the object must be pvc/NAME, not a PersistentVolume\n"), "{one}");
        let empty = parse_objects(&["pvc".to_owned(), String::new()], &KINDS).unwrap_err();
        assert!(empty.to_string().contains("a name after 'pvc' is empty"));
        assert!(refused("a").contains("'a' is not known"));
    }

    #[test]
    fn a_verb_for_one_object_accepts_only_one() {
        assert_eq!(one_object(&words("pvc a"), &KINDS).unwrap(), (Kind::PersistentVolumeClaim, "a".to_owned()));
        assert!(one_object(&words("pvc"), &KINDS).unwrap_err().to_string().contains("pvc/NAME"));
        assert!(one_object(&words("pvc a b"), &KINDS).unwrap_err().to_string().contains("2 were given"));
    }
}
