//! Converts arguments to requests. Mistakes in the arguments are reported before a cluster is asked.

use super::object::one_object;
use super::repair::{
    DetachArgs, MoveArgs, RebindArgs, RecipientArgs, ReclaimArgs, ReconnectArgs, RecreateArgs, ReleaseArgs, RenameArgs,
    RescheduleArgs, RestoreArgs, RetainArgs, UnbindArgs, UnfinalizeArgs,
};
use crate::error::Error;
use crate::model::{AccessMode, Kind, ObjectKey, Quantity, Str};
use crate::repair::{ClusterAddress, Recipient, Request, Setting, namespace_name, object_name};

/// Checks and returns the namespace for a claim that the arguments name without a namespace.
fn in_namespace(namespace: &str) -> Result<Str, Error> {
    namespace_name("namespace", namespace)
}

/// Returns the claim that the words name, in that namespace. The result is `None` if they name a volume.
fn claim_in(words: &[String], namespace: &str) -> Result<Option<ObjectKey>, Error> {
    let (kind, name) = one_object(words, &[Kind::PersistentVolume, Kind::PersistentVolumeClaim])?;
    if kind != Kind::PersistentVolumeClaim {
        return Ok(None);
    }
    Ok(Some(ObjectKey { kind, namespace: in_namespace(namespace)?, name: object_name("the name", &name)? }))
}

impl RetainArgs {
    /// Returns the claim whose volume is to be retained. The claim is in `namespace`. The caller finds the volume. The
    /// result is `None` if the arguments name a volume.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn claim(&self, namespace: &str) -> Result<Option<ObjectKey>, Error> {
        claim_in(&self.object, namespace)
    }

    /// Returns the request.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self) -> Result<Request, Error> {
        Ok(Request::Retain { volume: volume(&self.object)? })
    }
}

impl ReleaseArgs {
    /// Returns the request.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self) -> Result<Request, Error> {
        Ok(Request::Release { volume: volume(&self.object)?, to: recipient(&self.recipient)? })
    }
}

impl UnbindArgs {
    /// Returns the request.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self) -> Result<Request, Error> {
        Ok(Request::Unbind { volume: volume(&self.object)?, to: recipient(&self.recipient)? })
    }
}

impl ReclaimArgs {
    /// Returns the request.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self) -> Result<Request, Error> {
        Ok(Request::Reclaim { volume: volume(&self.object)?, delete: self.delete })
    }
}

impl RecreateArgs {
    /// Returns the request. Its claims are in that namespace.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self, namespace: &str) -> Result<Request, Error> {
        Ok(Request::Recreate {
            namespace: in_namespace(namespace)?,
            name: claim(&self.object)?,
            set: settings(&self.set)?,
            provisioner_stopped: self.provisioner_stopped,
        })
    }
}

impl RestoreArgs {
    /// Returns the request. Its claims are in that namespace.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self, namespace: &str) -> Result<Request, Error> {
        Ok(Request::Restore {
            namespace: in_namespace(namespace)?,
            name: claim(&self.object)?,
            from: self.from.as_deref().map(|word| volume_of_flag("--from", word)).transpose()?,
            provisioner_stopped: self.provisioner_stopped,
        })
    }
}

impl RebindArgs {
    /// Returns the request. Its claims are in that namespace.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self, namespace: &str) -> Result<Request, Error> {
        Ok(Request::Rebind {
            namespace: in_namespace(namespace)?,
            name: claim(&self.object)?,
            to: volume_of_flag("--to", &self.to)?,
            provisioner_stopped: self.provisioner_stopped,
        })
    }
}

impl MoveArgs {
    /// Returns the request. The claim to move is in that namespace.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self, namespace: &str) -> Result<Request, Error> {
        let name = claim(&self.object)?;
        Ok(Request::Move {
            namespace: in_namespace(namespace)?,
            to_namespace: namespace_name("--to-namespace", &self.to_namespace)?,
            to_name: self.name.as_deref().map_or(Ok(name.clone()), |new| object_name("--name", new))?,
            name,
            restore_policy: self.restore_policy,
        })
    }
}

impl RenameArgs {
    /// Returns the request. Its claims are in that namespace.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self, namespace: &str) -> Result<Request, Error> {
        let (new, object) = last(&self.object, "the new name", "pvc/NAME NEW")?;
        Ok(Request::Move {
            namespace: in_namespace(namespace)?,
            name: claim(object)?,
            to_namespace: in_namespace(namespace)?,
            to_name: object_name("the new name", new)?,
            restore_policy: self.restore_policy,
        })
    }
}

