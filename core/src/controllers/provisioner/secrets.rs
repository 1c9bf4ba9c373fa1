//! The Secrets that are named by the parameters of a class.

use super::decision::SecretName;
use crate::model::{AnnotationKey, PersistentVolumeClaim, Str};
use std::collections::BTreeSet;

const PREFIX: &str = "csi.storage.k8s.io/";

/// The parameters that name the Secret for one purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecretParams {
    /// The purpose as upstream writes it.
    name: &'static str,
    /// The part of the parameters' names between the prefix and `secret-`.
    key: &'static str,
    /// The beginning of the deprecated parameters' names.
    deprecated: Option<&'static str>,
}

const fn params(name: &'static str, key: &'static str, deprecated: Option<&'static str>) -> SecretParams {
    SecretParams { name, key, deprecated }
}

const DEFAULT: SecretParams = params("Default", "", None);
pub(super) const PROVISIONER: SecretParams = params("Provisioner", "provisioner-", Some("csiProvisioner"));
pub(super) const CONTROLLER_MODIFY: SecretParams = params("ControllerModify", "controller-modify-", None);

/// The purposes of the Secrets that a volume names, each with its field in `spec.csi`, in the order in which they are
/// looked up.
pub(super) const OF_VOLUME: [(&str, SecretParams); 5] = [
    ("controllerPublishSecretRef", params("ControllerPublish", "controller-publish-", Some("csiControllerPublish"))),
    ("nodeStageSecretRef", params("NodeStage", "node-stage-", Some("csiNodeStage"))),
    ("nodePublishSecretRef", params("NodePublish", "node-publish-", Some("csiNodePublish"))),
    ("controllerExpandSecretRef", params("ControllerExpand", "controller-expand-", None)),
    ("nodeExpandSecretRef", params("NodeExpand", "node-expand-", None)),
];

impl SecretParams {
    /// Returns the name of the parameter that ends with `end`, which is `name` or `namespace`.
    fn parameter(self, end: &str) -> String {
        format!("{PREFIX}{}secret-{end}", self.key)
    }
}

/// Parameters of a class, sorted by name.
pub(super) type Parameters = [(Str, Str)];

pub(super) fn value<'p>(parameters: &'p Parameters, key: &str) -> Option<&'p str> {
    parameters.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// Returns `None` if the parameter does not have the reserved prefix. Otherwise, returns whether the parameter is
/// known.
///
/// Upstream: `removePrefixedParameters`, v6.4.0.
pub(super) fn is_reserved(key: &str) -> Option<bool> {
    let rest = key.strip_prefix(PREFIX)?;
    let purposes = OF_VOLUME.iter().map(|(_, purpose)| *purpose).chain([DEFAULT, PROVISIONER, CONTROLLER_MODIFY]);
    let mut names = purposes.flat_map(|purpose| [purpose.parameter("name"), purpose.parameter("namespace")]);
    Some(rest == "fstype" || names.any(|name| name == key))
}

/// Returns the templates of the name and of the namespace of a Secret, if the parameters have them. Upstream:
/// `verifyAndGetSecretNameAndNamespaceTemplate`, v6.4.0.
fn templates<'p>(purpose: SecretParams, parameters: &'p Parameters) -> Result<Option<(&'p str, &'p str)>, String> {
    let named = |end: &str, deprecated_end: &str| -> Vec<&'p str> {
        let deprecated = purpose.deprecated.and_then(|begin| value(parameters, &format!("{begin}{deprecated_end}")));
        deprecated.into_iter().chain(value(parameters, &purpose.parameter(end))).collect()
    };
    let (names, namespaces) = (named("name", "SecretName"), named("namespace", "SecretNamespace"));
    let what = purpose.name;
    match (names.as_slice(), namespaces.as_slice()) {
        ([_, _, ..], _) | (_, [_, _, ..]) => {
            Err(format!("{what} secrets specified in parameters with both \"csi\" and \"{PREFIX}\" keys"))
        }
        ([], []) => Ok(None),
        ([], _) | (_, []) => {
            Err(format!("either name and namespace for {what} secrets specified, Both must be specified"))
        }
        ([""], _) | (_, [""]) => {
            Err(format!("{what} secrets specified in parameters but value of either namespace or name is empty"))
        }
        ([name], [namespace]) => Ok(Some((name, namespace))),
    }
}

/// The claim for which a Secret is looked up. `claim` is `None` if only the namespace and the name of the claim are
/// known. Then annotations of the claim cannot be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForClaim<'c> {
    pub(super) namespace: &'c str,
    pub(super) name: &'c str,
    pub(super) claim: Option<&'c PersistentVolumeClaim>,
}

/// The name of a Secret, or the error because of which there is no name.
pub(super) struct Reference {
    pub(super) found: Result<Option<SecretName>, String>,
    /// Whether the template uses an annotation of the claim that this project does not read.
    pub(super) unread_annotation: bool,
}

