//! Reads the additional input of an audit: the file of suppressions, and the report of an earlier run.

use super::own_providers;
use crate::diagnosis::Suppression;
use crate::error::Error;
use crate::model::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::Path;

/// The version and kind of a file of suppressions.
const API_VERSION: &str = "pvctl.dev/v1";
const KIND: &str = "Suppressions";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    api_version: String,
    kind: String,
    items: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    rule: String,
    object: Option<String>,
    namespace: Option<String>,
    reason: String,
    expires: Option<String>,
}

/// The file of suppressions in the working directory. It is read if the user gives no other file.
pub(super) const OWN: &str = ".pvctl.yaml";

/// Returns the suppressions of the file that the user gives. If the user gives no file, they are the suppressions of
/// the file in the working directory. A file that the user gives must exist.
///
/// # Errors
/// Returns an error that says what is wrong with the file, and the position of the mistake.
pub fn suppressions_of(named: Option<&Path>) -> Result<Vec<Suppression>, Error> {
    match named {
        Some(path) => suppressions(path)?
            .ok_or_else(|| Error::unreadable(format!("--suppressions {}: there is no such file", path.display()))),
        None => Ok(suppressions(Path::new(OWN))?.unwrap_or_default()),
    }
}

/// Reads a file of suppressions. The result is `None` if there is no such file.
///
/// # Errors
/// Returns an error that says what is wrong with the file, and the position of the mistake.
pub fn suppressions(path: &Path) -> Result<Option<Vec<Suppression>>, Error> {
    let Some(text) = read(path)? else { return Ok(None) };
    let wrong = |reason: String| unusable(path, &reason);
    // Another document of the file can describe storage systems.
    let documents = documents(&text);
    let mut own = documents.iter().filter(|document| document.kind != own_providers::KIND && !document.is_empty());
    let Some(document) = own.next() else { return Ok(Some(Vec::new())) };
    if own.next().is_some() {
        return Err(wrong(format!("it has more than one document of kind {KIND}")));
    }
    let File { api_version, kind, items } =
        serde_yaml::from_str(&document.padded()).map_err(|error| wrong(first_line(&error.to_string())))?;
    if (api_version.as_str(), kind.as_str()) != (API_VERSION, KIND) {
        return Err(wrong(format!("it is {api_version} {kind}, but {API_VERSION} {KIND} is expected")));
    }
    let entry = |(number, entry): (usize, Entry)| {
        let of = |reason: &str| wrong(format!("items[{number}]: {reason}"));
        let Entry { rule, object, namespace, reason, expires } = entry;
        if reason.trim().is_empty() {
            return Err(of("the reason is empty: say why the finding is suppressed"));
        }
        let expires = expires
            .map(|day| end_of(&day).ok_or_else(|| of(&format!("expires: {day} is not a day such as 2027-01-31"))))
            .transpose()?;
        Ok(Suppression { rule, object, namespace, reason, expires })
    };
    items.into_iter().enumerate().map(entry).collect::<Result<_, _>>().map(Some)
}

/// Returns the end of that day in UTC.
fn end_of(day: &str) -> Option<Timestamp> {
    let start = Timestamp::parse(&format!("{day}T00:00:00Z"))?;
    Some(Timestamp(start.0.saturating_add(86_400)))
}

#[derive(Deserialize)]
struct Report {
    kind: String,
    findings: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    fingerprint: String,
    severity: String,
    #[serde(default)]
    suppressed: Option<IgnoredAny>,
}

/// Returns the fingerprints and severities of the findings in the output of an earlier run with `-o json` or `-o yaml`.
/// Findings that were suppressed in that run are left out.
///
/// # Errors
/// Returns an error that says what is wrong with the file, or that the file does not exist.
pub fn baseline(path: &Path) -> Result<BTreeMap<String, String>, Error> {
    let wrong = |reason: String| unusable(path, &reason);
    let text = read(path)?.ok_or_else(|| wrong("there is no such file".to_owned()))?;
    // The parser of YAML reads JSON as well, but slowly.
    let parsed = if text.trim_start().starts_with('{') {
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
    } else {
        serde_yaml::from_str(&text).map_err(|error| wrong(first_line(&error.to_string())))
    };
    let Report { kind, findings } = parsed?;
    if kind != "Report" {
        return Err(wrong(format!("it is a {kind}, but a Report is expected: the output of audit -o json")));
    }
    let open = findings.into_iter().filter(|known| known.suppressed.is_none());
    Ok(open.map(|known| (known.fingerprint, known.severity)).collect())
}

/// A document of a YAML file.
pub(super) struct Document<'a> {
    /// The text.
    text: &'a str,
    /// The number of lines before the text.
    first_line: usize,
    /// The value of `kind`. It is empty if there is none.
    pub(super) kind: &'a str,
}

impl Document<'_> {
    /// Returns the text after as many empty lines as the file has lines before it: then the position in an error counts
    /// from the beginning of the file.
    pub(super) fn padded(&self) -> String {
        format!("{}{}", "\n".repeat(self.first_line), self.text)
    }

    /// Returns whether the document has only blanks and comments.
    fn is_empty(&self) -> bool {
        self.text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    }
}

/// Returns the documents of a YAML file.
pub(super) fn documents(text: &str) -> Vec<Document<'_>> {
    let mut all = Vec::new();
    let (mut start, mut first_line, mut at) = (0, 0, 0);
    let mut cuts = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if line.trim_end() == "---" {
            cuts.push((start..at, first_line));
            (start, first_line) = (at + line.len(), number + 1);
        }
        at += line.len();
    }
    cuts.push((start..text.len(), first_line));
    for (range, first_line) in cuts {
        let text = text.get(range).unwrap_or_default();
        let kind = text.lines().find_map(|line| line.strip_prefix("kind:")).unwrap_or_default();
        all.push(Document { text, first_line, kind: kind.trim().trim_matches(['"', '\'']) });
    }
    all
}

/// Returns the whole file. The result is `None` if there is no such file.
#[expect(clippy::disallowed_methods, reason = "small files that people write for this program")]
pub(super) fn read(path: &Path) -> Result<Option<String>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(unusable(path, "it is not UTF-8")),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(path, &error.to_string())),
    }
}

/// Returns the first line of a message of the parser. The other lines only show the position.
pub(super) fn first_line(said: &str) -> String {
    let line = said.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

pub(super) fn unusable(path: &Path, reason: &str) -> Error {
    Error::unreadable(format!("{}: {reason}", path.display()))
}
