//! Some files name versions of Kubernetes, but cannot use the table of versions, `MODELLED` in
//! `core/src/controllers/behavior.rs`. These are the Go modules and build tags of the oracle, the recordings, and the
//! documents.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::{files, text};
use pvctl::controllers::KubeVersion;
use std::collections::BTreeSet;
use xtask::oracle::build_arguments;

/// The location of the table, for messages.
const TABLE: &str = "MODELLED in core/src/controllers/behavior.rs";

/// Returns the versions with recordings, in order, each with its release.
fn recorded() -> Vec<(KubeVersion, String)> {
    KubeVersion::all().filter_map(|version| Some((version, version.recorded()?))).collect()
}

/// Returns the build tag with which the oracle of an older version is built.
fn tag(version: KubeVersion) -> String {
    format!("k8s_{}", version.to_string().replace('.', "_"))
}

/// Returns the release of Kubernetes that a Go module requires.
fn required(module: &str) -> String {
    let source = text(module);
    let line = source.lines().find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes v"));
    line.unwrap_or_else(|| panic!("{module} does not require k8s.io/kubernetes")).to_owned()
}

#[test]
fn the_modules_of_the_oracle_have_the_releases_of_the_table() {
    let mut expected = BTreeSet::new();
    for (version, release) in recorded() {
        let arguments = build_arguments(version);
        let older = arguments.iter().find_map(|argument| argument.strip_prefix("-modfile="));
        let module = format!("oracle/{}", older.unwrap_or("go.mod"));
        if older.is_some() {
            expected.insert(module.clone());
        }
        assert_eq!(
            required(&module),
            release,
            "{module} and {TABLE} name different releases. For a new patch: `go get k8s.io/kubernetes@v{release}` with \
             all k8s.io modules, then oracle/corpora.sh and `cargo xtask record` as in tests/conformance/README.md. For \
             a new minor: move oracle/go.mod and go.sum to oracle/minors/ under the name of the previous minor"
        );
    }
    let there: BTreeSet<String> = files("oracle/minors", "mod").into_iter().map(|(path, _)| path).collect();
    assert_eq!(
        there, expected,
        "oracle/minors must have a module for each older version with recordings in {TABLE}, and no other module"
    );
    let cluster = "oracle/cluster/go.mod";
    assert_eq!(
        Some(required(cluster)),
        KubeVersion::DEFAULT.recorded(),
        "{cluster} is the control plane of the live tests: it must have the release of the default version in {TABLE}"
    );
}

#[test]
fn the_build_tags_of_the_oracle_choose_each_version_of_the_table_once() {
    let older: Vec<String> = recorded().into_iter().rev().skip(1).map(|(version, _)| tag(version)).collect();
    let newest = format!("!({})", older.join(" || "));
    for (version, release) in recorded() {
        let constraint = if version == KubeVersion::DEFAULT { newest.clone() } else { tag(version) };
        let file = format!("oracle/judge/version_{}.go", version.to_string().replace('.', ""));
        let source = text(&file);
        assert!(
            source.starts_with(&format!("//go:build {constraint}\n")),
            "{file} has to start with `//go:build {constraint}`: the newest version is built without a tag, so that \
             `go vet ./...` needs none, and each older one with its own. Look at the tags of all \
             oracle/judge/version_*.go when {TABLE} changes"
        );
        assert!(
            source.contains(&format!("\nconst Version = \"{release}\"\n")),
            "{file} has to say `const Version = \"{release}\"`, as {TABLE} does"
        );
    }
}

#[test]
fn the_recordings_are_of_the_releases_of_the_table() {
    let releases: Vec<String> = recorded().into_iter().map(|(_, release)| release).collect();
    let names: Vec<String> = files("tests/conformance", "gz").into_iter().map(|(path, _)| path).collect();
    for release in &releases {
        for kind in ["decisions", "match", "outcomes-all", "handmade", "gates-decisions"] {
            let name = format!("tests/conformance/{kind}-{release}.jsonl.gz");
            assert!(
                names.contains(&name),
                "{name} is missing, but {TABLE} says that there are recordings of {release}. oracle/corpora.sh and `cargo xtask \
                 record` make them, see tests/conformance/README.md; then `UPDATE=1 cargo test what_is_recorded`"
            );
        }
    }
    for name in names {
        let is_known = releases.iter().any(|release| name.ends_with(&format!("-{release}.jsonl.gz")));
        assert!(
            is_known,
            "{name} is a recording of a release that {TABLE} does not have: record it again with one of {releases:?}"
        );
    }
}

