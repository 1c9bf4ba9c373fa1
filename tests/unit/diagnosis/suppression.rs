//! Tests of `pvctl::diagnosis::suppression`.

use pvctl::diagnosis::suppression::ignored;
use pvctl::diagnosis::{Suppression, key, matches_glob};
use pvctl::model::{AnnotationKey, Annotations, Kind, ObjectMeta, Timestamp};

#[test]
fn a_star_stands_for_any_characters() {
    for (pattern, text, expected) in [
        ("lost-pv-missing", "lost-pv-missing", true),
        ("lost-pv", "lost-pv-missing", false),
        ("lost-*", "lost-pv-missing", true),
        ("*", "lost-pv-missing", true),
        ("*", "", true),
        ("*-missing", "lost-pv-missing", true),
        ("l*pv*g", "lost-pv-missing", true),
        ("l*pv*x", "lost-pv-missing", false),
        ("*pv", "lost-pv-missing", false),
        ("lost*lost", "lost", false),
        ("", "lost", false),
    ] {
        assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
    }
}

#[test]
fn an_entry_covers_what_it_names_until_it_expires() {
    let entry = Suppression {
        rule: "pv-released-*".into(),
        object: Some("pv/archive-*".into()),
        expires: Some(Timestamp(100)),
        ..Suppression::default()
    };
    let volume = key(Kind::PersistentVolume, "", "archive-1");
    assert!(entry.covers("pv-released-retain", &volume));
    assert!(!entry.covers("pv-recycle-policy", &volume));
    assert!(!entry.covers("pv-released-retain", &key(Kind::PersistentVolume, "", "data-1")));
    assert!(!entry.covers("pv-released-retain", &key(Kind::PersistentVolumeClaim, "a", "archive-1")));
    let of_teams = Suppression { namespace: Some("team-*".into()), object: None, ..entry.clone() };
    assert!(of_teams.covers("pv-released-x", &key(Kind::PersistentVolumeClaim, "team-a", "x")));
    assert!(!of_teams.covers("pv-released-x", &volume), "a volume is in no namespace");
    let at = |now: Option<i64>| entry.has_expired(now.map(Timestamp));
    assert_eq!([at(Some(99)), at(Some(100)), at(None)], [false, true, false]);
}

#[test]
fn an_annotation_without_a_reason_ignores_nothing() {
    let said = |value: &str| {
        let annotations = Annotations::new(vec![(AnnotationKey::Ignore, value.into())], 0);
        let meta = ObjectMeta { annotations, ..ObjectMeta::default() };
        ignored(&meta).map(|(rule, reason)| format!("{rule}:{reason}")).collect::<Vec<_>>()
    };
    assert_eq!(said("a=kept; b-* = an=archive "), ["a:kept", "b-*:an=archive"]);
    assert!(said("a=; =b; c;").is_empty());
    assert!(ignored(&ObjectMeta::default()).next().is_none());
}
