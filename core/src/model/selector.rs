//! Selectors of volumes by their labels, and of nodes by their labels.
//!
//! The rules and the texts of the errors are those of Kubernetes 1.36.3: `metav1.LabelSelectorAsSelector` and
//! `labels.NewRequirement` in apimachinery, `nodeaffinity` in component-helpers.

use std::fmt::{self, Write as _};
use std::slice;

use super::{Str, label};

/// A selector of objects by their labels, such as `spec.selector` of a claim. All of its parts must hold. The default
/// selects every object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    /// The labels that must have exactly these values, sorted by key.
    pub match_labels: Box<[(Str, Str)]>,
    /// Further requirements, in their stored order.
    pub expressions: Box<[LabelRequirement]>,
}

/// One entry of `matchExpressions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRequirement {
    /// The key of the label.
    pub key: Str,
    /// The test of the label's value.
    pub operator: LabelOperator,
    /// The values for the test.
    pub values: Box<[Str]>,
}

/// The operator of a [`LabelRequirement`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelOperator {
    /// The label is present and has one of the values.
    In,
    /// The label is absent or has none of the values.
    NotIn,
    /// The label is present.
    Exists,
    /// The label is absent.
    DoesNotExist,
    /// An operator that the API server would refuse. Only files can contain it.
    Other(Str),
}

/// A selector of nodes, such as the selector of the nodes that can reach a volume. A node must match one of the terms.
/// The default matches no node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSelector {
    /// The alternatives, in their stored order.
    pub terms: Box<[NodeSelectorTerm]>,
}

/// One alternative of a [`NodeSelector`]. All of its requirements must hold. A term without requirements matches no
/// node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSelectorTerm {
    /// `matchExpressions`, on labels.
    pub expressions: Box<[NodeRequirement]>,
    /// `matchFields`, on fields of the node.
    pub fields: Box<[NodeRequirement]>,
}

/// One requirement of a [`NodeSelectorTerm`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRequirement {
    /// The key of the label, or the name of the field.
    pub key: Str,
    /// The test of the value.
    pub operator: NodeOperator,
    /// The values for the test.
    pub values: Box<[Str]>,
}

/// The operator of a [`NodeRequirement`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeOperator {
    /// The label is present and has one of the values.
    In,
    /// The label is absent or has none of the values.
    NotIn,
    /// The label is present.
    Exists,
    /// The label is absent.
    DoesNotExist,
    /// The label's value is an integer greater than the given value.
    Gt,
    /// The label's value is an integer less than the given value.
    Lt,
    /// An operator that the API server would refuse. Only files can contain it.
    Other(Str),
}

/// The reason why a selector cannot be used, in upstream's words.
///
/// The text repeats parts of the selector, some of them without escaping. Escape the text before it reaches a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError(pub String);

impl fmt::Display for SelectorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for SelectorError {}

impl LabelOperator {
    /// Returns the operator as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::In => "In",
            Self::NotIn => "NotIn",
            Self::Exists => "Exists",
            Self::DoesNotExist => "DoesNotExist",
            Self::Other(operator) => operator,
        }
    }

    /// Returns the operator with this spelling.
    pub fn from_manifest(operator: &str) -> Self {
        match operator {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            other => Self::Other(other.into()),
        }
    }

    fn comparison(&self) -> Option<Comparison> {
        match self {
            Self::In => Some(Comparison::In),
            Self::NotIn => Some(Comparison::NotIn),
            Self::Exists => Some(Comparison::Exists),
            Self::DoesNotExist => Some(Comparison::DoesNotExist),
            Self::Other(_) => None,
        }
    }
}