impl UnfinalizeArgs {
    /// Returns the request. If the object is a claim, it is in that namespace.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self, namespace: &str) -> Result<Request, Error> {
        let (finalizer, object) = last(&self.object, "the finalizer", "TYPE/NAME FINALIZER")?;
        let (kind, name) = one_object(object, &[Kind::PersistentVolume, Kind::PersistentVolumeClaim])?;
        let name = object_name("the name", &name)?;
        let namespace = if kind.namespaced() { in_namespace(namespace)? } else { Str::default() };
        Ok(Request::Unfinalize {
            object: ObjectKey { kind, namespace, name },
            finalizer: finalizer.into(),
            protected: self.protected,
        })
    }
}

impl RescheduleArgs {
    /// Returns the request. Its claim is in that namespace.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self, namespace: &str) -> Result<Request, Error> {
        Ok(Request::Reschedule { namespace: in_namespace(namespace)?, name: claim(&self.object)? })
    }
}

impl ReconnectArgs {
    /// Returns the claim whose clients get their server back, in that namespace. The caller finds its volume. The
    /// result is `None` if the arguments name a volume.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn claim(&self, namespace: &str) -> Result<Option<ObjectKey>, Error> {
        claim_in(&self.object, namespace)
    }

    /// Returns the address that the clients use, if it is stated.
    ///
    /// # Errors
    /// Returns a usage error if no Service can have the address.
    pub fn address(&self) -> Result<Option<ClusterAddress>, Error> {
        let parse = |text: &str| {
            ClusterAddress::parse(text).map_err(|why| {
                Error::usage(format!("--address: {why}"))
                    .hint("it takes the cluster IP of a Service, such as 10.96.4.7")
            })
        };
        self.address.as_deref().map(parse).transpose()
    }

    /// Returns the Service that the server has now, if it is stated: namespace and name.
    ///
    /// # Errors
    /// Returns a usage error if this is no name of a Service.
    pub fn server(&self) -> Result<Option<(Str, Str)>, Error> {
        let Some(text) = self.service.as_deref() else { return Ok(None) };
        let (namespace, name) =
            text.split_once('/').ok_or_else(|| Error::usage(format!("--service: {text:?} is not NAMESPACE/NAME")))?;
        Ok(Some((namespace_name("--service", namespace)?, object_name("--service", name)?)))
    }

    /// Returns the request.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self) -> Result<Request, Error> {
        Ok(Request::Reconnect { volume: volume(&self.object)?, address: self.address()?, server: self.server()? })
    }
}

impl DetachArgs {
    /// Returns the request.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn request(&self) -> Result<Request, Error> {
        let (_, name) = one_object(&self.object, &[Kind::VolumeAttachment])?;
        Ok(Request::Detach {
            attachment: object_name("the name", &name)?,
            machine_off: self.machine_off.as_deref().map(|node| object_name("--machine-off", node)).transpose()?,
        })
    }
}

fn volume(words: &[String]) -> Result<Str, Error> {
    let (_, name) = one_object(words, &[Kind::PersistentVolume])?;
    object_name("the name", &name)
}

fn claim(words: &[String]) -> Result<Str, Error> {
    let (_, name) = one_object(words, &[Kind::PersistentVolumeClaim])?;
    object_name("the name", &name)
}

/// Parses the volume in the value of a flag: `pv/NAME`, or only its name.
fn volume_of_flag(flag: &str, word: &str) -> Result<Str, Error> {
    if word.contains('/') {
        return volume(&[word.to_owned()])
            .map_err(|error| Error::usage(format!("{flag}: {}", error.message())).hint(format!("{flag} pv/NAME")));
    }
    object_name(flag, word)
}

