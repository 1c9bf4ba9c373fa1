//! From words to a request: everything that can be wrong in them is said before a cluster is asked.

use crate::cli::{
    MoveArgs, RebindArgs, RecipientArgs, ReclaimArgs, RecreateArgs, ReleaseArgs, RenameArgs, RepairArgs, RestoreArgs,
    RetainArgs, UnbindArgs, UnfinalizeArgs, one_object,
};
use crate::error::Error;
use crate::model::{Kind, ObjectKey, Quantity, Str};
use crate::repair::{Recipient, Request, Setting};

/// The longest name of an object, and of a namespace. Upstream: `DNS1123SubdomainMaxLength`, `DNS1123LabelMaxLength`,
/// apimachinery, 1.36.
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// A repair as it is typed.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) enum Typed<'a> {
    Retain(&'a RetainArgs),
    Release(&'a ReleaseArgs),
    Unbind(&'a UnbindArgs),
    Reclaim(&'a ReclaimArgs),
    Recreate(&'a RecreateArgs),
    Restore(&'a RestoreArgs),
    Rebind(&'a RebindArgs),
    Move(&'a MoveArgs),
    Rename(&'a RenameArgs),
    Unfinalize(&'a UnfinalizeArgs),
}

impl Typed<'_> {
    /// What all repairs share.
    pub(super) fn shared(&self) -> &RepairArgs {
        match self {
            Self::Retain(args) => &args.repair,
            Self::Release(args) => &args.repair,
            Self::Unbind(args) => &args.repair,
            Self::Reclaim(args) => &args.repair,
            Self::Recreate(args) => &args.repair,
            Self::Restore(args) => &args.repair,
            Self::Rebind(args) => &args.repair,
            Self::Move(args) => &args.repair,
            Self::Rename(args) => &args.repair,
            Self::Unfinalize(args) => &args.repair,
        }
    }

    /// The claim whose volume is to be kept, in that namespace: which volume that is, the cluster says. Nothing where
    /// the words are a request by themselves.
    ///
    /// # Errors
    /// A usage error that names the word at fault.
    pub(super) fn claim_to_keep(&self, namespace: &str) -> Result<Option<ObjectKey>, Error> {
        let Self::Retain(args) = self else { return Ok(None) };
        let (kind, name) = one_object(&args.object, &[Kind::PersistentVolume, Kind::PersistentVolumeClaim])?;
        if kind != Kind::PersistentVolumeClaim {
            return Ok(None);
        }
        Ok(Some(ObjectKey { kind, namespace: label("namespace", namespace)?, name: checked("the name", &name)? }))
    }

    /// What is asked for, with claims looked up in that namespace.
    ///
    /// # Errors
    /// A usage error that names the word at fault.
    pub(super) fn request(&self, namespace: &str) -> Result<Request, Error> {
        let in_namespace = || label("namespace", namespace);
        Ok(match self {
            Self::Retain(args) => Request::Retain { volume: volume(&args.object)? },
            Self::Release(args) => Request::Release { volume: volume(&args.object)?, to: recipient(&args.recipient)? },
            Self::Unbind(args) => Request::Unbind { volume: volume(&args.object)?, to: recipient(&args.recipient)? },
            Self::Reclaim(args) => Request::Reclaim { volume: volume(&args.object)?, delete: args.delete },
            Self::Recreate(args) => Request::Recreate {
                namespace: in_namespace()?,
                name: claim(&args.object)?,
                set: settings(&args.set)?,
                provisioner_stopped: args.provisioner_stopped,
            },
            Self::Restore(args) => Request::Restore {
                namespace: in_namespace()?,
                name: claim(&args.object)?,
                from: args.from.as_deref().map(|word| volume_of_flag("--from", word)).transpose()?,
                provisioner_stopped: args.provisioner_stopped,
            },
            Self::Rebind(args) => Request::Rebind {
                namespace: in_namespace()?,
                name: claim(&args.object)?,
                to: volume_of_flag("--to", &args.to)?,
                provisioner_stopped: args.provisioner_stopped,
            },
            Self::Move(args) => {
                let name = claim(&args.object)?;
                Request::Move {
                    namespace: in_namespace()?,
                    to_namespace: label("--to-namespace", &args.to_namespace)?,
                    to_name: args.name.as_deref().map_or(Ok(name.clone()), |new| checked("--name", new))?,
                    name,
                    restore_policy: args.restore_policy,
                }
            }
            Self::Rename(args) => {
                let (new, object) = last(&args.object, "the new name", "pvc/NAME NEW")?;
                Request::Move {
                    namespace: in_namespace()?,
                    name: claim(object)?,
                    to_namespace: in_namespace()?,
                    to_name: checked("the new name", new)?,
                    restore_policy: args.restore_policy,
                }
            }
            Self::Unfinalize(args) => {
                let (finalizer, object) = last(&args.object, "the finalizer", "TYPE/NAME FINALIZER")?;
                let (kind, name) = one_object(object, &[Kind::PersistentVolume, Kind::PersistentVolumeClaim])?;
                let name = checked("the name", &name)?;
                let namespace = if kind.namespaced() { in_namespace()? } else { Str::default() };
                Request::Unfinalize {
                    object: ObjectKey { kind, namespace, name },
                    finalizer: finalizer.into(),
                    protected: args.protected,
                }
            }
        })
    }
}

/// The namespaces whose pods may use what a request is about, as far as the request names them.
pub(super) fn namespaces(request: &Request) -> Vec<Str> {
    match request {
        Request::Retain { .. } | Request::Reclaim { .. } | Request::Undo { .. } => Vec::new(),
        Request::Release { to, .. } | Request::Unbind { to, .. } => match to {
            Recipient::Claim { namespace, .. } => vec![namespace.clone()],
            Recipient::LastClaim | Recipient::Anyone => Vec::new(),
        },
        Request::Recreate { namespace, .. }
        | Request::Restore { namespace, .. }
        | Request::Rebind { namespace, .. }
        | Request::Unselect { namespace, .. } => vec![namespace.clone()],
        Request::Move { namespace, to_namespace, .. } => vec![namespace.clone(), to_namespace.clone()],
        Request::Unfinalize { object, .. } => {
            if object.kind.namespaced() {
                vec![object.namespace.clone()]
            } else {
                Vec::new()
            }
        }
    }
}

/// The volume of which is asked who uses it.
pub(super) fn volume_of(request: &Request) -> Option<&Str> {
    match request {
        Request::Retain { volume }
        | Request::Release { volume, .. }
        | Request::Unbind { volume, .. }
        | Request::Reclaim { volume, .. }
        | Request::Rebind { to: volume, .. }
        | Request::Restore { from: Some(volume), .. } => Some(volume),
        Request::Unfinalize { object, .. } if object.kind == Kind::PersistentVolume => Some(&object.name),
        Request::Unfinalize { .. }
        | Request::Restore { from: None, .. }
        | Request::Recreate { .. }
        | Request::Move { .. }
        | Request::Unselect { .. }
        | Request::Undo { .. } => None,
    }
}

fn volume(words: &[String]) -> Result<Str, Error> {
    let (_, name) = one_object(words, &[Kind::PersistentVolume])?;
    checked("the name", &name)
}

fn claim(words: &[String]) -> Result<Str, Error> {
    let (_, name) = one_object(words, &[Kind::PersistentVolumeClaim])?;
    checked("the name", &name)
}

/// A volume behind a flag: `pv/NAME`, or its name alone.
fn volume_of_flag(flag: &str, word: &str) -> Result<Str, Error> {
    if word.contains('/') {
        return volume(&[word.to_owned()])
            .map_err(|error| Error::usage(format!("{flag}: {}", error.message())).hint(format!("{flag} pv/NAME")));
    }
    checked(flag, word)
}

/// The word behind an object, and the words of the object: one with a slash, or two.
fn last<'a>(words: &'a [String], what: &str, form: &str) -> Result<(&'a str, &'a [String]), Error> {
    let of_object = words.first().map_or(0, |first| if first.contains('/') { 1 } else { 2 });
    match words.split_at_checked(of_object) {
        Some((object, [last])) if !last.is_empty() => Ok((last, object)),
        Some((_, [_, strange, ..])) => {
            Err(Error::usage(format!("{strange:?} is a word too many")).hint(format!("it takes {form}")))
        }
        Some(_) | None => Err(Error::usage(format!("{what} is missing")).hint(format!("it takes {form}"))),
    }
}

fn recipient(args: &RecipientArgs) -> Result<Recipient, Error> {
    match &args.reserve_for {
        None if args.to_anyone => Ok(Recipient::Anyone),
        None => Ok(Recipient::LastClaim),
        Some(word) => {
            let (namespace, name) = word.split_once('/').ok_or_else(|| {
                Error::usage(format!("--reserve-for: {word:?} is no NAMESPACE/NAME"))
                    .hint("name the claim with its namespace, such as db/data-0")
            })?;
            Ok(Recipient::Claim {
                namespace: label("--reserve-for: the namespace", namespace)?,
                name: checked("--reserve-for: the name", name)?,
            })
        }
    }
}

fn settings(words: &[String]) -> Result<Vec<Setting>, Error> {
    const KEYS: &str = "class (or storageClassName), size, modes, volumeMode, name, volumeName, selector";
    let mut settings: Vec<Setting> = Vec::new();
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| {
            Error::usage(format!("--set: {word:?} is no KEY=VALUE")).hint(format!("the keys are {KEYS}"))
        })?;
        let flag = format!("--set {key}");
        let setting = match key {
            "class" | "storageClassName" if value.is_empty() => Setting::Class(Str::default()),
            "class" | "storageClassName" => Setting::Class(checked(&flag, value)?),
            "volumeName" if value.is_empty() => Setting::VolumeName(Str::default()),
            "volumeName" => Setting::VolumeName(checked(&flag, value)?),
            "name" => Setting::Name(checked(&flag, value)?),
            "size" => {
                let quantity = Quantity::parse(value).map_err(|error| {
                    Error::usage(format!("{flag}: {value:?} is no size: {error}")).hint("such as 10Gi")
                })?;
                // It is rounded up.
                if quantity.value() < 1 {
                    return Err(Error::usage(format!("{flag}: {value} is not more than nothing")));
                }
                Setting::Size(value.into())
            }
            "modes" => {
                let known = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
                let modes: Vec<Str> = value.split(',').map(|mode| long_mode(mode).into()).collect();
                if let Some(strange) = modes.iter().find(|mode| !known.contains(&mode.as_str())) {
                    return Err(Error::usage(format!("{flag}: {strange:?} is no access mode"))
                        .hint(format!("they are {}", known.join(", "))));
                }
                Setting::Modes(modes)
            }
            "volumeMode" if ["Filesystem", "Block"].contains(&value) => Setting::VolumeMode(value.into()),
            "volumeMode" => {
                return Err(Error::usage(format!("{flag}: {value:?} is no volume mode")).hint("Filesystem or Block"));
            }
            "selector" if value == "none" => Setting::NoSelector,
            "selector" => {
                return Err(Error::usage(format!("{flag}: a selector can only be taken away, with selector=none")));
            }
            _ => {
                return Err(Error::usage(format!("--set: {key:?} is not known")).hint(format!("the keys are {KEYS}")));
            }
        };
        if settings.iter().any(|other| std::mem::discriminant(other) == std::mem::discriminant(&setting)) {
            return Err(Error::usage(format!("{flag} is given twice")));
        }
        settings.push(setting);
    }
    Ok(settings)
}

/// An access mode by its short name, as `kubectl get` prints it.
fn long_mode(word: &str) -> &str {
    match word {
        "RWO" => "ReadWriteOnce",
        "ROX" => "ReadOnlyMany",
        "RWX" => "ReadWriteMany",
        "RWOP" => "ReadWriteOncePod",
        long => long,
    }
}

/// A name that the API server takes for volumes, claims and classes: an RFC 1123 subdomain.
fn checked(what: &str, name: &str) -> Result<Str, Error> {
    if name.len() <= LONGEST_NAME && name.split('.').all(is_label) {
        return Ok(name.into());
    }
    Err(Error::usage(format!("{what}: {name:?} is no name of an object"))
        .hint("a name has lower case letters, digits, '-' and '.', begins and ends with a letter or digit (RFC 1123)"))
}

/// A name that the API server takes for namespaces: an RFC 1123 label.
fn label(what: &str, name: &str) -> Result<Str, Error> {
    if name.len() <= LONGEST_LABEL && is_label(name) {
        return Ok(name.into());
    }
    Err(Error::usage(format!("{what}: {name:?} is no name of a namespace"))
        .hint("a name has lower case letters, digits and '-', begins and ends with a letter or digit (RFC 1123)"))
}

fn is_label(text: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(plain)
        && bytes.last().is_some_and(plain)
        && bytes.iter().all(|byte| plain(byte) || *byte == b'-')
}

/// Names in a plan that was read from a file are checked as those that are typed.
///
/// # Errors
/// A usage error that names the field.
pub(super) fn check(request: &Request) -> Result<(), Error> {
    let claim = |namespace: &Str, name: &Str| {
        label("request.namespace", namespace).and_then(|_| checked("request.name", name)).map(drop)
    };
    let volume = |name: &Str| checked("request.volume", name).map(drop);
    let to = |recipient: &Recipient| match recipient {
        Recipient::Claim { namespace, name } => claim(namespace, name),
        Recipient::LastClaim | Recipient::Anyone => Ok(()),
    };
    match request {
        Request::Retain { volume: name } | Request::Reclaim { volume: name, .. } => volume(name),
        Request::Release { volume: name, to: recipient } | Request::Unbind { volume: name, to: recipient } => {
            volume(name).and_then(|()| to(recipient))
        }
        Request::Recreate { namespace, name, set, .. } => {
            for setting in set {
                match setting {
                    Setting::Name(name) => drop(checked("request.set", name)?),
                    Setting::Class(name) | Setting::VolumeName(name) if !name.is_empty() => {
                        drop(checked("request.set", name)?);
                    }
                    Setting::Class(_)
                    | Setting::VolumeName(_)
                    | Setting::Size(_)
                    | Setting::Modes(_)
                    | Setting::VolumeMode(_)
                    | Setting::NoSelector => {}
                }
            }
            claim(namespace, name)
        }
        Request::Restore { namespace, name, from, .. } => {
            from.as_ref().map_or(Ok(()), volume).and_then(|()| claim(namespace, name))
        }
        Request::Rebind { namespace, name, to, .. } => volume(to).and_then(|()| claim(namespace, name)),
        Request::Move { namespace, name, to_namespace, to_name, .. } => {
            claim(namespace, name).and_then(|()| claim(to_namespace, to_name))
        }
        Request::Unfinalize { object, .. } => match object.kind {
            Kind::PersistentVolume if object.namespace.is_empty() => volume(&object.name),
            Kind::PersistentVolumeClaim => claim(&object.namespace, &object.name),
            kind => Err(Error::usage(format!("request.object: a {kind} is not what finalizers are taken from"))),
        },
        Request::Unselect { namespace, name } => claim(namespace, name),
        Request::Undo { .. } => Err(Error::usage("a plan that takes a repair back cannot be kept in a file")
            .hint("kubectl pvctl undo makes it anew, from the journal")),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use super::Typed;
    use crate::cli::{Cli, Verb, parse};

    fn parsed(line: &[&str]) -> Cli {
        let words = std::iter::once("kubectl-pvctl").chain(line.iter().copied());
        parse(words.map(Into::into).collect()).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    fn typed(verb: &Verb) -> Typed<'_> {
        match verb {
            Verb::Retain(args) => Typed::Retain(args),
            Verb::Release(args) => Typed::Release(args),
            Verb::Unbind(args) => Typed::Unbind(args),
            Verb::Reclaim(args) => Typed::Reclaim(args),
            Verb::Recreate(args) => Typed::Recreate(args),
            Verb::Restore(args) => Typed::Restore(args),
            Verb::Rebind(args) => Typed::Rebind(args),
            Verb::Move(args) => Typed::Move(args),
            Verb::Rename(args) => Typed::Rename(args),
            Verb::Unfinalize(args) => Typed::Unfinalize(args),
            other => panic!("{other:?} is no repair of one object"),
        }
    }

    /// What a line asks for, with the flags that all verbs have.
    fn asked(line: &[&str]) -> String {
        let cli = parsed(line);
        let (verb, scope, cluster) = (cli.verb.unwrap(), cli.global.scope, cli.global.cluster);
        let typed = typed(&verb);
        let namespace = scope.namespace.unwrap_or_default();
        let claim = typed.claim_to_keep(&namespace).unwrap();
        let request = claim.is_none().then(|| typed.request(&namespace).unwrap());
        format!("{claim:?} {request:?} {namespace} {:?} {:?}", cluster.context, typed.shared().dry_run)
    }

    /// All ways to put the one into the other, each in its own order.
    fn interleaved<'w>(words: &[&'w str], flags: &[&[&'w str]]) -> Vec<Vec<&'w str>> {
        let goes_on = |first: &[&'w str], rest: Vec<Vec<&'w str>>| {
            rest.into_iter().map(|rest| [first, &rest].concat()).collect::<Vec<_>>()
        };
        match (words, flags) {
            ([], _) => vec![flags.concat()],
            (_, []) => vec![words.to_vec()],
            ([word, words @ ..], [flag, others @ ..]) => {
                let mut all = goes_on(&[word], interleaved(words, flags));
                all.extend(goes_on(flag, interleaved(&[&[*word], words].concat(), others)));
                all
            }
        }
    }

    /// What is asked for does not depend on where the flags stand among the words.
    #[test]
    fn flags_stand_before_between_and_behind_the_words() {
        let cases: [(&str, &[&str], &[&str]); 17] = [
            ("retain", &["pv/x"], &[]),
            ("retain", &["pv", "x"], &[]),
            ("retain", &["pvc", "x"], &[]),
            ("release", &["pv", "x"], &["--reserve-for", "db/data"]),
            ("unbind", &["pv", "x"], &["--to-anyone"]),
            ("reclaim", &["pv", "x"], &["--delete"]),
            ("recreate", &["pvc", "x"], &["--set", "class=fast"]),
            ("recreate", &["pvc/x"], &["--set=size=1Gi"]),
            ("restore", &["pvc/x"], &["--from", "pv/y"]),
            ("restore", &["pvc", "x"], &["--from", "pv/y"]),
            ("rebind", &["pvc", "x"], &["--to", "pv/y"]),
            ("move", &["pvc", "x"], &["--to-namespace", "web"]),
            ("move", &["pvc/x"], &["--to-namespace=web"]),
            ("rename", &["pvc/x", "new"], &["--restore-policy"]),
            ("rename", &["pvc", "x", "new"], &["--restore-policy"]),
            ("unfinalize", &["pvc/x", "example.com/backup"], &["--protected"]),
            ("unfinalize", &["pv", "x", "example.com/backup"], &["--protected"]),
        ];
        for (verb, words, own) in cases {
            let shared: [&[&str]; 3] = [&["-n", "ns"], &["--context=prod"], &["--dry-run"]];
            let flags: Vec<&[&str]> = std::iter::once(own).chain(shared).filter(|flag| !flag.is_empty()).collect();
            let backwards: Vec<&[&str]> = flags.iter().rev().copied().collect();
            let wanted = asked(&[&[verb], words, &flags.concat()].concat());
            for line in interleaved(words, &flags).into_iter().chain(interleaved(words, &backwards)) {
                let line = [&[verb], line.as_slice()].concat();
                assert_eq!(asked(&line), wanted, "{line:?}");
            }
            // The flags of kubectl go before the verb as well.
            for line in interleaved(&[&[verb], words].concat(), &shared[..2]) {
                let line = [&line[..], own, shared[2]].concat();
                assert_eq!(asked(&line), wanted, "{line:?}");
            }
            // Behind `--` there are words alone.
            for behind in 0..=words.len() {
                let (before, words) = words.split_at(behind);
                let line = [&[verb], before, &flags.concat(), &["--"], words].concat();
                assert_eq!(asked(&line), wanted, "{line:?}");
            }
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_said() {
        let refused = |line: &[&str]| {
            let cli = parsed(line);
            typed(&cli.verb.unwrap()).request("ns").unwrap_err().to_string()
        };
        for line in [&["rename", "pvc/x"][..], &["rename", "pvc", "x"], &["rename", "pvc"], &["rename", "pvc/x", ""]] {
            let said = "error: the new name is missing\nhint: it takes pvc/NAME NEW";
            assert_eq!(refused(line), said, "{line:?}");
        }
        assert_eq!(
            refused(&["unfinalize", "-n", "db", "pv/x"]),
            "error: the finalizer is missing\nhint: it takes TYPE/NAME FINALIZER"
        );
        for line in [&["rename", "pvc/x", "a", "b"][..], &["rename", "pvc", "x", "a", "b"]] {
            let said = "error: \"b\" is a word too many\nhint: it takes pvc/NAME NEW";
            assert_eq!(refused(line), said, "{line:?}");
        }
    }

    /// The class goes by the name of its field as well.
    #[test]
    fn a_class_is_set_by_either_name() {
        let set = |words: &[&str]| asked(&[&["recreate", "pvc/x", "-n", "db"], words].concat());
        assert_eq!(set(&["--set", "storageClassName=fast"]), set(&["--set", "class=fast"]));
        assert_eq!(set(&["--set", "storageClassName="]), set(&["--set", "class="]));
        let cli = parsed(&["recreate", "pvc/x", "--set", "class=a", "--set", "storageClassName=b"]);
        let said = typed(&cli.verb.unwrap()).request("db").unwrap_err().to_string();
        assert_eq!(said, "error: --set storageClassName is given twice");
    }
}
