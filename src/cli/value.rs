//! Parses the values of flags. For each wrong value there is a message that says what is wrong.

use crate::controllers::KubeVersion;
use crate::model::{Kind, ObjectKey, Timestamp};
use crate::report::shared::format::{Format, formats};
use crate::simulate::Limit;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use std::ffi::OsStr;
use std::marker::PhantomData;

formats! {
    /// How a snapshot is printed.
    SnapshotFormat {
        /// JSON, indented as kubectl prints it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

/// Parses `-o`. Each verb has its own values of `-o`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatParser<F>(PhantomData<F>);

impl<F> FormatParser<F> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<F: Format> TypedValueParser for FormatParser<F> {
    type Value = F;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<F, clap::Error> {
        let word = value.to_string_lossy();
        if let Some(&format) = F::ALL.iter().find(|format| format.word() == word) {
            return Ok(format);
        }
        let format = word.split('=').next().unwrap_or_default();
        let message = match format {
            "jsonpath"
            | "jsonpath-as-json"
            | "jsonpath-file"
            | "go-template"
            | "go-template-file"
            | "custom-columns"
            | "custom-columns-file" => format!(
                "the output format '{format}' is not supported: use -o json and select from it, for example with jq"
            ),
            _ => {
                let known: Vec<&str> = F::ALL.iter().map(|format| format.word()).collect();
                format!("the output format '{word}' does not exist for this command: -o takes {}", known.join(", "))
            }
        };
        Err(invalid(command, message))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(F::ALL.iter().map(|format| PossibleValue::new(format.word()))))
    }
}

/// Returns the help text of `--kube-version`.
pub(super) fn kube_version_help() -> String {
    format!(
        "The Kubernetes minor version to model: {} or {} to {}; by default that of the cluster or snapshot, else {}",
        KubeVersion::HISTORICAL,
        KubeVersion::OLDEST,
        KubeVersion::NEWEST,
        KubeVersion::DEFAULT,
    )
}

/// Parses `--kube-version`: `1.30`, `v1.30`, `1.30.4`.
#[derive(Clone, Copy, Debug)]
pub(super) struct KubeVersionParser;

impl TypedValueParser for KubeVersionParser {
    type Value = KubeVersion;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<KubeVersion, clap::Error> {
        let word = value.to_string_lossy();
        KubeVersion::parse(&word).ok_or_else(|| {
            let known: Vec<String> = KubeVersion::all().map(|version| version.to_string()).collect();
            let known = known.join(", ");
            invalid(command, format!("the Kubernetes version '{word}' is not modelled: --kube-version takes {known}"))
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        // Help does not list these values, because its text is shorter without them. Completions offer them.
        Some(Box::new(KubeVersion::all().rev().map(|version| PossibleValue::new(version.to_string()))))
    }
}

pub(super) fn invalid(command: &clap::Command, message: String) -> clap::Error {
    clap::Error::raw(ErrorKind::InvalidValue, message + "\n").with_cmd(command)
}

/// Parses a duration in the form in which kubectl prints ages: a whole number and `s`, `m`, `h` or `d`. Returns the
/// number of seconds.
pub(super) fn parse_duration(word: &str) -> Result<i64, String> {
    let wrong = || "it must be a whole number followed by s, m, h or d, such as 10m".to_owned();
    let unit = word.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let digits = &word[..word.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: i64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).ok_or_else(|| "it is too long".to_owned())
}

/// Parses the longest time to wait, like [`parse_duration`]. Zero is refused.
pub(super) fn parse_wait(word: &str) -> Result<std::time::Duration, String> {
    match u64::try_from(parse_duration(word)?) {
        Ok(seconds) if seconds > 0 => Ok(std::time::Duration::from_secs(seconds)),
        _ => Err("it must be longer than 0, such as 2m".to_owned()),
    }
}

/// Parses the maximum number of entries to print in a list.
pub(super) fn parse_limit(word: &str) -> Result<Limit, String> {
    if word == "all" {
        return Ok(Limit::All);
    }
    match word.parse() {
        Ok(0) => Err("a list must have at least one entry: it must be a number from 1, or `all`".to_owned()),
        Ok(count) => Ok(Limit::AtMost(count)),
        Err(_) => Err("it must be a number from 1, or `all`".to_owned()),
    }
}

/// A kind, and optionally a namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindScope {
    /// The kind.
    pub kind: Kind,
    /// The namespace. The value is `None` for all namespaces and for kinds without a namespace.
    pub namespace: Option<String>,
}

impl KindScope {
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        let (kind, namespace) = match word.split_once('/') {
            Some((kind, namespace)) => (kind, Some(namespace)),
            None => (word, None),
        };
        let surrounding = || {
            let group = kind.split_once('.').map_or("", |(_, group)| group);
            Kind::surrounding_from_word(kind).filter(|known| of_group(*known, group))
        };
        let kind = parse_kind(kind).or_else(|problem| surrounding().ok_or(problem))?;
        match namespace {
            Some("") => Err(format!("the namespace after '{}/' is missing", kind.short())),
            Some(_) if !kind.namespaced() => {
                Err(format!("a {kind} has no namespace: write only '{}'", kind.resource()))
            }
            _ => Ok(Self { kind, namespace: namespace.map(str::to_owned) }),
        }
    }
}

/// One feature gate, on or off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FeatureGate {
    /// The gate's name as Kubernetes writes it.
    pub name: String,
    /// Whether the gate is on.
    pub enabled: bool,
}

