//! The recorded answers alone, without the project's other tests: what a mutated controller has to get past. Whatever
//! fails, fails as early as it can, because this is run for each of many mutants.
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use std::path::Path;
use xtask::corpus::files;
use xtask::judge::Counts;
use xtask::replay::replay_until;

/// How many of the predicted ends, alone and joint, no recorded schedule reached. These are exact numbers, so that the
/// predictions grow neither wider nor narrower unseen. Where one is not zero, `why` is the reason.
struct Unreached {
    file: &'static str,
    ends: usize,
    worlds: usize,
    why: &'static str,
}

const ALL_REACHED: &str = "every predicted end was seen";

const UNREACHED: [Unreached; 5] = [
    Unreached { file: "given-outcomes-1.36.3.jsonl.gz", ends: 0, worlds: 0, why: ALL_REACHED },
    Unreached { file: "handmade-1.36.3.jsonl.gz", ends: 0, worlds: 0, why: ALL_REACHED },
    Unreached { file: "outcomes-1.36.3.jsonl.gz", ends: 0, worlds: 0, why: ALL_REACHED },
    Unreached { file: "outcomes-all-1.36.3.jsonl.gz", ends: 0, worlds: 0, why: ALL_REACHED },
    Unreached { file: "upstream-1.36.3.jsonl.gz", ends: 0, worlds: 0, why: ALL_REACHED },
];

/// How much of each is compared at least: what is compared no more would differ unseen. A prediction that becomes less
/// precise also falls below one of these, by joint ends that are not listed or by doubts where there is no reason for
/// one.
const AT_LEAST: [(&str, usize); 16] = [
    ("decisions", 37_300),
    ("folded", 209),
    ("matches", 2_775),
    ("chosen", 9_500),
    ("ends", 3_895),
    ("exact", 3_895),
    ("single", 3_175),
    ("members", 5_200),
    ("seen", 5_200),
    ("changes", 3_890),
    ("components", 1_780),
    ("worlds", 2_010),
    ("worlds seen", 2_010),
    ("cuts", 8_340),
    ("doubted", 1_700),
    ("confident", 5_020),
];

#[test]
fn the_recordings_are_predicted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = files(&root.join("tests/conformance")).unwrap();
    files.sort_by_key(|file| file.metadata().unwrap().len());
    let mut all = Counts::default();
    for file in files {
        let known = UNREACHED.iter().find(|known| file.ends_with(known.file));
        let (ends, worlds, why) = known.map_or((0, 0, ALL_REACHED), |known| (known.ends, known.worlds, known.why));
        let verdict = replay_until(&file, |so_far| {
            let Counts { members, seen, worlds: joint, worlds_seen, .. } = so_far.counts;
            !so_far.differences.is_empty() || members > seen + ends || joint > worlds_seen + worlds
        });
        let verdict = verdict.unwrap();
        let counts = verdict.counts;
        let file = file.display();
        assert!(!counts.is_empty(), "{file}");
        assert!(verdict.differences.is_empty(), "{file}: {}", verdict.differences[0]);
        let unreached: Vec<String> = verdict.wider.iter().map(ToString::to_string).collect();
        assert_eq!(counts.members - counts.seen, ends, "{file}: {why}; now {unreached:?}");
        let unreached: Vec<String> = verdict.wider_worlds.iter().map(ToString::to_string).collect();
        assert_eq!(counts.worlds - counts.worlds_seen, worlds, "{file}: {why}; now {unreached:?}");
        assert_eq!(counts.exact, counts.ends, "{file}: small components are explored exactly");
        all += counts;
    }
    for (name, number) in all.named() {
        match AT_LEAST.iter().find(|(known, _)| *known == name) {
            Some((_, least)) => assert!(number >= *least, "{name}: {number}, of at least {least}"),
            // What the API server refuses to store is left out; that must stay the exception.
            None if name == "proved" => assert_eq!(number, 0, "recordings hold what chance showed"),
            None => assert!(name == "refused" && number <= 170, "{name}: {number}"),
        }
    }
}
