//! Checks the dependencies of a build on this machine against the rules of `deny.toml`: licences, banned crates, and
//! sources.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_types,
    reason = "tests fail by panicking and ask cargo"
)]

use crate::support::{root, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn every_dependency_is_allowed() {
    let rules = text("deny.toml");
    let licences = quoted(&rules, "allow = [", "\"");
    let banned = quoted(&rules, "deny = [", "crate = \"");
    assert!(
        licences.contains("MIT") && banned.contains("openssl-sys"),
        "the lists of deny.toml were not found: {licences:?} {banned:?}"
    );

    let packages = packages();
    assert!(packages.len() > 50, "cargo named only {} packages", packages.len());
    let mut sources = BTreeSet::new();
    for package in &packages {
        let name = package["name"].as_str().expect("a name");
        assert!(!banned.contains(name), "{name} is banned by deny.toml");
        let licence = package["license"].as_str().unwrap_or_else(|| panic!("{name} states no licence"));
        assert!(allowed(licence, &licences), "the licence of {name}, {licence}, is not allowed by deny.toml");
        match package["source"].as_str() {
            None => assert!(
                matches!(name, "kubectl-pvctl" | "pvctl-core" | "xtask"),
                "{name} must not be a dependency by path"
            ),
            Some(source) => _ = sources.insert(source),
        }
    }
    assert!(
        sources.iter().all(|source| source.starts_with("registry+")),
        "a dependency is not from a registry: {sources:?}"
    );
    assert_eq!(sources.len(), 1, "dependencies are from several registries: {sources:?}");
}

/// Returns the packages that are built for this machine, from `cargo metadata`. Cargo needs no network, because it has
/// the packages already: this test was built from them.
fn packages() -> Vec<Value> {
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let about = cargo(&["-vV"]);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host");
    let metadata = cargo(&["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Returns the strings that follow `before` in the lines of the list that begins with `start`.
fn quoted(rules: &str, start: &str, before: &str) -> BTreeSet<String> {
    let (_, list) = rules.split_once(&format!("\n{start}\n")).expect("the list is in deny.toml");
    list.lines()
        .take_while(|line| *line != "]")
        .filter_map(|line| line.trim().trim_start_matches("{ ").strip_prefix(before)?.split('"').next())
        .map(str::to_owned)
        .collect()
}

/// Returns whether the allowed licences satisfy an SPDX expression. Old manifests write `/` for OR.
fn allowed(expression: &str, licences: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any(&mut words, licences);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, licences: &BTreeSet<String>) -> bool {
    let mut met = all(words, licences);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, licences);
    }
    met
}

fn all(words: &mut Words<'_>, licences: &BTreeSet<String>) -> bool {
    let mut met = one(words, licences);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, licences);
    }
    met
}

fn one(words: &mut Words<'_>, licences: &BTreeSet<String>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = any(words, licences);
        return words.next_if_eq(&")").is_some() && met;
    }
    let mut licence = words.next().unwrap_or_default().to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        licence = format!("{licence} WITH {}", words.next().unwrap_or_default());
    }
    licences.contains(&licence)
}

#[test]
fn licence_expressions_are_understood() {
    let licences: BTreeSet<String> =
        ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into();
    for met in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/GPL-3.0",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
        "GPL-3.0 AND ISC OR MIT",
    ] {
        assert!(allowed(met, &licences), "{met}");
    }
    for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "GPL-3.0 WITH LLVM-exception", "", "(MIT", "MIT )", "MIT GPL-3.0"] {
        assert!(!allowed(unmet, &licences), "{unmet}");
    }
}
