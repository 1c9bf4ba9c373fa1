//! Runs of the program: what is printed on stdout and stderr, and the exit codes.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::{BINARY, Run, root};
use pvctl::controllers::KubeVersion;
use std::path::Path;

#[test]
fn without_a_verb_there_is_a_guide_with_what_to_try_first() {
    let run = Run::new(&[]).finish();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let verbs = run.stdout.lines().filter_map(|line| line.strip_prefix("  kubectl pvctl ")?.split(' ').next());
    assert_eq!(verbs.collect::<Vec<_>>(), ["predict", "explain", "match", "fix"], "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
}

/// The guide and the help of a verb can be read in a narrow terminal. The description of a flag is below the flag. In a
/// column beside the flag, each line would have only one word.
#[test]
fn help_in_a_narrow_terminal_has_whole_lines() {
    for verb in ["audit", "predict", "recreate"] {
        let run = Run::new(&[verb, "-h"]).env("COLUMNS", "40").finish();
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{verb}");
        // Usage lines and flags are not broken, because people type them. A long word is not broken either.
        let is_typed = |line: &str| line.starts_with("Usage") || line.contains("--") || !line.trim().contains(' ');
        let options = run.stdout.split("EXAMPLES").next().unwrap_or_default();
        let long = options.lines().filter(|line| line.chars().count() > 40 && !is_typed(line));
        assert_eq!(long.collect::<Vec<_>>(), [""; 0], "{verb}: {}", run.stdout);
        let words = options.lines().filter(|line| !line.trim().is_empty() && line.trim().split(' ').count() == 1);
        let prose = words.filter(|line| line.starts_with("               ")).count();
        assert_eq!(prose, 0, "{verb}: {}", run.stdout);
    }
}

#[test]
fn the_help_of_each_verb_has_its_exit_codes() {
    let all = Run::new(&["--help"]).finish().stdout;
    let verbs = all.split("\nVerbs:\n").nth(1).unwrap_or_default();
    let verbs = verbs.lines().take_while(|line| !line.is_empty());
    // The second line of a verb's summary is indented further.
    let verbs = verbs.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|verb| !verb.is_empty()));
    let verbs: Vec<&str> = verbs.collect();
    assert!(verbs.len() >= 20, "{all}");
    for verb in verbs {
        let run = Run::new(&[verb, "--help"]).finish();
        assert_eq!(run.stdout.matches("EXIT CODES").count(), 1, "{verb}: {}", run.stdout);
        let codes = run.stdout.split("EXIT CODES").nth(1).unwrap_or_default();
        // Only verbs that write can be refused.
        let writes = ["retain", "release", "unbind", "reclaim", "recreate", "restore", "rebind", "move", "rename"];
        let more = ["unfinalize", "reschedule", "detach", "reconnect", "apply", "undo", "fix"];
        let may_be_refused = writes.contains(&verb) || more.contains(&verb);
        let says = codes.contains("6 refused") || codes.contains("6    ");
        assert_eq!(says, may_be_refused, "{verb}: {codes}");
    }
}

#[test]
fn help_is_an_answer_and_names_the_plugin_as_kubectl_does() {
    for verb in ["predict", "explain", "match", "shared", "snapshot", "version", "completion"] {
        let run = Run::new(&[verb, "--help"]).finish();
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{verb}");
        assert!(run.stdout.contains(&format!("Usage: kubectl pvctl {verb}")), "{}", run.stdout);
        assert!(run.stdout.contains("\nEXAMPLES\n  kubectl"), "{verb} has no examples");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_prints_nothing() {
    let cases: [&[&str]; 7] = [
        &["predcit"],
        &["predict", "--no-such-flag"],
        &["predict", "-o", "jsonpath={.items}"],
        &["predict", "--kube-version", "1.20"],
        &["explain"],
        &["match", "pvc/a", "--claim", "b.yaml"],
        &["completion", "tcsh"],
    ];
    for arguments in cases {
        let run = Run::new(arguments).finish();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.starts_with("error: "), "{arguments:?}: {}", run.stderr);
    }
    assert!(Run::new(&["predcit"]).finish().stderr.contains("'predict'"), "the error must name the most similar verb");
}

/// `kubectl pvctl help VERB` and `kubectl pvctl VERB --help` print the same text.
#[test]
fn help_of_a_verb_can_be_asked_for_in_two_ways() {
    let help = |arguments: &[&str]| {
        let run = Run::new(arguments).finish();
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        run.stdout
    };
    assert_eq!(help(&["help"]), help(&["--help"]));
    for verb in ["predict", "fix", "history", "completion"] {
        assert_eq!(help(&["help", verb]), help(&[verb, "--help"]));
    }
    let unknown = Run::new(&["help", "predcit"]).finish();
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(2), ""));
    assert!(unknown.stderr.contains("'predict'"), "the error must name the most similar verb: {}", unknown.stderr);
}

