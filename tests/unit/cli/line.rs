//! Tests of `pvctl::cli::line`.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use pvctl::cli::{Verb, parse};

fn words(line: &str) -> Vec<std::ffi::OsString> {
    line.split_whitespace().map(Into::into).collect()
}

/// Returns what is printed instead of a parsed command line.
fn printed(line: &str) -> String {
    parse(words(line)).map_or_else(|answer| answer.to_string(), |cli| format!("{cli:?}"))
}

#[test]
fn help_in_place_of_a_verb_is_the_flag() {
    for (typed, same) in [
        ("", "--help"),
        ("predict", "predict --help"),
        ("predict pvc/data -o nonsense", "predict --help"),
        ("-n db explain", "explain --help"),
        ("-n db", "--help"),
        ("completion bash", "completion --help"),
        ("no-such-verb", "no-such-verb"),
    ] {
        assert_eq!(printed(&format!("kubectl-pvctl help {typed}")), printed(&format!("kubectl-pvctl {same}")));
    }
    assert_eq!(printed("kubectl-pvctl -n db help predict"), printed("kubectl-pvctl predict --help"));
    let cli = parse(words("kubectl-pvctl explain help"));
    let Ok(Some(Verb::Explain(args))) = cli.map(|cli| cli.verb) else { panic!("the verb must be explain") };
    assert_eq!(args.object, ["help"], "`help` must be a verb only in the place of a verb");
}

#[test]
fn a_verb_that_takes_no_files_says_what_it_takes() {
    let said =
        "error: apply takes the file of a plan as an argument, without a flag\nhint: kubectl pvctl apply plan.yaml\n";
    for line in ["apply -f plan.yaml", "apply --filename plan.yaml", "-n db apply -f plan.yaml"] {
        assert_eq!(printed(&format!("kubectl-pvctl {line}")), said);
    }
    for verb in ["fix", "undo", "history"] {
        let said = printed(&format!("kubectl-pvctl {verb} -f dump.json"));
        assert!(said.starts_with(&format!("error: {verb} ")) && said.contains("takes no files"), "{said}");
    }
}

#[test]
fn a_verb_that_reads_once_says_what_watches() {
    for flag in ["-w", "--watch", "--watch=true"] {
        let said = "error: predict reads once and does not watch\nhint: watch kubectl pvctl predict …\n";
        assert_eq!(printed(&format!("kubectl-pvctl predict {flag} -A")), said);
        assert_eq!(printed(&format!("kubectl-pvctl {flag} -n db predict")), said);
        for verb in ["explain", "match", "audit"] {
            let said = printed(&format!("kubectl-pvctl {verb} pvc/data {flag}"));
            let first = format!("error: {verb} reads once and does not watch\nhint: watch kubectl pvctl {verb} …\n");
            assert!(said.starts_with(&first), "{said}");
            assert_eq!(said.contains("--recheck"), verb == "explain", "{said}");
        }
        assert!(!printed(&format!("kubectl-pvctl version {flag}")).contains("reads once"));
    }
    assert!(
        !printed("kubectl-pvctl rename pvc audit -w").contains("reads once"),
        "`audit` must be the name of an object in this place"
    );
    assert!(!printed("kubectl-pvctl predict --watc").contains("reads once"));
}
