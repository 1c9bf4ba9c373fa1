//! Rules of the project that the compiler does not check. For example: which module may use which, which words the
//! files must not contain, and what documents must name.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::{files, root, text};
use pvctl::diagnosis::rules;
use std::collections::BTreeSet;

/// The modules and their ranks. A module uses only modules of lower rank. `docs/ARCHITECTURE.md` describes the ranks.
const RANKS: [(&str, u8); 21] = [
    ("parallel", 0),
    ("text", 0),
    ("error", 1),
    ("progress", 1),
    ("model", 2),
    ("snapshot", 3),
    ("world", 4),
    ("controllers", 5),
    ("simulate", 6),
    ("engines", 7),
    ("diagnosis", 8),
    ("repair", 9),
    ("report", 10),
    ("cli", 11),
    ("source", 12),
    ("execute", 12),
    ("terminal", 12),
    ("ops", 13),
    ("commands", 14),
    ("lib", 15),
    ("main", 16),
];

/// Uses that are forbidden although the ranks permit them.
const NOT_WANTED: [(&str, &str); 7] = [
    ("source", "cli"),
    ("source", "report"),
    ("source", "repair"),
    ("execute", "cli"),
    ("execute", "report"),
    ("ops", "cli"),
    ("ops", "terminal"),
];

/// Crates that do input and output. The next constant has the modules that may use these crates.
const WORLDLY: [&str; 5] = ["tokio", "kube", "http", "dialoguer", "colored"];
const MAY_REACH_THE_WORLD: [&str; 6] = ["source", "execute", "terminal", "report", "commands", "main"];

/// Files of more than 600 lines, without the unit tests at their end. Each has the reason why two files would be worse.
const LONG_FILES: [(&str, &str); 0] = [];

/// The source folders of the two crates of the product: the core, and the crate with all other modules.
const SOURCES: [&str; 2] = ["core/src", "src"];

fn source_files() -> Vec<(String, String)> {
    let found = SOURCES.map(|folder| files(folder, "rs"));
    for (folder, found) in SOURCES.iter().zip(&found) {
        assert!(found.len() > 10, "only {} files were found in {folder}", found.len());
    }
    found
        .into_iter()
        .flatten()
        .map(|(path, bytes)| (path, String::from_utf8(bytes).expect("sources are UTF-8")))
        .collect()
}

/// Returns the files of the product, of `xtask` and of `tests`.
fn programs() -> Vec<(String, String)> {
    let others = ["xtask", "tests"].into_iter().flat_map(|folder| files(folder, "rs"));
    let others = others.map(|(path, bytes)| (path, String::from_utf8(bytes).expect("sources are UTF-8")));
    source_files().into_iter().chain(others).collect()
}