#[test]
fn documents_name_the_versions_of_the_table() {
    let (oldest, newest) = (KubeVersion::OLDEST, KubeVersion::NEWEST);
    let mut known: Vec<String> = recorded().into_iter().map(|(version, _)| version.to_string()).collect();
    let judged = in_words(&known);
    let default = known.pop().expect("some version has recordings");
    known.reverse();
    let mut sentences = vec![
        ("README.md", format!("`--kube-version {oldest}` to `{newest}`, ")),
        ("README.md", format!("Versions {judged} are compared with recorded answers ")),
        ("README.md", format!("`--kube-version {}` brings back ", KubeVersion::HISTORICAL)),
        ("docs/CONFORMANCE.md", format!("Most recordings are of {default}; there are fewer of {}, ", in_words(&known))),
    ];
    for (version, release) in recorded() {
        let arguments = build_arguments(version).join(" ").replace("-tags=", "-tags ");
        let sentence = match version {
            KubeVersion::DEFAULT => format!("the volume controllers of Kubernetes **{release}** "),
            _ => format!("| {version} | {release} | `go build {arguments} .` |"),
        };
        sentences.push(("oracle/README.md", sentence));
    }
    for (path, sentence) in sentences {
        let words = text(path).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&sentence), "{path} has to say {sentence:?}, as {TABLE} does");
    }
}

/// Returns the names as `a, b and c`.
fn in_words(names: &[String]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Returns the first minor version of Kubernetes that a line of code names. Only versions that are modelled or may be
/// modelled later are found.
fn named(line: &str) -> Option<&str> {
    line.match_indices("1.").map(|(start, _)| start).find_map(|start| {
        let before = line[..start].chars().next_back();
        let digits = line[start + 2..].bytes().take_while(u8::is_ascii_digit).count();
        let name = &line[start..start + 2 + digits];
        let minor: u32 = name[2..].parse().ok()?;
        let is_a_number = before.is_some_and(|before| before.is_ascii_digit() || before == '.');
        let is_a_minor = minor == 14 || (20..60).contains(&minor);
        (digits == 2 && !is_a_number && is_a_minor).then_some(name)
    })
}

#[test]
fn versions_are_found_in_code() {
    for (line, found) in [("\"1.36\"", "1.36"), ("v1.31.3-x", "1.31"), ("1.5, 1.14", "1.14"), ("-1.28.3", "1.28")] {
        assert_eq!(named(line), Some(found), "{line}");
    }
    for line in ["11.36", "1.361", "0.1.36", "1.5", "10.0.1.30"] {
        assert_eq!(named(line), None, "{line}");
    }
}

/// Only comments and the pages of rules cite versions of Kubernetes. Other code asks `KubeVersion` or
/// `KubernetesBehavior`.
#[test]
fn no_other_code_names_a_version() {
    let mut looked = 0;
    for (path, bytes) in ["src", "core", "xtask"].into_iter().flat_map(|folder| files(folder, "rs")) {
        let is_a_page = path.starts_with("src/diagnosis/rules/");
        if is_a_page || path == "core/src/controllers/behavior.rs" {
            continue;
        }
        let source = String::from_utf8(bytes).expect("sources are UTF-8");
        let program = source.split("\n#[cfg(test)]\n").next().unwrap_or_default();
        looked += 1;
        for (number, line) in program.lines().enumerate() {
            if !line.trim_start().starts_with("//")
                && let Some(found) = named(line)
            {
                panic!("{path}:{}: only {TABLE} may have {found}; ask KubeVersion or KubernetesBehavior", number + 1);
            }
        }
    }
    assert!(looked > 100, "only {looked} files were checked");
}
