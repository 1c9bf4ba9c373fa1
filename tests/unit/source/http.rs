//! Tests of `pvctl::source::http`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use http::{HeaderMap, HeaderValue, header};
use pvctl::model::Timestamp;
use pvctl::source::http::{date, escape, retry_after};
use std::time::Duration;

#[test]
fn headers_are_read_and_nonsense_is_not() {
    let mut headers = HeaderMap::new();
    assert_eq!(date(&headers), None);
    headers.insert(header::DATE, HeaderValue::from_static("Tue, 14 Nov 2023 22:13:20 GMT"));
    assert_eq!(date(&headers), Some(Timestamp(1_700_000_000)));
    headers.insert(header::DATE, HeaderValue::from_static("soon"));
    assert_eq!(date(&headers), None);
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("3"));
    assert_eq!(retry_after(&headers), Some(Duration::from_secs(3)));
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("-1"));
    assert_eq!(retry_after(&headers), None);
}

#[test]
fn names_cannot_leave_their_place_in_the_path() {
    assert_eq!(escape("pvc-1.a_b~c"), "pvc-1.a_b~c");
    assert_eq!(escape("../x?y=z&ä"), "..%2Fx%3Fy%3Dz%26%C3%A4");
    let path = format!("/api/v1/namespaces/{}/pods", escape("a/../b"));
    assert!(path.parse::<http::Uri>().unwrap().query().is_none());
}