/// Returns the module to which a file of the product belongs: the first part of its path in its crate.
fn module(path: &str) -> &str {
    let inside = SOURCES.iter().find_map(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    let inside = inside.expect("a path in one of the two crates");
    inside.split('/').next().map_or(inside, |part| part.strip_suffix(".rs").unwrap_or(part))
}

fn rank(module: &str) -> u8 {
    let found = RANKS.iter().find(|(name, _)| *name == module);
    found.unwrap_or_else(|| panic!("the module `{module}` has no rank: give it one in tests/project/tidy.rs")).1
}

/// Returns the code of a file without comments.
fn code(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the modules that a file names by `crate::…`, also inside braces.
fn used_modules(source: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let source = code(source);
    for (start, found) in source.match_indices("crate::") {
        if source[..start].ends_with('$')
            || source[..start].ends_with(|before: char| before.is_alphanumeric() || before == '_')
        {
            continue;
        }
        let rest = &source[start + found.len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0_u32;
            let mut name = String::new();
            for character in list.chars() {
                match character {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => _ = used.insert(first_word(&std::mem::take(&mut name))),
                    _ => {}
                }
                if depth == 0 && character != ',' {
                    name.push(character);
                }
            }
            used.insert(first_word(&name));
        } else {
            used.insert(first_word(rest));
        }
    }
    used.remove("");
    used
}

fn first_word(path: &str) -> String {
    path.trim().chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

#[test]
fn uses_are_found_in_every_form() {
    let used = used_modules(
        "use crate::{model::{Kind, Str}, text, error::Error};\nlet x = crate::snapshot::new();\n// crate::report\n\
         use othercrate::nothing;",
    );
    assert_eq!(used.into_iter().collect::<Vec<_>>(), ["error", "model", "snapshot", "text"]);
}

#[test]
fn modules_use_lower_ranks_only() {
    for (path, source) in source_files() {
        let module = module(&path);
        let own = rank(module);
        for used in used_modules(&source) {
            assert!(used == module || rank(&used) < own, "{path}: `{module}` must not use `{used}`");
            assert!(!NOT_WANTED.contains(&(module, &used)), "{path}: `{module}` must not use `{used}`");
        }
        for name in ["pvctl::", "pvctl_core::"] {
            let may = ["lib", "main"].contains(&module);
            assert!(may || !code(&source).contains(name), "{path}: modules must be named by `crate::`");
        }
    }
}

#[test]
fn the_core_reaches_nothing() {
    for (path, source) in source_files() {
        if MAY_REACH_THE_WORLD.contains(&module(&path)) {
            continue;
        }
        for name in WORLDLY {
            let reached =
                code(&source).contains(&format!("use {name}::")) || code(&source).contains(&format!(" {name}::"));
            assert!(!reached, "{path}: only these modules may use `{name}`: {MAY_REACH_THE_WORLD:?}");
        }
    }
}

#[test]
fn libraries_list_their_modules_in_the_order_of_ranks() {
    let libraries = SOURCES.map(|folder| text(&format!("{folder}/lib.rs")));
    let lines = libraries.iter().flat_map(|library| library.lines());
    let modules: Vec<&str> = lines.filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let ranks: Vec<u8> = modules.iter().map(|module| rank(module)).collect();
    assert!(
        modules.len() > 15 && ranks.is_sorted(),
        "the two libraries must list all modules in the order of ranks: {modules:?}"
    );
}

#[test]
fn every_module_says_what_it_is_for() {
    for (path, source) in programs() {
        assert!(source.starts_with("//! "), "{path} has no `//!` documentation at its top");
    }
}

/// Returns the number of lines of a file, without the unit tests at its end.
fn lines(source: &str) -> usize {
    let tests = source.find("\n#[cfg(test)]\n").unwrap_or(source.len());
    source[..tests].lines().count()
}

/// The file of a verb only parses, calls the use case, renders the result and returns the exit code.
#[test]
fn the_file_of_a_verb_is_short() {
    for (path, source) in source_files() {
        let is_of_a_verb = path.strip_prefix("src/commands/").is_some_and(|file| !file.contains('/'));
        let lines = lines(&source);
        assert!(
            !is_of_a_verb || lines <= 100,
            "{path} has {lines} lines, but at most 100 are allowed: move code to `ops` or `report`"
        );
    }
}

#[test]
fn long_files_have_a_reason() {
    for (path, source) in programs() {
        let lines = lines(&source);
        let reason = LONG_FILES.iter().find(|(long, _)| *long == path);
        assert!(
            lines <= 600 || reason.is_some(),
            "{path} has {lines} lines: split it, or give a reason in tests/project/tidy.rs"
        );
        assert!(lines > 600 || reason.is_none(), "{path} is short now: remove it from the list of long files");
    }
}

#[test]
fn a_rule_has_the_file_of_its_name() {
    let sources = source_files();
    let of_rules: Vec<(&str, &String)> = sources
        .iter()
        .filter_map(|(path, source)| {
            let (_section, name) = path.strip_prefix("src/diagnosis/rules/")?.split_once('/')?;
            source.contains("static RULE: Rule = ").then_some((name, source))
        })
        .collect();
    for rule in rules::all() {
        let name = format!("{}.rs", rule.id.replace('-', "_"));
        let found = of_rules.iter().find(|(file, _)| *file == name);
        let (_, source) = found.unwrap_or_else(|| panic!("{}: src/diagnosis/rules/SECTION/{name} is missing", rule.id));
        assert!(source.contains(&format!("    id: \"{}\",\n", rule.id)), "{name} does not define the rule {}", rule.id);
    }
    assert_eq!(of_rules.len(), rules::all().len(), "a rule has a file, but no section lists it");
}

#[test]
fn report_has_a_folder_for_each_document() {
    const BESIDE: &str = "mod.rs";
    let sources = source_files();
    let inside: Vec<&str> = sources.iter().filter_map(|(path, _)| path.strip_prefix("src/report/")).collect();
    let mut folders = BTreeSet::new();
    for path in &inside {
        match path.split_once('/') {
            Some((folder, _)) => _ = folders.insert(folder),
            None => assert_eq!(*path, BESIDE, "src/report/{path} must be in the folder of a document, or in `shared`"),
        }
    }
    assert!(folders.remove("shared") && folders.len() > 5, "{folders:?}");
    for folder in folders {
        for file in ["mod.rs", "document.rs"] {
            let path = format!("{folder}/{file}");
            assert!(inside.contains(&path.as_str()), "src/report/{path} is missing");
        }
    }
}

#[test]
fn each_verb_has_its_own_formats() {
    let mut parsed = BTreeSet::new();
    for (path, source) in source_files().into_iter().filter(|(path, _)| module(path) == "cli") {
        for rest in source.split("FormatParser::<").skip(1) {
            let format = first_word(rest);
            assert!(parsed.insert(format.clone()), "{path}: another verb already has the type `{format}`");
        }
    }
    assert!(parsed.len() > 5, "only these formats were found: {parsed:?}");
}

#[test]
fn commands_do_not_write_formats_themselves() {
    // The last text occurs where code writes a field name of JSON into a string.
    const BY_HAND: [&str; 5] = ["serde_json", "serde_yaml", "json!", "escape_json", "\\\":"];
    for (path, source) in source_files().into_iter().filter(|(path, _)| module(path) == "commands") {
        for piece in BY_HAND {
            assert!(!code(&source).contains(piece), "{path}: only `report` may use `{piece}`");
        }
    }
}

/// The formatter wraps code and does not wrap comments.
#[test]
fn comments_are_no_wider_than_code() {
    for (path, source) in programs() {
        for (number, line) in source.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            assert!(!is_comment || line.chars().count() <= 120, "{path}:{}: more than 120 columns", number + 1);
        }
    }
}

#[test]
fn some_words_stay_out() {
    // The words are joined here, so that this file does not contain them.
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("unimplemented", "!("),
        concat!("todo", "!("),
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("crates", ".io"),
        concat!("proxy.golang", ".org"),
        concat!("registry.npmjs", ".org"),
        concat!("pypi", ".org"),
    ];
    let mut checked = 0;
    let single = [
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "NOTICE",
        "Cargo.toml",
        "core/Cargo.toml",
        "clippy.toml",
        "deny.toml",
        ".ci/run",
    ];
    let single = single.map(|path| (path.to_owned(), text(path).into_bytes()));
    let code = [
        files("src", "rs"),
        files("core", "rs"),
        files("tests", "rs"),
        files("xtask", "rs"),
        files("docs", "md"),
        files("man", ""),
        files("completions", ""),
    ];
    for (path, bytes) in code.into_iter().flatten().chain(single) {
        let content = String::from_utf8(bytes).expect("text files are UTF-8");
        checked += 1;
        for (number, line) in content.lines().enumerate() {
            for word in words {
                assert!(!line.contains(word), "{path}:{}: `{word}` is forbidden", number + 1);
            }
        }
    }
    assert!(checked > 60, "only {checked} files were checked");
}

#[test]
fn every_dependency_has_its_reason() {
    let architecture = text("docs/ARCHITECTURE.md");
    let (_, reasons) = architecture.split_once("\n## Dependencies\n").expect("a section on dependencies");
    let reasons = reasons.split("\n## ").next().unwrap_or_default();
    let manifests = ["Cargo.toml", "core/Cargo.toml"].map(text).concat();
    let mut named = BTreeSet::new();
    let mut inside = false;
    for line in manifests.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| inside) {
            let reason = reasons.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
            assert!(
                reason.is_some_and(|line| line.len() > name.len() + 20),
                "{name} has no reason in docs/ARCHITECTURE.md"
            );
            named.insert(name);
        }
    }
    assert!(named.contains("clap"), "only these dependencies were found in the manifests: {named:?}");
    for line in reasons.lines().filter_map(|line| line.strip_prefix("| `")) {
        let name = line.split('`').next().unwrap_or_default();
        assert!(named.contains(name), "docs/ARCHITECTURE.md gives a reason for {name}, which is not a dependency");
    }
}

