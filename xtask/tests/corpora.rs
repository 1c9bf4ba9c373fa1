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

/// How much of each is compared at least, which is all that is recorded: what is compared no more would differ unseen. A prediction that becomes less
/// precise also falls below one of these, by joint ends that are not listed or by doubts where there is no reason for
/// one.
const AT_LEAST: [(&str, usize); 18] = [
    ("decisions", 47_860),
    ("folded", 273),
    ("matches", 2_813),
    ("chosen", 11_334),
    ("ends", 4_804),
    ("exact", 4_804),
    ("single", 3_674),
    ("members", 6_905),
    ("seen", 6_905),
    ("changes", 4_804),
    ("limited", 2_786),
    ("coarse exact", 1_264),
    ("components", 2_167),
    ("worlds", 2_526),
    ("worlds seen", 2_526),
    ("cuts", 10_341),
    ("doubted", 2_284),
    ("confident", 6_302),
];

/// And of some at most: what the API server refuses to store is left out, recordings hold what chance showed, and the
/// engines that do not explore list little more than can be (7,909 members where 6,911 are possible).
const AT_MOST: [(&str, usize); 3] = [("refused", 194), ("proved", 0), ("coarse", 7_909)];

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
        let bound = |bounds: &[(&str, usize)]| bounds.iter().find(|(known, _)| *known == name).map(|(_, bound)| *bound);
        let (least, most) = (bound(&AT_LEAST).unwrap_or(0), bound(&AT_MOST).unwrap_or(usize::MAX));
        assert!(least > 0 || most < usize::MAX, "{name} has no bound");
        assert!((least..=most).contains(&number), "{name}: {number}, of {least} to {most}");
    }
}
