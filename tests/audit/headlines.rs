//! The words of every diagnosis in the fixtures and the cases are short and plain.

use crate::audit::rules::{FOLDER, Header, header, read};
use crate::predict::properties::{check, some_rules};
use crate::support::files;
use crate::support::worlds::{Cluster, worlds};
use proptest::prelude::*;
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{AuditSettings, Diagnoser, Diagnosis, Severity, diagnose_named, rules};
use pvctl::engines::simulation;
use pvctl::model::ObjectKey;
use pvctl::simulate::Settings;
use pvctl::snapshot::{Parts, Snapshot};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The largest number of words of a headline.
const HEADLINE: usize = 25;

/// The largest number of words of the cause in a headline, without the state of the object.
const CAUSE: usize = 17;

/// The largest number of words of any other sentence.
const SENTENCE: usize = 30;

/// The largest number of sentences that one rule adds to a headline.
const SENTENCES: usize = 4;

/// Words and phrases that readers did not understand at once. Text is compared in lower case and without punctuation.
const UNCLEAR: [&str; 18] = [
    "lies so",
    "whom it named",
    "be taken back",
    "to the controller the",
    "makes room",
    "in vain",
    "ever",
    "as such",
    "lives",
    "goes",
    "go with",
    "does not count",
    "takes no other",
    "follow from others",
    "no event says so",
    "is to be",
    "remembers",
    "comes nearest",
];

/// Phrases in headlines that were ambiguous to readers, or that repeated something.
const AMBIGUOUS: [&str; 9] = [
    "because of ",
    "which it names",
    "its attachment",
    "(recorded phase",
    ": free.",
    "stays so",
    "has a problem: ",
    "are well",
    "nothing is wrong",
];

/// The phases of claims and volumes that a headline may state.
const PHASES: [&str; 6] = ["Pending", "Bound", "Lost", "Available", "Released", "Failed"];

/// Returns the text with a single word in place of each quotation.
fn unquoted(text: &str) -> String {
    text.split('"').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "quotation" }).collect()
}

fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Returns the sentences of a text without quotations. A full stop inside a name ends no sentence.
fn sentences(text: &str) -> Vec<&str> {
    text.split_inclusive(". ").map(str::trim).collect()
}

/// Returns the unclear phrases in a text without quotations.
fn unclear(text: &str) -> Vec<&'static str> {
    let plain = text.to_lowercase().replace([',', '.', ':', ';', '(', ')'], " ");
    let plain = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    UNCLEAR.into_iter().filter(|phrase| plain.contains(&format!(" {phrase} "))).collect()
}

/// Returns whether the headline states a phase and the cause repeats that phase at its beginning.
fn repeats_the_phase(headline: &str) -> bool {
    let Some((state, cause)) = headline.split_once(": ") else { return false };
    let begins = |words: &[&str]| {
        ["it is", "it was", "it has been"]
            .iter()
            .any(|verb| words.iter().any(|word| cause.starts_with(&format!("{verb} {word}"))))
    };
    PHASES.iter().any(|phase| state.contains(&format!(" is {phase}")) && begins(&[phase]))
        || (state.contains(" is being deleted") && begins(&["being deleted", "deleted"]))
}

/// Returns what makes a headline hard to understand at first reading.
fn hard_to_read(headline: &str) -> Vec<String> {
    let plain = unquoted(headline);
    let mut faults: Vec<String> = AMBIGUOUS
        .into_iter()
        .filter(|phrase| plain.contains(phrase))
        .map(|phrase| format!("{phrase:?} is ambiguous"))
        .collect();
    if plain.matches(" but ").count() > 1 {
        faults.push("the headline has \"but\" more than once".to_owned());
    }
    // A headline begins with the object. A later clause must not name the object again.
    let mut words = plain.split_whitespace();
    if let (Some(kind @ ("Claim" | "Volume")), Some(name)) = (words.next(), words.next())
        && [", but ", ", and ", "; ", ": "]
            .iter()
            .any(|joint| plain.contains(&format!("{joint}{} {name} ", kind.to_lowercase())))
    {
        faults.push("the headline names the object twice".to_owned());
    }
    faults
}

/// Returns the cause in a headline. If the headline states no phase, all of it is the cause.
fn cause(headline: &str) -> &str {
    let joints = [": ", ", but ", ", and ", "; ", " because "];
    let start = joints.iter().filter_map(|joint| headline.find(joint).map(|at| at + joint.len())).min();
    start.map_or(headline, |start| &headline[start..])
}

/// Returns what is wrong with the words of a diagnosis.
fn faults(Diagnosis { headline, details, .. }: &Diagnosis) -> Vec<String> {
    let mut faults = hard_to_read(headline);
    let count = count_words(&unquoted(headline));
    if count > HEADLINE {
        faults.push(format!("the headline has {count} words"));
    }
    if repeats_the_phase(headline) {
        faults.push("the headline states the phase twice".to_owned());
    }
    for detail in details.iter().map(|detail| unquoted(detail)) {
        let sentences = sentences(&detail);
        if sentences.len() > SENTENCES {
            faults.push(format!("{} sentences are too many: {detail}", sentences.len()));
        }
        let long = sentences.into_iter().filter(|sentence| count_words(sentence) > SENTENCE);
        faults.extend(long.map(|sentence| format!("a sentence is too long: {sentence}")));
    }
    for text in details.iter().chain([headline]) {
        faults.extend(unclear(&unquoted(text)).into_iter().map(|phrase| format!("{phrase:?} is unclear: {text}")));
        if text.contains("..") || text.contains("?.") {
            faults.push(format!("it has two stops: {text}"));
        }
    }
    faults
}