/// Generic code must not name PersistentVolumes or PersistentVolumeClaims, so that other kinds can be added. The files
/// in which a kind is decoded are exceptions.
#[test]
fn generic_code_names_no_kind_of_storage() {
    const GENERIC: [&str; 3] = ["core/src/simulate/", "core/src/world/", "core/src/snapshot/"];
    const OF_KINDS: &str = "core/src/snapshot/kinds/";
    let mut looked = 0;
    for (path, source) in source_files() {
        if path.starts_with(OF_KINDS) || !GENERIC.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        looked += 1;
        let code = code(&source);
        // The search also finds `PersistentVolumeClaim`, because it begins with the same word.
        let named = code.lines().find(|line| line.contains("PersistentVolume"));
        assert_eq!(named, None, "{path} names a kind");
    }
    assert!(looked > 20, "only {looked} files were found");
}

/// Code of the simulation must not name a controller. A controller is named where it is registered, and in code that
/// depends on what this controller does.
#[test]
fn the_simulation_names_no_controller() {
    for (path, source) in source_files().into_iter().filter(|(path, _)| module(path) == "simulate") {
        let code = code(&source);
        for controller in pvctl::controllers::CONTROLLERS {
            let folder = controller.alias.replace('-', "_");
            for name in [controller.name, controller.alias, folder.as_str(), "persistent_volume"] {
                assert!(!code.contains(name), "{path} names {name}");
            }
        }
    }
}

