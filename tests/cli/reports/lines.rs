//! These tests check formats that are read line by line: metrics, annotations of CI runners, and Markdown.

use super::{HOSTILE, all_printed, printed};
use pvctl::text::sanitize;
use std::collections::{BTreeMap, BTreeSet};

/// A sample of the text format of Prometheus: name, labels, value.
type Sample = (String, BTreeMap<String, String>, f64);

/// Parses one sample, character by character, by the specification of the format (version 0.0.4).
fn sample(line: &str) -> Sample {
    let name_end = line.find(['{', ' ']).expect("labels or a value");
    let name = &line[..name_end];
    let is_name = |text: &str, more: &str| {
        let good = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || more.contains(letter);
        !text.is_empty() && text.chars().all(good) && !text.starts_with(|letter: char| letter.is_ascii_digit())
    };
    assert!(is_name(name, ":"), "{line}");
    let mut labels = BTreeMap::new();
    let mut rest = &line[name_end..];
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            let (label, quoted) = rest.split_once("=\"").expect("a label and its value");
            assert!(is_name(label, ""), "{line}");
            let mut value = String::new();
            let mut letters = quoted.char_indices();
            let end = loop {
                match letters.next().expect("a quote ends the value") {
                    (at, '"') => break at + 1,
                    (_, '\\') => value.push(match letters.next() {
                        Some((_, 'n')) => '\n',
                        Some((_, same @ ('\\' | '"'))) => same,
                        other => panic!("{other:?} is not a valid escape sequence: {line}"),
                    }),
                    (_, letter) => value.push(letter),
                }
            };
            assert!(labels.insert(label.to_owned(), value).is_none(), "label {label} occurs twice: {line}");
            rest = &quoted[end..];
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        rest = rest.strip_prefix('}').expect("the end of the labels");
    }
    let value = rest.strip_prefix(' ').expect("a blank before the value");
    (name.to_owned(), labels, value.parse().unwrap_or_else(|_| panic!("{value:?} is not a number: {line}")))
}

/// Returns all samples of a page and checks their order. Each metric has its help, then its type, then its samples in
/// one group. No sample occurs twice.
fn samples(page: &str) -> Vec<Sample> {
    assert!(page.ends_with('\n'), "the last line must end with a line break");
    let (mut found, mut seen, mut helped) = (Vec::<Sample>::new(), BTreeSet::new(), String::new());
    let mut current = String::new();
    for line in page.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, text) = help.split_once(' ').expect("a text");
            assert!(!text.is_empty() && !text.contains('\\'), "{line}");
            assert!(seen.insert(name.to_owned()), "metric {name} occurs twice");
            name.clone_into(&mut helped);
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect("a type");
            assert_eq!((name, kind), (helped.as_str(), "gauge"));
            name.clone_into(&mut current);
        } else {
            let sample = sample(line);
            assert_eq!(sample.0, current, "{line}");
            assert!(
                !found.iter().any(|(name, labels, _)| (name, labels) == (&sample.0, &sample.1)),
                "sample occurs twice: {line}"
            );
            found.push(sample);
        }
    }
    found
}

#[test]
fn metrics_can_be_parsed_and_their_sums_agree() {
    for (from, page) in all_printed("prometheus") {
        let samples = samples(&page);
        let of = |name: &str| samples.iter().filter(|sample| sample.0 == name).collect::<Vec<_>>();
        let stated: f64 = of("pvctl_audit_findings").iter().map(|sample| sample.2).sum();
        let listed: f64 = of("pvctl_audit_finding").iter().map(|sample| sample.2).sum();
        assert!((stated - listed).abs() < 0.5, "{from}: {stated} {listed}");
        assert_eq!(of("pvctl_audit_objects").len(), 2, "{from}");
        assert_eq!(of("pvctl_audit_unjudged_rules").len(), 1, "{from}");
        if from == "hostile" {
            let names: BTreeSet<&str> =
                of("pvctl_audit_finding").iter().map(|sample| sample.1["name"].as_str()).collect();
            assert_eq!(names, BTreeSet::from(["data", &sanitize(HOSTILE)]));
        }
    }
}

#[test]
fn a_ci_annotation_stays_in_one_line() {
    let github = printed("github", &[]);
    assert_eq!(github.lines().count(), 2);
    for line in github.lines() {
        let rest = line.strip_prefix("::error title=").expect("a command");
        let (title, message) = rest.split_once("::").expect("a message");
        assert!(!title.contains([':', ',']) && !message.is_empty(), "{line}");
        // A percent sign in a name is escaped, so that it cannot encode a line break.
        assert!(!line.contains("%0A::error") && line.contains("%250A"), "{line}");
    }
}

/// Returns a line of Markdown without its code spans (`CommonMark` 0.31, 6.1): a run of backquotes ends at the next run
/// of the same length.
fn without_code(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches('`').len();
        if run > 0 {
            let inside = &rest[run..];
            let fence = "`".repeat(run);
            let mut ends = inside.match_indices(&fence).map(|(at, _)| at);
            let is_alone = |at: &usize| !inside[..*at].ends_with('`') && !inside[at + run..].starts_with('`');
            let end = ends.find(is_alone);
            rest = &inside[end.unwrap_or_else(|| panic!("a code span has no end: {line}")) + run..];
            continue;
        }
        // A backslash escapes the character after it.
        let size =
            if letter == '\\' { 1 + rest[1..].chars().next().map_or(0, char::len_utf8) } else { letter.len_utf8() };
        text.push_str(&rest[..size]);
        rest = &rest[size..];
    }
    text
}

#[test]
fn markdown_keeps_its_table() {
    let page = printed("markdown", &[]);
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 4, "{page}");
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 6, "{row}");
    }
    assert!(page.contains("its volume x&lt;y&gt;&amp;"), "{page}");
    // Outside of code, no `@` may mention a person.
    let lines = page.lines().filter(|line| !line.starts_with("    "));
    let text: Vec<String> = lines.map(without_code).collect();
    let text = text.join("\n");
    assert!(text.contains("@&#8203;me") && !text.contains("@me"), "{text}");
    assert!(page.contains("    kubectl get pvc "), "{page}");
}
