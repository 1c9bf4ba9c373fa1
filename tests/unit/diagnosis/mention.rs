//! Tests of `pvctl::diagnosis::mention`.

use pvctl::diagnosis::case::{claim_key, volume_key};
use pvctl::diagnosis::key;
use pvctl::diagnosis::mention::{elsewhere, mention, on_page, part_of, volume_of};
use pvctl::model::Kind;
use pvctl::snapshot::{Parts, Snapshot};

#[test]
fn each_page_names_the_objects_in_its_own_way() {
    let snapshot = Snapshot::new(Parts::default());
    let (claim, volume) = (claim_key("db", "data"), volume_key("disk"));
    let pod = key(Kind::Pod, "db", "db-0");
    let text = format!("{} names {}, but {} has 1Gi", mention(&claim), mention(&volume), mention(&volume));
    assert_eq!(on_page(&text, &claim, &snapshot), "it names volume disk, but the volume has 1Gi");
    assert_eq!(on_page(&text, &volume, &snapshot), "claim db/data names this volume, but this volume has 1Gi");
    assert_eq!(on_page(&text, &pod, &snapshot), "claim data names volume disk, but the volume has 1Gi");
    let text = format!("{} does not fit", part_of(&volume, "the node affinity"));
    assert_eq!(on_page(&text, &volume, &snapshot), "its node affinity does not fit");
    assert_eq!(on_page(&text, &claim, &snapshot), "the node affinity of volume disk does not fit");
    let text = format!("{}{} waits", mention(&claim), elsewhere(&claim, " is being deleted and"));
    assert_eq!(on_page(&text, &claim, &snapshot), "it waits");
    assert_eq!(on_page(&text, &pod, &snapshot), "claim data is being deleted and waits");
    let text = format!("{} cannot be mounted", volume_of(&claim, "disk"));
    assert_eq!(on_page(&text, &claim, &snapshot), "its volume cannot be mounted");
    assert_eq!(on_page(&text, &volume, &snapshot), "it cannot be mounted");
    assert_eq!(on_page(&text, &pod, &snapshot), "the volume of claim data cannot be mounted");
}

/// Names are untrusted input.
#[test]
fn a_name_cannot_end_a_mention() {
    let snapshot = Snapshot::new(Parts::default());
    let odd = volume_key("a\u{E002}b\u{E001}");
    assert_eq!(on_page(&mention(&odd), &claim_key("db", "data"), &snapshot), "volume ab");
}