#[test]
fn who_wants_to_watch_is_told_what_to_type() {
    for verb in ["predict", "explain", "match", "audit"] {
        let run = Run::new(&[verb, "pvc/data", "-w"]).finish();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{verb}");
        let said = format!("error: {verb} reads once and does not watch\nhint: watch kubectl pvctl {verb} …\n");
        assert!(run.stderr.starts_with(&said), "{}", run.stderr);
        assert!(!run.stderr.contains("tip:"), "{}", run.stderr);
    }
}

#[test]
fn matches_are_sorted_by_a_column_that_the_table_has() {
    let (claim, world) = (root().join("examples/planned-claim.yaml"), root().join("examples/healthy.json"));
    let (claim, world) = (claim.to_str().expect("a path"), world.to_str().expect("a path"));
    let by = |column: &str, format: &str| {
        Run::new(&["match", "--claim", claim, "-f", world, "--sort-by", column, "-o", format]).finish()
    };
    let unknown = by("COLOUR", "table");
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(2), ""));
    assert!(unknown.stderr.contains("there is no column \"COLOUR\""), "{}", unknown.stderr);
    assert!(!unknown.stderr.contains("VOLUMEMODE"), "{}", unknown.stderr);
    assert!(by("COLOUR", "wide").stderr.contains("VOLUMEMODE"), "the error must name the columns");
    assert_eq!(by("phase", "table").code, Some(0));
}

#[test]
fn the_version_is_a_document_too() {
    let run = Run::new(&["version", "-o", "json"]).finish();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(document["apiVersion"], "pvctl.dev/v1");
    assert_eq!(document["kind"], "Version");
    assert_eq!(document["client"]["version"], env!("CARGO_PKG_VERSION"));
    let modelled = KubeVersion::DEFAULT.to_string();
    assert_eq!(document["model"]["kubernetes"], modelled);
    let text = Run::new(&["version"]).finish().stdout;
    assert!(text.contains(env!("CARGO_PKG_VERSION")) && text.contains(&modelled), "{text}");
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut run = Run::new(arguments);
        for (name, value) in variables {
            run = run.env(name, value);
        }
        run.finish().stdout.contains('\u{1b}')
    };
    assert!(!colored(&[], &[("NO_COLOR", "")]), "output to a pipe must have no colour");
    assert!(colored(&["--color", "always"], &[]));
    assert!(colored(&[], &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&["--color", "never"], &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]));
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let script = format!("'{BINARY}' completion bash | head -n 1 >/dev/null; echo \"${{PIPESTATUS[0]}}\"");
    let run = Run::of(Path::new("/bin/bash"), &["-c", &script]).finish();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("0\n", ""));
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let script = format!("'{BINARY}' version >/dev/full");
    let run = Run::of(Path::new("/bin/sh"), &["-c", &script]).finish();
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.starts_with("error: the answer could not be written"), "{}", run.stderr);
}

#[test]
fn kubectl_is_answered_when_somebody_presses_tab() {
    let run = Run::new(&["__complete", "predict", "--changed", "pv"]).finish();
    assert_eq!(run.stdout, "pvc/\tPersistentVolumeClaim\npv/\tPersistentVolume\n:6\n");
    let run = Run::new(&["__complete", "--context", "", "--"]).finish();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.ends_with(":4\n"), "{}", run.stdout);
}

/// Runs only in a process of its own, which [`a_bug_exits_with_70`] starts.
#[test]
#[ignore = "ends the process; started by another test"]
fn panic_in_a_process_of_its_own() {
    pvctl::terminal::install_panic_hook();
    panic!("a broken\u{1b}[2J invariant");
}

#[test]
fn a_bug_exits_with_70() {
    #[expect(clippy::disallowed_methods, reason = "this test binary is started again")]
    let itself = std::env::current_exe().expect("the path of this test binary");
    let arguments = ["--ignored", "--exact", "--nocapture", "cli::usage::panic_in_a_process_of_its_own"];
    let run = Run::of(&itself, &arguments).finish();
    assert_eq!(run.code, Some(70), "{}", run.stderr);
    assert!(run.stderr.contains("has a bug at tests/cli/usage.rs:"), "{}", run.stderr);
    assert!(run.stderr.contains("because: a broken\\x1b[2J invariant"), "{}", run.stderr);
    assert!(run.stderr.contains("please report the bug"), "{}", run.stderr);
}

