//! Tests of `pvctl_core::model::quantity`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl_core::model::quantity::*;
use std::cmp::Ordering;

const TABLE: &str = include_str!("../data/quantities.tsv");

fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn text(cell: &str) -> String {
    serde_json::from_str(cell).unwrap()
}

fn sign(quantity: Quantity) -> String {
    quantity.nanos().signum().to_string()
}

#[test]
fn parses_what_upstream_parses() {
    let mut seen = 0;
    for row in rows() {
        match row.as_slice() {
            ["ok", input, canonical, value, expected_sign] => {
                let quantity = Quantity::parse(&text(input)).unwrap();
                assert_eq!(quantity.to_string(), *canonical, "text of {input}");
                assert_eq!(quantity.value().to_string(), *value, "whole units of {input}");
                assert_eq!(sign(quantity), *expected_sign, "sign of {input}");
                assert_eq!(quantity.is_zero(), *expected_sign == "0", "zero: {input}");
            }
            // The text that upstream prints for this quantity means another number. So the text of this program must
            // parse back to the same quantity.
            ["lossy", input, canonical, value, expected_sign] => {
                let quantity = Quantity::parse(&text(input)).unwrap();
                assert_ne!(quantity.to_string(), *canonical, "canonical form of {input}");
                let back = Quantity::parse(&quantity.to_string()).unwrap();
                assert_eq!(back.compare(&quantity), Ordering::Equal, "{input} as {quantity}");
                assert_eq!(quantity.value().to_string(), *value, "whole units of {input}");
                assert_eq!(sign(quantity), *expected_sign, "sign of {input}");
            }
            ["err", input, problem] => {
                let expected = match *problem {
                    "format" => Problem::Shape,
                    "suffix" => Problem::Unit,
                    "numeric" => Problem::Number,
                    other => unreachable!("{other}"),
                };
                assert_eq!(Quantity::parse(&text(input)).unwrap_err().problem, expected, "{input}");
            }
            ["wide", input] => {
                assert_eq!(Quantity::parse(&text(input)).unwrap_err().problem, Problem::Range, "{input}");
            }
            ["cmp", left, right, expected] => {
                let (left_value, right_value) = (Quantity::parse(&text(left)), Quantity::parse(&text(right)));
                let order = left_value.unwrap().compare(&right_value.unwrap());
                assert_eq!((order as i8).to_string(), *expected, "{left} to {right}");
            }
            other => unreachable!("{other:?}"),
        }
        seen += 1;
    }
    assert!(seen > 900, "the table has only {seen} rows");
}

#[test]
fn canonical_text_parses_to_the_same_quantity() {
    for row in rows().filter(|row| row[0] == "ok" || row[0] == "lossy") {
        let quantity = Quantity::parse(&text(row[1])).unwrap();
        let again = Quantity::parse(&quantity.to_string()).unwrap();
        assert_eq!(again.compare(&quantity), Ordering::Equal, "{}", row[1]);
        assert_eq!(again.to_string(), quantity.to_string(), "{}", row[1]);
    }
}

/// The fast parser accepts only texts without a sign, so a `+` selects the other parser.
#[test]
fn both_ways_of_parsing_agree() {
    let mut compared = 0;
    for row in rows().filter(|row| row[0] != "cmp") {
        let input = text(row[1]);
        if let (Ok(quantity), Ok(slow)) = (Quantity::parse(&input), Quantity::parse(&format!("+{input}"))) {
            assert_eq!(slow.compare(&quantity), Ordering::Equal, "{input}");
            if !quantity.is_zero() {
                assert_eq!(slow, quantity, "{input}");
            }
            compared += 1;
        }
    }
    assert!(compared > 300, "only {compared} texts can have a sign before them");
}

/// The expected texts are those that `Quantity.String()` of apimachinery 0.36.3 prints after parsing, by the
/// conditions in `ParseQuantity`.
#[test]
fn an_amount_repeats_what_upstream_repeats() {
    for (input, shown) in [
        ("+5", "+5"),
        ("1.500", "1.500"),
        ("2E0", "2E0"),
        ("2e0", "2e0"),
        ("1E9", "1E9"),
        ("007", "007"),
        ("+1025Mi", "+1025Mi"),
        ("1.5", "1500m"),
        ("0.500", "500m"),
        ("1000", "1k"),
        ("2E1", "20"),
        ("+1024Mi", "1Gi"),
        ("1.0Gi", "1Gi"),
        ("10Gi", "10Gi"),
        ("1500m", "1500m"),
    ] {
        assert_eq!(Amount::parse(input).unwrap().to_string(), shown, "{input}");
    }
}

#[test]
fn hostile_texts_end_quickly() {
    let digits = "9".repeat(4_000_000);
    let zeros = "0".repeat(4_000_000);
    let parse = |text: String| Quantity::parse(&text).map_err(|error| error.problem);
    assert_eq!(parse(digits.clone()), Err(Problem::Range));
    assert_eq!(parse(format!("{digits}Ei")).unwrap().value(), i64::MAX);
    assert_eq!(parse(format!("1e{digits}")), Err(Problem::Unit));
    assert_eq!(parse(format!("0.{zeros}1")).unwrap().to_string(), "1n");
    assert_eq!(parse(format!("0.{zeros}1e4000001")).unwrap().to_string(), "1");
    assert_eq!(parse(format!("0.{digits}Ki")).unwrap().to_string(), "1Ki");
    assert_eq!(parse(format!("{zeros}7{zeros}e-4000000")).unwrap().to_string(), "7");
    assert_eq!(parse("1e999999999".to_owned()), Err(Problem::Range));
    assert_eq!(parse("1e-999999999".to_owned()).unwrap().to_string(), "1e-9");
    assert_eq!(parse("0e999999999".to_owned()).unwrap().to_string(), "0");
}

#[test]
fn an_error_repeats_little_of_the_text_and_no_control_characters() {
    let error = Quantity::parse(&format!("\u{1b}[2J{}", "x".repeat(1000))).unwrap_err();
    let message = error.to_string();
    assert!(!message.chars().any(char::is_control), "{message:?}");
    assert_eq!(message.matches('x').count(), EXCERPT - 1 - "\u{1b}[2J".len(), "{message}");
    assert!(Quantity::parse("10K").unwrap_err().to_string().starts_with("\"10K\" is not a quantity: its unit "));
}

#[test]
fn equality_is_of_the_representation() {
    let parse = |text| Quantity::parse(text).unwrap();
    assert_eq!(parse("1Gi"), parse("1024Mi"));
    assert_ne!(parse("1Gi"), parse("1073741824"));
    assert_eq!(parse("1Gi").compare(&parse("1073741824")), Ordering::Equal);
    assert_eq!(Quantity::default(), Quantity::ZERO);
    assert_eq!(size_of::<Quantity>(), 16);
}

#[test]
fn serializes_as_its_canonical_text() {
    assert_eq!(serde_json::to_string(&Quantity::parse("1.5Gi").unwrap()).unwrap(), "\"1536Mi\"");
}