/// Returns the last word, and the words of the object before it. An object is one word with a slash, or two words.
fn last<'a>(words: &'a [String], what: &str, form: &str) -> Result<(&'a str, &'a [String]), Error> {
    let of_object = words.first().map_or(0, |first| if first.contains('/') { 1 } else { 2 });
    match words.split_at_checked(of_object) {
        Some((object, [last])) if !last.is_empty() => Ok((last, object)),
        Some((_, [_, strange, ..])) => {
            Err(Error::usage(format!("there is one word too many: {strange:?}")).hint(format!("it takes {form}")))
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
                Error::usage(format!("--reserve-for: {word:?} is not NAMESPACE/NAME"))
                    .hint("name the claim with its namespace, such as db/data-0")
            })?;
            Ok(Recipient::Claim {
                namespace: namespace_name("--reserve-for: the namespace", namespace)?,
                name: object_name("--reserve-for: the name", name)?,
            })
        }
    }
}

/// The keys of `recreate --set`. If the name of the field is also accepted as a key, it is the second part.
pub const SETTING_KEYS: [(&str, Option<&str>); 7] = [
    ("class", Some("storageClassName")),
    ("size", None),
    ("modes", None),
    ("volumeMode", None),
    ("name", None),
    ("volumeName", None),
    ("selector", None),
];

const VOLUME_MODES: [&str; 2] = ["Filesystem", "Block"];
const NO_SELECTOR: &str = "none";

/// Returns the values that this key of `recreate --set` accepts. The result is empty if the key accepts more than a few
/// values.
pub fn setting_values(key: &str) -> &'static [&'static str] {
    match key {
        "modes" => &AccessMode::NAMES,
        "volumeMode" => &VOLUME_MODES,
        "selector" => &[NO_SELECTOR],
        _ => &[],
    }
}

fn settings(words: &[String]) -> Result<Vec<Setting>, Error> {
    let keys = || {
        let named = SETTING_KEYS.map(|(key, field)| match field {
            Some(field) => format!("{key} (or {field})"),
            None => key.to_owned(),
        });
        format!("the keys are {}", named.join(", "))
    };
    let mut settings: Vec<Setting> = Vec::new();
    for word in words {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| Error::usage(format!("--set: {word:?} is not KEY=VALUE")).hint(keys()))?;
        let flag = format!("--set {key}");
        let setting = match key {
            "class" | "storageClassName" if value.is_empty() => Setting::Class(Str::default()),
            "class" | "storageClassName" => Setting::Class(object_name(&flag, value)?),
            "volumeName" if value.is_empty() => Setting::VolumeName(Str::default()),
            "volumeName" => Setting::VolumeName(object_name(&flag, value)?),
            "name" => Setting::Name(object_name(&flag, value)?),
            "size" => {
                let quantity = Quantity::parse(value).map_err(|error| {
                    Error::usage(format!("{flag}: {value:?} is not a size: {error}")).hint("such as 10Gi")
                })?;
                // The quantity is rounded up to whole bytes.
                if quantity.value() < 1 {
                    return Err(Error::usage(format!("{flag}: {value} is not larger than 0")));
                }
                Setting::Size(value.into())
            }
            "modes" => {
                let modes: Vec<Str> = value.split(',').map(|mode| long_mode(mode).into()).collect();
                if let Some(strange) = modes.iter().find(|mode| !AccessMode::NAMES.contains(&mode.as_str())) {
                    return Err(Error::usage(format!("{flag}: {strange:?} is not an access mode"))
                        .hint(format!("the access modes are {}", AccessMode::NAMES.join(", "))));
                }
                Setting::Modes(modes)
            }
            "volumeMode" if VOLUME_MODES.contains(&value) => Setting::VolumeMode(value.into()),
            "volumeMode" => {
                return Err(Error::usage(format!("{flag}: {value:?} is not a volume mode")).hint("Filesystem or Block"));
            }
            "selector" if value == NO_SELECTOR => Setting::NoSelector,
            "selector" => {
                return Err(Error::usage(format!("{flag}: a selector can only be removed, with selector=none")));
            }
            _ => {
                return Err(Error::usage(format!("--set: {key:?} is not known")).hint(keys()));
            }
        };
        if settings.iter().any(|other| std::mem::discriminant(other) == std::mem::discriminant(&setting)) {
            return Err(Error::usage(format!("{flag} is given twice")));
        }
        settings.push(setting);
    }
    Ok(settings)
}

/// Returns the full name of an access mode. `kubectl get` prints the short name.
fn long_mode(word: &str) -> &str {
    match word {
        "RWO" => "ReadWriteOnce",
        "ROX" => "ReadOnlyMany",
        "RWX" => "ReadWriteMany",
        "RWOP" => "ReadWriteOncePod",
        long => long,
    }
}
