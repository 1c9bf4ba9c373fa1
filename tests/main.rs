//! The one integration test binary, and a check that no test file is forgotten.

mod cli;
mod generated;
mod licences;
mod readme;
mod support;
mod tidy;

#[test]
fn every_test_file_is_part_of_this_binary() {
    let files = support::files("tests", "rs");
    let modules: Vec<&str> = files
        .iter()
        .filter_map(|(path, _)| path.strip_prefix("tests/")?.strip_suffix(".rs"))
        .filter(|name| !name.contains('/') && *name != "main")
        .collect();
    assert!(modules.contains(&"tidy"), "the walk over the files finds nothing: {modules:?}");
    let main = include_str!("main.rs");
    for module in modules {
        assert!(main.contains(&format!("\nmod {module};\n")), "tests/{module}.rs is not named in tests/main.rs");
    }
}