impl NodeOperator {
    /// Returns the operator as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::In => "In",
            Self::NotIn => "NotIn",
            Self::Exists => "Exists",
            Self::DoesNotExist => "DoesNotExist",
            Self::Gt => "Gt",
            Self::Lt => "Lt",
            Self::Other(operator) => operator,
        }
    }

    /// Returns the operator with this spelling.
    pub fn from_manifest(operator: &str) -> Self {
        match operator {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            "Gt" => Self::Gt,
            "Lt" => Self::Lt,
            other => Self::Other(other.into()),
        }
    }

    fn comparison(&self) -> Option<Comparison> {
        match self {
            Self::In => Some(Comparison::In),
            Self::NotIn => Some(Comparison::NotIn),
            Self::Exists => Some(Comparison::Exists),
            Self::DoesNotExist => Some(Comparison::DoesNotExist),
            Self::Gt => Some(Comparison::GreaterThan),
            Self::Lt => Some(Comparison::LessThan),
            Self::Other(_) => None,
        }
    }
}

/// The format in which the errors of apimachinery print a list of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListForm {
    /// JSON, since 1.34.
    Json,
    /// Go syntax, up to 1.33.
    Go,
}

impl LabelSelector {
    /// Checks the selector in the same way as upstream does before each use of a selector.
    ///
    /// # Errors
    /// The errors are those of [`Self::compile_with`], in the words of the current version.
    pub fn compile(&self) -> Result<CompiledSelector<'_>, SelectorError> {
        self.compile_with(ListForm::Json)
    }

    /// Does the same as [`Self::compile`], with errors in the words of another version.
    ///
    /// # Errors
    /// The error has the text of `metav1.LabelSelectorAsSelector` for the first invalid part. `matchLabels` come before
    /// `matchExpressions`. If several `matchLabels` are invalid, upstream reports any of them; this function reports
    /// the one with the smallest key.
    pub fn compile_with(&self, lists: ListForm) -> Result<CompiledSelector<'_>, SelectorError> {
        for (key, value) in &self.match_labels {
            check(key, Comparison::Equals, slice::from_ref(value), lists)?;
        }
        for requirement in &self.expressions {
            let Some(comparison) = requirement.operator.comparison() else {
                let operator = quoted(requirement.operator.as_str());
                return Err(SelectorError(format!("{operator} is not a valid label selector operator")));
            };
            check(&requirement.key, comparison, &requirement.values, lists)?;
        }
        Ok(CompiledSelector { selector: self })
    }

    /// Returns the keys in the selector, in its order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let labels = self.match_labels.iter().map(|(key, _)| key.as_str());
        labels.chain(self.expressions.iter().map(|requirement| requirement.key.as_str()))
    }
}

/// A [`LabelSelector`] that is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompiledSelector<'a> {
    selector: &'a LabelSelector,
}

impl<'a> CompiledSelector<'a> {
    /// Returns whether all parts of the selector hold for these labels, which are sorted by key.
    pub fn matches(&self, labels: &[(Str, Str)]) -> bool {
        self.parts().all(|(key, comparison, wanted)| comparison.holds(label(labels, key), wanted))
    }

    /// Returns the first part of the selector that does not hold for these labels, which are sorted by key. The result
    /// is `None` if all parts hold.
    pub fn first_mismatch<'l>(&self, labels: &'l [(Str, Str)]) -> Option<Mismatch<'l>>
    where
        'a: 'l,
    {
        self.parts().find_map(|(key, comparison, wanted)| {
            let found = label(labels, key);
            (!comparison.holds(found, wanted)).then_some(Mismatch { key, comparison, wanted, found })
        })
    }

    fn parts(self) -> impl Iterator<Item = (&'a str, Comparison, &'a [Str])> + use<'a> {
        let labels = self.selector.match_labels.iter();
        let labels = labels.map(|(key, value)| (key.as_str(), Comparison::Equals, slice::from_ref(value)));
        labels.chain(self.selector.expressions.iter().filter_map(|requirement| {
            // No part is dropped here, because `compile` refuses operators without a comparison.
            Some((requirement.key.as_str(), requirement.operator.comparison()?, &*requirement.values))
        }))
    }
}