/// Returns the name of the Secret for a purpose, if the parameters of a class state one. Upstream:
/// `getSecretReference`, v6.4.0.
pub(super) fn get_secret_reference(
    purpose: SecretParams,
    parameters: &Parameters,
    volume: &str,
    of: ForClaim<'_>,
) -> Reference {
    let mut unread_annotation = false;
    let found = reference(purpose, parameters, volume, of, &mut unread_annotation);
    Reference { found, unread_annotation }
}

fn reference(
    purpose: SecretParams,
    parameters: &Parameters,
    volume: &str,
    of: ForClaim<'_>,
    unread: &mut bool,
) -> Result<Option<SecretName>, String> {
    let own = templates(purpose, parameters)
        .map_err(|error| format!("failed to get name and namespace template from params: {error}"))?;
    let found = match own {
        Some(found) => Some(found),
        None => templates(DEFAULT, parameters)
            .map_err(|error| format!("failed to get default name and namespace template from params: {error}"))?,
    };
    let Some((name_template, namespace_template)) = found else { return Ok(None) };
    let in_namespace = |token: &str| match token {
        "pv.name" => Some(volume.to_owned()),
        "pvc.namespace" => Some(of.namespace.to_owned()),
        _ => None,
    };
    let failed = |template: &str, error: String| format!("error resolving value {template:?}: {error}");
    let invalid = |template: &str, resolved: &str, what: &str| {
        if template == resolved {
            format!("{template:?} is not a valid {what} name")
        } else {
            format!("{template:?} resolved to {resolved:?} which is not a valid {what} name")
        }
    };
    let namespace =
        resolve_template(namespace_template, in_namespace).map_err(|error| failed(namespace_template, error))?;
    if !is_dns_label(&namespace) {
        return Err(invalid(namespace_template, &namespace, "namespace"));
    }
    let in_name = |token: &str| match token {
        "pvc.name" => Some(of.name.to_owned()),
        _ => in_namespace(token).or_else(|| {
            let key = token.strip_prefix("pvc.annotations['")?.strip_suffix("']")?;
            let claim = of.claim?;
            let known = AnnotationKey::from_manifest(key);
            *unread |= known.is_none() && claim.meta.annotations.has_others();
            claim.meta.annotations.get(known?).map(str::to_owned)
        }),
    };
    let name = resolve_template(name_template, in_name).map_err(|error| failed(name_template, error))?;
    if !is_dns_subdomain(&name) {
        return Err(invalid(name_template, &name, "secret"));
    }
    Ok(Some((namespace.into(), name.into())))
}

/// Replaces the tokens of a template by their values. Upstream: `resolveTemplate`, v6.4.0.
fn resolve_template(template: &str, mut token: impl FnMut(&str) -> Option<String>) -> Result<String, String> {
    let mut missing = BTreeSet::new();
    let resolved = expand(template, |name| {
        token(name).unwrap_or_else(|| {
            missing.insert(name.to_owned());
            String::new()
        })
    });
    if missing.is_empty() {
        return Ok(resolved);
    }
    let all: Vec<String> = missing.iter().map(|name| format!("{name:?}")).collect();
    Err(format!("invalid tokens: [{}]", all.join(" ")))
}

/// Replaces `${name}` and `$name` by the value of the token. Upstream: `os.Expand` of Go.
fn expand(text: &str, mut token: impl FnMut(&str) -> String) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('$') {
        if after.is_empty() {
            break;
        }
        made.push_str(before);
        let (name, width) = shell_name(after);
        if name.is_empty() && width == 0 {
            made.push('$');
        } else if !name.is_empty() {
            made.push_str(&token(name));
        }
        rest = &after[width..];
    }
    made + rest
}

/// Returns the name after a `$`, and the number of bytes that it takes. Upstream: `getShellName` of Go.
fn shell_name(text: &str) -> (&str, usize) {
    let is_special = |letter: char| "*#$@!?-0123456789".contains(letter);
    if let Some(inner) = text.strip_prefix('{') {
        let mut letters = inner.chars();
        if let (Some(first), Some('}')) = (letters.next(), letters.next())
            && is_special(first)
        {
            return (&inner[..1], 3);
        }
        return match inner.find('}') {
            Some(0) => ("", 2),
            Some(end) => (&inner[..end], end + 2),
            None => ("", 1),
        };
    }
    if let Some(first) = text.chars().next().filter(|first| is_special(*first)) {
        return (&text[..first.len_utf8()], first.len_utf8());
    }
    let end = text.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(text.len());
    (&text[..end], end)
}

/// Returns whether the text is a valid DNS label. Upstream: `IsDNS1123Label`, apimachinery.
fn is_dns_label(text: &str) -> bool {
    text.len() <= 63 && is_part(text)
}

/// Returns whether the text is a valid DNS subdomain. Upstream: `IsDNS1123Subdomain`, apimachinery.
fn is_dns_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_part)
}

fn is_part(text: &str) -> bool {
    let is_end =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    is_end(text.chars().next())
        && is_end(text.chars().next_back())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
