//! Tests of `pvctl::commands::shared::connect`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::cli::ClusterArgs;
use pvctl::commands::shared::connect::{self, parse_timeout};
use std::time::Duration;

#[test]
fn time_limits_have_the_form_of_kubectl() {
    for (text, milliseconds) in
        [("0", 0), ("30", 30_000), ("1m30s", 90_000), ("500ms", 500), ("1.5h", 5_400_000), ("0s", 0)]
    {
        assert_eq!(parse_timeout(text), Some(Duration::from_millis(milliseconds)), "{text}");
    }
    for text in ["", "s", "-1s", "1", "1x", "1s2", "1..2s", "99999999999999999999h", " 1s"] {
        assert_eq!(parse_timeout(text).is_some(), text == "1", "{text}");
    }
}

#[test]
fn flags_reach_the_source_and_bad_ones_do_not() {
    let args = ClusterArgs { request_timeout: Some("2s".into()), chunk_size: Some(7), ..ClusterArgs::default() };
    let options = connect::options(&args, Some("db")).unwrap();
    assert_eq!(options.request_timeout, Some(Duration::from_secs(2)));
    assert_eq!((options.namespace.as_deref(), options.chunk_size), (Some("db"), Some(7)));
    let args = ClusterArgs { request_timeout: Some("soon".into()), ..ClusterArgs::default() };
    let error = connect::options(&args, None).unwrap_err();
    assert_eq!(error.message(), "--request-timeout: \"soon\" is not a duration");
}