/// Returns the diagnoses of all objects with a finding that is not only for information.
fn diagnoses(parts: Parts, behavior: KubernetesBehavior) -> Vec<Diagnosis> {
    let snapshot = Snapshot::new(parts);
    let simulation = simulation(&snapshot, Settings::new(behavior), 1);
    let settings =
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() };
    let found = diagnose_named(&simulation, settings, &|_| false, 1);
    let serious = found.listed.iter().filter(|finding| finding.severity != Severity::Info);
    let objects: BTreeSet<&ObjectKey> = serious.map(|finding| &finding.object).collect();
    let diagnoser = Diagnoser::new(&simulation, &found);
    objects.into_iter().map(|object| diagnoser.of(object)).collect()
}

#[test]
fn the_words_of_every_diagnosis_are_short_and_plain() {
    let fixtures =
        files(FOLDER, "yaml").into_iter().map(|(path, bytes)| (path, header(&String::from_utf8_lossy(&bytes))));
    let cases = files("tests/cases", "yaml").into_iter().map(|(path, _)| (path, Header::default()));
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, header) in fixtures.chain(cases) {
        for diagnosis in diagnoses(read(&path, &header), header.rules()) {
            let Diagnosis { object, headline, .. } = &diagnosis;
            wrong
                .extend(faults(&diagnosis).into_iter().map(|fault| format!("{path}: {object}: {fault}\n  {headline}")));
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{} faults in {count} diagnoses:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 250, "the test is too weak: it checked only {count} diagnoses");
}

/// The cause of the problem of a claim or volume can be on another object, such as the pod that waits for the claim.
/// Then the headline names both objects and must still be short.
#[test]
fn headlines_of_claims_and_volumes_whose_cause_is_elsewhere_are_short() {
    let fixtures =
        files(FOLDER, "yaml").into_iter().map(|(path, bytes)| (path, header(&String::from_utf8_lossy(&bytes))));
    let cases = files("tests/cases", "yaml").into_iter().map(|(path, _)| (path, Header::default()));
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, header) in fixtures.chain(cases) {
        let snapshot = Snapshot::new(read(&path, &header));
        let simulation = simulation(&snapshot, Settings::new(header.rules()), 1);
        let settings = AuditSettings {
            rules: rules::all(),
            suppressions: &[],
            scope: &|_| true,
            providers: Providers::built_in(),
        };
        let found = diagnose_named(&simulation, settings, &|_| false, 1);
        let diagnoser = Diagnoser::new(&simulation, &found);
        for target in simulation.targets() {
            let Diagnosis { headline, object, root, .. } = diagnoser.of(&snapshot.key(target));
            if root.is_some_and(|root| root.object != object) {
                count += 1;
                let words = count_words(&unquoted(&headline));
                if words > HEADLINE {
                    wrong.push(format!("{path}: {words} words: {headline}"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count > 50, "the test is too weak: it checked only {count} headlines");
}

/// In random worlds the state before the cause can be long, because it names all possible outcomes.
#[test]
fn every_cause_is_short_and_plain_in_random_worlds() {
    let count = Cell::new(0);
    check(2500, (worlds(3, 3), some_rules()), |(Cluster(parts), behavior)| {
        for Diagnosis { headline, .. } in diagnoses(parts, behavior).iter().filter(|diagnosis| diagnosis.root.is_some())
        {
            let cause = cause(headline);
            let words = count_words(&unquoted(cause));
            prop_assert!((1..=CAUSE).contains(&words) && unclear(cause).is_empty(), "{words} words: {headline}");
            let hard = hard_to_read(headline);
            prop_assert!(hard.is_empty(), "{hard:?}: {headline}");
            count.set(count.get() + 1);
        }
        Ok(())
    });
    assert!(count.get() > 1000, "the test is too weak: it checked only {} diagnoses", count.get());
}

#[test]
fn headlines_that_are_hard_to_read_are_noticed() {
    let hard = |headline: &str| !hard_to_read(headline).is_empty();
    assert!(hard("Claim a/b is Lost because of namespace a: all of its claims are Lost."));
    assert!(hard("Claim a/b is Pending: volume v, which it names, has 1Gi."));
    assert!(hard("Claim a/b is Bound, but volume v has 6Gi, but its file system has 1Gi."));
    assert!(hard("Volume v is Bound, but volume v is attached to node n."));
    assert!(hard("Volume v is Bound, but claim a/b has a problem: its deletion waits."));
    assert!(!hard("Volume v is Bound, but it is attached to node n."));
    assert_eq!(cause("Claim a/b is Lost because all claims are Lost."), "all claims are Lost.");
}

#[test]
fn unclear_words_are_noticed() {
    assert_eq!(unclear(&unquoted("Its claim is gone; the volume, as such, waits in vain.")), ["in vain", "as such"]);
    assert!(unclear(&unquoted("claim erp/never says \"it goes with the claim\"")).is_empty());
    assert!(repeats_the_phase("Volume v is Failed: it is Failed (no message)."));
    assert!(repeats_the_phase("Claim db/a is being deleted: it was deleted."));
    assert!(!repeats_the_phase("Volume v is Failed: nobody can delete its storage."));
}
