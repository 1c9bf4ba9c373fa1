//! Tests of `pvctl::source::exec_plugin`.

use pvctl::source::LoginMode;
use pvctl::source::exec_plugin::{UNATTENDED_LIMIT, patience};
use std::time::Duration;

/// Without `--request-timeout`, a plugin has a time limit, except in `LoginMode::Person`. With `--request-timeout 0` it
/// has no limit.
#[test]
fn a_plugin_beside_others_has_an_end() {
    let second = Duration::from_secs(1);
    for attendance in [LoginMode::Person, LoginMode::Reader, LoginMode::Nobody] {
        assert_eq!(patience(attendance, Some(second)), Some(second));
        let own = (attendance != LoginMode::Person).then_some(UNATTENDED_LIMIT);
        assert_eq!((patience(attendance, None), patience(attendance, Some(Duration::ZERO))), (own, None));
    }
}
