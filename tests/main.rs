//! The integration tests. Each folder is about one subject, and `support` has their common helpers. The folder `unit`
//! is not part of this binary: it is a binary of its own.

mod audit;
mod cli;
mod cluster;
mod files;
#[cfg(unix)]
mod live;
mod predict;
mod project;
mod repair;
mod support;

/// Returns the files in which a test file may be declared as a module: `mod.rs` of its folder, the file beside the
/// folder that has the folder's name, or the root of a binary.
fn parents(path: &str) -> Vec<String> {
    let folder = path.strip_suffix("/mod.rs").unwrap_or(path);
    let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
    if folder == "tests" {
        return vec!["tests/main.rs".to_owned()];
    }
    vec![format!("{folder}/mod.rs"), format!("{folder}.rs"), format!("{folder}/main.rs")]
}

/// The roots of the binaries.
const ROOTS: [&str; 2] = ["tests/main.rs", "tests/unit/main.rs"];

#[test]
fn every_test_file_is_part_of_a_binary() {
    let files = support::files("tests", "rs");
    let modules: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).filter(|path| !ROOTS.contains(path)).collect();
    assert!(modules.contains(&"tests/project/tidy.rs"), "the walk over the files finds nothing: {modules:?}");
    for path in modules {
        let module = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs")).unwrap_or(path);
        let name = module.rsplit('/').next().unwrap_or(module);
        let parents = parents(path);
        let named = files.iter().filter(|(file, _)| parents.contains(file)).any(|(_, source)| {
            let source = String::from_utf8_lossy(source);
            source.lines().any(|line| line.strip_suffix(&format!("mod {name};")).is_some_and(is_visibility))
        });
        assert!(named, "{path} is not named in {}", parents.join(" or "));
    }
    // The two libraries are not compiled with `cfg(test)`. So tests inside them would never run.
    for (path, source) in ["src", "core/src"].into_iter().flat_map(|folder| support::files(folder, "rs")) {
        let source = String::from_utf8_lossy(&source);
        assert!(!source.contains("cfg(test)"), "{path}: unit tests belong to tests/unit");
    }
}

/// Returns whether the text before `mod` is a visibility or empty.
fn is_visibility(text: &str) -> bool {
    ["", "pub(crate) ", "pub(super) "].contains(&text)
}