/// A part of a selector that does not hold, and the value that was found.
///
/// It is displayed as the requirement in the syntax of `kubectl -l`, followed by the value that was found, escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch<'a> {
    /// The key of the label.
    pub key: &'a str,
    /// The test of the value.
    pub comparison: Comparison,
    /// The values for the test.
    pub wanted: &'a [Str],
    /// The value of the label. The value is `None` if the label is absent.
    pub found: Option<&'a str>,
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self { key, comparison, .. }, wanted) = (self, self.wanted.join(","));
        match comparison {
            Comparison::Exists => write!(out, "{key}")?,
            Comparison::DoesNotExist => write!(out, "!{key}")?,
            Comparison::In | Comparison::NotIn => write!(out, "{key} {comparison} ({wanted})")?,
            _ => write!(out, "{key}{comparison}{wanted}")?,
        }
        match self.found {
            Some(found) => write!(out, ", but the label is {found:?}"),
            None => out.write_str(", but there is no such label"),
        }
    }
}

impl NodeSelector {
    /// Returns whether the selector matches a node with these labels, which are sorted by key. The rules are those of
    /// `CheckNodeAffinity` of component-helpers, which the volume controllers and the scheduler use.
    ///
    /// `CheckNodeAffinity` uses the labels of the node, but not its name. So it only checks that `matchFields` are
    /// valid, and valid `matchFields` match every node. A term with an invalid requirement matches no node.
    pub fn matches(&self, labels: &[(Str, Str)]) -> bool {
        self.terms.iter().any(|term| term.matches(labels, None))
    }

    /// Returns whether the selector matches the node of this name with these labels, which are sorted by key. Unlike
    /// [`Self::matches`], this function also compares the name.
    pub fn matches_node(&self, name: &str, labels: &[(Str, Str)]) -> bool {
        self.terms.iter().any(|term| term.matches(labels, Some(name)))
    }
}

impl NodeSelectorTerm {
    fn matches(&self, labels: &[(Str, Str)], name: Option<&str>) -> bool {
        let empty = self.expressions.is_empty() && self.fields.is_empty();
        // The test whether a requirement holds is fast. So the validity is checked only if the requirement holds.
        let fits = |requirement: &NodeRequirement| {
            requirement.operator.comparison().is_some_and(|comparison| {
                comparison.holds(label(labels, &requirement.key), &requirement.values)
                    && check(&requirement.key, comparison, &requirement.values, ListForm::Json).is_ok()
            })
        };
        !empty && self.expressions.iter().all(fits) && self.fields.iter().all(|field| field.fits(name))
    }
}

impl NodeRequirement {
    /// Returns whether the requirement is valid for a field and matches the node of this name. Without a name, only the
    /// validity is checked.
    fn fits(&self, name: Option<&str>) -> bool {
        let found = |name| if self.key == "metadata.name" { name } else { "" };
        let equal = |name| self.values.iter().any(|value| value == found(name));
        self.is_valid_for_field() && name.is_none_or(|name| equal(name) == (self.operator == NodeOperator::In))
    }

    fn is_valid_for_field(&self) -> bool {
        matches!(self.operator, NodeOperator::In | NodeOperator::NotIn) && self.values.len() == 1
    }
}

/// A test of the value of a label. It is displayed in the syntax of `kubectl -l`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The label has the value.
    Equals,
    /// The label is absent or has another value.
    NotEquals,
    /// The label has one of the values.
    In,
    /// The label is absent or has none of the values.
    NotIn,
    /// The label is present.
    Exists,
    /// The label is absent.
    DoesNotExist,
    /// The label's value is an integer greater than the given value.
    GreaterThan,
    /// The label's value is an integer less than the given value.
    LessThan,
}

