//! Tests of `pvctl_core::model::selector`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use pvctl_core::model::Str;
use serde_json::Value;

use pvctl_core::model::selector::*;

static ROWS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let table = include_str!("../data/selectors.jsonl");
    table.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
});

/// Returns the rows of one kind in the table of upstream's answers.
pub(crate) fn rows(kind: &str) -> Vec<&'static Value> {
    ROWS.iter().filter(|row| row["kind"] == kind).collect()
}

/// Returns the expected result of a row: an error, or for each set of labels whether it matches.
pub(crate) fn expected(row: &Value) -> Result<Vec<bool>, String> {
    match row.get("error") {
        None => Ok(row["match"].as_str().unwrap().chars().map(|digit| digit == '1').collect()),
        Some(error) => {
            let mut text = error.as_str().unwrap().to_owned();
            for (short, long) in rows("texts")[0]["texts"].as_object().unwrap() {
                text = text.replace(short, long.as_str().unwrap());
            }
            Err(text)
        }
    }
}

/// Returns the sets of labels on which every row of the table is tested.
pub(crate) fn sets() -> Vec<Box<[(Str, Str)]>> {
    rows("sets")[0]["sets"].as_array().unwrap().iter().map(pairs).collect()
}

fn string(value: &Value) -> Str {
    value.as_str().unwrap().into()
}

fn pairs(map: &Value) -> Box<[(Str, Str)]> {
    let mut pairs: Vec<_> = map
        .as_object()
        .map(|map| map.iter().map(|(key, value)| (key.as_str().into(), string(value))).collect())
        .unwrap_or_default();
    pairs.sort();
    pairs.into()
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Box<[T]> {
    value.as_array().map(|items| items.iter().map(item).collect()).unwrap_or_default()
}

fn label_requirement(value: &Value) -> LabelRequirement {
    LabelRequirement {
        key: string(&value["key"]),
        operator: LabelOperator::from_manifest(value["operator"].as_str().unwrap()),
        values: list(&value["values"], string),
    }
}

fn node_requirement(value: &Value) -> NodeRequirement {
    NodeRequirement {
        key: string(&value["key"]),
        operator: NodeOperator::from_manifest(value["operator"].as_str().unwrap()),
        values: list(&value["values"], string),
    }
}

fn label_selector(row: &Value) -> LabelSelector {
    LabelSelector {
        match_labels: pairs(&row["matchLabels"]),
        expressions: list(&row["expressions"], label_requirement),
    }
}

#[test]
fn label_selectors_do_what_they_do_upstream() {
    let (rows, sets) = (rows("label"), sets());
    assert!(rows.len() > 200, "the table has only {} label selectors", rows.len());
    for row in rows {
        let selector = label_selector(row);
        let actual = selector.compile().map_err(|error| error.to_string());
        let actual = actual.map(|compiled| sets.iter().map(|labels| compiled.matches(labels)).collect());
        assert_eq!(actual, expected(row), "{row}");
    }
}

#[test]
fn a_mismatch_is_there_exactly_if_there_is_no_match() {
    let sets = sets();
    for row in rows("label") {
        let selector = label_selector(row);
        if let Ok(compiled) = selector.compile() {
            for labels in &sets {
                assert_eq!(compiled.first_mismatch(labels).is_none(), compiled.matches(labels), "{row} {labels:?}");
            }
        }
    }
}

#[test]
fn node_selectors_do_what_they_do_upstream() {
    let (rows, sets) = (rows("node"), sets());
    assert!(rows.len() > 100, "the table has only {} node selectors", rows.len());
    for row in rows {
        let terms = list(&row["terms"], |term| NodeSelectorTerm {
            expressions: list(&term["expressions"], node_requirement),
            fields: list(&term["fields"], node_requirement),
        });
        let selector = NodeSelector { terms };
        let actual = sets.iter().map(|labels| selector.matches(labels)).collect();
        assert_eq!(Ok(actual), expected(row), "{row}");
    }
}

#[test]
fn a_mismatch_names_what_was_wanted_and_what_was_found() {
    let requirement = |operator, values: &[&str]| LabelRequirement {
        key: "tier".into(),
        operator,
        values: values.iter().map(|value| Str::from(*value)).collect(),
    };
    let shown = |requirement: LabelRequirement, labels: &[(Str, Str)]| {
        let selector = LabelSelector { match_labels: Box::default(), expressions: [requirement].into() };
        selector.compile().unwrap().first_mismatch(labels).unwrap().to_string()
    };
    let bronze = [(Str::from("tier"), Str::from("bronze"))];
    let wanted = requirement(LabelOperator::In, &["gold", "silver"]);
    assert_eq!(shown(wanted.clone(), &bronze), r#"tier in (gold,silver), but the label is "bronze""#);
    assert_eq!(shown(wanted, &[]), "tier in (gold,silver), but there is no such label");
    assert_eq!(shown(requirement(LabelOperator::DoesNotExist, &[]), &bronze), r#"!tier, but the label is "bronze""#);
    let selector = LabelSelector { match_labels: Box::new([("tier".into(), "gold".into())]), ..Default::default() };
    let mismatch = selector.compile().unwrap().first_mismatch(&bronze).unwrap();
    assert_eq!((mismatch.key, mismatch.comparison, mismatch.found), ("tier", Comparison::Equals, Some("bronze")));
    assert_eq!(mismatch.to_string(), r#"tier=gold, but the label is "bronze""#);
}

#[test]
fn keys_are_of_both_parts() {
    let requirement = LabelRequirement { key: "b".into(), operator: LabelOperator::Exists, values: Box::default() };
    let selector =
        LabelSelector { match_labels: Box::new([("c".into(), "d".into())]), expressions: [requirement].into() };
    assert_eq!(selector.keys().collect::<Vec<_>>(), ["c", "b"]);
}
