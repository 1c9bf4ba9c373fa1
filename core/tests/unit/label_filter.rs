//! Tests of `pvctl_core::model::label_filter`.

use crate::selector::{expected, rows, sets};
use pvctl_core::model::label_filter::*;

#[test]
fn filters_do_what_they_do_upstream() {
    let (rows, sets) = (rows("filter"), sets());
    assert!(rows.len() > 300, "the table has only {} filters", rows.len());
    for row in rows {
        let filter = parse_label_filter(row["text"].as_str().unwrap_or_default());
        let actual = filter.map_err(|error| error.to_string());
        let actual = actual.map(|filter| sets.iter().map(|labels| filter.matches(labels)).collect());
        assert_eq!(actual, expected(row), "{row}");
    }
}

#[test]
fn the_default_is_the_empty_filter() {
    assert_eq!(parse_label_filter(" "), Ok(LabelFilter::default()));
}