impl Comparison {
    /// Returns whether a label with this value, or an absent label, passes the test. See `Requirement.Matches` of
    /// apimachinery.
    pub(super) fn holds(self, found: Option<&str>, wanted: &[Str]) -> bool {
        let among = |found: &str| wanted.iter().any(|value| value == found);
        match self {
            Self::Equals | Self::In => found.is_some_and(among),
            Self::NotEquals | Self::NotIn => !found.is_some_and(among),
            Self::Exists => found.is_some(),
            Self::DoesNotExist => found.is_none(),
            Self::GreaterThan | Self::LessThan => {
                let [wanted] = wanted else { return false };
                let (Some(Ok(found)), Ok(wanted)) = (found.map(str::parse::<i64>), wanted.parse::<i64>()) else {
                    return false;
                };
                if self == Self::GreaterThan { found > wanted } else { found < wanted }
            }
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Equals => "=",
            Self::NotEquals => "!=",
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Exists => "exists",
            Self::DoesNotExist => "does not exist",
            Self::GreaterThan => ">",
            Self::LessThan => "<",
        })
    }
}

/// Checks a requirement as `labels.NewRequirement` of apimachinery does.
///
/// # Errors
/// The error has upstream's text with all problems. If there are several problems, they are in brackets.
pub(super) fn check(key: &str, comparison: Comparison, values: &[Str], lists: ListForm) -> Result<(), SelectorError> {
    let mut errors = Vec::new();
    errors.extend(invalid_key("key", key));
    let count = match comparison {
        Comparison::In | Comparison::NotIn if values.is_empty() => {
            Some("for 'in', 'notin' operators, values set can't be empty")
        }
        Comparison::Equals | Comparison::NotEquals if values.len() != 1 => {
            Some("exact-match compatibility requires one single value")
        }
        Comparison::Exists | Comparison::DoesNotExist if !values.is_empty() => {
            Some("values set must be empty for exists and does not exist")
        }
        Comparison::GreaterThan | Comparison::LessThan if values.len() != 1 => {
            Some("for 'Gt', 'Lt' operators, exactly one value is required")
        }
        _ => None,
    };
    errors.extend(count.map(|problem| {
        let values = match lists {
            ListForm::Json => json_list(values),
            ListForm::Go => go_list(values),
        };
        format!("values: Invalid value: {values}: {problem}")
    }));
    if matches!(comparison, Comparison::GreaterThan | Comparison::LessThan) {
        for (index, value) in values.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err()) {
            let problem = "for 'Gt', 'Lt' operators, the value must be an integer";
            errors.push(format!("values[{index}]: Invalid value: {}: {problem}", quoted(value)));
        }
    }
    for (index, value) in values.iter().enumerate() {
        let problems = value_problems(value);
        if !problems.is_empty() {
            let problems = problems.join("; ");
            errors.push(format!("values[{index}][{key}]: Invalid value: {}: {problems}", quoted(value)));
        }
    }
    match errors.as_slice() {
        [] => Ok(()),
        [error] => Err(SelectorError(error.clone())),
        errors => Err(SelectorError(format!("[{}]", errors.join(", ")))),
    }
}

/// Returns the text of apimachinery for a key that is not a valid label key. The value is `None` if the key is valid.
pub(super) fn invalid_key(field: &str, key: &str) -> Option<String> {
    let problems = key_problems(key);
    (!problems.is_empty()).then(|| format!("{field}: Invalid value: {}: {}", quoted(key), problems.join("; ")))
}

const LABEL_LENGTH: usize = 63;
const DOMAIN_LENGTH: usize = 253;
const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
    alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
    '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
    used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const DOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
    '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Returns the problems of a label key. See `content.IsLabelKey` of apimachinery.