/// `--outcomes` and `--decisions` shorten the lists of an answer, but do not change its headline.
#[test]
fn limits_of_lists_do_not_change_the_statements() {
    let printed = |arguments: &[&str]| Run::new(arguments).current_dir(root()).finish();
    let example = ["-f", "examples/contended.json"];
    for verb in [&["predict", "-A"][..], &["predict", "--changed", "--exit-code"]] {
        let whole = printed(&[verb, &example].concat());
        assert_eq!(whole.code, Some(i32::from(verb.contains(&"--exit-code"))), "{}", whole.stderr);
        for limits in [["--outcomes", "1"], ["--decisions", "1"], ["--outcomes", "all"], ["--decisions", "all"]] {
            let cut = printed(&[verb, &example, &limits].concat());
            assert_eq!((cut.code, cut.stdout), (whole.code, whole.stdout.clone()), "{verb:?} {limits:?}");
        }
    }
    let explain = ["explain", "pvc/data-orders-0", "-n", "shop"];
    let headline = |finished: &str| finished.lines().next().expect("a headline").to_owned();
    let whole = headline(&printed(&[&explain[..], &example].concat()).stdout);
    assert!(whole.contains("matches disk-a or disk-b (equal)") && !whole.contains("stays so"), "{whole}");
    let cut = printed(&[&explain[..], &example, &["--outcomes", "1", "--decisions", "1"]].concat());
    assert_eq!(headline(&cut.stdout), whole);
    assert!(cut.stdout.contains("- and 2 more\n"), "{}", cut.stdout);
    let json = [&explain[..], &example, &["--outcomes", "1", "--decisions", "1", "-o", "json"]].concat();
    let document: serde_json::Value = serde_json::from_str(&printed(&json).stdout).expect("JSON");
    let prediction = &document["prediction"];
    assert_eq!(prediction["outcomes"].as_array().map(Vec::len), Some(1), "{prediction}");
    assert_eq!(prediction["outcomeCount"], 3);
    let binder = |decision: &&serde_json::Value| decision["controller"] == "persistentvolume-binder-controller";
    assert_eq!(prediction["decisions"].as_array().map(|all| all.iter().filter(binder).count()), Some(1));
    for flag in ["--outcomes", "--decisions"] {
        let refused = printed(&["predict", "-f", example[1], flag, "0"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
        assert!(refused.stderr.contains("a number from 1, or `all`"), "{}", refused.stderr);
    }
}

#[test]
fn the_answer_says_if_failures_are_considered() {
    let failures = |arguments: &[&str]| {
        Run::new(&[&["predict", "-f", "examples/healthy.json"], arguments].concat()).current_dir(root()).finish()
    };
    assert!(failures(&["--failures"]).stderr.contains("(--failures)\n"));
    let document: serde_json::Value =
        serde_json::from_str(&failures(&["--failures", "-o", "json"]).stdout).expect("JSON");
    assert_eq!(document["model"]["failures"], true);
    let plain = failures(&["-o", "json"]).stdout;
    assert!(!plain.contains("\"failures\"") && !failures(&[]).stderr.contains("--failures"));
}

#[test]
fn undecodable_or_unknown_input_exits_with_3() {
    let volume = r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"a"}}"#;
    for (input, code) in [("{}".to_owned(), 3), (volume.to_owned(), 0), (format!("{volume}{{}}"), 3)] {
        let run = Run::new(&["predict", "-f", "-"]).stdin(input.as_bytes()).finish();
        assert_eq!(run.code, Some(code), "{input}: {}", run.stderr);
    }
    let released = |arguments: &[&str]| {
        Run::new(&[arguments, &["-f", "examples/released.json", "--partial", "pvc"]].concat())
            .current_dir(root())
            .finish()
    };
    let explained = released(&["explain", "pv/host-scratch"]);
    assert_eq!(explained.code, Some(3));
    let (headline, rest) = explained.stdout.split_once("\n\n").expect("sections");
    assert_eq!(
        headline.replace('\n', " "),
        "Volume host-scratch is Bound: its own status says so, but claim monitoring/scratch could not be read (not all \
         persistentvolumeclaims of namespace monitoring were read)."
    );
    assert!(!rest.contains("a claim that exists") && !rest.contains("MISMATCH"), "{rest}");
    assert!(rest.contains("(unknown whether that exists)"), "{rest}");
    assert!(rest.contains("unknown: not all decisions are known"), "{rest}");
    let absent = released(&["explain", "pvc/absent", "-n", "web"]);
    assert_eq!((absent.code, absent.stdout.as_str()), (Some(3), ""));
    assert!(absent.stderr.contains("not all persistentvolumeclaims of namespace web were read"), "{}", absent.stderr);
}
