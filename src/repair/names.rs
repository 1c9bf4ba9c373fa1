//! The check of names in a request, by the rules of the API server.

use super::request::{Recipient, Request, Setting};
use crate::error::Error;
use crate::model::{Kind, Str};

/// The greatest length of an object's name and of a namespace's name, in bytes. Upstream: `DNS1123SubdomainMaxLength`,
/// `DNS1123LabelMaxLength`, apimachinery, 1.36.
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// Checks that the API server accepts a name for volumes, claims and classes: an RFC 1123 subdomain.
///
/// # Errors
/// Returns a usage error that begins with `what`, if the API server would refuse the name.
pub fn object_name(what: &str, name: &str) -> Result<Str, Error> {
    if name.len() <= LONGEST_NAME && name.split('.').all(is_label) {
        return Ok(name.into());
    }
    Err(Error::usage(format!("{what}: {name:?} is not a valid name of an object"))
        .hint("a name has lower case letters, digits, '-' and '.', begins and ends with a letter or digit (RFC 1123)"))
}

/// Checks that the API server accepts a name for namespaces: an RFC 1123 label.
///
/// # Errors
/// Returns a usage error that begins with `what`, if the API server would refuse the name.
pub fn namespace_name(what: &str, name: &str) -> Result<Str, Error> {
    if name.len() <= LONGEST_LABEL && is_label(name) {
        return Ok(name.into());
    }
    Err(Error::usage(format!("{what}: {name:?} is not a valid name of a namespace"))
        .hint("a name has lower case letters, digits and '-', begins and ends with a letter or digit (RFC 1123)"))
}

fn is_label(text: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(plain)
        && bytes.last().is_some_and(plain)
        && bytes.iter().all(|byte| plain(byte) || *byte == b'-')
}

/// Checks the names in a plan from a file, by the same rules as names that are typed.
///
/// # Errors
/// Returns a usage error that names the field.
pub fn check_names(request: &Request) -> Result<(), Error> {
    let claim = |namespace: &Str, name: &Str| {
        namespace_name("request.namespace", namespace).and_then(|_| object_name("request.name", name)).map(drop)
    };
    let volume = |name: &Str| object_name("request.volume", name).map(drop);
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
                    Setting::Name(name) => drop(object_name("request.set", name)?),
                    Setting::Class(name) | Setting::VolumeName(name) if !name.is_empty() => {
                        drop(object_name("request.set", name)?);
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
            kind => Err(Error::usage(format!("request.object: finalizers of a {kind} are not removed"))),
        },
        Request::Reschedule { namespace, name } => claim(namespace, name),
        Request::Detach { attachment, machine_off } => {
            object_name("request.attachment", attachment)?;
            machine_off.as_deref().map_or(Ok(()), |node| object_name("request.machineOff", node).map(drop))
        }
        Request::Reconnect { volume: name, server, address: _ } => {
            if let Some((namespace, name)) = server {
                namespace_name("request.server", namespace)?;
                object_name("request.server", name)?;
            }
            volume(name)
        }
        Request::Undo { .. } => Err(Error::usage("a plan that undoes a repair cannot be in a file")
            .hint("kubectl pvctl undo makes it again, from the journal")),
    }
}
