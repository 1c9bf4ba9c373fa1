//! The map of documents, `docs/README.md`, names all documents, and every link in Markdown to a file of the project has
//! a target that exists.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "tests read the project's folders, and fail by panicking"
)]

use crate::support::{files, root, text};
use pvctl::model::{DUMP, Kind};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The folders at the top of the project that do not belong to the project.
const BESIDE: [&str; 2] = [".git", "target"];

/// Returns the names in a folder of the project, sorted. The second value says whether the entry is a folder.
fn entries(folder: &str) -> BTreeSet<(String, bool)> {
    let entries = fs::read_dir(root().join(folder)).expect("a readable folder");
    let entries = entries.map(|entry| entry.expect("a readable entry").path());
    entries
        .map(|path| (path.file_name().expect("an entry has a name").to_string_lossy().into_owned(), path.is_dir()))
        .collect()
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "md")
}

/// Returns the Markdown files of the project, each with its path from the project's folder and its text.
fn documents() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, is_folder) in entries("") {
        if is_folder && !BESIDE.contains(&name.as_str()) {
            found.extend(files(&name, "md").into_iter().map(|(path, _)| path));
        } else if !is_folder && is_markdown(&name) {
            found.push(name);
        }
    }
    // Build output in another folder, such as benches/target, does not belong to the project either.
    found.retain(|path| !path.split('/').any(|part| BESIDE.contains(&part)));
    found.into_iter().map(|path| (path.clone(), text(&path))).collect()
}

/// Returns the lines of a document without code blocks and without code spans.
fn prose(document: &str) -> Vec<String> {
    let mut in_block = false;
    let mut lines = Vec::new();
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            lines.push(line.split('`').step_by(2).collect::<Vec<_>>().join("`"));
        }
    }
    lines
}

/// Returns the targets of the links of a document as they are written.
pub(super) fn targets(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(document) {
        for (_, rest) in line.match_indices("](").map(|(at, mark)| line.split_at(at + mark.len())) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            found.push(target.to_owned());
        }
    }
    found
}

/// Returns whether a link leads out of the project.
fn leads_outside(target: &str) -> bool {
    ["https://", "http://", "mailto:"].iter().any(|start| target.starts_with(start))
}

/// Returns the target of a link: the path, which begins at the project's folder, and the heading. Returns `None` if the
/// link leads out of the project's folder.
pub(super) fn resolved(document: &str, target: &str) -> Option<(String, String)> {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    if path.is_empty() {
        return Some((document.to_owned(), heading.to_owned()));
    }
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            name => parts.push(name),
        }
    }
    Some((parts.join("/"), heading.to_owned()))
}

/// Returns the headings of a document in the form in which links name them: in lower case, with `-` for each space, and
/// without punctuation other than `-` and `_`.
fn headings(document: &str) -> BTreeSet<String> {
    let mut in_block = false;
    let mut found = BTreeSet::new();
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if let Some(heading) = line.strip_prefix('#').filter(|_| !in_block) {
            let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            found.insert(heading.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect());
        }
    }
    found
}

/// Returns what is wrong with a link, or `None` if it is right.
fn fault(document: &str, target: &str) -> Option<String> {
    let Some((path, heading)) = resolved(document, target) else {
        return Some("leads out of the project".to_owned());
    };
    if !root().join(&path).exists() {
        return Some(format!("{path} is not there"));
    }
    let is_known = heading.is_empty() || !is_markdown(&path) || headings(&text(&path)).contains(&heading);
    (!is_known).then(|| format!("{path} has no heading for #{heading}"))
}

#[test]
fn the_map_of_documents_names_all_of_them() {
    const MAP: &str = "docs/README.md";
    let named: BTreeSet<String> =
        targets(&text(MAP)).iter().filter_map(|target| Some(resolved(MAP, target)?.0)).collect();
    let in_docs = entries("docs");
    assert!(in_docs.len() > 8, "docs/ must have more than eight entries: {in_docs:?}");
    for (name, is_folder) in in_docs {
        let path = format!("docs/{name}");
        let below = format!("{path}/");
        let is_named = named.iter().any(|named| *named == path || is_folder && named.starts_with(&below));
        assert!(is_named || path == MAP, "{MAP} does not name {path}");
    }
    // The documents in .github/ are templates.
    for (path, _) in documents().iter().filter(|(path, _)| !path.starts_with("docs/") && !path.starts_with('.')) {
        assert!(named.contains(path), "{MAP} does not name {path}");
    }
}

#[test]
fn links_lead_to_what_is_there() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for (path, document) in documents() {
        for target in targets(&document).into_iter().filter(|target| !leads_outside(target)) {
            checked += 1;
            if let Some(fault) = fault(&path, &target) {
                wrong.push(format!("{path} links to {target}: {fault}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 100, "only {checked} links were checked");
}

#[test]
fn links_are_read_as_written() {
    let document =
        "# A `b`, c\n[x](a.md#b) and [`y`](../c) `[no](link)`\n```sh\n# no\n[no](link)\n```\n[z](#d \"title\")\n";
    assert_eq!(targets(document), ["a.md#b", "../c", "#d"]);
    assert_eq!(headings(document).into_iter().collect::<Vec<_>>(), ["a-b-c"]);
    assert_eq!(resolved("docs/x.md", "a.md#b"), Some(("docs/a.md".to_owned(), "b".to_owned())));
    assert_eq!(resolved("docs/x.md", "../c/"), Some(("c".to_owned(), String::new())));
    assert_eq!(resolved("docs/x.md", "#d"), Some(("docs/x.md".to_owned(), "d".to_owned())));
    assert_eq!(resolved("docs/x.md", "../../c"), None);
    assert!(fault("docs/x.md", "nothing.md").is_some());
    assert!(fault("docs/x.md", "STYLE.md#nothing").is_some());
    assert_eq!(fault("docs/x.md", "STYLE.md#code"), None);
    assert!(leads_outside("https://kubernetes.io") && !leads_outside("httpd.md"));
}

/// Every command for a dump that people can copy must name the same kinds: those that decisions read.
#[test]
fn one_command_writes_a_dump() {
    let kinds: Vec<String> = Kind::ALL
        .iter()
        .map(|kind| match kind {
            Kind::PersistentVolume | Kind::PersistentVolumeClaim | Kind::StorageClass => kind.short().to_owned(),
            _ => kind.resource().to_owned(),
        })
        .collect();
    assert_eq!(DUMP, format!("kubectl get {} -A -o json", kinds.join(",")));
    let wanted = DUMP.trim_end_matches(" -A -o json");
    let mut others = Vec::new();
    let mut check = |path: &str, content: &str| {
        let content = content.replace("\\-", "-");
        let found = content.match_indices("kubectl get pv,pvc").map(|(at, _)| &content[at..]);
        others.extend(found.filter(|rest| !rest.starts_with(wanted)).map(|_| path.to_owned()));
    };
    for (folder, extension) in [("src", "rs"), ("man", "1"), ("docs/transcripts", "md")] {
        for (path, content) in files(folder, extension) {
            check(&path, &String::from_utf8_lossy(&content));
        }
    }
    check("README.md", &text("README.md"));
    assert_eq!(others, [""; 0]);
}
