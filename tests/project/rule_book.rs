//! The pages of `docs/controllers/` define each leaf, which is a place where a function of Kubernetes ends. Each leaf
//! has an id and a name. Code, rules, tests and pages cite these ids. Each id must be defined exactly once.
#![expect(clippy::panic, clippy::expect_used, reason = "tests fail by panicking")]

use super::documents::{resolved, targets};
use crate::support::{files, text};
use pvctl::controllers::Branch;
use pvctl::controllers::attacher::{AttachmentBranch, DetachmentBranch, ReconcileBranch, VolumeFinalizerBranch};
use pvctl::controllers::provisioner::{CloneBranch, DeletionBranch, FinalizerBranch, ProvisionBranch};
use pvctl::controllers::resizer::{ModifyBranch, ResizeBranch};
use pvctl::controllers::scheduler::SchedulerReason;
use pvctl::controllers::shared_volume::{
    CollectionBranch, EndpointsBranch, PublishBranch, ServiceBranch, VolumeBranch,
};
use std::collections::{BTreeMap, BTreeSet};

const PAGES: &str = "docs/controllers";

/// The letters with which ids begin, one entry for each function. A number follows.
const LETTERS: [&str; 48] = [
    "AA", "AD", "AF", "AN", "AO", "AR", "AS", "AT", "AV", "AW", "B", "C", "D", "DO", "DT", "E", "ED", "EF", "EP", "ES",
    "EV", "H", "J", "KE", "KM", "KO", "KP", "KR", "KS", "KU", "KV", "KW", "M", "MV", "PE", "PI", "R", "RO", "RZ", "S",
    "SG", "SN", "SQ", "SS", "SV", "U", "V", "X",
];

/// Returns whether the word is an id: known letters, a number of one or two digits, and optionally a small letter for a
/// test within one function.
fn is_id(word: &str) -> bool {
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    let letters = &word[..word.len() - digits.len()];
    let number = digits.trim_end_matches(|letter| ('a'..='g').contains(&letter));
    let is_number = (1..=2).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit());
    LETTERS.contains(&letters) && is_number && digits.len() - number.len() <= 1
}

/// Returns the ids that a text cites.
fn cited(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| is_id(word))
}

/// Returns the pages, each with its path.
fn pages() -> Vec<(String, String)> {
    read(PAGES, "md")
}

fn read(folder: &str, extension: &str) -> Vec<(String, String)> {
    let found = files(folder, extension).into_iter();
    found.map(|(path, bytes)| (path, String::from_utf8(bytes).expect("text is UTF-8"))).collect()
}

/// Returns every file that may cite an id.
fn everything() -> Vec<(String, String)> {
    let mut all = vec![("README.md".to_owned(), text("README.md")), ("CHANGELOG.md".to_owned(), text("CHANGELOG.md"))];
    for (folder, extension) in [("src", "rs"), ("core", "rs"), ("tests", "rs"), ("xtask", "rs"), ("docs", "md")] {
        all.extend(read(folder, extension));
    }
    all
}

/// Returns the id and the name that a line of a page defines.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (id, rest) = line.strip_prefix("- **")?.split_once("** `")?;
    let (name, _) = rest.split_once("`: ")?;
    is_id(id).then_some((id, name))
}

/// Returns the ids that the pages define, each with its name.
fn defined(pages: &[(String, String)]) -> BTreeMap<&str, &str> {
    let mut defined = BTreeMap::new();
    for (path, page) in pages {
        for (id, name) in page.lines().filter_map(definition) {
            assert!(defined.insert(id, name).is_none(), "{path}: {id} is defined twice");
        }
    }
    assert!(defined.len() > 150, "only {} definitions were found", defined.len());
    defined
}

#[test]
fn ids_are_told_from_other_words() {
    let words = "(C12, C18a) day T00:00, EC2 and x1, RC1, S_3, C, 12; C123; V3.";
    assert_eq!(cited(words).collect::<Vec<_>>(), ["C12", "C18a", "V3"]);
    assert_eq!(
        definition("- **C4** `UnboundClaimVolumeFound`: a volume matches."),
        Some(("C4", "UnboundClaimVolumeFound"))
    );
    assert_eq!(definition("- C4 and **C5** `Name`: no definition."), None);
}

#[test]
fn every_id_that_is_cited_is_defined() {
    let pages = pages();
    let defined = defined(&pages);
    let mut citations = 0;
    for (path, text) in everything() {
        for (number, line) in text.lines().enumerate() {
            for id in cited(line) {
                assert!(defined.contains_key(id), "{path}:{}: {id} is defined nowhere in {PAGES}", number + 1);
                citations += 1;
            }
        }
    }
    assert!(citations > 1000, "only {citations} citations were found");
}

#[test]
fn the_code_has_the_ids_and_names_of_the_pages() {
    let pages = pages();
    let defined = defined(&pages);
    let leaves = Branch::all().map(|leaf| (leaf.id(), leaf.name()));
    let reasons = SchedulerReason::ALL.iter().map(|reason| (reason.id(), reason.name()));
    let provisioner = (ProvisionBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(DeletionBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(FinalizerBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(CloneBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())));
    let attacher = (AttachmentBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(DetachmentBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(VolumeFinalizerBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(ReconcileBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())));
    let resizer = (ResizeBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(ModifyBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())));
    let shared_volume = (VolumeBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(ServiceBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(EndpointsBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(PublishBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())))
        .chain(CollectionBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name())));
    let sidecars = provisioner.chain(attacher).chain(resizer);
    for (id, coded) in leaves.chain(reasons).chain(sidecars).chain(shared_volume) {
        let name = defined.get(id).unwrap_or_else(|| panic!("{id} is defined nowhere in {PAGES}"));
        assert_eq!(*name, coded, "{id}");
    }
}

/// No file may name two former documents, which are not in the project any more. The pages of `docs/controllers/`
/// replace them.
#[test]
fn nothing_refers_to_a_book_elsewhere() {
    // The words are joined here, so that this file does not contain them.
    let names = [concat!("rule", " book"), concat!("controller-1", ".36")];
    for (path, text) in everything() {
        let is_mark = |word: &&str| ["//", "///", "//!"].contains(word);
        let words: Vec<&str> = text.split_whitespace().filter(|word| !is_mark(word)).collect();
        let words = words.join(" ").to_lowercase();
        for name in names {
            assert!(!words.contains(name), "{path} says `{name}`: name the page of {PAGES} that says it");
        }
    }
}

#[test]
fn the_first_page_lists_every_page() {
    let first = format!("{PAGES}/README.md");
    let listed: BTreeSet<String> =
        targets(&text(&first)).iter().filter_map(|target| Some(resolved(&first, target)?.0)).collect();
    for (path, _) in pages() {
        assert!(path == first || listed.contains(&path), "{first} does not list {path}");
    }
}