/// `docs/ARCHITECTURE.md` and `CONTRIBUTING.md` must not name a file that does not exist. Names in capitals are
/// placeholders for something that a contributor adds.
#[test]
fn the_documents_for_contributors_name_existing_files() {
    let maps = ["docs/ARCHITECTURE.md", "CONTRIBUTING.md"].map(text).join("\n").replace("```", "");
    let named: Vec<&str> = maps.split('`').skip(1).step_by(2).collect();
    let folders = ["src/", "core/", "tests/", "docs/", "xtask/", "oracle/", "completions/", "man/"];
    let paths = named.iter().filter(|word| folders.iter().any(|folder| word.starts_with(folder)));
    let is_of_something_new = |part: &str| part.chars().next().is_some_and(char::is_uppercase);
    let mut checked = 0;
    for path in paths.filter(|path| !path.contains([' ', '*']) && !path.split('/').any(is_of_something_new)) {
        assert!(
            root().join(path).exists(),
            "docs/ARCHITECTURE.md or CONTRIBUTING.md names {path}, which does not exist"
        );
        checked += 1;
    }
    assert!(checked > 60, "only {checked} paths were checked");
}

/// Former identifiers that were metaphors or had several meanings. `docs/GLOSSARY.md` has the words that are used
/// instead.
#[test]
fn former_identifiers_are_not_used() {
    const FORMER: [&str; 21] = [
        "Blow",
        "Cast",
        "Condemned",
        "Course",
        "Found",
        "Grab",
        "Hears",
        "Rules",
        "Shelf",
        "Stage",
        "Sync",
        "Test",
        "Told",
        "Treasure",
        "Vacancy",
        "Way",
        "astray",
        "heed",
        "seat",
        "seats",
        "thief",
    ];
    // `Sync` is also a trait of the standard library, and `audit` has rules. So only definitions of types are meant.
    let is_meant = |word: &str, line: &str| match word {
        "Sync" => ["struct Sync", "type Sync", "enum Sync", "trait Sync"].iter().any(|own| line.contains(own)),
        "Rules" => ["struct Rules ", "type Rules ", "enum Rules "].iter().any(|own| line.contains(own)),
        _ => true,
    };
    let mut wrong = Vec::new();
    for (path, source) in ["src", "core", "tests", "xtask"].into_iter().flat_map(|folder| files(folder, "rs")) {
        let source = String::from_utf8(source).expect("sources are UTF-8");
        for (number, line) in source.lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") || code.starts_with('"') || line.contains('"') {
                continue;
            }
            let words = code.split(|character: char| !character.is_alphanumeric() && character != '_');
            let former = words.filter(|word| FORMER.contains(word)).find(|word| is_meant(word, code));
            wrong.extend(former.map(|word| format!("{path}:{}: {word}", number + 1)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
