//! Tests of `pvctl::cli::request`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use pvctl::cli::{Cli, RepairArgs, Verb, parse};
use pvctl::error::Error;
use pvctl::repair::Request;

fn parsed(line: &[&str]) -> Cli {
    let words = std::iter::once("kubectl-pvctl").chain(line.iter().copied());
    parse(words.map(Into::into).collect()).unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

fn request(verb: &Verb, namespace: &str) -> Result<Request, Error> {
    match verb {
        Verb::Retain(args) => args.request(),
        Verb::Release(args) => args.request(),
        Verb::Unbind(args) => args.request(),
        Verb::Reclaim(args) => args.request(),
        Verb::Recreate(args) => args.request(namespace),
        Verb::Restore(args) => args.request(namespace),
        Verb::Rebind(args) => args.request(namespace),
        Verb::Move(args) => args.request(namespace),
        Verb::Rename(args) => args.request(namespace),
        Verb::Unfinalize(args) => args.request(namespace),
        Verb::Reschedule(args) => args.request(namespace),
        Verb::Detach(args) => args.request(),
        Verb::Reconnect(args) => args.request(),
        other => panic!("{other:?} must be a repair of one object"),
    }
}

fn shared(verb: &Verb) -> &RepairArgs {
    match verb {
        Verb::Retain(args) => &args.repair,
        Verb::Release(args) => &args.repair,
        Verb::Unbind(args) => &args.repair,
        Verb::Reclaim(args) => &args.repair,
        Verb::Recreate(args) => &args.repair,
        Verb::Restore(args) => &args.repair,
        Verb::Rebind(args) => &args.repair,
        Verb::Move(args) => &args.repair,
        Verb::Rename(args) => &args.repair,
        Verb::Unfinalize(args) => &args.repair,
        Verb::Reschedule(args) => &args.repair,
        Verb::Detach(args) => &args.repair,
        Verb::Reconnect(args) => &args.repair,
        other => panic!("{other:?} must be a repair of one object"),
    }
}

/// Returns the request of a command line and its shared flags, as a text.
fn asked(line: &[&str]) -> String {
    let cli = parsed(line);
    let (verb, scope, cluster) = (cli.verb.unwrap(), cli.global.scope, cli.global.cluster);
    let namespace = scope.namespace.unwrap_or_default();
    let claim = if let Verb::Retain(args) = &verb { args.claim(&namespace).unwrap() } else { None };
    let request = claim.is_none().then(|| request(&verb, &namespace).unwrap());
    format!("{claim:?} {request:?} {namespace} {:?} {:?}", cluster.context, shared(&verb).dry_run)
}

/// Returns all ways to put the flags between the words. The words keep their order, and the flags keep theirs.
fn interleaved<'w>(words: &[&'w str], flags: &[&[&'w str]]) -> Vec<Vec<&'w str>> {
    let goes_on = |first: &[&'w str], rest: Vec<Vec<&'w str>>| {
        rest.into_iter().map(|rest| [first, &rest].concat()).collect::<Vec<_>>()
    };
    match (words, flags) {
        ([], _) => vec![flags.concat()],
        (_, []) => vec![words.to_vec()],
        ([word, words @ ..], [flag, others @ ..]) => {
            let mut all = goes_on(&[word], interleaved(words, flags));
            all.extend(goes_on(flag, interleaved(&[&[*word], words].concat(), others)));
            all
        }
    }
}

/// The request does not depend on the position of the flags among the words.
#[test]
fn flags_may_be_before_between_and_after_the_words() {
    let cases: [(&str, &[&str], &[&str]); 22] = [
        ("retain", &["pv/x"], &[]),
        ("retain", &["pv", "x"], &[]),
        ("retain", &["pvc", "x"], &[]),
        ("release", &["pv", "x"], &["--reserve-for", "db/data"]),
        ("unbind", &["pv", "x"], &["--to-anyone"]),
        ("reclaim", &["pv", "x"], &["--delete"]),
        ("recreate", &["pvc", "x"], &["--set", "class=fast"]),
        ("recreate", &["pvc/x"], &["--set=size=1Gi"]),
        ("restore", &["pvc/x"], &["--from", "pv/y"]),
        ("restore", &["pvc", "x"], &["--from", "pv/y"]),
        ("rebind", &["pvc", "x"], &["--to", "pv/y"]),
        ("move", &["pvc", "x"], &["--to-namespace", "web"]),
        ("move", &["pvc/x"], &["--to-namespace=web"]),
        ("rename", &["pvc/x", "new"], &["--restore-policy"]),
        ("rename", &["pvc", "x", "new"], &["--restore-policy"]),
        ("unfinalize", &["pvc/x", "example.com/backup"], &["--protected"]),
        ("unfinalize", &["pv", "x", "example.com/backup"], &["--protected"]),
        ("reschedule", &["pvc", "x"], &[]),
        ("detach", &["va/x"], &["--machine-off", "node-7"]),
        ("detach", &["volumeattachment", "x"], &["--machine-off=node-7"]),
        ("reconnect", &["pv/x"], &["--address", "10.96.0.7"]),
        ("reconnect", &["pv", "x"], &["--service=nfs/server"]),
    ];
    for (verb, words, own) in cases {
        let shared: [&[&str]; 3] = [&["-n", "ns"], &["--context=prod"], &["--dry-run"]];
        let flags: Vec<&[&str]> = std::iter::once(own).chain(shared).filter(|flag| !flag.is_empty()).collect();
        let backwards: Vec<&[&str]> = flags.iter().rev().copied().collect();
        let wanted = asked(&[&[verb], words, &flags.concat()].concat());
        for line in interleaved(words, &flags).into_iter().chain(interleaved(words, &backwards)) {
            let line = [&[verb], line.as_slice()].concat();
            assert_eq!(asked(&line), wanted, "{line:?}");
        }
        // The flags of kubectl may also be before the verb.
        for line in interleaved(&[&[verb], words].concat(), &shared[..2]) {
            let line = [&line[..], own, shared[2]].concat();
            assert_eq!(asked(&line), wanted, "{line:?}");
        }
        // After `--` every argument is a word.
        for behind in 0..=words.len() {
            let (before, words) = words.split_at(behind);
            let line = [&[verb], before, &flags.concat(), &["--"], words].concat();
            assert_eq!(asked(&line), wanted, "{line:?}");
        }
    }
}

#[test]
fn missing_and_surplus_words_are_named() {
    let refused = |line: &[&str]| {
        let cli = parsed(line);
        request(&cli.verb.unwrap(), "ns").unwrap_err().to_string()
    };
    for line in [&["rename", "pvc/x"][..], &["rename", "pvc", "x"], &["rename", "pvc"], &["rename", "pvc/x", ""]] {
        let said = "error: the new name is missing\nhint: it takes pvc/NAME NEW";
        assert_eq!(refused(line), said, "{line:?}");
    }
    assert_eq!(
        refused(&["unfinalize", "-n", "db", "pv/x"]),
        "error: the finalizer is missing\nhint: it takes TYPE/NAME FINALIZER"
    );
    for line in [&["rename", "pvc/x", "a", "b"][..], &["rename", "pvc", "x", "a", "b"]] {
        let said = "error: there is one word too many: \"b\"\nhint: it takes pvc/NAME NEW";
        assert_eq!(refused(line), said, "{line:?}");
    }
}

/// The class can also be set by the name of its field.
#[test]
fn a_class_is_set_by_either_name() {
    let set = |words: &[&str]| asked(&[&["recreate", "pvc/x", "-n", "db"], words].concat());
    assert_eq!(set(&["--set", "storageClassName=fast"]), set(&["--set", "class=fast"]));
    assert_eq!(set(&["--set", "storageClassName="]), set(&["--set", "class="]));
    let cli = parsed(&["recreate", "pvc/x", "--set", "class=a", "--set", "storageClassName=b"]);
    let said = request(&cli.verb.unwrap(), "db").unwrap_err().to_string();
    assert_eq!(said, "error: --set storageClassName is given twice");
}