impl FeatureGate {
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        let (name, value) = word.split_once('=').ok_or("it must be NAME=true or NAME=false")?;
        let enabled = match value {
            // These are the values of Go's `strconv.ParseBool`.
            "1" | "t" | "T" | "true" | "TRUE" | "True" => true,
            "0" | "f" | "F" | "false" | "FALSE" | "False" => false,
            _ => return Err(format!("'{value}' is neither true nor false")),
        };
        if name.is_empty() {
            return Err("the gate's name before '=' is missing".to_owned());
        }
        Ok(Self { name: name.to_owned(), enabled })
    }
}

/// One flag of kube-controller-manager.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ControllerFlag {
    /// The name of the flag, without leading dashes.
    pub name: String,
    /// The value of the flag.
    pub value: String,
}

impl ControllerFlag {
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        let (name, value) = word.split_once('=').ok_or("it must be FLAG=VALUE")?;
        let name = name.trim_start_matches('-');
        if name.is_empty() {
            return Err("the flag's name before '=' is missing".to_owned());
        }
        Ok(Self { name: name.to_owned(), value: value.to_owned() })
    }
}

/// An extra value of the user to impersonate: the header `Impersonate-Extra-KEY: VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserExtra {
    /// The key. The same key may be given with several values.
    pub key: String,
    /// One of the values of the key.
    pub value: String,
}

impl UserExtra {
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        let (key, value) = word.split_once('=').ok_or("it must be KEY=VALUE")?;
        if key.is_empty() {
            return Err("the key before '=' is missing".to_owned());
        }
        Ok(Self { key: key.to_owned(), value: value.to_owned() })
    }
}

/// Parses an object with its namespace in one word: `pvc/db/data-0`, `pv/data`.
///
/// # Errors
///
/// Returns a message that does not repeat the word, because clap's error already has the word.
pub fn parse_reference(word: &str) -> Result<ObjectKey, String> {
    let mut parts = word.split('/');
    let kind = parse_kind(parts.next().unwrap_or_default())?;
    let rest: Vec<&str> = parts.collect();
    let form = if kind.namespaced() { "NAMESPACE/NAME" } else { "NAME" };
    let (namespace, name) = match (kind.namespaced(), rest.as_slice()) {
        (true, [namespace, name]) => (*namespace, *name),
        (false, [name]) => ("", *name),
        _ => return Err(format!("a {kind} is written as {}/{form}", kind.short())),
    };
    if name.is_empty() || (kind.namespaced() && namespace.is_empty()) {
        return Err(format!("a part is empty: a {kind} is written as {}/{form}", kind.short()));
    }
    Ok(ObjectKey { kind, namespace: namespace.into(), name: name.into() })
}

/// Returns the kind among `kinds` that a word names. The word is the singular, plural, short or full resource name, in
/// upper or lower case.
pub(super) fn kind_among(kinds: &[Kind], word: &str) -> Option<Kind> {
    let (_, group) = word.split_once('.').unwrap_or((word, ""));
    Kind::of_word(kinds, word).filter(|kind| of_group(*kind, group))
}

/// Parses the name of a kind: the singular, plural, short or full resource name, in upper or lower case.
pub(super) fn parse_kind(word: &str) -> Result<Kind, String> {
    kind_among(&Kind::ALL, word).ok_or_else(|| {
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.short()).collect();
        format!(
            "the type '{word}' is not known here: it must be one of {}, in any form that kubectl takes",
            known.join(", ")
        )
    })
}

/// Returns whether the group in `RESOURCE.group` or `RESOURCE.version.group` is the group of the kind. An empty group
/// means that no group was stated: then the result is true. Kinds of other groups can have the same name.
fn of_group(kind: Kind, group: &str) -> bool {
    let own = kind.api_version().split_once('/').map_or("", |(group, _)| group);
    let group = group.to_ascii_lowercase();
    group.is_empty() || group.strip_prefix("v1.").unwrap_or(&group) == own
}

/// Parses a time in RFC 3339.
pub(super) fn parse_time(word: &str) -> Result<Timestamp, String> {
    Timestamp::parse(word).ok_or_else(|| "it must be a time such as 2026-06-01T10:00:00Z".to_owned())
}
