//! Tests of `pvctl::source::files::yaml`.

#![expect(clippy::unwrap_used, reason = "tests")]

use pvctl::source::files::yaml::{LONGEST_LINE, LONGEST_START, Lines, YamlError, documents, last_field};
use std::io::{self, Read};

fn json(yaml: &str) -> Result<Vec<String>, YamlError> {
    let mut read = Vec::new();
    documents(&mut yaml.as_bytes(), |json| {
        read.push(String::from_utf8(json).unwrap());
        Ok::<(), ()>(())
    })
    .map(|all| all.map(|()| read).unwrap())
}

#[test]
fn documents_become_json_in_their_order() {
    let yaml = "b: [1, -2, 1.5, true, ~, x, \"1\"]\na: {}\n1: |\n  two\n  lines\n---\n[]\n---\n";
    let expected = r#"{"b":[1,-2,1.5,true,null,"x","1"],"a":{},"1":"two\nlines\n"}"#;
    assert_eq!(json(yaml).unwrap(), [expected, "[]"]);
}

#[test]
fn times_stay_texts() {
    assert_eq!(json("a: 2026-06-01T10:00:00Z\n").unwrap(), [r#"{"a":"2026-06-01T10:00:00Z"}"#]);
}

#[test]
fn anchors_and_merge_keys_are_resolved() {
    let expected = r#"{"a":{"x":1},"b":{"x":1},"c":{"x":1,"z":2}}"#;
    let mut read: serde_json::Value =
        serde_json::from_str(&json("a: &a {x: 1}\nb: *a\nc:\n  <<: *a\n  z: 2\n").unwrap()[0]).unwrap();
    assert_eq!(read.take(), serde_json::from_str::<serde_json::Value>(expected).unwrap());
}

#[test]
fn a_key_that_occurs_twice_is_an_error() {
    assert!(json("a: 1\nb: 2\na: 3\n").is_err());
}

#[test]
fn a_line_beyond_all_measure_is_refused() {
    let read = |text: &str| io::copy(&mut Lines::new(text.as_bytes(), 10, usize::MAX), &mut io::sink()).is_ok();
    assert!(read("01234567: \n01234567: \n"));
    assert!(!read("01234567: \n01234567: X"));
}

/// A text that never ends is a YAML document with a single plain scalar. The parser would read it until the memory is
/// full.
#[test]
fn a_text_that_never_ends_is_refused_soon() {
    let mut passed = 0;
    let mut endless = io::repeat(b'y').take(u64::MAX);
    let mut lines = Lines::new(&mut endless, LONGEST_LINE, LONGEST_START);
    let mut buffer = [0; 8192];
    while let Ok(count) = lines.read(&mut buffer) {
        passed += count;
        assert!(passed <= LONGEST_START, "{passed}");
    }
    // A long text in a field of an object must be accepted.
    let long = format!("kind: ConfigMap\ndata:\n  text: |\n{}", "    line\n".repeat(2 * LONGEST_START / 9));
    assert_eq!(json(&long).unwrap().len(), 1);
}

#[test]
fn a_colon_of_a_text_is_no_field() {
    assert_eq!(last_field(b"http://x 12:30"), None);
    assert_eq!(last_field(b"kind: x http://y"), Some(4));
    assert_eq!(last_field(b"{\"kind\":\"x\"}"), Some(7));
    assert_eq!(last_field(b"kind:"), Some(4));
}
