//! Tests of `pvctl::diagnosis::remedy`.

use pvctl::diagnosis::key;
use pvctl::diagnosis::remedy::{quoted, typed};
use pvctl::model::Kind;

/// Names are untrusted input, and some come from files that no API server has validated.
#[test]
fn a_quoted_name_stays_one_word() {
    assert_eq!(quoted("data-0"), "data-0");
    assert_eq!(quoted(""), "''");
    assert_eq!(quoted("a; rm -rf ~"), "'a; rm -rf ~'");
    assert_eq!(quoted("it's"), r"'it'\''s'");
    assert_eq!(typed(&key(Kind::PersistentVolumeClaim, "db", "data-0")), "pvc/data-0 -n db");
    assert_eq!(typed(&key(Kind::PersistentVolume, "", "a b")), "'pv/a b'");
}
