//! Tests of `pvctl::cli::object`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::cli::{one_object, parse_objects};
use pvctl::model::{Kind, ObjectArgument};

const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn objects(line: &str) -> Vec<ObjectArgument> {
    parse_objects(&words(line), &KINDS).unwrap()
}

fn refused(line: &str) -> String {
    parse_objects(&words(line), &KINDS).unwrap_err().to_string()
}

fn claim(name: &str) -> ObjectArgument {
    ObjectArgument { kind: Kind::PersistentVolumeClaim, name: Some(name.to_owned()) }
}

#[test]
fn the_forms_of_kubectl_name_the_same_objects() {
    assert_eq!(objects("pvc/a pvc/b"), [claim("a"), claim("b")]);
    assert_eq!(objects("pvc a b"), [claim("a"), claim("b")]);
    assert_eq!(objects("PersistentVolumeClaims a"), [claim("a")]);
    assert_eq!(objects(""), []);
}

#[test]
fn a_type_without_a_name_selects_all_objects() {
    let all = KINDS.map(|kind| ObjectArgument { kind, name: None });
    assert_eq!(objects("pv,pvc"), all);
    assert_eq!(objects("pv"), all[..1]);
}

#[test]
fn a_wrong_argument_is_named_in_the_error() {
    assert!(refused("pvc/a b").contains("'b' has no type"));
    assert!(refused("pvc/").contains("'pvc/' has no name"));
    assert!(refused("/a").contains("type before the slash is missing"));
    assert!(refused("pvc/db/a").contains("pvc/a -n db"));
    assert!(refused("cronjob/a").contains("'cronjob' is not known"));
    assert_eq!(
        refused("sc/a"),
        "error: the object must be pv/NAME or pvc/NAME, not a StorageClass\n\
         hint: `kubectl pvctl explain sc/a` explains it"
    );
    assert!(refused("sc").ends_with("`kubectl pvctl explain sc/NAME` explains it"));
    assert!(refused("pod web-0").ends_with("`kubectl pvctl explain pod/web-0` explains it"));
    assert_eq!(refused("lease/n"), "error: the object must be pv/NAME or pvc/NAME, not a Lease");
    let one = one_object(&words("pv/a"), &[Kind::PersistentVolumeClaim]).unwrap_err().to_string();
    assert!(one.starts_with("error: the object must be pvc/NAME, not a PersistentVolume\n"), "{one}");
    let empty = parse_objects(&["pvc".to_owned(), String::new()], &KINDS).unwrap_err();
    assert!(empty.to_string().contains("a name after 'pvc' is empty"));
    assert!(refused("a").contains("'a' is not known"));
}

#[test]
fn a_verb_for_one_object_accepts_only_one() {
    assert_eq!(one_object(&words("pvc a"), &KINDS).unwrap(), (Kind::PersistentVolumeClaim, "a".to_owned()));
    assert!(one_object(&words("pvc"), &KINDS).unwrap_err().to_string().contains("pvc/NAME"));
    assert!(one_object(&words("pvc a b"), &KINDS).unwrap_err().to_string().contains("2 were given"));
}
