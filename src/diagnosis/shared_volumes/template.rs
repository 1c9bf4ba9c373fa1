//! Texts with placeholders for parts of a volume and its claim.

use crate::diagnosis::matches_glob;
use crate::model::{PersistentVolume, PersistentVolumeClaim, SourceKind, label};
use serde::{Deserialize, Deserializer, de};

/// The longest DNS label. Upstream: `DNS1123LabelMaxLength`, apimachinery, 1.36.
const LONGEST_LABEL: usize = 63;

/// A text with placeholders, such as `nfs-{pv}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(Placeholder),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Placeholder {
    Volume,
    ClaimNamespace,
    ClaimName,
    ClaimUid,
    Handle,
    LastOfHandle,
    FirstOfHandle,
    HandleAsLabel,
    Server,
    Path,
    Endpoints,
    Attribute(String),
    Label(String),
}

/// What the name of an object tells about its volume: the value of the only placeholder in the template of the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameReading {
    placeholder: Placeholder,
    /// The value, such as the name of the volume.
    pub value: String,
}

impl NameReading {
    /// Returns the volume and the claim that the name tells about, as a sentence names them.
    pub fn meant(&self) -> String {
        let Self { placeholder, value } = self;
        match placeholder {
            Placeholder::ClaimUid => format!("the claim with uid {value} and its volume"),
            Placeholder::Handle => format!("the volume with handle {value} and its claim"),
            Placeholder::Volume
            | Placeholder::ClaimNamespace
            | Placeholder::ClaimName
            | Placeholder::LastOfHandle
            | Placeholder::FirstOfHandle
            | Placeholder::HandleAsLabel
            | Placeholder::Server
            | Placeholder::Path
            | Placeholder::Endpoints
            | Placeholder::Attribute(_)
            | Placeholder::Label(_) => format!("volume {value} and its claim"),
        }
    }
}

impl Placeholder {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "pv" => Self::Volume,
            "claim.namespace" => Self::ClaimNamespace,
            "claim.name" => Self::ClaimName,
            "claim.uid" => Self::ClaimUid,
            "handle" => Self::Handle,
            "handle.last" => Self::LastOfHandle,
            "handle.first" => Self::FirstOfHandle,
            "handle.dns" => Self::HandleAsLabel,
            "server" => Self::Server,
            "path" => Self::Path,
            "endpoints" => Self::Endpoints,
            other => match other.split_once(':')? {
                ("attribute", name) => Self::Attribute(name.to_owned()),
                ("label", key) => Self::Label(key.to_owned()),
                _ => return None,
            },
        })
    }
}

impl Template {
    /// Parses a text.
    ///
    /// # Errors
    /// Returns a sentence that names the placeholder which does not exist, or says that a brace is not closed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (word, after) = after.split_once('}').ok_or_else(|| format!("{text}: a brace is not closed"))?;
            let placeholder =
                Placeholder::parse(word).ok_or_else(|| format!("{text}: there is no placeholder {word}"))?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Placeholder(placeholder));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self { parts })
    }

    /// Returns whether the text has no placeholder.
    pub fn is_fixed(&self) -> bool {
        !self.parts.iter().any(|part| matches!(part, Part::Placeholder(_)))
    }

    /// Returns what a name tells that was made from this template. The result is `None` if the template cannot have
    /// made the name, has not exactly one placeholder, or has one that cannot be read back.
    pub fn read_back(&self, text: &str) -> Option<NameReading> {
        let (mut before, mut after, mut found) = (String::new(), String::new(), None);
        for part in &self.parts {
            match part {
                Part::Text(text) if found.is_none() => before.push_str(text),
                Part::Text(text) => after.push_str(text),
                Part::Placeholder(Placeholder::HandleAsLabel) => return None,
                Part::Placeholder(placeholder) if found.is_none() => found = Some(placeholder.clone()),
                Part::Placeholder(_) => return None,
            }
        }
        let value = text.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
        let placeholder = found.filter(|_| !value.is_empty())?;
        Some(NameReading { placeholder, value: value.to_owned() })
    }

    /// Returns whether this template can have made the text for the volume that a name tells about. All placeholders
    /// that are not in the name stand for any text.
    pub fn fits(&self, text: &str, reading: &NameReading) -> bool {
        let piece = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Placeholder(placeholder) if *placeholder == reading.placeholder => reading.value.clone(),
            Part::Placeholder(_) => "*".to_owned(),
        };
        matches_glob(&self.parts.iter().map(piece).collect::<String>(), text)
    }

    /// Returns the text for a volume. The result is `None` if something is not known or empty. `claim` is the claim of
    /// the volume, if it exists. Otherwise the `claimRef` of the volume tells its namespace, name and uid.
    pub fn fill(&self, volume: &PersistentVolume, claim: Option<&PersistentVolumeClaim>) -> Option<String> {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Placeholder(placeholder) => {
                    let value = value_of(placeholder, volume, claim)?;
                    if value.is_empty() {
                        return None;
                    }
                    filled.push_str(&value);
                }
            }
        }
        Some(filled)
    }
}

fn value_of(
    placeholder: &Placeholder,
    volume: &PersistentVolume,
    claim: Option<&PersistentVolumeClaim>,
) -> Option<String> {
    let source = &volume.source;
    let handle = || Some(source.handle.as_str()).filter(|_| source.kind == SourceKind::Csi);
    let of_nfs = |field: &str| Some(field.to_owned()).filter(|_| source.kind == SourceKind::Nfs);
    let named = volume.claim_ref.as_ref();
    match placeholder {
        Placeholder::Volume => Some(volume.meta.name.to_string()),
        Placeholder::ClaimNamespace => {
            let of_claim = claim.map(|claim| &claim.meta.namespace);
            of_claim.or(named.map(|named| &named.namespace)).map(ToString::to_string)
        }
        Placeholder::ClaimName => {
            let of_claim = claim.map(|claim| &claim.meta.name);
            of_claim.or(named.map(|named| &named.name)).map(ToString::to_string)
        }
        Placeholder::ClaimUid => {
            let of_claim = claim.map(|claim| &claim.meta.uid);
            of_claim.or(named.map(|named| &named.uid)).map(ToString::to_string)
        }
        Placeholder::Handle => handle().map(str::to_owned),
        Placeholder::LastOfHandle => handle()?.rsplit('/').next().map(str::to_owned),
        Placeholder::FirstOfHandle => handle()?.split_once('#').map(|(first, _)| first.to_owned()),
        Placeholder::HandleAsLabel => handle().map(dns_label),
        Placeholder::Server => of_nfs(&source.detail),
        Placeholder::Path => of_nfs(&source.handle),
        Placeholder::Endpoints => {
            let is_gluster = source.kind.as_str() == "glusterfs";
            source.detail.rsplit('/').next().filter(|_| is_gluster).map(str::to_owned)
        }
        Placeholder::Attribute(name) => source.attribute(name).map(str::to_owned),
        Placeholder::Label(key) => label(&volume.meta.labels, key).map(str::to_owned),
    }
}

/// Returns the text as a DNS label: in lower case, with `-` for every other character, and cut to the longest length.
fn dns_label(text: &str) -> String {
    let character = |one: char| match one.to_ascii_lowercase() {
        kept if kept.is_ascii_lowercase() || kept.is_ascii_digit() => kept,
        _ => '-',
    };
    text.chars().map(character).take(LONGEST_LABEL).collect()
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}