fn key_problems(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let (domain, name) = match key.split_once('/') {
        None => (None, key),
        Some((domain, name)) => (Some(domain), name),
    };
    if name.contains('/') {
        return vec![format!(
            "a valid label key {NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )];
    }
    match domain {
        Some("") => problems.push("prefix part must be non-empty".to_owned()),
        Some(domain) => {
            if domain.len() > DOMAIN_LENGTH {
                problems.push(format!("prefix part must be no more than {DOMAIN_LENGTH} bytes"));
            }
            if !is_domain(domain) {
                problems.push(format!("prefix part {DOMAIN_RULE}"));
            }
        }
        None => {}
    }
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_LENGTH {
        problems.push(format!("name part must be no more than {LABEL_LENGTH} bytes"));
    }
    if name.is_empty() || !is_label(name) {
        problems.push(format!("name part {NAME_RULE}"));
    }
    problems
}

/// Returns the problems of a label value. See `content.IsLabelValue` of apimachinery.
fn value_problems(value: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if value.len() > LABEL_LENGTH {
        problems.push(format!("must be no more than {LABEL_LENGTH} bytes"));
    }
    if !is_label(value) {
        problems.push(VALUE_RULE.to_owned());
    }
    problems
}

/// Returns whether the text is empty, or consists of letters, digits and `-_.` and begins and ends with a letter or
/// digit.
fn is_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
        && [bytes.first(), bytes.last()].into_iter().flatten().all(u8::is_ascii_alphanumeric)
}

/// Returns whether the text is a lower case DNS subdomain. Its length is not checked.
fn is_domain(text: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split('.').map(str::as_bytes).all(|part| {
        part.first().is_some_and(plain)
            && part.last().is_some_and(plain)
            && part.iter().all(|byte| plain(byte) || *byte == b'-')
    })
}

/// Returns the text as Go's `%q` writes it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        let code = u32::from(character);
        // Writing to a string cannot fail.
        let _ = match character {
            '"' | '\\' => write!(out, "\\{character}"),
            '\u{7}' => out.write_str("\\a"),
            '\u{8}' => out.write_str("\\b"),
            '\t' => out.write_str("\\t"),
            '\n' => out.write_str("\\n"),
            '\u{b}' => out.write_str("\\v"),
            '\u{c}' => out.write_str("\\f"),
            '\r' => out.write_str("\\r"),
            character if is_print(character) => out.write_char(character),
            _ if code < 0x80 => write!(out, "\\x{code:02x}"),
            _ if code < 0x1_0000 => write!(out, "\\u{code:04x}"),
            _ => write!(out, "\\U{code:08x}"),
        };
    }
    out.push('"');
    out
}

/// Returns whether Go's `strconv` would print the character without escaping it.
fn is_print(character: char) -> bool {
    // The character follows a letter in this test. A combining mark without a letter would be escaped, because it has
    // nothing to combine with.
    let pair = String::from_iter(['a', character]);
    character == '\'' || pair.escape_debug().eq(pair.chars())
}

/// Returns the values as Go's `%#v` prints them. `field.Error` of apimachinery used this form before 1.34. Upstream has
/// a nil slice in place of an empty list.
fn go_list(values: &[Str]) -> String {
    if values.is_empty() {
        return "[]string(nil)".to_owned();
    }
    let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    format!("[]string{{{}}}", values.join(", "))
}

/// Returns the values as Go's `encoding/json` prints them. Upstream has a nil slice in place of an empty list.
fn json_list(values: &[Str]) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    let mut out = String::new();
    for value in values {
        out.push_str(if out.is_empty() { "[\"" } else { ",\"" });
        for character in value.chars() {
            let _ = match character {
                '"' | '\\' => write!(out, "\\{character}"),
                '\u{8}' => out.write_str("\\b"),
                '\u{c}' => out.write_str("\\f"),
                '\n' => out.write_str("\\n"),
                '\r' => out.write_str("\\r"),
                '\t' => out.write_str("\\t"),
                '<' | '>' | '&' | '\0'..' ' | '\u{2028}' | '\u{2029}' => {
                    write!(out, "\\u{:04x}", u32::from(character))
                }
                _ => out.write_char(character),
            };
        }
        out.push('"');
    }
    out.push(']');
    out
}
