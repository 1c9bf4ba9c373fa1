//! What `explain` says to the people who reported the cases in `tests/cases`: the cause comes first, and then the right
//! remedy. [`super::cases`] describes the header lines that state both. `tests/cases/EXPLAINED.md` lists the cases in
//! which `explain` misses one of them.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::audit::cases::{Header, cases, header, typed};
use crate::support::{Run, root, text};
use serde_json::Value;
use std::collections::BTreeMap;

/// The cause must be named within this number of characters.
const FIRST: usize = 300;

/// The cases in which the person asked about an object that does not exist: a volume that was deleted, a claim that was
/// deleted, or a claim that a quota refused.
const ABSENT: [&str; 3] = ["34-attachment-without-volume", "48-claim-deleted-under-a-stateful-set", "57-quota-used-up"];

/// Returns the name of a case.
fn name(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or_default();
    file.strip_suffix(".yaml").unwrap_or(file)
}

/// Returns a text on one line, in lower case.
fn flat(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether one of the alternatives occurs in the text. A word is not found inside a longer one.
fn says(text: &str, alternatives: &[String]) -> bool {
    let text = flat(text);
    let continues = |left: Option<char>, right: Option<char>| {
        left.is_some_and(char::is_alphanumeric) && right.is_some_and(char::is_alphanumeric)
    };
    alternatives.iter().map(|words| flat(words)).any(|words| {
        text.match_indices(words.as_str()).any(|(start, found)| {
            let (before, after) = (&text[..start], &text[start + found.len()..]);
            !continues(before.chars().next_back(), found.chars().next())
                && !continues(found.chars().next_back(), after.chars().next())
        })
    })
}

/// Returns what `explain` does not say about a case: `cause`, `cure`, both or nothing.
fn missed(path: &str, header: &Header) -> Vec<&'static str> {
    let explain = |more: &[&str]| {
        let asked = header.asked.split(' ').chain(header.flags.iter().map(String::as_str));
        let arguments: Vec<&str> =
            ["explain", "-f", path].into_iter().chain(asked).chain(more.iter().copied()).collect();
        Run::new(&arguments).current_dir(root()).finish()
    };
    let document: Value = serde_json::from_str(&explain(&["-o", "json"]).stdout).unwrap_or_default();
    let diagnosis = &document["diagnosis"];
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // The id of a rule is no explanation.
    let text = explain(&[]);
    // If the object does not exist, the error message says what is known about it.
    let (said, mut steps) =
        (format!("{}{}", text.stdout, text.stderr), text.stderr.lines().filter(|line| line.starts_with("hint: ")));
    let first: String = said.chars().take(FIRST).collect();
    let first = first.replace(&word(&diagnosis["root"]["rule"]), "");
    let remedy = &diagnosis["remedies"][0];
    let remedy = match document {
        Value::Null => steps.nth(1).unwrap_or_default().to_owned(),
        _ => format!("{} {}", word(&remedy["does"]), word(&remedy["command"])),
    };
    let looked = [("cause", says(&first, &header.cause)), ("cure", says(&remedy, &header.cure))];
    looked.into_iter().filter(|(_, said)| !said).map(|(what, _)| what).collect()
}

/// Returns the cases that `EXPLAINED.md` lists. The value says what `explain` does not say about the case.
fn listed() -> BTreeMap<String, String> {
    let list = text("tests/cases/EXPLAINED.md");
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match cells.as_slice() {
            [case, missed, why] if case.starts_with(|first: char| first.is_ascii_digit()) && why.len() > 10 => {
                Some(((*case).to_owned(), (*missed).to_owned()))
            }
            _ => None,
        }
    };
    list.lines().filter_map(row).collect()
}

#[test]
fn the_cause_and_the_right_remedy_come_first() {
    let missed: BTreeMap<String, Vec<&str>> = cases()
        .iter()
        .map(|(path, content)| (name(path).to_owned(), missed(path, &header(content).expect("a header"))))
        .collect();
    let all = missed.len();
    let right = |what: &str| missed.values().filter(|missed| !missed.contains(&what)).count();
    let (causes, cures) = (right("cause"), right("cure"));
    let failed: BTreeMap<String, String> = missed
        .into_iter()
        .filter(|(_, missed)| !missed.is_empty())
        .map(|(case, missed)| (case, missed.join(", ")))
        .collect();
    assert_eq!(failed, listed(), "left: the cases that `explain` fails, right: the cases that EXPLAINED.md lists");
    assert!(causes * 100 >= all * 95, "`explain` names the cause in only {causes} of {all} cases");
    assert!(cures * 100 >= all * 90, "the first remedy is right in only {cures} of {all} cases");
}

/// Returns whether the object that was asked about is missing in the file.
fn is_absent(content: &str) -> bool {
    let asked = header(content).expect("a header").asked;
    let objects: Vec<Value> = serde_yaml::from_str_multiple(content).expect("YAML");
    let named = |object: &Value| {
        let mut metadata = object["metadata"].clone();
        metadata["kind"] = object["kind"].clone();
        typed(&metadata)
    };
    !objects.iter().any(|object| named(object) == asked)
}

#[test]
fn the_object_that_is_asked_about_is_in_the_file() {
    let cases = cases();
    let absent: Vec<&str> =
        cases.iter().filter(|(_, content)| is_absent(content)).map(|(path, _)| name(path)).collect();
    assert_eq!(absent, ABSENT);
}

#[test]
fn words_are_found_as_words() {
    let says = |text: &str, words: &str| says(text, &[words.to_owned()]);
    assert!(says("Its claimRef has\nNo Name.", "no name") && !says("claimRef has no namespace", "no name"));
    assert!(says("--set class= -n db", "--set class=") && !says("recreated", "created"));
}
