//! Tests of `pvctl_core::snapshot::coverage`.

use pvctl_core::model::{Kind, Str};
use pvctl_core::snapshot::DecodeIssue;
use pvctl_core::snapshot::coverage::*;

/// Each kind and namespace becomes partial once, with the name of its last object that could not be decoded. An
/// entry for all namespaces replaces all earlier entries of the kind. Entries for single namespaces from the same
/// call stay.
#[test]
fn an_object_that_cannot_be_decoded_makes_its_place_partial() {
    let issue = |namespace: &str, name: &str| DecodeIssue {
        kind: "PersistentVolumeClaim".into(),
        namespace: namespace.into(),
        name: name.into(),
        field: "spec".into(),
        value: "7".into(),
        reason: "it is no object".into(),
        origin: "a file".into(),
    };
    let mut coverage = Coverage::complete();
    let kind = Kind::PersistentVolumeClaim;
    let mut known = |namespace: &str| {
        coverage.set(CoverageEntry {
            resource_version: Some("7".into()),
            ..CoverageEntry::new(kind, Some(namespace.into()), CoverageState::Complete)
        });
    };
    known("a");
    known("b");
    coverage.doubt(&[issue("a", "one"), issue("c", ""), issue("a", "two")]);
    let said = |coverage: &Coverage, namespace: Option<&str>| {
        coverage.entry(kind, namespace).map(|entry| (entry.state, entry.resource_version.clone(), entry.reason.clone()))
    };
    let partial = |version: Option<&str>, name: &str| {
        Some((CoverageState::Partial, version.map(Str::from), Some(format!("{name} could not be decoded"))))
    };
    assert_eq!(said(&coverage, Some("a")), partial(Some("7"), "two"));
    assert_eq!(said(&coverage, Some("b")), Some((CoverageState::Complete, Some("7".into()), None)));
    assert_eq!(said(&coverage, Some("c")), partial(None, "an object without a name"));
    assert_eq!(said(&coverage, None), Some((CoverageState::Complete, None, None)));
    coverage.doubt(&[issue("c", "three"), issue("", "four")]);
    assert_eq!((said(&coverage, Some("a")), said(&coverage, Some("b"))), (None, None));
    assert_eq!(said(&coverage, None), partial(None, "four"));
    assert_eq!(said(&coverage, Some("c")), partial(None, "three"));
    assert_eq!(coverage.state(Kind::Pod, "a"), CoverageState::Complete);
}

/// Only a file that does not state its completeness may be assumed complete. If an object was never read, it is unknown
/// whether the object exists.
#[test]
fn objects_that_were_not_read_are_not_absent() {
    let absence = |state| {
        let mut coverage = Coverage::default();
        coverage.set(CoverageEntry::new(Kind::Pod, None, state));
        coverage.absence(Kind::Pod, "db")
    };
    assert_eq!(absence(CoverageState::Complete), Absence::Certain);
    assert_eq!(absence(CoverageState::Assumed), Absence::Assumed);
    for state in [CoverageState::NotNeeded, CoverageState::Partial, CoverageState::Forbidden, CoverageState::Failed] {
        assert_eq!(absence(state), Absence::Unknown(state));
    }
}

/// An object that was requested by name and was not found does not exist, even if RBAC forbids the user to list the
/// kind. This says nothing about other objects. If an object of the kind could not be decoded, the absence is no longer
/// known.
#[test]
fn an_object_that_was_requested_and_not_found_does_not_exist() {
    let (kind, state) = (Kind::PersistentVolume, CoverageState::Forbidden);
    let mut coverage = Coverage::default();
    coverage.set(CoverageEntry { absent: ["gone".into()].into(), ..CoverageEntry::new(kind, None, state) });
    assert_eq!(coverage.absence_of(kind, "", "gone"), Absence::Certain);
    assert_eq!(coverage.absence_of(kind, "", "other"), Absence::Unknown(state));
    assert_eq!(coverage.absence_of(Kind::StorageClass, "", "gone"), Absence::Assumed);
    coverage.set_partial(kind, None, "pv-1 could not be decoded".into());
    assert_eq!(coverage.absence_of(kind, "", "gone"), Absence::Unknown(CoverageState::Partial));
}
