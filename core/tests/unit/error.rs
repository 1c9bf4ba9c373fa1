//! Tests of `pvctl_core::error`.

use pvctl_core::error::{Error, ErrorKind};
use std::{fmt, io};

#[test]
fn the_exit_codes_are_the_published_ones() {
    let published = [
        (ErrorKind::OutputClosed, 0),
        (ErrorKind::Usage, 2),
        (ErrorKind::Unreadable, 3),
        (ErrorKind::Changed, 4),
        (ErrorKind::Partial, 5),
        (ErrorKind::Refused, 6),
        (ErrorKind::Bug, 70),
        (ErrorKind::Interrupted, 130),
    ];
    for (kind, code) in published {
        assert_eq!(kind.exit_code(), code, "{kind:?}");
    }
}

#[test]
fn shows_sentence_causes_and_hints_and_no_control_characters() {
    let error = Error::unreadable("cannot read \u{1b}[2Jpv.json")
        .cause("line 3:\nunexpected end")
        .journal("20261122T214006Z-restore-3ea9b054")
        .hint("write it again with -o json");
    assert_eq!(
        error.to_string(),
        "error: cannot read \\x1b[2Jpv.json\n  because: line 3:\\nunexpected end\n\
         journal: 20261122T214006Z-restore-3ea9b054\nhint: write it again with -o json"
    );
}

#[test]
fn a_closed_pipe_is_no_failure_and_a_full_disk_is() {
    let kind = |kind: io::ErrorKind| Error::unwritten(&io::Error::from(kind)).kind();
    assert_eq!(kind(io::ErrorKind::BrokenPipe), ErrorKind::OutputClosed);
    assert_eq!(kind(io::ErrorKind::StorageFull), ErrorKind::Unreadable);
}

#[derive(Debug)]
struct Outer(io::Error);

impl fmt::Display for Outer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "request failed")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn takes_over_a_chain_of_errors() {
    let error = Error::unreadable("cannot list pvs").caused_by(&Outer(io::Error::other("refused")));
    assert_eq!(error.to_string(), "error: cannot list pvs\n  because: request failed\n  because: refused");
}
